//! What holds for every capture file, and for captures of any small device.

use lanedrop::gf2::Affine32;
use lanedrop::isa::ThresholdType;
use lanedrop::recover::simulate::{Device, Faults, Knowledge, Sharing, Shot, Simulation, Source};
use lanedrop::recover::{
    BitRow, CaptureFile, Layout, Plan, PlanOptions, Report, check as compare, parse_generator,
    solve,
};
use lanedrop::rng::{Compare, DrawOrder, Profile, Recurrence, Uniform};

/// Bits of all captures of a file that is solved: what a moment is enough for.
const MOST_BITS: usize = 1 << 15;

/// Any text is refused with the field at fault, or it is a file that comes back
/// from its own JSON; a small one is solved, and captures made from the same
/// bytes are.
pub(crate) fn check(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        match CaptureFile::parse(text) {
            Ok(file) => {
                assert_eq!(CaptureFile::parse(&file.to_json()).ok().as_ref(), Some(&file));
                answer(&file);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    answer(&made_from(data));
}

/// Solves a file and asks of the report what every report keeps.
fn answer(file: &CaptureFile) {
    let bits: usize = file.captures.iter().map(|c| c.num_elements.saturating_mul(file.lanes)).sum();
    if bits > MOST_BITS {
        return;
    }
    let report = solve(file);
    let json = serde_json::to_string(&report).expect("a report has no map keys but text");
    let back: Report = serde_json::from_str(&json).expect("a report reads what it wrote");
    assert_eq!((&back.verdict, &back.transition), (&report.verdict, &report.transition));
    assert_eq!(back.hypotheses, report.hypotheses);
    let settled = report.verdict.is_settled();
    assert!(!settled || report.transition.is_some(), "{report:?}");
    assert!(report.false_positive_log2.is_none_or(|bound| bound <= 0.0), "{report:?}");
    assert!(!settled || report.false_positive_log2.is_some_and(|bound| bound <= -20.0));
    let map = report.transition.as_ref().map(|transition| transition.map().expect("hex words"));
    for hypothesis in &report.hypotheses {
        let recurrence = parse_generator(&hypothesis.generator).expect("a name reads back");
        let step = recurrence.step_map().expect("families are affine");
        if let Some(map) = map.filter(|_| settled) {
            assert_eq!(step.pow(hypothesis.steps_per_draw), map, "{hypothesis:?}");
        }
    }
    for lane_words in [false, true] {
        let options = PlanOptions { lanes: 128, lane_words, ..PlanOptions::default() };
        if let Some(plan) = Plan::separating(&report, options) {
            assert!(!plan.program().is_empty() && plan.shots().count() > 0);
        }
    }
    for name in ["trn1", "tenstorrent", "trn3"] {
        let profile = Profile::builtin(name).expect("a built-in profile");
        if let Ok(answer) = compare(file, &profile, &[]) {
            assert_eq!(answer.matches, answer.mismatches == 0);
            assert!(answer.mismatches <= answer.compared);
        }
    }
}

/// Takes choices from bytes; 0 when they have run out.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }
}

/// Returns captures of a device, with faults, that the bytes choose; what bytes
/// are left over are wrong bits.
fn made_from(data: &[u8]) -> CaptureFile {
    let mut choices = Choices(data.iter());
    let choices = &mut choices;
    let names = [
        "fibonacci_left_xnor 80200003",
        "galois_right a3000000",
        "galois_left 000000c5",
        "xorshift L13-R17-L5",
        "xorshift L31",
        "galois_right 00000000",
    ];
    let recurrence = match choices.below(names.len() + 2) {
        0 => {
            let mut map = Affine32::IDENTITY;
            map.columns.iter_mut().for_each(|column| *column = choices.word());
            map.offset = choices.word();
            Recurrence::Matrix(map)
        }
        1 => Recurrence::Xorwow,
        chosen => parse_generator(names[chosen - 2]).expect("a generator's name"),
    };
    let profile = Profile {
        recurrence,
        steps_per_draw: u32::from(choices.byte()) + 1,
        draw: [DrawOrder::After, DrawOrder::Before][choices.below(2)],
        uniform: Uniform::ALL[choices.below(6)],
        compare: Compare::ALL[choices.below(3)],
        ..Profile::builtin("trn1").expect("a built-in profile")
    };
    let mut device = Device::new(profile);
    if choices.below(4) == 0 {
        device.source = [Source::Pcg32, Source::XorshiftWeyl][choices.below(2)].clone();
    }
    device.hashed_lanes = choices.below(4) == 0;
    device.warm_up = (choices.below(4) / 3 * 9) as u64;
    let lanes = choices.below(40) + 1;
    let elements = [1, 2, 16, 33, 40, 64, 70][choices.below(7)];
    let knowledge = [Knowledge::Words, Knowledge::OneSeed, Knowledge::Nothing][choices.below(3)];
    let thresholds =
        [0x3eff_ffff, 0x3f00_0000, 0x3e7f_ffff, 0x3f3f_ffff, 0x7fc0_0000, 0, 0xbf80_0000];
    let mut shots = Vec::new();
    for i in 0..choices.below(4) + 1 {
        let bits = thresholds[choices.below(12).saturating_sub(5)];
        let mut shot = Shot::mask(&format!("c{i}"), bits, elements, ["a", "b"][choices.below(2)]);
        shot.continues = choices.below(3) == 0;
        shot.raw = choices.below(8) == 0;
        if choices.below(4) == 0 {
            shot.threshold_type = ThresholdType::KeepRate;
        }
        if choices.below(8) == 0 {
            shot.threshold_bits = (0..lanes).map(|_| choices.word()).collect();
        }
        shots.push(shot);
    }
    let mut faults = Faults { persists: choices.below(8) == 0, ..Faults::default() };
    match choices.below(6) {
        0 => {
            let layouts = Layout::all(lanes, elements);
            faults.layout = Some(layouts[choices.below(layouts.len())]);
        }
        1 => faults.slips.push((choices.below(lanes), choices.below(elements), 3)),
        2 => faults.sharing = Some(Sharing::Interleaved),
        3 => faults.stuck.push((choices.below(lanes), true)),
        _ => {}
    }
    let seed = choices.word().into();
    let mut file =
        Simulation { device, lanes, shots, knowledge, words: Default::default(), faults, seed }
            .run();
    for capture in &mut file.captures {
        let Some(rows) = &mut capture.masks else { continue };
        for _ in 0..choices.below(8) {
            let (lane, element) = (choices.below(lanes), choices.below(elements));
            let row: &mut BitRow = &mut rows[lane];
            row.flip(element);
        }
        if choices.below(16) == 0 {
            capture.start_element = u64::from(choices.word()) << (choices.below(33) as u32);
        }
    }
    file
}
