//! Does a device do what a profile says?

use serde::Serialize;

use super::lines::{Line, decode_exact, decode_noisy};
use super::replay::{Drawer, KeyCut, Model, chance_log2, count_misses};
use super::seen::{Bounds, Seen};
use super::transition::pull_back;
use super::{Capture, CaptureFile, Layout, SplitMix};
use crate::gf2::Equations;
use crate::rng::{DrawOrder, Profile, Uniform};

/// The most equations that a lane's state is read from.
const MOST_EQUATIONS: usize = 1024;

/// How many bits of a lane's word may be left open, and tried.
const MOST_FREEDOM: usize = 8;

/// Where a capture and a profile first differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FirstMismatch {
    /// The capture.
    pub capture: String,
    /// The lane.
    pub lane: usize,
    /// The element.
    pub element: usize,
}

/// The answer of [`check`], with the stable keys of `recover check --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckReport {
    /// The profile's name.
    pub profile: String,
    /// Whether nothing differs.
    #[serde(rename = "match")]
    pub matches: bool,
    /// Mask bits and raw draws that were compared.
    pub compared: u64,
    /// How many of them differ.
    pub mismatches: u64,
    /// The first that does.
    pub first_mismatch: Option<FirstMismatch>,
    /// log2 of the chance that an unrelated device agrees as well.
    pub false_positive_log2: f64,
    /// Profiles by mismatches, the fewest first.
    pub closest: Vec<String>,
}

/// Why captures and a profile cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A lane has more state than a capture file can hold.
    #[error(
        "profile {profile} has {per_lane} words a lane, and a capture gives one; raw states would \
         be needed"
    )]
    Words {
        /// The profile's name.
        profile: String,
        /// How many words it gives a lane.
        per_lane: usize,
    },
    /// There is nothing to compare.
    #[error("captures is empty, expected at least one capture")]
    Empty,
}

/// The lanes' words; `None` for a lane whose word is not determined, which is
/// not compared.
type Words = Vec<Option<u32>>;

/// What a comparison counted.
struct Count {
    compared: u64,
    mismatches: u64,
    first: Option<FirstMismatch>,
    chance_log2: f64,
}

/// Compares captures with what `profile` would draw, and with `others` for the
/// closest.
///
/// Chosen words are taken as they are, one seed goes by the profile's seeding
/// rule, and unknown states are fitted to the first bits that determine them.
///
/// # Errors
/// Where the profile has more state a lane than a capture gives; see
/// [`CheckError`].
pub fn check(
    file: &CaptureFile,
    profile: &Profile,
    others: &[Profile],
) -> Result<CheckReport, CheckError> {
    if file.captures.is_empty() {
        return Err(CheckError::Empty);
    }
    let count = compare(file, profile)?;
    let mut ranked: Vec<(u64, String)> = others
        .iter()
        .filter(|other| other.name != profile.name)
        .filter_map(|other| Some((compare(file, other).ok()?.mismatches, other.name.clone())))
        .collect();
    ranked.push((count.mismatches, profile.name.clone()));
    // Stable: of equals the profile asked about comes first.
    ranked.rotate_right(1);
    ranked.sort_by_key(|(mismatches, _)| *mismatches);
    Ok(CheckReport {
        profile: profile.name.clone(),
        matches: count.mismatches == 0,
        compared: count.compared,
        mismatches: count.mismatches,
        first_mismatch: count.first,
        false_positive_log2: count.chance_log2.min(0.0),
        closest: ranked.into_iter().map(|(_, name)| name).collect(),
    })
}

fn compare(file: &CaptureFile, profile: &Profile) -> Result<Count, CheckError> {
    let (map, 1) = (profile.draw_map(), profile.words_per_lane()) else {
        let (profile, per_lane) = (profile.name.clone(), profile.words_per_lane());
        return Err(CheckError::Words { profile, per_lane });
    };
    let Some(map) = map else {
        return Err(CheckError::Words { profile: profile.name.clone(), per_lane: 6 });
    };
    let skip = u64::from(profile.draw == DrawOrder::After);
    let model = Model { map, skip, zero: None, output: None };
    let mut count = Count { compared: 0, mismatches: 0, first: None, chance_log2: 0.0 };
    let fitted = fitted_words(file, profile, &model);
    for (capture, fitted) in file.captures.iter().zip(fitted) {
        let known = match (&capture.seeds, capture.seed) {
            (Some(words), _) => Some(words.iter().map(|&word| Some(word)).collect()),
            (None, Some(seed)) => {
                Some((0..file.lanes).map(|lane| Some(profile.seeding.word(seed, lane))).collect())
            }
            (None, None) => None,
        };
        let words = known.as_ref().or(fitted.as_ref());
        count.take(capture, words, known.is_none(), profile, &model);
    }
    Ok(count)
}

