//! Graphs of conjunctions and sums modulo 2 of bits.
//!
//! A [`Vertex`] is a constant, an input, a conjunction of two edges or the sum of two vertices; an [`Edge`] is a vertex or
//! its complement. Complements never stand inside of a sum: they move to its edge. Equal vertices are made once, and what
//! constants and equal operands decide is decided when a vertex is made. Operands have smaller numbers than what is made of
//! them, so the order of numbers is an order of evaluation.
//!
//! Sums have two operands; that sums of many terms are equal whatever their order is for [`crate::prove`] to see.

pub mod blocks;
pub mod functions;
pub(crate) mod hashes;
pub mod points;
pub mod products;
pub mod sums;
pub(crate) mod symbols;
mod tables;
mod turns;
pub mod words;

use foldhash::fast::FixedState;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Not;

/// Number of a vertex in its graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Vertex(u32);

impl Vertex {
    /// The vertex that is false.
    pub const FALSE: Vertex = Vertex(0);

    /// Its place in the order of the graph.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The vertex with a number.
    pub(crate) fn numbered(index: usize) -> Vertex {
        Vertex(index as u32)
    }

    /// The edge that is this vertex.
    pub fn edge(self) -> Edge {
        Edge(self.0 << 1)
    }
}

/// A vertex or its complement: the value of one bit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge(u32);

impl Edge {
    /// The bit that is never set.
    pub const FALSE: Edge = Edge(0);
    /// The bit that is always set.
    pub const TRUE: Edge = Edge(1);

    /// A constant.
    pub fn constant(bit: bool) -> Edge {
        Edge(u32::from(bit))
    }

    /// What it is or is the complement of.
    pub fn vertex(self) -> Vertex {
        Vertex(self.0 >> 1)
    }

    /// Whether it is the complement of its vertex.
    pub fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    /// This edge, complemented if `flip`.
    #[must_use]
    pub fn complemented_if(self, flip: bool) -> Edge {
        Edge(self.0 ^ u32::from(flip))
    }

    /// Its value, if it is a constant.
    pub fn known(self) -> Option<bool> {
        (self.vertex() == Vertex::FALSE).then_some(self.is_complemented())
    }
}

impl Not for Edge {
    type Output = Edge;
    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}

/// What a vertex is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gate {
    /// False; vertex 0 alone.
    False,
    /// The input with this number.
    Input(u32),
    /// A conjunction.
    And(Edge, Edge),
    /// A sum modulo 2.
    Xor(Vertex, Vertex),
}

/// A graph; see the head of the module.
#[derive(Clone, Debug)]
pub struct Graph {
    gates: Vec<Gate>,
    known: HashMap<Gate, Vertex, FixedState>,
    tables: tables::Tables,
    inputs: u32,
    unknown: BTreeSet<Vertex>,
    /// What became of look-ups, where they are symbols.
    symbols: Option<Box<symbols::Symbols>>,
    products: products::Products,
    /// Of sums of a word and a number, where look-ups are symbols: the word and the number.
    added: HashMap<Vec<Edge>, (Vec<Edge>, u128), FixedState>,
    /// Products of words that were made: code is run several times, and computes mostly the same.
    multiplied: words::Multiplied,
    /// Rounds of AES that were made.
    rounds: blocks::Rounds,
    /// What stands for other terms of sums, at each of the loops that follow one another.
    beside: HashMap<(usize, Vec<Edge>), Vec<Edge>, FixedState>,
    /// What stands for sums of multiples of the turns of a loop that are left and done.
    of_turns: BTreeMap<(i64, i64), Vec<Edge>>,
    /// Bits of numbers that are made of these.
    of_numbers: HashMap<Vertex, turns::NumberBit, FixedState>,
    /// Whether functions of which nothing is known are zeros: only where code goes is looked at.
    is_for_control_flow: bool,
}

/// Something of each of some vertices.
pub(crate) type VertexMap<T> = HashMap<Vertex, T, FixedState>;

/// What was made of vertices and of look-ups in whose place others stand.
#[derive(Debug, Default)]
pub(crate) struct Substituted {
    pub made: VertexMap<Edge>,
    look_ups: HashMap<usize, Vec<Edge>, FixedState>,
}

impl Default for Graph {
    fn default() -> Graph {
        Graph::new()
    }
}

impl Graph {
    /// A graph with no inputs.
    pub fn new() -> Graph {
        Graph {
            gates: vec![Gate::False],
            known: HashMap::default(),
            tables: tables::Tables::default(),
            inputs: 0,
            unknown: BTreeSet::new(),
            symbols: None,
            products: products::Products::default(),
            added: HashMap::default(),
            multiplied: words::Multiplied::default(),
            rounds: blocks::Rounds::default(),
            beside: HashMap::default(),
            of_turns: BTreeMap::new(),
            of_numbers: HashMap::default(),
            is_for_control_flow: false,
        }
    }

