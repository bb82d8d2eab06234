//! Memory from arrays and to arrays, by the regions of a map.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use lanedrop::device::Memory;
use lanedrop::exec::Region;
use safetensors::tensor::{Dtype, View};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::io::dtype::{npy_descr, safetensors_dtype};
use crate::io::input::Input;
use crate::io::mapped::Mapped;
use crate::io::npy::{NpyHeader, Order, shape_text};
use crate::io::output::Staged;

/// What arrays are written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Npz,
    Safetensors,
}

impl Format {
    pub(super) fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("npz") => Ok(Self::Npz),
            Some("safetensors") => Ok(Self::Safetensors),
            _ => bail!("{}: arrays go to a file that ends in .npz or .safetensors", path.display()),
        }
    }
}

/// Fills the regions that the file has an array for.
pub(super) fn load(path: &Path, regions: &[Region], memory: &mut Memory<'_>) -> Result<()> {
    let name = path.display().to_string();
    let names = names(path).with_context(|| name.clone())?;
    for other in names.iter().filter(|name| !regions.iter().any(|region| region.name == **name)) {
        eprintln!("note: {name} has an array {other}, which the map has no region for");
    }
    // What stands in a .safetensors file needs no telling.
    let typed = path.extension().is_some_and(|ending| ending == "safetensors");
    for region in regions.iter().filter(|region| names.contains(&region.name)) {
        let told = (!typed).then_some(region.element);
        let mut input = Input::open(&format!("{name}#{}", region.name), told)?;
        let (found, wanted) = (&input.tensor.shape, &region.shape);
        ensure!(
            found == wanted && input.tensor.element == region.element,
            "{name}#{}: is {} of {}, the map has {} of {}",
            region.name,
            shape_text(found),
            input.tensor.element.name(),
            shape_text(wanted),
            region.element.name()
        );
        region.load(memory, &input.read_little()?)?;
    }
    Ok(())
}

/// Returns the names of a file's arrays.
fn names(path: &Path) -> Result<Vec<String>> {
    let mut file = BufReader::new(File::open(path)?);
    if path.extension().is_some_and(|ending| ending == "safetensors") {
        let map = Mapped::new(file.get_ref())?;
        let (_, metadata) = safetensors::SafeTensors::read_metadata(map.bytes())?;
        return Ok(metadata.offset_keys());
    }
    let archive = ZipArchive::new(&mut file).context("neither .safetensors nor a zip archive")?;
    let mut names = Vec::new();
    for name in archive.file_names() {
        let name = name.context("a member's name is malformed")?;
        names.push(name.strip_suffix(".npy").unwrap_or(&name).to_owned());
    }
    Ok(names)
}

/// Writes an array for every region.
pub(super) fn save(
    format: Format,
    path: &Path,
    regions: &[Region],
    memory: &Memory<'_>,
) -> Result<()> {
    let mut staged = Staged::beside(path)?;
    match format {
        Format::Npz => {
            let options =
                SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
            let mut zip = ZipWriter::new(staged.file());
            for region in regions {
                let header = NpyHeader {
                    descr: npy_descr(region.element).into(),
                    order: Order::C,
                    shape: region.shape.clone(),
                };
                zip.start_file(format!("{}.npy", region.name), options)?;
                zip.write_all(&header.to_bytes())?;
                zip.write_all(&region.save(memory)?)?;
            }
            zip.finish()?;
        }
        Format::Safetensors => {
            let mut arrays = Vec::with_capacity(regions.len());
            for region in regions {
                arrays.push((region.name.clone(), Array::of(region, memory)?));
            }
            staged.write(&safetensors::serialize(arrays, None)?)?;
        }
    }
    staged.commit()
}

/// An array to be written.
struct Array {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Array {
    fn of(region: &Region, memory: &Memory<'_>) -> Result<Self> {
        let element = region.element;
        let dtype = safetensors_dtype(element).with_context(|| {
            format!("region {}: .safetensors has no {}", region.name, element.name())
        })?;
        let bytes = region.save(memory)?;
        let shape = region.shape.iter().map(|&len| Ok(usize::try_from(len)?));
        Ok(Self { dtype, shape: shape.collect::<Result<_>>()?, bytes })
    }
}

impl View for Array {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}
