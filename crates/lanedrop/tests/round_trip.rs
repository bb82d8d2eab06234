//! Any bytes survive decoding, encoding and text.

#[path = "../../../fuzz/bodies/instruction.rs"]
mod instruction;

use instruction::{any_stream_survives, any_text_is_answered, any_word_survives};
use lanedrop::isa::{Addr4, Dropout, Dtype, Generation, Tensor3d, Word, validate};
use proptest::prelude::*;

/// A legal record with something in every field that may hold something.
fn valid_word() -> Word {
    let src =
        Tensor3d { start_addr: Addr4(0x2_0000), step_elem: [-2, 512, 0], num_elem: [8, 4, 2] };
    let dst = Tensor3d { start_addr: Addr4(0x1000), step_elem: [1, 8, 1], num_elem: [8, 8, 1] };
    let mut word = Dropout::new(Dtype::BFLOAT16, src, dst, 64, 0.1).encode();
    word.0[2..12].copy_from_slice(&[1, 0x2a, 5, 3, 19, 4, 9, 0, 0, 0]);
    word
}

/// Returns a configuration that keeps no file of failures.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Bytes that are often what a Dropout holds, so that random words reach it.
fn likely_dropout() -> impl Strategy<Value = [u8; 64]> {
    let overlay = prop::collection::vec((1usize..64, any::<u8>()), 0..12);
    overlay.prop_map(|changes| {
        let mut word = valid_word().0;
        for (at, byte) in changes {
            word[at] = byte;
        }
        word
    })
}

#[test]
fn the_valid_word_is_valid() {
    for generation in Generation::ALL {
        let report = validate(&valid_word(), generation);
        assert!(report.is_legal(), "{generation}: {:?}", report.violations);
    }
}

#[test]
fn every_single_bit_flip_of_a_valid_word_survives() {
    for bit in 0..512 {
        let mut word = valid_word().0;
        word[bit / 8] ^= 1 << (bit % 8);
        any_word_survives(word);
    }
}

#[test]
fn every_pair_of_opcode_and_byte_1_survives() {
    for opcode in 0..=255 {
        for len in [0, 0x10, 0x11, 0xff] {
            let mut word = [0; 64];
            word[..2].copy_from_slice(&[opcode, len]);
            any_word_survives(word);
            word[2..].fill(0xa5);
            any_word_survives(word);
        }
    }
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn random_words_survive(word in any::<[u8; 64]>()) {
        any_word_survives(word);
    }

    #[test]
    fn words_near_a_dropout_survive(word in likely_dropout()) {
        any_word_survives(word);
    }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn random_streams_survive(stream in prop::collection::vec(any::<u8>(), 0..400)) {
        any_stream_survives(&stream);
        any_stream_survives(&stream[..stream.len() / 64 * 64]);
    }

    #[test]
    fn random_text_is_answered(text in any::<String>()) {
        any_text_is_answered(&text);
    }

    #[test]
    fn text_near_a_dropout_is_answered(
        parts in prop::collection::vec(prop::sample::select(vec![
            "dropout ", "nop ", "record ", "[7f10]", "src=", "dst=", "dtype=", "drop=", "keep=",
            "channels=", "wait=", "update=", "sem[1]", "event[2]", ">=", "<", "++", "@read", ",set",
            "sbuf[p0+0x10]", "psum[p1]", "reg[3]", "!shape", "(1,2@3)", "(-1)", "*", "0.1", "1e",
            "1e-5", "fp32", "bfloat16", "(0x7fc00000)", "raw", "-", "128", "99999999999", "0x",
            "\n", "\t", "# c\n", ";", ".generation ", "v5 ", "label: ", "=", "\u{e9}", "threshold_src=",
            "reserved1=", "[00 00 00 00 00 00]", "body=", "!", "@", "]",
        ]), 0..24)
    ) {
        any_text_is_answered(&parts.concat());
    }
}
