//! Why a tensor cannot be run.

use super::Element;
use crate::isa::Dtype;

/// Why a [`Runner`](super::Runner) could not be made or used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// A number of thresholds that fits neither the tensor nor the lanes.
    #[error("thresholds has {found} values, expected 1 or one a lane ({lanes})")]
    Thresholds {
        /// How many there are.
        found: usize,
        /// How many lanes there are.
        lanes: usize,
    },
    /// A tensor with more elements than are counted.
    #[error("{rows} rows of {row_len} elements are more than a u64 counts")]
    TooManyElements {
        /// The number of rows.
        rows: u64,
        /// The length of a row.
        row_len: u64,
    },
    /// A stretch that is not inside the tensor.
    #[error("{len} elements from {first} on are not inside a tensor of {elements}")]
    Outside {
        /// The first element of the stretch.
        first: u64,
        /// The length of the stretch.
        len: u64,
        /// How many elements the tensor has.
        elements: u64,
    },
    /// Bytes that are no whole elements.
    #[error("{len_bytes} bytes are no whole elements of {size_bytes} bytes")]
    PartialElement {
        /// How many bytes there are.
        len_bytes: usize,
        /// The size of an element.
        size_bytes: usize,
    },
    /// An output of another length than the stretch asks for.
    #[error("{output} has {found} bytes, expected {wanted}")]
    OutputLen {
        /// Which output.
        output: &'static str,
        /// How long it is.
        found: usize,
        /// How long it should be.
        wanted: u64,
    },
    /// A packed mask that would start inside a byte.
    #[error(
        "a packed mask starts at column {column} of its row, expected a multiple of 8 or the end"
    )]
    PackedColumn {
        /// The column at fault.
        column: u64,
    },
    /// A multiply of integers.
    #[error("elements are {}, and only floats can be scaled", element.name())]
    ScaleInteger {
        /// The element type.
        element: Element,
    },
    /// A multiply whose factor would not be finite, or have nothing to keep.
    #[error("threshold {threshold} of lane {lane} keeps nothing, so no factor keeps the mean")]
    ScaleNothing {
        /// The first lane concerned.
        lane: usize,
        /// Its threshold.
        threshold: f32,
    },
    /// Types that an instruction does not copy between.
    #[error(
        "in_dtype is {} and out_dtype {}, expected one type of 1, 2 or 4 bytes",
        in_dtype.name(), out_dtype.name()
    )]
    Dtypes {
        /// Type of the elements read.
        in_dtype: Dtype,
        /// Type of the elements written.
        out_dtype: Dtype,
    },
    /// Patterns of different lengths.
    #[error("the source pattern has {src} elements a channel and the destination pattern {dst}")]
    Counts {
        /// Elements a channel of the source pattern.
        src: u64,
        /// Elements a channel of the destination pattern.
        dst: u64,
    },
    /// More channels than there are lanes for.
    #[error("{channels} channels from lane {first_lane} on do not fit {lanes} lanes")]
    Channels {
        /// How many channels work.
        channels: usize,
        /// The lane of the first one.
        first_lane: usize,
        /// How many lanes there are.
        lanes: usize,
    },
    /// A view that does not hold the tensor's elements.
    #[error(
        "{view} has {} elements inside {len_bytes} bytes, expected {wanted}, all inside",
        found.map_or("too many".to_owned(), |found| found.to_string())
    )]
    View {
        /// Which view.
        view: &'static str,
        /// How many elements its shape has, where they can be counted.
        found: Option<u64>,
        /// How many elements the tensor has.
        wanted: u64,
        /// How many bytes they have to lie in.
        len_bytes: usize,
    },
    /// No thread to run on.
    #[error("threads is 0, expected at least 1")]
    NoThreads,
}
