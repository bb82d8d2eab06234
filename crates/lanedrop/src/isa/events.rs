//! The header and the events every record starts with.

use super::codes::codes;
use super::layout::COMMON;
use super::{Field, Word};
use crate::evidence::claims::encoding;

codes! {
    /// What a record tells the debugger (`DEBUG_CMD_LEVELS`).
    pub enum DebugCmd: "DEBUG_CMD_LEVELS", encoding::DEBUG_BYTES {
        None = 0 "NONE", ALL, "";
        Notify = 1 "NOTIFY", ALL, "";
        Start = 3 "START", ALL, "";
        End = 5 "END", ALL, "";
        StartEnd = 7 "START_END", ALL, "";
        InsField = 9 "INS_FIELD", ALL, "";
    }
}

codes! {
    /// What a record waits for before it executes.
    pub enum WaitMode: "WAIT_MODE", encoding::WAIT_MODES {
        None = 0 "NONE", ALL, "";
        SemEqImm = 1 "SEM_EQ_IMM", ALL, "semaphore == value";
        SemLtImm = 2 "SEM_LT_IMM", ALL, "semaphore < value";
        SemLeImm = 3 "SEM_LE_IMM", ALL, "semaphore <= value";
        SemGtImm = 4 "SEM_GT_IMM", ALL, "semaphore > value", encoding::WAIT_GT_IS_4;
        SemGeImm = 5 "SEM_GE_IMM", ALL, "semaphore >= value";
        EventSet = 6 "EVENT_SET", ALL, "event is set";
        EventSetThenClear = 7 "EVENT_SET_THEN_CLEAR", ALL, "event is set; then clears it";
        EventClear = 14 "EVENT_CLEAR", ALL, "event is clear";
        EventClearThenSet = 15 "EVENT_CLEAR_THEN_SET", ALL, "event is clear; then sets it";
        SemEqReg = 0x81 "SEM_EQ_REG", ALL, "semaphore == register", encoding::WAIT_REG_FORMS;
        SemLtReg = 0x82 "SEM_LT_REG", ALL, "semaphore < register", encoding::WAIT_REG_FORMS;
        SemLeReg = 0x83 "SEM_LE_REG", ALL, "semaphore <= register", encoding::WAIT_REG_FORMS;
        SemGtReg = 0x84 "SEM_GT_REG", ALL, "semaphore > register", encoding::WAIT_REG_FORMS;
        SemGeReg = 0x85 "SEM_GE_REG", ALL, "semaphore >= register", encoding::WAIT_REG_GE;
    }
}

codes! {
    /// What a record does to an event or a semaphore, and when: once its
    /// operands are read, or when it is complete.
    pub enum UpdateMode: "UPDATE_MODE", encoding::UPDATE_MODES {
        None = 0 "NONE", ALL, "";
        EventSetRead = 1 "EVENT_SET_READ", ALL, "sets the event, at read";
        EventClearRead = 2 "EVENT_CLEAR_READ", ALL, "clears the event, at read";
        SemIncRead = 3 "SEM_INC_READ", ALL, "semaphore += 1, at read";
        SemDecRead = 4 "SEM_DEC_READ", ALL, "semaphore -= 1, at read";
        SemAddImmRead = 5 "SEM_ADD_IMM_READ", ALL, "semaphore += value, at read";
        SemAddRegRead = 6 "SEM_ADD_REG_READ", ALL, "semaphore += register, at read", encoding::UPDATE_REG_FORMS;
        SemSubImmRead = 7 "SEM_SUB_IMM_READ", ALL, "semaphore -= value, at read";
        SemSubRegRead = 8 "SEM_SUB_REG_READ", ALL, "semaphore -= register, at read", encoding::UPDATE_REG_FORMS;
        SemSetImmRead = 9 "SEM_SET_IMM_READ", ALL, "semaphore = value, at read";
        SemSetRegRead = 10 "SEM_SET_REG_READ", ALL, "semaphore = register, at read", encoding::UPDATE_REG_FORMS;
        EventSetComplete = 17 "EVENT_SET_COMPLETE", ALL, "sets the event, at completion";
        EventClearComplete = 18 "EVENT_CLEAR_COMPLETE", ALL, "clears the event, at completion";
        SemIncComplete = 19 "SEM_INC_COMPLETE", ALL, "semaphore += 1, at completion";
        SemDecComplete = 20 "SEM_DEC_COMPLETE", ALL, "semaphore -= 1, at completion";
        SemAddImmComplete = 21 "SEM_ADD_IMM_COMPLETE", ALL, "semaphore += value, at completion";
        SemAddRegComplete = 22 "SEM_ADD_REG_COMPLETE", ALL, "semaphore += register, at completion", encoding::UPDATE_REG_FORMS;
        SemSubImmComplete = 23 "SEM_SUB_IMM_COMPLETE", ALL, "semaphore -= value, at completion";
        SemSubRegComplete = 24 "SEM_SUB_REG_COMPLETE", ALL, "semaphore -= register, at completion", encoding::UPDATE_REG_FORMS;
        SemSetImmComplete = 25 "SEM_SET_IMM_COMPLETE", ALL, "semaphore = value, at completion";
        SemSetRegComplete = 26 "SEM_SET_REG_COMPLETE", ALL, "semaphore = register, at completion", encoding::UPDATE_REG_FORMS;
    }
}

