//! Output is written after the input at the same place has been read, where that can be, so that a message is right in place.

use super::{Stuck, steps, targets_of, texts, variable_of, windows};
use crate::form::{Define, Message, Source, Statement, VariableId, Window};

/// Puts what defines a part of an output behind what reads the part of an input that begins at the same byte.
pub(super) fn put(message: &mut Message) -> Result<(), Stuck> {
    let mut body = std::mem::take(&mut message.body);
    sink(message, &mut body);
    message.body = body;
    Ok(())
}

fn sink(message: &Message, body: &mut [Statement]) {
    for place in (0..body.len()).rev() {
        match &mut body[place] {
            Statement::Loop(one) => sink(message, &mut one.body),
            Statement::If { then, otherwise, .. } => {
                sink(message, then);
                sink(message, otherwise);
            }
            Statement::Define(define) if message.outputs.contains(&define.target.variable) => {
                let define = define.clone();
                if let Some(behind) = last_reader(message, &define, &body[place + 1..]) {
                    body[place..=place + 1 + behind].rotate_left(1);
                }
            }
            _ => {}
        }
    }
}

/// The last statement that reads the input, as far as the definition may go.
fn last_reader(message: &Message, define: &Define, body: &[Statement]) -> Option<usize> {
    let mut found = None;
    for (place, statement) in body.iter().enumerate() {
        let statement = std::slice::from_ref(statement);
        if matches!(statement, [Statement::Accept { .. }]) || touches(statement, define.target.variable) {
            break;
        }
        let is_there = |window: &Window| {
            message.inputs.contains(&window.variable) && window.start == define.target.start
        };
        let mut reads = false;
        texts(statement, &mut |text| windows(text, &mut |window| reads |= is_there(window)));
        if reads {
            found = Some(place);
        }
    }
    found
}

fn touches(body: &[Statement], variable: VariableId) -> bool {
    let mut found = false;
    texts(body, &mut |text| windows(text, &mut |window| found |= window.variable == variable));
    targets_of(body, &mut |window| found |= window.variable == variable);
    steps(body, &mut |step| {
        let of = |source: &Source| matches!(source, Source::Element(id, _) if *id == variable);
        found |= step.inputs.iter().any(of);
        found |= step.outputs.iter().any(|target| variable_of(target) == variable);
    });
    found
}
