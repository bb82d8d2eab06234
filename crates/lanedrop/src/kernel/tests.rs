//! Every backend against draws taken one at a time.

use super::{
    Affine, Backend, Cut, Cuts, ElementBytes, Key, Recurrence, Scale, WORDS, XorwowRegisters,
    available, weave,
};

/// A register by its plain rule.
#[derive(Clone, Copy, Debug)]
enum Rule {
    FibonacciLeft { mask: u32, xnor: bool },
    FibonacciRight { mask: u32, xnor: bool },
    GaloisRight { mask: u32 },
    Xorshift,
    Dense,
}

const RULES: [Rule; 7] = [
    Rule::FibonacciLeft { mask: 0x8020_0003, xnor: true },
    Rule::FibonacciLeft { mask: 0x8020_0003, xnor: false },
    Rule::FibonacciLeft { mask: 0xdead_beef, xnor: true },
    Rule::FibonacciRight { mask: 0x8020_0003, xnor: true },
    Rule::GaloisRight { mask: 0x8000_0057 },
    Rule::Xorshift,
    Rule::Dense,
];

impl Rule {
    fn step(self, x: u32) -> u32 {
        let parity = |mask: u32, xnor: bool| ((x & mask).count_ones() & 1) ^ u32::from(xnor);
        match self {
            Self::FibonacciLeft { mask, xnor } => x << 1 | parity(mask, xnor),
            Self::FibonacciRight { mask, xnor } => x >> 1 | parity(mask, xnor) << 31,
            Self::GaloisRight { mask } => (x >> 1) ^ if x & 1 == 1 { mask } else { 0 },
            Self::Xorshift => {
                let x = x ^ x << 13;
                let x = x ^ x >> 17;
                x ^ x << 5
            }
            Self::Dense => (0..32).fold(0x1357_9bdf, |sum, bit| {
                let column = (bit as u32 + 1).wrapping_mul(0x9e37_79b9).rotate_left(bit as u32 / 2);
                if x >> bit & 1 == 1 { sum ^ column } else { sum }
            }),
        }
    }

    fn recurrence(self, draw_before: bool) -> Recurrence {
        let constant = self.step(0);
        let columns = std::array::from_fn(|bit| self.step(1 << bit) ^ constant);
        Recurrence { columns, constant, draw_before }
    }
}

const TOP23: Key = Key { low: 9, bits: 23, signed: false };
const LOW23: Key = Key { low: 0, bits: 23, signed: false };
const TRUNC24: Key = Key { low: 8, bits: 24, signed: false };
const WORD: Key = Key { low: 0, bits: 32, signed: false };
const SIGNED: Key = Key { low: 0, bits: 32, signed: true };

fn cuts(key: Key) -> Vec<Cut> {
    let whole = 1u64 << key.bits;
    let mut cuts = Vec::new();
    for at_least in
        [0, 1, whole / 10, whole / 2, whole / 1000 + 1, 0xaaaa_aaaa & (whole - 1), whole - 1, whole]
    {
        for below in [false, true] {
            cuts.push(Cut { at_least, below });
        }
    }
    cuts
}

/// Draws one at a time: `[register][word]`, bits after the last draw clear.
fn plain<R: Copy>(
    registers: &mut [R],
    draws: usize,
    cut: impl Fn(usize) -> Cut,
    key: Key,
    mut draw: impl FnMut(&mut R) -> u32,
) -> Vec<Vec<u64>> {
    let mut rows = Vec::new();
    for (lane, register) in registers.iter_mut().enumerate() {
        let mut row = vec![0u64; draws.div_ceil(64)];
        for at in 0..draws {
            let kept = cut(lane).keeps(key.of(draw(register)));
            row[at / 64] |= u64::from(kept) << (at % 64);
        }
        rows.push(row);
    }
    rows
}

fn clear_pads(keep: &mut [u64], draws: usize) {
    if !draws.is_multiple_of(64) {
        keep[draws / 64] &= (1 << (draws % 64)) - 1;
    }
}

fn seeds(lanes: usize) -> Vec<u32> {
    (0..lanes as u32)
        .map(|lane| lane << 24 | (lane.wrapping_mul(0x0001_0dcd) + 42) & 0xff_ffff)
        .collect()
}

