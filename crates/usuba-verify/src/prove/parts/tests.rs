//! S-boxes on other sums of the same bits, and random graphs with the truth tables as judge.

use super::*;
use crate::graph::value_of;
use crate::graph::words::look_up_word;
use crate::prove::{Answer, Limits, prove};
use usuba_ir::random::Random;

fn depths(graph: &Graph) -> Vec<u32> {
    let mut depths = vec![0; graph.len()];
    for vertex in graph.vertices() {
        let operands = graph.operands(vertex).into_iter().flatten();
        let deepest = operands.map(|operand| depths[operand.index()]).max().unwrap_or(0);
        depths[vertex.index()] = deepest + u32::from(matches!(graph.gate(vertex), Gate::And(..)));
    }
    depths
}

/// Whether that is said of two edges.
fn are_equal(graph: &Graph, a: Edge, b: Edge) -> bool {
    let flip = a.is_complemented() != b.is_complemented();
    equal(graph, &depths(graph), (a.vertex(), b.vertex()), flip, 12)
}

fn sum(graph: &mut Graph, terms: impl IntoIterator<Item = Edge>) -> Edge {
    terms.into_iter().fold(Edge::FALSE, |sum, term| graph.xor(sum, term))
}

/// Bits of two S-boxes added up, each of eight sums of four inputs. `other`: each S-box takes other sums of these, added up from the
/// inputs on in another order, and its table is as that wants it; with a wrong entry if `wrong`.
fn added_boxes(graph: &mut Graph, inputs: &[Edge], table: &[u64], other: bool, wrong: bool) -> Vec<Edge> {
    let mut bits = vec![Edge::FALSE; 8];
    for part in inputs.chunks(32) {
        let of = |bit: usize| (0..4).map(move |word| part[8 * word + bit]);
        let (index, entries): (Vec<Edge>, Vec<u64>) = if other {
            // Bit i is what bits i and i - 1 were.
            let index = (0..8).map(|bit| {
                let terms: Vec<Edge> =
                    of(bit).chain((bit > 0).then(|| of(bit - 1)).into_iter().flatten()).collect();
                sum(graph, terms.into_iter().rev())
            });
            let index = index.collect();
            let before = |y: usize| (1..8).fold(y & 1, |x, bit| x | ((y >> bit ^ x >> (bit - 1)) & 1) << bit);
            let entry = |y: usize| table[before(y)] ^ u64::from(wrong && y == 77);
            (index, (0..256).map(entry).collect())
        } else {
            ((0..8).map(|bit| sum(graph, of(bit))).collect(), table.to_vec())
        };
        let looked_up = look_up_word(graph, &index, &entries, 8);
        bits = bits.into_iter().zip(looked_up).map(|(sum, bit)| graph.xor(sum, bit)).collect();
    }
    bits
}

#[test]
fn boxes_on_other_sums_are_proved() {
    let mut random = Random::new(3);
    let table: Vec<u64> = (0..256).map(|_| random.bits() & 255).collect();
    let mut graph = Graph::new();
    let inputs = graph.input_bits(64);
    let one = added_boxes(&mut graph, &inputs, &table, false, false);
    let other = added_boxes(&mut graph, &inputs, &table, true, false);
    let wrong = added_boxes(&mut graph, &inputs, &table, true, true);
    for (&a, &b) in one.iter().zip(&other) {
        assert!(are_equal(&graph, a, b));
        assert!(are_equal(&graph, a, !!b) && !are_equal(&graph, a, !b));
    }
    assert!(!are_equal(&graph, one[0], wrong[0]), "the entry differs in the lowest bit");
    let pairs: Vec<_> = one.iter().copied().zip(other).collect();
    let (answer, work) =
        prove(&graph, &pairs, Limits { conflicts: 1, final_conflicts: 1, ..Limits::default() });
    assert_eq!(answer, Answer::Proved, "{work:?}");
    assert!(work.by_parts > 0, "{work:?}");
    let pairs: Vec<_> = one.into_iter().zip(wrong).collect();
    assert!(matches!(prove(&graph, &pairs, Limits::default()).0, Answer::Refuted { .. }));
}

/// Of all pairs of vertices of random graphs with many sums.
#[test]
fn what_is_said_to_be_equal_is() {
    let (mut said, mut unsaid) = (0, 0);
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut graph = Graph::new();
        let mut edges = graph.input_bits(6);
        for _ in 0..50 {
            let [a, b, c] = [0; 3].map(|_| random.choose(&edges).complemented_if(random.once_in(2)));
            edges.push(match random.below(3) {
                0 => graph.and(a, b),
                1 => graph.select(a, b, c),
                _ => graph.xor(a, b),
            });
        }
        let values = graph.evaluate(|input| super::super::cut::column(input as usize, 0));
        edges.sort_unstable();
        edges.dedup();
        for (number, &a) in edges.iter().enumerate() {
            for &b in edges[..number].iter().filter(|&&b| b.vertex() != a.vertex()) {
                let are = value_of(&values, a) == value_of(&values, b);
                match are_equal(&graph, a, b) {
                    true => {
                        assert!(are, "{seed}: {a:?} {b:?}");
                        said += 1;
                    }
                    false => unsaid += u32::from(are),
                }
            }
        }
    }
    assert!(said > 20, "{said} said, {unsaid} unsaid");
}
