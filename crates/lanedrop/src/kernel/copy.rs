//! A plain copy past the caches: the yardstick that benches measure beside.

/// Copies `from` to `to` by non-temporal stores, where this CPU has vectors for
/// them; returns whether it has. Nothing is copied otherwise.
///
/// # Panics
///
/// When the lengths differ.
pub fn copy_beyond(from: &[u8], to: &mut [u8]) -> bool {
    assert_eq!(from.len(), to.len(), "input and output differ in length");
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the CPU has AVX-512.
        unsafe { x86::copy(from, to) };
        return true;
    }
    false
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// One cache line, aligned as non-temporal stores ask.
    #[repr(align(64))]
    struct Line([u8; 64]);

    #[target_feature(enable = "avx512f")]
    pub(super) fn copy(from: &[u8], to: &mut [u8]) {
        // SAFETY: a `Line` is any 64 bytes.
        let (head, lines, tail) = unsafe { to.align_to_mut::<Line>() };
        let (from_head, from) = from.split_at(head.len());
        head.copy_from_slice(from_head);
        let (from, from_tail) = from.as_chunks::<64>();
        let (fours, from_fours) = (lines.chunks_exact_mut(4), from.chunks_exact(4));
        let from_rest = from_fours.remainder();
        let mut rest = 0;
        for (to, from) in fours.zip(from_fours) {
            let four = [load(&from[0]), load(&from[1]), load(&from[2]), load(&from[3])];
            for (line, value) in to.iter_mut().zip(four) {
                stream(line, value);
            }
            rest += 4;
        }
        for (line, from) in lines[rest..].iter_mut().zip(from_rest) {
            stream(line, load(from));
        }
        tail.copy_from_slice(from_tail);
        _mm_sfence();
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load(from: &[u8; 64]) -> __m512i {
        // SAFETY: `from` is 64 readable bytes and `loadu` asks no alignment.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn stream(to: &mut Line, value: __m512i) {
        // SAFETY: a `Line` is 64 writable bytes, aligned to 64.
        unsafe { _mm512_stream_si512(to.0.as_mut_ptr().cast(), value) }
    }
}

#[cfg(test)]
mod tests {
    use super::copy_beyond;

    #[test]
    fn a_copy_past_the_caches_copies_every_byte() {
        let from: Vec<u8> = (0..2000u32).map(|at| at.wrapping_mul(0x9e37_79b9) as u8).collect();
        for (start, len) in [(0, 0), (1, 63), (3, 64), (0, 256), (7, 1000), (64, 1900)] {
            let mut to = vec![0; len];
            if copy_beyond(&from[start..start + len], &mut to) {
                assert!(to == from[start..start + len]);
            }
        }
    }
}
