//! What an instruction costs, as far as a document says.

use crate::evidence::Claim;
use crate::evidence::claims::firmware::DROPOUT_COST;
use crate::isa::{Dropout, Word};

/// Cycles that even the shortest instruction takes.
pub const MIN_CYCLES: u64 = 64;

/// What the estimate of a Dropout rests on.
pub static DROPOUT: &Claim = &DROPOUT_COST;

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

/// An estimate of the Dropouts of a program.
///
/// The other records of a program take time too; no document gives them a
/// formula, and they are not in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// The cycles of all Dropouts together.
    pub cycles: u64,
    /// How many Dropouts there are.
    pub dropouts: u64,
    /// Records that the estimate leaves out: other ones, and Dropouts whose
    /// shape is in a register.
    pub left_out: u64,
}

/// Returns the sum of the estimates for the Dropouts of a program.
///
/// ```
/// use lanedrop::exec::cost;
/// use lanedrop::isa::{Addr4, Dropout, Dtype, Tensor3d, Word};
/// let row = Tensor3d::row(Addr4(0), 512);
/// let dropout = Dropout::new(Dtype::FP32, row, row, 128, 0.5).encode();
/// let total = cost::program(&[dropout, Word::ZERO, dropout]);
/// assert_eq!((total.cycles, total.dropouts, total.left_out), (1024, 2, 1));
/// ```
pub fn program(words: &[Word]) -> Total {
    let mut total = Total::default();
    for word in words {
        match Dropout::decode(word) {
            Ok(record) if !record.src_mem_pattern.start_addr.is_shape_register() => {
                let estimate = dropout(record.src_mem_pattern.num_elements());
                total.cycles = total.cycles.saturating_add(estimate.cycles);
                total.dropouts += 1;
            }
            _ => total.left_out += 1,
        }
    }
    total
}
