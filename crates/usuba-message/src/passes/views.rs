//! Arrays that are only another way to see other strings: concatenations, padded texts, words of bytes.
//!
//! What is read of them is read of the others. A loop over such an array is cut where one part ends and the next begins: in each
//! piece of the range the window lies in one part, and between them, perhaps once, in several.

use super::{Stuck, steps, variable_of, windows};
use crate::facts::Facts;
use crate::form::{
    Condition, Define, Loop, Message, Order, Piece, Source, Statement, Text, VariableId, Window,
};
use crate::number::{Number, Term};
use std::collections::BTreeMap;

/// Replaces windows of views.
pub(super) fn resolve(message: &mut Message) -> Result<()> {
    let body = std::mem::take(&mut message.body);
    let mut facts = Facts::default();
    for condition in &message.conditions {
        facts.assume(condition);
    }
    let views = Resolver { message, views: BTreeMap::new() }.statements(body, &facts);
    message.body = views?;
    Ok(())
}

struct Resolver<'m> {
    message: &'m Message,
    /// The views seen so far, with the text that each is, and how its bytes are words.
    views: BTreeMap<VariableId, (Text, Order)>,
}

type Result<T> = std::result::Result<T, Stuck>;

impl Resolver<'_> {
    fn statements(&mut self, body: Vec<Statement>, facts: &Facts) -> Result<Vec<Statement>> {
        let mut made = Vec::new();
        for statement in body {
            match statement {
                Statement::Define(define) => {
                    let value = self.text(&define.value, facts)?;
                    if self.is_view(&define, facts) {
                        self.views.insert(define.target.variable, (value, define.target.order));
                    } else {
                        made.push(Statement::Define(Define { value, ..define }));
                    }
                }
                Statement::Step(mut step) => {
                    for source in &mut step.inputs {
                        *source = self.source(source, facts)?;
                    }
                    made.push(Statement::Step(step));
                }
                Statement::Accept { left, right, span } => {
                    let (left, right) = (self.text(&left, facts)?, self.text(&right, facts)?);
                    made.push(Statement::Accept { left, right, span });
                }
                Statement::If { condition, then, otherwise } => {
                    let (mut yes, mut no) = (facts.clone(), facts.clone());
                    yes.assume(&condition);
                    no.assume(&condition.negated());
                    let (then, otherwise) = (self.statements(then, &yes)?, self.statements(otherwise, &no)?);
                    made.push(Statement::If { condition, then, otherwise });
                }
                Statement::Loop(one) => {
                    for (start, stop) in self.ranges(&one, facts)? {
                        let mut inside = facts.clone();
                        assume_range(&mut inside, one.index, &start, &stop)?;
                        let body = self.statements(one.body.clone(), &inside)?;
                        made.push(Statement::Loop(Loop { start, stop, body, ..one.clone() }));
                    }
                }
            }
        }
        Ok(made)
    }

    /// Whether all of an array is one string, and nothing else defines a part of it.
    fn is_view(&self, define: &Define, facts: &Facts) -> bool {
        let target = &define.target;
        let variable = self.message.variable(target.variable);
        self.message.is_local_array(target.variable)
            && target.start.as_constant() == Some(0)
            && variable.bytes().is_some_and(|bytes| facts.same(&bytes, &target.length))
            && {
                let mut writers = 0;
                steps(&self.message.body, &mut |step| {
                    writers += step.outputs.iter().filter(|t| variable_of(t) == target.variable).count();
                });
                writers == 0
            }
    }

    fn text(&self, text: &Text, facts: &Facts) -> Result<Text> {
        let mut made = Text::new();
        for piece in text {
            match piece {
                Piece::Window(window) => match self.views.get(&window.variable) {
                    Some((view, _)) => {
                        made.extend(self.part(
                            view,
                            &window.start,
                            &window.length,
                            window.variable,
                            facts,
                        )?);
                    }
                    None => made.push(piece.clone()),
                },
                Piece::Padding { .. } => made.push(piece.clone()),
                Piece::Map { operation, operands } => {
                    let operands =
                        operands.iter().map(|text| self.text(text, facts)).collect::<Result<Vec<Text>>>()?;
                    made.push(Piece::Map { operation: *operation, operands });
                }
            }
        }
        Ok(made)
    }

    fn source(&self, source: &Source, facts: &Facts) -> Result<Source> {
        Ok(match source {
            Source::Text(text) => Source::Text(self.text(text, facts)?),
            Source::Words { text, width, order } => {
                Source::Words { text: self.text(text, facts)?, width: *width, order: *order }
            }
            Source::Element(id, index) => match self.views.get(id) {
                Some((view, order)) => {
                    let words = self.message.variable(*id).words;
                    let bytes = words.bytes().ok_or_else(|| self.message.stuck(*id, "bits are no bytes"))?;
                    let size = Number::from(i64::from(bytes));
                    let text = self.part(view, &index.times(&size)?, &size, *id, facts)?;
                    Source::Words { text, width: words.width, order: *order }
                }
                None => source.clone(),
            },
            Source::Variable(_) | Source::Word { .. } => source.clone(),
        })
    }

    /// Bytes `[start, start + length)` of a text.
    fn part(
        &self,
        text: &Text,
        start: &Number,
        length: &Number,
        of: VariableId,
        facts: &Facts,
    ) -> Result<Text> {
        part(text, start, length, facts)?
            .ok_or_else(|| self.message.stuck(of, "a part of its padding is read alone"))
    }

    /// The ranges of a loop in which its windows of views lie in one part, and those between.
    fn ranges(&self, one: &Loop, facts: &Facts) -> Result<Vec<(Number, Number)>> {
        let index = Term::Index(one.index);
        let mut cuts: Vec<(Number, Number)> = Vec::new();
        steps(&one.body, &mut |step| {
            for source in &step.inputs {
                let mut reads: Vec<(VariableId, Number, Number)> = Vec::new();
                match source {
                    Source::Text(text) | Source::Words { text, .. } => windows(text, &mut |window| {
                        reads.push((window.variable, window.start.clone(), window.length.clone()));
                    }),
                    Source::Element(id, at) => {
                        let bytes =
                            self.message.variable(*id).words.bytes().map(|b| Number::from(i64::from(b)));
                        reads.extend(bytes.and_then(|size| Some((*id, at.times(&size).ok()?, size))));
                    }
                    Source::Variable(_) | Source::Word { .. } => {}
                }
                for (id, start, length) in reads {
                    if let Some((view, _)) = self.views.get(&id) {
                        cuts.extend(interiors(view, &start, &length, &index).unwrap_or_default());
                    }
                }
            }
        });
        let mut ranges = Vec::new();
        let mut from = one.start.clone();
        for (start, stop) in cuts {
            // [from, start) lies between two parts, [start, stop) in one.
            let start = facts.minimum(&facts.maximum(&from, &start)?, &one.stop)?;
            let stop = facts.minimum(&facts.maximum(&start, &stop)?, &one.stop)?;
            for range in [(from, start.clone()), (start, stop.clone())] {
                if !facts.holds(&Condition::NotNegative(range.0.plus(&range.1, -1)?)) {
                    ranges.push(range);
                }
            }
            from = stop;
        }
        if !facts.holds(&Condition::NotNegative(from.plus(&one.stop, -1)?)) {
            ranges.push((from, one.stop.clone()));
        }
        Ok(ranges)
    }
}

