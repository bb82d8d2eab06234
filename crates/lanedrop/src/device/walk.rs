//! Which bytes of a partition a pattern visits, and in which order.

use crate::isa::Tensor;

/// The bytes that a pattern visits in one partition, in element order:
/// dimension 0 changes fastest.
///
/// ```
/// use lanedrop::device::Walk;
/// use lanedrop::isa::{Addr4, Tensor2d};
/// let reversed = Tensor2d { start_addr: Addr4(0), step_elem: [-1, 4], num_elem: [2, 2] };
/// let walk = Walk::new(&reversed, 4, 100);
/// assert_eq!(walk.offsets().collect::<Vec<_>>(), [100, 96, 116, 112]);
/// assert_eq!(walk.extent(), 96..120);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    start: i64,
    size: i64,
    /// Step in bytes and count, the innermost first.
    dims: [(i64, u64); 4],
}

/// The first element of a pattern that is not in its partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    /// Its number in element order.
    pub element: u64,
    /// Its place along each dimension, the innermost first.
    pub index: [u16; 4],
    /// Its first byte, from the start of the partition.
    pub offset_bytes: i64,
}

impl Walk {
    /// Returns the walk of a pattern of elements of `size_bytes` that starts at
    /// byte `offset_bytes` of a partition. The pattern's own start address is
    /// not looked at.
    pub fn new<const N: usize>(pattern: &Tensor<N>, size_bytes: u32, offset_bytes: u32) -> Self {
        let mut dims = [(0, 1); 4];
        for (dim, (step, num)) in
            dims.iter_mut().zip(pattern.step_elem.iter().zip(&pattern.num_elem))
        {
            *dim = (i64::from(*step) * i64::from(size_bytes), u64::from(*num));
        }
        Self { start: offset_bytes.into(), size: size_bytes.into(), dims }
    }

    /// Returns how many elements there are.
    #[allow(clippy::len_without_is_empty, reason = "no legal pattern is empty")]
    pub fn len(&self) -> u64 {
        self.dims.iter().map(|dim| dim.1).product()
    }

    /// Returns the size of an element in bytes.
    pub fn size_bytes(&self) -> usize {
        self.size as usize
    }

    /// Returns the least range that holds every byte visited; it may begin
    /// below zero. A walk without elements visits none.
    pub fn extent(&self) -> std::ops::Range<i64> {
        if self.len() == 0 {
            return self.start..self.start;
        }
        self.extent_of(self.start, 4)
    }

    /// Returns the extent of the `inner` innermost dimensions from `start` on.
    fn extent_of(&self, start: i64, inner: usize) -> std::ops::Range<i64> {
        let (mut low, mut high) = (start, start);
        for (step, num) in &self.dims[..inner] {
            let reach = step * (*num as i64 - 1);
            if reach < 0 { low += reach } else { high += reach }
        }
        low..high + self.size
    }

    /// Returns the first element that does not lie in `0..limit_bytes`.
    pub fn first_outside(&self, limit_bytes: u32) -> Option<Outside> {
        let fits =
            |range: std::ops::Range<i64>| range.start >= 0 && range.end <= limit_bytes.into();
        if self.len() == 0 || fits(self.extent()) {
            return None;
        }
        // From the outermost dimension in: the first place along it whose
        // inner dimensions do not fit holds the first such element.
        let (mut at, mut element, mut index) = (self.start, 0, [0; 4]);
        for dim in (0..4).rev() {
            let (step, num) = self.dims[dim];
            let place = (0..num).find(|i| !fits(self.extent_of(at + step * *i as i64, dim)))?;
            let inner: u64 = self.dims[..dim].iter().map(|dim| dim.1).product();
            at += step * place as i64;
            element += place * inner;
            index[dim] = place as u16;
        }
        Some(Outside { element, index, offset_bytes: at })
    }

    /// Returns the first byte of every element, in element order.
    pub fn offsets(&self) -> impl Iterator<Item = i64> + use<> {
        let Self { start, dims, .. } = *self;
        let [d0, d1, d2, d3] = dims;
        let along =
            |from: i64, (step, num): (i64, u64)| (0..num).map(move |i| from + step * i as i64);
        along(start, d3)
            .flat_map(move |at| along(at, d2))
            .flat_map(move |at| along(at, d1))
            .flat_map(move |at| along(at, d0))
    }

