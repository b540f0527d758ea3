//! Vectors with several sums in their lanes, of which the text has the sum alone.
//!
//! Code that hashes several blocks at once adds up what each lane has after the last turn only. At the head of the loop all lanes but
//! the first may be anything; the first one is then what the text has, and all others, added up. That holds again after a turn if the
//! sum of all lanes is again what the text has.

use super::memory::Cell;
use super::renaming::Renaming;
use super::state::{State, Vector};
use super::value::{self, Byte};
use crate::graph::{Edge, Graph, Vertex, VertexMap};
use foldhash::fast::FixedState;
use std::collections::HashSet;

/// Bytes of a lane.
const LANE: usize = 16;

/// Bytes of vectors in memory, the greatest first.
const VECTORS: [usize; 2] = [64, 32];

/// Vectors in memory begin at a multiple of so many bytes.
const STEP: usize = 8;

/// Where a vector is.
#[derive(Clone, Copy)]
enum Place {
    Register(usize),
    /// In a region that may be written, by its number among these, from a byte on.
    Memory(usize, usize),
}

/// A vector of which the sum of lanes is known.
pub(super) struct Lanes {
    place: Place,
    /// What stands for the bytes of all lanes but the first.
    symbols: Vec<Byte>,
    /// The bits of all lanes.
    vertices: HashSet<Vertex, FixedState>,
}

/// What makes a name of a byte, by what it is after the first turn and after the second.
type Name<'a> = dyn Fn(&mut Graph, &Byte, &Byte) -> Option<Byte> + 'a;

impl Lanes {
    /// Looks whether the lanes of a register have a sum with a name, if nothing is known of them, at the loop of a number: by what it is
    /// after the first turn and after the second. If so, that is what it is in any turn. Bytes above the lanes are known.
    pub fn in_register(
        graph: &mut Graph,
        (register, number): (usize, usize),
        [one, two]: [&Vector; 2],
        vector: &mut Vector,
        name: &Name<'_>,
    ) -> Option<Lanes> {
        let size = vector.iter().take_while(|byte| byte.is_none()).count();
        let is_known_above = vector[size..].iter().all(Option::is_some);
        let bytes = |vector: &Vector| vector.get(..size)?.iter().copied().collect::<Option<Vec<Byte>>>();
        let (one, two) = (bytes(one).filter(|_| is_known_above)?, bytes(two)?);
        let (found, lanes) = Lanes::of(graph, (Place::Register(register), number), [&one, &two], name)?;
        vector.iter_mut().zip(found).for_each(|(byte, found)| *byte = Some(found));
        Some(lanes)
    }

    /// The same of a part of a region, by its number and where it begins: vectors in what is not known of it.
    pub fn in_memory(
        graph: &mut Graph,
        (region, first, number): (usize, usize, usize),
        [one, two]: [&[Cell]; 2],
        cells: &mut [Cell],
        name: &Name<'_>,
    ) -> Vec<Lanes> {
        let mut found = Vec::new();
        let mut place = 0;
        while place < cells.len() {
            let mut size = STEP;
            for bytes in VECTORS {
                let here = place..place + bytes;
                let is_lost = |cells: &[Cell]| cells.iter().all(|cell| *cell == Cell::Unset);
                let vectors = [one, two].map(|cells| cells.get(here.clone()).and_then(bits));
                if let [Some(one), Some(two)] = vectors
                    && cells.get(here.clone()).is_some_and(is_lost)
                    && let Some((vector, lanes)) =
                        Lanes::of(graph, (Place::Memory(region, first + place), number), [&one, &two], name)
                {
                    cells[here].iter_mut().zip(vector).for_each(|(cell, byte)| *cell = Cell::Bits(byte));
                    found.push(lanes);
                    size = bytes;
                    break;
                }
            }
            place += size;
        }
        found
    }

    fn of(
        graph: &mut Graph,
        (place, number): (Place, usize),
        [one, two]: [&[Byte]; 2],
        name: &Name<'_>,
    ) -> Option<(Vec<Byte>, Lanes)> {
        if one.len() != two.len() || one.len() <= LANE || !one.len().is_multiple_of(LANE) {
            return None;
        }
        let sums = [sum(graph, one)?, sum(graph, two)?];
        let named = sums[0].iter().zip(&sums[1]).map(|(one, two)| name(graph, one, two));
        let named: Vec<Byte> = named.collect::<Option<_>>()?;
        let bits: Vec<Edge> = named.iter().flat_map(|byte| byte.bits).collect();
        let symbols = graph.beside(number, &bits, one.len() / LANE - 1);
        let byte = |(place, bits): (usize, &[Edge])| Byte {
            bits: std::array::from_fn(|bit| bits[bit]),
            ..named[place % LANE]
        };
        let symbols: Vec<Byte> = symbols.chunks(8).enumerate().map(byte).collect();
        let first = sum(graph, &[named, symbols.clone()].concat())?;
        let all = [first, symbols.clone()].concat();
        let vertices = all.iter().flat_map(|byte| byte.bits).map(Edge::vertex).collect();
        Some((all, Lanes { place, symbols, vertices }))
    }

    /// Whether a vertex is a bit of this.
    pub fn contains(&self, vertex: Vertex) -> bool {
        self.vertices.contains(&vertex)
    }

    /// What the lanes are in a state that stand for anything; nothing if they are not known there.
    fn in_state(&self, state: &State) -> Option<impl Iterator<Item = (Vertex, Edge)>> {
        let bytes: Vec<Byte> = match self.place {
            Place::Register(number) => {
                let vector = state.vectors[number].as_ref()?.get(LANE..LANE + self.symbols.len())?;
                vector.iter().copied().collect::<Option<_>>()?
            }
            Place::Memory(number, place) => {
                let (_, first, cells) = &state.memory[number];
                let begin = (place + LANE).checked_sub(*first)?;
                bits(cells.get(begin..begin + self.symbols.len())?)?
            }
        };
        let pairs =
            self.symbols.iter().zip(bytes).flat_map(|(symbol, byte)| symbol.bits.into_iter().zip(byte.bits));
        Some(pairs.map(|(symbol, bit)| (symbol.vertex(), bit)))
    }
}

/// Cells as bytes, if they are data.
fn bits(cells: &[Cell]) -> Option<Vec<Byte>> {
    cells.iter().map(|cell| if let Cell::Bits(byte) = cell { Some(*byte) } else { None }).collect()
}

/// What lanes that may be anything are in a state; nothing if one of them is not known there.
pub(super) fn in_state(all: &[Lanes], state: &State) -> Option<Renaming> {
    let mut by: VertexMap<Edge> = VertexMap::default();
    for lanes in all {
        by.extend(lanes.in_state(state)?);
    }
    Some(Renaming::new(by))
}

/// The sum of the lanes of a vector.
fn sum(graph: &mut Graph, bytes: &[Byte]) -> Option<Vec<Byte>> {
    let mut lanes = bytes.chunks(LANE);
    let first = lanes.next()?.to_vec();
    lanes.try_fold(first, |sum, lane| value::bitwise(graph, &sum, lane, Graph::xor).ok())
}
