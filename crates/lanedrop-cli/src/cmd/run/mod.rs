//! `lanedrop run`: a dropout on a tensor in a file.

mod args;
mod pipeline;
mod plan;
mod progress;
mod report;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use lanedrop::exec::Runner;
use lanedrop::lint;

pub(crate) use args::{Args, Rate, backend, element, rate};
pub(crate) use plan::read_rates;

use crate::Outcome;
use crate::io::dtype;
use crate::io::input::{Input, Tensor};
use crate::io::npy::{NpyHeader, Order};
use crate::io::npz;
use crate::io::output::{Interrupts, Staged, apart, distinct, same_file};
use crate::io::safetensors;
use crate::state::{self, Shape};
use pipeline::{Sink, Sinks};
use plan::Plan;
use progress::Progress;
use report::Report;

/// Runs the verb.
///
/// Everything is read and checked before the first file is created; files are
/// renamed when all are complete, the state last.
pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let format = OutFormat::of(&args.output)?;
    let out = args.output.as_path();
    let source = args.tensor_path();
    let outputs = [
        ("-o", Some(out)),
        ("--mask", args.mask.as_deref()),
        ("--packed-mask", args.packed_mask.as_deref()),
        ("--save-state", args.start.save_state.as_deref()),
    ];
    distinct(&outputs)?;
    let inputs = [
        ("TENSOR", source.as_deref()),
        ("--rates", args.rates.as_deref()),
        ("--state", args.start.state.as_deref()),
        ("--profile", Some(Path::new(&args.profile))),
    ];
    apart(&inputs, &outputs, &[("TENSOR", "-o"), ("--state", "--save-state")])?;
    let mut input = Input::open(&args.tensor, args.dtype)?;
    if input.others > 0 && source.is_some_and(|source| same_file(&source, out)) {
        anyhow::bail!(
            "{}: holds {} other tensor{}, which -o would replace; write to another file",
            out.display(),
            input.others,
            if input.others == 1 { "" } else { "s" }
        );
    }
    let plan = Plan::new(args, &input.tensor)?;
    let mut lints = lint::run(&plan.facts());
    let mut runner = Runner::new(plan.job.clone(), plan.lanes.clone())?;
    report::say(args, &plan.remarks, &lints);

    let interrupts = Interrupts::watch();
    let tensor = input.tensor.clone();
    let mut sinks = Sinks {
        out: format.sink(out, &tensor)?,
        mask: args.mask.as_deref().map(|path| mask_sink(path, "|b1", &tensor.shape)).transpose()?,
        packed: args.packed_mask.as_deref().map(|path| packed_sink(path, &tensor)).transpose()?,
    };
    let progress = Progress::new(tensor.elements() * tensor.element.size_bytes() as u64);
    pipeline::run(&args.tensor, &mut input, &mut runner, &mut sinks, &progress, &interrupts)?;
    let state = match &args.start.save_state {
        Some(path) => {
            let lanes = runner.finish();
            Some(state::stage(path, Shape::of(lanes.profile()), lanes.words())?)
        }
        None => None,
    };
    format.finish(sinks.out, out)?.commit()?;
    for sink in [sinks.mask, sinks.packed].into_iter().flatten() {
        sink.file.commit()?;
    }
    if let Some(state) = state {
        state.commit()?;
    }
    let seconds = progress.finish();
    let after = lint::realised_rate(&plan.facts(), runner.kept(), runner.dropped());
    report::say(args, &[], after.as_slice());
    lints.extend(after);

    let report = Report { args, plan: &plan, tensor: &tensor, runner: &runner, lints, seconds };
    let mut stdout = std::io::stdout().lock();
    if args.json {
        writeln!(stdout, "{}", report.json())?;
    } else {
        write!(stdout, "{report}")?;
    }
    Ok(Outcome::Fine)
}

/// What the output is, by the ending of its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutFormat {
    Npy,
    Npz,
    Safetensors,
}

impl OutFormat {
    pub(crate) fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("npy") => Ok(Self::Npy),
            Some("npz") => Ok(Self::Npz),
            Some("safetensors") => Ok(Self::Safetensors),
            _ => anyhow::bail!(
                "{}: the ending says what to write, expected .npy, .npz or .safetensors",
                path.display()
            ),
        }
    }

    /// Creates the output beside its target and writes what stands before the
    /// elements. An `.npz` is first its array alone: the archive needs a sum of
    /// bytes that are not written in order.
    pub(crate) fn sink(self, path: &Path, tensor: &Tensor) -> Result<Sink> {
        let element = tensor.element;
        if self == Self::Safetensors {
            let dtype = dtype::safetensors_dtype(element).with_context(|| {
                format!("{}: .safetensors has no {}; write an .npy", path.display(), element.name())
            })?;
            let name = tensor.name.as_deref().unwrap_or("out");
            let len_bytes = tensor.elements() * element.size_bytes() as u64;
            let header = safetensors::header(name, dtype, &tensor.shape, len_bytes);
            return sink(path, &header, Order::C, false);
        }
        let descr = tensor.descr.as_deref().unwrap_or(dtype::npy_descr(element));
        let header =
            NpyHeader { descr: descr.into(), order: tensor.order, shape: tensor.shape.clone() };
        sink(path, &header.to_bytes(), tensor.order, tensor.big_endian)
    }

    /// Returns the complete output, to be put in its place.
    pub(crate) fn finish(self, sink: Sink, path: &Path) -> Result<Staged> {
        if self != Self::Npz {
            return Ok(sink.file);
        }
        let mut array = sink.file;
        let mut archive = Staged::beside(path)?;
        npz::write(array.file(), archive.file()).with_context(|| path.display().to_string())?;
        Ok(archive)
    }
}

fn sink(path: &Path, header: &[u8], order: Order, big_endian: bool) -> Result<Sink> {
    let mut file = Staged::beside(path)?;
    file.write(header)?;
    Ok(Sink { file, start: header.len() as u64, order, big_endian })
}

fn mask_sink(path: &Path, descr: &str, shape: &[u64]) -> Result<Sink> {
    let header = NpyHeader { descr: descr.into(), order: Order::C, shape: shape.to_vec() };
    sink(path, &header.to_bytes(), Order::C, false)
}

fn packed_sink(path: &Path, tensor: &Tensor) -> Result<Sink> {
    let mut shape = tensor.shape.clone();
    match shape.last_mut() {
        Some(last) => *last = last.div_ceil(8),
        // The mask of the one element of a tensor without axes.
        None => shape.push(1),
    }
    mask_sink(path, "|u1", &shape)
}
