//! Modes of operation through the reference interpreter: against published answers, and against OpenSSL.
//!
//! Here a part of the large files, deterministically chosen; with `USUBA_ALL_VECTORS=1` all of them.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::load::{Loaded, Loader, load};
use usuba_lang::message::{Message, Strings};
use usuba_package::manifest::{self, Function, Manifest};
use usuba_package::message::{self, CIPHER, MODES};

struct Disk;

impl Loader for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        fs::read(path).map_err(|error| error.to_string())
    }

    fn canonical(&self, path: &str) -> Option<String> {
        fs::canonicalize(path).ok().map(|path| path.to_string_lossy().into_owned())
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every how-manieth vector of a large file is tried: `usual`, or all if that is asked for.
fn step(usual: usize) -> usize {
    if std::env::var_os("USUBA_ALL_VECTORS").is_some() { 1 } else { usual }
}

struct Folder {
    manifest: Manifest,
    loaded: Loaded,
    source: String,
}

fn folder(cipher: &str) -> Folder {
    let folder = root().join("ciphers").join(cipher);
    let text = fs::read_to_string(folder.join("usuba.toml")).unwrap();
    let manifest = manifest::parse("usuba.toml", &text).unwrap();
    let source = folder.join(&manifest.source).to_string_lossy().into_owned();
    let loaded = load(&source, &[], &Disk);
    Folder { manifest, loaded, source }
}

/// The programs of modes over primitives, made once each.
#[derive(Default)]
struct Bound {
    folders: BTreeMap<String, Folder>,
    programs: BTreeMap<(String, String), &'static Loaded>,
    messages: BTreeMap<(String, String), Message<'static>>,
}

impl Bound {
    fn message(&mut self, cipher: &str, primitive: &str, name: &str) -> &mut Message<'static> {
        let folder = self.folders.entry(cipher.into()).or_insert_with(|| folder(cipher));
        let mode = message::named(name).unwrap_or_else(|| panic!("no mode {name}"));
        let key = (primitive.to_string(), mode.file.to_string());
        let program: &'static Loaded = self.programs.entry(key).or_insert_with(|| {
            let found = folder.manifest.primitives.iter().find(|p| p.name == primitive).unwrap();
            let loaded = message::bind(found, &folder.source, &folder.loaded, mode, &Disk).unwrap();
            assert!(!loaded.diagnostics.iter().any(Diagnostic::is_error), "{:?}", loaded.diagnostics);
            // Lives as long as the test.
            Box::leak(Box::new(loaded))
        });
        self.messages
            .entry((primitive.into(), name.into()))
            .or_insert_with(|| Message::new(&program.program, mode.node, Some(CIPHER)).unwrap())
    }

    fn run(
        &mut self,
        (cipher, primitive, mode): (&str, &str, &str),
        numbers: &[(&str, i64)],
        strings: &[(&str, &[u8])],
    ) -> Option<Strings> {
        let result = self.message(cipher, primitive, mode).run(numbers, strings);
        result.unwrap_or_else(|error| panic!("{primitive} {mode}: {error}"))
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).unwrap() as u8;
    text.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

fn bytes(value: &Value, field: &str) -> Vec<u8> {
    hex(value[field].as_str().unwrap_or_else(|| panic!("no {field} in {value}")))
}

fn vectors(path: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(root().join(path)).unwrap()).unwrap()
}

fn output<'r>(results: &'r Option<Strings>, name: &str) -> &'r [u8] {
    let results = results.as_ref().expect("the message is refused");
    &results.iter().find(|(known, _)| known == name).unwrap().1
}

