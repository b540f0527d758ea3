//! Which output may be written over which input, where what is computed is computed in the order of the statements.

use crate::bounds::inside;
use crate::facts::Facts;
use crate::form::{Condition, Define, Loop, Message, Piece, Source, Statement, Target, VariableId, Window};
use crate::number::{Number, NumberError, Term};

/// Inputs and outputs that may be the same bytes: no byte of the input is read after the output has been written there. Both are
/// strings of one public length. Pairs for which that could not be shown are left out.
///
/// A statement reads all that it is given before it writes, but for the pieces of a definition, which are made one after the
/// other, each byte by byte.
pub fn in_place(message: &Message) -> Vec<(VariableId, VariableId)> {
    let mut facts = Facts::default();
    message.conditions.iter().for_each(|condition| facts.assume(condition));
    let is_string = |id: &&VariableId| message.variable(**id).count.is_some();
    let mut pairs = Vec::new();
    for &input in message.inputs.iter().filter(is_string) {
        for &output in message.outputs.iter().filter(is_string) {
            let sizes = (message.variable(input).bytes(), message.variable(output).bytes());
            let (Some(one), Some(other)) = sizes else { continue };
            let mut walk = Walk { input, output, is_late: false };
            if facts.same(&one, &other) {
                walk.body(&message.body, &facts, &mut Vec::new());
                if !walk.is_late {
                    pairs.push((input, output));
                }
            }
        }
    }
    pairs
}

/// Bytes that have been written, if `when` holds; of an unknown place, all may have been.
#[derive(Clone)]
struct Written {
    place: Option<(Number, Number)>,
    when: Option<Condition>,
}

struct Walk {
    input: VariableId,
    output: VariableId,
    /// Whether something may be read where the output has been written.
    is_late: bool,
}

impl Walk {
    /// Goes through statements; `written` are the places that have been written before, and then those of the statements too.
    fn body(&mut self, body: &[Statement], facts: &Facts, written: &mut Vec<Written>) {
        for statement in body {
            match statement {
                Statement::Step(step) => {
                    for source in &step.inputs {
                        match source {
                            Source::Text(text) | Source::Words { text, .. } => {
                                self.text(text, facts, written)
                            }
                            Source::Element(id, _) if *id == self.input => {
                                self.is_late |= !written.is_empty()
                            }
                            Source::Variable(_) | Source::Element(..) | Source::Word { .. } => {}
                        }
                    }
                    for target in &step.outputs {
                        match target {
                            Target::Window(window) => self.write(window, written),
                            Target::Element(id, _) if *id == self.output => {
                                written.push(Written { place: None, when: None });
                            }
                            Target::Element(..) | Target::Variable(_) => {}
                        }
                    }
                }
                Statement::Define(define) => self.define(define, facts, written),
                Statement::Loop(one) => self.repeat(one, facts, written),
                Statement::If { condition, then, otherwise } => {
                    let mut both = Vec::new();
                    for (branch, condition) in [(then, condition.clone()), (otherwise, condition.negated())] {
                        let (mut facts, mut own) = (facts.clone(), written.clone());
                        facts.assume(&condition);
                        self.body(branch, &facts, &mut own);
                        both.extend(own.into_iter().skip(written.len()));
                    }
                    written.extend(both);
                }
                Statement::Accept { left, right, .. } => {
                    self.text(left, facts, written);
                    self.text(right, facts, written);
                }
            }
        }
    }

    fn repeat(&mut self, one: &Loop, facts: &Facts, written: &mut Vec<Written>) {
        let inside = inside(one, facts);
        // What an iteration writes, whatever it reads.
        let mut own = Walk { is_late: false, ..*self };
        let mut places = Vec::new();
        own.body(&one.body, &inside, &mut places);
        let index = Number::from(Term::Index(one.index));
        let before = |back: i64| index.plus(&back.into(), -1).ok();
        let again = one.start.plus(&1.into(), 1).and_then(|second| index.plus(&second, -1)).ok();
        let mut all = written.clone();
        for place in &places {
            let ends = ends(place, one, &inside);
            // What the iterations before have written.
            let earlier = ends.as_ref().and_then(|(start, _)| {
                let (_, stop) = place.place.as_ref()?;
                Some((start.clone(), at(stop, one.index, &before(1)?)?))
            });
            all.push(Written { place: earlier, when: again.clone().map(Condition::NotNegative) });
        }
        self.body(&one.body, &inside, &mut all);
        for place in &places {
            written.push(Written { place: ends(place, one, &inside), when: place.when.clone() });
        }
    }

