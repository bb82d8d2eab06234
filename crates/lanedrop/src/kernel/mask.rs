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
        *to = std::array::from_fn(|at| from[at] & mask[at]);
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
        *data = std::array::from_fn(|at| data[at] & mask[at]);
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
        *to = BYTES[bits(eight)].map(|mask| mask & 1);
    }
    if !rest.is_empty() {
        for (to, mask) in rest.iter_mut().zip(BYTES[bits(whole)]) {
            *to = mask & 1;
        }
    }
}
