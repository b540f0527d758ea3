//! The meaning of programs.
//!
//! An [`Interpreter`] is a program made ready to run: each value has a place in the frame of its node, arrays are ranges of
//! places, and an array whose last use replaces an element is changed in place. Frames are kept between runs.
//!
//! There are two readings of an atom. [`Interpreter::run`] computes one instance: an atom is a number below 2^width, word
//! 0 of a packed atom the most significant. [`Interpreter::run_sliced`] computes 128 instances of a program whose atoms
//! are all one bit: bit j of a number is the atom of instance j.
//!
//! Programs are expected to pass [`crate::check`].

use crate::block::BlockOp;
use crate::bytes::ByteMap;
use crate::evaluate;
use crate::layout::Layout;
use crate::program::{Affine, BinaryOp, Block, Loop, Node, NodeId, Op, Operation, Program, ShiftOp, ValueId};

/// The outputs of the entry for one instance; see [`Interpreter::run`].
pub fn interpret(program: &Program, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
    Interpreter::new(program).run(inputs)
}

/// The outputs of the entry for 128 instances; see [`Interpreter::run_sliced`].
pub fn interpret_sliced(program: &Program, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
    Interpreter::new(program).run_sliced(inputs)
}

/// The inputs of the entry for its batches, as many as [`Program::interleave`], from those of each of them. Uniform inputs
/// are those of the first.
///
/// # Panics
/// If there are not as many inputs as the entry has, or no batch.
pub fn join(program: &Program, batches: &[Vec<Vec<u128>>]) -> Vec<Vec<u128>> {
    let inputs = program.entry().inputs.iter().enumerate();
    inputs
        .map(|(number, input)| match input.uniform {
            true => batches[0][number].clone(),
            false => batches.iter().flat_map(|batch| batch[number].iter().copied()).collect(),
        })
        .collect()
}

/// The outputs of each batch, from those of the entry.
pub fn part(program: &Program, outputs: &[Vec<u128>]) -> Vec<Vec<Vec<u128>>> {
    let count = program.interleave.max(1) as usize;
    let of = |output: &Vec<u128>, batch: usize| {
        let atoms = output.len() / count;
        output[batch * atoms..(batch + 1) * atoms].to_vec()
    };
    (0..count).map(|batch| outputs.iter().map(|output| of(output, batch)).collect()).collect()
}

/// Whether all atoms are one bit, so that [`interpret_sliced`] applies.
pub fn is_sliced(program: &Program) -> bool {
    let mut values = program.nodes.iter().flat_map(|node| &node.values);
    values.all(|value| value.ty.layout.width() == 1)
}

/// A program made ready to run.
#[derive(Clone, Debug)]
pub struct Interpreter {
    codes: Vec<Code>,
    /// The frame of each node, and its induction variables.
    frames: Vec<Frame>,
    sliced: bool,
}

impl Interpreter {
    /// Makes a program ready to run. Cost: linear in the program.
    ///
    /// # Panics
    /// If the program does not pass the checker.
    pub fn new(program: &Program) -> Interpreter {
        assert!(!program.nodes.is_empty(), "a program has an entry");
        let codes: Vec<_> = program.nodes.iter().map(Planner::plan).collect();
        let frames = codes.iter().map(Frame::of).collect();
        Interpreter { codes, frames, sliced: is_sliced(program) }
    }

    /// The outputs of the entry for one instance: for each output its atoms, each below 2^width; so are `inputs`.
    ///
    /// # Panics
    /// If there are not as many inputs and atoms as the entry has.
    pub fn run(&mut self, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
        self.enter::<Numbers>(inputs)
    }

    /// The outputs of the entry for 128 instances at once: in `inputs` and outputs, bit j of each number is an atom of
    /// instance j.
    ///
    /// # Panics
    /// If an atom of the program has more than one bit, or as [`Interpreter::run`].
    pub fn run_sliced(&mut self, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
        assert!(self.sliced, "only programs whose atoms are one bit are run sliced");
        self.enter::<Bits>(inputs)
    }

