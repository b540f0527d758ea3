//! A core that runs out of order, as far as orders of instructions differ on it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Instructions that enter a cycle. This and the next two are of the Golden Cove core; ports and latencies are those of the
/// target's table.
const WIDTH: u64 = 6;
/// Instructions between entry and retirement.
const WINDOW: usize = 512;
/// Instructions that wait for operands or ports.
const WAITING: usize = 97;
/// Cycles from a store to a load of the same place, and from the entry of a load to its value.
pub(crate) const THROUGH_MEMORY: u64 = 6;

/// The state of the core: which ports are in use in which cycle, and what has entered.
#[derive(Default)]
pub(crate) struct Core {
    busy: Vec<u16>,
    retired: Vec<u64>,
    waiting: BinaryHeap<Reverse<u64>>,
    clock: u64,
    in_cycle: u64,
}

impl Core {
    /// A place in the front end, for what no port runs.
    pub(crate) fn enter(&mut self) {
        if self.in_cycle == WIDTH {
            self.clock += 1;
            self.in_cycle = 0;
        }
        self.in_cycle += 1;
    }

    /// Runs a micro-operation whose operands are there at `ready`, on one of `ports` (0: wherever): when its result is
    /// there.
    pub(crate) fn run(&mut self, ready: u64, ports: u16, latency: u64) -> u64 {
        let count = self.retired.len();
        let mut enters = self.clock;
        if count >= WINDOW {
            enters = enters.max(self.retired[count - WINDOW]);
        }
        if self.waiting.len() >= WAITING
            && let Some(Reverse(leaves)) = self.waiting.pop()
        {
            enters = enters.max(leaves);
        }
        if enters > self.clock {
            self.clock = enters;
            self.in_cycle = 0;
        }
        self.enter();
        let mut start = ready.max(self.clock + 1);
        if ports != 0 {
            loop {
                let cycle = start as usize;
                if self.busy.len() <= cycle {
                    self.busy.resize(cycle + 64, 0);
                }
                let free = ports & !self.busy[cycle];
                if free != 0 {
                    self.busy[cycle] |= free & free.wrapping_neg();
                    break;
                }
                start += 1;
            }
        }
        self.waiting.push(Reverse(start));
        let before = self.retired.last().copied().unwrap_or(0);
        self.retired.push(before.max(start + latency));
        start + latency
    }

    /// When something that is loaded now is there, if it was written at `written`.
    pub(crate) fn loaded(&mut self, written: u64, ports: u16) -> u64 {
        self.run(written, ports, THROUGH_MEMORY)
    }

    /// The same for an operand of an instruction: it enters with that.
    pub(crate) fn operand(&mut self, written: u64, ports: u16) -> u64 {
        let there = self.loaded(written, ports);
        self.in_cycle = self.in_cycle.saturating_sub(1);
        there
    }

    /// The cycle when everything so far has retired.
    pub(crate) fn time(&self) -> u64 {
        self.retired.last().copied().unwrap_or(0)
    }
}
