//! The records around Dropout, field by field, in the form of
//! [`layout`](super::layout).

use super::alu::{AccumCmd, AluOp};
use super::layout::{Layout, rows};
use super::operand::ImmSrc;
use super::rand::{
    ImmSrcN, RandAlgorithm, RandPostProc, RandSrc, RandStateUpdate, ReverseOperands,
};
use super::{Dtype, Field, Kind, Omitted, opcode};
use crate::evidence::claims::{memory, neighbours as claims};

const CHANNELS: &str = "partitions worked on, 1 to 128";
const STEPS_3: &str = "three signed steps in elements, innermost first";
const COUNTS_3: &str = "three counts, innermost first";
const STEPS_4: &str = "four signed steps in elements, innermost first";
const COUNTS_4: &str = "four counts, innermost first";
const READ: &str = "where channel 0 starts to read";
const WRITTEN: &str = "where channel 0 starts to write";
const ZERO: &str = "zero";
const UNKNOWN: &str = "not known; zero in what this model writes";

/// TensorScalar with arithmetic operators: `(x op0 imm0) op1 imm1`.
pub static S3D3_TS: Layout = Layout {
    name: "S3D3_TS",
    opcodes: &[opcode::TENSOR_SCALAR],
    rows: rows! {
        "accumulator_cmd", 12, 1, Kind::Code(AccumCmd::TABLE), Omitted::Zero, claims::TS_LAYOUT,
            "what becomes of the accumulator, IDLE in a legal record";
        "reserved0", 13, 3, Kind::Reserved, Omitted::Zero, claims::TS_LAYOUT, ZERO;
        "src_mem_pattern.start_addr", 16, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS, READ;
        "src_mem_pattern.step_elem", 20, 6, Kind::StepElem, Omitted::Required, memory::STEP_ELEM, STEPS_3;
        "src_mem_pattern.num_elem", 26, 6, Kind::NumElem, Omitted::Required, memory::NUM_ELEM, COUNTS_3;
        "in_dtype", 32, 1, Kind::Code(Dtype::TABLE), Omitted::Required, claims::TS_LAYOUT,
            "type of the elements read";
        "out_dtype", 33, 1, Kind::Code(Dtype::TABLE), Omitted::Required, claims::TS_LAYOUT,
            "type of the elements written";
        "num_active_channels", 34, 1, Kind::Count("channels"), Omitted::Required, memory::CHANNELS_1_TO_128, CHANNELS;
        "imm0_src", 35, 1, Kind::Code(ImmSrc::TABLE), Omitted::Zero, claims::TS_LAYOUT,
            "where imm0 comes from";
        "op0", 36, 1, Kind::Code(AluOp::TABLE), Omitted::Required, claims::TS_LAYOUT,
            "the first operation";
        "op1", 37, 1, Kind::Code(AluOp::TABLE), Omitted::Zero, claims::TS_LAYOUT,
            "the second operation";
        "reverse_operands", 38, 1, Kind::Code(ReverseOperands::TABLE), Omitted::Zero, claims::TS_LAYOUT,
            "which operations have their operands swapped";
        "imm1_src", 39, 1, Kind::Code(ImmSrc::TABLE), Omitted::Zero, claims::TS_LAYOUT,
            "where imm1 comes from";
        "imm0", 40, 4, Kind::Immediate { src_bytes: 35 }, Omitted::Zero, claims::TS_LAYOUT,
            "the operand of the first operation";
        "imm1", 44, 4, Kind::Immediate { src_bytes: 39 }, Omitted::Zero, claims::TS_LAYOUT,
            "the operand of the second operation";
        "dst_mem_pattern.start_addr", 48, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS, WRITTEN;
        "dst_mem_pattern.step_elem", 52, 6, Kind::StepElem, Omitted::Required, memory::STEP_ELEM, STEPS_3;
        "dst_mem_pattern.num_elem", 58, 6, Kind::NumElem, Omitted::Required, memory::NUM_ELEM, COUNTS_3;
    },
};

