//! Which generator a device has, from its masks.
//!
//! [`simulate`] makes captures, [`check`] asks whether a device does what a
//! profile says, [`solve`] finds out what it does. All of it rests on one
//! fact: with a known state every mask bit at a threshold of one half is a
//! parity of that state, so masks are linear equations.
//!
//! Files are read and written elsewhere; this module takes and gives values.

mod attempt;
mod bits;
mod bound;
mod candidates;
mod capture;
mod check;
mod families;
mod fault;
mod generator;
mod judge;
mod layout;
mod lines;
mod plan;
mod random;
mod raw;
mod recurrence;
mod replay;
mod report;
mod roots;
mod seen;
mod separate;
mod separating;
pub mod simulate;
mod single;
mod solve;
mod steps;
mod streams;
mod transition;
mod verdict;
mod words;

pub use bits::BitRow;
pub use capture::{CAPTURE_FORMAT, Capture, CaptureError, CaptureFile};
pub use check::{CheckError, CheckReport, FirstMismatch, check};
pub use generator::{generator_name, parse_generator};
pub use layout::Layout;
pub use plan::{CAPTURE_SCRIPT, Plan, PlanOptions, PlanStep};
pub use random::SplitMix;
pub use report::{
    Hypothesis, Lcg, NextCapture, NextRow, OutputMap, Report, Searched, Slip, Transition, Verdict,
};
pub use solve::solve;
