//! The multiply after a mask, where vectors do more than the compiler finds.

use std::arch::x86_64::*;

use crate::kernel::scale::{self, Scale};

/// Multiplies little-endian elements where they are.
#[target_feature(enable = "avx2,f16c")]
pub(super) fn scale(scale: Scale<'_>, data: &mut [u8]) {
    if let Scale::Half(factor) = scale {
        let (lines, rest) = data.as_chunks_mut::<16>();
        for line in lines {
            half(line, factor);
        }
        scale::scale(scale, rest);
    } else {
        scale::scale(scale, data);
    }
}

/// Multiplies eight f16; the conversions make a NaN quiet and keep its payload.
#[target_feature(enable = "avx2,f16c")]
#[inline]
fn half(line: &mut [u8; 16], factor: f32) {
    // SAFETY: `line` is 16 readable bytes and `loadu` asks no alignment.
    let bits = unsafe { _mm_loadu_si128(line.as_ptr().cast()) };
    let product = _mm256_mul_ps(_mm256_cvtph_ps(bits), _mm256_set1_ps(factor));
    let bits = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(product);
    // SAFETY: `line` is 16 writable bytes and `storeu` asks no alignment.
    unsafe { _mm_storeu_si128(line.as_mut_ptr().cast(), bits) }
}
