//! The separate multiply that a framework puts after the mask.
//!
//! The instruction scales nothing. A framework that wants the mean kept emits
//! a multiply by `c = 1/(1-t)` (or `1/t` for a keep rate) after it; this is
//! that multiply, bit for bit: the element as f32 times `c`, rounded to f32,
//! then rounded to the element type, to nearest even both times. A NaN keeps
//! sign and payload and becomes quiet. A dropped element is not touched.
//!
//! Overflow follows the named type: infinity where it has one, NaN in
//! `float8_e4m3fn`, which has none.

use super::Element;
use half::{bf16, f16};

/// Returns the factor that keeps the mean for threshold `t`, or none where it
/// is not a finite number: at a rate that keeps nothing.
///
/// ```
/// # use lanedrop::exec::scale_factor;
/// assert_eq!(scale_factor(0.1, false), Some(1.1111112));
/// assert_eq!(scale_factor(0.5, true), Some(2.0));
/// assert_eq!(scale_factor(1.0, false), None);
/// ```
pub fn scale_factor(t: f32, keep_rate: bool) -> Option<f32> {
    let kept = if keep_rate { f64::from(t) } else { 1.0 - f64::from(t) };
    let factor = (1.0 / kept) as f32;
    (factor.is_finite() && kept > 0.0).then_some(factor)
}

/// The bits of a small float: how wide its fields are and what lies beyond.
#[derive(Clone, Copy)]
pub(super) struct Format {
    pub(super) mantissa_bits: u32,
    bias: i32,
    /// Bits of the largest finite number; what follows them is infinity, or,
    /// without an infinity, the one NaN.
    largest: u8,
    infinity: bool,
}

impl Format {
    pub(super) const fn of(element: Element) -> Option<Self> {
        Some(match element {
            Element::F8E3M4 => Self { mantissa_bits: 4, bias: 3, largest: 0x6f, infinity: true },
            Element::F8E4M3 => Self { mantissa_bits: 3, bias: 7, largest: 0x77, infinity: true },
            Element::F8E4M3FN => Self { mantissa_bits: 3, bias: 7, largest: 0x7e, infinity: false },
            Element::F8E5M2 => Self { mantissa_bits: 2, bias: 15, largest: 0x7b, infinity: true },
            _ => return None,
        })
    }

    pub(super) fn is_nan(self, bits: u8) -> bool {
        bits & 0x7f > self.largest + u8::from(self.infinity)
    }

    /// Returns the value of bits that are no NaN.
    pub(super) fn widen(self, bits: u8) -> f32 {
        let magnitude = bits & 0x7f;
        let mantissa = f32::from(magnitude & ((1 << self.mantissa_bits) - 1));
        let exponent = i32::from(magnitude >> self.mantissa_bits);
        let one = f32::from(1u8 << self.mantissa_bits);
        let value = if magnitude > self.largest {
            f32::INFINITY
        } else if exponent == 0 {
            mantissa / one * power_of_two(1 - self.bias)
        } else {
            (1.0 + mantissa / one) * power_of_two(exponent - self.bias)
        };
        if bits & 0x80 == 0 { value } else { -value }
    }

    /// Returns the bits nearest to a value that is no NaN, ties to even.
    pub(super) fn narrow(self, value: f32) -> u8 {
        let sign = if value.is_sign_negative() { 0x80 } else { 0 };
        // The exponent of the last place: that of the value, or of subnormals.
        let exponent = ((value.abs().to_bits() >> 23) as i32 - 127).max(1 - self.bias);
        let units = value.abs() / power_of_two(exponent - self.mantissa_bits as i32);
        if !units.is_finite() {
            return sign | (self.largest + 1);
        }
        // At most two bits more than the mantissa: exact, and a carry into the
        // next exponent comes out right as the fields lie side by side.
        let units = units.round_ties_even() as u32;
        let magnitude = units + (((exponent + self.bias - 1) as u32) << self.mantissa_bits);
        sign | magnitude.min(u32::from(self.largest) + 1) as u8
    }
}

/// Returns `2^exponent` for an exponent of a normal f32.
fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// Multiplication by one factor in one element type.
#[derive(Clone, Debug)]
pub struct Multiply {
    factor: f32,
    /// For a type of one byte, the product of every value.
    table: Option<Box<[u8; 256]>>,
}

impl Multiply {
    /// Returns the multiplication by `factor`; none for integers.
    pub fn new(element: Element, factor: f32) -> Option<Self> {
        if !element.is_float() {
            return None;
        }
        let table = Format::of(element).map(|format| {
            let quiet = 1 << (format.mantissa_bits - 1);
            Box::new(std::array::from_fn(|bits| match bits as u8 {
                nan if format.is_nan(nan) => nan | quiet,
                bits => format.narrow(format.widen(bits) * factor),
            }))
        });
        Some(Self { factor, table })
    }

    /// Returns the factor.
    pub fn factor(&self) -> f32 {
        self.factor
    }

    /// Returns the products of all values of a type of one byte.
    pub(super) fn table(&self) -> Option<&[u8; 256]> {
        self.table.as_deref()
    }

    /// Returns the product for a type of one byte; `bits` themselves for a
    /// wider one.
    pub fn product(&self, bits: u8) -> u8 {
        // Only elements of one byte come here, and those have a table.
        self.table.as_ref().map_or(bits, |table| table[usize::from(bits)])
    }

    /// Returns the product of an element of the type it was made for.
    pub(super) fn bits(&self, element: Element, bits: u32) -> u32 {
        match element {
            Element::F32 => self.single(bits),
            Element::F16 => self.half(bits as u16).into(),
            Element::BF16 => self.brain(bits as u16).into(),
            _ => self.product(bits as u8).into(),
        }
    }

    /// Returns the product in f32.
    pub(super) fn single(&self, bits: u32) -> u32 {
        let value = f32::from_bits(bits);
        if value.is_nan() { bits | 0x0040_0000 } else { (value * self.factor).to_bits() }
    }

    /// Returns the product in f16.
    pub(super) fn half(&self, bits: u16) -> u16 {
        let value = f16::from_bits(bits);
        if value.is_nan() {
            return bits | 0x0200;
        }
        f16::from_f32(value.to_f32() * self.factor).to_bits()
    }

    /// Returns the product in bf16.
    pub(super) fn brain(&self, bits: u16) -> u16 {
        let value = bf16::from_bits(bits);
        if value.is_nan() {
            return bits | 0x0040;
        }
        bf16::from_f32(value.to_f32() * self.factor).to_bits()
    }
}

#[cfg(test)]
#[path = "scale_tests.rs"]
mod tests;
