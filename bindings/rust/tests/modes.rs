//! CBC, CFB, OFB and CMAC through the C functions of the crate, on every target that this machine has: known answers, all lengths
//! against the block cipher a block at a time, and many messages at once against each by itself.
//!
//! One test for all of them, as the target belongs to the process.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every call is for the memory that the lines above it make"
)]

mod common;

use common::{bytes, list, manifests, read, targets};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use usuba::raw;

/// The modes that are compared here.
const MODES: [&str; 5] = ["cbc", "cfb", "cfb8", "ofb", "cmac"];

/// Those that are given a number or a nonce, which have tests of their own.
const NUMBERED: [&str; 2] = ["xts", "gmac"];

/// Bytes that look random.
fn random(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2) + 1;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// `aes-128` and `cbc` of `aes-128-cbc`.
fn parts(name: &str) -> (&str, &str) {
    name.rsplit_once('-').unwrap()
}

/// The block cipher of a mode with a key, one block at a time.
fn cipher_of(name: &str, key: &[u8]) -> impl Fn(&mut [u8]) + use<> {
    let cipher = raw::BLOCK_CIPHERS.iter().find(|one| one.name == parts(name).0).unwrap();
    let mut context = vec![0_u64; cipher.context_words];
    assert_eq!(unsafe { (cipher.init)(context.as_mut_ptr().cast(), key.as_ptr()) }, 0);
    move |block| {
        assert_eq!(block.len(), cipher.block_bytes);
        let place = block.as_mut_ptr();
        assert_eq!(unsafe { cipher.encrypt_blocks.unwrap()(context.as_ptr().cast(), place, place, 1) }, 0);
    }
}

/// What SP 800-38A says: the ciphertext, of which the beginning is that of a shorter message.
fn encrypted(mode: &str, cipher: &impl Fn(&mut [u8]), vector: &[u8], plain: &[u8]) -> Vec<u8> {
    let (mut carried, mut out) = (vector.to_vec(), Vec::new());
    let segment = if mode == "cfb8" { 1 } else { vector.len() };
    for part in plain.chunks(segment) {
        let mut block = carried.clone();
        let sum = |a: &[u8], b: &[u8]| a.iter().zip(b).map(|(a, b)| a ^ b).collect::<Vec<u8>>();
        match mode {
            "cbc" => {
                block = sum(&carried, part);
                cipher(&mut block);
                out.extend(&block);
                carried = block;
            }
            "ofb" => {
                cipher(&mut block);
                out.extend(sum(&block, part));
                carried = block;
            }
            _ => {
                cipher(&mut block);
                let secret = sum(&block, part);
                out.extend(&secret);
                carried.extend(&secret);
                carried.drain(..secret.len());
            }
        }
    }
    out
}

/// What SP 800-38B says.
fn authenticated(cipher: &impl Fn(&mut [u8]), block: usize, message: &[u8]) -> Vec<u8> {
    let double = |bytes: &[u8]| {
        let (mut twice, mut carry) = (bytes.to_vec(), 0);
        for byte in twice.iter_mut().rev() {
            (*byte, carry) = (*byte << 1 | carry, *byte >> 7);
        }
        *twice.last_mut().unwrap() ^= if block == 16 { 0x87 } else { 0x1b } * carry;
        twice
    };
    let mut zero = vec![0; block];
    cipher(&mut zero);
    let mut subkey = double(&zero);
    let mut padded = message.to_vec();
    if message.is_empty() || !message.len().is_multiple_of(block) {
        subkey = double(&subkey);
        padded.push(0x80);
        padded.resize(message.len() / block * block + block, 0);
    }
    let last = padded.len() - block;
    padded[last..].iter_mut().zip(subkey).for_each(|(byte, key)| *byte ^= key);
    let mut chain = vec![0; block];
    for part in padded.chunks(block) {
        chain.iter_mut().zip(part).for_each(|(byte, add)| *byte ^= add);
        cipher(&mut chain);
    }
    chain
}

fn published() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../modes/vectors")
}

/// The tests of Wycheproof's file for a mode over a cipher, if there is one, whose keys have this size.
fn wycheproof(name: &str, file: &str, key_bytes: usize) -> Vec<Value> {
    let family = name.split('-').next().unwrap();
    let path = published().join(format!("wycheproof/{family}_{file}_test.json"));
    if !path.exists() {
        return Vec::new();
    }
    let file = read(&path);
    let all = list(&file, "testGroups").iter().flat_map(|group| list(group, "tests"));
    all.filter(|one| bytes(one, "key").len() == key_bytes).cloned().collect()
}

