//! What recovery answers: the stable keys of `recover solve --json`.

use serde::{Deserialize, Serialize};

use crate::gf2::Affine32;
use crate::rng::{Compare, DrawOrder, Profile, Uniform};

/// What kind of answer a report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The transition is known in full and verified; its constant is not 0.
    Affine,
    /// The transition is known in full and verified; its constant is 0.
    Linear,
    /// As [`Verdict::Affine`], with too few redundant equations.
    AffineUnverified,
    /// As [`Verdict::Linear`], with too few redundant equations.
    LinearUnverified,
    /// A transition that fits but is not tied to the seeds: it may be an
    /// inverse or a power.
    LinearUnanchored,
    /// The captures see fewer than 32 dimensions and never will see more.
    LinearOnObservableQuotient,
    /// Several hypotheses fit.
    Ambiguous,
    /// Seeds unknown: only the polynomial is determined.
    MinimalPolynomialOnly,
    /// More captures would help.
    UnderDetermined,
    /// Raw draws break an affine equation.
    NotGf2Affine,
    /// Nearly linear, but the errors are not noise.
    RejectedStructured,
    /// No affine recurrence at any tried layout and noise.
    RejectedNotLinear,
}

impl Verdict {
    /// Returns the verdict as a report spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Affine => "affine",
            Self::Linear => "linear",
            Self::AffineUnverified => "affine_unverified",
            Self::LinearUnverified => "linear_unverified",
            Self::LinearUnanchored => "linear_unanchored",
            Self::LinearOnObservableQuotient => "linear_on_observable_quotient",
            Self::Ambiguous => "ambiguous",
            Self::MinimalPolynomialOnly => "minimal_polynomial_only",
            Self::UnderDetermined => "under_determined",
            Self::NotGf2Affine => "not_gf2_affine",
            Self::RejectedStructured => "rejected_structured",
            Self::RejectedNotLinear => "rejected_not_linear",
        }
    }

    /// Returns whether the map of a draw is known in full and verified.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Affine | Self::Linear)
    }

    /// Returns whether the captures were rejected or say too little: exit
    /// status 1.
    pub fn is_finding(self) -> bool {
        matches!(
            self,
            Self::UnderDetermined
                | Self::NotGf2Affine
                | Self::RejectedStructured
                | Self::RejectedNotLinear
        )
    }
}

/// A transition in the coordinates of the lane's own word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    /// `columns[i]` is `f(1 << i) xor f(0)`, in hex.
    pub columns: Vec<String>,
    /// `f(0)`, in hex.
    pub constant: String,
}

impl Transition {
    /// Returns the report's form of a map.
    pub fn of(map: &Affine32) -> Self {
        let hex = |word: &u32| format!("{word:08x}");
        Self { columns: map.columns.iter().map(hex).collect(), constant: hex(&map.offset) }
    }

    /// Returns the map, or `None` where a word is no hex word.
    pub fn map(&self) -> Option<Affine32> {
        let word = |text: &String| u32::from_str_radix(text, 16).ok();
        let columns: Vec<u32> = self.columns.iter().map(word).collect::<Option<_>>()?;
        Some(Affine32 { columns: columns.try_into().ok()?, offset: word(&self.constant)? })
    }
}

/// One natural model that fits the captures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hypothesis {
    /// The generator's name.
    pub generator: String,
    /// How many of its steps make one draw.
    pub steps_per_draw: u64,
    /// Whether the draw is the state after or before the steps, where the
    /// captures tell.
    #[serde(serialize_with = "draw_order", deserialize_with = "read_draw_order")]
    pub draw: Option<DrawOrder>,
    /// The conversions that fit...
    #[serde(serialize_with = "uniforms", deserialize_with = "read_uniforms")]
    pub uniform: Vec<Uniform>,
    /// ... each with each of these compare rules.
    #[serde(serialize_with = "compares", deserialize_with = "read_compares")]
    pub compare: Vec<Compare>,
    /// Whether it is another hypothesis run backwards.
    pub reverse_alias: bool,
}

fn draw_order<S: serde::Serializer>(draw: &Option<DrawOrder>, out: S) -> Result<S::Ok, S::Error> {
    draw.map(DrawOrder::as_str).serialize(out)
}

fn uniforms<S: serde::Serializer>(list: &[Uniform], out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(list.iter().map(|uniform| uniform.as_str()))
}

fn compares<S: serde::Serializer>(list: &[Compare], out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(list.iter().map(|compare| compare.as_str()))
}

/// Returns the member of `all` that has this name.
fn named<T: Copy, E: serde::de::Error>(
    text: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, E> {
    all.iter().copied().find(|&member| name(member) == text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&member| name(member)).collect();
        E::custom(format!("{text} is none of {}", names.join(", ")))
    })
}

fn read_draw_order<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<DrawOrder>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    text.map(|text| named(&text, &DrawOrder::ALL, DrawOrder::as_str)).transpose()
}

fn read_uniforms<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Uniform>, D::Error> {
    let list = Vec::<String>::deserialize(from)?;
    list.iter().map(|text| named(text, &Uniform::ALL, Uniform::as_str)).collect()
}

fn read_compares<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Compare>, D::Error> {
    let list = Vec::<String>::deserialize(from)?;
    list.iter().map(|text| named(text, &Compare::ALL, Compare::as_str)).collect()
}

/// What was tried for a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// The families.
    pub families: Vec<String>,
    /// The most steps a draw.
    pub max_steps: u64,
}

/// Elements that a lane lost or doubled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slip {
    /// The capture.
    pub capture: String,
    /// The lane.
    pub lane: usize,
    /// The first element after the slip.
    pub element: usize,
    /// How many elements are lost; below 0, how many are doubled.
    pub gap: i64,
}

