//! The modules of the library use only earlier ones.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules, each of which may use those before it.
const ORDER: [&str; 13] = [
    "evidence", "isa", "asm", "gf2", "rng", "device", "kernel", "exec", "recover", "neff",
    "quality", "lint", "lib",
];

/// Uses that the order would allow and the design does not.
fn forbidden(user: &str, used: &str) -> bool {
    user == "kernel" || (user == "recover" && used == "exec")
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Returns every Rust file under `folder`.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the source folder is there") {
        let path = entry.expect("the source folder can be listed").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files
}

/// Returns the modules that a text names behind `crate::`, also in braces.
fn used_modules(text: &str) -> Vec<String> {
    let mut used = Vec::new();
    // Comments and examples may point anywhere.
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join("\n");
    for (at, _) in code.match_indices("crate::") {
        // `$crate::` too; `lanedrop::` is how examples say it.
        let rest = code[at + "crate::".len()..].trim_start();
        let name = |text: &str| -> String {
            text.trim_start()
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect()
        };
        match rest.strip_prefix('{') {
            None => used.push(name(rest)),
            Some(list) => {
                let (mut depth, mut start) = (0, 0);
                for (i, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => {
                            used.push(name(&list[start..i]));
                            break;
                        }
                        '}' => depth -= 1,
                        ',' if depth == 0 => {
                            used.push(name(&list[start..i]));
                            start = i + 1;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    used.retain(|name| !name.is_empty());
    used
}

#[test]
fn used_modules_finds_paths_lists_and_macros() {
    let text = "use crate::isa::{Word, validate};\nuse crate::{asm::{self, x}, gf2};\n\
                let a = $crate::rng::Lane; // crate::lint is a comment\n pub(crate) fn x() {}";
    assert_eq!(used_modules(text), ["isa", "asm", "gf2", "rng"]);
}

#[test]
fn every_module_is_in_the_order() {
    for entry in fs::read_dir(source()).unwrap() {
        let name = entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        assert!(ORDER.contains(&name.as_str()), "{name} has no place in the order");
    }
}

#[test]
fn modules_use_only_earlier_ones() {
    let place = |name: &str| ORDER.iter().position(|module| *module == name);
    let mut wrong = Vec::new();
    for file in rust_files(&source()) {
        let relative = file.strip_prefix(source()).unwrap();
        let user = relative.iter().next().unwrap().to_string_lossy().replace(".rs", "");
        for used in used_modules(&fs::read_to_string(&file).unwrap()) {
            if used == user {
                continue;
            }
            // Behind `crate::` stands a module, or an item of lib.rs, which has none.
            let late = place(&used).is_none_or(|used| Some(used) > place(&user));
            if late || forbidden(&user, &used) {
                wrong.push(format!("{}: {user} uses {used}", relative.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "against the order of modules:\n{}", wrong.join("\n"));
}
