//! The plan of the one instruction, or the few, that settle what a report
//! leaves open.

use super::capture::type_name;
use super::replay::{Drawer, Model};
use super::simulate::Shot;
use super::{NextCapture, NextRow, Plan, PlanOptions, Report, SplitMix};
use crate::gf2::{Affine32, Equations, Met};
use crate::isa::ThresholdType;
use crate::rng::{Compare, Cut, DrawOrder, Seeding, Uniform};

impl Plan {
    /// Returns the captures that split what a report leaves open, or `None`
    /// where it leaves nothing open that they could split.
    ///
    /// Rival generators are split by the report's own next capture. Where the
    /// map is known it is the next bit of what is compared (P4), and then the
    /// conversion and the rule at a tie (P5).
    pub fn separating(report: &Report, options: PlanOptions) -> Option<Self> {
        let mut plan = Self { options, steps: Vec::new(), seeds: Vec::new(), first_element: 0 };
        if let Some(next) = report.next_row.as_ref().filter(|_| plan.options.lane_words) {
            plan.next_row(next)?;
            return Some(plan);
        }
        if let Some(next) = &report.next_capture {
            let group = next.seed_group.clone().unwrap_or_else(|| "fresh".into());
            let shot = shot_of(next, &group)?;
            plan.first_element = next.start_element;
            if next.seed_group.is_none() {
                let mut random = SplitMix::new(plan.options.seed);
                plan.add_seeds("fresh", &mut random);
            }
            plan.step("P6", next.purpose.clone(), vec![shot]);
            return Some(plan);
        }
        let map = report.transition.as_ref()?.map()?;
        if plan.options.lane_words {
            plan.ties(&map, report)?;
        } else {
            plan.ties_of_a_seed(&map, report)?;
        }
        Some(plan)
    }

    /// Plans one bit of the draws of one element: a threshold in the middle of
    /// what the bits above leave, lane by lane or with words that put those
    /// bits alike in all lanes.
    fn next_row(&mut self, next: &NextRow) -> Option<()> {
        let row = |text: &String| u64::from_str_radix(text, 16).ok();
        let above: Vec<u64> = next.above.iter().map(row).collect::<Option<_>>()?;
        let count = usize::try_from(next.element).ok()?.checked_add(1)?;
        if above.len() > 22 || count > usize::from(u16::MAX) {
            return None;
        }
        let prefix = |word: u32| {
            let argument = u64::from(word) | 1 << 32;
            above.iter().fold(0u32, |prefix, row| prefix << 1 | (row & argument).count_ones() & 1)
        };
        let name = format!("bit-{}-of-{}", next.bit, next.element);
        let yields = format!("bit {} of element {}", next.bit, next.element);
        let mut random =
            SplitMix::new(self.options.seed ^ u64::from(next.bit) << 32 ^ next.element);
        if self.options.pointer_thresholds {
            self.add_seeds(&name, &mut random);
            let words = &self.seeds.last()?.1;
            let threshold_bits =
                words.iter().map(|&word| below_middle(prefix(word), above.len())).collect();
            let shot = Shot { threshold_bits, ..Shot::mask(&name, 0, count, &name) };
            self.step("P4", yields, vec![shot]);
            return Some(());
        }
        // Bits that others determine cannot be chosen.
        let mut independent = Equations::new();
        let chosen: Vec<u64> = above
            .iter()
            .copied()
            .filter(|row| independent.insert(row & 0xffff_ffff, false) == Met::New)
            .collect();
        let mut shots = Vec::new();
        for one in 0..=chosen.len() {
            let mut equations = Equations::new();
            for (i, row) in chosen.iter().enumerate() {
                // No bit that can be chosen is set, or one.
                equations.insert(row & 0xffff_ffff, (i + 1 == one) ^ (row >> 32 & 1 == 1));
            }
            let (base, freedom) = (equations.any_solution(32) as u32, equations.freedom(32));
            let mut word = || {
                let choice = random.next_u32();
                let moved = freedom.iter().enumerate().filter(|(i, _)| choice >> i & 1 == 1);
                moved.fold(base, |word, (_, change)| word ^ *change as u32)
            };
            let words = (0..self.options.lanes).map(|_| word()).collect();
            let group = format!("{name}-{one}");
            let threshold = below_middle(prefix(base), above.len());
            shots.push(Shot::mask(&group, threshold, count, &group));
            self.seeds.push((group, words));
        }
        self.step("P4", yields, shots);
        Some(())
    }

    /// Plans a few lanes whose first draws stand at the edges of all
    /// conversions.
    fn ties(&mut self, map: &Affine32, report: &Report) -> Option<()> {
        let open = report.hypotheses.iter().any(|h| h.uniform.len() > 1 || h.compare.len() > 1);
        let after = !report.hypotheses.iter().all(|h| h.draw == Some(DrawOrder::Before));
        if !open {
            return None;
        }
        let back = if after { map.inverse()? } else { Affine32::IDENTITY };
        let words: Vec<u32> =
            (0..self.options.lanes).map(|lane| back.apply(PROBES[lane % PROBES.len()])).collect();
        self.seeds.push(("probes".into(), words));
        let shots = [0x3e80_0000, 0x3e80_0001]
            .into_iter()
            .flat_map(|bits| {
                [ThresholdType::DropRate, ThresholdType::KeepRate].map(|threshold_type| {
                    let id = format!("tie-{bits:08x}-{}", type_name(threshold_type));
                    Shot { threshold_type, ..Shot::mask(&id, bits, 1, "probes") }
                })
            })
            .collect();
        self.step("P5", "the conversion and the rule at a tie".into(), shots);
        Some(())
    }

