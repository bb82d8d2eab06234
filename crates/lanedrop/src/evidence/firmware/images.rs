//! The firmware images inside the container, and where they stand.

use serde::Serialize;

/// The library the ledger's sites were read from.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Container {
    /// The file's name.
    pub name: &'static str,
    /// The package that holds it.
    pub package: &'static str,
    /// The folder inside the package.
    pub folder: &'static str,
    /// Its length.
    pub size_bytes: u64,
    /// Its SHA-256 in hex.
    pub sha256: &'static str,
}

/// The one build that pages about the firmware were written from.
pub static CONTAINER: Container = Container {
    name: "libnrtucode_internal.so",
    package: "aws-neuronx-gpsimd-customop-lib 0.21.2.0 (amd64)",
    folder: "opt/aws/neuron/gpsimd/custom_op/c10/lib",
    size_bytes: 10_276_288,
    sha256: "b7c67e898a116454a8e0ce257b1d6523a23ffa237a6ec21021ecb70632fc329b",
};

/// One firmware image: a processor's instructions (IRAM) or data (DRAM).
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Image {
    /// Generation, processor, build and memory, as the symbols spell them.
    pub name: &'static str,
    /// Where it starts in the container; the first segment maps file offset to
    /// the same address.
    pub offset_bytes: u64,
    /// Its length.
    pub size_bytes: u64,
    /// The first digits of its SHA-256 that a page gives, or all of them; empty
    /// when no page gives any.
    pub sha256_prefix: &'static str,
}

/// Defines the images as statics and lists them in `IMAGES`.
macro_rules! images {
    ($($name:ident $offset:literal $size:literal $sha256:literal;)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`.")]
            pub(super) static $name: Image = Image {
                name: stringify!($name),
                offset_bytes: $offset,
                size_bytes: $size,
                sha256_prefix: $sha256,
            };
        )*

        /// Every image, by generation and processor.
        pub static IMAGES: &[&Image] = &[$(&$name),*];
    };
}

images! {
    CAYMAN_NX_DVE_DEBUG_IRAM 0x16f660 0x1bcc0 "259769ff1b47b3b3";
    CAYMAN_NX_DVE_DEBUG_DRAM 0x18b320 0x06d60 "c106642d38386cb7";
    CAYMAN_NX_DVE_PERF_IRAM 0x06f600 0x15c20 "9fa066f40f3cafc5";
    CAYMAN_NX_DVE_PERF_DRAM 0x085220 0x02fc0 "eb980f98138d6010";
    CAYMAN_NX_DVE_TEST_IRAM 0x0ebde0 0x15840 "3e83b0f4bcc8e964";
    CAYMAN_NX_DVE_TEST_DRAM 0x101620 0x032c0 "5efcb3eb31907683";
    CAYMAN_NX_DVE_PROF_CAM 0x304ca0 0x00400 "8fd7e422bd07881a";
    CAYMAN_NX_DVE_PROF_TABLE 0x3050a0 0x02000 "ce761f81d075658e";
    MARIANA_NX_DVE_DEBUG_IRAM 0x408fc0 0x1c560 "4c75ba8ea14eb6a1161996f0e2d10a7b81b025ee07a901f59e03b0f7c3ff7e11";
    MARIANA_NX_DVE_DEBUG_DRAM 0x425520 0x07000 "6f65a629";
    CAYMAN_Q7_POOL_DEBUG_IRAM 0x249020 0x1ea40 "513a8a22d94b08c2";
    CAYMAN_Q7_POOL_DEBUG_DRAM 0x267a60 0x15d00 "226f4254d4751903";
    CAYMAN_NX_POOL_DEBUG_IRAM 0x1b1420 0x1c820 "8e4412b99201f62d";
    CAYMAN_NX_POOL_DEBUG_DRAM 0x1cdc40 0x06f20 "7bdf6ed7ccd27b37";
    MARIANA_Q7_POOL_DEBUG_IRAM 0x4e2440 0x1ed40 "47f766292c90a1057b77f5f32b678750491c1d68f00326dbbe166c75b96ef63e";
    MARIANA_Q7_POOL_DEBUG_DRAM 0x501180 0x15d80 "02cacff07e19";
    MARIANA_NX_POOL_DEBUG_IRAM 0x44b540 0x1c080 "41b6c798";
    MARIANA_NX_POOL_DEBUG_DRAM 0x4675c0 0x07000 "ec067304";
    MARIANA_PLUS_Q7_POOL_DEBUG_IRAM 0x7adf40 0x1ef00 "1c9c15bc";
    SUNDA_Q7_POOL_RELEASE_DRAM 0x04cec0 0x0a540 "";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_images_overlap_and_all_end_in_the_first_segment() {
        let mut spans: Vec<_> = IMAGES
            .iter()
            .map(|i| (i.offset_bytes, i.offset_bytes + i.size_bytes, i.name))
            .collect();
        spans.sort();
        for pair in spans.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "{pair:x?}");
        }
        // The first segment's length in the file, page "CAYMAN x DVE image".
        assert!(spans.last().unwrap().1 <= 0x9af194);
    }

    #[test]
    fn every_digest_is_lower_case_hex() {
        let digits =
            |text: &str| text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        assert!(digits(CONTAINER.sha256) && CONTAINER.sha256.len() == 64);
        assert!(IMAGES.iter().all(|image| digits(image.sha256_prefix)));
    }
}
