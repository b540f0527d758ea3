//! Replace calls of small nodes by their bodies.
//!
//! In: any program. Out: no call of a node with `_inline`, nor of one that is called in a single place and has at most
//! [`Settings::inline_limit`] operations, nor of one that computes no more values than atoms go in and out (a call moves each of
//! them, so that the body is no longer than the call; a permutation of atoms computes nothing, and is in its caller only which
//! atom is read where), unless it must stay; nodes that nobody calls any more are gone. Cost: linear in what comes out.
//! [`Settings::inline_all`] and [`Settings::no_inline`] say all or none instead.
//!
//! Where there is no model of the machine to ask ([`crate::calls`]), a small node is inlined too that computes some more values than
//! atoms go in and out ([`PER_ATOM`]).
//!
//! Whatever is said, a node stays whose copies would have more than [`LARGEST`] operations: of nodes that call each other twice,
//! forty are more than any memory holds.
//!
//! A node stays if it has `_no_inline`, or `_no_opt`: in the body of its caller it would be changed with it. Calls in a
//! node with `_no_opt` stay too.
//!
//! Laws used: a call is its callee's body with arguments for inputs.

use crate::dead;
use crate::forward::Forward;
use crate::pass::Settings;
use usuba_ir::program::{Block, InductionId, Inline, Loop, Node, Op, Operation, Program, ValueId};
use usuba_logic::formula::gates;

/// All copies of a node have at most so many operations.
const LARGEST: usize = 1 << 18;

/// So many atoms may go in and out of a small node: of an S-box of eight bits.
const SMALL: usize = 16;

/// So many values a small node may compute for an atom. The S-box of PRESENT computes 14 for 8 atoms, that of Ascon 22 for 10.
const PER_ATOM: f64 = 2.5;

/// The pass.
pub fn run(program: &mut Program, settings: &Settings) {
    let mut sites = vec![0; program.nodes.len()];
    program.nodes.iter().for_each(|node| count_sites(&node.body, &mut sites));
    let mut inlined = Vec::with_capacity(program.nodes.len());
    for (number, &sites) in sites.iter().enumerate() {
        let (callees, rest) = program.nodes.split_at_mut(number);
        let node = &mut rest[0];
        if !node.attributes.no_opt {
            let body = std::mem::take(&mut node.body);
            let forward = Forward::new(node);
            let body = Inliner { caller: node, callees, inlined: &inlined, forward }.block(body);
            node.body = body;
            node.renumber();
        }
        inlined.push(is_inlined(node, sites, settings));
    }
    dead::remove_uncalled(program);
}

fn count_sites(block: &Block, sites: &mut [u32]) {
    for operation in &block.operations {
        match &operation.op {
            Op::Call(callee, _) => sites[callee.index()] += 1,
            Op::Loop(inner) => count_sites(&inner.body, sites),
            _ => {}
        }
    }
}

fn is_inlined(callee: &Node, sites: u32, settings: &Settings) -> bool {
    if callee.attributes.no_opt || settings.no_inline {
        return false;
    }
    let copied = callee.body.size().saturating_mul(sites.max(1) as usize);
    if copied > LARGEST {
        return false;
    }
    match callee.attributes.inline {
        Inline::Never => false,
        Inline::Always => true,
        Inline::Auto => {
            settings.inline_all
                || sites == 1 && callee.body.size() <= settings.inline_limit
                || is_no_longer_than_its_call(callee, settings.clock.is_none())
        }
    }
}

/// Whether a node computes no more values than atoms go in and out; or some more if it is small and may be `longer`.
fn is_no_longer_than_its_call(callee: &Node, longer: bool) -> bool {
    let atoms =
        |values: &[ValueId]| values.iter().map(|&value| callee.ty(value).atoms() as usize).sum::<usize>();
    let around = atoms(&callee.body.parameters) + atoms(&callee.body.results);
    let most = if longer && around <= SMALL { (around as f64 * PER_ATOM) as usize } else { around };
    let mut computed = 0;
    for operation in &callee.body.operations {
        match operation.op {
            // They take arrays apart and put them together, or name constants.
            Op::Constant(_) | Op::Array(_) | Op::Get(..) | Op::Set(..) | Op::Slice(..) | Op::Splice(..) => {}
            Op::Call(..) | Op::Loop(_) => return false,
            // What a block is, and not what an instruction can do, decides: gates of three inputs count as their formulas.
            Op::Ternary(table, _) => computed += gates(table) as usize * atoms(&operation.results),
            _ => computed += atoms(&operation.results),
        }
    }
    computed <= most
}

