//! How many steps of one map make another: a discrete logarithm.

use std::collections::HashMap;

use crate::gf2::{Affine32, ByteMap, Jump, prime_factors};

/// The most steps that are looked for; steps count modulo the period.
pub(super) const MAX_STEPS: u64 = 0xffff_ffff;

/// The most steps that are looked for where a map has no inverse.
pub(super) const MAX_STEPS_SINGULAR: u64 = 512;

/// Points that differ in every respect that small factors of a group see.
const POINTS: [u32; 4] = [0x9e37_79b9, 0x7f4a_7c15, 0xbf58_476d, 0x1ce4_e5b9];

/// Returns the smallest number of steps from 1 on, [`MAX_STEPS`] at most, that
/// makes `draw` of `step`.
///
/// Where `step` has an inverse its powers are a group whose order is known with
/// its primes, and the number is found prime by prime (Pohlig and Hellman,
/// 1978) in the orbits of four states; the result is confirmed on the maps.
pub(super) fn steps_to(step: &Affine32, draw: &Affine32) -> Option<u64> {
    let mut power = *step;
    let goals = POINTS.map(|point| draw.apply(point));
    let mut states = POINTS.map(|point| step.apply(point));
    for steps in 1..=64 {
        if states == goals && power_is(step, steps, draw) {
            return Some(steps);
        }
        states = states.map(|state| step.apply(state));
    }
    let Some(order) = step.order() else {
        for steps in 1..=MAX_STEPS_SINGULAR {
            if power == *draw {
                return Some(steps);
            }
            power = power.then(step);
        }
        return None;
    };
    if order <= 64 || draw.inverse().is_none() {
        return None;
    }
    let (of_step, of_draw) = (Jump::new(step), Jump::new(draw));
    let (mut found, mut modulus) = (0u64, 1u64);
    for prime in prime_factors(order) {
        let mut part = 1;
        while order % (part * prime) == 0 {
            part *= prime;
        }
        // Digit by digit in the subgroup of order `part`.
        let generator = of_step.to(order / part);
        let target = of_draw.to(order / part);
        let top = generator.pow(part / prime);
        let (mut digits, mut weight) = (0u64, 1u64);
        while weight < part {
            let undone = generator.pow(part - digits % part);
            let rest = target.then(&undone).pow(part / prime / weight);
            digits += small_log(&top, &rest, prime)? * weight;
            weight *= prime;
        }
        // Chinese remainders, one modulus at a time.
        let inverse = inverse_mod(modulus % part, part)?;
        let difference = (digits + part - found % part) % part;
        let times = (u128::from(difference) * u128::from(inverse) % u128::from(part)) as u64;
        found += modulus * times;
        modulus *= part;
    }
    let steps = if found == 0 { order } else { found };
    (steps <= MAX_STEPS && of_step.to(steps) == *draw).then_some(steps)
}

fn power_is(step: &Affine32, steps: u64, draw: &Affine32) -> bool {
    step.pow(steps) == *draw
}

/// Returns the `a` below `order` with `generator^a = goal` on the four points.
fn small_log(generator: &Affine32, goal: &Affine32, order: u64) -> Option<u64> {
    let goals = POINTS.map(|point| goal.apply(point));
    let baby = (order as f64).sqrt().ceil() as u64;
    // goal = generator^(i * baby - j)  <=>  generator^j (goal) = generator^(i * baby)
    let table = ByteMap::new(generator);
    let mut seen = HashMap::with_capacity(baby as usize);
    let mut states = goals;
    for j in 0..baby {
        seen.insert(states, j);
        states = states.map(|state| table.apply(state));
    }
    let giant = ByteMap::new(&generator.pow(baby));
    let mut states = POINTS;
    for i in 0..=order.div_ceil(baby) + 1 {
        if let Some(j) = seen.get(&states) {
            return Some((i * baby + order - j) % order);
        }
        states = states.map(|state| giant.apply(state));
    }
    None
}

/// Returns the inverse of `a` modulo `m`, where they share no factor.
pub(super) fn inverse_mod(a: u64, m: u64) -> Option<u64> {
    let (mut r, mut next_r) = (i128::from(m), i128::from(a));
    let (mut t, mut next_t) = (0i128, 1i128);
    while next_r != 0 {
        let quotient = r / next_r;
        (r, next_r) = (next_r, r - quotient * next_r);
        (t, next_t) = (next_t, t - quotient * next_t);
    }
    (r == 1).then(|| t.rem_euclid(i128::from(m)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_for_every_kind_of_map() {
        let xorshift = Affine32::of(|mut x| {
            x ^= x << 13;
            x ^= x >> 17;
            x ^ x << 5
        });
        // A reducible polynomial, and one with a repeated factor.
        let taps = Affine32::of(|x| x << 1 | (x & 0x9000_0401).count_ones() & 1);
        let unipotent = Affine32::of(|x| x ^ x << 1);
        let xnor = Affine32::of(|x| x << 1 | !(x >> 31 ^ x >> 21 ^ x >> 1 ^ x) & 1);
        for map in [xorshift, taps, unipotent, xnor, Affine32::of(|x| x.rotate_left(1))] {
            let order = map.order().unwrap();
            for steps in [1, 2, 64, 65, 513, 1_000_003, 1 << 20, 0xffff_fffe] {
                let expected = (steps - 1) % order + 1;
                assert_eq!(steps_to(&map, &map.pow(steps)), Some(expected), "{steps} of {order}");
            }
        }
    }

    #[test]
    fn a_map_that_is_no_power_has_no_steps() {
        let xorshift = Affine32::of(|x| x ^ x << 13 ^ x >> 17);
        assert_eq!(steps_to(&xorshift, &Affine32::shift_left()), None);
        assert_eq!(steps_to(&Affine32::shift_left(), &xorshift), None);
        assert_eq!(steps_to(&Affine32::IDENTITY, &Affine32::of(|x| !x)), None);
    }

    #[test]
    fn a_shift_is_counted_until_it_is_empty() {
        let left = Affine32::shift_left();
        assert_eq!(steps_to(&left, &left.pow(31)), Some(31));
        assert_eq!(steps_to(&left, &left.pow(40)), Some(32));
    }
}
