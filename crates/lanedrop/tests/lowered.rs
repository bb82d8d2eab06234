//! A lowered program gives the very bytes and lane state of `run`.

#![allow(clippy::unwrap_used, reason = "tests")]

use lanedrop::device::Device;
use lanedrop::exec::program::{Options, Silent, run, run_lowered};
use lanedrop::exec::{Backend, Element, Job, Lowering, Masks, Runner, lower, reference};
use lanedrop::isa::{Generation, Place, Space, ThresholdType};
use lanedrop::rng::{Fp8Exp4, Lanes, Profile};

/// How many tensors a run of the tests takes, each on every generation; the
/// environment variable `LANEDROP_LOWERED_CASES` asks for another number.
fn cases() -> u64 {
    std::env::var("LANEDROP_LOWERED_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2000)
}

/// SplitMix64, to pick cases.
struct Pick(u64);

impl Pick {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    /// A rate of 0..=1, the ends often.
    fn rate(&mut self) -> f32 {
        match self.below(8) {
            0 => 0.0,
            1 => 1.0,
            _ => (self.next() >> 40) as f32 / 16_777_216.0,
        }
    }
}

struct Case {
    lowering: Lowering,
    profile: Profile,
    lanes: Lanes,
    src: Vec<u8>,
}

fn case(pick: &mut Pick) -> Case {
    let generation = pick.one(&Generation::ALL);
    let element = pick.one(&Element::ALL);
    let (rows, row_len) = match pick.below(13) {
        0 => (0, pick.below(3)),
        1 => (pick.below(300), 0),
        2 => (1 + pick.below(3), 60_000 + pick.below(90_000)),
        3 => (128 * pick.below(4), pick.below(700)),
        // Tiles whose rows and keep bits have no gaps.
        4 => (1 + pick.below(400), 512 * (1 + pick.below(3))),
        5 => (1 + pick.below(700), 1 + pick.below(4)),
        _ => (1 + pick.below(400), 1 + pick.below(300)),
    };
    let mut profile =
        Profile::builtin(pick.one(&["trn1", "trn3", "xorshift", "tenstorrent"])).unwrap();
    if profile.name == "xorshift" && pick.below(2) == 0 {
        profile.registers_per_lane = 4;
    }
    let words = profile.words_per_lane();
    let seed = (words == 1).then(|| pick.next() as u32);
    let lanes = match seed {
        Some(seed) => Lanes::seeded(&profile, seed, 128).unwrap(),
        None => {
            let state: Vec<u32> = (0..128 * words).map(|_| pick.next() as u32).collect();
            Lanes::from_words(&profile, &state, 128).unwrap()
        }
    };
    let rates: Vec<f32> = match pick.below(3) {
        0 => (0..128).map(|_| pick.rate()).collect(),
        _ => vec![pick.rate()],
    };
    let threshold_type = pick.one(&[ThresholdType::DropRate, ThresholdType::KeepRate]);
    let keeps_something = rates.iter().all(|rate| *rate > 0.0 && *rate < 1.0);
    let scale = element.is_float() && keeps_something && pick.below(2) == 0;
    let bytes = rows * row_len * element.size_bytes() as u64;
    let src = (0..bytes).map(|_| pick.next() as u8).collect();
    let lowering =
        Lowering { generation, element, rows, row_len, threshold_type, rates, seed, scale };
    Case { lowering, profile, lanes, src }
}

/// Runs a case as a tensor.
fn as_tensor(case: &Case) -> (Vec<u8>, Vec<u32>, u64) {
    let Lowering { element, rows, row_len, threshold_type, ref rates, scale, .. } = case.lowering;
    let job = Job {
        threshold_type,
        thresholds: rates.clone(),
        element,
        rows,
        row_len,
        scale,
        backend: Backend::best(),
        threads: 1,
    };
    let mut runner = Runner::new(job, case.lanes.clone()).unwrap();
    let mut dst = vec![0xee; case.src.len()];
    runner.apply(0, &case.src, &mut dst, Masks::default()).unwrap();
    (dst, runner.finish().to_words(), runner.kept())
}

fn options(lowering: &Lowering, backend: Backend) -> Options<'static> {
    let without_infinities = lowering.element == Element::F8E4M3FN;
    let fp8_exp4 = Some(if without_infinities { Fp8Exp4::Fn } else { Fp8Exp4::Ieee });
    Options { fp8_exp4, backend, ..Options::default() }
}

#[test]
fn a_lowered_program_equals_run_in_bytes_and_state() {
    let mut pick = Pick(20_261_130);
    for number in 0..cases() {
        let mut case = case(&mut pick);
        let (expected, state, kept) = as_tensor(&case);
        let backend = if number % 4 == 0 { Backend::REFERENCE } else { Backend::best() };
        let options = Options { backend, ..Options::default() };
        for generation in Generation::ALL {
            case.lowering.generation = generation;
            let lowered = lower(&case.lowering, &case.profile).unwrap();
            let what = format!("case {number}: {:?} {}", case.lowering, case.profile.name);
            let mut dst = vec![0xdd; case.src.len()];
            let mut device = Device::new(generation, &case.profile).unwrap();
            device.set_lanes(case.lanes.clone()).unwrap();
            let summary =
                run_lowered(&mut device, &lowered, &options, &mut Silent, &case.src, &mut dst)
                    .unwrap();
            assert_eq!(summary.kept, kept, "{what}");
            assert_eq!(device.lanes().words(), state, "{what}");
            drop(device);
            assert!(dst == expected, "{what}");
        }
    }
}

