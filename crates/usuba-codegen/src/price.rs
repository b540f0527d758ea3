//! What straight code costs, values that do not fit the registers counted.
//!
//! A walk as of a register allocation: what is needed last goes first, and what lies in memory anyway counts as needed
//! later still. The weights are those that agreed best with measured times of large bitsliced blocks on x86: a store 1.5,
//! a load 1.0 of an instruction.

use std::collections::BTreeMap;
use usuba_machine::program::{Argument, Parameter, Program, RegisterId, Step};
use usuba_target::Target;

const INSTRUCTION: u64 = 10;
const STORE: u64 = 15;
const LOAD: u64 = 10;
/// How much later a value that lies in memory counts as needed, in tenths.
const CLEAN: usize = 16;

/// The cost in tenths of an instruction; loops are not entered.
pub(crate) fn price(program: &Program, target: &Target) -> u64 {
    let mut total = 0;
    for function in &program.functions {
        let mut walk = Walk::new(&function.body.steps, target.register_count as usize);
        for parameter in &function.parameters {
            if let &Parameter::Register(register) = parameter {
                walk.in_memory.insert(register, true);
            }
        }
        for (position, step) in function.body.steps.iter().enumerate() {
            walk.step(position, step);
        }
        total += walk.cost;
    }
    total
}

struct Walk {
    registers: usize,
    /// The positions that read each register, in order.
    uses: BTreeMap<RegisterId, Vec<usize>>,
    held: Vec<RegisterId>,
    in_memory: BTreeMap<RegisterId, bool>,
    cost: u64,
}

fn operands(step: &Step) -> Vec<RegisterId> {
    match step {
        Step::Compute { operands, .. } => operands.clone(),
        Step::Store { value, .. }
        | Step::Scatter { value, .. }
        | Step::StorePart { value, .. }
        | Step::Fill { value, .. } => vec![*value],
        Step::Call(call) => {
            let value = |argument: &Argument| match argument {
                Argument::Value(register) => Some(*register),
                _ => None,
            };
            call.arguments.iter().filter_map(value).collect()
        }
        _ => Vec::new(),
    }
}

impl Walk {
    fn new(steps: &[Step], registers: usize) -> Walk {
        let mut uses: BTreeMap<RegisterId, Vec<usize>> = BTreeMap::new();
        for (position, step) in steps.iter().enumerate() {
            for operand in operands(step) {
                uses.entry(operand).or_default().push(position);
            }
        }
        Walk { registers, uses, held: Vec::new(), in_memory: BTreeMap::new(), cost: 0 }
    }

    fn next_use(&self, register: RegisterId, after: usize) -> Option<usize> {
        self.uses.get(&register)?.iter().copied().find(|&position| position > after)
    }

    fn step(&mut self, position: usize, step: &Step) {
        let needed = operands(step);
        for &operand in &needed {
            if !self.held.contains(&operand) {
                self.cost += LOAD;
                self.hold(operand, position, &needed);
            }
        }
        self.held.retain(|&register| {
            self.uses.get(&register).is_some_and(|uses| uses.iter().any(|&later| later > position))
        });
        match step {
            Step::Compute { row, result, .. } => {
                self.cost += INSTRUCTION * u64::from(row.uops.max(1));
                self.hold(*result, position, &[]);
            }
            Step::Load { result, .. } => {
                // Not loaded where it stands but where it is needed.
                self.in_memory.insert(*result, true);
            }
            Step::Store { value, .. } => {
                self.cost += INSTRUCTION;
                self.in_memory.insert(*value, true);
            }
            _ => {}
        }
    }

    /// Puts a value in a register; another one that is not among `needed` leaves if there is none.
    fn hold(&mut self, register: RegisterId, position: usize, needed: &[RegisterId]) {
        if self.held.len() >= self.registers.max(4) {
            let distance = |&register: &RegisterId| {
                let until = self.next_use(register, position).unwrap_or(usize::MAX / 32) - position;
                let is_clean = self.in_memory.contains_key(&register);
                if is_clean { until * CLEAN / 10 } else { until }
            };
            let candidates = self.held.iter().copied().enumerate().filter(|(_, held)| !needed.contains(held));
            if let Some((place, gone)) = candidates.max_by_key(|(_, held)| distance(held)) {
                if self.in_memory.insert(gone, true).is_none() {
                    self.cost += STORE;
                }
                self.held.swap_remove(place);
            }
        }
        self.held.push(register);
    }
}