fn check_affine(
    backend: &'static Backend,
    rule: Rule,
    before: bool,
    key: Key,
    lanes: usize,
    draws: usize,
) {
    let affine = Affine::new(backend, &rule.recurrence(before), key);
    let stride = draws.div_ceil(64).next_multiple_of(WORDS);
    let draw = |register: &mut u32| {
        let old = *register;
        *register = rule.step(old);
        if before { old } else { *register }
    };
    let all = cuts(key);
    let each: Vec<Cut> = (0..lanes).map(|lane| all[lane % all.len()]).collect();
    let mut choices: Vec<Cuts<'_>> = all.iter().map(|cut| Cuts::Same(*cut)).collect();
    choices.push(Cuts::Each(&each));
    for cuts in choices {
        let mut expected_registers = seeds(lanes);
        let expected = plain(&mut expected_registers, draws, |lane| cuts.of(lane), key, draw);
        let mut registers = seeds(lanes);
        let mut keep = vec![0x5555_5555_5555_5555; stride * lanes];
        affine.keep(cuts, &mut registers, draws, &mut keep, stride, &[1; 3000]);
        let context =
            format!("{} {rule:?} before={before} {key:?} {cuts:?} {lanes}x{draws}", backend.name());
        assert!(registers == expected_registers, "registers: {context}");
        for (lane, expected) in expected.iter().enumerate() {
            let row = &mut keep[lane * stride..][..expected.len()];
            clear_pads(row, draws);
            assert!(row == expected, "lane {lane}: {context}");
        }
    }
}

#[test]
fn every_backend_keeps_what_draws_one_at_a_time_keep() {
    for backend in available() {
        for rule in RULES {
            for key in [TOP23, LOW23, TRUNC24, WORD, SIGNED] {
                for before in [false, true] {
                    for (lanes, draws) in [(1, 1), (9, 600), (8, 1024), (3, 64)] {
                        check_affine(backend, rule, before, key, lanes, draws);
                    }
                }
            }
        }
    }
}

#[test]
fn every_row_length_keeps_the_same() {
    for backend in available() {
        for rule in [RULES[0], Rule::Xorshift] {
            for draws in [0, 1, 31, 32, 63, 64, 65, 511, 512, 513, 1023, 1025, 2047, 2100] {
                check_affine(backend, rule, false, TOP23, 5, draws);
            }
        }
    }
}

