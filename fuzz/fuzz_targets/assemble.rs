#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/instruction.rs"]
mod instruction;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        instruction::any_text_is_answered(text);
    }
});
