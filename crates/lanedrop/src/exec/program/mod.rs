//! Execution of a program, record by record, on a [`Device`].
//!
//! The stream is the Vector engine's: records that seed, draw, drop, fill and
//! scale are executed, records for the runtime are passed over, and any other
//! one stops the program with its name and place. A record is checked first,
//! waits, reads its operands, works, and then does its update; one that cannot
//! be executed changes nothing.
//!
//! Patterns are walked in element order, and each element is read before it is
//! written, across channels too. State of the lanes stays from record to
//! record.

mod dropout;
mod fill;
mod keep;
mod operand;
mod segments;
mod state;
mod stop;
mod stretch;
mod tensor_scalar;
mod trace;

pub use segments::{SegmentsError, run_lowered};
pub use stop::{Cause, Helper, NotExecuted, Stop};
pub use trace::{DropoutCall, DropoutElement, Effect, Silent, Step, Trace};

use crate::device::Device;
use crate::evidence::assumptions::{self, Assumption};
use crate::exec::Backend;
use crate::isa::events::When;
use crate::isa::{Engine, Events, Word, opcode, validate};
use crate::rng::Fp8Exp4;

/// How a program is run.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Element steps that may be taken: elements times channels, summed over
    /// the records. A record that would take more stops the program.
    pub budget: u64,
    /// Whether waits that do not hold are let pass, as if another engine or a
    /// DMA had signalled.
    pub satisfy_waits: bool,
    /// Streams of other engines: a deadlock names their records that would
    /// have signalled.
    pub others: &'a [Stream<'a>],
    /// The engine the stream is for; generator state is the DVE's alone.
    pub engine: Engine,
    /// How FP8_EXP4 is read; none is the reading of the device's profile.
    pub fp8_exp4: Option<Fp8Exp4>,
    /// Which code does the work.
    pub backend: Backend,
}

/// A stream of another engine.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    /// What messages call it.
    pub name: &'a str,
    /// Its records.
    pub words: &'a [Word],
}

/// What a program has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Records executed.
    pub executed: u64,
    /// Records for the runtime that were passed over.
    pub passed_over: u64,
    /// Waits that were let pass.
    pub waits_passed: u64,
    /// Element steps taken.
    pub steps: u64,
    /// Elements that Dropouts kept.
    pub kept: u64,
    /// Elements that Dropouts zeroed.
    pub dropped: u64,
    /// Whether a HALT ended the program.
    pub halted: bool,
    /// What the results rest on beside the profile, each once.
    pub assumptions: Vec<&'static Assumption>,
}

impl Default for Options<'_> {
    /// Returns a budget of 2^36 element steps on the DVE, no waits let pass.
    fn default() -> Self {
        Self {
            budget: 1 << 36,
            satisfy_waits: false,
            others: &[],
            engine: Engine::Dve,
            fp8_exp4: None,
            backend: Backend::best(),
        }
    }
}

/// Runs the records of a stream, in program order, on `device`.
///
/// ```
/// use lanedrop::asm;
/// use lanedrop::device::Device;
/// use lanedrop::exec::program::{Options, Silent, run};
/// use lanedrop::isa::{Generation, Place, Space};
/// use lanedrop::rng::Profile;
/// let words = asm::assemble(
///     "pseudo_set_rng_seed seed=42
///      memset dtype=fp32 channels=128 fill_value=0x3f800000 dst=sbuf[p0](8)
///      dropout dtype=fp32 channels=128 drop=0.5 src=sbuf[p0](8) dst=sbuf[p0+0x100](8)",
///     Generation::V3,
/// ).unwrap();
/// let profile = Profile::builtin("trn1").unwrap();
/// let mut device = Device::new(Generation::V3, &profile)?;
/// let summary = run(&mut device, &words, &Options::default(), &mut Silent)?;
/// assert_eq!(summary.kept + summary.dropped, 8 * 128);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Stop`] at the first record that cannot be executed.
pub fn run(
    device: &mut Device<'_>,
    words: &[Word],
    options: &Options<'_>,
    trace: &mut dyn Trace,
) -> Result<Summary, Stop> {
    let mut machine = Machine::new(device, options);
    machine.run(words, 0..words.len(), trace)?;
    Ok(machine.summary)
}

/// A device at work on a program.
pub(crate) struct Machine<'d, 't, 'o> {
    device: &'d mut Device<'t>,
    options: &'o Options<'o>,
    summary: Summary,
    keep: keep::Keep,
    /// Whether what Dropouts write is more than a cache holds.
    beyond_cache: bool,
    /// The tensor that memory stands on, where it is far from the caches.
    tensor: &'t [u8],
}

/// What follows a record.
enum Next {
    Go,
    Halt,
}

impl<'d, 't, 'o> Machine<'d, 't, 'o> {
    pub(crate) fn new(device: &'d mut Device<'t>, options: &'o Options<'o>) -> Self {
        let (summary, keep) = (Summary::default(), keep::Keep::default());
        Self { device, options, summary, keep, beyond_cache: false, tensor: &[] }
    }

    /// Runs some records of a stream.
    fn run(
        &mut self,
        words: &[Word],
        records: std::ops::Range<usize>,
        trace: &mut dyn Trace,
    ) -> Result<(), Stop> {
        for index in records {
            let Some(word) = words.get(index) else { break };
            let index = index as u64;
            let step = Step { index, offset_bytes: 64 * index, word };
            match self.record(&step, words, trace) {
                Ok(Next::Go) => {}
                Ok(Next::Halt) => break,
                Err(cause) => {
                    return Err(Stop {
                        offset_bytes: step.offset_bytes,
                        opcode: word.opcode(),
                        cause,
                        summary: Box::new(self.summary.clone()),
                    });
                }
            }
        }
        Ok(())
    }

