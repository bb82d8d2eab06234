//! The rules of the records that read one pattern and write another.

use super::finding::{Expected, Report};
use super::operand::{
    Operand, channel_range, count_check, immediate, pattern, reserved_zero,
    start_addr_active_channels, tensor_valid,
};
use super::rules::{self, Rule};
use crate::evidence::claims::neighbours as claims;
use crate::isa::neighbours::{S3D3_AC, S3D3_CP_PRED_SCALAR, S3D3_TS, S3D3_TS_SELECT};
use crate::isa::{
    AccumCmd, AluOp, CodeTable, Dtype, Field, Generation, ImmSrc, ImmSrcN, Layout, ReverseOperands,
    Word,
};

/// Asks that a byte is a member of its enumeration; true where it is.
pub(super) fn member(
    rule: &'static Rule,
    field: &'static Field,
    table: &'static CodeTable,
    report: &mut Report,
) -> bool {
    let generation = report.generation;
    let found = table.find(field.u8(&report.word));
    let legal = found.is_some_and(|code| code.generations.contains(generation));
    if !legal {
        report.violation(rule, field, Expected::MemberOf(table));
    }
    legal
}

/// Asks where an operand comes from, and that its place can be.
pub(super) fn operand(
    (src_rule, src): (&'static Rule, &'static Field),
    (rule, field): (&'static Rule, &'static Field),
    dtype: Option<Dtype>,
    channels: Option<u8>,
    report: &mut Report,
) {
    if member(src_rule, src, ImmSrc::TABLE, report)
        && let Some(from) = ImmSrc::from_code(src.u8(&report.word))
    {
        immediate(rule, field, from, dtype, channels, report);
    }
}

/// Returns the type of a field where records may read it, with FP32R where
/// `fp32r` says so; else says that it is not.
pub(super) fn dtype(
    rule: &'static Rule,
    field: &'static Field,
    fp32r: bool,
    report: &mut Report,
) -> Option<Dtype> {
    let generation = report.generation;
    let found = Dtype::from_code(field.u8(&report.word))
        .filter(|dtype| dtype.legal_for_dropout(generation) || (fp32r && *dtype == Dtype::FP32R));
    if found.is_none() {
        let expected =
            if fp32r { Expected::DtypeOrFp32r(generation) } else { Expected::Dtype(generation) };
        report.violation(rule, field, expected);
    }
    found
}