/// A key in a mode that carries a vector.
struct Keyed<'a> {
    mode: &'a raw::BlockMode,
    context: Vec<u64>,
}

impl Keyed<'_> {
    fn new<'a>(mode: &'a raw::BlockMode, key: &[u8]) -> Keyed<'a> {
        assert_eq!(key.len(), mode.key_bytes, "{}", mode.name);
        let mut context = vec![0_u64; mode.context_words];
        assert_eq!(unsafe { (mode.init)(context.as_mut_ptr().cast(), key.as_ptr()) }, 0);
        Keyed { mode, context }
    }

    /// The output, from one place to another and in place, and the vector that is left.
    fn call(&self, function: raw::Chained, vector: &[u8], data: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let (mut left, mut again) = (vector.to_vec(), vector.to_vec());
        let (mut out, mut place) = (vec![0x5a; data.len()], data.to_vec());
        let context = self.context.as_ptr().cast();
        let (to, from, over) = (out.as_mut_ptr(), data.as_ptr(), place.as_mut_ptr());
        assert_eq!(unsafe { function(context, left.as_mut_ptr(), to, from, data.len()) }, 0);
        assert_eq!(unsafe { function(context, again.as_mut_ptr(), over, over, data.len()) }, 0);
        assert!((&out, &left) == (&place, &again), "{}: in place", self.mode.name);
        (out, left)
    }

    fn encrypt(&self, vector: &[u8], data: &[u8]) -> (Vec<u8>, Vec<u8>) {
        self.call(self.mode.encrypt, vector, data)
    }

    fn decrypt(&self, vector: &[u8], data: &[u8]) -> (Vec<u8>, Vec<u8>) {
        self.call(self.mode.decrypt, vector, data)
    }
}

fn known_answers(mode: &raw::BlockMode) -> usize {
    let (cipher, short) = parts(mode.name);
    let mut count = 0;
    for one in list(&read(&published().join("published.json")), "vectors") {
        if one["primitive"] != cipher || !one["mode"].as_str().unwrap().starts_with(&format!("{short}-")) {
            // The only function of OFB has its name.
            if one["primitive"] != cipher || one["mode"] != short {
                continue;
            }
        }
        let (inputs, outputs) = (&one["inputs"], &one["outputs"]);
        let keyed = Keyed::new(mode, &bytes(inputs, "key"));
        let decrypts = one["mode"].as_str().unwrap().ends_with("-decrypt");
        let (from, to) = if decrypts { ("cipher", "plain") } else { ("plain", "cipher") };
        let function = if decrypts { mode.decrypt } else { mode.encrypt };
        let (out, _) = keyed.call(function, &bytes(inputs, "iv"), &bytes(inputs, from));
        assert_eq!(out, bytes(outputs, to), "{} {}", mode.name, one["id"]);
        count += 1;
    }
    if short == "cbc" {
        for one in wycheproof(mode.name, "cbc_pkcs5", mode.key_bytes) {
            // Padding is for the caller: what is valid has the right one, and the others are not asked.
            if one["result"] == "valid" {
                let mut plain = bytes(&one, "msg");
                let padding = mode.block_bytes - plain.len() % mode.block_bytes;
                plain.extend(std::iter::repeat_n(padding as u8, padding));
                let keyed = Keyed::new(mode, &bytes(&one, "key"));
                let (out, _) = keyed.encrypt(&bytes(&one, "iv"), &plain);
                assert_eq!(out, bytes(&one, "ct"), "{} {}", mode.name, one["tcId"]);
                assert_eq!(keyed.decrypt(&bytes(&one, "iv"), &out).0, plain);
                count += 1;
            }
        }
    }
    count
}

/// Lengths that a mode takes: all up to three blocks, and some above.
fn lengths(block: usize, step: usize) -> impl Iterator<Item = usize> {
    (0..=3 * block)
        .chain([20 * block - 1, 20 * block, 20 * block + 3, 40 * block])
        .filter(move |length| length.is_multiple_of(step))
}

