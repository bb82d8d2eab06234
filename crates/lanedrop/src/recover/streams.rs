//! Masks with unknown seeds: the polynomial that the streams obey, and the
//! registers that would draw them.

use std::collections::HashSet;

use super::candidates::{Candidates, Known};
use super::fault::{REACH, find_slips};
use super::recurrence::{MAX_DEGREE, Obeyed, Register, among_errors, exact};
use super::seen::Seen;
use super::{BitRow, CaptureFile, Layout, NextCapture, Report, Slip, SplitMix, Verdict};
use crate::gf2::{Equations, Met, Polynomial};

/// Streams of top bits as they would be without errors, and what was wrong.
#[derive(Clone, Debug)]
pub(super) struct Streams {
    pub(super) layout: Layout,
    pub(super) obeyed: Obeyed,
    pub(super) seen: Vec<Seen>,
    /// `clean[capture][lane]`: the corrected top bits of half-rate captures;
    /// empty for other captures, and for lanes that follow nothing.
    pub(super) clean: Vec<Vec<Option<BitRow>>>,
    pub(super) slips: Vec<Slip>,
    pub(super) strays: Vec<usize>,
    pub(super) stuck: Vec<usize>,
    /// Whether one map leads from each lane's stream to the next lane's.
    pub(super) shared: bool,
    /// Wrong bits, and of how many.
    pub(super) misses: u64,
    pub(super) compared: u64,
}

/// Streams with a period up to this one may come of an order of lanes.
pub(super) const SHORT_PERIOD: u64 = 1 << 16;

/// What is to be said where no polynomial is obeyed.
pub(super) enum NoStreams {
    /// Too few elements to see one.
    TooShort,
    /// Nearly linear, and not by noise.
    Structured,
    /// Nothing at all.
    NotLinear,
}

/// Returns the layouts that streams of unknown seeds can tell: an order of
/// lanes they cannot, nor a reversal.
fn layouts(lanes: usize, elements: usize) -> Vec<Layout> {
    let tells = |layout: &Layout| {
        matches!(
            layout,
            Layout::AsIs | Layout::Snake | Layout::Transposed { .. } | Layout::ElementAxes { .. }
        )
    };
    Layout::all(lanes, elements).into_iter().filter(tells).collect()
}

/// Returns the streams of a file's half-rate captures.
pub(super) fn find(file: &CaptureFile) -> Result<Streams, NoStreams> {
    let as_is = Seen::all(file, Layout::AsIs);
    let longest = as_is.iter().filter(|capture| capture.is_half()).map(|c| c.elements).max();
    let Some(longest) = longest.filter(|&longest| longest >= 4) else {
        return Err(NoStreams::TooShort);
    };
    let layouts = layouts(file.lanes, longest);
    let mut unsure = None;
    for &layout in &layouts {
        let seen = Seen::all(file, layout);
        if let Some(obeyed) = exact(&moving_rows(&seen)).filter(|o| is_plausible(o, layout)) {
            if obeyed.false_positive_log2 <= super::bound::ACCEPT_LOG2 {
                return Ok(streams(layout, obeyed, seen, file.lanes).0);
            }
            unsure = unsure.or(Some((layout, obeyed)));
        }
    }
    if let Some((layout, obeyed)) = unsure {
        return Ok(streams(layout, obeyed, Seen::all(file, layout), file.lanes).0);
    }
    let mut structured = false;
    for &layout in &layouts {
        let seen = Seen::all(file, layout);
        let mut random = SplitMix::new(0x0b5e);
        let Some(obeyed) =
            among_errors(&moving_rows(&seen), &mut random).filter(|o| is_plausible(o, layout))
        else {
            continue;
        };
        let (streams, sound) = streams(layout, obeyed, seen, file.lanes);
        if sound {
            return Ok(streams);
        }
        structured = true;
    }
    Err(match (structured, longest <= MAX_DEGREE as usize) {
        (true, _) => NoStreams::Structured,
        (false, true) => NoStreams::TooShort,
        (false, false) => NoStreams::NotLinear,
    })
}

