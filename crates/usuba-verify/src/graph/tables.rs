//! Tables that are looked up, and look-ups that are kept: a symbol for each bit, in place of gates.
//!
//! An S-box is a thousand gates, and code that has instructions for it is hardly anything else. Where look-ups are kept, each is
//! the symbols of its table at its index, made once: the same table at the same bits is the same symbols, and nothing else is known
//! of them. So what is equal with symbols is equal with what the table has, and the opposite does not follow: before something is
//! refuted, or proved by other means, gates are put in their place ([`Graph::expanded`]).
//!
//! S-boxes that are the inversion of GF(2^8) and an affine map, before or after it, as those of AES and ARIA are, are kept as that:
//! what texts look up, code computes by instructions for the parts, and by one S-box in place of another.
//!
//! Symbols are inputs of the graph to all that does not ask.

use super::words::{look_up_word, tree};
use super::{Edge, Gate, Graph, Vertex};
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::sync::Arc;
use usuba_ir::bytes::inverse;

/// A table of words of so many bits.
#[derive(Clone, Debug)]
struct Table {
    entries: Arc<[u64]>,
    width: u32,
    /// Whether a look-up may be kept: each bit is more than a sum of bits of the index, which gates show to all that looks at them.
    may_be_kept: bool,
    /// What it is as the inversion and an affine map, if it is that and not the inversion itself.
    parts: Option<Parts>,
}

/// An inversion and an affine map.
#[derive(Clone, Copy, Debug)]
struct Parts {
    affine: Affine,
    /// Whether the inversion comes first.
    is_inverted_first: bool,
}

/// An affine map of bytes: the image of zero, and what each bit adds to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Affine {
    constant: u8,
    columns: [u8; INDEX],
}

impl Affine {
    /// A function, if it is one.
    fn of(map: impl Fn(u8) -> u8) -> Option<Affine> {
        let constant = map(0);
        let affine = Affine { constant, columns: std::array::from_fn(|bit| map(1 << bit) ^ constant) };
        (0..=255).all(|x| map(x) == affine.at(x)).then_some(affine)
    }

    fn at(self, x: u8) -> u8 {
        let set = self.columns.iter().enumerate().filter(|(bit, _)| x >> bit & 1 == 1);
        set.fold(self.constant, |sum, (_, column)| sum ^ column)
    }

    fn apply(self, graph: &mut Graph, bits: &[Edge]) -> Vec<Edge> {
        let image = |to: usize| {
            let terms = bits.iter().zip(self.columns).filter(|(_, column)| column >> to & 1 == 1);
            let constant = Edge::constant(self.constant >> to & 1 == 1);
            terms.fold(constant, |sum, (&bit, _)| graph.xor(sum, bit))
        };
        (0..INDEX).map(image).collect()
    }
}

impl Parts {
    /// Of a table of bytes.
    fn of(entries: &[u64]) -> Option<Parts> {
        let at = |x: u8| entries[usize::from(x)] as u8;
        if (0..=255).all(|x| at(x) == inverse(x)) {
            return None;
        }
        let after = Affine::of(|x| at(inverse(x)));
        let before = || Affine::of(|x| inverse(at(x)));
        let parts = |is_inverted_first| move |affine| Parts { affine, is_inverted_first };
        after.map(parts(true)).or_else(|| before().map(parts(false)))
    }
}

/// A look-up that is kept.
#[derive(Clone, Debug)]
struct LookUp {
    table: usize,
    index: Vec<Edge>,
}

/// The look-ups of a graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    all: Vec<Table>,
    /// What tables were looked up at which bits: the number of the table, and these.
    known: HashMap<(usize, Vec<Edge>), Vec<Edge>, FixedState>,
    /// Whether look-ups are kept.
    keeps: bool,
    kept: Vec<LookUp>,
    /// The look-up and the bit of it that a symbol is.
    symbols: HashMap<Vertex, (usize, usize), FixedState>,
}

/// Bits of the index of tables whose look-ups may be kept: others are few gates.
const INDEX: usize = 8;

/// Sums may have so many terms, each, and all together.
const TERMS: usize = 512;
const ALL_TERMS: usize = 1 << 23;

