//! Registers that obey a polynomial, held against every capture.

use super::families::Named;
use super::generator::generator_name;
use super::judge::{Judgement, judge_without};
use super::replay::{Drawer, KeyCut, Model, PAIRS, count_misses, gathering_log2, pair, pair_cuts};
use super::roots::registers;
use super::seen::Seen;
use super::separate::{Rival, View, best_split, visible_rows_agree};
use super::streams::Streams;
use super::transition::pull_back;
use super::verdict::{hypotheses, preferred_pair, profile};
use super::{BitRow, Hypothesis, NextCapture, Report, Searched};
use crate::gf2::{Affine32, Polynomial};
use crate::rng::{DrawOrder, Uniform};

/// The most candidates that are replayed in full.
const MOST_REPLAYED: usize = 48;

/// What is known of the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Nothing: the states come from the streams.
    Nothing,
    /// The words that the lanes started from.
    Words,
}

/// Which bit of the draw decides at one half: by the order of the conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Order {
    bit: u32,
    inverted: bool,
}

const ORDERS: [Order; 3] = [
    Order { bit: 31, inverted: false },
    Order { bit: 31, inverted: true },
    Order { bit: 22, inverted: false },
];

impl Order {
    fn of(uniform: Uniform) -> Self {
        match uniform {
            Uniform::SignedHalf => ORDERS[1],
            Uniform::Low23 => ORDERS[2],
            _ => ORDERS[0],
        }
    }

    /// The functional of the deciding bit, its constant in bit 32.
    fn functional(self) -> u64 {
        1 << self.bit | u64::from(self.inverted) << 32
    }
}

/// A register that fits, with what fits along with it.
struct Candidate {
    named: Named,
    order: Order,
    map: Affine32,
    draw: Option<DrawOrder>,
    pairs: Vec<usize>,
    judgement: Option<Judgement>,
    /// The captures with the words that this candidate gives the lanes.
    seen: Vec<Seen>,
}

/// The registers that fit.
pub(super) struct Candidates {
    found: Vec<Candidate>,
    searched: Searched,
}

impl Candidates {
    /// Returns the registers whose draws obey `polynomial` and replay every
    /// capture.
    pub(super) fn fitting(
        streams: &Streams,
        polynomial: Polynomial,
        more_steps: &[u64],
        known: Known,
    ) -> Self {
        let (registers, max_steps) = registers(polynomial, more_steps);
        let mut families: Vec<String> = Vec::new();
        for kind in ["galois_right", "galois_left", "fibonacci_right", "fibonacci_left"] {
            families.push(kind.into());
            families.push(format!("{kind}_xnor"));
        }
        families.push("xorshift".into());
        let mut found = Vec::new();
        for named in registers {
            let Some(step) = named.recurrence.step_map() else { continue };
            let map = step.pow(named.steps);
            for order in ORDERS {
                match known {
                    Known::Nothing => found.extend(from_streams(streams, &named, &map, order)),
                    Known::Words => found.extend(from_words(streams, &named, &map, order)),
                }
            }
        }
        let mut this = Self { found, searched: Searched { families, max_steps } };
        this.replay(streams);
        this.found.sort_by_key(|c| (c.named.steps, generator_name(&c.named.recurrence)));
        this
    }

    /// Replays what is left in full, if it is not too much, and keeps what
    /// fits.
    fn replay(&mut self, streams: &Streams) {
        let splits = streams.seen.iter().any(|capture| !capture.is_half());
        let slipped = streams.slips.iter().map(|slip| slip.lane);
        let suspects: Vec<usize> =
            slipped.chain(streams.strays.iter().chain(&streams.stuck).copied()).collect();
        let few = self.found.len() <= MOST_REPLAYED;
        self.found.retain_mut(|candidate| {
            let all: Vec<usize> =
                (0..PAIRS).filter(|&index| Order::of(pair(index).0) == candidate.order).collect();
            if !splits || !few {
                candidate.pairs = all;
                return true;
            }
            let skip = match candidate.draw {
                Some(DrawOrder::After) => 1,
                _ => 0,
            };
            let model = Model { map: candidate.map, skip, zero: None, output: None };
            let judgement = judge_without(model, &candidate.seen, &suspects);
            let fits = judgement.fit.even && fits_well(&judgement, streams);
            candidate.pairs =
                judgement.fit.pairs.iter().copied().filter(|index| all.contains(index)).collect();
            candidate.judgement = Some(judgement);
            fits && !candidate.pairs.is_empty()
        });
    }

