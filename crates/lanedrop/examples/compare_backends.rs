//! Compares every backend of this machine with the golden model; panics where
//! one differs. `scripts/check all` runs it for WebAssembly and AArch64 too, where
//! the test harness does not go.

use lanedrop::exec::{Backend, Element, Job, Masks, Runner};
use lanedrop::isa::ThresholdType;
use lanedrop::rng::{Lanes, Profile};

/// What a tensor becomes, its byte mask and the words of its lanes after it.
type Outcome = (Vec<u8>, Vec<u8>, Vec<u32>);

fn run(job: Job, lanes: Lanes, data: &[u8]) -> Result<Outcome, Box<dyn std::error::Error>> {
    let mut mask = vec![0; (job.rows * job.row_len) as usize];
    let mut out = vec![0; data.len()];
    let mut runner = Runner::new(job, lanes)?;
    runner.apply(0, data, &mut out, Masks { bytes: Some(&mut mask), packed: None })?;
    Ok((out, mask, runner.finish().words().to_vec()))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut elements = 0;
    let reference = Backend::named("reference").ok_or("no golden model")?;
    for profile in Profile::builtins() {
        for element in [Element::I8, Element::BF16, Element::F32] {
            for (rows, row_len) in [(128, 1), (300, 70), (128, 513), (3, 20_000)] {
                let count = rows * row_len * element.size_bytes() as u64;
                let data: Vec<u8> = (0..count).map(|at| (at % 251) as u8 + 1).collect();
                let words: Vec<u32> = (1..=128 * profile.words_per_lane() as u32)
                    .map(|word| word.wrapping_mul(0x9e37_79b9))
                    .collect();
                let lanes = Lanes::from_words(&profile, &words, 128)?;
                let job = |backend| Job {
                    threshold_type: ThresholdType::DropRate,
                    thresholds: vec![0.1],
                    element,
                    rows,
                    row_len,
                    scale: false,
                    backend,
                    threads: 1,
                };
                let wanted = run(job(reference), lanes.clone(), &data)?;
                for backend in Backend::available() {
                    let found = run(job(backend), lanes.clone(), &data)?;
                    assert!(found == wanted, "{} under {}", backend.name(), profile.name);
                    elements += rows * row_len;
                }
            }
        }
    }
    let names: Vec<_> = Backend::available().iter().map(|backend| backend.name()).collect();
    println!("{}: {elements} elements alike", names.join(", "));
    Ok(())
}
