//! The on-chip memories, byte for byte.

use thiserror::Error;

use super::bound::{Bound, Holder, Lent, Window};
use super::partition::Partition;
use crate::isa::{Generation, Place, Space};

/// SBUF and PSUM of one generation.
///
/// An empty memory costs next to nothing: a partition holds bytes up to the
/// last one written. What was never written reads as zero; on a device it
/// would be whatever was there before.
///
/// Bytes of the caller can be [lent](Memory::lend) and [bound](Memory::bind) to
/// a place, as if a DMA had moved them there and back, but without the copies;
/// `'t` is how long.
///
/// ```
/// use lanedrop::device::Memory;
/// use lanedrop::isa::{Generation, Place, Space};
/// let mut memory = Memory::new(Generation::V3);
/// let place = Place { space: Space::Sbuf, partition: 127, offset_bytes: 0x100 };
/// memory.write(place, &[1, 2, 3])?;
/// let mut bytes = [9; 4];
/// memory.read(place, &mut bytes)?;
/// assert_eq!(bytes, [1, 2, 3, 0]);
/// # Ok::<(), lanedrop::device::MemoryError>(())
/// ```
#[derive(Debug)]
pub struct Memory<'t> {
    generation: Generation,
    sbuf: Vec<Partition>,
    psum: Vec<Partition>,
    bound: Bound<'t>,
}

/// Bytes cannot be where they were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The generation has no such partition.
    #[error("partition is {partition} of {}, which has {partitions} on {generation}", space.name())]
    Partition {
        /// Which memory.
        space: Space,
        /// The partition asked for.
        partition: u32,
        /// How many there are.
        partitions: u32,
        /// On which generation.
        generation: Generation,
    },
    /// The bytes would reach beyond the active ones of the partition.
    #[error(
        "{len_bytes} bytes at {place} end beyond the {active_bytes} bytes that are active in a \
         partition on {generation}"
    )]
    Active {
        /// The first byte.
        place: Place,
        /// How many bytes.
        len_bytes: usize,
        /// How many bytes of a partition exist.
        active_bytes: u32,
        /// On which generation.
        generation: Generation,
    },
    /// Other bytes are bound there already, or fewer were lent.
    #[error(
        "{rows} rows of {len_bytes} bytes at {place} overlap with others that are bound there, or \
         are not among the bytes that were lent"
    )]
    Bound {
        /// The first byte.
        place: Place,
        /// How many rows.
        rows: u32,
        /// How many bytes of each.
        len_bytes: usize,
    },
}

/// A source range, to be read, and a destination range, to be written.
pub type Rows<'a> = (&'a [u8], &'a mut [u8]);

impl<'t> Memory<'t> {
    /// Returns the empty memories of `generation`.
    pub fn new(generation: Generation) -> Self {
        let partitions = |space: Space| {
            let region = space.region(generation);
            (0..region.size_bytes / region.stride_bytes).map(|_| Partition::default()).collect()
        };
        let (sbuf, psum) = (partitions(Space::Sbuf), partitions(Space::Psum));
        Self { generation, sbuf, psum, bound: Bound::default() }
    }

    /// Returns the generation whose memories these are.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// Returns how many bytes of each partition exist.
    pub fn active_bytes(&self, space: Space) -> u32 {
        space.region(self.generation).active_bytes
    }

    /// Asks whether `len_bytes` bytes from `place` on exist.
    ///
    /// # Errors
    /// Where the partition does not, or the bytes reach beyond its active ones.
    pub fn check(&self, place: Place, len_bytes: usize) -> Result<(), MemoryError> {
        let Place { space, partition, offset_bytes } = place;
        let generation = self.generation;
        let partitions = self.partitions(space).len() as u32;
        if partition >= partitions {
            return Err(MemoryError::Partition { space, partition, partitions, generation });
        }
        let active_bytes = self.active_bytes(space);
        let end = (offset_bytes as usize).checked_add(len_bytes);
        if end.is_none_or(|end| end > active_bytes as usize) {
            return Err(MemoryError::Active { place, len_bytes, active_bytes, generation });
        }
        Ok(())
    }

    /// Reads the bytes from `place` on, all in its partition.
    ///
    /// # Errors
    /// Where the bytes do not exist; `into` is as it was then.
    pub fn read(&self, place: Place, into: &mut [u8]) -> Result<(), MemoryError> {
        self.check(place, into.len())?;
        let start = place.offset_bytes as usize;
        self.partitions(place.space)[place.partition as usize].read(start, into);
        for index in self.bound.over(place, into.len()) {
            let (part, len) = self.bound.common(index, place, into.len());
            let at = part.offset_bytes as usize - start;
            into[at..at + len].copy_from_slice(self.bound.read(index, part, len));
        }
        Ok(())
    }

