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

/// How far a place of a region is from the begin of another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Distance {
    /// The region that is gone to.
    pub to: RegionId,
    /// The region from whose begin.
    pub from: RegionId,
    /// Bytes from the begin of the first.
    pub offset: i64,
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
    /// A byte of a distance between two regions.
    Between(Distance, u8),
    /// What the linker fills in.
    Linked,
}

/// A region.
#[derive(Clone, Debug)]
pub struct Region {
    /// What it is called in messages.
    pub name: String,
    /// How many bytes there are before `cells` that nothing has been done with.
    untouched: usize,
    /// Its bytes, but for those.
    pub cells: Vec<Cell>,
    /// Whether it may be written.
    pub is_writable: bool,
    /// What its address is a multiple of.
    pub alignment: u64,
}

impl Region {
    /// A region whose content is not known.
    pub fn unset(name: impl Into<String>, size: usize, alignment: u64) -> Region {
        Region::holding(name, vec![Cell::Unset; size], alignment).writable(true)
    }

    /// A region that may be read only.
    pub fn holding(name: impl Into<String>, cells: Vec<Cell>, alignment: u64) -> Region {
        Region { name: name.into(), untouched: 0, cells, is_writable: false, alignment }
    }

    /// A region that is used from its end on, of which little may be.
    pub fn stack(size: usize, alignment: u64) -> Region {
        let region = Region::unset("the stack", 0, alignment);
        Region { untouched: size, ..region }
    }

    /// The same, but that it may be written, or may not.
    #[must_use]
    pub fn writable(self, is_writable: bool) -> Region {
        Region { is_writable, ..self }
    }

    /// Its bytes.
    pub fn size(&self) -> usize {
        self.untouched + self.cells.len()
    }

    /// The same, of bits.
    pub fn constant(name: impl Into<String>, bytes: Vec<Byte>, alignment: u64) -> Region {
        Region::holding(name, bytes.into_iter().map(Cell::Bits).collect(), alignment)
    }
}

/// Cells of a stack are made so many bytes at once.
const TOGETHER: usize = 4096;

/// All regions.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    regions: Vec<Region>,
    /// The region of each section.
    sections: BTreeMap<usize, RegionId>,
    /// For each section what stands for its pages: nothing can be read there.
    pages: BTreeMap<usize, RegionId>,
    /// What can be read of strings after all turns of a loop, and where it begins.
    tails: BTreeMap<RegionId, (Number, Vec<Cell>)>,
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
            let id = memory.add(Region::holding(section.name.clone(), cells, 64));
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
        let Region { untouched, cells, .. } = &self.regions[id.0];
        let first = cells.iter().position(|cell| *cell != Cell::Unset).unwrap_or(cells.len());
        (untouched + first, &cells[first..])
    }

    /// Changes all bytes of a region, as many as there may be.
    pub fn set(&mut self, id: RegionId, cells: Vec<Cell>) {
        let region = &mut self.regions[id.0];
        (region.untouched, region.cells) = (0, cells);
    }

    /// Says what can be read of a string after all turns of a loop, and where that begins.
    pub fn set_tail(&mut self, id: RegionId, tail: Option<(Number, Vec<Cell>)>) {
        match tail {
            Some(tail) => self.tails.insert(id, tail),
            None => self.tails.remove(&id),
        };
    }

    /// What can be read there of a string after all turns of a loop.
    fn in_tail(&self, address: Address, bytes: usize) -> Option<Vec<Cell>> {
        let (begin, cells) = self.tails.get(&address.region)?;
        let Number { growth: Growth::NONE, more } = address.place().minus(*begin) else { return None };
        let start = usize::try_from(more).ok()?;
        Some(cells.get(start..start.checked_add(bytes)?)?.to_vec())
    }

    /// Changes all bytes of a region: these after so many that hold nothing.
    pub fn set_used(&mut self, id: RegionId, first: usize, cells: &[Cell]) {
        let region = &mut self.regions[id.0];
        let before = if region.untouched > 0 { 0 } else { first };
        region.untouched = first - before;
        region.cells = std::iter::repeat_n(Cell::Unset, before).chain(cells.iter().copied()).collect();
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
        let id = self.add(Region::holding(name, Vec::new(), 1));
        self.pages.insert(section, id);
        Some(id)
    }

    /// The section of an address, and the place in it.
    pub fn in_section(&self, address: Address) -> Option<(usize, i64)> {
        let found = self.sections.iter().find(|(_, region)| **region == address.region);
        found.map(|(&section, _)| (section, address.offset))
    }

    /// The cells of an access, which are there then.
    fn range(&mut self, address: Address, bytes: usize) -> Result<std::ops::Range<usize>, Why> {
        if address.growth != Growth::NONE {
            return Err(Why::Turns);
        }
        let region = &mut self.regions[address.region.0];
        let size = region.size();
        let outside = || Why::Outside { region: region.name.clone(), offset: address.offset, bytes, size };
        let start = usize::try_from(address.offset).map_err(|_| outside())?;
        let end = start.checked_add(bytes).filter(|&end| end <= size).ok_or_else(outside)?;
        if start < region.untouched {
            let first = start / TOGETHER * TOGETHER;
            region.cells.splice(0..0, std::iter::repeat_n(Cell::Unset, region.untouched - first));
            region.untouched = first;
        }
        Ok(start - region.untouched..end - region.untouched)
    }

    /// The cells of an access. What was never written gets a value that is an input of its own.
    pub fn read(&mut self, graph: &mut Graph, address: Address, bytes: usize) -> Result<Vec<Cell>, Why> {
        if address.growth != Growth::NONE
            && let Some(cells) = self.in_tail(address, bytes)
        {
            return Ok(cells);
        }
        let range = self.range(address, bytes)?;
        let cells = &mut self.regions[address.region.0].cells[range];
        for cell in cells.iter_mut() {
            match cell {
                Cell::Unset => {
                    let bits = std::array::from_fn(|_| graph.input());
                    *cell = Cell::Bits(Byte { bits, lane: Lane::All });
                }
                Cell::Linked => return Err(Why::Operand("what the linker fills in")),
                Cell::Bits(_) | Cell::Part(..) | Cell::Digit(..) | Cell::Scaled(..) | Cell::Between(..) => {}
            }
        }
        Ok(cells.to_vec())
    }

    /// Forgets what lies below a place of a region.
    pub fn forget(&mut self, id: RegionId, below: i64) {
        let Region { untouched, cells, .. } = &mut self.regions[id.0];
        let end = usize::try_from(below).unwrap_or(0).saturating_sub(*untouched).min(cells.len());
        cells.drain(..end);
        *untouched += end;
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
