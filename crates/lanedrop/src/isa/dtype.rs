//! The element types.

use super::Generation;
use super::codes::codes;
use crate::evidence::claims::dtypes;

codes! {
    /// Element types (`DTYPE`).
    pub enum Dtype: "DTYPE", dtypes::DTYPE_CODES {
        INVALID = 0x00 "INVALID", ALL, "no type";
        UINT64 = 0x01 "UINT64", ALL, "64-bit unsigned integer, refused by the checks";
        INT8 = 0x02 "INT8", ALL, "8-bit signed integer";
        UINT8 = 0x03 "UINT8", ALL, "8-bit unsigned integer";
        INT16 = 0x04 "INT16", ALL, "16-bit signed integer";
        UINT16 = 0x05 "UINT16", ALL, "16-bit unsigned integer";
        BFLOAT16 = 0x06 "BFLOAT16", ALL, "1-8-7 float";
        FP16 = 0x07 "FP16", ALL, "IEEE half";
        INT32 = 0x08 "INT32", ALL, "32-bit signed integer";
        UINT32 = 0x09 "UINT32", ALL, "32-bit unsigned integer";
        FP32 = 0x0a "FP32", ALL, "IEEE single";
        FP32R = 0x0b "FP32R", ALL, "rounded fp32, for outputs alone", dtypes::DTYPE_FP32R_OUTPUT;
        INT64 = 0x0c "INT64", ALL, "64-bit signed integer, refused by the checks";
        FP8_EXP3 = 0x0d "FP8_EXP3", ALL, "1-3-4 float, bias 3";
        FP8_EXP4 = 0x0e "FP8_EXP4", ALL, "1-4-3 float, bias 7";
        FP8_EXP5 = 0x0f "FP8_EXP5", ALL, "1-5-2 float, bias 15";
        FP4_EXP2 = 0x10 "FP4_EXP2", FROM_V4, "4-bit float, 1-2-1", dtypes::DTYPE_ABOVE_15;
        FP8_EXP2 = 0x11 "FP8_EXP2", FROM_V5, "1-2-5 float", dtypes::DTYPE_FP8_EXP2_V5;
        INT4 = 0x12 "INT4", FROM_V5, "4-bit integer", dtypes::DTYPE_ABOVE_15;
        SFP8_E8 = 0x13 "SFP8_E8", FROM_V5, "unsigned scale, 8 exponent bits", dtypes::DTYPE_ABOVE_15;
        SFP8_E7 = 0x14 "SFP8_E7", FROM_V5, "unsigned scale, 7 exponent bits", dtypes::DTYPE_ABOVE_15;
        SFP8_E6 = 0x15 "SFP8_E6", FROM_V5, "unsigned scale, 6 exponent bits", dtypes::DTYPE_ABOVE_15;
        SFP8_E5 = 0x16 "SFP8_E5", FROM_V5, "unsigned scale, 5 exponent bits", dtypes::DTYPE_ABOVE_15;
        CPTC1 = 0x19 "CPTC1", FROM_V4, "compressed, 1 bit", dtypes::DTYPE_ABOVE_15;
        CPTC2 = 0x1a "CPTC2", FROM_V4, "compressed, 2 bits", dtypes::DTYPE_ABOVE_15;
        CPTC3 = 0x1b "CPTC3", FROM_V4, "compressed, 3 bits", dtypes::DTYPE_ABOVE_15;
        CPTC4 = 0x1c "CPTC4", FROM_V4, "compressed, 4 bits", dtypes::DTYPE_ABOVE_15;
        CPTC5 = 0x1d "CPTC5", FROM_V4, "compressed, 5 bits", dtypes::DTYPE_ABOVE_15;
        CPTC6 = 0x1e "CPTC6", FROM_V4, "compressed, 6 bits", dtypes::DTYPE_ABOVE_15;
        CPTC7 = 0x1f "CPTC7", FROM_V4, "compressed, 7 bits", dtypes::DTYPE_ABOVE_15;
    }
}

impl Dtype {
    /// Returns the size of an element in bytes, which is also the alignment of
    /// a start address; `None` for types that fill no whole byte or have no size.
    pub const fn size_bytes(self) -> Option<u32> {
        match self {
            Self::INT8 | Self::UINT8 | Self::FP8_EXP3 | Self::FP8_EXP4 | Self::FP8_EXP5 => Some(1),
            Self::FP8_EXP2 | Self::SFP8_E8 | Self::SFP8_E7 | Self::SFP8_E6 | Self::SFP8_E5 => {
                Some(1)
            }
            Self::INT16 | Self::UINT16 | Self::BFLOAT16 | Self::FP16 => Some(2),
            Self::INT32 | Self::UINT32 | Self::FP32 | Self::FP32R => Some(4),
            Self::UINT64 | Self::INT64 => Some(8),
            _ => None,
        }
    }

    /// Returns whether Dropout takes the integer path for this type.
    pub const fn is_integer(self) -> bool {
        matches!(
            self,
            Self::INT8 | Self::UINT8 | Self::INT16 | Self::UINT16 | Self::INT32 | Self::UINT32
        )
    }

    /// Returns whether Dropout may read elements of this type on `generation`.
    ///
    /// Not legal are INVALID, FP32R, the 64-bit integers and every code above
    /// 15 but `FP8_EXP2` on v5, which is inferred.
    pub const fn legal_for_dropout(self, generation: Generation) -> bool {
        match self {
            Self::INVALID | Self::FP32R | Self::UINT64 | Self::INT64 => false,
            Self::FP8_EXP2 => matches!(generation, Generation::V5),
            _ => self.code() <= 15,
        }
    }

    /// Returns whether a threshold read through a pointer may have this type
    /// when the data are floats. FP32R and FP8_EXP2 may not.
    pub const fn legal_for_threshold(self) -> bool {
        matches!(
            self,
            Self::FP8_EXP3
                | Self::FP8_EXP4
                | Self::FP8_EXP5
                | Self::FP16
                | Self::BFLOAT16
                | Self::FP32
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integer_set_is_what_the_firmware_admits() {
        let codes: Vec<u8> =
            Dtype::ALL.iter().filter(|d| d.is_integer()).map(|d| d.code()).collect();
        assert_eq!(codes, [2, 3, 4, 5, 8, 9]);
    }

    #[test]
    fn codes_up_to_15_exist_everywhere_and_are_dense() {
        for code in 0..=15 {
            let dtype = Dtype::from_code(code).unwrap();
            assert!(Generation::ALL.iter().all(|&g| dtype.generations().contains(g)));
        }
        assert_eq!(Dtype::from_code(0x17), None);
        assert_eq!(Dtype::from_code(0x18), None);
    }

    #[test]
    fn only_v5_has_a_legal_code_above_15() {
        for generation in Generation::ALL {
            let above: Vec<_> = Dtype::ALL
                .iter()
                .filter(|d| d.code() > 15 && d.legal_for_dropout(generation))
                .collect();
            let expected: &[&Dtype] =
                if generation == Generation::V5 { &[&Dtype::FP8_EXP2] } else { &[] };
            assert_eq!(above, expected);
        }
    }
}
