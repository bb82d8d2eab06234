//! A profile: one way in which a device's generator could work.
//!
//! Profiles are written as TOML: see [`Profile::from_toml`].

use std::collections::BTreeMap;

use builtin::BuiltIn;
pub use error::ProfileError;

use super::{Compare, Field, Recurrence, Seeding, Uniform};
use crate::evidence::Claim;
use crate::evidence::assumptions::Assumption;
use crate::gf2::Affine32;

mod builtin;
mod error;
mod json;
mod parse;
mod print;

/// Whether a draw is the state before or after its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawOrder {
    /// The steps first, then the draw.
    After,
    /// The draw first, then the steps.
    Before,
}

impl DrawOrder {
    /// Both orders, in the order of the profile format.
    pub const ALL: [Self; 2] = [Self::After, Self::Before];

    /// Returns the order's name in a profile file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::After => "after",
            Self::Before => "before",
        }
    }
}

/// How FP8_EXP4 is read; of the two, v4 and later are configured to one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fp8Exp4 {
    /// Like IEEE formats, with infinities: `float8_e4m3`.
    #[default]
    Ieee,
    /// Without infinities: `float8_e4m3fn`.
    Fn,
}

impl Fp8Exp4 {
    /// Both readings, the default first.
    pub const ALL: [Self; 2] = [Self::Ieee, Self::Fn];

    /// Returns the reading's name in a profile file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ieee => "ieee",
            Self::Fn => "fn",
        }
    }
}

/// One way in which a device's generator could work: everything that evidence
/// leaves open, decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    /// What results call it.
    pub name: String,
    /// What one step does to a register.
    pub recurrence: Recurrence,
    /// How many steps make one draw, at least 1.
    pub steps_per_draw: u32,
    /// Whether the draw is the state after its steps or before them.
    pub draw: DrawOrder,
    /// How many registers a lane has, 1 or 4; with four, element `k` of a lane
    /// uses register `k mod 4`.
    pub registers_per_lane: u8,
    /// How a draw becomes a number.
    pub uniform: Uniform,
    /// How the number is compared with the threshold.
    pub compare: Compare,
    /// How a seed becomes lane words; not used by xorwow, which has no rule.
    pub seeding: Seeding,
    /// How FP8_EXP4 is read where a program has numbers of it: thresholds by
    /// pointer, operands of arithmetic. Draws do not depend on it.
    pub fp8_exp4: Fp8Exp4,
    /// What fields rest on, where they rest on something.
    pub evidence: BTreeMap<Field, String>,
}

impl Profile {
    /// Returns the built-in profile of this name.
    ///
    /// ```
    /// # use lanedrop::rng::Profile;
    /// assert!(Profile::builtin("trn1").is_some());
    /// ```
    pub fn builtin(name: &str) -> Option<Self> {
        builtin::ALL.iter().find(|builtin| builtin.name == name).map(BuiltIn::profile)
    }

    /// Returns the built-in profiles, the default first.
    pub fn builtins() -> Vec<Self> {
        builtin::ALL.iter().map(BuiltIn::profile).collect()
    }

