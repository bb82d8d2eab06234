//! What reads oddly in a container without stopping the reading.

use std::fmt;

use super::member::EngineStream;
use crate::isa::Engine;

/// One remark about a container.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The header's length of the payload is not the payload's.
    DataSize {
        /// What the header says.
        header: u64,
        /// What is there.
        found: u64,
    },
    /// The format's version is newer than the headers known here.
    Version {
        /// The major version.
        major: u64,
    },
    /// The stored hash is not the payload's.
    Hash {
        /// Which kind of hash: 1 SHA-256, 2 MD5.
        pkg_version: u64,
    },
    /// A member named as a stream is no whole number of records.
    Leftover {
        /// The member.
        member: String,
        /// Its length.
        len_bytes: u64,
    },
    /// A member that no engine's name fits reads as records and is listed.
    NoEngine {
        /// The member.
        member: String,
    },
    /// Dropouts stand in a stream of another engine, which cannot run them.
    DropoutElsewhere {
        /// The stream's member.
        member: String,
        /// Its engine, where the name tells.
        engine: Option<Engine>,
        /// How many.
        count: usize,
        /// Where the first is.
        first_bytes: usize,
    },
    /// No member is the DVE's stream.
    NoDve,
}

impl Note {
    /// Returns the remark for Dropouts outside the DVE's streams.
    pub(super) fn dropouts_elsewhere(stream: &EngineStream) -> Option<Self> {
        if stream.engine == Some(Engine::Dve) {
            return None;
        }
        let mut dropouts = stream.dropouts();
        let first_bytes = dropouts.next()?;
        Some(Self::DropoutElsewhere {
            member: stream.member.clone(),
            engine: stream.engine,
            count: 1 + dropouts.count(),
            first_bytes,
        })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DataSize { header, found } => write!(
                f,
                "data_size (byte 16) is {header}, the payload behind the header has {found} bytes"
            ),
            Self::Version { major } => {
                write!(f, "version (byte 24) is {major}, newer than the headers known here (2)")
            }
            Self::Hash { pkg_version } => write!(
                f,
                "the stored {} (byte 172) is not the payload's",
                if *pkg_version == 1 { "SHA-256" } else { "MD5" }
            ),
            Self::Leftover { member, len_bytes } => write!(
                f,
                "{member} has {len_bytes} bytes, no whole number of records of 64; it is passed over"
            ),
            Self::NoEngine { member } => {
                write!(f, "{member} reads as records, though its name is no engine's")
            }
            Self::DropoutElsewhere { member, engine, count, first_bytes } => write!(
                f,
                "{member} is the stream of {} and holds {count} DROPOUT, first at 0x{first_bytes:x}; \
                 only the DVE runs it",
                engine.map_or("an unknown engine", Engine::name)
            ),
            Self::NoDve => f.write_str("no member is the stream of the DVE, which runs DROPOUT"),
        }
    }
}
