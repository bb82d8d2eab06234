//! The runner against a plain model of the whole tensor path.
//!
//! The model shares nothing with the library but what the built-in profiles
//! say of themselves: states are stepped one draw at a time, uniforms compared
//! as floats, elements picked one by one.

#![allow(clippy::unwrap_used, reason = "tests")]

use lanedrop::exec::{Backend, Element, ExecError, Job, Masks, Runner, packed_len};
use lanedrop::isa::ThresholdType;
use lanedrop::rng::{Lanes, Profile};
use proptest::prelude::*;

/// A register, stepped plainly.
#[derive(Clone, Debug)]
enum Register {
    /// One word, its step, and whether the draw is the state before the step.
    Word(u32, fn(u32) -> u32, bool),
    Xorwow([u32; 6]),
}

impl Register {
    fn draw(&mut self) -> u32 {
        match self {
            Self::Word(state, step, before) => {
                let old = *state;
                *state = step(old);
                if *before { old } else { *state }
            }
            Self::Xorwow([x, y, z, w, v, d]) => {
                let t = *x ^ (*x >> 2);
                (*x, *y, *z, *w) = (*y, *z, *w, *v);
                *v = *v ^ (*v << 4) ^ t ^ (t << 1);
                *d = d.wrapping_add(362_437);
                v.wrapping_add(*d)
            }
        }
    }
}

fn taps(s: u32) -> u32 {
    (s >> 31 ^ s >> 21 ^ s >> 1 ^ s) & 1
}

fn step_of(profile: &str) -> (fn(u32) -> u32, bool) {
    match profile {
        "trn1" => (|s| s << 1 | (taps(s) ^ 1), false),
        "simulator" => (|s| s << 1 | taps(s), false),
        "tenstorrent" => (|s| s >> 1 | (taps(s) ^ 1) << 31, true),
        _ => (
            |s| {
                let s = s ^ s << 13;
                let s = s ^ s >> 17;
                s ^ s << 5
            },
            false,
        ),
    }
}

const PROFILES: [&str; 5] = ["trn1", "trn3", "simulator", "xorshift", "tenstorrent"];

/// Returns the library's lanes and the model's in one state, made from `seed`.
fn lanes_of(profile: &str, seed: u32, count: usize) -> (Lanes, Vec<Vec<Register>>) {
    let profile = Profile::builtin(profile).unwrap();
    let mut word = u64::from(seed) << 17 | 1;
    let words: Vec<u32> = (0..count * profile.words_per_lane())
        .map(|_| {
            word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (word >> 32) as u32
        })
        .collect();
    let lanes = Lanes::from_words(&profile, &words, count).unwrap();
    let model = words
        .chunks(profile.words_per_lane())
        .map(|lane| match lane {
            &[word] => {
                let (step, before) = step_of(&profile.name);
                vec![Register::Word(word, step, before)]
            }
            _ => lane.chunks(6).map(|six| Register::Xorwow(six.try_into().unwrap())).collect(),
        })
        .collect();
    (lanes, model)
}

/// Returns the keep mask of a tensor and the words after it.
fn model(
    mut lanes: Vec<Vec<Register>>,
    (rows, row_len): (usize, usize),
    threshold_type: ThresholdType,
    thresholds: &[f32],
) -> (Vec<bool>, Vec<u32>) {
    let mut keep = Vec::new();
    let mut drawn = vec![0; lanes.len()];
    for row in 0..rows {
        let lane = row % lanes.len();
        for _ in 0..row_len {
            let registers = lanes[lane].len();
            let u = lanes[lane][drawn[lane] % registers].draw();
            drawn[lane] += 1;
            let r = f32::from_bits(u >> 9 | 0x3f80_0000) - 1.0;
            let below = r < thresholds[lane % thresholds.len()];
            keep.push(below == (threshold_type == ThresholdType::KeepRate));
        }
    }
    let mut words = Vec::new();
    for (lane, drawn) in lanes.iter_mut().zip(drawn) {
        let serves_next = drawn % lane.len();
        lane.rotate_left(serves_next);
        for register in lane {
            match register {
                Register::Word(word, ..) => words.push(*word),
                Register::Xorwow(six) => words.extend(*six),
            }
        }
    }
    (keep, words)
}

fn job(element: Element, (rows, row_len): (usize, usize), thresholds: Vec<f32>) -> Job {
    Job {
        threshold_type: ThresholdType::DropRate,
        thresholds,
        element,
        rows: rows as u64,
        row_len: row_len as u64,
        scale: false,
        backend: Backend::REFERENCE,
        threads: 1,
    }
}

