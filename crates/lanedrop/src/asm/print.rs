//! Bytes to text.

use std::fmt::{self, Write};

use super::key::{self, Target};
use super::value::{Address, Fp32, Member};
use crate::isa::events::{Action, Operand, When};
use crate::isa::word::Hex;
use crate::isa::{
    Addr4, Field, Generation, ImmSrc, Kind, Leftover, Omitted, Place, Threshold, UpdateMode,
    WaitMode, Word, layout, opcode, words,
};

/// Returns the text of a stream, which [`assemble`](super::assemble) turns
/// into the same bytes.
///
/// `generation` decides how addresses are written; the text starts with it.
///
/// ```
/// use lanedrop::{asm, isa::Generation};
/// let stream = [0xa5; 128];
/// let text = asm::disassemble(&stream, Generation::V3)?;
/// let words = asm::assemble(&text, Generation::V5).unwrap();
/// assert_eq!(words[1].0, stream[64..]);
/// # Ok::<(), lanedrop::isa::Leftover>(())
/// ```
///
/// # Errors
/// [`Leftover`] when the stream's length is no multiple of 64.
pub fn disassemble(stream: &[u8], generation: Generation) -> Result<String, Leftover> {
    let words = words(stream)?;
    let mut text = String::new();
    write_header(&mut text, generation).expect("a String takes everything");
    for (index, word) in words.enumerate() {
        let offset_bytes = Some(index as u64 * 64);
        let statement = Statement { word, generation, offset_bytes };
        write!(text, "\n{statement}").expect("a String takes everything");
    }
    Ok(text)
}

/// Writes the first line of a text: the generation its addresses are for.
///
/// # Errors
/// When `out` fails.
pub fn write_header(out: &mut impl Write, generation: Generation) -> fmt::Result {
    writeln!(out, ".generation {generation}")
}

/// One record as text: a line for what it is, further lines for patterns and
/// events.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// The record.
    pub word: Word,
    /// The generation addresses are written for.
    pub generation: Generation,
    /// Where it starts in the stream, for a comment; none without.
    pub offset_bytes: Option<u64>,
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.word.opcode();
        if let Some(offset) = self.offset_bytes {
            writeln!(f, "# 0x{offset:04x}")?;
        }
        let Some(opcode) = opcode::find(code) else {
            f.write_str("record\n")?;
            return hex_block(f, "    [", &self.word.0);
        };
        let layout = layout::of_opcode(code);
        let mut lines = Lines::new(&self.word, self.generation);
        lines.operands(&key::keys(layout))?;
        writeln!(f, "{}{}", opcode.name.to_lowercase(), lines.first)?;
        for pattern in lines.patterns {
            writeln!(f, "    {pattern}")?;
        }
        if !lines.events.is_empty() {
            writeln!(f, "   {}", lines.events)?;
        }
        let rest = &self.word.0[BODY..];
        if layout.is_none() && rest.iter().any(|&byte| byte != 0) {
            hex_block(f, "    body=[", rest)?;
        }
        Ok(())
    }
}

/// First byte behind the events, where the body of a record starts.
pub(super) const BODY: usize = 12;

/// Writes bytes in brackets, 16 a line, in groups of 4.
fn hex_block(f: &mut fmt::Formatter<'_>, opening: &str, bytes: &[u8]) -> fmt::Result {
    let width = opening.len();
    for (i, line) in bytes.chunks(16).enumerate() {
        match i {
            0 => f.write_str(opening)?,
            _ => write!(f, "\n{:width$}", "")?,
        }
        for (j, group) in line.chunks(4).enumerate() {
            write!(f, "{}{}", if j == 0 { "" } else { " " }, Hex(group))?;
        }
    }
    f.write_str("]\n")
}

/// The lines of one record, and which of its bytes they tell.
struct Lines<'a> {
    word: &'a Word,
    generation: Generation,
    /// Operands behind the name.
    first: String,
    /// One line each.
    patterns: Vec<String>,
    /// Header and events.
    events: String,
    /// Bit i is set when byte i has been told.
    told: u64,
}

impl<'a> Lines<'a> {
    fn new(word: &'a Word, generation: Generation) -> Self {
        let (first, patterns, events) = (String::new(), Vec::new(), String::new());
        Self { word, generation, first, patterns, events, told: 1 }
    }

    /// Notes that the bytes of `field` are told.
    fn tell(&mut self, field: &Field) {
        self.told |= mask(field);
    }