#[test]
fn modes_are_right_by_themselves() {
    let mut files: Vec<PathBuf> =
        fs::read_dir(root().join("modes")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ua"));
    files.sort();
    for path in &files {
        let path = path.to_string_lossy();
        let loaded = load(&path, &[], &Disk);
        let findings = usuba_lang::elaborate::check(&loaded.program, true);
        let said = usuba_lang::render::render(&findings, &loaded.sources, usuba_lang::render::Style::Plain);
        assert!(loaded.diagnostics.is_empty() && findings.is_empty(), "{path}: {said}");
        let text = fs::read_to_string(&*path).unwrap();
        assert_eq!(usuba_lang::format::format(&text).unwrap(), text, "{path} is not formatted");
    }
    // Every text is compiled in, and every node that has a name is there.
    for mode in MODES {
        assert!(
            files.iter().any(|path| path.file_name().is_some_and(|name| name == mode.file)),
            "{}",
            mode.name
        );
    }
}

#[test]
fn published_examples() {
    let file = vectors("modes/vectors/published.json");
    let mut bound = Bound::default();
    let all = file["vectors"].as_array().unwrap();
    assert_eq!(file["count"].as_u64().unwrap() as usize, all.len());
    for vector in all {
        let text = |field: &str| vector[field].as_str().unwrap();
        let numbers: Vec<(&str, i64)> = vector["numbers"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_i64().unwrap()))
            .collect();
        let strings: Vec<(&str, Vec<u8>)> = vector["inputs"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| (name.as_str(), hex(value.as_str().unwrap())))
            .collect();
        let strings: Vec<(&str, &[u8])> = strings.iter().map(|(n, b)| (*n, b.as_slice())).collect();
        let results = bound.run((text("cipher"), text("primitive"), text("mode")), &numbers, &strings);
        if vector["refused"] == Value::Bool(true) {
            assert!(results.is_none(), "{} is not refused", text("id"));
            continue;
        }
        for (name, wanted) in vector["outputs"].as_object().unwrap() {
            assert_eq!(output(&results, name), hex(wanted.as_str().unwrap()), "{} {name}", text("id"));
        }
    }
}

/// Seals and opens, or sees an opening refused.
fn aead(
    bound: &mut Bound,
    (cipher, primitive, mode): (&str, &str, &str),
    (key, nonce, aad): (&[u8], &[u8], &[u8]),
    (plain, sealed, tag): (&[u8], &[u8], &[u8]),
    valid: bool,
    id: &str,
) {
    let nonce_name = if mode == "gcm" { "iv" } else { "nonce" };
    let open = [("key", key), (nonce_name, nonce), ("aad", aad), ("cipher", sealed), ("tag", tag)];
    let opened = bound.run((cipher, primitive, &format!("{mode}-open")), &[], &open);
    if !valid {
        assert!(opened.is_none(), "{id} is not refused");
        return;
    }
    assert_eq!(output(&opened, "plain"), plain, "{id} opened");
    let seal = [("key", key), (nonce_name, nonce), ("aad", aad), ("plain", plain)];
    // GCM-SIV has tags of one length.
    let t = [("t", tag.len() as i64)];
    let t = if mode == "gcm-siv" { &[][..] } else { &t };
    let results = bound.run((cipher, primitive, &format!("{mode}-seal")), t, &seal);
    assert_eq!(output(&results, "cipher"), sealed, "{id} sealed");
    assert_eq!(output(&results, "tag"), tag, "{id} tag");
}

#[test]
fn aes_gcm() {
    let file = vectors("modes/vectors/aes-gcm.json");
    let mut bound = Bound::default();
    let mut refused = 0;
    for vector in file["vectors"].as_array().unwrap().iter().step_by(step(31)) {
        let (key, sealed) = (bytes(vector, "key"), bytes(vector, "output"));
        let primitive = format!("aes-{}", 8 * key.len());
        let (text, tag) = sealed.split_at(sealed.len() - vector["tag_bits"].as_u64().unwrap() as usize / 8);
        let valid = vector["result"] == "valid";
        refused += usize::from(!valid);
        let (nonce, aad, plain) = (bytes(vector, "nonce"), bytes(vector, "ad"), bytes(vector, "input"));
        let id = vector["id"].as_str().unwrap();
        aead(&mut bound, ("aes", &primitive, "gcm"), (&key, &nonce, &aad), (&plain, text, tag), valid, id);
    }
    assert!(refused >= 5);
}

/// The tests of a file of Project Wycheproof.
fn wycheproof(path: &str) -> Vec<Value> {
    let file = vectors(path);
    let groups = file["testGroups"].as_array().unwrap();
    groups.iter().flat_map(|group| group["tests"].as_array().unwrap()).cloned().collect()
}