/// Returns whether a recurrence may be the device's own: lanes that are alike
/// make short ones of any masks in a wrong order.
fn is_plausible(obeyed: &Obeyed, layout: Layout) -> bool {
    let polynomial = obeyed.polynomial;
    // So do lanes whose words count up.
    let runs_long = || period(polynomial).is_some_and(|order| order > SHORT_PERIOD);
    layout == Layout::AsIs || (polynomial.degree() >= 20 && runs_long() && !takes_turns(polynomial))
}

/// Returns whether a polynomial is a square: two streams that take turns obey
/// the square of their own.
fn takes_turns(polynomial: Polynomial) -> bool {
    polynomial.factors().iter().all(|(_, times)| times % 2 == 0)
}

/// Returns after how many elements streams repeat, once what dies out has died.
fn period(polynomial: Polynomial) -> Option<u64> {
    match polynomial.0 {
        0 => None,
        bits => Polynomial(bits >> bits.trailing_zeros()).order_of_x(),
    }
}

/// Returns the top bits of all half-rate captures, lanes that never change
/// left out.
fn moving_rows(seen: &[Seen]) -> Vec<BitRow> {
    let rows = seen
        .iter()
        .filter(|capture| capture.is_half())
        .flat_map(|capture| (0..capture.rows.len()).map(|lane| capture.top_bits(lane)));
    // A replay, or a lane that shows what another does, checks nothing.
    let mut known = HashSet::new();
    rows.filter(|row| !is_constant(row) && known.insert(row.clone())).collect()
}

fn is_constant(row: &BitRow) -> bool {
    row.count_ones() == 0 || row.count_ones() == row.len()
}

/// Corrects every lane and tells whether what is wrong looks like noise: each
/// lane near the estimated rate, the lanes alike, and the places even.
fn streams(layout: Layout, obeyed: Obeyed, seen: Vec<Seen>, lanes: usize) -> (Streams, bool) {
    let register = Register::new(obeyed.polynomial);
    let degree = obeyed.polynomial.degree() as usize;
    let rate = obeyed.flip_rate;
    let mut random = SplitMix::new(0xdec0);
    let (mut slips, mut strays, mut stuck) = (Vec::new(), Vec::new(), Vec::new());
    let (mut misses, mut compared, mut places) = (0u64, 0u64, 0.0f64);
    let mut dispersion = 0.0f64;
    let mut lanes_seen = 0u32;
    let clean: Vec<Vec<Option<BitRow>>> = seen
        .iter()
        .map(|capture| {
            if !capture.is_half() || capture.elements < degree {
                return Vec::new();
            }
            let mut decode = |lane: usize| {
                let row = capture.top_bits(lane);
                if is_constant(&row) {
                    stuck.push(lane);
                    return None;
                }
                if rate == 0.0 || obeyed.polynomial.0 & 1 == 0 {
                    compared += row.len() as u64;
                    return Some(row);
                }
                let len = row.len() as f64;
                let allowed = (2.0 * rate + 0.03) * len + 3.0;
                let (decoded, wrong) = register.decode(&row, allowed as usize, &mut random);
                if wrong as f64 <= allowed {
                    misses += wrong as u64;
                    compared += row.len() as u64;
                    dispersion += (wrong as f64 - rate * len).powi(2) / (rate * (1.0 - rate) * len);
                    lanes_seen += 1;
                    places += misplaced(&row, &decoded);
                    return Some(decoded);
                }
                match slipped(&register, &row, degree, allowed, &mut random) {
                    Some((decoded, found)) => {
                        slips.extend(found.into_iter().map(|(element, gap)| Slip {
                            capture: capture.id.clone(),
                            lane,
                            element,
                            gap,
                        }));
                        Some(decoded)
                    }
                    None => {
                        strays.push(lane);
                        None
                    }
                }
            };
            (0..capture.rows.len()).map(&mut decode).collect()
        })
        .collect();
    let z_lanes =
        (dispersion - f64::from(lanes_seen)) / (2.0 * f64::from(lanes_seen.max(1))).sqrt();
    let z_places = places / (misses.max(1) as f64 / 12.0).sqrt();
    stuck.sort_unstable();
    stuck.dedup();
    strays.sort_unstable();
    strays.dedup();
    let sound = z_lanes < 8.0 && z_places.abs() < 5.0 && strays.len() * 10 <= lanes && compared > 0;
    let mut streams = Streams {
        layout,
        obeyed,
        seen,
        clean,
        slips,
        strays,
        stuck,
        shared: false,
        misses,
        compared,
    };
    streams.shared = streams.is_shared();
    (streams, sound)
}

