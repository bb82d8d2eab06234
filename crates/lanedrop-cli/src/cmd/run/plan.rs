//! What a run is about to do: every flag and side file, read and checked.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use lanedrop::exec::{Backend, Element, Job};
use lanedrop::isa::ThresholdType;
use lanedrop::lint::RunFacts;
use lanedrop::rng::{Lanes, Recurrence};

use crate::cmd::run::args::{Args, Rate};
use crate::io::input::{Input, Tensor};
use crate::io::npy::shape_text;
use crate::profiles;

/// Lanes of a device: one a partition.
const LANES: usize = 128;

/// A run, ready to start.
pub(crate) struct Plan {
    pub(crate) job: Job,
    pub(crate) lanes: Lanes,
    /// The seed the lanes were made from, if they were.
    pub(crate) seed: Option<u32>,
    /// What was chosen for want of a flag, and other things worth saying.
    pub(crate) remarks: Vec<String>,
    /// The one rate, where there is one.
    pub(crate) rate: Option<Rate>,
    /// The drop rate each threshold stands for.
    pub(crate) nominal: Vec<f64>,
}

impl Plan {
    pub(crate) fn new(args: &Args, tensor: &Tensor) -> Result<Self> {
        let profile = profiles::load(&args.profile)?;
        let (lanes, remark) = args.start.start(&profile, LANES)?;
        let seeded = args.start.state.is_none() && profile.recurrence != Recurrence::Xorwow;
        let seed = seeded.then(|| args.start.seed.unwrap_or(0));
        let remarks = remark.into_iter().chain(profiles::impostor(&profile)).collect();
        let (thresholds, given) = match (args.rate, &args.rates) {
            (Some(rate), _) => (vec![rate.threshold], vec![rate.given]),
            (None, Some(path)) => {
                let rates =
                    read_rates(path, lanes.lanes()).with_context(|| path.display().to_string())?;
                let given = rates.iter().map(|&rate| f64::from(rate)).collect();
                (rates, given)
            }
            (None, None) => bail!("neither --rate nor --rates is given"),
        };
        let threshold_type =
            if args.keep { ThresholdType::KeepRate } else { ThresholdType::DropRate };
        let nominal = given.iter().map(|rate| if args.keep { 1.0 - rate } else { *rate }).collect();
        let job = Job {
            threshold_type,
            thresholds,
            element: tensor.element,
            rows: tensor.rows(),
            row_len: tensor.row_len(),
            scale: args.scale,
            backend: args.backend.unwrap_or_else(Backend::best),
            threads: args.threads,
        };
        Ok(Self { job, lanes, seed, remarks, rate: args.rate, nominal })
    }

    /// Returns the plan as the lints see it.
    pub(crate) fn facts(&self) -> RunFacts<'_> {
        RunFacts {
            lanes: &self.lanes,
            seed: self.seed,
            lanes_used: usize::try_from(self.job.rows).unwrap_or(usize::MAX),
            threshold_type: self.job.threshold_type,
            thresholds: &self.job.thresholds,
            nominal: &self.nominal,
        }
    }
}

pub(crate) fn read_rates(path: &Path, lanes: usize) -> Result<Vec<f32>> {
    let mut file = Input::open_file(path)?;
    ensure!(
        file.tensor.element == Element::F32,
        "elements are {}, expected float32",
        file.tensor.element.name()
    );
    ensure!(
        file.tensor.shape == [lanes as u64],
        "shape is {}, expected ({lanes},): one rate a lane",
        shape_text(&file.tensor.shape)
    );
    let bytes = file.read_little()?;
    let rates: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    for (lane, rate) in rates.iter().enumerate() {
        ensure!((0.0..=1.0).contains(rate), "rate of lane {lane} is {rate}, expected 0 to 1");
    }
    Ok(rates)
}
