//! The portable kernels as a table of functions, compiled once a backend.

/// Defines `functions()`, the table of the portable kernels, compiled with the
/// given target features. The caller hands the table out only on a CPU that
/// has them.
macro_rules! portable {
    ($($features:literal)?) => {
        fn functions() -> Backend {
            portable!(@wrap $($features)? ; window(window: &super::window::Window, cuts: super::Cuts<'_>,
                registers: &mut [u32], draws: usize, keep: &mut [u64], stride: usize)
                { window.keep(cuts, registers, draws, keep, stride) });
            portable!(@wrap $($features)? ; linear(linear: &super::linear::Linear, cuts: super::Cuts<'_>,
                registers: &mut [u32], draws: usize, keep: &mut [u64], stride: usize)
                { linear.keep(cuts, registers, draws, keep, stride) });
            portable!(@wrap $($features)? ; xorwow(xorwow: &super::xorwow::Xorwow, cuts: super::Cuts<'_>,
                registers: &mut [[u32; 6]], draws: usize, keep: &mut [u64], stride: usize)
                { xorwow.keep(cuts, registers, draws, keep, stride) });
            portable!(@wrap $($features)? ; apply(size: super::ElementBytes, from: &[u8], keep: &[u64],
                to: &mut [u8], _beyond_cache: bool)
                { super::mask::apply(size, from, keep, to) });
            portable!(@wrap $($features)? ; apply_in_place(size: super::ElementBytes, data: &mut [u8],
                keep: &[u64])
                { super::mask::apply_in_place(size, data, keep) });
            portable!(@wrap $($features)? ; bytes(keep: &[u64], to: &mut [u8])
                { super::mask::bytes(keep, to) });
            portable!(@wrap $($features)? ; scale(scale: super::Scale<'_>, data: &mut [u8])
                { super::scale::scale(scale, data) });
            portable!(@wrap $($features)? ; ones(words: &[u64], sum: &mut u64)
                { *sum = words.iter().map(|word| u64::from(word.count_ones())).sum() });
            Backend {
                name: "",
                bit_matrices: false,
                worth_draws: 8,
                window,
                linear,
                xorwow,
                apply,
                apply_in_place,
                bytes,
                scale,
                ones,
            }
        }
    };
    (@wrap ; $name:ident($($arg:ident: $type:ty),*) $body:block) => {
        fn $name($($arg: $type),*) $body
    };
    (@wrap $features:literal ; $name:ident($($arg:ident: $type:ty),*) $body:block) => {
        fn $name($($arg: $type),*) {
            #[target_feature(enable = $features)]
            fn compiled($($arg: $type),*) $body
            // SAFETY: the table is handed out on CPUs with these features alone.
            unsafe { compiled($($arg),*) }
        }
    };
}
pub(super) use portable;
