//! The parts: statements by their time, with strings as they come.

use super::streams::Found;
use super::times::{Time, Timed, of_condition, variables_made};
use super::{Incremental, Part, Stream, When, Whole, reasons};
use crate::facts::Facts;
use crate::form::{
    Carried, Define, Loop, Message, Piece, Sameness, Source, Statement, Step, Target, Text, Variable,
    VariableId, Window,
};
use crate::number::{Number, Term};
use crate::passes::views::assume_range;
use std::collections::BTreeSet;

/// The parts of a message whose statements have their times.
///
/// # Errors
/// A string is read where it is no more.
pub(super) fn make(message: &mut Message, found: Found, timed: Timed) -> Result<Incremental, Whole> {
    let count = 2 * found.streams.len() + 1;
    let mut bodies: Vec<Vec<Statement>> = vec![Vec::new(); count];
    for (time, statement) in timed.statements {
        bodies[time].push(statement);
    }
    let mut parts = Vec::new();
    for (place, body) in bodies.into_iter().enumerate() {
        parts.push(part(message, &found, place, body)?);
    }
    // What a key gives is made where it is read, since it is the same for all messages.
    let mut kept = BTreeSet::new();
    for part in &mut parts {
        let mut read = upward(&part.message.body);
        let mut before = Vec::new();
        for statement in timed.keyed.iter().rev() {
            let mut made = Vec::new();
            variables_made(std::slice::from_ref(statement), &mut made);
            if made.iter().any(|id| read.contains(id)) {
                before.push(statement.clone());
                made.iter().for_each(|id| {
                    read.remove(id);
                });
                read.extend(upward(std::slice::from_ref(statement)));
            }
        }
        before.reverse();
        part.message.body.splice(0..0, before);
        inputs(message, &found, part, &read)?;
        kept.extend(part.reads.iter().copied());
    }
    keep_inputs(message, &found, &mut parts, &mut kept)?;
    for part in &mut parts {
        let mut made = Vec::new();
        variables_made(&part.message.body, &mut made);
        part.writes = kept.iter().copied().filter(|id| made.contains(id)).collect();
    }
    let kept: Vec<VariableId> = kept.into_iter().collect();
    if let Some(&large) = kept.iter().find(|&&id| message.variable(id).count.is_some()) {
        return Err(reasons::large(&message.variable(large).name));
    }
    Ok(Incremental { streams: found.streams, squeezes: found.squeezes, parts, kept })
}

/// What a part is given from outside and of what is kept.
fn inputs(
    message: &Message,
    found: &Found,
    part: &mut Part,
    read: &BTreeSet<VariableId>,
) -> Result<(), Whole> {
    let is_output = |id: &VariableId| message.outputs.contains(id);
    part.message.inputs.retain(|id| read.contains(id));
    let mut written = Vec::new();
    variables_made(&part.message.body, &mut written);
    part.message.outputs.retain(|id| written.contains(id));
    if let Some(&late) = read.iter().find(|id| is_output(id) && !found.owner.contains_key(id)) {
        return Err(reasons::large(&message.variable(late).name));
    }
    part.reads = read.iter().copied().filter(|id| !message.inputs.contains(id) && !is_output(id)).collect();
    Ok(())
}

