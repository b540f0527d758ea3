//! The commands as a user meets them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

fn usubac(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_usubac"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("usubac runs")
}

/// Standard output of a command that succeeds.
#[track_caller]
fn succeeds(arguments: &[&str], folder: &Path) -> String {
    let output = usubac(arguments, folder);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// What a failing command says.
fn fails(arguments: &[&str], folder: &Path) -> String {
    let output = usubac(arguments, folder);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

const SAMPLE: &str = "node k (a:u16, b:u16x3) returns (p:u16, q:u16x3, r:u32)\n\
                      let p = (a <<< 3) ^ (a >> 1);  q = b <<< 1;  r = Pack(a, b[2]):u32 tel\n";

fn sample() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("k.ua"), SAMPLE).expect("it can be written");
    folder
}

#[test]
fn run_prints_outputs_as_it_reads_inputs() {
    let folder = sample();
    let text = succeeds(&["run", "k.ua", "a=8001", "b=1,2,3"], folder.path());
    assert_eq!(text, "p=400c\nq=0002,0003,0001\nr=80010003\n");
    let json = succeeds(&["run", "k.ua", "--format", "json", "b=1,2,3", "a=0x8001"], folder.path());
    let document: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(document["outputs"]["q"], serde_json::json!(["0002", "0003", "0001"]));
    let ones = "a=1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1";
    let zeros = format!("b={}", vec!["0"; 48].join(","));
    let bits = succeeds(&["run", "k.ua", "--slicing", "b", ones, &zeros], folder.path());
    assert!(bits.starts_with("p=0,1,0,0,0,0,0,0,0,0,0,0,1,1,0,0\n"), "{bits}");
}

#[test]
fn run_computes_messages_and_refuses_them() {
    let folder = root();
    let key = "key=feffe9928665731c6d6a8f9467308308";
    let seal = |mode: &str, more: &[&str]| {
        let mut arguments =
            vec!["run", "ciphers/aes", "--mode", mode, key, "iv=cafebabefacedbaddecaf888", "aad="];
        arguments.extend(more);
        usubac(&arguments, &folder)
    };
    // The first test case of the specification of GCM with this key.
    let sealed = seal("gcm-seal", &["t=16", "plain="]);
    assert_eq!(String::from_utf8_lossy(&sealed.stdout), "cipher=\ntag=3247184b3c4f69a44dbcd22887bbb418\n");
    let opened = seal("gcm-open", &["cipher=", "tag=3247184b3c4f69a44dbcd22887bbb418"]);
    assert_eq!((opened.status.code(), opened.stdout.as_slice()), (Some(0), b"plain=\n".as_slice()));
    let said = |output: Output| {
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let refused = said(seal("gcm-open", &["cipher=", "tag=3247184b3c4f69a44dbcd22887bbb419"]));
    assert!(refused.contains("the message is refused: its tag is wrong"), "{refused}");
    assert!(said(seal("gcm-seal", &["t=5", "plain="])).contains("`SealGCM` is not made for this: t = 5"));
    assert!(said(seal("gcm-seal", &["plain="])).contains("the number `t` is missing"));
    assert!(said(seal("gcm-seal", &["t=16", "plain=1"])).contains("two hexadecimal digits each"));
    assert!(said(seal("gcm", &["plain="])).contains("there is no mode `gcm`; the modes are ecb-encrypt,"));
    let hash = ["run", "ciphers/ascon/hash.ua", "--bytes", "--entry", "Hash256", "message=0001020304"];
    let digest = "digest=c7b28962d4f5c2211f466f83d3c57ae1504387e2a326949747a8376447a6bb51\n";
    assert_eq!(succeeds(&hash, &folder), digest);
}

#[test]
fn check_says_nothing_about_good_programs() {
    let folder = root();
    for file in ["ciphers/aes/aes.ua", "ciphers/des/des.ua", "docs/examples/toy.ua"] {
        let output = usubac(&["check", "--strict", file], &folder);
        assert!(output.status.success());
        assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{file}");
    }
}

#[test]
fn fmt_formats_in_place_and_is_idempotent() {
    let folder = sample();
    assert!(!usubac(&["fmt", "--check", "k.ua"], folder.path()).status.success());
    succeeds(&["fmt", "k.ua"], folder.path());
    let once = fs::read_to_string(folder.path().join("k.ua")).expect("it is there");
    assert_ne!(once, SAMPLE);
    succeeds(&["fmt", "--check", "k.ua"], folder.path());
    succeeds(&["fmt", "k.ua"], folder.path());
    assert_eq!(fs::read_to_string(folder.path().join("k.ua")).expect("it is there"), once);
    let ciphers = ["aes", "ascon", "chacha20", "des", "gimli", "rectangle", "serpent"];
    for name in ciphers {
        succeeds(&["fmt", "--check", &format!("ciphers/{name}/{name}.ua")], &root());
    }
}

#[test]
fn build_gives_the_same_bytes_every_time() {
    let folder = sample();
    let toy = root().join("docs/examples/toy.ua");
    let build = |out: &str| {
        succeeds(&["build", &toy.to_string_lossy(), "--target", "avx2,gp64", "-o", out], folder.path());
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder.path().join(out)).expect("it is there").flatten().map(|e| e.path()).collect();
        files.sort();
        files.iter().map(|file| fs::read(file).expect("it can be read")).collect::<Vec<_>>()
    };
    let (first, second) = (build("one"), build("two"));
    assert_eq!(first.len(), 4);
    assert_eq!(first, second);
}

