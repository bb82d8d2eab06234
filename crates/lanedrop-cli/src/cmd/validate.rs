//! `lanedrop validate`: every rule, every violation, each generation.

use std::io::Write;

use anyhow::Result;
use clap::Args as ClapArgs;
use lanedrop::isa::validate::{Report, Scope};
use lanedrop::isa::{Dropout, Generation, Word, opcode, validate};
use lanedrop::lint::{self, Lint};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use serde_json::json;

use crate::input::{InputArgs, Stream, Streams};
use crate::{Outcome, output};

/// Lists every rule that a record breaks, for each generation.
#[derive(ClapArgs)]
#[command(after_help = "\
Remarks (legal, but resting on an inferred claim or leaving the memory there
is) and lints (legal, but surely not meant) go to standard error, with --json
also into `remarks` and `lints`. They never change the exit status.

Examples:
  lanedrop validate dve.bin
  lanedrop validate model.neff --stream dve
  lanedrop validate dve.bin --gen v4 --json

Exit status: 0 all legal, 1 a record is illegal, 2 could not run.")]
pub(crate) struct Args {
    #[command(flatten)]
    input: InputArgs,
    /// v2, v3, v4, v5 or all
    #[arg(long = "gen", value_name = "GEN", default_value = "all", value_parser = generations)]
    generations: Generations,
    /// Writes a JSON array, one object a record and generation
    #[arg(long)]
    json: bool,
}

/// The generations to ask.
#[derive(Clone, Debug)]
struct Generations(Vec<Generation>);

/// Reads one generation, or `all`.
fn generations(text: &str) -> Result<Generations, String> {
    if text.eq_ignore_ascii_case("all") {
        return Ok(Generations(Generation::ALL.to_vec()));
    }
    let one = text.parse().map_err(|error| format!("{error}, or all"))?;
    Ok(Generations(vec![one]))
}

/// A report as an object of the JSON array.
struct Entry {
    offset: u64,
    report: Report,
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { offset, report } = self;
        let mut object = serializer.serialize_struct("Report", 8)?;
        object.serialize_field("offset", offset)?;
        object.serialize_field("opcode", &report.word.opcode())?;
        object.serialize_field("generation", &report.generation)?;
        object.serialize_field("legal", &report.is_legal())?;
        if report.checked == Scope::Header {
            object.serialize_field("checked", "header")?;
        }
        object.serialize_field("violations", &report.violations)?;
        object.serialize_field("remarks", &report.remarks)?;
        let lints: Vec<_> = lints(report)
            .iter()
            .map(|lint| json!({"lint": lint.name(), "says": lint.to_string()}))
            .collect();
        object.serialize_field("lints", &lints)?;
        object.end()
    }
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let streams = args.input.read()?;
    let Generations(generations) = &args.generations;
    // A reader that has seen enough does not make illegal records legal.
    let mut out = output::Patient::new(output::stdout());
    let outcome = if args.json {
        let (mut legal, mut remarks) = (true, Vec::new());
        let records = streams
            .parts()
            .iter()
            .flat_map(|stream| stream.records().map(move |record| (stream, record)));
        let entries = records.flat_map(|(stream, (offset, word))| {
            let reports: Vec<_> =
                generations.iter().map(|&generation| validate(&word, generation)).collect();
            legal &= reports.iter().all(Report::is_legal);
            remarks_of(&mut remarks, &place(stream, offset), &word, &reports);
            reports.into_iter().map(move |report| stream.keyed(Entry { offset, report }))
        });
        output::json_array(&mut out, entries)?;
        std::io::stderr().lock().write_all(&remarks)?;
        legal
    } else {
        text(&mut out, &streams, generations)?
    };
    out.flush()?;
    Ok(if outcome { Outcome::Fine } else { Outcome::Findings })
}

/// Writes records with violations, then counts; returns whether all is legal.
fn text(out: &mut impl Write, streams: &Streams, generations: &[Generation]) -> Result<bool> {
    let mut legal = true;
    for stream in streams.parts() {
        if let Some(heading) = stream.heading() {
            writeln!(out, "{heading}")?;
        }
        legal &= stream_text(out, stream, generations)?;
    }
    Ok(legal)
}

