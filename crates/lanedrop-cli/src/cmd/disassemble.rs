//! `lanedrop disassemble`: records to text.

use std::io::Write;

use anyhow::Result;
use clap::Args as ClapArgs;
use lanedrop::asm::Statement;
use lanedrop::isa::Generation;

use crate::input::Stream;
use crate::{Outcome, output};

/// Turns records into assembly text that gives the same bytes back.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  lanedrop disassemble dve.bin
  lanedrop disassemble dve.bin --gen v5 | lanedrop assemble - | cmp - dve.bin

Exit status: 0 fine, 2 could not run (no such file, bytes left over).")]
pub(crate) struct Args {
    /// 128 hex digits, a file of hex text or raw records, or `-`
    #[arg(value_name = "IN")]
    input: String,
    /// The generation addresses are written for; the text names it
    #[arg(long = "gen", value_name = "GEN", default_value = "v3")]
    generation: Generation,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let stream = Stream::read(&args.input)?;
    let generation = args.generation;
    let mut out = output::stdout();
    writeln!(out, ".generation {generation}")?;
    for (offset, word) in stream.records() {
        let statement = Statement { word, generation, offset_bytes: Some(offset) };
        write!(out, "\n{statement}")?;
    }
    out.flush()?;
    Ok(Outcome::Fine)
}
