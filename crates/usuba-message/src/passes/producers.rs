//! A loop that computes each element of an array by itself, for another loop: its step goes to where the element is read.

use super::substitute::Substitution;
use super::{Stuck, steps, texts, variable_of, windows};
use crate::form::{Loop, Message, Piece, Source, Statement, Step, Target, Variable, VariableId, Window};
use crate::number::{Number, Term};

/// Replaces arrays that a loop of one step makes and that other loops read element by element.
pub(super) fn inline(message: &mut Message) -> Result<(), Stuck> {
    loop {
        let Some((place, producer)) = find(message) else { return Ok(()) };
        let mut body = std::mem::take(&mut message.body);
        body.remove(place);
        let mut changed = Vec::new();
        for statement in body {
            changed.push(rewrite(message, &producer, statement)?);
        }
        message.body = changed;
    }
}

struct Producer {
    array: VariableId,
    index: u32,
    step: Step,
    /// The element that the step makes, in bytes.
    window: Window,
}

/// A producer at the outermost level, and its place.
fn find(message: &Message) -> Option<(usize, Producer)> {
    message.body.iter().enumerate().find_map(|(place, statement)| {
        let Statement::Loop(Loop { index, body, .. }) = statement else { return None };
        let [Statement::Step(step)] = body.as_slice() else { return None };
        let [Target::Window(window)] = step.outputs.as_slice() else { return None };
        let array = window.variable;
        if !message.is_local_array(array) {
            return None;
        }
        let (rest, size) = window.start.split(&Term::Index(*index));
        let length = window.length.as_constant()?;
        if length != size || rest.mentions(&Term::Index(*index)) {
            return None;
        }
        // The only reads are those of whole elements in loops.
        let (mut writers, mut own, mut reads, mut elements) = (0, false, 0, 0);
        steps(&message.body, &mut |other| {
            writers += other.outputs.iter().filter(|target| variable_of(target) == array).count();
        });
        for source in &step.inputs {
            if let Source::Text(text) | Source::Words { text, .. } = source {
                windows(text, &mut |window| own |= window.variable == array);
            }
        }
        texts(&message.body, &mut |text| {
            windows(text, &mut |window| reads += usize::from(window.variable == array))
        });
        for statement in &message.body {
            let Statement::Loop(other) = statement else { continue };
            steps(&other.body, &mut |step| {
                for source in &step.inputs {
                    if let Source::Text(text) = source
                        && let [Piece::Window(read)] = text.as_slice()
                    {
                        let whole = read.length == window.length && read.start.quotient(&size.into()).is_ok();
                        elements += usize::from(read.variable == array && whole);
                    }
                }
            });
        }
        let is_one = writers == 1 && !own && reads > 0 && reads == elements;
        let producer = Producer { array, index: *index, step: step.clone(), window: window.clone() };
        is_one.then_some((place, producer))
    })
}

fn rewrite(message: &mut Message, producer: &Producer, statement: Statement) -> Result<Statement, Stuck> {
    let Statement::Loop(mut one) = statement else { return Ok(statement) };
    let mut body = Vec::new();
    for statement in std::mem::take(&mut one.body) {
        let Statement::Step(mut step) = statement else {
            body.push(statement);
            continue;
        };
        for source in &mut step.inputs {
            let Source::Text(text) = source else { continue };
            let [Piece::Window(read)] = text.as_slice() else { continue };
            if read.variable != producer.array {
                continue;
            }
            let (rest, size) = producer.window.start.split(&Term::Index(producer.index));
            let at: Number = read.start.plus(&rest, -1)?.quotient(&size.into())?;
            let substitution = Substitution { term: Term::Index(producer.index), value: &at };
            let mut made = substitution.step(&producer.step)?;
            let variable = message.element_variable(producer.array, size as u32);
            made.outputs = vec![Target::Variable(variable)];
            body.push(Statement::Step(made));
            *source = Source::Variable(variable);
        }
        body.push(Statement::Step(step));
    }
    one.body = body;
    Ok(Statement::Loop(one))
}

impl Message {
    /// A new variable for `bytes` bytes of an array, or for one of its elements if these are no bytes.
    pub(super) fn element_variable(&mut self, array: VariableId, bytes: u32) -> VariableId {
        let of = self.variable(array);
        let mut words = of.words;
        if words.width == 8 {
            words.count = bytes;
        }
        let name = format!("{}_{}", of.name, self.variables.len());
        let variable = Variable { name, words, count: None, ..of.clone() };
        self.variables.push(variable);
        VariableId(self.variables.len() as u32 - 1)
    }
}