/// Wycheproof's answers of modes that seal. Those with lengths that are none of the mode are refused as such.
#[test]
fn sealing_of_wycheproof() {
    let mut bound = Bound::default();
    for (family, mode, usual) in [
        ("aes", "gcm", 15),
        ("aes", "gcm-siv", 13),
        ("aes", "ccm", 31),
        ("aria", "gcm", 22),
        ("aria", "ccm", 35),
        ("camellia", "ccm", 35),
        ("sm4", "gcm", 11),
        ("sm4", "ccm", 11),
    ] {
        let path = format!("modes/vectors/wycheproof/{family}_{}_test.json", mode.replace('-', "_"));
        let (mut sealed, mut refused, mut unfit) = (0, 0, 0);
        for test in wycheproof(&path).iter().step_by(step(usual)) {
            let [key, nonce, aad, plain, text, tag] =
                ["key", "iv", "aad", "msg", "ct", "tag"].map(|field| bytes(test, field));
            let primitive =
                if family == "sm4" { "sm4".to_owned() } else { format!("{family}-{}", 8 * key.len()) };
            let id = format!("{family} {mode} {}", test["tcId"]);
            let fits = match mode {
                "gcm" => !nonce.is_empty(),
                "ccm" => matches!(nonce.len(), 7..=13) && tag.len() % 2 == 0 && tag.len() >= 4,
                _ => true,
            };
            let valid = test["result"] != "invalid";
            if !fits {
                assert!(!valid, "{id}");
                let name = if mode == "gcm" { "iv" } else { "nonce" };
                let open: [(&str, &[u8]); 5] =
                    [("key", &key), (name, &nonce), ("aad", &aad), ("cipher", &text), ("tag", &tag)];
                let opened = bound.message(family, &primitive, &format!("{mode}-open")).run(&[], &open);
                assert!(opened.is_err(), "{id} has lengths of the mode");
                unfit += 1;
                continue;
            }
            let texts = (plain.as_slice(), text.as_slice(), tag.as_slice());
            aead(&mut bound, (family, &primitive, mode), (&key, &nonce, &aad), texts, valid, &id);
            *(if valid { &mut sealed } else { &mut refused }) += 1;
        }
        assert!(sealed > 4 && refused > 0 && (mode != "ccm" || unfit > 0), "{sealed} {refused} {unfit}");
        eprintln!(
            "{family} {mode}: {sealed} sealed and opened, {refused} refused, {unfit} with other lengths"
        );
    }
}

/// Wycheproof's answers of modes that encrypt or authenticate; of texts that were padded the mode sees the padding.
#[test]
fn other_modes_of_wycheproof() {
    let mut bound = Bound::default();
    for (family, mode, usual) in [
        ("aes", "cmac", 5),
        ("aes", "gmac", 7),
        ("aes", "xts", 7),
        ("aes", "cbc_pkcs5", 5),
        ("aria", "cmac", 7),
        ("aria", "cbc_pkcs5", 7),
        ("camellia", "cmac", 7),
        ("camellia", "cbc_pkcs5", 7),
    ] {
        for test in wycheproof(&format!("modes/vectors/wycheproof/{family}_{mode}_test.json"))
            .iter()
            .step_by(step(usual))
        {
            assert_eq!(test["result"], "valid");
            let id = format!("{family} {mode} {}", test["tcId"]);
            let (key, mut plain) = (bytes(test, "key"), bytes(test, "msg"));
            let (half, rest) = key.split_at(key.len() / 2);
            let primitive = |key: &[u8]| format!("{family}-{}", 8 * key.len());
            let t = [("t", 16)];
            match mode {
                "cmac" | "gmac" => {
                    let mut strings: Vec<(&str, &[u8])> = vec![("key", &key), ("message", &plain)];
                    let iv = if mode == "gmac" { bytes(test, "iv") } else { Vec::new() };
                    if mode == "gmac" {
                        strings.push(("iv", &iv));
                    }
                    let results = bound.run((family, &primitive(&key), mode), &t, &strings);
                    assert_eq!(output(&results, "tag"), bytes(test, "tag"), "{id}");
                    continue;
                }
                "cbc_pkcs5" => {
                    let missing = 16 - plain.len() % 16;
                    plain.extend(vec![missing as u8; missing]);
                }
                _ => {}
            }
            let (mut iv, cipher) = (bytes(test, "iv"), bytes(test, "ct"));
            iv.resize(16, 0);
            for (direction, given, wanted) in [("encrypt", &plain, &cipher), ("decrypt", &cipher, &plain)] {
                let (from, to) =
                    if direction == "encrypt" { ("plain", "cipher") } else { ("cipher", "plain") };
                let results = match mode {
                    "xts" => {
                        let strings: [(&str, &[u8]); 4] =
                            [("data", half), ("tweak", rest), ("unit", &iv), (from, given)];
                        bound.run((family, &primitive(half), &format!("xts-{direction}")), &[], &strings)
                    }
                    _ => {
                        let strings: [(&str, &[u8]); 3] = [("key", &key), ("iv", &iv), (from, given)];
                        bound.run((family, &primitive(&key), &format!("cbc-{direction}")), &[], &strings)
                    }
                };
                assert_eq!(output(&results, to), wanted.as_slice(), "{id} {direction}");
            }
        }
    }
}

