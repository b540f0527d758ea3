//! The interpreter against a simpler one that copies everything, and its two readings against each other.

use usuba_ir::interpret::{Interpreter, interpret};
use usuba_ir::layout::Layout;
use usuba_ir::program::{Block, Node, Op, Program, ValueId};
use usuba_ir::random::{self, Atoms, Random};
use usuba_ir::{aes, evaluate};

/// The values of a node and of its inductions, each array a vector of its own.
struct Simple<'a> {
    program: &'a Program,
    node: &'a Node,
    values: Vec<Vec<u128>>,
    inductions: Vec<i64>,
}

fn simple(program: &Program, node: &Node, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
    let values = vec![Vec::new(); node.values.len()];
    let mut simple = Simple { program, node, values, inductions: vec![0; node.inductions as usize] };
    simple.block(&node.body, inputs)
}

impl Simple<'_> {
    fn of(&self, value: ValueId) -> &[u128] {
        &self.values[value.index()]
    }

    fn all(&self, values: &[ValueId]) -> Vec<Vec<u128>> {
        values.iter().map(|&value| self.of(value).to_vec()).collect()
    }

    fn block(&mut self, block: &Block, parameters: &[Vec<u128>]) -> Vec<Vec<u128>> {
        for (parameter, value) in block.parameters.iter().zip(parameters) {
            self.values[parameter.index()] = value.clone();
        }
        for operation in &block.operations {
            let results = self.op(&operation.op, operation.results.first().copied());
            for (result, value) in operation.results.iter().zip(results) {
                self.values[result.index()] = value;
            }
        }
        self.all(&block.results)
    }

    fn op(&mut self, op: &Op, result: Option<ValueId>) -> Vec<Vec<u128>> {
        let layout = result.map_or(Layout::BIT, |result| self.node.ty(result).layout);
        let width = layout.width();
        let len = result.map_or(1, |result| self.node.ty(result).atoms() as usize);
        let at = |value: &ValueId| self.of(*value)[0];
        vec![match op {
            Op::Constant(number) => vec![*number],
            Op::Not(a) => vec![evaluate::not(width, at(a))],
            Op::Binary(op, a, b) => {
                vec![words(layout, at(a), at(b), |width, a, b| evaluate::binary(*op, width, a, b))]
            }
            Op::Ternary(table, of) => {
                let bit = |place: u32| {
                    let row = of.iter().fold(0, |row, value| row << 1 | at(value) >> place & 1);
                    u128::from(table >> row & 1) << place
                };
                vec![(0..width).fold(0, |word, place| word | bit(place))]
            }
            Op::Shift(op, a, amount) => {
                vec![words(layout, at(a), 0, |width, a, _| evaluate::shift(*op, width, a, *amount))]
            }
            Op::Shuffle(a, pattern) => vec![evaluate::shuffle(width, at(a), pattern)],
            Op::Bitmask(a, bit) => vec![evaluate::bitmask(width, at(a), *bit)],
            Op::MapBytes(a, map) => vec![words(layout, at(a), 0, |_, a, _| u128::from(map.of(a as u8)))],
            Op::Block(op, a, b) => vec![u128::from_be_bytes(op.of(at(a).to_be_bytes(), at(b).to_be_bytes()))],
            Op::InverseMixColumns(a) => {
                vec![u128::from_be_bytes(aes::inverse_mix_columns(at(a).to_be_bytes()))]
            }
            Op::Pack(a, b) => vec![evaluate::pack(width / 2, at(a), at(b))],
            Op::Refresh(a) => vec![at(a)],
            Op::Array(atoms) => atoms.iter().map(at).collect(),
            Op::Get(array, index) | Op::Slice(array, index) => {
                let start = index.at(&self.inductions) as usize;
                self.of(*array)[start..start + len].to_vec()
            }
            Op::Set(array, index, part) | Op::Splice(array, index, part) => {
                let start = index.at(&self.inductions) as usize;
                let mut array = self.of(*array).to_vec();
                array.splice(start..start + self.of(*part).len(), self.of(*part).iter().copied());
                array
            }
            Op::Call(callee, arguments) => {
                return simple(self.program, self.program.node(*callee), &self.all(arguments));
            }
            Op::Loop(inner) => {
                let mut carried = self.all(&inner.initial);
                for trip in 0..inner.trips {
                    self.inductions[inner.induction.index()] = i64::from(trip);
                    carried = self.block(&inner.body, &carried);
                }
                return carried;
            }
        }]
    }
}

/// A function of words on atoms: of each word, from the least significant, if they have several of several bits.
fn words(layout: Layout, a: u128, b: u128, f: impl Fn(u32, u128, u128) -> u128) -> u128 {
    let Layout { word, pack, .. } = layout;
    if word == 1 || pack == 1 {
        return f(word * pack, a, b);
    }
    let (mut rest, mut result) = ((a, b), 0);
    for word_number in 0..pack {
        let low = (1 << word) - 1;
        result |= f(word, rest.0 & low, rest.1 & low) << (word_number * word);
        rest = (rest.0 >> word, rest.1 >> word);
    }
    result
}

