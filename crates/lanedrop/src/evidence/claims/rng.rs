//! Generators, seeding, conversion and comparison.

use crate::evidence::Claim;

/// Every claim of this file.
pub static ALL: &[&Claim] = &[];
