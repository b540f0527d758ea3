//! How many batches of instances are computed at once, if nobody says.
//!
//! Interleaving pays where results are waited for and registers are free. The rule, for a machine with room for R atoms
//! and can have a operations on their way at a time ([`Machine`]):
//!
//! - *parallelism* p of the program: its operations over the length of its longest chain, loops taken one trip after
//!   another. Chains are not evenly filled, so the machine is busy if p is at least [`MARGIN`] · a; that takes
//!   n = ⌈`MARGIN` · a / p⌉ batches, at most [`MOST`];
//! - *state* s of the program: the most atoms that vary, over its inputs, its outputs and what a loop carries. They are
//!   live all the time: n · s ≤ R.
//!
//! The numbers were chosen by sixteen kernels of fourteen ciphers with 1 to 4 batches, on Zen 5 for AVX2 and AVX-512: what
//! the rule chooses is within 12 % of the best of these but for Clyde on AVX-512 (28 %), and up to a third faster than with
//! as many atoms as registers (AES H, ACE and Clyde on AVX2, ChaCha20 on AVX-512).
//!
//! Where there is a model of the machine ([`Clock`]), and the program is small ([`CODE`]), the model decides: each number of batches whose
//! states take at most twice R is made, and the one that takes the fewest cycles a batch is chosen, more batches only if they save
//! [`SAVED`], or [`SAVED_IN_MEMORY`] where their states do not fit in registers: what a kernel saves then, it may lose again with the
//! text around it (Camellia with GFNI on AVX2, three batches for two: the kernel by gcc takes 0.740 for 0.749 cycles per byte, and
//! counter mode 1.41 for 0.89; ARIA 0.914 for 0.891, and 1.09 for 1.01). Of 45 kernels on Zen 4 whose number the model changed (Ascon,
//! Clyde, Gimli, RECTANGLE, Serpent, ChaCha20, Keccak, ACE, Xoodoo, by gcc, Clang and in assembly) 37 take less time, up to 22 %, and 8
//! take more, up to 9 %: Xoodoo on AVX2 by all, Clyde there by gcc and in assembly, and one kernel each of Keccak, ChaCha20 and ACE.
//!
//! Programs of fewer than [`LEAST`] operations are left alone, but for those that wait for rounds of AES: where these are at
//! least half of the longest chain, they are what is counted. A machine can have r rounds on their way at a time, so that it
//! takes ⌈r / p⌉ batches, p being the rounds of the program over those of the longest chain. A round starts in every cycle in
//! which it can, as chains of rounds are evenly filled.

use crate::pass::{Clock, Machine, Settings, mean, ratios};
use crate::variance::Variance;
use usuba_ir::block::BlockOp;
use usuba_ir::program::{Block, Op, Program, ValueId};

/// How much more parallelism than operations on their way keeps a machine busy. The tables are about a core whose logic has
/// a latency of one cycle; Zen 5 has two.
const MARGIN: f64 = 4.0;

/// The most batches.
const MOST: u32 = 4;

/// The most batches of rounds of AES: two rounds a cycle, each of four cycles, are on their way on Zen 5.
const MOST_ROUNDS: u32 = 8;

/// Fewer operations than this are not interleaved.
const LEAST: f64 = 150.0;

/// The most operations in the text of the batches together, for the model to decide.
const CODE: usize = 6_000;

/// The part of the cycles that each further batch has to save.
const SAVED: f64 = 0.005;

/// The same where the states of all batches take more than half of the room: more than the registers.
const SAVED_IN_MEMORY: f64 = 0.025;

/// The number of batches; `interleaved` makes the program for a number of them.
pub fn factor(program: &Program, settings: &Settings, interleaved: &dyn Fn(u32) -> Program) -> u32 {
    let attribute = program.nodes.iter().filter_map(|node| node.attributes.interleave).max();
    match (settings.interleave, settings.granularity) {
        (Some(factor), _) => factor,
        (None, Some(_)) => 2,
        (None, None) => attribute.unwrap_or_else(|| match settings.machine {
            Some(machine) => fitting(program, machine, settings.clock.as_ref(), interleaved),
            None => 1,
        }),
    }
}

fn fitting(
    program: &Program,
    machine: Machine,
    clock: Option<&Clock>,
    interleaved: &dyn Fn(u32) -> Program,
) -> u32 {
    let rounds = measure(program, &|op| matches!(op, Op::Block(BlockOp::Aes(_), ..)));
    let measure = measure(program, &|_| true);
    if 2.0 * rounds.depth >= measure.depth && rounds.depth > 0.0 {
        let parallelism = rounds.operations / rounds.depth;
        let wanted = (f64::from(machine.rounds_in_flight) / parallelism).ceil();
        let wanted = wanted.clamp(1.0, f64::from(MOST_ROUNDS)) as u32;
        return wanted.min(machine.room / measure.state.max(1)).max(1);
    }
    if measure.operations < LEAST {
        return 1;
    }
    if let Some(fastest) = clock.and_then(|clock| fastest(program, machine, measure, clock, interleaved)) {
        return fastest;
    }
    let parallelism = measure.operations / measure.depth.max(1.0);
    let enough = MARGIN * f64::from(machine.in_flight);
    let wanted = (enough / parallelism).ceil().clamp(1.0, f64::from(MOST)) as u32;
    wanted.min(machine.room / measure.state.max(1)).max(1)
}