impl Table {
    fn new(entries: &[u64], width: u32) -> Table {
        let is_more = |bit: u32| {
            let at = |place: usize| entries[place] >> bit & 1;
            let sum = |place: usize| {
                let set = (0..INDEX).filter(|&one| place >> one & 1 == 1);
                set.fold(at(0), |sum, one| sum ^ at(0) ^ at(1 << one))
            };
            (0..1 << INDEX).any(|place| at(place) != sum(place))
        };
        let may_be_kept = entries.len() == 1 << INDEX && (0..width).all(is_more);
        let parts = if may_be_kept && width as usize == INDEX { Parts::of(entries) } else { None };
        Table { entries: entries.into(), width, may_be_kept, parts }
    }
}

impl Tables {
    /// What a table has.
    pub(super) fn entries(&self, table: usize) -> &[u64] {
        &self.all[table].entries
    }
}

impl Graph {
    /// From now on look-ups are kept.
    pub(crate) fn keep_look_ups(&mut self) {
        self.tables.keeps = true;
    }

    /// Whether some are.
    pub(crate) fn has_kept(&self) -> bool {
        !self.tables.kept.is_empty()
    }

    /// The index of the look-up that a symbol is of; nothing of other vertices.
    pub(crate) fn index_of(&self, vertex: Vertex) -> &[Edge] {
        self.tables.symbols.get(&vertex).map_or(&[], |&(number, _)| &self.tables.kept[number].index)
    }

    /// The bit of the same look-up at another index, if a vertex is a symbol.
    pub(super) fn looked_up_at(&mut self, vertex: Vertex, index: &[Edge]) -> Option<Edge> {
        let &(number, bit) = self.tables.symbols.get(&vertex)?;
        let Table { entries, width, .. } = self.tables.all[self.tables.kept[number].table].clone();
        Some(look_up_word(self, index, &entries, width)[bit])
    }

    /// The number of a table of words of so many bits.
    fn table(&mut self, entries: &[u64], width: u32) -> usize {
        let is_it = |known: &Table| known.width == width && known.entries[..] == *entries;
        self.tables.all.iter().position(is_it).unwrap_or_else(|| {
            self.tables.all.push(Table::new(entries, width));
            self.tables.all.len() - 1
        })
    }

    /// The entry of a table at an index: `width` bits from the least significant.
    pub(super) fn look_up(&mut self, index: &[Edge], entries: &[u64], width: u32) -> Vec<Edge> {
        // Code looks the same bits up in each lane.
        let table = self.table(entries, width);
        let key = (table, index.to_vec());
        if let Some(known) = self.tables.known.get(&key) {
            return known.clone();
        }
        if let Some(symbol) = self.symbol(table, index, width) {
            self.tables.known.insert(key, symbol.clone());
            return symbol;
        }
        let is_kept = self.tables.keeps
            && self.tables.all[table].may_be_kept
            && index.len() == INDEX
            && index.iter().all(|bit| bit.known().is_none());
        let found = match self.composed(index, entries).filter(|_| is_kept) {
            Some((index, entries)) => self.look_up(&index, &entries, width),
            None if is_kept => match self.tables.all[table].parts {
                Some(parts) => self.look_up_parts(index, parts),
                None => self.keep(table, index, width),
            },
            None => tree(self, index, entries, width),
        };
        self.tables.known.insert(key, found.clone());
        found
    }

    /// If an index is what another look-up has found, in any order of its bits: the index of that, and what both make of it
    /// together. Code undoes one S-box by another.
    fn composed(&self, index: &[Edge], entries: &[u64]) -> Option<(Vec<Edge>, Vec<u64>)> {
        let symbol = |edge: &Edge| self.tables.symbols.get(&edge.vertex()).copied();
        let (first, _) = symbol(index.first()?)?;
        if index.iter().any(|edge| symbol(edge).is_none_or(|(number, _)| number != first)) {
            return None;
        }
        let LookUp { table, index: inner } = &self.tables.kept[first];
        let place = |entry: u64| {
            let bits = index.iter().map(|edge| {
                let bit = symbol(edge).map_or(0, |(_, bit)| entry >> bit & 1);
                bit ^ u64::from(edge.is_complemented())
            });
            bits.rev().fold(0, |place, bit| place << 1 | bit) as usize
        };
        let both = self.tables.all[*table].entries.iter().map(|&entry| entries.get(place(entry)).copied());
        Some((inner.clone(), both.collect::<Option<_>>()?))
    }

