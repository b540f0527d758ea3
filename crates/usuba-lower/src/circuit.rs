//! Circuits of gates of two and three inputs, and the nodes that compute them.

use usuba_ir::builder::NodeBuilder;
use usuba_ir::evaluate;
use usuba_ir::layout::Layout;
use usuba_ir::program::{BinaryOp, Node, Origin, Parameter, Program, Type, ValueId};

/// A gate of one, two or three inputs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Gate {
    /// `~a`.
    Not(usize),
    /// `a & b`.
    And(usize, usize),
    /// `a | b`.
    Or(usize, usize),
    /// `a ^ b`.
    Xor(usize, usize),
    /// `a & ~b`.
    AndNot(usize, usize),
    /// The function of three bits with this truth table ([`usuba_logic::truth`]).
    Ternary(u8, [usize; 3]),
}

/// A circuit. Wires are numbered: the inputs first, most significant first, then the gates in order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Circuit {
    /// Number of inputs.
    pub inputs: usize,
    /// The gates in order of evaluation.
    pub gates: Vec<Gate>,
    /// The wires that are the outputs, most significant first.
    pub outputs: Vec<usize>,
    /// How many gates its netlist has: fewer than `gates` where complemented outputs were written as two.
    pub cost: usize,
    /// Where it comes from.
    pub source: String,
}

impl Circuit {
    /// The outputs for a list of input words; bit j of every word is case j.
    pub fn evaluate(&self, inputs: &[u64]) -> Vec<u64> {
        let mut wires = inputs.to_vec();
        for gate in &self.gates {
            wires.push(match *gate {
                Gate::Not(a) => !wires[a],
                Gate::And(a, b) => wires[a] & wires[b],
                Gate::Or(a, b) => wires[a] | wires[b],
                Gate::Xor(a, b) => wires[a] ^ wires[b],
                Gate::AndNot(a, b) => wires[a] & !wires[b],
                Gate::Ternary(table, of) => {
                    evaluate::ternary(64, table, of.map(|wire| u128::from(wires[wire]))) as u64
                }
            });
        }
        self.outputs.iter().map(|&wire| wires[wire]).collect()
    }

    /// The same circuit with input k at place `order[k]`, and with output j from output `sources[j]`.
    pub(crate) fn rewire(&self, order: &[usize], sources: &[usize]) -> Circuit {
        let wire = |w: usize| order.get(w).copied().unwrap_or(w);
        let gates = self
            .gates
            .iter()
            .map(|gate| match *gate {
                Gate::Not(a) => Gate::Not(wire(a)),
                Gate::And(a, b) => Gate::And(wire(a), wire(b)),
                Gate::Or(a, b) => Gate::Or(wire(a), wire(b)),
                Gate::Xor(a, b) => Gate::Xor(wire(a), wire(b)),
                Gate::AndNot(a, b) => Gate::AndNot(wire(a), wire(b)),
                Gate::Ternary(table, of) => Gate::Ternary(table, of.map(wire)),
            })
            .collect();
        let outputs = sources.iter().map(|&j| wire(self.outputs[j])).collect();
        Circuit { inputs: self.inputs, gates, outputs, cost: self.cost, source: self.source.clone() }
    }

    /// A program of one node on single bits that computes it.
    pub fn program(&self) -> Program {
        let name = "Circuit".to_owned();
        let node = self.node(NodeBuilder::new(name.clone()), &name, &Origin::default());
        Program { files: Vec::new(), nodes: vec![node], interleave: 1 }
    }

    /// The node on single bits that computes it, begun by the caller with its name and attributes. `name` and `origin` are those
    /// of the table.
    pub(crate) fn node(&self, mut builder: NodeBuilder, name: &str, origin: &Origin) -> Node {
        let ty = Type::atom(Layout::BIT);
        let bit = |name: String| Parameter { name, ty, shape: Vec::new(), uniform: false };
        let wires: Vec<ValueId> = (0..self.inputs).map(|i| builder.input(bit(format!("x{i}")))).collect();
        for (j, result) in self.emit(&mut builder, &wires, name, origin).into_iter().enumerate() {
            builder.output(bit(format!("y{j}")), result);
        }
        builder.finish()
    }

    /// Adds its gates to a node, and returns its outputs. Gate 14 of the table `SubBytes` is `SubBytes.t14`, and output 3
    /// `SubBytes.y3`.
    pub(crate) fn emit(
        &self,
        builder: &mut NodeBuilder,
        inputs: &[ValueId],
        name: &str,
        origin: &Origin,
    ) -> Vec<ValueId> {
        let mut wires = inputs.to_vec();
        for (number, gate) in self.gates.iter().enumerate() {
            let wire = match self.outputs.iter().position(|&output| output == wires.len()) {
                Some(output) => format!("{name}.y{output}"),
                None => format!("{name}.t{number}"),
            };
            builder.at(Origin { name: Some(wire.into()), ..origin.clone() });
            wires.push(match *gate {
                Gate::Not(a) => builder.not(wires[a]),
                Gate::And(a, b) => builder.binary(BinaryOp::And, wires[a], wires[b]),
                Gate::Or(a, b) => builder.binary(BinaryOp::Or, wires[a], wires[b]),
                Gate::Xor(a, b) => builder.binary(BinaryOp::Xor, wires[a], wires[b]),
                Gate::AndNot(a, b) => builder.binary(BinaryOp::AndNot, wires[a], wires[b]),
                Gate::Ternary(table, of) => builder.ternary(table, of.map(|wire| wires[wire])),
            });
        }
        builder.at(origin.clone());
        self.outputs.iter().map(|&wire| wires[wire]).collect()
    }

    /// Its value for every input in order, by evaluation: output word, first output most significant.
    pub fn table(&self) -> Vec<u64> {
        (0..1u64 << self.inputs)
            .map(|index| {
                let bits: Vec<u64> = (0..self.inputs).map(|i| index >> (self.inputs - 1 - i) & 1).collect();
                self.evaluate(&bits).iter().fold(0, |word, bit| word << 1 | bit & 1)
            })
            .collect()
    }
}

/// The gates that are one instruction on a machine, beside those of two inputs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Basis {
    /// None.
    #[default]
    TwoInput,
    /// The choice between two bits by a third.
    Select,
    /// Every function of three bits.
    Ternary,
}
