//! One thread's way through a stretch: a rectangle of rows at a time.

use std::ops::Range;

use super::{Draws, Fast, Output, Progress, Target, scale_of};
use crate::exec::{Element, Multiply};
use crate::gf2::ByteMap;
use crate::kernel::{self, ElementBytes, Streaming, WORDS, weave};
use crate::rng::Lanes;

/// Elements of a row that are decided before any data are touched, at most.
const COLUMNS: usize = 16_384;
/// Elements decided before any data are touched, at most: their keep bits stay
/// in the nearest cache.
const BLOCK: usize = 65_536;
/// Registers that kernels take side by side; fewer rows are cut into columns.
const ABREAST: usize = 8;
/// Elements scaled at a time: they stay in the nearest cache.
const SCALED: usize = 2_048;

/// Data from this size on are brought near while their keep bits are made.
const FAR_BYTES: usize = 1 << 20;

/// What a worker needs to know of its job.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) fast: &'a Fast,
    /// The lanes before the tensor's first element.
    pub(super) initial: &'a Lanes,
    pub(super) element: Element,
    pub(super) multiplies: &'a [Multiply],
    pub(super) row_len: u64,
    /// Present where outputs go past the caches.
    pub(super) streaming: Option<&'a Streaming>,
}

/// A worker in a stretch that begins at element `first`.
pub(super) struct Worker<'a> {
    work: Work<'a>,
    progress: &'a mut Progress,
    first: u64,
    output: Output<'a>,
    kept: u64,
    /// Keep bits of registers, and of lanes where they have several.
    keep: Vec<u64>,
    woven: Vec<u64>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        work: Work<'a>,
        progress: &'a mut Progress,
        first: u64,
        output: Output<'a>,
    ) -> Self {
        Self { work, progress, first, output, kept: 0, keep: Vec::new(), woven: Vec::new() }
    }

    /// Runs `len` elements; returns how many are kept.
    pub(super) fn run(mut self, len: u64) -> u64 {
        let row_len = self.work.row_len;
        let count = self.progress.positions.len() as u64;
        let (mut at, end) = (self.first, self.first + len);
        while at < end {
            let (row, column) = (at / row_len, at % row_len);
            let (lane, tile) = ((row % count) as usize, row / count);
            let whole = (end - at) / row_len;
            let (rows, columns) = if column != 0 || whole == 0 {
                (1, column..row_len.min(column + (end - at)))
            } else {
                (whole.min(count - lane as u64), 0..row_len)
            };
            at += rows * (columns.end - columns.start);
            self.move_to(lane..lane + rows as usize, tile * row_len + columns.start);
            self.rectangle(row, lane..lane + rows as usize, columns.clone());
            for position in &mut self.progress.positions[lane..lane + rows as usize] {
                *position += columns.end - columns.start;
            }
        }
        self.kept
    }

    /// Brings lanes to this many draws after their first state.
    fn move_to(&mut self, lanes: Range<usize>, position: u64) {
        let Progress { lanes: state, positions } = &mut *self.progress;
        if positions[lanes.clone()].iter().all(|at| *at == position) {
            return;
        }
        if position == 0 {
            let width = state.words_per_lane();
            let words = lanes.start * width..lanes.end * width;
            state.words_mut()[words.clone()].copy_from_slice(&self.work.initial.words()[words]);
            positions[lanes].fill(0);
            return;
        }
        let mut from = lanes.start;
        while from < lanes.end {
            let at = positions[from];
            let same = positions[from..lanes.end].iter().take_while(|other| **other == at).count();
            let run = from..from + same;
            if position < at {
                let width = state.words_per_lane();
                let words = run.start * width..run.end * width;
                state.words_mut()[words.clone()].copy_from_slice(&self.work.initial.words()[words]);
                state.advance_lanes(run.clone(), position);
            } else {
                state.advance_lanes(run.clone(), position - at);
            }
            positions[run.clone()].fill(position);
            from = run.end;
        }
    }

    /// Runs the rows of some lanes, `row` the first of them.
    fn rectangle(&mut self, row: u64, lanes: Range<usize>, columns: Range<u64>) {
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
                let group_row = row + (first - lanes.start) as u64;
                if single {
                    self.block(group_row, group.clone(), column, count);
                } else {
                    self.woven_block(group_row, group.clone(), column, count);
                }
                column += count as u64;
            }
            first = group.end;
        }
    }

    /// Runs `count` columns of the rows of some lanes of one register each.
    fn block(&mut self, row: u64, lanes: Range<usize>, column: u64, count: usize) {
        let fast = self.work.fast;
        let stride = count.div_ceil(64).next_multiple_of(WORDS);
        let mut keep = self.take_keep(lanes.len() * stride);
        let width = fast.words_per_register;
        let ahead = self.output.ahead(self.offset(row, column), self.work.element);
        let words = &mut self.progress.lanes.words_mut()[lanes.start * width..lanes.end * width];
        fast.keep(words, lanes.start, count, &mut keep, stride, ahead);
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

    /// As [`Worker::block`], for lanes of four registers.
    fn woven_block(&mut self, row: u64, lanes: Range<usize>, column: u64, count: usize) {
        let fast = self.work.fast;
        let registers = fast.registers_per_lane;
        let draws = count / registers;
        let stride = draws.div_ceil(64).next_multiple_of(WORDS);
        let mut keep = self.take_keep(lanes.len() * registers * stride);
        let width = fast.words_per_register * registers;
        let words = &mut self.progress.lanes.words_mut()[lanes.start * width..lanes.end * width];
        fast.keep(words, lanes.start, draws, &mut keep, stride, &[]);
        let mut woven = std::mem::take(&mut self.woven);
        // A word more than needed: the last draws of the registers end anywhere.
        woven.resize(count.div_ceil(64) + 4, 0);
        for (at, lane) in lanes.enumerate() {
            let streams = &keep[at * registers * stride..][..registers * stride];
            let stream = |register: usize| &streams[register * stride..][..draws.div_ceil(64)];
            let woven_words = 4 * draws.div_ceil(64);
            woven.resize(woven.len().max(woven_words + 1), 0);
            weave([stream(0), stream(1), stream(2), stream(3)], &mut woven[..woven_words]);
            self.put_last(lane, registers * draws..count, &mut woven);
            self.put(row + at as u64, lane, column, count, &mut woven);
        }
        self.woven = woven;
        self.keep = keep;
    }

    /// Draws the last few elements of a row one at a time: those that not all
    /// registers of the lane serve.
    fn put_last(&mut self, lane: usize, elements: Range<usize>, words: &mut [u64]) {
        let cut = self.work.fast.cut(lane);
        let uniform = self.progress.lanes.profile().uniform;
        for element in elements {
            let kept = cut.keeps(uniform.key(self.progress.lanes.draw(lane)));
            let word = &mut words[element / 64];
            *word = *word & !(1 << (element % 64)) | u64::from(kept) << (element % 64);
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
            let mut keep = self.take_keep(ABREAST * stride);
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

    /// The place of an element in the stretch.
    fn offset(&self, row: u64, column: u64) -> usize {
        (row * self.work.row_len + column - self.first) as usize
    }

    /// Returns the room for keep bits.
    fn take_keep(&mut self, words: usize) -> Vec<u64> {
        let mut keep = std::mem::take(&mut self.keep);
        if keep.len() < words {
            keep.resize(words, 0);
        }
        keep
    }

    /// Writes what `count` keep bits ask for, of a row or of whole rows side by
    /// side.
    fn put(&mut self, row: u64, lane: usize, column: u64, count: usize, words: &mut [u64]) {
        let words = &mut words[..count.div_ceil(64)];
        if let Some(last) = words.last_mut()
            && !count.is_multiple_of(64)
        {
            *last &= (1 << (count % 64)) - 1;
        }
        let work = self.work;
        let kernels = work.fast.kernels;
        self.kept += kernels.ones(words);
        let at = self.offset(row, column);
        let size = work.element.size_bytes();
        let range = at * size..(at + count) * size;
        let scale = match work.multiplies {
            [] => None,
            multiplies => Some(scale_of(&multiplies[lane % multiplies.len()], work.element)),
        };
        match (&mut self.output.target, scale) {
            (Target::Copy { src, dst }, None) => kernels.apply(
                element_bytes(work.element),
                &src[range.clone()],
                words,
                &mut dst[range],
                work.streaming,
            ),
            (Target::Copy { src, dst }, Some(scale)) => {
                copy_scaled(work, scale, &src[range.clone()], words, &mut dst[range]);
            }
            (Target::InPlace(data), None) => {
                kernels.apply_in_place(element_bytes(work.element), &mut data[range], words);
            }
            (Target::InPlace(data), Some(scale)) => {
                let pieces = data[range].chunks_mut(SCALED * size);
                for (data, words) in pieces.zip(words.chunks(SCALED / 64)) {
                    kernels.apply_in_place(element_bytes(work.element), data, words);
                    kernels.scale(scale, data);
                }
            }
            (Target::Nowhere, _) => {}
        }
        if let Some(bytes) = &mut self.output.bytes {
            kernels.bytes(words, &mut bytes[at..at + count]);
        }
        if let Some(packed) = &mut self.output.packed {
            let (first_row, first_column) = (self.first / work.row_len, self.first % work.row_len);
            let row_bytes = work.row_len.div_ceil(8);
            let at = (row - first_row) * row_bytes + column / 8 - first_column / 8;
            put_bits(words, &mut packed[at as usize..][..count.div_ceil(8)]);
        }
    }
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

/// Masks and multiplies: a piece at a time, through a place in the nearest
/// cache where the output is to go past the caches.
fn copy_scaled(
    work: Work<'_>,
    scale: kernel::Scale<'_>,
    src: &[u8],
    words: &[u64],
    dst: &mut [u8],
) {
    let kernels = work.fast.kernels;
    let (bytes, piece) = (element_bytes(work.element), SCALED * work.element.size_bytes());
    let mut scratch = [0; SCALED * 4];
    let all = [u64::MAX; SCALED / 64];
    let pieces = src.chunks(piece).zip(dst.chunks_mut(piece)).zip(words.chunks(SCALED / 64));
    for ((src, dst), words) in pieces {
        if work.streaming.is_some() {
            let scratch = &mut scratch[..src.len()];
            kernels.apply(bytes, src, words, scratch, None);
            kernels.scale(scale, scratch);
            kernels.apply(bytes, scratch, &all, dst, work.streaming);
        } else {
            kernels.apply(bytes, src, words, dst, None);
            kernels.scale(scale, dst);
        }
    }
}

/// Writes packed bits.
fn put_bits(words: &[u64], to: &mut [u8]) {
    let (eights, rest) = to.as_chunks_mut::<8>();
    let whole = eights.len();
    for (to, word) in eights.iter_mut().zip(words) {
        *to = word.to_le_bytes();
    }
    if let Some(word) = words.get(whole) {
        rest.copy_from_slice(&word.to_le_bytes()[..rest.len()]);
    }
}

fn element_bytes(element: Element) -> ElementBytes {
    match element.size_bytes() {
        1 => ElementBytes::One,
        2 => ElementBytes::Two,
        _ => ElementBytes::Four,
    }
}
