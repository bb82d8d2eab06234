//! The yardstick: copies of the same bytes in the same process.

use lanedrop::kernel::copy_beyond;

use super::clock::{Samples, Timed};

/// Samples before and after what is measured, each.
const SAMPLES: usize = 3;

/// How long copies of a tensor take.
#[derive(Clone, Debug)]
pub(crate) struct Copies {
    /// By libc's memcpy, in seconds.
    pub(crate) memcpy: f64,
    /// The better of memcpy and a copy by non-temporal stores, in seconds.
    pub(crate) best: f64,
}

/// Bytes that begin at a cache line.
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Buffer {
    /// Returns `len` bytes that are all different from zero.
    pub(crate) fn new(len: usize) -> Self {
        let bytes: Vec<u8> = (0..len + 64).map(|at| (at % 251) as u8 + 1).collect();
        let start = bytes.as_ptr().align_offset(64).min(64);
        Self { bytes, start, len }
    }

    pub(crate) fn get(&self) -> &[u8] {
        &self.bytes[self.start..][..self.len]
    }

    pub(crate) fn get_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..][..self.len]
    }
}

/// Copies by one of the two ways on some threads.
fn copy(src: &[u8], dst: &mut [u8], threads: usize, beyond: bool) {
    let one = move |src: &[u8], dst: &mut [u8]| {
        if !(beyond && copy_beyond(src, dst)) {
            dst.copy_from_slice(src);
        }
    };
    if threads < 2 {
        return one(src, dst);
    }
    let share = src.len().div_ceil(threads).next_multiple_of(4096);
    std::thread::scope(|scope| {
        let mut shares = src.chunks(share).zip(dst.chunks_mut(share));
        let own = shares.next();
        for (src, dst) in shares {
            scope.spawn(move || one(src, dst));
        }
        if let Some((src, dst)) = own {
            one(src, dst);
        }
    });
}

/// Measures `op` between copies of the same tensor by as many threads.
pub(crate) fn beside(
    buffers: (&Buffer, &mut Buffer),
    threads: usize,
    op: impl FnOnce(&Buffer, &mut Buffer) -> Samples,
) -> (Samples, Copies) {
    let (src, dst) = buffers;
    let mut medians = [Vec::new(), Vec::new()];
    let mut measure = |dst: &mut Buffer| {
        for (beyond, medians) in [false, true].into_iter().zip(&mut medians) {
            let mut timed = Timed::new(|| copy(src.get(), dst.get_mut(), threads, beyond));
            for _ in 0..SAMPLES {
                timed.sample();
            }
            medians.push(timed.samples.median());
        }
    };
    measure(dst);
    let samples = op(src, dst);
    measure(dst);
    let [memcpy, beyond] = medians.map(|two| (two[0] + two[1]) / 2.0);
    (samples, Copies { memcpy, best: memcpy.min(beyond) })
}
