//! The rules of Dropout.

use super::finding::{Expected, Report};
use super::rules::{self, Rule};
use crate::evidence::claims::{dtypes, encoding, memory};
use crate::isa::dropout::{
    DST, IN_DTYPE, NUM_ACTIVE_CHANNELS, OUT_DTYPE, SRC, THRESHOLD, THRESHOLD_DTYPE, THRESHOLD_SRC,
    THRESHOLD_TYPE, pattern,
};
use crate::isa::layout::{COMMON, S3D3_DROPOUT};
use crate::isa::{
    Dtype, Field, Generation, ImmSrc, Place, Space, Tensor3d, Threshold, ThresholdType, Word,
};

const DEBUG_CMD: &Field = COMMON.field("header.debug_cmd");
const DEBUG_HINT: &Field = COMMON.field("header.debug_hint");
const RESERVED: [&Field; 2] = [S3D3_DROPOUT.field("reserved0"), S3D3_DROPOUT.field("reserved1")];
const SRC_NUM: &Field = S3D3_DROPOUT.field("src_mem_pattern.num_elem");
const DST_NUM: &Field = S3D3_DROPOUT.field("dst_mem_pattern.num_elem");

/// One of the two patterns, with what its rules need.
struct Operand {
    tensor: Tensor3d,
    address: &'static Field,
    counts: &'static Field,
    /// The element type, where it is legal.
    dtype: Option<Dtype>,
    writes: bool,
    valid: &'static Rule,
    channels: &'static Rule,
}

/// Asks every rule of Dropout but those of header and events.
pub(super) fn check(word: &Word, generation: Generation, report: &mut Report) {
    reserved_zero(word, report);
    let (in_dtype, out_dtype) = dtypes(word, generation, report);
    let src = Operand {
        tensor: pattern(word, SRC),
        address: SRC,
        counts: SRC_NUM,
        dtype: in_dtype,
        writes: false,
        valid: &rules::TENSOR3D_VALID_SRC,
        channels: &rules::START_ADDR_ACTIVE_CHANNELS_SRC,
    };
    let dst = Operand {
        tensor: pattern(word, DST),
        address: DST,
        counts: DST_NUM,
        dtype: out_dtype,
        writes: true,
        valid: &rules::TENSOR3D_VALID_DST,
        channels: &rules::START_ADDR_ACTIVE_CHANNELS_DST,
    };
    count_check(&src, &dst, report);

    let threshold_src = ImmSrc::from_code(THRESHOLD_SRC.u8(word));
    if threshold_src.is_none() {
        let expected = Expected::MemberOf(ImmSrc::TABLE);
        report.violation(&rules::IS_VALID_ENUM_THRESHOLD_SRC, THRESHOLD_SRC, expected);
    }
    if ThresholdType::from_code(THRESHOLD_TYPE.u8(word)).is_none() {
        let expected = Expected::MemberOf(ThresholdType::TABLE);
        report.violation(&rules::IS_VALID_ENUM_THRESHOLD_TYPE, THRESHOLD_TYPE, expected);
    }
    let channels = Some(NUM_ACTIVE_CHANNELS.u8(word)).filter(|n| (1..=128).contains(n));
    if let Some(threshold_src) = threshold_src {
        let dtype = threshold_dtype(word, threshold_src, in_dtype, report);
        threshold_imm_ptr(word, threshold_src, dtype, channels, generation, report);
    }
    channel_range(word, channels, generation, report);
    start_addr_active_channels(&src, channels, generation, report);
    start_addr_active_channels(&dst, channels, generation, report);
    tensor3d_valid(&src, generation, report);
    tensor3d_valid(&dst, generation, report);
}

