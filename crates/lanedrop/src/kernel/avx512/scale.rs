//! The multiply after a mask, where vectors do more than the compiler finds.

use std::arch::x86_64::*;

use crate::kernel::scale::{self, Scale};

/// Multiplies little-endian elements where they are.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
pub(super) fn scale(scale: Scale<'_>, data: &mut [u8]) {
    match scale {
        Scale::Half(factor) => {
            let (lines, rest) = data.as_chunks_mut::<32>();
            for line in lines {
                half(line, factor);
            }
            scale::scale(scale, rest);
        }
        Scale::Table(table) => {
            let parts = table.as_chunks::<64>().0;
            let parts = [load(&parts[0]), load(&parts[1]), load(&parts[2]), load(&parts[3])];
            let (lines, rest) = data.as_chunks_mut::<64>();
            for line in lines {
                let bytes = load(line);
                let low = _mm512_permutex2var_epi8(parts[0], bytes, parts[1]);
                let high = _mm512_permutex2var_epi8(parts[2], bytes, parts[3]);
                let top = _mm512_movepi8_mask(bytes);
                store(line, _mm512_mask_blend_epi8(top, low, high));
            }
            scale::scale(scale, rest);
        }
        Scale::Single(_) | Scale::Brain(_) => scale::scale(scale, data),
    }
}

/// Multiplies sixteen f16; the conversions make a NaN quiet and keep its
/// payload.
#[target_feature(enable = "avx512f")]
#[inline]
fn half(line: &mut [u8; 32], factor: f32) {
    // SAFETY: `line` is 32 readable bytes and `loadu` asks no alignment.
    let bits = unsafe { _mm256_loadu_si256(line.as_ptr().cast()) };
    let product = _mm512_mul_ps(_mm512_cvtph_ps(bits), _mm512_set1_ps(factor));
    let bits = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(product);
    // SAFETY: `line` is 32 writable bytes and `storeu` asks no alignment.
    unsafe { _mm256_storeu_si256(line.as_mut_ptr().cast(), bits) }
}

/// Loads a line.
#[target_feature(enable = "avx512f")]
#[inline]
fn load(from: &[u8; 64]) -> __m512i {
    // SAFETY: `from` is 64 readable bytes and `loadu` asks no alignment.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// Stores a line.
#[target_feature(enable = "avx512f")]
#[inline]
fn store(to: &mut [u8; 64], value: __m512i) {
    // SAFETY: `to` is 64 writable bytes and `storeu` asks no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), value) }
}
