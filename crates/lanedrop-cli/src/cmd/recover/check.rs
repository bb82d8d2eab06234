//! `lanedrop recover check`: does a device do what a profile says?

use std::io::Write;

use anyhow::Result;
use lanedrop::recover;
use lanedrop::rng::Profile;

use super::explain::chance;
use crate::{Outcome, output, profiles};

/// Hold captures against a profile: match, or where they first differ
#[derive(clap::Args)]
#[command(after_help = "\
Works for chosen lane words, for one seed a capture (by the profile's seeding
rule) and for unknown seeds, whose states are fitted to the first bits.

Examples:
  lanedrop recover check capture.json --profile trn1
  lanedrop recover check capture.json --profile mine.toml --json

Exit status: 0 match, 1 no match, 2 could not run.")]
pub(crate) struct Args {
    /// Capture files of one device, `-` for standard input
    #[arg(value_name = "CAPTURE", required = true)]
    captures: Vec<String>,
    /// Built-in profile or TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "trn1")]
    profile: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let file = super::read(&args.captures)?;
    let profile = profiles::load(&args.profile)?;
    let report = recover::check(&file, &profile, &Profile::builtins())?;
    let mut out = output::stdout();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        let name = &report.profile;
        if report.matches {
            writeln!(out, "{} is what profile {name} says.", file.device)?;
            writeln!(out, "All of {} elements agree.", report.compared)?;
            writeln!(
                out,
                "An unrelated device agrees so well {}.",
                chance(report.false_positive_log2)
            )?;
        } else {
            writeln!(out, "{} is not what profile {name} says.", file.device)?;
            writeln!(out, "{} of {} elements differ.", report.mismatches, report.compared)?;
            if let Some(first) = &report.first_mismatch {
                writeln!(
                    out,
                    "The first is element {} of lane {} in capture {}.",
                    first.element, first.lane, first.capture
                )?;
            }
        }
        writeln!(out, "Closest profiles: {}.", report.closest.join(", "))?;
    }
    out.flush()?;
    Ok(if report.matches { Outcome::Fine } else { Outcome::Findings })
}