    /// Plans thresholds that equal uniforms which one seed will draw: chosen
    /// one after the other so that each splits the pairs that are left best.
    fn ties_of_a_seed(&mut self, map: &Affine32, report: &Report) -> Option<()> {
        const ELEMENTS: usize = 64;
        const MOST_SHOTS: usize = 12;
        let rule = report.seeding.as_deref()?;
        let seeding = Seeding::ALL.into_iter().find(|seeding| seeding.as_str() == rule)?;
        let first = report.hypotheses.first()?;
        let mut open: Vec<(Uniform, Compare)> = Vec::new();
        for hypothesis in report.hypotheses.iter().filter(|h| h.generator == first.generator) {
            for &uniform in &hypothesis.uniform {
                open.extend(hypothesis.compare.iter().map(|&compare| (uniform, compare)));
            }
        }
        let seed = SplitMix::new(self.options.seed ^ 0x71e5).next_u32();
        let before = report.hypotheses.iter().all(|h| h.draw == Some(DrawOrder::Before));
        let model = Model { map: *map, skip: u64::from(!before), zero: None, output: None };
        let drawer = Drawer::new(&model, 0);
        let mut candidates = Vec::new();
        for lane in 0..self.options.lanes {
            let draws = drawer.draws(seeding.word(seed, lane), ELEMENTS);
            for (element, draw) in draws.into_iter().enumerate() {
                for uniform in Uniform::ALL {
                    let threshold = uniform.of(draw);
                    if open.iter().any(|(open, _)| *open == uniform) {
                        candidates.push((threshold, element, draw));
                    }
                }
            }
        }
        let mut classes = vec![0u32; open.len()];
        let mut shots = Vec::new();
        while shots.len() < MOST_SHOTS {
            let mut best: Option<(usize, Vec<u32>, Shot)> = None;
            for threshold_type in [ThresholdType::DropRate, ThresholdType::KeepRate] {
                for &(threshold, element, draw) in &candidates {
                    let split: Vec<u32> = open
                        .iter()
                        .zip(&classes)
                        .map(|(&(uniform, compare), class)| {
                            let cut = Cut::new(uniform, compare, threshold_type, threshold);
                            class << 1 | u32::from(cut.keeps(draw))
                        })
                        .collect();
                    let count = distinct(&split);
                    if best.as_ref().is_none_or(|(most, ..)| count > *most) {
                        let bits = threshold.to_bits();
                        let id = format!("tie-{bits:08x}-{}", type_name(threshold_type));
                        let shot = Shot::mask(&id, bits, element + 1, "ties");
                        best = Some((count, split, Shot { threshold_type, ..shot }));
                    }
                }
            }
            let Some((_, split, shot)) = best.filter(|(count, ..)| *count > distinct(&classes))
            else {
                break;
            };
            classes = split;
            shots.push(shot);
        }
        if shots.is_empty() {
            return None;
        }
        self.seeds.push(("ties".into(), vec![seed]));
        self.step("P5", "the conversion and the rule at a tie".into(), shots);
        Some(())
    }
}

fn distinct(classes: &[u32]) -> usize {
    let mut classes = classes.to_vec();
    classes.sort_unstable();
    classes.dedup();
    classes.len()
}

/// Returns the bits of the f32 just below the middle of the uniforms whose top
/// `count` bits are `prefix`: (2 * prefix + 1) / 2^(count + 1), which is exact
/// for up to 22 bits.
fn below_middle(prefix: u32, count: usize) -> u32 {
    let middle = (2.0 * f64::from(prefix) + 1.0) / (1u64 << (count + 1)) as f64;
    (middle as f32).to_bits() - 1
}

/// Draws at which the conversions and rules decide differently, at thresholds
/// 0.25 and the float32 above it.
const PROBES: [u32; 24] = [
    0x7fff_ff80,
    0x7fff_ffbf,
    0x7fff_ffc0,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0080,
    0x8000_0081,
    0x8000_00ff,
    0x8000_0100,
    0x8000_01ff,
    0x8000_0200,
    0x8000_0300,
    0x4000_00c0,
    0x4000_0080,
    0x4000_0081,
    0x4000_00ff,
    0x4000_01ff,
    0x4000_0100,
    0x4000_0041,
    0x4000_007f,
    0x3fff_ffff,
    0x3fff_ffe0,
    // One quarter in the orders of low23 and of signed-half.
    0x0020_0000,
    0xc000_0000,
];

