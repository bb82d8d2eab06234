//! Threads that wait for work, so that a call need not start them.

use std::sync::Mutex;

use rayon::ThreadPool;

/// Threads of a process: a child of a fork has the memory of its parent's, but
/// not the threads, and makes its own.
struct Waiting {
    process: u32,
    pool: ThreadPool,
}

static WAITING: Mutex<Option<Waiting>> = Mutex::new(None);

/// Runs jobs side by side, the last one on this thread; returns what each gave.
///
/// A call that finds the waiting threads taken by another one starts threads
/// of its own.
pub(super) fn side_by_side<R: Send>(jobs: Vec<impl FnOnce() -> R + Send>) -> Vec<R> {
    let mut results: Vec<Option<R>> = jobs.iter().map(|_| None).collect();
    let mut others: Vec<_> =
        jobs.into_iter().zip(&mut results).map(|(job, to)| move || *to = Some(job())).collect();
    if let Some(own) = others.pop() {
        // Never waited for: a child forked while another thread holds the lock
        // would wait for ever.
        let mut waiting = WAITING.try_lock();
        match waiting.as_mut().ok().and_then(|waiting| pool(waiting, others.len())) {
            Some(pool) => pool.in_place_scope(|scope| {
                others.into_iter().for_each(|other| scope.spawn(|_| other()));
                own();
            }),
            None => std::thread::scope(|scope| {
                for other in others {
                    scope.spawn(other);
                }
                own();
            }),
        }
    }
    results.into_iter().flatten().collect()
}

/// Returns at least `threads` threads of this process; none where the system
/// refuses them.
fn pool(waiting: &mut Option<Waiting>, threads: usize) -> Option<&ThreadPool> {
    let process = std::process::id();
    let fits = |waiting: &Waiting| {
        waiting.process == process && waiting.pool.current_num_threads() >= threads
    };
    if !waiting.as_ref().is_some_and(fits) {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|number| format!("lanedrop-{number}"))
            .build()
            .ok()?;
        if let Some(other) = waiting.replace(Waiting { process, pool })
            && other.process != process
        {
            // Its threads are not in this process, so nobody may wait for them.
            std::mem::forget(other);
        }
    }
    waiting.as_ref().map(|waiting| &waiting.pool)
}