#[test]
fn random_programs_mean_what_the_simple_interpreter_says() {
    for seed in 0..1000 {
        let program = random::program(
            seed,
            [Atoms::Bytes, Atoms::Blocks, Atoms::Mixed, Atoms::Mixed][seed as usize % 4],
        );
        let mut random = Random::new(seed);
        let mut interpreter = Interpreter::new(&program);
        // Twice, since frames are kept.
        for _ in 0..2 {
            let inputs = random::inputs(&mut random, &program, false);
            let expected = simple(&program, program.entry(), &inputs);
            assert_eq!(interpreter.run(&inputs), expected, "seed {seed}\n{program}");
        }
    }
}

#[test]
fn sliced_instances_are_instances() {
    for seed in 0..300 {
        let program = random::program(seed, Atoms::Bits);
        let inputs = random::inputs(&mut Random::new(seed), &program, true);
        let instance = |values: &[Vec<u128>], j: u32| -> Vec<Vec<u128>> {
            values.iter().map(|atoms| atoms.iter().map(|atom| atom >> j & 1).collect()).collect()
        };
        let outputs = Interpreter::new(&program).run_sliced(&inputs);
        for j in [0, 1, 77, 127] {
            let expected = interpret(&program, &instance(&inputs, j));
            assert_eq!(instance(&outputs, j), expected, "seed {seed}, instance {j}\n{program}");
        }
    }
}

/// What one input array of `v8` becomes, by a node with the body `body`.
fn check(len: usize, body: &str, input: &[u128], expected: &[u128]) {
    let text = format!("node N (%0 a: v8[{}]) -> (r: v8[{len}]) {{ {body} }}", input.len());
    let program = Program::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(usuba_ir::check::check(&program).err(), None);
    assert_eq!(interpret(&program, &[input.to_vec()]), [expected]);
}

/// Arrays change in place only when nobody looks at what they were.
#[test]
fn arrays_keep_their_values() {
    // An array from outside of the loop is as it was at each trip.
    check(
        3,
        "%1: v8 = constant 0x9
         %2: v8[3] = array [%1, %1, %1]
         %3: v8[3] = loop i0 < 3 carry (%4: v8[3] = %0) {
           %5: v8 = get %0[i0]
           %6: v8[3] = set %2[i0], %5
           yield %6
         }
         return %3",
        &[1, 2, 3],
        &[9, 9, 3],
    );
    // Carried values change places.
    check(
        2,
        "%1: v8 = get %0[0]
         %2: v8 = get %0[1]
         %3: v8, %4: v8 = loop i0 < 3 carry (%5: v8 = %1, %6: v8 = %2) { yield %6, %5 }
         %7: v8[2] = array [%3, %4]
         return %7",
        &[1, 2],
        &[2, 1],
    );
    // Both versions are used, the older one after the newer one.
    check(
        2,
        "%1: v8 = get %0[1]
         %2: v8[2] = set %0[0], %1
         %3: v8[2] = set %0[1], %1
         %4: v8 = get %2[0]
         %5: v8 = get %3[0]
         %6: v8[2] = array [%4, %5]
         return %6",
        &[1, 2],
        &[2, 1],
    );
    // One array is carried twice.
    check(
        2,
        "%1: v8 = constant 0x7
         %2: v8[2], %3: v8[2] = loop i0 < 2 carry (%4: v8[2] = %0, %5: v8[2] = %0) {
           %6: v8[2] = set %4[i0], %1
           yield %6, %5
         }
         %7: v8 = get %2[0]
         %8: v8 = get %3[0]
         %9: v8[2] = array [%7, %8]
         return %9",
        &[1, 2],
        &[7, 1],
    );
}

/// Operators against facts that are not computed the same way.
#[test]
fn operators() {
    use usuba_ir::program::BinaryOp::*;
    use usuba_ir::program::ShiftOp::*;
    assert_eq!(evaluate::binary(Subtract, 8, 3, 5), 254);
    assert_eq!(evaluate::binary(Add, 128, u128::MAX, 2), 1);
    assert_eq!(evaluate::binary(Multiply, 16, 0xffff, 0xffff), 1);
    assert_eq!(evaluate::binary(AndNot, 4, 0b1100, 0b1010), 0b0100);
    assert_eq!(evaluate::shift(Left, 8, 0x81, 1), 0x02);
    assert_eq!(evaluate::shift(Right, 8, 0x81, 1), 0x40);
    assert_eq!(evaluate::shift(RightArithmetic, 8, 0x81, 1), 0xc0);
    assert_eq!(evaluate::shift(RightArithmetic, 128, 1 << 127, 127), u128::MAX);
    assert_eq!(evaluate::shift(RotateLeft, 128, 1 << 127 | 1, 1), 3);
    assert_eq!(evaluate::shift(RotateRight, 8, 0x81, 4), 0x18);
    assert_eq!(evaluate::shift(RotateLeft, 8, 0x81, 8), 0x81);
    assert_eq!(evaluate::shuffle(4, 0b1000, &[Some(3), Some(0), None, Some(0)]), 0b0101);
    assert_eq!(evaluate::bitmask(4, 0b0010, 1), 0b1111);
    assert_eq!(evaluate::bitmask(4, 0b0010, 0), 0);
    assert_eq!(evaluate::pack(8, 0x12, 0x34), 0x1234);
    assert_eq!(evaluate::pack(64, 1, 2), 1 << 64 | 2);
}
