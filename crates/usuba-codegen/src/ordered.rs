//! Loops in which the order of rounds of AES and of carry-less products is kept.
//!
//! Both have a port of their own, and run at once where they stand side by side. Compilers for C put the products first and the
//! rounds behind them, beyond what a core looks ahead: AES-GCM by clang 19 took 1.2 times as long so.

use std::collections::BTreeSet;
use usuba_machine::program::{Block, Function, Loop, RegisterId, Step};
use usuba_target::{Meaning, Target};

/// What a result is given to whose place is kept, and its definition.
pub(crate) const KEYWORD: &str = "USUBA_IN_ORDER";
pub(crate) const DEFINITION: &str = "\
/* Rounds of AES and carry-less products stay where they stand, so that they run side by side. */
#ifndef USUBA_IN_ORDER
#if defined(__GNUC__) && defined(__x86_64__)
#define USUBA_IN_ORDER(x) __asm__ volatile(\"\" : \"+v\"(x))
#else
#define USUBA_IN_ORDER(x) ((void)0)
#endif
#endif

";

/// How many of each make a loop one of these.
const ENOUGH: usize = 8;

/// The results in such loops, on vectors of x86.
pub(crate) fn of(function: &Function, target: &Target) -> BTreeSet<RegisterId> {
    let mut kept = BTreeSet::new();
    if target.encoding().is_some() {
        block(&function.body, &mut kept);
    }
    kept
}

fn block(body: &Block, kept: &mut BTreeSet<RegisterId>) {
    let (mut rounds, mut products) = (Vec::new(), Vec::new());
    for step in &body.steps {
        match step {
            Step::Compute { row, result, .. } => match row.meaning {
                Meaning::AesEncrypt
                | Meaning::AesEncryptLast
                | Meaning::AesDecrypt
                | Meaning::AesDecryptLast => {
                    rounds.push(*result);
                }
                Meaning::CarrylessProduct => products.push(*result),
                _ => {}
            },
            Step::Loop(looped) => {
                let mut inside = BTreeSet::new();
                block(&looped.body, &mut inside);
                // What is the same in all turns has its place before the loop: compilers put it there.
                let changing = changing(looped);
                kept.extend(inside.into_iter().filter(|register| changing.contains(register)));
            }
            _ => {}
        }
    }
    if rounds.len() >= ENOUGH && products.len() >= ENOUGH {
        kept.extend(rounds);
        kept.extend(products);
    }
}

/// The registers that are not the same in all turns of a loop, or may not be.
fn changing(looped: &Loop) -> BTreeSet<RegisterId> {
    let mut changing: BTreeSet<RegisterId> = looped.carried.iter().map(|one| one.register).collect();
    for step in &looped.body.steps {
        let mut changes = match step {
            Step::Compute { .. } => false,
            Step::Load { address, .. } => !address.index.terms.is_empty(),
            _ => true,
        };
        step.reads(&mut |register| changes |= changing.contains(&register));
        if changes {
            step.defines(&mut |register| {
                changing.insert(register);
            });
            if let Step::Loop(inner) = step {
                changing.extend(all(&inner.body));
            }
        }
    }
    changing
}

/// All registers that a block defines.
fn all(body: &Block) -> BTreeSet<RegisterId> {
    let mut all = BTreeSet::new();
    for step in &body.steps {
        step.defines(&mut |register| {
            all.insert(register);
        });
        if let Step::Loop(inner) = step {
            all.extend(inner.carried.iter().map(|one| one.register));
            all.extend(self::all(&inner.body));
        }
    }
    all
}
