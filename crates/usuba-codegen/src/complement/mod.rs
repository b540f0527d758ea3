//! Holds values complemented where that leaves fewer complements to compute.
//!
//! General-purpose registers of x86 without BMI have no `a & ~b`: S-boxes of such gates take a `not` for many of them. Vectors have
//! it, but no complement: that is a sum with ones. By De Morgan's law a conjunction of complemented values is the complement of a
//! disjunction, and a sum, a rotation or a shuffle of complemented values is complemented or not; so a value may be held either way,
//! and the complements that are left are those where two ways meet. Keccak's authors do this by hand for six lanes of its state
//! ("lane complementing", Keccak implementation overview, version 3.2, section 2.2); here the polarities of all values are chosen by
//! a search (`search.rs`), what loops carry included. Where an instruction has any function of three bits there is nothing to do.

mod network;
mod search;

use crate::effort::Effort;
use crate::prune::prune;
use network::{Network, Record};
use std::sync::Arc;
use usuba_machine::program::{Argument, Block, Function, Register, RegisterId, Step};
use usuba_target::{Instruction, Meaning, Target, semantics};

/// Bytes of a group: what shuffles do not leave.
const GROUP: usize = 16;

/// Functions of which a smaller part are complements stay as they are: one instruction in so many.
const LEAST_PART: u64 = 100;

/// The instructions of a target that complements are about, and the constants of a function.
struct Rows {
    and: &'static Instruction,
    or: &'static Instruction,
    /// A complement: an instruction for it, or a sum with a register of ones.
    not: (&'static Instruction, Option<RegisterId>),
    /// A conjunction with the complement of an operand, and which operand that is.
    and_not: Option<(&'static Instruction, usize)>,
    /// A disjunction of the same kind.
    or_not: Option<(&'static Instruction, usize)>,
    /// The registers of ones.
    ones: Vec<RegisterId>,
    /// The constants that shuffle bytes and set none to zero.
    shuffles: Vec<RegisterId>,
}

impl Rows {
    /// Nothing where complements cost nothing, or where there is no way to write one.
    fn of(function: &Function, target: &Target, lane: u32) -> Option<Rows> {
        let row = |meaning| target.instruction(meaning, lane);
        if row(Meaning::Ternary).is_some() {
            return None;
        }
        let constants = || {
            function.constants.iter().filter_map(|step| match step {
                Step::Constant { row, result, constant } => {
                    let bytes = function.register(*result).ty.bytes();
                    Some((*result, semantics::constant(row, bytes, constant).ok()?))
                }
                _ => None,
            })
        };
        let with = |all: fn(&u8) -> bool| {
            constants().filter(move |(_, bytes)| bytes.iter().all(all)).map(|(id, _)| id)
        };
        let ones: Vec<RegisterId> = with(|&byte| byte == 0xff).collect();
        let not = match row(Meaning::Not) {
            Some(not) => (not, None),
            None => (row(Meaning::Xor)?, Some(*ones.first()?)),
        };
        let and_not = row(Meaning::NotAnd).map(|row| (row, 0)).or(row(Meaning::AndNot).map(|row| (row, 1)));
        let or_not = row(Meaning::OrNot).map(|row| (row, 1));
        let shuffles = with(|&byte| usize::from(byte) < GROUP).collect();
        Some(Rows { and: row(Meaning::And)?, or: row(Meaning::Or)?, not, and_not, or_not, ones, shuffles })
    }

    /// The operand of which a step is the complement, if it is one.
    fn complemented(&self, step: &Step) -> Option<usize> {
        match step {
            Step::Compute { row, .. } if row.meaning == Meaning::Not => Some(0),
            Step::Compute { row, operands, .. } if row.meaning == Meaning::Xor => {
                operands.iter().position(|operand| self.ones.contains(operand)).map(|place| 1 - place)
            }
            _ => None,
        }
    }

    /// Whether a register is an index of shuffles that set no byte to zero.
    fn keeps_all(&self, index: RegisterId) -> bool {
        self.shuffles.contains(&index)
    }

    /// A gate: a conjunction or a disjunction, of which an operand may be complemented by the instruction.
    fn gate(&self, dual: bool, turned: Option<usize>, operands: &mut [RegisterId]) -> &'static Instruction {
        let (plain, other) = if dual { (self.or, self.or_not) } else { (self.and, self.and_not) };
        match other.zip(turned) {
            Some(((row, place), turned)) => {
                if place != turned {
                    operands.reverse();
                }
                row
            }
            None => plain,
        }
    }
}

/// Complements values where that pays. Cost: bounded by a number of changes that are tried ([`search`]).
pub(crate) fn complement(function: &mut Function, target: &Target, lane: u32, effort: Effort) {
    let Some(rows) = Rows::of(function, target, lane) else { return };
    let Some(network) = Network::of(function, &rows)
        .filter(|found| found.values.before * LEAST_PART >= found.values.instructions)
    else {
        return;
    };
    let network = search::search(&network, effort);
    if network.cost() >= network.values.before {
        return;
    }
    let mut written = function.clone();
    let Function { registers, body, .. } = &mut written;
    let records = network.values.records.iter();
    let held = vec![[None; 2]; network.vertices()];
    let mut writer = Writer { network: &network, records, registers, held, rows: &rows };
    let mut steps = Vec::new();
    for &(register, vertex) in &network.values.given {
        writer.make(vertex, register, &mut steps);
    }
    if writer.block(body).is_some() {
        body.steps.splice(0..0, steps);
        prune(&mut written);
        *function = written;
    }
}

/// Writes a function as a network says.
struct Writer<'a> {
    network: &'a Network,
    records: std::slice::Iter<'a, Record>,
    registers: &'a mut Vec<Register>,
    /// The registers of each vertex, as it is and complemented.
    held: Vec<[Option<RegisterId>; 2]>,
    rows: &'a Rows,
}

impl Writer<'_> {
    fn fresh(&mut self, like: RegisterId) -> RegisterId {
        let register = Function::another(self.registers, like);
        let known = &mut self.registers[register.index()].name;
        *known = known.take().map(|name| Arc::from(format!("not_{name}")));
        register
    }

