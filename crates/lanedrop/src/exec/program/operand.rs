//! Where operands are, and what scalar ones hold.

use super::{Cause, Machine, NotExecuted};
use crate::device::Walk;
use crate::evidence::assumptions::FP8_EXP4_READING;
use crate::exec::Element;
use crate::isa::{Addr4, Dtype, ImmSrc, Place, Tensor, Threshold};
use crate::rng::Fp8Exp4;

/// A pattern whose bytes are all there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// Where channel 0 starts.
    pub(super) place: Place,
    /// The bytes of each channel, from the start of its partition.
    pub(super) walk: Walk,
}

impl Placed {
    /// Returns the place of the lowest byte that channel `channel` visits, and
    /// how many bytes there are up to the highest.
    pub(super) fn extent(&self, channel: usize) -> (Place, usize) {
        let extent = self.walk.extent();
        let partition = self.place.partition + channel as u32;
        // It was asked that the walk stays within the partition.
        let place = Place { partition, offset_bytes: extent.start as u32, ..self.place };
        (place, (extent.end - extent.start) as usize)
    }
}

impl Machine<'_, '_, '_> {
    /// Returns the pattern of an operand, with every byte of every channel
    /// there.
    pub(super) fn pattern<const N: usize>(
        &self,
        operand: &'static str,
        pattern: &Tensor<N>,
        size_bytes: u32,
        channels: u8,
    ) -> Result<Placed, Cause> {
        if pattern.start_addr.is_shape_register() {
            return Err(Cause::ShapeRegister { operand });
        }
        let place = self.place(operand, pattern.start_addr, channels)?;
        let walk = Walk::new(pattern, size_bytes, place.offset_bytes);
        let active_bytes = self.device.memory.active_bytes(place.space);
        match walk.first_outside(active_bytes) {
            None => Ok(Placed { place, walk }),
            Some(outside) => Err(Cause::Pattern { operand, place, outside, active_bytes }),
        }
    }

    fn place(&self, operand: &'static str, address: Addr4, channels: u8) -> Result<Place, Cause> {
        let address = match address.register() {
            Some(number) => self.device.registers.read(number.into())?,
            None => address.address(),
        };
        self.address(operand, address, channels)
    }

    fn address(&self, operand: &'static str, address: u32, channels: u8) -> Result<Place, Cause> {
        let place = Place::of(address, self.device.generation())
            .ok_or(Cause::Address { operand, address })?;
        let partition = place.partition;
        if partition + u32::from(channels) > 128 {
            return Err(Cause::Partitions { operand, partition, channels });
        }
        Ok(place)
    }

    /// Returns the bits of a scalar operand of `size_bytes`: one for all
    /// channels where it is in the record, else one a channel.
    pub(super) fn scalar(
        &self,
        operand: &'static str,
        src: ImmSrc,
        raw: u32,
        size_bytes: usize,
        channels: u8,
    ) -> Result<Vec<u32>, Cause> {
        let address = match Threshold::of(src, raw) {
            Threshold::Immediate { bits } => return Ok(vec![bits]),
            Threshold::Pointer { address } => address,
            Threshold::Register { number, .. } => self.device.registers.read(number.into())?,
        };
        let place = self.address(operand, address, channels)?;
        (0..u32::from(channels))
            .map(|channel| {
                let place = Place { partition: place.partition + channel, ..place };
                let mut bytes = [0; 4];
                self.device.memory.read(place, &mut bytes[..size_bytes])?;
                Ok(u32::from_le_bytes(bytes))
            })
            .collect()
    }

    /// Returns the numbers of a scalar operand of a float type.
    pub(super) fn float_scalar(
        &mut self,
        operand: &'static str,
        src: ImmSrc,
        raw: u32,
        dtype: Dtype,
        channels: u8,
    ) -> Result<Vec<f32>, Cause> {
        let element = self.element(dtype)?;
        if src == ImmSrc::InstructionImmediate {
            return Ok(vec![f32::from_bits(raw)]);
        }
        let bits = self.scalar(operand, src, raw, element.size_bytes(), channels)?;
        Ok(bits.into_iter().map(|bits| element.to_f32(bits)).collect())
    }

    /// Returns what elements of a type are, under this program's reading of
    /// FP8_EXP4.
    pub(super) fn element(&mut self, dtype: Dtype) -> Result<Element, Cause> {
        if dtype == Dtype::FP8_EXP4 {
            self.assume(&FP8_EXP4_READING);
        }
        let reading = self.options.fp8_exp4.unwrap_or(self.device.lanes().profile().fp8_exp4);
        Element::of_dtype(dtype, reading == Fp8Exp4::Fn)
            .ok_or(Cause::NotExecuted { why: NotExecuted::Dtype { name: dtype.name() } })
    }
}
