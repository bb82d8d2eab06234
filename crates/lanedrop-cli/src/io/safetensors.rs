//! The header of a `.safetensors` file: which tensor lies where.
//!
//! The `safetensors` crate reads the JSON and checks that the tensors cover
//! the data without gaps; this file adds what its errors leave out (how long
//! the file is and should be, which names there are). It uses nothing else of
//! the command, so that the fuzz target can include it.

use safetensors::tensor::{Dtype, Metadata};
use thiserror::Error;

/// Longest header that is read, the limit of the format's own library.
pub(crate) const MAX_HEADER_BYTES: u64 = 100_000_000;

/// Where a tensor lies and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The format's element type.
    pub(crate) dtype: Dtype,
    /// Axis lengths.
    pub(crate) shape: Vec<u64>,
    /// Offset of the first data byte in the file.
    pub(crate) start: usize,
    /// Length of the data.
    pub(crate) len_bytes: usize,
    /// How many other tensors the file has.
    pub(crate) others: usize,
}

/// Why bytes are no `.safetensors` file, or have no such tensor.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(crate) enum SafetensorsError {
    /// The file is shorter than the length of its header.
    #[error("file ends after {found} bytes, expected a .safetensors header of at least 8")]
    Short { found: usize },
    /// The header length leads beyond the file, or is absurd.
    #[error(
        "byte 0: header length is {len}, expected at most {MAX_HEADER_BYTES} and no more than the \
         {found} bytes after it"
    )]
    Length { len: u64, found: usize },
    /// The header is no JSON object of tensors that lie end to end.
    #[error("header at byte 8: {0}")]
    Json(serde_json::Error),
    /// The file does not have the bytes its header promises.
    #[error("byte {start}: found {found} bytes of tensor data, the header promises {wanted}")]
    Data { start: usize, found: usize, wanted: usize },
    /// No tensor of that name.
    #[error("no tensor is named '{name}'; there are {}", list(.names))]
    Missing { name: String, names: Vec<String> },
    /// No name where there are several tensors.
    #[error("which tensor? add #NAME to the file; there are {}", list(.names))]
    Which { names: Vec<String> },
}

/// Returns names for a message: all of a few, the first of many.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 12;
    if names.is_empty() {
        return "none".into();
    }
    let mut text = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    text
}

/// Finds tensor `name` in the bytes of a file; without a name, the only one.
/// Returns its name and place.
///
/// # Errors
/// A malformed header, data that is missing, or no such tensor.
pub(crate) fn find(file: &[u8], name: Option<&str>) -> Result<(String, Entry), SafetensorsError> {
    let Some((len, rest)) = file.split_first_chunk::<8>() else {
        return Err(SafetensorsError::Short { found: file.len() });
    };
    let len = u64::from_le_bytes(*len);
    let header = usize::try_from(len).ok().filter(|_| len <= MAX_HEADER_BYTES);
    let Some(header) = header.and_then(|len| rest.get(..len)) else {
        return Err(SafetensorsError::Length { len, found: rest.len() });
    };
    let metadata: Metadata = serde_json::from_slice(header).map_err(SafetensorsError::Json)?;
    let start = 8 + header.len();
    let (found, wanted) = (file.len() - start, metadata.data_len());
    if found != wanted {
        return Err(SafetensorsError::Data { start, found, wanted });
    }
    let names = metadata.offset_keys();
    let name = match name {
        Some(name) => name.to_owned(),
        None if names.len() == 1 => names[0].clone(),
        None => return Err(SafetensorsError::Which { names }),
    };
    let Some(info) = metadata.info(&name) else {
        return Err(SafetensorsError::Missing { name, names });
    };
    let (first, end) = info.data_offsets;
    let entry = Entry {
        dtype: info.dtype,
        shape: info.shape.iter().map(|&len| len as u64).collect(),
        start: start + first,
        len_bytes: end - first,
        others: names.len() - 1,
    };
    Ok((name, entry))
}

