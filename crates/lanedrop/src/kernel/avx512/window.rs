//! Keep bits of a shift-by-one register, eight lanes side by side.
//!
//! The bit sequence of a lane is split by draw modulo 8 (its *residues*): the
//! window of a key bit is then another residue, at most four bits older, so 31
//! shifts serve all windows of 4,096 elements, and the comparison is a bare
//! AND or OR a bit of the cut, two of them an instruction. Bit-matrix products
//! make the residues from the register, so a short row costs no start-up.

use std::arch::x86_64::*;

use super::{
    Advance, Ahead, Product, Row, lanes_of, load, planes, put_lanes, registers, store,
    transpose_bytes, transpose_quarters,
};
use crate::kernel::recurrence::{Cut, Key, Recurrence, Rows, Sequence, Shift};
use crate::kernel::{Cuts, WORDS};

/// Draws in a block.
const BLOCK: usize = 64 * WORDS;
/// Lanes side by side.
const LANES: usize = 8;
/// Up to how many instructions a comparison is quicker in a loop.
const FEW: usize = 6;
/// Residues and what they were one to four bits ago; the current ones last.
type Windows = [__m512i; 41];

/// What the kernel knows of a register.
pub(in crate::kernel) struct WindowGf {
    /// Residue `r` of the next block.
    residues: [Product; 8],
    /// The four draws before the block of residue `r`, in word `r`.
    before: Product,
    advance: Advance,
    sequence: Sequence,
    shift: Shift,
    draw_before: bool,
    key: Key,
}

/// One instruction of a comparison: how it combines which windows.
#[derive(Clone, Copy, Default)]
struct Step {
    kind: Kind,
    /// The first of nine consecutive windows it may read.
    from: u8,
}

/// Two bits of the cut, or one; `Up` when the higher bit is the newer one.
#[derive(Clone, Copy, Default)]
enum Kind {
    AndAnd,
    OrAnd,
    AndOr,
    OrOr,
    OrAndUp,
    AndOrUp,
    #[default]
    And,
    Or,
    AndNot,
    OrNot,
}

/// The instructions of a comparison, in order.
#[derive(Default)]
struct Plan {
    steps: [Step; 32],
    used: usize,
}

impl WindowGf {
    /// Prepares a register, `None` when it does not shift by one.
    pub(in crate::kernel) fn new(recurrence: &Recurrence, key: Key) -> Option<Self> {
        let one_draw = Rows::one_draw(recurrence);
        let shift = Shift::of(&one_draw)?;
        let sequence = Sequence::new(recurrence, &one_draw, shift, BLOCK + 1);
        let residues = std::array::from_fn(|residue| {
            Product::new(&std::array::from_fn(|byte| {
                std::array::from_fn(|bit| sequence.at((64 * byte + 8 * bit + residue) as isize))
            }))
        });
        let before = Product::new(&std::array::from_fn(|residue| {
            std::array::from_fn(|bit| match bit {
                0..4 => 0,
                // Bit 7 is the draw 8 before the residue's first.
                _ => sequence.at(residue as isize - 8 * (8 - bit as isize)),
            })
        }));
        let mut window = Self {
            residues,
            before,
            advance: Advance::new(&[0; 32]),
            sequence,
            shift,
            draw_before: recurrence.draw_before,
            key,
        };
        window.advance = window.advance_by(BLOCK);
        Some(window)
    }

    /// The map to the register `draws` draws later, up to a block.
    fn advance_by(&self, draws: usize) -> Advance {
        let newest = draws as isize - 1 + isize::from(self.draw_before);
        let row = |bit| self.sequence.at(newest - self.shift.lag(bit as u32) as isize);
        Advance::new(&std::array::from_fn(row))
    }