#[test]
fn aes_ctr() {
    let file = vectors("ciphers/aes/vectors/aes-ctr.json");
    let mut bound = Bound::default();
    for vector in file["vectors"].as_array().unwrap() {
        let (key, plain) = (bytes(vector, "key"), bytes(vector, "input"));
        let first = match vector.get("counter") {
            Some(_) => [bytes(vector, "nonce"), bytes(vector, "counter")].concat(),
            None => bytes(vector, "nonce"),
        };
        let primitive = format!("aes-{}", 8 * key.len());
        let strings: [(&str, &[u8]); 3] = [("key", &key), ("first", &first), ("plain", &plain)];
        let results = bound.run(("aes", &primitive, "ctr"), &[], &strings);
        assert_eq!(output(&results, "cipher"), bytes(vector, "output"), "{}", vector["id"]);
    }
}

/// Every block cipher of the repository without a tweak, in the electronic codebook: what the manifest says of bytes.
#[test]
fn every_block_cipher() {
    let mut bound = Bound::default();
    let mut count = 0;
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root().join("ciphers")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|folder| folder.join("usuba.toml").exists());
    folders.sort();
    for path in folders {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for primitive in folder(&name).manifest.primitives {
            let Function::BlockCipher(cipher) = &primitive.function else { continue };
            if cipher.tweak.is_some() {
                continue;
            }
            let Some(file) = primitive.vectors.first() else { continue };
            let file = vectors(&format!("ciphers/{name}/{file}"));
            let all = file["vectors"].as_array().unwrap();
            for vector in all.iter().step_by(all.len().div_ceil(4)) {
                let (key, input) = (bytes(vector, "key"), bytes(vector, "input"));
                let wanted = bytes(vector, "output");
                let strings: [(&str, &[u8]); 2] = [("key", &key), ("plain", &input)];
                let results = bound.run((&name, &primitive.name, "ecb-encrypt"), &[], &strings);
                assert_eq!(output(&results, "cipher"), wanted, "{} {}", primitive.name, vector["id"]);
                if cipher.decrypt.is_some() {
                    let strings: [(&str, &[u8]); 2] = [("key", &key), ("cipher", &wanted)];
                    let results = bound.run((&name, &primitive.name, "ecb-decrypt"), &[], &strings);
                    assert_eq!(output(&results, "plain"), input, "{} {}", primitive.name, vector["id"]);
                }
                count += 1;
            }
        }
    }
    assert!(count > 60, "{count}");
}

/// A deterministic source of bytes (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }
}

/// One request to OpenSSL and what the interpreter answered: result and tag.
struct Asked {
    line: String,
    answer: String,
}

fn colon(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!(":{digits}")
}

