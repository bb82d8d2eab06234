//! The state of a device's lanes under a profile.

use std::ops::Range;
use std::sync::Arc;

use super::engine::{Engine, Leap};
use super::{Profile, Recurrence, Xorwow};
use crate::gf2::Affine32;

/// The generator state of some lanes under one profile.
///
/// A lane has one register or four; with four, its element `k` uses register
/// `k mod 4`. Registers are kept in the order in which they serve: the first
/// one serves next. Cloning is a snapshot.
///
/// ```
/// # use lanedrop::rng::{Lanes, Profile};
/// let profile = Profile::builtin("trn1").unwrap();
/// let mut lanes = Lanes::from_words(&profile, &[0x9d9b_f424], 1).unwrap();
/// assert_eq!(lanes.draw(0), 0x3b37_e848);
/// assert_eq!(lanes.to_words(), [0x3b37_e848]);
/// ```
#[derive(Clone, Debug)]
pub struct Lanes {
    profile: Arc<Profile>,
    engine: Arc<Engine>,
    /// Lane after lane, register after register, the next to serve first.
    words: Vec<u32>,
    lanes: usize,
}

/// Why lanes could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LanesError {
    /// No lane was asked for.
    #[error("lanes is 0, expected at least 1")]
    NoLanes,
    /// The state would not fit into memory.
    #[error("lanes is {lanes}, whose state does not fit into memory")]
    TooMany {
        /// How many were asked for.
        lanes: usize,
    },
    /// The state has another number of words than the lanes.
    #[error("state has {found} words, expected {lanes} lanes of {per_lane}")]
    Words {
        /// How many words were given.
        found: usize,
        /// How many lanes were asked for.
        lanes: usize,
        /// How many words the profile gives a lane.
        per_lane: usize,
    },
    /// There is no rule that makes a lane's words from a seed.
    #[error(
        "profile {profile} has {per_lane} words a lane and no rule to make them from a seed; \
         give the words themselves"
    )]
    NoSeedingRule {
        /// The profile's name.
        profile: String,
        /// How many words the profile gives a lane.
        per_lane: usize,
    },
    /// Only xorwow has words that the firmware starts from.
    #[error("profile {profile} is not xorwow, and the firmware has default words for that alone")]
    NoDefault {
        /// The profile's name.
        profile: String,
    },
    /// A field of the profile has a value that no device could have.
    #[error("profile {profile} has {field} = {found}, expected {expected}")]
    Profile {
        /// The profile's name.
        profile: String,
        /// The field at fault.
        field: &'static str,
        /// What it holds.
        found: u32,
        /// What would do.
        expected: &'static str,
    },
}

impl Lanes {
    /// Returns `lanes` lanes seeded by the profile's rule.
    ///
    /// # Errors
    /// Where the profile has several words a lane, no rule makes them from one
    /// seed; see also [`LanesError`].
    pub fn seeded(profile: &Profile, seed: u32, lanes: usize) -> Result<Self, LanesError> {
        let per_lane = profile.words_per_lane();
        if profile.recurrence == Recurrence::Xorwow || per_lane > 1 {
            let profile = profile.name.clone();
            return Err(LanesError::NoSeedingRule { profile, per_lane });
        }
        Self::filled(profile, lanes, |words| {
            words.extend((0..lanes).map(|lane| profile.seeding.word(seed, lane)));
        })
    }

    /// Returns lanes with these words: lane after lane, in a lane register
    /// after register, the one that serves next first; six words a register
    /// for xorwow (`x, y, z, w, v, d`).
    ///
    /// # Errors
    /// Where there are not `lanes` times [`Profile::words_per_lane`] words.
    pub fn from_words(profile: &Profile, words: &[u32], lanes: usize) -> Result<Self, LanesError> {
        let per_lane = profile.words_per_lane();
        if lanes.checked_mul(per_lane) != Some(words.len()) {
            return Err(LanesError::Words { found: words.len(), lanes, per_lane });
        }
        Self::filled(profile, lanes, |state| state.extend_from_slice(words))
    }

