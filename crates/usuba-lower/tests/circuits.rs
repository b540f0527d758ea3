//! Every circuit computes its table, for every input.

use usuba_ir::random::Random;
use usuba_lower::circuit::Basis;
use usuba_lower::circuits::{database, published, rewired};
use usuba_lower::synthesis::{decision_diagram, synthesise};

#[test]
fn every_published_circuit_computes_its_table() {
    let count = |basis| database().iter().filter(|one| one.basis == basis).count();
    assert_eq!([Basis::TwoInput, Basis::Select, Basis::Ternary].map(count), [111, 8, 69]);
    for one in database() {
        assert_eq!(one.circuit.table(), one.table, "{}", one.file);
        assert_eq!(one.circuit.outputs.len(), one.outputs, "{}", one.file);
        assert!(!one.circuit.source.is_empty(), "{} does not say where it comes from", one.file);
    }
}

#[test]
fn a_wrong_gate_is_noticed() {
    use usuba_lower::circuit::Gate;
    let aes = database().iter().find(|one| one.sbox == "aes").expect("the AES S-box is published");
    let mut circuit = aes.circuit.clone();
    let gate = circuit.gates.iter_mut().find(|gate| matches!(gate, Gate::Xor(..))).expect("it has an xor");
    let Gate::Xor(a, b) = *gate else { unreachable!() };
    *gate = Gate::Or(a, b);
    assert_ne!(circuit.table(), aes.table);
}

#[test]
fn the_smallest_circuit_is_taken() {
    let aes = database().iter().find(|one| one.sbox == "aes").expect("the AES S-box is published");
    let best = published(8, 8, &aes.table).expect("it is found by its table");
    assert!(best.circuit.gates.len() <= 113, "{} gates", best.circuit.gates.len());
}

#[test]
fn a_circuit_is_found_whatever_the_order_of_inputs_and_outputs() {
    for one in database().iter().filter(|one| one.circuit.inputs <= 6) {
        let (n, m) = (one.circuit.inputs, one.outputs);
        // The last input comes second, as in the rows of the tables of DES; the outputs go round by one.
        let entry = |i: usize| {
            let bit = |k: usize| i >> (n - 1 - k) & 1;
            (2..n).chain([1]).fold(bit(0), |word, k| word << 1 | bit(k))
        };
        let turn = |value: u64| (value << 1 | value >> (m - 1)) & ((1 << m) - 1);
        let table: Vec<u64> = (0..1 << n).map(|i| turn(one.table[entry(i)])).collect();
        let found = rewired(one.basis, n, m, &table).expect(one.file);
        assert_eq!(found.table(), table, "{}", one.file);
        if one.basis == Basis::TwoInput {
            assert!(found.gates.len() <= one.circuit.gates.len(), "{}", one.file);
        }
    }
}

fn check(inputs: usize, outputs: usize, table: &[u64]) {
    let circuit = synthesise(inputs, outputs, table);
    assert_eq!(circuit.table(), table, "{inputs} inputs, {outputs} outputs");
    let order: Vec<usize> = (0..inputs).collect();
    let diagram = decision_diagram(inputs, outputs, table, &order);
    assert_eq!(diagram.table(), table);
    assert!(circuit.gates.len() <= diagram.gates.len());
}

#[test]
fn synthesised_circuits_compute_their_tables() {
    let mut random = Random::new(1);
    for inputs in 1..=8 {
        for outputs in [1, 2, 3, 4, 8] {
            for _ in 0..4 {
                let table: Vec<u64> = (0..1 << inputs).map(|_| random.bits() % (1 << outputs)).collect();
                check(inputs, outputs, &table);
            }
        }
    }
    for value in 0..4 {
        check(3, 2, &[value; 8]);
    }
    for one in database() {
        if one.circuit.inputs <= 6 {
            check(one.circuit.inputs, one.outputs, &one.table);
        }
    }
    let wide: Vec<u64> = (0..1 << 11).map(|_| random.bits() % 8).collect();
    check(11, 3, &wide);
}

#[test]
fn all_functions_of_two_and_three_inputs() {
    for function in 0..1u64 << 4 {
        check(2, 1, &(0..4).map(|i| function >> i & 1).collect::<Vec<_>>());
    }
    for function in 0..1u64 << 8 {
        check(3, 1, &(0..8).map(|i| function >> i & 1).collect::<Vec<_>>());
    }
}
