//! What holds for every byte string read as an `.npy` header.

use super::{NpyHeader, header_bytes};

/// Any bytes are refused with a message, or they are a header that comes back
/// from its own bytes and ends where it was said to.
pub fn check(data: &[u8]) {
    match NpyHeader::parse(data) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok((header, end)) => {
            assert!(end <= data.len());
            assert_eq!(header_bytes(&data[..data.len().min(12)]), Ok(end));
            assert_eq!(NpyHeader::parse(&data[..end]), Ok((header.clone(), end)));
            assert!(NpyHeader::parse(&data[..end - 1]).is_err());
            let bytes = header.to_bytes();
            assert_eq!(bytes.len() % 64, 0);
            assert_eq!(NpyHeader::parse(&bytes), Ok((header, bytes.len())));
        }
    }
}
