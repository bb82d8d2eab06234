//! The flags of `lanedrop exec`.

use std::path::PathBuf;

use lanedrop::exec::{Backend, Element};
use lanedrop::isa::Generation;
use lanedrop::rng::Fp8Exp4;

use crate::cmd::run::{backend, element};
use crate::state::parse_seed;

/// Runs a program on the device model.
///
/// PROGRAM is a stream of records (raw, hex text, assembly by the ending .asm, or
/// the DVE's of a NEFF), with arrays for its memory; or a plan NAME.json of `lanedrop lower`,
/// with a tensor, whose segments are staged one after another.
#[derive(clap::Args)]
#[command(after_help = "\
A map names places of memory, one table each; OUT gets an array for each:
  [[region]]
  name = \"x\"             # the array in IN and OUT; missing in IN, it is zero
  space = \"sbuf\"         # sbuf | psum
  partition = 0          # of the first row
  offset_bytes = 0
  dtype = \"float32\"
  shape = [128, 512]     # partitions first

Examples:
  lanedrop exec tile.asm --map tile.toml --memory in.npz -o out.npz --seed 42
  lanedrop exec small.json --tensor activations.npy -o out.npy --save-state state.npy
  lanedrop exec model.neff --map tile.toml --satisfy-waits -o out.safetensors

Exit status: 0 the program ran to its end, 2 it did not or could not be run; the
message says at which record and why, and no file is written then.")]
pub(crate) struct Args {
    /// A stream of records, or NAME.json of `lanedrop lower`
    #[arg(value_name = "PROGRAM")]
    pub(crate) program: String,

    /// The tensor of a plan: X.npy, X.npz#NAME, X.safetensors#NAME
    #[arg(long, value_name = "X")]
    pub(crate) tensor: Option<String>,

    /// Where the result goes: the arrays of the map (.npz, .safetensors), or the tensor
    #[arg(short = 'o', long = "output", value_name = "OUT")]
    pub(crate) output: PathBuf,

    /// The device's generation [default: v3, or the plan's]
    #[arg(long = "gen", value_name = "GEN")]
    pub(crate) generation: Option<Generation>,

    /// How the generator works: a built-in profile or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "trn1")]
    pub(crate) profile: String,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    /// Write the lane words after the program to this .npy
    #[arg(long, value_name = "FILE")]
    pub(crate) save_state: Option<PathBuf>,

    /// What an .npy of plain bytes holds [default: the plan's type]
    #[arg(long, value_name = "D", value_parser = element)]
    pub(crate) dtype: Option<Element>,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The device that a program meets: what it holds at first, and its limits.
#[derive(clap::Args)]
pub(crate) struct DeviceArgs {
    /// Arrays to fill the memory with: .npz or .safetensors
    #[arg(long, value_name = "IN", requires = "map")]
    pub(crate) memory: Option<PathBuf>,

    /// Which arrays are where: TOML
    #[arg(long, value_name = "TOML")]
    pub(crate) map: Option<PathBuf>,

    /// Seed of 32 bits the lanes start from, until the program sets another
    #[arg(long, value_name = "N", value_parser = parse_seed, conflicts_with = "state")]
    pub(crate) seed: Option<u32>,

    /// Start from the lane words in this .npy (uint32, 128 lanes)
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,

    /// What a register holds at first; may be given several times
    #[arg(long = "register", value_name = "N=VALUE", value_parser = pair)]
    pub(crate) registers: Vec<(u32, u32)>,

    /// What a semaphore holds at first; may be given several times
    #[arg(long = "semaphore", value_name = "N=VALUE", value_parser = pair)]
    pub(crate) semaphores: Vec<(u32, u32)>,

    /// Let waits pass that do not hold, as if another engine or a DMA had signalled
    #[arg(long)]
    pub(crate) satisfy_waits: bool,

    /// Element steps (elements times channels) after which the program is stopped
    #[arg(long, value_name = "N", default_value = "68719476736")]
    pub(crate) budget: u64,

    /// How FP8_EXP4 is read: ieee (float8_e4m3) or fn (float8_e4m3fn, without infinities)
    /// [default: the profile's, or the plan's type]
    #[arg(long, value_name = "READING", value_parser = reading)]
    pub(crate) fp8_exp4: Option<Fp8Exp4>,

    /// Which code does the work; all give the same bits [default: the fastest]
    #[arg(long, value_name = "NAME", value_parser = backend)]
    pub(crate) backend: Option<Backend>,
}

fn reading(text: &str) -> Result<Fp8Exp4, String> {
    let found = Fp8Exp4::ALL.into_iter().find(|reading| reading.as_str() == text);
    found.ok_or_else(|| "expected ieee or fn".into())
}

fn pair(text: &str) -> Result<(u32, u32), String> {
    let wanted = "expected NUMBER=VALUE, decimal or 0x hexadecimal";
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    let (left, right) = text.split_once('=').ok_or(wanted)?;
    number(left.trim()).zip(number(right.trim())).ok_or_else(|| wanted.into())
}