/// Keeps inputs that are read in several parts and are no keys: they are given at the beginning.
fn keep_inputs(
    message: &mut Message,
    found: &Found,
    parts: &mut [Part],
    kept: &mut BTreeSet<VariableId>,
) -> Result<(), Whole> {
    for id in message.inputs.clone() {
        let variable = message.variable(id).clone();
        let is_string = found.owner.contains_key(&id);
        let readers = parts.iter().filter(|part| part.message.inputs.contains(&id)).count();
        let is_late = parts.last().is_some_and(|part| part.message.inputs.contains(&id));
        if variable.sameness == Sameness::Key || is_string || readers == 0 || (readers == 1 && is_late) {
            continue;
        }
        let (first, others) = parts.split_first_mut().ok_or_else(reasons::no_string)?;
        if others.iter().all(|part| !part.message.inputs.contains(&id)) {
            continue;
        }
        if variable.count.is_some() {
            return Err(reasons::input(&variable.name));
        }
        let copy = VariableId(message.variables.len() as u32);
        let variable = Variable { name: format!("{}_kept", variable.name), ..variable };
        message.variables.push(variable.clone());
        kept.insert(copy);
        first.message.variables.push(variable.clone());
        let nothing = Number::default();
        let carried = vec![Carried { variable: copy, first: id, next: copy }];
        let span = variable.span;
        first.message.body.push(Statement::Loop(Loop {
            index: 0,
            start: nothing.clone(),
            stop: nothing,
            body: Vec::new(),
            carried,
            span,
        }));
        if !first.message.inputs.contains(&id) {
            first.message.inputs.push(id);
            first.message.inputs.sort_by_key(|&id| message.inputs.iter().position(|&other| other == id));
        }
        for part in others {
            part.message.variables.push(variable.clone());
            if part.message.inputs.contains(&id) {
                part.message.inputs.retain(|&other| other != id);
                part.reads.push(copy);
                rename(&mut part.message.body, id, copy);
            }
        }
    }
    Ok(())
}

/// Another variable for one that is read.
fn rename(body: &mut [Statement], from: VariableId, to: VariableId) {
    let in_texts = |text: &mut Text| rename_text(text, from, to);
    for statement in body {
        match statement {
            Statement::Step(step) => {
                for source in &mut step.inputs {
                    match source {
                        Source::Variable(id) | Source::Element(id, _) if *id == from => *id = to,
                        Source::Text(text) | Source::Words { text, .. } => in_texts(text),
                        _ => {}
                    }
                }
            }
            Statement::Define(define) => in_texts(&mut define.value),
            Statement::Loop(one) => {
                for carried in &mut one.carried {
                    for id in [&mut carried.first, &mut carried.next] {
                        if *id == from {
                            *id = to;
                        }
                    }
                }
                rename(&mut one.body, from, to);
            }
            Statement::If { then, otherwise, .. } => {
                rename(then, from, to);
                rename(otherwise, from, to);
            }
            Statement::Accept { left, right, .. } => {
                in_texts(left);
                in_texts(right);
            }
        }
    }
}

fn rename_text(text: &mut Text, from: VariableId, to: VariableId) {
    for piece in text {
        match piece {
            Piece::Window(window) if window.variable == from => window.variable = to,
            Piece::Map { operands, .. } => operands.iter_mut().for_each(|text| rename_text(text, from, to)),
            _ => {}
        }
    }
}

fn part(message: &Message, found: &Found, place: usize, body: Vec<Statement>) -> Result<Part, Whole> {
    let when = match place {
        0 => When::Begin,
        _ if place % 2 == 1 => When::Blocks(place / 2),
        _ => When::End(place / 2 - 1),
    };
    let mut part = message.clone();
    for stream in &found.streams {
        let name = part.lengths.get(stream.length as usize).cloned().unwrap_or_default();
        part.lengths.push(format!("{name}_before"));
        part.lengths.push(format!("{name}_now"));
    }
    let mut facts = found.facts.clone();
    for stream in &found.streams {
        for added in [stream.before, stream.now] {
            facts.assume(&crate::form::Condition::NotNegative(Term::Length(added).into()));
        }
    }
    let mut taken = None;
    for (number, stream) in found.streams.iter().enumerate() {
        let (start, count) = match when {
            When::Blocks(own) if own == number => {
                let before = Number::from(Term::Length(stream.before)).times(&stream.rate.into())?;
                let now =
                    Number::from(Term::Length(stream.now)).times(&(stream.rate / stream.element).into())?;
                (before, now)
            }
            When::End(own) if own == number => {
                let start = stream.blocks.times(&stream.rate.into())?;
                let count = Number::from(Term::Length(stream.length))
                    .plus(&stream.blocks, -stream.rate / stream.element)?;
                (start, count)
            }
            _ => continue,
        };
        taken = Some((number, start));
        for &id in stream.outputs.iter().chain([&stream.variable]) {
            part.variables[id.0 as usize].count = Some(count.clone());
        }
    }
    let shift = Shift { message, found, when, taken };
    part.body = shift.statements(body, &facts)?;
    let known = |stream: &Stream| {
        let number = found.streams.iter().position(|one| one == stream).unwrap_or(0);
        2 * number + 2 <= place
    };
    let lengths = (0..message.lengths.len() as u32)
        .filter(|&length| found.streams.iter().find(|stream| stream.length == length).is_none_or(known));
    let mut lengths: Vec<u32> = lengths.collect();
    if let When::Blocks(own) = when {
        lengths.extend([found.streams[own].before, found.streams[own].now]);
    }
    part.conditions.retain(|condition| {
        let Time { at, .. } = of_condition(message, found, condition);
        at == place
    });
    Ok(Part { when, message: part, lengths, reads: Vec::new(), writes: Vec::new() })
}

