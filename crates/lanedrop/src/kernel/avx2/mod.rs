//! The AVX2 backend: 256-bit vectors for windows and masks, the portable
//! kernels compiled for such vectors for the rest.

mod apply;
mod scale;
mod window;

use super::portable::portable;
use super::window::Window;
use super::{Backend, Cuts, ElementBytes, Scale};

portable!("avx2,bmi1,bmi2,f16c,popcnt");

/// Returns the backend on a CPU that has AVX2.
pub(super) fn backend() -> Option<Backend> {
    fn window(
        window: &Window,
        cuts: Cuts<'_>,
        registers: &mut [u32],
        draws: usize,
        keep: &mut [u64],
        stride: usize,
    ) {
        // SAFETY: handed out on CPUs with these features alone.
        unsafe { window::keep(window, cuts, registers, draws, keep, stride) }
    }
    fn apply(size: ElementBytes, from: &[u8], keep: &[u64], to: &mut [u8], beyond_cache: bool) {
        // SAFETY: handed out on CPUs with AVX2 alone.
        unsafe { apply::apply(size, from, keep, to, beyond_cache) }
    }
    fn apply_in_place(size: ElementBytes, data: &mut [u8], keep: &[u64]) {
        // SAFETY: handed out on CPUs with AVX2 alone.
        unsafe { apply::apply_in_place(size, data, keep) }
    }
    fn bytes(keep: &[u64], to: &mut [u8]) {
        // SAFETY: handed out on CPUs with AVX2 alone.
        unsafe { apply::bytes(keep, to) }
    }
    fn scale(scale: Scale<'_>, data: &mut [u8]) {
        // SAFETY: handed out on CPUs with these features alone.
        unsafe { scale::scale(scale, data) }
    }
    let has = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("popcnt");
    has.then(|| Backend {
        name: "avx2",
        window,
        apply,
        apply_in_place,
        bytes,
        scale,
        ..functions()
    })
}
