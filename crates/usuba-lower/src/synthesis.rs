//! Circuits for tables that nobody has published one for.
//!
//! A table of n inputs is split on one variable after another (a functional decision diagram with complemented edges).
//! At each function f with cofactors f0, f1 on variable x there are three ways down:
//!
//! | way | formula | operations |
//! |---|---|---|
//! | Shannon | f0 ^ (x & (f0 ^ f1)) | 3, over f0 and f1 |
//! | positive Davio | f0 ^ (x & d), d = f0 ^ f1 | 2, over f0 and d |
//! | negative Davio | f1 ^ (d & ~x) | 2, over f1 and d |
//!
//! The way whose parts are already built wins, else a fixed preference. Variable orders are searched (all of them up to
//! 4 inputs, by exchanging pairs beyond) for each preference, the pure Shannon diagram among them: so the result is never
//! larger than the reduced ordered binary decision diagram with the same order.

use crate::circuit::{Circuit, Gate};
use std::collections::HashMap;

/// Beyond this many inputs only one variable order is tried.
const SEARCHED_INPUTS: usize = 8;

/// A circuit for a table of 2^inputs values below 2^outputs; first input and output most significant.
///
/// # Panics
/// If the table has not 2^inputs entries.
pub fn synthesise(inputs: usize, outputs: usize, table: &[u64]) -> Circuit {
    assert_eq!(table.len(), 1 << inputs, "a table has an entry for every input");
    let mut order: Vec<usize> = (0..inputs).collect();
    let mut best = attempt(inputs, outputs, table, &order);
    if inputs <= 4 {
        permutations(&mut order, 0, &mut |order| {
            keep_smaller(&mut best, attempt(inputs, outputs, table, order));
        });
        return best;
    }
    let mut improved = inputs <= SEARCHED_INPUTS;
    while improved {
        improved = false;
        for i in 0..inputs {
            for j in i + 1..inputs {
                order.swap(i, j);
                if keep_smaller(&mut best, attempt(inputs, outputs, table, &order)) {
                    improved = true;
                } else {
                    order.swap(i, j);
                }
            }
        }
    }
    best
}

/// The circuit of the reduced ordered binary decision diagram of a table, variables in the given order: one multiplexer
/// of three operations per node. The yardstick of [`synthesise`].
pub fn decision_diagram(inputs: usize, outputs: usize, table: &[u64], order: &[usize]) -> Circuit {
    Diagram::build(inputs, outputs, table, order, Preference::Shannon, true)
}

fn permutations(order: &mut [usize], from: usize, visit: &mut dyn FnMut(&[usize])) {
    if from == order.len() {
        return visit(order);
    }
    for i in from..order.len() {
        order.swap(from, i);
        permutations(order, from + 1, visit);
        order.swap(from, i);
    }
}

fn keep_smaller(best: &mut Circuit, candidate: Circuit) -> bool {
    let smaller = candidate.gates.len() < best.gates.len();
    if smaller {
        *best = candidate;
    }
    smaller
}

fn attempt(inputs: usize, outputs: usize, table: &[u64], order: &[usize]) -> Circuit {
    let preferences = [Preference::Positive, Preference::Negative, Preference::Shannon];
    let mut best = Diagram::build(inputs, outputs, table, order, Preference::Shannon, true);
    for preference in preferences {
        keep_smaller(&mut best, Diagram::build(inputs, outputs, table, order, preference, false));
    }
    best
}

/// The way down when no part is at hand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preference {
    Shannon,
    Positive,
    Negative,
}

/// A truth table over the variables not yet split on; the next one is the most significant bit of the index.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Function {
    /// Number of entries, a power of two.
    len: usize,
    /// Entry i is bit i mod 64 of word i / 64; unused bits are zero.
    words: Vec<u64>,
}

impl Function {
    fn constant(&self) -> Option<bool> {
        if self.words.iter().all(|&word| word == 0) {
            Some(false)
        } else if *self == self.zero().complement() {
            Some(true)
        } else {
            None
        }
    }

    fn zero(&self) -> Function {
        Function { len: self.len, words: vec![0; self.words.len()] }
    }

