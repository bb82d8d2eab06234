//! TensorScalar with arithmetic operators: the multiply after a Dropout, and
//! its siblings.

use std::ops::Range;

use super::stretch::{self, Work};
use super::{Cause, Effect, Machine, NotExecuted};
use crate::evidence::assumptions::ARITHMETIC_IN_FP32;
use crate::exec::fast::scale_of;
use crate::exec::{Backend, Element, Multiply};
use crate::isa::neighbours::S3D3_TS;
use crate::isa::{AluOp, Dtype, Field, ImmSrc, ReverseOperands, Tensor3d, Word};

const IN_DTYPE: &Field = S3D3_TS.field("in_dtype");
const OUT_DTYPE: &Field = S3D3_TS.field("out_dtype");
const CHANNELS: &Field = S3D3_TS.field("num_active_channels");
const OPS: [&Field; 2] = [S3D3_TS.field("op0"), S3D3_TS.field("op1")];
const REVERSE: &Field = S3D3_TS.field("reverse_operands");
const IMM_SRCS: [&Field; 2] = [S3D3_TS.field("imm0_src"), S3D3_TS.field("imm1_src")];
const IMMS: [&Field; 2] = [S3D3_TS.field("imm0"), S3D3_TS.field("imm1")];
const SRC: &Field = S3D3_TS.field("src_mem_pattern.start_addr");
const DST: &Field = S3D3_TS.field("dst_mem_pattern.start_addr");

impl Machine<'_, '_, '_> {
    pub(super) fn tensor_scalar(&mut self, word: &Word) -> Result<Effect, Cause> {
        let dtype = |field: &Field| Dtype::from_code(field.u8(word)).unwrap_or(Dtype::INVALID);
        let (from, to) = (self.element(dtype(IN_DTYPE))?, self.element(dtype(OUT_DTYPE))?);
        let channels = CHANNELS.u8(word);
        let pattern = |field: &Field| Tensor3d::from_bytes(&word.0[field.offset_bytes..]);
        let size = |element: Element| element.size_bytes() as u32;
        let src = self.pattern("src", &pattern(SRC), size(from), channels)?;
        let dst = self.pattern("dst", &pattern(DST), size(to), channels)?;
        if src.walk.len() != dst.walk.len() {
            return Err(Cause::Counts { src: src.walk.len(), dst: dst.walk.len() });
        }
        let reverse = ReverseOperands::from_code(REVERSE.u8(word));
        let reverse = reverse.unwrap_or(ReverseOperands::None) as u8;
        let mut operations = Vec::with_capacity(2);
        for (i, name) in ["imm0", "imm1"].into_iter().enumerate() {
            let (op, src) = (OPS[i].u8(word), ImmSrc::from_code(IMM_SRCS[i].u8(word)));
            let op = executed(op)?;
            let src = src.unwrap_or(ImmSrc::InstructionImmediate);
            let raw = IMMS[i].u32(word);
            let imm = if op.takes_no_operand() {
                vec![0.0]
            } else {
                self.float_scalar(name, src, raw, Dtype::FP32, channels)?
            };
            operations.push(Operation { op, imm, reversed: reverse >> i & 1 == 1 });
        }
        let elements = self.spend(src.walk.len(), channels)?;
        let [first, second] = [operations.remove(0), operations.remove(0)];
        let backend = self.options.backend;
        let mut arithmetic = Arithmetic::new([from, to], first, second, backend);
        if !matches!(arithmetic.how, How::Copy) {
            self.assume(&ARITHMETIC_IN_FP32);
        }
        stretch::map(&mut self.device.memory, &src, &dst, channels.into(), &mut arithmetic, &[])?;
        Ok(Effect::Wrote { elements })
    }
}

/// Returns the operator of a code, where it is one that is executed.
fn executed(code: u8) -> Result<AluOp, Cause> {
    match AluOp::from_code(code) {
        Some(op) if op.is_arithmetic() && op != AluOp::Rsqrt => Ok(op),
        op => {
            let name = op.map_or("of the integer band", AluOp::name);
            Err(Cause::NotExecuted { why: NotExecuted::Operator { name } })
        }
    }
}

/// One of the two operations.
#[derive(Clone, Debug)]
struct Operation {
    op: AluOp,
    /// One operand a channel, or one for all.
    imm: Vec<f32>,
    reversed: bool,
}

impl Operation {
    fn of(&self, x: f32, channel: usize) -> f32 {
        let imm = self.imm[channel % self.imm.len()];
        let (l, r) = if self.reversed { (imm, x) } else { (x, imm) };
        if self.op.takes_no_operand() { unary(self.op, x) } else { binary(self.op, l, r) }
    }
}

/// Returns the result of an operator on `x` alone.
fn unary(op: AluOp, x: f32) -> f32 {
    match op {
        AluOp::AbsoluteValue => x.abs(),
        AluOp::Relu if x.is_nan() => x,
        AluOp::Relu => x.max(0.0),
        AluOp::Square => quiet(x * x, x, x),
        _ => x,
    }
}

