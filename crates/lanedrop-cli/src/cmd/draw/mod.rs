//! `lanedrop draw`: random words or uniforms of any generator.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use clap::{Args as ClapArgs, ValueEnum};
use lanedrop::rng::{Field, Profile, Recurrence};

use self::generator::Generator;
use self::print::{Json, Print, Text};
use crate::io::output::apart;
use crate::state::StateArgs;
use crate::{Outcome, output, profiles};

mod generator;
mod print;

/// Draw random words, or uniforms, from a generator
#[derive(ClapArgs, Debug)]
#[command(after_help = "\
Without --lanes and --state one lane is drawn from. State files are .npy, uint32:
  lfsr    [lanes], or [lanes, 4] where the profile has four registers a lane
  xorwow  [lanes, 6]: x, y, z, w, v, d; [lanes, 24] where the profile has four
          registers; without a state, the firmware's default words
  pcg32   [lanes, 2]: low and high half of the state
  philox  [6]: counter (4 words, low first) and key (2); draw k of lane l is
          word k * lanes + l

Examples:
  lanedrop draw --seed 42 --lanes 4 --count 8
  lanedrop draw --profile xorshift --seed 1 --count 4 --uniform
  lanedrop draw --state a.npy --skip 1000000000000 --count 1 --save-state b.npy
  lanedrop draw --algorithm xorwow --count 16 --json

Exit status: 0 fine, 2 could not run.")]
pub(crate) struct Args {
    /// Which generator [default: the profile's]
    #[arg(long, value_enum)]
    algorithm: Option<Algorithm>,
    /// Built-in profile or TOML file [default: trn1]
    #[arg(long, value_name = "NAME|FILE")]
    profile: Option<String>,
    #[command(flatten)]
    state: StateArgs,
    /// How many draws of each lane
    #[arg(long, value_name = "N", default_value_t = 8)]
    count: u64,
    /// Leave out this many draws of each lane first, in one jump
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Print numbers in [0, 1], converted as the profile says, instead of words
    #[arg(long)]
    uniform: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Algorithm {
    Lfsr,
    Xorwow,
    Pcg32,
    Philox,
}

impl Algorithm {
    fn as_str(self) -> &'static str {
        match self {
            Self::Lfsr => "lfsr",
            Self::Xorwow => "xorwow",
            Self::Pcg32 => "pcg32",
            Self::Philox => "philox",
        }
    }

    fn of(profile: &Profile) -> Self {
        match profile.recurrence {
            Recurrence::Xorwow => Self::Xorwow,
            _ => Self::Lfsr,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    apart(
        &[("--profile", args.profile.as_deref().map(Path::new))],
        &[("--save-state", args.state.save_state.as_deref())],
        &[],
    )?;
    let profile = profiles::load(args.profile.as_deref().unwrap_or("trn1"))?;
    let algorithm = args.algorithm.unwrap_or(Algorithm::of(&profile));
    if algorithm == Algorithm::Lfsr && Algorithm::of(&profile) != Algorithm::Lfsr {
        bail!(
            "profile {} is xorwow, expected an lfsr for --algorithm lfsr; leave --algorithm out \
             or name another profile",
            profile.name
        );
    }
    let Some(last) = args.skip.checked_add(args.count) else {
        bail!("--skip and --count reach draw 2^64, expected their sum to stay below");
    };
    // Else the profile is there for its conversion alone.
    let drawn_by_profile = algorithm == Algorithm::of(&profile);
    let (mut generator, remarks) = Generator::start(algorithm, &profile, &args.state)?;
    if args.state.save_state.is_some() {
        generator.check_saved_at(last)?;
    }
    generator.skip(args.skip);

    let fields: Vec<_> = profile
        .assumptions()
        .into_iter()
        .map(|(field, _)| field)
        .filter(|&field| drawn_by_profile || (args.uniform && field == Field::Uniform))
        .map(Field::as_str)
        .collect();
    let named = (drawn_by_profile || args.uniform).then_some(&profile);
    let remarks = profiles::impostor(&profile).into_iter().chain(remarks);
    remarks.for_each(|remark| eprintln!("{remark}"));
    if let (Some(profile), false, false) = (named, args.json, fields.is_empty()) {
        eprintln!("profile {}; assumptions: {}", profile.name, fields.join(", "));
    }

    let lanes = generator.lanes();
    let uniform = args.uniform.then_some(profile.uniform);
    let mut printer: Box<dyn Print> = if args.json {
        Box::new(Json {
            profile: named.map(|profile| profile.name.clone()),
            assumptions: fields,
            algorithm: algorithm.as_str(),
            lanes,
            count: args.count,
            uniform,
        })
    } else {
        Box::new(Text::new(lanes, last, uniform))
    };
    let mut out = output::stdout();
    printer.begin(&mut out)?;
    let mut block = [0; 4096];
    for lane in 0..lanes {
        let mut at = args.skip;
        while at < last {
            let block_len = usize::try_from(last - at).unwrap_or(usize::MAX).min(block.len());
            let block = &mut block[..block_len];
            generator.fill(lane, at, block);
            printer.draws(&mut out, lane, at, at == args.skip, block)?;
            at += block.len() as u64;
        }
        printer.end_lane(&mut out, lane)?;
    }
    printer.end(&mut out)?;
    out.flush()?;
    generator.save(last, &args.state)?;
    Ok(Outcome::Fine)
}
