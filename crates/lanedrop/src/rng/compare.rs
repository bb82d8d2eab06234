//! From a uniform and a threshold to kept or dropped.

use crate::isa::ThresholdType;

/// How a uniform `r` is compared with the threshold `t`.
///
/// The two descriptions in the header disagree where `r` equals `t` and where
/// `t` is a NaN, so the rule is a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// One ordered less-than: a drop rate drops iff `r < t`, a keep rate keeps
    /// iff `r < t`. The one rule under which rates 0 and 1 do what they say in
    /// both polarities, for uniforms below 1.0.
    LessThan,
    /// The header's algorithm: a drop rate keeps iff `r > t`, a keep rate keeps
    /// iff `r < t`. What is equal, or compared with a NaN, is dropped.
    HeaderAlgorithm,
    /// The comments at the header's enumeration: a drop rate drops iff `r < t`,
    /// a keep rate drops iff `r > t`. What is equal, or compared with a NaN, is
    /// kept.
    EnumComment,
}

impl Compare {
    /// Every rule, in the order of the profile format.
    pub const ALL: [Self; 3] = [Self::LessThan, Self::HeaderAlgorithm, Self::EnumComment];

    /// Returns the rule's name in a profile file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LessThan => "less-than",
            Self::HeaderAlgorithm => "header-algorithm",
            Self::EnumComment => "enum-comment",
        }
    }
}

/// Returns whether an element stays whose uniform is `r`, at threshold `t`.
///
/// Comparisons with a NaN are false, as in IEEE 754.
///
/// ```
/// # use lanedrop::{isa::ThresholdType, rng::{Compare, keeps}};
/// let drop_rate = ThresholdType::DropRate;
/// assert!(keeps(Compare::LessThan, drop_rate, 0.5, 0.5));
/// assert!(!keeps(Compare::HeaderAlgorithm, drop_rate, 0.5, 0.5));
/// ```
#[inline]
#[allow(clippy::neg_cmp_op_on_partial_ord)] // not less is not greater or equal: NaN
pub fn keeps(compare: Compare, threshold_type: ThresholdType, r: f32, t: f32) -> bool {
    match (compare, threshold_type) {
        (Compare::LessThan | Compare::EnumComment, ThresholdType::DropRate) => !(r < t),
        (Compare::HeaderAlgorithm, ThresholdType::DropRate) => r > t,
        (Compare::LessThan | Compare::HeaderAlgorithm, ThresholdType::KeepRate) => r < t,
        (Compare::EnumComment, ThresholdType::KeepRate) => !(r > t),
    }
}
