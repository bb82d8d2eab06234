//! Vector kernels over slices; uses no other module.
//!
//! A [`Backend`] turns registers into *keep bits* – one bit an element, bit
//! `n % 64` of word `n / 64`, 1 where the element survives – and applies keep
//! bits to elements of 1, 2 or 4 bytes. [`available`] lists the backends this
//! CPU can run, the best one first. All of them give the same bits; which
//! rate, profile or tensor the bits belong to is the business of `exec`.
//!
//! Comparisons are between integers: a uniform conversion is a monotone
//! function of a [`Key`] of the draw, so a rate is one [`Cut`] among the keys.

use std::fmt;
use std::sync::OnceLock;

#[allow(unsafe_code)]
mod copy;
mod interleave;
mod linear;
mod mask;
mod portable;
mod recurrence;
mod scalar;
mod scale;
#[allow(unsafe_code)]
mod streaming;
mod window;
mod xorwow;

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

pub use copy::copy_beyond;
pub use recurrence::{Cut, Key, Recurrence};
pub use scale::Scale;
pub use streaming::Streaming;

use linear::Linear;
use window::Window;
use xorwow::Xorwow;

/// Words a kernel writes at a time: rows of keep bits are multiples of this.
pub const WORDS: usize = 8;

/// The cut of each register.
#[derive(Clone, Copy, Debug)]
pub enum Cuts<'a> {
    /// One for all.
    Same(Cut),
    /// One a register.
    Each(&'a [Cut]),
}

impl Cuts<'_> {
    /// The cut of register `register`.
    #[inline(always)]
    pub fn of(&self, register: usize) -> Cut {
        match self {
            Self::Same(cut) => *cut,
            Self::Each(cuts) => cuts[register],
        }
    }

    #[inline(always)]
    fn differ(&self) -> bool {
        matches!(self, Self::Each(_))
    }

    /// The cuts of registers `from..to`.
    pub fn range(&self, from: usize, to: usize) -> Self {
        match self {
            Self::Same(cut) => Self::Same(*cut),
            Self::Each(cuts) => Cuts::Each(&cuts[from..to]),
        }
    }
}

/// How many bytes an element has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementBytes {
    /// 8-bit integers and floats.
    One,
    /// 16-bit integers and floats.
    Two,
    /// 32-bit integers and floats.
    Four,
}

impl ElementBytes {
    /// The number.
    pub fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Four => 4,
        }
    }
}

/// Writes keep bits of registers of type `R`: what to draw from, the cuts, the
/// registers, how many draws each, the words and the words from one register's
/// row to the next.
type Keep<K, R> = fn(&K, Cuts<'_>, &mut [R], usize, &mut [u64], usize);

/// The kernels for one kind of CPU.
#[derive(Debug)]
pub struct Backend {
    name: &'static str,
    /// Whether `avx512` has the affine kernels.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "AVX-512 alone uses it"))]
    bit_matrices: bool,
    worth_draws: usize,
    window: Keep<Window, u32>,
    linear: Keep<Linear, u32>,
    xorwow: Keep<Xorwow, [u32; 6]>,
    apply: fn(ElementBytes, &[u8], &[u64], &mut [u8], bool),
    apply_in_place: fn(ElementBytes, &mut [u8], &[u64]),
    bytes: fn(&[u64], &mut [u8]),
    scale: fn(Scale<'_>, &mut [u8]),
    ones: fn(&[u64], &mut u64),
}

/// Returns the backends this CPU can run, the best one first.
///
/// ```
/// let names: Vec<_> = lanedrop::kernel::available().iter().map(|b| b.name()).collect();
/// assert_eq!(names.last(), Some(&"scalar"));
/// ```
pub fn available() -> &'static [Backend] {
    static BACKENDS: OnceLock<Vec<Backend>> = OnceLock::new();
    BACKENDS.get_or_init(|| {
        let mut backends = Vec::new();
        #[cfg(target_arch = "x86_64")]
        backends.extend([avx512::backend(), avx2::backend()].into_iter().flatten());
        #[cfg(target_arch = "aarch64")]
        backends.push(neon::backend());
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        backends.push(simd128::backend());
        backends.push(scalar::backend());
        backends
    })
}

/// Returns the backend of this name, `None` when this CPU has not got it.
pub fn backend(name: &str) -> Option<&'static Backend> {
    available().iter().find(|backend| backend.name == name)
}

