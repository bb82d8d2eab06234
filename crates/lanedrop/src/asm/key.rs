//! The operands of the text form: which name writes which fields.

use crate::isa::{Field, Kind, Layout, layout};

/// What an operand of the text form stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// One field.
    Field(&'static Field),
    /// A pattern: its start address; steps and counts are the next two rows.
    Tensor {
        /// The start address.
        address: &'static Field,
        /// The steps.
        steps: &'static Field,
        /// The counts.
        counts: &'static Field,
    },
    /// `in_dtype` and `out_dtype` at once.
    BothDtypes(&'static Field, &'static Field),
    /// The threshold, with the code of `threshold_type` where the name tells it.
    Threshold {
        /// The 4 bytes.
        value: &'static Field,
        /// The byte that says where the value comes from.
        src: &'static Field,
        /// What the name says about `threshold_type`.
        polarity: Option<(&'static Field, u8)>,
    },
    /// `wait_mode`, `wait_idx` and, where it has one, its value.
    Wait,
    /// `update_mode`, `update_idx` and, where it has one, its value.
    Update,
    /// All bytes behind the events, for records without a layout.
    Body,
}

/// One row a name: the name and its target, in the order the text has them.
pub(super) type Keys = Vec<(&'static str, Target)>;

/// Returns the operands every record has.
fn common() -> impl Iterator<Item = (&'static str, Target)> {
    let sugar = [("wait", Target::Wait), ("update", Target::Update)];
    let fields = layout::COMMON.rows.iter().skip(1);
    sugar.into_iter().chain(fields.map(|field| (short_name(field), Target::Field(field))))
}

/// Returns the operands of records with this layout, or without one.
pub(super) fn keys(layout: Option<&'static Layout>) -> Keys {
    let Some(layout) = layout else {
        return std::iter::once(("body", Target::Body)).chain(common()).collect();
    };
    let mut keys = Keys::new();
    let find = |name: &str| layout.rows.iter().find(|field| field.name == name);
    if let (Some(input), Some(output)) = (find("in_dtype"), find("out_dtype")) {
        keys.push(("dtype", Target::BothDtypes(input, output)));
    }
    let mut rows = layout.rows.iter();
    while let Some(field) = rows.next() {
        match field.kind {
            Kind::Addr4 => {
                let (Some(steps), Some(counts)) = (rows.next(), rows.next()) else { break };
                keys.push((short_name(field), Target::Tensor { address: field, steps, counts }));
            }
            Kind::Immediate { src_bytes } => {
                let src = layout.rows.iter().find(|row| row.offset_bytes == src_bytes);
                let Some(src) = src else { continue };
                if let Some(kind) = find("threshold_type") {
                    for (name, code) in [("drop", 0), ("keep", 1)] {
                        let polarity = Some((kind, code));
                        keys.push((name, Target::Threshold { value: field, src, polarity }));
                    }
                }
                let target = Target::Threshold { value: field, src, polarity: None };
                keys.push((short_name(field), target));
            }
            _ => keys.push((short_name(field), Target::Field(field))),
        }
    }
    keys.extend(common());
    keys
}

/// Returns the field's name in the text form: without its group, and patterns
/// and channels by their usual words.
pub(super) fn short_name(field: &'static Field) -> &'static str {
    match field.name {
        "src_mem_pattern.start_addr" => "src",
        "dst_mem_pattern.start_addr" => "dst",
        "pred_mem_pattern.start_addr" => "pred",
        "num_active_channels" => "channels",
        name => name.rsplit('.').next().unwrap_or(name),
    }
}

/// Returns the operand to name when `field` is missing.
pub(super) fn needed(field: &'static Field) -> &'static str {
    match field.name {
        "in_dtype" | "out_dtype" => "dtype",
        "threshold_src" | "threshold_type" | "threshold" => "drop",
        name if name.starts_with("src_mem_pattern") => "src",
        name if name.starts_with("dst_mem_pattern") => "dst",
        name if name.starts_with("pred_mem_pattern") => "pred",
        _ => short_name(field),
    }
}
