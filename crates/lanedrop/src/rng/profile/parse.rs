//! Reading a profile's TOML.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{DrawOrder, Fp8Exp4, Profile, ProfileError};
use crate::gf2::Affine32;
use crate::rng::{Compare, Direction, Feedback, Field, Recurrence, Seeding, Shift, Uniform};

type Value<'i> = Spanned<DeValue<'i>>;
type Result<T> = std::result::Result<T, ProfileError>;

impl Profile {
    /// Returns the profile that a TOML text describes.
    ///
    /// All fields are asked for; `fp8_exp4` and `[evidence]` may be left out.
    ///
    /// ```
    /// # use lanedrop::rng::Profile;
    /// let profile = Profile::from_toml(r#"
    /// name = "mine"
    /// steps_per_draw = 1
    /// draw = "after"
    /// registers_per_lane = 1
    /// uniform = "top23"
    /// compare = "less-than"
    /// seeding = "same"
    ///
    /// [recurrence]
    /// kind = "xorshift"
    /// shifts = ["L13", "R17", "L5"]
    /// "#).unwrap();
    /// assert_eq!(profile.name, "mine");
    /// ```
    ///
    /// # Errors
    /// Names the key and the line at fault: unknown or missing keys, values of
    /// another type or out of range.
    pub fn from_toml(text: &str) -> Result<Self> {
        let root = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            // The parser does not say which key it met again.
            let key = text.get(span.clone()).filter(|_| error.message() == "duplicate key");
            let key = key.map(|key| format!(" {key}")).unwrap_or_default();
            ProfileError::Syntax {
                line: line_of(text, span.start),
                message: format!("{}{key}", error.message()),
            }
        })?;
        let root = Table { text, name: "a profile".into(), line: 1, entries: root.get_ref() };
        root.has_only(&[
            "name",
            "steps_per_draw",
            "draw",
            "registers_per_lane",
            "uniform",
            "compare",
            "seeding",
            "fp8_exp4",
            "recurrence",
            "evidence",
        ])?;
        Ok(Self {
            name: root.name()?,
            steps_per_draw: root.steps()?,
            draw: root.choice("draw", &DrawOrder::ALL.map(|draw| (draw.as_str(), draw)))?,
            registers_per_lane: root.registers()?,
            uniform: root.choice("uniform", &Uniform::ALL.map(|rule| (rule.as_str(), rule)))?,
            compare: root.choice("compare", &Compare::ALL.map(|rule| (rule.as_str(), rule)))?,
            seeding: root.choice("seeding", &Seeding::ALL.map(|rule| (rule.as_str(), rule)))?,
            fp8_exp4: match root.entries.get("fp8_exp4") {
                Some(_) => root.choice("fp8_exp4", &Fp8Exp4::ALL.map(|e| (e.as_str(), e)))?,
                None => Fp8Exp4::default(),
            },
            recurrence: recurrence(&root.table("recurrence")?)?,
            evidence: evidence(&root)?,
        })
    }
}

fn recurrence(table: &Table) -> Result<Recurrence> {
    #[derive(Clone, Copy)]
    enum Kind {
        Fibonacci,
        Galois,
        Xorshift,
        Matrix,
        Xorwow,
    }
    let kinds = [
        ("fibonacci", Kind::Fibonacci),
        ("galois", Kind::Galois),
        ("xorshift", Kind::Xorshift),
        ("matrix", Kind::Matrix),
        ("xorwow", Kind::Xorwow),
    ];
    let kind = table.choice("kind", &kinds)?;
    let keys: &[&str] = match kind {
        Kind::Fibonacci | Kind::Galois => &["kind", "direction", "taps", "mask", "feedback"],
        Kind::Xorshift => &["kind", "shifts"],
        Kind::Matrix => &["kind", "columns", "constant"],
        Kind::Xorwow => &["kind"],
    };
    table.has_only(keys)?;
    let register = || -> Result<_> {
        let directions = [("left", Direction::Left), ("right", Direction::Right)];
        let feedbacks = [("xor", Feedback::Xor), ("xnor", Feedback::Xnor)];
        let direction = table.choice("direction", &directions)?;
        Ok((direction, table.mask()?, table.choice("feedback", &feedbacks)?))
    };
    Ok(match kind {
        Kind::Fibonacci => {
            let (direction, mask, feedback) = register()?;
            Recurrence::Fibonacci { direction, mask, feedback }
        }
        Kind::Galois => {
            let (direction, mask, feedback) = register()?;
            Recurrence::Galois { direction, mask, feedback }
        }
        Kind::Xorshift => Recurrence::Xorshift { shifts: table.shifts()? },
        Kind::Matrix => {
            let words = table.words("columns", 0..=u32::MAX)?;
            let columns = <[u32; 32]>::try_from(words.as_slice()).map_err(|_| {
                table.wrong("columns", format!("{} integers", words.len()), "32 integers")
            })?;
            let offset = table.integer("constant", 0..=u32::MAX)?;
            Recurrence::Matrix(Affine32 { columns, offset })
        }
        Kind::Xorwow => Recurrence::Xorwow,
    })
}

