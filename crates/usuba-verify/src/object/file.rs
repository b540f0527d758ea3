//! An ELF object: its sections, the functions in them, and what is to be filled in when it is linked.

use super::lines::Lines;
use object::{Object as _, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use thiserror::Error;

/// Why a file is not read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Unreadable {
    /// It is no object file.
    #[error("it is no object file: {0}")]
    Format(String),
    /// It is one of another machine.
    #[error("it is no relocatable ELF object for {0}")]
    Machine(Architecture),
    /// It has no such function.
    #[error("it has no function `{0}`")]
    Function(String),
}

/// What an object is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Architecture {
    /// x86-64.
    X86_64,
    /// AArch64, little-endian.
    Aarch64,
}

impl Architecture {
    /// That of a platform as compilers name it, such as `aarch64-linux-gnu`, if it is one of these.
    pub fn of_platform(platform: &str) -> Option<Architecture> {
        match platform.split('-').next() {
            Some("x86_64") => Some(Architecture::X86_64),
            Some("aarch64") => Some(Architecture::Aarch64),
            _ => None,
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Architecture::X86_64 => "x86-64",
            Architecture::Aarch64 => "AArch64",
        })
    }
}

/// What a relocation refers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A place in a section of the object.
    Place {
        /// The section.
        section: usize,
        /// The place, the addend included.
        offset: i64,
    },
    /// A symbol that another object has, and the addend.
    External(String, i64),
}

/// What the linker fills in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fill {
    /// The distance from where it stands, in 32 bits.
    Relative,
    /// AArch64: the distance to the page of the target, of 4 KiB.
    Page,
    /// AArch64: the place of the target in its page: as it is, for an addition, or divided by the bytes of an access.
    InPage(Option<u8>),
    /// AArch64: the distance of an address that is near.
    Near,
    /// AArch64: the distance of data that are near, in words of four bytes.
    NearWords,
    /// AArch64: the distance of a jump or a call.
    Branch,
    /// Anything else.
    Other,
}

impl Fill {
    /// By the type of a relocation (psABI for x86-64, table 4.9; ELF for the Arm 64-bit Architecture, section 5.7).
    fn of(architecture: Architecture, kind: object::elf::RelocationType) -> Fill {
        use object::elf::*;
        match (architecture, kind) {
            (Architecture::X86_64, R_X86_64_PC32 | R_X86_64_PLT32) => Fill::Relative,
            (Architecture::Aarch64, R_AARCH64_ADR_PREL_PG_HI21) => Fill::Page,
            (
                Architecture::Aarch64,
                R_AARCH64_LDST8_ABS_LO12_NC
                | R_AARCH64_LDST16_ABS_LO12_NC
                | R_AARCH64_LDST32_ABS_LO12_NC
                | R_AARCH64_LDST64_ABS_LO12_NC
                | R_AARCH64_LDST128_ABS_LO12_NC,
            ) => Fill::InPage(Some(match kind {
                R_AARCH64_LDST8_ABS_LO12_NC => 1,
                R_AARCH64_LDST16_ABS_LO12_NC => 2,
                R_AARCH64_LDST32_ABS_LO12_NC => 4,
                R_AARCH64_LDST64_ABS_LO12_NC => 8,
                _ => 16,
            })),
            (Architecture::Aarch64, R_AARCH64_ADD_ABS_LO12_NC) => Fill::InPage(None),
            (Architecture::Aarch64, R_AARCH64_ADR_PREL_LO21) => Fill::Near,
            (Architecture::Aarch64, R_AARCH64_LD_PREL_LO19) => Fill::NearWords,
            (Architecture::Aarch64, R_AARCH64_CALL26 | R_AARCH64_JUMP26) => Fill::Branch,
            _ => Fill::Other,
        }
    }
}

/// A relocation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// What it refers to.
    pub target: Target,
    /// What is filled in.
    pub fill: Fill,
}

/// A section that is loaded.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its content; zeros where the file has none.
    pub bytes: Vec<u8>,
    /// Whether it may be written.
    pub is_writable: bool,
    /// Whether it holds code.
    pub is_code: bool,
    /// Relocations by place.
    pub relocations: BTreeMap<u64, Relocation>,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its section.
    pub section: usize,
    /// Where it begins.
    pub offset: u64,
    /// Bytes of it.
    pub size: u64,
    /// Whether other objects see it.
    pub is_global: bool,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is for.
    pub architecture: Architecture,
    /// Its sections, by the index that the file gives them.
    pub sections: BTreeMap<usize, Section>,
    /// Its functions, by section and place.
    pub functions: Vec<Function>,
    /// What its section `.comment` says: the names and versions of the compilers that made it, sorted, each once.
    pub producers: Vec<String>,
    /// The lines of source that its code comes from, as far as its debug information says.
    pub lines: Lines,
}

