//! The page `docs/recover.md`: each command in it is run, in order, in one
//! folder, and prints what the page says.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::Command;

/// One command of the page.
struct Step {
    command: String,
    status: i32,
    lines: Vec<String>,
}

/// Returns the commands of the `console` blocks: `$ command`, an exit status
/// after `?` where it is not 0, and the output.
fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside {
            if let Some(command) = line.strip_prefix("$ ") {
                steps.push(Step { command: command.into(), status: 0, lines: Vec::new() });
            } else if let Some(status) = line.strip_prefix("? ") {
                steps.last_mut().unwrap().status = status.parse().unwrap();
            } else {
                steps.last_mut().unwrap().lines.push(line.into());
            }
        }
    }
    steps
}

/// Returns whether a line is as the page has it, `[..]` standing for anything.
fn line_matches(pattern: &str, line: &str) -> bool {
    match pattern.split_once("[..]") {
        None => pattern == line,
        Some((start, rest)) => line.strip_prefix(start).is_some_and(|line| {
            (0..=line.len()).any(|at| line.get(at..).is_some_and(|l| line_matches(rest, l)))
        }),
    }
}

/// Returns whether the output is as the page has it, `...` standing for any
/// lines.
fn output_matches(pattern: &[String], lines: &[&str]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=lines.len()).any(|skip| output_matches(rest, &lines[skip..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, more)| line_matches(first, line) && output_matches(rest, more)),
    }
}

fn lanedrop(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lanedrop"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn every_command_of_the_page_does_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/recover.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let dump = "trn1-dump-2023-08.json";
    std::fs::copy(root.join("examples").join(dump), folder.path().join(dump)).unwrap();
    let steps = steps(&page);
    assert!(steps.len() > 10, "the page has {} commands", steps.len());
    for step in steps {
        let (command, to) = match step.command.split_once(" > ") {
            Some((command, to)) => (command, Some(to)),
            None => (&step.command[..], None),
        };
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(words[0], "lanedrop", "{}", step.command);
        let (status, text, remarks) = lanedrop(folder.path(), &words[1..]);
        assert_eq!(status, Some(step.status), "{}\n{text}{remarks}", step.command);
        if let Some(to) = to {
            std::fs::write(folder.path().join(to), text).unwrap();
            continue;
        }
        let lines: Vec<&str> = text.lines().collect();
        assert!(output_matches(&step.lines, &lines), "{} prints\n{text}", step.command);
    }
}

#[test]
fn a_plan_writes_what_a_device_needs() {
    let folder = tempfile::tempdir().unwrap();
    for (name, options) in [("one", &[][..]), ("many", &["--lane-words", "--raw-draws"][..])] {
        let plan = [&["recover", "plan", "--elements", "64", "-o", name], options].concat();
        let (status, _, remarks) = lanedrop(folder.path(), &plan);
        assert_eq!(status, Some(0), "{remarks}");
        let at = folder.path().join(name);
        let program = std::fs::read(at.join("program.bin")).unwrap();
        assert!(program.len() > 64 && program.len().is_multiple_of(64));
        let plan: serde_json::Value =
            serde_json::from_slice(&std::fs::read(at.join("plan.json")).unwrap()).unwrap();
        assert_eq!(plan["format"], "dropout-plan/1");
        for group in plan["seeds"].as_object().unwrap().keys() {
            assert!(at.join(format!("seeds-{group}.npy")).exists());
        }
        for file in ["program.asm", "capture.py", "input.npy"] {
            assert!(at.join(file).exists(), "{file}");
        }
    }
}

#[test]
fn a_bad_capture_is_named_by_its_field_with_status_2() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.json");
    std::fs::write(&path, r#"{"format": "dropout-capture/1", "device": "d", "lanes": 0}"#).unwrap();
    let (status, _, remarks) = lanedrop(folder.path(), &["recover", "solve", "bad.json"]);
    assert_eq!(status, Some(2));
    assert!(remarks.contains("lanes is 0, expected a whole number from 1 to 65536"), "{remarks}");
}

#[test]
fn a_separating_capture_is_made_from_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let words = ["recover", "simulate", "--profile", "xorshift", "-o", "capture.json"];
    assert_eq!(lanedrop(at, &words).0, Some(0));
    let (status, json, _) = lanedrop(at, &["recover", "solve", "capture.json", "--json"]);
    assert_eq!(status, Some(0));
    std::fs::write(at.join("report.json"), json).unwrap();
    let plan = ["recover", "plan", "--lane-words", "--separate", "report.json", "-o", "next"];
    let (status, text, remarks) = lanedrop(at, &plan);
    assert_eq!(status, Some(0), "{text}{remarks}");
    assert!(text.starts_with("P5  4 instructions"), "{text}");
    assert!(at.join("next/program.bin").exists());
}
