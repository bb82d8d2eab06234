//! The multiply after a mask, in plain words: the f32 product, rounded to
//! nearest even into the element's type; a NaN keeps its payload and becomes
//! quiet. Zeros, and so dropped elements, stay +0 under a positive factor.
//!
//! The functions here are inlined into each backend and vectorised there.

use half::f16;

/// A multiplication by one factor in one element type.
#[derive(Clone, Copy, Debug)]
pub enum Scale<'a> {
    /// f32 elements.
    Single(f32),
    /// f16 elements.
    Half(f32),
    /// bf16 elements.
    Brain(f32),
    /// Elements of one byte, by the product of every value.
    Table(&'a [u8; 256]),
}

impl Scale<'_> {
    /// How many bytes an element has.
    pub fn element_bytes(&self) -> usize {
        match self {
            Self::Single(_) => 4,
            Self::Half(_) | Self::Brain(_) => 2,
            Self::Table(_) => 1,
        }
    }
}

/// Multiplies little-endian elements where they are.
#[inline(always)]
pub(super) fn scale(scale: Scale<'_>, data: &mut [u8]) {
    match scale {
        Scale::Single(factor) => {
            for word in data.as_chunks_mut::<4>().0 {
                *word = single(u32::from_le_bytes(*word), factor).to_le_bytes();
            }
        }
        Scale::Half(factor) => {
            for word in data.as_chunks_mut::<2>().0 {
                *word = half(u16::from_le_bytes(*word), factor).to_le_bytes();
            }
        }
        Scale::Brain(factor) => {
            for word in data.as_chunks_mut::<2>().0 {
                *word = brain(u16::from_le_bytes(*word), factor).to_le_bytes();
            }
        }
        Scale::Table(table) => {
            for byte in data {
                *byte = table[usize::from(*byte)];
            }
        }
    }
}

#[inline(always)]
fn single(bits: u32, factor: f32) -> u32 {
    let product = (f32::from_bits(bits) * factor).to_bits();
    if bits & 0x7fff_ffff > 0x7f80_0000 { bits | 0x0040_0000 } else { product }
}

#[inline(always)]
fn half(bits: u16, factor: f32) -> u16 {
    if bits & 0x7fff > 0x7c00 {
        return bits | 0x0200;
    }
    f16::from_f32(f16::from_bits(bits).to_f32() * factor).to_bits()
}

#[inline(always)]
fn brain(bits: u16, factor: f32) -> u16 {
    let product = (f32::from_bits(u32::from(bits) << 16) * factor).to_bits();
    // To nearest even: add just under half, one more if the last place is odd.
    let rounded = product.wrapping_add(0x7fff + (product >> 16 & 1)) >> 16;
    if bits & 0x7fff > 0x7f80 { bits | 0x0040 } else { rounded as u16 }
}
