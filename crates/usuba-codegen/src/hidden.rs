//! Local arrays of which a C compiler shall not know that they are on the stack.
//!
//! Zen 5 forwards a store to the next load with the same displacement from the stack pointer, without waiting for addresses,
//! and pays when something stored by an index in between turns out to be what is read. Bitsliced code on general-purpose
//! registers keeps its state in arrays, and loops write them by index: GIFT took five times as long as with another base than
//! the stack pointer, Serpent and AES twice. Arrays at fixed places gain by such forwarding: without it, PRESENT takes half
//! as much again.

use std::collections::BTreeSet;
use usuba_machine::program::{Argument, Block, Function, Parameter, Program, RegionId, Role, Step};

/// For each function, the locals that are used both by the index of a loop, in the function or in those that it calls, and
/// at fixed places.
pub(crate) fn locals(program: &Program) -> Vec<BTreeSet<RegionId>> {
    let mut all: Vec<Usage> = Vec::new();
    for function in &program.functions {
        let mut usage = Usage::default();
        usage.block(&function.body, &program.functions, &all);
        all.push(usage);
    }
    let of = |(function, usage): (&Function, Usage)| {
        let both = usage.indexed.intersection(&usage.fixed).copied();
        both.filter(|region| function.regions[region.index()].role == Role::Local).collect()
    };
    program.functions.iter().zip(all).map(of).collect()
}

/// How a function uses its regions.
#[derive(Default)]
struct Usage {
    /// By the index of a loop.
    indexed: BTreeSet<RegionId>,
    /// At fixed places.
    fixed: BTreeSet<RegionId>,
}

impl Usage {
    /// `callees` are the functions before this one.
    fn block(&mut self, block: &Block, functions: &[Function], callees: &[Usage]) {
        for step in &block.steps {
            match step {
                Step::Load { address, .. } | Step::Store { address, .. } => {
                    let set =
                        if address.index.terms.is_empty() { &mut self.fixed } else { &mut self.indexed };
                    set.insert(address.region);
                }
                Step::Loop(looped) => self.block(&looped.body, functions, callees),
                Step::Call(call) => {
                    let parameters = &functions[call.function].parameters;
                    for (argument, parameter) in call.arguments.iter().zip(parameters) {
                        if let (Argument::Read(address) | Argument::Write(address), Parameter::Region(own)) =
                            (argument, *parameter)
                            && callees[call.function].indexed.contains(&own)
                        {
                            self.indexed.insert(address.region);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}
