//! Elements of two patterns, block by block and stretch by stretch.

use std::ops::Range;

use super::Cause;
use super::operand::Placed;
use crate::device::{Memory, MemoryError, Spans};
use crate::isa::Place;

/// Elements of a channel that are worked on at a time, at most.
pub(super) const BLOCK: usize = 16_384;
/// Elements that are prepared at a time, where the order of channels is free:
/// their keep bits stay in the nearest cache.
const PREPARED: usize = 131_072;
/// Channels that are prepared at a time, at least.
const ABREAST: usize = 8;
/// Elements of a channel that are made at a time.
pub(super) const MADE: usize = 4096;

/// What happens to elements on their way from one pattern to another.
pub(super) trait Work {
    /// Prepares the next `len` elements of some channels, which are then worked
    /// on before others are prepared. `ahead` is some of what is read then.
    fn prepare(&mut self, channels: Range<usize>, len: usize, ahead: &[u8]);

    /// Works on the elements of a channel from number `at` of the block on.
    fn apply(&self, channel: usize, at: usize, src: &[u8], dst: &mut [u8]);

    /// Returns whether `apply` works on the elements of more channels where they
    /// are given `len` elements a channel, one channel behind another.
    fn joins(&self, _len: usize) -> bool {
        false
    }

    /// As `apply`, where source and destination are one.
    fn apply_in_place(&self, channel: usize, at: usize, bytes: &mut [u8]);
}

/// Makes elements of a pattern out of nothing in memory.
pub(super) trait Source {
    /// Prepares the next `len` elements of every channel.
    fn prepare(&mut self, len: usize);

    /// Writes the elements of a channel from number `at` of the block on.
    fn write(&self, channel: usize, at: usize, dst: &mut [u8]);
}

/// Elements that are neighbours in both patterns: offsets of the first one in
/// its partition, and how many.
type Stretch = (i64, i64, u64);

/// Cuts the stretches of two walks into blocks.
struct Blocks {
    spans: Spans,
    /// What the last block left of its last stretch.
    rest: Option<Stretch>,
    sizes: [i64; 2],
    stretches: Vec<Stretch>,
}

impl Blocks {
    fn new(src: &Placed, dst: &Placed) -> Self {
        let sizes = [&src.walk, &dst.walk].map(|walk| walk.size_bytes() as i64);
        let spans = Spans::new(&src.walk, &dst.walk);
        Self { spans, rest: None, sizes, stretches: Vec::new() }
    }

    /// Goes on by `len` elements.
    fn next(&mut self, mut len: u64) {
        self.stretches.clear();
        while len > 0 {
            let Some((src, dst, count)) = self.rest.take().or_else(|| self.spans.next()) else {
                return;
            };
            let now = count.min(len);
            self.stretches.push((src, dst, now));
            if now < count {
                let [src, dst] = [(src, self.sizes[0]), (dst, self.sizes[1])]
                    .map(|(at, size)| at + size * now as i64);
                self.rest = Some((src, dst, count - now));
            }
            len -= now;
        }
    }
}

/// How the elements of a channel may be worked on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Stretch by stretch, channel after channel.
    Free,
    /// The same, and source and destination are the same elements.
    InPlace,
    /// One element after another, channel after channel.
    Element,
    /// One element of all channels after another.
    Lockstep,
}

/// Returns the order that gives the same bytes as one element of all channels
/// after another, each read before it is written.
fn order(src: &Placed, dst: &Placed, channels: usize) -> Order {
    let (from, to) = (src.place, dst.place);
    let apart = from.partition.abs_diff(to.partition) as usize;
    let (read, written) = (src.walk.extent(), dst.walk.extent());
    let overlap = read.start < written.end && written.start < read.end;
    if from.space != to.space || apart >= channels || !overlap {
        // What is written is never read. Later elements still go over earlier
        // ones, in order, within a channel.
        Order::Free
    } else if apart > 0 {
        Order::Lockstep
    } else if src.walk == dst.walk && !src.walk.may_revisit() {
        Order::InPlace
    } else {
        Order::Element
    }
}

