//! One row of an on-chip memory: its own bytes, and borrowed ones over them.

/// The bytes of one partition.
///
/// Own bytes are kept from offset 0 up to the last one written; what lies
/// behind them is zero and takes no room.
#[derive(Debug, Default)]
pub(super) struct Partition<'t> {
    own: Vec<u8>,
    /// Sorted by start; no two overlap.
    windows: Vec<Window<'t>>,
    /// Where the last search ended: programs go through windows in order, and a
    /// search from the middle reads memory that no cache has.
    near: usize,
}

/// Bytes of somebody else that stand in for a range of the partition.
#[derive(Debug)]
struct Window<'t> {
    start: usize,
    bytes: Bytes<'t>,
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

impl Window<'_> {
    fn end(&self) -> usize {
        self.start + self.bytes.as_slice().len()
    }
}

/// Own bytes grow by at least this much, so that a program that writes upwards
/// does not copy them again and again.
const GROWTH_BYTES: usize = 4096;

impl<'t> Partition<'t> {
    /// Puts borrowed bytes over `start..start + len`; false where another
    /// window is in the way.
    pub(super) fn bind(&mut self, start: usize, bytes: Result<&'t mut [u8], &'t [u8]>) -> bool {
        let bytes = match bytes {
            Ok(bytes) => Bytes::Exclusive(bytes),
            Err(bytes) => Bytes::Shared(bytes),
        };
        let window = Window { start, bytes };
        if window.start == window.end() {
            return true;
        }
        // Most are bound in order.
        let at = match self.windows.last() {
            Some(last) if last.start >= start => {
                self.windows.partition_point(|other| other.start < start)
            }
            _ => self.windows.len(),
        };
        let clear_before = at == 0 || self.windows[at - 1].end() <= start;
        let clear_behind = self.windows.get(at).is_none_or(|next| window.end() <= next.start);
        if clear_before && clear_behind {
            self.windows.insert(at, window);
        }
        clear_before && clear_behind
    }

    /// Lets all windows go.
    pub(super) fn unbind(&mut self) {
        self.windows.clear();
        self.near = 0;
    }

    /// Returns the number of the first window that ends behind `start`, or how
    /// many windows there are.
    fn first_behind(&mut self, start: usize) -> usize {
        let behind = |window: &Window<'_>| window.end() > start;
        for near in self.near..self.windows.len().min(self.near + 3) {
            if behind(&self.windows[near]) {
                if near > 0 && behind(&self.windows[near - 1]) {
                    break;
                }
                self.near = near;
                return near;
            }
        }
        self.near = self.windows.partition_point(|window| !behind(window));
        self.near
    }

    /// Reads the bytes from `start` on.
    pub(super) fn read(&self, start: usize, into: &mut [u8]) {
        let end = start + into.len();
        let have = self.own.len().clamp(start, end) - start;
        into[..have].copy_from_slice(&self.own[start.min(self.own.len())..][..have]);
        into[have..].fill(0);
        for window in self.windows.iter().filter(|w| w.start < end && start < w.end()) {
            let (low, high) = (window.start.max(start), window.end().min(end));
            let from = &window.bytes.as_slice()[low - window.start..high - window.start];
            into[low - start..high - start].copy_from_slice(from);
        }
    }

    /// Returns the bytes of the window over `start`, at most `len`.
    pub(super) fn peek(&self, start: usize, len: usize) -> &[u8] {
        let index = self.windows.partition_point(|window| window.end() <= start);
        match self.windows.get(index) {
            Some(window) if window.start <= start => {
                let bytes = &window.bytes.as_slice()[start - window.start..];
                &bytes[..len.min(bytes.len())]
            }
            _ => &[],
        }
    }

    /// Writes the bytes from `start` on. A shared window that is written to
    /// becomes the partition's own bytes first.
    pub(super) fn write(&mut self, start: usize, bytes: &[u8], limit: usize) {
        let end = start + bytes.len();
        self.own_shared(start, end, limit);
        let mut at = start;
        while at < end {
            let index = self.windows.partition_point(|window| window.end() <= at);
            let (until, into) = match self.windows.get_mut(index) {
                Some(window) if window.start <= at => {
                    let (from, until) = (at - window.start, window.end().min(end));
                    match &mut window.bytes {
                        Bytes::Exclusive(bytes) => (until, &mut bytes[from..from + until - at]),
                        // `own_shared` has taken these away.
                        Bytes::Shared(_) => return,
                    }
                }
                next => {
                    let until = next.map_or(end, |window| window.start.min(end));
                    self.grow(until, limit);
                    (until, &mut self.own[at..until])
                }
            };
            into.copy_from_slice(&bytes[at - start..until - start]);
            at = until;
        }
    }

