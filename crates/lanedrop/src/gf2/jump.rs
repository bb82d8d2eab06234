//! Any power of one map in about a microsecond.

use super::Affine32;

/// All powers of one [`Affine32`], each found in a fixed and small time.
///
/// A power `n` of the map is a sum of its first few powers: with `p` the
/// map's minimal polynomial (of degree 33 at most, the offset counting as a
/// dimension), `M^n = c(M)` for `c = x^n mod p`. So some 33 maps are stored
/// (4 KiB), `c` takes one squaring in GF(2)\[x\]/p a bit of `n`, and the
/// sum a few hundred word operations. Filling it costs some 25 microseconds.
///
/// ```
/// # use lanedrop::gf2::{Affine32, Jump};
/// let step = Affine32::of(|x| x << 1 | !(x >> 31 ^ x >> 21 ^ x >> 1 ^ x) & 1);
/// let jump = Jump::new(&step);
/// assert_eq!(jump.to(1 << 62), step.pow(1 << 62));
/// ```
#[derive(Clone, Debug)]
pub struct Jump {
    /// `powers[i]` is the map done `i` times; as many as `p` has degrees.
    powers: Vec<Affine32>,
    /// `x^degree mod p`, bit `i` for `x^i`.
    overflow: u64,
    /// `squares[i]` is `x^(2i) mod p`.
    squares: Vec<u64>,
}

/// A power of the map written as one row of bits: columns, offset, and the
/// constant that every affine map has in its last place.
type Flat = [u32; 34];

impl Jump {
    /// Returns the powers of `map`.
    pub fn new(map: &Affine32) -> Self {
        let mut powers = vec![Affine32::IDENTITY];
        let mut basis: Vec<(Flat, u64, usize)> = Vec::new();
        let overflow = loop {
            let latest = powers[powers.len() - 1];
            // Which sum of powers the reduced row is: all older ones, and this.
            let (mut row, mut sum) = (flatten(&latest), 1u64 << (powers.len() - 1));
            for (other, other_sum, lead) in &basis {
                if row[lead / 32] >> (lead % 32) & 1 == 1 {
                    row.iter_mut().zip(other).for_each(|(a, b)| *a ^= b);
                    sum ^= other_sum;
                }
            }
            let Some(word) = row.iter().position(|&word| word != 0) else {
                // The latest power is a sum of those before it.
                powers.pop();
                break sum ^ 1 << powers.len();
            };
            basis.push((row, sum, word * 32 + row[word].trailing_zeros() as usize));
            powers.push(latest.then(map));
        };
        let degree = powers.len();
        let mut squares = Vec::with_capacity(degree);
        let mut monomial = 1;
        for _ in 0..degree {
            squares.push(monomial);
            monomial = times_x(times_x(monomial, degree, overflow), degree, overflow);
        }
        Self { powers, overflow, squares }
    }

    /// Returns the map done `n` times over.
    pub fn to(&self, n: u64) -> Affine32 {
        let mut sum = Affine32::linear([0; 32]);
        let mut coefficients = self.coefficients(n);
        while coefficients != 0 {
            let power = &self.powers[coefficients.trailing_zeros() as usize];
            sum.columns.iter_mut().zip(&power.columns).for_each(|(a, b)| *a ^= b);
            sum.offset ^= power.offset;
            coefficients &= coefficients - 1;
        }
        sum
    }

    /// Returns `x^n mod p`, bit `i` for `x^i`.
    fn coefficients(&self, n: u64) -> u64 {
        let mut result: u64 = 1;
        for bit in (0..64 - n.leading_zeros()).rev() {
            let mut square = 0;
            for (i, of_power) in self.squares.iter().enumerate() {
                square ^= of_power & (result >> i & 1).wrapping_neg();
            }
            result = square;
            if n >> bit & 1 == 1 {
                result = times_x(result, self.powers.len(), self.overflow);
            }
        }
        result
    }
}

/// Returns `x` times a polynomial of a degree below `degree`, where `x^degree`
/// equals `overflow`.
fn times_x(polynomial: u64, degree: usize, overflow: u64) -> u64 {
    let shifted = polynomial << 1;
    let out = shifted >> degree & 1;
    (shifted & !(1 << degree)) ^ (overflow & out.wrapping_neg())
}

fn flatten(map: &Affine32) -> Flat {
    let mut row = [0; 34];
    row[..32].copy_from_slice(&map.columns);
    row[32] = map.offset;
    row[33] = 1;
    row
}

#[cfg(test)]
mod tests {
    use super::super::tests::{random_map, random_words};
    use super::*;

    fn odd_maps() -> Vec<Affine32> {
        vec![
            Affine32::IDENTITY,
            Affine32::linear([0; 32]),
            Affine32 { offset: 0xdead_beef, ..Affine32::linear([0; 32]) },
            Affine32 { offset: 1, ..Affine32::IDENTITY },
            Affine32::shift_left(),
            Affine32::shift_right(),
            Affine32 { offset: 1, ..Affine32::shift_left() },
            Affine32::of(|x| x ^ x << 31),
            Affine32::of(|x| x ^ x << 13 ^ x >> 17),
            Affine32::of(|x| x.rotate_left(7)),
            Affine32::of(|x| !x.reverse_bits()),
        ]
    }

    #[test]
    fn a_jump_is_the_power_for_random_and_for_odd_maps() {
        let maps = odd_maps().into_iter().chain((130..150).map(random_map));
        for map in maps {
            let jump = Jump::new(&map);
            let exponents =
                (0..70).chain([1 << 20, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, u64::MAX]);
            for n in exponents {
                assert_eq!(jump.to(n), map.pow(n), "power {n} of {map:x?}");
            }
        }
    }

    #[test]
    fn a_jump_equals_as_many_steps() {
        let map = random_map(150);
        let jump = Jump::new(&map);
        let (mut state, mut done) = (0x1234_5678u32, 0);
        let mut stops: Vec<u64> =
            random_words(151).take(20).map(|n| u64::from(n) % 1_000_000).collect();
        stops.sort_unstable();
        for n in stops {
            while done < n {
                state = map.apply(state);
                done += 1;
            }
            assert_eq!(jump.to(n).apply(0x1234_5678), state, "{n} steps");
        }
    }

    #[test]
    fn jumps_add() {
        let jump = Jump::new(&random_map(152));
        let words: Vec<u32> = random_words(153).take(80).collect();
        for four in words.as_chunks::<4>().0 {
            let [a, b] = [[four[0], four[1]], [four[2], four[3]]]
                .map(|[high, low]| (u64::from(high) << 32 | u64::from(low)) >> 2);
            assert_eq!(jump.to(a).then(&jump.to(b)), jump.to(a + b), "{a} and {b}");
        }
    }

    #[test]
    fn no_map_needs_more_than_33_powers() {
        for seed in 154..164 {
            assert!(Jump::new(&random_map(seed)).powers.len() <= 33);
        }
    }
}