impl Backend {
    /// The name it goes by: `scalar`, `avx2`, `avx512`, `neon`, `simd128`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How many draws a register must make for kernels to be quicker than one
    /// draw at a time.
    pub fn worth_draws(&self) -> usize {
        self.worth_draws
    }

    /// Calls `run`, which may store past the caches: other threads see such
    /// stores late, but when this returns they do.
    pub fn streaming<R>(&self, run: impl FnOnce(&Streaming) -> R) -> R {
        streaming::fenced(run)
    }

    /// Writes the kept elements of `from` to `to` and zeros for the others.
    ///
    /// `streaming` asks for stores that leave the caches alone, for outputs that
    /// do not fit them.
    ///
    /// # Panics
    ///
    /// When `from` and `to` differ in length or hold no whole elements, or when
    /// `keep` has too few words.
    pub fn apply(
        &self,
        size: ElementBytes,
        from: &[u8],
        keep: &[u64],
        to: &mut [u8],
        streaming: Option<&Streaming>,
    ) {
        assert_eq!(from.len(), to.len(), "input and output differ in length");
        check_words(size, from.len(), keep.len());
        (self.apply)(size, from, keep, to, streaming.is_some());
    }

    /// Zeroes the elements of `data` that are not kept.
    ///
    /// # Panics
    ///
    /// When `data` holds no whole elements or `keep` has too few words.
    pub fn apply_in_place(&self, size: ElementBytes, data: &mut [u8], keep: &[u64]) {
        check_words(size, data.len(), keep.len());
        (self.apply_in_place)(size, data, keep);
    }

    /// Writes keep bits as bytes, 1 for kept.
    ///
    /// # Panics
    ///
    /// When `keep` has too few words.
    pub fn bytes(&self, keep: &[u64], to: &mut [u8]) {
        check_words(ElementBytes::One, to.len(), keep.len());
        (self.bytes)(keep, to);
    }

    /// Returns how many keep bits are 1.
    pub fn ones(&self, keep: &[u64]) -> u64 {
        let mut sum = 0;
        (self.ones)(keep, &mut sum);
        sum
    }

    /// Multiplies little-endian elements where they are.
    ///
    /// # Panics
    ///
    /// When `data` holds no whole elements.
    pub fn scale(&self, scale: Scale<'_>, data: &mut [u8]) {
        let size = scale.element_bytes();
        assert!(data.len().is_multiple_of(size), "{} bytes are no whole elements", data.len());
        (self.scale)(scale, data);
    }
}

fn check_words(size: ElementBytes, bytes: usize, words: usize) {
    assert!(bytes.is_multiple_of(size.count()), "{bytes} bytes are no whole elements");
    assert!((bytes / size.count()).div_ceil(64) <= words, "too few words of keep bits");
}

/// Registers of one affine recurrence, prepared for a backend.
pub struct Affine {
    backend: &'static Backend,
    kind: Kind,
}

enum Kind {
    Window(Box<Window>),
    Linear(Box<Linear>),
    #[cfg(target_arch = "x86_64")]
    WindowGf(Box<avx512::WindowGf>),
    #[cfg(target_arch = "x86_64")]
    LinearGf(Box<avx512::LinearGf>),
}

impl fmt::Debug for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The tables say nothing to people.
        f.debug_struct("Affine").field("backend", &self.backend.name).finish_non_exhaustive()
    }
}

