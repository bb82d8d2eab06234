//! Capture files: what was seen of one device, in the form
//! `dropout-capture/1`.

use serde_json::{Value, json};

use super::BitRow;
use crate::isa::ThresholdType;

/// The value of the field `format`.
pub const CAPTURE_FORMAT: &str = "dropout-capture/1";

/// Everything that one capture file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureFile {
    /// What the owner calls the device.
    pub device: String,
    /// How many lanes every capture has.
    pub lanes: usize,
    /// A hint at how the captures were made; never relied on.
    pub capture_mode: String,
    /// The instructions and read-outs.
    pub captures: Vec<Capture>,
}

/// One Dropout instruction, or one read-out of raw draws.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    /// Its name within the file.
    pub id: String,
    /// The thresholds' f32 bits: one for all lanes, or one a lane.
    pub threshold_bits: Vec<u32>,
    /// What the threshold is the rate of.
    pub threshold_type: ThresholdType,
    /// How many elements a lane has here.
    pub num_elements: usize,
    /// How many elements of each lane's stream came before element 0.
    pub start_element: u64,
    /// Captures of one group started from the same lane states.
    pub seed_group: String,
    /// The lanes' own words, where they were chosen.
    pub seeds: Option<Vec<u32>>,
    /// The one seed the engine was given, where only that can be chosen.
    pub seed: Option<u32>,
    /// What was kept: `[lane][element]`, 1 for kept.
    pub masks: Option<Vec<BitRow>>,
    /// Raw draws: `[lane][element]`.
    pub draws: Option<Vec<Vec<u32>>>,
}

/// Why a text is no capture file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The text is not JSON.
    #[error("capture file is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A field is not there.
    #[error("{field} is missing, expected {expected}")]
    Missing {
        /// Where in the file.
        field: String,
        /// What would do.
        expected: &'static str,
    },
    /// A field holds something else.
    #[error("{field} is {found}, expected {expected}")]
    Malformed {
        /// Where in the file.
        field: String,
        /// What is there, cut short.
        found: String,
        /// What would do.
        expected: String,
    },
    /// Two files do not belong together.
    #[error("lanes is {found}, expected {expected} as in the file before")]
    Lanes {
        /// What this file has.
        found: usize,
        /// What the files before have.
        expected: usize,
    },
}

impl Capture {
    /// Returns the threshold of `lane` as f32 bits.
    pub fn threshold(&self, lane: usize) -> u32 {
        match self.threshold_bits[..] {
            [one] => one,
            ref each => each[lane],
        }
    }
}

impl CaptureFile {
    /// Reads a capture file.
    ///
    /// # Errors
    /// A missing or malformed field, by its place in the file. Keys that are
    /// not known are passed over.
    pub fn parse(text: &str) -> Result<Self, CaptureError> {
        let value: Value = serde_json::from_str(text)?;
        let root = Place { path: String::new(), value: &value };
        let format = root.field("format", "\"dropout-capture/1\"")?;
        if format.value != CAPTURE_FORMAT {
            return Err(format.malformed("\"dropout-capture/1\""));
        }
        let device = root.field("device", "a string")?.string()?;
        let lanes = root.field("lanes", "a number of lanes")?.number(1, 1 << 16)? as usize;
        let capture_mode = root.field("capture_mode", "a string")?.string()?;
        let captures = root.field("captures", "a list of captures")?.list(None)?;
        let captures =
            captures.iter().map(|place| place.capture(lanes)).collect::<Result<_, _>>()?;
        Ok(Self { device, lanes, capture_mode, captures })
    }

    /// Returns the file's text.
    pub fn to_json(&self) -> String {
        let captures: Vec<String> =
            self.captures.iter().map(|capture| capture_json(capture).to_string()).collect();
        let head = json!(self.device);
        let mode = json!(self.capture_mode);
        format!(
            "{{\"format\": \"{CAPTURE_FORMAT}\", \"device\": {head}, \"lanes\": {}, \
             \"capture_mode\": {mode}, \"captures\": [\n{}\n]}}\n",
            self.lanes,
            captures.join(",\n")
        )
    }

