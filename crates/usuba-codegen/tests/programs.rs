//! Random programs with arrays, loops and calls, on random lanes, against the interpreter.

mod harness;

use harness::{Case, case, compare, compilers};
use usuba_codegen::admits;
use usuba_ir::layout::{Layout, Slicing};
use usuba_ir::program::{BinaryOp, Block, Op, Program};
use usuba_ir::random::{self, Atoms};
use usuba_target::by_name;

/// A random program of single bits; sums become what they are modulo 2, for `b1` has none.
fn bits(seed: u64) -> Program {
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
fn words(seed: u64) -> Program {
    let mut program = random::program(seed, Atoms::Mixed);
    let lay = |layout: &mut Layout| *layout = Layout::of(Slicing::V, layout.width());
    for node in &mut program.nodes {
        node.values.iter_mut().for_each(|value| lay(&mut value.ty.layout));
        node.inputs.iter_mut().chain(&mut node.outputs).for_each(|parameter| lay(&mut parameter.ty.layout));
    }
    program
}

fn check(name: &str, count: u64) {
    let target = by_name(name).expect("a target");
    let made = (0..count)
        .flat_map(|seed| [(format!("bits_{seed}"), bits(seed)), (format!("words_{seed}"), words(seed))]);
    let cases: Vec<Case> = made
        .filter(|(_, program)| admits(program, target).is_ok())
        .map(|(symbol, program)| case(program, target, &symbol))
        .collect();
    assert_eq!(cases.len() as u64, 2 * count, "every program is admitted");
    let folder = tempfile::tempdir().expect("a folder");
    for (compiler, level) in compilers(target).iter().zip(["-O3", "-O1"].into_iter().cycle()) {
        compare(&cases, target, compiler, level, folder.path());
    }
}

#[test]
fn gp64() {
    check("gp64", 150);
}

#[test]
fn avx2() {
    check("avx2", 40);
}

#[test]
fn avx512() {
    check("avx512", 20);
}

#[test]
fn neon() {
    check("neon", 20);
}

#[test]
fn altivec() {
    check("altivec", 20);
}
