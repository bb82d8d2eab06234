//! Keep bits applied to elements: bits become byte masks, 32 bytes at a time.

use std::arch::x86_64::*;

use crate::kernel::ElementBytes;
use crate::kernel::mask::{self, bits_from};

/// One vector of bytes, aligned as non-temporal stores ask.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Line([u8; 32]);

/// Lines moved between two places before going on to the next.
const TURN: usize = 8;
/// Streams written in turn: more memory banks are open at a time.
const STREAMS: usize = 4;

/// For elements of `E` bytes: which byte of a word of keep bits each byte of
/// each line asks, and which bit of it each element.
struct Spread<const E: usize>;

impl<const E: usize> Spread<E> {
    const BYTE: [Line; 8] = {
        let mut lines = [Line([0; 32]); 8];
        let mut at = 0;
        while at < 2 * E * 32 {
            lines[at / 32].0[at % 32] = (at / E / 8) as u8;
            at += 1;
        }
        lines
    };
    const BIT: Line = {
        let mut line = Line([0; 32]);
        let mut element = 0;
        while element < 32 / E {
            line.0[element * E] = 1 << (element % 8);
            element += 1;
        }
        line
    };
}

/// Writes the kept elements of `from` and zeros for the others; past the
/// caches when `beyond_cache` is set.
#[target_feature(enable = "avx2")]
pub(super) fn apply(
    size: ElementBytes,
    from: &[u8],
    keep: &[u64],
    to: &mut [u8],
    beyond_cache: bool,
) {
    match (size, beyond_cache) {
        (ElementBytes::One, false) => apply_cached::<1>(size, from, keep, to),
        (ElementBytes::Two, false) => apply_cached::<2>(size, from, keep, to),
        (ElementBytes::Four, false) => apply_cached::<4>(size, from, keep, to),
        (ElementBytes::One, true) => apply_beyond::<1>(size, from, keep, to),
        (ElementBytes::Two, true) => apply_beyond::<2>(size, from, keep, to),
        (ElementBytes::Four, true) => apply_beyond::<4>(size, from, keep, to),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn apply_cached<const E: usize>(size: ElementBytes, from: &[u8], keep: &[u64], to: &mut [u8]) {
    let words = from.len() / (64 * E);
    let (from, from_rest) = from.split_at(words * 64 * E);
    let (to, to_rest) = to.split_at_mut(words * 64 * E);
    let (from, to) = (from.as_chunks::<32>().0, to.as_chunks_mut::<32>().0);
    for ((from, to), &bits) in from.chunks_exact(2 * E).zip(to.chunks_exact_mut(2 * E)).zip(keep) {
        for (line, (from, to)) in from.iter().zip(to).enumerate() {
            store(to, kept::<E>(load(from), bits, line));
        }
    }
    mask::apply(size, from_rest, &keep[words..], to_rest);
}

#[target_feature(enable = "avx2")]
#[inline]
fn apply_beyond<const E: usize>(size: ElementBytes, from: &[u8], keep: &[u64], to: &mut [u8]) {
    // SAFETY: a `Line` is any 32 bytes.
    let (head, lines, tail) = unsafe { to.align_to_mut::<Line>() };
    if head.len() % E != 0 {
        return apply_cached::<E>(size, from, keep, to);
    }
    let before = head.len() / E;
    let (from_head, from) = from.split_at(head.len());
    mask::apply(size, from_head, keep, head);
    let (from, from_tail) = from.as_chunks::<32>();
    let quarter = lines.len() / (STREAMS * TURN) * TURN;
    for turn in (0..quarter).step_by(TURN) {
        for stream in 0..STREAMS {
            let first = stream * quarter + turn;
            let (from, lines) = (&from[first..first + TURN], &mut lines[first..first + TURN]);
            move_beyond::<E>(from, keep, before + first * (32 / E), lines);
        }
    }
    for line in STREAMS * quarter..lines.len() {
        let (from, lines) = (&from[line..=line], &mut lines[line..=line]);
        move_beyond::<E>(from, keep, before + line * (32 / E), lines);
    }
    let bits = bits_from(keep, before + lines.len() * (32 / E));
    mask::apply(size, from_tail, &[bits], tail);
}

/// Moves up to a [`TURN`] of lines past the caches; their first element is
/// `element`.
#[target_feature(enable = "avx2")]
#[inline]
fn move_beyond<const E: usize>(
    from: &[[u8; 32]],
    keep: &[u64],
    element: usize,
    lines: &mut [Line],
) {
    for (at, (from, line)) in from.iter().zip(lines).enumerate() {
        let bits = bits_from(keep, element + at * (32 / E));
        let value = kept::<E>(load(from), bits, 0);
        // SAFETY: a `Line` is 32 writable bytes, aligned to 32.
        unsafe { _mm256_stream_si256(line.0.as_mut_ptr().cast(), value) };
    }
}

/// Zeroes the elements that are not kept.
#[target_feature(enable = "avx2")]
pub(super) fn apply_in_place(size: ElementBytes, data: &mut [u8], keep: &[u64]) {
    match size {
        ElementBytes::One => apply_in_place_with::<1>(size, data, keep),
        ElementBytes::Two => apply_in_place_with::<2>(size, data, keep),
        ElementBytes::Four => apply_in_place_with::<4>(size, data, keep),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn apply_in_place_with<const E: usize>(size: ElementBytes, data: &mut [u8], keep: &[u64]) {
    let words = data.len() / (64 * E);
    let (data, rest) = data.split_at_mut(words * 64 * E);
    for (data, &bits) in data.as_chunks_mut::<32>().0.chunks_exact_mut(2 * E).zip(keep) {
        for (line, data) in data.iter_mut().enumerate() {
            let value = kept::<E>(load(data), bits, line);
            store(data, value);
        }
    }
    mask::apply_in_place(size, rest, &keep[words..]);
}

/// Zeroes the elements of a line that are not kept; it is line `line` of the
/// elements that `bits` are about.
#[target_feature(enable = "avx2")]
#[inline]
fn kept<const E: usize>(value: __m256i, bits: u64, line: usize) -> __m256i {
    let bit = load(&Spread::<E>::BIT.0);
    let bytes = _mm256_set1_epi64x(bits as i64);
    let bytes = _mm256_shuffle_epi8(bytes, load(&const { Spread::<E>::BYTE }[line].0));
    let bits = _mm256_and_si256(bytes, bit);
    let mask = match E {
        1 => _mm256_cmpeq_epi8(bits, bit),
        2 => _mm256_cmpeq_epi16(bits, bit),
        _ => _mm256_cmpeq_epi32(bits, bit),
    };
    _mm256_and_si256(value, mask)
}

/// Writes keep bits as bytes, 1 for kept.
#[target_feature(enable = "avx2")]
pub(super) fn bytes(keep: &[u64], to: &mut [u8]) {
    let words = to.len() / 64;
    let (to, rest) = to.split_at_mut(words * 64);
    for (to, &bits) in to.as_chunks_mut::<32>().0.chunks_exact_mut(2).zip(keep) {
        for (line, to) in to.iter_mut().enumerate() {
            store(to, kept::<1>(_mm256_set1_epi8(1), bits, line));
        }
    }
    mask::bytes(&keep[words..], rest);
}

/// Loads a line.
#[target_feature(enable = "avx2")]
#[inline]
fn load(from: &[u8; 32]) -> __m256i {
    // SAFETY: `from` is 32 readable bytes and `loadu` asks no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Stores a line.
#[target_feature(enable = "avx2")]
#[inline]
fn store(to: &mut [u8; 32], value: __m256i) {
    // SAFETY: `to` is 32 writable bytes and `storeu` asks no alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), value) }
}
