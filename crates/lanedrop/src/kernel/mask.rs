//! Keep bits applied to elements, in plain words.
//!
//! The functions here are inlined into each backend and vectorised there.

use super::ElementBytes;

/// Eight keep bits as eight bytes.
static BYTES: [[u8; 8]; 256] = expand();
/// Eight keep bits as eight halves.
static HALVES: [[u8; 16]; 256] = expand();
/// Eight keep bits as eight words.
static WORDS: [[u8; 32]; 256] = expand();

/// Tabulates the masks of eight elements, `N` bytes together.
const fn expand<const N: usize>() -> [[u8; N]; 256] {
    let mut masks = [[0; N]; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut at = 0;
        while at < N {
            if bits >> (at / (N / 8)) & 1 == 1 {
                masks[bits][at] = 0xff;
            }
            at += 1;
        }
        bits += 1;
    }
    masks
}

/// Returns the keep bits from element `element` on, as many as a word has.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "AVX-512 alone uses it"))]
pub(super) fn bits_from(keep: &[u64], element: usize) -> u64 {
    let (word, bit) = (element / 64, element % 64);
    let low = keep.get(word).map_or(0, |word| word >> bit);
    // The first shift by one keeps both in range at bit 0.
    let high =
        if bit == 0 { 0 } else { keep.get(word + 1).map_or(0, |word| word << 1 << (63 - bit)) };
    low | high
}

/// Writes the kept elements of `from` and zeros for the others.
#[inline(always)]
pub(super) fn apply(size: ElementBytes, from: &[u8], keep: &[u64], to: &mut [u8]) {
    match size {
        ElementBytes::One => apply_with(&BYTES, from, keep, to),
        ElementBytes::Two => apply_with(&HALVES, from, keep, to),
        ElementBytes::Four => apply_with(&WORDS, from, keep, to),
    }
}

#[inline(always)]
fn apply_with<const N: usize>(masks: &[[u8; N]; 256], from: &[u8], keep: &[u64], to: &mut [u8]) {
    let ((from, from_rest), (to, to_rest)) = (from.as_chunks::<N>(), to.as_chunks_mut::<N>());
    let bits = |eight: usize| (keep[eight / 8] >> (eight % 8 * 8)) as usize & 255;
    for (eight, (from, to)) in from.iter().zip(to).enumerate() {
        let mask = &masks[bits(eight)];
        for ((to, from), mask) in to.iter_mut().zip(from).zip(mask) {
            *to = from & mask;
        }
    }
    if !from_rest.is_empty() {
        let mask = &masks[bits(from.len())];
        for ((from, to), mask) in from_rest.iter().zip(to_rest).zip(mask) {
            *to = from & mask;
        }
    }
}

/// Zeroes the elements that are not kept.
#[inline(always)]
pub(super) fn apply_in_place(size: ElementBytes, data: &mut [u8], keep: &[u64]) {
    match size {
        ElementBytes::One => apply_in_place_with(&BYTES, data, keep),
        ElementBytes::Two => apply_in_place_with(&HALVES, data, keep),
        ElementBytes::Four => apply_in_place_with(&WORDS, data, keep),
    }
}

#[inline(always)]
fn apply_in_place_with<const N: usize>(masks: &[[u8; N]; 256], data: &mut [u8], keep: &[u64]) {
    let (data, rest) = data.as_chunks_mut::<N>();
    let bits = |eight: usize| (keep[eight / 8] >> (eight % 8 * 8)) as usize & 255;
    let whole = data.len();
    for (eight, data) in data.iter_mut().enumerate() {
        let mask = &masks[bits(eight)];
        for (data, mask) in data.iter_mut().zip(mask) {
            *data &= mask;
        }
    }
    if !rest.is_empty() {
        for (data, mask) in rest.iter_mut().zip(&masks[bits(whole)]) {
            *data &= mask;
        }
    }
}

/// Writes keep bits as bytes, 1 for kept.
#[inline(always)]
pub(super) fn bytes(keep: &[u64], to: &mut [u8]) {
    let (eights, rest) = to.as_chunks_mut::<8>();
    let bits = |eight: usize| (keep[eight / 8] >> (eight % 8 * 8)) as usize & 255;
    let whole = eights.len();
    for (eight, to) in eights.iter_mut().enumerate() {
        for (to, mask) in to.iter_mut().zip(BYTES[bits(eight)]) {
            *to = mask & 1;
        }
    }
    if !rest.is_empty() {
        for (to, mask) in rest.iter_mut().zip(BYTES[bits(whole)]) {
            *to = mask & 1;
        }
    }
}