#[test]
fn a_cipher_folder_becomes_a_library_with_one_level() {
    let folder = sample();
    let cipher = root().join("ciphers/rectangle").to_string_lossy().into_owned();
    let text = succeeds(
        &[
            "build",
            &cipher,
            "--primitive",
            "rectangle-80",
            "--slicing",
            "h",
            "--target",
            "ssse3",
            "-o",
            "out",
        ],
        folder.path(),
    );
    assert!(text.starts_with("rectangle-80\n  ssse3      slicing h "), "{text}");
    for file in [
        "Makefile",
        "include/usuba_rectangle_80.h",
        "src/usuba_rectangle_80.c",
        "src/usuba_rectangle_80_ssse3_h.c",
    ] {
        assert!(folder.path().join("out").join(file).is_file(), "{file}");
    }
    let sources = fs::read_dir(folder.path().join("out/src")).expect("sources").flatten();
    let names: Vec<String> = sources.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    for level in ["gp64", "avx", "neon", "altivec"] {
        let of_level = names.iter().filter(|name| name.contains(&format!("_{level}")));
        assert_eq!(of_level.count(), 0, "there is no other level than ssse3, but {level}");
    }
}

#[test]
fn every_pass_can_be_looked_at() {
    let folder = root();
    let stages = succeeds(&["build", "docs/examples/toy.ua", "--dump-after", "list"], &folder);
    let stages: Vec<&str> = stages.lines().collect();
    assert_eq!(stages.first(), Some(&"elaborate"));
    assert_eq!(stages.last(), Some(&"print"));
    let select = stages.iter().position(|&stage| stage == "select").expect("it is one");
    for (number, stage) in stages.iter().enumerate().skip(1) {
        let toy = ["build", "docs/examples/toy.ua", "--slicing", "v", "--target", "avx2", "--backend", "asm"];
        let text = succeeds(&[&toy[..], &["--stop-after", stage]].concat(), &folder);
        let program = text.split_once('\n').expect("a heading").1;
        match *stage {
            "allocate" => assert!(program.contains("[plain[0]]"), "{program}"),
            "address" => assert!(program.contains("[rdi]") && !program.contains(".globl"), "{program}"),
            "print" => assert!(program.contains(".globl"), "{program}"),
            _ if number < select => {
                usuba_ir::program::Program::parse(program).unwrap_or_else(|error| panic!("{stage}: {error}"));
            }
            _ => {
                let machine =
                    usuba_machine::Program::parse(program).unwrap_or_else(|e| panic!("{stage}: {e}"));
                usuba_machine::check(machine).unwrap_or_else(|flaws| panic!("{stage}: {}", flaws[0]));
            }
        }
    }
    let refused =
        usubac(&["build", "docs/examples/toy.ua", "--target", "avx2", "--stop-after", "allocate"], &folder);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("add `--backend asm`"));
    let out = sample();
    let toy = folder.join("docs/examples/toy.ua");
    succeeds(
        &[
            "build",
            &toy.to_string_lossy(),
            "--slicing",
            "b",
            "--target",
            "gp64",
            "--verify-each",
            "--time-passes",
        ],
        out.path(),
    );
}

#[test]
fn test_ends_with_a_count() {
    let text =
        succeeds(&["test", "ciphers/chacha20", "--target", "gp64", "--cc", "gcc", "--opt", "1"], &root());
    let last = text.lines().last().expect("a last line");
    let words: Vec<&str> = last.split_whitespace().collect();
    assert_eq!(words[1..], ["passed,", "0", "failed"]);
    assert!(words[0].parse::<u32>().expect("a number") > 600);
    // Every message is sealed, opened, and refused with a wrong tag, over the primitive in each of its slicings.
    for way in ["poly1305     gp64 gcc -O1 ", "chacha20-poly1305 gp64 gcc -O1, slicing v "] {
        let line = text.lines().find(|line| line.starts_with(way)).expect(way);
        assert!(line.ends_with(" passed, 0 failed"), "{line}");
    }
}

/// The vectors of a construction, changed: what the compiled program answers is not what they say.
#[test]
fn wrong_vectors_of_constructions_fail() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cipher = root().join("ciphers/chacha20");
    let check = |name: &str, from: &str, to: &str, expected: &str| {
        let text = fs::read_to_string(cipher.join(format!("vectors/{name}.json"))).expect("it is there");
        assert!(text.contains(from), "{name} has no {from}");
        fs::write(folder.path().join("wrong.json"), text.replacen(from, to, 1)).expect("it can be written");
        let path = cipher.to_string_lossy();
        let test = ["test", &path, "--primitive", name, "--vectors", "wrong.json", "--slicing", "v"];
        let output = usubac(&[&test[..], &["--target", "gp64", "--cc", "gcc"]].concat(), folder.path());
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(output.status.code(), Some(1), "{text}");
        let failed: Vec<&str> = text.lines().filter(|line| line.starts_with("FAILED")).collect();
        assert!(failed.iter().any(|line| line.contains(expected)), "{text}");
        assert!(failed.len() <= 3, "only one vector is wrong: {text}");
    };
    check(
        "poly1305",
        "f3477e7cd95417af89a6b8794c310cf0",
        "f3477e7cd95417af89a6b8794c310cf1",
        "FAILED wrong.json: rfc8439-a3-2 (",
    );
    let (valid, invalid) = ("\"result\": \"valid\"", "\"result\": \"invalid\"");
    check("chacha20-poly1305", valid, invalid, ", refused (gp64 gcc -O2, slicing v): found 00");
}

