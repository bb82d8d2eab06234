//! One chosen seed a capture: how it reaches the lanes has to be found too.
//!
//! The rules that profiles name are tried first. Where none fits, the seed is
//! taken to reach every lane by the same linear map and a constant of the
//! lane's own: differences of captures do not see the constants, so they give
//! the map of a draw, and the constants follow.

use super::candidates::{Candidates, Known};
use super::families::{Named, classify};
use super::judge::judge;
use super::lines::{Line, decode_exact};
use super::replay::{Model, PAIRS, pair};
use super::seen::Seen;
use super::streams;
use super::transition::{Transition, pull_back};
use super::verdict::{describe_map, hypotheses, preferred_pair, profile};
use super::words::{self, Outcome, is_verified};
use super::{CaptureFile, Layout, Report, Verdict};
use crate::gf2::{Affine32, Equations, Polynomial};
use crate::rng::{DrawOrder, Feedback, Recurrence, Seeding, Uniform};

/// Solves captures that were each made from one seed.
pub(super) fn solve(file: &CaptureFile) -> Report {
    let mut second_best = None;
    for seeding in Seeding::ALL {
        let seeded = seeded(file, seeding);
        let answer = match words::solve(&seeded) {
            Outcome::Answer(report) => Some(*report),
            Outcome::TooAlike { rank, .. } if rank >= 24 => by_name(&seeded, rank),
            _ => None,
        };
        let Some(mut report) = answer else { continue };
        let even = report.mismatches.is_some() && !report.hypotheses.is_empty();
        let settled = matches!(
            report.verdict,
            Verdict::Affine
                | Verdict::Linear
                | Verdict::AffineUnverified
                | Verdict::LinearUnverified
                | Verdict::Ambiguous
        );
        if settled && (even || report.output_map.is_some()) {
            report.seeding = Some(seeding.as_str().into());
            if let Some(profile) = &mut report.profile {
                profile.seeding = seeding;
            }
            return report;
        }
        if report.verdict == Verdict::LinearOnObservableQuotient && seeding == Seeding::Same {
            second_best = Some(report);
        }
    }
    if let Some(report) = with_constants(file).or(second_best) {
        return report;
    }
    let mut report = streams::solve(file);
    let seeds = file.captures.iter().filter_map(|capture| capture.seed).count();
    if report.minimal_polynomial.is_some() {
        report.remarks.push(if seeds < 34 {
            format!(
                "{seeds} captures of one seed each are too few to fit how a seed reaches a lane; \
                 34 are needed"
            )
        } else {
            "the streams do not follow from the seeds by an affine map".into()
        });
    }
    report
}

/// Returns the file with the words that a rule gives the lanes.
fn seeded(file: &CaptureFile, seeding: Seeding) -> CaptureFile {
    let mut file = file.clone();
    let lanes = file.lanes;
    for capture in &mut file.captures {
        if capture.seeds.is_none() {
            capture.seeds =
                capture.seed.map(|seed| (0..lanes).map(|lane| seeding.word(seed, lane)).collect());
        }
    }
    file
}

/// Names the register where the words do not span all states: by the
/// polynomial of the streams, and by what the words make of each candidate.
pub(super) fn by_name(file: &CaptureFile, rank: u32) -> Option<Report> {
    let found = streams::find(file).ok()?;
    let (polynomial, _) = found.characteristic()?;
    let candidates = Candidates::fitting(&found, polynomial, &[], Known::Words);
    let mut report = Report::new(Verdict::Ambiguous);
    found.describe(&mut report);
    report.shared_stream = Some(false);
    if !Polynomial::X_PLUS_ONE.divides(polynomial) {
        report.minimal_polynomial = Some(format!("{:x}", polynomial.0));
    }
    report.observable_rank = Some(32);
    candidates.describe(&mut report);
    match candidates.len() {
        0 => return None,
        1 => {
            let (map, draw, judgement) = candidates.only()?;
            let bound = found.obeyed.false_positive_log2
                + judgement.map_or(0.0, |judgement| judgement.fit.others_log2);
            let verified = is_verified(bound);
            report.verdict = match (verified, map.offset != 0) {
                (true, true) => Verdict::Affine,
                (true, false) => Verdict::Linear,
                (false, true) => Verdict::AffineUnverified,
                (false, false) => Verdict::LinearUnverified,
            };
            describe_map(&mut report, &map);
            let mut model = Model {
                map,
                skip: u64::from(draw == Some(DrawOrder::After)),
                zero: None,
                output: None,
            };
            model.zero = None;
            let judgement = judge(model, &found.seen);
            if judgement.structured || candidates.errors_gather(&found) {
                return Some(streams::no_streams(file, &streams::NoStreams::Structured));
            }
            report.mismatches = Some(judgement.fit.misses);
            report.remarks.push(format!(
                "the words span {rank} of 32 dimensions; the map is the one natural register that \
                 fits, and no other one could draw other masks from such words"
            ));
        }
        _ => report.next_capture = candidates.next_capture(),
    }
    Some(report)
}

