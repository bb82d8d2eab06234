//! What holds for every program on the device model.

use lanedrop::device::Device;
use lanedrop::exec::Backend;
use lanedrop::exec::program::{Cause, Options, Silent, Stop, Summary, run};
use lanedrop::isa::layout::{self, LAYOUTS};
use lanedrop::isa::{Generation, Kind, Place, Space, Word};
use lanedrop::rng::{Fp8Exp4, Profile};

/// Element steps that a program may take here.
const BUDGET: u64 = 1 << 16;
/// Records of a program, at most.
const RECORDS: usize = 24;

/// Any program on any memory runs to its end or stops with a reason, within its
/// budget; the golden model and the fastest backend do the same.
pub(crate) fn check(data: &[u8]) {
    let Some((head, data)) = data.split_first_chunk::<8>() else { return };
    let generation = Generation::ALL[usize::from(head[0] % 4)];
    let names = ["trn1", "trn3", "xorshift", "tenstorrent"];
    let mut profile =
        Profile::builtin(names[usize::from(head[1] % 4)]).expect("a built-in profile");
    if head[2] & 1 == 1 {
        profile.registers_per_lane = 4;
    }
    let half = data.len().min(RECORDS * 64);
    let (program, memory) = data.split_at(half);
    let words: Vec<Word> = program
        .as_chunks()
        .0
        .iter()
        .map(|bytes| if head[3] & 7 == 0 { Word(*bytes) } else { repaired(*bytes, generation) })
        .collect();

    let outcome = |backend: Backend| {
        let mut device = Device::new(generation, &profile).expect("a profile of a device");
        for (partition, bytes) in (0..).zip(memory.chunks(2048).take(8)) {
            let place = Place { space: Space::Sbuf, partition, offset_bytes: 0 };
            device.memory.write(place, bytes).expect("a partition has 2048 bytes");
        }
        for register in 0..64u32 {
            let value = u32::from(head[4 + register as usize % 4]) << 9 | register << 2;
            device.registers.write(register, value).expect("a register");
        }
        let options = Options {
            budget: BUDGET,
            satisfy_waits: head[2] & 2 != 0,
            fp8_exp4: (head[2] & 4 != 0).then_some(Fp8Exp4::Fn),
            backend,
            ..Options::default()
        };
        let result = run(&mut device, &words, &options, &mut Silent);
        check_result(&result, words.len());
        let mut bytes = Vec::new();
        for partition in 0..128 {
            let mut row = [0; 4096];
            let place = Place { space: Space::Sbuf, partition, offset_bytes: 0 };
            device.memory.read(place, &mut row).expect("a partition has 4096 bytes");
            bytes.extend_from_slice(&row);
        }
        let state = (device.lanes().to_words(), device.xorwow().map(|lanes| lanes.to_words()));
        (result.map_err(|stop| stop.to_string()), bytes, state)
    };
    let golden = outcome(Backend::REFERENCE);
    let best = outcome(Backend::best());
    assert_eq!(golden.0, best.0);
    assert!(golden.1 == best.1, "memories differ");
    assert!(golden.2 == best.2, "lane states differ");
}

/// A program ends within its budget, and a stop says where and why.
fn check_result(result: &Result<Summary, Stop>, records: usize) {
    let summary = match result {
        Ok(summary) => summary,
        Err(stop) => {
            assert!(stop.offset_bytes < 64 * records as u64);
            assert!(!stop.cause.to_string().is_empty());
            if let Cause::Illegal { violations, .. } = &stop.cause {
                assert!(!violations.is_empty());
            }
            &stop.summary
        }
    };
    assert!(summary.steps <= BUDGET);
    assert!(summary.kept + summary.dropped <= summary.steps);
    assert!(summary.executed + summary.passed_over <= records as u64);
}

/// Types that records read.
const DTYPES: [u8; 12] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15];

