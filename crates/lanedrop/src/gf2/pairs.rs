//! What pairs of argument and image say about a linear map.

/// What a new pair did to what was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// The argument is independent of all before it: one dimension more.
    New,
    /// The image followed from the pairs before, and it was as it had to be.
    Held,
    /// The image followed from the pairs before, and it was another.
    Broken,
}

/// A linear map from 64 bits to 64 bits, as far as pairs of argument and image
/// determine it.
///
/// An affine map is a linear one of arguments with one bit more, always set.
///
/// ```
/// # use lanedrop::gf2::{Met, Pairs};
/// let mut pairs = Pairs::new();
/// assert_eq!(pairs.insert(0b01, 7), Met::New);
/// assert_eq!(pairs.insert(0b11, 4), Met::New);
/// assert_eq!(pairs.insert(0b10, 3), Met::Held);
/// assert_eq!(pairs.image(0b100), None);
/// ```
#[derive(Clone, Debug)]
pub struct Pairs {
    /// `rows[b]` has its highest set bit at `b`; an empty one is (0, 0).
    rows: [(u64, u64); 64],
    rank: u32,
}

impl Default for Pairs {
    fn default() -> Self {
        Self::new()
    }
}

impl Pairs {
    /// Returns what no pair at all says.
    pub const fn new() -> Self {
        Self { rows: [(0, 0); 64], rank: 0 }
    }

    /// Returns the dimension of the arguments seen.
    pub const fn rank(&self) -> u32 {
        self.rank
    }

    /// Returns what is left of `argument` and `image` after taking away rows.
    fn reduce(&self, mut argument: u64, mut image: u64) -> (u64, u64) {
        for (bit, row) in self.rows.iter().enumerate().rev() {
            if row.0 != 0 && argument >> bit & 1 == 1 {
                argument ^= row.0;
                image ^= row.1;
            }
        }
        (argument, image)
    }

    /// Takes in one pair and says what it added.
    #[inline]
    pub fn insert(&mut self, argument: u64, image: u64) -> Met {
        let (mut argument, mut image) = (argument, image);
        while argument != 0 {
            let lead = 63 - argument.leading_zeros();
            let row = &mut self.rows[lead as usize];
            if row.0 == 0 {
                *row = (argument, image);
                self.rank += 1;
                return Met::New;
            }
            argument ^= row.0;
            image ^= row.1;
        }
        if image == 0 { Met::Held } else { Met::Broken }
    }

    /// Returns the image of `argument`, where the pairs determine it.
    pub fn image(&self, argument: u64) -> Option<u64> {
        let (left, image) = self.reduce(argument, 0);
        (left == 0).then_some(image)
    }

    /// Returns whether `argument` is a sum of arguments seen.
    pub fn spans(&self, argument: u64) -> bool {
        self.image(argument).is_some()
    }
}

/// Linear equations in up to 64 unknown bits, solved as they come.
///
/// ```
/// # use lanedrop::gf2::{Equations, Met};
/// let mut equations = Equations::new();
/// equations.insert(0b11, true); // x0 + x1 = 1
/// equations.insert(0b10, true); // x1 = 1
/// assert_eq!(equations.solution(2), Some(0b10));
/// assert_eq!(equations.insert(0b01, true), Met::Broken);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Equations {
    pairs: Pairs,
}

impl Equations {
    /// Returns no equations.
    pub const fn new() -> Self {
        Self { pairs: Pairs::new() }
    }

    /// Returns how many equations are independent.
    pub const fn rank(&self) -> u32 {
        self.pairs.rank()
    }

    /// Takes in: the unknowns set in `unknowns` sum to `sum`.
    #[inline]
    pub fn insert(&mut self, unknowns: u64, sum: bool) -> Met {
        self.pairs.insert(unknowns, u64::from(sum))
    }

    /// Returns what the equations say of a sum of unknowns, where they do.
    pub fn implied(&self, unknowns: u64) -> Option<bool> {
        self.pairs.image(unknowns).map(|image| image == 1)
    }

    /// Returns the only solution in the first `unknowns` unknowns, where there
    /// is only one.
    pub fn solution(&self, unknowns: u32) -> Option<u64> {
        (self.rank() == unknowns).then(|| self.any_solution(unknowns))
    }

    /// Returns one solution: unknowns that no equation fixes are 0.
    pub fn any_solution(&self, unknowns: u32) -> u64 {
        self.complete(unknowns, 0, true)
    }

    /// Returns a basis of what may be added to a solution.
    pub fn freedom(&self, unknowns: u32) -> Vec<u64> {
        (0..unknowns)
            .filter(|&bit| self.pairs.rows[bit as usize].0 == 0)
            .map(|bit| self.complete(unknowns, 1 << bit, false))
            .collect()
    }

    /// Fills in the unknowns that equations lead with, from the lowest up.
    fn complete(&self, unknowns: u32, free: u64, with_sums: bool) -> u64 {
        let mut solution = free;
        for bit in 0..unknowns {
            let (row, sum) = self.pairs.rows[bit as usize];
            if row == 0 {
                continue;
            }
            let others = (row & !(1 << bit) & solution).count_ones() & 1;
            let value = others as u64 ^ if with_sums { sum & 1 } else { 0 };
            solution |= value << bit;
        }
        solution
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{random_map, random_words};
    use super::*;

    #[test]
    fn thirty_three_pairs_fix_an_affine_map() {
        let map = random_map(500);
        let mut pairs = Pairs::new();
        let mut words = random_words(501);
        while pairs.rank() < 33 {
            let x = words.next().unwrap();
            let met = pairs.insert(u64::from(x) | 1 << 32, u64::from(map.apply(x)));
            assert_ne!(met, Met::Broken);
        }
        for x in random_words(502).take(100) {
            assert_eq!(pairs.image(u64::from(x) | 1 << 32), Some(u64::from(map.apply(x))));
        }
        assert_eq!(pairs.insert(1 << 32, u64::from(map.offset) ^ 1), Met::Broken);
    }

    #[test]
    fn an_argument_outside_the_span_has_no_image() {
        let mut pairs = Pairs::new();
        pairs.insert(0b1100, 1);
        pairs.insert(0b0110, 2);
        assert_eq!(pairs.image(0b1010), Some(3));
        assert_eq!(pairs.image(0b1000), None);
        assert_eq!(pairs.image(0b0001), None);
        assert_eq!(pairs.image(0), Some(0));
    }

    #[test]
    fn every_solution_meets_every_equation() {
        let words: Vec<u32> = random_words(503).take(20).collect();
        let secret = 0x5a5a_1234u64;
        let mut equations = Equations::new();
        for &row in &words {
            let sum = (u64::from(row) & secret).count_ones() & 1 == 1;
            assert_ne!(equations.insert(u64::from(row), sum), Met::Broken);
        }
        let base = equations.any_solution(32);
        let freedom = equations.freedom(32);
        assert_eq!(freedom.len() as u32, 32 - equations.rank());
        for change in freedom.iter().chain([&0]) {
            for &row in &words {
                let parity = |x: u64| (u64::from(row) & x).count_ones() & 1;
                assert_eq!(parity(base ^ change), parity(secret));
            }
        }
    }
}
