//! The AVX-512 backend: 512-bit words, bit-matrix products (GFNI), masked
//! moves. Needs what Ice Lake and Zen 4 have.

mod apply;
mod linear;
mod scale;
mod window;

pub(super) use linear::LinearGf;
pub(super) use window::WindowGf;

use std::arch::x86_64::*;

use super::portable::portable;
use super::recurrence::Functional;
use super::{Backend, Cuts, ElementBytes, Scale};

portable!(
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
);

/// Returns the backend on a CPU that has all it uses.
pub(super) fn backend() -> Option<Backend> {
    fn apply(size: ElementBytes, from: &[u8], keep: &[u64], to: &mut [u8], beyond_cache: bool) {
        // SAFETY: handed out on CPUs with these features alone.
        unsafe { apply::apply(size, from, keep, to, beyond_cache) }
    }
    fn apply_in_place(size: ElementBytes, data: &mut [u8], keep: &[u64]) {
        // SAFETY: handed out on CPUs with these features alone.
        unsafe { apply::apply_in_place(size, data, keep) }
    }
    fn bytes(keep: &[u64], to: &mut [u8]) {
        // SAFETY: handed out on CPUs with these features alone.
        unsafe { apply::bytes(keep, to) }
    }
    fn scale(scale: Scale<'_>, data: &mut [u8]) {
        // SAFETY: handed out on CPUs with these features alone.
        unsafe { scale::scale(scale, data) }
    }
    has_all().then(|| Backend {
        name: "avx512",
        bit_matrices: true,
        worth_draws: 2,
        apply,
        apply_in_place,
        bytes,
        scale,
        ..functions()
    })
}

/// Returns whether the CPU has what the kernels here are compiled for.
fn has_all() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512vpopcntdq")
        && is_x86_feature_detected!("gfni")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

/// Runs [`WindowGf::keep`].
pub(super) fn keep_window(
    window: &WindowGf,
    cuts: Cuts<'_>,
    registers: &mut [u32],
    draws: usize,
    keep: &mut [u64],
    stride: usize,
    ahead: &[u8],
) {
    // SAFETY: a `WindowGf` is made on CPUs with these features alone.
    unsafe { window.keep(cuts, registers, draws, keep, stride, ahead) }
}

/// Runs [`LinearGf::keep`].
pub(super) fn keep_linear(
    linear: &LinearGf,
    cuts: Cuts<'_>,
    registers: &mut [u32],
    draws: usize,
    keep: &mut [u64],
    stride: usize,
    ahead: &[u8],
) {
    // SAFETY: a `LinearGf` is made on CPUs with these features alone.
    unsafe { linear.keep(cuts, registers, draws, keep, stride, ahead) }
}

/// Eight 64-bit words, as they lie in a vector; a load never straddles lines.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Row([u64; 8]);

/// Loads eight words.
#[target_feature(enable = "avx512f")]
#[inline]
fn load(from: &Row) -> __m512i {
    // SAFETY: `from` is 64 readable bytes and `loadu` asks no alignment.
    unsafe { _mm512_loadu_si512(from.0.as_ptr().cast()) }
}

/// Stores eight words.
#[target_feature(enable = "avx512f")]
#[inline]
fn store(to: &mut [u64; 8], value: __m512i) {
    // SAFETY: `to` is 64 writable bytes and `storeu` asks no alignment.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), value) }
}

/// Returns the 8x8 bit matrix that takes byte `byte` of a register to its part
/// in eight functionals, as `vgf2p8affineqb` wants it: bit `i` of the product
/// comes from byte `7 - i`.
fn matrix(functionals: &[Functional; 8], byte: usize) -> u64 {
    let mut bytes = [0u8; 8];
    for (bit, functional) in functionals.iter().enumerate() {
        bytes[7 - bit] = (functional >> (8 * byte)) as u8;
    }
    u64::from_le_bytes(bytes)
}

