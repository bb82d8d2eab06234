//! A million records decode, and validate, in under a second each.

use std::hint::black_box;
use std::time::{Duration, Instant};

use lanedrop::isa::{Addr4, Dropout, Dtype, Generation, Tensor3d, validate, words};

/// A debug build is some twenty times slower and only shows that it works.
const RECORDS: usize = if cfg!(debug_assertions) { 50_000 } else { 1_000_000 };
const LIMIT: Duration = Duration::from_secs(1);

fn stream() -> Vec<u8> {
    (0..RECORDS)
        .flat_map(|index| {
            let offset = (index % 64) as u32 * 1024;
            let src = Tensor3d::row(Addr4(offset), 512);
            let dst = Tensor3d::row(Addr4(0x1_0000 + offset), 512);
            Dropout::new(Dtype::BFLOAT16, src, dst, 128, 0.1).encode().0
        })
        .collect()
}

#[test]
fn a_stream_decodes_and_validates_in_time() {
    let stream = stream();
    let start = Instant::now();
    let mut channels = 0usize;
    for word in words(&stream).unwrap() {
        channels += usize::from(black_box(Dropout::decode(&word)).unwrap().num_active_channels);
    }
    let decoding = start.elapsed();
    assert_eq!(channels, 128 * RECORDS);

    let start = Instant::now();
    for generation in Generation::ALL {
        let legal = words(&stream)
            .unwrap()
            .filter(|word| black_box(validate(word, generation)).is_legal())
            .count();
        assert_eq!(legal, RECORDS);
    }
    let validating = start.elapsed() / 4;
    println!("{RECORDS} records: decoding {decoding:?}, validating {validating:?} a generation");
    assert!(decoding < LIMIT && validating < LIMIT, "{decoding:?}, {validating:?}");
}
