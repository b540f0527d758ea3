use super::*;
use expect_test::{Expect, expect};

const SAMPLE: &str = r#"# Made by `usubac tune`, read by `usubac build`, `bench` and `test`; docs/bench.md says what it means.
version = 1

[[choice]]
primitive = "aes-128"
target = "avx512"
choose = { slicing = "h", backend = "asm", compiler = "clang", loops = "unroll" }
source = "af63dc4c8601ec8c"
usubac = "0.1.0"
tools = "clang version 19.1.7"
machine = "Some \"CPU\" @ 2.10GHz"
measured = "ctr cycles"
cost = 1.2830
default-cost = 1.4020

[[choice]]
primitive = "aes-128"
target = "gp64"
choose = { slicing = "b", backend = "c", compiler = "gcc" }
source = "af63dc4c8601ec8c"
usubac = "0.1.0"
tools = "gcc 12"
machine = "the same"
measured = "kernel instructions"
cost = 9.0000
default-cost = 10.5000
"#;

#[test]
fn what_is_printed_is_read() {
    let tuned = parse("tuned.toml", SAMPLE).unwrap();
    assert_eq!(print(&tuned), SAMPLE);
    let choice = tuned.find("aes-128", "avx512").unwrap();
    assert_eq!(choice.variant.to_string(), "slicing=h backend=asm compiler=clang loops=unroll");
    assert_eq!(tuned.find("aes-128", "avx2"), None);
    assert_eq!(parse("tuned.toml", "version = 1\n").unwrap(), Tuned::default());
}

#[test]
fn choices_are_replaced_and_removed() {
    let mut tuned = parse("tuned.toml", SAMPLE).unwrap();
    let mut other = tuned.choices[1].clone();
    other.cost = 8.0;
    tuned.put(other.clone());
    assert_eq!(tuned.choices.len(), 2);
    assert_eq!(tuned.find("aes-128", "gp64"), Some(&other));
    tuned.remove("aes-128", "avx512");
    assert_eq!(tuned.choices, [other]);
}

#[test]
fn a_fingerprint_knows_texts_and_their_borders() {
    let of = |texts: &[&str]| {
        let mut sources = Sources::default();
        for text in texts {
            sources.add("some name", *text);
        }
        fingerprint(&sources)
    };
    assert_eq!(of(&["ab", "c"]), of(&["ab", "c"]));
    assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
    assert_ne!(of(&["ab"]), of(&["aB"]));
}

/// Replaces `from` by `to` in the sample and compares the error.
fn check(from: &str, to: &str, expected: Expect) {
    assert!(SAMPLE.contains(from), "{from}");
    expected.assert_eq(&parse("tuned.toml", &SAMPLE.replacen(from, to, 1)).unwrap_err().to_string());
}

#[test]
fn errors_point_into_the_file() {
    check(
        "version = 1",
        "version = 2",
        expect![
            "tuned.toml:2:11: this is version 2 of the file, and version 1 is known: run `usubac tune` again"
        ],
    );
    check("version = 1\n", "", expect!["tuned.toml:1:1: missing field `version`"]);
    check(
        "measured",
        "meassured",
        expect![
            "tuned.toml:12:1: unknown field `meassured`, expected one of `primitive`, `target`, `choose`, `source`, `usubac`, `tools`, `machine`, `measured`, `cost`, `default-cost`"
        ],
    );
    check(
        "backend = \"asm\"",
        "speed = \"high\"",
        expect![
            "tuned.toml:7:27: there is nothing to choose that is called `speed`; there are slicing, backend, compiler, interleave, granularity, loops, split, inline, circuits, order"
        ],
    );
    check(
        "loops = \"unroll\"",
        "loops = \"often\"",
        expect!["tuned.toml:7:72: `loops` cannot be `often`; it can be sized, keep, unroll"],
    );
    check(
        "slicing = \"h\", ",
        "",
        expect!["tuned.toml:7:10: the slicing is not chosen: write slicing=b, slicing=v or slicing=h"],
    );
    check(
        "\"avx512\"",
        "\"avx1024\"",
        expect![
            "tuned.toml:6:10: there is no target `avx1024`; there are gp64, gp64-bmi, sse2, ssse3, sse4.2, avx, avx-aes, avx2, avx2-vaes, avx2-gfni, avx512-128, avx512-256, avx512, avx512-gfni, avx512-vaes, neon, neon-aes, altivec"
        ],
    );
    check(
        "\"avx512\"",
        "\"gp64\"",
        expect!["tuned.toml:17:13: the choice for `aes-128` on `gp64` occurs twice; remove one"],
    );
    check(
        "cost = 1.2830",
        "cost = -1.0",
        expect!["tuned.toml:13:8: `cost` is no time: write a number above zero"],
    );
    check(
        "choose = {",
        "choose = ",
        expect!["tuned.toml:7:19: unexpected key or value, expected newline, `#`"],
    );
}