#[test]
fn vectors_of_another_kind_are_refused() {
    let folder = ascon(None);
    let manifest = folder.path().join("usuba.toml");
    let text = fs::read_to_string(&manifest).expect("it is there");
    for (wrong, expected) in [
        (
            "ascon-p6",
            "./vectors/ascon-p6.json is not for `ascon-hash256`: it has vectors of the kind permutation, not hash",
        ),
        (
            "ascon-xof128",
            "./vectors/ascon-xof128.json is not for `ascon-hash256`: it has vectors of Ascon-XOF128 (64-byte output)",
        ),
    ] {
        let changed =
            text.replacen("[\"vectors/ascon-hash256.json\"]", &format!("[\"vectors/{wrong}.json\"]"), 1);
        assert_ne!(changed, text);
        fs::write(&manifest, changed).expect("it can be written");
        let output =
            usubac(&["test", ".", "--primitive", "ascon-hash256", "--target", "gp64"], folder.path());
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("error: ") && said.contains(expected), "{said}");
    }
}

#[test]
fn wrong_vectors_fail() {
    let folder = sample();
    let vectors = root().join("ciphers/rectangle/vectors/rectangle-80.json");
    let text = fs::read_to_string(vectors).expect("it is there");
    fs::write(folder.path().join("wrong.json"), text.replacen("962d54e3b1e87408", "962d54e3b1e87409", 1))
        .expect("it can be written");
    let cipher = root().join("ciphers/rectangle");
    let output = usubac(
        &["test", &cipher.to_string_lossy(), "--vectors", "wrong.json", "--target", "none"],
        folder.path(),
    );
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("FAILED wrong.json: paper-zero"), "{text}");
}

#[test]
fn explain_gives_reasons() {
    let text = succeeds(&["explain", "docs/examples/toy.ua", "--target", "sse2,avx2"], &root());
    assert!(text.contains("h  sse2        no: "), "{text}");
    assert!(text.contains("avx2, avx2-vaes, avx2-gfni, avx512-128, avx512-256, avx512"), "{text}");
    let chacha = succeeds(&["explain", "ciphers/chacha20", "--target", "avx2", "--format", "json"], &root());
    let document: serde_json::Value = serde_json::from_str(&chacha).expect("JSON");
    let rows = document[0]["rows"].as_array().expect("rows");
    assert!(rows.iter().any(|row| row["slicing"] == "v" && row["admitted"] == true));
    assert!(rows.iter().any(|row| row["slicing"] == "b" && row["admitted"] == false));
}

/// What the page on GCM shows, line by line.
#[test]
fn explain_says_what_loops_of_messages_are() {
    let page = std::fs::read_to_string(root().join("docs/gcm.md")).expect("a page");
    let mut lines = page.lines();
    let mut printed = std::collections::BTreeMap::new();
    let mut shown = 0;
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ usubac ") else { continue };
        let mut arguments: Vec<&str> = command.split(' ').collect();
        if !command.contains("--mode") {
            arguments.extend(["--target", "gp64"]);
        }
        let output = printed.entry(command).or_insert_with(|| succeeds(&arguments, &root()));
        for expected in lines.by_ref().take_while(|line| *line != "```") {
            assert!(output.lines().any(|line| line == expected), "{command}: `{expected}` in {output}");
            shown += 1;
        }
    }
    assert_eq!(shown, 26);
    // The texts that it shows are those of the library.
    let texts: String = ["gcm.ua", "gf128.ua"]
        .iter()
        .map(|file| std::fs::read_to_string(root().join("modes").join(file)).expect("a text"))
        .collect();
    for block in page.split("```\n").filter(|block| block.starts_with("node ")) {
        assert!(texts.contains(block), "{block}");
    }
    let refused = fails(&["explain", "ciphers/ascon", "--mode", "ctr"], &root());
    assert!(refused.contains("modes are over block ciphers"), "{refused}");
    let unknown = fails(&["explain", "ciphers/aes", "--mode", "gcm"], &root());
    assert!(unknown.contains("there is no mode `gcm`; the modes are ecb-encrypt"), "{unknown}");
}

/// What nodes are, by proof, or the place where the form breaks.
#[test]
fn explain_says_what_is_recognised() {
    let aes = succeeds(&["explain", "ciphers/aes", "--target", "gp64"], &root());
    for line in [
        "  `Encrypt128`: 10 layers of AES's S-box; rounds 1–9 are `aesenc`, 10 is `aesenclast`\n",
        "  `Decrypt256`: 14 layers of AES's inverse S-box; rounds 1–13 are `aesdec`, 14 is `aesdeclast`\n",
    ] {
        assert_eq!(aes.matches(line).count(), 1, "{line}{aes}");
    }
    // What the manual shows.
    let manual = std::fs::read_to_string(root().join("docs/modes.md")).expect("a page");
    let mut lines = manual.lines();
    let mut shown = 0;
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ usubac explain ") else { continue };
        let arguments: Vec<&str> = ["explain"].into_iter().chain(command.split(' ')).collect();
        let output = if arguments == ["explain", "ciphers/aes"] {
            aes.clone()
        } else {
            succeeds(&[arguments.as_slice(), &["--target", "gp64"]].concat(), &root())
        };
        let expected = lines.next().expect("what it prints");
        assert!(output.lines().any(|line| line == expected), "{command}: {output}");
        shown += 1;
    }
    assert_eq!(shown, 7);
    let double = ["explain", "modes/gf128.ua", "--entry", "Double", "--nat", "b=8", "--target", "gp64"];
    assert!(
        succeeds(&double, &root())
            .contains("`Double`: multiplication by x in GF(2^64) modulo x^64+x^4+x^3+x+1")
    );
    let json = ["explain", "ciphers/des", "--target", "gp64", "--format", "json"];
    let document: serde_json::Value = serde_json::from_str(&succeeds(&json, &root())).expect("JSON");
    let first = &document[0]["recognised"][0];
    assert_eq!((&first["node"], &first["is"]), (&"Encrypt".into(), &serde_json::Value::Null));
    let reason = first["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("ciphers/des/des.ua:"), "{reason}");
    assert!(reason.ends_with(": a table from 6 to 4 bits is none from bytes to bytes"), "{reason}");
}

