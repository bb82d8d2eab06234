//! The natural families that the map of a draw belongs to, for any number of
//! steps at once.
//!
//! One step `T` of a register commutes with the map `M = T^k` of a draw. For
//! the four shift-register families `T M = M T` is linear in the bits of the
//! mask; products of up to three shifts are few enough to be tried each. So `k`
//! need not be known to find `T`, and is counted afterwards.

use super::generator::generator_name;
use super::steps::{MAX_STEPS, MAX_STEPS_SINGULAR, steps_to};
use super::{Searched, random::SplitMix};
use crate::gf2::{Affine32, ByteMap, Equations, Met, Polynomial};
use crate::rng::{Direction, Feedback, Recurrence, Shift};

/// The most masks of one family, or shift products, that are looked at.
const CAP: usize = 1 << 10;

/// A recurrence and how many of its steps make a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) recurrence: Recurrence,
    pub(super) steps: u64,
    /// Whether another one, with fewer steps, is this one run backwards.
    pub(super) reverse_alias: bool,
}

/// What a search for names found.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    pub(super) found: Vec<Named>,
    pub(super) searched: Searched,
}

const KINDS: [(bool, Direction); 4] = [
    (true, Direction::Right),
    (true, Direction::Left),
    (false, Direction::Right),
    (false, Direction::Left),
];

/// Returns the recurrence of a family, by whether it is of Galois form.
pub(super) fn lfsr(
    galois: bool,
    direction: Direction,
    mask: u32,
    feedback: Feedback,
) -> Recurrence {
    if galois {
        Recurrence::Galois { direction, mask, feedback }
    } else {
        Recurrence::Fibonacci { direction, mask, feedback }
    }
}

/// Returns every natural name of the map of a draw.
pub(super) fn classify(draw: &Affine32) -> Names {
    let linear = Affine32::linear(draw.columns);
    let mut names = Names::default();
    let invertible = linear.rank() == 32;
    names.searched.max_steps = if invertible { MAX_STEPS } else { MAX_STEPS_SINGULAR };
    for (galois, direction) in KINDS {
        let kind = if galois { "galois" } else { "fibonacci" };
        let side = if direction == Direction::Left { "left" } else { "right" };
        let Some(masks) = lfsr_masks(galois, direction, &linear) else {
            continue;
        };
        names.searched.families.push(format!("{kind}_{side}"));
        names.searched.families.push(format!("{kind}_{side}_xnor"));
        for mask in masks {
            for feedback in [Feedback::Xor, Feedback::Xnor] {
                names.consider(lfsr(galois, direction, mask, feedback), draw);
            }
        }
    }
    if let Some(products) = xorshifts_commuting_with(&linear) {
        names.searched.families.push("xorshift".into());
        for shifts in products {
            names.consider(Recurrence::Xorshift { shifts }, draw);
        }
    }
    names.mark_aliases();
    names
}

impl Names {
    fn consider(&mut self, recurrence: Recurrence, draw: &Affine32) {
        let Some(step) = recurrence.step_map() else { return };
        // The offset of all steps must be the draw's, and cheap to rule out.
        if draw.offset == 0 && step.offset != 0 && !may_return(&step, draw) {
            return;
        }
        if let Some(steps) = steps_to(&step, draw) {
            self.found.push(Named { recurrence, steps, reverse_alias: false });
        }
    }

    /// Puts the fewest steps first and marks what only runs backwards.
    fn mark_aliases(&mut self) {
        self.found.sort_by_key(|named| (named.steps, generator_name(&named.recurrence)));
        let maps: Vec<Option<Affine32>> =
            self.found.iter().map(|named| named.recurrence.step_map()).collect();
        for later in 1..self.found.len() {
            self.found[later].reverse_alias = (0..later).any(|earlier| {
                self.found[earlier].steps < self.found[later].steps
                    && maps[earlier]
                        .zip(maps[later])
                        .is_some_and(|(a, b)| a.then(&b) == Affine32::IDENTITY)
            });
        }
    }
}

