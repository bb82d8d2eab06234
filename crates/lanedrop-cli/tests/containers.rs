//! NEFF containers as input, firmware files for `evidence check`, and traces.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn lanedrop(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanedrop")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Runs and reads the JSON on standard output.
fn json(arguments: &[&str]) -> (Value, Output) {
    let output = lanedrop(arguments);
    (serde_json::from_slice(&output.stdout).unwrap(), output)
}

fn vector(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/neff").join(name);
    path.to_str().unwrap().to_owned()
}

fn file(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn decode_lists_every_stream_of_a_neff_with_offsets_of_its_own() {
    let (records, output) = json(&["decode", &vector("older.neff"), "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let remark = "note: sg00/pool.bin is the stream of POOL and holds 2 DROPOUT, first at 0x40; \
                  only the DVE runs it\n";
    assert_eq!(text(&output.stderr), remark);
    let place = |record: &Value| {
        let said = |key: &str| record[key].as_str().unwrap().to_owned();
        (said("stream"), said("engine"), record["offset"].as_u64().unwrap())
    };
    let listed: Vec<_> = records.as_array().unwrap().iter().map(place).collect();
    assert_eq!(listed.len(), 6 + 2 + 1 + 3);
    for (index, stream, engine, offset) in [
        (0, "sg00/dve.bin", "DVE", 0),
        (1, "sg00/dve.bin", "DVE", 64),
        (6, "sg00/pe.bin", "PE", 0),
        (9, "sg00/pool.bin", "POOL", 0),
    ] {
        assert_eq!(listed[index], (stream.into(), engine.into(), offset));
    }
    // The record itself is what it is in a file of its own.
    let (alone, _) = json(&["decode", records[1]["bytes"].as_str().unwrap(), "--json"]);
    assert_eq!(records[1]["fields"], alone[0]["fields"]);
    assert!(alone[0].get("stream").is_none());
}

#[test]
fn one_stream_is_chosen_by_engine_or_member() {
    let newer = vector("newer.neff");
    let (records, output) = json(&["decode", &newer, "--stream", "dve", "--json"]);
    assert_eq!(records.as_array().unwrap().len(), 8);
    assert!(output.stderr.is_empty());
    let member = records[7]["stream"].as_str().unwrap();
    let (one, _) = json(&["decode", &newer, "--stream", member, "--json"]);
    assert_eq!(one.as_array().unwrap().len(), 1);

    let none = lanedrop(&["decode", &newer, "--stream", "nope"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(text(&none.stderr).contains("no stream is named nope; there are"));
    let record = "7f10".to_owned() + &"0".repeat(124);
    let not_neff = lanedrop(&["decode", &record, "--stream", "dve"]);
    assert_eq!(not_neff.status.code(), Some(2));
    assert!(text(&not_neff.stderr).contains("among the streams of a NEFF"));
}

#[test]
fn validate_says_which_stream_a_record_is_in() {
    let (entries, output) = json(&["validate", &vector("older.neff"), "--gen", "v3", "--json"]);
    let entries = entries.as_array().unwrap();
    assert_eq!(entries.len(), 12);
    assert!(entries.iter().all(|entry| entry["stream"].is_string()));
    let legal = entries.iter().all(|entry| entry["legal"] == true);
    assert_eq!(output.status.code(), Some(i32::from(!legal)));
    let output = lanedrop(&["validate", &vector("older.neff"), "--gen", "v3"]);
    let said = text(&output.stdout);
    let headings: Vec<_> = said.lines().filter(|line| line.contains(".bin (")).collect();
    assert_eq!(headings[0], "sg00/dve.bin (DVE), 6 records");
    assert_eq!(headings.len(), 5);
}

#[test]
fn a_disassembled_stream_assembles_to_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let output = lanedrop(&["disassemble", &vector("older.neff"), "--stream", "dve"]);
    assert!(text(&output.stdout).contains("# stream sg00/dve.bin (DVE), 6 records\n"));
    let source = file(&folder, "dve.asm", &output.stdout);
    let binary = folder.path().join("dve.bin");
    let arguments = ["assemble", source.to_str().unwrap(), "-o", binary.to_str().unwrap()];
    let assembled = lanedrop(&arguments);
    assert_eq!(assembled.status.code(), Some(0), "{}", text(&assembled.stderr));
    let expected = std::fs::read(vector("expected.json")).unwrap();
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    let bytes = std::fs::read(binary).unwrap();
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digits, expected["older.neff"][0]["bytes"].as_str().unwrap());
}

#[test]
fn a_broken_neff_is_an_error_that_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = std::fs::read(vector("older.neff")).unwrap();
    bytes.truncate(bytes.len() - 20);
    let path = file(&folder, "cut.neff", &bytes);
    let output = lanedrop(&["decode", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("the payload is broken behind"), "{said}");
}

/// CAYMAN's DVE data image with its known strings and words and nothing else.
fn data_image() -> Vec<u8> {
    let mut image = vec![0; 0x6d60];
    image[..4].copy_from_slice(&[0x34, 0xcb, 0x99, 0x60]);
    for slot in 0..170usize {
        let first: u32 = match slot + 0x41 {
            0x7f => 0x3116,
            0x64 => 0x30b6,
            0x8e => 0x30be,
            _ if slot < 74 => 0x3000 + 8 * slot as u32,
            _ => 0x3207,
        };
        let second = if first == 0x3207 { 0x39e6 } else { first + 0x7df };
        image[0x814 + 4 * slot..][..4].copy_from_slice(&first.to_le_bytes());
        image[0xabc + 4 * slot..][..4].copy_from_slice(&second.to_le_bytes());
    }
    let strings: [(usize, &[u8]); 3] = [
        (0xde0, b"S: Dispatch opcode=0x%x\n\0"),
        (0x1ed2, b"S: Stream-Transpose\n\0"),
        (0x1ee7, b"S: Dropout\n\0"),
    ];
    for (place, bytes) in strings {
        image[place..place + bytes.len()].copy_from_slice(bytes);
    }
    image
}

#[test]
fn evidence_check_confirms_an_image_and_names_a_corrupted_site() {
    let folder = tempfile::tempdir().unwrap();
    let mut image = data_image();
    let path = file(&folder, "dram.bin", &image);
    let output = lanedrop(&["evidence", "check", path.to_str().unwrap()]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.starts_with("the image CAYMAN_NX_DVE_DEBUG_DRAM alone\n"), "{said}");
    assert!(said.contains("  other build    CAYMAN_NX_DVE_DEBUG_DRAM"), "{said}");
    assert!(said.contains(" 0 refuted"), "{said}");

    image[0x1ee7] ^= 1;
    let path = file(&folder, "wrong.bin", &image);
    let (report, output) = json(&["evidence", "check", path.to_str().unwrap(), "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let checks = report["checks"].as_array().unwrap();
    let refuted: Vec<_> = checks
        .iter()
        .filter(|line| line["state"] == "refuted")
        .map(|line| (line["offset_bytes"].as_u64().unwrap(), line["claim"].as_str().unwrap()))
        .collect();
    assert_eq!(refuted, [(0x1ee7, "firmware-log-strings")]);
}

#[test]
fn evidence_check_of_another_file_could_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "other.bin", &[7; 5000]);
    let output = lanedrop(&["evidence", "check", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("none of the images that the ledger knows"));
    let missing = lanedrop(&["evidence", "check", "no-such-file"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn trace_steps_through_a_neff_and_adds_up_an_estimate() {
    let older = vector("older.neff");
    let output = lanedrop(&["trace", &older, "--stream", "dve", "--cost"]);
    assert_eq!(output.status.code(), Some(0));
    let said = text(&output.stdout);
    assert!(said.contains("0x0040  DROPOUT (0x7f)\n"), "{said}");
    assert!(said.contains("iram 0x96bc"), "{said}");
    assert!(said.contains("the runtime replaces it"), "{said}");
    // 512 elements, and 64, which is also the least.
    assert!(said.contains("about 576 cycles for 2 DROPOUT records: an estimate"), "{said}");

    let (records, _) = json(&["trace", &older, "--stream", "dve", "--json", "--cost"]);
    let dropout = &records[1];
    assert_eq!((dropout["offset"].as_u64(), dropout["name"].as_str()), (Some(64), Some("DROPOUT")));
    assert_eq!(dropout["cost"]["cycles"], 512);
    assert_eq!(dropout["cost"]["estimate"], true);
    let lines = dropout["lines"].as_array().unwrap();
    let count = lines.iter().find(|line| line["at"] == "a1+8").unwrap();
    assert_eq!(count["value"], "512");
    assert_eq!(records[0]["lines"][0]["claim"], "neff-pseudo-records");
    assert!(records[0].get("cost").is_none());
}
