//! Jump-ahead: as many steps at once as one likes, for every generator.

#![allow(clippy::unwrap_used, reason = "tests")]

use lanedrop::rng::{
    Direction, Feedback, Lanes, Pcg32, Philox4x32, Profile, Recurrence, Shift, Xorwow,
};
use proptest::prelude::*;

/// Every built-in profile, with one register and with four, with one step a
/// draw and with many.
fn profiles() -> Vec<Profile> {
    let galois = Recurrence::Galois {
        direction: Direction::Right,
        mask: 0xa300_0000,
        feedback: Feedback::Xnor,
    };
    let singular = Recurrence::Xorshift { shifts: vec![Shift::Left(1), Shift::Right(31)] };
    let trn1 = Profile::builtin("trn1").unwrap();
    let mut profiles = Profile::builtins();
    profiles.push(Profile { name: "galois".into(), recurrence: galois, ..trn1.clone() });
    profiles.push(Profile { name: "short".into(), recurrence: singular, ..trn1 });
    let more: Vec<_> = profiles
        .iter()
        .flat_map(|profile| {
            [(1, 4), (5, 1), (40, 4)].map(|(steps_per_draw, registers_per_lane)| Profile {
                steps_per_draw,
                registers_per_lane,
                ..profile.clone()
            })
        })
        .collect();
    profiles.extend(more);
    profiles
}

fn lanes_of(profile: &Profile) -> Lanes {
    let words: Vec<u32> =
        (1..=profile.words_per_lane() as u32 * 3).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
    Lanes::from_words(profile, &words, 3).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn a_jump_equals_as_many_draws(n in 0..1_000_000u64, lane in 0..3usize) {
        for profile in profiles() {
            let mut walked = lanes_of(&profile);
            let mut jumped = walked.clone();
            walked.fill(lane, &mut vec![0; n as usize]);
            jumped.advance(lane, n);
            prop_assert!(jumped == walked, "{n} draws of {}", profile.name);
        }
    }

    #[test]
    fn jumps_add(a in 0..1u64 << 62, b in 0..1u64 << 62) {
        for profile in profiles() {
            let mut twice = lanes_of(&profile);
            let mut once = twice.clone();
            twice.advance_all(a);
            twice.advance_all(b);
            once.advance_all(a + b);
            prop_assert!(once == twice, "{a} and {b} draws of {}", profile.name);
        }
    }

    #[test]
    fn the_lanes_jump_alone_as_together(n in 0..1u64 << 63) {
        for profile in profiles() {
            let mut together = lanes_of(&profile);
            let mut alone = together.clone();
            together.advance_all(n);
            (0..3).for_each(|lane| alone.advance(lane, n));
            prop_assert!(together == alone, "{n} draws of {}", profile.name);
        }
    }

    #[test]
    fn the_power_of_a_draw_is_what_draws_do(n in 0..1u64 << 63) {
        for profile in profiles().into_iter().filter(|profile| profile.registers_per_lane == 1) {
            let mut lanes = lanes_of(&profile);
            let Some(power) = lanes.draw_power(n) else { continue };
            prop_assert_eq!(power, profile.draw_map().unwrap().pow(n));
            let before = lanes.to_words();
            lanes.advance_all(n);
            let after: Vec<u32> = before.into_iter().map(|word| power.apply(word)).collect();
            prop_assert_eq!(lanes.to_words(), after);
        }
    }

    #[test]
    fn the_other_generators_jump_too(
        n in 0..1_000_000u64, a in 0..1u64 << 62, b in 0..1u64 << 62, seed: u64, words: [u32; 6],
    ) {
        let pcg32 = Pcg32::seeded(seed, 54);
        let xorwow = Xorwow { words };
        let philox = Philox4x32::new([words[0], words[1], words[2], words[3]], [words[4], words[5]]);

        let (mut walked, mut jumped) = (pcg32, pcg32);
        (0..n).for_each(|_| _ = walked.next_u32());
        jumped.advance(n);
        prop_assert_eq!(jumped, walked);
        let (mut walked, mut jumped) = (xorwow, xorwow);
        (0..n).for_each(|_| _ = walked.next_u32());
        jumped.advance(n);
        prop_assert_eq!(jumped, walked);
        let (mut walked, mut jumped) = (philox, philox);
        (0..n % 10_000).for_each(|_| _ = walked.next_u32());
        jumped.advance(u128::from(n % 10_000));
        prop_assert_eq!(jumped, walked);

        let (mut twice, mut once) = (pcg32, pcg32);
        [a, b].into_iter().for_each(|n| twice.advance(n));
        once.advance(a + b);
        prop_assert_eq!(once, twice);
        let (mut twice, mut once) = (xorwow, xorwow);
        [a, b].into_iter().for_each(|n| twice.advance(n));
        once.advance(a + b);
        prop_assert_eq!(once, twice);
        let (mut twice, mut once) = (philox, philox);
        [a, b].into_iter().for_each(|n| twice.advance(n.into()));
        once.advance(u128::from(a) + u128::from(b));
        prop_assert_eq!(once, twice);
    }
}

#[test]
fn a_stream_may_be_drawn_in_any_pieces() {
    for profile in profiles() {
        let mut whole = lanes_of(&profile);
        let mut pieces = whole.clone();
        let mut draws = vec![0; 200];
        whole.fill(1, &mut draws);
        let mut pieced = Vec::new();
        for length in [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 108] {
            let mut piece = vec![0; length];
            pieces.fill(1, &mut piece);
            pieced.extend(piece);
        }
        assert_eq!(pieced, draws, "{}", profile.name);
        assert_eq!(pieces, whole, "{}", profile.name);
    }
}