/// Returns elements whose bits arithmetic would not leave alone: signalling
/// NaNs with payloads, -0.0, subnormals, infinities; and others between them.
fn awkward(size_bytes: usize, count: usize) -> Vec<u8> {
    const FIRST: [u32; 8] = [
        0x7fa0_0001,
        0x8000_0000,
        0x0000_0001,
        0x7f80_0000,
        0xff80_0000,
        0xffff_ffff,
        0x7fc0_dead,
        0x807f_ffff,
    ];
    let word = |at: usize| match FIRST.get(at % 13) {
        Some(&word) => word,
        None => (at as u32).wrapping_mul(0x9e37_79b9) | 1,
    };
    (0..count).flat_map(|at| word(at).to_le_bytes()[4 - size_bytes..].to_vec()).collect()
}

fn threshold() -> impl Strategy<Value = f32> {
    prop_oneof![
        Just(0.0f32),
        Just(1.0),
        Just(0.5),
        Just(f32::NAN),
        Just(-1.0),
        Just(2.0),
        0.0f32..1.0
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_order_of_any_stretches_gives_what_the_model_gives(
        profile in prop::sample::select(&PROFILES[..]),
        seed: u32,
        lanes in 1usize..9,
        shape in (0usize..30, 0usize..40),
        element in prop::sample::select(&[Element::U8, Element::BF16, Element::F32][..]),
        keep_rate: bool,
        one_for_all: bool,
        thresholds in prop::collection::vec(threshold(), 8),
        cuts in prop::collection::vec(0.0f64..1.0, 0..6),
        backwards: bool,
        in_place: bool,
    ) {
        let thresholds = thresholds[..if one_for_all { 1 } else { lanes }].to_vec();
        let threshold_type =
            if keep_rate { ThresholdType::KeepRate } else { ThresholdType::DropRate };
        let (library, plain) = lanes_of(profile, seed, lanes);
        let (keep, words) = model(plain, shape, threshold_type, &thresholds);
        let size = element.size_bytes();
        let count = shape.0 * shape.1;
        let src = awkward(size, count);
        let mut wanted = src.clone();
        for (element, _) in wanted.chunks_mut(size).zip(&keep).filter(|(_, keep)| !**keep) {
            element.fill(0);
        }

        let mut runner =
            Runner::new(Job { threshold_type, ..job(element, shape, thresholds) }, library)
                .unwrap();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| (cut * count as f64) as usize).collect();
        cuts.extend([0, count]);
        cuts.sort_unstable();
        let mut stretches: Vec<(usize, usize)> = cuts.windows(2).map(|w| (w[0], w[1])).collect();
        if backwards {
            stretches.reverse();
        }
        let mut dst = if in_place { src.clone() } else { vec![0xa5; src.len()] };
        let mut bytes = vec![2; count];
        for (start, end) in stretches {
            let masks = Masks { bytes: Some(&mut bytes[start..end]), packed: None };
            let (first, range) = (start as u64, start * size..end * size);
            if in_place {
                runner.apply_in_place(first, &mut dst[range], masks).unwrap();
            } else {
                runner.apply(first, &src[range.clone()], &mut dst[range], masks).unwrap();
            }
        }
        prop_assert_eq!(&dst, &wanted);
        let mask: Vec<u8> = keep.iter().map(|&keep| keep.into()).collect();
        prop_assert_eq!(bytes, mask);
        prop_assert_eq!(runner.kept(), keep.iter().filter(|keep| **keep).count() as u64);
        prop_assert_eq!(runner.kept() + runner.dropped(), count as u64);
        prop_assert_eq!(runner.finish().to_words(), words);
    }

    #[test]
    fn a_packed_mask_holds_the_rows_in_whole_bytes(
        seed: u32, lanes in 1usize..5, rows in 1usize..9, row_len in 1usize..40, cut in 0usize..5,
    ) {
        let (library, plain) = lanes_of("trn1", seed, lanes);
        let shape = (rows, row_len);
        let (keep, _) = model(plain, shape, ThresholdType::DropRate, &[0.5]);
        let row_bytes = row_len.div_ceil(8);
        let mut wanted = vec![0u8; rows * row_bytes];
        for (at, _) in keep.iter().enumerate().filter(|(_, keep)| **keep) {
            wanted[at / row_len * row_bytes + at % row_len / 8] |= 1 << (at % row_len % 8);
        }
        let mut runner = Runner::new(job(Element::U8, shape, vec![0.5]), library).unwrap();
        let total = (rows * row_len) as u64;
        // Cut inside the first row, at a whole byte.
        let cut = (cut * 8).min(row_len / 8 * 8) as u64;
        let mut packed = vec![0xff; rows * row_bytes];
        let first = packed_len(row_len as u64, 0, cut).unwrap() as usize;
        let (head, tail) = packed.split_at_mut(first);
        runner.mask(0, cut, Masks { bytes: None, packed: Some(head) }).unwrap();
        runner.mask(cut, total - cut, Masks { bytes: None, packed: Some(tail) }).unwrap();
        prop_assert_eq!(packed, wanted);
    }
}