/// Returns a record that is legal but for a few, so that most programs do
/// something: what is free comes from `bytes`, the rest is set right.
fn repaired(bytes: [u8; 64], generation: Generation) -> Word {
    let opcodes: Vec<u8> = LAYOUTS.iter().flat_map(|layout| layout.opcodes).copied().collect();
    let executed = [0x7f, 0x7f, 0x7f, 0x43, 0x43, 0x49, 0x4d, 0xd0, 0xe2, 0x77, 0x78, 0xa0, 0xa4];
    let late = generation >= Generation::V4;
    let mut word = Word(bytes);
    word.0[0] = match bytes[0] {
        // Any record with a layout, and HALT.
        0..4 => opcodes[usize::from(bytes[1]) % opcodes.len()],
        4 => 0xa1,
        other => match executed[usize::from(other) % executed.len()] {
            0xe2 | 0x77 | 0x78 if !late => 0x7f,
            opcode => opcode,
        },
    };
    for field in layout::fields_of(word.0[0]).skip(1) {
        repair(&mut word, field, bytes);
    }
    let set = |word: &mut Word, at: usize, byte: u8| word.0[at] = byte;
    let dtype = DTYPES[usize::from(bytes[32]) % DTYPES.len()];
    match word.0[0] {
        0x7f => {
            word.0[32..34].fill(dtype);
            let float = matches!(dtype, 6 | 7 | 10 | 13..);
            let any = [0, 6, 7, 10, 13, 14, 15][usize::from(bytes[36]) % 7];
            let by_pointer = word.0[35] != 0;
            set(&mut word, 36, if by_pointer && float { any } else { 0 });
            word.0.copy_within(26..32, 58);
        }
        0x43 => {
            let ops = [
                0, 4, 5, 6, 6, 8, 9, 0xd, 0xe, 0xf, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19,
            ];
            let op0 = ops[usize::from(bytes[36]) % ops.len()];
            let op1 = if op0 == 0 { 0 } else { ops[usize::from(bytes[37]) % ops.len()] };
            let out = DTYPES[usize::from(bytes[33]) % DTYPES.len()];
            set(&mut word, 12, 0);
            word.0[32..34].copy_from_slice(&[dtype, if bytes[33] & 1 == 0 { dtype } else { out }]);
            word.0[36..38].copy_from_slice(&[op0, op1]);
            word.0.copy_within(26..32, 58);
        }
        0x49 => set(&mut word, 32, dtype),
        0x4d => {
            set(&mut word, 32, [2, 3, 4, 5, 8, 9, 9, 9][usize::from(bytes[32]) % 8]);
            word.0[40..44].fill(0);
        }
        0xe2 => {
            word.0[12..15].copy_from_slice(&[3, 0, 1]);
            set(&mut word, 32, [6, 7, 10, 13, 14, 15][usize::from(bytes[32]) % 6]);
        }
        opcode @ (0x77 | 0x78) => {
            // The DVE's LFSR in 4 words, or its XORWOW in 24.
            let (algorithm, source, words) =
                if bytes[12] & 1 == 0 { (0, 0, 4) } else { (3, 1, 24) };
            if opcode == 0x77 {
                word.0[12..34].fill(0);
                word.0[12..16].copy_from_slice(&[algorithm, 0, 0, source]);
                set(&mut word, 32, 9);
                word.0[56..64].copy_from_slice(&[words, 0, 1, 0, 1, 0, 1, 0]);
            } else {
                word.0[24..64].fill(0);
                word.0[12..16].copy_from_slice(&[algorithm, 1 + bytes[13] % 32, 0, 9]);
                word.0[22..25].copy_from_slice(&[words, 0, source]);
            }
        }
        0xd0 => set(&mut word, 12, 0),
        _ => {}
    }
    word.set(8, &(u32::from(bytes[8]) & 7).to_le_bytes());
    // Most records neither wait nor update.
    if bytes[5] & 7 != 0 {
        word.0[4..12].fill(0);
    }
    // A few are hit by a stray byte.
    if bytes[63] & 31 == 7 {
        word.0[usize::from(bytes[62] % 64)] = bytes[61];
    }
    word
}

/// Sets one field right, as far as its kind alone says how.
fn repair(word: &mut Word, field: &lanedrop::isa::Field, bytes: [u8; 64]) {
    let at = field.offset_bytes;
    let byte = bytes[at];
    let value = u32::from_le_bytes([byte, bytes[(at + 1) % 64], bytes[(at + 2) % 64], 0]);
    match field.kind {
        Kind::Code(table) => word.0[at] = table.codes[usize::from(byte) % table.codes.len()].code,
        Kind::Count("channels") => word.0[at] = 1 + byte % 32,
        Kind::Count("words of 4 bytes") => word.0[at] = 16,
        Kind::Reserved => word.0[at..at + field.len_bytes].fill(0),
        Kind::Addr4 => {
            let start = match byte & 15 {
                15 => 1 << 31 | (value >> 8 & 63),
                14 => 0x40_0000 * (1 + (value & 1)) * 2 + ((value % 512) & !3),
                _ => (1024 + value % 2048) & !3,
            };
            word.set(at, &start.to_le_bytes());
        }
        Kind::Immediate { src_bytes } if word.0[src_bytes] == 1 => {
            word.set(at, &((value % 2048) & !3).to_le_bytes());
        }
        Kind::Immediate { src_bytes } if word.0[src_bytes] == 2 => {
            word.set(at, &(value & 63).to_le_bytes());
        }
        // A rate of 0..1, or any bits.
        Kind::Immediate { .. } if byte & 3 != 0 => {
            let rate = value as f32 / 16_777_216.0;
            word.set(at, &rate.to_bits().to_le_bytes());
        }
        Kind::StepElem => {
            for step in word.0[at..at + field.len_bytes].as_chunks_mut::<2>().0 {
                *step = (i16::from(step[0] % 11) - 2).to_le_bytes();
            }
        }
        Kind::NumElem => {
            for num in word.0[at..at + field.len_bytes].as_chunks_mut::<2>().0 {
                // Now and then more than a block.
                let long = if num[1] == 0 && num[0] & 1 == 1 { 5000 } else { 0 };
                *num = (u16::from(1 + num[0] % 7) + long).to_le_bytes();
            }
        }
        _ => {}
    }
}
