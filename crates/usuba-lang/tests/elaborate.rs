//! Elaboration and its meaning: programs with the values they compute (`tests/run`), programs with what is said about
//! them (`tests/ui/elaborate`).
//!
//! A program may begin with comment lines for the test: `# run: x=1,2 => y=3` (one value per word of the source, in any
//! slicing), `# entry: f<1>`, `# atoms: words` or `# atoms: bits` (both if absent), `# word: 16`, `# direction: v`,
//! `# nat: n=5`, `# count: plain=5`, `# cipher: Toy`, `# strict`, `# bitslice-arith`, `# keep-tables`, and for messages `# with: check` or
//! `# with: elaborate` (check if absent).

use std::fs;
use std::path::{Path, PathBuf};
use usuba_lang::ast::Program;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::elaborate::{self, Options};
use usuba_lang::interpret::{Interpreter, check_inputs, interpret};
use usuba_lang::load::{Loader, load};
use usuba_lang::render::{Style, render};
use usuba_lang::source::Sources;
use usuba_lang::typed::{self, Atoms, Direction, Instance, VariableId};

fn parse(name: &str, text: &str) -> (Sources, Program, Vec<Diagnostic>) {
    let mut sources = Sources::default();
    let id = sources.add(name, text);
    let (file, diagnostics) = usuba_lang::syntax::parse(id, text);
    let mut program = Program::default();
    file.items.into_iter().for_each(|item| program.add(item));
    (sources, program, diagnostics)
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
    options.words = directive(text, "count")
        .iter()
        .map(|words| {
            let (name, value) = words.split_once('=').unwrap();
            (name.to_string(), value.parse().unwrap())
        })
        .collect();
    options.cipher = first("cipher").map(str::to_string);
    options.strict = first("strict").is_some();
    options.bitslice_arithmetic = first("bitslice-arith").is_some();
    options.keep_tables = first("keep-tables").is_some();
    options
}

