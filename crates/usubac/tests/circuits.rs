//! `usubac build --emit`: each format is read by a small reader written from its description, and gives the published answer of a
//! cipher; on random inputs all formats agree. Where ABC is installed, it finds AIGER and BLIF equivalent.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

fn usubac(arguments: &[&str], folder: &Path) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_usubac"));
    command.args(arguments).current_dir(folder).output().expect("usubac runs")
}

#[track_caller]
fn succeeds(arguments: &[&str], folder: &Path) -> String {
    let output = usubac(arguments, folder);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Bits of inputs and outputs in the order of the formats; bit j of each word is case j.
type Bits = Vec<u64>;

/// A circuit that was read: the names of inputs and outputs, and what it computes.
struct Read {
    inputs: Vec<String>,
    outputs: Vec<String>,
    compute: Box<dyn Fn(&Bits) -> Bits>,
}

/// Binary AIGER 1.9, combinational.
fn aiger(bytes: Vec<u8>) -> Read {
    let mut at = 0;
    let line = |at: &mut usize| {
        let end = *at + bytes[*at..].iter().position(|&byte| byte == b'\n').expect("a line");
        let text = String::from_utf8(bytes[*at..end].to_vec()).expect("text");
        *at = end + 1;
        text
    };
    let head = line(&mut at);
    let mut head = head.split(' ');
    assert_eq!(head.next(), Some("aig"));
    let [all, inputs, latches, outputs, ands] =
        [(); 5].map(|()| head.next().expect("a number").parse::<usize>().expect("a number"));
    assert_eq!((latches, head.next(), all), (0, None, inputs + ands));
    let roots: Vec<usize> = (0..outputs).map(|_| line(&mut at).parse().expect("a literal")).collect();
    let mut gates = Vec::new();
    for number in 0..ands {
        let mut delta = || {
            let (mut value, mut shift) = (0, 0);
            loop {
                let byte = bytes[at];
                at += 1;
                value |= usize::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    return value;
                }
            }
        };
        let first = 2 * (inputs + number + 1) - delta();
        let second = first - delta();
        gates.push([first, second]);
    }
    let mut named = |letter: char, count: usize| -> Vec<String> {
        let mut of = |number| {
            let line = line(&mut at);
            line.strip_prefix(&format!("{letter}{number} ")).expect("a symbol").to_owned()
        };
        (0..count).map(&mut of).collect()
    };
    let (names, results) = (named('i', inputs), named('o', outputs));
    let compute = move |given: &Bits| {
        let mut values = vec![0];
        values.extend(given);
        let literal = |values: &Bits, one: usize| values[one / 2] ^ if one % 2 == 1 { u64::MAX } else { 0 };
        for [a, b] in &gates {
            values.push(literal(&values, *a) & literal(&values, *b));
        }
        roots.iter().map(|&root| literal(&values, root)).collect()
    };
    Read { inputs: names, outputs: results, compute: Box::new(compute) }
}

/// BLIF with `.names` only.
fn blif(text: &str) -> Read {
    let text = text.replace("\\\n", " ");
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    let mut functions: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        match words[0].as_str() {
            ".model" | ".end" => {}
            ".inputs" => inputs = words[1..].to_vec(),
            ".outputs" => outputs = words[1..].to_vec(),
            ".names" => functions.push((words[1..].to_vec(), Vec::new())),
            _ => {
                assert_eq!(words.last().map(String::as_str), Some("1"), "{line}");
                let row = if words.len() == 2 { words[0].clone() } else { String::new() };
                functions.last_mut().expect("a function").1.push(row);
            }
        }
    }
    let (names, results) = (inputs.clone(), outputs.clone());
    let compute = move |given: &Bits| {
        let mut values: HashMap<String, u64> = inputs.iter().cloned().zip(given.iter().copied()).collect();
        for (signals, rows) in &functions {
            let (output, operands) = signals.split_last().expect("a signal");
            let row = |row: &String| {
                row.chars().zip(operands).fold(u64::MAX, |all, (bit, operand)| match bit {
                    '1' => all & values[operand],
                    '0' => all & !values[operand],
                    _ => all,
                })
            };
            let value = rows.iter().fold(0, |any, one| any | row(one));
            values.insert(output.clone(), value);
        }
        outputs.iter().map(|output| values[output]).collect()
    };
    Read { inputs: names, outputs: results, compute: Box::new(compute) }
}

/// A term of SMT-LIB.
#[derive(Clone, Debug)]
enum Term {
    Symbol(String),
    List(Vec<Term>),
}

impl Term {
    fn symbol(&self) -> &str {
        match self {
            Term::Symbol(name) => name,
            Term::List(_) => panic!("{self:?} is no symbol"),
        }
    }