/// MEMSET, which fills, and RNG, which draws: one destination pattern.
pub static D4_MR: Layout = Layout {
    name: "D4_MR",
    opcodes: &[opcode::MEMSET, opcode::RNG],
    rows: rows! {
        "unknown0", 12, 16, Kind::Reserved, Omitted::Zero, claims::D4_MR_LAYOUT, UNKNOWN;
        "element_count", 28, 4, Kind::Word, Omitted::Zero, claims::D4_MR_COUNT,
            "elements of the destination, a channel";
        "dtype", 32, 1, Kind::Code(Dtype::TABLE), Omitted::Required, claims::D4_MR_LAYOUT,
            "type of the elements written";
        "unknown1", 33, 1, Kind::Reserved, Omitted::Zero, claims::D4_MR_LAYOUT, UNKNOWN;
        "num_active_channels", 34, 1, Kind::Count("channels"), Omitted::Required, memory::CHANNELS_1_TO_128, CHANNELS;
        "unknown2", 35, 1, Kind::Reserved, Omitted::Zero, claims::D4_MR_LAYOUT, UNKNOWN;
        "reserved0", 36, 4, Kind::Reserved, Omitted::Zero, claims::D4_MR_LAYOUT, ZERO;
        "fill_value", 40, 4, Kind::Word, Omitted::Zero, claims::RNG_FILL_ZERO,
            "bits written to each element by MEMSET, zero for RNG";
        "dst_mem_pattern.start_addr", 44, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS, WRITTEN;
        "dst_mem_pattern.step_elem", 48, 8, Kind::StepElem, Omitted::Required, memory::STEP_ELEM, STEPS_4;
        "dst_mem_pattern.num_elem", 56, 8, Kind::NumElem, Omitted::Required, memory::NUM_ELEM, COUNTS_4;
    },
};

/// RAND, which is not maintained, and RAND_GET_STATE.
pub static D4_RAND: Layout = Layout {
    name: "D4_RAND",
    opcodes: &[opcode::RAND, opcode::RAND_GET_STATE],
    rows: rows! {
        "algorithm", 12, 1, Kind::Code(RandAlgorithm::TABLE), Omitted::Required, claims::D4_RAND_LAYOUT,
            "the generator";
        "num_steps", 13, 1, Kind::Count("steps"), Omitted::Zero, claims::D4_RAND_LAYOUT,
            "steps a draw, 0 in RAND_GET_STATE";
        "post_process", 14, 1, Kind::Code(RandPostProc::TABLE), Omitted::Zero, claims::D4_RAND_LAYOUT,
            "what becomes of a draw";
        "rand_generator", 15, 1, Kind::Code(RandSrc::TABLE), Omitted::Required, claims::D4_RAND_LAYOUT,
            "where the state is";
        "params_0", 16, 4, Kind::Word, Omitted::Zero, claims::D4_RAND_LAYOUT, "lower bound of a uniform";
        "params_1", 20, 4, Kind::Word, Omitted::Zero, claims::D4_RAND_LAYOUT, "upper bound of a uniform";
        "params_2", 24, 4, Kind::Word, Omitted::Zero, claims::D4_RAND_LAYOUT, "not known";
        "params_3", 28, 4, Kind::Word, Omitted::Zero, claims::D4_RAND_LAYOUT, "not known";
        "dtype", 32, 1, Kind::Code(Dtype::TABLE), Omitted::Required, claims::D4_RAND_LAYOUT,
            "type of the elements written";
        "reserved0", 33, 1, Kind::Reserved, Omitted::Zero, claims::D4_RAND_LAYOUT, ZERO;
        "num_active_channels", 34, 1, Kind::Count("channels"), Omitted::Required, memory::CHANNELS_1_TO_128, CHANNELS;
        "reserved1", 35, 9, Kind::Reserved, Omitted::Zero, claims::D4_RAND_LAYOUT, ZERO;
        "dst_mem_pattern.start_addr", 44, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS, WRITTEN;
        "dst_mem_pattern.step_elem", 48, 8, Kind::StepElem, Omitted::Required, memory::STEP_ELEM, STEPS_4;
        "dst_mem_pattern.num_elem", 56, 8, Kind::NumElem, Omitted::Required, memory::NUM_ELEM, COUNTS_4;
    },
};

