#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/lanedrop-cli/src/io/safetensors.rs"]
#[allow(dead_code)]
mod header;
use header::*;

#[path = "../bodies/safetensors.rs"]
mod body;

fuzz_target!(|data: &[u8]| body::check(data));
