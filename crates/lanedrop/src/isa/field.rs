//! One row of a layout: a field, where it is, what it means.

use std::fmt;

use serde::{Serialize, Serializer};

use super::events::{self, UpdateMode, WaitMode};
use super::operand::{Fp32Text, Threshold};
use super::word::Hex;
use super::{Addr4, CodeTable, Generation, ImmSrc, Place, Word};
use crate::evidence::Claim;

/// A field of a record.
#[derive(Debug)]
pub struct Field {
    /// Dotted name, as JSON has it.
    pub name: &'static str,
    /// First byte in the record.
    pub offset_bytes: usize,
    /// Bytes it takes.
    pub len_bytes: usize,
    /// How its bytes are read.
    pub kind: Kind,
    /// What text that leaves the field out means.
    pub omitted: Omitted,
    /// What it is, as a phrase.
    pub doc: &'static str,
    /// Where that is known from.
    pub claim: &'static Claim,
}

/// How the bytes of a field are read. Numbers are little-endian.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A byte that is a member of an enumeration.
    Code(&'static CodeTable),
    /// A byte that is a number of something.
    Count(&'static str),
    /// A byte without a known structure.
    Byte,
    /// 4 bytes that are a number or bits of one.
    Word,
    /// Bytes that are zero in a legal record.
    Reserved,
    /// The index of the wait's semaphore or event.
    WaitIdx,
    /// The index of the update's semaphore or event.
    UpdateIdx,
    /// The number shared by wait and update.
    SemaphoreValue,
    /// A start address.
    Addr4,
    /// Signed 16-bit steps, the innermost first.
    StepElem,
    /// Unsigned 16-bit counts, the innermost first.
    NumElem,
    /// 4 bytes that the `IMM_SRC` at this offset tells how to read.
    Immediate {
        /// Offset of the `IMM_SRC` byte.
        src_bytes: usize,
    },
}

/// What assembly text that does not name a field means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omitted {
    /// All its bytes are zero.
    Zero,
    /// Its one byte is this.
    Is(u8),
    /// Nothing: the text has to name it.
    Required,
}

/// The value of a field, as JSON has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raw<'a> {
    /// A number.
    Number(u32),
    /// Bytes in their order, shown as hex digits.
    Bytes(&'a [u8]),
    /// Signed 16-bit numbers; only the first `len` count.
    Signed([i16; 4], usize),
    /// Unsigned 16-bit numbers; only the first `len` count.
    Unsigned([u16; 4], usize),
}