    /// Writes the keep bits of the next `draws` draws of each register.
    ///
    /// Register `r` gets the words from `keep[r * stride]` on, whole blocks.
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
        let last = (rest != 0).then(|| self.advance_by(rest));
        let plan = match cuts {
            Cuts::Same(cut) => self.plan(cut),
            Cuts::Each(_) => Plan::default(),
        };
        let blocks = draws.div_ceil(BLOCK);
        let mut ahead = Ahead::new(ahead, lanes.len().div_ceil(LANES) * blocks);
        for (group, lanes) in lanes.chunks_mut(LANES).enumerate() {
            let first = group * LANES;
            let mut now = planes(&lanes_of(lanes));
            let mut older = self.older(&now);
            for block in 0..blocks {
                ahead.fetch();
                let windows = self.windows(&now, &mut older);
                now = match &last {
                    Some(last) if block == draws / BLOCK => last.of(&now),
                    _ => self.advance.of(&now),
                };
                let kept = match cuts {
                    Cuts::Same(cut) if self.is_default() && plan.used > FEW => {
                        rows(compare_top23(cut, &windows))
                    }
                    Cuts::Same(cut) => rows(self.compare(cut, &plan, &windows)),
                    Cuts::Each(cuts) => {
                        let cuts = &cuts[first..first + lanes.len()];
                        rows(self.compare_each(cuts, &windows))
                    }
                };
                for (lane, kept) in kept.into_iter().enumerate().take(lanes.len()) {
                    let at = (first + lane) * stride + block * WORDS;
                    if let Some(to) = keep[at..].first_chunk_mut::<WORDS>() {
                        store(to, kept);
                    }
                }
            }
            put_lanes(&registers(&now), lanes);
        }
    }

    /// Whether the draws are compared as the default profile does.
    fn is_default(&self) -> bool {
        self.shift == Shift::Left && self.key == Key { low: 9, bits: 23, signed: false }
    }

    /// Lists the instructions that compare with `cut`.
    fn plan(&self, cut: Cut) -> Plan {
        let mut plan = Plan::default();
        if cut.at_least == 0 || cut.at_least >> self.key.bits != 0 {
            return plan;
        }
        let set = |bit: u32| cut.at_least >> bit & 1 == 1;
        let lag = |bit: u32| self.shift.lag(self.key.low + bit) as u8;
        let inverted = |bit: u32| self.key.signed && self.key.low + bit == 31;
        let mut bit = cut.at_least.trailing_zeros();
        while bit < self.key.bits {
            let pair = bit + 1 < self.key.bits && !inverted(bit) && !inverted(bit + 1);
            plan.steps[plan.used] = if pair {
                let up = self.shift == Shift::Right;
                Step {
                    kind: match (set(bit), set(bit + 1), up) {
                        (true, true, _) => Kind::AndAnd,
                        (false, false, _) => Kind::OrOr,
                        (false, true, false) => Kind::OrAnd,
                        (false, true, true) => Kind::OrAndUp,
                        (true, false, false) => Kind::AndOr,
                        (true, false, true) => Kind::AndOrUp,
                    },
                    from: 32 - lag(bit).max(lag(bit + 1)),
                }
            } else {
                Step {
                    kind: match (set(bit), inverted(bit)) {
                        (true, false) => Kind::And,
                        (false, false) => Kind::Or,
                        (true, true) => Kind::AndNot,
                        (false, true) => Kind::OrNot,
                    },
                    from: 32 - lag(bit),
                }
            };
            plan.used += 1;
            bit += if pair { 2 } else { 1 };
        }
        plan
    }

    /// Returns the four draws before the first block, by residue, at the top
    /// of each lane's word.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
    #[inline]
    fn older(&self, now: &[__m512i; 4]) -> [__m512i; 8] {
        let before = self.before.of(now);
        let top =
            _mm512_set_epi64(7 << 56, 6 << 56, 5 << 56, 4 << 56, 3 << 56, 2 << 56, 1 << 56, 0);
        let mut older = [before; 8];
        for (residue, older) in older.iter_mut().enumerate() {
            let from = _mm512_add_epi8(top, _mm512_set1_epi8(8 * residue as i8));
            *older = _mm512_permutexvar_epi8(from, before);
        }
        older
    }

    /// Returns the windows of a block; `older` becomes its residues.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
    #[inline]
    fn windows(&self, now: &[__m512i; 4], older: &mut [__m512i; 8]) -> Windows {
        let mut windows = [_mm512_setzero_si512(); 41];
        for (residue, older) in older.iter_mut().enumerate() {
            let bits = transpose_bytes(self.residues[residue].of(now));
            windows[32 + residue] = bits;
            windows[24 + residue] = _mm512_shldi_epi64::<1>(bits, *older);
            windows[16 + residue] = _mm512_shldi_epi64::<2>(bits, *older);
            windows[8 + residue] = _mm512_shldi_epi64::<3>(bits, *older);
            windows[residue] = _mm512_shldi_epi64::<4>(bits, *older);
            *older = bits;
        }
        windows
    }

    /// Returns the keep bits of a block by residue, one cut for all lanes.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn compare(&self, cut: Cut, plan: &Plan, windows: &Windows) -> [__m512i; 8] {
        let none = cut.at_least >> self.key.bits != 0;
        let mut kept = [_mm512_set1_epi64(if none { 0 } else { -1 }); 8];
        for step in &plan.steps[..plan.used] {
            let from = usize::from(step.from);
            let Some(seen) = windows[from..].first_chunk::<9>() else { continue };
            kept = match step.kind {
                Kind::AndAnd => combine::<0x80, 1>(kept, seen),
                Kind::OrOr => combine::<0xfe, 1>(kept, seen),
                Kind::OrAnd => combine::<0xa8, 1>(kept, seen),
                Kind::AndOr => combine::<0xea, 1>(kept, seen),
                Kind::OrAndUp => combine::<0xa8, 0>(kept, seen),
                Kind::AndOrUp => combine::<0xea, 0>(kept, seen),
                Kind::And => combine::<0xc0, 0>(kept, seen),
                Kind::Or => combine::<0xfc, 0>(kept, seen),
                Kind::AndNot => combine::<0x30, 0>(kept, seen),
                Kind::OrNot => combine::<0xf3, 0>(kept, seen),
            };
        }
        if cut.below {
            for bits in &mut kept {
                *bits = _mm512_xor_si512(*bits, _mm512_set1_epi64(-1));
            }
        }
        kept
    }

    /// Returns the keep bits of a block by residue, a cut a lane.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq")]
    #[inline]
    fn compare_each(&self, cuts: &[Cut], windows: &Windows) -> [__m512i; 8] {
        let mut at_least: Row = Row([0; 8]);
        let mut none: Row = Row([0; 8]);
        let mut below: Row = Row([0; 8]);
        for (lane, cut) in cuts.iter().enumerate().take(LANES) {
            at_least.0[lane] = cut.at_least;
            none.0[lane] = if cut.at_least >> self.key.bits != 0 { u64::MAX } else { 0 };
            below.0[lane] = if cut.below { u64::MAX } else { 0 };
        }
        let at_least = load(&at_least);
        let mut kept = [_mm512_set1_epi64(-1); 8];
        for bit in 0..self.key.bits {
            let place = self.key.low + bit;
            let Some(seen) = windows[32 - self.shift.lag(place) as usize..].first_chunk::<8>()
            else {
                continue;
            };
            // The majority of kept, seen and a clear bit of the cut.
            let clear = _mm512_testn_epi64_mask(at_least, _mm512_set1_epi64(1 << bit));
            let clear = _mm512_movm_epi64(clear);
            for (kept, &seen) in kept.iter_mut().zip(seen) {
                *kept = if self.key.signed && place == 31 {
                    _mm512_ternarylogic_epi64::<0xb2>(*kept, seen, clear)
                } else {
                    _mm512_ternarylogic_epi64::<0xe8>(*kept, seen, clear)
                };
            }
        }
        let (none, below) = (load(&none), load(&below));
        for bits in &mut kept {
            // (kept and not none) xor below
            *bits = _mm512_ternarylogic_epi64::<0x9a>(*bits, none, below);
        }
        kept
    }
}

