//! Inputs as mapped files: the command's only unsafe code.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;

use memmap2::Mmap;
#[cfg(unix)]
use memmap2::UncheckedAdvice;

/// A file's bytes, paged in as they are read.
///
/// A file that another program shortens while it is mapped ends the command
/// with a bus error; outputs are then as after any failed run. Outputs are
/// never mapped: a full disk would end the same way.
pub(crate) struct Mapped {
    map: Mmap,
}

impl Mapped {
    /// Maps a regular file for reading.
    pub(crate) fn new(file: &File) -> io::Result<Self> {
        // SAFETY: the map is private to this struct and only read. That no
        // other process changes the file meanwhile cannot be had from the
        // system; the bytes are plain data, read through slices whose length
        // was checked once, and no decision rests on reading a byte twice.
        let map = unsafe { Mmap::map(file)? };
        Ok(Self { map })
    }

    /// Returns the bytes of the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Gives the pages of a stretch that will not be read again back to the
    /// system, so that the command's size does not grow with the file's.
    pub(crate) fn release(&self, start: usize, len: usize) {
        // A hint: where the system knows none, or refuses, all stays as it was.
        #[cfg(unix)]
        // SAFETY: the map is shared with the file and never written, so a
        // dropped page comes back from the file with the same bytes.
        let _ = unsafe { self.map.unchecked_advise_range(UncheckedAdvice::DontNeed, start, len) };
        #[cfg(not(unix))]
        let _ = (start, len);
    }
}
