#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/instruction.rs"]
mod instruction;

fuzz_target!(|data: &[u8]| {
    instruction::any_stream_survives(data);
    for word in data.as_chunks().0 {
        instruction::any_word_survives(*word);
    }
});
