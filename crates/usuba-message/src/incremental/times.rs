//! In which part a statement is: the earliest in which everything that it reads is known.

use super::streams::{Found, Main};
use super::{Whole, reasons, steps};
use crate::form::{
    Carried, Condition, Define, Loop, Message, Piece, Sameness, Source, Statement, Step, Target, Text,
    VariableId, Window,
};
use crate::number::{Number, Term};
use crate::passes::{targets_of, texts, windows};
use std::collections::{BTreeMap, BTreeSet};

/// The statements with the numbers of their parts, in order.
pub(super) struct Timed {
    pub(super) statements: Vec<(usize, Statement)>,
    /// What needs nothing but what is the same for a key: done once for it, and known in every part.
    pub(super) keyed: Vec<Statement>,
}

/// A part, and what makes it no earlier one.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) at: usize,
    pub(super) cause: String,
}

impl Time {
    pub(super) fn begin() -> Time {
        Time { at: 0, cause: String::new() }
    }

    pub(super) fn later(self, other: Time) -> Time {
        if other.at > self.at { other } else { self }
    }
}

/// Gives every statement its part. Steps whose outputs are known at different times are split, for which the message gets
/// definitions.
///
/// # Errors
/// A block needs what is known only afterwards.
pub(super) fn schedule(message: &mut Message, found: &Found) -> Result<Timed, Whole> {
    let body = std::mem::take(&mut message.body);
    let of_key = message.inputs.iter().copied();
    let of_key = of_key.filter(|&id| message.variable(id).sameness == Sameness::Key).collect();
    let mut scheduler = Scheduler {
        message,
        found,
        times: BTreeMap::new(),
        of_key,
        timed: Timed { statements: Vec::new(), keyed: Vec::new() },
    };
    scheduler.body(body)?;
    Ok(scheduler.timed)
}

struct Scheduler<'a> {
    message: &'a mut Message,
    found: &'a Found,
    /// When variables are known that are no inputs.
    times: BTreeMap<VariableId, Time>,
    /// What is the same for a key.
    of_key: BTreeSet<VariableId>,
    timed: Timed,
}

