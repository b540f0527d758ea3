//! The texts of a block cipher are one function: a proof, for all keys and blocks, of every form in every manifest.
//!
//! Both texts are run bit by bit on sums modulo 2 of symbols (`usuba_algebra::run`). Two outputs that are the same sum are equal
//! whatever the symbols stand for. The circuits of tables, slicings and everything after elaboration are not looked at: other tests do.

use std::collections::HashMap;
use usuba_algebra::run::run;
use usuba_algebra::sums::{Sum, Symbols};
use usuba_compiler::pipeline::Settings;
use usuba_ir::layout::Slicing;
use usuba_lang::elaborate::elaborate;
use usuba_lang::load::{Text, load};
use usuba_lang::typed::Instance;
use usuba_package::manifest::{Function, Primitive};
use usuba_package::order::Order;
use usuba_tests::ciphers::{CIPHERS, Cipher, root};

/// A bit of a parameter: its number, the byte, and the bit in it.
type Place = (usize, usize, u32);

/// The symbol of a bit of an input: no byte string here is as long as 4096 bytes.
fn input(symbols: &mut Symbols, (parameter, byte, bit): Place) -> Sum {
    assert!(byte < 4096);
    symbols.input(((parameter * 4096 + byte) * 8) as u32 + bit)
}

/// The places of the atoms of parameters in their bytes.
fn places(instance: &Instance, inputs: bool, orders: &[Order]) -> Vec<Place> {
    let parameters = if inputs { &instance.inputs } else { &instance.outputs };
    let mut places = Vec::new();
    for (number, (&parameter, order)) in parameters.iter().zip(orders).enumerate() {
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
fn outputs(symbols: &mut Symbols, cipher: &Cipher, node: &str, orders: &[Order]) -> HashMap<Place, Sum> {
    let settings = Settings::new(Slicing::B, Some(node));
    let (program, findings) = elaborate(&cipher.loaded.program, &settings.elaboration());
    let program = program.unwrap_or_else(|| panic!("{findings:?}"));
    let entry = program.instance(program.entry());
    assert_eq!(entry.inputs.len(), orders.len(), "{node}");
    let arguments: Vec<Sum> =
        places(entry, true, orders).into_iter().map(|place| input(symbols, place)).collect();
    let results = run(symbols, &program, program.entry(), &arguments).expect("it has no `accept`");
    let places = places(entry, false, orders);
    assert_eq!(places.len(), results.len(), "{node}");
    places.into_iter().zip(results).collect()
}

/// The nodes of a primitive as a slicing sees it, and the orders of their inputs.
fn nodes(primitive: &Primitive, slicing: Slicing) -> (Vec<String>, Vec<Order>) {
    let Function::BlockCipher(cipher) = &primitive.in_slicing(slicing).function else {
        panic!("only block ciphers have forms")
    };
    let nodes = [Some(&cipher.encrypt), cipher.decrypt.as_ref()];
    let tweak = cipher.tweak.map(|tweak| tweak.order);
    let orders = [Some(cipher.block.order), tweak, Some(cipher.round_keys.cipher_order)];
    (nodes.into_iter().flatten().cloned().collect(), orders.into_iter().flatten().collect())
}

/// Proves each form of a primitive; the number of nodes that were compared.
fn prove(cipher: &Cipher, primitive: &Primitive) -> usize {
    let mut proved = 0;
    for form in &primitive.forms {
        let of_form = |slicing: &&Slicing| primitive.forms.iter().any(|one| one.slicings.contains(slicing));
        let first = primitive.slicings.iter().find(|slicing| !of_form(slicing)).expect("it has one");
        let (ours, theirs) = (nodes(primitive, *first), nodes(primitive, form.slicings[0]));
        for (ours_node, theirs_node) in ours.0.iter().zip(&theirs.0) {
            let mut symbols = Symbols::new();
            let left = outputs(&mut symbols, cipher, ours_node, &ours.1);
            let right = outputs(&mut symbols, cipher, theirs_node, &theirs.1);
            assert_eq!(left.len(), right.len());
            for (place, sum) in &left {
                assert_eq!(
                    Some(sum),
                    right.get(place),
                    "{}: `{theirs_node}` is not proved to be `{ours_node}` at {place:?}",
                    primitive.name
                );
            }
            assert!(symbols.lookups().len() >= 16, "there is something to prove");
            proved += 1;
        }
    }
    proved
}

#[test]
fn every_form_is_the_same_function() {
    let mut proved = 0;
    for name in CIPHERS {
        let cipher = Cipher::read(name);
        proved += cipher.manifest.primitives.iter().map(|one| prove(&cipher, one)).sum::<usize>();
    }
    assert!(proved >= 14, "{proved} nodes: AES and Camellia with three keys, SM4 with one, both directions");
}

/// What a round takes of a byte, shifted by a bit less.
#[test]
#[should_panic(expected = "`EncryptBytes` is not proved to be `Encrypt`")]
fn a_mistake_in_a_form_is_noticed() {
    let mut cipher = Cipher::read("sm4");
    let text = std::fs::read_to_string(root().join("ciphers/sm4/sm4.ua")).expect("it is there");
    assert!(text.contains("B[i] >> 6"));
    cipher.loaded = load("sm4.ua", &[], &Text(&text.replace("B[i] >> 6", "B[i] >> 5")));
    prove(&cipher, &cipher.manifest.primitives[0]);
}
