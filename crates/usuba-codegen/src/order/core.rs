//! What runs instructions out of order, as far as orders of instructions differ on it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use usuba_target::core::{Flow, Forwarding, OutOfOrder, Waiting};
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
            uops: core.starts(target, row),
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
        let schedulers = match on.flow.waiting {
            Waiting::Together { .. } => 1,
            Waiting::Apart { schedulers, .. } => schedulers.max(1),
        };
        InFlight {
            flow: on.flow,
            loads,
            stores,
            busy: Vec::new(),
            retired: Vec::new(),
            schedulers: vec![BinaryHeap::new(); schedulers],
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
            finished = self.run(ready, job.ports, job.latency);
        }
        finished
    }

    /// When something that is loaded now is there, if what was stored there could be at `written`.
    pub(crate) fn loaded(&mut self, written: u64) -> u64 {
        match self.flow.forwarding {
            Forwarding::FromMemory => self.move_value(written, self.loads, self.flow.load),
            Forwarding::OfTheValue(after) => {
                let there = self.move_value(0, self.loads, self.flow.load);
                if written == 0 { there } else { there.max(written + after) }
            }
        }
    }

    /// The same for an operand of an instruction: it enters with that.
    pub(crate) fn operand(&mut self, written: u64) -> u64 {
        let there = self.loaded(written);
        self.in_cycle = self.in_cycle.saturating_sub(1);
        there
    }

    /// Stores a value that is there at `ready`: when a load can be told.
    pub(crate) fn store(&mut self, ready: u64) -> u64 {
        let written = self.move_value(ready, self.stores, 1);
        match self.flow.forwarding {
            Forwarding::FromMemory => written,
            Forwarding::OfTheValue(_) => ready.max(1),
        }
    }

    /// The cycle when everything so far has retired.
    pub(crate) fn time(&self) -> u64 {
        self.retired.last().copied().unwrap_or(0)
    }

    /// Runs a micro-operation that computes: when its result is there.
    fn run(&mut self, ready: u64, ports: u16, latency: u64) -> u64 {
        match self.flow.waiting {
            Waiting::Together { places } => self.run_together(ready, ports, latency, places),
            Waiting::Apart { places, queue, .. } => {
                let room = leaving(&mut self.queue, queue.max(1));
                self.take_in(room.unwrap_or(0));
                let (from, ports, scheduler) =
                    if ports == 0 { (self.clock + 1, 0, 0) } else { self.dealt(ports, places) };
                let start = self.start(ready.max(from), ports);
                self.schedulers[scheduler].push(Reverse(start));
                self.retire(start + latency)
            }
        }
    }

    /// Runs a load or a store: when its value is there.
    fn move_value(&mut self, ready: u64, ports: u16, latency: u64) -> u64 {
        match self.flow.waiting {
            Waiting::Together { places } => self.run_together(ready, ports, latency, places),
            Waiting::Apart { .. } => {
                self.take_in(0);
                let start = self.start(ready.max(self.clock + 1), ports);
                self.retire(start + latency)
            }
        }
    }

    /// Runs a micro-operation of any kind where all wait in one scheduler.
    fn run_together(&mut self, ready: u64, ports: u16, latency: u64, places: usize) -> u64 {
        let room = leaving(&mut self.schedulers[0], places.max(1));
        self.take_in(room.unwrap_or(0));
        let start = self.start(ready.max(self.clock + 1), ports);
        self.schedulers[0].push(Reverse(start));
        self.retire(start + latency)
    }

    /// Lets something enter when the window has room for it, and not before `room`.
    fn take_in(&mut self, room: u64) {
        let oldest = self.retired.len().checked_sub(self.flow.window);
        let enters = self.clock.max(room).max(oldest.map_or(0, |oldest| self.retired[oldest]));
        if enters > self.clock {
            self.clock = enters;
            self.in_cycle = 0;
        }
        self.enter();
    }

    /// Retires what has finished, after all that entered before: when it finished.
    fn retire(&mut self, finished: u64) -> u64 {
        self.retired.push(self.time().max(finished));
        finished
    }

    /// What enters now is dealt one of the ports, and waits until the scheduler of that port takes it, after all that entered
    /// before: the first cycle in which it can start, the port, the scheduler.
    fn dealt(&mut self, ports: u16, places: usize) -> (u64, u16, usize) {
        let port = self.port(ports);
        let scheduler = port % self.schedulers.len();
        let free = leaving(&mut self.schedulers[scheduler], places).map_or(0, |leaves| leaves + 1);
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

/// When the first of those that wait leaves, if all places are taken; another takes its place.
fn leaving(waiting: &mut BinaryHeap<Reverse<u64>>, places: usize) -> Option<u64> {
    if waiting.len() < places {
        return None;
    }
    waiting.pop().map(|Reverse(leaves)| leaves)
}
