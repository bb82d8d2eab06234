//! The raw record, and streams of them.

use std::fmt;

use thiserror::Error;

use crate::evidence::Claim;
use crate::evidence::claims::encoding::RECORD_LEN;

/// Length of every record on every generation.
pub const WORD_LEN_BYTES: usize = 64;

/// The claim behind [`WORD_LEN_BYTES`].
pub static WORD_LEN_CLAIM: &Claim = &RECORD_LEN;

/// The 64 raw bytes of one record, whatever they mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Word(pub [u8; WORD_LEN_BYTES]);

impl Word {
    /// 64 zero bytes.
    pub const ZERO: Self = Self([0; WORD_LEN_BYTES]);

    /// Returns byte 0, which names the instruction.
    pub const fn opcode(&self) -> u8 {
        self.0[0]
    }

    /// Returns the `N` bytes from `offset_bytes` on.
    ///
    /// # Panics
    /// When `offset_bytes + N` is more than 64.
    #[inline]
    pub const fn bytes<const N: usize>(&self, offset_bytes: usize) -> [u8; N] {
        let mut bytes = [0; N];
        let mut i = 0;
        while i < N {
            bytes[i] = self.0[offset_bytes + i];
            i += 1;
        }
        bytes
    }

    /// Returns the little-endian u32 at `offset_bytes`.
    ///
    /// # Panics
    /// When `offset_bytes` is more than 60.
    #[inline]
    pub const fn u32(&self, offset_bytes: usize) -> u32 {
        u32::from_le_bytes(self.bytes(offset_bytes))
    }

    /// Writes `bytes` from `offset_bytes` on.
    ///
    /// # Panics
    /// When they would end behind byte 64.
    #[inline]
    pub fn set(&mut self, offset_bytes: usize, bytes: &[u8]) {
        self.0[offset_bytes..offset_bytes + bytes.len()].copy_from_slice(bytes);
    }
}

impl fmt::LowerHex for Word {
    /// Writes 128 hex digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Hex(&self.0), f)
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Word({self:x})")
    }
}

/// Shows bytes as lower-case hex digits without anything between them.
#[derive(Clone, Copy, Debug)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0u8; 2 * WORD_LEN_BYTES];
        for part in self.0.chunks(WORD_LEN_BYTES) {
            for (pair, byte) in text.chunks_exact_mut(2).zip(part) {
                pair[0] = DIGITS[usize::from(byte >> 4)];
                pair[1] = DIGITS[usize::from(byte & 15)];
            }
            let digits = &text[..2 * part.len()];
            f.write_str(std::str::from_utf8(digits).expect("hex digits are ASCII"))?;
        }
        Ok(())
    }
}

/// The stream's length is no multiple of 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "{leftover} of {len_bytes} bytes are left over behind {whole} whole record{}; \
     a stream is a multiple of 64 bytes", if *.whole == 1 { "" } else { "s" }
)]
pub struct Leftover {
    /// Length of the input.
    pub len_bytes: usize,
    /// Whole records in it.
    pub whole: usize,
    /// Bytes behind the last whole record, 1..=63.
    pub leftover: usize,
}

/// Returns the words of a stream, in program order.
///
/// ```
/// use lanedrop::isa::{Word, words};
/// assert_eq!(words(&[0; 128])?.count(), 2);
/// assert_eq!(words(&[0; 65]).err().map(|error| error.leftover), Some(1));
/// # Ok::<(), lanedrop::isa::Leftover>(())
/// ```
///
/// # Errors
/// [`Leftover`] when the length is no multiple of 64.
pub fn words(stream: &[u8]) -> Result<impl ExactSizeIterator<Item = Word> + Clone + '_, Leftover> {
    let (chunks, rest) = stream.as_chunks::<WORD_LEN_BYTES>();
    if rest.is_empty() {
        Ok(chunks.iter().map(|chunk| Word(*chunk)))
    } else {
        Err(Leftover { len_bytes: stream.len(), whole: chunks.len(), leftover: rest.len() })
    }
}
