//! The rules of the records that fill, draw, seed, and save or restore state.

use super::finding::{Expected, Report};
use super::neighbours::{DST, DST_RULES, SRC, dtype, member, operand, tensor};
use super::operand::{
    channel_range, immediate, reserved_zero, start_addr_active_channels, tensor_valid,
};
use super::rules::{self, Rule};
use crate::evidence::claims::neighbours as claims;
use crate::isa::neighbours::{D3_RAND, D4_MR, D4_RAND, PSEUDO_SET_RNG_SEED, S1_RAND};
use crate::isa::{
    Dtype, Field, Generation, ImmSrc, Layout, RandAlgorithm, RandPostProc, RandSrc,
    RandStateUpdate, Word, opcode, rand_states,
};

const DST_4D: [&Rule; 2] = [&rules::TENSOR4D_VALID_DST, &rules::START_ADDR_ACTIVE_CHANNELS_DST];
const SRC_1D: [&Rule; 2] = [&rules::TENSOR1D_VALID_SRC, &rules::START_ADDR_ACTIVE_CHANNELS_SRC];

/// Asks that a byte has one value.
fn exactly(rule: &'static Rule, field: &'static Field, byte: u8, report: &mut Report) {
    if field.u8(&report.word) != byte {
        report.violation(rule, field, Expected::Byte(byte));
    }
}

/// Asks that a field is zero.
fn zero(rule: &'static Rule, field: &'static Field, report: &mut Report) {
    if field.bytes(&report.word).iter().any(|&byte| byte != 0) {
        report.violation(rule, field, Expected::Zero);
    }
}

/// Asks every rule of MEMSET or RNG.
pub(super) fn memset_or_rng(word: &Word, _: Generation, report: &mut Report) {
    const LAYOUT: &Layout = &D4_MR;
    const UNKNOWN: [&Field; 3] =
        [LAYOUT.field("unknown0"), LAYOUT.field("unknown1"), LAYOUT.field("unknown2")];
    let rule = &rules::D4_MR_RESERVED_ZERO;
    reserved_zero(rule, &[LAYOUT.field("reserved0")], word, report);
    for field in UNKNOWN {
        if field.bytes(word).iter().any(|&byte| byte != 0) {
            report.remark(rule, field, Expected::Zero, &claims::D4_MR_LAYOUT);
        }
    }
    if word.opcode() == opcode::RNG {
        zero(&rules::RNG_FILL_ZERO, LAYOUT.field("fill_value"), report);
    }
    let written = dtype(&rules::IS_VALID_DTYPE, LAYOUT.field("dtype"), true, report);
    let channels = channel_range(LAYOUT.field("num_active_channels"), report);
    let dst = tensor(LAYOUT, DST, word, written, true, DST_4D);
    let (count, elements) = (LAYOUT.field("element_count"), dst.tensor.num_elements());
    if u64::from(count.u32(word)) != elements && !dst.tensor.start_addr.is_shape_register() {
        let expected = Expected::ElementCount(elements);
        report.remark(rule, count, expected, &claims::D4_MR_COUNT);
    }
    start_addr_active_channels(&dst, channels, report);
    tensor_valid(&dst, report);
}

/// Asks every rule of RAND.
pub(super) fn rand(word: &Word, _: Generation, report: &mut Report) {
    const LAYOUT: &Layout = &D4_RAND;
    let [algorithm, num_steps] = ["algorithm", "num_steps"].map(|name| LAYOUT.field(name));
    d4_rand_reserved(word, report);
    if member(&rules::IS_VALID_ENUM_ALGORITHM, algorithm, RandAlgorithm::TABLE, report) {
        exactly(&rules::RAND_ONLY_PHILOX, algorithm, RandAlgorithm::Philox.code(), report);
        let lfsr = algorithm.u8(word) == RandAlgorithm::Lfsr.code();
        match num_steps.u8(word) {
            1 => {}
            2.. if lfsr => {}
            0 if lfsr => {
                let expected = Expected::CountFrom1;
                report.violation(&rules::HAS_VALID_RAND_NUM_STEPS, num_steps, expected);
            }
            _ => {
                let expected = Expected::Byte(1);
                report.violation(&rules::HAS_VALID_RAND_NUM_STEPS, num_steps, expected);
            }
        }
    }
    let post_process = LAYOUT.field("post_process");
    let known = RandPostProc::from_code(post_process.u8(word));
    if !matches!(known, Some(RandPostProc::RawU32 | RandPostProc::UniformInRange)) {
        let expected = Expected::RawOrUniform;
        report.violation(&rules::IS_VALID_RAND_POST_PROCESS, post_process, expected);
    }
    let generator = LAYOUT.field("rand_generator");
    member(&rules::IS_VALID_ENUM_RAND_GENERATOR, generator, RandSrc::TABLE, report);
    let written = dtype(&rules::IS_VALID_DTYPE, LAYOUT.field("dtype"), true, report);
    let channels = channel_range(LAYOUT.field("num_active_channels"), report);
    let dst = tensor(LAYOUT, DST, word, written, true, DST_4D);
    start_addr_active_channels(&dst, channels, report);
    tensor_valid(&dst, report);
}

