//! Masks with chosen lane words: the map of a draw in the coordinates of the
//! word.
//!
//! With the words known, every column of a half-rate mask is a parity of them,
//! `r_n(word) + c_n` with `r_n = h M^n`. The step from column to column fixes
//! `M` and its constant in the word's own coordinates, all 32 bits of them,
//! the nine that no conversion shows included.

use super::attempt::{Anchor, Attempt, Search, arguments, main_shape};
use super::bound::ACCEPT_LOG2;
use super::judge::{Judgement, judge, output_rows};
use super::replay::{Model, pair};
use super::seen::Seen;
use super::streams::SHORT_PERIOD;
use super::verdict::Solved;
use super::{CaptureFile, Layout, Report, Verdict};
use crate::gf2::Affine32;
use crate::rng::Uniform;

/// What chosen words came to.
pub(super) enum Outcome {
    /// An answer.
    Answer(Box<Report>),
    /// The words are too alike: their rank, and whether a constant can be told
    /// from them.
    TooAlike { rank: u32, constant: bool },
    /// No recurrence in the words fits.
    NoFit,
}

/// Solves the captures whose words are known.
pub(super) fn solve(file: &CaptureFile) -> Outcome {
    let as_is = Seen::all(file, super::Layout::AsIs);
    let spanned = arguments(&as_is);
    if spanned.rank() < 33 {
        let rank = super::lines::rank(
            as_is
                .iter()
                .filter_map(|capture| capture.words.as_ref())
                .flatten()
                .map(|&word| u64::from(word)),
        );
        return Outcome::TooAlike { rank, constant: spanned.spans(1 << 32) };
    }
    let Some(shape) = main_shape(&as_is) else {
        return Outcome::Answer(Box::new(no_half_capture()));
    };
    let search = Search::new(file, as_is, shape);
    let tied = |attempt: &Attempt| {
        attempt.transition.map().is_some_and(|map| !attempt.anchors(&map).is_empty())
    };
    let mut attempts = search.exact(tied);
    if attempts.is_empty() {
        attempts = search.noisy(tied);
    }
    let consistent = attempts.len();
    if !attempts.last().is_some_and(tied) {
        // Other thresholds may see more; readings with nothing redundant say
        // little and come last.
        attempts.sort_by_key(|attempt| attempt.transition.checks == 0);
        attempts.truncate(MOST_READINGS);
        for attempt in &mut attempts {
            attempt.add_lower_bits(&Seen::all(file, attempt.layout));
        }
    }
    let chosen = attempts.iter().position(tied).unwrap_or(0);
    if attempts.is_empty() {
        return Outcome::NoFit;
    }
    let attempt = attempts.swap_remove(chosen);
    // Where the map soon repeats, an inverse or a power of it may fit another
    // order as well, and with no more draws thrown away.
    let skip_of = |attempt: &Attempt, map: &Affine32| {
        attempt.anchors(map).iter().map(|anchor| anchor.skip).min()
    };
    let rivals = attempt.transition.map().is_some_and(|map| {
        let least = skip_of(&attempt, &map).unwrap_or(u64::MAX).max(1);
        map.order().is_some_and(|order| order <= SHORT_PERIOD)
            && search.exact(|_| false).iter().any(|other| {
                let own = other.transition.map().filter(|own| *own != map);
                own.is_some_and(|own| skip_of(other, &own).is_some_and(|skip| skip <= least))
            })
    });
    let seen = Seen::all(file, attempt.layout);
    Outcome::Answer(Box::new(match attempt.transition.map() {
        Some(map) => full(&attempt, map, &seen, (consistent, search.layouts().len()), rivals),
        None => quotient(&attempt),
    }))
}

/// The most readings that captures at other thresholds are held against.
const MOST_READINGS: usize = 6;

