//! Constants of which Clang shall not know that they are the index of a shuffle.
//!
//! It makes other shuffles of some whose index it knows, which take two or three times as long: of a masked byte shuffle a
//! permutation of two registers, for one.

use std::collections::BTreeSet;
use usuba_machine::program::{Block, Function, RegisterId, Step};
use usuba_target::{Meaning, Target};

/// What such a constant is given to, and its definition.
pub(crate) const KEYWORD: &str = "USUBA_HIDDEN_INDEX";
pub(crate) const DEFINITION: &str = "\
/* Clang makes slower shuffles of some whose index it knows. */
#ifndef USUBA_HIDDEN_INDEX
#if defined(__clang__) && defined(__x86_64__)
#define USUBA_HIDDEN_INDEX(x) __asm__(\"\" : \"+v\"(x))
#else
#define USUBA_HIDDEN_INDEX(x) ((void)0)
#endif
#endif

";

/// The registers of a function that are indices of shuffles, on vectors of x86.
pub(crate) fn of(function: &Function, target: &Target) -> BTreeSet<RegisterId> {
    let mut indices = BTreeSet::new();
    if target.encoding().is_some() {
        block(&function.body, &mut indices);
    }
    indices
}

fn block(body: &Block, indices: &mut BTreeSet<RegisterId>) {
    for step in &body.steps {
        match step {
            Step::Compute { row, operands, .. } => {
                let place = match row.meaning {
                    Meaning::ShuffleBytes | Meaning::PermuteLanes | Meaning::PermuteLanesOfTwo => 1,
                    Meaning::MergeShuffledBytes => 2,
                    _ => continue,
                };
                indices.extend(operands.get(place));
            }
            Step::Loop(looped) => block(&looped.body, indices),
            _ => {}
        }
    }
}
