//! `lanedrop evidence check`: the ledger against a firmware library.

use std::fs::File;
use std::io::Write;

use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use lanedrop::evidence::Basis;
use lanedrop::evidence::firmware::{
    self, Check, CheckState, FileKind, FirmwareReport, HashState, Origin,
};
use serde_json::json;

use crate::io::mapped::Mapped;
use crate::{Outcome, input, output};

/// Compares your own copy of the firmware library with the ledger's sites.
#[derive(ClapArgs)]
#[command(after_help = "\
FILE is libnrtucode_internal.so of the package aws-neuronx-gpsimd-customop-lib,
or one image cut out of it. Nothing is taken from it but the comparison.

Examples:
  lanedrop evidence check libnrtucode_internal.so
  lanedrop evidence check libnrtucode_internal.so --json | jq '.checks[] | select(.state == \"refuted\")'

Exit status: 0 nothing is refuted, 1 a site or slot is refuted, 2 could not run
(no such file, or none of the known images is in it).")]
pub(super) struct CheckArgs {
    /// The library, one image, or `-`
    file: String,
    /// Writes a JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &CheckArgs) -> Result<Outcome> {
    let report = match mapped(&args.file)? {
        Some(file) => firmware::check(file.bytes()),
        None => firmware::check(&input::read_all(&args.file)?),
    };
    let mut out = output::stdout();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&value(&report)?)?)?;
    } else {
        text(&mut out, &report)?;
    }
    out.flush()?;
    if report.kind == FileKind::NotRecognised {
        bail!("{}: none of the images that the ledger knows is in it", args.file);
    }
    let refuted = report.in_state(CheckState::Refuted).next().is_some();
    Ok(if refuted { Outcome::Findings } else { Outcome::Fine })
}

/// Returns the pages of a regular file; `None` for what can only be read.
fn mapped(path: &str) -> Result<Option<Mapped>> {
    let Ok(file) = File::open(path) else { return Ok(None) };
    let metadata = file.metadata().with_context(|| path.to_owned())?;
    if path == "-" || !metadata.is_file() || metadata.len() == 0 {
        return Ok(None);
    }
    Mapped::new(&file).map(Some).with_context(|| path.to_owned())
}

/// Returns the report as a JSON object, with the known build beside it.
fn value(report: &FirmwareReport) -> Result<serde_json::Value> {
    let mut object = serde_json::to_value(report)?;
    object["known_build"] = json!(firmware::CONTAINER);
    Ok(object)
}

/// Writes the file, the images, every site and slot, the claims and counts.
fn text(out: &mut impl Write, report: &FirmwareReport) -> std::io::Result<()> {
    let kind = match report.kind {
        FileKind::KnownBuild => {
            format!("the build the ledger was written from, of {}", firmware::CONTAINER.package)
        }
        FileKind::OtherBuild => "another build than the ledger was written from".into(),
        FileKind::CarvedImage(name) => format!("the image {name} alone"),
        FileKind::NotRecognised => "no firmware library that the ledger knows".into(),
    };
    writeln!(out, "{kind}")?;
    writeln!(out, "  {} bytes, sha256 {}", report.size_bytes, report.sha256)?;

    writeln!(out, "\nimages")?;
    for image in &report.images {
        let state = match image.state {
            HashState::Known => "known",
            HashState::Other => "other build",
            HashState::Unlisted => "no hash known",
            HashState::NotPresent => "not present",
        };
        let hash = image.sha256.as_deref().map_or("", |hash| &hash[..16]);
        let name = image.image.name;
        writeln!(out, "  {state:<13}  {name:<31}  {:#08x}  {hash}", image.image.offset_bytes)?;
    }

    for image in firmware::IMAGES {
        let mut lines = report.checks.iter().filter(|line| line.image == image.name).peekable();
        if lines.peek().is_some() {
            writeln!(out, "\n{}", image.name)?;
        }
        for line in lines {
            site(out, line)?;
        }
    }

    writeln!(out, "\nclaims")?;
    for claim in &report.claims {
        let known = claim.confirmed + claim.refuted + claim.not_present;
        writeln!(
            out,
            "  {:<11}  {:<26}  {} of {known} sites, {}",
            claim.state.name(),
            claim.claim.id,
            claim.confirmed,
            claim.standing
        )?;
    }
    counts(out, report)
}

/// Writes one site: state, place, what it is and what was found.
fn site(out: &mut impl Write, line: &Check) -> std::io::Result<()> {
    let origin = match (line.origin, line.basis) {
        (Origin::Unknown, _) => String::new(),
        (origin, Basis::Inferred) => format!(" ({}, reasoned)", origin.name()),
        (origin, _) => format!(" ({})", origin.name()),
    };
    writeln!(
        out,
        "  {:<11}  0x{:05x}  {}{origin}  {}",
        line.state.name(),
        line.offset_bytes,
        line.what,
        line.claim.id
    )?;
    match line.state {
        CheckState::Refuted => {
            writeln!(out, "{:24}expected {}", "", line.expected)?;
            writeln!(out, "{:24}found    {}", "", line.found)
        }
        CheckState::Shown => writeln!(out, "{:24}found    {}", "", line.found),
        CheckState::Confirmed | CheckState::NotPresent => Ok(()),
    }
}

/// Writes how many sites are in which state.
fn counts(out: &mut impl Write, report: &FirmwareReport) -> std::io::Result<()> {
    let count = |state| report.in_state(state).count();
    let settled =
        report.in_state(CheckState::Confirmed).filter(|line| line.basis == Basis::Inferred).count();
    writeln!(
        out,
        "\n{} sites: {} confirmed ({settled} of them were only reasoned), {} refuted, \
         {} not present, {} shown",
        report.checks.len(),
        count(CheckState::Confirmed),
        count(CheckState::Refuted),
        count(CheckState::NotPresent),
        count(CheckState::Shown)
    )
}
