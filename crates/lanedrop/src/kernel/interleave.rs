//! Four streams of keep bits woven into one: bit `n` of stream `s` becomes
//! bit `4 n + s`.

/// Spreads 16 bits so that three zeros stand above each.
#[inline(always)]
fn spread(bits: u64) -> u64 {
    let mut word = bits & 0xffff;
    word = (word | word << 24) & 0x0000_00ff_0000_00ff;
    word = (word | word << 12) & 0x000f_000f_000f_000f;
    word = (word | word << 6) & 0x0303_0303_0303_0303;
    (word | word << 3) & 0x1111_1111_1111_1111
}

/// Weaves 64 bits of each of four streams into 256 bits.
#[inline(always)]
pub(super) fn weave(streams: [u64; 4]) -> [u64; 4] {
    std::array::from_fn(|part| {
        let part = 16 * part as u32;
        streams.iter().enumerate().fold(0, |word, (at, stream)| word | spread(stream >> part) << at)
    })
}

#[cfg(test)]
mod tests {
    use super::weave;

    #[test]
    fn weaving_puts_bit_n_of_stream_s_at_4n_plus_s() {
        let streams = [0x0123_4567_89ab_cdef, u64::MAX, 0, 0x8000_0000_0000_0001];
        let woven = weave(streams);
        for at in 0..256 {
            let bit = woven[at / 64] >> (at % 64) & 1;
            assert_eq!(bit, streams[at % 4] >> (at / 4) & 1, "bit {at}");
        }
    }
}
