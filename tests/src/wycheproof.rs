//! Project Wycheproof's cases, among them the ones that must be refused.

use crate::ciphers::root;
use serde_json::Value;

/// A case. What its kind does not have is empty.
pub struct Case {
    /// Its number in the file, in words.
    pub name: String,
    /// The key.
    pub key: Vec<u8>,
    /// The nonce, vector or number of a unit.
    pub nonce: Vec<u8>,
    /// The associated data.
    pub ad: Vec<u8>,
    /// The plaintext, or the message of an authenticator.
    pub plain: Vec<u8>,
    /// The ciphertext.
    pub cipher: Vec<u8>,
    /// The tag.
    pub tag: Vec<u8>,
    /// Whether it is authentic.
    pub valid: bool,
}

/// The cases of a construction of a cipher folder.
pub struct OfConstruction {
    /// The construction.
    pub name: &'static str,
    file: &'static str,
    /// Its nonces. Cases with nonces of other sizes are there because they must be refused.
    nonce_bytes: usize,
    /// How many are authentic, how many are not, and how many have another nonce.
    counts: [usize; 3],
}

/// The constructions that there are cases of.
pub const OF_CONSTRUCTIONS: [OfConstruction; 5] = [
    OfConstruction {
        name: "chacha20-poly1305",
        file: "chacha20/vectors/wycheproof/chacha20_poly1305_test.json",
        nonce_bytes: 12,
        counts: [256, 60, 9],
    },
    OfConstruction {
        name: "xchacha20-poly1305",
        file: "chacha20/vectors/wycheproof/xchacha20_poly1305_test.json",
        nonce_bytes: 24,
        counts: [246, 60, 9],
    },
    OfConstruction {
        name: "ascon-aead128",
        file: "ascon/vectors/wycheproof/ascon_sp800_232_aead128_test.json",
        nonce_bytes: 16,
        counts: [128, 124, 0],
    },
    OfConstruction {
        name: "ascon-128",
        file: "ascon/vectors/wycheproof/ascon128_test.json",
        nonce_bytes: 16,
        counts: [84, 108, 0],
    },
    OfConstruction {
        name: "ascon-128a",
        file: "ascon/vectors/wycheproof/ascon128a_test.json",
        nonce_bytes: 16,
        counts: [84, 108, 0],
    },
];

impl OfConstruction {
    /// Those of the construction of this name.
    pub fn named(name: &str) -> Option<&'static OfConstruction> {
        OF_CONSTRUCTIONS.iter().find(|one| one.name == name)
    }

    /// Whether the nonce of a case has the size of the construction.
    pub fn fits(&self, case: &Case) -> bool {
        case.nonce.len() == self.nonce_bytes
    }

    /// All cases.
    ///
    /// # Panics
    /// If the file is not the one that belongs here.
    pub fn cases(&self) -> Vec<Case> {
        let cases = cases(&format!("ciphers/{}", self.file));
        let count =
            |fits, valid| cases.iter().filter(|case| self.fits(case) == fits && case.valid == valid).count();
        assert_eq!(
            [count(true, true), count(true, false), count(false, false)],
            self.counts,
            "{}",
            self.file
        );
        assert_eq!(count(false, true), 0, "{}", self.file);
        cases
    }
}

/// All cases of a file, in its order; the path is that from the root of the repository.
///
/// # Panics
/// If it is not a file of Wycheproof's.
pub fn cases(path: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(root().join(path)).expect("Wycheproof's file is there");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let list = |value: &Value, field: &str| value[field].as_array().cloned().expect("a list");
    let groups = list(&file, "testGroups");
    let cases: Vec<Case> =
        groups.iter().flat_map(|group| list(group, "tests")).map(|one| case(&one)).collect();
    assert_eq!(file["numberOfTests"], cases.len(), "{path}");
    cases
}

fn case(value: &Value) -> Case {
    let bytes = |field: &str| {
        let text = value.get(field).map_or("", |text| text.as_str().expect("a string"));
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
