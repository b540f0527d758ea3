//! Polynomials of low degree are compared at random points.
//!
//! A bit of a graph is a polynomial in its inputs modulo 2, whose degree is at most what its gates say: a sum has the higher of two
//! degrees, a conjunction both added up. A polynomial of degree d that is not nothing is 1 at one point in 2^d or more (the least
//! weight of a Reed-Muller code), so that n points miss it with a probability of at most (1 - 2^-d)^n. Points are taken until that is
//! less than 2^-128, for points that are random: those of a generator that knows nothing of what is compared stand for them.
//!
//! This is for products in GF(2^128), whose bits are sums of thousands of conjunctions: too many for the other ways.

use super::{Edge, Gate, Graph, Vertex};
use foldhash::fast::FixedState;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use usuba_ir::random::Random;

/// The highest degree that is tried: 2^10 times 89 points.
const HIGHEST: u32 = 10;

/// Words of points that are looked at together.
const TOGETHER: usize = 8;

/// Values at points that are looked at together.
type Values = [u64; TOGETHER];

/// Which pairs have the same bits for all inputs, as polynomials whose degrees are low enough. `false` says nothing. Products in the
/// field are what they are of, but for those that `stay` inputs.
pub(super) fn same_polynomials(
    graph: &Graph,
    pairs: &[(Edge, Edge)],
    stay: &BTreeSet<usize>,
    seed: u64,
) -> Vec<bool> {
    let cone = Cone::of(graph, pairs, stay);
    let degrees = cone.degrees();
    let degree =
        |&(a, b): &(Edge, Edge)| degrees[cone.place[&a.vertex()]].max(degrees[cone.place[&b.vertex()]]);
    let mut same: Vec<bool> = pairs.iter().map(|pair| degree(pair) <= HIGHEST).collect();
    let Some(highest) = pairs.iter().map(degree).filter(|&degree| degree <= HIGHEST).max() else {
        return same;
    };
    let points = 128.0 * std::f64::consts::LN_2 / -(-f64::powi(2.0, -(highest as i32))).ln_1p();
    let words = if highest == 0 { 1 } else { (points / 64.0).ceil() as usize };
    let mut random = Random::new(seed);
    for _ in 0..words.div_ceil(TOGETHER) {
        let values = cone.values(&mut random);
        let of = |edge: Edge| flipped(values[cone.place[&edge.vertex()]], edge);
        for (same, &(a, b)) in same.iter_mut().zip(pairs).filter(|(same, _)| **same) {
            *same = of(a) == of(b);
        }
    }
    same
}

fn flipped(values: Values, edge: Edge) -> Values {
    let flip = if edge.is_complemented() { u64::MAX } else { 0 };
    values.map(|word| word ^ flip)
}

/// What is looked at: vertices, in the order in which they are made.
struct Cone<'a> {
    graph: &'a Graph,
    stay: &'a BTreeSet<usize>,
    gates: Vec<(Is, [usize; 2])>,
    place: HashMap<Vertex, usize, FixedState>,
}

/// What a vertex is here.
enum Is {
    Gate(Gate),
    /// A bit of a product.
    Product(usize, usize),
}

