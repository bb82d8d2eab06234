//! How well a model replays captures whose lane words are known.

use super::attempt::keys_below;
use super::bound::ACCEPT_LOG2;
use super::fault::{REACH, find_slips, moved, slip_choices_log2};
use super::lines::{Line, decode_exact, decode_noisy};
use super::replay::{
    Drawer, Fit, KeyCut, Model, Output, Tally, chance_log2, count_misses, gathering_log2, is_noise,
    pair, pair_cuts, replay,
};
use super::seen::{Bounds, Seen};
use super::transition::pull_back;
use super::{Slip, SplitMix};
use crate::gf2::{Affine32, Equations, Met};

/// A model beside the captures.
#[derive(Clone, Debug)]
pub(super) struct Judgement {
    pub(super) model: Model,
    pub(super) fit: Fit,
    pub(super) slips: Vec<Slip>,
    /// Captures that begin elsewhere than their file says, and where.
    pub(super) moved: Vec<(String, u64)>,
    /// Lanes that do not follow their words.
    pub(super) strays: Vec<usize>,
    /// Captures that no pair of conversion and rule explains.
    pub(super) misfits: Vec<String>,
    /// Whether the mismatches gather near the cut or at one end of the
    /// captures, which wrong bits do not.
    pub(super) structured: bool,
    /// The share of wrong bits in the half-rate captures.
    pub(super) half_rate: Option<f64>,
}

/// Replays every capture with known words and looks for what explains the
/// mismatches: other starts, slips, a zero word's replacement, lanes that
/// follow nothing.
pub(super) fn judge(model: Model, seen: &[Seen]) -> Judgement {
    judge_without(model, seen, &[])
}

/// As [`judge`], some lanes being known to have lost elements or to follow
/// nothing: they do not count where they disagree.
pub(super) fn judge_without(mut model: Model, seen: &[Seen], suspects: &[usize]) -> Judgement {
    let known: Vec<&Seen> = seen.iter().filter(|capture| capture.words.is_some()).collect();
    let mut moved = Vec::new();
    let starts: Vec<u64> = known
        .iter()
        .map(|capture| {
            let start = fitted_start(&model, capture, &known);
            if start != capture.start {
                moved.push((capture.id.clone(), start));
            }
            start
        })
        .collect();
    model.zero = model.zero.or_else(|| zero_word(&model, &known, &starts));
    let mut tallies: Vec<(&Seen, Tally)> = known
        .iter()
        .zip(&starts)
        .filter_map(|(capture, &start)| Some((*capture, replay(&model, capture, start)?)))
        .collect();
    let mut slips = Vec::new();
    let mut strays = Vec::new();
    let best = Fit::of(&tallies, None).best;
    for ((capture, tally), &start) in tallies.iter_mut().zip(&starts) {
        let drawer = Drawer::new(&model, start);
        repair(&model, &drawer, capture, tally, best, &mut slips, &mut strays);
    }
    // What a lane does in one capture it may do in others, too little to see.
    let doubtful: Vec<usize> = suspects
        .iter()
        .copied()
        .chain(strays.iter().copied())
        .chain(slips.iter().map(|slip| slip.lane))
        .collect();
    for (capture, tally) in &mut tallies {
        for &lane in &doubtful {
            let mended = slips.iter().any(|slip| slip.lane == lane && slip.capture == capture.id);
            tally.left_out[lane] |= !mended && tally.lanes[lane][best] != 0;
        }
    }
    strays.sort_unstable();
    strays.dedup();
    let half: Vec<(&Seen, Tally)> =
        tallies.iter().filter(|(capture, _)| capture.is_half()).cloned().collect();
    let noise = (!half.is_empty()).then(|| {
        let fit = Fit::of(&half, None);
        fit.misses as f64 / fit.compared.max(1) as f64
    });
    let fit = Fit::of(&tallies, noise);
    let rate = noise.unwrap_or(fit.misses as f64 / fit.compared.max(1) as f64);
    let misfits = tallies
        .iter()
        .filter(|(_, tally)| !is_noise(tally.misses(fit.best), tally.compared(), rate))
        .map(|(capture, _)| capture.id.clone())
        .collect();
    let structured =
        model.output.is_none() && is_structured(&model, &tallies, &starts, fit.best, &slips);
    Judgement { model, fit, slips, moved, strays, misfits, structured, half_rate: noise }
}

