//! What a message computes: loops run, steps by the reference interpreter.

use crate::form::{ByteOperation, Condition, Message, Order, Piece, Source, Statement, Target, Window};
use crate::number::{Number, NumberError, Term};
use std::collections::BTreeMap;
use std::fmt;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::elaborate::{self, Options};
use usuba_lang::interpret::Interpreter;

/// A message ready to be run with any lengths.
pub struct Runner<'m> {
    message: &'m Message,
    steps: BTreeMap<String, Interpreter>,
}

/// Why a message has no value.
#[derive(Clone, Debug)]
pub enum RunError {
    /// What the front end says of a step.
    Step(String, Vec<Diagnostic>),
    /// A condition does not hold.
    Condition,
    /// Not one value for each input, or not so many words as it has.
    Input(String),
    /// A number has no value, or a place is not in its variable: a mistake of this crate.
    Internal(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Step(node, diagnostics) => {
                let error = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
                write!(f, "step `{node}`: {}", error.map_or("it has no form", |error| &error.message))
            }
            RunError::Condition => f.write_str("the lengths are not what the message is made for"),
            RunError::Input(name) => write!(f, "the input `{name}` does not fit"),
            RunError::Internal(what) => write!(f, "internal: {what}"),
        }
    }
}

impl std::error::Error for RunError {}

impl From<NumberError> for RunError {
    fn from(error: NumberError) -> RunError {
        RunError::Internal(format!("{error:?}"))
    }
}

impl<'m> Runner<'m> {
    /// Elaborates the steps.
    ///
    /// # Errors
    /// The front end refuses one.
    pub fn new(message: &'m Message) -> Result<Runner<'m>, RunError> {
        let mut steps = BTreeMap::new();
        let mut open: Vec<&[Statement]> = vec![&message.body];
        while let Some(body) = open.pop() {
            for statement in body {
                match statement {
                    Statement::Step(step) => {
                        let options = Options {
                            entry: Some(step.node.clone()),
                            cipher: message.cipher.as_ref().map(|cipher| cipher.name.clone()),
                            keep_tables: true,
                            ..Options::new()
                        };
                        let (typed, diagnostics) = elaborate::elaborate(&message.program, &options);
                        let typed = typed.ok_or_else(|| RunError::Step(step.node.clone(), diagnostics))?;
                        steps.insert(step.node.clone(), Interpreter::new(&typed));
                    }
                    Statement::Loop(one) => open.push(&one.body),
                    Statement::If { then, otherwise, .. } => open.extend([then.as_slice(), otherwise]),
                    Statement::Define(_) | Statement::Accept { .. } => {}
                }
            }
        }
        Ok(Runner { message, steps })
    }

    /// The words of the outputs in order; `None` if the message is refused.
    ///
    /// `lengths`: values for [`Message::lengths`]. `inputs`: for each input, its words.
    ///
    /// # Errors
    /// The inputs do not fit.
    pub fn run(&mut self, lengths: &[i64], inputs: &[Vec<u128>]) -> Result<Option<Vec<Vec<u128>>>, RunError> {
        let message = self.message;
        let mut state = State {
            message,
            lengths: lengths.to_vec(),
            indices: vec![0; message.indices.len()],
            values: Vec::new(),
            accepted: true,
        };
        for condition in &message.conditions {
            if !state.holds(condition)? {
                return Err(RunError::Condition);
            }
        }
        for variable in &message.variables {
            let count = match &variable.count {
                None => Some(1),
                // A count that has no sense belongs to a part that is not run.
                Some(count) => usize::try_from(state.number(count)?).ok(),
            };
            state.values.push(vec![0; count.unwrap_or(0) * variable.words.count as usize]);
        }
        for (&id, words) in message.inputs.iter().zip(inputs) {
            let place = &mut state.values[id.0 as usize];
            if place.len() != words.len() {
                return Err(RunError::Input(message.variable(id).name.clone()));
            }
            place.clone_from(words);
        }
        state.run(&message.body, &mut self.steps)?;
        let outputs = message.outputs.iter().map(|id| state.values[id.0 as usize].clone());
        Ok(Some(outputs.collect()).filter(|_| state.accepted))
    }
}

impl Message {
    /// Whether the message is made for these lengths.
    pub fn fits(&self, lengths: &[i64]) -> bool {
        let state = State {
            message: self,
            lengths: lengths.to_vec(),
            indices: vec![0; self.indices.len()],
            values: Vec::new(),
            accepted: true,
        };
        let sizes = self.inputs.iter().filter_map(|&id| self.variable(id).count.as_ref());
        sizes.into_iter().all(|count| state.number(count).is_ok_and(|count| count >= 0))
            && self.conditions.iter().all(|condition| state.holds(condition).unwrap_or(false))
    }
}

struct State<'m> {
    message: &'m Message,
    lengths: Vec<i64>,
    indices: Vec<i64>,
    values: Vec<Vec<u128>>,
    accepted: bool,
}

