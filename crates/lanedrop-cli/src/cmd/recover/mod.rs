//! `lanedrop recover`: which generator does a device have?

use anyhow::{Context, Result};
use clap::Subcommand;
use lanedrop::recover::CaptureFile;

use crate::{Outcome, input};

mod check;
mod explain;
mod plan;
mod simulate;
mod solve;

/// Find out which generator a device has, from its masks
#[derive(clap::Args)]
#[command(after_help = "\
A capture file (dropout-capture/1, docs/recover.md) holds masks or raw draws of
one device. `plan` says what to capture, `simulate` makes captures of devices
that do not exist, `check` holds captures against a profile, and `solve` finds
the recurrence.

Examples:
  lanedrop recover plan -o plan
  lanedrop recover simulate --profile trn1 -o capture.json
  lanedrop recover check capture.json --profile trn1
  lanedrop recover solve capture.json --profile-out mine.toml

Exit status: 0 fine, 1 no match, or captures that are rejected or say too
little, 2 could not run.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Check(check::Args),
    Plan(plan::Args),
    Solve(solve::Args),
    Simulate(Box<simulate::Args>),
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    match &args.action {
        Action::Check(args) => check::run(args),
        Action::Plan(args) => plan::run(args),
        Action::Solve(args) => solve::run(args),
        Action::Simulate(args) => simulate::run(args),
    }
}

/// Reads capture files of one device as one.
fn read(files: &[String]) -> Result<CaptureFile> {
    let mut whole: Option<CaptureFile> = None;
    for name in files {
        let bytes = input::read_all(name)?;
        let text = String::from_utf8(bytes).with_context(|| format!("{name} is no text"))?;
        let file = CaptureFile::parse(&text).with_context(|| name.clone())?;
        match &mut whole {
            Some(whole) => whole.extend(file).with_context(|| name.clone())?,
            None => whole = Some(file),
        }
    }
    whole.context("no capture file")
}
