//! Access patterns: a start address, and per dimension a step and a count.

use super::Addr4;

/// A pattern of `N` dimensions; dimension 0 is the innermost.
///
/// Element (i0, i1, …) of channel c is `i0*step_elem[0] + i1*step_elem[1] + …`
/// elements behind the start address, in partition `start + c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tensor<const N: usize> {
    /// Where element 0 of channel 0 is.
    pub start_addr: Addr4,
    /// Distance of neighbours along each dimension, in elements.
    pub step_elem: [i16; N],
    /// Elements along each dimension.
    pub num_elem: [u16; N],
}

/// `TENSOR1D`, 8 bytes.
pub type Tensor1d = Tensor<1>;
/// `TENSOR2D`, 12 bytes.
pub type Tensor2d = Tensor<2>;
/// `TENSOR3D`, 16 bytes.
pub type Tensor3d = Tensor<3>;
/// `TENSOR4D`, 20 bytes.
pub type Tensor4d = Tensor<4>;

impl<const N: usize> Tensor<N> {
    /// Length of the pattern in a record: the address, all steps, all counts.
    pub const LEN_BYTES: usize = 4 + 4 * N;

    /// Returns the pattern that walks `elements` neighbours in one dimension,
    /// with step and count 1 in the others, as compilers write it.
    pub const fn row(start_addr: Addr4, elements: u16) -> Self {
        let mut num_elem = [1; N];
        num_elem[0] = elements;
        Self { start_addr, step_elem: [1; N], num_elem }
    }

    /// Reads the pattern from the first [`Tensor::LEN_BYTES`] of `bytes`.
    ///
    /// # Panics
    /// When `bytes` is shorter.
    #[inline]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let half = |at: usize| [bytes[at], bytes[at + 1]];
        Self {
            start_addr: Addr4(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
            step_elem: std::array::from_fn(|i| i16::from_le_bytes(half(4 + 2 * i))),
            num_elem: std::array::from_fn(|i| u16::from_le_bytes(half(4 + 2 * N + 2 * i))),
        }
    }

    /// Writes the pattern into the first [`Tensor::LEN_BYTES`] of `bytes`.
    ///
    /// # Panics
    /// When `bytes` is shorter.
    pub fn write_to(&self, bytes: &mut [u8]) {
        bytes[..4].copy_from_slice(&self.start_addr.0.to_le_bytes());
        for i in 0..N {
            let (step, num) = (4 + 2 * i, 4 + 2 * N + 2 * i);
            bytes[step..step + 2].copy_from_slice(&self.step_elem[i].to_le_bytes());
            bytes[num..num + 2].copy_from_slice(&self.num_elem[i].to_le_bytes());
        }
    }

    /// Returns how many elements each channel has: the product of the counts.
    ///
    /// At most 2^64 - 2^50 for four dimensions, so it does not overflow.
    #[inline]
    pub fn num_elements(&self) -> u64 {
        const { assert!(N <= 4, "a product of more counts could overflow") };
        self.num_elem.iter().map(|&count| u64::from(count)).product()
    }

    /// Returns the least and the greatest element offset the pattern touches,
    /// relative to its start; both 0 for a pattern without elements.
    #[inline]
    pub fn offset_range_elem(&self) -> (i64, i64) {
        let mut range = (0, 0);
        for (&step, &num) in self.step_elem.iter().zip(&self.num_elem) {
            let reach = i64::from(step) * i64::from(num.saturating_sub(1));
            if reach < 0 { range.0 += reach } else { range.1 += reach }
        }
        range
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_before_counts() {
        let bytes: Vec<u8> = (1..=16).collect();
        let tensor = Tensor3d::from_bytes(&bytes);
        assert_eq!(tensor.start_addr.0, 0x0403_0201);
        assert_eq!(tensor.step_elem, [0x0605, 0x0807, 0x0a09]);
        assert_eq!(tensor.num_elem, [0x0c0b, 0x0e0d, 0x100f]);
        let mut back = [0; 16];
        tensor.write_to(&mut back);
        assert_eq!(back, bytes[..]);
    }

    #[test]
    fn lengths_follow_the_4_plus_4n_rule() {
        let lengths =
            [Tensor1d::LEN_BYTES, Tensor2d::LEN_BYTES, Tensor3d::LEN_BYTES, Tensor4d::LEN_BYTES];
        assert_eq!(lengths, [8, 12, 16, 20]);
    }

    #[test]
    fn the_offset_range_reaches_both_ways() {
        let tensor =
            Tensor3d { start_addr: Addr4(0), step_elem: [-1, 512, 0], num_elem: [512, 4, 9] };
        assert_eq!(tensor.offset_range_elem(), (-511, 1536));
        assert_eq!(tensor.num_elements(), 512 * 4 * 9);
    }

    #[test]
    fn the_largest_pattern_does_not_overflow() {
        let tensor = Tensor4d {
            start_addr: Addr4(u32::MAX),
            step_elem: [i16::MIN; 4],
            num_elem: [u16::MAX; 4],
        };
        assert_eq!(tensor.num_elements(), 65_535u64.pow(4));
        assert_eq!(tensor.offset_range_elem(), (-32_768 * 65_534 * 4, 0));
    }
}
