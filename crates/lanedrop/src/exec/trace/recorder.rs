//! Lines of a running program, with the values it has on the device.

use super::line::{Ground, Line, Stage};
use super::{dispatch, dropout_lines};
use crate::device::Waiting;
use crate::evidence::assumptions::{CONTROL_BY_NAME, EVENT_SEMAPHORE_VALUES};
use crate::evidence::claims::encoding::WAIT_MODES;
use crate::evidence::claims::neighbours::{
    D4_MR_LAYOUT, GET_STATE_RULES, RAND2_RANGE, RNG_LOW_BITS, SET_STATE_RULES, TS_RESULT,
};
use crate::evidence::claims::rng::SEEDING_LANE_SHIFT24;
use crate::exec::program::{DropoutCall, DropoutElement, Effect, Step, Trace};
use crate::isa::{Dropout, Generation, Place, Word, opcode};
use crate::rng::{Field, Profile};

/// A record that was executed, and its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// Its first byte in the stream.
    pub offset_bytes: u64,
    /// The record.
    pub word: Word,
    /// What is known of its way, with the values it had.
    pub lines: Vec<Line>,
}

/// What a Dropout works on while it runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    pub(super) src: Place,
    pub(super) dst: Place,
    /// One threshold a channel, or one for all.
    pub(super) thresholds: Vec<f32>,
    /// The first elements of the first channels.
    pub(super) elements: Vec<DropoutElement>,
    pub(super) kept: u64,
    pub(super) dropped: u64,
}

/// Turns what a running program tells into lines, record by record.
///
/// ```
/// use lanedrop::asm;
/// use lanedrop::device::Device;
/// use lanedrop::exec::program::{Options, run};
/// use lanedrop::exec::trace::Recorder;
/// use lanedrop::isa::Generation;
/// use lanedrop::rng::Profile;
/// let words = asm::assemble(
///     "pseudo_set_rng_seed seed=42
///      dropout dtype=fp32 channels=128 drop=0.5 src=sbuf[p0](8) dst=sbuf[p0+0x100](8)",
///     Generation::V3,
/// ).unwrap();
/// let profile = Profile::builtin("trn1").unwrap();
/// let mut device = Device::new(Generation::V3, &profile)?;
/// let mut values = Vec::new();
/// let mut recorder = Recorder::new(Generation::V3, &profile, (3, 1), |record| {
///     values.extend(record.lines.into_iter().filter(|line| line.what == "lane 0 draws"));
/// });
/// run(&mut device, &words, &Options::default(), &mut recorder)?;
/// drop(recorder);
/// assert_eq!(values[0].value.as_deref(), Some("0x00000054 0x000000a9 0x00000152"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Recorder<'a> {
    generation: Generation,
    profile: &'a Profile,
    wants: (u64, u8),
    values: Option<(Dropout, Values)>,
    waited: Option<Waiting>,
    sink: Box<dyn FnMut(Traced) + 'a>,
}

impl<'a> Recorder<'a> {
    /// Returns a recorder that gives each executed record to `sink`, with the
    /// draws of as many elements of as many channels as `wants` says.
    pub fn new(
        generation: Generation,
        profile: &'a Profile,
        wants: (u64, u8),
        sink: impl FnMut(Traced) + 'a,
    ) -> Self {
        let sink = Box::new(sink);
        Self { generation, profile, wants, values: None, waited: None, sink }
    }

    fn lines(&mut self, step: &Step<'_>, effect: &Effect) -> Vec<Line> {
        let mut lines = match (self.values.take(), effect) {
            (Some((dropout, values)), &Effect::Dropped { kept, dropped }) => {
                let values = Values { kept, dropped, ..values };
                dropout_lines(&dropout, self.generation, self.profile, Some(&values))
            }
            _ => {
                let mut lines = dispatch::other(step.word.opcode());
                lines.extend(effect_line(step.word.opcode(), effect, self.profile));
                lines
            }
        };
        if let Some(waiting) = self.waited.take() {
            let passed = Line::of(Stage::Effect, None, "a wait that was let pass", &WAIT_MODES);
            lines.insert(0, passed.value(waiting.to_string()));
        }
        lines
    }
}

impl Trace for Recorder<'_> {
    fn record(&mut self, _: &Step<'_>) {
        (self.values, self.waited) = (None, None);
    }

    fn wait_passed(&mut self, _: &Step<'_>, waiting: &Waiting) {
        self.waited = Some(*waiting);
    }

    fn dropout(&mut self, call: &DropoutCall<'_>) {
        let values = Values {
            src: call.src,
            dst: call.dst,
            thresholds: call.thresholds.to_vec(),
            elements: Vec::new(),
            kept: 0,
            dropped: 0,
        };
        self.values = Some((*call.dropout, values));
    }

    fn wants_elements(&self) -> (u64, u8) {
        self.wants
    }

    fn element(&mut self, element: &DropoutElement) {
        if let Some((_, values)) = &mut self.values {
            values.elements.push(*element);
        }
    }

    fn done(&mut self, step: &Step<'_>, effect: &Effect) {
        let lines = self.lines(step, effect);
        (self.sink)(Traced { offset_bytes: step.offset_bytes, word: *step.word, lines });
    }
}

/// Returns the line of what a record did that is no Dropout.
fn effect_line(code: u8, effect: &Effect, profile: &Profile) -> Option<Line> {
    let line = |what: &str, claim| Line::of(Stage::Effect, None, what, claim);
    let wrote = match code {
        opcode::RNG => &RNG_LOW_BITS,
        opcode::RAND2 => &RAND2_RANGE,
        opcode::TENSOR_SCALAR => &TS_RESULT,
        _ => &D4_MR_LAYOUT,
    };
    let control = match code {
        opcode::EVENT_SEMAPHORE => &EVENT_SEMAPHORE_VALUES,
        _ => &CONTROL_BY_NAME,
    };
    match *effect {
        Effect::Wrote { elements } => {
            Some(line("elements written", wrote).value(elements.to_string()))
        }
        Effect::Seeded { seed } => Some(
            line("every lane is seeded", &SEEDING_LANE_SHIFT24)
                .value(format!("seed {seed:#010x}"))
                .resting_on(profile.ground(Field::Seeding)),
        ),
        Effect::StateSet { words } => {
            Some(line("state words set", &SET_STATE_RULES).value(words.to_string()))
        }
        Effect::StateRead { words } => {
            Some(line("state words read", &GET_STATE_RULES).value(words.to_string()))
        }
        Effect::Events => {
            Some(line("its events alone", &WAIT_MODES).resting_on(Ground::Assumption(control)))
        }
        Effect::Halted => {
            Some(line("the program ends", &WAIT_MODES).resting_on(Ground::Assumption(control)))
        }
        Effect::PassedOver | Effect::Dropped { .. } => None,
    }
}