/// For which loop variables a window lies wholly in each of the parts of a text, or touches a padding: half-open ranges, in
/// order.
fn interiors(text: &Text, start: &Number, length: &Number, index: &Term) -> Option<Vec<(Number, Number)>> {
    let (rest, step) = start.split(index);
    if step <= 0 || rest.mentions(index) || length.as_constant().is_none() {
        return None;
    }
    let step = Number::from(step);
    let mut ranges = Vec::new();
    let mut begin = Number::default();
    for piece in text {
        let end = begin.plus(&piece.length(), 1).ok()?;
        let up = |number: Number| {
            let more = number.plus(&step, 1).ok()?.plus(&(-1).into(), 1).ok()?;
            more.quotient(&step).ok()
        };
        let range = match piece {
            // What is zero needs no care.
            Piece::Padding { first: 0, last: 0, .. } => None,
            // The windows that touch it.
            Piece::Padding { .. } => {
                Some((begin.plus(&rest, -1).ok()?.quotient(&step).ok()?, up(end.plus(&rest, -1).ok()?)?))
            }
            // step i + rest ≥ begin, and step i + rest + length ≤ end
            _ => {
                let high = end.plus(&rest, -1).ok()?.plus(length, -1).ok()?;
                let high = high.quotient(&step).ok()?.plus(&1.into(), 1).ok()?;
                Some((up(begin.plus(&rest, -1).ok()?)?, high))
            }
        };
        ranges.extend(range);
        begin = end;
    }
    Some(ranges)
}

