//! Columns of masks as functions of seeds.
//!
//! A *line* is an argument (a seed, with bit 32 set where there is a constant)
//! and a row of result bits, one a column. Every column is an unknown parity of
//! the argument; all columns are solved in one elimination, whose row
//! operations act on 64 columns at a time.

use super::SplitMix;
use super::bound::tolerated;

/// A seed and the bits that came of it.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Up to 33 bits.
    pub(super) argument: u64,
    /// Bit `n` of the row belongs to column `n`.
    pub(super) bits: Vec<u64>,
}

/// The parities behind the columns.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// The functional of each column, where it was found.
    pub(super) functionals: Vec<Option<u64>>,
}

impl Columns {
    /// Returns how many columns were found.
    pub(super) fn found(&self) -> usize {
        self.functionals.iter().flatten().count()
    }
}

/// Independent lines, reduced, and what the redundant ones leave over.
struct Basis {
    /// Keyed by the leading bit; 0 where there is none.
    arguments: [u64; 33],
    rows: Vec<u64>,
    width: usize,
    rank: usize,
    /// Counts of residual bits by column, bit plane by bit plane.
    planes: Vec<u64>,
}

const PLANES: usize = 16;

/// The most lines that a column with wrong bits is decoded from: more make a
/// trial slower and not likelier to succeed.
const MOST_LINES: usize = 512;

impl Basis {
    fn new(lines: &[Line], order: &[usize], width: usize) -> Self {
        let mut basis = Self {
            arguments: [0; 33],
            rows: vec![0; 33 * width],
            width,
            rank: 0,
            planes: vec![0; PLANES * width],
        };
        let mut row = vec![0; width];
        for &index in order {
            let line = &lines[index];
            let mut argument = line.argument;
            row.copy_from_slice(&line.bits);
            while argument != 0 {
                let lead = 63 - argument.leading_zeros() as usize;
                let own = &mut basis.rows[lead * width..][..width];
                if basis.arguments[lead] == 0 {
                    basis.arguments[lead] = argument;
                    own.copy_from_slice(&row);
                    basis.rank += 1;
                    break;
                }
                argument ^= basis.arguments[lead];
                row.iter_mut().zip(own).for_each(|(a, b)| *a ^= *b);
            }
            if argument == 0 {
                basis.count(&row);
            }
        }
        basis
    }

    /// Adds one to the columns whose bit is set.
    fn count(&mut self, residual: &[u64]) {
        for (word, &bits) in residual.iter().enumerate() {
            let mut carry = bits;
            for plane in 0..PLANES {
                if carry == 0 {
                    break;
                }
                let sum = &mut self.planes[plane * self.width + word];
                (*sum, carry) = (*sum ^ carry, *sum & carry);
            }
        }
    }

    fn misses(&self, column: usize) -> usize {
        let (word, shift) = (column / 64, column % 64);
        (0..PLANES)
            .map(|p| (self.planes[p * self.width + word] >> shift & 1) as usize * (1 << p))
            .sum()
    }

    /// Leaves one unknown to each row, as far as the rank allows.
    fn reduce(&mut self) {
        for lead in 0..33 {
            if self.arguments[lead] == 0 {
                continue;
            }
            for low in 0..lead {
                if self.arguments[lead] >> low & 1 == 1 && self.arguments[low] != 0 {
                    self.arguments[lead] ^= self.arguments[low];
                    let (below, own) = self.rows.split_at_mut(lead * self.width);
                    let low = &below[low * self.width..][..self.width];
                    own[..self.width].iter_mut().zip(low).for_each(|(a, b)| *a ^= *b);
                }
            }
        }
    }

    fn functional(&self, column: usize) -> u64 {
        let (word, shift) = (column / 64, column % 64);
        (0..33).fold(0, |sum, i| sum | (self.rows[i * self.width + word] >> shift & 1) << i)
    }
}

/// Returns the rank of the lines' arguments.
pub(super) fn rank(arguments: impl IntoIterator<Item = u64>) -> u32 {
    let mut pairs = crate::gf2::Pairs::new();
    for argument in arguments {
        pairs.insert(argument, 0);
    }
    pairs.rank()
}

