//! Modes as machine code give the published answers: AES-128, 192 and 256 on every target with rounds of AES.
//!
//! Every vector goes through every program; an opening that must succeed is also tried with a bit of its tag, its text and its
//! associated data changed. All strings lie at odd addresses between guards. Programs are what `usubac build --mode` writes,
//! with the header, without warnings. One compiler a target by default, and each target has the part of the modes that is
//! its turn beside GCM; with `USUBA_WAYS=all` all compilers compile all modes.

use std::fmt::Write;
use std::sync::OnceLock;
use usuba_lang::ast::BaseType;
use usuba_lang::load::{Loaded, load};
use usuba_message::form::Message;
use usuba_message::number::Term;
use usuba_message::{elaborate, passes};
use usuba_package::OutputFile;
use usuba_package::message::files::{Labels, Machines, files};
use usuba_package::message::{self, CIPHER};
use usuba_target::by_name;
use usuba_tests::answers::{Case, all_cases, changed_too};
use usuba_tests::ciphers::{Disk, root};
use usuba_tests::messages::bound;
use usuba_tests::round_keys::round_keys;
use usuba_tests::ways;
use usuba_trial::run::{Compiler, Family, RunError};

const MAIN: &str = r#"
static uint32_t number(void) {
  uint32_t value;
  if (fread(&value, 4, 1, stdin) != 1) exit(9);
  return value;
}
/* At an odd address, with a guard before and behind; of no bytes, nowhere. */
struct string { uint8_t *bytes; size_t size; };
static struct string room(void) {
  size_t size = number();
  if (size == 0) return (struct string){NULL, 0};
  uint8_t *memory = malloc(size + 18);
  if (memory == NULL) exit(8);
  memset(memory, 0xa5, size + 18);
  struct string string = {memory + 9, size};
  return string;
}
static int is_whole(struct string string) {
  int whole = 1;
  for (int at = 1; at <= 9; at++) {
    whole &= string.bytes[-at] == 0xa5;
    whole &= string.bytes[string.size + (size_t)at - 1] == 0xa5;
  }
  return whole;
}
"#;

/// A program of many messages: the number of one, its lengths, inputs and the sizes of its outputs, and it answers.
fn main_file(messages: &[(String, Message)]) -> String {
    let mut text = String::from("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n");
    messages.iter().for_each(|(name, _)| writeln!(text, "#include \"{name}.h\"").unwrap());
    text += MAIN;
    text += "int main(void) {\n  int which;\n  while ((which = getchar()) != EOF) {\n    struct string s[8];\n    size_t n[8];\n    \
             int code = 9;\n    int inputs = (int)number(), outputs = (int)number(), lengths = (int)number();\n    \
             for (int at = 0; at < lengths; at++) n[at] = number();\n    \
             for (int at = 0; at < inputs + outputs; at++) s[at] = room();\n    \
             for (int at = 0; at < inputs; at++) if (s[at].size > 0 && fread(s[at].bytes, 1, s[at].size, stdin) != s[at].size) exit(7);\n    \
             switch (which) {\n";
    for (number, (name, message)) in messages.iter().enumerate() {
        let strings = message.inputs.len() + message.outputs.len();
        let lengths = (0..message.lengths.len()).map(|at| format!("n[{at}]"));
        let strings = (0..strings).map(|at| format!("s[{at}].bytes"));
        let arguments: Vec<String> = lengths.chain(["prepared".into()]).chain(strings).collect();
        let is_key = |id| matches!(message.variable(id).ty.base, BaseType::Keys(_));
        let keys = message.inputs.iter().enumerate().filter(|(_, id)| is_key(**id));
        let keys: String = keys.map(|(at, _)| format!("s[{at}].bytes, ")).collect();
        let _ = writeln!(
            text,
            "    case {number}: {{\n      _Alignas({0}_PREPARED_ALIGNMENT) static uint8_t prepared[{0}_PREPARED_BYTES];\n      \
             {name}_prepare({keys}prepared);\n      code = {name}({1});\n      break;\n    }}",
            name.to_uppercase(),
            arguments.join(", ")
        );
    }
    text + "    }\n    putchar(code);\n    for (int at = 0; at < inputs + outputs; at++) {\n      \
            if (at >= inputs && s[at].size > 0) fwrite(s[at].bytes, 1, s[at].size, stdout);\n      \
            if (s[at].size == 0) continue;\n      \
            if (!is_whole(s[at])) exit(6);\n      free(s[at].bytes - 9);\n    }\n  }\n  return 0;\n}\n"
}

