//! From one 32-bit seed to the lanes' words.

/// How one seed becomes the first word of every lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seeding {
    /// `(lane << 24) | (seed & 0xffffff)`; lanes 256 apart agree.
    LaneShift24,
    /// Every lane gets the seed as it is.
    Same,
}

impl Seeding {
    /// Every rule, in the order of the profile format.
    pub const ALL: [Self; 2] = [Self::LaneShift24, Self::Same];

    /// Returns the word that `lane` starts from.
    ///
    /// ```
    /// # use lanedrop::rng::Seeding;
    /// assert_eq!(Seeding::LaneShift24.word(0xff00_002a, 3), 0x0300_002a);
    /// ```
    pub fn word(self, seed: u32, lane: usize) -> u32 {
        match self {
            // Only the low eight bits of the lane have a place in the word.
            Self::LaneShift24 => (lane as u32) << 24 | seed & 0x00ff_ffff,
            Self::Same => seed,
        }
    }

    /// Returns the rule's name in a profile file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LaneShift24 => "lane-shift24",
            Self::Same => "same",
        }
    }
}