fn kinds(text: &str) -> Vec<Atoms> {
    match directive(text, "atoms").first() {
        Some(&"words") => vec![Atoms::Words],
        Some(&"bits") => vec![Atoms::Bits],
        _ => vec![Atoms::Words, Atoms::Bits],
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

/// The values of a variable as atoms: where atoms are bits, words are cut into bits.
fn as_atoms(instance: &Instance, id: VariableId, words: &[u128]) -> Vec<u128> {
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
    for atoms in kinds(&text) {
        let options = Options { atoms, ..options(&text) };
        let (typed, diagnostics) = elaborate::elaborate(&program, &options);
        let said = render(&diagnostics, &sources, Style::Plain);
        let typed = typed.unwrap_or_else(|| panic!("{atoms:?}:\n{said}"));
        let entry = typed.instance(typed.entry());
        let mut interpreter = Interpreter::new(&typed);
        for run in &runs {
            let (inputs, outputs) = run.split_once("=>").unwrap();
            let (inputs, outputs) = (values(inputs), values(outputs));
            let inputs: Vec<Vec<u128>> = entry
                .inputs
                .iter()
                .map(|&id| as_atoms(entry, id, of(&inputs, &entry.variable(id).name)))
                .collect();
            check_inputs(&typed, &inputs).unwrap();
            let results = interpreter.run(&inputs);
            for (&id, result) in entry.outputs.iter().zip(results) {
                let wanted = as_atoms(entry, id, of(&outputs, &entry.variable(id).name));
                let output = &entry.variable(id).name;
                assert_eq!(result, wanted, "{} {atoms:?} `{run}`: output {output}", name(path));
            }
        }
    }
}

#[test]
fn programs_compute_what_they_should() {
    let failures: Vec<_> = files("run")
        .iter()
        .filter_map(|path| std::panic::catch_unwind(|| check_run(path)).err().map(|_| name(path)))
        .collect();
    assert!(failures.is_empty(), "{failures:?}");
}

fn check_messages(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let (sources, program, mut diagnostics) = parse(&name(path), &text);
    let options = options(&text);
    let with = directive(&text, "with");
    if with.contains(&"elaborate") {
        for atoms in if directive(&text, "atoms").is_empty() { vec![Atoms::Words] } else { kinds(&text) } {
            let (typed, said) = elaborate::elaborate(&program, &Options { atoms, ..options.clone() });
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
        let loaded = load(&path.to_string_lossy(), &[], &Disk);
        let said = elaborate::check(&loaded.program, true);
        assert!(said.is_empty(), "{}", render(&said, &loaded.sources, Style::Plain));
    }
}

/// The file system.
struct Disk;

impl Loader for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        fs::read(path).map_err(|error| error.to_string())
    }

    fn canonical(&self, path: &str) -> Option<String> {
        fs::canonicalize(path).ok().map(|path| path.to_string_lossy().into_owned())
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

/// Runs a program elaborated in words and in bits on the same random inputs.
fn compare(words: &typed::Program, bits: &typed::Program, what: &str) {
    let (entry, entry_bits) = (words.instance(words.entry()), bits.instance(bits.entry()));
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let cut = |ids: &[VariableId], values: &[Vec<u128>]| -> Vec<Vec<u128>> {
        ids.iter().zip(values).map(|(&id, values)| as_atoms(entry_bits, id, values)).collect()
    };
    for _ in 0..4 {
        let random = |&id: &VariableId| -> Vec<u128> {
            let variable = entry.variable(id);
            let atoms = 0..variable.atoms();
            atoms.map(|_| numbers.next() & (u128::MAX >> (128 - variable.width))).collect()
        };
        let inputs: Vec<Vec<u128>> = entry.inputs.iter().map(random).collect();
        let outputs = interpret(words, &inputs);
        let found = interpret(bits, &cut(&entry_bits.inputs, &inputs));
        assert_eq!(found, cut(&entry_bits.outputs, &outputs), "{what}");
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
            let (bits, _) =
                elaborate::elaborate(&program, &Options { atoms: Atoms::Bits, ..options.clone() });
            assert!(words.is_none() || bits.is_some(), "{} {}", name(&path), definition.name.text);
            let (Some(words), Some(bits)) = (words, bits) else { continue };
            compare(&words, &bits, &format!("{} {}", name(&path), definition.name.text));
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}

fn elaborated(text: &str, options: &Options) -> typed::Program {
    let (sources, program, _) = parse("test.ua", text);
    let (typed, said) = elaborate::elaborate(&program, options);
    typed.unwrap_or_else(|| panic!("{}", render(&said, &sources, Style::Plain)))
}

/// What later stages read besides the equations.
#[test]
fn attributes_and_numbering_reach_the_typed_program() {
    use typed::{Body, Inline, Step, Unroll};
    let typed = elaborated(
        "_inline node r (x:v1, n:nat) returns (y:v1) let y = x <<< n tel
         _no_inline _no_opt _interleave(2) node g (x:u16) returns (y:u16) let y = r(x, 1) ^ r(x, 2) ^ r(x, 1) tel
         node unreached (x:u16) returns (y:u16) let y = g(x) tel
         node f (x:u16, k:const u32[3]) returns (y:u16)
         let y = r(g(x), 1); _no_unroll forall i in [3, 2] { y := ~y } _unroll forall i in [0, 0] { y := y } tel",
        &Options { direction: Some(Direction::V), ..Options::new() },
    );
    let symbols: Vec<&str> = typed.instances().iter().map(|instance| instance.symbol.as_str()).collect();
    assert_eq!(symbols, ["r__e0_n1_m16_V", "r__e0_n2_m16_V", "g", "f"]);
    assert_eq!(typed.entry().0, 3);
    assert_eq!(typed.instances()[0].attributes.inline, Inline::Always);
    let g = typed.instances()[2].attributes;
    assert_eq!((g.inline, g.no_opt, g.interleave), (Inline::Never, true, Some(2)));
    let f = &typed.instances()[3];
    let k = f.variable(f.inputs[1]);
    assert_eq!(
        (k.constant, k.width, k.shape.as_slice(), k.direction),
        (true, 32, [3].as_slice(), Direction::V)
    );
    let Body::Equations(equations) = &f.body else { panic!() };
    let loops: Vec<_> = equations
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Loop(one) => Some((one.unroll, one.values.as_slice())),
            Step::Assign(_) => None,
        })
        .collect();
    assert_eq!(loops, [(Unroll::Never, [3, 2].as_slice()), (Unroll::Always, [0].as_slice())]);
    assert_eq!((equations.count, &equations.order), (4, &None));
}

#[test]
fn an_order_of_evaluation_is_given_where_the_text_is_none() {
    use typed::Body;
    let typed = elaborated(
        "node f (x:u16) returns (y:u16) vars s, t:u16 let y = s; s = t; t = ~x tel",
        &Options::new(),
    );
    let Body::Equations(equations) = &typed.instances()[0].body else { panic!() };
    let order: Vec<u32> = equations.order.as_ref().unwrap().iter().map(|id| id.0).collect();
    assert_eq!(order, [2, 1, 0]);
}

/// Chains of calls may be as long as a program, and expressions as high as the parser lets them be.
#[test]
fn long_chains_of_calls_and_operators() {
    let mut text = "node f0 (x:u16) returns (y:u16) let y = ~x tel\n".to_string();
    for i in 1..3000 {
        text += &format!("node f{i} (x:u16) returns (y:u16) let y = ~f{}(x) tel\n", i - 1);
    }
    let typed = elaborated(&text, &Options::new());
    assert_eq!(typed.instances().len(), 3000);
    assert_eq!(interpret(&typed, &[vec![5]]), [[5]]);
    let deepest = usuba_lang::syntax::DEEPEST as usize - 2;
    let text = format!("node f (x:u16) returns (y:u16) let y = {}x tel", "~".repeat(deepest));
    assert_eq!(interpret(&elaborated(&text, &Options::new()), &[vec![5]]), [[5]]);
    let text = format!("node f (x:u16) returns (y:u16) let y = x{} tel", " ^ x".repeat(deepest));
    assert_eq!(interpret(&elaborated(&text, &Options::new()), &[vec![5]]).len(), 1);
}

/// Nothing that parses makes elaboration panic or run away: programs with words swapped, lost and doubled.
#[test]
fn damaged_programs_are_survived() {
    let programs: Vec<String> = files("run")
        .into_iter()
        .chain(files("ui/elaborate"))
        .filter(|path| !name(path).starts_with("budget"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let mut numbers = Numbers(0x0123_4567_89ab_cdef);
    let mut survivors = 0;
    for _ in 0..std::env::var("DAMAGED").map_or(1500, |n| n.parse().unwrap()) {
        let mut pick = |n: usize| (numbers.next() % n as u128) as usize;
        let text = &programs[pick(programs.len())];
        let other = &programs[pick(programs.len())];
        let mut words = tokens(text);
        words.extend(words.is_empty().then_some("node"));
        let mut others = tokens(other);
        others.extend(others.is_empty().then_some("tel"));
        for _ in 0..1 + pick(3) {
            let at = pick(words.len());
            match pick(4) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, words[pick(words.len())]),
                2 => words[at] = words[pick(words.len())],
                _ => words[at] = others[pick(others.len())],
            }
            if words.is_empty() {
                words.push("node");
            }
        }
        let text = words.join(" ");
        let (_, program, parsed) = parse("damaged.ua", &text);
        elaborate::check(&program, false);
        let wrong = parsed.iter().any(Diagnostic::is_error);
        let with_atoms = |atoms| {
            let options = Options {
                atoms,
                word: Some(8),
                bitslice_arithmetic: true,
                keep_tables: true,
                ..Options::new()
            };
            let (typed, said) = elaborate::elaborate(&program, &options);
            assert!(said.iter().all(|d| d.code != "E0899"), "{text}");
            assert!(typed.is_some() || wrong || said.iter().any(Diagnostic::is_error), "{text}");
            typed
        };
        if let (words, Some(bits)) = (with_atoms(Atoms::Words), with_atoms(Atoms::Bits)) {
            match words {
                Some(words) => compare(&words, &bits, &text),
                None => drop(interpret(&bits, &[])),
            }
            survivors += 1;
        }
    }
    assert!(survivors > 100, "{survivors}");
}

/// A rough cut of a text into tokens, comments left out.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    for line in text.lines() {
        let mut rest = line.split('#').next().unwrap_or("").trim_start();
        while let Some(first) = rest.chars().next() {
            let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
            let length =
                if word(first) { rest.find(|c| !word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
            let (token, left) = rest.split_at(length);
            tokens.push(token);
            rest = left.trim_start();
        }
    }
    tokens
}
