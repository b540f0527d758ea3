//! Binary AIGER, version 1.9 without latches: an and-inverter graph, a symbol table, a comment. A sum is three conjunctions.
//!
//! A. Biere, K. Heljanko, S. Wieringa, *AIGER 1.9 and Beyond*, Johannes Kepler University, 2011.

use super::{Circuit, names};
use crate::graph::{Edge, Gate};

/// The bytes of a file.
pub fn write(circuit: &Circuit) -> Vec<u8> {
    let graph = &circuit.graph;
    let count = graph.inputs();
    let mut literals: Vec<u32> = vec![0; graph.len()];
    for vertex in graph.vertices() {
        if let Gate::Input(number) = graph.gate(vertex) {
            literals[vertex.index()] = 2 * (number + 1);
        }
    }
    let mut gates: Vec<[u32; 2]> = Vec::new();
    let mut and = |a: u32, b: u32| {
        gates.push([a.max(b), a.min(b)]);
        2 * (count + gates.len() as u32)
    };
    for vertex in circuit.gates() {
        let at = |edge: Edge| literals[edge.vertex().index()] ^ u32::from(edge.is_complemented());
        literals[vertex.index()] = match graph.gate(vertex) {
            Gate::And(a, b) => and(at(a), at(b)),
            Gate::Xor(a, b) => {
                let (a, b) = (at(a.edge()), at(b.edge()));
                let (one, other) = (and(a, b ^ 1), and(a ^ 1, b));
                and(one ^ 1, other ^ 1) ^ 1
            }
            Gate::False | Gate::Input(_) => continue,
        };
    }
    let outputs: Vec<u32> = circuit
        .output_bits()
        .map(|edge| literals[edge.vertex().index()] ^ u32::from(edge.is_complemented()))
        .collect();
    let (all, ands) = (count as usize + gates.len(), gates.len());
    let mut file = format!("aig {all} {count} 0 {} {ands}\n", outputs.len()).into_bytes();
    outputs.iter().for_each(|literal| file.extend(format!("{literal}\n").bytes()));
    for (number, [large, small]) in (0..).zip(gates) {
        let literal: u32 = 2 * (count + number + 1);
        push_number(&mut file, literal - large);
        push_number(&mut file, large - small);
    }
    for (letter, ports) in [('i', &circuit.inputs), ('o', &circuit.outputs)] {
        for (number, name) in names(ports).enumerate() {
            file.extend(format!("{letter}{number} {name}\n").bytes());
        }
    }
    file.extend(format!("c\n{} by usubac\n", circuit.name).bytes());
    file
}

/// Seven bits a byte, the least significant first; the high bit says that more follow.
fn push_number(file: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        file.push(number as u8 | 0x80);
        number >>= 7;
    }
    file.push(number as u8);
}
