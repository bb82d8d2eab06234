//! `lanedrop trace --execute`: the same lines with the values of a run.

use std::io::Write;

use anyhow::Result;
use lanedrop::exec::program::{Options, Stop, Stream, run as run_program};
use lanedrop::exec::trace::Recorder;

use super::{Args, Traced, text, total_text, traced};
use crate::cmd::exec::{Records, records};
use crate::{Outcome, output, profiles};

/// Runs the program and writes each record as soon as it is done. A record
/// that stops it is written as far as it is known, before the error.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let profile = profiles::load(&args.profile)?;
    let Records { own: words, others } = records(&args.input.input, args.generation)?;
    let mut device = args.device.device(&profile, args.generation)?;
    args.device.fill(&args.device.regions()?, &mut device)?;
    let others: Vec<_> =
        others.iter().map(|(name, words)| Stream { name: name.as_str(), words }).collect();
    let options = Options { others: &others, ..args.device.options() };

    let mut out = output::stdout();
    let mut writer = Writer { args, out: &mut out, records: 0, dropouts: 0, cycles: 0 };
    let mut written = Ok(());
    let wants = (args.elements, args.channels);
    let mut recorder = Recorder::new(args.generation, &profile, wants, |record| {
        if written.is_ok() {
            let traced = Traced::new(args, record.offset_bytes, &record.word, record.lines);
            written = writer.record(&traced);
        }
    });
    let result = run_program(&mut device, &words, &options, &mut recorder);
    drop(recorder);
    written?;
    if let Err(Stop { offset_bytes, cause, .. }) = &result
        && let Some(word) = usize::try_from(offset_bytes / 64).ok().and_then(|at| words.get(at))
    {
        let stopped = Some(cause.to_string());
        writer.record(&Traced { stopped, ..traced(args, &profile, *offset_bytes, word) })?;
    }
    writer
        .end(result.as_ref().map_or_else(|stop| &stop.summary.assumptions, |s| &s.assumptions))?;
    out.flush()?;
    result?;
    Ok(Outcome::Fine)
}

/// Writes records as text or as a JSON array.
struct Writer<'a, W> {
    args: &'a Args,
    out: &'a mut W,
    records: u64,
    dropouts: u64,
    cycles: u64,
}

impl<W: Write> Writer<'_, W> {
    fn record(&mut self, traced: &Traced) -> Result<()> {
        self.records += 1;
        if let Some(cost) = &traced.cost {
            self.dropouts += 1;
            self.cycles = self.cycles.saturating_add(cost.cycles);
        }
        if self.args.json {
            let before = if self.records == 1 { "[\n" } else { ",\n" };
            write!(self.out, "{before}{}", serde_json::to_string(traced)?)?;
        } else {
            if self.records > 1 {
                writeln!(self.out)?;
            }
            text(self.out, traced)?;
        }
        Ok(())
    }

    /// Ends the array, or adds up what the whole program rests on and costs.
    fn end(
        &mut self,
        assumptions: &[&'static lanedrop::evidence::assumptions::Assumption],
    ) -> Result<()> {
        if self.args.json {
            writeln!(self.out, "{}", if self.records == 0 { "[]" } else { "\n]" })?;
            return Ok(());
        }
        for assumption in assumptions {
            writeln!(self.out, "\nassumed [{}]: {}", assumption.id, assumption.assumes)?;
        }
        if self.args.cost {
            writeln!(self.out, "\n{}", total_text(self.cycles, self.dropouts))?;
        }
        Ok(())
    }
}
