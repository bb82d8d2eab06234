//! What an instruction costs, as far as a document says.

use crate::evidence::Claim;
use crate::evidence::claims::firmware::DROPOUT_COST;

/// Cycles that even the shortest instruction takes.
pub const MIN_CYCLES: u64 = 64;

/// An estimate of an instruction's cycles on the Vector engine.
///
/// It is what a document says of the family, not a measurement: waits,
/// memories and the generator are not in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The cycles.
    pub cycles: u64,
    /// Elements of a partition.
    pub elements_per_partition: u64,
    /// Where the formula is from.
    pub claim: &'static Claim,
}

/// Returns the estimate for one Dropout: `max(64, elements of a partition)`.
///
/// ```
/// use lanedrop::exec::cost;
/// assert_eq!(cost::dropout(8).cycles, 64);
/// assert_eq!(cost::dropout(512).cycles, 512);
/// ```
///
/// Source: claim `dropout-cost`.
pub const fn dropout(elements_per_partition: u64) -> Estimate {
    let cycles =
        if elements_per_partition > MIN_CYCLES { elements_per_partition } else { MIN_CYCLES };
    Estimate { cycles, elements_per_partition, claim: &DROPOUT_COST }
}