/// The multiplier and increment of an ordinary congruential generator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lcg {
    /// In hex.
    pub multiplier: String,
    /// In hex.
    pub increment: String,
}

/// The instruction that would best split what is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextCapture {
    /// What it decides.
    pub purpose: String,
    /// f32 bits of the threshold, in hex; null where it differs from lane to
    /// lane.
    pub threshold_bits: Option<String>,
    /// `DROP_RATE` or `KEEP_RATE`.
    pub threshold_type: String,
    /// Elements a lane.
    pub num_elements: usize,
    /// Elements before it: `start_element` of the capture.
    pub start_element: u64,
    /// The captures whose lane states it starts from; null for fresh seeds.
    pub seed_group: Option<String>,
    /// How many of its mask bits would differ, where that was counted.
    pub splits: Option<u64>,
}

/// Which words the compare sees, as functions of the lane's word after `n`
/// draws, where that is not simply the word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputMap {
    /// `rows[b]`: bit `b` of what is compared is the parity of this word (hex)
    /// and the state; null where the captures do not say.
    pub rows: Vec<Option<String>>,
    /// The bits that are inverted after it, in hex.
    pub constant: String,
}

/// The bit of a draw that an instruction would show next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextRow {
    /// The bit of what is compared.
    pub bit: u32,
    /// The element of the stream.
    pub element: u64,
    /// The bits above it, from 31 down, each as the parity of this word (hex,
    /// nine digits: bit 32 inverts) and the lane's word.
    pub above: Vec<String>,
}

impl NextRow {
    pub(super) fn new(bit: u32, element: u64, above: &[u64]) -> Self {
        Self { bit, element, above: above.iter().map(|row| format!("{row:09x}")).collect() }
    }
}

/// The answer of [`solve`](super::solve).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// What kind of answer this is.
    pub verdict: Verdict,
    /// The map of one draw on the lane's word.
    pub transition: Option<Transition>,
    /// Minimal polynomial of the map's linear part: hex, bit `i` for `x^i`.
    pub minimal_polynomial: Option<String>,
    /// Period of the map, in decimal.
    pub order: Option<String>,
    /// How many dimensions of the state the captures could see.
    pub observable_rank: Option<u32>,
    /// What was tried for a name.
    pub searched: Searched,
    /// Every model within `searched` that fits.
    pub hypotheses: Vec<Hypothesis>,
    /// Whether no mask could ever tell the hypotheses apart.
    pub inseparable: bool,
    /// The instruction that would best split what is left.
    pub next_capture: Option<NextCapture>,
    /// The bit of a draw to capture next, where more of the state would show.
    pub next_row: Option<NextRow>,
    /// What replaces a zero seed, where that was seen.
    pub zero_seed_becomes: Option<String>,
    /// Estimated share of wrong mask bits.
    pub flip_rate: Option<f64>,
    /// Lost and doubled elements.
    pub slips: Vec<Slip>,
    /// The order of lanes and elements under which the captures fit.
    pub layout: Option<String>,
    /// Whether the lanes draw from one register, where that was looked at.
    pub shared_stream: Option<bool>,
    /// The ordinary generator behind raw draws.
    pub lcg: Option<Lcg>,
    /// Redundant equations that held.
    pub checks: u64,
    /// log2 of the bound on a wrong acceptance.
    pub false_positive_log2: Option<f64>,
    /// Replay mismatches of the best hypothesis over all captures.
    pub mismatches: Option<u64>,
    /// Which words are compared, where it is not the state itself.
    pub output_map: Option<OutputMap>,
    /// How many draws the device throws away after seeding, where that is seen.
    pub warm_up: Option<u64>,
    /// How a seed reaches the lanes, where one seed a capture was chosen.
    pub seeding: Option<String>,
    /// How many registers take turns in a lane.
    pub registers_per_lane: Option<u8>,
    /// What a reader should know besides, in sentences.
    pub remarks: Vec<String>,
    /// The profile that reproduces the captures.
    #[serde(skip)]
    pub profile: Option<Profile>,
}

impl Report {
    /// Returns a report that says nothing but its verdict.
    pub fn new(verdict: Verdict) -> Self {
        Self {
            verdict,
            transition: None,
            minimal_polynomial: None,
            order: None,
            observable_rank: None,
            searched: Searched::default(),
            hypotheses: Vec::new(),
            inseparable: false,
            next_capture: None,
            next_row: None,
            zero_seed_becomes: None,
            flip_rate: None,
            slips: Vec::new(),
            layout: None,
            shared_stream: None,
            lcg: None,
            checks: 0,
            false_positive_log2: None,
            mismatches: None,
            output_map: None,
            warm_up: None,
            seeding: None,
            registers_per_lane: None,
            remarks: Vec::new(),
            profile: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let mut report = Report::new(Verdict::LinearOnObservableQuotient);
        report.hypotheses.push(Hypothesis {
            generator: "xorshift L13-R17-L5".into(),
            steps_per_draw: 1,
            draw: Some(DrawOrder::Before),
            uniform: Uniform::ALL.to_vec(),
            compare: Compare::ALL.to_vec(),
            reverse_alias: false,
        });
        let text = serde_json::to_string(&report).unwrap();
        assert!(
            text.starts_with(r#"{"verdict":"linear_on_observable_quotient","transition":null"#)
        );
        assert!(text.contains(r#""draw":"before","uniform":["top23","low23""#));
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
        let wrong = text.replace("top23", "top24");
        assert!(serde_json::from_str::<Report>(&wrong).unwrap_err().to_string().contains("top24"));
    }
}
