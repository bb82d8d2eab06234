//! The backend of WebAssembly modules built with `simd128`: the portable
//! kernels, which the compiler turns into 128-bit vectors. A module cannot ask
//! for the feature while it runs.

use super::Backend;
use super::portable::portable;

portable!();

/// The backend.
pub(super) fn backend() -> Backend {
    Backend { name: "simd128", ..functions() }
}
