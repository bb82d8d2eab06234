//! `lanedrop exec`: a program on the device model.

mod args;
mod arrays;
mod machine;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use lanedrop::exec::Lowered;
use lanedrop::exec::program::{Options, Silent, Stream, Summary, run as run_program, run_lowered};
use lanedrop::rng::{Lanes, Profile};

pub(crate) use args::{Args, DeviceArgs};
pub(crate) use machine::{Records, records};

use crate::cmd::lower::File as PlanFile;
use crate::cmd::run::OutFormat;
use crate::io::input::{Data, Input, Tensor};
use crate::io::npy::Order;
use crate::io::output::Staged;
use crate::state::Shape;
use crate::{Outcome, output, profiles, state};

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let profile = profiles::load(&args.profile)?;
    if let Some(remark) = profiles::impostor(&profile) {
        eprintln!("note: {remark}");
    }
    let (summary, device_state) = if args.program.ends_with(".json") {
        on_tensor(args, &profile)?
    } else {
        on_memory(args, &profile)?
    };
    if let Some(state) = device_state {
        state.commit()?;
    }
    report(args, &profile, &summary)?;
    Ok(Outcome::Fine)
}

/// Runs a lowered program, segment by segment, on a tensor.
fn on_tensor(args: &Args, profile: &Profile) -> Result<(Summary, Option<Staged>)> {
    let path = Path::new(&args.program);
    let name = args.program.as_str();
    let tensor = args
        .tensor
        .as_deref()
        .with_context(|| format!("{name} is a plan for a tensor: name the tensor with --tensor"))?;
    ensure!(
        args.device.memory.is_none(),
        "{name} is a plan for a tensor, which --memory has no part in"
    );
    let text = std::fs::read(path).with_context(|| name.to_owned())?;
    let file: PlanFile = serde_json::from_slice(&text).with_context(|| name.to_owned())?;
    let program = path.with_file_name(&file.program);
    let words = machine::streams(&program.to_string_lossy())?.own;
    let lowered = Lowered { words, plan: file.plan };
    if args.generation.is_some_and(|generation| generation != lowered.plan.generation) {
        bail!("{name} was lowered for {}", lowered.plan.generation);
    }

    let format = OutFormat::of(&args.output)?;
    let told = args.dtype.or(Some(lowered.plan.element));
    let mut input = Input::open(tensor, told)?;
    ensure!(
        input.tensor.element == lowered.plan.element,
        "{tensor} is of {}, the program is for {}",
        input.tensor.element.name(),
        lowered.plan.element.name()
    );
    ensure!(
        (input.tensor.rows(), input.tensor.row_len()) == (lowered.plan.rows, lowered.plan.row_len)
            || (input.tensor.elements() == 0 && lowered.plan.len_bytes() == Some(0)),
        "{tensor} has {} rows of {}, the program is for {} of {}",
        input.tensor.rows(),
        input.tensor.row_len(),
        lowered.plan.rows,
        lowered.plan.row_len
    );
    let held;
    let src: &[u8] = match &input.data {
        Data::Mapped { map, start, len, .. } if plain(&input.tensor) => {
            &map.bytes()[*start..*start + *len]
        }
        Data::Held { bytes, start, len } if plain(&input.tensor) => &bytes[*start..*start + *len],
        _ => {
            held = input.read_little().with_context(|| tensor.to_owned())?;
            &held
        }
    };
    // From the start of a line on, which is fastest to write.
    let mut room = vec![0; src.len() + 64];
    let first = room.as_ptr().align_offset(64).min(64);
    let dst = &mut room[first..first + src.len()];
    let options = args.device.options();
    let mut device = args.device.device(profile, lowered.plan.generation)?;
    let summary = run_lowered(&mut device, &lowered, &options, &mut Silent, src, dst)?;
    let state = save(args, device.lanes())?;
    drop(device);

    // As `run` would: the same bytes have the same name in the header.
    let descr = input.tensor.descr.clone().filter(|_| !input.tensor.big_endian);
    let written = Tensor { order: Order::C, big_endian: false, descr, ..input.tensor.clone() };
    let mut sink = format.sink(&args.output, &written)?;
    sink.file.write(&room[first..first + src.len()])?;
    format.finish(sink, &args.output)?.commit()?;
    Ok((summary, state))
}

/// Returns whether a tensor's bytes are its elements in the order of the draws.
fn plain(tensor: &Tensor) -> bool {
    tensor.is_contiguous() && !tensor.big_endian
}

/// Runs a stream on memory that is filled from arrays and read out to others.
fn on_memory(args: &Args, profile: &Profile) -> Result<(Summary, Option<Staged>)> {
    ensure!(
        args.tensor.is_none(),
        "--tensor goes with a plan of `lanedrop lower` (NAME.json); a program takes --memory"
    );
    let generation = args.generation.unwrap_or_default();
    let Records { own: words, others } = records(&args.program, generation)?;
    ensure!(args.device.map.is_some(), "a program needs --map: which arrays are where in memory");
    let regions = args.device.regions()?;
    let format = arrays::Format::of(&args.output)?;
    let mut device = args.device.device(profile, generation)?;
    args.device.fill(&regions, &mut device)?;
    let others: Vec<_> =
        others.iter().map(|(name, words)| Stream { name: name.as_str(), words }).collect();
    let options = Options { others: &others, ..args.device.options() };
    let summary = run_program(&mut device, &words, &options, &mut Silent)?;
    let state = save(args, device.lanes())?;
    arrays::save(format, &args.output, &regions, &device.memory)?;
    Ok((summary, state))
}

fn save(args: &Args, lanes: &Lanes) -> Result<Option<Staged>> {
    let stage = |path| state::stage(path, Shape::of(lanes.profile()), lanes.words());
    args.save_state.as_deref().map(stage).transpose()
}

fn report(args: &Args, profile: &Profile, summary: &Summary) -> Result<()> {
    let assumptions: Vec<_> = summary.assumptions.iter().map(|a| a.id).collect();
    let mut out = output::stdout();
    if args.json {
        let result = serde_json::json!({
            "profile": profile.name,
            "assumptions": profiles::assumed(profile),
            "device_assumptions": assumptions,
            "executed": summary.executed,
            "passed_over": summary.passed_over,
            "waits_passed": summary.waits_passed,
            "steps": summary.steps,
            "kept": summary.kept,
            "dropped": summary.dropped,
            "halted": summary.halted,
        });
        writeln!(out, "{result}")?;
    } else {
        writeln!(
            out,
            "{} records executed, {} passed over; {} kept, {} dropped",
            summary.executed, summary.passed_over, summary.kept, summary.dropped
        )?;
        if summary.waits_passed > 0 {
            writeln!(out, "{} waits were let pass", summary.waits_passed)?;
        }
        writeln!(out, "profile {}", profile.name)?;
        for assumption in &summary.assumptions {
            writeln!(out, "assumed [{}]: {}", assumption.id, assumption.assumes)?;
        }
    }
    out.flush()?;
    Ok(())
}
