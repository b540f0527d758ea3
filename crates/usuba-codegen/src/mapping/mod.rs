//! Maps the logic of a function to the instructions of the target: those of three operands, and those of two that
//! complement one.
//!
//! The bitwise instructions of a block, loops in it set apart, are a network of gates. Each gate can be computed from any
//! of its [`cuts`] whose truth table an instruction has ([`functions`]); [`choice`] picks the ways that need the fewest
//! instructions. What is computed stays in the place of the gate that it computes, so nothing moves but the uses of
//! operands; a gate may so be computed twice, within others. Constants of all zeros or all ones are known bits.
//!
//! Nothing crosses the border of a block: a value from outside a loop is not computed again in every iteration.

mod anneal;
pub(crate) mod choice;
mod choose;
mod cuts;
mod functions;
mod opened;
pub(crate) mod solved;

use crate::effort::Effort;
pub(crate) use choice::{Gate, Way};
pub(crate) use choose::Chosen;
use choose::choose;
use cuts::{Cut, cuts};
use functions::{Functions, is_bitwise};
use std::collections::BTreeSet;
use usuba_machine::program::{Argument, Block, Function, RegisterId, Step};
use usuba_target::{Constant, Instruction, Target};

/// Maps the blocks of a function. `lane` is the width of the lanes of the module. What is not needed afterwards, such
/// as constants, is left to [`crate::prune`]. `seen` is shown the gates of each block and what was chosen.
pub(crate) fn map_logic(
    function: &mut Function,
    target: &Target,
    lane: u32,
    effort: Effort,
    seen: &mut dyn FnMut(&[Gate], &Chosen),
) {
    let mut bits = vec![None; function.registers.len()];
    for step in &function.constants {
        if let Step::Constant { row, result, constant: Constant::Lane(value) } = step {
            let ones = match if row.lane == 0 { lane } else { row.lane } {
                width @ 1..=63 => (1 << width) - 1,
                _ => u64::MAX,
            };
            bits[result.index()] = match *value {
                0 => Some(false),
                value if value == ones => Some(true),
                _ => None,
            };
        }
    }
    // New gates are no constants.
    let cover = |function: &mut Function, seen: &mut dyn FnMut(&[Gate], &Chosen)| {
        let functions = Functions::of(target, lane);
        let mut bits = bits.clone();
        bits.resize(function.registers.len(), None);
        Network { functions, bits, effort }.cover(&mut function.body, BTreeSet::new(), seen);
    };
    let taken_apart = opened::opened(function, target);
    cover(function, seen);
    if let Some(mut other) = taken_apart {
        cover(&mut other, seen);
        // Of two equal ones the formulas': kernels made of them take up to 6 % less on Golden Cove, by measurement.
        if cost(&other.body) <= cost(&function.body) {
            *function = other;
        }
    }
}

/// Micro-operations of the gates of a block, as often as they are done.
fn cost(block: &Block) -> u64 {
    let of = |step: &Step| match step {
        Step::Loop(looped) => cost(&looped.body) * looped.trips.estimate(),
        step => gate(step).map_or(0, |(row, ..)| u64::from(row.uops)),
    };
    block.steps.iter().map(of).sum()
}

/// The cost of each truth table that is one instruction of a target.
pub(crate) fn costs(target: &Target) -> Vec<Option<u32>> {
    let functions = Functions::of(target, 64);
    (0..=255).map(|table| functions.get(table).map(|found| u32::from(found.row.uops))).collect()
}

/// What is known about a function as a whole.
struct Network {
    functions: Functions,
    /// The constants, by register: the bit that is everywhere in it.
    bits: Vec<Option<bool>>,
    effort: Effort,
}

/// The instruction of a [`Way`].
struct Instructed {
    row: &'static Instruction,
    operands: Vec<RegisterId>,
    immediate: Option<u32>,
}

impl Network {
    /// Maps a block of which these registers are used when it ends.
    fn cover(&self, block: &mut Block, used: BTreeSet<RegisterId>, seen: &mut dyn FnMut(&[Gate], &Chosen)) {
        self.cover_steps(&mut block.steps, used, seen);
        for step in &mut block.steps {
            if let Step::Loop(looped) = step {
                let used = looped.carried.iter().map(|carried| carried.next).collect();
                self.cover(&mut looped.body, used, seen);
            }
        }
    }

