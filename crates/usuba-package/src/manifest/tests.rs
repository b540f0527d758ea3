use super::*;
use expect_test::{Expect, expect};
use usuba_target::by_name;

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
    assert_eq!(
        cipher.schedule,
        Some(Schedule { node: "KeySchedule128".into(), slicing: Slicing::B, packed: None })
    );
    assert_eq!(cipher.block, Bytes { bytes: 16, order: Order::Planes });
    assert_eq!(
        cipher.round_keys,
        RoundKeys { bytes: 176, schedule_order: Order::Big, cipher_order: Order::Planes }
    );
    assert_eq!(cipher.modes, [Mode::Ecb, Mode::Ctr]);
}

#[test]
fn streams_generators_and_permutations() {
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
[[primitive]]
name = "trivium"
kind = "generator"
slicings = ["v"]
initialise = { node = "Initialise", slicing = "v" }
generate = "Generate"
key = { bytes = 10, order = "little" }
nonce = { bytes = 10, order = "little" }
state = { bytes = 48, order = "little" }
keystream = { bytes = 8, order = "little" }
"#;
    let manifest = parse("mix.toml", text).unwrap();
    assert!(matches!(&manifest.primitives[0].function, Function::Stream(s) if s.keystream.bytes == 64));
    assert!(matches!(&manifest.primitives[1].function, Function::Permutation(p) if p.permute == "P12"));
    let Function::Generator(generator) = &manifest.primitives[2].function else { panic!("a generator") };
    assert_eq!((generator.initialise.slicing, generator.state.bytes), (Slicing::V, 48));
    let refused =
        |from: &str, to: &str| parse("mix.toml", &text.replacen(from, to, 1)).unwrap_err().to_string();
    expect![
        "mix.toml:22:8: a primitive of kind `generator` needs the field `generate`: the node from the state to the next state and keystream"
    ]
    .assert_eq(&refused("generate = \"Generate\"\n", ""));
    expect![
        "mix.toml:25:47: a node that makes the state of a generator has one general-purpose register per value, where `h` does not exist: write `b` or `v`"
    ]
    .assert_eq(&refused("\"Initialise\", slicing = \"v\"", "\"Initialise\", slicing = \"h\""));
    expect!["mix.toml:25:61: `packed` is for key schedules of block ciphers: leave it out of `initialise`"]
        .assert_eq(&refused(
            "\"Initialise\", slicing = \"v\"",
            "\"Initialise\", slicing = \"v\", packed = \"Packed\"",
        ));
}

#[test]
fn a_schedule_on_blocks() {
    let packed = AES.replacen("slicing = \"b\" }", "slicing = \"b\", packed = \"Packed128\" }", 1);
    let manifest = parse("aes.toml", &packed).unwrap();
    let Function::BlockCipher(cipher) = &manifest.primitives[0].function else { panic!("a block cipher") };
    assert_eq!(cipher.schedule.as_ref().unwrap().packed.as_deref(), Some("Packed128"));
    assert!(manifest.primitives[0].nodes().contains(&"Packed128"));
}

