//! The generators behind `draw`, with the state of their lanes.

use anyhow::{Context, Result, bail, ensure};
use lanedrop::lint;
use lanedrop::rng::{DrawOrder, Lanes, Pcg32, Philox4x32, Profile, Recurrence};

use super::Algorithm;
use crate::state::{self, Shape, StateArgs};

/// What a PCG32 state file holds: low and high half a lane.
const PCG32: Shape = Shape::LanesBy(2);
/// What a Philox state file holds: counter and key.
const PHILOX: Shape = Shape::Words(6);

/// A generator with the state of its lanes.
pub(super) enum Generator {
    /// Lanes that draw by a profile.
    Lanes(Lanes),
    Pcg32(Vec<Pcg32>),
    /// One state for all lanes: draw `k` of lane `l` is word `k * lanes + l`.
    Philox {
        start: Philox4x32,
        lanes: usize,
    },
}

impl Generator {
    /// Returns the generator in its first state, and remarks on it.
    pub(super) fn start(
        algorithm: Algorithm,
        profile: &Profile,
        args: &StateArgs,
    ) -> Result<(Self, Vec<String>)> {
        if args.seed.is_some() && algorithm != Algorithm::Lfsr {
            bail!(
                "--seed is for lfsr alone: no rule makes the words of {} from one seed; \
                 give them by --state",
                algorithm.as_str()
            );
        }
        let state = || {
            args.state.as_deref().with_context(|| {
                let shape = if algorithm == Algorithm::Pcg32 { PCG32 } else { PHILOX };
                format!(
                    "{} has no state to start from; give one by --state FILE (.npy, uint32 {shape})",
                    algorithm.as_str()
                )
            })
        };
        Ok(match algorithm {
            Algorithm::Lfsr => by_profile(profile, args)?,
            Algorithm::Xorwow if profile.recurrence == Recurrence::Xorwow => {
                by_profile(profile, args)?
            }
            Algorithm::Xorwow => by_profile(&plain_xorwow(profile), args)?,
            Algorithm::Pcg32 => {
                let path = state()?;
                let words = state::read(path, PCG32)?;
                args.rows(path, words.len() / 2)?;
                ensure!(!words.is_empty(), "{}: has no rows", path.display());
                let lanes = words.as_chunks::<2>().0.iter().map(|[low, high]| Pcg32 {
                    state: u64::from(*high) << 32 | u64::from(*low),
                    increment: Pcg32::INCREMENT,
                });
                (Self::Pcg32(lanes.collect()), Vec::new())
            }
            Algorithm::Philox => {
                let path = state()?;
                let words = state::read(path, PHILOX)?;
                let [a, b, c, d, key0, key1] = words[..] else {
                    bail!("{}: has {} words, expected 6", path.display(), words.len());
                };
                let lanes = args.lanes.unwrap_or(1);
                ensure!(lanes > 0, "lanes is 0, expected at least 1");
                let start = Philox4x32::new([a, b, c, d], [key0, key1]);
                (Self::Philox { start, lanes }, Vec::new())
            }
        })
    }

    pub(super) fn lanes(&self) -> usize {
        match self {
            Self::Lanes(lanes) => lanes.lanes(),
            Self::Pcg32(lanes) => lanes.len(),
            Self::Philox { lanes, .. } => *lanes,
        }
    }

    /// Goes on by `n` draws of every lane.
    pub(super) fn skip(&mut self, n: u64) {
        match self {
            Self::Lanes(lanes) => lanes.advance_all(n),
            Self::Pcg32(lanes) => lanes.iter_mut().for_each(|lane| lane.advance(n)),
            // Its draws are found by their number.
            Self::Philox { .. } => {}
        }
    }

    /// Fills `draws` with the next draws of `lane`, the first of which is its
    /// draw `at`.
    pub(super) fn fill(&mut self, lane: usize, at: u64, draws: &mut [u32]) {
        match self {
            Self::Lanes(lanes) => lanes.fill(lane, draws),
            Self::Pcg32(lanes) => {
                draws.iter_mut().for_each(|draw| *draw = lanes[lane].next_u32());
            }
            Self::Philox { start, lanes } => {
                for (k, draw) in (u128::from(at)..).zip(draws) {
                    *draw = start.peek(k * *lanes as u128 + lane as u128);
                }
            }
        }
    }

    /// Refuses to save a state that its file cannot hold.
    pub(super) fn check_saved_at(&self, draws: u64) -> Result<()> {
        if let Self::Philox { lanes, .. } = self {
            let words = u128::from(draws) * *lanes as u128;
            ensure!(
                words.is_multiple_of(4),
                "--save-state: {words} words of Philox are drawn, expected a multiple of 4, as a \
                 state begins with a block of four"
            );
        }
        Ok(())
    }

    /// Writes the state after `draws` draws of every lane where one was asked
    /// for.
    pub(super) fn save(&self, draws: u64, args: &StateArgs) -> Result<()> {
        let Some(path) = &args.save_state else { return Ok(()) };
        match self {
            Self::Lanes(lanes) => args.save(lanes),
            Self::Pcg32(lanes) => {
                let words: Vec<u32> = lanes
                    .iter()
                    .flat_map(|lane| [lane.state as u32, (lane.state >> 32) as u32])
                    .collect();
                state::write(path, PCG32, &words)
            }
            Self::Philox { start, lanes } => {
                let mut end = *start;
                end.advance(u128::from(draws) * *lanes as u128);
                let words: Vec<u32> = end.counter().into_iter().chain(end.key()).collect();
                state::write(path, PHILOX, &words)
            }
        }
    }
}

fn by_profile(profile: &Profile, args: &StateArgs) -> Result<(Generator, Vec<String>)> {
    let (lanes, remark) = args.start(profile, 1)?;
    let locked = lint::locked(&lanes, lanes.lanes()).map(|lint| lint.to_string());
    let remarks = remark.into_iter().chain(locked).collect();
    Ok((Generator::Lanes(lanes), remarks))
}

/// Returns xorwow as published: one register a lane, one step a draw, the
/// output after it; only the conversion is `profile`'s.
fn plain_xorwow(profile: &Profile) -> Profile {
    Profile {
        name: "xorwow".into(),
        recurrence: Recurrence::Xorwow,
        steps_per_draw: 1,
        draw: DrawOrder::After,
        registers_per_lane: 1,
        ..profile.clone()
    }
}
