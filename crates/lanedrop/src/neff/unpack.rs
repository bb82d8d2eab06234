//! The payload: gzip or plain tar, read in one pass with bounds.

use std::cell::Cell;
use std::io::{self, Read};

use flate2::read::GzDecoder;
use tar::{Archive, Entry, EntryType};
use thiserror::Error;

use super::member::{EngineStream, engine_of, reads_as_records, stem};
use super::note::Note;
use crate::isa::WORD_LEN_BYTES;

/// How far [`read`](super::read) goes before it gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes the whole archive may unpack to. Most of them are passed over.
    pub unpacked_bytes: u64,
    /// Bytes the streams may have together. They are held in memory.
    pub stream_bytes: u64,
    /// Members the archive may have.
    pub members: usize,
}

impl Default for Limits {
    /// Returns 4 GiB unpacked, 256 MiB of streams, 65,536 members.
    fn default() -> Self {
        Self { unpacked_bytes: 4 << 30, stream_bytes: 256 << 20, members: 1 << 16 }
    }
}

/// Bytes a member's name may have.
const NAME_LEN_BYTES: u64 = 4096;

/// Bytes the extended header of a member may have.
const EXTENSION_LEN_BYTES: u64 = 1 << 16;

/// A file is no NEFF that can be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NeffError {
    /// The file ends inside the header.
    #[error("{len_bytes} bytes are less than the header of 1024")]
    Short {
        /// Length of the file.
        len_bytes: usize,
    },
    /// The header says it has another length.
    #[error("header_size (byte 8) is {found}, expected 1024")]
    HeaderSize {
        /// What it says.
        found: u64,
    },
    /// The payload is neither gzip nor tar.
    #[error(
        "the payload (byte 1024) starts with {found:02x?}, expected gzip (1f 8b) or a tar header"
    )]
    Payload {
        /// Its first bytes.
        found: Vec<u8>,
    },
    /// The payload is damaged or cut short.
    #[error("the payload is broken behind {unpacked_bytes} unpacked bytes: {source}")]
    Broken {
        /// How far it could be read.
        unpacked_bytes: u64,
        /// What the reader met.
        source: io::Error,
    },
    /// The archive unpacks to more than allowed.
    #[error("the payload unpacks to more than {limit_bytes} bytes, which is the limit")]
    Unpacked {
        /// The limit.
        limit_bytes: u64,
    },
    /// The streams have more bytes than allowed.
    #[error("{member} has {len_bytes} bytes; streams may have {limit_bytes} bytes together")]
    Streams {
        /// The member that goes beyond it.
        member: String,
        /// Its length.
        len_bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// The archive has more members than allowed.
    #[error("the payload has more than {limit} members, which is the limit")]
    Members {
        /// The limit.
        limit: usize,
    },
    /// A member's name or extended header is longer than any real one.
    #[error(
        "member {index} has a name record of {len_bytes} bytes, at most {limit_bytes} are read"
    )]
    Name {
        /// The member's number, from 0.
        index: usize,
        /// The record's length.
        len_bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// No member is an instruction stream.
    #[error("none of the {members} members is an instruction stream (*.bin or *_instr)")]
    NoStreams {
        /// How many members there are.
        members: usize,
    },
}

/// How the payload is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// A tar inside gzip.
    Gzip,
    /// A tar alone.
    Tar,
}

/// Returns how the payload is packed, by its first bytes.
pub(super) fn packing(payload: &[u8]) -> Option<Packing> {
    if payload.starts_with(&[0x1f, 0x8b]) {
        Some(Packing::Gzip)
    } else if payload.get(257..262) == Some(b"ustar") {
        Some(Packing::Tar)
    } else {
        None
    }
}

/// What the archive holds.
#[derive(Default)]
pub(super) struct Unpacked {
    pub(super) streams: Vec<EngineStream>,
    pub(super) members: usize,
    pub(super) notes: Vec<Note>,
}

/// Reads the archive once, keeping its streams.
pub(super) fn unpack(payload: &[u8], limits: &Limits) -> Result<Unpacked, NeffError> {
    match packing(payload) {
        Some(Packing::Gzip) => unpack_tar(GzDecoder::new(payload), limits),
        Some(Packing::Tar) => unpack_tar(payload, limits),
        None => Err(NeffError::Payload { found: payload[..payload.len().min(4)].to_vec() }),
    }
}

