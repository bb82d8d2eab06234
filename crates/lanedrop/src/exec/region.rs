//! Named places of the memories, to be filled from arrays and read out again.

use serde::Deserialize;
use thiserror::Error;

use super::Element;
use crate::device::{Memory, MemoryError};
use crate::isa::{Place, Space};

/// A named array in memory: row `r` is in partition `partition + r`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// What arrays call it.
    pub name: String,
    /// Where its first row starts.
    pub place: Place,
    /// What its elements are.
    pub element: Element,
    /// Axis lengths, the partitions first.
    pub shape: Vec<u64>,
}

/// A map of regions cannot be read, or a region not be filled.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum RegionError {
    /// The text is no TOML of the right form.
    #[error("the map cannot be read: {0}")]
    Toml(#[from] toml::de::Error),
    /// A word has no meaning.
    #[error("region {region}: {key} is `{found}`, expected {expected}")]
    Word {
        /// The region.
        region: String,
        /// The key.
        key: &'static str,
        /// What it says.
        found: String,
        /// What would do.
        expected: &'static str,
    },
    /// Two regions have one name.
    #[error("region {region} is there twice")]
    Twice {
        /// The name.
        region: String,
    },
    /// A region without axes, or with more rows than partitions.
    #[error("region {region}: shape is {shape:?}, expected 1 to 128 partitions first")]
    Shape {
        /// The region.
        region: String,
        /// Its shape.
        shape: Vec<u64>,
    },
    /// An array has other bytes than the region.
    #[error("region {region} takes {expected} bytes, the array has {found}")]
    Len {
        /// The region.
        region: String,
        /// What it takes.
        expected: u64,
        /// What there is.
        found: usize,
    },
    /// A region does not fit into the memory.
    #[error("region {region}: {error}")]
    Memory {
        /// The region.
        region: String,
        /// Why.
        error: MemoryError,
    },
}

/// The form of a map file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    region: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    space: String,
    #[serde(default)]
    partition: u32,
    #[serde(default)]
    offset_bytes: u32,
    dtype: String,
    shape: Vec<u64>,
}

impl Region {
    /// Returns the regions of a map: TOML with a table `[[region]]` each.
    ///
    /// ```
    /// # use lanedrop::exec::Region;
    /// let regions = Region::map(
    ///     r#"
    ///     [[region]]
    ///     name = "x"
    ///     space = "sbuf"
    ///     partition = 0
    ///     offset_bytes = 0x100
    ///     dtype = "bfloat16"
    ///     shape = [128, 512]
    ///     "#,
    /// )?;
    /// assert_eq!((regions[0].rows(), regions[0].row_bytes()), (128, 1024));
    /// # Ok::<(), lanedrop::exec::RegionError>(())
    /// ```
    ///
    /// # Errors
    /// [`RegionError`] for the first thing that is wrong.
    pub fn map(toml: &str) -> Result<Vec<Self>, RegionError> {
        let file: File = toml::from_str(toml)?;
        let mut regions: Vec<Self> = Vec::with_capacity(file.region.len());
        for entry in file.region {
            let Entry { name, space, partition, offset_bytes, dtype, shape } = entry;
            let word = |key, found: &str, expected| RegionError::Word {
                region: name.clone(),
                key,
                found: found.to_owned(),
                expected,
            };
            let space = match space.as_str() {
                "sbuf" => Space::Sbuf,
                "psum" => Space::Psum,
                other => return Err(word("space", other, "sbuf or psum")),
            };
            let element = Element::named(&dtype)
                .ok_or_else(|| word("dtype", &dtype, "a type such as float32, bfloat16 or int8"))?;
            if regions.iter().any(|region| region.name == name) {
                return Err(RegionError::Twice { region: name });
            }
            if shape.first().is_none_or(|rows| !(1..=128).contains(rows)) {
                return Err(RegionError::Shape { region: name, shape });
            }
            let place = Place { space, partition, offset_bytes };
            regions.push(Self { name, place, element, shape });
        }
        Ok(regions)
    }

    /// Returns how many partitions the region takes.
    pub fn rows(&self) -> u32 {
        // A map has at most 128.
        self.shape.first().map_or(0, |&rows| rows.min(128) as u32)
    }

    /// Returns how many bytes of each partition it takes, at most `u64::MAX`.
    pub fn row_bytes(&self) -> u64 {
        let size = self.element.size_bytes() as u64;
        self.shape.iter().skip(1).fold(size, |bytes, &len| bytes.saturating_mul(len))
    }

    fn places(&self) -> impl Iterator<Item = Place> {
        let Place { partition, .. } = self.place;
        let place = self.place;
        (0..self.rows()).map(move |row| Place { partition: partition.saturating_add(row), ..place })
    }

