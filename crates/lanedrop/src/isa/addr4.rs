//! The 32-bit address word.

use std::fmt;

use super::Generation;
use super::generation::Region;

/// An on-chip memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// The state buffer.
    Sbuf,
    /// The accumulators of the matrix engine.
    Psum,
}

impl Space {
    /// Returns the name in lower case, as the text form has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sbuf => "sbuf",
            Self::Psum => "psum",
        }
    }

    /// Returns where `generation` has this memory.
    pub const fn region(self, generation: Generation) -> &'static Region {
        match self {
            Self::Sbuf => &generation.geometry().sbuf,
            Self::Psum => &generation.geometry().psum,
        }
    }
}

/// A byte of on-chip memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Which memory.
    pub space: Space,
    /// The row, 0..128.
    pub partition: u32,
    /// The byte in the row, below the stride.
    pub offset_bytes: u32,
}

impl Place {
    /// Returns where `address` is on `generation`, or `None` outside both memories.
    ///
    /// ```
    /// use lanedrop::isa::{Generation, Place, Space};
    /// let place = Place::of(0x0200_8010, Generation::V3).unwrap();
    /// assert_eq!((place.space, place.partition, place.offset_bytes), (Space::Psum, 1, 0x10));
    /// ```
    #[inline]
    pub const fn of(address: u32, generation: Generation) -> Option<Self> {
        let geometry = generation.geometry();
        let (space, region) = if geometry.sbuf.contains(address) {
            (Space::Sbuf, &geometry.sbuf)
        } else if geometry.psum.contains(address) {
            (Space::Psum, &geometry.psum)
        } else {
            return None;
        };
        let within = address - region.base;
        Some(Self {
            space,
            partition: within / region.stride_bytes,
            offset_bytes: within % region.stride_bytes,
        })
    }

    /// Returns the address of the place, or `None` when `generation` has no
    /// such partition or offset.
    pub const fn address(&self, generation: Generation) -> Option<u32> {
        let region = self.space.region(generation);
        if self.partition >= region.size_bytes / region.stride_bytes
            || self.offset_bytes >= region.stride_bytes
        {
            return None;
        }
        Some(region.base + self.partition * region.stride_bytes + self.offset_bytes)
    }

    /// Returns how many channels may start in this partition; 0 for none.
    pub const fn max_active_channels(&self) -> u8 {
        match self.partition {
            0 => 128,
            32 | 96 => 32,
            64 => 64,
            _ => 0,
        }
    }
}

impl fmt::Display for Place {
    /// Writes `sbuf[p0+0x1000]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[p{}+0x{:x}]", self.space.name(), self.partition, self.offset_bytes)
    }
}

/// A start address: 29 bits of address, or a register, and three markers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Addr4(pub u32);

impl Addr4 {
    /// Bit 29: the address is an index of a gather.
    pub const INDIRECT: u32 = 1 << 29;
    /// Bit 30: the shape comes from a register.
    pub const SHAPE_REG: u32 = 1 << 30;
    /// Bit 31: the address comes from a register.
    pub const ADDR_REG: u32 = 1 << 31;
    /// Bits 0..=28: the address.
    pub const ADDRESS: u32 = Self::INDIRECT - 1;
    /// Registers there are.
    pub const REGISTERS: u8 = 64;

    /// Returns whether the address is an index of a gather.
    #[inline]
    pub const fn is_indirect(self) -> bool {
        self.0 & Self::INDIRECT != 0
    }

    /// Returns whether the shape comes from a register.
    #[inline]
    pub const fn is_shape_register(self) -> bool {
        self.0 & Self::SHAPE_REG != 0
    }

    /// Returns whether the address comes from a register.
    #[inline]
    pub const fn is_register(self) -> bool {
        self.0 & Self::ADDR_REG != 0
    }

    /// Returns the register's number, byte 0, when the address comes from one.
    pub const fn register(self) -> Option<u8> {
        if self.is_register() { Some(self.0 as u8) } else { None }
    }

    /// Returns whether a register address is well formed: number below 64,
    /// and zeros in bits 8..=23, on v2 in bits 8..=30.
    #[inline]
    pub const fn is_valid_register(self, generation: Generation) -> bool {
        let zero = match generation {
            Generation::V2 => 0x7fff_ff00,
            _ => 0x00ff_ff00,
        };
        self.is_register() && (self.0 as u8) < Self::REGISTERS && self.0 & zero == 0
    }

    /// Returns the byte address, bits 0..=28.
    #[inline]
    pub const fn address(self) -> u32 {
        self.0 & Self::ADDRESS
    }

    /// Returns where the address is; `None` for a register or an address in
    /// neither memory.
    #[inline]
    pub const fn place(self, generation: Generation) -> Option<Place> {
        if self.is_register() { None } else { Place::of(self.address(), generation) }
    }

    /// Returns what the address is, for people.
    pub fn describe(self, generation: Generation) -> String {
        let mut text = match (self.register(), self.place(generation)) {
            (Some(number), _) => {
                let rest = if self.is_valid_register(generation) { "" } else { ", malformed" };
                format!("address in register {number}{rest}")
            }
            (None, Some(place)) => place.to_string(),
            (None, None) => format!("0x{:x}, in no memory of {generation}", self.address()),
        };
        if self.is_shape_register() {
            text.push_str(", shape by register");
        }
        if self.is_indirect() {
            text.push_str(", indirect");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_partition_times_stride_plus_offset() {
        let place = Place { space: Space::Sbuf, partition: 32, offset_bytes: 0x40 };
        assert_eq!(place.address(Generation::V3), Some((32 << 18) + 0x40));
        assert_eq!(place.address(Generation::V5), Some((32 << 20) + 0x40));
        let psum = Place { space: Space::Psum, partition: 3, offset_bytes: 8 };
        assert_eq!(psum.address(Generation::V2), Some(0x0200_0000 + (3 << 15) + 8));
        assert_eq!(psum.address(Generation::V5), None);
    }

    #[test]
    fn places_end_with_their_region() {
        for generation in Generation::ALL {
            let end = generation.geometry().sbuf.size_bytes;
            let last = Place::of(end - 1, generation).unwrap();
            assert_eq!((last.space, last.partition), (Space::Sbuf, 127));
            let next = Place::of(end, generation);
            assert_eq!(
                next.map(|p| p.space),
                (generation != Generation::V5).then_some(Space::Psum)
            );
        }
        assert_eq!(Place::of(0x0240_0000, Generation::V4), None);
        assert_eq!(Place::of(0x023f_ffff, Generation::V4).unwrap().partition, 127);
        assert_eq!(Place::of(0x0200_0000, Generation::V5).unwrap().partition, 32);
    }

    #[test]
    fn v2_asks_more_zeros_of_a_register_address() {
        for (word, v2, later) in [
            (0x8000_003f, true, true),
            (0x8000_0040, false, false),
            (0xc000_0001, false, true),
            (0x8100_0001, false, true),
            (0x8000_0101, false, false),
            (0x8080_0001, false, false),
        ] {
            assert_eq!(Addr4(word).is_valid_register(Generation::V2), v2, "{word:08x}");
            assert_eq!(Addr4(word).is_valid_register(Generation::V3), later, "{word:08x}");
        }
    }
}
