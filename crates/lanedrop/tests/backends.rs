//! Every backend, thread count and cutting against the golden model.
//!
//! `cargo test --release --test backends` runs some millions of elements;
//! `LANEDROP_LONG=1 cargo test --release --test backends` more than 10^9.

#![allow(clippy::unwrap_used, reason = "tests")]

use lanedrop::exec::{Backend, Element, Job, Masks, Runner, View, packed_len};
use lanedrop::gf2::Affine32;
use lanedrop::isa::ThresholdType;
use lanedrop::rng::{Compare, DrawOrder, Lanes, Profile, Recurrence, Uniform};

/// A small generator of test cases, not one of the library's.
struct Dice(u64);

impl Dice {
    fn word(&mut self) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 ^ (self.0 >> 20) as u32
    }

    fn below(&mut self, end: usize) -> usize {
        self.word() as usize % end
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 4);
        while bytes.len() < count {
            bytes.extend(self.word().to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }
}

/// The built-in profiles, and others that go ways of their own.
fn profiles() -> Vec<Profile> {
    let mut profiles = Profile::builtins();
    let trn1 = Profile::builtin("trn1").unwrap();
    let xorshift = Profile::builtin("xorshift").unwrap();
    let mut dice = Dice(7);
    let columns = std::array::from_fn(|_| dice.word());
    profiles.push(Profile { steps_per_draw: 3, ..trn1.clone() });
    profiles.push(Profile { registers_per_lane: 4, ..trn1.clone() });
    profiles.push(Profile { registers_per_lane: 4, draw: DrawOrder::Before, ..xorshift.clone() });
    let matrix = Recurrence::Matrix(Affine32 { offset: 0x1234_5678, ..Affine32::linear(columns) });
    profiles.push(Profile { recurrence: matrix, ..trn1.clone() });
    let trn3 = Profile::builtin("trn3").unwrap();
    profiles.push(Profile { registers_per_lane: 1, draw: DrawOrder::Before, ..trn3.clone() });
    profiles.push(Profile { steps_per_draw: 2, ..trn3.clone() });
    profiles.push(Profile { steps_per_draw: 100, ..trn3 });
    profiles
}

fn lanes_of(profile: &Profile, count: usize, dice: &mut Dice) -> Lanes {
    let words: Vec<u32> = (0..count * profile.words_per_lane()).map(|_| dice.word()).collect();
    Lanes::from_words(profile, &words, count).unwrap()
}

/// One tensor and how it is run.
#[derive(Clone, Debug)]
struct Case {
    job: Job,
    lanes: Lanes,
    /// Where stretches end.
    stops: Vec<u64>,
    in_place: bool,
    byte_mask: bool,
    packed_mask: bool,
}

/// What a case gives.
#[derive(PartialEq)]
struct Outcome {
    data: Vec<u8>,
    bytes: Vec<u8>,
    packed: Vec<u8>,
    kept: u64,
    after: Lanes,
}

fn outcome(case: &Case, data: &[u8], backend: Backend, threads: usize) -> Outcome {
    let job = Job { backend, threads, ..case.job.clone() };
    let elements = job.rows * job.row_len;
    let (size, row_len) = (job.element.size_bytes(), job.row_len);
    let mut runner = Runner::new(job, case.lanes.clone()).unwrap();
    let mut out = if case.in_place { data.to_vec() } else { vec![0xaa; data.len()] };
    let mut bytes = vec![9; if case.byte_mask { elements as usize } else { 0 }];
    let packed_bytes = packed_len(row_len, 0, elements).unwrap() as usize;
    let mut packed = vec![0xff; if case.packed_mask { packed_bytes } else { 0 }];
    let (mut first, mut packed_at) = (0, 0);
    for &stop in &case.stops {
        let len = stop - first;
        let (from, to) = (first as usize, stop as usize);
        let mut masks = Masks::default();
        if case.byte_mask {
            masks.bytes = Some(&mut bytes[from..to]);
        }
        if case.packed_mask {
            let count = packed_len(row_len, first, len).unwrap() as usize;
            masks.packed = Some(&mut packed[packed_at..packed_at + count]);
            packed_at += count;
        }
        let range = from * size..to * size;
        if case.in_place {
            runner.apply_in_place(first, &mut out[range], masks).unwrap();
        } else {
            runner.apply(first, &data[range.clone()], &mut out[range], masks).unwrap();
        }
        first = stop;
    }
    Outcome { data: out, bytes, packed, kept: runner.kept(), after: runner.finish() }
}

