//! What the 64 bytes are: layout, enumerations, geometry, generations.

mod threshold_type;

pub use threshold_type::ThresholdType;
