//! Random programs of Usuba0.

use usuba_ir::layout::{Layout, Slicing};
use usuba_ir::program::{
    Affine, BinaryOp, Block, InductionId, Loop, Node, Op, Operation, Parameter, Program, Type, Value, ValueId,
};
use usuba_ir::random::{self, Atoms, Random};

/// A random program of single bits; sums become what they are modulo 2, for `b1` has none.
pub fn bits(seed: u64) -> Program {
    fn change(block: &mut Block) {
        for operation in &mut block.operations {
            match &mut operation.op {
                Op::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), ..) => *op = BinaryOp::Xor,
                Op::Binary(op @ BinaryOp::Multiply, ..) => *op = BinaryOp::And,
                Op::Loop(inner) => change(&mut inner.body),
                _ => {}
            }
        }
    }
    let mut program = random::program(seed, Atoms::Bits);
    program.nodes.iter_mut().for_each(|node| change(&mut node.body));
    program
}

/// A random program with every atom in a lane.
pub fn words(seed: u64) -> Program {
    let mut program = random::program(seed, Atoms::Mixed);
    let lay = |layout: &mut Layout| *layout = Layout::of(Slicing::V, layout.width());
    for node in &mut program.nodes {
        node.values.iter_mut().for_each(|value| lay(&mut value.ty.layout));
        node.inputs.iter_mut().chain(&mut node.outputs).for_each(|parameter| lay(&mut parameter.ty.layout));
    }
    program
}

/// A random program that does little but build, share, update and carry arrays of three lengths.
pub fn tangle(seed: u64) -> Program {
    let mut tangle = Tangle {
        random: Random::new(seed ^ 0x7a61_6e67),
        builder: Builder::default(),
        layout: if seed.is_multiple_of(2) { Layout::BIT } else { Layout::of(Slicing::V, 8) },
        atoms: Vec::new(),
        arrays: Vec::new(),
        loops: Vec::new(),
    };
    for number in 0..3 {
        let ty = Type::array(tangle.layout, LENGTHS[number as usize % 2]);
        let uniform = number == 2 && tangle.random.once_in(2);
        let input =
            Parameter { name: format!("in{number}"), ty, shape: ty.len.into_iter().collect(), uniform };
        let value = tangle.builder.input(input);
        tangle.arrays.push(value);
    }
    let first = tangle.arrays[0];
    let atom = tangle.builder.emit(Op::Get(first, Affine::constant(0)), Type::atom(tangle.layout));
    tangle.atoms.push(atom);
    for _ in 0..10 {
        tangle.operation();
    }
    let mut outputs = tangle.arrays.split_off(tangle.arrays.len().saturating_sub(5));
    outputs.push(*tangle.random.choose(&tangle.atoms));
    for (number, value) in outputs.into_iter().enumerate() {
        let ty = tangle.builder.ty(value);
        let output = Parameter {
            name: format!("out{number}"),
            ty,
            shape: ty.len.into_iter().collect(),
            uniform: false,
        };
        tangle.builder.output(output, value);
    }
    Program { files: Vec::new(), nodes: vec![tangle.builder.node], interleave: 1 }
}

/// Writes operations as they are, without simplifying them.
struct Builder {
    node: Node,
    open: Vec<Loop>,
}

impl Default for Builder {
    fn default() -> Self {
        let node = Node {
            name: "Tangle".into(),
            attributes: Default::default(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            values: Vec::new(),
            inductions: 0,
            body: Block::default(),
        };
        Builder { node, open: Vec::new() }
    }
}

impl Builder {
    fn ty(&self, value: ValueId) -> Type {
        self.node.ty(value)
    }

    fn fresh(&mut self, ty: Type) -> ValueId {
        self.node.values.push(Value { ty, origin: Default::default() });
        ValueId(self.node.values.len() as u32 - 1)
    }

    fn emit(&mut self, op: Op, ty: Type) -> ValueId {
        let result = self.fresh(ty);
        let block = self.open.last_mut().map_or(&mut self.node.body, |open| &mut open.body);
        block.operations.push(Operation { results: vec![result], op });
        result
    }

    fn input(&mut self, input: Parameter) -> ValueId {
        let value = self.fresh(input.ty);
        self.node.inputs.push(input);
        self.node.body.parameters.push(value);
        value
    }

    fn output(&mut self, output: Parameter, value: ValueId) {
        self.node.outputs.push(output);
        self.node.body.results.push(value);
    }

    fn begin_loop(&mut self, trips: u32, initial: Vec<ValueId>) -> (InductionId, Vec<ValueId>) {
        let induction = InductionId(self.node.inductions);
        self.node.inductions += 1;
        let parameters: Vec<ValueId> = initial.iter().map(|&value| self.fresh(self.ty(value))).collect();
        let body = Block { parameters: parameters.clone(), ..Block::default() };
        self.open.push(Loop { induction, trips, initial, body });
        (induction, parameters)
    }

