//! Compute several batches of instances at once.
//!
//! In: any program. Out: one that computes [`Program::interleave`] batches. Every value that depends on an input that is
//! not uniform is there once per batch; operations are emitted in chunks of [`Settings::granularity`], each chunk for the
//! first batch, then for the second, and so on: a machine that waits for a result of one batch works on another. Loops
//! and calls keep their structure; a node that is called computes all batches at once too. Uniform inputs, and what
//! depends on them alone, are shared. Cost: linear in what comes out.
//!
//! How many batches is said by [`Settings::interleave`], else by `_interleave(n)`, else by the rule in [`factor`].
//!
//! Inputs and outputs of the entry get the number of batches as outermost dimension; nodes that are called take and give
//! a value per batch. Nodes with `_no_opt`, and what they call, are left as they are and called once per batch; an entry
//! with `_no_opt` is not interleaved.
//!
//! Laws used: an operation is a function of its operands, batch by batch.
//!
//! [`factor`]: crate::factor

use crate::factor::factor;
use crate::pass::Settings;
use crate::variance::Variance;
use usuba_ir::program::{
    Affine, Block, Loop, Node, Op, Operation, Origin, Parameter, Program, Type, Value, ValueId,
};

/// The pass.
pub fn run(program: &mut Program, settings: &Settings) {
    let Some(entry) = program.nodes.last() else { return };
    if program.interleave != 1 || entry.attributes.no_opt {
        return;
    }
    let batches = factor(program, settings, &|batches| interleaved(program, batches, 1));
    if batches > 1 {
        *program = interleaved(program, batches, settings.granularity.unwrap_or(1));
    }
}

/// A program that computes so many batches of what this one computes one of.
fn interleaved(program: &Program, batches: u32, granularity: u32) -> Program {
    let (vary, granularity) = (Variance::of(program), granularity.max(1) as usize);
    let rewrite = |(number, node): (usize, &Node)| match vary.is_kept(number) {
        true => node.clone(),
        false => Rewriter { program, vary: &vary, number, batches, granularity }.node(node),
    };
    let nodes = program.nodes.iter().enumerate().map(rewrite).collect();
    Program { nodes, interleave: batches, ..program.clone() }
}

/// Writes one node for all batches.
struct Rewriter<'a> {
    program: &'a Program,
    vary: &'a Variance,
    /// The number of the node.
    number: usize,
    batches: u32,
    granularity: usize,
}

/// The new values of the node: for each old one the new one of the first batch; those of the others follow.
struct Renamed {
    first: Vec<u32>,
    values: Vec<Value>,
}

impl Renamed {
    fn fresh(&mut self, ty: Type, origin: Origin) -> ValueId {
        self.values.push(Value { ty, origin });
        ValueId(self.values.len() as u32 - 1)
    }
}

