//! The one table of bytes: every record kind, field by field.
//!
//! A record kind is its own rows behind the rows of [`COMMON`], which all
//! kinds share. To add one is to add a table here and to list it in
//! [`LAYOUTS`]; decoding, JSON, text and documentation follow.

use super::events::{DebugCmd, UpdateMode, WaitMode};
use super::operand::{ImmSrc, ThresholdType};
use super::{Dtype, Field, Kind, Omitted, neighbours, opcode};
use crate::evidence::claims::{dtypes, encoding, memory};

/// The fields of a record kind.
#[derive(Debug)]
pub struct Layout {
    /// Name of the struct, as the ISA headers spell it.
    pub name: &'static str,
    /// The opcodes that use it.
    pub opcodes: &'static [u8],
    /// Its fields in the order of their bytes, without those of [`COMMON`].
    pub rows: &'static [Field],
}

impl Layout {
    /// Returns the field of this dotted name among the layout's own rows.
    ///
    /// # Panics
    /// When there is none; in a constant, that stops the build.
    pub const fn field(&'static self, name: &str) -> &'static Field {
        let mut i = 0;
        while i < self.rows.len() {
            if same(self.rows[i].name, name) {
                return &self.rows[i];
            }
            i += 1;
        }
        panic!("the layout has no field of this name")
    }

    /// Returns all fields of the record, the common ones first.
    pub fn fields(&'static self) -> impl Iterator<Item = &'static Field> + Clone {
        COMMON.rows.iter().chain(self.rows)
    }
}

/// Returns whether two texts are equal, also in constants.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// Returns the layout of records with this opcode, where it is known.
#[inline]
pub fn of_opcode(opcode: u8) -> Option<&'static Layout> {
    LAYOUTS.iter().copied().find(|layout| layout.opcodes.contains(&opcode))
}

/// Returns all known fields of records with this opcode: for an opcode without
/// a layout, the common ones alone.
pub fn fields_of(opcode: u8) -> impl Iterator<Item = &'static Field> + Clone {
    let own = of_opcode(opcode).map_or(&[][..], |layout| layout.rows);
    COMMON.rows.iter().chain(own)
}

/// Writes rows: name, offset, length, kind, what leaving it out means, claim, doc.
macro_rules! rows {
    ($($name:expr, $offset:expr, $len:expr, $kind:expr, $omitted:expr, $claim:expr, $doc:expr;)*) => {
        &[$(Field {
            name: $name,
            offset_bytes: $offset,
            len_bytes: $len,
            kind: $kind,
            omitted: $omitted,
            doc: $doc,
            claim: &$claim,
        }),*]
    };
}
pub(super) use rows;

/// Every record kind with fields of its own.
pub static LAYOUTS: &[&Layout] = &[
    &S3D3_DROPOUT,
    &neighbours::S3D3_TS,
    &neighbours::D4_MR,
    &neighbours::D4_RAND,
    &neighbours::S1_RAND,
    &neighbours::D3_RAND,
    &neighbours::PSEUDO_SET_RNG_SEED,
    &neighbours::S3D3_CP_PRED_SCALAR,
    &neighbours::S3D3_TS_SELECT,
    &neighbours::S3D3_AC,
];

/// Header and events, which every record starts with.
pub static COMMON: Layout = Layout {
    name: "HEADER, EVENTS",
    opcodes: &[],
    rows: rows! {
        "header.opcode", 0, 1, Kind::Code(&opcode::TABLE), Omitted::Required, encoding::OPCODE_BYTE,
            "which instruction the record is";
        "header.inst_word_len", 1, 1, Kind::Count("words of 4 bytes"), Omitted::Is(16), encoding::INST_WORD_LEN,
            "length of the record";
        "header.debug_cmd", 2, 1, Kind::Code(DebugCmd::TABLE), Omitted::Zero, encoding::DEBUG_BYTES,
            "what the debugger is told; on v5 this byte or the next is inst_flags";
        "header.debug_hint", 3, 1, Kind::Byte, Omitted::Zero, encoding::DEBUG_BYTES,
            "a free byte for traces";
        "events.wait_mode", 4, 1, Kind::Code(WaitMode::TABLE), Omitted::Zero, encoding::EVENTS_LAYOUT,
            "what the record waits for";
        "events.wait_idx", 5, 1, Kind::WaitIdx, Omitted::Zero, encoding::EVENT_INDEX,
            "semaphore or event of the wait";
        "events.update_mode", 6, 1, Kind::Code(UpdateMode::TABLE), Omitted::Zero, encoding::EVENTS_LAYOUT,
            "what the record updates, and when";
        "events.update_idx", 7, 1, Kind::UpdateIdx, Omitted::Zero, encoding::EVENT_INDEX,
            "semaphore or event of the update";
        "events.semaphore_value", 8, 4, Kind::SemaphoreValue, Omitted::Zero, encoding::EVENTS_LAYOUT,
            "the number wait and update share";
    },
};

