//! One way to read chosen-word captures: a layout, the columns under it, and
//! the map of a draw that follows.

use super::lines::{Columns, Line, decode_exact, decode_noisy};
use super::seen::{Bounds, Seen};
use super::transition::{Transition, pull_back};
use super::{CaptureFile, Layout, NextRow, SplitMix};
use crate::gf2::{Affine32, Pairs};

/// Columns beyond these add checks, not knowledge.
const MAX_COLUMNS: usize = 512;

/// The most draws thrown away after seeding that are looked for.
pub(super) const MAX_WARM_UP: u64 = 4096;

/// A reading of the captures that no equation contradicts.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    pub(super) layout: Layout,
    pub(super) transition: Transition,
    /// The functional of the top bit, element by element.
    pub(super) functionals: Vec<Option<u64>>,
    /// Elements before the first of them.
    pub(super) start: u64,
    /// Whether captures at other thresholds were needed for the map.
    pub(super) lower_bits: bool,
    /// The bit of a draw that would show more of the state.
    pub(super) next_row: Option<NextRow>,
}

/// Where the compared bit stands in the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Anchor {
    /// The bit of the state.
    pub(super) bit: u32,
    /// How often the map is done before the first draw.
    pub(super) skip: u64,
    /// log2 of how many places were looked at.
    pub tried_log2: f64,
}

/// Which captures the top bit is read from: those of one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) start: u64,
    pub(super) elements: usize,
}

/// Returns the shape of half-rate captures with the most to say.
pub(super) fn main_shape(seen: &[Seen]) -> Option<Shape> {
    let half = || seen.iter().filter(|capture| capture.words.is_some() && capture.is_half());
    let weight = |shape: &Shape| -> usize {
        half().filter(|capture| shape_of(capture) == *shape).count()
            * shape.elements.min(MAX_COLUMNS)
    };
    let mut best: Option<(Shape, usize)> = None;
    for shape in half().map(shape_of) {
        let weight = weight(&shape);
        // The first of equals: where a stream begins, as far as the file says.
        if best.is_none_or(|(_, most)| weight > most) {
            best = Some((shape, weight));
        }
    }
    best.map(|(shape, _)| shape)
}

fn shape_of(capture: &Seen) -> Shape {
    Shape { start: capture.start, elements: capture.elements }
}

/// Returns one line a lane and seed group, lanes with a zero word left out:
/// generators treat it in a way of their own.
fn lines(seen: &[Seen], shape: Shape) -> Vec<Line> {
    let mut groups: Vec<&str> = Vec::new();
    let mut lines = Vec::new();
    for capture in seen.iter().filter(|capture| capture.is_half() && shape_of(capture) == shape) {
        let Some(words) = &capture.words else { continue };
        if groups.contains(&&capture.group[..]) {
            continue;
        }
        groups.push(&capture.group);
        for (lane, &word) in words.iter().enumerate().filter(|(_, word)| **word != 0) {
            let mut bits = capture.top_bits(lane).words().to_vec();
            bits.truncate(MAX_COLUMNS / 64);
            lines.push(Line { argument: u64::from(word) | 1 << 32, bits });
        }
    }
    lines
}

/// Returns the arguments that chosen words give equations for.
pub(super) fn arguments(seen: &[Seen]) -> Pairs {
    let mut pairs = Pairs::new();
    for words in seen.iter().filter_map(|capture| capture.words.as_ref()) {
        for &word in words.iter().filter(|word| **word != 0) {
            pairs.insert(u64::from(word) | 1 << 32, u64::from(word));
        }
    }
    pairs
}

/// Looks for readings of the captures, layout by layout.
pub(super) struct Search<'a> {
    file: &'a CaptureFile,
    shape: Shape,
    layouts: Vec<Layout>,
    as_is: Vec<Seen>,
}

impl<'a> Search<'a> {
    pub(super) fn new(file: &'a CaptureFile, as_is: Vec<Seen>, shape: Shape) -> Self {
        let layouts = Layout::all(file.lanes, shape.elements);
        Self { file, shape, layouts, as_is }
    }

    pub(super) fn layouts(&self) -> &[Layout] {
        &self.layouts
    }

