//! `lanedrop recover solve`: the recurrence behind captures.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use lanedrop::recover;

use super::explain;
use crate::{Outcome, output};

/// Find the recurrence behind captures
#[derive(clap::Args)]
#[command(after_help = "\
Takes raw draws, masks with chosen lane words, with one chosen seed a capture
(34 captures or more) and with unknown seeds. What is stated comes with the
number of redundant equations that held and a bound on being wrong.

Examples:
  lanedrop recover solve capture.json
  lanedrop recover solve capture.json --profile-out mine.toml
  lanedrop recover solve first.json second.json --json

Exit status: 0 solved or ambiguous, 1 rejected or under-determined, 2 could not
run.")]
pub(crate) struct Args {
    /// Capture files of one device, `-` for standard input
    #[arg(value_name = "CAPTURE", required = true)]
    captures: Vec<String>,
    /// Where the solved profile goes, as TOML for any --profile
    #[arg(long, value_name = "FILE")]
    profile_out: Option<PathBuf>,
    /// The name of the solved profile
    #[arg(long, value_name = "NAME", default_value = "recovered")]
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let file = super::read(&args.captures)?;
    let mut report = recover::solve(&file);
    let mut out = output::stdout();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        explain::write(&mut out, &file.device, &report)?;
    }
    out.flush()?;
    if let Some(path) = &args.profile_out {
        match report.profile.take().filter(|_| report.verdict.is_settled()) {
            Some(mut profile) => {
                profile.name.clone_from(&args.name);
                output::write_file(path, profile.to_toml().as_bytes())?;
                eprintln!("profile {} is in {}", args.name, path.display());
            }
            None => eprintln!("no profile is written: the captures do not settle one"),
        }
    }
    Ok(if report.verdict.is_finding() { Outcome::Findings } else { Outcome::Fine })
}