/// Returns the keep bits of a block by residue, for the top 23 bits of a
/// register that shifts left: as [`WindowGf::compare`], with every window known
/// when the code is compiled, so that most stay in registers.
#[target_feature(enable = "avx512f")]
#[inline]
fn compare_top23(cut: Cut, windows: &Windows) -> [__m512i; 8] {
    let none = cut.at_least >> 23 != 0;
    let mut kept = [_mm512_set1_epi64(if none { 0 } else { -1 }); 8];
    if !none {
        // Clear bits below the lowest set one leave all ones as they are.
        let cut = cut.at_least;
        kept = pair::<9>(kept, windows, cut);
        kept = pair::<11>(kept, windows, cut >> 2);
        kept = pair::<13>(kept, windows, cut >> 4);
        kept = pair::<15>(kept, windows, cut >> 6);
        kept = pair::<17>(kept, windows, cut >> 8);
        kept = pair::<19>(kept, windows, cut >> 10);
        kept = pair::<21>(kept, windows, cut >> 12);
        kept = pair::<23>(kept, windows, cut >> 14);
        kept = pair::<25>(kept, windows, cut >> 16);
        kept = pair::<27>(kept, windows, cut >> 18);
        kept = pair::<29>(kept, windows, cut >> 20);
        for (residue, kept) in kept.iter_mut().enumerate() {
            let seen = windows[32 + residue - 31];
            *kept = if cut >> 22 & 1 == 1 {
                _mm512_and_si512(*kept, seen)
            } else {
                _mm512_or_si512(*kept, seen)
            };
        }
    }
    if cut.below {
        for bits in &mut kept {
            *bits = _mm512_xor_si512(*bits, _mm512_set1_epi64(-1));
        }
    }
    kept
}

