//! From a draw to a number in [0, 1].

/// How a draw becomes a uniform: a `u32` an `f32` in [0, 1].
///
/// Which one the hardware uses for Dropout is not known. Each is a
/// non-decreasing function of an integer [`key`](Uniform::key) of the draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Uniform {
    /// The top 23 bits as mantissa: `((u >> 9) | 0x3f800000) - 1`, exact.
    Top23,
    /// The low 23 bits as mantissa: `((u & 0x7fffff) | 0x3f800000) - 1`, exact.
    Low23,
    /// The top 24 bits: `(u >> 8) * 2^-24`, exact.
    Trunc24,
    /// All bits, rounded once to the nearest `f32`, ties to even:
    /// `f32(u) * 2^-32`. From `0xffffff80` on it is 1.0.
    Nearest,
    /// All bits, rounded once toward zero; stays below 1.0.
    Truncate,
    /// `f32(i32(u)) * 2^-32 + 0.5`. Two roundings to nearest, ties to even:
    /// the conversion to `f32` and the addition in `f32`; the multiplication
    /// between them is exact. The order is that of signed numbers: `0x80000000`
    /// is 0.0, `0x7fffffff` is 1.0.
    SignedHalf,
}

impl Uniform {
    /// Every conversion, in the order of the profile format.
    pub const ALL: [Self; 6] =
        [Self::Top23, Self::Low23, Self::Trunc24, Self::Nearest, Self::Truncate, Self::SignedHalf];

    /// Returns the uniform of `draw`.
    ///
    /// ```
    /// # use lanedrop::rng::Uniform;
    /// assert_eq!(Uniform::Top23.of(0x8000_0000), 0.5);
    /// assert_eq!(Uniform::Nearest.of(u32::MAX), 1.0);
    /// assert_eq!(Uniform::SignedHalf.of(0), 0.5);
    /// ```
    #[inline]
    pub fn of(self, draw: u32) -> f32 {
        match self {
            Self::Top23 => mantissa(draw >> 9),
            Self::Low23 => mantissa(draw & 0x007f_ffff),
            Self::Trunc24 => (draw >> 8) as f32 * EXP2_MINUS_24,
            Self::Nearest => draw as f32 * EXP2_MINUS_32,
            Self::Truncate => {
                // Bits below the 24 significant ones go, so that the
                // conversion has nothing left to round.
                let below = 8u32.saturating_sub(draw.leading_zeros());
                (draw >> below << below) as f32 * EXP2_MINUS_32
            }
            Self::SignedHalf => draw as i32 as f32 * EXP2_MINUS_32 + 0.5,
        }
    }

    /// Returns the integer that decides the uniform of `draw`: of two draws,
    /// the one with the greater key has no smaller uniform.
    #[inline]
    pub fn key(self, draw: u32) -> u32 {
        let (flip, shift, max) = self.key_form();
        ((draw ^ flip) >> shift) & max
    }

    /// Returns the greatest key; keys are `0..=key_max`, and each belongs to
    /// equally many draws.
    pub fn key_max(self) -> u32 {
        self.key_form().2
    }

    /// Returns `(flip, shift, max)` such that the key of a draw `u` is
    /// `((u ^ flip) >> shift) & max`, for kernels that do it many at a time.
    pub fn key_form(self) -> (u32, u32, u32) {
        match self {
            Self::Top23 => (0, 9, 0x007f_ffff),
            Self::Low23 => (0, 0, 0x007f_ffff),
            Self::Trunc24 => (0, 8, 0x00ff_ffff),
            Self::Nearest | Self::Truncate => (0, 0, u32::MAX),
            Self::SignedHalf => (0x8000_0000, 0, u32::MAX),
        }
    }

    /// Returns the uniform of the draws with this key.
    pub fn of_key(self, key: u32) -> f32 {
        let (flip, shift, max) = self.key_form();
        self.of(((key & max) << shift) ^ flip)
    }

    /// Returns the conversion's name in a profile file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Top23 => "top23",
            Self::Low23 => "low23",
            Self::Trunc24 => "trunc24",
            Self::Nearest => "nearest",
            Self::Truncate => "truncate",
            Self::SignedHalf => "signed-half",
        }
    }
}

const EXP2_MINUS_24: f32 = 1.0 / 16_777_216.0;
const EXP2_MINUS_32: f32 = 1.0 / 4_294_967_296.0;

/// Returns `fraction * 2^-23` by way of the interval [1, 2), `fraction` of 23
/// bits.
fn mantissa(fraction: u32) -> f32 {
    f32::from_bits(fraction | 0x3f80_0000) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uniform_never_falls_as_its_key_grows() {
        for uniform in Uniform::ALL {
            let step = (uniform.key_max() / 100_000).max(1) as usize;
            let mut last = -1.0f32;
            for key in (0..=uniform.key_max()).step_by(step).chain([uniform.key_max()]) {
                let now = uniform.of_key(key);
                assert!(now >= last && (0.0..=1.0).contains(&now), "{uniform:?} at {key:#x}");
                last = now;
            }
        }
    }

    #[test]
    fn draws_of_one_key_have_one_uniform() {
        for uniform in Uniform::ALL {
            for n in 0u32..100_000 {
                let draw = n.wrapping_mul(0x9e37_79b9);
                assert_eq!(uniform.of_key(uniform.key(draw)), uniform.of(draw), "{uniform:?}");
            }
        }
    }

    #[test]
    fn only_nearest_and_signed_half_reach_one() {
        let reaching: Vec<_> =
            Uniform::ALL.into_iter().filter(|u| u.of_key(u.key_max()) == 1.0).collect();
        assert_eq!(reaching, [Uniform::Nearest, Uniform::SignedHalf]);
    }
}
