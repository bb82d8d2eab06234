//! Registers whose draws obey a given polynomial, for every small number of
//! steps: through k-th roots in the field of 2^32 elements.
//!
//! A polynomial is all that one bit of each draw shows when seeds are unknown.
//! For an irreducible one, `T^k = M` means that a root of `T`'s polynomial is a
//! k-th root of a root of `M`'s; the roots come from one logarithm. The shift
//! products with an irreducible polynomial are few: they are found once.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::families::{Named, lfsr};
use super::steps::inverse_mod;
use crate::gf2::{Polynomial, prime_factors, shortest_recurrence};
use crate::rng::{Direction, Feedback, Recurrence, Shift};

/// The order of the multiplicative group of the field of 2^32 elements.
const GROUP: u64 = 0xffff_ffff;

/// The most steps a draw that are tried where the polynomial is irreducible.
pub(super) const MAX_STEPS_BY_ROOTS: u64 = 64;

/// The most steps a draw where it is not: T and T^2 have one characteristic
/// polynomial.
pub(super) const MAX_STEPS_REDUCIBLE: u64 = 2;

/// Returns the generators for which a draw's map may have this characteristic
/// polynomial of degree 32, xor and xnor, and the most steps that were looked
/// at; `more_steps` are looked at besides.
pub(super) fn registers(polynomial: Polynomial, more_steps: &[u64]) -> (Vec<Named>, u64) {
    let mut found = Vec::new();
    if polynomial.is_irreducible() {
        let roots = Roots::new(polynomial);
        let steps = (1..=MAX_STEPS_BY_ROOTS)
            .chain(more_steps.iter().copied().filter(|&steps| steps > MAX_STEPS_BY_ROOTS));
        for steps in steps {
            for of_step in roots.polynomials(steps) {
                push_lfsrs(&mut found, of_step, steps);
                for shifts in irreducible_products().get(&of_step.0).into_iter().flatten() {
                    let recurrence = Recurrence::Xorshift { shifts: shifts.to_vec() };
                    found.push(Named { recurrence, steps, reverse_alias: false });
                }
            }
        }
        return (found, MAX_STEPS_BY_ROOTS);
    }
    for steps in 1..=MAX_STEPS_REDUCIBLE {
        push_lfsrs(&mut found, polynomial, steps);
        for shifts in super::families::xorshifts_obeying(polynomial, steps) {
            let recurrence = Recurrence::Xorshift { shifts };
            found.push(Named { recurrence, steps, reverse_alias: false });
        }
    }
    (found, MAX_STEPS_REDUCIBLE)
}

/// Adds the one mask of each register family that has this polynomial.
fn push_lfsrs(found: &mut Vec<Named>, polynomial: Polynomial, steps: u64) {
    let low = polynomial.0 as u32;
    let masks = [
        (true, Direction::Left, low),
        (true, Direction::Right, low.reverse_bits()),
        (false, Direction::Right, low),
        (false, Direction::Left, low.reverse_bits()),
    ];
    for (galois, direction, mask) in masks {
        for feedback in [Feedback::Xor, Feedback::Xnor] {
            let recurrence = lfsr(galois, direction, mask, feedback);
            found.push(Named { recurrence, steps, reverse_alias: false });
        }
    }
}

/// The roots of an irreducible polynomial of degree 32, as powers of a
/// generator of the group.
struct Roots {
    modulus: Polynomial,
    generator: Polynomial,
    /// `x` is this power of the generator.
    log: u64,
}

impl Roots {
    fn new(modulus: Polynomial) -> Self {
        let primes = prime_factors(GROUP);
        let generates = |element: Polynomial| {
            primes.iter().all(|prime| element.pow_mod(GROUP / prime, modulus) != Polynomial::ONE)
        };
        // About half of all elements generate the group.
        let generator = (2..).map(Polynomial).find(|&element| generates(element));
        let generator = generator.unwrap_or(Polynomial::X);
        let mut log = 0;
        let mut known = 1;
        for prime in primes {
            // The group's order has no square factor.
            let step = generator.pow_mod(GROUP / prime, modulus);
            let goal = Polynomial::X.pow_mod(GROUP / prime, modulus);
            let mut power = Polynomial::ONE;
            let mut digit = 0;
            while power != goal && digit < prime {
                power = power.mul_mod(step, modulus);
                digit += 1;
            }
            let inverse = inverse_mod(known % prime, prime).unwrap_or(0);
            let times = (digit + prime - log % prime) % prime * inverse % prime;
            log += known * times;
            known *= prime;
        }
        Self { modulus, generator, log }
    }

