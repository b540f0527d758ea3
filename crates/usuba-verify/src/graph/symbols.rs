//! Look-ups in tables as symbols: what a table has at an index is so many new inputs, the same for the same index. So is what a
//! function makes of its argument of which nothing is known ([`super::functions`]).
//!
//! What holds for all values of these inputs holds for those that the table has. Two indices are the same if each bit is a sum of
//! the same terms; others whose values are the same at random points may be, which [`super::hashes`] finds out later.
//! Products that are put off ([`super::products`]) are inputs too, of which a value is known at each point.

use super::functions::{Role, some_function};
use super::{Edge, Gate, Graph, Vertex, VertexMap, value_of};
use crate::graph::sums::same_sum;
use foldhash::fast::FixedState;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use usuba_ir::random::Random;

/// Random points are 64 times so many.
pub(super) const WORDS: usize = 3;

/// Random points.
pub(super) const POINTS: usize = 64 * WORDS;

/// At points of the last word an input is set but for one in so many: numbers that begin with ones are where counters carry.
const SELDOM_CLEAR: u32 = 16;

/// The values of a vertex at all points.
pub(crate) type Values = [u64; WORDS];

/// What is looked up in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Of {
    /// The table of a number.
    Table(usize),
    /// A function of which nothing is known.
    Function(Role),
}

/// What has bits that are all made of the same: a look-up or a product, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Whole {
    LookUp(usize),
    Product(usize),
}

/// A look-up that became symbols.
#[derive(Clone, Debug)]
pub(super) struct LookUp {
    of: Of,
    pub(super) index: Vec<Edge>,
    pub(super) found: Vec<Edge>,
    /// Earlier ones of the same whose index has the same values.
    pub(super) alike: Vec<usize>,
}

/// The symbols of a graph.
#[derive(Clone, Debug)]
pub(super) struct Symbols {
    random: Random,
    /// By vertex.
    values: Vec<Values>,
    /// Of inputs whose values are not random.
    pub(super) given: VertexMap<Values>,
    look_ups: Vec<LookUp>,
    /// Blocks that were multiplied without carries.
    multiplied: BTreeSet<Vec<Edge>>,
    /// The look-up and the bit of it that an input is.
    places: VertexMap<(usize, usize)>,
    /// The numbers of look-ups by what they are of and the values of their index.
    by_values: HashMap<(Of, Vec<Values>), Vec<usize>, FixedState>,
}

impl Symbols {
    fn new() -> Symbols {
        Symbols {
            random: Random::new(29),
            values: Vec::new(),
            given: VertexMap::default(),
            look_ups: Vec::new(),
            multiplied: BTreeSet::new(),
            places: VertexMap::default(),
            by_values: HashMap::default(),
        }
    }

    /// The values of an edge, where those of all vertices are there.
    pub(super) fn of(&self, edge: Edge) -> Values {
        let flip = if edge.is_complemented() { u64::MAX } else { 0 };
        self.values[edge.vertex().index()].map(|word| word ^ flip)
    }

    /// Computes the values of vertices that are new.
    fn extend(&mut self, graph: &Graph) {
        self.extend_below(graph, graph.len());
    }

    /// The same of those that come before one.
    pub(super) fn extend_to(&mut self, graph: &Graph, vertex: Vertex) {
        self.extend_below(graph, vertex.index());
    }

    fn extend_below(&mut self, graph: &Graph, end: usize) {
        for number in self.values.len()..end {
            let vertex = Vertex::numbered(number);
            let values = match (graph.gate(vertex), self.given.get(&vertex)) {
                (_, Some(&given)) => given,
                (Gate::Input(_), None) => std::array::from_fn(|word| {
                    let bits = self.random.bits();
                    if word + 1 < WORDS {
                        return bits;
                    }
                    let seldom = (0..64).filter(|_| self.random.once_in(SELDOM_CLEAR));
                    !seldom.fold(0, |all, bit| all | 1 << bit)
                }),
                (gate, None) => {
                    std::array::from_fn(|word| gate.of(|_| 0, |one| self.values[one.index()][word]))
                }
            };
            self.values.push(values);
        }
    }
}

