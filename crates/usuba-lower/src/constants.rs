//! Constants that change from iteration to iteration: a loop may be kept all the same.
//!
//! `RC[4 * t + r]` is a number once `t` and `r` are, so that the iterations of a loop over the rounds differ in what they
//! compute and not only in the atoms that they name, and the loop would be unrolled: LED-128 as 150 KB of code. Here the
//! constants of such a place become atoms of a new variable, which is defined before all else, one atom for each number.
//! What comes after is the same code as for atoms in any order: the loop reads an array that is made for it in each call.

use crate::Loops;
use crate::roll::same_steps;
use crate::sliced::{
    Assignment, AssignmentId, Body, Constant, Definition, Expression, ExpressionKind, Instance, Loop,
    Program, Slot, Step, Unroll, Use, Variable, VariableId,
};
use crate::weight::Weights;
use std::collections::BTreeSet;
use usuba_lang::source::Span;

/// From so many operations on, a loop with such constants is kept: as code it would take 6 KB for each batch that is computed
/// at once.
const LEAST: u64 = 1024;

/// What each variable of constants is called.
const NAME: &str = "constants";

/// `program` with loops that have one shape but for their constants, those that are worth it, so that they have one shape;
/// none if there are none.
pub(crate) fn tabulated(program: &Program, loops: Loops, weights: &Weights) -> Option<Program> {
    let mut program = program.clone();
    let mut changed = false;
    for (number, instance) in program.instances.iter_mut().enumerate() {
        let Body::Equations(equations) = &instance.body else { continue };
        // Out of textual order no loop is kept.
        if equations.order.is_some() {
            continue;
        }
        let mut places = BTreeSet::new();
        let around = weights.around(number);
        collect(&equations.steps, around, loops, weights, &mut places);
        if !places.is_empty() {
            changed = true;
            tabulate(instance, &places);
        }
    }
    changed.then_some(program)
}

/// The places of constants that keep the loops in `steps` from having one shape.
fn collect(
    steps: &[Step],
    around: Option<u64>,
    loops: Loops,
    weights: &Weights,
    places: &mut BTreeSet<Span>,
) {
    for step in steps {
        let Step::Loop(looped) = step else { continue };
        let is_long = matches!(loops, Loops::Keep) || weights.of_loop(looped) >= LEAST;
        let is_kept = weights.keeps(looped, around, loops);
        if is_kept && (is_long || looped.unroll == Unroll::Never) {
            places.extend(varying(looped));
        }
        let around = if is_kept { Some(weights.body(looped)) } else { around };
        looped.iterations.iter().for_each(|body| collect(body, around, loops, weights, places));
    }
}

/// The places of the constants in which the iterations of a loop differ, if they differ in nothing else.
fn varying(looped: &Loop) -> BTreeSet<Span> {
    let iterations = &looped.iterations;
    let is_alike = |period: usize, same: &mut dyn FnMut(&Expression, &Expression) -> bool| {
        iterations.iter().zip(&iterations[period..]).all(|(one, later)| same_steps(one, later, same))
    };
    let mut periods = 1..=iterations.len() / 2;
    if periods.clone().any(|period| is_alike(period, &mut |_, _| false)) {
        return BTreeSet::new();
    }
    let places = |period: usize| {
        let mut places = BTreeSet::new();
        let mut differ = |one: &Expression, other: &Expression| {
            places.insert(one.span);
            one.span == other.span && widths(one) == widths(other)
        };
        is_alike(period, &mut differ).then_some(places)
    };
    periods.find_map(places).unwrap_or_default()
}

/// The widths of some constants.
fn widths(expression: &Expression) -> Vec<u32> {
    match &expression.kind {
        ExpressionKind::Constants(constants) => constants.iter().map(|constant| constant.width).collect(),
        _ => Vec::new(),
    }
}

/// Makes atoms of the constants at these places.
fn tabulate(instance: &mut Instance, places: &BTreeSet<Span>) {
    let Body::Equations(equations) = &mut instance.body else { return };
    let (first, definition) = (instance.variables.len() as u32, equations.count);
    let mut tables = Tables { first, definition, of: Vec::new() };
    equations.steps.iter_mut().for_each(|step| tables.step(step, places));
    let span = instance.span;
    for (number, Table { width, values }) in (0..).zip(&tables.of) {
        let variable = VariableId(first + number);
        instance.variables.push(Variable {
            name: NAME.to_owned(),
            span,
            shape: vec![values.len() as u32],
            width: *width,
            word: *width,
            direction: instance.variables[0].direction,
            constant: false,
            uniform: false,
        });
        let targets = (0..values.len() as u32).map(|atom| Slot { variable, atom }).collect();
        let constants = values.iter().map(|&value| Constant { value, width: *width }).collect();
        let value = Expression { kind: ExpressionKind::Constants(constants), span };
        let assignment = Assignment { id: AssignmentId(definition + number), span, targets, value };
        equations.steps.insert(number as usize, Step::Assign(assignment));
        equations.count += 1;
    }
}

/// Numbers of one width, each of which is an atom of a variable.
struct Table {
    width: u32,
    values: Vec<u128>,
}

/// The tables of an instance.
struct Tables {
    /// The number of the variable of the first.
    first: u32,
    /// The number of the assignment that defines it.
    definition: u32,
    of: Vec<Table>,
}

impl Tables {
    fn step(&mut self, step: &mut Step, places: &BTreeSet<Span>) {
        match step {
            Step::Assign(assignment) => self.expression(&mut assignment.value, places),
            Step::Loop(looped) => {
                looped.iterations.iter_mut().flatten().for_each(|step| self.step(step, places));
            }
        }
    }

    fn expression(&mut self, expression: &mut Expression, places: &BTreeSet<Span>) {
        if let ExpressionKind::Constants(constants) = &expression.kind
            && places.contains(&expression.span)
        {
            let uses = constants.iter().map(|&constant| self.atom(constant)).collect();
            expression.kind = ExpressionKind::Atoms(uses);
        }
        expression.operands_mut().into_iter().for_each(|operand| self.expression(operand, places));
    }

    /// The atom that has the value of a constant.
    fn atom(&mut self, Constant { value, width }: Constant) -> Use {
        let number = self.of.iter().position(|table| table.width == width).unwrap_or_else(|| {
            self.of.push(Table { width, values: Vec::new() });
            self.of.len() - 1
        });
        let values = &mut self.of[number].values;
        let atom = values.iter().position(|&known| known == value).unwrap_or_else(|| {
            values.push(value);
            values.len() - 1
        });
        let (number, atom) = (number as u32, atom as u32);
        Use {
            slot: Slot { variable: VariableId(self.first + number), atom },
            definition: Definition::Assigned(AssignmentId(self.definition + number), atom),
        }
    }
}
