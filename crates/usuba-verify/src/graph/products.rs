//! Products put off: new inputs stand for one, until it is known of what it is a sum.
//!
//! A product of two words without carries is the sum of thousands of conjunctions. Where look-ups are symbols
//! ([`super::symbols`]) its bits are inputs, made of the two words and known at each point; two products are compared as the
//! polynomials that they are ([`super::points`]).
//!
//! A product in GF(2^128), as GCM writes it, is put off too. What GHASH makes of blocks is a product of a sum of a product, and
//! so on. Multiplied out it is the sum of each block by a power of the key: this is how code computes it that has several blocks
//! at once, and of few degrees, since squares are linear. (NIST SP 800-38D, sections 6.3 and 6.4.)
//!
//! The bits of a block are in the order of the standard: bit i is the coefficient of x^i.

use super::words::{carryless_of_gates, known};
use super::{Edge, Gate, Graph, Vertex, VertexMap};
use foldhash::fast::FixedState;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Bits of a block.
pub const BITS: usize = 128;

/// Powers of blocks that were made.
pub(super) type Powers = BTreeMap<(Vec<Edge>, u32), Vec<Edge>>;

/// x^128 in the field: 1 + x + x^2 + x^7.
const REDUCED: [usize; 4] = [0, 1, 2, 7];

/// What a product is modulo.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Modulo {
    /// Nothing: it has as many bits as both words, of which the last is zero.
    Nothing,
    /// The polynomial of GCM: the second block is the one of which powers are to be made.
    Field,
}

/// A product that is put off.
#[derive(Clone, Debug)]
struct Product {
    modulo: Modulo,
    /// The bits of both words, and how many of them are the first one's.
    operands: Vec<Edge>,
    first: usize,
    /// What stands for it.
    bits: Vec<Edge>,
}

/// The products of a graph that are put off.
#[derive(Clone, Debug, Default)]
pub(super) struct Products {
    all: Vec<Product>,
    by_bit: VertexMap<(usize, usize)>,
    known: HashMap<(Modulo, Vec<Edge>, usize), usize, FixedState>,
}

impl Products {
    /// The number of the product that a vertex is a bit of, and which.
    pub(super) fn place(&self, vertex: Vertex) -> Option<(usize, usize)> {
        self.by_bit.get(&vertex).copied()
    }

    /// The numbers of those in the field.
    pub(super) fn in_field(&self) -> impl Iterator<Item = usize> {
        (0..self.all.len()).filter(|&number| self.is_in_field(number))
    }

    /// Whether a product is one in the field.
    pub(super) fn is_in_field(&self, number: usize) -> bool {
        self.all[number].modulo == Modulo::Field
    }

    /// What stands for a product.
    pub(super) fn bits(&self, number: usize) -> &[Edge] {
        &self.all[number].bits
    }

    /// The bits that a product is of.
    pub(super) fn operands(&self, number: usize) -> &[Edge] {
        &self.all[number].operands
    }

    /// The two words or blocks that it is of.
    pub(super) fn words(&self, number: usize) -> (&[Edge], &[Edge]) {
        self.all[number].operands.split_at(self.all[number].first)
    }

    /// The blocks of which powers are wanted.
    pub(super) fn keys(&self) -> BTreeSet<Vec<Edge>> {
        self.in_field().map(|number| self.words(number).1.to_vec()).collect()
    }

    /// The bits of a product, 64 times as many at once as there are words.
    pub(super) fn values<const WORDS: usize>(
        &self,
        number: usize,
        value: impl Fn(Edge) -> [u64; WORDS],
    ) -> Vec<[u64; WORDS]> {
        let (a, b) = self.words(number);
        let [a, b] = [a, b].map(|bits| bits.iter().map(|&bit| value(bit)).collect::<Vec<_>>());
        let mut all = vec![[0; WORDS]; a.len() + b.len()];
        for (place, x) in a.iter().enumerate().filter(|(_, x)| **x != [0; WORDS]) {
            for (sum, y) in all[place..].iter_mut().zip(&b) {
                (0..WORDS).for_each(|word| sum[word] ^= x[word] & y[word]);
            }
        }
        if self.is_in_field(number) {
            reduce(&mut all, |sum, above| std::array::from_fn(|word| sum[word] ^ above[word]));
        }
        all
    }
}

