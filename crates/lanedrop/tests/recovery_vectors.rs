//! `vectors/recovery.json`: captures made by plain Python, and what recovery
//! has to answer.

#![allow(clippy::unwrap_used, reason = "tests")]

use lanedrop::gf2::Affine32;
use lanedrop::isa::ThresholdType;
use lanedrop::recover::{BitRow, CaptureFile, Report, generator_name, parse_generator, solve};
use lanedrop::rng::{Compare, Cut, Uniform};
use serde_json::Value;

fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/recovery.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn the_table_of_generators_is_drawn_word_for_word() {
    for row in vectors()["table"].as_array().unwrap() {
        let recurrence = parse_generator(text(&row["generator"])).unwrap();
        let map = recurrence.step_map().unwrap().pow(row["steps_per_draw"].as_u64().unwrap());
        let mut state = 0x1234_5678;
        let draws: Vec<u32> = (0..32)
            .map(|_| {
                state = map.apply(state);
                state
            })
            .collect();
        let first: Vec<String> = draws[..4].iter().map(|draw| format!("{draw:08x}")).collect();
        assert_eq!(serde_json::to_value(first).unwrap(), row["draws"], "{row}");
        assert_eq!(format!("{:x}", map.minimal_polynomial().0), text(&row["minimal_polynomial"]));
        assert_eq!(map.order().unwrap().to_string(), text(&row["order"]), "{row}");
        assert_eq!(format!("{:08x}", map.offset), text(&row["constant"]));
        let half = f32::from_bits(0x3eff_ffff);
        let cut = Cut::new(Uniform::Top23, Compare::LessThan, ThresholdType::DropRate, half);
        let mask = BitRow::from_fn(32, |i| cut.keeps(draws[i]));
        assert_eq!(mask.to_hex(), text(&row["row"]), "{row}");
    }
}

/// Returns whether a hypothesis of the report is the one that is asked for.
fn lists(report: &Report, wanted: &Value) -> bool {
    let wanted_map = parse_generator(text(&wanted["generator"])).unwrap().step_map().unwrap();
    report.hypotheses.iter().any(|hypothesis| {
        let map: Affine32 = parse_generator(&hypothesis.generator).unwrap().step_map().unwrap();
        let rules: Vec<&str> = hypothesis.compare.iter().map(|rule| rule.as_str()).collect();
        let draw = hypothesis.draw.map(|draw| draw.as_str());
        map == wanted_map
            && Some(hypothesis.steps_per_draw) == wanted["steps_per_draw"].as_u64()
            && wanted.get("draw").is_none_or(|wanted| wanted.as_str() == draw)
            && hypothesis.uniform.contains(&Uniform::Top23)
            && wanted
                .get("compare_only")
                .is_none_or(|only| serde_json::to_value(&rules).unwrap() == *only)
    })
}

fn judge(case: &Value) -> Result<(), String> {
    let file = CaptureFile::parse(&case["capture_file"].to_string()).unwrap();
    let report = solve(&file);
    let json = serde_json::to_value(&report).unwrap();
    let expect = case["expect"].as_object().unwrap();
    for (key, wanted) in expect {
        let holds = match &key[..] {
            "verdict" => wanted.as_array().unwrap().contains(&json["verdict"]),
            "contains" | "also_contains" => lists(&report, wanted),
            "names_with_steps" => {
                let mut names: Vec<&str> = report
                    .hypotheses
                    .iter()
                    .filter(|h| Some(h.steps_per_draw) == wanted["steps_per_draw"].as_u64())
                    .map(|h| &h.generator[..])
                    .filter(|name| name.split(' ').next() == wanted["family"].as_str())
                    .collect();
                names.dedup();
                Some(names.len() as u64) == wanted["count"].as_u64()
            }
            key => json[key] == *wanted,
        };
        if !holds {
            return Err(format!("{key}: expected {wanted}, found {json}"));
        }
    }
    Ok(())
}

#[test]
fn every_hard_case_gets_the_answer_it_has_to_get() {
    let vectors = vectors();
    let failed: Vec<String> = vectors["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|case| {
            judge(case).err().map(|error| {
                let error: String = error.chars().take(1500).collect();
                format!("{}: {error}", case["name"])
            })
        })
        .collect();
    assert!(failed.is_empty(), "{} cases:\n{}", failed.len(), failed.join("\n"));
}

#[test]
fn every_flag_of_a_case_is_explained() {
    let vectors = vectors();
    for case in vectors["cases"].as_array().unwrap() {
        for flag in case["flags"].as_array().unwrap() {
            assert!(vectors["notes"].get(text(flag)).is_some(), "{flag}");
        }
    }
}

#[test]
fn hypotheses_have_names_that_can_be_read_back() {
    let file = &vectors()["cases"][1]["capture_file"];
    for hypothesis in solve(&CaptureFile::parse(&file.to_string()).unwrap()).hypotheses {
        let recurrence = parse_generator(&hypothesis.generator).unwrap();
        assert_eq!(generator_name(&recurrence).unwrap(), hypothesis.generator);
    }
}
