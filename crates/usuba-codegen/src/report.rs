//! What a kernel costs: counts of instructions, gates and bytes of code.

use std::collections::BTreeMap;
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

/// The counts of a kernel. The C compiler may do better or, with spills, worse.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// By mnemonic. Constants count as standing instructions that run once a call of their function.
    pub instructions: BTreeMap<&'static str, Count>,
    /// Logic instructions that one call runs: gates of two inputs, or of three where the target has them.
    pub gates: u64,
    /// Estimated bytes of code: standing instructions times the typical size of one on the target.
    pub code_bytes: u64,
}

/// Counts a program.
pub(crate) fn report(program: &Program, target: &Target) -> Report {
    let mut per_call: Vec<BTreeMap<&'static str, u64>> = Vec::new();
    let mut standing: BTreeMap<&'static str, u64> = BTreeMap::new();
    for function in &program.functions {
        let mut run = BTreeMap::new();
        count_function(function, &per_call, &mut run, &mut standing);
        per_call.push(run);
    }
    let run = per_call.pop().unwrap_or_default();
    let instructions: BTreeMap<&'static str, Count> = standing
        .iter()
        .map(|(&mnemonic, &standing)| {
            (mnemonic, Count { standing, run: run.get(mnemonic).copied().unwrap_or(0) })
        })
        .collect();
    let rows: u64 = instructions
        .iter()
        .map(|(mnemonic, count)| count.standing * (1 + mnemonic.matches('+').count() as u64))
        .sum();
    Report {
        instructions,
        gates: gates(&program.functions),
        code_bytes: rows * u64::from(target.code_bytes_tenths) / 10,
    }
}

fn count_function(
    function: &Function,
    callees: &[BTreeMap<&'static str, u64>],
    run: &mut BTreeMap<&'static str, u64>,
    standing: &mut BTreeMap<&'static str, u64>,
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
    callees: &[BTreeMap<&'static str, u64>],
    see: &mut impl FnMut(&'static str, u64, u64),
) {
    let name = |row: &Instruction| row.mnemonic;
    for step in &block.steps {
        match step {
            Step::Compute { row, .. }
            | Step::Constant { row, .. }
            | Step::Load { row, .. }
            | Step::LoadPart { row, .. }
            | Step::Store { row, .. }
            | Step::StorePart { row, .. } => see(name(row), 1, times),
            Step::Fill { store, len, .. } => see(name(store), 1, times * u64::from(*len)),
            Step::Copy { load, store, len, .. } => {
                see(name(load), 1, times * u64::from(*len));
                see(name(store), 1, times * u64::from(*len));
            }
            // Public arithmetic is not counted.
            Step::CopyPart { .. } | Step::Count { .. } | Step::View { .. } => {}
            Step::Call(call) => {
                for (&mnemonic, &count) in callees.get(call.function).into_iter().flatten() {
                    see(mnemonic, 0, times * count);
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
