//! An ELF object for x86-64: its sections, the functions in them, and what is to be filled in when it is linked.

use super::lines::Lines;
use object::{Object as _, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// Why a file is not read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Unreadable {
    /// It is no object file.
    #[error("it is no object file: {0}")]
    Format(String),
    /// It is one of another machine.
    #[error("it is no relocatable ELF object for x86-64")]
    Machine,
    /// It has no such function.
    #[error("it has no function `{0}`")]
    Function(String),
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

/// A relocation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// What it refers to.
    pub target: Target,
    /// Whether it is a distance from where it stands, in 32 bits.
    pub is_relative: bool,
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
    /// Reads a file.
    ///
    /// # Errors
    /// It is not an ELF object for x86-64.
    pub fn parse(bytes: &[u8]) -> Result<Object, Unreadable> {
        let file = object::File::parse(bytes).map_err(|error| Unreadable::Format(error.to_string()))?;
        let is_ours = file.architecture() == object::Architecture::X86_64
            && file.format() == object::BinaryFormat::Elf
            && file.kind() == object::ObjectKind::Relocatable;
        if !is_ours {
            return Err(Unreadable::Machine);
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
                    relocations: relocations(&file, &section),
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
        Ok(Object { sections, functions, producers, lines })
    }

    /// The function with a name.
    ///
    /// # Errors
    /// There is none.
    pub fn function(&self, name: &str) -> Result<&Function, Unreadable> {
        let found = self.functions.iter().find(|function| function.name == name);
        found.ok_or_else(|| Unreadable::Function(name.to_owned()))
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

fn relocations(file: &object::File<'_>, section: &object::Section<'_, '_>) -> BTreeMap<u64, Relocation> {
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
        let is_relative = match relocation.flags() {
            RelocationFlags::Elf { r_type } => {
                r_type == object::elf::R_X86_64_PC32 || r_type == object::elf::R_X86_64_PLT32
            }
            _ => false,
        };
        all.insert(place, Relocation { target, is_relative });
    }
    all
}
