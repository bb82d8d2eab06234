//! Enumerations of one byte: a table for showing, a Rust type for computing.

use crate::evidence::Claim;
use crate::isa::GenerationSet;

/// One member of an enumeration.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The byte.
    pub code: u8,
    /// The name, as the ISA headers spell it.
    pub name: &'static str,
    /// Where it exists.
    pub generations: GenerationSet,
    /// What it means; empty where the name says it.
    pub says: &'static str,
    /// Where that is known from.
    pub claim: &'static Claim,
}

/// An enumeration of one byte.
#[derive(Debug)]
pub struct CodeTable {
    /// The name, as the ISA headers spell it.
    pub name: &'static str,
    /// The members.
    pub codes: &'static [Code],
    /// Position of each byte in `codes`, [`CodeTable::ABSENT`] for no member.
    index: [u8; 256],
}

impl CodeTable {
    const ABSENT: u8 = 255;

    /// Returns the table of these members.
    ///
    /// # Panics
    /// While compiling, when a code is there twice or there are more than 254.
    pub const fn new(name: &'static str, codes: &'static [Code]) -> Self {
        assert!(codes.len() < Self::ABSENT as usize);
        let mut index = [Self::ABSENT; 256];
        let mut i = 0;
        while i < codes.len() {
            let slot = codes[i].code as usize;
            assert!(index[slot] == Self::ABSENT, "a code is there twice");
            index[slot] = i as u8;
            i += 1;
        }
        Self { name, codes, index }
    }

    /// Returns the member with this code, on whatever generation.
    #[inline]
    pub fn find(&self, code: u8) -> Option<&'static Code> {
        self.codes.get(usize::from(self.index[usize::from(code)]))
    }

    /// Returns the member of this name, in any case.
    pub fn named(&self, name: &str) -> Option<&'static Code> {
        self.codes.iter().find(|code| code.name.eq_ignore_ascii_case(name))
    }
}

/// Defines an enumeration as a Rust type and as a [`CodeTable`].
macro_rules! codes {
    (
        $(#[$outer:meta])*
        pub enum $type:ident: $table_name:literal, $claim:path {
            $($variant:ident = $code:literal $name:literal, $generations:ident, $says:literal $(, $own:path)?;)*
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[allow(non_camel_case_types)]
        pub enum $type {
            $(#[doc = concat!("`", $name, "` (", stringify!($code), ") ", $says)] $variant = $code,)*
        }

        impl $type {
            /// Every member, in the order of the header.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Names, generations and claims of the members.
            pub const TABLE: &'static $crate::isa::CodeTable = {
                static TABLE: $crate::isa::CodeTable = $crate::isa::CodeTable::new(
                    $table_name,
                    &[$($crate::isa::Code {
                        code: $code,
                        name: $name,
                        generations: $crate::isa::GenerationSet::$generations,
                        says: $says,
                        claim: codes!(@claim $claim $(, $own)?),
                    }),*],
                );
                &TABLE
            };

            /// Returns the member with this code, on whatever generation.
            #[inline]
            pub const fn from_code(code: u8) -> Option<Self> {
                match code {
                    $($code => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Returns the byte that stands for the member.
            #[inline]
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// Returns the name as the ISA headers spell it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Returns the generations that have the member.
            #[inline]
            pub const fn generations(self) -> $crate::isa::GenerationSet {
                match self { $(Self::$variant => $crate::isa::GenerationSet::$generations),* }
            }
        }

        impl ::std::fmt::Display for $type {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
    (@claim $claim:path, $own:path) => { &$own };
    (@claim $claim:path) => { &$claim };
}
pub(crate) use codes;