#[test]
fn a_tensor_of_many_blocks_equals_the_model() {
    for profile in PROFILES {
        let (library, plain) = lanes_of(profile, 7, 3);
        let shape = (7, 10_001);
        let (keep, words) = model(plain, shape, ThresholdType::DropRate, &[0.3]);
        let mut runner = Runner::new(job(Element::U8, shape, vec![0.3]), library).unwrap();
        let mut dst = vec![9; shape.0 * shape.1];
        runner.apply_in_place(0, &mut dst, Masks::default()).unwrap();
        let wanted: Vec<u8> = keep.iter().map(|&keep| if keep { 9 } else { 0 }).collect();
        assert!(dst == wanted, "{profile}");
        assert_eq!(runner.finish().to_words(), words, "{profile}");
    }
}

#[test]
fn a_stretch_far_into_a_huge_tensor_costs_a_jump() {
    // Row 2^40 + 5 of 2^20 elements: lane 5, tile 2^33, so draw 2^53 + 77.
    let (library, _) = lanes_of("trn1", 3, 128);
    let mut stepped = library.clone();
    stepped.advance(5, (1 << 53) + 77);
    let mut runner = Runner::new(job(Element::U8, (1 << 43, 1 << 20), vec![0.5]), library).unwrap();
    let mut mask = [0];
    let first = ((1 << 40) + 5) * (1 << 20) + 77;
    runner.mask(first, 1, Masks { bytes: Some(&mut mask), packed: None }).unwrap();
    let r = f32::from_bits(stepped.draw(5) >> 9 | 0x3f80_0000) - 1.0;
    assert_eq!(mask[0] == 0, r < 0.5);
}

#[test]
fn scaling_multiplies_what_is_kept_and_nothing_else() {
    let (library, plain) = lanes_of("trn1", 11, 2);
    let shape = (2, 300);
    let (keep, _) = model(plain, shape, ThresholdType::DropRate, &[0.25]);
    let mut runner =
        Runner::new(Job { scale: true, ..job(Element::F32, shape, vec![0.25]) }, library).unwrap();
    let src: Vec<f32> = (0..600).map(|at| at as f32 - 300.5).collect();
    let mut data: Vec<u8> = src.iter().flat_map(|x| x.to_le_bytes()).collect();
    runner.apply_in_place(0, &mut data, Masks::default()).unwrap();
    for ((bytes, x), keep) in data.as_chunks::<4>().0.iter().zip(src).zip(keep) {
        // 4/3, rounded once to f32.
        let wanted = if keep { x * 1.333_333_4 } else { 0.0 };
        assert_eq!(f32::from_le_bytes(*bytes).to_bits(), wanted.to_bits());
    }
}

#[test]
fn jobs_that_do_not_fit_are_refused_with_what_would_do() {
    let lanes = || lanes_of("trn1", 1, 4).0;
    let refused = |job: Job| Runner::new(job, lanes()).unwrap_err();
    assert_eq!(
        refused(job(Element::F32, (1, 1), vec![0.5; 3])),
        ExecError::Thresholds { found: 3, lanes: 4 }
    );
    assert_eq!(
        refused(job(Element::F32, (1 << 40, 1 << 40), vec![0.5])),
        ExecError::TooManyElements { rows: 1 << 40, row_len: 1 << 40 }
    );
    let scaled = |element, t| Job { scale: true, ..job(element, (1, 1), vec![t]) };
    assert_eq!(refused(scaled(Element::I8, 0.5)), ExecError::ScaleInteger { element: Element::I8 });
    for t in [1.0, 1.5, f32::NAN, 1.0f32.next_down()] {
        let said = refused(scaled(Element::F32, t));
        assert!(matches!(said, ExecError::ScaleNothing { lane: 0, .. }), "{t}: {said}");
    }
    let none = Job { threads: 0, ..job(Element::F32, (1, 1), vec![0.5]) };
    assert_eq!(refused(none), ExecError::NoThreads);

    let mut runner = Runner::new(job(Element::BF16, (2, 9), vec![0.5]), lanes()).unwrap();
    let mut apply = |first, src: usize, dst: usize| {
        runner.apply(first, &vec![0; src], &mut vec![0; dst], Masks::default())
    };
    assert_eq!(apply(0, 3, 3), Err(ExecError::PartialElement { len_bytes: 3, size_bytes: 2 }));
    for first in [17, u64::MAX] {
        assert_eq!(apply(first, 4, 4), Err(ExecError::Outside { first, len: 2, elements: 18 }));
    }
    assert!(matches!(apply(0, 4, 2), Err(ExecError::OutputLen { found: 2, wanted: 4, .. })));
    assert_eq!(packed_len(9, 1, 8), Err(ExecError::PackedColumn { column: 1 }));
    assert_eq!(packed_len(9, 0, 10), Err(ExecError::PackedColumn { column: 1 }));
    assert_eq!((packed_len(9, 8, 10), packed_len(9, 0, 18)), (Ok(3), Ok(4)));
}