    fn list(&self) -> &[Term] {
        match self {
            Term::List(terms) => terms,
            Term::Symbol(_) => panic!("{self:?} is no list"),
        }
    }
}

fn terms(text: &str) -> Vec<Term> {
    let mut stack = vec![Vec::new()];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        match first {
            '(' => stack.push(Vec::new()),
            ')' => {
                let list = stack.pop().expect("a bracket");
                stack.last_mut().expect("a bracket").push(Term::List(list));
            }
            ';' => rest = rest.trim_start_matches(|c| c != '\n'),
            '|' => {
                let (name, _) = rest[1..].split_once('|').expect("a bar");
                stack.last_mut().expect("a bracket").push(Term::Symbol(name.to_owned()));
                rest = &rest[name.len() + 1..];
            }
            c if c.is_whitespace() => {}
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || "()".contains(c)).unwrap_or(rest.len());
                stack.last_mut().expect("a bracket").push(Term::Symbol(rest[..end].to_owned()));
                rest = &rest[end..];
                continue;
            }
        }
        rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
    }
    stack.pop().expect("all")
}

/// SMT-LIB with constants, and assertions that say what each is, but for inputs: vectors are lists of words from their least significant
/// bit, truth values are lists of one.
fn smtlib(text: &str) -> Read {
    let (mut vectors, mut definitions) = (Vec::new(), Vec::new());
    for command in terms(text) {
        let command = command.list().to_vec();
        match command[0].symbol() {
            "set-logic" => {}
            "declare-fun" => {
                if let Term::List(sort) = &command[3] {
                    let width: usize = sort[2].symbol().parse().expect("a width");
                    vectors.push((command[1].symbol().to_owned(), width));
                }
            }
            "assert" => {
                let equation = command[1].list();
                assert_eq!(equation[0].symbol(), "=");
                definitions.push((equation[1].symbol().to_owned(), equation[2].clone()));
            }
            other => panic!("{other}"),
        }
    }
    let is_defined = |name: &str| definitions.iter().any(|(known, _)| known == name);
    let (outputs, inputs): (Vec<_>, Vec<_>) = vectors.into_iter().partition(|(name, _)| is_defined(name));
    let bits = |atoms: &[(String, usize)]| -> Vec<String> {
        let of = |(name, width): &(String, usize)| {
            let (name, width) = (name.clone(), *width);
            (0..width).map(move |bit| if width == 1 { name.clone() } else { format!("{name}.{bit}") })
        };
        atoms.iter().flat_map(of).collect()
    };
    let (names, results) = (bits(&inputs), bits(&outputs));
    let compute = move |given: &Bits| {
        let mut values: HashMap<String, Bits> = HashMap::new();
        let mut rest = given.as_slice();
        for (name, width) in &inputs {
            values.insert(name.clone(), rest[..*width].to_vec());
            rest = &rest[*width..];
        }
        for (name, term) in &definitions {
            let value = term_value(term, &values);
            values.insert(name.clone(), value);
        }
        outputs.iter().flat_map(|(name, _)| values[name].clone()).collect()
    };
    Read { inputs: names, outputs: results, compute: Box::new(compute) }
}

fn term_value(term: &Term, values: &HashMap<String, Bits>) -> Bits {
    let list = match term {
        Term::Symbol(name) => {
            return match name.as_str() {
                "#b1" => vec![u64::MAX],
                "#b0" | "false" => vec![0],
                name => values[name].clone(),
            };
        }
        Term::List(list) => list,
    };
    if let Term::List(indexed) = &list[0] {
        let bit: usize = indexed[2].symbol().parse().expect("a bit");
        assert_eq!((indexed[1].symbol(), indexed[3].symbol()), ("extract", indexed[2].symbol()));
        return vec![term_value(&list[1], values)[bit]];
    }
    let of: Vec<Bits> = list[1..].iter().map(|one| term_value(one, values)).collect();
    match list[0].symbol() {
        "not" => vec![!of[0][0]],
        "and" => vec![of[0][0] & of[1][0]],
        "xor" => vec![of[0][0] ^ of[1][0]],
        "=" => vec![!(of[0][0] ^ of[1][0])],
        "ite" => vec![of[0][0] & of[1][0] | !of[0][0] & of[2][0]],
        "concat" => of.into_iter().rev().flatten().collect(),
        other => panic!("{other}"),
    }
}

