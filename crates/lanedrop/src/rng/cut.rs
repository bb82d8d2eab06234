//! A conversion, a compare rule and a threshold, as one integer comparison.

use super::{Compare, Uniform, keeps};
use crate::isa::ThresholdType;

/// Which draws keep their element, as one comparison of integers.
///
/// Every conversion is monotone in the draw's [key](Uniform::key) and every
/// compare rule is monotone in the uniform, so a threshold, NaN and numbers
/// outside [0, 1] included, cuts the keys in two. No float is compared per
/// element.
///
/// ```
/// # use lanedrop::{isa::ThresholdType, rng::{Compare, Cut, Uniform}};
/// let cut = Cut::new(Uniform::Top23, Compare::LessThan, ThresholdType::DropRate, 0.25);
/// assert!(!cut.keeps(0x3fff_ffff));
/// assert!(cut.keeps(0x4000_0000));
/// assert_eq!(cut.drop_words(), 1 << 30);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cut {
    uniform: Uniform,
    cut: u32,
    keeps_below: bool,
}

impl Cut {
    /// Returns the cut for a threshold under a conversion and a rule.
    pub fn new(
        uniform: Uniform,
        compare: Compare,
        threshold_type: ThresholdType,
        threshold: f32,
    ) -> Self {
        let keeps_key = |key| keeps(compare, threshold_type, uniform.of_key(key), threshold);
        let (mut low, mut high) = (0, uniform.key_max());
        let (first, last) = (keeps_key(low), keeps_key(high));
        if first == last {
            // All or nothing: `key >= 0` or `key < 0`.
            return Self { uniform, cut: 0, keeps_below: !first };
        }
        // `low` does as the first key does, `high` as the last one.
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if keeps_key(middle) == first {
                low = middle;
            } else {
                high = middle;
            }
        }
        Self { uniform, cut: high, keeps_below: first }
    }

    /// Returns whether an element with this draw stays.
    #[inline]
    pub fn keeps(&self, draw: u32) -> bool {
        (self.uniform.key(draw) < self.cut) == self.keeps_below
    }

    /// Returns the conversion whose keys are compared.
    pub fn uniform(&self) -> Uniform {
        self.uniform
    }

    /// Returns the key that keys are compared with, at most
    /// [`Uniform::key_max`].
    pub fn cut(&self) -> u32 {
        self.cut
    }

    /// Returns whether the keys below the cut are the kept ones; else the keys
    /// from the cut on are.
    pub fn keeps_below(&self) -> bool {
        self.keeps_below
    }

    /// Returns whether every draw keeps its element.
    pub fn keeps_all(&self) -> bool {
        self.cut == 0 && !self.keeps_below
    }

    /// Returns whether every draw drops its element.
    pub fn drops_all(&self) -> bool {
        self.cut == 0 && self.keeps_below
    }

    /// Returns how many of the 2^32 draws drop their element.
    ///
    /// Over 2^32 it is the effective drop rate, exactly.
    pub fn drop_words(&self) -> u64 {
        let keys = u64::from(self.uniform.key_max()) + 1;
        let below = u64::from(self.cut);
        let dropped = if self.keeps_below { keys - below } else { below };
        dropped * ((1 << 32) / keys)
    }

    /// Returns the probability that a uniform draw drops its element; exact,
    /// as it has 33 significant bits at most.
    pub fn effective_rate(&self) -> f64 {
        self.drop_words() as f64 / 4_294_967_296.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: [ThresholdType; 2] = [ThresholdType::DropRate, ThresholdType::KeepRate];

    fn thresholds() -> Vec<f32> {
        let mut list = vec![
            0.0,
            -0.0,
            -1.0,
            0.1,
            0.3,
            0.5,
            0.25,
            1.0,
            1.5,
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MIN_POSITIVE,
            1e-45,
            1.0 / 8_388_608.0,
            1.0 / 4_294_967_296.0,
        ];
        for base in [0.1f32, 0.25, 0.5, 1.0, 1.0 / 16_777_216.0] {
            list.extend([base.next_down(), base.next_up()]);
        }
        list
    }

    /// Draws around where something changes: near the threshold's own draws, at
    /// the ends, at the sign, at the bits that conversions ignore.
    fn draws(threshold: f32) -> Vec<u32> {
        let mut centres = vec![0, 1 << 31, 1 << 23, 1 << 30, u32::MAX];
        let scaled = f64::from(threshold) * 4_294_967_296.0;
        centres.push(scaled as u32);
        centres.push((scaled as u32) ^ 1 << 31);
        centres.push((f64::from(threshold) * 8_388_608.0) as u32);
        let mut list: Vec<u32> = (0..2000u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
        for centre in centres {
            list.extend((0..1300u32).map(|n| centre.wrapping_add(n).wrapping_sub(650)));
        }
        list
    }

    #[test]
    fn a_cut_keeps_what_the_float_comparison_keeps() {
        for uniform in Uniform::ALL {
            for compare in Compare::ALL {
                for threshold_type in TYPES {
                    for t in thresholds() {
                        let cut = Cut::new(uniform, compare, threshold_type, t);
                        for draw in draws(t) {
                            assert_eq!(
                                cut.keeps(draw),
                                keeps(compare, threshold_type, uniform.of(draw), t),
                                "{uniform:?} {compare:?} {threshold_type:?} t={t:e} {draw:#010x}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn drop_words_counts_the_dropped_draws() {
        // By key, which is every draw that matters, for the smallest key space.
        for uniform in [Uniform::Top23, Uniform::Low23] {
            for compare in Compare::ALL {
                for threshold_type in TYPES {
                    for t in [0.1f32, 0.5, f32::NAN, -1.0] {
                        let cut = Cut::new(uniform, compare, threshold_type, t);
                        let dropped = (0..=uniform.key_max())
                            .filter(|&key| !keeps(compare, threshold_type, uniform.of_key(key), t))
                            .count() as u64;
                        assert_eq!(cut.drop_words(), dropped * 512);
                    }
                }
            }
        }
    }

    #[test]
    fn the_effective_rate_of_a_tenth_is_the_next_multiple_of_2_to_the_minus_23() {
        let cut = Cut::new(Uniform::Top23, Compare::LessThan, ThresholdType::DropRate, 0.1);
        // 0.1f32 * 2^23 = 838860.8125
        assert_eq!(cut.drop_words(), 838_861 * 512);
        assert!((cut.effective_rate() - 0.100_000_023_8).abs() < 1e-10);
    }

    #[test]
    fn rates_0_and_1_keep_and_drop_all_under_less_than() {
        for uniform in [Uniform::Top23, Uniform::Low23, Uniform::Trunc24, Uniform::Truncate] {
            let cut = |threshold_type, t| Cut::new(uniform, Compare::LessThan, threshold_type, t);
            assert!(cut(ThresholdType::DropRate, 0.0).keeps_all());
            assert!(cut(ThresholdType::DropRate, 1.0).drops_all());
            assert!(cut(ThresholdType::KeepRate, 1.0).keeps_all());
            assert!(cut(ThresholdType::KeepRate, 0.0).drops_all());
        }
    }
}