impl Count {
    fn take(
        &mut self,
        capture: &Capture,
        words: Option<&Words>,
        fitted: bool,
        profile: &Profile,
        model: &Model,
    ) {
        let drawer = Drawer::new(model, capture.start_element);
        let (before_compared, before_misses) = (self.compared, self.mismatches);
        for lane in 0..lanes(capture) {
            let draws = match (words, &capture.draws) {
                (Some(words), _) => match words[lane] {
                    Some(word) => drawer.draws(word, capture.num_elements),
                    None => continue,
                },
                (None, Some(raw)) => {
                    // From the first draw on, each follows from the one before.
                    let on = Model { skip: 0, ..model.clone() };
                    Drawer::new(&on, 0).draws(raw[lane][0], capture.num_elements)
                }
                (None, None) => continue,
            };
            if let Some(raw) = &capture.draws {
                for (element, (a, b)) in raw[lane].iter().zip(&draws).enumerate() {
                    self.one(a == b, capture, lane, element);
                }
            }
            if let Some(rows) = &capture.masks {
                let cut = KeyCut::new(
                    profile.uniform,
                    profile.compare,
                    capture.threshold_type,
                    capture.threshold(lane),
                );
                for (element, draw) in draws.iter().enumerate() {
                    let kept = cut.keeps(*draw);
                    self.one(kept == rows[lane].bit(element), capture, lane, element);
                }
            }
        }
        let misses = self.mismatches - before_misses;
        // A fitted state uses up as many bits as it has.
        let free = if fitted && capture.masks.is_some() { 32 * lanes(capture) as u64 } else { 0 };
        let compared = (self.compared - before_compared).saturating_sub(free);
        if let Some(seen) = Seen::new(capture, Layout::AsIs) {
            self.chance_log2 += chance_log2(&seen, compared, misses);
        } else if misses == 0 {
            self.chance_log2 -= 32.0 * (compared.saturating_sub(lanes(capture) as u64)) as f64;
        }
    }

    fn one(&mut self, agrees: bool, capture: &Capture, lane: usize, element: usize) {
        self.compared += 1;
        if !agrees {
            self.mismatches += 1;
            let capture = capture.id.clone();
            self.first.get_or_insert(FirstMismatch { capture, lane, element });
        }
    }
}

fn lanes(capture: &Capture) -> usize {
    let masks = capture.masks.as_ref().map(Vec::len);
    masks.or(capture.draws.as_ref().map(Vec::len)).unwrap_or(0)
}

/// Returns, for each capture without known seeds, the words that the lanes of
/// its group would have started from under the profile.
fn fitted_words(file: &CaptureFile, profile: &Profile, model: &Model) -> Vec<Option<Words>> {
    let mut groups: Vec<(String, Option<Words>)> = Vec::new();
    file.captures
        .iter()
        .map(|capture| {
            if capture.seeds.is_some() || capture.seed.is_some() {
                return None;
            }
            if let Some((_, words)) = groups.iter().find(|(group, _)| *group == capture.seed_group)
            {
                return words.clone();
            }
            let of_group: Vec<&Capture> = file
                .captures
                .iter()
                .filter(|other| other.seed_group == capture.seed_group)
                .collect();
            let words = fit_group(&of_group, file.lanes, profile, model);
            groups.push((capture.seed_group.clone(), words.clone()));
            words
        })
        .collect()
}

fn fit_group(
    captures: &[&Capture],
    lanes: usize,
    profile: &Profile,
    model: &Model,
) -> Option<Words> {
    if let Some(raw) = captures.iter().find(|capture| capture.draws.is_some()) {
        // The first draw is the state itself.
        let back = model.map.inverse()?.pow(raw.start_element.saturating_add(model.skip));
        return raw
            .draws
            .as_ref()
            .map(|rows| rows.iter().map(|row| Some(back.apply(row[0]))).collect());
    }
    let mut seen: Vec<Seen> =
        captures.iter().filter_map(|capture| Seen::new(capture, Layout::AsIs)).collect();
    // The bounds of keys need some words to stand with; any will do.
    seen.iter_mut().for_each(|capture| capture.words = Some(vec![1; lanes]));
    let bounds = Bounds::of(&seen);
    let words = (0..lanes).map(|lane| {
        let lines = equations(&bounds, lane, profile.uniform, model);
        fit_lane(&lines, |word| misses(captures, lane, word, profile, model))
    });
    Some(words.collect())
}

/// Returns the mismatches of a lane that starts from `word`.
fn misses(captures: &[&Capture], lane: usize, word: u32, profile: &Profile, model: &Model) -> u32 {
    let of_capture = |capture: &&Capture| {
        let rows = capture.masks.as_ref()?;
        let draws = Drawer::new(model, capture.start_element).draws(word, capture.num_elements);
        let threshold = capture.threshold(lane);
        let cut = KeyCut::new(profile.uniform, profile.compare, capture.threshold_type, threshold);
        Some(count_misses(&cut, &draws, &rows[lane]))
    };
    captures.iter().filter_map(of_capture).sum()
}

/// Returns what the captures of a group say of a lane's word, bit by bit.
fn equations(bounds: &[Bounds], lane: usize, uniform: Uniform, model: &Model) -> Vec<Line> {
    let mut lines = Vec::new();
    for group in bounds {
        let mut entry = model.map.pow(group.start.saturating_add(model.skip));
        for element in 0..group.elements() {
            for bit in (9..32).rev() {
                let Some(value) = group.bit(lane, element, bit) else { break };
                let row = pull_back(key_bit(uniform, bit), &entry);
                lines.push(Line {
                    argument: row & 0xffff_ffff,
                    bits: vec![u64::from(value) ^ row >> 32],
                });
            }
            if lines.len() >= MOST_EQUATIONS {
                return lines;
            }
            entry = entry.then(&model.map);
        }
    }
    lines
}

