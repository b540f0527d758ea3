//! Patterns: values of all vertices for some assignments of the inputs. Vertices with different patterns differ.

use crate::graph::{Edge, Graph, Vertex};
use usuba_ir::random::Random;

/// The values of every vertex for 64 × `words` assignments.
///
/// The first half of the words are random; the others begin so, and get counter-examples in turn.
pub(super) struct Patterns {
    words: usize,
    /// By vertex, then by word.
    values: Vec<u64>,
    /// By input, then by word.
    inputs: Vec<u64>,
    random: Random,
    /// Counter-examples that are not in the patterns yet: pairs of inputs and values.
    waiting: Vec<Vec<(u32, bool)>>,
    /// The word that the next ones go to.
    next: usize,
}

/// Counter-examples that fill a word: beside each there are as many neighbours as there is room for.
const PER_WORD: usize = 16;

impl Patterns {
    pub(super) fn new(inputs: u32, words: usize, seed: u64) -> Patterns {
        let words = words.max(2);
        let mut random = Random::new(seed);
        let inputs = (0..inputs as usize * words).map(|_| random.bits()).collect();
        Patterns { words, values: Vec::new(), inputs, random, waiting: Vec::new(), next: words / 2 }
    }

    /// The values of the vertices that are new.
    pub(super) fn extend(&mut self, graph: &Graph) {
        for number in self.values.len() / self.words..graph.len() {
            self.values.resize((number + 1) * self.words, 0);
            for word in 0..self.words {
                self.compute(graph, Vertex::numbered(number), word);
            }
        }
    }

    fn compute(&mut self, graph: &Graph, vertex: Vertex, word: usize) {
        let value = graph.gate(vertex).of(
            |input| self.inputs[input as usize * self.words + word],
            |operand| self.values[operand.index() * self.words + word],
        );
        self.values[vertex.index() * self.words + word] = value;
    }

    fn of(&self, vertex: Vertex) -> &[u64] {
        &self.values[vertex.index() * self.words..][..self.words]
    }

    /// The vertex or its complement, whichever is clear in the first pattern.
    pub(super) fn normal(&self, vertex: Vertex) -> Edge {
        vertex.edge().complemented_if(self.of(vertex)[0] & 1 == 1)
    }

    /// A number that vertices have in common that have the same patterns, up to complement.
    pub(super) fn class(&self, vertex: Vertex) -> u64 {
        let flip = if self.normal(vertex).is_complemented() { u64::MAX } else { 0 };
        self.of(vertex)
            .iter()
            .fold(0, |hash, word| (hash ^ word ^ flip).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
    }

    /// Whether two vertices have the same patterns, up to complement.
    pub(super) fn agree(&self, a: Vertex, b: Vertex) -> bool {
        let flip =
            if self.normal(a).is_complemented() == self.normal(b).is_complemented() { 0 } else { u64::MAX };
        self.of(a).iter().zip(self.of(b)).all(|(x, y)| *x == y ^ flip)
    }

    /// Takes a counter-example; whether there are enough for [`Patterns::refresh`].
    pub(super) fn learn(&mut self, inputs: Vec<(u32, bool)>) -> bool {
        self.waiting.push(inputs);
        self.waiting.len() >= PER_WORD
    }

    /// Puts the counter-examples that wait into a word of the patterns, each with neighbours in which a few inputs are other
    /// ones. All classes change.
    pub(super) fn refresh(&mut self, graph: &Graph) {
        let word = self.next;
        self.next = if word + 1 < self.words { word + 1 } else { self.words / 2 };
        let room = 64 / PER_WORD;
        for (number, example) in std::mem::take(&mut self.waiting).into_iter().enumerate() {
            for (input, value) in example {
                let bits = &mut self.inputs[input as usize * self.words + word];
                for copy in 0..room {
                    let flipped = copy > 0 && self.random.once_in(8);
                    let place = number * room + copy;
                    *bits = *bits & !(1 << place) | u64::from(value != flipped) << place;
                }
            }
        }
        for number in 0..self.values.len() / self.words {
            self.compute(graph, Vertex::numbered(number), word);
        }
    }
}
