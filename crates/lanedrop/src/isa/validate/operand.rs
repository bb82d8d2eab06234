//! What records ask of their patterns, scalar operands and channels.

use super::finding::{Expected, Report};
use super::rules::{self, Rule};
use crate::evidence::claims::{encoding, memory};
use crate::isa::layout::COMMON;
use crate::isa::{
    Addr4, Dtype, Field, Generation, ImmSrc, Place, Space, Tensor4d, Threshold, Word,
};

const DEBUG_CMD: &Field = COMMON.field("header.debug_cmd");
const DEBUG_HINT: &Field = COMMON.field("header.debug_hint");

/// A pattern of a record, with what its rules need.
pub(super) struct Operand {
    /// Patterns of fewer dimensions have one element along the others.
    pub(super) tensor: Tensor4d,
    pub(super) address: &'static Field,
    pub(super) counts: &'static Field,
    /// The element type, where it is legal.
    pub(super) dtype: Option<Dtype>,
    pub(super) writes: bool,
    /// Whether it may lie in PSUM.
    pub(super) psum: bool,
    pub(super) valid: &'static Rule,
    pub(super) channels: &'static Rule,
}

/// Returns the pattern in `word` whose rows are these.
pub(super) fn pattern(word: &Word, address: &Field, steps: &Field, counts: &Field) -> Tensor4d {
    let mut tensor =
        Tensor4d { start_addr: Addr4(address.u32(word)), step_elem: [1; 4], num_elem: [1; 4] };
    let halves = |field: &Field| field.bytes(word).as_chunks::<2>().0.iter().copied();
    for (step, half) in tensor.step_elem.iter_mut().zip(halves(steps)) {
        *step = i16::from_le_bytes(half);
    }
    for (num, half) in tensor.num_elem.iter_mut().zip(halves(counts)) {
        *num = u16::from_le_bytes(half);
    }
    tensor
}

/// Asks that each reserved block is zero; one violation a block.
pub(super) fn reserved_zero(
    rule: &'static Rule,
    blocks: &[&'static Field],
    word: &Word,
    report: &mut Report,
) {
    for block in blocks {
        if let Some(first) = block.bytes(word).iter().position(|&byte| byte != 0) {
            let byte = block.offset_bytes + first;
            report.violation_at(rule, block, byte, 1, Expected::Zero);
        }
    }
}

/// Asks that both patterns have as many elements; not when a count is 0 or a
/// shape comes from a register.
pub(super) fn count_check(rule: &'static Rule, src: &Operand, dst: &Operand, report: &mut Report) {
    let by_register = |operand: &Operand| operand.tensor.start_addr.is_shape_register();
    if by_register(src) || by_register(dst) {
        return;
    }
    let (read, written) = (src.tensor.num_elements(), dst.tensor.num_elements());
    if read != written && read != 0 && written != 0 {
        let expected = |here, other| Expected::Elements { here, other };
        report.violation(rule, src.counts, expected(read, written));
        report.violation(rule, dst.counts, expected(written, read));
    }
}

/// Asks where a scalar operand that is not in the record comes from. `dtype` is
/// its type, where it is legal.
pub(super) fn immediate(
    rule: &'static Rule,
    field: &'static Field,
    src: ImmSrc,
    dtype: Option<Dtype>,
    channels: Option<u8>,
    report: &mut Report,
) {
    let generation = report.generation;
    match Threshold::of(src, field.u32(&report.word)) {
        Threshold::Immediate { .. } => {}
        Threshold::Register { number, rest } => {
            if number >= Addr4::REGISTERS || rest != [0; 3] {
                // Scalar operands have no v2 form of their own.
                report.violation(rule, field, Expected::RegisterForm(Generation::V3));
            }
        }
        Threshold::Pointer { address } => {
            let size = dtype.and_then(Dtype::size_bytes);
            let fault = match Place::of(address, generation) {
                None => Some(Expected::Placed(generation)),
                Some(place) => misaligned(address, size).or_else(|| too_many(&place, channels)),
            };
            if let Some(expected) = fault {
                report.violation(rule, field, expected);
            } else if let Some(place) = Place::of(address, generation) {
                let first = i64::from(place.offset_bytes);
                let end = first + i64::from(size.unwrap_or(1));
                if let Some(expected) = beyond_active(&place, first, end, generation) {
                    report.remark(rule, field, expected, &memory::ACTIVE_BOUND);
                }
            }
        }
    }
}

/// Asks the number of channels and returns it where it is legal; v5 has another
/// name for the rule and a gate of which only the name is known.
pub(super) fn channel_range(field: &'static Field, report: &mut Report) -> Option<u8> {
    let (word, generation) = (report.word, report.generation);
    let rule = match generation {
        Generation::V5 => &rules::ACTIVE_CHANNEL_RANGE_WITH_TILE,
        _ => &rules::ACTIVE_CHANNEL_RANGE,
    };
    let channels = legal_channels(field, &word);
    if channels.is_none() {
        report.violation(rule, field, Expected::ChannelRange);
    }
    if generation == Generation::V5 {
        for field in [DEBUG_CMD, DEBUG_HINT] {
            if field.u8(&word) != 0 {
                report.remark(rule, field, Expected::NoInstFlags, &encoding::INST_FLAGS_V5);
            }
        }
    }
    channels
}

/// Returns the number of channels where it is legal.
pub(super) fn legal_channels(field: &Field, word: &Word) -> Option<u8> {
    Some(field.u8(word)).filter(|n| (1..=128).contains(n))
}

/// Asks that the start partition leaves room for the channels.
pub(super) fn start_addr_active_channels(
    operand: &Operand,
    channels: Option<u8>,
    report: &mut Report,
) {
    let address = operand.tensor.start_addr;
    if address.is_indirect() {
        return;
    }
    if let Some(place) = address.place(report.generation)
        && let Some(expected) = too_many(&place, channels)
    {
        report.violation(operand.channels, operand.address, expected);
    }
}

/// Asks counts, and then address: one violation an operand.
pub(super) fn tensor_valid(operand: &Operand, report: &mut Report) {
    let generation = report.generation;
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
        match place.space {
            Space::Psum if !operand.psum => Some(Expected::InSbuf),
            Space::Psum if operand.writes && narrow => Some(Expected::FourBytesInPsum),
            _ => None,
        }
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
