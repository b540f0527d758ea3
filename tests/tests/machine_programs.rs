//! A message as a machine program: counter mode with a tail over the kernels of AES that the compiler makes, through the
//! checker, the interpreter, our assembly and both C compilers, with known answers, every length up to a few batches, strings
//! that end at a guard page, in place and not.

use std::fmt::Write;
use std::ops::ControlFlow;
use usuba_codegen::{Options, Product};
use usuba_compiler::pipeline::{self, Observer, Settings};
use usuba_ir::layout::Slicing;
use usuba_machine::program::Program;
use usuba_machine::{Checked, check, run};
use usuba_package::OutputFile;
use usuba_target::Target;
use usuba_tests::ciphers::{Cipher, root};
use usuba_tests::round_keys::round_keys;
use usuba_trial::run::{Compiler, Family};

/// The machine program of a kernel after the last pass.
#[derive(Default)]
struct Last(Option<Program>);

impl Observer for Last {
    fn after(&mut self, stage: &'static str, product: pipeline::Product<'_>) -> ControlFlow<()> {
        if let (pipeline::Product::Generated(Product::Machine(program, _)), "overlay") = (product, stage) {
            self.0 = Some(program.clone());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// The text of a kernel for so many registers of blocks, called `name`.
fn kernel(cipher: &Cipher, target: &'static Target, batches: Option<u32>, name: &str) -> String {
    let mut settings = Settings::new(Slicing::Packed(16), Some("Encrypt128"));
    settings.passes.interleave = batches;
    let mut last = Last::default();
    let options = Options { symbol: name.into(), ..Options::default() };
    let _ = pipeline::compile(&cipher.loaded, &settings, target, &options, &mut last);
    let mut program = last.0.expect("a kernel");
    let entry = program.functions.last_mut().expect("a function");
    entry.name = name.into();
    let text = program.to_string();
    text[text.find("function").expect("a function")..].to_owned()
}

/// The mode with its kernels.
fn message(target: &'static Target) -> Checked {
    let cipher = Cipher::read("aes");
    let path = root().join(format!("tests/machine/ctr-{}.machine", target.name));
    let mode = std::fs::read_to_string(path).expect("the program");
    let text = format!(
        "target {}\nfile \"aes.ua\"\n\n{}\n{}\n{mode}",
        target.name,
        kernel(&cipher, target, None, "Encrypt"),
        kernel(&cipher, target, Some(4), "EncryptFour"),
    );
    let program = Program::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(Program::parse(&program.to_string()).as_ref(), Ok(&program), "it prints and parses");
    check(program).unwrap_or_else(|flaws| panic!("{flaws:#?}"))
}

fn interpreted(program: &Checked, key: &[u8], first: &[u8], plain: &[u8]) -> Vec<u8> {
    let length = (plain.len() as u64).to_le_bytes().to_vec();
    let inputs = [round_keys(key), first.to_vec(), plain.to_vec(), length];
    run(program, &inputs).unwrap_or_else(|fault| panic!("{fault}")).remove(0)
}

/// Key, first counter block, plain text, cipher text.
type Known = [Vec<u8>; 4];

fn known_answers() -> Vec<Known> {
    let path = root().join("ciphers/aes/vectors/aes-ctr.json");
    let text = std::fs::read_to_string(path).expect("the vectors");
    let file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let bytes = |value: &serde_json::Value| -> Vec<u8> {
        let text = value.as_str().unwrap_or_default();
        (0..text.len() / 2)
            .map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("hex"))
            .collect()
    };
    let vectors = file["vectors"].as_array().expect("vectors").iter();
    let known = vectors.map(|vector| ["key", "nonce", "input", "output"].map(|name| bytes(&vector[name])));
    let known: Vec<Known> = known.filter(|[key, first, ..]| key.len() == 16 && first.len() == 16).collect();
    assert!(known.len() > 10, "{} vectors", known.len());
    known
}

/// Calls the function with strings that end at a page that cannot be read.
const HARNESS: &str = r"#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void ctr(const uint8_t *key, const uint8_t *first, const uint8_t *plain, size_t length, uint8_t *cipher);

enum { LARGEST = 8192 };

static uint8_t *guarded(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uint8_t *memory = mmap(NULL, LARGEST + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + LARGEST + page, page, PROT_NONE) || mprotect(memory, page, PROT_NONE)) exit(3);
  return memory + page;
}

int main(void) {
  uint8_t *source = guarded(), *goal = guarded(), key[176], first[16];
  uint32_t length;
  while (fread(&length, 4, 1, stdin) == 1) {
    if (length > LARGEST || fread(key, 1, 176, stdin) != 176 || fread(first, 1, 16, stdin) != 16) return 4;
    uint8_t *plain = source + LARGEST - length, *cipher = goal + LARGEST - length;
    if (fread(plain, 1, length, stdin) != length) return 4;
    memset(goal, 0xee, LARGEST);
    ctr(key, first, plain, length, cipher);
    fwrite(cipher, 1, length, stdout);
    for (size_t at = 0; at < LARGEST - length; at++)
      if (goal[at] != 0xee) return 5;
    /* In place, and before what must stay as it is. */
    memcpy(goal, plain, length);
    memset(goal + length, 0xee, LARGEST - length);
    ctr(key, first, goal, length, goal);
    if (fwrite(goal, 1, length, stdout) != length) return 6;
    for (size_t at = length; at < LARGEST; at++)
      if (goal[at] != 0xee) return 7;
  }
  return 0;
}
";

/// Runs the cases through the program that is in a file, in C or in assembly.
fn through(target: &'static Target, family: Family, file: &OutputFile, cases: &[(Known, &str)]) {
    let compiler = Compiler::find(target, family).expect("a compiler");
    let harness = OutputFile { path: "main.c".into(), contents: HARNESS.into() };
    let program = compiler
        .compile(&[harness, file.clone()], &["-O2", "-Wno-missing-prototypes"])
        .unwrap_or_else(|error| panic!("{error}"));
    let mut input = Vec::new();
    for ([key, first, plain, _], _) in cases {
        input.extend((plain.len() as u32).to_le_bytes());
        input.extend(round_keys(key));
        input.extend(first);
        input.extend(plain);
    }
    let output = program.run(&input).unwrap_or_else(|error| panic!("{}: {error}", file.path));
    let mut rest = output.as_slice();
    for ([_, _, _, wanted], what) in cases {
        for place in ["", ", in place"] {
            let (found, after) = rest.split_at(wanted.len().min(rest.len()));
            assert_eq!(found, wanted, "{}: {what}, {} bytes{place}", file.path, wanted.len());
            rest = after;
        }
    }
    assert!(rest.is_empty());
}

fn counter_mode(target: &'static Target) {
    let program = message(target);
    let known = known_answers();
    for [key, first, plain, cipher] in &known {
        assert_eq!(interpreted(&program, key, first, plain), *cipher, "{first:02x?}");
    }
    // Counters that carry out of 32 and of 64 bits, and wrap.
    let [key, ..] = &known[0];
    let long: Vec<u8> = (0..1500_u32).map(|at| ((at * at) >> 3) as u8).collect();
    let mut all: Vec<(Known, &str)> = known.iter().map(|known| (known.clone(), "a known answer")).collect();
    for (first, what) in
        [([0xff_u8; 16], "wraps"), (*b"\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xf7", "carries")]
    {
        let stream = interpreted(&program, key, &first, &long);
        for length in [0, 1, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257, 511, 512, 600] {
            assert_eq!(
                interpreted(&program, key, &first, &long[..length]),
                stream[..length],
                "{length} bytes"
            );
        }
        for length in (0..700).chain([1024, 1499, 1500]) {
            all.push((
                [key.clone(), first.to_vec(), long[..length].to_vec(), stream[..length].to_vec()],
                what,
            ));
        }
    }
    let assembly = usuba_codegen::assembly(&program, 128, "ctr").unwrap_or_else(|stop| panic!("{stop}"));
    let c = usuba_codegen::program_source(&program, "ctr");
    let mut report = String::new();
    for (family, path, contents) in
        [(Family::Gcc, "ctr.S", &assembly), (Family::Gcc, "ctr.c", &c), (Family::Clang, "ctr.c", &c)]
    {
        let file = OutputFile { path: path.into(), contents: contents.clone() };
        if Compiler::find(target, family).and_then(|compiler| compiler.available()).is_err() {
            let _ = writeln!(report, "{} is not installed", family.name());
            continue;
        }
        through(target, family, &file, &all);
    }
    println!("{report}{} cases", all.len());
}

#[test]
fn counter_mode_with_masks() {
    counter_mode(&usuba_target::machines::AVX512_GFNI);
}

#[test]
fn counter_mode_without_masks() {
    counter_mode(&usuba_target::machines::AVX2_GFNI);
}
