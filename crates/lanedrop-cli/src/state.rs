//! Lane states: seeds, state files, and the options for them.
//!
//! A state file is an `.npy` of uint32. Its shape is `[lanes]` where a lane has
//! one word, else `[lanes, words]`; the register that serves next comes first.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use lanedrop::rng::{Lanes, LanesError, Profile, Recurrence};

use crate::io::npy::{MAX_HEADER_BYTES, NpyHeader, Order};
use crate::io::output::Staged;

/// What a state file's array looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `[lanes]`: one word a lane.
    Lanes,
    /// `[lanes, n]`: `n` words a lane.
    LanesBy(usize),
    /// `[n]`: `n` words for the whole engine.
    Words(usize),
}

impl Shape {
    /// Returns the shape of a state under `profile`.
    pub(crate) fn of(profile: &Profile) -> Self {
        match profile.words_per_lane() {
            1 => Self::Lanes,
            words => Self::LanesBy(words),
        }
    }

    fn admits(self, shape: &[u64]) -> bool {
        match (self, shape) {
            (Self::Lanes, [_]) => true,
            (Self::LanesBy(words), [_, columns]) | (Self::Words(words), [columns]) => {
                u64::try_from(words) == Ok(*columns)
            }
            _ => false,
        }
    }

    /// Returns the shape of the array that holds `words`.
    fn with(self, words: &[u32]) -> Vec<u64> {
        let len = words.len() as u64;
        match self {
            Self::Lanes | Self::Words(_) => vec![len],
            Self::LanesBy(width) => vec![len / width as u64, width as u64],
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lanes => write!(f, "[lanes]"),
            Self::LanesBy(words) => write!(f, "[lanes, {words}]"),
            Self::Words(words) => write!(f, "[{words}]"),
        }
    }
}

/// Reads the words of a state file, row after row.
pub(crate) fn read(path: &Path, shape: Shape) -> Result<Vec<u32>> {
    read_words(path, shape).with_context(|| path.display().to_string())
}

fn read_words(path: &Path, shape: Shape) -> Result<Vec<u32>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.by_ref().take(MAX_HEADER_BYTES as u64).read_to_end(&mut bytes)?;
    let (header, start) = NpyHeader::parse(&bytes)?;
    let NpyHeader { descr, order, shape: found } = header;
    let word: fn([u8; 4]) -> u32 = match descr.as_str() {
        "<u4" | "=u4" => u32::from_le_bytes,
        ">u4" => u32::from_be_bytes,
        _ => bail!("has dtype {descr}, expected <u4 or >u4 (uint32) of shape {shape}"),
    };
    ensure!(shape.admits(&found), "has shape {found:?}, expected uint32 {shape}");
    let wanted = found.iter().product::<u64>().checked_mul(4);
    let wanted = wanted.with_context(|| format!("shape {found:?} takes more than 2^64 bytes"))?;
    bytes.drain(..start);
    file.take(wanted.saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes)?;
    ensure!(
        bytes.len() as u64 >= wanted,
        "has {} bytes of words, expected {wanted} for shape {found:?}",
        bytes.len()
    );
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&bytes| word(bytes)).collect();
    let words = words[..(wanted / 4) as usize].to_vec();
    Ok(match (order, found.as_slice()) {
        (Order::Fortran, [rows, _]) => {
            let rows = *rows as usize;
            (0..rows).flat_map(|row| words[row..].iter().step_by(rows).copied()).collect()
        }
        _ => words,
    })
}

/// Writes a state file: beside its target first, then renamed.
pub(crate) fn write(path: &Path, shape: Shape, words: &[u32]) -> Result<()> {
    stage(path, shape, words)?.commit()
}

/// Writes a state file beside its target, to be renamed later.
pub(crate) fn stage(path: &Path, shape: Shape, words: &[u32]) -> Result<Staged> {
    let shape = shape.with(words);
    let header = NpyHeader { descr: "<u4".into(), order: Order::C, shape };
    let words = words.iter().flat_map(|word| word.to_le_bytes());
    let bytes: Vec<u8> = header.to_bytes().into_iter().chain(words).collect();
    let mut file = Staged::beside(path)?;
    file.write(&bytes)?;
    Ok(file)
}

/// Returns the seed that an argument names, decimal or `0x` hexadecimal.
pub(crate) fn parse_seed(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let parsed = match digits {
        Some(hex) if !hex.starts_with('+') => u128::from_str_radix(hex, 16),
        _ => text.parse(),
    };
    match parsed {
        Ok(seed) => u32::try_from(seed)
            .map_err(|_| "the seed has more than 32 bits, expected at most 4294967295".into()),
        Err(error) if *error.kind() == std::num::IntErrorKind::PosOverflow => {
            Err("the seed has more than 32 bits, expected at most 4294967295".into())
        }
        Err(_) => Err("expected a number of at most 32 bits, decimal or 0x hexadecimal".into()),
    }
}