/// Solves by differences of captures, each lane with a constant of its own.
fn with_constants(file: &CaptureFile) -> Option<Report> {
    let seen = Seen::all(file, Layout::AsIs);
    let seeds: Vec<Option<u32>> = file
        .captures
        .iter()
        .filter(|capture| capture.masks.is_some())
        .map(|capture| capture.seed)
        .collect();
    let half: Vec<(usize, u32)> = (0..seen.len())
        .filter(|&i| seen[i].is_half() && seen[i].start == 0)
        .filter_map(|i| Some((i, seeds[i]?)))
        .collect();
    let (first, first_seed) = *half.first()?;
    let elements = seen[first].elements;
    let mut lines = Vec::new();
    for &(i, seed) in half.iter().skip(1).filter(|(i, _)| seen[*i].elements == elements) {
        for lane in 0..file.lanes {
            let (a, b) = (seen[first].top_bits(lane), seen[i].top_bits(lane));
            let bits = a.words().iter().zip(b.words()).map(|(a, b)| a ^ b).collect();
            lines.push(Line { argument: u64::from(seed ^ first_seed), bits });
        }
    }
    let columns = decode_exact(&lines, 32, elements)?;
    if columns.found() < elements {
        return None;
    }
    let rows: Vec<u64> = columns.functionals.iter().map(|row| row.unwrap_or(0)).collect();
    let mut transition = Transition::new();
    transition.feed(rows.iter().map(|&row| Some(row)));
    let linear = transition.map().filter(|_| transition.broken == 0)?;
    let skip = anchor(&linear, rows[0])?;
    let bound = f64::from(18u32.ilog2()) - 32.0 * transition.checks as f64;
    let mut report = Report::new(Verdict::Ambiguous);
    report.layout = Some(Layout::AsIs.to_string());
    report.checks = transition.checks;
    report.false_positive_log2 = Some(bound.clamp(-28.0, 0.0));
    report.observable_rank = Some(32);
    report.minimal_polynomial = Some(format!("{:x}", linear.minimal_polynomial().0));
    report.seeding = Some("affine, with a constant a lane".into());
    let draw = match skip {
        0 => Some(DrawOrder::Before),
        1 => Some(DrawOrder::After),
        _ => None,
    };
    let names = classify(&linear);
    report.searched = names.searched.clone();
    let mut fits: Vec<(Named, Affine32, Vec<usize>)> = Vec::new();
    for named in names.found {
        for recurrence in variants(&named.recurrence) {
            let named = Named { recurrence, ..named.clone() };
            let Some(step) = named.recurrence.step_map() else { continue };
            let map = step.pow(named.steps);
            let Some((pairs, misses)) = replayed(&map, skip, &seen, &seeds, first) else {
                continue;
            };
            report.mismatches = Some(report.mismatches.unwrap_or(misses).min(misses));
            report.hypotheses.extend(hypotheses(std::slice::from_ref(&named), draw, &pairs));
            fits.push((named, map, pairs));
        }
    }
    if fits.is_empty() {
        // Names of the linear part that no capture bears out are none.
        report.verdict = Verdict::MinimalPolynomialOnly;
        report.searched = super::Searched::default();
    }
    let one_map = fits.windows(2).all(|two| two[0].1 == two[1].1);
    if let (Some((named, map, pairs)), true) = (fits.first(), one_map) {
        report.verdict = match (is_verified(bound), map.offset != 0) {
            (true, true) => Verdict::Affine,
            (true, false) => Verdict::Linear,
            (false, true) => Verdict::AffineUnverified,
            (false, false) => Verdict::LinearUnverified,
        };
        report.remarks.push(
            "a lane's word is taken to be the seed xor a constant of the lane, with which the \
             named register draws every capture"
                .into(),
        );
        describe_map(&mut report, map);
        if let (Some(preferred), Ok(steps)) = (preferred_pair(pairs), u32::try_from(named.steps)) {
            let recurrence = named.recurrence.clone();
            let before = skip == 0;
            report.profile = Some(profile("recovered", recurrence, steps, before, preferred));
        }
    } else {
        report.remarks.push(
            "the lanes' constants are not known, and a constant of the map could stand for them: \
             inverted feedback cannot be told from plain; words chosen for each lane would tell"
                .into(),
        );
    }
    Some(report)
}

