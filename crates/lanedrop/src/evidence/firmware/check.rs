//! The comparison of a file with the tables.

use std::fmt::Write as _;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::images::{CONTAINER, IMAGES, Image};
use super::look::look;
use super::site::Origin;
use super::{sites, slots};
use crate::evidence::{Basis, Claim};

/// An image counts as absent when it has at least so many sites and fewer than
/// one in so many agrees; fewer sites can all be wrong in an image that is there.
const ABSENT_BELOW: usize = 8;

/// What a file says about one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckState {
    /// The bytes are what the ledger says.
    Confirmed,
    /// Other bytes stand there.
    Refuted,
    /// The file does not hold the place.
    NotPresent,
    /// The ledger expects nothing; what stands there is shown.
    Shown,
}

impl CheckState {
    /// Returns the name as reports print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::NotPresent => "not present",
            Self::Shown => "shown",
        }
    }
}

/// One site and what the file has there.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// The image's name.
    pub image: &'static str,
    /// Where in the image.
    pub offset_bytes: u64,
    /// What should stand there, in words.
    pub what: &'static str,
    /// What should stand there, as bytes.
    pub expected: String,
    /// What stands there; empty where the file does not reach.
    pub found: String,
    /// How the expected bytes were come by.
    pub origin: Origin,
    /// Whether a source observed the site or it was reasoned.
    pub basis: Basis,
    /// What the file says.
    pub state: CheckState,
    /// The claim that stands or falls with it.
    #[serde(serialize_with = "claim_id")]
    pub claim: &'static Claim,
    /// Whether only the image's being there explains the agreement: at least
    /// three whole bytes at their place.
    #[serde(skip)]
    pub(super) witness: bool,
    /// Whether agreeing speaks for the image's being there at all; the mere
    /// absence of some bytes does not.
    #[serde(skip)]
    pub(super) telling: bool,
}

/// Every line of a report.
pub(super) type Findings = Vec<Check>;

/// Whether an image's digest is the known one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HashState {
    /// The known digits agree.
    Known,
    /// They do not: the image is of another build.
    Other,
    /// No page gives a digest.
    Unlisted,
    /// The file does not hold the image.
    NotPresent,
}

/// One image and its digest.
#[derive(Clone, Debug, Serialize)]
pub struct ImageCheck {
    /// What is known of the image.
    #[serde(flatten)]
    pub image: &'static Image,
    /// The digest of those bytes in the file.
    pub sha256: Option<String>,
    /// Whether it is the known one.
    pub state: HashState,
}

/// What the file as a whole is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// The library that the ledger was written from, by its SHA-256.
    KnownBuild,
    /// A library of another build, laid out the same as far as sites agree.
    OtherBuild,
    /// One image, cut out of the library.
    CarvedImage(&'static str),
    /// None of the sites stands in it.
    NotRecognised,
}

/// A claim and what all of its sites say.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimCheck {
    /// The claim's id.
    #[serde(rename = "id", serialize_with = "claim_id")]
    pub claim: &'static Claim,
    /// Its standing before the file was read.
    pub standing: &'static str,
    /// Refuted where one site is, confirmed where those present are.
    pub state: CheckState,
    /// How many of its sites are confirmed.
    pub confirmed: usize,
    /// How many are refuted.
    pub refuted: usize,
    /// How many the file does not hold.
    pub not_present: usize,
}

/// What a file says about the ledger.
#[derive(Clone, Debug, Serialize)]
pub struct FirmwareReport {
    /// What the file is.
    pub kind: FileKind,
    /// Its length.
    pub size_bytes: u64,
    /// Its SHA-256 in hex.
    pub sha256: String,
    /// The images, as the tables list them.
    pub images: Vec<ImageCheck>,
    /// Every site and slot.
    pub checks: Vec<Check>,
    /// Every claim that has a site.
    pub claims: Vec<ClaimCheck>,
}

impl FirmwareReport {
    /// Returns the lines in this state.
    pub fn in_state(&self, state: CheckState) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(move |check| check.state == state)
    }
}

