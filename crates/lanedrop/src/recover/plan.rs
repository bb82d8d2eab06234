//! The experiment that closes the wall: which instructions, in which order,
//! and what each yields.

use std::fmt::Write;

use serde_json::{Value, json};

use super::SplitMix;
use super::capture::type_name;
use super::simulate::{Device, Faults, Knowledge, Shot, Simulation};
use crate::isa::ThresholdType;

/// The script that runs a plan through the public NKI calls.
pub const CAPTURE_SCRIPT: &str = include_str!("capture.py");

/// The f32 just below one half: no uniform of 23 bits equals it.
const HALF: u32 = 0x3eff_ffff;
const QUARTER: u32 = 0x3e7f_ffff;
const THREE_QUARTERS: u32 = 0x3f3f_ffff;

/// What is possible on the device, and how much to capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanOptions {
    /// Lanes of the device.
    pub lanes: usize,
    /// Elements a lane of the main captures.
    pub elements: usize,
    /// Whether each lane's word can be set, and not one seed alone.
    pub lane_words: bool,
    /// Whether thresholds can be given lane by lane, by pointer.
    pub pointer_thresholds: bool,
    /// Whether raw draws can be read out.
    pub raw_draws: bool,
    /// The seed of the seeds.
    pub seed: u64,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            lanes: 128,
            elements: 128,
            lane_words: false,
            pointer_thresholds: false,
            raw_draws: false,
            seed: 1,
        }
    }
}

/// One step of the protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanStep {
    /// Its short name, P0 to P7.
    pub name: &'static str,
    /// What it yields.
    pub yields: String,
    /// How many instructions it takes.
    pub instructions: usize,
    /// What is captured now; empty where an answer is needed first.
    pub shots: Vec<Shot>,
}

/// An experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What it was made for.
    pub options: PlanOptions,
    /// The steps in order.
    pub steps: Vec<PlanStep>,
    /// The lanes' words, or the one seed, of each seed group.
    pub seeds: Vec<(String, Vec<u32>)>,
    /// Elements that came before the first capture, where it goes on.
    pub first_element: u64,
}

impl Plan {
    /// Returns the protocol for a device of which nothing is known.
    pub fn new(options: PlanOptions) -> Self {
        let mut plan = Self { steps: Vec::new(), seeds: Vec::new(), first_element: 0, options };
        let (lanes, elements) = (plan.options.lanes, plan.options.elements);
        let words = if plan.options.lane_words { "the lanes' words" } else { "36 seeds" };
        let main: Vec<String> = if plan.options.lane_words {
            vec!["main".into()]
        } else {
            (0..36).map(|i| format!("seed-{i}")).collect()
        };
        let mut random = SplitMix::new(plan.options.seed);
        for group in &main {
            plan.add_seeds(group, &mut random);
        }
        if plan.options.lane_words {
            // What becomes of a zero word shows in lane 0.
            plan.seeds[0].1[0] = 0;
        }
        let shots: Vec<Shot> =
            main.iter().map(|group| Shot::mask(group, HALF, elements, group)).collect();
        plan.step(
            "P1",
            format!("the map of a draw, the zero rule, and how seeds reach lanes, from {words} at one half"),
            shots,
        );
        let first = main[0].clone();
        plan.step(
            "P2",
            "whether a seed replays and whether the state goes on".into(),
            vec![
                Shot::mask("replay", HALF, elements, &first),
                Shot { continues: true, ..Shot::mask("goes-on", HALF, elements, &first) },
            ],
        );
        plan.step(
            "P3",
            "bit 30 and the polarity".into(),
            vec![
                Shot::mask("quarter", QUARTER, elements, &first),
                Shot::mask("three-quarters", THREE_QUARTERS, elements, &first),
                Shot {
                    threshold_type: ThresholdType::KeepRate,
                    ..Shot::mask("keep", HALF, elements, &first)
                },
            ],
        );
        if plan.options.raw_draws {
            plan.step(
                "P4",
                "raw draws of the same seeds: the output map without more ado".into(),
                vec![Shot { raw: true, ..Shot::mask("raw", HALF, 8, &first) }],
            );
        } else {
            let instructions = if plan.options.pointer_thresholds { 23 } else { 276 };
            plan.later(
                "P4",
                "which bits of the state are compared, if P3 does not fit: each threshold follows \
                 from the answer before"
                    .into(),
                instructions,
            );
        }
        plan.later(
            "P5",
            "the conversion and the rule at a tie: `recover plan --separate REPORT` makes it from \
             the answer to P1 to P3"
                .into(),
            4,
        );
        for i in 0..2 {
            let group = format!("held-out-{i}");
            plan.add_seeds(&group, &mut random);
        }
        let rate = |random: &mut SplitMix| {
            (0.05 + 0.9 * f64::from(random.next_u32()) / 4_294_967_296.0) as f32
        };
        let shots = (0..2)
            .map(|i| {
                let group = format!("held-out-{i}");
                Shot::mask(&group, rate(&mut random).to_bits(), 1024, &group)
            })
            .collect();
        plan.step(
            "P7",
            format!(
                "proof: {lanes} lanes of 1024 elements with fresh seeds, 0 mismatches expected"
            ),
            shots,
        );
        plan
    }

