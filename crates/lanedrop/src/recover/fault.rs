//! Lost and doubled elements, found in a lane that a model predicts.

use super::BitRow;

/// The most elements that one slip loses or doubles.
pub(super) const REACH: usize = 32;

/// What a slip has to explain, in wrong bits, to be believed.
const PENALTY: u32 = 10;

/// A slip within a lane: from `element` on the stream stands `gap` elements
/// further on than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LaneSlip {
    pub(super) element: usize,
    pub(super) gap: i64,
}

/// Returns the slips that explain a row best, and how many bits stay wrong.
///
/// `kept` is the predicted mask of the stream, [`REACH`] elements longer than
/// the row. The best path through all offsets is found by dynamic programming.
pub(super) fn find_slips(row: &BitRow, kept: &[bool]) -> (Vec<LaneSlip>, u32) {
    const OFFSETS: usize = 2 * REACH + 1;
    let len = row.len();
    let wrong = |element: usize, offset: usize| {
        let at = element as i64 + offset as i64 - REACH as i64;
        match usize::try_from(at).ok().and_then(|at| kept.get(at)) {
            Some(&bit) => u32::from(bit != row.bit(element)),
            None => 1,
        }
    };
    // cost[o]: least cost of the elements so far with the last at offset o.
    let mut cost = [PENALTY; OFFSETS];
    cost[REACH] = 0;
    let mut came_from: Vec<[u8; OFFSETS]> = Vec::with_capacity(len);
    for element in 0..len {
        let best = (0..OFFSETS).min_by_key(|&o| cost[o]).unwrap_or(REACH);
        let mut from = [0; OFFSETS];
        let mut next = [0; OFFSETS];
        for offset in 0..OFFSETS {
            let moved = cost[best] + PENALTY;
            let (least, source) = if element > 0 && moved < cost[offset] {
                (moved, best)
            } else {
                (cost[offset], offset)
            };
            next[offset] = least + wrong(element, offset);
            from[offset] = source as u8;
        }
        cost = next;
        came_from.push(from);
    }
    let mut offset = (0..OFFSETS).min_by_key(|&o| cost[o]).unwrap_or(REACH);
    let mut slips = Vec::new();
    let mut misses = 0;
    for element in (0..len).rev() {
        misses += wrong(element, offset);
        let before = usize::from(came_from[element][offset]);
        if before != offset {
            slips.push(LaneSlip { element, gap: offset as i64 - before as i64 });
        }
        offset = before;
    }
    if len > 0 && offset != REACH {
        slips.push(LaneSlip { element: 0, gap: offset as i64 - REACH as i64 });
    }
    slips.reverse();
    (slips, misses)
}

/// Returns log2 of the places and lengths that one slip of a row can have.
pub(super) fn slip_choices_log2(elements: usize) -> f64 {
    ((elements.max(1) * 2 * REACH) as f64).log2()
}

/// Returns where element `element` of a row stands in the stream.
pub(super) fn moved(slips: &[LaneSlip], element: usize) -> i64 {
    let gaps = slips.iter().filter(|slip| element >= slip.element).map(|slip| slip.gap);
    element as i64 + gaps.sum::<i64>()
}

#[cfg(test)]
mod tests {
    use super::super::SplitMix;
    use super::*;

    #[test]
    fn gaps_are_exact_and_places_nearly_so() {
        let mut random = SplitMix::new(9);
        for (at, gap) in [(40usize, 3i64), (40, -5), (100, 32), (0, 7), (64, 1)] {
            let stream: Vec<bool> = (0..200 + REACH).map(|_| random.happens(0.5)).collect();
            let slip = LaneSlip { element: at, gap };
            let row = BitRow::from_fn(200, |i| stream[moved(&[slip], i) as usize]);
            let (slips, misses) = find_slips(&row, &stream);
            assert_eq!(slips.len(), 1, "{slips:?}");
            assert_eq!((slips[0].gap, misses), (gap, 0));
            assert!(slips[0].element.abs_diff(at) <= 5, "{slips:?}");
        }
    }

    #[test]
    fn a_row_without_slips_has_none() {
        let stream: Vec<bool> = (0..100).map(|i| i * i % 11 < 5).collect();
        let mut row = BitRow::from_fn(60, |i| stream[i]);
        row.flip(7);
        row.flip(50);
        assert_eq!(find_slips(&row, &stream), (vec![], 2));
    }
}