/// Bristol Fashion; it has no names.
fn bristol(text: &str) -> Read {
    let mut lines = text.lines();
    let mut numbers = || -> Vec<usize> {
        lines.next().expect("a line").split(' ').map(|number| number.parse().expect("a number")).collect()
    };
    let (head, inputs, outputs) = (numbers(), numbers(), numbers());
    assert_eq!((head.len(), inputs.len(), outputs.len()), (2, inputs[0] + 1, outputs[0] + 1));
    assert_eq!(lines.next(), Some(""));
    let gates: Vec<Vec<String>> =
        lines.map(|line| line.split(' ').map(str::to_owned).collect::<Vec<_>>()).collect();
    assert_eq!(gates.len(), head[0]);
    let count: usize = outputs[1..].iter().sum();
    let wires = head[1];
    let compute = move |given: &Bits| {
        let mut values: Vec<Option<u64>> = given.iter().map(|&bit| Some(bit)).collect();
        values.resize(wires, None);
        for gate in &gates {
            let number = |place: usize| gate[place].parse::<usize>().expect("a number");
            let at = |place: usize| values[number(place)].expect("a value");
            let (output, value) = match gate.last().expect("a gate").as_str() {
                "AND" => (4, at(2) & at(3)),
                "XOR" => (4, at(2) ^ at(3)),
                "INV" => (3, !at(2)),
                "EQW" => (3, at(2)),
                "EQ" => (3, if number(2) == 1 { u64::MAX } else { 0 }),
                other => panic!("{other}"),
            };
            assert_eq!(gate.len(), output + 2);
            let output = number(output);
            assert!(values[output].is_none(), "wire {output} has two values");
            values[output] = Some(value);
        }
        assert!(values.iter().all(Option::is_some));
        values[wires - count..].iter().map(|value| value.expect("a value")).collect()
    };
    let unnamed = |sizes: &[usize]| vec![String::new(); sizes[1..].iter().sum()];
    Read { inputs: unnamed(&inputs), outputs: unnamed(&outputs), compute: Box::new(compute) }
}

/// Bits of words of 32 bits in hexadecimal, from the least significant.
fn bits(words: &str) -> Vec<bool> {
    let of = |word: &str| {
        let value = u32::from_str_radix(word, 16).expect("a number");
        (0..32).map(move |bit| value >> bit & 1 == 1)
    };
    words.split(',').flat_map(of).collect()
}

/// Names of the bits of words of 32 bits.
fn names(parameter: &str, dimensions: &[usize]) -> Vec<String> {
    let mut atoms = vec![parameter.to_owned()];
    for &size in dimensions {
        let of = |name: String| (0..size).map(move |index| format!("{name}[{index}]")).collect::<Vec<_>>();
        atoms = atoms.into_iter().flat_map(of).collect();
    }
    atoms.into_iter().flat_map(|atom| (0..32).map(move |bit| format!("{atom}.{bit}"))).collect()
}

/// A node, and a published answer of it.
struct Case {
    file: &'static str,
    node: &'static str,
    inputs: Vec<String>,
    outputs: Vec<String>,
    given: Vec<bool>,
    expected: Vec<bool>,
    conjunctions: usize,
}

/// The key schedule of AES-128 (FIPS 197, appendix A.1), and SPECK 64/128 (R. Beaulieu et al., 2013, appendix C; its words and those
/// of its key stand here from the right), whose round keys are those of the interpreter.
fn cases() -> [Case; 2] {
    let run = |file: &str, node: &str, key: &str| -> String {
        let text = succeeds(&["run", file, "--entry", node, &format!("key={key}")], &root());
        text.trim().split_once('=').expect("an output").1.to_owned()
    };
    let speck = run("ciphers/speck/speck.ua", "KeySchedule64_128", "03020100,0b0a0908,13121110,1b1a1918");
    let key = "2b7e1516,28aed2a6,abf71588,09cf4f3c";
    let aes = run("ciphers/aes/aes.ua", "KeySchedule128", key);
    assert!(aes.ends_with("d014f9a8,c9ee2589,e13f0cc8,b6630ca6"), "{aes}");
    [
        Case {
            file: "ciphers/speck/speck.ua",
            node: "Encrypt64_128",
            inputs: [names("plain", &[2]), names("K", &[27])].concat(),
            outputs: names("cipher", &[2]),
            given: [bits("7475432d,3b726574"), bits(&speck)].concat(),
            expected: bits("454e028b,8c6fa548"),
            // An addition of 32 bits.
            conjunctions: 27 * 31,
        },
        Case {
            file: "ciphers/aes/aes.ua",
            node: "KeySchedule128",
            inputs: names("key", &[4]),
            outputs: names("round_key", &[44]),
            given: bits(key),
            expected: bits(&aes),
            // The S-box of Boyar and Peralta.
            conjunctions: 40 * 32,
        },
    ]
}

