//! Keep bits of any affine register, in plain words: the bits of the next 64
//! draws are affine in the register, so tables give them a key bit at a time.
//!
//! The functions here are inlined into each backend and vectorised there.

use super::Cuts;
use super::recurrence::{Cut, Key, Lookup, Recurrence, Rows};

/// Draws in a block: one word a key bit.
const BLOCK: usize = 64;
/// Key bits made for every element: they decide all but one in 4,096.
const HIGH: usize = 12;
/// The other key bits, at most.
const LOW: usize = 20;
/// Registers compared at a time.
const ABREAST: usize = 4;

/// What a backend without bit-matrix instructions knows of such a register.
pub(super) struct Linear {
    high: Words<HIGH>,
    low: Words<LOW>,
    advance: Lookup,
    one_draw: Rows,
    key: Key,
}

/// Key bits of a block: a word each, the lowest bit first. Where the key has
/// fewer, the first ones are zero.
struct Words<const N: usize> {
    /// For each value of each register digit.
    digits: Box<[[[u64; N]; 16]; 8]>,
    /// For an all-zero register.
    constant: [u64; N],
}

impl<const N: usize> Words<N> {
    /// Tabulates the last bits of `functionals[draw]`.
    fn new<'a>(functionals: impl Iterator<Item = &'a [u64]>) -> Self {
        let mut basis = [[0u64; N]; 33];
        for (draw, bits) in functionals.enumerate() {
            for (bit, functional) in bits.iter().enumerate() {
                for (from, words) in basis.iter_mut().enumerate() {
                    words[N - bits.len() + bit] |= (functional >> from & 1) << draw;
                }
            }
        }
        let mut digits = Box::new([[[0u64; N]; 16]; 8]);
        for (digit, table) in digits.iter_mut().enumerate() {
            for value in 1..16usize {
                let lowest = value.trailing_zeros() as usize;
                let rest = table[value & (value - 1)];
                let added = basis[4 * digit + lowest];
                table[value] = std::array::from_fn(|bit| rest[bit] ^ added[bit]);
            }
        }
        Self { digits, constant: basis[32] }
    }

    /// Returns the key bits of the next draws of a register.
    #[inline(always)]
    fn of(&self, register: u32) -> [u64; N] {
        let mut words = self.constant;
        for (digit, table) in self.digits.iter().enumerate() {
            let row = &table[(register >> (4 * digit)) as usize & 15];
            for (word, part) in words.iter_mut().zip(row) {
                *word ^= part;
            }
        }
        words
    }
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
        let functionals = key_functionals(recurrence, key, BLOCK);
        let low = (key.bits as usize).saturating_sub(HIGH);
        let one_draw = Rows::one_draw(recurrence);
        Self {
            high: Words::new(functionals.iter().map(|bits| &bits[low..])),
            low: Words::new(functionals.iter().map(|bits| &bits[..low])),
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
        let rest = draws % BLOCK;
        let last = (rest != 0).then(|| Lookup::new(&self.one_draw.power(rest)));
        let mut take = |first: usize, registers: &mut [u32], cut: Cut| {
            for block in 0..draws.div_ceil(BLOCK) {
                let mut kept = [0; ABREAST];
                if let Some(now) = registers.first_chunk::<ABREAST>() {
                    kept = self.compare(cut, now);
                } else {
                    for (register, kept) in registers.iter().zip(&mut kept) {
                        [*kept] = self.compare(cut, &[*register]);
                    }
                }
                for (lane, (register, kept)) in registers.iter_mut().zip(kept).enumerate() {
                    keep[(first + lane) * stride + block] = kept;
                    *register = match &last {
                        Some(last) if block == draws / BLOCK => last.apply(*register),
                        _ => self.advance.apply(*register),
                    };
                }
            }
        };
        // Registers under different cuts go alone.
        let abreast = if cuts.differ() { 1 } else { ABREAST };
        for (group, registers) in registers.chunks_mut(abreast).enumerate() {
            take(group * abreast, registers, cuts.of(group * abreast));
        }
    }

    /// Returns the keep bits of 64 draws of each of some registers.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "one bit of every register at a time")]
    fn compare<const N: usize>(&self, cut: Cut, registers: &[u32; N]) -> [u64; N] {
        let flip = if cut.below { u64::MAX } else { 0 };
        if cut.at_least >> self.key.bits != 0 {
            return [flip; N];
        }
        let low_bits = (self.key.bits as usize).saturating_sub(HIGH);
        let mut words = [[0; HIGH]; N];
        for (words, register) in words.iter_mut().zip(registers) {
            *words = self.high.of(*register);
        }
        // The key's bits are the last ones of the words.
        let spare = HIGH - (self.key.bits as usize).min(HIGH);
        let cut_high = cut.at_least >> low_bits << spare;
        // Kept if all lower bits say yes, and if all say no.
        let (mut yes, mut no) = ([u64::MAX; N], [0; N]);
        for bit in spare..HIGH {
            let set = cut_high >> bit & 1 == 1;
            for lane in 0..N {
                let seen = words[lane][bit];
                if set {
                    yes[lane] &= seen;
                    no[lane] &= seen;
                } else {
                    yes[lane] |= seen;
                    no[lane] |= seen;
                }
            }
        }
        if low_bits != 0 && yes != no {
            for lane in 0..N {
                if yes[lane] != no[lane] {
                    let lower = self.compare_low(cut, registers[lane], low_bits);
                    yes[lane] = no[lane] | yes[lane] & lower;
                }
            }
        }
        for kept in &mut yes {
            *kept ^= flip;
        }
        yes
    }

    /// Compares the low bits of the key.
    #[inline(always)]
    fn compare_low(&self, cut: Cut, register: u32, bits: usize) -> u64 {
        let words = self.low.of(register);
        let mut kept = u64::MAX;
        for (bit, seen) in words[LOW - bits..].iter().enumerate() {
            kept = if cut.at_least >> bit & 1 == 1 { kept & seen } else { kept | seen };
        }
        kept
    }
}
