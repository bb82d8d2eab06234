//! What the vectors do not tell: remarks, messages, scope.

use super::*;
use crate::isa::{Addr4, Dropout, Dtype, Tensor3d};

fn plain() -> Word {
    let src = Tensor3d::row(Addr4(0), 512);
    let dst = Tensor3d::row(Addr4(0x1000), 512);
    Dropout::new(Dtype::FP32, src, dst, 128, 0.1).encode()
}

/// Returns the plain record with some bytes changed.
fn with(changes: &[(usize, &[u8])]) -> Word {
    let mut word = plain();
    for (at, bytes) in changes {
        word.set(*at, bytes);
    }
    word
}

/// Returns the claims of the remarks on a legal record.
fn remarks(word: &Word, generation: Generation) -> Vec<(&'static str, usize, &'static str)> {
    let report = validate(word, generation);
    assert!(report.is_legal(), "{:?}", report.violations);
    report
        .remarks
        .iter()
        .map(|remark| (remark.at.rule.name, remark.at.byte, remark.claim.id))
        .collect()
}

#[test]
fn a_plain_record_is_legal_without_remarks_everywhere() {
    for generation in Generation::ALL {
        assert_eq!(remarks(&plain(), generation), []);
        assert_eq!(validate(&plain(), generation).checked, Scope::Record);
    }
}

#[test]
fn register_forms_of_events_are_legal_with_a_remark() {
    let rule = "has_valid_neuron_events";
    for mode in 0x81..=0x85 {
        let claim = if mode == 0x85 { "wait-register-ge" } else { "wait-register-forms" };
        assert_eq!(remarks(&with(&[(4, &[mode])]), Generation::V3), [(rule, 4, claim)]);
    }
    for mode in [6, 8, 10, 22, 24, 26] {
        let expected = [(rule, 6, "update-register-forms")];
        assert_eq!(remarks(&with(&[(6, &[mode])]), Generation::V2), expected);
    }
}

#[test]
fn only_v5_remarks_on_the_bytes_that_may_be_its_tile_flags() {
    let word = with(&[(2, &[1, 2])]);
    for generation in [Generation::V2, Generation::V3, Generation::V4] {
        assert_eq!(remarks(&word, generation), []);
    }
    let rule = "has_valid_active_channel_range_with_tile";
    let expected = [(rule, 2, "inst-flags-v5"), (rule, 3, "inst-flags-v5")];
    assert_eq!(remarks(&word, Generation::V5), expected);
    let text = validate(&word, Generation::V5).remarks[0].at.to_string();
    assert!(text.contains("v5 tile gate"), "{text}");
}

#[test]
fn a_pattern_that_leaves_its_partition_is_a_remark() {
    let claim = "active-bytes-not-checked";
    // v2 has 192 KiB of a partition, v4 256.
    let last = 192 * 1024 - 2048u32;
    let fits = with(&[(48, &last.to_le_bytes())]);
    assert_eq!(remarks(&fits, Generation::V2), []);
    let leaves = with(&[(48, &(last + 4).to_le_bytes())]);
    assert_eq!(remarks(&leaves, Generation::V2), [("tensor3d_valid_dst", 48, claim)]);
    assert_eq!(remarks(&leaves, Generation::V4), []);
    // Backwards from the first byte of the partition.
    let backwards = with(&[(20, &(-1i16).to_le_bytes())]);
    assert_eq!(remarks(&backwards, Generation::V4), [("tensor3d_valid_src", 16, claim)]);
    let text = validate(&backwards, Generation::V4).remarks[0].at.to_string();
    assert!(text.ends_with("it touches -2044 to 4"), "{text}");
}

#[test]
fn a_threshold_pointer_behind_the_active_bytes_is_a_remark() {
    let pointer = |address: u32| with(&[(35, &[1]), (44, &address.to_le_bytes())]);
    let end = 224 * 1024;
    assert_eq!(remarks(&pointer(end - 4), Generation::V3), []);
    let expected = [("threshold_imm_ptr", 44, "active-bytes-not-checked")];
    assert_eq!(remarks(&pointer(end), Generation::V3), expected);
}

#[test]
fn what_is_only_inferred_to_be_legal_has_a_remark() {
    let narrow = with(&[(32, &[0x11, 0x11])]);
    let expected = [("is_valid_dtype_in", 32, "dtype-fp8-exp2-v5")];
    assert_eq!(remarks(&narrow, Generation::V5), expected);
    let shape = with(&[(19, &[0x40]), (26, &[0, 0])]);
    let expected = [("tensor3d_valid_src", 16, "shape-register-encoding")];
    assert_eq!(remarks(&shape, Generation::V3), expected);
}

#[test]
fn the_saturate_flag_is_quantize_mx_s_alone() {
    let mut word = Word::ZERO;
    word.0[..2].copy_from_slice(&[opcode::QUANTIZE_MX, 0x11]);
    let expected = [("has_valid_inst_len", 1, "quantize-mx-saturate-flag")];
    assert_eq!(remarks(&word, Generation::V4), expected);
    assert!(!validate(&word, Generation::V3).is_legal());
    assert!(!validate(&with(&[(1, &[0x11])]), Generation::V4).is_legal());
}

#[test]
fn an_opcode_without_rules_says_that_only_its_header_was_asked() {
    let mut word = Word([0xff; 64]);
    word.0[..8].copy_from_slice(&[0xa4, 16, 0, 0, 0, 0, 0, 0]);
    let report = validate(&word, Generation::V3);
    assert_eq!((report.checked, report.is_legal()), (Scope::Header, true));
}

#[test]
fn a_violation_reads_as_a_sentence() {
    let report = validate(&with(&[(39, &[7])]), Generation::V3);
    assert_eq!(report.violations[0].to_string(), "reserved1 (byte 39) is 07, expected zero");
    let json = serde_json::to_value(report.violations[0]).unwrap();
    assert_eq!(json["standing"], "HIGH/OBSERVED");
    assert_eq!(json["claim"], "rule-reserved-zero");
}
