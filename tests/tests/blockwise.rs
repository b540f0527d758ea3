//! Modes as machine code equal the form of messages: every mode over AES on every target with AES rounds.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use usuba_blockwise::machine::Machine;
use usuba_blockwise::message::{Code, code};
use usuba_blockwise::plan::Refusal;
use usuba_lang::load::Loaded;
use usuba_message::form::{Message, Sameness};
use usuba_message::interpret::Runner;
use usuba_message::number::Term;
use usuba_message::{elaborate, passes};
use usuba_package::OutputFile;
use usuba_package::message::{self, CIPHER, MODES, Mode};
use usuba_target::{Target, by_name};
use usuba_tests::ciphers::root;
use usuba_tests::messages::{bound, bytes};
use usuba_tests::round_keys::round_keys;
use usuba_trial::run::{Compiler, Family};

/// A message after the passes.
fn streamed(loaded: &Loaded, node: &str) -> Message {
    let mut message = elaborate::elaborate(&loaded.program, node, Some(CIPHER)).unwrap();
    passes::run(&mut message).unwrap();
    message
}

fn generated(
    loaded: &Loaded,
    message: &Message,
    wide: &'static Target,
    narrow: &'static Target,
) -> Result<Code, Refusal> {
    let mut loaded = loaded.clone();
    loaded.program = message.program.clone();
    let wide = Machine::new(&loaded, wide);
    let narrow = Machine::new(&loaded, narrow);
    code(message, &wide, &narrow, "message")
}

/// A program that reads numbers and strings and calls the message; strings end at a page that cannot be read.
fn harness(message: &Message, code: &Code) -> String {
    let mut text =
        format!("{HARNESS}\n{};\n{};\n\nint main(void) {{\n  for (;;) {{\n", code.prepare, code.prototype);
    let lengths = message.lengths.len();
    let (inputs, outputs) = (message.inputs.len(), message.outputs.len());
    let _ = writeln!(text, "    int64_t n[{}] = {{0}};", lengths.max(1));
    let _ = writeln!(text, "    if (fread(n, 8, {lengths}, stdin) != {lengths} || feof(stdin)) return 0;");
    let _ = writeln!(text, "    struct string s[{}];", inputs + outputs);
    let _ = writeln!(text, "    for (int at = 0; at < {inputs}; at++) s[at] = given();");
    let _ = writeln!(text, "    for (int at = {inputs}; at < {}; at++) s[at] = room();", inputs + outputs);
    let of_key = message.inputs.iter().enumerate();
    let of_key = of_key.filter(|(_, id)| message.variable(**id).sameness == Sameness::Key);
    let of_key: String = of_key.map(|(at, _)| format!("s[{at}].bytes, ")).collect();
    let _ = writeln!(text, "    _Alignas(64) static uint8_t prepared[{}];", code.prepared.max(1));
    let _ = writeln!(text, "    message_prepare({of_key}prepared);");
    let arguments = (0..lengths).map(|at| format!("n[{at}]"));
    let arguments: Vec<String> = arguments
        .chain(["prepared".into()])
        .chain((0..inputs + outputs).map(|at| format!("s[{at}].bytes")))
        .collect();
    let _ = writeln!(text, "    putchar(message({}));", arguments.join(", "));
    let _ = writeln!(
        text,
        "    for (int at = 0; at < {}; at++) {{ if (at >= {inputs}) fwrite(s[at].bytes, 1, s[at].size, stdout); \
         give_back(s[at]); }}",
        inputs + outputs
    );
    text + "  }\n}\n"
}

const HARNESS: &str = r"#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
struct string { uint8_t *bytes; size_t size, all; };
static struct string room(void) {
  uint32_t size;
  if (fread(&size, 4, 1, stdin) != 1) exit(9);
  size_t page = (size_t)sysconf(_SC_PAGESIZE), all = (size + page - 1) / page * page;
  uint8_t *memory = mmap(NULL, all + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + all, page, PROT_NONE)) exit(8);
  return (struct string){memory + all - size, size, all + page};
}
static struct string given(void) {
  struct string string = room();
  if (fread(string.bytes, 1, string.size, stdin) != string.size) exit(7);
  return string;
}
static void give_back(struct string string) { munmap(string.bytes + string.size - (string.all - (size_t)sysconf(_SC_PAGESIZE)), string.all); }
";

