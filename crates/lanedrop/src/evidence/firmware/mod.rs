//! The ledger against a user's own copy of the firmware library.
//!
//! The tables say where in which image a fact was read and what bytes stand
//! there; [`check`] compares a file with them. A site whose bytes were only
//! reasoned becomes confirmed when a file has them. Nothing else in the
//! library needs such a file.

mod check;
mod dve;
mod images;
mod look;
mod pattern;
mod pool;
mod site;
mod slots;
pub mod xtensa;

pub use check::{
    Check, CheckState, ClaimCheck, FileKind, FirmwareReport, HashState, ImageCheck, check,
};
pub use images::{CONTAINER, Container, IMAGES, Image};
pub use pattern::Pattern;
pub use site::{Expect, Origin, Site};
pub use slots::{DISPATCH, DispatchTable, FIRST_OPCODE, JOIN, SECOND_OFFSET, STUB, TABLES};

/// Returns every site, by image.
pub fn sites() -> impl Iterator<Item = &'static Site> {
    [dve::DISPATCH, dve::HANDLER, dve::DATA, dve::SIBLINGS_V4, pool::V3_SITES, pool::V4_SITES]
        .into_iter()
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_site_lies_in_its_image() {
        for site in sites() {
            let len = match &site.expect {
                Expect::Bytes(patterns) => {
                    patterns.iter().map(|p| p.len() as u64).max().unwrap_or(0)
                }
                Expect::Within { len_bytes, .. }
                | Expect::Absent { len_bytes, .. }
                | Expect::Calls { len_bytes, .. }
                | Expect::Unknown { len_bytes } => *len_bytes,
                Expect::Callers { .. } => 1,
                Expect::Text => 5,
            };
            assert!(len > 0, "{} expects nothing", site.what);
            assert!(site.offset_bytes + len <= site.image.size_bytes, "{}", site.what);
        }
    }

    #[test]
    fn every_pattern_is_pairs_of_digits_or_holes() {
        let fine = |pattern: &Pattern| {
            !pattern.is_empty()
                && pattern.0.split(' ').all(|pair| {
                    pair.len() == 2 && pair.chars().all(|c| c == '?' || c.is_ascii_hexdigit())
                })
        };
        for site in sites() {
            match &site.expect {
                Expect::Bytes(patterns) | Expect::Absent { patterns, .. } => {
                    assert!(!patterns.is_empty() && patterns.iter().all(fine), "{}", site.what);
                }
                Expect::Within { pattern, .. } => assert!(fine(pattern), "{}", site.what),
                _ => {}
            }
        }
    }

    #[test]
    fn only_sites_with_expected_bytes_have_an_origin() {
        for site in sites() {
            let open = matches!(
                site.expect,
                Expect::Text | Expect::Unknown { .. } | Expect::Callers { .. }
            );
            assert_eq!(open, site.origin == Origin::Unknown, "{}", site.what);
        }
    }
}
