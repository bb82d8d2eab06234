//! `lanedrop decode`: every field of every record.

use std::io::Write;

use anyhow::Result;
use clap::Args as ClapArgs;
use lanedrop::isa::{Generation, Record};

use crate::input::Stream;
use crate::{Outcome, output};

/// Shows every field of every record: bytes, meaning and standing.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  lanedrop decode dve.bin
  lanedrop decode dve.bin --json | jq '.[] | select(.name == \"DROPOUT\").fields.threshold'
  lanedrop assemble tile.asm | lanedrop decode - --gen v5

Exit status: 0 fine, 2 could not run (no such file, bytes left over).")]
pub(crate) struct Args {
    /// 128 hex digits, a file of hex text or raw records, or `-`
    #[arg(value_name = "IN")]
    input: String,
    /// The generation whose memories addresses are read by
    #[arg(long = "gen", value_name = "GEN", default_value = "v3")]
    generation: Generation,
    /// Writes a JSON array, one object a record
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let stream = Stream::read(&args.input)?;
    let generation = args.generation;
    let records =
        stream.records().map(|(offset_bytes, word)| Record { offset_bytes, word, generation });
    let mut out = output::stdout();
    if args.json {
        output::json_array(&mut out, records)?;
    } else {
        for (index, record) in records.enumerate() {
            write!(out, "{}{record}", if index == 0 { "" } else { "\n" })?;
        }
    }
    out.flush()?;
    Ok(Outcome::Fine)
}
