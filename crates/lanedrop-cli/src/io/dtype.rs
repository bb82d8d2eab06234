//! Element types as files spell them, and the ones no instruction takes.

use ::safetensors::tensor::Dtype as SafetensorsDtype;
use lanedrop::exec::Element;
use thiserror::Error;

/// The rule that decides which elements a Dropout may have.
const RULE: &str = "is_valid_dtype_in";

/// Why a tensor's elements cannot run.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum DtypeError {
    /// The type has no code, or one that the rule rejects.
    #[error("element type {found} is {what}, which rule {RULE} forbids: {why}")]
    Forbidden { found: String, what: &'static str, why: &'static str },
    /// The type string is none that NumPy writes.
    #[error("element type {found} is unknown, expected one like '<f4', '>i2' or '|V1'")]
    Unknown { found: String },
    /// Plain bytes without a word on what they hold.
    #[error(
        "element type {found} is plain bytes, and rule {RULE} has no such type: say with --dtype \
         what they hold ({})", of_size(*.size_bytes)
    )]
    PlainBytes { found: String, size_bytes: usize },
    /// `--dtype` against what the file says.
    #[error(
        "element type {found} cannot be {wanted} of --dtype, which has {size_bytes} bytes: \
             --dtype is for plain bytes (void or unsigned) of the same size"
    )]
    Mismatch { found: String, wanted: &'static str, size_bytes: usize },
    /// `--dtype` for a file that names its types.
    #[error("element type {found} stands in the file; --dtype {wanted} is for .npy of plain bytes")]
    NotForSafetensors { found: String, wanted: &'static str },
}

fn of_size(size_bytes: usize) -> String {
    let names: Vec<&str> = Element::ALL
        .into_iter()
        .filter(|element| element.size_bytes() == size_bytes)
        .map(Element::name)
        .collect();
    names.join(", ")
}

/// Returns the element type and whether it is big-endian, for an `.npy` type
/// string and what `--dtype` says.
pub(crate) fn of_npy(descr: &str, told: Option<Element>) -> Result<(Element, bool), DtypeError> {
    let found = format!("'{descr}'");
    let unknown = || DtypeError::Unknown { found: found.clone() };
    let (swap, rest) = match descr.as_bytes() {
        [b'<' | b'|' | b'=', ..] => (false, &descr[1..]),
        [b'>', ..] => (true, &descr[1..]),
        _ => return Err(unknown()),
    };
    let (kind, digits) = rest.split_at_checked(1).ok_or_else(unknown)?;
    let forbidden = |what, why| Err(DtypeError::Forbidden { found: found.clone(), what, why });
    // Times carry their unit after the size.
    match kind {
        "M" | "m" => return forbidden("a time", "DTYPE has no times"),
        "O" => return forbidden("a Python object", "DTYPE has no objects"),
        "S" | "U" | "a" => return forbidden("text", "DTYPE has no text"),
        _ => {}
    }
    let size_bytes: usize = digits.parse().map_err(|_| unknown())?;
    let named = match (kind, size_bytes) {
        ("f", 4) => Some(Element::F32),
        ("f", 2) => Some(Element::F16),
        ("i", 1) => Some(Element::I8),
        ("i", 2) => Some(Element::I16),
        ("i", 4) => Some(Element::I32),
        ("u", 1) => Some(Element::U8),
        ("u", 2) => Some(Element::U16),
        ("u", 4) => Some(Element::U32),
        _ => None,
    };
    if let Some(told) = told {
        // `f1` is what ml_dtypes writes for float8_e5m2.
        let plain = matches!(kind, "V" | "u") || (kind, size_bytes) == ("f", 1);
        if named == Some(told) || (plain && told.size_bytes() == size_bytes) {
            return Ok((told, swap && size_bytes > 1));
        }
        let (wanted, size_bytes) = (told.name(), told.size_bytes());
        return Err(DtypeError::Mismatch { found, wanted, size_bytes });
    }
    match (named, kind, size_bytes) {
        (Some(element), ..) => Ok((element, swap && size_bytes > 1)),
        (None, "V", 1 | 2 | 4) | (None, "f", 1) => {
            Err(DtypeError::PlainBytes { found, size_bytes })
        }
        (None, "i", 8) => forbidden("int64", "DTYPE INT64 is never a legal operand"),
        (None, "u", 8) => forbidden("uint64", "DTYPE UINT64 is never a legal operand"),
        (None, "f", 8) => forbidden("float64", "DTYPE has no float of 8 bytes"),
        (None, "f", _) => forbidden("an extended float", "DTYPE has no float above 4 bytes"),
        (None, "b", _) => forbidden("bool", "DTYPE has no bool"),
        (None, "c", _) => forbidden("complex", "DTYPE has no complex numbers"),
        (None, "V", _) => forbidden("void", "DTYPE has elements of 1, 2 and 4 bytes alone"),
        _ => Err(unknown()),
    }
}

/// Returns the element type of a tensor in a `.safetensors` file.
pub(crate) fn of_safetensors(
    dtype: SafetensorsDtype,
    told: Option<Element>,
) -> Result<Element, DtypeError> {
    use SafetensorsDtype as D;
    let found = dtype.to_string();
    if let Some(told) = told {
        return Err(DtypeError::NotForSafetensors { found, wanted: told.name() });
    }
    let (what, why) = match dtype {
        D::F32 => return Ok(Element::F32),
        D::F16 => return Ok(Element::F16),
        D::BF16 => return Ok(Element::BF16),
        // The format's F8_E4M3 is the OCP type without infinities.
        D::F8_E4M3 => return Ok(Element::F8E4M3FN),
        D::F8_E5M2 => return Ok(Element::F8E5M2),
        D::I8 => return Ok(Element::I8),
        D::I16 => return Ok(Element::I16),
        D::I32 => return Ok(Element::I32),
        D::U8 => return Ok(Element::U8),
        D::U16 => return Ok(Element::U16),
        D::U32 => return Ok(Element::U32),
        D::I64 => ("int64", "DTYPE INT64 is never a legal operand"),
        D::U64 => ("uint64", "DTYPE UINT64 is never a legal operand"),
        D::F64 => ("float64", "DTYPE has no float of 8 bytes"),
        D::BOOL => ("bool", "DTYPE has no bool"),
        D::C64 => ("complex", "DTYPE has no complex numbers"),
        D::F4 => ("a float of 4 bits", "DTYPE FP4_EXP2 is never a legal operand"),
        D::F8_E8M0 => ("a scale", "DTYPE SFP8_E8 is never a legal operand"),
        _ => ("another small float", "DTYPE has no such type"),
    };
    Err(DtypeError::Forbidden { found, what, why })
}

/// Returns the type string under which an element type goes into an `.npy`
/// that has none to keep. NumPy has no small floats: plain bytes, as ml_dtypes
/// views them.
pub(crate) fn npy_descr(element: Element) -> &'static str {
    match element {
        Element::F32 => "<f4",
        Element::F16 => "<f2",
        Element::BF16 => "|V2",
        Element::F8E3M4 | Element::F8E4M3 | Element::F8E4M3FN | Element::F8E5M2 => "|V1",
        Element::I8 => "|i1",
        Element::I16 => "<i2",
        Element::I32 => "<i4",
        Element::U8 => "|u1",
        Element::U16 => "<u2",
        Element::U32 => "<u4",
    }
}

