//! Combinational circuits with named inputs and outputs, and the formats that other tools read.
//!
//! [`Circuit`] is a graph with ports. [`aiger`], [`blif`], [`smtlib`] and [`bristol`] write one. All write the bits of a parameter in
//! one order: atom by atom as the text declares them, and each atom from its least significant bit. Bit 3 of atom 2 of `plain` is
//! called `plain[2].3` where the format has names. What is written depends on the circuit alone.

pub mod aiger;
pub mod blif;
pub mod bristol;
pub mod smtlib;

use crate::graph::{Edge, Gate, Graph, Vertex};
use crate::shapes::{Unlike, batch_inputs, batch_outputs, check_shapes, recut};
use crate::symbolic::source::Refuses;
use crate::symbolic::{Values, fresh, source, usuba0};
use usuba_ir::program::Program;
use usuba_lang::typed;

/// An atom of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// Its name: that of the parameter, with indices.
    pub name: String,
    /// Its bits, from the least significant.
    pub bits: Vec<Edge>,
}

/// An input or output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// Its name in the text.
    pub name: String,
    /// Its atoms in order.
    pub atoms: Vec<Atom>,
}

impl Port {
    /// All of its bits in the order of the formats.
    pub fn bits(&self) -> impl Iterator<Item = Edge> {
        self.atoms.iter().flat_map(|atom| &atom.bits).copied()
    }
}

/// A combinational circuit. Its inputs are those of its graph, in order.
#[derive(Clone, Debug)]
pub struct Circuit {
    /// The name of the node.
    pub name: String,
    /// The vertices.
    pub graph: Graph,
    /// The inputs.
    pub inputs: Vec<Port>,
    /// The outputs.
    pub outputs: Vec<Port>,
}

impl Circuit {
    /// What a text says, its tables looked up entry by entry.
    ///
    /// # Errors
    /// The text has no result for all inputs.
    pub fn of_text(text: &typed::Program) -> Result<Circuit, Refuses> {
        let mut graph = Graph::new();
        let inputs = fresh(&mut graph, &source::inputs(text));
        let outputs = source::run(&mut graph, text, &inputs, &mut Vec::new())?;
        Ok(Circuit::on(graph, text, inputs, outputs))
    }

    /// What a program of Usuba0 computes that was made of a text, for one batch and with the same bits in the same order; with the
    /// atoms and the names of the text.
    ///
    /// # Errors
    /// It has other inputs or outputs than the text.
    pub fn of_program(text: &typed::Program, program: &Program) -> Result<Circuit, Unlike> {
        let shapes = (source::inputs(text), source::outputs(text));
        let of_batch = (batch_inputs(program), batch_outputs(program));
        check_shapes("inputs", &shapes.0, &of_batch.0)?;
        check_shapes("outputs", &shapes.1, &of_batch.1)?;
        let mut graph = Graph::new();
        let inputs = fresh(&mut graph, &shapes.0);
        let outputs = usuba0::run(&mut graph, program, &recut(&inputs, &of_batch.0), &mut Vec::new());
        let outputs = recut(&outputs, &shapes.1);
        Ok(Circuit::on(graph, text, inputs, outputs))
    }

    /// Some bits of a graph, all of its inputs as one parameter.
    pub fn of_bits(name: &str, graph: &Graph, outputs: Vec<Edge>) -> Circuit {
        let is_input = |vertex: &Vertex| matches!(graph.gate(*vertex), Gate::Input(_));
        let inputs = graph.vertices().filter(is_input).map(Vertex::edge).collect();
        let port = |name: &str, bits: Vec<Edge>| {
            let (name, bits) = (name.to_owned(), bits);
            vec![Port { name: name.clone(), atoms: vec![Atom { name, bits }] }]
        };
        Circuit {
            name: name.to_owned(),
            graph: graph.clone(),
            inputs: port("x", inputs),
            outputs: port("y", outputs),
        }
    }

    fn on(graph: Graph, text: &typed::Program, inputs: Values, outputs: Values) -> Circuit {
        let entry = text.instance(text.entry());
        let port = |(&id, atoms): (&typed::VariableId, Vec<Vec<Edge>>)| {
            let variable = entry.variable(id);
            let named = (0..).zip(atoms).map(|(atom, bits)| {
                let indices: String = variable.indices(atom).map(|index| format!("[{index}]")).collect();
                Atom { name: format!("{}{indices}", variable.name), bits }
            });
            Port { name: variable.name.clone(), atoms: named.collect() }
        };
        Circuit {
            name: entry.name.clone(),
            graph,
            inputs: entry.inputs.iter().zip(inputs).map(port).collect(),
            outputs: entry.outputs.iter().zip(outputs).map(port).collect(),
        }
    }

    /// The bits of all outputs.
    pub fn output_bits(&self) -> impl Iterator<Item = Edge> {
        self.outputs.iter().flat_map(Port::bits)
    }

    /// The conjunctions and sums that outputs are made of, in order.
    pub fn gates(&self) -> Vec<Vertex> {
        let is_gate = |vertex: &Vertex| matches!(self.graph.gate(*vertex), Gate::And(..) | Gate::Xor(..));
        self.graph.cone(self.output_bits()).into_iter().filter(is_gate).collect()
    }

    /// How many conjunctions and how many sums there are.
    pub fn counts(&self) -> (usize, usize) {
        let gates = self.gates();
        let ands = gates.iter().filter(|&&one| matches!(self.graph.gate(one), Gate::And(..))).count();
        (ands, gates.len() - ands)
    }
}

/// The names of the bits of ports, in order.
fn names(ports: &[Port]) -> impl Iterator<Item = String> {
    let atoms = ports.iter().flat_map(|port| &port.atoms);
    atoms.flat_map(|atom| (0..atom.bits.len()).map(|bit| bit_name(&atom.name, atom.bits.len(), bit)))
}

fn bit_name(atom: &str, width: usize, bit: usize) -> String {
    if width == 1 { atom.to_owned() } else { format!("{atom}.{bit}") }
}
