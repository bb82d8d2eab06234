//! The on-chip memories, byte for byte.

use thiserror::Error;

use super::partition::Partition;
use crate::isa::{Generation, Place, Space};

/// SBUF and PSUM of one generation.
///
/// An empty memory costs next to nothing: a partition holds bytes up to the
/// last one written. What was never written reads as zero; on a device it
/// would be whatever was there before.
///
/// Bytes of the caller can be [bound](Memory::bind) to a place, as if a DMA had
/// moved them there and back, but without the copies; `'t` is how long.
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
    sbuf: Vec<Partition<'t>>,
    psum: Vec<Partition<'t>>,
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
    /// Other bytes are bound there already.
    #[error("{len_bytes} bytes at {place} overlap with others that are bound there")]
    Bound {
        /// The first byte.
        place: Place,
        /// How many bytes.
        len_bytes: usize,
    },
}

/// The bytes of a source and a destination range, to be worked on.
#[derive(Debug, PartialEq, Eq)]
pub enum Rows<'a> {
    /// They have no byte in common.
    Apart(&'a [u8], &'a mut [u8]),
    /// They overlap: the bytes of both, and where in them each one starts.
    Shared {
        /// From the first byte of either to the last byte of either.
        bytes: &'a mut [u8],
        /// First byte of the source in `bytes`.
        src: usize,
        /// First byte of the destination in `bytes`.
        dst: usize,
    },
}

impl<'t> Memory<'t> {
    /// Returns the empty memories of `generation`.
    pub fn new(generation: Generation) -> Self {
        let partitions = |space: Space| {
            let region = space.region(generation);
            (0..region.size_bytes / region.stride_bytes).map(|_| Partition::default()).collect()
        };
        Self { generation, sbuf: partitions(Space::Sbuf), psum: partitions(Space::Psum) }
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
        let partition = &self.partitions(place.space)[place.partition as usize];
        partition.read(place.offset_bytes as usize, into);
        Ok(())
    }

    /// Writes the bytes from `place` on, all in its partition.
    ///
    /// # Errors
    /// Where the bytes do not exist; the memory is as it was then.
    pub fn write(&mut self, place: Place, bytes: &[u8]) -> Result<(), MemoryError> {
        self.check(place, bytes.len())?;
        let limit = self.active_bytes(place.space) as usize;
        let partition = &mut self.partitions_mut(place.space)[place.partition as usize];
        partition.write(place.offset_bytes as usize, bytes, limit);
        Ok(())
    }

    /// Puts bytes of the caller in the place of the memory's own, to be read.
    ///
    /// A program that writes to them writes to a copy in the memory.
    ///
    /// # Errors
    /// Where the bytes do not exist, or others are bound there.
    pub fn bind(&mut self, place: Place, bytes: &'t [u8]) -> Result<(), MemoryError> {
        self.bind_either(place, bytes.len(), Err(bytes))
    }

    /// Puts bytes of the caller in the place of the memory's own, to be read
    /// and written.
    ///
    /// # Errors
    /// As [`Memory::bind`].
    pub fn bind_mut(&mut self, place: Place, bytes: &'t mut [u8]) -> Result<(), MemoryError> {
        self.bind_either(place, bytes.len(), Ok(bytes))
    }

    fn bind_either(
        &mut self,
        place: Place,
        len_bytes: usize,
        bytes: Result<&'t mut [u8], &'t [u8]>,
    ) -> Result<(), MemoryError> {
        self.check(place, len_bytes)?;
        let partition = &mut self.partitions_mut(place.space)[place.partition as usize];
        if partition.bind(place.offset_bytes as usize, bytes) {
            Ok(())
        } else {
            Err(MemoryError::Bound { place, len_bytes })
        }
    }

    /// Lets all bound bytes go: the memory's own are in their places again.
    pub fn unbind(&mut self) {
        for partition in self.sbuf.iter_mut().chain(&mut self.psum) {
            partition.unbind();
        }
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
        let limit = self.active_bytes(place.space) as usize;
        let start = place.offset_bytes as usize;
        let partition = &mut self.partitions_mut(place.space)[place.partition as usize];
        Ok(partition.exclusive(start, start + len_bytes, limit))
    }

    /// Returns bytes that are bound at `place`, as many of `len_bytes` as lie in
    /// one piece; none where none are.
    pub fn peek(&self, (place, len_bytes): (Place, usize)) -> &[u8] {
        let partition = self.partitions(place.space).get(place.partition as usize);
        partition.map_or(&[], |partition| partition.peek(place.offset_bytes as usize, len_bytes))
    }

