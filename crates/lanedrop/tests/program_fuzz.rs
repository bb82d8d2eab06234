//! The body of the fuzz target `exec` on pseudo-random programs.
//!
//! `LANEDROP_FUZZ_EXEC_SECONDS` says how long to go on (1200 is the full run).

#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::{Duration, Instant};

#[path = "../../../fuzz/bodies/program.rs"]
mod program;

/// Returns pseudo-random bytes, with runs of zeros so that records are varied.
fn bytes(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..len)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            if state >> 61 == 0 { 0 } else { (state >> 24) as u8 }
        })
        .collect()
}

#[test]
fn any_program_ends_or_stops_with_a_reason_on_every_backend() {
    let seconds = std::env::var("LANEDROP_FUZZ_EXEC_SECONDS");
    let seconds: Option<u64> = seconds.ok().and_then(|text| text.parse().ok());
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut seed = 1;
    while end.map_or(seed <= 150, |end| Instant::now() < end) {
        program::check(&bytes(seed, 8 + (seed as usize * 97) % 3000));
        seed += 1;
    }
}
