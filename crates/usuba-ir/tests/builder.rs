//! What the builder simplifies, and that what it makes means what was asked for.

use expect_test::{Expect, expect};
use usuba_ir::aes::Round;
use usuba_ir::block::BlockOp;
use usuba_ir::builder::NodeBuilder;
use usuba_ir::carryless::Halves;
use usuba_ir::check::{self, Rule};
use usuba_ir::evaluate;
use usuba_ir::interpret::interpret;
use usuba_ir::layout::Layout;
use usuba_ir::program::{Affine, BinaryOp, InductionId, NodeId, Parameter, Program, ShiftOp, Type, ValueId};

const BINARY: [BinaryOp; 7] = [
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::AndNot,
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::Multiply,
];

fn vertical(word: u32) -> Layout {
    Layout { word, pack: 1, instances: 1 }
}

fn parameter(name: &str, ty: Type) -> Parameter {
    Parameter { name: name.to_owned(), ty, shape: ty.len.as_slice().to_vec(), uniform: false }
}

fn program(builder: NodeBuilder) -> Program {
    let program = Program { files: Vec::new(), nodes: vec![builder.finish()], interleave: 1 };
    assert_eq!(check::check(&program).err(), None, "{program}");
    program
}

/// Prints the node that `make` makes of its inputs `a`, `b` (atoms) and `st` (an array of four).
fn check(
    layout: Layout,
    make: impl FnOnce(&mut NodeBuilder, [ValueId; 3]) -> Vec<ValueId>,
    expected: Expect,
) {
    let mut builder = NodeBuilder::new("N");
    let types = [Type::atom(layout), Type::atom(layout), Type::array(layout, 4)];
    let inputs = std::array::from_fn(|i| builder.input(parameter(["a", "b", "st"][i], types[i])));
    for value in make(&mut builder, inputs) {
        builder.output(parameter("r", builder.ty(value)), value);
    }
    expected.assert_eq(&program(builder).to_string());
}

/// Every operator on every pair of simple operands (inputs, their complements, constants) computes the operator, and at
/// width 1 to 3 it does so for all inputs.
#[test]
fn simplified_operators_compute_the_operator() {
    type Operand = fn(&mut NodeBuilder, ValueId, ValueId, Layout) -> ValueId;
    type Meaning = fn(u32, u128, u128) -> u128;
    let operands: [(Operand, Meaning); 8] = [
        (|_, a, _, _| a, |_, a, _| a),
        (|_, _, b, _| b, |_, _, b| b),
        (|builder, a, _, _| builder.not(a), |width, a, _| evaluate::not(width, a)),
        (|builder, _, b, _| builder.not(b), |width, _, b| evaluate::not(width, b)),
        (|builder, _, _, layout| builder.constant(layout, 0), |_, _, _| 0),
        (|builder, _, _, layout| builder.constant(layout, 1), |_, _, _| 1),
        (|builder, _, _, layout| builder.constant(layout, u128::MAX), |width, _, _| evaluate::ones(width)),
        (|builder, a, b, _| builder.binary(BinaryOp::Xor, a, b), |_, a, b| a ^ b),
    ];
    for width in 1..=3 {
        let layout = vertical(width);
        for (left, left_value) in operands {
            for (right, right_value) in operands {
                let mut builder = NodeBuilder::new("N");
                let a = builder.input(parameter("a", Type::atom(layout)));
                let b = builder.input(parameter("b", Type::atom(layout)));
                let (x, y) = (left(&mut builder, a, b, layout), right(&mut builder, a, b, layout));
                for op in BINARY {
                    let value = builder.binary(op, x, y);
                    builder.output(parameter("r", Type::atom(layout)), value);
                    let value = builder.not(value);
                    builder.output(parameter("n", Type::atom(layout)), value);
                }
                let program = program(builder);
                for (a, b) in (0..1 << width).flat_map(|a| (0..1 << width).map(move |b| (a, b))) {
                    let outputs = interpret(&program, &[vec![a], vec![b]]);
                    for (op, outputs) in BINARY.into_iter().zip(outputs.chunks(2)) {
                        let (x, y) = (left_value(width, a, b), right_value(width, a, b));
                        let expected = evaluate::binary(op, width, x, y);
                        let expected = [[expected], [evaluate::not(width, expected)]];
                        assert_eq!(outputs, expected, "{op:?}, a = {a}, b = {b}\n{program}");
                    }
                }
            }
        }
    }
}

