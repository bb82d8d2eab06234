//! Whether a record is legal on a generation: every rule, every violation.
//!
//! A legal record costs no allocation. What is legal but rests on an inferred
//! claim, or leaves the memory that exists, is a remark beside the violations
//! and never makes a record illegal. Records whose opcode has no rules here
//! are asked the rules of header and events, and [`Report::checked`] says so.

mod dropout;
mod finding;
mod neighbours;
mod operand;
mod rand;
pub mod rules;

pub use finding::{Expected, Found, Remark, Report, Scope, Violation};
pub use rules::Rule;

use super::events::{self, UpdateMode, WaitMode};
use super::layout::COMMON;
use super::{Field, Generation, Word, opcode};
use crate::evidence::claims::encoding;

const OPCODE: &Field = COMMON.field("header.opcode");
const INST_WORD_LEN: &Field = COMMON.field("header.inst_word_len");

/// Returns every rule `word` breaks on `generation`, and remarks.
///
/// ```
/// use lanedrop::isa::{Generation, Word, validate};
/// let report = validate(&Word::ZERO, Generation::V3);
/// assert_eq!(report.violations[0].rule.name, "has_valid_opcode");
/// ```
#[inline]
pub fn validate(word: &Word, generation: Generation) -> Report {
    let mut report = Report::new(*word, generation);
    header(word, generation, &mut report);
    neuron_events(word, &mut report);
    let check: fn(&Word, Generation, &mut Report) = match word.opcode() {
        opcode::DROPOUT => dropout::check,
        opcode::TENSOR_SCALAR => neighbours::tensor_scalar,
        opcode::COPY_PREDICATED_SCALAR => neighbours::copy_predicated_scalar,
        opcode::TENSOR_SCALAR_SELECT => neighbours::tensor_scalar_select,
        opcode::ACTIVATE => neighbours::activate,
        opcode::MEMSET | opcode::RNG => rand::memset_or_rng,
        opcode::RAND => rand::rand,
        opcode::RAND_GET_STATE => rand::get_state,
        opcode::RAND_SET_STATE => rand::set_state,
        opcode::RAND2 => rand::rand2,
        opcode::SET_RNG_SEED => rand::set_rng_seed,
        _ => return report,
    };
    report.checked = Scope::Record;
    check(word, generation, &mut report);
    report
}

/// Asks the rules of bytes 0 and 1.
#[inline]
fn header(word: &Word, generation: Generation, report: &mut Report) {
    let exists =
        opcode::find(word.opcode()).is_some_and(|code| code.generations.contains(generation));
    if !exists {
        report.violation(&rules::HAS_VALID_OPCODE, OPCODE, Expected::OpcodeOf(generation));
    }
    match INST_WORD_LEN.u8(word) {
        16 => {}
        17 if word.opcode() == opcode::QUANTIZE_MX && exists => report.remark(
            &rules::HAS_VALID_INST_LEN,
            INST_WORD_LEN,
            Expected::SaturateFlag,
            &encoding::QUANTIZE_MX_SATURATE,
        ),
        _ => report.violation(&rules::HAS_VALID_INST_LEN, INST_WORD_LEN, Expected::Byte(16)),
    }
}

/// Asks the rule of bytes 4..12, once for each of its two enumerations.
#[inline]
fn neuron_events(word: &Word, report: &mut Report) {
    let rule = &rules::HAS_VALID_NEURON_EVENTS;
    match WaitMode::from_code(events::WAIT_MODE.u8(word)) {
        None => report.violation(rule, events::WAIT_MODE, Expected::MemberOf(WaitMode::TABLE)),
        Some(mode) if mode.operand() == Some(events::Operand::Register) => report.remark(
            rule,
            events::WAIT_MODE,
            Expected::KnownForm,
            WaitMode::TABLE.find(mode.code()).map_or(&encoding::WAIT_REG_FORMS, |code| code.claim),
        ),
        Some(_) => {}
    }
    match UpdateMode::from_code(events::UPDATE_MODE.u8(word)) {
        None => report.violation(rule, events::UPDATE_MODE, Expected::MemberOf(UpdateMode::TABLE)),
        Some(mode) if mode.is_register_form() => report.remark(
            rule,
            events::UPDATE_MODE,
            Expected::KnownForm,
            &encoding::UPDATE_REG_FORMS,
        ),
        Some(_) => {}
    }
}

#[cfg(test)]
mod tests;