    /// Returns lanes in the state in which the firmware starts xorwow: the same
    /// words in every register of every lane.
    ///
    /// # Errors
    /// Where the profile's recurrence is not xorwow.
    pub fn firmware_default(profile: &Profile, lanes: usize) -> Result<Self, LanesError> {
        if profile.recurrence != Recurrence::Xorwow {
            return Err(LanesError::NoDefault { profile: profile.name.clone() });
        }
        Self::filled(profile, lanes, |words| {
            for _ in 0..lanes * usize::from(profile.registers_per_lane) {
                words.extend_from_slice(&Xorwow::FIRMWARE_DEFAULT.words);
            }
        })
    }

    fn filled(
        profile: &Profile,
        lanes: usize,
        fill: impl FnOnce(&mut Vec<u32>),
    ) -> Result<Self, LanesError> {
        let wrong = |field, found, expected| {
            Err(LanesError::Profile { profile: profile.name.clone(), field, found, expected })
        };
        if !matches!(profile.registers_per_lane, 1 | 4) {
            return wrong("registers_per_lane", profile.registers_per_lane.into(), "1 or 4");
        }
        if profile.steps_per_draw == 0 {
            return wrong("steps_per_draw", 0, "at least 1");
        }
        if lanes == 0 {
            return Err(LanesError::NoLanes);
        }
        let mut words = Vec::new();
        let count = lanes.checked_mul(profile.words_per_lane());
        if count.is_none_or(|count| words.try_reserve_exact(count).is_err()) {
            return Err(LanesError::TooMany { lanes });
        }
        fill(&mut words);
        let engine = Arc::new(Engine::new(profile));
        Ok(Self { profile: Arc::new(profile.clone()), engine, words, lanes })
    }

    /// Returns the profile that the lanes draw by.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Returns how many lanes there are.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Returns how many words of state a lane has.
    pub fn words_per_lane(&self) -> usize {
        self.words.len() / self.lanes
    }

    /// Returns the state: `[lane][register][word]`, the register that serves
    /// next first.
    pub fn to_words(&self) -> Vec<u32> {
        self.words.clone()
    }

    /// Returns the state of every lane, laid out as by [`Lanes::to_words`].
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns one lane's words, the register that serves next first.
    ///
    /// # Panics
    /// Where there is no such lane.
    pub fn registers(&self, lane: usize) -> &[u32] {
        let width = self.words_per_lane();
        &self.words[lane * width..][..width]
    }

    /// Returns one lane's words for a kernel to move on, the register that
    /// serves next first.
    ///
    /// # Panics
    /// Where there is no such lane.
    pub fn registers_mut(&mut self, lane: usize) -> &mut [u32] {
        let width = self.words_per_lane();
        &mut self.words[lane * width..][..width]
    }

    /// Returns the state of every lane for kernels to move on, laid out as by
    /// [`Lanes::to_words`].
    pub fn words_mut(&mut self) -> &mut [u32] {
        &mut self.words
    }

    /// Returns what `n` draws do to a register, in about a microsecond; `None`
    /// for xorwow, which is not affine.
    ///
    /// `n` counts the register's own draws, of which a lane with four registers
    /// makes four at a time. The tables behind it are shared with clones.
    pub fn draw_power(&self, n: u64) -> Option<Affine32> {
        match self.engine.leap(n) {
            Leap::Affine(map) => Some(map),
            Leap::Xorwow(_) => None,
        }
    }

    /// Returns the next draw of `lane`.
    ///
    /// # Panics
    /// Where there is no such lane.
    pub fn draw(&mut self, lane: usize) -> u32 {
        let mut draw = [0];
        self.fill(lane, &mut draw);
        draw[0]
    }

    /// Fills `draws` with the next draws of `lane`.
    ///
    /// # Panics
    /// Where there is no such lane.
    pub fn fill(&mut self, lane: usize, draws: &mut [u32]) {
        let width = self.words_per_lane();
        self.engine.fill(&mut self.words[lane * width..][..width], draws);
    }

    /// Moves `lane` on by `n` draws at once.
    ///
    /// ```
    /// # use lanedrop::rng::{Lanes, Profile};
    /// let profile = Profile::builtin("trn1").unwrap();
    /// let mut walked = Lanes::seeded(&profile, 42, 4).unwrap();
    /// let mut jumped = walked.clone();
    /// walked.fill(2, &mut [0; 1000]);
    /// jumped.advance(2, 1000);
    /// assert_eq!(jumped, walked);
    /// ```
    ///
    /// # Panics
    /// Where there is no such lane.
    pub fn advance(&mut self, lane: usize, n: u64) {
        self.advance_lanes(lane..lane + 1, n);
    }

