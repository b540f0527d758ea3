//! After instances were made anew: those that nothing calls are dropped, the others numbered.

use crate::roll::flatten;
use usuba_lang::typed::{Body, Expression, ExpressionKind, InstanceId, Program, Step};

/// The program without the instances that its entry does not reach.
pub(crate) fn reachable(mut program: Program) -> Program {
    let mut wanted = vec![false; program.instances.len()];
    wanted[program.entry.0 as usize] = true;
    for number in (0..program.instances.len()).rev() {
        if let (true, Body::Equations(equations)) = (wanted[number], &program.instances[number].body) {
            for assignment in flatten(&equations.steps) {
                callees(&assignment.value, &mut |callee| wanted[callee.0 as usize] = true);
            }
        }
    }
    let mut next = 0;
    let numbers: Vec<InstanceId> = wanted
        .iter()
        .map(|&wanted| {
            next += u32::from(wanted);
            InstanceId(u32::saturating_sub(next, 1))
        })
        .collect();
    let mut wanted = wanted.into_iter();
    program.instances.retain(|_| wanted.next() == Some(true));
    for instance in &mut program.instances {
        if let Body::Equations(equations) = &mut instance.body {
            renumber(&mut equations.steps, &numbers);
        }
    }
    program.entry = numbers[program.entry.0 as usize];
    program
}

fn callees(expression: &Expression, see: &mut impl FnMut(InstanceId)) {
    match &expression.kind {
        ExpressionKind::Atoms(_) | ExpressionKind::Constants(_) => {}
        ExpressionKind::Tuple(parts) => parts.iter().for_each(|part| callees(part, see)),
        ExpressionKind::Logic(_, a, b)
        | ExpressionKind::Arithmetic { left: a, right: b, .. }
        | ExpressionKind::Pack { high: a, low: b }
        | ExpressionKind::Accept { left: a, right: b } => {
            callees(a, see);
            callees(b, see);
        }
        ExpressionKind::Not(value)
        | ExpressionKind::Shift { value, .. }
        | ExpressionKind::Gather { value, .. }
        | ExpressionKind::Shuffle { value, .. }
        | ExpressionKind::Bitmask { value, .. }
        | ExpressionKind::Regroup { value, .. }
        | ExpressionKind::Refresh(value) => callees(value, see),
        ExpressionKind::Call { callee, arguments } => {
            see(*callee);
            callees(arguments, see);
        }
    }
}

/// Numbers the callees of some steps anew: `numbers` has the new one of each.
pub(crate) fn renumber(steps: &mut [Step], numbers: &[InstanceId]) {
    for step in steps {
        match step {
            Step::Assign(assignment) => renumber_value(&mut assignment.value, numbers),
            Step::Loop(looped) => looped.iterations.iter_mut().for_each(|body| renumber(body, numbers)),
        }
    }
}

fn renumber_value(expression: &mut Expression, numbers: &[InstanceId]) {
    match &mut expression.kind {
        ExpressionKind::Atoms(_) | ExpressionKind::Constants(_) => {}
        ExpressionKind::Tuple(parts) => parts.iter_mut().for_each(|part| renumber_value(part, numbers)),
        ExpressionKind::Logic(_, a, b)
        | ExpressionKind::Arithmetic { left: a, right: b, .. }
        | ExpressionKind::Pack { high: a, low: b }
        | ExpressionKind::Accept { left: a, right: b } => {
            renumber_value(a, numbers);
            renumber_value(b, numbers);
        }
        ExpressionKind::Not(value)
        | ExpressionKind::Shift { value, .. }
        | ExpressionKind::Gather { value, .. }
        | ExpressionKind::Shuffle { value, .. }
        | ExpressionKind::Bitmask { value, .. }
        | ExpressionKind::Regroup { value, .. }
        | ExpressionKind::Refresh(value) => renumber_value(value, numbers),
        ExpressionKind::Call { callee, arguments } => {
            *callee = numbers[callee.0 as usize];
            renumber_value(arguments, numbers);
        }
    }
}
