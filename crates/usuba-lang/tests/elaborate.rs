//! Elaboration and its meaning: programs with the values they compute (`tests/run`), programs with what is said about
//! them (`tests/ui/elaborate`).
//!
//! A program may begin with comment lines for the test: `# run: x=1,2 => y=3` (one value per word of the source, in any
//! slicing), `# entry: f<1>`, `# mode: words` or `# mode: bits` (both if absent), `# word: 16`, `# direction: v`,
//! `# nat: n=5`, `# strict`, `# bitslice-arith`, `# keep-tables`, and for messages `# with: check` or
//! `# with: elaborate` (check if absent).

use std::fs;
use std::path::{Path, PathBuf};
use usuba_lang::ast::{Item, Program};
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::elaborate::{self, Options};
use usuba_lang::interpret::{Interpreter, check_inputs, interpret};
use usuba_lang::render::{Style, render};
use usuba_lang::source::Sources;
use usuba_lang::typed::{Direction, Instance, Mode, VariableId};

fn parse(name: &str, text: &str) -> (Sources, Program, Vec<Diagnostic>) {
    let mut sources = Sources::default();
    let id = sources.add(name, text);
    let (file, diagnostics) = usuba_lang::syntax::parse(id, text);
    let definitions = file.items.into_iter().filter_map(|item| match item {
        Item::Definition(definition) => Some(definition),
        Item::Include { .. } => None,
    });
    (sources, Program { definitions: definitions.collect() }, diagnostics)
}

fn directive<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let lines = text.lines().take_while(|line| line.starts_with('#') || line.is_empty());
    lines
        .filter_map(|line| line.strip_prefix("# ")?.strip_prefix(key))
        .map(|rest| rest.trim_start_matches(':').trim())
        .collect()
}

fn options(text: &str) -> Options {
    let first = |key: &str| directive(text, key).first().copied();
    let mut options = Options::new();
    options.entry = first("entry").map(str::to_string);
    options.word = first("word").map(|word| word.parse().unwrap());
    options.direction = first("direction").map(|letter| match letter {
        "v" => Direction::V,
        "h" => Direction::H,
        _ => Direction::B,
    });
    options.nats = directive(text, "nat")
        .iter()
        .map(|nat| {
            let (name, value) = nat.split_once('=').unwrap();
            (name.to_string(), value.parse().unwrap())
        })
        .collect();
    options.strict = first("strict").is_some();
    options.bitslice_arithmetic = first("bitslice-arith").is_some();
    options.keep_tables = first("keep-tables").is_some();
    options
}

fn modes(text: &str) -> Vec<Mode> {
    match directive(text, "mode").first() {
        Some(&"words") => vec![Mode::Words],
        Some(&"bits") => vec![Mode::Bits],
        _ => vec![Mode::Words, Mode::Bits],
    }
}

fn number(text: &str) -> u128 {
    match text.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).unwrap(),
        None => text.parse().unwrap(),
    }
}

/// `x=1,2 y=3`.
fn values(text: &str) -> Vec<(&str, Vec<u128>)> {
    text.split_whitespace()
        .map(|part| {
            let (name, list) = part.split_once('=').unwrap();
            (name, list.split(',').map(number).collect())
        })
        .collect()
}

/// The values of a variable as atoms: in bits mode, words are cut into bits.
fn atoms(instance: &Instance, id: VariableId, words: &[u128]) -> Vec<u128> {
    let variable = instance.variable(id);
    if variable.width == variable.word {
        return words.to_vec();
    }
    words.iter().flat_map(|word| (0..variable.word).rev().map(move |bit| word >> bit & 1)).collect()
}

fn of<'v>(values: &'v [(&str, Vec<u128>)], name: &str) -> &'v [u128] {
    &values.iter().find(|(n, _)| *n == name).unwrap_or_else(|| panic!("no value for {name}")).1
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "ua"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn check_run(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let (sources, program, parsed) = parse(&name(path), &text);
    assert!(!parsed.iter().any(Diagnostic::is_error), "{}", render(&parsed, &sources, Style::Plain));
    let runs = directive(&text, "run");
    assert!(!runs.is_empty(), "{} has no run", path.display());
    for mode in modes(&text) {
        let options = Options { mode, ..options(&text) };
        let (typed, diagnostics) = elaborate::elaborate(&program, &options);
        let said = render(&diagnostics, &sources, Style::Plain);
        let typed = typed.unwrap_or_else(|| panic!("{mode:?}:\n{said}"));
        let entry = typed.instance(typed.entry);
        let mut interpreter = Interpreter::new(&typed);
        for run in &runs {
            let (inputs, outputs) = run.split_once("=>").unwrap();
            let (inputs, outputs) = (values(inputs), values(outputs));
            let inputs: Vec<Vec<u128>> = entry
                .inputs
                .iter()
                .map(|&id| atoms(entry, id, of(&inputs, &entry.variable(id).name)))
                .collect();
            check_inputs(&typed, &inputs).unwrap();
            let results = interpreter.run(&inputs);
            for (&id, result) in entry.outputs.iter().zip(results) {
                let wanted = atoms(entry, id, of(&outputs, &entry.variable(id).name));
                let output = &entry.variable(id).name;
                assert_eq!(result, wanted, "{} {mode:?} `{run}`: output {output}", name(path));
            }
        }
    }
}