    /// Moves every lane on by `n` draws at once.
    pub fn advance_all(&mut self, n: u64) {
        self.advance_lanes(0..self.lanes, n);
    }

    /// Moves some lanes on by `n` draws at once.
    ///
    /// # Panics
    /// Where there are no such lanes.
    pub fn advance_lanes(&mut self, lanes: Range<usize>, n: u64) {
        let width = self.words_per_lane();
        let registers = usize::from(self.profile.registers_per_lane);
        let words = &mut self.words[lanes.start * width..lanes.end * width];
        // `n` draws take every register round `n / registers` times, and the
        // first few once more.
        let rounds = n / registers as u64;
        let more = (n % registers as u64) as usize * (width / registers);
        let leap = self.engine.leap(rounds);
        let one_more = (more > 0).then(|| self.engine.leap(rounds + 1));
        for lane in words.chunks_exact_mut(width) {
            let (first, rest) = lane.split_at_mut(more);
            if let Some(one_more) = &one_more {
                one_more.apply(first);
            }
            leap.apply(rest);
            lane.rotate_left(more);
        }
    }
}

impl PartialEq for Lanes {
    /// Whether both have the same profile and the same state.
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words && self.profile == other.profile
    }
}

impl Eq for Lanes {}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(name: &str) -> Profile {
        Profile::builtin(name).unwrap()
    }

    #[test]
    fn a_seed_needs_a_rule_that_gives_every_word() {
        let four = Profile { registers_per_lane: 4, ..profile("trn1") };
        let error = Lanes::seeded(&four, 1, 2).unwrap_err();
        assert_eq!(error, LanesError::NoSeedingRule { profile: "trn1".into(), per_lane: 4 });
        let error = Lanes::seeded(&profile("trn3"), 1, 2).unwrap_err();
        assert_eq!(error, LanesError::NoSeedingRule { profile: "trn3".into(), per_lane: 24 });
    }

    #[test]
    fn a_state_has_as_many_words_as_its_lanes() {
        let found = |words: &[u32], lanes| Lanes::from_words(&profile("trn1"), words, lanes);
        assert_eq!(
            found(&[1, 2, 3], 2).unwrap_err().to_string(),
            "state has 3 words, expected 2 lanes of 1"
        );
        assert_eq!(found(&[], 0).unwrap_err(), LanesError::NoLanes);
        assert!(found(&[1], usize::MAX).is_err());
        let too_many = Lanes::seeded(&profile("trn1"), 0, usize::MAX / 8);
        assert_eq!(too_many.unwrap_err(), LanesError::TooMany { lanes: usize::MAX / 8 });
        let too_many = Lanes::firmware_default(&profile("trn3"), usize::MAX / 2);
        assert_eq!(too_many.unwrap_err(), LanesError::TooMany { lanes: usize::MAX / 2 });
    }

    #[test]
    fn a_field_that_no_device_could_have_is_refused() {
        let three = Profile { registers_per_lane: 3, ..profile("trn1") };
        assert_eq!(
            Lanes::from_words(&three, &[1, 2, 3], 1).unwrap_err().to_string(),
            "profile trn1 has registers_per_lane = 3, expected 1 or 4"
        );
        let none = Profile { steps_per_draw: 0, ..profile("trn1") };
        assert!(matches!(Lanes::seeded(&none, 1, 1), Err(LanesError::Profile { found: 0, .. })));
    }

    #[test]
    fn only_xorwow_starts_from_the_firmwares_words() {
        let lanes = Lanes::firmware_default(&profile("trn3"), 2).unwrap();
        assert_eq!(lanes.words_per_lane(), 24);
        assert!(lanes.words().chunks(6).all(|words| words == Xorwow::FIRMWARE_DEFAULT.words));
        assert!(Lanes::firmware_default(&profile("trn1"), 2).is_err());
    }

    #[test]
    fn the_default_seeding_repeats_after_256_lanes() {
        let lanes = Lanes::seeded(&profile("trn1"), 42, 257).unwrap();
        assert_eq!(lanes.registers(256), lanes.registers(0));
    }

    #[test]
    fn lanes_of_other_profiles_differ_even_in_the_same_state() {
        let [one, other] = ["trn1", "simulator"].map(|name| Lanes::seeded(&profile(name), 1, 1));
        assert_ne!(one, other);
    }
}
