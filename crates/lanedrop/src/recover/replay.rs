//! Replays of captures by a model, under every conversion and compare rule.

use std::collections::HashMap;

use super::bound::agreement_log2;
use super::seen::Seen;
use crate::gf2::{Affine32, ByteMap};
use crate::isa::ThresholdType;
use crate::rng::{Compare, Cut, Uniform};

/// How many pairs of conversion and compare rule there are.
pub(super) const PAIRS: usize = Uniform::ALL.len() * Compare::ALL.len();

/// Returns the conversion and the rule of a pair.
pub(super) fn pair(index: usize) -> (Uniform, Compare) {
    (Uniform::ALL[index / Compare::ALL.len()], Compare::ALL[index % Compare::ALL.len()])
}

/// Which words are compared, where it is not the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Output {
    /// Row functionals of bits 31 to 9, bit 32 being a constant; bit `b` at
    /// `rows[b]`.
    pub(super) rows: [Option<u64>; 32],
}

impl Output {
    /// Returns the map with rows that are not known left 0.
    pub(super) fn map(&self) -> Affine32 {
        let mut map = Affine32::linear([0; 32]);
        for (bit, row) in self.rows.iter().enumerate() {
            let row = row.unwrap_or(0);
            for (column, word) in map.columns.iter_mut().enumerate() {
                *word |= ((row >> column & 1) as u32) << bit;
            }
            map.offset |= ((row >> 32 & 1) as u32) << bit;
        }
        map
    }
}

/// What draws a lane makes from its word.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// One draw.
    pub(super) map: Affine32,
    /// How often the map is done before the first draw: 1 where the draw is
    /// the state after its steps.
    pub(super) skip: u64,
    /// What a zero word is replaced by.
    pub(super) zero: Option<u32>,
    pub(super) output: Option<Output>,
}

impl Model {
    /// Returns the word that a lane really starts from.
    pub(super) fn word(&self, word: u32) -> u32 {
        if word == 0 { self.zero.unwrap_or(0) } else { word }
    }
}

/// Steps through the draws of many lanes.
pub(super) struct Drawer {
    table: Box<ByteMap>,
    output: Option<Box<ByteMap>>,
    entry: Affine32,
}

impl Drawer {
    /// Returns the draws of `model` from element `start` on.
    pub(super) fn new(model: &Model, start: u64) -> Self {
        Self {
            table: Box::new(ByteMap::new(&model.map)),
            output: model.output.as_ref().map(|output| Box::new(ByteMap::new(&output.map()))),
            entry: model.map.pow(start.saturating_add(model.skip)),
        }
    }

    /// Returns the first `count` draws of a lane that started from `word`.
    pub(super) fn draws(&self, word: u32, count: usize) -> Vec<u32> {
        let mut state = self.entry.apply(word);
        (0..count)
            .map(|_| {
                let draw = self.output.as_ref().map_or(state, |output| output.apply(state));
                state = self.table.apply(state);
                draw
            })
            .collect()
    }
}

/// A cut of draws in one of the three orders that conversions have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct KeyCut {
    flip: u32,
    shift: u32,
    cut: u32,
    keeps_below: bool,
}

impl KeyCut {
    pub(super) fn new(
        uniform: Uniform,
        compare: Compare,
        threshold_type: ThresholdType,
        bits: u32,
    ) -> Self {
        let cut = Cut::new(uniform, compare, threshold_type, f32::from_bits(bits));
        let (flip, shift, max) = uniform.key_form();
        // A key of fewer bits is put at the top of a word.
        let low = max.leading_zeros() - shift;
        Self { flip, shift: low, cut: cut.cut() << (shift + low), keeps_below: cut.keeps_below() }
    }

    /// Returns how far the key of `draw` is from where the decision changes: at
    /// the cut, and at 0, where keys wrap round.
    pub(super) fn distance(&self, draw: u32) -> u32 {
        let key = (draw ^ self.flip) << self.shift;
        let apart = |edge: u32| key.wrapping_sub(edge).min(edge.wrapping_sub(key));
        apart(self.cut).min(apart(0))
    }

    #[inline]
    pub(super) fn keeps(&self, draw: u32) -> bool {
        (((draw ^ self.flip) << self.shift) < self.cut) == self.keeps_below
    }
}

