//! PCG32: a 64-bit congruential generator with permuted output.

const MULTIPLIER: u64 = 0x5851_f42d_4c95_7f2d;

/// PCG-XSH-RR with 64 bits of state and 32 of output (O'Neill, 2014).
///
/// The state goes on as `state * 5851f42d4c957f2d + increment`; a draw is made
/// of the state before it. The hardware's tables give it one fixed increment,
/// [`Pcg32::INCREMENT`]; here it is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pcg32 {
    /// The 64 bits that go on.
    pub state: u64,
    /// What is added at each step. Odd for the full period of 2^64.
    pub increment: u64,
}

impl Pcg32 {
    /// The increment that the compiler's simulator fixes.
    pub const INCREMENT: u64 = 0x1405_7b7e_f767_814f;

    /// Returns the generator of a seed and a sequence number, as the reference
    /// implementation's `pcg32_srandom_r` makes it.
    ///
    /// ```
    /// # use lanedrop::rng::Pcg32;
    /// assert_eq!(Pcg32::seeded(42, 54).next_u32(), 0xa15c_02b7);
    /// ```
    pub fn seeded(seed: u64, sequence: u64) -> Self {
        let mut generator = Self { state: 0, increment: sequence << 1 | 1 };
        generator.next_u32();
        generator.state = generator.state.wrapping_add(seed);
        generator.next_u32();
        generator
    }

    /// Returns the next draw.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
        let folded = ((old >> 18 ^ old) >> 27) as u32;
        folded.rotate_right((old >> 59) as u32)
    }

    /// Goes on by `n` draws at once, in O(log n).
    pub fn advance(&mut self, n: u64) {
        // A step is x -> a x + b; done twice it is x -> a^2 x + (a + 1) b.
        let (mut factor, mut addend) = (MULTIPLIER, self.increment);
        let mut rest = n;
        while rest != 0 {
            if rest & 1 == 1 {
                self.state = self.state.wrapping_mul(factor).wrapping_add(addend);
            }
            addend = addend.wrapping_mul(factor.wrapping_add(1));
            factor = factor.wrapping_mul(factor);
            rest >>= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_of_the_reference_implementation_comes_out() {
        // pcg32-demo of seed 42 and sequence 54, round 1.
        let expected =
            [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330, 0x83d2_f293, 0xbfa4_784b, 0xcbed_606e];
        let mut generator = Pcg32::seeded(42, 54);
        assert_eq!(expected.map(|_| generator.next_u32()), expected);
    }

    #[test]
    fn a_jump_equals_as_many_draws() {
        let mut walked = Pcg32 { state: 0x0123_4567_89ab_cdef, increment: Pcg32::INCREMENT };
        for stop in [0, 1, 2, 1000, 777_777, 1_000_000] {
            let mut jumped = walked;
            jumped.advance(stop);
            (0..stop).for_each(|_| _ = walked.next_u32());
            assert_eq!(jumped, walked, "{stop} draws");
        }
    }

    #[test]
    fn jumps_add_up_to_the_whole_period() {
        let start = Pcg32::seeded(1, 2);
        let mut jumped = start;
        jumped.advance(1 << 63);
        assert_ne!(jumped, start);
        jumped.advance(1 << 62);
        jumped.advance(1 << 62);
        assert_eq!(jumped, start);
    }
}
