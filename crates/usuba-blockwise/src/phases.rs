//! Steps around a cipher that is a function: what is computed before its calls, between them and after them.

use crate::step::{Bit, Step, Value};

/// A call of the cipher.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CipherCall {
    /// The node that it is.
    pub node: String,
    /// The input of the step that is the round keys, by its place.
    pub keys: usize,
    /// Bytes of the block.
    pub bytes: usize,
}

/// A step in phases. The inputs of each phase are those of the step and then the results of all calls before it; the outputs of
/// the last are those of the step, and of the others the blocks of the calls behind it.
#[derive(Clone, Debug)]
pub struct Phases {
    /// The phases, one more than the rounds of calls.
    pub phases: Vec<Step>,
    /// The calls behind each phase but the last.
    pub calls: Vec<Vec<CipherCall>>,
}

/// The phases of a step.
pub fn phases(step: &Step) -> Phases {
    // How many calls stand one behind the other before each value, itself included.
    let mut depth: Vec<usize> = Vec::new();
    for value in &step.values {
        let of = |bits: &[Bit]| {
            let values = bits.iter().flat_map(|bit| &bit.terms);
            values.map(|(id, _)| depth.get(*id).copied().unwrap_or(0)).max().unwrap_or(0)
        };
        depth.push(match value {
            Value::Input(_) => 0,
            Value::Cipher { block, .. } => of(block) + 1,
            Value::Call { arguments, .. } => of(arguments),
            Value::Product { left, right, .. }
            | Value::Word { left, right, .. }
            | Value::And { left, right } => of(left).max(of(right)),
        });
    }
    let rounds = step.values.iter().zip(&depth);
    let rounds = rounds.filter(|(value, _)| matches!(value, Value::Cipher { .. }));
    let rounds = rounds.map(|(_, depth)| *depth).max().unwrap_or(0);
    let (mut phases, mut calls) = (Vec::new(), Vec::new());
    let mut inputs = step.inputs.clone();
    let mut values = step.values.clone();
    for round in 0..=rounds {
        let behind = |(id, value): (usize, &Value)| match value {
            Value::Cipher { node, block, keys } if depth[id] == round + 1 => {
                let call = CipherCall { node: node.clone(), keys: *keys, bytes: block.len() / 8 };
                Some((id, call, block.clone()))
            }
            _ => None,
        };
        let found: Vec<(usize, CipherCall, Vec<Bit>)> =
            values.iter().enumerate().filter_map(behind).collect();
        let outputs = match round == rounds {
            true => step.outputs.clone(),
            false => found.iter().map(|(.., block)| block.clone()).collect(),
        };
        // What is not known yet is nothing.
        let unknown = |(value, depth): (&Value, &usize)| match *depth > round {
            true => Value::And { left: Vec::new(), right: Vec::new() },
            false => value.clone(),
        };
        let known = values.iter().zip(&depth).map(unknown).collect();
        let schedules = if round == rounds { step.schedules.clone() } else { Vec::new() };
        phases.push(Step { inputs: inputs.clone(), values: known, outputs, schedules });
        if round < rounds {
            for (id, _, block) in &found {
                values[*id] = Value::Input(inputs.len());
                inputs.push(block.len() as u32);
            }
            calls.push(found.into_iter().map(|(_, call, _)| call).collect());
        }
    }
    Phases { phases, calls }
}
