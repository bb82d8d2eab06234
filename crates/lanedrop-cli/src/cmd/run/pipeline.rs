//! Moving a tensor through a runner, a block at a time.

use std::io::{Read, Seek, SeekFrom};

use anyhow::{Context, Result, bail};
use lanedrop::exec::{Masks, Runner, packed_len};

use crate::cmd::run::progress::Progress;
use crate::io::boxes::{Part, boxes, rearrange, strides};
use crate::io::input::{Data, Input, Tensor, enough, swap};
use crate::io::npy::Order;
use crate::io::output::{Interrupts, Staged};

/// Bytes read, run and written at a time: about what the caches hold.
const BLOCK_BYTES: u64 = 1 << 20;
/// Mapped bytes that are given back at a time.
const RELEASE_BYTES: usize = 16 << 20;

/// A file with the elements of the output, and where in it they start.
pub(crate) struct Sink {
    pub(crate) file: Staged,
    /// Length of what stands before the elements, already written.
    pub(crate) start: u64,
    pub(crate) order: Order,
    pub(crate) big_endian: bool,
}

/// The outputs that have an entry an element.
pub(crate) struct Sinks {
    pub(crate) out: Sink,
    pub(crate) mask: Option<Sink>,
    pub(crate) packed: Option<Sink>,
}

/// Buffers for the masks of a block.
#[derive(Default)]
struct MaskBuffers {
    bytes: Option<Vec<u8>>,
    packed: Option<Vec<u8>>,
}

impl MaskBuffers {
    fn new(sinks: &Sinks) -> Self {
        Self {
            bytes: sinks.mask.is_some().then(Vec::new),
            packed: sinks.packed.is_some().then(Vec::new),
        }
    }

    /// Returns the buffers' parts for a stretch that follows those before it.
    fn next(
        &mut self,
        row_len: u64,
        first: u64,
        len: u64,
        at: (usize, usize),
    ) -> Result<Masks<'_>> {
        let mut masks = Masks::default();
        if let Some(bytes) = &mut self.bytes {
            bytes.resize(at.0 + len as usize, 0);
            masks.bytes = Some(&mut bytes[at.0..]);
        }
        if let Some(packed) = &mut self.packed {
            packed.resize(at.1 + packed_len(row_len, first, len)? as usize, 0);
            masks.packed = Some(&mut packed[at.1..]);
        }
        Ok(masks)
    }

    fn lens(&self) -> (usize, usize) {
        let len = |buffer: &Option<Vec<u8>>| buffer.as_ref().map_or(0, Vec::len);
        (len(&self.bytes), len(&self.packed))
    }

    fn clear(&mut self) {
        [&mut self.bytes, &mut self.packed].into_iter().flatten().for_each(Vec::clear);
    }
}

/// Runs the whole tensor from its input to the sinks.
pub(crate) fn run(
    name: &str,
    input: &mut Input,
    runner: &mut Runner,
    sinks: &mut Sinks,
    progress: &Progress,
    interrupts: &Interrupts,
) -> Result<()> {
    let mut flow = Flow { name, tensor: &input.tensor, runner, sinks, progress, interrupts };
    let ordered = flow.tensor.is_contiguous();
    match &mut input.data {
        Data::Mapped { map, file, start, len } => {
            let (start, len) = (*start, *len);
            if ordered {
                let bytes = &map.bytes()[start..start + len];
                let release = |from, len| map.release(start + from, len);
                return flow.blocks(Source::Slice(bytes, &release));
            }
            // A page of the map would be held for each of the many stretches.
            flow.boxes(|at, stretch| {
                file.seek(SeekFrom::Start(start as u64 + at))
                    .and_then(|_| file.read_exact(stretch))
                    .with_context(|| name.to_owned())
            })
        }
        Data::Held { bytes, start, len } => {
            let bytes = &bytes[*start..*start + *len];
            if ordered {
                return flow.blocks(Source::Slice(bytes, &|_, _| ()));
            }
            flow.boxes(|at, stretch| {
                let at = at as usize;
                stretch.copy_from_slice(&bytes[at..at + stretch.len()]);
                Ok(())
            })
        }
        Data::Packed(member) => {
            let mut data = member.data().with_context(|| name.to_owned())?;
            flow.blocks(Source::Reader(&mut data))?;
            // Reading to the end checks the archive's sum.
            std::io::copy(&mut data, &mut std::io::sink()).with_context(|| name.to_owned())?;
            Ok(())
        }
    }
}

