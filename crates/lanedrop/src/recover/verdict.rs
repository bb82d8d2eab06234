//! From a map that fits to a report and a profile.

use std::collections::BTreeMap;

use super::families::{Named, classify};
use super::generator::generator_name;
use super::judge::Judgement;
use super::replay::{Model, Output, PAIRS, pair};
use super::transition::pull_back;
use super::words::is_verified;
use super::{Hypothesis, NextRow, OutputMap, Report, Transition, Verdict};
use crate::gf2::Affine32;
use crate::rng::{Compare, DrawOrder, Fp8Exp4, Profile, Recurrence, Seeding, Uniform};

/// A map of a draw in the coordinates of the lane's word, and how it was
/// found.
pub(super) struct Solved {
    pub(super) map: Affine32,
    /// How often it is done before the first draw, where that is known.
    pub(super) skip: Option<u64>,
    pub(super) layout: String,
    pub(super) checks: u64,
    /// Whether it is tied to the seeds.
    pub(super) tied: bool,
    pub false_positive_log2: f64,
    pub(super) judgement: Option<Judgement>,
    /// The pairs of conversion and rule that replay all captures.
    pub(super) pairs: Vec<usize>,
    /// Those of them that do with the draws before the first element as in
    /// `judgement`.
    pub(super) own_pairs: Vec<usize>,
    /// The bit of the state that is compared first.
    pub(super) anchor_bit: Option<u32>,
}

impl Solved {
    /// Returns the report.
    pub(super) fn report(self) -> Report {
        let verified = is_verified(self.false_positive_log2);
        let affine = self.map.offset != 0;
        let mut report = Report::new(match (self.tied, verified, affine) {
            (false, ..) => Verdict::LinearUnanchored,
            (true, true, true) => Verdict::Affine,
            (true, true, false) => Verdict::Linear,
            (true, false, true) => Verdict::AffineUnverified,
            (true, false, false) => Verdict::LinearUnverified,
        });
        describe_map(&mut report, &self.map);
        report.observable_rank = Some(32);
        report.layout = Some(self.layout.clone());
        report.checks = self.checks;
        report.false_positive_log2 = Some(self.false_positive_log2);
        if !self.tied {
            report.remarks.push(
                "nothing ties the map to the order of the draws: it may be an inverse or a power \
                 of the device's; captures of other lengths from the same seeds would tell"
                    .into(),
            );
        }
        let draw = match self.skip {
            Some(0) => Some(DrawOrder::Before),
            Some(1) => Some(DrawOrder::After),
            Some(skip) => {
                report.warm_up = Some(skip - 1);
                report.remarks.push(format!(
                    "{} draws are thrown away after seeding (or {skip}, if the draw comes before \
                     its steps)",
                    skip - 1
                ));
                None
            }
            None => None,
        };
        let mut pairs = Vec::new();
        let mut plain = true;
        if let Some(judgement) = &self.judgement {
            plain = judgement.model.output.is_none();
            describe_replay(&mut report, judgement);
            if judgement.fit.even {
                pairs.clone_from(if plain { &self.pairs } else { &judgement.fit.pairs });
            }
        }
        let names = classify(&self.map);
        report.searched = names.searched.clone();
        if self.anchor_bit.is_some_and(|bit| !matches!(bit, 22 | 31)) {
            report.remarks.push(format!(
                "the first bit compared is bit {} of the state",
                self.anchor_bit.unwrap_or(0)
            ));
        }
        if plain && !pairs.is_empty() && self.tied {
            report.hypotheses = hypotheses(&names.found, draw, &pairs);
        } else if let Some(first) = names.found.first()
            && let Some(name) = generator_name(&first.recurrence)
        {
            report.remarks.push(format!("the map is {} steps of {name}", first.steps));
        }
        if names.found.is_empty() {
            report.remarks.push("no natural name is implied by the map".into());
        }
        let simplest = names.found.first();
        let own = if plain && !pairs.is_empty() { &self.own_pairs } else { &pairs };
        report.profile = self.profile(simplest, own);
        report
    }

    /// Returns the profile that draws the same masks, where the captures fix
    /// one: with an output map it is given in the coordinates of what is
    /// compared.
    fn profile(&self, simplest: Option<&Named>, pairs: &[usize]) -> Option<Profile> {
        let preferred = preferred_pair(pairs)?;
        // A profile has no word for draws that are thrown away.
        if self.judgement.as_ref().is_some_and(|judgement| judgement.model.skip > 1) {
            return None;
        }
        let output = self.judgement.as_ref().and_then(|judgement| judgement.model.output.as_ref());
        let (recurrence, steps_per_draw) = match (output, simplest) {
            (Some(output), _) => (Recurrence::Matrix(seen_through(&self.map, output)?), 1),
            (None, Some(named)) if named.steps <= u64::from(u32::MAX) => {
                (named.recurrence.clone(), named.steps as u32)
            }
            _ => (Recurrence::Matrix(self.map), 1),
        };
        let before = self.judgement.as_ref().is_some_and(|judgement| judgement.model.skip == 0);
        Some(profile("recovered", recurrence, steps_per_draw, before, preferred))
    }
}

