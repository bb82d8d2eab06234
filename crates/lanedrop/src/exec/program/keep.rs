//! From lanes and thresholds to keep bits, a block of elements at a time.

use std::ops::Range;

use super::stretch::{BLOCK, Work};
use crate::exec::fast::Fast;
use crate::exec::reference::{Threshold, keep_channel};
use crate::exec::{Backend, Element, Job};
use crate::isa::ThresholdType;
use crate::kernel::{ElementBytes, Streaming, WORDS};
use crate::rng::Lanes;

/// Words of keep bits that a channel's block takes, at most.
const MOST_WORDS: usize = BLOCK / 64;
/// Stretches of fewer elements are not worth a kernel.
const SHORT: usize = 16;

/// Room for keep bits, kept from record to record.
#[derive(Debug, Default)]
pub(super) struct Keep {
    flags: Vec<bool>,
    registers: Vec<u64>,
    /// `[channel][stride]` words: bit `k % 64` of word `k / 64` is 1 where
    /// element `k` of the block stays.
    bits: Vec<u64>,
    stride: usize,
}

/// What decides over the elements of one Dropout.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision<'a> {
    /// The lane of channel 0.
    pub(super) first_lane: usize,
    /// Whether thresholds are drop rates or keep rates.
    pub(super) threshold_type: ThresholdType,
    /// One threshold a channel, or one for all.
    pub(super) thresholds: &'a [f32],
    /// Elements of a channel.
    pub(super) elements: u64,
    /// Which code does the work.
    pub(super) backend: Backend,
}

/// Copies elements that stay and zeroes the others.
pub(super) struct Select<'a> {
    keep: &'a mut Keep,
    lanes: &'a mut Lanes,
    decision: Decision<'a>,
    /// None where the golden model does it.
    fast: Option<Fast>,
    size: ElementBytes,
    /// The channels that are decided over.
    channels: Range<usize>,
    /// Given where what is written is more than the caches hold.
    streaming: Option<&'a Streaming>,
    /// Elements that stay, so far.
    pub(super) kept: u64,
}

impl<'a> Select<'a> {
    /// Returns the work of a Dropout on elements of `size_bytes` bytes.
    pub(super) fn new(
        keep: &'a mut Keep,
        lanes: &'a mut Lanes,
        decision: Decision<'a>,
        size_bytes: u32,
        streaming: Option<&'a Streaming>,
    ) -> Self {
        let mut thresholds = vec![decision.thresholds[0]; lanes.lanes()];
        let own = thresholds[decision.first_lane..].iter_mut();
        for (own, &threshold) in own.zip(decision.thresholds) {
            *own = threshold;
        }
        if decision.thresholds.len() == 1 {
            thresholds.truncate(1);
        }
        let job = Job {
            threshold_type: decision.threshold_type,
            thresholds,
            element: Element::U8,
            rows: 1,
            row_len: decision.elements,
            scale: false,
            backend: decision.backend,
            threads: 1,
        };
        let fast = Fast::new(&job, lanes);
        let size = match size_bytes {
            1 => ElementBytes::One,
            2 => ElementBytes::Two,
            _ => ElementBytes::Four,
        };
        Self { keep, lanes, decision, fast, size, channels: 0..0, streaming, kept: 0 }
    }

    /// Returns the keep bits of a channel, and those of the next ones behind.
    fn words(&self, channel: usize) -> &[u64] {
        &self.keep.bits[(channel - self.channels.start) * self.keep.stride..]
    }

    /// Decides by the golden model.
    fn decide_plainly(&mut self, len: usize) {
        let Decision { first_lane, threshold_type, thresholds, .. } = self.decision;
        self.keep.flags.resize(len, false);
        for (at, channel) in self.channels.clone().enumerate() {
            let value = thresholds[channel % thresholds.len()];
            let threshold = Threshold { threshold_type, value };
            let flags = &mut self.keep.flags;
            self.kept += keep_channel(self.lanes, first_lane + channel, threshold, flags);
            let words = &mut self.keep.bits[at * self.keep.stride..][..self.keep.stride];
            for (word, flags) in words.iter_mut().zip(flags.chunks(64)) {
                let bit = |(at, &keep): (usize, &bool)| u64::from(keep) << at;
                *word = flags.iter().enumerate().map(bit).sum();
            }
        }
    }
}

