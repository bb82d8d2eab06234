//! `lanedrop exec`: a program on the device model.

mod args;
mod arrays;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use lanedrop::asm;
use lanedrop::device::Device;
use lanedrop::exec::program::{Options, Silent, Stream, Summary, run as run_program, run_lowered};
use lanedrop::exec::{Backend, Element, Lowered, Region};
use lanedrop::isa::{Engine, Generation, Word};
use lanedrop::rng::{Lanes, Profile};

pub(crate) use args::Args;

use crate::cmd::lower::File as PlanFile;
use crate::cmd::run::OutFormat;
use crate::input::InputArgs;
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
    ensure!(args.memory.is_none(), "{name} is a plan for a tensor, which --memory has no part in");
    let text = std::fs::read(path).with_context(|| name.to_owned())?;
    let file: PlanFile = serde_json::from_slice(&text).with_context(|| name.to_owned())?;
    let program = path.with_file_name(&file.program);
    let words = streams(&program.to_string_lossy())?.own;
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
    let mut options = options(args);
    options.fp8_exp4_fn |= lowered.plan.element == Element::F8E4M3FN;
    let mut device = device(args, profile, lowered.plan.generation)?;
    let summary = run_lowered(&mut device, &lowered, &options, &mut Silent, src, dst)?;
    let state = save(args, device.lanes())?;
    drop(device);

    let written =
        Tensor { order: Order::C, big_endian: false, descr: None, ..input.tensor.clone() };
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
    let regions = match &args.map {
        Some(path) => {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path).with_context(|| name.clone())?;
            Region::map(&text).context(name)?
        }
        None => bail!("a program needs --map: which arrays are where in memory"),
    };
    let format = arrays::Format::of(&args.output)?;
    let mut device = device(args, profile, generation)?;
    if let Some(memory) = &args.memory {
        arrays::load(memory, &regions, &mut device.memory)?;
    }
    for (number, value) in &args.registers {
        device.registers.write(*number, *value)?;
    }
    for (index, value) in &args.semaphores {
        let index = u8::try_from(*index).context("semaphores are 0 to 255")?;
        device.sync.set_semaphore(index, *value);
    }
    let others: Vec<_> =
        others.iter().map(|(name, words)| Stream { name: name.as_str(), words }).collect();
    let options = Options { others: &others, ..options(args) };
    let summary = run_program(&mut device, &words, &options, &mut Silent)?;
    let state = save(args, device.lanes())?;
    arrays::save(format, &args.output, &regions, &device.memory)?;
    Ok((summary, state))
}

/// The records of a program, and those of other engines with what they are
/// called.
struct Records {
    own: Vec<Word>,
    others: Vec<(String, Vec<Word>)>,
}

/// Returns the records of a program: assembly text by its ending, else as
/// every verb reads them.
fn records(program: &str, generation: Generation) -> Result<Records> {
    if program.ends_with(".asm") || program.ends_with(".s") {
        let text = std::fs::read_to_string(program).with_context(|| program.to_owned())?;
        let own = asm::assemble(&text, generation)
            .map_err(|error| anyhow!("{program}, {}", error.with_source(&text)))?;
        return Ok(Records { own, others: Vec::new() });
    }
    streams(program)
}

/// Returns the records of a stream that stands alone, or of a NEFF's DVE.
fn streams(program: &str) -> Result<Records> {
    let streams = InputArgs { input: program.to_owned(), stream: None }.read()?;
    let (mut own, mut others) = (None, Vec::new());
    for part in streams.parts() {
        let words: Vec<Word> = part.records().map(|(_, word)| word).collect();
        match &part.member {
            None => own = Some(words),
            Some(_) if part.engine == Some(Engine::Dve) && own.is_none() => own = Some(words),
            Some(member) => others.push((member.clone(), words)),
        }
    }
    let own = own.with_context(|| format!("{program} has no stream of the DVE"))?;
    Ok(Records { own, others })
}

fn options(args: &Args) -> Options<'static> {
    Options {
        budget: args.budget,
        satisfy_waits: args.satisfy_waits,
        fp8_exp4_fn: args.fp8_exp4 == args::Fp8Exp4::Fn,
        backend: args.backend.unwrap_or_else(Backend::best),
        ..Options::default()
    }
}

fn device<'t>(args: &Args, profile: &Profile, generation: Generation) -> Result<Device<'t>> {
    let mut device = Device::new(generation, profile)?;
    if let Some(seed) = args.seed {
        device.seed(seed.into())?;
    }
    if let Some(path) = &args.state {
        let words = state::read(path, Shape::of(profile))?;
        let lanes = Lanes::from_words(profile, &words, 128);
        device.set_lanes(lanes.with_context(|| path.display().to_string())?)?;
    }
    Ok(device)
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