    /// Returns every reading on which all lanes agree, or of a few lanes less
    /// in some columns; stops at the first that `good` likes.
    pub(super) fn exact(&self, good: impl FnMut(&Attempt) -> bool) -> Vec<Attempt> {
        let columns = self.shape.elements.min(MAX_COLUMNS);
        self.run(good, &mut |lines| {
            let found = decode_exact(lines, 33, columns)?;
            (found.found() * 10 >= columns * 9).then_some(found)
        })
    }

    /// Returns every reading that some wrong bits would explain.
    pub(super) fn noisy(&self, good: impl FnMut(&Attempt) -> bool) -> Vec<Attempt> {
        let columns = self.shape.elements.min(MAX_COLUMNS / 2);
        let mut random = SplitMix::new(0x5eed);
        self.run(good, &mut |lines| {
            let mut short = lines.to_vec();
            short.iter_mut().for_each(|line| line.bits.truncate(columns.div_ceil(64)));
            let found = decode_noisy(&short, 33, columns, 600, &mut random)?;
            (found.found() * 4 >= columns.min(60)).then_some(found)
        })
    }

    fn run(
        &self,
        mut good: impl FnMut(&Attempt) -> bool,
        decode: &mut dyn FnMut(&[Line]) -> Option<Columns>,
    ) -> Vec<Attempt> {
        let mut attempts = Vec::new();
        // Layouts that keep lanes have the same columns in another order.
        let mut shared: Option<Option<Columns>> = None;
        for &layout in &self.layouts {
            let own;
            let columns = if layout.keeps_lanes() {
                shared.get_or_insert_with(|| decode(&lines(&self.as_is, self.shape))).as_ref()
            } else {
                own = decode(&lines(&Seen::all(self.file, layout), self.shape));
                own.as_ref()
            };
            let Some(columns) = columns else { continue };
            let Some(attempt) = self.attempt(layout, columns) else { continue };
            let stop = good(&attempt);
            attempts.push(attempt);
            if stop {
                break;
            }
        }
        attempts
    }

    /// Returns the reading, unless its equations contradict each other.
    fn attempt(&self, layout: Layout, columns: &Columns) -> Option<Attempt> {
        let elements = self.shape.elements;
        let functionals: Vec<Option<u64>> = (0..elements)
            .map(|element| {
                let (_, column) = if layout.keeps_lanes() {
                    layout.place(self.file.lanes, elements, 0, element)
                } else {
                    (0, element)
                };
                columns.functionals.get(column).copied().flatten()
            })
            .collect();
        let mut transition = Transition::new();
        transition.feed(functionals.iter().copied());
        // Lanes that are alike make short recurrences in a wrong order.
        let plausible = layout == Layout::AsIs || transition.rank() >= 20;
        (transition.broken == 0 && plausible).then_some(Attempt {
            layout,
            transition,
            start: self.shape.start,
            functionals,
            lower_bits: false,
            next_row: None,
        })
    }
}

impl Attempt {
    /// Adds what captures at other thresholds say about lower bits, from bit
    /// 30 down, until the state is seen in full or a bit is not captured.
    pub(super) fn add_lower_bits(&mut self, seen: &[Seen]) {
        let bounds = Bounds::of(seen);
        let mut above = vec![self.complete(&self.functionals)];
        for bit in (9..31).rev() {
            if self.transition.rank() == 32 {
                self.next_row = None;
                return;
            }
            let columns = ragged(&bounds, bit, self.start, &above);
            let mut transition = self.transition.clone();
            transition.feed(columns.iter().copied());
            if transition.broken == 0 {
                self.transition = transition;
                self.lower_bits |= columns.iter().flatten().count() > 1;
            }
            let rows = self.complete(&columns);
            let missing = rows.iter().position(Option::is_none);
            if let Some(place) = missing.filter(|_| self.next_row.is_none()) {
                let of_place = |rows: &Vec<Option<u64>>| rows.get(place).copied().flatten();
                let element = self.start + place as u64;
                self.next_row = above
                    .iter()
                    .map(of_place)
                    .collect::<Option<Vec<u64>>>()
                    .map(|above| NextRow::new(bit, element, &above));
            }
            above.push(rows);
        }
        if self.transition.rank() == 32 {
            self.next_row = None;
        }
    }

