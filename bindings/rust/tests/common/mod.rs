//! What the tests over all primitives have in common.

#![allow(dead_code, reason = "not every test needs all of it")]

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const TARGETS: [&str; 17] = [
    "gp64",
    "sse2",
    "ssse3",
    "sse4.2",
    "avx",
    "avx-aes",
    "avx2",
    "avx2-vaes",
    "avx2-gfni",
    "avx512-128",
    "avx512-256",
    "avx512",
    "avx512-gfni",
    "avx512-vaes",
    "neon",
    "neon-aes",
    "altivec",
];

/// The targets that this machine has.
pub fn targets() -> Vec<&'static str> {
    let targets: Vec<&str> =
        TARGETS.into_iter().filter(|target| usuba::set_target(Some(target)).is_ok()).collect();
    assert!(targets.contains(&"gp64"), "{targets:?}");
    targets
}

/// The manifests of the ciphers, with their folders.
pub fn manifests() -> Vec<(PathBuf, toml::Table)> {
    let ciphers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers");
    let mut manifests = Vec::new();
    for folder in std::fs::read_dir(&ciphers).unwrap().map(|entry| entry.unwrap().path()) {
        if let Ok(text) = std::fs::read_to_string(folder.join("usuba.toml")) {
            manifests.push((folder, text.parse().unwrap()));
        }
    }
    manifests
}

/// The files of known answers of every primitive and construction, as the manifests have them.
pub fn files() -> BTreeMap<String, Vec<PathBuf>> {
    let mut files = BTreeMap::new();
    for (folder, manifest) in manifests() {
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

pub fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub fn bytes(one: &Value, name: &str) -> Vec<u8> {
    hex::decode(one.get(name).and_then(Value::as_str).unwrap_or_default()).unwrap()
}

pub fn list<'a>(file: &'a Value, name: &str) -> &'a [Value] {
    file.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
