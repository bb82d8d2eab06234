//! How long a lowered program takes beside `run` on the same tensor.
//!
//! `cargo test --release -p lanedrop --test lowered_speed -- --ignored --nocapture`

#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::Instant;

use lanedrop::device::Device;
use lanedrop::exec::program::{Options, Silent, run_lowered};
use lanedrop::exec::{Backend, Element, Job, Lowering, Masks, Runner, lower};
use lanedrop::isa::{Generation, ThresholdType};
use lanedrop::rng::{Lanes, Profile};

/// Elements of the tensor.
const ELEMENTS: u64 = 1 << 24;

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

#[test]
#[ignore = "a benchmark, for a release build on an idle machine"]
fn a_lowered_program_of_2_to_the_24_bf16_takes_at_most_1_3_times_run() {
    let profile = Profile::builtin("trn1").unwrap();
    let src: Vec<u8> = (0..2 * ELEMENTS).map(|i| (i % 251) as u8).collect();
    // From the start of a line on: rows then end with their lines, as they do
    // in the partitions of a device.
    let mut room = vec![1; src.len() + 64];
    let first = room.as_ptr().align_offset(64);
    let dst = &mut room[first..first + src.len()];
    let drop_rate = ThresholdType::DropRate;
    for row_len in [64, 256, 400, 512, 1024, 4096, 8192, ELEMENTS / 128] {
        let rows = ELEMENTS / row_len;
        let (src, dst) =
            (&src[..(2 * rows * row_len) as usize], &mut dst[..(2 * rows * row_len) as usize]);
        for generation in Generation::ALL {
            let lowering = Lowering {
                generation,
                element: Element::BF16,
                rows,
                row_len,
                threshold_type: drop_rate,
                rates: vec![0.1],
                seed: Some(42),
                scale: false,
            };
            let lowered = lower(&lowering, &profile).unwrap();
            let job = Job {
                threshold_type: drop_rate,
                thresholds: vec![0.1],
                element: Element::BF16,
                rows,
                row_len,
                scale: false,
                backend: Backend::best(),
                threads: 1,
            };
            let (mut as_run, mut as_program) = (Vec::new(), Vec::new());
            // In turn, so that both meet the same machine.
            for _ in 0..9 {
                let lanes = Lanes::seeded(&profile, 42, 128).unwrap();
                let start = Instant::now();
                let mut runner = Runner::new(job.clone(), lanes).unwrap();
                runner.apply(0, src, dst, Masks::default()).unwrap();
                as_run.push(start.elapsed().as_secs_f64());
                let sum = dst.iter().step_by(4097).map(|&byte| u64::from(byte)).sum::<u64>();

                let start = Instant::now();
                let mut device = Device::new(generation, &profile).unwrap();
                let options = Options::default();
                run_lowered(&mut device, &lowered, &options, &mut Silent, src, dst).unwrap();
                drop(device);
                as_program.push(start.elapsed().as_secs_f64());
                assert_eq!(sum, dst.iter().step_by(4097).map(|&byte| u64::from(byte)).sum::<u64>());
            }
            let (run, program) = (median(as_run), median(as_program));
            println!(
                "{rows} x {row_len} on {generation}: run {:.2} ms, lowered {:.2} ms, {:.2} times",
                run * 1e3,
                program * 1e3,
                program / run
            );
            assert!(row_len < 512 || program <= 1.3 * run, "{:.2} times", program / run);
        }
    }
}