/// The number of batches that takes the fewest cycles a batch; nothing if the program is large, or there is no code for it.
fn fastest(
    program: &Program,
    machine: Machine,
    measure: Measure,
    clock: &Clock,
    interleaved: &dyn Fn(u32) -> Program,
) -> Option<u32> {
    let most = (2 * machine.room / measure.state.max(1)).clamp(1, MOST);
    if most as usize * program.nodes.iter().map(|node| operations(&node.body)).sum::<usize>() > CODE {
        return None;
    }
    let one = clock.time(program)?;
    let (mut best, mut least) = (1, 1.0);
    for batches in 2..=most {
        let mean = mean(&ratios(&one, &clock.time(&interleaved(batches))?));
        let in_memory = 2 * batches * measure.state > machine.room;
        let saved = if in_memory { SAVED_IN_MEMORY } else { SAVED };
        if mean < least * (1.0 - saved * f64::from(batches - best)) {
            (best, least) = (batches, mean);
        }
    }
    Some(best)
}

/// The operations in the text of a block.
fn operations(block: &Block) -> usize {
    let of = |op: &Op| match op {
        Op::Loop(inner) => operations(&inner.body),
        _ => 1,
    };
    block.operations.iter().map(|operation| of(&operation.op)).sum()
}

/// What the rule looks at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Measure {
    /// Operations on atoms that vary, as far as they count, loops unrolled.
    pub(crate) operations: f64,
    /// The most that count on a chain.
    pub(crate) depth: f64,
    /// Atoms that are live all the time.
    pub(crate) state: u32,
}

/// Measures a program by the operations that count.
pub(crate) fn measure(program: &Program, counts: &dyn Fn(&Op) -> bool) -> Measure {
    let vary = Variance::of(program);
    let mut measures: Vec<Measure> = Vec::with_capacity(program.nodes.len());
    for (number, node) in program.nodes.iter().enumerate() {
        let mut meter =
            Meter { program, vary: &vary, counts, number, callees: &measures, state: 0, operations: 0.0 };
        let mut arrivals = vec![0.0; node.values.len()];
        let depth = meter.block(&node.body, 1.0, &mut arrivals);
        let entry = number + 1 == program.nodes.len();
        if entry {
            meter.carry(&node.body.parameters);
            meter.carry(&node.body.results);
        }
        let (operations, state) = (meter.operations, meter.state);
        measures.push(Measure { operations, depth, state });
    }
    measures.pop().unwrap_or(Measure { operations: 0.0, depth: 0.0, state: 0 })
}

struct Meter<'a> {
    program: &'a Program,
    vary: &'a Variance,
    counts: &'a dyn Fn(&Op) -> bool,
    number: usize,
    callees: &'a [Measure],
    state: u32,
    operations: f64,
}

impl Meter<'_> {
    fn carry(&mut self, values: &[ValueId]) {
        let node = &self.program.nodes[self.number];
        let atoms = |&value: &ValueId| match self.vary.of_value(self.number, value) {
            true => node.ty(value).atoms(),
            false => 0,
        };
        self.state = self.state.max(values.iter().map(atoms).fold(0, u32::saturating_add));
    }

    /// Counts the operations of a block that is run `times`; when its last value is there, values outside it being
    /// there as `arrivals` tells.
    fn block(&mut self, block: &Block, times: f64, arrivals: &mut [f64]) -> f64 {
        let mut last: f64 = 0.0;
        for operation in &block.operations {
            let (mut start, mut varies): (f64, bool) = (0.0, false);
            operation.op.operands(|operand| {
                if self.vary.of_value(self.number, operand) {
                    varies = true;
                    start = start.max(arrivals[operand.index()]);
                }
            });
            let length = match &operation.op {
                Op::Loop(inner) => {
                    self.carry(&inner.body.parameters);
                    let trips = f64::from(inner.trips);
                    for parameter in &inner.body.parameters {
                        arrivals[parameter.index()] = start;
                    }
                    let end = self.block(&inner.body, times * trips, arrivals);
                    (end - start).max(0.0) * trips
                }
                Op::Call(callee, _) => {
                    let callee = self.callees[callee.index()];
                    self.operations += callee.operations * times;
                    self.state = self.state.max(callee.state);
                    callee.depth
                }
                _ if !varies => 0.0,
                Op::Constant(_) | Op::Array(_) | Op::Get(..) | Op::Set(..) => 0.0,
                Op::Slice(..) | Op::Splice(..) | Op::Refresh(_) => 0.0,
                op if !(self.counts)(op) => 0.0,
                _ => {
                    self.operations += times;
                    1.0
                }
            };
            for result in &operation.results {
                arrivals[result.index()] = start + length;
            }
            last = last.max(start + length);
        }
        last
    }
}