    /// How many vertices it has.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Whether it has no vertex but the constant.
    pub fn is_empty(&self) -> bool {
        self.gates.len() == 1
    }

    /// How many inputs it has.
    pub fn inputs(&self) -> u32 {
        self.inputs
    }

    /// What a vertex is.
    pub fn gate(&self, vertex: Vertex) -> Gate {
        self.gates[vertex.index()]
    }

    /// All vertices in order.
    pub fn vertices(&self) -> impl DoubleEndedIterator<Item = Vertex> + use<> {
        (0..self.gates.len() as u32).map(Vertex)
    }

    /// A new input.
    pub fn input(&mut self) -> Edge {
        self.inputs += 1;
        self.make(Gate::Input(self.inputs - 1)).edge()
    }

    /// An input for a bit that is something, of which nothing is known.
    pub fn unknown(&mut self) -> Edge {
        let edge = self.input();
        self.unknown.insert(edge.vertex());
        edge
    }

    /// Whether some of these are made of bits of which nothing is known: a value for which they are not what they should be may be
    /// none that such a bit can have.
    pub fn rest_on_unknown(&self, edges: impl IntoIterator<Item = Edge>) -> bool {
        !self.unknown.is_empty() && self.cone(edges).iter().any(|vertex| self.unknown.contains(vertex))
    }

    /// So many new inputs.
    pub fn input_bits(&mut self, count: usize) -> Vec<Edge> {
        (0..count).map(|_| self.input()).collect()
    }

    fn make(&mut self, gate: Gate) -> Vertex {
        let next = Vertex(self.gates.len() as u32);
        let vertex = *self.known.entry(gate).or_insert(next);
        if vertex == next {
            self.gates.push(gate);
        }
        vertex
    }

    /// The conjunction of two bits.
    pub fn and(&mut self, a: Edge, b: Edge) -> Edge {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        match (a.known(), a == b, a == !b) {
            (Some(false), ..) | (_, _, true) => return Edge::FALSE,
            (Some(true), ..) => return b,
            (_, true, _) => return a,
            _ => {}
        }
        // What one operand decides about the other, where that is a conjunction: a & (a & b), a & (!a & b), a & !(!a & b).
        for (one, other) in [(a, b), (b, a)] {
            let Gate::And(p, q) = self.gate(other.vertex()) else { continue };
            match other.is_complemented() {
                false if p == one || q == one => return other,
                false if p == !one || q == !one => return Edge::FALSE,
                true if p == !one || q == !one => return one,
                true if p == one => return self.and(one, !q),
                true if q == one => return self.and(one, !p),
                _ => {}
            }
        }
        self.make(Gate::And(a, b)).edge()
    }

    /// The disjunction of two bits.
    pub fn or(&mut self, a: Edge, b: Edge) -> Edge {
        !self.and(!a, !b)
    }

    /// The sum modulo 2 of two bits.
    pub fn xor(&mut self, a: Edge, b: Edge) -> Edge {
        let flip = a.is_complemented() != b.is_complemented();
        let (a, b) = (a.vertex().min(b.vertex()), a.vertex().max(b.vertex()));
        let sum = if a == b {
            Edge::FALSE
        } else if a == Vertex::FALSE {
            b.edge()
        } else {
            match (self.gate(a), self.gate(b)) {
                (_, Gate::Xor(p, q)) if p == a => q.edge(),
                (_, Gate::Xor(p, q)) if q == a => p.edge(),
                (Gate::Xor(p, q), _) if p == b => q.edge(),
                (Gate::Xor(p, q), _) if q == b => p.edge(),
                _ => self.make(Gate::Xor(a, b)).edge(),
            }
        };
        sum.complemented_if(flip)
    }

    /// `yes` where `choice` is set, else `no`.
    pub fn select(&mut self, choice: Edge, yes: Edge, no: Edge) -> Edge {
        let difference = self.xor(yes, no);
        let changed = self.and(choice, difference);
        self.xor(changed, no)
    }

    /// The vertices that `roots` are made of, themselves included, in order. A symbol of a look-up is made of its index.
    pub fn cone(&self, roots: impl IntoIterator<Item = Edge>) -> Vec<Vertex> {
        let mut wanted = vec![false; self.gates.len()];
        roots.into_iter().for_each(|root| wanted[root.vertex().index()] = true);
        for vertex in self.vertices().rev() {
            if wanted[vertex.index()] {
                self.operands(vertex).into_iter().flatten().for_each(|one| wanted[one.index()] = true);
                self.stands_for(vertex).iter().for_each(|one| wanted[one.vertex().index()] = true);
            }
        }
        self.vertices().filter(|vertex| wanted[vertex.index()]).collect()
    }

