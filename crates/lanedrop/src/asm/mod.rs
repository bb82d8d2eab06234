//! The text form of records, lossless for any 64 bytes.
//!
//! [`disassemble`] writes text that [`assemble`] turns into the same bytes:
//! named fields where a record kind has a layout, a hex body where only its
//! name is known, and all 64 bytes where not even that is. Generations matter
//! for one thing, the places of addresses, so the text names its own.
//! The grammar is in `docs/assembly.md`.

mod error;
mod key;
mod lexer;
mod parse;
mod print;
mod value;

pub use error::{AsmError, Problem, Span, WithSource};
pub use parse::assemble;
pub use print::{Statement, disassemble, write_header};

#[cfg(test)]
mod tests;