    /// Adds the captures of another file of the same device.
    ///
    /// Seed groups of the two files are kept apart unless both give the same
    /// seeds for the name.
    ///
    /// # Errors
    /// Where the number of lanes differs.
    pub fn extend(&mut self, other: Self) -> Result<(), CaptureError> {
        if other.lanes != self.lanes {
            return Err(CaptureError::Lanes { found: other.lanes, expected: self.lanes });
        }
        let known = std::mem::take(&mut self.captures);
        let taken = |id: &str| known.iter().any(|capture| capture.id == id);
        let mut more = other.captures;
        for capture in &mut more {
            while taken(&capture.id) {
                capture.id.push('\'');
            }
            while known
                .iter()
                .any(|old| old.seed_group == capture.seed_group && !same_start(old, capture))
            {
                capture.seed_group.push('\'');
            }
        }
        self.captures = known;
        self.captures.extend(more);
        Ok(())
    }
}

/// Returns whether the captures' seeds show that they started alike.
fn same_start(a: &Capture, b: &Capture) -> bool {
    (a.seeds.is_some() && a.seeds == b.seeds) || (a.seed.is_some() && a.seed == b.seed)
}

fn capture_json(capture: &Capture) -> Value {
    let hex = |word: &u32| format!("{word:08x}");
    let decimal = |bits: u32| {
        let threshold = f32::from_bits(bits);
        if threshold.is_finite() { json!(f64::from(threshold)) } else { Value::Null }
    };
    let (bits, threshold) = match capture.threshold_bits[..] {
        [one] => (json!(hex(&one)), decimal(one)),
        ref each => (
            json!(each.iter().map(hex).collect::<Vec<_>>()),
            json!(each.iter().map(|&bits| decimal(bits)).collect::<Vec<_>>()),
        ),
    };
    json!({
        "id": capture.id,
        "threshold_bits": bits,
        "threshold": threshold,
        "threshold_type": type_name(capture.threshold_type),
        "num_elements": capture.num_elements,
        "start_element": capture.start_element,
        "seed_group": capture.seed_group,
        "seeds": capture.seeds.as_ref().map(|seeds| seeds.iter().map(hex).collect::<Vec<_>>()),
        "seed": capture.seed.as_ref().map(hex),
        "masks": capture.masks.as_ref().map(|rows| rows.iter().map(BitRow::to_hex).collect::<Vec<_>>()),
        "draws": capture.draws.as_ref().map(|rows| {
            rows.iter().map(|row| row.iter().map(hex).collect::<String>()).collect::<Vec<_>>()
        }),
    })
}

/// Returns the polarity as the ISA header spells it.
pub(super) fn type_name(threshold_type: ThresholdType) -> &'static str {
    match threshold_type {
        ThresholdType::DropRate => "DROP_RATE",
        ThresholdType::KeepRate => "KEEP_RATE",
    }
}

/// A value and where in the file it stands.
struct Place<'a> {
    path: String,
    value: &'a Value,
}

impl<'a> Place<'a> {
    fn malformed(&self, expected: impl Into<String>) -> CaptureError {
        let mut found = self.value.to_string();
        if found.chars().count() > 40 {
            found = found.chars().take(40).chain("...".chars()).collect();
        }
        CaptureError::Malformed { field: self.path.clone(), found, expected: expected.into() }
    }

