//! From the typed program to code over cells.
//!
//! Selecting, concatenating, permuting and assigning atoms moves nothing: they only say which cell an atom is in. What
//! is left are the operations that compute.

use crate::ast::ShiftOp;
use crate::typed::{
    ArithmeticOp, Assignment, Body, Definition, Equations, Expression, ExpressionKind, Instance, LogicOp,
    Lookup, Program, Step, Use,
};
use std::collections::HashMap;
use std::ops::Range;

/// One operation. Operands and outputs are numbers of cells; outputs of several cells are consecutive; lists of operands
/// are places in [`Code::pool`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    Not {
        output: u32,
        operand: u32,
        mask: u128,
    },
    And {
        output: u32,
        left: u32,
        right: u32,
    },
    Or {
        output: u32,
        left: u32,
        right: u32,
    },
    Xor {
        output: u32,
        left: u32,
        right: u32,
    },
    Arithmetic {
        op: ArithmeticOp,
        mask: u128,
        output: u32,
        left: u32,
        right: u32,
    },
    BitArithmetic {
        op: ArithmeticOp,
        width: u32,
        output: u32,
        left: u32,
        right: u32,
    },
    Shift {
        op: ShiftOp,
        amount: u32,
        width: u32,
        output: u32,
        operand: u32,
    },
    Shuffle {
        output: u32,
        operand: u32,
        pattern: u32,
        width: u32,
    },
    Bitmask {
        output: u32,
        operand: u32,
        bit: u32,
        mask: u128,
    },
    Pack {
        output: u32,
        high: u32,
        low: u32,
        shift: u32,
    },
    Table {
        table: u32,
        output: u32,
    },
    Call {
        routine: u32,
        arguments: u32,
        output: u32,
    },
    /// Bits `high - 1` to `low` of `operand`, appended to `output` below what it has; it starts anew if `first`.
    Append {
        output: u32,
        operand: u32,
        high: u32,
        low: u32,
        first: bool,
    },
    /// The message is refused if these differ.
    Accept {
        left: u32,
        right: u32,
    },
}

/// The code of one instance.
#[derive(Clone, Debug)]
pub(super) struct Routine {
    /// The cells of its input atoms.
    pub(super) inputs: Range<u32>,
    pub(super) operations: Vec<Operation>,
    /// The cells of its output atoms after it has run.
    pub(super) results: Vec<u32>,
    /// Width of each output atom.
    widths: Vec<u32>,
    /// For a permutation, the inputs that its outputs are: a call then only renames.
    sources: Option<Vec<u32>>,
}

/// A table with the cells it reads.
#[derive(Clone, Debug)]
pub(super) struct TableCode {
    pub(super) lookup: Lookup,
    pub(super) inputs: u32,
    pub(super) input_count: u32,
    pub(super) outputs: u32,
    /// Bits of each atom.
    pub(super) width: u32,
    pub(super) entries: Vec<u64>,
}

/// A program as code.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) routines: Vec<Routine>,
    pub(super) entry: usize,
    pub(super) pool: Vec<u32>,
    pub(super) tables: Vec<TableCode>,
    /// The cells at the start, constants filled in.
    pub(super) cells: Vec<u128>,
    pub(super) entry_inputs: Range<u32>,
    /// Atoms of each input of the entry.
    pub(super) input_lengths: Vec<u32>,
    /// Cells of each output of the entry.
    pub(super) outputs: Vec<Vec<u32>>,
    /// The cell of each constant.
    constants: HashMap<u128, u32>,
}

/// Where an atom is, and its width.
#[derive(Clone, Copy, Debug)]
struct Atom {
    cell: u32,
    width: u32,
}

