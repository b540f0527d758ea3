//! The reference interpreter: what a typed program means.
//!
//! A program is translated once into straight-line code over numbered cells of 128 bits (`code`), then run any number
//! of times. Calls cannot be recursive, so every instance has its cells to itself for good: a call copies arguments in
//! and results out, and nothing is allocated while running.

mod code;

use crate::ast::ShiftOp;
use crate::typed::{ArithmeticOp, Lookup, Program};
use code::{Code, Operation};
use std::fmt;

/// The longest run, in operations, that is worth waiting for: a minute or so.
pub const LONGEST_RUN: u64 = 1 << 32;

/// Runs the entry of `program` once.
///
/// `inputs`: for each input in order, its atoms row-major (in [`crate::typed::Atoms::Bits`] the bits of a word most
/// significant first), each below 2^width. Returns the atoms of each output in the same way. Missing atoms read as
/// zero; use [`check_inputs`] to refuse wrong inputs. To run a program many times, make an [`Interpreter`] once.
pub fn interpret(program: &Program, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
    Interpreter::new(program).run(inputs)
}

/// Why inputs do not fit a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputError {
    /// Not one list for each input.
    Inputs {
        /// How many inputs the entry has.
        expected: usize,
        /// How many lists there are.
        found: usize,
    },
    /// Not one value for each atom of an input.
    Atoms {
        /// The input.
        name: String,
        /// How many atoms it has.
        expected: usize,
        /// How many values there are.
        found: usize,
    },
    /// A value that does not fit its atom.
    Value {
        /// The input.
        name: String,
        /// The position of the atom.
        atom: usize,
        /// Bits of the atom.
        width: u32,
        /// The value.
        value: u128,
    },
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::Inputs { expected, found } => {
                write!(f, "the entry has {expected} inputs, but {found} are given")
            }
            InputError::Atoms { name, expected, found } => {
                write!(f, "the input `{name}` has {expected} atoms, but {found} values are given")
            }
            InputError::Value { name, atom, width, value } => {
                write!(
                    f,
                    "0x{value:x} does not fit atom {atom} of the input `{name}`, which has {width} bits"
                )
            }
        }
    }
}

impl std::error::Error for InputError {}

/// Whether `inputs` has a value that fits for every atom of the entry's inputs.
pub fn check_inputs(program: &Program, inputs: &[Vec<u128>]) -> Result<(), InputError> {
    let entry = program.instance(program.entry);
    if inputs.len() != entry.inputs.len() {
        return Err(InputError::Inputs { expected: entry.inputs.len(), found: inputs.len() });
    }
    for (&id, values) in entry.inputs.iter().zip(inputs) {
        let variable = entry.variable(id);
        let name = || variable.name.clone();
        let expected = variable.atoms() as usize;
        if values.len() != expected {
            return Err(InputError::Atoms { name: name(), expected, found: values.len() });
        }
        for (atom, &value) in values.iter().enumerate() {
            if value & !mask(variable.width) != 0 {
                return Err(InputError::Value { name: name(), atom, width: variable.width, value });
            }
        }
    }
    Ok(())
}

/// `width` ones.
fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// A program made ready to run.
#[derive(Clone, Debug)]
pub struct Interpreter {
    code: Code,
    cells: Vec<u128>,
    /// Where to go on after each call under way: routine and position.
    returns: Vec<(usize, usize)>,
    /// Whether everything that the last run accepts was right.
    accepted: bool,
}

impl Interpreter {
    /// Translates `program`.
    pub fn new(program: &Program) -> Interpreter {
        let code = Code::new(program);
        let cells = code.cells.clone();
        Interpreter { code, cells, returns: Vec::new(), accepted: true }
    }

    /// How many operations a run executes, those of calls as often as they are called; the largest number if it is more.
    pub fn operations(&self) -> u64 {
        // A routine calls only those before it.
        let mut totals: Vec<u64> = Vec::with_capacity(self.code.routines.len());
        for routine in &self.code.routines {
            let mut total = 0u64;
            for operation in &routine.operations {
                let inside = match operation {
                    Operation::Call { routine, .. } => {
                        totals.get(*routine as usize).copied().unwrap_or(u64::MAX)
                    }
                    _ => 0,
                };
                total = total.saturating_add(inside).saturating_add(1);
            }
            totals.push(total);
        }
        totals.get(self.code.entry).copied().unwrap_or(0)
    }