/// Windows of strings as these come.
struct Shift<'a> {
    message: &'a Message,
    found: &'a Found,
    when: When,
    /// The string that is there, and where it begins.
    taken: Option<(usize, Number)>,
}

impl Shift<'_> {
    fn statements(&self, body: Vec<Statement>, facts: &Facts) -> Result<Vec<Statement>, Whole> {
        body.into_iter().map(|statement| self.statement(statement, facts)).collect()
    }

    fn statement(&self, statement: Statement, facts: &Facts) -> Result<Statement, Whole> {
        Ok(match statement {
            Statement::Step(step) => Statement::Step(self.step(step, facts)?),
            Statement::Define(define) => Statement::Define(Define {
                target: self.window(&define.target, facts)?,
                value: self.text(&define.value, facts)?,
                span: define.span,
            }),
            Statement::Accept { left, right, span } => {
                Statement::Accept { left: self.text(&left, facts)?, right: self.text(&right, facts)?, span }
            }
            Statement::If { condition, then, otherwise } => {
                let (mut yes, mut no) = (facts.clone(), facts.clone());
                yes.assume(&condition);
                no.assume(&condition.negated());
                let (then, otherwise) = (self.statements(then, &yes)?, self.statements(otherwise, &no)?);
                Statement::If { condition, then, otherwise }
            }
            Statement::Loop(one) => {
                let one = self.range(one)?;
                let mut inside = facts.clone();
                assume_range(&mut inside, one.index, &one.start, &one.stop)
                    .map_err(|stuck| Whole::new(stuck.to_string()))?;
                let body = self.statements(one.body.clone(), &inside)?;
                Statement::Loop(Loop { body, ..one })
            }
        })
    }

    /// A loop that takes blocks, over those that are taken now.
    fn range(&self, one: Loop) -> Result<Loop, Whole> {
        let (When::Blocks(_), Some(main)) = (self.when, self.found.main(&one)) else { return Ok(one) };
        let each = main.each;
        let stream = &self.found.streams[main.stream];
        let start = one.start.plus(&Term::Length(stream.before).into(), each)?;
        let stop = start.plus(&Term::Length(stream.now).into(), each)?;
        Ok(Loop { start, stop, ..one })
    }

    fn step(&self, step: Step, facts: &Facts) -> Result<Step, Whole> {
        let inputs = step.inputs.iter().map(|source| {
            Ok(match source {
                Source::Text(text) => Source::Text(self.text(text, facts)?),
                Source::Words { text, width, order } => {
                    Source::Words { text: self.text(text, facts)?, width: *width, order: *order }
                }
                other => other.clone(),
            })
        });
        let outputs = step.outputs.iter().map(|target| {
            Ok(match target {
                Target::Window(window) => Target::Window(self.window(window, facts)?),
                other => other.clone(),
            })
        });
        Ok(Step {
            inputs: inputs.collect::<Result<_, Whole>>()?,
            outputs: outputs.collect::<Result<_, Whole>>()?,
            node: step.node,
        })
    }

    fn text(&self, text: &Text, facts: &Facts) -> Result<Text, Whole> {
        text.iter()
            .map(|piece| {
                Ok(match piece {
                    Piece::Window(window) => Piece::Window(self.window(window, facts)?),
                    Piece::Padding { .. } => piece.clone(),
                    Piece::Map { operation, operands } => Piece::Map {
                        operation: *operation,
                        operands: operands
                            .iter()
                            .map(|text| self.text(text, facts))
                            .collect::<Result<_, Whole>>()?,
                    },
                })
            })
            .collect()
    }

    fn window(&self, window: &Window, facts: &Facts) -> Result<Window, Whole> {
        let Some(&owner) = self.found.owner.get(&window.variable) else { return Ok(window.clone()) };
        let name = &self.message.variable(window.variable).name;
        let Some((_, begin)) = self.taken.as_ref().filter(|(stream, _)| *stream == owner) else {
            return Err(reasons::late(name));
        };
        let start = window.start.plus(begin, -1)?;
        // The first byte is there if any is: a window without bytes has no place.
        let mut inside = facts.clone();
        inside.assume(&crate::form::Condition::NotNegative(window.length.plus(&(-1).into(), 1)?));
        if !inside.not_negative(&start) {
            return Err(reasons::again(name));
        }
        Ok(Window { start: facts.simplified(&start)?, ..window.clone() })
    }
}

