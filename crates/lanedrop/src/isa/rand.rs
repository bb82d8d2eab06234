//! Enumerations of the random-number records.

use super::codes::codes;
use crate::evidence::claims::neighbours;

codes! {
    /// Generators (`RAND_ALGORITHM`).
    pub enum RandAlgorithm: "RAND_ALGORITHM", neighbours::RAND_ALGORITHMS {
        Lfsr = 0 "LFSR", ALL, "a linear-feedback shift register, one word a lane";
        Pcg32 = 1 "PCG32", ALL, "PCG-XSH-RR, 64-bit state, 32-bit output";
        Philox = 2 "PHILOX", ALL, "Philox 4x32, 10 rounds";
        Xorwow = 3 "XORWOW", FROM_V3, "XORWOW, six words a state";
    }
}

codes! {
    /// Where generator state lives (`RAND_SRC`).
    pub enum RandSrc: "RAND_SRC", neighbours::RAND_SOURCES {
        RngLfsr = 0 "RNG_LFSR", ALL, "the generator's LFSR";
        RngXorwow = 1 "RNG_XORWOW", FROM_V3, "the generator's XORWOW";
        RngPhilox = 2 "RNG_PHILOX", ALL, "the generator's Philox";
        OutputCvtLfsr = 3 "OUTPUT_CVT_LFSR", FROM_V3, "the register of output conversion";
    }
}

codes! {
    /// What becomes of a raw draw (`RAND_POST_PROC`).
    pub enum RandPostProc: "RAND_POST_PROC", neighbours::RAND_POST_PROCS {
        RawU32 = 0 "RAW_U32", ALL, "stays a u32";
        UniformInRange = 1 "UNIFORM_IN_RANGE", ALL, "a uniform float between two bounds";
        Normal = 2 "NORMAL", ALL, "a normal float; unsupported";
    }
}

codes! {
    /// Where new generator state comes from (`RAND_STATE_UPDATE`).
    pub enum RandStateUpdate: "RAND_STATE_UPDATE", neighbours::RAND_STATE_UPDATES {
        SrcTensor = 0 "SRC_TENSOR", ALL, "a tensor";
        ImmSingle = 1 "IMM_SINGLE", ALL, "one immediate state for all lanes";
        ImmLane = 2 "IMM_LANE", ALL, "an immediate state, told apart by lane";
    }
}

codes! {
    /// Which operations of a TensorScalar have their operands swapped.
    pub enum ReverseOperands: "REVERSE_OPERANDS", neighbours::TS_RESULT {
        None = 0 "NONE", ALL, "x is the left operand of both";
        First = 1 "FIRST", ALL, "imm0 op0 x";
        Second = 2 "SECOND", ALL, "imm1 op1 of the first result";
        Both = 3 "BOTH", ALL, "both swapped";
    }
}

codes! {
    /// Where the bias of an Activate comes from (`IMM_SRC_N`), with other codes
    /// than [`ImmSrc`](super::ImmSrc).
    pub enum ImmSrcN: "IMM_SRC_N", neighbours::IMM_SRC_N_CODES {
        PointerImmediate = 0 "POINTER_IMMEDIATE", ALL, "the record holds the address of one value a partition";
        InstructionImmediate = 1 "INSTRUCTION_IMMEDIATE", ALL, "the value is in the record";
        RegPtrImmediate = 2 "REG_PTR_IMMEDIATE", ALL, "a register holds that address";
    }
}

impl ImmSrcN {
    /// Returns the same source in the enumeration that all other operands use.
    pub const fn plain(self) -> super::ImmSrc {
        match self {
            Self::PointerImmediate => super::ImmSrc::PointerImmediate,
            Self::InstructionImmediate => super::ImmSrc::InstructionImmediate,
            Self::RegPtrImmediate => super::ImmSrc::RegPtrImmediate,
        }
    }
}