/// Returns the constants of eight functionals, the same byte for eight lanes.
fn constants(functionals: &[Functional; 8]) -> u64 {
    let mut byte = 0u8;
    for (bit, functional) in functionals.iter().enumerate() {
        byte |= ((functional >> 32) as u8 & 1) << bit;
    }
    u64::from_le_bytes([byte; 8])
}

/// Bit-matrix products that make eight bytes (64 functionals) of each of eight
/// registers: `maps[b]` is for byte `b` of the registers, and word `k` of the
/// product holds byte `k` of every register.
#[derive(Clone)]
struct Product {
    maps: [Row; 4],
    constant: Row,
}

impl Product {
    fn new(functionals: &[[Functional; 8]; 8]) -> Self {
        Self {
            maps: std::array::from_fn(|byte| {
                Row(std::array::from_fn(|word| matrix(&functionals[word], byte)))
            }),
            constant: Row(std::array::from_fn(|word| constants(&functionals[word]))),
        }
    }

    /// Multiplies the byte planes of eight registers.
    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    #[inline]
    fn of(&self, planes: &[__m512i; 4]) -> __m512i {
        let [a, b, c, d]: [__m512i; 4] = [
            _mm512_gf2p8affine_epi64_epi8::<0>(planes[0], load(&self.maps[0])),
            _mm512_gf2p8affine_epi64_epi8::<0>(planes[1], load(&self.maps[1])),
            _mm512_gf2p8affine_epi64_epi8::<0>(planes[2], load(&self.maps[2])),
            _mm512_gf2p8affine_epi64_epi8::<0>(planes[3], load(&self.maps[3])),
        ];
        xor3(xor3(load(&self.constant), a, b), c, d)
    }
}

impl Product {
    /// Multiplies the byte planes of `N` times eight registers, with the loads
    /// of one.
    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    #[inline]
    fn of_each<const N: usize>(&self, planes: &[[__m512i; 4]; N]) -> [__m512i; N] {
        let mut sums = [load(&self.constant); N];
        for pair in [0, 2] {
            let (a, b) = (load(&self.maps[pair]), load(&self.maps[pair + 1]));
            for (sum, planes) in sums.iter_mut().zip(planes) {
                *sum = xor3(
                    *sum,
                    _mm512_gf2p8affine_epi64_epi8::<0>(planes[pair], a),
                    _mm512_gf2p8affine_epi64_epi8::<0>(planes[pair + 1], b),
                );
            }
        }
        sums
    }
}

/// The map of eight registers to eight later registers.
#[derive(Clone)]
struct Advance(Product);

impl Advance {
    /// `rows[i]` is bit `i` of the later register.
    fn new(rows: &[Functional; 32]) -> Self {
        let bytes = rows.as_chunks::<8>().0;
        Self(Product::new(&std::array::from_fn(|word| bytes[word % 4])))
    }

    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    #[inline]
    fn of(&self, planes: &[__m512i; 4]) -> [__m512i; 4] {
        let bytes = self.0.of(planes);
        [
            _mm512_permutexvar_epi64(_mm512_set1_epi64(0), bytes),
            _mm512_permutexvar_epi64(_mm512_set1_epi64(1), bytes),
            _mm512_permutexvar_epi64(_mm512_set1_epi64(2), bytes),
            _mm512_permutexvar_epi64(_mm512_set1_epi64(3), bytes),
        ]
    }
}

/// Bytes that are read after the keep bits are made, brought near meanwhile.
struct Ahead<'a> {
    lines: &'a [[u8; 64]],
    each: usize,
}

impl<'a> Ahead<'a> {
    /// Lines asked for in one block of keep bits, at most: what memory brings
    /// in the time that it takes.
    const MOST: usize = 8;

    /// Divides the bytes among `blocks` blocks.
    fn new(bytes: &'a [u8], blocks: usize) -> Self {
        let lines = bytes.as_chunks().0;
        Self { lines, each: lines.len().div_ceil(blocks.max(1)).min(Self::MOST) }
    }

