//! The instruction that would tell rival models apart.

use super::NextCapture;
use super::replay::{Drawer, Model};
use super::seen::Seen;
use super::transition::pull_back;
use crate::gf2::Affine32;
use crate::rng::Uniform;

/// A model, with the words that it gives the lanes of each capture.
pub(super) struct Rival<'a> {
    pub(super) model: Model,
    pub(super) uniform: Uniform,
    pub(super) seen: &'a [Seen],
}

/// The most rivals that are held against the first.
const MOST_RIVALS: usize = 12;

/// Elements a lane of the instruction that is designed.
const ELEMENTS: usize = 256;

/// Where a conversion looks: the functional of the deciding bit of a draw (its
/// constant in bit 32), and that bit's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct View {
    pub(super) functional: u64,
    pub(super) top: u32,
}

/// Returns whether two maps, matched by the stream of the deciding bit, show
/// the same bits in all that their conversions see: 23 from there down.
pub(super) fn visible_rows_agree(a: (&Affine32, View), b: (&Affine32, View)) -> bool {
    // Each bit of a draw of `a` is a sum of its deciding bits of 33 draws;
    // with the states matched the same sum must give that bit for `b`.
    let rows = |(map, view): (&Affine32, View)| {
        std::iter::successors(Some(view.functional), |&row| Some(pull_back(row, map)))
            .take(33)
            .collect::<Vec<u64>>()
    };
    let (of_a, of_b) = (rows(a), rows(b));
    let mut sums = crate::gf2::Pairs::new();
    for (n, row) in of_a.iter().enumerate() {
        sums.insert(*row, 1 << n);
    }
    let combine = |sum: u64| (0..33).filter(|n| sum >> n & 1 == 1).fold(0, |row, n| row ^ of_b[n]);
    (0..23).all(|down| {
        // The bit, or its inverse where a constant stands in the way.
        [0, 1u64 << 32].into_iter().any(|constant| {
            let (own, other) = (1u64 << (a.1.top - down), 1u64 << (b.1.top - down));
            sums.image(own | constant).is_some_and(|sum| combine(sum) == other | constant)
        })
    })
}

/// Returns the instruction for which most mask bits would differ between the
/// first rival and the others, continuing the streams where they are known.
pub(super) fn best_split(rivals: &[Rival]) -> Option<NextCapture> {
    let first = rivals.first()?;
    let (index, base) = first
        .seen
        .iter()
        .enumerate()
        .filter(|(_, capture)| capture.words.is_some())
        .max_by_key(|(_, capture)| capture.start + capture.elements as u64)?;
    let start = base.start + base.elements as u64;
    let draws = |rival: &Rival| -> Option<Vec<f32>> {
        let words = rival.seen.get(index)?.words.as_ref()?;
        let drawer = Drawer::new(&rival.model, start);
        let lanes = words.iter().flat_map(|&word| drawer.draws(rival.model.word(word), ELEMENTS));
        Some(lanes.map(|draw| rival.uniform.of(draw)).collect())
    };
    let own = draws(first)?;
    let mut edges: Vec<(f32, i32)> = Vec::new();
    for rival in rivals.iter().skip(1).take(MOST_RIVALS) {
        for (a, b) in own.iter().zip(&draws(rival)?) {
            if a != b {
                // Thresholds in (min, max] decide this element differently.
                edges.push((a.min(*b), 1));
                edges.push((a.max(*b), -1));
            }
        }
    }
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut depth, mut best) = (0i32, (0i32, 0f32));
    let mut i = 0;
    while i < edges.len() {
        let at = edges[i].0;
        while i < edges.len() && edges[i].0 == at {
            depth += edges[i].1;
            i += 1;
        }
        if depth > best.0 {
            // Just above `at`, below the next edge.
            best = (depth, f32::from_bits(at.to_bits() + 1));
        }
    }
    (best.0 > 0).then(|| NextCapture {
        purpose: "the threshold at which the hypotheses differ in most elements".into(),
        threshold_bits: Some(format!("{:08x}", best.1.to_bits())),
        threshold_type: "DROP_RATE".into(),
        num_elements: ELEMENTS,
        start_element: start,
        seed_group: Some(base.group.clone()),
        splits: Some(best.0 as u64),
    })
}

#[cfg(test)]
mod tests {
    use super::super::parse_generator;
    use super::*;

    fn agree(a: &str, b: &str) -> bool {
        let map = |name: &str| parse_generator(name).unwrap().step_map().unwrap();
        let view = View { functional: 1 << 31, top: 31 };
        visible_rows_agree((&map(a), view), (&map(b), view))
    }

    #[test]
    fn a_low_tap_is_never_seen() {
        assert!(agree("galois_left 000000c5", "fibonacci_left a3000000"));
        // p = x^32 + the mask turned round: 0xea000001.
        assert!(agree("galois_right 80000057", "fibonacci_right ea000001"));
    }

    #[test]
    fn a_higher_tap_is_seen() {
        assert!(!agree("galois_right a3000000", "fibonacci_right 000000c5"));
        assert!(!agree("galois_right a3000000", "galois_left 000000c5"));
    }

    #[test]
    fn a_shift_register_hides_which_23_bits_are_seen() {
        let map = parse_generator("fibonacci_left 80200003").unwrap().step_map().unwrap();
        let view = |top| View { functional: 1u64 << top, top };
        assert!(visible_rows_agree((&map, view(31)), (&map, view(22))));
        let map = parse_generator("galois_left 000000c5").unwrap().step_map().unwrap();
        assert!(!visible_rows_agree((&map, view(31)), (&map, view(22))));
    }

    #[test]
    fn a_long_shift_may_move_to_the_other_end() {
        // Rotation by a right shift of 23 or more is never visible.
        assert!(agree("xorshift R5-R25-L27", "xorshift R5-L27-R25"));
        assert!(!agree("xorshift R9-L5-R14", "xorshift R9-R14-L5"));
    }
}
