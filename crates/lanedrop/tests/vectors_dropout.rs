//! The golden model, every backend and the multiply against
//! `vectors/dropout.json`, which a plain Python script makes.

#![allow(clippy::unwrap_used, reason = "tests")]

use lanedrop::exec::reference;
use lanedrop::exec::{Backend, Element, Job, Masks, Runner};
use lanedrop::isa::ThresholdType;
use lanedrop::rng::{Lanes, Profile};
use serde_json::Value;

/// One record of the file.
struct Case {
    id: String,
    lanes: Lanes,
    job: Job,
    src: Vec<u8>,
    keep: Vec<u8>,
    dst: Vec<u8>,
    end_state: Vec<u32>,
    scaled: Option<Vec<u8>>,
    factors: Vec<f32>,
}

fn words(value: &Value) -> Vec<u32> {
    let word = |value: &Value| u32::try_from(value.as_u64().unwrap()).unwrap();
    value.as_array().unwrap().iter().map(word).collect()
}

fn flat(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().flat_map(words).collect()
}

/// Makes a profile by way of TOML: JSON's numbers, strings and lists are TOML's.
fn profile(case: &Value) -> Profile {
    let fields = case["profile"].as_object().unwrap();
    let mut text = "name = \"vector\"\nseeding = \"lane-shift24\"\n".to_owned();
    for (key, value) in fields.iter().filter(|(_, value)| !value.is_object()) {
        text += &format!("{key} = {value}\n");
    }
    text += "[recurrence]\n";
    for (key, value) in fields["recurrence"].as_object().unwrap() {
        text += &format!("{key} = {value}\n");
    }
    Profile::from_toml(&text).unwrap()
}

fn cases() -> Vec<Case> {
    let text = include_str!("../../../vectors/dropout.json");
    let file: Value = serde_json::from_str(text).unwrap();
    let records = file["records"].as_array().unwrap();
    assert!(records.len() >= 50);
    records.iter().map(case).collect()
}

fn case(record: &Value) -> Case {
    let element = Element::named(record["element"].as_str().unwrap()).unwrap();
    let size = element.size_bytes();
    let bytes = |key: &str| -> Vec<u8> {
        words(&record[key]).iter().flat_map(|bits| bits.to_le_bytes()[..size].to_vec()).collect()
    };
    let lanes = record["state"].as_array().unwrap().len();
    let profile = profile(record);
    let state = Lanes::from_words(&profile, &flat(&record["state"]), lanes).unwrap();
    if let Some(seed) = record["seed"].as_u64() {
        assert_eq!(Lanes::seeded(&profile, seed as u32, lanes).unwrap(), state);
    }
    let floats = |key: &str| words(&record[key]).into_iter().map(f32::from_bits).collect();
    Case {
        id: record["id"].as_str().unwrap().to_owned(),
        lanes: state,
        job: Job {
            threshold_type: match record["threshold_type"].as_str().unwrap() {
                "keep-rate" => ThresholdType::KeepRate,
                _ => ThresholdType::DropRate,
            },
            thresholds: floats("thresholds"),
            element,
            rows: record["rows"].as_u64().unwrap(),
            row_len: record["row_len"].as_u64().unwrap(),
            scale: false,
            backend: Backend::REFERENCE,
            threads: 1,
        },
        src: bytes("src"),
        keep: words(&record["keep"]).iter().map(|&keep| keep as u8).collect(),
        dst: bytes("dst"),
        end_state: flat(&record["end_state"]),
        scaled: record.get("scaled").map(|_| bytes("scaled")),
        factors: if record.get("factors").is_some() { floats("factors") } else { Vec::new() },
    }
}

#[test]
fn the_golden_model_gives_every_vector() {
    for case in cases() {
        let mut lanes = case.lanes.clone();
        let mut dst = vec![0xa5; case.src.len()];
        let kept = reference::tensor(
            &mut lanes,
            case.job.row_len as usize,
            case.job.threshold_type,
            &case.job.thresholds,
            case.job.element.size_bytes(),
            &case.src,
            &mut dst,
        );
        assert_eq!(dst, case.dst, "{}", case.id);
        assert_eq!(lanes.to_words(), case.end_state, "{}", case.id);
        assert_eq!(kept, case.keep.iter().map(|&keep| u64::from(keep)).sum::<u64>());
    }
}

#[test]
fn every_backend_gives_every_vector() {
    for backend in Backend::available() {
        for case in cases() {
            let name = format!("{} on {}", case.id, backend.name());
            let job = Job { backend, ..case.job.clone() };
            let mut runner = Runner::new(job, case.lanes.clone()).unwrap();
            let (mut dst, mut keep) = (vec![0xa5; case.src.len()], vec![2; case.keep.len()]);
            let masks = Masks { bytes: Some(&mut keep), packed: None };
            runner.apply(0, &case.src, &mut dst, masks).unwrap();
            assert_eq!((&dst, &keep), (&case.dst, &case.keep), "{name}");
            assert_eq!(runner.finish().to_words(), case.end_state, "{name}");
        }
    }
}

#[test]
fn every_backend_multiplies_as_the_vectors_do() {
    let mut scaled = 0;
    for backend in Backend::available() {
        for case in cases() {
            let Some(wanted) = &case.scaled else { continue };
            let job = Job { backend, scale: true, ..case.job.clone() };
            let mut runner = Runner::new(job, case.lanes.clone()).unwrap();
            assert_eq!(runner.factors(), case.factors, "{}", case.id);
            let mut data = case.src.clone();
            runner.apply_in_place(0, &mut data, Masks::default()).unwrap();
            assert_eq!(&data, wanted, "{} on {}", case.id, backend.name());
            scaled += 1;
        }
    }
    assert!(scaled >= 10);
}
