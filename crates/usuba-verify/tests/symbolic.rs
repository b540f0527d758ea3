//! Random programs of Usuba0 on bits of a graph: against the interpreter, and against themselves with a mistake.

use usuba_ir::check::check;
use usuba_ir::interpret::interpret;
use usuba_ir::program::{BinaryOp, Block, Op, Program};
use usuba_ir::random::{self, Atoms, Random};
use usuba_verify::compare::{Effort, Verdict, compare};
use usuba_verify::equal::{Outcome, Problem};
use usuba_verify::graph::{Edge, Graph, words};
use usuba_verify::prove::Limits;
use usuba_verify::symbolic::{Values, numbers, usuba0};

const ALL: [Atoms; 4] = [Atoms::Bits, Atoms::Mixed, Atoms::Bytes, Atoms::Blocks];

/// On constants a graph has nothing but constants: the run is an interpreter, and agrees with the other one.
#[test]
fn bits_have_the_values_of_numbers() {
    let mut random = Random::new(11);
    let mut count = 0;
    for seed in 0..240 {
        let program = random::program(seed, ALL[seed as usize % 4]);
        if usuba0::cost(&program) > 1 << 22 {
            continue;
        }
        let shapes = usuba0::inputs(&program);
        for _ in 0..4 {
            let inputs = random::inputs(&mut random, &program, false);
            let bits: Values = inputs
                .iter()
                .zip(&shapes)
                .map(|(atoms, (width, _))| {
                    atoms.iter().map(|&atom| words::constant(*width as usize, atom)).collect()
                })
                .collect();
            let mut graph = Graph::new();
            let outputs = usuba0::run(&mut graph, &program, &bits, &mut Vec::new());
            let known = |edge: Edge| edge.known().expect("constants stay constants");
            assert_eq!(numbers(&outputs, known), interpret(&program, &inputs), "{seed}");
            assert!(graph.is_empty());
            count += 1;
        }
    }
    assert!(count > 700, "{count}");
}

/// Values of the graph for symbols are those of the interpreter: what the prover simulates is the program.
#[test]
fn symbols_have_the_values_of_numbers() {
    let mut random = Random::new(12);
    for seed in 0..120 {
        let program = random::program(seed, ALL[seed as usize % 3]);
        if usuba0::cost(&program) > 1 << 20 {
            continue;
        }
        let mut graph = Graph::new();
        let bits = usuba_verify::symbolic::fresh(&mut graph, &usuba0::inputs(&program));
        let outputs = usuba0::run(&mut graph, &program, &bits, &mut Vec::new());
        let inputs = random::inputs(&mut random, &program, false);
        let flat = bits.iter().zip(&inputs).flat_map(|(bits, atoms)| bits.iter().zip(atoms));
        let mut columns = vec![0; graph.inputs() as usize];
        let numbers_of: Vec<u64> =
            flat.flat_map(|(bits, &atom)| (0..bits.len()).map(move |bit| (atom >> bit & 1) as u64)).collect();
        columns.copy_from_slice(&numbers_of);
        let values = graph.evaluate(|input| columns[input as usize]);
        let value = |edge: Edge| (values[edge.vertex().index()] & 1 == 1) != edge.is_complemented();
        assert_eq!(numbers(&outputs, value), interpret(&program, &inputs), "{seed}");
    }
}

fn visit(block: &mut Block, see: &mut dyn FnMut(&mut Op)) {
    for operation in &mut block.operations {
        match &mut operation.op {
            Op::Loop(inner) => visit(&mut inner.body, see),
            op => see(op),
        }
    }
}

/// A program with a mistake in one operation; `None` if there is none to make there.
fn damaged(program: &Program, random: &mut Random) -> Option<Program> {
    let mut other = program.clone();
    let mut count = 0;
    other.nodes.iter_mut().for_each(|node| visit(&mut node.body, &mut |_| count += 1));
    let site = random.below(count.max(1));
    let mut number = 0;
    for node in &mut other.nodes {
        visit(&mut node.body, &mut |op| {
            number += 1;
            if number != site + 1 {
                return;
            }
            *op = match op.clone() {
                Op::Constant(value) => Op::Constant(value ^ 1),
                Op::Not(a) => Op::Refresh(a),
                Op::Binary(BinaryOp::Xor, a, b) => Op::Binary(BinaryOp::Or, a, b),
                Op::Binary(BinaryOp::And, a, b) => Op::Binary(BinaryOp::AndNot, a, b),
                Op::Binary(BinaryOp::AndNot, a, b) => Op::Binary(BinaryOp::AndNot, b, a),
                Op::Binary(BinaryOp::Or, a, b) => Op::Binary(BinaryOp::Xor, a, b),
                Op::Binary(BinaryOp::Add, a, b) => Op::Binary(BinaryOp::Subtract, a, b),
                Op::Binary(_, a, b) => Op::Binary(BinaryOp::Add, a, b),
                Op::Ternary(table, of) => Op::Ternary(table ^ 1 << random.below(8), of),
                Op::Shift(kind, a, amount) => Op::Shift(kind, a, amount + 1),
                Op::Bitmask(a, bit) => Op::Bitmask(a, bit ^ 1),
                Op::Get(array, mut index) => {
                    index.constant += 1;
                    Op::Get(array, index)
                }
                Op::Array(mut atoms) => {
                    atoms.reverse();
                    Op::Array(atoms)
                }
                other => other,
            };
        });
    }
    (other != *program && check(&other).is_ok()).then_some(other)
}

/// A mistake is refuted, by inputs that the interpreter confirms, or every input (or every one that is tried) says that it is none.
#[test]
fn mistakes_are_refuted_or_are_none() {
    let (mut refuted, mut proved, mut exhaustive) = (0, 0, 0);
    for seed in 0..2400 {
        let program = random::program(seed, ALL[seed as usize % 3]);
        if usuba0::cost(&program) > 1 << 18 {
            continue;
        }
        let Some(other) = damaged(&program, &mut Random::new(seed)) else { continue };
        let problem = Problem::of_programs(&program, &other).expect("the same inputs");
        let verdict = compare(&program, &other, Effort { exhaustive_bits: 12, ..Effort::default() });
        exhaustive += u32::from(matches!(verdict, Verdict::Equal { .. }));
        match problem.decide(Limits::default()).0 {
            Outcome::Refuted(difference) => {
                assert_eq!(interpret(&program, &difference.inputs), difference.left, "{seed}");
                assert_eq!(interpret(&other, &difference.inputs), difference.right, "{seed}");
                assert_ne!(difference.left, difference.right, "{seed}");
                assert!(!matches!(verdict, Verdict::Equal { .. }), "{seed}");
                refuted += 1;
            }
            Outcome::Proved => {
                assert!(!matches!(verdict, Verdict::Differ { .. }), "{seed}");
                proved += 1;
            }
            Outcome::Unknown(outputs) => panic!("{seed}: {outputs:?} of a small program is not decided"),
        }
    }
    println!("{refuted} refuted, {proved} proved, {exhaustive} of them seen on all inputs");
    assert!(refuted > 250 && proved > 50, "{refuted} refuted, {proved} proved");
}
