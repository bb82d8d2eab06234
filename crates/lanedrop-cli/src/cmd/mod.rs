//! The verbs: each file has its `Args` and a `run` that returns an [`Outcome`](crate::Outcome).

pub(crate) mod draw;
pub(crate) mod profile;
