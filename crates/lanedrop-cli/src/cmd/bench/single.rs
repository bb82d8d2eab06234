//! What is measured without a tensor: jumps, decoding, validating.

use std::hint::black_box;

use anyhow::Result;
use lanedrop::isa::{Generation, Record, Word, validate};
use lanedrop::rng::{Lanes, Profile, Recurrence};

use super::clock::{Samples, time};

/// Records of a stream.
pub(crate) const RECORDS: usize = 1_000_000;

/// Returns lanes of any profile, all of them alive.
pub(crate) fn lanes_of(profile: &Profile, count: usize) -> Result<Lanes> {
    if profile.recurrence == Recurrence::Xorwow {
        return Ok(Lanes::firmware_default(profile, count)?);
    }
    let mut word = 42u32;
    let words: Vec<u32> = (0..count * profile.words_per_lane())
        .map(|_| {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            word >> 8
        })
        .collect();
    Ok(Lanes::from_words(profile, &words, count)?)
}

/// Times jumps of some lanes to elements below 2^63.
pub(crate) fn jump(profile: &Profile, count: usize) -> Result<Samples> {
    let mut lanes = lanes_of(profile, count)?;
    let mut element = 0x1234_5678_9abc_def1u64;
    Ok(time(|| {
        element = element.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        lanes.advance_all(element >> 1);
        black_box(&lanes);
    }))
}

/// Returns a stream of Dropout records with other operands each.
fn stream() -> Vec<Word> {
    (0..RECORDS as u32)
        .map(|at| {
            let mut bytes = [0u8; 64];
            bytes[..2].copy_from_slice(&[0x7f, 0x10]);
            bytes[16..20].copy_from_slice(&(at % 4096 * 4).to_le_bytes());
            bytes[26..28].copy_from_slice(&(at as u16 | 1).to_le_bytes());
            bytes[28..32].copy_from_slice(&[1, 0, 1, 0]);
            bytes[32..35].copy_from_slice(&[0x0a, 0x0a, 128]);
            bytes[44..48].copy_from_slice(&0.1f32.to_le_bytes());
            bytes.copy_within(16..32, 48);
            Word(bytes)
        })
        .collect()
}

/// Times decoding of a stream, every field of it.
pub(crate) fn decode() -> Samples {
    let words = stream();
    time(|| {
        for (at, &word) in words.iter().enumerate() {
            let offset_bytes = 64 * at as u64;
            let record = Record { offset_bytes, word, generation: Generation::V3 };
            black_box(record.opcode());
            for field in record.fields() {
                black_box(field.raw(&word));
            }
        }
    })
}

/// Times validating of a stream for one generation.
pub(crate) fn validation() -> Samples {
    let words = stream();
    time(|| {
        for word in &words {
            black_box(validate(word, Generation::V3));
        }
    })
}