/// Runs all elements from `src` to `dst`. `tensor` is what memory may stand on;
/// none of it is looked at, but brought near before it is read.
///
/// # Errors
/// Where bytes do not exist; that was asked before, so it does not happen.
pub(super) fn map(
    memory: &mut Memory<'_>,
    src: &Placed,
    dst: &Placed,
    channels: usize,
    work: &mut dyn Work,
    tensor: &[u8],
) -> Result<(), Cause> {
    let order = order(src, dst, channels);
    let mut blocks = Blocks::new(src, dst);
    let (elements, mut done) = (src.walk.len(), 0);
    while done < elements {
        let len = (elements - done).min(BLOCK as u64);
        blocks.next(len);
        if order == Order::Lockstep {
            work.prepare(0..channels, len as usize, &[]);
            lockstep(memory, [src.place, dst.place], channels, &blocks, work)?;
        } else {
            let group = (PREPARED / len as usize / ABREAST * ABREAST).max(ABREAST);
            for first in (0..channels).step_by(group) {
                let group = first..channels.min(first + group);
                work.prepare(
                    group.clone(),
                    len as usize,
                    ahead(memory, src, first, &blocks, tensor),
                );
                let whole = order == Order::Free && len == elements && blocks.stretches.len() == 1;
                if whole && work.joins(len as usize) {
                    let (from, to) = (src.extent(first), dst.extent(first));
                    if let Some((src, dst)) = memory.sheets(from, to, group.len() as u32)? {
                        work.apply(first, 0, src, dst);
                        continue;
                    }
                }
                for channel in group {
                    one_channel(memory, [src, dst], channel, order, &blocks, work)?;
                }
            }
        }
        done += len;
    }
    Ok(())
}

/// Returns what of `tensor` is read from a channel's block on, where the channel
/// stands on it: rows lie one behind another there.
fn ahead<'t>(
    memory: &Memory<'_>,
    src: &Placed,
    channel: usize,
    blocks: &Blocks,
    tensor: &'t [u8],
) -> &'t [u8] {
    let Some(&(at, ..)) = blocks.stretches.first().filter(|_| !tensor.is_empty()) else {
        return &[];
    };
    let partition = src.place.partition + channel as u32;
    let bound = memory.peek(Place { partition, offset_bytes: at as u32, ..src.place }, 1);
    let first = bound.as_ptr().addr().wrapping_sub(tensor.as_ptr().addr());
    if bound.is_empty() || first >= tensor.len() {
        return &[];
    }
    let len = PREPARED * src.walk.size_bytes();
    &tensor[first..tensor.len().min(first + len)]
}

/// Works on one channel's block.
fn one_channel(
    memory: &mut Memory<'_>,
    [src, dst]: [&Placed; 2],
    channel: usize,
    order: Order,
    blocks: &Blocks,
    work: &dyn Work,
) -> Result<(), Cause> {
    let (from, to) = (src.extent(channel), dst.extent(channel));
    let origins = [from.0.offset_bytes, to.0.offset_bytes].map(i64::from);
    let sizes = blocks.sizes.map(|size| size as usize);
    let mut at = 0;
    match order {
        Order::Free => {
            if let Some((src, dst)) = memory.rows(from, to)? {
                for &(s, d, count) in &blocks.stretches {
                    let (s, d) = ((s - origins[0]) as usize, (d - origins[1]) as usize);
                    let (src, dst) = (&src[s..], &mut dst[d..]);
                    let count = count as usize;
                    work.apply(channel, at, &src[..count * sizes[0]], &mut dst[..count * sizes[1]]);
                    at += count;
                }
                return Ok(());
            }
        }
        Order::InPlace => {
            if let Some(bytes) = memory.row(to.0, to.1)? {
                for &(_, d, count) in &blocks.stretches {
                    let (d, count) = ((d - origins[1]) as usize, count as usize);
                    work.apply_in_place(channel, at, &mut bytes[d..d + count * sizes[1]]);
                    at += count;
                }
                return Ok(());
            }
        }
        Order::Element | Order::Lockstep => {}
    }
    element_by_element(memory, [from.0, to.0], channel, blocks, work)
}

