//! `lanedrop run` as a program: what it writes, says and leaves alone.
//!
//! Bits are compared with NumPy by scripts/check_run.py; here are the cases
//! that need a process of their own and the words people read.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

fn lanedrop(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanedrop"));
    command.arg("run").current_dir(folder).stdin(Stdio::null());
    command
}

fn run(folder: &Path, arguments: &str) -> Output {
    lanedrop(folder).args(arguments.split_whitespace()).output().unwrap()
}

fn ok(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs what must not work; returns what it says.
fn refused(folder: &Path, arguments: &str) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

fn npy(folder: &Path, name: &str, descr: &str, shape: &str, data: &[u8]) -> PathBuf {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Returns the data of a file written by [`npy`] or the command.
fn data(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    let len = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[10 + len..].to_vec()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_run_keeps_bits_or_writes_zeros_and_counts_both() {
    let folder = folder();
    let at = folder.path();
    let src: Vec<u8> = (0..=255).cycle().take(4 * 7 * 300).map(|byte: u8| byte | 1).collect();
    npy(at, "x.npy", "<f4", "(7, 300)", &src);
    let json = ok(at, "x.npy --rate 0.3 --seed 9 --json -o out.npy --mask keep.npy");
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let keys = [
        "shape",
        "dtype",
        "rate",
        "threshold_type",
        "profile",
        "assumptions",
        "kept",
        "dropped",
        "effective_rate",
        "nominal_rate",
        "draws_per_lane",
        "seconds",
        "backend",
        "threads",
        "lints",
    ];
    for key in keys {
        assert!(report.get(key).is_some(), "{key}");
    }
    let (out, keep) = (data(&at.join("out.npy")), data(&at.join("keep.npy")));
    for ((src, out), keep) in src.chunks(4).zip(out.chunks(4)).zip(&keep) {
        assert_eq!(out, if *keep == 1 { src } else { &[0; 4] });
    }
    let kept = keep.iter().map(|&keep| u64::from(keep)).sum::<u64>();
    assert_eq!(
        (report["kept"].as_u64(), report["dropped"].as_u64()),
        (Some(kept), Some(2100 - kept))
    );
    assert_eq!(report["draws_per_lane"], 300);
    assert_eq!(report["rate"], 0.3);
    assert_eq!(report["shape"], serde_json::json!([7, 300]));
}

#[test]
fn the_summary_says_what_a_newcomer_asks() {
    let folder = folder();
    npy(folder.path(), "x.npy", "|i1", "(300,)", &[5; 300]);
    let text = ok(folder.path(), "x.npy --rate 0.1 --seed 0xabcdef -o out.npy");
    for part in [
        "x.npy: int8 (300,), 300 elements",
        "a 1-D tensor is one row, on lane 0",
        "drop 0.1",
        "seed 11259375",
        "trn1",
        "assumed",
        "the next one of its row is dropped with probability 0.50, not 0.10",
        "out.npy",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn what_was_not_chosen_is_said_on_standard_error() {
    let folder = folder();
    let at = folder.path();
    npy(at, "x.npy", "|i1", "(3,)", &[5; 3]);
    let said = |arguments: &str| String::from_utf8(run(at, arguments).stderr).unwrap();
    assert!(said("x.npy --rate 0.5 -o out.npy").contains("the seed is 0"));
    assert!(said("x.npy --rate 0.5 --profile trn3 -o out.npy").contains("firmware"));
    assert_eq!(
        said("x.npy --rate 0.5 --seed 77777777 --profile same.toml -o o.npy").lines().count(),
        1
    );
    assert_eq!(said("x.npy --rate 0.5 --seed 7777777 -o out.npy"), "");
}

#[test]
fn lints_are_said_and_change_no_status() {
    let folder = folder();
    let at = folder.path();
    npy(at, "x.npy", "|i1", "(300, 100)", &[5; 30_000]);
    for (arguments, lint) in [
        ("--rate 0.5 --seed 0 --profile simulator", "locked-lanes"),
        ("--rate 0.5 --seed 0x100002a", "seed-bits"),
        ("--rate 0.5 --seed 1 --lanes 300", "many-lanes"),
        ("--rate 1e-8 --seed 1", "effective-rate"),
        ("--rate 0.1 --seed 1", "realised-rate"),
        ("--rate 0.5 --profile trn3", "repeated-lanes"),
    ] {
        let output = run(at, &format!("x.npy {arguments} -o out.npy --json"));
        assert_eq!(output.status.code(), Some(0));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(&format!("[{lint}]")), "{arguments}: {said}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let names: Vec<&str> = report["lints"]
            .as_array()
            .unwrap()
            .iter()
            .map(|lint| lint["lint"].as_str().unwrap())
            .collect();
        assert!(names.contains(&lint), "{arguments}: {names:?}");
    }
}

#[test]
fn a_refused_run_leaves_every_file_as_it_was() {
    let folder = folder();
    let at = folder.path();
    npy(at, "x.npy", "<f4", "(2, 3)", &[1; 24]);
    npy(at, "cut.npy", "<f4", "(2, 3)", &[1; 23]);
    npy(at, "long.npy", "<i8", "(3,)", &[1; 24]);
    npy(at, "raw.npy", "|V2", "(3,)", &[1; 6]);
    std::fs::write(at.join("out.npy"), "old").unwrap();
    let before = files(at);
    for (arguments, wanted) in [
        (
            "cut.npy --rate 0.1 -o out.npy",
            "found 23 bytes of data, shape (2, 3) of float32 takes 24",
        ),
        ("long.npy --rate 0.1 -o out.npy", "'<i8' is int64, which rule is_valid_dtype_in forbids"),
        ("raw.npy --rate 0.1 -o out.npy", "say with --dtype what they hold (float16, bfloat16"),
        ("none.npy --rate 0.1 -o out.npy", "none.npy: No such file"),
        ("x.npy#a --rate 0.1 -o out.npy", "leave out #a"),
        ("x.npy --rate 1.5 -o out.npy", "expected a number from 0 to 1"),
        ("x.npy --rate 0.1 -o none/out.npy", "cannot create a file in"),
        ("x.npy --rate 0.1 -o out.npy --mask out.npy", "-o and --mask both name out.npy"),
        ("x.npy --rate 0.1 -o out.npy --mask x.npy", "TENSOR and --mask both name x.npy"),
        ("x.npy --rate 0.1 -o out.npy --backend abacus", "reference, scalar"),
        ("x.npy --rate 1 --scale -o out.npy", "threshold 1 of lane 0 keeps nothing"),
        ("x.npy --rate 0.1 --lanes 0 -o out.npy", "lanes is 0"),
        ("x.npy --rate 0.1 --lanes 99999999 -o out.npy", "at most 16777216"),
        ("x.npy --rate 0.1 -o -", "expected .npy, .npz or .safetensors"),
    ] {
        let said = refused(at, arguments);
        assert!(said.contains(wanted), "{arguments}: {said}");
        assert!(said.lines().next().unwrap().len() < 300, "{said}");
    }
    assert_eq!(files(at), before);
    assert_eq!(std::fs::read(at.join("out.npy")).unwrap(), b"old");
}

#[test]
fn a_file_of_several_tensors_is_not_replaced_by_one() {
    let folder = folder();
    let at = folder.path();
    let one = r#""a":{"dtype":"I8","shape":[2],"data_offsets":[0,2]}"#;
    let two = r#""b":{"dtype":"I8","shape":[2],"data_offsets":[2,4]}"#;
    for (tensors, data) in [(format!("{{{one},{two}}}"), 4), (format!("{{{one}}}"), 2)] {
        let mut file = (tensors.len() as u64).to_le_bytes().to_vec();
        file.extend(tensors.bytes().chain(std::iter::repeat_n(7, data)));
        std::fs::write(at.join("x.safetensors"), file).unwrap();
        let arguments = "x.safetensors#a --rate 0 --seed 1 -o ./x.safetensors";
        if data == 4 {
            assert!(refused(at, arguments).contains("holds 1 other tensor,"));
        } else {
            ok(at, arguments);
        }
    }
}

#[test]
fn the_state_goes_on_where_it_was_saved() {
    let folder = folder();
    let at = folder.path();
    // 2 tiles of 4 lanes; then the same rows in two runs of a tile each.
    let rows: Vec<u8> = (1..=8 * 5).collect();
    npy(at, "all.npy", "|u1", "(8, 5)", &rows);
    npy(at, "top.npy", "|u1", "(4, 5)", &rows[..20]);
    npy(at, "end.npy", "|u1", "(4, 5)", &rows[20..]);
    ok(at, "all.npy --rate 0.4 --seed 3 --lanes 4 -o all_out.npy --save-state whole.npy");
    ok(at, "top.npy --rate 0.4 --seed 3 --lanes 4 -o top_out.npy --save-state s.npy");
    ok(at, "end.npy --rate 0.4 --state s.npy -o end_out.npy --save-state s.npy");
    let two = [data(&at.join("top_out.npy")), data(&at.join("end_out.npy"))].concat();
    assert_eq!(data(&at.join("all_out.npy")), two);
    assert_eq!(data(&at.join("whole.npy")), data(&at.join("s.npy")));
    assert_eq!(data(&at.join("s.npy")).len(), 16);
}

/// Starts a run that takes long, and waits until it is writing.
fn long_run(at: &Path) -> Child {
    // 1 GiB of zeros that take no disk, by the slowest code.
    let path = npy(at, "big.npy", "<f4", "(16384, 16384)", &[]);
    let file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    file.set_len(file.metadata().unwrap().len() + (1 << 30)).unwrap();
    std::fs::write(at.join("out.npy"), "old").unwrap();
    let arguments = "big.npy --rate 0.1 --seed 1 --backend reference -o out.npy --mask m.npy";
    let child = lanedrop(at)
        .args(arguments.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let writing = || {
        std::fs::read_dir(at).unwrap().any(|entry| {
            let entry = entry.unwrap();
            entry.file_name().to_string_lossy().starts_with(".lanedrop-")
                && entry.metadata().is_ok_and(|it| it.len() > 1 << 20)
        })
    };
    while !writing() {
        assert!(start.elapsed() < Duration::from_secs(60), "no part of the output appeared");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

#[test]
fn a_killed_run_leaves_the_old_output() {
    let folder = folder();
    let mut child = long_run(folder.path());
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success());
    assert_eq!(std::fs::read(folder.path().join("out.npy")).unwrap(), b"old");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing_else() {
    let folder = folder();
    let mut child = long_run(folder.path());
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert_eq!(files(folder.path()), ["big.npy", "out.npy"]);
    assert_eq!(std::fs::read(folder.path().join("out.npy")).unwrap(), b"old");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_no_crash() {
    let folder = folder();
    let at = folder.path();
    npy(at, "x.npy", "<f4", "(2, 3)", &[1; 24]);
    std::os::unix::fs::symlink("/dev/full", at.join("out.npy")).unwrap();
    let said = refused(at, "x.npy --rate 0.1 --seed 1 -o out.npy");
    assert!(said.contains("No space left on device"), "{said}");
}

#[test]
fn an_output_never_replaces_a_side_file_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    npy(at, "t.npy", "<f4", "(4, 2)", &[1; 32]);
    npy(at, "s.npy", "<u4", "(4,)", &[3; 16]);
    npy(at, "r.npy", "<f4", "(4,)", &[0; 16]);
    let shown = std::process::Command::new(env!("CARGO_BIN_EXE_lanedrop"))
        .args(["profile", "show", "trn1"])
        .output()
        .unwrap();
    std::fs::write(at.join("p.toml"), shown.stdout).unwrap();
    let before = |name: &str| std::fs::read(at.join(name)).unwrap();
    let inputs = [
        ("s.npy", "--rate 0.5 --state s.npy"),
        ("r.npy", "--rates r.npy --lanes 4"),
        ("p.toml", "--rate 0.5 --lanes 4 --profile p.toml"),
    ];
    for (file, flags) in inputs {
        let bytes = before(file);
        for output in ["--mask", "--packed-mask", "--save-state", "-o"] {
            let allowed = (file, output) == ("s.npy", "--save-state");
            let odd_ending = (file, output) == ("p.toml", "-o");
            if allowed || odd_ending {
                continue;
            }
            let out = if output == "-o" { "" } else { "-o o.npy" };
            let said = refused(at, &format!("t.npy {flags} {out} {output} {file}"));
            assert!(said.contains("both name"), "{file} {output}: {said}");
            assert_eq!(before(file), bytes);
        }
    }
    ok(at, "t.npy --rate 0.5 --state s.npy --save-state s.npy -o t.npy");
}

#[test]
fn a_locked_up_lane_is_not_blamed_on_its_first_draws() {
    let folder = tempfile::tempdir().unwrap();
    npy(folder.path(), "t.npy", "<f4", "(4, 64)", &[1; 1024]);
    npy(folder.path(), "ones.npy", "<u4", "(4,)", &[0xff; 16]);
    let output = run(folder.path(), "t.npy --rate 0.5 --state ones.npy -o o.npy");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("[locked-lanes]"), "{said}");
    assert!(!said.contains("[realised-rate]"), "{said}");
}
