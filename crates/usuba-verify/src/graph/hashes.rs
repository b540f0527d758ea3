//! What code computes of GHASH is found and named, so that long messages stay of low degree.
//!
//! Code multiplies by powers of the hash key that it has prepared, in a form of its own, and by several of them at once. Each power is
//! proved to be that power, in the order in which they are made, and then taken for it; and what code has after some blocks for the
//! product that the text has there. Where to look is guessed from values at random points. What is put in the place of something
//! else is proved before ([`same_polynomials`]).

use super::products::{BITS, Powers, multiply};
use super::symbols::{POINTS, Values};
use super::{Edge, Graph, Vertex, VertexMap};
use crate::graph::points::same_polynomials;
use foldhash::fast::FixedState;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// The highest power of a key that is looked for.
const HIGHEST: u32 = 512;

/// Powers 1, 2, 4 and so on of which a form is looked for.
const SQUARES: usize = 5;

/// Whether all pairs are proved to be the same.
pub(crate) type Prove = dyn Fn(&mut Graph, &[(Edge, Edge)]) -> bool;

/// What is known of the hash keys and products of a graph.
pub(crate) struct Hashes<'a> {
    graph: &'a mut Graph,
    seed: u64,
    /// Vertices of the text; those of code come behind them.
    text: usize,
    /// Proves that all pairs are the same, where they are no sums of the same terms.
    prove: &'a Prove,
    powers: Powers,
    /// What is the same as something else.
    by: VertexMap<Edge>,
    /// Products that the code has too.
    anchors: BTreeSet<usize>,
    /// Products that what is made of code is made of: what it is said to have is what the text has.
    shared: BTreeSet<usize>,
    /// How many bits were compared as polynomials.
    pub(crate) compared: usize,
}

