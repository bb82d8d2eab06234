//! The header of an `.npy` file: bytes to [`NpyHeader`] and back.
//!
//! Format versions 1.0, 2.0 and 3.0. The header is a Python dictionary of
//! three keys; the parser here takes that and no other Python, needs no
//! recursion and reads at most [`MAX_HEADER_BYTES`]. This file uses nothing
//! else of the command, so that the fuzz target can include it.

use thiserror::Error;

/// Longest header that is read; NumPy writes some hundred bytes.
pub(crate) const MAX_HEADER_BYTES: usize = 1 << 20;

/// First bytes of every `.npy` file.
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Which axis is fastest in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The last axis is fastest.
    C,
    /// The first axis is fastest.
    Fortran,
}

/// What stands before the data of an `.npy` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NpyHeader {
    /// The type string, as in the file: `<f4`, `|V2`.
    pub(crate) descr: String,
    /// Memory order.
    pub(crate) order: Order,
    /// Axis lengths; their product fits a u64.
    pub(crate) shape: Vec<u64>,
}

/// Why bytes are no `.npy` header.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub(crate) enum NpyError {
    /// The file is shorter than the fixed part of the header.
    #[error("file ends after {found} bytes, expected an .npy header of at least {wanted}")]
    Short { found: usize, wanted: usize },
    /// The first bytes are those of another format.
    #[error("byte 0: found {}, expected the .npy magic 93 4e 55 4d 50 59", hex(.found))]
    Magic { found: Vec<u8> },
    /// A format version NumPy has not defined.
    #[error("byte 6: format version is {major}.{minor}, expected 1.0, 2.0 or 3.0")]
    Version { major: u8, minor: u8 },
    /// The header length leads beyond the file.
    #[error("byte 8: header length is {len}, but the file has {found} bytes after it")]
    Truncated { len: usize, found: usize },
    /// The header length is absurd.
    #[error("byte 8: header length is {len}, expected at most {MAX_HEADER_BYTES}")]
    TooLong { len: usize },
    /// The header is not the dictionary that NumPy writes.
    #[error("byte {at}: found {found}, expected {expected}")]
    Syntax { at: usize, found: String, expected: &'static str },
    /// A key the format does not have.
    #[error("byte {at}: key '{key}' is unknown, expected descr, fortran_order and shape")]
    UnknownKey { at: usize, key: String },
    /// A key given twice.
    #[error("byte {at}: key '{key}' is given twice")]
    DuplicateKey { at: usize, key: &'static str },
    /// A key that is not there.
    #[error("header has no key '{key}'")]
    MissingKey { key: &'static str },
    /// The product of the axis lengths does not fit.
    #[error("shape {} has more elements than a u64 counts", shape_text(.shape))]
    TooManyElements { shape: Vec<u64> },
}

/// Returns how many bytes the header takes, data excluded, from the first
/// bytes of the file (12 suffice).
///
/// # Errors
/// Bytes that start no `.npy` file, and a length above [`MAX_HEADER_BYTES`].
pub(crate) fn header_bytes(start: &[u8]) -> Result<usize, NpyError> {
    if start.len() < 10 {
        if !MAGIC.starts_with(&start[..start.len().min(6)]) {
            return Err(NpyError::Magic { found: start[..start.len().min(6)].to_vec() });
        }
        return Err(NpyError::Short { found: start.len(), wanted: 10 });
    }
    if &start[..6] != MAGIC {
        return Err(NpyError::Magic { found: start[..6].to_vec() });
    }
    let (prefix, len) = match (start[6], start[7]) {
        (1, 0) => (10, usize::from(u16::from_le_bytes([start[8], start[9]]))),
        (2 | 3, 0) => {
            let Some(&[a, b, c, d]) = start.get(8..12) else {
                return Err(NpyError::Short { found: start.len(), wanted: 12 });
            };
            // Saturates on 16-bit machines alone, where it is too long as well.
            (12, usize::try_from(u32::from_le_bytes([a, b, c, d])).unwrap_or(usize::MAX))
        }
        (major, minor) => return Err(NpyError::Version { major, minor }),
    };
    if len > MAX_HEADER_BYTES {
        return Err(NpyError::TooLong { len });
    }
    Ok(prefix + len)
}

impl NpyHeader {
    /// Reads the header at the start of `bytes`; returns it with the offset of
    /// the first data byte.
    ///
    /// # Errors
    /// The first thing that is not as NumPy writes it, with its place.
    pub(crate) fn parse(bytes: &[u8]) -> Result<(Self, usize), NpyError> {
        let end = header_bytes(bytes)?;
        let start = if bytes[6] == 1 { 10 } else { 12 };
        let Some(text) = bytes.get(start..end) else {
            return Err(NpyError::Truncated { len: end - start, found: bytes.len() - start });
        };
        let header = Cursor { text, at: 0, origin: start }.header()?;
        let elements = header.shape.iter().try_fold(1u64, |n, &len| n.checked_mul(len));
        // An axis of length 0 makes any product 0, whatever the other axes.
        if elements.is_none() && !header.shape.contains(&0) {
            return Err(NpyError::TooManyElements { shape: header.shape });
        }
        Ok((header, end))
    }

    /// Returns the bytes of the header, padded so that the data starts at a
    /// multiple of 64 (version 1.0, or 2.0 where that is too short).
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let order = if self.order == Order::Fortran { "True" } else { "False" };
        let mut text = format!(
            "{{'descr': '{}', 'fortran_order': {order}, 'shape': {}, }}",
            self.descr,
            shape_text(&self.shape)
        );
        let short = 10 + text.len() + 64 < usize::from(u16::MAX);
        let prefix = if short { 10 } else { 12 };
        let padded = (prefix + text.len() + 1).next_multiple_of(64);
        text.extend(std::iter::repeat_n(' ', padded - prefix - text.len() - 1));
        text.push('\n');
        let mut bytes = MAGIC.to_vec();
        if short {
            bytes.extend([1, 0]);
            bytes.extend((text.len() as u16).to_le_bytes());
        } else {
            bytes.extend([2, 0]);
            bytes.extend((text.len() as u32).to_le_bytes());
        }
        bytes.extend(text.into_bytes());
        bytes
    }
}

/// Returns a shape as Python writes a tuple: `()`, `(3,)`, `(2, 3)`.
pub(crate) fn shape_text(shape: &[u64]) -> String {
    match shape {
        [one] => format!("({one},)"),
        many => {
            let axes: Vec<String> = many.iter().map(u64::to_string).collect();
            format!("({})", axes.join(", "))
        }
    }
}

/// Returns bytes as hex digits in pairs.
fn hex(bytes: &[u8]) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    if pairs.is_empty() { "nothing".into() } else { pairs.join(" ") }
}