    pub(super) fn add_seeds(&mut self, group: &str, random: &mut SplitMix) {
        let count = if self.options.lane_words { self.options.lanes } else { 1 };
        let words = (0..count).map(|_| random.next_u32()).collect();
        self.seeds.push((group.into(), words));
    }

    pub(super) fn step(&mut self, name: &'static str, yields: String, shots: Vec<Shot>) {
        self.steps.push(PlanStep { name, yields, instructions: shots.len(), shots });
    }

    fn later(&mut self, name: &'static str, yields: String, instructions: usize) {
        self.steps.push(PlanStep { name, yields, instructions, shots: Vec::new() });
    }

    /// Returns the captures of all steps in order.
    pub fn shots(&self) -> impl Iterator<Item = (&'static str, &Shot)> {
        self.steps.iter().flat_map(|step| step.shots.iter().map(|shot| (step.name, shot)))
    }

    /// Returns the seeds of a group.
    pub fn seeds_of(&self, group: &str) -> Option<&[u32]> {
        self.seeds.iter().find(|(name, _)| name == group).map(|(_, words)| &words[..])
    }

    /// Returns where a capture begins in the stream of its group.
    fn starts(&self) -> Vec<u64> {
        let mut ends: Vec<(&str, u64)> = Vec::new();
        self.shots()
            .map(|(_, shot)| {
                let group = &shot.seed_group[..];
                let end = ends
                    .iter()
                    .find(|(name, _)| *name == group)
                    .map_or(self.first_element, |(_, end)| *end);
                let start = if shot.continues { end } else { 0 };
                ends.retain(|(name, _)| *name != group);
                ends.push((group, start + shot.num_elements as u64));
                start
            })
            .collect()
    }

    /// Returns the plan as the script reads it.
    pub fn manifest(&self) -> Value {
        let captures: Vec<Value> = self
            .shots()
            .zip(self.starts())
            .map(|((step, shot), start)| {
                json!({
                    "step": step,
                    "id": shot.id,
                    "threshold_bits": shot.threshold_bits.iter().map(|b| format!("{b:08x}")).collect::<Vec<_>>(),
                    "threshold_type": type_name(shot.threshold_type),
                    "num_elements": shot.num_elements,
                    "start_element": start,
                    "seed_group": shot.seed_group,
                    "continues": shot.continues,
                    "raw": shot.raw,
                })
            })
            .collect();
        let seeds: serde_json::Map<String, Value> = self
            .seeds
            .iter()
            .map(|(group, words)| {
                (group.clone(), json!(words.iter().map(|w| format!("{w:08x}")).collect::<Vec<_>>()))
            })
            .collect();
        json!({
            "format": "dropout-plan/1",
            "lanes": self.options.lanes,
            "lane_words": self.options.lane_words,
            "captures": captures,
            "seeds": seeds,
        })
    }

