//! Errors in a manifest that show only with its source, or the files that it names: each points into it.

use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// The folder `pebble`, the tutorial's, with one part of its manifest changed.
fn pebble(from: &str, to: &str) -> TempDir {
    let origin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/pebble");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("pebble");
    fs::create_dir(&copy).expect("it can be made");
    fs::copy(origin.join("pebble.ua"), copy.join("pebble.ua")).expect("it can be copied");
    let manifest = fs::read_to_string(origin.join("usuba.toml")).expect("it is there");
    assert!(manifest.contains(from), "the manifest has no `{from}`");
    fs::write(copy.join("usuba.toml"), manifest.replacen(from, to, 1)).expect("it can be written");
    folder
}

/// All that a command that fails says, and nothing is written.
#[track_caller]
fn fails(folder: &TempDir, arguments: &[&str], expected: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_usubac"))
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .expect("usubac runs");
    let said = String::from_utf8(output.stderr).expect("text");
    assert_eq!((output.status.code(), said.as_str()), (Some(1), expected), "{arguments:?}");
    assert!(!folder.path().join("out").exists(), "something is written");
}

const LIBRARY: &[&str] = &["build", "pebble", "--library", "--target", "gp64", "-o", "out"];
const ONE_TARGET: &[&str] = &["build", "pebble", "--target", "gp64", "--slicing", "v", "-o", "out"];
const KNOWN_ANSWERS: &[&str] = &["test", "pebble", "--target", "gp64", "--cc", "gcc"];

#[test]
fn nodes_that_are_not_there() {
    let rest = "`pebble.ua` has no node `Encryptt`; it has Substitute, Mix, Schedule, Encrypt, SubstituteBack, MixBack, Decrypt\n";
    for (from, to, place) in [
        ("encrypt = \"Encrypt\"", "encrypt = \"Encryptt\"", "10:11"),
        ("node = \"Schedule\"", "node = \"Encryptt\"", "12:21"),
        ("decrypt = \"Decrypt\"", "decrypt = \"Encryptt\"", "11:11"),
    ] {
        let folder = pebble(from, to);
        for arguments in [LIBRARY, ONE_TARGET, KNOWN_ANSWERS] {
            fails(&folder, arguments, &format!("error: pebble/usuba.toml:{place}: {rest}"));
        }
    }
}

#[test]
fn sizes_that_do_not_fit() {
    let place = "error: pebble/usuba.toml:";
    for (from, to, rest) in [
        (
            "block = { bytes = 8",
            "block = { bytes = 10",
            "13:9: primitive `pebble`: `block` of the manifest does not fit `Encrypt`: 4 words of 16 bits fill 8 bytes, not 10",
        ),
        (
            "key = { bytes = 8",
            "key = { bytes = 16",
            "14:7: primitive `pebble`: `key` of the manifest does not fit `Schedule`: 4 words of 16 bits fill 8 bytes, not 16",
        ),
        (
            "round-keys = { bytes = 88",
            "round-keys = { bytes = 80",
            "15:14: primitive `pebble`: `round-keys` of the manifest does not fit `Encrypt`: 44 words of 16 bits fill 88 bytes, not 80",
        ),
    ] {
        let folder = pebble(from, to);
        for arguments in [LIBRARY, ONE_TARGET] {
            fails(&folder, arguments, &format!("{place}{rest}\n"));
        }
    }
}

#[test]
fn nodes_of_another_shape() {
    let folder = pebble("node = \"Schedule\"", "node = \"Encrypt\"");
    for arguments in [LIBRARY, ONE_TARGET] {
        fails(
            &folder,
            arguments,
            "error: pebble/usuba.toml:12:21: primitive `pebble`: `Encrypt` has 2 inputs and 1 outputs; a node in this role \
             has one input, the key, and one output, the round keys\n",
        );
    }
    let folder = pebble("encrypt = \"Encrypt\"", "encrypt = \"Mix\"");
    for arguments in [LIBRARY, ONE_TARGET] {
        fails(
            &folder,
            arguments,
            "error: pebble/usuba.toml:10:11: primitive `pebble`: `Mix` has 1 inputs and 1 outputs; a node in this role has two \
             inputs, the block and the `const` round keys, and one output, the block\n",
        );
    }
}

#[test]
fn files_that_are_not_there() {
    let folder = pebble("source = \"pebble.ua\"", "source = \"pebbles.ua\"");
    for arguments in [LIBRARY, ONE_TARGET, KNOWN_ANSWERS] {
        fails(
            &folder,
            arguments,
            "error: pebble/usuba.toml:4:10: cannot read `pebble/pebbles.ua`: no such file or directory\n",
        );
    }
    let folder = pebble("vectors = [\"pebble.json\"]", "vectors = [\"vectors/none.json\"]");
    fails(
        &folder,
        KNOWN_ANSWERS,
        "error: pebble/usuba.toml:17:12: cannot read `pebble/vectors/none.json`: no such file or directory\n",
    );
    let construction = "vectors = [\"pebble.json\"]\n\n[[construction]]\nname = \"pebble-mac\"\nkind = \"mac\"\n\
                        text = \"mac.ua\"\nnode = \"Mac\"\ntitle = \"A tag\"\nspecification = \"none\"\nrules = \"None.\"\nover = [\"pebble\"]\nkey-bytes = 8\ntag-bytes = 8\n";
    let folder = pebble("vectors = [\"pebble.json\"]\n", construction);
    fails(
        &folder,
        LIBRARY,
        "error: pebble/usuba.toml:22:8: cannot read `pebble/mac.ua`: no such file or directory\n",
    );
}
