//! Simulated annealing of a choice: random changes of the way of a gate, taken while they cost little.
//!
//! The random numbers are always the same ones, so the same gates get the same ways. The work is bounded: large blocks
//! get fewer changes a gate, and very large ones none.

use super::choice::Choice;
use usuba_ir::random::Random;

/// So many changes are tried for each gate of a small block,
const CHANGES_PER_GATE: usize = 1_500;
/// and so many in all.
const CHANGES: usize = 400_000;
/// Blocks of more gates stay as they are.
const LARGEST: usize = 4_000;
/// The temperature falls in so many steps.
const STEPS: usize = 40;
/// At the first temperature the chance of a change that costs an instruction, of 2^16.
const FIRST_CHANCE: u64 = 24_000;

/// The best choice met on the way; never worse than the one given.
pub(super) fn anneal<'a>(start: &Choice<'a>) -> Choice<'a> {
    let gates = start.gates;
    let open: Vec<usize> = (0..gates.len()).filter(|&gate| gates[gate].ways.len() > 1).collect();
    if open.len() < 2 || gates.len() > LARGEST {
        return start.clone();
    }
    let changes = (gates.len() * CHANGES_PER_GATE).min(CHANGES) / STEPS;
    let mut random = Random::new(gates.len() as u64);
    let (mut choice, mut best) = (start.clone(), start.clone());
    let mut chance = FIRST_CHANCE;
    for _ in 0..STEPS {
        for _ in 0..changes {
            let gate = open[random.below(open.len() as u32) as usize];
            let before = choice.way[gate];
            let way = random.below(gates[gate].ways.len() as u32) as usize;
            if way == before {
                continue;
            }
            if choice.users[gate] == 0 {
                // Costs nothing now; what it would cost is seen when somebody uses it.
                choice.way[gate] = way;
                continue;
            }
            let cost = choice.cost;
            choice.take(gate, way);
            let dearer = choice.cost.saturating_sub(cost);
            if dearer > 0 && !happens(&mut random, chance, dearer) {
                choice.take(gate, before);
            } else if choice.cost < best.cost {
                best.clone_from(&choice);
            }
        }
        chance = chance * 7 / 8;
    }
    best
}

/// Whether something of probability (`chance` / 2^16)^`times` happens.
fn happens(random: &mut Random, chance: u64, times: u32) -> bool {
    (0..times).all(|_| random.bits() >> 48 < chance)
}
