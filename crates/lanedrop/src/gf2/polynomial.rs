//! Polynomials over GF(2): factors, orders and shortest recurrences.

use super::Affine32;

/// A polynomial over GF(2) of degree 63 at most; bit `i` belongs to `x^i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Polynomial(pub u64);

impl Polynomial {
    /// The constant 1.
    pub const ONE: Self = Self(1);
    /// The polynomial `x`.
    pub const X: Self = Self(2);
    /// The polynomial `x + 1`, which annihilates constant sequences.
    pub const X_PLUS_ONE: Self = Self(3);

    /// Returns the degree; that of 0 counts as 0.
    ///
    /// ```
    /// # use lanedrop::gf2::Polynomial;
    /// assert_eq!(Polynomial(0b1011).degree(), 3);
    /// ```
    #[inline]
    pub const fn degree(self) -> u32 {
        if self.0 == 0 { 0 } else { 63 - self.0.leading_zeros() }
    }

    /// Returns quotient and remainder.
    ///
    /// # Panics
    ///
    /// Panics for a divisor of 0.
    pub fn div_rem(self, divisor: Self) -> (Self, Self) {
        assert!(divisor.0 != 0, "a polynomial is not divided by 0");
        let degree = divisor.degree();
        let (mut quotient, mut rest) = (0, self.0);
        while rest != 0 && 63 - rest.leading_zeros() >= degree {
            let shift = 63 - rest.leading_zeros() - degree;
            quotient |= 1 << shift;
            rest ^= divisor.0 << shift;
        }
        (Self(quotient), Self(rest))
    }

    /// Returns whether `self` divides `other`.
    pub fn divides(self, other: Self) -> bool {
        self.0 != 0 && other.div_rem(self).1.0 == 0
    }

