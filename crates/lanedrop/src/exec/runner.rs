//! Applying a dropout to a tensor, any stretch at a time.

use super::fast::{self, Fast, Output, Progress, Target};
use super::reference::{Threshold, keep_channel, select};
use super::{Backend, Element, ExecError, Multiply, scale_factor};
use crate::isa::ThresholdType;
use crate::rng::{Cut, Lanes};

/// What to do to a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Whether thresholds are drop rates or keep rates.
    pub threshold_type: ThresholdType,
    /// One threshold for all lanes, or one a lane.
    pub thresholds: Vec<f32>,
    /// What the elements are.
    pub element: Element,
    /// How many rows the tensor has; row `r` is on lane `r mod lanes`.
    pub rows: u64,
    /// How many elements a row has.
    pub row_len: u64,
    /// Whether kept elements are multiplied afterwards, to keep the mean.
    pub scale: bool,
    /// Which code does the work.
    pub backend: Backend,
    /// On how many threads, at most.
    pub threads: usize,
}

/// Mask outputs of one call, for the stretch it is about.
#[derive(Debug, Default)]
pub struct Masks<'a> {
    /// One byte an element: 1 is kept, 0 is dropped.
    pub bytes: Option<&'a mut [u8]>,
    /// One bit an element, least significant first, each row in whole bytes
    /// with zeros at its end; [`packed_len`] bytes.
    pub packed: Option<&'a mut [u8]>,
}

/// Applies a [`Job`] to stretches of a tensor.
///
/// Elements are numbered with the last axis fastest. What happens to one
/// depends on its number alone: stretches may come in any order, be of any
/// length and begin inside a row. Going on where the last stretch ended is
/// fastest; any other place is reached by a jump of the lanes it needs.
///
/// ```
/// # use lanedrop::exec::{Backend, Element, Job, Masks, Runner};
/// # use lanedrop::{isa::ThresholdType, rng::{Lanes, Profile}};
/// let profile = Profile::builtin("trn1").unwrap();
/// let lanes = Lanes::seeded(&profile, 42, 128).unwrap();
/// let job = Job {
///     threshold_type: ThresholdType::DropRate,
///     thresholds: vec![0.5],
///     element: Element::U8,
///     rows: 256,
///     row_len: 4,
///     scale: false,
///     backend: Backend::REFERENCE,
///     threads: 1,
/// };
/// let mut runner = Runner::new(job, lanes).unwrap();
/// let (src, mut dst) = ([7; 1024], [0; 1024]);
/// runner.apply(0, &src, &mut dst, Masks::default()).unwrap();
/// assert_eq!(runner.kept() + runner.dropped(), 1024);
/// ```
#[derive(Clone, Debug)]
pub struct Runner {
    job: Job,
    /// The state before the first element.
    initial: Lanes,
    progress: Progress,
    /// None where the golden model does the work.
    fast: Option<Fast>,
    /// One a threshold, where the job scales.
    multiplies: Vec<Multiply>,
    kept: u64,
    dropped: u64,
    keep: Vec<bool>,
}

/// How many elements are decided before their data are touched: few enough for
/// the flags to stay in the nearest cache.
const BLOCK: usize = 4096;

impl Runner {
    /// Returns a runner whose first element is drawn from `lanes` as they are.
    ///
    /// # Errors
    /// Where the parts of the job do not fit each other or the lanes.
    pub fn new(job: Job, lanes: Lanes) -> Result<Self, ExecError> {
        let (found, count) = (job.thresholds.len(), lanes.lanes());
        if found != 1 && found != count {
            return Err(ExecError::Thresholds { found, lanes: count });
        }
        if job.rows.checked_mul(job.row_len).is_none() {
            return Err(ExecError::TooManyElements { rows: job.rows, row_len: job.row_len });
        }
        if job.threads == 0 {
            return Err(ExecError::NoThreads);
        }
        let multiplies = if job.scale { multiplies(&job, &lanes)? } else { Vec::new() };
        let fast = Fast::new(&job, &lanes);
        let initial = lanes.clone();
        let progress = Progress { lanes, positions: vec![0; count] };
        Ok(Self { job, initial, progress, fast, multiplies, kept: 0, dropped: 0, keep: vec![] })
    }

    /// Returns the job.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Returns how many elements the tensor has.
    pub fn elements(&self) -> u64 {
        self.job.rows * self.job.row_len
    }

    /// Returns the factors that kept elements are multiplied by, one a
    /// threshold; none where the job does not scale.
    pub fn factors(&self) -> Vec<f32> {
        self.multiplies.iter().map(Multiply::factor).collect()
    }

    /// Returns how many elements were kept by the calls so far.
    pub fn kept(&self) -> u64 {
        self.kept
    }