impl Scheduler<'_> {
    fn body(&mut self, body: Vec<Statement>) -> Result<(), Whole> {
        for statement in body {
            match statement {
                Statement::Step(step) => {
                    for step in self.split(step) {
                        self.single(step);
                    }
                }
                Statement::Loop(one) => match self.found.main(&one).cloned() {
                    Some(main) => {
                        let rest = self.take(one, &main)?;
                        if let Some(rest) = rest {
                            self.push(Statement::Loop(rest));
                        }
                    }
                    None => self.push(Statement::Loop(one)),
                },
                Statement::If { condition, then, otherwise } => {
                    let statement = self.choice(condition, then, otherwise)?;
                    self.push(statement);
                }
                other => self.push(other),
            }
        }
        Ok(())
    }

    /// The last part before output that comes in pieces.
    fn last(&self) -> usize {
        2 * (self.found.streams.len() - usize::from(self.found.squeezes))
    }

    /// A step as steps whose outputs are known when all of their inputs are.
    fn split(&mut self, step: Step) -> Vec<Step> {
        let times: Vec<usize> = step.inputs.iter().map(|source| self.source(source).at).collect();
        steps::split(self.message, step, &times)
    }

    fn single(&mut self, step: Step) {
        let is_of_key = |source: &Source| matches!(source, Source::Variable(id) if self.of_key.contains(id));
        let made: Option<Vec<VariableId>> = step
            .outputs
            .iter()
            .map(|target| match target {
                Target::Variable(id) if !self.message.outputs.contains(id) => Some(*id),
                _ => None,
            })
            .collect();
        match made {
            Some(made) if step.inputs.iter().all(is_of_key) => {
                self.of_key.extend(made);
                self.timed.keyed.push(Statement::Step(step));
            }
            _ => self.push(Statement::Step(step)),
        }
    }

    /// Adds a statement to its part.
    fn push(&mut self, statement: Statement) {
        let time = self.of(&statement);
        self.define(&statement, &time);
        self.timed.statements.push((time.at, statement));
    }

    /// Notes when what a statement makes is known.
    fn define(&mut self, statement: &Statement, time: &Time) {
        let mut made = Vec::new();
        variables_made(std::slice::from_ref(statement), &mut made);
        for id in made {
            self.times.insert(id, time.clone());
        }
    }

    /// Cuts the loop that takes blocks: the copies of what it carries, the blocks, and what is left of it for the end.
    fn take(&mut self, one: Loop, main: &Main) -> Result<Option<Loop>, Whole> {
        let part = 2 * main.stream + 1;
        let string = self.found.streams[main.stream].variable;
        let mut local = Vec::new();
        variables_made(&one.body, &mut local);
        local.extend(one.carried.iter().map(|carried| carried.variable));
        let check = |time: Time, what: &str, message: &Message| match time.at < part {
            true => Ok(()),
            false => Err(reasons::early(string, &message.variable(string).name, what, &time.cause)),
        };
        let own = |id: VariableId| local.contains(&id) || self.found.owner.get(&id) == Some(&main.stream);
        for carried in &one.carried {
            check(self.variable(carried.first), &quoted(self.message, carried.first), self.message)?;
        }
        check(self.number(&one.start), "where the loop begins", self.message)?;
        let mut wanted: Vec<(Time, String)> = Vec::new();
        for statement in &one.body {
            if let Statement::Step(step) = statement {
                for source in &step.inputs {
                    match source {
                        Source::Variable(id) | Source::Element(id, _) if !own(*id) => {
                            wanted.push((self.variable(*id), quoted(self.message, *id)));
                        }
                        Source::Word { number, .. } => wanted.push((self.number(number), "a number".into())),
                        _ => {}
                    }
                }
            }
        }
        texts(&one.body, &mut |text| {
            windows(text, &mut |window| {
                if !own(window.variable) {
                    wanted.push((self.variable(window.variable), quoted(self.message, window.variable)));
                }
                wanted.push((self.number(&window.start), "a number".into()));
            });
        });
        targets_of(&one.body, &mut |window| {
            wanted.push((self.number(&window.start), "a number".into()));
        });
        for (time, what) in wanted {
            check(time, &what, self.message)?;
        }
        if !one.carried.is_empty() {
            let next = |carried: &Carried| Carried { next: carried.variable, ..carried.clone() };
            let copies = Loop {
                start: Number::default(),
                stop: Number::default(),
                body: Vec::new(),
                carried: one.carried.iter().map(next).collect(),
                ..one.clone()
            };
            self.timed.statements.push((part - 1, Statement::Loop(copies)));
        }
        let trips = self.found.trips(main)?;
        let mut blocks = one.clone();
        let mut rest = one;
        for (carried, after) in blocks.carried.iter_mut().zip(&mut rest.carried) {
            carried.first = carried.variable;
            after.first = carried.variable;
        }
        rest.start = rest.start.plus(&trips, 1)?;
        let string = self.message.variable(string).name.clone();
        let over = Time { at: part + 1, cause: format!("all of `{string}`") };
        for id in local {
            self.times.insert(id, over.clone());
        }
        self.timed.statements.push((part, Statement::Loop(blocks)));
        let left = rest.stop.plus(&rest.start, -1)?;
        let nothing = self.found.facts.not_negative(&Number::default().plus(&left, -1)?);
        Ok((!nothing).then_some(rest))
    }

    /// A choice without the loops in it that take blocks, nor the steps that these need: what does not stand on both sides may
    /// be done whatever is chosen.
    fn choice(
        &mut self,
        condition: Condition,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    ) -> Result<Statement, Whole> {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        variables_made(&then, &mut one);
        variables_made(&otherwise, &mut other);
        let both: BTreeSet<VariableId> = one.iter().copied().filter(|id| other.contains(id)).collect();
        let mut sides = Vec::new();
        let decided = self.condition(&condition);
        for side in [then, otherwise] {
            let mut kept = Vec::new();
            let takes =
                side.iter().any(|one| matches!(one, Statement::Loop(one) if self.found.main(one).is_some()));
            for statement in side {
                let mut made = Vec::new();
                variables_made(std::slice::from_ref(&statement), &mut made);
                let shared = made.iter().find(|id| both.contains(id));
                match statement {
                    Statement::Loop(one) if self.found.main(&one).is_some() => {
                        if let Some(&shared) = shared {
                            return Err(reasons::both(&self.message.variable(shared).name));
                        }
                        let main = self.found.main(&one).cloned();
                        let rest = main.map(|main| self.take(one, &main)).transpose()?.flatten();
                        kept.extend(rest.map(Statement::Loop));
                    }
                    Statement::Step(step) if takes && shared.is_none() => {
                        let targets = step.outputs.iter();
                        let is_local = targets.clone().all(|one| matches!(one, Target::Variable(_)));
                        let time = self.step(&step);
                        if is_local && time.at < decided.at {
                            self.push(Statement::Step(step));
                        } else {
                            // What follows inside of the choice sees when this is known.
                            self.define(&Statement::Step(step.clone()), &time);
                            kept.push(Statement::Step(step));
                        }
                    }
                    other => {
                        let time = self.of(&other);
                        self.define(&other, &time);
                        kept.push(other);
                    }
                }
            }
            sides.push(kept);
        }
        let otherwise = sides.pop().unwrap_or_default();
        let then = sides.pop().unwrap_or_default();
        Ok(Statement::If { condition, then, otherwise })
    }

    // ---- When things are known ----

    fn of(&self, statement: &Statement) -> Time {
        match statement {
            Statement::Step(step) => self.step(step),
            Statement::Define(define) => self.define_time(define),
            Statement::Loop(one) => {
                let mut time = self.number(&one.start).later(self.number(&one.stop));
                for carried in &one.carried {
                    time = time.later(self.variable(carried.first));
                }
                self.inside(&one.body, time)
            }
            Statement::If { condition, then, otherwise } => {
                let time = self.inside(then, self.condition(condition));
                self.inside(otherwise, time)
            }
            Statement::Accept { left, right, .. } => {
                let last = Time { at: self.last(), cause: "the tag".into() };
                last.later(self.text(left)).later(self.text(right))
            }
        }
    }

    fn inside(&self, body: &[Statement], time: Time) -> Time {
        body.iter().fold(time, |time, statement| time.later(self.of(statement)))
    }

    fn step(&self, step: &Step) -> Time {
        let time = step.inputs.iter().fold(Time::begin(), |time, source| time.later(self.source(source)));
        step.outputs.iter().fold(time, |time, target| {
            time.later(match target {
                Target::Variable(id) => self.output(*id),
                Target::Element(id, index) => self.output(*id).later(self.number(index)),
                Target::Window(window) => self.target(window),
            })
        })
    }

    fn define_time(&self, define: &Define) -> Time {
        self.text(&define.value).later(self.target(&define.target))
    }

    fn target(&self, window: &Window) -> Time {
        let time = self.number(&window.start).later(self.number(&window.length));
        time.later(self.output(window.variable))
    }

    /// When a variable may be written: an output at the end of what it belongs to.
    fn output(&self, id: VariableId) -> Time {
        match self.found.owner.get(&id) {
            Some(&stream) => self.over(stream),
            None if self.message.outputs.contains(&id) => Time { at: self.last(), cause: "the end".into() },
            None => Time::begin(),
        }
    }

    fn over(&self, stream: usize) -> Time {
        let name = &self.message.variable(self.found.streams[stream].variable).name;
        Time { at: 2 * stream + 2, cause: format!("all of `{name}`") }
    }

    fn source(&self, source: &Source) -> Time {
        match source {
            Source::Variable(id) => self.variable(*id),
            Source::Element(id, index) => self.variable(*id).later(self.number(index)),
            Source::Text(text) | Source::Words { text, .. } => self.text(text),
            Source::Word { number, .. } => self.number(number),
        }
    }

    /// When all of a variable is known.
    fn variable(&self, id: VariableId) -> Time {
        if let Some(&stream) = self.found.owner.get(&id) {
            return self.over(stream);
        }
        let count = self.message.variable(id).count.as_ref();
        let time = count.map_or_else(Time::begin, |count| self.number(count));
        self.times.get(&id).cloned().map_or(time.clone(), |known| time.later(known))
    }

    fn text(&self, text: &Text) -> Time {
        text.iter().fold(Time::begin(), |time, piece| {
            time.later(match piece {
                Piece::Window(window) => self
                    .variable(window.variable)
                    .later(self.number(&window.start))
                    .later(self.number(&window.length)),
                Piece::Padding { length, .. } => self.number(length),
                Piece::Map { operands, .. } => {
                    operands.iter().fold(Time::begin(), |time, text| time.later(self.text(text)))
                }
            })
        })
    }

    fn condition(&self, condition: &Condition) -> Time {
        of_condition(self.message, self.found, condition)
    }

    fn number(&self, number: &Number) -> Time {
        of_number(self.message, self.found, number)
    }
}