/// RAND_SET_STATE: new generator state from a tensor or from the record.
pub static S1_RAND: Layout = Layout {
    name: "S1_RAND",
    opcodes: &[opcode::RAND_SET_STATE],
    rows: rows! {
        "algorithm", 12, 1, Kind::Code(RandAlgorithm::TABLE), Omitted::Required, claims::S1_RAND_LAYOUT,
            "the generator";
        "num_active_channels", 13, 1, Kind::Count("channels"), Omitted::Required, memory::CHANNELS_1_TO_128, CHANNELS;
        "update_state", 14, 1, Kind::Code(RandStateUpdate::TABLE), Omitted::Zero, claims::S1_RAND_LAYOUT,
            "where the new state comes from";
        "in_dtype", 15, 1, Kind::Code(Dtype::TABLE), Omitted::Required, claims::S1_RAND_LAYOUT,
            "type of the words read, UINT32 in a legal record";
        "src_mem_pattern.start_addr", 16, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS, READ;
        "src_mem_pattern.step_elem", 20, 2, Kind::StepElem, Omitted::Required, memory::STEP_ELEM,
            "one signed step in elements";
        "src_mem_pattern.num_elem", 22, 2, Kind::NumElem, Omitted::Required, memory::NUM_ELEM,
            "one count, the words of a lane's state";
        "rand_generator", 24, 1, Kind::Code(RandSrc::TABLE), Omitted::Required, claims::S1_RAND_LAYOUT,
            "where the state goes";
        "reserved0", 25, 7, Kind::Reserved, Omitted::Zero, claims::S1_RAND_LAYOUT, ZERO;
        "imm_state_0", 32, 4, Kind::Word, Omitted::Zero, claims::S1_RAND_LAYOUT, "a word of the new state";
        "imm_state_1", 36, 4, Kind::Word, Omitted::Zero, claims::S1_RAND_LAYOUT, "a word of the new state";
        "imm_state_2", 40, 4, Kind::Word, Omitted::Zero, claims::S1_RAND_LAYOUT, "a word of the new state";
        "imm_state_3", 44, 4, Kind::Word, Omitted::Zero, claims::S1_RAND_LAYOUT, "a word of the new state";
        "imm_state_4", 48, 4, Kind::Word, Omitted::Zero, claims::S1_RAND_LAYOUT, "a word of the new state";
        "imm_state_5", 52, 4, Kind::Word, Omitted::Zero, claims::S1_RAND_LAYOUT, "a word of the new state";
        "imm_state_6", 56, 4, Kind::Word, Omitted::Zero, claims::S1_RAND_LAYOUT, "a word of the new state";
        "imm_state_7", 60, 4, Kind::Word, Omitted::Zero, claims::S1_RAND_LAYOUT, "zero in a legal record";
    },
};

/// RAND2: uniform floats between two bounds, from v4 on.
pub static D3_RAND: Layout = Layout {
    name: "D3_RAND",
    opcodes: &[opcode::RAND2],
    rows: rows! {
        "algorithm", 12, 1, Kind::Code(RandAlgorithm::TABLE), Omitted::Is(3), claims::D3_RAND_LAYOUT,
            "the generator, XORWOW in a legal record";
        "reserved0", 13, 1, Kind::Reserved, Omitted::Zero, claims::D3_RAND_LAYOUT, ZERO;
        "post_process", 14, 1, Kind::Code(RandPostProc::TABLE), Omitted::Is(1), claims::D3_RAND_LAYOUT,
            "what becomes of a draw, UNIFORM_IN_RANGE in a legal record";
        "reserved1", 15, 17, Kind::Reserved, Omitted::Zero, claims::D3_RAND_LAYOUT, ZERO;
        "dtype", 32, 1, Kind::Code(Dtype::TABLE), Omitted::Required, claims::D3_RAND_LAYOUT,
            "type of the elements written";
        "reserved2", 33, 1, Kind::Reserved, Omitted::Zero, claims::D3_RAND_LAYOUT, ZERO;
        "num_active_channels", 34, 1, Kind::Count("channels"), Omitted::Required, memory::CHANNELS_1_TO_128, CHANNELS;
        "reserved3", 35, 3, Kind::Reserved, Omitted::Zero, claims::D3_RAND_LAYOUT, ZERO;
        "min_src", 38, 1, Kind::Code(ImmSrc::TABLE), Omitted::Zero, claims::D3_RAND_LAYOUT,
            "where the lower bound comes from";
        "max_src", 39, 1, Kind::Code(ImmSrc::TABLE), Omitted::Zero, claims::D3_RAND_LAYOUT,
            "where the upper bound comes from";
        "min", 40, 4, Kind::Immediate { src_bytes: 38 }, Omitted::Zero, claims::D3_RAND_LAYOUT,
            "the lower bound";
        "max", 44, 4, Kind::Immediate { src_bytes: 39 }, Omitted::Zero, claims::D3_RAND_LAYOUT,
            "the upper bound";
        "dst_mem_pattern.start_addr", 48, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS, WRITTEN;
        "dst_mem_pattern.step_elem", 52, 6, Kind::StepElem, Omitted::Required, memory::STEP_ELEM, STEPS_3;
        "dst_mem_pattern.num_elem", 58, 6, Kind::NumElem, Omitted::Required, memory::NUM_ELEM, COUNTS_3;
    },
};

