//! The golden model: what a Dropout does to its elements, written to be read
//! beside the header's text.
//!
//! Floats are converted and compared, nothing is multiplied, elements are
//! copied or zeroed byte for byte. Every faster path must equal this one.
//!
//! What it models: an active channel draws from the lane of its own partition,
//! once per element, in the order of its access pattern (dimension 0
//! innermost). A channel that is not active neither draws nor moves its lane.
//! State stays from one instruction to the next.

use crate::isa::ThresholdType;
use crate::rng::{Lanes, keeps};

/// What decides over an element of one channel, apart from its draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// Whether `value` is a drop rate or a keep rate.
    pub threshold_type: ThresholdType,
    /// The rate; any float, with the meaning the comparison gives it.
    pub value: f32,
}

/// Runs the elements of one channel, in access-pattern order; returns how many
/// stay.
///
/// `keep` gets one entry an element. The uniform and the comparison are those
/// of the lanes' profile.
///
/// # Panics
/// Where there is no such lane.
///
/// ```
/// # use lanedrop::{exec::reference::{Threshold, keep_channel}, isa::ThresholdType};
/// # use lanedrop::rng::{Lanes, Profile};
/// let profile = Profile::builtin("trn1").unwrap();
/// let mut lanes = Lanes::seeded(&profile, 42, 128).unwrap();
/// let half = Threshold { threshold_type: ThresholdType::DropRate, value: 0.5 };
/// let mut keep = [false; 3];
/// keep_channel(&mut lanes, 127, half, &mut keep);
/// // Lane 127 holds 0x7f00002a; its draws are 0xfe000054 and so on.
/// assert_eq!(keep, [true, true, true]);
/// ```
pub fn keep_channel(
    lanes: &mut Lanes,
    lane: usize,
    threshold: Threshold,
    keep: &mut [bool],
) -> u64 {
    let (uniform, compare) = (lanes.profile().uniform, lanes.profile().compare);
    let mut kept = 0;
    let mut draws = [0; 64];
    for keep in keep.chunks_mut(draws.len()) {
        let draws = &mut draws[..keep.len()];
        lanes.fill(lane, draws);
        for (keep, &mut draw) in keep.iter_mut().zip(draws) {
            let r = uniform.of(draw);
            *keep = keeps(compare, threshold.threshold_type, r, threshold.value);
            kept += u64::from(*keep);
        }
    }
    kept
}

/// Copies the elements that stay and makes the others all-zero bits.
///
/// A select and no multiplication: NaN payloads, -0.0, subnormals and integers
/// pass with the bits they came with, and a dropped NaN or infinity is +0.
/// `src` and `dst` hold `keep.len()` elements of 1, 2 or 4 bytes; what is
/// longer is left alone.
pub fn select(size_bytes: usize, keep: &[bool], src: &[u8], dst: &mut [u8]) {
    let elements = src.chunks_exact(size_bytes).zip(dst.chunks_exact_mut(size_bytes));
    for (&keep, (src, dst)) in keep.iter().zip(elements) {
        if keep {
            dst.copy_from_slice(src);
        } else {
            dst.fill(0);
        }
    }
}

/// Runs one instruction over `channels` channels of `elements` elements, laid
/// out `[channel][element]`; channel `c` draws from lane `first_lane + c`.
/// Returns how many elements stay.
///
/// `thresholds` holds one value a channel, or one for all.
///
/// # Panics
/// Where a slice is shorter than the shape, a lane does not exist or
/// `thresholds` is empty.
#[allow(clippy::too_many_arguments, reason = "the operands of an instruction")]
pub fn instruction(
    lanes: &mut Lanes,
    first_lane: usize,
    (channels, elements): (usize, usize),
    threshold_type: ThresholdType,
    thresholds: &[f32],
    size_bytes: usize,
    src: &[u8],
    dst: &mut [u8],
) -> u64 {
    let mut keep = vec![false; elements];
    let row_bytes = elements * size_bytes;
    let mut kept = 0;
    for channel in 0..channels {
        let value = thresholds[channel % thresholds.len()];
        let threshold = Threshold { threshold_type, value };
        kept += keep_channel(lanes, first_lane + channel, threshold, &mut keep);
        let row = channel * row_bytes..(channel + 1) * row_bytes;
        select(size_bytes, &keep, &src[row.clone()], &mut dst[row]);
    }
    kept
}

/// Runs a tensor of rows of `row_len` elements: row `r` is on lane `r mod
/// lanes`, in tile `r div lanes`, and a lane's stream goes on from tile to
/// tile. Returns how many elements stay.
///
/// It is one [`instruction`] a tile, on as many channels as the tile has rows.
///
/// # Panics
/// Where `dst` is shorter than `src` or `thresholds` is empty.
pub fn tensor(
    lanes: &mut Lanes,
    row_len: usize,
    threshold_type: ThresholdType,
    thresholds: &[f32],
    size_bytes: usize,
    src: &[u8],
    dst: &mut [u8],
) -> u64 {
    let row_bytes = row_len * size_bytes;
    if row_bytes == 0 {
        return 0;
    }
    let tile_bytes = lanes.lanes() * row_bytes;
    let mut kept = 0;
    for (src, dst) in src.chunks(tile_bytes).zip(dst.chunks_mut(tile_bytes)) {
        let shape = (src.len() / row_bytes, row_len);
        kept += instruction(lanes, 0, shape, threshold_type, thresholds, size_bytes, src, dst);
    }
    kept
}
