//! Asks other programs what this house says of itself: ABC whether kernels in objects, and programs of Usuba0, compute what the
//! text says; Z3 whether the circuits that are exported give published answers. Prints a table, and fails if they disagree.
//!
//! `make second-opinion` runs it, of all ciphers if none is named. Both sides go to ABC as AIGER; with a fault planted, both must say that they differ.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;
use usuba_compiler::pipeline::{Settings, gates, in_planes, optimised};
use usuba_ir::layout::Slicing;
use usuba_ir::random::Random;
use usuba_lang::elaborate::elaborate;
use usuba_lang::interpret::Interpreter;
use usuba_target::machines;
use usuba_tests::ciphers::Cipher;
use usuba_tests::faults::{self, Code};
use usuba_tests::objects::{SYMBOL, build};
use usuba_verify::circuit::{Circuit, aiger, smtlib};
use usuba_verify::equal::{Atoms, Outcome, Problem};
use usuba_verify::object::file::Object;
use usuba_verify::object::kernel::Verdict;
use usuba_verify::prove::Limits;

/// Kernels in objects.
const OBJECTS: [(&str, &str, Slicing, &str, &str); 11] = [
    ("speck", "Encrypt64_128", Slicing::V, "avx2", "gcc"),
    ("rectangle", "Encrypt", Slicing::V, "avx2", "clang"),
    ("rectangle", "Encrypt", Slicing::B, "gp64", "gcc"),
    ("rectangle", "Decrypt", Slicing::H, "avx512", "clang"),
    ("present", "Encrypt", Slicing::B, "gp64", "gcc"),
    ("des", "Encrypt", Slicing::B, "avx2", "gcc"),
    ("chacha20", "Block", Slicing::V, "avx512", "gcc"),
    ("ascon", "P12", Slicing::V, "gp64", "clang"),
    ("gift", "Encrypt128", Slicing::H, "avx2", "gcc"),
    ("serpent", "Encrypt", Slicing::V, "avx2", "gcc"),
    ("aes", "Encrypt128", Slicing::H, "avx2", "gcc"),
];

/// Programs of Usuba0.
const PROGRAMS: [(&str, &str, Slicing); 4] = [
    ("rectangle", "Encrypt", Slicing::B),
    ("ascon", "P12", Slicing::B),
    ("serpent", "Encrypt", Slicing::B),
    ("aes", "Encrypt128", Slicing::B),
];

