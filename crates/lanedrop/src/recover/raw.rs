//! Raw draws: the map of one draw by plain elimination.

use std::collections::HashSet;

use super::bound::ACCEPT_LOG2;
use super::families::{Named, classify};
use super::generator::generator_name;
use super::judge::{Judgement, judge};
use super::replay::{Fit, Model, PAIRS, Tally, tally};
use super::seen::Seen;
use super::streams::SHORT_PERIOD;
use super::verdict::{describe_map, hypotheses, preferred_pair, profile};
use super::{CaptureFile, Layout, Lcg, NextCapture, Report, Searched, Slip, SplitMix, Verdict};
use crate::gf2::{Affine32, ByteMap, Met, Pairs};
use crate::rng::{Direction, DrawOrder, Feedback, Recurrence};

/// Raw draws of one capture, in the order of the streams.
struct Rows<'a> {
    id: &'a str,
    rows: Vec<Vec<u32>>,
}

/// A map that fits successive draws.
struct Fitted {
    map: Affine32,
    layout: Layout,
    /// Registers that take turns.
    registers: usize,
    checks: u64,
    /// Draws that do not follow from the one before.
    broken: u64,
    false_positive_log2: f64,
}

const ONE: u64 = 1 << 32;

/// Solves the captures that hold raw draws.
pub(super) fn solve(file: &CaptureFile) -> Report {
    let elements = file.captures.iter().filter(|c| c.draws.is_some()).map(|c| c.num_elements).max();
    let layouts = Layout::all(file.lanes, elements.unwrap_or(1));
    let mut file = std::borrow::Cow::Borrowed(file);
    if eliminate(&rows(&file, Layout::AsIs), 1).is_err() {
        // A lane that is stuck says nothing of the others.
        if let Some(moving) = without_stuck_lanes(&file) {
            file = std::borrow::Cow::Owned(moving);
        }
    }
    let file = &*file;
    // Words that lead to the first draws by the same map are draws too.
    let by_words = |layout: Layout| -> Option<Fitted> {
        let (map, checks) = with_words(file, layout)?;
        let per_check = bits_per_check(&rows(file, layout));
        let false_positive_log2 = (layouts.len() as f64).log2() - per_check * checks as f64;
        Some(Fitted { map, layout, registers: 1, checks, broken: 0, false_positive_log2 })
    };
    if let Some(fitted) = by_words(Layout::AsIs) {
        return report(file, &rows(file, Layout::AsIs), fitted);
    }
    // As they stand the draws may fit though the words do not.
    let plain = eliminate(&rows(file, Layout::AsIs), 1).ok();
    let unexplained = plain
        .and_then(|(pairs, _)| map_of(&pairs))
        .is_none_or(|map| entry(file, Layout::AsIs, &map).0.is_none());
    if unexplained && let Some(fitted) = layouts.iter().skip(1).find_map(|&layout| by_words(layout))
    {
        let layout = fitted.layout;
        return report(file, &rows(file, layout), fitted);
    }
    let mut rank = None;
    for (tried, &layout) in layouts.iter().enumerate() {
        let rows = rows(file, layout);
        match eliminate(&rows, 1) {
            Ok((pairs, checks)) => {
                if let Some(map) = map_of(&pairs).filter(|map| is_plausible(map, layout)) {
                    let false_positive_log2 =
                        ((tried + 1) as f64).log2() - bits_per_check(&rows) * checks as f64;
                    let fitted = Fitted {
                        map,
                        layout,
                        registers: 1,
                        checks,
                        broken: 0,
                        false_positive_log2,
                    };
                    return report(file, &rows, fitted);
                }
                rank = rank.or(Some((pairs, checks)));
                // As it stands the captures fit: other orders would say no more.
                if layout == Layout::AsIs {
                    break;
                }
            }
            Err(Broken) => continue,
        }
    }
    if let Some((_, checks)) = rank {
        return too_few(&rows(file, Layout::AsIs), checks);
    }
    let rows = rows(file, Layout::AsIs);
    if let Ok((pairs, checks)) = eliminate(&rows, 4)
        && let Some(map) = map_of(&pairs).filter(|_| checks > 1)
    {
        let false_positive_log2 = 8.0 - bits_per_check(&rows) * checks as f64;
        let layout = Layout::AsIs;
        let fitted = Fitted { map, layout, registers: 4, checks, broken: 0, false_positive_log2 };
        return report(file, &rows, fitted);
    }
    if let Some(lcg) = congruential(&rows) {
        let mut report = Report::new(Verdict::NotGf2Affine);
        report.lcg = Some(lcg);
        report.layout = Some(Layout::AsIs.to_string());
        report.remarks.push("the draws are those of an ordinary congruential generator".into());
        return report;
    }
    if let Some(fitted) = among_bad_draws(&rows) {
        return report(file, &rows, fitted);
    }
    let mut report = Report::new(Verdict::NotGf2Affine);
    report.remarks.push(
        "successive draws break an affine equation under every order of lanes and elements, and \
         bad draws here and there do not explain it"
            .into(),
    );
    report
}

