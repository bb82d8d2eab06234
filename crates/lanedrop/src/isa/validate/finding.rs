//! What validation found.

use std::fmt;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::Rule;
use crate::evidence::Claim;
use crate::isa::word::Hex;
use crate::isa::{
    CodeTable, Field, Generation, RAND_STATES, RandAlgorithm, RandSrc, Word, rand_states,
};

/// What was asked of a record, and what came of it.
#[derive(Clone, Debug)]
pub struct Report {
    /// The record.
    pub word: Word,
    /// The generation whose rules were asked.
    pub generation: Generation,
    /// How much of the record was asked about.
    pub checked: Scope,
    /// Every broken rule, in the order of [`rules::ALL`](super::rules::ALL).
    pub violations: Vec<Violation>,
    /// What is legal and worth knowing.
    pub remarks: Vec<Remark>,
}

/// How much of a record was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of it.
    Record,
    /// Header, events and the opcode's existence: no rules are known here.
    Header,
}

/// A broken rule.
#[derive(Clone, Copy, Debug)]
pub struct Violation {
    /// The rule.
    pub rule: &'static Rule,
    /// Dotted name of the field at fault.
    pub field: &'static str,
    /// First byte at fault.
    pub byte: usize,
    /// What is there.
    pub found: Found,
    /// What would do.
    pub expected: Expected,
}

/// Something legal that rests on an uncertain claim or is surely not meant.
#[derive(Clone, Copy, Debug)]
pub struct Remark {
    /// Where: the rule that lets it pass, the field, the byte, what is there
    /// and what would need no remark.
    pub at: Violation,
    /// The claim it rests on.
    pub claim: &'static Claim,
}

/// The bytes at fault, at most 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    bytes: [u8; 8],
    len: u8,
}

impl Found {
    /// Returns the `len` bytes of `word` from `offset_bytes` on.
    fn of(word: &Word, offset_bytes: usize, len: usize) -> Self {
        let mut bytes = [0; 8];
        let len = len.min(8);
        bytes[..len].copy_from_slice(&word.0[offset_bytes..offset_bytes + len]);
        Self { bytes, len: len as u8 }
    }

    /// Returns the bytes, in their order in the record.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(self.bytes()).fmt(f)
    }
}