#[test]
fn shifts_take_any_amount() {
    let shifts =
        [ShiftOp::Left, ShiftOp::Right, ShiftOp::RightArithmetic, ShiftOp::RotateLeft, ShiftOp::RotateRight];
    for width in 1..=3 {
        for op in shifts {
            for amount in 0..8 {
                let mut builder = NodeBuilder::new("N");
                let a = builder.input(parameter("a", Type::atom(vertical(width))));
                let value = builder.shift(op, a, amount);
                builder.output(parameter("r", Type::atom(vertical(width))), value);
                let program = program(builder);
                for a in 0..1 << width {
                    // One bit at a time.
                    let by_one = |a| match op {
                        ShiftOp::Left => a << 1 & evaluate::ones(width),
                        ShiftOp::Right => a >> 1,
                        ShiftOp::RightArithmetic => a >> 1 | a & 1 << (width - 1),
                        ShiftOp::RotateLeft => (a << 1 | a >> (width - 1)) & evaluate::ones(width),
                        ShiftOp::RotateRight => a >> 1 | (a & 1) << (width - 1),
                    };
                    let expected = (0..amount).fold(a, |a, _| by_one(a));
                    assert_eq!(interpret(&program, &[vec![a]]), [[expected]], "{op:?} {a} by {amount}");
                }
            }
        }
    }
}