/// Writes the findings of one stream.
fn stream_text(out: &mut impl Write, stream: &Stream, generations: &[Generation]) -> Result<bool> {
    let mut counts = vec![0u64; generations.len()];
    let (mut records, mut header_only, mut remarks) = (0u64, 0u64, Vec::new());
    for (offset, word) in stream.records() {
        records += 1;
        let reports: Vec<_> =
            generations.iter().map(|&generation| validate(&word, generation)).collect();
        header_only += u64::from(reports.iter().any(|report| report.checked == Scope::Header));
        for (count, report) in counts.iter_mut().zip(&reports) {
            *count += u64::from(report.is_legal());
        }
        findings(out, offset, &word, &reports)?;
        remarks_of(&mut remarks, &place(stream, offset), &word, &reports);
    }
    out.flush()?;
    std::io::stderr().lock().write_all(&remarks)?;
    writeln!(out, "{records} record{}", if records == 1 { "" } else { "s" })?;
    for (generation, legal) in generations.iter().zip(&counts) {
        writeln!(out, "  {generation}: {legal} legal, {} illegal", records - legal)?;
    }
    if header_only > 0 {
        writeln!(out, "  {header_only} checked for header, events and opcode alone")?;
    }
    Ok(counts.iter().all(|&legal| legal == records))
}

/// Writes the violations of a record, generations with the same ones together.
fn findings(
    out: &mut impl Write,
    offset: u64,
    word: &Word,
    reports: &[Report],
) -> std::io::Result<()> {
    let blocks = together(reports, |report| {
        report
            .violations
            .iter()
            .map(|found| (found.rule.name, found.to_string(), found.rule.claim.tag()))
            .collect()
    });
    for (generations, lines) in blocks {
        writeln!(out, "0x{offset:04x}  {} on {}: illegal", name(word), generations.join(" "))?;
        let rules = lines.iter().map(|line| line.0.len()).max().unwrap_or(0);
        for (rule, text, tag) in &lines {
            writeln!(out, "  {rule:<rules$}  {text} ({tag})")?;
        }
    }
    Ok(())
}

/// Returns where a record is, for people.
fn place(stream: &Stream, offset: u64) -> String {
    let member = stream.member.as_ref().map(|member| format!("{member} ")).unwrap_or_default();
    format!("{member}0x{offset:04x}")
}

/// Adds the remarks and lints on a record, each once with its generations.
fn remarks_of(out: &mut Vec<u8>, place: &str, word: &Word, reports: &[Report]) {
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for report in reports {
        let remarks = report
            .remarks
            .iter()
            .map(|remark| format!("note: {} ({})", remark.at, remark.claim.tag()));
        let lints =
            lints(report).into_iter().map(|lint| format!("warning: {lint} [{}]", lint.name()));
        for text in remarks.chain(lints) {
            match lines.iter_mut().find(|line| line.0 == text) {
                Some(line) => line.1.push(report.generation.name()),
                None => lines.push((text, vec![report.generation.name()])),
            }
        }
    }
    for (text, generations) in lines {
        let (kind, text) = text.split_once(' ').unwrap_or(("", &text));
        let (name, on) = (name(word), generations.join(" "));
        let line = format!("{kind} {place} {name} on {on}: {text}\n");
        out.extend_from_slice(line.as_bytes());
    }
}

/// Returns what is legal in a record and surely not meant.
fn lints(report: &Report) -> Vec<Lint> {
    match Dropout::decode(&report.word) {
        Ok(dropout) if report.is_legal() => lint::instruction(&dropout, report.generation),
        _ => Vec::new(),
    }
}

/// A rule, what was found, and the standing of the claim behind it.
type Line = (&'static str, String, &'static str);

/// Returns the lines of each report that has some, and the generations that
/// have the same.
fn together(
    reports: &[Report],
    lines: impl Fn(&Report) -> Vec<Line>,
) -> Vec<(Vec<&'static str>, Vec<Line>)> {
    let mut blocks: Vec<(Vec<&str>, Vec<Line>)> = Vec::new();
    for report in reports {
        let lines = lines(report);
        if lines.is_empty() {
            continue;
        }
        match blocks.iter_mut().find(|block| block.1 == lines) {
            Some(block) => block.0.push(report.generation.name()),
            None => blocks.push((vec![report.generation.name()], lines)),
        }
    }
    blocks
}

/// Returns the name of a record's opcode.
fn name(word: &Word) -> String {
    match opcode::find(word.opcode()) {
        Some(code) => code.name.to_owned(),
        None => format!("opcode 0x{:02x}", word.opcode()),
    }
}
