//! What the firmware does with a record, line by line, each with its standing.
//!
//! The addresses are those of CAYMAN's DEBUG image, the one that was read.
//! Values follow from the record and a profile; where two sources disagree, a
//! line says both sides. What a running program adds (draws, thresholds from
//! memory) would come from a run on the device model, which is not there yet.

mod dispatch;
mod handler;
mod line;
mod vector;

pub use line::{At, Ground, Line, Stage};

use crate::isa::{Dropout, Generation, Word};
use crate::rng::Profile;

/// Returns every line of one Dropout: dispatch, handler, frame, vector loop.
///
/// ```
/// use lanedrop::exec::trace;
/// use lanedrop::isa::{Addr4, Dropout, Dtype, Generation, Tensor3d};
/// use lanedrop::rng::Profile;
/// let row = Tensor3d::row(Addr4(0), 512);
/// let dropout = Dropout::new(Dtype::BFLOAT16, row, row, 128, 0.25);
/// let profile = Profile::builtin("trn1").unwrap();
/// let lines = trace::dropout(&dropout, Generation::V3, &profile);
/// let count = lines.iter().find(|line| line.at == Some(trace::At::Frame(8))).unwrap();
/// assert_eq!(count.value.as_deref(), Some("512"));
/// ```
pub fn dropout(dropout: &Dropout, generation: Generation, profile: &Profile) -> Vec<Line> {
    let mut lines = dispatch::dropout(generation);
    lines.extend(handler::before_loop(dropout));
    lines.extend(vector::loop_of(dropout, generation, profile));
    lines.push(handler::tail());
    lines
}

/// Returns what is known of a record that is no Dropout: where the DVE's
/// dispatch would look for it, or that the runtime replaces it.
pub fn other(word: &Word) -> Vec<Line> {
    dispatch::other(word.opcode())
}

#[cfg(test)]
mod tests;
