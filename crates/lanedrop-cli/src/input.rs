//! Instruction input: what bytes an argument or a file stands for.
//!
//! An argument of 128 hex digits that is no file is one record. A file, or
//! standard input for `-`, holds hex text, a raw stream of records, or a NEFF
//! with a stream for each engine.

use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use clap::Args as ClapArgs;
use lanedrop::isa::{Engine, Word, words};
use lanedrop::neff::{self, EngineStream, Limits};

/// Hex digits of one record.
const WORD_DIGITS: usize = 128;

/// Where the records come from.
#[derive(ClapArgs)]
pub(crate) struct InputArgs {
    /// 128 hex digits, a file of hex text or raw records, a NEFF, or `-`
    #[arg(value_name = "IN")]
    pub(crate) input: String,
    /// Of a NEFF, the streams of this member or engine alone
    #[arg(long, value_name = "NAME")]
    pub(crate) stream: Option<String>,
}

/// Streams of records, read whole: one, or those of a NEFF.
pub(crate) struct Streams {
    parts: Vec<Stream>,
}

/// One stream of records.
pub(crate) struct Stream {
    /// The member of a NEFF that it is; none for a file of its own.
    pub(crate) member: Option<String>,
    /// The engine that the member's name stands for.
    pub(crate) engine: Option<Engine>,
    bytes: Vec<u8>,
}

impl InputArgs {
    /// Reads the records that the input stands for, and says on standard error
    /// what reads oddly in a NEFF.
    pub(crate) fn read(&self) -> anyhow::Result<Streams> {
        let Self { input, stream } = self;
        let is_record =
            input.len() == WORD_DIGITS && input.bytes().all(|digit| digit.is_ascii_hexdigit());
        if is_record && !Path::new(input).exists() {
            return Streams::of_one(hex_bytes(input)?, stream.as_deref());
        }
        let name = if input == "-" { "standard input" } else { input };
        let content = read_all(input)?;
        if neff::is_neff(&content) {
            return Streams::of_neff(&content, stream.as_deref()).with_context(|| name.to_owned());
        }
        let bytes = records_of(content).with_context(|| name.to_owned())?;
        if let Err(leftover) = words(&bytes) {
            let hint = if is_text(&bytes) {
                " (this is text that is not hex; `lanedrop assemble` reads assembly)"
            } else {
                ""
            };
            bail!("{name}: {leftover}{hint}");
        }
        Streams::of_one(bytes, stream.as_deref()).with_context(|| name.to_owned())
    }
}

impl Streams {
    /// Returns a stream that stands alone.
    fn of_one(bytes: Vec<u8>, wanted: Option<&str>) -> anyhow::Result<Self> {
        if let Some(wanted) = wanted {
            bail!("--stream {wanted} chooses among the streams of a NEFF, and this is one stream");
        }
        Ok(Self { parts: vec![Stream { member: None, engine: None, bytes }] })
    }

    /// Returns the streams of a NEFF, or those that `wanted` names.
    fn of_neff(content: &[u8], wanted: Option<&str>) -> anyhow::Result<Self> {
        let neff = neff::read(content, &Limits::default())?;
        let mut notes = std::io::stderr().lock();
        for note in &neff.notes {
            writeln!(notes, "note: {note}")?;
        }
        let chosen: Vec<EngineStream> = match wanted {
            None => neff.streams,
            Some(wanted) => {
                let chosen: Vec<_> = neff.named(wanted).cloned().collect();
                if chosen.is_empty() {
                    let all: Vec<_> = neff.streams.iter().map(|s| s.member.as_str()).collect();
                    bail!("no stream is named {wanted}; there are {}", all.join(", "));
                }
                chosen
            }
        };
        let part =
            |EngineStream { member, engine, bytes }| Stream { member: Some(member), engine, bytes };
        Ok(Self { parts: chosen.into_iter().map(part).collect() })
    }

    /// Returns the streams, the DVE's first.
    pub(crate) fn parts(&self) -> &[Stream] {
        &self.parts
    }
}

