//! The rules by name; what each asks is in the code that asks it.

use crate::evidence::Claim;
use crate::evidence::claims::{dtypes, rules as claims};
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
        "in_dtype is a type Dropout may read", claims::IS_VALID_DTYPE;
    IS_VALID_DTYPE_OUT = "is_valid_dtype_out", ALL,
        "out_dtype is a type Dropout may read, or FP32R", claims::IS_VALID_DTYPE;
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