fn draw_case(dice: &mut Dice, profile: &Profile, max_elements: usize) -> Case {
    let mut profile = profile.clone();
    profile.uniform = dice.pick(&Uniform::ALL);
    profile.compare = dice.pick(&Compare::ALL);
    let count = dice.pick(&[1, 2, 7, 8, 9, 16, 100, 128]);
    let lanes = lanes_of(&profile, count, dice);
    let row_len = match dice.below(6) {
        0 => dice.below(4) + 1,
        1 => dice.pick(&[63, 64, 65, 511, 512, 513]),
        2 => dice.below(700) + 1,
        3 => dice.below(5000) + 1,
        4 => dice.pick(&[4096, 8192, 16_384, 16_385, 40_000]),
        _ => 8 * (dice.below(600) + 1),
    };
    let most = (max_elements / row_len).clamp(1, 300);
    let rows = dice.below(most) + 1;
    let scale = dice.below(4) == 0;
    let element = loop {
        let element = dice.pick(&Element::ALL);
        if element.is_float() || !scale {
            break element;
        }
    };
    let mut threshold = || match dice.below(5) {
        0 => 0.5,
        1 => 0.1,
        2 => 1e-3,
        _ => dice.word() as f32 / 4_294_967_296.0 * 0.98 + 0.01,
    };
    let mut thresholds = vec![threshold()];
    while thresholds.len() < count && threshold() == 0.5 {
        thresholds = (0..count).map(|_| threshold()).collect();
    }
    if !scale && dice.below(4) == 0 {
        thresholds[0] = dice.pick(&[0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, 1e-30]);
    }
    let threshold_type = dice.pick(&[ThresholdType::DropRate, ThresholdType::KeepRate]);
    let job = Job {
        threshold_type,
        thresholds,
        element,
        rows: rows as u64,
        row_len: row_len as u64,
        scale,
        backend: Backend::REFERENCE,
        threads: 1,
    };
    let elements = (rows * row_len) as u64;
    let packed_mask = dice.below(3) == 0;
    let mut stops = vec![elements];
    while dice.below(3) == 0 {
        let stop = u64::from(dice.word()) % elements;
        let column = stop % row_len as u64;
        // A packed mask begins at a whole byte.
        stops.push(if packed_mask { stop - column % 8 } else { stop });
    }
    stops.sort_unstable();
    Case {
        job,
        lanes,
        stops,
        in_place: dice.below(3) == 0,
        byte_mask: dice.below(3) == 0,
        packed_mask,
    }
}

fn check(case: &Case, data: &[u8], threads: &[usize]) {
    let wanted = outcome(case, data, Backend::REFERENCE, 1);
    for backend in Backend::available() {
        for &threads in threads {
            if backend == Backend::REFERENCE && threads == 1 {
                continue;
            }
            let found = outcome(case, data, backend, threads);
            let context = || {
                let Case { job, stops, in_place, .. } = case;
                let profile = case.lanes.profile();
                format!(
                    "{} on {threads} threads: {job:?} {profile:?} in_place={in_place} to {stops:?}, {} lanes",
                    backend.name(),
                    case.lanes.lanes()
                )
            };
            assert!(
                found.kept == wanted.kept,
                "kept {} for {}: {}",
                found.kept,
                wanted.kept,
                context()
            );
            assert!(found.data == wanted.data, "data: {}", context());
            assert!(found.bytes == wanted.bytes, "mask: {}", context());
            assert!(found.packed == wanted.packed, "packed mask: {}", context());
            assert!(found.after == wanted.after, "state: {}", context());
        }
    }
}

fn long() -> bool {
    std::env::var_os("LANEDROP_LONG").is_some()
}

#[test]
fn every_backend_gives_the_bits_of_the_reference() {
    let (cases, max_elements) = if long() { (400, 1 << 18) } else { (5, 1 << 15) };
    let mut dice = Dice(2026);
    let mut elements = 0;
    for _ in 0..cases {
        for profile in profiles() {
            let case = draw_case(&mut dice, &profile, max_elements);
            let count = (case.job.rows * case.job.row_len) as usize;
            let data = dice.bytes(count * case.job.element.size_bytes());
            check(&case, &data, &[1]);
            elements += count;
        }
    }
    let kernels = (Backend::available().len() - 1) * elements;
    println!("{kernels} elements compared");
}

#[test]
fn threads_give_the_same_bytes() {
    let repeats = if long() { 40 } else { 1 };
    let mut dice = Dice(11);
    for _ in 0..repeats {
        for profile in profiles() {
            // Long enough for seven shares, rows of a length that no share has.
            let element = dice.pick(&[Element::F32, Element::BF16]);
            let mut case = draw_case(&mut dice, &profile, 1 << 10);
            case.lanes = lanes_of(case.lanes.profile(), 24, &mut dice);
            let (rows, row_len) =
                dice.pick(&[(1, 3_000_000), (5, 600_008), (60, 50_000), (2_999, 1_001)]);
            case.job =
                Job { element, rows, row_len, scale: false, thresholds: vec![0.3], ..case.job };
            case.stops = vec![rows * row_len];
            let data = dice.bytes((rows * row_len) as usize * element.size_bytes());
            let best = Backend::best();
            let wanted = outcome(&case, &data, best, 1);
            let few = [dice.pick(&[2, 3]), 7];
            for threads in if long() { &[2, 3, 7][..] } else { &few } {
                let found = outcome(&case, &data, best, *threads);
                assert!(found == wanted, "{threads} threads: {:?}", case.job);
            }
            if long() {
                check(&case, &data, &[1, 2, 3, 7]);
            }
        }
    }
}

