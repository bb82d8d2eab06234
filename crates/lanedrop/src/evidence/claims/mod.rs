//! The one list of facts, by subject.

use super::Claim;

pub mod encoding;
pub mod firmware;
pub mod rng;
pub mod rules;

/// Returns every claim, in the order of the subjects.
pub fn all() -> impl Iterator<Item = &'static Claim> {
    [encoding::ALL, rules::ALL, rng::ALL, firmware::ALL].into_iter().flatten().copied()
}

/// Returns the claim with this id.
pub fn find(id: &str) -> Option<&'static Claim> {
    all().find(|claim| claim.id == id)
}
