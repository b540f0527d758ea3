//! An array that ends up in an output, and of which windows that overlap are read: it is what stands before the output, and the
//! output itself.

use super::{Stuck, texts, windows};
use crate::form::{Define, Message, Order, Piece, Statement, Target, Text, VariableId, Window};
use crate::number::Number;

/// Lets such arrays be views of the output.
pub(super) fn find(message: &mut Message) -> Result<(), Stuck> {
    let mut place = 0;
    while place < message.body.len() {
        if let Some((array, offset, output)) = alias(message, place) {
            message.body.remove(place);
            rewrite(message, array, offset, &output)?;
            place = 0;
        } else {
            place += 1;
        }
    }
    Ok(())
}

/// The array, where the output begins in it, and the output, if the statement says that all of an output is a part of an array
/// whose windows overlap.
fn alias(message: &Message, place: usize) -> Option<(VariableId, u32, Define)> {
    let Statement::Define(define) = message.body.get(place)? else { return None };
    let [Piece::Window(window)] = define.value.as_slice() else { return None };
    let array = window.variable;
    let whole = message.variable(define.target.variable).bytes();
    let is_whole = message.outputs.contains(&define.target.variable)
        && define.target.start.as_constant() == Some(0)
        && whole.as_ref() == Some(&define.target.length);
    if !is_whole || !message.is_local_array(array) || message.variable(array).words.width != 8 {
        return None;
    }
    let mut overlap = false;
    texts(&message.body, &mut |text| {
        windows(text, &mut |read| {
            let length = read.length.as_constant();
            let (fits, steps) = (length.is_some(), read.start.terms().map(|(_, pace)| pace));
            overlap |= read.variable == array && fits && steps.into_iter().any(|pace| Some(pace) < length);
        });
    });
    let offset = u32::try_from(window.start.as_constant()?).ok().filter(|_| overlap)?;
    Some((array, offset, define.clone()))
}

fn rewrite(message: &mut Message, array: VariableId, offset: u32, define: &Define) -> Result<(), Stuck> {
    let before = message.element_variable(array, offset);
    let mut body = std::mem::take(&mut message.body);
    let found = targets(&mut body, array, offset, before, define.target.variable);
    message.body = body;
    let place = found?.ok_or_else(|| message.stuck(array, "its beginning is not made by one step"))?;
    let window = |variable, length: Number| {
        Piece::Window(Window { variable, order: Order::Big, start: Number::default(), length })
    };
    let value: Text = vec![
        window(before, i64::from(offset).into()),
        window(define.target.variable, define.target.length.clone()),
    ];
    let length = message.variable(array).bytes().unwrap_or_default();
    let target = Window { variable: array, order: Order::Big, start: Number::default(), length };
    message.body.insert(place + 1, Statement::Define(Define { target, value, span: define.span }));
    Ok(())
}

/// Lets what defined parts of the array define the output, or what stands before it. The place of the latter.
fn targets(
    body: &mut [Statement],
    array: VariableId,
    offset: u32,
    before: VariableId,
    output: VariableId,
) -> Result<Option<usize>, Stuck> {
    let mut found = None;
    for (place, statement) in body.iter_mut().enumerate() {
        match statement {
            Statement::Step(step) => {
                for target in &mut step.outputs {
                    let Target::Window(window) = target else { continue };
                    if window.variable != array {
                        continue;
                    }
                    if window.start.as_constant() == Some(0)
                        && window.length.as_constant() == Some(offset.into())
                    {
                        *target = Target::Variable(before);
                        found = Some(place);
                    } else {
                        window.start = window.start.plus(&i64::from(offset).into(), -1)?;
                        window.variable = output;
                    }
                }
            }
            Statement::Loop(one) => {
                targets(&mut one.body, array, offset, before, output)?;
            }
            Statement::Define(_) | Statement::If { .. } | Statement::Accept { .. } => {}
        }
    }
    Ok(found)
}