impl Rewriter<'_> {
    fn node(&self, node: &Node) -> Node {
        let mut renamed = Renamed { first: Vec::with_capacity(node.values.len()), values: Vec::new() };
        for (number, value) in node.values.iter().enumerate() {
            renamed.first.push(renamed.values.len() as u32);
            let copies = self.copies(ValueId(number as u32));
            renamed.values.extend((0..copies).map(|_| value.clone()));
        }
        let mut rewritten = Node {
            name: node.name.clone(),
            attributes: node.attributes,
            inputs: Vec::new(),
            outputs: Vec::new(),
            values: Vec::new(),
            inductions: node.inductions,
            body: Block::default(),
        };
        let entry = self.number + 1 == self.program.nodes.len();
        let body = &mut rewritten.body;
        for (input, &value) in node.inputs.iter().zip(&node.body.parameters) {
            if entry && self.varies(value) {
                let whole = self.widened(input);
                let array = renamed.fresh(whole.ty, node.value(value).origin.clone());
                body.parameters.push(array);
                rewritten.inputs.push(whole);
                for batch in 0..self.batches {
                    let start = Affine::constant(i64::from(batch) * i64::from(input.ty.atoms()));
                    let op = match input.ty.len {
                        None => Op::Get(array, start),
                        Some(_) => Op::Slice(array, start),
                    };
                    body.operations.push(Operation { results: vec![self.value(&renamed, value, batch)], op });
                }
            } else {
                body.parameters.extend(self.all(&renamed, value));
                rewritten.inputs.extend(self.per_batch(input, value));
            }
        }
        self.block(&renamed, &node.body, &mut body.operations);
        for (output, &value) in node.outputs.iter().zip(&node.body.results) {
            if entry {
                let whole = self.widened(output);
                let atoms = (0..self.batches)
                    .flat_map(|batch| self.atoms(&mut renamed, node, value, batch, &mut body.operations))
                    .collect();
                let result = renamed.fresh(whole.ty, node.value(value).origin.clone());
                body.operations.push(Operation { results: vec![result], op: Op::Array(atoms) });
                body.results.push(result);
                rewritten.outputs.push(whole);
            } else {
                body.results.extend(self.all(&renamed, value));
                rewritten.outputs.extend(self.per_batch(output, value));
            }
        }
        rewritten.values = renamed.values;
        rewritten.renumber();
        rewritten
    }

    fn varies(&self, value: ValueId) -> bool {
        self.vary.of_value(self.number, value)
    }

    fn copies(&self, value: ValueId) -> u32 {
        if self.varies(value) { self.batches } else { 1 }
    }

    /// The value of a batch.
    fn value(&self, renamed: &Renamed, value: ValueId, batch: u32) -> ValueId {
        let own = if self.varies(value) { batch } else { 0 };
        ValueId(renamed.first[value.index()] + own)
    }

    /// The values of all batches.
    fn all(&self, renamed: &Renamed, value: ValueId) -> Vec<ValueId> {
        (0..self.copies(value)).map(|batch| self.value(renamed, value, batch)).collect()
    }

    /// A parameter of the entry for all batches.
    fn widened(&self, parameter: &Parameter) -> Parameter {
        let shape = std::iter::once(self.batches).chain(parameter.shape.iter().copied()).collect();
        let ty = Type::array(parameter.ty.layout, self.batches * parameter.ty.atoms());
        Parameter { name: parameter.name.clone(), ty, shape, uniform: false }
    }

    /// The parameters of a node that is called.
    fn per_batch(&self, parameter: &Parameter, value: ValueId) -> Vec<Parameter> {
        match self.copies(value) {
            1 => vec![parameter.clone()],
            copies => (0..copies)
                .map(|batch| Parameter { name: format!("{}_{batch}", parameter.name), ..parameter.clone() })
                .collect(),
        }
    }

    /// The atoms of a result of the entry: those of which it was made where that is at hand, so that no array is built
    /// only to be copied.
    fn atoms(
        &self,
        renamed: &mut Renamed,
        node: &Node,
        value: ValueId,
        batch: u32,
        operations: &mut Vec<Operation>,
    ) -> Vec<ValueId> {
        let own = self.value(renamed, value, batch);
        let ty = node.ty(value);
        if ty.len.is_none() {
            return vec![own];
        }
        let made = node.body.operations.iter().find(|operation| operation.results.contains(&value));
        if let Some(Op::Array(atoms)) = made.map(|operation| &operation.op) {
            return atoms.iter().map(|&atom| self.value(renamed, atom, batch)).collect();
        }
        (0..ty.atoms())
            .map(|place| {
                let atom = renamed.fresh(Type::atom(ty.layout), node.value(value).origin.clone());
                let op = Op::Get(own, Affine::constant(i64::from(place)));
                operations.push(Operation { results: vec![atom], op });
                atom
            })
            .collect()
    }

    fn block(&self, renamed: &Renamed, block: &Block, operations: &mut Vec<Operation>) {
        let mut straight = Vec::new();
        for operation in &block.operations {
            match &operation.op {
                Op::Loop(inner) => {
                    self.straight(renamed, &mut straight, operations);
                    operations.push(self.looped(renamed, inner, &operation.results));
                }
                Op::Call(callee, arguments) if !self.vary.is_kept(callee.index()) => {
                    self.straight(renamed, &mut straight, operations);
                    let body = &self.program.node(*callee).body;
                    let arguments =
                        body.parameters.iter().zip(arguments).flat_map(|(&parameter, &argument)| {
                            let varies = self.vary.of_value(callee.index(), parameter);
                            let copies = if varies { self.batches } else { 1 };
                            (0..copies).map(move |batch| self.value(renamed, argument, batch))
                        });
                    let op = Op::Call(*callee, arguments.collect());
                    let results = operation.results.iter().flat_map(|&result| self.all(renamed, result));
                    operations.push(Operation { results: results.collect(), op });
                }
                _ => straight.push(operation),
            }
        }
        self.straight(renamed, &mut straight, operations);
    }

    /// Emits a run of operations that are neither loops nor calls of interleaved nodes, chunk by chunk. What is shared
    /// comes first in its chunk: it depends on nothing that varies.
    fn straight(&self, renamed: &Renamed, run: &mut Vec<&Operation>, operations: &mut Vec<Operation>) {
        for chunk in run.chunks(self.granularity) {
            for batch in 0..=self.batches {
                for Operation { results, op } in chunk {
                    let varies = results.iter().any(|&result| self.varies(result));
                    // Round 0 is for what is shared, round k for batch k - 1.
                    if varies == (batch == 0) {
                        continue;
                    }
                    let own = batch.saturating_sub(1);
                    let mut op = op.clone();
                    op.operands_mut(|operand| *operand = self.value(renamed, *operand, own));
                    let results = results.iter().map(|&result| self.value(renamed, result, own)).collect();
                    operations.push(Operation { results, op });
                }
            }
        }
        run.clear();
    }

    fn looped(&self, renamed: &Renamed, inner: &Loop, results: &[ValueId]) -> Operation {
        let Loop { induction, trips, initial, body } = inner;
        // A carried place varies if its parameter does; what is shared is then given to every batch.
        let spread = |values: &[ValueId]| -> Vec<ValueId> {
            values
                .iter()
                .zip(&body.parameters)
                .flat_map(|(&value, &parameter)| {
                    (0..self.copies(parameter)).map(move |batch| self.value(renamed, value, batch))
                })
                .collect()
        };
        let mut operations = Vec::with_capacity(body.operations.len());
        self.block(renamed, body, &mut operations);
        let body = Block { parameters: spread(&body.parameters), operations, results: spread(&body.results) };
        let looped = Loop { induction: *induction, trips: *trips, initial: spread(initial), body };
        Operation { results: spread(results), op: Op::Loop(looped) }
    }
}
