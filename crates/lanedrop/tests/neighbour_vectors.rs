//! The rules of Dropout's neighbours, each broken alone by an independent
//! script (`vectors/generate_neighbours.py`).

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use lanedrop::isa::validate::{Scope, rules};
use lanedrop::isa::{Generation, Word, validate};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    notes: BTreeMap<String, String>,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    bytes: String,
    flags: Vec<String>,
    broken: BTreeMap<String, Vec<(String, usize)>>,
}

fn file() -> File {
    serde_json::from_str(include_str!("../../../vectors/neighbours.json")).unwrap()
}

fn word(hex: &str) -> Word {
    let digit = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
    assert_eq!(hex.len(), 128);
    Word(std::array::from_fn(digit))
}

#[test]
fn every_vector_breaks_the_rules_it_says_and_no_other() {
    let mut wrong = Vec::new();
    for vector in file().vectors {
        for (generation, broken) in &vector.broken {
            let report = validate(&word(&vector.bytes), generation.parse().unwrap());
            assert_eq!(report.checked, Scope::Record, "{}", vector.name);
            let found: BTreeSet<_> =
                report.violations.iter().map(|v| (v.rule.name.to_owned(), v.byte)).collect();
            let expected: BTreeSet<_> = broken.iter().cloned().collect();
            if found != expected || found.len() != report.violations.len() {
                wrong.push(format!("{} {generation}: {found:?}, not {expected:?}", vector.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_rule_of_the_neighbours_is_broken_alone_on_every_generation_that_asks_it() {
    // Dropout's own and those of header and events have other vectors.
    let elsewhere = [
        "has_valid_opcode",
        "has_valid_inst_len",
        "has_valid_neuron_events",
        "is_valid_enum_threshold_src",
        "is_valid_enum_threshold_type",
        "threshold_imm_ptr",
    ];
    let file = file();
    for rule in rules::ALL {
        if elsewhere.contains(&rule.name) || rule.name.starts_with("s3d3_dropout_") {
            continue;
        }
        for generation in rule.generations.iter() {
            // v2 pairs Philox alone, so another generator breaks the pairing too.
            if rule.name == "rand_set_state_imm_philox" && generation == Generation::V2 {
                continue;
            }
            let alone = file.vectors.iter().any(|vector| {
                vector.broken.get(generation.name()).is_some_and(|broken| {
                    !broken.is_empty() && broken.iter().all(|(name, _)| name == rule.name)
                })
            });
            assert!(alone, "{} on {generation}", rule.name);
        }
    }
}

#[test]
fn a_legal_record_becomes_illegal_where_a_generation_lacks_it() {
    let file = file();
    let legal = |name: &str, generation: Generation| {
        let vector = file.vectors.iter().find(|vector| vector.name == name).unwrap();
        validate(&word(&vector.bytes), generation).is_legal()
    };
    for generation in Generation::ALL {
        let late = generation >= Generation::V4;
        assert_eq!(legal("rand2_legal", generation), late);
        assert_eq!(legal("get_state_lfsr_legal", generation), late);
        assert_eq!(legal("set_state_xorwow_legal", generation), late);
        assert!(legal("tensor_scalar_legal", generation));
    }
}

#[test]
fn every_flag_has_a_note_and_every_note_a_vector() {
    let file = file();
    let used: BTreeSet<_> = file.vectors.iter().flat_map(|vector| vector.flags.clone()).collect();
    assert_eq!(used, file.notes.keys().cloned().collect());
}
