use super::*;
use expect_test::{Expect, expect};

const AES: &str = r#"name = "aes"
title = "AES"
specification = "FIPS 197 (2001, updated 2023)"
source = "aes.ua"

[[primitive]]
name = "aes-128"
kind = "block-cipher"
slicings = ["b", "h"]
encrypt = "Encrypt128"
decrypt = "Decrypt128"
schedule = { node = "KeySchedule128", slicing = "b" }
block = { bytes = 16, order = "planes" }
key = { bytes = 16, order = "big" }
round-keys = { bytes = 176, schedule-order = "big", cipher-order = "planes" }
vectors = ["vectors/aes-128.json"]
modes = ["ecb", "ctr"]
"#;

#[test]
fn a_block_cipher() {
    let manifest = parse("aes.toml", AES).unwrap();
    assert_eq!(manifest.name, "aes");
    assert_eq!(manifest.source, "aes.ua");
    let [primitive] = &manifest.primitives[..] else { panic!("one primitive") };
    assert_eq!(primitive.identifier(), "aes_128");
    assert_eq!(primitive.slicings, [Slicing::B, Slicing::H]);
    let Function::BlockCipher(cipher) = &primitive.function else { panic!("a block cipher") };
    assert_eq!(cipher.schedule, Schedule { node: "KeySchedule128".into(), slicing: Slicing::B });
    assert_eq!(cipher.block, Bytes { bytes: 16, order: Order::Planes });
    assert_eq!(
        cipher.round_keys,
        RoundKeys { bytes: 176, schedule_order: Order::Big, cipher_order: Order::Planes }
    );
    assert_eq!(cipher.modes, [Mode::Ecb, Mode::Ctr]);
}

#[test]
fn streams_and_permutations() {
    let text = r#"
name = "mix"
title = "Mix"
specification = "none"
source = "mix.ua"
[[primitive]]
name = "chacha20"
kind = "stream"
slicings = ["v"]
block-function = "Block"
key = { bytes = 32, order = "little" }
counter = { bytes = 4, order = "little" }
nonce = { bytes = 12, order = "little" }
keystream = { bytes = 64, order = "little" }
[[primitive]]
name = "ascon-p12"
kind = "permutation"
slicings = ["v", "b"]
permute = "P12"
state = { bytes = 40, order = "big" }
"#;
    let manifest = parse("mix.toml", text).unwrap();
    assert!(matches!(&manifest.primitives[0].function, Function::Stream(s) if s.keystream.bytes == 64));
    assert!(matches!(&manifest.primitives[1].function, Function::Permutation(p) if p.permute == "P12"));
}

/// Replaces `from` by `to` in the manifest of AES and compares the error.
fn check(from: &str, to: &str, expected: Expect) {
    assert!(AES.contains(from), "{from}");
    let error = parse("aes.toml", &AES.replacen(from, to, 1)).unwrap_err();
    expected.assert_eq(&error.to_string());
}

#[test]
fn errors_point_into_the_file() {
    check("\"h\"]", "\"h\"", expect!["aes.toml:10:1: missing comma between array elements, expected `,`"]);
    check(
        "title",
        "titel",
        expect![
            "aes.toml:2:1: unknown field `titel`, expected one of `name`, `title`, `specification`, `source`, `primitive`"
        ],
    );
    check(
        "\"b\", \"h\"",
        "\"b\", \"x\"",
        expect!["aes.toml:9:18: unknown variant `x`, expected one of `b`, `v`, `v2`, `v4`, `v8`, `v16`, `h`"],
    );
    check("\"b\", \"h\"", "\"b\", \"b\"", expect!["aes.toml:9:12: the slicing `b` occurs twice; remove one"]);
    check(
        "\"b\", \"h\"",
        "",
        expect!["aes.toml:9:12: `slicings` is empty: name at least one of `b`, `v`, `v4` and `h`"],
    );
    check(
        "encrypt = \"Encrypt128\"\n",
        "",
        expect![
            "aes.toml:7:8: a primitive of kind `block-cipher` needs the field `encrypt`: the node that encrypts"
        ],
    );
    check(
        "decrypt = ",
        "permute = ",
        expect![
            "aes.toml:11:11: a primitive of kind `block-cipher` has no field `permute`; its fields are name, kind, slicings, vectors, encrypt, decrypt, schedule, block, key, round-keys, modes"
        ],
    );
    check(
        "slicing = \"b\"",
        "slicing = \"h\"",
        expect![
            "aes.toml:12:49: a key schedule runs on one general-purpose register per value, where `h` does not exist: write `b` or `v`"
        ],
    );
    check(
        "bytes = 16, order = \"planes\"",
        "bytes = 0, order = \"planes\"",
        expect!["aes.toml:13:9: `block` has 0 bytes: a size is 1 to 65536 bytes"],
    );
    check(
        "bytes = 16, order = \"planes\"",
        "bytes = 16, order = \"plains\"",
        expect!["aes.toml:13:31: unknown variant `plains`, expected one of `big`, `little`, `planes`"],
    );
    check(
        "bytes = 16, order = \"planes\"",
        "bytes = 16, ordre = \"planes\"",
        expect!["aes.toml:13:23: unknown field `ordre`, expected `bytes` or `order`"],
    );
    check(
        "bytes = 16, order = \"planes\"",
        "bytes = -16, order = \"planes\"",
        expect!["aes.toml:13:19: invalid value: integer `-16`, expected u32"],
    );
    check(
        "bytes = 176",
        "bytes = 99999999",
        expect!["aes.toml:15:14: `round-keys` has 99999999 bytes: a size is 1 to 65536 bytes"],
    );
    check(
        "\"aes-128\"",
        "\"aes_128\"",
        expect![
            "aes.toml:7:8: `aes_128` is no name for a primitive: a name has lower-case letters, digits and single hyphens, and starts with a letter, so that it can become part of a C identifier"
        ],
    );
    check(
        "\"vectors/aes-128.json\"",
        "\"../aes-128.json\"",
        expect![
            "aes.toml:16:12: `../aes-128.json` is no path inside the folder of the cipher: write a relative path without `..`"
        ],
    );
    check(
        "\"ecb\", \"ctr\"",
        "\"ecb\", \"ecb\"",
        expect!["aes.toml:7:8: the mode `ecb` occurs twice; remove one"],
    );
}

#[test]
fn names_are_unique() {
    let second = AES.split_once("[[primitive]]").unwrap().1;
    let error = parse("aes.toml", &format!("{AES}\n[[primitive]]{second}")).unwrap_err();
    expect!["aes.toml:20:8: the primitive `aes-128` occurs twice; remove one"].assert_eq(&error.to_string());
}
