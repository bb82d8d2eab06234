//! Worker B: the loop over the elements.

use super::handler::elements_text;
use super::line::{At, Line, Stage};
use crate::evidence::claims::encoding::{DROPPED_IS_ZERO, NO_SURVIVOR_SCALE, THRESHOLD_PER_LANE};
use crate::evidence::claims::firmware::{INLINE_RANDOMNESS, VECTOR_OPERATIONS, WORKER_SCHEDULE};
use crate::isa::operand::Fp32Text;
use crate::isa::{Dropout, Generation, Threshold, ThresholdType};
use crate::rng::{Compare, Field, Profile, Uniform};

/// Returns the steps of the loop, in the order that the names of its
/// operations suggest.
pub(super) fn loop_of(dropout: &Dropout, generation: Generation, profile: &Profile) -> Vec<Line> {
    let line = |what: &str, claim| Line::of(Stage::Vector, None::<At>, what, claim);
    let channels = dropout.num_active_channels;
    let path = if dropout.in_dtype.is_integer() { "integer" } else { "float" };
    vec![
        Line::of(
            Stage::Vector,
            At::Iram(0xf110),
            "worker B, bundles of vector operations",
            &WORKER_SCHEDULE,
        )
        .value(format!("{}, {channels} channels", elements_text(dropout))),
        line("a word of each channel's lane for each element", &INLINE_RANDOMNESS),
        line("the step of the lane's register", &WORKER_SCHEDULE)
            .value(format!("{}, profile {}", profile.recurrence.kind(), profile.name))
            .resting_on(profile.ground(Field::Recurrence)),
        line("convert (ivp_ufloatn_2x32 is of the kind)", &VECTOR_OPERATIONS),
        line("the word becomes a number in [0, 1]", &VECTOR_OPERATIONS)
            .value(formula(profile.uniform))
            .resting_on(profile.ground(Field::Uniform)),
        line("the threshold", &THRESHOLD_PER_LANE).value(threshold(dropout, generation)),
        line("compare (ivp_oltn_2xf32t is of the kind)", &VECTOR_OPERATIONS),
        line("the rule", &VECTOR_OPERATIONS)
            .value(rule(profile.compare, dropout.threshold_type))
            .resting_on(profile.ground(Field::Compare)),
        line("load the elements of src", &WORKER_SCHEDULE)
            .value(dropout.src_mem_pattern.start_addr.describe(generation)),
        line("select (ivp_dsel and ivp_sel under a predicate are of the kind)", &VECTOR_OPERATIONS)
            .value(format!("{path} path")),
        line("a kept element keeps its bits, without a multiply", &NO_SURVIVOR_SCALE),
        line("a dropped element becomes zero bits", &DROPPED_IS_ZERO),
        line("store the elements of dst", &WORKER_SCHEDULE)
            .value(dropout.dst_mem_pattern.start_addr.describe(generation)),
    ]
}

/// Returns where the threshold comes from, and its value where that is known.
fn threshold(dropout: &Dropout, generation: Generation) -> String {
    let kind = dropout.threshold_type;
    match dropout.operand() {
        Threshold::Immediate { bits } => format!("{kind} {}", Fp32Text(bits)),
        Threshold::Pointer { address } => {
            let place = crate::isa::Addr4(address).describe(generation);
            format!("{kind}, one value a partition from {place} on")
        }
        Threshold::Register { number, .. } => {
            format!("{kind}, one value a partition from the address in register {number} on")
        }
    }
}

/// Returns the conversion as a formula.
const fn formula(uniform: Uniform) -> &'static str {
    match uniform {
        Uniform::Top23 => "top23: ((u >> 9) | 0x3f800000) - 1",
        Uniform::Low23 => "low23: ((u & 0x7fffff) | 0x3f800000) - 1",
        Uniform::Trunc24 => "trunc24: (u >> 8) * 2^-24",
        Uniform::Nearest => "nearest: f32(u) * 2^-32, to nearest",
        Uniform::Truncate => "truncate: f32(u) * 2^-32, toward zero",
        Uniform::SignedHalf => "signed-half: f32(i32(u)) * 2^-32 + 0.5",
    }
}

/// Returns what the comparison decides, for this polarity.
const fn rule(compare: Compare, kind: ThresholdType) -> &'static str {
    match (compare, kind) {
        (Compare::LessThan | Compare::EnumComment, ThresholdType::DropRate) => {
            "dropped where r < t"
        }
        (Compare::LessThan | Compare::HeaderAlgorithm, ThresholdType::KeepRate) => {
            "kept where r < t"
        }
        (Compare::HeaderAlgorithm, ThresholdType::DropRate) => "kept where r > t",
        (Compare::EnumComment, ThresholdType::KeepRate) => "dropped where r > t",
    }
}