/// Compares `file` with every site the ledger knows.
///
/// `file` is the library itself or one image cut out of it. A build whose
/// images have moved shows them as not present.
pub fn check(file: &[u8]) -> FirmwareReport {
    let sha256 = hex(&Sha256::digest(file));
    let carved = carved_image(file);
    let mut checks = run(file, carved);
    let images: Vec<ImageCheck> =
        IMAGES.iter().map(|image| image_check(image, file, carved)).collect();

    let known = images.iter().any(|image| image.state == HashState::Known);
    let kind = match carved {
        Some(image) => FileKind::CarvedImage(image.name),
        None if sha256 == CONTAINER.sha256 => FileKind::KnownBuild,
        None if known || checks.iter().any(|check| check.witness) => FileKind::OtherBuild,
        None => FileKind::NotRecognised,
    };
    for image in &images {
        let of_image = |check: &&mut Check| {
            check.image == image.image.name && check.state != CheckState::Shown
        };
        let telling = checks.iter_mut().filter(of_image).filter(|check| check.telling);
        let agree: Vec<bool> = telling.map(|check| check.state == CheckState::Confirmed).collect();
        let agreeing = agree.iter().filter(|agrees| **agrees).count();
        let missed = image.state != HashState::Known
            && agree.len() >= ABSENT_BELOW
            && agreeing * ABSENT_BELOW < agree.len();
        if kind == FileKind::NotRecognised || missed {
            let absent = checks.iter_mut().filter(of_image);
            absent.for_each(|check| check.state = CheckState::NotPresent);
        }
    }
    let claims = claim_checks(&checks);
    FirmwareReport { kind, size_bytes: file.len() as u64, sha256, images, checks, claims }
}

/// Compares every site and slot.
fn run(file: &[u8], carved: Option<&'static Image>) -> Findings {
    let mut checks: Findings =
        sites().map(|site| look(site, part(file, site.image, carved))).collect();
    let image = |name: &str| {
        let image = IMAGES.iter().find(|image| image.name == name)?;
        part(file, image, carved)
    };
    slots::check(&mut checks, image("CAYMAN_NX_DVE_DEBUG_DRAM"), image("CAYMAN_NX_DVE_DEBUG_IRAM"));
    checks
}

/// Returns the bytes of `image` that `file` has; a file that ends inside the
/// image gives what is there.
fn part<'a>(file: &'a [u8], image: &Image, carved: Option<&'static Image>) -> Option<&'a [u8]> {
    if let Some(carved) = carved {
        return (carved == image).then_some(file);
    }
    let start = usize::try_from(image.offset_bytes).ok()?;
    let end = usize::try_from(image.offset_bytes + image.size_bytes).ok()?;
    file.get(start..end.min(file.len())).filter(|bytes| !bytes.is_empty())
}

/// Returns the image that `file` is a cut-out of: the same length, and the
/// same digest or the most sites that agree.
fn carved_image(file: &[u8]) -> Option<&'static Image> {
    let candidates = IMAGES.iter().copied().filter(|image| image.size_bytes == file.len() as u64);
    let score = |image: &'static Image| {
        let known = image_check(image, file, Some(image)).state == HashState::Known;
        let agree = run(file, Some(image)).iter().filter(|check| check.witness).count();
        (known, agree)
    };
    candidates
        .map(|image| (score(image), image))
        .filter(|(score, _)| score.0 || score.1 > 0)
        .max_by_key(|(score, _)| *score)
        .map(|(_, image)| image)
}

/// Compares the digest of one image.
fn image_check(image: &'static Image, file: &[u8], carved: Option<&'static Image>) -> ImageCheck {
    let whole = part(file, image, carved).filter(|bytes| bytes.len() as u64 == image.size_bytes);
    let sha256 = whole.map(|bytes| hex(&Sha256::digest(bytes)));
    let state = match &sha256 {
        None => HashState::NotPresent,
        Some(_) if image.sha256_prefix.is_empty() => HashState::Unlisted,
        Some(found) if found.starts_with(image.sha256_prefix) => HashState::Known,
        Some(_) => HashState::Other,
    };
    ImageCheck { image, sha256, state }
}

/// Adds up what the sites of each claim say.
fn claim_checks(checks: &[Check]) -> Vec<ClaimCheck> {
    let mut claims: Vec<ClaimCheck> = Vec::new();
    for check in checks {
        if check.state == CheckState::Shown {
            continue;
        }
        let place = claims.iter().position(|claim| std::ptr::eq(claim.claim, check.claim));
        let place = place.unwrap_or_else(|| {
            claims.push(ClaimCheck {
                claim: check.claim,
                standing: check.claim.tag(),
                state: CheckState::NotPresent,
                confirmed: 0,
                refuted: 0,
                not_present: 0,
            });
            claims.len() - 1
        });
        let claim = &mut claims[place];
        match check.state {
            CheckState::Confirmed => claim.confirmed += 1,
            CheckState::Refuted => claim.refuted += 1,
            CheckState::NotPresent | CheckState::Shown => claim.not_present += 1,
        }
        claim.state = match (claim.confirmed, claim.refuted) {
            (_, 1..) => CheckState::Refuted,
            (1.., 0) => CheckState::Confirmed,
            (0, 0) => CheckState::NotPresent,
        };
    }
    claims
}

/// Writes bytes in hex.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Serializes a claim as its id.
fn claim_id<S: serde::Serializer>(claim: &&'static Claim, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(claim.id)
}
