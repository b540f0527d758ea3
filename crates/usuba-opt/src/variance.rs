//! Which values may differ between batches of instances.

use usuba_ir::program::{Block, Op, Operation, Program, ValueId};

/// Which values may differ between batches.
pub(crate) struct Variance {
    /// By node and value.
    varies: Vec<Vec<bool>>,
    /// The nodes that are called once per batch.
    kept: Vec<bool>,
}

impl Variance {
    /// The least that follows from the inputs of the entry: its uniform ones do not vary.
    pub(crate) fn of(program: &Program) -> Variance {
        let mut kept: Vec<bool> = program.nodes.iter().map(|node| node.attributes.no_opt).collect();
        for (number, node) in program.nodes.iter().enumerate().rev() {
            if kept[number] {
                keep_callees(&node.body, &mut kept);
            }
        }
        let varies = program.nodes.iter().map(|node| vec![false; node.values.len()]).collect();
        let mut variance = Variance { varies, kept };
        if let Some(entry) = program.nodes.last() {
            let own = program.nodes.len() - 1;
            for (input, value) in entry.inputs.iter().zip(&entry.body.parameters) {
                variance.varies[own][value.index()] = !input.uniform;
            }
        }
        // Each round only adds; what it adds is bounded by the values of the program.
        while (0..program.nodes.len()).rev().fold(false, |changed, number| {
            let node = &program.nodes[number];
            let more = !variance.kept[number] && variance.spread(program, number, &node.body);
            changed | more
        }) {}
        variance
    }

    /// Whether a node is called once per batch, as it is.
    pub(crate) fn is_kept(&self, node: usize) -> bool {
        self.kept[node]
    }

    /// Whether a value of a node may differ between batches.
    pub(crate) fn of_value(&self, node: usize, value: ValueId) -> bool {
        self.varies[node][value.index()]
    }

    fn mark(&mut self, node: usize, value: ValueId, varies: bool) -> bool {
        let known = &mut self.varies[node][value.index()];
        let news = varies && !*known;
        *known |= varies;
        news
    }

    /// Follows a block once; whether anything is new.
    fn spread(&mut self, program: &Program, node: usize, block: &Block) -> bool {
        let mut changed = false;
        for Operation { results, op } in &block.operations {
            match op {
                Op::Loop(inner) => {
                    let body = &inner.body;
                    changed |= self.spread(program, node, body);
                    for (place, &parameter) in body.parameters.iter().enumerate() {
                        let varies = self.of_value(node, inner.initial[place])
                            || self.of_value(node, body.results[place]);
                        changed |= self.mark(node, parameter, varies);
                        changed |= self.mark(node, results[place], varies);
                    }
                }
                Op::Call(callee, arguments) if !self.kept[callee.index()] => {
                    let body = &program.node(*callee).body;
                    for (&parameter, &argument) in body.parameters.iter().zip(arguments) {
                        let varies = self.of_value(node, argument);
                        changed |= self.mark(callee.index(), parameter, varies);
                    }
                    for (&result, &inside) in results.iter().zip(&body.results) {
                        let varies = self.of_value(callee.index(), inside);
                        changed |= self.mark(node, result, varies);
                    }
                }
                _ => {
                    let mut varies = false;
                    op.operands(|operand| varies |= self.of_value(node, operand));
                    for &result in results {
                        changed |= self.mark(node, result, varies);
                    }
                }
            }
        }
        changed
    }
}

fn keep_callees(block: &Block, kept: &mut [bool]) {
    for operation in &block.operations {
        match &operation.op {
            Op::Call(callee, _) => kept[callee.index()] = true,
            Op::Loop(inner) => keep_callees(&inner.body, kept),
            _ => {}
        }
    }
}