/// Returns whether element `at` of a block stays.
fn stays(words: &[u64], at: usize) -> bool {
    words[at / 64] >> (at % 64) & 1 == 1
}

/// Returns `count` keep bits from bit `at` on, from bit 0 of a word on.
fn from_bit(words: &[u64], at: usize, count: usize, room: &mut [u64; MOST_WORDS]) {
    let (first, shift) = (at / 64, at % 64);
    for (i, word) in room.iter_mut().enumerate().take(count.div_ceil(64)) {
        let low = words[first + i] >> shift;
        let high = words.get(first + i + 1).copied().unwrap_or(0);
        *word = if shift == 0 { low } else { low | high << (64 - shift) };
    }
}

impl Work for Select<'_> {
    fn prepare(&mut self, channels: Range<usize>, len: usize, ahead: &[u8]) {
        self.keep.stride = len.div_ceil(64).next_multiple_of(WORDS);
        let words = channels.len() * self.keep.stride;
        if self.keep.bits.len() < words {
            self.keep.bits.resize(words, 0);
        }
        self.channels = channels.clone();
        let Some(fast) = &self.fast else { return self.decide_plainly(len) };
        let first = self.decision.first_lane;
        let lanes = first + channels.start..first + channels.end;
        let Keep { bits, registers, stride, .. } = &mut *self.keep;
        self.kept += fast.decide(self.lanes, lanes, len, bits, *stride, registers, ahead);
    }

    fn apply(&self, channel: usize, at: usize, src: &[u8], dst: &mut [u8]) {
        let (words, size) = (self.words(channel), self.size.count());
        let count = dst.len() / size;
        match &self.fast {
            Some(fast) if count >= SHORT => {
                let mut room;
                let words = if at.is_multiple_of(64) {
                    &words[at / 64..]
                } else {
                    room = [0; MOST_WORDS];
                    from_bit(words, at, count, &mut room);
                    &room
                };
                fast.kernels().apply(self.size, src, words, dst, self.streaming);
            }
            _ => {
                let elements = src.chunks_exact(size).zip(dst.chunks_exact_mut(size));
                for (k, (src, dst)) in elements.enumerate() {
                    if stays(words, at + k) {
                        dst.copy_from_slice(src);
                    } else {
                        dst.fill(0);
                    }
                }
            }
        }
    }

    fn joins(&self, len: usize) -> bool {
        // Keep bits of the channels then lie without a gap, too.
        self.keep.stride * 64 == len && self.fast.is_some()
    }

    fn apply_in_place(&self, channel: usize, at: usize, bytes: &mut [u8]) {
        let (words, size) = (self.words(channel), self.size.count());
        let count = bytes.len() / size;
        match &self.fast {
            Some(fast) if count >= SHORT => {
                let mut room;
                let words = if at.is_multiple_of(64) {
                    &words[at / 64..]
                } else {
                    room = [0; MOST_WORDS];
                    from_bit(words, at, count, &mut room);
                    &room
                };
                fast.kernels().apply_in_place(self.size, bytes, words);
            }
            _ => {
                for (k, element) in bytes.chunks_exact_mut(size).enumerate() {
                    if !stays(words, at + k) {
                        element.fill(0);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_shifted_to_the_front_of_their_words() {
        let words: Vec<u64> =
            (1..=MOST_WORDS as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        for (at, count) in [(0, 64), (1, 64), (63, 2), (64, 130), (100, 300), (BLOCK - 70, 70)] {
            let mut room = [0; MOST_WORDS];
            from_bit(&words, at, count, &mut room);
            for k in 0..count {
                assert_eq!(stays(&room, k), stays(&words, at + k), "{at} {count} {k}");
            }
        }
    }
}
