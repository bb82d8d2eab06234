//! XORWOW: Marsaglia's five-word xorshift with a Weyl counter.

use super::xorwow_jump::XorwowJump;

/// What the Weyl counter goes up by at each step.
pub(super) const WEYL: u32 = 362_437;

/// Marsaglia's xorwow generator, with shifts 2, 1, 4 and Weyl step 362437.
///
/// The six words are `x, y, z, w, v, d` in this order, in memory as in seeds.
/// A step takes `t = x ^ (x >> 2)`, moves the window on (`y` becomes `x` and so
/// forth), makes `v ^ (v << 4) ^ t ^ (t << 1)` the new `v` and adds the Weyl
/// step to `d`; the output is `v + d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Xorwow {
    /// The words `x, y, z, w, v, d`.
    pub words: [u32; 6],
}

impl Xorwow {
    /// The state that the firmware's initialisation leaves in every lane.
    pub const FIRMWARE_DEFAULT: Self =
        Self { words: [123_456_789, 362_436_069, 521_288_629, 88_675_123, 5_783_321, 6_615_241] };

    /// Takes one step.
    #[inline]
    pub fn step(&mut self) {
        let [x, y, z, w, v, d] = self.words;
        let t = x ^ x >> 2;
        let new = v ^ v << 4 ^ t ^ t << 1;
        self.words = [y, z, w, v, new, d.wrapping_add(WEYL)];
    }

    /// Returns the output of the state as it stands: `v + d` modulo 2^32.
    #[inline]
    pub fn output(&self) -> u32 {
        self.words[4].wrapping_add(self.words[5])
    }

    /// Takes one step and returns the output after it.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        self.step();
        self.output()
    }
    /// Goes on by `n` steps at once, in O(log n).
    ///
    /// ```
    /// # use lanedrop::rng::Xorwow;
    /// let (mut walked, mut jumped) = (Xorwow::FIRMWARE_DEFAULT, Xorwow::FIRMWARE_DEFAULT);
    /// (0..1000).for_each(|_| walked.step());
    /// jumped.advance(1000);
    /// assert_eq!(jumped, walked);
    /// ```
    pub fn advance(&mut self, n: u64) {
        *self = XorwowJump::new(n.into()).apply(*self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_outputs_are_the_published_ones() {
        // The unit test of Xorshift192 in D's std.random, from the starting
        // values in Marsaglia's "Xorshift RNGs" (2003), which are the
        // firmware's too.
        let expected = [
            246_875_399,
            3_690_007_200,
            1_264_581_005,
            3_906_711_041,
            1_866_187_943,
            2_481_925_219,
            2_464_530_826,
            1_604_040_631,
            3_653_403_911,
        ];
        let mut generator = Xorwow::FIRMWARE_DEFAULT;
        assert_eq!(expected.map(|_| generator.next_u32()), expected);
    }

    #[test]
    fn jumps_add_up_to_the_longest() {
        let jumped = |steps: &[u64]| {
            let mut generator = Xorwow::FIRMWARE_DEFAULT;
            steps.iter().for_each(|&n| generator.advance(n));
            generator
        };
        let halves = [u64::MAX >> 2, u64::MAX >> 2, 1];
        assert_eq!(jumped(&halves), jumped(&[(1 << 63) - 1]));
        assert_eq!(jumped(&[1 << 63, u64::MAX]), jumped(&[u64::MAX, 1 << 62, 1 << 62]));
    }

    #[test]
    fn a_jump_equals_as_many_steps() {
        let mut walked = Xorwow::FIRMWARE_DEFAULT;
        for stop in [17, 4_711, 99_991, 314_159, 1_000_000] {
            let mut jumped = walked;
            jumped.advance(stop);
            (0..stop).for_each(|_| walked.step());
            assert_eq!(jumped, walked, "{stop} steps");
        }
    }
}
