//! Which code does the work.

use crate::kernel;

/// One way to run a tensor; all of them give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Backend {
    name: &'static str,
}

impl Backend {
    /// The golden model itself.
    pub const REFERENCE: Self = Self { name: "reference" };

    /// Returns the backends this CPU can run, the slowest first.
    pub fn available() -> Vec<Self> {
        let kernels = kernel::available().iter().rev().map(|kernel| Self { name: kernel.name() });
        std::iter::once(Self::REFERENCE).chain(kernels).collect()
    }

    /// Returns the fastest backend.
    pub fn best() -> Self {
        Self::available().pop().unwrap_or(Self::REFERENCE)
    }

    /// Returns the available backend of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::available().into_iter().find(|backend| backend.name == name)
    }

    /// Returns the kernels behind it; none for the golden model.
    pub(super) fn kernels(self) -> Option<&'static kernel::Backend> {
        kernel::backend(self.name)
    }

    /// Returns the backend's name.
    pub fn name(self) -> &'static str {
        self.name
    }
}