    /// The register that holds a vertex, which is that of the function, or one for its complement.
    fn hold(&mut self, vertex: usize, register: RegisterId) -> RegisterId {
        let polarity = self.network.polarity(vertex);
        let held = if polarity { self.fresh(register) } else { register };
        self.held[vertex][usize::from(polarity)] = Some(held);
        held
    }

    /// The complement of what holds a vertex, if something needs it, in another register.
    fn turn(&mut self, vertex: usize, other: RegisterId, steps: &mut Vec<Step>) {
        let polarity = self.network.polarity(vertex);
        if let Some(held) = self.held[vertex][usize::from(polarity)]
            && self.network.is_complemented(vertex)
        {
            self.held[vertex][usize::from(!polarity)] = Some(other);
            let (row, ones) = self.rows.not;
            let operands = [held].into_iter().chain(ones).collect();
            steps.push(Step::Compute { row, result: other, operands, immediate: None });
        }
    }

    /// Both for a register that a step has just made as it is.
    fn make(&mut self, vertex: usize, register: RegisterId, steps: &mut Vec<Step>) -> RegisterId {
        let held = self.hold(vertex, register);
        let other = if self.network.polarity(vertex) { register } else { self.spare(vertex, register) };
        self.turn(vertex, other, steps);
        held
    }

    /// A register for a complement, if one is needed.
    fn spare(&mut self, vertex: usize, register: RegisterId) -> RegisterId {
        if self.network.is_complemented(vertex) { self.fresh(register) } else { register }
    }

    /// The register with a vertex as it is, or complemented.
    fn operand(&self, vertex: usize, complemented: bool) -> Option<RegisterId> {
        self.held[vertex][usize::from(complemented)]
    }

    /// Writes a block; nothing if it is not the one that the network was read from.
    fn block(&mut self, block: &mut Block) -> Option<()> {
        let mut steps = Vec::with_capacity(block.steps.len());
        for mut step in std::mem::take(&mut block.steps) {
            let record = self.records.next()?;
            match &mut step {
                Step::Loop(looped) => {
                    let mut first = Vec::new();
                    for ((carried, used), &vertex) in
                        looped.carried.iter_mut().zip(&record.uses).zip(&record.makes)
                    {
                        let wanted = used.complemented ^ self.network.polarity(vertex);
                        carried.initial = self.operand(used.vertex, wanted)?;
                        carried.register = self.make(vertex, carried.register, &mut first);
                    }
                    self.block(&mut looped.body)?;
                    looped.body.steps.splice(0..0, first);
                    let end = self.records.next()?;
                    let mut after = Vec::new();
                    for ((carried, used), (&inside, &left)) in
                        looped.carried.iter_mut().zip(&end.uses).zip(record.makes.iter().zip(&end.makes))
                    {
                        let wanted = used.complemented ^ self.network.polarity(inside);
                        carried.next = self.operand(used.vertex, wanted)?;
                        self.held[left][usize::from(self.network.polarity(left))] = Some(carried.register);
                        let other = self.spare(left, carried.register);
                        self.turn(left, other, &mut after);
                    }
                    steps.push(step);
                    steps.extend(after);
                }
                step if self.rows.complemented(step).is_some() => {}
                Step::Compute { row, result, operands, .. } => {
                    let &vertex = record.makes.first()?;
                    let (gate, turned) = (self.network.gate(vertex), self.network.turned(vertex));
                    let follows = self.network.is_sum(vertex);
                    for (place, (operand, used)) in operands.iter_mut().zip(&record.uses).enumerate() {
                        let wanted = match gate {
                            Some((_, wanted, _)) => wanted[place],
                            None if follows => self.network.polarity(used.vertex) ^ (turned == Some(place)),
                            None => used.complemented,
                        };
                        *operand = self.operand(used.vertex, wanted)?;
                    }
                    if let Some((dual, _, turned)) = gate {
                        *row = self.rows.gate(dual, turned, operands);
                    }
                    let mut complements = Vec::new();
                    *result = self.make(vertex, *result, &mut complements);
                    steps.push(step);
                    steps.extend(complements);
                }
                other => {
                    for (register, used) in values(other).into_iter().zip(&record.uses) {
                        *register = self.operand(used.vertex, used.complemented)?;
                    }
                    let mut turned = Vec::new();
                    let mut makes = record.makes.iter();
                    other.defines(&mut |register| {
                        if let Some(&vertex) = makes.next() {
                            self.make(vertex, register, &mut turned);
                        }
                    });
                    steps.push(step);
                    steps.extend(turned);
                }
            }
        }
        block.steps = steps;
        Some(())
    }
}

/// The values that a step other than an instruction or a loop reads, in the order of [`Step::reads`], which sees counts after them.
fn values(step: &mut Step) -> Vec<&mut RegisterId> {
    match step {
        Step::Store { value, .. }
        | Step::Scatter { value, .. }
        | Step::Fill { value, .. }
        | Step::StorePart { value, .. } => vec![value],
        Step::Call(call) => {
            let values = call.arguments.iter_mut().filter_map(|argument| match argument {
                Argument::Value(register) => Some(register),
                _ => None,
            });
            values.collect()
        }
        _ => Vec::new(),
    }
}
