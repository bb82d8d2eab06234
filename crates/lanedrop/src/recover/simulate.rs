//! Captures of devices that do not exist: for tests and for teaching.
//!
//! A [`Device`] draws as a profile says, or in a way that no affine map
//! describes; [`Faults`] are what goes wrong between it and the capture file.

use std::collections::BTreeMap;

use super::{BitRow, Capture, CaptureFile, Layout, SplitMix};
use crate::gf2::{Affine32, ByteMap, Jump};
use crate::isa::ThresholdType;
use crate::rng::{Cut, DrawOrder, Profile, Recurrence, Seeding, Xorwow};

/// What a simulated lane draws from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// The profile's recurrence.
    Profile,
    /// `x = multiplier * x + increment` modulo 2^32.
    Lcg {
        /// The multiplier.
        multiplier: u32,
        /// The increment.
        increment: u32,
    },
    /// PCG-XSH-RR with 64 bits of state, of which the word gives the low half.
    Pcg32,
    /// An xorshift whose draws are multiplied by an odd number.
    XorshiftStar,
    /// An xorshift plus a Weyl counter: nearly linear.
    XorshiftWeyl,
    /// A counter put through a strong mixer, as counter-based generators do.
    Counter,
}

/// A device to simulate.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// Conversion, compare rule, seeding, and the recurrence under
    /// [`Source::Profile`].
    pub profile: Profile,
    /// What the lanes draw from.
    pub source: Source,
    /// What is compared instead of the draw itself.
    pub output: Option<Affine32>,
    /// How many draws are thrown away after seeding.
    pub warm_up: u64,
    /// What a zero word is replaced by.
    pub zero_seed_becomes: Option<u32>,
    /// Whether lanes get `seed xor hash(lane)` of one seed, and not what the
    /// profile's rule says.
    pub hashed_lanes: bool,
}

impl Device {
    /// Returns the device that does what the profile says.
    pub fn new(profile: Profile) -> Self {
        Self {
            profile,
            source: Source::Profile,
            output: None,
            warm_up: 0,
            zero_seed_becomes: None,
            hashed_lanes: false,
        }
    }

    /// Returns the draws of a lane that starts from `word`.
    fn stream(&self, word: u32) -> Stream {
        let word = if word == 0 { self.zero_seed_becomes.unwrap_or(0) } else { word };
        let mut stream = match &self.source {
            Source::Profile => match self.profile.draw_map() {
                Some(map) if self.profile.registers_per_lane == 1 => Stream::Affine {
                    table: Box::new(ByteMap::new(&map)),
                    state: word,
                    before: self.profile.draw == DrawOrder::Before,
                },
                map => {
                    // More words than a capture file can give: made from the one.
                    let mut words = SplitMix::new(word.into());
                    let count = self.profile.registers_per_lane.into();
                    let registers = (0..count)
                        .map(|_| Xorwow { words: std::array::from_fn(|_| words.next_u32()) });
                    Stream::Registers {
                        table: map.map(|map| Box::new(ByteMap::new(&map))),
                        registers: registers.collect(),
                        turn: 0,
                        profile: Box::new(self.profile.clone()),
                    }
                }
            },
            source => Stream::Other { source: source.clone(), state: word.into(), count: 0 },
        };
        match (&mut stream, self.profile.draw_map()) {
            (Stream::Affine { state, table, .. }, Some(map)) if self.warm_up > 0 => {
                *state = Jump::new(&map).to(self.warm_up).apply(*state);
                let _ = table;
            }
            (stream, _) => (0..self.warm_up.min(1 << 20)).for_each(|_| {
                stream.draw();
            }),
        }
        stream
    }
}

/// The draws of one lane.
enum Stream {
    Affine {
        table: Box<ByteMap>,
        state: u32,
        before: bool,
    },
    Registers {
        table: Option<Box<ByteMap>>,
        registers: Vec<Xorwow>,
        turn: usize,
        profile: Box<Profile>,
    },
    Other {
        source: Source,
        state: u64,
        count: u64,
    },
}

impl Stream {
    fn draw(&mut self) -> u32 {
        match self {
            Self::Affine { table, state, before } => {
                let old = *state;
                *state = table.apply(old);
                if *before { old } else { *state }
            }
            Self::Registers { table, registers, turn, profile } => {
                let count = registers.len();
                let register = &mut registers[*turn % count];
                *turn += 1;
                match table {
                    Some(table) => {
                        let old = register.words[0];
                        register.words[0] = table.apply(old);
                        if profile.draw == DrawOrder::Before { old } else { register.words[0] }
                    }
                    None => {
                        for _ in 1..profile.steps_per_draw.min(1 << 10) {
                            register.step();
                        }
                        register.next_u32()
                    }
                }
            }
            Self::Other { source, state, count } => {
                *count += 1;
                other_draw(source, state, *count)
            }
        }
    }
}

