//! Short functions of assembly, run by a processor and by the lifter of object code, on the same states.

use std::process::Command;
use usuba_ir::random::Random;
use usuba_verify::graph::Graph;
use usuba_verify::object::file::{Architecture, Object};
use usuba_verify::object::machine::{Machine, Placement, Word};
use usuba_verify::object::memory::{Address, Cell, Region};
use usuba_verify::object::value::Byte;

/// States that each function is run on.
pub const STATES: usize = 12;

/// Where functions are compiled and run.
pub struct Processor {
    /// What its objects are for.
    pub architecture: Architecture,
    /// The compiler.
    pub gcc: &'static str,
    /// Flags of the compiler for the program that calls the functions.
    pub flags: &'static [&'static str],
    /// What runs its programs, if they do not run by themselves.
    pub runner: &'static [&'static str],
}

/// Functions `f0`, `f1` and so on, one for each line, which take the address of a state and change it.
pub struct Functions<'a> {
    /// What each does, for messages.
    pub lines: Vec<&'a str>,
    /// Their text, for an assembler.
    pub assembly: String,
    /// Bytes of a state.
    pub state: usize,
    /// Bytes of a vector register, of which a state begins with four.
    pub register: usize,
    /// The place in a state from which on it has numbers of eight bytes, of which every third state has small ones.
    pub numbers: usize,
}

/// The program that calls each function with states that it reads, and writes these.
fn program(count: usize, state: usize) -> String {
    let declarations: String = (0..count).map(|n| format!("void f{n}(unsigned char *);\n")).collect();
    let table: String = (0..count).map(|n| format!("f{n}, ")).collect();
    format!(
        "#include <stdio.h>\n{declarations}static void (*const all[])(unsigned char *) = {{ {table} }};\n\
         static unsigned char state[{state}] __attribute__((aligned(64)));\n\
         int main(void) {{\n  for (unsigned i = 0; i < {count}; i++)\n    for (unsigned j = 0; j < {STATES}; j++) {{\n      \
         if (fread(state, 1, {state}, stdin) != {state}) return 1;\n      all[i](state);\n      \
         fwrite(state, 1, {state}, stdout);\n    }}\n  return 0;\n}}\n"
    )
}

/// Where the lifter makes something else of a state than the processor, or refuses a function, a line for each function; and the
/// object.
///
/// # Panics
/// If the text cannot be assembled, or the program does not run.
pub fn differences(functions: &Functions<'_>, processor: &Processor) -> (Vec<String>, Vec<u8>) {
    let Functions { lines, assembly, state: size, register, numbers } = functions;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("lines.s"), assembly).expect("written");
    std::fs::write(path("main.c"), program(lines.len(), *size)).expect("written");
    let gcc = |arguments: &[&str]| {
        let made = Command::new(processor.gcc).args(arguments).current_dir(folder.path()).output();
        let output = made.expect("gcc");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    gcc(&["-c", "lines.s", "-o", "lines.o"]);
    gcc(&[&["-O1", "main.c", "lines.o", "-o", "it"], processor.flags].concat());
    let mut random = Random::new(86);
    let mut states: Vec<u8> = (0..lines.len() * STATES * size).map(|_| random.bits() as u8).collect();
    // Some states have small and equal numbers, so that comparisons and carries go both ways.
    for state in states.chunks_mut(*size).step_by(3) {
        state[*numbers..]
            .iter_mut()
            .enumerate()
            .for_each(|(place, byte)| *byte = if place % 8 == 0 { *byte & 1 } else { 0 });
        // The first two registers are the same.
        state.copy_within(..*register, *register);
    }
    std::fs::write(path("in"), &states).expect("written");
    let words: Vec<String> = processor.runner.iter().map(|word| (*word).to_owned()).collect();
    let words = [words, vec![path("it").to_string_lossy().into_owned()]].concat();
    let output = Command::new(&words[0])
        .args(&words[1..])
        .stdin(std::fs::File::open(path("in")).expect("the states"))
        .output()
        .expect("it runs");
    assert!(output.status.success());
    assert_eq!(output.stdout.len(), states.len());
    let bytes = std::fs::read(path("lines.o")).expect("an object");
    let object = Object::parse_for(&bytes, processor.architecture).expect("an object");
    let mut wrong = Vec::new();
    let runs = states.chunks(*size).zip(output.stdout.chunks(*size)).enumerate();
    for (run, (state, expected)) in runs {
        let line = lines[run / STATES];
        let mut graph = Graph::new();
        let mut machine = Machine::new(&mut graph, &object, Placement::FIRST);
        let cells = state.iter().map(|&byte| Cell::Bits(Byte::constant(byte))).collect();
        let id = machine.memory.add(Region::holding("state", cells, 64).writable(true));
        machine.argument(0, Word::Address(Address::new(id, 0)));
        if let Err(refusal) = machine.run(&format!("f{}", run / STATES)) {
            wrong.push(format!("{line}: {refusal}"));
            continue;
        }
        let found: Vec<Option<u8>> = machine
            .memory
            .region(id)
            .cells
            .iter()
            .map(|cell| if let Cell::Bits(byte) = cell { byte.known() } else { None })
            .collect();
        if let Some(place) = (0..*size).find(|&place| found[place] != Some(expected[place])) {
            wrong.push(format!(
                "{line}: byte {place} is {:x?}, and {:x} on the processor",
                found[place], expected[place]
            ));
        }
    }
    wrong.dedup_by(|a, b| a.split(':').next() == b.split(':').next());
    (wrong, bytes)
}
