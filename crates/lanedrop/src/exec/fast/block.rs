//! Keep bits of some lanes for whoever applies them himself: programs on the
//! device, whose elements lie where patterns put them.

use std::ops::Range;

use super::Fast;
use crate::kernel::{self, WORDS, weave};
use crate::rng::Lanes;

impl Fast {
    /// Returns the kernels that apply keep bits.
    pub(in crate::exec) fn kernels(&self) -> &'static kernel::Backend {
        self.kernels
    }

    /// Decides over the next `count` elements of some lanes; returns how many
    /// stay.
    ///
    /// Lane `l` gets the `stride` words from `(l - range.start) * stride` on, of
    /// which those behind the word of its last element mean nothing. `ahead` is
    /// what is read next, and `room` is kept from call to call.
    ///
    /// # Panics
    /// Where `stride` is no multiple of [`WORDS`] or has fewer bits than
    /// `count`, `bits` has no room for the lanes, or a lane does not exist.
    #[allow(clippy::too_many_arguments, reason = "lanes, bits and what comes next")]
    pub(in crate::exec) fn decide(
        &self,
        lanes: &mut Lanes,
        range: Range<usize>,
        count: usize,
        bits: &mut [u64],
        stride: usize,
        room: &mut Vec<u64>,
        ahead: &[u8],
    ) -> u64 {
        let registers = self.registers_per_lane;
        let width = registers * self.words_per_register;
        let draws = count / registers;
        if registers == 1 {
            let words = &mut lanes.words_mut()[range.start * width..range.end * width];
            self.keep(words, range.start, draws, bits, stride, ahead);
        } else {
            let each = draws.div_ceil(64).next_multiple_of(WORDS);
            room.clear();
            room.resize(range.len() * registers * each, 0);
            let words = &mut lanes.words_mut()[range.start * width..range.end * width];
            self.keep(words, range.start, draws, room, each, ahead);
            for (at, lane) in range.clone().enumerate() {
                let stream =
                    |register| &room[(at * registers + register) * each..][..draws.div_ceil(64)];
                let bits = &mut bits[at * stride..][..stride];
                let woven = 4 * draws.div_ceil(64);
                weave([stream(0), stream(1), stream(2), stream(3)], &mut bits[..woven]);
                self.last_elements(lanes, lane, registers * draws..count, bits);
            }
        }
        let words = count.div_ceil(64);
        let mut kept = 0;
        for bits in bits.chunks_exact_mut(stride).take(range.len()) {
            if let Some(last) = bits[..words].last_mut()
                && !count.is_multiple_of(64)
            {
                *last &= (1 << (count % 64)) - 1;
            }
            kept += self.kernels.ones(&bits[..words]);
        }
        kept
    }

    /// Draws the last few elements one at a time: those that not all registers
    /// of the lane serve.
    fn last_elements(
        &self,
        lanes: &mut Lanes,
        lane: usize,
        elements: Range<usize>,
        bits: &mut [u64],
    ) {
        let (cut, uniform) = (self.cut(lane), lanes.profile().uniform);
        for element in elements {
            let kept = cut.keeps(uniform.key(lanes.draw(lane)));
            let word = &mut bits[element / 64];
            *word = *word & !(1 << (element % 64)) | u64::from(kept) << (element % 64);
        }
    }
}
