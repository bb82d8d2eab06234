//! Rank, inverse and fixed points, by elimination.

use super::Affine32;

/// The states that a map leaves where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedPoints {
    /// One of them; the smallest number among them.
    pub smallest: u32,
    /// Independent directions: every sum of some of them with `smallest` is
    /// another fixed point, so there are `2^directions.len()`.
    pub directions: Vec<u32>,
}

/// A basis of the columns of a matrix in reduced form.
///
/// Each entry is an image and what has to be put in to get it; an image's
/// leading bit occurs in no other image.
struct Echelon {
    rows: Vec<(u32, u32)>,
    /// Arguments that the matrix takes to 0.
    kernel: Vec<u32>,
}

impl Echelon {
    fn new(columns: &[u32; 32]) -> Self {
        let mut echelon = Self { rows: Vec::new(), kernel: Vec::new() };
        for (bit, &column) in columns.iter().enumerate() {
            let (image, argument) = echelon.reduce(column, 1 << bit);
            if image == 0 {
                echelon.kernel.push(argument);
                continue;
            }
            let lead = 1u32 << image.ilog2();
            for row in &mut echelon.rows {
                if row.0 & lead != 0 {
                    *row = (row.0 ^ image, row.1 ^ argument);
                }
            }
            echelon.rows.push((image, argument));
        }
        echelon
    }

    /// Returns what is left of `image` after taking away the basis, and
    /// `argument` with the arguments that went with it.
    fn reduce(&self, image: u32, argument: u32) -> (u32, u32) {
        self.rows.iter().fold((image, argument), |(image, argument), row| {
            let lead = 1u32 << row.0.ilog2();
            if image & lead != 0 { (image ^ row.0, argument ^ row.1) } else { (image, argument) }
        })
    }
}

impl Affine32 {
    /// Returns the rank of the linear part, 0 to 32; the map has an inverse
    /// where it is 32.
    ///
    /// ```
    /// # use lanedrop::gf2::Affine32;
    /// assert_eq!(Affine32::shift_right().rank(), 31);
    /// ```
    pub fn rank(&self) -> u32 {
        32 - Echelon::new(&self.columns).kernel.len() as u32
    }

    /// Returns the map that undoes this one, or `None` where two states have
    /// one image.
    pub fn inverse(&self) -> Option<Self> {
        let echelon = Echelon::new(&self.columns);
        if !echelon.kernel.is_empty() {
            return None;
        }
        // With 32 reduced rows each image is a single bit.
        let mut linear = Self::linear([0; 32]);
        for (image, argument) in echelon.rows {
            linear.columns[image.ilog2() as usize] = argument;
        }
        let offset = linear.apply(self.offset);
        Some(Self { offset, ..linear })
    }

    /// Returns the states that the map leaves as they are, where there are any.
    ///
    /// A register in such a state is locked up: it draws one word for ever.
    ///
    /// ```
    /// # use lanedrop::gf2::Affine32;
    /// let xnor = Affine32::of(|x| x << 1 | !(x >> 31 ^ x >> 21 ^ x >> 1 ^ x) & 1);
    /// assert_eq!(xnor.fixed_points().map(|points| points.smallest), Some(u32::MAX));
    /// ```
    pub fn fixed_points(&self) -> Option<FixedPoints> {
        // (M + I) x = offset
        let mut columns = self.columns;
        for (bit, column) in columns.iter_mut().enumerate() {
            *column ^= 1 << bit;
        }
        let echelon = Echelon::new(&columns);
        let (rest, mut smallest) = echelon.reduce(self.offset, 0);
        if rest != 0 {
            return None;
        }
        let mut directions: Vec<u32> = Vec::new();
        for &vector in &echelon.kernel {
            let reduced = directions.iter().fold(vector, |v, &d| v.min(v ^ d));
            directions.push(reduced);
        }
        directions.sort_unstable_by(|a, b| b.cmp(a));
        for &direction in &directions {
            smallest = smallest.min(smallest ^ direction);
        }
        Some(FixedPoints { smallest, directions })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{random_map, random_words};
    use super::*;

    #[test]
    fn an_inverse_undoes_the_map_on_both_sides() {
        let mut found = 0;
        for seed in 20..60 {
            let map = random_map(seed);
            let Some(inverse) = map.inverse() else {
                assert!(map.rank() < 32);
                continue;
            };
            found += 1;
            assert_eq!(map.rank(), 32);
            assert_eq!(map.then(&inverse), Affine32::IDENTITY);
            assert_eq!(inverse.then(&map), Affine32::IDENTITY);
        }
        // Three of ten random matrices over GF(2) are invertible.
        assert!(found > 3, "only {found} of 40 were invertible");
    }

    #[test]
    fn the_rank_of_a_projection_is_what_it_keeps() {
        for kept in 0..=32 {
            let mask = ((1u64 << kept) - 1) as u32;
            assert_eq!(Affine32::of(|x| x & mask).rank(), kept);
        }
    }

    #[test]
    fn a_shift_has_no_inverse() {
        assert_eq!(Affine32::shift_left().inverse(), None);
    }

    #[test]
    fn fixed_points_stay_where_they_are() {
        for seed in 60..120 {
            let map = random_map(seed);
            let Some(points) = map.fixed_points() else { continue };
            assert_eq!(map.apply(points.smallest), points.smallest);
            for direction in &points.directions {
                assert_eq!(map.apply(points.smallest ^ direction), points.smallest ^ direction);
                assert!(points.smallest ^ direction > points.smallest);
            }
        }
    }

    #[test]
    fn a_map_that_only_adds_a_constant_has_no_fixed_point() {
        assert_eq!(Affine32 { offset: 5, ..Affine32::IDENTITY }.fixed_points(), None);
    }

    #[test]
    fn the_fixed_points_of_the_identity_are_all_states() {
        let points = Affine32::IDENTITY.fixed_points().unwrap();
        assert_eq!((points.smallest, points.directions.len()), (0, 32));
    }

    #[test]
    fn the_smallest_fixed_point_is_the_smallest() {
        // x with its top nibble and low nibble exchanged: fixed where both agree.
        let map = Affine32::of(|x| x & 0x0fff_fff0 | x << 28 | x >> 28);
        let points = map.fixed_points().unwrap();
        assert_eq!((points.smallest, points.directions.len()), (0, 28));
        for state in random_words(12).take(100) {
            let fixed =
                points.directions.iter().enumerate().fold(points.smallest, |sum, (i, d)| {
                    if state & 1 << i != 0 { sum ^ d } else { sum }
                });
            assert_eq!(map.apply(fixed), fixed);
        }
    }
}
