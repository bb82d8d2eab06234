//! Bytes of the caller that stand in for places of the memories.

use crate::isa::Place;

/// Bytes that were lent to a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lent(usize);

/// A rectangle of lent bytes over as many partitions of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Where the first row's first byte is in memory.
    pub place: Place,
    /// How many rows: row `r` is in partition `place.partition + r`.
    pub rows: u32,
    /// How many bytes each row has.
    pub len_bytes: usize,
    /// Which bytes were lent.
    pub lent: Lent,
    /// The first row's first byte in them.
    pub first_byte: usize,
    /// From one row to the next in them, in bytes.
    pub pitch_bytes: usize,
}

impl Window {
    fn start(&self) -> usize {
        self.place.offset_bytes as usize
    }

    fn end(&self) -> usize {
        self.start() + self.len_bytes
    }

    fn has_partition(&self, place: Place) -> bool {
        self.place.space == place.space
            && (self.place.partition..self.place.partition.saturating_add(self.rows))
                .contains(&place.partition)
    }

    /// Returns the range in the lent bytes of `len` bytes from `place` on, which
    /// lie in the window.
    fn range(&self, place: Place, len: usize) -> std::ops::Range<usize> {
        let row = (place.partition - self.place.partition) as usize;
        let column = place.offset_bytes as usize - self.start();
        let first = self.first_byte + row * self.pitch_bytes + column;
        first..first + len
    }

    /// Returns the end of the last row in the lent bytes.
    fn last_byte(&self) -> Option<usize> {
        let rows = (self.rows.checked_sub(1)? as usize).checked_mul(self.pitch_bytes)?;
        self.first_byte.checked_add(rows)?.checked_add(self.len_bytes)
    }
}

#[derive(Debug)]
enum Bytes<'t> {
    Shared(&'t [u8]),
    Exclusive(&'t mut [u8]),
}

impl Bytes<'_> {
    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Shared(bytes) => bytes,
            Self::Exclusive(bytes) => bytes,
        }
    }
}

/// Where a range of a partition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// All of it in this window.
    Window(usize),
    /// All of it in the memory's own bytes.
    Own,
    /// In more than one piece.
    Pieces,
}

/// What was lent, and where it is.
#[derive(Debug, Default)]
pub(super) struct Bound<'t> {
    lent: Vec<Bytes<'t>>,
    /// Sorted by offset; no two overlap.
    windows: Vec<Window>,
    /// The most bytes that a row of a window has.
    longest: usize,
    /// Where the last search ended: programs go through windows in order.
    near: usize,
}

impl<'t> Bound<'t> {
    pub(super) fn lend(&mut self, bytes: &'t [u8]) -> Lent {
        self.lent.push(Bytes::Shared(bytes));
        Lent(self.lent.len() - 1)
    }

    pub(super) fn lend_mut(&mut self, bytes: &'t mut [u8]) -> Lent {
        self.lent.push(Bytes::Exclusive(bytes));
        Lent(self.lent.len() - 1)
    }

    /// Returns how many bytes were lent.
    pub(super) fn len(&self, lent: Lent) -> usize {
        self.lent.get(lent.0).map_or(0, |bytes| bytes.as_slice().len())
    }

    /// Puts a window up; false where another one is in the way, or the lent
    /// bytes are too few.
    pub(super) fn bind(&mut self, window: Window) -> bool {
        if window.rows == 0 || window.len_bytes == 0 {
            return true;
        }
        if window.last_byte().is_none_or(|last| last > self.len(window.lent)) {
            return false;
        }
        let (start, end) = (window.start(), window.end());
        let clear = self.around(start, end).all(|index| {
            let other = &self.windows[index];
            let partitions = other.place.partition < window.place.partition + window.rows
                && window.place.partition < other.place.partition + other.rows;
            other.place.space != window.place.space || !partitions
        });
        if clear {
            // Most are bound in order.
            let at = match self.windows.last() {
                Some(last) if last.start() > start => {
                    self.windows.partition_point(|other| other.start() <= start)
                }
                _ => self.windows.len(),
            };
            self.windows.insert(at, window);
            self.longest = self.longest.max(end - start);
        }
        clear
    }

    pub(super) fn unbind(&mut self) {
        self.windows.clear();
        (self.longest, self.near) = (0, 0);
    }

    /// Returns the numbers of the windows, of whatever partitions, that have an
    /// offset of `start..end`.
    fn around(&self, start: usize, end: usize) -> impl Iterator<Item = usize> + use<'_, 't> {
        let from = match self.windows.last() {
            Some(last) if last.end() <= start && last.start() + self.longest <= start => {
                self.windows.len()
            }
            _ => self.windows.partition_point(|window| window.start() + self.longest <= start),
        };
        let windows = self.windows[from..].iter().take_while(move |window| window.start() < end);
        let touching =
            move |(index, window): (usize, &Window)| (window.end() > start).then_some(from + index);
        windows.enumerate().filter_map(touching)
    }

