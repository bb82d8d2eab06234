//! One lane's bits, 64 to a word.

/// A row of bits: element `i` is bit `i mod 64` of word `i div 64`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BitRow {
    words: Vec<u64>,
    len: usize,
}

impl BitRow {
    /// Returns `len` bits, all 0.
    pub fn zeros(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// Returns the bits that `bit` gives for each element.
    pub fn from_fn(len: usize, mut bit: impl FnMut(usize) -> bool) -> Self {
        let mut row = Self::zeros(len);
        for i in 0..len {
            row.words[i / 64] |= u64::from(bit(i)) << (i % 64);
        }
        row
    }

    /// Returns how many bits there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is no bit.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the words; bits past the end are 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns bit `i`.
    ///
    /// # Panics
    /// Where there is no such bit.
    #[inline]
    pub fn bit(&self, i: usize) -> bool {
        assert!(i < self.len, "bit {i} of {}", self.len);
        self.words[i / 64] >> (i % 64) & 1 == 1
    }

    /// Inverts bit `i`.
    ///
    /// # Panics
    /// Where there is no such bit.
    pub fn flip(&mut self, i: usize) {
        assert!(i < self.len, "bit {i} of {}", self.len);
        self.words[i / 64] ^= 1 << (i % 64);
    }

    /// Returns how many bits are 1.
    pub fn count_ones(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns every bit inverted.
    pub fn inverted(&self) -> Self {
        let mut words: Vec<u64> = self.words.iter().map(|word| !word).collect();
        if let (Some(last), rest @ 1..) = (words.last_mut(), self.len % 64) {
            *last &= (1 << rest) - 1;
        }
        Self { words, len: self.len }
    }

    /// Returns up to 64 bits from `start` on; bits past the end are 0.
    #[inline]
    pub fn window(&self, start: usize) -> u64 {
        let (word, shift) = (start / 64, start % 64);
        let low = self.words.get(word).copied().unwrap_or(0) >> shift;
        if shift == 0 {
            return low;
        }
        low | self.words.get(word + 1).copied().unwrap_or(0) << (64 - shift)
    }

    /// Returns the hex form of a capture file: byte after byte, the least
    /// significant bit first.
    pub fn to_hex(&self) -> String {
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        bytes.take(self.len.div_ceil(8)).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the row of this hex form, or `None` where it has another length,
    /// another character or a pad bit that is set.
    pub fn from_hex(text: &str, len: usize) -> Option<Self> {
        if text.len() != len.div_ceil(8) * 2 {
            return None;
        }
        let mut row = Self::zeros(len);
        for (i, pair) in text.as_bytes().as_chunks::<2>().0.iter().enumerate() {
            let digit = |c: u8| (c as char).to_digit(16);
            let byte = u64::from(digit(pair[0])? << 4 | digit(pair[1])?);
            row.words[i / 8] |= byte << (i % 8 * 8);
        }
        match (row.words.last(), len % 64) {
            (Some(last), rest @ 1..) if last >> rest != 0 => None,
            _ => Some(row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_goes_there_and_back_at_every_length() {
        for len in [0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 130] {
            let row = BitRow::from_fn(len, |i| i * i % 7 < 3);
            assert_eq!(BitRow::from_hex(&row.to_hex(), len), Some(row.clone()));
            assert_eq!(row.inverted().count_ones() + row.count_ones(), len);
        }
    }

    #[test]
    fn the_first_element_is_the_least_significant_bit() {
        let row = BitRow::from_hex("c9d1", 16).unwrap();
        let bits: Vec<bool> = (0..8).map(|i| row.bit(i)).collect();
        assert_eq!(bits, [true, false, false, true, false, false, true, true]);
        assert_eq!(row.window(4) & 0xff, 0x1c);
    }

    #[test]
    fn a_pad_bit_that_is_set_is_refused() {
        assert_eq!(BitRow::from_hex("1f", 4), None);
        assert_eq!(BitRow::from_hex("0g", 4), None);
        assert_eq!(BitRow::from_hex("0f0", 4), None);
    }
}
