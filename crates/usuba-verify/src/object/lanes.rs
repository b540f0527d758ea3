//! Vector registers with several sums in their lanes, of which the text has the sum alone.
//!
//! Code that hashes several blocks at once adds up what each lane has after the last turn only. At the head of the loop all lanes but
//! the first may be anything; the first one is then what the text has, and all others, added up. That holds again after a turn if the
//! sum of all lanes is again what the text has.

use super::renaming::Renaming;
use super::state::{State, Vector};
use super::value::{self, Byte};
use crate::graph::{Edge, Graph, Vertex};
use std::collections::HashMap;

/// Bytes of a lane.
const LANE: usize = 16;

/// A register of which the sum of lanes is known.
pub(super) struct Lanes {
    register: usize,
    /// What stands for the bytes of all lanes but the first.
    symbols: Vec<Byte>,
}

impl Lanes {
    /// What a register is in any turn, of which the sum of lanes has a name: by what it is after the first turn and after the second.
    pub fn of(
        graph: &mut Graph,
        register: usize,
        [one, two]: [&Vector; 2],
        name: impl Fn(&mut Graph, &Byte, &Byte) -> Option<Byte>,
    ) -> Option<(Vector, Lanes)> {
        if one.len() != two.len() || one.len() <= LANE || !one.len().is_multiple_of(LANE) {
            return None;
        }
        let mut sums = Vec::new();
        for vector in [one, two] {
            let bytes: Vec<Byte> = vector.iter().copied().collect::<Option<_>>()?;
            sums.push(sum(graph, bytes)?);
        }
        let named: Option<Vec<Byte>> =
            sums[0].iter().zip(&sums[1]).map(|(one, two)| name(graph, one, two)).collect();
        let named = named?;
        let symbols: Vec<Byte> = (LANE..one.len())
            .map(|place| Byte { bits: std::array::from_fn(|_| graph.input()), ..named[place % LANE] })
            .collect();
        let first = sum(graph, [named, symbols.clone()].concat())?;
        let vector = first.into_iter().chain(symbols.iter().copied()).map(Some).collect();
        Some((vector, Lanes { register, symbols }))
    }

    /// What the lanes are in a state that stand for anything; nothing if they are not known there.
    fn in_state(&self, state: &State) -> Option<impl Iterator<Item = (Vertex, Edge)>> {
        let vector = state.vectors[self.register].as_ref()?.get(LANE..)?;
        let bytes: Vec<Byte> = vector.iter().copied().collect::<Option<_>>()?;
        let pairs =
            self.symbols.iter().zip(bytes).flat_map(|(symbol, byte)| symbol.bits.into_iter().zip(byte.bits));
        Some(pairs.map(|(symbol, bit)| (symbol.vertex(), bit)))
    }
}

/// What lanes that may be anything are in a state; nothing if one of them is not known there.
pub(super) fn in_state(all: &[Lanes], state: &State) -> Option<Renaming> {
    let mut by: HashMap<Vertex, Edge> = HashMap::new();
    for lanes in all {
        by.extend(lanes.in_state(state)?);
    }
    Some(Renaming::new(by))
}

/// The sum of the lanes of a register.
fn sum(graph: &mut Graph, bytes: Vec<Byte>) -> Option<Vec<Byte>> {
    let mut lanes = bytes.chunks(LANE);
    let first = lanes.next()?.to_vec();
    lanes.try_fold(first, |sum, lane| value::bitwise(graph, &sum, lane, Graph::xor).ok())
}
