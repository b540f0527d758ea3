//! What depends on keys only, apart: a program in two halves.
//!
//! In: a program whose entry has uniform inputs. Out: one that computes all that depends on these alone, to be run once a
//! key, and one that takes this as a uniform input, the *hoisted* array, and computes the rest. A loop that carries both
//! becomes two; what the second needs of every trip of the first is an element of the hoisted array.
//! Before it is cut, constants and complements that are added to data beside a key are added to the key ([`regroup`]).
//! Cost: linear, but for loops in loops, which are gone through until nothing changes.
//!
//! Laws used: operations have no effects beyond their results; `(v ^ k) ^ c` = `v ^ (k ^ c)`; `~(v ^ k)` = `~v ^ k` = `v ^ ~k`.

mod cut;
mod regroup;

use crate::pass::Settings;
use crate::{dead, share};
use cut::Cut;
use usuba_ir::program::{Block, Node, Op, Operation, Program, ValueId};

/// A program in two halves.
#[derive(Clone, Debug)]
pub struct Halves {
    /// From the uniform inputs to one output, the hoisted array. One batch.
    pub hoisted: Program,
    /// The whole function, with the hoisted array in place of all uniform inputs; it stands where the first of them stood.
    pub rest: Program,
}

/// What it is called where passes are disabled by name. It is none: two programs come out.
pub const KEY_HOISTING: &str = "hoist-keys";

/// The longest hoisted array, in atoms: the round keys of Serpent are 4224 bits.
const LONGEST: u32 = 8192;

/// The halves of a program that passes the checker, if one in so many operations or more depends on uniform inputs alone.
/// `None` too if what would be hoisted is longer than [`LONGEST`] or has several layouts, and for an entry that no pass may
/// change.
pub fn halve(program: &Program, one_in: u64) -> Option<Halves> {
    let entry = program.nodes.last()?;
    if entry.attributes.no_opt || entry.inputs.iter().all(|input| input.uniform) {
        return None;
    }
    let mut program = program.clone();
    if let Some(node) = program.nodes.last_mut() {
        regroup::regroup(node);
    }
    // Batches add the same to the same key.
    share::run(&mut program, &Settings::default());
    dead::run(&mut program, &Settings::default());
    let node = program.entry().clone();
    let classes = Classes::of(&node);
    let cut = Cut::of(&node, &classes)?;
    let work = Work::of(&program, &node, &classes, &cut);
    if work.saved == 0 || one_in * work.saved < work.all || cut.atoms() > LONGEST {
        return None;
    }
    let with = |node: Node, interleave: u32| {
        let mut half = program.clone();
        half.interleave = interleave;
        half.nodes.pop();
        half.nodes.push(node);
        dead::run(&mut half, &Settings::default());
        half
    };
    Some(Halves {
        hoisted: with(cut.hoisted(&node, &classes), 1),
        rest: with(cut.rest(&node, &classes), program.interleave),
    })
}

/// What a value of the entry depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Class {
    /// On no input.
    Fixed,
    /// On uniform inputs only.
    Keyed,
    /// On others too.
    Varying,
}

/// What each value of a node depends on, whatever way the nodes that it calls use their arguments.
struct Classes(Vec<Class>);

impl Classes {
    fn of(node: &Node) -> Classes {
        let mut classes = Classes(vec![Class::Fixed; node.values.len()]);
        for (input, &value) in node.inputs.iter().zip(&node.body.parameters) {
            classes.0[value.index()] = if input.uniform { Class::Keyed } else { Class::Varying };
        }
        classes.block(&node.body);
        classes
    }

    fn at(&self, value: ValueId) -> Class {
        self.0[value.index()]
    }

    /// What an operation without a body depends on.
    fn of_op(&self, op: &Op) -> Class {
        let mut class = Class::Fixed;
        op.operands(|operand| class = class.max(self.at(operand)));
        class
    }

    fn block(&mut self, block: &Block) {
        for operation in &block.operations {
            let Op::Loop(inner) = &operation.op else {
                let class = self.of_op(&operation.op);
                operation.results.iter().for_each(|result| self.0[result.index()] = class);
                continue;
            };
            let parameters = &inner.body.parameters;
            for (parameter, &initial) in parameters.iter().zip(&inner.initial) {
                self.0[parameter.index()] = self.at(initial);
            }
            // A round only raises, and there are three classes.
            loop {
                self.block(&inner.body);
                let mut raised = false;
                for (parameter, &next) in parameters.iter().zip(&inner.body.results) {
                    let class = self.at(next);
                    raised |= class > self.at(*parameter);
                    self.0[parameter.index()] = class.max(self.at(*parameter));
                }
                if !raised {
                    break;
                }
            }
            for (result, &parameter) in operation.results.iter().zip(parameters) {
                self.0[result.index()] = self.at(parameter);
            }
        }
    }
}

/// How many operations run, an array counted as its atoms.
struct Work {
    /// Those that are saved: on keys only, but for the reads that both halves do.
    saved: u64,
    /// All.
    all: u64,
}

impl Work {
    fn of(program: &Program, node: &Node, classes: &Classes, cut: &Cut) -> Work {
        let mut work = Work { saved: 0, all: 0 };
        let is_saved = |operation: &Operation| {
            classes.of_op(&operation.op) == Class::Keyed
                && !operation.results.iter().any(|&one| cut.reads(one))
        };
        work.block(program, node, &node.body, 1, &is_saved);
        work
    }

    /// Adds a block that runs so many times.
    fn block(
        &mut self,
        program: &Program,
        node: &Node,
        block: &Block,
        times: u64,
        is_saved: &dyn Fn(&Operation) -> bool,
    ) {
        for operation in &block.operations {
            let count = match &operation.op {
                Op::Loop(inner) => {
                    self.block(program, node, &inner.body, times * u64::from(inner.trips), is_saved);
                    continue;
                }
                Op::Constant(_) | Op::Slice(..) => continue,
                Op::Array(atoms) => times * atoms.len() as u64,
                Op::Splice(_, _, part) => times * u64::from(node.ty(*part).atoms()),
                Op::Call(callee, _) => {
                    let called = program.node(*callee);
                    let mut work = Work { saved: 0, all: 0 };
                    work.block(program, called, &called.body, times, &|_| false);
                    work.all
                }
                _ => times,
            };
            self.all += count;
            if is_saved(operation) {
                self.saved += count;
            }
        }
    }
}
