//! Every command that README.md and the help show, run in a folder that has
//! the files they name.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::{Command, Output};

const README: &str = include_str!("../../../README.md");

/// Runs a line of shell in which `lanedrop` is this build's command.
fn shell(folder: &Path, line: &str) -> Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_lanedrop"));
    let mut path = binary.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    Command::new("sh").args(["-c", line]).env("PATH", path).current_dir(folder).output().unwrap()
}

/// Returns the lines that call the command; a pipe into a tool that is not
/// ours ends them.
fn commands(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    // The vendor's library is on nobody's machine here.
    let ours = |line: &&str| line.starts_with("lanedrop ") && !line.contains("libnrtucode");
    let lines = joined.lines().map(str::trim).filter(ours);
    lines.map(|line| line.split(" | jq").next().unwrap().to_owned()).collect()
}

fn npy(path: &Path, descr: &str, shape: &str, data: &[u8]) {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let header = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    std::fs::write(path, bytes).unwrap();
}

/// Makes the files that the examples read, small.
fn prepare(folder: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::create_dir(folder.join("examples")).unwrap();
    for name in ["activations.npy", "dropout.s"] {
        let bytes = std::fs::read(root.join("examples").join(name)).unwrap();
        std::fs::write(folder.join("examples").join(name), &bytes).unwrap();
        std::fs::write(folder.join(name), &bytes).unwrap();
    }
    std::fs::copy(folder.join("dropout.s"), folder.join("tile.asm")).unwrap();
    assert!(shell(folder, "lanedrop assemble tile.asm -o dve.bin").status.success());
    assert!(shell(folder, "lanedrop profile show trn1 > mine.toml").status.success());
    npy(&folder.join("before.npy"), "<u4", "(1,)", &0x9d9b_f424u32.to_le_bytes());
    npy(&folder.join("a.npy"), "<u4", "(2,)", &[1; 8]);
    npy(&folder.join("s.npy"), "<u4", "(128,)", &[3; 512]);
    npy(&folder.join("rates.npy"), "<f4", "(128,)", &[0; 512]);
    npy(&folder.join("x.npy"), "<f4", "(2, 3)", &[1; 24]);
    npy(&folder.join("bits.npy"), "<V2", "(2, 3)", &[1; 12]);
    let region = |name: &str, offset: u32| {
        format!(
            "[[region]]\nname = \"{name}\"\nspace = \"sbuf\"\noffset_bytes = {offset}\n\
             dtype = \"float32\"\nshape = [128, 512]\n"
        )
    };
    let map = [region("out", 0x1000), region("y", 0x3000)].concat();
    std::fs::write(folder.join("tile.toml"), map).unwrap();
    npy(&folder.join("tile.npy"), "<f4", "(128, 512)", &[0x3f; 4 * 128 * 512]);
    let keep = "lanedrop run tile.npy --rate 0 --seed 0 -o in.npz";
    assert!(shell(folder, keep).status.success());
    let lower = "lanedrop lower --shape 256x64 --dtype float32 --rate 0.1 --seed 1 -o small";
    assert!(shell(folder, lower).status.success());
    for name in ["first", "second"] {
        let simulate = format!("lanedrop recover simulate -o {name}.json");
        assert!(shell(folder, &simulate).status.success());
    }
    let neff = root.join("vectors/neff/raw.neff");
    std::fs::copy(neff, folder.join("model.neff")).unwrap();
    let names = ["embeddings.weight", "embeddings.word_embeddings.weight"];
    let entry = |(i, name): (usize, &&str)| {
        let range = (i * 8, i * 8 + 8);
        format!(
            r#""{name}":{{"dtype":"F32","shape":[1,2],"data_offsets":[{},{}]}}"#,
            range.0, range.1
        )
    };
    let header = names.iter().enumerate().map(entry).collect::<Vec<_>>().join(",");
    let header = format!("{{{header}}}");
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend([0x3f; 16]);
    std::fs::write(folder.join("model.safetensors"), bytes).unwrap();
}

fn all_succeed(folder: &Path, commands: &[String]) {
    for line in commands {
        let output = shell(folder, line);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}\n{error}");
    }
}

#[test]
fn every_command_of_the_readme_works() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let commands = commands(README);
    assert!(commands.len() > 8, "{commands:?}");
    all_succeed(folder.path(), &commands);
}

#[test]
fn every_example_of_the_help_works() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let help = |verb: &str| {
        let output = shell(folder.path(), &format!("lanedrop {verb} --help"));
        assert_eq!(output.status.code(), Some(0), "{verb}");
        String::from_utf8(output.stdout).unwrap()
    };
    let list = help("");
    let verbs = list.lines().skip_while(|line| *line != "Commands:").skip(1);
    let verbs =
        verbs.take_while(|line| !line.is_empty()).filter_map(|l| l.split_whitespace().next());
    let mut verbs: Vec<&str> = verbs.filter(|verb| !matches!(*verb, "help" | "bench")).collect();
    assert!(verbs.len() >= 8, "{verbs:?}");
    verbs.extend(["recover check", "recover solve", "recover plan", "recover simulate"]);
    for verb in verbs {
        let text = help(verb);
        let commands = commands(&text);
        assert!(!commands.is_empty(), "the help of {verb} has no example");
        assert!(text.contains("Exit status"), "{verb}");
        all_succeed(folder.path(), &commands);
    }
}

#[test]
fn the_readme_shows_what_the_first_command_prints() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path());
    let line = README.lines().find(|line| line.starts_with("cargo run ")).unwrap();
    let line = line.replace("cargo run --release -p lanedrop-cli --", "lanedrop");
    let output = shell(folder.path(), &line);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    for printed in String::from_utf8(output.stdout).unwrap().lines() {
        // Time and backend are those of the machine.
        assert!(README.contains(printed) || printed.starts_with("output "), "{printed}");
    }
}

#[test]
fn validate_finds_what_is_illegal_though_its_reader_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let words = "7f11".to_owned() + &"00".repeat(62);
    std::fs::write(folder.path().join("bad.hex"), format!("{words}\n").repeat(5000)).unwrap();
    for flags in ["", "--json"] {
        // The reader takes a line and closes; `wait` would be the pipe's status.
        let line = format!("(lanedrop validate bad.hex {flags}; echo $? > status) | head -n 1");
        assert!(shell(folder.path(), &line).status.success());
        assert_eq!(std::fs::read_to_string(folder.path().join("status")).unwrap(), "1\n");
    }
}