fn d4_rand_reserved(word: &Word, report: &mut Report) {
    const RESERVED: [&Field; 2] = [D4_RAND.field("reserved0"), D4_RAND.field("reserved1")];
    reserved_zero(&rules::D4_RAND_RESERVED_ZERO, &RESERVED, word, report);
}

/// Asks source and algorithm of a state, and returns them where an engine of
/// the generation pairs them.
fn pairing(layout: &'static Layout, report: &mut Report) -> Option<(RandSrc, RandAlgorithm)> {
    let [source, algorithm] = ["rand_generator", "algorithm"].map(|name| layout.field(name));
    let known = [
        member(&rules::IS_VALID_ENUM_RAND_GENERATOR, source, RandSrc::TABLE, report),
        member(&rules::IS_VALID_ENUM_ALGORITHM, algorithm, RandAlgorithm::TABLE, report),
    ];
    if known.contains(&false) {
        return None;
    }
    let pair = (
        RandSrc::from_code(source.u8(&report.word))?,
        RandAlgorithm::from_code(algorithm.u8(&report.word))?,
    );
    if rand_states(pair.0, pair.1, report.generation).next().is_none() {
        let expected = Expected::StatePairing(report.generation);
        report.violation(&rules::RAND_STATE_PAIRING, source, expected);
        return None;
    }
    Some(pair)
}

/// Asks that a pattern has as many elements as a state has words.
fn state_words(
    pair: Option<(RandSrc, RandAlgorithm)>,
    pattern: &super::operand::Operand,
    report: &mut Report,
) {
    let Some((source, algorithm)) = pair else { return };
    let (found, generation) = (pattern.tensor.num_elements(), report.generation);
    let fits = |words| u64::from(words) == found;
    let by_register = pattern.tensor.start_addr.is_shape_register();
    if found != 0
        && !by_register
        && !rand_states(source, algorithm, generation).any(|state| fits(state.words))
    {
        let expected = Expected::StateWords { source, algorithm, found, generation };
        report.violation(&rules::RAND_STATE_WORDS, pattern.counts, expected);
    }
}

/// Asks every rule of RAND_GET_STATE.
pub(super) fn get_state(word: &Word, _: Generation, report: &mut Report) {
    const LAYOUT: &Layout = &D4_RAND;
    d4_rand_reserved(word, report);
    for name in ["num_steps", "post_process", "params_0", "params_1", "params_2", "params_3"] {
        zero(&rules::RAND_GET_STATE_ZERO, LAYOUT.field(name), report);
    }
    let pair = pairing(LAYOUT, report);
    let field = LAYOUT.field("dtype");
    exactly(&rules::RAND_STATE_DTYPE, field, Dtype::UINT32.code(), report);
    let channels = channel_range(LAYOUT.field("num_active_channels"), report);
    let dst = tensor(LAYOUT, DST, word, Some(Dtype::UINT32), true, DST_4D);
    state_words(pair, &dst, report);
    start_addr_active_channels(&dst, channels, report);
    tensor_valid(&dst, report);
}

