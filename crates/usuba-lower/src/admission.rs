//! What a slicing cannot express, whatever the machine.

use crate::planes::in_planes;
use crate::table::byte_maps;
use crate::{Options, messages};
use usuba_ir::layout::Slicing;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::source::Span;
use usuba_lang::typed::{Body, Direction, Expression, ExpressionKind, Lookup, Program, Step};

/// Everything in `program` that the slicing rules out, at most one finding per place.
pub(crate) fn findings(program: &Program, options: &Options) -> Vec<Diagnostic> {
    let slicing = options.slicing;
    let mut found = messages_only(program);
    if slicing == Slicing::B || !found.is_empty() {
        return found;
    }
    let in_planes = in_planes(program, slicing);
    let mut first: Option<(u32, Span)> = None;
    for instance in program.instances() {
        for variable in &instance.variables {
            let width = variable.width;
            let fits = match variable.direction {
                Direction::Free => true,
                Direction::V => slicing == Slicing::V,
                Direction::Packed(words) => slicing == Slicing::Packed(words),
                Direction::H => slicing == Slicing::H,
                Direction::B => false,
            };
            if width > 1 && !fits {
                found.push(messages::directions(variable.span, &variable.name, variable.direction, slicing));
                continue;
            }
            if matches!(slicing, Slicing::V | Slicing::Packed(_)) {
                if width > 64 {
                    found.push(messages::vertical_width(variable.span, &variable.name, width));
                }
                continue;
            }
            let (expected, place) = *first.get_or_insert((width, variable.span));
            if expected != width {
                found.push(messages::horizontal_mix(variable.span, &variable.name, width, expected, place));
            } else if width > 1 && !(width.is_power_of_two() && width <= 64) {
                found.push(messages::horizontal_width(variable.span, &variable.name, width));
            }
        }
        match &instance.body {
            Body::Table(table)
                if table.lookup == Lookup::Word
                    && (table.inputs > 1 || table.outputs > 1)
                    && !in_planes
                    && (slicing == Slicing::H || byte_maps(table).is_none()) =>
            {
                found.push(messages::word_lookup(
                    instance.span,
                    &instance.name,
                    table.inputs,
                    table.outputs,
                    slicing,
                ))
            }
            Body::Equations(equations) if slicing == Slicing::H => in_steps(&equations.steps, &mut found),
            _ => {}
        }
    }
    let mut seen = Vec::new();
    found.retain(|finding| {
        let fresh = !seen.contains(&finding.span);
        seen.push(finding.span);
        fresh
    });
    found
}

/// What only the interpreter knows so far: casts of words, acceptance, arrays without elements.
fn messages_only(program: &Program) -> Vec<Diagnostic> {
    fn cast(expression: &Expression) -> Option<Span> {
        match &expression.kind {
            ExpressionKind::Regroup { .. } | ExpressionKind::Accept { .. } => Some(expression.span),
            _ => expression.operands().into_iter().find_map(cast),
        }
    }
    fn in_steps(steps: &[Step]) -> Option<Span> {
        steps.iter().find_map(|step| match step {
            Step::Assign(assignment) => cast(&assignment.value),
            Step::Loop(looped) => looped.iterations.first().and_then(|body| in_steps(body)),
        })
    }
    let mut found = Vec::new();
    for instance in program.instances() {
        let empty = instance.variables.iter().find(|variable| variable.atoms() == 0);
        found.extend(
            empty.map(|variable| messages::interpreted_only(variable.span, "an array without elements")),
        );
        if let Body::Equations(equations) = &instance.body {
            found.extend(in_steps(&equations.steps).map(|span| messages::interpreted_only(span, "this")));
        }
    }
    found
}

fn in_steps(steps: &[Step], found: &mut Vec<Diagnostic>) {
    for step in steps {
        match step {
            Step::Assign(assignment) => in_expression(&assignment.value, found),
            Step::Loop(looped) => {
                // Every iteration has the places of the first.
                if let Some(body) = looped.iterations.first() {
                    in_steps(body, found);
                }
            }
        }
    }
}

fn in_expression(expression: &Expression, found: &mut Vec<Diagnostic>) {
    match &expression.kind {
        ExpressionKind::Arithmetic { op, width, .. } => {
            found.push(messages::arithmetic_in_h(expression.span, *op, *width));
        }
        // Its operands may be constants, so that no variable shows that there are words of two sizes.
        ExpressionKind::Pack { .. } => found.push(messages::horizontal_pack(expression.span)),
        _ => {}
    }
    expression.operands().into_iter().for_each(|operand| in_expression(operand, found));
}