#[test]
fn the_backward_pass_draws_the_mask_again_from_the_saved_state() {
    let profile = Profile::builtin("trn1").unwrap();
    let saved = Lanes::seeded(&profile, 42, 128).unwrap();
    let mut dice = Dice(5);
    let (rows, row_len) = (256u64, 300u64);
    let job = Job {
        threshold_type: ThresholdType::DropRate,
        thresholds: vec![0.1],
        element: Element::BF16,
        rows,
        row_len,
        scale: false,
        backend: Backend::best(),
        threads: 1,
    };
    let mut forward = Runner::new(job.clone(), saved.clone()).unwrap();
    let mut mask = vec![0; (rows * row_len) as usize];
    let masks = Masks { bytes: Some(&mut mask), packed: None };
    forward.mask(0, rows * row_len, masks).unwrap();
    let mut backward = Runner::new(Job { element: Element::F32, ..job }, saved).unwrap();
    let grad = dice.bytes(4 * (rows * row_len) as usize);
    let mut masked = vec![0; grad.len()];
    backward.apply(0, &grad, &mut masked, Masks::default()).unwrap();
    for (at, (from, to)) in
        grad.as_chunks::<4>().0.iter().zip(masked.as_chunks::<4>().0).enumerate()
    {
        assert_eq!(*to, if mask[at] == 1 { *from } else { [0; 4] }, "element {at}");
    }
    assert_eq!(forward.finish(), backward.finish());
}

#[test]
fn views_of_any_strides_get_what_their_elements_get_side_by_side() {
    let profile = Profile::builtin("trn1").unwrap();
    let mut dice = Dice(3);
    for element in [Element::F32, Element::BF16, Element::I8] {
        let size = element.size_bytes();
        for shape in [vec![3, 5, 7], vec![130, 9], vec![2, 9000], vec![1], vec![], vec![4, 0, 2]] {
            let elements: usize = shape.iter().product();
            let row_len = shape.last().copied().unwrap_or(1);
            let rows = elements.checked_div(row_len).unwrap_or(0);
            let job = Job {
                threshold_type: ThresholdType::DropRate,
                thresholds: vec![0.4],
                element,
                rows: rows as u64,
                row_len: row_len as u64,
                scale: false,
                backend: Backend::best(),
                threads: 1,
            };
            // Axes stored in reverse, the first of them backwards, every other
            // element unused.
            let mut strides = vec![0isize; shape.len()];
            let mut step = 2 * size as isize;
            for (stride, len) in strides.iter_mut().zip(&shape) {
                *stride = step;
                step *= (*len).max(1) as isize;
            }
            let mut offset_bytes = 0;
            if let (Some(stride), Some(len)) = (strides.first_mut(), shape.first()) {
                offset_bytes = (*len - 1) * *stride as usize;
                *stride = -*stride;
            }
            let view = View { offset_bytes, shape: shape.clone(), strides_bytes: strides.clone() };
            let src = dice.bytes(step as usize);
            // The elements in the order of their indices, found one by one.
            let places: Vec<usize> = (0..elements)
                .map(|mut index| {
                    let mut place = offset_bytes as isize;
                    for axis in (0..shape.len()).rev() {
                        place += (index % shape[axis]) as isize * strides[axis];
                        index /= shape[axis];
                    }
                    place as usize
                })
                .collect();
            let side_by_side: Vec<u8> =
                places.iter().flat_map(|&place| src[place..place + size].to_vec()).collect();
            let lanes = Lanes::seeded(&profile, 9, 8).unwrap();
            let mut wanted = vec![0; side_by_side.len()];
            let mut wanted_mask = vec![0; elements];
            let masks = Masks { bytes: Some(&mut wanted_mask), packed: None };
            let mut plain = Runner::new(job.clone(), lanes.clone()).unwrap();
            plain.apply(0, &side_by_side, &mut wanted, masks).unwrap();

            let flat =
                View { offset_bytes: 0, shape: vec![elements], strides_bytes: vec![size as isize] };
            let (mut found, mut mask) = (vec![7; wanted.len()], vec![7; elements]);
            let mut runner = Runner::new(job.clone(), lanes.clone()).unwrap();
            let masks = Masks { bytes: Some(&mut mask), packed: None };
            runner.apply_views((&src, &view), (&mut found, &flat), masks).unwrap();
            assert!(found == wanted && mask == wanted_mask, "{element:?} {shape:?}");
            let mut in_place = src.clone();
            let mut runner = Runner::new(job.clone(), lanes).unwrap();
            runner.apply_view_in_place(&mut in_place, &view, Masks::default()).unwrap();
            for (at, byte) in in_place.iter().enumerate() {
                let element = places.iter().position(|&place| (place..place + size).contains(&at));
                let wanted = element
                    .map_or(src[at], |element| wanted[element * size + at - places[element]]);
                if elements < 1000 {
                    assert_eq!(*byte, wanted, "byte {at} of {shape:?}");
                }
            }
            if elements > 1 {
                let outside = View { offset_bytes: view.offset_bytes + 1 + size, ..view };
                let error = runner.apply_view_in_place(&mut in_place, &outside, Masks::default());
                assert!(error.is_err(), "{shape:?}");
            }
        }
    }
}
