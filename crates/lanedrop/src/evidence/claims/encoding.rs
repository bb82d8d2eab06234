//! What the 64 bytes are: layout, enumerations, geometry.

use crate::evidence::Claim;

/// Every claim of this file.
pub static ALL: &[&Claim] = &[];