    /// Returns the same walk with dimensions merged where one goes on where
    /// the next inner one ends, and without those of one element.
    fn merged(&self) -> [(i64, u64); 4] {
        let mut merged = [(self.size, 1); 4];
        let mut last = 0;
        for &(step, num) in self.dims.iter().filter(|dim| dim.1 != 1) {
            let (inner_step, inner_num) = merged[last];
            if inner_num == 1 {
                merged[last] = (step, num);
            } else if inner_step.checked_mul(inner_num as i64) == Some(step) {
                merged[last].1 *= num;
            } else {
                last += 1;
                merged[last] = (step, num);
            }
        }
        merged
    }

    /// Returns how many elements lie one behind another from each place that
    /// the outer dimensions lead to.
    fn run(&self) -> u64 {
        let (step, num) = self.merged()[0];
        if step == self.size { num } else { 1 }
    }

    /// Returns whether every element lies right behind the one before.
    pub fn is_contiguous(&self) -> bool {
        self.run() == self.len()
    }

    /// Returns whether two elements are visited at the same bytes, or partly
    /// so; may say so of a walk in which none are.
    pub fn may_revisit(&self) -> bool {
        let mut reach = self.size;
        let mut dims: Vec<_> = self.dims.iter().filter(|dim| dim.1 > 1).collect();
        dims.sort_by_key(|dim| dim.0.abs());
        for (step, num) in dims {
            if step.abs() < reach {
                return true;
            }
            reach += step.abs() * (*num as i64 - 1);
        }
        false
    }
}

/// Stretches in which the elements of two walks of equal length lie one behind
/// another in both: first byte of each, and elements.
#[derive(Clone, Debug)]
pub struct Spans {
    walks: [Steps; 2],
    left: u64,
}

/// A walk, run by run.
#[derive(Clone, Debug)]
struct Steps {
    at: i64,
    size: i64,
    dims: [(i64, u64); 4],
    index: [u64; 4],
    /// Elements that lie one behind another, and how many of them are left.
    run: u64,
    left: u64,
}

impl Steps {
    fn new(walk: &Walk) -> Self {
        let run = walk.run();
        let mut dims = walk.merged();
        if run > 1 {
            dims[0] = (walk.size.saturating_mul(i64::try_from(run).unwrap_or(i64::MAX)), 1);
        }
        Self { at: walk.start, size: walk.size, dims, index: [0; 4], run, left: run }
    }

    /// Goes on by `count` elements, at most those left of the run.
    fn advance(&mut self, count: u64) {
        self.at += self.size * count as i64;
        self.left -= count;
        if self.left > 0 {
            return;
        }
        self.left = self.run;
        self.at -= self.size * self.run as i64;
        for (index, (step, num)) in self.index.iter_mut().zip(self.dims) {
            *index += 1;
            self.at += step;
            if *index < num {
                return;
            }
            self.at -= step * num as i64;
            *index = 0;
        }
    }
}

impl Spans {
    /// Returns the common stretches of two walks, as far as both go.
    pub fn new(src: &Walk, dst: &Walk) -> Self {
        Self { walks: [Steps::new(src), Steps::new(dst)], left: src.len().min(dst.len()) }
    }
}

impl Iterator for Spans {
    type Item = (i64, i64, u64);

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let [src, dst] = &mut self.walks;
        let count = src.left.min(dst.left).min(self.left);
        let span = (src.at, dst.at, count);
        src.advance(count);
        dst.advance(count);
        self.left -= count;
        Some(span)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::isa::{Addr4, Tensor3d, Tensor4d};

    fn walk(step_elem: [i16; 4], num_elem: [u16; 4], size: u32, start: u32) -> Walk {
        Walk::new(&Tensor4d { start_addr: Addr4(0), step_elem, num_elem }, size, start)
    }

    /// The offsets by four plain loops.
    fn plain(step: [i16; 4], num: [u16; 4], size: u32, start: u32) -> Vec<i64> {
        let mut offsets = Vec::new();
        for i3 in 0..i64::from(num[3]) {
            for i2 in 0..i64::from(num[2]) {
                for i1 in 0..i64::from(num[1]) {
                    for i0 in 0..i64::from(num[0]) {
                        let [s0, s1, s2, s3] = step.map(i64::from);
                        let elements = i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3;
                        offsets.push(i64::from(start) + elements * i64::from(size));
                    }
                }
            }
        }
        offsets
    }

