//! The 1024 bytes before the payload.

use md5::{Digest, Md5};
use sha2::Sha256;

use super::note::Note;
use super::unpack::NeffError;

/// Length of the header.
pub const HEADER_LEN_BYTES: usize = 0x400;

/// The newest major version whose header is known.
const KNOWN_MAJOR: u64 = 2;

/// The fields of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// 2 for a gzip payload with an MD5, 1 for a raw tar with a SHA-256.
    pub pkg_version: u64,
    /// Length of the payload, by the header.
    pub data_size_bytes: u64,
    /// Major version of the format.
    pub version_major: u64,
    /// Minor version of the format.
    pub version_minor: u64,
    /// Which compiler wrote it.
    pub build: String,
    /// The stored hash.
    pub hash: [u8; 32],
    /// Whether the stored hash is the payload's.
    pub hash_check: Hash,
    /// The container's identity.
    pub uuid: [u8; 16],
    /// The program's name.
    pub name: String,
    /// How many cores it runs on.
    pub tpb_count: u32,
    /// Features that a loader must know.
    pub feature_bits: u64,
    /// How many physical cores make one virtual core.
    pub vnc_size: u32,
}

/// Whether the stored hash is the payload's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// It is.
    Agrees,
    /// It is not.
    Differs,
    /// The header stores zeros.
    Absent,
    /// The package version names no kind of hash.
    Unknown,
}

impl Header {
    /// Reads the header; returns it, the payload, and what reads oddly.
    pub(super) fn read(file: &[u8]) -> Result<(Self, &[u8], Vec<Note>), NeffError> {
        let Some((head, payload)) = file.split_first_chunk::<HEADER_LEN_BYTES>() else {
            return Err(NeffError::Short { len_bytes: file.len() });
        };
        let header_size = u64_at(head, 8);
        if header_size != HEADER_LEN_BYTES as u64 {
            return Err(NeffError::HeaderSize { found: header_size });
        }
        let header = Self {
            pkg_version: u64_at(head, 0),
            data_size_bytes: u64_at(head, 16),
            version_major: u64_at(head, 24),
            version_minor: u64_at(head, 32),
            build: text(&head[0x28..0xa8]),
            hash: bytes_at(head, 0xac),
            hash_check: Hash::Unknown,
            uuid: bytes_at(head, 0xcc),
            name: text(&head[0xdc..0x1dc]),
            tpb_count: u32::from_le_bytes(bytes_at(head, 0x1dc)),
            feature_bits: u64_at(head, 0x220),
            vnc_size: u32::from_le_bytes(bytes_at(head, 0x228)),
        };
        let mut notes = Vec::new();
        if header.data_size_bytes != payload.len() as u64 {
            notes.push(Note::DataSize {
                header: header.data_size_bytes,
                found: payload.len() as u64,
            });
        }
        if header.version_major > KNOWN_MAJOR {
            notes.push(Note::Version { major: header.version_major });
        }
        let hash_check = header.check_hash(payload);
        if hash_check == Hash::Differs {
            notes.push(Note::Hash { pkg_version: header.pkg_version });
        }
        Ok((Self { hash_check, ..header }, payload, notes))
    }

    /// Compares the stored hash with that of the bytes `data_size` speaks of.
    fn check_hash(&self, payload: &[u8]) -> Hash {
        if self.hash == [0; 32] {
            return Hash::Absent;
        }
        let len = usize::try_from(self.data_size_bytes).unwrap_or(usize::MAX);
        let payload = &payload[..len.min(payload.len())];
        let agrees = match self.pkg_version {
            1 => self.hash[..] == Sha256::digest(payload)[..],
            2 => self.hash[..16] == Md5::digest(payload)[..],
            _ => return Hash::Unknown,
        };
        if agrees { Hash::Agrees } else { Hash::Differs }
    }
}

/// Returns the `N` bytes at `offset`.
fn bytes_at<const N: usize>(head: &[u8; HEADER_LEN_BYTES], offset: usize) -> [u8; N] {
    *head[offset..].first_chunk().expect("every field lies in the header")
}

/// Returns the little-endian u64 at `offset`.
fn u64_at(head: &[u8; HEADER_LEN_BYTES], offset: usize) -> u64 {
    u64::from_le_bytes(bytes_at(head, offset))
}

/// Returns the text up to the first zero byte.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
