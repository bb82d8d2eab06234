//! Files in and out: what `run` reads and writes.
//!
//! Inputs are mapped or streamed, outputs written in blocks beside their
//! target and renamed at the end.

pub(crate) mod boxes;
pub(crate) mod dtype;
pub(crate) mod input;
pub(crate) mod mapped;
pub(crate) mod npy;
pub(crate) mod npz;
pub(crate) mod output;
pub(crate) mod safetensors;