/// Takes a product without carries of two blocks modulo the polynomial.
fn reduce<T: Copy>(all: &mut Vec<T>, mut add: impl FnMut(T, T) -> T) {
    for place in (BITS..all.len()).rev() {
        let above = all[place];
        for to in REDUCED {
            all[place - BITS + to] = add(all[place - BITS + to], above);
        }
    }
    all.truncate(BITS);
}

/// The product of two blocks, bit i of a number being the coefficient of x^i.
pub fn multiply(a: u128, b: u128) -> u128 {
    let (mut sum, mut power) = (0, b);
    for bit in 0..BITS {
        if a >> bit & 1 == 1 {
            sum ^= power;
        }
        power = power << 1 ^ if power >> (BITS - 1) == 1 { 0x87 } else { 0 };
    }
    sum
}

/// The carry-less product of two words: as many bits as both have, less one, and a zero. Where look-ups are symbols it is put off,
/// unless one of the words is known, or they are the same.
pub fn carryless(graph: &mut Graph, a: &[Edge], b: &[Edge]) -> Vec<Edge> {
    if graph.symbols.is_none() || a == b || known(a).is_some() || known(b).is_some() {
        return carryless_of_gates(graph, a, b);
    }
    // In one order, so that the products a b and b a are the same inputs.
    let [a, b] = if a <= b { [a, b] } else { [b, a] };
    graph.put_off_modulo(Modulo::Nothing, a, b)
}

impl Graph {
    /// What stands for the product of two blocks in the field; the second is the one of which powers are to be made.
    pub fn put_off(&mut self, factor: Vec<Edge>, key: Vec<Edge>) -> Vec<Edge> {
        self.put_off_modulo(Modulo::Field, &factor, &key)
    }

    /// What stands for the product of two words or blocks.
    pub(super) fn put_off_modulo(&mut self, modulo: Modulo, a: &[Edge], b: &[Edge]) -> Vec<Edge> {
        let key = (modulo, [a, b].concat(), a.len());
        if let Some(&number) = self.products.known.get(&key) {
            return self.products.all[number].bits.clone();
        }
        let bits = match modulo {
            Modulo::Field => self.input_bits(BITS),
            Modulo::Nothing => {
                let mut bits = self.input_bits(a.len() + b.len() - 1);
                bits.push(Edge::FALSE);
                bits
            }
        };
        let number = self.products.all.len();
        let inputs = bits.iter().enumerate().filter(|(_, bit)| bit.known().is_none());
        self.products.by_bit.extend(inputs.map(|(bit, edge)| (edge.vertex(), (number, bit))));
        let operands = key.1.clone();
        self.products.known.insert(key, number);
        self.products.all.push(Product { modulo, operands, first: a.len(), bits: bits.clone() });
        if let Some(mut symbols) = self.symbols.take() {
            // The operands come first.
            symbols.extend_to(self, bits[0].vertex());
            let values = self.products.values(number, |edge| symbols.of(edge));
            let inputs = bits.iter().zip(values).filter(|(bit, _)| bit.known().is_none());
            symbols.given.extend(inputs.map(|(bit, values)| (bit.vertex(), values)));
            self.symbols = Some(symbols);
        }
        bits
    }

    /// The product of other words in place of those of a product.
    pub(super) fn multiplied_again(&mut self, number: usize, operands: &[Edge]) -> Vec<Edge> {
        let Product { modulo, first, .. } = self.products.all[number];
        let (a, b) = operands.split_at(first);
        match modulo {
            Modulo::Field => self.put_off_modulo(modulo, a, b),
            Modulo::Nothing => carryless(self, a, b),
        }
    }

