//! What a kernel costs: counts of instructions, gates and bytes of code.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use usuba_machine::program::{Block, Function, Program, Step};
use usuba_target::{Instruction, Meaning, Target};

/// How often an instruction stands in the code and how often one call of the kernel runs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// In the code, functions counted once.
    pub standing: u64,
    /// In one call of the kernel.
    pub run: u64,
}

/// A row of a target's table, in the order of its name, its meaning and its lanes.
#[derive(Clone, Copy, Debug)]
pub struct Row(pub &'static Instruction);

impl Row {
    fn key(&self) -> (&'static str, Meaning, u32) {
        (self.0.mnemonic, self.0.meaning, self.0.lane)
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Row {}

impl PartialOrd for Row {
    fn partial_cmp(&self, other: &Row) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Row {
    fn cmp(&self, other: &Row) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// The counts of a kernel. The C compiler may do better or, with spills, worse.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// By row. Constants count as standing instructions that run once a call of their function.
    pub instructions: BTreeMap<Row, Count>,
    /// Logic instructions that one call runs: gates of two inputs, or of three where the target has them.
    pub gates: u64,
    /// Estimated bytes of code: standing instructions times the typical size of one on the target.
    pub code_bytes: u64,
}

impl Report {
    /// Whether there is an instruction that another target does not have.
    pub fn goes_beyond(&self, base: &Target) -> bool {
        let known: BTreeSet<Row> = base.instructions().map(Row).collect();
        self.instructions.keys().any(|row| !known.contains(row))
    }
}

/// Counts a program.
pub(crate) fn report(program: &Program, target: &Target) -> Report {
    let mut per_call: Vec<BTreeMap<Row, u64>> = Vec::new();
    let mut standing: BTreeMap<Row, u64> = BTreeMap::new();
    for function in &program.functions {
        let mut run = BTreeMap::new();
        count_function(function, &per_call, &mut run, &mut standing);
        per_call.push(run);
    }
    let run = per_call.pop().unwrap_or_default();
    let instructions: BTreeMap<Row, Count> = standing
        .iter()
        .map(|(&row, &standing)| (row, Count { standing, run: run.get(&row).copied().unwrap_or(0) }))
        .collect();
    let rows: u64 = instructions
        .iter()
        .map(|(row, count)| count.standing * (1 + row.0.mnemonic.matches('+').count() as u64))
        .sum();
    Report {
        instructions,
        gates: gates(&program.functions),
        code_bytes: rows * u64::from(target.code_bytes_tenths) / 10,
    }
}

fn count_function(
    function: &Function,
    callees: &[BTreeMap<Row, u64>],
    run: &mut BTreeMap<Row, u64>,
    standing: &mut BTreeMap<Row, u64>,
) {
    let constants = Block { locals: Vec::new(), steps: function.constants.clone() };
    for block in [&constants, &function.body] {
        count_block(block, 1, callees, &mut |row, stands, runs| {
            *standing.entry(row).or_default() += stands;
            *run.entry(row).or_default() += runs;
        });
    }
}

fn count_block(
    block: &Block,
    times: u64,
    callees: &[BTreeMap<Row, u64>],
    see: &mut impl FnMut(Row, u64, u64),
) {
    for step in &block.steps {
        match step {
            Step::Compute { row, .. }
            | Step::Constant { row, .. }
            | Step::Load { row, .. }
            | Step::Gather { row, .. }
            | Step::Scatter { row, .. }
            | Step::LoadPart { row, .. }
            | Step::Store { row, .. }
            | Step::StorePart { row, .. } => see(Row(row), 1, times),
            Step::Fill { store, len, .. } => see(Row(store), 1, times * u64::from(*len)),
            Step::Copy { load, store, len, .. } => {
                see(Row(load), 1, times * u64::from(*len));
                see(Row(store), 1, times * u64::from(*len));
            }
            // Public arithmetic is not counted.
            Step::CopyPart { .. } | Step::Count { .. } | Step::View { .. } => {}
            Step::Call(call) => {
                for (&row, &count) in callees.get(call.function).into_iter().flatten() {
                    see(row, 0, times * count);
                }
            }
            Step::Loop(looped) => count_block(&looped.body, times * looped.trips.estimate(), callees, see),
        }
    }
}

/// The logic instructions that one call of the last function runs.
fn gates(functions: &[Function]) -> u64 {
    fn block(body: &Block, callees: &[u64]) -> u64 {
        body.steps
            .iter()
            .map(|step| match step {
                Step::Compute { row, .. } => u64::from(is_logic(row.meaning)),
                Step::Call(call) => callees.get(call.function).copied().unwrap_or(0),
                Step::Loop(looped) => block(&looped.body, callees) * looped.trips.estimate(),
                _ => 0,
            })
            .sum()
    }
    let mut counts = Vec::new();
    for function in functions {
        let count = block(&function.body, &counts);
        counts.push(count);
    }
    counts.pop().unwrap_or(0)
}

/// Whether every bit of the result is a function of the bits at its place.
fn is_logic(meaning: Meaning) -> bool {
    use Meaning::*;
    matches!(meaning, And | Or | Xor | AndNot | NotAnd | OrNot | Not | Ternary | Select | Xor3)
}
