//! `lanedrop profile`: list, show and check profiles.

use std::io::Write;

use anyhow::{Context, Result};
use clap::Subcommand;
use lanedrop::rng::{Field, Profile};
use serde_json::{Value, json};

use crate::{Outcome, output, profiles};

/// List, show and check profiles: ways in which a device's generator could work
#[derive(clap::Args, Debug)]
#[command(after_help = "\
A profile decides what the evidence leaves open. It is a built-in name or a TOML
file; `show` prints one as TOML that can be changed and given back to any
--profile.

Examples:
  lanedrop profile list
  lanedrop profile show trn1 > mine.toml
  lanedrop profile check mine.toml

Exit status: 0 fine, 2 could not run (a file that is no profile included).")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// List the built-in profiles
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a profile with the standing of each field
    Show {
        /// Built-in profile or TOML file
        #[arg(value_name = "NAME|FILE")]
        profile: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Read a profile and tell what it does and what it leaves assumed
    Check {
        /// Built-in profile or TOML file
        #[arg(value_name = "NAME|FILE")]
        profile: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let mut out = output::stdout();
    match &args.action {
        Action::List { json: true } => {
            let all: Vec<_> = Profile::builtins().iter().map(Profile::to_json).collect();
            writeln!(out, "{:#}", Value::Array(all))?;
        }
        Action::List { json: false } => list(&mut out)?,
        Action::Show { profile, json } => {
            let profile = profiles::load(profile)?;
            if *json {
                writeln!(out, "{:#}", profile.to_json())?;
            } else {
                if let Some(about) = profile.about() {
                    writeln!(out, "# {about}")?;
                }
                write!(out, "{}", profile.to_annotated_toml())?;
            }
        }
        Action::Check { profile: named, json } => {
            let profile = profiles::load(named)?;
            let remarks = remarks(&profile);
            if *json {
                let profile = profile.to_json();
                writeln!(out, "{:#}", json!({ "profile": profile, "remarks": remarks }))?;
            } else {
                check(&mut out, &profile)?;
            }
            remarks.iter().for_each(|remark| eprintln!("{remark}"));
        }
    }
    out.flush().context("standard output")?;
    Ok(Outcome::Fine)
}

fn list(out: &mut impl Write) -> Result<()> {
    let rows: Vec<[String; 4]> = Profile::builtins()
        .iter()
        .map(|profile| {
            let assumed = profile.assumptions().len();
            let registers = match profile.registers_per_lane {
                1 => String::new(),
                n => format!(", {n} registers"),
            };
            [
                profile.name.clone(),
                format!("{}{registers}", profile.recurrence),
                format!("{assumed} of {}", Field::ALL.len()),
                profile.about().unwrap_or("").to_owned(),
            ]
        })
        .collect();
    let headings = ["name", "recurrence", "assumed", "what it is"].map(String::from);
    let widths = [0, 1, 2].map(|column| {
        rows.iter().chain([&headings]).map(|row| row[column].chars().count()).max().unwrap_or(0)
    });
    for row in [&headings].into_iter().chain(&rows) {
        for (cell, width) in row.iter().zip(widths) {
            write!(out, "{cell:<width$}  ")?;
        }
        writeln!(out, "{}", row[3])?;
    }
    Ok(())
}

fn check(out: &mut impl Write, profile: &Profile) -> Result<()> {
    let words = match profile.words_per_lane() {
        1 => "1 word".into(),
        n => format!("{n} words"),
    };
    let steps = match profile.steps_per_draw {
        1 => "1 step".into(),
        n => format!("{n} steps"),
    };
    writeln!(out, "profile     {}", profile.name)?;
    writeln!(out, "recurrence  {}", profile.recurrence)?;
    writeln!(out, "a lane      {words} of state")?;
    writeln!(out, "a draw      {steps}, the state {} them", profile.draw.as_str())?;
    writeln!(out, "element     {}, then {}", profile.uniform.as_str(), profile.compare.as_str())?;
    let [known, assumed] = [false, true].map(|wanted| {
        let assumed = profiles::assumed(profile);
        let fields = Field::ALL.into_iter().map(Field::as_str);
        let some: Vec<_> = fields.filter(|field| assumed.contains(field) == wanted).collect();
        if some.is_empty() { "nothing".into() } else { some.join(", ") }
    });
    writeln!(out, "known       {known}")?;
    writeln!(out, "assumed     {assumed}")?;
    Ok(())
}

/// Returns what is legal in a profile and worth knowing.
fn remarks(profile: &Profile) -> Vec<String> {
    let mut remarks: Vec<String> = profiles::impostor(profile).into_iter().collect();
    let Some(map) = profile.draw_map() else { return remarks };
    let lost = 32 - map.rank();
    if lost > 0 {
        remarks.push(format!(
            "a draw forgets: 2^{lost} states have one successor, so streams cannot be run backwards"
        ));
    }
    if let Some(fixed) = map.fixed_points() {
        remarks.push(match fixed.directions.len() {
            0 => format!("a register in state {:08x} is locked up: it stays there", fixed.smallest),
            n => format!("2^{n} states are locked up, {:08x} among them", fixed.smallest),
        });
    }
    remarks
}