    fn end_loop(&mut self, next: Vec<ValueId>) -> Vec<ValueId> {
        let results: Vec<ValueId> = next.iter().map(|&value| self.fresh(self.ty(value))).collect();
        let Some(mut ended) = self.open.pop() else { return results };
        ended.body.results = next;
        let block = self.open.last_mut().map_or(&mut self.node.body, |open| &mut open.body);
        block.operations.push(Operation { results: results.clone(), op: Op::Loop(ended) });
        results
    }
}

const LENGTHS: [u32; 2] = [4, 2];

struct Tangle {
    random: Random,
    builder: Builder,
    layout: Layout,
    atoms: Vec<ValueId>,
    arrays: Vec<ValueId>,
    loops: Vec<InductionId>,
}

impl Tangle {
    /// One of the last few values, so that what is shared is also updated.
    fn recent(&mut self, len: Option<u32>) -> ValueId {
        let all = if len.is_none() { &self.atoms } else { &self.arrays };
        let fitting: Vec<ValueId> =
            all.iter().rev().copied().filter(|&value| self.builder.ty(value).len == len).take(4).collect();
        if !fitting.is_empty() {
            return *self.random.choose(&fitting);
        }
        let count = len.unwrap_or(1);
        let atoms: Vec<ValueId> = (0..count).map(|_| self.recent(None)).collect();
        let array = self.builder.emit(Op::Array(atoms), Type::array(self.layout, count));
        self.arrays.push(array);
        array
    }

    /// An index from 0 to `last`: induction variables go from 0 to 1.
    fn index(&mut self, last: u32) -> Affine {
        match self.loops.last() {
            Some(&induction) if last > 0 && self.random.once_in(2) => {
                let coefficient = 1 + i64::from(self.random.below(last));
                match self.random.once_in(2) {
                    true => Affine { constant: 0, terms: vec![(induction, coefficient)] },
                    false => Affine { constant: coefficient, terms: vec![(induction, -coefficient)] },
                }
            }
            _ => Affine::constant(i64::from(self.random.below(last + 1))),
        }
    }

    fn operation(&mut self) {
        let len = *self.random.choose(&LENGTHS);
        match self.random.below(12) {
            0 | 1 => {
                let (a, b) = (self.recent(None), self.recent(None));
                let op = *self.random.choose(&[BinaryOp::Xor, BinaryOp::AndNot]);
                let atom = self.builder.emit(Op::Binary(op, a, b), Type::atom(self.layout));
                self.atoms.push(atom);
            }
            2 | 3 => {
                let (array, index) = (self.recent(Some(len)), self.index(len - 1));
                let atom = self.builder.emit(Op::Get(array, index), Type::atom(self.layout));
                self.atoms.push(atom);
            }
            4 | 5 => {
                let (array, index, atom) = (self.recent(Some(len)), self.index(len - 1), self.recent(None));
                let array = self.builder.emit(Op::Set(array, index, atom), Type::array(self.layout, len));
                self.arrays.push(array);
            }
            6 => {
                let (array, index) = (self.recent(Some(4)), self.index(2));
                let array = self.builder.emit(Op::Slice(array, index), Type::array(self.layout, 2));
                self.arrays.push(array);
            }
            7 => {
                let (array, index, part) = (self.recent(Some(4)), self.index(2), self.recent(Some(2)));
                let array = self.builder.emit(Op::Splice(array, index, part), Type::array(self.layout, 4));
                self.arrays.push(array);
            }
            8 => {
                let atoms = (0..len).map(|_| self.recent(None)).collect();
                let array = self.builder.emit(Op::Array(atoms), Type::array(self.layout, len));
                self.arrays.push(array);
            }
            _ if self.loops.len() < 2 => {
                let mut initial = vec![self.recent(None), self.recent(None)];
                initial.extend((0..3).map(|_| self.recent(Some(len))));
                let (induction, parameters) = self.builder.begin_loop(2, initial);
                let outside = (self.atoms.len(), self.arrays.len());
                self.loops.push(induction);
                self.atoms.extend(&parameters[..2]);
                self.arrays.extend(&parameters[2..]);
                for _ in 0..2 + self.random.below(6) {
                    self.operation();
                }
                let mut results = vec![self.recent(None), self.recent(None)];
                results.extend((0..3).map(|_| self.recent(Some(len))));
                self.loops.pop();
                self.atoms.truncate(outside.0);
                self.arrays.truncate(outside.1);
                let results = self.builder.end_loop(results);
                self.atoms.extend(&results[..2]);
                self.arrays.extend(&results[2..]);
            }
            _ => {}
        }
    }
}

/// A random program of bytes, some of which are mapped.
pub fn bytes(seed: u64) -> Program {
    random::program(seed, Atoms::Bytes)
}

/// A random program on blocks of 128 bits.
pub fn blocks(seed: u64) -> Program {
    random::program(seed, Atoms::Blocks)
}
