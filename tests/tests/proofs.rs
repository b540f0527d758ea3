//! Ciphers, proved: what lowering and the passes make of a text computes what the text says, for all inputs; and mistakes are
//! found.
//!
//! A normal run proves five ciphers in all of their slicings; with `USUBA_WAYS=all` every cipher of the repository is proved.

use std::time::Instant;
use usuba_compiler::pipeline::{Settings, in_planes, optimised};
use usuba_ir::interpret::interpret;
use usuba_ir::layout::Slicing;
use usuba_ir::program::Program;
use usuba_ir::random::Random;
use usuba_lang::elaborate::elaborate;
use usuba_lang::typed;
use usuba_package::manifest::{BlockCipher, Function};
use usuba_package::order::Order;
use usuba_target::machines::GP64;
use usuba_tests::ciphers::{CIPHERS, Cipher};
use usuba_tests::faults;
use usuba_tests::ways;
use usuba_verify::compare::{Effort, Verdict, compare};
use usuba_verify::equal::{self, Made, Outcome, Problem};
use usuba_verify::prove::Limits;

/// What a normal run proves: with tables and circuits, sums of words, planes of bytes, rounds of AES.
const USUAL: [&str; 5] = ["aes", "ascon", "chacha20", "des", "speck"];

/// Packing joins two parameters of ChaCha20 to one group: there is nothing yet that says which bits they are.
const UNLIKE: [(&str, Slicing); 1] = [("chacha20", Slicing::Packed(4))];

/// Nothing has come of it in seven minutes on Zen 4: known answers alone compare these nodes.
const OPEN: [&str; 1] = ["kuznyechik"];

/// Nodes on blocks of sixteen bytes and nodes on words, each beside the node that it computes the same as. A normal run proves
/// encryption of the first primitive of each cipher that has such nodes.
#[test]
fn nodes_for_few_blocks_compute_what_the_others_do() {
    let all = ways::all();
    let mut proved = [0, 0];
    for name in CIPHERS.into_iter().filter(|name| !OPEN.contains(name)) {
        let cipher = Cipher::read(name);
        let kept = if all { cipher.manifest.primitives.len() } else { 1 };
        for primitive in cipher.manifest.primitives.iter().take(kept) {
            let Function::BlockCipher(plain) = &primitive.function else { continue };
            let ways = [(plain.packed.is_some(), Slicing::BLOCKS), (plain.words.is_some(), Slicing::V)];
            for (number, (is_there, slicing)) in ways.into_iter().enumerate() {
                if !is_there {
                    continue;
                }
                let other = plain.in_slicing(slicing, Some(&GP64));
                let both = [
                    (Some(&plain.encrypt), Some(&other.encrypt)),
                    (plain.decrypt.as_ref(), other.decrypt.as_ref()),
                ];
                let there = both.into_iter().filter(|(_, of_few)| of_few.is_some());
                for (node, of_few) in there.take(if all { 2 } else { 1 }) {
                    let start = Instant::now();
                    let [left, right] = [node, of_few].map(|node| {
                        let settings = Settings::new(Slicing::V, node.map(String::as_str));
                        text_of(&cipher, &settings)
                    });
                    let places = places([plain, &other], [&left, &right]);
                    let problem =
                        Problem::of_rearranged_sources(&left, &right, &places).expect("the same bits");
                    let (outcome, work) = problem.decide(Limits::default());
                    assert_eq!(outcome, Outcome::Proved, "{name}: {of_few:?}: {work:?}");
                    println!("{name}: {of_few:?}: {} vertices, {:.1?}", problem.vertices(), start.elapsed());
                    proved[number] += 1;
                }
            }
        }
    }
    assert!(proved[0] >= 3 && proved[1] >= 8, "{proved:?} were proved");
}