/// When a number is known.
pub(super) fn of_number(message: &Message, found: &Found, number: &Number) -> Time {
    let streams = found.streams.iter().enumerate();
    let known = streams.filter(|(_, stream)| number.mentions(&Term::Length(stream.length)));
    known.fold(Time::begin(), |time, (place, stream)| {
        time.later(Time { at: 2 * place + 2, cause: message.length_name(stream.length) })
    })
}

/// When a condition can be decided.
pub(super) fn of_condition(message: &Message, found: &Found, condition: &Condition) -> Time {
    match condition {
        Condition::NotNegative(number) | Condition::Zero(number) => of_number(message, found, number),
        Condition::And(left, right) | Condition::Or(left, right) => {
            of_condition(message, found, left).later(of_condition(message, found, right))
        }
    }
}

/// A variable by the name that the program has for it: passes put numbers behind it.
fn quoted(message: &Message, id: VariableId) -> String {
    let name = &message.variable(id).name;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let name =
        name.rsplit_once('_').filter(|(_, number)| is_number(number)).map_or(name.as_str(), |(name, _)| name);
    format!("`{name}`")
}

/// The variables that statements make, inner ones too.
pub(super) fn variables_made(body: &[Statement], made: &mut Vec<VariableId>) {
    for statement in body {
        match statement {
            Statement::Step(step) => made.extend(step.outputs.iter().map(|target| match target {
                Target::Variable(id) | Target::Element(id, _) => *id,
                Target::Window(window) => window.variable,
            })),
            Statement::Define(define) => made.push(define.target.variable),
            Statement::Loop(one) => {
                made.extend(one.carried.iter().map(|carried| carried.variable));
                variables_made(&one.body, made);
            }
            Statement::If { then, otherwise, .. } => {
                variables_made(then, made);
                variables_made(otherwise, made);
            }
            Statement::Accept { .. } => {}
        }
    }
}