    fn optional(&self, name: &str) -> Option<Place<'a>> {
        let path =
            if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        self.value.get(name).map(|value| Place { path, value })
    }

    fn field(&self, name: &str, expected: &'static str) -> Result<Place<'a>, CaptureError> {
        if !self.value.is_object() {
            let place = Place {
                path: if self.path.is_empty() { "file".into() } else { self.path.clone() },
                value: self.value,
            };
            return Err(place.malformed("an object"));
        }
        self.optional(name).ok_or_else(|| CaptureError::Missing {
            field: if self.path.is_empty() { name.into() } else { format!("{}.{name}", self.path) },
            expected,
        })
    }

    /// Returns the field unless it is absent or null.
    fn nullable(&self, name: &str) -> Option<Place<'a>> {
        self.optional(name).filter(|place| !place.value.is_null())
    }

    fn string(&self) -> Result<String, CaptureError> {
        self.value.as_str().map(str::to_owned).ok_or_else(|| self.malformed("a string"))
    }

    fn number(&self, least: u64, most: u64) -> Result<u64, CaptureError> {
        self.value
            .as_u64()
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| self.malformed(format!("a whole number from {least} to {most}")))
    }

    fn list(&self, len: Option<usize>) -> Result<Vec<Place<'a>>, CaptureError> {
        let expected = || match len {
            Some(len) => format!("a list of {len}"),
            None => "a list".to_owned(),
        };
        let list = self.value.as_array().ok_or_else(|| self.malformed(expected()))?;
        if len.is_some_and(|len| list.len() != len) {
            return Err(CaptureError::Malformed {
                field: self.path.clone(),
                found: format!("a list of {}", list.len()),
                expected: expected(),
            });
        }
        let place = |(i, value)| Place { path: format!("{}[{i}]", self.path), value };
        Ok(list.iter().enumerate().map(place).collect())
    }

    fn word(&self) -> Result<u32, CaptureError> {
        self.value
            .as_str()
            .map(|text| text.strip_prefix("0x").unwrap_or(text))
            .filter(|text| text.len() == 8 && text.bytes().all(|c| c.is_ascii_hexdigit()))
            .and_then(|text| u32::from_str_radix(text, 16).ok())
            .ok_or_else(|| self.malformed("a string of 8 hex digits"))
    }

    fn words(&self, len: usize) -> Result<Vec<u32>, CaptureError> {
        self.list(Some(len))?.iter().map(Place::word).collect()
    }

    fn capture(&self, lanes: usize) -> Result<Capture, CaptureError> {
        let id = self.field("id", "a string")?.string()?;
        let masks = self.nullable("masks");
        let draws = self.nullable("draws");
        if masks.is_none() && draws.is_none() {
            return Err(CaptureError::Missing {
                field: format!("{}.masks", self.path),
                expected: "a list of masks, or of draws in the field draws",
            });
        }
        // Raw draws were compared with nothing.
        let compared = masks.is_some();
        let threshold_bits = match self.nullable("threshold_bits") {
            None if !compared => vec![0],
            None => self
                .field("threshold_bits", "8 hex digits")
                .and_then(|p| p.word().map(|w| vec![w]))?,
            Some(place) if place.value.is_array() => place.words(lanes)?,
            Some(place) => vec![place.word()?],
        };
        let threshold_type = match self.nullable("threshold_type") {
            None if !compared => ThresholdType::DropRate,
            None => {
                let place = self.field("threshold_type", "DROP_RATE or KEEP_RATE")?;
                return Err(place.malformed("DROP_RATE or KEEP_RATE"));
            }
            Some(place) => match place.value.as_str() {
                Some("DROP_RATE") => ThresholdType::DropRate,
                Some("KEEP_RATE") => ThresholdType::KeepRate,
                _ => return Err(place.malformed("DROP_RATE or KEEP_RATE")),
            },
        };
        let num_elements =
            self.field("num_elements", "a number of elements")?.number(1, 1 << 24)? as usize;
        let start_element =
            self.field("start_element", "a number of elements")?.number(0, 1 << 62)?;
        let group = self.field("seed_group", "a name")?;
        let seed_group = match group.value {
            Value::String(name) => name.clone(),
            Value::Number(number) => number.to_string(),
            _ => return Err(group.malformed("a name")),
        };
        self.field("seeds", "a list of words, or null")?;
        let seeds = self.nullable("seeds").map(|place| place.words(lanes)).transpose()?;
        let seed = self.nullable("seed").map(|place| place.word()).transpose()?;
        let masks = masks.map(|place| place.masks(lanes, num_elements)).transpose()?;
        let draws = draws.map(|place| place.draws(lanes, num_elements)).transpose()?;
        Ok(Capture {
            id,
            threshold_bits,
            threshold_type,
            num_elements,
            start_element,
            seed_group,
            seeds,
            seed,
            masks,
            draws,
        })
    }

    fn masks(&self, lanes: usize, elements: usize) -> Result<Vec<BitRow>, CaptureError> {
        let row = |place: &Place| {
            place.value.as_str().and_then(|text| BitRow::from_hex(text, elements)).ok_or_else(
                || {
                    place.malformed(format!(
                        "{} hex digits for {elements} elements, pad bits 0",
                        elements.div_ceil(8) * 2
                    ))
                },
            )
        };
        self.list(Some(lanes))?.iter().map(row).collect()
    }

    fn draws(&self, lanes: usize, elements: usize) -> Result<Vec<Vec<u32>>, CaptureError> {
        let row = |place: &Place| {
            let text = place.value.as_str().filter(|text| {
                text.len() == 8 * elements && text.bytes().all(|c| c.is_ascii_hexdigit())
            });
            let text =
                text.ok_or_else(|| place.malformed(format!("{} hex digits", 8 * elements)))?;
            (0..elements)
                .map(|i| u32::from_str_radix(&text[8 * i..8 * i + 8], 16))
                .collect::<Result<Vec<u32>, _>>()
                .map_err(|_| place.malformed(format!("{} hex digits", 8 * elements)))
        };
        self.list(Some(lanes))?.iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> CaptureFile {
        let mask = |bits: u64| BitRow::from_fn(10, |i| bits >> i & 1 == 1);
        let capture = Capture {
            id: "main".into(),
            threshold_bits: vec![0x3eff_ffff],
            threshold_type: ThresholdType::DropRate,
            num_elements: 10,
            start_element: 0,
            seed_group: "a".into(),
            seeds: Some(vec![1, 0xffff_ffff]),
            seed: None,
            masks: Some(vec![mask(0x3c9), mask(0x155)]),
            draws: None,
        };
        let raw = Capture {
            id: "raw".into(),
            threshold_bits: vec![0x3e80_0000, 0x3f40_0000],
            seeds: None,
            seed: Some(7),
            masks: None,
            draws: Some(vec![(0..10).collect(), (10..20).collect()]),
            ..capture.clone()
        };
        let captures = vec![capture, raw];
        CaptureFile { device: "d".into(), lanes: 2, capture_mode: "chosen_seeds".into(), captures }
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        assert_eq!(CaptureFile::parse(&sample().to_json()).unwrap(), sample());
    }

    #[test]
    fn a_missing_field_is_named() {
        let full: Value = serde_json::from_str(&sample().to_json()).unwrap();
        for name in ["format", "device", "lanes", "capture_mode", "captures"] {
            let mut file = full.clone();
            file.as_object_mut().unwrap().remove(name);
            let error = CaptureFile::parse(&file.to_string()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{name} is missing")), "{error}");
        }
        let needed = ["id", "threshold_bits", "threshold_type", "num_elements", "start_element"];
        for name in needed.into_iter().chain(["seed_group", "seeds", "masks"]) {
            let mut file = full.clone();
            file["captures"][0].as_object_mut().unwrap().remove(name);
            let error = CaptureFile::parse(&file.to_string()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("captures[0].{name} is missing")), "{error}");
        }
    }

    #[test]
    fn a_malformed_field_is_named_with_what_would_do() {
        let full: Value = serde_json::from_str(&sample().to_json()).unwrap();
        let wrong = [
            ("threshold_bits", json!("3eff"), "8 hex digits"),
            ("threshold_bits", json!(["3effffff"]), "a list of 2"),
            ("threshold_type", json!("drop"), "DROP_RATE or KEEP_RATE"),
            ("threshold_type", Value::Null, "DROP_RATE or KEEP_RATE"),
            ("num_elements", json!(0), "a whole number"),
            ("num_elements", json!(-1), "a whole number"),
            ("start_element", json!(0.5), "a whole number"),
            ("seed_group", json!([]), "a name"),
            ("seeds", json!(["00000001"]), "a list of 2"),
            ("masks", json!(["c903", "c9"]), "4 hex digits"),
            ("masks", json!(["c903", "c9ff"]), "pad bits 0"),
            ("masks", json!(3), "a list of 2"),
        ];
        for (name, value, expected) in wrong {
            let mut file = full.clone();
            file["captures"][0][name] = value;
            let error = CaptureFile::parse(&file.to_string()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("captures[0].{name}")), "{error}");
            assert!(error.contains(expected), "{error}");
        }
        let mut file = full.clone();
        file["captures"][1]["draws"][1] = json!("00");
        let error = CaptureFile::parse(&file.to_string()).unwrap_err().to_string();
        assert!(error.starts_with("captures[1].draws[1] is \"00\", expected 80 hex"), "{error}");
    }

    #[test]
    fn keys_that_are_not_known_are_passed_over() {
        let mut file: Value = serde_json::from_str(&sample().to_json()).unwrap();
        file["colour"] = json!("green");
        file["captures"][0]["colour"] = json!("green");
        assert_eq!(CaptureFile::parse(&file.to_string()).unwrap(), sample());
    }

    #[test]
    fn files_of_one_device_keep_their_groups_apart() {
        let mut both = sample();
        let mut other = sample();
        other.captures[0].seeds = Some(vec![5, 6]);
        both.extend(other).unwrap();
        let groups: Vec<&str> = both.captures.iter().map(|c| &c.seed_group[..]).collect();
        assert_eq!(groups, ["a", "a", "a'", "a'"]);
        assert_eq!(both.captures[2].id, "main'");
        let one = CaptureFile { lanes: 3, ..sample() };
        assert!(both.extend(one).is_err());
    }
}