#[test]
fn programs_compute_what_they_should() {
    files("run").iter().for_each(|path| check_run(path));
}

fn check_messages(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let (sources, program, mut diagnostics) = parse(&name(path), &text);
    let options = options(&text);
    let with = directive(&text, "with");
    if with.contains(&"elaborate") {
        for mode in if directive(&text, "mode").is_empty() { vec![Mode::Words] } else { modes(&text) } {
            let (typed, said) = elaborate::elaborate(&program, &Options { mode, ..options.clone() });
            assert_eq!(typed.is_none(), said.iter().any(Diagnostic::is_error), "{}", path.display());
            diagnostics.extend(said);
        }
    } else {
        diagnostics.extend(elaborate::check(&program, options.strict));
    }
    let found = render(&diagnostics, &sources, Style::Plain);
    let golden = path.with_extension("stderr");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&golden, &found).unwrap();
    }
    let wanted = fs::read_to_string(&golden).unwrap_or_default();
    assert_eq!(found, wanted, "{}: set UPDATE_EXPECT=1 if this is how it should be", path.display());
}

#[test]
fn messages_are_as_recorded() {
    files("ui/elaborate").iter().for_each(|path| check_messages(path));
}

/// The programs of the repository.
fn ciphers() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .flat_map(|path| fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|e| e == "ua"))
        .collect();
    files.sort();
    assert!(files.len() >= 6);
    files
}

#[test]
fn ciphers_are_right() {
    for path in ciphers() {
        let text = fs::read_to_string(&path).unwrap();
        let (sources, program, _) = parse(&name(&path), &text);
        let said = elaborate::check(&program, true);
        assert!(said.is_empty(), "{}", render(&said, &sources, Style::Plain));
    }
}

/// A generator of numbers that look random (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u128 {
        let mut word = || {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            u128::from(self.0)
        };
        word() << 64 | word()
    }
}

/// Every definition of every cipher computes the same in words and in bits.
#[test]
fn bits_compute_what_words_compute() {
    let mut compared = 0;
    for path in ciphers() {
        let text = fs::read_to_string(&path).unwrap();
        let (_, program, _) = parse(&name(&path), &text);
        for definition in &program.definitions {
            let options = Options {
                entry: Some(definition.name.text.clone()),
                element: definition.array.then_some(0),
                word: Some(16),
                bitslice_arithmetic: true,
                keep_tables: true,
                ..Options::new()
            };
            let (words, _) = elaborate::elaborate(&program, &options);
            let (bits, _) = elaborate::elaborate(&program, &Options { mode: Mode::Bits, ..options.clone() });
            assert!(words.is_none() || bits.is_some(), "{} {}", name(&path), definition.name.text);
            let (Some(words), Some(bits)) = (words, bits) else { continue };
            let (entry, entry_bits) = (words.instance(words.entry), bits.instance(bits.entry));
            let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
            for _ in 0..4 {
                let inputs: Vec<Vec<u128>> = entry
                    .inputs
                    .iter()
                    .map(|&id| {
                        let variable = entry.variable(id);
                        let atoms = 0..variable.atoms();
                        atoms.map(|_| numbers.next() & (u128::MAX >> (128 - variable.width))).collect()
                    })
                    .collect();
                let input_bits: Vec<Vec<u128>> =
                    entry_bits.inputs.iter().zip(&inputs).map(|(&id, v)| atoms(entry_bits, id, v)).collect();
                let outputs = interpret(&words, &inputs);
                let wanted: Vec<Vec<u128>> = entry_bits
                    .outputs
                    .iter()
                    .zip(&outputs)
                    .map(|(&id, v)| atoms(entry_bits, id, v))
                    .collect();
                assert_eq!(interpret(&bits, &input_bits), wanted, "{} {}", name(&path), definition.name.text);
            }
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}