impl<'a> Cone<'a> {
    fn of(graph: &'a Graph, pairs: &[(Edge, Edge)], stay: &'a BTreeSet<usize>) -> Cone<'a> {
        let roots = pairs.iter().flat_map(|&(a, b)| [a, b]);
        let cone = graph.near_cone(roots, |product| !stay.contains(&product));
        let place: HashMap<Vertex, usize, FixedState> =
            cone.iter().enumerate().map(|(at, &vertex)| (vertex, at)).collect();
        let is = |vertex: Vertex| match (graph.products.place(vertex), graph.bit_of_number(vertex)) {
            (Some((product, bit)), _) if !stay.contains(&product) => Is::Product(product, bit),
            // A number of turns is a sum with carries, of a high degree, and the same on both sides: its bits are any.
            (_, Some(_)) => Is::Gate(Gate::Input(0)),
            _ => Is::Gate(graph.gate(vertex)),
        };
        let operands = |vertex: Vertex| graph.operands(vertex).map(|one| one.map_or(0, |one| place[&one]));
        let gates = cone.iter().map(|&vertex| (is(vertex), operands(vertex))).collect();
        Cone { graph, stay, gates, place }
    }

    /// The values of all vertices at random points.
    fn values(&self, random: &mut Random) -> Vec<Values> {
        let mut values: Vec<Values> = Vec::with_capacity(self.gates.len());
        // All bits of a product come one after the other.
        let mut product: (Option<usize>, Vec<Values>) = (None, Vec::new());
        for &(ref is, [first, second]) in &self.gates {
            let value = match *is {
                Is::Gate(Gate::False) => [0; TOGETHER],
                Is::Gate(Gate::Input(_)) => std::array::from_fn(|_| random.bits()),
                Is::Gate(Gate::And(a, b)) => {
                    let (a, b) = (flipped(values[first], a), flipped(values[second], b));
                    std::array::from_fn(|word| a[word] & b[word])
                }
                Is::Gate(Gate::Xor(..)) => {
                    let (a, b) = (values[first], values[second]);
                    std::array::from_fn(|word| a[word] ^ b[word])
                }
                Is::Product(number, bit) => {
                    if product.0 != Some(number) {
                        let of = |edge: Edge| flipped(values[self.place[&edge.vertex()]], edge);
                        product = (Some(number), self.graph.products.values(number, of));
                    }
                    product.1[bit]
                }
            };
            values.push(value);
        }
        values
    }

    /// An upper bound of the degree of each vertex.
    fn degrees(&self) -> Vec<u32> {
        let mut degrees: Vec<u32> = Vec::with_capacity(self.gates.len());
        let mut products: HashMap<usize, OfProduct, FixedState> = HashMap::default();
        for &(ref is, [first, second]) in &self.gates {
            let degree = match *is {
                Is::Gate(Gate::False) => 0,
                Is::Gate(Gate::Input(_)) => 1,
                Is::Gate(Gate::And(..)) => degrees[first].saturating_add(degrees[second]),
                Is::Gate(Gate::Xor(..)) => degrees[first].max(degrees[second]),
                Is::Product(number, _) => match products.get(&number) {
                    Some(known) => known.degree,
                    None => {
                        let product = self.of_product(number, &degrees, &products);
                        let degree = product.degree;
                        products.insert(number, product);
                        degree
                    }
                },
            };
            degrees.push(degree);
        }
        degrees
    }

    fn of_product(
        &self,
        number: usize,
        degrees: &[u32],
        products: &HashMap<usize, OfProduct, FixedState>,
    ) -> OfProduct {
        let of = |edge: &Edge| degrees[self.place[&edge.vertex()]];
        let highest = |bits: &[Edge]| bits.iter().map(of).max().unwrap_or(0);
        let (factor, key) = self.graph.products.words(number);
        let key = highest(key);
        let before = || {
            let before = self.graph.before(number).filter(|before| !self.stay.contains(before))?;
            let bits = self.graph.products.bits(before);
            let added = factor.iter().zip(bits).map(|(sum, bit)| self.added(*sum, *bit));
            let added = added.collect::<Option<Vec<Option<Vertex>>>>()?;
            let degree = added.into_iter().flatten().map(|one| degrees[self.place[&one]]).max();
            Some((degree.unwrap_or(0), &products.get(&before)?.by_power))
        };
        let is_in_field = self.graph.products.is_in_field(number);
        let (block, by_power) = match is_in_field.then(before).flatten() {
            Some((block, before)) => {
                (block, before.iter().map(|(power, degree)| (power + 1, *degree)).collect())
            }
            None => (highest(factor), BTreeMap::new()),
        };
        let mut product = OfProduct { by_power, degree: 0 };
        product.by_power.insert(1, block);
        let terms = product.by_power.iter();
        let degrees =
            terms.map(|(power, block)| block.saturating_add(power.count_ones().saturating_mul(key)));
        product.degree = degrees.max().unwrap_or(0);
        product
    }

    /// What is added to a bit for a sum, if it is a sum of the bit; nothing where it is the bit alone.
    fn added(&self, sum: Edge, bit: Edge) -> Option<Option<Vertex>> {
        match self.graph.gate(sum.vertex()) {
            _ if sum.vertex() == bit.vertex() => Some(None),
            Gate::Xor(a, b) if a == bit.vertex() => Some(Some(b)),
            Gate::Xor(a, b) if b == bit.vertex() => Some(Some(a)),
            _ => None,
        }
    }
}