/// Encryption under the round keys that `decryption-keys` of a manifest makes of others is decryption under these.
#[test]
fn encryption_under_decryption_keys_decrypts() {
    let mut proved = 0;
    for name in CIPHERS {
        let cipher = Cipher::read(name);
        let of_few = if ways::all() { cipher.manifest.primitives.len() } else { 1 };
        for primitive in cipher.manifest.primitives.iter().take(of_few) {
            let Function::BlockCipher(plain) = &primitive.function else { continue };
            let Some(keys) = &plain.decryption_keys else { continue };
            let start = Instant::now();
            let of = |node: Option<&String>| {
                text_of(&cipher, &Settings::new(Slicing::V, node.map(String::as_str)))
            };
            let [encrypt, decrypt, keys] = [Some(&plain.encrypt), plain.decrypt.as_ref(), Some(keys)].map(of);
            let entry = encrypt.instance(encrypt.entry());
            let number = entry.inputs.iter().position(|&input| entry.variable(input).constant);
            let number = number.expect("a cipher with round keys");
            // The bytes of the round keys in both orders: as nodes of the schedule have them, and as the cipher has.
            let node = keys.instance(keys.entry());
            let scheduled = plain.round_keys.schedule_order;
            let of_schedule =
                [&node.inputs, &node.outputs].map(|list| bytes_of(node.variable(list[0]), scheduled));
            let of_cipher = bytes_of(entry.variable(entry.inputs[number]), plain.round_keys.cipher_order);
            let (given, taken) =
                (places_in(&of_schedule[0], &of_cipher), places_in(&of_cipher, &of_schedule[1]));
            let made = Made { number, by: &keys, given: &given, taken: &taken };
            let problem = Problem::of_made_sources(&decrypt, &encrypt, &equal::Places::default(), Some(made));
            let problem = problem.expect("the same bits");
            let (outcome, work) = problem.decide(Limits::default());
            assert_eq!(outcome, Outcome::Proved, "{}: {work:?}", primitive.name);
            println!("{}: {} vertices, {:.1?}", primitive.name, problem.vertices(), start.elapsed());
            proved += 1;
        }
    }
    assert!(proved >= 4, "{proved} were proved");
}

/// Each bit of a variable in order, by its place in the bytes.
fn bytes_of(variable: &typed::Variable, order: Order) -> Vec<(usize, u32)> {
    let (width, words) = (variable.width, variable.atoms() as usize);
    (0..words).flat_map(|word| (0..width).map(move |bit| order.place(width, word, bit))).collect()
}

/// For each bit of the first list its place in the second.
fn places_in(bits: &[(usize, u32)], among: &[(usize, u32)]) -> Vec<usize> {
    let place = |at: &(usize, u32)| among.iter().position(|one| one == at).expect("the same bytes");
    bits.iter().map(place).collect()
}

/// Where bits of the parameters of the second node of a cipher are in those of the first, by the bytes that both stand for.
fn places(ciphers: [&BlockCipher; 2], texts: [&typed::Program; 2]) -> equal::Places {
    let of = |constant: bool, select: fn(&typed::Instance) -> &Vec<typed::VariableId>, number: usize| {
        let bytes = |side: usize| -> Vec<(usize, u32)> {
            let order = match constant {
                true => ciphers[side].round_keys.cipher_order,
                false => ciphers[side].block.order,
            };
            let entry = texts[side].instance(texts[side].entry());
            bytes_of(entry.variable(select(entry)[number]), order)
        };
        places_in(&bytes(1), &bytes(0))
    };
    let entry = texts[0].instance(texts[0].entry());
    let inputs = entry.inputs.iter().enumerate();
    equal::Places {
        inputs: inputs
            .map(|(number, &input)| of(entry.variable(input).constant, |one| &one.inputs, number))
            .collect(),
        outputs: vec![of(false, |one| &one.outputs, 0)],
    }
}

/// A node as its text says it: in words, tables as they are.
fn text_of(cipher: &Cipher, settings: &Settings) -> typed::Program {
    elaborate(&cipher.loaded.program, &settings.as_written()).0.expect("it elaborates")
}

fn ways(cipher: &Cipher) -> impl Iterator<Item = Settings> {
    let nodes = cipher.nodes().into_iter();
    nodes.flat_map(|(node, slicings)| {
        slicings.into_iter().map(move |slicing| Settings::new(slicing, Some(&node)))
    })
}

