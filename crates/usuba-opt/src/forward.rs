//! Values that stand for other values.

use usuba_ir::program::{Block, Node, Op, ValueId};

/// For each value of a node, the value that replaces it.
pub struct Forward(Vec<ValueId>);

impl Forward {
    /// Every value of the node stands for itself.
    pub fn new(node: &Node) -> Forward {
        Forward((0..node.values.len() as u32).map(ValueId).collect())
    }

    /// From now on, `value` is replaced by `by`, which is visible wherever `value` is.
    pub fn replace(&mut self, value: ValueId, by: ValueId) {
        self.0[value.index()] = self.resolve(by);
    }

    /// What replaces a value in the end.
    pub fn resolve(&mut self, mut value: ValueId) -> ValueId {
        // Halving the path on the way, so that long chains are walked once.
        loop {
            let next = self.0[value.index()];
            if next == value {
                return value;
            }
            let after = self.0[next.index()];
            self.0[value.index()] = after;
            value = after;
        }
    }

    /// Adds values that stand for themselves, up to `count`.
    pub fn extend(&mut self, count: usize) {
        self.0.extend((self.0.len() as u32..count as u32).map(ValueId));
    }

    /// Replaces the operands of an operation.
    pub fn operands(&mut self, op: &mut Op) {
        op.operands_mut(|operand| *operand = self.resolve(*operand));
    }

    /// Replaces these values.
    pub fn all(&mut self, values: &mut [ValueId]) {
        values.iter_mut().for_each(|value| *value = self.resolve(*value));
    }

    /// Replaces every use in a block and the loops in it.
    pub fn block(&mut self, block: &mut Block) {
        for operation in &mut block.operations {
            self.operands(&mut operation.op);
            if let Op::Loop(inner) = &mut operation.op {
                self.block(&mut inner.body);
            }
        }
        self.all(&mut block.results);
    }
}
