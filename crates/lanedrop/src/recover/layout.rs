//! Orders in which a capture's lanes and elements may stand.

use std::fmt;

use super::BitRow;

/// Where in a capture the elements of the streams stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Lane after lane, element after element.
    AsIs,
    /// The last element of every lane first.
    ElementsReversed,
    /// The last lane first.
    LanesReversed,
    /// Odd lanes run backwards.
    Snake,
    /// The words were drawn element by element over the lanes and written down
    /// lane by lane, or the other way round.
    Transposed {
        /// Whether the rows of the capture are the columns of the streams.
        by_element: bool,
    },
    /// With the elements of a lane in `rows` rows of `columns`, the stream
    /// runs down the columns.
    ElementAxes {
        /// Rows of the capture.
        rows: usize,
        /// Columns of the capture.
        columns: usize,
    },
    /// The same of lanes.
    LaneAxes {
        /// Rows of the capture.
        rows: usize,
        /// Columns of the capture.
        columns: usize,
    },
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsIs => f.write_str("as-is"),
            Self::ElementsReversed => f.write_str("elements-reversed"),
            Self::LanesReversed => f.write_str("lanes-reversed"),
            Self::Snake => f.write_str("snake"),
            Self::Transposed { .. } => f.write_str("transposed"),
            Self::ElementAxes { rows, columns } => write!(f, "element-axes {rows}x{columns}"),
            Self::LaneAxes { rows, columns } => write!(f, "lane-axes {rows}x{columns}"),
        }
    }
}

impl Layout {
    /// Returns every layout that captures of this shape can be tried under,
    /// as it stands first.
    pub fn all(lanes: usize, elements: usize) -> Vec<Self> {
        let mut layouts =
            vec![Self::AsIs, Self::ElementsReversed, Self::LanesReversed, Self::Snake];
        if lanes > 1 && elements > 1 {
            layouts.push(Self::Transposed { by_element: true });
            if lanes != elements {
                layouts.push(Self::Transposed { by_element: false });
            }
        }
        let splits = |n: usize| {
            (2..n).filter(move |rows| n.is_multiple_of(*rows)).map(move |rows| (rows, n / rows))
        };
        layouts.extend(splits(elements).map(|(rows, columns)| Self::ElementAxes { rows, columns }));
        layouts.extend(splits(lanes).map(|(rows, columns)| Self::LaneAxes { rows, columns }));
        layouts
    }

    /// Returns whether only the order of elements within a lane changes, in
    /// the same way in every lane.
    pub fn keeps_lanes(self) -> bool {
        matches!(self, Self::AsIs | Self::ElementsReversed | Self::ElementAxes { .. })
    }

    /// Returns where in a capture of `lanes` by `elements` the `element` of the
    /// stream of `lane` stands. A layout of other axes leaves it where it is.
    pub fn place(
        self,
        lanes: usize,
        elements: usize,
        lane: usize,
        element: usize,
    ) -> (usize, usize) {
        // Down the columns of a capture of `rows` by `columns`.
        let down = |i: usize, rows: usize, columns: usize| (i % rows) * columns + i / rows;
        match self {
            Self::AsIs => (lane, element),
            Self::ElementsReversed => (lane, elements - 1 - element),
            Self::LanesReversed => (lanes - 1 - lane, element),
            Self::Snake if lane % 2 == 1 => (lane, elements - 1 - element),
            Self::Snake => (lane, element),
            Self::Transposed { by_element } => {
                let flat = if by_element {
                    element * lanes + lane
                } else {
                    let flat = lane * elements + element;
                    return (flat % lanes, flat / lanes);
                };
                (flat / elements, flat % elements)
            }
            Self::ElementAxes { rows, columns } if rows * columns == elements => {
                (lane, down(element, rows, columns))
            }
            Self::LaneAxes { rows, columns } if rows * columns == lanes => {
                (down(lane, rows, columns), element)
            }
            Self::ElementAxes { .. } | Self::LaneAxes { .. } => (lane, element),
        }
    }

    /// Returns the rows of a capture in the order of the streams.
    pub fn restore(self, rows: &[BitRow]) -> Vec<BitRow> {
        let (lanes, elements) = (rows.len(), rows.first().map_or(0, BitRow::len));
        if self == Self::AsIs {
            return rows.to_vec();
        }
        if matches!(self, Self::LanesReversed | Self::LaneAxes { .. }) {
            let place = |lane| self.place(lanes, elements, lane, 0).0;
            return (0..lanes).map(|lane| rows[place(lane)].clone()).collect();
        }
        (0..lanes)
            .map(|lane| {
                BitRow::from_fn(elements, |element| {
                    let (row, column) = self.place(lanes, elements, lane, element);
                    rows[row].bit(column)
                })
            })
            .collect()
    }

    /// Returns streams written down in this layout: what [`Layout::restore`]
    /// undoes, for anything.
    pub fn disturb<T: Copy + Default>(self, streams: &[Vec<T>]) -> Vec<Vec<T>> {
        let (lanes, elements) = (streams.len(), streams.first().map_or(0, Vec::len));
        let mut rows = vec![vec![T::default(); elements]; lanes];
        for (lane, stream) in streams.iter().enumerate() {
            for (element, &value) in stream.iter().enumerate() {
                let (row, column) = self.place(lanes, elements, lane, element);
                rows[row][column] = value;
            }
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_is_a_permutation_that_restore_undoes() {
        for (lanes, elements) in [(1, 1), (4, 6), (8, 8), (12, 5), (128, 64)] {
            let streams: Vec<Vec<bool>> = (0..lanes)
                .map(|lane| (0..elements).map(|i| (lane * 31 + i * i * 7) % 5 < 2).collect())
                .collect();
            for layout in Layout::all(lanes, elements) {
                let rows: Vec<BitRow> = layout
                    .disturb(&streams)
                    .iter()
                    .map(|row| BitRow::from_fn(elements, |i| row[i]))
                    .collect();
                let back = layout.restore(&rows);
                for (row, stream) in back.iter().zip(&streams) {
                    assert!((0..elements).all(|i| row.bit(i) == stream[i]), "{layout}");
                }
            }
        }
    }

    #[test]
    fn axes_run_down_the_columns_of_the_capture() {
        // Stream 0 1 2 3 4 5 in a capture of 2 rows by 3: 0 2 4 / 1 3 5.
        let rows = Layout::ElementAxes { rows: 2, columns: 3 }.disturb(&[vec![0, 1, 2, 3, 4, 5]]);
        assert_eq!(rows, [[0, 2, 4, 1, 3, 5]]);
    }
}