/// Asks every rule of RAND_SET_STATE.
pub(super) fn set_state(word: &Word, _: Generation, report: &mut Report) {
    const LAYOUT: &Layout = &S1_RAND;
    const IMM_STATE: [&Field; 8] = [
        LAYOUT.field("imm_state_0"),
        LAYOUT.field("imm_state_1"),
        LAYOUT.field("imm_state_2"),
        LAYOUT.field("imm_state_3"),
        LAYOUT.field("imm_state_4"),
        LAYOUT.field("imm_state_5"),
        LAYOUT.field("imm_state_6"),
        LAYOUT.field("imm_state_7"),
    ];
    reserved_zero(&rules::S1_RAND_RESERVED_ZERO, &[LAYOUT.field("reserved0")], word, report);
    let pair = pairing(LAYOUT, report);
    let field = LAYOUT.field("in_dtype");
    exactly(&rules::RAND_STATE_DTYPE, field, Dtype::UINT32.code(), report);
    let update = LAYOUT.field("update_state");
    member(&rules::IS_VALID_ENUM_UPDATE_STATE, update, RandStateUpdate::TABLE, report);
    let channels = channel_range(LAYOUT.field("num_active_channels"), report);
    match RandStateUpdate::from_code(update.u8(word)) {
        Some(RandStateUpdate::SrcTensor) => {
            for field in IMM_STATE {
                zero(&rules::RAND_SET_STATE_IMM_ZERO, field, report);
            }
            let mut src = tensor(LAYOUT, SRC, word, Some(Dtype::UINT32), false, SRC_1D);
            src.psum = false;
            state_words(pair, &src, report);
            start_addr_active_channels(&src, channels, report);
            tensor_valid(&src, report);
        }
        Some(RandStateUpdate::ImmSingle | RandStateUpdate::ImmLane) => {
            let algorithm = LAYOUT.field("algorithm");
            let philox = RandAlgorithm::Philox.code();
            exactly(&rules::RAND_SET_STATE_IMM_PHILOX, algorithm, philox, report);
            zero(&rules::RAND_SET_STATE_IMM_LAST, IMM_STATE[7], report);
        }
        None => {}
    }
}

/// Asks every rule of RAND2.
pub(super) fn rand2(word: &Word, _: Generation, report: &mut Report) {
    const LAYOUT: &Layout = &D3_RAND;
    const RESERVED: [&Field; 4] = [
        LAYOUT.field("reserved0"),
        LAYOUT.field("reserved1"),
        LAYOUT.field("reserved2"),
        LAYOUT.field("reserved3"),
    ];
    reserved_zero(&rules::D3_RAND_RESERVED_ZERO, &RESERVED, word, report);
    let [algorithm, post_process] = ["algorithm", "post_process"].map(|name| LAYOUT.field(name));
    let xorwow = RandAlgorithm::Xorwow.code();
    exactly(&rules::RESTRICT_RAND2_ALGORITHM, algorithm, xorwow, report);
    let uniform = RandPostProc::UniformInRange.code();
    exactly(&rules::RESTRICT_RAND2_POST_PROCESS, post_process, uniform, report);
    let field = LAYOUT.field("dtype");
    let float = Dtype::from_code(field.u8(word))
        .filter(|dtype| dtype.legal_for_threshold() || *dtype == Dtype::FP32R);
    if float.is_none() {
        report.violation(&rules::IS_VALID_FP_DTYPE, field, Expected::FloatOrFp32r);
    }
    let channels = channel_range(LAYOUT.field("num_active_channels"), report);
    for (src_rule, src, rule, field) in [
        (&rules::IS_VALID_ENUM_MIN_SRC, "min_src", &rules::MIN_PTR, "min"),
        (&rules::IS_VALID_ENUM_MAX_SRC, "max_src", &rules::MAX_PTR, "max"),
    ] {
        let (src, field) = (LAYOUT.field(src), LAYOUT.field(field));
        operand((src_rule, src), (rule, field), Some(Dtype::FP32), channels, report);
    }
    let dst = tensor(LAYOUT, DST, word, float, true, DST_RULES);
    start_addr_active_channels(&dst, channels, report);
    tensor_valid(&dst, report);
}

/// Asks every rule of PSEUDO_SET_RNG_SEED.
pub(super) fn set_rng_seed(word: &Word, _: Generation, report: &mut Report) {
    const LAYOUT: &Layout = &PSEUDO_SET_RNG_SEED;
    const RESERVED: [&Field; 2] = [LAYOUT.field("reserved0"), LAYOUT.field("reserved1")];
    reserved_zero(&rules::SET_RNG_SEED_RESERVED_ZERO, &RESERVED, word, report);
    let src = LAYOUT.field("seed_src");
    if member(&rules::IS_VALID_ENUM_SEED_SRC, src, ImmSrc::TABLE, report)
        && let Some(from) = ImmSrc::from_code(src.u8(word))
    {
        // One element, in whatever partition.
        let seed = LAYOUT.field("seed");
        immediate(&rules::SEED_PTR, seed, from, Some(Dtype::UINT32), None, report);
    }
}
