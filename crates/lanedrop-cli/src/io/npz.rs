//! Members of an `.npz`: a zip archive of `.npy` files.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, Write};

use anyhow::{Context, Result, bail};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::io::npy::{NpyHeader, header_bytes};

/// What an archive is read from: a file, or standard input held in memory.
pub(crate) trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// One array of an archive, unpacked as it is read.
pub(crate) struct Member {
    archive: ZipArchive<Box<dyn ReadSeek>>,
    index: usize,
    header_bytes: usize,
    /// How many other arrays the archive has.
    pub(crate) others: usize,
}

impl Member {
    /// Opens array `name`, or the only one; returns it with its name and header.
    pub(crate) fn open(
        file: Box<dyn ReadSeek>,
        name: Option<&str>,
    ) -> Result<(Self, String, NpyHeader)> {
        let archive = ZipArchive::new(file).context("not a readable zip archive")?;
        let mut names = Vec::new();
        for index in 0..archive.len() {
            let Some(raw) = archive.name_for_index(index) else { continue };
            let raw = raw.context("a member's name is malformed")?;
            names.push((index, raw.strip_suffix(".npy").unwrap_or(&raw).to_owned()));
        }
        let list = || match &names[..] {
            [] => "none".into(),
            some => some.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", "),
        };
        let found = match name {
            Some(name) => {
                let bare = name.strip_suffix(".npy").unwrap_or(name);
                names.iter().find(|(_, found)| found == bare)
            }
            None if names.len() == 1 => names.first(),
            None => bail!("which array? add #NAME to the file; there are {}", list()),
        };
        let Some((index, name)) = found.cloned() else {
            bail!("no array is named '{}'; there are {}", name.unwrap_or_default(), list());
        };
        let others = names.len() - 1;
        let mut member = Self { archive, index, header_bytes: 0, others };
        let header = member.header().with_context(|| format!("array '{name}'"))?;
        Ok((member, name, header))
    }

    fn header(&mut self) -> Result<NpyHeader> {
        let mut file = self.archive.by_index(self.index)?;
        let mut bytes = Vec::new();
        file.by_ref().take(12).read_to_end(&mut bytes)?;
        let wanted = header_bytes(&bytes)?;
        let rest = wanted.saturating_sub(bytes.len());
        file.take(rest as u64).read_to_end(&mut bytes)?;
        let (header, len) = NpyHeader::parse(&bytes)?;
        self.header_bytes = len;
        Ok(header)
    }

    /// Returns a reader of the array's data.
    pub(crate) fn data(&mut self) -> Result<impl Read> {
        let mut file = self.archive.by_index(self.index)?;
        let header = self.header_bytes as u64;
        let passed = std::io::copy(&mut file.by_ref().take(header), &mut std::io::sink())?;
        if passed != header {
            bail!("the array's header ends after {passed} of {header} bytes");
        }
        Ok(file)
    }
}

/// Writes an archive whose one array, `out`, is the file `array`, as `np.savez`
/// does: stored, not compressed.
pub(crate) fn write(array: &mut File, archive: &mut File) -> Result<()> {
    array.rewind()?;
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .large_file(array.metadata()?.len() >= u64::from(u32::MAX));
    let mut zip = ZipWriter::new(BufWriter::with_capacity(1 << 20, archive));
    zip.start_file("out.npy", options)?;
    let mut block = vec![0; 1 << 20];
    loop {
        let len = array.read(&mut block)?;
        if len == 0 {
            break;
        }
        zip.write_all(&block[..len])?;
    }
    zip.finish()?.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    Ok(())
}
