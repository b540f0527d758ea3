//! Usuba0 on bits of a graph: the meaning that `usuba_ir::interpret` gives to numbers, given to bits.

use super::{Signal, Values};
use crate::graph::{Edge, Graph, blocks, words};
use usuba_ir::layout::Layout;
use usuba_ir::program::{BinaryOp, Block, Node, NodeId, Op, Operation, Program, ShiftOp, Type, ValueId};

/// The width and the number of atoms of each input.
pub fn inputs(program: &Program) -> Vec<(u32, u32)> {
    program.entry().inputs.iter().map(|input| (input.ty.layout.width(), input.ty.atoms())).collect()
}

/// How many bits the operations of the entry make, calls and loops included: what a run costs.
pub fn cost(program: &Program) -> u64 {
    let mut costs: Vec<u64> = Vec::with_capacity(program.nodes.len());
    for node in &program.nodes {
        costs.push(block_cost(node, &node.body, &costs));
    }
    costs.last().copied().unwrap_or(0)
}

fn block_cost(node: &Node, block: &Block, callees: &[u64]) -> u64 {
    let of = |Operation { results, op }: &Operation| {
        let bits = |value: &ValueId| u64::from(node.ty(*value).layout.width() * node.ty(*value).atoms());
        let made: u64 = results.iter().map(bits).sum();
        made + match op {
            Op::Call(callee, _) => callees.get(callee.index()).copied().unwrap_or(0),
            Op::Loop(inner) => u64::from(inner.trips).saturating_mul(block_cost(node, &inner.body, callees)),
            // A product of n bits is n sums of up to n bits; a round of AES is looked up.
            Op::Binary(BinaryOp::Multiply, ..) | Op::MapBytes(..) | Op::Block(..) => 64 * made,
            _ => 0,
        }
    };
    block.operations.iter().map(of).fold(0, u64::saturating_add)
}

/// The outputs of the entry of a program that passes the checker, and its named values in the order in which they are made.
///
/// # Panics
/// If the inputs are not those of the entry, or the program does not pass the checker.
pub fn run(graph: &mut Graph, program: &Program, inputs: &Values, signals: &mut Vec<Signal>) -> Values {
    let entry = program.entry();
    let flat: Vec<Vec<Edge>> = inputs.iter().map(|atoms| atoms.concat()).collect();
    let mut run = Run { graph, program, signals };
    let outputs = run.node(entry, flat, &entry.name);
    let atoms = |(ty, bits): (Type, Vec<Edge>)| {
        bits.chunks(ty.layout.width() as usize).map(<[Edge]>::to_vec).collect()
    };
    entry.outputs.iter().map(|output| output.ty).zip(outputs).map(atoms).collect()
}

struct Run<'a> {
    graph: &'a mut Graph,
    program: &'a Program,
    signals: &'a mut Vec<Signal>,
}

/// The values of a node that is being run: the bits of all atoms, one after the other.
struct Frame<'a> {
    node: &'a Node,
    values: Vec<Vec<Edge>>,
    inductions: Vec<i64>,
}

impl Frame<'_> {
    fn at(&self, value: ValueId) -> &[Edge] {
        &self.values[value.index()]
    }

    fn all(&self, values: &[ValueId]) -> Vec<Vec<Edge>> {
        values.iter().map(|&value| self.at(value).to_vec()).collect()
    }

    fn set(&mut self, ids: &[ValueId], values: Vec<Vec<Edge>>) {
        ids.iter().zip(values).for_each(|(id, value)| self.values[id.index()] = value);
    }
}

impl<'a> Run<'a> {
    fn node(&mut self, node: &'a Node, inputs: Vec<Vec<Edge>>, path: &str) -> Vec<Vec<Edge>> {
        let mut frame = Frame {
            node,
            values: vec![Vec::new(); node.values.len()],
            inductions: vec![0; node.inductions as usize],
        };
        frame.set(&node.body.parameters, inputs);
        self.block(&node.body, &mut frame, path);
        frame.all(&node.body.results)
    }

    fn block(&mut self, block: &'a Block, frame: &mut Frame<'a>, path: &str) {
        for Operation { results, op } in &block.operations {
            match op {
                Op::Call(callee, arguments) => {
                    let node: &'a Node = self.program.node(NodeId(callee.0));
                    let outputs = self.node(node, frame.all(arguments), &format!("{path}/{}", node.name));
                    frame.set(results, outputs);
                }
                Op::Loop(inner) => {
                    let mut carried = frame.all(&inner.initial);
                    for trip in 0..inner.trips {
                        frame.inductions[inner.induction.index()] = i64::from(trip);
                        frame.set(&inner.body.parameters, carried);
                        self.block(&inner.body, frame, &format!("{path}[{trip}]"));
                        carried = frame.all(&inner.body.results);
                    }
                    frame.set(results, carried);
                }
                _ => {
                    let Some(&result) = results.first() else { continue };
                    let value = self.compute(op, frame.node.ty(result), frame);
                    frame.values[result.index()] = value;
                }
            }
            for &result in results {
                if let Some(name) = &frame.node.value(result).origin.name {
                    let bits = frame.at(result).to_vec();
                    self.signals.push(Signal { name: format!("{path}/{name}"), bits });
                }
            }
        }
    }