/// Returns whether the mismatches of half-rate captures are other than random.
fn is_structured(
    model: &Model,
    tallies: &[(&Seen, Tally)],
    starts: &[u64],
    best: usize,
    slips: &[Slip],
) -> bool {
    const ENOUGH: usize = 4096;
    let (uniform, compare) = pair(best);
    let mut distances = Vec::new();
    let mut places = 0.0;
    for ((capture, tally), &start) in tallies.iter().zip(starts) {
        let Some(words) = capture.words.as_ref().filter(|_| capture.is_half()) else { continue };
        let drawer = Drawer::new(model, start);
        for (lane, &word) in words.iter().enumerate() {
            let slipped = slips.iter().any(|slip| slip.lane == lane && slip.capture == capture.id);
            if tally.left_out[lane] || tally.lanes[lane][best] == 0 || slipped {
                continue;
            }
            let threshold = capture.threshold(lane);
            let cut = KeyCut::new(uniform, compare, capture.threshold_type, threshold);
            let draws = drawer.draws(model.word(word), capture.elements);
            for (i, &draw) in draws.iter().enumerate() {
                if cut.keeps(draw) != capture.rows[lane].bit(i) {
                    distances.push(cut.distance(draw));
                    places += (i as f64 + 0.5) / capture.elements as f64 - 0.5;
                }
            }
        }
        if distances.len() > ENOUGH {
            break;
        }
    }
    let z = places / (distances.len().max(1) as f64 / 12.0).sqrt();
    gathering_log2(&distances) <= -10.0 || (distances.len() > 10 && z.abs() > 6.0)
}

/// Returns the fewest mismatches of a lane under any pair.
fn least(lane: &[u32]) -> u32 {
    lane.iter().copied().min().unwrap_or(0)
}

/// Returns where a capture begins: as its file says, if the first lanes agree
/// with that, or else where they do.
fn fitted_start(model: &Model, capture: &Seen, all: &[&Seen]) -> u64 {
    let score = |start: u64| -> Option<f64> {
        let words = capture.words.as_ref()?;
        let drawer = Drawer::new(model, start);
        let (mut misses, mut compared) = (0, 0);
        let chosen = words.iter().enumerate().filter(|(_, word)| **word != 0).take(24);
        for (lane, &word) in chosen {
            let count = capture.elements.min(256);
            let draws = drawer.draws(word, count);
            let (cuts, _) = pair_cuts(capture.threshold_type, capture.threshold(lane));
            let row = super::BitRow::from_fn(count, |i| capture.rows[lane].bit(i));
            misses += cuts.iter().map(|cut| count_misses(cut, &draws, &row)).min().unwrap_or(0);
            compared += count;
        }
        (compared > 0).then(|| f64::from(misses) / compared as f64)
    };
    let Some(declared) = score(capture.start) else { return capture.start };
    // What unrelated masks of these rates differ in.
    let p = f64::from(f32::from_bits(capture.threshold(0))).clamp(0.0, 1.0);
    let unrelated = 2.0 * p * (1.0 - p);
    if declared <= 0.6 * unrelated || capture.elements * capture.rows.len() < 64 {
        return capture.start;
    }
    let mut end = 0;
    let mut ends = Vec::new();
    for other in all.iter().filter(|other| other.group == capture.group) {
        ends.push(end);
        end += other.elements as u64;
        ends.push(other.start + other.elements as u64);
    }
    let near = (1..=64).flat_map(|by| {
        [Some(capture.start + by), capture.start.checked_sub(by)].into_iter().flatten()
    });
    let best = ends
        .into_iter()
        .chain(near)
        .filter_map(|start| Some((score(start)?, start)))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((score, start)) if score < 0.5 * declared => start,
        _ => capture.start,
    }
}

/// Returns the word that replaces a zero word, where a lane shows one.
fn zero_word(model: &Model, known: &[&Seen], starts: &[u64]) -> Option<u32> {
    for (capture, &start) in known.iter().zip(starts).filter(|(capture, _)| capture.is_half()) {
        let words = capture.words.as_ref()?;
        let drawer = Drawer::new(model, start);
        for (lane, _) in words.iter().enumerate().filter(|(_, word)| **word == 0) {
            let row = capture.top_bits(lane);
            let stays = drawer.draws(0, row.len());
            let cuts = pair_cuts(capture.threshold_type, capture.threshold(lane)).0;
            let misses =
                cuts.iter().map(|cut| count_misses(cut, &stays, &capture.rows[lane])).min();
            if misses.unwrap_or(0) as usize * 5 <= row.len() {
                return None;
            }
            if let Some(word) = word_of(model, start, &row) {
                return Some(word);
            }
        }
    }
    None
}

/// Returns the functionals of the top compared bit for elements from `start`.
pub(super) fn top_functionals(model: &Model, start: u64, count: usize) -> Vec<u64> {
    let top = match &model.output {
        Some(output) => output.rows[31].unwrap_or(0),
        None => 1 << 31,
    };
    let mut row = pull_back(top, &model.map.pow(start.saturating_add(model.skip)));
    (0..count)
        .map(|_| {
            let this = row;
            row = pull_back(row, &model.map);
            this
        })
        .collect()
}

/// Returns the word whose top bits these are, some of them wrong perhaps.
fn word_of(model: &Model, start: u64, row: &super::BitRow) -> Option<u32> {
    let lines: Vec<Line> = top_functionals(model, start, row.len())
        .into_iter()
        .enumerate()
        .map(|(i, functional)| Line {
            argument: functional & 0xffff_ffff,
            bits: vec![u64::from(row.bit(i)) ^ functional >> 32],
        })
        .collect();
    if lines.len() < 52 {
        return None;
    }
    let exact = decode_exact(&lines, 32, 1).and_then(|columns| columns.functionals[0]);
    let found = exact.or_else(|| {
        let mut random = SplitMix::new(1);
        decode_noisy(&lines, 32, 1, 300, &mut random)?.functionals[0]
    })?;
    Some(found as u32)
}

