//! Whether every window lies in its variable, for all lengths that fulfil the conditions.

use crate::facts::Facts;
use crate::form::{Loop, Message, Piece, Source, Statement, Target, VariableId, Window};
use crate::number::{Number, Term};

/// A window of which it could not be shown that it lies in its variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unproved {
    /// The variable.
    pub variable: VariableId,
    /// The first byte, or the element of an array of other words.
    pub start: Number,
    /// How many bytes, or one element.
    pub length: Number,
}

/// The windows that are not proved to lie inside: none, if the message reads and writes nothing but what it is given.
pub fn unproved(message: &Message) -> Vec<Unproved> {
    let mut facts = Facts::default();
    for condition in &message.conditions {
        facts.assume(condition);
    }
    let mut checker = Checker { message, found: Vec::new() };
    checker.statements(&message.body, &facts);
    checker.found
}

struct Checker<'m> {
    message: &'m Message,
    found: Vec<Unproved>,
}

impl Checker<'_> {
    fn statements(&mut self, body: &[Statement], facts: &Facts) {
        for statement in body {
            match statement {
                Statement::Step(step) => {
                    for source in &step.inputs {
                        match source {
                            Source::Element(id, index) => self.element(*id, index, facts),
                            Source::Text(text) | Source::Words { text, .. } => self.text(text, facts),
                            Source::Variable(_) | Source::Word { .. } => {}
                        }
                    }
                    for target in &step.outputs {
                        match target {
                            Target::Element(id, index) => self.element(*id, index, facts),
                            Target::Window(window) => self.window(window, facts),
                            Target::Variable(_) => {}
                        }
                    }
                }
                Statement::Define(define) => {
                    self.window(&define.target, facts);
                    self.text(&define.value, facts);
                }
                Statement::Loop(one) => self.statements(&one.body, &inside(one, facts)),
                Statement::If { condition, then, otherwise } => {
                    let (mut yes, mut no) = (facts.clone(), facts.clone());
                    yes.assume(condition);
                    no.assume(&condition.negated());
                    self.statements(then, &yes);
                    self.statements(otherwise, &no);
                }
                Statement::Accept { left, right, .. } => {
                    self.text(left, facts);
                    self.text(right, facts);
                }
            }
        }
    }

    fn text(&mut self, text: &[Piece], facts: &Facts) {
        crate::passes::windows(text, &mut |window| self.window(window, facts));
    }

    fn window(&mut self, window: &Window, facts: &Facts) {
        let size = self.message.variable(window.variable).bytes();
        self.part(window.variable, &window.start, &window.length, size, facts);
    }

    fn element(&mut self, id: VariableId, index: &Number, facts: &Facts) {
        let count = self.message.variable(id).count.clone();
        self.part(id, index, &1.into(), count, facts);
    }

    fn part(
        &mut self,
        variable: VariableId,
        start: &Number,
        length: &Number,
        size: Option<Number>,
        facts: &Facts,
    ) {
        // What is empty may stand anywhere: where there is something, it must be inside.
        let mut there = facts.clone();
        if let Ok(more) = length.plus(&(-1).into(), 1) {
            there.assume(&crate::form::Condition::NotNegative(more));
        }
        let rest = size.and_then(|size| size.plus(start, -1).ok()?.plus(length, -1).ok());
        let is_inside = facts.not_negative(length)
            && there.not_negative(start)
            && rest.is_some_and(|rest| there.not_negative(&rest));
        if !is_inside {
            let (start, length) = (start.clone(), length.clone());
            self.found.push(Unproved { variable, start, length });
        }
    }
}

/// What is known in the body of a loop.
pub(crate) fn inside(one: &Loop, facts: &Facts) -> Facts {
    let mut inside = facts.clone();
    let index = Number::from(Term::Index(one.index));
    let ends = [index.plus(&one.start, -1), one.stop.plus(&index, -1).and_then(|n| n.plus(&(-1).into(), 1))];
    for number in ends.into_iter().flatten() {
        inside.assume(&crate::form::Condition::NotNegative(number));
    }
    inside
}
