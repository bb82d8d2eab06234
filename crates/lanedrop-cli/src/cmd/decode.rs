//! `lanedrop decode`: every field of every record.

use std::io::Write;

use anyhow::Result;
use clap::Args as ClapArgs;
use lanedrop::isa::{Generation, Record};

use crate::input::InputArgs;
use crate::{Outcome, output};

/// Shows every field of every record: bytes, meaning and standing.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  lanedrop decode dve.bin
  lanedrop decode dve.bin --json | jq '.[] | select(.name == \"DROPOUT\").fields.threshold'
  lanedrop decode model.neff --stream dve
  lanedrop assemble tile.asm | lanedrop decode - --gen v5

Exit status: 0 fine, 2 could not run (no such file, bytes left over).")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// The generation whose memories addresses are read by
    #[arg(long = "gen", value_name = "GEN", default_value = "v3")]
    generation: Generation,
    /// Writes a JSON array, one object a record
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let streams = args.input.read()?;
    let generation = args.generation;
    let record = move |(offset_bytes, word)| Record { offset_bytes, word, generation };
    let mut out = output::stdout();
    if args.json {
        let records = streams
            .parts()
            .iter()
            .flat_map(|stream| stream.records().map(move |at| stream.keyed(record(at))));
        output::json_array(&mut out, records)?;
    } else {
        let mut blank = "";
        for stream in streams.parts() {
            if let Some(heading) = stream.heading() {
                writeln!(out, "{blank}{heading}")?;
                blank = "\n";
            }
            for at in stream.records() {
                write!(out, "{blank}{}", record(at))?;
                blank = "\n";
            }
        }
    }
    out.flush()?;
    Ok(Outcome::Fine)
}
