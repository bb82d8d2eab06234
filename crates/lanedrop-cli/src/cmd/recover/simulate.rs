//! `lanedrop recover simulate`: captures of devices that do not exist.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use lanedrop::gf2::Affine32;
use lanedrop::isa::ThresholdType;
use lanedrop::recover::Layout;
use lanedrop::recover::simulate::{Device, Faults, Knowledge, Sharing, Shot, Simulation, Source};

use crate::state::parse_seed;
use crate::{Outcome, output, profiles};

/// Make capture files of a device that does not exist
#[derive(clap::Args)]
#[command(after_help = "\
One capture is made for each --threshold and seed group. A threshold is a number,
or the eight hex digits of its f32 bits after 0x: 0x3effffff is the number just
below one half, at which a mask is the top bit of the draws.

Examples:
  lanedrop recover simulate --profile xorshift -o capture.json
  lanedrop recover simulate --mode single --groups 36 --elements 128 -o seeds.json
  lanedrop recover simulate --mode unknown --flips 0.05 --elements 1024 -o noisy.json
  lanedrop recover simulate --layout element-axes:8x16 --elements 128 -o odd.json
  lanedrop recover simulate --device pcg32 -o other.json

Exit status: 0 fine, 2 could not run.")]
pub(crate) struct Args {
    /// The profile the device follows
    #[arg(long, value_name = "NAME|FILE", default_value = "trn1")]
    profile: String,
    /// What the lanes draw from instead: pcg32, counter, xorshift-star,
    /// xorshift-weyl, or lcg:MULTIPLIER,INCREMENT
    #[arg(long, value_name = "KIND")]
    device: Option<String>,
    /// What the file tells of seeds: words (a word a lane), single (one seed),
    /// unknown, or raw (raw draws, seeds unknown)
    #[arg(long, value_name = "MODE", default_value = "words")]
    mode: String,
    /// Lanes
    #[arg(long, default_value_t = 128)]
    lanes: usize,
    /// Elements a lane in each capture
    #[arg(long, default_value_t = 64)]
    elements: usize,
    /// A threshold; may be given again
    #[arg(long = "threshold", value_name = "P|0xBITS", default_value = "0x3effffff")]
    thresholds: Vec<String>,
    /// The thresholds are keep rates
    #[arg(long)]
    keep: bool,
    /// Seed groups, each with seeds of its own
    #[arg(long, default_value_t = 1)]
    groups: usize,
    /// The word of lane 0 (or the one seed) in every group
    #[arg(long, value_name = "WORD", value_parser = parse_seed)]
    first_word: Option<u32>,
    /// Share of mask bits that are inverted
    #[arg(long, value_name = "RATE", default_value_t = 0.0)]
    flips: f64,
    /// Order in the file: elements-reversed, lanes-reversed, snake, transposed,
    /// element-axes:AxB or lane-axes:AxB
    #[arg(long, value_name = "LAYOUT")]
    layout: Option<String>,
    /// LANE:ELEMENT:GAP, elements lost (or doubled, below 0); may be given again
    #[arg(long = "slip", value_name = "SLIP", allow_hyphen_values = true)]
    slips: Vec<String>,
    /// All lanes draw from one register: interleaved or blocked
    #[arg(long, value_name = "HOW")]
    shared: Option<String>,
    /// FROM:TO, a lane that shows what another does; may be given again
    #[arg(long = "duplicate", value_name = "FROM:TO")]
    duplicates: Vec<String>,
    /// What a zero word is replaced by
    #[arg(long, value_name = "WORD", value_parser = parse_seed)]
    zero_becomes: Option<u32>,
    /// Draws thrown away after seeding
    #[arg(long, value_name = "N", default_value_t = 0)]
    warm_up: u64,
    /// The bytes of a draw are compared in the opposite order
    #[arg(long)]
    swap_bytes: bool,
    /// Captures go on where the one before ended, and the file does not say so
    #[arg(long)]
    persist: bool,
    /// Seed of all that is random here
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_seed)]
    seed: u32,
    /// Where the captures go; standard output without it
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    ensure!((1..=1 << 16).contains(&args.lanes), "lanes is {}, expected 1 to 65536", args.lanes);
    ensure!(
        (1..=1 << 20).contains(&args.elements),
        "elements is {}, expected 1 to {}",
        args.elements,
        1 << 20
    );
    ensure!(
        (0.0..=1.0).contains(&args.flips),
        "flips is {}, expected a share from 0 to 1",
        args.flips
    );
    let mut device = Device::new(profiles::load(&args.profile)?);
    if let Some(kind) = &args.device {
        device.source = source(kind)?;
    }
    device.warm_up = args.warm_up;
    device.zero_seed_becomes = args.zero_becomes;
    device.output = args.swap_bytes.then(|| Affine32::of(u32::swap_bytes));
    let (knowledge, raw) = match &args.mode[..] {
        "words" => (Knowledge::Words, false),
        "single" => (Knowledge::OneSeed, false),
        "unknown" => (Knowledge::Nothing, false),
        "raw" => (Knowledge::Nothing, true),
        other => bail!("mode is {other}, expected words, single, unknown or raw"),
    };
    let thresholds: Vec<u32> =
        args.thresholds.iter().map(|text| threshold(text)).collect::<Result<_>>()?;
    let threshold_type = if args.keep { ThresholdType::KeepRate } else { ThresholdType::DropRate };
    let mut shots = Vec::new();
    let mut words = BTreeMap::new();
    for group in 0..args.groups {
        let seed_group = format!("group-{group}");
        for (index, &bits) in thresholds.iter().enumerate() {
            let id = format!("capture-{group}-{index}");
            let shot = Shot::mask(&id, bits, args.elements, &seed_group);
            shots.push(Shot { threshold_type, raw, ..shot });
        }
        if let Some(word) = args.first_word {
            words.insert(seed_group, vec![word]);
        }
    }
    let simulation = Simulation {
        device,
        lanes: args.lanes,
        shots,
        knowledge,
        words,
        faults: faults(args)?,
        seed: args.seed.into(),
    };
    let text = simulation.run().to_json();
    match &args.output {
        Some(path) => output::write_file(path, text.as_bytes())?,
        None => {
            let mut out = output::stdout();
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
    }
    Ok(Outcome::Fine)
}

