//! A record as people and programs see it: all fields of any 64 bytes.

use std::fmt;

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use super::word::Hex;
use super::{Code, Field, Generation, GenerationSet, Word, layout, opcode};

/// One word of a stream, ready to be shown; never fails.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Where it starts in the stream.
    pub offset_bytes: u64,
    /// The bytes.
    pub word: Word,
    /// The generation whose memories addresses are read by.
    pub generation: Generation,
}

impl Record {
    /// Returns the name and generations of the opcode, where it has a name.
    pub fn opcode(&self) -> Option<&'static Code> {
        opcode::find(self.word.opcode())
    }

    /// Returns the generations that have the opcode.
    pub fn generations(&self) -> GenerationSet {
        self.opcode().map_or(GenerationSet::NONE, |code| code.generations)
    }

    /// Returns the fields of the record: header and events, and for an opcode
    /// with a layout its own.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> + Clone {
        layout::fields_of(self.word.opcode())
    }
}

/// Shows the fields of a record as a JSON object, raw or explained.
struct Fields<'a> {
    record: &'a Record,
    meaning: bool,
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Record { word, generation, .. } = self.record;
        let mut map = serializer.serialize_map(None)?;
        for field in self.record.fields() {
            if self.meaning {
                map.serialize_entry(field.name, &field.meaning(word, *generation))?;
            } else {
                map.serialize_entry(field.name, &field.raw(word))?;
            }
        }
        map.end()
    }
}

impl Serialize for Record {
    /// Writes `offset`, `bytes`, `opcode`, `name`, `generations`, `fields` and
    /// `meaning`, in this order.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Record", 7)?;
        object.serialize_field("offset", &self.offset_bytes)?;
        object.serialize_field("bytes", &format_args!("{:x}", self.word))?;
        object.serialize_field("opcode", &self.word.opcode())?;
        object.serialize_field("name", &self.opcode().map(|code| code.name))?;
        object.serialize_field("generations", &self.generations())?;
        object.serialize_field("fields", &Fields { record: self, meaning: false })?;
        object.serialize_field("meaning", &Fields { record: self, meaning: true })?;
        object.end()
    }
}

impl fmt::Display for Record {
    /// Writes a heading and one line a field: bytes, name, hex, meaning, standing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.word.opcode();
        match self.opcode() {
            Some(opcode) => write!(
                f,
                "0x{:04x}  {} (0x{code:02x}), on {}",
                self.offset_bytes, opcode.name, opcode.generations
            )?,
            None => write!(f, "0x{:04x}  opcode 0x{code:02x} without a name", self.offset_bytes)?,
        }
        match layout::of_opcode(code) {
            Some(layout) => writeln!(f, "; {}, read as {}", layout.name, self.generation)?,
            None => writeln!(f, "; header and events alone are known")?,
        }
        let rows: Vec<_> = self
            .fields()
            .map(|field| (field, field.meaning(&self.word, self.generation)))
            .collect();
        let width =
            |of: &dyn Fn(&(&Field, String)) -> usize| rows.iter().map(of).max().unwrap_or(0);
        let name_width = width(&|row| row.0.name.len());
        let hex_width = width(&|row| 2 * row.0.len_bytes);
        let meaning_width = width(&|row| row.1.chars().count());
        for (field, meaning) in &rows {
            let bytes = match field.len_bytes {
                1 => format!("{}", field.offset_bytes),
                len => format!("{}..{}", field.offset_bytes, field.offset_bytes + len),
            };
            writeln!(
                f,
                "  {bytes:<6}  {:<name_width$}  {:<hex_width$}  {meaning:<meaning_width$}  {}",
                field.name,
                Hex(field.bytes(&self.word)).to_string(),
                field.standing(&self.word).tag(),
            )?;
        }
        Ok(())
    }
}
