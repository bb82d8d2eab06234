//! How long something takes: medians of samples that are long enough.

use std::time::{Duration, Instant};

/// The least a sample takes.
const SAMPLE: Duration = Duration::from_millis(30);
/// Samples of what is measured.
const SAMPLES: usize = 7;

/// Seconds a call, one a sample.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    /// Returns the middle one.
    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        if sorted.len() % 2 == 1 {
            sorted[middle]
        } else {
            (sorted[middle - 1] + sorted[middle]) / 2.0
        }
    }

    /// Returns the slowest over the fastest.
    pub(crate) fn spread(&self) -> f64 {
        let slowest = self.0.iter().copied().fold(0.0, f64::max);
        slowest / self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// Something to be timed, warmed up and counted into samples.
pub(crate) struct Timed<F: FnMut()> {
    call: F,
    calls: u32,
    pub(crate) samples: Samples,
}

impl<F: FnMut()> Timed<F> {
    /// Warms `call` up and finds how many calls make a sample.
    pub(crate) fn new(mut call: F) -> Self {
        let start = Instant::now();
        let mut calls = 0;
        while calls == 0 || start.elapsed() < SAMPLE {
            call();
            calls += 1;
        }
        // The warm-up is slower than what follows: a few calls more.
        Self { call, calls: calls + calls / 4, samples: Samples::default() }
    }

    /// Takes a sample.
    pub(crate) fn sample(&mut self) {
        let start = Instant::now();
        let mut calls = 0;
        while calls < self.calls || start.elapsed() < SAMPLE {
            (self.call)();
            calls += 1;
        }
        self.samples.0.push(start.elapsed().as_secs_f64() / f64::from(calls));
    }
}

/// Times `call` alone.
pub(crate) fn time(call: impl FnMut()) -> Samples {
    let mut timed = Timed::new(call);
    for _ in 0..SAMPLES {
        timed.sample();
    }
    timed.samples
}