    /// Runs the entry; arguments and result as for [`interpret`]. Where a message is refused, all results are zero.
    pub fn run(&mut self, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
        let results = self.results(inputs);
        let wiped = |atoms: &Vec<u128>| vec![0; atoms.len()];
        if self.accepted { results } else { results.iter().map(wiped).collect() }
    }

    /// Runs the entry; `None` where the message is refused.
    pub fn open(&mut self, inputs: &[Vec<u128>]) -> Option<Vec<Vec<u128>>> {
        let results = self.results(inputs);
        self.accepted.then_some(results)
    }

    fn results(&mut self, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
        let mut next = self.code.entry_inputs.start;
        for (count, values) in self.code.input_lengths.iter().zip(inputs) {
            for i in 0..*count {
                self.cells[(next + i) as usize] = values.get(i as usize).copied().unwrap_or(0);
            }
            next += count;
        }
        self.execute();
        self.code
            .outputs
            .iter()
            .map(|cells| cells.iter().map(|&cell| self.cells[cell as usize]).collect())
            .collect()
    }

    fn execute(&mut self) {
        let Interpreter { code, cells, returns, accepted } = self;
        *accepted = true;
        let mut routine = code.entry;
        let mut position = 0usize;
        returns.clear();
        loop {
            let current = &code.routines[routine];
            let Some(operation) = current.operations.get(position) else {
                let Some((caller, place)) = returns.pop() else { return };
                if let Operation::Call { output, .. } = code.routines[caller].operations[place] {
                    for (i, &result) in current.results.iter().enumerate() {
                        cells[output as usize + i] = cells[result as usize];
                    }
                }
                routine = caller;
                position = place + 1;
                continue;
            };
            match *operation {
                Operation::Not { output, operand, mask } => {
                    cells[output as usize] = !cells[operand as usize] & mask;
                }
                Operation::And { output, left, right } => {
                    cells[output as usize] = cells[left as usize] & cells[right as usize];
                }
                Operation::Or { output, left, right } => {
                    cells[output as usize] = cells[left as usize] | cells[right as usize];
                }
                Operation::Xor { output, left, right } => {
                    cells[output as usize] = cells[left as usize] ^ cells[right as usize];
                }
                Operation::Arithmetic { op, mask, output, left, right } => {
                    cells[output as usize] =
                        arithmetic(op, cells[left as usize], cells[right as usize]) & mask;
                }
                Operation::BitArithmetic { op, width, output, left, right } => {
                    let number = |start: u32, cells: &[u128]| {
                        (0..width).fold(0u128, |value, i| {
                            value << 1 | cells[code.pool[(start + i) as usize] as usize]
                        })
                    };
                    let result = arithmetic(op, number(left, cells), number(right, cells));
                    for i in 0..width {
                        cells[(output + i) as usize] = result >> (width - 1 - i) & 1;
                    }
                }
                Operation::Shift { op, amount, width, output, operand } => {
                    cells[output as usize] = shift(op, cells[operand as usize], amount, width);
                }
                Operation::Shuffle { output, operand, pattern, width } => {
                    let value = cells[operand as usize];
                    cells[output as usize] = (0..width).fold(0u128, |result, i| {
                        let source = code.pool[(pattern + i) as usize];
                        result << 1 | value >> (width - 1 - source) & 1
                    });
                }
                Operation::Bitmask { output, operand, bit, mask } => {
                    cells[output as usize] = if cells[operand as usize] >> bit & 1 == 1 { mask } else { 0 };
                }
                Operation::Pack { output, high, low, shift } => {
                    cells[output as usize] = cells[high as usize] << shift | cells[low as usize];
                }
                Operation::Table { table, output } => {
                    look_up(&code.tables[table as usize], code, cells, output)
                }
                Operation::Append { output, operand, high, low, first } => {
                    let bits = (cells[operand as usize] & mask(high)) >> low;
                    let above = if first { 0 } else { cells[output as usize] };
                    cells[output as usize] = above.checked_shl(high - low).unwrap_or(0) | bits;
                }
                Operation::Accept { left, right } => {
                    *accepted &= cells[left as usize] == cells[right as usize];
                }
                Operation::Call { routine: callee, arguments, .. } => {
                    let inputs = code.routines[callee as usize].inputs.clone();
                    for (i, input) in inputs.enumerate() {
                        cells[input as usize] = cells[code.pool[arguments as usize + i] as usize];
                    }
                    returns.push((routine, position));
                    routine = callee as usize;
                    position = 0;
                    continue;
                }
            }
            position += 1;
        }
    }
}