impl Field {
    /// Returns the field's bytes in `word`.
    #[inline]
    pub fn bytes<'a>(&self, word: &'a Word) -> &'a [u8] {
        &word.0[self.offset_bytes..self.offset_bytes + self.len_bytes]
    }

    /// Returns the field's first byte in `word`.
    #[inline]
    pub const fn u8(&self, word: &Word) -> u8 {
        word.0[self.offset_bytes]
    }

    /// Returns the little-endian u32 at the field's offset.
    ///
    /// # Panics
    /// When the field starts behind byte 60.
    #[inline]
    pub const fn u32(&self, word: &Word) -> u32 {
        word.u32(self.offset_bytes)
    }

    /// Writes the field's bytes.
    ///
    /// # Panics
    /// When `bytes` is not as long as the field.
    #[inline]
    pub fn set(&self, word: &mut Word, bytes: &[u8]) {
        assert_eq!(bytes.len(), self.len_bytes, "{} has another length", self.name);
        word.set(self.offset_bytes, bytes);
    }

    /// Returns the 16-bit halves of the field, and how many there are.
    fn halves(&self, word: &Word) -> ([u16; 4], usize) {
        let mut halves = [0; 4];
        let (pairs, _) = self.bytes(word).as_chunks::<2>();
        for (half, pair) in halves.iter_mut().zip(pairs) {
            *half = u16::from_le_bytes(*pair);
        }
        (halves, pairs.len().min(4))
    }

    /// Returns the field's value in `word`.
    pub fn raw<'a>(&self, word: &'a Word) -> Raw<'a> {
        match self.kind {
            Kind::Reserved => Raw::Bytes(self.bytes(word)),
            Kind::StepElem => {
                let (halves, len) = self.halves(word);
                Raw::Signed(halves.map(u16::cast_signed), len)
            }
            Kind::NumElem => {
                let (halves, len) = self.halves(word);
                Raw::Unsigned(halves, len)
            }
            Kind::Word | Kind::Addr4 | Kind::SemaphoreValue | Kind::Immediate { .. } => {
                Raw::Number(self.u32(word))
            }
            Kind::Code(_) | Kind::Count(_) | Kind::Byte | Kind::WaitIdx | Kind::UpdateIdx => {
                Raw::Number(u32::from(self.u8(word)))
            }
        }
    }

    /// Returns the claim that what the field says in `word` rests on: the
    /// row's own, or that of the member its code names, whichever is weaker.
    pub fn standing(&self, word: &Word) -> &'static Claim {
        match self.kind {
            Kind::Code(table) => match table.find(self.u8(word)) {
                Some(code) if code.claim.is_weaker_than(self.claim) => code.claim,
                _ => self.claim,
            },
            _ => self.claim,
        }
    }

    /// Returns what the field says in `word` on `generation`, for people.
    pub fn meaning(&self, word: &Word, generation: Generation) -> String {
        let byte = self.u8(word);
        match self.kind {
            Kind::Code(table) => match table.find(byte) {
                None => format!("no member of {}", table.name),
                Some(code) => {
                    let mut text = code.name.to_owned();
                    if !code.says.is_empty() {
                        text.push_str(": ");
                        text.push_str(code.says);
                    }
                    if !code.generations.contains(generation) {
                        text.push_str(&format!(" (not on {generation})"));
                    }
                    text
                }
            },
            Kind::Count(unit) => format!("{byte} {unit}"),
            Kind::Word => match self.u32(word) {
                small @ 0..=9 => small.to_string(),
                number => format!("{number} (0x{number:08x})"),
            },
            Kind::Byte if byte == 0 => "none".to_owned(),
            Kind::Byte => format!("0x{byte:02x}"),
            Kind::Reserved if self.bytes(word).iter().all(|&byte| byte == 0) => "zero".to_owned(),
            Kind::Reserved => "not zero".to_owned(),
            Kind::WaitIdx => match WaitMode::from_code(events::WAIT_MODE.u8(word)) {
                Some(WaitMode::None) => unused(byte.into()),
                Some(mode) if mode.operand().is_some() => format!("semaphore {byte}"),
                Some(_) => format!("event {byte}"),
                None => format!("index {byte}"),
            },
            Kind::UpdateIdx => match UpdateMode::from_code(events::UPDATE_MODE.u8(word)) {
                None => format!("index {byte}"),
                Some(mode) => match mode.action() {
                    None => unused(byte.into()),
                    Some((events::Action::Set | events::Action::Clear, _)) => {
                        format!("event {byte}")
                    }
                    Some(_) => format!("semaphore {byte}"),
                },
            },
            Kind::SemaphoreValue => semaphore_value(word),
            Kind::Addr4 => Addr4(self.u32(word)).describe(generation),
            Kind::StepElem => {
                let (halves, len) = self.halves(word);
                let steps: Vec<_> =
                    halves[..len].iter().map(|half| half.cast_signed().to_string()).collect();
                format!("{} elements, innermost first", steps.join(", "))
            }
            Kind::NumElem => {
                let (halves, len) = self.halves(word);
                let product: u64 = halves[..len].iter().map(|&n| u64::from(n)).product();
                let counts: Vec<_> = halves[..len].iter().map(u16::to_string).collect();
                format!("{} = {product} elements a channel", counts.join(" x "))
            }
            Kind::Immediate { src_bytes } => match ImmSrc::from_code(word.0[src_bytes]) {
                None => "unread: its source is no member of IMM_SRC".to_owned(),
                Some(src) => match Threshold::of(src, self.u32(word)) {
                    Threshold::Immediate { bits } => Fp32Text(bits).to_string(),
                    Threshold::Pointer { address } => match Place::of(address, generation) {
                        Some(place) => format!("one value a partition, from {place}"),
                        None => format!("pointer 0x{address:x}, in no memory of {generation}"),
                    },
                    Threshold::Register { number, rest: [0, 0, 0] } => {
                        format!("one value a partition, from the address in register {number}")
                    }
                    Threshold::Register { number, rest } => {
                        format!("register {number}, followed by {}", Hex(&rest))
                    }
                },
            },
        }
    }
}

/// Returns the meaning of a number nothing reads.
fn unused(value: u32) -> String {
    if value == 0 { "unused".to_owned() } else { format!("{value}, unused") }
}

/// Returns the meaning of the number that wait and update share.
fn semaphore_value(word: &Word) -> String {
    use events::{Action, Operand};
    let value = events::SEMAPHORE_VALUE.u32(word);
    let wait = WaitMode::from_code(events::WAIT_MODE.u8(word)).and_then(WaitMode::operand);
    let update = UpdateMode::from_code(events::UPDATE_MODE.u8(word))
        .and_then(UpdateMode::action)
        .and_then(|(action, _)| match action {
            Action::Add(operand) | Action::Subtract(operand) | Action::Assign(operand) => {
                Some(operand)
            }
            _ => None,
        });
    let show = |operand, who: &str| match operand {
        Operand::Value => format!("value {value} of the {who}"),
        Operand::Register => format!("register {value} of the {who}"),
    };
    match (wait, update) {
        (None, None) => unused(value),
        (Some(wait), None) => show(wait, "wait"),
        (None, Some(update)) => show(update, "update"),
        (Some(wait), Some(update)) => format!("{}, {}", show(wait, "wait"), show(update, "update")),
    }
}

impl fmt::Display for Raw<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Bytes(bytes) => Hex(bytes).fmt(f),
            Self::Signed(halves, len) => write!(f, "{:?}", &halves[..*len]),
            Self::Unsigned(halves, len) => write!(f, "{:?}", &halves[..*len]),
        }
    }
}

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_u32(*number),
            Self::Bytes(bytes) => serializer.collect_str(&Hex(bytes)),
            Self::Signed(halves, len) => serializer.collect_seq(&halves[..*len]),
            Self::Unsigned(halves, len) => serializer.collect_seq(&halves[..*len]),
        }
    }
}
