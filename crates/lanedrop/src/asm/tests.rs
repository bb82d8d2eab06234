use super::*;
use crate::isa::{Addr4, Dropout, Dtype, Generation, Tensor3d, Word};

fn dropout() -> Word {
    let src = Tensor3d { start_addr: Addr4(0), step_elem: [1, 512, 1], num_elem: [512, 4, 1] };
    let dst = Tensor3d::row(Addr4(0x4000), 2048);
    let mut word = Dropout::new(Dtype::BFLOAT16, src, dst, 128, 0.1).encode();
    word.0[4..12].copy_from_slice(&[5, 3, 19, 4, 9, 0, 0, 0]);
    word
}

fn error(text: &str) -> String {
    assemble(text, Generation::V3).unwrap_err().with_source(text).to_string()
}

#[test]
fn a_dropout_reads_like_what_it_does() {
    assert_eq!(
        disassemble(&dropout().0, Generation::V3).unwrap(),
        "\
.generation v3

# 0x0000
dropout dtype=bfloat16 drop=0.1 channels=128
    src=sbuf[p0+0x0](512, 4@512)
    dst=sbuf[p0+0x4000](2048)
    wait=sem[3]>=9 update=sem[4]++@complete
"
    );
}

#[test]
fn the_text_of_a_dropout_gives_its_bytes() {
    let text = "
        # a comment, a label, and operands in any order on any line
        first: DROPOUT dst=sbuf[p0+0x4000](2048) ; another comment
            update=sem[4]++@complete wait=sem[3] >= 9
            src=sbuf[p0]( 512, 4 @ 512 ) channels=0x80 drop=1e-1
            dtype=BFloat16";
    assert_eq!(assemble(text, Generation::V3).unwrap(), [dropout()]);
}

#[test]
fn an_opcode_without_a_layout_keeps_its_body() {
    let mut word = Word::ZERO;
    word.0[..2].copy_from_slice(&[0x02, 0x10]);
    word.0[63] = 0xee;
    let text = disassemble(&word.0, Generation::V3).unwrap();
    assert!(text.contains("\nmatmul\n    body=[00000000 00000000"), "{text}");
    assert_eq!(assemble(&text, Generation::V3).unwrap(), [word]);
    word.0[63] = 0;
    assert!(disassemble(&word.0, Generation::V3).unwrap().ends_with("\nmatmul\n"));
}

#[test]
fn an_unnamed_opcode_is_64_bytes() {
    let word = Word([0xfe; 64]);
    let text = disassemble(&word.0, Generation::V3).unwrap();
    assert!(text.contains("record\n    [fefefefe fefefefe"), "{text}");
    assert_eq!(assemble(&text, Generation::V3).unwrap(), [word]);
}