#[test]
fn a_tensor_that_fits_also_runs_from_memory_alone() {
    let mut pick = Pick(7);
    let mut ran = 0;
    while ran < 30 {
        let case = case(&mut pick);
        let lowered = lower(&case.lowering, &case.profile).unwrap();
        let [segment] = &lowered.plan.segments[..] else { continue };
        let mut device = Device::new(case.lowering.generation, &case.profile).unwrap();
        device.set_lanes(case.lanes.clone()).unwrap();
        for constant in &lowered.plan.constants {
            for (partition, value) in (0..).zip(&constant.values) {
                let offset_bytes = constant.offset_bytes;
                let place = Place { space: Space::Sbuf, partition, offset_bytes };
                device.memory.write(place, &value.to_le_bytes()).unwrap();
            }
        }
        let size = case.lowering.element.size_bytes() as u64;
        let at = |row: u64, elem: u64| ((row * case.lowering.row_len + elem) * size) as usize;
        for piece in &segment.moves {
            for row in 0..u32::from(piece.rows) {
                let first = at(piece.first_row + u64::from(row), piece.first_elem);
                let bytes = &case.src[first..first + (piece.elems * size) as usize];
                device.memory.write(piece.places(row).0, bytes).unwrap();
            }
        }
        let options = options(&case.lowering, Backend::best());
        run(&mut device, &lowered.words, &options, &mut Silent).unwrap();
        let (expected, state, _) = as_tensor(&case);
        let mut dst = vec![0; expected.len()];
        for piece in &segment.moves {
            for row in 0..u32::from(piece.rows) {
                let first = at(piece.first_row + u64::from(row), piece.first_elem);
                let bytes = &mut dst[first..first + (piece.elems * size) as usize];
                device.memory.read(piece.places(row).1, bytes).unwrap();
            }
        }
        assert!(dst == expected, "{:?}", case.lowering);
        assert_eq!(device.lanes().words(), state);
        ran += 1;
    }
}

#[test]
fn the_golden_model_says_the_same_of_a_tensor_in_segments() {
    // 300 rows of 60000 bytes are more than v2 has room for.
    let (rows, row_len) = (300u64, 60_000u64);
    let profile = Profile::builtin("trn1").unwrap();
    let src: Vec<u8> = (0..rows * row_len).map(|i| (i % 251 + 1) as u8).collect();
    let lowering = Lowering {
        generation: Generation::V2,
        element: Element::U8,
        rows,
        row_len,
        threshold_type: ThresholdType::KeepRate,
        rates: vec![0.625],
        seed: Some(9),
        scale: false,
    };
    let lowered = lower(&lowering, &profile).unwrap();
    assert_eq!(lowered.plan.segments.len(), 3);
    let mut dst = vec![0xdd; src.len()];
    let mut device = Device::new(Generation::V2, &profile).unwrap();
    run_lowered(&mut device, &lowered, &Options::default(), &mut Silent, &src, &mut dst).unwrap();
    let mut lanes = Lanes::seeded(&profile, 9, 128).unwrap();
    let mut expected = vec![0; src.len()];
    let keep = ThresholdType::KeepRate;
    reference::tensor(&mut lanes, row_len as usize, keep, &[0.625], 1, &src, &mut expected);
    assert_eq!(device.lanes().words(), lanes.words());
    drop(device);
    assert!(dst == expected);
}

#[test]
fn a_plan_that_skips_or_repeats_is_refused() {
    let lowering = Lowering {
        generation: Generation::V3,
        element: Element::F32,
        rows: 300,
        row_len: 100,
        threshold_type: ThresholdType::DropRate,
        rates: vec![0.5],
        seed: None,
        scale: false,
    };
    let profile = Profile::builtin("trn1").unwrap();
    let good = lower(&lowering, &profile).unwrap();
    let message = |change: &dyn Fn(&mut lanedrop::exec::Plan)| {
        let mut lowered = good.clone();
        change(&mut lowered.plan);
        let (src, mut dst) = (vec![0; 120_000], vec![0; 120_000]);
        let mut device = Device::new(Generation::V3, &profile).unwrap();
        let options = Options::default();
        run_lowered(&mut device, &lowered, &options, &mut Silent, &src, &mut dst)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message(&|plan| plan.segments[0].moves[1].first_row = 0),
        "segment 0 moves row 0 from element 0 on, which is not next"
    );
    assert_eq!(
        message(&|plan| {
            plan.segments[0].moves.pop();
        }),
        "the segments move 256 of 300 rows"
    );
    assert_eq!(
        message(&|plan| plan.segments[0].records = 2),
        "segments have 2 records, the program has 3"
    );
    assert_eq!(
        message(&|plan| plan.rows = 1 << 40),
        "segment 0 moves row 256 from element 0 on, which is not next"
    );
    assert_eq!(
        message(&|plan| plan.generation = Generation::V4),
        "the device is a v3, and the program was lowered for v4"
    );
    assert!(
        message(&|plan| plan.segments[0].moves[1].dst_offset_bytes = 400).contains("overlap"),
        "bytes of two rows in one place"
    );
}
