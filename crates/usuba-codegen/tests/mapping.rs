//! The covering of logic: every function of three bits on real machines, and how many instructions networks take.

mod harness;

use harness::passes::check_passes;
use harness::{case, compare, compilers, say};
use std::collections::BTreeSet;
use std::fmt::Write;
use usuba_codegen::{Scheduling, select};
use usuba_ir::check;
use usuba_ir::program::Program;
use usuba_ir::random::Random;
use usuba_machine::program::{Block, Program as Machine, Step};
use usuba_target::{Meaning, by_name};

/// A program with an output for every truth table of three inputs, as a sum of products: bit `4a + 2b + c` of the number
/// of the output is its value.
fn every_function() -> Program {
    let mut text = String::from("node Functions (%0 a: b1, %1 b: b1, %2 c: b1) -> (");
    let mut body = String::from("  %3: b1 = not %0\n  %4: b1 = not %1\n  %5: b1 = not %2\n");
    let mut results = Vec::new();
    let mut next = 6;
    let mut define = |body: &mut String, operation: String| {
        let _ = writeln!(body, "  %{next}: b1 = {operation}");
        next += 1;
        next - 1
    };
    for table in 0..256 {
        let mut sum = None;
        for row in (0..8).filter(|row| table >> row & 1 == 1) {
            let literal = |place: usize| if row >> (2 - place) & 1 == 1 { place } else { place + 3 };
            let two = define(&mut body, format!("and %{}, %{}", literal(0), literal(1)));
            let product = define(&mut body, format!("and %{two}, %{}", literal(2)));
            sum = Some(match sum {
                None => product,
                Some(sum) => define(&mut body, format!("or %{sum}, %{product}")),
            });
        }
        let result = sum.unwrap_or_else(|| define(&mut body, "constant 0".into()));
        let comma = if table == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}f{table}: b1");
        results.push(format!("%{result}"));
    }
    let _ = write!(text, ") {{\n{body}  return {}\n}}\n", results.join(", "));
    Program::parse(&text).unwrap_or_else(|error| panic!("{error:?}"))
}

fn steps<'a>(block: &'a Block, found: &mut Vec<&'a Step>) {
    for step in &block.steps {
        found.push(step);
        if let Step::Loop(looped) = step {
            steps(&looped.body, found);
        }
    }
}

/// The instructions on registers, each with its immediate.
fn computed(module: &Machine) -> Vec<(Meaning, Option<u32>)> {
    let mut all = Vec::new();
    module.functions.iter().for_each(|function| steps(&function.body, &mut all));
    let instruction = |step: &&Step| match step {
        Step::Compute { row, immediate, .. } => Some((row.meaning, *immediate)),
        _ => None,
    };
    all.iter().filter_map(instruction).collect()
}

#[test]
fn every_function_of_three_bits_on_real_machines() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["avx512", "avx512-256", "avx512-128", "avx2", "neon", "altivec", "gp64"] {
        let target = by_name(name).expect("a target");
        let cases = [case(every_function(), target, "functions")];
        // The logic is tested in process; one compiler shows that its C is right.
        check_passes("functions", &cases[0].program, target);
        if let Some(compiler) = compilers(target).into_iter().next() {
            compare(&cases, &compiler, "-O1", folder.path());
        }
    }
}

/// Where one instruction does all functions, each takes one, and its immediate is the truth table.
#[test]
fn three_bits_take_one_instruction() {
    let depends =
        |table: u32, place: u32| (0..8).any(|row| (table >> row & 1) != (table >> (row ^ (4 >> place)) & 1));
    for name in ["avx512", "avx512-256"] {
        let target = by_name(name).expect("a target");
        let program = every_function();
        let checked = check::check(&program).expect("the program has no flaw");
        let module = select(checked, target, Scheduling::SOURCE).expect("the target has gates");
        let found = computed(&module);
        let immediates: BTreeSet<u32> = found
            .iter()
            .filter(|(meaning, _)| *meaning == Meaning::Ternary)
            .filter_map(|(_, immediate)| *immediate)
            .collect();
        let of_three = (0..256).filter(|&table| (0..3).all(|place| depends(table, place)));
        assert_eq!(of_three.filter(|table| !immediates.contains(table)).count(), 0, "{name}");
        // The variables themselves are written out in the program, and their complements and the constants are shared.
        assert!(found.len() <= 258, "{name}: {} instructions", found.len());
    }
}

