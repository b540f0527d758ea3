//! What the search finds is right, never larger than what it began with, the same each time; and what it calls impossible
//! is.

use usuba_ir::random::Random;
use usuba_lower::circuits::database;
use usuba_lower::synthesis;
use usuba_synth::{
    Answer, Basis, Effort, Refusal, Table, document, published, resynthesise, smaller, synthesise,
};

const BASES: [Basis; 3] = [Basis::TwoInput, Basis::Select, Basis::Ternary];

#[test]
fn resynthesis_keeps_the_table_and_never_grows() {
    let mut random = Random::new(7);
    for (inputs, outputs, visits) in
        [(1, 2, 20), (2, 3, 60), (3, 3, 200), (4, 4, 300), (5, 5, 200), (8, 3, 60)]
    {
        let entries: Vec<u64> = (0..1 << inputs).map(|_| random.bits() % (1 << outputs)).collect();
        let start = published::from_circuit(&synthesis::synthesise(inputs, outputs, &entries));
        assert_eq!(start.table(), entries);
        for basis in BASES {
            let found = resynthesise(&start, basis, visits, 1, &mut |_, _| {});
            assert_eq!(found.table(), entries, "{basis:?}, {inputs} inputs");
            assert!(found.gates.len() <= start.gates.len(), "{basis:?}, {inputs} inputs");
            let again = resynthesise(&start, basis, visits, 1, &mut |_, _| {});
            assert_eq!(found, again, "{basis:?}, {inputs} inputs");
        }
    }
}

#[test]
fn rows_of_the_database_compute_their_tables() {
    for one in database() {
        assert_eq!(published::from_published(one).table(), one.table, "{}", one.file);
    }
}

/// The fewest gates of a function of three bits, by asking for each number.
fn fewest(basis: Basis, entries: &[u64]) -> usize {
    (1..=5)
        .find(|&gates| match smaller(basis, 3, 1, entries, gates, 1_000_000) {
            Answer::Found(netlist) => {
                assert_eq!(netlist.table(), entries);
                assert_eq!(netlist.gates.len(), gates);
                true
            }
            Answer::Impossible => false,
            Answer::Open => panic!("three bits are no question"),
        })
        .expect("five gates are enough")
}

#[test]
fn the_solver_finds_what_is_known_to_be_least() {
    let function = |of: &dyn Fn(u64, u64, u64) -> u64| {
        (0..8u64).map(|row| of(row >> 2 & 1, row >> 1 & 1, row & 1) & 1).collect::<Vec<_>>()
    };
    for (what, entries, counts) in [
        ("sum", function(&|a, b, c| a ^ b ^ c), [2, 2, 1]),
        ("majority", function(&|a, b, c| a & b | a & c | b & c), [4, 2, 1]),
        ("choice", function(&|a, b, c| if a == 1 { b } else { c }), [3, 1, 1]),
        ("all", function(&|a, b, c| a & b & c), [2, 2, 1]),
        ("none", function(&|a, b, c| !(a | b | c)), [3, 3, 1]),
    ] {
        assert_eq!(BASES.map(|basis| fewest(basis, &entries)), counts, "{what}");
    }
}

/// S-boxes of which other programs have shown what is least.
#[test]
fn minimal_circuits_are_proved_minimal() {
    for (sbox, gates) in [("pyjamask3", 3), ("clyde", 4), ("skinny4", 4)] {
        let one = database().iter().find(|one| one.sbox == sbox).expect("an S-box of the database");
        let table = Table { inputs: one.circuit.inputs, outputs: one.outputs, entries: one.table.clone() };
        let effort = Effort { visits: 400, seeds: 1, conflicts: 100_000, published: false };
        let found = synthesise(Basis::Ternary, &table, &effort, &mut |_, _| {}).expect("a small table");
        assert_eq!((found.netlist.gates.len(), found.is_minimal()), (gates, true), "{sbox}");
        assert_eq!(found.published.as_ref().map(|(gates, _)| *gates), Some(gates), "{sbox}");
    }
}

#[test]
fn a_search_is_not_worse_than_the_database() {
    let effort = Effort { visits: 50, seeds: 1, conflicts: 0, published: true };
    for (sbox, basis, gates) in [
        ("present", Basis::TwoInput, 14),
        ("present", Basis::Ternary, 7),
        ("des_s4", Basis::Select, 26),
        ("aes", Basis::Ternary, 67),
    ] {
        let one = database().iter().find(|one| one.sbox == sbox).expect("an S-box of the database");
        let table = Table { inputs: one.circuit.inputs, outputs: one.outputs, entries: one.table.clone() };
        let found = synthesise(basis, &table, &effort, &mut |_, _| {}).expect("a table");
        assert!(found.netlist.gates.len() <= gates, "{sbox}: {} gates", found.netlist.gates.len());
        assert_eq!(found.netlist.table(), one.table);
        let written = document(sbox, basis, &table, &found);
        assert_eq!(written["gates"].as_array().map(Vec::len), Some(found.netlist.gates.len()));
    }
}

#[test]
fn what_is_no_table_is_refused() {
    let effort = Effort { visits: 1, seeds: 1, conflicts: 0, published: true };
    let ask = |inputs, outputs, entries: &[u64]| {
        let table = Table { inputs, outputs, entries: entries.to_vec() };
        synthesise(Basis::TwoInput, &table, &effort, &mut |_, _| {}).err()
    };
    assert_eq!(ask(0, 1, &[1]), Some(Refusal::Size));
    assert_eq!(ask(9, 1, &[0; 512]), Some(Refusal::Size));
    assert_eq!(ask(2, 0, &[0; 4]), Some(Refusal::Size));
    assert_eq!(ask(2, 1, &[0; 3]), Some(Refusal::Entries));
    assert_eq!(ask(2, 1, &[0, 1, 2, 0]), Some(Refusal::Entries));
    assert_eq!(ask(2, 2, &[0, 0, 0, 0]), None);
    assert_eq!(ask(1, 1, &[0, 1]), None);
}