/// Returns the columns on which all lines agree, or nothing where the lines'
/// rank is below `unknowns`.
pub(super) fn decode_exact(lines: &[Line], unknowns: usize, columns: usize) -> Option<Columns> {
    let width = columns.div_ceil(64);
    if lines.len() > 2 * MOST_LINES {
        // Of a wrong order a part of the lines leaves no column already.
        let part: Vec<usize> = (0..lines.len()).step_by(lines.len() / MOST_LINES).collect();
        let basis = Basis::new(lines, &part, width);
        if basis.rank == unknowns && (0..columns).all(|column| basis.misses(column) > 0) {
            return Some(Columns { functionals: vec![None; columns] });
        }
    }
    let order: Vec<usize> = (0..lines.len()).collect();
    let mut basis = Basis::new(lines, &order, width);
    if basis.rank < unknowns {
        return None;
    }
    basis.reduce();
    let misses: Vec<usize> = (0..columns).map(|column| basis.misses(column)).collect();
    let functionals = misses
        .iter()
        .enumerate()
        .map(|(column, &misses)| (misses == 0).then(|| basis.functional(column)))
        .collect();
    Some(Columns { functionals })
}

/// Returns the columns with which all but a few lines agree: information-set
/// decoding, with one random basis of lines for all columns a trial.
///
/// A column is taken where a random one would agree as well with a chance of
/// 2^-20 at most.
pub(super) fn decode_noisy(
    lines: &[Line],
    unknowns: usize,
    columns: usize,
    trials: usize,
    random: &mut SplitMix,
) -> Option<Columns> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    if order.len() > MOST_LINES {
        random.shuffle(&mut order);
        order.truncate(MOST_LINES);
    }
    let allowed = tolerated(order.len(), unknowns)?;
    let mut functionals = vec![None; columns];
    let mut misses = vec![usize::MAX; columns];
    for trial in 0..trials {
        // Nothing by now: nothing to come.
        if trial == 60 && functionals.iter().flatten().count() == 0 {
            return None;
        }
        random.shuffle(&mut order);
        let mut basis = Basis::new(lines, &order, columns.div_ceil(64));
        if basis.rank < unknowns {
            return None;
        }
        let better: Vec<usize> = (0..columns)
            .filter(|&column| basis.misses(column) <= allowed.min(misses[column].saturating_sub(1)))
            .collect();
        if better.is_empty() {
            continue;
        }
        basis.reduce();
        for column in better {
            misses[column] = basis.misses(column);
            functionals[column] = Some(basis.functional(column));
        }
        if functionals.iter().all(Option::is_some) {
            break;
        }
    }
    Some(Columns { functionals })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(lines: usize, flips: f64) -> (Vec<u64>, Vec<Line>) {
        let mut random = SplitMix::new(3);
        let secrets: Vec<u64> = (0..70).map(|_| random.next_u64() >> 31).collect();
        let lines = (0..lines)
            .map(|_| {
                let argument = u64::from(random.next_u32()) | 1 << 32;
                let mut bits = vec![0; 2];
                for (n, secret) in secrets.iter().enumerate() {
                    let bit = u64::from((secret & argument).count_ones() & 1)
                        ^ u64::from(random.happens(flips));
                    bits[n / 64] |= bit << (n % 64);
                }
                Line { argument, bits }
            })
            .collect();
        (secrets, lines)
    }

    #[test]
    fn all_columns_are_found_without_noise() {
        let (secrets, lines) = sample(128, 0.0);
        let found = decode_exact(&lines, 33, 70).unwrap();
        assert!(found.functionals.iter().zip(&secrets).all(|(a, b)| *a == Some(*b)));
    }

    #[test]
    fn most_columns_are_found_with_one_bit_in_ten_wrong() {
        let (secrets, lines) = sample(128, 0.1);
        let found = decode_noisy(&lines, 33, 70, 600, &mut SplitMix::new(1)).unwrap();
        assert!(found.found() > 55, "{}", found.found());
        for (a, b) in found.functionals.iter().zip(&secrets) {
            assert!(a.is_none_or(|a| a == *b));
        }
    }

    #[test]
    fn random_bits_give_no_column() {
        let (_, lines) = sample(128, 0.5);
        let exact = decode_exact(&lines, 33, 70).unwrap();
        assert_eq!(exact.found(), 0);
        assert!(decode_noisy(&lines, 33, 70, 600, &mut SplitMix::new(1)).is_none());
    }

    #[test]
    fn too_few_arguments_give_nothing() {
        let (_, mut lines) = sample(128, 0.0);
        lines.iter_mut().for_each(|line| line.argument |= 1);
        assert!(decode_exact(&lines, 33, 70).is_none());
    }
}
