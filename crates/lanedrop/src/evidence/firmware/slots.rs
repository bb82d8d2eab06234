//! The dispatch tables: opcode, slot, trampoline, registration stub.

use super::check::{Check, CheckState, Findings};
use super::images::{CAYMAN_NX_DVE_DEBUG_DRAM as DRAM, CAYMAN_NX_DVE_DEBUG_IRAM as IRAM, Image};
use super::site::Origin;
use super::xtensa;
use crate::evidence::claims::firmware::DISPATCH_SLOT;
use crate::evidence::claims::sites::{DISPATCH_TABLES, DISPATCH_TRAMPOLINE};
use crate::evidence::{Basis, Claim};

/// One table of words that opcodes index.
#[derive(Debug, PartialEq, Eq)]
pub struct DispatchTable {
    /// Where it starts in the data image.
    pub offset_bytes: u32,
    /// How many words it has.
    pub entries: u32,
    /// What an opcode without a handler gets.
    pub default: u32,
}

/// The opcode of the first slot.
pub const FIRST_OPCODE: u8 = 0x41;

/// The table of the ordinary mode.
pub static DISPATCH: DispatchTable =
    DispatchTable { offset_bytes: 0x814, entries: 170, default: 0x3207 };

/// Both tables; the second serves a mode for v2 records.
pub static TABLES: [&DispatchTable; 2] =
    [&DISPATCH, &DispatchTable { offset_bytes: 0xabc, entries: 170, default: 0x39e6 }];

/// How many slots of the first table hold its default.
const DEFAULTS: usize = 95;

/// What an entry of the second table is above that of the first.
pub const SECOND_OFFSET: u32 = 0x7df;

/// Dropout's registration stub, which its trampoline should call.
pub const STUB: u32 = 0x216c;

/// Where trampolines of the first table jump afterwards.
pub const JOIN: u32 = 0x3212;

/// Dropout's opcode.
const DROPOUT: u8 = 0x7f;

impl DispatchTable {
    /// Returns where in the data image the word of `opcode` is, if it has one.
    ///
    /// ```
    /// use lanedrop::evidence::firmware::DISPATCH;
    /// assert_eq!(DISPATCH.slot(0x7f), Some(0x90c));
    /// assert_eq!(DISPATCH.slot(0x40), None);
    /// ```
    pub fn slot(&self, opcode: u8) -> Option<u32> {
        let index = u32::from(opcode.checked_sub(FIRST_OPCODE)?);
        (index < self.entries).then_some(self.offset_bytes + 4 * index)
    }

