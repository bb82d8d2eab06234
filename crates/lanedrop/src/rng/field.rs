//! The fields of a profile, by name.

/// A field of a [`Profile`](super::Profile) that evidence may or may not
/// settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// What one step does to a register.
    Recurrence,
    /// How many steps make one draw.
    StepsPerDraw,
    /// Whether the draw is the state before or after the steps.
    Draw,
    /// How many registers a lane has.
    RegistersPerLane,
    /// How a draw becomes a number.
    Uniform,
    /// How the number is compared with the threshold.
    Compare,
    /// How a seed becomes lane words.
    Seeding,
}

impl Field {
    /// Every field, in the order of the model: from state to mask.
    pub const ALL: [Self; 7] = [
        Self::Recurrence,
        Self::StepsPerDraw,
        Self::Draw,
        Self::RegistersPerLane,
        Self::Uniform,
        Self::Compare,
        Self::Seeding,
    ];

    /// Returns the field's key in a profile file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Recurrence => "recurrence",
            Self::StepsPerDraw => "steps_per_draw",
            Self::Draw => "draw",
            Self::RegistersPerLane => "registers_per_lane",
            Self::Uniform => "uniform",
            Self::Compare => "compare",
            Self::Seeding => "seeding",
        }
    }
}
