//! The state of a device that a program finds and leaves.

use thiserror::Error;

use super::{Memory, Registers, Sync};
use crate::isa::Generation;
use crate::rng::{Lanes, LanesError, Profile, Recurrence};

/// Lanes of the Vector engine, one a partition.
const LANES: usize = 128;

/// One core as the Vector engine sees it: memories, registers, semaphores and
/// events, and the generator state of its 128 lanes.
///
/// ```
/// use lanedrop::device::Device;
/// use lanedrop::isa::Generation;
/// use lanedrop::rng::Profile;
/// let profile = Profile::builtin("trn1").unwrap();
/// let mut device = Device::new(Generation::V3, &profile)?;
/// device.seed(42)?;
/// assert_eq!(device.lanes().registers(1), [0x0100_002a]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Device<'t> {
    /// SBUF and PSUM.
    pub memory: Memory<'t>,
    /// The engine's registers.
    pub registers: Registers,
    /// Semaphores and events.
    pub sync: Sync,
    lanes: Lanes,
    /// The generator that RAND2 draws from, where Dropout's is another one.
    xorwow: Option<Lanes>,
}

/// A device cannot be given this generator state.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SeedError {
    /// Seeds are 32 bits wide.
    #[error("seed is 0x{seed:x}, which is wider than the 32 bits of a seed")]
    Wide {
        /// The seed.
        seed: u64,
    },
    /// The Vector engine has 128 lanes, no more and no fewer.
    #[error("state is of {found} lanes, the Vector engine has 128")]
    LaneCount {
        /// How many there are.
        found: usize,
    },
    /// The profile does not admit it.
    #[error(transparent)]
    Lanes(#[from] LanesError),
}

impl<'t> Device<'t> {
    /// Returns a device with empty memories whose Vector engine works as
    /// `profile` says.
    ///
    /// Its lanes start from seed 0 by the profile's rule, for xorwow from the
    /// firmware's words, and from zero words where neither is known. v4 and
    /// later also have an XORWOW beside any other generator.
    ///
    /// # Errors
    /// Where the profile is none that a device could have.
    pub fn new(generation: Generation, profile: &Profile) -> Result<Self, SeedError> {
        let words = profile.words_per_lane();
        let lanes = match &profile.recurrence {
            Recurrence::Xorwow => Lanes::firmware_default(profile, LANES)?,
            _ if words == 1 => Lanes::seeded(profile, 0, LANES)?,
            _ => Lanes::from_words(profile, &vec![0; LANES * words], LANES)?,
        };
        let beside = generation >= Generation::V4 && profile.recurrence != Recurrence::Xorwow;
        let xorwow = match Profile::builtin("trn3") {
            Some(xorwow) if beside => Some(Lanes::firmware_default(&xorwow, LANES)?),
            _ => None,
        };
        Ok(Self {
            memory: Memory::new(generation),
            registers: Registers::default(),
            sync: Sync::default(),
            lanes,
            xorwow,
        })
    }

    /// Returns the device's generation.
    pub fn generation(&self) -> Generation {
        self.memory.generation()
    }

    /// Returns the state that Dropout and RNG draw from.
    pub fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// Returns the state that Dropout and RNG draw from, to be moved on.
    pub fn lanes_mut(&mut self) -> &mut Lanes {
        &mut self.lanes
    }

    /// Returns the memories, and the state that Dropout and RNG draw from, to be
    /// worked on together.
    pub fn memory_and_lanes(&mut self) -> (&mut Memory<'t>, &mut Lanes) {
        (&mut self.memory, &mut self.lanes)
    }

    /// Returns the memories, and the state of the engine's XORWOW, to be worked
    /// on together.
    pub fn memory_and_xorwow(&mut self) -> (&mut Memory<'t>, Option<&mut Lanes>) {
        let own = self.lanes.profile().recurrence == Recurrence::Xorwow;
        let Self { memory, lanes, xorwow, .. } = self;
        (memory, if own { Some(lanes) } else { xorwow.as_mut() })
    }

    /// Replaces the state that Dropout and RNG draw from; the profile may be
    /// another one.
    ///
    /// # Errors
    /// Where it is not of 128 lanes.
    pub fn set_lanes(&mut self, lanes: Lanes) -> Result<(), SeedError> {
        if lanes.lanes() != LANES {
            return Err(SeedError::LaneCount { found: lanes.lanes() });
        }
        self.lanes = lanes;
        Ok(())
    }

    /// Returns the state of the engine's XORWOW, which RAND2 draws from:
    /// Dropout's own where the profile says so; `None` where there is none.
    pub fn xorwow(&self) -> Option<&Lanes> {
        if self.lanes.profile().recurrence == Recurrence::Xorwow {
            Some(&self.lanes)
        } else {
            self.xorwow.as_ref()
        }
    }

    /// Returns the state of the engine's XORWOW, to be moved on.
    pub fn xorwow_mut(&mut self) -> Option<&mut Lanes> {
        if self.lanes.profile().recurrence == Recurrence::Xorwow {
            Some(&mut self.lanes)
        } else {
            self.xorwow.as_mut()
        }
    }

    /// Seeds all lanes by the profile's rule.
    ///
    /// # Errors
    /// Where the seed is wider than 32 bits, or the profile has no rule.
    pub fn seed(&mut self, seed: u64) -> Result<(), SeedError> {
        let seed = u32::try_from(seed).map_err(|_| SeedError::Wide { seed })?;
        self.lanes = Lanes::seeded(self.lanes.profile(), seed, LANES)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(generation: Generation, profile: &str) -> Device<'static> {
        Device::new(generation, &Profile::builtin(profile).unwrap()).unwrap()
    }

    #[test]
    fn a_seed_has_32_bits() {
        let mut device = device(Generation::V3, "trn1");
        assert_eq!(device.seed(u32::MAX.into()), Ok(()));
        assert_eq!(device.lanes().registers(2), [0x02ff_ffff]);
        let error = device.seed(1 << 32).unwrap_err();
        assert_eq!(
            error.to_string(),
            "seed is 0x100000000, which is wider than the 32 bits of a seed"
        );
        assert_eq!(device.lanes().registers(2), [0x02ff_ffff]);
    }

    #[test]
    fn v4_has_an_xorwow_whatever_dropout_draws_from() {
        assert!(device(Generation::V3, "trn1").xorwow().is_none());
        assert_eq!(device(Generation::V4, "trn1").xorwow().unwrap().words_per_lane(), 24);
        let mut same = device(Generation::V4, "trn3");
        same.lanes_mut().draw(5);
        assert_eq!(same.lanes().words(), same.xorwow().unwrap().words());
    }

    #[test]
    fn only_128_lanes_fit() {
        let mut device = device(Generation::V2, "trn1");
        let lanes = Lanes::seeded(device.lanes().profile(), 1, 64).unwrap();
        assert_eq!(device.set_lanes(lanes), Err(SeedError::LaneCount { found: 64 }));
    }
}