fn every_length(keyed: &Keyed<'_>, reference: &(Vec<u8>, Vec<u8>, Vec<u8>)) {
    let mode = keyed.mode;
    let (vector, plain, secret) = reference;
    for length in lengths(mode.block_bytes, mode.step_bytes).filter(|&length| length <= plain.len()) {
        let name = format!("{} of {length} bytes on {}", mode.name, usuba::target());
        let (out, left) = keyed.encrypt(vector, &plain[..length]);
        assert!(out == secret[..length], "{name}");
        let (back, also_left) = keyed.decrypt(vector, &out);
        assert!(back == plain[..length], "{name}, decrypted");
        // What is left continues the message.
        if length.is_multiple_of(mode.block_bytes) || mode.name.ends_with("-cfb8") {
            assert_eq!(left, also_left, "{name}");
            let rest = (plain.len() - length).min(2 * mode.block_bytes);
            let (more, _) = keyed.encrypt(&left, &plain[length..length + rest]);
            assert!(more == secret[length..length + rest], "{name}, continued");
        }
    }
}

/// Many messages at once are what they are one by one, and so are the vectors that are left.
fn batches(keyed: &Keyed<'_>, batch: raw::ChainedBatch) {
    let mode = keyed.mode;
    for count in [0_usize, 1, 2, 3, 5, 33, 70] {
        let all: Vec<(Vec<u8>, Vec<u8>)> = (0..count)
            .map(|number| {
                // CFB of bytes takes a block for each.
                let most = if mode.name.ends_with("-cfb8") { 20 } else { 5 * mode.block_bytes };
                let length = (number * 37 + 11) % most / mode.step_bytes * mode.step_bytes;
                (random(mode.block_bytes, number as u64), random(length, 1000 + number as u64))
            })
            .collect();
        let mut made = all.clone();
        let mut messages: Vec<raw::ChainedMessage> = made
            .iter_mut()
            .map(|(vector, data)| raw::ChainedMessage {
                vector: vector.as_mut_ptr(),
                input: data.as_ptr(),
                length: data.len(),
                out: data.as_mut_ptr(),
                result: 77,
            })
            .collect();
        let result = unsafe { batch(keyed.context.as_ptr().cast(), count, messages.as_mut_ptr()) };
        assert!(result == 0 && messages.iter().all(|one| one.result == 0), "{}", mode.name);
        for (number, ((vector, data), (left, out))) in all.iter().zip(&made).enumerate() {
            let (expected, expected_left) = keyed.encrypt(vector, data);
            let name = format!("{} message {number} of {count} on {}", mode.name, usuba::target());
            assert!((out, left) == (&expected, &expected_left), "{name}");
        }
    }
}

/// What must be refused, with nothing written; in a batch the others are done.
fn refused(mode: &raw::BlockMode, key: &[u8]) {
    let mut keyed = Keyed::new(mode, key);
    let block = mode.block_bytes;
    let (mut vector, mut data) = (vec![7; block], vec![9; 4 * block]);
    let (iv, place, context) = (vector.as_mut_ptr(), data.as_mut_ptr(), keyed.context.as_mut_ptr());
    let bad_length = if mode.step_bytes > 1 { -2 } else { 0 };
    let first = |length: usize, out: *mut u8| unsafe {
        (mode.encrypt)(context.cast::<std::ffi::c_void>(), iv, out, place, length)
    };
    assert_eq!(first(2 * block, place.wrapping_add(1)), -3, "{}: overlap", mode.name);
    if bad_length != 0 {
        assert_eq!(first(block + 1, place), bad_length, "{}", mode.name);
    }
    assert!(vector == vec![7; block] && data == vec![9; 4 * block], "{}: refused, but written", mode.name);
    if let Some(batch) = mode.encrypt_batch {
        let (mut ivs, mut rows) = (vec![vec![7; block]; 3], vec![vec![9; 2 * block]; 3]);
        let parts = ivs.iter_mut().zip(&mut rows).enumerate();
        let mut messages: Vec<raw::ChainedMessage> = parts
            .map(|(number, (vector, row))| raw::ChainedMessage {
                vector: vector.as_mut_ptr(),
                input: row.as_ptr(),
                length: block,
                // The second overlaps its own input.
                out: row.as_mut_ptr().wrapping_add(usize::from(number == 1)),
                result: 77,
            })
            .collect();
        assert_eq!(unsafe { batch(context.cast(), 3, messages.as_mut_ptr()) }, -3, "{}", mode.name);
        assert_eq!(messages.iter().map(|one| one.result).collect::<Vec<_>>(), [0, -3, 0], "{}", mode.name);
        assert!(rows[1] == vec![9; 2 * block] && ivs[1] == vec![7; block]);
        let expected = keyed.encrypt(&vec![7; block], &vec![9; block]);
        for number in [0, 2] {
            assert!(rows[number][..block] == expected.0 && ivs[number] == expected.1, "{}", mode.name);
        }
    }
    let context = keyed.context.as_mut_ptr().cast();
    unsafe { (mode.wipe)(context) };
    assert!(keyed.context.iter().all(|&word| word == 0), "{}: not wiped", mode.name);
    let result = unsafe { (mode.encrypt)(context, iv, place, place, block) };
    assert_eq!(result, -6, "{}: wiped", mode.name);
    if let Some(batch) = mode.encrypt_batch {
        assert_eq!(unsafe { batch(context, 0, std::ptr::null_mut()) }, -6, "{}: wiped", mode.name);
    }
}

