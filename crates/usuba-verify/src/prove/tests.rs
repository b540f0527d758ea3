//! Random graphs, proved against another way to make them and against damaged ones, with the truth tables as judge.

use super::*;
use crate::graph::words::{add, look_up, multiply, not};

/// A random function of the inputs, as gates: the same numbers make the same function, in another way if `other`.
fn random_cone(graph: &mut Graph, inputs: &[Edge], seed: u64, gates: usize, other: bool) -> Vec<Edge> {
    let mut random = Random::new(seed);
    let mut edges = inputs.to_vec();
    for _ in 0..gates {
        let mut pick = || {
            let edge = *random.choose(&edges);
            edge.complemented_if(random.once_in(2))
        };
        let (a, b, c) = (pick(), pick(), pick());
        let edge = match (random.below(4), other) {
            (0, _) => graph.and(a, b),
            (1, false) => {
                let sum = graph.xor(a, b);
                graph.xor(sum, c)
            }
            (1, true) => {
                let sum = graph.xor(c, b);
                graph.xor(sum, a)
            }
            // A choice as a sum, or as a disjunction.
            (2, false) => graph.select(a, b, c),
            (2, true) => {
                let (yes, no) = (graph.and(a, b), graph.and(!a, c));
                graph.or(yes, no)
            }
            (_, false) => graph.or(a, b),
            (_, true) => {
                let (both, sum) = (graph.and(a, b), graph.xor(a, b));
                graph.xor(both, sum)
            }
        };
        edges.push(edge);
    }
    edges.split_off(edges.len() - 8)
}

/// Whether pairs are equal for all inputs, of which there are at most 12.
fn truth(graph: &Graph, pairs: &[(Edge, Edge)]) -> bool {
    let rows = 1u64 << graph.inputs();
    (0..rows).step_by(64).all(|start| {
        let values = graph
            .evaluate(|input| (0..64).fold(0, |column, lane| column | ((start + lane) >> input & 1) << lane));
        pairs.iter().all(|&(a, b)| value_of(&values, a) == value_of(&values, b))
    })
}

/// Settings under which everything goes through the one or the other way.
fn all_limits() -> [Limits; 4] {
    let usual = Limits::default();
    [
        usual,
        // The solver alone, and few patterns.
        Limits { cut: 0, words: 2, ..usual },
        Limits { cut: 4, words: 2, conflicts: 5, ..usual },
        Limits { words: 2, seed: 5, ..usual },
    ]
}

#[test]
fn other_ways_to_make_a_function_are_proved() {
    for seed in 0..60 {
        let mut graph = Graph::new();
        let inputs = graph.input_bits(12);
        let one = random_cone(&mut graph, &inputs, seed, 150, false);
        let other = random_cone(&mut graph, &inputs, seed, 150, true);
        let pairs: Vec<_> = one.into_iter().zip(other).collect();
        assert!(truth(&graph, &pairs));
        for limits in all_limits() {
            let (answer, work) = prove(&graph, &pairs, limits);
            assert_eq!(answer, Answer::Proved, "{seed}: {work:?}");
        }
    }
}

/// A faulty gate, anywhere, is refuted, or the truth table agrees that it makes no difference.
#[test]
fn faulty_gates_are_refuted() {
    let mut harmless = 0;
    for seed in 0..400u64 {
        let mut graph = Graph::new();
        let inputs = graph.input_bits(10);
        let one = random_cone(&mut graph, &inputs, seed, 80, false);
        let mut random = Random::new(seed ^ 99);
        let faulty = with_fault(&mut graph, &one, &mut random);
        let pairs: Vec<_> = one.into_iter().zip(faulty).collect();
        let equal = truth(&graph, &pairs);
        harmless += u32::from(equal);
        for limits in all_limits() {
            match prove(&graph, &pairs, limits).0 {
                Answer::Proved => assert!(equal, "{seed}"),
                Answer::Refuted { inputs, pair } => {
                    assert!(!equal, "{seed}");
                    assert_eq!(differs(&graph, &pairs, &inputs), Some(pair), "{seed}");
                }
                Answer::Unknown { .. } => panic!("{seed}: a small graph is decided"),
            }
        }
    }
    assert!((1..200).contains(&harmless), "{harmless} faults make no difference");
}

/// The same edges with one gate of their cone replaced: a complement lost, another operand, another operator.
fn with_fault(graph: &mut Graph, roots: &[Edge], random: &mut Random) -> Vec<Edge> {
    let cone = graph.cone(roots.iter().copied());
    let gates: Vec<_> =
        cone.iter().filter(|&&vertex| matches!(graph.gate(vertex), Gate::And(..) | Gate::Xor(..))).collect();
    let victim = **random.choose(&gates);
    let mut image = vec![Edge::FALSE; graph.len()];
    for &vertex in &cone {
        let at =
            |image: &[Edge], edge: Edge| image[edge.vertex().index()].complemented_if(edge.is_complemented());
        image[vertex.index()] = match graph.gate(vertex) {
            Gate::False => Edge::FALSE,
            Gate::Input(_) => vertex.edge(),
            Gate::And(a, b) => {
                let (mut a, mut b) = (at(&image, a), at(&image, b));
                let mut complement = false;
                if vertex == victim {
                    match random.below(4) {
                        0 => a = !a,
                        1 => b = !b,
                        2 => complement = true,
                        _ => a = image[random.choose(&cone[..cone.len() / 2]).index()],
                    }
                }
                graph.and(a, b).complemented_if(complement)
            }
            Gate::Xor(a, b) => {
                let (a, b) = (image[a.index()], image[b.index()]);
                match vertex == victim {
                    true if random.once_in(2) => graph.or(a, b),
                    true => !graph.xor(a, b),
                    false => graph.xor(a, b),
                }
            }
        };
    }
    let at = |edge: &Edge| image[edge.vertex().index()].complemented_if(edge.is_complemented());
    roots.iter().map(at).collect()
}
use crate::graph::Gate;