impl Code {
    pub(super) fn new(program: &Program) -> Code {
        let mut code = Code {
            routines: Vec::with_capacity(program.instances.len()),
            entry: program.entry.0 as usize,
            pool: Vec::new(),
            tables: Vec::new(),
            cells: Vec::new(),
            entry_inputs: 0..0,
            input_lengths: Vec::new(),
            outputs: Vec::new(),
            constants: HashMap::new(),
        };
        for instance in &program.instances {
            let routine = code.routine(instance);
            code.routines.push(routine);
        }
        let entry = program.instance(program.entry);
        let routine = &code.routines[code.entry];
        code.entry_inputs = routine.inputs.clone();
        code.input_lengths = entry.inputs.iter().map(|&id| entry.variable(id).atoms()).collect();
        let mut results = routine.results.iter().copied();
        code.outputs = entry
            .outputs
            .iter()
            .map(|&id| results.by_ref().take(entry.variable(id).atoms() as usize).collect())
            .collect();
        code
    }

    fn new_cells(&mut self, count: u32) -> u32 {
        let first = self.cells.len() as u32;
        self.cells.resize(self.cells.len() + count as usize, 0);
        first
    }

    fn constant(&mut self, value: u128) -> u32 {
        if let Some(&cell) = self.constants.get(&value) {
            return cell;
        }
        let cell = self.new_cells(1);
        self.cells[cell as usize] = value;
        self.constants.insert(value, cell);
        cell
    }

    fn list(&mut self, cells: impl IntoIterator<Item = u32>) -> u32 {
        let start = self.pool.len() as u32;
        self.pool.extend(cells);
        start
    }

    fn routine(&mut self, instance: &Instance) -> Routine {
        let mut bases = vec![0u32; instance.variables.len()];
        let start = self.cells.len() as u32;
        for &input in &instance.inputs {
            bases[input.0 as usize] = self.new_cells(instance.variable(input).atoms());
        }
        let inputs = start..self.cells.len() as u32;
        let widths: Vec<u32> = instance
            .outputs
            .iter()
            .map(|&id| instance.variable(id))
            .flat_map(|v| std::iter::repeat_n(v.width, v.atoms() as usize))
            .collect();
        let mut routine = Routine {
            inputs: inputs.clone(),
            operations: Vec::new(),
            results: Vec::new(),
            widths,
            sources: None,
        };
        match &instance.body {
            Body::Permutation { sources } => {
                routine.results = sources.iter().map(|&source| inputs.start + source).collect();
                routine.sources = Some(sources.clone());
            }
            Body::Table(table) => {
                let output = self.new_cells(routine.widths.len() as u32);
                let list = self.list(inputs);
                routine.results = (output..output + routine.widths.len() as u32).collect();
                routine.operations.push(Operation::Table { table: self.tables.len() as u32, output });
                self.tables.push(TableCode {
                    lookup: table.lookup,
                    inputs: list,
                    input_count: table.inputs,
                    outputs: table.outputs,
                    width: routine.widths.first().copied().unwrap_or(1),
                    entries: table.entries.clone(),
                });
            }
            Body::Equations(equations) => {
                let mut translation =
                    Translation { code: self, instance, bases, assigned: Vec::new(), operations: Vec::new() };
                translation.equations(equations);
                routine.results = equations
                    .results
                    .iter()
                    .zip(&instance.outputs)
                    .flat_map(|(definitions, &output)| {
                        definitions.iter().enumerate().map(move |(atom, &d)| (output, atom as u32, d))
                    })
                    .map(|(variable, atom, definition)| {
                        let slot = crate::typed::Slot { variable, atom };
                        translation.cell(Use { slot, definition })
                    })
                    .collect();
                routine.operations = translation.operations;
            }
        }
        routine
    }
}

/// The translation of one node.
struct Translation<'c, 'p> {
    code: &'c mut Code,
    instance: &'p Instance,
    /// The first cell of each input.
    bases: Vec<u32>,
    /// The cells of the targets of each assignment, once translated.
    assigned: Vec<Vec<u32>>,
    operations: Vec<Operation>,
}