/// Returns the file without the lanes whose draws never change, if that leaves
/// draws that obey a map as they stand.
fn without_stuck_lanes(file: &CaptureFile) -> Option<CaptureFile> {
    let moves = |lane: usize| {
        let rows = || file.captures.iter().filter_map(|capture| capture.draws.as_ref());
        rows().any(|rows| rows[lane].iter().any(|draw| *draw != rows[lane][0]))
    };
    let kept: Vec<usize> = (0..file.lanes).filter(|&lane| moves(lane)).collect();
    if kept.is_empty() || kept.len() == file.lanes {
        return None;
    }
    fn choose<T: Clone>(list: &[T], kept: &[usize]) -> Vec<T> {
        kept.iter().map(|&lane| list[lane].clone()).collect()
    }
    let mut file = file.clone();
    file.lanes = kept.len();
    for capture in &mut file.captures {
        capture.seeds = capture.seeds.as_ref().map(|list| choose(list, &kept));
        capture.masks = capture.masks.as_ref().map(|list| choose(list, &kept));
        capture.draws = capture.draws.as_ref().map(|list| choose(list, &kept));
        if capture.threshold_bits.len() > 1 {
            capture.threshold_bits = choose(&capture.threshold_bits, &kept);
        }
    }
    eliminate(&rows(&file, Layout::AsIs), 1).is_ok().then_some(file)
}

fn rows(file: &CaptureFile, layout: Layout) -> Vec<Rows<'_>> {
    let restore = |draws: &Vec<Vec<u32>>, elements: usize| {
        (0..draws.len())
            .map(|lane| {
                (0..elements)
                    .map(|element| {
                        let (row, column) = layout.place(draws.len(), elements, lane, element);
                        draws[row][column]
                    })
                    .collect()
            })
            .collect()
    };
    file.captures
        .iter()
        .filter_map(|c| Some(Rows { id: &c.id, rows: restore(c.draws.as_ref()?, c.num_elements) }))
        .collect()
}

/// Returns the map that leads from the lanes' words to the first draws and from
/// draw to draw, and how many equations were redundant; zero words are left out.
///
/// What the words add to what the draws say has to be checked by other words.
fn with_words(file: &CaptureFile, layout: Layout) -> Option<(Affine32, u64)> {
    let all = rows(file, layout);
    let (mut pairs, mut checks) = eliminate(&all, 1).ok()?;
    let (mut added, mut held) = (0, 0u64);
    let mut seen = HashSet::new();
    for rows in &all {
        let capture = file.captures.iter().find(|capture| capture.id == rows.id)?;
        let words = capture.seeds.as_ref().filter(|_| capture.start_element == 0)?;
        let starts = rows.rows.iter().map(|row| row[0]).zip(words.iter().copied());
        for (draw, word) in starts.filter(|&start| start.1 != 0 && seen.insert(start)) {
            match pairs.insert(u64::from(word) | ONE, u64::from(draw)) {
                Met::New => added += 1,
                Met::Held => held += 1,
                Met::Broken => return None,
            }
        }
    }
    checks = if added > 0 { held } else { checks + held };
    let map = map_of(&pairs)?;
    // All words to one draw: more likely a dead device than such a map.
    let enough = bits_per_check(&all) * held as f64 >= 40.0;
    (enough && map.columns != [0; 32] && is_plausible(&map, layout)).then_some((map, checks))
}