impl Graph {
    /// A graph in which look-ups in tables of 256 words are symbols.
    pub fn with_symbols() -> Graph {
        Graph { symbols: Some(Box::new(Symbols::new())), ..Graph::new() }
    }

    /// A graph for code of which only is looked at where it goes: functions of which nothing is known are zeros.
    pub fn for_control_flow() -> Graph {
        Graph { is_for_control_flow: true, ..Graph::with_symbols() }
    }

    /// Remembers a block that is multiplied.
    pub(super) fn note_multiplied(&mut self, block: &[Edge]) {
        if let Some(symbols) = &mut self.symbols {
            symbols.multiplied.insert(block.to_vec());
        }
    }

    /// The blocks that were multiplied without carries since the last call.
    pub(crate) fn take_multiplied(&mut self) -> Vec<Vec<Edge>> {
        let blocks = self.symbols.as_mut().map(|symbols| std::mem::take(&mut symbols.multiplied));
        blocks.into_iter().flatten().collect()
    }

    /// The look-ups that became symbols.
    pub(super) fn look_ups(&self) -> &[LookUp] {
        self.symbols.as_ref().map_or(&[][..], |symbols| &symbols.look_ups)
    }

    /// What a table has at an index, if that is a symbol: `width` bits.
    pub(super) fn symbol(&mut self, table: usize, index: &[Edge], width: u32) -> Option<Vec<Edge>> {
        if index.len() != 8 || index.iter().all(|edge| edge.known().is_some()) {
            return None;
        }
        if let Some(number) = self.undone(self.symbols.as_ref()?, table, index) {
            return self.look_ups().get(number).map(|inner| inner.index.clone());
        }
        self.looked_up(Of::Table(table), index, width as usize)
    }

    /// What stands for the value of a function: `width` bits, the same for arguments that are the same. In a graph without symbols
    /// nothing is known of it.
    pub fn applied(&mut self, role: Role, argument: &[Edge], width: usize) -> Vec<Edge> {
        if self.is_for_control_flow {
            return vec![Edge::FALSE; width];
        }
        let found = self.looked_up(Of::Function(role), argument, width);
        found.unwrap_or_else(|| (0..width).map(|_| self.unknown()).collect())
    }

    /// The look-up that a vertex is a bit of, and which.
    pub(super) fn symbol_at(&self, vertex: Vertex) -> Option<(usize, usize)> {
        self.symbols.as_ref()?.places.get(&vertex).copied()
    }

    /// What stands for what is at another index than that of a look-up.
    pub(super) fn looked_up_again(&mut self, number: usize, index: &[Edge]) -> Option<Vec<Edge>> {
        let LookUp { of, index: known, found, .. } = &self.look_ups()[number];
        match known == index {
            true => Some(found.clone()),
            false => self.looked_up(*of, index, found.len()),
        }
    }

    /// What stands for what is at an index: `width` bits. Nothing if look-ups are no symbols.
    pub(super) fn looked_up(&mut self, of: Of, index: &[Edge], width: usize) -> Option<Vec<Edge>> {
        let mut symbols = self.symbols.take()?;
        symbols.extend(self);
        let values: Vec<Values> = index.iter().map(|&edge| symbols.of(edge)).collect();
        let alike = symbols.by_values.entry((of, values.clone())).or_default().clone();
        let is_it = |&&number: &&usize| {
            let other = &symbols.look_ups[number].index;
            index.iter().zip(other).all(|(&a, &b)| self.is_same_sum(a, b))
        };
        let found = match alike.iter().find(is_it) {
            Some(&number) => symbols.look_ups[number].found.clone(),
            None => {
                // All bits one after the other.
                let found = self.input_bits(width);
                for word in 0..WORDS {
                    let at: Vec<u64> = values.iter().map(|bits| bits[word]).collect();
                    for (edge, value) in found.iter().zip(self.entries_at(of, &at, width)) {
                        symbols.given.entry(edge.vertex()).or_default()[word] = value;
                    }
                }
                let number = symbols.look_ups.len();
                symbols
                    .places
                    .extend(found.iter().enumerate().map(|(bit, edge)| (edge.vertex(), (number, bit))));
                symbols.by_values.entry((of, values)).or_default().push(number);
                symbols.look_ups.push(LookUp { of, index: index.to_vec(), found: found.clone(), alike });
                found
            }
        };
        self.symbols = Some(symbols);
        Some(found)
    }

