//! Semaphores and events: what records wait for, and what they tell others.

use std::fmt;

use super::{RegisterError, Registers};
use crate::isa::events::{Action, Operand, When};
use crate::isa::{Events, UpdateMode, WaitMode};

/// The 256 semaphores and 256 events that engines share; zero and clear at
/// first. Semaphores count modulo 2^32.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sync {
    semaphores: Box<[u32; 256]>,
    events: Box<[bool; 256]>,
}

/// A condition that does not hold: what is waited for, and what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The condition.
    pub wait_mode: WaitMode,
    /// Its semaphore or event.
    pub wait_idx: u8,
    /// What a semaphore is compared with.
    pub value: u32,
    /// What the semaphore holds, or 1 for a set event and 0 for a clear one.
    pub found: u32,
}

impl Default for Sync {
    fn default() -> Self {
        Self { semaphores: Box::new([0; 256]), events: Box::new([false; 256]) }
    }
}

impl Sync {
    /// Returns what a semaphore holds.
    pub fn semaphore(&self, index: u8) -> u32 {
        self.semaphores[usize::from(index)]
    }

    /// Makes a semaphore hold `value`.
    pub fn set_semaphore(&mut self, index: u8, value: u32) {
        self.semaphores[usize::from(index)] = value;
    }

    /// Returns whether an event is set.
    pub fn event(&self, index: u8) -> bool {
        self.events[usize::from(index)]
    }

    /// Sets or clears an event.
    pub fn set_event(&mut self, index: u8, set: bool) {
        self.events[usize::from(index)] = set;
    }

    /// Returns what a record still waits for; `None` where it may go on.
    ///
    /// # Errors
    /// Where the value to compare with is in a register there is not.
    pub fn waiting(
        &self,
        events: &Events,
        registers: &Registers,
    ) -> Result<Option<Waiting>, RegisterError> {
        let Events { wait_mode, wait_idx, .. } = *events;
        let value = match wait_mode.operand() {
            Some(operand) => resolve(operand, events.semaphore_value, registers)?,
            None => 0,
        };
        let semaphore = self.semaphore(wait_idx);
        let (holds, found) = match wait_mode {
            WaitMode::None => return Ok(None),
            WaitMode::SemEqImm | WaitMode::SemEqReg => (semaphore == value, semaphore),
            WaitMode::SemLtImm | WaitMode::SemLtReg => (semaphore < value, semaphore),
            WaitMode::SemLeImm | WaitMode::SemLeReg => (semaphore <= value, semaphore),
            WaitMode::SemGtImm | WaitMode::SemGtReg => (semaphore > value, semaphore),
            WaitMode::SemGeImm | WaitMode::SemGeReg => (semaphore >= value, semaphore),
            WaitMode::EventSet | WaitMode::EventSetThenClear => {
                (self.event(wait_idx), self.event(wait_idx).into())
            }
            WaitMode::EventClear | WaitMode::EventClearThenSet => {
                (!self.event(wait_idx), self.event(wait_idx).into())
            }
        };
        Ok((!holds).then_some(Waiting { wait_mode, wait_idx, value, found }))
    }

