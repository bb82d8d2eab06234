//! Lints of a run: its seed, its state, its rate and its generator.

use std::collections::HashMap;

use super::Lint;
use crate::gf2::Affine32;
use crate::isa::ThresholdType;
use crate::rng::{Cut, Lanes, Profile, Recurrence, Seeding};

/// Share of the nominal rate by which the effective one may be off.
const RATE_TOLERANCE: f64 = 1e-3;
/// Difference between the drop rate and the drop rate after a drop from which
/// on they count as different.
const CORRELATION_TOLERANCE: f64 = 0.02;

/// What a run is about to do.
#[derive(Clone, Copy, Debug)]
pub struct RunFacts<'a> {
    /// The state before the first draw, with its profile.
    pub lanes: &'a Lanes,
    /// The seed it was made from, if it was.
    pub seed: Option<u32>,
    /// How many lanes have a row.
    pub lanes_used: usize,
    /// Whether thresholds are drop rates or keep rates.
    pub threshold_type: ThresholdType,
    /// One threshold for all lanes, or one a lane.
    pub thresholds: &'a [f32],
    /// The drop rate each threshold stands for, before it became an f32.
    pub nominal: &'a [f64],
}

/// Returns what is surely not meant in a run, the gravest first.
pub fn run(facts: &RunFacts<'_>) -> Vec<Lint> {
    let mut lints = Vec::new();
    lints.extend(locked(facts.lanes, facts.lanes_used));
    lints.extend(repeated(facts));
    lints.extend(seed_bits(facts.lanes.profile(), facts.seed));
    lints.extend(effective_rate(facts));
    lints.extend(serial_correlation(facts));
    lints
}

/// Finds lanes whose registers never change, among the first `used`.
pub fn locked(lanes: &Lanes, used: usize) -> Option<Lint> {
    let used = used.min(lanes.lanes());
    if lanes.profile().recurrence == Recurrence::Xorwow {
        let zero = |lane: &usize| {
            let registers = lanes.registers(*lane).as_chunks::<6>().0;
            registers.iter().any(|words| words[..5] == [0; 5])
        };
        let lane = (0..used).find(zero)?;
        return Some(Lint::ZeroXorwow { count: (lane..used).filter(zero).count(), lane });
    }
    let map = lanes.draw_power(1)?;
    let fixed =
        |lane: usize| lanes.registers(lane).iter().copied().find(|&word| map.apply(word) == word);
    let (lane, word) = (0..used).find_map(|lane| Some((lane, fixed(lane)?)))?;
    let count = (lane..used).filter(|&lane| fixed(lane).is_some()).count();
    Some(Lint::LockedLanes { count, lane, word })
}

/// Finds lanes that start alike.
fn repeated(facts: &RunFacts<'_>) -> Option<Lint> {
    let lanes = facts.lanes.lanes();
    let seeded = facts.seed.is_some() && facts.lanes.profile().seeding == Seeding::LaneShift24;
    if seeded {
        return (lanes > 256).then_some(Lint::ManyLanes { lanes });
    }
    let mut seen: HashMap<&[u32], usize> = HashMap::with_capacity(lanes);
    let (mut count, mut pair) = (0, None);
    for lane in 0..lanes {
        if let Some(&first) = seen.get(facts.lanes.registers(lane)) {
            count += 1;
            pair = pair.or(Some((first, lane)));
        } else {
            seen.insert(facts.lanes.registers(lane), lane);
        }
    }
    let (first, second) = pair?;
    Some(Lint::RepeatedLanes { count, lanes, first, second })
}

fn seed_bits(profile: &Profile, seed: Option<u32>) -> Option<Lint> {
    let seed = seed.filter(|_| profile.seeding == Seeding::LaneShift24)?;
    let same = seed & 0x00ff_ffff;
    (same != seed).then_some(Lint::SeedBits { seed, same })
}

fn effective_rate(facts: &RunFacts<'_>) -> Option<Lint> {
    let off = facts.thresholds.iter().zip(facts.nominal).filter_map(|(&threshold, &nominal)| {
        let effective = cut(facts, threshold).effective_rate();
        let off = (effective - nominal).abs() > RATE_TOLERANCE * nominal;
        off.then_some((nominal, effective))
    });
    let (nominal, effective) = off.clone().next()?;
    Some(Lint::EffectiveRate { nominal, effective, lanes: off.count() })
}

fn serial_correlation(facts: &RunFacts<'_>) -> Option<Lint> {
    let cut = cut(facts, *facts.thresholds.first()?);
    let (rate, conditional) = (cut.effective_rate(), next_drop_probability(facts.lanes, &cut)?);
    let distance = facts.lanes.profile().registers_per_lane;
    ((rate - conditional).abs() > CORRELATION_TOLERANCE).then_some(Lint::SerialCorrelation {
        distance,
        conditional,
        rate,
    })
}

