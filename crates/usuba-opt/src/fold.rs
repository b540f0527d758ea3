//! Compute with constants, and apply the laws of logic.
//!
//! In: any program. Out: no operator has only constants for operands, and no law of [`usuba_ir::laws::LAWS`] applies (its
//! test proves them). Complements are absorbed, so `Not`s may be left without a use. Cost: one walk, a few comparisons
//! per operation.
//!
//! Laws used: the table, and the meaning of the operators on constants. `Refresh` is not looked through.

use crate::forward::Forward;
use crate::pass::{Settings, open_nodes};
use usuba_ir::laws::{self, Facts, Simpler};
use usuba_ir::layout::Layout;
use usuba_ir::program::{Block, Node, Op, Operation, Program, ValueId};

/// The pass.
pub fn run(program: &mut Program, _: &Settings) {
    for node in open_nodes(program) {
        let mut body = std::mem::take(&mut node.body);
        let known = Known(vec![Fact::Nothing; node.values.len()]);
        Fold { node, forward: Forward::new(node), known }.block(&mut body);
        node.body = body;
        node.renumber();
    }
}

#[derive(Clone, Copy)]
enum Fact {
    Nothing,
    Constant(u128),
    Not(ValueId),
}

struct Known(Vec<Fact>);

impl Facts for Known {
    fn constant(&self, value: ValueId) -> Option<u128> {
        match self.0[value.index()] {
            Fact::Constant(number) => Some(number),
            _ => None,
        }
    }

    fn complement(&self, value: ValueId) -> Option<ValueId> {
        match self.0[value.index()] {
            Fact::Not(operand) => Some(operand),
            _ => None,
        }
    }
}

struct Fold<'a> {
    node: &'a Node,
    forward: Forward,
    known: Known,
}

impl Fold<'_> {
    fn block(&mut self, block: &mut Block) {
        block.operations.retain_mut(|operation| self.keep(operation));
        self.forward.all(&mut block.results);
    }

    /// Simplifies an operation; whether it stays.
    fn keep(&mut self, operation: &mut Operation) -> bool {
        let Operation { results, op } = operation;
        self.forward.operands(op);
        if let Op::Loop(inner) = op {
            self.block(&mut inner.body);
        }
        let &[result] = results.as_slice() else { return true };
        while let Some(simpler) = laws::simplify(op, self.operand_layout(op), &self.known) {
            match simpler {
                Simpler::Op(simpler) => *op = simpler,
                Simpler::Constant(number) => {
                    *op = Op::Constant(number);
                    break;
                }
                Simpler::Value(value) => {
                    self.forward.replace(result, value);
                    return false;
                }
            }
        }
        self.known.0[result.index()] = match op {
            Op::Constant(number) => Fact::Constant(*number),
            Op::Not(operand) => Fact::Not(*operand),
            _ => Fact::Nothing,
        };
        true
    }

    /// The layout of the first operand, which is that of all for the operators that the laws know.
    fn operand_layout(&self, op: &Op) -> Layout {
        let mut layout = None;
        op.operands(|operand| _ = layout.get_or_insert(self.node.ty(operand).layout));
        layout.unwrap_or(Layout::BIT)
    }
}
