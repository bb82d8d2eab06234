//! The derived bytes of the site tables, encoded anew from the instructions.
//!
//! The encoders stand on the instruction set's formats alone and are first
//! held against every byte string that a page quotes.

use std::collections::BTreeSet;

use lanedrop::evidence::firmware::{Expect, Origin, sites};

/// The immediates that compare-and-branch instructions can hold.
const B4CONST: [i32; 16] = [-1, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32, 64, 128, 256];

fn const16(t: u8, imm: u16) -> Vec<u8> {
    let [low, high] = imm.to_le_bytes();
    vec![t << 4 | 4, low, high]
}

fn entry(frame_bytes: u16) -> Vec<u8> {
    let words = frame_bytes / 8;
    vec![0x36, (words as u8 & 0xf) << 4 | 1, (words >> 4) as u8]
}

fn movi(t: u8, imm: u16) -> Vec<u8> {
    vec![t << 4 | 2, 0xa0 | (imm >> 8) as u8, imm as u8]
}

fn movi_n(s: u8, imm: u8) -> Vec<u8> {
    vec![0x0c | (imm >> 4) << 4, (imm & 0xf) << 4 | s]
}

fn addi(t: u8, s: u8, imm: i8) -> Vec<u8> {
    vec![t << 4 | 2, 0xc0 | s, imm as u8]
}

/// The narrow form holds 1..=15, and -1 as 0.
fn addi_n(r: u8, s: u8, imm: i8) -> Vec<u8> {
    let code = if imm == -1 { 0 } else { imm as u8 };
    vec![code << 4 | 0xb, r << 4 | s]
}

/// A load or store through a1: byte forms count bytes, word forms words.
fn at_a1(operation: u8, t: u8, offset_bytes: u8) -> Vec<u8> {
    let unit = if operation == 2 || operation == 6 { 4 } else { 1 };
    vec![t << 4 | 2, operation << 4 | 1, offset_bytes / unit]
}

const L8UI: u8 = 0;
const S8I: u8 = 4;
const S32I: u8 = 6;

fn l32i_n(t: u8, s: u8, offset_bytes: u8) -> Vec<u8> {
    vec![t << 4 | 8, (offset_bytes / 4) << 4 | s]
}

fn s32i_n(t: u8, s: u8, offset_bytes: u8) -> Vec<u8> {
    vec![t << 4 | 9, (offset_bytes / 4) << 4 | s]
}

fn offset_18(offset: i32, name: u32) -> Vec<u8> {
    ((offset as u32) << 6 | name).to_le_bytes()[..3].to_vec()
}

fn call8(pc: u32, target: u32) -> Vec<u8> {
    offset_18((target as i32 - (pc as i32 & !3) - 4) / 4, 0x25)
}

fn j(pc: u32, target: u32) -> Vec<u8> {
    offset_18(target as i32 - pc as i32 - 4, 0x06)
}

fn bbci(s: u8, bit: u8, pc: u32, target: u32) -> Vec<u8> {
    vec![bit << 4 | 7, 0x60 | s, (target - pc - 4) as u8]
}

fn beqi(s: u8, value: i32, pc: u32, target: u32) -> Vec<u8> {
    let index = B4CONST.iter().position(|known| *known == value).expect("a B4CONST value");
    vec![0x26, (index as u8) << 4 | s, (target - pc - 4) as u8]
}

fn narrow_branch(name: u8, s: u8, pc: u32, target: u32) -> Vec<u8> {
    let offset = (target - pc - 4) as u8;
    vec![name | (offset >> 4) << 4, (offset & 0xf) << 4 | s]
}

fn beqz_n(s: u8, pc: u32, target: u32) -> Vec<u8> {
    narrow_branch(0x8c, s, pc, target)
}

fn bnez_n(s: u8, pc: u32, target: u32) -> Vec<u8> {
    narrow_branch(0xcc, s, pc, target)
}

fn extui(r: u8, t: u8, shift: u8, width: u8) -> Vec<u8> {
    vec![t << 4, r << 4 | shift, (width - 1) << 4 | 4]
}

