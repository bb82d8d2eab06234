//! The backend of AArch64: the portable kernels, which the compiler turns into
//! the 128-bit vectors that every such CPU has.

use super::Backend;
use super::portable::portable;

portable!();

/// The backend.
pub(super) fn backend() -> Backend {
    Backend { name: "neon", ..functions() }
}