    /// Asks whether the operand of a record's update can be read.
    ///
    /// # Errors
    /// Where it is in a register there is not.
    pub fn check(&self, events: &Events, registers: &Registers) -> Result<(), RegisterError> {
        match events.update_mode.action() {
            Some((
                Action::Add(operand) | Action::Subtract(operand) | Action::Assign(operand),
                _,
            )) => resolve(operand, events.semaphore_value, registers).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Does what a wait does once it is over: some clear or set their event.
    pub fn pass(&mut self, events: &Events) {
        match events.wait_mode {
            WaitMode::EventSetThenClear => self.set_event(events.wait_idx, false),
            WaitMode::EventClearThenSet => self.set_event(events.wait_idx, true),
            _ => {}
        }
    }

    /// Does a record's update, where it has one that acts at `when`.
    ///
    /// # Errors
    /// Where the operand is in a register there is not.
    pub fn update(
        &mut self,
        events: &Events,
        when: When,
        registers: &Registers,
    ) -> Result<(), RegisterError> {
        let action = match events.update_mode.action() {
            Some((action, at)) if at == when => action,
            _ => return Ok(()),
        };
        let index = events.update_idx;
        let value = |operand| resolve(operand, events.semaphore_value, registers);
        let now = self.semaphore(index);
        match action {
            Action::Set => self.set_event(index, true),
            Action::Clear => self.set_event(index, false),
            Action::Increment => self.set_semaphore(index, now.wrapping_add(1)),
            Action::Decrement => self.set_semaphore(index, now.wrapping_sub(1)),
            Action::Add(operand) => self.set_semaphore(index, now.wrapping_add(value(operand)?)),
            Action::Subtract(operand) => {
                self.set_semaphore(index, now.wrapping_sub(value(operand)?));
            }
            Action::Assign(operand) => self.set_semaphore(index, value(operand)?),
        }
        Ok(())
    }
}

/// Returns the number that `semaphore_value` stands for.
fn resolve(operand: Operand, value: u32, registers: &Registers) -> Result<u32, RegisterError> {
    match operand {
        Operand::Value => Ok(value),
        Operand::Register => registers.read(value),
    }
}

impl Waiting {
    /// Returns whether `update` touches what is waited for: the same semaphore,
    /// or the same event in the direction that helps.
    pub fn is_touched_by(&self, update: &Events) -> bool {
        let waits_for_event = self.wait_mode.operand().is_none();
        let wants_set = matches!(self.wait_mode, WaitMode::EventSet | WaitMode::EventSetThenClear);
        update.update_idx == self.wait_idx
            && match update.update_mode.action() {
                None => false,
                Some((Action::Set, _)) => waits_for_event && wants_set,
                Some((Action::Clear, _)) => waits_for_event && !wants_set,
                Some(_) => !waits_for_event && update.update_mode != UpdateMode::None,
            }
    }
}

impl fmt::Display for Waiting {
    /// Writes `semaphore 3 >= 2, which is 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wait_mode, wait_idx, value, found } = self;
        let relation = match wait_mode.code() & 0x7f {
            1 => "==",
            2 => "<",
            3 => "<=",
            4 => ">",
            5 => ">=",
            _ => {
                let (wanted, is) = if *found == 0 { ("set", "clear") } else { ("clear", "set") };
                return write!(f, "event {wait_idx} to be {wanted}, which is {is}");
            }
        };
        write!(f, "semaphore {wait_idx} {relation} {value}, which is {found}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(wait_mode: WaitMode, semaphore_value: u32) -> Events {
        Events { wait_mode, wait_idx: 9, semaphore_value, ..Events::default() }
    }

    #[test]
    fn every_wait_mode_holds_as_its_name_says() {
        use WaitMode::*;
        let mut registers = Registers::default();
        registers.write(4, 5).unwrap();
        for (mode, below, equal, above) in [
            (SemEqImm, false, true, false),
            (SemLtImm, true, false, false),
            (SemLeImm, true, true, false),
            (SemGtImm, false, false, true),
            (SemGeImm, false, true, true),
            (SemEqReg, false, true, false),
            (SemLtReg, true, false, false),
            (SemLeReg, true, true, false),
            (SemGtReg, false, false, true),
            (SemGeReg, false, true, true),
        ] {
            for (semaphore, holds) in [(4, below), (5, equal), (6, above)] {
                let mut sync = Sync::default();
                sync.set_semaphore(9, semaphore);
                let value = if mode.operand() == Some(Operand::Register) { 4 } else { 5 };
                let waiting = sync.waiting(&wait(mode, value), &registers).unwrap();
                assert_eq!(waiting.is_none(), holds, "{mode} {semaphore}");
            }
        }
        for (mode, set, clear, after) in [
            (EventSet, true, false, true),
            (EventSetThenClear, true, false, false),
            (EventClear, false, true, false),
            (EventClearThenSet, false, true, true),
        ] {
            let mut sync = Sync::default();
            let waiting = |sync: &Sync| sync.waiting(&wait(mode, 0), &registers).unwrap();
            assert_eq!(waiting(&sync).is_none(), clear, "{mode}");
            sync.set_event(9, true);
            assert_eq!(waiting(&sync).is_none(), set, "{mode}");
            sync.set_event(9, set);
            sync.pass(&wait(mode, 0));
            assert_eq!(sync.event(9), after, "{mode}");
        }
    }

    #[test]
    fn every_update_acts_at_its_time_and_no_other() {
        let mut registers = Registers::default();
        registers.write(3, 100).unwrap();
        for &update_mode in UpdateMode::ALL {
            let Some((action, at)) = update_mode.action() else { continue };
            let update =
                Events { update_mode, update_idx: 7, semaphore_value: 3, ..Events::default() };
            for when in [When::Read, When::Complete] {
                let mut sync = Sync::default();
                sync.set_semaphore(7, 10);
                sync.set_event(7, action == Action::Clear);
                let before = sync.clone();
                sync.update(&update, when, &registers).unwrap();
                if when != at {
                    assert_eq!(sync, before, "{update_mode}");
                    continue;
                }
                let expected = match update_mode.code() & 15 {
                    1 | 2 => 10,
                    3 => 11,
                    4 => 9,
                    5 => 13,
                    6 => 110,
                    7 => 7,
                    8 => 10u32.wrapping_sub(100),
                    9 => 3,
                    _ => 100,
                };
                assert_eq!(sync.semaphore(7), expected, "{update_mode}");
                assert_eq!(sync.event(7), action == Action::Set, "{update_mode}");
            }
        }
    }

    #[test]
    fn what_is_waited_for_reads_as_a_condition() {
        let sync = Sync::default();
        let text = |mode, value| {
            sync.waiting(&wait(mode, value), &Registers::default()).unwrap().unwrap().to_string()
        };
        assert_eq!(text(WaitMode::SemGeImm, 2), "semaphore 9 >= 2, which is 0");
        assert_eq!(text(WaitMode::EventSet, 0), "event 9 to be set, which is clear");
        let lost = sync.waiting(&wait(WaitMode::SemGeReg, 64), &Registers::default());
        assert_eq!(lost, Err(RegisterError { number: 64 }));
    }

    #[test]
    fn only_an_update_of_the_same_thing_can_help() {
        let waiting = Waiting { wait_mode: WaitMode::SemGeImm, wait_idx: 1, value: 1, found: 0 };
        let update =
            |update_mode, update_idx| Events { update_mode, update_idx, ..Events::default() };
        assert!(waiting.is_touched_by(&update(UpdateMode::SemIncComplete, 1)));
        assert!(!waiting.is_touched_by(&update(UpdateMode::SemIncComplete, 2)));
        assert!(!waiting.is_touched_by(&update(UpdateMode::EventSetRead, 1)));
        let event = Waiting { wait_mode: WaitMode::EventClear, ..waiting };
        assert!(event.is_touched_by(&update(UpdateMode::EventClearRead, 1)));
        assert!(!event.is_touched_by(&update(UpdateMode::EventSetRead, 1)));
    }
}
