//! Steps around functions: what is computed before their calls, between them and after them. They are the cipher, or nodes that
//! are computed for several messages side by side.

use crate::place::{Places, as_is};
use crate::step::{Bit, Step, Value};
use usuba_lang::typed::InstanceId;

/// A call of the cipher, or of another function from a block to a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CipherCall {
    /// The node that it is.
    pub node: String,
    /// The input of the step that is the round keys, by its place, if it has any.
    pub keys: Option<usize>,
    /// Bytes of the block.
    pub bytes: usize,
    /// Where the bits of the block lie in memory, before and after, if its words begin with their least significant bytes.
    pub places: Places,
    /// Whether its words of 64 bits begin with their most significant bytes instead.
    pub big: bool,
}

/// A node that is a function although it is not the cipher.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Apart {
    /// The node.
    pub node: String,
    /// Where the bits of its words lie in memory, if these begin with their least significant bytes.
    pub places: Places,
    /// Whether words of 64 bits begin with their most significant bytes instead.
    pub big: bool,
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

/// The phases of a step. `apart` says of a call whether it is a function, and which.
pub fn phases(step: &Step, apart: &dyn Fn(InstanceId) -> Option<Apart>) -> Phases {
    let call = |value: &Value| match value {
        Value::Cipher { node, block, keys } => {
            let places = as_is(block.len() as u32);
            let call = CipherCall {
                node: node.clone(),
                keys: Some(*keys),
                bytes: block.len() / 8,
                places,
                big: false,
            };
            Some((call, block.clone()))
        }
        Value::Call { callee, arguments, .. } => {
            let Apart { node, places, big } = apart(*callee)?;
            let mut block = arguments.clone();
            block.resize(block.len().next_multiple_of(8), Bit::default());
            for (bit, &place) in arguments.iter().zip(&places) {
                *block.get_mut(place as usize)? = bit.clone();
            }
            Some((CipherCall { node, keys: None, bytes: block.len() / 8, places, big }, block))
        }
        _ => None,
    };
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
            Value::Call { arguments, .. } => of(arguments) + usize::from(call(value).is_some()),
            Value::Product { left, right, .. }
            | Value::Word { left, right, .. }
            | Value::Xor { left, right }
            | Value::And { left, right } => of(left).max(of(right)),
        });
    }
    let rounds = step.values.iter().zip(&depth);
    let rounds = rounds.filter(|(value, _)| call(value).is_some());
    let rounds = rounds.map(|(_, depth)| *depth).max().unwrap_or(0);
    let (mut phases, mut calls) = (Vec::new(), Vec::new());
    let mut inputs = step.inputs.clone();
    let mut values = step.values.clone();
    for round in 0..=rounds {
        let behind = |(id, value): (usize, &Value)| {
            let (call, block) = call(value).filter(|_| depth[id] == round + 1)?;
            Some((id, call, block))
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
