//! What an order costs, in a model of the machine: registers by furthest next use, then the cycles of a core that runs
//! out of order.

use super::core::{InFlight, Job};
use super::graph::{Kind, Run};
use usuba_target::Target;
use usuba_target::core::OutOfOrder;

/// How much later a value that need not be stored counts as needed, in tenths.
const CLEAN: usize = 16;

/// Hundredths of a cycle that a copy takes beside its place in the front end, and an operand in memory.
const COPY: u64 = 6;
const OPERAND: u64 = 6;

/// The machine as the model knows it.
#[derive(Clone, Debug)]
pub(crate) struct Model<'a> {
    /// Registers for values.
    pub(crate) registers: usize,
    target: &'a Target,
    /// The cores that an order is to be good for.
    cores: Vec<OutOfOrder>,
}

/// What a register file does for an order: the steps, in that order, with what is needed around them.
#[derive(Clone, Debug, Default)]
struct Traffic {
    /// By place in the order: values that are read from memory before the step.
    loaded: Vec<Vec<usize>>,
    /// Values that are written to memory before the step.
    stored: Vec<Vec<usize>>,
    /// Operands of the step that stay in memory.
    folded: Vec<Vec<usize>>,
    copies: u64,
}

/// Gives registers by furthest next use.
fn allocate(run: &Run, order: &[usize], registers: usize) -> Traffic {
    let mut places: Vec<Vec<usize>> = vec![Vec::new(); run.values.len()];
    for (at, &number) in order.iter().enumerate() {
        run.nodes[number].operands.iter().for_each(|&value| places[value].push(at));
    }
    let mut cursor = vec![0usize; run.values.len()];
    let mut in_memory: Vec<bool> = run.values.iter().map(|value| value.clean).collect();
    let mut in_register = vec![false; run.values.len()];
    let mut held: Vec<usize> = Vec::with_capacity(registers);
    // What comes from before the run is in registers, first come first served; the rest waits in memory.
    let mut outside: Vec<usize> = (0..run.values.len())
        .filter(|&value| run.values[value].made_by.is_none() && !run.values[value].clean)
        .collect();
    outside.sort_by_key(|&value| places[value].first().copied().unwrap_or(usize::MAX));
    for (rank, value) in outside.into_iter().enumerate() {
        if rank < registers {
            held.push(value);
            in_register[value] = true;
        } else {
            in_memory[value] = true;
        }
    }
    let len = order.len();
    let mut out = Traffic {
        loaded: vec![Vec::new(); len],
        stored: vec![Vec::new(); len],
        folded: vec![Vec::new(); len],
        copies: 0,
    };
    let end = len + 1;
    for (at, &number) in order.iter().enumerate() {
        let node = &run.nodes[number];
        if node.kind == Kind::Load {
            continue;
        }
        let room = |value: usize,
                    held: &mut Vec<usize>,
                    in_register: &mut Vec<bool>,
                    in_memory: &mut Vec<bool>,
                    cursor: &[usize],
                    stored: &mut Vec<usize>,
                    pinned: &[usize]| {
            if held.len() >= registers {
                let mut worst: Option<(usize, usize)> = None;
                for (slot, &other) in held.iter().enumerate() {
                    if pinned.contains(&other) {
                        continue;
                    }
                    let next = places[other].get(cursor[other]).copied().unwrap_or(end);
                    let distance = next - at.min(next);
                    let score = distance * if in_memory[other] { CLEAN } else { 10 };
                    if worst.is_none_or(|(most, _)| score > most) {
                        worst = Some((score, slot));
                    }
                }
                if let Some((_, slot)) = worst {
                    let other = held.swap_remove(slot);
                    in_register[other] = false;
                    if !in_memory[other] {
                        in_memory[other] = true;
                        stored.push(other);
                    }
                }
            }
            held.push(value);
            in_register[value] = true;
        };
        let mut folded = None;
        if node.kind == Kind::Compute {
            for &value in &node.operands {
                let last = places[value].len() == cursor[value] + 1 && !run.values[value].lives_on;
                if !in_register[value] && last {
                    folded = Some(value);
                }
            }
        }
        for &value in &node.operands {
            if in_register[value] {
                continue;
            }
            if folded == Some(value) {
                out.folded[at].push(value);
            } else {
                out.loaded[at].push(value);
                room(
                    value,
                    &mut held,
                    &mut in_register,
                    &mut in_memory,
                    &cursor,
                    &mut out.stored[at],
                    &node.operands,
                );
            }
        }
        let mut dies = false;
        for &value in &node.operands {
            cursor[value] += 1;
            if cursor[value] >= places[value].len() && !run.values[value].lives_on && in_register[value] {
                in_register[value] = false;
                held.retain(|&other| other != value);
                dies = true;
            }
        }
        if node.kind == Kind::Store {
            // The place can be read again.
            node.operands.iter().for_each(|&value| in_memory[value] = true);
        }
        if node.overwrites && !dies {
            out.copies += 1;
        }
        if let Some(result) = node.result {
            room(
                result,
                &mut held,
                &mut in_register,
                &mut in_memory,
                &cursor,
                &mut out.stored[at],
                &node.operands,
            );
            if places[result].is_empty() && !run.values[result].lives_on {
                in_register[result] = false;
                held.pop();
            }
        }
    }
    out
}

