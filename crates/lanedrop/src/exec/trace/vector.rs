//! Worker B: the loop over the elements.

use super::handler::elements_text;
use super::line::{At, Line, Stage};
use super::recorder::Values;
use crate::evidence::claims::encoding::{DROPPED_IS_ZERO, NO_SURVIVOR_SCALE, THRESHOLD_PER_LANE};
use crate::evidence::claims::firmware::{INLINE_RANDOMNESS, VECTOR_OPERATIONS, WORKER_SCHEDULE};
use crate::exec::program::DropoutElement;
use crate::isa::operand::Fp32Text;
use crate::isa::{Addr4, Dropout, Generation, Place, Threshold, ThresholdType};
use crate::rng::{Compare, Field, Profile, Uniform};

/// Returns the steps of the loop, in the order that the names of its
/// operations suggest, with what they work on where the program runs.
pub(super) fn loop_of(
    dropout: &Dropout,
    generation: Generation,
    profile: &Profile,
    values: Option<&Values>,
) -> Vec<Line> {
    let line = |what: &str, claim| Line::of(Stage::Vector, None::<At>, what, claim);
    // Both sides stand with the step; they are not said again for every lane.
    let lanes = |what: &str, field, show: fn(&DropoutElement) -> String| {
        lane_lines(values, what, show)
            .into_iter()
            .map(move |line| Line { sides: Vec::new(), ..line.resting_on(profile.ground(field)) })
    };
    let place = |address: Addr4, resolved: fn(&Values) -> Place| {
        values.map_or_else(|| address.describe(generation), |values| resolved(values).to_string())
    };
    let counted = |line: Line, count: fn(&Values) -> u64| match values {
        Some(values) => line.value(format!("{} elements", count(values))),
        None => line,
    };
    let channels = dropout.num_active_channels;
    let path = if dropout.in_dtype.is_integer() { "integer" } else { "float" };
    let mut lines = vec![
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
    ];
    lines.extend(lanes("draws", Field::Recurrence, |element| format!("{:#010x}", element.draw)));
    lines.push(line("convert (ivp_ufloatn_2x32 is of the kind)", &VECTOR_OPERATIONS));
    lines.push(
        line("the word becomes a number in [0, 1]", &VECTOR_OPERATIONS)
            .value(formula(profile.uniform))
            .resting_on(profile.ground(Field::Uniform)),
    );
    lines.extend(lanes("uniforms", Field::Uniform, |element| element.uniform.to_string()));
    let threshold = threshold(dropout, generation);
    lines.push(line("the threshold", &THRESHOLD_PER_LANE).value(threshold));
    if let Some(values) = values {
        lines.push(line("its values", &THRESHOLD_PER_LANE).value(thresholds(values)));
    }
    lines.push(line("compare (ivp_oltn_2xf32t is of the kind)", &VECTOR_OPERATIONS));
    lines.push(
        line("the rule", &VECTOR_OPERATIONS)
            .value(rule(profile.compare, dropout.threshold_type))
            .resting_on(profile.ground(Field::Compare)),
    );
    let decision = |element: &DropoutElement| {
        if element.kept { "kept".to_owned() } else { "dropped".to_owned() }
    };
    lines.extend(lanes("elements", Field::Compare, decision));
    lines.extend([
        line("load the elements of src", &WORKER_SCHEDULE)
            .value(place(dropout.src_mem_pattern.start_addr, |values| values.src)),
        line("select (ivp_dsel and ivp_sel under a predicate are of the kind)", &VECTOR_OPERATIONS)
            .value(format!("{path} path")),
        counted(
            line("a kept element keeps its bits, without a multiply", &NO_SURVIVOR_SCALE),
            |values| values.kept,
        ),
        counted(line("a dropped element becomes zero bits", &DROPPED_IS_ZERO), |values| {
            values.dropped
        }),
        line("store the elements of dst", &WORKER_SCHEDULE)
            .value(place(dropout.dst_mem_pattern.start_addr, |values| values.dst)),
    ]);
    lines
}

/// Returns a line for each lane whose elements were told.
fn lane_lines(
    values: Option<&Values>,
    what: &str,
    show: fn(&DropoutElement) -> String,
) -> Vec<Line> {
    let elements = values.map_or(&[][..], |values| &values.elements);
    elements
        .chunk_by(|one, next| one.channel == next.channel)
        .map(|lane| {
            let shown: Vec<String> = lane.iter().map(show).collect();
            let what = format!("lane {} {what}", lane[0].lane);
            Line::of(Stage::Vector, None, what, &VECTOR_OPERATIONS).value(shown.join(" "))
        })
        .collect()
}

/// Returns the thresholds: the first channels', and how many there are.
fn thresholds(values: &Values) -> String {
    /// Channels whose thresholds are shown.
    const SHOWN: usize = 8;
    match &values.thresholds[..] {
        [one, others @ ..] if others.iter().all(|other| other.to_bits() == one.to_bits()) => {
            format!("{one} on every channel")
        }
        all => {
            let shown: Vec<String> = all.iter().take(SHOWN).map(f32::to_string).collect();
            let rest = if all.len() > SHOWN { ", …" } else { "" };
            format!("{}{rest} ({} channels)", shown.join(", "), all.len())
        }
    }
}

/// Returns where the threshold comes from, and its value where that is known.
fn threshold(dropout: &Dropout, generation: Generation) -> String {
    let kind = dropout.threshold_type;
    match dropout.operand() {
        Threshold::Immediate { bits } => format!("{kind} {}", Fp32Text(bits)),
        Threshold::Pointer { address } => {
            let place = Addr4(address).describe(generation);
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
