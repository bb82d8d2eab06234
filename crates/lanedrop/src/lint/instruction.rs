//! Lints of one Dropout: what is legal in a record and surely not meant.

use super::Lint;
use crate::isa::{Dropout, Dtype, Generation, Tensor3d, Threshold};

/// Elements up to which two patterns are compared one by one.
const MAX_ELEMENTS: u64 = 1 << 20;

/// Returns what is surely not meant in a Dropout on `generation`.
///
/// A pattern that leaves its partition is a remark of the validator.
pub fn instruction(dropout: &Dropout, generation: Generation) -> Vec<Lint> {
    let mut lints = Vec::new();
    if let Threshold::Immediate { bits } = dropout.operand()
        && !(0.0..=1.0).contains(&f32::from_bits(bits))
    {
        lints.push(Lint::RateOutside { bits });
    }
    lints.extend(overlap(dropout, generation));
    lints
}

/// Finds a source and a destination that share bytes and are not the same
/// pattern: elements written early are then read again as if they were input.
fn overlap(dropout: &Dropout, generation: Generation) -> Option<Lint> {
    let (src, dst) = (&dropout.src_mem_pattern, &dropout.dst_mem_pattern);
    if src.start_addr == dst.start_addr && walk(src) == walk(dst) {
        return None;
    }
    let (from, to) = (src.start_addr.place(generation)?, dst.start_addr.place(generation)?);
    let by_marker = |tensor: &Tensor3d| {
        tensor.start_addr.is_shape_register() || tensor.start_addr.is_indirect()
    };
    let channels = u32::from(dropout.num_active_channels);
    let rows_meet =
        from.partition < to.partition + channels && to.partition < from.partition + channels;
    if from.space != to.space || !rows_meet || by_marker(src) || by_marker(dst) {
        return None;
    }
    let read = bytes(src, from.offset_bytes, dropout.in_dtype)?;
    let written = bytes(dst, to.offset_bytes, dropout.out_dtype)?;
    let (low, high) = (read.low.max(written.low), read.high.min(written.high));
    if low >= high {
        return None;
    }
    // Patterns can interleave without meeting; beyond a size that is not looked at.
    if src.num_elements().max(dst.num_elements()) <= MAX_ELEMENTS {
        let mut touched = vec![false; usize::try_from(high - low).ok()?];
        let at = |byte: i64| usize::try_from(byte - low).ok().filter(|_| byte < high);
        read.each(src, &mut |byte| {
            if let Some(at) = at(byte) {
                touched[at] = true;
            }
        });
        let mut meet = false;
        written.each(dst, &mut |byte| meet |= at(byte).is_some_and(|at| touched[at]));
        if !meet {
            return None;
        }
    }
    Some(Lint::Overlap { low, high })
}

/// Returns the steps and counts that matter: without dimensions of one element.
fn walk(tensor: &Tensor3d) -> Vec<(i16, u16)> {
    std::iter::zip(tensor.step_elem, tensor.num_elem).filter(|(_, num)| *num != 1).collect()
}

/// The bytes of a partition that a pattern may touch.
struct Bytes {
    start: i64,
    size: i64,
    low: i64,
    high: i64,
}

/// Returns the bytes a pattern touches from `offset_bytes` on; `None` without
/// elements or for a type that fills no whole byte.
fn bytes(tensor: &Tensor3d, offset_bytes: u32, dtype: Dtype) -> Option<Bytes> {
    let size = i64::from(dtype.size_bytes()?);
    let start = i64::from(offset_bytes);
    let (low, high) = tensor.offset_range_elem();
    (tensor.num_elements() > 0).then_some(Bytes {
        start,
        size,
        low: start + low * size,
        high: start + (high + 1) * size,
    })
}

impl Bytes {
    /// Calls `visit` with every byte of every element.
    fn each(&self, tensor: &Tensor3d, visit: &mut impl FnMut(i64)) {
        let step = tensor.step_elem.map(i64::from);
        let num = tensor.num_elem.map(i64::from);
        for i2 in 0..num[2] {
            for i1 in 0..num[1] {
                for i0 in 0..num[0] {
                    let element = i0 * step[0] + i1 * step[1] + i2 * step[2];
                    let first = self.start + element * self.size;
                    (first..first + self.size).for_each(&mut *visit);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Addr4;

    /// Returns the names of the lints on a Dropout of bf16 from `src` to `dst`.
    fn names(src: Tensor3d, dst: Tensor3d, rate: f32) -> Vec<&'static str> {
        let dropout = Dropout::new(Dtype::BFLOAT16, src, dst, 128, rate);
        instruction(&dropout, Generation::V3).iter().map(Lint::name).collect()
    }

    fn row(address: u32, step: i16, elements: u16) -> Tensor3d {
        Tensor3d { start_addr: Addr4(address), step_elem: [step, 1, 1], num_elem: [elements, 1, 1] }
    }

    #[test]
    fn a_rate_from_0_to_1_is_fine_and_any_other_is_not() {
        let (src, dst) = (row(0, 1, 8), row(0x1000, 1, 8));
        for rate in [0.0, -0.0, 0.1, 1.0] {
            assert_eq!(names(src, dst, rate), [""; 0], "{rate}");
        }
        for rate in [-0.1, 1.000_000_1, f32::INFINITY, f32::NAN] {
            assert_eq!(names(src, dst, rate), ["rate-outside"], "{rate}");
        }
    }

    #[test]
    fn in_place_is_fine_and_partly_in_place_is_not() {
        let src = row(0, 1, 100);
        assert_eq!(names(src, src, 0.1), [""; 0]);
        assert_eq!(names(src, row(198, 1, 100), 0.1), ["overlap"]);
        assert_eq!(names(src, row(200, 1, 100), 0.1), [""; 0]);
        // The same bytes, walked backwards.
        assert_eq!(names(src, row(198, -1, 100), 0.1), ["overlap"]);
    }

    #[test]
    fn patterns_that_interleave_do_not_meet() {
        assert_eq!(names(row(0, 2, 100), row(2, 2, 100), 0.1), [""; 0]);
        assert_eq!(names(row(0, 2, 100), row(6, 3, 100), 0.1), ["overlap"]);
    }

    #[test]
    fn other_partitions_do_not_meet() {
        let dst = row(64 << 18, 1, 100);
        let mut dropout = Dropout::new(Dtype::BFLOAT16, row(0, 2, 100), dst, 64, 0.1);
        assert_eq!(instruction(&dropout, Generation::V3), []);
        dropout.dst_mem_pattern.start_addr = Addr4(32 << 18);
        assert_eq!(instruction(&dropout, Generation::V3).len(), 1);
    }
}