impl<'a> Hashes<'a> {
    pub(crate) fn new(graph: &'a mut Graph, (seed, text): (u64, usize), prove: &'a Prove) -> Hashes<'a> {
        Hashes {
            graph,
            seed,
            text,
            prove,
            powers: Powers::new(),
            by: VertexMap::default(),
            anchors: BTreeSet::new(),
            shared: BTreeSet::new(),
            compared: 0,
        }
    }

    /// The bits with what is known put in: what code has prepared, as blocks of so many bits, what it has after some blocks, and
    /// look-ups that are others.
    pub(crate) fn settled(&mut self, roots: &[Edge], prepared: &[Vec<Edge>]) -> Vec<Edge> {
        // Only what is needed: a message of a few blocks needs few powers.
        let indices = self.graph.look_ups().iter().flat_map(|one| &one.index);
        let cone: HashSet<Vertex, FixedState> =
            self.graph.cone(roots.iter().chain(indices).copied()).into_iter().collect();
        let is_used = |block: &&Vec<Edge>| block.iter().any(|bit| cone.contains(&bit.vertex()));
        let prepared: Vec<Vec<Edge>> = prepared.iter().filter(is_used).cloned().collect();
        let products: Vec<usize> = self.graph.products.in_field().collect();
        for key in self.graph.products.keys() {
            self.name_powers(&key, &prepared);
        }
        self.shared = self.products_shared();
        let mut steps: Vec<(Vertex, Step)> = self.products_found(&products);
        let doubtful = self.graph.look_ups().iter().enumerate().filter(|(_, one)| !one.alike.is_empty());
        steps.extend(
            doubtful.filter_map(|(number, one)| Some((one.found.first()?.vertex(), Step::LookUp(number)))),
        );
        steps.sort_by_key(|(vertex, _)| *vertex);
        for (_, step) in steps {
            match step {
                Step::LookUp(number) => self.name_look_up(number),
                Step::Product(number, bits) => self.name_product(number, &bits),
                Step::Factor(number, bits) => self.name_factor(number, &bits),
            }
        }
        self.graph.replaced(roots, &self.by, |_| true).unwrap_or_else(|| roots.to_vec())
    }

    /// Which pairs are the same polynomials: of products that code has too, and of blocks alone.
    pub(crate) fn same(&mut self, pairs: &[(Edge, Edge)]) -> Vec<bool> {
        let mut same = vec![false; pairs.len()];
        let all = self.anchors.union(&self.shared).copied().collect();
        let mut tried = BTreeSet::new();
        for stay in [all, self.anchors.clone(), BTreeSet::new()] {
            if !tried.insert(stay.clone()) {
                continue;
            }
            let left: Vec<usize> = (0..pairs.len()).filter(|&place| !same[place]).collect();
            let pairs: Vec<(Edge, Edge)> = left.iter().map(|&place| pairs[place]).collect();
            let found = same_polynomials(self.graph, &pairs, &stay, self.seed);
            left.into_iter().zip(found).for_each(|(place, found)| same[place] = found);
            if same.iter().all(|&same| same) {
                break;
            }
        }
        self.compared += same.iter().filter(|same| **same).count();
        same
    }

    /// Proves that blocks are powers of a key in forms that are linear maps of them, and takes them for these powers.
    fn name_powers(&mut self, key: &[Edge], prepared: &[Vec<Edge>]) {
        let mut left = prepared.to_vec();
        let mut found: Vec<(Vec<Edge>, Arc<[u128]>, u32)> = Vec::new();
        while let Some(InForm { rows, blocks }) = self.form(key, &left) {
            let named = blocks.iter().map(|&(place, exponent)| (left[place].clone(), rows.clone(), exponent));
            found.extend(named);
            let is_named = |place: usize| blocks.iter().any(|&(known, _)| known == place);
            let rest = left.iter().enumerate().filter(|&(place, _)| !is_named(place));
            left = rest.map(|(_, block)| block.clone()).collect();
        }
        // What one is made of comes before it, whatever its form.
        found.sort_by_key(|(block, ..)| block.iter().map(|edge| edge.vertex()).max());
        for (block, form, exponent) in found {
            let power = self.graph.power(key, exponent, &mut self.powers);
            let image = |graph: &mut Graph, row: u128| {
                let terms = (0..BITS).filter(|&bit| row >> bit & 1 == 1);
                terms.fold(Edge::FALSE, |sum, bit| graph.xor(sum, power[bit]))
            };
            let wanted: Vec<Edge> = form.iter().map(|&row| image(self.graph, row)).collect();
            self.are(&block, &wanted);
        }
    }

    /// Takes a look-up for an earlier one, if their indices are the same.
    fn name_look_up(&mut self, number: usize) {
        let one = self.graph.look_ups()[number].clone();
        let Some(index) = self.graph.replaced(&one.index, &self.by, |_| true) else { return };
        for other in one.alike {
            let other = self.graph.look_ups()[other].clone();
            let Some(known) = self.graph.replaced(&other.index, &self.by, |_| true) else { continue };
            let pairs = index.iter().copied().zip(known);
            let other_sums: Vec<(Edge, Edge)> =
                pairs.filter(|&(a, b)| !self.graph.is_same_sum(a, b)).collect();
            if other_sums.is_empty() || (self.prove)(self.graph, &other_sums) {
                let Some(found) = self.graph.replaced(&other.found, &self.by, |_| true) else { continue };
                self.by.extend(one.found.iter().zip(found).map(|(bit, other)| (bit.vertex(), other)));
                return;
            }
        }
    }

    /// The form in which most of these blocks are powers of a key, and which powers they are.
    fn form(&mut self, key: &[Edge], prepared: &[Vec<Edge>]) -> Option<InForm> {
        let columns = self.graph.values(key);
        let mut squared = vec![columns.clone()];
        for square in 1..SQUARES {
            let power = self.graph.power(key, 1 << square, &mut self.powers);
            squared.push(self.graph.values(&power));
        }
        let squared: Vec<Vec<u128>> = squared.iter().map(|bits| at_points(bits)).collect();
        let solved: Vec<Option<Vec<Values>>> = squared.iter().map(|columns| solved(columns)).collect();
        let values: Vec<Vec<u128>> =
            prepared.iter().map(|block| at_points(&self.graph.values(block))).collect();
        // By their values at two points.
        let places: BTreeMap<[u128; 2], usize> =
            values.iter().enumerate().rev().map(|(place, block)| ([block[0], block[1]], place)).collect();
        let mut best: Option<InForm> = None;
        for (block, solved) in
            values.iter().flat_map(|block| solved.iter().flatten().map(move |one| (block, one)))
        {
            // The block may be the first power, or another one that is linear. A form has all of a power in it.
            let Some(form) = linear_map(solved, block).filter(|form| is_invertible(form)) else { continue };
            let keys = [squared[0][0], squared[0][1]];
            let mut powers = keys;
            let mut found = Vec::new();
            for exponent in 1..=HIGHEST {
                let image = powers.map(|power| {
                    form.iter()
                        .enumerate()
                        .fold(0, |all, (bit, row)| all | u128::from((row & power).count_ones() & 1) << bit)
                });
                found.extend(places.get(&image).map(|&place| (place, exponent)));
                powers = [multiply(powers[0], keys[0]), multiply(powers[1], keys[1])];
            }
            if best.as_ref().is_none_or(|best| best.blocks.len() < found.len()) {
                best = Some(InForm { rows: form.into(), blocks: found });
            }
        }
        best
    }

    /// Products that were put off, which what code makes is made of, down to the nearest ones.
    fn products_shared(&self) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut seen: HashSet<Vertex, FixedState> = HashSet::default();
        let mut open: Vec<Vertex> = self.graph.vertices().skip(self.text).collect();
        while let Some(vertex) = open.pop() {
            match self.graph.products.place(vertex) {
                Some((number, _)) if self.graph.products.is_in_field(number) => {
                    found.insert(number);
                }
                _ => {
                    let words = self.graph.stands_for(vertex).iter().map(|bit| bit.vertex());
                    let operands = self.graph.operands(vertex).into_iter().flatten().chain(words);
                    open.extend(operands.filter(|one| one.index() < self.text && seen.insert(*one)));
                }
            }
        }
        found
    }

    /// Vertices that may be bits of some products that were put off, or what goes into these, with the last of them.
    fn products_found(&mut self, products: &[usize]) -> Vec<(Vertex, Step)> {
        let mut wanted: BTreeMap<Values, (usize, bool, usize, bool)> = BTreeMap::new();
        for &number in products {
            for is_factor in [true, false] {
                let bits = match is_factor {
                    true => self.graph.products.words(number).0.to_vec(),
                    false => self.graph.products.bits(number).to_vec(),
                };
                for (bit, values) in self.graph.values(&bits).into_iter().enumerate() {
                    let (values, flip) = normal(values);
                    wanted.insert(values, (number, is_factor, bit, flip));
                }
            }
        }
        if wanted.is_empty() {
            return Vec::new();
        }
        let mut found: BTreeMap<(usize, bool), BTreeMap<usize, Edge>> = BTreeMap::new();
        // The text has sums that are rarely another number than what they are of: a hash and what it counts from there.
        for vertex in self.graph.vertices().skip(self.text) {
            let (values, flip) = normal(self.graph.values(&[vertex.edge()])[0]);
            if let Some(&(number, is_factor, bit, other)) = wanted.get(&values) {
                let edge = vertex.edge().complemented_if(flip != other);
                found.entry((number, is_factor)).or_default().entry(bit).or_insert(edge);
            }
        }
        let whole = found.into_iter().filter(|(_, bits)| bits.len() == BITS);
        whole
            .filter_map(|((number, is_factor), bits)| {
                let bits: Vec<Edge> = bits.into_values().collect();
                let last = bits.iter().map(|edge| edge.vertex()).max()?;
                Some((last, if is_factor { Step::Factor(number, bits) } else { Step::Product(number, bits) }))
            })
            .collect()
    }

    /// Takes bits for a product, if they are it.
    fn name_product(&mut self, number: usize, bits: &[Edge]) {
        let own = self.graph.products.bits(number).to_vec();
        if self.are(bits, &own) {
            self.anchors.insert(number);
        }
    }

    /// Takes bits for what goes into a product, if they are it: the product before with a block added.
    fn name_factor(&mut self, number: usize, bits: &[Edge]) {
        let factor = self.graph.products.words(number).0.to_vec();
        if let Some(before) = self.graph.before(number).filter(|before| !self.anchors.contains(before))
            && self.are(bits, &factor)
        {
            self.anchors.insert(before);
        }
    }

    /// Whether bits are proved to be others; if so they are taken for these.
    fn are(&mut self, bits: &[Edge], others: &[Edge]) -> bool {
        let Some(now) = self.graph.replaced(bits, &self.by, |_| true) else { return false };
        let pairs: Vec<(Edge, Edge)> = now.into_iter().zip(others.iter().copied()).collect();
        let are = self.same(&pairs).into_iter().all(|same| same);
        if are {
            for (bit, other) in bits.iter().zip(others).filter(|(bit, other)| bit.vertex() != other.vertex())
            {
                self.by.insert(bit.vertex(), other.complemented_if(bit.is_complemented()));
            }
        }
        are
    }
}