/// Returns the sum of the places of wrong bits, each from -1/2 to 1/2.
fn misplaced(row: &BitRow, decoded: &BitRow) -> f64 {
    (0..row.len())
        .filter(|&i| row.bit(i) != decoded.bit(i))
        .map(|i| (i as f64 + 0.5) / row.len() as f64 - 0.5)
        .sum()
}

/// Returns the stream of a lane that lost or doubled elements: decoded from
/// its beginning, and the slips.
fn slipped(
    register: &Register,
    row: &BitRow,
    degree: usize,
    allowed: f64,
    random: &mut SplitMix,
) -> Option<(BitRow, Vec<(usize, i64)>)> {
    // A window near the beginning stands before the first slip, mostly.
    for trial in 0..60 {
        let start = random.below((row.len() / 4).max(1)) * usize::from(trial > 0);
        if start + degree > row.len() {
            continue;
        }
        let window = row.window(start) & ((1u64 << degree) - 1);
        let stream = register.extend(window, start, row.len() + REACH);
        // Beyond a window without a slip in it the stream goes on as the row.
        let beyond = (start + degree..row.len()).take(16);
        if beyond.filter(|&i| row.bit(i) != stream.bit(i)).count() > 4 {
            continue;
        }
        let kept: Vec<bool> = (0..stream.len()).map(|i| stream.bit(i)).collect();
        let (slips, misses) = find_slips(row, &kept);
        if f64::from(misses) <= allowed && !slips.is_empty() && slips.len() <= 4 {
            let decoded = BitRow::from_fn(row.len(), |i| kept[i]);
            return Some((decoded, slips.iter().map(|slip| (slip.element, slip.gap)).collect()));
        }
    }
    None
}

impl Streams {
    /// Returns the polynomial of the linear part and whether the streams are
    /// inverted by a constant; `None` where the captures see less than all of
    /// a 32-bit state.
    pub(super) fn characteristic(&self) -> Option<(Polynomial, bool)> {
        let polynomial = self.obeyed.polynomial;
        match polynomial.degree() {
            32 => Some((polynomial, false)),
            33 if Polynomial::X_PLUS_ONE.divides(polynomial) => {
                Some((polynomial.div_rem(Polynomial::X_PLUS_ONE).0, true))
            }
            _ => None,
        }
    }

    /// Returns whether one map leads from each lane's stream to the next
    /// lane's: true where all draw from one register in turn.
    fn is_shared(&self) -> bool {
        let degree = self.obeyed.polynomial.degree();
        let mut equations = Equations::new();
        let mut checks = 0;
        for rows in &self.clean {
            for (row, next) in rows.iter().zip(rows.iter().skip(1)) {
                let (Some(row), Some(next)) = (row, next) else { continue };
                for n in 0..row.len().saturating_sub(degree as usize) {
                    let window = row.window(n) & ((1u64 << degree) - 1);
                    match equations.insert(window, next.bit(n)) {
                        Met::New => {}
                        Met::Held => checks += 1,
                        Met::Broken => return false,
                    }
                }
            }
        }
        checks > 40
    }

