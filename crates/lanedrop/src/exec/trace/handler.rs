//! The handler: its frame and its calls.

use super::line::{At, Line, Stage};
use crate::evidence::claims::dtypes::DTYPE_0_CHECKER;
use crate::evidence::claims::firmware::{
    DTYPE_CLASS_CHECKER, HANDLER_CONFIG_IS_DTYPE, HANDLER_COUNT, HANDLER_DTYPE_DEFAULT,
    HANDLER_ENTRY, WORKER_A_CALL_SITE, WORKER_B_CALL_SITE,
};
use crate::evidence::claims::sites::{
    CONFIG_PACK_CALL, HANDLER_DTYPE_COPY, HANDLER_SINGLE_ELEMENT, HANDLER_TAIL, LOG_STRINGS,
};
use crate::isa::{Dropout, Dtype};

/// Returns the lines up to the call of the vector loop.
pub(super) fn before_loop(dropout: &Dropout) -> Vec<Line> {
    let handler = |at: Option<u32>, what: &str, claim| {
        Line::of(Stage::Handler, at.map(At::Iram), what, claim)
    };
    let mut lines = vec![
        handler(Some(0x96bc), "the handler starts", &HANDLER_ENTRY).value("a frame of 80 bytes"),
        handler(Some(0x96c8), "it logs the text at dram 0x1ee7", &LOG_STRINGS)
            .value("`S: Dropout`"),
    ];
    lines.extend(frame(dropout));
    lines.push(handler(
        Some(0x9624),
        "call8 0xeff0, worker A: reads the operands, sets the vector context up",
        &WORKER_A_CALL_SITE,
    ));
    lines.push(handler(None, "call8 0x9b18, the flag packer", &CONFIG_PACK_CALL));
    lines.push(
        handler(
            Some(0x9748),
            "call8 0xf110, worker B: the loop over the elements",
            &WORKER_B_CALL_SITE,
        )
        .value(elements_text(dropout)),
    );
    lines
}

/// Returns the line behind the vector loop.
pub(super) fn tail() -> Line {
    Line::of(
        Stage::Handler,
        At::Iram(0x9ac1),
        "call8 0x9b58 with the word at [a1+4], then retw.n",
        &HANDLER_TAIL,
    )
}

/// Returns the elements of a channel, or `None` where the shape is in a
/// register.
pub(super) fn elements(dropout: &Dropout) -> Option<u64> {
    let src = &dropout.src_mem_pattern;
    (!src.start_addr.is_shape_register()).then(|| src.num_elements())
}

/// Returns the elements of a channel in words.
pub(super) fn elements_text(dropout: &Dropout) -> String {
    match elements(dropout) {
        Some(1) => "1 element a channel".into(),
        Some(count) => format!("{count} elements a channel"),
        None => "by a shape register, not known".into(),
    }
}

/// Returns the slots of the frame, in the order they are stored.
fn frame(dropout: &Dropout) -> Vec<Line> {
    let slot = |slot: u8, what: &str, claim| Line::of(Stage::Frame, At::Frame(slot), what, claim);
    let count = elements(dropout);
    let shape = || "by a shape register, not known".to_owned();
    let in_dtype = dropout.in_dtype;

    let mut lines = vec![
        slot(8, "s32i at 0x96d7: the count", &HANDLER_COUNT)
            .value(count.map_or_else(shape, |count| count.to_string())),
        dtype_slot(slot(12, "s8i at 0x96e1: a dtype", &HANDLER_CONFIG_IS_DTYPE), dropout, shown),
        slot(28, "s8i at 0x96eb: the configuration byte", &HANDLER_CONFIG_IS_DTYPE)
            .side(format!("as in_dtype: {}", shown(in_dtype)))
            .side("as a configuration byte: not known"),
        slot(24, "s8i at 0x9701: single element, count - 1 < 1", &HANDLER_SINGLE_ELEMENT)
            .value(count.map_or_else(shape, |count| u8::from(count == 1).to_string())),
        slot(
            20,
            "s8i at 0x970a: is-integer, call8 0x9ac8 of the byte at +28",
            &DTYPE_CLASS_CHECKER,
        )
        .value(u8::from(in_dtype.is_integer()).to_string())
        .side(format!(
            "for +28 as in_dtype, {}; the page does not tell what +28 holds",
            shown(in_dtype)
        )),
        dtype_slot(
            slot(12, "s8i at 0x9717: the dtype, 10 in place of 0", &HANDLER_DTYPE_DEFAULT),
            dropout,
            defaulted,
        ),
        dtype_slot(
            slot(16, "a copy of the dtype behind the default", &HANDLER_DTYPE_COPY),
            dropout,
            defaulted,
        ),
    ];
    if in_dtype == Dtype::INVALID {
        lines.push(
            slot(12, "in_dtype is 0: the checks and the handler differ", &DTYPE_0_CHECKER)
                .side("the checks refuse the record, so the handler never sees it")
                .side("the handler takes 0 for FP32, if it is the data's dtype that it defaults"),
        );
    }
    lines
}

/// Gives a line the dtype it holds: one value where both readings agree, else
/// each reading as a side.
fn dtype_slot(line: Line, dropout: &Dropout, show: fn(Dtype) -> String) -> Line {
    let data = show(dropout.in_dtype);
    let threshold = show(dropout.threshold_dtype);
    let line = if data == threshold { line.value(data.clone()) } else { line };
    line.side(format!("as in_dtype: {data}")).side(format!("as threshold_dtype: {threshold}"))
}

/// Shows a dtype with its code.
fn shown(dtype: Dtype) -> String {
    format!("{} ({dtype})", dtype.code())
}

/// Shows a dtype behind the handler's default.
fn defaulted(dtype: Dtype) -> String {
    match dtype {
        Dtype::INVALID => format!("{}, by the default", shown(Dtype::FP32)),
        other => shown(other),
    }
}
