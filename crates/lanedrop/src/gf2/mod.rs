//! Affine maps over GF(2)^32: what one step, or any number of steps, of a
//! 32-bit shift-register generator does to its state.
//!
//! A step of any linear-feedback register is a matrix over GF(2); inverted
//! (xnor) feedback adds a constant, which makes it affine. Maps compose, have
//! powers and sometimes inverses, and so a stream can be entered anywhere
//! without walking it: [`Affine32::pow`] once, or [`Jump`] for many distances.
//! Which map a device has is no business of this module: see [`crate::rng`].

mod byte_map;
mod jump;
mod pairs;
mod polynomial;
mod solve;

pub use byte_map::ByteMap;
pub use jump::Jump;
pub use pairs::{Equations, Met, Pairs};
pub use polynomial::{Polynomial, minimal_polynomial, prime_factors, shortest_recurrence};
pub use solve::FixedPoints;

/// An affine map of 32-bit states over GF(2).
///
/// It takes `x` to the xor of `columns[i]` over the set bits `i` of `x`, xor
/// `offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Affine32 {
    /// `columns[i]` is what bit `i` of the state adds to the result.
    pub columns: [u32; 32],
    /// What is added whatever the state is: the image of 0.
    pub offset: u32,
}

impl Affine32 {
    /// The map that changes nothing.
    pub const IDENTITY: Self = {
        let mut columns = [0; 32];
        let mut bit = 0;
        while bit < 32 {
            columns[bit] = 1 << bit;
            bit += 1;
        }
        Self::linear(columns)
    };

    /// Returns the linear map with these columns: its offset is 0.
    pub const fn linear(columns: [u32; 32]) -> Self {
        Self { columns, offset: 0 }
    }

    /// Returns the map `x << 1`; bit 31 falls out.
    ///
    /// ```
    /// # use lanedrop::gf2::Affine32;
    /// assert_eq!(Affine32::shift_left().apply(0x8000_0003), 0b110);
    /// ```
    pub const fn shift_left() -> Self {
        let mut columns = [0; 32];
        let mut bit = 0;
        while bit < 31 {
            columns[bit] = 2 << bit;
            bit += 1;
        }
        Self::linear(columns)
    }

    /// Returns the map `x >> 1`; bit 0 falls out.
    pub const fn shift_right() -> Self {
        let mut columns = [0; 32];
        let mut bit = 1;
        while bit < 32 {
            columns[bit] = 1 << (bit - 1);
            bit += 1;
        }
        Self::linear(columns)
    }

    /// Returns the map that does what `step` does, if `step` is affine.
    ///
    /// Only the images of 0 and of the 32 single bits are asked for, so for a
    /// function that is not affine the result is another function.
    pub fn of(step: impl Fn(u32) -> u32) -> Self {
        let offset = step(0);
        Self { columns: std::array::from_fn(|bit| step(1 << bit) ^ offset), offset }
    }

    /// Returns where the map takes `state`.
    ///
    /// ```
    /// # use lanedrop::gf2::Affine32;
    /// let right = Affine32::shift_right();
    /// assert_eq!(right.apply(0b110), 0b011);
    /// ```
    #[inline]
    pub const fn apply(&self, state: u32) -> u32 {
        self.apply_linear(state) ^ self.offset
    }

    /// Returns where the map's linear part takes `state`, the offset left out.
    #[inline]
    pub(crate) const fn apply_linear(&self, state: u32) -> u32 {
        let mut sum = 0;
        let mut bit = 0;
        while bit < 32 {
            // A mask instead of a branch: the bits of a state are random.
            sum ^= self.columns[bit] & ((state >> bit) & 1).wrapping_neg();
            bit += 1;
        }
        sum
    }

    /// Returns the map that does `self` first and `next` after it.
    ///
    /// ```
    /// # use lanedrop::gf2::Affine32;
    /// let invert = Affine32 { offset: u32::MAX, ..Affine32::IDENTITY };
    /// let both = invert.then(&Affine32::shift_right());
    /// assert_eq!(both.apply(0), 0x7fff_ffff);
    /// ```
    pub fn then(&self, next: &Self) -> Self {
        Self {
            columns: self.columns.map(|column| next.apply_linear(column)),
            offset: next.apply(self.offset),
        }
    }

    /// Returns the map done `n` times over, in O(log n).
    ///
    /// `pow(0)` is the identity, also for a map that has no inverse. Where many
    /// powers of one map are wanted, [`Jump`] finds each in about a microsecond.
    ///
    /// ```
    /// # use lanedrop::gf2::Affine32;
    /// assert_eq!(Affine32::shift_left().pow(5).apply(1), 32);
    /// assert_eq!(Affine32::shift_left().pow(1 << 63).apply(1), 0);
    /// ```
    pub fn pow(&self, n: u64) -> Self {
        let mut power = *self;
        let mut rest = n;
        let mut result = Self::IDENTITY;
        while rest != 0 {
            if rest & 1 == 1 {
                result = result.then(&power);
            }
            rest >>= 1;
            if rest != 0 {
                power = power.then(&power);
            }
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiplies by the definition, bit by bit.
    fn slow_apply(map: &Affine32, state: u32) -> u32 {
        let mut sum = map.offset;
        for (bit, column) in map.columns.iter().enumerate() {
            if state & (1 << bit) != 0 {
                sum ^= column;
            }
        }
        sum
    }

    /// A map and states that have no structure, from a plain 64-bit LCG.
    pub(super) fn random_words(seed: u64) -> impl Iterator<Item = u32> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 32) as u32
        })
    }

    pub(super) fn random_map(seed: u64) -> Affine32 {
        let mut words = random_words(seed);
        let columns = std::array::from_fn(|_| words.next().unwrap());
        Affine32 { columns, offset: words.next().unwrap() }
    }

    #[test]
    fn apply_is_the_sum_of_the_columns_of_set_bits() {
        let map = random_map(1);
        for state in random_words(2).take(1000).chain([0, 1, u32::MAX]) {
            assert_eq!(map.apply(state), slow_apply(&map, state));
        }
    }

    #[test]
    fn shifts_shift() {
        for state in random_words(3).take(100).chain([0, 1, 1 << 31, u32::MAX]) {
            assert_eq!(Affine32::shift_left().apply(state), state << 1);
            assert_eq!(Affine32::shift_right().apply(state), state >> 1);
            assert_eq!(Affine32::IDENTITY.apply(state), state);
        }
    }

    #[test]
    fn then_does_the_receiver_first() {
        let (first, second) = (random_map(4), random_map(5));
        for state in random_words(6).take(100) {
            assert_eq!(first.then(&second).apply(state), second.apply(first.apply(state)));
        }
    }

    #[test]
    fn a_power_is_the_map_done_over_and_over() {
        let map = random_map(7);
        let mut state = 0x1234_5678;
        for n in 0..200 {
            assert_eq!(map.pow(n).apply(0x1234_5678), state, "power {n}");
            state = map.apply(state);
        }
    }

    #[test]
    fn powers_add_up_to_the_largest_exponent() {
        let map = random_map(8);
        let large = map.pow(1 << 63);
        assert_eq!(large.then(&map.pow(u64::MAX >> 1)), map.pow(u64::MAX));
    }

    #[test]
    fn of_finds_the_map_of_an_affine_function() {
        let step = |x: u32| !(x ^ (x << 13));
        let map = Affine32::of(step);
        for state in random_words(9).take(100) {
            assert_eq!(map.apply(state), step(state));
        }
    }
}
