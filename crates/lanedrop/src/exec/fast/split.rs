//! A stretch cut among threads: any place of a stream is one jump away, so
//! every thread begins where its share begins.

use std::ops::Range;

use super::worker::{Work, Worker};
use super::{Fast, Output, Progress, Target, threads};
use crate::exec::runner::packed_len;
use crate::exec::{Job, Multiply};
use crate::rng::Lanes;

/// Bytes read and written that are worth a thread of their own.
const SHARE_BYTES: u64 = 2 << 20;
/// Columns at which a row may be cut.
const CUT_COLUMNS: u64 = 512;
/// Outputs from this size on go past the caches.
const BEYOND_BYTES: usize = 12 << 20;
/// An input of up to this size stays in its cache if outputs leave it alone.
const NEAR_BYTES: Range<usize> = (3 << 19)..(2 << 20) + 1;

/// Runs `len` elements from number `first` on; returns how many are kept.
pub(in crate::exec) fn run(
    fast: &Fast,
    job: &Job,
    multiplies: &[Multiply],
    initial: &Lanes,
    progress: &mut Progress,
    (first, len): (u64, u64),
    output: Output<'_>,
) -> u64 {
    let starts = starts(job, first, len, &output);
    let beyond_cache = match &output.target {
        Target::Copy { dst, .. } => {
            dst.len() >= BEYOND_BYTES || NEAR_BYTES.contains(&(dst.len() / starts.len()))
        }
        Target::InPlace(_) | Target::Nowhere => false,
    };
    let work = Work {
        fast,
        initial,
        element: job.element,
        multiplies,
        row_len: job.row_len,
        streaming: None,
    };
    if starts.len() < 2 {
        return run_share(work, beyond_cache, progress, first, output, len);
    }
    in_threads(work, beyond_cache, progress, (first, len), output, &starts)
}

/// Runs a share on this thread.
fn run_share(
    work: Work<'_>,
    beyond_cache: bool,
    progress: &mut Progress,
    first: u64,
    output: Output<'_>,
    len: u64,
) -> u64 {
    if !beyond_cache {
        return Worker::new(work, progress, first, output).run(len);
    }
    work.fast.kernels.streaming(|streaming| {
        let work = Work { streaming: Some(streaming), ..work };
        Worker::new(work, progress, first, output).run(len)
    })
}

/// Returns where each thread's share begins, the first one at `first`.
fn starts(job: &Job, first: u64, len: u64, output: &Output<'_>) -> Vec<u64> {
    let moved = match &output.target {
        Target::Copy { .. } => 2 * job.element.size_bytes() as u64,
        Target::InPlace(_) => 2 * job.element.size_bytes() as u64,
        // A mask alone costs about what a byte an element costs.
        Target::Nowhere => 1,
    };
    let worth = (len.saturating_mul(moved) / SHARE_BYTES).max(1);
    let threads = if cfg!(target_family = "wasm") { 1 } else { worth.min(job.threads as u64) };
    let mut starts = vec![first];
    for thread in 1..threads {
        let at = first + (u128::from(len) * u128::from(thread) / u128::from(threads)) as u64;
        let column = at % job.row_len;
        // Rows shorter than a cut are not cut at all.
        let at = at - column + column / CUT_COLUMNS * CUT_COLUMNS;
        if starts.last().is_some_and(|last| at > *last) {
            starts.push(at);
        }
    }
    starts
}

/// Runs each share on its own thread, the last one on this.
fn in_threads(
    work: Work<'_>,
    beyond_cache: bool,
    progress: &mut Progress,
    (first, len): (u64, u64),
    mut output: Output<'_>,
    starts: &[u64],
) -> u64 {
    let before = progress.clone();
    let mut shares = Vec::with_capacity(starts.len());
    for (at, &start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(first + len);
        let (share, rest) = cut(output, work, start, end - start);
        output = rest;
        let mut progress = before.clone();
        shares.push(move || {
            let kept = run_share(work, beyond_cache, &mut progress, start, share, end - start);
            (kept, progress)
        });
    }
    let mut kept = 0;
    let width = progress.lanes.words_per_lane();
    for (share_kept, after) in threads::side_by_side(shares) {
        kept += share_kept;
        // A lane is where the last share that moved it has left it.
        for (lane, &position) in after.positions.iter().enumerate() {
            if position != before.positions[lane] {
                progress.positions[lane] = position;
                let words = lane * width..(lane + 1) * width;
                progress.lanes.words_mut()[words].copy_from_slice(after.lanes.registers(lane));
            }
        }
    }
    kept
}

/// Cuts the first `len` elements, which begin at number `start`, off an output.
fn cut<'a>(output: Output<'a>, work: Work<'_>, start: u64, len: u64) -> (Output<'a>, Output<'a>) {
    let bytes = len as usize * work.element.size_bytes();
    let (target, target_rest) = match output.target {
        Target::Copy { src, dst } => {
            let (src, src_rest) = src.split_at(bytes);
            let (dst, dst_rest) = dst.split_at_mut(bytes);
            (Target::Copy { src, dst }, Target::Copy { src: src_rest, dst: dst_rest })
        }
        Target::InPlace(data) => {
            let (data, rest) = data.split_at_mut(bytes);
            (Target::InPlace(data), Target::InPlace(rest))
        }
        Target::Nowhere => (Target::Nowhere, Target::Nowhere),
    };
    let (bytes, bytes_rest) = halves(output.bytes, len as usize);
    // Shares begin at multiples of 8 columns, as the stretch does.
    let packed_bytes = packed_len(work.row_len, start, len).unwrap_or(0) as usize;
    let (packed, packed_rest) = halves(output.packed, packed_bytes);
    (
        Output { target, bytes, packed },
        Output { target: target_rest, bytes: bytes_rest, packed: packed_rest },
    )
}

fn halves(slice: Option<&mut [u8]>, at: usize) -> (Option<&mut [u8]>, Option<&mut [u8]>) {
    match slice {
        Some(slice) => {
            let (first, second) = slice.split_at_mut(at);
            (Some(first), Some(second))
        }
        None => (None, None),
    }
}
