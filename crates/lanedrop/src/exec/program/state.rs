//! Records that seed the lanes, and that save and restore their state.

use super::stretch::{self, Source};
use super::{Cause, Effect, Machine, NotExecuted};
use crate::evidence::assumptions::STATE_WORD_ORDER;
use crate::isa::neighbours::{D4_RAND, PSEUDO_SET_RNG_SEED, S1_RAND};
use crate::isa::{
    Engine, Field, ImmSrc, Place, RandAlgorithm, RandSrc, Tensor1d, Tensor4d, Word, rand_states,
};
use crate::rng::Lanes;

const SEED_SRC: &Field = PSEUDO_SET_RNG_SEED.field("seed_src");
const SEED: &Field = PSEUDO_SET_RNG_SEED.field("seed");
const GET_ALGORITHM: &Field = D4_RAND.field("algorithm");
const GET_SOURCE: &Field = D4_RAND.field("rand_generator");
const GET_CHANNELS: &Field = D4_RAND.field("num_active_channels");
const GET_DST: &Field = D4_RAND.field("dst_mem_pattern.start_addr");
const SET_ALGORITHM: &Field = S1_RAND.field("algorithm");
const SET_SOURCE: &Field = S1_RAND.field("rand_generator");
const SET_CHANNELS: &Field = S1_RAND.field("num_active_channels");
const SET_SRC: &Field = S1_RAND.field("src_mem_pattern.start_addr");

impl Machine<'_, '_, '_> {
    pub(super) fn set_rng_seed(&mut self, word: &Word) -> Result<Effect, Cause> {
        if self.options.engine != Engine::Dve {
            let engine = self.options.engine;
            return Err(Cause::NotExecuted { why: NotExecuted::OtherEngine { engine } });
        }
        let src = ImmSrc::from_code(SEED_SRC.u8(word)).unwrap_or(ImmSrc::InstructionImmediate);
        let seed = self.scalar("seed", src, SEED.u32(word), 4, 1)?;
        let seed = seed.first().copied().unwrap_or(0);
        self.device.seed(seed.into())?;
        Ok(Effect::Seeded { seed })
    }

    pub(super) fn get_state(&mut self, word: &Word) -> Result<Effect, Cause> {
        let channels = GET_CHANNELS.u8(word);
        let pattern = Tensor4d::from_bytes(&word.0[GET_DST.offset_bytes..]);
        let dst = self.pattern("dst", &pattern, 4, channels)?;
        let which = self.state(GET_SOURCE.u8(word), GET_ALGORITHM.u8(word), dst.walk.len())?;
        let words = self.spend(dst.walk.len(), channels)?;
        self.assume(&STATE_WORD_ORDER);
        let (memory, lanes) = match which {
            Which::Lanes => {
                let (memory, lanes) = self.device.memory_and_lanes();
                (memory, Some(lanes))
            }
            Which::Xorwow => self.device.memory_and_xorwow(),
        };
        if let Some(lanes) = lanes {
            let first_lane = dst.place.partition as usize;
            stretch::fill(memory, &dst, channels.into(), &mut State { lanes, first_lane })?;
        }
        Ok(Effect::StateRead { words })
    }

    pub(super) fn set_state(&mut self, word: &Word) -> Result<Effect, Cause> {
        let channels = SET_CHANNELS.u8(word);
        let pattern = Tensor1d::from_bytes(&word.0[SET_SRC.offset_bytes..]);
        let src = self.pattern("src", &pattern, 4, channels)?;
        let which = self.state(SET_SOURCE.u8(word), SET_ALGORITHM.u8(word), src.walk.len())?;
        let words = self.spend(src.walk.len(), channels)?;
        self.assume(&STATE_WORD_ORDER);
        let (memory, lanes) = match which {
            Which::Lanes => {
                let (memory, lanes) = self.device.memory_and_lanes();
                (memory, Some(lanes))
            }
            Which::Xorwow => self.device.memory_and_xorwow(),
        };
        if let Some(lanes) = lanes {
            for channel in 0..u32::from(channels) {
                let partition = src.place.partition + channel;
                let registers = lanes.registers_mut(partition as usize);
                for (register, offset) in registers.iter_mut().zip(src.walk.offsets()) {
                    let mut bytes = [0; 4];
                    let place = Place { partition, offset_bytes: offset as u32, ..src.place };
                    memory.read(place, &mut bytes)?;
                    *register = u32::from_le_bytes(bytes);
                }
            }
        }
        Ok(Effect::StateSet { words })
    }

    /// Returns which lanes hold the state of this source and algorithm in so
    /// many words.
    fn state(&self, source: u8, algorithm: u8, words: u64) -> Result<Which, Cause> {
        let (Some(source), Some(algorithm)) =
            (RandSrc::from_code(source), RandAlgorithm::from_code(algorithm))
        else {
            return Err(Cause::NotExecuted { why: NotExecuted::NoModel });
        };
        let (engine, generation) = (self.options.engine, self.device.generation());
        let state = rand_states(source, algorithm, generation)
            .find(|state| state.engine == engine && u64::from(state.words) == words);
        let Some(state) = state else {
            let source_ = source;
            return Err(Cause::WrongEngine { engine, generation, source_, algorithm, words });
        };
        if engine != Engine::Dve {
            return Err(Cause::NotExecuted { why: NotExecuted::OtherEngine { engine } });
        }
        let (which, lanes) = match source {
            RandSrc::OutputCvtLfsr => {
                return Err(Cause::NotExecuted { why: NotExecuted::OutputConversion });
            }
            RandSrc::RngXorwow => (Which::Xorwow, self.device.xorwow()),
            _ => (Which::Lanes, Some(self.device.lanes())),
        };
        let fits = |lanes: &&Lanes| {
            let affine = lanes.profile().draw_map().is_some();
            lanes.words_per_lane() == state.words as usize
                && affine == (algorithm == RandAlgorithm::Lfsr)
        };
        if lanes.filter(fits).is_some() {
            return Ok(which);
        }
        let lanes = lanes.unwrap_or(self.device.lanes());
        Err(Cause::Profile {
            algorithm,
            words: state.words,
            profile: lanes.profile().name.clone(),
            found: lanes.words_per_lane(),
            affine: lanes.profile().draw_map().is_some(),
        })
    }
}

/// Where a state is kept on the device model.
#[derive(Clone, Copy)]
enum Which {
    /// In the lanes that Dropout draws from.
    Lanes,
    /// In the XORWOW that RAND2 draws from.
    Xorwow,
}

/// State words as elements.
struct State<'a> {
    lanes: &'a Lanes,
    first_lane: usize,
}

impl Source for State<'_> {
    fn prepare(&mut self, _: usize) {}

    fn write(&self, channel: usize, at: usize, dst: &mut [u8]) {
        let words = &self.lanes.registers(self.first_lane + channel)[at..];
        for (element, word) in dst.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *element = word.to_le_bytes();
        }
    }
}
