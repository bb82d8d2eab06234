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

use super::ExecError;
use crate::isa::{Dropout, ImmSrc, ThresholdType};
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

/// Runs one instruction on elements that were gathered along its source
/// pattern, laid out `[channel][element]`; `dst` gets them in the order of the
/// destination pattern. Channel `c` draws from lane `first_lane + c`. Returns
/// how many elements stay.
///
/// `thresholds` are the values behind a pointer or register, one a channel;
/// an immediate threshold is in the instruction, and none are given. The rules
/// for a legal record are not asked.
///
/// # Errors
/// Where the operands do not fit the instruction or the lanes; nothing has
/// been drawn then.
pub fn instruction(
    dropout: &Dropout,
    lanes: &mut Lanes,
    first_lane: usize,
    thresholds: &[f32],
    src: &[u8],
    dst: &mut [u8],
) -> Result<u64, ExecError> {
    let channels = usize::from(dropout.num_active_channels);
    let elements = dropout.src_mem_pattern.num_elements();
    let size_bytes = match dropout.in_dtype.size_bytes() {
        Some(size @ (1 | 2 | 4)) if dropout.out_dtype == dropout.in_dtype => size as usize,
        _ => {
            let (in_dtype, out_dtype) = (dropout.in_dtype, dropout.out_dtype);
            return Err(ExecError::Dtypes { in_dtype, out_dtype });
        }
    };
    let dst_elements = dropout.dst_mem_pattern.num_elements();
    if dst_elements != elements {
        return Err(ExecError::Counts { src: elements, dst: dst_elements });
    }
    // At most 2^48 elements of 4 bytes in 255 channels.
    let wanted = elements * (channels * size_bytes) as u64;
    for (output, found) in [("the source", src.len()), ("the destination", dst.len())] {
        if found as u64 != wanted {
            return Err(ExecError::OutputLen { output, found, wanted });
        }
    }
    let count = lanes.lanes();
    if first_lane.checked_add(channels).is_none_or(|end| end > count) {
        return Err(ExecError::Channels { channels, first_lane, lanes: count });
    }
    let immediate = [f32::from_bits(dropout.threshold)];
    let thresholds = match dropout.threshold_src {
        ImmSrc::InstructionImmediate => &immediate[..],
        _ if thresholds.len() == channels => thresholds,
        _ => return Err(ExecError::Thresholds { found: thresholds.len(), lanes: channels }),
    };
    let row_bytes = wanted as usize / channels.max(1);
    let mut keep = vec![false; row_bytes / size_bytes];
    let mut kept = 0;
    for channel in 0..channels {
        let value = thresholds[channel % thresholds.len()];
        let threshold = Threshold { threshold_type: dropout.threshold_type, value };
        kept += keep_channel(lanes, first_lane + channel, threshold, &mut keep);
        let row = channel * row_bytes..(channel + 1) * row_bytes;
        select(size_bytes, &keep, &src[row.clone()], &mut dst[row]);
    }
    Ok(kept)
}

/// Runs a tensor of rows of `row_len` elements: row `r` is on lane `r mod
/// lanes`, in tile `r div lanes`, and a lane's stream goes on from tile to
/// tile. `thresholds` holds one value for all lanes, or one a lane. Returns how
/// many elements stay.
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
    let mut keep = vec![false; row_len];
    let row_bytes = (row_len * size_bytes).max(1);
    let mut kept = 0;
    for (row, (src, dst)) in src.chunks(row_bytes).zip(dst.chunks_mut(row_bytes)).enumerate() {
        let lane = row % lanes.lanes();
        let threshold = Threshold { threshold_type, value: thresholds[lane % thresholds.len()] };
        kept += keep_channel(lanes, lane, threshold, &mut keep);
        select(size_bytes, &keep, src, dst);
    }
    kept
}

#[cfg(test)]
#[path = "reference_tests.rs"]
mod tests;
