//! Hands the versions in the lock file to the library, so that they are read, not written down twice.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let lock = Path::new("../Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let text = std::fs::read_to_string(lock).unwrap_or_default();
    let mut versions = String::new();
    let mut name = "";
    for line in text.lines() {
        if let Some(found) = line.strip_prefix("name = ") {
            name = found.trim_matches('"');
        } else if let Some(version) = line.strip_prefix("version = ") {
            let _ = write!(versions, "{name} {};", version.trim_matches('"'));
        }
    }
    println!("cargo::rustc-env=PEER_VERSIONS={versions}");
}
