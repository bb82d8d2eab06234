//! `lanedrop evidence`: the ledger of claims and assumptions.

use std::io::Write;

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, Subcommand};
use lanedrop::evidence::assumptions::{self, Assumption};
use lanedrop::evidence::{Basis, Claim, Confidence, Filter, Standing, WallKind, claims};
use serde_json::json;

use crate::{Outcome, output};

mod check;

/// Shows what is known, from where, and how surely.
#[derive(ClapArgs)]
#[command(after_help = "\
Examples:
  lanedrop evidence list --contested
  lanedrop evidence list --wall closable-with-hardware
  lanedrop evidence list --confidence LOW,MED --basis INFERRED --json
  lanedrop evidence show no-survivor-scale
  lanedrop evidence check libnrtucode_internal.so

Exit status: 0 fine, 1 check found a refuted site, 2 could not run (no such claim).")]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Lists the claims that pass every filter given
    List(ListArgs),
    /// Lists what the model assumes where the evidence leaves a question open
    Assumptions(AssumptionsArgs),
    /// Compares your own copy of the firmware library with the ledger
    Check(check::CheckArgs),
    /// Shows one claim or assumption: source, conflicts, and what would settle it
    Show(ShowArgs),
}

#[derive(ClapArgs)]
struct ListArgs {
    /// HIGH, MED, LOW, or several with commas
    #[arg(long, value_name = "LEVEL", value_delimiter = ',', ignore_case = true,
          value_parser = PossibleValuesParser::new(Confidence::ALL.map(Confidence::name)))]
    confidence: Vec<String>,
    /// OBSERVED, INFERRED, CARRIED, or several with commas
    #[arg(long, value_name = "BASIS", value_delimiter = ',', ignore_case = true,
          value_parser = PossibleValuesParser::new(Basis::ALL.map(Basis::name)))]
    basis: Vec<String>,
    /// Claims behind a wall, of any kind or of this one
    #[arg(long, value_name = "KIND", num_args = 0..=1, default_missing_value = "any",
          value_parser = PossibleValuesParser::new(WALLS))]
    wall: Option<String>,
    /// Claims that other sources contest
    #[arg(long)]
    contested: bool,
    /// Claims that other facts refute
    #[arg(long)]
    refuted: bool,
    /// Claims with this text in id, statement, source or conflicts
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Writes a JSON array
    #[arg(long)]
    json: bool,
}

/// What `--wall` takes.
const WALLS: [&str; 6] = [
    "any",
    WallKind::ClosableWithCorpus.name(),
    WallKind::ClosableWithLicense.name(),
    WallKind::ClosableWithHardware.name(),
    WallKind::ClosableWithStatic.name(),
    WallKind::Fundamental.name(),
];

#[derive(ClapArgs)]
struct AssumptionsArgs {
    /// Writes a JSON array
    #[arg(long)]
    json: bool,
}

#[derive(ClapArgs)]
struct ShowArgs {
    /// The id of a claim or an assumption
    id: String,
    /// Writes a JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    match &args.verb {
        Verb::List(args) => list(args),
        Verb::Assumptions(args) => list_assumptions(args),
        Verb::Check(args) => check::run(args),
        Verb::Show(args) => show(args),
    }
}

impl ListArgs {
    /// Returns the filter these arguments ask for.
    fn filter(&self) -> Filter {
        let pick = |names: &[String], name: &str| {
            names.iter().any(|given| given.eq_ignore_ascii_case(name))
        };
        let mut standing = Vec::new();
        if self.contested {
            standing.push(Standing::Contested);
        }
        if self.refuted {
            standing.push(Standing::Refuted);
        }
        let wall = self.wall.as_deref();
        Filter {
            confidence: Confidence::ALL
                .into_iter()
                .filter(|level| pick(&self.confidence, level.name()))
                .collect(),
            basis: Basis::ALL.into_iter().filter(|basis| pick(&self.basis, basis.name())).collect(),
            standing,
            wall: WallKind::ALL.into_iter().filter(|kind| wall == Some(kind.name())).collect(),
            any_wall: wall == Some("any"),
            text: self.text.clone(),
        }
    }
}

