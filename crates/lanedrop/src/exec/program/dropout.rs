//! Dropout on a device.

use super::keep::{Decision, Select};
use super::{Cause, DropoutCall, DropoutElement, Effect, Machine, NotExecuted, Trace, stretch};
use crate::evidence::assumptions::LANE_OF_SOURCE;
use crate::isa::{Dropout, Dtype, Word};
use crate::kernel::Streaming;
use crate::rng::keeps;

impl Machine<'_, '_, '_> {
    pub(super) fn dropout(&mut self, word: &Word, trace: &mut dyn Trace) -> Result<Effect, Cause> {
        // A legal record can be typed, and its elements have a size.
        let typed = Dropout::decode(word).ok();
        let Some((dropout, size)) = typed.and_then(|d| Some((d, d.in_dtype.size_bytes()?))) else {
            return Err(Cause::NotExecuted { why: NotExecuted::NoModel });
        };
        let channels = dropout.num_active_channels;
        let src = self.pattern("src", &dropout.src_mem_pattern, size, channels)?;
        let dst = self.pattern("dst", &dropout.dst_mem_pattern, size, channels)?;
        let elements = src.walk.len();
        if elements != dst.walk.len() {
            return Err(Cause::Counts { src: elements, dst: dst.walk.len() });
        }
        let threshold_dtype = match dropout.threshold_dtype {
            Dtype::INVALID => Dtype::FP32,
            other => other,
        };
        let (from, raw) = (dropout.threshold_src, dropout.threshold);
        let thresholds = self.float_scalar("threshold", from, raw, threshold_dtype, channels)?;
        let steps = self.spend(elements, channels)?;
        if src.place.partition != dst.place.partition {
            self.assume(&LANE_OF_SOURCE);
        }

        let first_lane = src.place.partition as usize;
        let call = DropoutCall {
            dropout: &dropout,
            src: src.place,
            dst: dst.place,
            elements,
            threshold_dtype,
            thresholds: &thresholds,
            first_lane,
        };
        trace.dropout(&call);
        self.tell_elements(&call, trace);

        let decision = Decision {
            first_lane,
            threshold_type: dropout.threshold_type,
            thresholds: &thresholds,
            elements,
            backend: self.options.backend,
        };
        let (memory, lanes) = self.device.memory_and_lanes();
        let (keep, tensor) = (&mut self.keep, self.tensor);
        let mut drop_elements = |streaming: Option<&Streaming>| {
            let mut select = Select::new(keep, lanes, decision, size, streaming);
            stretch::map(memory, &src, &dst, channels.into(), &mut select, tensor)?;
            Ok::<_, Cause>(select.kept)
        };
        let kept = match self.options.backend.kernels() {
            Some(kernels) if self.beyond_cache => {
                kernels.streaming(|streaming| drop_elements(Some(streaming)))?
            }
            _ => drop_elements(None)?,
        };
        self.summary.kept += kept;
        self.summary.dropped += steps - kept;
        Ok(Effect::Dropped { kept, dropped: steps - kept })
    }

    /// Tells the first elements, from a copy of the lanes.
    fn tell_elements(&self, call: &DropoutCall<'_>, trace: &mut dyn Trace) {
        let (elements, channels) = trace.wants_elements();
        let channels = channels.min(call.dropout.num_active_channels);
        if elements == 0 || channels == 0 {
            return;
        }
        let mut lanes = self.device.lanes().clone();
        let (uniform, compare) = (lanes.profile().uniform, lanes.profile().compare);
        for channel in 0..channels {
            let lane = call.first_lane + usize::from(channel);
            let threshold = call.thresholds[usize::from(channel) % call.thresholds.len()];
            for element in 0..elements.min(call.elements) {
                let draw = lanes.draw(lane);
                let uniform = uniform.of(draw);
                let kept = keeps(compare, call.dropout.threshold_type, uniform, threshold);
                let told =
                    DropoutElement { channel, lane, element, draw, uniform, threshold, kept };
                trace.element(&told);
            }
        }
    }
}
