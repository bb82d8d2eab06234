//! XORWOW: Marsaglia's five-word xorshift with a Weyl counter.

/// What the Weyl counter goes up by at each step.
const WEYL: u32 = 362_437;

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
}