    fn mask(&self) -> u64 {
        if self.len >= 64 { u64::MAX } else { (1 << self.len) - 1 }
    }

    fn complement(&self) -> Function {
        let mask = self.mask();
        Function { len: self.len, words: self.words.iter().map(|word| !word & mask).collect() }
    }

    fn cofactors(&self) -> (Function, Function) {
        let len = self.len / 2;
        if len >= 64 {
            let (low, high) = self.words.split_at(self.words.len() / 2);
            return (Function { len, words: low.to_vec() }, Function { len, words: high.to_vec() });
        }
        let mask = (1 << len) - 1;
        let part = |word: u64| Function { len, words: vec![word & mask] };
        (part(self.words[0]), part(self.words[0] >> len))
    }

    fn difference(&self, other: &Function) -> Function {
        let words = self.words.iter().zip(&other.words).map(|(a, b)| a ^ b).collect();
        Function { len: self.len, words }
    }
}

/// A wire or its complement; `None` is the constant false.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Edge {
    wire: Option<usize>,
    complemented: bool,
}

impl Edge {
    fn constant(value: bool) -> Edge {
        Edge { wire: None, complemented: value }
    }

    fn complement_if(self, condition: bool) -> Edge {
        Edge { wire: self.wire, complemented: self.complemented ^ condition }
    }
}

struct Diagram<'a> {
    inputs: usize,
    /// `order[level]` is the input split on at that level.
    order: &'a [usize],
    preference: Preference,
    /// Take the preferred way even where another has its parts at hand.
    strict: bool,
    gates: Vec<Gate>,
    made: HashMap<Gate, usize>,
    /// Functions that are false for index 0.
    built: HashMap<Function, Edge>,
}

impl<'a> Diagram<'a> {
    fn build(
        inputs: usize,
        outputs: usize,
        table: &[u64],
        order: &'a [usize],
        preference: Preference,
        strict: bool,
    ) -> Circuit {
        let mut diagram = Diagram {
            inputs,
            order,
            preference,
            strict,
            gates: Vec::new(),
            made: HashMap::new(),
            built: HashMap::new(),
        };
        let wires = (0..outputs)
            .map(|output| {
                let bit = outputs - 1 - output;
                let mut words = vec![0u64; table.len().div_ceil(64)];
                for index in 0..table.len() {
                    // Position `index` of the reordered table: its bit for level l is that of input order[l].
                    let original = order.iter().enumerate().fold(0, |original, (level, &input)| {
                        original | (index >> (inputs - 1 - level) & 1) << (inputs - 1 - input)
                    });
                    words[index / 64] |= (table[original] >> bit & 1) << (index % 64);
                }
                let edge = diagram.edge(&Function { len: table.len(), words }, 0);
                diagram.output(edge)
            })
            .collect();
        let source = "a functional decision diagram of the table".to_owned();
        Circuit { inputs, cost: diagram.gates.len(), gates: diagram.gates, outputs: wires, source }
    }

    fn output(&mut self, edge: Edge) -> usize {
        match edge {
            Edge { wire: Some(wire), complemented: false } => wire,
            Edge { wire: Some(wire), complemented: true } => self.gate(Gate::Not(wire)),
            // A constant output: x ^ x, or its complement. Tables have at least one input.
            Edge { wire: None, complemented } => {
                let zero = self.gate(Gate::Xor(0, 0));
                if complemented { self.gate(Gate::Not(zero)) } else { zero }
            }
        }
    }

    fn gate(&mut self, gate: Gate) -> usize {
        if let Some(&wire) = self.made.get(&gate) {
            return wire;
        }
        self.gates.push(gate);
        let wire = self.inputs + self.gates.len() - 1;
        self.made.insert(gate, wire);
        wire
    }

    fn edge(&mut self, function: &Function, level: usize) -> Edge {
        if let Some(value) = function.constant() {
            return Edge::constant(value);
        }
        let complemented = function.words[0] & 1 == 1;
        let function = if complemented { function.complement() } else { function.clone() };
        if let Some(&edge) = self.built.get(&function) {
            return edge.complement_if(complemented);
        }
        let (low, high) = function.cofactors();
        let edge = if low == high { self.edge(&low, level + 1) } else { self.split(&low, &high, level) };
        self.built.insert(function, edge);
        edge.complement_if(complemented)
    }