    fn enter<M: Meaning>(&mut self, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
        let entry = self.codes.len() - 1;
        let code = &self.codes[entry];
        assert_eq!(inputs.len(), code.inputs.len(), "inputs of the entry");
        let (callees, rest) = self.frames.split_at_mut(entry);
        for (place, input) in code.inputs.iter().zip(inputs) {
            rest[0].values[place.start..place.start + place.len].copy_from_slice(input);
        }
        Run::<M> { codes: &self.codes, callees, frame: &mut rest[0], meaning: std::marker::PhantomData }
            .steps(&code.steps);
        code.outputs
            .iter()
            .map(|place| rest[0].values[place.start..place.start + place.len].to_vec())
            .collect()
    }
}

/// What operators compute.
trait Meaning {
    fn constant(number: u128) -> u128;
    fn not(width: u32, a: u128) -> u128;
    fn binary(op: BinaryOp, layout: Layout, a: u128, b: u128) -> u128;
    fn ternary(width: u32, table: u8, of: [u128; 3]) -> u128;
    fn shift(op: ShiftOp, layout: Layout, a: u128, amount: u32) -> u128;
    fn shuffle(width: u32, a: u128, pattern: &[Option<u32>]) -> u128;
    fn bitmask(width: u32, a: u128, bit: u32) -> u128;
    fn map_bytes(layout: Layout, a: u128, map: &ByteMap) -> u128;
}

/// One instance, atoms as numbers.
struct Numbers;

impl Meaning for Numbers {
    fn constant(number: u128) -> u128 {
        number
    }
    fn not(width: u32, a: u128) -> u128 {
        evaluate::not(width, a)
    }
    fn binary(op: BinaryOp, layout: Layout, a: u128, b: u128) -> u128 {
        evaluate::each_word(layout, a, b, |width, a, b| evaluate::binary(op, width, a, b))
    }
    fn ternary(width: u32, table: u8, of: [u128; 3]) -> u128 {
        evaluate::ternary(width, table, of)
    }
    fn shift(op: ShiftOp, layout: Layout, a: u128, amount: u32) -> u128 {
        evaluate::each_word(layout, a, 0, |width, a, _| evaluate::shift(op, width, a, amount))
    }
    fn shuffle(width: u32, a: u128, pattern: &[Option<u32>]) -> u128 {
        evaluate::shuffle(width, a, pattern)
    }
    fn bitmask(width: u32, a: u128, bit: u32) -> u128 {
        evaluate::bitmask(width, a, bit)
    }
    fn map_bytes(layout: Layout, a: u128, map: &ByteMap) -> u128 {
        evaluate::map_bytes(layout, a, map)
    }
}

/// 128 instances, one bit each. Modulo 2, addition and subtraction are exclusive or and multiplication is and.
struct Bits;

impl Meaning for Bits {
    fn constant(number: u128) -> u128 {
        if number == 0 { 0 } else { u128::MAX }
    }
    fn not(_: u32, a: u128) -> u128 {
        !a
    }
    fn binary(op: BinaryOp, _: Layout, a: u128, b: u128) -> u128 {
        match op {
            BinaryOp::And | BinaryOp::Multiply => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor | BinaryOp::Add | BinaryOp::Subtract => a ^ b,
            BinaryOp::AndNot => a & !b,
        }
    }
    fn ternary(_: u32, table: u8, of: [u128; 3]) -> u128 {
        evaluate::ternary(128, table, of)
    }
    fn shift(_: ShiftOp, _: Layout, _: u128, _: u32) -> u128 {
        unreachable!("one bit has no shift by an amount between 0 and its width")
    }
    fn shuffle(_: u32, a: u128, pattern: &[Option<u32>]) -> u128 {
        if pattern == [None] { 0 } else { a }
    }
    fn bitmask(_: u32, a: u128, _: u32) -> u128 {
        a
    }
    fn map_bytes(_: Layout, _: u128, _: &ByteMap) -> u128 {
        unreachable!("one bit is no byte")
    }
}

/// The places of a value in a frame.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Place {
    start: usize,
    len: usize,
}

