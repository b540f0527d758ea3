//! The known answers of modes as lines: published ones, and for every cipher those of the reference interpreter.

use crate::answers::{Case, all_cases};
use crate::ciphers::Cipher;
use crate::messages::{bound, bytes};
use std::collections::BTreeMap;
use usuba_message::form::Message;
use usuba_message::{elaborate, passes, strings};
use usuba_package::manifest::{BlockCipher, Function, Primitive};
use usuba_package::message::families::{Family, Shape, family};
use usuba_package::message::{CIPHER, named};

/// Lengths of text that the interpreter is asked for, in bytes: empty, parts of a block, whole blocks, and more than all that code
/// computes at once.
const LENGTHS: [usize; 7] = [0, 5, 16, 33, 80, 129, 320];

/// What is asked, the name, and the fields.
pub type ModeLine = (&'static str, String, Vec<Vec<u8>>);

/// The lines of the modes of a primitive.
pub fn mode_lines(cipher: &Cipher, primitive: &Primitive) -> Vec<ModeLine> {
    let Function::BlockCipher(block_cipher) = &primitive.function else { return Vec::new() };
    let mut lines = Vec::new();
    for family in block_cipher.modes.iter().filter_map(|&mode| family(mode)) {
        let name = format!("{}-{}", primitive.name, family.mode);
        for &(_, node) in family.functions {
            let published = all_cases().get(&(primitive.name.clone(), node.to_owned()));
            for case in published.into_iter().flatten() {
                lines.extend(line(family, &name, node, case));
            }
        }
        // What seals or encrypts; the other direction gets what comes of it.
        let (_, node) = family.functions[0];
        let mode = named(node).expect("it is a mode");
        let loaded = bound(&cipher.manifest.name, &primitive.name, mode);
        let mut message =
            elaborate::elaborate(&loaded.program, mode.node, Some(CIPHER)).expect("it is right");
        passes::run(&mut message).expect("it has a form");
        for (number, length) in LENGTHS.into_iter().enumerate() {
            let seed = 100 * number as u64;
            let Some(case) = computed(family, &message, block_cipher, length, seed) else { continue };
            lines.extend(line(family, &name, node, &case));
            if let Some(&(_, back)) = family.functions.get(1) {
                lines.extend(line(family, &name, back, &turned(&case)));
            }
        }
    }
    lines
}

/// A message of so many bytes, by the reference interpreter; nothing if the mode has none of this length.
fn computed(
    family: &Family,
    message: &Message,
    cipher: &BlockCipher,
    length: usize,
    seed: u64,
) -> Option<Case> {
    let block = cipher.block.bytes as usize;
    let whole = message.inputs.iter().any(|&id| {
        let variable = message.variable(id);
        variable.count.is_some() && variable.words.count as usize == block
    });
    let length = if whole { length / block * block } else { length };
    let mut inputs = BTreeMap::new();
    for (place, &id) in message.inputs.iter().enumerate() {
        let name = message.variable(id).name.clone();
        let size = match name.as_str() {
            "key" | "data" | "tweak" => cipher.key.bytes as usize,
            "iv" | "nonce" | "unit" if family.shape != Shape::Aead => match family.shape {
                Shape::NonceAuthenticator => 12,
                _ => block,
            },
            "iv" | "nonce" => family.usual_nonce() as usize,
            "aad" => length / 3,
            _ => length,
        };
        inputs.insert(name, bytes(seed + place as u64 + 1, size));
    }
    let numbers: BTreeMap<String, i64> = [("t".to_owned(), block as i64)].into();
    let given: Vec<(&str, i64)> = numbers.iter().map(|(name, number)| (name.as_str(), *number)).collect();
    let named: Vec<(&str, &[u8])> =
        inputs.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let outputs = strings::run(message, &given, &named).ok()??;
    let id = format!("{length} bytes by the interpreter");
    Some(Case { id, numbers, inputs, outputs: Some(outputs.into_iter().collect()), fits: true })
}

/// The same in the other direction.
fn turned(case: &Case) -> Case {
    let mut turned = case.clone();
    let Some(outputs) = &case.outputs else { return turned };
    let plain = turned.inputs.remove("plain").unwrap_or_default();
    turned.inputs.extend(outputs.clone());
    turned.outputs = Some([("plain".to_owned(), plain)].into());
    turned
}

fn line(family: &Family, name: &str, node: &str, case: &Case) -> Option<ModeLine> {
    let input =
        |names: &[&str]| names.iter().find_map(|name| case.inputs.get(*name)).cloned().unwrap_or_default();
    let key = [input(&["key", "data"]), input(&["tweak"])].concat();
    let nonce = input(&["iv", "nonce", "unit"]);
    let is_back = node.ends_with("-decrypt") || node.ends_with("-open");
    let text = input(&[if is_back { "cipher" } else { "plain" }, "message"]);
    let output =
        |name: &str| case.outputs.as_ref().and_then(|outputs| outputs.get(name)).cloned().unwrap_or_default();
    let (request, fields) = match family.shape {
        Shape::Chained(_) | Shape::Units if is_back => ("back", vec![key, nonce, text, output("plain")]),
        Shape::Chained(_) | Shape::Units => ("forth", vec![key, nonce, text, output("cipher")]),
        Shape::Authenticator | Shape::NonceAuthenticator => ("tag", vec![key, nonce, text, output("tag")]),
        Shape::Aead if is_back && case.outputs.is_none() => {
            ("forged", vec![key, nonce, input(&["aad"]), text, input(&["tag"])])
        }
        // Table programs open what they have sealed.
        Shape::Aead if is_back => return None,
        Shape::Aead => ("sealed", vec![key, nonce, input(&["aad"]), text, output("cipher"), output("tag")]),
    };
    Some((request, name.to_owned(), fields))
}