    /// Returns how many registers fit, each counted once.
    pub(super) fn len(&self) -> usize {
        let mut names: Vec<(Option<String>, u64)> = self
            .found
            .iter()
            .map(|c| (generator_name(&c.named.recurrence), c.named.steps))
            .collect();
        names.dedup();
        names.len()
    }

    /// Returns the hypotheses of a report.
    fn hypotheses(&self) -> Vec<Hypothesis> {
        let maps: Vec<Option<Affine32>> =
            self.found.iter().map(|c| c.named.recurrence.step_map()).collect();
        let mut list: Vec<Hypothesis> = Vec::new();
        for (i, candidate) in self.found.iter().enumerate() {
            let mut named = candidate.named.clone();
            named.reverse_alias = (0..i).any(|earlier| {
                self.found[earlier].named.steps < named.steps
                    && maps[earlier]
                        .zip(maps[i])
                        .is_some_and(|(a, b)| a.then(&b) == Affine32::IDENTITY)
            });
            list.extend(hypotheses(&[named], candidate.draw, &candidate.pairs));
        }
        list
    }

    /// Puts the registers into a report.
    pub(super) fn describe(&self, report: &mut Report) {
        report.searched = self.searched.clone();
        report.hypotheses = self.hypotheses();
        let best =
            self.found.iter().filter_map(|c| c.judgement.as_ref()).min_by_key(|j| j.fit.misses);
        if let Some(judgement) = best {
            report.mismatches = Some(judgement.fit.misses);
            report.flip_rate =
                Some(judgement.fit.misses as f64 / judgement.fit.compared.max(1) as f64);
        }
        if let ([only], true) = (&self.found[..], self.len() == 1)
            && let Some(preferred) = preferred_pair(&only.pairs)
        {
            let (recurrence, steps) = (only.named.recurrence.clone(), only.named.steps);
            let steps = steps.min(u64::from(u32::MAX)) as u32;
            let before = only.draw == Some(DrawOrder::Before);
            report.profile = Some(profile("recovered", recurrence, steps, before, preferred));
        }
    }

    /// Returns the map, draw order and judgement of the only register that
    /// fits.
    pub(super) fn only(&self) -> Option<(Affine32, Option<DrawOrder>, Option<&Judgement>)> {
        match &self.found[..] {
            [only] => Some((only.map, only.draw, only.judgement.as_ref())),
            _ => None,
        }
    }

    /// Returns whether the wrong bits of the streams gather near the cut under
    /// some register: then it is no noise, and not that register alone.
    pub(super) fn errors_gather(&self, streams: &Streams) -> bool {
        const ENOUGH: usize = 64;
        if streams.misses < 2 {
            return false;
        }
        self.found.iter().any(|candidate| {
            let Some(&index) = candidate.pairs.first() else { return false };
            let (uniform, compare) = pair(index);
            let skip = u64::from(candidate.draw == Some(DrawOrder::After));
            let model = Model { map: candidate.map, skip, zero: None, output: None };
            let mut distances = Vec::new();
            for (capture, rows) in candidate.seen.iter().zip(&streams.clean) {
                let Some(words) = &capture.words else { continue };
                let drawer = Drawer::new(&model, capture.start);
                for (lane, row) in rows.iter().enumerate() {
                    if row.is_none() || streams.slips.iter().any(|slip| slip.lane == lane) {
                        continue;
                    }
                    let threshold = capture.threshold(lane);
                    let cut = KeyCut::new(uniform, compare, capture.threshold_type, threshold);
                    let draws = drawer.draws(words[lane], capture.elements);
                    let wrong = draws
                        .iter()
                        .enumerate()
                        .filter(|(i, draw)| cut.keeps(**draw) != capture.rows[lane].bit(*i));
                    distances.extend(wrong.map(|(_, &draw)| cut.distance(draw)));
                    if distances.len() >= ENOUGH {
                        return gathering_log2(&distances) <= -25.0;
                    }
                }
            }
            gathering_log2(&distances) <= -25.0
        })
    }