/// Returns the functional of a bit of the key, 32 bits wide, of a draw.
fn key_bit(uniform: Uniform, bit: u32) -> u64 {
    match uniform {
        Uniform::Low23 => 1 << (bit - 9),
        Uniform::SignedHalf if bit == 31 => 1 << 31 | 1 << 32,
        _ => 1 << bit,
    }
}

/// Returns the word that meets all equations, or most of them; where several
/// do, the one with the fewest mismatches. `None` where the equations leave too
/// much open to try.
fn fit_lane(lines: &[Line], misses: impl Fn(u32) -> u32) -> Option<u32> {
    let mut equations = Equations::new();
    let mut broken = false;
    for line in lines {
        let met = equations.insert(line.argument, line.bits[0] & 1 == 1);
        broken |= met == crate::gf2::Met::Broken;
    }
    if !broken {
        let freedom = equations.freedom(32);
        if freedom.len() > MOST_FREEDOM {
            return None;
        }
        let base = equations.any_solution(32) as u32;
        let sum = |choice: u32| {
            let chosen = freedom.iter().enumerate().filter(|(i, _)| choice >> i & 1 == 1);
            chosen.fold(base, |word, (_, change)| word ^ *change as u32)
        };
        return (0..1u32 << freedom.len()).map(sum).min_by_key(|&word| misses(word));
    }
    let exact = decode_exact(lines, 32, 1).and_then(|columns| columns.functionals[0]);
    let noisy = || {
        let mut random = SplitMix::new(1);
        decode_noisy(lines, 32, 1, 100, &mut random)?.functionals[0]
    };
    // Nothing fits: the word that the first equations give shows where.
    Some(exact.or_else(noisy).unwrap_or_else(|| equations.any_solution(32)) as u32)
}

#[cfg(test)]
mod tests {
    use super::super::simulate::{Device, Faults, Knowledge, Shot, Simulation};
    use super::*;

    fn captures(knowledge: Knowledge, profile: &str, threshold: u32) -> CaptureFile {
        Simulation {
            device: Device::new(Profile::builtin(profile).unwrap()),
            lanes: 16,
            shots: vec![
                Shot::mask("a", threshold, 200, "g"),
                Shot { continues: true, ..Shot::mask("b", 0x3dcc_cccd, 50, "g") },
            ],
            knowledge,
            words: Default::default(),
            faults: Faults::default(),
            seed: 11,
        }
        .run()
    }

    #[test]
    fn a_device_matches_its_own_profile_and_no_other() {
        let builtins = Profile::builtins();
        for knowledge in [Knowledge::Words, Knowledge::OneSeed, Knowledge::Nothing] {
            for name in ["trn1", "simulator", "xorshift", "tenstorrent"] {
                let file = captures(knowledge, name, 0x3eff_ffff);
                let own = check(&file, &Profile::builtin(name).unwrap(), &builtins).unwrap();
                assert!(own.matches, "{knowledge:?} {name} {own:?}");
                assert_eq!(own.compared, 16 * 250);
                assert!(own.false_positive_log2 < -1000.0);
                let other = if name == "xorshift" { "trn1" } else { "xorshift" };
                let other = check(&file, &Profile::builtin(other).unwrap(), &builtins).unwrap();
                assert!(!other.matches && other.mismatches > 500, "{knowledge:?} {other:?}");
                assert_eq!(other.closest[0], name);
                assert!(other.first_mismatch.is_some());
            }
        }
    }

    #[test]
    fn the_first_mismatch_is_the_flipped_bit() {
        let mut file = captures(Knowledge::Words, "trn1", 0x3eff_ffff);
        file.captures[1].masks.as_mut().unwrap()[7].flip(31);
        let report = check(&file, &Profile::builtin("trn1").unwrap(), &[]).unwrap();
        assert_eq!(report.mismatches, 1);
        let expected = FirstMismatch { capture: "b".into(), lane: 7, element: 31 };
        assert_eq!(report.first_mismatch, Some(expected));
    }

    #[test]
    fn unknown_states_are_fitted_at_any_threshold() {
        let file = captures(Knowledge::Nothing, "xorshift", 0x3dcc_cccd);
        let own = check(&file, &Profile::builtin("xorshift").unwrap(), &[]).unwrap();
        assert!(own.matches, "{own:?}");
        let other = check(&file, &Profile::builtin("trn1").unwrap(), &[]).unwrap();
        assert!(!other.matches);
    }

    #[test]
    fn more_state_than_a_capture_gives_is_an_error() {
        let file = captures(Knowledge::Words, "trn1", 0x3eff_ffff);
        let error = check(&file, &Profile::builtin("trn3").unwrap(), &[]).unwrap_err();
        assert!(error.to_string().contains("24 words a lane"), "{error}");
    }
}