/// Blocks that are powers of a key in one form.
struct InForm {
    /// For each bit of a block the bits of a power that it is the sum of.
    rows: Arc<[u128]>,
    /// The places of blocks, and the exponents.
    blocks: Vec<(usize, u32)>,
}

/// What may be found out, in the order in which it is computed.
enum Step {
    /// A look-up may be an earlier one.
    LookUp(usize),
    /// These bits may be a product.
    Product(usize, Vec<Edge>),
    /// These bits may be what goes into a product.
    Factor(usize, Vec<Edge>),
}

/// Values up to complement, and whether they are complemented.
fn normal(values: Values) -> (Values, bool) {
    if values[0] & 1 == 1 { (values.map(|word| !word), true) } else { (values, false) }
}

/// Whether rows of so many bits are linearly independent.
fn is_invertible(rows: &[u128]) -> bool {
    let mut rows = rows.to_vec();
    (0..BITS).all(|bit| {
        let Some(place) = (bit..rows.len()).find(|&place| rows[place] >> bit & 1 == 1) else { return false };
        rows.swap(bit, place);
        let pivot = rows[bit];
        rows[bit + 1..].iter_mut().filter(|row| **row >> bit & 1 == 1).for_each(|row| *row ^= pivot);
        true
    })
}

/// A block at each point, of the values of its bits.
fn at_points(bits: &[Values]) -> Vec<u128> {
    let bit = |bit: &Values, point: usize| u128::from(bit[point / 64] >> (point % 64) & 1);
    let at = |point| bits.iter().rev().fold(0, |all, one| all << 1 | bit(one, point));
    (0..POINTS).map(at).collect()
}

