//! SMT-LIB 2: atoms of inputs and outputs are constants of bits, gates constants that are true or false, and assertions say what
//! gates and outputs are.
//!
//! Assertions and no `define-fun`: Z3 4.8 puts definitions into each other before it begins, and takes 177 s for RECTANGLE with all
//! inputs and outputs given, instead of 1.5 s. The text has no `check-sat`: a user adds what inputs or outputs have to be, and asks.

use super::{Atom, Circuit};
use crate::graph::{Edge, Gate};

/// The text of a file.
pub fn write(circuit: &Circuit) -> String {
    let graph = &circuit.graph;
    let term = |edge: Edge| {
        let vertex = match edge.vertex().index() {
            0 => "false".to_owned(),
            // No name of a program has this character.
            number => format!("gate!{number}"),
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
            text.push_str(&defined(
                &term(*edge),
                "Bool",
                &format!("(= ((_ extract {bit} {bit}) |{name}|) #b1)"),
            ));
        }
    }
    for vertex in circuit.gates() {
        let value = match graph.gate(vertex) {
            Gate::And(a, b) => format!("(and {} {})", term(a), term(b)),
            Gate::Xor(a, b) => format!("(xor {} {})", term(a.edge()), term(b.edge())),
            Gate::False | Gate::Input(_) => continue,
        };
        text.push_str(&defined(&term(vertex.edge()), "Bool", &value));
    }
    for Atom { name, bits } in atoms(&circuit.outputs) {
        let bit = |&edge: &Edge| format!("(ite {} #b1 #b0)", term(edge));
        let list: Vec<String> = bits.iter().rev().map(bit).collect();
        let value = if list.len() == 1 { list.concat() } else { format!("(concat {})", list.join(" ")) };
        text.push_str(&defined(&format!("|{name}|"), &format!("(_ BitVec {})", bits.len()), &value));
    }
    text
}

/// A constant, and what it is.
fn defined(name: &str, sort: &str, value: &str) -> String {
    format!("(declare-fun {name} () {sort})\n(assert (= {name} {value}))\n")
}
