//! One thread's way through a stretch: a rectangle of rows at a time.

use std::ops::Range;

use super::{Fast, Output, Progress, Target, scale_of};
use crate::exec::{Element, Multiply};
use crate::kernel::{self, ElementBytes, Streaming};
use crate::rng::Lanes;

/// Elements scaled at a time: they stay in the nearest cache.
const SCALED: usize = 2_048;

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
    pub(super) work: Work<'a>,
    pub(super) progress: &'a mut Progress,
    first: u64,
    pub(super) output: Output<'a>,
    kept: u64,
    /// Keep bits of lanes, of registers where lanes have several, and of short
    /// rows behind each other.
    pub(super) keep: Vec<u64>,
    pub(super) streams: Vec<u64>,
    pub(super) joined: Vec<u64>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        work: Work<'a>,
        progress: &'a mut Progress,
        first: u64,
        output: Output<'a>,
    ) -> Self {
        Self {
            work,
            progress,
            first,
            output,
            kept: 0,
            keep: Vec::new(),
            streams: Vec::new(),
            joined: Vec::new(),
        }
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
            let tiles = if column == 0 && lane == 0 { whole / count } else { 0 };
            if tiles > 0 && self.joins_rows() {
                self.move_to(0..count as usize, tile * row_len);
                self.short_rows(row, tiles);
                at += tiles * count * row_len;
                self.progress.positions.fill((tile + tiles) * row_len);
                continue;
            }
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

    /// The place of an element in the stretch.
    pub(super) fn offset(&self, row: u64, column: u64) -> usize {
        (row * self.work.row_len + column - self.first) as usize
    }

    /// Writes what `count` keep bits ask for, of a row or of whole rows side by
    /// side.
    pub(super) fn put(
        &mut self,
        row: u64,
        lane: usize,
        column: u64,
        count: usize,
        words: &mut [u64],
    ) {
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
