//! The library against `vectors/generators.json`, `uniform.json` and
//! `compare.json`, which a plain Python script makes.

#![allow(clippy::unwrap_used, reason = "tests")]

use lanedrop::isa::ThresholdType;
use lanedrop::rng::{
    Compare, Cut, DrawOrder, Lanes, Pcg32, Philox4x32, Profile, Seeding, Uniform, keeps,
};
use serde_json::Value;

fn file(name: &str) -> Value {
    let text = match name {
        "generators" => include_str!("../../../vectors/generators.json"),
        "uniform" => include_str!("../../../vectors/uniform.json"),
        _ => include_str!("../../../vectors/compare.json"),
    };
    serde_json::from_str(text).unwrap()
}

fn records(file: &Value, list: &str) -> Vec<Value> {
    let cases = file[list].as_array().unwrap().clone();
    assert!(!cases.is_empty());
    cases
}

fn word(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

fn words(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(word).collect()
}

fn rows(value: &Value) -> Vec<Vec<u32>> {
    value.as_array().unwrap().iter().map(words).collect()
}

fn uniform_of(value: &Value) -> Uniform {
    Uniform::ALL.into_iter().find(|rule| rule.as_str() == value).unwrap()
}

fn rule_of(case: &Value) -> (Compare, ThresholdType) {
    let compare = Compare::ALL.into_iter().find(|rule| rule.as_str() == case["compare"]).unwrap();
    let threshold_type = match case["threshold_type"].as_str().unwrap() {
        "drop-rate" => ThresholdType::DropRate,
        "keep-rate" => ThresholdType::KeepRate,
        other => panic!("threshold type {other}"),
    };
    (compare, threshold_type)
}

/// Makes the profile of a case, by way of TOML; JSON's values are TOML's.
fn profile(case: &Value) -> Profile {
    let fields = &case["profile"];
    let recurrence: String = fields["recurrence"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(key, value)| format!("{key} = {value}\n"))
        .collect();
    let text = format!(
        "name = \"vector\"\nsteps_per_draw = {}\ndraw = {}\nregisters_per_lane = {}\n\
         uniform = \"top23\"\ncompare = \"less-than\"\nseeding = \"same\"\n[recurrence]\n{recurrence}",
        fields["steps_per_draw"], fields["draw"], fields["registers_per_lane"]
    );
    Profile::from_toml(&text).unwrap()
}

/// What a generator did: draws of each lane, and the words after them.
type Run = (Vec<Vec<u32>>, Vec<Vec<u32>>);

fn run_profile(case: &Value, skip: u64, count: usize) -> Run {
    let profile = profile(case);
    let state = rows(&case["state"]);
    let mut lanes = Lanes::from_words(&profile, &state.concat(), state.len()).unwrap();
    lanes.advance_all(skip);
    let draws = (0..state.len())
        .map(|lane| {
            let mut draws = vec![0; count];
            lanes.fill(lane, &mut draws);
            draws
        })
        .collect();
    let end = lanes.words().chunks(lanes.words_per_lane()).map(<[u32]>::to_vec).collect();
    (draws, end)
}

fn run_pcg32(case: &Value, skip: u64, count: usize) -> Run {
    let increment = case["increment"].as_str().unwrap().parse().unwrap();
    rows(&case["state"])
        .iter()
        .map(|words| {
            let state = u64::from(words[1]) << 32 | u64::from(words[0]);
            let mut lane = Pcg32 { state, increment };
            lane.advance(skip);
            let draws = (0..count).map(|_| lane.next_u32()).collect();
            (draws, vec![lane.state as u32, (lane.state >> 32) as u32])
        })
        .unzip()
}

fn run_philox(case: &Value, skip: u64, count: usize) -> Run {
    let [a, b, c, d, key0, key1] = words(&case["state"])[..] else { panic!("six words") };
    let mut start = Philox4x32::new([a, b, c, d], [key0, key1]);
    let lanes = case["draws"].as_array().unwrap().len();
    start.advance(u128::from(skip) * lanes as u128);
    let mut flat = vec![0; count * lanes];
    start.fill(&mut flat);
    let draws =
        (0..lanes).map(|lane| flat[lane..].iter().step_by(lanes).copied().collect()).collect();
    assert_eq!(start.position(), 0);
    (draws, vec![start.counter().into_iter().chain(start.key()).collect()])
}

#[test]
fn every_generator_draws_its_stream() {
    let file = file("generators");
    for case in records(&file, "records") {
        let skip = case["skip"].as_str().unwrap().parse().unwrap();
        let expected = rows(&case["draws"]);
        let count = expected[0].len();
        let (draws, end) = match case["generator"].as_str().unwrap() {
            "profile" => run_profile(&case, skip, count),
            "pcg32" => run_pcg32(&case, skip, count),
            "philox" => run_philox(&case, skip, count),
            other => panic!("generator {other}"),
        };
        assert_eq!(draws, expected, "draws of {}", case["id"]);
        let expected_end = match case["end_state"][0].is_array() {
            true => rows(&case["end_state"]),
            false => vec![words(&case["end_state"])],
        };
        assert_eq!(end, expected_end, "state after {}", case["id"]);
    }
}

#[test]
fn single_draws_give_the_stream_that_fill_gives() {
    let file = file("generators");
    for case in records(&file, "records").iter().filter(|case| case["generator"] == "profile") {
        let state = rows(&case["state"]);
        let mut lanes = Lanes::from_words(&profile(case), &state.concat(), state.len()).unwrap();
        lanes.advance_all(case["skip"].as_str().unwrap().parse().unwrap());
        for (lane, expected) in rows(&case["draws"]).iter().enumerate() {
            let draws: Vec<u32> = expected.iter().map(|_| lanes.draw(lane)).collect();
            assert_eq!(&draws, expected, "{}", case["id"]);
        }
    }
}

#[test]
fn built_in_profiles_are_those_of_the_vectors() {
    let file = file("generators");
    let mut seen = Vec::new();
    for case in records(&file, "records") {
        let Some(name) = case["profile_name"].as_str() else { continue };
        let (built_in, of_case) = (Profile::builtin(name).unwrap(), profile(&case));
        assert_eq!(built_in.recurrence, of_case.recurrence, "{name}");
        assert_eq!(built_in.steps_per_draw, of_case.steps_per_draw, "{name}");
        assert_eq!(built_in.draw, of_case.draw, "{name}");
        assert_eq!(built_in.registers_per_lane, of_case.registers_per_lane, "{name}");
        assert_eq!(built_in.draw == DrawOrder::Before, name == "tenstorrent");
        seen.push(name.to_owned());
    }
    for profile in Profile::builtins() {
        assert!(seen.contains(&profile.name), "{} has no vector", profile.name);
    }
}

#[test]
fn seeds_make_the_states_of_the_vectors() {
    let file = file("generators");
    let seeded: Vec<_> =
        records(&file, "records").into_iter().filter(|case| case["seed"].is_u64()).collect();
    assert!(seeded.len() > 5);
    for case in seeded {
        let seeding =
            Seeding::ALL.into_iter().find(|rule| rule.as_str() == case["seeding"]).unwrap();
        let state = rows(&case["state"]);
        let profile = Profile { seeding, ..profile(&case) };
        let lanes = Lanes::seeded(&profile, word(&case["seed"]), state.len()).unwrap();
        assert_eq!(lanes.to_words(), state.concat(), "{}", case["id"]);
    }
}

#[test]
fn both_silicon_dumps_come_out_word_for_word() {
    let file = file("generators");
    let dumps: Vec<_> = records(&file, "records")
        .into_iter()
        .filter(|case| case["flags"].as_array().unwrap().contains(&"silicon".into()))
        .collect();
    let [first, second] = &dumps[..] else { panic!("two dumps") };
    let trn1 = Profile::builtin("trn1").unwrap();

    let mut lanes = Lanes::from_words(&trn1, &[0x9d9b_f424], 1).unwrap();
    for (j, printed) in words(&first["printed_u32"]).into_iter().enumerate() {
        let masked = lanes.draw(0) ^ (1.0 / (j + 1) as f32).to_bits();
        assert_eq!(masked, printed, "word {j}");
    }

    let signed_half = Profile { uniform: Uniform::SignedHalf, ..trn1 };
    let mut lanes = Lanes::seeded(&signed_half, 0, 4).unwrap();
    for (lane, floats) in rows(&second["uniform_bits"]).into_iter().enumerate() {
        for (k, bits) in floats.into_iter().enumerate() {
            let uniform = signed_half.uniform.of(lanes.draw(lane));
            assert_eq!(uniform.to_bits(), bits, "lane {lane}, draw {k}");
        }
    }
}

#[test]
fn every_conversion_makes_the_float_of_the_vectors() {
    let file = file("uniform");
    for case in records(&file, "records") {
        let (uniform, draw) = (uniform_of(&case["uniform"]), word(&case["draw"]));
        let found = uniform.of(draw).to_bits();
        assert_eq!(found, word(&case["bits"]), "{uniform:?} of {draw:#010x}");
    }
}

#[test]
fn every_compare_rule_keeps_what_the_vectors_keep() {
    let file = file("compare");
    for case in records(&file, "records") {
        let (compare, threshold_type) = rule_of(&case);
        let [r, t] = ["r_bits", "t_bits"].map(|key| f32::from_bits(word(&case[key])));
        assert_eq!(keeps(compare, threshold_type, r, t), case["keeps"], "{case}");
    }
}

#[test]
fn every_cut_drops_as_many_words_as_the_vectors_count() {
    let file = file("compare");
    for case in records(&file, "counts") {
        let (compare, threshold_type) = rule_of(&case);
        let threshold = f32::from_bits(word(&case["t_bits"]));
        let cut = Cut::new(uniform_of(&case["uniform"]), compare, threshold_type, threshold);
        assert_eq!(Some(cut.drop_words()), case["drop_words"].as_u64(), "{case}");
    }
}

#[test]
fn every_flag_has_a_note_and_every_note_a_case() {
    for name in ["generators", "uniform", "compare"] {
        let file = file(name);
        let mut used: Vec<Value> = Vec::new();
        for list in ["records", "counts"] {
            for case in file[list].as_array().unwrap_or(&Vec::new()) {
                used.extend(case["flags"].as_array().unwrap().iter().cloned());
            }
        }
        let notes = file["notes"].as_object().unwrap();
        for note in notes.keys() {
            assert!(used.contains(&note.as_str().into()), "no case has the flag {note}");
        }
        assert!(used.iter().all(|flag| notes.contains_key(flag.as_str().unwrap())), "{name}");
    }
}
