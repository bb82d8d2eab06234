//! Keep bits of a shift-by-one register, in plain words: the draws are
//! windows on one bit sequence, so a comparison is one AND or OR a bit of the
//! cut on shifted copies of it.
//!
//! The functions here are inlined into each backend and vectorised there.

use super::recurrence::{Cut, Key, Lookup, Recurrence, Rows, Sequence, Shift};
use super::{Cuts, WORDS};

/// Draws in a block.
const BLOCK: usize = 64 * WORDS;
/// Blocks compared at a time.
const STRIP: usize = 4;

/// Bytes of a [`Strand`].
const STRAND_BYTES: usize = 8 * (WORDS + 1);

/// One block of the sequence behind the word that holds what came before it.
type Strand = [u64; WORDS + 1];

/// What a backend without bit-matrix instructions knows of such a register.
pub(super) struct Window {
    /// The block's sequence for each value of each register digit.
    digits: Box<[[[u64; WORDS]; 16]; 8]>,
    /// The block's sequence for an all-zero register.
    constant: [u64; WORDS],
    /// The register a block later.
    advance: Lookup,
    one_draw: Rows,
    shift: Shift,
    draw_before: bool,
    key: Key,
}

impl Window {
    /// Tabulates the sequence, `None` when the register does not shift by one.
    pub(super) fn new(recurrence: &Recurrence, key: Key) -> Option<Self> {
        let one_draw = Rows::one_draw(recurrence);
        let shift = Shift::of(&one_draw)?;
        let sequence = Sequence::new(recurrence, &one_draw, shift, BLOCK);
        let mut basis = [[0u64; WORDS]; 33];
        for draw in 0..BLOCK {
            let functional = sequence.at(draw as isize);
            for (from, words) in basis.iter_mut().enumerate() {
                words[draw / 64] |= (functional >> from & 1) << (draw % 64);
            }
        }
        let mut digits = Box::new([[[0u64; WORDS]; 16]; 8]);
        for (digit, table) in digits.iter_mut().enumerate() {
            for value in 1..16usize {
                let lowest = value.trailing_zeros() as usize;
                let rest = table[value & (value - 1)];
                let added = basis[4 * digit + lowest];
                table[value] = std::array::from_fn(|word| rest[word] ^ added[word]);
            }
        }
        Some(Self {
            digits,
            constant: basis[32],
            advance: Lookup::new(&one_draw.power(BLOCK)),
            one_draw,
            shift,
            draw_before: recurrence.draw_before,
            key,
        })
    }

    /// Returns the block that starts at `register`.
    #[inline(always)]
    fn strand(&self, register: u32) -> Strand {
        let mut words = self.constant;
        for (digit, table) in self.digits.iter().enumerate() {
            let row = &table[(register >> (4 * digit)) as usize & 15];
            for (word, part) in words.iter_mut().zip(row) {
                *word ^= part;
            }
        }
        let newest_first = match self.shift {
            Shift::Left => register.reverse_bits(),
            Shift::Right => register,
        };
        let mut strand = [0; WORDS + 1];
        strand[0] = u64::from(newest_first) << (32 + u32::from(self.draw_before));
        strand[1..].copy_from_slice(&words);
        strand
    }

    /// Writes the keep bits of the next `draws` draws of each register.
    ///
    /// Register `r` gets the words from `keep[r * stride]` on, whole blocks.
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
        let mut strands = [[0; WORDS + 1]; STRIP];
        let mut places = [0; STRIP];
        let mut filled = 0;
        for (lane, register) in registers.iter_mut().enumerate() {
            for block in 0..draws.div_ceil(BLOCK) {
                strands[filled] = self.strand(*register);
                places[filled] = lane * stride + block * WORDS;
                filled += 1;
                *register = match &last {
                    Some(last) if block == draws / BLOCK => last.apply(*register),
                    _ => self.advance.apply(*register),
                };
                if filled == STRIP {
                    self.flush(cuts.of(lane), &strands, &places, keep);
                    filled = 0;
                }
            }
            if filled != 0 && cuts.differ() {
                self.flush(cuts.of(lane), &strands, &places[..filled], keep);
                filled = 0;
            }
        }
        if filled != 0 {
            self.flush(cuts.of(0), &strands, &places[..filled], keep);
        }
    }

    #[inline(always)]
    fn flush(&self, cut: Cut, strands: &[Strand; STRIP], places: &[usize], keep: &mut [u64]) {
        let kept = self.compare(cut, strands);
        for (words, &place) in kept.iter().zip(places) {
            keep[place..place + WORDS].copy_from_slice(words);
        }
    }

    /// Returns the keep bits of a strip.
    #[inline(always)]
    fn compare(&self, cut: Cut, strands: &[Strand; STRIP]) -> [[u64; WORDS]; STRIP] {
        let whole = 1u64 << self.key.bits;
        if cut.at_least == 0 || cut.at_least >= whole {
            let all = (cut.at_least == 0) != cut.below;
            return [[if all { u64::MAX } else { 0 }; WORDS]; STRIP];
        }
        // Shifts by 0..8 bits are made once; whole bytes come with the load.
        let mut shifted = [[[0u8; STRAND_BYTES]; STRIP]; 8];
        for (by, copies) in shifted.iter_mut().enumerate() {
            for (copy, strand) in copies.iter_mut().zip(strands) {
                *copy = shift(strand, by as u32);
            }
        }
        let mut kept = [[u64::MAX; WORDS]; STRIP];
        for bit in cut.at_least.trailing_zeros()..self.key.bits {
            let place = self.key.low + bit;
            let lag = self.shift.lag(place) as usize;
            let copies = &shifted[lag % 8];
            let invert = self.key.signed && place == 31;
            match (cut.at_least >> bit & 1 == 1, invert) {
                (true, false) => combine(&mut kept, copies, lag / 8, |kept, seen| kept & seen),
                (false, false) => combine(&mut kept, copies, lag / 8, |kept, seen| kept | seen),
                (true, true) => combine(&mut kept, copies, lag / 8, |kept, seen| kept & !seen),
                (false, true) => combine(&mut kept, copies, lag / 8, |kept, seen| kept | !seen),
            }
        }
        if cut.below {
            for word in kept.as_flattened_mut() {
                *word = !*word;
            }
        }
        kept
    }
}

/// Returns a strand with each bit `by` places later, by less than 8.
#[inline(always)]
fn shift(strand: &Strand, by: u32) -> [u8; STRAND_BYTES] {
    let mut bytes = [0; STRAND_BYTES];
    let (before, words) = bytes.split_at_mut(8);
    before.copy_from_slice(&(strand[0] << by).to_le_bytes());
    for (at, bytes) in words.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        // The first shift by one keeps both in range when `by` is 0.
        let carried = strand[at] >> 1 >> (63 - by);
        *bytes = (strand[at + 1] << by | carried).to_le_bytes();
    }
    bytes
}

/// Combines the keep bits of a strip with the windows `late` bytes back.
#[inline(always)]
fn combine(
    kept: &mut [[u64; WORDS]; STRIP],
    copies: &[[u8; STRAND_BYTES]; STRIP],
    late: usize,
    logic: impl Fn(u64, u64) -> u64,
) {
    for (kept, copy) in kept.iter_mut().zip(copies) {
        let window = &copy[8 - late.min(8)..];
        for (kept, bytes) in kept.iter_mut().zip(window.as_chunks::<8>().0) {
            *kept = logic(*kept, u64::from_le_bytes(*bytes));
        }
    }
}
