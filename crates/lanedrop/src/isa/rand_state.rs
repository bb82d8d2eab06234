//! Which engine keeps which generator state, and in how many words.

use std::fmt;

use super::{Generation, GenerationSet, RandAlgorithm, RandSrc};
use crate::evidence::Claim;
use crate::evidence::claims::neighbours::RAND_STATE_PAIRINGS;

/// An engine of the core, in the runtime's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// The matrix engine.
    Pe,
    /// The activation (Scalar) engine.
    Act,
    /// The pooling engine, public name GpSimd.
    Pool,
    /// The Vector engine, which Dropout runs on.
    Dve,
    /// The sync engine.
    Sp,
}

impl Engine {
    /// Every engine, in the runtime's order.
    pub const ALL: [Self; 5] = [Self::Pe, Self::Act, Self::Pool, Self::Dve, Self::Sp];

    /// Returns the name in upper case, as the headers have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pe => "PE",
            Self::Act => "ACT",
            Self::Pool => "POOL",
            Self::Dve => "DVE",
            Self::Sp => "SP",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A generator state that RAND_GET_STATE and RAND_SET_STATE can reach.
#[derive(Debug, PartialEq, Eq)]
pub struct RandState {
    /// The engine that keeps it.
    pub engine: Engine,
    /// Where in the engine.
    pub source: RandSrc,
    /// The generator.
    pub algorithm: RandAlgorithm,
    /// Words of a lane's state; of the whole engine's for Philox.
    pub words: u32,
    /// Where it exists.
    pub generations: GenerationSet,
    /// Where that is known from.
    pub claim: &'static Claim,
}

/// Writes one row a state.
macro_rules! states {
    ($($engine:ident $source:ident $algorithm:ident $words:literal $generations:ident;)*) => {
        /// Every generator state that a record can reach.
        pub static RAND_STATES: &[RandState] = &[$(RandState {
            engine: Engine::$engine,
            source: RandSrc::$source,
            algorithm: RandAlgorithm::$algorithm,
            words: $words,
            generations: GenerationSet::$generations,
            claim: &RAND_STATE_PAIRINGS,
        }),*];
    };
}

states! {
    Pool RngPhilox Philox 7 ALL;
    Pool RngXorwow Xorwow 6 FROM_V3;
    Pool OutputCvtLfsr Lfsr 1 FROM_V4;
    Dve RngXorwow Xorwow 24 FROM_V4;
    Dve RngLfsr Lfsr 4 FROM_V4;
    Dve OutputCvtLfsr Lfsr 4 FROM_V4;
    Act OutputCvtLfsr Lfsr 2 ONLY_V4;
}

/// Returns the states of this source and algorithm that `generation` has, on
/// whatever engine.
///
/// ```
/// use lanedrop::isa::{Engine, Generation, RandAlgorithm, RandSrc, rand_states};
/// let (source, algorithm) = (RandSrc::RngLfsr, RandAlgorithm::Lfsr);
/// assert_eq!(rand_states(source, algorithm, Generation::V3).count(), 0);
/// let state = rand_states(source, algorithm, Generation::V4).next().unwrap();
/// assert_eq!((state.engine, state.words), (Engine::Dve, 4));
/// ```
pub fn rand_states(
    source: RandSrc,
    algorithm: RandAlgorithm,
    generation: Generation,
) -> impl Iterator<Item = &'static RandState> {
    RAND_STATES.iter().filter(move |state| {
        state.source == source
            && state.algorithm == algorithm
            && state.generations.contains(generation)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_states_as_the_headers_have_arms() {
        let count = |generation| {
            RAND_STATES.iter().filter(|state| state.generations.contains(generation)).count()
        };
        // These are the arms of RAND_GET_STATE; RAND_SET_STATE has one more on
        // each generation, for Philox by immediates.
        assert_eq!(Generation::ALL.map(count), [1, 2, 7, 6]);
    }

    #[test]
    fn no_state_has_a_member_its_generation_lacks() {
        for state in RAND_STATES {
            for generation in state.generations.iter() {
                let (source, algorithm) = (state.source, state.algorithm);
                assert!(algorithm.generations().contains(generation), "{state:?}");
                assert!(source.generations().contains(generation), "{state:?}");
            }
        }
    }
}