/// Returns how often the map is done before the first draw, if bit 31 or bit
/// 22 of the seed leads to the first column.
fn anchor(map: &Affine32, first: u64) -> Option<u64> {
    [31, 22].into_iter().find_map(|bit| {
        let mut row = 1u64 << bit;
        (0..=8).find(|_| {
            let found = row == first;
            row = pull_back(row, map);
            found
        })
    })
}

/// Returns a recurrence with plain and with inverted feedback.
fn variants(recurrence: &Recurrence) -> Vec<Recurrence> {
    let mut inverted = recurrence.clone();
    match &mut inverted {
        Recurrence::Fibonacci { feedback, .. } | Recurrence::Galois { feedback, .. } => {
            *feedback = Feedback::Xnor;
            vec![recurrence.clone(), inverted]
        }
        _ => vec![inverted],
    }
}

/// Returns whether the first lanes of all half-rate captures follow their
/// words.
fn begin_right(map: &Affine32, skip: u64, (bit, inverted): (u32, bool), seen: &[Seen]) -> bool {
    seen.iter().filter(|capture| capture.is_half()).all(|capture| {
        let Some(words) = &capture.words else { return true };
        let entry = map.pow(capture.start.saturating_add(skip));
        (0..words.len().min(2)).all(|lane| {
            let bits = capture.top_bits(lane);
            let mut state = entry.apply(words[lane]);
            (0..bits.len().min(64)).all(|i| {
                let agrees = bits.bit(i) == ((state >> bit & 1 == 1) ^ inverted);
                state = map.apply(state);
                agrees
            })
        })
    })
}

/// Returns the pairs that replay all captures, with the lanes' constants
/// fitted to the first one.
fn replayed(
    map: &Affine32,
    skip: u64,
    seen: &[Seen],
    seeds: &[Option<u32>],
    first: usize,
) -> Option<(Vec<usize>, u64)> {
    let capture = &seen[first];
    let mut best: Option<(Vec<usize>, u64)> = None;
    for (bit, inverted) in [(31u32, false), (31, true), (22, false)] {
        let constants: Vec<u32> = (0..capture.rows.len())
            .map(|lane| {
                let bits = capture.top_bits(lane);
                let mut row = pull_back(1 << bit | u64::from(inverted) << 32, &map.pow(skip));
                let mut equations = Equations::new();
                for i in 0..bits.len().min(64) {
                    equations.insert(row & 0xffff_ffff, bits.bit(i) ^ (row >> 32 == 1));
                    row = pull_back(row, map);
                }
                equations.solution(32).map(|word| word as u32 ^ seeds[first].unwrap_or(0))
            })
            .collect::<Option<_>>()?;
        let mut with_words = seen.to_vec();
        for (capture, seed) in with_words.iter_mut().zip(seeds) {
            capture.words =
                seed.map(|seed| constants.iter().map(|constant| constant ^ seed).collect());
        }
        if !begin_right(map, skip, (bit, inverted), &with_words) {
            continue;
        }
        let judgement = judge(Model { map: *map, skip, zero: None, output: None }, &with_words);
        let own: Vec<usize> = (0..PAIRS)
            .filter(|&index| {
                let order = match pair(index).0 {
                    Uniform::SignedHalf => (31, true),
                    Uniform::Low23 => (22, false),
                    _ => (31, false),
                };
                order == (bit, inverted) && judgement.fit.pairs.contains(&index)
            })
            .collect();
        if judgement.fit.even && !own.is_empty() && judgement.fit.misses == 0 {
            let (pairs, _) = best.get_or_insert((Vec::new(), 0));
            pairs.extend(own);
        }
    }
    best
}
