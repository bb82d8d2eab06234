//! Programs on the device model, against a plain model of this file.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::HashMap;

use lanedrop::asm;
use lanedrop::device::Device;
use lanedrop::exec::program::{
    Cause, DropoutElement, NotExecuted, Options, Silent, Stop, Stream, Summary, Trace, run,
};
use lanedrop::isa::{Engine, Generation, Place, Space, Word};
use lanedrop::rng::{Fp8Exp4, Lanes, Profile};
use proptest::prelude::*;

fn device(generation: Generation) -> Device<'static> {
    Device::new(generation, &Profile::builtin("trn1").unwrap()).unwrap()
}

fn four_registers() -> Profile {
    let mut profile = Profile::builtin("trn1").unwrap();
    profile.name = "trn1-four".into();
    profile.registers_per_lane = 4;
    profile
}

fn words(text: &str, generation: Generation) -> Vec<Word> {
    match asm::assemble(text, generation) {
        Ok(words) => words,
        Err(error) => panic!("{}", error.with_source(text)),
    }
}

fn sbuf(partition: u32, offset_bytes: u32) -> Place {
    Place { space: Space::Sbuf, partition, offset_bytes }
}

fn read(device: &Device<'_>, place: Place, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    device.memory.read(place, &mut bytes).unwrap();
    bytes
}

fn run_text(device: &mut Device<'_>, text: &str) -> Result<Summary, Stop> {
    run(device, &words(text, device.generation()), &Options::default(), &mut Silent)
}

/// One step of the default register, written out.
fn step(x: u32) -> u32 {
    let bit = (x >> 31) ^ (x >> 21) ^ (x >> 1) ^ x;
    x << 1 | (!bit & 1)
}

/// Whether a draw drops its element at drop rate `t`, in exact arithmetic.
fn drops(draw: u32, t: f32) -> bool {
    f64::from(draw >> 9) / 8_388_608.0 < f64::from(t)
}

/// A pattern of the plain model.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    partition: u32,
    offset: i64,
    steps: [i16; 3],
    counts: [u16; 3],
}

impl Pattern {
    fn offsets(&self, size: i64) -> Vec<i64> {
        let [s0, s1, s2] = self.steps.map(i64::from);
        let mut offsets = Vec::new();
        for i2 in 0..i64::from(self.counts[2]) {
            for i1 in 0..i64::from(self.counts[1]) {
                for i0 in 0..i64::from(self.counts[0]) {
                    offsets.push(self.offset + size * (i0 * s0 + i1 * s1 + i2 * s2));
                }
            }
        }
        offsets
    }

