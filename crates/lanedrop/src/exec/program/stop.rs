//! Why a program stops before its end.

use std::fmt;

use thiserror::Error;

use super::Summary;
use crate::device::{MemoryError, Outside, RegisterError, SeedError, Waiting};
use crate::isa::validate::Violation;
use crate::isa::{Engine, Generation, Place, RandAlgorithm, RandSrc, opcode};

/// A program stopped at a record, which did nothing; what came before it is
/// done.
#[derive(Clone, Debug, Error)]
#[error("0x{offset_bytes:x} {}: {cause}", Name(*opcode))]
pub struct Stop {
    /// Where the record is in its stream.
    pub offset_bytes: u64,
    /// The record's opcode.
    pub opcode: u8,
    /// Why it stopped.
    pub cause: Cause,
    /// What was done before.
    pub summary: Box<Summary>,
}

/// Why a record was not executed.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum Cause {
    /// It breaks rules; a runtime would not have let it through.
    #[error("it breaks {} on {generation}: {}", Rules(violations), First(violations))]
    Illegal {
        /// The rules.
        violations: Vec<Violation>,
        /// On which generation.
        generation: Generation,
    },
    /// It waits for something that nothing before it has done.
    #[error("deadlock: it waits for {waiting}{}", Helpers(helpers))]
    Deadlock {
        /// What it waits for.
        waiting: Waiting,
        /// Records that would bring it about, or at least touch it.
        helpers: Vec<Helper>,
    },
    /// It is decoded and checked, but what it does is not modelled.
    #[error("it is not executed: {why}")]
    NotExecuted {
        /// Why not.
        why: NotExecuted,
    },
    /// It would take more element steps than are left.
    #[error("it takes {needs} element steps, {left} are left of the budget")]
    Budget {
        /// Elements times channels.
        needs: u128,
        /// What is left.
        left: u64,
    },
    /// A pattern leaves its partition.
    #[error(
        "{operand} leaves its partition: from {place} on, element {} (index {}) would be at byte {}, \
         and bytes 0 to {active_bytes} exist",
        outside.element, Index(outside.index), outside.offset_bytes
    )]
    Pattern {
        /// Which pattern.
        operand: &'static str,
        /// Where it starts.
        place: Place,
        /// The first element outside.
        outside: Outside,
        /// Bytes a partition has.
        active_bytes: u32,
    },
    /// The channels go on where there is no partition.
    #[error("{operand} has {channels} channels from partition {partition} on, of 128")]
    Partitions {
        /// Which operand.
        operand: &'static str,
        /// Where it starts.
        partition: u32,
        /// How many partitions it needs.
        channels: u8,
    },
    /// A register holds no address of a memory.
    #[error("{operand} is at 0x{address:x}, from a register, which is in no memory")]
    Address {
        /// Which operand.
        operand: &'static str,
        /// What the register holds.
        address: u32,
    },
    /// How a shape in a register is written is not known.
    #[error("the shape of {operand} comes from a register, and how is not known")]
    ShapeRegister {
        /// Which pattern.
        operand: &'static str,
    },
    /// Two patterns have other numbers of elements.
    #[error("src has {src} elements and dst {dst}")]
    Counts {
        /// Elements read.
        src: u64,
        /// Elements written.
        dst: u64,
    },
    /// An engine that does not keep this state would be read or set.
    #[error(
        "the {engine} of {generation} keeps no {source_} state of {algorithm} in {words} words{}",
        if *engine == Engine::Dve && *generation < Generation::V4 {
            "; before v4 the model alone reads and sets its lanes, not a record"
        } else {
            ""
        }
    )]
    WrongEngine {
        /// The engine the stream is for.
        engine: Engine,
        /// On which generation.
        generation: Generation,
        /// Where the state would be.
        source_: RandSrc,
        /// Of which generator.
        algorithm: RandAlgorithm,
        /// How many words the record moves.
        words: u64,
    },
    /// The profile's lanes hold another state than the record moves.
    #[error(
        "it moves {algorithm} state of {words} words a lane, and profile {profile} has {} of {found}",
        if *affine { "a one-word recurrence" } else { "xorwow" }
    )]
    Profile {
        /// Of which generator.
        algorithm: RandAlgorithm,
        /// How many words the record moves.
        words: u32,
        /// The profile.
        profile: String,
        /// How many words its lanes have.
        found: usize,
        /// Whether its registers are of one word.
        affine: bool,
    },
    /// The lanes cannot be seeded so.
    #[error(transparent)]
    Seed(#[from] SeedError),
    /// There is no such register.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// An operand is at bytes that do not exist.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// Why a record is decoded but not executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotExecuted {
    /// It is no record of the seed, draw, drop and scale path.
    NoModel,
    /// It is marked as unmaintained.
    Unmaintained,
    /// The operator needs a table, or works on bits.
    Operator {
        /// Its name.
        name: &'static str,
    },
    /// What the element type means is not known.
    Dtype {
        /// Its name.
        name: &'static str,
    },
    /// RNG with a float type: what it writes is not known.
    RngFloat,
    /// The state of output conversion moves with every conversion, and how is
    /// not known.
    OutputConversion,
    /// The lanes are of another engine.
    OtherEngine {
        /// The engine the stream is for.
        engine: Engine,
    },
}