/// Returns the type under which an element type goes into a `.safetensors`;
/// none for the two the format does not have.
pub(crate) fn safetensors_dtype(element: Element) -> Option<SafetensorsDtype> {
    use SafetensorsDtype as D;
    Some(match element {
        Element::F32 => D::F32,
        Element::F16 => D::F16,
        Element::BF16 => D::BF16,
        Element::F8E3M4 | Element::F8E4M3 => return None,
        Element::F8E4M3FN => D::F8_E4M3,
        Element::F8E5M2 => D::F8_E5M2,
        Element::I8 => D::I8,
        Element::I16 => D::I16,
        Element::I32 => D::I32,
        Element::U8 => D::U8,
        Element::U16 => D::U16,
        Element::U32 => D::U32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_strings_give_type_and_byte_order() {
        for (descr, told, element, big_endian) in [
            ("<f4", None, Element::F32, false),
            (">f4", None, Element::F32, true),
            ("|i1", None, Element::I8, false),
            (">u1", None, Element::U8, false),
            ("=i2", None, Element::I16, false),
            ("|V2", Some(Element::BF16), Element::BF16, false),
            ("<V2", Some(Element::BF16), Element::BF16, false),
            (">u2", Some(Element::BF16), Element::BF16, true),
            ("|V1", Some(Element::F8E3M4), Element::F8E3M4, false),
            ("<f1", Some(Element::F8E5M2), Element::F8E5M2, false),
            ("<f4", Some(Element::F32), Element::F32, false),
        ] {
            assert_eq!(of_npy(descr, told), Ok((element, big_endian)), "{descr}");
        }
    }

    #[test]
    fn types_no_instruction_takes_are_refused_with_the_rule() {
        for descr in ["<i8", "<u8", ">f8", "<f16", "|b1", "<c8", "|V1", "|V3", "|O", "<M8[ns]"] {
            let said = of_npy(descr, None).unwrap_err().to_string();
            assert!(said.contains(RULE) && said.contains(descr), "{said}");
        }
        for descr in ["", "f4", "<", "<f", "<x4", "<f-4", "<é"] {
            assert!(matches!(of_npy(descr, None), Err(DtypeError::Unknown { .. })), "{descr}");
        }
        for (descr, told) in
            [("<f4", Element::BF16), ("|b1", Element::F8E3M4), ("<i2", Element::BF16)]
        {
            assert!(matches!(of_npy(descr, Some(told)), Err(DtypeError::Mismatch { .. })));
        }
    }
}
