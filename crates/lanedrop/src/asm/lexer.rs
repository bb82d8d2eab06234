//! Text to tokens, with their places.

use super::error::{AsmError, Problem, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name: a letter, `_` or `.`, then letters, digits and `_`.
    Name,
    /// A digit and what belongs to its number.
    Number,
    /// One or two characters of punctuation.
    Punctuation,
    /// Nothing more.
    End,
}

/// A token and its text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme<'a> {
    pub(super) token: Token,
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// Reads tokens, two ahead at most. White space and comments (from `#` or `;`
/// to the end of the line) only keep tokens apart.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
    ahead: [Option<Lexeme<'a>>; 2],
}

const PAIRS: [&str; 7] = ["==", "<=", ">=", "+=", "-=", "++", "--"];
const SINGLES: &str = "=<>+-*!@,:()[]";

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1, column: 1, ahead: [None; 2] }
    }

    /// Returns the next token without taking it.
    pub(super) fn peek(&mut self) -> Result<Lexeme<'a>, AsmError> {
        match self.ahead[0] {
            Some(lexeme) => Ok(lexeme),
            None => {
                let lexeme = self.read()?;
                self.ahead[0] = Some(lexeme);
                Ok(lexeme)
            }
        }
    }

    /// Returns the token after the next one.
    pub(super) fn peek_second(&mut self) -> Result<Lexeme<'a>, AsmError> {
        self.peek()?;
        match self.ahead[1] {
            Some(lexeme) => Ok(lexeme),
            None => {
                let lexeme = self.read()?;
                self.ahead[1] = Some(lexeme);
                Ok(lexeme)
            }
        }
    }

    /// Takes the next token.
    pub(super) fn next(&mut self) -> Result<Lexeme<'a>, AsmError> {
        let lexeme = self.peek()?;
        self.ahead = [self.ahead[1], None];
        Ok(lexeme)
    }

    /// Takes the next token if it is this punctuation.
    pub(super) fn take(&mut self, text: &str) -> Result<Option<Lexeme<'a>>, AsmError> {
        let lexeme = self.peek()?;
        if lexeme.token == Token::Punctuation && lexeme.text == text {
            return self.next().map(Some);
        }
        Ok(None)
    }

    /// Takes this punctuation, which has to stand here.
    pub(super) fn expect(
        &mut self,
        text: &str,
        expected: &'static str,
    ) -> Result<Lexeme<'a>, AsmError> {
        match self.take(text)? {
            Some(lexeme) => Ok(lexeme),
            None => Err(self.peek()?.unexpected(expected)),
        }
    }

    /// Reads a token from the text.
    fn read(&mut self) -> Result<Lexeme<'a>, AsmError> {
        self.skip_blanks();
        let Some(first) = self.rest.chars().next() else {
            let span = Span { line: self.line, column: self.column, width: 1 };
            return Ok(Lexeme { token: Token::End, text: "", span });
        };
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (token, len) = if first.is_ascii_digit() {
            (Token::Number, number_len(self.rest))
        } else if first.is_ascii_alphabetic() || first == '_' || first == '.' {
            let tail = &self.rest[1..];
            (Token::Name, 1 + tail.find(|c: char| !word(c)).unwrap_or(tail.len()))
        } else if PAIRS.iter().any(|pair| self.rest.starts_with(pair)) {
            (Token::Punctuation, 2)
        } else if SINGLES.contains(first) {
            (Token::Punctuation, 1)
        } else {
            let span = Span { line: self.line, column: self.column, width: 1 };
            return Err(AsmError { span, problem: Problem::Character { found: first } });
        };
        let (text, rest) = self.rest.split_at(len);
        // Every token is ASCII: as many characters as bytes.
        let width = u32::try_from(len).unwrap_or(u32::MAX);
        let span = Span { line: self.line, column: self.column, width };
        self.column = self.column.saturating_add(width);
        self.rest = rest;
        Ok(Lexeme { token, text, span })
    }

    /// Passes over white space and comments.
    fn skip_blanks(&mut self) {
        let mut comment = false;
        let mut chars = self.rest.char_indices();
        let end = loop {
            match chars.next() {
                None => break self.rest.len(),
                Some((_, '\n')) => {
                    comment = false;
                    self.line = self.line.saturating_add(1);
                    self.column = 1;
                    continue;
                }
                Some((_, '#' | ';')) => comment = true,
                Some((at, c)) if !comment && !c.is_whitespace() => break at,
                Some(_) => {}
            }
            self.column = self.column.saturating_add(1);
        };
        self.rest = &self.rest[end..];
    }
}

/// Returns how many bytes the number at the start of `text` takes: letters,
/// digits, `_`, `.`, and the sign of a decimal exponent.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let hex = text.starts_with("0x") || text.starts_with("0X");
    let mut len = 0;
    while len < bytes.len() {
        let exponent = len > 0 && matches!(bytes[len - 1], b'e' | b'E') && !hex;
        match bytes[len] {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => len += 1,
            b'+' | b'-' if exponent && bytes.get(len + 1).is_some_and(u8::is_ascii_digit) => {
                len += 1;
            }
            _ => break,
        }
    }
    len
}

impl Lexeme<'_> {
    /// Returns the error that something else should stand here.
    pub(super) fn unexpected(&self, expected: &'static str) -> AsmError {
        let found = self.text.to_owned();
        AsmError { span: self.span, problem: Problem::Expected { expected, found } }
    }

    /// Returns the error that this token is wrong for the reason given.
    pub(super) fn error(&self, problem: Problem) -> AsmError {
        AsmError { span: self.span, problem }
    }
}
