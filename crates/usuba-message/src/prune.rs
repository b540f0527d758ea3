//! Outputs of steps that nothing reads.

use crate::form::{Message, Piece, Source, Statement, Target, VariableId};
use std::collections::BTreeSet;

/// Takes variables of a constant size out of the outputs of steps where no other statement reads them, and out of the
/// definitions of the steps, where they become locals.
pub(crate) fn prune(message: &mut Message) {
    let mut read: BTreeSet<VariableId> = message.outputs.iter().copied().collect();
    statements(&message.body, &mut |statement| match statement {
        Statement::Step(step) => step.inputs.iter().for_each(|source| match source {
            Source::Variable(id) | Source::Element(id, _) => {
                read.insert(*id);
            }
            Source::Text(text) | Source::Words { text, .. } => of_text(text, &mut read),
            Source::Word { .. } => {}
        }),
        Statement::Define(define) => of_text(&define.value, &mut read),
        Statement::Accept { left, right, .. } => {
            of_text(left, &mut read);
            of_text(right, &mut read);
        }
        Statement::Loop(one) => {
            read.extend(one.carried.iter().flat_map(|one| [one.variable, one.first, one.next]))
        }
        Statement::If { .. } => {}
    });
    let mut body = std::mem::take(&mut message.body);
    in_statements(&mut body, &mut |step| {
        let Some(definition) =
            message.program.definitions.iter_mut().find(|definition| definition.name.text == step.node)
        else {
            return;
        };
        let is_read = |target: &Target| match target {
            Target::Variable(id) => read.contains(id),
            Target::Element(id, _) => read.contains(id),
            Target::Window(window) => read.contains(&window.variable),
        };
        let kept: Vec<bool> = step.outputs.iter().map(is_read).collect();
        if kept.iter().any(|&kept| kept) {
            let mut place = kept.iter();
            step.outputs.retain(|_| place.next().copied().unwrap_or(true));
            let declarations = std::mem::take(&mut definition.outputs);
            let ast = &mut definition.bodies;
            for (declaration, kept) in declarations.into_iter().zip(kept) {
                if kept {
                    definition.outputs.push(declaration);
                } else if let usuba_lang::ast::Bodies::Node(bodies) = ast
                    && let Some(body) = bodies.first_mut()
                {
                    body.locals.push(declaration);
                }
            }
        }
    });
    message.body = body;
}

fn of_text(text: &[Piece], read: &mut BTreeSet<VariableId>) {
    for piece in text {
        match piece {
            Piece::Window(window) => {
                read.insert(window.variable);
            }
            Piece::Padding { .. } => {}
            Piece::Map { operands, .. } => operands.iter().for_each(|text| of_text(text, read)),
        }
    }
}

fn statements<'s>(body: &'s [Statement], see: &mut dyn FnMut(&'s Statement)) {
    for statement in body {
        see(statement);
        match statement {
            Statement::Loop(one) => statements(&one.body, see),
            Statement::If { then, otherwise, .. } => {
                statements(then, see);
                statements(otherwise, see);
            }
            _ => {}
        }
    }
}

fn in_statements(body: &mut [Statement], change: &mut dyn FnMut(&mut crate::form::Step)) {
    for statement in body {
        match statement {
            Statement::Step(step) => change(step),
            Statement::Loop(one) => in_statements(&mut one.body, change),
            Statement::If { then, otherwise, .. } => {
                in_statements(then, change);
                in_statements(otherwise, change);
            }
            _ => {}
        }
    }
}