    /// What is at an index, for 64 of them at once: bit j of each number is that of index j.
    fn entries_at(&self, of: Of, index: &[u64], width: usize) -> Vec<u64> {
        let entries = match of {
            Of::Table(table) => self.tables.entries(table),
            Of::Function(role) => return some_function(role, index, width),
        };
        let mut found = vec![0; width];
        for lane in 0..64 {
            let place = index.iter().rev().fold(0, |place, bits| place << 1 | (bits >> lane & 1) as usize);
            for (bit, all) in found.iter_mut().enumerate() {
                *all |= (entries[place] >> bit & 1) << lane;
            }
        }
        found
    }

    /// The look-up that a table undoes at an index: code applies one S-box of AES and the other for what is between.
    fn undone(&self, symbols: &Symbols, table: usize, index: &[Edge]) -> Option<usize> {
        let places: Vec<(usize, usize)> =
            index.iter().map(|edge| symbols.places.get(&edge.vertex()).copied()).collect::<Option<_>>()?;
        let number = places[0].0;
        if places.iter().any(|place| place.0 != number) {
            return None;
        }
        let Of::Table(inner) = symbols.look_ups[number].of else { return None };
        let [inner, outer] = [inner, table].map(|table| self.tables.entries(table));
        let place = |entry: u64| {
            let bits = index.iter().zip(&places).rev();
            bits.fold(0, |all, (edge, &(_, bit))| {
                all << 1 | ((entry >> bit & 1) as usize ^ usize::from(edge.is_complemented()))
            })
        };
        (0..).zip(inner).all(|(x, &entry)| outer[place(entry)] == x).then_some(number)
    }

    /// Edges by their values at random points, each value once. A guess: nothing may rest on it.
    pub(crate) fn by_values(&mut self, edges: &BTreeSet<Edge>) -> BTreeMap<Values, Edge> {
        let Some(mut symbols) = self.symbols.take() else { return BTreeMap::new() };
        symbols.extend(self);
        let by_values = edges.iter().map(|&edge| (symbols.of(edge), edge)).collect();
        self.symbols = Some(symbols);
        by_values
    }

    /// The values of edges at random points; none where look-ups are no symbols.
    pub(crate) fn values(&mut self, edges: &[Edge]) -> Vec<Values> {
        let Some(mut symbols) = self.symbols.take() else { return Vec::new() };
        symbols.extend(self);
        let values = edges.iter().map(|&edge| symbols.of(edge)).collect();
        self.symbols = Some(symbols);
        values
    }

    /// Whether all pairs have the same values at random points.
    pub(crate) fn may_be_same(&mut self, pairs: &[(Edge, Edge)]) -> bool {
        let (ones, others): (Vec<Edge>, Vec<Edge>) = pairs.iter().copied().unzip();
        self.values(&ones) == self.values(&others)
    }

    /// Whether two bits are sums of the same terms. `false` says nothing.
    pub(crate) fn is_same_sum(&self, a: Edge, b: Edge) -> bool {
        a == b || a.is_complemented() == b.is_complemented() && same_sum(self, a.vertex(), b.vertex())
    }

