//! The typed instruction.

use thiserror::Error;

use super::layout::{COMMON, S3D3_DROPOUT};
use super::opcode;
use super::{Dtype, Events, Field, Header, ImmSrc, Tensor3d, Threshold, ThresholdType, Word};

/// One Dropout, every byte of it.
///
/// Fields whose codes have no meaning cannot be held; all other bytes can,
/// also those no legal record has, so that `Dropout::decode(&word)?.encode()`
/// is `word`.
///
/// ```
/// use lanedrop::isa::{Addr4, Dropout, Dtype, Tensor3d};
/// let dropout = Dropout::new(
///     Dtype::BFLOAT16,
///     Tensor3d::row(Addr4(0x0), 512),
///     Tensor3d::row(Addr4(0x1000), 512),
///     128,
///     0.1,
/// );
/// let word = dropout.encode();
/// assert_eq!(word.opcode(), 0x7f);
/// assert_eq!(Dropout::decode(&word)?, dropout);
/// # Ok::<(), lanedrop::isa::TypedError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dropout {
    /// Bytes 1..4.
    pub header: Header,
    /// Bytes 4..12.
    pub events: Events,
    /// Bytes 12..16, zero in a legal record.
    pub reserved0: [u8; 4],
    /// What is read.
    pub src_mem_pattern: Tensor3d,
    /// Type of the elements read.
    pub in_dtype: Dtype,
    /// Type of the elements written.
    pub out_dtype: Dtype,
    /// Partitions worked on, 1..=128 in a legal record.
    pub num_active_channels: u8,
    /// Where the threshold comes from.
    pub threshold_src: ImmSrc,
    /// Type of the threshold; INVALID is read as FP32.
    pub threshold_dtype: Dtype,
    /// Bytes 37..43, zero in a legal record.
    pub reserved1: [u8; 6],
    /// Whether the threshold is a drop rate or a keep rate.
    pub threshold_type: ThresholdType,
    /// The threshold's 4 bytes as a little-endian number; see [`Dropout::operand`].
    pub threshold: u32,
    /// Where the result goes.
    pub dst_mem_pattern: Tensor3d,
}

/// A word is no Dropout that the typed instruction can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TypedError {
    /// The opcode byte names another instruction.
    #[error("opcode is 0x{found:02x}, expected 0x7f")]
    Opcode {
        /// The byte.
        found: u8,
    },
    /// An enumerated field holds a code with no meaning.
    #[error("{field} (byte {offset_bytes}) is 0x{found:02x}, which is no member of {table}")]
    Code {
        /// The field's dotted name.
        field: &'static str,
        /// Its byte.
        offset_bytes: usize,
        /// What it holds.
        found: u8,
        /// The enumeration it should be a member of.
        table: &'static str,
    },
}

const OPCODE: &Field = COMMON.field("header.opcode");
const RESERVED0: &Field = S3D3_DROPOUT.field("reserved0");
pub(super) const SRC: &Field = S3D3_DROPOUT.field("src_mem_pattern.start_addr");
pub(super) const IN_DTYPE: &Field = S3D3_DROPOUT.field("in_dtype");
pub(super) const OUT_DTYPE: &Field = S3D3_DROPOUT.field("out_dtype");
pub(super) const NUM_ACTIVE_CHANNELS: &Field = S3D3_DROPOUT.field("num_active_channels");
pub(super) const THRESHOLD_SRC: &Field = S3D3_DROPOUT.field("threshold_src");
pub(super) const THRESHOLD_DTYPE: &Field = S3D3_DROPOUT.field("threshold_dtype");
const RESERVED1: &Field = S3D3_DROPOUT.field("reserved1");
pub(super) const THRESHOLD_TYPE: &Field = S3D3_DROPOUT.field("threshold_type");
pub(super) const THRESHOLD: &Field = S3D3_DROPOUT.field("threshold");
pub(super) const DST: &Field = S3D3_DROPOUT.field("dst_mem_pattern.start_addr");

impl Dropout {
    /// Returns the record a compiler would write for an immediate drop rate:
    /// no events, reserved bytes zero.
    pub fn new(
        dtype: Dtype,
        src_mem_pattern: Tensor3d,
        dst_mem_pattern: Tensor3d,
        num_active_channels: u8,
        drop_rate: f32,
    ) -> Self {
        Self {
            header: Header::default(),
            events: Events::default(),
            reserved0: [0; 4],
            src_mem_pattern,
            in_dtype: dtype,
            out_dtype: dtype,
            num_active_channels,
            threshold_src: ImmSrc::InstructionImmediate,
            threshold_dtype: Dtype::FP32,
            reserved1: [0; 6],
            threshold_type: ThresholdType::DropRate,
            threshold: drop_rate.to_bits(),
            dst_mem_pattern,
        }
    }