/// A random network with many outputs and constants, in a loop and around it.
fn network(seed: u64, gates: u32) -> Program {
    let mut random = Random::new(seed);
    let outputs = 8;
    let mut text = String::from("node Network (");
    for input in 0..8 {
        let comma = if input == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}%{input} x{input}: b1");
    }
    text.push_str(") -> (");
    for output in 0..outputs {
        let comma = if output == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}y{output}: b1");
    }
    text.push_str(") {\n  %8: b1 = constant 0\n  %9: b1 = constant 1\n");
    let mut write_gates = |text: &mut String, visible: &mut Vec<u32>, next: &mut u32| {
        for _ in 0..gates {
            let pick = |random: &mut Random| {
                // Mostly recent values, so that cones are deep.
                let span = if random.once_in(3) { visible.len() as u32 } else { 6.min(visible.len() as u32) };
                visible[visible.len() - 1 - random.below(span) as usize]
            };
            let (a, b) = (pick(&mut random), pick(&mut random));
            let operation = match random.below(9) {
                0 => format!("not %{a}"),
                1 | 2 => format!("and %{a}, %{b}"),
                3 | 4 => format!("or %{a}, %{b}"),
                5 => format!("andnot %{a}, %{b}"),
                _ => format!("xor %{a}, %{b}"),
            };
            let _ = writeln!(text, "  %{next}: b1 = {operation}");
            visible.push(*next);
            *next += 1;
        }
    };
    let (mut visible, mut next): (Vec<u32>, u32) = ((0..10).collect(), 10);
    write_gates(&mut text, &mut visible, &mut next);
    let results: Vec<String> = visible[visible.len() - outputs..].iter().map(|v| format!("%{v}")).collect();
    let _ = write!(text, "  return {}\n}}\n", results.join(", "));
    Program::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

#[test]
fn random_networks_compute_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["avx512", "avx512-256", "avx2", "neon", "altivec", "gp64"] {
        let target = by_name(name).expect("a target");
        for seed in 0..24 {
            check_passes("network", &network(seed, 10 + 12 * (seed as u32 % 12)), target);
        }
        let cases: Vec<_> = [2, 6, 11]
            .map(|seed| case(network(seed, 10 + 12 * seed as u32), target, &format!("network_{seed}")))
            .into();
        let Some(compiler) = compilers(target).into_iter().next() else {
            say(&format!("skipped: no compiler for {name}"));
            continue;
        };
        compare(&cases, &compiler, "-O1", folder.path());
    }
}

/// Numbers of instructions and of constants, with the gates of the program beside them.
fn check(program: &str, expected: expect_test::Expect) {
    let program = Program::parse(program).unwrap_or_else(|error| panic!("{error:?}"));
    let mut text = String::new();
    for name in ["gp64", "avx2", "avx512", "neon", "altivec"] {
        let target = by_name(name).expect("a target");
        let checked = check::check(&program).expect("the program has no flaw");
        let module = select(checked, target, Scheduling::SOURCE).expect("the target has gates");
        let names: Vec<String> = computed(&module)
            .iter()
            .map(|(meaning, immediate)| match immediate {
                Some(immediate) => format!("{meaning:?}({immediate:#04x})"),
                None => format!("{meaning:?}"),
            })
            .collect();
        let constants: usize = module.functions.iter().map(|function| function.constants.len()).sum();
        let _ = writeln!(text, "{name}: {}; {constants} constants", names.join(" "));
    }
    expected.assert_eq(&text);
}