#[test]
fn explain_says_of_which_node_a_slicing_is_made() {
    let present = succeeds(&["explain", "ciphers/present", "--target", "gp64"], &root());
    assert_eq!(
        present.matches("\n  v  is made of the node `EncryptWord`\n  v  gp64  ").count(),
        2,
        "{present}"
    );
    let json = succeeds(&["explain", "ciphers/present", "--target", "gp64", "--format", "json"], &root());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let nodes: Vec<&str> =
        json[0]["rows"].as_array().unwrap().iter().map(|row| row["node"].as_str().unwrap()).collect();
    assert!(nodes.contains(&"EncryptWord") && nodes.contains(&"Encrypt"), "{nodes:?}");
}

/// AVX2 has no rotation of 32-bit lanes, AVX-512 has one.
#[test]
fn explain_names_the_rules_for_what_a_target_lacks() {
    let explain = |target: &str| succeeds(&["explain", "ciphers/chacha20", "--target", target], &root());
    let rule = "without an instruction, by the rule rotate-shifts: a <<< n = (a << n) | (a >> L - n)";
    assert!(explain("avx2").contains(rule), "{}", explain("avx2"));
    assert!(!explain("avx512").contains("by the rule"), "{}", explain("avx512"));
    let json = succeeds(&["explain", "ciphers/chacha20", "--target", "avx2", "--format", "json"], &root());
    let document: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let rows = document[0]["rows"].as_array().expect("rows");
    let vertical = rows.iter().find(|row| row["slicing"] == "v").expect("a row");
    assert_eq!(vertical["rules"], serde_json::json!(["rotate-bytes", "rotate-shifts"]));
}

#[test]
fn explain_ranks_for_few_blocks() {
    let explain = |blocks: &str| {
        let targets = "sse2,avx2,avx512-256";
        succeeds(&["explain", "ciphers/rectangle", "--target", targets, "--blocks", blocks], &root())
    };
    let first = |text: &str| {
        text.lines().find(|line| line.trim_start().starts_with("1. ")).expect("a ranking").to_owned()
    };
    // Bitsliced, one block costs as much as hundreds.
    assert!(!first(&explain("1")).contains(". b"), "{}", explain("1"));
    assert!(first(&explain("100000")).contains(". b  avx512-256"), "{}", explain("100000"));
    let json = ["explain", "ciphers/rectangle", "--target", "sse2", "--blocks", "1", "--format", "json"];
    let document: serde_json::Value = serde_json::from_str(&succeeds(&json, &root())).expect("JSON");
    assert_eq!(document[0]["blocks"], 1);
    let rows = document[0]["rows"].as_array().expect("rows");
    let v = rows.iter().find(|row| row["slicing"] == "v").expect("it is admitted");
    let cost = |key: &str| v[key].as_f64().expect("a number");
    let ratio = cost("port_bound_cycles_per_byte_of_blocks") / cost("port_bound_cycles_per_byte");
    assert!((ratio - 8.0).abs() < 1e-6, "one of eight lanes is used: {ratio}");
}

/// Times a small cipher and reads the figures.
#[test]
fn bench_prints_what_its_documentation_names() {
    if !gcc_is_here() {
        return;
    }
    let text = succeeds(
        &[
            "bench",
            "ciphers/ascon",
            "--primitive",
            "ascon-p6",
            "--slicing",
            "v",
            "--target",
            "gp64,neon",
            "--cc",
            "gcc",
            "--runs",
            "1",
            "--vary",
            "loops=sized,unroll",
            "--format",
            "json",
        ],
        &root(),
    );
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let manual = fs::read_to_string(root().join("docs/bench.md")).expect("the manual is there");
    let named = |value: &serde_json::Value| {
        for key in value.as_object().expect("an object").keys() {
            assert!(manual.contains(&format!("`{key}`")), "docs/bench.md does not explain `{key}`");
        }
    };
    named(&document);
    named(&document["machine"]);
    let rows = document["rows"].as_array().expect("rows");
    let here: Vec<_> = rows.iter().filter(|row| row["target"] == "gp64").collect();
    assert_eq!(here.len(), 2);
    for row in &here {
        named(row);
        named(&row["code"]);
        let kernel = row["kernel"].as_f64().expect("a time");
        let bound = row["port_bound"].as_f64().expect("a bound");
        assert!(kernel > bound * 0.9 && kernel < bound * 100.0, "{kernel} beside a bound of {bound}");
        assert!(row["whole"]["permute"].as_f64().expect("a time") > 0.0);
        assert!(row["code"]["instructions"].as_u64().expect("a count") > 50);
    }
    assert_eq!(here[1]["choices"]["loops"], "unroll");
    for row in rows.iter().filter(|row| row["target"] == "neon") {
        assert!(row["kernel"].is_null() && row["untimed"].is_string(), "{row}");
    }
}

/// A copy of the folder of Ascon, with a file of tuned choices if it is given.
fn ascon(tuned: Option<&str>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let from = root().join("ciphers/ascon");
    fs::create_dir(folder.path().join("vectors")).expect("it can be made");
    let files = fs::read_dir(from.join("vectors")).expect("its files").flatten();
    for entry in files.filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), folder.path().join("vectors").join(entry.file_name())).expect("a copy");
    }
    for file in ["ascon.ua", "aead.ua", "hash.ua", "v12.ua", "usuba.toml"] {
        fs::copy(from.join(file), folder.path().join(file)).expect("a copy");
    }
    if let Some(text) = tuned {
        fs::write(folder.path().join("tuned.toml"), text).expect("it can be written");
    }
    folder
}

