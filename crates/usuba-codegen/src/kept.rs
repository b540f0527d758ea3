//! What a loop reads of its round keys in every turn, kept by Clang.
//!
//! A block of memory repeated in a register takes a port of vectors on some cores. GCC repeats once, before the loop, and keeps what
//! has no register as a whole one on the stack; Clang reads it again from where it was, every time. On Zen 4 AES-GCM of 4 KiB by
//! clang 19 took 9 to 11 % longer so.

use std::collections::BTreeMap;
use usuba_ir::program::InductionId;
use usuba_machine::program::{Address, Block, Function, Loop, RegisterId, Role, Step};
use usuba_target::{Encoding, Instruction, Meaning, Target};

/// What declares a value before its loop, what stands for it there, and their definitions.
pub(crate) const DECLARED: &str = "USUBA_KEEP";
pub(crate) const KEPT: &str = "USUBA_KEPT";
pub(crate) const DEFINITION: &str = "\
/* Clang reads again what it could keep. */
#ifndef USUBA_KEEP
#if defined(__clang__) && defined(__x86_64__)
#define USUBA_KEEP(type, name, value) type name = value; __asm__(\"\" : \"+v\"(name))
#define USUBA_KEPT(name, value) (name)
#else
#define USUBA_KEEP(type, name, value) ((void)0)
#define USUBA_KEPT(name, value) (value)
#endif
#endif

";

/// The loads that are the same in all turns of the outermost loop around them.
#[derive(Default)]
pub(crate) struct Kept {
    /// For each outermost loop, one register for each place.
    pub(crate) before: BTreeMap<InductionId, Vec<RegisterId>>,
    /// For each register that is loaded so, the one that stands for it.
    pub(crate) same: BTreeMap<RegisterId, RegisterId>,
}

/// Whether there is any on a target.
pub(crate) fn is_needed(target: &Target) -> bool {
    target.encoding() == Some(Encoding::Evex) && target.register_bits > 128
}

/// Those of a function.
pub(crate) fn of(function: &Function, target: &Target) -> Kept {
    let mut kept = Kept::default();
    for step in function.body.steps.iter().filter(|_| is_needed(target)) {
        let Step::Loop(looped) = step else { continue };
        let mut places = Vec::new();
        block(&looped.body, function, target, &mut places, &mut kept);
        kept.before.insert(looped.induction, places.into_iter().map(|(_, _, register)| register).collect());
    }
    kept
}

type Known<'f> = Vec<(&'static Instruction, &'f Address, RegisterId)>;

fn block<'f>(body: &'f Block, function: &Function, target: &Target, known: &mut Known<'f>, kept: &mut Kept) {
    for step in &body.steps {
        match step {
            Step::Load { row, result, address }
                if row.meaning == Meaning::Broadcast
                    && row.lane < target.register_bits
                    && function.region(address.region).role == Role::Uniform
                    && address.index.terms.is_empty() =>
            {
                let found = known.iter().find(|(other, place, _)| other == row && *place == address);
                let first = found.map_or(*result, |(_, _, first)| *first);
                if first == *result {
                    known.push((row, address, first));
                }
                kept.same.insert(*result, first);
            }
            Step::Loop(Loop { body, .. }) => block(body, function, target, known, kept),
            _ => {}
        }
    }
}

impl Kept {
    /// Each load whose value is declared before a loop: what stands for it, its row and its place.
    pub(crate) fn loads<'f>(&self, looped: &'f Loop) -> Vec<(RegisterId, &'static Instruction, &'f Address)> {
        let wanted = self.before.get(&looped.induction).map_or(&[][..], Vec::as_slice);
        let mut loads = Vec::new();
        found(&looped.body, wanted, &mut loads);
        loads
    }
}

fn found<'f>(
    body: &'f Block,
    wanted: &[RegisterId],
    loads: &mut Vec<(RegisterId, &'static Instruction, &'f Address)>,
) {
    for step in &body.steps {
        match step {
            Step::Load { row, result, address } if wanted.contains(result) => {
                loads.push((*result, row, address))
            }
            Step::Loop(Loop { body, .. }) => found(body, wanted, loads),
            _ => {}
        }
    }
}