    /// Returns the lanes that show what an earlier one does.
    fn doubles(&self) -> Vec<(usize, usize)> {
        let rows: Vec<&Vec<Option<BitRow>>> =
            self.clean.iter().filter(|rows| !rows.is_empty()).collect();
        let alike = |a: usize, b: usize| {
            !rows.is_empty()
                && rows.iter().all(|rows| rows[a].is_some() && rows[a].as_ref() == rows[b].as_ref())
        };
        let lanes = rows.first().map_or(0, |rows| rows.len());
        (1..lanes)
            .filter_map(|lane| {
                (0..lane).find(|&other| alike(other, lane)).map(|other| (other, lane))
            })
            .collect()
    }

    /// Puts what the streams show into a report.
    pub(super) fn describe(&self, report: &mut Report) {
        report.layout = Some(self.layout.to_string());
        report.checks = self.obeyed.checks;
        report.false_positive_log2 = Some(self.obeyed.false_positive_log2.min(0.0));
        report.flip_rate = Some(self.misses as f64 / self.compared.max(1) as f64);
        report.slips.clone_from(&self.slips);
        let list =
            |lanes: &[usize]| lanes.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        if !self.stuck.is_empty() {
            report.remarks.push(format!("lanes whose mask never changes: {}", list(&self.stuck)));
        }
        if !self.strays.is_empty() {
            report.remarks.push(format!("lanes that follow nothing: {}", list(&self.strays)));
        }
        for (other, lane) in self.doubles() {
            report.remarks.push(format!("lane {lane} shows what lane {other} does"));
        }
        report.shared_stream = Some(self.shared);
    }
}

/// Solves captures whose seeds are not known.
pub(super) fn solve(file: &CaptureFile) -> Report {
    let streams = match find(file) {
        Ok(streams) => streams,
        Err(reason) => return no_streams(file, &reason),
    };
    let mut report = Report::new(Verdict::MinimalPolynomialOnly);
    streams.describe(&mut report);
    let degree = streams.obeyed.polynomial.degree();
    report.observable_rank = Some(degree.min(32));
    if streams.obeyed.false_positive_log2 > super::bound::ACCEPT_LOG2 {
        report.verdict = Verdict::UnderDetermined;
        report.remarks.push("too few parity checks; more elements or lanes would do".into());
        report.next_capture = Some(half_capture(128));
        return report;
    }
    let Some((polynomial, inverted)) = streams.characteristic() else {
        return partial(report, &streams);
    };
    if let Some(order) = period(polynomial).filter(|&order| order <= SHORT_PERIOD) {
        report.verdict = Verdict::UnderDetermined;
        report.remarks.push(format!(
            "the streams repeat after {order} elements: so would rows that run along lanes whose \
             words count up; words chosen at random for each lane would tell"
        ));
        report.next_capture = Some(half_capture(128));
        return report;
    }
    if takes_turns(polynomial) {
        report.verdict = Verdict::UnderDetermined;
        report.remarks.push(
            "the streams obey the square of a polynomial: so do two shorter streams that take turns"
                .into(),
        );
        report.next_capture = Some(half_capture(128));
        return report;
    }
    if polynomial == polynomial.reciprocal() && polynomial.factors().len() > 1 {
        report.verdict = Verdict::UnderDetermined;
        report.remarks.push(
            "the streams obey a polynomial that is its own reverse: lanes that run to and fro in \
             turn would too"
                .into(),
        );
        report.next_capture = Some(half_capture(128));
        return report;
    }
    let settled = inverted || !Polynomial::X_PLUS_ONE.divides(polynomial);
    if settled {
        report.minimal_polynomial = Some(format!("{:x}", polynomial.0));
    } else {
        report.remarks.push(format!(
            "the streams obey {:x}; its factor x + 1 may come of a constant",
            polynomial.0
        ));
    }
    report.remarks.push(
        "with unknown seeds nothing tells an order of elements from its reverse: the register may \
         run the other way"
            .into(),
    );
    let lanes = file.lanes as u64;
    let more: &[u64] = if report.shared_stream == Some(true) { &[lanes, 2 * lanes] } else { &[] };
    let candidates = Candidates::fitting(&streams, polynomial, more, Known::Nothing);
    if candidates.errors_gather(&streams) {
        return no_streams(file, &NoStreams::Structured);
    }
    candidates.describe(&mut report);
    if !settled {
        // A register with a constant and a state seen in part is not searched.
        report.searched.families.retain(|family| !family.ends_with("_xnor"));
        for family in &mut report.searched.families {
            family.push_str(" seen in full");
        }
    }
    if candidates.len() > 1 {
        report.verdict = Verdict::Ambiguous;
        report.inseparable = candidates.are_inseparable();
        if !report.inseparable {
            report.next_capture = candidates.next_capture();
        }
    }
    report
}

