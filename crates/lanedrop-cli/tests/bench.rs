//! What `lanedrop bench` and `lanedrop backends` promise to other programs.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::process::{Command, Output};

use serde_json::Value;

fn lanedrop(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanedrop")).args(args).output().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_bench_line_has_the_promised_keys_and_its_figures_agree() {
    let asked = "bench --ops apply --shapes 16x512 --dtypes bf16 --profiles trn1 --rates 0.25 \
                 --backend scalar --json";
    let lines = lines(&lanedrop(&asked.split_whitespace().collect::<Vec<_>>()));
    assert_eq!(lines.len(), 1);
    let line = &lines[0];
    for (key, wanted) in [
        ("op", Value::from("apply")),
        ("shape", "16x512".into()),
        ("dtype", "bf16".into()),
        ("rate", 0.25.into()),
        ("profile", "trn1".into()),
        ("threads", 1.into()),
        ("backend", "scalar".into()),
    ] {
        assert_eq!(line[key], wanted, "{key}");
    }
    let figure = |key: &str| line[key].as_f64().unwrap_or_else(|| panic!("{key} in {line}"));
    let keys = ["ns_per_elem", "gb_s", "gelem_s", "memcpy_gb_s", "copy_gb_s", "vs_memcpy"];
    assert!(keys.into_iter().all(|key| figure(key) > 0.0));
    assert!(figure("spread") >= 1.0);
    // Two bytes in and two out an element.
    assert!((figure("gb_s") * figure("ns_per_elem") - 4.0).abs() < 1e-6);
    assert!((figure("gb_s") / figure("copy_gb_s") - figure("vs_copy")).abs() < 1e-6);
    assert!(figure("copy_gb_s") >= figure("memcpy_gb_s"));
}

#[test]
fn a_jump_is_measured_without_a_tensor() {
    let output = lanedrop(&["bench", "--ops", "jump", "--profiles", "trn1", "--json"]);
    let lines = lines(&output);
    assert_eq!(lines.len(), 1);
    assert!(lines[0]["dtype"].is_null() && lines[0]["ns_per_elem"].as_f64().unwrap() > 0.0);
}

#[test]
fn every_backend_can_be_named_and_others_are_refused_with_their_names() {
    let names: Vec<String> = lines(&lanedrop(&["backends", "--json"]))
        .iter()
        .map(|line| line["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(names.contains(&"scalar".to_owned()) && names.contains(&"reference".to_owned()));
    let refused = lanedrop(&["bench", "--backend", "abacus"]);
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(names.iter().all(|name| message.contains(name)), "{message}");
}
