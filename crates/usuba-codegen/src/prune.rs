//! Leaves out the steps of a function whose result nothing uses.
//!
//! The values of the node are live, but an expansion may use less than it is given: a shuffle that keeps no bit.

use crate::block::{Argument, Block, Function, RegisterId, Step};

/// Removes dead loads, constants, instructions and carried registers. Cost: linear for each level of dependence among the
/// dead.
pub(crate) fn prune(function: &mut Function) {
    loop {
        let mut used = vec![false; function.registers.len()];
        uses(&function.body, &mut used);
        let mut removed = sweep(&mut function.body, &used);
        removed |= keep(&mut function.constants, &used);
        if !removed {
            return;
        }
    }
}

fn uses(block: &Block, used: &mut [bool]) {
    let mut mark = |register: RegisterId| used[register.index()] = true;
    let mut inner = Vec::new();
    for step in &block.steps {
        match step {
            Step::Compute { operands, .. } => operands.iter().for_each(|&operand| mark(operand)),
            Step::Store { value, .. } | Step::Fill { value, .. } => mark(*value),
            Step::Call(call) => {
                for argument in &call.arguments {
                    if let Argument::Value(register) = argument {
                        mark(*register);
                    }
                }
            }
            Step::Loop(looped) => {
                for carried in &looped.carried {
                    mark(carried.initial);
                    if carried.next != carried.register {
                        mark(carried.next);
                    }
                }
                inner.push(&looped.body);
            }
            Step::Constant { .. } | Step::Load { .. } | Step::Copy { .. } => {}
        }
    }
    for block in inner {
        uses(block, used);
    }
}

fn keep(steps: &mut Vec<Step>, used: &[bool]) -> bool {
    let before = steps.len();
    steps.retain(|step| match step {
        Step::Compute { result, .. } | Step::Constant { result, .. } | Step::Load { result, .. } => {
            used[result.index()]
        }
        _ => true,
    });
    steps.len() < before
}

fn sweep(block: &mut Block, used: &[bool]) -> bool {
    let mut removed = keep(&mut block.steps, used);
    for step in &mut block.steps {
        if let Step::Loop(looped) = step {
            let before = looped.carried.len();
            looped.carried.retain(|carried| used[carried.register.index()]);
            removed |= looped.carried.len() < before;
            removed |= sweep(&mut looped.body, used);
        }
    }
    removed
}