    /// Returns the functionals of a bit with those that follow from the ones
    /// before.
    fn complete(&self, columns: &[Option<u64>]) -> Vec<Option<u64>> {
        let mut before: Option<u64> = None;
        (0..self.functionals.len().min(MAX_COLUMNS))
            .map(|place| {
                let own = columns.get(place).copied().flatten();
                before = own.or_else(|| self.transition.next(before?));
                before
            })
            .collect()
    }

    /// Returns where in the state the compared bit may stand: every place at the
    /// beginning, or the first after some draws thrown away.
    pub(super) fn anchors(&self, map: &Affine32) -> Vec<Anchor> {
        let first = self
            .functionals
            .iter()
            .enumerate()
            .find_map(|(element, functional)| functional.map(|f| (element as u64, f)));
        let Some((element, functional)) = first else { return Vec::new() };
        let to_element = map.pow(self.start.saturating_add(element));
        let find = |bits: &[u32], most: u64| {
            let mut found = Vec::new();
            for &bit in bits {
                let mut row = pull_back(1 << bit, &to_element);
                for skip in 0..=most {
                    if (row ^ functional) & 0xffff_ffff == 0 {
                        let tried_log2 = ((most + 1) as f64 * 32.0).log2();
                        found.push(Anchor { bit, skip, tried_log2 });
                    }
                    row = pull_back(row, map);
                }
            }
            found
        };
        let from_the_top: Vec<u32> = (0..32).rev().collect();
        let mut found = find(&from_the_top, 8);
        if found.is_empty() {
            found = find(&[31, 22], MAX_WARM_UP);
            found.truncate(8);
        } else {
            // A shift register shows the same bit in one place now and in
            // another one later.
            found.extend(find(&[31, 22], 40).into_iter().filter(|anchor| anchor.skip > 8));
        }
        found
    }
}

/// Returns the functional of one bit of the keys, element by element from
/// `start`, where it is known on enough lanes: from the captures alone, or with
/// what the functionals of the bits `above` say of the keys.
fn ragged(bounds: &[Bounds], bit: u32, start: u64, above: &[Vec<Option<u64>>]) -> Vec<Option<u64>> {
    let count = above.first().map_or(0, Vec::len);
    (0..count)
        .map(|place| {
            let element = start + place as u64;
            let rows: Option<Vec<u64>> = above.iter().map(|rows| rows[place]).collect();
            let within = |argument: u64| match &rows {
                Some(rows) => keys_below(rows, argument),
                None => (0, u32::MAX),
            };
            let mut lines = Vec::new();
            for group in bounds {
                let Some(at) = element.checked_sub(group.start).map(|at| at as usize) else {
                    continue;
                };
                if at >= group.elements() {
                    continue;
                }
                for (lane, &word) in group.words.iter().enumerate().filter(|(_, word)| **word != 0)
                {
                    let argument = u64::from(word) | 1 << 32;
                    if let Some(value) = group.bit_below(lane, at, bit, within(argument)) {
                        lines.push(Line { argument, bits: vec![u64::from(value)] });
                    }
                }
            }
            // 20 redundant lines make a column that is not a parity improbable.
            let exact = (lines.len() >= 53)
                .then(|| decode_exact(&lines, 33, 1))
                .flatten()
                .and_then(|columns| columns.functionals[0]);
            exact.or_else(|| {
                let mut random = SplitMix::new(element);
                let columns = decode_noisy(&lines, 33, 1, 60, &mut random)?;
                columns.functionals[0]
            })
        })
        .collect()
}

/// Returns the lowest and the highest key whose top bits are what these
/// functionals, from bit 31 down, give of `argument`.
pub(super) fn keys_below(above: &[u64], argument: u64) -> (u32, u32) {
    let prefix = above
        .iter()
        .fold(0u64, |prefix, row| prefix << 1 | u64::from((row & argument).count_ones() & 1));
    let rest = u32::MAX.checked_shr(above.len() as u32).unwrap_or(0);
    let low = prefix.checked_shl(32 - above.len() as u32).unwrap_or(0) as u32;
    (low, low | rest)
}
