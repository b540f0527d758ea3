//! Memory as regions of known sizes, and addresses as places in them.

use super::Why;
use super::file::Object;
use super::number::{Growth, Number};
use super::value::{Byte, Lane};
use crate::graph::Graph;
use std::collections::BTreeMap;

/// Number of a region.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RegionId(pub usize);

/// A place in a region, perhaps outside of it: only an access has to be inside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// The region.
    pub region: RegionId,
    /// Bytes from its begin.
    pub offset: i64,
    /// What is added for each turn of a loop: only one that has nothing to add is accessed.
    pub growth: Growth,
}

impl Address {
    /// So many bytes from the begin of a region.
    pub fn new(region: RegionId, offset: i64) -> Address {
        Address { region, offset, growth: Growth::NONE }
    }

    /// Bytes from the begin of its region.
    pub fn place(self) -> Number {
        Number { growth: self.growth, more: self.offset }
    }

    /// So many bytes further on.
    pub fn moved(self, by: i64) -> Address {
        Address { offset: self.offset.wrapping_add(by), ..self }
    }
}

/// So many times the address of a region, neither never nor once, and a number: what code has on its way to an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Multiple {
    /// The region.
    pub region: RegionId,
    /// How often its address is added.
    pub times: i64,
    /// The number.
    pub more: i64,
}

/// What a byte of memory holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Whatever was there before.
    Unset,
    /// Bits.
    Bits(Byte),
    /// A byte of an address.
    Part(Address, u8),
    /// A byte of a number that grows with the turns of a loop.
    Digit(Number, u8),
    /// A byte of a multiple of an address.
    Scaled(Multiple, u8),
    /// What the linker fills in.
    Linked,
}

/// A region.
#[derive(Clone, Debug)]
pub struct Region {
    /// What it is called in messages.
    pub name: String,
    /// Its bytes.
    pub cells: Vec<Cell>,
    /// Whether it may be written.
    pub is_writable: bool,
    /// What its address is a multiple of.
    pub alignment: u64,
}

impl Region {
    /// A region whose content is not known.
    pub fn unset(name: impl Into<String>, size: usize, alignment: u64) -> Region {
        Region { name: name.into(), cells: vec![Cell::Unset; size], is_writable: true, alignment }
    }

    /// A region that may be read only.
    pub fn constant(name: impl Into<String>, bytes: Vec<Byte>, alignment: u64) -> Region {
        let cells = bytes.into_iter().map(Cell::Bits).collect();
        Region { name: name.into(), cells, is_writable: false, alignment }
    }
}

/// All regions.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    regions: Vec<Region>,
    /// The region of each section.
    sections: BTreeMap<usize, RegionId>,
    /// For each section what stands for its pages: nothing can be read there.
    pages: BTreeMap<usize, RegionId>,
}

impl Memory {
    /// The sections of an object.
    pub fn of(object: &Object) -> Memory {
        let mut memory = Memory::default();
        for (&number, section) in &object.sections {
            let mut cells: Vec<Cell> =
                section.bytes.iter().map(|&byte| Cell::Bits(Byte::constant(byte))).collect();
            for &place in section.relocations.keys() {
                let end = (place as usize + 8).min(cells.len());
                cells[(place as usize).min(end)..end].fill(Cell::Linked);
            }
            // What is in a variable at the call is not known.
            if section.is_writable {
                cells.fill(Cell::Unset);
            }
            // No function that is looked at here may have a state of its own.
            let region = Region { name: section.name.clone(), cells, is_writable: false, alignment: 64 };
            let id = memory.add(region);
            memory.sections.insert(number, id);
        }
        memory
    }

    /// One more region.
    pub fn add(&mut self, region: Region) -> RegionId {
        self.regions.push(region);
        RegionId(self.regions.len() - 1)
    }

    /// A region.
    pub fn region(&self, id: RegionId) -> &Region {
        &self.regions[id.0]
    }