/// What would satisfy a rule, or need no remark.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Expected {
    /// An opcode of this generation.
    OpcodeOf(Generation),
    /// This byte.
    Byte(u8),
    /// Zero bytes.
    Zero,
    /// A member of this enumeration.
    MemberOf(&'static CodeTable),
    /// A type Dropout may read on this generation.
    DropoutDtype(Generation),
    /// The same, or FP32R.
    DropoutDtypeOrFp32r(Generation),
    /// The byte of in_dtype.
    SameAsInDtype(u8),
    /// This many elements, which is what the other pattern has.
    Elements {
        /// The product of this pattern's counts.
        here: u64,
        /// The product of the other's.
        other: u64,
    },
    /// A type that records may read on this generation.
    Dtype(Generation),
    /// The same, or FP32R.
    DtypeOrFp32r(Generation),
    /// A float type, FP32R included.
    FloatOrFp32r,
    /// An operator of the generation that is not refused.
    AluOp(Generation),
    /// An operator of the arithmetic kind; this one belongs to another opcode.
    ArithmeticOp,
    /// A draw as it is, or a uniform.
    RawOrUniform,
    /// A source and an algorithm that an engine of the generation pairs.
    StatePairing(Generation),
    /// As many elements as a state of this kind has words.
    StateWords {
        /// Where the state is.
        source: RandSrc,
        /// Of which generator.
        algorithm: RandAlgorithm,
        /// Elements there are.
        found: u64,
        /// On which generation.
        generation: Generation,
    },
    /// This element count, the product of the destination's counts.
    ElementCount(u64),
    /// FP32, or 0 for it.
    Fp32,
    /// A float type, or 0 for FP32.
    Float,
    /// 1 to 128.
    ChannelRange,
    /// A start in partition 0, 32, 64 or 96.
    StartPartition {
        /// Where it starts.
        partition: u32,
    },
    /// Fewer channels, or another start.
    ChannelsFrom {
        /// Where it starts.
        partition: u32,
        /// How many channels may start there.
        at_most: u8,
        /// How many do.
        channels: u8,
    },
    /// Counts of 1 or more.
    CountFrom1,
    /// An address that is not indirect.
    NotIndirect,
    /// A register below 64 with zeros behind it.
    RegisterForm(Generation),
    /// A multiple of the element size.
    Aligned {
        /// The element size.
        bytes: u32,
    },
    /// An address in SBUF or PSUM.
    Placed(Generation),
    /// An address in SBUF; PSUM will not do.
    InSbuf,
    /// A type of 4 bytes, or a destination in SBUF.
    FourBytesInPsum,
    /// A form whose code the headers print.
    KnownForm,
    /// 16; the flag in bit 0 is known from one page.
    SaturateFlag,
    /// Zero, as the tile gate is not known.
    NoInstFlags,
    /// All bytes below the end of what exists of a partition.
    WithinActive {
        /// First byte touched, relative to the partition.
        first: i64,
        /// Byte behind the last one touched.
        end: i64,
        /// Bytes a partition has.
        active: u32,
    },
    /// A shape in the record; how one in a register is named is not known.
    ShapeInRecord,
    /// A type that is known to be legal; this one is inferred to be.
    KnownDtype,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::OpcodeOf(_) => f.write_str("an opcode of the generation"),
            Self::Byte(byte) => write!(f, "0x{byte:02x}"),
            Self::Zero => f.write_str("zero"),
            Self::MemberOf(table) => write!(f, "a member of {}", table.name),
            Self::DropoutDtype(_) => {
                f.write_str("a dtype Dropout reads: no 64-bit type, no FP32R, not INVALID")
            }
            Self::DropoutDtypeOrFp32r(_) => {
                f.write_str("a dtype Dropout writes: no 64-bit type, not INVALID")
            }
            Self::SameAsInDtype(code) => write!(f, "0x{code:02x}, as in_dtype"),
            Self::Elements { here, other } => {
                write!(f, "{other} elements as the other pattern, this one has {here}")
            }
            Self::Dtype(_) => {
                f.write_str("a dtype records read: no 64-bit type, no FP32R, not INVALID")
            }
            Self::DtypeOrFp32r(_) => {
                f.write_str("a dtype records write: no 64-bit type, not INVALID")
            }
            Self::FloatOrFp32r => {
                f.write_str("FP32, FP32R, FP16, BFLOAT16, FP8_EXP3, FP8_EXP4 or FP8_EXP5")
            }
            Self::AluOp(generation) => {
                write!(f, "an ALU_OP of {generation} other than DIVIDE, POW and MOD")
            }
            Self::ArithmeticOp => {
                f.write_str("an arithmetic operator; this one belongs to another opcode")
            }
            Self::RawOrUniform => f.write_str("RAW_U32 or UNIFORM_IN_RANGE"),
            Self::StatePairing(generation) => {
                write!(f, "a state that an engine of {generation} keeps:")?;
                let states = RAND_STATES.iter().filter(|s| s.generations.contains(generation));
                for (i, state) in states.enumerate() {
                    let comma = if i == 0 { "" } else { "," };
                    write!(f, "{comma} {} with {}", state.source, state.algorithm)?;
                }
                Ok(())
            }
            Self::StateWords { source, algorithm, found, generation } => {
                for (i, state) in rand_states(source, algorithm, generation).enumerate() {
                    let or = if i == 0 { "" } else { " or " };
                    write!(f, "{or}{} elements ({})", state.words, state.engine)?;
                }
                write!(f, ", there are {found}")
            }
            Self::ElementCount(count) => write!(f, "{count}, the elements of the destination"),
            Self::Fp32 => f.write_str("0x0a (FP32), or 0x00 for it"),
            Self::Float => {
                f.write_str("FP32 (or 0x00), FP16, BFLOAT16, FP8_EXP3, FP8_EXP4 or FP8_EXP5")
            }
            Self::ChannelRange => f.write_str("1 to 128"),
            Self::StartPartition { partition } => {
                write!(f, "a start in partition 0, 32, 64 or 96, it is in {partition}")
            }
            Self::ChannelsFrom { partition, at_most, channels } => {
                write!(
                    f,
                    "at most {at_most} channels from partition {partition} on, there are {channels}"
                )
            }
            Self::CountFrom1 => f.write_str("a count of at least 1"),
            Self::NotIndirect => f.write_str("an address without the indirect marker (bit 29)"),
            Self::RegisterForm(Generation::V2) => {
                f.write_str("a register below 64 in byte 0 and zeros in bits 8 to 30")
            }
            Self::RegisterForm(_) => {
                f.write_str("a register below 64 in byte 0 and zeros behind it")
            }
            Self::Aligned { bytes } => write!(f, "a multiple of {bytes} bytes"),
            Self::Placed(Generation::V5) => f.write_str("an address in SBUF"),
            Self::Placed(_) => f.write_str("an address in SBUF or PSUM"),
            Self::InSbuf => f.write_str("an address in SBUF"),
            Self::FourBytesInPsum => f.write_str("SBUF, or a dtype of 4 bytes in PSUM"),
            Self::KnownForm => f.write_str("a form with a known number; this one's is inferred"),
            Self::SaturateFlag => f.write_str("0x10; bit 0 is the saturate flag of QuantizeMX"),
            Self::NoInstFlags => f.write_str(
                "zero; it may be inst_flags, and what the v5 tile gate makes of them is not known",
            ),
            Self::WithinActive { first, end, active } => {
                write!(f, "bytes 0 to {active} of the partition, it touches {first} to {end}")
            }
            Self::ShapeInRecord => {
                f.write_str("a shape in the record; how a register is named is not known")
            }
            Self::KnownDtype => {
                f.write_str("a dtype known to be legal; this one is inferred to be")
            }
        }
    }
}

