//! `lanedrop trace`: what the firmware does with each record.

mod executed;

use std::io::Write;

use anyhow::{Result, ensure};
use clap::Args as ClapArgs;
use lanedrop::exec::cost::{self, Estimate};
use lanedrop::exec::trace::{self, Line};
use lanedrop::isa::{Dropout, Generation, TypedError, Word, opcode};
use lanedrop::rng::Profile;
use serde::Serialize;

use crate::input::InputArgs;
use crate::{Outcome, output, profiles};

/// Steps through records: dispatch, handler frame, workers, vector loop.
#[derive(ClapArgs)]
#[command(after_help = "\
Each line has its standing and the claim it rests on (see lanedrop evidence
show); a contested one is followed by both sides. Addresses are those of the v3
firmware that was read.

With --execute the program runs on the device model as by lanedrop exec, and the
lines have the values of that run: thresholds from memory, draws, uniforms and
decisions of the first elements, what was written. IN may be assembly then
(.asm, .s); of a NEFF the DVE's stream runs.

Examples:
  lanedrop trace dve.bin
  lanedrop trace model.neff --stream dve --cost
  lanedrop trace tile.asm --execute --seed 42 --elements 8 --map tile.toml --memory in.npz
  lanedrop trace dve.bin --json | jq '.[].lines[] | select(.stage == \"frame\")'

Exit status: 0 fine, 2 could not run (no such file, bytes left over), or with
--execute the program stopped; the message says at which record and why.")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// The generation the records are for
    #[arg(long = "gen", value_name = "GEN", default_value = "v3")]
    generation: Generation,
    /// Built-in profile or TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "trn1")]
    profile: String,
    /// Adds an estimate of each Dropout's cycles
    #[arg(long)]
    cost: bool,
    /// Writes a JSON array, one object a record
    #[arg(long)]
    json: bool,
    /// Runs the program, and shows the values it has
    #[arg(long, conflicts_with = "stream")]
    execute: bool,
    /// Elements of a channel whose draws are shown
    #[arg(long, value_name = "N", default_value_t = 4, requires = "execute")]
    elements: u64,
    /// Channels whose draws are shown
    #[arg(long, value_name = "N", default_value_t = 1, requires = "execute",
        value_parser = clap::value_parser!(u8).range(0..=128))]
    channels: u8,
    #[command(flatten, next_help_heading = "With --execute")]
    device: super::exec::DeviceArgs,
}

/// One record and what is known of its way.
#[derive(Serialize)]
struct Traced {
    offset: u64,
    opcode: u8,
    name: Option<&'static str>,
    lines: Vec<Line>,
    /// Why the record has no lines of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Why the program stopped here.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Cost>,
}

/// An estimate as a JSON object.
#[derive(Serialize)]
struct Cost {
    cycles: u64,
    elements_per_partition: u64,
    estimate: bool,
    claim: &'static str,
    standing: &'static str,
}

impl From<Estimate> for Cost {
    fn from(estimate: Estimate) -> Self {
        Self {
            cycles: estimate.cycles,
            elements_per_partition: estimate.elements_per_partition,
            estimate: true,
            claim: estimate.claim.id,
            standing: estimate.claim.tag(),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    if args.execute {
        return executed::run(args);
    }
    ensure!(
        !args.device.is_given(),
        "what the device holds at first matters to a program that runs: add --execute"
    );
    let streams = args.input.read()?;
    let profile = profiles::load(&args.profile)?;
    let mut out = output::stdout();
    if args.json {
        let records = streams.parts().iter().flat_map(|stream| {
            let profile = &profile;
            stream
                .records()
                .map(move |(offset, word)| stream.keyed(traced(args, profile, offset, &word)))
        });
        output::json_array(&mut out, records)?;
        out.flush()?;
        return Ok(Outcome::Fine);
    }
    let mut blank = "";
    let (mut dropouts, mut cycles) = (0u64, 0u64);
    for stream in streams.parts() {
        if let Some(heading) = stream.heading() {
            writeln!(out, "{blank}{heading}")?;
            blank = "\n";
        }
        for (offset, word) in stream.records() {
            let traced = traced(args, &profile, offset, &word);
            write!(out, "{blank}")?;
            text(&mut out, &traced)?;
            blank = "\n";
            if let Some(cost) = &traced.cost {
                dropouts += 1;
                cycles = cycles.saturating_add(cost.cycles);
            }
        }
    }
    if args.cost {
        writeln!(out, "{blank}{}", total_text(cycles, dropouts))?;
    }
    out.flush()?;
    Ok(Outcome::Fine)
}

/// Returns the sum of the estimates as a sentence that calls it one.
pub(crate) fn total_text(cycles: u64, dropouts: u64) -> String {
    let plural = if dropouts == 1 { "" } else { "s" };
    format!(
        "about {cycles} cycles for {dropouts} DROPOUT record{plural}: an estimate, max({}, \
         elements of a partition) each",
        cost::MIN_CYCLES
    )
}

/// Returns what is known of the way of one record.
fn traced(args: &Args, profile: &Profile, offset: u64, word: &Word) -> Traced {
    let typed = Dropout::decode(word);
    let (lines, error) = match &typed {
        Ok(dropout) => (trace::dropout(dropout, args.generation, profile), None),
        Err(TypedError::Opcode { .. }) => (trace::other(word), None),
        Err(error) => (trace::other(word), Some(error.to_string())),
    };
    Traced { error, ..Traced::new(args, offset, word, lines) }
}

impl Traced {
    /// Returns a record with its lines.
    fn new(args: &Args, offset: u64, word: &Word, lines: Vec<Line>) -> Self {
        let dropout = Dropout::decode(word).ok().filter(|_| args.cost);
        let estimate = dropout.and_then(|dropout| {
            let src = dropout.src_mem_pattern;
            (!src.start_addr.is_shape_register()).then(|| cost::dropout(src.num_elements()))
        });
        Self {
            offset,
            opcode: word.opcode(),
            name: opcode::find(word.opcode()).map(|code| code.name),
            lines,
            error: None,
            stopped: None,
            cost: estimate.map(Cost::from),
        }
    }
}

/// Writes one record.
fn text(out: &mut impl Write, traced: &Traced) -> std::io::Result<()> {
    let Traced { offset, opcode, name, lines, error, stopped, cost } = traced;
    match name {
        Some(name) => writeln!(out, "0x{offset:04x}  {name} (0x{opcode:02x})")?,
        None => writeln!(out, "0x{offset:04x}  opcode 0x{opcode:02x} without a name")?,
    }
    if let Some(error) = error {
        writeln!(out, "  not traced: {error}")?;
    }
    for line in lines {
        write!(out, "{line}")?;
    }
    if let Some(stopped) = stopped {
        writeln!(out, "  stopped   {stopped}")?;
    }
    if let Some(cost) = cost {
        writeln!(
            out,
            "  cost      about {} cycles, an estimate for {} elements of a partition  ({}, {})",
            cost.cycles, cost.elements_per_partition, cost.standing, cost.claim
        )?;
    }
    Ok(())
}