/// Works on one channel's block, one element after another.
fn element_by_element(
    memory: &mut Memory<'_>,
    [from, to]: [Place; 2],
    channel: usize,
    blocks: &Blocks,
    work: &dyn Work,
) -> Result<(), Cause> {
    let mut elements = Elements::new(blocks);
    while let Some((at, src, dst)) = elements.next() {
        let (mut read, mut written) = ([0; 4], [0; 4]);
        let (read, written) = (&mut read[..elements.sizes[0]], &mut written[..elements.sizes[1]]);
        memory.read(Place { offset_bytes: src, ..from }, read)?;
        work.apply(channel, at, read, written);
        memory.write(Place { offset_bytes: dst, ..to }, written)?;
    }
    Ok(())
}

/// Works on a block of all channels: an element of every channel is read, then
/// all are written, then comes the next.
fn lockstep(
    memory: &mut Memory<'_>,
    [src, dst]: [Place; 2],
    channels: usize,
    blocks: &Blocks,
    work: &dyn Work,
) -> Result<(), Cause> {
    let mut elements = Elements::new(blocks);
    let mut results = vec![[0; 4]; channels];
    while let Some((at, from, to)) = elements.next() {
        let partition = |place: Place, channel: usize| place.partition + channel as u32;
        for (channel, result) in results.iter_mut().enumerate() {
            let mut read = [0; 4];
            let read = &mut read[..elements.sizes[0]];
            let partition = partition(src, channel);
            memory.read(Place { partition, offset_bytes: from, ..src }, read)?;
            work.apply(channel, at, read, &mut result[..elements.sizes[1]]);
        }
        for (channel, result) in results.iter().enumerate() {
            let partition = partition(dst, channel);
            let place = Place { partition, offset_bytes: to, ..dst };
            memory.write(place, &result[..elements.sizes[1]])?;
        }
    }
    Ok(())
}

/// The elements of a block: number, offset read, offset written.
struct Elements<'a> {
    stretches: std::slice::Iter<'a, Stretch>,
    now: Stretch,
    at: usize,
    sizes: [usize; 2],
}

impl<'a> Elements<'a> {
    fn new(blocks: &'a Blocks) -> Self {
        let sizes = blocks.sizes.map(|size| size as usize);
        Self { stretches: blocks.stretches.iter(), now: (0, 0, 0), at: 0, sizes }
    }

    fn next(&mut self) -> Option<(usize, u32, u32)> {
        if self.now.2 == 0 {
            self.now = *self.stretches.next()?;
        }
        let (src, dst, count) = self.now;
        let at = self.at;
        self.at += 1;
        self.now = (src + self.sizes[0] as i64, dst + self.sizes[1] as i64, count - 1);
        // Offsets were asked to be within their partition.
        Some((at, src as u32, dst as u32))
    }
}

/// Writes all elements of `dst`.
///
/// # Errors
/// Where bytes do not exist; that was asked before, so it does not happen.
pub(super) fn fill(
    memory: &mut Memory<'_>,
    dst: &Placed,
    channels: usize,
    source: &mut dyn Source,
) -> Result<(), MemoryError> {
    let mut blocks = Blocks::new(dst, dst);
    let size = dst.walk.size_bytes();
    let (elements, mut done) = (dst.walk.len(), 0);
    while done < elements {
        let len = (elements - done).min(MADE as u64);
        source.prepare(len as usize);
        blocks.next(len);
        for channel in 0..channels {
            let (place, extent) = dst.extent(channel);
            let origin = i64::from(place.offset_bytes);
            let mut at = 0;
            if let Some(bytes) = memory.row(place, extent)? {
                for &(_, d, count) in &blocks.stretches {
                    let (d, count) = ((d - origin) as usize, count as usize);
                    source.write(channel, at, &mut bytes[d..d + count * size]);
                    at += count;
                }
                continue;
            }
            let mut elements = Elements::new(&blocks);
            while let Some((at, _, offset_bytes)) = elements.next() {
                let mut element = [0; 4];
                source.write(channel, at, &mut element[..size]);
                memory.write(Place { offset_bytes, ..place }, &element[..size])?;
            }
        }
        done += len;
    }
    Ok(())
}
