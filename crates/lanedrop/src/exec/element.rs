//! What the elements of a tensor in memory are.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::isa::Dtype;

/// The numeric type of a tensor's elements, as its file or array names it.
///
/// The instruction only tells sizes apart: it copies bits or writes zeros. The
/// numeric type matters to a [multiply](super::scale_factor) after it, and
/// there two types share one DTYPE code: `float8_e4m3` (with infinities, the
/// one of Trn1 and Trn2) and `float8_e4m3fn` (without).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of the types")]
pub enum Element {
    F32,
    F16,
    BF16,
    F8E3M4,
    F8E4M3,
    F8E4M3FN,
    F8E5M2,
    I8,
    I16,
    I32,
    U8,
    U16,
    U32,
}

impl Element {
    /// Every element type.
    pub const ALL: [Self; 13] = [
        Self::F32,
        Self::F16,
        Self::BF16,
        Self::F8E3M4,
        Self::F8E4M3,
        Self::F8E4M3FN,
        Self::F8E5M2,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::U8,
        Self::U16,
        Self::U32,
    ];

    /// Returns the name NumPy and ml_dtypes give the type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "float32",
            Self::F16 => "float16",
            Self::BF16 => "bfloat16",
            Self::F8E3M4 => "float8_e3m4",
            Self::F8E4M3 => "float8_e4m3",
            Self::F8E4M3FN => "float8_e4m3fn",
            Self::F8E5M2 => "float8_e5m2",
            Self::I8 => "int8",
            Self::I16 => "int16",
            Self::I32 => "int32",
            Self::U8 => "uint8",
            Self::U16 => "uint16",
            Self::U32 => "uint32",
        }
    }

    /// Returns the type of this name, in any case, or a short one (`f32`,
    /// `bf16`, `i8`).
    ///
    /// ```
    /// # use lanedrop::exec::Element;
    /// assert_eq!(Element::named("float8_e5m2"), Some(Element::F8E5M2));
    /// assert_eq!(Element::named("bf16"), Some(Element::BF16));
    /// assert_eq!(Element::named("float64"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let long = match name.strip_prefix("bf") {
            Some(rest) if !rest.starts_with("loat") => format!("bfloat{rest}"),
            _ => match name.split_at_checked(1) {
                Some(("f", rest)) if !name.starts_with("float") => format!("float{rest}"),
                Some(("i", rest)) if !name.starts_with("int") => format!("int{rest}"),
                Some(("u", rest)) if !name.starts_with("uint") => format!("uint{rest}"),
                _ => name,
            },
        };
        Self::ALL.into_iter().find(|element| element.name() == long)
    }

    /// Returns the code an instruction carries for the type.
    pub const fn dtype(self) -> Dtype {
        match self {
            Self::F32 => Dtype::FP32,
            Self::F16 => Dtype::FP16,
            Self::BF16 => Dtype::BFLOAT16,
            Self::F8E3M4 => Dtype::FP8_EXP3,
            Self::F8E4M3 | Self::F8E4M3FN => Dtype::FP8_EXP4,
            Self::F8E5M2 => Dtype::FP8_EXP5,
            Self::I8 => Dtype::INT8,
            Self::I16 => Dtype::INT16,
            Self::I32 => Dtype::INT32,
            Self::U8 => Dtype::UINT8,
            Self::U16 => Dtype::UINT16,
            Self::U32 => Dtype::UINT32,
        }
    }

    /// Returns the type that a DTYPE code stands for, with FP8_EXP4 read as the
    /// form without infinities where `fp8_exp4_fn` says so; `None` for codes
    /// whose numbers are not known or that are no whole bytes.
    pub const fn of_dtype(dtype: Dtype, fp8_exp4_fn: bool) -> Option<Self> {
        Some(match dtype {
            Dtype::FP32 => Self::F32,
            Dtype::FP16 => Self::F16,
            Dtype::BFLOAT16 => Self::BF16,
            Dtype::FP8_EXP3 => Self::F8E3M4,
            Dtype::FP8_EXP4 if fp8_exp4_fn => Self::F8E4M3FN,
            Dtype::FP8_EXP4 => Self::F8E4M3,
            Dtype::FP8_EXP5 => Self::F8E5M2,
            Dtype::INT8 => Self::I8,
            Dtype::INT16 => Self::I16,
            Dtype::INT32 => Self::I32,
            Dtype::UINT8 => Self::U8,
            Dtype::UINT16 => Self::U16,
            Dtype::UINT32 => Self::U32,
            _ => return None,
        })
    }

    /// Returns how many bytes an element takes: 1, 2 or 4.
    pub const fn size_bytes(self) -> usize {
        match self {
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F16 | Self::BF16 | Self::I16 | Self::U16 => 2,
            Self::F8E3M4 | Self::F8E4M3 | Self::F8E4M3FN | Self::F8E5M2 | Self::I8 | Self::U8 => 1,
        }
    }

    /// Returns whether the type is a floating-point one.
    pub const fn is_float(self) -> bool {
        use Element::{BF16, F8E3M4, F8E4M3, F8E4M3FN, F8E5M2, F16, F32};
        matches!(self, F32 | F16 | BF16 | F8E3M4 | F8E4M3 | F8E4M3FN | F8E5M2)
    }
}

impl Serialize for Element {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let unknown =
            || serde::de::Error::custom(format_args!("dtype is `{text}`, no element type"));
        Self::named(&text).ok_or_else(unknown)
    }
}