    /// The two words of the product without carries that a vertex is a bit of, and which bit.
    pub(crate) fn bit_of_words(&self, vertex: Vertex) -> Option<([Vec<Edge>; 2], usize)> {
        let (number, bit) = self.products.place(vertex)?;
        let (a, b) = self.products.words(number);
        (!self.products.is_in_field(number)).then(|| ([a.to_vec(), b.to_vec()], bit))
    }

    /// The product in the field that a block has been added to for this one, by the same key.
    pub(super) fn before(&self, number: usize) -> Option<usize> {
        let (factor, key) = self.products.words(number);
        let first = factor.first()?.vertex();
        let near = match self.gate(first) {
            Gate::Xor(a, b) => vec![first, a, b],
            _ => vec![first],
        };
        near.into_iter().find_map(|vertex| {
            let (number, bit) = self.products.place(vertex)?;
            let is_it = || self.products.is_in_field(number) && self.products.words(number).1 == key;
            (bit == 0 && is_it()).then_some(number)
        })
    }

    /// A power of a block: squares of squares, so that its degree is the number of ones of the exponent.
    pub(super) fn power(&mut self, key: &[Edge], exponent: u32, powers: &mut Powers) -> Vec<Edge> {
        if exponent == 1 {
            return key.to_vec();
        }
        if let Some(known) = powers.get(&(key.to_vec(), exponent)) {
            return known.clone();
        }
        let made = if exponent.is_multiple_of(2) {
            let root = self.power(key, exponent / 2, powers);
            self.square(&root)
        } else {
            let below = self.power(key, exponent - 1, powers);
            self.put_off(below, key.to_vec())
        };
        powers.insert((key.to_vec(), exponent), made.clone());
        made
    }

    /// The square of a block: the sums of some of its bits.
    fn square(&mut self, block: &[Edge]) -> Vec<Edge> {
        let all = carryless(self, block, block);
        self.reduced(all)
    }

    /// The product without carries of two blocks, modulo the polynomial.
    pub(super) fn reduced(&mut self, mut all: Vec<Edge>) -> Vec<Edge> {
        reduce(&mut all, |a, b| self.xor(a, b));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::value_of;

    /// NIST's test case 2 of GCM: H, and the product of the cipher text and H.
    #[test]
    fn numbers_are_multiplied_as_the_standard_does() {
        // The first bit of the standard is the coefficient of 1.
        let block = |text: u128| text.reverse_bits();
        let h = block(0x66e94bd4ef8a2c3b884cfa59ca342b2e);
        let x = block(0x0388dace60b6a392f328c2b971b2fe78);
        assert_eq!(multiply(x, h), block(0x5e2ec746917062882c85b0685353deb7));
    }

    /// A product is one of words that is reduced, whichever of them are put off, and squares are sums of bits.
    #[test]
    fn products_are_what_they_stand_for() {
        let mut graph = Graph::with_symbols();
        let [a, b] = [0; 2].map(|_| graph.input_bits(BITS));
        let product = graph.put_off(a.clone(), b.clone());
        let all = carryless(&mut graph, &a, &b);
        assert_eq!(all.last(), Some(&Edge::FALSE));
        let all = graph.reduced(all);
        let power = graph.power(&a, 5, &mut Powers::new());
        let square = graph.square(&a);
        let fourth = graph.square(&square);
        let fifth = graph.put_off(fourth, a.clone());
        assert_eq!(power, fifth);
        let mut random = usuba_ir::random::Random::new(7);
        let columns: Vec<u64> = (0..graph.inputs()).map(|_| random.bits()).collect();
        let values = graph.evaluate_symbols(|input| columns[input as usize]);
        for lane in 0..64 {
            let number = |bits: &[Edge]| {
                bits.iter()
                    .rev()
                    .fold(0u128, |all, &bit| all << 1 | u128::from(value_of(&values, bit) >> lane & 1))
            };
            let [x, y] = [number(&a), number(&b)];
            assert_eq!([number(&product), number(&all)], [multiply(x, y); 2]);
            assert_eq!(number(&square), multiply(x, x));
            assert_eq!(number(&power), multiply(multiply(multiply(x, x), multiply(x, x)), x));
        }
    }
}
