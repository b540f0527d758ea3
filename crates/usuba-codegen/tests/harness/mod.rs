//! Compiles kernels, runs them on random lanes, and compares every lane with the interpreter of Usuba0.

// Each test file uses a part.
#![allow(dead_code)]

pub mod generate;
pub mod passes;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use usuba_codegen::{Kernel, Options, generate};
use usuba_ir::evaluate::ones;
use usuba_ir::interpret::Interpreter;
use usuba_ir::program::Program;
use usuba_ir::random::Random;
use usuba_target::{ByteOrder, Feature, Target, Toolchain};

/// Says something that the test runner does not swallow.
pub fn say(words: &str) {
    let _ = writeln!(std::io::stderr(), "{words}");
}

/// Whether this CPU has what a target requires. Only x86 has features to look up; other machines are emulated.
fn cpu_has(features: &[Feature]) -> bool {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = info.lines().find(|line| line.starts_with("flags")).unwrap_or("");
    features.iter().all(|feature| flags.split_whitespace().any(|flag| flag == feature.cpuinfo()))
}

fn starts(program: &str) -> bool {
    let run = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}

/// A compiler with the flags for a target, and how to run what it makes.
pub struct Compiler {
    pub name: String,
    command: Vec<String>,
    runner: Vec<String>,
    order: ByteOrder,
}

/// The compilers of a target that are installed and whose programs run here; says which are left out.
pub fn compilers(target: &Target) -> Vec<Compiler> {
    let mut found = Vec::new();
    for toolchain in target.toolchains {
        let Toolchain { gcc, gcc_flags, clang_flags, runner, .. } = *toolchain;
        if runner.is_empty() && !cpu_has(target.requires) {
            say(&format!("skipped: this CPU does not have what {} requires", target.name));
            continue;
        }
        if let Some(emulator) = runner.first()
            && !starts(emulator)
        {
            say(&format!("skipped: {} on {}, for want of {emulator}", target.name, toolchain.platform));
            continue;
        }
        let gnu = starts(gcc).then_some(gcc);
        // For another machine, clang has no headers and libraries but those that come with the machine's gcc.
        let has_library = runner.is_empty() || gnu.is_some();
        let clang = ["clang-19", "clang"].into_iter().find(|name| has_library && starts(name));
        let choices = [(gnu, gcc, gcc_flags), (clang, toolchain.clang, clang_flags)];
        for (present, wanted, flags) in choices {
            let Some(program) = present else {
                say(&format!("skipped: {} on {}, for want of {wanted}", target.name, toolchain.platform));
                continue;
            };
            let mut command = vec![program.to_string()];
            command.extend(flags.iter().map(|flag| flag.to_string()));
            if !runner.is_empty() {
                command.push("-static".into());
            }
            found.push(Compiler {
                name: format!("{} {} {program}", target.name, toolchain.platform),
                command,
                runner: runner.iter().map(|word| word.to_string()).collect(),
                order: toolchain.byte_order,
            });
        }
    }
    found
}

/// A program and its kernel.
pub struct Case {
    pub program: Program,
    pub kernel: Kernel,
}

/// Whether a program has no flaw and has code on a target.
pub fn is_admitted(program: &Program, target: &Target) -> bool {
    usuba_ir::check::check(program).is_ok_and(|checked| usuba_codegen::admits(checked, target).is_ok())
}

/// The case of a program that the target admits.
pub fn case(program: Program, target: &Target, symbol: &str) -> Case {
    let checked = usuba_ir::check::check(&program).unwrap_or_else(|flaws| panic!("{symbol}: {}", flaws[0]));
    let options = Options { symbol: symbol.into(), command: "test".into(), ..Options::default() };
    let kernel = generate(checked, target, &options)
        .unwrap_or_else(|no_code| panic!("{symbol} on {}: {no_code}", target.name));
    Case { program, kernel }
}

/// What a compiled test reads, and what it must write.
struct Traffic {
    input: Vec<u8>,
    /// For each output of each case: register by register, the atom of each instance.
    expected: Vec<Vec<Vec<u128>>>,
}

