//! Profile files: what is read, what is refused and how, and the way back.

use lanedrop::rng::{Compare, Field, Fp8Exp4, Profile, ProfileError, Recurrence, Seeding, Uniform};
use proptest::prelude::*;

#[path = "../../../fuzz/bodies/profile.rs"]
mod body;

const GOOD: &str = r#"name = "mine"
steps_per_draw = 3
draw = "before"
registers_per_lane = 4
uniform = "signed-half"
compare = "enum-comment"
seeding = "same"

[recurrence]
kind = "galois"
direction = "right"
mask = 0xa3000000
feedback = "xor"

[evidence]
recurrence = "a capture of mine"
"#;

fn error(text: &str) -> String {
    Profile::from_toml(text).err().map_or("none".into(), |error| error.to_string())
}

#[test]
fn a_good_file_is_read() {
    let profile = Profile::from_toml(GOOD).unwrap();
    assert_eq!(profile.name, "mine");
    assert_eq!((profile.steps_per_draw, profile.registers_per_lane), (3, 4));
    assert_eq!(profile.recurrence.step(3), Some(0xa300_0001));
    assert_eq!(profile.evidence[&Field::Recurrence], "a capture of mine");
    assert_eq!(profile.assumptions().len(), 6);
}

#[test]
fn every_missing_key_is_named_with_its_table() {
    for (line, text) in GOOD.lines().enumerate() {
        let Some((key, _)) = text.split_once(" = ") else { continue };
        if line == 15 {
            continue; // the evidence may be left out
        }
        let without: String =
            GOOD.lines().filter(|other| *other != text).map(|kept| format!("{kept}\n")).collect();
        let (place, at) =
            if line < 7 { ("a profile", "line 1") } else { ("[recurrence]", "line 9") };
        let key = if key == "mask" { "taps (or mask)" } else { key };
        assert_eq!(error(&without), format!("{at}: {key} is missing from {place}"));
    }
    assert_eq!(error(""), "line 1: name is missing from a profile");
    let twice = format!("draw = \"after\"\n{GOOD}");
    assert!(error(&twice).ends_with("duplicate key draw"), "{}", error(&twice));
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_what_would_do() {
    assert_eq!(
        error(&GOOD.replace("mask =", "tapz =")),
        "line 12: tapz is not a key of [recurrence], which has kind, direction, taps, mask, feedback"
    );
    assert!(error(&format!("colour = 1\n{GOOD}")).starts_with("line 1: colour is not a key of a"));
    assert!(error(&GOOD.replace("recurrence = \"a", "recurence = \"a")).starts_with("line 16: "));
    // A key of another kind of recurrence is unknown too.
    assert!(
        error(&GOOD.replace("galois", "xorwow")).starts_with("line 11: direction is not a key")
    );
}

#[test]
fn a_wrong_type_is_named_with_its_line() {
    let cases = [
        (
            "steps_per_draw = 3",
            "steps_per_draw = \"3\"",
            "line 2: steps_per_draw is of type string",
        ),
        ("steps_per_draw = 3", "steps_per_draw = 3.0", "line 2: steps_per_draw is of type float"),
        ("draw = \"before\"", "draw = true", "line 3: draw is of type boolean, expected string"),
        ("mask = 0xa3000000", "taps = 5", "line 12: taps is of type integer, expected array"),
        ("mask = 0xa3000000", "taps = [\"a\"]", "line 12: taps is of type string"),
        ("\"a capture of mine\"", "[1]", "line 16: recurrence is of type array, expected string"),
    ];
    for (from, to, expected) in cases {
        let found = error(&GOOD.replacen(from, to, 1));
        assert!(found.starts_with(expected), "{found}");
    }
    let no_table = GOOD.split("\n[recurrence]").next().unwrap().to_owned() + "recurrence = 1\n";
    assert_eq!(error(&no_table), "line 8: recurrence is of type integer, expected table");
}

#[test]
fn a_value_out_of_range_is_named_with_its_line_and_what_would_do() {
    let cases = [
        ("= 3", "= 0", "line 2: steps_per_draw is 0, expected 1 to 4294967295"),
        ("= 3", "= -1", "line 2: steps_per_draw is -1, expected 1 to 4294967295"),
        ("= 3", "= 4294967296", "line 2: steps_per_draw is 4294967296, expected 1 to 4294967295"),
        ("= 4", "= 2", "line 4: registers_per_lane is 2, expected 1 or 4"),
        (
            "signed-half",
            "top24",
            "line 5: uniform is \"top24\", expected one of top23, low23, trunc24, nearest, truncate, signed-half",
        ),
        ("\"mine\"", "\"\"", "line 1: name is \"\", expected one line of text"),
        ("\"mine\"", "\"a\\nb\"", "line 1: name is \"a\\nb\", expected one line of text"),
        (
            "mask = 0xa3000000",
            "mask = 0x1a3000000",
            "line 12: mask is 0x1a3000000, expected 0 to 4294967295",
        ),
        ("mask = 0xa3000000", "taps = [33]", "line 12: taps is 33, expected 1 to 32"),
        ("mask = 0xa3000000", "taps = [\n1,\n0]", "line 14: taps is 0, expected 1 to 32"),
        (
            "mask = 0xa3000000",
            "taps = [3, 3]",
            "line 12: taps is a list with 3 twice, expected each tap once",
        ),
        (
            "mask = 0xa3000000",
            "taps = []",
            "line 12: taps is empty, expected taps, or mask = 0 for none",
        ),
        (
            "mask = 0xa3000000",
            "taps = [1]\nmask = 1",
            "line 13: mask is given beside taps, expected one of the two",
        ),
    ];
    for (from, to, expected) in cases {
        assert_eq!(error(&GOOD.replacen(from, to, 1)), expected);
    }
}

#[test]
fn a_bad_shift_or_matrix_is_named() {
    let with = |recurrence: &str| {
        GOOD.split("kind").next().unwrap().to_owned() + "kind = " + recurrence + "\n"
    };
    for shift in ["L0", "L32", "R", "L+5", "5", "X3", "L256", "", "é1"] {
        let text = with(&format!("\"xorshift\"\nshifts = [\"L1\", {shift:?}]"));
        assert_eq!(
            error(&text),
            format!("line 11: shifts is {shift:?}, expected L1 to L31 or R1 to R31")
        );
    }
    assert!(error(&with("\"xorshift\"\nshifts = []")).contains("at least one shift"));
    assert_eq!(
        error(&with("\"matrix\"\ncolumns = [1, 2]\nconstant = 0")),
        "line 11: columns is 2 integers, expected 32 integers"
    );
}

#[test]
fn text_that_is_no_toml_is_refused_with_its_line() {
    let found = Profile::from_toml("name = \"x\"\nsteps_per_draw = = 1\n").unwrap_err();
    assert!(matches!(found, ProfileError::Syntax { line: 2, .. }), "{found}");
    assert_eq!(found.line(), 2);
    // A key that stands twice is for the parser to find.
    assert_eq!(Profile::from_toml(&format!("{GOOD}\n[evidence]\n")).unwrap_err().line(), 18);
}

#[test]
fn inline_and_dotted_tables_are_tables() {
    let (top, rest) = GOOD.split_once("\n[recurrence]\n").unwrap();
    let body = rest.split_once("\n\n").unwrap().0;
    let inline = format!("{top}\nrecurrence = {{ {} }}\n", body.replace('\n', ", "));
    let dotted: String = body.lines().map(|line| format!("recurrence.{line}\n")).collect();
    let expected = Profile::from_toml(GOOD).unwrap().recurrence;
    for text in [inline, format!("{top}\n{dotted}")] {
        assert_eq!(Profile::from_toml(&text).unwrap().recurrence, expected, "{text}");
    }
}

#[test]
fn built_in_profiles_round_trip_with_and_without_remarks() {
    for profile in Profile::builtins() {
        assert_eq!(Profile::from_toml(&profile.to_toml()), Ok(profile.clone()));
        assert_eq!(Profile::from_toml(&profile.to_annotated_toml()), Ok(profile));
    }
}

#[test]
fn the_example_of_the_documentation_is_the_default_profile() {
    let example = include_str!("../../../docs/profiles.md")
        .split("```toml\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap();
    let read = Profile::from_toml(example).unwrap();
    let trn1 = Profile::builtin("trn1").unwrap();
    assert_eq!(read.recurrence, trn1.recurrence);
    assert!(Field::ALL.iter().all(|&field| read.agrees(&trn1, field)));
}

#[test]
fn the_reading_of_fp8_exp4_may_be_left_out() {
    let trn1 = Profile::builtin("trn1").unwrap();
    assert!(!trn1.to_toml().contains("fp8_exp4"));
    let other = Profile { fp8_exp4: Fp8Exp4::Fn, ..trn1.clone() };
    assert!(other.to_toml().contains("fp8_exp4 = \"fn\"\n"));
    assert_eq!(Profile::from_toml(&other.to_toml()), Ok(other));
    let wrong = trn1.to_toml().replace("\n[recurrence]", "fp8_exp4 = \"both\"\n\n[recurrence]");
    let error = Profile::from_toml(&wrong).unwrap_err().to_string();
    assert!(error.contains("fp8_exp4") && error.contains("ieee, fn"), "{error}");
}

#[test]
fn the_documentation_lists_every_built_in_profile_and_every_choice() {
    let page = include_str!("../../../docs/profiles.md");
    for profile in Profile::builtins() {
        assert!(page.contains(&format!("| `{}`", profile.name)), "{}", profile.name);
        let recurrence = profile.recurrence.to_string();
        assert!(page.contains(&format!("| {recurrence}")), "{recurrence}");
    }
    let choices = Uniform::ALL.map(Uniform::as_str).into_iter();
    let choices = choices.chain(Compare::ALL.map(Compare::as_str));
    let choices = choices.chain(Seeding::ALL.map(Seeding::as_str));
    for choice in choices.chain(Field::ALL.map(Field::as_str)) {
        assert!(page.contains(&format!("`{choice}`")) || page.contains(&format!("[{choice}]")));
    }
}

proptest! {
    #[test]
    fn any_text_is_refused_or_round_trips(text in "\\PC{0,400}") {
        body::check(text.as_bytes());
    }

    #[test]
    fn a_good_file_with_something_else_in_it_is_refused_or_round_trips(
        at in 0..GOOD.len(),
        cut in 0..40usize,
        other in "[ -~\n]{0,12}",
    ) {
        let mut text = GOOD.to_owned();
        text.replace_range(at..(at + cut).min(GOOD.len()), &other);
        body::check(text.as_bytes());
    }

    #[test]
    fn any_matrix_round_trips(columns in any::<[u32; 32]>(), offset: u32, name in "\\PC{1,20}") {
        let map = lanedrop::gf2::Affine32 { columns, offset };
        let profile = Profile {
            name,
            recurrence: Recurrence::Matrix(map),
            ..Profile::builtin("trn1").unwrap()
        };
        prop_assert_eq!(Profile::from_toml(&profile.to_toml()), Ok(profile));
    }
}