/// A random message in a mode: encrypted (or sealed) here, and asked of OpenSSL; decrypting gives the text back.
fn ask(bound: &mut Bound, random: &mut Random, mode: &str, length: usize) -> Asked {
    let size = [16, 24, 32][random.below(3)];
    let (family, primitive) = ("aes", format!("aes-{}", 8 * size));
    let key = random.bytes(size);
    let plain = random.bytes(length);
    let upper = mode.to_uppercase();
    let algorithm = |name: &str| format!("AES-{}-{name}", 8 * size);
    let mut run = |mode: &str, numbers: &[(&str, i64)], strings: &[(&str, &[u8])]| {
        bound.run((family, &primitive, mode), numbers, strings)
    };
    match mode {
        "ecb" | "cbc" | "cfb" | "cfb8" => {
            let whole = matches!(mode, "ecb" | "cbc");
            let plain = if whole { &plain[..length / 16 * 16] } else { &plain };
            let iv = random.bytes(if mode == "ecb" { 0 } else { 16 });
            let mut strings: Vec<(&str, &[u8])> = vec![("key", &key), ("plain", plain)];
            if mode != "ecb" {
                strings.push(("iv", &iv));
            }
            let sealed = output(&run(&format!("{mode}-encrypt"), &[], &strings), "cipher").to_vec();
            strings[1] = ("cipher", &sealed);
            let opened = run(&format!("{mode}-decrypt"), &[], &strings);
            assert_eq!(output(&opened, "plain"), plain, "{mode} {length}");
            let line = format!("{} e 0 {} {} : {}", algorithm(&upper), colon(&key), colon(&iv), colon(plain));
            Asked { line, answer: format!("{} :", colon(&sealed)) }
        }
        "ofb" | "ctr" => {
            let iv = random.bytes(16);
            let start = if mode == "ctr" { "first" } else { "iv" };
            let strings: [(&str, &[u8]); 3] = [("key", &key), (start, &iv), ("plain", &plain)];
            let sealed = output(&run(mode, &[], &strings), "cipher").to_vec();
            let line =
                format!("{} e 0 {} {} : {}", algorithm(&upper), colon(&key), colon(&iv), colon(&plain));
            Asked { line, answer: format!("{} :", colon(&sealed)) }
        }
        "xts" => {
            let size = if size == 24 { 16 } else { size };
            let primitive = format!("aes-{}", 8 * size);
            let (data, tweak, unit) = (random.bytes(size), random.bytes(size), random.bytes(16));
            let plain = random.bytes(length.max(16));
            let mut strings: [(&str, &[u8]); 4] =
                [("data", &data), ("tweak", &tweak), ("unit", &unit), ("plain", &plain)];
            let sealed = bound.run((family, &primitive, "xts-encrypt"), &[], &strings);
            let sealed = output(&sealed, "cipher").to_vec();
            strings[3] = ("cipher", &sealed);
            let opened = bound.run((family, &primitive, "xts-decrypt"), &[], &strings);
            assert_eq!(output(&opened, "plain"), plain, "xts {length}");
            let key = colon(&[data.as_slice(), &tweak].concat());
            let line = format!("AES-{}-XTS e 0 {key} {} : {}", 8 * size, colon(&unit), colon(&plain));
            Asked { line, answer: format!("{} :", colon(&sealed)) }
        }
        "cmac" => {
            let strings: [(&str, &[u8]); 2] = [("key", &key), ("message", &plain)];
            let tag = output(&run("cmac", &[("t", 16)], &strings), "tag").to_vec();
            let line = format!("CMAC e 16 {} : : {}", colon(&key), colon(&plain));
            Asked { line, answer: format!(": {}", colon(&tag)) }
        }
        "gcm" | "ccm" | "ocb3" => {
            let (tags, nonces): (&[usize], _) = match mode {
                "gcm" => (&[4, 8, 12, 13, 14, 15, 16], 1..=40),
                "ccm" => (&[4, 6, 8, 10, 12, 14, 16], 7..=13),
                _ => (&[8, 12, 16], 1..=15),
            };
            let t = tags[random.below(tags.len())];
            let nonce = nonces.start() + random.below(nonces.end() - nonces.start() + 1);
            let usual = mode == "gcm" && random.below(2) == 0;
            let nonce = random.bytes(if usual { 12 } else { nonce });
            let aad = random.below(40);
            let aad = random.bytes(aad);
            let name = if mode == "gcm" { "iv" } else { "nonce" };
            let strings: [(&str, &[u8]); 4] =
                [("key", &key), (name, &nonce), ("aad", &aad), ("plain", &plain)];
            let results = run(&format!("{mode}-seal"), &[("t", t as i64)], &strings);
            let (sealed, tag) = (output(&results, "cipher").to_vec(), output(&results, "tag").to_vec());
            let open = |tag: &[u8], bound: &mut Bound| {
                let strings: [(&str, &[u8]); 5] =
                    [("key", &key), (name, &nonce), ("aad", &aad), ("cipher", &sealed), ("tag", tag)];
                bound.run((family, &primitive, &format!("{mode}-open")), &[], &strings)
            };
            assert_eq!(output(&open(&tag, bound), "plain"), plain, "{mode} {length}");
            let mut wrong = tag.clone();
            wrong[random.below(t)] ^= 1 << random.below(8);
            assert!(open(&wrong, bound).is_none(), "{mode} {length} is not refused");
            let upper = if mode == "ocb3" { "OCB" } else { &upper };
            let line = format!(
                "{} e {t} {} {} {} {}",
                algorithm(upper),
                colon(&key),
                colon(&nonce),
                colon(&aad),
                colon(&plain)
            );
            Asked { line, answer: format!("{} {}", colon(&sealed), colon(&tag)) }
        }
        other => panic!("{other}"),
    }
}

