//! What goes where while a lowered program runs.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Element;
use crate::isa::{Generation, Place, Space};

/// Which rows of a tensor go to which bytes of SBUF, segment by segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The generation whose memory is used.
    pub generation: Generation,
    /// What the elements are.
    #[serde(rename = "dtype")]
    pub element: Element,
    /// How many rows the tensor has.
    pub rows: u64,
    /// How many elements a row has.
    pub row_len: u64,
    /// Values that are in memory before the first record.
    pub constants: Vec<Constant>,
    /// The parts of the program, in order.
    pub segments: Vec<Segment>,
}

/// A value of 4 bytes in each partition of SBUF.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constant {
    /// Where it is in its partition.
    pub offset_bytes: u32,
    /// One value a partition, from partition 0 on.
    pub values: Vec<u32>,
}

/// Records that run on rows that fit into memory together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Number of the first record.
    pub first_record: u64,
    /// How many there are.
    pub records: u64,
    /// What is brought in before them and taken out after them.
    pub moves: Vec<Move>,
}

/// A piece of some rows: row `first_row + i` is in partition `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// The first row.
    pub first_row: u64,
    /// How many rows, at most 128.
    pub rows: u8,
    /// The first element of each row.
    pub first_elem: u64,
    /// How many elements of each row.
    pub elems: u64,
    /// Where they are brought to.
    pub src_offset_bytes: u32,
    /// Where the results are taken from.
    pub dst_offset_bytes: u32,
}

/// A plan is none that could be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A segment does not begin where the last one ended.
    #[error("segment {segment} begins at record {found}, expected {expected}")]
    Record {
        /// The segment.
        segment: usize,
        /// Where it begins.
        found: u64,
        /// Where it should.
        expected: u64,
    },
    /// The segments have more or fewer records than the program.
    #[error("segments have {found} records, the program has {expected}")]
    Records {
        /// What the segments have.
        found: u64,
        /// What the program has.
        expected: u64,
    },
    /// Pieces do not follow one another through the tensor.
    #[error("segment {segment} moves row {row} from element {elem} on, which is not next")]
    Order {
        /// The segment.
        segment: usize,
        /// The first row.
        row: u64,
        /// The first element.
        elem: u64,
    },
    /// Rows are never moved.
    #[error("the segments move {found} of {expected} rows")]
    Rows {
        /// What they move.
        found: u64,
        /// What the tensor has.
        expected: u64,
    },
    /// A constant has values for partitions there are not.
    #[error("a constant has {found} values, expected at most 128")]
    Constant {
        /// How many values it has.
        found: usize,
    },
}

impl Plan {
    /// Asks whether the plan moves each element once, in the order of the
    /// draws, and names each of `records` records once.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self, records: u64) -> Result<(), PlanError> {
        let (mut record, mut row, mut elem) = (0u64, 0u64, 0u64);
        for constant in &self.constants {
            if constant.values.len() > 128 {
                return Err(PlanError::Constant { found: constant.values.len() });
            }
        }
        for (segment, part) in self.segments.iter().enumerate() {
            if part.first_record != record {
                let (found, expected) = (part.first_record, record);
                return Err(PlanError::Record { segment, found, expected });
            }
            record = record.saturating_add(part.records);
            for piece in &part.moves {
                let wrong =
                    PlanError::Order { segment, row: piece.first_row, elem: piece.first_elem };
                let tile = self.rows.saturating_sub(row).min(128);
                let next = (piece.first_row, piece.first_elem) == (row, elem);
                let fits = piece.elems >= 1 && piece.elems <= self.row_len - elem;
                if !next || !fits || u64::from(piece.rows) != tile || tile == 0 {
                    return Err(wrong);
                }
                elem += piece.elems;
                if elem == self.row_len {
                    (row, elem) = (row + tile, 0);
                }
            }
        }
        if record != records {
            return Err(PlanError::Records { found: record, expected: records });
        }
        if self.row_len > 0 && row != self.rows {
            return Err(PlanError::Rows { found: row, expected: self.rows });
        }
        Ok(())
    }

    /// Returns how many bytes the tensor has, or `None` where a u64 cannot
    /// count them.
    pub fn len_bytes(&self) -> Option<u64> {
        self.rows.checked_mul(self.row_len)?.checked_mul(self.element.size_bytes() as u64)
    }
}

impl Move {
    /// Returns where row `first_row + row` is brought to and taken from.
    pub fn places(&self, row: u32) -> (Place, Place) {
        let place = |offset_bytes| Place { space: Space::Sbuf, partition: row, offset_bytes };
        (place(self.src_offset_bytes), place(self.dst_offset_bytes))
    }
}
