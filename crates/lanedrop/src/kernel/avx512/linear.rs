//! Keep bits of any affine register, eight lanes side by side.
//!
//! Every key bit of the next 64 draws is a bit-matrix product of the register.
//! The high bits of the key decide all but one element in 2^14, so the low
//! ones are made only where a block of 512 elements has an undecided one.

use std::arch::x86_64::*;

use super::{
    Advance, Ahead, Product, Row, lanes_of, load, planes, put_lanes, registers, store,
    transpose_bytes,
};
use crate::kernel::linear::key_functionals;
use crate::kernel::recurrence::{Cut, Key, Recurrence, Rows};
use crate::kernel::{Cuts, WORDS};

/// Draws in a block of eight lanes: one vector a key bit.
const BLOCK: usize = 64;
/// Lanes side by side.
const LANES: usize = 8;
/// Blocks of the same lanes made at a time: they share the loads.
const STATES: usize = 2;
/// Key bits made for every element.
const HIGH: usize = 14;

/// What the kernel knows of a register.
pub(in crate::kernel) struct LinearGf {
    /// Key bit `i`, the lowest first: word `k` has draws `8 k..8 k + 8`.
    bits: Vec<Product>,
    advance: Advance,
    one_draw: Rows,
    key: Key,
}

/// The cuts of eight lanes as vectors, a word a lane.
struct CutVectors {
    /// `clear[i]`: all ones where bit `i` of the cut is clear, byte `k` of
    /// every word for lane `k`, as the products are laid out.
    clear: [Row; 32],
    none: Row,
    below: Row,
}

impl LinearGf {
    /// Prepares a register.
    pub(in crate::kernel) fn new(recurrence: &Recurrence, key: Key) -> Self {
        let functionals = key_functionals(recurrence, key, BLOCK);
        let bit = |bit: u32| {
            Product::new(&std::array::from_fn(|word| {
                std::array::from_fn(|draw| functionals[8 * word + draw][bit as usize])
            }))
        };
        let one_draw = Rows::one_draw(recurrence);
        Self {
            bits: (0..key.bits).map(bit).collect(),
            advance: Advance::new(&one_draw.power(BLOCK).0),
            one_draw,
            key,
        }
    }

    /// Writes the keep bits of the next `draws` draws of each register.
    ///
    /// Register `r` gets the words from `keep[r * stride]` on, eight at a time.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni")]
    pub(in crate::kernel) fn keep(
        &self,
        cuts: Cuts<'_>,
        lanes: &mut [u32],
        draws: usize,
        keep: &mut [u64],
        stride: usize,
        ahead: &[u8],
    ) {
        let rest = draws % BLOCK;
        let last = (rest != 0).then(|| Advance::new(&self.one_draw.power(rest).0));
        let same = match cuts {
            Cuts::Same(cut) => Some(self.vectors(&[cut; LANES])),
            Cuts::Each(_) => None,
        };
        let blocks = draws.div_ceil(BLOCK);
        let mut ahead = Ahead::new(ahead, lanes.len().div_ceil(LANES) * blocks.div_ceil(STATES));
        for (group, lanes) in lanes.chunks_mut(LANES).enumerate() {
            let first = group * LANES;
            let each;
            let vectors = match (&same, cuts) {
                (Some(same), _) => same,
                (None, cuts) => {
                    let mut group = [cuts.of(first); LANES];
                    for (lane, cut) in group.iter_mut().enumerate().take(lanes.len()) {
                        *cut = cuts.of(first + lane);
                    }
                    each = self.vectors(&group);
                    &each
                }
            };
            let mut now = planes(&lanes_of(lanes));
            for eight in (0..blocks).step_by(WORDS) {
                let mut kept = [_mm512_setzero_si512(); WORDS];
                let states = kept.as_chunks_mut::<STATES>().0.iter_mut().enumerate();
                for (at, kept) in states.take((blocks - eight).div_ceil(STATES)) {
                    ahead.fetch();
                    let first = eight + STATES * at;
                    let mut states = [now; STATES];
                    for (state, block) in states.iter_mut().zip(first..blocks) {
                        *state = now;
                        now = match &last {
                            Some(last) if block == draws / BLOCK => last.of(&now),
                            _ => self.advance.of(&now),
                        };
                    }
                    for (kept, bits) in kept.iter_mut().zip(self.compare(vectors, &states)) {
                        *kept = transpose_bytes(bits);
                    }
                }
                for (lane, kept) in transpose_words(kept).into_iter().enumerate().take(lanes.len())
                {
                    if let Some(to) = keep[(first + lane) * stride + eight..].first_chunk_mut() {
                        store(to, kept);
                    }
                }
            }
            put_lanes(&registers(&now), lanes);
        }
    }