/// Returns a profile of what was recovered.
pub(super) fn profile(
    name: &str,
    recurrence: Recurrence,
    steps_per_draw: u32,
    before: bool,
    (uniform, compare): (Uniform, Compare),
) -> Profile {
    Profile {
        name: name.into(),
        recurrence,
        steps_per_draw,
        draw: if before { DrawOrder::Before } else { DrawOrder::After },
        registers_per_lane: 1,
        uniform,
        compare,
        seeding: Seeding::LaneShift24,
        fp8_exp4: Fp8Exp4::default(),
        evidence: BTreeMap::new(),
    }
}

/// Returns the pair to put into a profile: the default's where it fits.
pub(super) fn preferred_pair(pairs: &[usize]) -> Option<(Uniform, Compare)> {
    // Pairs are numbered in the order of the profile format, the default first.
    pairs.first().map(|&index| pair(index))
}

/// Returns the map conjugated into what is compared, the rows that no mask
/// shows filled up so that it can be undone.
fn seen_through(map: &Affine32, output: &Output) -> Option<Affine32> {
    if output.rows[9..].iter().any(Option::is_none) {
        return None;
    }
    let mut complete = output.clone();
    let mut pairs = crate::gf2::Pairs::new();
    for row in complete.rows.iter().flatten() {
        pairs.insert(row & 0xffff_ffff, 0);
    }
    for bit in 0..32 {
        if complete.rows[bit].is_none() {
            let free = (0..32).map(|i| 1u64 << i).find(|&unit| !pairs.spans(unit))?;
            pairs.insert(free, 0);
            complete.rows[bit] = Some(free);
        }
    }
    let out = complete.map();
    Some(out.inverse()?.then(map).then(&out))
}

/// Puts what follows from the map alone into a report.
pub(super) fn describe_map(report: &mut Report, map: &Affine32) {
    report.transition = Some(Transition::of(map));
    report.minimal_polynomial = Some(format!("{:x}", map.minimal_polynomial().0));
    report.order = map.order().map(|order| order.to_string());
}

/// Puts what the replay showed into a report.
fn describe_replay(report: &mut Report, judgement: &Judgement) {
    let fit = &judgement.fit;
    report.mismatches = Some(fit.misses);
    report.flip_rate = Some(fit.misses as f64 / fit.compared.max(1) as f64);
    report.slips.clone_from(&judgement.slips);
    report.zero_seed_becomes = judgement.model.zero.map(|word| format!("{word:08x}"));
    for (capture, start) in &judgement.moved {
        report.remarks.push(format!(
            "capture {capture} begins {start} elements into its stream, not where its file says"
        ));
    }
    if !judgement.strays.is_empty() {
        let lanes: Vec<String> = judgement.strays.iter().map(usize::to_string).collect();
        report.remarks.push(format!("lanes that do not follow their words: {}", lanes.join(", ")));
    }
    if !judgement.misfits.is_empty() {
        report.remarks.push(format!(
            "no conversion and compare rule that was tried explains: {}",
            judgement.misfits.join(", ")
        ));
    }
    if let Some(output) = &judgement.model.output {
        report.next_row = next_row(&judgement.model, output);
        report.output_map = Some(OutputMap {
            rows: output
                .rows
                .iter()
                .map(|row| row.map(|row| format!("{:08x}", row & 0xffff_ffff)))
                .collect(),
            constant: format!("{:08x}", output.map().offset),
        });
    }
}

/// Returns the first compared bit that no capture shows, in the first element.
fn next_row(model: &Model, output: &Output) -> Option<NextRow> {
    let bit = (9..32).rev().find(|&bit| output.rows[bit].is_none())?;
    let entry = model.map.pow(model.skip);
    let above = output.rows[bit + 1..].iter().rev().flatten();
    let above: Vec<u64> = above.map(|&row| pull_back(row, &entry)).collect();
    Some(NextRow::new(bit as u32, 0, &above))
}

/// Returns the hypotheses of names and pairs: the lists of each are a product.
pub(super) fn hypotheses(
    names: &[Named],
    draw: Option<DrawOrder>,
    pairs: &[usize],
) -> Vec<Hypothesis> {
    let blocks = blocks(pairs);
    let mut list = Vec::new();
    for named in names {
        let Some(generator) = generator_name(&named.recurrence) else { continue };
        for (uniform, compare) in &blocks {
            list.push(Hypothesis {
                generator: generator.clone(),
                steps_per_draw: named.steps,
                draw,
                uniform: uniform.clone(),
                compare: compare.clone(),
                reverse_alias: named.reverse_alias,
            });
        }
    }
    list
}

/// Returns pairs as products: conversions that fit with the same rules stand
/// together.
pub(super) fn blocks(pairs: &[usize]) -> Vec<(Vec<Uniform>, Vec<Compare>)> {
    let mut blocks: Vec<(Vec<Uniform>, Vec<Compare>)> = Vec::new();
    for uniform in Uniform::ALL {
        let rules: Vec<Compare> = (0..PAIRS)
            .filter(|index| pairs.contains(index))
            .map(pair)
            .filter(|(with, _)| *with == uniform)
            .map(|(_, compare)| compare)
            .collect();
        if rules.is_empty() {
            continue;
        }
        match blocks.iter_mut().find(|(_, known)| *known == rules) {
            Some((uniforms, _)) => uniforms.push(uniform),
            None => blocks.push((vec![uniform], rules)),
        }
    }
    blocks
}
