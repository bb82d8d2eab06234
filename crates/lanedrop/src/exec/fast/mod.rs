//! The fast path: registers become keep bits many elements at a time, and keep
//! bits are applied to the elements while they are still in the nearest cache.
//!
//! Every bit is as the golden model says; backend, threads and the cutting
//! into blocks never change one.

mod block;
mod rows;
mod short;
mod split;
mod threads;
mod worker;

use std::sync::{Arc, Mutex};

use super::{Job, Multiply};
use crate::kernel::{self, Affine, Cuts, Key, XorwowRegisters};
use crate::rng::{Cut, DrawOrder, Lanes, Profile, Recurrence, Uniform};

pub(super) use split::run;

/// Where elements go.
pub(super) enum Target<'a> {
    /// From one place to another.
    Copy { src: &'a [u8], dst: &'a mut [u8] },
    /// They stay where they are.
    InPlace(&'a mut [u8]),
    /// There are none; only masks are wanted.
    Nowhere,
}

/// Everything a stretch is written to.
pub(super) struct Output<'a> {
    pub(super) target: Target<'a>,
    pub(super) bytes: Option<&'a mut [u8]>,
    pub(super) packed: Option<&'a mut [u8]>,
}

/// Lanes on their way through a tensor.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    pub(super) lanes: Lanes,
    /// How many draws each lane is past the tensor's first element.
    pub(super) positions: Vec<u64>,
}

/// What a job is for the kernels.
#[derive(Clone, Debug)]
pub(super) struct Fast {
    kernels: &'static kernel::Backend,
    draws: Arc<Draws>,
    /// One for all registers, or one a register, lane after lane.
    cuts: Vec<kernel::Cut>,
    registers_per_lane: usize,
    words_per_register: usize,
}

/// Registers prepared for a backend.
#[derive(Debug)]
enum Draws {
    Affine(Affine),
    Xorwow(XorwowRegisters),
}

/// Steps a draw up to which XORWOW registers are walked.
const WALKED_STEPS: u32 = 16;

impl Fast {
    /// Prepares a job; none where the golden model has to do it.
    pub(super) fn new(job: &Job, lanes: &Lanes) -> Option<Self> {
        let kernels = job.backend.kernels()?;
        let profile = lanes.profile();
        let draws = prepared(kernels, profile)?;
        let registers_per_lane = usize::from(profile.registers_per_lane);
        let mut cuts = Vec::with_capacity(job.thresholds.len());
        for &threshold in &job.thresholds {
            let cut = Cut::new(profile.uniform, profile.compare, job.threshold_type, threshold);
            cuts.push(kernel::Cut { at_least: cut.cut().into(), below: cut.keeps_below() });
        }
        if cuts.iter().all(|cut| *cut == cuts[0]) {
            cuts.truncate(1);
        } else {
            cuts = cuts.iter().flat_map(|cut| [*cut].repeat(registers_per_lane)).collect();
        }
        let words_per_register = profile.recurrence.words_per_register();
        Some(Self { kernels, draws, cuts, registers_per_lane, words_per_register })
    }

    /// Writes the keep bits of the next `draws` draws of each register of some
    /// lanes from `lane` on, whose state is `words`.
    ///
    /// `ahead` is what is read next.
    fn keep(
        &self,
        words: &mut [u32],
        lane: usize,
        draws: usize,
        keep: &mut [u64],
        stride: usize,
        ahead: &[u8],
    ) {
        let registers = words.len() / self.words_per_register;
        let first = lane * self.registers_per_lane;
        let cuts = match &self.cuts[..] {
            [cut] => Cuts::Same(*cut),
            cuts => Cuts::Each(&cuts[first..first + registers]),
        };
        match &*self.draws {
            Draws::Affine(affine) => affine.keep(cuts, words, draws, keep, stride, ahead),
            Draws::Xorwow(xorwow) => {
                xorwow.keep(cuts, words.as_chunks_mut().0, draws, keep, stride);
            }
        }
    }

    /// The cut of a lane.
    fn cut(&self, lane: usize) -> kernel::Cut {
        match &self.cuts[..] {
            [cut] => *cut,
            cuts => cuts[lane * self.registers_per_lane],
        }
    }
}

/// The bits of a draw that decide the uniform.
fn key(uniform: Uniform) -> Key {
    let (flip, low, max) = uniform.key_form();
    Key { low, bits: 32 - max.leading_zeros(), signed: flip != 0 }
}

/// What tells prepared registers apart.
#[derive(PartialEq)]
struct Settings {
    backend: &'static str,
    recurrence: Recurrence,
    steps: u32,
    draw: DrawOrder,
    key: Key,
}

/// How many prepared registers are remembered.
const REMEMBERED: usize = 8;

/// Returns a profile's registers prepared for a backend. The last few are
/// remembered, so that a call on a small tensor need not make their tables.
fn prepared(kernels: &'static kernel::Backend, profile: &Profile) -> Option<Arc<Draws>> {
    static LATEST: Mutex<Vec<(Settings, Arc<Draws>)>> = Mutex::new(Vec::new());
    let settings = Settings {
        backend: kernels.name(),
        recurrence: profile.recurrence.clone(),
        steps: profile.steps_per_draw,
        draw: profile.draw,
        key: key(profile.uniform),
    };
    // Never waited for: a child forked while another thread holds the lock
    // makes its own tables.
    if let Ok(latest) = LATEST.try_lock()
        && let Some((_, draws)) = latest.iter().find(|(other, _)| *other == settings)
    {
        return Some(draws.clone());
    }
    let draw_before = settings.draw == DrawOrder::Before;
    let draws = match profile.draw_map() {
        Some(map) => {
            let recurrence =
                kernel::Recurrence { columns: map.columns, constant: map.offset, draw_before };
            Draws::Affine(Affine::new(kernels, &recurrence, settings.key))
        }
        None if settings.steps <= WALKED_STEPS => {
            Draws::Xorwow(XorwowRegisters::new(kernels, settings.key, settings.steps, draw_before))
        }
        None => return None,
    };
    let draws = Arc::new(draws);
    if let Ok(mut latest) = LATEST.try_lock() {
        if latest.len() == REMEMBERED {
            latest.remove(0);
        }
        latest.push((settings, draws.clone()));
    }
    Some(draws)
}

/// The kernels' form of a multiplication in an element type.
pub(super) fn scale_of(multiply: &Multiply, element: super::Element) -> kernel::Scale<'_> {
    match (multiply.table(), element) {
        (Some(table), _) => kernel::Scale::Table(table),
        (None, super::Element::F16) => kernel::Scale::Half(multiply.factor()),
        (None, super::Element::BF16) => kernel::Scale::Brain(multiply.factor()),
        (None, _) => kernel::Scale::Single(multiply.factor()),
    }
}
