//! Rows: which lanes and columns are decided at a time.

use std::ops::Range;

use super::worker::Worker;
use super::{Draws, Fast, Output, Target};
use crate::exec::Element;
use crate::gf2::ByteMap;
use crate::kernel::{self, WORDS, weave};

/// Elements of a row that are decided before any data are touched, at most.
const COLUMNS: usize = 8_192;
/// Elements decided before any data are touched, at most: their keep bits stay
/// in the nearest cache.
const BLOCK: usize = 65_536;
/// Registers that kernels take side by side; fewer rows are cut into columns.
const ABREAST: usize = 8;
/// Data from this size on are brought near while their keep bits are made.
const FAR_BYTES: usize = 1 << 20;

impl Worker<'_> {
    /// Runs the rows of some lanes, `row` the first of them.
    pub(super) fn rectangle(&mut self, row: u64, lanes: Range<usize>, columns: Range<u64>) {
        let width = columns.end - columns.start;
        let single = self.work.fast.registers_per_lane == 1;
        let affine = matches!(&*self.work.fast.draws, Draws::Affine(_));
        let few = lanes.len() < ABREAST && width >= (ABREAST * 64 * WORDS) as u64;
        if affine && single && (few || width >= BLOCK as u64) {
            for (at, lane) in lanes.enumerate() {
                self.long_row(row + at as u64, lane, columns.clone());
            }
            return;
        }
        let columns_each = width.min(COLUMNS as u64) as usize;
        let lanes_each = if columns_each == COLUMNS {
            ABREAST
        } else {
            (BLOCK / columns_each.next_multiple_of(64 * WORDS)).max(ABREAST) / ABREAST * ABREAST
        };
        let mut first = lanes.start;
        while first < lanes.end {
            let group = first..lanes.end.min(first + lanes_each);
            let mut column = columns.start;
            while column < columns.end {
                let count = (columns.end - column).min(COLUMNS as u64) as usize;
                self.block(row + (first - lanes.start) as u64, group.clone(), column, count);
                column += count as u64;
            }
            first = group.end;
        }
    }

    /// Runs `count` columns of the rows of some lanes.
    fn block(&mut self, row: u64, lanes: Range<usize>, column: u64, count: usize) {
        let at = self.offset(row, column);
        let (mut keep, stride) = self.decide(lanes.clone(), count, at);
        let side_by_side = count as u64 == self.work.row_len && stride * 64 == count;
        if side_by_side && self.work.multiplies.len() < 2 {
            // Rows and their keep bits lie side by side, without a gap.
            let words = &mut keep[..lanes.len() * stride];
            self.put(row, lanes.start, column, count * lanes.len(), words);
        } else {
            for (at, words) in keep.chunks_exact_mut(stride).enumerate().take(lanes.len()) {
                self.put(row + at as u64, lanes.start + at, column, count, words);
            }
        }
        self.keep = keep;
    }

    /// Returns the keep bits of the next `count` elements of some lanes, and
    /// how many words each lane has of them; `at` is the place of the first.
    pub(super) fn decide(
        &mut self,
        lanes: Range<usize>,
        count: usize,
        at: usize,
    ) -> (Vec<u64>, usize) {
        let fast = self.work.fast;
        let registers = fast.registers_per_lane;
        let draws = count / registers;
        let stride = count.div_ceil(64).next_multiple_of(WORDS).max(WORDS);
        let mut keep = room(&mut self.keep, lanes.len() * stride);
        if draws < fast.kernels.worth_draws() {
            for (at, lane) in lanes.enumerate() {
                self.draw_each(lane, 0..count, &mut keep[at * stride..]);
            }
            return (keep, stride);
        }
        let ahead = self.output.ahead(at, self.work.element);
        let width = fast.words_per_register * registers;
        let words = &mut self.progress.lanes.words_mut()[lanes.start * width..lanes.end * width];
        if registers == 1 {
            fast.keep(words, lanes.start, count, &mut keep, stride, ahead);
            return (keep, stride);
        }
        let each = draws.div_ceil(64).next_multiple_of(WORDS);
        let mut streams = room(&mut self.streams, lanes.len() * registers * each);
        fast.keep(words, lanes.start, draws, &mut streams, each, ahead);
        for (at, lane) in lanes.enumerate() {
            let of_lane = &streams[at * registers * each..][..registers * each];
            let stream = |register: usize| &of_lane[register * each..][..draws.div_ceil(64)];
            let woven = &mut keep[at * stride..][..stride];
            let most = woven.len().min(4 * draws.div_ceil(64));
            weave([stream(0), stream(1), stream(2), stream(3)], &mut woven[..most]);
            // Those that not all registers of the lane serve.
            self.draw_each(lane, registers * draws..count, woven);
        }
        self.streams = streams;
        (keep, stride)
    }

    /// Draws elements of a lane one at a time.
    fn draw_each(&mut self, lane: usize, elements: Range<usize>, words: &mut [u64]) {
        let cut = self.work.fast.cut(lane);
        let uniform = self.progress.lanes.profile().uniform;
        let mut draws = [0; 64];
        for from in elements.clone().step_by(draws.len()) {
            let draws = &mut draws[..(elements.end - from).min(64)];
            self.progress.lanes.fill(lane, draws);
            for (element, draw) in (from..).zip(draws) {
                let kept = cut.keeps(uniform.key(*draw));
                let word = &mut words[element / 64];
                *word = *word & !(1 << (element % 64)) | u64::from(kept) << (element % 64);
            }
        }
    }

    /// Runs one row as several stretches side by side, reached by a jump.
    fn long_row(&mut self, row: u64, lane: usize, columns: Range<u64>) {
        let fast = self.work.fast;
        let mut column = columns.start;
        let block = (64 * WORDS) as u64;
        let each = ((columns.end - column) / ABREAST as u64 / block * block).min(COLUMNS as u64);
        let jump = self.progress.lanes.draw_power(each).map(|map| ByteMap::new(&map));
        if let Some(jump) = jump {
            let count = each as usize;
            let stride = count / 64;
            let mut keep = room(&mut self.keep, ABREAST * stride);
            while columns.end - column >= each * ABREAST as u64 {
                let mut register = self.progress.lanes.registers(lane)[0];
                let mut registers = [0; ABREAST];
                for place in &mut registers {
                    *place = register;
                    register = jump.apply(register);
                }
                let cut = fast.cut(lane);
                let ahead = self.output.ahead(self.offset(row, column), self.work.element);
                fast.keep_same(cut, &mut registers, count, &mut keep, stride, ahead);
                self.progress.lanes.registers_mut(lane)[0] = register;
                for words in keep.chunks_exact_mut(stride).take(ABREAST) {
                    self.put(row, lane, column, count, words);
                    column += each;
                }
            }
            self.keep = keep;
        }
        while column < columns.end {
            let count = (columns.end - column).min(COLUMNS as u64) as usize;
            self.block(row, lane..lane + 1, column, count);
            column += count as u64;
        }
    }
}

/// Returns room for keep bits, what was there before included.
pub(super) fn room(place: &mut Vec<u64>, words: usize) -> Vec<u64> {
    let mut room = std::mem::take(place);
    if room.len() < words {
        room.resize(words, 0);
    }
    room
}

impl Output<'_> {
    /// The bytes that are read from element `at` on, where the data may not be
    /// near already.
    fn ahead(&self, at: usize, element: Element) -> &[u8] {
        let data = match &self.target {
            Target::Copy { src, .. } => src,
            Target::InPlace(data) => &**data,
            Target::Nowhere => &[],
        };
        let size = element.size_bytes();
        if data.len() < FAR_BYTES {
            return &[];
        }
        &data[at * size..data.len().min((at + BLOCK) * size)]
    }
}

impl Fast {
    /// As [`Fast::keep`], for registers that are all of one lane.
    fn keep_same(
        &self,
        cut: kernel::Cut,
        registers: &mut [u32],
        draws: usize,
        keep: &mut [u64],
        stride: usize,
        ahead: &[u8],
    ) {
        if let Draws::Affine(affine) = &*self.draws {
            affine.keep(kernel::Cuts::Same(cut), registers, draws, keep, stride, ahead);
        }
    }
}