type Run<T> = Result<T, RunError>;

impl State<'_> {
    fn number(&self, number: &Number) -> Run<i64> {
        let value = |term: &Term| match term {
            Term::Length(length) => self.lengths.get(*length as usize).copied().unwrap_or(0),
            Term::Index(index) => self.indices.get(*index as usize).copied().unwrap_or(0),
            _ => 0,
        };
        Ok(number.evaluate(&value)?)
    }

    fn place(&self, number: &Number) -> Run<usize> {
        let value = self.number(number)?;
        usize::try_from(value)
            .map_err(|_| RunError::Internal(format!("{} is {value}", self.message.show(number))))
    }

    fn holds(&self, condition: &Condition) -> Run<bool> {
        Ok(match condition {
            Condition::NotNegative(number) => self.number(number)? >= 0,
            Condition::Zero(number) => self.number(number)? == 0,
            Condition::And(left, right) => self.holds(left)? && self.holds(right)?,
            Condition::Or(left, right) => self.holds(left)? || self.holds(right)?,
        })
    }

    fn run(&mut self, body: &[Statement], steps: &mut BTreeMap<String, Interpreter>) -> Run<()> {
        for statement in body {
            match statement {
                Statement::Step(step) => {
                    let inputs =
                        step.inputs.iter().map(|source| self.source(source)).collect::<Run<Vec<_>>>()?;
                    let missing = || RunError::Internal(format!("no step `{}`", step.node));
                    let outputs = steps.get_mut(&step.node).ok_or_else(missing)?.run(&inputs);
                    for (target, words) in step.outputs.iter().zip(outputs) {
                        self.define(target, &words)?;
                    }
                }
                Statement::Define(define) => {
                    let bytes = self.text(&define.value)?;
                    self.store(&define.target, &bytes)?;
                }
                Statement::Loop(one) => {
                    for carried in &one.carried {
                        self.values[carried.variable.0 as usize] =
                            self.values[carried.first.0 as usize].clone();
                    }
                    for index in self.number(&one.start)?..self.number(&one.stop)? {
                        self.indices[one.index as usize] = index;
                        self.run(&one.body, steps)?;
                        let next: Vec<Vec<u128>> =
                            one.carried.iter().map(|one| self.values[one.next.0 as usize].clone()).collect();
                        for (carried, value) in one.carried.iter().zip(next) {
                            self.values[carried.variable.0 as usize] = value;
                        }
                    }
                }
                Statement::If { condition, then, otherwise } => {
                    let branch = if self.holds(condition)? { then } else { otherwise };
                    self.run(branch, steps)?;
                }
                Statement::Accept { left, right, .. } => {
                    self.accepted &= self.text(left)? == self.text(right)?;
                }
            }
        }
        Ok(())
    }

    fn source(&self, source: &Source) -> Run<Vec<u128>> {
        Ok(match source {
            Source::Variable(id) => self.values[id.0 as usize].clone(),
            Source::Element(id, index) => {
                let size = self.message.variable(*id).words.count as usize;
                let start = self.place(index)? * size;
                let words = self.values[id.0 as usize].get(start..start + size);
                words.ok_or_else(|| self.outside(*id, index))?.to_vec()
            }
            Source::Text(text) => self.text(text)?.into_iter().map(u128::from).collect(),
            Source::Words { text, width, order } => {
                let bytes = self.text(text)?;
                bytes.chunks(*width as usize / 8).map(|bytes| word_of(bytes, *order)).collect()
            }
            Source::Word { number, width } => {
                let value = self.number(number)? as u128;
                vec![if *width >= 128 { value } else { value & ((1 << width) - 1) }]
            }
        })
    }

    fn outside(&self, id: crate::form::VariableId, index: &Number) -> RunError {
        let name = &self.message.variable(id).name;
        RunError::Internal(format!("`{name}` has no place {}", self.message.show(index)))
    }

    fn define(&mut self, target: &Target, words: &[u128]) -> Run<()> {
        match target {
            Target::Variable(id) => self.values[id.0 as usize] = words.to_vec(),
            Target::Element(id, index) => {
                let start = self.place(index)? * words.len();
                let outside = self.outside(*id, index);
                let place = self.values[id.0 as usize].get_mut(start..start + words.len());
                place.ok_or(outside)?.copy_from_slice(words);
            }
            Target::Window(window) => {
                let width = self.message.variable(window.variable).words.width;
                let bytes: Vec<u8> =
                    words.iter().flat_map(|&word| bytes_of(word, width, window.order)).collect();
                self.store(window, &bytes)?;
            }
        }
        Ok(())
    }

    fn text(&self, text: &[Piece]) -> Run<Vec<u8>> {
        let mut bytes = Vec::new();
        for piece in text {
            match piece {
                Piece::Window(window) => {
                    let variable = self.message.variable(window.variable);
                    let width = variable.words.width;
                    let size = width as usize / 8;
                    if self.place(&window.length)? == 0 {
                        continue;
                    }
                    let start = self.place(&window.start)?;
                    let end = start + self.place(&window.length)?;
                    let words = self.values[window.variable.0 as usize].get(start / size..end.div_ceil(size));
                    let words = words.ok_or_else(|| self.outside(window.variable, &window.start))?;
                    let all = words.iter().flat_map(|&word| bytes_of(word, width, window.order));
                    bytes.extend(all.skip(start % size).take(end - start));
                }
                Piece::Padding { length, first, last } => {
                    let mut padding = vec![0; self.place(length)?];
                    if let Some(byte) = padding.first_mut() {
                        *byte |= first;
                    }
                    if let Some(byte) = padding.last_mut() {
                        *byte |= last;
                    }
                    bytes.extend(padding);
                }
                Piece::Map { operation, operands } => {
                    let operands =
                        operands.iter().map(|text| self.text(text)).collect::<Run<Vec<Vec<u8>>>>()?;
                    let (left, right) = match operands.as_slice() {
                        [one] => (one, one),
                        [left, right] if left.len() == right.len() => (left, right),
                        _ => return Err(RunError::Internal("texts of different lengths".into())),
                    };
                    bytes.extend(left.iter().zip(right).map(|(&a, &b)| match operation {
                        ByteOperation::Not => !a,
                        ByteOperation::And => a & b,
                        ByteOperation::Or => a | b,
                        ByteOperation::Xor => a ^ b,
                    }));
                }
            }
        }
        Ok(bytes)
    }

    fn store(&mut self, window: &Window, bytes: &[u8]) -> Run<()> {
        let length = self.place(&window.length)?;
        if length != bytes.len() {
            return Err(RunError::Internal(format!("{length} bytes wanted, {} given", bytes.len())));
        }
        if length == 0 {
            return Ok(());
        }
        let start = self.place(&window.start)?;
        let size = self.message.variable(window.variable).words.width as usize / 8;
        let outside = self.outside(window.variable, &window.start);
        let place = self.values[window.variable.0 as usize].get_mut(start / size..(start + length) / size);
        let place = place.ok_or(outside)?;
        for (word, bytes) in place.iter_mut().zip(bytes.chunks(size)) {
            *word = word_of(bytes, window.order);
        }
        Ok(())
    }
}

/// The word of bytes.
fn word_of(bytes: &[u8], order: Order) -> u128 {
    let add = |word: u128, &byte: &u8| word << 8 | u128::from(byte);
    match order {
        Order::Big => bytes.iter().fold(0, add),
        Order::Little => bytes.iter().rev().fold(0, add),
    }
}

/// The bytes of a word.
fn bytes_of(word: u128, width: u32, order: Order) -> impl Iterator<Item = u8> {
    let bytes = width / 8;
    (0..bytes).map(move |byte| {
        let place = if order == Order::Big { bytes - 1 - byte } else { byte };
        (word >> (8 * place)) as u8
    })
}
