//! Proves bits of a graph equal, for all inputs.
//!
//! Method: random patterns show what may be equal ([`mod@simulate`]); vertices are then proved equal and merged from the inputs to the
//! outputs ([`mod@sweep`]), each by the cheapest way that decides it: both become the same vertex; both are sums of the same
//! terms ([`mod@crate::graph::sums`]); their truth tables on a common cut are the same ([`mod@cut`]); their sum falls
//! into parts that are functions of few sums, and all parts together are nothing ([`mod@parts`]); a SAT solver finds no assignment
//! that tells them apart ([`mod@solve`]). An assignment that the solver does find becomes a pattern.
//!
//! [`Answer::Proved`] rests on these five ways alone: never on patterns, names or the number of conflicts.

mod budget;
mod cut;
mod parts;
mod simulate;
mod solve;
mod sweep;

use crate::graph::{Edge, Graph, value_of};
use usuba_ir::random::Random;

/// How much is tried. Whatever it is, an answer other than [`Answer::Unknown`] is right.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// 64 times so many patterns, half of them kept for counter-examples. At least 2.
    pub words: usize,
    /// Truth tables have at most so many variables, up to 16.
    pub cut: usize,
    /// Conflicts of the solver for a pair of vertices on the way.
    pub conflicts: u64,
    /// Conflicts of the solver for a pair that is asked for.
    pub final_conflicts: u64,
    /// For the patterns.
    pub seed: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { words: 32, cut: 12, conflicts: 500, final_conflicts: 20_000, seed: 1 }
    }
}

/// What is known about pairs of bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The bits of each pair are equal for all inputs.
    Proved,
    /// They are not.
    Refuted {
        /// A value for every input of the graph.
        inputs: Vec<bool>,
        /// The first pair whose bits differ there.
        pair: usize,
    },
    /// Neither was shown within the limits.
    Unknown {
        /// The pairs that were not proved.
        pairs: Vec<usize>,
    },
}

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Vertices that the pairs are made of.
    pub vertices: usize,
    /// Vertices that became an earlier one as they were made of merged ones.
    pub by_structure: u64,
    /// Pairs of vertices that were proved to be sums of the same terms.
    pub by_sums: u64,
    /// Pairs of vertices that were proved by truth tables.
    pub by_tables: u64,
    /// Pairs of vertices whose sum was proved to be nothing, part by part.
    pub by_parts: u64,
    /// Pairs of vertices that were proved by the solver.
    pub by_solver: u64,
    /// Questions to the solver.
    pub questions: u64,
    /// Conflicts that it had.
    pub conflicts: u64,
    /// Pairs of vertices that looked equal and were told apart.
    pub told_apart: u64,
    /// Pairs of vertices that looked equal and were left alone at the limit.
    pub left: u64,
}

/// Proves or refutes that the two bits of every pair are equal for all inputs of the graph.
pub fn prove(graph: &Graph, pairs: &[(Edge, Edge)], limits: Limits) -> (Answer, Work) {
    if let Some(refuted) = refute(graph, pairs, limits.seed) {
        return (refuted, Work::default());
    }
    let mut sweep = sweep::Sweep::new(graph, limits);
    sweep.run(pairs);
    let answer = sweep.answer(pairs);
    let answer = match answer {
        // The assignment is that of a solver: it is looked at on the graph itself.
        Answer::Refuted { inputs, .. } => differs(graph, pairs, &inputs).map_or_else(
            || Answer::Unknown { pairs: (0..pairs.len()).collect() },
            |pair| Answer::Refuted { inputs, pair },
        ),
        other => other,
    };
    (answer, sweep.work)
}

/// The first pair whose bits differ for these inputs.
pub fn differs(graph: &Graph, pairs: &[(Edge, Edge)], inputs: &[bool]) -> Option<usize> {
    let values = graph.evaluate(|number| u64::from(inputs.get(number as usize) == Some(&true)));
    pairs.iter().position(|&(a, b)| (value_of(&values, a) ^ value_of(&values, b)) & 1 == 1)
}

/// For 64 random inputs, numbered by bits, whether the bits of any pair differ: what that many test vectors see.
pub fn sample(graph: &Graph, pairs: &[(Edge, Edge)], seed: u64) -> u64 {
    let mut random = Random::new(seed);
    let columns: Vec<u64> = (0..graph.inputs()).map(|_| random.bits()).collect();
    let values = graph.evaluate(|number| columns[number as usize]);
    pairs.iter().fold(0, |all, &(a, b)| all | value_of(&values, a) ^ value_of(&values, b))
}

/// Looks for a difference by all inputs clear, all set, and random ones.
fn refute(graph: &Graph, pairs: &[(Edge, Edge)], seed: u64) -> Option<Answer> {
    let mut random = Random::new(seed);
    for _ in 0..4 {
        let columns: Vec<u64> = (0..graph.inputs()).map(|_| random.bits() & !3 | 2).collect();
        let values = graph.evaluate(|number| columns[number as usize]);
        for (pair, &(a, b)) in pairs.iter().enumerate() {
            let different = value_of(&values, a) ^ value_of(&values, b);
            if different != 0 {
                let lane = different.trailing_zeros();
                let inputs = columns.iter().map(|column| column >> lane & 1 == 1).collect();
                return Some(Answer::Refuted { inputs, pair });
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