    /// Returns the program of 64-byte records as assembly text: for each
    /// capture the seed, unless it goes on, and the instruction.
    ///
    /// Inputs are at 0 of each partition, results behind them; the lanes'
    /// words, where they can be set, at 0x20000, four a lane.
    pub fn program(&self) -> String {
        let mut text = String::from(".generation v4\n");
        let channels = self.options.lanes.min(128);
        for (step, shot) in self.shots() {
            let _ = writeln!(text, "\n# {step} {}: seeds of {}", shot.id, shot.seed_group);
            if !shot.continues {
                let _ = match self.seeds_of(&shot.seed_group) {
                    Some(_) if self.options.lane_words => writeln!(
                        text,
                        "rand_set_state algorithm=lfsr channels={channels} in_dtype=uint32 \
                         rand_generator=rng_lfsr src=sbuf[p0+0x20000](4)"
                    ),
                    Some(words) => writeln!(text, "pseudo_set_rng_seed seed={}", words[0]),
                    None => writeln!(text, "# the state of this group, as it was left"),
                };
            }
            let n = shot.num_elements;
            if shot.raw {
                let _ = writeln!(text, "# raw draws: {n} elements of nki.isa.rng, see the script");
                continue;
            }
            let rate = match shot.threshold_type {
                ThresholdType::DropRate => "drop",
                ThresholdType::KeepRate => "keep",
            };
            let value = match shot.threshold_bits[..] {
                [one] => format!("fp32(0x{one:08x})"),
                _ => "*sbuf[p0+0x21000]".into(),
            };
            let _ = writeln!(
                text,
                "dropout dtype=fp32 channels={channels} {rate}={value}\n    src=sbuf[p0+0x0]({n})\n    \
                 dst=sbuf[p0+0x10000]({n})"
            );
        }
        text
    }

    /// Returns the protocol in lines for a person.
    pub fn describe(&self) -> String {
        let mut text = String::new();
        for step in &self.steps {
            let elements = step.shots.iter().map(|shot| shot.num_elements).max();
            let size = match elements {
                Some(elements) => format!(", {} x {elements}", self.options.lanes),
                None => ", later".into(),
            };
            let _ = writeln!(
                text,
                "{}  {} instructions{size}: {}",
                step.name, step.instructions, step.yields
            );
        }
        text.push_str(
            "Inputs are unique numbers, so that survivors prove the order of the data. Stop at the \
             first step that does not do what it says; repeat for every generation of the device.\n",
        );
        text
    }

    /// Returns the captures of this plan from a device that does not exist.
    pub fn simulation(&self, device: Device) -> Simulation {
        Simulation {
            device,
            lanes: self.options.lanes,
            shots: self.shots().map(|(_, shot)| shot.clone()).collect(),
            knowledge: if self.options.lane_words { Knowledge::Words } else { Knowledge::OneSeed },
            words: self.seeds.iter().cloned().collect(),
            faults: Faults::default(),
            seed: self.options.seed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{check, solve};
    use super::*;
    use crate::asm;
    use crate::isa::Generation;
    use crate::rng::Profile;

    fn closes(options: PlanOptions, name: &str) {
        let plan = Plan::new(options);
        let file = plan.simulation(Device::new(Profile::builtin(name).unwrap())).run();
        let report = solve(&file);
        assert!(report.verdict.is_settled(), "{name}: {report:?}");
        assert_eq!(report.mismatches, Some(0));
        let profile = report.profile.unwrap();
        assert!(check(&file, &profile, &[]).unwrap().matches);
    }

    #[test]
    fn the_captures_of_a_plan_close_the_wall() {
        let small = PlanOptions { lanes: 64, ..PlanOptions::default() };
        for name in ["trn1", "xorshift"] {
            closes(PlanOptions { lane_words: true, ..small.clone() }, name);
            closes(small.clone(), name);
        }
    }

    #[test]
    fn the_program_assembles_to_one_record_an_instruction_and_seed() {
        for lane_words in [false, true] {
            let plan = Plan::new(PlanOptions { lane_words, ..PlanOptions::default() });
            let words = asm::assemble(&plan.program(), Generation::V4).unwrap();
            let dropouts = words.iter().filter(|word| word.opcode() == 0x7f).count();
            assert_eq!(dropouts, plan.shots().count());
            let seeds = plan.shots().filter(|(_, shot)| !shot.continues).count();
            assert_eq!(words.len(), dropouts + seeds);
        }
    }
}
