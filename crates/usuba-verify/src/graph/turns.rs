//! Numbers of turns of a loop as data: for each sum of multiples of the turns that are left and that are done so many new inputs,
//! the same for the same sum.

use super::{Edge, Graph, Vertex};

/// Bits of a number.
const BITS: usize = 64;

/// A bit of a number: so many times the turns that are left and that are done, and so much more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberBit {
    pub sum: [i64; 3],
    pub place: usize,
    pub is_complemented: bool,
}

impl Graph {
    /// What stands for so many other terms of a sum with these bits, each as long as the sum: the same at the same one of several loops.
    pub(crate) fn beside(&mut self, number: usize, sum: &[Edge], terms: usize) -> Vec<Edge> {
        let place = (number, sum.to_vec());
        let mut symbols = self.beside.remove(&place).unwrap_or_default();
        let missing = (terms * sum.len()).saturating_sub(symbols.len());
        symbols.extend(self.input_bits(missing));
        self.beside.insert(place, symbols.clone());
        symbols.truncate(terms * sum.len());
        symbols
    }

    /// So many times the turns that are left and so many times those that are done, modulo 2^64.
    pub(crate) fn turns(&mut self, left: i64, done: i64) -> Vec<Edge> {
        // Multiples by powers of two are made of the same bits.
        let zeros = (left | done).trailing_zeros();
        let key = if zeros < BITS as u32 { (left >> zeros, done >> zeros) } else { (0, 0) };
        let zeros = (zeros as usize).min(BITS);
        let bits = match self.of_turns.get(&key) {
            Some(known) => known.clone(),
            None if key == (0, 0) => vec![Edge::FALSE; BITS],
            None => {
                let bits = self.input_bits(BITS);
                self.of_turns.insert(key, bits.clone());
                bits
            }
        };
        vec![Edge::FALSE; zeros].into_iter().chain(bits).take(BITS).collect()
    }

    /// Remembers the bits of a number: so many times the turns that are left and that are done, and so much more.
    pub(crate) fn note_number(&mut self, sum: [i64; 3], bits: &[Edge]) {
        for (place, bit) in bits.iter().enumerate().filter(|(_, bit)| bit.known().is_none()) {
            let of = NumberBit { sum, place, is_complemented: bit.is_complemented() };
            // What stands for a sum is also that of greater ones, which may be said elsewhere where it may not.
            let zeros = |one: NumberBit| (one.sum[0] | one.sum[1]).trailing_zeros();
            let known = self.of_numbers.entry(bit.vertex()).or_insert(of);
            if zeros(of) > zeros(*known) {
                *known = of;
            }
        }
    }

    /// Which bit of such a number a vertex is.
    pub(crate) fn bit_of_number(&self, vertex: Vertex) -> Option<NumberBit> {
        self.of_numbers.get(&vertex).copied()
    }

    /// The sums that stand for something, each with its multiples.
    pub(crate) fn all_turns(&self) -> Vec<((i64, i64), Vec<Edge>)> {
        self.of_turns.iter().map(|(&multiples, bits)| (multiples, bits.clone())).collect()
    }
}
