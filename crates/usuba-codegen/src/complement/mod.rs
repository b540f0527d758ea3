//! Holds values complemented where that leaves fewer complements to compute.
//!
//! General-purpose registers of x86 without BMI have no `a & ~b`: S-boxes of such gates take a `not` for many of them. By De
//! Morgan's law a conjunction of complemented values is the complement of a disjunction, and a sum or a rotation of complemented
//! values is complemented or not; so a value may be held either way, and the complements that are left are those where two ways
//! meet. Keccak's authors do this by hand for six lanes of its state ("lane complementing", Keccak implementation overview,
//! version 3.2, section 2.2); here the polarities of all values are chosen by a search (`search.rs`), what loops carry included.

mod network;
mod search;

use network::{Network, Record};
use std::sync::Arc;
use usuba_machine::program::{Argument, Block, Function, Register, RegisterId, Step};
use usuba_target::{Instruction, Meaning, Target};

/// Complements values where that pays, on targets whose conjunctions take no complemented operand. Cost: bounded by a number of
/// changes that are tried ([`search`]).
pub(crate) fn complement(function: &mut Function, target: &Target, lane: u32) {
    let row = |meaning| target.instruction(meaning, lane);
    let ([Some(and), Some(or), Some(not)], None, None) =
        ([Meaning::And, Meaning::Or, Meaning::Not].map(row), row(Meaning::AndNot), row(Meaning::NotAnd))
    else {
        return;
    };
    let Some(network) = Network::of(function).map(|network| search::search(&network)) else { return };
    if network.cost() >= network.before {
        return;
    }
    let mut written = function.clone();
    let Function { registers, body, .. } = &mut written;
    let records = network.records.iter();
    let held = vec![[None; 2]; network.vertices()];
    let mut writer = Writer { network: &network, records, registers, held, and, or, not };
    let mut steps = Vec::new();
    for &(register, vertex) in &network.given {
        writer.make(vertex, register, &mut steps);
    }
    if writer.block(body).is_some() {
        body.steps.splice(0..0, steps);
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
    and: &'static Instruction,
    or: &'static Instruction,
    not: &'static Instruction,
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
            steps.push(Step::Compute { row: self.not, result: other, operands: vec![held], immediate: None });
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
                Step::Compute { row, .. } if row.meaning == Meaning::Not => {}
                Step::Compute { row, result, operands, .. } => {
                    let &vertex = record.makes.first()?;
                    let (gate, turned) = (self.network.gate(vertex), self.network.turned(vertex));
                    let follows = matches!(row.meaning, Meaning::Xor | Meaning::RotateLeft);
                    for (place, (operand, used)) in operands.iter_mut().zip(&record.uses).enumerate() {
                        let wanted = match gate {
                            Some((_, wanted)) => wanted[place],
                            None if follows => self.network.polarity(used.vertex) ^ (turned == Some(place)),
                            None => used.complemented,
                        };
                        *operand = self.operand(used.vertex, wanted)?;
                    }
                    if let Some((dual, _)) = gate {
                        *row = if dual { self.or } else { self.and };
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