#[test]
fn xorwow_registers_keep_what_draws_one_at_a_time_keep() {
    for backend in available() {
        for before in [false, true] {
            for key in [TOP23, LOW23, SIGNED] {
                for (lanes, draws) in
                    [(1usize, 1usize), (16, 64), (17, 100), (5, 33), (40, 32), (3, 0)]
                {
                    let steps = if key == LOW23 { 3 } else { 1 };
                    let registers = XorwowRegisters::new(backend, key, steps, before);
                    let start: Vec<[u32; 6]> = (0..lanes as u32)
                        .map(|lane| {
                            std::array::from_fn(|word| {
                                (lane * 6 + word as u32 + 1).wrapping_mul(0x9e37_79b9)
                            })
                        })
                        .collect();
                    let draw = |r: &mut [u32; 6]| {
                        let old = r[4].wrapping_add(r[5]);
                        for _ in 0..steps {
                            let t = r[0] ^ r[0] >> 2;
                            let v = r[4] ^ r[4] << 4 ^ t ^ t << 1;
                            *r = [r[1], r[2], r[3], r[4], v, r[5].wrapping_add(362_437)];
                        }
                        if before { old } else { r[4].wrapping_add(r[5]) }
                    };
                    let all = cuts(key);
                    let each: Vec<Cut> = (0..lanes).map(|lane| all[lane % all.len()]).collect();
                    let stride = draws.div_ceil(64).next_multiple_of(WORDS);
                    for cuts in [Cuts::Same(all[4]), Cuts::Same(all[15]), Cuts::Each(&each)] {
                        let mut expected_registers = start.clone();
                        let expected =
                            plain(&mut expected_registers, draws, |lane| cuts.of(lane), key, draw);
                        let mut now = start.clone();
                        let mut keep = vec![7; stride * lanes];
                        registers.keep(cuts, &mut now, draws, &mut keep, stride);
                        assert_eq!(now, expected_registers);
                        for (lane, expected) in expected.iter().enumerate() {
                            let row = &mut keep[lane * stride..][..expected.len()];
                            clear_pads(row, draws);
                            assert!(
                                row == expected,
                                "{} {key:?} {cuts:?} lane {lane} of {lanes}x{draws}",
                                backend.name()
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn masks_select_bits_and_never_compute() {
    let mut state = 1u32;
    let mut next = move || {
        state = Rule::Xorshift.step(state);
        state
    };
    for backend in available() {
        for size in [ElementBytes::One, ElementBytes::Two, ElementBytes::Four] {
            for elements in [0, 1, 7, 15, 16, 17, 63, 64, 65, 255, 256, 1000, 4096 + 33, 20_000] {
                for skew in [0, 1, 4, 60] {
                    let bytes = elements * size.count();
                    let from: Vec<u8> = (0..bytes + skew).map(|_| next() as u8).collect();
                    let keep: Vec<u64> = (0..elements.div_ceil(64))
                        .map(|_| u64::from(next()) << 32 | u64::from(next()))
                        .collect();
                    let kept = |element: usize| keep[element / 64] >> (element % 64) & 1 == 1;
                    let expected: Vec<u8> = from[skew..]
                        .iter()
                        .enumerate()
                        .map(|(at, byte)| if kept(at / size.count()) { *byte } else { 0 })
                        .collect();
                    for beyond_cache in [false, true] {
                        let mut to = vec![0xee; bytes + skew + 1];
                        let out = &mut to[skew..skew + bytes];
                        backend.streaming(|streaming| {
                            let streaming = beyond_cache.then_some(streaming);
                            backend.apply(size, &from[skew..], &keep, out, streaming);
                        });
                        assert!(
                            to[skew..skew + bytes] == expected,
                            "{} {size:?} {elements} at {skew}",
                            backend.name()
                        );
                        assert!(
                            to[..skew].iter().all(|byte| *byte == 0xee) && to[skew + bytes] == 0xee
                        );
                    }
                    let mut data = from.clone();
                    backend.apply_in_place(size, &mut data[skew..], &keep);
                    assert!(data[skew..] == expected && data[..skew] == from[..skew]);
                    let mut mask = vec![9; elements + skew];
                    backend.bytes(&keep, &mut mask[skew..]);
                    assert!(
                        mask[skew..]
                            .iter()
                            .enumerate()
                            .all(|(at, byte)| *byte == u8::from(kept(at)))
                    );
                }
            }
        }
    }
}

#[test]
fn four_registers_take_turns() {
    let streams: [[u64; 2]; 4] = [[1, 2], [u64::MAX, 0], [0x0f0f, 1 << 63], [3, 9]];
    let mut lane = [0u64; 7];
    weave(std::array::from_fn(|stream| &streams[stream][..]), &mut lane);
    for element in 0..64 * 7 {
        let draw = element / 4;
        let bit = streams[element % 4][draw / 64] >> (draw % 64) & 1;
        assert_eq!(lane[element / 64] >> (element % 64) & 1, bit);
    }
}

#[test]
fn every_backend_scales_every_half_as_the_plain_product() {
    let bits: Vec<u16> = (0..=u16::MAX).collect();
    let data: Vec<u8> = bits.iter().flat_map(|bits| bits.to_le_bytes()).collect();
    let singles: Vec<u32> = (0..200_000u32).map(|at| at.wrapping_mul(0x9e37_79b9)).collect();
    let single_data: Vec<u8> = singles.iter().flat_map(|bits| bits.to_le_bytes()).collect();
    let table: [u8; 256] = std::array::from_fn(|at| (at as u8).wrapping_mul(37).wrapping_add(11));
    for backend in available() {
        for factor in [1.111_111_2f32, 2.0, 1.0, 1.0e6, 16_777_216.0] {
            let mut halves = data.clone();
            backend.scale(Scale::Half(factor), &mut halves);
            let mut brains = data.clone();
            backend.scale(Scale::Brain(factor), &mut brains);
            for (at, &bits) in bits.iter().enumerate() {
                let of = |data: &[u8]| u16::from_le_bytes([data[2 * at], data[2 * at + 1]]);
                let value = half::f16::from_bits(bits);
                let wanted = half::f16::from_f32(value.to_f32() * factor).to_bits();
                let wanted = if value.is_nan() { bits | 0x0200 } else { wanted };
                assert_eq!(of(&halves), wanted, "f16 {bits:#06x} {}", backend.name());
                let value = half::bf16::from_bits(bits);
                let wanted = half::bf16::from_f32(value.to_f32() * factor).to_bits();
                let wanted = if value.is_nan() { bits | 0x0040 } else { wanted };
                assert_eq!(of(&brains), wanted, "bf16 {bits:#06x} {}", backend.name());
            }
            let mut products = single_data.clone();
            backend.scale(Scale::Single(factor), &mut products);
            for (product, &bits) in products.as_chunks::<4>().0.iter().zip(&singles) {
                let value = f32::from_bits(bits);
                let wanted =
                    if value.is_nan() { bits | 0x0040_0000 } else { (value * factor).to_bits() };
                assert_eq!(u32::from_le_bytes(*product), wanted, "f32 {bits:#010x}");
            }
        }
        let mut bytes = data[..1000].to_vec();
        backend.scale(Scale::Table(&table), &mut bytes);
        assert!(bytes.iter().zip(&data).all(|(to, from)| *to == table[usize::from(*from)]));
    }
}