    fn look_up_parts(&mut self, index: &[Edge], Parts { affine, is_inverted_first }: Parts) -> Vec<Edge> {
        let inversion: Vec<u64> = (0..=255).map(|x| inverse(x).into()).collect();
        if is_inverted_first {
            let inverted = self.look_up(index, &inversion, INDEX as u32);
            return affine.apply(self, &inverted);
        }
        let index = affine.apply(self, index);
        self.look_up(&index, &inversion, INDEX as u32)
    }

    fn keep(&mut self, table: usize, index: &[Edge], width: u32) -> Vec<Edge> {
        let number = self.tables.kept.len();
        self.tables.kept.push(LookUp { table, index: index.to_vec() });
        let symbols = self.input_bits(width as usize);
        let named = symbols.iter().enumerate().map(|(bit, edge)| (edge.vertex(), (number, bit)));
        self.tables.symbols.extend(named);
        symbols
    }

    /// A graph of the same functions with gates in place of symbols.
    pub(crate) fn expanded(&self, pairs: &[(Edge, Edge)]) -> Option<(Graph, Vec<(Edge, Edge)>)> {
        let mut to = Graph::new();
        let made = self.copied(&mut to, pairs, |to, p, q| Some(to.xor(p, q)))?;
        Some((to, made))
    }

    /// Whether pairs become the same edges where all sums of the same terms are one vertex; nothing where sums are too long.
    pub(crate) fn same_by_terms(&self, pairs: &[(Edge, Edge)]) -> Option<Vec<bool>> {
        let mut to = Graph::new();
        to.keep_look_ups();
        let mut sums: HashMap<Vertex, Vec<Vertex>, FixedState> = HashMap::default();
        let mut all = 0;
        let made = self.copied(&mut to, pairs, |to, p, q| {
            let terms = |edge: Edge| match sums.get(&edge.vertex()) {
                Some(terms) => terms.clone(),
                None if edge.known().is_some() => Vec::new(),
                None => vec![edge.vertex()],
            };
            let terms = added_up(&terms(p), &terms(q));
            all += terms.len();
            if terms.len() > TERMS || all > ALL_TERMS {
                return None;
            }
            // Always in the same order, so that it is the same vertex.
            let sum = terms.iter().fold(Edge::FALSE, |sum, term| to.xor(sum, term.edge()));
            if terms.len() > 1 {
                sums.insert(sum.vertex(), terms);
            }
            Some(sum.complemented_if(p.is_complemented() != q.is_complemented()))
        })?;
        Some(made.into_iter().map(|(a, b)| a == b).collect())
    }

    /// The same functions in another graph, where `sum` makes sums; nothing where it makes none. Inputs are new ones in the order of
    /// the graph.
    fn copied(
        &self,
        to: &mut Graph,
        pairs: &[(Edge, Edge)],
        mut sum: impl FnMut(&mut Graph, Edge, Edge) -> Option<Edge>,
    ) -> Option<Vec<(Edge, Edge)>> {
        let mut made: Vec<Edge> = vec![Edge::FALSE; self.len()];
        let of =
            |made: &[Edge], edge: Edge| made[edge.vertex().index()].complemented_if(edge.is_complemented());
        for vertex in self.cone(pairs.iter().flat_map(|&(a, b)| [a, b])) {
            made[vertex.index()] = match self.gate(vertex) {
                Gate::False => Edge::FALSE,
                Gate::And(a, b) => to.and(of(&made, a), of(&made, b)),
                Gate::Xor(a, b) => sum(to, made[a.index()], made[b.index()])?,
                Gate::Input(_) => match self.tables.symbols.get(&vertex) {
                    Some(&(number, bit)) => {
                        let LookUp { table, index } = &self.tables.kept[number];
                        let Table { entries, width, .. } = &self.tables.all[*table];
                        let index: Vec<Edge> = index.iter().map(|&edge| of(&made, edge)).collect();
                        to.look_up(&index, entries, *width)[bit]
                    }
                    None if self.unknown.contains(&vertex) => to.unknown(),
                    None => to.input(),
                },
            };
        }
        Some(pairs.iter().map(|&(a, b)| (of(&made, a), of(&made, b))).collect())
    }
}

