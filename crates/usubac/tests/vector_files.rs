//! `usubac test` on files of vectors as people write them: what is enough, and what each mistake is told.

use expect_test::{Expect, expect};
use std::fs;
use std::process::Command;
use tempfile::TempDir;

const SOURCE: &str = "node Encrypt (plain:u16[4], keys:const u16[4]) returns (cipher:u16[4])\n\
                      let cipher = plain ^ keys tel\n";

const MANIFEST: &str = r#"
name = "pebble"
title = "Pebble"
specification = "a test"
source = "pebble.ua"

[[primitive]]
name = "pebble"
kind = "block-cipher"
slicings = ["v", "b"]
encrypt = "Encrypt"
block = { bytes = 8, order = "big" }
key = { bytes = 8, order = "big" }
modes = ["ecb"]
"#;

const VECTOR: &str =
    r#""key": "0123456789abcdef", "input": "0000000000000000", "output": "0123456789abcdef""#;

fn folder(vectors: Option<&str>) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().join("pebble");
    fs::create_dir(&place).expect("it can be made");
    let named = vectors.map_or("", |_| "vectors = [\"pebble.json\"]\n");
    let files = [
        ("pebble.ua", SOURCE.to_owned()),
        ("usuba.toml", format!("{MANIFEST}{named}")),
        ("pebble.json", vectors.unwrap_or_default().to_owned()),
    ];
    for (name, text) in files {
        fs::write(place.join(name), text).expect("it can be written");
    }
    folder
}

/// The exit status, the results and the errors.
fn test(folder: &TempDir, more: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_usubac"));
    command.args(["test", "pebble"]).args(more).current_dir(folder.path());
    let output = command.output().expect("usubac runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let status = output.status.code().unwrap_or(-1);
    format!("{status}\n{}{}", text(&output.stdout), text(&output.stderr))
}

#[track_caller]
fn check(vectors: &str, expected: &Expect) {
    expected.assert_eq(&test(&folder(Some(vectors)), &["--target", "none"]));
}

#[test]
fn key_input_and_output_are_enough() {
    let minimal = format!("{{ \"vectors\": [{{ {VECTOR} }}] }}");
    let passed = expect![[r#"
        0
        pebble       interpreter                              1 passed, 0 failed
        pebble       Usuba0, slicing v                        1 passed, 0 failed
        pebble       Usuba0, slicing b                        1 passed, 0 failed
        3 passed, 0 failed
    "#]];
    check(&minimal, &passed);
    check(&minimal.replace("0123456789abcdef", "0123456789ABCDEF"), &passed);
}

#[test]
fn what_is_said_besides_must_agree() {
    let with = |fields: &str| format!("{{ {fields}, \"vectors\": [{{ {VECTOR} }}] }}");
    check(
        &with(r#""primitive": "Boulder""#),
        &expect![[r#"
        1
        error: pebble/pebble.json is not for `pebble`: it has vectors of Boulder
    "#]],
    );
    check(
        &with(r#""kind": "aead""#),
        &expect![[r#"
        1
        error: pebble/pebble.json: vectors[0]: expected a field `nonce`, which vectors of the kind aead have, found none
    "#]],
    );
    check(
        &with(r#""kind": "permutation""#),
        &expect![[r#"
        1
        error: pebble/pebble.json is not for `pebble`: it has vectors of the kind permutation, not block-cipher
    "#]],
    );
    check(
        &with(r#""count": 2"#),
        &expect![[r#"
        1
        error: pebble/pebble.json: count: expected 1, as many as there are in `vectors`, found the number 2
    "#]],
    );
}

#[test]
fn all_mistakes_are_told_at_once() {
    let one = VECTOR.replacen("01234567", "0123456g", 1);
    let other = VECTOR.replace("0000000000000000", "000");
    check(
        &format!(
            r#"{{ "count": 5, "vectors": [{{ "id": "a", {one} }}, {{ "id": "a", {VECTOR} }}, {{ "id": "b", {other} }}] }}"#
        ),
        &expect![[r#"
            1
            error: pebble/pebble.json: count: expected 3, as many as there are in `vectors`, found the number 5
            error: pebble/pebble.json: vectors[0].key: expected hexadecimal digits, found the string "0123456g89abcdef"
            error: pebble/pebble.json: vectors[1].id: another one is called "a" too
            error: pebble/pebble.json: vectors[2].input: expected an even number of hexadecimal digits, found the string "000"
        "#]],
    );
}

#[test]
fn vectors_of_another_size_are_named() {
    let short = format!("{{ \"vectors\": [{{ {} }}] }}", VECTOR.replacen("01234567", "", 1));
    check(
        &short,
        &expect![[r#"
        1
        error: pebble/pebble.json: vectors[0] is not for `pebble`: its key, tweak or block has another size
    "#]],
    );
    let folder = folder(None);
    fs::write(folder.path().join("short.json"), short).expect("it can be written");
    expect![[r#"
        1
        error: there is no test: no vector is for what `pebble` has
          short.json: vectors[0] is not for `pebble`: its key, tweak or block has another size
    "#]]
    .assert_eq(&test(&folder, &["--target", "none", "--vectors", "short.json"]));
}

#[test]
fn a_manifest_without_vectors_is_told() {
    expect![[r#"
        1
        error: there is no test: no vector is for what `pebble` has
          `pebble` has none: write `vectors = ["pebble.json"]` into the manifest, or name a file with `--vectors`
    "#]].assert_eq(&test(&folder(None), &["--target", "none"]));
}

/// Without functions for blocks, compiled code is asked by counter mode.
#[test]
fn counter_mode_alone_is_tested() {
    let folder = folder(Some(&format!("{{ \"vectors\": [{{ {VECTOR} }}] }}")));
    let manifest = folder.path().join("pebble/usuba.toml");
    let text = fs::read_to_string(&manifest).expect("it is there");
    fs::write(&manifest, text.replace("ecb", "ctr")).expect("it can be written");
    expect![[r#"
        0
        pebble       interpreter                              1 passed, 0 failed
        pebble       Usuba0, slicing v                        1 passed, 0 failed
        pebble       gp64 gcc -O2, slicing v                  2 passed, 0 failed
        4 passed, 0 failed
    "#]]
    .assert_eq(&test(&folder, &["--slicing", "v", "--target", "gp64", "--cc", "gcc"]));
}

#[test]
fn the_fastest_slicing_is_one() {
    let minimal = format!("{{ \"vectors\": [{{ {VECTOR} }}] }}");
    let folder = folder(Some(&minimal));
    expect![[r#"
        0
        pebble       interpreter                              1 passed, 0 failed
        pebble       Usuba0, slicing b                        1 passed, 0 failed
        pebble       gp64 gcc -O2, slicing b                  2 passed, 0 failed
        4 passed, 0 failed
    "#]]
    .assert_eq(&test(&folder, &["--slicing", "auto", "--target", "gp64", "--cc", "gcc"]));
    expect![[r#"
        1
        error: with `--target none` there is no target on which `--slicing auto` is fastest: name slicings
    "#]]
    .assert_eq(&test(&folder, &["--slicing", "auto", "--target", "none"]));
}
