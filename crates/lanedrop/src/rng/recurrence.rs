//! What one step does to a register.

use std::fmt;

use crate::gf2::Affine32;

/// The end of the register that bits leave by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Towards bit 31: `x << 1`.
    Left,
    /// Towards bit 0: `x >> 1`.
    Right,
}

/// Whether feedback bits go in as they are or inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feedback {
    /// As they are; the state of all zeros stays where it is.
    Xor,
    /// Inverted; for a Fibonacci register with an even number of taps the
    /// state of all ones stays where it is.
    Xnor,
}

/// One stage of an xorshift: the state is xored with itself shifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shift {
    /// `x ^= x << n`, `n` in 1..=31.
    Left(u8),
    /// `x ^= x >> n`, `n` in 1..=31.
    Right(u8),
}

/// What one step does to a register.
///
/// All but [`Recurrence::Xorwow`] hold 32 bits and are affine over GF(2).
/// A tap `t` is bit `t - 1` of a mask.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Recurrence {
    /// The register moves by one and the parity of the masked bits goes in.
    Fibonacci {
        /// Where the register moves to; the new bit goes in at the other end.
        direction: Direction,
        /// The bits whose parity is fed back.
        mask: u32,
        /// Whether the parity is inverted.
        feedback: Feedback,
    },
    /// The register moves by one and the bit that falls out decides whether
    /// the mask is xored in.
    Galois {
        /// Where the register moves to.
        direction: Direction,
        /// What is xored in.
        mask: u32,
        /// Under `Xor` the mask goes in when a 1 fell out, else when a 0 did.
        feedback: Feedback,
    },
    /// The state is xored with shifts of itself, in this order.
    Xorshift {
        /// The stages, the first one first.
        shifts: Vec<Shift>,
    },
    /// Any affine map.
    Matrix(Affine32),
    /// Marsaglia's xorwow, six words: see [`Xorwow`](super::Xorwow).
    Xorwow,
}

impl Recurrence {
    /// Returns the state one step after `state`, by the plain definition.
    ///
    /// `None` for [`Recurrence::Xorwow`], whose state is six words and not one.
    ///
    /// ```
    /// # use lanedrop::rng::{Recurrence, Shift};
    /// let xorshift = Recurrence::Xorshift {
    ///     shifts: vec![Shift::Left(13), Shift::Right(17), Shift::Left(5)],
    /// };
    /// assert_eq!(xorshift.step(1), Some(0x0004_2021));
    /// ```
    pub fn step(&self, state: u32) -> Option<u32> {
        Some(match self {
            Self::Fibonacci { direction, mask, feedback } => {
                let parity = (state & mask).count_ones() & 1;
                let bit = parity ^ u32::from(*feedback == Feedback::Xnor);
                match direction {
                    Direction::Left => state << 1 | bit,
                    Direction::Right => state >> 1 | bit << 31,
                }
            }
            Self::Galois { direction, mask, feedback } => {
                let (out, moved) = match direction {
                    Direction::Left => (state >> 31, state << 1),
                    Direction::Right => (state & 1, state >> 1),
                };
                let goes_in = (out == 1) == (*feedback == Feedback::Xor);
                if goes_in { moved ^ mask } else { moved }
            }
            Self::Xorshift { shifts } => shifts.iter().fold(state, |x, shift| match *shift {
                // A distance of 32 or more shifts everything out.
                Shift::Left(n) => x ^ x.checked_shl(n.into()).unwrap_or(0),
                Shift::Right(n) => x ^ x.checked_shr(n.into()).unwrap_or(0),
            }),
            Self::Matrix(map) => map.apply(state),
            Self::Xorwow => return None,
        })
    }

    /// Returns one step as a map, or `None` for [`Recurrence::Xorwow`], which
    /// adds modulo 2^32 and so is not affine over GF(2).
    pub fn step_map(&self) -> Option<Affine32> {
        if let Self::Matrix(map) = self {
            return Some(*map);
        }
        self.step(0)?;
        // The state is never absent here: `step` is `None` for all or none.
        Some(Affine32::of(|state| self.step(state).unwrap_or(0)))
    }

    /// Returns how many words one register holds: 6 for xorwow, else 1.
    pub fn words_per_register(&self) -> usize {
        if *self == Self::Xorwow { 6 } else { 1 }
    }

    /// Returns the recurrence's kind as a profile file spells it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Fibonacci { .. } => "fibonacci",
            Self::Galois { .. } => "galois",
            Self::Xorshift { .. } => "xorshift",
            Self::Matrix(_) => "matrix",
            Self::Xorwow => "xorwow",
        }
    }
}

