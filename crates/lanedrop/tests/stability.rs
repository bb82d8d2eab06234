//! Draws that users may rely on from release to release.
//!
//! Changing one is allowed, and the changelog then says "changes values".

#![allow(clippy::unwrap_used, reason = "tests")]

use lanedrop::rng::{Lanes, Profile, Xorwow};

/// Draws 0 to 3 of lanes 0, 1 and 127, from seed 42 or from distinct words.
type Pin = (&'static str, [[u32; 4]; 3], [u32; 3]);

/// The last column is the draw after 2^40 others. From vectors/plain_rng.py.
const PINS: [Pin; 5] = [
    (
        "trn1",
        [
            [0x0000_0054, 0x0000_00a9, 0x0000_0152, 0x0000_02a4],
            [0x0200_0054, 0x0400_00a9, 0x0800_0152, 0x1000_02a4],
            [0xfe00_0054, 0xfc00_00a8, 0xf800_0150, 0xf000_02a0],
        ],
        [0x6a1d_8bb8, 0xc69f_8043, 0x3160_d9af],
    ),
    (
        "trn3",
        [
            [0x0eb7_0507, 0x0eb7_0507, 0x0eb7_0507, 0x0eb7_0507],
            [0x0eb7_050a, 0x0eb7_050a, 0x0eb7_050a, 0x0eb7_050a],
            [0x0eb7_0628, 0x0eb7_0628, 0x0eb7_0628, 0x0eb7_0628],
        ],
        [0x0126_609c, 0x8d41_de0e, 0xf770_948d],
    ),
    (
        "simulator",
        [
            [0x0000_0055, 0x0000_00ab, 0x0000_0156, 0x0000_02ad],
            [0x0200_0055, 0x0400_00ab, 0x0800_0156, 0x1000_02ad],
            [0xfe00_0055, 0xfc00_00aa, 0xf800_0154, 0xf000_02a9],
        ],
        [0xebe4_dd3a, 0x4766_d6c1, 0xb099_8f2d],
    ),
    (
        "xorshift",
        [
            [0x00ad_4528, 0xa90a_34ac, 0x1c67_af03, 0xd970_c3c0],
            [0x21ad_55a8, 0xe81a_14a4, 0xfb56_fd83, 0xb837_71f0],
            [0x9faa_8aa8, 0x1102_5737, 0x2777_c265, 0x385a_b2f8],
        ],
        [0x1d07_0aed, 0xbadf_44c0, 0x868c_96c2],
    ),
    (
        "tenstorrent",
        [
            [0x0000_002a, 0x0000_0015, 0x0000_000a, 0x0000_0005],
            [0x0100_002a, 0x0080_0015, 0x0040_000a, 0x0020_0005],
            [0x7f00_002a, 0x3f80_0015, 0x1fc0_000a, 0x0fe0_0005],
        ],
        [0x6bea_be38, 0x71dd_af39, 0x9480_3143],
    ),
];

fn start(profile: &Profile) -> Lanes {
    if profile.words_per_lane() == 1 {
        return Lanes::seeded(profile, 42, 128).unwrap();
    }
    // Lane l starts from the firmware's words, l added to x.
    let words: Vec<u32> = (0..128u32)
        .flat_map(|lane| {
            let mut words = Xorwow::FIRMWARE_DEFAULT.words;
            words[0] += lane;
            words.repeat(4)
        })
        .collect();
    Lanes::from_words(profile, &words, 128).unwrap()
}

#[test]
fn every_built_in_profile_draws_what_it_drew() {
    let names: Vec<_> = Profile::builtins().into_iter().map(|profile| profile.name).collect();
    assert_eq!(names, PINS.map(|(name, ..)| name));
    for (name, first, far) in PINS {
        let profile = Profile::builtin(name).unwrap();
        for (i, lane) in [0, 1, 127].into_iter().enumerate() {
            let mut lanes = start(&profile);
            let mut draws = [0; 4];
            lanes.fill(lane, &mut draws);
            assert_eq!(draws, first[i], "{name}, lane {lane}");
            let mut lanes = start(&profile);
            lanes.advance(lane, 1 << 40);
            assert_eq!(lanes.draw(lane), far[i], "{name}, lane {lane}, draw 2^40");
        }
    }
}