fn arithmetic(op: ArithmeticOp, left: u128, right: u128) -> u128 {
    match op {
        ArithmeticOp::Add => left.wrapping_add(right),
        ArithmeticOp::Subtract => left.wrapping_sub(right),
        ArithmeticOp::Multiply => left.wrapping_mul(right),
    }
}

/// A shift or rotation within `width` bits, `amount < width`.
fn shift(op: ShiftOp, value: u128, amount: u32, width: u32) -> u128 {
    let back = width - amount;
    let left = |by: u32| value.checked_shl(by).unwrap_or(0);
    let right = |by: u32| value.checked_shr(by).unwrap_or(0);
    let result = match op {
        ShiftOp::Left => left(amount),
        ShiftOp::Right => right(amount),
        ShiftOp::RightArithmetic => {
            let sign = if value >> (width - 1) & 1 == 1 { mask(width) & !mask(back) } else { 0 };
            right(amount) | sign
        }
        ShiftOp::RotateLeft => left(amount) | right(back),
        ShiftOp::RotateRight => right(amount) | left(back),
    };
    result & mask(width)
}

/// Applies a table to the cells of its instance.
fn look_up(table: &code::TableCode, code: &Code, cells: &mut [u128], output: u32) {
    let input = |i: u32| code.pool[(table.inputs + i) as usize] as usize;
    let Lookup::Columns { columns } = table.lookup else {
        let index = cells[input(0)] as usize;
        cells[output as usize] = u128::from(table.entries.get(index).copied().unwrap_or(0));
        return;
    };
    for atom in 0..table.outputs * columns {
        cells[(output + atom) as usize] = 0;
    }
    for column in 0..columns {
        for bit in 0..table.width {
            let index = (0..table.input_count).fold(0usize, |index, i| {
                index << 1 | (cells[input(i * columns + column)] >> bit & 1) as usize
            });
            let value = table.entries.get(index).copied().unwrap_or(0);
            for j in 0..table.outputs {
                let cell = &mut cells[(output + j * columns + column) as usize];
                *cell |= u128::from(value >> (table.outputs - 1 - j) & 1) << bit;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_inputs_are_named() {
        let text = "node f (x:u8x2, b:b1) returns (y:u8x2) let y = x tel";
        let (file, _) = crate::syntax::parse(crate::source::SourceId(0), text);
        let mut program = crate::ast::Program::default();
        for item in file.items {
            if let crate::ast::Item::Definition(definition) = item {
                program.definitions.push(definition);
            }
        }
        let (typed, _) = crate::elaborate::elaborate(&program, &crate::elaborate::Options::new());
        let Some(typed) = typed else { panic!() };
        for (inputs, expected) in [
            (vec![vec![1, 2], vec![1]], "fine"),
            (vec![vec![1, 2]], "the entry has 2 inputs, but 1 are given"),
            (vec![vec![1], vec![1]], "the input `x` has 2 atoms, but 1 values are given"),
            (vec![vec![1, 256], vec![1]], "0x100 does not fit atom 1 of the input `x`, which has 8 bits"),
            (vec![vec![1, 2], vec![2]], "0x2 does not fit atom 0 of the input `b`, which has 1 bits"),
        ] {
            let found = check_inputs(&typed, &inputs).map_or_else(|e| e.to_string(), |()| "fine".to_string());
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn shifts_stay_within_the_word() {
        for (op, value, amount, width, expected) in [
            (ShiftOp::Left, 0x81, 1, 8, 0x02),
            (ShiftOp::Right, 0x81, 1, 8, 0x40),
            (ShiftOp::RightArithmetic, 0x81, 1, 8, 0xc0),
            (ShiftOp::RightArithmetic, 0x41, 1, 8, 0x20),
            (ShiftOp::RightArithmetic, 0x81, 7, 8, 0xff),
            (ShiftOp::RotateLeft, 0x81, 1, 8, 0x03),
            (ShiftOp::RotateRight, 0x81, 1, 8, 0xc0),
            (ShiftOp::RotateLeft, 0x81, 0, 8, 0x81),
            (ShiftOp::RotateRight, 1, 1, 128, 1 << 127),
            (ShiftOp::RotateLeft, 1 << 127, 0, 128, 1 << 127),
            (ShiftOp::RightArithmetic, 1 << 127, 127, 128, u128::MAX),
        ] {
            assert_eq!(shift(op, value, amount, width), expected, "{value:x} {op:?} {amount} in {width}");
        }
    }
}