/// What the program reads for a case, and what it must answer.
fn exchange(number: usize, message: &Message, case: &Case) -> (Vec<u8>, Vec<u8>) {
    let mut lengths: Vec<Option<i64>> =
        message.lengths.iter().map(|name| case.numbers.get(name).copied()).collect();
    let mut inputs = Vec::new();
    for &id in &message.inputs {
        let variable = message.variable(id);
        let string =
            case.inputs.get(&variable.name).unwrap_or_else(|| panic!("{}: {}", case.id, variable.name));
        if let Some(count) = &variable.count {
            let element = i64::from(variable.words.bytes().unwrap());
            for (term, factor) in count.terms() {
                if let (Term::Length(place), 1) = (term, factor) {
                    lengths[*place as usize] = Some(string.len() as i64 / element);
                }
            }
        }
        inputs.push(match variable.ty.base {
            BaseType::Keys(_) => round_keys(string),
            _ => string.clone(),
        });
    }
    let lengths: Vec<i64> = lengths.into_iter().map(|one| one.expect("a length")).collect();
    let value = |term: &Term| match term {
        Term::Length(place) => lengths[*place as usize],
        _ => 0,
    };
    let mut given = vec![number as u8];
    let mut word = |value: usize| given.extend((value as u32).to_le_bytes());
    [inputs.len(), message.outputs.len(), lengths.len()].into_iter().for_each(&mut word);
    lengths.iter().for_each(|&length| word(length as usize));
    inputs.iter().for_each(|input| word(input.len()));
    // Lengths that are none of the mode are another result, and nothing is written: `room` says what stands there.
    let (refusal, left) = if case.fits { (1, 0) } else { (2, 0xa5) };
    let mut answer = vec![if case.outputs.is_none() { refusal } else { 0 }];
    for &id in &message.outputs {
        let variable = message.variable(id);
        let size = variable.bytes().unwrap().evaluate(&value).unwrap() as usize;
        word(size);
        answer.extend(match &case.outputs {
            Some(outputs) => outputs[&variable.name].clone(),
            None => vec![left; size],
        });
    }
    given.extend(inputs.into_iter().flatten());
    (given, answer)
}

/// The messages of all cases, made once: the program and the form.
fn messages() -> &'static [(String, String, Loaded, Message)] {
    static KNOWN: OnceLock<Vec<(String, String, Loaded, Message)>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let made = |(primitive, mode): &(String, String)| {
            let known = message::named(mode).unwrap();
            let loaded = bound("aes", primitive, known);
            let mut message = elaborate::elaborate(&loaded.program, known.node, Some(CIPHER)).unwrap();
            passes::run(&mut message).unwrap();
            (primitive.clone(), mode.clone(), loaded, message)
        };
        // The rounds are those of AES.
        all_cases().keys().filter(|(primitive, _)| primitive.starts_with("aes-")).map(made).collect()
    })
}

