//! From the opcode to the handler.

use super::line::{At, Line, Stage};
use crate::evidence::claims::encoding::{DROPOUT_OPCODE, ENGINE_IS_DVE, OPCODE_TABLE};
use crate::evidence::claims::firmware::{
    DISPATCH_SLOT, HANDLER_OTHER_GENERATIONS, HANDLER_REGISTRATION, V5_BODY,
};
use crate::evidence::claims::neff::NEFF_PSEUDO_RECORDS;
use crate::evidence::claims::sites::{DISPATCH_CODE, DISPATCH_TABLES, DISPATCH_TRAMPOLINE};
use crate::evidence::firmware::{DISPATCH, FIRST_OPCODE, JOIN, SECOND_OFFSET, STUB, TABLES};
use crate::isa::{Generation, opcode};

/// Where the DVE's dispatch starts.
const DISPATCH_ENTRY: u32 = 0x2f5a;

/// Returns the way of a Dropout.
pub(super) fn dropout(generation: Generation) -> Vec<Line> {
    let line = |at: Option<At>, what: String, claim| Line::of(Stage::Dispatch, at, what, claim);
    let code = opcode::DROPOUT;
    let mut lines = vec![
        line(None, "the opcode byte".into(), &DROPOUT_OPCODE).value("0x7f, DROPOUT"),
        line(None, "the engine".into(), &ENGINE_IS_DVE).value("DVE, index 3"),
    ];
    let elsewhere = "the addresses below are v3's; those of this generation";
    match generation {
        Generation::V3 => {}
        Generation::V5 => {
            lines.push(line(None, elsewhere.into(), &V5_BODY).value("not known"));
        }
        Generation::V2 | Generation::V4 => {
            lines.push(line(None, elsewhere.into(), &HANDLER_OTHER_GENERATIONS).value("not known"));
        }
    }
    lines.extend(slots(code));
    lines.push(
        line(
            None,
            format!("T: call8 0x{STUB:x}, the registration stub; then j 0x{JOIN:x}"),
            &DISPATCH_TRAMPOLINE,
        )
        .value("not known"),
    );
    lines.push(
        line(
            Some(At::Iram(STUB)),
            "the stub gives the register routine 0x951c the handler's address".into(),
            &HANDLER_REGISTRATION,
        )
        .value("0x96bc"),
    );
    lines
}

/// Returns what is known of the way of another record.
pub(super) fn other(code: u8) -> Vec<Line> {
    let line = |at: Option<At>, what: String, claim| Line::of(Stage::Dispatch, at, what, claim);
    if matches!(code, 0xc1..=0xdf | 0xa9) {
        let what = "the runtime replaces it before the stream is loaded";
        return vec![line(None, what.into(), &NEFF_PSEUDO_RECORDS)];
    }
    let name = opcode::find(code).map_or("without a name", |found| found.name);
    let mut lines = vec![
        line(None, "the opcode byte".into(), &OPCODE_TABLE).value(format!("0x{code:02x}, {name}")),
    ];
    lines.extend(slots(code));
    lines
}

/// Returns the lines of an opcode's slots in both tables; none for an opcode
/// below the tables or behind them.
fn slots(code: u8) -> Vec<Line> {
    let [Some(first), Some(second)] = TABLES.map(|table| table.slot(code)) else {
        return Vec::new();
    };
    let index = code - FIRST_OPCODE;
    let line = |at: At, what: String, claim| Line::of(Stage::Dispatch, at, what, claim);
    vec![
        line(
            At::Iram(DISPATCH_ENTRY),
            format!("the index into the table, 0x{code:02x} - 0x{FIRST_OPCODE:02x}"),
            &DISPATCH_CODE,
        )
        .value(format!("0x{index:02x}")),
        line(
            At::Dram(first),
            format!(
                "slot 0x{index:02x} of the table at 0x{:x}: the trampoline T",
                DISPATCH.offset_bytes
            ),
            &DISPATCH_SLOT,
        )
        .value("not known"),
        line(
            At::Dram(second),
            format!("the slot for the mode of v2 records: T + 0x{SECOND_OFFSET:x}"),
            &DISPATCH_TABLES,
        )
        .value("not known"),
    ]
}
