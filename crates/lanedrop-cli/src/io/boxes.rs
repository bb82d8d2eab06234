//! Walking a tensor whose memory order is not the order of the draws.
//!
//! Draws go through a tensor with the last axis fastest. A Fortran-ordered
//! file has the first axis fastest, so neither order reads and writes whole
//! stretches of the other. A *box* of the index space that is long along both
//! ends does: some hundred elements at a time are next to each other in the
//! file, and some hundred in the order of the draws. Boxes come in the order
//! of the draws, and one box fits the cache.

use crate::io::npy::Order;

/// Elements that should lie together, in either order, where the shape allows.
const RUN: u64 = 512;
/// Elements a box may hold.
const BUDGET: u64 = RUN * RUN;

/// Part of a tensor: where it starts, and its length along each axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) start: Vec<u64>,
    pub(crate) dims: Vec<u64>,
}

/// Returns the axis lengths a box should have at most.
fn chunk(shape: &[u64]) -> Vec<u64> {
    // Lengths that give RUN elements in a row, axes taken in this order.
    let reach = |axes: &mut dyn Iterator<Item = usize>, chunk: &mut [u64]| {
        let mut need = RUN;
        for axis in axes {
            let len = shape[axis].min(need);
            chunk[axis] = chunk[axis].max(len);
            need = need.div_ceil(len.max(1));
        }
    };
    let mut chunk = vec![1; shape.len()];
    reach(&mut (0..shape.len()), &mut chunk);
    reach(&mut (0..shape.len()).rev(), &mut chunk);
    for axis in (0..shape.len()).rev() {
        let held: u64 = chunk.iter().product();
        chunk[axis] = (chunk[axis] * (BUDGET / held).max(1)).min(shape[axis]);
    }
    // Chunks of one size, so that the last one is no sliver; along the last
    // axis whole bytes of a packed mask.
    for (axis, (len, &whole)) in chunk.iter_mut().zip(shape).enumerate() {
        *len = whole.div_ceil(whole.div_ceil((*len).max(1)).max(1)).max(1);
        if axis + 1 == shape.len() {
            *len = len.next_multiple_of(8).min(whole.max(1));
        }
    }
    chunk
}

/// Returns boxes that cover a tensor without overlap, in the order of the draws.
pub(crate) fn boxes(shape: &[u64]) -> impl Iterator<Item = Part> {
    let chunk = chunk(shape);
    let counts: Vec<u64> = shape.iter().zip(&chunk).map(|(&s, &c)| s.div_ceil(c)).collect();
    let total: u64 = counts.iter().product();
    let shape = shape.to_vec();
    (0..total).map(move |mut index| {
        let mut part = Part { start: vec![0; shape.len()], dims: vec![0; shape.len()] };
        for axis in (0..shape.len()).rev() {
            let start = index % counts[axis] * chunk[axis];
            index /= counts[axis];
            part.start[axis] = start;
            part.dims[axis] = chunk[axis].min(shape[axis] - start);
        }
        part
    })
}

/// Returns the distance, in elements, between neighbours along each axis.
pub(crate) fn strides(shape: &[u64], order: Order) -> Vec<u64> {
    let mut strides = vec![1; shape.len()];
    let mut step = 1u64;
    let mut visit = |axis: usize| {
        strides[axis] = step;
        step = step.saturating_mul(shape[axis]);
    };
    match order {
        Order::C => (0..shape.len()).rev().for_each(&mut visit),
        Order::Fortran => (0..shape.len()).for_each(&mut visit),
    }
    strides
}

impl Part {
    /// Returns how many elements the box holds.
    pub(crate) fn len(&self) -> usize {
        self.dims.iter().product::<u64>() as usize
    }

    /// Returns the stretches of the box that lie together in a tensor of that
    /// shape and memory order: the offset of the first, the offsets of the
    /// others by calling again, and their common length, all in elements. The
    /// stretches come in the order in which the box itself is stored.
    pub(crate) fn runs(&self, shape: &[u64], order: Order) -> (Vec<u64>, usize) {
        let axes: Vec<usize> = match order {
            Order::C => (0..shape.len()).rev().collect(),
            Order::Fortran => (0..shape.len()).collect(),
        };
        let strides = strides(shape, order);
        let mut len = 1;
        let mut inner = 0;
        for &axis in &axes {
            len *= self.dims[axis];
            inner += 1;
            if self.dims[axis] != shape[axis] {
                break;
            }
        }
        let base: u64 = self.start.iter().zip(&strides).map(|(&at, &step)| at * step).sum();
        let mut offsets = vec![base];
        for &axis in &axes[inner..] {
            let plane = offsets.clone();
            for at in 1..self.dims[axis] {
                offsets.extend(plane.iter().map(|offset| offset + at * strides[axis]));
            }
        }
        (offsets, len as usize)
    }
}

