//! Containers of both dialects made by a Python script, and ones made here
//! that are wrong in one place.

#![allow(clippy::unwrap_used)]

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use lanedrop::isa::Engine;
use lanedrop::neff::{Hash, Limits, Neff, NeffError, Note, read};
use proptest::prelude::*;
use serde_json::Value;
use tar::{Builder, EntryType, Header};

#[path = "../../../fuzz/bodies/neff.rs"]
mod body;

const OLDER: &[u8] = include_bytes!("../../../vectors/neff/older.neff");
const NEWER: &[u8] = include_bytes!("../../../vectors/neff/newer.neff");
const RAW: &[u8] = include_bytes!("../../../vectors/neff/raw.neff");
const EXPECTED: &str = include_str!("../../../vectors/neff/expected.json");

fn open(file: &[u8]) -> Result<Neff, NeffError> {
    read(file, &Limits::default())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A record of this opcode and nothing else.
fn record(opcode: u8) -> Vec<u8> {
    let mut record = vec![0; 64];
    record[..2].copy_from_slice(&[opcode, 0x10]);
    record
}

/// Puts a header before a payload.
fn neff(pkg_version: u8, payload: &[u8]) -> Vec<u8> {
    let mut file = body::wrapped(payload);
    file[0] = pkg_version;
    file[24] = 2;
    file
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_entry_type(EntryType::Regular);
        builder.append_data(&mut header, name, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn the_containers_made_by_python_give_the_streams_it_put_in() {
    let expected: Value = serde_json::from_str(EXPECTED).unwrap();
    for (name, file) in [("older.neff", OLDER), ("newer.neff", NEWER), ("raw.neff", RAW)] {
        let neff = open(file).unwrap();
        assert_eq!(neff.header.hash_check, Hash::Agrees, "{name}");
        assert_eq!(neff.header.name, name.trim_end_matches(".neff"));
        assert_eq!((neff.header.build.as_str(), neff.header.version_major), ("made-2.0", 2));
        assert_eq!(neff.header.uuid, std::array::from_fn(|i| i as u8));
        assert_eq!((neff.header.tpb_count, neff.header.feature_bits), (1, 5));
        assert_eq!(neff.header.vnc_size, 1);
        assert_eq!(neff.header.data_size_bytes, file.len() as u64 - 1024);
        let streams = expected[name].as_array().unwrap();
        assert_eq!(neff.streams.len(), streams.len(), "{name}");
        for (stream, expected) in neff.streams.iter().zip(streams) {
            assert_eq!(stream.member, expected["member"].as_str().unwrap());
            assert_eq!(stream.engine_name(), expected["engine"].as_str().unwrap());
            assert_eq!(hex(&stream.bytes), expected["bytes"].as_str().unwrap());
            let dropouts: Vec<u64> = stream.dropouts().map(|offset| offset as u64).collect();
            assert_eq!(serde_json::json!(dropouts), expected["dropouts"], "{}", stream.member);
            assert_eq!(serde_json::json!(stream.pseudo_records()), expected["pseudo"]);
        }
    }
}

#[test]
fn a_dropout_of_another_engine_is_told() {
    let neff = open(OLDER).unwrap();
    let note = Note::DropoutElsewhere {
        member: "sg00/pool.bin".into(),
        engine: Some(Engine::Pool),
        count: 2,
        first_bytes: 64,
    };
    assert_eq!(neff.notes, [note]);
    assert_eq!(
        neff.notes[0].to_string(),
        "sg00/pool.bin is the stream of POOL and holds 2 DROPOUT, first at 0x40; only the DVE runs it"
    );
    assert_eq!(neff.members, 9);
    assert!(open(NEWER).unwrap().notes.is_empty());
}

#[test]
fn a_stream_is_named_by_its_member_or_its_engine() {
    let neff = open(NEWER).unwrap();
    assert_eq!(neff.named("dve").count(), 3);
    assert_eq!(neff.of_engine(Engine::Dve).count(), 3);
    let member = neff.streams[1].member.clone();
    assert_eq!(neff.named(&member).count(), 1);
    assert_eq!(neff.named("sp").count(), 0);
}

#[test]
fn each_fault_of_the_header_is_named() {
    let error = |file: &[u8]| open(file).unwrap_err().to_string();
    assert_eq!(error(&OLDER[..1023]), "1023 bytes are less than the header of 1024");
    let mut file = OLDER.to_vec();
    file[8] = 1;
    assert_eq!(error(&file), "header_size (byte 8) is 1025, expected 1024");
    assert!(error(&OLDER[..1024]).starts_with("the payload (byte 1024) starts with []"));
    let mut file = OLDER.to_vec();
    file[1024] = 0;
    assert!(error(&file).contains("expected gzip (1f 8b) or a tar header"), "{}", error(&file));
}

#[test]
fn what_reads_oddly_is_noted_and_read_all_the_same() {
    let mut file = OLDER.to_vec();
    file[16] ^= 1;
    file[24] = 3;
    let notes = open(&file).unwrap().notes;
    assert!(matches!(notes[0], Note::DataSize { .. }), "{notes:?}");
    assert!(matches!(notes[1], Note::Version { major: 3 }), "{notes:?}");
    let mut file = RAW.to_vec();
    file[0xac] ^= 1;
    assert_eq!(open(&file).unwrap().notes, [Note::Hash { pkg_version: 1 }]);
    file[0] = 7;
    assert_eq!(open(&file).unwrap().header.hash_check, Hash::Unknown);

    let members = [("dve.bin", &record(0x7f)[..63]), ("x.bin", &record(0x49)), ("pe.bin", b"")];
    let neff = open(&neff(1, &tar(&members))).unwrap();
    assert_eq!(neff.header.hash_check, Hash::Absent);
    let leftover = Note::Leftover { member: "dve.bin".into(), len_bytes: 63 };
    let unnamed = Note::NoEngine { member: "x.bin".into() };
    assert_eq!(neff.notes, [leftover, unnamed, Note::NoDve]);
    let names: Vec<&str> = neff.streams.iter().map(|stream| stream.member.as_str()).collect();
    assert_eq!(names, ["x.bin", "pe.bin"]);
}

#[test]
fn a_payload_cut_anywhere_is_told_and_a_whole_one_is_not() {
    for len in (1024 + 2..OLDER.len()).step_by(7) {
        let error = open(&OLDER[..len]).unwrap_err();
        assert!(matches!(error, NeffError::Broken { .. }), "{len}: {error}");
    }
    let mut file = OLDER.to_vec();
    let middle = 1024 + (file.len() - 1024) / 2;
    file[middle] ^= 0x10;
    assert!(open(&file).is_err());
}

#[test]
fn an_archive_without_streams_is_told() {
    let error = open(&neff(1, &tar(&[("a.json", b"{}"), ("w.bin", b"abc")]))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "none of the 2 members is an instruction stream (*.bin or *_instr)"
    );
}

#[test]
fn a_bomb_ends_at_the_limit() {
    let zeros = vec![0; 8 << 20];
    let limits = Limits { unpacked_bytes: 1 << 20, ..Limits::default() };
    // Passed over or kept, by its name; 8 MiB from some kilobytes.
    for name in ["weights.npy", "dve.bin"] {
        let file = neff(2, &gzip(&tar(&[(name, &zeros)])));
        assert!(file.len() < 20_000);
        let error = read(&file, &limits).unwrap_err();
        assert!(matches!(error, NeffError::Unpacked { limit_bytes: 1_048_576 }), "{error}");
    }
    let limits = Limits { stream_bytes: 1 << 20, ..Limits::default() };
    let file = neff(2, &gzip(&tar(&[("sp.bin", b""), ("dve.bin", &zeros)])));
    let error = read(&file, &limits).unwrap_err();
    assert!(matches!(error, NeffError::Streams { len_bytes: 8_388_608, .. }), "{error}");
    // Many streams count together.
    let half = vec![0; 600 << 10];
    let file = neff(2, &gzip(&tar(&[("pe.bin", &half), ("dve.bin", &half)])));
    assert!(matches!(read(&file, &limits), Err(NeffError::Streams { .. })));
}

#[test]
fn more_members_or_longer_names_than_allowed_are_told() {
    let file = neff(1, &tar(&[("a", b""), ("b", b""), ("dve.bin", b"")]));
    let limits = Limits { members: 2, ..Limits::default() };
    assert!(matches!(read(&file, &limits), Err(NeffError::Members { limit: 2 })));
    let long = format!("{}/dve.bin", "d".repeat(5000));
    let error = open(&neff(2, &gzip(&tar(&[(&long, b"")])))).unwrap_err();
    assert!(matches!(error, NeffError::Name { index: 0, limit_bytes: 4096, .. }), "{error}");
}

#[test]
fn the_fuzz_body_holds_for_the_vectors() {
    for file in [OLDER, NEWER, RAW] {
        body::check(file);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_damage_is_survived(place in 0usize..1 << 16, flip: u8, cut in 0usize..1 << 16, which in 0..3) {
        let mut file = [OLDER, NEWER, RAW][which as usize].to_vec();
        let place = place % file.len();
        file[place] ^= flip;
        body::check(&file);
        file.truncate(cut % file.len());
        body::check(&file);
    }

    #[test]
    fn any_archive_is_survived(damage in proptest::collection::vec((0usize..4096, any::<u8>()), 0..8)) {
        let mut payload = tar(&[("sg00/dve.bin", &record(0x7f)), ("x/pool.bin", &record(0x4d))]);
        for (place, byte) in damage {
            let place = place % payload.len();
            payload[place] = byte;
        }
        body::check(&neff(2, &gzip(&payload)));
        body::check(&neff(1, &payload));
    }
}