    /// Returns the product, or `None` where its degree passes 63.
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        if self.0 != 0 && other.0 != 0 && self.degree() + other.degree() > 63 {
            return None;
        }
        let mut product = 0;
        let mut rest = other.0;
        while rest != 0 {
            product ^= self.0 << rest.trailing_zeros();
            rest &= rest - 1;
        }
        Some(Self(product))
    }

    /// Returns the product modulo `modulus`, whose degree is 1 to 62; both
    /// factors are reduced already.
    #[inline]
    pub fn mul_mod(self, other: Self, modulus: Self) -> Self {
        let top = 1u64 << modulus.degree();
        let mut sum = 0;
        let mut shifted = self.0;
        let mut rest = other.0;
        while rest != 0 {
            sum ^= shifted & (rest & 1).wrapping_neg();
            rest >>= 1;
            shifted <<= 1;
            shifted ^= modulus.0 & ((shifted & top != 0) as u64).wrapping_neg();
        }
        Self(sum)
    }

    /// Returns the power `n` modulo `modulus`, whose degree is 1 to 62.
    pub fn pow_mod(self, n: u64, modulus: Self) -> Self {
        let mut power = self.div_rem(modulus).1;
        let mut result = Self::ONE.div_rem(modulus).1;
        let mut rest = n;
        while rest != 0 {
            if rest & 1 == 1 {
                result = result.mul_mod(power, modulus);
            }
            power = power.mul_mod(power, modulus);
            rest >>= 1;
        }
        result
    }

    /// Returns the greatest common divisor.
    pub fn gcd(self, other: Self) -> Self {
        let (mut a, mut b) = (self, other);
        while b.0 != 0 {
            (a, b) = (b, a.div_rem(b).1);
        }
        a
    }

    /// Returns the least common multiple, or `None` where its degree passes 63.
    pub fn lcm(self, other: Self) -> Option<Self> {
        self.div_rem(self.gcd(other)).0.checked_mul(other)
    }

    /// Returns the polynomial with its coefficients in the opposite order: that
    /// of the same sequences read backwards.
    pub fn reciprocal(self) -> Self {
        Self(self.0.reverse_bits() >> self.0.leading_zeros())
    }

    /// Returns the irreducible factors, the smallest first, and how often each
    /// occurs.
    ///
    /// ```
    /// # use lanedrop::gf2::Polynomial;
    /// // x^5 + x^4 + x + 1 = (x + 1)^5 + ... : found by multiplying out
    /// let product = Polynomial(0b111).checked_mul(Polynomial(0b101)).unwrap();
    /// assert_eq!(product.factors(), [(Polynomial(0b11), 2), (Polynomial(0b111), 1)]);
    /// ```
    pub fn factors(self) -> Vec<(Self, u32)> {
        let mut found: Vec<(Self, u32)> = Vec::new();
        let mut rest = self;
        let mut degree = 1;
        while rest.degree() >= 1 {
            if degree * 2 > rest.degree() {
                // No factor of half the degree: the rest is irreducible.
                push(&mut found, rest);
                break;
            }
            // All factors of this degree divide x^(2^degree) - x.
            let mut power = Self::X.div_rem(rest).1;
            for _ in 0..degree {
                power = power.mul_mod(power, rest);
            }
            let common = Self(power.0 ^ 2).div_rem(rest).1;
            let common = if common.0 == 0 { rest } else { rest.gcd(common) };
            let mut parts = Vec::new();
            split(common, degree, &mut parts);
            for part in parts {
                while part.divides(rest) && rest.degree() >= 1 {
                    push(&mut found, part);
                    rest = rest.div_rem(part).0;
                }
            }
            degree += 1;
        }
        found.sort_unstable();
        found
    }

    /// Returns whether no polynomial of a smaller degree, but 1, divides it.
    pub fn is_irreducible(self) -> bool {
        self.degree() >= 1 && matches!(self.factors()[..], [(_, 1)])
    }

    /// Returns the smallest `n` above 0 with `x^n = 1` modulo this polynomial,
    /// or `None` where `x` divides it or its degree passes 34.
    ///
    /// ```
    /// # use lanedrop::gf2::Polynomial;
    /// assert_eq!(Polynomial(0x1_0000_00c5).order_of_x(), Some(0xffff_ffff));
    /// ```
    pub fn order_of_x(self) -> Option<u64> {
        if self.0 & 1 == 0 || self.degree() > 34 {
            return None;
        }
        let mut order = 1;
        for (factor, times) in self.factors() {
            let mut of_factor = (1u64 << factor.degree()) - 1;
            for prime in prime_factors(of_factor) {
                while of_factor.is_multiple_of(prime)
                    && Self::X.pow_mod(of_factor / prime, factor) == Self::ONE.div_rem(factor).1
                {
                    of_factor /= prime;
                }
            }
            order = lcm(order, of_factor * u64::from(times.next_power_of_two()));
        }
        Some(order)
    }
}

fn push(found: &mut Vec<(Polynomial, u32)>, factor: Polynomial) {
    match found.iter_mut().find(|(known, _)| *known == factor) {
        Some((_, times)) => *times += 1,
        None => found.push((factor, 1)),
    }
}

/// Splits a product of different irreducible polynomials of one degree, by
/// the trace of multiples of `x` (Berlekamp's way for characteristic 2).
fn split(product: Polynomial, degree: u32, parts: &mut Vec<Polynomial>) {
    if product.degree() < degree || product.degree() == 0 {
        return;
    }
    if product.degree() == degree {
        parts.push(product);
        return;
    }
    for shift in 0..63u64 {
        let mut power = Polynomial::X.pow_mod(2 * shift + 1, product);
        let mut trace = power;
        for _ in 1..degree {
            power = power.mul_mod(power, product);
            trace.0 ^= power.0;
        }
        if trace.0 == 0 {
            continue;
        }
        let part = product.gcd(trace);
        if part.degree() > 0 && part.degree() < product.degree() {
            split(part, degree, parts);
            split(product.div_rem(part).0, degree, parts);
            return;
        }
    }
    // Odd powers of x generate the algebra, so some trace above splits.
    parts.push(product);
}