#[test]
fn decryption_keys() {
    let with = "decrypt = \"Decrypt128\"\ndecryption-keys = \"Keys128\"\n";
    let text = AES.replacen("decrypt = \"Decrypt128\"\n", with, 1);
    let manifest = parse("aes.toml", &text).unwrap();
    let primitive = &manifest.primitives[0];
    assert!(primitive.nodes().contains(&"Keys128"));
    let Function::BlockCipher(cipher) = &primitive.function else { panic!("a block cipher") };
    assert_eq!((cipher.decrypt.as_deref(), cipher.decrypt_of_engines()), (Some("Decrypt128"), None));
    let wrong =
        |from: &str, to: &str| parse("aes.toml", &text.replacen(from, to, 1)).unwrap_err().to_string();
    let lines = text.lines().filter(|line| !line.starts_with("schedule") && !line.starts_with("round-keys"));
    let whole: String = lines.map(|line| format!("{line}\n")).collect();
    let words = "\"v\"]\nwords = { encrypt = \"EncryptWord\", decrypt = \"DecryptWord\" }\nencrypt =";
    expect![[r#"
        aes.toml:11:19: `decryption-keys` says how round keys become those that decrypt, and the cipher has no `decrypt`: name one, or leave it out
        aes.toml:12:19: `decryption-keys` makes round keys of round keys, in the slicing of the schedule, and the cipher has no `schedule`: name one, or leave it out
        aes.toml:10:9: `words` has a `decrypt`, and with `decryption-keys` engines encrypt only: leave one of them out"#]]
    .assert_eq(
        &[
            wrong("decrypt = \"Decrypt128\"\n", ""),
            parse("aes.toml", &whole).unwrap_err().to_string(),
            wrong("\"h\"]\nencrypt =", words),
        ]
        .join("\n"),
    );
}

#[test]
fn nodes_on_words() {
    let with = "\"v\"]\nwords = { encrypt = \"EncryptWord\", decrypt = \"DecryptWord\" }\nencrypt =";
    let text = AES.replacen("\"h\"]\nencrypt =", with, 1).replace("\"ecb\", \"ctr\"", "\"ecb\"");
    let manifest = parse("aes.toml", &text).unwrap();
    let primitive = &manifest.primitives[0];
    assert!(primitive.nodes().contains(&"DecryptWord"));
    assert_eq!(*primitive.in_slicing(Slicing::B, None), *primitive);
    let Function::BlockCipher(cipher) = &primitive.in_slicing(Slicing::V, None).function else {
        panic!("a block cipher")
    };
    assert_eq!((cipher.encrypt.as_str(), cipher.decrypt.as_deref()), ("EncryptWord", Some("DecryptWord")));
    assert_eq!((cipher.block.order, cipher.round_keys.cipher_order), (Order::Big, Order::Big));
    let wrong =
        |from: &str, to: &str| parse("aes.toml", &text.replacen(from, to, 1)).unwrap_err().to_string();
    expect![[r#"
        aes.toml:10:9: `words` is what `v` is made of: name `v` among `slicings`, or leave `words` out
        aes.toml:10:9: `words` has no `decrypt`, and the cipher has: name the node on words that decrypts
        aes.toml:10:9: `words` has a `decrypt`, and the cipher has none: leave one out or name both
        aes.toml:10:9: a cipher with a `tweak` has no nodes on words: leave `words` out"#]]
    .assert_eq(
        &[
            wrong("\"v\"]", "\"h\"]"),
            wrong(", decrypt = \"DecryptWord\"", ""),
            wrong("decrypt = \"Decrypt128\"\n", ""),
            wrong("round-keys = ", "tweak = { bytes = 16, order = \"big\" }\nround-keys = "),
        ]
        .join("\n"),
    );
}

/// Beside nodes on blocks, those on words are for general-purpose registers: on vectors bytes are mapped by instructions.
#[test]
fn nodes_on_words_beside_blocks() {
    let with = "\"v\", \"v16\"]\npacked = { encrypt = \"BlockEncrypt\", decrypt = \"BlockDecrypt\" }\n\
                words = { encrypt = \"EncryptWord\", decrypt = \"DecryptWord\" }\nencrypt =";
    let text = AES.replacen("\"h\"]\nencrypt =", with, 1).replace("\"ecb\", \"ctr\"", "\"ecb\"");
    let manifest = parse("aes.toml", &text).unwrap();
    let primitive = &manifest.primitives[0];
    let main =
        |slicing: Slicing, target| primitive.in_slicing(slicing, by_name(target)).main_node().to_owned();
    assert_eq!(main(Slicing::V, "gp64"), "EncryptWord");
    assert_eq!(main(Slicing::V, "avx2-gfni"), "Encrypt128");
    assert_eq!(main(Slicing::BLOCKS, "avx2-gfni"), "BlockEncrypt");
    assert_eq!(primitive.in_slicing(Slicing::V, None).main_node(), "Encrypt128");
}

#[test]
fn nodes_on_blocks() {
    let with = "\"v16\"]\npacked = { encrypt = \"BlockEncrypt\", decrypt = \"BlockDecrypt\" }\nencrypt =";
    let text = AES.replacen("\"h\"]\nencrypt =", with, 1).replace("\"ecb\", \"ctr\"", "\"ecb\"");
    let manifest = parse("aes.toml", &text).unwrap();
    let primitive = &manifest.primitives[0];
    assert!(primitive.nodes().contains(&"BlockDecrypt"));
    assert_eq!(*primitive.in_slicing(Slicing::B, None), *primitive);
    let Function::BlockCipher(cipher) = &primitive.in_slicing(Slicing::BLOCKS, None).function else {
        panic!("a block cipher")
    };
    assert_eq!(cipher.encrypt, "BlockEncrypt");
    assert_eq!(cipher.decrypt.as_deref(), Some("BlockDecrypt"));
    // Bytes stand as they are.
    assert_eq!((cipher.block.order, cipher.round_keys.cipher_order), (Order::Big, Order::Big));
    assert_eq!(cipher.round_keys.schedule_order, Order::Big);
    let wrong =
        |from: &str, to: &str| parse("aes.toml", &text.replacen(from, to, 1)).unwrap_err().to_string();
    expect![[r#"
        aes.toml:10:10: `packed` is what `v16` is made of: name `v16` among `slicings`, or leave `packed` out
        aes.toml:10:10: `packed` has no `decrypt`, and the cipher has: name the node on blocks that decrypts
        aes.toml:10:10: `packed` has a `decrypt`, and the cipher has none: leave one out or name both
        aes.toml:10:10: `packed` is on blocks of 16 bytes, and the cipher has others: leave it out
        aes.toml:10:10: a cipher with a `tweak` has no nodes on blocks: leave `packed` out
    "#]]
    .assert_eq(&format!(
        "{}\n{}\n{}\n{}\n{}\n",
        wrong("\"v16\"]", "\"h\"]"),
        wrong(", decrypt = \"BlockDecrypt\"", ""),
        wrong("decrypt = \"Decrypt128\"\n", ""),
        wrong("block = { bytes = 16", "block = { bytes = 8"),
        wrong("round-keys = ", "tweak = { bytes = 16, order = \"big\" }\nround-keys = "),
    ));
}

/// Replaces `from` by `to` in the manifest of AES and compares the error.
fn check(from: &str, to: &str, expected: Expect) {
    assert!(AES.contains(from), "{from}");
    let error = parse("aes.toml", &AES.replacen(from, to, 1)).unwrap_err();
    expected.assert_eq(&error.to_string());
}

#[test]
fn errors_point_into_the_file() {
    check(
        "round-keys = { bytes = 176, schedule-order = \"big\", cipher-order = \"planes\" }\n",
        "",
        expect![
            "aes.toml:7:8: `round-keys` is missing: `schedule` and `round-keys` belong together; leave out both if the nodes take the key itself"
        ],
    );
    check(
        "schedule = { node = \"KeySchedule128\", slicing = \"b\" }\n",
        "",
        expect![
            "aes.toml:7:8: `schedule` is missing: `schedule` and `round-keys` belong together; leave out both if the nodes take the key itself"
        ],
    );
    check("\"h\"]", "\"h\"", expect!["aes.toml:10:1: missing comma between array elements, expected `,`"]);
    check(
        "title",
        "titel",
        expect![
            "aes.toml:2:1: unknown field `titel`, expected one of `name`, `title`, `specification`, `source`, `primitive`, `construction`"
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
        "encrypt = \"Encrypt128\"",
        "library = [\"v\"]\nencrypt = \"Encrypt128\"",
        expect!["aes.toml:10:11: `library` names the slicing `v`, which is not among `slicings`"],
    );
    check(
        "encrypt = \"Encrypt128\"",
        "library = []\nencrypt = \"Encrypt128\"",
        expect![
            "aes.toml:10:11: `library` is empty: name at least one of `slicings`, or leave the field out"
        ],
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
            "aes.toml:11:11: a primitive of kind `block-cipher` has no field `permute`; its fields are name, kind, slicings, vectors, encrypt, decrypt, decryption-keys, schedule, block, key, tweak, round-keys, packed, words, modes"
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
        expect![
            "aes.toml:13:31: unknown variant `plains`, expected one of `big`, `little`, `planes`, `nibbles`"
        ],
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
        "round-keys = ",
        "tweak = { bytes = 8, order = \"big\" }\nround-keys = ",
        expect![
            "aes.toml:15:9: a tweak of 8 bytes for a block of 16: either both have 8 bytes or neither has"
        ],
    );
    check(
        "round-keys = ",
        "tweak = { bytes = 16, order = \"big\" }\nround-keys = ",
        expect!["aes.toml:7:8: a cipher with a `tweak` has no mode `ctr`: leave it out of `modes`"],
    );
    check(
        "\"ecb\", \"ctr\"",
        "\"ecb\", \"ecb\"",
        expect!["aes.toml:7:8: the mode `ecb` occurs twice; remove one"],
    );
}

/// What lies in planes already has no planes.
#[test]
fn planes_are_made_of_bytes() {
    let of = |text: &str| parse("aes.toml", text).unwrap().primitives[0].in_planes();
    assert_eq!(of(AES), None);
    let bytes = AES
        .replace("bytes = 16, order = \"planes\"", "bytes = 16, order = \"big\"")
        .replace("cipher-order = \"planes\"", "cipher-order = \"little\"");
    let Some(Function::BlockCipher(planes)) = of(&bytes).map(|primitive| primitive.function) else {
        panic!("a block cipher")
    };
    assert_eq!(planes.round_keys.cipher_order, Order::Planes);
    assert_eq!((planes.block.order, planes.key.order), (Order::Planes, Order::Big));
    assert_eq!(planes.round_keys.schedule_order, Order::Big);
}

#[test]
fn names_of_headers_of_libraries_are_taken() {
    for name in ["counter", "count-size", "library", "cpu", "primitives"] {
        let error = parse("aes.toml", &AES.replacen("\"aes\"", &format!("\"{name}\""), 1)).unwrap_err();
        let rest = "is no name for a cipher: libraries have a header of their own by it; choose another";
        assert!(error.to_string().ends_with(&format!("`{name}` {rest}")), "{error}");
    }
    assert!(parse("aes.toml", &AES.replacen("\"aes\"", "\"counters\"", 1)).is_ok());
}

#[test]
fn names_are_unique() {
    let second = AES.split_once("[[primitive]]").unwrap().1;
    let error = parse("aes.toml", &format!("{AES}\n[[primitive]]{second}")).unwrap_err();
    expect!["aes.toml:20:8: the primitive `aes-128` occurs twice; remove one"].assert_eq(&error.to_string());
}

/// The manifest of AES with authenticated encryption and a hash over it.
fn with_constructions() -> String {
    format!(
        r#"{AES}
[[construction]]
name = "aes-mac"
kind = "mac"
text = "mac.ua"
node = "Mac"
title = "AES-MAC"
specification = "FIPS 1"
rules = "A key is secret."
over = ["aes-128"]
key-bytes = 16
tag-bytes = 8

[[construction]]
name = "aes-aead"
kind = "aead"
text = "aead.ua"
seal = "Seal"
open = "Open"
fast = "constructions/aes_aead.c"
includes = ["constructions/aes_words.h"]
title = "AES-AEAD"
specification = "FIPS 2"
rules = "A nonce must not be used twice."
over = ["aes-128", "aes-mac"]
key-bytes = 16
nonce-bytes = 12
tag-bytes = 16
vectors = ["vectors/aes-aead.json"]

[[construction]]
name = "aes-xof"
kind = "xof"
text = "xof.ua"
node = "Xof"
title = "AES-XOF"
specification = "FIPS 3"
rules = "None."
over = []
customization-bytes = 256
"#
    )
}

#[test]
fn constructions() {
    let manifest = parse("aes.toml", &with_constructions()).unwrap();
    let [mac, aead, xof] = &manifest.constructions[..] else { panic!("three constructions") };
    assert_eq!(mac.scheme, Scheme::Mac { key_bytes: 16, tag_bytes: 8 });
    assert_eq!(aead.identifier(), "aes_aead");
    assert_eq!(aead.scheme, Scheme::Aead { key_bytes: 16, nonce_bytes: 12, tag_bytes: 16 });
    assert_eq!(
        (mac.text.file.as_str(), &mac.text.nodes[..], &mac.text.fast),
        ("mac.ua", &["Mac".into()][..], &None)
    );
    assert_eq!(aead.text.nodes, ["Seal", "Open"]);
    let fast = aead.text.fast.as_ref().unwrap();
    assert_eq!(fast.source, "constructions/aes_aead.c");
    assert_eq!(fast.includes, ["constructions/aes_words.h"]);
    assert_eq!(aead.over, ["aes-128", "aes-mac"]);
    assert_eq!(aead.vectors, ["vectors/aes-aead.json"]);
    assert_eq!(xof.scheme, Scheme::Xof { customization_bytes: Some(256) });
    assert!(parse("aes.toml", AES).unwrap().constructions.is_empty());
}

#[test]
fn errors_of_constructions_point_into_the_file() {
    let check = |from: &str, to: &str, expected: Expect| {
        let text = with_constructions();
        assert!(text.contains(from), "{from}");
        expected.assert_eq(&parse("aes.toml", &text.replacen(from, to, 1)).unwrap_err().to_string());
    };
    check(
        "key-bytes = 16\ntag-bytes = 8",
        "key-bits = 128",
        expect![
            "aes.toml:28:1: unknown field `key-bits`, expected one of `name`, `kind`, `text`, `seal`, `open`, `node`, `title`, `specification`, `rules`, `fast`, `functions`, `includes`, `over`, `vectors`, `key-bytes`, `nonce-bytes`, `tag-bytes`, `digest-bytes`, `customization-bytes`"
        ],
    );
    check(
        "kind = \"mac\"",
        "kind = \"signature\"",
        expect!["aes.toml:21:8: unknown variant `signature`, expected one of `aead`, `hash`, `xof`, `mac`"],
    );
    check(
        "tag-bytes = 8\n",
        "",
        expect!["aes.toml:20:8: a construction of kind `mac` needs the field `tag-bytes`: the size of a tag"],
    );
    check(
        "tag-bytes = 8\n",
        "tag-bytes = 8\ndigest-bytes = 32\n",
        expect![
            "aes.toml:30:16: a construction of kind `mac` has no field `digest-bytes`; its fields are name, kind, text, title, specification, rules, over, fast, functions, includes, vectors, node, key-bytes, tag-bytes"
        ],
    );
    check(
        "tag-bytes = 8\n",
        "tag-bytes = 0\n",
        expect!["aes.toml:29:13: `tag-bytes` has 0 bytes: a size is 1 to 65536 bytes"],
    );
    check("over = [\"aes-128\"]\n", "", expect!["aes.toml:19:1: missing field `over`"]);
    check(
        "over = [\"aes-128\"]",
        "over = [\"aes-aead\"]",
        expect![
            "aes.toml:27:9: there is no primitive or earlier construction `aes-aead` in this manifest; there are aes-128"
        ],
    );
    check(
        "over = [\"aes-128\"]",
        "over = [\"aes-128\", \"aes-128\"]",
        expect!["aes.toml:27:20: the name `aes-128` occurs twice; remove one"],
    );
    check(
        "name = \"aes-aead\"",
        "name = \"aes-128\"",
        expect!["aes.toml:32:8: the primitive or construction `aes-128` occurs twice; remove one"],
    );
    check(
        "name = \"aes-aead\"",
        "name = \"AES-AEAD\"",
        expect![
            "aes.toml:32:8: `AES-AEAD` is no name for a construction: a name has lower-case letters, digits and single hyphens, and starts with a letter, so that it can become part of a C identifier"
        ],
    );
    check(
        "text = \"mac.ua\"",
        "source = \"mac.c\"",
        expect![
            "aes.toml:22:1: unknown field `source`, expected one of `name`, `kind`, `text`, `seal`, `open`, `node`, `title`, `specification`, `rules`, `fast`, `functions`, `includes`, `over`, `vectors`, `key-bytes`, `nonce-bytes`, `tag-bytes`, `digest-bytes`, `customization-bytes`"
        ],
    );
    check("text = \"mac.ua\"\n", "", expect!["aes.toml:19:1: missing field `text`"]);
    check(
        "node = \"Mac\"",
        "seal = \"Mac\"",
        expect![
            "aes.toml:23:8: a construction of kind `mac` has no field `seal`; its fields are name, kind, text, title, specification, rules, over, fast, functions, includes, vectors, node, key-bytes, tag-bytes"
        ],
    );
    check(
        "node = \"Mac\"\n",
        "",
        expect!["aes.toml:20:8: a construction of kind `mac` needs the field `node`: the node of a message"],
    );
    check(
        "fast = \"constructions/aes_aead.c\"\n",
        "",
        expect![
            "aes.toml:37:13: `includes` and `functions` are for C in place of what a text becomes: name it as `fast`, or take them out"
        ],
    );
    check(
        "constructions/aes_words.h",
        "/usr/include/words.h",
        expect![
            "aes.toml:38:13: `/usr/include/words.h` is no path inside the folder of the cipher: write a relative path without `..`"
        ],
    );
}
