//! The same data at another turn of a loop: each vertex that has a name there by what it is there.

use super::number::{Growth, Number};
use super::value::Byte;
use crate::graph::symbols::Whole;
use crate::graph::{Edge, Graph, Substituted, Vertex, VertexMap};
use foldhash::fast::FixedState;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// What a number is there that grows so, and is nothing where no turn is left or done.
type OfTurns = Box<dyn Fn(Growth) -> Option<Number>>;

/// What stands in the place of vertices.
#[derive(Default)]
pub(super) struct Renaming {
    by: VertexMap<Edge>,
    /// What stands in the place of numbers of turns, if they are others there.
    number: Option<OfTurns>,
    /// The vertices that were looked through for bits of numbers, and the look-ups and products.
    looked_through: RefCell<(HashSet<Vertex, FixedState>, HashSet<Whole, FixedState>)>,
    /// Which vertices are made of those, by number, as far as that was looked for.
    is_made: RefCell<Vec<Option<bool>>>,
    /// Which look-ups and products are of something that is.
    is_whole_made: RefCell<HashMap<Whole, bool, FixedState>>,
    /// What was made of some of them.
    made: RefCell<Substituted>,
}

impl Renaming {
    /// Some edges in the place of vertices.
    pub fn new(mut by: VertexMap<Edge>) -> Renaming {
        by.retain(|vertex, edge| *edge != vertex.edge());
        Renaming { by, ..Renaming::default() }
    }

    /// The same with what stands there for numbers of turns: sums with those are the same sums there, and not sums of sums.
    pub fn of_turns(by: VertexMap<Edge>, number: impl Fn(Growth) -> Option<Number> + 'static) -> Renaming {
        Renaming { number: Some(Box::new(number)), ..Renaming::new(by) }
    }

    /// Whether something stands in the place of a vertex itself.
    fn has(&self, graph: &Graph, vertex: Vertex) -> bool {
        let of_number = || {
            let [left, done, _] = graph.bit_of_number(vertex)?.sum;
            self.number.as_ref()?(Growth { left, done })
        };
        self.by.contains_key(&vertex) || of_number().is_some()
    }

    /// Makes what stands in the place of the numbers that bits are made of.
    fn make_numbers(&self, graph: &mut Graph, bits: &[Edge]) {
        let Some(number) = &self.number else { return };
        let (vertices, wholes) = &mut *self.looked_through.borrow_mut();
        let mut made = self.made.borrow_mut();
        let mut numbers: HashMap<[i64; 3], Option<Vec<Edge>>> = HashMap::new();
        let mut open: Vec<Vertex> = bits.iter().map(|bit| bit.vertex()).collect();
        while let Some(vertex) = open.pop() {
            if self.by.contains_key(&vertex) || !self.is_of(graph, vertex.edge()) || !vertices.insert(vertex)
            {
                continue;
            }
            if let Some(bit) = graph.bit_of_number(vertex) {
                let [left, done, more] = bit.sum;
                let there = numbers.entry(bit.sum).or_insert_with(|| {
                    let here = number(Growth { left, done })?;
                    Some(Number { more: here.more.wrapping_add(more), ..here }.bits(graph))
                });
                if let Some(there) = there {
                    made.made.insert(vertex, there[bit.place].complemented_if(bit.is_complemented));
                    continue;
                }
            }
            if graph.whole_of(vertex).is_none_or(|whole| wholes.insert(whole)) {
                open.extend(graph.made_of(vertex));
            }
        }
    }

    /// Whether nothing has another name there.
    pub fn is_empty(&self) -> bool {
        self.by.is_empty() && self.number.is_none()
    }

    /// Whether a bit is made of something that has another one in its place.
    pub fn is_of(&self, graph: &Graph, bit: Edge) -> bool {
        if self.is_empty() || bit.known().is_some() {
            return false;
        }
        let mut is_made = self.is_made.borrow_mut();
        let all = graph.len().max(is_made.len());
        is_made.resize(all, None);
        let mut open = vec![bit.vertex()];
        while let Some(&vertex) = open.last() {
            let whole = graph.whole_of(vertex);
            let known = whole.and_then(|whole| self.is_whole_made.borrow().get(&whole).copied());
            if let Some(is_made_so) = known {
                is_made[vertex.index()] = Some(is_made_so || self.has(graph, vertex));
            }
            if is_made[vertex.index()].is_none() {
                let made_of = graph.made_of(vertex);
                let is_known = |one: &Vertex| is_made[one.index()];
                if self.has(graph, vertex) || made_of.iter().any(|one| is_known(one) == Some(true)) {
                    is_made[vertex.index()] = Some(true);
                } else {
                    let unknown = made_of.into_iter().find(|one| is_known(one).is_none());
                    if let Some(unknown) = unknown {
                        open.push(unknown);
                        continue;
                    }
                    is_made[vertex.index()] = Some(false);
                }
                if let Some(whole) = whole.filter(|_| !self.has(graph, vertex)) {
                    let is_made = is_made[vertex.index()] == Some(true);
                    self.is_whole_made.borrow_mut().insert(whole, is_made);
                }
            }
            open.pop();
        }
        is_made[bit.vertex().index()] == Some(true)
    }

    /// What bits are there.
    pub fn of(&self, graph: &mut Graph, bits: &[Edge]) -> Vec<Edge> {
        let mut found: Vec<Option<Edge>> = Vec::with_capacity(bits.len());
        for &bit in bits {
            let by = self.by.get(&bit.vertex()).map(|by| by.complemented_if(bit.is_complemented()));
            found.push(by.or_else(|| (!self.is_of(graph, bit)).then_some(bit)));
        }
        let rest: Vec<Edge> =
            bits.iter().zip(&found).filter(|(_, found)| found.is_none()).map(|(bit, _)| *bit).collect();
        self.make_numbers(graph, &rest);
        let mut rest = graph.substituted(&rest, &self.by, &mut self.made.borrow_mut()).into_iter();
        bits.iter().zip(found).map(|(&bit, found)| found.or_else(|| rest.next()).unwrap_or(bit)).collect()
    }

    /// What a bit is there.
    pub fn bit(&self, graph: &mut Graph, bit: Edge) -> Edge {
        self.of(graph, &[bit])[0]
    }

    /// The same of a byte.
    pub fn byte(&self, graph: &mut Graph, byte: Byte) -> Byte {
        if self.is_empty() {
            return byte;
        }
        let bits = self.of(graph, &byte.bits);
        Byte { bits: std::array::from_fn(|bit| bits[bit]), ..byte }
    }
}