fn retw_n() -> Vec<u8> {
    vec![0x1d, 0xf0]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_encoders_give_every_quoted_byte_string() {
    let quoted = [
        (const16(10, 0x1ee7), "a4 e7 1e"),
        (const16(2, 0x96bc), "24 bc 96"),
        (const16(10, 0x3068), "a4 68 30"),
        (const16(2, 0x87c5), "24 c5 87"),
        (entry(80), "36 a1 00"),
        (entry(0x400), "36 01 08"),
        (entry(48), "36 61 00"),
        (movi(3, 0x75b), "32 a7 5b"),
        (movi_n(2, 5), "0c 52"),
        (movi_n(2, 10), "0c a2"),
        (call8(0xf2d9, 0xcc1c), "25 94 fd"),
        (call8(0xb63b, 0x18010), "65 9d 0c"),
        (call8(0xb6a3, 0x18010), "e5 96 0c"),
        (call8(0x30b6, 0x2000), "a5 f4 fe"),
        (call8(0x30be, 0x201c), "e5 f5 fe"),
        (j(0x0, 0x1dc), "06 76 00"),
        (j(0x6, 0x1e8), "86 77 00"),
        (j(0x30b9, 0x3212), "46 55 00"),
        (j(0x30c1, 0x3212), "46 53 00"),
        (bbci(2, 0, 0xb6e5, 0xb6f5), "07 62 0c"),
        (at_a1(L8UI, 4, 0x27), "42 01 27"),
        (l32i_n(2, 1, 24), "28 61"),
        (s32i_n(2, 1, 12), "29 31"),
        (extui(10, 10, 0, 8), "a0 a0 74"),
        (beqz_n(9, 0xf68e, 0xf6c7), "bc 59"),
        (retw_n(), "1d f0"),
    ];
    for (encoded, bytes) in quoted {
        assert_eq!(hex(&encoded), bytes);
    }
}

/// The instructions of each derived site, from what the pages name.
fn derived(image: &str, at: u32) -> Option<Vec<Vec<u8>>> {
    Some(match (image, at) {
        ("CAYMAN_NX_DVE_DEBUG_IRAM", _) => match at {
            0x1dc => vec![[const16(0, 0), const16(0, 0x90)].concat()],
            0x2000 | 0x201c | 0x216c | 0x9ac8 => vec![entry(48)],
            0x216f => vec![const16(2, 0)],
            0x2175 => vec![at_a1(S32I, 2, 12)],
            0x217f => vec![call8(at, 0x951c)],
            0x95f5 => vec![const16(10, 0x1ed2)],
            0x9624 => vec![call8(at, 0xeff0)],
            0x96bc => vec![entry(80)],
            0x96c2 => vec![const16(10, 8)],
            0x96c8 => vec![call8(at, 0x18010)],
            0x96d7 => vec![at_a1(S32I, 2, 8), s32i_n(2, 1, 8)],
            0x96e1 | 0x9717 => vec![at_a1(S8I, 2, 12)],
            0x96eb => vec![at_a1(S8I, 2, 28)],
            0x9704 => vec![at_a1(L8UI, 10, 28)],
            0x9707 => vec![call8(at, 0x9ac8)],
            0x970a => vec![at_a1(S8I, 10, 20)],
            0x9710 => vec![bnez_n(2, at, 0x971a)],
            0x9712 => vec![j(at, 0x9715)],
            0x9748 => vec![call8(at, 0xf110)],
            0x9abf => vec![l32i_n(10, 1, 4)],
            0x9ac1 => vec![call8(at, 0x9b58)],
            0x9ac4 => vec![retw_n()],
            0x9ad3 => vec![beqi(3, 2, at, 0x9b13)],
            0x9ade => vec![beqi(3, 4, at, 0x9b13)],
            0x9ae9 => vec![beqi(3, 8, at, 0x9b13)],
            0x9af4 => vec![beqi(3, 3, at, 0x9b13)],
            0x9aff => vec![beqi(3, 5, at, 0x9b13)],
            0x9b08 => vec![addi(2, 2, -9)],
            0x9b13 => vec![[extui(2, 2, 0, 1), retw_n()].concat()],
            _ => return None,
        },
        ("CAYMAN_NX_DVE_DEBUG_DRAM", 0x8a0) => vec![0x30b6u32.to_le_bytes().to_vec()],
        ("CAYMAN_NX_DVE_DEBUG_DRAM", 0x948) => vec![0x30beu32.to_le_bytes().to_vec()],
        ("CAYMAN_NX_DVE_DEBUG_DRAM", 0x1ee5 | 0x1ef1) => vec![b"\n\0".to_vec()],
        ("MARIANA_NX_DVE_DEBUG_IRAM", 0xf694) => vec![retw_n()],
        ("CAYMAN_Q7_POOL_DEBUG_IRAM", 0x749c) => vec![entry(0x200)],
        ("CAYMAN_Q7_POOL_DEBUG_IRAM", 0x7536) => {
            vec![[movi(3, 0x64), const16(3, 0xf0c9)].concat()]
        }
        ("MARIANA_Q7_POOL_DEBUG_IRAM", 0x7615) => {
            vec![[movi(2, 0x64), const16(2, 0xf0c9)].concat()]
        }
        ("MARIANA_Q7_POOL_DEBUG_IRAM", 0xb700) => vec![entry(192)],
        _ => return None,
    })
}

#[test]
fn every_derived_site_is_what_its_instruction_encodes_to() {
    let mut seen = 0;
    for site in sites().filter(|site| site.origin == Origin::Derived) {
        let Expect::Bytes(patterns) = &site.expect else { continue };
        if patterns.iter().any(|pattern| pattern.0.contains('?')) {
            continue;
        }
        let encoded = derived(site.image.name, site.offset_bytes as u32)
            .unwrap_or_else(|| panic!("{} has no instruction here", site.what));
        let encoded: BTreeSet<String> = encoded.iter().map(|bytes| hex(bytes)).collect();
        let listed: BTreeSet<String> = patterns.iter().map(|p| p.0.to_string()).collect();
        assert_eq!(encoded, listed, "{}", site.what);
        seen += 1;
    }
    assert!(seen >= 38, "{seen}");
}

#[test]
fn the_single_element_flag_fits_its_place_with_the_narrow_subtraction_alone() {
    let hole = vec![0; 3];
    let parts = |minus_one: Vec<u8>| {
        [l32i_n(2, 1, 8), minus_one, movi_n(3, 1), hole.clone(), at_a1(S8I, 2, 24)].concat()
    };
    let narrow = parts(addi_n(2, 2, -1));
    let wide = parts(addi(2, 2, -1));
    assert_eq!((0x96f8 + narrow.len(), 0x96f8 + wide.len()), (0x9704, 0x9705));
    let site = sites().find(|site| site.what.contains("a2 - 1 < 1")).unwrap();
    let Expect::Bytes([first, second]) = &site.expect else { panic!("two readings") };
    assert!(first.matches(&narrow) && second.matches(&wide));
    assert_eq!(first.len(), narrow.len());
}

#[test]
fn the_windows_hold_the_named_instructions() {
    let expected = [
        ("movi of 169", movi(3, 169)),
        ("const16 of 0x814", const16(3, 0x814)),
        ("const16 of 0xabc", const16(3, 0xabc)),
        ("addi a2,a2,-65", addi(2, 2, -65)),
        ("movi a12,0x180", movi(12, 0x180)),
        ("const16 a3,0x159a", const16(3, 0x159a)),
        ("const16 a3,0x1f12", const16(3, 0x1f12)),
        ("movi a3,0x58", movi(3, 0x58)),
    ];
    let mut seen = 0;
    for site in sites().filter(|site| site.origin == Origin::Derived) {
        let Expect::Within { pattern, .. } = &site.expect else { continue };
        let (_, bytes) =
            expected.iter().find(|(name, _)| site.what.contains(name)).expect(site.what);
        assert!(pattern.matches(bytes), "{}", site.what);
        seen += 1;
    }
    assert_eq!(seen, 11);
}
