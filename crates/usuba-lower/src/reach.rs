//! After instances were made anew: those that nothing calls are dropped, the others numbered.

use crate::sliced::{Body, Expression, ExpressionKind, InstanceId, Program, Step, flatten};

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
    if let ExpressionKind::Call { callee, .. } = &expression.kind {
        see(*callee);
    }
    expression.operands().into_iter().for_each(|operand| callees(operand, see));
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
    if let ExpressionKind::Call { callee, .. } = &mut expression.kind {
        *callee = numbers[callee.0 as usize];
    }
    expression.operands_mut().into_iter().for_each(|operand| renumber_value(operand, numbers));
}
