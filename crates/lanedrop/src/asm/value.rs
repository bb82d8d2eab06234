//! Values of operands, as they are written and read.

use std::fmt;

use super::error::{AsmError, Problem, nearest};
use super::lexer::{Lexer, Token};
use crate::isa::{Addr4, CodeTable, Generation, Place, Space};

/// Writes a start address: a place, a register or a number, and its markers.
pub(super) struct Address(pub(super) Addr4, pub(super) Generation);

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(addr, generation) = *self;
        match addr.place(generation) {
            _ if addr.is_register() => write!(f, "reg[{}]", addr.address())?,
            Some(place) => write!(f, "{place}")?,
            None => write!(f, "0x{:x}", addr.address())?,
        }
        if addr.is_shape_register() {
            f.write_str("!shape")?;
        }
        if addr.is_indirect() {
            f.write_str("!indirect")?;
        }
        Ok(())
    }
}

/// Reads what [`Address`] writes.
pub(super) fn address(lexer: &mut Lexer, generation: Generation) -> Result<Addr4, AsmError> {
    let mut word = match lexer.peek()?.text {
        "reg" => Addr4::ADDR_REG | register(lexer, Addr4::ADDRESS)?,
        _ => place_or_number(lexer, generation, Addr4::ADDRESS)?,
    };
    while lexer.take("!")?.is_some() {
        let name = lexer.next()?;
        word |= match name.text {
            "shape" => Addr4::SHAPE_REG,
            "indirect" => Addr4::INDIRECT,
            _ => return Err(name.unexpected("`shape` or `indirect`")),
        };
    }
    Ok(Addr4(word))
}

/// Reads `reg[N]`.
pub(super) fn register(lexer: &mut Lexer, max: u32) -> Result<u32, AsmError> {
    indexed(lexer, "reg", "`reg[NUMBER]`", "a register", max)
}

/// Reads `NAME[N]`.
pub(super) fn indexed(
    lexer: &mut Lexer,
    name: &str,
    expected: &'static str,
    what: &'static str,
    max: u32,
) -> Result<u32, AsmError> {
    let lexeme = lexer.next()?;
    if lexeme.text != name {
        return Err(lexeme.unexpected(expected));
    }
    lexer.expect("[", "`[`")?;
    let number = unsigned(lexer, what, max)?;
    lexer.expect("]", "`]`")?;
    Ok(number)
}

/// Reads `sbuf[pP+OFFSET]`, `psum[pP+OFFSET]` or a number.
pub(super) fn place_or_number(
    lexer: &mut Lexer,
    generation: Generation,
    max: u32,
) -> Result<u32, AsmError> {
    let first = lexer.peek()?;
    let space = match (first.token, first.text) {
        (Token::Number, _) => return unsigned(lexer, "an address", max),
        (_, "sbuf") => Space::Sbuf,
        (_, "psum") => Space::Psum,
        _ => return Err(first.unexpected("`sbuf[`, `psum[`, `reg[` or a number")),
    };
    lexer.next()?;
    lexer.expect("[", "`[`")?;
    let name = lexer.next()?;
    let partition = name
        .text
        .strip_prefix('p')
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| name.unexpected("a partition such as `p0`"))?;
    let offset_bytes = match lexer.take("+")? {
        Some(_) => unsigned(lexer, "an offset in bytes", u32::MAX)?,
        None => 0,
    };
    let end = lexer.expect("]", "`+` or `]`")?;
    let place = Place { space, partition, offset_bytes };
    place.address(generation).ok_or_else(|| AsmError {
        span: super::Span {
            width: if end.span.line == first.span.line {
                end.span.column + 1 - first.span.column
            } else {
                first.span.width
            },
            ..first.span
        },
        problem: Problem::Place { generation, space: space.name(), partition, offset_bytes },
    })
}

/// Reads a number of `0..=max`, decimal or with `0x`.
pub(super) fn unsigned(lexer: &mut Lexer, what: &'static str, max: u32) -> Result<u32, AsmError> {
    let value = integer(lexer, what, 0, i64::from(max))?;
    Ok(u32::try_from(value).expect("checked against a u32"))
}