    /// Returns the bytes `start..end` in one piece, to be read; none where they
    /// lie in more than one.
    pub(super) fn shared(&mut self, start: usize, end: usize, limit: usize) -> Option<&[u8]> {
        match self.holder(start, end)? {
            Some(index) => {
                let window = &self.windows[index];
                Some(&window.bytes.as_slice()[start - window.start..end - window.start])
            }
            None => {
                self.grow(end, limit);
                Some(&self.own[start..end])
            }
        }
    }

    /// Returns the bytes `start..end` in one piece, to be written; none where
    /// they lie in more than one.
    pub(super) fn exclusive(
        &mut self,
        start: usize,
        end: usize,
        limit: usize,
    ) -> Option<&mut [u8]> {
        self.own_shared(start, end, limit);
        match self.holder(start, end)? {
            Some(index) => {
                let window = &mut self.windows[index];
                match &mut window.bytes {
                    Bytes::Exclusive(bytes) => {
                        Some(&mut bytes[start - window.start..end - window.start])
                    }
                    Bytes::Shared(_) => None,
                }
            }
            None => {
                self.grow(end, limit);
                Some(&mut self.own[start..end])
            }
        }
    }

    /// Returns two ranges that do not overlap, the first to be read and the
    /// second to be written; none where one of them is not in one piece.
    pub(super) fn disjoint(
        &mut self,
        src: (usize, usize),
        dst: (usize, usize),
        limit: usize,
    ) -> Option<(&[u8], &mut [u8])> {
        self.own_shared(dst.0, dst.1, limit);
        let (from, to) = (self.holder(src.0, src.1)?, self.holder(dst.0, dst.1)?);
        self.grow(if from.is_none() { src.1 } else { 0 }, limit);
        self.grow(if to.is_none() { dst.1 } else { 0 }, limit);
        let Self { own, windows, .. } = self;
        let cut = |bytes: &'_ Window<'t>, (start, end): (usize, usize)| {
            start - bytes.start..end - bytes.start
        };
        match (from, to) {
            (None, None) => split(own, src, dst),
            (Some(from), None) => {
                let window = &windows[from];
                Some((&window.bytes.as_slice()[cut(window, src)], &mut own[dst.0..dst.1]))
            }
            (None, Some(to)) => {
                let range = cut(&windows[to], dst);
                match &mut windows[to].bytes {
                    Bytes::Exclusive(bytes) => Some((&own[src.0..src.1], &mut bytes[range])),
                    Bytes::Shared(_) => None,
                }
            }
            (Some(from), Some(to)) if from == to => {
                let base = windows[to].start;
                let shift = |range: (usize, usize)| (range.0 - base, range.1 - base);
                match &mut windows[to].bytes {
                    Bytes::Exclusive(bytes) => split(bytes, shift(src), shift(dst)),
                    Bytes::Shared(_) => None,
                }
            }
            (Some(from), Some(to)) => {
                let ranges = (cut(&windows[from], src), cut(&windows[to], dst));
                let [from, to] = windows.get_disjoint_mut([from, to]).ok()?;
                match &mut to.bytes {
                    Bytes::Exclusive(bytes) => {
                        Some((&from.bytes.as_slice()[ranges.0], &mut bytes[ranges.1]))
                    }
                    Bytes::Shared(_) => None,
                }
            }
        }
    }

    /// Returns which window holds all of `start..end`, `Some(None)` for none of
    /// them and `None` where the range is in more than one piece.
    fn holder(&mut self, start: usize, end: usize) -> Option<Option<usize>> {
        let index = self.first_behind(start);
        match self.windows.get(index) {
            Some(window) if window.start <= start && end <= window.end() => Some(Some(index)),
            Some(window) if window.start < end => None,
            _ => Some(None),
        }
    }

    /// Makes the shared windows that `start..end` touches own bytes.
    fn own_shared(&mut self, start: usize, end: usize, limit: usize) {
        let mut index = self.first_behind(start);
        while let Some(window) = self.windows.get(index)
            && window.start < end
        {
            if matches!(window.bytes, Bytes::Exclusive(_)) {
                index += 1;
                continue;
            }
            let window = self.windows.remove(index);
            self.grow(window.end(), limit);
            self.own[window.start..window.end()].copy_from_slice(window.bytes.as_slice());
        }
    }

    /// Makes own bytes of everything below `len`.
    fn grow(&mut self, len: usize, limit: usize) {
        if self.own.len() >= len {
            return;
        }
        let wanted = len.max(2 * self.own.len()).next_multiple_of(GROWTH_BYTES).min(limit.max(len));
        // A fresh allocation comes zeroed from the system, untouched.
        let mut grown = vec![0; wanted];
        grown[..self.own.len()].copy_from_slice(&self.own);
        self.own = grown;
    }
}