fn evidence(root: &Table) -> Result<BTreeMap<Field, String>> {
    if root.entries.get("evidence").is_none() {
        return Ok(BTreeMap::new());
    }
    let table = root.table("evidence")?;
    table.has_only(&Field::ALL.map(Field::as_str))?;
    let mut evidence = BTreeMap::new();
    for field in Field::ALL {
        if table.entries.get(field.as_str()).is_some() {
            evidence.insert(field, table.string(field.as_str())?.to_owned());
        }
    }
    Ok(evidence)
}

/// A table of the text, with what messages call it.
struct Table<'a> {
    text: &'a str,
    name: String,
    line: usize,
    entries: &'a DeTable<'a>,
}

impl<'a> Table<'a> {
    fn line(&self, value: &Value) -> usize {
        line_of(self.text, value.span().start)
    }

    /// Objects to the first key that is not one of `keys`.
    fn has_only(&self, keys: &[&str]) -> Result<()> {
        let unknown = self.entries.keys().filter(|key| !keys.contains(&key.get_ref().as_ref()));
        match unknown.min_by_key(|key| key.span().start) {
            None => Ok(()),
            Some(key) => Err(ProfileError::UnknownKey {
                line: line_of(self.text, key.span().start),
                key: key.get_ref().to_string(),
                table: self.name.clone(),
                expected: keys.join(", "),
            }),
        }
    }

    fn value(&self, key: &'static str) -> Result<&'a Value<'a>> {
        let missing =
            || ProfileError::MissingKey { line: self.line, key, table: self.name.clone() };
        self.entries.get(key).ok_or_else(missing)
    }