/// Of which degree a product is: the sum of blocks by powers of a key, (s + x) k = s k + x k, and so on for s. A power has as many
/// factors that are not linear in the key as its exponent has ones.
struct OfProduct {
    /// The highest degrees of blocks, by the powers.
    by_power: BTreeMap<u32, u32>,
    degree: u32,
}

#[cfg(test)]
mod tests {
    use super::super::products::{BITS, Powers};
    use super::*;

    #[test]
    fn polynomials_are_compared() {
        let mut graph = Graph::new();
        let inputs = graph.input_bits(12);
        let product = |graph: &mut Graph, inputs: &[Edge]| {
            inputs.iter().fold(Edge::TRUE, |all, &one| graph.and(all, one))
        };
        // (a + b) c = a c + b c, and the same but for a product of eight inputs, which is rarely set.
        let (a, b, c) = (inputs[0], inputs[1], inputs[2]);
        let sum = graph.xor(a, b);
        let left = graph.and(sum, c);
        let (ac, bc) = (graph.and(a, c), graph.and(b, c));
        let right = graph.xor(ac, bc);
        let rare = product(&mut graph, &inputs[3..11]);
        let other = graph.xor(right, rare);
        let high = product(&mut graph, &inputs);
        let pairs = [(left, right), (left, other), (!left, !right), (left, !right), (high, high)];
        assert_eq!(same_polynomials(&graph, &pairs, &BTreeSet::new(), 1), [true, false, true, false, false]);
    }

    /// Four blocks by powers of a key, one after the other or all at once; products that stay are any block.
    #[test]
    fn products_are_sums_by_powers() {
        let mut graph = Graph::with_symbols();
        let key = graph.input_bits(BITS);
        let blocks: Vec<Vec<Edge>> = (0..4).map(|_| graph.input_bits(BITS)).collect();
        let add = |graph: &mut Graph, a: &[Edge], b: &[Edge]| -> Vec<Edge> {
            a.iter().zip(b).map(|(&a, &b)| graph.xor(a, b)).collect()
        };
        let mut sum = vec![Edge::FALSE; BITS];
        let mut all = sum.clone();
        for (block, exponent) in blocks.iter().zip([4, 3, 2, 1]) {
            let factor = add(&mut graph, &sum, block);
            sum = graph.put_off(factor, key.clone());
            let power = graph.power(&key, exponent, &mut Powers::new());
            let term = graph.put_off(block.clone(), power);
            all = add(&mut graph, &all, &term);
        }
        let pairs: Vec<(Edge, Edge)> = sum.iter().copied().zip(all.iter().copied()).collect();
        let none = BTreeSet::new();
        assert_eq!(same_polynomials(&graph, &pairs, &none, 1), [true; BITS]);
        // The last term by the power 3 has the highest degree: a block, and two factors that are not linear.
        let cone = Cone::of(&graph, &pairs, &none);
        let degrees = cone.degrees();
        assert_eq!(pairs.iter().map(|(sum, _)| degrees[cone.place[&sum.vertex()]]).max(), Some(3));
        let wrong: Vec<(Edge, Edge)> = sum.iter().copied().zip(all[1..].iter().copied()).collect();
        assert_eq!(same_polynomials(&graph, &wrong, &none, 1), [false; BITS - 1]);
        let stay = graph.products.in_field().take(1).collect();
        assert_eq!(same_polynomials(&graph, &pairs, &stay, 1), [false; BITS]);
    }
}