    /// Returns how many elements were dropped by the calls so far.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Runs the elements from number `first` on, from `src` to `dst`.
    ///
    /// Bytes are little-endian. `masks` asks for what else is wanted.
    ///
    /// # Errors
    /// Where a slice has another length than the others ask for, or the stretch
    /// is not inside the tensor; nothing has been done then.
    pub fn apply(
        &mut self,
        first: u64,
        src: &[u8],
        dst: &mut [u8],
        masks: Masks<'_>,
    ) -> Result<(), ExecError> {
        let len = self.len_of(src.len())?;
        if dst.len() != src.len() {
            let (found, wanted) = (dst.len(), src.len() as u64);
            return Err(ExecError::OutputLen { output: "the output", found, wanted });
        }
        self.run(first, len, Target::Copy { src, dst }, masks)
    }

    /// Runs the elements from number `first` on where they are.
    ///
    /// # Errors
    /// As [`Runner::apply`].
    pub fn apply_in_place(
        &mut self,
        first: u64,
        data: &mut [u8],
        masks: Masks<'_>,
    ) -> Result<(), ExecError> {
        let len = self.len_of(data.len())?;
        self.run(first, len, Target::InPlace(data), masks)
    }

    /// Makes the masks of `len` elements from number `first` on, without data.
    ///
    /// # Errors
    /// As [`Runner::apply`].
    pub fn mask(&mut self, first: u64, len: u64, masks: Masks<'_>) -> Result<(), ExecError> {
        self.run(first, len, Target::Nowhere, masks)
    }

    /// Returns the state of the lanes after the whole tensor, whatever was run
    /// of it. An empty tensor leaves every lane as it was.
    pub fn finish(&self) -> Lanes {
        let mut lanes = self.initial.clone();
        let count = lanes.lanes();
        let (tiles, more) = (self.job.rows / count as u64, self.job.rows % count as u64);
        // The first lanes have one row more.
        let more = more as usize;
        lanes.advance_lanes(0..more, (tiles + 1) * self.job.row_len);
        lanes.advance_lanes(more..count, tiles * self.job.row_len);
        lanes
    }

    fn len_of(&self, len_bytes: usize) -> Result<u64, ExecError> {
        let size_bytes = self.job.element.size_bytes();
        if !len_bytes.is_multiple_of(size_bytes) {
            return Err(ExecError::PartialElement { len_bytes, size_bytes });
        }
        Ok((len_bytes / size_bytes) as u64)
    }

    pub(super) fn check(&self, first: u64, len: u64, masks: &Masks<'_>) -> Result<(), ExecError> {
        let elements = self.elements();
        if first.checked_add(len).is_none_or(|end| end > elements) {
            return Err(ExecError::Outside { first, len, elements });
        }
        if let Some(bytes) = &masks.bytes
            && bytes.len() as u64 != len
        {
            let found = bytes.len();
            return Err(ExecError::OutputLen { output: "the mask", found, wanted: len });
        }
        if let Some(packed) = &masks.packed {
            let wanted = packed_len(self.job.row_len, first, len)?;
            if packed.len() as u64 != wanted {
                let found = packed.len();
                return Err(ExecError::OutputLen { output: "the packed mask", found, wanted });
            }
        }
        Ok(())
    }

    fn run(
        &mut self,
        first: u64,
        len: u64,
        mut target: Target<'_>,
        masks: Masks<'_>,
    ) -> Result<(), ExecError> {
        self.check(first, len, &masks)?;
        let Masks { mut bytes, mut packed } = masks;
        if let Some(fast) = &self.fast {
            let output = Output { target, bytes, packed };
            let (multiplies, progress) = (&self.multiplies, &mut self.progress);
            let stretch = (first, len);
            let kept =
                fast::run(fast, &self.job, multiplies, &self.initial, progress, stretch, output);
            self.kept += kept;
            self.dropped += len - kept;
            return Ok(());
        }
        let size_bytes = self.job.element.size_bytes();
        let mut keep = std::mem::take(&mut self.keep);
        let (mut done, mut packed_at) = (0, 0);
        while done < len {
            let (row, column) =
                ((first + done) / self.job.row_len, (first + done) % self.job.row_len);
            let count = (len - done).min(self.job.row_len - column).min(BLOCK as u64) as usize;
            keep.resize(count, false);
            let lane = (row % self.progress.positions.len() as u64) as usize;
            let tile = row / self.progress.positions.len() as u64;
            self.move_to(lane, tile * self.job.row_len + column);
            let value = self.job.thresholds[lane % self.job.thresholds.len()];
            let threshold = Threshold { threshold_type: self.job.threshold_type, value };
            let kept = keep_channel(&mut self.progress.lanes, lane, threshold, &mut keep);
            self.progress.positions[lane] += count as u64;
            self.kept += kept;
            self.dropped += count as u64 - kept;

            let at = done as usize;
            let range = at * size_bytes..(at + count) * size_bytes;
            let written = match &mut target {
                Target::Copy { src, dst } => {
                    select(size_bytes, &keep, &src[range.clone()], &mut dst[range.clone()]);
                    Some(&mut dst[range])
                }
                Target::InPlace(data) => {
                    zero_dropped(size_bytes, &keep, &mut data[range.clone()]);
                    Some(&mut data[range])
                }
                Target::Nowhere => None,
            };
            if let (Some(written), false) = (written, self.multiplies.is_empty()) {
                let multiply = &self.multiplies[lane % self.multiplies.len()];
                multiply_kept(self.job.element, multiply, &keep, written);
            }
            if let Some(bytes) = &mut bytes {
                let bytes = &mut bytes[at..at + count];
                bytes.iter_mut().zip(&keep).for_each(|(byte, &keep)| *byte = u8::from(keep));
            }
            if let Some(packed) = &mut packed {
                let packed = &mut packed[packed_at..][..count.div_ceil(8)];
                pack(&keep, packed);
                packed_at += packed.len();
            }
            done += count as u64;
        }
        self.keep = keep;
        Ok(())
    }

