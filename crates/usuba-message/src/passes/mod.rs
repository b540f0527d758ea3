//! Passes from message to message, after which no array of public length is left but inputs and outputs.
//!
//! Each keeps the meaning, which tests compare ([`mod@crate::interpret`]).

mod aliases;
mod fuse;
mod late;
mod producers;
mod scalars;
mod split;
pub(crate) mod substitute;
pub(crate) mod views;

use crate::form::{Message, Piece, Source, Statement, Target, Text, VariableId, Window};
use crate::number::NumberError;
pub use fuse::{fuse, shifted};
use std::fmt;

/// Why a pass cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// The array.
    pub variable: String,
    /// What about it.
    pub why: &'static str,
}

impl fmt::Display for Stuck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.variable, self.why)
    }
}

impl std::error::Error for Stuck {}

impl From<NumberError> for Stuck {
    fn from(_: NumberError) -> Stuck {
        Stuck { variable: "a public number".into(), why: "it does not fit in 64 bits" }
    }
}

type Pass = fn(&mut Message) -> Result<(), Stuck>;

/// The passes in order, by name.
pub const PASSES: [(&str, Pass); 7] = [
    ("producers", producers::inline),
    ("aliases", aliases::find),
    ("whole", split::whole_blocks),
    ("views", views::resolve),
    ("scalars", scalars::replace),
    ("split", split::whole_blocks),
    ("late", late::put),
];

/// All passes, one after the other.
///
/// # Errors
/// An array of public length cannot be taken out.
pub fn run(message: &mut Message) -> Result<(), Stuck> {
    for (_, pass) in PASSES {
        pass(message)?;
    }
    Ok(())
}

impl Message {
    /// Whether a variable is an array of public length that is no parameter.
    fn is_local_array(&self, id: VariableId) -> bool {
        self.variable(id).count.is_some() && !self.inputs.contains(&id) && !self.outputs.contains(&id)
    }

    fn stuck(&self, id: VariableId, why: &'static str) -> Stuck {
        Stuck { variable: self.variable(id).name.clone(), why }
    }
}

/// Calls `see` for every text of statements, inner ones too.
pub(crate) fn texts<'s>(body: &'s [Statement], see: &mut dyn FnMut(&'s Text)) {
    for statement in body {
        match statement {
            Statement::Step(step) => {
                for source in &step.inputs {
                    if let Source::Text(text) | Source::Words { text, .. } = source {
                        see(text);
                    }
                }
            }
            Statement::Define(define) => see(&define.value),
            Statement::Loop(one) => texts(&one.body, see),
            Statement::If { then, otherwise, .. } => {
                texts(then, see);
                texts(otherwise, see);
            }
            Statement::Accept { left, right, .. } => {
                see(left);
                see(right);
            }
        }
    }
}

/// Calls `see` for every window that a text reads.
pub(crate) fn windows<'t>(text: &'t [Piece], see: &mut dyn FnMut(&'t Window)) {
    for piece in text {
        match piece {
            Piece::Window(window) => see(window),
            Piece::Padding { .. } => {}
            Piece::Map { operands, .. } => operands.iter().for_each(|text| windows(text, see)),
        }
    }
}

/// Calls `see` for every window that statements write, inner ones too.
pub(crate) fn targets_of<'s>(body: &'s [Statement], see: &mut dyn FnMut(&'s Window)) {
    for statement in body {
        match statement {
            Statement::Step(step) => {
                for target in &step.outputs {
                    if let Target::Window(window) = target {
                        see(window);
                    }
                }
            }
            Statement::Define(define) => see(&define.target),
            Statement::Loop(one) => targets_of(&one.body, see),
            Statement::If { then, otherwise, .. } => {
                targets_of(then, see);
                targets_of(otherwise, see);
            }
            Statement::Accept { .. } => {}
        }
    }
}

/// Calls `see` for every step, inner ones too.
fn steps<'s>(body: &'s [Statement], see: &mut dyn FnMut(&'s crate::form::Step)) {
    for statement in body {
        match statement {
            Statement::Step(step) => see(step),
            Statement::Loop(one) => steps(&one.body, see),
            Statement::If { then, otherwise, .. } => {
                steps(then, see);
                steps(otherwise, see);
            }
            Statement::Define(_) | Statement::Accept { .. } => {}
        }
    }
}

/// The variable that a target is a part of.
fn variable_of(target: &Target) -> VariableId {
    match target {
        Target::Variable(id) | Target::Element(id, _) => *id,
        Target::Window(window) => window.variable,
    }
}
