//! Writing a profile as TOML.

use std::fmt::Write;

use super::{Fp8Exp4, Ground, Profile};
use crate::rng::recurrence::taps;
use crate::rng::{Field, Recurrence};

impl Profile {
    /// Returns the profile as TOML that [`Profile::from_toml`] reads back.
    ///
    /// ```
    /// # use lanedrop::rng::Profile;
    /// let profile = Profile::builtin("trn1").unwrap();
    /// assert_eq!(Profile::from_toml(&profile.to_toml()), Ok(profile));
    /// ```
    pub fn to_toml(&self) -> String {
        self.toml(|_| String::new())
    }

    /// Returns the profile as TOML with the standing of each field as a comment
    /// before it.
    pub fn to_annotated_toml(&self) -> String {
        self.toml(|field| self.remark(field))
    }

    fn toml(&self, remark: impl Fn(Field) -> String) -> String {
        let mut top = format!("name = {}\n", quoted(&self.name));
        for field in Field::ALL {
            let value = match field {
                Field::Recurrence => continue,
                Field::StepsPerDraw => self.steps_per_draw.to_string(),
                Field::Draw => quoted(self.draw.as_str()),
                Field::RegistersPerLane => self.registers_per_lane.to_string(),
                Field::Uniform => quoted(self.uniform.as_str()),
                Field::Compare => quoted(self.compare.as_str()),
                Field::Seeding => quoted(self.seeding.as_str()),
            };
            top += &format!("{}{} = {value}\n", remark(field), field.as_str());
        }
        // A key of its own alone: without it a file is read as the default.
        if self.fp8_exp4 != Fp8Exp4::default() {
            top += &format!("fp8_exp4 = {}\n", quoted(self.fp8_exp4.as_str()));
        }
        let head = remark(Field::Recurrence);
        let gap = if head.is_empty() { "\n" } else { "" };
        let mut text = format!("{top}{gap}{head}[recurrence]\n");
        text += &recurrence(&self.recurrence);
        if !self.evidence.is_empty() {
            text += "\n[evidence]\n";
            for (field, evidence) in &self.evidence {
                text += &format!("{} = {}\n", field.as_str(), quoted(evidence));
            }
        }
        text
    }

    /// Returns what a field rests on, as comment lines.
    fn remark(&self, field: Field) -> String {
        let (standing, settled_by) = match self.ground(field) {
            Ground::Known(claim) => {
                let tags = format!("{:?}, {:?}", claim.confidence, claim.basis).to_lowercase();
                (format!("known ({tags}; {}): {}", claim.id, claim.says), None)
            }
            Ground::Stated(_) => ("known, by the evidence that this profile names".into(), None),
            Ground::Assumed(assumption) => (
                format!("assumed ({}): {}", assumption.id, assumption.because),
                Some(assumption.settled_by),
            ),
            Ground::Unsupported => ("assumed: the profile names no evidence for it".into(), None),
        };
        let settled_by =
            settled_by.map_or(String::new(), |how| wrapped(&format!("would settle it: {how}")));
        format!("\n{}{settled_by}", wrapped(&standing))
    }
}

/// Returns text as comment lines of at most 80 characters.
fn wrapped(text: &str) -> String {
    let mut lines = String::from("#");
    let mut width = 1;
    for word in text.split_whitespace() {
        let length = word.chars().count() + 1;
        if width + length > 80 {
            lines += "\n#";
            width = 1;
        }
        lines.push(' ');
        lines += word;
        width += length;
    }
    lines + "\n"
}

fn recurrence(recurrence: &Recurrence) -> String {
    let mut text = format!("kind = {}\n", quoted(recurrence.kind()));
    match recurrence {
        Recurrence::Fibonacci { direction, mask, feedback }
        | Recurrence::Galois { direction, mask, feedback } => {
            let taps: Vec<_> = taps(*mask).map(|tap| tap.to_string()).collect();
            let mask = match recurrence {
                Recurrence::Fibonacci { .. } if !taps.is_empty() => {
                    format!("taps = [{}]", taps.join(", "))
                }
                _ => format!("mask = {mask:#010x}"),
            };
            let (direction, feedback) = (quoted(direction.as_str()), quoted(feedback.as_str()));
            text += &format!("direction = {direction}\n{mask}\nfeedback = {feedback}\n");
        }
        Recurrence::Xorshift { shifts } => {
            let shifts: Vec<_> = shifts.iter().map(|shift| quoted(&shift.to_string())).collect();
            text += &format!("shifts = [{}]\n", shifts.join(", "));
        }
        Recurrence::Matrix(map) => {
            text += "columns = [\n";
            for four in map.columns.chunks(4) {
                let words: Vec<_> = four.iter().map(|column| format!("{column:#010x}")).collect();
                text += &format!("    {},\n", words.join(", "));
            }
            text += &format!("]\nconstant = {:#010x}\n", map.offset);
        }
        Recurrence::Xorwow => {}
    }
    text
}

/// Returns text as a TOML basic string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            '\n' => quoted += "\\n",
            '\t' => quoted += "\\t",
            c if c.is_control() => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