/// Looks for slips in lanes that disagree too much, and leaves out those that
/// follow nothing.
fn repair(
    model: &Model,
    drawer: &Drawer,
    capture: &Seen,
    tally: &mut Tally,
    best: usize,
    slips: &mut Vec<Slip>,
    strays: &mut Vec<usize>,
) {
    let Some(words) = &capture.words else { return };
    let mut rates: Vec<u32> = tally.lanes.iter().map(|lane| least(lane)).collect();
    rates.sort_unstable();
    let usual = rates.get(rates.len() / 2).copied().unwrap_or(0);
    let limit = usual * 2 + (capture.elements as u32 / 8).max(8);
    // Where half of the lanes disagree, the model is wrong and not the lanes.
    let outliers = tally.lanes.iter().filter(|lane| lane[best] > limit).count();
    if outliers == 0 || outliers * 3 > tally.lanes.len() {
        return;
    }
    let (uniform, compare) = pair(best);
    for (lane, &word) in words.iter().enumerate() {
        if tally.lanes[lane][best] <= limit {
            continue;
        }
        let draws = drawer.draws(model.word(word), capture.elements + REACH);
        let cut = KeyCut::new(uniform, compare, capture.threshold_type, capture.threshold(lane));
        let kept: Vec<bool> = draws.iter().map(|&draw| cut.keeps(draw)).collect();
        let (found, misses) = find_slips(&capture.rows[lane], &kept);
        let chance_log2 = chance_log2(capture, capture.elements as u64, misses.into())
            + found.len() as f64 * slip_choices_log2(capture.elements);
        // As few wrong bits as the other lanes have, or it is no slip.
        if misses <= usual * 2 + 3 && !found.is_empty() && chance_log2 <= ACCEPT_LOG2 {
            for slip in &found {
                slips.push(Slip {
                    capture: capture.id.clone(),
                    lane,
                    element: slip.element,
                    gap: slip.gap,
                });
            }
            let (cuts, of_pair) = pair_cuts(capture.threshold_type, capture.threshold(lane));
            let shifted: Vec<Option<u32>> = (0..capture.elements)
                .map(|i| {
                    usize::try_from(moved(&found, i)).ok().and_then(|at| draws.get(at)).copied()
                })
                .collect();
            let count = |cut: &KeyCut| {
                let wrong = |(i, draw): (usize, &Option<u32>)| {
                    draw.is_none_or(|draw| cut.keeps(draw) != capture.rows[lane].bit(i))
                };
                shifted.iter().enumerate().filter(|&x| wrong(x)).count() as u32
            };
            let misses: Vec<u32> = cuts.iter().map(count).collect();
            tally.lanes[lane] = of_pair.map(|cut| misses[cut]);
        } else {
            tally.left_out[lane] = true;
            strays.push(lane);
        }
    }
}

/// Returns the functionals of the compared bits, from 31 down, as far as the
/// captures give them: for a device that compares something else than the
/// state. `skip` is how often the map is done before the first element.
pub(super) fn output_rows(map: &Affine32, skip: u64, seen: &[Seen]) -> Output {
    let bounds = Bounds::of(seen);
    let mut rows: [Option<u64>; 32] = [None; 32];
    for bit in (9..32).rev() {
        // The bits above follow from the state: thresholds within what they
        // leave tell this one.
        let above: Vec<u64> = (bit as usize + 1..32).rev().filter_map(|b| rows[b]).collect();
        let within = |argument: u64| keys_below(&above, argument);
        let mut equations = Equations::new();
        let mut lines: Vec<Line> = Vec::new();
        let mut broken = false;
        'groups: for group in &bounds {
            let table = crate::gf2::ByteMap::new(map);
            let entry = map.pow(group.start.saturating_add(skip));
            for (lane, &word) in group.words.iter().enumerate().filter(|(_, word)| **word != 0) {
                let mut state = entry.apply(word);
                for element in 0..group.elements() {
                    let argument = u64::from(state) | 1 << 32;
                    if let Some(value) = group.bit_below(lane, element, bit, within(argument)) {
                        broken |= equations.insert(argument, value) == Met::Broken;
                        if lines.len() < 256 {
                            lines.push(Line { argument, bits: vec![u64::from(value)] });
                        } else if lines.len() == 256 && broken {
                            break 'groups;
                        }
                    }
                    state = table.apply(state);
                }
            }
        }
        rows[bit as usize] = if lines.len() < 53 {
            None
        } else if !broken {
            equations.solution(33)
        } else {
            let mut random = SplitMix::new(bit.into());
            decode_noisy(&lines, 33, 1, 400, &mut random).and_then(|columns| columns.functionals[0])
        };
        if rows[bit as usize].is_none() {
            break;
        }
    }
    Output { rows }
}

impl Judgement {
    /// Returns whether captures at other thresholds than one half vouch for the
    /// model as a whole.
    pub(super) fn is_vouched_for(&self) -> bool {
        self.fit.even && self.fit.others_log2 <= ACCEPT_LOG2
    }
}