/// Reads a number of `low..=high`, with `-` in front where it is below 0.
pub(super) fn integer(
    lexer: &mut Lexer,
    what: &'static str,
    low: i64,
    high: i64,
) -> Result<i64, AsmError> {
    let minus = lexer.take("-")?.is_some();
    let lexeme = lexer.next()?;
    if lexeme.token != Token::Number {
        return Err(lexeme.unexpected("a number"));
    }
    let digits = lexeme.text.replace('_', "");
    let (radix, digits) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => (16, hex),
        None => (10, digits.as_str()),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(lexeme.error(Problem::Number { found: lexeme.text.to_owned() }));
    }
    let sign = if minus { -1 } else { 1 };
    i64::from_str_radix(digits, radix)
        .ok()
        .map(|value| sign * value)
        .filter(|value| (low..=high).contains(value))
        .ok_or_else(|| {
            let found = format!("{}{}", if minus { "-" } else { "" }, lexeme.text);
            lexeme.error(Problem::Range { what, found, low, high })
        })
}

/// Writes a member of an enumeration by name, in lower case, and any other
/// byte as a number.
pub(super) struct Member(pub(super) &'static CodeTable, pub(super) u8);

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.find(self.1) {
            Some(code) => f.write_str(&code.name.to_lowercase()),
            None => write!(f, "0x{:02x}", self.1),
        }
    }
}

/// Reads what [`Member`] writes.
pub(super) fn member(lexer: &mut Lexer, table: &'static CodeTable) -> Result<u8, AsmError> {
    let lexeme = lexer.peek()?;
    if lexeme.token == Token::Number {
        let code = unsigned(lexer, "a byte", 255)?;
        return Ok(u8::try_from(code).expect("checked against 255"));
    }
    if lexeme.token != Token::Name {
        return Err(lexeme.unexpected("a name or a number"));
    }
    lexer.next()?;
    table.named(lexeme.text).map(|code| code.code).ok_or_else(|| {
        lexeme.error(Problem::Member {
            table: table.name,
            found: lexeme.text.to_owned(),
            nearest: nearest(lexeme.text, table.codes.iter().map(|code| code.name)),
        })
    })
}

/// Writes fp32 bits so that they read back: the shortest decimal, or the bits
/// of a NaN.
pub(super) struct Fp32(pub(super) u32);

impl fmt::Display for Fp32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = f32::from_bits(self.0);
        if value.is_nan() { write!(f, "fp32(0x{:08x})", self.0) } else { write!(f, "{value:?}") }
    }
}

/// Reads what [`Fp32`] writes, and returns the bits of the nearest fp32.
pub(super) fn fp32(lexer: &mut Lexer) -> Result<u32, AsmError> {
    let first = lexer.peek()?;
    if first.text == "fp32" {
        lexer.next()?;
        return parenthesised(lexer);
    }
    let minus = lexer.take("-")?.is_some();
    let lexeme = lexer.next()?;
    let magnitude: f32 = match (lexeme.token, lexeme.text) {
        (Token::Name, "inf") => f32::INFINITY,
        (Token::Number, text) => {
            text.parse().map_err(|_| lexeme.error(Problem::Number { found: text.to_owned() }))?
        }
        _ => return Err(lexeme.unexpected("a rate, `*ADDRESS`, `*reg[NUMBER]` or `fp32(BITS)`")),
    };
    Ok(if minus { -magnitude } else { magnitude }.to_bits())
}

/// Reads `(N)` with N of 32 bits.
pub(super) fn parenthesised(lexer: &mut Lexer) -> Result<u32, AsmError> {
    lexer.expect("(", "`(`")?;
    let bits = unsigned(lexer, "a word of 32 bits", u32::MAX)?;
    lexer.expect(")", "`)`")?;
    Ok(bits)
}

/// Reads `[HEX HEX …]`, `out.len()` bytes; white space may stand anywhere.
pub(super) fn hex_bytes(lexer: &mut Lexer, out: &mut [u8]) -> Result<(), AsmError> {
    let open = lexer.expect("[", "`[` and hex digits")?;
    let mut digits = 0;
    loop {
        let lexeme = lexer.peek()?;
        if let Some(close) = lexer.take("]")? {
            if digits != 2 * out.len() {
                let span = if close.span.line == open.span.line {
                    let width = close.span.column + 1 - open.span.column;
                    super::Span { width, ..open.span }
                } else {
                    open.span
                };
                return Err(AsmError {
                    span,
                    problem: Problem::ByteCount { bytes: out.len(), digits },
                });
            }
            return Ok(());
        }
        if !matches!(lexeme.token, Token::Name | Token::Number) {
            return Err(lexeme.unexpected("hex digits or `]`"));
        }
        lexer.next()?;
        for c in lexeme.text.chars() {
            let digit = c.to_digit(16).ok_or_else(|| lexeme.unexpected("hex digits"))?;
            if let Some(byte) = out.get_mut(digits / 2) {
                *byte = *byte << 4 | u8::try_from(digit).expect("a hex digit is below 16");
            }
            digits += 1;
        }
    }
}