    /// The same where it is a small part of the graph: what takes time is its own size. Products in the field that are open are made of
    /// their blocks, the others are inputs.
    pub(crate) fn near_cone(
        &self,
        roots: impl IntoIterator<Item = Edge>,
        is_open: impl Fn(usize) -> bool,
    ) -> Vec<Vertex> {
        let mut open: Vec<Vertex> = roots.into_iter().map(Edge::vertex).collect();
        let mut found: HashSet<Vertex, FixedState> = HashSet::default();
        let mut products: HashSet<usize, FixedState> = HashSet::default();
        while let Some(vertex) = open.pop() {
            if !found.insert(vertex) {
                continue;
            }
            open.extend(self.operands(vertex).into_iter().flatten());
            match self.products.place(vertex) {
                Some((number, _)) if self.products.is_in_field(number) && !is_open(number) => {}
                Some((number, _)) if !products.insert(number) => {}
                Some((number, _)) => {
                    open.extend(self.products.operands(number).iter().map(|bit| bit.vertex()))
                }
                None => open.extend(self.index_of(vertex).iter().map(|bit| bit.vertex())),
            }
        }
        let mut all: Vec<Vertex> = found.into_iter().collect();
        all.sort_unstable();
        all
    }

    /// The same functions, of other edges in place of some vertices; nothing if they are made of an input that neither has another in
    /// its place nor `stays`.
    pub(crate) fn replaced(
        &mut self,
        roots: &[Edge],
        by: &VertexMap<Edge>,
        stays: impl Fn(Vertex) -> bool,
    ) -> Option<Vec<Edge>> {
        self.replaced_in(roots, by, stays, None)
    }

    /// The same functions, of other edges in place of some vertices, in what products that were put off and symbols are of too.
    /// What was made before is in `made`.
    pub(crate) fn substituted(
        &mut self,
        roots: &[Edge],
        by: &VertexMap<Edge>,
        made: &mut Substituted,
    ) -> Vec<Edge> {
        self.replaced_in(roots, by, |_| true, Some(made)).unwrap_or_default()
    }

    fn replaced_in(
        &mut self,
        roots: &[Edge],
        by: &VertexMap<Edge>,
        stays: impl Fn(Vertex) -> bool,
        before: Option<&mut Substituted>,
    ) -> Option<Vec<Edge>> {
        let in_symbols = before.is_some();
        let mut none = Substituted::default();
        let Substituted { made, look_ups } = before.unwrap_or(&mut none);
        let mut open: Vec<Vertex> = roots.iter().map(|root| root.vertex()).collect();
        while let Some(&vertex) = open.last() {
            let known = match self.gate(vertex) {
                _ if made.contains_key(&vertex) => None,
                _ if by.contains_key(&vertex) => by.get(&vertex).copied(),
                Gate::Input(_) if self.stands_for(vertex).is_empty() && !stays(vertex) => return None,
                gate => {
                    let before = open.len();
                    let operands = self.operands(vertex).into_iter().flatten();
                    let operands = operands.chain(self.index_of(vertex).iter().map(|bit| bit.vertex()));
                    let product = self.products.place(vertex);
                    let product = product.filter(|&(one, _)| in_symbols || !self.products.is_in_field(one));
                    let of_product = product.iter().flat_map(|&(number, _)| self.products.operands(number));
                    let operands = operands.chain(of_product.map(|bit| bit.vertex()));
                    let symbol = self.symbol_at(vertex).filter(|_| in_symbols);
                    // All bits of a look-up are found at once.
                    if let Some((number, bit)) = symbol
                        && let Some(all) = look_ups.get(&number)
                    {
                        made.insert(vertex, all[bit]);
                        open.pop();
                        continue;
                    }
                    let of_symbol = symbol.iter().flat_map(|(number, _)| &self.look_ups()[*number].index);
                    let operands = operands.chain(of_symbol.map(|bit| bit.vertex()));
                    open.extend(operands.filter(|operand| !made.contains_key(operand)));
                    if open.len() > before {
                        continue;
                    }
                    let of = |edge: Edge| made[&edge.vertex()].complemented_if(edge.is_complemented());
                    Some(match gate {
                        Gate::And(a, b) => self.and(of(a), of(b)),
                        Gate::Xor(a, b) => self.xor(of(a.edge()), of(b.edge())),
                        Gate::False => vertex.edge(),
                        Gate::Input(_) => match (product, symbol) {
                            (None, Some((number, bit))) => {
                                let index = self.look_ups()[number].index.iter().map(|&bit| of(bit));
                                let index: Vec<Edge> = index.collect();
                                let all = self.looked_up_again(number, &index);
                                let found = all.as_ref().map_or(vertex.edge(), |all| all[bit]);
                                look_ups.extend(all.map(|all| (number, all)));
                                found
                            }
                            (Some((number, bit)), _) => {
                                let operands = self.products.operands(number).iter();
                                let operands: Vec<Edge> = operands.map(|&bit| of(bit)).collect();
                                let all = self.multiplied_again(number, &operands);
                                for (bit, &there) in self.products.bits(number).iter().zip(&all) {
                                    let there = by.get(&bit.vertex()).copied().unwrap_or(there);
                                    made.entry(bit.vertex()).or_insert(there);
                                }
                                all[bit]
                            }
                            (None, None) => {
                                let index: Vec<Edge> =
                                    self.index_of(vertex).iter().map(|&bit| of(bit)).collect();
                                self.looked_up_at(vertex, &index).unwrap_or(vertex.edge())
                            }
                        },
                    })
                }
            };
            if let Some(edge) = known {
                made.insert(vertex, edge);
            }
            open.pop();
        }
        Some(roots.iter().map(|root| made[&root.vertex()].complemented_if(root.is_complemented())).collect())
    }