    fn table(&self, key: &'static str) -> Result<Table<'a>> {
        let value = self.value(key)?;
        match value.get_ref() {
            DeValue::Table(entries) => {
                let name = format!("[{key}]");
                Ok(Table { text: self.text, name, line: self.line(value), entries })
            }
            _ => Err(self.type_error(key, value, "table")),
        }
    }

    fn string(&self, key: &'static str) -> Result<&'a str> {
        let value = self.value(key)?;
        value.get_ref().as_str().ok_or_else(|| self.type_error(key, value, "string"))
    }

    fn array(&self, key: &'static str) -> Result<&'a [Value<'a>]> {
        let value = self.value(key)?;
        match value.get_ref() {
            DeValue::Array(array) => Ok(array),
            _ => Err(self.type_error(key, value, "array")),
        }
    }

    fn choice<T: Copy>(&self, key: &'static str, choices: &[(&str, T)]) -> Result<T> {
        let found = self.string(key)?;
        choices.iter().find(|(name, _)| *name == found).map(|(_, choice)| *choice).ok_or_else(
            || {
                let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
                self.wrong(key, format!("{found:?}"), &format!("one of {}", names.join(", ")))
            },
        )
    }

    fn integer(&self, key: &'static str, range: std::ops::RangeInclusive<u32>) -> Result<u32> {
        self.integer_of(key, self.value(key)?, &range)
    }

    fn integer_of(
        &self,
        key: &str,
        value: &Value,
        range: &std::ops::RangeInclusive<u32>,
    ) -> Result<u32> {
        let DeValue::Integer(integer) = value.get_ref() else {
            return Err(self.type_error(key, value, "integer"));
        };
        u32::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .filter(|integer| range.contains(integer))
            .ok_or_else(|| ProfileError::Value {
                line: self.line(value),
                key: key.into(),
                found: integer.to_string(),
                expected: format!("{} to {}", range.start(), range.end()),
            })
    }

    fn words(&self, key: &'static str, range: std::ops::RangeInclusive<u32>) -> Result<Vec<u32>> {
        self.array(key)?.iter().map(|value| self.integer_of(key, value, &range)).collect()
    }

    fn name(&self) -> Result<String> {
        let name = self.string("name")?;
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(self.wrong("name", format!("{name:?}"), "one line of text"));
        }
        Ok(name.to_owned())
    }

    fn steps(&self) -> Result<u32> {
        self.integer("steps_per_draw", 1..=u32::MAX)
    }

    fn registers(&self) -> Result<u8> {
        match self.integer("registers_per_lane", 0..=u32::MAX)? {
            1 => Ok(1),
            4 => Ok(4),
            other => Err(self.wrong("registers_per_lane", other.to_string(), "1 or 4")),
        }
    }

    /// Returns the mask, which may be written as taps.
    fn mask(&self) -> Result<u32> {
        if self.entries.get("taps").is_none() {
            self.entries.get("mask").ok_or_else(|| ProfileError::MissingKey {
                line: self.line,
                key: "taps (or mask)",
                table: self.name.clone(),
            })?;
            return self.integer("mask", 0..=u32::MAX);
        }
        if let Some(mask) = self.entries.get("mask") {
            return Err(ProfileError::Value {
                line: self.line(mask),
                key: "mask".into(),
                found: "given beside taps".into(),
                expected: "one of the two".into(),
            });
        }
        let taps = self.words("taps", 1..=32)?;
        let mut mask = 0;
        for tap in &taps {
            let bit = 1 << (tap - 1);
            if mask & bit != 0 {
                return Err(self.wrong(
                    "taps",
                    format!("a list with {tap} twice"),
                    "each tap once",
                ));
            }
            mask |= bit;
        }
        if taps.is_empty() {
            return Err(self.wrong("taps", "empty".into(), "taps, or mask = 0 for none"));
        }
        Ok(mask)
    }

    fn shifts(&self) -> Result<Vec<Shift>> {
        let values = self.array("shifts")?;
        if values.is_empty() {
            return Err(self.wrong("shifts", "empty".into(), "at least one shift such as L13"));
        }
        values
            .iter()
            .map(|value| {
                let text = value
                    .get_ref()
                    .as_str()
                    .ok_or_else(|| self.type_error("shifts", value, "string"))?;
                shift(text).ok_or_else(|| ProfileError::Value {
                    line: self.line(value),
                    key: "shifts".into(),
                    found: format!("{text:?}"),
                    expected: "L1 to L31 or R1 to R31".into(),
                })
            })
            .collect()
    }

    fn type_error(&self, key: &str, value: &Value, expected: &'static str) -> ProfileError {
        ProfileError::Type {
            line: self.line(value),
            key: key.into(),
            found: value.get_ref().type_str(),
            expected,
        }
    }

    /// Returns the error for a value that is there but will not do.
    fn wrong(&self, key: &'static str, found: String, expected: &str) -> ProfileError {
        let line = self.entries.get(key).map_or(self.line, |value| self.line(value));
        ProfileError::Value { line, key: key.into(), found, expected: expected.into() }
    }
}

/// Returns the shift that `L13` or `R17` names.
fn shift(text: &str) -> Option<Shift> {
    let (direction, distance) = text.split_at_checked(1)?;
    if !distance.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let distance = distance.parse().ok().filter(|distance| (1..=31).contains(distance))?;
    match direction {
        "L" => Some(Shift::Left(distance)),
        "R" => Some(Shift::Right(distance)),
        _ => None,
    }
}

/// Returns the line of a byte of the text, counted from 1.
fn line_of(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|&byte| byte == b'\n').count() + 1
}