    fn cover_steps(
        &self,
        steps: &mut Vec<Step>,
        mut outside: BTreeSet<RegisterId>,
        seen: &mut dyn FnMut(&[Gate], &Chosen),
    ) {
        uses_beside_gates(steps, &mut outside);
        // By register: the number of the gate that defines it, its cuts, and when it is ready.
        let mut gate_of = vec![None; self.bits.len()];
        let mut cuts_of: Vec<Vec<Cut>> = Vec::new();
        let mut ready = vec![0u32; self.bits.len()];
        let mut gates: Vec<Gate> = Vec::new();
        let mut instructed: Vec<Vec<Instructed>> = Vec::new();
        for step in steps.iter() {
            if let Some((row, result, operands, immediate)) = gate(step) {
                let leaf = |register: RegisterId| match self.bits[register.index()] {
                    Some(bit) => Cut::constant(bit),
                    None => Cut::value(register.0),
                };
                let of: Vec<Vec<Cut>> = operands
                    .iter()
                    .map(|&operand| {
                        let mut list = vec![leaf(operand)];
                        if let Some(gate) = gate_of[operand.index()] {
                            let gate: usize = gate;
                            list.extend(&cuts_of[gate]);
                        }
                        list
                    })
                    .collect();
                let of: Vec<&[Cut]> = of.iter().map(Vec::as_slice).collect();
                let found = cuts(row, immediate.unwrap_or(0) as u8, &of);
                let mut choices = vec![Instructed { row, operands: operands.to_vec(), immediate }];
                choices.extend(found.iter().filter_map(|cut| self.instruct(cut)));
                let ways = choices.iter().map(|choice| way(choice, &gate_of, &ready, &self.bits)).collect();
                ready[result.index()] = ready_after(row, operands, &ready);
                gate_of[result.index()] = Some(gates.len());
                cuts_of.push(found);
                gates.push(Gate { ways, is_root: outside.contains(&result) });
                instructed.push(choices);
            } else {
                match step {
                    Step::Compute { row, result, operands, .. } => {
                        ready[result.index()] = ready_after(row, operands, &ready);
                    }
                    Step::Load { row, result, .. } => ready[result.index()] = u32::from(row.latency),
                    _ => {}
                }
            }
        }
        let chosen = choose(&gates, self.effort);
        seen(&gates, &chosen);
        let mut number = 0;
        steps.retain_mut(|step| {
            if gate(step).is_none() {
                return true;
            }
            let (taken, choices) = (chosen.ways[number], &mut instructed[number]);
            number += 1;
            if let (Some(taken), Step::Compute { row, operands, immediate, .. }) = (taken, step) {
                let choice = choices.swap_remove(taken);
                (*row, *operands, *immediate) = (choice.row, choice.operands, choice.immediate);
            }
            taken.is_some()
        });
    }

    /// The instruction for a cut, if there is one.
    fn instruct(&self, cut: &Cut) -> Option<Instructed> {
        let leaves = cut.leaves();
        let realisation = self.functions.get(cut.table)?;
        let operands = realisation.operands[..realisation.arity]
            .iter()
            .map(|&place| leaves.get(place).map(|&leaf| RegisterId(leaf)))
            .collect::<Option<_>>()?;
        Some(Instructed { row: realisation.row, operands, immediate: realisation.immediate })
    }
}

/// A step that is a gate: row, result, operands, immediate.
fn gate(step: &Step) -> Option<(&'static Instruction, RegisterId, &[RegisterId], Option<u32>)> {
    match step {
        Step::Compute { row, result, operands, immediate } if is_bitwise(row.meaning) => {
            Some((row, *result, operands, *immediate))
        }
        _ => None,
    }
}

fn ready_after(row: &Instruction, operands: &[RegisterId], ready: &[u32]) -> u32 {
    operands.iter().map(|operand| ready[operand.index()]).max().unwrap_or(0) + u32::from(row.latency)
}

fn way(choice: &Instructed, gate_of: &[Option<usize>], ready: &[u32], bits: &[Option<bool>]) -> Way {
    let mut gates: Vec<usize> = Vec::new();
    let (mut latest, mut constants) = (0, 0);
    for operand in &choice.operands {
        match gate_of[operand.index()] {
            Some(gate) if gates.contains(&gate) => {}
            Some(gate) => gates.push(gate),
            None if bits[operand.index()].is_some() => constants += 1,
            None => latest = latest.max(ready[operand.index()]),
        }
    }
    Way {
        gates,
        ready: latest,
        latency: u32::from(choice.row.latency),
        cost: u32::from(choice.row.uops),
        // A constant occupies a register all the time.
        burden: (choice.operands.len() + 2 * constants) as u32,
    }
}

/// The registers used by steps that are not gates of this block, loops in it included.
fn uses_beside_gates(steps: &[Step], used: &mut BTreeSet<RegisterId>) {
    for step in steps {
        match step {
            Step::Compute { .. } if gate(step).is_some() => {}
            Step::Compute { operands, .. } => used.extend(operands),
            Step::Store { value, .. }
            | Step::Scatter { value, .. }
            | Step::StorePart { value, .. }
            | Step::Fill { value, .. } => {
                used.insert(*value);
            }
            Step::Call(call) => used.extend(call.arguments.iter().filter_map(|argument| match argument {
                Argument::Value(register) => Some(*register),
                _ => None,
            })),
            Step::Loop(looped) => {
                for carried in &looped.carried {
                    used.extend([carried.initial, carried.next]);
                }
                uses_in_loop(&looped.body, used);
            }
            // Public counts are no operands of gates.
            Step::Constant { .. }
            | Step::Load { .. }
            | Step::Gather { .. }
            | Step::LoadPart { .. }
            | Step::Copy { .. }
            | Step::CopyPart { .. }
            | Step::Count { .. }
            | Step::View { .. } => {}
        }
    }
}

fn uses_in_loop(body: &Block, used: &mut BTreeSet<RegisterId>) {
    uses_beside_gates(&body.steps, used);
    used.extend(body.steps.iter().filter_map(gate).flat_map(|(_, _, operands, _)| operands));
}
