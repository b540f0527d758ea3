//! Numbering the values and inductions of a node afresh.

use crate::program::{Block, InductionId, Node, Op, ValueId};

impl Node {
    /// Numbers values and inductions in the order of their definitions, and forgets values that have none any more.
    ///
    /// A pass that has removed operations ends with it. Every value that is used must have a definition. Cost: linear.
    pub fn renumber(&mut self) {
        let mut order = Order {
            values: vec![None; self.values.len()],
            old: Vec::new(),
            inductions: vec![InductionId(0); self.inductions as usize],
            loops: 0,
        };
        order.collect(&self.body);
        order.rewrite(&mut self.body);
        self.inductions = order.loops;
        let mut values: Vec<_> = std::mem::take(&mut self.values).into_iter().map(Some).collect();
        self.values = order.old.iter().filter_map(|old| values[old.index()].take()).collect();
    }
}

struct Order {
    /// New numbers by old.
    values: Vec<Option<ValueId>>,
    /// Old numbers by new.
    old: Vec<ValueId>,
    /// New numbers by old.
    inductions: Vec<InductionId>,
    loops: u32,
}

impl Order {
    fn define(&mut self, value: ValueId) {
        self.values[value.index()] = Some(ValueId(self.old.len() as u32));
        self.old.push(value);
    }

    fn collect(&mut self, block: &Block) {
        block.parameters.iter().for_each(|&parameter| self.define(parameter));
        for operation in &block.operations {
            operation.results.iter().for_each(|&result| self.define(result));
            if let Op::Loop(inner) = &operation.op {
                self.inductions[inner.induction.index()] = InductionId(self.loops);
                self.loops += 1;
                self.collect(&inner.body);
            }
        }
    }

    fn change(&self, value: &mut ValueId) {
        *value = self.values[value.index()].unwrap_or(*value);
    }

    fn rewrite(&self, block: &mut Block) {
        block.parameters.iter_mut().for_each(|value| self.change(value));
        for operation in &mut block.operations {
            operation.results.iter_mut().for_each(|value| self.change(value));
            operation.op.operands_mut(|value| self.change(value));
            if let Some(index) = operation.op.index_mut() {
                index
                    .terms
                    .iter_mut()
                    .for_each(|(induction, _)| *induction = self.inductions[induction.index()]);
                index.terms.sort_unstable();
            }
            if let Op::Loop(inner) = &mut operation.op {
                inner.induction = self.inductions[inner.induction.index()];
                self.rewrite(&mut inner.body);
            }
        }
        block.results.iter_mut().for_each(|value| self.change(value));
    }
}
