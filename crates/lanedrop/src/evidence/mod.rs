//! What is known about the instruction, from where, and how surely.
//!
//! A [`Claim`] is one fact with its source. Rules, layout rows, profile fields
//! and trace lines point at the item itself, so that removing a claim stops
//! the build wherever it was relied on. What the evidence leaves open is in
//! [`assumptions`].

use serde::Serialize;

pub mod assumptions;
pub mod claims;
mod filter;
pub mod firmware;

pub use filter::Filter;

/// How far a claim may be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Confidence {
    /// A hypothesis behind a wall: never hard-code it.
    Low,
    /// One witness, or one step of inference: use it, and plan a check.
    Med,
    /// Exact to the byte, or witnessed more than once.
    High,
}

/// Where a claim comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Basis {
    /// Read from an artifact (header, binary, document, device output).
    Observed,
    /// Reasoned from named observations.
    Inferred,
    /// Reused from a cited report without reading it again.
    Carried,
}

/// Whether the sources leave a claim standing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Nothing found speaks against it.
    Uncontested,
    /// Two sources disagree; the model takes this side, or makes it a choice.
    Contested,
    /// Other facts refute it; it is kept so that readers of the source find it.
    Refuted,
}

/// What stops a claim from being settled, and what would settle it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Wall {
    /// Which kind of material crosses the wall.
    pub kind: WallKind,
    /// The experiment or file that would close it.
    pub closes: &'static str,
}

/// Which kind of material would cross a [`Wall`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WallKind {
    /// A fuller checkout, a missing file or a missing disassembler table.
    ClosableWithCorpus,
    /// A licence for the vendor's cycle simulator.
    ClosableWithLicense,
    /// A device run or a captured payload.
    ClosableWithHardware,
    /// More work on a file already held.
    ClosableWithStatic,
    /// No static material can answer it.
    Fundamental,
}

/// One fact about the instruction or its surroundings.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Stable name, lower case with hyphens.
    pub id: &'static str,
    /// The fact, as a sentence without its source.
    pub says: &'static str,
    /// How far it may be relied on.
    pub confidence: Confidence,
    /// Where it comes from.
    pub basis: Basis,
    /// The pages, files or outputs it was taken from.
    pub source: &'static str,
    /// Whether other sources agree.
    pub standing: Standing,
    /// For a contested or refuted claim: which sources say what else.
    pub conflicts: &'static [&'static str],
    /// What stops it from being settled, where something does.
    pub wall: Option<Wall>,
}

impl Confidence {
    /// Every value, from the weakest.
    pub const ALL: [Self; 3] = [Self::Low, Self::Med, Self::High];

    /// Returns the name as the ledger prints it: `HIGH`, `MED`, `LOW`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "LOW",
            Self::Med => "MED",
            Self::High => "HIGH",
        }
    }
}

impl Basis {
    /// Every value, from the strongest.
    pub const ALL: [Self; 3] = [Self::Observed, Self::Inferred, Self::Carried];

    /// Returns the name as the ledger prints it: `OBSERVED`, `INFERRED`, `CARRIED`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Observed => "OBSERVED",
            Self::Inferred => "INFERRED",
            Self::Carried => "CARRIED",
        }
    }
}

impl Standing {
    /// Every value, from the best.
    pub const ALL: [Self; 3] = [Self::Uncontested, Self::Contested, Self::Refuted];

    /// Returns the name as the ledger prints it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uncontested => "uncontested",
            Self::Contested => "contested",
            Self::Refuted => "refuted",
        }
    }
}

impl WallKind {
    /// Every value.
    pub const ALL: [Self; 5] = [
        Self::ClosableWithCorpus,
        Self::ClosableWithLicense,
        Self::ClosableWithHardware,
        Self::ClosableWithStatic,
        Self::Fundamental,
    ];

    /// Returns the name as the ledger prints it, such as `closable-with-hardware`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClosableWithCorpus => "closable-with-corpus",
            Self::ClosableWithLicense => "closable-with-license",
            Self::ClosableWithHardware => "closable-with-hardware",
            Self::ClosableWithStatic => "closable-with-static",
            Self::Fundamental => "fundamental",
        }
    }
}

impl Claim {
    /// Returns the standing in short: `HIGH/OBSERVED`, and `contested` or
    /// `refuted` behind a comma where other sources disagree.
    ///
    /// ```
    /// use lanedrop::evidence::claims::encoding::RECORD_LEN;
    /// assert_eq!(RECORD_LEN.tag(), "HIGH/OBSERVED");
    /// ```
    pub const fn tag(&self) -> &'static str {
        /// One arm for each of the 27 combinations, all written by the macro.
        macro_rules! tags {
            ($($confidence:ident $c:literal),*) => {
                match (self.confidence, self.basis, self.standing) {
                    $(
                        (Confidence::$confidence, Basis::Observed, Standing::Uncontested) => concat!($c, "/OBSERVED"),
                        (Confidence::$confidence, Basis::Observed, Standing::Contested) => concat!($c, "/OBSERVED, contested"),
                        (Confidence::$confidence, Basis::Observed, Standing::Refuted) => concat!($c, "/OBSERVED, refuted"),
                        (Confidence::$confidence, Basis::Inferred, Standing::Uncontested) => concat!($c, "/INFERRED"),
                        (Confidence::$confidence, Basis::Inferred, Standing::Contested) => concat!($c, "/INFERRED, contested"),
                        (Confidence::$confidence, Basis::Inferred, Standing::Refuted) => concat!($c, "/INFERRED, refuted"),
                        (Confidence::$confidence, Basis::Carried, Standing::Uncontested) => concat!($c, "/CARRIED"),
                        (Confidence::$confidence, Basis::Carried, Standing::Contested) => concat!($c, "/CARRIED, contested"),
                        (Confidence::$confidence, Basis::Carried, Standing::Refuted) => concat!($c, "/CARRIED, refuted"),
                    )*
                }
            };
        }
        tags!(Low "LOW", Med "MED", High "HIGH")
    }

    /// Returns whether less can be built on this claim than on `other`: by
    /// confidence, then by standing.
    pub fn is_weaker_than(&self, other: &Self) -> bool {
        let rank = |claim: &Self| (claim.confidence, claim.standing == Standing::Uncontested);
        rank(self) < rank(other)
    }

    /// Returns a claim that nothing found speaks against.
    pub const fn new(
        id: &'static str,
        says: &'static str,
        confidence: Confidence,
        basis: Basis,
        source: &'static str,
    ) -> Self {
        Self {
            id,
            says,
            confidence,
            basis,
            source,
            standing: Standing::Uncontested,
            conflicts: &[],
            wall: None,
        }
    }

    /// Returns the claim marked as contested by `conflicts`.
    pub const fn contested(mut self, conflicts: &'static [&'static str]) -> Self {
        self.standing = Standing::Contested;
        self.conflicts = conflicts;
        self
    }

    /// Returns the claim marked as refuted by `conflicts`.
    pub const fn refuted(mut self, conflicts: &'static [&'static str]) -> Self {
        self.standing = Standing::Refuted;
        self.conflicts = conflicts;
        self
    }

    /// Returns the claim with the wall that stands before it.
    pub const fn behind(mut self, kind: WallKind, closes: &'static str) -> Self {
        self.wall = Some(Wall { kind, closes });
        self
    }
}
