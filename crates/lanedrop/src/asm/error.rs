//! What can be wrong with assembly text, and where.

use std::fmt;

use thiserror::Error;

use crate::isa::Generation;

/// Part of a line of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Line, from 1.
    pub line: u32,
    /// First column, from 1, in characters.
    pub column: u32,
    /// Characters it takes, at least 1.
    pub width: u32,
}

/// Text is no assembly.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {}, column {}: {problem}", span.line, span.column)]
pub struct AsmError {
    /// Where it is.
    pub span: Span,
    /// What it is.
    pub problem: Problem,
}

/// What is wrong at a place of the text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// A character starts nothing.
    #[error("no token starts with `{found}`")]
    Character {
        /// The character.
        found: char,
    },
    /// Something else should stand here.
    #[error("expected {expected}, found {}", Quoted(found))]
    Expected {
        /// What should stand here.
        expected: &'static str,
        /// What does; empty at the end of the text.
        found: String,
    },
    /// No opcode has this name.
    #[error("no instruction is called `{found}`{}", DidYouMean(*nearest))]
    Mnemonic {
        /// The name.
        found: String,
        /// The most similar name.
        nearest: Option<&'static str>,
    },
    /// The instruction has no operand of this name.
    #[error("{mnemonic} has no operand `{found}`{}", DidYouMean(*nearest))]
    Key {
        /// The instruction.
        mnemonic: String,
        /// The operand.
        found: String,
        /// The most similar operand.
        nearest: Option<&'static str>,
    },
    /// An operand the instruction needs is not there.
    #[error("{mnemonic} needs `{key}=`")]
    Missing {
        /// The instruction.
        mnemonic: String,
        /// The operand.
        key: &'static str,
    },
    /// Two operands write the same byte.
    #[error("`{key}` writes byte {byte}, which `{before}` on line {line} has already written")]
    Twice {
        /// The second operand.
        key: String,
        /// The byte.
        byte: usize,
        /// The first operand.
        before: String,
        /// Where the first one is.
        line: u32,
    },
    /// Wait and update share one value, and these differ.
    #[error(
        "`{key}` needs semaphore_value {needs}, but `{before}` has set it to {has}: they share it"
    )]
    SharedValue {
        /// The second operand.
        key: String,
        /// What it needs.
        needs: u32,
        /// The first operand.
        before: String,
        /// What that one needs.
        has: u32,
    },
    /// A number does not fit.
    #[error("{found} is out of range, {what} takes {low} to {high}")]
    Range {
        /// What the number is for.
        what: &'static str,
        /// The number as written.
        found: String,
        /// The least that fits.
        low: i64,
        /// The greatest that fits.
        high: i64,
    },
    /// A text is no number.
    #[error("`{found}` is no number")]
    Number {
        /// The text.
        found: String,
    },
    /// A name is no member of the enumeration.
    #[error("`{found}` is no member of {table}{}; a number is allowed too", DidYouMean(*nearest))]
    Member {
        /// The enumeration.
        table: &'static str,
        /// The name.
        found: String,
        /// The most similar member.
        nearest: Option<&'static str>,
    },
    /// The generation has no such byte of memory.
    #[error("{generation} has no partition {partition} with a byte 0x{offset_bytes:x} in {space}")]
    Place {
        /// The generation.
        generation: Generation,
        /// The memory.
        space: &'static str,
        /// The partition.
        partition: u32,
        /// The byte in it.
        offset_bytes: u32,
    },
    /// A pattern has more dimensions than the record holds.
    #[error("a pattern here has at most {max} dimensions")]
    Dimensions {
        /// How many it may have.
        max: usize,
    },
    /// Hex digits do not make the right number of bytes.
    #[error("{digits} hex digits, expected {} for {bytes} bytes", 2 * bytes)]
    ByteCount {
        /// Bytes that should stand here.
        bytes: usize,
        /// Digits that do.
        digits: usize,
    },
    /// A text names no generation.
    #[error("generation is `{found}`, expected v2, v3, v4 or v5")]
    Generation {
        /// The text.
        found: String,
    },
    /// A line with a dot in front is no directive.
    #[error("no directive is called `{found}`, there is `.generation`")]
    Directive {
        /// The text.
        found: String,
    },
}

/// Quotes a text, and names an empty one.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("the end") } else { write!(f, "`{}`", self.0) }
    }
}

/// Proposes another name, where there is one.
struct DidYouMean(Option<&'static str>);

impl fmt::Display for DidYouMean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, ", did you mean `{}`", name.to_lowercase()),
            None => Ok(()),
        }
    }
}

/// An error above the line it is in, with a caret under the place.
#[derive(Clone, Copy, Debug)]
pub struct WithSource<'a> {
    error: &'a AsmError,
    text: &'a str,
}

impl AsmError {
    /// Returns the error with the line of `text` it is in.
    ///
    /// ```
    /// use lanedrop::{asm, isa::Generation};
    /// let text = "\nnop wiat=sem[1]>=2\n";
    /// let error = asm::assemble(text, Generation::V3).unwrap_err();
    /// assert_eq!(
    ///     error.with_source(text).to_string(),
    ///     "line 2, column 5: nop has no operand `wiat`, did you mean `wait`\n\
    ///      \x20 2 | nop wiat=sem[1]>=2\n\
    ///      \x20   |     ^^^^"
    /// );
    /// ```
    pub fn with_source<'a>(&'a self, text: &'a str) -> WithSource<'a> {
        WithSource { error: self, text }
    }
}

impl fmt::Display for WithSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span { line, column, width } = self.error.span;
        write!(f, "{}", self.error)?;
        let at = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
        let Some(source) = self.text.lines().nth(at) else { return Ok(()) };
        let number = line.to_string();
        // A tab keeps its width above and below.
        let indent: String = source
            .chars()
            .take(column.saturating_sub(1) as usize)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        let rest = source.chars().count().saturating_sub(indent.chars().count()).max(1);
        let carets = "^".repeat((width.max(1) as usize).min(rest));
        write!(f, "\n  {number} | {source}")?;
        write!(f, "\n  {:number_width$} | {indent}{carets}", "", number_width = number.len())
    }
}

/// Returns the name most like `found`, when it is like it at all.
pub(super) fn nearest(
    found: &str,
    names: impl IntoIterator<Item = &'static str>,
) -> Option<&'static str> {
    let found = found.to_lowercase();
    names
        .into_iter()
        .map(|name| (distance(&found, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 6)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Returns how many letters to insert, delete, replace or swap with their
/// neighbour make one text of the other.
fn distance(a: &str, b: &str) -> usize {
    // Names are short; a longer text is like none of them.
    if a.len() > 64 {
        return usize::MAX;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = usize::from(a[i - 1] != b[j - 1]);
                let mut least =
                    (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + same);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[a.len()][b.len()]
}
