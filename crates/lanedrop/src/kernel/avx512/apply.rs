//! Keep bits applied to elements by masked moves, a 64-byte line at a time.

use std::arch::x86_64::*;

use crate::kernel::ElementBytes;
use crate::kernel::mask::bits_from;

/// One cache line of bytes, aligned as non-temporal stores ask.
#[repr(align(64))]
struct Line([u8; 64]);

/// Lines moved between two places before going on to the next.
const TURN: usize = 4;
/// Streams written in turn: more memory banks are open at a time.
const STREAMS: usize = 4;

/// Writes the kept elements of `from` and zeros for the others; past the
/// caches when `beyond_cache` is set.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn apply(
    size: ElementBytes,
    from: &[u8],
    keep: &[u64],
    to: &mut [u8],
    beyond_cache: bool,
) {
    match (size, beyond_cache) {
        (ElementBytes::One, false) => apply_cached::<1>(from, keep, to),
        (ElementBytes::Two, false) => apply_cached::<2>(from, keep, to),
        (ElementBytes::Four, false) => apply_cached::<4>(from, keep, to),
        (ElementBytes::One, true) => apply_beyond::<1>(from, keep, to),
        (ElementBytes::Two, true) => apply_beyond::<2>(from, keep, to),
        (ElementBytes::Four, true) => apply_beyond::<4>(from, keep, to),
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn apply_cached<const E: usize>(from: &[u8], keep: &[u64], to: &mut [u8]) {
    // SAFETY: a `Line` is any 64 bytes.
    let (head, lines, _) = unsafe { to.align_to_mut::<Line>() };
    // Stores that straddle lines cost more than the shifts of the keep bits.
    let head = if lines.is_empty() || head.len() % E != 0 { 0 } else { head.len() };
    let before = head / E;
    let ((from_head, from), (to_head, to)) = (from.split_at(head), to.split_at_mut(head));
    rest::<E>(from_head, bits_from(keep, 0), to_head);
    let ((from, from_rest), (to, to_rest)) = (from.as_chunks::<64>(), to.as_chunks_mut::<64>());
    // One word of keep bits is E lines.
    let groups = from.len() / E;
    for (group, (from, to)) in from.chunks_exact(E).zip(to.chunks_exact_mut(E)).enumerate() {
        let bits = bits_from(keep, before + 64 * group);
        for (line, (from, to)) in from.iter().zip(to).enumerate() {
            store(to, kept::<E>(from, bits >> (line * (64 / E))));
        }
    }
    for line in groups * E..from.len() {
        let bits = bits_from(keep, before + line * (64 / E));
        store(&mut to[line], kept::<E>(&from[line], bits));
    }
    rest::<E>(from_rest, bits_from(keep, before + from.len() * (64 / E)), to_rest);
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn apply_beyond<const E: usize>(from: &[u8], keep: &[u64], to: &mut [u8]) {
    // SAFETY: a `Line` is any 64 bytes.
    let (head, lines, tail) = unsafe { to.align_to_mut::<Line>() };
    if head.len() % E != 0 {
        return apply_cached::<E>(from, keep, to);
    }
    let before = head.len() / E;
    let (from_head, from) = from.split_at(head.len());
    rest::<E>(from_head, bits_from(keep, 0), head);
    let (from, from_tail) = from.as_chunks::<64>();
    let quarter = lines.len() / (STREAMS * TURN) * TURN;
    for turn in (0..quarter).step_by(TURN) {
        for stream in 0..STREAMS {
            let first = stream * quarter + turn;
            let (from, lines) = (&from[first..first + TURN], &mut lines[first..first + TURN]);
            move_beyond::<E>(from, keep, before + first * (64 / E), lines);
        }
    }
    let done = STREAMS * quarter;
    for line in done..lines.len() {
        let (from, lines) = (&from[line..=line], &mut lines[line..=line]);
        move_beyond::<E>(from, keep, before + line * (64 / E), lines);
    }
    rest::<E>(from_tail, bits_from(keep, before + lines.len() * (64 / E)), tail);
}

/// Moves up to four lines past the caches; their first element is `element`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn move_beyond<const E: usize>(
    from: &[[u8; 64]],
    keep: &[u64],
    element: usize,
    lines: &mut [Line],
) {
    for (at, (from, line)) in from.iter().zip(lines).enumerate() {
        let value = kept::<E>(from, bits_from(keep, element + at * (64 / E)));
        // SAFETY: a `Line` is 64 writable bytes, aligned to 64.
        unsafe { _mm512_stream_si512(line.0.as_mut_ptr().cast(), value) };
    }
}

/// Zeroes the elements that are not kept.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) fn apply_in_place(size: ElementBytes, data: &mut [u8], keep: &[u64]) {
    match size {
        ElementBytes::One => apply_in_place_with::<1>(data, keep),
        ElementBytes::Two => apply_in_place_with::<2>(data, keep),
        ElementBytes::Four => apply_in_place_with::<4>(data, keep),
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn apply_in_place_with<const E: usize>(data: &mut [u8], keep: &[u64]) {
    // SAFETY: a `Line` is any 64 bytes.
    let (head, lines, _) = unsafe { data.align_to_mut::<Line>() };
    let head = if lines.is_empty() || head.len() % E != 0 { 0 } else { head.len() };
    let before = head / E;
    let (head, data) = data.split_at_mut(head);
    rest_in_place::<E>(head, bits_from(keep, 0));
    let (data, tail) = data.as_chunks_mut::<64>();
    let groups = data.len() / E;
    for (group, data) in data.chunks_exact_mut(E).enumerate() {
        let bits = bits_from(keep, before + 64 * group);
        for (line, data) in data.iter_mut().enumerate() {
            let value = kept::<E>(data, bits >> (line * (64 / E)));
            store(data, value);
        }
    }
    for (line, data) in data.iter_mut().enumerate().skip(groups * E) {
        let value = kept::<E>(data, bits_from(keep, before + line * (64 / E)));
        store(data, value);
    }
    rest_in_place::<E>(tail, bits_from(keep, before + data.len() * (64 / E)));
}

/// Zeroes what is not kept of less than a line.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn rest_in_place<const E: usize>(data: &mut [u8], bits: u64) {
    if !data.is_empty() {
        let value = some::<E>(data, bits);
        store_some(data, value);
    }
}

/// Moves less than a line.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn rest<const E: usize>(from: &[u8], bits: u64, to: &mut [u8]) {
    if !from.is_empty() {
        let value = some::<E>(from, bits);
        store_some(to, value);
    }
}

/// Loads the kept elements of a line.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn kept<const E: usize>(from: &[u8; 64], bits: u64) -> __m512i {
    match E {
        // SAFETY: `from` is 64 readable bytes and `loadu` asks no alignment.
        1 => unsafe { _mm512_maskz_loadu_epi8(bits, from.as_ptr().cast()) },
        // SAFETY: as above.
        2 => unsafe { _mm512_maskz_loadu_epi16(bits as u32, from.as_ptr().cast()) },
        // SAFETY: as above.
        _ => unsafe { _mm512_maskz_loadu_epi32(bits as u16, from.as_ptr().cast()) },
    }
}