/// Returns the next draw of a generator that is not affine.
fn other_draw(source: &Source, state: &mut u64, count: u64) -> u32 {
    let xorshift = |state: &mut u64| {
        let mut x = *state as u32;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        *state = x.into();
        x
    };
    match source {
        Source::Lcg { multiplier, increment } => {
            let x = (*state as u32).wrapping_mul(*multiplier).wrapping_add(*increment);
            *state = x.into();
            x
        }
        Source::Pcg32 => {
            let old = *state;
            *state =
                old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(0xda3e_39cb_94b9_5bdb);
            ((((old >> 18) ^ old) >> 27) as u32).rotate_right((old >> 59) as u32)
        }
        Source::XorshiftStar => xorshift(state).wrapping_mul(0x9e37_79b5),
        Source::XorshiftWeyl => xorshift(state).wrapping_add((count as u32).wrapping_mul(362_437)),
        Source::Counter | Source::Profile => {
            SplitMix::new(*state << 32 ^ count.wrapping_mul(0x2545_f491)).next_u32()
        }
    }
}

/// What the maker of a capture file knew of the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// Each lane's own word.
    Words,
    /// The one seed of the engine.
    OneSeed,
    /// Nothing.
    Nothing,
}

/// One instruction to simulate.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// The capture's name.
    pub id: String,
    /// One threshold's f32 bits, or one a lane.
    pub threshold_bits: Vec<u32>,
    /// What the threshold is the rate of.
    pub threshold_type: ThresholdType,
    /// Elements a lane.
    pub num_elements: usize,
    /// Which seeds it starts from.
    pub seed_group: String,
    /// Whether it goes on where the capture before it in the group ended.
    pub continues: bool,
    /// Whether raw draws are read out, and not a mask.
    pub raw: bool,
}

impl Shot {
    /// Returns a drop-rate mask capture.
    pub fn mask(id: &str, threshold_bits: u32, num_elements: usize, seed_group: &str) -> Self {
        Self {
            id: id.into(),
            threshold_bits: vec![threshold_bits],
            threshold_type: ThresholdType::DropRate,
            num_elements,
            seed_group: seed_group.into(),
            continues: false,
            raw: false,
        }
    }
}

/// How lanes share one register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// An element of each lane in turn.
    Interleaved,
    /// A whole row of a lane, then of the next.
    Blocked,
}

/// What goes wrong between a device and its capture file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// Share of mask bits that are inverted, and of raw draws that are random.
    pub flip_rate: f64,
    /// Where the elements stand in the file.
    pub layout: Option<Layout>,
    /// `(lane, element, gap)`: elements lost, or doubled where below 0, in
    /// every capture.
    pub slips: Vec<(usize, usize, i64)>,
    /// Whether all lanes draw from the register of lane 0.
    pub sharing: Option<Sharing>,
    /// `(from, to)`: the second lane shows what the first one does.
    pub duplicates: Vec<(usize, usize)>,
    /// Lanes whose mask never changes, and the bit it shows.
    pub stuck: Vec<(usize, bool)>,
    /// Whether each capture goes on where the one before it ended, and the
    /// file does not say so.
    pub persists: bool,
}

/// Captures to make of a device.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// What is captured.
    pub device: Device,
    /// How many lanes it has.
    pub lanes: usize,
    /// The instructions, in order.
    pub shots: Vec<Shot>,
    /// What the file says of seeds.
    pub knowledge: Knowledge,
    /// The lanes' words (or lane 0's word, the one seed) by group; random and
    /// dense where a group is not named.
    pub words: BTreeMap<String, Vec<u32>>,
    /// What goes wrong.
    pub faults: Faults,
    /// The seed of all that is random here.
    pub seed: u64,
}

impl Simulation {
    /// Returns the captures as a file.
    pub fn run(&self) -> CaptureFile {
        let mut random = SplitMix::new(self.seed);
        let mut groups: BTreeMap<&str, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
        for shot in &self.shots {
            groups.entry(&shot.seed_group).or_insert_with(|| {
                let given = self.words.get(&shot.seed_group);
                let mut dense: Vec<u32> = (0..self.lanes).map(|_| random.next_u32()).collect();
                if let Some(given) = given {
                    dense.iter_mut().zip(given).for_each(|(word, given)| *word = *given);
                }
                let words = match self.knowledge {
                    Knowledge::OneSeed => self.lane_words(dense[0]),
                    _ => dense.clone(),
                };
                (dense, words)
            });
        }
        let mut ends: BTreeMap<&str, u64> = BTreeMap::new();
        let captures = self.shots.iter().map(|shot| {
            let (given, words) = &groups[&shot.seed_group[..]];
            let end = ends.entry(&shot.seed_group).or_default();
            let start = if shot.continues || self.faults.persists { *end } else { 0 };
            *end = start + shot.num_elements as u64;
            let streams = self.streams(words, shot, start);
            let written = if shot.continues && !self.faults.persists { start } else { 0 };
            self.capture(shot, given, written, streams, &mut random)
        });
        CaptureFile {
            device: format!("simulated {}", self.device.profile.name),
            lanes: self.lanes,
            captures: captures.collect(),
            capture_mode: match (self.knowledge, &self.faults.layout) {
                _ if self.shots.iter().all(|shot| shot.raw) => "raw_draws_unknown_seeds",
                (Knowledge::Words, Some(_)) => "chosen_seeds_layout_wrong",
                (Knowledge::Words, None) => "chosen_seeds",
                (Knowledge::OneSeed, _) => "single_seed",
                (Knowledge::Nothing, _) => "unknown_seeds",
            }
            .into(),
        }
    }

