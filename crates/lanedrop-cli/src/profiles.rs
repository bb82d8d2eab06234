//! Profiles by name or file.

use std::path::Path;

use anyhow::{Context, Result, bail};
use lanedrop::rng::{Field, Profile};

/// Returns the profile that `--profile NAME|FILE` names: a built-in one, or
/// that of a TOML file.
pub(crate) fn load(name_or_file: &str) -> Result<Profile> {
    if let Some(profile) = Profile::builtin(name_or_file) {
        return Ok(profile);
    }
    let path = Path::new(name_or_file);
    if !path.exists() {
        let names: Vec<_> = Profile::builtins().into_iter().map(|profile| profile.name).collect();
        bail!(
            "profile {name_or_file}: no such file, and the built-in ones are {}",
            names.join(", ")
        );
    }
    let text = std::fs::read_to_string(path).with_context(|| name_or_file.to_owned())?;
    Profile::from_toml(&text).with_context(|| name_or_file.to_owned())
}

/// Returns the names of the fields that are assumptions.
pub(crate) fn assumed(profile: &Profile) -> Vec<&'static str> {
    profile.assumptions().into_iter().map(|(field, _)| field.as_str()).collect()
}

/// Returns a remark where a profile has a built-in one's name and is another.
pub(crate) fn impostor(profile: &Profile) -> Option<String> {
    let builtin = Profile::builtin(&profile.name)?;
    let differing: Vec<_> = Field::ALL
        .into_iter()
        .filter(|&field| !profile.agrees(&builtin, field))
        .map(Field::as_str)
        .collect();
    (!differing.is_empty()).then(|| {
        format!(
            "this profile is named {} but differs from the built-in one in {}",
            profile.name,
            differing.join(", ")
        )
    })
}