/// A tag, of a message in pieces.
fn tag(mac: &raw::Mac, key: &[u8], message: &[u8], piece: usize) -> Vec<u8> {
    assert_eq!(key.len(), mac.key_bytes, "{}", mac.name);
    let (mut context, mut tag) = (vec![0_u64; mac.context_words], vec![0; mac.tag_bytes]);
    let place = context.as_mut_ptr().cast();
    assert_eq!(unsafe { (mac.init)(place, key.as_ptr()) }, 0);
    for part in message.chunks(piece) {
        assert_eq!(unsafe { (mac.update)(place, part.as_ptr(), part.len()) }, 0);
    }
    assert_eq!(unsafe { (mac.finish)(place, tag.as_mut_ptr()) }, 0);
    let mut again = tag.clone();
    assert_eq!(unsafe { (mac.finish)(place, again.as_mut_ptr()) }, -6, "{}: over", mac.name);
    unsafe { (mac.wipe)(place) };
    assert!(context.iter().all(|&word| word == 0), "{}: not wiped", mac.name);
    tag
}

/// Tags of many messages under one key.
fn tags(mac: &raw::Mac, key: &[u8], messages: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let (mut context, mut made) =
        (vec![0_u64; mac.context_words], vec![vec![0; mac.tag_bytes]; messages.len()]);
    let place = context.as_mut_ptr().cast();
    assert_eq!(unsafe { (mac.init)(place, key.as_ptr()) }, 0);
    let mut rows: Vec<raw::TaggedMessage> = messages
        .iter()
        .zip(&mut made)
        .map(|(message, tag)| raw::TaggedMessage {
            input: message.as_ptr(),
            length: message.len(),
            tag: tag.as_mut_ptr(),
            tag_bytes: mac.tag_bytes,
            result: 77,
        })
        .collect();
    assert_eq!(unsafe { mac.batch.unwrap()(place, rows.len(), rows.as_mut_ptr()) }, 0, "{}", mac.name);
    assert!(rows.iter().all(|row| row.result == 0));
    made
}

fn cmac(mac: &raw::Mac, expected: &[(Vec<u8>, Vec<u8>)]) -> usize {
    let (cipher, _) = parts(mac.name);
    let mut count = 0;
    for one in list(&read(&published().join("published.json")), "vectors") {
        if one["primitive"] == cipher && one["mode"] == "cmac" {
            let (key, message) = (bytes(&one["inputs"], "key"), bytes(&one["inputs"], "message"));
            let expected = bytes(&one["outputs"], "tag");
            assert_eq!(tag(mac, &key, &message, 7), expected, "{} {}", mac.name, one["id"]);
            count += 1;
        }
    }
    for one in wycheproof(mac.name, "cmac", mac.key_bytes) {
        let made = tag(mac, &bytes(&one, "key"), &bytes(&one, "msg"), 1000);
        let given = bytes(&one, "tag");
        let is_same = given.len() <= made.len() && made[..given.len()] == given;
        assert_eq!(is_same, one["result"] == "valid", "{} {}", mac.name, one["tcId"]);
        count += 1;
    }
    // Every length, in pieces and at once.
    let key = random(mac.key_bytes, 3);
    for (number, (message, expected)) in expected.iter().enumerate() {
        let made = tag(mac, &key, message, 1 + number % 40);
        assert_eq!(made, *expected, "{} of {} bytes on {}", mac.name, message.len(), usuba::target());
    }
    for count in [0, 1, 2, 3, expected.len()] {
        let messages: Vec<Vec<u8>> = expected[..count].iter().map(|(message, _)| message.clone()).collect();
        for (made, (message, expected)) in tags(mac, &key, &messages).iter().zip(expected) {
            assert_eq!(made, expected, "{} of {} bytes in a batch of {count}", mac.name, message.len());
        }
    }
    count
}