impl Direction {
    /// Returns the direction as a profile file spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

impl Feedback {
    /// Returns the feedback as a profile file spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Xor => "xor",
            Self::Xnor => "xnor",
        }
    }
}

impl fmt::Display for Shift {
    /// Writes the shift as a profile file spells it, `L13`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Left(n) => write!(f, "L{n}"),
            Self::Right(n) => write!(f, "R{n}"),
        }
    }
}

impl fmt::Display for Recurrence {
    /// Writes the recurrence in a few words: `fibonacci left 32,22,2,1 xnor`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match self {
            Self::Fibonacci { direction, mask, feedback } => {
                let taps: Vec<_> = taps(*mask).map(|tap| tap.to_string()).collect();
                let taps = if taps.is_empty() { "without taps".into() } else { taps.join(",") };
                write!(f, " {} {taps} {}", direction.as_str(), feedback.as_str())
            }
            Self::Galois { direction, mask, feedback } => {
                write!(f, " {} {mask:#010x} {}", direction.as_str(), feedback.as_str())
            }
            Self::Xorshift { shifts } => shifts.iter().try_for_each(|shift| write!(f, " {shift}")),
            Self::Matrix(_) | Self::Xorwow => Ok(()),
        }
    }
}

/// Returns the taps of a mask, the highest first: tap `t` is bit `t - 1`.
pub(super) fn taps(mask: u32) -> impl Iterator<Item = u32> {
    (1..=32).rev().filter(move |tap| mask >> (tap - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn galois(direction: Direction, mask: u32, feedback: Feedback) -> Recurrence {
        Recurrence::Galois { direction, mask, feedback }
    }

    #[test]
    fn a_galois_register_xors_the_mask_in_when_a_one_falls_out() {
        let right = galois(Direction::Right, 0xa300_0000, Feedback::Xor);
        assert_eq!(right.step(0b10), Some(1));
        assert_eq!(right.step(0b11), Some(0xa300_0001));
        let left = galois(Direction::Left, 0xc5, Feedback::Xor);
        assert_eq!(left.step(1), Some(2));
        assert_eq!(left.step(0x8000_0001), Some(2 ^ 0xc5));
    }

    #[test]
    fn an_inverted_galois_register_xors_the_mask_in_when_a_zero_falls_out() {
        let right = galois(Direction::Right, 0xa300_0000, Feedback::Xnor);
        assert_eq!(right.step(0b10), Some(0xa300_0001));
        assert_eq!(right.step(0b11), Some(1));
        let left = galois(Direction::Left, 0xc5, Feedback::Xnor);
        assert_eq!(left.step(1), Some(2 ^ 0xc5));
        assert_eq!(left.step(0x8000_0001), Some(2));
    }

    #[test]
    fn a_fibonacci_register_takes_the_parity_in_at_the_far_end() {
        let of =
            |direction, feedback| Recurrence::Fibonacci { direction, mask: 0x8020_0003, feedback };
        assert_eq!(of(Direction::Left, Feedback::Xor).step(1), Some(3));
        assert_eq!(of(Direction::Left, Feedback::Xnor).step(1), Some(2));
        assert_eq!(of(Direction::Left, Feedback::Xnor).step(0), Some(1));
        assert_eq!(of(Direction::Right, Feedback::Xor).step(2), Some(0x8000_0001));
        assert_eq!(of(Direction::Right, Feedback::Xnor).step(3), Some(0x8000_0001));
    }

    #[test]
    fn a_shift_of_the_whole_register_shifts_everything_out() {
        let odd = Recurrence::Xorshift { shifts: vec![Shift::Left(32), Shift::Right(200)] };
        assert_eq!(odd.step(0x1234_5678), Some(0x1234_5678));
    }

    #[test]
    fn every_map_does_what_its_step_does() {
        let mut state = 1u32;
        let mut states = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state
        };
        for direction in [Direction::Left, Direction::Right] {
            for feedback in [Feedback::Xor, Feedback::Xnor] {
                for mask in [0, 1, 0x8000_0000, 0x8020_0003, states()] {
                    for recurrence in [
                        Recurrence::Fibonacci { direction, mask, feedback },
                        galois(direction, mask, feedback),
                    ] {
                        let map = recurrence.step_map().unwrap();
                        for _ in 0..50 {
                            let x = states();
                            assert_eq!(Some(map.apply(x)), recurrence.step(x), "{recurrence:?}");
                        }
                    }
                }
            }
        }
    }
}