/// Returns the different cuts of a threshold, and which of them each pair is.
pub(super) fn pair_cuts(threshold_type: ThresholdType, bits: u32) -> (Vec<KeyCut>, [usize; PAIRS]) {
    let mut cuts = Vec::new();
    let of_pair = std::array::from_fn(|index| {
        let (uniform, compare) = pair(index);
        let cut = KeyCut::new(uniform, compare, threshold_type, bits);
        cuts.iter().position(|known| *known == cut).unwrap_or_else(|| {
            cuts.push(cut);
            cuts.len() - 1
        })
    });
    (cuts, of_pair)
}

/// Mismatches of a replay: `lanes[lane][pair]` for one capture.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    pub(super) lanes: Vec<[u32; PAIRS]>,
    pub(super) elements: usize,
    /// Lanes that do not follow any model and are left out.
    pub(super) left_out: Vec<bool>,
}

impl Tally {
    /// Returns the mismatches of a pair over the lanes that count.
    pub(super) fn misses(&self, pair: usize) -> u64 {
        let counted = self.lanes.iter().zip(&self.left_out).filter(|(_, out)| !**out);
        counted.map(|(lane, _)| u64::from(lane[pair])).sum()
    }

    /// Returns how many elements were compared.
    pub(super) fn compared(&self) -> u64 {
        self.left_out.iter().filter(|out| !**out).count() as u64 * self.elements as u64
    }
}

/// Returns the mismatches of `capture` with draws given lane by lane.
pub(super) fn tally(capture: &Seen, draws: impl Fn(usize) -> Vec<u32>) -> Tally {
    let mut cuts: HashMap<u32, (Vec<KeyCut>, [usize; PAIRS])> = HashMap::new();
    let mut lanes = Vec::with_capacity(capture.rows.len());
    for (lane, row) in capture.rows.iter().enumerate() {
        let draws = draws(lane);
        let (cuts, of_pair) = cuts
            .entry(capture.threshold(lane))
            .or_insert_with(|| pair_cuts(capture.threshold_type, capture.threshold(lane)));
        let misses: Vec<u32> = cuts.iter().map(|cut| count_misses(cut, &draws, row)).collect();
        lanes.push(of_pair.map(|cut| misses[cut]));
    }
    Tally { left_out: vec![false; lanes.len()], lanes, elements: capture.elements }
}

/// Returns how many elements of a row the cut decides otherwise.
pub(super) fn count_misses(cut: &KeyCut, draws: &[u32], row: &super::BitRow) -> u32 {
    draws
        .chunks(64)
        .zip(row.words())
        .map(|(chunk, word)| {
            let kept = chunk
                .iter()
                .enumerate()
                .fold(0u64, |kept, (i, &draw)| kept | u64::from(cut.keeps(draw)) << i);
            (kept ^ word).count_ones()
        })
        .sum()
}

/// Returns the mismatches of a model with a capture whose words are known.
pub(super) fn replay(model: &Model, capture: &Seen, start: u64) -> Option<Tally> {
    let words = capture.words.as_ref()?;
    let drawer = Drawer::new(model, start);
    Some(tally(capture, |lane| drawer.draws(model.word(words[lane]), capture.elements)))
}

/// Which pairs of conversion and compare rule replay all captures.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// The pair with the fewest mismatches.
    pub(super) best: usize,
    /// Its mismatches, and of how many elements.
    pub(super) misses: u64,
    pub(super) compared: u64,
    /// The pairs that fit as well, or nearly where bits are flipped.
    pub(super) pairs: Vec<usize>,
    /// Whether the best pair fits every capture no worse than the whole.
    pub(super) even: bool,
    /// log2 of the chance that captures at other thresholds than one half
    /// agree so well with a model that has nothing to do with them.
    pub others_log2: f64,
}

