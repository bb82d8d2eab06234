//! Warnings about what is legal but surely not meant.
//!
//! A lint never changes a result or an exit status. It speaks when it matters:
//! each threshold here is one below which nobody would act.

use crate::isa::operand::Fp32Text;

mod instruction;
mod run;

pub use instruction::instruction;
pub use run::{RunFacts, locked, next_drop_probability, realised_rate, run};

/// Something legal that is surely not meant.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Lint {
    /// Lanes whose registers never change.
    #[error(
        "{count} lane{} locked up, lane {lane} first: a draw takes {word:#010x} to itself, so \
         every element of the lane gets the same verdict", are(*.count)
    )]
    LockedLanes {
        /// How many lanes.
        count: usize,
        /// The first of them.
        lane: usize,
        /// The word of its first locked register.
        word: u32,
    },
    /// Xorwow lanes whose shift words are all zero.
    #[error(
        "{count} lane{} without randomness, lane {lane} first: the words x, y, z, w and v are all \
         zero and stay so, the draws only count up by 362437", are(*.count)
    )]
    ZeroXorwow {
        /// How many lanes.
        count: usize,
        /// The first of them.
        lane: usize,
    },
    /// Lanes that start alike and so drop alike.
    #[error(
        "{count} of {lanes} lanes start as an earlier one does (lane {second} as lane {first}), so \
         their rows get the same mask"
    )]
    RepeatedLanes {
        /// How many lanes repeat an earlier one.
        count: usize,
        /// How many lanes there are.
        lanes: usize,
        /// A lane.
        first: usize,
        /// The first lane that repeats it.
        second: usize,
    },
    /// More lanes than the seeding rule tells apart.
    #[error(
        "{lanes} lanes under seeding lane-shift24, which tells 256 apart: lane 256 starts as lane \
         0 does, and their rows get the same mask"
    )]
    ManyLanes {
        /// How many lanes there are.
        lanes: usize,
    },
    /// A seed of which the seeding rule uses a part.
    #[error(
        "seed {seed} has bits above the low 24, which seeding lane-shift24 leaves out: seed {same} \
         gives the same masks"
    )]
    SeedBits {
        /// The seed.
        seed: u32,
        /// Its low 24 bits.
        same: u32,
    },
    /// A rate that the conversion cannot express.
    #[error(
        "the effective drop rate is {effective}, the nominal one {nominal}: this conversion has no \
         closer one{}", more_lanes(*.lanes)
    )]
    EffectiveRate {
        /// The drop rate that was asked for.
        nominal: f64,
        /// The share of draws that are dropped.
        effective: f64,
        /// How many lanes it concerns.
        lanes: usize,
    },
    /// A run that dropped far more or less than its rate says.
    #[error(
        "{:.2} % of the elements were dropped, {:.2} % are to be expected: these lanes start from \
         words with few bits set, and their first draws are far from uniform",
        100.0 * .realised, 100.0 * .expected
    )]
    RealisedRate {
        /// The share of elements that were dropped.
        realised: f64,
        /// The effective rate.
        expected: f64,
    },
    /// A threshold in a record that is no rate.
    #[error(
        "the threshold is {}, no rate of 0 to 1: the instruction compares with it all the same",
        Fp32Text(*.bits)
    )]
    RateOutside {
        /// Its fp32 bits.
        bits: u32,
    },
    /// A source and a destination that share bytes and are not the same pattern.
    #[error(
        "src and dst share bytes among {low}..{high} of their partitions and are not the same \
         pattern, so an element may be overwritten before it is read"
    )]
    Overlap {
        /// First byte of a partition that both may touch.
        low: i64,
        /// Byte behind the last one.
        high: i64,
    },
    /// Draws that predict the next one.
    #[error(
        "after a dropped element, the {} of its row is dropped with probability {conditional:.2}, \
         not {rate:.2}: the register moves by few bits a draw", next(*.distance)
    )]
    SerialCorrelation {
        /// How many elements on the register serves again.
        distance: u8,
        /// The share of drops that a drop follows.
        conditional: f64,
        /// The share of drops.
        rate: f64,
    },
}

impl Lint {
    /// Returns the lint's stable name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::LockedLanes { .. } => "locked-lanes",
            Self::ZeroXorwow { .. } => "zero-xorwow",
            Self::RepeatedLanes { .. } => "repeated-lanes",
            Self::ManyLanes { .. } => "many-lanes",
            Self::SeedBits { .. } => "seed-bits",
            Self::EffectiveRate { .. } => "effective-rate",
            Self::RealisedRate { .. } => "realised-rate",
            Self::RateOutside { .. } => "rate-outside",
            Self::Overlap { .. } => "overlap",
            Self::SerialCorrelation { .. } => "serial-correlation",
        }
    }
}

fn are(count: usize) -> &'static str {
    if count == 1 { " is" } else { "s are" }
}

fn more_lanes(lanes: usize) -> String {
    if lanes > 1 { format!(" (first of {lanes} lanes)") } else { String::new() }
}

fn next(distance: u8) -> String {
    if distance == 1 { "next one".into() } else { format!("one {distance} places on") }
}
