//! One line of a trace.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::evidence::assumptions::Assumption;
use crate::evidence::{Claim, Standing};
use crate::rng;

/// Which part of the way a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// From the opcode to the handler.
    Dispatch,
    /// The handler's calls.
    Handler,
    /// A slot of the handler's frame.
    Frame,
    /// The loop over the elements.
    Vector,
    /// What a record did on the device model.
    Effect,
}

impl Stage {
    /// Returns the name as traces print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dispatch => "dispatch",
            Self::Handler => "handler",
            Self::Frame => "frame",
            Self::Vector => "vector",
            Self::Effect => "effect",
        }
    }
}

/// Where in the firmware a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// An offset into the instructions.
    Iram(u32),
    /// An offset into the data.
    Dram(u32),
    /// A slot of the handler's frame, from a1.
    Frame(u8),
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iram(offset) => write!(f, "iram 0x{offset:x}"),
            Self::Dram(offset) => write!(f, "dram 0x{offset:x}"),
            Self::Frame(slot) => write!(f, "a1+{slot}"),
        }
    }
}

/// What a line rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ground {
    /// A fact of the ledger.
    Claim(&'static Claim),
    /// A decision of the model.
    Assumption(&'static Assumption),
    /// What the profile's file says of its field.
    Stated(String),
    /// The profile names nothing for its field.
    Unsupported,
}

impl Ground {
    /// Returns the id of the claim or assumption, or `profile`.
    pub fn id(&self) -> &str {
        match self {
            Self::Claim(claim) => claim.id,
            Self::Assumption(assumption) => assumption.id,
            Self::Stated(_) | Self::Unsupported => "profile",
        }
    }

    /// Returns the standing in short: `HIGH/OBSERVED`, `assumption`.
    pub fn standing(&self) -> &str {
        match self {
            Self::Claim(claim) => claim.tag(),
            Self::Assumption(_) => "assumption",
            Self::Stated(text) => text,
            Self::Unsupported => "no evidence named",
        }
    }
}

impl From<rng::Ground<'_>> for Ground {
    fn from(ground: rng::Ground<'_>) -> Self {
        match ground {
            rng::Ground::Known(claim) => Self::Claim(claim),
            rng::Ground::Stated(text) => Self::Stated(text.to_owned()),
            rng::Ground::Assumed(assumption) => Self::Assumption(assumption),
            rng::Ground::Unsupported => Self::Unsupported,
        }
    }
}

/// One line of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Which part of the way it is about.
    pub stage: Stage,
    /// Where in the firmware, where that is known.
    pub at: Option<At>,
    /// What happens.
    pub what: String,
    /// The value for this record, where it follows from it.
    pub value: Option<String>,
    /// What the line rests on.
    pub ground: Ground,
    /// Both sides of a contested line, and what each means for this record.
    pub sides: Vec<String>,
}

impl Line {
    /// Returns a line that rests on `claim`; both sides of a contested claim
    /// go with it.
    pub(super) fn of(
        stage: Stage,
        at: impl Into<Option<At>>,
        what: impl Into<String>,
        claim: &'static Claim,
    ) -> Self {
        let (ground, sides) = (Ground::Claim(claim), sides_of(claim));
        Self { stage, at: at.into(), what: what.into(), value: None, ground, sides }
    }

    /// Returns the line with the value for this record.
    pub(super) fn value(mut self, value: impl Into<String>) -> Self {
        self.value = Some(value.into());
        self
    }

    /// Returns the line with one more reading.
    pub(super) fn side(mut self, side: impl Into<String>) -> Self {
        self.sides.push(side.into());
        self
    }

    /// Returns the line resting on what the profile's field rests on.
    pub(super) fn resting_on(mut self, ground: impl Into<Ground>) -> Self {
        self.ground = ground.into();
        self.sides = match self.ground {
            Ground::Claim(claim) => sides_of(claim),
            // What is known on either side of the question it decides.
            Ground::Assumption(assumption) => {
                assumption.claims.iter().map(|claim| claim.says.to_owned()).collect()
            }
            Ground::Stated(_) | Ground::Unsupported => Vec::new(),
        };
        self
    }
}

/// Returns both sides of a contested claim, its own first; none of another.
fn sides_of(claim: &Claim) -> Vec<String> {
    if claim.standing == Standing::Uncontested {
        return Vec::new();
    }
    [claim.says].iter().chain(claim.conflicts).map(|&side| side.to_owned()).collect()
}

impl Serialize for Line {
    /// Writes `stage`, `at`, `what`, `value`, `claim`, `standing`, `sides`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Line", 7)?;
        object.serialize_field("stage", &self.stage)?;
        object.serialize_field("at", &self.at.map(|at| at.to_string()))?;
        object.serialize_field("what", &self.what)?;
        object.serialize_field("value", &self.value)?;
        object.serialize_field("claim", self.ground.id())?;
        object.serialize_field("standing", self.ground.standing())?;
        object.serialize_field("sides", &self.sides)?;
        object.end()
    }
}

impl fmt::Display for Line {
    /// Writes the line, and each side below it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = self.at.map(|at| at.to_string()).unwrap_or_default();
        write!(f, "  {:<8}  {at:<11}  {}", self.stage.name(), self.what)?;
        if let Some(value) = &self.value {
            write!(f, ": {value}")?;
        }
        writeln!(f, "  ({}, {})", self.ground.standing(), self.ground.id())?;
        for side in &self.sides {
            writeln!(f, "{:25}- {side}", "")?;
        }
        Ok(())
    }
}
