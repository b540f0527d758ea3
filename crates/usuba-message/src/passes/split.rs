//! The last iteration of a loop whose windows may be shorter: it gets a loop of its own, and all others have whole blocks.

use super::views::assume_range;
use super::{Stuck, texts, windows};
use crate::facts::Facts;
use crate::form::{Condition, Define, Loop, Message, Piece, Source, Statement, Text, Window};
use crate::number::{Number, Term};

/// Cuts loops where a minimum goes from one number to the other.
pub(super) fn whole_blocks(message: &mut Message) -> Result<(), Stuck> {
    let mut facts = Facts::default();
    for condition in &message.conditions {
        facts.assume(condition);
    }
    message.body = statements(std::mem::take(&mut message.body), &facts)?;
    Ok(())
}

fn statements(body: Vec<Statement>, facts: &Facts) -> Result<Vec<Statement>, Stuck> {
    let mut made = Vec::new();
    for statement in body {
        match statement {
            Statement::Loop(one) => {
                for part in cut(one, facts)? {
                    let mut inside = facts.clone();
                    assume_range(&mut inside, part.index, &part.start, &part.stop)?;
                    let body = statements(part.body, &inside)?;
                    made.push(Statement::Loop(Loop { body, ..part }));
                }
            }
            Statement::If { condition, then, otherwise } => {
                let (mut yes, mut no) = (facts.clone(), facts.clone());
                yes.assume(&condition);
                no.assume(&condition.negated());
                let (then, otherwise) = (statements(then, &yes)?, statements(otherwise, &no)?);
                made.push(Statement::If { condition, then, otherwise });
            }
            Statement::Define(define) => {
                let (value, target) = (simple_text(&define.value, facts)?, simple(&define.target, facts)?);
                made.push(Statement::Define(Define { value, target, ..define }));
            }
            Statement::Step(mut step) => {
                for source in &mut step.inputs {
                    if let Source::Text(text) | Source::Words { text, .. } = source {
                        *text = simple_text(text, facts)?;
                    }
                }
                made.push(Statement::Step(step));
            }
            other => made.push(other),
        }
    }
    Ok(made)
}

fn simple(window: &Window, facts: &Facts) -> Result<Window, Stuck> {
    let (start, length) = (facts.simplified(&window.start)?, facts.simplified(&window.length)?);
    Ok(Window { start, length, ..window.clone() })
}

fn simple_text(text: &Text, facts: &Facts) -> Result<Text, Stuck> {
    text.iter()
        .map(|piece| {
            Ok(match piece {
                Piece::Window(window) => Piece::Window(simple(window, facts)?),
                Piece::Padding { length, first, last } => {
                    Piece::Padding { length: facts.simplified(length)?, first: *first, last: *last }
                }
                Piece::Map { operation, operands } => Piece::Map {
                    operation: *operation,
                    operands: operands
                        .iter()
                        .map(|text| simple_text(text, facts))
                        .collect::<Result<_, Stuck>>()?,
                },
            })
        })
        .collect()
}

/// A loop in the parts in which its minima are known.
fn cut(one: Loop, facts: &Facts) -> Result<Vec<Loop>, Stuck> {
    let index = Term::Index(one.index);
    let mut minima: Vec<(Number, Number)> = Vec::new();
    let mut see = |number: &Number| {
        for (term, _) in number.terms() {
            if let Term::Minimum(a, b) = term {
                minima.push(((**a).clone(), (**b).clone()));
            }
        }
    };
    texts(&one.body, &mut |text| {
        windows(text, &mut |window| {
            see(&window.length);
            see(&window.start);
        })
    });
    for statement in &one.body {
        if let Statement::Define(define) = statement {
            see(&define.target.length);
        }
    }
    let mut inside = facts.clone();
    assume_range(&mut inside, one.index, &one.start, &one.stop)?;
    for (a, b) in minima {
        let difference = b.plus(&a, -1)?;
        let known = inside.not_negative(&difference) || inside.not_negative(&a.plus(&b, -1)?);
        let (rest, pace) = difference.split(&index);
        if known || pace >= 0 || rest.mentions(&index) {
            // Where the other way round, the same of the opposite.
            let opposite = a.plus(&b, -1)?;
            let (rest, pace) = opposite.split(&index);
            if known || pace >= 0 || rest.mentions(&index) {
                continue;
            }
            return at(one, &rest, pace, facts);
        }
        return at(one, &rest, pace, facts);
    }
    Ok(vec![one])
}

/// Cuts a loop where `rest + pace · index`, which falls, becomes negative.
fn at(one: Loop, rest: &Number, pace: i64, facts: &Facts) -> Result<Vec<Loop>, Stuck> {
    // rest + pace · i ≥ 0 just for i < rest / -pace + 1
    let middle = rest.quotient(&(-pace).into())?.plus(&1.into(), 1)?;
    let middle = facts.minimum(&facts.maximum(&middle, &one.start)?, &one.stop)?;
    let mut parts = Vec::new();
    let mut first = one.clone();
    for (start, stop) in [(one.start.clone(), middle.clone()), (middle, one.stop.clone())] {
        if facts.holds(&Condition::NotNegative(start.plus(&stop, -1)?)) {
            continue;
        }
        let part = Loop { start: start.clone(), stop: stop.clone(), ..first.clone() };
        // The carried variables of the second part begin with what the first leaves.
        for carried in &mut first.carried {
            carried.first = carried.variable;
        }
        parts.push(part);
    }
    if parts.len() == 1 && parts[0].start == one.start && parts[0].stop == one.stop {
        return Ok(parts);
    }
    let mut made = Vec::new();
    for part in parts {
        made.extend(cut(part, facts)?);
    }
    Ok(made)
}
