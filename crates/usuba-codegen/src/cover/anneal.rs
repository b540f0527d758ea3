//! Simulated annealing of a choice: random changes of the way of a gate, taken while they cost little.
//!
//! The random numbers are always the same ones, so the same gates get the same ways. The work is bounded: large blocks
//! get fewer changes a gate, and very large ones none.

use super::choice::Choice;

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
    let mut random = Random(gates.len() as u64);
    let (mut choice, mut best) = (start.clone(), start.clone());
    let mut chance = FIRST_CHANCE;
    for _ in 0..STEPS {
        for _ in 0..changes {
            let gate = open[random.below(open.len())];
            let before = choice.way[gate];
            let way = random.below(gates[gate].ways.len());
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
            if dearer > 0 && !random.happens(chance, dearer) {
                choice.take(gate, before);
            } else if choice.cost < best.cost {
                best.clone_from(&choice);
            }
        }
        chance = chance * 7 / 8;
    }
    best
}

/// A generator of random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        ((self.next() >> 32).wrapping_mul(count as u64) >> 32) as usize
    }

    /// Whether something of probability (`chance` / 2^16)^`times` happens.
    fn happens(&mut self, chance: u64, times: u32) -> bool {
        (0..times).all(|_| self.next() >> 48 < chance)
    }
}