/// The fingerprint of a program in one file.
fn fingerprint(file: &Path) -> String {
    let mut sources = usuba_lang::source::Sources::default();
    sources.add("any name", fs::read_to_string(file).expect("it is there"));
    usuba_trial::tuned::fingerprint(&sources)
}

/// A library has code for every machine; four words in a lane are none for general-purpose registers.
#[test]
fn libraries_need_portable_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let chacha20 = root().join("ciphers/chacha20");
    let arguments = ["build", chacha20.to_str().expect("text"), "--slicing", "v4", "-o", "out"];
    let output = usubac(&arguments, folder.path());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).expect("text"),
        "error: `chacha20` has no code for `gp64`, which every machine runs, in the slicings that are asked for: a \
         library needs it; ask for another slicing, or for one machine with `--target`\n"
    );
    assert!(!folder.path().join("out").exists(), "nothing is written");
}

/// A choice for `ascon-p6` on `gp64` that nobody would make otherwise.
fn choice() -> String {
    format!(
        "version = 1\n\n[[choice]]\nprimitive = \"ascon-p6\"\ntarget = \"gp64\"\n\
         choose = {{ slicing = \"b\", compiler = \"gcc\", loops = \"keep\" }}\nsource = \"{}\"\n\
         usubac = \"0.1.0\"\ntools = \"gcc\"\nmachine = \"none\"\nmeasured = \"permute cycles\"\ncost = 1.0\n\
         default-cost = 2.0\n",
        fingerprint(&root().join("ciphers/ascon/ascon.ua"))
    )
}

#[test]
fn builds_read_what_was_tuned() {
    let folder = ascon(Some(&choice()));
    let build = |more: &[&str]| {
        let start = ["build", ".", "--primitive", "ascon-p6", "--target", "gp64", "-o", "out"];
        succeeds(&[&start[..], more].concat(), folder.path())
    };
    let tuned = "gp64       slicing b ";
    let said = "(tuned: slicing=b backend=c compiler=gcc loops=keep)";
    let plain = build(&[]);
    assert!(plain.contains(tuned) && plain.contains(said), "{plain}");
    assert!(build(&["--no-unroll"]).contains(said), "the same again does not contradict");
    for other in [&["--no-tuned"][..], &["--slicing", "v"], &["--unroll"], &["--blocks", "2"]] {
        let text = build(other);
        assert!(!text.contains("tuned"), "{other:?}: {text}");
    }
    build(&[]);
    let library =
        fs::read_to_string(folder.path().join("out/src/usuba_ascon_p6_gp64_b.c")).expect("it is built");
    assert!(library.contains("Command: usubac build . --primitive ascon-p6 --slicing "), "{library}");
    fs::write(folder.path().join("ascon.ua"), {
        fs::read_to_string(folder.path().join("ascon.ua")).expect("it is there") + "\n// Another text.\n"
    })
    .expect("it can be written");
    let again = ["build", ".", "--primitive", "ascon-p6", "--target", "gp64", "-o", "out"];
    let output = usubac(&again, folder.path());
    let warnings = String::from_utf8(output.stderr).expect("text");
    assert!(output.status.success());
    assert_eq!(
        warnings,
        "warning: the tuned choice for `ascon-p6` on `gp64` was made for another text of the program and is not \
         used: run `usubac tune` again\n"
    );
    assert!(!String::from_utf8_lossy(&output.stdout).contains("tuned"));
}

#[test]
fn tampered_choices_are_refused() {
    let check = |from: &str, to: &str, expected: &str| {
        let folder = ascon(Some(&choice().replacen(from, to, 1)));
        for command in [&["build", ".", "--target", "gp64", "-o", "out"][..], &["test", "."], &["bench", "."]]
        {
            let output = usubac(command, folder.path());
            assert_eq!(output.status.code(), Some(1));
            assert_eq!(String::from_utf8_lossy(&output.stderr), format!("error: {expected}\n"));
        }
        assert!(!folder.path().join("out").exists());
    };
    check(
        "\"keep\"",
        "\"some\"",
        "./tuned.toml:6:53: `loops` cannot be `some`; it can be sized, keep, unroll",
    );
    check(
        "ascon-p6",
        "ascon-p7",
        "./tuned.toml: the manifest has no primitive `ascon-p7`; it has ascon-p12, ascon-p8, ascon-p6",
    );
    check(
        "version = 1",
        "version = 9",
        "./tuned.toml:1:11: this is version 9 of the file, and version 1 is known: run `usubac tune` again",
    );
    check(
        "usubac =",
        "usubak =",
        "./tuned.toml:8:1: unknown field `usubak`, expected one of `primitive`, `target`, `choose`, `source`, `usubac`, `tools`, `machine`, `measured`, `cost`, `default-cost`",
    );
}

#[test]
fn a_choice_has_one_name() {
    let folder = ascon(None);
    let check = |vary: &str, expected: &str| {
        let output = usubac(&["bench", ".", "--vary", vary], folder.path());
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(String::from_utf8_lossy(&output.stderr), format!("error: {expected}\n"));
    };
    let rule =
        "values follow one NAME=, with commas between them; another NAME=VALUE,… takes another `--vary`";
    check(
        "order=order=source",
        &format!("`order=order=source`: `order=source` is no value of `order`: {rule}"),
    );
    check(
        "order=source,loops=all",
        &format!("`order=source,loops=all`: `loops=all` is no value of `order`: {rule}"),
    );
    check("loops", "`loops` is no choice: write NAME=VALUE,…");
    check("loops=some", "`loops` cannot be `some`; it can be sized, keep, unroll");
}

