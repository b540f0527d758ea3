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
use std::collections::HashMap;
use usuba_ir::random::Random;

/// The highest degree that is tried: 2^10 times 89 points.
const HIGHEST: u32 = 10;

/// Words of points that are looked at together.
const TOGETHER: usize = 8;

/// Which pairs have the same bits for all inputs, as polynomials whose degrees are low enough. `false` says nothing.
pub fn same_polynomials(graph: &Graph, pairs: &[(Edge, Edge)], seed: u64) -> Vec<bool> {
    // A number of turns is a sum with carries, of a high degree, and the same on both sides: its bits are any.
    let gate = |vertex: Vertex| match graph.bit_of_number(vertex) {
        Some(_) => Gate::Input(0),
        None => graph.gate(vertex),
    };
    let cone = graph.near_cone(pairs.iter().flat_map(|&(a, b)| [a, b]));
    let place: HashMap<Vertex, usize, FixedState> =
        cone.iter().enumerate().map(|(at, &vertex)| (vertex, at)).collect();
    let degrees = degrees(&gate, &cone, &place);
    let degree = |&(a, b): &(Edge, Edge)| degrees[place[&a.vertex()]].max(degrees[place[&b.vertex()]]);
    let mut same: Vec<bool> = pairs.iter().map(|pair| degree(pair) <= HIGHEST).collect();
    let Some(highest) = pairs.iter().map(degree).filter(|&degree| degree <= HIGHEST).max() else {
        return same;
    };
    let points = 128.0 * std::f64::consts::LN_2 / -(-f64::powi(2.0, -(highest as i32))).ln_1p();
    let words = if highest == 0 { 1 } else { (points / 64.0).ceil() as usize };
    let gates: Vec<(Gate, [usize; 2])> = cone
        .iter()
        .map(|&vertex| (gate(vertex), graph.operands(vertex).map(|one| one.map_or(0, |one| place[&one]))))
        .collect();
    let mut values: Vec<[u64; TOGETHER]> = vec![[0; TOGETHER]; cone.len()];
    let mut random = Random::new(seed);
    for _ in 0..words.div_ceil(TOGETHER) {
        for (at, &(gate, [first, second])) in gates.iter().enumerate() {
            let of = |edge: Edge, place: usize| {
                let flip = if edge.is_complemented() { u64::MAX } else { 0 };
                values[place].map(|word| word ^ flip)
            };
            values[at] = match gate {
                Gate::False => [0; TOGETHER],
                Gate::Input(_) => std::array::from_fn(|_| random.bits()),
                Gate::And(a, b) => {
                    let (a, b) = (of(a, first), of(b, second));
                    std::array::from_fn(|word| a[word] & b[word])
                }
                Gate::Xor(..) => {
                    let (a, b) = (values[first], values[second]);
                    std::array::from_fn(|word| a[word] ^ b[word])
                }
            };
        }
        for (same, (a, b)) in same.iter_mut().zip(pairs).filter(|(same, _)| **same) {
            let flip = if a.is_complemented() == b.is_complemented() { 0 } else { u64::MAX };
            let [a, b] = [a, b].map(|edge| values[place[&edge.vertex()]]);
            *same = a.iter().zip(b).all(|(a, b)| a ^ b == flip);
        }
    }
    same
}

/// An upper bound of the degree of each vertex of a cone.
fn degrees(
    gate: &dyn Fn(Vertex) -> Gate,
    cone: &[Vertex],
    place: &HashMap<Vertex, usize, FixedState>,
) -> Vec<u32> {
    let mut degrees: Vec<u32> = Vec::with_capacity(cone.len());
    for &vertex in cone {
        let of = |vertex: Vertex| degrees[place[&vertex]];
        let degree = match gate(vertex) {
            Gate::False => 0,
            Gate::Input(_) => 1,
            Gate::And(a, b) => of(a.vertex()).saturating_add(of(b.vertex())),
            Gate::Xor(a, b) => of(a).max(of(b)),
        };
        degrees.push(degree);
    }
    degrees
}

#[cfg(test)]
mod tests {
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
        assert_eq!(same_polynomials(&graph, &pairs, 1), [true, false, true, false, false]);
    }
}
