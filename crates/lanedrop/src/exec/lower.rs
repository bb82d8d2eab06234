//! The program a compiler would emit for a tensor.

use thiserror::Error;

use super::plan::{Constant, Move, Plan, Segment};
use super::{Element, scale_factor};
use crate::isa::neighbours::{PSEUDO_SET_RNG_SEED, S3D3_TS};
use crate::isa::{
    Addr4, AluOp, Dropout, Field, Generation, Header, ImmSrc, Place, Space, Tensor3d,
    ThresholdType, Word, opcode,
};
use crate::rng::{Profile, Recurrence};

/// What to lower: a tensor of rows, of which row `r` is on lane `r mod 128`.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowering {
    /// The generation whose memory is used.
    pub generation: Generation,
    /// What the elements are.
    pub element: Element,
    /// How many rows the tensor has.
    pub rows: u64,
    /// How many elements a row has.
    pub row_len: u64,
    /// Whether rates are drop rates or keep rates.
    pub threshold_type: ThresholdType,
    /// One rate for all lanes, or one for each of the 128.
    pub rates: Vec<f32>,
    /// The seed to start from; none leaves the lanes as they are.
    pub seed: Option<u32>,
    /// Whether a multiply keeps the mean.
    pub scale: bool,
}

/// A program for a tensor, and what goes where while it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered {
    /// The records.
    pub words: Vec<Word>,
    /// Which rows go to which bytes, segment by segment.
    pub plan: Plan,
}

/// A tensor cannot be lowered.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LowerError {
    /// There is neither one rate nor one a lane.
    #[error("rates has {found} values, expected 1 or one for each of 128 lanes")]
    Rates {
        /// How many there are.
        found: usize,
    },
    /// A rate is no number of 0..=1.
    #[error("rate of lane {lane} is {found}, expected 0 to 1")]
    Rate {
        /// The lane.
        lane: usize,
        /// The rate.
        found: f32,
    },
    /// Only floats are scaled.
    #[error("elements are {}, and only floats can be scaled", element.name())]
    ScaleInteger {
        /// The element type.
        element: Element,
    },
    /// A rate that keeps nothing has no factor.
    #[error("rate {rate} of lane {lane} keeps nothing, so no factor keeps the mean")]
    ScaleNothing {
        /// The lane.
        lane: usize,
        /// The rate.
        rate: f32,
    },
    /// The profile has no rule to seed by.
    #[error("profile {profile} has no rule that makes a lane's words from a seed")]
    NoSeedingRule {
        /// The profile.
        profile: String,
    },
    /// The program would have too many records.
    #[error("{rows} rows of {row_len} elements take more than {most} records")]
    TooManyRecords {
        /// The number of rows.
        rows: u64,
        /// The length of a row.
        row_len: u64,
        /// What is allowed.
        most: usize,
    },
}

/// Rows of a tile: one a lane.
const LANES: u64 = 128;
/// Bytes that pieces of rows are apart, at least.
const ALIGN: u64 = 64;
/// Elements along the inner dimension of a long row: steps have 16 bits.
const INNER: u64 = 16_384;
/// Records a program may have.
const MOST_RECORDS: usize = 1 << 22;
/// Where rates and factors of the lanes are, where there are some.
const RATES_BYTES: u32 = 0;
const FACTORS_BYTES: u32 = 4;

