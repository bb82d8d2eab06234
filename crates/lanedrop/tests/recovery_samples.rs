//! Recovery of whole families from one capture of chosen words, 128 lanes of
//! 64 elements, and under noise.
//!
//! The suite takes a part of each sample; all of it, with times:
//!
//! ```text
//! LANEDROP_RECOVER_SAMPLES=full cargo test --release -p lanedrop --test recovery_samples -- --nocapture
//! ```

#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::{Duration, Instant};

use lanedrop::gf2::Affine32;
use lanedrop::recover::simulate::{Device, Faults, Knowledge, Shot, Simulation};
use lanedrop::recover::{
    CaptureFile, Plan, PlanOptions, Report, SplitMix, Verdict, generator_name, solve,
};
use lanedrop::rng::{Direction, Feedback, Profile, Recurrence, Shift};

const THRESHOLDS: [u32; 1] = [0x3eff_ffff];

fn sample(full: usize, part: usize) -> usize {
    if std::env::var("LANEDROP_RECOVER_SAMPLES").is_ok() { full } else { part }
}

fn capture(recurrence: &Recurrence, steps: u32, thresholds: &[u32], seed: u64) -> Simulation {
    let profile = Profile {
        recurrence: recurrence.clone(),
        steps_per_draw: steps,
        ..Profile::builtin("trn1").unwrap()
    };
    let shots = thresholds.iter().enumerate();
    Simulation {
        device: Device::new(profile),
        lanes: 128,
        shots: shots.map(|(i, &bits)| Shot::mask(&format!("c{i}"), bits, 64, "a")).collect(),
        knowledge: Knowledge::Words,
        words: Default::default(),
        faults: Faults::default(),
        seed,
    }
}

fn timed(file: &CaptureFile, slowest: &mut Duration) -> Report {
    let start = Instant::now();
    let report = solve(file);
    *slowest = (*slowest).max(start.elapsed());
    report
}

/// Returns the dimensions that the top `bits` bits see, by definition: the
/// rank of their functionals over 32 draws.
fn observed(map: &Affine32, bits: u32) -> u32 {
    let mut rows: Vec<u32> = Vec::new();
    for bit in 32 - bits..32 {
        let mut row = 1u32 << bit;
        for _ in 0..32 {
            row = (0..32).fold(0, |r, bit| r | ((row & map.columns[bit]).count_ones() & 1) << bit);
            let reduced = rows.iter().fold(row, |r, &basis| r.min(r ^ basis));
            if reduced != 0 {
                rows.push(reduced);
                rows.sort_unstable_by(|a, b| b.cmp(a));
            }
        }
    }
    rows.len() as u32
}

/// Captures and solves what the plan asks for until it asks for nothing.
fn with_replays(recurrence: &Recurrence, steps: u32, seed: u64, map: &Affine32) {
    let name = generator_name(recurrence).unwrap_or_default();
    let simulation = capture(recurrence, steps, &THRESHOLDS, seed);
    let mut file = simulation.run();
    let options =
        PlanOptions { lane_words: true, pointer_thresholds: true, ..PlanOptions::default() };
    for _ in 0..60 {
        let report = solve(&file);
        if let Some(stated) = report.transition {
            assert!(report.verdict.is_settled(), "{name} x{steps}: {:?}", report.verdict);
            assert_eq!(stated.map(), Some(*map), "{name} x{steps} with replays");
            return;
        }
        assert_eq!(report.verdict, Verdict::LinearOnObservableQuotient, "{name} x{steps}");
        let Some(plan) = Plan::separating(&report, options.clone()) else {
            // Nothing that a mask can show is left.
            assert_eq!(report.observable_rank, Some(observed(map, 23)), "{name} x{steps}");
            assert!(observed(map, 23) < 32);
            return;
        };
        file.extend(plan.simulation(simulation.device.clone()).run()).unwrap();
    }
    panic!("{name} x{steps}: the plan does not end");
}

/// Solves one capture, or with the replays that see more of the state, and
/// holds the answer against the truth.
fn recover(recurrence: &Recurrence, steps: u32, seed: u64, slowest: &mut Duration) -> u32 {
    let map = recurrence.step_map().unwrap().pow(steps.into());
    let report = timed(&capture(recurrence, steps, &THRESHOLDS, seed).run(), slowest);
    let rank = observed(&map, 1);
    let name = generator_name(recurrence).unwrap_or_default();
    if rank < 32 {
        assert_eq!(report.observable_rank, Some(rank), "{name} x{steps}");
        assert_eq!(report.transition, None);
        assert_eq!(report.verdict, Verdict::LinearOnObservableQuotient, "{name} x{steps}");
        with_replays(recurrence, steps, seed, &map);
        return rank;
    }
    assert!(report.verdict.is_settled(), "{name} x{steps}: {:?}", report.verdict);
    assert_eq!(report.transition.unwrap().map(), Some(map), "{name} x{steps}");
    assert_eq!(report.mismatches, Some(0));
    if !name.is_empty() {
        let listed = report.hypotheses.iter().any(|hypothesis| {
            let other = lanedrop::recover::parse_generator(&hypothesis.generator).unwrap();
            other.step_map() == recurrence.step_map()
        });
        assert!(listed, "{name} x{steps}: {:?}", report.hypotheses);
    }
    32
}