impl Stream {
    /// Returns the records with their offsets in the stream.
    pub(crate) fn records(&self) -> impl Iterator<Item = (u64, Word)> + '_ {
        let (chunks, _) = self.bytes.as_chunks();
        (0u64..).step_by(64).zip(chunks.iter().map(|chunk| Word(*chunk)))
    }

    /// Returns a heading for a member of a NEFF: name, engine, how many records.
    pub(crate) fn heading(&self) -> Option<String> {
        let member = self.member.as_ref()?;
        let records = self.bytes.len() / 64;
        let plural = if records == 1 { "" } else { "s" };
        Some(format!("{member} ({}), {records} record{plural}", self.engine_name()))
    }

    /// Returns the engine's name, or `unknown`.
    pub(crate) fn engine_name(&self) -> &'static str {
        self.engine.map_or("unknown", Engine::name)
    }
}

/// A record of one stream as a JSON object, with the stream's keys where the
/// input is a NEFF.
#[derive(serde::Serialize)]
pub(crate) struct InStream<'a, T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<&'static str>,
    #[serde(flatten)]
    pub(crate) record: T,
}

impl Stream {
    /// Returns `record` with the keys of this stream.
    pub(crate) fn keyed<T>(&self, record: T) -> InStream<'_, T> {
        let engine = self.member.as_ref().map(|_| self.engine_name());
        InStream { stream: self.member.as_deref(), engine, record }
    }
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read_all(argument: &str) -> anyhow::Result<Vec<u8>> {
    if argument == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("standard input")?;
        return Ok(bytes);
    }
    std::fs::read(argument).with_context(|| {
        let digits = argument.len();
        if digits > 8 && argument.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            format!("{argument} is no file, and a record is {WORD_DIGITS} hex digits, not {digits}")
        } else {
            argument.to_owned()
        }
    })
}

/// Returns the bytes of the records in a file's content.
fn records_of(content: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    match hex_text(&content) {
        Some(digits) => hex_bytes(&digits),
        None => Ok(content),
    }
}

/// Returns the digits of hex text, without white space, `0x` and comments;
/// `None` when the content is anything else.
fn hex_text(content: &[u8]) -> Option<String> {
    // A raw record can start with `#`, but not go on as a comment would.
    let text = std::str::from_utf8(content).ok().filter(|_| is_text(content))?;
    let mut digits = String::with_capacity(text.len());
    for line in text.lines() {
        let code = line.split('#').next().unwrap_or("");
        for token in code.split_whitespace() {
            let token = token.strip_prefix("0x").or(token.strip_prefix("0X")).unwrap_or(token);
            if !token.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            digits.push_str(token);
        }
    }
    Some(digits)
}

/// Returns whether the content is text: UTF-8 without control characters.
fn is_text(content: &[u8]) -> bool {
    let plain = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    std::str::from_utf8(content).is_ok_and(|text| text.chars().all(plain))
}

/// Returns the bytes of hex digits.
fn hex_bytes(digits: &str) -> anyhow::Result<Vec<u8>> {
    ensure!(
        digits.len().is_multiple_of(2),
        "{} hex digits are {} bytes and half a byte left over",
        digits.len(),
        digits.len() / 2
    );
    let digit = |c: u8| char::from(c).to_digit(16).context("no hex digit");
    let (pairs, _) = digits.as_bytes().as_chunks::<2>();
    pairs.iter().map(|[high, low]| Ok(u8::try_from(digit(*high)? << 4 | digit(*low)?)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_text_takes_blanks_prefixes_and_comments() {
        let text = b"# one record\n0x7f 10\t00 # 0x\r\nAb\n\n";
        assert_eq!(hex_text(text).as_deref(), Some("7f1000Ab"));
        assert_eq!(hex_bytes("7f1000Ab").unwrap(), [0x7f, 0x10, 0, 0xab]);
        assert!(hex_bytes("7f1").unwrap_err().to_string().contains("half a byte left over"));
    }

    #[test]
    fn anything_else_is_raw() {
        for raw in [&b"7f10 zz"[..], b"\x7f\x10", b"#\x10\x00\x00", b"\xff", b"0x0x"] {
            assert_eq!(hex_text(raw), None, "{raw:?}");
        }
    }

    #[test]
    fn a_raw_record_of_opcode_0x23_is_no_comment() {
        let mut record = [0u8; 64];
        record[..2].copy_from_slice(&[0x23, 0x10]);
        assert_eq!(records_of(record.to_vec()).unwrap(), record);
    }
}