impl<'a> Model<'a> {
    pub(crate) fn new(target: &'a Target, registers: usize) -> Model<'a> {
        Model { registers, target, cores: usuba_target::core::for_target(target) }
    }

    /// What an order takes on each of the cores, in thousandths of a cycle; in a loop, one time round.
    pub(crate) fn times(&self, run: &Run, order: &[usize]) -> Vec<u64> {
        let traffic = allocate(run, order, self.registers);
        self.cores.iter().map(|on| self.time(run, order, &traffic, on)).collect()
    }

    fn time(&self, run: &Run, order: &[usize], traffic: &Traffic, on: &OutOfOrder) -> u64 {
        let count = |lists: &[Vec<usize>]| lists.iter().map(|list| list.len() as u64).sum::<u64>();
        let (load, store) = on.beside(self.target);
        let beside = load * count(&traffic.loaded)
            + store * count(&traffic.stored)
            + OPERAND * count(&traffic.folded)
            + COPY * traffic.copies;
        let jobs: Vec<Job> = run.nodes.iter().map(|node| Job::of(on.core, self.target, node.row)).collect();
        let mut flight = InFlight::new(on, self.target);
        let rounds = if run.carried.is_empty() { 1 } else { 3 };
        let mut ready = vec![0u64; run.values.len()];
        let mut ends = Vec::new();
        for _ in 0..rounds {
            let mut in_memory = vec![0u64; run.values.len()];
            for (at, &number) in order.iter().enumerate() {
                let node = &run.nodes[number];
                for &value in &traffic.stored[at] {
                    in_memory[value] = flight.store(ready[value]);
                }
                for &value in &traffic.loaded[at] {
                    ready[value] = flight.loaded(in_memory[value]);
                }
                let job = jobs[number];
                // The register that is there last is the one that is overwritten.
                let (mut last, mut others) = (0, 0);
                for &value in &node.operands {
                    if traffic.folded[at].contains(&value) {
                        others = others.max(flight.operand(in_memory[value]) + job.beyond_first);
                    } else {
                        let there = ready[value];
                        others = others.max(there.min(last) + job.beyond_first);
                        last = last.max(there);
                    }
                }
                let operands = last.max(others);
                match node.kind {
                    Kind::Load => {}
                    Kind::Store => {
                        flight.store(operands);
                    }
                    Kind::Compute => {
                        let finished = flight.compute(operands, job);
                        if let Some(result) = node.result {
                            ready[result] = finished;
                        }
                    }
                }
            }
            // Copies are free but for their place in the front end.
            (0..traffic.copies).for_each(|_| flight.enter());
            let handed: Vec<(usize, u64)> =
                run.carried.iter().map(|&(made, read)| (read, ready[made])).collect();
            handed.into_iter().for_each(|(read, time)| ready[read] = time);
            ends.push(flight.time());
        }
        let cycles = match ends.as_slice() {
            [.., before, last] => last - before,
            [only] => *only,
            [] => 0,
        };
        cycles * 1000 + beside * 10
    }
}
