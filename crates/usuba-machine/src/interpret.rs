//! What a machine program computes: runs it on bytes.
//!
//! Registers and memory are bytes in memory order, as [`usuba_target::semantics`] has them: lanes are little-endian, unless
//! the program is run as on a big-endian machine. Memory of
//! a function's own begins with arbitrary bytes, so that a program that reads what it has not written is likely to show it.

use crate::check::Checked;
use crate::messages::Fault;
use crate::program::{
    Address, Argument, Block, Call, Function, Length, Loop, Parameter, Program, Public, RegisterId, Role,
    Step, Trips,
};
use crate::rows::row_name;
use usuba_target::semantics::{constant, evaluate_into};
use usuba_target::{Instruction, Meaning, Undefined};

/// The largest register.
const LARGEST: usize = 64;
/// The most operands of an instruction.
const MOST_OPERANDS: usize = 3;

/// Runs the entry once: [`Interpreter::run`].
///
/// # Errors
/// The inputs do not fit the parameters, or an instruction has no meaning for its operands.
pub fn run(program: &Checked, inputs: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Fault> {
    Interpreter::new(program).run(inputs)
}

/// Runs a program as often as one likes.
#[derive(Debug)]
pub struct Interpreter<'a> {
    program: &'a Program,
    /// For each function, where each register lies in its frame, and the bytes of all.
    frames: Vec<(Vec<usize>, usize)>,
    inductions: Vec<usize>,
    memory: Vec<Vec<u8>>,
    big_endian: bool,
}

/// What a function has while it runs.
struct Frame<'a> {
    function: &'a Function,
    places: Vec<usize>,
    registers: Vec<u8>,
    /// The piece of memory of each region, and the byte at which it begins.
    regions: Vec<(usize, usize)>,
    inductions: Vec<i64>,
}

