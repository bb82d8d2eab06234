//! `lower` and `exec` from the command line.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::{Command, Output};

fn lanedrop(folder: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanedrop"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap()
}

fn fine(folder: &Path, arguments: &str) -> String {
    let output = lanedrop(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// An .npy of float32, version 1.0.
fn npy(shape: &str, values: impl Iterator<Item = f32>) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.into_bytes());
    bytes.extend(values.flat_map(f32::to_le_bytes));
    bytes
}

#[test]
fn a_lowered_tensor_gives_the_file_that_run_gives() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("x.npy"), npy("(300, 70)", (0..21_000).map(|i| i as f32 - 9.5)))
        .unwrap();
    for (generation, more) in
        [("v2", ""), ("v3", "--scale"), ("v4", "--keep"), ("v5", "--keep --scale")]
    {
        let said = fine(
            at,
            &format!(
                "lower --shape 300x70 --dtype Float --rate 0.3 --seed 11 --gen {generation} {more} -o tile"
            ),
        );
        assert!(
            said.starts_with(if more.contains("scale") { "7 records" } else { "4 records" }),
            "{said}"
        );
        fine(at, "exec tile.json --tensor x.npy -o exec.npy --save-state exec-state.npy");
        fine(
            at,
            &format!("run x.npy --rate 0.3 --seed 11 {more} -o run.npy --save-state run-state.npy"),
        );
        let read = |name: &str| std::fs::read(at.join(name)).unwrap();
        assert!(read("exec.npy") == read("run.npy"), "{generation} {more}");
        assert!(read("exec-state.npy") == read("run-state.npy"), "{generation} {more}");
    }
}

#[test]
fn a_program_takes_memory_from_arrays_and_gives_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(
        at.join("tile.asm"),
        "pseudo_set_rng_seed seed=11
         memset dtype=fp32 channels=128 fill_value=0x3f800000 dst=sbuf[p0+0x800](70)
         dropout dtype=fp32 channels=128 drop=0.3 src=sbuf[p0](70) dst=sbuf[p0+0x400](70)",
    )
    .unwrap();
    let region = |name: &str, offset: u32| {
        format!(
            "[[region]]\nname = \"{name}\"\nspace = \"sbuf\"\noffset_bytes = {offset}\n\
             dtype = \"float32\"\nshape = [128, 70]\n"
        )
    };
    let map = [region("x", 0), region("y", 0x400), region("ones", 0x800)].concat();
    std::fs::write(at.join("tile.toml"), map).unwrap();
    std::fs::write(at.join("x.npy"), npy("(128, 70)", (0..8960).map(|i| i as f32 + 1.0))).unwrap();
    // A file of arrays, made by the command itself under the name it was read by.
    fine(at, "run x.npy --rate 0 --seed 0 -o kept.npz");
    let map_out = region("out", 0);
    std::fs::write(at.join("copy.toml"), map_out).unwrap();
    std::fs::write(at.join("nothing.asm"), "nop").unwrap();
    fine(at, "exec nothing.asm --map copy.toml --memory kept.npz -o copy.npz");
    fine(at, "run copy.npz#out --rate 0 --seed 0 -o same.npy");
    let read = |name: &str| std::fs::read(at.join(name)).unwrap();
    fine(at, "run x.npy --rate 0 --seed 0 -o plain.npy");
    assert!(read("same.npy") == read("plain.npy"), "through memory and back");

    let text = std::fs::read_to_string(at.join("tile.toml")).unwrap().replace("\"x\"", "\"out\"");
    std::fs::write(at.join("tile.toml"), text).unwrap();
    for ending in ["npz", "safetensors"] {
        let json = fine(
            at,
            &format!("exec tile.asm --map tile.toml --memory kept.npz -o result.{ending} --json"),
        );
        assert!(json.contains("\"executed\":3"), "{json}");
        fine(at, &format!("run result.{ending}#y --rate 0 --seed 0 -o y.npy"));
        fine(at, "run x.npy --rate 0.3 --seed 11 -o run.npy");
        assert!(read("y.npy") == read("run.npy"), "{ending}");
    }
}

#[test]
fn a_program_that_stops_says_where_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("wait.asm"), "nop\nnop wait=sem[3]>=1").unwrap();
    std::fs::write(at.join("map.toml"), "region = []").unwrap();
    let output = lanedrop(at, "exec wait.asm --map map.toml -o out.npz");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "lanedrop: 0x40 NOP: deadlock: it waits for semaphore 3 >= 1, which is 0; no record would \
         signal it\n"
    );
    assert!(!at.join("out.npz").exists());
    fine(at, "exec wait.asm --map map.toml -o out.npz --satisfy-waits");
    fine(at, "exec wait.asm --map map.toml -o out.npz --semaphore 3=1");
    let refused = lanedrop(at, "lower --shape 4x4 --dtype Long --rate 0.1 -o tile");
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.contains("c10 type Long is INT64, which is_valid_dtype refuses"), "{message}");
    assert_eq!(refused.status.code(), Some(2));
}