/// Returns the program for a tensor: the seed, then tile after tile a Dropout
/// from one place of SBUF to another and, to keep the mean, a multiply.
///
/// A tensor that does not fit is split into segments: rows of one are brought
/// in, its records run, and what they wrote is taken out before the next.
///
/// ```
/// use lanedrop::exec::{Element, Lowering, lower};
/// use lanedrop::isa::{Generation, ThresholdType};
/// use lanedrop::rng::Profile;
/// let lowered = lower(
///     &Lowering {
///         generation: Generation::V3,
///         element: Element::BF16,
///         rows: 256,
///         row_len: 512,
///         threshold_type: ThresholdType::DropRate,
///         rates: vec![0.1],
///         seed: Some(42),
///         scale: false,
///     },
///     &Profile::builtin("trn1").unwrap(),
/// )?;
/// // The seed and two tiles, in one segment.
/// assert_eq!((lowered.words.len(), lowered.plan.segments.len()), (3, 1));
/// # Ok::<(), lanedrop::exec::LowerError>(())
/// ```
///
/// # Errors
/// Where rates, seed or scale are none a program could have.
pub fn lower(lowering: &Lowering, profile: &Profile) -> Result<Lowered, LowerError> {
    let factors = check(lowering, profile)?;
    let by_lane = lowering.rates.len() > 1;
    let mut emitter = Emitter {
        lowering,
        factor: factors.first().copied(),
        by_lane,
        words: Vec::new(),
        segments: Vec::new(),
    };
    if let Some(seed) = lowering.seed {
        emitter.words.push(seed_record(seed));
    }
    emitter.tiles()?;
    let mut constants = Vec::new();
    if by_lane {
        constants.push(Constant { offset_bytes: RATES_BYTES, values: bits(&lowering.rates) });
        if lowering.scale {
            constants.push(Constant { offset_bytes: FACTORS_BYTES, values: bits(&factors) });
        }
    }
    let Lowering { generation, element, rows, row_len, .. } = *lowering;
    let plan = Plan { generation, element, rows, row_len, constants, segments: emitter.segments };
    Ok(Lowered { words: emitter.words, plan })
}

/// Asks what a lowering needs, and returns the factors of the lanes.
fn check(lowering: &Lowering, profile: &Profile) -> Result<Vec<f32>, LowerError> {
    let Lowering { element, ref rates, .. } = *lowering;
    if rates.len() != 1 && rates.len() as u64 != LANES {
        return Err(LowerError::Rates { found: rates.len() });
    }
    if let Some((lane, &found)) =
        rates.iter().enumerate().find(|(_, rate)| !(0.0..=1.0).contains(*rate))
    {
        return Err(LowerError::Rate { lane, found });
    }
    let no_rule = profile.recurrence == Recurrence::Xorwow || profile.words_per_lane() > 1;
    if lowering.seed.is_some() && no_rule {
        return Err(LowerError::NoSeedingRule { profile: profile.name.clone() });
    }
    if !lowering.scale {
        return Ok(Vec::new());
    }
    if !element.is_float() {
        return Err(LowerError::ScaleInteger { element });
    }
    let keep_rate = lowering.threshold_type == ThresholdType::KeepRate;
    let factor = |(lane, &rate): (usize, &f32)| {
        scale_factor(rate, keep_rate).ok_or(LowerError::ScaleNothing { lane, rate })
    };
    rates.iter().enumerate().map(factor).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Writes records and segments.
struct Emitter<'a> {
    lowering: &'a Lowering,
    /// The factor of all lanes, or of lane 0.
    factor: Option<f32>,
    by_lane: bool,
    words: Vec<Word>,
    segments: Vec<Segment>,
}