/// More lanes than any tensor needs; a state of so many fits the memory.
const MAX_LANES: usize = 1 << 24;

/// Returns the number of lanes that an argument names.
fn parse_lanes(text: &str) -> Result<usize, String> {
    let lanes = text.parse().ok().filter(|lanes| *lanes <= MAX_LANES);
    lanes.ok_or_else(|| format!("expected a number of lanes, at most {MAX_LANES}"))
}

/// Options that say which state the lanes start from and where it goes.
#[derive(clap::Args, Debug)]
pub(crate) struct StateArgs {
    /// Seed of 32 bits, decimal or 0x hexadecimal [default: 0, unless --state is given]
    #[arg(long, value_name = "N", value_parser = parse_seed, conflicts_with = "state")]
    pub(crate) seed: Option<u32>,
    /// Start from the lane words in this .npy (uint32)
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Write the lane words after the last draw to this .npy
    #[arg(long, value_name = "FILE")]
    pub(crate) save_state: Option<PathBuf>,
    /// How many lanes there are [default: the rows of --state, else see below]
    #[arg(long, value_name = "N", value_parser = parse_lanes)]
    pub(crate) lanes: Option<usize>,
}

impl StateArgs {
    /// Returns the lanes to start from, and a remark where the start was not
    /// chosen.
    pub(crate) fn start(
        &self,
        profile: &Profile,
        default_lanes: usize,
    ) -> Result<(Lanes, Option<String>)> {
        if let Some(path) = &self.state {
            let words = read(path, Shape::of(profile))?;
            let lanes = self.rows(path, words.len() / profile.words_per_lane())?;
            return Ok((Lanes::from_words(profile, &words, lanes)?, None));
        }
        let lanes = self.lanes.unwrap_or(default_lanes);
        if profile.recurrence == Recurrence::Xorwow && self.seed.is_none() {
            let remark = "no --state: every lane starts from the firmware's default words";
            return Ok((Lanes::firmware_default(profile, lanes)?, Some(remark.into())));
        }
        let remark = self.seed.is_none().then(|| "no --seed and no --state: the seed is 0".into());
        match Lanes::seeded(profile, self.seed.unwrap_or(0), lanes) {
            Err(error @ LanesError::NoSeedingRule { .. }) => {
                Err(error).context("--state is needed")
            }
            seeded => Ok((seeded?, remark)),
        }
    }

    /// Returns how many lanes a state of `rows` rows is for.
    pub(crate) fn rows(&self, path: &Path, rows: usize) -> Result<usize> {
        match self.lanes {
            Some(lanes) if lanes != rows => bail!(
                "{}: has {rows} row{}, expected {lanes} as --lanes says (or leave it out)",
                path.display(),
                if rows == 1 { "" } else { "s" }
            ),
            _ => Ok(rows),
        }
    }

    /// Writes the state where one was asked for.
    pub(crate) fn save(&self, lanes: &Lanes) -> Result<()> {
        match &self.save_state {
            Some(path) => write(path, Shape::of(lanes.profile()), lanes.words()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.npy");
        for (shape, words) in [
            (Shape::Lanes, vec![1, 2, u32::MAX]),
            (Shape::LanesBy(2), vec![1, 2, 3, 4, 5, 6]),
            (Shape::Words(6), vec![9; 6]),
        ] {
            write(&path, shape, &words).unwrap();
            assert_eq!(read(&path, shape).unwrap(), words);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_state_of_another_shape_is_refused_with_what_would_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.npy");
        write(&path, Shape::LanesBy(2), &[1, 2, 3, 4]).unwrap();
        let error = format!("{:#}", read(&path, Shape::Lanes).unwrap_err());
        assert!(error.ends_with("has shape [2, 2], expected uint32 [lanes]"), "{error}");
        let error = format!("{:#}", read(&path, Shape::LanesBy(4)).unwrap_err());
        assert!(error.ends_with("has shape [2, 2], expected uint32 [lanes, 4]"), "{error}");
    }

    #[test]
    fn fortran_order_and_big_endian_states_are_read_by_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.npy");
        let header = "{'descr': '>u4', 'fortran_order': True, 'shape': (2, 3), }\n";
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend([1u32, 4, 2, 5, 3, 6].into_iter().flat_map(u32::to_be_bytes));
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(read(&path, Shape::LanesBy(3)).unwrap(), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn seeds_are_decimal_or_hexadecimal_and_have_32_bits() {
        assert_eq!(parse_seed("42"), Ok(42));
        assert_eq!(parse_seed("0xffffffff"), Ok(u32::MAX));
        for long in ["4294967296", "0x100000000", "99999999999999999999999999999999999999999999"] {
            assert!(parse_seed(long).unwrap_err().contains("more than 32 bits"), "{long}");
        }
        for bad in ["", "-1", "x", "0x", "1.5", "0x+1"] {
            assert!(parse_seed(bad).unwrap_err().starts_with("expected a number"), "{bad}");
        }
    }
}
