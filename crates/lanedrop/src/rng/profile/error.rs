//! Why a profile's text could not be read.

/// Why a profile's text could not be read: what is at fault, and in which line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// It is no TOML.
    #[error("line {line}: {message}")]
    Syntax {
        /// The line, counted from 1.
        line: usize,
        /// What the TOML parser says.
        message: String,
    },
    /// A key that no profile has.
    #[error("line {line}: {key} is not a key of {table}, which has {expected}")]
    UnknownKey {
        /// The line, counted from 1.
        line: usize,
        /// The key.
        key: String,
        /// Where it stands.
        table: String,
        /// The keys that may stand there.
        expected: String,
    },
    /// A key that every profile has.
    #[error("line {line}: {key} is missing from {table}")]
    MissingKey {
        /// The line where its table begins, counted from 1.
        line: usize,
        /// The key.
        key: &'static str,
        /// Where it should stand.
        table: String,
    },
    /// A value of another type.
    #[error("line {line}: {key} is of type {found}, expected {expected}")]
    Type {
        /// The line, counted from 1.
        line: usize,
        /// The key.
        key: String,
        /// The type that was found.
        found: &'static str,
        /// The type that would do.
        expected: &'static str,
    },
    /// A value of the right type that is none of the possible ones.
    #[error("line {line}: {key} is {found}, expected {expected}")]
    Value {
        /// The line, counted from 1.
        line: usize,
        /// The key.
        key: String,
        /// The value, as it was written.
        found: String,
        /// What would do.
        expected: String,
    },
}

impl ProfileError {
    /// Returns the line at fault, counted from 1.
    pub fn line(&self) -> usize {
        match self {
            Self::Syntax { line, .. }
            | Self::UnknownKey { line, .. }
            | Self::MissingKey { line, .. }
            | Self::Type { line, .. }
            | Self::Value { line, .. } => *line,
        }
    }
}
