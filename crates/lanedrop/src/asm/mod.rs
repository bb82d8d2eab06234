//! The text form of records, lossless for any 64 bytes.
