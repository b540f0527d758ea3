//! Project Wycheproof's cases of ChaCha20-Poly1305, among them the ones that must be refused.

use crate::ciphers::root;

/// A case.
pub struct Case {
    /// Its number in the file, in words.
    pub name: String,
    /// The key, 32 bytes.
    pub key: Vec<u8>,
    /// The nonce. Cases with other sizes than 12 bytes are there because they must be refused.
    pub nonce: Vec<u8>,
    /// The associated data.
    pub ad: Vec<u8>,
    /// The plaintext.
    pub plain: Vec<u8>,
    /// The ciphertext.
    pub cipher: Vec<u8>,
    /// The tag, 16 bytes.
    pub tag: Vec<u8>,
    /// Whether it is authentic.
    pub valid: bool,
}

impl Case {
    /// Whether its nonce has the size that RFC 8439 asks for.
    pub fn fits(&self) -> bool {
        self.nonce.len() == 12
    }
}

/// All cases of the file, in its order.
///
/// # Panics
/// If the file is not the one that belongs here.
pub fn chacha20_poly1305() -> Vec<Case> {
    let path = root().join("ciphers/chacha20/vectors/wycheproof/chacha20_poly1305_test.json");
    let text = std::fs::read_to_string(path).expect("Wycheproof's file is there");
    let file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let list = |value: &serde_json::Value, field: &str| value[field].as_array().cloned().expect("a list");
    let groups = list(&file, "testGroups");
    let cases: Vec<Case> =
        groups.iter().flat_map(|group| list(group, "tests")).map(|one| case(&one)).collect();
    let count = |fits, valid| cases.iter().filter(|case| case.fits() == fits && case.valid == valid).count();
    assert_eq!(
        (count(true, true), count(true, false), count(false, true), count(false, false)),
        (256, 60, 0, 9)
    );
    cases
}

fn case(value: &serde_json::Value) -> Case {
    let bytes = |field: &str| {
        let text = value[field].as_str().expect("a string");
        let digits = (0..text.len()).step_by(2);
        digits.map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("digits")).collect()
    };
    Case {
        name: format!("Wycheproof {}", value["tcId"]),
        key: bytes("key"),
        nonce: bytes("iv"),
        ad: bytes("aad"),
        plain: bytes("msg"),
        cipher: bytes("ct"),
        tag: bytes("tag"),
        valid: match value["result"].as_str() {
            Some("valid") => true,
            Some("invalid") => false,
            other => panic!("a result that is neither valid nor invalid: {other:?}"),
        },
    }
}
