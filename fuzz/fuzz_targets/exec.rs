#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/program.rs"]
mod program;

fuzz_target!(|data: &[u8]| program::check(data));
