//! The window comparison in 256-bit vectors.

use std::arch::x86_64::*;

use crate::kernel::recurrence::Cut;
use crate::kernel::window::{STRIP, Strand, Window};
use crate::kernel::{Cuts, WORDS};

/// A strand moved by less than a byte, with room to be read three bytes late:
/// its words from the fifth on, what came before in the fourth.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Moved([u64; 12]);

/// Where the words of a [`Moved`] begin, in bytes.
const FROM: usize = 32;

/// Writes the keep bits of the next `draws` draws of each register.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) fn keep(
    window: &Window,
    cuts: Cuts<'_>,
    registers: &mut [u32],
    draws: usize,
    keep: &mut [u64],
    stride: usize,
) {
    let mut moved = [[Moved([0; 12]); STRIP]; 8];
    let compare = |cut, strands: &[Strand], kept: &mut [[u64; WORDS]; STRIP]| {
        if let Some(strip) = strands.first_chunk::<STRIP>() {
            compare(window, cut, strip, &mut moved, kept);
        } else {
            for (strand, kept) in strands.iter().zip(kept) {
                let one = std::array::from_mut(kept);
                compare(window, cut, std::array::from_ref(strand), &mut moved, one);
            }
        }
    };
    let strand = |register| strand(window, register);
    window.keep_by(strand, compare, cuts, registers, draws, keep, stride);
}

/// Returns the block that starts at `register`.
#[target_feature(enable = "avx2")]
#[inline]
fn strand(window: &Window, register: u32) -> Strand {
    let mut halves = [_mm256_setzero_si256(); 2];
    for row in window.rows(register) {
        halves[0] = _mm256_xor_si256(halves[0], load(&row.0[..4]));
        halves[1] = _mm256_xor_si256(halves[1], load(&row.0[4..]));
    }
    let mut strand = [0; WORDS + 1];
    strand[0] = window.before(register);
    store(&mut strand[1..5], halves[0]);
    store(&mut strand[5..], halves[1]);
    strand
}

/// Finds the keep bits of strands under one cut; `moved` is for its use.
#[target_feature(enable = "avx2")]
#[inline]
fn compare<const N: usize>(
    window: &Window,
    cut: Cut,
    strands: &[Strand; N],
    moved: &mut [[Moved; STRIP]; 8],
    to: &mut [[u64; WORDS]; N],
) {
    if let Some(all) = window.fixed(cut) {
        *to = [[all; WORDS]; N];
        return;
    }
    for (lane, strand) in strands.iter().enumerate() {
        let (words, before) = (halves(strand, 1), halves(strand, 0));
        move_by::<0, 64>(strand, words, before, &mut moved[0][lane]);
        move_by::<1, 63>(strand, words, before, &mut moved[1][lane]);
        move_by::<2, 62>(strand, words, before, &mut moved[2][lane]);
        move_by::<3, 61>(strand, words, before, &mut moved[3][lane]);
        move_by::<4, 60>(strand, words, before, &mut moved[4][lane]);
        move_by::<5, 59>(strand, words, before, &mut moved[5][lane]);
        move_by::<6, 58>(strand, words, before, &mut moved[6][lane]);
        move_by::<7, 57>(strand, words, before, &mut moved[7][lane]);
    }
    let ones = _mm256_set1_epi64x(-1);
    let mut kept = [[ones; 2]; N];
    let key = window.key();
    for bit in cut.at_least.trailing_zeros()..key.bits {
        let place = key.low + bit;
        let lag = window.lag(place);
        let (moved, late) = (&moved[lag % 8], lag / 8);
        let inverted = key.signed && place == 31;
        match (cut.at_least >> bit & 1 == 1, inverted) {
            (true, false) => {
                for (kept, moved) in kept.iter_mut().zip(moved) {
                    let [low, high] = seen(moved, late);
                    *kept = [_mm256_and_si256(kept[0], low), _mm256_and_si256(kept[1], high)];
                }
            }
            (false, false) => {
                for (kept, moved) in kept.iter_mut().zip(moved) {
                    let [low, high] = seen(moved, late);
                    *kept = [_mm256_or_si256(kept[0], low), _mm256_or_si256(kept[1], high)];
                }
            }
            (true, true) => {
                for (kept, moved) in kept.iter_mut().zip(moved) {
                    let [low, high] = seen(moved, late);
                    *kept = [_mm256_andnot_si256(low, kept[0]), _mm256_andnot_si256(high, kept[1])];
                }
            }
            (false, true) => {
                for (kept, moved) in kept.iter_mut().zip(moved) {
                    let [low, high] = seen(moved, late);
                    let (low, high) = (_mm256_xor_si256(low, ones), _mm256_xor_si256(high, ones));
                    *kept = [_mm256_or_si256(kept[0], low), _mm256_or_si256(kept[1], high)];
                }
            }
        }
    }
    let flip = _mm256_set1_epi64x(if cut.below { -1 } else { 0 });
    for ([low, high], words) in kept.into_iter().zip(to) {
        store(&mut words[..4], _mm256_xor_si256(low, flip));
        store(&mut words[4..], _mm256_xor_si256(high, flip));
    }
}

/// Loads eight words of a strand from word `from` on, 0 or 1.
#[target_feature(enable = "avx2")]
#[inline]
fn halves(strand: &Strand, from: usize) -> [__m256i; 2] {
    let words = &strand[from..from + WORDS];
    [load(&words[..4]), load(&words[4..])]
}

/// Moves a strand by `BY` bits; `BACK` is 64 less that.
#[target_feature(enable = "avx2")]
#[inline]
fn move_by<const BY: i32, const BACK: i32>(
    strand: &Strand,
    words: [__m256i; 2],
    before: [__m256i; 2],
    moved: &mut Moved,
) {
    moved.0[3] = strand[0] << BY;
    for half in 0..2 {
        // A shift by 64 gives zero.
        let bits = _mm256_or_si256(
            _mm256_slli_epi64::<BY>(words[half]),
            _mm256_srli_epi64::<BACK>(before[half]),
        );
        store(&mut moved.0[4 + 4 * half..8 + 4 * half], bits);
    }
}

/// Loads the words of a strand, `late` bytes late, up to three.
#[target_feature(enable = "avx2")]
#[inline]
fn seen(moved: &Moved, late: usize) -> [__m256i; 2] {
    let from = FROM - (late & 7);
    // SAFETY: `from` is at least 25, so 64 bytes from there end at 96, the
    // size of `moved`, at the latest; `loadu` asks no alignment.
    let low = unsafe { _mm256_loadu_si256(moved.0.as_ptr().byte_add(from).cast()) };
    // SAFETY: as above.
    let high = unsafe { _mm256_loadu_si256(moved.0.as_ptr().byte_add(from + 32).cast()) };
    [low, high]
}

/// Loads four words.
#[target_feature(enable = "avx2")]
#[inline]
fn load(from: &[u64]) -> __m256i {
    let from: &[u64; 4] = from.first_chunk().unwrap_or(&[0; 4]);
    // SAFETY: `from` is 32 readable bytes and `loadu` asks no alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Stores four words.
#[target_feature(enable = "avx2")]
#[inline]
fn store(to: &mut [u64], value: __m256i) {
    if let Some(to) = to.first_chunk_mut::<4>() {
        // SAFETY: `to` is 32 writable bytes and `storeu` asks no alignment.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), value) }
    }
}