/// Returns whether steps with an offset can make a draw without one: a draw
/// that leaves a state where it is must be made of steps that commute with it.
fn may_return(step: &Affine32, draw: &Affine32) -> bool {
    step.then(draw) == draw.then(step)
}

/// Returns the masks for which one step of the family commutes with `draw`, or
/// `None` where there are too many to look at.
fn lfsr_masks(galois: bool, direction: Direction, draw: &Affine32) -> Option<Vec<u32>> {
    let base = match direction {
        Direction::Left => Affine32::shift_left(),
        Direction::Right => Affine32::shift_right(),
    };
    // T = base + m e^T (Galois) or base + e m^T (Fibonacci).
    let out = if direction == Direction::Left { 31 } else { 0 };
    let bit_in = 31 - out;
    let (first, second) = (draw.then(&base), base.then(draw));
    let mut equations = Equations::new();
    for column in 0..32usize {
        let known = first.columns[column] ^ second.columns[column];
        for row in 0..32usize {
            // Entry (row, column) of m e^T M + M m e^T, or e m^T M + M e m^T.
            let entry = |r: usize, c: usize| u64::from(draw.columns[c] >> r & 1);
            let unknowns = if galois {
                let own = entry(out, column) << row;
                let moved = if column == out { row_of(draw, row) } else { 0 };
                own ^ moved
            } else {
                let own = if row == bit_in { u64::from(draw.columns[column]) } else { 0 };
                own ^ entry(row, bit_in) << column
            };
            if equations.insert(unknowns, known >> row & 1 == 1) == Met::Broken {
                return Some(Vec::new());
            }
        }
    }
    let freedom = equations.freedom(32);
    if freedom.len() > CAP.ilog2() as usize {
        return None;
    }
    let mut masks = vec![equations.any_solution(32) as u32];
    for direction in freedom {
        masks.extend(masks.clone().iter().map(|mask| mask ^ direction as u32));
    }
    Some(masks)
}

/// Returns row `row` of the matrix: bit `c` is entry (row, c).
fn row_of(map: &Affine32, row: usize) -> u64 {
    map.columns
        .iter()
        .enumerate()
        .fold(0, |sum, (c, column)| sum | u64::from(column >> row & 1) << c)
}

/// Returns the products of one to three shifts that commute with `draw`, or
/// `None` where there are too many. Neighbours that commute with each other
/// stand in ascending order.
fn xorshifts_commuting_with(draw: &Affine32) -> Option<Vec<Vec<Shift>>> {
    let mut random = SplitMix::new(0x9e37);
    let points: [u32; 4] = std::array::from_fn(|_| random.next_u32());
    let table = ByteMap::new(draw);
    let images = points.map(|point| table.apply(point));
    let commutes = |shifts: &[u8]| {
        points.iter().zip(&images).all(|(&point, &image)| {
            table.apply(shift_all(point, shifts)) == shift_all(image, shifts)
        })
    };
    let mut found = Vec::new();
    let mut excess = false;
    let mut keep = |shifts: &[u8]| {
        if found.len() == CAP {
            excess = true;
        } else {
            found.push(shifts.iter().map(|&code| decode(code)).collect());
        }
    };
    let codes = || (1..32).chain(33..64u8);
    for first in codes() {
        if commutes(&[first]) {
            keep(&[first]);
        }
        for second in codes().filter(|&second| in_order(first, second)) {
            if commutes(&[first, second]) {
                keep(&[first, second]);
            }
            for third in codes().filter(|&third| in_order(second, third)) {
                if commutes(&[first, second, third]) {
                    keep(&[first, second, third]);
                }
            }
        }
    }
    (!excess).then_some(found)
}

