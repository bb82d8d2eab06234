//! The flags of `lanedrop run`.

use std::path::PathBuf;

use lanedrop::exec::{Backend, Element};

use crate::state::StateArgs;

const EXAMPLES: &str = "\
Examples:
  lanedrop run activations.npy --rate 0.1 --seed 42 -o out.npy
  lanedrop run model.safetensors#embeddings.weight --rate 0.9 --keep -o out.safetensors
  lanedrop run x.npy --rate 0.1 --state s.npy --save-state s.npy -o x.npy
  lanedrop run bits.npy --dtype bfloat16 --rates rates.npy --mask keep.npy -o out.npy

Rows are stretches along the last axis. Row r is on lane r mod lanes (128 without --lanes and
--state); a lane's draws go on from row to row. Kept elements are copied bit for bit, dropped ones become all-zero bits.

Exit status: 0 done, 2 could not run.";

/// Run a dropout on a tensor in a file.
///
/// The tensor may be of float32, float16, bfloat16, float8 (e3m4, e4m3, e5m2) or integers of 1, 2
/// and 4 bytes, of any shape. Files are replaced when they are complete; -o may name the input.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("threshold").required(true).args(["rate", "rates"]))]
pub(crate) struct Args {
    /// X.npy, X.npz#NAME or X.safetensors#NAME (the name may be left out where there is one
    /// tensor); - is standard input, held in memory
    #[arg(value_name = "TENSOR")]
    pub(crate) tensor: String,

    /// Where the result goes; .npy, .npz (as array `out`) or .safetensors by its ending
    #[arg(short = 'o', long = "output", value_name = "OUT")]
    pub(crate) output: PathBuf,

    /// Probability that an element is dropped, 0 to 1
    #[arg(long, value_name = "P", allow_hyphen_values = true, value_parser = rate)]
    pub(crate) rate: Option<Rate>,

    /// One rate a lane: an .npy of float32 [lanes]
    #[arg(long, value_name = "FILE")]
    pub(crate) rates: Option<PathBuf>,

    /// Read rates as probabilities that an element is kept
    #[arg(long)]
    pub(crate) keep: bool,

    #[command(flatten)]
    pub(crate) start: StateArgs,

    /// How the generator works: a built-in profile or a file (see `lanedrop profile`)
    #[arg(long, value_name = "NAME|FILE", default_value = "trn1")]
    pub(crate) profile: String,

    /// Multiply what is kept by 1/(1-rate) afterwards, as a framework would
    #[arg(long)]
    pub(crate) scale: bool,

    /// Write which elements were kept: an .npy of bool, true is kept
    #[arg(long, value_name = "FILE")]
    pub(crate) mask: Option<PathBuf>,

    /// The same in bits: an .npy of uint8, rows in whole bytes, least significant bit first
    #[arg(long, value_name = "FILE")]
    pub(crate) packed_mask: Option<PathBuf>,

    /// What an .npy of plain bytes holds: bfloat16, float8_e4m3fn and so on
    #[arg(long, value_name = "D", value_parser = element)]
    pub(crate) dtype: Option<Element>,

    /// Most threads to run on
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true)]
    #[arg(value_parser = at_least_one)]
    pub(crate) threads: usize,

    /// Which code does the work; all give the same bits [default: the fastest]
    #[arg(long, value_name = "NAME", value_parser = backend)]
    pub(crate) backend: Option<Backend>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Args {
    /// Returns the file of the tensor, as far as it can be told from the text.
    pub(crate) fn tensor_path(&self) -> Option<PathBuf> {
        crate::io::input::path_of(&self.tensor)
    }
}

/// A rate as it was given and as the instruction holds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    pub(crate) given: f64,
    pub(crate) threshold: f32,
}

pub(crate) fn rate(text: &str) -> Result<Rate, String> {
    let wanted = "expected a number from 0 to 1";
    let given: f64 = text.trim().parse().map_err(|_| wanted.to_owned())?;
    // Rounded from the text, not from the f64: one rounding alone.
    let threshold: f32 = text.trim().parse().map_err(|_| wanted.to_owned())?;
    if !(0.0..=1.0).contains(&given) {
        return Err(wanted.into());
    }
    Ok(Rate { given, threshold })
}

fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| "expected a whole number of at least 1".into())
}

pub(crate) fn element(text: &str) -> Result<Element, String> {
    Element::named(text).ok_or_else(|| {
        let names: Vec<&str> = Element::ALL.into_iter().map(Element::name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

pub(crate) fn backend(text: &str) -> Result<Backend, String> {
    Backend::named(text).ok_or_else(|| {
        let names: Vec<&str> = Backend::available().into_iter().map(Backend::name).collect();
        format!("this CPU has {}", names.join(", "))
    })
}