fn main() -> ExitCode {
    let Some(abc) = ["berkeley-abc", "abc"].into_iter().find(|name| runs(name, "-h")) else {
        eprintln!("ABC is not installed: Debian has it as berkeley-abc");
        return ExitCode::FAILURE;
    };
    let mut agree = true;
    println!("| what | usubac | seconds | ABC `&cec` | seconds |\n|---|---|--:|---|--:|");
    let mut compare =
        |what: String, sides: &[Circuit; 2], ours: &dyn Fn() -> &'static str, expected: &str| {
            let start = Instant::now();
            let said = ours();
            let (time, start) = (start.elapsed().as_secs_f64(), Instant::now());
            let other = ask(abc, sides);
            let other_time = start.elapsed().as_secs_f64();
            println!("| {what} | {said} | {time:.2} | {other} | {other_time:.2} |");
            agree &= said == other && (said == expected || expected.is_empty());
        };
    let only: Vec<String> = std::env::args().skip(1).collect();
    let is_asked = |cipher: &str| only.is_empty() || only.iter().any(|name| name == cipher);
    for (cipher, node, slicing) in PROGRAMS.into_iter().filter(|(cipher, ..)| is_asked(cipher)) {
        let loaded = Cipher::read(cipher).loaded;
        let mut settings = Settings::new(slicing, Some(node));
        settings.passes.interleave = Some(1);
        let (typed, program, _) = optimised(&loaded, &settings, &mut ()).expect("it compiles");
        let (text, _) = elaborate(&loaded.program, &settings.as_written());
        let text = text.expect("it elaborates");
        let atoms = if in_planes(&typed, slicing) { Atoms::Planes } else { Atoms::InOrder };
        let decide = |problem: &Problem| match problem.decide(Limits::default()).0 {
            Outcome::Proved => "equal",
            Outcome::Refuted(_) => "different",
            Outcome::Unknown(_) => "open",
        };
        let what = format!("`{cipher}`, `{node}`, `{slicing}`: Usuba0");
        let problem = Problem::of_source(&text, &program, atoms).expect("the same inputs");
        compare(what.clone(), &problem.sides(), &|| decide(&problem), "equal");
        let mut random = Random::new(9);
        let mut planted = || {
            let site = random.below(faults::sites(&program) as u32) as usize;
            let (fault, other) = faults::in_program(&program, site, &mut random)?;
            let problem = Problem::of_source(&text, &other, atoms).ok()?;
            (problem.sample(1) != 0).then_some((fault, problem))
        };
        let (fault, problem) = std::iter::repeat_with(&mut planted).flatten().next().expect("a fault");
        compare(format!("{what}, {fault}"), &problem.sides(), &|| decide(&problem), "different");
    }
    for (cipher, node, slicing, target, compiler) in
        OBJECTS.into_iter().filter(|(cipher, ..)| is_asked(cipher))
    {
        let target = machines::by_name(target).expect("a target");
        let mut settings = Settings::new(slicing, Some(node));
        settings.passes.interleave = Some(1);
        let built = build(cipher, &settings, target, compiler);
        let decide =
            |lifted: &usuba_verify::object::kernel::Lifted<'_>| match lifted.decide(Limits::default()).0 {
                Verdict::Proved => "equal",
                Verdict::Refuted(_) => "different",
                Verdict::Unknown | Verdict::Unfounded => "open",
            };
        let what = format!("`{cipher}`, `{node}`, `{slicing}`: object, `{}`, {compiler}", target.name);
        let object = Object::parse(&built.object).expect("an object");
        let lifted = built.subject.lift(&object, SYMBOL).expect("it is followed");
        compare(what.clone(), &lifted.sides(), &|| decide(&lifted), "equal");
        let (code, mut random) = (Code::of(&built.object, SYMBOL), Random::new(9));
        let object =
            std::iter::repeat_with(|| code.faulty(&built.object, &mut random)).find_map(|(fault, bytes)| {
                let object = Object::parse(&bytes).ok()?;
                let is_other = built.subject.lift(&object, SYMBOL).ok()?.sample(1) != 0;
                is_other.then_some((fault, object))
            });
        let (fault, object) = object.expect("a fault");
        let lifted = built.subject.lift(&object, SYMBOL).expect("it is followed");
        compare(format!("{what}, {fault}"), &lifted.sides(), &|| decide(&lifted), "different");
    }
    let circuits = [("speck", "Encrypt64_128"), ("rectangle", "Encrypt"), ("aes", "Encrypt128")];
    let mut solved = true;
    for (cipher, node) in circuits.into_iter().filter(|(cipher, _)| is_asked(cipher)) {
        solved &= solve(cipher, node);
    }
    if agree && solved { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn runs(command: &str, argument: &str) -> bool {
    Command::new(command).arg(argument).output().is_ok()
}

/// What ABC says of two circuits.
fn ask(abc: &str, sides: &[Circuit; 2]) -> &'static str {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, side) in ["a.aig", "b.aig"].iter().zip(sides) {
        std::fs::write(folder.path().join(name), aiger::write(side)).expect("written");
    }
    let said =
        output(Command::new(abc).args(["-q", "&r a.aig; &cec -C 100000 b.aig"]).current_dir(folder.path()));
    match said {
        _ if said.contains("NOT EQUIVALENT") => "different",
        _ if said.contains("Networks are equivalent") => "equal",
        _ => {
            eprintln!("ABC says: {said}");
            "open"
        }
    }
}

fn output(command: &mut Command) -> String {
    let output = command.output().expect("it runs");
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

/// Whether Z3 computes by the exported SMT-LIB what the interpreter does, for random inputs.
fn solve(cipher: &str, node: &str) -> bool {
    if !runs("z3", "--version") {
        eprintln!("Z3 is not installed: the SMT-LIB of {cipher} is not looked at");
        return true;
    }
    let loaded = Cipher::read(cipher).loaded;
    let entry = Settings::new(Slicing::B, Some(node)).entry;
    let (text, program, _) = gates(&loaded, &entry).expect("it compiles");
    let circuit = Circuit::of_program(&text, &program).expect("the same inputs");
    let mut question = smtlib::write(&circuit);
    let mut random = Random::new(3);
    let mut given = Vec::new();
    for port in &circuit.inputs {
        let mut atoms = Vec::new();
        for atom in &port.atoms {
            let value = random.wide() & (u128::MAX >> (128 - atom.bits.len()));
            question.push_str(&format!("(assert (= |{}| (_ bv{value} {})))\n", atom.name, atom.bits.len()));
            atoms.push(value);
        }
        given.push(atoms);
    }
    // What is right has a model; what is wrong in one bit has none.
    let results = Interpreter::new(&text).run(&given);
    let says = |flip: u128| {
        let mut question = question.clone();
        for (port, values) in circuit.outputs.iter().zip(&results) {
            for (number, (atom, value)) in port.atoms.iter().zip(values).enumerate() {
                let value = if number == 0 { value ^ flip } else { *value };
                question.push_str(&format!(
                    "(assert (= |{}| (_ bv{value} {})))\n",
                    atom.name,
                    atom.bits.len()
                ));
            }
        }
        question.push_str("(check-sat)\n");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("it.smt2");
        std::fs::write(&path, question).expect("written");
        output(Command::new("z3").arg(Path::new(&path))).trim().to_owned()
    };
    let start = Instant::now();
    let found = (says(0), says(1));
    println!(
        "\n`{cipher}`, `{node}`: Z3 says {} of the right outputs and {} of others ({:.2} s)",
        found.0,
        found.1,
        start.elapsed().as_secs_f64()
    );
    found == ("sat".to_owned(), "unsat".to_owned())
}
