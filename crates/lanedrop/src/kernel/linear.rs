//! Keep bits of any affine register, in plain words: the bits of the next 64
//! draws are affine in the register, so tables give them a key bit at a time.
//!
//! The functions here are inlined into each backend and vectorised there.

use super::Cuts;
use super::recurrence::{Cut, Key, Lookup, Recurrence, Rows};

/// Draws in a block: one word a key bit.
const BLOCK: usize = 64;

/// What a backend without bit-matrix instructions knows of such a register.
pub(super) struct Linear {
    /// `[digit][value][key bit]`: the words for each value of each digit.
    digits: Vec<u64>,
    /// The words for an all-zero register.
    constant: Vec<u64>,
    advance: Lookup,
    one_draw: Rows,
    key: Key,
}

/// Returns the functionals of the key's bits for `draws` draws, `[draw][bit]`.
pub(super) fn key_functionals(recurrence: &Recurrence, key: Key, draws: usize) -> Vec<Vec<u64>> {
    let one_draw = Rows::one_draw(recurrence);
    let mut now = if recurrence.draw_before { Rows::identity() } else { one_draw.clone() };
    let mut all = Vec::with_capacity(draws);
    for draw in 0..draws {
        if draw != 0 {
            now = one_draw.after(&now);
        }
        let mut bits = now.0[key.low as usize..(key.low + key.bits) as usize].to_vec();
        if key.signed && key.low + key.bits == 32 {
            bits[key.bits as usize - 1] ^= 1 << 32;
        }
        all.push(bits);
    }
    all
}

impl Linear {
    /// Tabulates the key bits of a block.
    pub(super) fn new(recurrence: &Recurrence, key: Key) -> Self {
        let width = width(key);
        let functionals = key_functionals(recurrence, key, BLOCK);
        let mut basis = vec![0u64; 33 * width];
        for (draw, bits) in functionals.iter().enumerate() {
            for (bit, functional) in bits.iter().enumerate() {
                for (from, words) in basis.chunks_exact_mut(width).enumerate() {
                    words[bit] |= (functional >> from & 1) << draw;
                }
            }
        }
        let mut digits = vec![0u64; 8 * 16 * width];
        for digit in 0..8 {
            for value in 1..16usize {
                let lowest = value.trailing_zeros() as usize;
                let rest = (16 * digit + (value & (value - 1))) * width;
                let added = (4 * digit + lowest) * width;
                for bit in 0..width {
                    digits[(16 * digit + value) * width + bit] =
                        digits[rest + bit] ^ basis[added + bit];
                }
            }
        }
        let one_draw = Rows::one_draw(recurrence);
        Self {
            digits,
            constant: basis[32 * width..].to_vec(),
            advance: Lookup::new(&one_draw.power(BLOCK)),
            one_draw,
            key,
        }
    }

    /// Writes the keep bits of the next `draws` draws of each register.
    ///
    /// Register `r` gets the words from `keep[r * stride]` on.
    #[inline(always)]
    pub(super) fn keep(
        &self,
        cuts: Cuts<'_>,
        registers: &mut [u32],
        draws: usize,
        keep: &mut [u64],
        stride: usize,
    ) {
        if width(self.key) == 24 {
            self.keep_wide::<24>(cuts, registers, draws, keep, stride);
        } else {
            self.keep_wide::<32>(cuts, registers, draws, keep, stride);
        }
    }

    #[inline(always)]
    fn keep_wide<const W: usize>(
        &self,
        cuts: Cuts<'_>,
        registers: &mut [u32],
        draws: usize,
        keep: &mut [u64],
        stride: usize,
    ) {
        let rest = draws % BLOCK;
        let last = (rest != 0).then(|| Lookup::new(&self.one_draw.power(rest)));
        let rows = self.digits.as_chunks::<W>().0;
        let constant = &self.constant.as_chunks::<W>().0[0];
        for (lane, register) in registers.iter_mut().enumerate() {
            let cut = cuts.of(lane);
            let kept = &mut keep[lane * stride..][..draws.div_ceil(BLOCK)];
            for (block, kept) in kept.iter_mut().enumerate() {
                let mut words = *constant;
                for digit in 0..8 {
                    let row = &rows[16 * digit + ((*register >> (4 * digit)) as usize & 15)];
                    for (word, part) in words.iter_mut().zip(row) {
                        *word ^= part;
                    }
                }
                *kept = self.compare(cut, &words);
                *register = match &last {
                    Some(last) if block == draws / BLOCK => last.apply(*register),
                    _ => self.advance.apply(*register),
                };
            }
        }
    }

    /// Returns the keep bits of 64 draws from the words of their key bits.
    #[inline(always)]
    fn compare(&self, cut: Cut, words: &[u64]) -> u64 {
        let mut kept = if cut.at_least >> self.key.bits == 0 { u64::MAX } else { 0 };
        if kept != 0 && cut.at_least != 0 {
            let first = cut.at_least.trailing_zeros() as usize;
            for (bit, word) in words.iter().enumerate().take(self.key.bits as usize).skip(first) {
                kept = if cut.at_least >> bit & 1 == 1 { kept & word } else { kept | word };
            }
        }
        if cut.below { !kept } else { kept }
    }
}

/// Words of a table row: the key's bits, up to whole vectors.
fn width(key: Key) -> usize {
    if key.bits <= 24 { 24 } else { 32 }
}