/// Returns the report where the state is seen in full.
fn full(
    attempt: &Attempt,
    map: Affine32,
    seen: &[Seen],
    (consistent, layouts): (usize, usize),
    rivals: bool,
) -> Report {
    let anchors = attempt.anchors(&map);
    let plain = |skip| Model { map, skip, zero: None, output: None };
    // Each place that the compared bit may have is replayed; what fits stays.
    let mut judged: Vec<(Anchor, Judgement)> = anchors
        .iter()
        .filter(|anchor| matches!(anchor.bit, 31 | 22))
        .map(|&anchor| (anchor, judge(plain(anchor.skip), seen)))
        .collect();
    judged.sort_by_key(|(anchor, judgement)| {
        (!judgement.fit.even, judgement.fit.misses, anchor.skip != 1, anchor.skip)
    });
    let best = judged.first().cloned();
    let as_good = judged.iter().filter(|(_, other)| {
        best.as_ref().is_some_and(|(_, best)| {
            other.fit.even && other.fit.misses <= best.fit.misses + best.fit.misses / 8
        })
    });
    let mut skips = Vec::new();
    let mut pairs = Vec::new();
    let mut own_pairs = Vec::new();
    for (anchor, other) in as_good {
        skips.push(anchor.skip);
        // Each place of the bit goes with the conversions that look there.
        let looks_low = |index: usize| pair(index).0 == Uniform::Low23;
        let own = other.fit.pairs.iter().filter(|&&index| looks_low(index) == (anchor.bit == 22));
        if pairs.is_empty() {
            own_pairs.extend(own.clone().copied());
        }
        pairs.extend(own.copied());
    }
    pairs.sort_unstable();
    pairs.dedup();
    let anchor = best.as_ref().map(|(anchor, _)| *anchor).or(anchors.first().copied());
    let mut judgement = best.map(|(_, judgement)| judgement);
    if judgement.as_ref().is_none_or(|judgement| !judgement.fit.even) {
        judgement = with_output(&plain(anchor.map_or(1, |a| a.skip)), seen, judgement);
    }
    if judgement.as_ref().is_some_and(|judgement| judgement.structured) {
        let mut report = Report::new(Verdict::RejectedStructured);
        report.layout = Some(attempt.layout.to_string());
        report.remarks.push(
            "most bits are those of a linear register, but the errors gather where a carry would \
             pass the threshold"
                .into(),
        );
        return report;
    }
    // More wrong bits than any decoding bears: the map is not all of it.
    if judgement.as_ref().and_then(|judgement| judgement.half_rate).is_some_and(|rate| rate > 0.3) {
        let mut report = Report::new(Verdict::RejectedStructured);
        report.layout = Some(attempt.layout.to_string());
        report.remarks.push(
            "some columns are those of a linear register, but what it draws is not what was \
             captured"
                .into(),
        );
        return report;
    }
    let anchored = anchor.is_some() && !rivals;
    let tied = anchored || judgement.as_ref().is_some_and(|j| is_tied_by_shapes(j, seen));
    let checks = attempt.transition.checks;
    // What the map was made from is no evidence for it.
    let others = judgement
        .as_ref()
        .filter(|judgement| judgement.fit.even && !attempt.lower_bits)
        .map_or(0.0, |judgement| judgement.fit.others_log2);
    let of_recurrence = (layouts as f64).log2() - 33.0 * checks as f64 + others;
    let of_anchor = match anchor {
        Some(Anchor { tried_log2, .. }) => tried_log2 + (consistent as f64).log2() - 33.0 + others,
        None => others,
    };
    let one_skip = skips.iter().all(|skip| Some(*skip) == anchor.map(|a| a.skip));
    Solved {
        map,
        skip: anchor.map(|anchor| anchor.skip).filter(|_| one_skip),
        layout: attempt.layout.to_string(),
        checks,
        tied,
        false_positive_log2: of_recurrence.max(of_anchor).min(0.0),
        judgement,
        pairs,
        own_pairs,
        anchor_bit: anchor.map(|anchor| anchor.bit),
    }
    .report()
}

/// Returns the judgement with the rows of an output map, if that explains the
/// captures better.
fn with_output(plain: &Model, seen: &[Seen], before: Option<Judgement>) -> Option<Judgement> {
    let output = output_rows(&plain.map, plain.skip, seen);
    if output.rows[31].is_none() {
        return before;
    }
    let after = judge(Model { output: Some(output), ..plain.clone() }, seen);
    let better = before
        .as_ref()
        .is_none_or(|before| after.fit.even || after.fit.misses * 2 < before.fit.misses);
    if better { Some(after) } else { before }
}

