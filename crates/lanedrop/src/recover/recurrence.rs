//! The polynomial that streams of bits obey, whatever they started from.

use super::bound::entropy;
use super::{BitRow, SplitMix};
use crate::gf2::{Equations, Met, Pairs, Polynomial, shortest_recurrence};

/// The longest recurrence of a 32-bit register: an affine one counts one more.
pub(super) const MAX_DEGREE: u32 = 33;

/// A polynomial and how well streams obey it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Obeyed {
    pub(super) polynomial: Polynomial,
    /// Parity checks that were redundant and held.
    pub(super) checks: u64,
    /// Estimated share of wrong bits.
    pub(super) flip_rate: f64,
    pub false_positive_log2: f64,
}

/// Returns the polynomial of least degree that every window of every row
/// obeys.
pub(super) fn exact(rows: &[BitRow]) -> Option<Obeyed> {
    let length = rows.iter().map(BitRow::len).max()?.min(64);
    let mut windows = Pairs::new();
    for row in rows {
        for start in 0..(row.len() + 1).saturating_sub(length) {
            windows.insert(low_bits(row.window(start), length), 0);
            if windows.rank() > MAX_DEGREE {
                return None;
            }
        }
    }
    // Words that are alike span less than the recurrence has terms.
    let least = windows.rank().max(1);
    let degrees = least..=MAX_DEGREE.min((length as u32).saturating_sub(1));
    let mut obeyed = degrees.into_iter().find_map(|degree| exact_of_degree(rows, degree))?;
    if rests_on_one_row(rows, obeyed.polynomial.degree() as usize) {
        // A row with a wrong bit adds a dimension, and nothing checks it.
        obeyed.checks = 0;
        obeyed.false_positive_log2 = 0.0;
    }
    Some(obeyed)
}

/// Returns whether one row alone adds something to what the windows of all
/// others span.
fn rests_on_one_row(rows: &[BitRow], degree: usize) -> bool {
    let take = |windows: &mut Pairs, row: &BitRow| {
        let before = windows.rank();
        for start in 0..row.len().saturating_sub(degree) {
            windows.insert(low_bits(row.window(start), degree), 0);
        }
        windows.rank() > before
    };
    let added_by = |order: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
        let mut windows = Pairs::new();
        order.filter(|&i| take(&mut windows, &rows[i])).collect()
    };
    let forward = added_by(&mut (0..rows.len()));
    let backward = added_by(&mut (0..rows.len()).rev());
    // Such a row adds something in whatever order.
    rows.len() > 1
        && forward.iter().filter(|&row| backward.contains(row)).any(|&alone| {
            let mut windows = Pairs::new();
            for (_, row) in rows.iter().enumerate().filter(|(i, _)| *i != alone) {
                take(&mut windows, row);
            }
            take(&mut windows, &rows[alone])
        })
}

/// Returns the one polynomial of this degree that every window obeys.
fn exact_of_degree(rows: &[BitRow], degree: u32) -> Option<Obeyed> {
    let mut equations = Equations::new();
    let mut checks = 0u64;
    for row in rows {
        for start in 0..row.len().saturating_sub(degree as usize) {
            let window = low_bits(row.window(start), degree as usize + 1);
            let (low, next) = (window & !(1 << degree), window >> degree & 1 == 1);
            match equations.insert(low, next) {
                Met::New => {}
                Met::Held => checks += 1,
                Met::Broken => return None,
            }
        }
    }
    // Streams that start alike may obey more than the register does: what they
    // lead to has to be among what was seen.
    let closed = rows.iter().all(|row| {
        let last = row.len().checked_sub(degree as usize);
        last.is_none_or(|last| {
            equations.implied(low_bits(row.window(last), degree as usize)).is_some()
        })
    });
    let low = equations.solution(degree).filter(|_| closed)?;
    let false_positive_log2 = f64::from(MAX_DEGREE) - checks as f64;
    let polynomial = Polynomial(low | 1 << degree);
    if !Polynomial::X_PLUS_ONE.divides(polynomial) {
        // A constant must not be a sum of what was seen, or it might hide.
        let mut with_one = Pairs::new();
        for row in rows {
            for start in 0..row.len().saturating_sub(degree as usize) {
                with_one.insert(low_bits(row.window(start), degree as usize) | 1 << degree, 0);
            }
        }
        if with_one.rank() <= degree {
            return None;
        }
    }
    Some(Obeyed { polynomial, checks, flip_rate: 0.0, false_positive_log2 })
}

fn low_bits(word: u64, count: usize) -> u64 {
    if count >= 64 { word } else { word & ((1 << count) - 1) }
}

