//! `lanedrop assemble`: text to records.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::Args as ClapArgs;
use lanedrop::asm;
use lanedrop::isa::Generation;
use serde_json::json;

use crate::io::output::apart;
use crate::{Outcome, input, output};

/// Turns assembly text into records.
#[derive(ClapArgs)]
#[command(after_help = "\
Without -o the raw records go to standard output; on a terminal, and with
--hex, as hex text with one record a line. docs/assembly.md has the grammar.

Examples:
  lanedrop assemble tile.asm -o tile.bin
  echo 'dropout dtype=fp32 channels=128 drop=0.1 src=sbuf[p0](512) dst=sbuf[p0+0x1000](512)' \\
    | lanedrop assemble - --hex

Exit status: 0 fine, 2 could not run (a mistake in the text, no such file).")]
pub(crate) struct Args {
    /// A text file, or `-`
    #[arg(value_name = "FILE")]
    file: String,
    /// Where the records go
    #[arg(short, long, value_name = "BIN")]
    output: Option<PathBuf>,
    /// Writes hex text, one record a line
    #[arg(long)]
    hex: bool,
    /// Writes a JSON array, one object a record: offset, bytes
    #[arg(long, conflicts_with = "hex")]
    json: bool,
    /// The generation of addresses until the text says `.generation`
    #[arg(long = "gen", value_name = "GEN", default_value = "v3")]
    generation: Generation,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    apart(&[("FILE", Some(Path::new(&args.file)))], &[("-o", args.output.as_deref())], &[])?;
    let name = if args.file == "-" { "standard input" } else { &args.file };
    let text = String::from_utf8(input::read_all(&args.file)?)
        .with_context(|| format!("{name} is no text"))?;
    let words = asm::assemble(&text, args.generation)
        .map_err(|error| anyhow!("{name}, {}", error.with_source(&text)))?;
    let hex = args.hex || (args.output.is_none() && std::io::stdout().is_terminal());
    let mut bytes = Vec::new();
    if args.json {
        let records = (0u64..).step_by(64).zip(&words);
        output::json_array(
            &mut bytes,
            records.map(|(offset, word)| json!({"offset": offset, "bytes": format!("{word:x}")})),
        )?;
    }
    for word in words.iter().filter(|_| !args.json) {
        if hex {
            writeln!(bytes, "{word:x}")?;
        } else {
            bytes.extend_from_slice(&word.0);
        }
    }
    match &args.output {
        Some(path) => output::write_file(path, &bytes)?,
        None => {
            let mut out = output::stdout();
            out.write_all(&bytes)?;
            out.flush()?;
        }
    }
    Ok(Outcome::Fine)
}