fn steps<'a>(rows: &'a [Rows], stride: usize) -> impl Iterator<Item = (u32, u32)> + 'a {
    let lanes = rows.iter().flat_map(|rows| &rows.rows);
    lanes.flat_map(move |row| row.iter().zip(row.iter().skip(stride)).map(|(&a, &b)| (a, b)))
}

/// Returns whether a map may be the device's own: lanes that are alike make
/// simple ones of any draws in a wrong order.
fn is_plausible(map: &Affine32, layout: Layout) -> bool {
    layout == Layout::AsIs
        || (map.minimal_polynomial().degree() >= 20
            && map.order().is_some_and(|order| order > SHORT_PERIOD))
}

/// Returns how many bits of a draw a redundant equation checks: draws that span
/// less than all words agree more easily.
fn bits_per_check(rows: &[Rows]) -> f64 {
    let draws = rows.iter().flat_map(|rows| rows.rows.iter().flatten());
    f64::from(super::lines::rank(draws.map(|&draw| u64::from(draw) | ONE)).saturating_sub(1))
}

/// A redundant equation does not hold.
struct Broken;

fn eliminate(rows: &[Rows], stride: usize) -> Result<(Pairs, u64), Broken> {
    let mut pairs = Pairs::new();
    let mut checks = 0;
    // A step that was seen before is no check.
    let mut seen = HashSet::new();
    let (still, moving): (Vec<_>, Vec<_>) =
        steps(rows, stride).filter(|&step| seen.insert(step)).partition(|(from, to)| from == to);
    let mut take = |pairs: &mut Pairs, list: &[(u32, u32)]| {
        let mut added = 0;
        for &(from, to) in list {
            match pairs.insert(u64::from(from) | ONE, u64::from(to)) {
                Met::New => added += 1,
                Met::Held => checks += 1,
                Met::Broken => return Err(Broken),
            }
        }
        Ok(added)
    };
    take(&mut pairs, &moving)?;
    // A draw that stays may be a lane that is stuck: alone it says nothing new.
    let mut all = pairs.clone();
    let added = take(&mut all, &still)?;
    if added == 0 || added < still.len() || moving.is_empty() {
        pairs = all;
    }
    Ok((pairs, checks))
}

fn map_of(pairs: &Pairs) -> Option<Affine32> {
    let offset = pairs.image(ONE)? as u32;
    let mut map = Affine32 { offset, ..Affine32::IDENTITY };
    for (bit, column) in map.columns.iter_mut().enumerate() {
        *column = pairs.image(1 << bit)? as u32;
    }
    Some(map)
}

fn too_few(rows: &[Rows], checks: u64) -> Report {
    let mut report = Report::new(Verdict::UnderDetermined);
    let rank = super::lines::rank(steps(rows, 1).map(|(from, _)| u64::from(from)));
    let with_one = super::lines::rank(steps(rows, 1).map(|(from, _)| u64::from(from) | ONE));
    report.observable_rank = Some(rank);
    report.layout = Some(Layout::AsIs.to_string());
    report.checks = checks;
    report.remarks.push(format!(
        "the draws span {with_one} of 33 dimensions (32 bits and a constant), which leaves \
         2^{} maps; draws of more lanes with other seeds would tell",
        32 * (33 - with_one)
    ));
    few_taps(rows, &mut report);
    report.next_capture = Some(NextCapture {
        purpose: "raw draws of 128 lanes with random seeds".into(),
        threshold_bits: None,
        threshold_type: "DROP_RATE".into(),
        num_elements: 8,
        start_element: 0,
        seed_group: None,
        splits: None,
    });
    report
}

