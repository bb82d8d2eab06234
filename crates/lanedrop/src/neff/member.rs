//! The archive's members: which are instruction streams, and of which engine.

use crate::isa::{Engine, WORD_LEN_BYTES, Word, opcode};

/// The instruction stream of one engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineStream {
    /// The member's full name in the archive.
    pub member: String,
    /// The engine its name stands for, where it names one.
    pub engine: Option<Engine>,
    /// The records, a multiple of 64 bytes.
    pub bytes: Vec<u8>,
}

impl EngineStream {
    /// Returns the records with their offsets in this stream.
    pub fn records(&self) -> impl ExactSizeIterator<Item = (usize, Word)> + '_ {
        let (chunks, _) = self.bytes.as_chunks::<WORD_LEN_BYTES>();
        chunks.iter().enumerate().map(|(index, chunk)| (index * WORD_LEN_BYTES, Word(*chunk)))
    }

    /// Returns where the Dropouts are: opcode 0x7f and a length byte of 16.
    pub fn dropouts(&self) -> impl Iterator<Item = usize> + '_ {
        self.records()
            .filter(|(_, word)| word.0[..2] == [opcode::DROPOUT, 0x10])
            .map(|(offset_bytes, _)| offset_bytes)
    }

    /// Returns how many records the runtime would replace when it loads the
    /// stream.
    pub fn pseudo_records(&self) -> usize {
        self.records().filter(|(_, word)| is_pseudo(word)).count()
    }

    /// Returns the engine's name, or `unknown`.
    pub fn engine_name(&self) -> &'static str {
        self.engine.map_or("unknown", Engine::name)
    }
}

/// Returns whether the runtime replaces the record when it loads the stream.
fn is_pseudo(word: &Word) -> bool {
    matches!(word.opcode(), 0xc1..=0xdf | 0xa9)
}

/// Returns the engine that a member's name stands for.
///
/// Both dialects are told by the last part of the name, whatever its case:
/// `sg00/dve.bin`, `DVE.3.bin`, `dve_instr`.
///
/// ```
/// use lanedrop::{isa::Engine, neff::engine_of};
/// assert_eq!(engine_of("nc0/sg0/Activation.bin"), Some(Engine::Act));
/// assert_eq!(engine_of("sg00/pool_instr"), Some(Engine::Pool));
/// assert_eq!(engine_of("weights.bin"), None);
/// ```
pub fn engine_of(member: &str) -> Option<Engine> {
    let stem = stem(member)?;
    // Streams beyond the first carry a number: `<Engine>.<id>`.
    match stem.split('.').next()?.to_ascii_lowercase().as_str() {
        "pe" => Some(Engine::Pe),
        "act" | "activation" => Some(Engine::Act),
        "pool" => Some(Engine::Pool),
        "dve" => Some(Engine::Dve),
        "sp" => Some(Engine::Sp),
        _ => None,
    }
}

/// Returns the last part of the name without the ending of a stream, or
/// nothing when it has no such ending.
pub(super) fn stem(member: &str) -> Option<&str> {
    let last = member.rsplit('/').next()?;
    [".bin", "_instr"].into_iter().find_map(|ending| {
        let cut = last.len().checked_sub(ending.len())?;
        let (stem, end) = last.split_at_checked(cut)?;
        end.eq_ignore_ascii_case(ending).then_some(stem)
    })
}

/// Returns whether bytes under a name that is no engine's read as records:
/// every length byte is 16 (17 with QuantizeMX's flag) and the opcode has a
/// name.
pub(super) fn reads_as_records(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<WORD_LEN_BYTES>();
    let plain = |word: &[u8; WORD_LEN_BYTES]| {
        matches!(word[1], 0x10 | 0x11) && opcode::find(word[0]).is_some()
    };
    rest.is_empty() && !words.is_empty() && words.iter().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_dialects_name_their_engine() {
        let names = [
            ("sg00/pe.bin", Engine::Pe),
            ("sg00/act.bin", Engine::Act),
            ("sg00/pool.bin", Engine::Pool),
            ("sg00/dve.bin", Engine::Dve),
            ("sg00/sp.bin", Engine::Sp),
            ("nc0/sg1/PE.bin", Engine::Pe),
            ("nc0/sg1/Activation.bin", Engine::Act),
            ("nc0/sg1/DVE.12.bin", Engine::Dve),
            ("dve_instr", Engine::Dve),
            ("a/b/SP_instr", Engine::Sp),
            ("DVE.BIN", Engine::Dve),
        ];
        for (name, engine) in names {
            assert_eq!(engine_of(name), Some(engine), "{name}");
        }
    }

    #[test]
    fn other_members_name_none() {
        for name in
            ["", "dve", "sg00/dve.asm", "sg00/dve.json", "xdve.bin", ".bin", "dve.bin/", "é_instr"]
        {
            assert_eq!(engine_of(name), None, "{name}");
        }
    }

    #[test]
    fn weights_do_not_read_as_records() {
        let mut record = [0; 64];
        record[..2].copy_from_slice(&[0x7f, 0x10]);
        assert!(reads_as_records(&record));
        record[1] = 0;
        assert!(!reads_as_records(&record) && !reads_as_records(&[]));
    }
}
