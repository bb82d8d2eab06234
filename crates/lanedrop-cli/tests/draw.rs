//! States go out and come in: a stream goes on where it was left.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::{Command, Output};

fn draw(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanedrop"))
        .arg("draw")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn draws(folder: &Path, arguments: &[&str]) -> Vec<Vec<u64>> {
    let output = draw(folder, &[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    serde_json::from_value(json["draws"].clone()).unwrap()
}

/// Writes an `.npy` of uint32, as NumPy lays it out.
fn npy(path: &Path, shape: &str, words: impl IntoIterator<Item = u32>) {
    let header = format!("{{'descr': '<u4', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_saved_state_continues_every_generator() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let four = "name = 'four'\nsteps_per_draw = 3\ndraw = 'before'\nregisters_per_lane = 4\n\
                uniform = 'low23'\ncompare = 'less-than'\nseeding = 'same'\n\
                [recurrence]\nkind = 'xorshift'\nshifts = ['L13', 'R17', 'L5']\n";
    std::fs::write(at.join("four.toml"), four).unwrap();
    npy(&at.join("one.npy"), "(4,)", 1..=4);
    npy(&at.join("four.npy"), "(4, 4)", 1..=16);
    npy(&at.join("six.npy"), "(4, 6)", 1..=24);
    npy(&at.join("pcg.npy"), "(4, 2)", 1..=8);
    npy(&at.join("philox.npy"), "(6,)", 1..=6);
    npy(&at.join("trn3.npy"), "(4, 24)", 1..=96);
    let cases: [&[&str]; 6] = [
        &["--profile", "trn1", "--state", "one.npy"],
        &["--profile", "four.toml", "--state", "four.npy"],
        &["--profile", "trn3", "--state", "trn3.npy"],
        &["--algorithm", "xorwow", "--state", "six.npy"],
        &["--algorithm", "pcg32", "--state", "pcg.npy"],
        &["--algorithm", "philox", "--lanes", "4", "--state", "philox.npy"],
    ];
    for case in cases {
        // 4 draws, a jump of 2 and 8 more: in one go, and in two.
        let whole = draws(at, &[case, &["--count", "14"]].concat());
        let first = draws(at, &[case, &["--count", "4", "--save-state", "mid.npy"]].concat());
        let (start, _) = case.split_at(case.len() - 1);
        // In place: the state is read before it is replaced.
        let rest = ["mid.npy", "--skip", "2", "--count", "8", "--save-state", "mid.npy"];
        let rest = draws(at, &[start, &rest].concat());
        let next = draws(at, &[start, &["mid.npy", "--count", "1"]].concat());
        let longer = draws(at, &[case, &["--skip", "14", "--count", "1"]].concat());
        assert_eq!(next, longer, "{case:?}");
        assert_eq!((whole.len(), rest.len()), (4, 4));
        for lane in 0..4 {
            assert_eq!(whole[lane][..4], first[lane], "{case:?}");
            assert_eq!(whole[lane][6..], rest[lane], "{case:?}");
        }
    }
}

#[test]
fn a_state_that_is_cut_short_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("short.npy");
    npy(&path, "(4,)", 1..=3);
    let output = draw(folder.path(), &["--state", "short.npy"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.starts_with("lanedrop: short.npy: has 12 bytes of words, expected 16 for shape [4]"),
        "{text}"
    );
    npy(&path, "(4611686018427387904,)", 1..=3);
    assert_eq!(draw(folder.path(), &["--state", "short.npy"]).status.code(), Some(2));
}

#[test]
fn a_stuck_lane_is_told() {
    let folder = tempfile::tempdir().unwrap();
    npy(&folder.path().join("stuck.npy"), "(3,)", [1, u32::MAX, 7]);
    let output = draw(folder.path(), &["--state", "stuck.npy", "--count", "1"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("locked up, lane 1 first"), "{text}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn text_is_printed_as_it_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    // More draws than could be held; the reader takes a little and leaves.
    let mut child = Command::new(env!("CARGO_BIN_EXE_lanedrop"))
        .args(["draw", "--seed", "1", "--count", "1000000000000000"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut text = vec![0; 1000];
    std::io::Read::read_exact(&mut child.stdout.take().unwrap(), &mut text).unwrap();
    assert!(text.starts_with(b"lane"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
