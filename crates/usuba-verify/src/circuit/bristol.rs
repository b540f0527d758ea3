//! Bristol Fashion, the format of circuits for multi-party computation: gates AND, XOR and INV, and EQ and EQW where an output is a
//! constant, an input or another output. Each parameter is a value; the wires of inputs are the first, those of outputs the last.

use super::{Circuit, Port};
use crate::graph::{Edge, Gate};
use std::collections::{BTreeMap, BTreeSet};

/// A line, before wires have their numbers.
struct Line {
    inputs: Vec<usize>,
    output: usize,
    gate: &'static str,
}

/// The text of a file.
pub fn write(circuit: &Circuit) -> String {
    let graph = &circuit.graph;
    let count = graph.inputs() as usize;
    let mut next = count;
    let mut lines: Vec<Line> = Vec::new();
    // The wire of each edge that has one.
    let mut wires: BTreeMap<Edge, usize> = BTreeMap::new();
    for vertex in graph.vertices() {
        if let Gate::Input(number) = graph.gate(vertex) {
            wires.insert(vertex.edge(), number as usize);
        }
    }
    let wire = |edge: Edge, wires: &mut BTreeMap<Edge, usize>, lines: &mut Vec<Line>, next: &mut usize| {
        if let Some(&wire) = wires.get(&edge) {
            return wire;
        }
        // A constant, or the complement of what has a wire.
        let (inputs, gate) = match edge.known() {
            Some(value) => (vec![usize::from(value)], "EQ"),
            None => (vec![wires[&!edge]], "INV"),
        };
        lines.push(Line { inputs, output: *next, gate });
        wires.insert(edge, *next);
        *next += 1;
        *next - 1
    };
    for vertex in circuit.gates() {
        let (a, b, gate) = match graph.gate(vertex) {
            Gate::And(a, b) => (a, b, "AND"),
            Gate::Xor(a, b) => (a.edge(), b.edge(), "XOR"),
            Gate::False | Gate::Input(_) => continue,
        };
        let inputs =
            vec![wire(a, &mut wires, &mut lines, &mut next), wire(b, &mut wires, &mut lines, &mut next)];
        lines.push(Line { inputs, output: next, gate });
        wires.insert(vertex.edge(), next);
        next += 1;
    }
    // A wire that is one output is moved to its place; one that is an input or several outputs is copied there.
    let mut outputs: Vec<usize> = Vec::new();
    let mut moved: BTreeSet<usize> = BTreeSet::new();
    for edge in circuit.output_bits() {
        let found = wire(edge, &mut wires, &mut lines, &mut next);
        let place = if found >= count && moved.insert(found) {
            found
        } else {
            lines.push(Line { inputs: vec![found], output: next, gate: "EQW" });
            moved.insert(next);
            next += 1;
            next - 1
        };
        outputs.push(place);
    }
    let mut numbers: Vec<usize> = vec![0; next];
    let first_output = next - outputs.len();
    (0..).zip(&outputs).for_each(|(place, &wire)| numbers[wire] = first_output + place);
    let others = (0..next).filter(|wire| !moved.contains(wire));
    (0..).zip(others).for_each(|(number, wire)| numbers[wire] = number);
    let values = |ports: &[Port]| {
        let sizes = ports.iter().map(|port| format!(" {}", port.bits().count()));
        format!("{}{}\n", ports.len(), sizes.collect::<String>())
    };
    let mut text =
        format!("{} {next}\n{}{}\n", lines.len(), values(&circuit.inputs), values(&circuit.outputs));
    for Line { inputs, output, gate } in lines {
        let of = |&input: &usize| if gate == "EQ" { input } else { numbers[input] };
        let inputs: Vec<String> = inputs.iter().map(|input| of(input).to_string()).collect();
        text.push_str(&format!("{} 1 {} {} {gate}\n", inputs.len(), inputs.join(" "), numbers[output]));
    }
    text
}
