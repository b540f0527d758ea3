//! The known answers of `ciphers/*/vectors` through the C functions of the crate, on every target that this machine has.
//!
//! One test, as the target belongs to the process.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "every call is for the memory that the lines above it make"
)]

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use usuba::raw;

const TARGETS: [&str; 10] =
    ["gp64", "sse2", "ssse3", "sse4.2", "avx", "avx2", "avx512-256", "avx512", "neon", "altivec"];

/// The files of known answers of every primitive and construction, as the manifests have them.
fn files() -> BTreeMap<String, Vec<PathBuf>> {
    let ciphers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers");
    let mut files = BTreeMap::new();
    for folder in std::fs::read_dir(&ciphers).unwrap().map(|entry| entry.unwrap().path()) {
        let Ok(text) = std::fs::read_to_string(folder.join("usuba.toml")) else { continue };
        let manifest: toml::Table = text.parse().unwrap();
        for part in ["primitive", "construction"] {
            for one in manifest.get(part).and_then(|part| part.as_array()).into_iter().flatten() {
                let list = one.get("vectors").and_then(|list| list.as_array()).into_iter().flatten();
                let paths: Vec<PathBuf> = list.map(|path| folder.join(path.as_str().unwrap())).collect();
                files.insert(one["name"].as_str().unwrap().to_owned(), paths);
            }
        }
    }
    files
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn bytes(one: &Value, name: &str) -> Vec<u8> {
    hex::decode(one.get(name).and_then(Value::as_str).unwrap_or_default()).unwrap()
}

fn list<'a>(file: &'a Value, name: &str) -> &'a [Value] {
    file.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

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
    }
    if cipher.ctr_xor.is_some() {
        counter_lengths(cipher);
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
    let first = u64::MAX - 5;
    let counters: Vec<u8> = (0..600_u64)
        .flat_map(|i| {
            // The counter is a number of a whole block, which begins so that it carries out of 64 bits.
            let (low, carry) = first.overflowing_add(i);
            let mut bytes = vec![0; block];
            bytes[block - 8..].copy_from_slice(&low.to_be_bytes());
            if block > 8 {
                bytes[block - 9] = u8::from(carry);
            }
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
    }
}

fn aead(cipher: &raw::Aead, files: &[PathBuf], counts: &mut Counts) {
    let json = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "json");
    for file in files.iter().filter(json).map(|path| read(path)) {
        for one in list(&file, "vectors") {
            let (key, nonce, ad) = (bytes(one, "key"), bytes(one, "nonce"), bytes(one, "ad"));
            let (plain, mut sealed) = (bytes(one, "input"), bytes(one, "output"));
            if key.len() != cipher.key_bytes || nonce.len() != cipher.nonce_bytes || one["tag_bits"] != 128 {
                continue;
            }
            let right = one["result"] == "valid";
            let open = |sealed: &[u8], ad: &[u8]| {
                let (secret, tag) = sealed.split_at(sealed.len() - cipher.tag_bytes);
                let mut out = vec![0x5a; secret.len()];
                let (key, nonce) = (key.as_ptr(), nonce.as_ptr());
                let place = out.as_mut_ptr();
                let (a, i) = ((ad.as_ptr(), ad.len()), (secret.as_ptr(), secret.len()));
                (unsafe { (cipher.open)(place, tag.as_ptr(), key, nonce, a.0, a.1, i.0, i.1) }, out)
            };
            if sealed.len() < cipher.tag_bytes {
                assert!(!right);
                continue;
            }
            let name = format!("{} {} on {}", cipher.name, one["id"], usuba::target());
            let (result, opened) = open(&sealed, &ad);
            assert_eq!(result == 0, right, "{name}");
            counts.add("aead", 1);
            if !right {
                continue;
            }
            assert_eq!(opened, plain, "{name}");
            let mut out = vec![0; plain.len() + cipher.tag_bytes];
            let (text, tag) = out.split_at_mut(plain.len());
            let (a, i) = ((ad.as_ptr(), ad.len()), (plain.as_ptr(), plain.len()));
            let (text, tag, key, nonce) = (text.as_mut_ptr(), tag.as_mut_ptr(), key.as_ptr(), nonce.as_ptr());
            assert_eq!(unsafe { (cipher.seal)(text, tag, key, nonce, a.0, a.1, i.0, i.1) }, 0);
            assert_eq!(out, sealed, "{name}");
            // A bit of the message, or of its tag, or of what is authenticated with it.
            for bit in [0, 8 * sealed.len() - 1, 4 * sealed.len()] {
                sealed[bit / 8] ^= 1 << (bit % 8);
                let (result, left) = open(&sealed, &ad);
                assert_eq!(result, -4, "{name}: a wrong bit was accepted");
                assert!(left.iter().all(|&byte| byte == 0 || byte == 0x5a), "{name}: plaintext was released");
                sealed[bit / 8] ^= 1 << (bit % 8);
            }
            if let [rest @ .., _] = &ad[..] {
                assert_eq!(open(&sealed, rest).0, -4, "{name}: other associated data were accepted");
            }
        }
    }
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

fn xof(xof: &raw::Xof, files: &[PathBuf], counts: &mut Counts) {
    for file in files.iter().map(|path| read(path)) {
        for one in list(&file, "vectors") {
            let (input, output) = (bytes(one, "input"), bytes(one, "output"));
            let (mut context, mut out) = (vec![0_u64; xof.context_words], vec![0; output.len()]);
            let place = context.as_mut_ptr().cast();
            assert_eq!(unsafe { (xof.init)(place) }, 0);
            assert_eq!(unsafe { (xof.update)(place, input.as_ptr(), input.len()) }, 0);
            for part in out.chunks_mut(11) {
                assert_eq!(unsafe { (xof.squeeze)(place, part.as_mut_ptr(), part.len()) }, 0);
            }
            assert_eq!(out, output, "{} {}", xof.name, one["id"]);
            counts.add("xof", 1);
        }
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
    let targets: Vec<&str> =
        TARGETS.into_iter().filter(|target| usuba::set_target(Some(target)).is_ok()).collect();
    assert!(targets.contains(&"gp64"), "{targets:?}");
    for target in targets {
        usuba::set_target(Some(target)).unwrap();
        assert_eq!(usuba::target(), target);
        let mut counts = Counts::default();
        raw::BLOCK_CIPHERS.iter().for_each(|one| block_cipher(one, of(one.name), &mut counts));
        raw::STREAM_CIPHERS.iter().for_each(|one| stream(one, of(one.name), &mut counts));
        raw::PERMUTATIONS.iter().for_each(|one| permutation(one, of(one.name), &mut counts));
        raw::AEADS.iter().for_each(|one| aead(one, of(one.name), &mut counts));
        raw::HASHES.iter().for_each(|one| hash(one, of(one.name), &mut counts));
        raw::XOFS.iter().for_each(|one| xof(one, of(one.name), &mut counts));
        assert!(counts.0.values().sum::<usize>() > 0, "nothing was compared: the build has no cipher");
        println!("{target}: {:?}", counts.0);
    }
    usuba::set_target(None).unwrap();
}