    /// The vertices that one is made of: of a symbol its index, of a product that is put off what it is of.
    pub(crate) fn made_of(&self, vertex: Vertex) -> Vec<Vertex> {
        let mut all: Vec<Vertex> = self.operands(vertex).into_iter().flatten().collect();
        if all.is_empty() {
            let symbol = self.symbol_at(vertex);
            let index = symbol.map_or(&[][..], |(number, _)| &self.look_ups()[number].index);
            all.extend(index.iter().chain(self.index_of(vertex)).map(|one| one.vertex()));
            if let Some((number, _)) = self.products.place(vertex) {
                all.extend(self.products.operands(number).iter().map(|bit| bit.vertex()));
            }
        }
        all
    }

    /// What a vertex is one bit of, of which all bits are made of the same.
    pub(crate) fn whole_of(&self, vertex: Vertex) -> Option<Whole> {
        let look_up = self.symbol_at(vertex).map(|(number, _)| Whole::LookUp(number));
        look_up.or_else(|| self.products.place(vertex).map(|(number, _)| Whole::Product(number)))
    }

    /// Which vertices depend on some of these, where a symbol depends on its index, and a product that is put off on what it is of.
    pub(crate) fn depend_on(&self, given: impl Iterator<Item = Vertex>) -> Vec<bool> {
        let mut depend = vec![false; self.len()];
        given.for_each(|vertex| depend[vertex.index()] = true);
        // The last one of which some bit was looked at.
        let mut last: Option<(Whole, bool)> = None;
        for vertex in self.vertices() {
            let whole = self.whole_of(vertex);
            let known = last.filter(|(number, _)| Some(*number) == whole);
            let does = match known {
                Some((_, does)) => does,
                None => self.made_of(vertex).into_iter().any(|one| depend[one.index()]),
            };
            last = whole.map(|number| (number, does));
            depend[vertex.index()] |= does;
        }
        depend
    }

    /// [`Graph::rest_on_unknown`], where a symbol rests on its index, and a product that is put off on what it is of.
    pub(crate) fn symbols_rest_on_unknown(&self, edges: impl IntoIterator<Item = Edge>) -> bool {
        let mut open: Vec<Vertex> = edges.into_iter().map(Edge::vertex).collect();
        let mut seen = BTreeSet::new();
        while let Some(vertex) = open.pop() {
            if self.unknown.contains(&vertex) {
                return true;
            }
            if !seen.insert(vertex) {
                continue;
            }
            open.extend(self.operands(vertex).into_iter().flatten());
            let symbol = self.symbols.as_ref().and_then(|symbols| symbols.places.get(&vertex));
            open.extend(
                symbol.iter().flat_map(|(number, _)| &self.look_ups()[*number].index).map(|one| one.vertex()),
            );
            if let Some((number, _)) = self.products.place(vertex) {
                open.extend(self.products.operands(number).iter().map(|bit| bit.vertex()));
            }
        }
        false
    }

    /// The values of all vertices for 64 assignments of the inputs, where symbols are what their tables have, and products what they
    /// are of: bit j of each number is that of assignment j.
    pub fn evaluate_symbols(&self, input: impl Fn(u32) -> u64) -> Vec<u64> {
        let look_ups = self.look_ups();
        let place = |vertex: &Vertex| self.symbols.as_ref().and_then(|symbols| symbols.places.get(vertex));
        let mut values: Vec<u64> = Vec::with_capacity(self.len());
        // Of a symbol or a product all bits come one after the other.
        let (mut product, mut found): (Vec<[u64; 1]>, Vec<u64>) = (Vec::new(), Vec::new());
        for vertex in self.vertices() {
            let value = if let Some(&(number, bit)) = place(&vertex) {
                if bit == 0 {
                    let LookUp { of, index, found: bits, .. } = &look_ups[number];
                    let index: Vec<u64> = index.iter().map(|&edge| value_of(&values, edge)).collect();
                    found = self.entries_at(*of, &index, bits.len());
                }
                found[bit]
            } else if let Some((number, bit)) = self.products.place(vertex) {
                if bit == 0 {
                    product = self.products.values(number, |edge| [value_of(&values, edge)]);
                }
                product[bit][0]
            } else {
                self.gate(vertex).of(&input, |one| values[one.index()])
            };
            values.push(value);
        }
        values
    }
}
