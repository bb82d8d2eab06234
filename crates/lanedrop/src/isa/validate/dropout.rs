//! The rules of Dropout.

use super::finding::{Expected, Report};
use super::operand::{
    Operand, channel_range, count_check, immediate, legal_channels, pattern, reserved_zero,
    start_addr_active_channels, tensor_valid,
};
use super::rules;
use crate::evidence::claims::dtypes;
use crate::isa::dropout::{
    DST, IN_DTYPE, NUM_ACTIVE_CHANNELS, OUT_DTYPE, SRC, THRESHOLD, THRESHOLD_DTYPE, THRESHOLD_SRC,
    THRESHOLD_TYPE,
};
use crate::isa::layout::S3D3_DROPOUT;
use crate::isa::{Dtype, Field, Generation, ImmSrc, ThresholdType, Word};

const RESERVED: [&Field; 2] = [S3D3_DROPOUT.field("reserved0"), S3D3_DROPOUT.field("reserved1")];
const SRC_STEP: &Field = S3D3_DROPOUT.field("src_mem_pattern.step_elem");
const SRC_NUM: &Field = S3D3_DROPOUT.field("src_mem_pattern.num_elem");
const DST_STEP: &Field = S3D3_DROPOUT.field("dst_mem_pattern.step_elem");
const DST_NUM: &Field = S3D3_DROPOUT.field("dst_mem_pattern.num_elem");

/// Asks every rule of Dropout but those of header and events.
pub(super) fn check(word: &Word, generation: Generation, report: &mut Report) {
    reserved_zero(&rules::RESERVED_ZERO, &RESERVED, word, report);
    let (in_dtype, out_dtype) = dtypes(word, generation, report);
    let src = Operand {
        tensor: pattern(word, SRC, SRC_STEP, SRC_NUM),
        address: SRC,
        counts: SRC_NUM,
        dtype: in_dtype,
        writes: false,
        psum: true,
        valid: &rules::TENSOR3D_VALID_SRC,
        channels: &rules::START_ADDR_ACTIVE_CHANNELS_SRC,
    };
    let dst = Operand {
        tensor: pattern(word, DST, DST_STEP, DST_NUM),
        address: DST,
        counts: DST_NUM,
        dtype: out_dtype,
        writes: true,
        psum: true,
        valid: &rules::TENSOR3D_VALID_DST,
        channels: &rules::START_ADDR_ACTIVE_CHANNELS_DST,
    };
    count_check(&rules::SRC_DST_COUNT_CHECK, &src, &dst, report);

    let threshold_src = ImmSrc::from_code(THRESHOLD_SRC.u8(word));
    if threshold_src.is_none() {
        let expected = Expected::MemberOf(ImmSrc::TABLE);
        report.violation(&rules::IS_VALID_ENUM_THRESHOLD_SRC, THRESHOLD_SRC, expected);
    }
    if ThresholdType::from_code(THRESHOLD_TYPE.u8(word)).is_none() {
        let expected = Expected::MemberOf(ThresholdType::TABLE);
        report.violation(&rules::IS_VALID_ENUM_THRESHOLD_TYPE, THRESHOLD_TYPE, expected);
    }
    let channels = legal_channels(NUM_ACTIVE_CHANNELS, word);
    if let Some(threshold_src) = threshold_src {
        let dtype = threshold_dtype(word, threshold_src, in_dtype, report);
        let rule = &rules::THRESHOLD_IMM_PTR;
        immediate(rule, THRESHOLD, threshold_src, dtype, channels, report);
    }
    channel_range(NUM_ACTIVE_CHANNELS, report);
    start_addr_active_channels(&src, channels, report);
    start_addr_active_channels(&dst, channels, report);
    tensor_valid(&src, report);
    tensor_valid(&dst, report);
}

/// Asks the rules of in_dtype and out_dtype, and returns those that are legal.
fn dtypes(
    word: &Word,
    generation: Generation,
    report: &mut Report,
) -> (Option<Dtype>, Option<Dtype>) {
    let legal = |field: &Field| {
        Dtype::from_code(field.u8(word)).filter(|dtype| dtype.legal_for_dropout(generation))
    };
    let input = legal(IN_DTYPE);
    let output = match Dtype::from_code(OUT_DTYPE.u8(word)) {
        Some(Dtype::FP32R) => Some(Dtype::FP32R),
        _ => legal(OUT_DTYPE),
    };
    if input.is_none() {
        let expected = Expected::DropoutDtype(generation);
        report.violation(&rules::IS_VALID_DTYPE_IN, IN_DTYPE, expected);
    }
    if output.is_none() {
        let expected = Expected::DropoutDtypeOrFp32r(generation);
        report.violation(&rules::IS_VALID_DTYPE_OUT, OUT_DTYPE, expected);
    }
    if OUT_DTYPE.u8(word) != IN_DTYPE.u8(word) {
        let expected = Expected::SameAsInDtype(IN_DTYPE.u8(word));
        report.violation(&rules::SAME_SRC_DST_TYPE, OUT_DTYPE, expected);
    }
    if input == Some(Dtype::FP8_EXP2) {
        let claim = &dtypes::DTYPE_FP8_EXP2_V5;
        report.remark(&rules::IS_VALID_DTYPE_IN, IN_DTYPE, Expected::KnownDtype, claim);
    }
    (input, output)
}

/// Asks the type of the threshold, and returns it where it is known to be legal.
fn threshold_dtype(
    word: &Word,
    threshold_src: ImmSrc,
    in_dtype: Option<Dtype>,
    report: &mut Report,
) -> Option<Dtype> {
    let dtype = match Dtype::from_code(THRESHOLD_DTYPE.u8(word)) {
        Some(Dtype::INVALID) => Some(Dtype::FP32),
        other => other,
    };
    let fp32 = dtype.filter(|dtype| *dtype == Dtype::FP32);
    let float = dtype.filter(|dtype| dtype.legal_for_threshold());
    let (legal, expected) = match (threshold_src, in_dtype) {
        (ImmSrc::InstructionImmediate, _) => (fp32, Expected::Fp32),
        // Which of the two rules applies is not known then.
        (_, None) => return float,
        (_, Some(data)) if data.is_integer() => (fp32, Expected::Fp32),
        (_, Some(_)) => (float, Expected::Float),
    };
    if legal.is_none() {
        report.violation(&rules::THRESHOLD_DTYPE_CHECK, THRESHOLD_DTYPE, expected);
    }
    legal
}