    /// Spreads the cuts of eight lanes over vectors.
    fn vectors(&self, cuts: &[Cut; LANES]) -> CutVectors {
        let row = |test: &dyn Fn(&Cut) -> bool| {
            Row([u64::from_le_bytes(cuts.map(|cut| if test(&cut) { 0xff } else { 0 })); 8])
        };
        let mut clear = [Row::default(); 32];
        for (bit, clear) in clear.iter_mut().enumerate().take(self.key.bits as usize) {
            *clear = row(&|cut| cut.at_least >> bit & 1 == 0);
        }
        CutVectors {
            clear,
            none: row(&|cut| cut.at_least >> self.key.bits != 0),
            below: row(&|cut| cut.below),
        }
    }

    /// Returns the keep bits of 64 draws from each of some states of the lanes:
    /// byte `8 k + lane` has draws `8 k..8 k + 8` of a lane.
    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    #[inline]
    fn compare(&self, cuts: &CutVectors, states: &[[__m512i; 4]; STATES]) -> [__m512i; STATES] {
        let low = self.key.bits.saturating_sub(HIGH as u32) as usize;
        // Kept if all lower bits say yes, and if all say no.
        let mut yes = [_mm512_set1_epi64(-1); STATES];
        let mut no = [_mm512_setzero_si512(); STATES];
        if let (Some(products), Some(clear)) =
            (self.bits[low..].first_chunk::<HIGH>(), cuts.clear[low..].first_chunk::<HIGH>())
        {
            for bit in 0..HIGH {
                let (seen, clear) = (products[bit].of_each(states), load(&clear[bit]));
                for state in 0..STATES {
                    // The majority of kept, seen and a clear bit of the cut.
                    yes[state] = _mm512_ternarylogic_epi64::<0xe8>(yes[state], seen[state], clear);
                    no[state] = _mm512_ternarylogic_epi64::<0xe8>(no[state], seen[state], clear);
                }
            }
        } else {
            for (product, clear) in self.bits.iter().zip(&cuts.clear) {
                let (seen, clear) = (product.of_each(states), load(clear));
                for state in 0..STATES {
                    yes[state] = _mm512_ternarylogic_epi64::<0xe8>(yes[state], seen[state], clear);
                }
            }
        }
        if low != 0 {
            for (state, planes) in states.iter().enumerate() {
                if _mm512_cmpneq_epi64_mask(yes[state], no[state]) != 0 {
                    let lower = self.compare_low(cuts, planes, low);
                    // Where undecided, as the lower bits say: no | (yes & lower)
                    yes[state] = _mm512_ternarylogic_epi64::<0xf8>(no[state], yes[state], lower);
                }
            }
        }
        let (none, below) = (load(&cuts.none), load(&cuts.below));
        for yes in &mut yes {
            // (kept and not none) xor below
            *yes = _mm512_ternarylogic_epi64::<0x9a>(*yes, none, below);
        }
        yes
    }

    /// Compares the low bits of the key.
    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    #[inline(never)]
    fn compare_low(&self, cuts: &CutVectors, now: &[__m512i; 4], low: usize) -> __m512i {
        let mut lower = _mm512_set1_epi64(-1);
        for (product, clear) in self.bits[..low].iter().zip(&cuts.clear) {
            lower = _mm512_ternarylogic_epi64::<0xe8>(lower, product.of(now), load(clear));
        }
        lower
    }
}

/// Transposes 8x8 words.
#[target_feature(enable = "avx512f")]
#[inline]
fn transpose_words(rows: [__m512i; 8]) -> [__m512i; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    let even = super::transpose_quarters([
        _mm512_unpacklo_epi64(a, b),
        _mm512_unpacklo_epi64(c, d),
        _mm512_unpacklo_epi64(e, f),
        _mm512_unpacklo_epi64(g, h),
    ]);
    let odd = super::transpose_quarters([
        _mm512_unpackhi_epi64(a, b),
        _mm512_unpackhi_epi64(c, d),
        _mm512_unpackhi_epi64(e, f),
        _mm512_unpackhi_epi64(g, h),
    ]);
    [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
}