fn gcc_is_here() -> bool {
    cfg!(target_arch = "x86_64") && Command::new("gcc").arg("--version").output().is_ok()
}

#[test]
fn what_was_tuned_is_tested() {
    if !gcc_is_here() {
        return;
    }
    let folder = ascon(Some(&choice()));
    let test = ["test", ".", "--primitive", "ascon-p6", "--target", "gp64", "--cc", "gcc", "--slicing", "v"];
    let way = "gp64 -O3 slicing=b backend=c compiler=gcc loops=keep";
    let text = succeeds(&test, folder.path());
    let line = text.lines().find(|line| line.contains(way)).expect("the tuned way");
    assert!(line.contains("passed, 0 failed"), "{line}");
    assert!(!succeeds(&[&test[..], &["--no-tuned"]].concat(), folder.path()).contains(way));
}

/// A search of a second, which is then repeated, interrupted, and gone on with.
#[test]
fn tune_searches_and_goes_on() {
    if !gcc_is_here() {
        return;
    }
    let folder = ascon(None);
    let journal = folder.path().join("tuned.journal");
    let tune = |budget: &'static str| {
        vec![
            "tune",
            ".",
            "--primitive",
            "ascon-p6",
            "--slicing",
            "v",
            "--target",
            "gp64",
            "--cc",
            "gcc",
            "--runs",
            "1",
            "--vary",
            "inline=sized",
            "--format",
            "json",
            "--budget",
            budget,
        ]
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_usubac"))
        .args(tune("60"))
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("usubac runs");
    for _ in 0..600 {
        let lines = fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
        if lines > 1 || child.try_wait().expect("a state").is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let _ = child.kill();
    child.wait().expect("it ends");
    let mut arguments = tune("1");
    if journal.exists() {
        let known = fs::read_to_string(&journal).expect("it is there");
        assert!(known.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{known}");
        arguments.push("--resume");
    }
    let text = succeeds(&arguments, folder.path());
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let result = &document["results"][0];
    assert!(result["variants"]["timed"].as_u64().expect("a count") >= 1, "{text}");
    let (cost, default) = (result["cost"].as_f64(), result["default_cost"].as_f64());
    assert!(cost.expect("a cost") <= default.expect("a cost"), "never slower than the default: {text}");
    assert_eq!(result["choice"].is_string(), folder.path().join("tuned.toml").exists());
    assert!(!journal.exists(), "the journal goes when all is done");
    succeeds(&["build", ".", "--target", "gp64", "-o", "out"], folder.path());
}

/// A count does not depend on load: the same twice, and a second count of a second program.
#[test]
fn instructions_are_counted_under_an_emulator() {
    let emulator = Command::new("qemu-x86_64").arg("--version").output().is_ok();
    if !gcc_is_here() || !emulator {
        return;
    }
    let folder = ascon(None);
    let count = |command: &[&str]| {
        let rest =
            ["--primitive", "ascon-p6", "--slicing", "v", "--target", "gp64", "--cc", "gcc", "--metric"];
        let text = succeeds(&[command, &rest, &["instructions", "--format", "json"]].concat(), folder.path());
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
    };
    let bench = count(&["bench", "."]);
    let row = &bench["rows"][0];
    let per_byte = row["kernel"].as_f64().expect("a count");
    // A call of the kernel computes one state of 40 bytes.
    let made = row["instructions"].as_f64().expect("a count") / 40.0;
    assert!(per_byte > made / 2.0 && per_byte < made * 4.0, "{per_byte} of {made}");
    assert_eq!(bench["rows"], count(&["bench", "."])["rows"]);
    let tuned = count(&[
        "tune",
        ".",
        "--budget",
        "1",
        "--dry-run",
        "--runner",
        "qemu-x86_64",
        "--vary",
        "inline=sized",
    ]);
    let result = &tuned["results"][0];
    assert_eq!(result["metric"], "instructions");
    assert!(result["cost"].as_f64() <= result["default_cost"].as_f64(), "{result}");
    assert!(!folder.path().join("tuned.toml").exists(), "a dry run writes nothing");
}

#[test]
fn tune_says_what_it_cannot_time() {
    let folder = ascon(None);
    let output = usubac(&["tune", ".", "--primitive", "ascon-p6", "--target", "neon"], folder.path());
    let said = String::from_utf8_lossy(&output.stderr);
    let known = ["give --runner CMD", "no compiler for `neon` is installed"];
    assert!(!output.status.success() && known.iter().any(|known| said.contains(known)), "{said}");
}

#[test]
fn shells_are_completed() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(succeeds(&["completions", shell], &root()).contains("usubac"));
    }
}

#[test]
fn every_command_has_examples() {
    for command in [
        "check",
        "fmt",
        "run",
        "build",
        "test",
        "explain",
        "bench",
        "synth",
        "tune",
        "targets",
        "completions",
    ] {
        assert!(succeeds(&[command, "--help"], &root()).contains("Example"), "{command}");
    }
}