/// How long a window is that a recurrence is read from; those of 33 terms
/// leave a few bits to see that it is one.
const WINDOW: usize = 70;

/// The most windows that are tried.
const CANDIDATES: usize = 20_000;

/// Returns the polynomial that many windows obey, where some bits are wrong.
///
/// Windows are taken at random until one is free of wrong bits: then its
/// shortest recurrence has far more parity checks hold over all rows than
/// chance has.
pub(super) fn among_errors(rows: &[BitRow], random: &mut SplitMix) -> Option<Obeyed> {
    let long: Vec<&BitRow> = rows.iter().filter(|row| row.len() >= WINDOW).collect();
    if long.is_empty() {
        return None;
    }
    let sample: Vec<BitRow> =
        (0..8.min(long.len())).map(|_| long[random.below(long.len())].clone()).collect();
    for _ in 0..CANDIDATES {
        let row = long[random.below(long.len())];
        let start = random.below(row.len() - WINDOW + 1);
        let sequence =
            u128::from(row.window(start)) | u128::from(row.window(start + 64) & 0x3f) << 64;
        let Some(candidate) = shortest_recurrence(sequence, WINDOW as u32) else { continue };
        if !may_be(candidate) || score(&sample, candidate).1 < 3.0 {
            continue;
        }
        if score(rows, candidate).1 > 7.0 {
            return Some(measured(rows, smallest_divisor(rows, candidate)));
        }
    }
    None
}

/// Returns whether a register of 32 bits, which no wrong bit made longer, may
/// have this polynomial.
fn may_be(candidate: Polynomial) -> bool {
    let degree = candidate.degree();
    (20..=MAX_DEGREE).contains(&degree)
        && (degree < MAX_DEGREE || Polynomial::X_PLUS_ONE.divides(candidate))
}

