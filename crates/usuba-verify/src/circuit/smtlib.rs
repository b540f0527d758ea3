//! SMT-LIB 2: every atom of an input is a constant of bits, every gate and every atom of an output is defined.
//!
//! The text has no `check-sat`: a user adds what inputs or outputs have to be, and asks.

use super::{Atom, Circuit};
use crate::graph::{Edge, Gate};

/// The text of a file.
pub fn write(circuit: &Circuit) -> String {
    let graph = &circuit.graph;
    let term = |edge: Edge| {
        let vertex = match edge.vertex().index() {
            0 => "false".to_owned(),
            number => format!("n{number}"),
        };
        if edge.is_complemented() { format!("(not {vertex})") } else { vertex }
    };
    let mut text = format!("; {} by usubac\n(set-logic QF_BV)\n", circuit.name);
    let atoms = |ports: &'_ [super::Port]| -> Vec<Atom> {
        ports.iter().flat_map(|port| port.atoms.iter().cloned()).collect()
    };
    for Atom { name, bits } in atoms(&circuit.inputs) {
        text.push_str(&format!("(declare-fun |{name}| () (_ BitVec {}))\n", bits.len()));
        for (bit, edge) in bits.iter().enumerate() {
            let term = term(*edge);
            text.push_str(&format!(
                "(define-fun {term} () Bool (= ((_ extract {bit} {bit}) |{name}|) #b1))\n"
            ));
        }
    }
    for vertex in circuit.gates() {
        let value = match graph.gate(vertex) {
            Gate::And(a, b) => format!("(and {} {})", term(a), term(b)),
            Gate::Xor(a, b) => format!("(xor {} {})", term(a.edge()), term(b.edge())),
            Gate::False | Gate::Input(_) => continue,
        };
        text.push_str(&format!("(define-fun {} () Bool {value})\n", term(vertex.edge())));
    }
    for Atom { name, bits } in atoms(&circuit.outputs) {
        let bit = |&edge: &Edge| format!("(ite {} #b1 #b0)", term(edge));
        let list: Vec<String> = bits.iter().rev().map(bit).collect();
        let value = if list.len() == 1 { list.concat() } else { format!("(concat {})", list.join(" ")) };
        text.push_str(&format!("(define-fun |{name}| () (_ BitVec {}) {value})\n", bits.len()));
    }
    text
}
