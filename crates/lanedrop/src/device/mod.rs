//! What surrounds the instruction: memories, registers, semaphores, generators.
//!
//! A [`Device`] is the state that a program finds and leaves: the two on-chip
//! [`Memory`]s of a generation, 64 registers, 256 semaphores and events
//! ([`Sync`]), and the generator state of the Vector engine's 128 lanes. A
//! [`Walk`] says which bytes of a partition a pattern visits, in which order.
//! What records do to all this is the business of [`exec`](crate::exec).

mod bound;
mod core;
mod memory;
mod partition;
mod registers;
mod sync;
mod walk;

pub use bound::{Lent, Window};
pub use core::{Device, SeedError};
pub use memory::{Memory, MemoryError, Rows};
pub use registers::{RegisterError, Registers};
pub use sync::{Sync, Waiting};
pub use walk::{Outside, Spans, Walk};
