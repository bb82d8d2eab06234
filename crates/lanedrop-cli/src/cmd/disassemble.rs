//! `lanedrop disassemble`: records to text.

use std::io::Write;

use anyhow::Result;
use clap::Args as ClapArgs;
use lanedrop::asm::Statement;
use lanedrop::isa::Generation;
use serde_json::json;

use crate::input::InputArgs;
use crate::{Outcome, output};

/// Turns records into assembly text that gives the same bytes back.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  lanedrop disassemble dve.bin
  lanedrop disassemble model.neff --stream dve
  lanedrop disassemble dve.bin --gen v5 | lanedrop assemble - | cmp - dve.bin

Exit status: 0 fine, 2 could not run (no such file, bytes left over).")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// The generation addresses are written for; the text names it
    #[arg(long = "gen", value_name = "GEN", default_value = "v3")]
    generation: Generation,
    /// Writes a JSON array, one object a record: offset, bytes, text
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let streams = args.input.read()?;
    let generation = args.generation;
    let mut out = output::stdout();
    if args.json {
        let records = streams.parts().iter().flat_map(|stream| {
            stream.records().map(move |(offset_bytes, word)| {
                let text = Statement { word, generation, offset_bytes: None }.to_string();
                let bytes = format!("{word:x}");
                stream.keyed(json!({"offset": offset_bytes, "bytes": bytes, "text": text}))
            })
        });
        output::json_array(&mut out, records)?;
        out.flush()?;
        return Ok(Outcome::Fine);
    }
    writeln!(out, ".generation {generation}")?;
    for stream in streams.parts() {
        if let Some(heading) = stream.heading() {
            writeln!(out, "\n# stream {heading}")?;
        }
        for (offset, word) in stream.records() {
            let statement = Statement { word, generation, offset_bytes: Some(offset) };
            write!(out, "\n{statement}")?;
        }
    }
    out.flush()?;
    Ok(Outcome::Fine)
}