    fn rivals(&self) -> Vec<Rival<'_>> {
        let rival = |candidate: &'_ Candidate| {
            let skip = u64::from(candidate.draw == Some(DrawOrder::After));
            let pair = candidate.pairs.first().map(|&index| pair(index));
            let model = Model { map: candidate.map, skip, zero: None, output: None };
            pair.map(|(uniform, _)| (model, uniform))
        };
        self.found
            .iter()
            .filter_map(|candidate| {
                let (model, uniform) = rival(candidate)?;
                Some(Rival { model, uniform, seen: &candidate.seen })
            })
            .collect()
    }

    /// Returns whether no mask could tell the registers apart.
    pub(super) fn are_inseparable(&self) -> bool {
        let Some(first) = self.found.first() else { return false };
        let view = |c: &Candidate| View { functional: c.order.functional(), top: c.order.bit };
        self.found.iter().skip(1).all(|other| {
            // Known words tie the states: there only equal draws look alike.
            first.draw.is_none()
                && visible_rows_agree((&first.map, view(first)), (&other.map, view(other)))
        })
    }

    /// Returns the instruction that splits the registers best.
    pub(super) fn next_capture(&self) -> Option<NextCapture> {
        best_split(&self.rivals())
    }
}

/// Returns whether the replay's errors are no more than the streams' own.
fn fits_well(judgement: &Judgement, streams: &Streams) -> bool {
    let rate = streams.misses as f64 / streams.compared.max(1) as f64;
    super::replay::is_noise(judgement.fit.misses, judgement.fit.compared, rate)
}

/// Returns the map from a state to the deciding bits of its first 32 draws.
fn observation(map: &Affine32, order: Order) -> Affine32 {
    let mut row = order.functional();
    let mut observed = Affine32::linear([0; 32]);
    for n in 0..32 {
        for (bit, column) in observed.columns.iter_mut().enumerate() {
            *column |= ((row >> bit & 1) as u32) << n;
        }
        observed.offset |= ((row >> 32) as u32) << n;
        row = pull_back(row, map);
    }
    observed
}

/// Returns the register with the states that the streams give it, if the
/// streams go on as it says and short parts of other captures agree.
fn from_streams(
    streams: &Streams,
    named: &Named,
    map: &Affine32,
    order: Order,
) -> Option<Candidate> {
    let states_of = observation(map, order).inverse()?;
    let top = |state: u32| (state >> order.bit & 1 == 1) ^ order.inverted;
    let goes_on = |row: &BitRow| {
        let mut state = states_of.apply(row.window(0) as u32);
        (0..row.len().min(80)).all(|i| {
            let agrees = row.bit(i) == top(state);
            state = map.apply(state);
            agrees
        })
    };
    let rows = streams.clean.iter().flatten().flatten();
    if !rows.clone().take(4).all(goes_on) || rows.clone().next().is_none() {
        return None;
    }
    let back = map.inverse();
    let mut seen: Vec<Seen> = Vec::with_capacity(streams.seen.len());
    for capture in &streams.seen {
        // The capture's own stream, or that of another one of its group.
        let own = |other: &Seen| other.id == capture.id && other.start == capture.start;
        let source = (0..streams.seen.len())
            .filter(|&i| !streams.clean[i].is_empty())
            .filter(|&i| streams.seen[i].group == capture.group)
            .min_by_key(|&i| !own(&streams.seen[i]));
        let mut with_words = capture.clone();
        // A register that all lanes share does not go on lane by lane.
        let source = source.filter(|&i| {
            let other = &streams.seen[i];
            !streams.shared || (other.start, other.elements) == (capture.start, capture.elements)
        });
        with_words.words = source.and_then(|i| {
            let to_origin = match streams.seen[i].start {
                0 => Affine32::IDENTITY,
                start => back.as_ref()?.pow(start),
            };
            let word = |row: &Option<BitRow>| {
                row.as_ref().map_or(0, |row| to_origin.apply(states_of.apply(row.window(0) as u32)))
            };
            Some(streams.clean[i].iter().map(word).collect())
        });
        seen.push(with_words);
    }
    let candidate = Candidate {
        named: named.clone(),
        order,
        map: *map,
        draw: None,
        pairs: Vec::new(),
        judgement: None,
        seen,
    };
    agrees_in_short(&candidate, 0).then_some(candidate)
}