/// Returns the share of parity checks that hold, and by how many standard
/// deviations that is more than half.
fn score(rows: &[BitRow], polynomial: Polynomial) -> (f64, f64) {
    let degree = polynomial.degree() as usize;
    let (mut held, mut total) = (0u64, 0u64);
    for row in rows {
        let checks = row.len().saturating_sub(degree);
        total += checks as u64;
        for start in (0..checks).step_by(64) {
            let mut sum = 0;
            let mut rest = polynomial.0;
            while rest != 0 {
                sum ^= row.window(start + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
            let inside = low_bits(u64::MAX, (checks - start).min(64));
            held += u64::from((!sum & inside).count_ones());
        }
    }
    let total = total.max(1) as f64;
    (held as f64 / total, (held as f64 - total / 2.0) / (total.sqrt() / 2.0))
}

/// Returns the divisor of least degree that the rows still obey: one wrong bit
/// at the end of a window gives a multiple, which may score higher.
fn smallest_divisor(rows: &[BitRow], candidate: Polynomial) -> Polynomial {
    let mut current = candidate;
    loop {
        let smaller = current
            .factors()
            .into_iter()
            .map(|(factor, _)| current.div_rem(factor).0)
            .filter(|divisor| divisor.degree() >= 1)
            .find(|&divisor| score(rows, divisor).1 > 5.0);
        match smaller {
            Some(divisor) => current = divisor,
            None => return current,
        }
    }
}

fn measured(rows: &[BitRow], polynomial: Polynomial) -> Obeyed {
    let (held, z) = score(rows, polynomial);
    let weight = f64::from(polynomial.0.count_ones());
    // Of `weight` bits an even number is wrong with this chance.
    let flip_rate = (1.0 - (2.0 * held - 1.0).max(0.0).powf(1.0 / weight)) / 2.0;
    let degree = polynomial.degree() as usize;
    let checks: usize = rows.iter().map(|row| row.len().saturating_sub(degree)).sum();
    // The tail of a normal distribution, times the candidates.
    let false_positive_log2 = (CANDIDATES as f64).log2() - z * z / 2.0 * std::f64::consts::LOG2_E;
    Obeyed {
        polynomial,
        checks: (checks as f64 * (1.0 - entropy(held))) as u64,
        flip_rate,
        false_positive_log2,
    }
}

/// Continues a window of bits by a recurrence, both ways.
#[derive(Clone, Copy, Debug)]
pub(super) struct Register {
    forward: u64,
    backward: u64,
    degree: u32,
}

impl Register {
    /// Returns the register of a polynomial with a constant term.
    pub(super) fn new(polynomial: Polynomial) -> Self {
        let degree = polynomial.degree();
        Self { forward: polynomial.0 & !(1 << degree), backward: polynomial.0 >> 1, degree }
    }

    /// Returns `len` bits of which `window` are those from `start` on.
    pub(super) fn extend(&self, window: u64, start: usize, len: usize) -> BitRow {
        let mut words = vec![false; len];
        let top = self.degree - 1;
        let mut state = window;
        for bit in words.iter_mut().skip(start) {
            *bit = state & 1 == 1;
            let next = u64::from((state & self.forward).count_ones() & 1);
            state = state >> 1 | next << top;
        }
        let mut state = window;
        for bit in words[..start].iter_mut().rev() {
            // p_0 s_n = sum of p_j s_(n+j), with p_0 = 1.
            let before = u64::from((state & self.backward).count_ones() & 1);
            state = (state << 1 | before) & low_bits(u64::MAX, self.degree as usize);
            *bit = before == 1;
        }
        BitRow::from_fn(len, |i| words[i])
    }

    /// Returns whether most of the 32 bits behind a window follow from it; true
    /// where there are fewer.
    fn goes_on(&self, row: &BitRow, window: u64, start: usize) -> bool {
        let behind = start + self.degree as usize;
        if behind + 32 > row.len() {
            return true;
        }
        let (mut state, mut bits) = (window, 0u64);
        for i in 0..32 {
            let next = u64::from((state & self.forward).count_ones() & 1);
            bits |= next << i;
            state = state >> 1 | next << (self.degree - 1);
        }
        ((bits ^ row.window(behind)) as u32).count_ones() <= 12
    }

    /// Returns the bits a row would have without errors, decoded from the best
    /// of several windows, and how many it differs in.
    pub(super) fn decode(
        &self,
        row: &BitRow,
        good: usize,
        random: &mut SplitMix,
    ) -> (BitRow, usize) {
        let places = (row.len() + 1).saturating_sub(self.degree as usize).max(1);
        let mut best = (row.clone(), usize::MAX);
        for trial in 0..300 {
            let start = if trial == 0 { 0 } else { random.below(places) };
            let window = low_bits(row.window(start), self.degree as usize);
            if !self.goes_on(row, window, start) {
                continue;
            }
            let decoded = self.extend(window, start, row.len());
            let misses = row
                .words()
                .iter()
                .zip(decoded.words())
                .map(|(a, b)| (a ^ b).count_ones() as usize)
                .sum();
            if misses < best.1 {
                best = (decoded, misses);
            }
            if best.1 <= good {
                break;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streams(step: impl Fn(u32) -> u32, lanes: usize, len: usize, flips: f64) -> Vec<BitRow> {
        let mut random = SplitMix::new(8);
        (0..lanes)
            .map(|_| {
                let mut state = random.next_u32();
                BitRow::from_fn(len, |_| {
                    state = step(state);
                    (state >> 31 == 1) ^ random.happens(flips)
                })
            })
            .collect()
    }

    fn xorshift(mut x: u32) -> u32 {
        x ^= x << 13;
        x ^= x >> 17;
        x ^ x << 5
    }

    #[test]
    fn thirty_three_elements_of_many_lanes_fix_the_polynomial() {
        let found = exact(&streams(xorshift, 128, 33, 0.0)).unwrap();
        assert_eq!((found.polynomial, found.checks), (Polynomial(0x1_003e_c241), 96));
    }

    #[test]
    fn inverted_feedback_shows_as_a_factor() {
        let xnor = |x: u32| x << 1 | !(x >> 31 ^ x >> 21 ^ x >> 1 ^ x) & 1;
        let found = exact(&streams(xnor, 128, 64, 0.0)).unwrap();
        assert_eq!(found.polynomial.degree(), 33);
        assert!(Polynomial::X_PLUS_ONE.divides(found.polynomial));
    }

    #[test]
    fn one_bit_in_twenty_may_be_wrong() {
        let found =
            among_errors(&streams(xorshift, 128, 512, 0.05), &mut SplitMix::new(1)).unwrap();
        assert_eq!(found.polynomial, Polynomial(0x1_003e_c241));
        assert!((found.flip_rate - 0.05).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn random_bits_obey_nothing() {
        let rows = streams(xorshift, 32, 256, 0.5);
        assert_eq!(exact(&rows), None);
        assert_eq!(among_errors(&rows, &mut SplitMix::new(1)), None);
    }

    #[test]
    fn a_register_runs_both_ways() {
        let rows = streams(xorshift, 3, 200, 0.0);
        let register = Register::new(Polynomial(0x1_003e_c241));
        for row in &rows {
            for start in [0, 50, 168] {
                assert_eq!(&register.extend(row.window(start) & 0xffff_ffff, start, 200), row);
            }
        }
    }
}