/// Returns the lint of a run under one threshold that dropped far more or less
/// than its effective rate.
///
/// "Far" is eight standard deviations, widened by the register's serial
/// correlation, and a hundredth of the elements. A seed with few bits set does
/// it: a shift register takes some thirty draws to fill with others.
pub fn realised_rate(facts: &RunFacts<'_>, kept: u64, dropped: u64) -> Option<Lint> {
    let &[threshold] = facts.thresholds else { return None };
    // Its own lint says what a locked-up lane does.
    if locked(facts.lanes, facts.lanes_used).is_some() {
        return None;
    }
    let cut = cut(facts, threshold);
    let expected = cut.effective_rate();
    let count = (kept + dropped) as f64;
    let realised = dropped as f64 / count;
    let next = next_drop_probability(facts.lanes, &cut).unwrap_or(expected);
    let correlation = ((next - expected) / (1.0 - expected).max(f64::MIN_POSITIVE)).min(0.99);
    let widened = (1.0 + correlation) / (1.0 - correlation);
    let deviation = (expected * (1.0 - expected) / count * widened).sqrt();
    ((realised - expected).abs() > (8.0 * deviation).max(0.01))
        .then_some(Lint::RealisedRate { realised, expected })
}

fn cut(facts: &RunFacts<'_>, threshold: f32) -> Cut {
    let profile = facts.lanes.profile();
    Cut::new(profile.uniform, profile.compare, facts.threshold_type, threshold)
}

