//! The four generations of the core, and the memory each has.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::evidence::Claim;
use crate::evidence::claims::memory;

/// A generation of the NeuronCore.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// SUNDA.
    V2,
    /// CAYMAN; what verbs that take one generation assume.
    #[default]
    V3,
    /// MARIANA (MARIANA_PLUS has no headers of its own).
    V4,
    /// MAVERICK.
    V5,
}

impl Generation {
    /// Every generation, the oldest first.
    pub const ALL: [Self; 4] = [Self::V2, Self::V3, Self::V4, Self::V5];

    /// Returns the short name, `v2` to `v5`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V2 => "v2",
            Self::V3 => "v3",
            Self::V4 => "v4",
            Self::V5 => "v5",
        }
    }

    /// Returns the name the headers use, such as `CAYMAN`.
    pub const fn code_name(self) -> &'static str {
        match self {
            Self::V2 => "SUNDA",
            Self::V3 => "CAYMAN",
            Self::V4 => "MARIANA",
            Self::V5 => "MAVERICK",
        }
    }

    /// Returns sizes and places of the on-chip memories.
    pub const fn geometry(self) -> &'static Geometry {
        match self {
            Self::V2 => &V2_GEOMETRY,
            Self::V3 => &V3_GEOMETRY,
            Self::V4 => &V4_GEOMETRY,
            Self::V5 => &V5_GEOMETRY,
        }
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Generation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Generation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A text names no generation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("generation is `{found}`, expected v2, v3, v4 or v5")]
pub struct UnknownGeneration {
    /// The text.
    pub found: String,
}

impl std::str::FromStr for Generation {
    type Err = UnknownGeneration;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let same = |name: &str| name.eq_ignore_ascii_case(text);
        Self::ALL
            .into_iter()
            .find(|generation| same(generation.name()) || same(generation.code_name()))
            .ok_or_else(|| UnknownGeneration { found: text.to_owned() })
    }
}

/// A set of generations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GenerationSet(u8);

impl GenerationSet {
    /// No generation.
    pub const NONE: Self = Self(0);
    /// v2 to v5.
    pub const ALL: Self = Self(0b1111);
    /// v2 to v4.
    pub const BEFORE_V5: Self = Self(0b0111);
    /// v2 alone.
    pub const ONLY_V2: Self = Self(0b0001);
    /// v3 and later.
    pub const FROM_V3: Self = Self(0b1110);
    /// v4 and later.
    pub const FROM_V4: Self = Self(0b1100);
    /// v4 alone.
    pub const ONLY_V4: Self = Self(0b0100);
    /// v5 alone.
    pub const FROM_V5: Self = Self(0b1000);

    /// Returns whether `generation` is in the set.
    #[inline]
    pub const fn contains(self, generation: Generation) -> bool {
        self.0 >> generation as u8 & 1 == 1
    }

    /// Returns the members, the oldest first.
    pub fn iter(self) -> impl Iterator<Item = Generation> {
        Generation::ALL.into_iter().filter(move |generation| self.contains(*generation))
    }
}

impl fmt::Display for GenerationSet {
    /// Writes `v3 v4 v5`, or `none`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(Generation::name).collect();
        f.pad(&if names.is_empty() { "none".to_owned() } else { names.join(" ") })
    }
}

impl Serialize for GenerationSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// One on-chip memory of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First address.
    pub base: u32,
    /// Length of the region in bytes; 0 when the generation has none.
    pub size_bytes: u32,
    /// Distance between partitions.
    pub stride_bytes: u32,
    /// Bytes of a partition that exist.
    pub active_bytes: u32,
    /// Where these numbers come from.
    pub claim: &'static Claim,
}

impl Region {
    /// Returns whether `address` lies in the region.
    #[inline]
    pub const fn contains(&self, address: u32) -> bool {
        address >= self.base && address - self.base < self.size_bytes
    }
}

/// The on-chip memories of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Partitions of both memories.
    pub partitions: u32,
    /// The state buffer.
    pub sbuf: Region,
    /// The accumulators of the matrix engine.
    pub psum: Region,
    /// Banks of a PSUM partition.
    pub psum_banks: u32,
}

const KIB: u32 = 1024;

/// Returns the geometry that differs between generations in these numbers.
const fn geometry(
    stride: u32,
    active: u32,
    psum_size: u32,
    psum_banks: u32,
    psum_claim: &'static Claim,
) -> Geometry {
    Geometry {
        partitions: 128,
        sbuf: Region {
            base: 0,
            size_bytes: 128 * stride,
            stride_bytes: stride,
            active_bytes: active,
            claim: &memory::GEOMETRY_SBUF,
        },
        psum: Region {
            base: 0x0200_0000,
            size_bytes: psum_size,
            stride_bytes: 32 * KIB,
            active_bytes: 16 * KIB,
            claim: psum_claim,
        },
        psum_banks,
    }
}

static V2_GEOMETRY: Geometry =
    geometry(256 * KIB, 192 * KIB, 0x0040_0000, 16, &memory::GEOMETRY_PSUM);
static V3_GEOMETRY: Geometry =
    geometry(256 * KIB, 224 * KIB, 0x0040_0000, 8, &memory::GEOMETRY_PSUM);
static V4_GEOMETRY: Geometry =
    geometry(256 * KIB, 256 * KIB, 0x0040_0000, 8, &memory::GEOMETRY_PSUM);
static V5_GEOMETRY: Geometry = geometry(1024 * KIB, 512 * KIB, 0, 8, &memory::PSUM_V5_SIZED_OUT);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_code_names_parse_in_any_case() {
        for generation in Generation::ALL {
            assert_eq!(generation.name().to_uppercase().parse(), Ok(generation));
            assert_eq!(generation.code_name().to_lowercase().parse(), Ok(generation));
        }
        assert_eq!(
            "v1".parse::<Generation>().unwrap_err().to_string(),
            "generation is `v1`, expected v2, v3, v4 or v5"
        );
    }

    #[test]
    fn sets_hold_what_their_names_say() {
        assert_eq!(GenerationSet::ALL.to_string(), "v2 v3 v4 v5");
        assert_eq!(GenerationSet::FROM_V4.to_string(), "v4 v5");
        assert_eq!(GenerationSet::ONLY_V2.to_string(), "v2");
        assert_eq!(GenerationSet::NONE.to_string(), "none");
    }

    #[test]
    fn psum_ends_where_its_last_partition_ends_except_on_v5() {
        for generation in [Generation::V2, Generation::V3, Generation::V4] {
            let Geometry { partitions, psum, .. } = *generation.geometry();
            assert_eq!(psum.size_bytes, partitions * psum.stride_bytes);
        }
        assert!(!Generation::V5.geometry().psum.contains(0x0200_0000));
        assert_eq!(Generation::V5.geometry().sbuf.size_bytes, 0x0800_0000);
        assert_eq!(Generation::V3.geometry().sbuf.size_bytes, 0x0200_0000);
    }
}
