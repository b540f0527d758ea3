//! The lines of source that the code of an object comes from, as its debug information says.

use addr2line::Context;
use addr2line::gimli::{self, EndianSlice, LittleEndian};
use object::{Object as _, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget};
use std::collections::BTreeMap;
use std::fmt;

/// A line of a source file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Line {
    /// The file, in the folder that the compiler ran in.
    pub file: String,
    /// The number, from 1.
    pub line: u32,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The lines of the code of an object.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Lines {
    /// By section and place of the first byte: the place after the last one, and the line.
    ranges: BTreeMap<(usize, u64), (u64, Line)>,
}

/// Sections of an object all begin at 0. In debug information that is read here, code of section n begins at n times this.
const APART: u64 = 1 << 40;

impl Lines {
    /// Reads the debug information (DWARF) of an ELF object for x86-64. An object without any, or with one that is wrong, has
    /// no lines.
    pub fn of(file: &object::File<'_>) -> Lines {
        Lines::read(file).unwrap_or_default()
    }

    fn read(file: &object::File<'_>) -> Result<Lines, gimli::Error> {
        let sections: BTreeMap<&str, Vec<u8>> = SECTIONS
            .iter()
            .filter_map(|id| Some((id.name(), relocated(file, &file.section_by_name(id.name())?))))
            .collect();
        let section = |id: gimli::SectionId| {
            let bytes = sections.get(id.name()).map_or(&[][..], Vec::as_slice);
            Ok::<_, gimli::Error>(EndianSlice::new(bytes, LittleEndian))
        };
        let context = Context::from_dwarf(gimli::Dwarf::load(section)?)?;
        let mut ranges = BTreeMap::new();
        for code in file.sections().filter(|section| section.kind() == object::SectionKind::Text) {
            let index = code.index().0;
            let base = index as u64 * APART;
            for (address, length, location) in context.find_location_range(base, base + code.size())? {
                if let (Some(file), Some(line)) = (location.file, location.line) {
                    let line = Line { file: file.to_owned(), line };
                    ranges.insert((index, address - base), (address - base + length, line));
                }
            }
        }
        Ok(Lines { ranges })
    }

    /// The line of the instruction at a place of a section.
    pub fn at(&self, section: usize, offset: u64) -> Option<&Line> {
        let (&(of, _), (end, line)) = self.ranges.range(..=(section, offset)).next_back()?;
        (of == section && offset < *end).then_some(line)
    }
}

/// The sections that lines are read from.
const SECTIONS: [gimli::SectionId; 9] = [
    gimli::SectionId::DebugAbbrev,
    gimli::SectionId::DebugAddr,
    gimli::SectionId::DebugInfo,
    gimli::SectionId::DebugLine,
    gimli::SectionId::DebugLineStr,
    gimli::SectionId::DebugRanges,
    gimli::SectionId::DebugRngLists,
    gimli::SectionId::DebugStr,
    gimli::SectionId::DebugStrOffsets,
];

/// The bytes of a section of debug information, with what is to be filled in when it is linked.
fn relocated(file: &object::File<'_>, section: &object::Section<'_, '_>) -> Vec<u8> {
    let mut bytes = section.data().unwrap_or_default().to_vec();
    for (place, relocation) in section.relocations() {
        let RelocationTarget::Symbol(index) = relocation.target() else { continue };
        let Ok(symbol) = file.symbol_by_index(index) else { continue };
        let code = symbol.section_index().filter(|&index| {
            file.section_by_index(index).is_ok_and(|section| section.kind() == object::SectionKind::Text)
        });
        let base = code.map_or(0, |index| index.0 as u64 * APART);
        let value = base.wrapping_add(symbol.address()).wrapping_add_signed(relocation.addend());
        let size = match relocation.flags() {
            RelocationFlags::Elf { r_type } if r_type == object::elf::R_X86_64_64 => 8,
            RelocationFlags::Elf { r_type } if r_type == object::elf::R_X86_64_32 => 4,
            _ => continue,
        };
        let start = usize::try_from(place).unwrap_or(usize::MAX);
        if let Some(there) = bytes.get_mut(start..start.saturating_add(size)) {
            there.copy_from_slice(&value.to_le_bytes()[..size]);
        }
    }
    bytes
}
