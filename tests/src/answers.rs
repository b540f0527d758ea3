//! Published answers of modes over AES: those of their standards and Wycheproof's.

use crate::ciphers::root;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A message and what comes of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Where it stands.
    pub id: String,
    /// The public numbers that it is given.
    pub numbers: BTreeMap<String, i64>,
    /// The inputs of the node of the mode.
    pub inputs: BTreeMap<String, Vec<u8>>,
    /// Nothing if it is refused.
    pub outputs: Option<BTreeMap<String, Vec<u8>>>,
}

/// Cases by primitive and mode.
pub type Cases = BTreeMap<(String, String), Vec<Case>>;

fn hex(text: &str) -> Vec<u8> {
    let digits = (0..text.len()).step_by(2);
    digits.map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("digits")).collect()
}

fn bytes(value: &Value, field: &str) -> Vec<u8> {
    hex(value[field].as_str().unwrap_or_else(|| panic!("no {field} in {value}")))
}

fn file(path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(root().join(path)).unwrap()).unwrap()
}

fn strings<const N: usize>(pairs: [(&str, &[u8]); N]) -> BTreeMap<String, Vec<u8>> {
    pairs.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect()
}

/// A case of GCM: sealed and opened if it is valid, else only opened.
fn of_gcm(cases: &mut Cases, id: &str, given: [&[u8]; 6], valid: bool) {
    let [key, iv, aad, plain, cipher, tag] = given;
    let primitive = format!("aes-{}", 8 * key.len());
    let mut add = |mode: &str, numbers, inputs, outputs| {
        let one = Case { id: format!("{id} {mode}"), numbers, inputs, outputs };
        cases.entry((primitive.clone(), mode.to_owned())).or_default().push(one);
    };
    let open = strings([("key", key), ("iv", iv), ("aad", aad), ("cipher", cipher), ("tag", tag)]);
    add("gcm-open", BTreeMap::new(), open, valid.then(|| strings([("plain", plain)])));
    if valid {
        let seal = strings([("key", key), ("iv", iv), ("aad", aad), ("plain", plain)]);
        let sealed = strings([("cipher", cipher), ("tag", tag)]);
        add("gcm-seal", BTreeMap::from([("t".to_owned(), tag.len() as i64)]), seal, Some(sealed));
    }
}

fn published(cases: &mut Cases) {
    for vector in file("modes/vectors/published.json")["vectors"].as_array().unwrap() {
        let text = |field: &str| vector[field].as_str().unwrap().to_owned();
        let strings = |field: &str| {
            let all = vector[field].as_object().into_iter().flatten();
            all.map(|(name, value)| (name.clone(), hex(value.as_str().unwrap()))).collect()
        };
        let numbers = vector["numbers"].as_object().unwrap().iter();
        cases.entry((text("primitive"), text("mode"))).or_default().push(Case {
            id: text("id"),
            numbers: numbers.map(|(name, value)| (name.clone(), value.as_i64().unwrap())).collect(),
            inputs: strings("inputs"),
            outputs: (vector["refused"] != Value::Bool(true)).then(|| strings("outputs")),
        });
    }
}

/// All vectors.
pub fn all_cases() -> &'static Cases {
    static KNOWN: OnceLock<Cases> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut cases = Cases::new();
        published(&mut cases);
        for vector in file("modes/vectors/aes-gcm.json")["vectors"].as_array().unwrap() {
            let sealed = bytes(vector, "output");
            let (text, tag) =
                sealed.split_at(sealed.len() - vector["tag_bits"].as_u64().unwrap() as usize / 8);
            let (key, iv) = (bytes(vector, "key"), bytes(vector, "nonce"));
            let (aad, plain) = (bytes(vector, "ad"), bytes(vector, "input"));
            let id = vector["id"].as_str().unwrap();
            of_gcm(&mut cases, id, [&key, &iv, &aad, &plain, text, tag], vector["result"] == "valid");
        }
        let wycheproof = file("modes/vectors/wycheproof/aes_gcm_test.json");
        let groups = wycheproof["testGroups"].as_array().unwrap().iter();
        for test in groups.flat_map(|group| group["tests"].as_array().unwrap()) {
            let parts = ["key", "iv", "aad", "msg", "ct", "tag"].map(|field| bytes(test, field));
            let valid = test["result"] != "invalid";
            // An empty nonce is no length of the mode: it is refused as such.
            if !parts[1].is_empty() {
                let id = format!("Wycheproof {}", test["tcId"]);
                of_gcm(&mut cases, &id, parts.each_ref().map(Vec::as_slice), valid);
            }
        }
        for vector in file("ciphers/aes/vectors/aes-ctr.json")["vectors"].as_array().unwrap() {
            let counter = vector.get("counter").map(|_| bytes(vector, "counter")).unwrap_or_default();
            let (key, first) = (bytes(vector, "key"), [bytes(vector, "nonce"), counter].concat());
            let (plain, cipher) = (bytes(vector, "input"), bytes(vector, "output"));
            cases.entry((format!("aes-{}", 8 * key.len()), "ctr".into())).or_default().push(Case {
                id: vector["id"].as_str().unwrap().to_owned(),
                numbers: BTreeMap::new(),
                inputs: strings([("key", &key), ("first", &first), ("plain", &plain)]),
                outputs: Some(strings([("cipher", &cipher)])),
            });
        }
        cases
    })
}

/// Those of a mode, and of openings those with a bit changed.
pub fn changed_too(cases: &[Case]) -> Vec<Case> {
    let mut all = cases.to_vec();
    for (number, case) in cases.iter().enumerate() {
        for name in ["tag", "cipher", "aad"] {
            let mut inputs = case.inputs.clone();
            let is_opening = case.outputs.is_some() && inputs.contains_key("tag");
            let Some(string) = inputs.get_mut(name).filter(|one| is_opening && !one.is_empty()) else {
                continue;
            };
            let place = number * 7 % (8 * string.len());
            string[place / 8] ^= 1 << (place % 8);
            let id = format!("{} with another {name}", case.id);
            all.push(Case { id, numbers: case.numbers.clone(), inputs, outputs: None });
        }
    }
    all
}
