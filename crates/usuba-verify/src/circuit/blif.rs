//! Berkeley Logic Interchange Format: a model of functions of two signals.

use super::{Circuit, names};
use crate::graph::{Edge, Gate};

/// The text of a file.
pub fn write(circuit: &Circuit) -> String {
    let graph = &circuit.graph;
    let (inputs, outputs): (Vec<String>, Vec<String>) =
        (names(&circuit.inputs).collect(), names(&circuit.outputs).collect());
    let name = |edge: Edge| match graph.gate(edge.vertex()) {
        Gate::Input(number) => inputs[number as usize].clone(),
        // No name of a program has this character.
        _ => format!("${}", edge.vertex().index()),
    };
    let bit = |edge: Edge| u32::from(!edge.is_complemented());
    let model: String =
        circuit.name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    let mut text = format!("# {} by usubac\n.model {model}\n", circuit.name);
    for (head, list) in [(".inputs", &inputs), (".outputs", &outputs)] {
        text.push_str(head);
        for (number, name) in list.iter().enumerate() {
            text.push_str(if number > 0 && number % 8 == 0 { " \\\n " } else { " " });
            text.push_str(name);
        }
        text.push('\n');
    }
    for vertex in circuit.gates() {
        let (a, b, rows) = match graph.gate(vertex) {
            Gate::And(a, b) => (a, b, format!("{}{} 1\n", bit(a), bit(b))),
            Gate::Xor(a, b) => (a.edge(), b.edge(), "01 1\n10 1\n".to_owned()),
            Gate::False | Gate::Input(_) => continue,
        };
        text.push_str(&format!(".names {} {} {}\n{rows}", name(a), name(b), name(vertex.edge())));
    }
    for (edge, output) in circuit.output_bits().zip(&outputs) {
        text.push_str(&match edge.known() {
            Some(true) => format!(".names {output}\n1\n"),
            Some(false) => format!(".names {output}\n"),
            None => format!(".names {} {output}\n{} 1\n", name(edge), bit(edge)),
        });
    }
    text.push_str(".end\n");
    text
}