    /// Reads a Dropout.
    ///
    /// # Errors
    /// [`TypedError`] when the opcode is another one, or a field holds a code
    /// without a meaning on any generation. It does not ask whether the record
    /// is legal: that is [`validate`](super::validate()).
    #[inline]
    pub fn decode(word: &Word) -> Result<Self, TypedError> {
        if word.opcode() != opcode::DROPOUT {
            return Err(TypedError::Opcode { found: word.opcode() });
        }
        let no_member = |field: &'static Field| TypedError::no_member(field, word);
        let dtype = |field: &'static Field| {
            Dtype::from_code(field.u8(word)).ok_or_else(|| no_member(field))
        };
        Ok(Self {
            header: Header::of(word),
            events: Events::of(word).map_err(no_member)?,
            reserved0: word.bytes(RESERVED0.offset_bytes),
            src_mem_pattern: pattern(word, SRC),
            in_dtype: dtype(IN_DTYPE)?,
            out_dtype: dtype(OUT_DTYPE)?,
            num_active_channels: NUM_ACTIVE_CHANNELS.u8(word),
            threshold_src: ImmSrc::from_code(THRESHOLD_SRC.u8(word))
                .ok_or_else(|| no_member(THRESHOLD_SRC))?,
            threshold_dtype: dtype(THRESHOLD_DTYPE)?,
            reserved1: word.bytes(RESERVED1.offset_bytes),
            threshold_type: ThresholdType::from_code(THRESHOLD_TYPE.u8(word))
                .ok_or_else(|| no_member(THRESHOLD_TYPE))?,
            threshold: THRESHOLD.u32(word),
            dst_mem_pattern: pattern(word, DST),
        })
    }

    /// Returns the 64 bytes.
    pub fn encode(&self) -> Word {
        let mut word = Word::ZERO;
        OPCODE.set(&mut word, &[opcode::DROPOUT]);
        self.header.write(&mut word);
        self.events.write(&mut word);
        RESERVED0.set(&mut word, &self.reserved0);
        self.src_mem_pattern.write_to(&mut word.0[SRC.offset_bytes..]);
        IN_DTYPE.set(&mut word, &[self.in_dtype.code()]);
        OUT_DTYPE.set(&mut word, &[self.out_dtype.code()]);
        NUM_ACTIVE_CHANNELS.set(&mut word, &[self.num_active_channels]);
        THRESHOLD_SRC.set(&mut word, &[self.threshold_src.code()]);
        THRESHOLD_DTYPE.set(&mut word, &[self.threshold_dtype.code()]);
        RESERVED1.set(&mut word, &self.reserved1);
        THRESHOLD_TYPE.set(&mut word, &[self.threshold_type.code()]);
        THRESHOLD.set(&mut word, &self.threshold.to_le_bytes());
        self.dst_mem_pattern.write_to(&mut word.0[DST.offset_bytes..]);
        word
    }

    /// Returns the threshold, read as `threshold_src` says.
    pub const fn operand(&self) -> Threshold {
        Threshold::of(self.threshold_src, self.threshold)
    }
}

impl TypedError {
    /// Returns the error for a field that is no member of its enumeration.
    fn no_member(field: &'static Field, word: &Word) -> Self {
        let table = match field.kind {
            super::Kind::Code(table) => table.name,
            _ => "its enumeration",
        };
        Self::Code {
            field: field.name,
            offset_bytes: field.offset_bytes,
            found: field.u8(word),
            table,
        }
    }
}

/// Reads the pattern whose start address is `field`.
#[inline]
pub(super) fn pattern(word: &Word, field: &Field) -> Tensor3d {
    Tensor3d::from_bytes(&word.0[field.offset_bytes..field.offset_bytes + Tensor3d::LEN_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Addr4;

    fn plain() -> Word {
        let src = Tensor3d::row(Addr4(0), 4);
        Dropout::new(Dtype::FP32, src, src, 1, 0.5).encode()
    }

    #[test]
    fn the_plain_record_has_the_bytes_of_the_header() {
        let mut expected = [0; 64];
        expected[..2].copy_from_slice(&[0x7f, 0x10]);
        for base in [16, 48] {
            expected[base + 4..base + 16].copy_from_slice(&[1, 0, 1, 0, 1, 0, 4, 0, 1, 0, 1, 0]);
        }
        expected[32..37].copy_from_slice(&[0x0a, 0x0a, 1, 0, 0x0a]);
        expected[44..48].copy_from_slice(&[0, 0, 0, 0x3f]);
        assert_eq!(plain(), Word(expected));
    }

    #[test]
    fn a_code_without_meaning_is_an_error_that_names_field_and_byte() {
        let mut word = plain();
        word.0[35] = 7;
        let error = Dropout::decode(&word).unwrap_err();
        assert_eq!(
            error.to_string(),
            "threshold_src (byte 35) is 0x07, which is no member of IMM_SRC"
        );
        word.0[0] = 0x7e;
        assert_eq!(
            Dropout::decode(&word).unwrap_err().to_string(),
            "opcode is 0x7e, expected 0x7f"
        );
    }

    #[test]
    fn bytes_no_legal_record_has_survive() {
        let mut word = plain();
        for (at, byte) in [(1, 3), (2, 0xee), (3, 0xdd), (12, 1), (39, 0xff), (34, 0)] {
            word.0[at] = byte;
        }
        assert_eq!(Dropout::decode(&word).unwrap().encode(), word);
    }
}