/// The terms that are in one of two sums, in ascending order.
fn added_up(a: &[Vertex], b: &[Vertex]) -> Vec<Vertex> {
    let mut sum = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) {
        if x == y {
            (i, j) = (i + 1, j + 1);
        } else if x < y {
            sum.push(x);
            i += 1;
        } else {
            sum.push(y);
            j += 1;
        }
    }
    sum.extend_from_slice(&a[i..]);
    sum.extend_from_slice(&b[j..]);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::{Answer, Limits, prove};

    fn table(of: impl Fn(u8) -> u8) -> Vec<u64> {
        (0..=255).map(|x| of(x).into()).collect()
    }

    /// A graph that keeps look-ups, and so many bits.
    fn kept(bits: usize) -> (Graph, Vec<Edge>) {
        let mut graph = Graph::new();
        graph.keep_look_ups();
        let bits = graph.input_bits(bits);
        (graph, bits)
    }

    fn pairs(a: &[Edge], b: &[Edge]) -> Vec<(Edge, Edge)> {
        a.iter().copied().zip(b.iter().copied()).collect()
    }

    fn is_proved(graph: &Graph, pairs: &[(Edge, Edge)]) -> bool {
        let (graph, pairs) = graph.expanded(pairs).expect("gates");
        assert!(!graph.has_kept());
        prove(&graph, &pairs, Limits::default()).0 == Answer::Proved
    }

    /// With gates in place of symbols it is what it would have been with gates from the beginning.
    #[test]
    fn what_is_expanded_is_the_table() {
        let entries = table(inverse);
        let of = |graph: &mut Graph, bits: &[Edge]| {
            let sums: Vec<Edge> = bits[..8].iter().zip(&bits[8..]).map(|(&a, &b)| graph.xor(a, b)).collect();
            let first = graph.look_up(&sums, &entries, 8);
            let second: Vec<Edge> = first.iter().zip(bits).map(|(&a, &b)| !graph.and(a, b)).collect();
            graph.look_up(&second, &entries, 8)
        };
        let (mut graph, bits) = kept(16);
        let found = of(&mut graph, &bits);
        assert!(graph.has_kept() && graph.len() < 60, "{}", graph.len());
        let (expanded, found) = graph.expanded(&pairs(&found, &found)).expect("gates");
        let mut gates = Graph::new();
        let bits = gates.input_bits(16);
        let wanted = of(&mut gates, &bits);
        let columns: Vec<u64> = (0..16).map(|bit| 0x9e37_79b9_7f4a_7c15u64.rotate_left(bit * 5)).collect();
        let [a, b] = [&expanded, &gates].map(|graph| graph.evaluate(|number| columns[number as usize]));
        for ((found, _), wanted) in found.into_iter().zip(wanted) {
            assert_eq!(super::super::value_of(&a, found), super::super::value_of(&b, wanted));
        }
    }

    /// Sums in another order before and behind look-ups are the same; another table, another term and bits in another order are not.
    #[test]
    fn sums_of_the_same_terms_are_the_same() {
        let (entries, other) = (table(inverse), table(|x| inverse(x).rotate_left(1)));
        let (mut graph, bits) = kept(24);
        let three = |graph: &mut Graph, order: [usize; 3]| -> Vec<Edge> {
            let sum = |place: usize| {
                order.iter().fold(Edge::FALSE, |sum, part| graph.xor(sum, bits[8 * part + place]))
            };
            (0..8).map(sum).collect()
        };
        let [one, two] = [[0, 1, 2], [2, 0, 1]].map(|order| three(&mut graph, order));
        assert_ne!(one, two);
        let both = |graph: &mut Graph, index: &[Edge], entries: &[u64], key: &[Edge]| -> Vec<Edge> {
            let found = graph.look_up(index, entries, 8);
            let sums: Vec<Edge> = found.iter().zip(key).map(|(&a, &b)| graph.xor(a, !b)).collect();
            graph.look_up(&sums, entries, 8)
        };
        let wanted = both(&mut graph, &one, &entries, &bits);
        let right = both(&mut graph, &two, &entries, &bits);
        let pairs_of = |found: &[Edge]| pairs(&wanted, found);
        assert_eq!(graph.same_by_terms(&pairs_of(&right)), Some(vec![true; 8]));
        assert!(is_proved(&graph, &pairs_of(&right)));
        let mut moved = two.clone();
        moved.swap(0, 1);
        let short = three(&mut graph, [0, 2, 2]);
        for (index, entries, key) in [
            (&two, &other, &bits[..]),
            (&short, &entries, &bits[..]),
            (&moved, &entries, &bits[..]),
            (&two, &entries, &bits[8..]),
        ] {
            let wrong = both(&mut graph, index, entries, key);
            assert_eq!(graph.same_by_terms(&pairs_of(&wrong)), Some(vec![false; 8]));
            assert!(!is_proved(&graph, &pairs_of(&wrong)));
        }
    }

    /// A table that undoes another one leaves its index, and nothing where bits of two look-ups meet or one is missing.
    #[test]
    fn tables_are_composed() {
        let map = |x: u8| inverse(x) ^ x.rotate_left(3) & 0x5a;
        let (entries, swapped) = (table(map), table(|x| inverse(x ^ 1).reverse_bits()));
        let (mut graph, bits) = kept(16);
        let [inner, other] = [&bits[..8], &bits[8..]].map(|index| graph.look_up(index, &entries, 8));
        let index: Vec<Edge> = inner.iter().rev().map(|&bit| !bit).collect();
        let found = graph.look_up(&index, &swapped, 8);
        let direct = table(|x| inverse(!map(x).reverse_bits() ^ 1).reverse_bits());
        assert_eq!(found, graph.look_up(&bits[..8], &direct, 8));
        let identity = graph.look_up(&bits[..8], &table(inverse), 8);
        assert_eq!(graph.look_up(&identity, &table(inverse), 8), bits[..8]);
        let mut mixed = inner.clone();
        mixed[3] = other[3];
        let found = graph.look_up(&mixed, &swapped, 8);
        assert!(found.iter().all(|bit| graph.index_of(bit.vertex()) == &mixed[..]));
    }

    /// An S-box that is the inversion and an affine map, before or after it, is kept as the inversion; one that only looks like it is
    /// not.
    #[test]
    fn parts_of_tables_are_found() {
        let affine = |x: u8| x.rotate_left(1) ^ x.rotate_left(4) ^ x ^ 0x63;
        let changed = |x: u8| affine(inverse(x)) ^ u8::from(x == 77);
        for (after, before) in [(affine as fn(u8) -> u8, (|x| x) as fn(u8) -> u8), (|x| x, affine)] {
            let (mut graph, bits) = kept(8);
            let found = graph.look_up(&bits, &table(|x| after(inverse(before(x)))), 8);
            let first = graph.look_up(&bits, &table(before), 8);
            let inverted = graph.look_up(&first, &table(inverse), 8);
            let wanted = graph.look_up(&inverted, &table(after), 8);
            assert_eq!(graph.same_by_terms(&pairs(&found, &wanted)), Some(vec![true; 8]));
            assert!(is_proved(&graph, &pairs(&found, &wanted)));
            let other = graph.look_up(&bits, &table(changed), 8);
            assert_eq!(graph.same_by_terms(&pairs(&other, &wanted)), Some(vec![false; 8]));
            assert!(!is_proved(&graph, &pairs(&other, &wanted)));
        }
        // One undoes the other, with sums between them.
        let (mut graph, bits) = kept(8);
        let forward = table(|x| affine(inverse(x)));
        let mut backward = vec![0; 256];
        forward.iter().zip(0..).for_each(|(&to, from)| backward[to as usize] = from);
        let there = graph.look_up(&bits, &forward, 8);
        let back = graph.look_up(&there, &backward, 8);
        assert_eq!(graph.same_by_terms(&pairs(&back, &bits)), Some(vec![true; 8]));
    }

    /// Tables of sums are gates, and so is what is looked up where some bits are known.
    #[test]
    fn few_gates_are_not_kept() {
        let (mut graph, mut bits) = kept(8);
        let found = graph.look_up(&bits, &table(|x| x.rotate_left(3) ^ 0x11), 8);
        assert_eq!(found[3], bits[0]);
        assert_eq!(found[0], !bits[5]);
        bits[7] = Edge::TRUE;
        graph.look_up(&bits, &table(inverse), 8);
        assert!(!graph.has_kept());
    }
}
