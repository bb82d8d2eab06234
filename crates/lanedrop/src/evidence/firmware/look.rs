//! One site and the bytes of its image.

use super::check::{Check, CheckState};
use super::pattern::Pattern;
use super::site::{Expect, Site};
use super::xtensa;

/// Compares one site with the bytes of its image.
pub(super) fn look(site: &'static Site, image: Option<&[u8]>) -> Check {
    let at = |len: u64| -> Option<&[u8]> {
        let start = usize::try_from(site.offset_bytes).ok()?;
        image?.get(start..)?.get(..usize::try_from(len).ok()?)
    };
    let verdict = |agrees: bool| match agrees {
        true => CheckState::Confirmed,
        false => CheckState::Refuted,
    };
    let (expected, outcome) = match &site.expect {
        Expect::Bytes(patterns) => {
            let longest = patterns.iter().map(|pattern| pattern.len()).max().unwrap_or(0);
            let expected: Vec<&str> = patterns.iter().map(|pattern| pattern.0).collect();
            let outcome = at(longest as u64).map(|bytes| {
                (verdict(patterns.iter().any(|pattern| pattern.matches(bytes))), spaced(bytes))
            });
            (expected.join(" or "), outcome)
        }
        Expect::Within { len_bytes, pattern } => {
            let outcome = at(*len_bytes).map(|bytes| match pattern.find(bytes) {
                Some(place) => {
                    (CheckState::Confirmed, format!("at {:#x}", site.offset_bytes + place as u64))
                }
                None => (CheckState::Refuted, "not there".into()),
            });
            (format!("{pattern} within {len_bytes:#x} bytes"), outcome)
        }
        Expect::Absent { len_bytes, patterns } => {
            let names: Vec<&str> = patterns.iter().map(|pattern| pattern.0).collect();
            let outcome = at(*len_bytes).map(|bytes| {
                let hit = patterns.iter().find_map(|p| Some((p, p.find(bytes)?)));
                match hit {
                    None => (CheckState::Confirmed, "none".into()),
                    Some((pattern, place)) => (
                        CheckState::Refuted,
                        format!("{pattern} at {:#x}", site.offset_bytes + place as u64),
                    ),
                }
            });
            (format!("none of {} in {len_bytes:#x} bytes", names.join(", ")), outcome)
        }
        Expect::Calls { len_bytes, target } => {
            let outcome = at(*len_bytes).map(|bytes| {
                let calls = calls(bytes, site.offset_bytes);
                let hit = calls.iter().any(|(_, called)| called == target);
                let found: Vec<String> =
                    calls.iter().map(|(pc, called)| format!("{called:#x} from {pc:#x}")).collect();
                // A whole handler calls much; that it does is enough.
                let found = if hit || found.len() > 8 { String::new() } else { found.join(", ") };
                (
                    verdict(hit),
                    if hit {
                        "there".into()
                    } else {
                        format!("not there {found}").trim_end().into()
                    },
                )
            });
            (format!("call8 {target:#x} within {len_bytes:#x} bytes"), outcome)
        }
        Expect::Callers { target } => {
            let outcome = image.map(|bytes| {
                let callers: Vec<String> = calls(bytes, 0)
                    .into_iter()
                    .filter(|(_, called)| called == target)
                    .map(|(pc, _)| format!("{pc:#x}"))
                    .collect();
                (CheckState::Shown, callers.join(", "))
            });
            (String::new(), outcome)
        }
        Expect::Text => {
            let longest =
                image.map_or(0, |image| image.len() as u64).saturating_sub(site.offset_bytes);
            let outcome = at(longest.min(128)).map(text);
            ("a text that a zero byte ends".into(), outcome)
        }
        Expect::Unknown { len_bytes } => {
            (String::new(), at(*len_bytes).map(|bytes| (CheckState::Shown, spaced(bytes))))
        }
    };
    let whole_bytes = |pattern: &Pattern| pattern.bytes().filter(|byte| byte.1 == 0xff).count();
    let exact = match &site.expect {
        Expect::Bytes(patterns) => patterns.iter().all(|pattern| whole_bytes(pattern) >= 3),
        _ => false,
    };
    let (state, found) = outcome.unwrap_or((CheckState::NotPresent, String::new()));
    Check {
        image: site.image.name,
        offset_bytes: site.offset_bytes,
        what: site.what,
        expected,
        found,
        origin: site.origin,
        basis: site.basis,
        state,
        claim: site.claim,
        witness: exact && state == CheckState::Confirmed,
        telling: !matches!(site.expect, Expect::Absent { .. }),
    }
}

/// Returns each place in `bytes` that reads as a `call8`, with its target;
/// the first byte is at `base`.
///
/// Vector bundles can read as calls too, so this shows candidates.
fn calls(bytes: &[u8], base: u64) -> Vec<(u32, u32)> {
    let base = u32::try_from(base).unwrap_or(u32::MAX);
    (base..)
        .zip(bytes.windows(3))
        .filter_map(|(pc, window)| {
            let code = window.first_chunk()?;
            Some((pc, xtensa::call8_target(pc, *code)?))
        })
        .collect()
}

/// Returns whether `bytes` starts with a text, and the text.
fn text(bytes: &[u8]) -> (CheckState, String) {
    let end = bytes.iter().position(|&byte| byte == 0);
    let words = &bytes[..end.unwrap_or(bytes.len())];
    let printable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    match end {
        Some(len) if len >= 4 && words.iter().all(printable) => {
            (CheckState::Confirmed, String::from_utf8_lossy(words).escape_debug().to_string())
        }
        _ => (CheckState::Refuted, spaced(&bytes[..bytes.len().min(16)])),
    }
}

/// Writes bytes in hex with spaces.
fn spaced(bytes: &[u8]) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.join(" ")
}
