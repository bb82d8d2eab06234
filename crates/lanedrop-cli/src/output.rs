//! Results on standard output, and files written beside their place.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::Serialize;

use crate::io::output::Staged;

/// Returns standard output behind a buffer; flush it before returning.
pub(crate) fn stdout() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// A writer whose reader may leave: what is written then is thrown away, so
/// that a verb can still come to its verdict.
pub(crate) struct Patient<W> {
    inner: W,
    left: bool,
}

impl<W: Write> Patient<W> {
    /// Returns a writer to `inner`.
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, left: false }
    }

    fn patiently<T>(&mut self, result: io::Result<T>, instead: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.left = true;
                Ok(instead)
            }
            other => other,
        }
    }
}

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left {
            return Ok(bytes.len());
        }
        let result = self.inner.write(bytes);
        self.patiently(result, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.left {
            return Ok(());
        }
        let result = self.inner.flush();
        self.patiently(result, ())
    }
}

/// Writes values as a JSON array with one element a line.
pub(crate) fn json_array<T: Serialize>(
    out: &mut impl Write,
    values: impl IntoIterator<Item = T>,
) -> anyhow::Result<()> {
    let mut separator = "[\n";
    let mut empty = true;
    for value in values {
        out.write_all(separator.as_bytes())?;
        // An error of the writer keeps its kind, so that a closed pipe is known.
        serde_json::to_writer(&mut *out, &value).map_err(io::Error::from)?;
        (separator, empty) = (",\n", false);
    }
    out.write_all(if empty { b"[]\n" } else { b"\n]\n" })?;
    Ok(())
}

/// Writes `bytes` to a file beside `path` and renames it, so that no half of
/// it is ever seen there.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut file = Staged::beside(path)?;
    file.write(bytes)?;
    file.commit()
}
