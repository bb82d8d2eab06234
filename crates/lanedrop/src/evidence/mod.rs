//! What is known about the instruction, from where, and how surely.
//!
//! A [`Claim`] is one fact with its source. Rules, layout rows, profile fields
//! and trace lines point at the item itself, so that removing a claim stops
//! the build wherever it was relied on. What the evidence leaves open is in
//! [`assumptions`].

pub mod assumptions;
pub mod claims;

/// How far a claim may be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A hypothesis behind a wall: never hard-code it.
    Low,
    /// One witness, or one step of inference: use it, and plan a check.
    Med,
    /// Exact to the byte, or witnessed more than once.
    High,
}

/// Where a claim comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// Read from an artifact (header, binary, document, device output).
    Observed,
    /// Reasoned from named observations.
    Inferred,
    /// Reused from a cited report without reading it again.
    Carried,
}

/// Whether the sources leave a claim standing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Nothing found speaks against it.
    Uncontested,
    /// Two sources disagree; the model takes this side, or makes it a choice.
    Contested,
    /// Other facts refute it; it is kept so that readers of the source find it.
    Refuted,
}

/// What stops a claim from being settled, and what would settle it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wall {
    /// Which kind of material crosses the wall.
    pub kind: WallKind,
    /// The experiment or file that would close it.
    pub closes: &'static str,
}

/// Which kind of material would cross a [`Wall`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
#[derive(Debug, PartialEq, Eq)]
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

impl Claim {
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