struct Inliner<'a> {
    /// Its body is in the hands of the inliner.
    caller: &'a mut Node,
    callees: &'a [Node],
    /// Whether each callee is to be inlined.
    inlined: &'a [bool],
    forward: Forward,
}

impl Inliner<'_> {
    fn block(&mut self, mut block: Block) -> Block {
        let mut operations = Vec::with_capacity(block.operations.len());
        for mut operation in block.operations {
            self.forward.operands(&mut operation.op);
            match operation.op {
                Op::Call(callee, arguments) if self.inlined[callee.index()] => {
                    self.call(callee.index(), &arguments, &operation.results, &mut operations);
                    continue;
                }
                Op::Loop(inner) => {
                    let body = self.block(inner.body);
                    operation.op = Op::Loop(Loop { body, ..inner });
                }
                _ => {}
            }
            operations.push(operation);
        }
        block.operations = operations;
        self.forward.all(&mut block.results);
        block
    }

    fn call(
        &mut self,
        callee: usize,
        arguments: &[ValueId],
        results: &[ValueId],
        operations: &mut Vec<Operation>,
    ) {
        let callee = &self.callees[callee];
        let interleave = &mut self.caller.attributes.interleave;
        *interleave = (*interleave).max(callee.attributes.interleave);
        let mut copy = Copy {
            callee,
            values: vec![None; callee.values.len()],
            inductions: self.caller.inductions,
            caller: self.caller,
        };
        for (&input, &argument) in callee.body.parameters.iter().zip(arguments) {
            copy.values[input.index()] = Some(argument);
        }
        copy.operations(&callee.body, operations);
        let copies: Vec<_> = callee.body.results.iter().map(|&result| copy.value(result)).collect();
        self.caller.inductions += callee.inductions;
        self.forward.extend(self.caller.values.len());
        for (&result, copied) in results.iter().zip(copies) {
            self.forward.replace(result, copied);
        }
    }
}

/// A copy of a callee's body in a caller.
struct Copy<'a> {
    callee: &'a Node,
    caller: &'a mut Node,
    /// The caller's values for those of the callee.
    values: Vec<Option<ValueId>>,
    /// The caller's induction for the callee's first.
    inductions: u32,
}

impl Copy<'_> {
    /// The caller's value for one of the callee's, made when it is met first.
    fn value(&mut self, value: ValueId) -> ValueId {
        if let Some(copied) = self.values[value.index()] {
            return copied;
        }
        let copied = ValueId(self.caller.values.len() as u32);
        self.caller.values.push(self.callee.value(value).clone());
        self.values[value.index()] = Some(copied);
        copied
    }

    fn all(&mut self, values: &[ValueId]) -> Vec<ValueId> {
        values.iter().map(|&value| self.value(value)).collect()
    }

    fn operations(&mut self, block: &Block, copies: &mut Vec<Operation>) {
        for Operation { results, op } in &block.operations {
            let op = self.op(op);
            let results = self.all(results);
            copies.push(Operation { results, op });
        }
    }

    fn op(&mut self, op: &Op) -> Op {
        if let Op::Loop(inner) = op {
            let initial = self.all(&inner.initial);
            let parameters = self.all(&inner.body.parameters);
            let mut operations = Vec::with_capacity(inner.body.operations.len());
            self.operations(&inner.body, &mut operations);
            let results = self.all(&inner.body.results);
            let body = Block { parameters, operations, results };
            return Op::Loop(Loop {
                induction: self.induction(inner.induction),
                trips: inner.trips,
                initial,
                body,
            });
        }
        let mut op = op.clone();
        op.operands_mut(|operand| *operand = self.value(*operand));
        if let Some(index) = op.index_mut() {
            index.terms.iter_mut().for_each(|(induction, _)| *induction = self.induction(*induction));
        }
        op
    }

    fn induction(&self, induction: InductionId) -> InductionId {
        InductionId(self.inductions + induction.0)
    }
}