#[test]
fn a_complement_goes_into_what_uses_it() {
    check(
        "node N (%0 a: b1, %1 b: b1, %2 c: b1) -> (x: b1, y: b1) {
           %3: b1 = not %0
           %4: b1 = and %3, %1
           %5: b1 = or %3, %2
           return %4, %5
         }",
        expect_test::expect![[r#"
            gp64: Not And Or; 0 constants
            avx2: Xor NotAnd Or; 1 constants
            avx512: NotAnd Ternary(0xcf); 0 constants
            neon: AndNot OrNot; 0 constants
            altivec: AndNot OrNot; 0 constants
        "#]],
    );
}

#[test]
fn a_choice_is_one_instruction_where_there_is_one() {
    check(
        "node N (%0 s: b1, %1 a: b1, %2 b: b1) -> (x: b1, y: b1) {
           %3: b1 = and %0, %1
           %4: b1 = andnot %2, %0
           %5: b1 = or %3, %4
           %6: b1 = xor %1, %2
           %7: b1 = and %6, %0
           %8: b1 = xor %7, %2
           return %5, %8
         }",
        expect_test::expect![[r#"
            gp64: And Not And Or Xor And Xor; 0 constants
            avx2: And NotAnd Or Xor And Xor; 0 constants
            avx512: Ternary(0xca) Ternary(0xca); 0 constants
            neon: Select Select; 0 constants
            altivec: Select Select; 0 constants
        "#]],
    );
}

#[test]
fn a_shared_value_is_computed_again_where_that_costs_nothing() {
    check(
        "node N (%0 a: b1, %1 b: b1, %2 c: b1, %3 d: b1) -> (x: b1, y: b1) {
           %4: b1 = xor %0, %1
           %5: b1 = and %4, %2
           %6: b1 = or %4, %3
           return %5, %6
         }",
        expect_test::expect![[r#"
            gp64: Xor And Or; 0 constants
            avx2: Xor And Or; 0 constants
            avx512: Ternary(0x28) Ternary(0xf6); 0 constants
            neon: Xor And Or; 0 constants
            altivec: Xor And Or; 0 constants
        "#]],
    );
}

#[test]
fn what_is_stored_or_carried_is_computed() {
    check(
        "node N (%0 a: b1[8], %1 b: b1) -> (x: b1[8], y: b1) {
           %2: b1 = constant 1
           %3: b1 = xor %1, %2
           %4: b1[8], %5: b1 = loop i0 < 8 carry (%6: b1[8] = %0, %7: b1 = %3) {
             %8: b1 = get %6[i0]
             %9: b1 = xor %8, %7
             %10: b1 = and %9, %3
             %11: b1 = xor %10, %2
             %12: b1[8] = set %6[i0], %9
             yield %12, %11
           }
           return %4, %5
         }",
        expect_test::expect![[r#"
            gp64: Not Xor And Not; 0 constants
            avx2: Xor Xor And Xor; 1 constants
            avx512: Ternary(0x0f) Xor Ternary(0x9f); 0 constants
            neon: Not Xor OrNot; 0 constants
            altivec: Not Xor OrNot; 0 constants
        "#]],
    );
}

/// The nonlinear layer of Keccak in a loop: without `a & ~b` a row of five bits has five complements every time; held complemented, the
/// bits have four in all, with those before the loop and after it.
#[test]
fn complements_go_where_few_are_left() {
    check(
        "node N (%0 a: b1, %1 b: b1, %2 c: b1, %3 d: b1, %4 e: b1) -> (f: b1, g: b1, h: b1, i: b1, j: b1) {
           %20: b1, %21: b1, %22: b1, %23: b1, %24: b1 = loop i0 < 9 carry (%5: b1 = %0, %6: b1 = %1, %7: b1 = %2, %8: b1 = %3, %9: b1 = %4) {
             %10: b1 = andnot %7, %6
             %11: b1 = andnot %8, %7
             %12: b1 = andnot %9, %8
             %13: b1 = andnot %5, %9
             %14: b1 = andnot %6, %5
             %15: b1 = xor %5, %10
             %16: b1 = xor %6, %11
             %17: b1 = xor %7, %12
             %18: b1 = xor %8, %13
             %19: b1 = xor %9, %14
             yield %15, %16, %17, %18, %19
           }
           return %20, %21, %22, %23, %24
         }",
        expect_test::expect![[r#"
            gp64: Not Not Not And Or And And Or Xor Xor Xor Xor Xor Not; 0 constants
            avx2: NotAnd NotAnd NotAnd NotAnd NotAnd Xor Xor Xor Xor Xor; 0 constants
            avx512: Ternary(0xd2) Ternary(0xd2) Ternary(0xd2) Ternary(0x9c) Ternary(0xa6); 0 constants
            neon: AndNot AndNot AndNot AndNot AndNot Xor Xor Xor Xor Xor; 0 constants
            altivec: AndNot AndNot AndNot AndNot AndNot Xor Xor Xor Xor Xor; 0 constants
        "#]],
    );
}

/// Where conjunctions complement one operand by themselves, what is left are the complements of disjunctions of one.
#[test]
fn a_free_operand_takes_a_complement() {
    check(
        "node N (%0 a: b1, %1 b: b1, %2 c: b1) -> (d: b1, e: b1, f: b1) {
           %14: b1, %15: b1, %16: b1 = loop i0 < 9 carry (%3: b1 = %0, %4: b1 = %1, %5: b1 = %2) {
             %6: b1 = not %3
             %7: b1 = or %6, %4
             %8: b1 = xor %5, %7
             %9: b1 = and %8, %4
             %10: b1 = xor %3, %9
             %11: b1 = not %8
             %12: b1 = or %10, %11
             %13: b1 = xor %4, %12
             yield %10, %13, %8
           }
           return %14, %15, %16
         }",
        expect_test::expect![[r#"
            gp64: Not Or Xor And Xor And Not Xor Not; 0 constants
            avx2: NotAnd Xor Xor NotAnd Xor Or Xor; 1 constants
            avx512: Ternary(0x65) Ternary(0xb4) Ternary(0x72); 0 constants
            neon: OrNot Xor AndNot Xor OrNot Xor; 0 constants
            altivec: OrNot Xor AndNot Xor OrNot Xor; 0 constants
        "#]],
    );
}