#[derive(Clone, Debug)]
struct Code {
    inputs: Vec<Place>,
    outputs: Vec<Place>,
    places: usize,
    inductions: usize,
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
struct Frame {
    values: Vec<u128>,
    inductions: Vec<i64>,
    /// For copies whose sources and destinations overlap.
    spare: Vec<u128>,
}

impl Frame {
    fn of(code: &Code) -> Frame {
        Frame { values: vec![0; code.places], inductions: vec![0; code.inductions], spare: Vec::new() }
    }
}

/// One thing to do; numbers are places in the frame, the first is that of the result.
#[derive(Clone, Debug)]
enum Step {
    Constant(usize, u128),
    Not(usize, u32, usize),
    Binary(usize, Layout, BinaryOp, usize, usize),
    Ternary(usize, u32, u8, [usize; 3]),
    Shift(usize, Layout, ShiftOp, usize, u32),
    Shuffle(usize, u32, usize, Box<[Option<u32>]>),
    Bitmask(usize, u32, usize, u32),
    MapBytes(usize, Layout, usize, Box<ByteMap>),
    Block(usize, BlockOp, usize, usize),
    InverseMixColumns(usize, usize),
    Pack(usize, u32, usize, usize),
    Copy(usize, Place),
    /// From the array that starts there, at the index.
    Load(Place, usize, Box<Affine>),
    /// Into the array that starts there, at the index.
    Store(usize, Box<Affine>, Place),
    Call(NodeId, Box<[Place]>, Box<[Place]>),
    Cycle(Box<Cycle>),
}

#[derive(Clone, Debug)]
struct Cycle {
    induction: usize,
    trips: u32,
    body: Vec<Step>,
    back: Vec<(usize, Place)>,
    /// Whether a copy back overwrites what another one reads.
    crossed: bool,
}

struct Run<'a, M> {
    codes: &'a [Code],
    callees: &'a mut [Frame],
    frame: &'a mut Frame,
    meaning: std::marker::PhantomData<M>,
}

impl<M: Meaning> Run<'_, M> {
    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            let v = &mut self.frame.values;
            match step {
                Step::Constant(to, number) => v[*to] = M::constant(*number),
                Step::Not(to, width, a) => v[*to] = M::not(*width, v[*a]),
                Step::Binary(to, layout, op, a, b) => v[*to] = M::binary(*op, *layout, v[*a], v[*b]),
                Step::Ternary(to, width, table, of) => {
                    v[*to] = M::ternary(*width, *table, of.map(|operand| v[operand]));
                }
                Step::Shift(to, layout, op, a, amount) => v[*to] = M::shift(*op, *layout, v[*a], *amount),
                Step::Shuffle(to, width, a, pattern) => v[*to] = M::shuffle(*width, v[*a], pattern),
                Step::Bitmask(to, width, a, bit) => v[*to] = M::bitmask(*width, v[*a], *bit),
                Step::MapBytes(to, layout, a, map) => v[*to] = M::map_bytes(*layout, v[*a], map),
                Step::Block(to, op, a, b) => v[*to] = evaluate::block(*op, v[*a], v[*b]),
                Step::InverseMixColumns(to, a) => v[*to] = evaluate::inverse_mix_columns(v[*a]),
                Step::Pack(to, width, a, b) => v[*to] = evaluate::pack(*width, v[*a], v[*b]),
                Step::Copy(to, from) => v.copy_within(from.start..from.start + from.len, *to),
                Step::Load(to, base, index) => {
                    let start = base + index.at(&self.frame.inductions) as usize;
                    v.copy_within(start..start + to.len, to.start);
                }
                Step::Store(base, index, from) => {
                    let start = base + index.at(&self.frame.inductions) as usize;
                    v.copy_within(from.start..from.start + from.len, start);
                }
                Step::Call(callee, arguments, results) => self.call(callee.index(), arguments, results),
                Step::Cycle(cycle) => {
                    for trip in 0..cycle.trips {
                        self.frame.inductions[cycle.induction] = i64::from(trip);
                        self.steps(&cycle.body);
                        self.back(cycle);
                    }
                }
            }
        }
    }

    fn call(&mut self, callee: usize, arguments: &[Place], results: &[Place]) {
        let code = &self.codes[callee];
        let (callees, rest) = self.callees.split_at_mut(callee);
        let frame = &mut rest[0];
        for (to, from) in code.inputs.iter().zip(arguments) {
            let from = &self.frame.values[from.start..from.start + from.len];
            frame.values[to.start..to.start + to.len].copy_from_slice(from);
        }
        Run::<M> { codes: self.codes, callees, frame, meaning: self.meaning }.steps(&code.steps);
        for (to, from) in results.iter().zip(&code.outputs) {
            let from = &rest[0].values[from.start..from.start + from.len];
            self.frame.values[to.start..to.start + to.len].copy_from_slice(from);
        }
    }

    fn back(&mut self, cycle: &Cycle) {
        let Frame { values, spare, .. } = &mut *self.frame;
        if !cycle.crossed {
            for &(to, from) in &cycle.back {
                values.copy_within(from.start..from.start + from.len, to);
            }
            return;
        }
        spare.clear();
        for &(_, from) in &cycle.back {
            spare.extend_from_slice(&values[from.start..from.start + from.len]);
        }
        let mut rest = spare.as_slice();
        for &(to, from) in &cycle.back {
            let (now, later) = rest.split_at(from.len);
            values[to..to + from.len].copy_from_slice(now);
            rest = later;
        }
    }
}

