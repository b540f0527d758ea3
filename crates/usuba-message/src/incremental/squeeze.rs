//! Output of any length that comes block by block: a shorter output is the beginning of a longer one.

use super::{Stream, Whole, reasons};
use crate::form::{Define, Loop, Message, Piece, Source, Statement, Step, Target, VariableId};
use std::collections::BTreeMap;
use usuba_algebra::run::{input_bits, run_around};
use usuba_algebra::sums::{Sum, Symbol, Symbols};
use usuba_lang::elaborate::{Options, elaborate};

/// That what ends an output, whose loop over blocks is `main`, is what another block would have begun with: both are the same bits of what is carried.
///
/// # Errors
/// This could not be shown.
pub(super) fn check(message: &Message, stream: &Stream, main: Option<&Loop>) -> Result<(), Whole> {
    let refused = || reasons::unlike(&message.variable(stream.variable).name);
    let main = main.ok_or_else(refused)?;
    let in_loop = block(&main.body, stream.variable).ok_or_else(refused)?;
    // What the loop carries is, behind it, what the end reads.
    let mut written =
        message.body.iter().filter(|one| matches!(one, Statement::Define(_) | Statement::Step(_)));
    let tail: Vec<Statement> = written.by_ref().cloned().collect();
    let at_end = block(&tail, stream.variable).ok_or_else(refused)?;
    let (one, other) = (bits(message, &in_loop), bits(message, &at_end));
    match (one, other) {
        (Some(one), Some(other)) if one == other => Ok(()),
        _ => Err(refused()),
    }
}

/// The step that makes a block of output, and which of its outputs that is.
fn block(body: &[Statement], output: VariableId) -> Option<(Step, usize)> {
    let steps = || {
        body.iter().filter_map(|statement| match statement {
            Statement::Step(step) => Some(step),
            _ => None,
        })
    };
    let direct = steps().find_map(|step| {
        let is_output = |one: &Target| matches!(one, Target::Window(window) if window.variable == output);
        Some((step.clone(), step.outputs.iter().position(is_output)?))
    });
    direct.or_else(|| {
        let value = body.iter().find_map(|statement| match statement {
            Statement::Define(Define { target, value, .. }) if target.variable == output => Some(value),
            _ => None,
        })?;
        let [Piece::Window(window)] = &value[..] else { return None };
        if window.start.as_constant() != Some(0) {
            return None;
        }
        let made = Target::Variable(window.variable);
        steps().find_map(|step| Some((step.clone(), step.outputs.iter().position(|one| *one == made)?)))
    })
}

/// The bits of an output that are bits of what the step is given, variables by what they are in the message.
fn bits(message: &Message, (step, output): &(Step, usize)) -> Option<Vec<Vec<u32>>> {
    // One variable is given: what is carried, here and there.
    if !matches!(step.inputs[..], [Source::Variable(_)]) {
        return None;
    }
    let options = Options { entry: Some(step.node.clone()), keep_tables: true, ..Options::new() };
    let program = elaborate(&message.program, &options).0?;
    let entry = program.instance(program.entry());
    let mut symbols = Symbols::new();
    let inputs: Vec<Sum> = (0..input_bits(entry) as u32).map(|bit| symbols.input(bit)).collect();
    let own = program.entry();
    let results = run_around(&mut symbols, &program, own, &inputs, &|callee| callee != own).ok()?;
    let size = |id| {
        let variable = entry.variable(id);
        (variable.atoms() * variable.width) as usize
    };
    let sizes: BTreeMap<usize, usize> = entry.outputs.iter().map(|&id| size(id)).enumerate().collect();
    let before: usize = sizes.range(..output).map(|(_, size)| size).sum();
    let own = results.get(before..before + sizes.get(output)?)?;
    own.iter()
        .map(|&sum| {
            let terms = symbols.terms(sum).iter();
            terms
                .map(|&term| match symbols.symbol(term) {
                    Symbol::Input(bit) => Some(bit),
                    _ => None,
                })
                .collect()
        })
        .collect()
}