    /// Writes the bytes from `place` on, all in its partition.
    ///
    /// # Errors
    /// Where the bytes do not exist; the memory is as it was then.
    pub fn write(&mut self, place: Place, bytes: &[u8]) -> Result<(), MemoryError> {
        self.check(place, bytes.len())?;
        if let Some(own) = self.one_piece(place, bytes.len()) {
            own.copy_from_slice(bytes);
            return Ok(());
        }
        for (offset_bytes, byte) in (place.offset_bytes..).zip(bytes) {
            // One byte is always in one piece.
            if let Some(own) = self.one_piece(Place { offset_bytes, ..place }, 1) {
                own[0] = *byte;
            }
        }
        Ok(())
    }

    /// Takes bytes of the caller that may be read.
    ///
    /// A program that writes to them writes to a copy in the memory.
    pub fn lend(&mut self, bytes: &'t [u8]) -> Lent {
        self.bound.lend(bytes)
    }

    /// Takes bytes of the caller that may be read and written.
    pub fn lend_mut(&mut self, bytes: &'t mut [u8]) -> Lent {
        self.bound.lend_mut(bytes)
    }

    /// Puts lent bytes in the place of the memory's own.
    ///
    /// # Errors
    /// Where the places do not exist, others are bound there, or the lent bytes
    /// end before the window does.
    pub fn bind(&mut self, window: Window) -> Result<(), MemoryError> {
        let Window { place, rows, len_bytes, .. } = window;
        let last = place.partition.saturating_add(rows.saturating_sub(1));
        for partition in [place.partition, last] {
            self.check(Place { partition, ..place }, len_bytes)?;
        }
        if self.bound.bind(window) {
            Ok(())
        } else {
            Err(MemoryError::Bound { place, rows, len_bytes })
        }
    }

    /// Takes all windows down: the memory's own bytes are in their places again.
    pub fn unbind(&mut self) {
        self.bound.unbind();
    }

    /// Returns `len_bytes` bytes from `place` on in one piece, to be written;
    /// `None` where they are in several, partly bound and partly not.
    ///
    /// # Errors
    /// Where the bytes do not exist.
    pub fn row(
        &mut self,
        place: Place,
        len_bytes: usize,
    ) -> Result<Option<&mut [u8]>, MemoryError> {
        self.check(place, len_bytes)?;
        Ok(self.one_piece(place, len_bytes))
    }

    /// Returns bytes that are bound at `place`, as many of `len_bytes` as lie in
    /// one piece; none where none are.
    pub fn peek(&self, place: Place, len_bytes: usize) -> &[u8] {
        let Some(index) = self.bound.over(place, 1).next() else { return &[] };
        let (_, len) = self.bound.common(index, place, len_bytes);
        self.bound.read(index, place, len)
    }