    /// Asks for the next lines.
    #[inline]
    fn fetch(&mut self) {
        let (now, later) = self.lines.split_at(self.each.min(self.lines.len()));
        for line in now {
            // SAFETY: a hint, which no address makes unsound.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
        }
        self.lines = later;
    }
}

/// Returns up to eight registers, zeros for those that are missing.
#[inline]
fn lanes_of(registers: &[u32]) -> [u32; 8] {
    registers.first_chunk().copied().unwrap_or_else(|| {
        let mut lanes = [0; 8];
        lanes.iter_mut().zip(registers).for_each(|(to, from)| *to = *from);
        lanes
    })
}

/// Puts up to eight registers back.
#[inline]
fn put_lanes(lanes: &[u32; 8], registers: &mut [u32]) {
    match registers.first_chunk_mut() {
        Some(registers) => *registers = *lanes,
        None => registers.iter_mut().zip(lanes).for_each(|(to, from)| *to = *from),
    }
}

/// Returns the byte planes of eight registers: every word of plane `b` holds
/// byte `b` of each.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn planes(registers: &[u32; 8]) -> [__m512i; 4] {
    // SAFETY: `registers` is 32 readable bytes and `loadu` asks no alignment.
    let packed = unsafe { _mm256_loadu_si256(registers.as_ptr().cast()) };
    let packed = _mm512_castsi256_si512(packed);
    let first = _mm512_set1_epi64(0x1c18_1410_0c08_0400);
    [
        _mm512_permutexvar_epi8(first, packed),
        _mm512_permutexvar_epi8(_mm512_add_epi8(first, _mm512_set1_epi8(1)), packed),
        _mm512_permutexvar_epi8(_mm512_add_epi8(first, _mm512_set1_epi8(2)), packed),
        _mm512_permutexvar_epi8(_mm512_add_epi8(first, _mm512_set1_epi8(3)), packed),
    ]
}

/// Returns the registers behind byte planes.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn registers(planes: &[__m512i; 4]) -> [u32; 8] {
    let low = _mm512_unpacklo_epi8(planes[0], planes[1]);
    let high = _mm512_unpacklo_epi8(planes[2], planes[3]);
    let first = _mm512_unpacklo_epi16(low, high);
    let second = _mm512_unpackhi_epi16(low, high);
    let mut words = [0; 8];
    let packed =
        _mm256_inserti128_si256::<1>(_mm512_castsi512_si256(first), _mm512_castsi512_si128(second));
    // SAFETY: `words` is 32 writable bytes and `storeu` asks no alignment.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), packed) };
    words
}

/// Returns the xor of three vectors.
#[target_feature(enable = "avx512f")]
#[inline]
fn xor3(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0x96>(a, b, c)
}

/// Transposes the 8x8 bytes of a vector.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn transpose_bytes(value: __m512i) -> __m512i {
    static INDEX: Row = {
        let mut words = [0u64; 8];
        let mut to = 0;
        while to < 64 {
            words[to / 8] |= ((to % 8 * 8 + to / 8) as u64) << (8 * (to % 8));
            to += 1;
        }
        Row(words)
    };
    _mm512_permutexvar_epi8(load(&INDEX), value)
}

/// Transposes 4x4 blocks of 128 bits.
#[target_feature(enable = "avx512f")]
#[inline]
fn transpose_quarters(rows: [__m512i; 4]) -> [__m512i; 4] {
    let [a, b, c, d] = rows;
    let ab_low = _mm512_shuffle_i64x2::<0x44>(a, b);
    let ab_high = _mm512_shuffle_i64x2::<0xee>(a, b);
    let cd_low = _mm512_shuffle_i64x2::<0x44>(c, d);
    let cd_high = _mm512_shuffle_i64x2::<0xee>(c, d);
    [
        _mm512_shuffle_i64x2::<0x88>(ab_low, cd_low),
        _mm512_shuffle_i64x2::<0xdd>(ab_low, cd_low),
        _mm512_shuffle_i64x2::<0x88>(ab_high, cd_high),
        _mm512_shuffle_i64x2::<0xdd>(ab_high, cd_high),
    ]
}