    proptest! {
        #[test]
        fn every_view_of_a_walk_agrees_with_plain_loops(
            steps in prop::array::uniform4(-6i16..7),
            nums in prop::array::uniform4(1u16..5),
            size in prop::sample::select(vec![1u32, 2, 4]),
            start in 0u32..64,
            limit in 1u32..200,
        ) {
            let walk = walk(steps, nums, size, start);
            let offsets = plain(steps, nums, size, start);
            prop_assert_eq!(walk.len(), offsets.len() as u64);
            prop_assert_eq!(walk.offsets().collect::<Vec<_>>(), offsets.clone());
            let (low, high) = (offsets.iter().min().unwrap(), offsets.iter().max().unwrap());
            prop_assert_eq!(walk.extent(), *low..high + i64::from(size));

            let bad = offsets
                .iter()
                .position(|&at| at < 0 || at + i64::from(size) > i64::from(limit));
            let found = walk.first_outside(limit);
            prop_assert_eq!(found.map(|o| o.element as usize), bad);
            prop_assert_eq!(found.map(|o| o.offset_bytes), bad.map(|i| offsets[i]));
            if let Some(Outside { element, index: [a, b, c, d], .. }) = found {
                let [n0, n1, n2, _] = nums.map(u64::from);
                let number = ((u64::from(d) * n2 + u64::from(c)) * n1 + u64::from(b)) * n0;
                prop_assert_eq!(element, number + u64::from(a));
            }

            let mut sorted = offsets.clone();
            sorted.sort_unstable();
            let twice = sorted.windows(2).any(|pair| pair[1] - pair[0] < i64::from(size));
            prop_assert!(walk.may_revisit() || !twice);
            let behind = offsets.windows(2).all(|pair| pair[1] - pair[0] == i64::from(size));
            prop_assert_eq!(walk.is_contiguous(), behind);
        }

        #[test]
        fn spans_cover_both_walks_element_by_element(
            steps in prop::array::uniform4(-3i16..4),
            other_steps in prop::array::uniform4(prop::sample::select(vec![1i16, 2, 3, 6, 12])),
            nums in prop::sample::select(vec![[2u16, 3, 1, 4], [24, 1, 1, 1], [4, 6, 1, 1], [3, 8, 1, 1]]),
            other_nums in prop::sample::select(vec![[2u16, 3, 2, 2], [24, 1, 1, 1], [1, 12, 2, 1], [8, 1, 1, 3]]),
        ) {
            let (src, dst) = (walk(steps, nums, 2, 50), walk(other_steps, other_nums, 2, 10));
            let mut pairs = Vec::new();
            for (from, to, count) in Spans::new(&src, &dst) {
                prop_assert!(count > 0);
                pairs.extend((0..count as i64).map(|i| (from + 2 * i, to + 2 * i)));
            }
            prop_assert_eq!(pairs, src.offsets().zip(dst.offsets()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn neighbouring_rows_are_one_span() {
        let walk = walk([1, 16, 1, 1], [16, 8, 1, 1], 2, 0);
        assert!(walk.is_contiguous());
        assert_eq!(Spans::new(&walk, &walk).collect::<Vec<_>>(), [(0, 0, 128)]);
    }

    #[test]
    fn the_largest_pattern_is_measured_without_walking_it() {
        let pattern =
            Tensor3d { start_addr: Addr4(0), step_elem: [0, 0, i16::MAX], num_elem: [u16::MAX; 3] };
        let outside = Walk::new(&pattern, 4, 0).first_outside(0x1_0000 * 4).unwrap();
        assert_eq!(outside.index, [0, 0, 3, 0]);
        assert_eq!(outside.element, 3 * 65_535 * 65_535);
    }

    #[test]
    fn a_pattern_without_elements_visits_nothing() {
        let walk = walk([1; 4], [0, 5, 5, 5], 4, 8);
        assert_eq!((walk.len(), walk.extent(), walk.first_outside(1)), (0, 8..8, None));
        assert_eq!(Spans::new(&walk, &walk).count(), 0);
    }
}