/// The last use of a value: the number of the operation, and how many of its operands it is.
#[derive(Clone, Copy, Default)]
struct LastUse {
    operation: u32,
    times: u32,
}

/// Gives places to the values of a node.
struct Planner<'a> {
    node: &'a Node,
    places: Vec<Place>,
    size: usize,
    last: Vec<LastUse>,
    /// The block that defines each value.
    home: Vec<u32>,
    /// Operations are numbered before what is inside of them.
    operation: u32,
    blocks: u32,
}

impl Planner<'_> {
    fn plan(node: &Node) -> Code {
        let mut planner = Planner {
            node,
            places: vec![Place::default(); node.values.len()],
            size: 0,
            last: vec![LastUse::default(); node.values.len()],
            home: vec![0; node.values.len()],
            operation: 0,
            blocks: 0,
        };
        planner.find_last_uses(&node.body);
        planner.operation = 0;
        for &input in &node.body.parameters {
            planner.allocate(input);
        }
        let steps = planner.block(&node.body);
        Code {
            inputs: planner.all(&node.body.parameters),
            outputs: planner.all(&node.body.results),
            places: planner.size,
            inductions: node.inductions as usize,
            steps,
        }
    }

    fn find_last_uses(&mut self, block: &Block) {
        for Operation { op, .. } in &block.operations {
            self.operation += 1;
            op.operands(|value| self.note(value));
            if let Op::Loop(inner) = op {
                self.find_last_uses(&inner.body);
            }
        }
        self.operation += 1;
        block.results.iter().for_each(|&value| self.note(value));
    }

    fn note(&mut self, value: ValueId) {
        let last = &mut self.last[value.index()];
        let again = last.operation == self.operation;
        *last = LastUse { operation: self.operation, times: if again { last.times + 1 } else { 1 } };
    }

    fn allocate(&mut self, value: ValueId) -> Place {
        let place = Place { start: self.size, len: self.node.ty(value).atoms() as usize };
        self.size += place.len;
        self.places[value.index()] = place;
        place
    }

    fn place(&self, value: ValueId) -> Place {
        self.places[value.index()]
    }

    fn all(&self, values: &[ValueId]) -> Vec<Place> {
        values.iter().map(|&value| self.place(value)).collect()
    }

    /// Gives `to` a copy of `from`, in the same places if operation `number` of block `block` is the last to use it. It
    /// must be of the same block: what comes from outside is used again by the next trip.
    fn take(&mut self, to: ValueId, from: ValueId, number: u32, block: u32, steps: &mut Vec<Step>) -> Place {
        let last = self.last[from.index()];
        let place = self.place(from);
        if last.operation == number && last.times == 1 && self.home[from.index()] == block {
            self.places[to.index()] = place;
            return place;
        }
        let to = self.allocate(to);
        steps.push(Step::Copy(to.start, place));
        to
    }

    /// The steps of a block; its parameters have their places.
    fn block(&mut self, block: &Block) -> Vec<Step> {
        let mut steps = Vec::new();
        let here = self.blocks;
        self.blocks += 1;
        for &parameter in &block.parameters {
            self.home[parameter.index()] = here;
        }
        for operation in &block.operations {
            self.operation += 1;
            self.step(operation, here, &mut steps);
            for &result in &operation.results {
                self.home[result.index()] = here;
            }
        }
        self.operation += 1;
        steps
    }

    fn step(&mut self, operation: &Operation, here: u32, steps: &mut Vec<Step>) {
        let Operation { results, op } = operation;
        let number = self.operation;
        match op {
            Op::Set(array, index, value) | Op::Splice(array, index, value) => {
                let to = self.take(results[0], *array, number, here, steps);
                steps.push(Step::Store(to.start, Box::new(index.clone()), self.place(*value)));
                return;
            }
            Op::Loop(inner) => return self.cycle(results, inner, here, steps),
            Op::Call(callee, arguments) => {
                results.iter().for_each(|&result| _ = self.allocate(result));
                let (arguments, results) = (self.all(arguments), self.all(results));
                steps.push(Step::Call(*callee, arguments.into(), results.into()));
                return;
            }
            _ => {}
        }
        let to = self.allocate(results[0]);
        let layout = self.node.ty(results[0]).layout;
        let width = layout.width();
        let at = |value: &ValueId| self.place(*value).start;
        steps.push(match op {
            Op::Constant(number) => Step::Constant(to.start, *number),
            Op::Not(a) => Step::Not(to.start, width, at(a)),
            Op::Binary(op, a, b) => Step::Binary(to.start, layout, *op, at(a), at(b)),
            Op::Ternary(table, of) => {
                Step::Ternary(to.start, layout.width(), *table, [at(&of[0]), at(&of[1]), at(&of[2])])
            }
            Op::Shift(op, a, amount) => Step::Shift(to.start, layout, *op, at(a), *amount),
            Op::Shuffle(a, pattern) => Step::Shuffle(to.start, width, at(a), pattern.as_slice().into()),
            Op::Bitmask(a, bit) => Step::Bitmask(to.start, width, at(a), *bit),
            Op::MapBytes(a, map) => Step::MapBytes(to.start, layout, at(a), Box::new(*map)),
            Op::Block(op, a, b) => Step::Block(to.start, *op, at(a), at(b)),
            Op::InverseMixColumns(a) => Step::InverseMixColumns(to.start, at(a)),
            Op::Pack(high, low) => Step::Pack(to.start, width / 2, at(high), at(low)),
            Op::Refresh(a) => Step::Copy(to.start, self.place(*a)),
            Op::Get(array, index) | Op::Slice(array, index) => {
                Step::Load(to, at(array), Box::new(index.clone()))
            }
            Op::Array(atoms) => {
                steps.extend((to.start..).zip(atoms).map(|(to, atom)| Step::Copy(to, self.place(*atom))));
                return;
            }
            Op::Set(..) | Op::Splice(..) | Op::Call(..) | Op::Loop(_) => return,
        });
    }

    fn cycle(&mut self, results: &[ValueId], inner: &Loop, here: u32, steps: &mut Vec<Step>) {
        let Loop { induction, trips, initial, body } = inner;
        let number = self.operation;
        for (&parameter, &first) in body.parameters.iter().zip(initial) {
            self.take(parameter, first, number, here, steps);
        }
        let inside = self.block(body);
        let mut back: Vec<_> = std::iter::zip(&body.parameters, &body.results)
            .map(|(&parameter, &result)| (self.place(parameter).start, self.place(result)))
            .collect();
        back.retain(|&(to, from)| to != from.start);
        // Places of different values are the same or disjoint, so starts tell.
        let crossed = back.iter().any(|&(_, from)| back.iter().any(|&(to, _)| to == from.start));
        // After the last trip the parameters hold the results, and nothing else uses them.
        for (&result, &parameter) in results.iter().zip(&body.parameters) {
            self.places[result.index()] = self.place(parameter);
        }
        steps.push(Step::Cycle(Box::new(Cycle {
            induction: induction.index(),
            trips: *trips,
            body: inside,
            back,
            crossed,
        })));
    }
}
