//! Generators, profiles, seeding, uniform conversion and comparison.