    /// The bits that an input stands for a function of: the words of a product without carries, or the index of a look-up that is
    /// kept ([`Graph::index_of`]).
    pub(crate) fn stands_for(&self, vertex: Vertex) -> &[Edge] {
        match self.products.place(vertex) {
            Some((number, _)) if !self.products.is_in_field(number) => self.products.operands(number),
            _ => self.index_of(vertex),
        }
    }

    /// The vertices that a vertex is made of; none for symbols of look-ups.
    pub fn operands(&self, vertex: Vertex) -> [Option<Vertex>; 2] {
        match self.gate(vertex) {
            Gate::False | Gate::Input(_) => [None, None],
            Gate::And(a, b) => [Some(a.vertex()), Some(b.vertex())],
            Gate::Xor(a, b) => [Some(a), Some(b)],
        }
    }

    /// The values of all vertices for 64 assignments of the inputs, bit j of each number being that of assignment j.
    pub fn evaluate(&self, input: impl Fn(u32) -> u64) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            values.push(gate.of(&input, |vertex| values[vertex.index()]));
        }
        values
    }
}

impl Gate {
    /// Its value, given those of its operands, 64 at once.
    pub(crate) fn of(self, input: impl Fn(u32) -> u64, value: impl Fn(Vertex) -> u64) -> u64 {
        let at = |edge: Edge| value(edge.vertex()) ^ if edge.is_complemented() { u64::MAX } else { 0 };
        match self {
            Gate::False => 0,
            Gate::Input(number) => input(number),
            Gate::And(a, b) => at(a) & at(b),
            Gate::Xor(a, b) => value(a) ^ value(b),
        }
    }
}

/// The value of an edge among those of all vertices.
pub fn value_of(values: &[u64], edge: Edge) -> u64 {
    values[edge.vertex().index()] ^ if edge.is_complemented() { u64::MAX } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to make a vertex of vertices of two levels has the values of its formula.
    #[test]
    fn rewriting_keeps_values() {
        let mut graph = Graph::new();
        let mut edges: Vec<(Edge, u64)> = vec![(Edge::FALSE, 0), (Edge::TRUE, u64::MAX)];
        let columns = [0xaaaa_aaaa_aaaa_aaaa, 0xcccc_cccc_cccc_cccc, 0xf0f0_f0f0_f0f0_f0f0u64];
        for column in columns {
            let input = graph.input();
            edges.extend([(input, column), (!input, !column)]);
        }
        for _ in 0..2 {
            let mut more = Vec::new();
            for (number, &(a, va)) in edges.iter().enumerate() {
                for &(b, vb) in &edges[..=number] {
                    more.extend([(graph.and(a, b), va & vb), (graph.xor(a, b), va ^ vb)]);
                    more.push((graph.or(a, b), va | vb));
                }
            }
            more.sort_by_key(|&(edge, _)| edge);
            more.dedup();
            edges = more;
        }
        let values = graph.evaluate(|input| columns[input as usize]);
        assert!(edges.len() > 500, "{}", edges.len());
        for (edge, expected) in edges {
            assert_eq!(value_of(&values, edge), expected, "{edge:?}");
        }
    }

    #[test]
    fn equal_vertices_are_made_once() {
        let mut graph = Graph::new();
        let [a, b] = [graph.input(), graph.input()];
        assert_eq!(graph.and(a, b), graph.and(b, a));
        assert_eq!(graph.xor(a, !b), !graph.xor(b, a));
        let sum = graph.xor(a, b);
        assert_eq!(graph.xor(sum, a), b);
        assert_eq!(graph.select(a, b, b), b);
        assert_eq!(graph.len(), 5);
    }
}