/// Looks for shift-left registers of two or four taps, the textbook kind: a
/// few draws of one lane say this much.
fn few_taps(rows: &[Rows], report: &mut Report) {
    let all: Vec<(u32, u32)> = steps(rows, 1).collect();
    if all.is_empty() || all.iter().any(|(from, to)| to >> 1 != from & 0x7fff_ffff) {
        return;
    }
    let mut masks: Vec<u32> = (0..31).map(|a| 1 << 31 | 1 << a).collect();
    for a in 0..31 {
        for b in 0..a {
            masks.extend((0..b).map(|c| 1 << 31 | 1 << a | 1 << b | 1 << c));
        }
    }
    let mut fitting = Vec::new();
    let mut primitive = Vec::new();
    for &mask in &masks {
        for feedback in [Feedback::Xor, Feedback::Xnor] {
            let recurrence = Recurrence::Fibonacci { direction: Direction::Left, mask, feedback };
            if all.iter().any(|&(from, to)| recurrence.step(from) != Some(to)) {
                continue;
            }
            let full = |map: Affine32| map.minimal_polynomial().order_of_x() == Some(0xffff_ffff);
            if recurrence.step_map().is_some_and(full) {
                primitive.extend(generator_name(&recurrence));
            }
            fitting.push(Named { recurrence, steps: 1, reverse_alias: false });
        }
    }
    report.searched = Searched {
        families: vec!["fibonacci_left and fibonacci_left_xnor of 2 or 4 taps with bit 31".into()],
        max_steps: 1,
    };
    report.hypotheses = hypotheses(&fitting, None, &(0..PAIRS).collect::<Vec<_>>());
    report.remarks.push(format!(
        "each draw is the one before shifted left: {} of {} registers of two or four taps with \
         bit 31, xor and xnor, feed these bits back, and {} of them have the full period{}",
        fitting.len(),
        2 * masks.len(),
        primitive.len(),
        if primitive.is_empty() { String::new() } else { format!(" ({})", primitive.join(", ")) }
    ));
}

/// Returns multiplier and increment, where all draws follow them modulo 2^32.
fn congruential(rows: &[Rows]) -> Option<Lcg> {
    let mut seen: Vec<(u32, u32)> = Vec::new();
    let mut found = None;
    for (x, y) in steps(rows, 1).take(4096) {
        let odd = seen.iter().take(64).find(|(other, _)| (x ^ other) & 1 == 1);
        if let Some(&(x0, y0)) = odd {
            // Newton's iteration doubles the bits of an inverse modulo 2^32.
            let dx = x.wrapping_sub(x0);
            let inverse = (0..5).fold(dx, |inverse, _| {
                inverse.wrapping_mul(2u32.wrapping_sub(dx.wrapping_mul(inverse)))
            });
            let a = y.wrapping_sub(y0).wrapping_mul(inverse);
            found = Some((a, y0.wrapping_sub(a.wrapping_mul(x0))));
            break;
        }
        seen.push((x, y));
    }
    let (a, c) = found?;
    let mut checked = 0;
    for (x, y) in steps(rows, 1) {
        if a.wrapping_mul(x).wrapping_add(c) != y {
            return None;
        }
        checked += 1;
    }
    (checked > 3).then(|| Lcg { multiplier: format!("{a:08x}"), increment: format!("{c:08x}") })
}

/// Returns the map on which many steps agree, where some draws are wrong.
fn among_bad_draws(rows: &[Rows]) -> Option<Fitted> {
    let all: Vec<(u32, u32)> = steps(rows, 1).collect();
    if all.len() < 80 {
        return None;
    }
    let mut random = SplitMix::new(0xd4a3);
    for _ in 0..20_000 {
        let mut pairs = Pairs::new();
        let mut basis = Vec::with_capacity(33);
        for _ in 0..60 {
            let (from, to) = all[random.below(all.len())];
            if pairs.insert(u64::from(from) | ONE, u64::from(to)) == Met::New {
                basis.push(from);
            }
            if pairs.rank() == 33 {
                break;
            }
        }
        let Some(map) = map_of(&pairs) else { continue };
        let agrees = |&(from, to): &(u32, u32)| map.apply(from) == to;
        let probe = (0..40).filter(|_| agrees(&all[random.below(all.len())])).count();
        if probe < 14 {
            continue;
        }
        let held = all.iter().filter(|pair| agrees(pair)).count();
        // One wrong step in the basis leaves half of all steps right. So more
        // than half have to agree, and all of the map has to follow again from
        // steps that are not in the basis.
        let beside = all.iter().filter(|pair| agrees(pair) && !basis.contains(&pair.0));
        let again = super::lines::rank(beside.map(|(from, _)| u64::from(*from) | ONE));
        if held >= 45 + 33 && held * 100 > all.len() * 55 && again == 33 {
            return Some(Fitted {
                map,
                layout: Layout::AsIs,
                registers: 1,
                checks: held as u64 - 33,
                broken: (all.len() - held) as u64,
                false_positive_log2: 33.0 * (all.len() as f64).log2() - 32.0 * (held as f64 - 33.0),
            });
        }
    }
    None
}