/// Returns the report for streams that obey a polynomial of another degree
/// than a full register's.
fn partial(mut report: Report, streams: &Streams) -> Report {
    let degree = streams.obeyed.polynomial.degree();
    if degree > 32 {
        report.verdict = Verdict::RejectedNotLinear;
        report.observable_rank = None;
        report.remarks.push(format!(
            "the streams obey a recurrence of {degree} terms, longer than a 32-bit register has"
        ));
        return report;
    }
    report.verdict = Verdict::LinearOnObservableQuotient;
    report.remarks.push(format!(
        "the streams obey {:x}, of degree {degree}: less than the state",
        streams.obeyed.polynomial.0
    ));
    report
}

pub(super) fn no_streams(file: &CaptureFile, reason: &NoStreams) -> Report {
    match reason {
        NoStreams::TooShort => {
            let mut report = Report::new(Verdict::UnderDetermined);
            report
                .remarks
                .push("no half-rate capture is long enough to see a recurrence of 32 terms".into());
            report.next_capture = Some(half_capture(128));
            report
        }
        NoStreams::Structured => {
            let mut report = Report::new(Verdict::RejectedStructured);
            report.remarks.push(
                "most parity checks of a recurrence hold, but the errors are not noise: they \
                 gather in lanes or places"
                    .into(),
            );
            report
        }
        NoStreams::NotLinear => registers(file).unwrap_or_else(|| {
            let mut report = Report::new(Verdict::RejectedNotLinear);
            report.remarks.push(
                "no recurrence of up to 33 terms holds, under any order of elements that was \
                 tried, even with bits wrong here and there"
                    .into(),
            );
            report
        }),
    }
}

/// Looks for four registers that take turns.
fn registers(file: &CaptureFile) -> Option<Report> {
    let seen = Seen::all(file, Layout::AsIs);
    let rows: Vec<BitRow> = moving_rows(&seen)
        .iter()
        .flat_map(|row| {
            (0..4).map(move |turn| BitRow::from_fn(row.len() / 4, |i| row.bit(4 * i + turn)))
        })
        .collect();
    let obeyed = exact(&rows)
        .filter(|obeyed| obeyed.false_positive_log2 <= super::bound::ACCEPT_LOG2 - 3.0)?;
    let mut report = Report::new(Verdict::MinimalPolynomialOnly);
    report.registers_per_lane = Some(4);
    report.layout = Some(Layout::AsIs.to_string());
    report.checks = obeyed.checks;
    report.false_positive_log2 = Some(obeyed.false_positive_log2);
    report.observable_rank = Some(obeyed.polynomial.degree().min(32));
    if obeyed.polynomial.degree() == 32 && !Polynomial::X_PLUS_ONE.divides(obeyed.polynomial) {
        report.minimal_polynomial = Some(format!("{:x}", obeyed.polynomial.0));
    }
    report.remarks.push("four registers take turns in a lane; the polynomial is of each".into());
    Some(report)
}

pub(super) fn half_capture(num_elements: usize) -> NextCapture {
    NextCapture {
        purpose: "one linear equation an element".into(),
        threshold_bits: Some("3effffff".into()),
        threshold_type: "DROP_RATE".into(),
        num_elements,
        start_element: 0,
        seed_group: None,
        splits: None,
    }
}
