//! The map of one draw from the parities behind successive columns.

use crate::gf2::{Affine32, Met, Pairs};

/// What the columns say about the map of one draw.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    /// From a row functional to that of the next draw: bit 32 of the image is
    /// what the map's constant adds.
    rows: Pairs,
    /// Pairs of columns that were redundant and held.
    pub(super) checks: u64,
    /// Pairs of columns that were redundant and did not hold.
    pub(super) broken: u64,
}

const WORD: u64 = 0xffff_ffff;

impl Transition {
    pub(super) fn new() -> Self {
        Self { rows: Pairs::new(), checks: 0, broken: 0 }
    }

    /// Takes in the functionals (bit 32: the constant) of successive draws of
    /// one output bit; unknown ones are left out.
    pub(super) fn feed(&mut self, functionals: impl IntoIterator<Item = Option<u64>>) {
        let mut before: Option<u64> = None;
        for next in functionals {
            if let (Some(r), Some(s)) = (before, next) {
                // r(x) + c, then r(M x + d) + c: the constants differ by r(d).
                let image = (s & WORD) | ((r ^ s) & (WORD + 1));
                match self.rows.insert(r & WORD, image) {
                    Met::New => {}
                    Met::Held => self.checks += 1,
                    Met::Broken => self.broken += 1,
                }
            }
            before = next;
        }
    }

    /// Returns the functional of the next draw that follows from `row`, where
    /// the columns say.
    pub(super) fn next(&self, row: u64) -> Option<u64> {
        Some(self.rows.image(row & WORD)? ^ (row & (WORD + 1)))
    }

    /// Returns how many dimensions of the state the columns see.
    pub(super) fn rank(&self) -> u32 {
        self.rows.rank()
    }

    /// Returns whether a step leads out of what the columns see.
    pub(super) fn is_closed_under(
        &self,
        functionals: impl IntoIterator<Item = Option<u64>>,
    ) -> bool {
        functionals.into_iter().flatten().all(|r| self.rows.spans(r & WORD))
    }

    /// Returns the map, where the rank is 32.
    pub(super) fn map(&self) -> Option<Affine32> {
        if self.rank() < 32 {
            return None;
        }
        let mut map = Affine32::linear([0; 32]);
        for bit in 0..32 {
            let row = self.rows.image(1 << bit)?;
            for (column, word) in map.columns.iter_mut().enumerate() {
                *word |= ((row >> column & 1) as u32) << bit;
            }
            map.offset |= ((row >> 32 & 1) as u32) << bit;
        }
        Some(map)
    }
}

/// Returns the functional `row . map`: what `row` sees after one draw. Bit 32
/// is the constant.
pub(super) fn pull_back(row: u64, map: &Affine32) -> u64 {
    let mut before = row & (WORD + 1);
    for (bit, column) in map.columns.iter().enumerate() {
        before |= u64::from((row as u32 & column).count_ones() & 1) << bit;
    }
    before ^ u64::from((row as u32 & map.offset).count_ones() & 1) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xnor() -> Affine32 {
        Affine32::of(|x| x << 1 | !(x >> 31 ^ x >> 21 ^ x >> 1 ^ x) & 1)
    }

    #[test]
    fn a_functional_pulled_back_sees_the_next_state() {
        let map = xnor();
        for (row, x) in [(1u64 << 31, 0x1234_5678u32), (0x1_8000_0001, 0xffff_0000), (5, 0)] {
            let see = |row: u64, x: u32| u64::from((row as u32 & x).count_ones() & 1) ^ row >> 32;
            assert_eq!(see(pull_back(row, &map), x), see(row, map.apply(x)));
        }
    }

    #[test]
    fn thirty_three_columns_fix_the_map_and_more_check_it() {
        let map = xnor();
        let columns: Vec<u64> =
            std::iter::successors(Some(1 << 31), |&row| Some(pull_back(row, &map)))
                .take(36)
                .collect();
        for (count, checks) in [(33, 0), (34, 1), (36, 3)] {
            let mut transition = Transition::new();
            transition.feed(columns[..count].iter().map(|&row| Some(row)));
            assert_eq!((transition.map(), transition.checks), (Some(map), checks));
        }
        let mut transition = Transition::new();
        transition.feed(columns.iter().rev().map(|&row| Some(row)));
        assert_eq!(transition.map(), map.inverse());
    }
}