    /// Returns the words that one seed gives the lanes.
    fn lane_words(&self, seed: u32) -> Vec<u32> {
        let hash = |lane: usize| SplitMix::new(lane as u64 + 77).next_u32();
        let word = |lane| match (self.device.hashed_lanes, self.device.profile.seeding) {
            (true, _) => seed ^ hash(lane),
            (false, seeding) => Seeding::word(seeding, seed, lane),
        };
        (0..self.lanes).map(word).collect()
    }

    /// Returns what the compare sees, lane by lane, with the faults of lanes.
    fn streams(&self, words: &[u32], shot: &Shot, start: u64) -> Vec<Vec<u32>> {
        let slack: i64 = self.faults.slips.iter().map(|(_, _, gap)| (*gap).max(0)).sum();
        let len = shot.num_elements + slack as usize;
        let lane_streams = |words: &[u32]| -> Vec<Vec<u32>> {
            words
                .iter()
                .map(|&word| {
                    let mut stream = self.device.stream(word);
                    if let (Stream::Affine { state, .. }, Some(map)) =
                        (&mut stream, self.device.profile.draw_map())
                    {
                        *state = map.pow(start).apply(*state);
                    } else {
                        (0..start).for_each(|_| {
                            stream.draw();
                        });
                    }
                    (0..len).map(|_| self.output(stream.draw())).collect()
                })
                .collect()
        };
        let mut rows = match self.faults.sharing {
            None => lane_streams(words),
            Some(sharing) => {
                let mut stream = self.device.stream(words[0]);
                (0..start * self.lanes as u64).for_each(|_| {
                    stream.draw();
                });
                let one: Vec<u32> =
                    (0..len * self.lanes).map(|_| self.output(stream.draw())).collect();
                let at = |lane: usize, i: usize| match sharing {
                    Sharing::Interleaved => one[i * self.lanes + lane],
                    Sharing::Blocked => one[lane * len + i],
                };
                (0..self.lanes).map(|lane| (0..len).map(|i| at(lane, i)).collect()).collect()
            }
        };
        for &(from, to) in &self.faults.duplicates {
            rows[to] = rows[from].clone();
        }
        for (lane, row) in rows.iter_mut().enumerate() {
            let moved = |i: usize| {
                let gaps = self.faults.slips.iter().filter(|slip| slip.0 == lane && i >= slip.1);
                (i as i64 + gaps.map(|slip| slip.2).sum::<i64>()).max(0) as usize
            };
            *row = (0..shot.num_elements).map(|i| row[moved(i)]).collect();
        }
        rows
    }

    fn output(&self, draw: u32) -> u32 {
        self.device.output.as_ref().map_or(draw, |map| map.apply(draw))
    }

    fn capture(
        &self,
        shot: &Shot,
        given: &[u32],
        start_element: u64,
        mut streams: Vec<Vec<u32>>,
        random: &mut SplitMix,
    ) -> Capture {
        let profile = &self.device.profile;
        let threshold = |lane: usize| match shot.threshold_bits[..] {
            [one] => one,
            ref each => each[lane],
        };
        let mut kept: Vec<Vec<bool>> = streams
            .iter()
            .enumerate()
            .map(|(lane, row)| {
                let cut = Cut::new(
                    profile.uniform,
                    profile.compare,
                    shot.threshold_type,
                    f32::from_bits(threshold(lane)),
                );
                row.iter().map(|&draw| cut.keeps(draw)).collect()
            })
            .collect();
        for &(lane, bit) in &self.faults.stuck {
            kept[lane].fill(bit);
            streams[lane].fill(u32::from(bit));
        }
        if self.faults.flip_rate > 0.0 {
            for (draw, keep) in streams.iter_mut().flatten().zip(kept.iter_mut().flatten()) {
                if random.happens(self.faults.flip_rate) {
                    *keep = !*keep;
                    *draw = random.next_u32();
                }
            }
        }
        if let Some(layout) = self.faults.layout {
            streams = layout.disturb(&streams);
            kept = layout.disturb(&kept);
        }
        let masks = kept.iter().map(|row| BitRow::from_fn(row.len(), |i| row[i])).collect();
        Capture {
            id: shot.id.clone(),
            threshold_bits: shot.threshold_bits.clone(),
            threshold_type: shot.threshold_type,
            num_elements: shot.num_elements,
            start_element,
            seed_group: shot.seed_group.clone(),
            seeds: (self.knowledge == Knowledge::Words).then(|| given.to_vec()),
            seed: (self.knowledge == Knowledge::OneSeed).then(|| given[0]),
            masks: (!shot.raw).then_some(masks),
            draws: shot.raw.then_some(streams),
        }
    }
}

/// Returns a profile that is `base` with another recurrence.
pub fn with_recurrence(base: &Profile, name: &str, recurrence: Recurrence) -> Profile {
    Profile { name: name.into(), recurrence, ..base.clone() }
}