    /// The regions that may be written.
    pub fn writable(&self) -> impl Iterator<Item = RegionId> {
        let writable = |(number, region): (usize, &Region)| region.is_writable.then_some(RegionId(number));
        self.regions.iter().enumerate().filter_map(writable)
    }

    /// The bytes of a region from the first one on that holds anything, and how many there are before.
    pub fn used(&self, id: RegionId) -> (usize, &[Cell]) {
        let cells = &self.regions[id.0].cells;
        let first = cells.iter().position(|cell| *cell != Cell::Unset).unwrap_or(cells.len());
        (first, &cells[first..])
    }

    /// Changes all bytes of a region, as many as there may be.
    pub fn set(&mut self, id: RegionId, cells: Vec<Cell>) {
        self.regions[id.0].cells = cells;
    }

    /// Changes all bytes of a region: these after so many that hold nothing.
    pub fn set_used(&mut self, id: RegionId, first: usize, cells: &[Cell]) {
        let all = &mut self.regions[id.0].cells;
        all.truncate(first);
        all.fill(Cell::Unset);
        all.resize(first, Cell::Unset);
        all.extend_from_slice(cells);
    }

    /// The address of a place in a section.
    pub fn section(&self, section: usize, offset: i64) -> Option<Address> {
        self.sections.get(&section).map(|&region| Address::new(region, offset))
    }

    /// What stands for the pages of a section: a region without bytes.
    pub fn page(&mut self, section: usize) -> Option<RegionId> {
        if let Some(&known) = self.pages.get(&section) {
            return Some(known);
        }
        let name = format!("the pages of {}", self.region(*self.sections.get(&section)?).name);
        let region = Region { name, cells: Vec::new(), is_writable: false, alignment: 1 };
        let id = self.add(region);
        self.pages.insert(section, id);
        Some(id)
    }

    /// The section of an address, and the place in it.
    pub fn in_section(&self, address: Address) -> Option<(usize, i64)> {
        let found = self.sections.iter().find(|(_, region)| **region == address.region);
        found.map(|(&section, _)| (section, address.offset))
    }

    fn range(&self, address: Address, bytes: usize) -> Result<std::ops::Range<usize>, Why> {
        if address.growth != Growth::NONE {
            return Err(Why::Turns);
        }
        let region = &self.regions[address.region.0];
        let outside = || Why::Outside {
            region: region.name.clone(),
            offset: address.offset,
            bytes,
            size: region.cells.len(),
        };
        let start = usize::try_from(address.offset).map_err(|_| outside())?;
        let end = start.checked_add(bytes).filter(|&end| end <= region.cells.len()).ok_or_else(outside)?;
        Ok(start..end)
    }

    /// The cells of an access. What was never written gets a value that is an input of its own.
    pub fn read(&mut self, graph: &mut Graph, address: Address, bytes: usize) -> Result<Vec<Cell>, Why> {
        let range = self.range(address, bytes)?;
        let cells = &mut self.regions[address.region.0].cells[range];
        for cell in cells.iter_mut() {
            match cell {
                Cell::Unset => {
                    let bits = std::array::from_fn(|_| graph.input());
                    *cell = Cell::Bits(Byte { bits, lane: Lane::All });
                }
                Cell::Linked => return Err(Why::Operand("what the linker fills in")),
                Cell::Bits(_) | Cell::Part(..) | Cell::Digit(..) | Cell::Scaled(..) => {}
            }
        }
        Ok(cells.to_vec())
    }

    /// Forgets what lies below a place of a region.
    pub fn forget(&mut self, id: RegionId, below: i64) {
        let cells = &mut self.regions[id.0].cells;
        let end = usize::try_from(below).unwrap_or(0).min(cells.len());
        cells[..end].fill(Cell::Unset);
    }

    /// Changes the cells of an access.
    pub fn write(&mut self, address: Address, cells: &[Cell]) -> Result<(), Why> {
        let range = self.range(address, cells.len())?;
        let region = &mut self.regions[address.region.0];
        if !region.is_writable {
            return Err(Why::ReadOnly(region.name.clone()));
        }
        region.cells[range].copy_from_slice(cells);
        Ok(())
    }
}