    /// Returns a source and a destination range, each in one piece; `None`
    /// where one of them is in several, partly bound and partly not.
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
        let range = |(place, len): (Place, usize)| {
            (place.offset_bytes as usize, place.offset_bytes as usize + len)
        };
        let (from, to) = (range(src), range(dst));
        let limits = [src.0.space, dst.0.space].map(|space| self.active_bytes(space) as usize);
        let indices = [src.0.partition as usize, dst.0.partition as usize];
        if src.0.space == dst.0.space && indices[0] == indices[1] {
            let partition = &mut self.partitions_mut(dst.0.space)[indices[1]];
            if from.1 <= to.0 || to.1 <= from.0 {
                let ranges = partition.disjoint(from, to, limits[1]);
                return Ok(ranges.map(|(src, dst)| Rows::Apart(src, dst)));
            }
            let (low, high) = (from.0.min(to.0), from.1.max(to.1));
            let bytes = partition.exclusive(low, high, limits[1]);
            return Ok(bytes.map(|bytes| Rows::Shared {
                bytes,
                src: from.0 - low,
                dst: to.0 - low,
            }));
        }
        let pair = if src.0.space == dst.0.space {
            self.partitions_mut(src.0.space).get_disjoint_mut(indices).ok()
        } else {
            let Self { sbuf, psum, .. } = self;
            let (from, to) = match src.0.space {
                Space::Sbuf => (sbuf, psum),
                Space::Psum => (psum, sbuf),
            };
            Some([&mut from[indices[0]], &mut to[indices[1]]])
        };
        Ok(pair.and_then(|[src, dst]| {
            Some(Rows::Apart(
                src.shared(from.0, from.1, limits[0])?,
                dst.exclusive(to.0, to.1, limits[1])?,
            ))
        }))
    }

    fn partitions(&self, space: Space) -> &[Partition<'t>] {
        match space {
            Space::Sbuf => &self.sbuf,
            Space::Psum => &self.psum,
        }
    }

    fn partitions_mut(&mut self, space: Space) -> &mut [Partition<'t>] {
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
    fn rows_are_apart_or_share_their_bytes() {
        let mut memory = Memory::new(Generation::V3);
        memory.write(sbuf(1, 0), &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        memory.write(psum(1, 0), &[9; 4]).unwrap();
        let rows = memory.rows((sbuf(1, 0), 4), (sbuf(1, 4), 4)).unwrap().unwrap();
        assert_eq!(rows, Rows::Apart(&[1, 2, 3, 4], &mut [5, 6, 7, 8]));
        let rows = memory.rows((sbuf(1, 2), 4), (sbuf(1, 0), 4)).unwrap().unwrap();
        assert_eq!(rows, Rows::Shared { bytes: &mut [1, 2, 3, 4, 5, 6], src: 2, dst: 0 });
        let rows = memory.rows((sbuf(1, 2), 2), (sbuf(2, 0), 2)).unwrap().unwrap();
        assert_eq!(rows, Rows::Apart(&[3, 4], &mut [0, 0]));
        let rows = memory.rows((psum(1, 0), 2), (sbuf(1, 0), 2)).unwrap().unwrap();
        assert_eq!(rows, Rows::Apart(&[9, 9], &mut [1, 2]));
    }

    #[test]
    fn bound_bytes_are_read_and_written_where_they_are() {
        let (input, mut output) = ([1, 2, 3, 4], [0; 4]);
        let mut memory = Memory::new(Generation::V3);
        memory.bind(sbuf(5, 64), &input).unwrap();
        memory.bind_mut(sbuf(5, 128), &mut output).unwrap();
        match memory.rows((sbuf(5, 64), 4), (sbuf(5, 128), 4)).unwrap().unwrap() {
            Rows::Apart(src, dst) => dst.copy_from_slice(src),
            shared => panic!("{shared:?}"),
        }
        assert!(memory.rows((sbuf(5, 62), 4), (sbuf(5, 128), 4)).unwrap().is_none());
        assert!(matches!(memory.bind(sbuf(5, 66), &input), Err(MemoryError::Bound { .. })));
        memory.unbind();
        let mut bytes = [9; 4];
        memory.read(sbuf(5, 128), &mut bytes).unwrap();
        assert_eq!(bytes, [0; 4]);
        assert_eq!(output, input);
    }
}
