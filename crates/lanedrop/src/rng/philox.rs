//! Philox 4x32 with ten rounds: a counter, scrambled under a key.

const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
const KEY_STEPS: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
const ROUNDS: usize = 10;

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, 2011).
///
/// Block `b` is a function of `counter + b` (128 bits, low word first) and the
/// key alone and has four words, which are drawn in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Philox4x32 {
    counter: u128,
    key: [u32; 2],
    /// How many words of the current block are drawn, 0 to 3.
    drawn: u8,
}

impl Philox4x32 {
    /// Returns the generator whose first block is that of `counter` under
    /// `key`.
    pub fn new(counter: [u32; 4], key: [u32; 2]) -> Self {
        Self { counter: joined(counter), key, drawn: 0 }
    }

    /// Returns the four words of one block.
    ///
    /// ```
    /// # use lanedrop::rng::Philox4x32;
    /// assert_eq!(
    ///     Philox4x32::block([0; 4], [0; 2]),
    ///     [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8],
    /// );
    /// ```
    pub fn block(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
        let mut words = counter;
        let mut key = key;
        for _ in 0..ROUNDS {
            let [a, b, c, d] = words;
            let [first, second] = [(MULTIPLIERS[0], a), (MULTIPLIERS[1], c)]
                .map(|(m, x)| u64::from(m) * u64::from(x));
            words = [
                (second >> 32) as u32 ^ b ^ key[0],
                second as u32,
                (first >> 32) as u32 ^ d ^ key[1],
                first as u32,
            ];
            key = [0, 1].map(|i| key[i].wrapping_add(KEY_STEPS[i]));
        }
        words
    }

    /// Returns the counter of the block that the next draw is from.
    pub fn counter(&self) -> [u32; 4] {
        split(self.counter)
    }

    /// Returns the key.
    pub fn key(&self) -> [u32; 2] {
        self.key
    }

    /// Returns which word of its block the next draw is, 0 to 3.
    pub fn position(&self) -> u8 {
        self.drawn
    }

    /// Returns the next draw.
    pub fn next_u32(&mut self) -> u32 {
        let draw = self.peek(0);
        self.advance(1);
        draw
    }

    /// Returns the draw that comes after `n` others, and stays where it is.
    pub fn peek(&self, n: u128) -> u32 {
        let mut ahead = *self;
        ahead.advance(n);
        Self::block(ahead.counter(), self.key)[usize::from(ahead.drawn)]
    }

    /// Fills `draws` with the next draws, a block at a time.
    pub fn fill(&mut self, draws: &mut [u32]) {
        let mut rest = draws;
        while !rest.is_empty() {
            let block = Self::block(self.counter(), self.key);
            let left = &block[usize::from(self.drawn)..];
            let taken = left.len().min(rest.len());
            let (now, later) = rest.split_at_mut(taken);
            now.copy_from_slice(&left[..taken]);
            rest = later;
            self.advance(taken as u128);
        }
    }

    /// Goes on by `n` draws at once. The whole period is 2^130.
    pub fn advance(&mut self, n: u128) {
        let words = u128::from(self.drawn) + n % 4;
        self.counter = self.counter.wrapping_add(n / 4).wrapping_add(words / 4);
        self.drawn = (words % 4) as u8;
    }
}

fn joined(counter: [u32; 4]) -> u128 {
    counter.into_iter().rev().fold(0, |sum, word| sum << 32 | u128::from(word))
}

fn split(counter: u128) -> [u32; 4] {
    [0, 32, 64, 96].map(|shift| (counter >> shift) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_answers_of_random123_come_out() {
        // kat_vectors, "philox4x32 10".
        assert_eq!(
            Philox4x32::block([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            Philox4x32::block(
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0]
            ),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn a_fill_draws_what_single_draws_and_peeks_do() {
        for start in 0..4 {
            for length in [0, 1, 3, 4, 5, 11] {
                let mut one = Philox4x32::new([u32::MAX, u32::MAX, 7, 0], [1, 2]);
                one.advance(start);
                let mut other = one;
                let peeked: Vec<u32> = (0..length as u128).map(|n| one.peek(n)).collect();
                let mut draws = vec![0; length];
                one.fill(&mut draws);
                let singly: Vec<u32> = draws.iter().map(|_| other.next_u32()).collect();
                assert_eq!((&draws, one), (&singly, other));
                assert_eq!(draws, peeked);
            }
        }
    }

    #[test]
    fn the_counter_carries_and_comes_round() {
        let mut generator = Philox4x32::new([u32::MAX; 4], [0; 2]);
        generator.advance(5);
        assert_eq!((generator.counter(), generator.position()), ([0; 4], 1));
        let mut long = Philox4x32::new([0; 4], [0; 2]);
        long.advance(u128::MAX);
        long.advance(1);
        assert_eq!((long.counter(), long.position()), ([0, 0, 0, 1 << 30], 0));
    }

    #[test]
    fn jumps_add() {
        let jumped = |steps: &[u128]| {
            let mut generator = Philox4x32::new([1, 2, 3, 4], [5, 6]);
            steps.iter().for_each(|&n| generator.advance(n));
            generator
        };
        assert_eq!(jumped(&[123, 456_789, 1 << 62]), jumped(&[456_912, 1 << 61, 1 << 61]));
    }
}