    /// The value of an operation that is no call and no loop.
    fn compute(&mut self, op: &Op, ty: Type, frame: &Frame<'_>) -> Vec<Edge> {
        let graph = &mut *self.graph;
        let layout = ty.layout;
        let width = layout.width() as usize;
        let place = |index: &usuba_ir::program::Affine| index.at(&frame.inductions) as usize * width;
        match op {
            Op::Constant(number) => words::constant(width, *number),
            Op::Not(a) => words::not(frame.at(*a)),
            Op::Binary(op, a, b) => binary(graph, *op, layout, frame.at(*a), frame.at(*b)),
            Op::Ternary(table, of) => words::ternary(graph, *table, of.map(|operand| frame.at(operand))),
            Op::Shift(op, a, amount) => {
                let words = frame.at(*a).chunks(word_bits(layout));
                words.flat_map(|word| shift(*op, word, *amount as usize)).collect()
            }
            Op::Shuffle(a, pattern) => {
                let a = frame.at(*a);
                let bit = |from: &Option<u32>| from.map_or(Edge::FALSE, |from| a[width - 1 - from as usize]);
                pattern.iter().rev().map(bit).collect()
            }
            Op::Bitmask(a, bit) => vec![frame.at(*a)[*bit as usize]; width],
            Op::MapBytes(a, map) => {
                let bytes = frame.at(*a).chunks(8);
                bytes.flat_map(|byte| blocks::map_byte(graph, byte, map)).collect()
            }
            Op::Block(op, a, b) => {
                let [a, b] = [a, b].map(|operand| reversed_bytes(frame.at(*operand)));
                reversed_bytes(&blocks::block(graph, *op, &a, &b))
            }
            Op::InverseMixColumns(a) => {
                reversed_bytes(&blocks::inverse_mix_columns(graph, &reversed_bytes(frame.at(*a))))
            }
            Op::Pack(high, low) => [frame.at(*low), frame.at(*high)].concat(),
            Op::Refresh(a) => frame.at(*a).to_vec(),
            Op::Array(atoms) => atoms.iter().flat_map(|&atom| frame.at(atom).to_vec()).collect(),
            Op::Get(array, index) => frame.at(*array)[place(index)..][..width].to_vec(),
            Op::Slice(array, index) => {
                frame.at(*array)[place(index)..][..width * ty.atoms() as usize].to_vec()
            }
            Op::Set(array, index, value) | Op::Splice(array, index, value) => {
                let mut bits = frame.at(*array).to_vec();
                let value = frame.at(*value);
                bits[place(index)..][..value.len()].copy_from_slice(value);
                bits
            }
            Op::Call(..) | Op::Loop(_) => Vec::new(),
        }
    }
}

/// Bits of what arithmetic and shifts act on.
fn word_bits(layout: Layout) -> usize {
    if layout.has_lanes() { layout.word as usize } else { layout.width() as usize }
}

fn binary(graph: &mut Graph, op: BinaryOp, layout: Layout, a: &[Edge], b: &[Edge]) -> Vec<Edge> {
    let mut each =
        |function: &mut dyn FnMut(&mut Graph, Edge, Edge) -> Edge| words::each(graph, a, b, function);
    match op {
        BinaryOp::And => return each(&mut Graph::and),
        BinaryOp::Or => return each(&mut Graph::or),
        BinaryOp::Xor => return each(&mut Graph::xor),
        BinaryOp::AndNot => return each(&mut |graph, a, b| graph.and(a, !b)),
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => {}
    }
    let size = word_bits(layout);
    let words = a.chunks(size).zip(b.chunks(size));
    words
        .flat_map(|(a, b)| match op {
            BinaryOp::Add => words::add(graph, a, b, Edge::FALSE).0,
            BinaryOp::Subtract => words::subtract(graph, a, b).0,
            _ => words::multiply(graph, a, b),
        })
        .collect()
}

/// A shift or rotation of one word, by less than its width.
fn shift(op: ShiftOp, word: &[Edge], amount: usize) -> Vec<Edge> {
    let width = word.len();
    let bit = |place: usize| match op {
        ShiftOp::Left => place.checked_sub(amount).map_or(Edge::FALSE, |from| word[from]),
        ShiftOp::Right => word.get(place + amount).copied().unwrap_or(Edge::FALSE),
        ShiftOp::RightArithmetic => word[(place + amount).min(width - 1)],
        ShiftOp::RotateLeft => word[(place + width - amount) % width],
        ShiftOp::RotateRight => word[(place + amount) % width],
    };
    (0..width).map(bit).collect()
}

/// From the bits of a block's number, whose most significant byte is the first, to those in memory order, and back.
fn reversed_bytes(bits: &[Edge]) -> Vec<Edge> {
    bits.chunks(8).rev().flatten().copied().collect()
}
