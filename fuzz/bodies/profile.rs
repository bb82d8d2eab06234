//! What holds for every text given as a profile.

use lanedrop::rng::{Lanes, Profile};

/// Any text is refused with the line at fault, or it is a profile that comes
/// back from its own TOML, has a standing for every field and draws.
pub(crate) fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let profile = match Profile::from_toml(text) {
        Ok(profile) => profile,
        Err(error) => {
            assert!(error.line() <= text.lines().count().max(1) + 1, "{error}");
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert_eq!(Profile::from_toml(&profile.to_toml()), Ok(profile.clone()));
    assert_eq!(Profile::from_toml(&profile.to_annotated_toml()), Ok(profile.clone()));
    assert!(profile.assumptions().len() + profile.evidence.len() == 7);
    let words = vec![0x1234_5678; profile.words_per_lane()];
    let mut lanes = Lanes::from_words(&profile, &words, 1).expect("the profile was checked");
    let mut jumped = lanes.clone();
    lanes.fill(0, &mut [0; 5]);
    jumped.advance(0, 5);
    assert_eq!(lanes, jumped);
}
