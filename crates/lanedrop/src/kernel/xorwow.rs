//! Keep bits of XORWOW registers, side by side in plain vectors.
//!
//! The functions here are inlined into each backend and vectorised there.

use super::Cuts;
use super::recurrence::Key;

/// Registers side by side.
const ABREAST: usize = 16;
/// What the Weyl word gains a draw.
const WEYL: u32 = 362_437;

/// Six words a register, word-major, for registers side by side.
type Abreast = [[u32; ABREAST]; 6];

/// What a backend knows of XORWOW registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Xorwow {
    pub(super) key: Key,
    /// Steps a draw.
    pub(super) steps: u32,
    /// Whether a draw reads the register before it moves.
    pub(super) draw_before: bool,
}

impl Xorwow {
    /// Writes the keep bits of the next `draws` draws of each register.
    ///
    /// A register is six words: x, y, z, w, v, d. Register `r` gets the words
    /// from `keep[r * stride]` on.
    #[inline(always)]
    pub(super) fn keep(
        &self,
        cuts: Cuts<'_>,
        registers: &mut [[u32; 6]],
        draws: usize,
        keep: &mut [u64],
        stride: usize,
    ) {
        let key = self.key;
        for (group, registers) in registers.chunks_mut(ABREAST).enumerate() {
            let base = group * ABREAST;
            let mut state = [[0u32; ABREAST]; 6];
            let mut at_least = [0u32; ABREAST];
            let mut flip = [0u64; ABREAST];
            let mut never = [false; ABREAST];
            for (lane, register) in registers.iter().enumerate() {
                for (words, &word) in state.iter_mut().zip(register) {
                    words[lane] = word;
                }
                let cut = cuts.of(base + lane);
                never[lane] = cut.at_least >> key.bits != 0;
                at_least[lane] = if never[lane] { 0 } else { cut.at_least as u32 };
                flip[lane] = if cut.below != never[lane] { u64::MAX } else { 0 };
            }
            for word in 0..draws.div_ceil(64) {
                let left = draws - 64 * word;
                let low = half_word(self, &mut state, &at_least, left.min(32));
                let high = half_word(self, &mut state, &at_least, left.clamp(32, 64) - 32);
                for lane in 0..registers.len() {
                    let kept = u64::from(low[lane]) | u64::from(high[lane]) << 32;
                    keep[(base + lane) * stride + word] = kept ^ flip[lane];
                }
            }
            for (lane, register) in registers.iter_mut().enumerate() {
                for (words, word) in state.iter().zip(register) {
                    *word = words[lane];
                }
            }
        }
    }
}

/// Returns which of up to 32 draws have a key of at least the cut.
#[inline(always)]
fn half_word(
    xorwow: &Xorwow,
    state: &mut Abreast,
    at_least: &[u32; ABREAST],
    draws: usize,
) -> [u32; ABREAST] {
    let key = xorwow.key;
    let flip = if key.signed { 0x8000_0000 } else { 0u32 };
    let mask = u32::MAX >> (32 - key.bits);
    let mut kept = [0u32; ABREAST];
    if draws == 0 {
        return kept;
    }
    for _ in 0..draws {
        let mut draw = step(state, xorwow.draw_before);
        for _ in 1..xorwow.steps {
            let later = step(state, false);
            draw = if xorwow.draw_before { draw } else { later };
        }
        for lane in 0..ABREAST {
            let key = ((draw[lane] ^ flip) >> key.low) & mask;
            let bit = if key >= at_least[lane] { 0x8000_0000 } else { 0 };
            kept[lane] = kept[lane] >> 1 | bit;
        }
    }
    for word in &mut kept {
        *word >>= 32 - draws;
    }
    kept
}

/// Takes one draw of every register.
#[inline(always)]
fn step(state: &mut Abreast, draw_before: bool) -> [u32; ABREAST] {
    let [x, y, z, w, v, d] = *state;
    let mut next = [0; ABREAST];
    let mut weyl = [0; ABREAST];
    let mut draw = [0; ABREAST];
    for lane in 0..ABREAST {
        let t = x[lane] ^ (x[lane] >> 2);
        next[lane] = v[lane] ^ (v[lane] << 4) ^ t ^ (t << 1);
        weyl[lane] = d[lane].wrapping_add(WEYL);
        draw[lane] = if draw_before {
            v[lane].wrapping_add(d[lane])
        } else {
            next[lane].wrapping_add(weyl[lane])
        };
    }
    *state = [y, z, w, v, next, weyl];
    draw
}
