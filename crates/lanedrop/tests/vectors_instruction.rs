//! `vectors/encoding.json` and `vectors/validation.json`, which a second
//! implementation has written.

use std::collections::BTreeSet;
use std::path::Path;

use lanedrop::isa::validate::rules;
use lanedrop::isa::{Dropout, Generation, Record, Word, validate};
use serde_json::Value;

/// Every rule that is asked of a Dropout.
const DROPOUT_RULES: [&str; 18] = [
    "has_valid_opcode",
    "has_valid_inst_len",
    "has_valid_neuron_events",
    "s3d3_dropout_reserved_zero",
    "is_valid_dtype_in",
    "is_valid_dtype_out",
    "s3d3_dropout_same_src_dst_type",
    "s3d3_dropout_src_dst_count_check",
    "is_valid_enum_threshold_src",
    "is_valid_enum_threshold_type",
    "s3d3_dropout_threshold_dtype_check",
    "threshold_imm_ptr",
    "has_valid_active_channel_range",
    "has_valid_active_channel_range_with_tile",
    "start_addr_active_channels_src",
    "start_addr_active_channels_dst",
    "tensor3d_valid_src",
    "tensor3d_valid_dst",
];

/// Returns a file of `vectors/`, with every flag of its records explained.
fn read(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(name);
    let text = std::fs::read_to_string(path).expect("the vectors are in the repository");
    let file: Value = serde_json::from_str(&text).expect("the vectors are JSON");
    let records = file["records"].as_array().expect("a list of records").clone();
    for record in &records {
        for flag in record["flags"].as_array().expect("a list of flags") {
            assert!(file["notes"][flag.as_str().expect("a text")].is_string(), "{flag}");
        }
    }
    records
}

/// Returns the record's 64 bytes.
fn word(record: &Value) -> Word {
    let digits = record["bytes"].as_str().expect("hex digits");
    let mut bytes = [0; 64];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).expect("hex digits");
    }
    Word(bytes)
}

#[test]
fn every_record_shows_the_fields_that_were_packed() {
    for vector in read("encoding.json") {
        let word = word(&vector);
        let record = Record { offset_bytes: 0, word, generation: Generation::V3 };
        let json = serde_json::to_value(record).unwrap();
        assert_eq!(json["fields"], vector["fields"], "{}", vector["id"]);
        assert_eq!(json["bytes"], vector["bytes"]);
        if let Some(name) = vector.get("name") {
            assert_eq!(&json["name"], name);
        }
        let (fields, meaning) = (&json["fields"], &json["meaning"]);
        let keys =
            |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
        assert_eq!(keys(fields), keys(meaning));
    }
}

#[test]
fn the_typed_instruction_gives_the_packed_bytes_back() {
    let mut held = 0;
    for vector in read("encoding.json") {
        if let Ok(dropout) = Dropout::decode(&word(&vector)) {
            assert_eq!(dropout.encode(), word(&vector), "{}", vector["id"]);
            assert_eq!(u64::from(dropout.threshold), vector["fields"]["threshold"]);
            assert_eq!(u64::from(dropout.in_dtype.code()), vector["fields"]["in_dtype"]);
            held += 1;
        }
    }
    assert!(held > 80, "only {held} vectors are typed instructions");
}

#[test]
fn every_generation_finds_the_violations_expected() {
    let mut seen = BTreeSet::new();
    let header =
        [&rules::HAS_VALID_OPCODE, &rules::HAS_VALID_INST_LEN, &rules::HAS_VALID_NEURON_EVENTS];
    for vector in read("validation.json") {
        // Of other opcodes these vectors tell what header and events are asked.
        let others = vector["flags"][0] == "opcode";
        for generation in Generation::ALL {
            let report = validate(&word(&vector), generation);
            let found: Vec<Value> = report
                .violations
                .iter()
                .filter(|violation| !others || header.contains(&violation.rule))
                .map(|violation| {
                    let mut object = serde_json::to_value(violation).unwrap();
                    object.as_object_mut().unwrap().retain(|key, _| {
                        ["rule", "field", "byte", "found"].contains(&key.as_str())
                    });
                    object
                })
                .collect();
            let expected = &vector["expected"][generation.name()];
            assert_eq!(&Value::from(found), expected, "{} on {generation}", vector["id"]);
            if report.violations.len() == 1 {
                seen.insert(report.violations[0].rule.name);
            }
        }
    }
    // The two counts are both at fault when their products differ, and an
    // illegal out_dtype is an illegal in_dtype or another type than it.
    seen.extend([rules::SRC_DST_COUNT_CHECK.name, rules::IS_VALID_DTYPE_OUT.name]);
    for rule in DROPOUT_RULES {
        assert!(seen.contains(rule), "no vector breaks {rule} alone");
        assert!(rules::ALL.iter().any(|known| known.name == rule), "{rule}");
    }
}