/// Of which points a block has to be added up for each of its bits to be left alone, and for nothing to be left; nothing if the points
/// do not tell its bits apart.
fn solved(block: &[u128]) -> Option<Vec<Values>> {
    let only = |point: usize| -> Values {
        std::array::from_fn(|word| if word == point / 64 { 1 << (point % 64) } else { 0 })
    };
    let mut rows: Vec<(u128, Values)> =
        block.iter().enumerate().map(|(point, &block)| (block, only(point))).collect();
    for bit in 0..BITS {
        let place = (bit..rows.len()).find(|&place| rows[place].0 >> bit & 1 == 1)?;
        rows.swap(bit, place);
        let (left, points) = rows[bit];
        for (place, row) in rows.iter_mut().enumerate() {
            if place != bit && row.0 >> bit & 1 == 1 {
                *row = (row.0 ^ left, std::array::from_fn(|word| row.1[word] ^ points[word]));
            }
        }
    }
    Some(rows.into_iter().map(|(_, points)| points).collect())
}

/// For each bit of an image the bits of a block that it is the sum of, if values at all points fit; nothing if not. The block is
/// [`solved`].
fn linear_map(block: &[Values], image: &[u128]) -> Option<Vec<u128>> {
    let sum = |points: &Values| {
        let is_in = |point: &usize| points[point / 64] >> (point % 64) & 1 == 1;
        (0..POINTS).filter(is_in).fold(0, |sum, point| sum ^ image[point])
    };
    let (bits, none) = block.split_at(BITS);
    if none.iter().any(|points| sum(points) != 0) {
        return None;
    }
    let columns: Vec<u128> = bits.iter().map(sum).collect();
    let row = |to: usize| columns.iter().rev().fold(0, |all, column| all << 1 | (column >> to & 1));
    Some((0..BITS).map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::super::products::carryless;
    use super::*;

    /// Whether a sum of six blocks by powers of a key, which code has prepared in a form of its own, is proved to be what the text has;
    /// `exponents` are the powers that code takes, and a bit of one may be flipped.
    fn is_proved(exponents: [usize; 6], flipped: Option<usize>) -> bool {
        let mut graph = Graph::with_symbols();
        let key = graph.input_bits(BITS);
        let blocks: Vec<Vec<Edge>> = (0..6).map(|_| graph.input_bits(BITS)).collect();
        let mut wanted = vec![Edge::FALSE; BITS];
        for block in &blocks {
            let sum = wanted.iter().zip(block).map(|(&a, &b)| graph.xor(a, b)).collect();
            wanted = graph.put_off(sum, key.clone());
        }
        let text = graph.len();
        // In the form bits stand the other way around, and the first one is added to the last.
        let product = |graph: &mut Graph, a: &[Edge], b: &[Edge]| {
            let all = carryless(graph, a, b);
            graph.reduced(all)
        };
        let mut powers = vec![key.clone()];
        for number in 1..6 {
            let next = product(&mut graph, &powers[number - 1], &key);
            powers.push(next);
        }
        if let Some(number) = flipped {
            powers[number][77] = !powers[number][77];
        }
        let form = |graph: &mut Graph, power: &Vec<Edge>| -> Vec<Edge> {
            let mut bits: Vec<Edge> = power.iter().rev().copied().collect();
            bits[0] = graph.xor(bits[0], bits[BITS - 1]);
            bits
        };
        let prepared: Vec<Vec<Edge>> = powers.iter().map(|power| form(&mut graph, power)).collect();
        let mut found = vec![Edge::FALSE; BITS];
        for (block, exponent) in blocks.iter().zip(exponents) {
            let term = product(&mut graph, block, &powers[exponent - 1]);
            found = found.iter().zip(term).map(|(&a, b)| graph.xor(a, b)).collect();
        }
        let roots: Vec<Edge> = wanted.iter().zip(&found).flat_map(|(&a, &b)| [a, b]).collect();
        let mut hashes = Hashes::new(&mut graph, (1, text), &|_, _| false);
        let settled = hashes.settled(&roots, &prepared);
        let pairs: Vec<(Edge, Edge)> = settled.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        hashes.same(&pairs).into_iter().all(|same| same)
    }

    #[test]
    fn sums_by_the_right_powers_are_proved_and_no_others() {
        assert!(is_proved([6, 5, 4, 3, 2, 1], None));
        assert!(!is_proved([6, 5, 3, 3, 2, 1], None));
        assert!(!is_proved([5, 6, 4, 3, 2, 1], None));
        assert!(!is_proved([6, 5, 4, 3, 2, 1], Some(3)));
    }
}
