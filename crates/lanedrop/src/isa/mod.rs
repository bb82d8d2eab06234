//! The 64-byte records: layout, enumerations, typed instruction, validation.