    fn record(
        &mut self,
        step: &Step<'_>,
        words: &[Word],
        trace: &mut dyn Trace,
    ) -> Result<Next, Cause> {
        let word = step.word;
        trace.record(step);
        if is_for_runtime(word.opcode()) {
            self.summary.passed_over += 1;
            self.assume(&assumptions::RUNTIME_RECORDS);
            trace.done(step, &Effect::PassedOver);
            return Ok(Next::Go);
        }
        let generation = self.device.generation();
        let report = validate(word, generation);
        if !report.is_legal() {
            return Err(Cause::Illegal { violations: report.violations, generation });
        }
        // Legal records have members of both enumerations.
        let events = Events::of(word).unwrap_or_default();
        let mut updates = events;
        if word.opcode() == opcode::EVENT_SEMAPHORE {
            updates.semaphore_value = word.u32(12);
        }
        self.device.sync.check(&updates, &self.device.registers)?;
        self.wait(step, &events, words, trace)?;
        let effect = self.execute(word, trace)?;
        self.device.sync.pass(&events);
        let events = updates;
        for when in [When::Read, When::Complete] {
            self.device.sync.update(&events, when, &self.device.registers)?;
        }
        self.summary.executed += 1;
        trace.done(step, &effect);
        if effect == Effect::Halted {
            self.summary.halted = true;
            return Ok(Next::Halt);
        }
        Ok(Next::Go)
    }

    /// Waits: goes on where the condition holds, and stops where nothing can
    /// make it hold any more.
    fn wait(
        &mut self,
        step: &Step<'_>,
        events: &Events,
        words: &[Word],
        trace: &mut dyn Trace,
    ) -> Result<(), Cause> {
        if let Some(waiting) = self.device.sync.waiting(events, &self.device.registers)? {
            if !self.options.satisfy_waits {
                let helpers = self.helpers(&waiting, step, words);
                return Err(Cause::Deadlock { waiting, helpers });
            }
            self.summary.waits_passed += 1;
            trace.wait_passed(step, &waiting);
        }
        Ok(())
    }

    /// Returns the records that touch what is waited for: those of the same
    /// stream that come later, and those of other engines.
    fn helpers(
        &self,
        waiting: &crate::device::Waiting,
        step: &Step<'_>,
        words: &[Word],
    ) -> Vec<Helper> {
        let touching = |words: &[Word], from: usize, stream: Option<&str>| -> Vec<Helper> {
            let touches =
                |word: &Word| Events::of(word).is_ok_and(|update| waiting.is_touched_by(&update));
            let found = words.iter().enumerate().skip(from).filter(|(_, word)| touches(word));
            found
                .map(|(index, word)| Helper {
                    stream: stream.map(str::to_owned),
                    offset_bytes: 64 * index as u64,
                    opcode: word.opcode(),
                })
                .collect()
        };
        let own = usize::try_from(step.index).unwrap_or(usize::MAX);
        let mut helpers = Vec::new();
        for other in self.options.others {
            helpers.extend(touching(other.words, 0, Some(other.name)));
        }
        helpers.extend(touching(words, own, None));
        helpers
    }

    fn execute(&mut self, word: &Word, trace: &mut dyn Trace) -> Result<Effect, Cause> {
        match word.opcode() {
            opcode::DROPOUT => self.dropout(word, trace),
            opcode::TENSOR_SCALAR => self.tensor_scalar(word),
            opcode::MEMSET => self.memset(word),
            opcode::RNG => self.rng(word),
            opcode::RAND2 => self.rand2(word),
            opcode::SET_RNG_SEED => self.set_rng_seed(word),
            opcode::RAND_GET_STATE => self.get_state(word),
            opcode::RAND_SET_STATE => self.set_state(word),
            opcode::NOP | opcode::ENGINE_NOP | opcode::DRAIN | opcode::INSTRUCTION_FLUSH => {
                self.assume(&assumptions::CONTROL_BY_NAME);
                Ok(Effect::Events)
            }
            opcode::EVENT_SEMAPHORE => {
                self.assume(&assumptions::EVENT_SEMAPHORE_VALUES);
                Ok(Effect::Events)
            }
            opcode::HALT => {
                self.assume(&assumptions::CONTROL_BY_NAME);
                Ok(Effect::Halted)
            }
            opcode::RAND => Err(Cause::NotExecuted { why: NotExecuted::Unmaintained }),
            _ => Err(Cause::NotExecuted { why: NotExecuted::NoModel }),
        }
    }

    /// Takes element steps from the budget.
    fn spend(&mut self, elements: u64, channels: u8) -> Result<u64, Cause> {
        let needs = u128::from(elements) * u128::from(channels);
        let left = self.options.budget.saturating_sub(self.summary.steps);
        match u64::try_from(needs) {
            Ok(steps) if steps <= left => {
                self.summary.steps += steps;
                Ok(steps)
            }
            _ => Err(Cause::Budget { needs, left }),
        }
    }

    /// Notes an assumption that the results rest on.
    fn assume(&mut self, assumption: &'static Assumption) {
        if !self.summary.assumptions.iter().any(|known| known.id == assumption.id) {
            self.summary.assumptions.push(assumption);
        }
    }
}

/// Returns whether a record is for the runtime, which lowers it before the
/// program is loaded; PSEUDO_SET_RNG_SEED is executed all the same.
fn is_for_runtime(code: u8) -> bool {
    let pseudo = (0xc1..=0xdf).contains(&code) && code != opcode::SET_RNG_SEED;
    pseudo || code == opcode::COMPARE_BRANCH
}
