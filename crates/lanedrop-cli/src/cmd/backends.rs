//! `lanedrop backends`: what this CPU can run.

use std::io::Write;

use anyhow::{Context, Result};
use lanedrop::exec::Backend;
use serde_json::json;

use crate::{Outcome, output};

/// List the backends this CPU can run, the default first
#[derive(clap::Args, Debug)]
#[command(after_help = "\
All backends give the same bits; `run --backend NAME` forces one. `reference` is
the model itself, written to be read.

Examples:
  lanedrop backends
  lanedrop backends --json

Exit status: 0 fine, 2 could not run.")]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What a backend is.
fn about(name: &str) -> &'static str {
    match name {
        "reference" => "the golden model: one draw and one float comparison an element",
        "scalar" => "plain 64-bit words, on any CPU",
        "avx2" => "256-bit vectors",
        "avx512" => "512-bit vectors, bit-matrix products (GFNI), masked moves",
        "neon" => "128-bit vectors of AArch64",
        "simd128" => "128-bit vectors of WebAssembly",
        _ => "",
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let mut out = output::stdout();
    let best = Backend::best();
    for backend in Backend::available().into_iter().rev() {
        let name = backend.name();
        if args.json {
            let default = backend == best;
            writeln!(out, "{}", json!({ "name": name, "default": default, "about": about(name) }))?;
        } else {
            let default = if backend == best { " (default)" } else { "" };
            writeln!(out, "{name:<10} {}{default}", about(name))?;
        }
    }
    out.flush().context("standard output")?;
    Ok(Outcome::Fine)
}
