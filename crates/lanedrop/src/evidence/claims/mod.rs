//! The one list of facts, by subject.

use super::Claim;

pub mod dtypes;
pub mod encoding;
pub mod firmware;
pub mod memory;
pub mod neff;
pub mod neighbours;
pub mod rng;
pub mod rules;
pub mod sites;

/// Defines claims as statics and lists them all in `ALL`.
///
/// ```text
/// claims! {
///     NAME = "id", High Observed, "what it says", "source";
///     NAME = "id", Med Inferred, "…", "…", contested ["who says what else"], wall ClosableWithStatic "what closes it";
/// }
/// ```
macro_rules! claims {
    ($(
        $name:ident = $id:literal, $confidence:ident $basis:ident, $says:literal, $source:literal
        $(, contested [$($contested:literal),+ $(,)?])?
        $(, refuted [$($refuted:literal),+ $(,)?])?
        $(, wall $wall:ident $closes:literal)?;
    )*) => {
        $(
            // A block: words such as u32[8] are no links.
            #[doc = concat!("```text\n", $says, "\n```")]
            pub static $name: $crate::evidence::Claim = $crate::evidence::Claim::new(
                $id,
                $says,
                $crate::evidence::Confidence::$confidence,
                $crate::evidence::Basis::$basis,
                $source,
            )
            $(.contested(&[$($contested),+]))?
            $(.refuted(&[$($refuted),+]))?
            $(.behind($crate::evidence::WallKind::$wall, $closes))?;
        )*

        /// Every claim of this file.
        pub static ALL: &[&$crate::evidence::Claim] = &[$(&$name),*];
    };
}
pub(crate) use claims;

/// Returns every claim, in the order of the subjects.
pub fn all() -> impl Iterator<Item = &'static Claim> {
    [
        encoding::ALL,
        memory::ALL,
        dtypes::ALL,
        rules::ALL,
        neighbours::ALL,
        rng::ALL,
        firmware::ALL,
        sites::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Returns the claim with this id.
pub fn find(id: &str) -> Option<&'static Claim> {
    all().find(|claim| claim.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::evidence::Standing;

    #[test]
    fn every_id_is_unique_and_lower_case_with_hyphens() {
        let mut seen = BTreeSet::new();
        for claim in all() {
            assert!(seen.insert(claim.id), "{} is there twice", claim.id);
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(claim.id.chars().all(plain), "{}", claim.id);
        }
    }

    #[test]
    fn a_claim_names_its_conflicts_exactly_when_it_has_some() {
        for claim in all() {
            assert_eq!(
                claim.conflicts.is_empty(),
                claim.standing == Standing::Uncontested,
                "{}",
                claim.id
            );
            assert!(!claim.says.is_empty() && !claim.source.is_empty(), "{}", claim.id);
        }
    }

    #[test]
    fn find_returns_the_claim_of_that_id_only() {
        assert!(std::ptr::eq(find("dropout-opcode").unwrap(), &encoding::DROPOUT_OPCODE));
        assert_eq!(find("no-such-claim"), None);
    }
}