/// Returns two ranges of `bytes` that do not overlap.
fn split(bytes: &mut [u8], src: (usize, usize), dst: (usize, usize)) -> Option<(&[u8], &mut [u8])> {
    if src.1 <= dst.0 {
        let (low, high) = bytes.split_at_mut(dst.0);
        Some((&low[src.0..src.1], &mut high[..dst.1 - dst.0]))
    } else if dst.1 <= src.0 {
        let (low, high) = bytes.split_at_mut(src.0);
        Some((&high[..src.1 - src.0], &mut low[dst.0..dst.1]))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(partition: &Partition<'_>, start: usize, len: usize) -> Vec<u8> {
        let mut bytes = vec![0xee; len];
        partition.read(start, &mut bytes);
        bytes
    }

    #[test]
    fn what_was_never_written_reads_as_zero_and_takes_no_room() {
        let mut partition = Partition::default();
        assert_eq!(bytes_of(&partition, 100, 4), [0; 4]);
        assert_eq!(partition.own.capacity(), 0);
        partition.write(2, &[1, 2], 1 << 20);
        assert_eq!(bytes_of(&partition, 0, 6), [0, 0, 1, 2, 0, 0]);
        assert_eq!(bytes_of(&partition, 4094, 4), [0; 4]);
        assert!(partition.own.len() <= GROWTH_BYTES);
    }

    #[test]
    fn own_bytes_never_reach_beyond_the_limit() {
        let mut partition = Partition::default();
        partition.write(0, &[1; 70], 100);
        partition.write(90, &[2; 10], 100);
        assert_eq!(partition.own.len(), 100);
    }

    #[test]
    fn a_window_stands_in_for_its_range_alone() {
        let (input, mut output) = ([1, 2, 3, 4], [0u8; 4]);
        let mut partition = Partition::default();
        partition.write(0, &[9; 16], 64);
        assert!(partition.bind(4, Err(&input)));
        assert!(partition.bind(8, Ok(&mut output)));
        assert_eq!(bytes_of(&partition, 2, 12), [9, 9, 1, 2, 3, 4, 0, 0, 0, 0, 9, 9]);
        partition.write(7, &[5, 6], 64);
        assert_eq!(bytes_of(&partition, 2, 8), [9, 9, 1, 2, 3, 5, 6, 0]);
        drop(partition);
        assert_eq!((input, output), ([1, 2, 3, 4], [6, 0, 0, 0]));
    }

    #[test]
    fn a_search_finds_the_same_window_wherever_the_last_one_ended() {
        let bytes = [7u8; 4];
        for last in 0..70 {
            for start in 0..70 {
                let mut partition = Partition::default();
                for k in 0..10 {
                    assert!(partition.bind(6 * k, Err(&bytes)));
                }
                partition.first_behind(last);
                // Window k is 6k..6k + 4.
                let expected = (0..10).position(|k| 6 * k + 4 > start).unwrap_or(10);
                assert_eq!(partition.first_behind(start), expected, "{start} after {last}");
            }
        }
    }

    #[test]
    fn windows_may_touch_but_not_overlap() {
        let bytes = [0u8; 4];
        let mut partition = Partition::default();
        assert!(partition.bind(4, Err(&bytes)));
        assert!(!partition.bind(7, Err(&bytes)));
        assert!(!partition.bind(1, Err(&bytes)));
        assert!(partition.bind(8, Err(&bytes)));
        assert!(partition.bind(0, Err(&bytes)));
    }

    #[test]
    fn two_ranges_come_out_of_any_two_holders() {
        let (input, mut output) = ([1u8; 8], [2u8; 8]);
        let mut partition = Partition::default();
        partition.write(0, &[3; 8], 64);
        assert!(partition.bind(16, Err(&input)));
        assert!(partition.bind(32, Ok(&mut output)));
        for (src, dst, expected) in [
            ((0, 4), (4, 8), Some((3, 3))),
            ((4, 8), (0, 4), Some((3, 3))),
            ((16, 20), (0, 4), Some((1, 3))),
            ((16, 24), (32, 40), Some((1, 2))),
            ((0, 4), (36, 40), Some((3, 2))),
            ((32, 36), (36, 40), Some((2, 2))),
            ((32, 36), (40, 48), Some((2, 0))),
            ((14, 18), (0, 4), None),
            ((0, 4), (30, 34), None),
        ] {
            let ranges = partition.disjoint(src, dst, 64);
            let firsts = ranges.map(|(src, dst)| (src[0], dst[0]));
            assert_eq!(firsts, expected, "{src:?} {dst:?}");
        }
    }
}