/// Differences that one assignment in 2^20 or fewer shows are found by the solver, not by patterns.
#[test]
fn rare_differences_are_found() {
    let mut graph = Graph::new();
    let inputs = graph.input_bits(24);
    let all = inputs.iter().fold(Edge::TRUE, |all, &input| graph.and(all, input));
    let sum = inputs.iter().fold(Edge::FALSE, |sum, &input| graph.xor(sum, input));
    let changed = graph.xor(sum, all);
    let (answer, _) = prove(&graph, &[(sum, sum), (sum, changed)], Limits::default());
    // All set is a pattern that is always tried, so no solver is needed here.
    assert_eq!(answer, Answer::Refuted { inputs: vec![true; 24], pair: 1 });
    let mixed = inputs.iter().enumerate();
    let some =
        mixed.fold(Edge::TRUE, |all, (place, &input)| graph.and(all, input.complemented_if(place % 3 == 0)));
    let changed = graph.xor(sum, some);
    let (answer, _) = prove(&graph, &[(sum, changed)], Limits::default());
    let expected = (0..24).map(|place| place % 3 != 0).collect();
    assert_eq!(answer, Answer::Refuted { inputs: expected, pair: 0 });
}

#[test]
fn adders_of_two_kinds_are_one() {
    let mut graph = Graph::new();
    let (a, b) = (graph.input_bits(32), graph.input_bits(32));
    let (one, _) = add(&mut graph, &a, &b, Edge::FALSE);
    // a + b = (a | b) + (a & b), and = a - !b - 1.
    let either: Vec<Edge> = a.iter().zip(&b).map(|(&a, &b)| graph.or(a, b)).collect();
    let both: Vec<Edge> = a.iter().zip(&b).map(|(&a, &b)| graph.and(a, b)).collect();
    let (other, _) = add(&mut graph, &both, &either, Edge::FALSE);
    let (third, _) = add(&mut graph, &a, &not(&not(&b)), Edge::FALSE);
    let pairs: Vec<_> = one.iter().copied().zip(other).chain(one.iter().copied().zip(third)).collect();
    let (answer, work) = prove(&graph, &pairs, Limits::default());
    assert_eq!(answer, Answer::Proved, "{work:?}");
    let (product, exchanged) =
        (multiply(&mut graph, &a[..5], &b[..5]), multiply(&mut graph, &b[..5], &a[..5]));
    let pairs: Vec<_> = product.into_iter().zip(exchanged).collect();
    assert_eq!(prove(&graph, &pairs, Limits::default()).0, Answer::Proved);
}

/// What cannot be decided within the limits is said to be unknown.
#[test]
fn limits_are_no_proof() {
    let mut graph = Graph::new();
    let (a, b) = (graph.input_bits(16), graph.input_bits(16));
    let pairs: Vec<_> = multiply(&mut graph, &a, &b).into_iter().zip(multiply(&mut graph, &b, &a)).collect();
    let limits = Limits { conflicts: 3, final_conflicts: 3, ..Limits::default() };
    let (answer, work) = prove(&graph, &pairs, limits);
    assert!(matches!(&answer, Answer::Unknown { pairs } if !pairs.is_empty()), "{answer:?}");
    assert!(work.left > 0);
}

/// A table as a tree of choices and as sums of products of its inputs.
#[test]
fn tables_are_proved_against_their_sums() {
    let mut random = Random::new(4);
    for _ in 0..10 {
        let table: Vec<bool> = (0..256).map(|_| random.once_in(2)).collect();
        let mut graph = Graph::new();
        let inputs = graph.input_bits(8);
        let tree = look_up(&mut graph, &inputs, &table);
        // The Moebius transform of the table says which products are in the sum.
        let mut form = table.clone();
        for bit in 0..8 {
            for row in (0..256).filter(|row| row >> bit & 1 == 1) {
                form[row] ^= form[row ^ 1 << bit];
            }
        }
        let mut sum = Edge::FALSE;
        for row in (0..256usize).filter(|&row| form[row]) {
            let product = (0..8)
                .filter(|bit| row >> bit & 1 == 1)
                .fold(Edge::TRUE, |product, bit| graph.and(product, inputs[bit]));
            sum = graph.xor(sum, product);
        }
        assert_eq!(prove(&graph, &[(tree, sum)], Limits::default()).0, Answer::Proved);
        let wrong = graph.and(inputs[0], inputs[7]);
        let wrong = graph.xor(sum, wrong);
        assert!(matches!(prove(&graph, &[(tree, wrong)], Limits::default()).0, Answer::Refuted { .. }));
    }
}
