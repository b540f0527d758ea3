//! Which values to hold complemented: simulated annealing, several times, then descent.
//!
//! The random numbers are always the same ones, so the same function gets the same polarities. The work is bounded. Several short runs
//! find more than a long one: a state that a loop carries has one polarity or the other, and a run rarely changes its mind.

use super::network::Network;
use usuba_ir::random::Random;

/// So many runs,
const RUNS: u64 = 8;
/// each of so many changes.
const CHANGES: usize = 60_000;
/// Functions with more choices than this stay as they are.
const LARGEST: usize = 20_000;
/// The temperature falls in so many steps.
const STEPS: usize = 40;
/// At the first temperature the chance of a change that costs a complement, of 2^16.
const FIRST_CHANCE: u64 = 2_500;
/// One change in so many flips what follows from it too.
const WITH_SUMS: u32 = 30;

/// The best network met on the way; never worse than the one given.
pub(super) fn search(start: &Network) -> Network {
    let choices = start.choices();
    if choices.is_empty() || choices.len() > LARGEST || start.before == 0 {
        return start.clone();
    }
    let mut best = start.clone();
    for seed in 0..RUNS {
        let mut random = Random::new(seed);
        let mut found = anneal(start, &choices, &mut random);
        descend(&mut found, &choices, &mut random);
        if found.cost() < best.cost() {
            best = found;
        }
    }
    best
}

fn anneal(start: &Network, choices: &[usize], random: &mut Random) -> Network {
    let unit = start.heaviest();
    let (mut network, mut best) = (start.clone(), start.clone());
    let mut chance = FIRST_CHANCE;
    for _ in 0..STEPS {
        for _ in 0..CHANGES / STEPS {
            let vertex = choices[random.below(choices.len() as u32) as usize];
            let cost = network.cost();
            if network.turned(vertex).is_some() && random.once_in(2) {
                network.exchange(vertex);
                if network.cost() > cost {
                    network.exchange(vertex);
                }
                continue;
            }
            let mut done = Vec::new();
            if random.once_in(WITH_SUMS) {
                network.flip_with_sums(vertex, random, &mut done);
            } else {
                let undo = network.flip(vertex, random);
                done.push((vertex, undo));
            }
            let dearer = network.cost().saturating_sub(cost).div_ceil(unit);
            if dearer > 0 && !(0..dearer).all(|_| random.bits() >> 48 < chance) {
                done.into_iter().rev().for_each(|(vertex, undo)| network.undo(vertex, undo));
            } else if network.cost() < best.cost() {
                best.clone_from(&network);
            }
        }
        chance = chance * 7 / 8;
    }
    best
}

/// Flips what makes it cheaper until nothing does.
fn descend(network: &mut Network, choices: &[usize], random: &mut Random) {
    loop {
        let before = network.cost();
        for &vertex in choices {
            let cost = network.cost();
            let undo = network.flip(vertex, random);
            if network.cost() >= cost {
                network.undo(vertex, undo);
            }
        }
        if network.cost() >= before {
            return;
        }
    }
}