/// Returns the header of a file of one tensor, padded so that the data starts
/// at a multiple of 8.
pub(crate) fn header(name: &str, dtype: Dtype, shape: &[u64], len_bytes: u64) -> Vec<u8> {
    let tensor = serde_json::json!({
        "dtype": dtype.to_string(), "shape": shape, "data_offsets": [0, len_bytes],
    });
    let mut tensors = serde_json::Map::new();
    tensors.insert(name.to_owned(), tensor);
    let mut text = serde_json::Value::Object(tensors).to_string().into_bytes();
    text.resize(text.len().next_multiple_of(8), b' ');
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend(text);
    bytes
}

/// The property the fuzz target asks; the tests ask it too.
#[cfg(test)]
#[path = "../../../../fuzz/bodies/safetensors.rs"]
#[allow(unreachable_pub, reason = "the fuzz target needs it public")]
mod body;

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: usize) -> Vec<u8> {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.resize(bytes.len() + data, 0);
        bytes
    }

    const TWO: &str = r#"{"__metadata__":{"format":"pt"},
        "a":{"dtype":"BF16","shape":[2,3],"data_offsets":[4,16]},
        "b":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}"#;

    #[test]
    fn a_tensor_is_found_by_its_name() {
        let (name, entry) = find(&file(TWO, 16), Some("a")).unwrap();
        let start = 8 + TWO.len() + 4;
        let wanted =
            Entry { dtype: Dtype::BF16, shape: vec![2, 3], start, len_bytes: 12, others: 1 };
        assert_eq!((name.as_str(), entry), ("a", wanted));
    }

    #[test]
    fn a_written_header_is_read_back() {
        for name in ["w", "a \"quoted\" näme", "__metadata"] {
            let mut bytes = header(name, Dtype::F8_E5M2, &[3, 1, 4], 12);
            assert_eq!(bytes.len() % 8, 0);
            let start = bytes.len();
            bytes.extend([0; 12]);
            let (dtype, shape) = (Dtype::F8_E5M2, vec![3, 1, 4]);
            let wanted = Entry { dtype, shape, start, len_bytes: 12, others: 0 };
            assert_eq!(find(&bytes, None).unwrap(), (name.to_owned(), wanted));
        }
    }

    #[test]
    fn errors_say_what_was_found_and_what_would_do() {
        let said = |bytes: &[u8], name| find(bytes, name).unwrap_err().to_string();
        assert_eq!(
            said(b"abc", None),
            "file ends after 3 bytes, expected a .safetensors header of at least 8"
        );
        assert_eq!(
            said(&[0xff; 10], None),
            "byte 0: header length is 18446744073709551615, expected at most 100000000 and no \
             more than the 2 bytes after it"
        );
        assert_eq!(
            said(&file(TWO, 15), Some("a")),
            format!(
                "byte {}: found 15 bytes of tensor data, the header promises 16",
                8 + TWO.len()
            )
        );
        assert_eq!(said(&file(TWO, 16), Some("c")), "no tensor is named 'c'; there are b, a");
        assert_eq!(
            said(&file(TWO, 16), None),
            "which tensor? add #NAME to the file; there are b, a"
        );
        let gap = r#"{"a":{"dtype":"I8","shape":[2],"data_offsets":[1,3]}}"#;
        assert!(said(&file(gap, 3), None).contains("invalid offset for tensor `a`"));
        let large = r#"{"a":{"dtype":"I8","shape":[4294967296,4294967296],"data_offsets":[0,2]}}"#;
        assert!(said(&file(large, 2), None).contains("overflow"));
    }

    #[test]
    fn every_change_of_a_byte_is_read_or_refused() {
        let whole = file(TWO, 16);
        for at in 0..whole.len() {
            body::check(&whole[..at]);
            for byte in 0..=255 {
                let mut changed = whole.clone();
                changed[at] = byte;
                body::check(&changed);
            }
        }
        body::check(&whole);
    }
}
