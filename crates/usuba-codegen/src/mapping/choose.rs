//! The choice that is taken: the best of some improved ones, [annealed](super::anneal) and improved once more. Problems that
//! were solved exactly are in a [table](super::solved): its choice is taken where it is cheaper.

use super::anneal::anneal;
use super::choice::{Choice, Gate};
use super::solved;

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

/// The best choice found or known. A gate needs only earlier ones.
pub(super) fn choose(gates: &[Gate]) -> Chosen {
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
    let mut annealed = anneal(&best);
    annealed.improve();
    if annealed.cost < best.cost {
        best = annealed;
    }
    let searched = best.cost;
    if let Some(ways) = solved::cheaper(gates, searched) {
        best = Choice::of(gates, ways);
        best.improve();
    }
    let ways = (0..gates.len()).map(|gate| (best.users[gate] > 0).then_some(best.way[gate])).collect();
    Chosen { ways, cost: best.cost, searched }
}