    /// Reads all words, if the data image reaches that far.
    fn read(&self, dram: &[u8]) -> Option<Vec<u32>> {
        let start = self.offset_bytes as usize;
        let bytes = dram.get(start..start + 4 * self.entries as usize)?;
        let (words, _) = bytes.as_chunks();
        Some(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }
}

/// Compares both tables, Dropout's slots and its trampoline.
pub(super) fn check(findings: &mut Findings, dram: Option<&[u8]>, iram: Option<&[u8]>) {
    let tables = dram.and_then(|dram| Some((TABLES[0].read(dram)?, TABLES[1].read(dram)?)));
    let index = usize::from(DROPOUT - FIRST_OPCODE);
    let words =
        tables.as_ref().and_then(|(first, second)| Some((*first.get(index)?, *second.get(index)?)));

    findings.push(line(
        (&DRAM, TABLES[0].offset_bytes, "table 1: how many slots hold the default"),
        format!("{DEFAULTS} of 170 words are 0x3207"),
        tables.as_ref().map(|(first, _)| {
            let defaults = first.iter().filter(|&&word| word == TABLES[0].default).count();
            (defaults == DEFAULTS, format!("{defaults} of 170"))
        }),
        (Basis::Observed, &DISPATCH_TABLES),
    ));
    findings.push(line(
        (&DRAM, TABLES[1].offset_bytes, "table 2: each slot follows from table 1's"),
        "0x39e6 for a default, else the word of table 1 plus 0x7df".into(),
        tables.as_ref().map(|(first, second)| second_follows(first, second)),
        (Basis::Observed, &DISPATCH_TABLES),
    ));
    let slots = TABLES.map(|table| table.slot(DROPOUT).unwrap_or(table.offset_bytes));
    findings.push(line(
        (&DRAM, slots[0], "slot of 0x7f in table 1: its trampoline T"),
        "an address in the instructions that is not the default 0x3207".into(),
        words.map(|(first, _)| {
            let code = u64::from(first) < IRAM.size_bytes && first != 0;
            (code && first != TABLES[0].default, format!("T = {first:#x}"))
        }),
        (Basis::Inferred, &DISPATCH_SLOT),
    ));
    findings.push(line(
        (&DRAM, slots[1], "slot of 0x7f in table 2"),
        words.map_or("T + 0x7df".into(), |(first, _)| {
            format!("{:#x}, T + 0x7df", first.wrapping_add(SECOND_OFFSET))
        }),
        words.map(|(first, second)| {
            (second == first.wrapping_add(SECOND_OFFSET), format!("{second:#x}"))
        }),
        (Basis::Inferred, &DISPATCH_SLOT),
    ));
    let trampoline = words.map(|(first, _)| first);
    findings.push(line(
        (&IRAM, trampoline.unwrap_or(0), "trampoline T of 0x7f: call8 0x216c; j 0x3212"),
        trampoline.map_or("follows from T".into(), |t| {
            let [a, b, c] = xtensa::call8(t, STUB);
            let [d, e, f] = xtensa::j(t.wrapping_add(3), JOIN);
            format!("{a:02x} {b:02x} {c:02x} {d:02x} {e:02x} {f:02x}")
        }),
        trampoline.zip(iram).map(|(t, iram)| follow(t, iram)),
        (Basis::Inferred, &DISPATCH_TRAMPOLINE),
    ));
}

/// Returns whether every word of the second table follows from the first's.
fn second_follows(first: &[u32], second: &[u32]) -> (bool, String) {
    let odd: Vec<String> = first
        .iter()
        .zip(second)
        .enumerate()
        .filter(|(_, (first, second))| {
            let expected = match **first == TABLES[0].default {
                true => TABLES[1].default,
                false => first.wrapping_add(SECOND_OFFSET),
            };
            **second != expected
        })
        .map(|(index, _)| format!("{:#04x}", index + usize::from(FIRST_OPCODE)))
        .collect();
    match odd.is_empty() {
        true => (true, "every slot does".into()),
        false => (false, format!("not those of {}", odd.join(", "))),
    }
}

/// Returns whether the code at `t` calls Dropout's stub and joins the rest,
/// and what is there.
fn follow(t: u32, iram: &[u8]) -> (bool, String) {
    let Some(code) = iram.get(t as usize..).and_then(|code| code.first_chunk::<6>()) else {
        return (false, format!("{t:#x} is behind the end of the instructions"));
    };
    let [a, b, c, d, e, f] = *code;
    let call = xtensa::call8_target(t, [a, b, c]);
    let jump = xtensa::j_target(t.wrapping_add(3), [d, e, f]);
    let shown = |name: &str, target: Option<u32>| match target {
        Some(target) => format!("{name} {target:#x}"),
        None => format!("no {name}"),
    };
    let found = format!(
        "{a:02x} {b:02x} {c:02x} {d:02x} {e:02x} {f:02x} ({}; {})",
        shown("call8", call),
        shown("j", jump)
    );
    (call == Some(STUB) && jump == Some(JOIN), found)
}

/// Returns one line of the report; `None` is a place the file does not have.
fn line(
    (image, offset, what): (&'static Image, u32, &'static str),
    expected: String,
    outcome: Option<(bool, String)>,
    (basis, claim): (Basis, &'static Claim),
) -> Check {
    let state = match outcome {
        Some((true, _)) => CheckState::Confirmed,
        Some((false, _)) => CheckState::Refuted,
        None => CheckState::NotPresent,
    };
    Check {
        image: image.name,
        offset_bytes: offset.into(),
        what,
        expected,
        found: outcome.map(|(_, found)| found).unwrap_or_default(),
        origin: Origin::Derived,
        basis,
        state,
        claim,
        witness: false,
        telling: true,
    }
}
