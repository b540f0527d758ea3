//! A published circuit of three-input gates takes no more instructions than it has gates.

use std::fmt::Write;
use usuba_ir::check;
use usuba_ir::program::Program;
use usuba_lower::circuit::{Basis, Circuit, Gate};
use usuba_lower::circuits::database;
use usuba_machine::program::Step;
use usuba_target::{Target, by_name};

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
            Gate::Ternary(table, [a, b, c]) => format!("ternary {table:#04x} %{a}, %{b}, %{c}"),
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
    let program = program(circuit);
    let checked = check::check(&program).expect("the circuit has no flaw");
    let module = usuba_codegen::select(checked, target, usuba_codegen::Scheduling::SOURCE)
        .expect("the target has gates");
    let steps = module.functions.iter().flat_map(|function| &function.body.steps);
    steps.filter(|step| matches!(step, Step::Compute { .. })).count()
}

/// The price of a circuit, in tenths of an instruction.
fn price_of(circuit: &Circuit, target: &Target) -> usize {
    let program = circuit.program();
    let checked = check::check(&program).expect("the circuit has no flaw");
    usuba_codegen::price(checked, target).expect("it has gates") as usize
}

/// What does not fit the registers costs more than its instructions.
#[test]
fn the_price_of_a_circuit_counts_registers() {
    let aes = database().iter().find(|one| one.file == "aes.bp113").expect("a published circuit");
    let price = |target: &str| {
        let machine = by_name(target).expect("a target");
        price_of(&aes.circuit, machine)
    };
    // Eight inputs are loaded, eight outputs stored.
    let fits = |target: &str| 10 * (instructions(&aes.circuit, target) + 16);
    assert_eq!(price("avx512"), fits("avx512"), "32 registers are enough");
    assert!(price("avx2") > fits("avx2") + 100, "16 registers are not: {}", price("avx2"));
    let chi = database().iter().find(|one| one.file == "keccak_chi.and2").expect("a published circuit");
    let machine = by_name("avx2").expect("a target");
    let price = price_of(&chi.circuit, machine);
    assert!(price <= 10 * (10 + 5 + 5), "five bits fit: {price}");
}

/// The best circuits known when the database was made: gates of two inputs (`and`, `or`, `xor`, `a & ~b`, `not`), gates of
/// three inputs. The sources are in the `README.md` of the database.
#[rustfmt::skip]
const KNOWN: &[(&str, usize, usize)] = &[
    ("aes", 112, 67),
    ("aes_inv", 111, 68),
    ("aria_s2", 112, 69),
    ("aria_s2_inv", 111, 68),
    ("ascon", 17, 9),
    ("camellia_s1", 111, 67),
    ("clyde", 8, 4),
    ("clyde_inv", 8, 4),
    ("des_s1", 49, 25),
    ("des_s2", 44, 24),
    ("des_s3", 46, 25),
    ("des_s4", 33, 17),
    ("des_s5", 48, 25),
    ("des_s6", 46, 24),
    ("des_s7", 46, 24),
    ("des_s8", 41, 23),
    ("gift", 11, 6),
    ("gift_inv", 11, 6),
    ("keccak_chi", 10, 5),
    ("noekeon", 12, 6),
    ("present", 14, 7),
    ("present_inv", 14, 7),
    ("prince", 16, 7),
    ("prince_inv", 16, 7),
    ("pyjamask3", 7, 3),
    ("pyjamask3_inv", 7, 3),
    ("pyjamask4", 12, 6),
    ("pyjamask4_inv", 11, 6),
    ("rectangle", 12, 6),
    ("rectangle_inv", 12, 6),
    ("serpent_s0", 14, 7),
    ("serpent_s0_inv", 14, 7),
    ("serpent_s1", 14, 7),
    ("serpent_s1_inv", 14, 7),
    ("serpent_s2", 13, 7),
    ("serpent_s2_inv", 13, 7),
    ("serpent_s3", 14, 8),
    ("serpent_s3_inv", 14, 8),
    ("serpent_s4", 15, 7),
    ("serpent_s4_inv", 15, 7),
    ("serpent_s5", 15, 7),
    ("serpent_s5_inv", 15, 7),
    ("serpent_s6", 14, 7),
    ("serpent_s6_inv", 14, 7),
    ("serpent_s7", 15, 8),
    ("serpent_s7_inv", 15, 8),
    ("skinny4", 10, 4),
    ("skinny4_inv", 10, 4),
    ("skinny8", 20, 8),
    ("skinny8_inv", 20, 8),
    ("sm4", 112, 68),
    ("spongent", 14, 7),
    ("spongent_inv", 14, 7),
];

/// Each S-box takes, on a machine with such gates only, no more instructions than the best circuit known has gates.
#[test]
fn no_s_box_is_larger_than_the_best_known() {
    let mut listed = String::from("S-box: ours on avx2, known; ours on avx512, known\n");
    let mut larger = 0;
    for &(sbox, two_input, ternary) in KNOWN {
        let of = |basis: Basis, target: &str| {
            let circuits = database().iter().filter(|one| one.sbox == sbox && one.basis <= basis);
            circuits.map(|one| instructions(&one.circuit, target)).min().unwrap_or(usize::MAX)
        };
        let (two, three) = (of(Basis::TwoInput, "avx2"), of(Basis::Ternary, "avx512"));
        larger += usize::from(two > two_input) + usize::from(three > ternary);
        let _ = writeln!(listed, "{sbox}: {two}, {two_input}; {three}, {ternary}");
    }
    println!("{listed}");
    assert_eq!(KNOWN.len(), 53);
    assert_eq!(larger, 0, "{listed}");
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
