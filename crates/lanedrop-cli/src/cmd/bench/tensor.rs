//! What is measured on a tensor.

use anyhow::Result;
use lanedrop::exec::{Backend, Element, Job, Masks, Runner, packed_len};
use lanedrop::isa::ThresholdType;
use lanedrop::rng::Profile;

use super::clock::{Samples, time};
use super::copy::{Buffer, Copies, beside};
use super::single::lanes_of;

/// What is done to the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TensorOp {
    Apply,
    Inplace,
    Scale,
    Mask,
    PackedMask,
    Draw,
}

/// One line of the bench, but its figures.
#[derive(Clone, Debug)]
pub(crate) struct Setting<'a> {
    pub(crate) op: TensorOp,
    pub(crate) rows: u64,
    pub(crate) row_len: u64,
    pub(crate) element: Element,
    pub(crate) profile: &'a Profile,
    pub(crate) rate: f32,
    pub(crate) threads: usize,
    pub(crate) backend: Backend,
}

impl Setting<'_> {
    /// Returns the bytes of the tensor.
    pub(crate) fn bytes(&self) -> usize {
        (self.rows * self.row_len) as usize * self.element.size_bytes()
    }

    /// Measures the setting between copies of its tensor.
    pub(crate) fn measure(&self, src: &Buffer, dst: &mut Buffer) -> Result<(Samples, Copies)> {
        let job = Job {
            threshold_type: ThresholdType::DropRate,
            thresholds: vec![self.rate],
            element: self.element,
            rows: self.rows,
            row_len: self.row_len,
            scale: self.op == TensorOp::Scale,
            backend: self.backend,
            threads: self.threads,
        };
        let mut runner = Runner::new(job, lanes_of(self.profile, 128)?)?;
        let elements = self.rows * self.row_len;
        // One call shows what would fail in all of them.
        self.call(&mut runner, src, dst, &mut [], &mut [])?;
        let mut bytes = vec![0; if self.op == TensorOp::Mask { elements as usize } else { 0 }];
        let packed_bytes = packed_len(self.row_len, 0, elements)? as usize;
        let mut packed = vec![0; if self.op == TensorOp::PackedMask { packed_bytes } else { 0 }];
        Ok(beside((src, dst), self.threads, |src, dst| {
            time(|| {
                // It has not failed before, and nothing has changed.
                let _ = self.call(&mut runner, src, dst, &mut bytes, &mut packed);
            })
        }))
    }

    fn call(
        &self,
        runner: &mut Runner,
        src: &Buffer,
        dst: &mut Buffer,
        bytes: &mut [u8],
        packed: &mut [u8],
    ) -> Result<()> {
        let elements = self.rows * self.row_len;
        let none = Masks::default();
        match self.op {
            TensorOp::Apply | TensorOp::Scale => {
                runner.apply(0, src.get(), dst.get_mut(), none)?;
            }
            TensorOp::Inplace => runner.apply_in_place(0, dst.get_mut(), none)?,
            TensorOp::Mask if !bytes.is_empty() => {
                runner.mask(0, elements, Masks { bytes: Some(bytes), packed: None })?;
            }
            TensorOp::PackedMask if !packed.is_empty() => {
                runner.mask(0, elements, Masks { bytes: None, packed: Some(packed) })?;
            }
            TensorOp::Mask | TensorOp::PackedMask | TensorOp::Draw => {
                runner.mask(0, elements, none)?;
            }
        }
        Ok(())
    }
}