#[test]
fn full_period_xorshifts_are_recovered_with_any_steps() {
    let mut random = SplitMix::new(1);
    let mut slowest = Duration::ZERO;
    let (mut done, wanted) = (0, sample(1000, 12));
    while done < wanted {
        let mut shift = |left: bool| {
            let n = random.below(31) as u8 + 1;
            if left { Shift::Left(n) } else { Shift::Right(n) }
        };
        let shifts = vec![shift(true), shift(false), shift(true)];
        let recurrence = Recurrence::Xorshift { shifts };
        if recurrence.step_map().unwrap().order() != Some(0xffff_ffff) {
            continue;
        }
        let steps = random.below(1 << 20) as u32 + 1;
        recover(&recurrence, steps, done as u64, &mut slowest);
        done += 1;
    }
    println!("{done} xorshifts, the slowest in {slowest:?}");
}

#[test]
fn tap_sets_of_four_families_are_recovered() {
    let mut random = SplitMix::new(2);
    let mut slowest = Duration::ZERO;
    let (mut done, mut whole) = (0, 0);
    let wanted = sample(1000, 48);
    while done < wanted {
        let direction = if done & 1 == 0 { Direction::Left } else { Direction::Right };
        let feedback = if done & 2 == 0 { Feedback::Xor } else { Feedback::Xnor };
        let mask = random.next_u32();
        let recurrence = if done & 4 == 0 {
            Recurrence::Galois { direction, mask, feedback }
        } else {
            Recurrence::Fibonacci { direction, mask, feedback }
        };
        if recurrence.step_map().unwrap().rank() < 32 {
            continue;
        }
        let steps = if done % 3 == 0 { random.below(1 << 20) as u32 + 1 } else { 1 };
        whole += usize::from(recover(&recurrence, steps, done as u64, &mut slowest) == 32);
        done += 1;
    }
    println!("{done} tap sets, {whole} seen in full by one bit, the slowest in {slowest:?}");
}

#[test]
fn random_matrices_are_recovered_where_one_bit_sees_all() {
    let mut random = SplitMix::new(3);
    let mut slowest = Duration::ZERO;
    let (mut done, mut looked_at) = (0, 0);
    let wanted = sample(200, 8);
    while done < wanted {
        let mut map = Affine32::IDENTITY;
        map.columns.iter_mut().for_each(|column| *column = random.next_u32());
        map.offset = random.next_u32();
        looked_at += 1;
        done += usize::from(recover(&Recurrence::Matrix(map), 1, looked_at, &mut slowest) == 32);
    }
    println!("{done} matrices of {looked_at}, the slowest in {slowest:?}");
}

#[test]
fn one_bit_in_ten_may_be_wrong_with_chosen_words() {
    let (total, mut exact) = (sample(100, 20), 0);
    for seed in 0..total as u64 {
        let names =
            ["xorshift L13-R17-L5", "galois_right a3000000", "fibonacci_left_xnor 80200003"];
        let recurrence = lanedrop::recover::parse_generator(names[seed as usize % 3]).unwrap();
        let mut simulation = capture(&recurrence, 1, &THRESHOLDS, seed + 100);
        simulation.faults.flip_rate = 0.1;
        let report = solve(&simulation.run());
        let map = recurrence.step_map();
        match report.transition {
            Some(stated) if report.verdict.is_settled() => {
                assert_eq!(stated.map(), map, "seed {seed}");
                exact += 1;
            }
            _ => {}
        }
    }
    println!("10 % flips, chosen words: {exact} of {total} exact");
    assert!(exact * 20 >= total * 19, "{exact} of {total}");
}

#[test]
fn one_bit_in_twenty_may_be_wrong_with_unknown_seeds() {
    let (total, mut exact) = (sample(40, 4), 0);
    for seed in 0..total as u64 {
        let names =
            ["xorshift L13-R17-L5", "galois_right a3000000", "fibonacci_left_xnor 80200003"];
        let recurrence = lanedrop::recover::parse_generator(names[seed as usize % 3]).unwrap();
        let mut simulation = capture(&recurrence, 1, &[0x3eff_ffff; 3], seed + 300);
        simulation.knowledge = Knowledge::Nothing;
        simulation.faults.flip_rate = 0.05;
        for (i, shot) in simulation.shots.iter_mut().enumerate() {
            shot.num_elements = 1024;
            shot.seed_group = format!("g{i}");
        }
        let report = solve(&simulation.run());
        let own = format!("{:x}", recurrence.step_map().unwrap().minimal_polynomial().0);
        if let Some(stated) = report.minimal_polynomial {
            assert_eq!(stated, own, "seed {seed}");
            exact += 1;
        }
    }
    println!("5 % flips, unknown seeds: {exact} of {total} exact");
    assert!(exact * 20 >= total * 19, "{exact} of {total}");
}