    fn memory_error(&self, error: MemoryError) -> RegionError {
        RegionError::Memory { region: self.name.clone(), error }
    }

    /// Asks whether the region fits into the memory.
    ///
    /// # Errors
    /// Where it does not.
    pub fn check(&self, memory: &Memory<'_>) -> Result<(), RegionError> {
        let len = usize::try_from(self.row_bytes()).unwrap_or(usize::MAX);
        for place in self.places() {
            memory.check(place, len).map_err(|error| self.memory_error(error))?;
        }
        Ok(())
    }

    /// Writes an array's bytes into memory: rows one after another, elements
    /// little-endian.
    ///
    /// # Errors
    /// Where the array has another size, or the region does not fit.
    pub fn load(&self, memory: &mut Memory<'_>, bytes: &[u8]) -> Result<(), RegionError> {
        self.check(memory)?;
        let expected = self.row_bytes().saturating_mul(self.rows().into());
        if bytes.len() as u64 != expected {
            let region = self.name.clone();
            return Err(RegionError::Len { region, expected, found: bytes.len() });
        }
        let row_bytes = bytes.len() / self.rows().max(1) as usize;
        for (place, row) in self.places().zip(bytes.chunks(row_bytes.max(1))) {
            memory.write(place, row).map_err(|error| self.memory_error(error))?;
        }
        Ok(())
    }

    /// Returns the bytes of the array in memory.
    ///
    /// # Errors
    /// Where the region does not fit.
    pub fn save(&self, memory: &Memory<'_>) -> Result<Vec<u8>, RegionError> {
        self.check(memory)?;
        // It fits, so its bytes are no more than the memory's.
        let row_bytes = self.row_bytes() as usize;
        let mut bytes = vec![0; row_bytes * self.rows() as usize];
        for (place, row) in self.places().zip(bytes.chunks_mut(row_bytes.max(1))) {
            memory.read(place, row).map_err(|error| self.memory_error(error))?;
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Generation;

    fn map(more: &str) -> Result<Vec<Region>, RegionError> {
        let text = format!("[[region]]\nname = \"x\"\nspace = \"sbuf\"\ndtype = \"i16\"\n{more}");
        Region::map(&text)
    }

    #[test]
    fn what_is_loaded_is_saved_and_lies_in_its_partitions() {
        let region = map("shape = [3, 2]\npartition = 4\noffset_bytes = 6").unwrap().remove(0);
        let mut memory = Memory::new(Generation::V3);
        let bytes: Vec<u8> = (1..=12).collect();
        region.load(&mut memory, &bytes).unwrap();
        assert_eq!(region.save(&memory).unwrap(), bytes);
        let mut row = [0; 6];
        let place = Place { space: Space::Sbuf, partition: 5, offset_bytes: 5 };
        memory.read(place, &mut row).unwrap();
        assert_eq!(row, [0, 5, 6, 7, 8, 0]);
    }

    #[test]
    fn a_map_says_what_is_wrong_with_it() {
        let error = |more: &str| map(more).unwrap_err().to_string();
        assert!(error("shape = [129]").contains("expected 1 to 128 partitions first"));
        assert!(error("shape = []").contains("expected 1 to 128"));
        assert!(error("shape = [1]\nsize = 4").contains("size"));
        assert!(
            error("shape = [1]\n[[region]]\nname = \"x\"\nspace = \"sbuf\"\ndtype = \"f32\"\nshape = [1]")
                .contains("is there twice")
        );
        let text = "[[region]]\nname = \"x\"\nspace = \"hbm\"\ndtype = \"f32\"\nshape = [1]";
        assert_eq!(
            Region::map(text).unwrap_err().to_string(),
            "region x: space is `hbm`, expected sbuf or psum"
        );
    }

    #[test]
    fn a_region_that_does_not_fit_or_match_is_refused() {
        let mut memory = Memory::new(Generation::V3);
        let large = map("shape = [1, 200000]").unwrap().remove(0);
        assert!(large.save(&memory).is_err());
        let huge = map("shape = [128, 18446744073709551615, 9]").unwrap().remove(0);
        assert!(huge.load(&mut memory, &[]).is_err());
        let small = map("shape = [2, 2]").unwrap().remove(0);
        assert_eq!(
            small.load(&mut memory, &[0; 7]).unwrap_err().to_string(),
            "region x takes 8 bytes, the array has 7"
        );
        let beyond = map("shape = [2, 2]\npartition = 4294967295").unwrap().remove(0);
        assert!(beyond.save(&memory).is_err());
    }
}