    /// Writes all operands: first those that stand for several fields, then
    /// the fields that are left and are not what leaving them out means.
    fn operands(&mut self, keys: &[(&'static str, Target)]) -> fmt::Result {
        for &(key, target) in keys {
            match target {
                Target::BothDtypes(input, output) => self.both_dtypes(key, input, output)?,
                Target::Tensor { address, steps, counts } => {
                    self.tensor(key, address, steps, counts)?;
                }
                Target::Threshold { value, src, polarity } => {
                    self.threshold(key, value, src, polarity)?;
                }
                Target::Wait => self.wait()?,
                Target::Update => self.update()?,
                Target::Field(_) | Target::Body => {}
            }
        }
        for &(key, target) in keys {
            if let Target::Field(field) = target {
                self.field(key, field)?;
            }
        }
        Ok(())
    }

    fn field(&mut self, key: &str, field: &'static Field) -> fmt::Result {
        let bytes = field.bytes(self.word);
        let implied = match field.omitted {
            Omitted::Zero => bytes.iter().all(|&byte| byte == 0),
            Omitted::Is(byte) => bytes == [byte],
            Omitted::Required => false,
        };
        if implied || self.told & mask(field) == mask(field) {
            return Ok(());
        }
        self.tell(field);
        let byte = field.u8(self.word);
        let line = if field.offset_bytes < BODY { &mut self.events } else { &mut self.first };
        write!(line, " {key}=")?;
        match field.kind {
            Kind::Code(table) => write!(line, "{}", Member(table, byte)),
            Kind::Byte => write!(line, "0x{byte:02x}"),
            Kind::Count(_) | Kind::WaitIdx | Kind::UpdateIdx => write!(line, "{byte}"),
            Kind::Word | Kind::SemaphoreValue => write!(line, "{}", field.u32(self.word)),
            Kind::Reserved
            | Kind::Addr4
            | Kind::StepElem
            | Kind::NumElem
            | Kind::Immediate { .. } => write!(line, "[{}]", Hex(bytes)),
        }
    }

    fn both_dtypes(
        &mut self,
        key: &str,
        input: &'static Field,
        output: &'static Field,
    ) -> fmt::Result {
        let (Kind::Code(table), byte) = (input.kind, input.u8(self.word)) else { return Ok(()) };
        if byte != output.u8(self.word) {
            return Ok(());
        }
        self.tell(input);
        self.tell(output);
        write!(self.first, " {key}={}", Member(table, byte))
    }

    fn tensor(
        &mut self,
        key: &str,
        address: &'static Field,
        steps: &'static Field,
        counts: &'static Field,
    ) -> fmt::Result {
        for field in [address, steps, counts] {
            self.tell(field);
        }
        let addr = Address(Addr4(address.u32(self.word)), self.generation);
        let halves =
            |field: &Field| -> Vec<[u8; 2]> { field.bytes(self.word).as_chunks::<2>().0.to_vec() };
        let mut dimensions: Vec<_> = std::iter::zip(halves(counts), halves(steps))
            .map(|(num, step)| (u16::from_le_bytes(num), i16::from_le_bytes(step)))
            .collect();
        while dimensions.len() > 1 && dimensions.last() == Some(&(1, 1)) {
            dimensions.pop();
        }
        let mut line = format!("{key}={addr}(");
        for (i, (num, step)) in dimensions.into_iter().enumerate() {
            write!(line, "{}{num}", if i == 0 { "" } else { ", " })?;
            if step != 1 {
                write!(line, "@{step}")?;
            }
        }
        line.push(')');
        self.patterns.push(line);
        Ok(())
    }

    /// Writes the threshold under `key`, unless that names another polarity.
    fn threshold(
        &mut self,
        key: &str,
        value: &'static Field,
        src: &'static Field,
        polarity: Option<(&'static Field, u8)>,
    ) -> fmt::Result {
        let other = polarity.is_some_and(|(field, code)| field.u8(self.word) != code);
        let zero = |field: &Field| {
            field.omitted == Omitted::Zero && field.bytes(self.word).iter().all(|&byte| byte == 0)
        };
        if zero(value) && zero(src) {
            return Ok(());
        }
        if other || self.told & mask(value) != 0 {
            return Ok(());
        }
        if let Some((field, _)) = polarity {
            self.tell(field);
        }
        self.tell(value);
        let raw = value.u32(self.word);
        write!(self.first, " {key}=")?;
        let Some(from) = ImmSrc::from_code(src.u8(self.word)) else {
            return write!(self.first, "raw(0x{raw:08x})");
        };
        self.tell(src);
        match Threshold::of(from, raw) {
            Threshold::Immediate { bits } => write!(self.first, "{}", Fp32(bits)),
            Threshold::Pointer { address } => match Place::of(address, self.generation) {
                Some(place) => write!(self.first, "*{place}"),
                None => write!(self.first, "*0x{address:x}"),
            },
            Threshold::Register { .. } => write!(self.first, "*reg[{raw}]"),
        }
    }

    fn wait(&mut self) -> fmt::Result {
        let [mode, idx, _, _, value] = event_fields();
        let Some(code) = WaitMode::from_code(mode.u8(self.word)) else { return Ok(()) };
        if code == WaitMode::None {
            return Ok(());
        }
        self.tell(mode);
        self.tell(idx);
        let idx = idx.u8(self.word);
        if let Some(operand) = code.operand() {
            self.tell(value);
            let value = SharedValue(operand, value.u32(self.word));
            return write!(self.events, " wait=sem[{idx}]{}{value}", comparison(code));
        }
        let (not, then) = match code {
            WaitMode::EventSetThenClear => ("", ",clear"),
            WaitMode::EventClear => ("!", ""),
            WaitMode::EventClearThenSet => ("!", ",set"),
            _ => ("", ""),
        };
        write!(self.events, " wait={not}event[{idx}]{then}")
    }

    fn update(&mut self) -> fmt::Result {
        let [_, _, mode, idx, value] = event_fields();
        let Some((action, when)) =
            UpdateMode::from_code(mode.u8(self.word)).and_then(UpdateMode::action)
        else {
            return Ok(());
        };
        self.tell(mode);
        self.tell(idx);
        let idx = idx.u8(self.word);
        let raw = value.u32(self.word);
        write!(self.events, " update=")?;
        match action {
            Action::Set => write!(self.events, "event[{idx}]=1")?,
            Action::Clear => write!(self.events, "event[{idx}]=0")?,
            Action::Increment => write!(self.events, "sem[{idx}]++")?,
            Action::Decrement => write!(self.events, "sem[{idx}]--")?,
            Action::Add(operand) | Action::Subtract(operand) | Action::Assign(operand) => {
                self.tell(value);
                let sign = match action {
                    Action::Add(_) => "+=",
                    Action::Subtract(_) => "-=",
                    _ => "=",
                };
                write!(self.events, "sem[{idx}]{sign}{}", SharedValue(operand, raw))?;
            }
        }
        self.events.push_str(match when {
            When::Read => "@read",
            When::Complete => "@complete",
        });
        Ok(())
    }
}

/// Returns one bit for each byte of `field`.
pub(super) fn mask(field: &Field) -> u64 {
    byte_mask(field.offset_bytes, field.len_bytes)
}

/// Returns one bit for each of `len` bytes from `offset` on, in a word of 64.
pub(super) fn byte_mask(offset: usize, len: usize) -> u64 {
    (0..64).filter(|byte| (offset..offset + len).contains(byte)).map(|byte| 1 << byte).sum()
}

/// Returns wait_mode, wait_idx, update_mode, update_idx and semaphore_value.
pub(super) fn event_fields() -> [&'static Field; 5] {
    const FIELDS: [&Field; 5] = [
        layout::COMMON.field("events.wait_mode"),
        layout::COMMON.field("events.wait_idx"),
        layout::COMMON.field("events.update_mode"),
        layout::COMMON.field("events.update_idx"),
        layout::COMMON.field("events.semaphore_value"),
    ];
    FIELDS
}

/// Returns how a wait compares its semaphore; the register forms compare alike.
fn comparison(mode: WaitMode) -> &'static str {
    COMPARISONS[usize::from(mode.code() & 0x7f).clamp(1, COMPARISONS.len()) - 1]
}

/// The comparisons of wait modes 1 to 5, and of their register forms.
pub(super) const COMPARISONS: [&str; 5] = ["==", "<", "<=", ">", ">="];

/// Writes the value a wait or an update uses.
struct SharedValue(Operand, u32);

impl fmt::Display for SharedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Operand::Value => write!(f, "{}", self.1),
            Operand::Register => write!(f, "reg[{}]", self.1),
        }
    }
}