/// Where the blocks of a tensor come from that is stored as it is drawn.
enum Source<'a> {
    /// Memory, and what to call with stretches that are done with.
    Slice(&'a [u8], &'a dyn Fn(usize, usize)),
    Reader(&'a mut dyn Read),
}

/// Reads until the block is full or the input ends.
fn read_full(reader: &mut dyn Read, block: &mut [u8]) -> Result<usize> {
    let mut done = 0;
    while done < block.len() {
        match reader.read(&mut block[done..]) {
            Ok(0) => break,
            Ok(count) => done += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(done)
}

/// Everything a block passes on its way.
struct Flow<'a> {
    /// What errors of reading call the input.
    name: &'a str,
    tensor: &'a Tensor,
    runner: &'a mut Runner,
    sinks: &'a mut Sinks,
    progress: &'a Progress,
    interrupts: &'a Interrupts,
}

impl Flow<'_> {
    /// Returns whether elements must be made little-endian: to be multiplied,
    /// or because the output is.
    fn swaps_in(&self) -> bool {
        self.tensor.big_endian && (self.runner.job().scale || !self.sinks.out.big_endian)
    }

    /// Swaps a block back where the output keeps its byte order.
    fn swap_back(&self, block: &mut [u8]) {
        if self.swaps_in() && self.sinks.out.big_endian {
            swap(self.tensor.element.size_bytes(), block);
        }
    }

    /// Runs a tensor whose memory order is that of the draws.
    fn blocks(&mut self, mut source: Source<'_>) -> Result<()> {
        let size_bytes = self.tensor.element.size_bytes();
        let (elements, row_len) = (self.tensor.elements(), self.tensor.row_len());
        let mut masks = MaskBuffers::new(self.sinks);
        let mut block = Vec::new();
        let (mut first, mut released) = (0, 0);
        while first < elements {
            self.interrupts.check()?;
            let len = block_len(elements, row_len, first, BLOCK_BYTES / size_bytes as u64);
            let at = first as usize * size_bytes;
            block.resize(len as usize * size_bytes, 0);
            masks.clear();
            let parts = masks.next(row_len, first, len, (0, 0))?;
            match &mut source {
                Source::Slice(bytes, _) if !self.swaps_in() => {
                    self.runner.apply(first, &bytes[at..at + block.len()], &mut block, parts)?;
                }
                Source::Slice(bytes, _) => {
                    let end = at + block.len();
                    block.copy_from_slice(&bytes[at..end]);
                    swap(size_bytes, &mut block);
                    self.runner.apply_in_place(first, &mut block, parts)?;
                }
                Source::Reader(reader) => {
                    let found =
                        read_full(*reader, &mut block).with_context(|| self.name.to_owned())?;
                    if found < block.len() {
                        enough((at + found) as u64, elements * size_bytes as u64, self.tensor)
                            .with_context(|| self.name.to_owned())?;
                    }
                    if self.swaps_in() {
                        swap(size_bytes, &mut block);
                    }
                    self.runner.apply_in_place(first, &mut block, parts)?;
                }
            }
            self.swap_back(&mut block);
            self.sinks.out.file.write(&block)?;
            if let (Some(sink), Some(bytes)) = (&mut self.sinks.mask, &masks.bytes) {
                sink.file.write(bytes)?;
            }
            if let (Some(sink), Some(packed)) = (&mut self.sinks.packed, &masks.packed) {
                sink.file.write(packed)?;
            }
            first += len;
            let end = at + block.len();
            if let Source::Slice(_, release) = source
                && (end - released >= RELEASE_BYTES || first == elements)
            {
                release(released, end - released);
                released = end;
            }
            self.progress.done(end as u64);
        }
        Ok(())
    }

    /// Runs a tensor in another memory order. `read` fills a stretch from an
    /// offset in bytes.
    fn boxes(&mut self, mut read: impl FnMut(u64, &mut [u8]) -> Result<()>) -> Result<()> {
        let shape = &self.tensor.shape;
        let size_bytes = self.tensor.element.size_bytes();
        let (order, row_len) = (self.tensor.order, self.tensor.row_len());
        let packed_shape: Vec<u64> = with_last(shape, row_len.div_ceil(8));
        let mut masks = MaskBuffers::new(self.sinks);
        let (mut block, mut turned) = (Vec::new(), Vec::new());
        let mut done = 0;
        for part in boxes(shape) {
            self.interrupts.check()?;
            block.resize(part.len() * size_bytes, 0);
            turned.resize(block.len(), 0);
            let (runs, run_len) = part.runs(shape, order);
            for (run, stretch) in runs.iter().zip(turned.chunks_mut(run_len * size_bytes)) {
                read(run * size_bytes as u64, stretch)?;
            }
            let (stored, drawn) = (strides(&part.dims, order), strides(&part.dims, Order::C));
            rearrange(size_bytes, &part.dims, (&turned, &stored), (&mut block, &drawn));
            if self.swaps_in() {
                swap(size_bytes, &mut block);
            }
            masks.clear();
            let (runs, run_len) = part.runs(shape, Order::C);
            for (run, block) in runs.iter().zip(block.chunks_mut(run_len * size_bytes)) {
                let at = masks.lens();
                let parts = masks.next(row_len, *run, run_len as u64, at)?;
                self.runner.apply_in_place(*run, block, parts)?;
            }
            self.swap_back(&mut block);
            let out = &mut self.sinks.out;
            if out.order == Order::C {
                write_runs(out, shape, &part, size_bytes, &block)?;
            } else {
                rearrange(size_bytes, &part.dims, (&block, &drawn), (&mut turned, &stored));
                write_runs(out, shape, &part, size_bytes, &turned)?;
            }
            if let (Some(sink), Some(bytes)) = (&mut self.sinks.mask, &masks.bytes) {
                write_runs(sink, shape, &part, 1, bytes)?;
            }
            if let (Some(sink), Some(packed)) = (&mut self.sinks.packed, &masks.packed) {
                let (at, len) = (part.start.last(), part.dims.last());
                let (at, len) = (at.copied().unwrap_or(0), len.copied().unwrap_or(1));
                let part = Part {
                    start: with_last(&part.start, at / 8),
                    dims: with_last(&part.dims, len.div_ceil(8)),
                };
                write_runs(sink, &packed_shape, &part, 1, packed)?;
            }
            done += part.len() as u64;
            self.progress.done(done * size_bytes as u64);
        }
        Ok(())
    }
}

