//! `lanedrop lower`: the program a compiler would emit for a tensor.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args as ClapArgs;
use lanedrop::asm;
use lanedrop::exec::{Element, Lowered, Lowering, cost, lower};
use lanedrop::isa::{Generation, ScalarType, ThresholdType};
use serde::{Deserialize, Serialize};

use crate::cmd::run::{Rate, rate, read_rates};
use crate::cmd::trace;
use crate::{Outcome, output, profiles, state};

/// Writes the program a compiler would emit for a tensor.
///
/// NAME.bin gets the records: the seed, then for every 128 rows a Dropout and,
/// with --scale, a TensorScalar multiply. NAME.json says which rows go to which
/// bytes; a tensor larger than the memory is split into segments, which
/// `lanedrop exec NAME.json` stages.
#[derive(ClapArgs)]
#[command(after_help = "\
Types are those of NumPy and ml_dtypes (float32, bfloat16, int8), or of c10 and
torch (Half, torch.bfloat16), as far as their bridge to DTYPE goes.

Examples:
  lanedrop lower --shape 256x64 --dtype float32 --rate 0.1 --seed 42 -o small
  lanedrop exec small.json --tensor activations.npy -o out.npy
  lanedrop lower --shape 4096,4096 --dtype torch.bfloat16 --rate 0.9 --keep --scale --asm -o big

Exit status: 0 fine, 2 could not run (a type or a rate no Dropout has).")]
#[command(group = clap::ArgGroup::new("threshold").required(true).args(["rate", "rates"]))]
pub(crate) struct Args {
    /// Axis lengths, such as 4096x4096 or 4096,4096; rows are along the last axis
    #[arg(long, value_name = "S", value_parser = shape)]
    shape: Shape,
    /// Type of the elements
    #[arg(long, value_name = "D", value_parser = dtype)]
    dtype: Element,
    /// Probability that an element is dropped, 0 to 1
    #[arg(long, value_name = "P", allow_hyphen_values = true, value_parser = rate)]
    rate: Option<Rate>,
    /// One rate a lane, read by pointer: an .npy of float32 [128]
    #[arg(long, value_name = "FILE")]
    rates: Option<PathBuf>,
    /// Read rates as probabilities that an element is kept
    #[arg(long)]
    keep: bool,
    /// Multiply by 1/(1-rate) afterwards, in a record of its own
    #[arg(long)]
    scale: bool,
    /// Seed of 32 bits the program starts with; without it lanes stay as they are
    #[arg(long, value_name = "N", value_parser = state::parse_seed)]
    seed: Option<u32>,
    /// The generation whose memory is used
    #[arg(long = "gen", value_name = "GEN", default_value = "v3")]
    generation: Generation,
    /// How the generator works, which decides whether a seed can be set
    #[arg(long, value_name = "NAME|FILE", default_value = "trn1")]
    profile: String,
    /// NAME.bin and NAME.json are written
    #[arg(short = 'o', long = "output", value_name = "NAME")]
    output: PathBuf,
    /// Writes the records as text too, to NAME.asm
    #[arg(long)]
    asm: bool,
    /// Prints the result as JSON
    #[arg(long)]
    json: bool,
}

/// Axis lengths.
#[derive(Clone, Debug)]
pub(crate) struct Shape(Vec<u64>);

fn shape(text: &str) -> Result<Shape, String> {
    let lengths = text.split(['x', ',']).map(|part| part.trim().parse());
    let lengths: Result<Vec<u64>, _> = lengths.collect();
    lengths.map(Shape).map_err(|_| "expected axis lengths such as 4096x4096".into())
}

fn dtype(text: &str) -> Result<Element, String> {
    if let Some(scalar_type) = ScalarType::named(text) {
        let dtype = scalar_type.for_dropout().map_err(|error| error.to_string())?;
        if let Some(element) = Element::of_dtype(dtype, false) {
            return Ok(element);
        }
    }
    Element::named(text).ok_or_else(|| {
        let names: Vec<&str> = Element::ALL.into_iter().map(Element::name).collect();
        format!("expected one of {}, or a type of c10 or torch", names.join(", "))
    })
}