#[test]
fn synth_prints_a_circuit_and_what_is_proved_of_it() {
    let folder = root();
    let program =
        ["synth", "ciphers/serpent/serpent.ua", "--table", "S<3>", "--target", "avx512", "--visits", "50"];
    let text = succeeds(&[&program[..], &["--conflicts", "0"]].concat(), &folder);
    assert!(text.starts_with("S<3>: 8 gates, depth "), "{text}");
    assert!(
        text.contains("best found, lower bound 4") && text.contains("database: 8 gates (serpent_s3"),
        "{text}"
    );
    // The choice of b and c by a, and with gates of two inputs.
    let choice = ["synth", "--hex", "01010011", "--format", "json"];
    for (basis, gates) in [("two-input", 3), ("select", 1), ("ternary", 1)] {
        let text = succeeds(&[&choice[..], &["--basis", basis]].concat(), &folder);
        let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(
            (&document["gates"], &document["proved_minimal"]),
            (&gates.into(), &true.into()),
            "{text}"
        );
        assert!(document["inversion"].is_null(), "{text}");
    }
    let aes = ["synth", "ciphers/aes/aes.ua", "--table", "SBox", "--visits", "1", "--seeds", "1"];
    let text = succeeds(&aes, &folder);
    let line = "inversion in GF(2^8); before it nothing; after it matrix 0xf1e3c78f1f3e7cf8, constant 0x63 (as GFNI \
                takes them)\n";
    assert!(text.ends_with(line), "{text}");
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let file = scratch.path().join("mine.json");
    let place = file.display().to_string();
    succeeds(&["synth", "--hex", "01010011", "-o", &place], &folder);
    let written: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&file).expect("it is there")).expect("JSON");
    assert_eq!(written["gates"].as_array().map(Vec::len), Some(3));
    for (arguments, word) in [
        (&["synth", "--hex", "012"][..], "power of two"),
        (&["synth", "--hex", "01xy"], "not a hexadecimal number"),
        (&["synth", "--hex", "0123", "--outputs", "1"], "has 2 bits"),
        (&["synth", "ciphers/serpent/serpent.ua", "--table", "LT"], "not a table"),
    ] {
        let output = usubac(arguments, &folder);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(word), "{arguments:?}");
    }
}

#[test]
fn engines_are_measured_and_written_down() {
    let folder = ascon(None);
    let file = folder.path().join("engines.toml");
    let measure =
        ["engines", ".", "--primitive", "ascon-p6", "--target", "gp64", "--runs", "1", "--core", "zen-4"];
    let fails = |arguments: &[&str], expected: &str| {
        let output = usubac(arguments, folder.path());
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.starts_with(&format!("error: {expected}")), "{said}");
    };
    let shown = succeeds(&[&measure[..], &["--dry-run"]].concat(), folder.path());
    assert!(shown.contains("ascon-p6             gp64-v ") && !file.exists(), "{shown}");
    // The table of another core stays as it is.
    let other = "\n[cores.zen-5]\nmachine = \"one\"\ntools = \"gcc\"\n\n[cores.zen-5.engines.ascon-p6]\n\
                 gp64-v = { blocks = 2, cycles = 1.5 }\n";
    fs::write(&file, format!("version = 2\n{other}")).expect("it can be written");
    succeeds(&measure, folder.path());
    let text = fs::read_to_string(&file).expect("it is written");
    assert!(text.contains("[cores.zen-4.engines.ascon-p6]\ngp64-v = { blocks = 2, cycles = "), "{text}");
    let text = text.strip_suffix(other).expect("it is there");
    fails(&["engines", ".", "--target", "sse2"], "libraries have no engines for `sse2`");
    fails(&["engines", ".", "--cc", "icc"], "`icc` is no compiler; there are gcc and clang");
    fs::write(&file, text.replace("machine = \"", "machine = \"Another ")).expect("it can be written");
    fails(&measure, "./engines.toml was made on another machine or with another compiler (Another ");
    fs::write(&file, text.replace("ascon-p6", "ascon-p7")).expect("it can be written");
    fails(&["build", ".", "-o", "out"], "./engines.toml: the manifest has no primitive `ascon-p7`; it has ");
    fs::write(&file, text.replace("gp64-v ", "gp32-v ")).expect("it can be written");
    fails(
        &["build", ".", "-o", "out"],
        "./engines.toml:10:1: `gp32-v` is no engine: write a target and a slicing",
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn libraries_have_assembly_where_it_is_faster() {
    let folder = ascon(None);
    let file = folder.path().join("engines.toml");
    let measure =
        ["engines", ".", "--primitive", "ascon-p6", "--target", "ssse3", "--runs", "1", "--core", "zen-4"];
    let comparison = [&measure[..], &["--assembly"]].concat();
    let refused = |reason: &str| {
        let output = usubac(&comparison, folder.path());
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.starts_with(&format!("error: ./engines.toml: {reason}")), "{said}");
    };
    refused("there is nothing yet to compare assembly with; measure all, without --assembly");
    succeeds(&measure, folder.path());
    let text = fs::read_to_string(&file).expect("it is written");
    // Which engines are kept depends on the cycles, and those are the machine's: here they are always the same.
    let with_part = |text: &str, part: &str| -> String {
        let line = |line: &str| match line.split_once(", cycles = ") {
            Some((before, _)) => {
                let cycles = if line.starts_with("ssse3-v1 ") { 200 } else { 400 };
                format!("{before}, cycles = {cycles}.0, assembly = {part} }}\n")
            }
            None => format!("{line}\n"),
        };
        text.lines().map(line).collect()
    };
    // The comparison alone may be made on another machine.
    let other = with_part(&text, "9.00").replace("\nmachine = \"", "\nmachine = \"Another ");
    assert!(other.contains("assembly = 9.00"), "{text}");
    fs::write(&file, other).expect("it can be written");
    let build = |arguments: &[&str]| -> String {
        let out = format!("out{}", arguments.len());
        let command = [&["build", ".", "--primitive", "ascon-p6", "-o", &out], arguments].concat();
        succeeds(&command, folder.path());
        let mut files: Vec<_> = ["", "/src"]
            .iter()
            .flat_map(|place| fs::read_dir(folder.path().join(format!("{out}{place}"))).into_iter().flatten())
            .map(|entry| entry.expect("an entry").path())
            .collect();
        files.sort();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "c" || ending == "S"));
        let engines = files.iter().filter(|path| path.to_string_lossy().contains("p6_ssse3_v"));
        let show = |path: &std::path::PathBuf| {
            let text = fs::read_to_string(path).expect("text");
            let first = text.lines().find(|line| line.starts_with("#if")).unwrap_or_default();
            format!("{} {first}\n", path.file_name().expect("a name").to_string_lossy())
        };
        engines.map(show).collect()
    };
    let level = ["--library", "--target", "ssse3"];
    let in_c = build(&level);
    assert!(in_c.lines().all(|line| line.ends_with(".c #if defined(__x86_64__)")), "{in_c}");
    succeeds(&comparison, folder.path());
    let text = fs::read_to_string(&file).expect("it is written");
    assert!(text.contains("\nmachine = \"Another ") && !text.contains("9.00"), "{text}");
    fs::write(&file, with_part(&text, "0.50")).expect("it can be written");
    let condition = "defined(__ELF__) && !defined(__ILP32__) && !defined(USUBA_NO_ASSEMBLY)";
    let both = build(&level);
    for ending in [
        format!(".c #if defined(__x86_64__) && !({condition})\n"),
        format!("_asm.c #if defined(__x86_64__) && {condition}\n"),
        format!("_asm_kernel.S #if defined(__x86_64__) && {condition}\n"),
    ] {
        assert!(both.contains(&ending), "{both}");
    }
    fs::write(&file, text.replace("\ntools = \"", "\ntools = \"another ")).expect("it can be written");
    refused("its C was compiled otherwise (another ");
    fs::write(&file, with_part(&text, "0.50")).expect("it can be written");
    let on_demand = build(&["--drop-in", "--target", "ssse3", "--force"]);
    assert!(on_demand.contains("!defined(__ILP32__) && defined(USUBA_ASSEMBLY))\n"), "{on_demand}");
}

