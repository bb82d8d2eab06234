//! What the validator asks.

use crate::evidence::Claim;

/// Every claim of this file.
pub static ALL: &[&Claim] = &[];