/// Returns the result of an operator on two numbers, in fp32.
fn binary(op: AluOp, l: f32, r: f32) -> f32 {
    let truth = |holds: bool| f32::from(u8::from(holds));
    match op {
        AluOp::IsEqual => return truth(l == r),
        AluOp::IsGt => return truth(l > r),
        AluOp::IsGe => return truth(l >= r),
        AluOp::IsLe => return truth(l <= r),
        AluOp::IsLt => return truth(l < r),
        AluOp::NotEqual => return truth(l != r),
        AluOp::LogicalAnd => return truth(l != 0.0 && r != 0.0),
        AluOp::LogicalOr => return truth(l != 0.0 || r != 0.0),
        AluOp::LogicalXor => return truth((l != 0.0) != (r != 0.0)),
        _ => {}
    }
    let result = match op {
        AluOp::Add => l + r,
        AluOp::Subtract => l - r,
        AluOp::Mult => l * r,
        AluOp::Max => l.max(r),
        AluOp::Min => l.min(r),
        AluOp::AbsoluteDiff => (l - r).abs(),
        AluOp::AbsMax => l.abs().max(r.abs()),
        AluOp::AbsMin => l.abs().min(r.abs()),
        _ => l,
    };
    quiet(result, l, r)
}

/// Returns `result`, or the first operand that is a NaN, made quiet; a NaN of
/// no operand is the plain one. Which NaN a CPU would give is its own affair.
fn quiet(result: f32, l: f32, r: f32) -> f32 {
    let quiet = |nan: f32| f32::from_bits(nan.to_bits() | 0x0040_0000);
    if l.is_nan() {
        quiet(l)
    } else if r.is_nan() {
        quiet(r)
    } else if result.is_nan() {
        f32::from_bits(0x7fc0_0000)
    } else {
        result
    }
}

/// Both operations on elements of one type, to elements of another.
#[derive(Clone, Debug)]
struct Arithmetic {
    from: Element,
    to: Element,
    how: How,
    backend: Backend,
}

#[derive(Clone, Debug)]
enum How {
    /// Nothing but a copy.
    Copy,
    /// One multiply without a conversion: one a channel, or one for all.
    Multiply(Vec<Multiply>),
    /// Anything else.
    General(Operation, Operation),
}

impl Arithmetic {
    fn new(
        [from, to]: [Element; 2],
        first: Operation,
        second: Operation,
        backend: Backend,
    ) -> Self {
        let one = from == to && second.op == AluOp::Bypass;
        let how = match first.op {
            AluOp::Bypass if one => How::Copy,
            // An infinite factor or 0 can make a NaN of a number.
            AluOp::Mult if one && first.imm.iter().all(|imm| imm.is_normal()) => {
                let multiplies = first.imm.iter().map(|&factor| Multiply::new(from, factor));
                match multiplies.collect() {
                    Some(multiplies) => How::Multiply(multiplies),
                    None => How::General(first, second),
                }
            }
            _ => How::General(first, second),
        };
        Self { from, to, how, backend }
    }

    /// Multiplies elements where they are, many at a time; false where that is
    /// not what there is to do.
    fn multiply(&self, channel: usize, bytes: &mut [u8]) -> bool {
        match (&self.how, self.backend.kernels()) {
            (How::Multiply(multiplies), Some(kernels)) => {
                let multiply = &multiplies[channel % multiplies.len()];
                kernels.scale(scale_of(multiply, self.from), bytes);
                true
            }
            _ => false,
        }
    }

    fn of(&self, bits: u32, channel: usize) -> u32 {
        match &self.how {
            How::Copy => bits,
            How::Multiply(multiplies) => {
                multiplies[channel % multiplies.len()].bits(self.from, bits)
            }
            How::General(first, second) => {
                let x = first.of(self.from.to_f32(bits), channel);
                self.to.from_f32(second.of(x, channel))
            }
        }
    }
}

impl Work for Arithmetic {
    fn prepare(&mut self, _: Range<usize>, _: usize, _: &[u8]) {}

    fn apply(&self, channel: usize, _: usize, src: &[u8], dst: &mut [u8]) {
        let (from, to) = (self.from.size_bytes(), self.to.size_bytes());
        if matches!(self.how, How::Copy) {
            dst.copy_from_slice(src);
            return;
        }
        if matches!(self.how, How::Multiply(_)) && self.backend.kernels().is_some() {
            dst.copy_from_slice(src);
            self.multiply(channel, dst);
            return;
        }
        for (src, dst) in src.chunks_exact(from).zip(dst.chunks_exact_mut(to)) {
            let mut bits = [0; 4];
            bits[..from].copy_from_slice(src);
            let result = self.of(u32::from_le_bytes(bits), channel);
            dst.copy_from_slice(&result.to_le_bytes()[..to]);
        }
    }

    fn apply_in_place(&self, channel: usize, _: usize, bytes: &mut [u8]) {
        let size = self.from.size_bytes();
        if matches!(self.how, How::Copy) || self.multiply(channel, bytes) {
            return;
        }
        for element in bytes.chunks_exact_mut(size) {
            let mut bits = [0; 4];
            bits[..size].copy_from_slice(element);
            let result = self.of(u32::from_le_bytes(bits), channel);
            element.copy_from_slice(&result.to_le_bytes()[..size]);
        }
    }
}
