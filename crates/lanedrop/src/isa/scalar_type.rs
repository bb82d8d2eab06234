//! The bridge to c10, PyTorch's core: which of its types has a DTYPE code.

use std::fmt;

use thiserror::Error;

use super::Dtype;
use crate::evidence::Claim;
use crate::evidence::claims::dtypes::C10_MAP;

/// Writes one row a type: variant, ordinal, names.
macro_rules! scalar_types {
    ($($variant:ident $ordinal:literal $torch:literal;)*) => {
        /// `c10::ScalarType`, as far as its numbering went before 8-bit floats.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "the variants are the names of the types")]
        pub enum ScalarType {
            $($variant = $ordinal),*
        }

        impl ScalarType {
            /// Every type, by ordinal.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name as c10 spells it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant)),* }
            }

            /// Returns the name as `torch` spells it, without its prefix.
            pub const fn torch_name(self) -> &'static str {
                match self { $(Self::$variant => $torch),* }
            }
        }
    };
}

scalar_types! {
    Byte 0 "uint8";
    Char 1 "int8";
    Short 2 "int16";
    Int 3 "int32";
    Long 4 "int64";
    Half 5 "float16";
    Float 6 "float32";
    Double 7 "float64";
    ComplexHalf 8 "complex32";
    ComplexFloat 9 "complex64";
    ComplexDouble 10 "complex128";
    Bool 11 "bool";
    QInt8 12 "qint8";
    QUInt8 13 "quint8";
    QInt32 14 "qint32";
    BFloat16 15 "bfloat16";
    QUInt4x2 16 "quint4x2";
    QUInt2x4 17 "quint2x4";
    Bits1x8 18 "bits1x8";
    Bits2x4 19 "bits2x4";
}

/// A c10 type cannot go through a Dropout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ScalarTypeError {
    /// The bridge has no code for it.
    #[error("c10 type {scalar_type} has no DTYPE code: the bridge aborts on it")]
    NoCode {
        /// The type.
        scalar_type: ScalarType,
    },
    /// It has a code, which Dropout refuses.
    #[error("c10 type {scalar_type} is {dtype}, which is_valid_dtype refuses")]
    Illegal {
        /// The type.
        scalar_type: ScalarType,
        /// Its code.
        dtype: Dtype,
    },
}

impl ScalarType {
    /// The claim behind the map.
    pub const CLAIM: &'static Claim = &C10_MAP;

    /// Returns the type of this name, as c10 or torch spells it, with or
    /// without `torch.`.
    pub fn named(name: &str) -> Option<Self> {
        let plain = name.strip_prefix("torch.").unwrap_or(name);
        let found = |t: &&Self| t.name() == name || t.torch_name() == plain;
        Self::ALL.iter().find(found).copied()
    }

    /// Returns the DTYPE code of the type; `None` where the bridge aborts.
    pub const fn dtype(self) -> Option<Dtype> {
        Some(match self {
            Self::Byte => Dtype::UINT8,
            Self::Char => Dtype::INT8,
            Self::Short => Dtype::INT16,
            Self::Int => Dtype::INT32,
            Self::Long => Dtype::INT64,
            Self::Half => Dtype::FP16,
            Self::Float => Dtype::FP32,
            Self::BFloat16 => Dtype::BFLOAT16,
            _ => return None,
        })
    }

    /// Returns the type of a DTYPE code; `None` for codes without one.
    pub fn of_dtype(dtype: Dtype) -> Option<Self> {
        Self::ALL.iter().copied().find(|scalar_type| scalar_type.dtype() == Some(dtype))
    }

    /// Returns the code a Dropout of this type carries.
    ///
    /// ```
    /// use lanedrop::isa::{Dtype, ScalarType};
    /// assert_eq!(ScalarType::Half.for_dropout(), Ok(Dtype::FP16));
    /// assert_eq!(
    ///     ScalarType::Long.for_dropout().unwrap_err().to_string(),
    ///     "c10 type Long is INT64, which is_valid_dtype refuses"
    /// );
    /// ```
    ///
    /// # Errors
    /// Where the bridge has no code for it, or Dropout refuses the code.
    pub fn for_dropout(self) -> Result<Dtype, ScalarTypeError> {
        match self.dtype() {
            None => Err(ScalarTypeError::NoCode { scalar_type: self }),
            Some(dtype @ (Dtype::INT64 | Dtype::UINT64)) => {
                Err(ScalarTypeError::Illegal { scalar_type: self, dtype })
            }
            Some(dtype) => Ok(dtype),
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_types_have_a_code_and_seven_go_through_a_dropout() {
        let with_code = ScalarType::ALL.iter().filter_map(|t| Some((*t as u8, t.dtype()?.code())));
        assert_eq!(
            with_code.collect::<Vec<_>>(),
            [(0, 3), (1, 2), (2, 4), (3, 8), (4, 0xc), (5, 7), (6, 0xa), (15, 6)]
        );
        let legal = ScalarType::ALL.iter().filter(|t| t.for_dropout().is_ok());
        assert_eq!(legal.count(), 7);
    }

    #[test]
    fn codes_without_a_type_are_those_the_bridge_has_none_for() {
        let without: Vec<u8> = (0..16)
            .filter(|&code| {
                Dtype::from_code(code).is_some_and(|d| ScalarType::of_dtype(d).is_none())
            })
            .collect();
        assert_eq!(without, [0, 1, 5, 9, 0xb, 0xd, 0xe, 0xf]);
    }

    #[test]
    fn names_are_those_of_c10_and_torch() {
        assert_eq!(ScalarType::named("torch.bfloat16"), Some(ScalarType::BFloat16));
        assert_eq!(ScalarType::named("Half"), Some(ScalarType::Half));
        assert_eq!(ScalarType::named("float8_e4m3fn"), None);
    }
}