/// Two ways to write one S-box layer, and a wrong one.
#[test]
fn verify_proves_and_refutes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let table =
        "_msb table S (x:v4) returns (y:v4) { 6, 5, 12, 10, 1, 14, 7, 9, 11, 0, 3, 13, 8, 15, 4, 2 }\n";
    let node = |body: &str| format!("node R (a:u16x4, k:u16x4) returns (b:u16x4) {body}");
    fs::write(folder.path().join("a.ua"), format!("{table}{}", node("let b = S(a ^ k) tel")))
        .expect("written");
    // The same layer with its key added to complements, bit by bit; then with a complement lost.
    let other = "let b = S(~(~a ^ k)) tel";
    fs::write(folder.path().join("b.ua"), format!("{table}{}", node(other))).expect("written");
    fs::write(folder.path().join("c.ua"), format!("{table}{}", node("let b = S(~a ^ k) tel")))
        .expect("written");
    fs::write(folder.path().join("d.ua"), "node R (a:u16x3) returns (b:u16x3) let b = a tel")
        .expect("written");
    let text = succeeds(&["verify", "a.ua", "b.ua", "--entry", "R"], folder.path());
    assert!(text.starts_with("proved: `R` and `R` compute the same for all inputs\n"), "{text}");
    let output = usubac(&["verify", "a.ua", "c.ua", "--entry", "R"], folder.path());
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(1));
    assert!(text.starts_with("refuted: `R` and `R` differ in b["), "{text}");
    assert_eq!(text.matches("  input  ").count(), 2);
    let said = fails(&["verify", "a.ua", "d.ua", "--entry", "R"], folder.path());
    assert!(said.contains("there are 2 inputs on one side and 1 on the other"), "{said}");
}

/// A product and its operands exchanged: beyond the limits, which is no proof and no success.
#[test]
fn verify_says_what_it_does_not_know() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let node = |body: &str| format!("node R (a:u16, b:u16) returns (c:u16) let c = {body} tel");
    fs::write(folder.path().join("a.ua"), node("a * b")).expect("written");
    fs::write(folder.path().join("b.ua"), node("b * a")).expect("written");
    let output = usubac(&["verify", "a.ua", "b.ua"], folder.path());
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stdout));
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(said.starts_with("error: neither proved nor refuted in the limits"), "{said}");
}

/// A leak in an object file, with the way of the secret.
#[test]
fn verify_finds_leaks_in_objects() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "typedef unsigned char u8;\nextern const u8 table[256];\nu8 bad(const u8 *k) { return table[k[3] ^ 5]; }\n\
                u8 good(const u8 *k, int i) { return table[i & 255] ^ k[0]; }\n";
    fs::write(folder.path().join("it.c"), text).expect("written");
    let made = Command::new("gcc")
        .args(["-O1", "-g", "-c", "it.c"])
        .current_dir(folder.path())
        .status()
        .expect("gcc");
    assert!(made.success());
    let output = usubac(&["verify", "--ct", "it.o", "--secret", "*1"], folder.path());
    let said = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("bad: 1 leak ("), "{said}");
    assert!(said.contains("/it.c:3\n    this address depends on a secret\n"), "{said}");
    assert!(said.contains("    from what argument 1 points to\n"), "{said}");
    assert!(said.contains("good: nothing depends on a secret ("), "{said}");
    succeeds(&["verify", "--ct", "it.o", "--secret", "*1", "--function", "good"], folder.path());
    let said = fails(&["verify", "--ct", "it.c", "--secret", "*1"], folder.path());
    assert!(said.contains("it is no object file"), "{said}");
    let output = usubac(&["verify", "--ct", "it.o", "--secret", "*7"], folder.path());
    assert_eq!(output.status.code(), Some(2));
}