    /// Returns the numbers of the windows over some of `len` bytes from `place`
    /// on, in order of their offsets.
    pub(super) fn over(
        &self,
        place: Place,
        len: usize,
    ) -> impl Iterator<Item = usize> + use<'_, 't> {
        let start = place.offset_bytes as usize;
        let touching = self.around(start, start + len);
        touching.filter(move |&index| self.windows[index].has_partition(place))
    }

    /// Returns where `len` bytes from `place` on are.
    pub(super) fn holder(&mut self, place: Place, len: usize) -> Holder {
        let (start, end) = (place.offset_bytes as usize, place.offset_bytes as usize + len);
        let has_all = |window: &Window| {
            window.start() <= start && end <= window.end() && window.has_partition(place)
        };
        let (low, high) = (self.near.saturating_sub(1), self.windows.len().min(self.near + 3));
        if let Some(at) = self.windows[low.min(high)..high].iter().position(has_all) {
            self.near = low + at;
            return Holder::Window(self.near);
        }
        let first = self.over(place, len).next();
        match first {
            None => Holder::Own,
            Some(index) if has_all(&self.windows[index]) => {
                self.near = index;
                Holder::Window(index)
            }
            Some(_) => Holder::Pieces,
        }
    }

    pub(super) fn is_shared(&self, index: usize) -> bool {
        matches!(self.lent[self.windows[index].lent.0], Bytes::Shared(_))
    }

    /// Returns what a window and a range have in common: place, length.
    pub(super) fn common(&self, index: usize, place: Place, len: usize) -> (Place, usize) {
        let window = &self.windows[index];
        let start = window.place.offset_bytes.max(place.offset_bytes);
        let end = window.end().min(place.offset_bytes as usize + len);
        (Place { offset_bytes: start, ..place }, end - start as usize)
    }

    /// Returns bytes of a window, which has them.
    pub(super) fn read(&self, index: usize, place: Place, len: usize) -> &[u8] {
        let window = &self.windows[index];
        &self.lent[window.lent.0].as_slice()[window.range(place, len)]
    }

    /// Returns bytes of a window, which has them, to be written; none where
    /// they were lent to be read.
    pub(super) fn write(&mut self, index: usize, place: Place, len: usize) -> Option<&mut [u8]> {
        let window = &self.windows[index];
        match &mut self.lent[window.lent.0] {
            Bytes::Exclusive(bytes) => Some(&mut bytes[window.range(place, len)]),
            Bytes::Shared(_) => None,
        }
    }

    /// Returns whether `len` bytes from `place` on, and as many in each of the
    /// next partitions, lie one behind another in what was lent for a window.
    pub(super) fn is_dense(&self, index: usize, place: Place, len: usize, partitions: u32) -> bool {
        let window = &self.windows[index];
        let last = place.partition.saturating_add(partitions.saturating_sub(1));
        window.pitch_bytes == len && window.has_partition(Place { partition: last, ..place })
    }

    /// Returns two ranges of windows, the first to be read and the second to be
    /// written; none where they have bytes in common or the second was lent to
    /// be read.
    pub(super) fn pair(
        &mut self,
        src: (usize, Place, usize),
        dst: (usize, Place, usize),
    ) -> Option<(&[u8], &mut [u8])> {
        let [from, to] = [src.0, dst.0].map(|index| self.windows[index]);
        let (read, written) = (from.range(src.1, src.2), to.range(dst.1, dst.2));
        if from.lent == to.lent {
            return match &mut self.lent[to.lent.0] {
                Bytes::Exclusive(bytes) => super::partition::split(bytes, read, written),
                Bytes::Shared(_) => None,
            };
        }
        let [from, to] = self.lent.get_disjoint_mut([from.lent.0, to.lent.0]).ok()?;
        match to {
            Bytes::Exclusive(to) => Some((&from.as_slice()[read], &mut to[written])),
            Bytes::Shared(_) => None,
        }
    }

    /// Takes down a window over some of these bytes that may only be read;
    /// returns its rows, each with its place.
    pub(super) fn take_shared(&mut self, place: Place, len: usize) -> Vec<(Place, &'t [u8])> {
        let index = self.over(place, len).find(|&index| self.is_shared(index));
        let Some(index) = index else { return Vec::new() };
        let window = self.windows.remove(index);
        let Bytes::Shared(bytes) = self.lent[window.lent.0] else { return Vec::new() };
        let rows = (window.place.partition..).take(window.rows as usize);
        rows.map(|partition| {
            let place = Place { partition, ..window.place };
            (place, &bytes[window.range(place, window.len_bytes)])
        })
        .collect()
    }
}
