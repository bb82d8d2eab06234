//! Arithmetic operators and accumulator commands of Dropout's neighbours.

use super::codes::codes;
use crate::evidence::claims::encoding;

codes! {
    /// Arithmetic and logic operators (`ALU_OP`) outside the integer band.
    pub enum AluOp: "ALU_OP", encoding::ALU_OPS {
        Bypass = 0x00 "BYPASS", ALL, "x";
        Not = 0x01 "NOT", ALL, "~x";
        ArithShiftLeft = 0x02 "ARITH_SHIFT_LEFT", ALL, "x << y, arithmetic";
        ArithShiftRight = 0x03 "ARITH_SHIFT_RIGHT", ALL, "x >> y, arithmetic";
        Add = 0x04 "ADD", ALL, "x + y";
        Subtract = 0x05 "SUBTRACT", ALL, "x - y";
        Mult = 0x06 "MULT", ALL, "x * y";
        Divide = 0x07 "DIVIDE", ALL, "x / y";
        Max = 0x08 "MAX", ALL, "the greater";
        Min = 0x09 "MIN", ALL, "the smaller";
        BitwiseAnd = 0x0a "BITWISE_AND", ALL, "x & y";
        BitwiseOr = 0x0b "BITWISE_OR", ALL, "x | y";
        BitwiseXor = 0x0c "BITWISE_XOR", ALL, "x ^ y";
        LogicalAnd = 0x0d "LOGICAL_AND", ALL, "x and y";
        LogicalOr = 0x0e "LOGICAL_OR", ALL, "x or y";
        LogicalXor = 0x0f "LOGICAL_XOR", ALL, "x xor y";
        LogicalShiftLeft = 0x10 "LOGICAL_SHIFT_LEFT", ALL, "x << y";
        LogicalShiftRight = 0x11 "LOGICAL_SHIFT_RIGHT", ALL, "x >> y";
        IsEqual = 0x12 "IS_EQUAL", ALL, "x == y";
        IsGt = 0x13 "IS_GT", ALL, "x > y";
        IsGe = 0x14 "IS_GE", ALL, "x >= y";
        IsLe = 0x15 "IS_LE", ALL, "x <= y";
        IsLt = 0x16 "IS_LT", ALL, "x < y";
        AbsoluteDiff = 0x17 "ABSOLUTE_DIFF", ALL, "|x - y|";
        NotEqual = 0x18 "NOT_EQUAL", ALL, "x != y";
        AbsoluteValue = 0x19 "ABSOLUTE_VALUE", ALL, "|x|";
        Pow = 0x1a "POW", ALL, "x to the power of y";
        Mod = 0x1b "MOD", ALL, "x modulo y";
        Crc32 = 0x1c "CRC32", ALL, "CRC-32";
        Rsqrt = 0x1d "RSQRT", ALL, "1 / sqrt(x)";
        AbsMax = 0x20 "ABS_MAX", FROM_V4, "the greater magnitude";
        AbsMin = 0x21 "ABS_MIN", FROM_V4, "the smaller magnitude";
        Relu = 0x22 "RELU", FROM_V4, "max(x, 0)";
        Square = 0x23 "SQUARE", FROM_V4, "x * x";
    }
}

impl AluOp {
    /// Returns whether the operator computes on numbers, as those of
    /// TensorScalar 0x43 do; the others work on bits.
    pub const fn is_arithmetic(self) -> bool {
        !matches!(
            self,
            Self::Not
                | Self::ArithShiftLeft
                | Self::ArithShiftRight
                | Self::BitwiseAnd
                | Self::BitwiseOr
                | Self::BitwiseXor
                | Self::LogicalShiftLeft
                | Self::LogicalShiftRight
                | Self::Crc32
        )
    }

    /// Returns whether the operator works on its tensor operand alone.
    pub const fn takes_no_operand(self) -> bool {
        matches!(
            self,
            Self::Bypass
                | Self::AbsoluteValue
                | Self::Relu
                | Self::Square
                | Self::Rsqrt
                | Self::Not
        )
    }

    /// Returns the generations that have an integer operator of this code,
    /// known by its range alone: 0xc4..=0xe1 from v3 on, of which v2 has
    /// 0xc4..=0xc6.
    pub const fn integer_band(code: u8) -> super::GenerationSet {
        match code {
            0xc4..=0xc6 => super::GenerationSet::ALL,
            0xc7..=0xe1 => super::GenerationSet::FROM_V3,
            _ => super::GenerationSet::NONE,
        }
    }
}

codes! {
    /// What a record does with its accumulator (`ACCUM_CMD`).
    pub enum AccumCmd: "ACCUM_CMD", encoding::ACCUM_CMDS {
        Idle = 0 "IDLE", ALL, "nothing";
        Zero = 1 "ZERO", ALL, "clears it";
        Accumulate = 2 "ACCUMULATE", ALL, "adds to it";
        ZeroAccumulate = 3 "ZERO_ACCUMULATE", ALL, "clears it, then adds";
        LoadAccumulate = 4 "LOAD_ACCUMULATE", ALL, "loads it, then adds";
    }
}
