//! Bytes with holes, as the site tables write them.

use std::fmt;

use serde::Serialize;

/// Bytes in hex with a space between two, `?` for a digit that is not known:
/// `36 ?1 ??`.
///
/// ```
/// use lanedrop::evidence::firmware::Pattern;
/// assert!(Pattern("36 ?1 ??").matches(&[0x36, 0xa1, 0x00]));
/// assert!(!Pattern("36 ?1 ??").matches(&[0x36, 0xa2, 0x00]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Pattern(pub &'static str);

impl Pattern {
    /// Returns how many bytes the pattern covers.
    pub fn len(self) -> usize {
        self.0.split_ascii_whitespace().count()
    }

    /// Returns whether the pattern covers no byte.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns each byte as its value and the mask of its known bits.
    pub fn bytes(self) -> impl Iterator<Item = (u8, u8)> {
        self.0.split_ascii_whitespace().map(|pair| {
            pair.chars().fold((0, 0), |(value, mask), digit| match digit.to_digit(16) {
                // A hexadecimal digit fits four bits.
                Some(known) => (value << 4 | known as u8, mask << 4 | 0xf),
                None => (value << 4, mask << 4),
            })
        })
    }

    /// Returns whether `bytes` starts with the pattern.
    pub fn matches(self, bytes: &[u8]) -> bool {
        let mut bytes = bytes.iter();
        self.bytes().all(|(value, mask)| bytes.next().is_some_and(|byte| byte & mask == value))
    }

    /// Returns where in `bytes` the pattern first stands.
    pub fn find(self, bytes: &[u8]) -> Option<usize> {
        let known: Vec<(u8, u8)> = self.bytes().collect();
        bytes.windows(known.len().max(1)).position(|window| {
            known.iter().zip(window).all(|((value, mask), byte)| byte & mask == *value)
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_covers_four_bits_and_every_value_of_them() {
        let bytes: Vec<_> = Pattern("cf ?1 2? ??").bytes().collect();
        assert_eq!(bytes, [(0xcf, 0xff), (0x01, 0x0f), (0x20, 0xf0), (0, 0)]);
        for hole in 0..=255 {
            assert!(Pattern("cf ??").matches(&[0xcf, hole]));
        }
    }

    #[test]
    fn too_few_bytes_never_match() {
        assert!(!Pattern("00 ??").matches(&[0]));
        assert!(!Pattern("00").matches(&[]));
        assert_eq!(Pattern("00 00").find(&[0]), None);
    }

    #[test]
    fn find_returns_the_first_place() {
        assert_eq!(Pattern("01 02").find(&[0, 1, 2, 1, 2]), Some(1));
        assert_eq!(Pattern("02 02").find(&[0, 1, 2, 1, 2]), None);
        assert_eq!(Pattern("02").find(&[0, 1, 2]), Some(2));
    }
}
