//! Records that write without reading: MEMSET, RNG and RAND2.

use super::stretch::{self, MADE, Source};
use super::{Cause, Effect, Machine, NotExecuted};
use crate::evidence::assumptions::{MEMSET_LOW_BITS, RAND2_ROUNDING};
use crate::exec::Element;
use crate::isa::neighbours::{D3_RAND, D4_MR};
use crate::isa::{Dtype, Field, ImmSrc, Tensor3d, Tensor4d, Word};
use crate::rng::{Lanes, Uniform};

const DTYPE: &Field = D4_MR.field("dtype");
const CHANNELS: &Field = D4_MR.field("num_active_channels");
const FILL: &Field = D4_MR.field("fill_value");
const DST: &Field = D4_MR.field("dst_mem_pattern.start_addr");
const RAND2_DTYPE: &Field = D3_RAND.field("dtype");
const RAND2_CHANNELS: &Field = D3_RAND.field("num_active_channels");
const BOUND_SRCS: [&Field; 2] = [D3_RAND.field("min_src"), D3_RAND.field("max_src")];
const BOUNDS: [&Field; 2] = [D3_RAND.field("min"), D3_RAND.field("max")];
const RAND2_DST: &Field = D3_RAND.field("dst_mem_pattern.start_addr");

impl Machine<'_, '_, '_> {
    pub(super) fn memset(&mut self, word: &Word) -> Result<Effect, Cause> {
        let dtype = Dtype::from_code(DTYPE.u8(word)).unwrap_or(Dtype::INVALID);
        let unknown = NotExecuted::Dtype { name: dtype.name() };
        let size = dtype.size_bytes().ok_or(Cause::NotExecuted { why: unknown })?;
        let channels = CHANNELS.u8(word);
        let pattern = Tensor4d::from_bytes(&word.0[DST.offset_bytes..]);
        let dst = self.pattern("dst", &pattern, size, channels)?;
        let elements = self.spend(dst.walk.len(), channels)?;
        if size < 4 {
            self.assume(&MEMSET_LOW_BITS);
        }
        let mut value = Value { bytes: FILL.u32(word).to_le_bytes(), size: size as usize };
        stretch::fill(&mut self.device.memory, &dst, channels.into(), &mut value)?;
        Ok(Effect::Wrote { elements })
    }

    pub(super) fn rng(&mut self, word: &Word) -> Result<Effect, Cause> {
        let dtype = Dtype::from_code(DTYPE.u8(word)).unwrap_or(Dtype::INVALID);
        let size = match dtype.size_bytes() {
            Some(size) if dtype.is_integer() => size,
            _ => return Err(Cause::NotExecuted { why: NotExecuted::RngFloat }),
        };
        let channels = CHANNELS.u8(word);
        let pattern = Tensor4d::from_bytes(&word.0[DST.offset_bytes..]);
        let dst = self.pattern("dst", &pattern, size, channels)?;
        let elements = self.spend(dst.walk.len(), channels)?;
        let (memory, lanes) = self.device.memory_and_lanes();
        let first_lane = dst.place.partition as usize;
        let draws = Draws { lanes, first_lane, channels: channels.into(), draws: Vec::new() };
        let mut raw = Raw { draws, size: size as usize };
        stretch::fill(memory, &dst, channels.into(), &mut raw)?;
        Ok(Effect::Wrote { elements })
    }

    pub(super) fn rand2(&mut self, word: &Word) -> Result<Effect, Cause> {
        let dtype = Dtype::from_code(RAND2_DTYPE.u8(word)).unwrap_or(Dtype::INVALID);
        let element = self.element(dtype)?;
        let channels = RAND2_CHANNELS.u8(word);
        let pattern = Tensor3d::from_bytes(&word.0[RAND2_DST.offset_bytes..]);
        let dst = self.pattern("dst", &pattern, element.size_bytes() as u32, channels)?;
        let mut bounds = Vec::with_capacity(2);
        for (i, name) in ["min", "max"].into_iter().enumerate() {
            let src = ImmSrc::from_code(BOUND_SRCS[i].u8(word));
            let src = src.unwrap_or(ImmSrc::InstructionImmediate);
            let raw = BOUNDS[i].u32(word);
            bounds.push(self.float_scalar(name, src, raw, Dtype::FP32, channels)?);
        }
        let elements = self.spend(dst.walk.len(), channels)?;
        self.assume(&RAND2_ROUNDING);
        let (memory, lanes) = self.device.memory_and_xorwow();
        // Legal on v4 and later alone, and those have the generator.
        let Some(lanes) = lanes else {
            return Err(Cause::NotExecuted { why: NotExecuted::NoModel });
        };
        let first_lane = dst.place.partition as usize;
        let draws = Draws { lanes, first_lane, channels: channels.into(), draws: Vec::new() };
        let [min, max] = [bounds.remove(0), bounds.remove(0)];
        let mut uniforms = InRange { draws, element, min, max };
        stretch::fill(memory, &dst, channels.into(), &mut uniforms)?;
        Ok(Effect::Wrote { elements })
    }
}

/// The same bytes for every element.
struct Value {
    bytes: [u8; 4],
    size: usize,
}

impl Source for Value {
    fn prepare(&mut self, _: usize) {}

    fn write(&self, _: usize, _: usize, dst: &mut [u8]) {
        for element in dst.chunks_exact_mut(self.size) {
            element.copy_from_slice(&self.bytes[..self.size]);
        }
    }
}

/// The next draws of some lanes.
struct Draws<'a> {
    lanes: &'a mut Lanes,
    first_lane: usize,
    channels: usize,
    /// `[channel][MADE]`.
    draws: Vec<u32>,
}

impl Draws<'_> {
    fn prepare(&mut self, len: usize) {
        self.draws.resize(self.channels * MADE, 0);
        for (channel, draws) in self.draws.chunks_mut(MADE).enumerate() {
            self.lanes.fill(self.first_lane + channel, &mut draws[..len]);
        }
    }

    fn of(&self, channel: usize, at: usize) -> &[u32] {
        &self.draws[channel * MADE + at..(channel + 1) * MADE]
    }
}

/// Draws as they are, of which a narrow element keeps the low bits.
struct Raw<'a> {
    draws: Draws<'a>,
    size: usize,
}

impl Source for Raw<'_> {
    fn prepare(&mut self, len: usize) {
        self.draws.prepare(len);
    }

    fn write(&self, channel: usize, at: usize, dst: &mut [u8]) {
        let draws = self.draws.of(channel, at);
        for (element, draw) in dst.chunks_exact_mut(self.size).zip(draws) {
            element.copy_from_slice(&draw.to_le_bytes()[..self.size]);
        }
    }
}

/// Uniforms between two bounds.
struct InRange<'a> {
    draws: Draws<'a>,
    element: Element,
    /// One a channel, or one for all.
    min: Vec<f32>,
    max: Vec<f32>,
}

impl Source for InRange<'_> {
    fn prepare(&mut self, len: usize) {
        self.draws.prepare(len);
    }

    fn write(&self, channel: usize, at: usize, dst: &mut [u8]) {
        let min = self.min[channel % self.min.len()];
        let max = self.max[channel % self.max.len()];
        let size = self.element.size_bytes();
        for (element, &draw) in dst.chunks_exact_mut(size).zip(self.draws.of(channel, at)) {
            let value = min + (max - min) * Uniform::Low23.of(draw);
            let bits = if value.is_nan() { f32::NAN } else { value };
            element.copy_from_slice(&self.element.from_f32(bits).to_le_bytes()[..size]);
        }
    }
}