/// Returns whether captures of several lengths or starts agree with one order
/// of elements, which a reversed or thinned order would not.
fn is_tied_by_shapes(judgement: &Judgement, seen: &[Seen]) -> bool {
    let complete = judgement
        .model
        .output
        .as_ref()
        .is_some_and(|output| output.rows[9..].iter().all(Option::is_some));
    let mut shapes: Vec<(u64, usize)> =
        seen.iter().map(|capture| (capture.start, capture.elements)).collect();
    shapes.sort_unstable();
    shapes.dedup();
    complete && judgement.is_vouched_for() && shapes.len() > 1
}

/// Returns the report where no capture sees all of the state.
fn quotient(attempt: &Attempt) -> Report {
    let transition = &attempt.transition;
    let rank = transition.rank();
    // Each later column followed from the ones before: nothing new will come.
    let closed =
        transition.checks > 0 && transition.is_closed_under(attempt.functionals.iter().copied());
    // A dead device has constant masks too.
    let mut report = Report::new(if closed && rank > 0 {
        Verdict::LinearOnObservableQuotient
    } else {
        Verdict::UnderDetermined
    });
    report.observable_rank = Some(rank);
    report.layout = Some(attempt.layout.to_string());
    report.checks = transition.checks;
    report.false_positive_log2 = Some(-33.0 * transition.checks as f64);
    // In another order of elements the plan would be another one.
    report.next_row = attempt.next_row.clone().filter(|_| attempt.layout == Layout::AsIs);
    report.remarks.push(match (closed, &attempt.next_row) {
        (true, Some(_)) => format!(
            "the bits captured so far see {rank} of 32 dimensions of the state, and more elements \
             will not show more; lower bits of the draws may, by the same seeds at thresholds 0.25 \
             and 0.75, or as `recover plan --separate` has it"
        ),
        (true, None) => format!(
            "all 23 bits that a mask can show see {rank} of 32 dimensions of the state: the rest \
             never changes a mask"
        ),
        (false, _) => {
            format!("the captures see {rank} dimensions so far; more elements a lane show more")
        }
    });
    if closed && attempt.next_row.is_none() {
        return report;
    }
    let bit = attempt.next_row.as_ref().map_or(30, |next| next.bit);
    let element = attempt.next_row.as_ref().map_or(0, |next| next.element);
    let replay = closed && bit == 30 && element == 0;
    report.next_capture = Some(super::NextCapture {
        purpose: match (closed, replay) {
            (false, _) => "more elements of each lane".into(),
            (true, true) => "bit 30 of the same draws".into(),
            (true, false) => {
                format!("bit {bit} of element {element}, by thresholds that follow the words")
            }
        },
        threshold_bits: match (closed, replay) {
            (false, _) => Some("3effffff".into()),
            (true, true) => Some("3e7fffff".into()),
            (true, false) => None,
        },
        threshold_type: "DROP_RATE".into(),
        num_elements: match replay || !closed {
            true => attempt.functionals.len().max(64),
            false => element as usize + 1,
        },
        start_element: 0,
        seed_group: None,
        splits: None,
    });
    report
}

fn no_half_capture() -> Report {
    let mut report = Report::new(Verdict::UnderDetermined);
    report.remarks.push(
        "no capture has a threshold of one half (0x3effffff), which makes every mask bit a \
         linear equation"
            .into(),
    );
    report.next_capture = Some(super::NextCapture {
        purpose: "one linear equation an element".into(),
        threshold_bits: Some("3effffff".into()),
        threshold_type: "DROP_RATE".into(),
        num_elements: 64,
        start_element: 0,
        seed_group: None,
        splits: None,
    });
    report
}

/// Returns whether a bound is low enough to say that something is verified.
pub(super) fn is_verified(false_positive_log2: f64) -> bool {
    false_positive_log2 <= ACCEPT_LOG2
}
