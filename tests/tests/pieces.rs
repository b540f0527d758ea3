//! Messages that come in pieces mean what they mean at once: every mode and sponge that has parts, at random cuts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use usuba_lang::ast;
use usuba_lang::load::load;
use usuba_message::form::{Message, VariableId};
use usuba_message::incremental::incremental;
use usuba_message::interpret::Runner;
use usuba_message::{elaborate, passes};
use usuba_package::message::{CIPHER, MODES};
use usuba_tests::ciphers::{Disk, root};
use usuba_tests::messages::{SPONGES, bound, bytes, round_keys};
use usuba_tests::pieces::Pieces;
use usuba_tests::random::prng::Random;
use usuba_tests::ways;

/// What is told of a message: a name, its program, its node, and its cipher, if it has one.
type See<'s> = dyn FnMut(&str, &ast::Program, &str, Option<&str>) + 's;

/// Every message with a name.
fn messages(see: &mut See<'_>) {
    for mode in MODES {
        let program = bound("aes", "aes-128", mode).program;
        see(mode.name, &program, mode.node, Some(CIPHER));
    }
    for (cipher, file, nodes) in SPONGES {
        let path = root().join("ciphers").join(cipher).join(file).to_string_lossy().into_owned();
        let loaded = load(&path, &[], &Disk);
        for node in nodes {
            see(node, &loaded.program, node, None);
        }
    }
}

/// Which messages have parts, and why others have none. `UPDATE_EXPECT=1` writes the file anew.
#[test]
fn messages_in_pieces() {
    let mut found = String::new();
    messages(&mut |name, program, node, cipher| {
        let mut message = elaborate::elaborate(program, node, cipher).unwrap();
        passes::run(&mut message).unwrap();
        let _ = writeln!(found, "{name}");
        match incremental(&message) {
            Ok(parts) => {
                for stream in &parts.streams {
                    let _ = writeln!(found, "  in pieces: {}", stream.describe(&message));
                }
                let _ = writeln!(found, "  {} bytes are kept", parts.kept_bytes());
            }
            Err(whole) => {
                let _ = writeln!(found, "  not in pieces: {whole}");
            }
        }
    });
    let path = root().join("tests/messages/pieces.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &found).unwrap();
    }
    let wanted = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, wanted, "{}: set UPDATE_EXPECT=1 if this is how it should be", path.display());
}

/// The words of inputs by the lengths that are chosen.
fn given(
    message: &Message,
    program: &ast::Program,
    cipher: Option<&str>,
    lengths: &[i64],
    seed: u64,
) -> Option<BTreeMap<VariableId, Vec<u128>>> {
    let value = |term: &usuba_message::number::Term| match term {
        usuba_message::number::Term::Length(length) => lengths[*length as usize],
        _ => 0,
    };
    let mut inputs = BTreeMap::new();
    for (place, &id) in message.inputs.iter().enumerate() {
        let variable = message.variable(id);
        let seed = 1000 * seed + place as u64;
        let is_key = message.cipher.as_ref().filter(|cipher| cipher.keys == variable.words);
        let words = match (is_key.filter(|_| variable.count.is_none()), cipher) {
            (Some(keys), Some(cipher)) => round_keys(program, cipher, &bytes(seed, keys.key as usize)),
            _ => {
                let count = variable.count.as_ref().map_or(Ok(1), |count| count.evaluate(&value)).ok()?;
                let count = usize::try_from(count).ok()? * variable.words.count as usize;
                bytes(seed, count).into_iter().map(u128::from).collect()
            }
        };
        inputs.insert(id, words);
    }
    Some(inputs)
}

