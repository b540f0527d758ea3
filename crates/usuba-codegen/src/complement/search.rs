//! Which values to hold complemented: simulated annealing, several times, then descent.
//!
//! The random numbers are always the same ones, so the same function gets the same polarities. The work is bounded. Several short runs
//! find more than a long one: a state that a loop carries has one polarity or the other, and a run rarely changes its mind.

use super::network::Network;
use crate::effort::Effort;
use usuba_ir::random::Random;

/// So many runs where there is a loop, and so many where each complement is computed once a call, or where the time of a draft is
/// asked for,
const RUNS: [u64; 2] = [8, 1];
/// each of so many changes for each choice,
const CHANGES: usize = 400;
/// and at most of so many.
const MOST_CHANGES: usize = 60_000;
/// Functions with more choices than this stay as they are.
const LARGEST: usize = 20_000;
/// The temperature falls in so many steps.
const STEPS: usize = 40;
/// At the first temperature the chance of a change that costs a complement, of 2^16.
const FIRST_CHANCE: u64 = 2_500;
/// One change in so many flips what follows from it too.
const WITH_SUMS: u32 = 30;

/// The best network met on the way; never worse than the one given.
pub(super) fn search(start: &Network, effort: Effort) -> Network {
    let choices = start.choices();
    if choices.is_empty() || choices.len() > LARGEST || start.values.before == 0 {
        return start.clone();
    }
    let mut best = start.clone();
    let once = start.heaviest() == 1 || effort == Effort::Draft;
    for seed in 0..RUNS[usize::from(once)] {
        if best.cost() == 0 {
            break;
        }
        let mut random = Random::new(seed);
        let mut found = anneal(start, &choices, &mut random);
        descend(&mut found, &choices, &mut random);
        if found.cost() < best.cost() {
            best = found;
        }
    }
    best
}

/// The best network met on the way.
fn anneal(start: &Network, choices: &[usize], random: &mut Random) -> Network {
    let unit = start.heaviest();
    let mut network = start.clone();
    let mut least = network.cost();
    let changes = (CHANGES * choices.len()).min(MOST_CHANGES);
    let mut chance = FIRST_CHANCE;
    for _ in 0..STEPS {
        for _ in 0..changes / STEPS {
            let vertex = choices[random.below(choices.len() as u32) as usize];
            let (cost, mark) = (network.cost(), network.mark());
            let exchanged = network.can_exchange(vertex) && random.once_in(2);
            if exchanged {
                network.exchange(vertex);
            } else if random.once_in(WITH_SUMS) {
                network.flip_with_sums(vertex, random);
            } else {
                network.flip(vertex, random);
            }
            let dearer = network.cost().saturating_sub(cost).div_ceil(unit);
            if dearer > 0 && (exchanged || !(0..dearer).all(|_| random.bits() >> 48 < chance)) {
                network.undo_to(mark);
            } else if network.cost() < least {
                least = network.cost();
                network.keep();
            }
        }
        chance = chance * 7 / 8;
    }
    network.undo_to(0);
    network
}

/// Flips what makes it cheaper until nothing does.
fn descend(network: &mut Network, choices: &[usize], random: &mut Random) {
    loop {
        let before = network.cost();
        for &vertex in choices {
            let (cost, mark) = (network.cost(), network.mark());
            network.flip(vertex, random);
            if network.cost() >= cost {
                network.undo_to(mark);
            }
        }
        network.keep();
        if network.cost() >= before {
            return;
        }
    }
}
