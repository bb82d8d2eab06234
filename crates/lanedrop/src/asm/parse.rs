//! Text to bytes.

use super::error::{AsmError, Problem, nearest};
use super::key::{self, Target};
use super::lexer::{Lexeme, Lexer, Token};
use super::print::{BODY, COMPARISONS, byte_mask, event_fields, mask};
use super::value;
use crate::isa::events::{Action, Operand, When};
use crate::isa::{
    Field, Generation, ImmSrc, Kind, Layout, Omitted, UpdateMode, WORD_LEN_BYTES, WaitMode, Word,
    layout, opcode,
};

/// Returns the records of a text.
///
/// `generation` is what addresses are read by until the text names another
/// one with `.generation`.
///
/// ```
/// use lanedrop::{asm, isa::{Dropout, Generation}};
/// let words = asm::assemble(
///     "dropout dtype=bfloat16 channels=128 drop=0.1   # one tile
///          src=sbuf[p0](512) dst=sbuf[p0+0x1000](512)",
///     Generation::V3,
/// )?;
/// assert_eq!(Dropout::decode(&words[0]).unwrap().threshold, 0.1f32.to_bits());
/// # Ok::<(), lanedrop::asm::AsmError>(())
/// ```
///
/// # Errors
/// [`AsmError`] for the first thing that is wrong, with its place.
pub fn assemble(text: &str, generation: Generation) -> Result<Vec<Word>, AsmError> {
    let mut parser = Parser { lexer: Lexer::new(text), generation };
    let mut words = Vec::new();
    loop {
        let first = parser.lexer.peek()?;
        match first.token {
            Token::End => return Ok(words),
            Token::Name if first.text.starts_with('.') => parser.directive()?,
            Token::Name if parser.lexer.peek_second()?.text == ":" => {
                // A label is for people.
                parser.lexer.next()?;
                parser.lexer.next()?;
            }
            Token::Name => words.push(parser.statement()?),
            _ => return Err(first.unexpected("an instruction, a label or a directive")),
        }
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    generation: Generation,
}

/// A record being written: its bytes, and which operand wrote which.
struct Draft<'a> {
    word: Word,
    /// Which bytes an operand has written, and which operand it was.
    written: Vec<(u64, Lexeme<'a>)>,
}

impl<'a> Draft<'a> {
    /// Writes bytes in the name of `key`.
    fn write(&mut self, key: Lexeme<'a>, offset: usize, bytes: &[u8]) -> Result<(), AsmError> {
        let mask = byte_mask(offset, bytes.len());
        if let Some((other, before)) = self.written.iter().find(|(other, _)| other & mask != 0) {
            let byte = (other & mask).trailing_zeros() as usize;
            return Err(key.error(Problem::Twice {
                key: key.text.to_owned(),
                byte,
                before: before.text.to_owned(),
                line: before.span.line,
            }));
        }
        self.word.set(offset, bytes);
        self.written.push((mask, key));
        Ok(())
    }

    /// Writes the value that wait and update share: both may, if they agree.
    fn write_shared(&mut self, key: Lexeme<'a>, needs: u32) -> Result<(), AsmError> {
        let [_, _, _, _, field] = event_fields();
        match self.written.iter().find(|(other, _)| other & mask(field) != 0) {
            None => self.write(key, field.offset_bytes, &needs.to_le_bytes()),
            Some(_) if field.u32(&self.word) == needs => Ok(()),
            Some((_, before)) => Err(key.error(Problem::SharedValue {
                key: key.text.to_owned(),
                needs,
                before: before.text.to_owned(),
                has: field.u32(&self.word),
            })),
        }
    }

    /// Fills in what the text has left out.
    fn finish(
        mut self,
        mnemonic: Lexeme<'a>,
        layout: Option<&'static Layout>,
    ) -> Result<Word, AsmError> {
        let told = self.written.iter().fold(1, |told, (mask, _)| told | mask);
        let own = layout.map_or(&[][..], |layout| layout.rows);
        for field in layout::COMMON.rows.iter().chain(own) {
            if told & mask(field) != 0 {
                continue;
            }
            match field.omitted {
                Omitted::Zero => {}
                Omitted::Is(byte) => self.word.0[field.offset_bytes] = byte,
                Omitted::Required => {
                    return Err(mnemonic.error(Problem::Missing {
                        mnemonic: mnemonic.text.to_owned(),
                        key: key::needed(field),
                    }));
                }
            }
        }
        Ok(self.word)
    }
}

impl<'a> Parser<'a> {
    /// Reads `.generation NAME`.
    fn directive(&mut self) -> Result<(), AsmError> {
        let name = self.lexer.next()?;
        if name.text != ".generation" {
            return Err(name.error(Problem::Directive { found: name.text.to_owned() }));
        }
        let generation = self.lexer.next()?;
        self.generation = generation.text.parse().map_err(|_| {
            generation.error(Problem::Generation { found: generation.text.to_owned() })
        })?;
        Ok(())
    }

    /// Reads an instruction and its operands.
    fn statement(&mut self) -> Result<Word, AsmError> {
        let mnemonic = self.lexer.next()?;
        if mnemonic.text.eq_ignore_ascii_case("record") {
            let mut word = Word::ZERO;
            value::hex_bytes(&mut self.lexer, &mut word.0)?;
            return Ok(word);
        }
        let Some(code) = opcode::TABLE.named(mnemonic.text) else {
            let names = opcode::TABLE.codes.iter().map(|code| code.name).chain(["record"]);
            return Err(mnemonic.error(Problem::Mnemonic {
                found: mnemonic.text.to_owned(),
                nearest: nearest(mnemonic.text, names),
            }));
        };
        let layout = layout::of_opcode(code.code);
        let keys = key::keys(layout);
        let mut draft = Draft { word: Word::ZERO, written: Vec::new() };
        draft.word.0[0] = code.code;
        while self.lexer.peek()?.token == Token::Name && self.lexer.peek_second()?.text == "=" {
            let key = self.lexer.next()?;
            self.lexer.next()?;
            let Some((_, target)) = keys.iter().find(|(name, _)| *name == key.text) else {
                return Err(key.error(Problem::Key {
                    mnemonic: mnemonic.text.to_owned(),
                    found: key.text.to_owned(),
                    nearest: nearest(key.text, keys.iter().map(|(name, _)| *name)),
                }));
            };
            self.operand(&mut draft, key, *target)?;
        }
        draft.finish(mnemonic, layout)
    }

    /// Reads the value of an operand and writes it.
    fn operand(
        &mut self,
        draft: &mut Draft<'a>,
        key: Lexeme<'a>,
        target: Target,
    ) -> Result<(), AsmError> {
        match target {
            Target::Field(field) => self.field(draft, key, field),
            Target::Tensor { address, steps, counts } => {
                let addr = value::address(&mut self.lexer, self.generation)?;
                draft.write(key, address.offset_bytes, &addr.0.to_le_bytes())?;
                self.dimensions(draft, key, steps, counts)
            }
            Target::BothDtypes(input, output) => {
                let Kind::Code(table) = input.kind else { return Ok(()) };
                let code = value::member(&mut self.lexer, table)?;
                draft.write(key, input.offset_bytes, &[code])?;
                draft.write(key, output.offset_bytes, &[code])
            }
            Target::Threshold { value, src, polarity } => {
                let (from, raw) = self.threshold()?;
                if let Some(from) = from {
                    draft.write(key, src.offset_bytes, &[from.code()])?;
                }
                if let Some((field, code)) = polarity {
                    draft.write(key, field.offset_bytes, &[code])?;
                }
                draft.write(key, value.offset_bytes, &raw.to_le_bytes())
            }
            Target::Wait => self.wait(draft, key),
            Target::Update => self.update(draft, key),
            Target::Body => {
                let mut bytes = [0; WORD_LEN_BYTES - BODY];
                value::hex_bytes(&mut self.lexer, &mut bytes)?;
                draft.write(key, BODY, &bytes)
            }
        }
    }

    /// Reads the value of one field.
    fn field(
        &mut self,
        draft: &mut Draft<'a>,
        key: Lexeme<'a>,
        field: &'static Field,
    ) -> Result<(), AsmError> {
        match field.kind {
            Kind::Code(table) => {
                let code = value::member(&mut self.lexer, table)?;
                draft.write(key, field.offset_bytes, &[code])
            }
            Kind::Byte | Kind::Count(_) | Kind::WaitIdx | Kind::UpdateIdx => {
                let byte = value::unsigned(&mut self.lexer, "a byte", 255)?;
                draft.write(key, field.offset_bytes, &byte.to_le_bytes()[..1])
            }
            Kind::Word => {
                let word = value::unsigned(&mut self.lexer, "a word of 32 bits", u32::MAX)?;
                draft.write(key, field.offset_bytes, &word.to_le_bytes())
            }
            Kind::SemaphoreValue => {
                let value = value::unsigned(&mut self.lexer, "semaphore_value", u32::MAX)?;
                draft.write_shared(key, value)
            }
            Kind::Reserved
            | Kind::Addr4
            | Kind::StepElem
            | Kind::NumElem
            | Kind::Immediate { .. } => {
                let mut bytes = [0; WORD_LEN_BYTES];
                let bytes = &mut bytes[..field.len_bytes];
                value::hex_bytes(&mut self.lexer, bytes)?;
                draft.write(key, field.offset_bytes, bytes)
            }
        }
    }

    /// Reads `(NUM@STEP, …)`; a step left out is 1, a dimension left out 1@1.
    fn dimensions(
        &mut self,
        draft: &mut Draft<'a>,
        key: Lexeme<'a>,
        steps: &'static Field,
        counts: &'static Field,
    ) -> Result<(), AsmError> {
        let max = steps.len_bytes / 2;
        let mut dimensions = Vec::with_capacity(max);
        self.lexer.expect("(", "`(` and the pattern's dimensions")?;
        loop {
            let first = self.lexer.peek()?;
            if dimensions.len() == max {
                return Err(first.error(Problem::Dimensions { max }));
            }
            let num = value::unsigned(&mut self.lexer, "a count", u16::MAX.into())?;
            let step = match self.lexer.take("@")? {
                Some(_) => {
                    let (low, high) = (i16::MIN.into(), i16::MAX.into());
                    value::integer(&mut self.lexer, "a step", low, high)?
                }
                None => 1,
            };
            dimensions.push((num, step));
            if self.lexer.take(",")?.is_none() {
                break;
            }
        }
        self.lexer.expect(")", "`@`, `,` or `)`")?;
        dimensions.resize(max, (1, 1));
        // Both were checked against 16 bits: the low bytes are the number.
        let nums: Vec<u8> =
            dimensions.iter().flat_map(|(num, _)| (*num as u16).to_le_bytes()).collect();
        let strides: Vec<u8> =
            dimensions.iter().flat_map(|(_, step)| (*step as i16).to_le_bytes()).collect();
        draft.write(key, steps.offset_bytes, &strides)?;
        draft.write(key, counts.offset_bytes, &nums)
    }

    /// Reads a threshold: where it comes from, unless it is raw, and its 4 bytes.
    fn threshold(&mut self) -> Result<(Option<ImmSrc>, u32), AsmError> {
        if self.lexer.peek()?.text == "raw" {
            self.lexer.next()?;
            return Ok((None, value::parenthesised(&mut self.lexer)?));
        }
        if self.lexer.take("*")?.is_none() {
            let bits = value::fp32(&mut self.lexer)?;
            return Ok((Some(ImmSrc::InstructionImmediate), bits));
        }
        if self.lexer.peek()?.text == "reg" {
            let number = value::register(&mut self.lexer, u32::MAX)?;
            return Ok((Some(ImmSrc::RegPtrImmediate), number));
        }
        let address = value::place_or_number(&mut self.lexer, self.generation, u32::MAX)?;
        Ok((Some(ImmSrc::PointerImmediate), address))
    }

    /// Reads a value that wait and update share: a number or `reg[N]`.
    fn shared_value(&mut self) -> Result<(Operand, u32), AsmError> {
        if self.lexer.peek()?.text == "reg" {
            return Ok((Operand::Register, value::register(&mut self.lexer, u32::MAX)?));
        }
        let value = value::unsigned(&mut self.lexer, "semaphore_value", u32::MAX)?;
        Ok((Operand::Value, value))
    }

    /// Reads `sem[N]` or `event[N]`: whether it is a semaphore, and its index.
    fn index(&mut self) -> Result<(bool, u8), AsmError> {
        let semaphore = self.lexer.peek()?.text == "sem";
        let name = if semaphore { "sem" } else { "event" };
        let expected = "`sem[NUMBER]` or `event[NUMBER]`";
        let index = value::indexed(&mut self.lexer, name, expected, "an index", 255)?;
        Ok((semaphore, index.to_le_bytes()[0]))
    }

    /// Reads `sem[N]>=VALUE`, `event[N]`, `!event[N]`, with `,clear` or `,set`.
    fn wait(&mut self, draft: &mut Draft<'a>, key: Lexeme<'a>) -> Result<(), AsmError> {
        let not = self.lexer.take("!")?.is_some();
        let name = self.lexer.peek()?;
        let (semaphore, index) = self.index()?;
        let mode = if semaphore {
            if not {
                return Err(name.unexpected("`event` behind `!`"));
            }
            let sign = self.lexer.next()?;
            let Some(place) = COMPARISONS.iter().position(|text| *text == sign.text) else {
                return Err(sign.unexpected("`==`, `<`, `<=`, `>` or `>=`"));
            };
            let (operand, value) = self.shared_value()?;
            draft.write_shared(key, value)?;
            let register = if operand == Operand::Register { 0x80 } else { 0 };
            // Five comparisons: 1 to 5, or with the register bit.
            (place as u8 + 1) | register
        } else if self.lexer.take(",")?.is_some() {
            let then = self.lexer.next()?;
            match (not, then.text) {
                (false, "clear") => WaitMode::EventSetThenClear.code(),
                (true, "set") => WaitMode::EventClearThenSet.code(),
                (false, _) => return Err(then.unexpected("`clear`")),
                (true, _) => return Err(then.unexpected("`set`")),
            }
        } else if not {
            WaitMode::EventClear.code()
        } else {
            WaitMode::EventSet.code()
        };
        let [mode_field, idx_field, ..] = event_fields();
        draft.write(key, mode_field.offset_bytes, &[mode])?;
        draft.write(key, idx_field.offset_bytes, &[index])
    }

    /// Reads `sem[N]++@complete` and its like.
    fn update(&mut self, draft: &mut Draft<'a>, key: Lexeme<'a>) -> Result<(), AsmError> {
        let (semaphore, index) = self.index()?;
        let sign = self.lexer.next()?;
        let action = match (semaphore, sign.text) {
            (false, "=") => {
                let one = value::unsigned(&mut self.lexer, "an event", 1)?;
                if one == 1 { Action::Set } else { Action::Clear }
            }
            (false, _) => return Err(sign.unexpected("`=0` or `=1`")),
            (true, "++") => Action::Increment,
            (true, "--") => Action::Decrement,
            (true, "+=" | "-=" | "=") => {
                let (operand, value) = self.shared_value()?;
                draft.write_shared(key, value)?;
                match sign.text {
                    "+=" => Action::Add(operand),
                    "-=" => Action::Subtract(operand),
                    _ => Action::Assign(operand),
                }
            }
            (true, _) => return Err(sign.unexpected("`++`, `--`, `+=`, `-=` or `=`")),
        };
        self.lexer.expect("@", "`@read` or `@complete`")?;
        let when = self.lexer.next()?;
        let when = match when.text {
            "read" => When::Read,
            "complete" => When::Complete,
            _ => return Err(when.unexpected("`read` or `complete`")),
        };
        let mode = UpdateMode::from_action(action, when)
            .expect("every action exists at read and at completion");
        let [_, _, mode_field, idx_field, _] = event_fields();
        draft.write(key, mode_field.offset_bytes, &[mode.code()])?;
        draft.write(key, idx_field.offset_bytes, &[index])
    }
}