fn report(file: &CaptureFile, rows: &[Rows], fitted: Fitted) -> Report {
    let verified = fitted.false_positive_log2 <= ACCEPT_LOG2;
    let mut report = Report::new(match (verified, fitted.map.offset != 0) {
        (true, true) => Verdict::Affine,
        (true, false) => Verdict::Linear,
        (false, true) => Verdict::AffineUnverified,
        (false, false) => Verdict::LinearUnverified,
    });
    describe_map(&mut report, &fitted.map);
    report.observable_rank = Some(32);
    report.layout = Some(fitted.layout.to_string());
    report.checks = fitted.checks;
    report.false_positive_log2 = Some(fitted.false_positive_log2.min(0.0));
    if fitted.registers > 1 {
        report.registers_per_lane = Some(fitted.registers as u8);
        report.remarks.push("four registers take turns in a lane; the map is that of each".into());
    } else {
        report.shared_stream = Some(is_shared(rows));
    }
    if fitted.broken > 0 {
        let total = steps(rows, 1).count() as f64;
        report.slips = slips(rows, &fitted.map);
        // A wrong draw breaks the step to it and the step from it.
        let broken = (fitted.broken as f64 - report.slips.len() as f64).max(0.0);
        report.flip_rate = Some(broken / 2.0 / total);
        report.remarks.push(format!("{} of {total} steps are broken", fitted.broken));
    }
    let (skip, tied) = entry(file, fitted.layout, &fitted.map);
    if let Some(remark) = tied {
        report.remarks.push(remark);
    }
    let draw = match skip {
        Some(0) => Some(DrawOrder::Before),
        Some(1) => Some(DrawOrder::After),
        Some(more) => {
            report.warm_up = Some(more - 1);
            None
        }
        None => None,
    };
    let mut pairs: Vec<usize> = (0..PAIRS).collect();
    if let Some(fit) = masks(file, fitted.layout, &fitted.map, skip) {
        report.mismatches = Some(fit.misses);
        pairs = if fit.even { fit.pairs } else { Vec::new() };
    }
    let names = classify(&fitted.map);
    report.searched = names.searched.clone();
    report.hypotheses = hypotheses(&names.found, draw, &pairs);
    if names.found.is_empty() {
        report.remarks.push("no natural name is implied by the map".into());
    }
    if let Some(preferred) = preferred_pair(&pairs) {
        let (recurrence, steps) = match names.found.first() {
            Some(named) => (named.recurrence.clone(), named.steps.min(u64::from(u32::MAX)) as u32),
            None => (Recurrence::Matrix(fitted.map), 1),
        };
        let mut profile = profile("recovered", recurrence, steps, skip == Some(0), preferred);
        profile.registers_per_lane = fitted.registers as u8;
        report.profile = Some(profile);
    }
    report
}

/// Returns how often the map is done from the lanes' words to the first draw,
/// and a remark where the words do not lead there.
fn entry(file: &CaptureFile, layout: Layout, map: &Affine32) -> (Option<u64>, Option<String>) {
    let capture = file.captures.iter().find(|capture| {
        capture.draws.is_some() && capture.seeds.is_some() && capture.start_element == 0
    });
    let Some((seeds, draws)) =
        capture.and_then(|capture| capture.seeds.as_ref().zip(capture.draws.as_ref()))
    else {
        return (None, None);
    };
    let first: Vec<(u32, u32)> = seeds
        .iter()
        .enumerate()
        .filter(|(_, word)| **word != 0)
        .map(|(lane, &word)| {
            let (row, column) = layout.place(file.lanes, draws[0].len(), lane, 0);
            (word, draws[row][column])
        })
        .collect();
    let table = ByteMap::new(map);
    let mut states: Vec<u32> = first.iter().map(|(word, _)| *word).collect();
    for skip in 0..=super::attempt::MAX_WARM_UP {
        let held = states.iter().zip(&first).filter(|(state, (_, draw))| **state == *draw).count();
        if held * 4 > first.len() * 3 && held >= 2 {
            return (Some(skip), None);
        }
        states.iter_mut().for_each(|state| *state = table.apply(*state));
    }
    let remark = "the first draws do not follow from the lanes' words by the map; the transition \
                  is in the coordinates of the draws";
    (None, Some(remark.into()))
}

