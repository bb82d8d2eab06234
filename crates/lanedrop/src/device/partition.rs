//! One row of an on-chip memory.

use std::ops::Range;

/// The bytes of one partition.
///
/// They are kept from offset 0 up to the last one written; what lies behind
/// them is zero and takes no room.
#[derive(Debug, Default)]
pub(super) struct Partition {
    bytes: Vec<u8>,
}

/// Bytes grow by at least this much, so that a program that writes upwards does
/// not copy them again and again.
const GROWTH_BYTES: usize = 4096;

impl Partition {
    /// Reads the bytes from `start` on.
    pub(super) fn read(&self, start: usize, into: &mut [u8]) {
        let have = self.bytes.get(start..).unwrap_or(&[]);
        let have = &have[..have.len().min(into.len())];
        into[..have.len()].copy_from_slice(have);
        into[have.len()..].fill(0);
    }

    /// Returns the bytes of a range; `limit` is how many the partition has.
    pub(super) fn range(&mut self, range: Range<usize>, limit: usize) -> &mut [u8] {
        self.grow(range.end, limit);
        &mut self.bytes[range]
    }

    /// Returns two ranges, the first to be read and the second to be written;
    /// none where they overlap.
    pub(super) fn pair(
        &mut self,
        src: Range<usize>,
        dst: Range<usize>,
        limit: usize,
    ) -> Option<(&[u8], &mut [u8])> {
        self.grow(src.end.max(dst.end), limit);
        split(&mut self.bytes, src, dst)
    }

    /// Keeps everything below `len`.
    fn grow(&mut self, len: usize, limit: usize) {
        if self.bytes.len() >= len {
            return;
        }
        let wanted =
            len.max(2 * self.bytes.len()).next_multiple_of(GROWTH_BYTES).min(limit.max(len));
        // A fresh allocation comes zeroed from the system, untouched.
        let mut grown = vec![0; wanted];
        grown[..self.bytes.len()].copy_from_slice(&self.bytes);
        self.bytes = grown;
    }
}

/// Returns two ranges of `bytes`; none where they overlap.
pub(super) fn split(
    bytes: &mut [u8],
    src: Range<usize>,
    dst: Range<usize>,
) -> Option<(&[u8], &mut [u8])> {
    if src.end <= dst.start {
        let (low, high) = bytes.split_at_mut(dst.start);
        Some((&low[src], &mut high[..dst.len()]))
    } else if dst.end <= src.start {
        let (low, high) = bytes.split_at_mut(src.start);
        Some((&high[..src.len()], &mut low[dst]))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_written_reads_as_zero_and_takes_no_room() {
        let mut partition = Partition::default();
        let mut bytes = [0xee; 4];
        partition.read(100, &mut bytes);
        assert_eq!(bytes, [0; 4]);
        assert_eq!(partition.bytes.capacity(), 0);
        partition.range(2..4, 1 << 20).copy_from_slice(&[1, 2]);
        let mut bytes = [0xee; 6];
        partition.read(0, &mut bytes);
        assert_eq!(bytes, [0, 0, 1, 2, 0, 0]);
        partition.read(4094, &mut bytes);
        assert_eq!(bytes, [0; 6]);
        assert!(partition.bytes.len() <= GROWTH_BYTES);
    }

    #[test]
    fn bytes_never_reach_beyond_the_limit() {
        let mut partition = Partition::default();
        partition.range(0..70, 100).fill(1);
        partition.range(90..100, 100).fill(2);
        assert_eq!(partition.bytes.len(), 100);
    }

    #[test]
    fn two_ranges_come_apart_unless_they_overlap() {
        let mut partition = Partition::default();
        partition.range(0..8, 64).copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
        for (src, dst, expected) in [
            (0..4, 4..8, Some((1, 5))),
            (4..8, 0..4, Some((5, 1))),
            (0..4, 3..8, None),
            (0..2, 12..14, Some((1, 0))),
        ] {
            let pair = partition.pair(src, dst, 64);
            assert_eq!(pair.map(|(src, dst)| (src[0], dst[0])), expected);
        }
    }
}
