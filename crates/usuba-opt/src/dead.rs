//! Remove what no output depends on, and nodes that nobody calls.
//!
//! In: any program. Out: every operation has a result that an output of its node depends on, loops carry only what such
//! results depend on, and the entry calls every other node, directly or not. Cost: linear.
//!
//! Laws used: operations have no effects beyond their results.

use crate::pass::{Settings, open_nodes};
use usuba_ir::program::{Block, Loop, Node, NodeId, Op, Operation, Program, ValueId};

/// The pass.
pub fn run(program: &mut Program, _: &Settings) {
    for node in open_nodes(program) {
        let live = live(node);
        sweep(&mut node.body, &live);
        node.renumber();
    }
    remove_uncalled(program);
}

/// Removes the nodes that the entry does not call.
pub fn remove_uncalled(program: &mut Program) {
    let mut called = vec![false; program.nodes.len()];
    if let Some(entry) = called.last_mut() {
        *entry = true;
    }
    // Callers come after their callees.
    for (number, node) in program.nodes.iter().enumerate().rev() {
        if called[number] {
            each_callee(&node.body, &mut |callee| called[callee.index()] = true);
        }
    }
    let mut next = 0;
    let numbers: Vec<_> = called
        .iter()
        .map(|&called| {
            next += u32::from(called);
            NodeId(next.saturating_sub(1))
        })
        .collect();
    let mut kept = called.into_iter();
    program.nodes.retain(|_| kept.next() == Some(true));
    program.nodes.iter_mut().for_each(|node| rename_callees(&mut node.body, &numbers));
}

fn each_callee(block: &Block, see: &mut impl FnMut(NodeId)) {
    for operation in &block.operations {
        match &operation.op {
            Op::Call(callee, _) => see(*callee),
            Op::Loop(inner) => each_callee(&inner.body, see),
            _ => {}
        }
    }
}

fn rename_callees(block: &mut Block, numbers: &[NodeId]) {
    for operation in &mut block.operations {
        match &mut operation.op {
            Op::Call(callee, _) => *callee = numbers[callee.index()],
            Op::Loop(inner) => rename_callees(&mut inner.body, numbers),
            _ => {}
        }
    }
}

/// What a value comes from.
#[derive(Clone, Copy)]
enum Source<'a> {
    Input,
    Operation(&'a Op),
    /// The result or the parameter of a loop that carries it, and its number there.
    Carried(&'a Operation, &'a Loop, usize),
}

/// The values that the outputs of a node depend on. If one of the values of a carried place (initial, parameter, result
/// of the body, result of the loop) is live because of a use, so are the others.
fn live(node: &Node) -> Vec<bool> {
    let mut sources = vec![Source::Input; node.values.len()];
    find_sources(&node.body, &mut sources);
    let mut live = vec![false; node.values.len()];
    let mut pending = node.body.results.clone();
    while let Some(value) = pending.pop() {
        if std::mem::replace(&mut live[value.index()], true) {
            continue;
        }
        match sources[value.index()] {
            Source::Input => {}
            Source::Operation(op) => op.operands(|operand| pending.push(operand)),
            Source::Carried(operation, inner, place) => pending.extend([
                operation.results[place],
                inner.initial[place],
                inner.body.parameters[place],
                inner.body.results[place],
            ]),
        }
    }
    live
}

fn find_sources<'a>(block: &'a Block, sources: &mut [Source<'a>]) {
    for operation in &block.operations {
        match &operation.op {
            Op::Loop(inner) => {
                for (place, (result, parameter)) in
                    operation.results.iter().zip(&inner.body.parameters).enumerate()
                {
                    sources[result.index()] = Source::Carried(operation, inner, place);
                    sources[parameter.index()] = Source::Carried(operation, inner, place);
                }
                find_sources(&inner.body, sources);
            }
            op => {
                for result in &operation.results {
                    sources[result.index()] = Source::Operation(op);
                }
            }
        }
    }
}

fn sweep(block: &mut Block, live: &[bool]) {
    block.operations.retain_mut(|operation| {
        if !operation.results.iter().any(|result| live[result.index()]) {
            return false;
        }
        if let Op::Loop(Loop { initial, body, .. }) = &mut operation.op {
            let kept: Vec<_> = operation.results.iter().map(|result| live[result.index()]).collect();
            for values in [&mut operation.results, initial, &mut body.parameters, &mut body.results] {
                retain(values, &kept);
            }
            sweep(body, live);
        }
        true
    });
}

/// Keeps the values at the places that `kept` tells.
pub fn retain(values: &mut Vec<ValueId>, kept: &[bool]) {
    let mut kept = kept.iter();
    values.retain(|_| kept.next() == Some(&true));
}