const LENGTHS: [i64; 20] = [16, 0, 12, 17, 1, 33, 4, 15, 32, 8, 31, 48, 64, 7, 512, 513, 640, 13, 191, 1103];

/// Messages of a mode, and what the form says of them.
struct Cases {
    loaded: Loaded,
    message: Message,
    /// What the program reads.
    given: Vec<u8>,
    /// For each message its lengths, and what the program writes: whether it is refused, then the outputs.
    expected: Vec<(Vec<i64>, Vec<u8>)>,
}

/// The cases of a mode, made once for all targets.
fn cases(mode: Mode) -> Arc<Cases> {
    static KNOWN: Mutex<BTreeMap<&str, Arc<Cases>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap();
    Arc::clone(known.entry(mode.name).or_insert_with(|| Arc::new(made_cases(mode))))
}

fn made_cases(mode: Mode) -> Cases {
    let name = mode.name;
    let loaded = bound("aes", "aes-128", mode);
    let message = streamed(&loaded, mode.node);
    let mut runner = Runner::new(&message).unwrap();
    let sealing = name.strip_suffix("-open").map(|name| {
        let mode = message::named(&format!("{name}-seal")).unwrap();
        streamed(&bound("aes", "aes-128", mode), mode.node)
    });
    let (mut given, mut expected) = (Vec::new(), Vec::new());
    for seed in 0..4000u64 {
        if expected.len() == 24 {
            break;
        }
        let draw = bytes(seed + 1, message.lengths.len());
        let chosen: Vec<i64> = draw.iter().map(|&byte| LENGTHS[byte as usize % LENGTHS.len()]).collect();
        let value = |term: &Term| match term {
            Term::Length(length) => chosen[*length as usize],
            _ => 0,
        };
        let size = |id| {
            let variable = message.variable(id);
            let count = variable.count.as_ref().map_or(Ok(1), |count| count.evaluate(&value)).ok()?;
            Some(usize::try_from(count).ok()? * variable.words.count as usize)
        };
        let mut inputs: Vec<Vec<u128>> = Vec::new();
        for (place, &id) in message.inputs.iter().enumerate() {
            let is_key = message.variable(id).words.count == 176;
            let string = bytes(1000 * seed + place as u64, if is_key { 16 } else { size(id).unwrap_or(0) });
            inputs.push(match is_key {
                true => round_keys(&string).iter().map(|&byte| byte.into()).collect(),
                false => string.iter().map(|&byte| byte.into()).collect(),
            });
        }
        let mut outcome = runner.run(&chosen, &inputs);
        // What opens is tried with what was sealed, but for some.
        if let (Ok(None), Some(seal)) = (&outcome, &sealing)
            && !expected.len().is_multiple_of(4)
        {
            let last = inputs.len() - 2;
            let mut lengths: Vec<i64> = chosen.clone();
            // The tag's length is a number of the seal; the order of the others is the same.
            let tag = seal.lengths.iter().position(|name| name == "t");
            let own = message.lengths.iter().position(|name| name == "t");
            if let (Some(tag), Some(own)) = (tag, own) {
                let t = lengths.remove(own);
                lengths.insert(tag, t);
            }
            let sealed = Runner::new(seal).unwrap().run(&lengths, &inputs[..=last]);
            let sealed = sealed.ok().flatten().expect("what is sealed has outputs");
            inputs[last].clone_from(&sealed[0]);
            inputs[last + 1].clone_from(&sealed[1]);
            outcome = runner.run(&chosen, &inputs);
            assert!(matches!(outcome, Ok(Some(_))), "{name}: what was sealed opens");
        }
        let Ok(outcome) = outcome else { continue };
        chosen.iter().for_each(|length| given.extend(length.to_le_bytes()));
        for words in &inputs {
            given.extend((words.len() as u32).to_le_bytes());
            given.extend(words.iter().map(|&word| word as u8));
        }
        let sizes: Vec<usize> = message.outputs.iter().map(|&id| size(id).unwrap_or(0)).collect();
        sizes.iter().for_each(|&size| given.extend((size as u32).to_le_bytes()));
        let mut written = vec![u8::from(outcome.is_none())];
        let all = outcome.unwrap_or_else(|| sizes.iter().map(|&size| vec![0; size]).collect());
        written.extend(all.iter().flatten().map(|&word| word as u8));
        expected.push((chosen, written));
    }
    Cases { loaded, message, given, expected }
}