/// Adds that a loop variable lies in a range.
pub(crate) fn assume_range(facts: &mut Facts, index: u32, start: &Number, stop: &Number) -> Result<()> {
    let variable = Number::from(Term::Index(index));
    facts.assume(&Condition::NotNegative(variable.plus(start, -1)?));
    facts.assume(&Condition::NotNegative(stop.plus(&variable, -1)?.plus(&(-1).into(), 1)?));
    Ok(())
}

/// Bytes `[start, start + length)` of a text; `None` where a part of a padding with bits in it would stand alone.
pub(super) fn part(text: &Text, start: &Number, length: &Number, facts: &Facts) -> Result<Option<Text>> {
    let end = start.plus(length, 1)?;
    let mut made = Text::new();
    let mut begin = Number::default();
    for piece in text {
        let stop = begin.plus(&piece.length(), 1)?;
        let from = facts.maximum(&begin, start)?;
        let to = facts.minimum(&stop, &end)?;
        let size = facts.maximum(&to.plus(&from, -1)?, &Number::default())?;
        let empty = facts.same(&size, &Number::default());
        let whole = facts.same(&from, &begin) && facts.same(&to, &stop);
        if whole {
            made.push(piece.clone());
        } else if !empty {
            let offset = from.plus(&begin, -1)?;
            made.push(match piece {
                Piece::Window(window) => Piece::Window(Window {
                    start: window.start.plus(&offset, 1)?,
                    length: size,
                    ..window.clone()
                }),
                Piece::Padding { first, last, .. } => {
                    // Where nothing of it is there, its bits do not count.
                    let mut facts = facts.clone();
                    let there = to.plus(&from, -1)?.plus(&(-1).into(), 1)?;
                    facts.assume(&Condition::NotNegative(there));
                    let (head, tail) = (facts.same(&from, &begin), facts.same(&to, &stop));
                    let inner = facts.not_negative(&from.plus(&begin, -1)?.plus(&(-1).into(), 1)?);
                    let open = facts.not_negative(&stop.plus(&to, -1)?.plus(&(-1).into(), 1)?);
                    let first = match (*first, head, inner) {
                        (0, ..) | (_, _, true) => 0,
                        (bits, true, _) => bits,
                        _ => return Ok(None),
                    };
                    let last = match (*last, tail, open) {
                        (0, ..) | (_, _, true) => 0,
                        (bits, true, _) => bits,
                        _ => return Ok(None),
                    };
                    Piece::Padding { length: size, first, last }
                }
                Piece::Map { operation, operands } => {
                    let mut parts = Vec::new();
                    for text in operands {
                        match part(text, &offset, &size, facts)? {
                            Some(text) => parts.push(text),
                            None => return Ok(None),
                        }
                    }
                    Piece::Map { operation: *operation, operands: parts }
                }
            });
        }
        begin = stop;
    }
    Ok(Some(made))
}
