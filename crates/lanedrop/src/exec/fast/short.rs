//! Rows so short that a kernel would make more keep bits than they have: the
//! rows of several tiles are decided together, as a lane's stream goes on from
//! tile to tile.

use super::rows::room;
use super::worker::Worker;

/// Rows of fewer elements go together.
const SHORT_ROW: u64 = 256;
/// Draws of a lane that are made together, about.
const TOGETHER: u64 = 1024;
/// Lanes up to which the keep bits of all fit the caches.
const MOST_LANES: usize = 4096;

impl Worker<'_> {
    /// Whether the rows of whole tiles go together.
    pub(super) fn joins_rows(&self) -> bool {
        let row_len = self.work.row_len;
        row_len < SHORT_ROW
            && self.progress.positions.len() <= MOST_LANES
            // One multiplication for all of them, and no gaps between masks.
            && self.work.multiplies.len() < 2
            && (self.output.packed.is_none() || row_len.is_multiple_of(8))
    }

    /// Runs whole tiles, `row` the first row of the first of them.
    pub(super) fn short_rows(&mut self, mut row: u64, mut tiles: u64) {
        let row_len = self.work.row_len;
        let lanes = self.progress.positions.len();
        while tiles > 0 {
            let now = tiles.min((TOGETHER / row_len).max(1));
            let count = (now * row_len) as usize;
            let at = self.offset(row, 0);
            let (keep, stride) = self.decide(0..lanes, count, at);
            let elements = count * lanes;
            let mut joined = room(&mut self.joined, elements.div_ceil(64) + 1);
            join(&keep, stride, lanes, (now as usize, row_len as usize), &mut joined);
            self.put(row, 0, 0, elements, &mut joined);
            self.keep = keep;
            self.joined = joined;
            row += now * lanes as u64;
            tiles -= now;
        }
    }
}

/// Puts the keep bits of rows behind each other: tile after tile, lane after
/// lane, from those of each lane.
fn join(
    keep: &[u64],
    stride: usize,
    lanes: usize,
    (tiles, row_len): (usize, usize),
    joined: &mut [u64],
) {
    let (mut word, mut filled, mut at) = (0, 0, 0);
    for tile in 0..tiles {
        for lane in 0..lanes {
            let row = &keep[lane * stride..][..stride];
            let (mut from, end) = (tile * row_len, (tile + 1) * row_len);
            while from < end {
                // As many bits as one word has of the row.
                let len = (end - from).min(64 - from % 64);
                let bits = row[from / 64] >> (from % 64) & (u64::MAX >> (64 - len));
                word |= bits << filled;
                filled += len;
                if filled >= 64 {
                    joined[at] = word;
                    at += 1;
                    filled -= 64;
                    // What did not fit; all of it did where nothing is left.
                    word = if filled == 0 { 0 } else { bits >> (len - filled) };
                }
                from += len;
            }
        }
    }
    joined[at] = word;
}