/// What an update does, without when and to which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Sets the event.
    Set,
    /// Clears the event.
    Clear,
    /// Adds 1 to the semaphore.
    Increment,
    /// Takes 1 from the semaphore.
    Decrement,
    /// Adds the operand to the semaphore.
    Add(Operand),
    /// Takes the operand from the semaphore.
    Subtract(Operand),
    /// Writes the operand to the semaphore.
    Assign(Operand),
}

/// What `semaphore_value` holds for a wait or an update that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The value itself.
    Value,
    /// The number of the register that holds it.
    Register,
}

/// When an update acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// Once the operands are read.
    Read,
    /// When the record is complete.
    Complete,
}

impl UpdateMode {
    /// Returns what the update does and when; `None` for [`UpdateMode::None`].
    pub const fn action(self) -> Option<(Action, When)> {
        let code = self.code();
        let when = if code >= 16 { When::Complete } else { When::Read };
        let action = match code & 15 {
            1 => Action::Set,
            2 => Action::Clear,
            3 => Action::Increment,
            4 => Action::Decrement,
            5 => Action::Add(Operand::Value),
            6 => Action::Add(Operand::Register),
            7 => Action::Subtract(Operand::Value),
            8 => Action::Subtract(Operand::Register),
            9 => Action::Assign(Operand::Value),
            10 => Action::Assign(Operand::Register),
            _ => return None,
        };
        Some((action, when))
    }

    /// Returns the mode that does `action` at `when`.
    pub fn from_action(action: Action, when: When) -> Option<Self> {
        Self::ALL.iter().copied().find(|mode| mode.action() == Some((action, when)))
    }

    /// Returns whether the mode is a register form, whose number is inferred.
    #[inline]
    pub const fn is_register_form(self) -> bool {
        matches!(
            self.action(),
            Some((
                Action::Add(Operand::Register)
                    | Action::Subtract(Operand::Register)
                    | Action::Assign(Operand::Register),
                _
            ))
        )
    }
}

impl WaitMode {
    /// Returns whether the mode compares a semaphore, with what `semaphore_value` holds.
    #[inline]
    pub const fn operand(self) -> Option<Operand> {
        match self.code() {
            1..=5 => Some(Operand::Value),
            0x81..=0x85 => Some(Operand::Register),
            _ => None,
        }
    }
}

/// Bytes 0..4 but the opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// Length of the record in words of 4 bytes, 16.
    pub inst_word_len: u8,
    /// A [`DebugCmd`] where it is a member of it; on v5 it may be `inst_flags`.
    pub debug_cmd: u8,
    /// A free byte for traces; on v5 it may be `inst_flags`.
    pub debug_hint: u8,
}