/// Returns the products of one to three shifts whose power `steps` obeys a
/// polynomial, seen on the top bit of one stream.
pub(super) fn xorshifts_obeying(polynomial: Polynomial, steps: u64) -> Vec<Vec<Shift>> {
    let degree = polynomial.degree();
    let obeys = |shifts: &[u8]| {
        let mut state = 0x9e37_79b9u32;
        let mut window = 0u64;
        for draw in 0..degree + 24 {
            window |= u64::from(state >> 31) << degree;
            if draw >= degree && (window & polynomial.0).count_ones() & 1 == 1 {
                return false;
            }
            window >>= 1;
            for _ in 0..steps {
                state = shift_all(state, shifts);
            }
        }
        true
    };
    let mut found = Vec::new();
    let codes = || (1..32).chain(33..64u8);
    let mut keep = |shifts: &[u8]| {
        if obeys(shifts) {
            found.push(shifts.iter().map(|&code| decode(code)).collect());
        }
    };
    for first in codes() {
        keep(&[first]);
        for second in codes().filter(|&second| in_order(first, second)) {
            keep(&[first, second]);
            for third in codes().filter(|&third| in_order(second, third)) {
                keep(&[first, second, third]);
            }
        }
    }
    found
}

/// Returns whether two stages stand in their one order: of the same direction
/// they may be exchanged.
fn in_order(first: u8, second: u8) -> bool {
    (first < 32) != (second < 32) || first <= second
}

/// Codes 1..=31 shift left, 33..=63 shift right.
fn decode(code: u8) -> Shift {
    if code < 32 { Shift::Left(code) } else { Shift::Right(code - 32) }
}

#[inline]
fn shift_all(x: u32, shifts: &[u8]) -> u32 {
    shifts.iter().fold(x, |x, &code| if code < 32 { x ^ x << code } else { x ^ x >> (code - 32) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(draw: &Affine32) -> Vec<(String, u64, bool)> {
        classify(draw)
            .found
            .iter()
            .map(|n| (generator_name(&n.recurrence).unwrap(), n.steps, n.reverse_alias))
            .collect()
    }

    fn map(name: &str) -> Affine32 {
        super::super::parse_generator(name).unwrap().step_map().unwrap()
    }

    #[test]
    fn a_galois_register_shows_with_its_reverse_alias() {
        let found = names(&map("galois_right a3000000"));
        assert_eq!(found[0], ("galois_right a3000000".into(), 1, false));
        assert!(found.contains(&("galois_left 46000001".into(), 4_294_967_294, true)));
    }

    #[test]
    fn xnor_is_told_from_xor() {
        let found = names(&map("fibonacci_left_xnor 80200003"));
        assert_eq!(found[0], ("fibonacci_left_xnor 80200003".into(), 1, false));
        assert!(found.iter().all(|name| name.0.contains("xnor")));
    }

    #[test]
    fn a_million_steps_are_counted() {
        let draw = map("xorshift L13-R17-L5").pow(1_000_003);
        assert_eq!(names(&draw)[0], ("xorshift L13-R17-L5".into(), 1_000_003, false));
    }

    #[test]
    fn the_canonical_products_are_134974() {
        let codes = || (1..32).chain(33..64u8);
        let mut count = 0;
        for first in codes() {
            count += 1;
            for second in codes().filter(|&s| in_order(first, s)) {
                count += 1 + codes().filter(|&t| in_order(second, t)).count();
            }
        }
        assert_eq!(count, 134_974);
    }

    #[test]
    fn a_matrix_of_no_family_has_no_name() {
        let draw = crate::gf2::Affine32::of(|x| x.rotate_left(5) ^ x >> 3 ^ x << 11 & 0x5a5a_5a5a);
        assert_eq!(names(&draw), []);
    }

    #[test]
    fn the_identity_names_nothing_among_too_many() {
        let names = classify(&Affine32::IDENTITY);
        assert!(names.searched.families.is_empty());
    }
}
