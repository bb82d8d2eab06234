//! The firmware's handler and its sites.

use crate::evidence::Claim;

/// Every claim of this file.
pub static ALL: &[&Claim] = &[];
