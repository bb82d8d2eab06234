//! Elements that do not lie side by side.

use super::{ExecError, Masks, Runner, packed_len};

/// Where the elements of a tensor lie in a slice of bytes: any shape, any
/// distance along each axis, negative ones too.
///
/// ```
/// # use lanedrop::exec::View;
/// // A 2 x 3 matrix of bytes, stored column after column.
/// let view = View { offset_bytes: 0, shape: vec![2, 3], strides_bytes: vec![1, 2] };
/// assert_eq!(view.elements(), Some(6));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Where the first element begins.
    pub offset_bytes: usize,
    /// How many elements each axis has, the last one fastest.
    pub shape: Vec<usize>,
    /// How far apart neighbours along each axis are.
    pub strides_bytes: Vec<isize>,
}

/// Elements gathered at a time: they stay in the nearest cache.
const GATHERED: usize = 4096;

impl View {
    /// Returns how many elements there are, `None` when a `usize` counts less.
    pub fn elements(&self) -> Option<usize> {
        // An empty axis makes all of it empty, however long the others are.
        if self.shape.contains(&0) {
            return Some(0);
        }
        self.shape.iter().try_fold(1usize, |count, &len| count.checked_mul(len))
    }

    /// Returns whether every element lies inside `len_bytes` bytes.
    fn fits(&self, size_bytes: usize, len_bytes: usize) -> bool {
        if self.shape.len() != self.strides_bytes.len() || self.elements().is_none() {
            return false;
        }
        if self.elements() == Some(0) {
            return true;
        }
        let (mut low, mut high) = (self.offset_bytes as i128, self.offset_bytes as i128);
        for (&len, &stride) in self.shape.iter().zip(&self.strides_bytes) {
            let reach = (len as i128 - 1) * stride as i128;
            low += reach.min(0);
            high += reach.max(0);
        }
        low >= 0 && high + size_bytes as i128 <= len_bytes as i128
    }

    /// Calls `each` with where runs along the last axis begin, from element
    /// `first` on, `count` elements in all: `each(start, stride, len)`.
    fn runs(&self, first: usize, count: usize, mut each: impl FnMut(usize, isize, usize)) {
        let (inner, stride) = match (self.shape.last(), self.strides_bytes.last()) {
            (Some(&len), Some(&stride)) => (len, stride),
            _ => (1, 0),
        };
        let outer = self.shape.len().saturating_sub(1);
        let (mut at, end) = (first, first + count);
        while at < end {
            let (mut row, column) = (at / inner, at % inner);
            let mut start = self.offset_bytes as isize + column as isize * stride;
            for axis in (0..outer).rev() {
                start += (row % self.shape[axis]) as isize * self.strides_bytes[axis];
                row /= self.shape[axis];
            }
            let len = (inner - column).min(end - at);
            each(start as usize, stride, len);
            at += len;
        }
    }
}

impl Runner {
    /// Runs the whole tensor from one view to another, elements in the order
    /// of their indices, the last axis fastest.
    ///
    /// # Errors
    /// Where a view has another number of elements than the tensor, or elements
    /// outside its bytes; as [`Runner::apply`] besides.
    pub fn apply_views(
        &mut self,
        (src, src_view): (&[u8], &View),
        (dst, dst_view): (&mut [u8], &View),
        masks: Masks<'_>,
    ) -> Result<(), ExecError> {
        let size = self.job().element.size_bytes();
        self.check_view("the input", src_view, src.len())?;
        self.check_view("the output", dst_view, dst.len())?;
        self.by_pieces(masks, |runner, first, data, masks| {
            gather(src, src_view, first, size, data);
            runner.apply_in_place(first as u64, data, masks)?;
            scatter(data, first, size, dst, dst_view);
            Ok(())
        })
    }

    /// As [`Runner::apply_views`], with the elements staying where they are.
    ///
    /// # Errors
    /// As [`Runner::apply_views`].
    pub fn apply_view_in_place(
        &mut self,
        data: &mut [u8],
        view: &View,
        masks: Masks<'_>,
    ) -> Result<(), ExecError> {
        let size = self.job().element.size_bytes();
        self.check_view("the data", view, data.len())?;
        self.by_pieces(masks, |runner, first, piece, masks| {
            gather(data, view, first, size, piece);
            runner.apply_in_place(first as u64, piece, masks)?;
            scatter(piece, first, size, data, view);
            Ok(())
        })
    }

    fn check_view(
        &self,
        name: &'static str,
        view: &View,
        len_bytes: usize,
    ) -> Result<(), ExecError> {
        let (found, wanted) = (view.elements().map(|count| count as u64), self.elements());
        if found != Some(wanted) || !view.fits(self.job().element.size_bytes(), len_bytes) {
            return Err(ExecError::View { view: name, found, wanted, len_bytes });
        }
        Ok(())
    }

    /// Calls `run` with pieces of the tensor, each with room for its elements
    /// and its share of the masks.
    fn by_pieces(
        &mut self,
        masks: Masks<'_>,
        mut run: impl FnMut(&mut Self, usize, &mut [u8], Masks<'_>) -> Result<(), ExecError>,
    ) -> Result<(), ExecError> {
        let (elements, row_len) = (self.elements(), self.job().row_len);
        let size = self.job().element.size_bytes();
        self.check(0, elements, &masks)?;
        let Masks { mut bytes, mut packed } = masks;
        let mut room = vec![0; GATHERED.min(elements as usize) * size];
        let mut first = 0;
        while first < elements {
            let column = first % row_len;
            let most = GATHERED as u64;
            // Whole rows, or a part of one that begins at a whole mask byte.
            let len = if row_len < most {
                (most / row_len * row_len).min(elements - first)
            } else {
                most.min(row_len - column)
            };
            let masks = Masks {
                bytes: split(&mut bytes, len as usize),
                packed: split(&mut packed, packed_len(row_len, first, len)? as usize),
            };
            run(self, first as usize, &mut room[..len as usize * size], masks)?;
            first += len;
        }
        Ok(())
    }
}

/// Takes the first `len` bytes off an output.
fn split<'a>(slice: &mut Option<&'a mut [u8]>, len: usize) -> Option<&'a mut [u8]> {
    let (head, rest) = slice.take()?.split_at_mut(len);
    *slice = Some(rest);
    Some(head)
}

/// Brings the elements of a view from `first` on side by side.
fn gather(src: &[u8], view: &View, first: usize, size: usize, to: &mut [u8]) {
    let (count, mut done) = (to.len() / size, 0);
    view.runs(first, count, |start, stride, len| {
        let to = &mut to[done * size..(done + len) * size];
        if stride == size as isize {
            to.copy_from_slice(&src[start..start + len * size]);
        } else {
            for (at, to) in to.chunks_exact_mut(size).enumerate() {
                let from = start.wrapping_add_signed(at as isize * stride);
                to.copy_from_slice(&src[from..from + size]);
            }
        }
        done += len;
    });
}

/// Puts elements that lie side by side where a view has them.
fn scatter(from: &[u8], first: usize, size: usize, dst: &mut [u8], view: &View) {
    let (count, mut done) = (from.len() / size, 0);
    view.runs(first, count, |start, stride, len| {
        let from = &from[done * size..(done + len) * size];
        if stride == size as isize {
            dst[start..start + len * size].copy_from_slice(from);
        } else {
            for (at, from) in from.chunks_exact(size).enumerate() {
                let to = start.wrapping_add_signed(at as isize * stride);
                dst[to..to + size].copy_from_slice(from);
            }
        }
        done += len;
    });
}
