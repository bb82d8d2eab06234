//! Jump-ahead for xorwow: many steps at once.
//!
//! The five shift words are linear over GF(2)^160 and their step `M` has a
//! characteristic polynomial `p` of degree 160, so `n` steps are the sum of
//! the states 0 to 159 steps ahead that `x^n mod p` selects. The Weyl counter
//! is plain arithmetic.

use std::sync::OnceLock;

use super::xorwow::{WEYL, Xorwow};

/// `p` without its leading term `x^160`; bit `i` for `x^i`, low word first.
///
/// It is a property of the recurrence, found from its output by
/// Berlekamp-Massey; a test sees that it takes every state to 0.
const CHARACTERISTIC: Polynomial =
    Polynomial([0x0861_0030_0006_0001, 0x0f3c_0035_0006_2121, 0x0000_0f0e]);

const DEGREE: usize = 160;

/// A polynomial over GF(2) of a degree below 160, bit `i` for `x^i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Polynomial([u64; 3]);

impl Polynomial {
    const ONE: Self = Self([1, 0, 0]);

    fn coefficient(&self, i: usize) -> u64 {
        self.0[i / 64] >> (i % 64) & 1
    }

    /// Adds `other` where `factor` is 1 and not where it is 0.
    fn add(&mut self, other: &Self, factor: u64) {
        let mask = factor.wrapping_neg();
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a ^= b & mask);
    }

    fn times_x(&self) -> Self {
        let [low, middle, high] = self.0;
        let moved = high << 1 | middle >> 63;
        let mut product =
            Self([low << 1, middle << 1 | low >> 63, moved & ((1 << (DEGREE - 128)) - 1)]);
        product.add(&CHARACTERISTIC, moved >> (DEGREE - 128));
        product
    }

    /// Returns `x^n` modulo the characteristic polynomial.
    fn power_of_x(n: u128) -> Self {
        static SQUARES: OnceLock<Vec<Polynomial>> = OnceLock::new();
        // Squaring is linear: the square of x^i is x^(2i).
        let squares = SQUARES.get_or_init(|| {
            std::iter::successors(Some(Self::ONE), |even| Some(even.times_x().times_x()))
                .take(DEGREE)
                .collect()
        });
        let mut result = Self::ONE;
        for bit in (0..128 - n.leading_zeros()).rev() {
            let mut square = Self([0; 3]);
            for (i, of_power) in squares.iter().enumerate() {
                square.add(of_power, result.coefficient(i));
            }
            result = if n >> bit & 1 == 1 { square.times_x() } else { square };
        }
        result
    }
}

/// A fixed number of xorwow steps, to be taken from several states.
#[derive(Clone, Debug)]
pub(super) struct XorwowJump {
    polynomial: Polynomial,
    weyl: u32,
}

impl XorwowJump {
    /// Returns the jump over `n` steps, found in O(log n).
    pub(super) fn new(n: u128) -> Self {
        // The counter comes round every 2^32 steps.
        Self { polynomial: Polynomial::power_of_x(n), weyl: (n as u32).wrapping_mul(WEYL) }
    }

    /// Returns the state `n` steps after `from`.
    pub(super) fn apply(&self, from: Xorwow) -> Xorwow {
        let mut ahead = from;
        let mut sum = [0; 5];
        for i in 0..DEGREE {
            let mask = (self.polynomial.coefficient(i) as u32).wrapping_neg();
            sum.iter_mut().zip(ahead.words).for_each(|(a, b)| *a ^= b & mask);
            ahead.step();
        }
        let [x, y, z, w, v] = sum;
        Xorwow { words: [x, y, z, w, v, from.words[5].wrapping_add(self.weyl)] }
    }
}

/// A fixed number of steps as tables, for taking it once a draw.
///
/// Forty look-ups whatever the number of steps; 20 KiB.
#[derive(Debug)]
pub(super) struct XorwowTable {
    /// `tables[k][n]` is the image of nibble `k` of the words being `n`; five
    /// words, padded so that an entry is two vectors.
    tables: [[[u32; 8]; 16]; 40],
    weyl: u32,
}

impl XorwowTable {
    pub(super) fn new(steps: u32) -> Self {
        let jump = XorwowJump::new(steps.into());
        let mut tables = [[[0; 8]; 16]; 40];
        for (k, table) in tables.iter_mut().enumerate() {
            for bit in 0..4 {
                let mut words = [0; 6];
                words[k / 8] = 1 << (k % 8 * 4 + bit);
                let image = jump.apply(Xorwow { words }).words;
                for n in 0..1 << bit {
                    for word in 0..5 {
                        table[n | 1 << bit][word] = table[n][word] ^ image[word];
                    }
                }
            }
        }
        Self { tables, weyl: jump.weyl }
    }

    /// Takes the steps.
    #[inline]
    pub(super) fn apply(&self, register: &mut Xorwow) {
        let mut sum = [0; 8];
        for (word, tables) in register.words.into_iter().zip(self.tables.as_chunks::<8>().0) {
            for (nibble, table) in tables.iter().enumerate() {
                let entry = &table[(word >> (nibble * 4) & 15) as usize];
                sum.iter_mut().zip(entry).for_each(|(a, b)| *a ^= b);
            }
        }
        let [x, y, z, w, v, ..] = sum;
        register.words = [x, y, z, w, v, register.words[5].wrapping_add(self.weyl)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states() -> impl Iterator<Item = Xorwow> {
        let bits = (0..192).map(|bit| {
            let mut words = [0; 6];
            words[bit / 32] = 1 << (bit % 32);
            Xorwow { words }
        });
        bits.chain([Xorwow::FIRMWARE_DEFAULT, Xorwow { words: [u32::MAX; 6] }])
    }

    #[test]
    fn the_characteristic_polynomial_takes_every_state_to_0() {
        for state in states() {
            let mut ahead = state;
            let mut sum = [0; 5];
            for i in 0..DEGREE {
                if CHARACTERISTIC.coefficient(i) == 1 {
                    (0..5).for_each(|k| sum[k] ^= ahead.words[k]);
                }
                ahead.step();
            }
            assert_eq!(sum[..], ahead.words[..5]);
        }
    }

    #[test]
    fn a_jump_equals_as_many_steps() {
        for n in [0, 1, 2, 159, 160, 161, 1000, 65_537] {
            let jump = XorwowJump::new(n);
            for state in states().step_by(17) {
                let mut walked = state;
                (0..n).for_each(|_| walked.step());
                assert_eq!(jump.apply(state), walked, "{n} steps");
            }
        }
    }

    #[test]
    fn the_tables_do_what_the_jump_does() {
        for steps in [1, 7, 100, u32::MAX] {
            let (jump, table) = (XorwowJump::new(steps.into()), XorwowTable::new(steps));
            for state in states() {
                let mut register = state;
                table.apply(&mut register);
                assert_eq!(register, jump.apply(state), "{steps} steps");
            }
        }
    }
}
