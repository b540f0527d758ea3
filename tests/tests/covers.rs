//! A published circuit of three-input gates takes no more instructions than it has gates.

use std::fmt::Write;
use usuba_codegen::block::Step;
use usuba_ir::program::Program;
use usuba_lower::circuits::{Basis, Circuit, Gate, database};
use usuba_target::by_name;

/// A program that computes the circuit on single bits.
fn program(circuit: &Circuit) -> Program {
    let list =
        |count: usize, one: &dyn Fn(usize) -> String| (0..count).map(one).collect::<Vec<_>>().join(", ");
    let mut text = format!(
        "node Circuit ({}) -> ({}) {{\n",
        list(circuit.inputs, &|i| format!("%{i} x{i}: b1")),
        list(circuit.outputs.len(), &|i| format!("y{i}: b1")),
    );
    for (number, gate) in circuit.gates.iter().enumerate() {
        let operation = match *gate {
            Gate::Not(a) => format!("not %{a}"),
            Gate::And(a, b) => format!("and %{a}, %{b}"),
            Gate::Or(a, b) => format!("or %{a}, %{b}"),
            Gate::Xor(a, b) => format!("xor %{a}, %{b}"),
            Gate::AndNot(a, b) => format!("andnot %{a}, %{b}"),
        };
        let _ = writeln!(text, "  %{}: b1 = {operation}", circuit.inputs + number);
    }
    let results = list(circuit.outputs.len(), &|i| format!("%{}", circuit.outputs[i]));
    let _ = write!(text, "  return {results}\n}}\n");
    Program::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// The instructions on registers that a target takes for a circuit.
fn instructions(circuit: &Circuit, target: &str) -> usize {
    let target = by_name(target).expect("a target");
    let module = usuba_codegen::select(&program(circuit), target).expect("the target has gates");
    let steps = module.functions.iter().flat_map(|function| &function.body.steps);
    steps.filter(|step| matches!(step, Step::Compute { .. })).count()
}

fn check(basis: Basis, target: &str) {
    let mut larger = Vec::new();
    for one in database().iter().filter(|one| one.basis == basis) {
        let count = instructions(&one.circuit, target);
        if count > one.circuit.cost {
            larger.push(format!("{} has {} gates and takes {count}", one.file, one.circuit.cost));
        }
    }
    assert!(larger.is_empty(), "on {target}:\n{}", larger.join("\n"));
}

#[test]
fn three_input_gates_are_one_instruction_each() {
    check(Basis::Ternary, "avx512");
}

#[test]
fn choices_are_one_instruction_each() {
    check(Basis::Select, "neon");
    check(Basis::Select, "altivec");
}

/// Circuits of two-input gates on a machine that computes every function of three bits: what the search is held to.
#[test]
fn two_input_circuits_are_covered_by_few_instructions() {
    let covered = |file: &str| {
        let one = database().iter().find(|one| one.file == file).unwrap_or_else(|| panic!("no {file}"));
        instructions(&one.circuit, "avx512")
    };
    let des: usize = (1..=8).map(|number| covered(&format!("des_s{number}.and2"))).sum();
    assert!(des <= 212, "the S-boxes of DES take {des}");
    for (file, most) in [
        ("rectangle.and2", 7),
        ("serpent_s3.and2", 9),
        ("serpent_s5.and2", 9),
        ("present.and2", 8),
        ("aes.bp113", 72),
        ("aes.and2", 71),
    ] {
        let count = covered(file);
        assert!(count <= most, "{file} takes {count} instructions, more than {most}");
    }
}
