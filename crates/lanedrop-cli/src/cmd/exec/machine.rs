//! The device that a program meets, and the records of the program.

use anyhow::{Context, Result, anyhow};
use lanedrop::asm;
use lanedrop::device::Device;
use lanedrop::exec::program::Options;
use lanedrop::exec::{Backend, Region};
use lanedrop::isa::{Engine, Generation, Word};
use lanedrop::rng::{Lanes, Profile};

use super::args::DeviceArgs;
use super::arrays;
use crate::input::InputArgs;
use crate::state::{self, Shape};

impl DeviceArgs {
    /// Returns whether any flag says what the device holds at first.
    pub(crate) fn is_given(&self) -> bool {
        let Self { memory, map, seed, state, registers, semaphores, satisfy_waits, .. } = self;
        let paths = [memory, map, state].into_iter().any(Option::is_some);
        paths
            || seed.is_some()
            || *satisfy_waits
            || !(registers.is_empty() && semaphores.is_empty())
    }

    /// Returns how a program is run.
    pub(crate) fn options(&self) -> Options<'static> {
        Options {
            budget: self.budget,
            satisfy_waits: self.satisfy_waits,
            fp8_exp4: self.fp8_exp4,
            backend: self.backend.unwrap_or_else(Backend::best),
            ..Options::default()
        }
    }

    /// Returns a device with its lanes, its memory still zero.
    pub(crate) fn device<'t>(
        &self,
        profile: &Profile,
        generation: Generation,
    ) -> Result<Device<'t>> {
        let mut device = Device::new(generation, profile)?;
        if let Some(seed) = self.seed {
            device.seed(seed.into())?;
        }
        if let Some(path) = &self.state {
            let words = state::read(path, Shape::of(profile))?;
            let lanes = Lanes::from_words(profile, &words, 128);
            device.set_lanes(lanes.with_context(|| path.display().to_string())?)?;
        }
        for (number, value) in &self.registers {
            device.registers.write(*number, *value)?;
        }
        for (index, value) in &self.semaphores {
            let index = u8::try_from(*index).context("semaphores are 0 to 255")?;
            device.sync.set_semaphore(index, *value);
        }
        Ok(device)
    }

    /// Returns the regions of the map, none without one.
    pub(crate) fn regions(&self) -> Result<Vec<Region>> {
        let Some(path) = &self.map else { return Ok(Vec::new()) };
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(|| name.clone())?;
        Region::map(&text).context(name)
    }

    /// Fills the regions that the input has an array for.
    pub(crate) fn fill(&self, regions: &[Region], device: &mut Device<'_>) -> Result<()> {
        match &self.memory {
            Some(memory) => arrays::load(memory, regions, &mut device.memory),
            None => Ok(()),
        }
    }
}

/// The records of a program, and those of other engines with what they are
/// called.
pub(crate) struct Records {
    pub(crate) own: Vec<Word>,
    pub(crate) others: Vec<(String, Vec<Word>)>,
}

/// Returns the records of a program: assembly text by its ending, else as
/// every verb reads them.
pub(crate) fn records(program: &str, generation: Generation) -> Result<Records> {
    if program.ends_with(".asm") || program.ends_with(".s") {
        let text = std::fs::read_to_string(program).with_context(|| program.to_owned())?;
        let own = asm::assemble(&text, generation)
            .map_err(|error| anyhow!("{program}, {}", error.with_source(&text)))?;
        return Ok(Records { own, others: Vec::new() });
    }
    streams(program)
}

/// Returns the records of a stream that stands alone, or of a NEFF's DVE.
pub(super) fn streams(program: &str) -> Result<Records> {
    let streams = InputArgs { input: program.to_owned(), stream: None }.read()?;
    let (mut own, mut others) = (None, Vec::new());
    for part in streams.parts() {
        let words: Vec<Word> = part.records().map(|(_, word)| word).collect();
        match &part.member {
            None => own = Some(words),
            Some(_) if part.engine == Some(Engine::Dve) && own.is_none() => own = Some(words),
            Some(member) => others.push((member.clone(), words)),
        }
    }
    let own = own.with_context(|| format!("{program} has no stream of the DVE"))?;
    Ok(Records { own, others })
}
