//! The rules by name; what each asks is in the code that asks it.

use crate::evidence::Claim;
use crate::evidence::claims::{dtypes, neighbours, rules as claims};
use crate::isa::GenerationSet;

/// A rule of the checker, named as the headers name its predicate.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The predicate's name.
    pub name: &'static str,
    /// What it asks, as a sentence.
    pub asks: &'static str,
    /// The generations that ask it.
    pub generations: GenerationSet,
    /// Where that is known from.
    pub claim: &'static Claim,
}

/// Writes rules as statics and lists them in `ALL`.
macro_rules! rules {
    ($($name:ident = $text:literal, $generations:ident, $asks:literal, $claim:path;)*) => {
        $(
            #[doc = $asks]
            pub static $name: Rule = Rule {
                name: $text,
                asks: $asks,
                generations: GenerationSet::$generations,
                claim: &$claim,
            };
        )*

        /// Every rule, in the order they are asked.
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    HAS_VALID_OPCODE = "has_valid_opcode", ALL,
        "the opcode exists on the generation", claims::HAS_VALID_OPCODE;
    HAS_VALID_INST_LEN = "has_valid_inst_len", ALL,
        "byte 1 is 16", claims::HAS_VALID_INST_LEN;
    HAS_VALID_NEURON_EVENTS = "has_valid_neuron_events", ALL,
        "wait_mode and update_mode are members of their enumerations", claims::HAS_VALID_NEURON_EVENTS;
    RESERVED_ZERO = "s3d3_dropout_reserved_zero", ALL,
        "bytes 12..16 and 37..43 are zero", claims::RESERVED_ZERO;
    IS_VALID_DTYPE_IN = "is_valid_dtype_in", ALL,
        "in_dtype is a type a record may read", claims::IS_VALID_DTYPE;
    IS_VALID_DTYPE_OUT = "is_valid_dtype_out", ALL,
        "out_dtype is a type a record may read, or FP32R", claims::IS_VALID_DTYPE;
    SAME_SRC_DST_TYPE = "s3d3_dropout_same_src_dst_type", ALL,
        "out_dtype equals in_dtype", dtypes::IN_EQUALS_OUT;
    SRC_DST_COUNT_CHECK = "s3d3_dropout_src_dst_count_check", ALL,
        "the products of the counts are equal, or a shape comes from a register", claims::SAME_ELEMENT_COUNT;
    IS_VALID_ENUM_THRESHOLD_SRC = "is_valid_enum_threshold_src", ALL,
        "threshold_src is 0, 1 or 2", claims::ENUM_MEMBERS;
    IS_VALID_ENUM_THRESHOLD_TYPE = "is_valid_enum_threshold_type", ALL,
        "threshold_type is 0 or 1", claims::ENUM_MEMBERS;
    THRESHOLD_DTYPE_CHECK = "s3d3_dropout_threshold_dtype_check", ALL,
        "the threshold is FP32 (0 is read so); through a pointer, and for float data, any float type", dtypes::THRESHOLD_DTYPE_RULE;
    THRESHOLD_IMM_PTR = "threshold_imm_ptr", ALL,
        "a threshold pointer is placed for the channels and aligned to its type; a register number is below 64 with zeros behind it", claims::THRESHOLD_IMM_PTR;
    ACTIVE_CHANNEL_RANGE = "has_valid_active_channel_range", BEFORE_V5,
        "num_active_channels is 1 to 128", claims::CHANNEL_RANGE;
    ACTIVE_CHANNEL_RANGE_WITH_TILE = "has_valid_active_channel_range_with_tile", FROM_V5,
        "num_active_channels is 1 to 128, whatever the unknown tile flags say", claims::CHANNEL_RANGE_TILE;
    START_ADDR_ACTIVE_CHANNELS_SRC = "start_addr_active_channels_src", ALL,
        "the source starts in partition 0 (up to 128 channels), 32 (32), 64 (64) or 96 (32)", claims::START_ADDR_ACTIVE_CHANNELS;
    START_ADDR_ACTIVE_CHANNELS_DST = "start_addr_active_channels_dst", ALL,
        "the destination starts in partition 0 (up to 128 channels), 32 (32), 64 (64) or 96 (32)", claims::START_ADDR_ACTIVE_CHANNELS;
    TENSOR3D_VALID_SRC = "tensor3d_valid_src", ALL,
        "the source's counts are at least 1, its start address is aligned to in_dtype, placed and not indirect", claims::TENSOR3D_VALID;
    TENSOR3D_VALID_DST = "tensor3d_valid_dst", ALL,
        "the destination's counts are at least 1, its start address is aligned to out_dtype, placed and not indirect; in PSUM the type has 4 bytes", claims::TENSOR3D_VALID;

    TS_RESERVED_ZERO = "s3d3_ts_reserved_zero", ALL,
        "bytes 13..16 are zero", neighbours::TS_LAYOUT;
    TS_ACCUMULATOR_IDLE = "s3d3_ts_accumulator_idle", ALL,
        "accumulator_cmd is IDLE", neighbours::TS_RULES;
    TS_COUNT_CHECK = "s3d3_ts_src_dst_count_check", ALL,
        "the products of the counts are equal, or a shape comes from a register", neighbours::TS_RULES;
    TS_VALID_OP0 = "s3d3_ts_valid_op0", ALL,
        "op0 is an operator of the generation other than DIVIDE, POW and MOD", neighbours::TS_RULES;
    TS_VALID_OP1 = "s3d3_ts_valid_op1", ALL,
        "op1 is an operator of the generation other than DIVIDE, POW and MOD", neighbours::TS_RULES;
    TS_BYPASS = "s3d3_ts_bypass", ALL,
        "op1 is BYPASS where op0 is", neighbours::TS_RULES;
    IS_VALID_ENUM_REVERSE_OPERANDS = "is_valid_enum_reverse_operands", ALL,
        "reverse_operands is 0 to 3", neighbours::TS_RESULT;
    IS_VALID_ENUM_IMM0_SRC = "is_valid_enum_imm0_src", ALL,
        "imm0_src is 0, 1 or 2", neighbours::NEIGHBOUR_RULES;
    IS_VALID_ENUM_IMM1_SRC = "is_valid_enum_imm1_src", ALL,
        "imm1_src is 0, 1 or 2", neighbours::NEIGHBOUR_RULES;
    IMM0_PTR = "imm0_ptr", ALL,
        "a pointer is placed for the channels and aligned to FP32; a register number is below 64 with zeros behind it", neighbours::NEIGHBOUR_RULES;
    IMM1_PTR = "imm1_ptr", ALL,
        "a pointer is placed for the channels and aligned to FP32; a register number is below 64 with zeros behind it", neighbours::NEIGHBOUR_RULES;
    D4_MR_RESERVED_ZERO = "d4_mr_reserved_zero", ALL,
        "bytes 36..40 are zero", neighbours::D4_MR_LAYOUT;
    RNG_FILL_ZERO = "d4_mr_rng_fill_zero", ALL,
        "fill_value of RNG is zero", neighbours::RNG_FILL_ZERO;
    IS_VALID_DTYPE = "is_valid_dtype", ALL,
        "dtype is a type a record may read, or FP32R", neighbours::NEIGHBOUR_RULES;
    TENSOR4D_VALID_DST = "tensor4d_valid_dst", ALL,
        "the destination's counts are at least 1, its start address is aligned to its type, placed and not indirect; in PSUM the type has 4 bytes", neighbours::NEIGHBOUR_RULES;
    D4_RAND_RESERVED_ZERO = "d4_rand_reserved_zero", ALL,
        "bytes 33 and 35..44 are zero", neighbours::D4_RAND_LAYOUT;
    IS_VALID_ENUM_ALGORITHM = "is_valid_enum_algorithm", ALL,
        "algorithm is a RAND_ALGORITHM of the generation", neighbours::RAND_ALGORITHMS;
    IS_VALID_ENUM_RAND_GENERATOR = "is_valid_enum_rand_generator", ALL,
        "rand_generator is a RAND_SRC of the generation", neighbours::RAND_SOURCES;
    RAND_ONLY_PHILOX = "rand_only_philox", ALL,
        "algorithm of RAND is PHILOX", neighbours::RAND_UNMAINTAINED;
    HAS_VALID_RAND_NUM_STEPS = "has_valid_rand_num_steps", ALL,
        "num_steps of RAND is 1, for LFSR 1 or more", neighbours::RAND_NUM_STEPS;
    IS_VALID_RAND_POST_PROCESS = "is_valid_rand_post_process", ALL,
        "post_process is RAW_U32 or UNIFORM_IN_RANGE", neighbours::RAND_POST_PROCS;
    RAND_GET_STATE_ZERO = "rand_get_state_zero", ALL,
        "num_steps, post_process and params of RAND_GET_STATE are zero", neighbours::GET_STATE_RULES;
    RAND_STATE_DTYPE = "rand_state_dtype", ALL,
        "the type of state words is UINT32", neighbours::GET_STATE_RULES;
    RAND_STATE_PAIRING = "rand_state_pairing", ALL,
        "an engine of the generation keeps a state of this source and algorithm", neighbours::RAND_STATE_PAIRINGS;
    RAND_STATE_WORDS = "rand_state_words", ALL,
        "the pattern has as many elements as the state has words", neighbours::RAND_STATE_PAIRINGS;
    S1_RAND_RESERVED_ZERO = "s1_rand_reserved_zero", ALL,
        "bytes 25..32 are zero", neighbours::S1_RAND_LAYOUT;
    IS_VALID_ENUM_UPDATE_STATE = "is_valid_enum_update_state", ALL,
        "update_state is 0, 1 or 2", neighbours::RAND_STATE_UPDATES;
    RAND_SET_STATE_IMM_ZERO = "rand_set_state_imm_zero", ALL,
        "imm_state is zero where the state comes from a tensor", neighbours::SET_STATE_RULES;
    RAND_SET_STATE_IMM_PHILOX = "rand_set_state_imm_philox", ALL,
        "immediate state is for PHILOX alone", neighbours::SET_STATE_RULES;
    RAND_SET_STATE_IMM_LAST = "rand_set_state_imm_last", ALL,
        "imm_state_7 is zero where the state is immediate", neighbours::SET_STATE_RULES;
    TENSOR1D_VALID_SRC = "tensor1d_valid_src", ALL,
        "the source's count is at least 1, its start address is aligned to 4 bytes, in SBUF and not indirect", neighbours::SET_STATE_RULES;
    D3_RAND_RESERVED_ZERO = "d3_rand_reserved_zero", FROM_V4,
        "bytes 13, 15..32, 33 and 35..38 are zero", neighbours::D3_RAND_LAYOUT;
    RESTRICT_RAND2_ALGORITHM = "restrict_rand2_algorithm", FROM_V4,
        "algorithm of RAND2 is XORWOW", neighbours::RAND2_RULES;
    RESTRICT_RAND2_POST_PROCESS = "restrict_rand2_post_process", FROM_V4,
        "post_process of RAND2 is UNIFORM_IN_RANGE", neighbours::RAND2_RULES;
    IS_VALID_FP_DTYPE = "is_valid_fp_dtype", FROM_V4,
        "dtype is a float type, FP32R included", neighbours::RAND2_RULES;
    IS_VALID_ENUM_MIN_SRC = "is_valid_enum_min_src", FROM_V4,
        "min_src is 0, 1 or 2", neighbours::NEIGHBOUR_RULES;
    IS_VALID_ENUM_MAX_SRC = "is_valid_enum_max_src", FROM_V4,
        "max_src is 0, 1 or 2", neighbours::NEIGHBOUR_RULES;
    MIN_PTR = "min_ptr", FROM_V4,
        "a pointer is placed for the channels and aligned to FP32; a register number is below 64 with zeros behind it", neighbours::NEIGHBOUR_RULES;
    MAX_PTR = "max_ptr", FROM_V4,
        "a pointer is placed for the channels and aligned to FP32; a register number is below 64 with zeros behind it", neighbours::NEIGHBOUR_RULES;
    SET_RNG_SEED_RESERVED_ZERO = "set_rng_seed_reserved_zero", ALL,
        "bytes 13..16 and 20..64 are zero: a seed has 32 bits", neighbours::SET_RNG_SEED_LAYOUT;
    IS_VALID_ENUM_SEED_SRC = "is_valid_enum_seed_src", ALL,
        "seed_src is 0, 1 or 2", neighbours::NEIGHBOUR_RULES;
    SEED_PTR = "seed_ptr", ALL,
        "a pointer is placed and aligned to 4 bytes; a register number is below 64 with zeros behind it", neighbours::NEIGHBOUR_RULES;
    CP_PRED_RESERVED_ZERO = "s3d3_cp_pred_scalar_reserved_zero", ALL,
        "bytes 12..16 and 35..41 are zero", neighbours::CP_PRED_SCALAR_LAYOUT;
    CP_PRED_COUNT_CHECK = "s3d3_cp_pred_scalar_count_check", ALL,
        "the products of the counts are equal, or a shape comes from a register", neighbours::NEIGHBOUR_RULES;
    IS_VALID_DTYPE_PRED = "is_valid_dtype_pred", ALL,
        "the predicate's type is one a record may read", neighbours::NEIGHBOUR_RULES;
    IS_VALID_ENUM_SRC0_IMM_SRC = "is_valid_enum_src0_imm_src", ALL,
        "src0_imm_src is 0, 1 or 2", neighbours::NEIGHBOUR_RULES;
    SRC0_IMM_PTR = "src0_imm_ptr", ALL,
        "a pointer is placed for the channels and aligned to in_dtype; a register number is below 64 with zeros behind it", neighbours::NEIGHBOUR_RULES;
    START_ADDR_ACTIVE_CHANNELS_PRED = "start_addr_active_channels_pred", ALL,
        "the predicate starts in partition 0 (up to 128 channels), 32 (32), 64 (64) or 96 (32)", claims::START_ADDR_ACTIVE_CHANNELS;
    TENSOR3D_VALID_PRED = "tensor3d_valid_pred", ALL,
        "the predicate's counts are at least 1, its start address is aligned to its type, placed and not indirect", neighbours::NEIGHBOUR_RULES;
    TS_SELECT_RESERVED_ZERO = "s3d3_ts_select_reserved_zero", ALL,
        "bytes 12..16 and 36..38 are zero", neighbours::TS_SELECT_LAYOUT;
    TS_SELECT_COUNT_CHECK = "s3d3_ts_select_count_check", ALL,
        "the products of the counts are equal, or a shape comes from a register", neighbours::NEIGHBOUR_RULES;
    IS_VALID_ENUM_SRC1_IMM_SRC = "is_valid_enum_src1_imm_src", ALL,
        "src1_imm_src is 0, 1 or 2", neighbours::NEIGHBOUR_RULES;
    IS_VALID_ENUM_PRED_IMM_SRC = "is_valid_enum_pred_imm_src", ALL,
        "pred_imm_src is 0, 1 or 2", neighbours::NEIGHBOUR_RULES;
    SRC1_IMM_PTR = "src1_imm_ptr", ALL,
        "a pointer is placed for the channels and aligned to dtype; a register number is below 64 with zeros behind it", neighbours::NEIGHBOUR_RULES;
    PRED_IMM_PTR = "pred_imm_ptr", ALL,
        "a pointer is placed for the channels and aligned to pred_imm_dtype; a register number is below 64 with zeros behind it", neighbours::NEIGHBOUR_RULES;
    AC_COUNT_CHECK = "s3d3_ac_src_dst_count_check", ALL,
        "the products of the counts are equal, or a shape comes from a register", neighbours::NEIGHBOUR_RULES;
    IS_VALID_ENUM_IMM_SRC = "is_valid_enum_imm_src", ALL,
        "imm_src is 0, 1 or 2", neighbours::NEIGHBOUR_RULES;
    IS_VALID_ENUM_SCALE_SRC = "is_valid_enum_scale_src", ALL,
        "scale_src is 0, 1 or 2", neighbours::NEIGHBOUR_RULES;
    IS_VALID_ENUM_BIAS_SRC = "is_valid_enum_bias_src", ALL,
        "bias_src is 0, 1 or 2", neighbours::IMM_SRC_N_CODES;
    IS_VALID_ENUM_ACCUMULATOR_CMD = "is_valid_enum_accumulator_cmd", ALL,
        "accumulator_cmd is 0 to 4", crate::evidence::claims::encoding::ACCUM_CMDS;
    IMM_PTR = "imm_ptr", ALL,
        "a pointer is placed for the channels; a register number is below 64 with zeros behind it", neighbours::NEIGHBOUR_RULES;
    SCALE_PTR = "scale_ptr", ALL,
        "a pointer is placed for the channels; a register number is below 64 with zeros behind it", neighbours::NEIGHBOUR_RULES;
    BIAS_PTR = "bias_ptr", ALL,
        "a pointer is placed for the channels; a register number is below 64 with zeros behind it", neighbours::NEIGHBOUR_RULES;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_names_are_unique() {
        for (i, rule) in ALL.iter().enumerate() {
            assert!(ALL[..i].iter().all(|other| other.name != rule.name), "{}", rule.name);
        }
    }
}
