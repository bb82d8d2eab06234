//! The AVX2 backend: the portable kernels compiled for 256-bit vectors.

use super::Backend;
use super::portable::portable;

portable!("avx2,bmi1,bmi2,popcnt");

/// Returns the backend on a CPU that has AVX2.
pub(super) fn backend() -> Option<Backend> {
    let has = std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("popcnt");
    has.then(|| Backend { name: "avx2", ..functions() })
}
