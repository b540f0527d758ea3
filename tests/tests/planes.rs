//! Bytes in planes: what lowering makes of a text of bytes is what a text of planes says.
//!
//! `tests/planes/` has ciphers written in planes of bits by hand. Each is compared with the text of bytes in two steps:
//! - the texts are one function, a proof for all keys and blocks: both are run bit by bit on sums modulo 2 of symbols
//!   (`usuba_algebra::run`), and two outputs that are the same sum are equal whatever the symbols stand for. The circuits of
//!   tables, slicings and everything after elaboration are not looked at;
//! - the planes that lowering makes of the text of bytes have the types of those that were written, and compute the same on the
//!   inputs that are tried.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use usuba_algebra::run::run;
use usuba_algebra::sums::{Sum, Symbols};
use usuba_compiler::pipeline::{Settings, optimised};
use usuba_ir::layout::Slicing;
use usuba_ir::program::Program;
use usuba_lang::elaborate::elaborate;
use usuba_lang::load::{Loaded, Text, load};
use usuba_lang::typed::Instance;
use usuba_package::order::Order;
use usuba_tests::ciphers::{Disk, root};
use usuba_verify::compare::{Effort, compare};

/// A cipher in both texts: the nodes, which have the same names, and how many look-ups of a table one makes.
struct Case {
    name: &'static str,
    nodes: &'static [(&'static str, usize)],
}

const CASES: [Case; 3] = [
    Case {
        name: "aes",
        nodes: &[
            ("Encrypt128", 160),
            ("Decrypt128", 160),
            ("Encrypt192", 192),
            ("Decrypt192", 192),
            ("Encrypt256", 224),
            ("Decrypt256", 224),
        ],
    },
    Case {
        name: "camellia",
        nodes: &[("Encrypt18", 144), ("Decrypt18", 144), ("Encrypt24", 192), ("Decrypt24", 192)],
    },
    Case { name: "sm4", nodes: &[("Encrypt", 128), ("Decrypt", 128)] },
];

impl Case {
    fn bytes(&self) -> PathBuf {
        root().join(format!("ciphers/{0}/{0}.ua", self.name))
    }

    fn planes(&self) -> PathBuf {
        root().join(format!("tests/planes/{}.ua", self.name))
    }
}

fn read(path: &Path) -> Loaded {
    let loaded = load(&path.to_string_lossy(), &[], &Disk);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    loaded
}

/// A bit of a parameter: its number, the byte, and the bit in it.
type Place = (usize, usize, u32);

/// The symbol of a bit of an input: no byte string here is as long as 4096 bytes.
fn input(symbols: &mut Symbols, (parameter, byte, bit): Place) -> Sum {
    assert!(byte < 4096);
    symbols.input(((parameter * 4096 + byte) * 8) as u32 + bit)
}

/// The places of the atoms of parameters in their bytes.
fn places(instance: &Instance, inputs: bool, order: Order) -> Vec<Place> {
    let parameters = if inputs { &instance.inputs } else { &instance.outputs };
    let mut places = Vec::new();
    for (number, &parameter) in parameters.iter().enumerate() {
        let variable = instance.variable(parameter);
        for atom in 0..variable.atoms() {
            let (byte, bit) =
                order.place(variable.word, (atom / variable.word) as usize, atom % variable.word);
            places.push((number, byte, bit));
        }
    }
    places
}

/// The bits of the block that a text makes of symbols for block and round keys.
fn outputs(symbols: &mut Symbols, loaded: &Loaded, node: &str, order: Order) -> HashMap<Place, Sum> {
    let settings = Settings::new(Slicing::B, Some(node));
    let (program, findings) = elaborate(&loaded.program, &settings.elaboration());
    let program = program.unwrap_or_else(|| panic!("{findings:?}"));
    let entry = program.instance(program.entry());
    let arguments: Vec<Sum> =
        places(entry, true, order).into_iter().map(|place| input(symbols, place)).collect();
    let results = run(symbols, &program, program.entry(), &arguments).expect("it has no `accept`");
    let places = places(entry, false, order);
    assert_eq!(places.len(), results.len(), "{node}");
    places.into_iter().zip(results).collect()
}

/// Proves that a node is the same in both texts.
fn prove(bytes: &Loaded, planes: &Loaded, node: &str, lookups: usize) {
    let mut symbols = Symbols::new();
    let left = outputs(&mut symbols, bytes, node, Order::Big);
    let right = outputs(&mut symbols, planes, node, Order::Planes);
    assert_eq!(left.len(), right.len());
    for (place, sum) in &left {
        assert_eq!(Some(sum), right.get(place), "`{node}` is not proved to be the same at {place:?}");
    }
    assert_eq!(symbols.lookups().len(), lookups, "{node}: there is something to prove");
}

#[test]
fn texts_of_bytes_and_of_planes_are_one_function() {
    for case in CASES {
        let (bytes, planes) = (read(&case.bytes()), read(&case.planes()));
        for &(node, lookups) in case.nodes {
            prove(&bytes, &planes, node, lookups);
        }
    }
}

/// What a node becomes in `h`, after all passes.
fn in_h(loaded: &Loaded, node: &str) -> Program {
    let settings = Settings::new(Slicing::H, Some(node));
    optimised(loaded, &settings, &mut ()).unwrap_or_else(|failure| panic!("{node}: {failure:?}")).1
}

#[test]
fn lowering_makes_the_planes() {
    for case in CASES {
        let (bytes, planes) = (read(&case.bytes()), read(&case.planes()));
        for &(node, _) in case.nodes {
            let verdict = compare(&in_h(&bytes, node), &in_h(&planes, node), Effort::default());
            assert!(verdict.is_agreement(), "{} {node}: {verdict}", case.name);
        }
    }
}

/// A row that moves by one column more.
#[test]
#[should_panic(expected = "`Encrypt128` is not proved to be the same")]
fn a_mistake_is_noticed() {
    let [case, ..] = &CASES;
    let text = std::fs::read_to_string(case.bytes()).expect("it is there");
    let from = "s[0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11]";
    assert!(text.contains(from));
    let changed = text.replace(from, "s[0, 5, 10, 3, 4, 9, 14, 7, 8, 13, 2, 11, 12, 1, 6, 15]");
    prove(&load("aes.ua", &[], &Text(&changed)), &read(&case.planes()), "Encrypt128", 160);
}
