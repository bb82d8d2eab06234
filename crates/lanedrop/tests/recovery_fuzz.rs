//! The body of the fuzz target `capture` on pseudo-random bytes and on capture
//! files with a few characters changed.
//!
//! `LANEDROP_FUZZ_CAPTURE_SECONDS` says how long to go on (600 is the full run).

#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::{Duration, Instant};

use lanedrop::recover::SplitMix;

#[path = "../../../fuzz/bodies/capture.rs"]
mod capture;

#[test]
fn any_capture_is_refused_or_answered_in_a_moment() {
    let vectors = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/recovery.json");
    let vectors: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(vectors).unwrap()).unwrap();
    let cases = vectors["cases"].as_array().unwrap();
    let seconds = std::env::var("LANEDROP_FUZZ_CAPTURE_SECONDS");
    let seconds: Option<u64> = seconds.ok().and_then(|text| text.parse().ok());
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut seed = 0;
    while end.map_or(seed < 60, |end| Instant::now() < end) {
        seed += 1;
        let mut random = SplitMix::new(seed);
        let bytes: Vec<u8> = if seed % 8 == 0 {
            let case = &cases[random.below(cases.len())]["capture_file"];
            let mut bytes = case.to_string().into_bytes();
            for _ in 0..random.below(4) {
                let at = random.below(bytes.len());
                bytes[at] = b" 0123456789abcdef\"[]{}:,-.nul"[random.below(30)];
            }
            bytes
        } else {
            (0..random.below(400)).map(|_| random.next_u32() as u8).collect()
        };
        let start = Instant::now();
        capture::check(&bytes);
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "seed {seed} took {:?}",
            start.elapsed()
        );
    }
}