fn list(args: &ListArgs) -> Result<Outcome> {
    let json = args.json;
    let filter = args.filter();
    let found: Vec<_> = filter.apply(claims::all()).collect();
    let mut out = output::stdout();
    if json {
        output::json_array(&mut out, found)?;
    } else {
        for claim in &found {
            writeln!(out, "{}  {}", claim.id, claim.tag())?;
            writeln!(out, "    {}", claim.says)?;
        }
        writeln!(out, "{} of {} claims", found.len(), claims::all().count())?;
    }
    out.flush()?;
    Ok(Outcome::Fine)
}

fn list_assumptions(args: &AssumptionsArgs) -> Result<Outcome> {
    let mut out = output::stdout();
    if args.json {
        output::json_array(&mut out, assumptions::all().map(assumption_json))?;
    } else {
        for assumption in assumptions::all() {
            writeln!(out, "{}", assumption.id)?;
            writeln!(out, "    {}", assumption.assumes)?;
        }
    }
    out.flush()?;
    Ok(Outcome::Fine)
}

fn show(args: &ShowArgs) -> Result<Outcome> {
    let mut out = output::stdout();
    let pretty = |out: &mut dyn Write, value: serde_json::Value| -> std::io::Result<()> {
        writeln!(out, "{value:#}")
    };
    match (claims::find(&args.id), assumptions::find(&args.id)) {
        (Some(claim), _) if args.json => pretty(&mut out, serde_json::to_value(claim)?)?,
        (Some(claim), _) => write_claim(&mut out, claim)?,
        (None, Some(assumption)) if args.json => pretty(&mut out, assumption_json(assumption))?,
        (None, Some(assumption)) => write_assumption(&mut out, assumption)?,
        (None, None) => bail!(
            "no claim or assumption is called `{}`; \
             `lanedrop evidence list` and `lanedrop evidence assumptions` name them all",
            args.id
        ),
    }
    out.flush()?;
    Ok(Outcome::Fine)
}

/// Returns an assumption as a JSON object.
fn assumption_json(assumption: &Assumption) -> serde_json::Value {
    let claims: Vec<_> = assumption.claims.iter().map(|claim| claim.id).collect();
    json!({
        "id": assumption.id,
        "assumes": assumption.assumes,
        "because": assumption.because,
        "settled_by": assumption.settled_by,
        "claims": claims,
    })
}

/// Writes all there is to say about an assumption.
fn write_assumption(out: &mut impl Write, assumption: &Assumption) -> std::io::Result<()> {
    writeln!(out, "{}  assumption", assumption.id)?;
    writeln!(out, "  assumes    {}", assumption.assumes)?;
    writeln!(out, "  because    {}", assumption.because)?;
    writeln!(out, "  settled by {}", assumption.settled_by)?;
    for (index, claim) in assumption.claims.iter().enumerate() {
        let title = if index == 0 { "rests on" } else { "" };
        writeln!(out, "  {title:<9}  {}  {}", claim.id, claim.tag())?;
    }
    Ok(())
}

/// Writes all there is to say about a claim.
fn write_claim(out: &mut impl Write, claim: &Claim) -> std::io::Result<()> {
    writeln!(out, "{}  {}", claim.id, claim.tag())?;
    writeln!(out, "  says       {}", claim.says)?;
    writeln!(out, "  source     {}", claim.source)?;
    for (index, conflict) in claim.conflicts.iter().enumerate() {
        writeln!(out, "  {:<9}  {conflict}", if index == 0 { "conflicts" } else { "" })?;
    }
    if let Some(wall) = claim.wall {
        writeln!(out, "  wall       {}", wall.kind.name())?;
        writeln!(out, "  closed by  {}", wall.closes)?;
    }
    Ok(())
}