/// What NAME.json holds.
#[derive(Serialize, Deserialize)]
pub(crate) struct File {
    /// The program's file, beside this one.
    pub(crate) program: String,
    /// Axis lengths of the tensor.
    pub(crate) shape: Vec<u64>,
    /// The profile it was lowered for.
    pub(crate) profile: String,
    /// The seed that the program sets.
    pub(crate) seed: Option<u32>,
    /// What goes where.
    #[serde(flatten)]
    pub(crate) plan: lanedrop::exec::Plan,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let profile = profiles::load(&args.profile)?;
    let shape = &args.shape.0;
    let row_len = shape.last().copied().unwrap_or(1);
    let mut axes = shape[..shape.len().saturating_sub(1)].iter();
    let rows = axes.try_fold(1u64, |rows, &len| rows.checked_mul(len));
    let rows = rows.context("the shape has more rows than a u64 counts")?;
    let rates = match (&args.rates, args.rate) {
        (Some(path), _) => read_rates(path, 128).with_context(|| path.display().to_string())?,
        (None, Some(rate)) => vec![rate.threshold],
        (None, None) => bail!("one of --rate and --rates is needed"),
    };
    let lowering = Lowering {
        generation: args.generation,
        element: args.dtype,
        rows,
        row_len,
        threshold_type: if args.keep { ThresholdType::KeepRate } else { ThresholdType::DropRate },
        rates,
        seed: args.seed,
        scale: args.scale,
    };
    let lowered = lower(&lowering, &profile)?;
    let (bin, json) = (with_ending(&args.output, "bin")?, with_ending(&args.output, "json")?);
    let bytes: Vec<u8> = lowered.words.iter().flat_map(|word| word.0).collect();
    output::write_file(&bin, &bytes)?;
    if args.asm {
        let text = asm::disassemble(&bytes, args.generation).map_err(|error| anyhow!(error))?;
        output::write_file(&with_ending(&args.output, "asm")?, text.as_bytes())?;
    }
    let program = bin.file_name().map(|name| name.to_string_lossy().into_owned());
    let Lowered { words, plan } = lowered;
    let file = File {
        program: program.unwrap_or_default(),
        shape: shape.clone(),
        profile: profile.name,
        seed: args.seed,
        plan,
    };
    output::write_file(&json, &serde_json::to_vec(&file)?)?;

    let mut out = output::stdout();
    let segments = file.plan.segments.len();
    let estimate = cost::program(&words);
    if args.json {
        let result = serde_json::json!({
            "program": bin, "plan": json, "records": words.len(), "segments": segments,
            "generation": args.generation, "dtype": args.dtype, "shape": shape,
            "cost": {
                "cycles": estimate.cycles, "dropouts": estimate.dropouts,
                "left_out": estimate.left_out, "estimate": true,
                "claim": cost::DROPOUT.id, "standing": cost::DROPOUT.tag(),
            },
        });
        writeln!(out, "{result}")?;
    } else {
        writeln!(
            out,
            "{} records for {} on {}, in {segments} segment{}",
            words.len(),
            args.dtype.name(),
            args.generation,
            if segments == 1 { "" } else { "s" }
        )?;
        writeln!(out, "{}, {}", bin.display(), json.display())?;
        let total = trace::total_text(estimate.cycles, estimate.dropouts);
        writeln!(out, "{total}  ({}, {})", cost::DROPOUT.tag(), cost::DROPOUT.id)?;
    }
    out.flush()?;
    Ok(Outcome::Fine)
}

/// Returns `NAME.ending`, whatever dots the name has.
fn with_ending(name: &std::path::Path, ending: &str) -> Result<PathBuf> {
    let file = name.file_name();
    ensure!(file.is_some(), "{} names no file", name.display());
    let mut file = file.unwrap_or_default().to_owned();
    file.push(".");
    file.push(ending);
    Ok(name.with_file_name(file))
}
