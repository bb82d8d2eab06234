//! A profile: one way in which a device's generator could work.

use std::collections::BTreeMap;

use super::{Compare, Direction, Feedback, Field, Recurrence, Seeding, Shift, Uniform};
use crate::gf2::Affine32;

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
        Self::builtins().into_iter().find(|profile| profile.name == name)
    }

    /// Returns the built-in profiles, the default first.
    pub fn builtins() -> Vec<Self> {
        let taps =
            |direction, feedback| Recurrence::Fibonacci { direction, mask: 0x8020_0003, feedback };
        let trn1 = Self {
            name: "trn1".into(),
            recurrence: taps(Direction::Left, Feedback::Xnor),
            steps_per_draw: 1,
            draw: DrawOrder::After,
            registers_per_lane: 1,
            uniform: Uniform::Top23,
            compare: Compare::LessThan,
            seeding: Seeding::LaneShift24,
            evidence: BTreeMap::new(),
        };
        let with = |name: &str, recurrence| Self { name: name.into(), recurrence, ..trn1.clone() };
        let shifts = vec![Shift::Left(13), Shift::Right(17), Shift::Left(5)];
        vec![
            trn1.clone(),
            Self { registers_per_lane: 4, ..with("trn3", Recurrence::Xorwow) },
            with("simulator", taps(Direction::Left, Feedback::Xor)),
            with("xorshift", Recurrence::Xorshift { shifts }),
            Self {
                draw: DrawOrder::Before,
                ..with("tenstorrent", taps(Direction::Right, Feedback::Xnor))
            },
        ]
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
}