/// Random keys, nonces and lengths up to 100 in every mode that OpenSSL has.
#[test]
fn openssl_agrees() {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("usuba-openssl");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages/openssl.c");
    let compiled = Command::new("cc").arg(&source).arg("-o").arg(&program).arg("-lcrypto").output().unwrap();
    if !compiled.status.success() {
        eprintln!("skipped: libcrypto cannot be used here: {}", String::from_utf8_lossy(&compiled.stderr));
        return;
    }
    let mut bound = Bound::default();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut asked = Vec::new();
    for mode in ["ecb", "cbc", "cfb", "cfb8", "ofb", "ctr", "xts", "cmac", "gcm", "ccm", "ocb3"] {
        for length in (0..=100).step_by(step(13)) {
            asked.push(ask(&mut bound, &mut random, mode, length));
        }
    }
    let mut child = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines: String = asked.iter().map(|asked| format!("{}\n", asked.line)).collect();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let answers = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let answers = String::from_utf8(answers.stdout).unwrap();
    let answers: Vec<&str> = answers.lines().collect();
    assert_eq!(answers.len(), asked.len());
    // OpenSSL 3.0 has no message of no bytes in some modes: it answers with a dash there.
    let mut compared = 0;
    for (asked, answer) in asked.iter().zip(&answers) {
        if *answer != "-" {
            assert_eq!(asked.answer, *answer, "{}", asked.line);
            compared += 1;
        }
    }
    eprintln!("{compared} of {} messages compared", asked.len());
    assert!(compared * 10 > asked.len() * 9, "{compared} of {}", asked.len());
}

/// A program in the folder of a cipher, with a node of it.
fn program(path: &str) -> Loaded {
    let path = root().join("ciphers").join(path);
    let loaded = load(&path.to_string_lossy(), &[], &Disk);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let findings = usuba_lang::elaborate::check(&loaded.program, true);
    let said = usuba_lang::render::render(&findings, &loaded.sources, usuba_lang::render::Style::Plain);
    assert!(findings.is_empty(), "{said}");
    loaded
}

fn run(message: &mut Message<'_>, numbers: &[(&str, i64)], strings: &[(&str, &[u8])]) -> Option<Strings> {
    message.run(numbers, strings).unwrap_or_else(|error| panic!("{error}"))
}

/// An AEAD of a folder on known answers: sealed, opened, and refused where one bit of the tag is wrong.
fn check_aead(path: &str, seal: &str, open: &str, file: &str, usual: usize) {
    let loaded = program(path);
    let mut seal = Message::new(&loaded.program, seal, None).unwrap();
    let mut open = Message::new(&loaded.program, open, None).unwrap();
    let file = vectors(file);
    for vector in file["vectors"].as_array().unwrap().iter().step_by(step(usual)) {
        let id = &vector["id"];
        let (key, nonce, aad) = (bytes(vector, "key"), bytes(vector, "nonce"), bytes(vector, "ad"));
        let (plain, sealed) = (bytes(vector, "input"), bytes(vector, "output"));
        let (text, tag) = sealed.split_at(sealed.len() - 16);
        let mut strings: Vec<(&str, &[u8])> =
            vec![("key", &key), ("nonce", &nonce), ("aad", &aad), ("cipher", text), ("tag", tag)];
        let opened = run(&mut open, &[], &strings);
        if vector["result"] == "invalid" {
            assert!(opened.is_none(), "{id}");
            continue;
        }
        assert_eq!(output(&opened, "plain"), plain, "{id}");
        let mut wrong = tag.to_vec();
        wrong[15] ^= 0x80;
        strings[4] = ("tag", &wrong);
        assert!(run(&mut open, &[], &strings).is_none(), "{id} is not refused");
        strings.truncate(3);
        strings.push(("plain", &plain));
        let results = run(&mut seal, &[], &strings);
        assert_eq!(output(&results, "cipher"), text, "{id}");
        assert_eq!(output(&results, "tag"), tag, "{id}");
    }
}

#[test]
fn ascon_aead128() {
    let file = "ciphers/ascon/vectors/ascon-aead128.json";
    check_aead("ascon/aead.ua", "SealAEAD128", "OpenAEAD128", file, 3);
}