/// Dropout: one source pattern, one destination pattern, one threshold.
pub static S3D3_DROPOUT: Layout = Layout {
    name: "S3D3_DROPOUT",
    opcodes: &[opcode::DROPOUT],
    rows: rows! {
        "reserved0", 12, 4, Kind::Reserved, Omitted::Zero, encoding::DROPOUT_LAYOUT,
            "zero";
        "src_mem_pattern.start_addr", 16, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS,
            "where channel 0 starts to read";
        "src_mem_pattern.step_elem", 20, 6, Kind::StepElem, Omitted::Required, memory::STEP_ELEM,
            "three signed steps in elements, innermost first";
        "src_mem_pattern.num_elem", 26, 6, Kind::NumElem, Omitted::Required, memory::NUM_ELEM,
            "three counts, innermost first";
        "in_dtype", 32, 1, Kind::Code(Dtype::TABLE), Omitted::Required, encoding::DROPOUT_LAYOUT,
            "type of the elements read";
        "out_dtype", 33, 1, Kind::Code(Dtype::TABLE), Omitted::Required, encoding::DROPOUT_LAYOUT,
            "type of the elements written, equal to in_dtype";
        "num_active_channels", 34, 1, Kind::Count("channels"), Omitted::Required, memory::CHANNELS_1_TO_128,
            "partitions worked on, 1 to 128";
        "threshold_src", 35, 1, Kind::Code(ImmSrc::TABLE), Omitted::Required, encoding::THRESHOLD_SRC_BYTE,
            "where the threshold comes from";
        "threshold_dtype", 36, 1, Kind::Code(Dtype::TABLE), Omitted::Is(0x0a), dtypes::THRESHOLD_DTYPE_RULE,
            "type of the threshold; 0 is read as FP32";
        "reserved1", 37, 6, Kind::Reserved, Omitted::Zero, encoding::DROPOUT_LAYOUT,
            "zero";
        "threshold_type", 43, 1, Kind::Code(ThresholdType::TABLE), Omitted::Required, encoding::THRESHOLD_TYPE_BYTE,
            "whether the threshold is a drop rate or a keep rate";
        "threshold", 44, 4, Kind::Immediate { src_bytes: 35 }, Omitted::Required, encoding::IMM_VAL_FIELD,
            "the rate, the address of one rate a partition, or a register with that address";
        "dst_mem_pattern.start_addr", 48, 4, Kind::Addr4, Omitted::Required, memory::ADDR4_BITS,
            "where channel 0 starts to write";
        "dst_mem_pattern.step_elem", 52, 6, Kind::StepElem, Omitted::Required, memory::STEP_ELEM,
            "three signed steps in elements, innermost first";
        "dst_mem_pattern.num_elem", 58, 6, Kind::NumElem, Omitted::Required, memory::NUM_ELEM,
            "three counts, innermost first; the same product as the source";
    },
};

/// Enumerations that no row uses.
pub static OTHER_TABLES: &[&super::CodeTable] = &[];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::WORD_LEN_BYTES;

    #[test]
    fn the_rows_of_every_layout_cover_64_bytes_without_gap_or_overlap() {
        for layout in LAYOUTS {
            let mut next = 0;
            for field in layout.fields() {
                assert_eq!(field.offset_bytes, next, "{} {}", layout.name, field.name);
                next += field.len_bytes;
            }
            assert_eq!(next, WORD_LEN_BYTES, "{}", layout.name);
        }
    }

    #[test]
    fn names_are_unique_and_opcodes_have_one_layout() {
        for layout in LAYOUTS {
            let names: Vec<_> = layout.fields().map(|field| field.name).collect();
            for (i, name) in names.iter().enumerate() {
                assert!(!names[..i].contains(name), "{name}");
            }
        }
        for code in 0..=255 {
            let owners = LAYOUTS.iter().filter(|layout| layout.opcodes.contains(&code));
            assert!(owners.count() <= 1, "{code:#x}");
        }
    }

    #[test]
    fn an_opcode_without_a_layout_has_the_common_fields_alone() {
        assert_eq!(fields_of(0x02).count(), COMMON.rows.len());
        assert_eq!(fields_of(0x7f).count(), COMMON.rows.len() + S3D3_DROPOUT.rows.len());
    }
}
