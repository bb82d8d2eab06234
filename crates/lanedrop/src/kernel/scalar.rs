//! The backend that runs everywhere: plain 64-bit words.

use super::Backend;
use super::portable::portable;

portable!();

/// The backend; every CPU can run it.
pub(super) fn backend() -> Backend {
    Backend { name: "scalar", ..functions() }
}