impl Fit {
    /// Weighs the tallies of all captures, `noise` being the share of flipped
    /// bits, where known.
    pub(super) fn of(tallies: &[(&Seen, Tally)], noise: Option<f64>) -> Self {
        let total = |pair| tallies.iter().map(|(_, tally)| tally.misses(pair)).sum::<u64>();
        let totals: Vec<u64> = (0..PAIRS).map(total).collect();
        let best = (0..PAIRS).min_by_key(|&pair| totals[pair]).unwrap_or(0);
        let misses = totals[best];
        let compared: u64 = tallies.iter().map(|(_, tally)| tally.compared()).sum();
        let rate = noise.unwrap_or(misses as f64 / compared.max(1) as f64);
        let even =
            tallies.iter().all(|(_, tally)| is_noise(tally.misses(best), tally.compared(), rate));
        // 20 bits of evidence against a pair rule it out.
        let per_miss = if misses == 0 {
            f64::INFINITY
        } else {
            let rate = rate.clamp(1.0 / compared.max(2) as f64, 0.49);
            ((1.0 - rate) / rate).log2()
        };
        let pairs = (0..PAIRS)
            .filter(|&pair| {
                let excess = (totals[pair] - misses) as f64;
                excess == 0.0 || excess * per_miss <= 20.0
            })
            .collect();
        let others_log2 = tallies
            .iter()
            .filter(|(capture, _)| !capture.is_half())
            .map(|(capture, tally)| chance_log2(capture, tally.compared(), tally.misses(best)))
            .sum();
        Self { best, misses, compared, pairs, even, others_log2 }
    }
}

/// Returns whether so many wrong bits may be noise of this rate.
pub(super) fn is_noise(misses: u64, compared: u64, rate: f64) -> bool {
    let expected = rate * compared as f64;
    misses as f64 <= expected + 5.0 * (expected * (1.0 - rate)).sqrt() + 3.0
}

/// Returns log2 of the chance that wrong bits which come at random fall so near
/// to the cut, each at its distance in keys.
///
/// A register to which something else is added, as a Weyl counter, is wrong
/// where a carry passes the cut: its errors gather there.
pub(super) fn gathering_log2(distances: &[u32]) -> f64 {
    let count = distances.len() as f64;
    // Two edges, each with two sides.
    let share = |distance: u32| (4.0 * (f64::from(distance) + 1.0) / 4_294_967_296.0).min(1.0);
    let farthest = distances.iter().copied().max().map_or(1.0, share);
    let near = distances.iter().filter(|&&distance| share(distance) <= 0.25).count() as f64 / count;
    let tail = if near > 0.25 {
        let part = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * (p / q).log2() };
        -count * (part(near, 0.25) + part(1.0 - near, 0.75))
    } else {
        0.0
    };
    if distances.len() < 2 { 0.0 } else { tail.min(count * farthest.log2()) }
}

/// Returns log2 of the chance that a mask of the capture's rate agrees so well.
pub(super) fn chance_log2(capture: &Seen, compared: u64, misses: u64) -> f64 {
    let lanes = capture.threshold_bits.iter().map(|&bits| {
        let p = f64::from(f32::from_bits(bits)).clamp(0.0, 1.0);
        // Twice the chance that two independent bits differ, 1 at one half.
        if p.is_nan() { 0.0 } else { 4.0 * p * (1.0 - p) }
    });
    let weight = lanes.clone().sum::<f64>() / capture.threshold_bits.len().max(1) as f64;
    weight * agreement_log2(compared, misses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recover::SplitMix;

    #[test]
    fn a_key_cut_decides_as_the_cut_does() {
        let mut random = SplitMix::new(5);
        for bits in
            [0x3f00_0000, 0x3eff_ffff, 0x3dcc_cccd, 0, 0x3f80_0000, 0x7fc0_0000, 0x3e80_0001]
        {
            for threshold_type in [ThresholdType::DropRate, ThresholdType::KeepRate] {
                for index in 0..PAIRS {
                    let (uniform, compare) = pair(index);
                    let cut = Cut::new(uniform, compare, threshold_type, f32::from_bits(bits));
                    let key = KeyCut::new(uniform, compare, threshold_type, bits);
                    let near = [0x3fff_ffff, 0x4000_0000, 0x8000_0000, 0x7fff_ffff, 0, u32::MAX];
                    for draw in (0..200).map(|_| random.next_u32()).chain(near) {
                        assert_eq!(key.keeps(draw), cut.keeps(draw), "{bits:x} {draw:x}");
                    }
                }
            }
        }
    }
}