    /// Brings a lane to this many draws after its first state.
    fn move_to(&mut self, lane: usize, position: u64) {
        let at = self.progress.positions[lane];
        if position < at {
            self.progress.lanes.registers_mut(lane).copy_from_slice(self.initial.registers(lane));
            self.progress.lanes.advance(lane, position);
        } else if position > at {
            self.progress.lanes.advance(lane, position - at);
        }
        self.progress.positions[lane] = position;
    }
}

/// Returns the multiplication that belongs to each threshold.
fn multiplies(job: &Job, lanes: &Lanes) -> Result<Vec<Multiply>, ExecError> {
    let element = job.element;
    let keep_rate = job.threshold_type == ThresholdType::KeepRate;
    let profile = lanes.profile();
    let multiply = |(lane, &threshold): (usize, &f32)| {
        let cut = Cut::new(profile.uniform, profile.compare, job.threshold_type, threshold);
        let factor = scale_factor(threshold, keep_rate).filter(|_| !cut.drops_all());
        let factor = factor.ok_or(ExecError::ScaleNothing { lane, threshold })?;
        Multiply::new(element, factor).ok_or(ExecError::ScaleInteger { element })
    };
    job.thresholds.iter().enumerate().map(multiply).collect()
}

/// Returns how many bytes the packed mask of a stretch takes.
///
/// # Errors
/// Where the stretch begins or ends inside a byte.
pub fn packed_len(row_len: u64, first: u64, len: u64) -> Result<u64, ExecError> {
    if len == 0 {
        return Ok(0);
    }
    // The caller has rows where there are elements.
    let row_len = row_len.max(1);
    let end = first.saturating_add(len);
    let (row, column) = (first / row_len, first % row_len);
    let (end_row, end_column) = (end / row_len, end % row_len);
    for column in [column, end_column] {
        if column % 8 != 0 {
            return Err(ExecError::PackedColumn { column });
        }
    }
    let whole = (end_row - row).saturating_mul(row_len.div_ceil(8));
    Ok((whole + end_column / 8).saturating_sub(column / 8))
}

fn zero_dropped(size_bytes: usize, keep: &[bool], data: &mut [u8]) {
    for (element, &keep) in data.chunks_exact_mut(size_bytes).zip(keep) {
        if !keep {
            element.fill(0);
        }
    }
}

fn pack(keep: &[bool], packed: &mut [u8]) {
    for (byte, keep) in packed.iter_mut().zip(keep.chunks(8)) {
        *byte = keep.iter().enumerate().map(|(bit, &keep)| u8::from(keep) << bit).sum();
    }
}

/// Multiplies the kept elements; dropped ones stay as they are.
fn multiply_kept(element: Element, multiply: &Multiply, keep: &[bool], data: &mut [u8]) {
    match element.size_bytes() {
        1 => {
            for (byte, _) in data.iter_mut().zip(keep).filter(|(_, keep)| **keep) {
                *byte = multiply.product(*byte);
            }
        }
        2 => {
            let words = data.as_chunks_mut::<2>().0.iter_mut().zip(keep);
            for (word, _) in words.filter(|(_, keep)| **keep) {
                let bits = u16::from_le_bytes(*word);
                let product = match element {
                    Element::F16 => multiply.half(bits),
                    _ => multiply.brain(bits),
                };
                *word = product.to_le_bytes();
            }
        }
        _ => {
            let words = data.as_chunks_mut::<4>().0.iter_mut().zip(keep);
            for (word, _) in words.filter(|(_, keep)| **keep) {
                *word = multiply.single(u32::from_le_bytes(*word)).to_le_bytes();
            }
        }
    }
}
