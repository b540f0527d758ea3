//! Arrays that GCC shall read again in every turn of a loop.
//!
//! Its predictive commoning keeps in registers what one turn reads and later turns read again. A loop that goes along a bitsliced
//! state has more of that than there are registers, so all of it moves from one place of the stack to another in every turn: by gcc
//! 12 with -O2 Kuznyechik on AVX2 has 14,038 bytes of code for 10,423, and goes to its stack 1,100 times for 602.

use std::collections::{BTreeMap, BTreeSet};
use usuba_ir::program::Affine;
use usuba_machine::program::{Block, Function, Loop, RegionId, Role, Step};
use usuba_target::Target;

/// What an array is given to at the beginning of a turn, as a type, a pointer and a length; and its definition.
pub(crate) const KEYWORD: &str = "USUBA_READ_AGAIN";
pub(crate) const DEFINITION: &str = "\
/* GCC keeps for later turns of a loop what these read again, and has no registers for it. */
#if defined(__GNUC__) && !defined(__clang__)
#define USUBA_READ_AGAIN(type, array, length) __asm__(\"\" : \"+m\"(*(type(*)[length])(array)))
#else
#define USUBA_READ_AGAIN(type, array, length) ((void)0)
#endif

";

/// So many turns GCC looks ahead: `MAX_DISTANCE` of its `tree-predcom.cc`.
const TURNS: i64 = 8;

/// The arrays that an innermost loop reads at more places than there are registers, all of which an access of the loop has read or
/// written at most [`TURNS`] turns before. Those that may not be written stay out.
pub(crate) fn arrays(looped: &Loop, function: &Function, target: &Target) -> Vec<RegionId> {
    let mut accesses = Vec::new();
    if !collect(&looped.body, &mut accesses) {
        return Vec::new();
    }
    let step = |index: &Affine| match index.terms.as_slice() {
        [(induction, coefficient)] if *induction == looped.induction => Some(*coefficient),
        _ => None,
    };
    // The places of each array, by how far they go in a turn.
    let mut places: BTreeMap<(RegionId, i64), BTreeSet<i64>> = BTreeMap::new();
    for (region, index, _) in &accesses {
        if let Some(step) = step(index) {
            places.entry((*region, step)).or_default().insert(index.constant);
        }
    }
    let mut again: BTreeMap<RegionId, BTreeSet<(i64, i64)>> = BTreeMap::new();
    for (region, index, is_read) in &accesses {
        if let Some(step) = step(index)
            && *is_read
            && !matches!(function.region(*region).role, Role::Input | Role::Uniform)
            && (1..=TURNS).any(|turns| places[&(*region, step)].contains(&(index.constant + turns * step)))
        {
            again.entry(*region).or_default().insert((step, index.constant));
        }
    }
    let total: usize = again.values().map(BTreeSet::len).sum();
    if total > target.register_count as usize { again.into_keys().collect() } else { Vec::new() }
}

/// Whether a function has such loops.
pub(crate) fn is_needed(function: &Function, target: &Target) -> bool {
    fn any(block: &Block, function: &Function, target: &Target) -> bool {
        block.steps.iter().any(|step| match step {
            Step::Loop(looped) => {
                !arrays(looped, function, target).is_empty() || any(&looped.body, function, target)
            }
            _ => false,
        })
    }
    any(&function.body, function, target)
}

/// The accesses of a block, and which of them read; whether it has no loop.
fn collect<'f>(block: &'f Block, accesses: &mut Vec<(RegionId, &'f Affine, bool)>) -> bool {
    block.steps.iter().all(|step| {
        match step {
            Step::Load { address, .. } => accesses.push((address.region, &address.index, true)),
            Step::Store { address, .. } => accesses.push((address.region, &address.index, false)),
            _ => {}
        }
        !matches!(step, Step::Loop(_))
    })
}
