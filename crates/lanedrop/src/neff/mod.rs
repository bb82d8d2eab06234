//! NEFF, the container of a compiled program: header, streams, Dropouts.
//!
//! [`read`] takes the whole file as a slice and unpacks no more than it must
//! keep: the instruction streams. Everything else in the archive is passed
//! over, within [`Limits`]. What reads oddly without stopping the reading is a
//! [`Note`].

mod header;
mod member;
mod note;
mod unpack;

pub use header::{HEADER_LEN_BYTES, Hash, Header};
pub use member::{EngineStream, engine_of};
pub use note::Note;
pub use unpack::{Limits, NeffError};

use crate::evidence::Claim;
use crate::evidence::claims::encoding::{NEFF_HEADER, STREAM_FORMAT};
use crate::evidence::claims::neff::{
    NEFF_HASH, NEFF_HEADER_FIELDS, NEFF_MEMBER_NAMES, NEFF_PSEUDO_RECORDS, NEFF_TAR_DIALECT,
};
use crate::isa::Engine;

/// What is known of the container, and how surely.
pub static CLAIMS: [&Claim; 7] = [
    &NEFF_HEADER,
    &NEFF_HEADER_FIELDS,
    &NEFF_HASH,
    &NEFF_TAR_DIALECT,
    &NEFF_MEMBER_NAMES,
    &NEFF_PSEUDO_RECORDS,
    &STREAM_FORMAT,
];

/// An opened container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neff {
    /// The fields of the header.
    pub header: Header,
    /// The instruction streams: the DVE's first, then the others in the
    /// archive's order.
    pub streams: Vec<EngineStream>,
    /// How many members the archive has, streams included.
    pub members: usize,
    /// What reads oddly.
    pub notes: Vec<Note>,
}

impl Neff {
    /// Returns the streams of one engine.
    pub fn of_engine(&self, engine: Engine) -> impl Iterator<Item = &EngineStream> {
        self.streams.iter().filter(move |stream| stream.engine == Some(engine))
    }

    /// Returns the streams that `name` stands for: a member's full name, or an
    /// engine's name in any case.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a EngineStream> {
        self.streams.iter().filter(move |stream| {
            let engine = stream.engine.is_some_and(|e| e.name().eq_ignore_ascii_case(name));
            stream.member == name || engine
        })
    }
}

/// Returns whether `file` is a NEFF: header size 0x400 at byte 8, and a gzip
/// or tar payload behind the header.
///
/// The header has no magic number (claim `neff-header`).
pub fn is_neff(file: &[u8]) -> bool {
    let size = file.get(8..16) == Some(&0x400u64.to_le_bytes()[..]);
    size && unpack::packing(file.get(HEADER_LEN_BYTES..).unwrap_or_default()).is_some()
}

/// Opens a container.
///
/// ```
/// use lanedrop::neff::{self, Limits, NeffError};
/// let error = neff::read(&[0; 100], &Limits::default()).unwrap_err();
/// assert_eq!(error.to_string(), "100 bytes are less than the header of 1024");
/// ```
///
/// # Errors
/// [`NeffError`] when the file is no NEFF, its payload is broken, holds no
/// instruction stream, or goes beyond `limits`.
pub fn read(file: &[u8], limits: &Limits) -> Result<Neff, NeffError> {
    let (header, payload, mut notes) = Header::read(file)?;
    let unpacked = unpack::unpack(payload, limits)?;
    notes.extend(unpacked.notes);
    let mut streams = unpacked.streams;
    if streams.is_empty() {
        return Err(NeffError::NoStreams { members: unpacked.members });
    }
    streams.sort_by_key(|stream| stream.engine != Some(Engine::Dve));
    notes.extend(streams.iter().filter_map(Note::dropouts_elsewhere));
    if !streams.iter().any(|stream| stream.engine == Some(Engine::Dve)) {
        notes.push(Note::NoDve);
    }
    Ok(Neff { header, streams, members: unpacked.members, notes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_neff_is_told_by_header_size_and_payload() {
        let mut file = vec![0; 2048];
        assert!(!is_neff(&file));
        file[8..16].copy_from_slice(&0x400u64.to_le_bytes());
        assert!(!is_neff(&file));
        file[0x400..0x402].copy_from_slice(&[0x1f, 0x8b]);
        assert!(is_neff(&file));
        assert!(!is_neff(&file[..0x400]) && !is_neff(&file[..12]));
        file[0x400] = b's';
        file[0x400 + 257..][..5].copy_from_slice(b"ustar");
        assert!(is_neff(&file));
    }
}
