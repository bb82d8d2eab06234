//! What the firmware does with a record, line by line, each with its standing.
//!
//! The addresses are those of CAYMAN's DEBUG image, the one that was read.
//! Values follow from the record and a profile; where two sources disagree, a
//! line says both sides. A [`Recorder`] adds what a program has while it runs on
//! the device: thresholds from memory, draws, decisions, what was written.

mod dispatch;
mod handler;
mod line;
mod recorder;
mod vector;

pub use line::{At, Ground, Line, Stage};
pub use recorder::{Recorder, Traced};

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
    dropout_lines(dropout, generation, profile, None)
}

/// Returns the lines of a Dropout, with what it has while it runs.
fn dropout_lines(
    dropout: &Dropout,
    generation: Generation,
    profile: &Profile,
    values: Option<&recorder::Values>,
) -> Vec<Line> {
    let mut lines = dispatch::dropout(generation);
    lines.extend(handler::before_loop(dropout));
    lines.extend(vector::loop_of(dropout, generation, profile, values));
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
