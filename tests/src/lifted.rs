//! Short functions of assembly, run by a processor and by the lifter of object code, on the same states.

use std::process::Command;
use usuba_ir::random::Random;
use usuba_verify::graph::{Edge, Graph, value_of};
use usuba_verify::object::Refusal;
use usuba_verify::object::file::{Architecture, Object};
use usuba_verify::object::machine::{Machine, Placement, Word};
use usuba_verify::object::memory::{Address, Cell, Region};
use usuba_verify::object::value::{Byte, Lane};

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

/// What the lifter makes of functions, beside what the processor makes of them.
pub struct Comparison {
    /// Where it makes something else of a state, or refuses a function, a line for each function.
    pub wrong: Vec<String>,
    /// What it refuses where nothing is known of the state, as an address or a branch that depends on it: a line for each function.
    pub refused: Vec<String>,
    /// The object.
    pub object: Vec<u8>,
}

/// Runs a function on a state; what is there then.
fn run(
    graph: &mut Graph,
    object: &Object,
    function: &str,
    state: impl Iterator<Item = Byte>,
) -> Result<Vec<Option<Byte>>, Refusal> {
    let mut machine = Machine::new(graph, object, Placement::FIRST);
    let id = machine.memory.add(Region::holding("state", state.map(Cell::Bits).collect(), 64).writable(true));
    machine.argument(0, Word::Address(Address::new(id, 0)));
    machine.run(function)?;
    let byte = |cell: &Cell| if let Cell::Bits(byte) = cell { Some(*byte) } else { None };
    Ok(machine.memory.region(id).cells.iter().map(byte).collect())
}

/// Compares functions with the processor: on each state as constants, and on inputs, of which the lifter knows nothing, with the values
/// that they have in each state.
///
/// # Panics
/// If the text cannot be assembled, or the program does not run.
pub fn compare(functions: &Functions<'_>, processor: &Processor) -> Comparison {
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
    let (mut wrong, mut refused) = (Vec::new(), Vec::new());
    let differs = |place: usize, found: Option<u8>, expected: u8| {
        format!("byte {place} is {found:x?}, and {expected:x} on the processor")
    };
    let all = states.chunks(size * STATES).zip(output.stdout.chunks(size * STATES));
    for (number, (states, expected)) in all.enumerate() {
        let (line, function) = (lines[number], format!("f{number}"));
        for (state, expected) in states.chunks(*size).zip(expected.chunks(*size)) {
            let constants = state.iter().map(|&byte| Byte::constant(byte));
            let found = match run(&mut Graph::new(), &object, &function, constants) {
                Ok(found) => found,
                Err(refusal) => {
                    wrong.push(format!("{line}: {refusal}"));
                    break;
                }
            };
            let found = |place: usize| found[place].and_then(|byte| byte.known());
            if let Some(place) = (0..*size).find(|&place| found(place) != Some(expected[place])) {
                wrong.push(format!("{line}: {}", differs(place, found(place), expected[place])));
                break;
            }
        }
        let mut graph = Graph::new();
        // The same for all instances, as constants are, so that nothing is refused as it would mix them.
        let inputs: Vec<Byte> = (0..*size)
            .map(|_| Byte { bits: std::array::from_fn(|_| graph.input()), lane: Lane::All })
            .collect();
        let found = match run(&mut graph, &object, &function, inputs.into_iter()) {
            Ok(found) => found,
            Err(refusal) => {
                refused.push(format!("{line}: {refusal}"));
                continue;
            }
        };
        // Bit j of the value of an input is its value in state j. Inputs beyond the state are what registers hold before.
        let values = graph.evaluate(|input| {
            let (place, bit) = (input as usize / 8, input % 8);
            let states = states.chunks(*size).enumerate();
            let bit = |state: &[u8]| u64::from(state.get(place).copied().unwrap_or(0) >> bit & 1);
            states.fold(0, |all, (number, state)| all | bit(state) << number)
        });
        let value = |byte: Byte, number: usize| {
            let bit =
                |(place, edge): (usize, &Edge)| ((value_of(&values, *edge) >> number & 1) as u8) << place;
            byte.bits.iter().enumerate().map(bit).sum::<u8>()
        };
        for (number, expected) in expected.chunks(*size).enumerate() {
            let found = |place: usize| found[place].map(|byte| value(byte, number));
            if let Some(place) = (0..*size).find(|&place| found(place) != Some(expected[place])) {
                wrong.push(format!("{line}: of inputs, {}", differs(place, found(place), expected[place])));
                break;
            }
        }
    }
    Comparison { wrong, refused, object: bytes }
}