/// The seed of the Vector engine's lanes; the runtime lowers it.
pub static PSEUDO_SET_RNG_SEED: Layout = Layout {
    name: "PSEUDO_SET_RNG_SEED",
    opcodes: &[opcode::SET_RNG_SEED],
    rows: rows! {
        "seed_src", 12, 1, Kind::Code(ImmSrc::TABLE), Omitted::Zero, claims::SET_RNG_SEED_LAYOUT,
            "where the seed comes from";
        "reserved0", 13, 3, Kind::Reserved, Omitted::Zero, claims::SET_RNG_SEED_LAYOUT, UNKNOWN;
        "seed", 16, 4, Kind::Word, Omitted::Required, claims::SET_RNG_SEED_LAYOUT,
            "the seed, its address, or the register with its address, as seed_src says";
        "reserved1", 20, 44, Kind::Reserved, Omitted::Zero, claims::SET_RNG_SEED_LAYOUT, UNKNOWN;
    },
};

/// CopyPredicatedScalar: a scalar where a predicate holds.
pub static S3D3_CP_PRED_SCALAR: Layout = Layout {
    name: "S3D3_CP_PRED_SCALAR",
    opcodes: &[opcode::COPY_PREDICATED_SCALAR],
    rows: rows! {
        "reserved0", 12, 4, Kind::Reserved, Omitted::Zero, claims::CP_PRED_SCALAR_LAYOUT, ZERO;
        "pred_mem_pattern.start_addr", 16, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS,
            "where channel 0 starts to read the predicate";
        "pred_mem_pattern.step_elem", 20, 6, Kind::StepElem, Omitted::Required, memory::STEP_ELEM, STEPS_3;
        "pred_mem_pattern.num_elem", 26, 6, Kind::NumElem, Omitted::Required, memory::NUM_ELEM, COUNTS_3;
        "pred_dtype", 32, 1, Kind::Code(Dtype::TABLE), Omitted::Required, claims::CP_PRED_SCALAR_LAYOUT,
            "type of the predicate";
        "reversed_pred", 33, 1, Kind::Byte, Omitted::Zero, claims::CP_PRED_SCALAR_LAYOUT,
            "whether the predicate is inverted";
        "num_active_channels", 34, 1, Kind::Count("channels"), Omitted::Required, memory::CHANNELS_1_TO_128, CHANNELS;
        "reserved1", 35, 6, Kind::Reserved, Omitted::Zero, claims::CP_PRED_SCALAR_LAYOUT, ZERO;
        "in_dtype", 41, 1, Kind::Code(Dtype::TABLE), Omitted::Required, claims::CP_PRED_SCALAR_LAYOUT,
            "type of the scalar";
        "out_dtype", 42, 1, Kind::Code(Dtype::TABLE), Omitted::Required, claims::CP_PRED_SCALAR_LAYOUT,
            "type of the elements written";
        "src0_imm_src", 43, 1, Kind::Code(ImmSrc::TABLE), Omitted::Zero, claims::CP_PRED_SCALAR_LAYOUT,
            "where the scalar comes from";
        "src0_imm", 44, 4, Kind::Immediate { src_bytes: 43 }, Omitted::Zero, claims::CP_PRED_SCALAR_LAYOUT,
            "the scalar";
        "dst_mem_pattern.start_addr", 48, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS, WRITTEN;
        "dst_mem_pattern.step_elem", 52, 6, Kind::StepElem, Omitted::Required, memory::STEP_ELEM, STEPS_3;
        "dst_mem_pattern.num_elem", 58, 6, Kind::NumElem, Omitted::Required, memory::NUM_ELEM, COUNTS_3;
    },
};

