//! What moves a register on by draws, with its tables.

use std::sync::OnceLock;

use super::{Profile, Xorwow};
use crate::gf2::{Affine32, ByteMap, Jump};

/// The steps of one draw, ready to be done often.
#[derive(Debug)]
pub(super) enum Engine {
    /// A register of one word.
    Affine {
        /// One draw.
        map: Affine32,
        table: Box<ByteMap>,
        /// Filled by the first jump.
        jump: OnceLock<Jump>,
    },
    /// A register of six words.
    Xorwow { steps: u32 },
}

impl Engine {
    pub(super) fn new(profile: &Profile) -> Self {
        match profile.draw_map() {
            Some(map) => {
                Self::Affine { map, table: Box::new(ByteMap::new(&map)), jump: OnceLock::new() }
            }
            None => Self::Xorwow { steps: profile.steps_per_draw },
        }
    }

    /// Returns what `n` draws do to a one-word register.
    pub(super) fn power(&self, n: u64) -> Option<Affine32> {
        match self {
            Self::Affine { map, jump, .. } => Some(match n {
                0 => Affine32::IDENTITY,
                1 => *map,
                _ => jump.get_or_init(|| Jump::new(map)).to(n),
            }),
            Self::Xorwow { .. } => None,
        }
    }
}

/// Takes the steps of one xorwow draw.
pub(super) fn xorwow_draw(register: &mut Xorwow, steps: u32) {
    for _ in 0..steps {
        register.step();
    }
}
