//! Scalar operands: the threshold and where it comes from.

use std::fmt;

use super::codes::codes;
use crate::evidence::claims::encoding;

codes! {
    /// Where a scalar operand comes from (`IMM_SRC`).
    pub enum ImmSrc: "IMM_SRC", encoding::IMM_SRC_CODES {
        InstructionImmediate = 0 "INSTRUCTION_IMMEDIATE", ALL, "the value is in the record";
        PointerImmediate = 1 "POINTER_IMMEDIATE", ALL, "the record holds the address of one value a partition";
        RegPtrImmediate = 2 "REG_PTR_IMMEDIATE", ALL, "a register holds that address";
    }
}

codes! {
    /// What the threshold of a Dropout is the rate of (`DROPOUT_THRESHOLD_TYPE`).
    pub enum ThresholdType: "DROPOUT_THRESHOLD_TYPE", encoding::THRESHOLD_TYPE_BYTE {
        DropRate = 0 "DROP_RATE", ALL, "the share of elements that become zero";
        KeepRate = 1 "KEEP_RATE", ALL, "the share of elements that stay";
    }
}

/// The 4 bytes of a threshold, read as `threshold_src` says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// The value, as fp32 bits.
    Immediate {
        /// The bits.
        bits: u32,
    },
    /// The address of one value a partition.
    Pointer {
        /// All 32 bits; more than 29 reach no memory.
        address: u32,
    },
    /// The register that holds the address.
    Register {
        /// Its number.
        number: u8,
        /// The three bytes behind it, zero in a legal record.
        rest: [u8; 3],
    },
}

impl Threshold {
    /// Reads the 4 bytes `raw`, little-endian, as `src` says.
    #[inline]
    pub const fn of(src: ImmSrc, raw: u32) -> Self {
        match src {
            ImmSrc::InstructionImmediate => Self::Immediate { bits: raw },
            ImmSrc::PointerImmediate => Self::Pointer { address: raw },
            ImmSrc::RegPtrImmediate => {
                let [number, a, b, c] = raw.to_le_bytes();
                Self::Register { number, rest: [a, b, c] }
            }
        }
    }
}

/// Shows fp32 bits as the shortest decimal that reads back to them, and a NaN
/// with its bits.
#[derive(Clone, Copy, Debug)]
pub struct Fp32Text(pub u32);

impl fmt::Display for Fp32Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = f32::from_bits(self.0);
        if value.is_nan() { write!(f, "NaN (0x{:08x})", self.0) } else { write!(f, "{value:?}") }
    }
}