/// The modes that the manifests of the ciphers in this build name are in the tables.
#[test]
fn nothing_is_left_out() {
    let mut names: Vec<&str> = raw::BLOCK_MODES.iter().map(|one| one.name).collect();
    names.extend(raw::MACS.iter().map(|one| one.name));
    names.extend(raw::UNIT_MODES.iter().map(|one| one.name));
    names.extend(raw::NONCE_MACS.iter().map(|one| one.name));
    for (folder, manifest) in manifests() {
        let cipher = folder.file_name().unwrap().to_string_lossy().into_owned();
        if !env!("USUBA_CIPHERS").split(' ').any(|built| built == cipher) {
            continue;
        }
        for one in manifest.get("primitive").and_then(|part| part.as_array()).into_iter().flatten() {
            let modes = one.get("modes").and_then(|modes| modes.as_array()).into_iter().flatten();
            for mode in modes
                .filter_map(|mode| mode.as_str())
                .filter(|mode| MODES.contains(mode) || NUMBERED.contains(mode))
            {
                let name = format!("{}-{mode}", one["name"].as_str().unwrap());
                assert!(names.contains(&name.as_str()), "{name} is in no table");
            }
        }
    }
    // All are serial in one message, so there are functions for many.
    assert!(raw::BLOCK_MODES.iter().all(|one| one.encrypt_batch.is_some()));
    for mac in raw::MACS.iter() {
        assert_eq!(mac.batch.is_some(), mac.name.ends_with("-cmac"), "{}", mac.name);
    }
}

#[test]
fn modes_on_every_target() {
    let macs: Vec<&&raw::Mac> = raw::MACS.iter().filter(|one| one.name.ends_with("-cmac")).collect();
    // What is compared with, once for all targets.
    usuba::set_target(None).unwrap();
    let references: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)> = raw::BLOCK_MODES
        .iter()
        .map(|mode| {
            let key = random(mode.key_bytes, 3);
            let length = if mode.name.ends_with("-cfb8") { 66 } else { 40 * mode.block_bytes };
            let (vector, plain) = (random(mode.block_bytes, 4), random(length, 5));
            let secret = encrypted(parts(mode.name).1, &cipher_of(mode.name, &key), &vector, &plain);
            (vector, plain, secret)
        })
        .collect();
    let authenticators: Vec<Vec<(Vec<u8>, Vec<u8>)>> = macs
        .iter()
        .map(|mac| {
            let cipher = cipher_of(mac.name, &random(mac.key_bytes, 3));
            let messages = lengths(mac.tag_bytes, 1).map(|length| random(length, length as u64));
            messages
                .map(|message| {
                    let tag = authenticated(&cipher, mac.tag_bytes, &message);
                    (message, tag)
                })
                .collect()
        })
        .collect();
    for target in targets() {
        usuba::set_target(Some(target)).unwrap();
        let mut counts = BTreeMap::new();
        for (mode, reference) in raw::BLOCK_MODES.iter().zip(&references) {
            let key = random(mode.key_bytes, 3);
            let keyed = Keyed::new(mode, &key);
            *counts.entry(parts(mode.name).1).or_insert(0) += known_answers(mode);
            every_length(&keyed, reference);
            batches(&keyed, mode.encrypt_batch.unwrap());
            refused(mode, &key);
        }
        for (mac, expected) in macs.iter().zip(&authenticators) {
            *counts.entry("cmac").or_insert(0) += cmac(mac, expected);
        }
        // The published answers are for AES.
        if raw::BLOCK_MODES.iter().any(|one| one.name.starts_with("aes-128-")) {
            assert!(MODES.iter().all(|mode| counts[mode] > 0), "no known answers: {counts:?}");
        }
        println!("{target}: {} modes, {} of CMAC; known answers {counts:?}", references.len(), macs.len());
    }
    usuba::set_target(None).unwrap();
}
