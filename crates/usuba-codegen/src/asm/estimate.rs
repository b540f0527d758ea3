//! How long allocated code takes, in the model of the machine that orders are chosen by.

use super::Machine;
use super::allocate::{Allocated, Place, Step};
use super::linear::Linear;
use super::machine::{Source, VectorLine};
use crate::order::core::{InFlight, Job};
use std::collections::BTreeMap;
use usuba_ir::program::InductionId;
use usuba_target::Target;
use usuba_target::core::OutOfOrder;

/// Bytes of code that a loop may have before it no longer fits where instructions are fetched at full speed.
const CACHED: u64 = 24 * 1024;
/// Bytes that enter a cycle beyond that, in tenths.
const FETCHED: u64 = 125;

/// Bytes of code that a kernel may have before it loses time to what runs between its calls, most likely as both do not fit in the cache
/// of decoded instructions.
const KEPT: u64 = 15 * 1024;
/// Bytes of such a kernel that a call takes a cycle more for. `bench/decoded.sh` on Zen 4: DES on AVX-512VL with two batches a call
/// (16.8 KB) loses 400 to 900 cycles a call with 4 KB or more of other code between its calls; with one batch (8.2 KB) none. Camellia with
/// three batches on AVX2 with GFNI (20 KB) loses 400 in counter mode to two.
const DECODED_AGAIN: u64 = 25;

/// The cycles of one call, about, on each core that code for the target is to be good for.
pub(crate) fn cycles(linear: &Linear, allocated: &Allocated, machine: Machine, target: &Target) -> Vec<u64> {
    let cores = usuba_target::core::for_target(target);
    let bytes = u64::from(target.code_bytes_tenths);
    let code =
        allocated.steps.iter().filter(|step| matches!(step, Step::Vector(_))).count() as u64 * bytes / 10;
    let decoded = if code > KEPT { code / DECODED_AGAIN } else { 0 };
    let span = |on: OutOfOrder| {
        let registers = usize::from(machine.encoding.registers());
        decoded + Model { linear, registers, target, on, bytes }.span(&allocated.steps, 1)
    };
    cores.into_iter().map(span).collect()
}

struct Model<'a> {
    linear: &'a Linear,
    registers: usize,
    target: &'a Target,
    on: OutOfOrder,
    /// Of an instruction, in tenths.
    bytes: u64,
}

/// What is known of one run of the code.
struct Times<'a> {
    flight: InFlight,
    registers: Vec<u64>,
    memory: BTreeMap<Key<'a>, u64>,
}

/// A place: of which kind or region, where in it, and how it moves with loops.
type Key<'a> = (usize, i64, &'a [(InductionId, i64)]);

fn key(place: &Place) -> Key<'_> {
    match place {
        Place::Slot(slot) => (0, i64::from(*slot), &[]),
        Place::Pool(number) => (1, i64::from(*number), &[]),
        Place::Region(address) => (2 + address.region.index(), address.index.constant, &address.index.terms),
    }
}

impl Times<'_> {
    /// When a place was last written.
    fn written(&self, place: &Place) -> u64 {
        self.memory.get(&key(place)).copied().unwrap_or(0)
    }
}

impl Model<'_> {
    /// The cycles of some steps, done `trips` times.
    fn span(&self, steps: &[Step], trips: u64) -> u64 {
        let mut inner = 0;
        let mut own: Vec<&Step> = Vec::with_capacity(steps.len());
        let mut at = 0;
        while at < steps.len() {
            if let Step::Begin(number) = steps[at] {
                let length = steps[at..].iter().position(|step| *step == Step::End(number)).unwrap_or(1);
                let trips = self.linear.loops.get(number).map_or(1, |looped| looped.trips.estimate());
                inner += self.span(&steps[at + 1..at + length], trips);
                at += length;
            } else {
                own.push(&steps[at]);
            }
            at += 1;
        }
        let count = |wanted: fn(&VectorLine<Place>) -> bool| {
            own.iter().filter(|step| matches!(step, Step::Vector(line) if wanted(line))).count() as u64
        };
        let (load, store) = self.on.beside(self.target);
        let moves = load * count(|line| matches!(line, VectorLine::Load { .. }))
            + store * count(|line| matches!(line, VectorLine::Store { .. }));
        let moves = moves / 100;
        let mut times = Times {
            flight: InFlight::new(&self.on, self.target),
            registers: vec![0; self.registers],
            memory: BTreeMap::new(),
        };
        let first = self.round(&own, &mut times);
        if trips == 1 {
            return inner + first + moves;
        }
        let second = self.round(&own, &mut times) - first;
        let third = self.round(&own, &mut times) - first - second;
        let size = own.len() as u64 * self.bytes / 10;
        let fetched = if size > CACHED { size * 10 / FETCHED } else { 0 };
        first.max(fetched) + (trips - 1) * ((second + third) / 2).max(fetched) + (inner + moves) * trips
    }

    /// Does the steps once more; the time when they are done.
    fn round<'a>(&self, steps: &[&'a Step], times: &mut Times<'a>) -> u64 {
        for step in steps {
            let Step::Vector(line) = step else { continue };
            match line {
                VectorLine::Compute { row, to, sources, .. } => {
                    let job = Job::of(self.on.core, self.target, row);
                    let mut ready = 0;
                    for (at, source) in sources.iter().enumerate() {
                        let there = match source {
                            Source::Register(register) => times.registers[usize::from(register.0)],
                            Source::Memory(place) | Source::Repeated(place, _) => {
                                times.flight.operand(times.written(place))
                            }
                        };
                        ready = ready.max(if at == 0 { there } else { there + job.beyond_first });
                    }
                    let finished = times.flight.compute(ready, job);
                    times.registers[usize::from(to.0)] = finished;
                }
                VectorLine::Copy { to, from } => {
                    times.flight.enter();
                    times.registers[usize::from(to.0)] = times.registers[usize::from(from.0)];
                }
                VectorLine::Splat { to, .. } => {
                    times.flight.enter();
                    times.registers[usize::from(to.0)] = 0;
                }
                VectorLine::Load { to, memory, .. } | VectorLine::LoadPart { to, memory, .. } => {
                    let written = times.written(memory);
                    times.registers[usize::from(to.0)] = times.flight.loaded(written);
                }
                VectorLine::Store { from, memory, .. } | VectorLine::StorePart { from, memory, .. } => {
                    let ready = times.registers[usize::from(from.0)];
                    let written = times.flight.store(ready);
                    times.memory.insert(key(memory), written);
                }
            }
        }
        times.flight.time()
    }
}