/// Returns the register if it draws the captures from the words known.
fn from_words(streams: &Streams, named: &Named, map: &Affine32, order: Order) -> Vec<Candidate> {
    let seen = &streams.seen;
    let candidate = |draw| Candidate {
        named: named.clone(),
        order,
        map: *map,
        draw: Some(draw),
        pairs: Vec::new(),
        judgement: None,
        seen: seen.clone(),
    };
    let draws = [DrawOrder::After, DrawOrder::Before];
    draws
        .into_iter()
        .filter(|&draw| {
            let skip = u64::from(draw == DrawOrder::After);
            follows_words(streams, map, order, skip)
        })
        .map(candidate)
        .filter(|candidate| {
            agrees_in_short(candidate, u64::from(candidate.draw == Some(DrawOrder::After)))
        })
        .collect()
}

/// Returns whether the first lanes' streams come of their words.
fn follows_words(streams: &Streams, map: &Affine32, order: Order, skip: u64) -> bool {
    let mut held = 0;
    for (capture, rows) in streams.seen.iter().zip(&streams.clean) {
        let Some(words) = &capture.words else { continue };
        for (row, &word) in rows.iter().zip(words).take(4) {
            let Some(row) = row.as_ref().filter(|_| word != 0) else { continue };
            let mut state = map.pow(capture.start.saturating_add(skip)).apply(word);
            for i in 0..row.len().min(64) {
                if row.bit(i) != ((state >> order.bit & 1 == 1) ^ order.inverted) {
                    return false;
                }
                state = map.apply(state);
                held += 1;
            }
        }
    }
    held >= 32
}

/// Returns whether a few lanes of the captures at other thresholds agree
/// better than unrelated ones would, from where the file says they begin or
/// from where another capture of their group ends.
fn agrees_in_short(candidate: &Candidate, skip: u64) -> bool {
    let model = Model { map: candidate.map, skip, zero: None, output: None };
    candidate.seen.iter().filter(|capture| !capture.is_half()).all(|capture| {
        let mut end = 0;
        let mut starts = vec![capture.start];
        for other in candidate.seen.iter().filter(|other| other.group == capture.group) {
            end += other.elements as u64;
            starts.extend([end, other.start + other.elements as u64]);
        }
        starts.sort_unstable();
        starts.dedup();
        starts.iter().any(|&start| agrees_from(candidate, &model, capture, start))
    })
}

fn agrees_from(candidate: &Candidate, model: &Model, capture: &Seen, start: u64) -> bool {
    let Some(words) = &capture.words else { return true };
    let drawer = Drawer::new(model, start);
    let (mut misses, mut compared, mut unrelated) = (0, 0.0, 0.0);
    let mut cuts_of =
        (capture.threshold(0), pair_cuts(capture.threshold_type, capture.threshold(0)));
    for lane in (0..words.len()).filter(|&lane| words[lane] != 0).take(6) {
        if capture.threshold(lane) != cuts_of.0 {
            let threshold = capture.threshold(lane);
            cuts_of = (threshold, pair_cuts(capture.threshold_type, threshold));
        }
        let (cuts, of_pair) = &cuts_of.1;
        let count = capture.elements.min(128);
        let row = BitRow::from_fn(count, |i| capture.rows[lane].bit(i));
        let draws = drawer.draws(words[lane], count);
        let mine = (0..PAIRS).filter(|&i| Order::of(pair(i).0) == candidate.order);
        misses += mine.map(|i| count_misses(&cuts[of_pair[i]], &draws, &row)).min().unwrap_or(0);
        let p = f64::from(f32::from_bits(capture.threshold(lane))).clamp(0.0, 1.0);
        compared += count as f64;
        unrelated += 2.0 * p * (1.0 - p) * count as f64;
    }
    // Short captures and extreme thresholds say nothing in so few lanes.
    compared < 64.0 || unrelated < 20.0 || f64::from(misses) <= 0.6 * unrelated
}