    fn split(&mut self, low: &Function, high: &Function, level: usize) -> Edge {
        let x = Edge { wire: Some(self.order[level]), complemented: false };
        let difference = low.difference(high);
        match (low.constant(), high.constant(), difference.constant()) {
            (Some(false), Some(true), _) => x,
            (Some(true), Some(false), _) => x.complement_if(true),
            (Some(false), _, _) => {
                let high = self.edge(high, level + 1);
                self.and(x, high)
            }
            (Some(true), _, _) => {
                let high = self.edge(high, level + 1);
                let either = self.and(x, high.complement_if(true));
                either.complement_if(true)
            }
            (_, Some(false), _) => {
                let low = self.edge(low, level + 1);
                self.and(low, x.complement_if(true))
            }
            (_, Some(true), _) => {
                let low = self.edge(low, level + 1);
                let neither = self.and(low.complement_if(true), x.complement_if(true));
                neither.complement_if(true)
            }
            (_, _, Some(true)) => {
                let low = self.edge(low, level + 1);
                self.xor(low, x)
            }
            _ => match self.way(low, high, &difference) {
                Preference::Shannon => {
                    let low = self.edge(low, level + 1);
                    let high = self.edge(high, level + 1);
                    let differ = self.xor(low, high);
                    let chosen = self.and(x, differ);
                    self.xor(low, chosen)
                }
                Preference::Positive => {
                    let low = self.edge(low, level + 1);
                    let difference = self.edge(&difference, level + 1);
                    let chosen = self.and(x, difference);
                    self.xor(low, chosen)
                }
                Preference::Negative => {
                    let high = self.edge(high, level + 1);
                    let difference = self.edge(&difference, level + 1);
                    let chosen = self.and(difference, x.complement_if(true));
                    self.xor(high, chosen)
                }
            },
        }
    }

    fn way(&self, low: &Function, high: &Function, difference: &Function) -> Preference {
        if self.strict {
            return self.preference;
        }
        let at_hand = |function: &Function| {
            function.constant().is_some()
                || self.built.contains_key(function)
                || self.built.contains_key(&function.complement())
        };
        let (low, high, difference) = (at_hand(low), at_hand(high), at_hand(difference));
        match (low, high, difference) {
            (true, _, true) => Preference::Positive,
            (_, true, true) => Preference::Negative,
            (true, true, _) => Preference::Shannon,
            _ => self.preference,
        }
    }

    fn and(&mut self, a: Edge, b: Edge) -> Edge {
        let (a, b) = if a.wire <= b.wire { (a, b) } else { (b, a) };
        match (a, b) {
            (Edge { wire: None, complemented }, other) => {
                if complemented {
                    other
                } else {
                    Edge::constant(false)
                }
            }
            (Edge { wire: Some(x), complemented: s }, Edge { wire: Some(y), complemented: t }) => {
                if x == y {
                    return if s == t { a } else { Edge::constant(false) };
                }
                let (gate, complemented) = match (s, t) {
                    (false, false) => (Gate::And(x, y), false),
                    (false, true) => (Gate::AndNot(x, y), false),
                    (true, false) => (Gate::AndNot(y, x), false),
                    (true, true) => (Gate::Or(x, y), true),
                };
                Edge { wire: Some(self.gate(gate)), complemented }
            }
            (Edge { wire: Some(_), .. }, Edge { wire: None, .. }) => unreachable!("the constant sorts first"),
        }
    }

    fn xor(&mut self, a: Edge, b: Edge) -> Edge {
        let complemented = a.complemented ^ b.complemented;
        match (a.wire, b.wire) {
            (None, wire) | (wire, None) => Edge { wire, complemented },
            (Some(x), Some(y)) if x == y => Edge::constant(complemented),
            (Some(x), Some(y)) => Edge { wire: Some(self.gate(Gate::Xor(x.min(y), x.max(y)))), complemented },
        }
    }
}