fn faults(args: &Args) -> Result<Faults> {
    let lane = |lane: usize| -> Result<usize> {
        ensure!(lane < args.lanes, "lane {lane} of {} lanes", args.lanes);
        Ok(lane)
    };
    let mut faults = Faults { flip_rate: args.flips, persists: args.persist, ..Faults::default() };
    faults.layout = args.layout.as_deref().map(|text| layout(text, args)).transpose()?;
    for text in &args.slips {
        let parts: Vec<&str> = text.split(':').collect();
        let [on, at, gap] = parts[..] else { bail!("slip is {text}, expected LANE:ELEMENT:GAP") };
        let gap: i64 = gap.parse().with_context(|| format!("slip is {text}"))?;
        ensure!(gap.unsigned_abs() <= 4096, "slip is {text}, expected a gap of 4096 at most");
        let number = |text: &str| text.parse::<usize>().with_context(|| format!("slip is {text}"));
        faults.slips.push((lane(number(on)?)?, number(at)?, gap));
    }
    faults.sharing = match args.shared.as_deref() {
        None => None,
        Some("interleaved") => Some(Sharing::Interleaved),
        Some("blocked") => Some(Sharing::Blocked),
        Some(other) => bail!("shared is {other}, expected interleaved or blocked"),
    };
    for text in &args.duplicates {
        let pair = text
            .split_once(':')
            .with_context(|| format!("duplicate is {text}, expected FROM:TO"))?;
        let number =
            |text: &str| text.parse::<usize>().with_context(|| format!("duplicate is {text}"));
        faults.duplicates.push((lane(number(pair.0)?)?, lane(number(pair.1)?)?));
    }
    Ok(faults)
}

fn layout(text: &str, args: &Args) -> Result<Layout> {
    let axes = |text: &str, of: usize| -> Result<(usize, usize)> {
        let (rows, columns) =
            text.split_once('x').with_context(|| format!("axes are {text}, expected AxB"))?;
        let (rows, columns) = (rows.parse::<usize>()?, columns.parse::<usize>()?);
        ensure!(rows.checked_mul(columns) == Some(of), "axes {text} are not {of} in all");
        Ok((rows, columns))
    };
    Ok(match text.split_once(':') {
        None => match text {
            "elements-reversed" => Layout::ElementsReversed,
            "lanes-reversed" => Layout::LanesReversed,
            "snake" => Layout::Snake,
            "transposed" => Layout::Transposed { by_element: true },
            "as-is" => Layout::AsIs,
            _ => bail!("layout is {text}; see `lanedrop recover simulate --help`"),
        },
        Some(("element-axes", shape)) => {
            let (rows, columns) = axes(shape, args.elements)?;
            Layout::ElementAxes { rows, columns }
        }
        Some(("lane-axes", shape)) => {
            let (rows, columns) = axes(shape, args.lanes)?;
            Layout::LaneAxes { rows, columns }
        }
        Some(_) => bail!("layout is {text}; see `lanedrop recover simulate --help`"),
    })
}

fn source(kind: &str) -> Result<Source> {
    Ok(match kind {
        "pcg32" => Source::Pcg32,
        "counter" => Source::Counter,
        "xorshift-star" => Source::XorshiftStar,
        "xorshift-weyl" => Source::XorshiftWeyl,
        _ => {
            let numbers = kind.strip_prefix("lcg:").and_then(|text| text.split_once(','));
            let Some((multiplier, increment)) = numbers else {
                bail!(
                    "device is {kind}, expected pcg32, counter, xorshift-star, xorshift-weyl or \
                     lcg:MULTIPLIER,INCREMENT"
                )
            };
            let word = |text| parse_seed(text).map_err(anyhow::Error::msg);
            Source::Lcg { multiplier: word(multiplier)?, increment: word(increment)? }
        }
    })
}

fn threshold(text: &str) -> Result<u32> {
    if let Some(hex) = text.strip_prefix("0x") {
        ensure!(hex.len() == 8, "threshold is {text}, expected 8 hex digits after 0x");
        return u32::from_str_radix(hex, 16).with_context(|| format!("threshold is {text}"));
    }
    let value: f32 = text.parse().with_context(|| format!("threshold is {text}"))?;
    Ok(value.to_bits())
}
