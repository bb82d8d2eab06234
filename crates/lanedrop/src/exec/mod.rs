//! Execution of the instruction: the golden model and what runs tensors.
//!
//! [`mod@reference`] says what happens to an element; a [`Runner`] applies it to a
//! tensor, any stretch of it at a time, as a [`Job`] asks. Bytes come in and go
//! out as slices; files and arrays are the callers' business.

mod backend;
pub mod cost;
mod element;
mod error;
mod fast;
mod lower;
mod number;
mod plan;
pub mod program;
pub mod reference;
mod region;
mod runner;
mod scale;
pub mod trace;
mod view;

pub use backend::Backend;
pub use element::Element;
pub use error::ExecError;
pub use lower::{LowerError, Lowered, Lowering, lower};
pub use plan::{Constant, Move, Plan, PlanError, Segment};
pub use region::{Region, RegionError};
pub use runner::{Job, Masks, Runner, packed_len};
pub use scale::{Multiply, scale_factor};
pub use view::View;
