//! The 64-byte records: layout, enumerations, typed instruction, validation.
//!
//! [`Word`] is the raw 64 bytes and [`Dropout`] the typed instruction. The
//! bytes of every record kind are the rows of [`layout`], which decoding,
//! encoding, JSON, text and documentation all read. [`Record`] shows any word
//! and never fails; [`validate()`] asks the rules of a [`Generation`].

pub mod addr4;
pub mod alu;
pub mod codes;
pub mod dropout;
pub mod dtype;
pub mod events;
pub mod field;
pub mod generation;
pub mod layout;
pub mod neighbours;
pub mod opcode;
pub mod operand;
pub mod rand;
pub mod rand_state;
pub mod record;
pub mod scalar_type;
pub mod tensor;
pub mod validate;
pub mod word;

pub use addr4::{Addr4, Place, Space};
pub use alu::{AccumCmd, AluOp};
pub use codes::{Code, CodeTable};
pub use dropout::{Dropout, TypedError};
pub use dtype::Dtype;
pub use events::{DebugCmd, Events, Header, UpdateMode, WaitMode};
pub use field::{Field, Kind, Omitted};
pub use generation::{Generation, GenerationSet, Geometry};
pub use layout::Layout;
pub use operand::{ImmSrc, Threshold, ThresholdType};
pub use rand::{ImmSrcN, RandAlgorithm, RandPostProc, RandSrc, RandStateUpdate, ReverseOperands};
pub use rand_state::{Engine, RAND_STATES, RandState, rand_states};
pub use record::Record;
pub use scalar_type::{ScalarType, ScalarTypeError};
pub use tensor::{Tensor, Tensor1d, Tensor2d, Tensor3d, Tensor4d};
pub use validate::{Report, Violation, validate};
pub use word::{Leftover, WORD_LEN_BYTES, Word, words};
