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
pub(super) const STRIP: usize = 4;

/// Bytes of a [`Strand`].
const STRAND_BYTES: usize = 8 * (WORDS + 1);

/// One block of the sequence behind the word that holds what came before it.
pub(super) type Strand = [u64; WORDS + 1];

/// One block of the sequence, as a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Row(pub(super) [u64; WORDS]);

/// What a backend without bit-matrix instructions knows of such a register.
pub(super) struct Window {
    /// The block's sequence for each value of each register digit.
    digits: Box<[[Row; 16]; 8]>,
    /// The block's sequence for an all-zero register.
    constant: Row,
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
        let mut digits = Box::new([[Row([0; WORDS]); 16]; 8]);
        for (digit, table) in digits.iter_mut().enumerate() {
            for value in 1..16usize {
                let lowest = value.trailing_zeros() as usize;
                let rest = table[value & (value - 1)];
                let added = basis[4 * digit + lowest];
                table[value] = Row(std::array::from_fn(|word| rest.0[word] ^ added[word]));
            }
        }
        Some(Self {
            digits,
            constant: Row(basis[32]),
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
        let [constant, digits @ ..] = self.rows(register);
        let mut words = constant.0;
        for row in digits {
            for (word, part) in words.iter_mut().zip(row.0) {
                *word ^= part;
            }
        }
        let mut strand = [0; WORDS + 1];
        strand[0] = self.before(register);
        strand[1..].copy_from_slice(&words);
        strand
    }

    /// Returns the rows whose sum is the block that starts at `register`.
    #[inline(always)]
    pub(super) fn rows(&self, register: u32) -> [&Row; 9] {
        let row = |digit: usize| &self.digits[digit][(register >> (4 * digit)) as usize & 15];
        [&self.constant, row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)]
    }

    /// Returns the word of the sequence that lies before `register`'s block.
    #[inline(always)]
    pub(super) fn before(&self, register: u32) -> u64 {
        let newest_last = match self.shift {
            Shift::Left => register.reverse_bits(),
            Shift::Right => register,
        };
        u64::from(newest_last) << (32 + u32::from(self.draw_before))
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
        let strand = |register| self.strand(register);
        let compare = |cut, strands: &[Strand], kept: &mut [[u64; WORDS]; STRIP]| {
            if let Some(strip) = strands.first_chunk::<STRIP>() {
                *kept = self.compare(cut, strip);
            } else {
                for (strand, kept) in strands.iter().zip(kept) {
                    [*kept] = self.compare(cut, &[*strand]);
                }
            }
        };
        self.keep_by(strand, compare, cuts, registers, draws, keep, stride);
    }

    /// As [`Window::keep`], with a backend's ways to make a strand and to
    /// compare up to a strip of them.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "those of keep, and what a backend brings")]
    pub(super) fn keep_by(
        &self,
        strand: impl Fn(u32) -> Strand,
        mut compare: impl FnMut(Cut, &[Strand], &mut [[u64; WORDS]; STRIP]),
        cuts: Cuts<'_>,
        registers: &mut [u32],
        draws: usize,
        keep: &mut [u64],
        stride: usize,
    ) {
        let rest = draws % BLOCK;
        let last = (rest != 0).then(|| Lookup::new(&self.one_draw.power(rest)));
        let mut strands = [[0; WORDS + 1]; STRIP];
        let mut kept = [[0; WORDS]; STRIP];
        let mut places = [0; STRIP];
        let mut filled = 0;
        let end = registers.len();
        for (lane, register) in registers.iter_mut().enumerate() {
            let blocks = draws.div_ceil(BLOCK);
            for block in 0..blocks {
                strands[filled] = strand(*register);
                places[filled] = lane * stride + block * WORDS;
                filled += 1;
                *register = match &last {
                    Some(last) if block == draws / BLOCK => last.apply(*register),
                    _ => self.advance.apply(*register),
                };
                // The next register's cut may be another one.
                let done = block + 1 == blocks && (lane + 1 == end || cuts.differ());
                if filled == STRIP || done {
                    compare(cuts.of(lane), &strands[..filled], &mut kept);
                    for (words, &place) in kept.iter().zip(&places[..filled]) {
                        keep[place..place + WORDS].copy_from_slice(words);
                    }
                    filled = 0;
                }
            }
        }
    }

    /// Returns the keep bits of strands under one cut.
    #[inline(always)]
    fn compare<const N: usize>(&self, cut: Cut, strands: &[Strand; N]) -> [[u64; WORDS]; N] {
        if let Some(all) = self.fixed(cut) {
            return [[all; WORDS]; N];
        }
        // Shifts by 0..8 bits are made once; whole bytes come with the load.
        let mut shifted = [[[0u8; STRAND_BYTES]; N]; 8];
        for (by, copies) in shifted.iter_mut().enumerate() {
            for (copy, strand) in copies.iter_mut().zip(strands) {
                *copy = shift(strand, by as u32);
            }
        }
        let mut kept = [[u64::MAX; WORDS]; N];
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

    /// Returns the word of keep bits under a cut that all keys are on one side
    /// of.
    #[inline(always)]
    pub(super) fn fixed(&self, cut: Cut) -> Option<u64> {
        let none = cut.at_least >> self.key.bits != 0;
        (none || cut.at_least == 0).then_some(if none == cut.below { u64::MAX } else { 0 })
    }

    /// Returns how the draws are compared.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "AVX-512 alone uses it"))]
    pub(super) fn key(&self) -> Key {
        self.key
    }

    /// Returns how many draws ago bit `bit` of a draw came in.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "AVX-512 alone uses it"))]
    pub(super) fn lag(&self, bit: u32) -> usize {
        self.shift.lag(bit) as usize
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
fn combine<const N: usize>(
    kept: &mut [[u64; WORDS]; N],
    copies: &[[u8; STRAND_BYTES]; N],
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
