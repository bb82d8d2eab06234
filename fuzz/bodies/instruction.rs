//! Decoding, encoding, validation and text of any bytes.

#![allow(dead_code, reason = "each user calls some of these")]

use lanedrop::asm::{assemble, disassemble};
use lanedrop::isa::{Dropout, Generation, Record, TypedError, Word, validate, words};

/// Any 64 bytes are shown; the typed instruction and the text give them back;
/// the validator's findings name bytes that are there.
pub(crate) fn any_word_survives(bytes: [u8; 64]) {
    let word = Word(bytes);
    match Dropout::decode(&word) {
        Ok(dropout) => assert_eq!(dropout.encode(), word),
        Err(TypedError::Opcode { found }) => assert_eq!((found, found != 0x7f), (bytes[0], true)),
        Err(TypedError::Code { offset_bytes, found, .. }) => {
            assert_eq!(bytes[offset_bytes], found);
        }
        Err(other) => panic!("{other}"),
    }
    for generation in Generation::ALL {
        let text = disassemble(&bytes, generation).expect("64 bytes are one record");
        let back = assemble(&text, Generation::V3).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(back, [word], "{text}");

        let record = Record { offset_bytes: 0, word, generation };
        assert!(record.to_string().lines().count() > record.fields().count());
        let json = serde_json::to_value(record).expect("a record is JSON");
        assert_eq!(json["fields"].as_object().map(|map| map.len()), Some(record.fields().count()));

        let report = validate(&word, generation);
        for violation in report.violations.iter().chain(report.remarks.iter().map(|r| &r.at)) {
            let found = violation.found.bytes();
            assert_eq!(found, &bytes[violation.byte..violation.byte + found.len()]);
            // A record the generation does not have is asked all the same.
            let exists = record.generations().contains(generation);
            assert!(!exists || violation.rule.generations.contains(generation), "{violation}");
        }
        // What is legal can be held by the typed instruction.
        if report.is_legal() && bytes[0] == 0x7f {
            assert!(Dropout::decode(&word).is_ok());
        }
    }
}

/// A stream of any length comes back from its text, or is refused for its
/// leftover bytes.
pub(crate) fn any_stream_survives(stream: &[u8]) {
    match disassemble(stream, Generation::V3) {
        Ok(text) => {
            let back = assemble(&text, Generation::V5).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert!(
                back.iter().eq(words(stream).expect("disassembled").collect::<Vec<_>>().iter())
            );
        }
        Err(leftover) => assert_eq!(leftover.leftover, stream.len() % 64),
    }
}

/// Any text is assembled or refused with a place inside it; what is assembled
/// comes back from its own text.
pub(crate) fn any_text_is_answered(text: &str) {
    match assemble(text, Generation::V4) {
        Ok(words) => {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.0).collect();
            let again = disassemble(&bytes, Generation::V4).expect("whole records");
            assert_eq!(assemble(&again, Generation::V3).expect("own text"), words);
        }
        Err(error) => {
            // An error at the end of the text may point behind its last line.
            let lines = text.split('\n').count();
            assert!((1..=lines).contains(&(error.span.line as usize)), "{error}");
            assert!(error.span.column >= 1 && error.span.width >= 1);
            assert!(error.with_source(text).to_string().starts_with(&error.to_string()));
        }
    }
}