/// TensorScalarSelect: an element or a scalar, by a predicate.
pub static S3D3_TS_SELECT: Layout = Layout {
    name: "S3D3_TS_SELECT",
    opcodes: &[opcode::TENSOR_SCALAR_SELECT],
    rows: rows! {
        "reserved0", 12, 4, Kind::Reserved, Omitted::Zero, claims::TS_SELECT_LAYOUT, ZERO;
        "src_mem_pattern.start_addr", 16, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS, READ;
        "src_mem_pattern.step_elem", 20, 6, Kind::StepElem, Omitted::Required, memory::STEP_ELEM, STEPS_3;
        "src_mem_pattern.num_elem", 26, 6, Kind::NumElem, Omitted::Required, memory::NUM_ELEM, COUNTS_3;
        "reversed_pred", 32, 1, Kind::Byte, Omitted::Zero, claims::TS_SELECT_LAYOUT,
            "whether the predicate is inverted";
        "num_active_channels", 33, 1, Kind::Count("channels"), Omitted::Required, memory::CHANNELS_1_TO_128, CHANNELS;
        "dtype", 34, 1, Kind::Code(Dtype::TABLE), Omitted::Required, claims::TS_SELECT_LAYOUT,
            "type of the elements";
        "pred_imm_dtype", 35, 1, Kind::Code(Dtype::TABLE), Omitted::Required, claims::TS_SELECT_LAYOUT,
            "type of the predicate";
        "reserved1", 36, 2, Kind::Reserved, Omitted::Zero, claims::TS_SELECT_LAYOUT, ZERO;
        "src1_imm_src", 38, 1, Kind::Code(ImmSrc::TABLE), Omitted::Zero, claims::TS_SELECT_LAYOUT,
            "where the scalar comes from";
        "pred_imm_src", 39, 1, Kind::Code(ImmSrc::TABLE), Omitted::Zero, claims::TS_SELECT_LAYOUT,
            "where the predicate comes from";
        "src1_imm", 40, 4, Kind::Immediate { src_bytes: 38 }, Omitted::Zero, claims::TS_SELECT_LAYOUT,
            "the scalar";
        "pred_imm", 44, 4, Kind::Immediate { src_bytes: 39 }, Omitted::Zero, claims::TS_SELECT_LAYOUT,
            "the predicate";
        "dst_mem_pattern.start_addr", 48, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS, WRITTEN;
        "dst_mem_pattern.step_elem", 52, 6, Kind::StepElem, Omitted::Required, memory::STEP_ELEM, STEPS_3;
        "dst_mem_pattern.num_elem", 58, 6, Kind::NumElem, Omitted::Required, memory::NUM_ELEM, COUNTS_3;
    },
};

/// Activate: a table-driven function of `x * scale + bias`.
pub static S3D3_AC: Layout = Layout {
    name: "S3D3_AC",
    opcodes: &[opcode::ACTIVATE],
    rows: rows! {
        "imm_src", 12, 1, Kind::Code(ImmSrc::TABLE), Omitted::Zero, claims::ACTIVATE_LAYOUT,
            "where imm comes from";
        "scale_src", 13, 1, Kind::Code(ImmSrc::TABLE), Omitted::Zero, claims::ACTIVATE_LAYOUT,
            "where the scale comes from";
        "accumulator_cmd", 14, 1, Kind::Code(AccumCmd::TABLE), Omitted::Zero, claims::ACTIVATE_LAYOUT,
            "what becomes of the accumulator";
        "bias_src", 15, 1, Kind::Code(ImmSrcN::TABLE), Omitted::Zero, claims::IMM_SRC_N_CODES,
            "where the bias comes from, in the swapped enumeration";
        "src_mem_pattern.start_addr", 16, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS, READ;
        "src_mem_pattern.step_elem", 20, 6, Kind::StepElem, Omitted::Required, memory::STEP_ELEM, STEPS_3;
        "src_mem_pattern.num_elem", 26, 6, Kind::NumElem, Omitted::Required, memory::NUM_ELEM, COUNTS_3;
        "in_bias_dtypes", 32, 1, Kind::Byte, Omitted::Required, claims::ACTIVATE_LAYOUT,
            "types of the elements read and of the bias, 4 bits each";
        "out_dtype", 33, 1, Kind::Code(Dtype::TABLE), Omitted::Required, claims::ACTIVATE_LAYOUT,
            "type of the elements written";
        "num_active_channels", 34, 1, Kind::Count("channels"), Omitted::Required, memory::CHANNELS_1_TO_128, CHANNELS;
        "activation_func", 35, 1, Kind::Byte, Omitted::Required, claims::ACTIVATE_LAYOUT,
            "the function";
        "scale", 36, 4, Kind::Immediate { src_bytes: 13 }, Omitted::Zero, claims::ACTIVATE_LAYOUT,
            "the scale";
        "bias", 40, 4, Kind::Word, Omitted::Zero, claims::ACTIVATE_LAYOUT,
            "the bias, its address, or the register with its address, as bias_src says";
        "imm", 44, 4, Kind::Immediate { src_bytes: 12 }, Omitted::Zero, claims::ACTIVATE_LAYOUT,
            "a further operand";
        "dst_mem_pattern.start_addr", 48, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS, WRITTEN;
        "dst_mem_pattern.step_elem", 52, 6, Kind::StepElem, Omitted::Required, memory::STEP_ELEM, STEPS_3;
        "dst_mem_pattern.num_elem", 58, 6, Kind::NumElem, Omitted::Required, memory::NUM_ELEM, COUNTS_3;
    },
};