/// The variables that statements read before they make them.
fn upward(body: &[Statement]) -> BTreeSet<VariableId> {
    let mut reader = Reader::default();
    reader.statements(body);
    reader.read
}

#[derive(Clone, Default)]
struct Reader {
    made: BTreeSet<VariableId>,
    read: BTreeSet<VariableId>,
}

impl Reader {
    fn see(&mut self, id: VariableId) {
        if !self.made.contains(&id) {
            self.read.insert(id);
        }
    }

    fn text(&mut self, text: &[Piece]) {
        crate::passes::windows(text, &mut |window| self.see(window.variable));
    }

    fn statements(&mut self, body: &[Statement]) {
        for statement in body {
            match statement {
                Statement::Step(step) => {
                    for source in &step.inputs {
                        match source {
                            Source::Variable(id) | Source::Element(id, _) => self.see(*id),
                            Source::Text(text) | Source::Words { text, .. } => self.text(text),
                            Source::Word { .. } => {}
                        }
                    }
                    for target in &step.outputs {
                        match target {
                            Target::Variable(id) | Target::Element(id, _) => self.made.insert(*id),
                            Target::Window(window) => self.made.insert(window.variable),
                        };
                    }
                }
                Statement::Define(define) => {
                    self.text(&define.value);
                    self.made.insert(define.target.variable);
                }
                Statement::Loop(one) => {
                    one.carried.iter().for_each(|carried| self.see(carried.first));
                    self.made.extend(one.carried.iter().map(|carried| carried.variable));
                    let mut inside = self.clone();
                    inside.statements(&one.body);
                    one.carried.iter().for_each(|carried| inside.see(carried.next));
                    self.read = inside.read;
                    // Outputs that a loop writes are made as far as it goes.
                    self.made.extend(inside.made);
                }
                Statement::If { then, otherwise, .. } => {
                    let (mut one, mut other) = (self.clone(), self.clone());
                    one.statements(then);
                    other.statements(otherwise);
                    self.made = one.made.intersection(&other.made).copied().collect();
                    self.read.extend(one.read);
                    self.read.extend(other.read);
                }
                Statement::Accept { left, right, .. } => {
                    self.text(left);
                    self.text(right);
                }
            }
        }
    }
}
