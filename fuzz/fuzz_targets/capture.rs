#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/capture.rs"]
mod capture;

fuzz_target!(|data: &[u8]| capture::check(data));
