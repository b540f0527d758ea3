//! List scheduling: of the steps that are ready, the best one is next.

use super::graph::{Kind, Run};
use std::collections::BTreeSet;

/// How a ready step is weighed, against 1 for each register that becomes free and -1 for each that is taken.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Weights {
    /// Only so many places of the source beyond the first that is not done yet are looked at.
    pub(crate) window: usize,
    /// For an operand that was made just now; less for older ones, as their age grows.
    pub(crate) recency: f64,
    /// Against each place that a step is taken before its turn.
    pub(crate) distance: f64,
}

/// What is done and what is ready.
pub(crate) struct Front<'a> {
    pub(crate) run: &'a Run,
    pub(crate) order: Vec<usize>,
    missing: Vec<usize>,
    done: Vec<bool>,
    available: Vec<bool>,
    /// Computations, and stores of what this run does not compute, that could be next, in the order of the source.
    pub(crate) ready: BTreeSet<usize>,
    /// Loads that could be made, in the order of the source.
    loads: BTreeSet<usize>,
    /// How many steps are still to read a value.
    remaining: Vec<usize>,
    /// When a value was made or first read.
    born: Vec<Option<usize>>,
    first: usize,
    /// Registers in use, as far as this run knows.
    pub(crate) pressure: i64,
    clean_outside: bool,
}

impl<'a> Front<'a> {
    pub(crate) fn new(run: &'a Run, registers: usize) -> Front<'a> {
        let count = run.nodes.len();
        let outside = run.values.iter().filter(|value| value.made_by.is_none() && !value.clean).count();
        let mut front = Front {
            run,
            order: Vec::with_capacity(count),
            missing: run.nodes.iter().map(|node| node.before).collect(),
            done: vec![false; count],
            available: vec![false; count],
            ready: BTreeSet::new(),
            loads: BTreeSet::new(),
            remaining: run.values.iter().map(|value| value.used_by.len()).collect(),
            born: vec![None; run.values.len()],
            first: 0,
            pressure: outside as i64,
            // More than half of the registers: most of what comes from before lies in memory.
            clean_outside: outside * 2 > registers,
        };
        if front.clean_outside {
            front.pressure = 0;
        }
        (0..count).for_each(|number| front.offer(number));
        front
    }

    /// The first step of the source that is not done.
    pub(crate) fn first(&mut self) -> usize {
        while self.done.get(self.first) == Some(&true) {
            self.first += 1;
        }
        self.first
    }

    /// Whether a value takes no register until it is read.
    fn waits_in_memory(&self, value: usize) -> bool {
        let value = &self.run.values[value];
        value.clean || self.clean_outside && value.made_by.is_none()
    }

    /// Puts a step that depends on nothing any more where it belongs.
    fn offer(&mut self, number: usize) {
        if self.missing[number] > 0 || self.done[number] || self.available[number] {
            return;
        }
        self.available[number] = true;
        let run = self.run;
        let node = &run.nodes[number];
        match node.kind {
            Kind::Compute => {
                self.ready.insert(number);
            }
            Kind::Load => {
                self.loads.insert(number);
                for &after in &node.after {
                    if run.nodes[after].kind == Kind::Compute {
                        self.missing[after] -= 1;
                        self.offer(after);
                    }
                }
            }
            Kind::Store => {
                let made_here = node.operands.first().and_then(|&value| run.values[value].made_by);
                if made_here.is_some_and(|maker| run.nodes[maker].kind == Kind::Compute) {
                    self.place(number);
                } else {
                    self.ready.insert(number);
                }
            }
        }
    }

    fn place(&mut self, number: usize) {
        let run = self.run;
        let node = &run.nodes[number];
        self.done[number] = true;
        self.ready.remove(&number);
        self.loads.remove(&number);
        self.order.push(number);
        let now = self.order.len();
        for &value in &node.operands {
            self.remaining[value] -= 1;
            let many = run.values[value].used_by.len() > 1;
            if self.waits_in_memory(value) && self.born[value].is_none() {
                self.born[value] = Some(now);
                self.pressure += i64::from(many);
            }
            if self.remaining[value] == 0 && !run.values[value].lives_on {
                self.pressure -= i64::from(many || !self.waits_in_memory(value));
            }
        }
        if let Some(result) = node.result
            && node.kind == Kind::Compute
        {
            self.born[result] = Some(now);
            self.pressure += i64::from(run.values[result].lives_on || self.remaining[result] > 0);
        }
        for &after in &node.after {
            if !(node.kind == Kind::Load && run.nodes[after].kind == Kind::Compute) {
                self.missing[after] -= 1;
                self.offer(after);
            }
        }
    }

    /// Takes a ready step, after the loads that it needs.
    pub(crate) fn take(&mut self, number: usize) {
        let run = self.run;
        for &value in &run.nodes[number].operands {
            if let Some(maker) = run.values[value].made_by
                && !self.done[maker]
                && run.nodes[maker].kind == Kind::Load
            {
                self.place(maker);
            }
        }
        if !self.done[number] {
            self.place(number);
        }
    }

    /// Takes the first load, so that what waits for it goes on; false if there is none.
    pub(crate) fn unblock(&mut self) -> bool {
        match self.loads.first().copied() {
            Some(load) => {
                self.place(load);
                true
            }
            None => false,
        }
    }

    /// Registers that become free minus registers that are taken.
    pub(crate) fn relief(&self, number: usize) -> f64 {
        let run = self.run;
        let node = &run.nodes[number];
        let mut relief = 0.0;
        for &value in &node.operands {
            let many = run.values[value].used_by.len() > 1;
            let ends = self.remaining[value] == 1 && !run.values[value].lives_on;
            if self.waits_in_memory(value) {
                if many && self.born[value].is_none() {
                    relief -= 0.5;
                } else if many && ends {
                    relief += 1.0;
                }
            } else if ends {
                relief += 1.0;
            }
        }
        if let Some(result) = node.result {
            let result = &run.values[result];
            let stored = result.used_by.iter().all(|&user| run.nodes[user].kind == Kind::Store);
            relief -= f64::from(result.lives_on || !stored);
        }
        relief
    }

    /// Steps since the youngest operand was made or read.
    pub(crate) fn age(&self, number: usize) -> Option<usize> {
        let operands = self.run.nodes[number].operands.iter();
        operands.filter_map(|&value| self.born[value]).max().map(|born| self.order.len() - born + 1)
    }

    /// Finishes: loads that nothing in the run reads.
    pub(crate) fn finish(mut self) -> Vec<usize> {
        while self.unblock() {}
        self.order
    }
}

/// Few values at once: what frees registers, uses fresh values and stands early in the source comes first.
pub(crate) fn least_pressure(run: &Run, registers: usize, weights: Weights) -> Vec<usize> {
    let mut front = Front::new(run, registers);
    loop {
        let first = front.first();
        let mut best: Option<(f64, usize)> = None;
        for &number in front.ready.range(..first + weights.window) {
            let age = front.age(number).map_or(0.0, |age| weights.recency / age as f64);
            let distance = weights.distance * (number - first.min(number)) as f64;
            let score = front.relief(number) - distance + age;
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, number));
            }
        }
        let next = best.map(|(_, number)| number).or_else(|| front.ready.first().copied());
        match next {
            Some(number) => front.take(number),
            None if front.unblock() => {}
            None => return front.finish(),
        }
    }
}