    /// Returns the polynomials of the elements whose power `steps` is `x`.
    fn polynomials(&self, steps: u64) -> Vec<Polynomial> {
        let shared = gcd(steps % GROUP, GROUP);
        if !self.log.is_multiple_of(shared) {
            return Vec::new();
        }
        let part = GROUP / shared;
        let Some(inverse) = inverse_mod(steps / shared % part, part) else { return Vec::new() };
        let first = (u128::from(self.log / shared) * u128::from(inverse) % u128::from(part)) as u64;
        let mut found: Vec<Polynomial> = (0..shared)
            .filter_map(|j| {
                let root = self.generator.pow_mod(first + j * part, self.modulus);
                let mut power = Polynomial::ONE;
                let mut sequence = 0u128;
                for i in 0..66 {
                    sequence |= u128::from(power.0 & 1) << i;
                    power = power.mul_mod(root, self.modulus);
                }
                shortest_recurrence(sequence, 66).filter(|p| p.degree() == 32)
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if a == 0 { b } else { gcd(b % a, a) }
}

/// Returns the products of shifts by their polynomial, where it is irreducible.
///
/// Such a product has shifts in both directions, and cyclic exchange,
/// mirroring and turning round leave its polynomial: so it is enough to look
/// at two left shifts in either order before a right shift.
fn irreducible_products() -> &'static HashMap<u64, Vec<Vec<Shift>>> {
    static PRODUCTS: OnceLock<HashMap<u64, Vec<Vec<Shift>>>> = OnceLock::new();
    PRODUCTS.get_or_init(|| {
        let mut products: HashMap<u64, Vec<Vec<Shift>>> = HashMap::new();
        for c in 1..32u8 {
            for b in 1..32u8 {
                // a = 0 is the product of two shifts.
                for a in 0..=b {
                    let step = |mut x: u32| {
                        if a > 0 {
                            x ^= x << a;
                        }
                        x ^= x << b;
                        x ^ x >> c
                    };
                    let Some(polynomial) = polynomial_of(step) else { continue };
                    products.entry(polynomial.0).or_default().extend(variants(a, b, c));
                }
            }
        }
        products
    })
}

/// Returns the characteristic polynomial of a step, where it is irreducible.
fn polynomial_of(step: impl Fn(u32) -> u32) -> Option<Polynomial> {
    let mut state = 0x9e37_79b9u32;
    let mut sequence = 0u128;
    for i in 0..64 {
        sequence |= u128::from(state >> 31) << i;
        state = step(state);
    }
    let found = shortest_recurrence(sequence, 64)?;
    // Cheap tests first: degree, no root 0 and no root 1.
    let may_be = found.degree() == 32 && found.0 & 1 == 1 && found.0.count_ones() & 1 == 1;
    (may_be && is_irreducible32(found)).then_some(found)
}

/// Rabin's test for degree 32.
fn is_irreducible32(p: Polynomial) -> bool {
    let mut power = Polynomial::X;
    for i in 0..32 {
        if i == 16 && p.gcd(Polynomial(power.0 ^ 2)).degree() > 0 {
            return false;
        }
        power = power.mul_mod(power, p);
    }
    power == Polynomial::X
}

/// Returns the products that have the polynomial of `La-Lb-Rc`.
fn variants(a: u8, b: u8, c: u8) -> Vec<Vec<Shift>> {
    use Shift::{Left as L, Right as R};
    let mut all = if a == 0 {
        vec![vec![L(b), R(c)], vec![R(c), L(b)]]
    } else {
        let mut all = vec![vec![L(a), L(b), R(c)], vec![R(c), L(a), L(b)], vec![L(a), R(c), L(b)]];
        if a != b {
            all.push(vec![L(b), R(c), L(a)]);
        }
        all
    };
    let mirror = |shift: &Shift| match *shift {
        L(n) => R(n),
        R(n) => L(n),
    };
    let mirrored: Vec<Vec<Shift>> =
        all.iter().map(|shifts| shifts.iter().map(mirror).collect()).collect();
    all.extend(mirrored);
    all
}

#[cfg(test)]
mod tests {
    use super::super::generator::generator_name;
    use super::*;

    #[test]
    fn six_hundred_and_forty_eight_products_have_the_full_period() {
        let full = |polynomial: u64| Polynomial(polynomial).order_of_x() == Some(GROUP);
        let products: Vec<_> = irreducible_products().iter().filter(|(p, _)| full(**p)).collect();
        assert_eq!(products.iter().map(|(_, shifts)| shifts.len()).sum::<usize>(), 648);
        assert_eq!(products.len(), 75);
    }

    #[test]
    fn every_product_has_the_polynomial_it_is_filed_under() {
        for (polynomial, products) in irreducible_products() {
            for shifts in products.iter().take(4) {
                let step = Recurrence::Xorshift { shifts: shifts.clone() }.step_map().unwrap();
                assert_eq!(step.minimal_polynomial().0, *polynomial);
            }
        }
    }

    #[test]
    fn registers_with_steps_have_the_polynomial_of_the_draw() {
        let truth = Recurrence::Xorshift {
            shifts: vec![Shift::Right(9), Shift::Left(5), Shift::Right(14)],
        };
        let draw = truth.step_map().unwrap().pow(7);
        let polynomial = draw.minimal_polynomial();
        assert_eq!(polynomial, Polynomial(0x1_7a20_e827));
        let (found, most) = registers(polynomial, &[]);
        assert_eq!(most, 64);
        assert!(found.iter().any(|named| named.recurrence == truth && named.steps == 7));
        for named in found.iter().step_by(7) {
            let step = named.recurrence.step_map().unwrap();
            assert_eq!(step.pow(named.steps).minimal_polynomial(), polynomial, "{named:?}");
        }
    }

    #[test]
    fn a_third_power_has_three_cube_roots() {
        let truth = super::super::parse_generator("galois_right a3000000").unwrap();
        let polynomial = truth.step_map().unwrap().pow(3).minimal_polynomial();
        let (found, _) = registers(polynomial, &[]);
        let names: Vec<String> = found
            .iter()
            .filter(|named| named.steps == 3)
            .filter_map(|named| generator_name(&named.recurrence))
            .filter(|name| name.starts_with("galois_right "))
            .collect();
        assert_eq!(names.len(), 3, "{names:?}");
        assert!(names.contains(&"galois_right a3000000".into()));
    }
}
