//! An affine recurrence as the kernels see it: every bit of every draw is an
//! affine functional of the register the row starts with.

/// An affine functional of a 32-bit register: bits 0..=31 select the register
/// bits that are summed, bit 32 is added to the sum.
pub(super) type Functional = u64;

/// The constant of a [`Functional`].
const ONE: Functional = 1 << 32;

/// One draw of a register with an affine recurrence over GF(2).
///
/// One draw takes the register `x` to the xor of `columns[i]` over the set
/// bits `i` of `x`, xor `constant`. The draw is the register after that, or
/// before it when `draw_before` is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrence {
    /// What each register bit adds to the next register.
    pub columns: [u32; 32],
    /// The next register of an all-zero one.
    pub constant: u32,
    /// Whether a draw reads the register before it moves.
    pub draw_before: bool,
}

/// The bits of a draw that a comparison looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The lowest bit of the draw that counts.
    pub low: u32,
    /// How many bits count, 1..=32.
    pub bits: u32,
    /// Whether the draw counts as a signed number (bit 31 is inverted).
    pub signed: bool,
}

impl Key {
    /// Returns the key of one draw, a number below 2^`bits`.
    pub fn of(self, draw: u32) -> u32 {
        let word = if self.signed { draw ^ 0x8000_0000 } else { draw };
        let word = word >> self.low;
        if self.bits >= 32 { word } else { word & ((1 << self.bits) - 1) }
    }
}

/// Where a comparison cuts the keys in two.
///
/// An element is kept when its key is at least `at_least`; with `below` when
/// it is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The cut, 0..=2^32: 0 lies under every key, 2^`bits` above all.
    pub at_least: u64,
    /// Whether the keys under the cut are the ones that are kept.
    pub below: bool,
}

impl Cut {
    /// Returns whether an element with this key is kept.
    pub fn keeps(self, key: u32) -> bool {
        (u64::from(key) >= self.at_least) != self.below
    }
}

/// The rows of an affine map: bit `i` of the result is `rows[i]` of the
/// argument.
#[derive(Clone)]
pub(super) struct Rows(pub(super) [Functional; 32]);

impl Rows {
    /// The map that changes nothing.
    pub(super) fn identity() -> Self {
        Self(std::array::from_fn(|bit| 1 << bit))
    }

    /// The map of one draw.
    pub(super) fn one_draw(recurrence: &Recurrence) -> Self {
        Self(std::array::from_fn(|bit| {
            let mut row = u64::from(recurrence.constant >> bit & 1) << 32;
            for (from, column) in recurrence.columns.iter().enumerate() {
                row |= u64::from(column >> bit & 1) << from;
            }
            row
        }))
    }

    /// The map that applies `first`, then `self`.
    pub(super) fn after(&self, first: &Self) -> Self {
        Self(self.0.map(|row| first.pull(row)))
    }

    /// What `functional` of the map's result is of the map's argument.
    pub(super) fn pull(&self, functional: Functional) -> Functional {
        let mut result = functional & ONE;
        let mut left = functional & (ONE - 1);
        while left != 0 {
            result ^= self.0[left.trailing_zeros() as usize & 31];
            left &= left - 1;
        }
        result
    }

    /// The map of `count` steps of this one.
    pub(super) fn power(&self, mut count: usize) -> Self {
        let mut result = Self::identity();
        let mut square = self.clone();
        while count != 0 {
            if count & 1 == 1 {
                result = square.after(&result);
            }
            count >>= 1;
            if count != 0 {
                square = square.after(&square);
            }
        }
        result
    }
}

/// An affine map as eight tables of sixteen words: eight loads an application.
#[derive(Clone)]
pub(super) struct Lookup {
    tables: [[u32; 16]; 8],
    constant: u32,
}

impl Lookup {
    /// Tabulates a map.
    pub(super) fn new(rows: &Rows) -> Self {
        let mut columns = [0u32; 32];
        let mut constant = 0;
        for (bit, row) in rows.0.iter().enumerate() {
            constant |= ((row >> 32) as u32 & 1) << bit;
            for (from, column) in columns.iter_mut().enumerate() {
                *column |= ((row >> from) as u32 & 1) << bit;
            }
        }
        let mut tables = [[0u32; 16]; 8];
        for (table, columns) in tables.iter_mut().zip(columns.as_chunks::<4>().0) {
            for value in 1..16usize {
                let lowest = value.trailing_zeros() as usize;
                table[value] = table[value & (value - 1)] ^ columns[lowest];
            }
        }
        Self { tables, constant }
    }

    /// Applies the map.
    #[inline(always)]
    pub(super) fn apply(&self, word: u32) -> u32 {
        let mut result = self.constant;
        for (digit, table) in self.tables.iter().enumerate() {
            result ^= table[(word >> (4 * digit)) as usize & 15];
        }
        result
    }
}

/// A register that shifts by one: its draws are windows on one bit sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    /// The newest bit comes in at bit 0.
    Left,
    /// The newest bit comes in at bit 31.
    Right,
}

impl Shift {
    /// Returns the direction of a shift-by-one register, `None` for others.
    pub(super) fn of(one_draw: &Rows) -> Option<Self> {
        let rows = &one_draw.0;
        if (1..32).all(|bit| rows[bit] == 1 << (bit - 1)) {
            Some(Self::Left)
        } else if (0..31).all(|bit| rows[bit] == 1 << (bit + 1)) {
            Some(Self::Right)
        } else {
            None
        }
    }

    /// How many draws ago bit `bit` of the register came in.
    pub(super) fn lag(self, bit: u32) -> u32 {
        match self {
            Self::Left => bit,
            Self::Right => 31 - bit,
        }
    }
}

/// The bit sequence of a shift-by-one register.
pub(super) struct Sequence {
    /// `bits[32 + n]` is the newest bit of draw `n`, from 32 draws back on.
    /// The first entry of a register that draws before moving is unused.
    bits: Vec<Functional>,
}

impl Sequence {
    /// How far back the sequence goes.
    const BACK: isize = 32;

    /// Follows the sequence through draws 0..`draws`.
    pub(super) fn new(
        recurrence: &Recurrence,
        one_draw: &Rows,
        shift: Shift,
        draws: usize,
    ) -> Self {
        let (feedback, oldest_first): (Functional, [u32; 32]) = match shift {
            Shift::Left => (one_draw.0[0], std::array::from_fn(|back| 31 - back as u32)),
            Shift::Right => (one_draw.0[31], std::array::from_fn(|back| back as u32)),
        };
        let mut bits: Vec<Functional> = Vec::with_capacity(draws + 33);
        if recurrence.draw_before {
            // Draw 0 is the register itself, so one bit less lies behind it.
            bits.push(0);
        }
        bits.extend(oldest_first.map(|bit| 1u64 << bit));
        while bits.len() < draws + Self::BACK as usize {
            let mut next = feedback & ONE;
            for bit in 0..32 {
                if feedback >> bit & 1 == 1 {
                    next ^= bits[bits.len() - 1 - shift.lag(bit) as usize];
                }
            }
            bits.push(next);
        }
        Self { bits }
    }

    /// The newest bit of draw `draw`, which may be up to 32 draws back.
    pub(super) fn at(&self, draw: isize) -> Functional {
        self.bits[(draw + Self::BACK) as usize]
    }
}