    /// Returns a source range, to be read, and a destination range, to be
    /// written; `None` where they overlap, or one of them is in several pieces,
    /// partly bound and partly not.
    ///
    /// # Errors
    /// Where bytes of either do not exist.
    pub fn rows(
        &mut self,
        src: (Place, usize),
        dst: (Place, usize),
    ) -> Result<Option<Rows<'_>>, MemoryError> {
        self.check(src.0, src.1)?;
        self.check(dst.0, dst.1)?;
        let to = self.writable(dst.0, dst.1);
        let holders = [self.bound.holder(src.0, src.1), to];
        let ranges = [src, dst].map(|(place, len)| {
            let start = place.offset_bytes as usize;
            start..start + len
        });
        let limits = [src.0.space, dst.0.space].map(|space| self.active_bytes(space) as usize);
        let Self { sbuf, psum, bound, .. } = self;
        let [read, written] = ranges;
        let indices = [src.0, dst.0].map(|place| place.partition as usize);
        Ok(match holders {
            [Holder::Pieces, _] | [_, Holder::Pieces] => None,
            [Holder::Window(from), Holder::Window(to)] => {
                bound.pair((from, src.0, src.1), (to, dst.0, dst.1))
            }
            [Holder::Window(from), Holder::Own] => {
                let partitions = if dst.0.space == Space::Sbuf { sbuf } else { psum };
                let to = partitions[indices[1]].range(written, limits[1]);
                Some((bound.read(from, src.0, src.1), to))
            }
            [Holder::Own, Holder::Window(to)] => {
                let partitions = if src.0.space == Space::Sbuf { sbuf } else { psum };
                let from = &*partitions[indices[0]].range(read, limits[0]);
                bound.write(to, dst.0, dst.1).map(|to| (from, to))
            }
            [Holder::Own, Holder::Own] => {
                let pair = match (src.0.space, dst.0.space) {
                    (Space::Sbuf, Space::Psum) => {
                        Some([&mut sbuf[indices[0]], &mut psum[indices[1]]])
                    }
                    (Space::Psum, Space::Sbuf) => {
                        Some([&mut psum[indices[0]], &mut sbuf[indices[1]]])
                    }
                    (space, _) => {
                        let partitions = if space == Space::Sbuf { sbuf } else { psum };
                        if indices[0] == indices[1] {
                            return Ok(partitions[indices[0]].pair(read, written, limits[0]));
                        }
                        partitions.get_disjoint_mut(indices).ok()
                    }
                };
                pair.map(|[from, to]| (&*from.range(read, limits[0]), to.range(written, limits[1])))
            }
        })
    }

    /// As [`rows`](Memory::rows), and of as many more partitions as make
    /// `partitions`: `None` also where their bytes do not lie one partition's
    /// behind another's, as windows without gaps have them.
    ///
    /// # Errors
    /// Where bytes of either do not exist.
    pub fn sheets(
        &mut self,
        src: (Place, usize),
        dst: (Place, usize),
        partitions: u32,
    ) -> Result<Option<Rows<'_>>, MemoryError> {
        let mut windows = [0; 2];
        for (index, (place, len)) in windows.iter_mut().zip([src, dst]) {
            let last = place.partition.saturating_add(partitions.saturating_sub(1));
            self.check(place, len)?;
            self.check(Place { partition: last, ..place }, len)?;
            match self.bound.holder(place, len) {
                Holder::Window(found) if self.bound.is_dense(found, place, len, partitions) => {
                    *index = found;
                }
                _ => return Ok(None),
            }
        }
        let all = |index, (place, len): (Place, usize)| (index, place, len * partitions as usize);
        Ok(self.bound.pair(all(windows[0], src), all(windows[1], dst)))
    }

    /// Returns bytes that exist, to be written; none where they are in several
    /// pieces.
    fn one_piece(&mut self, place: Place, len: usize) -> Option<&mut [u8]> {
        match self.writable(place, len) {
            Holder::Window(index) => self.bound.write(index, place, len),
            Holder::Own => {
                let limit = self.active_bytes(place.space) as usize;
                let start = place.offset_bytes as usize;
                let partition = &mut self.partitions_mut(place.space)[place.partition as usize];
                Some(partition.range(start..start + len, limit))
            }
            Holder::Pieces => None,
        }
    }

    /// Returns where bytes are, after those of them that were lent to be read
    /// have become the memory's own.
    fn writable(&mut self, place: Place, len: usize) -> Holder {
        loop {
            match self.bound.holder(place, len) {
                Holder::Window(index) if self.bound.is_shared(index) => {}
                Holder::Pieces => {}
                holder => return holder,
            }
            let rows = self.bound.take_shared(place, len);
            if rows.is_empty() {
                return Holder::Pieces;
            }
            let limit = self.active_bytes(place.space) as usize;
            for (place, row) in rows {
                let start = place.offset_bytes as usize;
                let partition = &mut self.partitions_mut(place.space)[place.partition as usize];
                partition.range(start..start + row.len(), limit).copy_from_slice(row);
            }
        }
    }

    fn partitions(&self, space: Space) -> &[Partition] {
        match space {
            Space::Sbuf => &self.sbuf,
            Space::Psum => &self.psum,
        }
    }

    fn partitions_mut(&mut self, space: Space) -> &mut [Partition] {
        match space {
            Space::Sbuf => &mut self.sbuf,
            Space::Psum => &mut self.psum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn sbuf(partition: u32, offset_bytes: u32) -> Place {
        Place { space: Space::Sbuf, partition, offset_bytes }
    }

    const fn psum(partition: u32, offset_bytes: u32) -> Place {
        Place { space: Space::Psum, partition, offset_bytes }
    }

    #[test]
    fn each_generation_has_the_bytes_its_headers_give_it() {
        for (generation, sbuf_kib, has_psum) in [
            (Generation::V2, 192, true),
            (Generation::V3, 224, true),
            (Generation::V4, 256, true),
            (Generation::V5, 512, false),
        ] {
            let mut memory = Memory::new(generation);
            assert_eq!(memory.write(sbuf(127, sbuf_kib * 1024 - 1), &[1]), Ok(()));
            assert!(memory.write(sbuf(127, sbuf_kib * 1024 - 1), &[1, 2]).is_err());
            assert!(memory.write(sbuf(128, 0), &[1]).is_err());
            assert_eq!(memory.write(psum(127, 16 * 1024 - 1), &[1]).is_ok(), has_psum);
            assert!(memory.write(psum(0, 16 * 1024), &[1]).is_err());
        }
    }

    #[test]
    fn errors_say_what_there_is() {
        let mut memory = Memory::new(Generation::V5);
        assert_eq!(
            memory.write(psum(3, 0), &[1]).unwrap_err().to_string(),
            "partition is 3 of psum, which has 0 on v5"
        );
        assert_eq!(
            memory.write(sbuf(0, 0x7_fffe), &[0; 4]).unwrap_err().to_string(),
            "4 bytes at sbuf[p0+0x7fffe] end beyond the 524288 bytes that are active in a \
             partition on v5"
        );
    }

    #[test]
    fn two_rows_come_apart_unless_they_overlap() {
        let mut memory = Memory::new(Generation::V3);
        memory.write(sbuf(1, 0), &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        memory.write(psum(1, 0), &[9; 4]).unwrap();
        let rows = memory.rows((sbuf(1, 0), 4), (sbuf(1, 4), 4)).unwrap().unwrap();
        assert_eq!(rows, (&[1, 2, 3, 4][..], &mut [5, 6, 7, 8][..]));
        assert_eq!(memory.rows((sbuf(1, 2), 4), (sbuf(1, 0), 4)).unwrap(), None);
        let rows = memory.rows((sbuf(1, 2), 2), (sbuf(2, 0), 2)).unwrap().unwrap();
        assert_eq!(rows, (&[3, 4][..], &mut [0, 0][..]));
        let rows = memory.rows((psum(1, 0), 2), (sbuf(1, 0), 2)).unwrap().unwrap();
        assert_eq!(rows, (&[9, 9][..], &mut [1, 2][..]));
    }

    #[test]
    fn bound_bytes_are_read_and_written_where_they_are() {
        let (input, mut output) = ([1, 2, 3, 4, 5, 6], [0; 6]);
        let mut memory = Memory::new(Generation::V3);
        let lent = [memory.lend(&input), memory.lend_mut(&mut output)];
        // Rows of two bytes, in partitions 5, 6 and 7.
        let window = |place, lent| Window {
            place,
            rows: 3,
            len_bytes: 2,
            lent,
            first_byte: 0,
            pitch_bytes: 2,
        };
        memory.bind(window(sbuf(5, 64), lent[0])).unwrap();
        memory.bind(window(sbuf(5, 128), lent[1])).unwrap();
        for partition in 5..8 {
            let rows = memory.rows((sbuf(partition, 64), 2), (sbuf(partition, 128), 2));
            let (src, dst) = rows.unwrap().unwrap();
            dst.copy_from_slice(src);
        }
        assert_eq!(memory.rows((sbuf(5, 62), 4), (sbuf(5, 128), 2)).unwrap(), None);
        let sheets = |memory: &mut Memory<'_>, partitions| {
            let sheets = memory.sheets((sbuf(6, 64), 2), (sbuf(6, 128), 2), partitions);
            sheets.unwrap().map(|(src, dst)| (src.to_vec(), dst.to_vec()))
        };
        assert_eq!(sheets(&mut memory, 2), Some((vec![3, 4, 5, 6], vec![3, 4, 5, 6])));
        assert_eq!(sheets(&mut memory, 3), None);
        assert_eq!(memory.sheets((sbuf(5, 64), 1), (sbuf(5, 128), 1), 2).unwrap(), None);
        assert_eq!(memory.peek(sbuf(6, 65), 9), [4]);
        assert!(memory.peek(sbuf(8, 64), 9).is_empty());
        memory.unbind();
        let mut bytes = [9; 2];
        memory.read(sbuf(5, 128), &mut bytes).unwrap();
        assert_eq!(bytes, [0; 2]);
        drop(memory);
        assert_eq!(output, input);
    }

    #[test]
    fn windows_may_touch_but_not_overlap_nor_outgrow_what_was_lent() {
        let bytes = [0u8; 8];
        let mut memory = Memory::new(Generation::V3);
        let lent = memory.lend(&bytes);
        let mut bind = |partition, offset_bytes, rows, first_byte| {
            let place = sbuf(partition, offset_bytes);
            let window = Window { place, rows, len_bytes: 4, lent, first_byte, pitch_bytes: 4 };
            memory.bind(window)
        };
        assert_eq!(bind(2, 4, 2, 0), Ok(()));
        for (partition, offset_bytes) in [(2, 7), (2, 1), (3, 4), (1, 6)] {
            let error = bind(partition, offset_bytes, 2, 0).unwrap_err();
            assert!(matches!(error, MemoryError::Bound { .. }), "{partition} {offset_bytes}");
        }
        assert_eq!([bind(2, 8, 2, 0), bind(2, 0, 2, 0), bind(4, 4, 2, 0)], [Ok(()); 3]);
        assert!(bind(20, 4, 3, 0).is_err());
        assert!(bind(20, 4, 2, 1).is_err());
        assert!(bind(20, 4, 1, usize::MAX).is_err());
        assert!(matches!(bind(127, 4, 2, 0), Err(MemoryError::Partition { .. })));
        assert!(matches!(bind(0, 229_376 - 2, 1, 0), Err(MemoryError::Active { .. })));
    }

    /// What a memory with windows does, one byte at a time.
    #[test]
    fn windows_read_and_write_as_a_plain_model_does() {
        const PARTITIONS: usize = 6;
        const BYTES: usize = 24;
        let mut random = 1u64;
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as usize % below
        };
        for case in 0..300 {
            let input: Vec<u8> = (0..200).map(|i| 100 + (i % 100) as u8).collect();
            let mut output = vec![7; 200];
            // Own bytes, and over them a byte of one of the two or none.
            let mut own = [[0u8; BYTES]; PARTITIONS];
            let mut over = [[None::<(bool, usize)>; BYTES]; PARTITIONS];
            let mut expected = output.clone();
            let mut memory = Memory::new(Generation::V3);
            let lent = [memory.lend(&input), memory.lend_mut(&mut output)];
            let mut windows = Vec::new();
            for _ in 0..next(8) {
                let written = next(2) == 1;
                let (first, rows) = (next(PARTITIONS), 1 + next(3));
                let (start, len) = (next(BYTES), 1 + next(9));
                // Rows of the tensor that other windows do not use.
                let (first_byte, pitch) = (20 * windows.len() + next(2), 5 + next(2));
                if first + rows > PARTITIONS || start + len > BYTES {
                    continue;
                }
                let window = Window {
                    place: sbuf(first as u32, start as u32),
                    rows: rows as u32,
                    len_bytes: len,
                    lent: lent[usize::from(written)],
                    first_byte,
                    pitch_bytes: pitch.max(len),
                };
                let cells = || (0..rows).flat_map(move |row| (0..len).map(move |byte| (row, byte)));
                let free = cells().all(|(row, byte)| over[first + row][start + byte].is_none());
                assert_eq!(memory.bind(window).is_ok(), free, "case {case}");
                if free {
                    for (row, byte) in cells() {
                        let at = first_byte + row * pitch.max(len) + byte;
                        over[first + row][start + byte] = Some((written, at));
                    }
                    windows.push((window, written));
                }
            }
            for _ in 0..40 {
                let (partition, start) = (next(PARTITIONS), next(BYTES));
                let len = 1 + next(BYTES - start);
                let place = sbuf(partition as u32, start as u32);
                if next(2) == 0 {
                    let bytes: Vec<u8> = (0..len).map(|_| next(256) as u8).collect();
                    memory.write(place, &bytes).unwrap();
                    for (k, byte) in bytes.iter().enumerate() {
                        match over[partition][start + k] {
                            Some((true, at)) => expected[at] = *byte,
                            Some((false, _)) => {
                                // The window's rows become own bytes.
                                let touched = windows.iter().find(|(window, _)| {
                                    let column = start + k;
                                    let from = window.place.offset_bytes as usize;
                                    let rows = window.place.partition as usize
                                        ..(window.place.partition + window.rows) as usize;
                                    rows.contains(&partition)
                                        && (from..from + window.len_bytes).contains(&column)
                                });
                                let window = touched.unwrap().0;
                                for row in 0..window.rows as usize {
                                    for column in 0..window.len_bytes {
                                        let p = window.place.partition as usize + row;
                                        let b = window.place.offset_bytes as usize + column;
                                        if let Some((false, at)) = over[p][b].take() {
                                            own[p][b] = input[at];
                                        }
                                    }
                                }
                                own[partition][start + k] = *byte;
                            }
                            None => own[partition][start + k] = *byte,
                        }
                    }
                }
                let mut found = vec![0; len];
                memory.read(place, &mut found).unwrap();
                let bytes: Vec<u8> = (start..start + len)
                    .map(|byte| match over[partition][byte] {
                        Some((true, at)) => expected[at],
                        Some((false, at)) => input[at],
                        None => own[partition][byte],
                    })
                    .collect();
                assert_eq!(found, bytes, "case {case} at {place} {len}");
            }
            drop(memory);
            assert_eq!(output, expected, "case {case}");
        }
    }
}