fn on(target: &str, families: &[Family], turn: usize) {
    let machines = Machines::of(by_name(target).unwrap()).unwrap();
    let mut compiled: Vec<OutputFile> = Vec::new();
    let mut headers: Vec<OutputFile> = Vec::new();
    let mut built: Vec<(String, Message)> = Vec::new();
    let (mut given, mut expected) = (Vec::new(), Vec::new());
    let mut refused = 0;
    for (number, (primitive, mode, loaded, message)) in messages().iter().enumerate() {
        let is_gcm = mode.starts_with("gcm-") && !mode.contains("siv") && primitive == "aes-256";
        if !ways::all() && !is_gcm && number % 4 != turn {
            continue;
        }
        let symbol = format!("{primitive}_{mode}").replace('-', "_");
        let labels = Labels { symbol: symbol.clone(), stem: symbol.clone(), ..Labels::default() };
        let made = match files(message, loaded, machines, &labels) {
            Ok(made) => made,
            // It makes round keys, for which libraries have a function: `library_modes` asks them.
            Err(_) if mode.starts_with("gcm-siv") => continue,
            Err(refusal) => panic!("{symbol}: {}", refusal.0),
        };
        compiled.push(made.source);
        headers.push(made.header);
        for case in &changed_too(&all_cases()[&(primitive.clone(), mode.clone())]) {
            let (request, answer) = exchange(built.len(), message, case);
            given.extend(request);
            refused += usize::from(case.outputs.is_none());
            expected.push((format!("{symbol}: {}", case.id), answer));
        }
        built.push((symbol, message.clone()));
    }
    compiled.push(OutputFile { path: "main.c".into(), contents: main_file(&built) });
    for &family in if ways::all() { &[Family::Gcc, Family::Clang] } else { families } {
        let mut compiler = match Compiler::find(by_name(target).unwrap(), family) {
            Err(RunError::Features { .. }) => {
                println!("not run, this machine lacks {target}");
                continue;
            }
            found => found.expect("a compiler"),
        };
        // The head of the files says so.
        compiler.flags.extend(machines.flags().iter().map(|flag| (*flag).to_owned()));
        let flags =
            ["-O1", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wmissing-prototypes"];
        let program =
            compiler.compile_with(&compiled, &headers, &flags).unwrap_or_else(|error| panic!("{error}"));
        let found = program.run(&given).unwrap_or_else(|error| panic!("{target}: {error}"));
        let mut found = found.as_slice();
        for (id, answer) in &expected {
            let (one, rest) = found.split_at(answer.len().min(found.len()));
            assert_eq!(one, answer, "{target} by {}: {id}", family.name());
            found = rest;
        }
        assert!(found.is_empty());
        println!(
            "{target} by {}: {} messages, {} answers, {refused} refused",
            family.name(),
            built.len(),
            expected.len()
        );
    }
    assert!(refused >= 300, "{refused}");
}

#[test]
fn avx512_vaes() {
    on("avx512-vaes", &[Family::Clang], 0);
}

#[test]
fn avx2_vaes() {
    on("avx2-vaes", &[Family::Gcc], 1);
}

#[test]
fn avx_aes() {
    on("avx-aes", &[Family::Clang], 2);
}

#[test]
fn neon_aes() {
    on("neon-aes", &[Family::Gcc], 3);
}

/// Programs of folders on words, without known answers here: `blockwise.rs` compares them with their form.
const ON_WORDS: [(&str, &str); 6] = [
    ("ciphers/ascon/aead.ua", "OpenAEAD128"),
    ("ciphers/ascon/hash.ua", "CXOF128"),
    ("ciphers/keccak/sha3.ua", "SHA3_256"),
    ("ciphers/keccak/sha3.ua", "SHAKE128"),
    ("ciphers/chacha20/poly1305.ua", "Poly1305"),
    ("ciphers/chacha20/aead.ua", "OpenXChaCha20Poly1305"),
];

/// No compiler warns of sources, nor C++ of headers.
#[test]
fn nothing_is_warned_of() {
    let mut sources = Vec::new();
    let mut headers = Vec::new();
    let mut add = |loaded: &Loaded, node: &str, cipher, machines, stem: &str| {
        let mut message = elaborate::elaborate(&loaded.program, node, cipher).unwrap();
        passes::run(&mut message).unwrap();
        let labels = Labels { symbol: stem.into(), stem: stem.into(), ..Labels::default() };
        let made =
            files(&message, loaded, machines, &labels).unwrap_or_else(|why| panic!("{node}: {}", why.0));
        sources.push(made.source);
        headers.push(made.header);
    };
    for (path, node) in ON_WORDS {
        let loaded = load(&root().join(path).to_string_lossy(), &[], &Disk);
        add(&loaded, node, None, Machines::of(by_name("gp64").unwrap()).unwrap(), &node.to_lowercase());
    }
    let target = by_name("avx-aes").unwrap();
    for name in ["gmac", "ghash"] {
        let mode = message::named(name).unwrap();
        let loaded = bound("aes", "aes-128", mode);
        add(&loaded, mode.node, Some(CIPHER), Machines::of(target).unwrap(), name);
    }
    let includes = headers.iter().map(|header| format!("#include \"{}\"\n", header.path)).collect::<String>();
    let main = format!("{includes}int main() {{ return 0; }}\n");
    let folder = tempfile::tempdir().unwrap();
    for file in &headers {
        std::fs::write(folder.path().join(&file.path), &file.contents).unwrap();
    }
    std::fs::write(folder.path().join("all.cpp"), &main).unwrap();
    let mut cpp = std::process::Command::new("g++");
    let said = cpp.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "all.cpp"]);
    let said = said.current_dir(folder.path()).output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    for family in [Family::Gcc, Family::Clang] {
        let compiler = Compiler::find(target, family).expect("a compiler");
        let all: Vec<OutputFile> = sources.iter().chain(&headers).cloned().collect();
        let flags =
            ["-O2", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wmissing-prototypes"];
        compiler.objects(&all, &flags, None).unwrap_or_else(|error| panic!("{error}"));
    }
}