fn shot_of(next: &NextCapture, group: &str) -> Option<Shot> {
    let bits = u32::from_str_radix(next.threshold_bits.as_ref()?, 16).ok()?;
    let threshold_type = if next.threshold_type == type_name(ThresholdType::KeepRate) {
        ThresholdType::KeepRate
    } else {
        ThresholdType::DropRate
    };
    Some(Shot {
        threshold_type,
        continues: next.start_element > 0,
        ..Shot::mask("next", bits, next.num_elements, group)
    })
}

#[cfg(test)]
mod tests {
    use super::super::simulate::{Device, Knowledge, Simulation};
    use super::super::{CaptureFile, Hypothesis, Verdict, check, solve};
    use super::*;
    use crate::rng::Profile;

    /// Goes on planning, capturing and solving until nothing is open.
    fn close(device: &Device, options: &PlanOptions) -> (CaptureFile, Report, usize) {
        let shots = vec![Shot::mask("main", 0x3eff_ffff, 64, "main")];
        let mut file = Simulation {
            device: device.clone(),
            lanes: options.lanes,
            shots,
            knowledge: Knowledge::Words,
            words: Default::default(),
            faults: Default::default(),
            seed: 4,
        }
        .run();
        let mut instructions = 1;
        for _ in 0..30 {
            let report = solve(&file);
            let Some(plan) = Plan::separating(&report, options.clone()) else {
                return (file, report, instructions);
            };
            instructions += plan.shots().count();
            file.extend(plan.simulation(device.clone()).run()).unwrap();
        }
        panic!("the plan does not end");
    }

    #[test]
    fn an_output_map_is_found_bit_by_bit() {
        let mut random = SplitMix::new(11);
        let mut scrambled = Affine32::of(|word| word ^ word << 7 ^ word >> 11);
        scrambled.offset = random.next_u32();
        for output in [Affine32::of(u32::swap_bytes), scrambled] {
            let mut device = Device::new(Profile::builtin("xorshift").unwrap());
            device.output = Some(output);
            // By pointer an instruction a bit; else 2 + 3 + ... + 23 for 22 bits.
            for (pointer_thresholds, needed) in [(true, 1 + 22), (false, 1 + 275)] {
                let options =
                    PlanOptions { lane_words: true, pointer_thresholds, ..PlanOptions::default() };
                let (_, report, instructions) = close(&device, &options);
                assert_eq!(instructions, needed);
                assert_eq!(report.mismatches, Some(0));
                let found = report.output_map.unwrap();
                for bit in 9..32 {
                    let row = (0..32).fold(0, |row, i| row | (output.columns[i] >> bit & 1) << i);
                    // The rows are of the state after the first draw.
                    assert_eq!(found.rows[bit].as_deref(), Some(&format!("{row:08x}")[..]));
                }
                let constant = u32::from_str_radix(&found.constant, 16).unwrap();
                assert_eq!(constant >> 9, output.offset >> 9);
                let unknown = Simulation {
                    device: device.clone(),
                    lanes: 128,
                    shots: vec![
                        Shot::mask("a", 0x3eff_ffff, 256, "a"),
                        Shot::mask("b", 0x3dcc_cccd, 256, "a"),
                    ],
                    knowledge: Knowledge::Nothing,
                    words: Default::default(),
                    faults: Default::default(),
                    seed: 9,
                };
                // Nothing has split the conversions; the default's is taken.
                let answer = check(&unknown.run(), &report.profile.unwrap(), &[]).unwrap();
                assert!(answer.matches, "{answer:?}");
            }
        }
    }

    #[test]
    fn the_tie_step_leaves_one_conversion_and_one_rule_at_most() {
        for (lane_words, uniform) in
            [true, false].into_iter().flat_map(|words| Uniform::ALL.map(|u| (words, u)))
        {
            split_ties(PlanOptions { lane_words, ..PlanOptions::default() }, uniform);
        }
    }

    fn split_ties(options: PlanOptions, uniform: Uniform) {
        let mut device = Device::new(Profile::builtin("trn1").unwrap());
        device.profile.uniform = uniform;
        let mut file = Plan::new(options.clone()).simulation(device.clone()).run();
        let before = solve(&file);
        let Some(more) = Plan::separating(&before, options) else {
            panic!("nothing to split: {:?}", before.hypotheses);
        };
        file.extend(more.simulation(device.clone()).run()).unwrap();
        let after = solve(&file);
        assert_eq!(after.verdict, Verdict::Affine);
        assert_eq!(after.profile.as_ref().unwrap().uniform, uniform, "{:?}", after.hypotheses);
        let alike = |h: &Hypothesis| h.uniform == after.hypotheses[0].uniform;
        assert!(after.hypotheses.iter().all(alike), "{:?}", after.hypotheses);
        let left = &after.hypotheses[0];
        assert_eq!(left.compare, [device.profile.compare], "{left:?}");
        if uniform == Uniform::Low23 {
            // A left shift register shows its low 23 bits at the top nine draws
            // later: no mask tells the one from the other with a warm-up.
            assert!(left.uniform.contains(&uniform), "{left:?}");
        } else {
            assert_eq!(left.uniform, [uniform], "{left:?}");
        }
    }
}
