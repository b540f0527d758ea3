//! One loop after another: what holds where the second one begins, of which the first one is proved.
//!
//! The first loop ends where one turn is left, in whose terms all that it leaves is known. The second one begins with all turns left:
//! numbers and places are said anew, by its own turns, which may be smaller ones. Data that are made of what the text has at the last
//! turn are symbols while the second loop makes its turns, which has to do with them what it does whatever they are. Before its own last
//! turn, where the same of the text is known, they are again what they were.

use super::flags::Flags;
use super::induction::{Names, Strings};
use super::memory::{Address, Cell};
use super::number::{Growth, Number, Scale};
use super::renaming::Renaming;
use super::state::{Change, State};
use super::value::Byte;
use crate::graph::{Edge, Graph, Vertex, VertexMap};
use std::rc::Rc;

/// What is said anew.
struct Restart<'a> {
    strings: &'a Strings,
    /// How many turns the next loop has for those of the message.
    scale: Scale,
    /// Which vertices are made of what the text has at the last turn, by number.
    is_of_end: Vec<bool>,
    /// What numbers are that are data, and what stands for turns that are done, which are not done yet.
    numbers: Rc<Renaming>,
    done: Renaming,
    /// What stands for such vertices.
    symbols: VertexMap<Edge>,
}

impl Strings {
    /// A state at the end of a loop, where its last turn is done, as the begin of another one, of which the names and the number of turns
    /// are given; and what the data are there that have become symbols. `changing` is what the text has that is another one in each turn.
    /// Nothing if that is in round keys.
    pub fn begun_again(
        &self,
        graph: &mut Graph,
        (names, scale): (&dyn Names, Scale),
        state: &State,
        changing: impl Iterator<Item = Vertex>,
    ) -> Option<(State, Renaming)> {
        let numbers = names.again(graph);
        let lost = graph.all_turns().into_iter().filter(|((left, _), _)| *left != 0);
        let lost: Vec<Vertex> = lost.flat_map(|(_, bits)| bits).map(Edge::vertex).collect();
        let is_of_end = graph.depend_on(changing.chain(lost));
        let turns = graph.all_turns().into_iter().filter(|((_, done), _)| *done != 0);
        let done = turns.flat_map(|(_, bits)| bits).map(|bit| (bit.vertex(), Edge::FALSE)).collect();
        let done = Renaming::new(done);
        let mut restart =
            Restart { strings: self, scale, done, is_of_end, numbers, symbols: VertexMap::default() };
        let is_of_turns = |bit| {
            restart.is_of_end(bit) || restart.numbers.is_of(graph, bit) || restart.done.is_of(graph, bit)
        };
        if state.keys.iter().flatten().any(|&bit| is_of_turns(bit)) {
            return None;
        }
        let mut begun = State { flags: Flags::Unknown, ..state.changed(graph, &mut restart) };
        for (vector, addresses) in begun.vectors.iter_mut().zip(&mut begun.addresses) {
            if addresses.take_if(|cells| cells.contains(&Cell::Unset)).is_some() {
                *vector = None;
            }
        }
        let ends = restart.symbols.into_iter().map(|(vertex, symbol)| (symbol.vertex(), vertex.edge()));
        Some((begun, Renaming::new(ends.collect())))
    }
}

impl Restart<'_> {
    fn is_of_end(&self, bit: Edge) -> bool {
        bit.known().is_none() && self.is_of_end.get(bit.vertex().index()).copied().unwrap_or(false)
    }
}

impl Change for Restart<'_> {
    fn byte(&mut self, graph: &mut Graph, byte: Byte) -> Byte {
        let bits = byte.bits.map(|bit| {
            if !self.is_of_end(bit) {
                let here = self.numbers.bit(graph, bit);
                if !self.done.is_of(graph, here) {
                    return here;
                }
            }
            let symbol = self.symbols.entry(bit.vertex()).or_insert_with(|| graph.input());
            symbol.complemented_if(bit.is_complemented())
        });
        Byte { bits, ..byte }
    }

    fn number(&self, number: Number) -> Option<Number> {
        number.again()?.of_loop(self.scale)
    }

    fn address(&self, address: Address) -> Option<Address> {
        let mut place = address.place().again()?;
        if let Some(moving) = self.strings.of(address.region) {
            // The window has moved with each turn since it was where its begin is given.
            let moved = moving.turn.checked_mul(self.strings.done.checked_add(1)?)?;
            place.growth.left = place.growth.left.checked_add(moving.turn)?;
            place.more = place.more.checked_add(moving.begin)?.checked_sub(moved)?;
        }
        let Number { growth, more } = place.of_loop(self.scale)?;
        Some(Address { region: address.region, offset: more, growth })
    }
}

/// What is held at the call, by the turns of a loop.
pub(super) struct AtCall {
    /// How many turns the loop has for those of the message.
    pub scale: Scale,
}

impl Change for AtCall {
    fn byte(&mut self, _: &mut Graph, byte: Byte) -> Byte {
        byte
    }

    fn number(&self, number: Number) -> Option<Number> {
        number.of_loop(self.scale)
    }

    fn address(&self, address: Address) -> Option<Address> {
        Some(address)
    }
}

impl Number {
    /// A number before the last turn, of which it says how many turns are done, where all turns are left, with the last one.
    pub(super) fn again(self) -> Option<Number> {
        let Growth { left, done } = self.growth;
        let more = self.more.checked_sub(done)?;
        (left == 0).then_some(Number { growth: Growth { left: done, done: 0 }, more })
    }
}