/// Weighs the masks that were captured with raw draws or from the same seeds.
fn masks(file: &CaptureFile, layout: Layout, map: &Affine32, skip: Option<u64>) -> Option<Fit> {
    let mut seen = Seen::all(file, layout);
    let mut direct: Vec<(Seen, Tally)> = Vec::new();
    for capture in &seen {
        if let Some(draws) = &capture.draws {
            let tally = tally(capture, |lane| {
                (0..capture.elements)
                    .map(|element| {
                        let (row, column) =
                            layout.place(file.lanes, capture.elements, lane, element);
                        draws[row][column]
                    })
                    .collect()
            });
            direct.push((capture.clone(), tally));
        }
    }
    if !direct.is_empty() {
        let tallies: Vec<(&Seen, Tally)> = direct.iter().map(|(s, t)| (s, t.clone())).collect();
        return Some(Fit::of(&tallies, None));
    }
    let back = map.inverse();
    for capture in &mut seen {
        if capture.words.is_some() && skip.is_some() {
            continue;
        }
        // The state before the first draw of the group, from the draws.
        let raw =
            file.captures.iter().find(|raw| raw.draws.is_some() && raw.seed_group == capture.group);
        capture.words = raw.zip(back.as_ref()).and_then(|(raw, back)| {
            let away = back.pow(raw.start_element.saturating_add(skip.unwrap_or(0)));
            let first = |lane| {
                let (row, column) = layout.place(file.lanes, raw.num_elements, lane, 0);
                raw.draws.as_ref().map(|draws| away.apply(draws[row][column]))
            };
            (0..file.lanes).map(first).collect()
        });
    }
    if seen.iter().all(|capture| capture.words.is_none()) {
        return None;
    }
    let model = Model { map: *map, skip: skip.unwrap_or(0), zero: None, output: None };
    let Judgement { fit, .. } = judge(model, &seen);
    Some(fit)
}

/// Returns whether one affine map leads from each lane's draws to the next
/// lane's.
fn is_shared(rows: &[Rows]) -> bool {
    let mut pairs = Pairs::new();
    let mut checks = 0;
    for rows in rows {
        for (lane, next) in rows.rows.iter().zip(rows.rows.iter().skip(1)) {
            for (&from, &to) in lane.iter().zip(next) {
                match pairs.insert(u64::from(from) | ONE, u64::from(to)) {
                    Met::New => {}
                    Met::Held => checks += 1,
                    Met::Broken => return false,
                }
            }
        }
    }
    checks > 1
}

/// Returns the broken steps that some more or fewer steps explain.
fn slips(rows: &[Rows], map: &Affine32) -> Vec<Slip> {
    let table = ByteMap::new(map);
    let mut slips = Vec::new();
    for rows in rows {
        for (lane, row) in rows.rows.iter().enumerate() {
            for (element, pair) in row.windows(2).enumerate() {
                let (mut on, mut back) = (table.apply(pair[0]), pair[1]);
                if on == pair[1] {
                    continue;
                }
                let gap = (1..=32i64).find_map(|gap| {
                    on = table.apply(on);
                    if on == pair[1] {
                        return Some(gap);
                    }
                    if gap > 1 {
                        back = table.apply(back);
                    }
                    (back == pair[0]).then_some(-gap)
                });
                if let Some(gap) = gap {
                    slips.push(Slip { capture: rows.id.into(), lane, element: element + 1, gap });
                }
            }
        }
    }
    slips
}