fn traffic(cases: &[Case], order: ByteOrder, seed: u64) -> Traffic {
    let mut random = Random::new(seed);
    let mut input = Vec::new();
    let mut expected = Vec::new();
    for case in cases {
        let shape = &case.kernel.shape;
        let instances = shape.instances as usize;
        let entry = case.program.entry();
        // By instance, then input, then atom.
        let mut given: Vec<Vec<Vec<u128>>> = vec![Vec::new(); instances];
        for parameter in &entry.inputs {
            let mask = ones(parameter.ty.layout.width());
            let atoms: Vec<Vec<u128>> = (0..parameter.ty.atoms())
                .map(|_| {
                    let same = random.wide() & mask;
                    let different = |random: &mut Random| match random.below(8) {
                        0 => 0,
                        1 => mask,
                        _ => random.wide() & mask,
                    };
                    (0..instances)
                        .map(|_| if parameter.uniform { same } else { different(&mut random) })
                        .collect()
                })
                .collect();
            for atom in &atoms {
                input.extend(match parameter.uniform {
                    true => shape.pack_uniform(order, atom[0]),
                    false => shape.pack(order, atom),
                });
            }
            for (instance, inputs) in given.iter_mut().enumerate() {
                inputs.push(atoms.iter().map(|atom| atom[instance]).collect());
            }
        }
        let mut interpreter = Interpreter::new(&case.program);
        let results: Vec<Vec<Vec<u128>>> = given.iter().map(|inputs| interpreter.run(inputs)).collect();
        for (number, output) in entry.outputs.iter().enumerate() {
            let atoms = 0..output.ty.atoms() as usize;
            expected.push(
                atoms.map(|atom| results.iter().map(|outputs| outputs[number][atom]).collect()).collect(),
            );
        }
    }
    Traffic { input, expected }
}

/// A program that reads all inputs, calls all kernels and writes all outputs.
fn driver(cases: &[Case]) -> String {
    let mut text = String::from("#include <stdio.h>\n");
    let mut body = String::new();
    for (number, case) in cases.iter().enumerate() {
        text.push_str(&case.kernel.source);
        let mut arguments = Vec::new();
        let mut after = String::new();
        for (place, parameter) in case.kernel.parameters.iter().enumerate() {
            let name = format!("p_{number}_{place}");
            let _ = writeln!(text, "static {} {name}[{}];", parameter.element, parameter.count);
            let step = match parameter.access {
                usuba_codegen::Access::Read => {
                    format!("  if (fread({name}, 1, sizeof {name}, stdin) != sizeof {name}) return 3;\n")
                }
                usuba_codegen::Access::Write => {
                    format!("  if (fwrite({name}, 1, sizeof {name}, stdout) != sizeof {name}) return 4;\n")
                }
            };
            match parameter.access {
                usuba_codegen::Access::Read => body.push_str(&step),
                usuba_codegen::Access::Write => after.push_str(&step),
            }
            arguments.push(name);
        }
        let _ = writeln!(body, "  {}({});", case.kernel.symbol, arguments.join(", "));
        body.push_str(&after);
    }
    let _ = write!(text, "int main(void) {{\n{body}  return 0;\n}}\n");
    text
}

/// Compiles the cases with one compiler at one level, runs them and compares every lane.
pub fn compare(cases: &[Case], compiler: &Compiler, level: &str, folder: &Path) {
    let label = format!("{} {level}", compiler.name);
    let stem = label.replace([' ', '/'], "_");
    let source = folder.join(format!("{stem}.c"));
    let binary = folder.join(stem);
    std::fs::write(&source, driver(cases)).expect("the folder is writable");
    let built = Command::new(&compiler.command[0])
        .args(&compiler.command[1..])
        .args([level, "-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o"])
        .arg(&binary)
        .arg(&source)
        .output()
        .expect("the compiler starts");
    assert!(built.status.success(), "{label}:\n{}", String::from_utf8_lossy(&built.stderr));
    let Traffic { input, expected } = traffic(cases, compiler.order, 7);
    let mut command: Vec<&str> = compiler.runner.iter().map(String::as_str).collect();
    let path = binary.to_string_lossy().into_owned();
    command.push(&path);
    let data = folder.join("input");
    let data = data.with_extension(label.replace([' ', '/'], "_"));
    std::fs::write(&data, input).expect("the folder is writable");
    let run = Command::new(command[0])
        .args(&command[1..])
        .stdin(std::fs::File::open(&data).expect("just written"))
        .output()
        .expect("the program starts");
    assert!(run.status.success(), "{label}: {}", run.status);

    let mut at = 0;
    let mut lists = expected.iter();
    for case in cases {
        let shape = &case.kernel.shape;
        for output in &case.program.entry().outputs {
            for (place, atom) in lists.next().expect("one list for each output").iter().enumerate() {
                let bytes = &run.stdout[at..at + shape.register_bytes() as usize];
                at += bytes.len();
                for (instance, &expected) in atom.iter().enumerate() {
                    let got = shape.unpack(compiler.order, instance, bytes);
                    assert_eq!(
                        got, expected,
                        "{label}: {} {}[{place}], instance {instance}: got {got:#x}, expected {expected:#x}\n{}",
                        case.kernel.symbol, output.name, case.program
                    );
                }
            }
        }
    }
    assert_eq!(at, run.stdout.len(), "{label}: all output was compared");
}
