//! Running a lowered program on a tensor that lies elsewhere.

use thiserror::Error;

use super::{Machine, Options, Stop, Summary, Trace};
use crate::device::{Device, MemoryError, Window};
use crate::exec::{Element, Lowered, PlanError};
use crate::isa::{Generation, Place, Space, opcode};
use crate::rng::Fp8Exp4;

/// A lowered program did not run to its end.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum SegmentsError {
    /// The plan is none that could be followed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The device is of another generation.
    #[error("the device is a {device}, and the program was lowered for {plan}")]
    Generation {
        /// The device's.
        device: Generation,
        /// The program's.
        plan: Generation,
    },
    /// The tensor has another size than the plan.
    #[error("{which} has {found} bytes, the plan has {expected}")]
    Len {
        /// Input or output.
        which: &'static str,
        /// Bytes it has.
        found: usize,
        /// Bytes the plan's tensor has.
        expected: u64,
    },
    /// The plan puts bytes where there are none, or others.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The program stopped.
    #[error(transparent)]
    Stop(#[from] Stop),
}

/// Outputs from this size on are more than caches hold.
const BEYOND_BYTES: usize = 12 << 20;

/// Runs a lowered program on the bytes of a tensor: before each segment its
/// rows are bound to their places in memory, and after it they are let go.
///
/// Nothing is copied: the program reads `src` and writes `dst` where they are.
/// Rows are little-endian. FP8_EXP4 is read as the plan's element type says.
///
/// # Errors
/// Where the plan does not fit the program, the device or the tensor, and where
/// the program stops; `dst` is written up to there.
pub fn run_lowered<'t>(
    device: &mut Device<'t>,
    lowered: &Lowered,
    options: &Options<'_>,
    trace: &mut dyn Trace,
    src: &'t [u8],
    dst: &'t mut [u8],
) -> Result<Summary, SegmentsError> {
    let plan = &lowered.plan;
    plan.check(lowered.words.len() as u64)?;
    if device.generation() != plan.generation {
        let (device, plan) = (device.generation(), plan.generation);
        return Err(SegmentsError::Generation { device, plan });
    }
    for (which, found) in [("the input", src.len()), ("the output", dst.len())] {
        match plan.len_bytes() {
            Some(expected) if expected == found as u64 => {}
            expected => {
                let expected = expected.unwrap_or(u64::MAX);
                return Err(SegmentsError::Len { which, found, expected });
            }
        }
    }
    for constant in &plan.constants {
        for (partition, value) in (0..).zip(&constant.values) {
            let offset_bytes = constant.offset_bytes;
            let place = Place { space: Space::Sbuf, partition, offset_bytes };
            device.memory.write(place, &value.to_le_bytes())?;
        }
    }
    let again = lowered.words.iter().any(|word| word.opcode() == opcode::TENSOR_SCALAR);
    let large = dst.len() >= BEYOND_BYTES;
    let size = plan.element.size_bytes();
    let row_bytes = plan.row_len as usize * size;
    let fp8_exp4 = match plan.element {
        Element::F8E4M3 => Some(Fp8Exp4::Ieee),
        Element::F8E4M3FN => Some(Fp8Exp4::Fn),
        _ => options.fp8_exp4,
    };
    let options = Options { fp8_exp4, ..options.clone() };
    let (src_lent, dst_lent) = (device.memory.lend(src), device.memory.lend_mut(dst));
    let mut machine = Machine::new(device, &options);
    machine.beyond_cache = large && !again;
    machine.tensor = if large { src } else { &[] };
    for segment in &plan.segments {
        for piece in &segment.moves {
            let (from, to) = piece.places(0);
            let first_byte = piece.first_row as usize * row_bytes;
            let first_byte = first_byte + piece.first_elem as usize * size;
            let len_bytes = piece.elems as usize * size;
            for (place, lent) in [(from, src_lent), (to, dst_lent)] {
                let rows = piece.rows.into();
                let pitch_bytes = row_bytes;
                machine.device.memory.bind(Window {
                    place,
                    rows,
                    len_bytes,
                    lent,
                    first_byte,
                    pitch_bytes,
                })?;
            }
        }
        // The plan was asked: the records exist.
        let first = segment.first_record as usize;
        machine.run(&lowered.words, first..first + segment.records as usize, trace)?;
        machine.device.memory.unbind();
    }
    Ok(machine.summary)
}
