#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/neff.rs"]
mod body;

fuzz_target!(|data: &[u8]| {
    body::check(data);
    // The same bytes as a payload: few inputs have a header of their own.
    body::check(&body::wrapped(data));
});