/// Long chains first, as the ports become free, as long as no more than `cap` values are held at once.
pub(crate) fn longest_chain(run: &Run, registers: usize, window: usize, cap: usize) -> Vec<usize> {
    let heights = run.heights();
    let mut front = Front::new(run, registers);
    let mut finished = vec![0u64; run.values.len()];
    let mut clock = 0u64;
    let mut busy = 0u16;
    loop {
        let first = front.first();
        let crowded = front.pressure >= cap as i64;
        let mut best: Option<((bool, u32, Reverse), usize)> = None;
        let mut soonest: Option<u64> = None;
        for &number in front.ready.range(..first + window) {
            let node = &run.nodes[number];
            let ready = node.operands.iter().map(|&value| finished[value]).max().unwrap_or(0);
            let starts = if node.ports != 0 && node.kind == Kind::Compute && node.ports & !busy == 0 {
                ready.max(clock + 1)
            } else {
                ready.max(clock)
            };
            if starts > clock && !crowded {
                soonest = Some(soonest.map_or(starts, |other| other.min(starts)));
                continue;
            }
            let frees = crowded && front.relief(number) >= 0.0;
            let key = (frees, if crowded && !frees { 0 } else { heights[number] }, std::cmp::Reverse(number));
            if best.as_ref().is_none_or(|(other, _)| key > *other) {
                best = Some((key, number));
            }
        }
        match (best, soonest) {
            (Some((_, number)), _) => {
                let node = &run.nodes[number];
                let ready = node.operands.iter().map(|&value| finished[value]).max().unwrap_or(0);
                if ready > clock {
                    clock = ready;
                    busy = 0;
                }
                let free = node.ports & !busy;
                busy |= free & free.wrapping_neg();
                if let Some(result) = node.result {
                    finished[result] = clock + u64::from(node.latency);
                }
                front.take(number);
            }
            (None, Some(starts)) => {
                clock = starts;
                busy = 0;
            }
            (None, None) => match front.ready.first().copied() {
                Some(number) => front.take(number),
                None if front.unblock() => {}
                None => return front.finish(),
            },
        }
    }
}

type Reverse = std::cmp::Reverse<usize>;

/// The published order for m-sliced code: the first ready step that depends on none of the last `behind` ones, else the
/// first ready one.
pub(crate) fn look_behind(run: &Run, registers: usize, behind: usize) -> Vec<usize> {
    let mut front = Front::new(run, registers);
    loop {
        let clear = front
            .ready
            .iter()
            .take(4 * behind)
            .copied()
            .find(|&number| front.age(number).is_none_or(|age| age > behind));
        match clear.or_else(|| front.ready.first().copied()) {
            Some(number) => front.take(number),
            None if front.unblock() => {}
            None => return front.finish(),
        }
    }
}

/// The published order for bitsliced code: a step waits until something that is wanted reads its value; what nothing in
/// the run reads is wanted in the order of the source.
pub(crate) fn on_demand(run: &Run, registers: usize) -> Vec<usize> {
    let mut front = Front::new(run, registers);
    let mut asked = vec![false; run.nodes.len()];
    for (root, node) in run.nodes.iter().enumerate() {
        let is_read = node.result.is_some_and(|result| !run.values[result].used_by.is_empty());
        if node.kind == Kind::Load || is_read && node.kind == Kind::Compute {
            continue;
        }
        let mut wanted = vec![root];
        while let Some(number) = wanted.pop() {
            if front.done[number] {
                continue;
            }
            if asked[number] {
                if front.ready.contains(&number) {
                    front.take(number);
                }
                continue;
            }
            asked[number] = true;
            wanted.push(number);
            let makers =
                run.nodes[number].operands.iter().rev().filter_map(|&value| run.values[value].made_by);
            wanted.extend(makers.filter(|&maker| run.nodes[maker].kind == Kind::Compute && !asked[maker]));
        }
    }
    // What memory held back.
    loop {
        match front.ready.first().copied() {
            Some(number) => front.take(number),
            None if front.unblock() => {}
            None => return front.finish(),
        }
    }
}