#[test]
fn xoodyak() {
    let file = "ciphers/xoodoo/vectors/xoodyak.json";
    check_aead("xoodoo/xoodyak.ua", "SealXoodyak", "OpenXoodyak", file, 1);
    let file = "ciphers/xoodoo/vectors/xoodyak-round3.json";
    check_aead("xoodoo/xoodyak.ua", "SealXoodyakRound3", "OpenXoodyakRound3", file, 1);
    let loaded = program("xoodoo/xoodyak.ua");
    let mut hash = Message::new(&loaded.program, "HashXoodyak", None).unwrap();
    for vector in vectors("ciphers/xoodoo/vectors/xoodyak-hash.json")["vectors"].as_array().unwrap() {
        let results = run(&mut hash, &[], &[("message", &bytes(vector, "input"))]);
        assert_eq!(output(&results, "digest"), bytes(vector, "output"), "{}", vector["id"]);
    }
}

#[test]
fn subterranean_sae() {
    let file = "ciphers/subterranean/vectors/subterranean-sae.json";
    check_aead("subterranean/sae.ua", "SealSAE", "OpenSAE", file, 6);
}

#[test]
fn chacha20_poly1305() {
    let file = "ciphers/chacha20/vectors/chacha20-poly1305.json";
    check_aead("chacha20/aead.ua", "SealChaCha20Poly1305", "OpenChaCha20Poly1305", file, 6);
}

/// Wycheproof's answers of AEADs of folders.
#[test]
fn constructions_of_wycheproof() {
    for (path, open, file, nonce_bytes, usual) in [
        ("chacha20/aead.ua", "OpenChaCha20Poly1305", "chacha20/vectors/wycheproof/chacha20_poly1305", 12, 14),
        (
            "chacha20/aead.ua",
            "OpenXChaCha20Poly1305",
            "chacha20/vectors/wycheproof/xchacha20_poly1305",
            24,
            14,
        ),
        ("ascon/aead.ua", "OpenAEAD128", "ascon/vectors/wycheproof/ascon_sp800_232_aead128", 16, 5),
        ("ascon/v12.ua", "OpenAscon128", "ascon/vectors/wycheproof/ascon128", 16, 5),
        ("ascon/v12.ua", "OpenAscon128a", "ascon/vectors/wycheproof/ascon128a", 16, 5),
    ] {
        let loaded = program(path);
        let mut open = Message::new(&loaded.program, open, None).unwrap();
        let (mut opened, mut refused) = (0, 0);
        for test in wycheproof(&format!("ciphers/{file}_test.json")).iter().step_by(step(usual)) {
            let [key, nonce, aad, text, tag] =
                ["key", "iv", "aad", "ct", "tag"].map(|field| bytes(test, field));
            let strings: [(&str, &[u8]); 5] =
                [("key", &key), ("nonce", &nonce), ("aad", &aad), ("cipher", &text), ("tag", &tag)];
            if nonce.len() != nonce_bytes {
                assert_eq!(test["result"], "invalid", "{file} {}", test["tcId"]);
                assert!(open.run(&[], &strings).is_err(), "{file} {}", test["tcId"]);
                continue;
            }
            match run(&mut open, &[], &strings) {
                None => {
                    assert_eq!(test["result"], "invalid", "{file} {}", test["tcId"]);
                    refused += 1;
                }
                results => {
                    assert_ne!(test["result"], "invalid", "{file} {}", test["tcId"]);
                    assert_eq!(output(&results, "plain"), bytes(test, "msg"), "{file} {}", test["tcId"]);
                    opened += 1;
                }
            }
        }
        assert!(opened > 5 && refused > 0, "{file}: {opened} opened, {refused} refused");
    }
}

