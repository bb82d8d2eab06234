//! What a program tells while it runs.

use crate::isa::{Dropout, Dtype, Place, Word};

/// Is told what a program does, record by record.
///
/// Every method does nothing unless it is written: a trace takes what it needs.
pub trait Trace {
    /// A record is about to be executed.
    fn record(&mut self, step: &Step<'_>) {
        let _ = step;
    }

    /// A wait that did not hold was let pass.
    fn wait_passed(&mut self, step: &Step<'_>, waiting: &crate::device::Waiting) {
        let _ = (step, waiting);
    }

    /// A Dropout's operands are read; its elements follow.
    fn dropout(&mut self, call: &DropoutCall<'_>) {
        let _ = call;
    }

    /// Returns how many elements of each channel of a Dropout are to be told,
    /// and of how many channels.
    fn wants_elements(&self) -> (u64, u8) {
        (0, 0)
    }

    /// One element of a Dropout, as far as [`Trace::wants_elements`] asks.
    fn element(&mut self, element: &DropoutElement) {
        let _ = element;
    }

    /// A record is done.
    fn done(&mut self, step: &Step<'_>, effect: &Effect) {
        let _ = (step, effect);
    }
}

/// Tells nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Trace for Silent {}

/// A record of a program, where it is.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Its number in the stream.
    pub index: u64,
    /// Its first byte in the stream.
    pub offset_bytes: u64,
    /// The record.
    pub word: &'a Word,
}

/// A Dropout with its operands resolved.
#[derive(Clone, Copy, Debug)]
pub struct DropoutCall<'a> {
    /// The instruction.
    pub dropout: &'a Dropout,
    /// Where channel 0 starts to read.
    pub src: Place,
    /// Where channel 0 starts to write.
    pub dst: Place,
    /// Elements of a channel.
    pub elements: u64,
    /// The type of the threshold: 0 in the record is FP32.
    pub threshold_dtype: Dtype,
    /// One threshold a channel, or one for all.
    pub thresholds: &'a [f32],
    /// The lane of channel 0.
    pub first_lane: usize,
}

/// What became of one element of a Dropout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DropoutElement {
    /// The channel.
    pub channel: u8,
    /// Its lane.
    pub lane: usize,
    /// The element's number in the channel.
    pub element: u64,
    /// The draw.
    pub draw: u32,
    /// The uniform made of it.
    pub uniform: f32,
    /// What it was compared with.
    pub threshold: f32,
    /// Whether the element stays.
    pub kept: bool,
}

/// What a record did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// Elements were kept and dropped.
    Dropped {
        /// Elements copied.
        kept: u64,
        /// Elements zeroed.
        dropped: u64,
    },
    /// Elements were written, from others, from a value or from draws.
    Wrote {
        /// Elements of all channels.
        elements: u64,
    },
    /// The lanes got a new seed.
    Seeded {
        /// The seed.
        seed: u32,
    },
    /// State words went into the lanes.
    StateSet {
        /// Words of all channels.
        words: u64,
    },
    /// State words came out of the lanes.
    StateRead {
        /// Words of all channels.
        words: u64,
    },
    /// Only its events took effect.
    Events,
    /// It is for the runtime and was passed over.
    PassedOver,
    /// It ended the program.
    Halted,
}
