//! The known answers of `ciphers/*/vectors` through the C functions of the crate, on every target that this machine has.
//!
//! One test for all of them, as the target belongs to the process.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every call is for the memory that the lines above it make"
)]

mod common;

use common::{bytes, files, list, read, targets};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use usuba::raw;

/// A context of a block cipher with a key in it.
fn context(cipher: &raw::BlockCipher, key: &[u8]) -> Vec<u64> {
    assert_eq!(key.len(), cipher.key_bytes, "{}", cipher.name);
    let mut words = vec![0; cipher.context_words];
    assert_eq!(unsafe { (cipher.init)(words.as_mut_ptr().cast(), key.as_ptr()) }, 0);
    words
}

fn blocks(function: raw::Blocks, context: &[u64], block: usize, data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x5a; data.len()];
    let count = data.len() / block;
    assert_eq!(unsafe { function(context.as_ptr().cast(), out.as_mut_ptr(), data.as_ptr(), count) }, 0);
    let mut again = data.to_vec();
    let place = again.as_mut_ptr();
    assert_eq!(unsafe { function(context.as_ptr().cast(), place, place, count) }, 0);
    assert_eq!(again, out, "in place");
    out
}

/// Counts what was compared.
#[derive(Default)]
struct Counts(BTreeMap<&'static str, usize>);

impl Counts {
    fn add(&mut self, what: &'static str, number: usize) {
        *self.0.entry(what).or_default() += number;
    }
}

fn block_cipher(cipher: &raw::BlockCipher, files: &[PathBuf], counts: &mut Counts) {
    for file in files.iter().map(|path| read(path)) {
        if file["kind"] == "stream" {
            counter_mode(cipher, &file, counts);
            continue;
        }
        let encrypt = cipher.encrypt_blocks.unwrap();
        for one in list(&file, "vectors").iter().chain(list(&file, "bulk")) {
            let context = context(cipher, &bytes(one, "key"));
            let (plain, secret) = (bytes(one, "input"), bytes(one, "output"));
            let name = format!("{} {} on {}", cipher.name, one["id"], usuba::target());
            assert!(blocks(encrypt, &context, cipher.block_bytes, &plain) == secret, "{name}");
            if let Some(decrypt) = cipher.decrypt_blocks {
                assert!(blocks(decrypt, &context, cipher.block_bytes, &secret) == plain, "{name}, decrypted");
            }
        }
        counts.add("block cipher", list(&file, "vectors").len());
        for chain in list(&file, "chains") {
            let context = context(cipher, &bytes(chain, "key"));
            let mut block = bytes(chain, "start");
            let (place, words) = (block.as_mut_ptr(), context.as_ptr().cast());
            for _ in 0..chain["iterations"].as_u64().unwrap() {
                assert_eq!(unsafe { encrypt(words, place, place, 1) }, 0);
            }
            assert_eq!(block, bytes(chain, "final"), "{} {}", cipher.name, chain["id"]);
            counts.add("chain", 1);
        }
    }
    if cipher.ctr_xor.is_some() {
        counter_lengths(cipher);
    }
}

fn tweakable(cipher: &raw::TweakableBlockCipher, files: &[PathBuf], counts: &mut Counts) {
    for file in files.iter().map(|path| read(path)) {
        for one in list(&file, "vectors").iter().chain(list(&file, "bulk")) {
            let (key, plain, secret) = (bytes(one, "key"), bytes(one, "input"), bytes(one, "output"));
            let blocks = plain.len() / cipher.block_bytes;
            let tweaks = bytes(one, "tweak").repeat(blocks);
            assert_eq!((key.len(), tweaks.len()), (cipher.key_bytes, blocks * cipher.tweak_bytes));
            let mut words = vec![0_u64; cipher.context_words];
            let context = words.as_mut_ptr().cast();
            let name = format!("{} {} on {}", cipher.name, one["id"], usuba::target());
            assert_eq!(unsafe { (cipher.init)(context, key.as_ptr()) }, 0);
            let mut out = vec![0x5a; plain.len()];
            let (place, given) = (out.as_mut_ptr(), tweaks.as_ptr());
            assert_eq!(unsafe { (cipher.encrypt_blocks)(context, given, place, plain.as_ptr(), blocks) }, 0);
            assert!(out == secret, "{name}");
            let decrypt = cipher.decrypt_blocks.unwrap();
            let place = out.as_mut_ptr();
            assert_eq!(unsafe { decrypt(context, given, place, place, blocks) }, 0);
            assert!(out == plain, "{name}, decrypted in place");
            unsafe { (cipher.wipe)(context) };
            assert_eq!(unsafe { decrypt(context, given, place, place, blocks) }, -6, "{name}: wiped");
            counts.add("tweakable", 1);
        }
    }
}

fn generator(cipher: &raw::Generator, files: &[PathBuf], counts: &mut Counts) {
    for file in files.iter().map(|path| read(path)) {
        let vectors = list(&file, "vectors");
        let words = cipher.context_words;
        let mut contexts = vec![0_u64; words * vectors.len()];
        for (one, context) in vectors.iter().zip(contexts.chunks_mut(words)) {
            let (key, nonce, keystream) = (bytes(one, "key"), bytes(one, "nonce"), bytes(one, "output"));
            let context = context.as_mut_ptr().cast();
            assert_eq!((key.len(), nonce.len()), (cipher.key_bytes, cipher.nonce_bytes));
            let begin = || assert_eq!(unsafe { (cipher.init)(context, key.as_ptr(), nonce.as_ptr()) }, 0);
            // Whole, and in pieces of other sizes than words.
            for piece in [keystream.len().max(1), 7] {
                begin();
                let mut out = vec![0; keystream.len()];
                for part in out.chunks_mut(piece) {
                    let place = part.as_mut_ptr();
                    assert_eq!(unsafe { (cipher.xor)(context, place, place, part.len()) }, 0);
                }
                assert!(out == keystream, "{} {} on {}", cipher.name, one["id"], usuba::target());
            }
            begin();
            counts.add("generator", 1);
        }
        // All streams at once, as far as the shortest vector goes.
        let length = vectors.iter().map(|one| bytes(one, "output").len()).min().unwrap();
        let mut rows = vec![vec![0_u8; length]; vectors.len()];
        let places: Vec<*mut u8> = rows.iter_mut().map(|row| row.as_mut_ptr()).collect();
        let result = unsafe {
            let (contexts, places) = (contexts.as_mut_ptr().cast(), places.as_ptr());
            (cipher.xor_batch)(contexts, places, places.cast(), length, vectors.len())
        };
        assert_eq!(result, 0);
        for (row, one) in rows.iter().zip(vectors) {
            assert!(*row == bytes(one, "output")[..length], "{} {} in a batch", cipher.name, one["id"]);
        }
        let context = contexts.as_mut_ptr().cast();
        unsafe { (cipher.wipe)(context) };
        let place = rows[0].as_mut_ptr();
        let result = unsafe { (cipher.xor)(context, place, place.cast_const(), length) };
        assert_eq!(result, -6, "{}: wiped", cipher.name);
        assert!(rows[0] == bytes(&vectors[0], "output")[..length], "{}: refused, but written", cipher.name);
    }
}

fn mac(mac: &raw::Mac, files: &[PathBuf], counts: &mut Counts) {
    for file in files.iter().map(|path| read(path)) {
        for one in list(&file, "vectors") {
            let (key, input, mut tag) = (bytes(one, "key"), bytes(one, "input"), vec![0; mac.tag_bytes]);
            let mut context = vec![0_u64; mac.context_words];
            let place = context.as_mut_ptr().cast();
            assert_eq!(unsafe { (mac.init)(place, key.as_ptr()) }, 0);
            for part in input.chunks(5) {
                assert_eq!(unsafe { (mac.update)(place, part.as_ptr(), part.len()) }, 0);
            }
            assert_eq!(unsafe { (mac.finish)(place, tag.as_mut_ptr()) }, 0);
            assert_eq!(tag, bytes(one, "output"), "{} {}", mac.name, one["id"]);
            assert_eq!(unsafe { (mac.finish)(place, tag.as_mut_ptr()) }, -5, "a key is used twice");
            counts.add("mac", 1);
        }
    }
}

fn counter_mode(cipher: &raw::BlockCipher, file: &Value, counts: &mut Counts) {
    for one in list(file, "vectors") {
        let key = bytes(one, "key");
        if key.len() != cipher.key_bytes {
            continue;
        }
        let context = context(cipher, &key);
        let (mut counter, input) = (bytes(one, "nonce"), bytes(one, "input"));
        let mut out = vec![0; input.len()];
        let (counter, length) = (counter.as_mut_ptr(), input.len());
        let result = unsafe {
            cipher.ctr_xor.unwrap()(
                context.as_ptr().cast(),
                counter,
                out.as_mut_ptr(),
                input.as_ptr(),
                length,
            )
        };
        assert_eq!(result, 0);
        assert_eq!(out, bytes(one, "output"), "{} {}", cipher.name, one["id"]);
        counts.add("counter mode", 1);
    }
}

/// Every length up to a few batches, against blocks that are encrypted one at a time.
fn counter_lengths(cipher: &raw::BlockCipher) {
    let block = cipher.block_bytes;
    let context = context(cipher, &vec![0x3c; cipher.key_bytes]);
    let counters: Vec<u8> = (0..600_u128)
        .flat_map(|i| {
            // The counter is a number of a whole block, which begins so that it carries out of 64 bits, or wraps in a shorter block.
            let number = (u128::from(u64::MAX) - 5 + i).to_be_bytes();
            let mut bytes = vec![0; block.saturating_sub(number.len())];
            bytes.extend(&number[number.len().saturating_sub(block)..]);
            bytes
        })
        .collect();
    let keystream: Vec<u8> = counters
        .chunks(block)
        .flat_map(|one| blocks(cipher.encrypt_blocks.unwrap(), &context, block, one))
        .collect();
    let lengths = (0..20 * block).chain((1..7).flat_map(|i| [100 * i * block - 1, 100 * i * block]));
    for length in lengths {
        let mut counter = counters[..block].to_vec();
        let mut data = vec![0; length + 1];
        let place = data.as_mut_ptr();
        let (context, counter_place) = (context.as_ptr().cast(), counter.as_mut_ptr());
        assert_eq!(unsafe { cipher.ctr_xor.unwrap()(context, counter_place, place, place, length) }, 0);
        assert!(data[..length] == keystream[..length], "{} at length {length}", cipher.name);
        assert_eq!(data[length], 0, "a byte beyond the end was written");
        let next = length.div_ceil(block) * block;
        if next < counters.len() {
            assert_eq!(counter, counters[next..next + block]);
        }
    }
}

fn stream(cipher: &raw::StreamCipher, files: &[PathBuf], counts: &mut Counts) {
    for file in files.iter().map(|path| read(path)) {
        for one in list(&file, "vectors") {
            let (key, nonce, input) = (bytes(one, "key"), bytes(one, "nonce"), bytes(one, "input"));
            let counter = one["counter"].as_u64().unwrap();
            let mut out = vec![0; input.len()];
            let result = unsafe {
                (cipher.xor)(
                    key.as_ptr(),
                    nonce.as_ptr(),
                    counter,
                    out.as_mut_ptr(),
                    input.as_ptr(),
                    input.len(),
                )
            };
            assert_eq!(result, 0);
            assert!(out == bytes(one, "output"), "{} {}", cipher.name, one["id"]);
            counts.add("stream", 1);
        }
    }
}

fn permutation(permutation: &raw::Permutation, files: &[PathBuf], counts: &mut Counts) {
    for file in files.iter().map(|path| read(path)) {
        let vectors = list(&file, "vectors");
        let mut states: Vec<u8> = vectors.iter().flat_map(|one| bytes(one, "input")).collect();
        let outputs: Vec<u8> = vectors.iter().flat_map(|one| bytes(one, "output")).collect();
        let mut one_by_one = states.clone();
        assert_eq!(states.len(), vectors.len() * permutation.state_bytes);
        assert_eq!(unsafe { (permutation.permute)(states.as_mut_ptr(), vectors.len()) }, 0);
        assert!(states == outputs, "{} on {}", permutation.name, usuba::target());
        for state in one_by_one.chunks_mut(permutation.state_bytes) {
            assert_eq!(unsafe { (permutation.permute)(state.as_mut_ptr(), 1) }, 0);
        }
        assert!(one_by_one == outputs, "{} one by one on {}", permutation.name, usuba::target());
        counts.add("permutation", vectors.len());
        for chain in list(&file, "chains") {
            let mut state = bytes(chain, "start");
            for _ in 0..chain["iterations"].as_u64().unwrap() {
                assert_eq!(unsafe { (permutation.permute)(state.as_mut_ptr(), 1) }, 0);
            }
            assert_eq!(state, bytes(chain, "final"), "{} {}", permutation.name, chain["id"]);
            counts.add("chain", 1);
        }
    }
}

/// A message of a file for an authenticated cipher.
struct Sealed {
    name: String,
    key: Vec<u8>,
    nonce: Vec<u8>,
    ad: Vec<u8>,
    plain: Vec<u8>,
    /// The ciphertext, then the tag.
    sealed: Vec<u8>,
    valid: bool,
}

/// The messages of a cipher, and those of Wycheproof's file for it if there is one, whose sizes are those of the cipher.
fn sealed(cipher: &raw::Aead, files: &[PathBuf]) -> Vec<Sealed> {
    let mut all = Vec::new();
    for file in files.iter().map(|path| read(path)) {
        for one in list(&file, "vectors").iter().filter(|one| one["tag_bits"] == 8 * cipher.tag_bytes) {
            all.push(Sealed {
                name: one["id"].to_string(),
                key: bytes(one, "key"),
                nonce: bytes(one, "nonce"),
                ad: bytes(one, "ad"),
                plain: bytes(one, "input"),
                sealed: bytes(one, "output"),
                valid: one["result"] == "valid",
            });
        }
    }
    let published =
        files[0].with_file_name(format!("wycheproof/{}_test.json", cipher.name.replace('-', "_")));
    if published.exists() {
        for one in list(&read(&published), "testGroups").iter().flat_map(|group| list(group, "tests")) {
            all.push(Sealed {
                name: format!("Wycheproof {}", one["tcId"]),
                key: bytes(one, "key"),
                nonce: bytes(one, "iv"),
                ad: bytes(one, "aad"),
                plain: bytes(one, "msg"),
                sealed: [bytes(one, "ct"), bytes(one, "tag")].concat(),
                valid: one["result"] != "invalid",
            });
        }
    }
    // Nonces and tags of other sizes cannot be given to these functions; that wrong sizes are refused, tests/traits.rs has.
    all.retain(|one| {
        (one.key.len(), one.nonce.len()) == (cipher.key_bytes, cipher.nonce_bytes)
            && one.sealed.len() >= cipher.tag_bytes
    });
    all
}

/// Opens a message, or one that was changed; the result, and the output, which was full of 0x5a.
fn open(cipher: &raw::Aead, one: &Sealed, sealed: &[u8], ad: &[u8]) -> (i32, Vec<u8>) {
    let (secret, tag) = sealed.split_at(sealed.len() - cipher.tag_bytes);
    let mut out = vec![0x5a; secret.len()];
    let (context, nonce, place) = (context_of(cipher, &one.key), one.nonce.as_ptr(), out.as_mut_ptr());
    let (a, i) = ((ad.as_ptr(), ad.len()), (secret.as_ptr(), secret.len()));
    (unsafe { (cipher.open)(context.as_ptr(), place, tag.as_ptr(), nonce, a.0, a.1, i.0, i.1) }, out)
}

fn context_of(cipher: &raw::Aead, key: &[u8]) -> Vec<u64> {
    let mut context = vec![0; cipher.context_words];
    assert_eq!(unsafe { (cipher.init)(context.as_mut_ptr(), key.as_ptr()) }, 0);
    context
}

fn aead(cipher: &raw::Aead, files: &[PathBuf], counts: &mut Counts) {
    let all = sealed(cipher, files);
    for one in &all {
        let name = format!("{} {} on {}", cipher.name, one.name, usuba::target());
        let (result, opened) = open(cipher, one, &one.sealed, &one.ad);
        counts.add("aead", 1);
        if !one.valid {
            assert_eq!(result, -4, "{name} must be refused");
            assert!(opened.iter().all(|&byte| byte == 0 || byte == 0x5a), "{name}: plaintext was released");
            counts.add("aead refused", 1);
            continue;
        }
        assert_eq!((result, &opened), (0, &one.plain), "{name}");
        let mut out = vec![0; one.sealed.len()];
        let (text, tag) = out.split_at_mut(one.plain.len());
        let (a, i) = ((one.ad.as_ptr(), one.ad.len()), (one.plain.as_ptr(), one.plain.len()));
        let context = context_of(cipher, &one.key);
        let (text, tag, nonce) = (text.as_mut_ptr(), tag.as_mut_ptr(), one.nonce.as_ptr());
        assert_eq!(unsafe { (cipher.seal)(context.as_ptr(), text, tag, nonce, a.0, a.1, i.0, i.1) }, 0);
        assert_eq!(out, one.sealed, "{name}");
        // A bit of the message, or of its tag, or of what is authenticated with it.
        for bit in [0, 8 * one.sealed.len() - 1, 4 * one.sealed.len()] {
            let mut changed = one.sealed.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let (result, left) = open(cipher, one, &changed, &one.ad);
            assert_eq!(result, -4, "{name}: a wrong bit was accepted");
            assert!(left.iter().all(|&byte| byte == 0 || byte == 0x5a), "{name}: plaintext was released");
        }
        if let [rest @ .., _] = &one.ad[..] {
            assert_eq!(open(cipher, one, &one.sealed, rest).0, -4, "{name}: other associated data");
        }
    }
    if let (Some(seal), Some(open)) = (cipher.seal_batch, cipher.open_batch) {
        aead_batches(cipher, &all, seal, open, counts);
    }
}

/// The published answers of a mode, of which only GCM over AES has some here; nothing for what has a manifest's.
fn of_mode(name: &str) -> Option<Vec<PathBuf>> {
    let is_mode = ["-gcm", "-gcm-siv", "-ccm", "-cofb", "-ocb3"].iter().any(|mode| name.ends_with(mode));
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../modes/vectors/aes-gcm.json");
    let is_published = name.starts_with("aes-") && name.ends_with("-gcm");
    is_mode.then(|| if is_published { vec![path] } else { Vec::new() })
}

/// What the mode seals it opens, and refuses with another bit; `tests/tests/library_modes/main.rs` has more answers, by C.
fn mode(cipher: &raw::Aead, published: &[PathBuf], counts: &mut Counts) {
    if !published.is_empty() {
        let before = counts.0.get("aead").copied().unwrap_or(0);
        aead(cipher, published, counts);
        assert!(counts.0.get("aead").copied().unwrap_or(0) > before, "{} has no known answers", cipher.name);
    }
    let key: Vec<u8> = (1..).take(cipher.key_bytes).collect();
    let nonce: Vec<u8> = (7..).take(cipher.nonce_bytes).collect();
    for length in [0, 1, 15, 16, 17, 100, 1000] {
        let plain: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        let (context, mut sealed) = (context_of(cipher, &key), plain.clone());
        sealed.resize(length + cipher.tag_bytes, 0);
        let (place, tag) = sealed.split_at_mut(length);
        let (place, tag) = (place.as_mut_ptr(), tag.as_mut_ptr());
        let (a, i) = ((nonce.as_ptr(), nonce.len()), (plain.as_ptr(), length));
        assert_eq!(
            unsafe { (cipher.seal)(context.as_ptr(), place, tag, nonce.as_ptr(), a.0, a.1, i.0, i.1) },
            0
        );
        let one = Sealed {
            name: format!("{length} bytes"),
            key: key.clone(),
            nonce: nonce.clone(),
            ad: nonce.clone(),
            plain,
            sealed,
            valid: true,
        };
        assert_eq!(open(cipher, &one, &one.sealed, &one.ad), (0, one.plain.clone()), "{}", cipher.name);
        let mut changed = one.sealed.clone();
        changed[length / 2] ^= 1;
        assert_eq!(open(cipher, &one, &changed, &one.ad).0, -4, "{}: a wrong bit was accepted", cipher.name);
        counts.add("aead by itself", 1);
    }
}

/// All messages in one call: sealed, then opened, some of them with a bit changed.
fn aead_batches(
    cipher: &raw::Aead,
    all: &[Sealed],
    seal: raw::AeadBatch,
    open: raw::AeadBatch,
    counts: &mut Counts,
) {
    let valid: Vec<&Sealed> = all.iter().filter(|one| one.valid).collect();
    let mut texts: Vec<Vec<u8>> = valid.iter().map(|one| one.plain.clone()).collect();
    let mut tags = vec![vec![0; cipher.tag_bytes]; valid.len()];
    let call = |function: raw::AeadBatch, texts: &mut [Vec<u8>], tags: &mut [Vec<u8>]| {
        let parts = valid.iter().zip(texts.iter_mut()).zip(tags.iter_mut());
        let mut messages: Vec<raw::AeadMessage> = parts
            .map(|((one, text), tag)| raw::AeadMessage {
                key: one.key.as_ptr(),
                nonce: one.nonce.as_ptr(),
                ad: one.ad.as_ptr(),
                ad_length: one.ad.len(),
                length: text.len(),
                out: text.as_mut_ptr(),
                input: text.as_ptr(),
                tag: tag.as_mut_ptr(),
                result: 77,
            })
            .collect();
        let result = unsafe { function(messages.len(), messages.as_mut_ptr()) };
        (result, messages.iter().map(|one| one.result).collect::<Vec<i32>>())
    };
    let (result, results) = call(seal, &mut texts, &mut tags);
    assert!(result == 0 && results.iter().all(|&one| one == 0), "{}", cipher.name);
    for ((one, text), tag) in valid.iter().zip(&texts).zip(&tags) {
        assert!([&text[..], tag].concat() == one.sealed, "{} {} in a batch", cipher.name, one.name);
    }
    tags.iter_mut().step_by(3).for_each(|tag| tag[5] ^= 0x20);
    let (result, results) = call(open, &mut texts, &mut tags);
    assert_eq!(result, -4);
    for (number, (one, text)) in valid.iter().zip(&texts).enumerate() {
        if number % 3 == 0 {
            assert_eq!(results[number], -4, "{} {}: a wrong tag", cipher.name, one.name);
            let (secret, _) = one.sealed.split_at(one.plain.len());
            assert!(*text == secret || text.iter().all(|&byte| byte == 0), "plaintext was released");
        } else {
            assert!(results[number] == 0 && *text == one.plain, "{} {} opened", cipher.name, one.name);
        }
    }
    counts.add("aead in a batch", valid.len());
}

fn hash(hash: &raw::Hash, files: &[PathBuf], counts: &mut Counts) {
    for file in files.iter().map(|path| read(path)) {
        for one in list(&file, "vectors") {
            let (input, mut digest) = (bytes(one, "input"), vec![0; hash.digest_bytes]);
            let mut context = vec![0_u64; hash.context_words];
            let place = context.as_mut_ptr().cast();
            assert_eq!(unsafe { (hash.init)(place) }, 0);
            for part in input.chunks(7) {
                assert_eq!(unsafe { (hash.update)(place, part.as_ptr(), part.len()) }, 0);
            }
            assert_eq!(unsafe { (hash.finish)(place, digest.as_mut_ptr()) }, 0);
            assert_eq!(digest, bytes(one, "output"), "{} {}", hash.name, one["id"]);
            counts.add("hash", 1);
        }
    }
}

fn hash_batch(hash: &raw::Hash, files: &[PathBuf]) {
    let Some(batch) = hash.batch else { return };
    for file in files.iter().map(|path| read(path)) {
        let vectors = list(&file, "vectors");
        let inputs: Vec<Vec<u8>> = vectors.iter().map(|one| bytes(one, "input")).collect();
        let mut digests = vec![vec![0; hash.digest_bytes]; inputs.len()];
        let mut messages: Vec<raw::HashMessage> = inputs
            .iter()
            .zip(&mut digests)
            .map(|(input, digest)| raw::HashMessage {
                input: input.as_ptr(),
                length: input.len(),
                digest: digest.as_mut_ptr(),
                result: 77,
            })
            .collect();
        assert_eq!(unsafe { batch(messages.len(), messages.as_mut_ptr()) }, 0);
        for (one, digest) in vectors.iter().zip(&digests) {
            assert_eq!(*digest, bytes(one, "output"), "{} {} in a batch", hash.name, one["id"]);
        }
    }
}

fn xof(xof: &raw::Xof, files: &[PathBuf], counts: &mut Counts) {
    for file in files.iter().map(|path| read(path)) {
        let vectors = list(&file, "vectors");
        for one in vectors {
            let mut context = vec![0_u64; xof.context_words];
            assert_eq!(unsafe { (xof.init)(context.as_mut_ptr().cast()) }, 0);
            squeezed(xof.name, one, &mut context, xof.update, xof.squeeze);
            counts.add("xof", 1);
        }
        let inputs: Vec<Vec<u8>> = vectors.iter().map(|one| bytes(one, "input")).collect();
        let mut outputs: Vec<Vec<u8>> =
            vectors.iter().map(|one| vec![0; bytes(one, "output").len()]).collect();
        let mut messages: Vec<raw::XofMessage> = inputs
            .iter()
            .zip(&mut outputs)
            .map(|(input, out)| raw::XofMessage {
                input: input.as_ptr(),
                length: input.len(),
                out: out.as_mut_ptr(),
                out_length: out.len(),
                result: 77,
            })
            .collect();
        assert_eq!(unsafe { xof.batch.unwrap()(messages.len(), messages.as_mut_ptr()) }, 0);
        for (one, out) in vectors.iter().zip(&outputs) {
            assert_eq!(*out, bytes(one, "output"), "{} {} in a batch", xof.name, one["id"]);
        }
    }
}

fn custom_xof(xof: &raw::CustomXof, files: &[PathBuf], counts: &mut Counts) {
    for file in files.iter().map(|path| read(path)) {
        let vectors = list(&file, "vectors");
        for one in vectors {
            let (string, mut context) = (bytes(one, "customization"), vec![0_u64; xof.context_words]);
            let place = context.as_mut_ptr().cast();
            assert_eq!(unsafe { (xof.init)(place, string.as_ptr(), string.len()) }, 0);
            squeezed(xof.name, one, &mut context, xof.update, xof.squeeze);
            counts.add("xof", 1);
        }
        let strings: Vec<Vec<u8>> = vectors.iter().map(|one| bytes(one, "customization")).collect();
        let inputs: Vec<Vec<u8>> = vectors.iter().map(|one| bytes(one, "input")).collect();
        let mut outputs: Vec<Vec<u8>> =
            vectors.iter().map(|one| vec![0; bytes(one, "output").len()]).collect();
        let mut messages: Vec<raw::CustomXofMessage> = strings
            .iter()
            .zip(&inputs)
            .zip(&mut outputs)
            .map(|((string, input), out)| raw::CustomXofMessage {
                customization: string.as_ptr(),
                customization_length: string.len(),
                input: input.as_ptr(),
                length: input.len(),
                out: out.as_mut_ptr(),
                out_length: out.len(),
                result: 77,
            })
            .collect();
        assert_eq!(unsafe { xof.batch.unwrap()(messages.len(), messages.as_mut_ptr()) }, 0);
        for (one, out) in vectors.iter().zip(&outputs) {
            assert_eq!(*out, bytes(one, "output"), "{} {} in a batch", xof.name, one["id"]);
        }
    }
}

/// Puts a message into a context that has begun, and compares the output, in pieces.
fn squeezed(name: &str, one: &Value, context: &mut [u64], update: raw::Update, squeeze: raw::Squeeze) {
    let (input, output) = (bytes(one, "input"), bytes(one, "output"));
    let (place, mut out) = (context.as_mut_ptr().cast(), vec![0; output.len()]);
    assert_eq!(unsafe { update(place, input.as_ptr(), input.len()) }, 0);
    for part in out.chunks_mut(11) {
        assert_eq!(unsafe { squeeze(place, part.as_mut_ptr(), part.len()) }, 0);
    }
    assert_eq!(out, output, "{name} {}", one["id"]);
    if !output.is_empty() {
        assert_eq!(unsafe { update(place, input.as_ptr(), input.len()) }, -5, "more input after output");
    }
}

/// Every primitive and construction of the ciphers in this build is in a table: else nothing above would test it. That of modes
/// is in tests/modes.rs.
#[test]
fn nothing_is_left_out() {
    let names: Vec<&str> = [
        raw::BLOCK_CIPHERS.iter().map(|one| one.name).collect::<Vec<_>>(),
        raw::TWEAKABLE_BLOCK_CIPHERS.iter().map(|one| one.name).collect(),
        raw::STREAM_CIPHERS.iter().map(|one| one.name).collect(),
        raw::GENERATORS.iter().map(|one| one.name).collect(),
        raw::PERMUTATIONS.iter().map(|one| one.name).collect(),
        raw::AEADS.iter().map(|one| one.name).collect(),
        raw::HASHES.iter().map(|one| one.name).collect(),
        raw::XOFS.iter().map(|one| one.name).collect(),
        raw::CUSTOM_XOFS.iter().map(|one| one.name).collect(),
        raw::MACS.iter().map(|one| one.name).collect(),
    ]
    .concat();
    let built = |files: &[PathBuf]| {
        // `ciphers/aes/vectors/…`, and the feature `aes`.
        let cipher = files[0].iter().rev().nth(2).unwrap().to_string_lossy().into_owned();
        env!("USUBA_CIPHERS").split(' ').any(|built| built == cipher)
    };
    let wanted: Vec<String> =
        files().into_iter().filter(|(_, files)| built(files)).map(|(name, _)| name).collect();
    assert!(!wanted.is_empty());
    for name in wanted {
        assert!(names.contains(&name.as_str()), "{name} is in no table");
    }
}

#[test]
fn known_answers_on_every_target() {
    let files = files();
    let of = |name: &str| {
        let files = files.get(name).unwrap_or_else(|| panic!("no manifest has {name}"));
        assert!(!files.is_empty(), "{name} has no known answers");
        files
    };
    assert_eq!(usuba::set_target(Some("no-such-target")), Err(usuba::Error::Target));
    assert_eq!(
        usuba::set_target(Some("a name that is longer than that of any target is")),
        Err(usuba::Error::Target)
    );
    for target in targets() {
        usuba::set_target(Some(target)).unwrap();
        assert_eq!(usuba::target(), target);
        let mut counts = Counts::default();
        raw::BLOCK_CIPHERS.iter().for_each(|one| block_cipher(one, of(one.name), &mut counts));
        raw::STREAM_CIPHERS.iter().for_each(|one| stream(one, of(one.name), &mut counts));
        raw::PERMUTATIONS.iter().for_each(|one| permutation(one, of(one.name), &mut counts));
        for one in raw::AEADS {
            match of_mode(one.name) {
                None => aead(one, of(one.name), &mut counts),
                Some(published) => mode(one, &published, &mut counts),
            }
        }
        raw::HASHES.iter().for_each(|one| hash(one, of(one.name), &mut counts));
        raw::HASHES.iter().for_each(|one| hash_batch(one, of(one.name)));
        raw::XOFS.iter().for_each(|one| xof(one, of(one.name), &mut counts));
        raw::CUSTOM_XOFS.iter().for_each(|one| custom_xof(one, of(one.name), &mut counts));
        raw::TWEAKABLE_BLOCK_CIPHERS.iter().for_each(|one| tweakable(one, of(one.name), &mut counts));
        raw::GENERATORS.iter().for_each(|one| generator(one, of(one.name), &mut counts));
        // CMAC is in tests/modes.rs.
        let macs = raw::MACS.iter().filter(|one| !one.name.ends_with("-cmac"));
        macs.for_each(|one| mac(one, of(one.name), &mut counts));
        assert!(counts.0.values().sum::<usize>() > 0, "nothing was compared: the build has no cipher");
        println!("{target}: {:?}", counts.0);
    }
    usuba::set_target(None).unwrap();
}