#[test]
fn what_is_made_of_ciphers_is_what_they_say() {
    let all = ways::all();
    for name in CIPHERS.into_iter().filter(|name| all || USUAL.contains(name)) {
        let cipher = Cipher::read(name);
        for settings in ways(&cipher) {
            let (node, slicing) =
                (settings.entry.entry.clone().unwrap_or_default(), settings.lowering.slicing);
            // Of AES the three sizes of keys are one text, and both directions are made in the same way.
            if !all && name == "aes" && (!node.contains("128") || node.starts_with("Decrypt")) {
                continue;
            }
            let (elaborated, program, _) =
                optimised(&cipher.loaded, &settings, &mut ()).expect("it compiles");
            let planes = in_planes(&elaborated, slicing);
            let atoms = if planes { equal::Atoms::Planes } else { equal::Atoms::InOrder };
            let problem = Problem::of_source(&text_of(&cipher, &settings), &program, atoms);
            if UNLIKE.contains(&(name, slicing)) {
                assert!(problem.is_err(), "{node} in {slicing} can be compared now");
                continue;
            }
            let problem = problem.unwrap_or_else(|why| panic!("{name}: {node} in {slicing}: {why}"));
            let (outcome, work) = problem.decide(Limits::default());
            assert_eq!(outcome, Outcome::Proved, "{name}: {node} in {slicing}: {work:?}");
        }
    }
}

/// What the two say of a damaged program: `None` if nothing changed.
fn judge(program: &Program, other: &Program) -> Option<bool> {
    let problem = Problem::of_programs(program, other).expect("the same inputs");
    match problem.decide(Limits::default()).0 {
        Outcome::Proved => Some(true),
        Outcome::Refuted(difference) => {
            assert_eq!(interpret(program, &difference.inputs), difference.left);
            assert_eq!(interpret(other, &difference.inputs), difference.right);
            assert_ne!(difference.left, difference.right);
            Some(false)
        }
        Outcome::Unknown(_) => None,
    }
}

/// Mistakes in whole ciphers, wherever they are: all are refuted, by inputs that the interpreter confirms, or random inputs find
/// nothing either.
#[test]
fn mistakes_in_ciphers_are_found() {
    let (mut refuted, mut none) = (0, 0);
    for (name, node, slicing) in [
        ("rectangle", "Encrypt", Slicing::V),
        ("present", "Encrypt", Slicing::B),
        ("ascon", "P12", Slicing::V),
        ("speck", "Encrypt64_128", Slicing::V),
        ("des", "Encrypt", Slicing::B),
    ] {
        let cipher = Cipher::read(name);
        let mut settings = Settings::new(slicing, Some(node));
        settings.passes.interleave = Some(1);
        let (_, program, _) = optimised(&cipher.loaded, &settings, &mut ()).expect("it compiles");
        let mut random = Random::new(22);
        let count = faults::sites(&program) as u32;
        for _ in 0..24 {
            let site = random.below(count) as usize;
            let Some((_, other)) = faults::in_program(&program, site, &mut random) else { continue };
            match judge(&program, &other).unwrap_or_else(|| panic!("{name}: {site} is not decided")) {
                false => refuted += 1,
                true => {
                    none += 1;
                    let verdict = compare(&program, &other, Effort::default());
                    assert!(!matches!(verdict, Verdict::Differ { .. }), "{name}: {site}");
                }
            }
        }
    }
    println!("{refuted} mistakes refuted, {none} are none");
    assert!(refuted > 100, "{refuted} refuted, {none} are none");
}

/// A mistake in one S-box of one round is reported with the values that it changes first.
#[test]
fn the_first_value_that_changes_is_named() {
    let cipher = Cipher::read("serpent");
    let settings = Settings::new(Slicing::V, Some("Encrypt"));
    let text = text_of(&cipher, &settings);
    let (_, program, _) = optimised(&cipher.loaded, &settings, &mut ()).expect("it compiles");
    let mut random = Random::new(5);
    let mut named = 0;
    let count = faults::sites(&program);
    for number in 0..8 {
        let Some((_, other)) = faults::in_program(&program, count * number / 8, &mut random) else {
            continue;
        };
        let problem = Problem::of_source(&text, &other, equal::Atoms::InOrder).expect("the same inputs");
        if let Outcome::Refuted(difference) = problem.decide(Limits::default()).0 {
            let signal = difference.signal.expect("a name");
            println!("{number}: {signal}");
            named += 1;
            assert!(signal.starts_with("Encrypt"), "{signal}");
        }
    }
    assert!(named >= 5, "{named}");
}