impl Affine {
    /// Prepares the tables of a recurrence whose draws are compared by `key`.
    pub fn new(backend: &'static Backend, recurrence: &Recurrence, key: Key) -> Self {
        #[cfg(target_arch = "x86_64")]
        if backend.bit_matrices {
            let kind = match avx512::WindowGf::new(recurrence, key) {
                Some(window) => Kind::WindowGf(Box::new(window)),
                None => Kind::LinearGf(Box::new(avx512::LinearGf::new(recurrence, key))),
            };
            return Self { backend, kind };
        }
        let kind = match Window::new(recurrence, key) {
            Some(window) => Kind::Window(Box::new(window)),
            None => Kind::Linear(Box::new(Linear::new(recurrence, key))),
        };
        Self { backend, kind }
    }

    /// Writes the keep bits of the next `draws` draws of each register and
    /// leaves the registers after them.
    ///
    /// Register `r` gets the words from `keep[r * stride]` on. Whole multiples
    /// of [`WORDS`] are written; the bits after the last draw mean nothing.
    /// `ahead` is what the caller reads next: it may be brought near meanwhile.
    ///
    /// # Panics
    ///
    /// When `stride` has no room for that, `keep` for the registers, or `cuts`
    /// has too few.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(unused_variables, reason = "AVX-512 alone uses `ahead`")
    )]
    pub fn keep(
        &self,
        cuts: Cuts<'_>,
        registers: &mut [u32],
        draws: usize,
        keep: &mut [u64],
        stride: usize,
        ahead: &[u8],
    ) {
        check_room(cuts, registers.len(), draws, keep.len(), stride);
        match &self.kind {
            Kind::Window(window) => {
                (self.backend.window)(window, cuts, registers, draws, keep, stride);
            }
            Kind::Linear(linear) => {
                (self.backend.linear)(linear, cuts, registers, draws, keep, stride);
            }
            #[cfg(target_arch = "x86_64")]
            Kind::WindowGf(window) => {
                avx512::keep_window(window, cuts, registers, draws, keep, stride, ahead);
            }
            #[cfg(target_arch = "x86_64")]
            Kind::LinearGf(linear) => {
                avx512::keep_linear(linear, cuts, registers, draws, keep, stride, ahead);
            }
        }
    }
}

/// XORWOW registers, prepared for a backend.
#[derive(Debug)]
pub struct XorwowRegisters {
    backend: &'static Backend,
    xorwow: Xorwow,
}

impl XorwowRegisters {
    /// Prepares registers whose draws, `steps` steps each, are compared by
    /// `key`.
    pub fn new(backend: &'static Backend, key: Key, steps: u32, draw_before: bool) -> Self {
        Self { backend, xorwow: Xorwow { key, steps, draw_before } }
    }

    /// As [`Affine::keep`], for registers of six words (x, y, z, w, v, d).
    ///
    /// # Panics
    ///
    /// As [`Affine::keep`].
    pub fn keep(
        &self,
        cuts: Cuts<'_>,
        registers: &mut [[u32; 6]],
        draws: usize,
        keep: &mut [u64],
        stride: usize,
    ) {
        check_room(cuts, registers.len(), draws, keep.len(), stride);
        (self.backend.xorwow)(&self.xorwow, cuts, registers, draws, keep, stride);
    }
}

fn check_room(cuts: Cuts<'_>, registers: usize, draws: usize, words: usize, stride: usize) {
    if let Cuts::Each(cuts) = cuts {
        assert!(cuts.len() >= registers, "{} cuts for {registers} registers", cuts.len());
    }
    let row = draws.div_ceil(64).next_multiple_of(WORDS);
    assert!(stride >= row, "rows of {stride} words for {row}");
    assert!(registers.checked_mul(stride).is_some_and(|need| need <= words), "too few words");
}

/// Weaves the keep bits of four registers into those of their lane: element
/// `k` is draw `k / 4` of register `k % 4`.
///
/// # Panics
///
/// When a stream has fewer words than a quarter of `lane`.
pub fn weave(streams: [&[u64]; 4], lane: &mut [u64]) {
    for (at, words) in lane.chunks_mut(4).enumerate() {
        let woven = interleave::weave(streams.map(|stream| stream[at]));
        words.copy_from_slice(&woven[..words.len()]);
    }
}

#[cfg(test)]
mod tests;