impl<'p> Translation<'_, 'p> {
    fn equations(&mut self, equations: &'p Equations) {
        let mut assignments: Vec<Option<&Assignment>> = vec![None; equations.count as usize];
        collect(&equations.steps, &mut assignments);
        self.assigned = vec![Vec::new(); equations.count as usize];
        match &equations.order {
            None => {
                for assignment in assignments.into_iter().flatten() {
                    self.assignment(assignment);
                }
            }
            Some(order) => {
                for id in order {
                    if let Some(assignment) = assignments[id.0 as usize] {
                        self.assignment(assignment);
                    }
                }
            }
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        let atoms = self.expression(&assignment.value);
        self.assigned[assignment.id.0 as usize] = atoms.into_iter().map(|atom| atom.cell).collect();
    }

    fn cell(&self, use_: Use) -> u32 {
        match use_.definition {
            Definition::Input => self.bases[use_.slot.variable.0 as usize] + use_.slot.atom,
            Definition::Assigned(assignment, target) => self.assigned[assignment.0 as usize][target as usize],
        }
    }

    fn expression(&mut self, expression: &Expression) -> Vec<Atom> {
        match &expression.kind {
            ExpressionKind::Atoms(uses) => uses
                .iter()
                .map(|&use_| Atom {
                    cell: self.cell(use_),
                    width: self.instance.variable(use_.slot.variable).width,
                })
                .collect(),
            ExpressionKind::Constants(constants) => constants
                .iter()
                .map(|constant| Atom { cell: self.code.constant(constant.value), width: constant.width })
                .collect(),
            ExpressionKind::Tuple(parts) => parts.iter().flat_map(|part| self.expression(part)).collect(),
            ExpressionKind::Not(operand) => {
                let operands = self.expression(operand);
                self.each(&operands, |operand, output| Operation::Not {
                    output,
                    operand: operand.cell,
                    mask: super::mask(operand.width),
                })
            }
            ExpressionKind::Logic(op, left, right) => {
                let left = self.expression(left);
                let right = self.expression(right);
                let mut rights = right.iter();
                self.each(&left, |left, output| {
                    let (left, right) = (left.cell, rights.next().map_or(left.cell, |right| right.cell));
                    match op {
                        LogicOp::And => Operation::And { output, left, right },
                        LogicOp::Or => Operation::Or { output, left, right },
                        LogicOp::Xor => Operation::Xor { output, left, right },
                    }
                })
            }
            ExpressionKind::Arithmetic { op, width, left, right } => {
                let left = self.expression(left);
                let right = self.expression(right);
                self.arithmetic(*op, *width, &left, &right)
            }
            ExpressionKind::Shift { op, amount, value } => {
                let operands = self.expression(value);
                self.each(&operands, |operand, output| Operation::Shift {
                    op: *op,
                    amount: *amount,
                    width: operand.width,
                    output,
                    operand: operand.cell,
                })
            }
            ExpressionKind::Gather { sources, value } => {
                let operands = self.expression(value);
                let width = operands.first().map_or(1, |operand| operand.width);
                let zero = self.code.constant(0);
                sources
                    .iter()
                    .map(|source| {
                        source.map_or(Atom { cell: zero, width }, |source| operands[source as usize])
                    })
                    .collect()
            }
            ExpressionKind::Shuffle { pattern, value } => {
                let operands = self.expression(value);
                let list = self.code.list(pattern.iter().copied());
                self.each(&operands, |operand, output| Operation::Shuffle {
                    output,
                    operand: operand.cell,
                    pattern: list,
                    width: operand.width,
                })
            }
            ExpressionKind::Bitmask { bit, value } => {
                let operands = self.expression(value);
                self.each(&operands, |operand, output| Operation::Bitmask {
                    output,
                    operand: operand.cell,
                    bit: *bit,
                    mask: super::mask(operand.width),
                })
            }
            ExpressionKind::Pack { high, low } => {
                let high = self.expression(high);
                let low = self.expression(low);
                let mut lows = low.iter();
                let packed = self.each(&high, |high, output| Operation::Pack {
                    output,
                    high: high.cell,
                    low: lows.next().map_or(high.cell, |low| low.cell),
                    shift: high.width,
                });
                packed.into_iter().map(|atom| Atom { width: 2 * atom.width, ..atom }).collect()
            }
            ExpressionKind::Call { callee, arguments } => {
                let arguments = self.expression(arguments);
                self.call(callee.0, &arguments)
            }
            ExpressionKind::Refresh(value) => self.expression(value),
            ExpressionKind::Regroup { width, value } => {
                let operands = self.expression(value);
                self.regroup(&operands, *width)
            }
            ExpressionKind::Accept { left, right } => {
                let left = self.expression(left);
                let right = self.expression(right);
                for (left, right) in left.iter().zip(&right) {
                    self.operations.push(Operation::Accept { left: left.cell, right: right.cell });
                }
                Vec::new()
            }
        }
    }

    /// The bits of atoms, each from its most significant, as atoms of `width` bits.
    fn regroup(&mut self, operands: &[Atom], width: u32) -> Vec<Atom> {
        let bits: u32 = operands.iter().map(|atom| atom.width).sum();
        let first = self.code.new_cells(bits / width.max(1));
        let mut filled = 0;
        for operand in operands {
            let mut high = operand.width;
            while high > 0 {
                let (output, there) = (first + filled / width, filled % width);
                let taken = high.min(width - there);
                let (operand, low) = (operand.cell, high - taken);
                let append = Operation::Append { output, operand, high, low, first: there == 0 };
                self.operations.push(append);
                filled += taken;
                high = low;
            }
        }
        (first..first + bits / width.max(1)).map(|cell| Atom { cell, width }).collect()
    }

    /// One operation for each operand, with a result of its width.
    fn each(&mut self, operands: &[Atom], mut operation: impl FnMut(Atom, u32) -> Operation) -> Vec<Atom> {
        let first = self.code.new_cells(operands.len() as u32);
        operands
            .iter()
            .zip(first..)
            .map(|(&operand, output)| {
                self.operations.push(operation(operand, output));
                Atom { cell: output, width: operand.width }
            })
            .collect()
    }

    fn arithmetic(&mut self, op: ArithmeticOp, width: u32, left: &[Atom], right: &[Atom]) -> Vec<Atom> {
        let atom_width = left.first().map_or(width, |atom| atom.width);
        if atom_width == width {
            let mut rights = right.iter();
            return self.each(left, |left, output| Operation::Arithmetic {
                op,
                mask: super::mask(width),
                output,
                left: left.cell,
                right: rights.next().map_or(left.cell, |right| right.cell),
            });
        }
        let first = self.code.new_cells(left.len() as u32);
        let words = left.chunks_exact(width as usize).zip(right.chunks_exact(width as usize));
        for ((left, right), output) in words.zip((first..).step_by(width as usize)) {
            let left = self.code.list(left.iter().map(|atom| atom.cell));
            let right = self.code.list(right.iter().map(|atom| atom.cell));
            self.operations.push(Operation::BitArithmetic { op, width, output, left, right });
        }
        (first..first + left.len() as u32).map(|cell| Atom { cell, width: atom_width }).collect()
    }

    fn call(&mut self, callee: u32, arguments: &[Atom]) -> Vec<Atom> {
        let routine = &self.code.routines[callee as usize];
        if let Some(sources) = &routine.sources {
            return sources.iter().map(|&source| arguments[source as usize]).collect();
        }
        let widths = routine.widths.clone();
        let list = self.code.list(arguments.iter().map(|atom| atom.cell));
        let output = self.code.new_cells(widths.len() as u32);
        self.operations.push(Operation::Call { routine: callee, arguments: list, output });
        widths.into_iter().zip(output..).map(|(width, cell)| Atom { cell, width }).collect()
    }
}

fn collect<'p>(steps: &'p [Step], assignments: &mut [Option<&'p Assignment>]) {
    for step in steps {
        match step {
            Step::Assign(assignment) => assignments[assignment.id.0 as usize] = Some(assignment),
            Step::Loop(one) => {
                for iteration in &one.iterations {
                    collect(iteration, assignments);
                }
            }
        }
    }
}
