//! The built-in profiles, and what each of their fields rests on.

use std::collections::BTreeMap;

use super::{Fp8Exp4, Profile};
use crate::evidence::Claim;
use crate::evidence::assumptions::{self as assumed, Assumption};
use crate::evidence::claims::rng as known;
use crate::rng::{
    Compare, Direction, DrawOrder, Feedback, Field, Recurrence, Seeding, Shift, Uniform,
};

/// What a field of a built-in profile rests on.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ground {
    /// A source.
    Known(&'static Claim),
    /// A decision of the model.
    Assumed(&'static Assumption),
}

use Ground::{Assumed, Known};

/// A built-in profile.
pub(super) struct BuiltIn {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    build: fn() -> Profile,
    /// In the order of [`Field::ALL`].
    grounds: [Ground; 7],
}

pub(super) static ALL: [BuiltIn; 5] = [
    BuiltIn {
        name: "trn1",
        about: "the register of both public dumps of real silicon (Rng path)",
        build: trn1,
        grounds: [
            Assumed(&assumed::RNG_REGISTER),
            Assumed(&assumed::ONE_STEP),
            Known(&known::DRAW_AFTER_STEPS),
            Assumed(&assumed::ONE_REGISTER),
            Assumed(&assumed::CONVERT_TOP23),
            Assumed(&assumed::ORDERED_LESS_THAN),
            Assumed(&assumed::LANE_SHIFT24),
        ],
    },
    BuiltIn {
        name: "trn3",
        about: "XORWOW, four registers a lane, as documents name it for the v4 engine",
        build: || Profile { registers_per_lane: 4, ..trn1().named("trn3", Recurrence::Xorwow) },
        grounds: [
            Assumed(&assumed::V4_XORWOW),
            Assumed(&assumed::ONE_STEP),
            Assumed(&assumed::DRAW_AFTER),
            Assumed(&assumed::FOUR_REGISTERS),
            Assumed(&assumed::CONVERT_TOP23),
            Assumed(&assumed::ORDERED_LESS_THAN),
            Assumed(&assumed::UNUSED_SEEDING),
        ],
    },
    BuiltIn {
        name: "simulator",
        about: "the taps of the compiler's simulator, XOR where trn1 has XNOR",
        build: || trn1().named("simulator", taps(Direction::Left, Feedback::Xor)),
        grounds: [
            Known(&known::LFSR_TAPS_SIMULATOR),
            Known(&known::LFSR_TAPS_SIMULATOR),
            Known(&known::LFSR_TAPS_SIMULATOR),
            Assumed(&assumed::ONE_REGISTER),
            Assumed(&assumed::CONVERT_TOP23),
            Assumed(&assumed::ORDERED_LESS_THAN),
            Known(&known::SEEDING_LANE_SHIFT24),
        ],
    },
    BuiltIn {
        name: "xorshift",
        about: "xorshift 13, 17, 5: a stand-in for \"xorshift-style\"",
        build: || {
            let shifts = vec![Shift::Left(13), Shift::Right(17), Shift::Left(5)];
            trn1().named("xorshift", Recurrence::Xorshift { shifts })
        },
        grounds: [
            Assumed(&assumed::XORSHIFT_STAND_IN),
            Assumed(&assumed::ONE_STEP),
            Known(&known::DRAW_AFTER_STEPS),
            Assumed(&assumed::ONE_REGISTER),
            Assumed(&assumed::CONVERT_TOP23),
            Assumed(&assumed::ORDERED_LESS_THAN),
            Assumed(&assumed::LANE_SHIFT24),
        ],
    },
    BuiltIn {
        name: "tenstorrent",
        about: "another vendor's documented register, for comparison",
        build: || Profile {
            draw: DrawOrder::Before,
            ..trn1().named("tenstorrent", taps(Direction::Right, Feedback::Xnor))
        },
        grounds: [
            Known(&known::TENSTORRENT_PRNG),
            Assumed(&assumed::ONE_STEP),
            Known(&known::TENSTORRENT_PRNG),
            Assumed(&assumed::ONE_REGISTER),
            Assumed(&assumed::CONVERT_TOP23),
            Assumed(&assumed::ORDERED_LESS_THAN),
            Assumed(&assumed::LANE_SHIFT24),
        ],
    },
];

fn taps(direction: Direction, feedback: Feedback) -> Recurrence {
    Recurrence::Fibonacci { direction, mask: 0x8020_0003, feedback }
}

fn trn1() -> Profile {
    Profile {
        name: "trn1".into(),
        recurrence: taps(Direction::Left, Feedback::Xnor),
        steps_per_draw: 1,
        draw: DrawOrder::After,
        registers_per_lane: 1,
        uniform: Uniform::Top23,
        compare: Compare::LessThan,
        seeding: Seeding::LaneShift24,
        fp8_exp4: Fp8Exp4::Ieee,
        evidence: BTreeMap::new(),
    }
}

impl BuiltIn {
    pub(super) fn profile(&self) -> Profile {
        let mut profile = (self.build)();
        for (field, ground) in Field::ALL.into_iter().zip(self.grounds) {
            if let Known(claim) = ground {
                profile.evidence.insert(field, format!("claim {}: {}", claim.id, claim.source));
            }
        }
        profile
    }

    pub(super) fn ground(&self, field: Field) -> Ground {
        self.grounds[field as usize]
    }
}

impl Profile {
    fn named(self, name: &str, recurrence: Recurrence) -> Self {
        Self { name: name.into(), recurrence, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_profiles_and_unique() {
        for (i, builtin) in ALL.iter().enumerate() {
            assert_eq!(builtin.profile().name, builtin.name);
            assert!(ALL[i + 1..].iter().all(|other| other.name != builtin.name));
        }
    }
}
