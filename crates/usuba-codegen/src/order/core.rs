//! What runs instructions out of order, as far as orders of instructions differ on it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use usuba_target::core::{Flow, OutOfOrder};
use usuba_target::{Core, Instruction, Target};

/// What a core makes of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Job {
    /// The ports that run it; 0: wherever.
    pub(crate) ports: u16,
    /// Cycles to its result.
    pub(crate) latency: u64,
    /// Cycles more from operands that the result does not overwrite.
    pub(crate) beyond_first: u64,
    /// Micro-operations.
    pub(crate) uops: u32,
}

impl Job {
    pub(crate) fn of(core: &Core, target: &Target, row: &Instruction) -> Job {
        Job {
            ports: core.ports(target, row),
            latency: core.latency(target, row),
            beyond_first: core.beyond_first(row),
            uops: u32::from(row.uops.max(1)),
        }
    }
}

/// What code takes on several cores, as one number: the mean of the ratios to `first`, in millionths.
pub(crate) fn mean(times: &[u64], first: &[u64]) -> u64 {
    let ratios = times.iter().zip(first).map(|(&time, &first)| time.saturating_mul(1_000_000) / first.max(1));
    ratios.sum::<u64>() / times.len().max(1) as u64
}

/// Instructions on their way through a core: which ports are in use in which cycle, and what has entered.
pub(crate) struct InFlight {
    flow: Flow,
    loads: u16,
    stores: u16,
    busy: Vec<u16>,
    retired: Vec<u64>,
    /// When what is in each scheduler leaves it.
    schedulers: Vec<BinaryHeap<Reverse<u64>>>,
    /// When what is queued leaves for a scheduler.
    queue: BinaryHeap<Reverse<u64>>,
    random: u64,
    /// When the last entered a scheduler.
    scheduled: u64,
    clock: u64,
    in_cycle: u64,
}

impl InFlight {
    pub(crate) fn new(on: &OutOfOrder, target: &Target) -> InFlight {
        let (loads, stores) = on.core.memory_ports(target);
        InFlight {
            flow: on.flow,
            loads,
            stores,
            busy: Vec::new(),
            retired: Vec::new(),
            schedulers: vec![BinaryHeap::new(); on.flow.schedulers.max(1)],
            queue: BinaryHeap::new(),
            random: 1,
            scheduled: 0,
            clock: 0,
            in_cycle: 0,
        }
    }

    /// A place in the front end, for what no port runs.
    pub(crate) fn enter(&mut self) {
        if self.in_cycle == self.flow.width {
            self.clock += 1;
            self.in_cycle = 0;
        }
        self.in_cycle += 1;
    }

    /// Runs an instruction whose operands are there at `ready`: when its result is there.
    pub(crate) fn compute(&mut self, ready: u64, job: Job) -> u64 {
        let mut finished = 0;
        for _ in 0..job.uops {
            finished = self.run(ready, job.ports, job.latency, true);
        }
        finished
    }

    /// When something that is loaded now is there, if what was stored there could be at `written`.
    pub(crate) fn loaded(&mut self, written: u64) -> u64 {
        if self.flow.load == self.flow.through_memory {
            return self.run(written, self.loads, self.flow.load, false);
        }
        // It looks for its value when it enters; what is not there yet is handed on when it is.
        let there = self.run(0, self.loads, self.flow.load, false);
        if written == 0 { there } else { there.max(written + self.flow.through_memory) }
    }

    /// The same for an operand of an instruction: it enters with that.
    pub(crate) fn operand(&mut self, written: u64) -> u64 {
        let there = self.loaded(written);
        self.in_cycle = self.in_cycle.saturating_sub(1);
        there
    }

    /// Stores a value that is there at `ready`: when a load can be told.
    pub(crate) fn store(&mut self, ready: u64) -> u64 {
        let written = self.run(ready, self.stores, 1, false);
        if self.flow.load == self.flow.through_memory { written } else { ready.max(1) }
    }

    /// The cycle when everything so far has retired.
    pub(crate) fn time(&self) -> u64 {
        self.retired.last().copied().unwrap_or(0)
    }

    /// Runs a micro-operation; `computes`: it goes through the schedulers, which on a core that deals ports early loads and
    /// stores do not.
    fn run(&mut self, ready: u64, ports: u16, latency: u64, computes: bool) -> u64 {
        let early = self.flow.early_ports;
        let waits = computes || !early;
        let mut enters = self.clock;
        if let Some(oldest) = self.retired.len().checked_sub(self.flow.window) {
            enters = enters.max(self.retired[oldest]);
        }
        if waits {
            enters = enters.max(self.room());
        }
        if enters > self.clock {
            self.clock = enters;
            self.in_cycle = 0;
        }
        self.enter();
        let (from, ports, scheduler) =
            if early && computes && ports != 0 { self.dealt(ports) } else { (self.clock + 1, ports, 0) };
        let start = self.start(ready.max(from), ports);
        if waits {
            self.schedulers[scheduler].push(Reverse(start));
        }
        let before = self.retired.last().copied().unwrap_or(0);
        self.retired.push(before.max(start + latency));
        start + latency
    }

    /// When there is room for one more before the ports.
    fn room(&mut self) -> u64 {
        let (waiting, most) = if self.flow.early_ports {
            (&mut self.queue, self.flow.queue)
        } else {
            (&mut self.schedulers[0], self.flow.waiting)
        };
        let leaves = if waiting.len() >= most.max(1) { waiting.pop() } else { None };
        leaves.map_or(0, |Reverse(leaves)| leaves)
    }

    /// What enters now is dealt one of the ports, and waits until the scheduler of that port takes it, after all that entered
    /// before: the first cycle in which it can start, the port, the scheduler.
    fn dealt(&mut self, ports: u16) -> (u64, u16, usize) {
        let port = self.port(ports);
        let scheduler = port % self.schedulers.len();
        let waiting = &mut self.schedulers[scheduler];
        let leaves = if waiting.len() >= self.flow.waiting { waiting.pop() } else { None };
        let free = leaves.map_or(0, |Reverse(leaves)| leaves + 1);
        self.scheduled = self.scheduled.max(self.clock + 1).max(free);
        self.queue.push(Reverse(self.scheduled));
        (self.scheduled + 1, 1 << port, scheduler)
    }

    /// The port that is given to what enters now: any, as far as one can tell from outside. Numbers of Lehmer's generator.
    fn port(&mut self, ports: u16) -> usize {
        self.random = self.random * 48271 % 0x7fff_ffff;
        let nth = self.random as u32 % ports.count_ones();
        let left = (0..nth).fold(ports, |left, _| left & (left - 1));
        left.trailing_zeros() as usize
    }

    /// The first cycle from `from` on in which one of the ports is free; it no longer is.
    fn start(&mut self, from: u64, ports: u16) -> u64 {
        let mut start = from;
        if ports == 0 {
            return start;
        }
        loop {
            let cycle = start as usize;
            if self.busy.len() <= cycle {
                self.busy.resize(cycle + 64, 0);
            }
            let free = ports & !self.busy[cycle];
            if free != 0 {
                self.busy[cycle] |= free & free.wrapping_neg();
                return start;
            }
            start += 1;
        }
    }
}