#[test]
fn every_format_gives_published_answers() {
    for case in cases() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let out = folder.path().to_str().expect("a path");
        let formats = "aiger,blif,smtlib,bristol";
        let command =
            ["build", case.file, "--entry", case.node, "--emit", formats, "-o", out, "--format", "json"];
        let said = succeeds(&command, &root());
        let said: serde_json::Value = serde_json::from_str(&said).expect("JSON");
        let stem = case.node.to_lowercase();
        let bytes = |ending: &str| fs::read(folder.path().join(format!("{stem}.{ending}"))).expect("a file");
        let text = |ending: &str| String::from_utf8(bytes(ending)).expect("text");
        let read: BTreeMap<&str, Read> = BTreeMap::from([
            ("aiger", aiger(bytes("aig"))),
            ("blif", blif(&text("blif"))),
            ("smtlib", smtlib(&text("smt2"))),
            ("bristol", bristol(&text("txt"))),
        ]);
        // Case 0 is the published one; the others are random.
        let mut state = 1u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let given: Bits = case.given.iter().map(|&bit| random() & !1 | u64::from(bit)).collect();
        let results: BTreeMap<&str, Bits> =
            read.iter().map(|(&format, circuit)| (format, (circuit.compute)(&given))).collect();
        for (format, circuit) in &read {
            if *format == "bristol" {
                assert_eq!(
                    (circuit.inputs.len(), circuit.outputs.len()),
                    (case.inputs.len(), case.outputs.len())
                );
            } else {
                assert_eq!(circuit.inputs, case.inputs, "{format}");
                assert_eq!(circuit.outputs, case.outputs, "{format}");
            }
            let first: Vec<bool> = results[format].iter().map(|word| word & 1 == 1).collect();
            assert_eq!(first, case.expected, "{format} of {}", case.node);
            assert_eq!(results[format], results["bristol"], "{format}");
        }
        let ands = text("txt").lines().filter(|line| line.ends_with(" AND")).count();
        assert_eq!((said["and"].as_u64(), ands), (Some(case.conjunctions as u64), case.conjunctions));
        equivalent(folder.path(), &stem);
    }
}

/// ABC finds AIGER and BLIF equivalent.
fn equivalent(folder: &Path, stem: &str) {
    for abc in ["berkeley-abc", "abc"] {
        let script = format!("cec {stem}.aig {stem}.blif");
        let Ok(output) = Command::new(abc).args(["-q", &script]).current_dir(folder).output() else {
            continue;
        };
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains("Networks are equivalent"), "{said}");
        return;
    }
    println!("ABC is not installed: AIGER and BLIF are compared by evaluation alone");
}

/// What a circuit cannot be made of, and constants, inputs and doubles as outputs.
#[test]
fn odd_circuits() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "node F (n1:u8, n17:u8) returns (c:u8, d:u8, e:u8, f:u8, g:u8)\n\
                let c = n1; d = n1; e = 0x5a; f = n1 & n17; g = ~(n1 & n17) tel";
    fs::write(folder.path().join("f.ua"), text).expect("written");
    succeeds(&["build", "f.ua", "--emit", "bristol,blif,aiger,smtlib"], folder.path());
    let bytes = |name: &str| fs::read(folder.path().join(name)).expect("a file");
    let text = |name: &str| String::from_utf8(bytes(name)).expect("text");
    let given: Bits = (0..16).map(|bit| 0x0123_4567_89ab_cdef_u64.rotate_left(5 * bit)).collect();
    let mut expected = [&given[..8], &given[..8]].concat();
    expected.extend((0..8).map(|bit| if 0x5a >> bit & 1 == 1 { u64::MAX } else { 0 }));
    expected.extend((0..8).map(|bit| given[bit] & given[8 + bit]));
    expected.extend((0..8).map(|bit| !(given[bit] & given[8 + bit])));
    for read in
        [bristol(&text("f.txt")), blif(&text("f.blif")), aiger(bytes("f.aig")), smtlib(&text("f.smt2"))]
    {
        assert_eq!((read.compute)(&given), expected);
    }
    // The same again is the same; another file is not overwritten.
    let command = ["build", "f.ua", "--emit", "bristol"];
    succeeds(&command, folder.path());
    fs::write(folder.path().join("f.txt"), "mine").expect("written");
    let output = usubac(&command, folder.path());
    assert!(output.status.code() == Some(1) && text("f.txt") == "mine");
    succeeds(&["build", "f.ua", "--emit", "bristol", "--force"], folder.path());
    assert!(text("f.txt").ends_with(" INV\n") || text("f.txt").ends_with("EQW\n"));
    let output = usubac(&["build", "ciphers/aes", "--emit", "blif"], &root());
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(said.contains("a circuit is made of one program"), "{said}");
    let output = usubac(&["build", "f.ua", "--emit", "blif", "--target", "avx2"], folder.path());
    assert_eq!(output.status.code(), Some(2));
}
