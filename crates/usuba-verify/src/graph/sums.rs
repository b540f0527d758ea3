//! Sums of the same terms, in whatever order they were added.

use super::{Edge, Gate, Graph, Vertex};
use std::collections::BinaryHeap;

/// How many sums are looked into.
const STEPS: usize = 20_000;

/// Whether two vertices are sums of the same vertices that are no sums. `false` says nothing.
pub(crate) fn same_sum(graph: &Graph, a: Vertex, b: Vertex) -> bool {
    // The terms of a + b that are still to be looked into, the last vertex first. What a term is made of comes before it, so
    // once a term is left over that is no sum, nothing can cancel it.
    let mut terms = BinaryHeap::from([a, b]);
    for _ in 0..STEPS {
        let Some(term) = terms.pop() else { return true };
        if terms.peek() == Some(&term) {
            terms.pop();
            continue;
        }
        let Gate::Xor(p, q) = graph.gate(term) else { return false };
        terms.extend([p, q]);
    }
    false
}

/// The one term that is left of a sum, if that is one: equal to the edge whatever the order in which terms were added.
pub(crate) fn lone_term(graph: &Graph, edge: Edge) -> Option<Edge> {
    let mut terms = BinaryHeap::from([edge.vertex()]);
    let mut left: Vec<Vertex> = Vec::new();
    for _ in 0..STEPS {
        let Some(term) = terms.pop() else {
            let only = if let [only] = left[..] { only } else { return None };
            return Some(only.edge().complemented_if(edge.is_complemented()));
        };
        if terms.peek() == Some(&term) {
            terms.pop();
            continue;
        }
        match graph.gate(term) {
            Gate::Xor(p, q) => terms.extend([p, q]),
            _ => left.push(term),
        }
    }
    None
}