/// Stores a line.
#[target_feature(enable = "avx512f")]
#[inline]
fn store(to: &mut [u8; 64], value: __m512i) {
    // SAFETY: `to` is 64 writable bytes and `storeu` asks no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), value) }
}

/// Loads the kept elements of up to a line.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
#[inline]
fn some<const E: usize>(from: &[u8], bits: u64) -> __m512i {
    let present = present(from.len());
    let bytes = match E {
        1 => bits,
        2 => _mm512_movepi8_mask(_mm512_movm_epi16(bits as u32)),
        _ => _mm512_movepi8_mask(_mm512_movm_epi32(bits as u16)),
    };
    // SAFETY: the mask names no byte beyond `from`, and masked bytes are not
    // touched.
    unsafe { _mm512_maskz_loadu_epi8(bytes & present, from.as_ptr().cast()) }
}

/// Stores as many bytes as `to` has, up to a line.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn store_some(to: &mut [u8], value: __m512i) {
    let present = present(to.len());
    // SAFETY: the mask names no byte beyond `to`, and masked bytes are not
    // touched.
    unsafe { _mm512_mask_storeu_epi8(to.as_mut_ptr().cast(), present, value) }
}

/// The mask of the first `bytes` bytes of a line.
fn present(bytes: usize) -> u64 {
    if bytes >= 64 { u64::MAX } else { (1 << bytes) - 1 }
}

/// Writes keep bits as bytes, 1 for kept.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn bytes(keep: &[u64], to: &mut [u8]) {
    let one = _mm512_set1_epi8(1);
    let (lines, rest) = to.as_chunks_mut::<64>();
    let whole = lines.len();
    for (to, &bits) in lines.iter_mut().zip(keep) {
        store(to, _mm512_maskz_mov_epi8(bits, one));
    }
    if let Some(&bits) = keep.get(whole) {
        store_some(rest, _mm512_maskz_mov_epi8(bits, one));
    }
}
