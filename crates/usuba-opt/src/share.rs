//! Compute what is the same once.
//!
//! In: any program. Out: no operation computes what an operation before it, in its block or around it, has computed from
//! the same operands; operands that commute may be swapped. Cost: one walk, a hash per operation.
//!
//! Laws used: an operation is a function of its operands, and so is a call. Not shared: loops, refreshes (each is a
//! new sharing of its operand) and calls of nodes that refresh.

use crate::forward::Forward;
use crate::pass::Settings;
use std::collections::HashMap;
use usuba_ir::laws;
use usuba_ir::program::{Block, Node, Op, Operation, Program, Type, ValueId};

/// The pass.
pub fn run(program: &mut Program, _: &Settings) {
    let mut refreshes = Vec::with_capacity(program.nodes.len());
    for node in &mut program.nodes {
        if !node.attributes.no_opt {
            let mut body = std::mem::take(&mut node.body);
            Share { node, forward: Forward::new(node), refreshes: &refreshes, scopes: Vec::new() }
                .block(&mut body);
            node.body = body;
            node.renumber();
        }
        let refresh = has_refresh(&node.body, &refreshes);
        refreshes.push(refresh);
    }
}

/// Whether a block refreshes, itself or in what it calls; `refreshes` tells of the nodes before.
fn has_refresh(block: &Block, refreshes: &[bool]) -> bool {
    block.operations.iter().any(|operation| match &operation.op {
        Op::Refresh(_) => true,
        Op::Call(callee, _) => refreshes[callee.index()],
        Op::Loop(inner) => has_refresh(&inner.body, refreshes),
        _ => false,
    })
}

/// The results of what has been computed in a block. The type tells constants apart.
type Computed = HashMap<(Op, Type), Box<[ValueId]>>;

struct Share<'a> {
    node: &'a Node,
    forward: Forward,
    refreshes: &'a [bool],
    /// The open blocks, outermost first.
    scopes: Vec<Computed>,
}

impl Share<'_> {
    fn block(&mut self, block: &mut Block) {
        self.scopes.push(Computed::new());
        block.operations.retain_mut(|operation| self.keep(operation));
        self.forward.all(&mut block.results);
        self.scopes.pop();
    }

    /// Whether an operation stays.
    fn keep(&mut self, operation: &mut Operation) -> bool {
        let Operation { results, op } = operation;
        self.forward.operands(op);
        match op {
            Op::Loop(inner) => {
                self.block(&mut inner.body);
                return true;
            }
            Op::Refresh(_) => return true,
            Op::Call(callee, _) if self.refreshes[callee.index()] => return true,
            _ => {}
        }
        let Some(&first) = results.first() else { return true };
        let key = (ordered(op), self.node.ty(first));
        if let Some(earlier) = self.scopes.iter().find_map(|scope| scope.get(&key)) {
            for (&result, &earlier) in results.iter().zip(earlier) {
                self.forward.replace(result, earlier);
            }
            return false;
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(key, results.as_slice().into());
        }
        true
    }
}

/// The operation with operands that commute in order.
fn ordered(op: &Op) -> Op {
    match *op {
        Op::Binary(op, a, b) if laws::commutes(op) => Op::Binary(op, a.min(b), a.max(b)),
        Op::Block(op, a, b) if b < a => {
            op.exchanged().map_or(Op::Block(op, a, b), |exchanged| Op::Block(exchanged, b, a))
        }
        _ => op.clone(),
    }
}