    fn define(&mut self, define: &Define, facts: &Facts, written: &mut Vec<Written>) {
        let mut start = define.target.start.clone();
        for piece in &define.value {
            let length = piece.length();
            let target = Window { start: start.clone(), length: length.clone(), ..define.target.clone() };
            self.text(std::slice::from_ref(piece), facts, written);
            if let (Piece::Map { operands, .. }, true) = (piece, target.variable == self.output) {
                operands.iter().for_each(|text| self.bytewise(text, &target, facts));
            }
            self.write(&target, written);
            match start.plus(&length, 1) {
                Ok(next) => start = next,
                Err(_) => self.is_late = true,
            }
        }
    }

    /// What is read byte by byte while the target is written. Texts of several pieces are put together before.
    fn bytewise(&mut self, text: &[Piece], target: &Window, facts: &Facts) {
        match text {
            [Piece::Window(window)] if window.variable == self.input => {
                let ahead = window.start.plus(&target.start, -1);
                let place = (target.start.clone(), end(target));
                let place = place.1.map(|end| (place.0, end));
                self.is_late |= !ahead.is_ok_and(|ahead| facts.not_negative(&ahead))
                    && !apart(window, &Written { place, when: None }, facts);
            }
            [Piece::Map { operands, .. }] => {
                operands.iter().for_each(|text| self.bytewise(text, target, facts));
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &[Piece], facts: &Facts, written: &[Written]) {
        crate::passes::windows(text, &mut |window| {
            if window.variable == self.input {
                self.is_late |= !written.iter().all(|place| apart(window, place, facts));
            }
        });
    }

    fn write(&self, window: &Window, written: &mut Vec<Written>) {
        if window.variable == self.output {
            let place = end(window).map(|end| (window.start.clone(), end));
            written.push(Written { place, when: None });
        }
    }
}

fn end(window: &Window) -> Option<Number> {
    window.start.plus(&window.length, 1).ok()
}

/// A number with another for a loop variable.
fn at(number: &Number, index: u32, value: &Number) -> Option<Number> {
    number.substitute(&|term| (*term == Term::Index(index)).then(|| value.clone())).ok()
}

/// From where to where all iterations write, if each goes on where the one before ended or further.
fn ends(written: &Written, one: &Loop, inside: &Facts) -> Option<(Number, Number)> {
    let (start, stop) = written.place.as_ref()?;
    let back = Number::from(Term::Index(one.index)).plus(&1.into(), -1).ok()?;
    let last = one.stop.plus(&1.into(), -1).ok()?;
    let mut second = inside.clone();
    second.assume(&Condition::NotNegative(back.plus(&one.start, -1).ok()?));
    for bound in [start, stop] {
        let more = bound.plus(&at(bound, one.index, &back)?, -1).ok()?;
        if !second.not_negative(&more) {
            return None;
        }
    }
    Some((at(start, one.index, &one.start)?, at(stop, one.index, &last)?))
}

/// Whether nothing of a window, where there is something, has been written.
fn apart(window: &Window, written: &Written, facts: &Facts) -> bool {
    let mut facts = facts.clone();
    let not_negative = |number: Result<Number, NumberError>| number.map(Condition::NotNegative).ok();
    let assumed = [not_negative(window.length.plus(&1.into(), -1)), written.when.clone()];
    assumed.iter().flatten().for_each(|condition| facts.assume(condition));
    // Where both cannot be at once, everything is shown.
    if facts.not_negative(&(-1).into()) {
        return true;
    }
    let Some((start, stop)) = &written.place else { return false };
    let after = window.start.plus(stop, -1);
    let before = end(window).map(|end| start.plus(&end, -1));
    let holds = |number: Result<Number, NumberError>| number.is_ok_and(|number| facts.not_negative(&number));
    holds(after) || before.is_some_and(holds)
}