fn compare(
    mode: Mode,
    wide: &'static Target,
    narrow: &'static Target,
    family: Family,
) -> Result<(usize, Code), Refusal> {
    let name = mode.name;
    let cases = cases(mode);
    let message = &cases.message;
    let made = generated(&cases.loaded, message, wide, narrow)?;
    if std::env::var_os("USUBA_SHOW").is_some() {
        std::fs::write(format!("/tmp/{name}.c"), &made.source).unwrap();
    }
    let compiler = Compiler::find(wide, family).expect("a compiler");
    let file = |path: &str, contents: String| OutputFile { path: path.into(), contents };
    let files = [file("main.c", harness(message, &made)), file("message.c", made.source.clone())];
    let flags = ["-O1", "-Wall", "-Wno-unused-function", "-Wno-missing-prototypes", "-Wno-unused-parameter"];
    // What the narrow target needs beside the wide one.
    let narrow = Compiler::find(narrow, family).expect("a compiler");
    let flags: Vec<&str> = flags.into_iter().chain(narrow.flags.iter().map(String::as_str)).collect();
    let program = compiler.compile(&files, &flags).unwrap_or_else(|error| panic!("{name}: {error}"));
    let found = program.run(&cases.given).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut found = found.as_slice();
    for (lengths, expected) in &cases.expected {
        let (one, rest) = found.split_at(expected.len().min(found.len()));
        assert_eq!(one, expected, "{name} on {} by {}, lengths {lengths:?}", wide.name, family.name());
        found = rest;
    }
    assert!(found.is_empty(), "{name}");
    Ok((cases.expected.len(), made))
}

/// The modes that are code on blocks, by what their loops are. `UPDATE_EXPECT=1` writes the file anew.
const GOLDEN: &str = "tests/messages/blockwise.txt";

fn on(wide: &str, narrow: &str, family: Family) {
    let (wide, narrow) = (by_name(wide).unwrap(), by_name(narrow).unwrap());
    let golden = std::fs::read_to_string(root().join(GOLDEN)).unwrap_or_default();
    let only = std::env::var("USUBA_MODE").ok();
    let mut found = String::new();
    for mode in MODES.iter().filter(|mode| only.as_ref().is_none_or(|only| *only == mode.name)) {
        let _ = writeln!(found, "{}", mode.name);
        match compare(*mode, wide, narrow, family) {
            Ok((cases, code)) => {
                assert!(cases >= 20, "{}: {cases} cases", mode.name);
                code.loops.iter().for_each(|one| writeln!(found, "  {one}").unwrap());
            }
            Err(refusal) => writeln!(found, "  none: {}", refusal.0).unwrap(),
        }
    }
    if only.is_some() {
        println!("{found}");
        return;
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(root().join(GOLDEN), &found).unwrap();
    } else {
        assert_eq!(found, golden, "{GOLDEN}: set UPDATE_EXPECT=1 if this is how it should be");
    }
}

#[test]
fn avx512_vaes() {
    on("avx512-vaes", "avx-aes", Family::Gcc);
}

#[test]
fn avx2_vaes() {
    on("avx2-vaes", "avx-aes", Family::Clang);
}

#[test]
fn avx_aes() {
    on("avx-aes", "avx-aes", Family::Gcc);
}

#[test]
fn neon_aes() {
    on("neon-aes", "neon-aes", Family::Gcc);
}
