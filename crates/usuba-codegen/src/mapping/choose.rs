//! The choice that is taken: the best of some improved ones, [annealed](super::anneal) and improved once more, but for drafts.
//! Problems that were solved exactly are in a [table](super::solved): its choice is taken where it is cheaper.

use super::anneal::anneal;
use super::choice::{Choice, Gate, digest};
use super::solved;
use crate::effort::Effort;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What was chosen.
#[derive(Clone, Default, Debug)]
pub(crate) struct Chosen {
    /// The way each gate is computed, by number; `None` for the gates that need not be.
    pub(crate) ways: Vec<Option<usize>>,
    /// What all of them cost.
    pub(crate) cost: u32,
    /// What the choice costs that the search found; `cost` is less where the table of solved problems has a cheaper one.
    pub(crate) searched: u32,
}

/// The best choice found or known. A gate needs only earlier ones. Blocks come again in other kernels, of other key sizes or as
/// many at once: what was chosen is remembered by the number of gates and their digest.
pub(super) fn choose(gates: &[Gate], effort: Effort) -> Chosen {
    static KNOWN: Mutex<BTreeMap<(usize, u128, Effort), Chosen>> = Mutex::new(BTreeMap::new());
    // A thread that panicked has left the map whole: choices are put into it one by one.
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let (len, digest) = (gates.len(), digest(gates));
    if let Some(chosen) = known().get(&(len, digest, effort)) {
        return chosen.clone();
    }
    let chosen = search(gates, effort);
    known().insert((len, digest, effort), chosen.clone());
    chosen
}

fn search(gates: &[Gate], effort: Effort) -> Chosen {
    // How often a gate is used where all are computed as they stand.
    let mut fanout = vec![0u32; gates.len()];
    for gate in gates {
        for &needed in &gate.ways[0].gates {
            fanout[needed] += 1;
        }
    }
    let mut best: Option<Choice<'_>> = None;
    let mut users = fanout;
    for _ in 0..3 {
        let mut choice = Choice::by_flow(gates, &users);
        choice.improve();
        users.clone_from(&choice.users);
        let better = |best: &Choice<'_>| (choice.cost, choice.depth()) < (best.cost, best.depth());
        if best.as_ref().is_none_or(better) {
            best = Some(choice);
        }
    }
    let Some(mut best) = best else { return Chosen::default() };
    if effort == Effort::Full {
        let mut annealed = anneal(&best);
        annealed.improve();
        if annealed.cost < best.cost {
            best = annealed;
        }
    }
    let searched = best.cost;
    if let Some(ways) = solved::cheaper(gates, searched) {
        best = Choice::of(gates, ways);
        best.improve();
    }
    let ways = (0..gates.len()).map(|gate| (best.users[gate] > 0).then_some(best.way[gate])).collect();
    Chosen { ways, cost: best.cost, searched }
}