impl Emitter<'_> {
    fn tiles(&mut self) -> Result<(), LowerError> {
        let Lowering { generation, element, rows, row_len, .. } = *self.lowering;
        let size = element.size_bytes() as u64;
        let base = if self.by_lane { ALIGN } else { 0 };
        let active = u64::from(Space::Sbuf.region(generation).active_bytes);
        let room = (active - base) / 2 / ALIGN * ALIGN;
        let least = rows.div_ceil(LANES).saturating_mul(row_len.div_ceil(room / size));
        if least > MOST_RECORDS as u64 {
            return Err(LowerError::TooManyRecords { rows, row_len, most: MOST_RECORDS });
        }
        let mut segment = Segment { first_record: 0, records: 0, moves: Vec::new() };
        let mut used = 0;
        let (mut row, mut column) = (0, 0);
        while row < rows && row_len > 0 {
            let elems = piece(row_len - column, room / size);
            let pitch = (elems * size).next_multiple_of(ALIGN);
            if used + pitch > room {
                self.close(&mut segment);
                used = 0;
            }
            // Offsets are below the active bytes, channels at most 128.
            let piece = Move {
                first_row: row,
                rows: (rows - row).min(LANES) as u8,
                first_elem: column,
                elems,
                src_offset_bytes: (base + 2 * used) as u32,
                dst_offset_bytes: (base + 2 * used + pitch) as u32,
            };
            self.records(&piece);
            segment.moves.push(piece);
            used += pitch;
            column += elems;
            if column == row_len {
                (row, column) = (row + u64::from(piece.rows), 0);
            }
            if self.words.len() > MOST_RECORDS {
                return Err(LowerError::TooManyRecords { rows, row_len, most: MOST_RECORDS });
            }
        }
        self.close(&mut segment);
        Ok(())
    }

    /// Ends a segment and begins the next one.
    fn close(&mut self, segment: &mut Segment) {
        let first = segment.first_record;
        segment.records = self.words.len() as u64 - first;
        if segment.records > 0 {
            let next = Segment { first_record: first + segment.records, records: 0, moves: vec![] };
            self.segments.push(std::mem::replace(segment, next));
        }
    }

    /// Emits the records of a piece.
    fn records(&mut self, piece: &Move) {
        let Lowering { generation, element, ref rates, threshold_type, .. } = *self.lowering;
        let pattern = |offset_bytes| long_row(address(offset_bytes, generation), piece.elems);
        let (src, dst) = (pattern(piece.src_offset_bytes), pattern(piece.dst_offset_bytes));
        let mut dropout = Dropout::new(element.dtype(), src, dst, piece.rows, rates[0]);
        dropout.threshold_type = threshold_type;
        if self.by_lane {
            dropout.threshold_src = ImmSrc::PointerImmediate;
            dropout.threshold = address(RATES_BYTES, generation).0;
        }
        self.words.push(dropout.encode());
        if let Some(factor) = self.factor {
            let imm = if self.by_lane {
                (ImmSrc::PointerImmediate, address(FACTORS_BYTES, generation).0)
            } else {
                (ImmSrc::InstructionImmediate, factor.to_bits())
            };
            self.words.push(multiply_record(element, dst, piece.rows, imm));
        }
    }
}

/// Returns how many of the `left` elements of a row go at a time.
fn piece(left: u64, room: u64) -> u64 {
    let most = left.min(room);
    if most <= u64::from(u16::MAX) { most } else { most / INNER * INNER }
}

/// Returns the pattern of neighbours, in two dimensions where one is too short.
fn long_row(start_addr: Addr4, elems: u64) -> Tensor3d {
    match u16::try_from(elems) {
        Ok(elems) => Tensor3d::row(start_addr, elems),
        Err(_) => Tensor3d {
            start_addr,
            step_elem: [1, INNER as i16, 1],
            num_elem: [INNER as u16, (elems / INNER) as u16, 1],
        },
    }
}

/// Returns the address of a byte of partition 0 of SBUF.
fn address(offset_bytes: u32, generation: Generation) -> Addr4 {
    let place = Place { space: Space::Sbuf, partition: 0, offset_bytes };
    Addr4(place.address(generation).unwrap_or(offset_bytes))
}

/// Returns the record that seeds the lanes.
fn seed_record(seed: u32) -> Word {
    const SEED: &Field = PSEUDO_SET_RNG_SEED.field("seed");
    let mut word = Word::ZERO;
    word.0[0] = opcode::SET_RNG_SEED;
    Header::default().write(&mut word);
    SEED.set(&mut word, &seed.to_le_bytes());
    word
}

