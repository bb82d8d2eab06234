//! What holds for every file given as a NEFF.

use lanedrop::isa::Engine;
use lanedrop::neff::{Limits, is_neff, read};

/// Small bounds, so that a bomb shows as one soon.
const LIMITS: Limits = Limits { unpacked_bytes: 1 << 20, stream_bytes: 1 << 18, members: 64 };

/// Any file is refused with a reason, or gives streams of whole records within
/// the limits, the DVE's first.
pub(crate) fn check(data: &[u8]) {
    let neff = match read(data, &LIMITS) {
        Ok(neff) => neff,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert!(is_neff(data));
    assert!(!neff.streams.is_empty() && neff.streams.len() <= neff.members);
    assert!(neff.members <= LIMITS.members);
    let bytes: usize = neff.streams.iter().map(|stream| stream.bytes.len()).sum();
    assert!(bytes as u64 <= LIMITS.stream_bytes);
    for stream in &neff.streams {
        assert!(stream.bytes.len().is_multiple_of(64));
        assert!(stream.dropouts().count() + stream.pseudo_records() <= stream.records().len());
        assert!(neff.named(&stream.member).count() >= 1);
    }
    let is_dve = |stream: &lanedrop::neff::EngineStream| stream.engine == Some(Engine::Dve);
    assert!(neff.streams.is_sorted_by_key(|stream| !is_dve(stream)));
    for note in &neff.notes {
        assert!(!note.to_string().is_empty());
    }
}

/// Puts a header before `payload`.
pub(crate) fn wrapped(payload: &[u8]) -> Vec<u8> {
    let mut file = vec![0; 1024];
    file[0] = 1;
    file[8..16].copy_from_slice(&1024u64.to_le_bytes());
    file[16..24].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    file.extend_from_slice(payload);
    file
}
