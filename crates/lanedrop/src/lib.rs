//! An executable, evidence-carrying model of AWS NeuronCore's `Dropout`
//! instruction (opcode 0x7f) and the random-number machinery around it.
//!
//! The modules stand in order of dependence; each uses only earlier ones:
//! [`evidence`], [`isa`], [`asm`], [`gf2`], [`rng`], [`device`], [`kernel`],
//! [`exec`], [`neff`], [`lint`]. There is no file or terminal I/O here: the `lanedrop` command and
//! the bindings bring bytes in and take bytes out.

pub mod asm;
pub mod device;
pub mod evidence;
pub mod exec;
pub mod gf2;
pub mod isa;
pub mod kernel;
pub mod lint;
pub mod neff;
pub mod recover;
pub mod rng;