/// Returns the different primes that divide `n`, by trial.
pub fn prime_factors(n: u64) -> Vec<u64> {
    let (mut rest, mut prime, mut found) = (n, 2, Vec::new());
    while prime * prime <= rest {
        if rest % prime == 0 {
            found.push(prime);
            while rest % prime == 0 {
                rest /= prime;
            }
        }
        prime += 1;
    }
    if rest > 1 {
        found.push(rest);
    }
    found
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn lcm(a: u64, b: u64) -> u64 {
    a / gcd(a, b) * b
}

/// Returns the shortest recurrence of a sequence of up to 128 bits (bit `i` of
/// `sequence` is its term `i`), as the polynomial `p` with
/// `sum over j of p_j s_(n+j) = 0`, and its length, which may be longer than
/// the degree where the first terms stand outside it.
///
/// The answer is sure once the sequence is twice as long as the recurrence
/// (Massey, "Shift-register synthesis and BCH decoding", 1969). Lengths above
/// 63 give `None`.
///
/// ```
/// # use lanedrop::gf2::{Polynomial, shortest_recurrence};
/// // 1 1 0 1 1 0: each term is the sum of the two before it.
/// assert_eq!(shortest_recurrence(0b011011, 6), Some(Polynomial(0b111)));
/// ```
pub fn shortest_recurrence(sequence: u128, len: u32) -> Option<Polynomial> {
    let (mut current, mut before) = (1u128, 1u128);
    let (mut length, mut since) = (0u32, 1u32);
    // Term n - j of the sequence at bit j: a window read backwards.
    let mut window = 0u128;
    for n in 0..len {
        window = window << 1 | (sequence >> n & 1);
        if (window & current).count_ones() & 1 == 0 {
            since += 1;
        } else if 2 * length <= n {
            (current, before) = (current ^ before.checked_shl(since).unwrap_or(0), current);
            length = n + 1 - length;
            since = 1;
        } else {
            current ^= before.checked_shl(since).unwrap_or(0);
            since += 1;
        }
    }
    if length > 63 {
        return None;
    }
    // The connection polynomial turned round, padded to the length.
    Some(Polynomial((current.reverse_bits() >> (127 - length)) as u64))
}

/// Returns the polynomial of least degree that annihilates `map`, a linear map
/// of vectors of `dimensions` bits (up to 62).
pub fn minimal_polynomial(dimensions: u32, map: impl Fn(u64) -> u64) -> Polynomial {
    let mut total = Polynomial::ONE;
    for bit in 0..dimensions {
        // What is left to kill of this vector's cycle.
        let mut vector = 0;
        let mut power = 1u64 << bit;
        for i in 0..=total.degree() {
            if total.0 >> i & 1 == 1 {
                vector ^= power;
            }
            power = map(power);
        }
        if vector == 0 {
            continue;
        }
        let mut pairs = super::Pairs::new();
        let (mut image, mut sum) = (vector, 1u64);
        let of_vector = loop {
            if let Some(known) = pairs.image(image) {
                break Polynomial(known ^ sum);
            }
            pairs.insert(image, sum);
            image = map(image);
            sum <<= 1;
        };
        total = total.checked_mul(of_vector).expect("the degree is at most the dimensions");
    }
    total
}

impl Affine32 {
    /// Returns the minimal polynomial of the linear part.
    ///
    /// ```
    /// # use lanedrop::gf2::{Affine32, Polynomial};
    /// assert_eq!(Affine32::IDENTITY.minimal_polynomial(), Polynomial(0b11));
    /// assert_eq!(Affine32::shift_left().minimal_polynomial(), Polynomial(1 << 32));
    /// ```
    pub fn minimal_polynomial(&self) -> Polynomial {
        minimal_polynomial(32, |x| u64::from(self.apply_linear(x as u32)))
    }

    /// Returns the smallest `n` above 0 for which the map done `n` times
    /// changes nothing, or `None` where it has no inverse.
    ///
    /// ```
    /// # use lanedrop::gf2::Affine32;
    /// assert_eq!(Affine32::of(|x| x.rotate_left(7)).order(), Some(32));
    /// ```
    pub fn order(&self) -> Option<u64> {
        // The offset counts as a dimension that stays where it is.
        minimal_polynomial(33, |x| {
            let offset = if x >> 32 & 1 == 1 { u64::from(self.offset) | 1 << 32 } else { 0 };
            u64::from(self.apply_linear(x as u32)) ^ offset
        })
        .order_of_x()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{random_map, random_words};
    use super::*;

    /// Trial division by every polynomial, smallest first.
    fn slow_factors(p: Polynomial) -> Vec<(Polynomial, u32)> {
        let (mut found, mut rest, mut trial) = (Vec::new(), p, 2);
        while rest.degree() >= 1 {
            if 2 * Polynomial(trial).degree() > rest.degree() {
                push(&mut found, rest);
                break;
            }
            while Polynomial(trial).divides(rest) {
                push(&mut found, Polynomial(trial));
                rest = rest.div_rem(Polynomial(trial)).0;
            }
            trial += 1;
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn factors_are_those_of_trial_division() {
        let words: Vec<u32> = random_words(600).take(300).collect();
        for pair in words.as_chunks::<2>().0 {
            let length = pair[1] % 31 + 1;
            let p = Polynomial(u64::from(pair[0] >> (31 - length) | 1 << length));
            assert_eq!(p.factors(), slow_factors(p), "{:x}", p.0);
        }
        for p in 2..2000 {
            assert_eq!(Polynomial(p).factors(), slow_factors(Polynomial(p)), "{p:x}");
        }
    }

    #[test]
    fn the_order_of_x_is_where_its_powers_come_back() {
        for p in (3..1024).step_by(2) {
            let p = Polynomial(p);
            let one = Polynomial::ONE.div_rem(p).1;
            let (mut power, mut n) = (Polynomial::X.div_rem(p).1, 1);
            while power != one {
                power = Polynomial(power.0 << 1).div_rem(p).1;
                n += 1;
            }
            assert_eq!(p.order_of_x(), Some(n), "{:x}", p.0);
        }
    }

    #[test]
    fn a_recurrence_is_found_from_twice_its_length() {
        for (i, word) in random_words(601).take(200).enumerate() {
            let p = Polynomial(u64::from(word) | 1 << 32);
            let mut bits: Vec<u32> = (0..32).map(|j| (i as u32 + 1).rotate_left(j) & 1).collect();
            while bits.len() < 70 {
                let n = bits.len() - 32;
                bits.push(
                    (0..32).filter(|&j| p.0 >> j & 1 == 1).map(|j| bits[n + j]).sum::<u32>() & 1,
                );
            }
            let sequence = bits.iter().enumerate().fold(0u128, |s, (n, &b)| s | u128::from(b) << n);
            let found = shortest_recurrence(sequence, 70).unwrap();
            assert!(found.divides(p), "{:x} for {:x}", found.0, p.0);
        }
    }

    #[test]
    fn a_minimal_polynomial_annihilates_and_no_divisor_does() {
        let maps = (602..610).map(random_map).chain([
            Affine32::IDENTITY,
            Affine32::linear([0; 32]),
            Affine32::of(|x| x ^ x << 13 ^ x >> 17),
            Affine32::of(|x| x ^ x << 31),
        ]);
        for map in maps {
            let p = map.minimal_polynomial();
            let kills = |p: Polynomial| {
                random_words(611).take(40).all(|x| {
                    let (mut power, mut sum) = (x, 0);
                    for i in 0..=p.degree() {
                        sum ^= if p.0 >> i & 1 == 1 { power } else { 0 };
                        power = map.apply_linear(power);
                    }
                    sum == 0
                })
            };
            assert!(kills(p));
            for (factor, _) in p.factors() {
                assert!(!kills(p.div_rem(factor).0));
            }
        }
    }

    #[test]
    fn known_registers_have_their_known_orders() {
        let xorshift = Affine32::of(|mut x| {
            x ^= x << 13;
            x ^= x >> 17;
            x ^ x << 5
        });
        assert_eq!(xorshift.minimal_polynomial(), Polynomial(0x1_003e_c241));
        assert_eq!(xorshift.order(), Some(0xffff_ffff));
        assert_eq!(xorshift.pow(3).order(), Some(1_431_655_765));
        let counter = Affine32 { offset: 1 << 31, ..Affine32::IDENTITY };
        assert_eq!(counter.order(), Some(2));
        assert_eq!(Affine32::shift_left().order(), None);
    }
}