/// Returns a pattern of `layout` by its name.
pub(super) fn tensor(
    layout: &'static Layout,
    name: [&str; 3],
    word: &Word,
    dtype: Option<Dtype>,
    writes: bool,
    [valid, channels]: [&'static Rule; 2],
) -> Operand {
    let [address, steps, counts] = name.map(|name| layout.field(name));
    let tensor = pattern(word, address, steps, counts);
    Operand { tensor, address, counts, dtype, writes, psum: true, valid, channels }
}

pub(super) const SRC: [&str; 3] =
    ["src_mem_pattern.start_addr", "src_mem_pattern.step_elem", "src_mem_pattern.num_elem"];
pub(super) const DST: [&str; 3] =
    ["dst_mem_pattern.start_addr", "dst_mem_pattern.step_elem", "dst_mem_pattern.num_elem"];
const PRED: [&str; 3] =
    ["pred_mem_pattern.start_addr", "pred_mem_pattern.step_elem", "pred_mem_pattern.num_elem"];

pub(super) const SRC_RULES: [&Rule; 2] =
    [&rules::TENSOR3D_VALID_SRC, &rules::START_ADDR_ACTIVE_CHANNELS_SRC];
pub(super) const DST_RULES: [&Rule; 2] =
    [&rules::TENSOR3D_VALID_DST, &rules::START_ADDR_ACTIVE_CHANNELS_DST];
const PRED_RULES: [&Rule; 2] =
    [&rules::TENSOR3D_VALID_PRED, &rules::START_ADDR_ACTIVE_CHANNELS_PRED];

/// Asks what two patterns of equal length are asked together.
fn two_patterns(
    count_rule: &'static Rule,
    src: &Operand,
    dst: &Operand,
    channels: Option<u8>,
    report: &mut Report,
) {
    count_check(count_rule, src, dst, report);
    start_addr_active_channels(src, channels, report);
    start_addr_active_channels(dst, channels, report);
    tensor_valid(src, report);
    tensor_valid(dst, report);
}

/// Asks every rule of TensorScalar.
pub(super) fn tensor_scalar(word: &Word, generation: Generation, report: &mut Report) {
    const LAYOUT: &Layout = &S3D3_TS;
    reserved_zero(&rules::TS_RESERVED_ZERO, &[LAYOUT.field("reserved0")], word, report);
    let accumulator = LAYOUT.field("accumulator_cmd");
    if accumulator.u8(word) != AccumCmd::Idle.code() {
        report.violation(&rules::TS_ACCUMULATOR_IDLE, accumulator, Expected::Byte(0));
    }
    let in_dtype = dtype(&rules::IS_VALID_DTYPE_IN, LAYOUT.field("in_dtype"), false, report);
    let out_dtype = dtype(&rules::IS_VALID_DTYPE_OUT, LAYOUT.field("out_dtype"), true, report);
    let [op0, op1] = ["op0", "op1"].map(|name| LAYOUT.field(name));
    for (rule, op) in [(&rules::TS_VALID_OP0, op0), (&rules::TS_VALID_OP1, op1)] {
        operator(rule, op, generation, report);
    }
    let bypass = AluOp::Bypass.code();
    if op0.u8(word) == bypass && op1.u8(word) != bypass {
        report.violation(&rules::TS_BYPASS, op1, Expected::Byte(bypass));
    }
    let reverse = LAYOUT.field("reverse_operands");
    member(&rules::IS_VALID_ENUM_REVERSE_OPERANDS, reverse, ReverseOperands::TABLE, report);
    let channels = channel_range(LAYOUT.field("num_active_channels"), report);
    for (src_rule, src, rule, field) in [
        (&rules::IS_VALID_ENUM_IMM0_SRC, "imm0_src", &rules::IMM0_PTR, "imm0"),
        (&rules::IS_VALID_ENUM_IMM1_SRC, "imm1_src", &rules::IMM1_PTR, "imm1"),
    ] {
        let (src, field) = (LAYOUT.field(src), LAYOUT.field(field));
        operand((src_rule, src), (rule, field), Some(Dtype::FP32), channels, report);
    }
    let src = tensor(LAYOUT, SRC, word, in_dtype, false, SRC_RULES);
    let dst = tensor(LAYOUT, DST, word, out_dtype, true, DST_RULES);
    two_patterns(&rules::TS_COUNT_CHECK, &src, &dst, channels, report);
}

/// Asks an operator of TensorScalar.
fn operator(
    rule: &'static Rule,
    field: &'static Field,
    generation: Generation,
    report: &mut Report,
) {
    let code = field.u8(&report.word);
    let op = AluOp::from_code(code);
    let exists = match op {
        Some(op) => op.generations().contains(generation),
        None => AluOp::integer_band(code).contains(generation),
    };
    if !exists || matches!(op, Some(AluOp::Divide | AluOp::Pow | AluOp::Mod)) {
        report.violation(rule, field, Expected::AluOp(generation));
    } else if !op.is_some_and(AluOp::is_arithmetic) {
        report.remark(rule, field, Expected::ArithmeticOp, &claims::TS_BITWISE_OPS);
    }
}

/// Asks every rule of CopyPredicatedScalar.
pub(super) fn copy_predicated_scalar(word: &Word, _: Generation, report: &mut Report) {
    const LAYOUT: &Layout = &S3D3_CP_PRED_SCALAR;
    const RESERVED: [&Field; 2] = [LAYOUT.field("reserved0"), LAYOUT.field("reserved1")];
    reserved_zero(&rules::CP_PRED_RESERVED_ZERO, &RESERVED, word, report);
    let pred_dtype = dtype(&rules::IS_VALID_DTYPE_PRED, LAYOUT.field("pred_dtype"), false, report);
    let in_dtype = dtype(&rules::IS_VALID_DTYPE_IN, LAYOUT.field("in_dtype"), false, report);
    let out_dtype = dtype(&rules::IS_VALID_DTYPE_OUT, LAYOUT.field("out_dtype"), true, report);
    let channels = channel_range(LAYOUT.field("num_active_channels"), report);
    operand(
        (&rules::IS_VALID_ENUM_SRC0_IMM_SRC, LAYOUT.field("src0_imm_src")),
        (&rules::SRC0_IMM_PTR, LAYOUT.field("src0_imm")),
        in_dtype,
        channels,
        report,
    );
    let pred = tensor(LAYOUT, PRED, word, pred_dtype, false, PRED_RULES);
    let dst = tensor(LAYOUT, DST, word, out_dtype, true, DST_RULES);
    two_patterns(&rules::CP_PRED_COUNT_CHECK, &pred, &dst, channels, report);
}

/// Asks every rule of TensorScalarSelect.
pub(super) fn tensor_scalar_select(word: &Word, _: Generation, report: &mut Report) {
    const LAYOUT: &Layout = &S3D3_TS_SELECT;
    const RESERVED: [&Field; 2] = [LAYOUT.field("reserved0"), LAYOUT.field("reserved1")];
    reserved_zero(&rules::TS_SELECT_RESERVED_ZERO, &RESERVED, word, report);
    let data = dtype(&rules::IS_VALID_DTYPE_IN, LAYOUT.field("dtype"), false, report);
    let pred = dtype(&rules::IS_VALID_DTYPE_PRED, LAYOUT.field("pred_imm_dtype"), false, report);
    let channels = channel_range(LAYOUT.field("num_active_channels"), report);
    operand(
        (&rules::IS_VALID_ENUM_SRC1_IMM_SRC, LAYOUT.field("src1_imm_src")),
        (&rules::SRC1_IMM_PTR, LAYOUT.field("src1_imm")),
        data,
        channels,
        report,
    );
    operand(
        (&rules::IS_VALID_ENUM_PRED_IMM_SRC, LAYOUT.field("pred_imm_src")),
        (&rules::PRED_IMM_PTR, LAYOUT.field("pred_imm")),
        pred,
        channels,
        report,
    );
    let src = tensor(LAYOUT, SRC, word, data, false, SRC_RULES);
    let dst = tensor(LAYOUT, DST, word, data, true, DST_RULES);
    two_patterns(&rules::TS_SELECT_COUNT_CHECK, &src, &dst, channels, report);
}

/// Asks every rule of Activate. Which half of byte 32 is the type of the
/// elements read is not known, so nothing is asked of it.
pub(super) fn activate(word: &Word, _: Generation, report: &mut Report) {
    const LAYOUT: &Layout = &S3D3_AC;
    let out_dtype = dtype(&rules::IS_VALID_DTYPE_OUT, LAYOUT.field("out_dtype"), true, report);
    let accumulator = LAYOUT.field("accumulator_cmd");
    member(&rules::IS_VALID_ENUM_ACCUMULATOR_CMD, accumulator, AccumCmd::TABLE, report);
    let channels = channel_range(LAYOUT.field("num_active_channels"), report);
    for (src_rule, src, rule, field) in [
        (&rules::IS_VALID_ENUM_IMM_SRC, "imm_src", &rules::IMM_PTR, "imm"),
        (&rules::IS_VALID_ENUM_SCALE_SRC, "scale_src", &rules::SCALE_PTR, "scale"),
    ] {
        let (src, field) = (LAYOUT.field(src), LAYOUT.field(field));
        operand((src_rule, src), (rule, field), None, channels, report);
    }
    let bias_src = LAYOUT.field("bias_src");
    member(&rules::IS_VALID_ENUM_BIAS_SRC, bias_src, ImmSrcN::TABLE, report);
    if let Some(from) = ImmSrcN::from_code(bias_src.u8(word)) {
        let bias = LAYOUT.field("bias");
        immediate(&rules::BIAS_PTR, bias, from.plain(), None, channels, report);
    }
    let src = tensor(LAYOUT, SRC, word, None, false, SRC_RULES);
    let dst = tensor(LAYOUT, DST, word, out_dtype, true, DST_RULES);
    two_patterns(&rules::AC_COUNT_CHECK, &src, &dst, channels, report);
}