/// Combines each residue's bits with those that came in `LAG` draws ago and one
/// before that, as the two low bits of the cut ask.
#[target_feature(enable = "avx512f")]
#[inline]
fn pair<const LAG: usize>(kept: [__m512i; 8], windows: &Windows, cut: u64) -> [__m512i; 8] {
    let mut next = kept;
    for (residue, next) in next.iter_mut().enumerate() {
        let (first, second) = (windows[32 + residue - LAG], windows[31 + residue - LAG]);
        *next = match cut & 3 {
            0b11 => _mm512_ternarylogic_epi64::<0x80>(*next, first, second),
            0b00 => _mm512_ternarylogic_epi64::<0xfe>(*next, first, second),
            0b10 => _mm512_ternarylogic_epi64::<0xa8>(*next, first, second),
            _ => _mm512_ternarylogic_epi64::<0xea>(*next, first, second),
        };
    }
    next
}

/// Combines each residue's bits with two windows: `seen[r + FIRST]` and the
/// other of `seen[r]`, `seen[r + 1]`.
#[target_feature(enable = "avx512f")]
#[inline]
fn combine<const LOGIC: i32, const FIRST: usize>(
    kept: [__m512i; 8],
    seen: &[__m512i; 9],
) -> [__m512i; 8] {
    let mut next = kept;
    for (residue, next) in next.iter_mut().enumerate() {
        let (first, second) = (seen[residue + FIRST], seen[residue + 1 - FIRST]);
        *next = _mm512_ternarylogic_epi64::<LOGIC>(*next, first, second);
    }
    next
}

/// Returns the keep bits of each lane in the order of the draws, from those by
/// residue: bit `b` of residue `r` is draw `8 b + r`.
#[target_feature(enable = "avx512f,avx512bw,gfni")]
#[inline]
fn rows(residues: [__m512i; 8]) -> [__m512i; 8] {
    let [r0, r1, r2, r3, r4, r5, r6, r7] = residues;
    // Bytes of the residues side by side, the last residue first: the product
    // below takes bit i of a byte from byte 7 - i.
    let even = bytes_abreast(
        _mm512_unpacklo_epi8(r7, r6),
        _mm512_unpacklo_epi8(r5, r4),
        _mm512_unpacklo_epi8(r3, r2),
        _mm512_unpacklo_epi8(r1, r0),
    );
    let odd = bytes_abreast(
        _mm512_unpackhi_epi8(r7, r6),
        _mm512_unpackhi_epi8(r5, r4),
        _mm512_unpackhi_epi8(r3, r2),
        _mm512_unpackhi_epi8(r1, r0),
    );
    let [l0, l2, l4, l6] = transpose_quarters(even);
    let [l1, l3, l5, l7] = transpose_quarters(odd);
    [l0, l1, l2, l3, l4, l5, l6, l7]
}

/// Brings the bytes of eight residues together for every second lane and
/// transposes their bits: vector `k` has words `2 k` and `2 k + 1` of the
/// lanes.
#[target_feature(enable = "avx512f,avx512bw,gfni")]
#[inline]
fn bytes_abreast(ab: __m512i, cd: __m512i, ef: __m512i, gh: __m512i) -> [__m512i; 4] {
    let identity = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
    let (first, second) = (_mm512_unpacklo_epi16(ab, cd), _mm512_unpacklo_epi16(ef, gh));
    let (third, fourth) = (_mm512_unpackhi_epi16(ab, cd), _mm512_unpackhi_epi16(ef, gh));
    let mut parts = [
        _mm512_unpacklo_epi32(first, second),
        _mm512_unpackhi_epi32(first, second),
        _mm512_unpacklo_epi32(third, fourth),
        _mm512_unpackhi_epi32(third, fourth),
    ];
    for part in &mut parts {
        *part = _mm512_gf2p8affine_epi64_epi8::<0>(identity, *part);
    }
    parts
}