/// Returns how many elements the next block has: about `wanted`, whole rows
/// where those fit, else whole bytes of a packed mask.
fn block_len(elements: u64, row_len: u64, first: u64, wanted: u64) -> u64 {
    let end = first + wanted;
    if end >= elements {
        return elements - first;
    }
    let column = end % row_len;
    if row_len <= wanted { wanted - column } else { wanted - column % 8 }
}

/// Returns `axes` with another last value.
fn with_last(axes: &[u64], value: u64) -> Vec<u64> {
    let mut axes = axes.to_vec();
    if let Some(last) = axes.last_mut() {
        *last = value;
    }
    axes
}

/// Writes a box, stored as the file is, to its places in the file.
fn write_runs(
    sink: &mut Sink,
    shape: &[u64],
    part: &Part,
    size_bytes: usize,
    bytes: &[u8],
) -> Result<()> {
    let (runs, run_len) = part.runs(shape, sink.order);
    let run_bytes = run_len * size_bytes;
    if run_bytes * runs.len() != bytes.len() {
        bail!("a box of {} bytes has runs of {}", bytes.len(), run_bytes * runs.len());
    }
    for (run, bytes) in runs.iter().zip(bytes.chunks(run_bytes)) {
        sink.file.write_at(sink.start + run * size_bytes as u64, bytes)?;
    }
    Ok(())
}