/// Returns the probability that a register's draw is dropped when its draw
/// before was, over all states; none where nothing or everything is dropped,
/// or the generator is not affine.
///
/// An independent draw would be dropped with [`Cut::effective_rate`] whatever
/// came before. A register that shifts by one bit a draw keeps 31 of its bits:
/// at a rate of 0.1 half of all drops are followed by another. The figure is
/// that of 65,536 states spread evenly over the dropped ones.
///
/// ```
/// # use lanedrop::{isa::ThresholdType, lint::next_drop_probability};
/// # use lanedrop::rng::{Cut, Lanes, Profile};
/// let profile = Profile::builtin("trn1").unwrap();
/// let lanes = Lanes::seeded(&profile, 1, 1).unwrap();
/// let cut = Cut::new(profile.uniform, profile.compare, ThresholdType::DropRate, 0.1);
/// let next = next_drop_probability(&lanes, &cut).unwrap();
/// assert!((next - 0.5).abs() < 0.01);
/// ```
pub fn next_drop_probability(lanes: &Lanes, cut: &Cut) -> Option<f64> {
    const STATES: u64 = 1 << 16;
    let map: Affine32 = lanes.draw_power(1)?;
    let uniform = cut.uniform();
    if cut.keeps_all() || cut.drops_all() {
        return None;
    }
    let (flip, shift, max) = uniform.key_form();
    let keys = u64::from(max) + 1;
    let (first, count) = if cut.keeps_below() {
        (u64::from(cut.cut()), keys - u64::from(cut.cut()))
    } else {
        (0, u64::from(cut.cut()))
    };
    let dropped = (0..STATES).filter(|at| {
        // Evenly over the dropped keys; the bits no key has come from a
        // multiplicative hash.
        let key = (first + at * count / STATES) as u32;
        let rest = (*at as u32).wrapping_mul(0x9e37_79b9) ^ (*at as u32).rotate_left(13);
        let state = (key << shift | rest & !(max << shift)) ^ flip;
        !cut.keeps(map.apply(state))
    });
    Some(dropped.count() as f64 / STATES as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lints_of(profile: &str, seed: u32, lanes: usize, t: f32, nominal: f64) -> Vec<Lint> {
        let profile = Profile::builtin(profile).unwrap();
        let lanes = Lanes::seeded(&profile, seed, lanes).unwrap();
        run(&RunFacts {
            lanes: &lanes,
            seed: Some(seed),
            lanes_used: lanes.lanes(),
            threshold_type: ThresholdType::DropRate,
            thresholds: &[t],
            nominal: &[nominal],
        })
    }

    #[test]
    fn a_good_run_has_no_lint_but_the_correlation_of_its_register() {
        let lints = lints_of("trn1", 42, 128, 0.1, 0.1);
        assert!(matches!(lints[..], [Lint::SerialCorrelation { distance: 1, .. }]), "{lints:?}");
        assert_eq!(lints_of("xorshift", 42, 128, 0.1, 0.1), []);
    }

    #[test]
    fn lock_up_words_are_found_in_both_polarities() {
        // All zeros under xor, all ones under xnor.
        assert_eq!(
            lints_of("simulator", 0, 128, 0.5, 0.5)[0],
            Lint::LockedLanes { count: 1, lane: 0, word: 0 }
        );
        assert_eq!(
            lints_of("trn1", 0xff_ffff, 256, 0.5, 0.5)[0],
            Lint::LockedLanes { count: 1, lane: 255, word: u32::MAX }
        );
        assert!(!lints_of("trn1", 0, 128, 0.5, 0.5).iter().any(|l| l.name() == "locked-lanes"));
        let mut lanes = Lanes::firmware_default(&Profile::builtin("trn3").unwrap(), 3).unwrap();
        assert_eq!(locked(&lanes, 3), None);
        lanes.registers_mut(1)[6..11].fill(0);
        assert_eq!(locked(&lanes, 3), Some(Lint::ZeroXorwow { count: 1, lane: 1 }));
        assert_eq!(locked(&lanes, 1), None);
    }

    #[test]
    fn seeds_and_lanes_beyond_the_rule_are_named() {
        let lints = lints_of("xorshift", 0x0100_002a, 300, 0.5, 0.5);
        let wanted =
            [Lint::ManyLanes { lanes: 300 }, Lint::SeedBits { seed: 0x0100_002a, same: 42 }];
        assert_eq!(lints, wanted);
    }

    #[test]
    fn a_rate_between_two_steps_is_named() {
        // 2^-23 is the smallest step of top23; half of it rounds up to it.
        let nominal = 2f64.powi(-24);
        let lints = lints_of("xorshift", 1, 1, nominal as f32, nominal);
        let effective = 2f64.powi(-23);
        assert_eq!(lints, [Lint::EffectiveRate { nominal, effective, lanes: 1 }]);
        assert_eq!(lints_of("xorshift", 1, 1, 0.0, 0.0), []);
        assert_eq!(lints_of("xorshift", 1, 1, 1.0, 1.0), []);
    }

    #[test]
    fn equal_rows_of_a_state_are_found() {
        let profile = Profile::builtin("xorshift").unwrap();
        let lanes = Lanes::from_words(&profile, &[5, 6, 5, 5], 4).unwrap();
        let facts = RunFacts {
            lanes: &lanes,
            seed: None,
            lanes_used: 4,
            threshold_type: ThresholdType::KeepRate,
            thresholds: &[0.5],
            nominal: &[0.5],
        };
        let wanted = Lint::RepeatedLanes { count: 2, lanes: 4, first: 0, second: 2 };
        assert_eq!(run(&facts), [wanted]);
    }

    #[test]
    fn a_run_far_from_its_rate_is_named() {
        let profile = Profile::builtin("trn1").unwrap();
        let lanes = Lanes::seeded(&profile, 42, 128).unwrap();
        let facts = RunFacts {
            lanes: &lanes,
            seed: Some(42),
            lanes_used: 128,
            threshold_type: ThresholdType::DropRate,
            thresholds: &[0.1],
            nominal: &[0.1],
        };
        let expected = f64::from(838_861u32) / f64::from(1u32 << 23);
        let wanted = Lint::RealisedRate { realised: 0.2, expected };
        assert_eq!(realised_rate(&facts, 8_000, 2_000), Some(wanted));
        assert_eq!(realised_rate(&facts, 9_020, 980), None);
        // Chance alone: a few elements, or none.
        assert_eq!(realised_rate(&facts, 8, 2), None);
        assert_eq!(realised_rate(&facts, 0, 0), None);
    }

    #[test]
    fn the_next_drop_is_as_likely_as_arithmetic_says() {
        // With r' = frac(2r): drop needs r < t and frac(2r) < t; for t = 0.7
        // that is [0, 0.35) and [0.5, 0.7), 0.55 of 0.7.
        for (profile, t, wanted) in [
            ("trn1", 0.7, 0.55 / 0.7),
            ("tenstorrent", 0.7, 0.55 / 0.7),
            ("trn1", 0.02, 0.5),
            ("xorshift", 0.3, 0.3),
        ] {
            let profile = Profile::builtin(profile).unwrap();
            let lanes = Lanes::seeded(&profile, 1, 1).unwrap();
            let cut = Cut::new(profile.uniform, profile.compare, ThresholdType::DropRate, t);
            let found = next_drop_probability(&lanes, &cut).unwrap();
            assert!((found - wanted).abs() < 0.01, "{} at {t}: {found}", profile.name);
        }
    }
}
