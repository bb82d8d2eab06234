//! Element bits as numbers, and numbers as element bits.

use half::{bf16, f16};

use super::Element;
use super::scale::Format;

impl Element {
    /// Returns the number that element bits stand for. A float is exact, and a
    /// NaN keeps its sign and the top of its payload; an integer of more than
    /// 24 bits is rounded to nearest even.
    ///
    /// ```
    /// # use lanedrop::exec::Element;
    /// assert_eq!(Element::BF16.to_f32(0x3fc0), 1.5);
    /// assert_eq!(Element::I8.to_f32(0xff), -1.0);
    /// assert_eq!(Element::F8E4M3.to_f32(0x78), f32::INFINITY);
    /// assert_eq!(Element::F8E4M3FN.to_f32(0x78), 256.0);
    /// ```
    pub fn to_f32(self, bits: u32) -> f32 {
        // The low bits of `bits` are the element; what is above is not.
        let (byte, half) = (bits as u8, bits as u16);
        match self {
            Self::F32 => f32::from_bits(bits),
            Self::F16 if half & 0x7fff > 0x7c00 => nan(half >> 15, half & 0x3ff, 10),
            Self::F16 => f16::from_bits(half).to_f32(),
            Self::BF16 => f32::from_bits(u32::from(half) << 16),
            Self::I8 => (byte as i8).into(),
            Self::I16 => (half as i16).into(),
            Self::I32 => bits as i32 as f32,
            Self::U8 => byte.into(),
            Self::U16 => half.into(),
            Self::U32 => bits as f32,
            Self::F8E3M4 | Self::F8E4M3 | Self::F8E4M3FN | Self::F8E5M2 => match Format::of(self) {
                Some(format) if format.is_nan(byte) => {
                    let payload = byte & ((1 << format.mantissa_bits) - 1);
                    nan((byte >> 7).into(), payload.into(), format.mantissa_bits)
                }
                Some(format) => format.widen(byte),
                None => f32::NAN,
            },
        }
    }

    /// Returns the bits of the element nearest to a number, ties to even.
    ///
    /// What is too great becomes infinity, a NaN where the type has none, and
    /// the extreme of an integer type; a NaN becomes a quiet NaN with the top of
    /// its payload, and 0 as an integer.
    ///
    /// ```
    /// # use lanedrop::exec::Element;
    /// assert_eq!(Element::I8.from_f32(2.5), 2);
    /// assert_eq!(Element::U8.from_f32(-1.0), 0);
    /// assert_eq!(Element::F16.from_f32(1e9), 0x7c00);
    /// ```
    pub fn from_f32(self, value: f32) -> u32 {
        if value.is_nan() {
            return self.nan_bits(value.to_bits());
        }
        let rounded = value.round_ties_even();
        match self {
            Self::F32 => value.to_bits(),
            Self::F16 => f16::from_f32(value).to_bits().into(),
            Self::BF16 => bf16::from_f32(value).to_bits().into(),
            Self::I8 => u32::from(rounded as i8 as u8),
            Self::I16 => u32::from(rounded as i16 as u16),
            Self::I32 => rounded as i32 as u32,
            Self::U8 => (rounded as u8).into(),
            Self::U16 => (rounded as u16).into(),
            Self::U32 => rounded as u32,
            Self::F8E3M4 | Self::F8E4M3 | Self::F8E4M3FN | Self::F8E5M2 => {
                Format::of(self).map_or(0, |format| format.narrow(value).into())
            }
        }
    }

    /// Returns the quiet NaN with the sign and the top of the payload of an
    /// fp32 one.
    fn nan_bits(self, bits: u32) -> u32 {
        let (sign, payload) = (bits >> 31, bits & 0x007f_ffff);
        match self {
            Self::F32 => bits | 0x0040_0000,
            Self::F16 => sign << 15 | 0x7e00 | payload >> 13,
            Self::BF16 => sign << 15 | 0x7fc0 | payload >> 16,
            Self::F8E3M4 => sign << 7 | 0x78 | payload >> 19,
            Self::F8E4M3 => sign << 7 | 0x7c | payload >> 20,
            Self::F8E4M3FN => sign << 7 | 0x7f,
            Self::F8E5M2 => sign << 7 | 0x7e | payload >> 21,
            _ => 0,
        }
    }
}

/// Returns the fp32 NaN with this sign and a payload of so many bits on top.
fn nan(sign: u16, payload: u16, bits: u32) -> f32 {
    f32::from_bits(u32::from(sign) << 31 | 0x7f80_0000 | u32::from(payload) << (23 - bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_of_one_or_two_bytes_survives_as_a_number() {
        for element in Element::ALL.into_iter().filter(|element| element.size_bytes() < 4) {
            for bits in 0..1 << (8 * element.size_bytes()) {
                let value = element.to_f32(bits);
                let back = element.from_f32(value);
                if value.is_nan() {
                    assert!(element.to_f32(back).is_nan(), "{element:?} {bits:x}");
                    let quiet = back & !bits;
                    assert!(quiet.count_ones() <= 1 && back & bits == bits, "{element:?} {bits:x}");
                } else {
                    assert_eq!(back, bits, "{element:?}");
                }
            }
        }
    }

    #[test]
    fn integers_saturate_and_round_to_even() {
        for (element, value, bits) in [
            (Element::I8, 127.5, 0x7f),
            (Element::I8, -1e9, 0x80),
            (Element::I8, 3.5, 4),
            (Element::U16, 65_535.4, 0xffff),
            (Element::I32, 4e9, 0x7fff_ffff),
            (Element::U32, f32::NAN, 0),
            (Element::U32, f32::INFINITY, u32::MAX),
        ] {
            assert_eq!(element.from_f32(value), bits, "{element:?} {value}");
        }
    }

    #[test]
    fn small_floats_overflow_as_their_type_does() {
        assert_eq!(Element::F8E4M3FN.from_f32(1e9), 0x7f);
        assert_eq!(Element::F8E4M3.from_f32(-1e9), 0xf8);
        assert_eq!(Element::F8E5M2.from_f32(f32::INFINITY), 0x7c);
        assert_eq!(Element::F8E3M4.from_f32(15.5), 0x6f);
        assert_eq!(Element::F8E3M4.from_f32(15.75), 0x70);
    }
}