#[test]
fn fields_without_a_plain_form_are_written_one_by_one() {
    let mut word = dropout();
    for (at, byte) in [(1, 3), (3, 0x2a), (4, 0x77), (12, 1), (35, 9), (36, 0), (43, 7), (33, 0x77)]
    {
        word.0[at] = byte;
    }
    let text = disassemble(&word.0, Generation::V3).unwrap();
    for part in [
        "threshold=raw(0x3dcccccd)",
        "threshold_src=0x09",
        "threshold_dtype=invalid",
        "threshold_type=0x07",
        "in_dtype=bfloat16",
        "out_dtype=0x77",
        "reserved0=[01000000]",
        "inst_word_len=3",
        "debug_hint=0x2a",
        "wait_mode=0x77",
        "wait_idx=3",
        "semaphore_value=9",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert_eq!(assemble(&text, Generation::V3).unwrap(), [word]);
}

#[test]
fn a_place_depends_on_the_generation_and_the_text_names_it() {
    let mut word = dropout();
    word.0[16..20].copy_from_slice(&(0x0010_0040u32).to_le_bytes());
    let v3 = disassemble(&word.0, Generation::V3).unwrap();
    let v5 = disassemble(&word.0, Generation::V5).unwrap();
    assert!(v3.contains("src=sbuf[p4+0x40]") && v5.contains("src=sbuf[p1+0x40]"));
    assert_eq!(assemble(&v3, Generation::V5).unwrap(), assemble(&v5, Generation::V3).unwrap());
}

#[test]
fn addresses_and_thresholds_have_register_and_pointer_forms() {
    let mut word = dropout();
    word.0[16..20].copy_from_slice(&0xc000_0005u32.to_le_bytes());
    word.0[48..52].copy_from_slice(&0x2240_0000u32.to_le_bytes());
    word.0[35] = 1;
    word.0[43] = 1;
    word.0[44..48].copy_from_slice(&0x0200_8004u32.to_le_bytes());
    let text = disassemble(&word.0, Generation::V3).unwrap();
    for part in ["src=reg[5]!shape(", "dst=0x2400000!indirect(", "keep=*psum[p1+0x4]"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert_eq!(assemble(&text, Generation::V3).unwrap(), [word]);
}

#[test]
fn every_wait_and_update_reads_back() {
    for mode in 0..=255 {
        for at in [4, 6] {
            let mut word = dropout();
            word.0[4..12].copy_from_slice(&[0, 1, 0, 2, 0x0a, 0xff, 0, 0]);
            word.0[at] = mode;
            let text = disassemble(&word.0, Generation::V3).unwrap();
            assert_eq!(assemble(&text, Generation::V3).unwrap(), [word], "{text}");
        }
    }
}

#[test]
fn errors_point_at_the_place() {
    assert_eq!(
        error("dropout dtype=bfloat61"),
        "line 1, column 15: `bfloat61` is no member of DTYPE, did you mean `bfloat16`; a number is allowed too\n\
         \x20 1 | dropout dtype=bfloat61\n\
         \x20   |               ^^^^^^^^"
    );
    assert_eq!(
        error("nop\n\tdropuot"),
        "line 2, column 2: no instruction is called `dropuot`, did you mean `dropout`\n\
         \x20 2 | \tdropuot\n\
         \x20   | \t^^^^^^^"
    );
    assert_eq!(
        error("nop wait=sem[1]>=2 update=sem[1]+=3@read"),
        "line 1, column 20: `update` needs semaphore_value 3, but `wait` has set it to 2: they share it\n\
         \x20 1 | nop wait=sem[1]>=2 update=sem[1]+=3@read\n\
         \x20   |                    ^^^^^^"
    );
}

#[test]
fn each_kind_of_mistake_has_its_message() {
    for (text, message) in [
        ("nop $", "no token starts with `$`"),
        ("nop wait", "no instruction is called `wait`"),
        ("nop wait=", "expected `sem[NUMBER]` or `event[NUMBER]`, found the end"),
        ("nop debug_hint=256", "256 is out of range, a byte takes 0 to 255"),
        ("nop debug_hint=0xzz", "`0xzz` is no number"),
        (
            "nop debug_hint=1 debug_hint=1",
            "`debug_hint` writes byte 3, which `debug_hint` on line 1 has already written",
        ),
        ("nop body=[00]", "2 hex digits, expected 104 for 52 bytes"),
        ("record [0g]", "expected hex digits, found `0g`"),
        ("dropout", "dropout needs `src=`"),
        ("dropout src=sbuf[p128](1)", "v3 has no partition 128 with a byte 0x0 in sbuf"),
        ("dropout src=sbuf[p0](1,1,1,1)", "a pattern here has at most 3 dimensions"),
        ("dropout src=sbuf[p0](1@40000)", "40000 is out of range, a step takes -32768 to 32767"),
        (".generation v9", "generation is `v9`, expected v2, v3, v4 or v5"),
        (".gen v3", "no directive is called `.gen`, there is `.generation`"),
        ("7f", "expected an instruction, a label or a directive, found `7f`"),
        ("nop wait=sem[1]+=2", "expected `==`, `<`, `<=`, `>` or `>=`, found `+=`"),
        ("nop update=sem[1]++", "expected `@read` or `@complete`, found the end"),
        ("nop wait=event[1],set", "expected `clear`, found `set`"),
        ("nop wait=!sem[1]>=2", "expected `event` behind `!`, found `sem`"),
        (
            "dropout drop=lots",
            "expected a rate, `*ADDRESS`, `*reg[NUMBER]` or `fp32(BITS)`, found `lots`",
        ),
    ] {
        let problem = assemble(text, Generation::V3).unwrap_err().problem.to_string();
        assert_eq!(problem, message, "{text}");
    }
}

#[test]
fn the_rate_is_the_nearest_float_and_nans_keep_their_bits() {
    let rate = |bits: u32| {
        let mut word = dropout();
        word.0[44..48].copy_from_slice(&bits.to_le_bytes());
        let text = disassemble(&word.0, Generation::V3).unwrap();
        assert_eq!(assemble(&text, Generation::V3).unwrap(), [word], "{text}");
        text
    };
    assert!(rate(0x8000_0000).contains("drop=-0.0"));
    assert!(rate(0x7f80_0000).contains("drop=inf"));
    assert!(rate(0xff80_0000).contains("drop=-inf"));
    assert!(rate(0xffc0_0001).contains("drop=fp32(0xffc00001)"));
    assert!(rate(0x0000_0001).contains("drop=1e-45"));
    assert!(rate(0x7f7f_ffff).contains("drop=3.4028235e38"));
}

#[test]
fn neighbours_have_a_text_of_their_own() {
    let text = "\
.generation v4

# 0x0000
tensor_scalar_arith_op dtype=fp32 imm0=1.5 channels=128 op0=mult
    src=sbuf[p0+0x0](512)
    dst=sbuf[p0+0x800](512)

# 0x0040
memset dtype=bfloat16 channels=32 fill_value=16256
    dst=sbuf[p0+0x0](4, 2@8)

# 0x0080
rand_get_state algorithm=lfsr rand_generator=rng_lfsr dtype=uint32 channels=128
    dst=sbuf[p0+0x0](4)

# 0x00c0
rand_set_state algorithm=xorwow channels=64 in_dtype=uint32 rand_generator=rng_xorwow
    src=sbuf[p64+0x0](24)

# 0x0100
rand2 min=-1.0 max=*sbuf[p0+0x40] dtype=fp32 channels=128
    dst=sbuf[p0+0x0](7)

# 0x0140
pseudo_set_rng_seed seed=42
";
    let words = assemble(text, Generation::V4).unwrap();
    assert_eq!(
        words.iter().map(Word::opcode).collect::<Vec<_>>(),
        [0x43, 0x49, 0x77, 0x78, 0xe2, 0xd0]
    );
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.0).collect();
    assert_eq!(disassemble(&bytes, Generation::V4).unwrap(), text);
    assert_eq!(words[0].0[32..48], [10, 10, 128, 0, 6, 0, 0, 0, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0]);
    assert_eq!(words[4].0[12..15], [3, 0, 1]);
}

#[test]
fn any_bytes_of_a_neighbour_survive_the_text() {
    let mut state = 1u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    for layout in crate::isa::layout::LAYOUTS {
        for &opcode in layout.opcodes {
            for round in 0..200 {
                let mut word =
                    Word(std::array::from_fn(|_| if round % 2 == 0 { 0 } else { byte() }));
                for _ in 0..round % 16 {
                    word.0[usize::from(byte() % 64)] = byte();
                }
                word.0[0] = opcode;
                let text = disassemble(&word.0, Generation::V3).unwrap();
                assert_eq!(assemble(&text, Generation::V3), Ok(vec![word]), "{text}");
            }
        }
    }
}
