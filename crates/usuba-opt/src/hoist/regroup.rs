//! Adding to keys what is added to data beside them.

use super::{Class, Classes};
use usuba_ir::program::{BinaryOp, Block, Node, Op, Operation, Value, ValueId};

/// Adds constants and complements to keys, not to what keys have been added to.
pub(super) fn regroup(node: &mut Node) {
    let mut body = std::mem::take(&mut node.body);
    let mut uses = vec![0u32; node.values.len()];
    count(&body, &mut uses);
    node.body = body.clone();
    let classes = Classes::of(node);
    let mut regroup = Regroup { node, classes, uses, made: Vec::new() };
    regroup.made.resize(regroup.node.values.len(), None);
    regroup.block(&mut body);
    node.body = body;
}

fn count(block: &Block, uses: &mut [u32]) {
    for operation in &block.operations {
        operation.op.operands(|operand| uses[operand.index()] += 1);
        if let Op::Loop(inner) = &operation.op {
            count(&inner.body, uses);
        }
    }
    block.results.iter().for_each(|result| uses[result.index()] += 1);
}

/// A sum of data and, if any, a key, complemented or not.
#[derive(Clone, Copy)]
struct Sum {
    data: ValueId,
    key: Option<ValueId>,
    complement: bool,
}

struct Regroup<'a> {
    node: &'a mut Node,
    classes: Classes,
    uses: Vec<u32>,
    /// The sums in this block that are values used once.
    made: Vec<Option<Sum>>,
}

impl Regroup<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut operation in std::mem::take(&mut block.operations) {
            match &mut operation.op {
                Op::Loop(inner) => {
                    // What a loop takes from outside is not computed anew in every trip.
                    let outside = std::mem::take(&mut self.made);
                    self.made.resize(self.node.values.len(), None);
                    self.block(&mut inner.body);
                    self.made = outside;
                    self.made.resize(self.node.values.len(), None);
                }
                _ => self.operation(&mut operation, &mut block.operations),
            }
            block.operations.push(operation);
        }
    }

    /// The sum that a value of this block is, looked through if nobody else uses it.
    fn sum(&self, value: ValueId) -> Sum {
        match self.made[value.index()] {
            Some(sum) if self.uses[value.index()] == 1 => sum,
            _ => Sum { data: value, key: None, complement: false },
        }
    }

    fn operation(&mut self, operation: &mut Operation, before: &mut Vec<Operation>) {
        let &[result] = operation.results.as_slice() else { return };
        if self.classes.at(result) != Class::Varying {
            return;
        }
        let sum = match operation.op {
            Op::Not(value) => {
                let sum = self.sum(value);
                Sum { complement: !sum.complement, ..sum }
            }
            Op::Binary(BinaryOp::Xor, a, b) => {
                let (data, key) = match (self.classes.at(a), self.classes.at(b)) {
                    (Class::Varying, Class::Varying) => return,
                    (Class::Varying, _) => (a, b),
                    _ => (b, a),
                };
                let sum = self.sum(data);
                if sum.key.is_none() && !sum.complement {
                    self.made[result.index()] = Some(Sum { key: Some(key), ..sum });
                    return;
                }
                let key = match sum.key {
                    // Two constants are the business of others.
                    Some(other) if self.classes.at(other).max(self.classes.at(key)) == Class::Keyed => {
                        self.compute(Op::Binary(BinaryOp::Xor, other, key), key, before)
                    }
                    Some(_) => return,
                    None => key,
                };
                Sum { key: Some(key), ..sum }
            }
            _ => return,
        };
        let Some(key) = sum.key.filter(|&key| self.classes.at(key) == Class::Keyed) else {
            self.made[result.index()] = sum.key.is_none().then_some(sum);
            return;
        };
        let key = if sum.complement { self.compute(Op::Not(key), key, before) } else { key };
        operation.op = Op::Binary(BinaryOp::Xor, sum.data, key);
        // Data that was looked through has the one use that its sum had.
        self.made[result.index()] = Some(Sum { data: sum.data, key: Some(key), complement: false });
    }

    /// A new value that depends on keys, with the type and origin of another.
    fn compute(&mut self, op: Op, like: ValueId, before: &mut Vec<Operation>) -> ValueId {
        let result = ValueId(self.node.values.len() as u32);
        let Value { ty, origin } = self.node.value(like).clone();
        self.node.values.push(Value { ty, origin });
        self.classes.0.push(Class::Keyed);
        self.uses.push(1);
        self.made.push(None);
        before.push(Operation { results: vec![result], op });
        result
    }
}