/// Asks that each reserved block is zero; one violation a block.
fn reserved_zero(word: &Word, report: &mut Report) {
    for block in RESERVED {
        if let Some(first) = block.bytes(word).iter().position(|&byte| byte != 0) {
            let byte = block.offset_bytes + first;
            report.violation_at(&rules::RESERVED_ZERO, block, byte, 1, Expected::Zero);
        }
    }
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

/// Asks that both patterns have as many elements; not when a count is 0 or a
/// shape comes from a register.
fn count_check(src: &Operand, dst: &Operand, report: &mut Report) {
    let by_register = |operand: &Operand| operand.tensor.start_addr.is_shape_register();
    if by_register(src) || by_register(dst) {
        return;
    }
    let (read, written) = (src.tensor.num_elements(), dst.tensor.num_elements());
    if read != written && read != 0 && written != 0 {
        let rule = &rules::SRC_DST_COUNT_CHECK;
        let expected = |here, other| Expected::Elements { here, other };
        report.violation(rule, src.counts, expected(read, written));
        report.violation(rule, dst.counts, expected(written, read));
    }
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

/// Asks where a threshold that is not in the record comes from.
fn threshold_imm_ptr(
    word: &Word,
    threshold_src: ImmSrc,
    dtype: Option<Dtype>,
    channels: Option<u8>,
    generation: Generation,
    report: &mut Report,
) {
    let rule = &rules::THRESHOLD_IMM_PTR;
    match Threshold::of(threshold_src, THRESHOLD.u32(word)) {
        Threshold::Immediate { .. } => {}
        Threshold::Register { number, rest } => {
            if number >= crate::isa::Addr4::REGISTERS || rest != [0; 3] {
                // The threshold has no v2 form of its own.
                report.violation(rule, THRESHOLD, Expected::RegisterForm(Generation::V3));
            }
        }
        Threshold::Pointer { address } => {
            let size = dtype.and_then(Dtype::size_bytes);
            let fault = match Place::of(address, generation) {
                None => Some(Expected::Placed(generation)),
                Some(place) => misaligned(address, size).or_else(|| too_many(&place, channels)),
            };
            if let Some(expected) = fault {
                report.violation(rule, THRESHOLD, expected);
            } else if let Some(place) = Place::of(address, generation) {
                let first = i64::from(place.offset_bytes);
                let end = first + i64::from(size.unwrap_or(1));
                if let Some(expected) = beyond_active(&place, first, end, generation) {
                    report.remark(rule, THRESHOLD, expected, &memory::ACTIVE_BOUND);
                }
            }
        }
    }
}

/// Asks the number of channels; v5 has another name for it and a gate of which
/// only the name is known.
fn channel_range(word: &Word, channels: Option<u8>, generation: Generation, report: &mut Report) {
    let rule = match generation {
        Generation::V5 => &rules::ACTIVE_CHANNEL_RANGE_WITH_TILE,
        _ => &rules::ACTIVE_CHANNEL_RANGE,
    };
    if channels.is_none() {
        report.violation(rule, NUM_ACTIVE_CHANNELS, Expected::ChannelRange);
    }
    if generation == Generation::V5 {
        for field in [DEBUG_CMD, DEBUG_HINT] {
            if field.u8(word) != 0 {
                report.remark(rule, field, Expected::NoInstFlags, &encoding::INST_FLAGS_V5);
            }
        }
    }
}

/// Asks that the start partition leaves room for the channels.
fn start_addr_active_channels(
    operand: &Operand,
    channels: Option<u8>,
    generation: Generation,
    report: &mut Report,
) {
    let address = operand.tensor.start_addr;
    if address.is_indirect() {
        return;
    }
    if let Some(place) = address.place(generation)
        && let Some(expected) = too_many(&place, channels)
    {
        report.violation(operand.channels, operand.address, expected);
    }
}

/// Asks counts, and then address: one violation an operand.
fn tensor3d_valid(operand: &Operand, generation: Generation, report: &mut Report) {
    let address = operand.tensor.start_addr;
    let zero = operand.tensor.num_elem.iter().position(|&count| count == 0);
    if let Some(first) = zero
        && !address.is_shape_register()
    {
        let byte = operand.counts.offset_bytes + 2 * first;
        report.violation_at(operand.valid, operand.counts, byte, 2, Expected::CountFrom1);
        return;
    }
    if let Some(expected) = address_fault(operand, generation) {
        report.violation(operand.valid, operand.address, expected);
        return;
    }
    if address.is_shape_register() {
        let claim = &memory::SHAPE_REGISTER_ENCODING;
        report.remark(operand.valid, operand.address, Expected::ShapeInRecord, claim);
    } else if let Some(place) = address.place(generation) {
        let size = i64::from(operand.dtype.and_then(Dtype::size_bytes).unwrap_or(1));
        let (low, high) = operand.tensor.offset_range_elem();
        let first = i64::from(place.offset_bytes) + low * size;
        let end = i64::from(place.offset_bytes) + (high + 1) * size;
        if let Some(expected) = beyond_active(&place, first, end, generation) {
            report.remark(operand.valid, operand.address, expected, &memory::ACTIVE_BOUND);
        }
    }
}

/// Returns what is wrong with a start address, if anything is.
fn address_fault(operand: &Operand, generation: Generation) -> Option<Expected> {
    let address = operand.tensor.start_addr;
    if address.is_indirect() {
        return Some(Expected::NotIndirect);
    }
    if address.is_register() {
        let valid = address.is_valid_register(generation);
        return (!valid).then_some(Expected::RegisterForm(generation));
    }
    let Some(place) = address.place(generation) else {
        return Some(Expected::Placed(generation));
    };
    let size = operand.dtype.and_then(Dtype::size_bytes);
    misaligned(address.address(), size).or_else(|| {
        let narrow = size.is_some_and(|size| size != 4);
        (operand.writes && place.space == Space::Psum && narrow)
            .then_some(Expected::FourBytesInPsum)
    })
}

/// Returns the fault of an address that is no multiple of a known element size.
fn misaligned(address: u32, size: Option<u32>) -> Option<Expected> {
    let bytes = size.filter(|size| !address.is_multiple_of(*size))?;
    Some(Expected::Aligned { bytes })
}

/// Returns the fault of a place from which that many channels do not start;
/// none when their number is not legal to begin with.
fn too_many(place: &Place, channels: Option<u8>) -> Option<Expected> {
    let channels = channels?;
    let partition = place.partition;
    match place.max_active_channels() {
        0 => Some(Expected::StartPartition { partition }),
        at_most if channels > at_most => {
            Some(Expected::ChannelsFrom { partition, at_most, channels })
        }
        _ => None,
    }
}

/// Returns the remark for bytes `first..end` of a partition that leave what
/// exists of it.
fn beyond_active(place: &Place, first: i64, end: i64, generation: Generation) -> Option<Expected> {
    let active = place.space.region(generation).active_bytes;
    (first < 0 || end > i64::from(active)).then_some(Expected::WithinActive { first, end, active })
}