impl Object {
    /// Reads a file for x86-64.
    ///
    /// # Errors
    /// It is not an ELF object for x86-64.
    pub fn parse(bytes: &[u8]) -> Result<Object, Unreadable> {
        Object::parse_for(bytes, Architecture::X86_64)
    }

    /// Reads a file for an architecture.
    ///
    /// # Errors
    /// It is not an ELF object for it.
    pub fn parse_for(bytes: &[u8], architecture: Architecture) -> Result<Object, Unreadable> {
        let file = object::File::parse(bytes).map_err(|error| Unreadable::Format(error.to_string()))?;
        let wanted = match architecture {
            Architecture::X86_64 => object::Architecture::X86_64,
            Architecture::Aarch64 => object::Architecture::Aarch64,
        };
        let is_ours = file.architecture() == wanted
            && file.is_little_endian()
            && file.format() == object::BinaryFormat::Elf
            && file.kind() == object::ObjectKind::Relocatable;
        if !is_ours {
            return Err(Unreadable::Machine(architecture));
        }
        let mut sections = BTreeMap::new();
        for section in file.sections() {
            let object::SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
            let has = |flag: object::elf::SectionFlags| sh_flags.0 & flag.0 != 0;
            if !has(object::elf::SHF_ALLOC) {
                continue;
            }
            let mut bytes = section.data().unwrap_or_default().to_vec();
            bytes.resize(usize::try_from(section.size()).unwrap_or(0).min(1 << 28), 0);
            sections.insert(
                section.index().0,
                Section {
                    name: section.name().unwrap_or_default().to_owned(),
                    bytes,
                    is_writable: has(object::elf::SHF_WRITE),
                    is_code: has(object::elf::SHF_EXECINSTR),
                    relocations: relocations(&file, &section, architecture),
                },
            );
        }
        let mut functions: Vec<Function> = file
            .symbols()
            .filter(|symbol| symbol.kind() == SymbolKind::Text)
            .filter_map(|symbol| {
                Some(Function {
                    name: symbol.name().unwrap_or_default().to_owned(),
                    section: symbol.section_index()?.0,
                    offset: symbol.address(),
                    size: symbol.size(),
                    is_global: symbol.is_global(),
                })
            })
            .collect();
        functions.sort_by(|a, b| (a.section, a.offset, &a.name).cmp(&(b.section, b.offset, &b.name)));
        let comment = file.section_by_name(".comment").and_then(|section| section.data().ok());
        let names: BTreeSet<String> = comment
            .unwrap_or_default()
            .split(|&byte| byte == 0)
            .filter(|name| !name.is_empty())
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect();
        let (producers, lines) = (names.into_iter().collect(), Lines::of(&file));
        Ok(Object { architecture, sections, functions, producers, lines })
    }

    /// The function with a name.
    ///
    /// # Errors
    /// There is none.
    pub fn function(&self, name: &str) -> Result<&Function, Unreadable> {
        let found = self.functions.iter().find(|function| function.name == name);
        found.ok_or_else(|| Unreadable::Function(name.to_owned()))
    }

    /// Whether anything of the object refers to a function of this name that is elsewhere.
    pub fn calls(&self, name: &str) -> bool {
        let mut targets = self.sections.values().flat_map(|section| section.relocations.values());
        targets.any(|relocation| matches!(&relocation.target, Target::External(known, _) if known == name))
    }

    /// The bytes of a function, before linking; none where its symbol has no size.
    pub fn code(&self, function: &Function) -> &[u8] {
        let section = self.sections.get(&function.section);
        let bytes = section.and_then(|section| section.bytes.get(function.offset as usize..));
        bytes.and_then(|bytes| bytes.get(..function.size as usize)).unwrap_or_default()
    }

    /// The name of the function that a place is in, and the distance from its begin.
    pub fn place(&self, section: usize, offset: u64) -> (String, u64) {
        let before = self.functions.iter().rev().find(|one| one.section == section && one.offset <= offset);
        before.map_or_else(
            || (self.sections.get(&section).map_or(String::new(), |one| one.name.clone()), offset),
            |function| (function.name.clone(), offset - function.offset),
        )
    }
}

fn relocations(
    file: &object::File<'_>,
    section: &object::Section<'_, '_>,
    architecture: Architecture,
) -> BTreeMap<u64, Relocation> {
    let mut all = BTreeMap::new();
    for (place, relocation) in section.relocations() {
        let RelocationTarget::Symbol(index) = relocation.target() else { continue };
        let Ok(symbol) = file.symbol_by_index(index) else { continue };
        let target = match symbol.section_index() {
            Some(section) => {
                Target::Place { section: section.0, offset: symbol.address() as i64 + relocation.addend() }
            }
            None => Target::External(symbol.name().unwrap_or_default().to_owned(), relocation.addend()),
        };
        let fill = match relocation.flags() {
            RelocationFlags::Elf { r_type } => Fill::of(architecture, r_type),
            _ => Fill::Other,
        };
        all.insert(place, Relocation { target, fill });
    }
    all
}