impl Report {
    /// Returns a report without findings, about header and events.
    #[inline]
    pub(super) const fn new(word: Word, generation: Generation) -> Self {
        Self {
            word,
            generation,
            checked: Scope::Header,
            violations: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Returns whether no rule is broken.
    pub fn is_legal(&self) -> bool {
        self.violations.is_empty()
    }

    /// Adds a violation about the whole of `field`.
    #[cold]
    pub(super) fn violation(&mut self, rule: &'static Rule, field: &Field, expected: Expected) {
        self.violation_at(rule, field, field.offset_bytes, field.len_bytes, expected);
    }

    /// Adds a violation about `len` bytes of `field`.
    #[cold]
    pub(super) fn violation_at(
        &mut self,
        rule: &'static Rule,
        field: &Field,
        byte: usize,
        len: usize,
        expected: Expected,
    ) {
        let found = Found::of(&self.word, byte, len);
        self.violations.push(Violation { rule, field: field.name, byte, found, expected });
    }

    /// Adds a remark about the whole of `field`.
    #[cold]
    pub(super) fn remark(
        &mut self,
        rule: &'static Rule,
        field: &Field,
        expected: Expected,
        claim: &'static Claim,
    ) {
        let found = Found::of(&self.word, field.offset_bytes, field.len_bytes);
        let at = Violation { rule, field: field.name, byte: field.offset_bytes, found, expected };
        self.remarks.push(Remark { at, claim });
    }
}

impl Violation {
    /// Writes the five keys that violations and remarks share.
    fn write<S: SerializeStruct>(&self, object: &mut S) -> Result<(), S::Error> {
        object.serialize_field("rule", self.rule.name)?;
        object.serialize_field("field", self.field)?;
        object.serialize_field("byte", &self.byte)?;
        object.serialize_field("found", &format_args!("{}", self.found))?;
        object.serialize_field("expected", &format_args!("{}", self.expected))
    }
}

impl Serialize for Violation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Violation", 7)?;
        self.write(&mut object)?;
        object.serialize_field("standing", self.rule.claim.tag())?;
        object.serialize_field("claim", self.rule.claim.id)?;
        object.end()
    }
}

impl Serialize for Remark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Remark", 7)?;
        self.at.write(&mut object)?;
        object.serialize_field("standing", self.claim.tag())?;
        object.serialize_field("claim", self.claim.id)?;
        object.end()
    }
}

impl fmt::Display for Violation {
    /// Writes `reserved1 (byte 37) is 01, expected zero`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} (byte {}) is {}, expected {}",
            self.field, self.byte, self.found, self.expected
        )
    }
}
