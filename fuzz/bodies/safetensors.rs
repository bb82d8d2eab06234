//! What holds for every byte string read as a `.safetensors` file.

use super::{Entry, SafetensorsError, find, header};

/// Any bytes are refused with a message, or each of their tensors lies inside
/// them and comes back from a file of its own.
pub fn check(data: &[u8]) {
    let names = match find(data, None) {
        Ok((name, entry)) => {
            one(data, &name, &entry);
            return;
        }
        Err(SafetensorsError::Which { names }) => names,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    for name in names {
        let (found, entry) = find(data, Some(&name)).expect("the file listed it");
        assert_eq!(found, name);
        one(data, &name, &entry);
    }
}

fn one(data: &[u8], name: &str, entry: &Entry) {
    let tensor = &data[entry.start..entry.start + entry.len_bytes];
    let mut file = header(name, entry.dtype, &entry.shape, tensor.len() as u64);
    let start = file.len();
    file.extend(tensor);
    let wanted = Entry { start, others: 0, ..entry.clone() };
    // A tensor named as the format names its remarks cannot be written.
    if name != "__metadata__" {
        assert_eq!(find(&file, None).expect("it was just written"), (name.to_owned(), wanted));
    }
}
