//! The tensor a command reads, from any of the formats.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use lanedrop::exec::Element;

use crate::io::boxes::{rearrange, strides};
use crate::io::dtype;
use crate::io::mapped::Mapped;
use crate::io::npy::{NpyHeader, Order, shape_text};
use crate::io::npz::{Member, ReadSeek};
use crate::io::safetensors;

/// What a tensor is, apart from its elements.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    pub(crate) element: Element,
    pub(crate) shape: Vec<u64>,
    pub(crate) order: Order,
    pub(crate) big_endian: bool,
    /// The type string of an `.npy`, kept for the output.
    pub(crate) descr: Option<String>,
    /// The name it was read by.
    pub(crate) name: Option<String>,
}

impl Tensor {
    /// Returns how many elements there are.
    pub(crate) fn elements(&self) -> u64 {
        // The readers check the product; an axis of 0 settles it first.
        if self.shape.contains(&0) { 0 } else { self.shape.iter().product() }
    }

    /// Returns the length of a row: of the last axis, 1 without axes.
    pub(crate) fn row_len(&self) -> u64 {
        self.shape.last().copied().unwrap_or(1)
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> u64 {
        if self.elements() == 0 { 0 } else { self.elements() / self.row_len() }
    }

    /// Returns whether memory order and the order of the draws are one.
    pub(crate) fn is_contiguous(&self) -> bool {
        let long = self.shape.iter().filter(|&&len| len != 1).count();
        self.order == Order::C || long <= 1 || self.elements() == 0
    }

    /// Returns how many bytes the elements take.
    fn size_bytes(&self) -> Result<u64> {
        let size = self.elements().checked_mul(self.element.size_bytes() as u64);
        size.with_context(|| {
            format!("shape {} takes more bytes than a u64 counts", shape_text(&self.shape))
        })
    }
}

/// Where the elements are.
pub(crate) enum Data {
    /// In a mapped file, from this offset on; the file itself serves reads
    /// that hop about.
    Mapped { map: Mapped, file: File, start: usize, len: usize },
    /// In memory, from this offset on.
    Held { bytes: Vec<u8>, start: usize, len: usize },
    /// In an archive, to be unpacked in passing.
    Packed(Member),
}

/// A tensor and where its elements are.
pub(crate) struct Input {
    pub(crate) tensor: Tensor,
    pub(crate) data: Data,
    /// How many other tensors the file has.
    pub(crate) others: usize,
}

/// Splits `FILE#NAME` at the first `#` that follows the name of a file.
fn split_name(argument: &str) -> (&str, Option<&str>) {
    if Path::new(argument).exists() {
        return (argument, None);
    }
    let places = argument.match_indices('#').map(|(at, _)| (&argument[..at], &argument[at + 1..]));
    match places.clone().find(|(file, _)| Path::new(file).is_file()).or_else(|| {
        // No such file: the message should name the part before the name.
        places.clone().next()
    }) {
        Some((file, name)) => (file, Some(name)),
        None => (argument, None),
    }
}

/// The formats, told apart by their first bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Npy,
    Npz,
    Safetensors,
}

impl Format {
    fn of(start: &[u8], path: Option<&Path>) -> Result<Self> {
        let ending = path.and_then(Path::extension).and_then(|ending| ending.to_str());
        match (start, ending) {
            ([0x93, b'N', b'U', b'M', b'P', b'Y', ..], _) => Ok(Self::Npy),
            ([b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..], _) => Ok(Self::Npz),
            (_, Some("safetensors")) => Ok(Self::Safetensors),
            (_, Some("npy")) => Ok(Self::Npy),
            (_, Some("npz")) => Ok(Self::Npz),
            ([_, _, _, _, _, 0, 0, 0, b'{', ..], _) => Ok(Self::Safetensors),
            _ => bail!("neither .npy, .npz nor .safetensors by its first bytes or its ending"),
        }
    }
}

