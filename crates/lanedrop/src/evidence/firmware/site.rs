//! What a site of an image is, and what is expected there.

use super::images::Image;
use super::pattern::Pattern;
use crate::evidence::{Basis, Claim};

/// A place in an image about which the ledger says something.
#[derive(Debug)]
pub struct Site {
    /// The image it is in.
    pub image: &'static Image,
    /// Where in the image.
    pub offset_bytes: u64,
    /// What stands there, in words.
    pub what: &'static str,
    /// What the bytes should be.
    pub expect: Expect,
    /// How the expected bytes were come by.
    pub origin: Origin,
    /// Whether a source observed the site or it was reasoned.
    pub basis: Basis,
    /// The claim that stands or falls with it.
    pub claim: &'static Claim,
}

/// What the bytes of a [`Site`] should be.
#[derive(Debug)]
pub enum Expect {
    /// One of these, at the site itself; more than one where the source leaves
    /// the reading open.
    Bytes(&'static [Pattern]),
    /// The pattern somewhere in `len_bytes` from the site on.
    Within {
        /// How many bytes to search.
        len_bytes: u64,
        /// What to find.
        pattern: Pattern,
    },
    /// None of the patterns in `len_bytes` from the site on.
    Absent {
        /// How many bytes to search.
        len_bytes: u64,
        /// What must not be there.
        patterns: &'static [Pattern],
    },
    /// A `call8` of `target` somewhere in `len_bytes` from the site on.
    Calls {
        /// How many bytes to search.
        len_bytes: u64,
        /// The offset it calls.
        target: u32,
    },
    /// Every `call8` of `target` in the image is shown.
    Callers {
        /// The offset they call.
        target: u32,
    },
    /// A text of at least four characters that a zero byte ends; its words are
    /// not known.
    Text,
    /// Nothing is known; `len_bytes` are shown.
    Unknown {
        /// How many bytes to show.
        len_bytes: u64,
    },
}

/// How the expected bytes of a [`Site`] were come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A page prints the bytes.
    Quoted,
    /// Encoded from the instruction that a page names.
    Derived,
    /// No page tells.
    Unknown,
}

impl Origin {
    /// Returns the name as reports print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quoted => "quoted",
            Self::Derived => "derived",
            Self::Unknown => "unknown",
        }
    }
}

impl Site {
    /// Returns a site whose bytes a page prints.
    pub(super) const fn quoted(
        image: &'static Image,
        offset_bytes: u64,
        what: &'static str,
        patterns: &'static [Pattern],
        claim: &'static Claim,
    ) -> Self {
        let (expect, origin, basis) = (Expect::Bytes(patterns), Origin::Quoted, Basis::Observed);
        Self { image, offset_bytes, what, expect, origin, basis, claim }
    }

    /// Returns a site whose instruction a page names.
    pub(super) const fn derived(
        image: &'static Image,
        offset_bytes: u64,
        what: &'static str,
        patterns: &'static [Pattern],
        claim: &'static Claim,
    ) -> Self {
        Self { origin: Origin::Derived, ..Self::quoted(image, offset_bytes, what, patterns, claim) }
    }

    /// Returns a site of which nothing but the place is known.
    pub(super) const fn unknown(
        image: &'static Image,
        offset_bytes: u64,
        what: &'static str,
        _: &'static [Pattern],
        claim: &'static Claim,
    ) -> Self {
        let (expect, origin, basis) =
            (Expect::Unknown { len_bytes: 0 }, Origin::Unknown, Basis::Observed);
        Self { image, offset_bytes, what, expect, origin, basis, claim }
    }

    /// Returns a site where a text of unknown words starts.
    pub(super) const fn text(
        image: &'static Image,
        offset_bytes: u64,
        what: &'static str,
        patterns: &'static [Pattern],
        claim: &'static Claim,
    ) -> Self {
        Self { expect: Expect::Text, ..Self::unknown(image, offset_bytes, what, patterns, claim) }
    }

    /// Returns a range that none of `patterns` may stand in.
    pub(super) const fn absent(
        image: &'static Image,
        offset_bytes: u64,
        what: &'static str,
        patterns: &'static [Pattern],
        claim: &'static Claim,
    ) -> Self {
        Self {
            expect: Expect::Absent { len_bytes: 0, patterns },
            ..Self::derived(image, offset_bytes, what, patterns, claim)
        }
    }

    /// Returns the site with its pattern looked for in `len_bytes`.
    pub(super) const fn within(mut self, len_bytes: u64) -> Self {
        if let Expect::Bytes([pattern, ..]) = self.expect {
            self.expect = Expect::Within { len_bytes, pattern: *pattern };
        }
        self
    }

    /// Returns the site with the length of what is shown or must not be there.
    pub(super) const fn over(mut self, len_bytes: u64) -> Self {
        self.expect = match self.expect {
            Expect::Absent { patterns, .. } => Expect::Absent { len_bytes, patterns },
            Expect::Unknown { .. } => Expect::Unknown { len_bytes },
            other => other,
        };
        self
    }

    /// Returns the site as one that `len_bytes` of code call `target` from.
    pub(super) const fn calls(mut self, len_bytes: u64, target: u32) -> Self {
        self.expect = Expect::Calls { len_bytes, target };
        self
    }

    /// Returns the site as a question for the callers of `target`.
    pub(super) const fn callers(mut self, target: u32) -> Self {
        self.expect = Expect::Callers { target };
        self
    }

    /// Returns the site marked as reasoned.
    pub(super) const fn inferred(mut self) -> Self {
        self.basis = Basis::Inferred;
        self
    }
}

/// Defines a table of sites: image, offset, how the bytes were come by, the
/// patterns, the claim and what it is; `.inferred()` marks what was reasoned.
macro_rules! sites {
    ($(#[$doc:meta])* $table:ident: $(
        $image:ident $offset:literal $origin:ident [$($pattern:literal)*] $claim:ident $what:literal
        $(.$method:ident($($arg:literal),*))*;
    )*) => {
        $(#[$doc])*
        pub(super) static $table: &[$crate::evidence::firmware::site::Site] = &[$(
            $crate::evidence::firmware::site::Site::$origin(
                &$image,
                $offset,
                $what,
                &[$($crate::evidence::firmware::pattern::Pattern($pattern)),*],
                &$claim,
            )$(.$method($($arg),*))*
        ),*];
    };
}
pub(super) use sites;