impl Frame<'_> {
    fn bytes(&self, register: RegisterId) -> &[u8] {
        let at = self.places[register.index()];
        &self.registers[at..at + self.function.register(register).ty.bytes()]
    }

    fn set(&mut self, register: RegisterId, bytes: &[u8]) {
        let at = self.places[register.index()];
        self.registers[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn number(&self, count: RegisterId) -> u64 {
        self.bytes(count).iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    fn public(&self, value: &Public) -> u64 {
        match value {
            Public::Sum { constant, terms } => terms.iter().fold(*constant as u64, |sum, (count, factor)| {
                sum.wrapping_add(self.number(*count).wrapping_mul(*factor as u64))
            }),
            Public::Index(index) => index.at(&self.inductions) as u64,
            Public::Quotient { of, by } => self.number(*of) / u64::from(*by),
            Public::Remainder { of, by } => self.number(*of) % u64::from(*by),
            Public::Least { of, bound } => self.number(*of).min(u64::from(*bound)),
        }
    }

    fn length(&self, length: Length) -> u64 {
        match length {
            Length::Constant(length) => u64::from(length),
            Length::Public { count, factor } => self.number(count).saturating_mul(u64::from(factor)),
        }
    }

    /// The piece of memory, and where in it an element begins; `further` elements on.
    fn place(&self, address: &Address, further: u32) -> (usize, usize) {
        let (piece, begin) = self.regions[address.region.index()];
        let index = address.index.at(&self.inductions) as usize + further as usize;
        (piece, begin + index * self.function.region(address.region).element.bytes())
    }
}

impl<'a> Interpreter<'a> {
    /// For a program.
    pub fn new(program: &'a Checked) -> Interpreter<'a> {
        let program: &Program = program;
        let frame = |function: &Function| {
            let mut end = 0;
            let places = function.registers.iter().map(|register| {
                let at = end;
                end += register.ty.bytes();
                at
            });
            (places.collect(), end)
        };
        Interpreter {
            program,
            frames: program.functions.iter().map(frame).collect(),
            inductions: program.functions.iter().map(|function| inductions(&function.body)).collect(),
            memory: Vec::new(),
            big_endian: false,
        }
    }

    /// The same on a machine whose lanes have their most significant byte first.
    pub fn on_big_endian(self) -> Interpreter<'a> {
        Interpreter { big_endian: true, ..self }
    }

    /// What the entry writes to its outputs, in order, given its inputs in order: of a register its bytes (a count has eight,
    /// the lowest first), of a region its elements one after the other.
    ///
    /// # Errors
    /// The inputs do not fit the parameters, or an instruction has no meaning for its operands.
    pub fn run(&mut self, inputs: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Fault> {
        let program = self.program;
        let Some(entry) = program.functions.last() else { return Ok(Vec::new()) };
        self.memory.clear();
        let mut frame = self.frame(program.functions.len() - 1, entry);
        let is_output = |parameter: &Parameter| matches!(parameter, Parameter::Region(region) if entry.region(*region).role == Role::Output);
        let expected = entry.parameters.iter().filter(|parameter| !is_output(parameter)).count();
        if inputs.len() != expected {
            return Err(Fault::Inputs { expected, found: inputs.len() });
        }
        let fits = |number, expected, found| {
            if expected == found { Ok(()) } else { Err(Fault::Size { number, expected, found }) }
        };
        let given = entry.parameters.iter().filter(|parameter| !is_output(parameter)).zip(inputs).enumerate();
        // Lengths are known only when all counts are.
        for (number, (parameter, bytes)) in given.clone() {
            if let Parameter::Register(register) = parameter {
                fits(number, entry.register(*register).ty.bytes(), bytes.len())?;
                frame.set(*register, bytes);
            }
        }
        for (number, (parameter, bytes)) in given {
            if let Parameter::Region(region) = parameter {
                let length = frame.length(entry.region(*region).length) as usize;
                fits(number, length * entry.region(*region).element.bytes(), bytes.len())?;
                self.memory.push(bytes.clone());
                frame.regions[region.index()] = (self.memory.len() - 1, 0);
            }
        }
        let mut outputs = Vec::new();
        for parameter in &entry.parameters {
            if let (true, Parameter::Region(region)) = (is_output(parameter), parameter) {
                let length = frame.length(entry.region(*region).length) as usize;
                outputs.push(self.allocate(length * entry.region(*region).element.bytes()));
                frame.regions[region.index()] = (self.memory.len() - 1, 0);
            }
        }
        self.function(&mut frame)?;
        Ok(outputs.into_iter().map(|piece| std::mem::take(&mut self.memory[piece])).collect())
    }

    fn frame(&self, number: usize, function: &'a Function) -> Frame<'a> {
        let (places, bytes) = &self.frames[number];
        Frame {
            function,
            places: places.clone(),
            registers: vec![0; *bytes],
            regions: vec![(0, 0); function.regions.len()],
            inductions: vec![0; self.inductions[number]],
        }
    }

    /// A piece of memory with arbitrary content.
    fn allocate(&mut self, bytes: usize) -> usize {
        let salt = self.memory.len();
        let arbitrary =
            |at: usize| (at.wrapping_mul(0x9e37_79b9) >> 7 ^ salt.wrapping_mul(0x6d) ^ 0xa5) as u8;
        self.memory.push((0..bytes).map(arbitrary).collect());
        salt
    }

    fn function(&mut self, frame: &mut Frame<'a>) -> Result<(), Fault> {
        let function = frame.function;
        for step in &function.constants {
            if let Step::Constant { row, result, constant: value } = step {
                let bytes = function.register(*result).ty.bytes();
                let mut bytes = constant(row, bytes, value).map_err(|why| fault(row, why))?;
                self.turn(row, &mut bytes);
                frame.set(*result, &bytes);
            }
        }
        self.block(frame, &function.body)
    }

    fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> Result<(), Fault> {
        let before = self.memory.len();
        for &local in &block.locals {
            let region = frame.function.region(local);
            let bytes = frame.length(region.length) as usize * region.element.bytes();
            frame.regions[local.index()] = (self.allocate(bytes), 0);
        }
        for step in &block.steps {
            self.step(frame, step)?;
        }
        self.memory.truncate(before);
        Ok(())
    }

    fn step(&mut self, frame: &mut Frame<'a>, step: &'a Step) -> Result<(), Fault> {
        match step {
            Step::Compute { row, result, operands, immediate } => {
                let mut made = [0; LARGEST];
                let made = &mut made[..frame.function.register(*result).ty.bytes()];
                let mut all: [&[u8]; MOST_OPERANDS] = [&[]; MOST_OPERANDS];
                for (read, operand) in all.iter_mut().zip(operands) {
                    *read = frame.bytes(*operand);
                }
                let read = &all[..operands.len().min(MOST_OPERANDS)];
                if self.big_endian && row.lane > 8 {
                    let mut turned: Vec<Vec<u8>> = read.iter().map(|operand| operand.to_vec()).collect();
                    turned.iter_mut().for_each(|operand| self.turn(row, operand));
                    let read: Vec<&[u8]> = turned.iter().map(Vec::as_slice).collect();
                    evaluate_into(row, &read, *immediate, made).map_err(|why| fault(row, why))?;
                    self.turn(row, made);
                } else {
                    evaluate_into(row, read, *immediate, made).map_err(|why| fault(row, why))?;
                }
                frame.set(*result, made);
            }
            Step::Load { row, result, address } => {
                let mut made = [0; LARGEST];
                let made = &mut made[..frame.function.register(*result).ty.bytes()];
                self.load(frame, row, address, 0, made)?;
                frame.set(*result, made);
            }
            Step::Gather { row, result, addresses } => {
                let (mut made, mut read) = ([0; LARGEST], [0; LARGEST]);
                let made = &mut made[..frame.function.register(*result).ty.bytes()];
                let read = &mut read[..made.len()];
                for (address, lane) in addresses.iter().zip(read.chunks_exact_mut(row.lane as usize / 8)) {
                    let (piece, at) = frame.place(address, 0);
                    lane.copy_from_slice(&self.memory[piece][at..at + lane.len()]);
                }
                evaluate_into(row, &[read], None, made).map_err(|why| fault(row, why))?;
                frame.set(*result, made);
            }
            Step::Scatter { row, addresses, value } => {
                let lanes = frame.bytes(*value).chunks_exact(row.lane as usize / 8);
                for (address, lane) in addresses.iter().zip(lanes) {
                    self.store(frame, address, 0, lane);
                }
            }
            Step::LoadPart { row, result, address, count } => {
                let mut made = [0; LARGEST];
                let made = &mut made[..frame.function.register(*result).ty.bytes()];
                let (piece, at) = frame.place(address, 0);
                let mut read = [0; LARGEST];
                let number = frame.number(*count);
                let part = number as usize * (row.lane as usize / 8);
                read[..part].copy_from_slice(&self.memory[piece][at..at + part]);
                evaluate_into(row, &[&read[..made.len()], &number.to_le_bytes()], None, made)
                    .map_err(|why| fault(row, why))?;
                frame.set(*result, made);
            }
            Step::StorePart { row, address, value, count } => {
                let part = frame.number(*count) as usize * (row.lane as usize / 8);
                self.store(frame, address, 0, &frame.bytes(*value)[..part]);
            }
            Step::CopyPart { from, to, count } => {
                let element = frame.function.region(to.region).element.bytes();
                let bytes = frame.number(*count) as usize * element;
                let ((source, at), (goal, start)) = (frame.place(from, 0), frame.place(to, 0));
                let moved = self.memory[source][at..at + bytes].to_vec();
                self.memory[goal][start..start + bytes].copy_from_slice(&moved);
            }
            Step::Count { result, value } => {
                let number = frame.public(value);
                frame.set(*result, &number.to_le_bytes());
            }
            Step::View { region, of, offset } => {
                let (piece, begin) = frame.regions[of.index()];
                let element = frame.function.region(*of).element.bytes();
                frame.regions[region.index()] = (piece, begin + frame.number(*offset) as usize * element);
            }
            Step::Store { address, value, .. } => self.store(frame, address, 0, frame.bytes(*value)),
            Step::Fill { address, len, value, .. } => {
                (0..*len).for_each(|further| self.store(frame, address, further, frame.bytes(*value)));
            }
            Step::Copy { load, from, to, len, .. } => {
                let mut moved = [0; LARGEST];
                let moved = &mut moved[..frame.function.region(to.region).element.bytes()];
                for further in 0..*len {
                    self.load(frame, load, from, further, moved)?;
                    self.store(frame, to, further, moved);
                }
            }
            Step::Call(call) => self.call(frame, call)?,
            Step::Loop(looped) => self.looped(frame, looped)?,
            Step::Constant { .. } => {}
        }
        Ok(())
    }

    /// Turns the bytes of every lane round where the machine is big-endian.
    fn turn(&self, row: &Instruction, bytes: &mut [u8]) {
        if self.big_endian && row.lane > 8 {
            bytes.chunks_exact_mut(row.lane as usize / 8).for_each(<[u8]>::reverse);
        }
    }

    fn load(
        &self,
        frame: &Frame<'_>,
        row: &Instruction,
        address: &Address,
        further: u32,
        made: &mut [u8],
    ) -> Result<(), Fault> {
        let (piece, at) = frame.place(address, further);
        let element = match row.meaning {
            // Of scalars a broadcast may read several.
            Meaning::Broadcast | Meaning::RepeatMask if row.lane > 0 => row.lane as usize / 8,
            _ => frame.function.region(address.region).element.bytes(),
        };
        evaluate_into(row, &[&self.memory[piece][at..at + element]], None, made)
            .map_err(|why| fault(row, why))
    }

    fn store(&mut self, frame: &Frame<'_>, address: &Address, further: u32, bytes: &[u8]) {
        let (piece, at) = frame.place(address, further);
        self.memory[piece][at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn call(&mut self, frame: &mut Frame<'a>, call: &Call) -> Result<(), Fault> {
        let callee = &self.program.functions[call.function];
        let mut inner = self.frame(call.function, callee);
        let before = self.memory.len();
        let mut results = Vec::new();
        for (argument, parameter) in call.arguments.iter().zip(&callee.parameters) {
            match (argument, parameter) {
                (Argument::Value(register), Parameter::Register(to)) => {
                    inner.set(*to, frame.bytes(*register))
                }
                (Argument::Read(address) | Argument::Write(address), Parameter::Region(to)) => {
                    inner.regions[to.index()] = frame.place(address, 0);
                }
                (Argument::Result(register), Parameter::Region(to)) => {
                    let piece = self.allocate(callee.region(*to).element.bytes());
                    inner.regions[to.index()] = (piece, 0);
                    results.push((*register, piece));
                }
                _ => {}
            }
        }
        self.function(&mut inner)?;
        for (register, piece) in results {
            frame.set(register, &self.memory[piece]);
        }
        self.memory.truncate(before);
        Ok(())
    }

    fn looped(&mut self, frame: &mut Frame<'a>, looped: &'a Loop) -> Result<(), Fault> {
        let trips = match looped.trips {
            Trips::Constant(trips) => u64::from(trips),
            Trips::Public(count) => frame.number(count),
        };
        for carried in &looped.carried {
            let first = frame.bytes(carried.initial).to_vec();
            frame.set(carried.register, &first);
        }
        for trip in 0..trips {
            frame.inductions[looped.induction.index()] = trip as i64;
            self.block(frame, &looped.body)?;
            let next: Vec<Vec<u8>> =
                looped.carried.iter().map(|carried| frame.bytes(carried.next).to_vec()).collect();
            for (carried, next) in looped.carried.iter().zip(next) {
                frame.set(carried.register, &next);
            }
        }
        Ok(())
    }
}

fn fault(row: &Instruction, why: Undefined) -> Fault {
    Fault::Row { row: row_name(row), why }
}

/// One more than the largest number of an induction variable.
fn inductions(block: &Block) -> usize {
    let of = |step: &Step| match step {
        Step::Loop(looped) => inductions(&looped.body).max(looped.induction.index() + 1),
        _ => 0,
    };
    block.steps.iter().map(of).max().unwrap_or(0)
}