/// A place in the header's text.
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    /// Offset of the text in the file, for messages.
    origin: usize,
}

impl Cursor<'_> {
    fn header(mut self) -> Result<NpyHeader, NpyError> {
        let (mut descr, mut order, mut shape) = (None, None, None);
        self.expect(b'{', "'{'")?;
        while self.peek() != Some(b'}') {
            let at = self.origin + self.at;
            let key = self.string("a key in quotes, or '}'")?;
            self.expect(b':', "':'")?;
            let twice = match key.as_str() {
                "descr" => descr.replace(self.string("a type string in quotes")?).is_some(),
                "fortran_order" => order.replace(self.order()?).is_some(),
                "shape" => shape.replace(self.shape()?).is_some(),
                _ => return Err(NpyError::UnknownKey { at, key }),
            };
            if twice {
                let key = match key.as_str() {
                    "descr" => "descr",
                    "shape" => "shape",
                    _ => "fortran_order",
                };
                return Err(NpyError::DuplicateKey { at, key });
            }
            if self.peek() != Some(b'}') {
                self.expect(b',', "',' or '}'")?;
            }
        }
        self.at += 1;
        if self.peek().is_some() {
            return Err(self.syntax("white space to the end of the header"));
        }
        Ok(NpyHeader {
            descr: descr.ok_or(NpyError::MissingKey { key: "descr" })?,
            order: order.ok_or(NpyError::MissingKey { key: "fortran_order" })?,
            shape: shape.ok_or(NpyError::MissingKey { key: "shape" })?,
        })
    }

    /// Passes white space; returns the byte after it.
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), NpyError> {
        if self.peek() != Some(byte) {
            return Err(self.syntax(expected));
        }
        self.at += 1;
        Ok(())
    }

    fn syntax(&self, expected: &'static str) -> NpyError {
        let rest = &self.text[self.at..];
        let found = if rest.is_empty() {
            "the end of the header".into()
        } else {
            let shown = String::from_utf8_lossy(&rest[..rest.len().min(24)]);
            format!("`{}`", shown.trim_end().replace(char::is_control, "?"))
        };
        NpyError::Syntax { at: self.origin + self.at, found, expected }
    }

    /// Reads a string without escapes: no key and no type string has any.
    fn string(&mut self, expected: &'static str) -> Result<String, NpyError> {
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(self.syntax(expected)),
        };
        let rest = &self.text[self.at + 1..];
        let plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'\\';
        match rest.iter().position(|&byte| byte == quote) {
            Some(len) if rest[..len].iter().copied().all(plain) => {
                self.at += len + 2;
                Ok(String::from_utf8_lossy(&rest[..len]).into_owned())
            }
            _ => Err(self.syntax(expected)),
        }
    }

    fn order(&mut self) -> Result<Order, NpyError> {
        self.peek();
        for (name, order) in [("True", Order::Fortran), ("False", Order::C)] {
            if self.text[self.at..].starts_with(name.as_bytes()) {
                self.at += name.len();
                return Ok(order);
            }
        }
        Err(self.syntax("True or False"))
    }

    /// Reads a tuple of lengths; Python 2 wrote an `L` after each.
    fn shape(&mut self) -> Result<Vec<u64>, NpyError> {
        let mut shape = Vec::new();
        self.expect(b'(', "'(' of a shape")?;
        while self.peek() != Some(b')') {
            let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit());
            let len = digits.count();
            let number = std::str::from_utf8(&self.text[self.at..self.at + len]).ok();
            let Some(number) = number.and_then(|digits| digits.parse().ok()) else {
                return Err(self.syntax("an axis length below 2^64, or ')'"));
            };
            shape.push(number);
            self.at += len;
            if self.text.get(self.at) == Some(&b'L') {
                self.at += 1;
            }
            if self.peek() != Some(b')') {
                self.expect(b',', "',' or ')'")?;
            } else if shape.len() == 1 {
                // `(3)` is a number in Python, not a shape.
                return Err(self.syntax("',' after the only axis"));
            }
        }
        self.at += 1;
        Ok(shape)
    }
}

/// The property the fuzz target asks; the tests ask it too.
#[cfg(test)]
#[path = "../../../../fuzz/bodies/npy.rs"]
#[allow(unreachable_pub, reason = "the fuzz target needs it public")]
mod body;

#[cfg(test)]
#[path = "npy_tests.rs"]
mod tests;