impl Input {
    /// Opens `FILE`, `FILE#NAME` or `-`.
    ///
    /// Standard input is held in memory whole, as is a file that cannot be
    /// mapped (a pipe).
    pub(crate) fn open(argument: &str, told: Option<Element>) -> Result<Self> {
        if argument == "-" || argument.starts_with("-#") {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).context("standard input")?;
            let name = argument.strip_prefix("-#");
            return Self::held(bytes, None, name, told).context("standard input");
        }
        let (file, name) = split_name(argument);
        Self::file(Path::new(file), name, told).with_context(|| file.to_owned())
    }

    fn file(path: &Path, name: Option<&str>, told: Option<Element>) -> Result<Self> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        ensure!(!metadata.is_dir(), "is a folder, expected a file");
        if !metadata.is_file() {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            return Self::held(bytes, Some(path), name, told);
        }
        if metadata.len() == 0 {
            // Nothing to map.
            return Self::held(Vec::new(), Some(path), name, told);
        }
        let map = Mapped::new(&file).context("cannot be mapped")?;
        let format = Format::of(map.bytes(), Some(path))?;
        if format == Format::Npz {
            let archive: Box<dyn ReadSeek> = Box::new(BufReader::with_capacity(1 << 16, file));
            return Self::member(archive, name, told);
        }
        let Found { tensor, start, len, others } = describe(format, map.bytes(), name, told)?;
        let data = Data::Mapped { map, file, start, len };
        Ok(Self { tensor, data, others })
    }

    /// Opens the one array of a side file, which has a plain name.
    pub(crate) fn open_file(path: &Path) -> Result<Self> {
        Self::file(path, None, None)
    }

    /// Returns all elements in the order of the draws, little-endian. For side
    /// files, which are small.
    pub(crate) fn read_little(&mut self) -> Result<Vec<u8>> {
        let tensor = &self.tensor;
        let size_bytes = tensor.element.size_bytes();
        let stored = match &mut self.data {
            Data::Mapped { map, start, len, .. } => map.bytes()[*start..*start + *len].to_vec(),
            Data::Held { bytes, start, len } => bytes[*start..*start + *len].to_vec(),
            Data::Packed(member) => {
                let wanted = tensor.size_bytes()?;
                let mut bytes = Vec::new();
                member.data()?.take(wanted).read_to_end(&mut bytes)?;
                enough(bytes.len() as u64, wanted, tensor)?;
                bytes
            }
        };
        let mut bytes = vec![0; stored.len()];
        let (from, to) = (strides(&tensor.shape, tensor.order), strides(&tensor.shape, Order::C));
        rearrange(size_bytes, &tensor.shape, (&stored, &from), (&mut bytes, &to));
        if tensor.big_endian {
            swap(size_bytes, &mut bytes);
        }
        Ok(bytes)
    }

    fn held(
        bytes: Vec<u8>,
        path: Option<&Path>,
        name: Option<&str>,
        told: Option<Element>,
    ) -> Result<Self> {
        let format = Format::of(&bytes, path)?;
        if format == Format::Npz {
            return Self::member(Box::new(Cursor::new(bytes)), name, told);
        }
        let Found { tensor, start, len, others } = describe(format, &bytes, name, told)?;
        let data = Data::Held { bytes, start, len };
        Ok(Self { tensor, data, others })
    }

    fn member(
        archive: Box<dyn ReadSeek>,
        name: Option<&str>,
        told: Option<Element>,
    ) -> Result<Self> {
        let (mut member, name, header) = Member::open(archive, name)?;
        let tensor =
            of_npy(header, Some(name.clone()), told).with_context(|| format!("array '{name}'"))?;
        let (size_bytes, others) = (tensor.size_bytes()?, member.others);
        let data = if tensor.is_contiguous() {
            Data::Packed(member)
        } else {
            // Its elements are needed in an order an archive cannot give.
            let mut bytes = Vec::new();
            member.data()?.take(size_bytes).read_to_end(&mut bytes)?;
            enough(bytes.len() as u64, size_bytes, &tensor)
                .with_context(|| format!("array '{name}'"))?;
            let len = bytes.len();
            Data::Held { bytes, start: 0, len }
        };
        Ok(Self { tensor, data, others })
    }
}

/// Returns the file that `FILE` or `FILE#NAME` is about; none for `-`.
pub(crate) fn path_of(argument: &str) -> Option<PathBuf> {
    let (file, _) = split_name(argument);
    (file != "-").then(|| file.into())
}

/// Reverses the bytes of every element.
pub(crate) fn swap(size_bytes: usize, bytes: &mut [u8]) {
    match size_bytes {
        2 => bytes.as_chunks_mut::<2>().0.iter_mut().for_each(|word| word.reverse()),
        4 => bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|word| word.reverse()),
        _ => {}
    }
}

/// A tensor among a file's bytes.
struct Found {
    tensor: Tensor,
    /// Where its elements start.
    start: usize,
    /// How many bytes they take.
    len: usize,
    others: usize,
}

/// Finds a tensor in a file's bytes.
fn describe(
    format: Format,
    bytes: &[u8],
    name: Option<&str>,
    told: Option<Element>,
) -> Result<Found> {
    if format == Format::Safetensors {
        let (name, entry) = safetensors::find(bytes, name)?;
        let element =
            dtype::of_safetensors(entry.dtype, told).with_context(|| format!("tensor '{name}'"))?;
        let tensor = Tensor {
            element,
            shape: entry.shape,
            order: Order::C,
            big_endian: false,
            descr: None,
            name: Some(name),
        };
        let (start, len) = (entry.start, entry.len_bytes);
        return Ok(Found { tensor, start, len, others: entry.others });
    }
    if let Some(name) = name {
        bail!("an .npy holds one array, without a name: leave out #{name}");
    }
    let (header, start) = NpyHeader::parse(bytes)?;
    let tensor = of_npy(header, None, told)?;
    let size_bytes = tensor.size_bytes()?;
    enough((bytes.len() - start) as u64, size_bytes, &tensor)?;
    Ok(Found { tensor, start, len: size_bytes as usize, others: 0 })
}

/// Checks that a file has the bytes its header promises.
pub(crate) fn enough(found: u64, wanted: u64, tensor: &Tensor) -> Result<()> {
    ensure!(
        found >= wanted,
        "found {found} bytes of data, shape {} of {} takes {wanted}",
        shape_text(&tensor.shape),
        tensor.element.name()
    );
    Ok(())
}

fn of_npy(header: NpyHeader, name: Option<String>, told: Option<Element>) -> Result<Tensor> {
    let (element, big_endian) = dtype::of_npy(&header.descr, told)?;
    let NpyHeader { descr, order, shape } = header;
    Ok(Tensor { element, shape, order, big_endian, descr: Some(descr), name })
}
