//! The verbs: each file has its `Args` and a `run` that returns an [`Outcome`](crate::Outcome).

pub(crate) mod assemble;
pub(crate) mod backends;
pub(crate) mod bench;
pub(crate) mod decode;
pub(crate) mod disassemble;
pub(crate) mod draw;
pub(crate) mod evidence;
pub(crate) mod exec;
pub(crate) mod lower;
pub(crate) mod profile;
pub(crate) mod recover;
pub(crate) mod run;
pub(crate) mod trace;
pub(crate) mod validate;
