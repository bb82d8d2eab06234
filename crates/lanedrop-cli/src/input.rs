//! Instruction input: what bytes an argument or a file stands for.
//!
//! An argument of 128 hex digits that is no file is one record. A file, or
//! standard input for `-`, holds hex text or a raw stream of records.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use lanedrop::isa::{Word, words};

/// Hex digits of one record.
const WORD_DIGITS: usize = 128;

/// A stream of records, read whole.
pub(crate) struct Stream {
    bytes: Vec<u8>,
}

impl Stream {
    /// Reads the records that `argument` stands for: 128 hex digits, a file's
    /// name, or `-`.
    pub(crate) fn read(argument: &str) -> anyhow::Result<Self> {
        let is_record = argument.len() == WORD_DIGITS
            && argument.bytes().all(|digit| digit.is_ascii_hexdigit());
        if is_record && !Path::new(argument).exists() {
            return Ok(Self { bytes: hex_bytes(argument)? });
        }
        let name = if argument == "-" { "standard input" } else { argument };
        let bytes = records_of(read_all(argument)?).with_context(|| name.to_owned())?;
        if let Err(leftover) = words(&bytes) {
            let hint = if is_text(&bytes) {
                " (this is text that is not hex; `lanedrop assemble` reads assembly)"
            } else {
                ""
            };
            bail!("{name}: {leftover}{hint}");
        }
        Ok(Self { bytes })
    }

    /// Returns the records with their offsets in the stream.
    pub(crate) fn records(&self) -> impl Iterator<Item = (u64, Word)> + '_ {
        let (chunks, _) = self.bytes.as_chunks();
        (0u64..).step_by(64).zip(chunks.iter().map(|chunk| Word(*chunk)))
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
    if is_neff(&content) {
        bail!(
            "this is a NEFF container, which lanedrop does not open yet; \
             unpack it (a tar behind 1024 bytes) and name the stream of one engine, such as DVE"
        );
    }
    match hex_text(&content) {
        Some(digits) => hex_bytes(&digits),
        None => Ok(content),
    }
}

/// Returns whether the content is a NEFF: header size 0x400 at byte 8, and a
/// gzip or tar payload behind the header.
fn is_neff(content: &[u8]) -> bool {
    let Some(payload) = content.get(0x400..) else { return false };
    let gzip = payload.starts_with(&[0x1f, 0x8b]);
    let tar = payload.get(257..262) == Some(b"ustar");
    content[8..16] == 0x400u64.to_le_bytes() && (gzip || tar)
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

    #[test]
    fn a_neff_is_told_from_a_stream() {
        let mut content = vec![0u8; 0x400 + 512];
        content[8..16].copy_from_slice(&0x400u64.to_le_bytes());
        assert!(!is_neff(&content));
        content[0x400..0x402].copy_from_slice(&[0x1f, 0x8b]);
        assert!(is_neff(&content));
        content[0x400..0x402].copy_from_slice(&[0, 0]);
        content[0x400 + 257..0x400 + 262].copy_from_slice(b"ustar");
        assert!(is_neff(&content));
        assert!(records_of(content).unwrap_err().to_string().contains("NEFF"));
    }
}
