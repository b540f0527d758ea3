//! Messages of modes over a primitive, for tests.

use crate::ciphers::{Disk, root};
use std::fs;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::load::{Loaded, load};
use usuba_lang::{ast, elaborate};
use usuba_package::{manifest, message};

/// Files of nodes with public lengths that have no cipher parameter.
pub const SPONGES: [(&str, &str, &[&str]); 8] = [
    ("ascon", "aead.ua", &["SealAEAD128", "OpenAEAD128"]),
    ("ascon", "v12.ua", &["SealAscon128", "OpenAscon128", "SealAscon128a", "OpenAscon128a"]),
    ("ascon", "hash.ua", &["Hash256", "XOF128", "CXOF128"]),
    ("keccak", "sha3.ua", &["SHA3_224", "SHA3_256", "SHA3_384", "SHA3_512", "SHAKE128", "SHAKE256"]),
    (
        "xoodoo",
        "xoodyak.ua",
        &["SealXoodyak", "OpenXoodyak", "SealXoodyakRound3", "OpenXoodyakRound3", "HashXoodyak"],
    ),
    ("subterranean", "sae.ua", &["SealSAE", "OpenSAE"]),
    ("chacha20", "poly1305.ua", &["Poly1305"]),
    (
        "chacha20",
        "aead.ua",
        &["ChaCha20", "SealChaCha20Poly1305", "OpenChaCha20Poly1305", "SealXChaCha20Poly1305"],
    ),
];

/// The program of a mode over a primitive.
///
/// # Panics
/// There is none.
pub fn bound(cipher: &str, primitive: &str, mode: message::Mode) -> Loaded {
    let folder = root().join("ciphers").join(cipher);
    let text = fs::read_to_string(folder.join("usuba.toml")).unwrap();
    let manifest = manifest::parse("usuba.toml", &text).unwrap();
    let source = folder.join(&manifest.source).to_string_lossy().into_owned();
    let loaded = load(&source, &[], &Disk);
    let found = manifest.primitives.iter().find(|p| p.name == primitive).unwrap();
    let bound = message::bind(found, &source, &loaded, mode, &Disk).unwrap();
    assert!(!bound.diagnostics.iter().any(Diagnostic::is_error), "{:?}", bound.diagnostics);
    bound
}

/// Pseudo-random bytes.
pub fn bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    (0..count).map(|_| next()).collect()
}

/// The words that the schedule of a cipher makes of a key, by the reference interpreter.
///
/// # Panics
/// The program has no such cipher.
pub fn round_keys(program: &ast::Program, cipher: &str, key: &[u8]) -> Vec<u128> {
    let cipher = program.ciphers.iter().find(|known| known.name.text == cipher).unwrap();
    let (_, node) = cipher.roles.iter().find(|(role, _)| role.text == "schedule").unwrap();
    let options =
        elaborate::Options { entry: Some(node.text.clone()), keep_tables: true, ..elaborate::Options::new() };
    let typed = elaborate::elaborate(program, &options).0.unwrap();
    let key: Vec<u128> = key.iter().map(|&byte| byte.into()).collect();
    usuba_lang::interpret::interpret(&typed, &[key]).remove(0)
}