/// Reads members one after another.
///
/// The archive's own records about names are read here and not by the tar
/// library, which would hold one of any length.
fn unpack_tar(payload: impl Read, limits: &Limits) -> Result<Unpacked, NeffError> {
    let read = Cell::new(0);
    let mut archive =
        Archive::new(Counted { inner: payload, read: &read, limit: limits.unpacked_bytes });
    let broken = |source: io::Error| match read.get() > limits.unpacked_bytes {
        true => NeffError::Unpacked { limit_bytes: limits.unpacked_bytes },
        false => NeffError::Broken { unpacked_bytes: read.get(), source },
    };

    let mut unpacked = Unpacked::default();
    let mut long_name = None;
    for (index, entry) in archive.entries().map_err(broken)?.raw(true).enumerate() {
        let mut entry = entry.map_err(broken)?;
        if index >= limits.members {
            return Err(NeffError::Members { limit: limits.members });
        }
        match entry.header().entry_type() {
            EntryType::GNULongName => {
                let name = name_record(&mut entry, index, NAME_LEN_BYTES, &broken)?;
                long_name = Some(until_zero(&name).to_vec());
            }
            EntryType::XHeader => {
                let records = name_record(&mut entry, index, EXTENSION_LEN_BYTES, &broken)?;
                long_name = pax_path(&records).map(<[u8]>::to_vec).or(long_name);
            }
            EntryType::XGlobalHeader | EntryType::GNULongLink => {}
            kind => {
                let name = long_name.take().unwrap_or_else(|| entry.path_bytes().into_owned());
                unpacked.members += 1;
                if matches!(kind, EntryType::Regular | EntryType::Continuous) {
                    let name = String::from_utf8_lossy(&name).into_owned();
                    unpacked.take(name, &mut entry, limits, &broken)?;
                }
            }
        }
    }
    // The archive ends before gzip's check of it does.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(broken)?;
    Ok(unpacked)
}

impl Unpacked {
    /// Keeps a member that is a stream.
    fn take(
        &mut self,
        member: String,
        entry: &mut Entry<'_, impl Read>,
        limits: &Limits,
        broken: &impl Fn(io::Error) -> NeffError,
    ) -> Result<(), NeffError> {
        if stem(&member).is_none() {
            return Ok(());
        }
        let engine = engine_of(&member);
        let len_bytes = entry.header().entry_size().map_err(broken)?;
        if !len_bytes.is_multiple_of(WORD_LEN_BYTES as u64) {
            if engine.is_some() {
                self.notes.push(Note::Leftover { member, len_bytes });
            }
            return Ok(());
        }
        let held: u64 = self.streams.iter().map(|stream| stream.bytes.len() as u64).sum();
        if len_bytes > limits.stream_bytes.saturating_sub(held) {
            // Weights can be named *.bin too, and be of any length.
            return match engine {
                None => Ok(()),
                Some(_) => {
                    Err(NeffError::Streams { member, len_bytes, limit_bytes: limits.stream_bytes })
                }
            };
        }
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(broken)?;
        if bytes.len() as u64 != len_bytes {
            return Err(broken(io::ErrorKind::UnexpectedEof.into()));
        }
        if engine.is_none() {
            if !reads_as_records(&bytes) {
                return Ok(());
            }
            self.notes.push(Note::NoEngine { member: member.clone() });
        }
        self.streams.push(EngineStream { member, engine, bytes });
        Ok(())
    }
}

/// Reads a record about the next member's name, within its limit.
fn name_record(
    entry: &mut Entry<'_, impl Read>,
    index: usize,
    limit_bytes: u64,
    broken: &impl Fn(io::Error) -> NeffError,
) -> Result<Vec<u8>, NeffError> {
    let len_bytes = entry.header().entry_size().map_err(broken)?;
    if len_bytes > limit_bytes {
        return Err(NeffError::Name { index, len_bytes, limit_bytes });
    }
    let mut record = Vec::new();
    entry.read_to_end(&mut record).map_err(broken)?;
    Ok(record)
}

/// Returns the bytes before the first zero byte.
fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or(bytes)
}

/// Returns the value of `path` among PAX records, each `<length> <key>=<value>\n`.
fn pax_path(mut records: &[u8]) -> Option<&[u8]> {
    let mut path = None;
    while let Some(blank) = records.iter().position(|&byte| byte == b' ') {
        let len: usize = std::str::from_utf8(&records[..blank]).ok()?.parse().ok()?;
        let record = records.get(blank + 1..len)?.strip_suffix(b"\n")?;
        if let Some(value) = record.strip_prefix(b"path=") {
            path = Some(value);
        }
        records = &records[len..];
    }
    path
}

/// Counts what is read and stops behind a limit.
struct Counted<'a, R> {
    inner: R,
    read: &'a Cell<u64>,
    limit: u64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read.get() > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let count = self.inner.read(buffer)?;
        self.read.set(self.read.get() + count as u64);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pax_path_counts() {
        let records = b"14 mtime=1.25\n12 path=a/b\n12 path=c/d\n";
        assert_eq!(pax_path(records), Some(&b"c/d"[..]));
        assert_eq!(pax_path(b"14 mtime=1.25\n"), None);
    }

    #[test]
    fn broken_pax_records_give_no_path() {
        for records in
            [&b"99 path=a\n"[..], b"x path=a\n", b"9 path=ab", b"0 path=a\n", b"3 path=a\n", b" "]
        {
            assert_eq!(pax_path(records), None, "{records:?}");
        }
    }
}