    /// Returns what a built-in profile is, in one line; `None` for others and
    /// for a profile that only has a built-in one's name.
    pub fn about(&self) -> Option<&'static str> {
        let builtin = self.namesake()?;
        Field::ALL
            .into_iter()
            .all(|field| self.agrees(&builtin.profile(), field))
            .then_some(builtin.about)
    }

    /// Returns what the steps of one draw do to a register, or `None` for
    /// xorwow, which is not affine.
    pub fn draw_map(&self) -> Option<Affine32> {
        Some(self.recurrence.step_map()?.pow(self.steps_per_draw.into()))
    }

    /// Returns how many words of state a lane has: registers times words a
    /// register.
    pub fn words_per_lane(&self) -> usize {
        usize::from(self.registers_per_lane) * self.recurrence.words_per_register()
    }
    /// Returns what a field rests on.
    ///
    /// Evidence that the profile names for the field counts as it stands. A
    /// field without is an assumption; where the profile has the name and the
    /// value of a built-in one, that one's reason is given.
    ///
    /// ```
    /// # use lanedrop::rng::{Field, Ground, Profile};
    /// let profile = Profile::builtin("trn1").unwrap();
    /// assert!(matches!(profile.ground(Field::Uniform), Ground::Assumed(_)));
    /// ```
    pub fn ground(&self, field: Field) -> Ground<'_> {
        let builtin = self
            .namesake()
            .filter(|builtin| self.agrees(&builtin.profile(), field))
            .map(|builtin| builtin.ground(field));
        match (self.evidence.get(&field), builtin) {
            (Some(_), Some(builtin::Ground::Known(claim))) => Ground::Known(claim),
            (Some(text), _) => Ground::Stated(text),
            (None, Some(builtin::Ground::Assumed(assumption))) => Ground::Assumed(assumption),
            (None, _) => Ground::Unsupported,
        }
    }

    /// Returns the fields that are assumptions, and why each was chosen.
    pub fn assumptions(&self) -> Vec<(Field, &'static str)> {
        Field::ALL
            .into_iter()
            .filter_map(|field| match self.ground(field) {
                Ground::Known(_) | Ground::Stated(_) => None,
                Ground::Assumed(assumption) => Some((field, assumption.because)),
                Ground::Unsupported => Some((field, "the profile names no evidence for it")),
            })
            .collect()
    }

    /// Returns the built-in profile that has this one's name.
    fn namesake(&self) -> Option<&'static BuiltIn> {
        builtin::ALL.iter().find(|builtin| builtin.name == self.name)
    }

    /// Returns whether both profiles have the same value of a field.
    pub fn agrees(&self, other: &Self, field: Field) -> bool {
        match field {
            Field::Recurrence => self.recurrence == other.recurrence,
            Field::StepsPerDraw => self.steps_per_draw == other.steps_per_draw,
            Field::Draw => self.draw == other.draw,
            Field::RegistersPerLane => self.registers_per_lane == other.registers_per_lane,
            Field::Uniform => self.uniform == other.uniform,
            Field::Compare => self.compare == other.compare,
            Field::Seeding => self.seeding == other.seeding,
        }
    }
}

/// What a field of a profile rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground<'a> {
    /// A fact of the ledger.
    Known(&'static Claim),
    /// What the profile's file says it rests on.
    Stated(&'a str),
    /// A decision of the model.
    Assumed(&'static Assumption),
    /// Nothing that the profile names.
    Unsupported,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_assumes_all_but_the_order_of_step_and_draw() {
        let fields: Vec<_> =
            Profile::builtins()[0].assumptions().into_iter().map(|(field, _)| field).collect();
        let all_but_draw: Vec<_> =
            Field::ALL.into_iter().filter(|&field| field != Field::Draw).collect();
        assert_eq!(fields, all_but_draw);
    }

    #[test]
    fn a_changed_copy_of_a_built_in_profile_has_no_reason_for_the_change() {
        let mut copy = Profile::builtins().remove(0);
        copy.uniform = Uniform::Low23;
        assert_eq!(copy.ground(Field::Uniform), Ground::Unsupported);
        assert!(matches!(copy.ground(Field::Compare), Ground::Assumed(_)));
        assert_eq!(copy.about(), None);
    }

    #[test]
    fn evidence_of_ones_own_settles_a_field() {
        let mut profile = Profile::builtins().remove(0);
        profile.evidence.insert(Field::Compare, "a mask of mine".into());
        assert_eq!(profile.ground(Field::Compare), Ground::Stated("a mask of mine"));
        assert!(profile.assumptions().iter().all(|(field, _)| *field != Field::Compare));
    }

    #[test]
    fn every_built_in_profile_makes_lanes() {
        for profile in Profile::builtins() {
            let words = vec![1; profile.words_per_lane() * 3];
            assert!(crate::rng::Lanes::from_words(&profile, &words, 3).is_ok());
            assert!(profile.about().is_some());
        }
    }
}