/// Copies `dims` elements of `size_bytes` between two layouts; `src` and `dst`
/// start at the first element, strides are in elements.
pub(crate) fn rearrange(
    size_bytes: usize,
    dims: &[u64],
    src: (&[u8], &[u64]),
    dst: (&mut [u8], &[u64]),
) {
    match size_bytes {
        1 => rearrange_sized::<1>(dims, src, dst),
        2 => rearrange_sized::<2>(dims, src, dst),
        _ => rearrange_sized::<4>(dims, src, dst),
    }
}

fn rearrange_sized<const N: usize>(
    dims: &[u64],
    (src, src_strides): (&[u8], &[u64]),
    (dst, dst_strides): (&mut [u8], &[u64]),
) {
    let (src, _) = src.as_chunks::<N>();
    let (dst, _) = dst.as_chunks_mut::<N>();
    let axes = dims.len();
    let wide = |values: &[u64]| values.iter().map(|&v| v as usize).collect::<Vec<_>>();
    let (dims, from, to) = (wide(dims), wide(src_strides), wide(dst_strides));
    if dims.contains(&0) {
        return;
    }
    let (Some(last), true) = (axes.checked_sub(1), axes > 1) else {
        for at in 0..dims.first().copied().unwrap_or(1) {
            let step = |strides: &[usize]| strides.first().map_or(0, |step| at * step);
            dst[step(&to)] = src[step(&from)];
        }
        return;
    };
    // The first and the last axis in squares that keep both sides' lines in
    // the nearest cache; the axes between them one by one.
    const SQUARE: usize = 16;
    for index in 0..dims[1..last].iter().product::<usize>() {
        let (mut rest, mut from_base, mut to_base) = (index, 0, 0);
        for axis in (1..last).rev() {
            from_base += rest % dims[axis] * from[axis];
            to_base += rest % dims[axis] * to[axis];
            rest /= dims[axis];
        }
        for first_block in (0..dims[0]).step_by(SQUARE) {
            for last_block in (0..dims[last]).step_by(SQUARE) {
                for first in first_block..dims[0].min(first_block + SQUARE) {
                    for at in last_block..dims[last].min(last_block + SQUARE) {
                        dst[to_base + first * to[0] + at * to[last]] =
                            src[from_base + first * from[0] + at * from[last]];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: &[&[u64]] = &[
        &[2, 1_000_000],
        &[1_000_000, 2],
        &[3, 5, 7, 11],
        &[1, 100_003],
        &[100_003, 1],
        &[1025, 1030],
        &[3, 40_001, 3],
        &[700, 2, 2, 700],
        &[1, 1, 1],
        &[9],
    ];

    #[test]
    fn boxes_cover_every_element_once_in_both_orders() {
        for shape in SHAPES {
            let total: u64 = shape.iter().product();
            for order in [Order::C, Order::Fortran] {
                let mut seen = vec![0u8; total as usize];
                for part in boxes(shape) {
                    assert!(part.len() as u64 <= BUDGET + RUN * 8, "{shape:?}");
                    let (offsets, len) = part.runs(shape, order);
                    assert_eq!(offsets.len() * len, part.len());
                    for offset in offsets {
                        let run = offset as usize..offset as usize + len;
                        seen[run].iter_mut().for_each(|count| *count += 1);
                    }
                }
                assert!(seen.iter().all(|&count| count == 1), "{shape:?} {order:?}");
            }
        }
    }

    #[test]
    fn runs_are_long_in_both_orders_where_the_shape_allows() {
        for shape in SHAPES {
            let total: u64 = shape.iter().product();
            let parts: Vec<Part> = boxes(shape).collect();
            for order in [Order::C, Order::Fortran] {
                let runs: usize = parts.iter().map(|part| part.runs(shape, order).0.len()).sum();
                assert!(total / runs as u64 >= RUN.min(total) / 2, "{shape:?} {order:?}");
            }
            for part in parts {
                assert!(part.start.last().is_none_or(|start| start % 8 == 0));
            }
        }
    }

    #[test]
    fn rearranging_moves_every_element_to_its_place() {
        for dims in
            [&[][..], &[5], &[17, 33], &[3, 4, 5], &[2, 1, 3, 19], &[2, 0, 3], &[3, 5, 7, 8]]
        {
            for size_bytes in [1, 2, 4] {
                let total = dims.iter().product::<u64>() as usize;
                let src: Vec<u8> = (0..total * size_bytes).map(|at| (at % 251) as u8).collect();
                let mut dst = vec![0; src.len()];
                let (c, f) = (strides(dims, Order::C), strides(dims, Order::Fortran));
                rearrange(size_bytes, dims, (&src, &f), (&mut dst, &c));
                for flat in 0..total {
                    // The index of the element, last axis fastest, taken apart
                    // and put together with the first axis fastest.
                    let (mut rest, mut from, mut step) = (flat as u64, 0, total as u64);
                    for &len in dims.iter().rev() {
                        step /= len;
                        from += rest % len * step;
                        rest /= len;
                    }
                    let (at, from) = (flat * size_bytes, from as usize * size_bytes);
                    assert_eq!(dst[at..at + size_bytes], src[from..from + size_bytes]);
                }
            }
        }
    }
}
