//! Stores that leave the caches alone.

/// Shows that stores past the caches are fenced in: see
/// [`Backend::streaming`](super::Backend::streaming).
#[derive(Debug)]
pub struct Streaming(());

/// Makes stores past the caches visible in the order of other stores.
struct Fence;

impl Drop for Fence {
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 CPU has SSE.
        unsafe {
            std::arch::x86_64::_mm_sfence();
        }
    }
}

/// Calls `run` and fences its stores in, even when it panics.
pub(super) fn fenced<R>(run: impl FnOnce(&Streaming) -> R) -> R {
    let _fence = Fence;
    run(&Streaming(()))
}
