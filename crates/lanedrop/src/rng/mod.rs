//! Generators, profiles, seeding, uniform conversion and comparison.
//!
//! What a device's generator is, the evidence leaves open; a [`Profile`] says
//! one way it could be, and [`Lanes`] is the state of a device under a profile.
//! [`Xorwow`], [`Pcg32`] and [`Philox4x32`] are the other generators that the
//! hardware's headers name. From a draw to a kept element it is two rules: the
//! [`Uniform`] conversion and the [`Compare`] with the threshold, which a
//! [`Cut`] folds into one comparison of integers.

mod compare;
mod cut;
mod engine;
mod field;
mod lanes;
mod pcg32;
mod philox;
mod profile;
mod recurrence;
mod seeding;
mod uniform;
mod xorwow;
mod xorwow_jump;

pub use compare::{Compare, keeps};
pub use cut::Cut;
pub use field::Field;
pub use lanes::{Lanes, LanesError};
pub use pcg32::Pcg32;
pub use philox::Philox4x32;
pub use profile::{DrawOrder, Fp8Exp4, Ground, Profile, ProfileError};
pub use recurrence::{Direction, Feedback, Recurrence, Shift};
pub use seeding::Seeding;
pub use uniform::Uniform;
pub use xorwow::Xorwow;
