//! A process that forks after a threaded call works in the child, which has
//! none of the threads that waited in its parent.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(unsafe_code, reason = "fork is nothing else")]

use lanedrop::exec::{Backend, Element, Job, Masks, Runner};
use lanedrop::isa::ThresholdType;
use lanedrop::rng::{Lanes, Profile};

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(status: i32) -> !;
}

fn run(threads: usize, src: &[u8]) -> Vec<u8> {
    let profile = Profile::builtin("trn1").unwrap();
    let job = Job {
        threshold_type: ThresholdType::DropRate,
        thresholds: vec![0.1],
        element: Element::F32,
        rows: 256,
        row_len: 8192,
        scale: false,
        backend: Backend::best(),
        threads,
    };
    let lanes = Lanes::seeded(&profile, 42, 128).unwrap();
    let mut dst = vec![0; src.len()];
    Runner::new(job, lanes).unwrap().apply(0, src, &mut dst, Masks::default()).unwrap();
    dst
}

#[test]
fn a_child_of_a_fork_after_a_threaded_call_runs_threads_of_its_own() {
    let src: Vec<u8> =
        (0..4 * 256 * 8192u32).map(|at| at.wrapping_mul(0x9e37_79b9) as u8).collect();
    let wanted = run(1, &src);
    assert!(run(3, &src) == wanted);
    // SAFETY: the child runs the library's code alone and then leaves.
    let pid = unsafe { fork() };
    if pid == 0 {
        let same = std::panic::catch_unwind(|| run(3, &src) == wanted).unwrap_or(false);
        // SAFETY: leaving without cleaning up is what a forked test should do.
        unsafe { _exit(if same { 0 } else { 1 }) };
    }
    assert!(pid > 0);
    let mut status = -1;
    // SAFETY: `status` is a place for the child's status.
    let waited = unsafe { waitpid(pid, &raw mut status, 0) };
    assert_eq!((waited, status), (pid, 0));
}