impl Default for Header {
    /// Returns what a compiler writes.
    fn default() -> Self {
        Self { inst_word_len: 16, debug_cmd: 0, debug_hint: 0 }
    }
}

const INST_WORD_LEN: &Field = COMMON.field("header.inst_word_len");
const DEBUG_CMD: &Field = COMMON.field("header.debug_cmd");
const DEBUG_HINT: &Field = COMMON.field("header.debug_hint");
pub(super) const WAIT_MODE: &Field = COMMON.field("events.wait_mode");
pub(super) const WAIT_IDX: &Field = COMMON.field("events.wait_idx");
pub(super) const UPDATE_MODE: &Field = COMMON.field("events.update_mode");
pub(super) const UPDATE_IDX: &Field = COMMON.field("events.update_idx");
pub(super) const SEMAPHORE_VALUE: &Field = COMMON.field("events.semaphore_value");

impl Header {
    /// Reads the header of `word`.
    #[inline]
    pub const fn of(word: &Word) -> Self {
        Self {
            inst_word_len: INST_WORD_LEN.u8(word),
            debug_cmd: DEBUG_CMD.u8(word),
            debug_hint: DEBUG_HINT.u8(word),
        }
    }

    /// Writes the header into `word`, without the opcode.
    pub fn write(&self, word: &mut Word) {
        INST_WORD_LEN.set(word, &[self.inst_word_len]);
        DEBUG_CMD.set(word, &[self.debug_cmd]);
        DEBUG_HINT.set(word, &[self.debug_hint]);
    }
}

/// Bytes 4..12: what a record waits for, and what it tells others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Events {
    /// The condition.
    pub wait_mode: WaitMode,
    /// Its semaphore or event.
    pub wait_idx: u8,
    /// The action.
    pub update_mode: UpdateMode,
    /// Its semaphore or event.
    pub update_idx: u8,
    /// The number that wait and update share; a register's for register forms.
    pub semaphore_value: u32,
}

impl Default for Events {
    /// Returns no wait and no update.
    fn default() -> Self {
        Self {
            wait_mode: WaitMode::None,
            wait_idx: 0,
            update_mode: UpdateMode::None,
            update_idx: 0,
            semaphore_value: 0,
        }
    }
}

impl Events {
    /// Reads the events of `word`, or returns the field whose code has no meaning.
    #[inline]
    pub fn of(word: &Word) -> Result<Self, &'static Field> {
        Ok(Self {
            wait_mode: WaitMode::from_code(WAIT_MODE.u8(word)).ok_or(WAIT_MODE)?,
            wait_idx: WAIT_IDX.u8(word),
            update_mode: UpdateMode::from_code(UPDATE_MODE.u8(word)).ok_or(UPDATE_MODE)?,
            update_idx: UPDATE_IDX.u8(word),
            semaphore_value: SEMAPHORE_VALUE.u32(word),
        })
    }

    /// Writes the events into `word`.
    pub fn write(&self, word: &mut Word) {
        WAIT_MODE.set(word, &[self.wait_mode.code()]);
        WAIT_IDX.set(word, &[self.wait_idx]);
        UPDATE_MODE.set(word, &[self.update_mode.code()]);
        UPDATE_IDX.set(word, &[self.update_idx]);
        SEMAPHORE_VALUE.set(word, &self.semaphore_value.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_register_forms_are_the_gaps_of_the_update_modes() {
        let codes: Vec<u8> =
            UpdateMode::ALL.iter().filter(|m| m.is_register_form()).map(|m| m.code()).collect();
        assert_eq!(codes, [6, 8, 10, 22, 24, 26]);
    }

    #[test]
    fn every_update_but_none_is_an_action_at_a_time() {
        for &mode in UpdateMode::ALL {
            match mode.action() {
                None => assert_eq!(mode, UpdateMode::None),
                Some((action, when)) => {
                    assert_eq!(UpdateMode::from_action(action, when), Some(mode))
                }
            }
        }
    }
}
