//! The polarity of the threshold: byte 43 of a Dropout word.

/// What the threshold of a Dropout is the rate of
/// (`NEURON_ISA_TPB_DROPOUT_THRESHOLD_TYPE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ThresholdType {
    /// `DROP_RATE`: the share of elements that become zero.
    DropRate = 0,
    /// `KEEP_RATE`: the share of elements that stay.
    KeepRate = 1,
}