/// draft-irtf-cfrg-xchacha-03, section 2.2.1 and appendix A.3.1.
#[test]
fn xchacha20_poly1305() {
    let loaded = program("chacha20/aead.ua");
    let key: Vec<u8> = (0..32).collect();
    let mut subkey = Message::new(&loaded.program, "HChaCha20", None).unwrap();
    let strings: [(&str, &[u8]); 2] = [("key", &key), ("nonce", &hex("000000090000004a0000000031415927"))];
    assert_eq!(
        output(&run(&mut subkey, &[], &strings), "subkey"),
        hex("82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc")
    );
    let key: Vec<u8> = (0x80..0xa0).collect();
    let nonce: Vec<u8> = (0x40..0x58).collect();
    let aad = hex("50515253c0c1c2c3c4c5c6c7");
    let plain =
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
        sunscreen would be it.";
    let text = hex(
        "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c670\
        8c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9\
        768812f615c68b13b52e",
    );
    let tag = hex("c0875924c1c7987947deafd8780acf49");
    let mut seal = Message::new(&loaded.program, "SealXChaCha20Poly1305", None).unwrap();
    let strings: [(&str, &[u8]); 4] = [("key", &key), ("nonce", &nonce), ("aad", &aad), ("plain", plain)];
    let results = run(&mut seal, &[], &strings);
    assert_eq!(output(&results, "cipher"), text);
    assert_eq!(output(&results, "tag"), tag);
    let mut open = Message::new(&loaded.program, "OpenXChaCha20Poly1305", None).unwrap();
    let strings: [(&str, &[u8]); 5] =
        [("key", &key), ("nonce", &nonce), ("aad", &aad), ("cipher", &text), ("tag", &tag)];
    assert_eq!(output(&run(&mut open, &[], &strings), "plain"), plain);
}

#[test]
fn poly1305() {
    let loaded = program("chacha20/poly1305.ua");
    let mut message = Message::new(&loaded.program, "Poly1305", None).unwrap();
    for vector in vectors("ciphers/chacha20/vectors/poly1305.json")["vectors"].as_array().unwrap() {
        let (key, input) = (bytes(vector, "key"), bytes(vector, "input"));
        let results = run(&mut message, &[], &[("key", &key), ("message", &input)]);
        assert_eq!(output(&results, "tag"), bytes(vector, "output"), "{}", vector["id"]);
    }
}

#[test]
fn ascon_hashes() {
    let loaded = program("ascon/hash.ua");
    for (node, file, fixed) in [
        ("Hash256", "ascon-hash256", true),
        ("XOF128", "ascon-xof128", false),
        ("CXOF128", "ascon-cxof128", false),
    ] {
        let mut message = Message::new(&loaded.program, node, None).unwrap();
        let file = vectors(&format!("ciphers/ascon/vectors/{file}.json"));
        for vector in file["vectors"].as_array().unwrap().iter().step_by(step(5)) {
            let (input, wanted) = (bytes(vector, "input"), bytes(vector, "output"));
            let mut strings: Vec<(&str, &[u8])> = vec![("message", &input)];
            let customization = if node == "CXOF128" { bytes(vector, "customization") } else { Vec::new() };
            if node == "CXOF128" {
                strings.push(("customization", &customization));
            }
            let t = [("t", wanted.len() as i64)];
            let results = run(&mut message, if fixed { &[] } else { &t }, &strings);
            assert_eq!(output(&results, "digest"), wanted, "{node} {}", vector["id"]);
        }
    }
}

/// FIPS 202 against the command line of OpenSSL, at lengths around the rates.
#[test]
fn sha3_agrees_with_openssl() {
    let loaded = program("keccak/sha3.ua");
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let functions: [(&str, &str, i64); 6] = [
        ("SHA3_224", "-sha3-224", 0),
        ("SHA3_256", "-sha3-256", 0),
        ("SHA3_384", "-sha3-384", 0),
        ("SHA3_512", "-sha3-512", 0),
        ("SHAKE128", "-shake128", 200),
        ("SHAKE256", "-shake256", 17),
    ];
    for (node, option, t) in functions {
        let mut message = Message::new(&loaded.program, node, None).unwrap();
        for length in [0, 1, 71, 72, 103, 104, 135, 136, 143, 144, 167, 168, 300] {
            let text = random.bytes(length);
            let mut command = Command::new("openssl");
            command.args(["dgst", "-binary", option]);
            if t > 0 {
                command.args(["-xoflen", &t.to_string()]);
            }
            let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
            let Ok(mut child) = child else {
                eprintln!("skipped: there is no openssl here");
                return;
            };
            child.stdin.take().unwrap().write_all(&text).unwrap();
            let wanted = child.wait_with_output().unwrap().stdout;
            let numbers = [("t", t)];
            let results = run(&mut message, if t > 0 { &numbers } else { &[] }, &[("message", &text)]);
            assert_eq!(output(&results, "digest"), wanted, "{node} of {length} bytes");
        }
    }
}