    fn text(&self, register: u8) -> String {
        let [n0, n1, n2] = self.counts;
        let [s0, s1, s2] = self.steps;
        format!("reg[{register}]({n0}@{s0}, {n1}@{s1}, {n2}@{s2})")
    }
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let counts =
        prop::sample::select(vec![[24u16, 1, 1], [4, 6, 1], [2, 3, 4], [3, 8, 1], [1, 1, 24]]);
    (0u32..4, 80i64..110, prop::array::uniform3(-3i16..4), counts).prop_map(
        |(partition, offset, steps, counts)| Pattern {
            partition,
            offset: offset * 4,
            steps,
            counts,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_two_patterns_run_in_element_order_read_before_write(
        src in pattern(),
        dst in pattern(),
        channels in 1u8..5,
        dtype in prop::sample::select(vec![("uint8", 1i64), ("fp16", 2), ("fp32", 4)]),
        rate in prop::sample::select(vec![0.0f32, 0.3, 0.5, 1.0]),
        seed in any::<u32>(),
    ) {
        let (name, size) = dtype;
        let generation = Generation::V3;
        let mut device = device(generation);
        // The plain model's memory and lanes.
        let mut memory = HashMap::new();
        for partition in 0..10u32 {
            let bytes: Vec<u8> = (0..800u32).map(|i| (i * 7 + partition * 31 + 1) as u8).collect();
            device.memory.write(sbuf(partition, 0), &bytes).unwrap();
            memory.extend((0..800i64).map(|at| ((partition, at), bytes[at as usize])));
        }
        let mut lanes: Vec<u32> = (0..128).map(|lane| lane << 24 | seed & 0xff_ffff).collect();
        // Addresses by register, so that any partition may be where it starts.
        for (number, pattern) in [(1, &src), (2, &dst)] {
            let address = (pattern.partition << 18) + pattern.offset as u32;
            device.registers.write(number, address).unwrap();
        }
        let text = format!(
            "pseudo_set_rng_seed seed={seed}
             dropout dtype={name} channels={channels} drop={rate:?} src={} dst={}",
            src.text(1),
            dst.text(2),
        );
        let summary = run_text(&mut device, &text).unwrap();

        let mut kept = 0;
        for (from, to) in src.offsets(size).into_iter().zip(dst.offsets(size)) {
            let elements: Vec<Vec<u8>> = (0..u32::from(channels))
                .map(|c| {
                    let lane = &mut lanes[(src.partition + c) as usize];
                    *lane = step(*lane);
                    let dropped = drops(*lane, rate);
                    kept += u64::from(!dropped);
                    let byte = |i| memory[&(src.partition + c, from + i)];
                    (0..size).map(|i| if dropped { 0 } else { byte(i) }).collect()
                })
                .collect();
            for (c, element) in (0..).zip(elements) {
                memory.extend((0..).zip(element).map(|(i, byte)| ((dst.partition + c, to + i), byte)));
            }
        }
        prop_assert_eq!(summary.kept, kept);
        prop_assert_eq!(device.lanes().words(), lanes);
        for partition in 0..10 {
            let expected: Vec<u8> = (0..800).map(|at| memory[&(partition, at)]).collect();
            prop_assert_eq!(read(&device, sbuf(partition, 0), 800), expected);
        }
    }
}

const SEED_DRAW_DROP_SCALE: &str = "
    pseudo_set_rng_seed seed=42
    rng dtype=uint32 channels=128 dst=sbuf[p0](4)
    memset dtype=fp32 channels=128 fill_value=0x40400000 dst=sbuf[p0+0x100](64)
    dropout dtype=fp32 channels=128 drop=0.5 src=sbuf[p0+0x100](64) dst=sbuf[p0+0x200](64)
    tensor_scalar_arith_op dtype=fp32 channels=128 op0=mult imm0=2.0
        src=sbuf[p0+0x200](64) dst=sbuf[p0+0x200](64)";

/// Asks memory and lanes for what the program above leaves there.
fn check_seed_draw_drop_scale(device: &Device<'_>) {
    for lane in [0u32, 1, 77, 127] {
        let mut state = lane << 24 | 42;
        let mut draw = || {
            state = step(state);
            state
        };
        let drawn: Vec<u8> = (0..4).flat_map(|_| draw().to_le_bytes()).collect();
        assert_eq!(read(device, sbuf(lane, 0), 16), drawn);
        let scaled: Vec<u8> = (0..64)
            .flat_map(|_| if drops(draw(), 0.5) { 0.0f32 } else { 6.0 }.to_le_bytes())
            .collect();
        assert_eq!(read(device, sbuf(lane, 0x200), 256), scaled);
        assert_eq!(device.lanes().registers(lane as usize), [state]);
    }
}

#[test]
fn a_program_seeds_draws_drops_and_scales_on_every_generation() {
    for generation in Generation::ALL {
        let from_text = words(SEED_DRAW_DROP_SCALE, generation);
        let bin: Vec<u8> = from_text.iter().flat_map(|word| word.0).collect();
        let from_bin: Vec<Word> = lanedrop::isa::words(&bin).unwrap().collect();
        for program in [from_text, from_bin] {
            let mut device = device(generation);
            let summary = run(&mut device, &program, &Options::default(), &mut Silent).unwrap();
            assert_eq!(summary.executed, 5);
            assert_eq!(summary.kept + summary.dropped, 64 * 128);
            assert_eq!(summary.steps, (4 + 3 * 64) * 128);
            check_seed_draw_drop_scale(&device);
        }
    }
}

#[test]
fn on_v4_a_state_that_is_read_and_set_continues_the_stream() {
    let draw = "rng dtype=uint32 channels=128 dst=sbuf[p0+0x400](10)";
    for generation in [Generation::V4, Generation::V5] {
        let start: Vec<u32> = (0..512u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        let lanes = Lanes::from_words(&four_registers(), &start, 128).unwrap();
        let mut device = Device::new(generation, &four_registers()).unwrap();
        device.set_lanes(lanes.clone()).unwrap();
        let program = format!(
            "rng dtype=uint32 channels=128 dst=sbuf[p0](7)
             rand_get_state algorithm=lfsr rand_generator=rng_lfsr dtype=uint32 channels=128
                 dst=sbuf[p0+0x100](4)
             {draw}"
        );
        run_text(&mut device, &program).unwrap();
        let continued = read(&device, sbuf(99, 0x400), 40);
        // Seven elements in, register 3 serves next: by hand from lane 99.
        let mut registers: Vec<u32> = start[4 * 99..4 * 99 + 4].to_vec();
        let drawn: Vec<u32> = (0..17)
            .map(|k: usize| {
                registers[k % 4] = step(registers[k % 4]);
                registers[k % 4]
            })
            .collect();
        let bytes = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>();
        assert_eq!(read(&device, sbuf(99, 0), 28), bytes(&drawn[..7]));
        assert_eq!(continued, bytes(&drawn[7..]));

        let saved = (0..128).map(|lane| read(&device, sbuf(lane, 0x100), 16));
        let mut other = Device::new(generation, &four_registers()).unwrap();
        for (lane, state) in (0..).zip(saved) {
            other.memory.write(sbuf(lane, 0x40), &state).unwrap();
        }
        let program = format!(
            "rand_set_state algorithm=lfsr rand_generator=rng_lfsr in_dtype=uint32 channels=128
                 src=sbuf[p0+0x40](4)
             {draw}"
        );
        run_text(&mut other, &program).unwrap();
        assert_eq!(read(&other, sbuf(99, 0x400), 40), continued);
    }
}

#[test]
fn xorwow_state_has_24_words_and_rand2_draws_from_it() {
    let words_of = |seed: u32| -> Vec<u32> { (0..24).map(|i| seed * 100 + i).collect() };
    let mut device = Device::new(Generation::V4, &Profile::builtin("trn1").unwrap()).unwrap();
    for lane in 0..128u32 {
        let state: Vec<u8> = words_of(lane + 1).iter().flat_map(|w| w.to_le_bytes()).collect();
        device.memory.write(sbuf(lane, 0), &state).unwrap();
    }
    run_text(
        &mut device,
        "rand_set_state algorithm=xorwow rand_generator=rng_xorwow in_dtype=uint32 channels=128
             src=sbuf[p0](24)
         rand2 min=-1.0 max=3.0 dtype=fp32 channels=128 dst=sbuf[p0+0x100](5)
         rand_get_state algorithm=xorwow rand_generator=rng_xorwow dtype=uint32 channels=128
             dst=sbuf[p0+0x200](24)",
    )
    .unwrap();
    // By hand for lane 2: register 0, 1, 2, 3, 0.
    let mut registers: Vec<Vec<u32>> = words_of(3).chunks(6).map(<[u32]>::to_vec).collect();
    let mut values = Vec::new();
    for k in 0..5 {
        let s = &mut registers[k % 4];
        let t = s[0] ^ s[0] >> 2;
        let v = s[4] ^ s[4] << 4 ^ t ^ t << 1;
        *s = vec![s[1], s[2], s[3], s[4], v, s[5].wrapping_add(362_437)];
        let draw = v.wrapping_add(s[5]);
        let u = f64::from(draw & 0x7f_ffff) / 8_388_608.0;
        values.push((-1.0 + 4.0 * u) as f32);
    }
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(read(&device, sbuf(2, 0x100), 20), bytes);
    let next = [&registers[1], &registers[2], &registers[3], &registers[0]];
    let state: Vec<u8> = next.into_iter().flatten().flat_map(|w| w.to_le_bytes()).collect();
    assert_eq!(read(&device, sbuf(2, 0x200), 96), state);
    // Dropout's own lanes are another state.
    assert_eq!(device.lanes().registers(2), [2 << 24]);
}

#[test]
fn thresholds_by_pointer_and_register_are_one_a_partition_in_their_own_type() {
    for (dtype, code, rates) in [
        ("fp32", "fp32", [0x0000_0000u32, 0x3f00_0000, 0x3f80_0000]),
        ("bfloat16", "bfloat16", [0, 0x3f00, 0x3f80]),
        ("fp16", "fp16", [0, 0x3800, 0x3c00]),
        ("fp16", "fp8_exp3", [0, 0x20, 0x30]),
        ("fp16", "fp8_exp4", [0, 0x30, 0x38]),
        ("fp16", "fp8_exp5", [0, 0x38, 0x3c]),
    ] {
        for by_register in [false, true] {
            let mut device = device(Generation::V3);
            for lane in 0..3 {
                let rate = rates[lane as usize].to_le_bytes();
                device.memory.write(sbuf(lane, 0x80), &rate).unwrap();
            }
            device.registers.write(9, 0x80).unwrap();
            let source = if by_register { "*reg[9]" } else { "*sbuf[p0+0x80]" };
            let text = format!(
                "memset dtype={dtype} channels=3 fill_value=1 dst=sbuf[p0+0x100](100)
                 dropout dtype={dtype} channels=3 drop={source} threshold_dtype={code}
                     src=sbuf[p0+0x100](100) dst=sbuf[p0+0x400](100)"
            );
            run_text(&mut device, &text).unwrap();
            let size = if dtype == "fp32" { 4 } else { 2 };
            for (lane, rate) in [0.0f32, 0.5, 1.0].into_iter().enumerate() {
                let mut state = (lane as u32) << 24;
                let got = read(&device, sbuf(lane as u32, 0x400), 100 * size);
                for element in got.chunks(size) {
                    state = step(state);
                    let kept = u8::from(!drops(state, rate));
                    assert_eq!(element[0], kept, "{code} lane {lane}");
                }
            }
        }
    }
}

#[test]
fn fp8_exp4_is_read_with_or_without_infinities() {
    // 0x7f is a NaN either way; 0x78 is infinity or 256: a rate above 1 both
    // times, but a negative one is not: -256 keeps what -infinity keeps. What
    // differs is 0x79: a NaN that keeps all, or 288, which drops all.
    use Fp8Exp4::{Fn, Ieee};
    for (profile, option, kept) in
        [(Ieee, None, 10), (Fn, None, 0), (Ieee, Some(Fn), 0), (Fn, Some(Ieee), 10)]
    {
        let profile = Profile { fp8_exp4: profile, ..Profile::builtin("trn1").unwrap() };
        let mut device = Device::new(Generation::V4, &profile).unwrap();
        device.memory.write(sbuf(0, 0x80), &[0x79]).unwrap();
        let program = words(
            "dropout dtype=fp16 channels=1 drop=*sbuf[p0+0x80] threshold_dtype=fp8_exp4
                 src=sbuf[p0](10) dst=sbuf[p0+0x100](10)",
            Generation::V4,
        );
        let options = Options { fp8_exp4: option, ..Options::default() };
        let summary = run(&mut device, &program, &options, &mut Silent).unwrap();
        assert_eq!(summary.kept, kept);
        assert_eq!(summary.assumptions[0].id, "fp8-exp4-reading");
    }
}

#[test]
fn every_arithmetic_operator_does_what_its_name_says() {
    let x = [1.5f32, -2.0, 0.0, 4.0];
    let by: [(&str, [f32; 4]); 21] = [
        ("add", [3.0, -0.5, 1.5, 5.5]),
        ("subtract", [0.0, -3.5, -1.5, 2.5]),
        ("mult", [2.25, -3.0, 0.0, 6.0]),
        ("max", [1.5, 1.5, 1.5, 4.0]),
        ("min", [1.5, -2.0, 0.0, 1.5]),
        ("logical_and", [1.0, 1.0, 0.0, 1.0]),
        ("logical_or", [1.0, 1.0, 1.0, 1.0]),
        ("logical_xor", [0.0, 0.0, 1.0, 0.0]),
        ("is_equal", [1.0, 0.0, 0.0, 0.0]),
        ("not_equal", [0.0, 1.0, 1.0, 1.0]),
        ("is_gt", [0.0, 0.0, 0.0, 1.0]),
        ("is_ge", [1.0, 0.0, 0.0, 1.0]),
        ("is_le", [1.0, 1.0, 1.0, 0.0]),
        ("is_lt", [0.0, 1.0, 1.0, 0.0]),
        ("absolute_diff", [0.0, 3.5, 1.5, 2.5]),
        ("absolute_value", [1.5, 2.0, 0.0, 4.0]),
        ("abs_max", [1.5, 2.0, 1.5, 4.0]),
        ("abs_min", [1.5, 1.5, 0.0, 1.5]),
        ("relu", [1.5, 0.0, 0.0, 4.0]),
        ("square", [2.25, 4.0, 0.0, 16.0]),
        ("bypass", x),
    ];
    for (op, expected) in by {
        let mut device = device(Generation::V4);
        let bytes: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
        device.memory.write(sbuf(0, 0), &bytes).unwrap();
        let text = format!(
            "tensor_scalar_arith_op dtype=fp32 channels=1 op0={op} imm0=1.5
                 src=sbuf[p0](4) dst=sbuf[p0+0x40](4)"
        );
        run_text(&mut device, &text).unwrap();
        let bytes: Vec<u8> = expected.iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(read(&device, sbuf(0, 0x40), 16), bytes, "{op}");
    }
}

#[test]
fn operands_swap_and_types_convert() {
    let mut device = device(Generation::V3);
    device.memory.write(sbuf(0, 0), &[5, 250]).unwrap();
    run_text(
        &mut device,
        "tensor_scalar_arith_op in_dtype=int8 out_dtype=bfloat16 channels=1 op0=subtract imm0=1.0
             op1=subtract imm1=0.5 reverse_operands=both src=sbuf[p0](2) dst=sbuf[p0+0x40](2)",
    )
    .unwrap();
    // 0.5 - (1 - 5) and 0.5 - (1 - -6)
    assert_eq!(read(&device, sbuf(0, 0x40), 4), [0x90, 0x40, 0xd0, 0xc0]);
}

#[test]
fn a_stream_with_events_runs_and_a_wait_for_ever_is_a_deadlock() {
    let mut device = device(Generation::V3);
    let text = "
        nop update=sem[3]+=5@complete
        nop wait=sem[3]>=5 update=event[7]=1@read
        nop wait=event[7],clear update=sem[3]--@complete
        nop wait=!event[7]";
    assert_eq!(run_text(&mut device, text).unwrap().executed, 4);
    assert_eq!((device.sync.semaphore(3), device.sync.event(7)), (4, false));

    let program = words(
        "nop
         nop wait=sem[4]>=2 update=sem[4]++@complete
         nop update=sem[4]+=9@complete",
        Generation::V3,
    );
    let pool = words(
        "nop\nnop\nmemset dtype=fp32 channels=1 dst=sbuf[p0](1) update=sem[4]++@complete",
        Generation::V3,
    );
    let others = [Stream { name: "POOL", words: &pool }];
    let options = Options { others: &others, ..Options::default() };
    let stop = run(&mut device, &program, &options, &mut Silent).unwrap_err();
    assert_eq!(
        stop.to_string(),
        "0x40 NOP: deadlock: it waits for semaphore 4 >= 2, which is 0; who would signal it: \
         POOL at 0x80 MEMSET, this stream at 0x40 NOP, this stream at 0x80 NOP"
    );
    assert_eq!(stop.summary.executed, 1);
    let lenient = Options { satisfy_waits: true, ..options };
    let summary = run(&mut device, &program, &lenient, &mut Silent).unwrap();
    assert_eq!((summary.executed, summary.waits_passed), (3, 1));
}

#[test]
fn what_cannot_be_executed_stops_with_name_and_place() {
    let stop = |generation, text: &str| run_text(&mut device(generation), text).unwrap_err();
    let message = |text: &str| stop(Generation::V3, text).to_string();
    assert_eq!(
        message(
            "nop
             activate in_bias_dtypes=0xaa out_dtype=fp32 channels=1 activation_func=1
                 src=sbuf[p0](1) dst=sbuf[p0](1)"
        ),
        "0x40 ACTIVATE: it is not executed: what it does is not modelled"
    );
    assert_eq!(
        message(
            "rand algorithm=philox num_steps=1 rand_generator=rng_philox dtype=fp32 channels=1 dst=sbuf[p0](1)"
        ),
        "0x0 RAND: it is not executed: it is marked as unmaintained, no engine wires it"
    );
    assert_eq!(message("matmul"), "0x0 MATMUL: it is not executed: what it does is not modelled");
    assert_eq!(
        message("memset dtype=fp32 channels=0 dst=sbuf[p0](1)"),
        "0x0 MEMSET: it breaks has_valid_active_channel_range on v3: num_active_channels (byte 34) \
         is 00, expected 1 to 128"
    );
    assert_eq!(
        message("memset dtype=fp32 channels=1 dst=sbuf[p0+0x100](4@-100, 2@9)"),
        "0x0 MEMSET: dst leaves its partition: from sbuf[p0+0x100] on, element 1 (index 1, 0, 0, \
         0) would be at byte -144, and bytes 0 to 229376 exist"
    );
    let cause = |generation, text: &str| stop(generation, text).cause;
    let set = "rand_set_state algorithm=xorwow rand_generator=rng_xorwow in_dtype=uint32 channels=1
               src=sbuf[p0](6)";
    // Six words are POOL's.
    assert!(matches!(
        cause(Generation::V4, set),
        Cause::WrongEngine { engine: Engine::Dve, words: 6, .. }
    ));
    assert_eq!(
        cause(Generation::V3, set).to_string(),
        "the DVE of v3 keeps no RNG_XORWOW state of XORWOW in 6 words; before v4 the model alone \
         reads and sets its lanes, not a record"
    );
    let get = "rand_get_state algorithm=lfsr rand_generator=rng_lfsr dtype=uint32 channels=1
               dst=sbuf[p0](4)";
    assert_eq!(
        cause(Generation::V4, get).to_string(),
        "it moves LFSR state of 4 words a lane, and profile trn1 has a one-word recurrence of 1"
    );
    let rng = "rng dtype=fp32 channels=1 dst=sbuf[p0](4)";
    assert!(matches!(
        cause(Generation::V3, rng),
        Cause::NotExecuted { why: NotExecuted::RngFloat }
    ));
    let mut shape = words(
        "dropout dtype=fp32 channels=1 drop=0.5 src=sbuf[p0](1) dst=sbuf[p0](1)",
        Generation::V3,
    );
    shape[0].0[51] |= 0x40;
    let stop =
        run(&mut device(Generation::V3), &shape, &Options::default(), &mut Silent).unwrap_err();
    assert!(matches!(stop.cause, Cause::ShapeRegister { operand: "dst" }), "{stop}");
}

#[test]
fn a_seed_of_64_bits_or_for_another_engine_is_an_error() {
    let mut program = words("pseudo_set_rng_seed seed=42", Generation::V3);
    let options = Options { engine: Engine::Pool, ..Options::default() };
    let stop = run(&mut device(Generation::V3), &program, &options, &mut Silent).unwrap_err();
    assert_eq!(
        stop.to_string(),
        "0x0 PSEUDO_SET_RNG_SEED: it is not executed: it seeds the lanes of the DVE, and this \
         stream is for the POOL"
    );
    program[0].0[20] = 1;
    let stop =
        run(&mut device(Generation::V3), &program, &Options::default(), &mut Silent).unwrap_err();
    assert!(stop.to_string().contains("set_rng_seed_reserved_zero"), "{stop}");
}

#[test]
fn a_budget_stops_the_record_that_would_exceed_it() {
    let mut device = device(Generation::V3);
    let program = words(
        "memset dtype=uint8 channels=2 fill_value=1 dst=sbuf[p0](50)
         memset dtype=uint8 channels=2 fill_value=2 dst=sbuf[p0](65535@0, 65535@0, 65535@0, 9@0)",
        Generation::V3,
    );
    let options = Options { budget: 1000, ..Options::default() };
    let stop = run(&mut device, &program, &options, &mut Silent).unwrap_err();
    assert_eq!(stop.offset_bytes, 64);
    assert!(matches!(stop.cause, Cause::Budget { left: 900, .. }), "{stop}");
    assert_eq!(read(&device, sbuf(1, 49), 1), [1]);
}

#[test]
fn records_for_the_runtime_are_passed_over_and_halt_ends() {
    let mut device = device(Generation::V3);
    let summary =
        run_text(&mut device, "pseudo_function_begin\ncompare_branch\nnop\nhalt\nmatmul").unwrap();
    assert_eq!((summary.executed, summary.passed_over, summary.halted), (2, 2, true));
    let ids: Vec<_> = summary.assumptions.iter().map(|assumption| assumption.id).collect();
    assert_eq!(ids, ["runtime-records-passed-over", "control-by-name"]);
}

#[test]
fn a_trace_is_told_elements_as_they_are_decided() {
    #[derive(Default)]
    struct Told(Vec<DropoutElement>, Vec<u64>);
    impl Trace for Told {
        fn wants_elements(&self) -> (u64, u8) {
            (3, 2)
        }
        fn element(&mut self, element: &DropoutElement) {
            self.0.push(*element);
        }
        fn record(&mut self, step: &lanedrop::exec::program::Step<'_>) {
            self.1.push(step.offset_bytes);
        }
    }
    let program = words(
        "pseudo_set_rng_seed seed=7
         dropout dtype=fp32 channels=5 drop=0.25 src=sbuf[p32](8) dst=sbuf[p32+0x40](8)",
        Generation::V3,
    );
    let (mut told, mut device) = (Told::default(), device(Generation::V3));
    run(&mut device, &program, &Options::default(), &mut told).unwrap();
    assert_eq!(told.1, [0, 64]);
    let places: Vec<_> = told.0.iter().map(|e| (e.channel, e.lane, e.element)).collect();
    assert_eq!(places, [(0, 32, 0), (0, 32, 1), (0, 32, 2), (1, 33, 0), (1, 33, 1), (1, 33, 2)]);
    let first = step(32 << 24 | 7);
    assert_eq!(told.0[0].draw, first);
    assert_eq!(told.0[0].uniform, (first >> 9) as f32 / 8_388_608.0);
    assert_eq!(told.0[0].kept, !drops(first, 0.25));
}
