//! Published answers of modes: those of their standards, over AES, and Wycheproof's.

use crate::ciphers::root;
use crate::wycheproof;
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
    /// Whether its lengths are some of the mode. If not, it is refused as such, and nothing is written.
    pub fits: bool,
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

/// Cases of a mode that seals: sealed and opened if it is valid, else only opened.
fn of_sealing(cases: &mut Cases, family: &str, mode: &str, case: &wycheproof::Case) {
    let wycheproof::Case { name, key, nonce, ad, plain, cipher, tag, valid } = case;
    let fits = match mode {
        "gcm" => !nonce.is_empty() && matches!(tag.len(), 4 | 8 | 12..=16),
        "ccm" => matches!(nonce.len(), 7..=13) && matches!(tag.len(), 4 | 6 | 8 | 10 | 12 | 14 | 16),
        "gcm-siv" => nonce.len() == 12 && tag.len() == 16,
        other => panic!("{other}"),
    };
    assert!(fits || !valid, "{mode}: {name}");
    let nonce_name = if mode == "gcm" { "iv" } else { "nonce" };
    let mut add = |mode: String, numbers, inputs, outputs| {
        let one = Case { id: format!("{name} {mode}"), numbers, inputs, outputs, fits };
        cases.entry((primitive(family, key), mode)).or_default().push(one);
    };
    let open = strings([("key", key), (nonce_name, nonce), ("aad", ad), ("cipher", cipher), ("tag", tag)]);
    add(format!("{mode}-open"), BTreeMap::new(), open, valid.then(|| strings([("plain", plain)])));
    if *valid {
        let seal = strings([("key", key), (nonce_name, nonce), ("aad", ad), ("plain", plain)]);
        let sealed = strings([("cipher", cipher), ("tag", tag)]);
        // GCM-SIV has tags of one length.
        let t = (mode != "gcm-siv").then(|| ("t".to_owned(), tag.len() as i64));
        add(format!("{mode}-seal"), t.into_iter().collect(), seal, Some(sealed));
    }
}

/// The primitive of a family that has keys of this size.
fn primitive(family: &str, key: &[u8]) -> String {
    if family == "sm4" { family.to_owned() } else { format!("{family}-{}", 8 * key.len()) }
}

/// Wycheproof's files of modes, beside that of AES-GCM: each is called after a family of ciphers and a mode.
const FILES: [(&str, &[&str]); 4] = [
    ("aes", &["gcm", "gcm_siv", "ccm", "cmac", "gmac", "xts", "cbc_pkcs5"]),
    ("aria", &["gcm", "ccm", "cmac", "cbc_pkcs5"]),
    ("camellia", &["ccm", "cmac", "cbc_pkcs5"]),
    ("sm4", &["gcm", "ccm"]),
];

fn of_wycheproof(cases: &mut Cases) {
    let all = FILES.iter().flat_map(|(family, files)| files.iter().map(move |file| (*family, *file)));
    for (family, file) in all {
        for case in wycheproof::cases(&format!("modes/vectors/wycheproof/{family}_{file}_test.json")) {
            let wycheproof::Case { name, key, nonce, plain, cipher, tag, .. } = &case;
            let mut add = |primitive: String, mode: &str, numbers: &[(&str, i64)], inputs, outputs| {
                let numbers = numbers.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect();
                let id = format!("{name} {mode}");
                let one = Case { id, numbers, inputs, outputs: Some(outputs), fits: true };
                cases.entry((primitive, mode.to_owned())).or_default().push(one);
            };
            let t = [("t", tag.len() as i64)];
            match file {
                "cmac" => {
                    let inputs = strings([("key", key), ("message", plain)]);
                    add(primitive(family, key), "cmac", &t, inputs, strings([("tag", tag)]));
                }
                "gmac" => {
                    let inputs = strings([("key", key), ("iv", nonce), ("message", plain)]);
                    add(primitive(family, key), "gmac", &t, inputs, strings([("tag", tag)]));
                }
                "xts" => {
                    let (data, tweak) = key.split_at(key.len() / 2);
                    // The first bytes of a number that is little-endian.
                    let mut unit = nonce.clone();
                    unit.resize(16, 0);
                    for (mode, from, to) in [("encrypt", "plain", "cipher"), ("decrypt", "cipher", "plain")] {
                        let text = |name| if name == "plain" { plain } else { cipher };
                        let inputs =
                            strings([("data", data), ("tweak", tweak), ("unit", &unit), (from, text(from))]);
                        let outputs = strings([(to, text(to))]);
                        add(primitive(family, data), &format!("xts-{mode}"), &[], inputs, outputs);
                    }
                }
                "cbc_pkcs5" => {
                    // The padding is that of their format, of which the mode knows nothing.
                    let missing = cipher.len() - plain.len();
                    let plain = [plain.as_slice(), &vec![missing as u8; missing]].concat();
                    for (mode, from, to) in [("encrypt", "plain", "cipher"), ("decrypt", "cipher", "plain")] {
                        let text = |name| if name == "plain" { &plain } else { cipher };
                        let inputs = strings([("key", key), ("iv", nonce), (from, text(from))]);
                        let outputs = strings([(to, text(to))]);
                        add(primitive(family, key), &format!("cbc-{mode}"), &[], inputs, outputs);
                    }
                }
                mode => of_sealing(cases, family, &mode.replace('_', "-"), &case),
            }
        }
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
            fits: true,
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
            let case = wycheproof::Case {
                name: vector["id"].as_str().unwrap().to_owned(),
                key: bytes(vector, "key"),
                nonce: bytes(vector, "nonce"),
                ad: bytes(vector, "ad"),
                plain: bytes(vector, "input"),
                cipher: text.to_vec(),
                tag: tag.to_vec(),
                valid: vector["result"] == "valid",
            };
            of_sealing(&mut cases, "aes", "gcm", &case);
        }
        of_wycheproof(&mut cases);
        for vector in file("ciphers/aes/vectors/aes-ctr.json")["vectors"].as_array().unwrap() {
            let counter = vector.get("counter").map(|_| bytes(vector, "counter")).unwrap_or_default();
            let (key, first) = (bytes(vector, "key"), [bytes(vector, "nonce"), counter].concat());
            let (plain, cipher) = (bytes(vector, "input"), bytes(vector, "output"));
            cases.entry((format!("aes-{}", 8 * key.len()), "ctr".into())).or_default().push(Case {
                id: vector["id"].as_str().unwrap().to_owned(),
                numbers: BTreeMap::new(),
                inputs: strings([("key", &key), ("first", &first), ("plain", &plain)]),
                outputs: Some(strings([("cipher", &cipher)])),
                fits: true,
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
            all.push(Case { id, numbers: case.numbers.clone(), inputs, outputs: None, fits: case.fits });
        }
    }
    all
}