/// A record that updates what another one waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Helper {
    /// The stream it is in; none for the one that waits.
    pub stream: Option<String>,
    /// Where it is in its stream.
    pub offset_bytes: u64,
    /// Its opcode.
    pub opcode: u8,
}

impl fmt::Display for NotExecuted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoModel => f.write_str("what it does is not modelled"),
            Self::Unmaintained => f.write_str("it is marked as unmaintained, no engine wires it"),
            Self::Operator { name } => {
                write!(f, "operator {name} needs a table or works on bits")
            }
            Self::Dtype { name } => write!(f, "how {name} is converted is not known"),
            Self::RngFloat => f.write_str("what it writes for a float dtype is not known"),
            Self::OutputConversion => {
                f.write_str("how output conversion moves its register is not known")
            }
            Self::OtherEngine { engine } => {
                write!(f, "it seeds the lanes of the DVE, and this stream is for the {engine}")
            }
        }
    }
}

/// Writes an opcode's name, or the byte.
struct Name(u8);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match opcode::find(self.0) {
            Some(code) => f.write_str(code.name),
            None => write!(f, "opcode 0x{:02x}", self.0),
        }
    }
}

struct Rules<'a>(&'a [Violation]);

impl fmt::Display for Rules<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.first().map_or("a rule", |violation| violation.rule.name);
        match self.0.len() {
            0 | 1 => f.write_str(name),
            more => write!(f, "{name} and {} more", more - 1),
        }
    }
}

struct First<'a>(&'a [Violation]);

impl fmt::Display for First<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.first().map_or(Ok(()), |violation| violation.fmt(f))
    }
}

struct Index([u16; 4]);

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [i0, i1, i2, i3] = self.0;
        write!(f, "{i0}, {i1}, {i2}, {i3}")
    }
}

struct Helpers<'a>(&'a [Helper]);

impl fmt::Display for Helpers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("; no record would signal it");
        }
        f.write_str("; who would signal it:")?;
        for (i, helper) in self.0.iter().enumerate().take(3) {
            let comma = if i == 0 { "" } else { "," };
            match &helper.stream {
                None => write!(f, "{comma} this stream at")?,
                Some(name) => write!(f, "{comma} {name} at")?,
            }
            write!(f, " 0x{:x} {}", helper.offset_bytes, Name(helper.opcode))?;
        }
        match self.0.len() {
            0..=3 => Ok(()),
            more => write!(f, " and {} more", more - 3),
        }
    }
}