#[test]
fn logic() {
    check(
        Layout::BIT,
        |builder, [a, b, _]| {
            let not_b = builder.not(b);
            let ones = builder.constant(Layout::BIT, 1);
            let again = builder.constant(Layout::BIT, 3);
            assert_eq!(ones, again);
            let masked = builder.bitmask(a, 0);
            let same = builder.shuffle(masked, vec![Some(0)]);
            vec![builder.binary(BinaryOp::And, not_b, same), builder.binary(BinaryOp::Xor, ones, not_b)]
        },
        expect![[r#"
            node N (%0 a: b1, %1 b: b1, %2 st: b1[4]) -> (r: b1, r: b1) {
              %3: b1 = not %1
              %4: b1 = constant 0x1
              %5: b1 = andnot %0, %1
              return %5, %1
            }
        "#]],
    );
}

#[test]
fn constants_made_in_loops_are_made_before_them() {
    check(
        vertical(8),
        |builder, [a, _, _]| {
            let (_, carried) = builder.begin_loop(3, vec![a]);
            let one = builder.constant(vertical(8), 1);
            let sum = builder.binary(BinaryOp::Add, carried[0], one);
            let mut results = builder.end_loop(vec![sum]);
            let one = builder.constant(vertical(8), 1);
            results.push(builder.binary(BinaryOp::Add, results[0], one));
            results
        },
        expect![[r#"
            node N (%0 a: v8, %1 b: v8, %2 st: v8[4]) -> (r: v8, r: v8) {
              %4: v8 = constant 0x1
              %6: v8 = loop i0 < 3 carry (%3: v8 = %0) {
                %5: v8 = add %3, %4
                yield %5
              }
              %7: v8 = add %6, %4
              return %6, %7
            }
        "#]],
    );
}

#[test]
fn arrays() {
    check(
        Layout::BIT,
        |builder, [a, b, st]| {
            let at = Affine::constant;
            let changed = builder.set(st, at(1), a);
            let again = builder.set(changed, at(2), b);
            let known = [builder.get(again, at(1)), builder.get(again, at(2))];
            assert_eq!(known, [a, b]);
            let part = builder.slice(again, at(1), 2);
            assert_eq!(builder.get(part, at(1)), b);
            let whole = builder.splice(st, at(2), part);
            assert_eq!(builder.get(whole, at(2)), a);
            let atoms = builder.array(vec![a, b]);
            assert_eq!(builder.slice(atoms, at(0), 2), atoms);
            assert_eq!(builder.splice(part, at(0), atoms), atoms);
            assert_eq!(builder.get(atoms, at(1)), b);
            // The element 3 of the newest version is read from it, though the oldest has it too.
            let kept = builder.get(again, at(3));
            let through = builder.slice(again, at(2), 2);
            let through = builder.get(through, at(1));
            vec![kept, through, whole]
        },
        expect![[r#"
            node N (%0 a: b1, %1 b: b1, %2 st: b1[4]) -> (r: b1, r: b1, r: b1[4]) {
              %3: b1[4] = set %2[1], %0
              %4: b1[4] = set %3[2], %1
              %5: b1[2] = slice %4[1]
              %6: b1[4] = splice %2[2], %5
              %7: b1[2] = array [%0, %1]
              %8: b1 = get %4[3]
              %9: b1[2] = slice %4[2]
              %10: b1 = get %4[3]
              return %8, %10, %6
            }
        "#]],
    );
}

#[test]
fn no_opt_keeps_what_was_asked_for() {
    check(
        Layout::BIT,
        |builder, [a, ..]| {
            builder.attributes.no_opt = true;
            let zero = builder.binary(BinaryOp::Xor, a, a);
            let not = builder.not(zero);
            vec![builder.not(not)]
        },
        expect![[r#"
            node N no_opt (%0 a: b1, %1 b: b1, %2 st: b1[4]) -> (r: b1) {
              %3: b1 = xor %0, %0
              %4: b1 = not %3
              %5: b1 = not %4
              return %5
            }
        "#]],
    );
}

/// Flaws that no text has, since numbers of values and loops follow from it.
#[test]
fn flaws_of_numbering() {
    let sound = || {
        let mut builder = NodeBuilder::new("N");
        let a = builder.input(parameter("a", Type::atom(Layout::BIT)));
        let (_, carried) = builder.begin_loop(2, vec![a]);
        let not = builder.not(carried[0]);
        let results = builder.end_loop(vec![not]);
        builder.output(parameter("r", Type::atom(Layout::BIT)), results[0]);
        program(builder)
    };
    let rules = |change: fn(&mut Program)| -> Vec<Rule> {
        let mut program = sound();
        change(&mut program);
        let flaws = check::check(&program).expect_err("the program has a flaw");
        flaws.into_iter().map(|flaw| flaw.rule).collect()
    };
    assert_eq!(rules(|program| program.nodes.clear()), [Rule::NoNode]);
    assert_eq!(rules(|program| program.interleave = 0), [Rule::NoBatch]);
    let batches = |name: &str| Rule::Batches { name: name.to_owned(), shape: Vec::new(), batches: 2 };
    assert_eq!(rules(|program| program.interleave = 2), [batches("a"), batches("r")]);
    assert_eq!(rules(|program| program.nodes[0].name = "a b".to_owned()), [Rule::Name("a b".to_owned())]);
    assert_eq!(
        rules(|program| program.nodes[0].inductions = 2),
        [Rule::InductionCount { counted: 2, loops: 1 }]
    );
    assert_eq!(
        rules(|program| {
            let again = program.nodes[0].values[0].clone();
            program.nodes[0].values.push(again);
        }),
        [Rule::NeverDefined]
    );
    assert_eq!(
        rules(|program| program.nodes[0].body.operations[0].results[0] = ValueId(0)),
        [Rule::DefinedTwice, Rule::UsedBefore, Rule::NeverDefined]
    );
    assert_eq!(rules(|program| program.nodes[0].body.results[0] = ValueId(9)), [Rule::NoValue(4)]);
    assert_eq!(rules(|program| program.files.push("\"".to_owned())), [Rule::FileName("\"".to_owned())]);
    assert_eq!(
        rules(|program| program.nodes[0].values[2].origin.name = Some("a b".into())),
        [Rule::SourceName("a b".to_owned())]
    );
    let wide = Layout { word: u32::MAX, pack: u32::MAX, instances: u32::MAX };
    let mut program = sound();
    program.nodes[0].values[2].ty = Type::atom(wide);
    let flaws = check::check(&program).expect_err("the program has a flaw");
    assert_eq!(flaws[0].rule, Rule::Layout("<4294967295,4294967295,4294967295>".to_owned()));
}

#[test]
fn calls_and_indices() {
    let mut callee = NodeBuilder::new("F");
    let x = callee.input(parameter("x", Type::atom(Layout::BIT)));
    callee.output(parameter("y", Type::atom(Layout::BIT)), x);
    let mut caller = NodeBuilder::new("G");
    let st = caller.input(parameter("st", Type::array(Layout::BIT, 8)));
    let (i, carried) = caller.begin_loop(4, vec![st]);
    let index = Affine { constant: 1, terms: vec![(i, 2)] };
    let atom = caller.get(carried[0], index);
    let called = caller.call(NodeId(0), vec![atom], &[Type::atom(Layout::BIT)]);
    let next = caller.set(carried[0], Affine { constant: 0, terms: vec![(i, 2)] }, called[0]);
    let results = caller.end_loop(vec![next]);
    caller.output(parameter("r", Type::array(Layout::BIT, 8)), results[0]);
    let program = Program { files: Vec::new(), nodes: vec![callee.finish(), caller.finish()], interleave: 1 };
    assert_eq!(check::check(&program).err(), None);
    assert_eq!(i, InductionId(0));
    let outputs = interpret(&program, &[vec![0, 1, 0, 0, 1, 1, 1, 0]]);
    assert_eq!(outputs, [[1, 1, 0, 0, 1, 1, 0, 0]]);
}

/// Every function of three bits of every triple of inputs, complements and constants computes what it should, in one operation
/// beside the complements; where an operand is a constant or a complement, it is in the truth table then.
#[test]
fn functions_of_three_bits_take_in_what_is_known() {
    let layout = vertical(4);
    let names = ["a", "b", "c"];
    for table in 0..=255u8 {
        let mut builder = NodeBuilder::new("N");
        let inputs = names.map(|name| builder.input(parameter(name, Type::atom(layout))));
        let not = builder.not(inputs[0]);
        let (zeros, ones) = (builder.constant(layout, 0), builder.constant(layout, 15));
        let operands = [inputs[0], inputs[1], inputs[2], not, zeros, ones];
        let values: [u128; 3] = [0b0011, 0b0101, 0b1001];
        let known = [values[0], values[1], values[2], 0b1100, 0, 0b1111];
        let mut expected = Vec::new();
        for case in 0..operands.len().pow(3) {
            let of = [case / 36, case / 6 % 6, case % 6];
            let value = builder.ternary(table, of.map(|place| operands[place]));
            builder.output(parameter(&format!("r{case}"), Type::atom(layout)), value);
            expected.push(vec![evaluate::ternary(4, table, of.map(|place| known[place]))]);
        }
        let program = program(builder);
        assert_eq!(interpret(&program, &values.map(|value| vec![value])), expected, "{table:#04x}");
        let text = program.to_string();
        let read_not = text.lines().filter(|line| line.contains("ternary")).any(|line| {
            let operands = line.split("ternary").nth(1).unwrap_or_default();
            let named = |value: ValueId| operands.split([' ', ',']).any(|word| word == value.to_string());
            [not, zeros, ones].into_iter().any(named)
        });
        assert!(!read_not, "{table:#04x}: {text}");
    }
}

/// Products by zero and sums with zero are nothing, whatever the other half of the constant; constants are computed.
#[test]
fn blocks() {
    let product = |first, second| BlockOp::Product(Halves { first, second });
    check(
        Layout::BLOCK,
        |builder, [a, b, _]| {
            let zero = builder.constant(Layout::BLOCK, 0);
            // The first eight bytes, the earlier half, are zero.
            let later = builder.constant(Layout::BLOCK, 0x3);
            let key = builder.constant(Layout::BLOCK, 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f);
            vec![
                builder.block_of(product(false, true), a, later),
                builder.block_of(product(true, false), a, later),
                builder.block_of(product(false, true), later, b),
                builder.block_of(BlockOp::AddWords(32), zero, b),
                builder.block_of(BlockOp::AddWords(32), a, zero),
                builder.block_of(BlockOp::Aes(Round::EncryptLast), zero, zero),
                builder.block_of(product(true, true), later, later),
                builder.inverse_mix_columns(key),
                builder.block_of(BlockOp::Aes(Round::Decrypt), a, zero),
            ]
        },
        expect![[r#"
            node N (%0 a: <8,16,1>, %1 b: <8,16,1>, %2 st: <8,16,1>[4]) -> (r: <8,16,1>, r: <8,16,1>, r: <8,16,1>, r: <8,16,1>, r: <8,16,1>, r: <8,16,1>, r: <8,16,1>, r: <8,16,1>, r: <8,16,1>) {
              %3: <8,16,1> = constant 0x0
              %4: <8,16,1> = constant 0x3
              %5: <8,16,1> = constant 0x102030405060708090a0b0c0d0e0f
              %6: <8,16,1> = carryless 0x10 %0, %4
              %7: <8,16,1> = constant 0x63636363636363636363636363636363
              %8: <8,16,1> = constant 0x500
              %9: <8,16,1> = constant 0xa0f080d0e0b0c090207000506030401
              %10: <8,16,1> = aesdecrypt %0, %3
              return %6, %3, %3, %1, %0, %7, %8, %9, %10
            }
        "#]],
    );
}
