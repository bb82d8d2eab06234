//! Captures as equations see them: in the order of the streams, with the words
//! that the lanes started from where those are known.

use std::collections::BTreeMap;

use super::{BitRow, Capture, CaptureFile, Layout};
use crate::isa::ThresholdType;

/// One mask capture, its rows in the order of the streams.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// Its name.
    pub(super) id: String,
    /// What the lanes started from, where that is known.
    pub(super) words: Option<Vec<u32>>,
    /// Which captures started alike.
    pub(super) group: String,
    /// Elements before it.
    pub(super) start: u64,
    /// Elements a lane.
    pub(super) elements: usize,
    pub(super) threshold_bits: Vec<u32>,
    pub(super) threshold_type: ThresholdType,
    pub(super) rows: Vec<BitRow>,
    /// Raw draws, where they were read out too.
    pub(super) draws: Option<Vec<Vec<u32>>>,
}

impl Seen {
    /// Returns the capture under a layout; `None` where it has no mask.
    pub(super) fn new(capture: &Capture, layout: Layout) -> Option<Self> {
        Some(Self {
            id: capture.id.clone(),
            words: capture.seeds.clone(),
            group: capture.seed_group.clone(),
            start: capture.start_element,
            elements: capture.num_elements,
            threshold_bits: capture.threshold_bits.clone(),
            threshold_type: capture.threshold_type,
            rows: layout.restore(capture.masks.as_ref()?),
            draws: capture.draws.clone(),
        })
    }

    /// Returns the mask captures of a file under a layout.
    pub(super) fn all(file: &CaptureFile, layout: Layout) -> Vec<Self> {
        file.captures.iter().filter_map(|capture| Self::new(capture, layout)).collect()
    }

    /// Returns the threshold of `lane` as f32 bits.
    pub(super) fn threshold(&self, lane: usize) -> u32 {
        match self.threshold_bits[..] {
            [one] => one,
            ref each => each[lane],
        }
    }

    /// Returns whether the threshold is one half in all lanes, but for less
    /// than any conversion resolves, so that the mask is the top bit.
    pub(super) fn is_half(&self) -> bool {
        self.threshold_bits.iter().all(|&bits| (0x3eff_fff8..=0x3f00_0004).contains(&bits))
    }

    /// Returns the top bit of what lane `lane` compared, where
    /// [`Seen::is_half`] holds.
    pub(super) fn top_bits(&self, lane: usize) -> BitRow {
        match self.threshold_type {
            ThresholdType::DropRate => self.rows[lane].clone(),
            ThresholdType::KeepRate => self.rows[lane].inverted(),
        }
    }

    /// Returns whether the uniform of an element was at or above the threshold.
    #[inline]
    pub(super) fn is_above(&self, lane: usize, element: usize) -> bool {
        self.rows[lane].bit(element) == (self.threshold_type == ThresholdType::DropRate)
    }
}

/// Returns where a threshold cuts 32-bit keys, to the grid of 2^9 that a
/// 23-bit conversion resolves: keys from it on are above.
pub(super) fn nominal_cut(threshold_bits: u32) -> u64 {
    let threshold = f64::from(f32::from_bits(threshold_bits));
    // A NaN and all below 0 cut at 0; a float-to-integer cast saturates.
    let cut = (threshold * 8_388_608.0).ceil().clamp(0.0, 8_388_608.0);
    (cut as u64) << 9
}

/// The keys of the elements of one seed group, as far as its captures bound
/// them: `[lane][element]`, lowest and highest key.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    pub(super) words: Vec<u32>,
    pub(super) start: u64,
    pub(super) keys: Vec<Vec<(u32, u32)>>,
}

impl Bounds {
    /// Returns bounds for every group with known words.
    pub(super) fn of(seen: &[Seen]) -> Vec<Self> {
        let mut groups: BTreeMap<(&str, u64), Vec<&Seen>> = BTreeMap::new();
        for capture in seen.iter().filter(|capture| capture.words.is_some()) {
            groups.entry((&capture.group, capture.start)).or_default().push(capture);
        }
        groups
            .into_iter()
            .filter_map(|((_, start), captures)| Self::of_group(start, &captures))
            .collect()
    }

    fn of_group(start: u64, captures: &[&Seen]) -> Option<Self> {
        let words = captures[0].words.clone()?;
        let elements = captures.iter().map(|capture| capture.elements).max()?;
        let mut keys = vec![vec![(0, u32::MAX); elements]; words.len()];
        for capture in captures {
            for (lane, row) in keys.iter_mut().enumerate() {
                let cut = nominal_cut(capture.threshold(lane));
                for (element, (low, high)) in row.iter_mut().enumerate().take(capture.elements) {
                    if capture.is_above(lane, element) {
                        *low = (*low).max(cut.min(u32::MAX.into()) as u32);
                    } else {
                        *high = (*high).min(cut.saturating_sub(1) as u32);
                    }
                }
            }
        }
        Some(Self { words, start, keys })
    }

    /// Returns bit `bit` of a key, where the bounds agree on it and on all
    /// above it.
    #[inline]
    pub(super) fn bit(&self, lane: usize, element: usize, bit: u32) -> Option<bool> {
        self.bit_below(lane, element, bit, (0, u32::MAX))
    }

    /// As [`Bounds::bit`], the key being known to be within `known` as well.
    #[inline]
    pub(super) fn bit_below(
        &self,
        lane: usize,
        element: usize,
        bit: u32,
        known: (u32, u32),
    ) -> Option<bool> {
        let (low, high) = self.keys[lane][element];
        let (low, high) = (low.max(known.0), high.min(known.1));
        (low <= high && low >> bit == high >> bit).then_some(low >> bit & 1 == 1)
    }

    /// Returns how many elements a lane has.
    pub(super) fn elements(&self) -> usize {
        self.keys.first().map_or(0, Vec::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_just_below_a_dyadic_number_cuts_at_it() {
        assert_eq!(nominal_cut(0x3eff_ffff), 1 << 31);
        assert_eq!(nominal_cut(0x3f00_0000), 1 << 31);
        assert_eq!(nominal_cut(0x3e80_0000), 1 << 30);
        assert_eq!(nominal_cut(0x3f80_0000), 1 << 32);
        assert_eq!(nominal_cut(0xbf80_0000), 0);
        assert_eq!(nominal_cut(f32::NAN.to_bits()), 0);
    }
}
