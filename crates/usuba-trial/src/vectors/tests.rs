use super::*;
use expect_test::{Expect, expect};

const SMALL: &str = r#"{
 "primitive": "Toy", "kind": "block-cipher", "source": ["here"], "conventions": "bytes", "checked_by": ["a", "b"],
 "count": 1,
 "vectors": [{"id": "v0", "key": "00ff", "input": "0102", "output": "a0b0", "origin": "computed"}],
 "bulk": [{"id": "bulk-0", "key": "0001", "blocks": 2, "input": "01020304", "output": "05060708"}],
 "traces": [{"id": "t0", "key": "0001", "round_keys": ["0102", "0304"]},
            {"id": "t1", "key": "0001", "round_keys_words": [["00ff", "0001"], ["abcd", "1234"]]},
            {"input": "00", "after_round": ["01"]}],
 "chains": [{"id": "c0", "key": "0001", "start": "0000", "iterations": 1000, "final": "ffff"}]
}"#;

#[test]
fn every_part_is_read() {
    let file = parse("toy.json", SMALL).unwrap();
    assert_eq!(file.kind, Kind::BlockCipher);
    assert_eq!(file.vectors[0].key, [0, 255]);
    assert_eq!(file.vectors[0].output, [0xa0, 0xb0]);
    assert_eq!(file.bulk[0].blocks, 2);
    assert_eq!(file.traces[0].round_keys, Some(RoundKeys::Bytes(vec![1, 2, 3, 4])));
    assert_eq!(
        file.traces[1].round_keys,
        Some(RoundKeys::Words { width: 16, words: vec![0xff, 1, 0xabcd, 0x1234] })
    );
    assert_eq!(file.traces[2].round_keys, None);
    assert_eq!(file.traces[2].id, "traces[2]");
    assert_eq!(file.chains[0].iterations, 1000);
    assert_eq!(file.chains[0].last, [255, 255]);
}

/// Replaces `from` by `to` in the small file and compares the error.
fn check(from: &str, to: &str, expected: Expect) {
    assert!(SMALL.contains(from), "{from}");
    let errors = parse("toy.json", &SMALL.replacen(from, to, 1)).unwrap_err();
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    expected.assert_eq(&errors.join("\n"));
}

#[test]
fn errors_name_the_place() {
    check("{\n", "[\n", expect!["toy.json: line 2, column 13: expected `,` or `]` at line 2 column 13"]);
    check(
        "block-cipher",
        "blockcipher",
        expect![[
            r#"toy.json: kind: expected block-cipher, permutation, stream, aead, hash or mac, found the string "blockcipher""#
        ]],
    );
    check(
        "\"key\": \"00ff\", ",
        "",
        expect![
            "toy.json: vectors[0]: expected a field `key`, which vectors of the kind block-cipher have, found none"
        ],
    );
    check(
        "00ff",
        "00fg",
        expect![[r#"toy.json: vectors[0].key: expected hexadecimal digits, found the string "00fg""#]],
    );
    check(
        "00ff",
        "00f",
        expect![[
            r#"toy.json: vectors[0].key: expected an even number of hexadecimal digits, found the string "00f""#
        ]],
    );
    check("\"0102\"", "258", expect!["toy.json: vectors[0].input: expected a string, found the number 258"]);
    check(
        "a0b0",
        "a0b0c0",
        expect!["toy.json: vectors[0].output: expected as many bytes as in `input` (2), found 3"],
    );
    check(
        "\"blocks\": 2",
        "\"blocks\": 3",
        expect![
            "toy.json: bulk[0].blocks: expected a number that divides the size of `input`, found the number 3"
        ],
    );
    check(
        "[\"00ff\"",
        "[\"0ff\"",
        expect![[
            r#"toy.json: traces[1].round_keys_words[0][1]: expected 1 to 32 hexadecimal digits, as many in every word, found the string "0001""#
        ]],
    );
    check(
        "[\"00ff\", \"0001\"]",
        "7",
        expect!["toy.json: traces[1].round_keys_words[0]: expected an array, found the number 7"],
    );
    check(
        "1000",
        "-1",
        expect![
            "toy.json: chains[0].iterations: expected a number from 0 to 4294967295, found the number -1"
        ],
    );
    check(
        "\"ffff\"",
        "\"ff\"",
        expect!["toy.json: chains[0].final: expected as many bytes as in `start` (2), found 1"],
    );
}

#[test]
fn all_errors_are_told() {
    check(
        "\"count\": 1",
        "\"count\": 2",
        expect!["toy.json: count: expected 1, as many as there are in `vectors`, found the number 2"],
    );
    let several = SMALL.replacen("\"00ff\", \"input\"", "\"00fx\", \"input\"", 1).replacen(
        "\"0304\"]",
        "\"03\", 4]",
        1,
    );
    let errors = parse("toy.json", &several.replacen("1000", "-1", 1)).unwrap_err();
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    expect![[r#"
        toy.json: vectors[0].key: expected hexadecimal digits, found the string "00fx"
        toy.json: traces[0].round_keys[2]: expected a string, found the number 4
        toy.json: chains[0].iterations: expected a number from 0 to 4294967295, found the number -1"#]]
    .assert_eq(&errors.join("\n"));
    let twice = SEALED.replacen("v1", "v0", 1);
    expect![[r#"toy.json: vectors[1].id: another one is called "v0" too"#]]
        .assert_eq(&parse("toy.json", &twice).unwrap_err()[0].to_string());
}

#[test]
fn a_small_file_is_enough() {
    let file = parse("toy.json", r#"{"vectors": [{"key": "0A", "input": "fF", "output": "00"}]}"#).unwrap();
    assert_eq!((file.kind, file.primitive), (Kind::BlockCipher, None));
    assert_eq!((&file.vectors[0].id[..], &file.vectors[0].input[..]), ("vectors[0]", &[255][..]));
    let permutation = r#"{"vectors": [{"input": "01", "output": "00"}]}"#;
    assert_eq!(parse_for("toy.json", permutation, Kind::Permutation).unwrap().kind, Kind::Permutation);
    assert!(parse("toy.json", permutation).is_err(), "a block cipher has a key");
}

const SEALED: &str = r#"{
 "primitive": "Toy", "kind": "aead", "conventions": "bytes",
 "vectors": [{"id": "v0", "key": "00", "nonce": "01", "ad": "02", "input": "03", "output": "0405", "result": "valid"},
             {"id": "v1", "key": "00", "nonce": "01", "ad": "", "input": "", "output": "04ff", "result": "invalid"}]
}"#;

#[test]
fn authenticated_encryption() {
    let file = parse("toy.json", SEALED).unwrap();
    let [good, bad] = &file.vectors[..] else { panic!("two vectors") };
    assert_eq!((&good.ad[..], good.valid), (&[2][..], true));
    assert_eq!((&bad.ad[..], bad.valid), (&[][..], false));
    let error =
        |from: &str, to: &str| parse("toy.json", &SEALED.replacen(from, to, 1)).unwrap_err()[0].to_string();
    expect!["toy.json: vectors[0]: expected a field `ad`, which vectors of the kind aead have, found none"]
        .assert_eq(&error("\"ad\": \"02\", ", ""));
    expect![
        "toy.json: vectors[0]: expected a field `nonce`, which vectors of the kind aead have, found none"
    ]
    .assert_eq(&error("\"nonce\": \"01\", ", ""));
    expect![[r#"toy.json: vectors[1].result: expected valid or invalid, found the string "acceptable""#]]
        .assert_eq(&error("invalid", "acceptable"));
}
