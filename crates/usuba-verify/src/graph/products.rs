//! Products in GF(2^128) as GCM writes it, put off: 128 new inputs stand for a product, until it is known of what it is a sum.
//!
//! What GHASH makes of blocks is a product of a sum of a product, and so on. Multiplied out it is the sum of each block by a power
//! of the key: this is how code computes it that has several blocks at once, and of few degrees, since squares are linear.
//! (NIST SP 800-38D, sections 6.3 and 6.4.)
//!
//! The bits of a block are in the order of the standard: bit i is the coefficient of x^i.

use super::words::carryless;
use super::{Edge, Gate, Graph, Vertex};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Bits of a block.
pub const BITS: usize = 128;

/// Powers of blocks that were made.
pub(super) type Powers = BTreeMap<(Vec<Edge>, u32), Vec<Edge>>;

/// x^128 in the field: 1 + x + x^2 + x^7.
const REDUCED: [usize; 4] = [0, 1, 2, 7];

/// A product that is put off.
#[derive(Clone, Debug)]
struct Product {
    factor: Vec<Edge>,
    key: Vec<Edge>,
    /// What stands for it.
    bits: Vec<Edge>,
}

/// The products of a graph that are put off.
#[derive(Clone, Debug, Default)]
pub(super) struct Products {
    all: Vec<Product>,
    by_bit: HashMap<Vertex, (usize, usize)>,
    known: HashMap<[Vec<Edge>; 2], usize>,
}