#[test]
fn pieces_make_the_whole() {
    let many = if ways::all() { 200 } else { 25 };
    let mut names = Vec::new();
    messages(&mut |name, program, node, cipher| {
        let whole = elaborate::elaborate(program, node, cipher).unwrap();
        let mut message = whole.clone();
        passes::run(&mut message).unwrap();
        let Ok(parts) = incremental(&message) else { return };
        let closed: Vec<Message> = parts.parts.iter().map(|part| part.closed()).collect();
        let mut pieces = Pieces::new(&parts, &closed);
        let mut runner = Runner::new(&whole).unwrap();
        let mut random = Random::new(name.len() as u64);
        let (mut compared, mut accepted) = (0, 0);
        for seed in 0..40 * many {
            if compared == many {
                break;
            }
            let lengths: Vec<i64> = (0..message.lengths.len())
                .map(|_| match random.below(4) {
                    0 => 16,
                    1 => random.below(20) as i64,
                    _ => random.below(301) as i64,
                })
                .collect();
            let Some(mut inputs) = given(&message, program, cipher, &lengths, seed as u64) else { continue };
            let ordered = |inputs: &BTreeMap<VariableId, Vec<u128>>| -> Vec<Vec<u128>> {
                message.inputs.iter().map(|id| inputs[id].clone()).collect()
            };
            // What is opened has first been sealed, so that half of the tags are right.
            if let (Some(seal), true) = (sealed(name), random.below(2) == 0) {
                seal_first(program, &seal, cipher, &message, &lengths, &mut inputs);
            }
            let Ok(expected) = runner.run(&lengths, &ordered(&inputs)) else { continue };
            let most = [1, 7, 17, 40, 400][random.below(5)];
            let found = pieces.run(&lengths, &inputs, &mut || 1 + random.below(most));
            let found = found.unwrap_or_else(|error| panic!("{name}, {lengths:?}: {error}"));
            compared += 1;
            let (Some(expected), Some(found)) = (&expected, &found) else {
                assert_eq!(expected.is_some(), found.is_some(), "{name}, {lengths:?}");
                continue;
            };
            accepted += 1;
            for (id, expected) in whole.outputs.iter().zip(expected) {
                let found = found.get(id).cloned().unwrap_or_default();
                assert_eq!(*expected, found, "{name}, {lengths:?}: {}", whole.variable(*id).name);
            }
        }
        assert!(compared >= many / 2, "{name}: {compared} compared");
        assert!(accepted >= many / 8, "{name}: {accepted} accepted");
        names.push(name.to_owned());
    });
    assert!(names.len() >= 20, "{names:?}");
}

/// The node that seals what a message opens.
fn sealed(name: &str) -> Option<String> {
    let mode = name.strip_suffix("-open").and_then(|mode| {
        let seal = format!("{mode}-seal");
        MODES.iter().find(|mode| mode.name == seal).map(|mode| mode.node.to_owned())
    });
    mode.or_else(|| name.strip_prefix("Open").map(|rest| format!("Seal{rest}")))
}

/// Puts ciphertext and tag of a message that is sealed in the place of those that are opened.
fn seal_first(
    program: &ast::Program,
    node: &str,
    cipher: Option<&str>,
    message: &Message,
    lengths: &[i64],
    inputs: &mut BTreeMap<VariableId, Vec<u128>>,
) {
    let seal = elaborate::elaborate(program, node, cipher).unwrap();
    let id_of = |name: &str| message.inputs.iter().copied().find(|&id| message.variable(id).name == name);
    let length_of = |name: &String| message.lengths.iter().position(|other| other == name);
    let lengths: Vec<i64> =
        seal.lengths.iter().map(|name| length_of(name).map_or(0, |place| lengths[place])).collect();
    let given = seal.inputs.iter().map(|&id| {
        let name = seal.variable(id).name.as_str();
        let name = if name == "plain" { "cipher" } else { name };
        inputs[&id_of(name).expect("the same inputs")].clone()
    });
    let given: Vec<Vec<u128>> = given.collect();
    let Ok(Some(outputs)) = Runner::new(&seal).unwrap().run(&lengths, &given) else { return };
    for (&id, words) in seal.outputs.iter().zip(outputs) {
        if let Some(id) = id_of(&seal.variable(id).name) {
            inputs.insert(id, words);
        }
    }
}
