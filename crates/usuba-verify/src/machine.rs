//! Comparing a machine program with the program that it was made from, by running both.
//!
//! What it proves is what [`crate::compare`] proves of two programs: a difference comes with inputs that show it, agreement is
//! a test, unless every input was tried. All instances of the registers are compared, each with inputs of its own, so that
//! a mix-up of instances is found too.

use crate::compare::{Cases, Effort, How, Verdict};
use thiserror::Error;
use usuba_ir::interpret::{Interpreter, is_sliced};
use usuba_ir::program::Program;
use usuba_machine::interpret::Interpreter as Machine;
use usuba_machine::{Checked, Fault, Flaw, Program as MachineProgram, Shape, TextError, check};
use usuba_target::ByteOrder;

/// Instances that the interpreter of bits computes at once.
const LANES: usize = 128;

/// Values by parameter, then by atom.
type Values = Vec<Vec<u128>>;

/// What is wrong with a machine program, whatever it computes.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Broken {
    /// Its text does not parse.
    #[error("does not print as a program: {0}")]
    Text(TextError),
    /// Its text is that of another program.
    #[error("prints as another program")]
    Another,
    /// The checker refuses it; its first flaw.
    #[error("is malformed: {0}")]
    Flawed(Box<Flaw>),
    /// It does not run.
    #[error("does not run: {0}")]
    Fault(Fault),
}

/// Puts a machine program to every test that there is: its text parses as the same program, the checker takes it, and it
/// computes what `program` computes ([`compare_machine`]).
///
/// # Errors
/// What of these it is not; a difference is a verdict.
pub fn examine(
    program: &Program,
    machine: &MachineProgram,
    shape: &Shape,
    effort: Effort,
) -> Result<Verdict, Broken> {
    let parsed = MachineProgram::parse(&machine.to_string()).map_err(Broken::Text)?;
    if parsed != *machine {
        return Err(Broken::Another);
    }
    let checked = check(parsed).map_err(|flaws| match flaws.into_iter().next() {
        Some(first) => Broken::Flawed(first.into()),
        None => Broken::Another,
    })?;
    compare_machine(program, &checked, shape, effort).map_err(Broken::Fault)
}

/// Compares the entry of a program, which passes the checker, with a machine program in whose registers instances lie by
/// `shape`. An interleaved program is taken as it is: one of its instances is a batch of each.
///
/// # Errors
/// The machine program is not given what the program is, or an instruction has no meaning for its operands.
pub fn compare_machine(
    program: &Program,
    machine: &Checked,
    shape: &Shape,
    effort: Effort,
) -> Result<Verdict, Fault> {
    let entry = program.entry();
    let inputs: Vec<(u32, u32)> =
        entry.inputs.iter().map(|input| (input.ty.layout.width(), input.ty.atoms())).collect();
    let cases = Cases::of(&inputs, effort);
    let mut reference = Interpreter::new(program);
    let mut runner = Machine::new(machine);
    let instances = shape.in_register();
    let mut tried = 0;
    while tried < cases.count {
        let mut given: Vec<Values> =
            (0..instances as u64).map(|instance| cases.case(tried + instance)).collect();
        for (number, _) in entry.inputs.iter().enumerate().filter(|(_, input)| input.uniform) {
            let (first, others) = given.split_at_mut(1);
            others.iter_mut().for_each(|other| other[number].clone_from(&first[0][number]));
        }
        let expected = outputs(program, &mut reference, &given);
        let found = runner.run(&bytes(program, shape, &given))?;
        for (instance, (inputs, left)) in given.into_iter().zip(expected).enumerate() {
            let right = unpacked(&found, shape, instance);
            if left != right {
                return Ok(Verdict::Differ { inputs, left, right });
            }
        }
        tried += instances as u64;
    }
    // Uniform inputs are the same in all instances, so that not every case was tried if there are any.
    let every = cases.exhaustive && entry.inputs.iter().all(|input| !input.uniform);
    Ok(if every { Verdict::Equal { how: How::Exhaustive } } else { Verdict::Agree { cases: tried } })
}

/// The outputs of each instance.
fn outputs(program: &Program, interpreter: &mut Interpreter, given: &[Values]) -> Vec<Values> {
    if !is_sliced(program) {
        return given.iter().map(|inputs| interpreter.run(inputs)).collect();
    }
    let mut all = Vec::with_capacity(given.len());
    for group in given.chunks(LANES) {
        let Some(first) = group.first() else { continue };
        let mut sliced: Values = first.iter().map(|atoms| vec![0; atoms.len()]).collect();
        for (lane, inputs) in group.iter().enumerate() {
            for (sliced, bit) in sliced.iter_mut().flatten().zip(inputs.iter().flatten()) {
                *sliced |= bit << lane;
            }
        }
        let outputs = interpreter.run_sliced(&sliced);
        let lane = |lane: usize| {
            outputs.iter().map(move |atoms| atoms.iter().map(|atom| atom >> lane & 1).collect())
        };
        all.extend((0..group.len()).map(|number| lane(number).collect::<Values>()));
    }
    all
}

/// The inputs of the machine program.
fn bytes(program: &Program, shape: &Shape, given: &[Values]) -> Vec<Vec<u8>> {
    let of = |(number, uniform): (usize, bool)| {
        let atoms = given.first().map_or(0, |first| first[number].len());
        let of_atom = |atom: usize| {
            let mut instances = given.iter().map(|inputs| inputs[number][atom]);
            match uniform {
                true => shape.pack_uniform(ByteOrder::Little, instances.next().unwrap_or(0)),
                false => shape.pack(ByteOrder::Little, &instances.collect::<Vec<u128>>()),
            }
        };
        (0..atoms).flat_map(of_atom).collect()
    };
    program.entry().inputs.iter().map(|input| input.uniform).enumerate().map(of).collect()
}

/// The outputs of an instance.
fn unpacked(outputs: &[Vec<u8>], shape: &Shape, instance: usize) -> Values {
    let registers = |bytes: &Vec<u8>| {
        let atoms = bytes.chunks(shape.register_bytes() as usize);
        atoms.map(|register| shape.unpack(ByteOrder::Little, instance, register)).collect()
    };
    outputs.iter().map(registers).collect()
}
