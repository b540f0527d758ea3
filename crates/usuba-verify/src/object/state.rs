//! What a machine holds between two instructions.

use super::flags::Flags;
use super::machine::{Machine, Word};
use super::memory::{Address, Cell, RegionId};
use super::number::{Growth, Number};
use super::run::Run;
use super::value::{self, Byte};
use crate::graph::{Edge, Graph};

/// Bytes of a vector register of which some are not known.
pub(super) type Vector = Vec<Option<Byte>>;

/// A region that may be written: how many of its bytes hold nothing, and those that follow.
pub(super) type Written = (RegionId, usize, Vec<Cell>);

/// What a machine holds between two instructions, and where it is. What is nothing is not known.
#[derive(Clone)]
pub(super) struct State {
    pub memory: Vec<Written>,
    pub general: Vec<Option<Word>>,
    pub vectors: Vec<Option<Vector>>,
    pub addresses: Vec<Option<Vec<Cell>>>,
    pub masks: Vec<Option<Vec<Byte>>>,
    pub flags: Flags,
    /// The round keys of ciphers that are called through pointers.
    pub keys: Vec<Vec<Edge>>,
    pub run: Run,
}

impl State {
    pub fn of(machine: &Machine<'_>, run: &Run) -> State {
        let memory = &machine.memory;
        let region = |id| {
            let (first, cells) = memory.used(id);
            (id, first, cells.to_vec())
        };
        let vector = |bytes: &Option<Vec<Byte>>| Some(bytes.as_ref()?.iter().copied().map(Some).collect());
        State {
            memory: memory.writable().map(region).collect(),
            general: machine.general.clone(),
            vectors: machine.vectors.iter().map(vector).collect(),
            addresses: machine.addresses.clone(),
            masks: machine.masks.clone(),
            flags: machine.flags.clone(),
            keys: machine.ciphers.iter().map(|cipher| cipher.key.clone()).collect(),
            run: run.clone(),
        }
    }

    /// Brings a machine to where this is.
    pub fn restore(&self, machine: &mut Machine<'_>) -> Run {
        for (id, first, cells) in &self.memory {
            machine.memory.set_used(*id, *first, cells);
        }
        machine.general.clone_from(&self.general);
        for (number, vector) in self.vectors.iter().enumerate() {
            let byte = |byte: &Option<Byte>| byte.unwrap_or_else(|| machine.fresh(1)[0]);
            let vector = vector.as_ref().map(|bytes| bytes.iter().map(byte).collect());
            machine.vectors[number] = vector;
        }
        machine.addresses.clone_from(&self.addresses);
        machine.masks.clone_from(&self.masks);
        machine.flags = self.flags.clone();
        for (cipher, key) in machine.ciphers.iter_mut().zip(&self.keys) {
            cipher.key.clone_from(key);
        }
        self.run.clone()
    }

    /// The same where words, places and data are other ones. The flags stay; sums and differences of addresses in memory are not known.
    pub fn changed(&self, graph: &mut Graph, change: &mut dyn Change) -> State {
        let mut state = self.clone();
        for word in &mut state.general {
            *word = word.take().and_then(|word| changed(graph, change, word));
        }
        for byte in state.vectors.iter_mut().flatten().flatten().flatten() {
            *byte = change.byte(graph, *byte);
        }
        for byte in state.masks.iter_mut().flatten().flatten() {
            *byte = change.byte(graph, *byte);
        }
        for cells in state.addresses.iter_mut().flatten() {
            *cells = cells.iter().map(|&cell| changed_cell(graph, change, cell)).collect();
        }
        for (_, _, cells) in &mut state.memory {
            *cells = cells.iter().map(|&cell| changed_cell(graph, change, cell)).collect();
        }
        state
    }
}

/// What is held elsewhere in the place of what is held here; nothing is not known.
pub(super) trait Change {
    fn byte(&mut self, graph: &mut Graph, byte: Byte) -> Byte;
    fn number(&self, number: Number) -> Option<Number>;
    fn address(&self, address: Address) -> Option<Address>;
}

fn changed(graph: &mut Graph, change: &mut dyn Change, word: Word) -> Option<Word> {
    Some(match word {
        Word::Bits(bytes) => Word::Bits(bytes.into_iter().map(|byte| change.byte(graph, byte)).collect()),
        Word::Address(address) => Word::Address(change.address(address)?),
        Word::Number(number) => match change.number(number)? {
            Number { growth: Growth::NONE, more } => Word::Bits(value::constant(8, more as u64)),
            number => Word::Number(number),
        },
        Word::Distance(a, b) => Word::Distance(change.address(a)?, change.address(b)?),
        Word::Multiple(..) | Word::Low(_) => return None,
    })
}

fn changed_cell(graph: &mut Graph, change: &mut dyn Change, cell: Cell) -> Cell {
    match cell {
        Cell::Bits(byte) => Cell::Bits(change.byte(graph, byte)),
        Cell::Part(address, part) => {
            change.address(address).map_or(Cell::Unset, |address| Cell::Part(address, part))
        }
        Cell::Digit(number, part) => match change.number(number) {
            Some(Number { growth: Growth::NONE, more }) => {
                Cell::Bits(Byte::constant((more >> (8 * i64::from(part))) as u8))
            }
            Some(number) => Cell::Digit(number, part),
            None => Cell::Unset,
        },
        Cell::Scaled(..) | Cell::Between(..) | Cell::Unset => Cell::Unset,
        Cell::Linked => cell,
    }
}