impl Products {
    /// The number of the product that a vertex is a bit of, and which.
    pub(super) fn place(&self, vertex: Vertex) -> Option<(usize, usize)> {
        self.by_bit.get(&vertex).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// What stands for a product.
    pub(super) fn bits(&self, number: usize) -> &[Edge] {
        &self.all[number].bits
    }

    /// The bits that a product is of.
    pub(super) fn operands(&self, number: usize) -> impl Iterator<Item = Edge> {
        let Product { factor, key, .. } = &self.all[number];
        factor.iter().chain(key).copied()
    }

    /// What goes into a product beside the key.
    pub(super) fn factor(&self, number: usize) -> &[Edge] {
        &self.all[number].factor
    }

    /// The blocks of which powers are wanted.
    pub(super) fn keys(&self) -> BTreeSet<Vec<Edge>> {
        self.all.iter().map(|product| product.key.clone()).collect()
    }

    /// The bits of a product for 64 assignments.
    pub(super) fn values(&self, number: usize, value: impl Fn(Edge) -> u64) -> Vec<u64> {
        let Product { factor, key, .. } = &self.all[number];
        let [a, b] = [factor, key].map(|bits| bits.iter().map(|&bit| value(bit)).collect::<Vec<u64>>());
        let mut result = vec![0; BITS];
        for lane in 0..64 {
            let number = |bits: &[u64]| {
                bits.iter().rev().fold(0u128, |all, bits| all << 1 | u128::from(bits >> lane & 1))
            };
            let product = multiply(number(&a), number(&b));
            result
                .iter_mut()
                .enumerate()
                .for_each(|(bit, all)| *all |= ((product >> bit & 1) as u64) << lane);
        }
        result
    }
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

impl Graph {
    /// What stands for the product of two blocks; the second is the one of which powers are to be made.
    pub fn put_off(&mut self, factor: Vec<Edge>, key: Vec<Edge>) -> Vec<Edge> {
        if let Some(&number) = self.products.known.get(&[factor.clone(), key.clone()]) {
            return self.products.all[number].bits.clone();
        }
        let bits = self.input_bits(BITS);
        let number = self.products.all.len();
        self.products.known.insert([factor.clone(), key.clone()], number);
        let places = bits.iter().enumerate().map(|(bit, edge)| (edge.vertex(), (number, bit)));
        self.products.by_bit.extend(places);
        self.products.all.push(Product { factor, key, bits: bits.clone() });
        if let Some(mut symbols) = self.symbols.take() {
            // The operands come first.
            symbols.extend_to(self, bits[0].vertex());
            for word in 0..super::symbols::WORDS {
                let values = self.products.values(number, |edge| symbols.of(edge)[word]);
                for (edge, value) in bits.iter().zip(values) {
                    symbols.given.entry(edge.vertex()).or_default()[word] = value;
                }
            }
            self.symbols = Some(symbols);
        }
        bits
    }

    /// The same bits with sums of products by powers in place of products that were put off, but for those that stay.
    pub(super) fn multiplied_out(
        &mut self,
        roots: &[Edge],
        stay: &BTreeSet<usize>,
        powers: &mut Powers,
    ) -> Vec<Edge> {
        let mut roots = roots.to_vec();
        loop {
            let places =
                self.near_cone(roots.iter().copied()).into_iter().filter_map(|one| self.products.place(one));
            let wanted: BTreeSet<usize> =
                places.map(|(number, _)| number).filter(|number| !stay.contains(number)).collect();
            if wanted.is_empty() {
                return roots;
            }
            let mut by = HashMap::new();
            for number in wanted {
                let sum = self.sum_of_powers(number, stay, powers);
                let bits = self.products.all[number].bits.iter();
                by.extend(bits.zip(sum).map(|(bit, sum)| (bit.vertex(), sum)));
            }
            roots = self.replaced(&roots, &by, |_| true).unwrap_or(roots);
        }
    }

    /// A product as the sum of blocks by powers of its key: (s + x) k = s k + x k, and so on for s, down to a product that stays.
    pub(super) fn sum_of_powers(
        &mut self,
        number: usize,
        stay: &BTreeSet<usize>,
        powers: &mut Powers,
    ) -> Vec<Edge> {
        let mut sum = vec![Edge::FALSE; BITS];
        let (mut at, mut power) = (number, 1);
        loop {
            let Product { factor, key, .. } = self.products.all[at].clone();
            let before = self.summand(&factor, &key).filter(|before| !stay.contains(before));
            let block: Vec<Edge> = match before {
                Some(before) => {
                    let bits = self.products.all[before].bits.clone();
                    factor.iter().zip(bits).map(|(&a, b)| self.xor(a, b)).collect()
                }
                None => factor,
            };
            let power_of_key = self.power(&key, power, powers);
            let term = self.product(&block, &power_of_key);
            sum = sum.iter().zip(term).map(|(&a, b)| self.xor(a, b)).collect();
            let Some(before) = before else { return sum };
            (at, power) = (before, power + 1);
        }
    }

    /// The product that a block has been added to for this one.
    pub(super) fn before(&self, number: usize) -> Option<usize> {
        let Product { factor, key, .. } = &self.products.all[number];
        self.summand(factor, key)
    }

    /// A product by the same key that a block has been added to.
    fn summand(&self, factor: &[Edge], key: &[Edge]) -> Option<usize> {
        let first = factor.first()?.vertex();
        let near = match self.gate(first) {
            Gate::Xor(a, b) => vec![first, a, b],
            _ => vec![first],
        };
        near.into_iter().find_map(|vertex| {
            let (number, bit) = self.products.place(vertex)?;
            (bit == 0 && self.products.all[number].key == key).then_some(number)
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
            self.product(&root, &root)
        } else {
            let below = self.power(key, exponent - 1, powers);
            self.product(&below, key)
        };
        powers.insert((key.to_vec(), exponent), made.clone());
        made
    }

    /// The product of two blocks.
    pub(super) fn product(&mut self, a: &[Edge], b: &[Edge]) -> Vec<Edge> {
        let mut all = carryless(self, a, b);
        for place in (BITS..all.len()).rev() {
            let above = all[place];
            for to in REDUCED {
                all[place - BITS + to] = self.xor(all[place - BITS + to], above);
            }
        }
        all.truncate(BITS);
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

    #[test]
    fn products_that_were_put_off_are_sums_by_powers() {
        let mut graph = Graph::with_symbols();
        let key = graph.input_bits(BITS);
        let mut sum = vec![Edge::FALSE; BITS];
        for _ in 0..5 {
            let block = graph.input_bits(BITS);
            let added: Vec<Edge> = sum.iter().zip(block).map(|(&a, b)| graph.xor(a, b)).collect();
            sum = graph.put_off(added, key.clone());
        }
        let made = graph.multiplied_out(&sum, &BTreeSet::new(), &mut Powers::new());
        let mut random = usuba_ir::random::Random::new(7);
        let columns: Vec<u64> = (0..graph.inputs()).map(|_| random.bits()).collect();
        let values = graph.evaluate_symbols(|input| columns[input as usize]);
        for (a, b) in sum.iter().zip(&made) {
            assert_ne!(a, b);
            assert_eq!(value_of(&values, *a), value_of(&values, *b));
        }
    }
}
