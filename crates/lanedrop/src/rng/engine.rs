//! What moves a register on by draws, with its tables.

use std::sync::OnceLock;

use super::xorwow_jump::{XorwowJump, XorwowTable};
use super::{DrawOrder, Profile, Xorwow};
use crate::gf2::{Affine32, ByteMap, Jump};

/// The steps of one draw, ready to be taken often.
#[derive(Debug)]
pub(super) enum Engine {
    /// Registers of one word.
    Affine(AffineEngine),
    /// Registers of six words.
    Xorwow(XorwowEngine),
}

#[derive(Debug)]
pub(super) struct AffineEngine {
    /// One draw.
    map: Affine32,
    table: Box<ByteMap>,
    /// Filled by the first jump.
    jump: OnceLock<Jump>,
    before: bool,
}

#[derive(Debug)]
pub(super) struct XorwowEngine {
    steps: u32,
    /// Filled by the first draws where the steps are many.
    table: OnceLock<Box<XorwowTable>>,
    before: bool,
}

/// From how many xorwow steps a draw on the tables are quicker than walking.
const MANY_STEPS: u32 = 14;

impl Engine {
    pub(super) fn new(profile: &Profile) -> Self {
        let before = profile.draw == DrawOrder::Before;
        match profile.draw_map() {
            Some(map) => {
                let table = Box::new(ByteMap::new(&map));
                Self::Affine(AffineEngine { map, table, jump: OnceLock::new(), before })
            }
            None => Self::Xorwow(XorwowEngine {
                steps: profile.steps_per_draw,
                table: OnceLock::new(),
                before,
            }),
        }
    }

    /// Fills `draws` from the registers in turn and leaves them so that the
    /// one that serves next is first.
    pub(super) fn fill(&self, registers: &mut [u32], draws: &mut [u32]) {
        match self {
            Self::Affine(engine) => engine.fill(registers.as_chunks_mut().0, draws),
            Self::Xorwow(engine) => engine.fill(registers.as_chunks_mut().0, draws),
        }
    }

    /// Returns what moves a register on by `n` draws of its own.
    pub(super) fn leap(&self, n: u64) -> Leap {
        match self {
            Self::Affine(engine) => Leap::Affine(engine.power(n)),
            Self::Xorwow(engine) => {
                Leap::Xorwow(XorwowJump::new(u128::from(n) * u128::from(engine.steps)))
            }
        }
    }
}

impl AffineEngine {
    fn fill(&self, registers: &mut [[u32; 1]], draws: &mut [u32]) {
        if self.before {
            serve(registers, draws, |[word]| std::mem::replace(word, self.table.apply(*word)));
        } else {
            serve(registers, draws, |[word]| {
                *word = self.table.apply(*word);
                *word
            });
        }
    }

    /// Returns what `n` draws do to a register.
    fn power(&self, n: u64) -> Affine32 {
        match n {
            0 => Affine32::IDENTITY,
            1 => self.map,
            _ => self.jump.get_or_init(|| Jump::new(&self.map)).to(n),
        }
    }
}

impl XorwowEngine {
    fn fill(&self, registers: &mut [[u32; 6]], draws: &mut [u32]) {
        let Some(table) = self.table() else {
            return self.fill_by(registers, draws, |register| {
                (0..self.steps).for_each(|_| register.step());
            });
        };
        self.fill_by(registers, draws, |register| table.apply(register));
    }

    fn table(&self) -> Option<&XorwowTable> {
        (self.steps >= MANY_STEPS)
            .then(|| &**self.table.get_or_init(|| Box::new(XorwowTable::new(self.steps))))
    }

    fn fill_by(
        &self,
        registers: &mut [[u32; 6]],
        draws: &mut [u32],
        take_steps: impl Fn(&mut Xorwow),
    ) {
        serve(registers, draws, |words| {
            let mut register = Xorwow { words: *words };
            let old = register.output();
            take_steps(&mut register);
            *words = register.words;
            if self.before { old } else { register.output() }
        });
    }
}

/// Fills `draws` from the registers in turn and leaves them so that the one
/// that serves next is first.
fn serve<const WORDS: usize>(
    registers: &mut [[u32; WORDS]],
    draws: &mut [u32],
    mut draw: impl FnMut(&mut [u32; WORDS]) -> u32,
) {
    match registers {
        [] => {}
        [register] => {
            // A local copy stays in machine registers over the whole loop.
            let mut state = *register;
            draws.iter_mut().for_each(|slot| *slot = draw(&mut state));
            *register = state;
        }
        _ => {
            for turn in draws.chunks_mut(registers.len()) {
                for (slot, register) in turn.iter_mut().zip(registers.iter_mut()) {
                    *slot = draw(register);
                }
            }
            registers.rotate_left(draws.len() % registers.len());
        }
    }
}

/// A number of draws of one register, to be taken at once.
pub(super) enum Leap {
    Affine(Affine32),
    Xorwow(XorwowJump),
}

impl Leap {
    /// Moves on each register of `words`.
    pub(super) fn apply(&self, words: &mut [u32]) {
        match self {
            Self::Affine(map) => words.iter_mut().for_each(|word| *word = map.apply(*word)),
            Self::Xorwow(jump) => {
                for words in words.as_chunks_mut::<6>().0 {
                    *words = jump.apply(Xorwow { words: *words }).words;
                }
            }
        }
    }
}