/// Returns the record that multiplies a pattern where it is.
fn multiply_record(
    element: Element,
    pattern: Tensor3d,
    channels: u8,
    (src, imm): (ImmSrc, u32),
) -> Word {
    let mut word = Word::ZERO;
    word.0[0] = opcode::TENSOR_SCALAR;
    Header::default().write(&mut word);
    let dtype = [element.dtype().code()];
    for (name, bytes) in [
        ("in_dtype", &dtype[..]),
        ("out_dtype", &dtype),
        ("num_active_channels", &[channels]),
        ("imm0_src", &[src.code()]),
        ("op0", &[AluOp::Mult.code()]),
        ("op1", &[AluOp::Bypass.code()]),
        ("imm0", &imm.to_le_bytes()),
    ] {
        S3D3_TS.field(name).set(&mut word, bytes);
    }
    for name in ["src_mem_pattern.start_addr", "dst_mem_pattern.start_addr"] {
        pattern.write_to(&mut word.0[S3D3_TS.field(name).offset_bytes..]);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::validate;

    fn lowering(rows: u64, row_len: u64, element: Element) -> Lowering {
        Lowering {
            generation: Generation::V3,
            element,
            rows,
            row_len,
            threshold_type: ThresholdType::DropRate,
            rates: vec![0.25],
            seed: Some(1),
            scale: element.is_float(),
        }
    }

    #[test]
    fn every_record_is_legal_and_every_piece_fits() {
        let profile = Profile::builtin("trn1").unwrap();
        for generation in Generation::ALL {
            for element in Element::ALL {
                for (rows, row_len) in
                    [(1, 1), (129, 7), (128, 65_536), (3, 1_000_000), (5000, 4096), (1, 0), (0, 5)]
                {
                    for rates in [vec![0.25], vec![0.5; 128]] {
                        let lowering =
                            Lowering { generation, rates, ..lowering(rows, row_len, element) };
                        let lowered = lower(&lowering, &profile).unwrap();
                        for word in &lowered.words {
                            let report = validate(word, generation);
                            assert!(report.is_legal(), "{:?}", report.violations);
                            assert!(report.remarks.is_empty(), "{:?}", report.remarks);
                        }
                        assert_eq!(lowered.plan.check(lowered.words.len() as u64), Ok(()));
                        let records: u64 = lowered.plan.segments.iter().map(|s| s.records).sum();
                        assert_eq!(records, lowered.words.len() as u64);
                    }
                }
            }
        }
    }

    #[test]
    fn a_tensor_larger_than_the_memory_is_split() {
        let profile = Profile::builtin("trn1").unwrap();
        let segments = |rows| {
            let lowering = lowering(rows, 4096, Element::BF16);
            lower(&lowering, &profile).unwrap().plan.segments.len()
        };
        // 224 KiB hold a source and a destination of 14 tiles of 8 KiB.
        assert_eq!([segments(14 * 128), segments(14 * 128 + 1), segments(4096)], [1, 2, 3]);
    }

    #[test]
    fn what_no_program_could_do_is_refused() {
        let trn1 = Profile::builtin("trn1").unwrap();
        let plain = lowering(1, 1, Element::I8);
        let error = |change: &dyn Fn(&mut Lowering), profile: &str| {
            let mut lowering = plain.clone();
            change(&mut lowering);
            lower(&lowering, &Profile::builtin(profile).unwrap()).unwrap_err().to_string()
        };
        assert_eq!(
            error(&|l| l.rates = vec![0.5; 3], "trn1"),
            "rates has 3 values, expected 1 or one for each of 128 lanes"
        );
        assert_eq!(
            error(&|l| l.rates = vec![f32::NAN], "trn1"),
            "rate of lane 0 is NaN, expected 0 to 1"
        );
        assert_eq!(
            error(&|l| l.scale = true, "trn1"),
            "elements are int8, and only floats can be scaled"
        );
        assert_eq!(
            error(&|_| {}, "trn3"),
            "profile trn3 has no rule that makes a lane's words from a seed"
        );
        assert!(error(&|l| l.rows = u64::MAX, "trn1").contains("records"));
        let all = Lowering { scale: true, rates: vec![1.0], ..lowering(1, 1, Element::F32) };
        assert_eq!(
            lower(&all, &trn1).unwrap_err().to_string(),
            "rate 1 of lane 0 keeps nothing, so no factor keeps the mean"
        );
    }
}
