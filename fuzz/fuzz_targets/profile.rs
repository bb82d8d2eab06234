#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/profile.rs"]
mod profile;

fuzz_target!(|data: &[u8]| profile::check(data));
