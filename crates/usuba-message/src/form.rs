//! Messages: what a node with public lengths computes, its loops kept.
//!
//! What has a constant size is computed by *steps*: nodes of their own, made of the equations between two statements, which
//! everything after the front end can take like any other node. What is left is strings of public length, loops over them,
//! and choices on public facts.
//!
//! Invariants, which [`mod@crate::elaborate`] establishes:
//! - statements stand in an order in which everything is defined before it is used;
//! - every element of an array of public length is defined once;
//! - what is made of all pieces of a text has the length that the variable or the step wants, for all lengths that fulfil the
//!   conditions.

use crate::number::{Named, Number, Term};
use usuba_lang::ast;
use usuba_lang::source::Span;

/// A node with public lengths, everything that it calls put in its place but for what has a constant size.
#[derive(Clone, Debug)]
pub struct Message {
    /// The name of the node.
    pub name: String,
    /// What [`Term::Length`] numbers: the `nat` parameters, then the lengths that inputs bind.
    pub lengths: Vec<String>,
    /// How many of these are `nat` parameters.
    pub nats: usize,
    /// The names of loop variables, which [`Term::Index`] numbers.
    pub indices: Vec<String>,
    /// What must hold of the lengths.
    pub conditions: Vec<Condition>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The inputs in order, `nat`s left out.
    pub inputs: Vec<VariableId>,
    /// The outputs in order.
    pub outputs: Vec<VariableId>,
    /// Whether there are outputs only if all is accepted.
    pub opens: bool,
    /// What is computed, in order.
    pub body: Vec<Statement>,
    /// The program, with a definition for each step at its end.
    pub program: ast::Program,
    /// The cipher of the program that the parameter `C` of steps is.
    pub cipher: Option<Cipher>,
}

/// A cipher as messages see it.
#[derive(Clone, Debug)]
pub struct Cipher {
    /// Its name in the program.
    pub name: String,
    /// Bytes of a block.
    pub block: u32,
    /// Bytes of a key; 0 without a schedule.
    pub key: u32,
    /// The round keys.
    pub keys: Words,
}

/// So many words of so many bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Words {
    /// Bits of a word.
    pub width: u32,
    /// How many.
    pub count: u32,
}

impl Words {
    /// Bytes of all of them, if they are whole bytes.
    pub fn bytes(self) -> Option<u32> {
        let bits = self.width.checked_mul(self.count)?;
        bits.is_multiple_of(8).then_some(bits / 8)
    }

    /// Bytes.
    pub fn of_bytes(count: u32) -> Words {
        Words { width: 8, count }
    }
}

/// Number of a [`Variable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub u32);

/// A variable: words of a constant number, or an array of elements of a public number.
#[derive(Clone, Debug)]
pub struct Variable {
    /// A name, which no other variable has.
    pub name: String,
    /// The type of all of it, or of an element.
    pub ty: ast::Type,
    /// What that type is.
    pub words: Words,
    /// The number of elements, if it is an array of public length.
    pub count: Option<Number>,
    /// What it is the same for.
    pub sameness: Sameness,
    /// The declaration.
    pub span: Span,
}

impl Variable {
    /// Its bytes, where words are whole bytes.
    pub fn bytes(&self) -> Option<Number> {
        let element = i64::from(self.words.bytes()?);
        match &self.count {
            None => Some(element.into()),
            Some(count) => count.times(&element.into()).ok(),
        }
    }
}

/// For what an input is the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sameness {
    /// For all messages of a key.
    Key,
    /// For all positions of a message.
    Message,
    /// For nothing that anyone has said.
    Open,
}

/// Which byte of a word comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Order {
    /// The most significant.
    Big,
    /// The least significant.
    Little,
}

/// A condition on public numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// The number is at least 0.
    NotNegative(Number),
    /// The number is 0.
    Zero(Number),
    /// Both hold.
    And(Box<Condition>, Box<Condition>),
    /// One of two holds, or both do.
    Or(Box<Condition>, Box<Condition>),
}

impl Condition {
    /// What holds where this does not.
    pub fn negated(&self) -> Condition {
        let less = |number: &Number, factor: i64| {
            let opposite = Number::from(-1).plus(number, factor);
            Condition::NotNegative(opposite.unwrap_or_else(|_| (-1).into()))
        };
        match self {
            Condition::NotNegative(number) => less(number, -1),
            Condition::Zero(number) => Condition::Or(Box::new(less(number, 1)), Box::new(less(number, -1))),
            Condition::And(left, right) => Condition::Or(Box::new(left.negated()), Box::new(right.negated())),
            Condition::Or(left, right) => Condition::And(Box::new(left.negated()), Box::new(right.negated())),
        }
    }
}

/// A part of a string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Bytes of a variable.
    Window(Window),
    /// Zeros, with bits set in the first and in the last of them, which may be the same.
    Padding {
        /// How many bytes.
        length: Number,
        /// Bits of the first.
        first: u8,
        /// Bits of the last.
        last: u8,
    },
    /// An operation on the bytes of texts of one length.
    Map {
        /// Which.
        operation: ByteOperation,
        /// On what: one text, or two.
        operands: Vec<Text>,
    },
}

/// Operations on bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByteOperation {
    /// Complement.
    Not,
    /// And.
    And,
    /// Or.
    Or,
    /// Exclusive or.
    Xor,
}

/// Bytes of a variable, one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// Of which.
    pub variable: VariableId,
    /// How words of more than a byte are bytes.
    pub order: Order,
    /// The first byte.
    pub start: Number,
    /// How many bytes.
    pub length: Number,
}

/// A string: its pieces, one after the other.
pub type Text = Vec<Piece>;

impl Piece {
    /// Its bytes.
    pub fn length(&self) -> Number {
        match self {
            Piece::Window(window) => window.length.clone(),
            Piece::Padding { length, .. } => length.clone(),
            Piece::Map { operands, .. } => operands.first().map(|text| length(text)).unwrap_or_default(),
        }
    }
}

/// The bytes of a text.
pub fn length(text: &[Piece]) -> Number {
    let add = |sum: Number, piece: &Piece| sum.plus(&piece.length(), 1).unwrap_or_default();
    text.iter().fold(Number::default(), add)
}

/// Whether a text reads a variable.
pub fn reads(text: &[Piece], variable: VariableId) -> bool {
    text.iter().any(|piece| match piece {
        Piece::Window(window) => window.variable == variable,
        Piece::Padding { .. } => false,
        Piece::Map { operands, .. } => operands.iter().any(|text| reads(text, variable)),
    })
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Statement {
    /// Something of a constant size.
    Step(Step),
    /// A part of a variable is a string.
    Define(Define),
    /// A loop.
    Loop(Loop),
    /// A choice on a public fact: both sides define the same.
    If {
        /// What decides.
        condition: Condition,
        /// If it holds.
        then: Vec<Statement>,
        /// If not.
        otherwise: Vec<Statement>,
    },
    /// Unless both strings are the same, the message is refused.
    Accept {
        /// One.
        left: Text,
        /// The other, of the same length.
        right: Text,
        /// Where it says so.
        span: Span,
    },
}

/// The call of a step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The name of its definition in [`Message::program`].
    pub node: String,
    /// Its inputs in order.
    pub inputs: Vec<Source>,
    /// Its outputs in order.
    pub outputs: Vec<Target>,
}

/// What a step is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// A variable of a constant size.
    Variable(VariableId),
    /// An element of an array of public length.
    Element(VariableId, Number),
    /// Bytes of a constant number.
    Text(Text),
    /// Bytes of a constant number as words.
    Words {
        /// The bytes.
        text: Text,
        /// Bits of a word.
        width: u32,
        /// How its bytes lie.
        order: Order,
    },
    /// A public number as a word.
    Word {
        /// The number, which is taken modulo 2^width.
        number: Number,
        /// Bits of the word.
        width: u32,
    },
}

/// What a step defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A variable of a constant size.
    Variable(VariableId),
    /// An element of an array of public length.
    Element(VariableId, Number),
    /// Bytes of an array of public length.
    Window(Window),
}

/// A part of an array of public length is a string.
#[derive(Clone, Debug)]
pub struct Define {
    /// What is defined; [`Window::order`] says how bytes become words.
    pub target: Window,
    /// What it is.
    pub value: Text,
    /// The equation.
    pub span: Span,
}

/// A loop upwards, perhaps without iterations.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its variable: a place in [`Message::indices`].
    pub index: u32,
    /// The first value.
    pub start: Number,
    /// The first value that is no more in it.
    pub stop: Number,
    /// What is done.
    pub body: Vec<Statement>,
    /// What an iteration leaves to the next, and the last to what follows: none before the pass `carry`.
    pub carried: Vec<Carried>,
    /// The loop in the source.
    pub span: Span,
}

/// A variable of a constant size that every iteration sets anew; after the loop it has its last value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Carried {
    /// The variable.
    pub variable: VariableId,
    /// What its value is before the first iteration.
    pub first: VariableId,
    /// What its value is after an iteration.
    pub next: VariableId,
}

impl Message {
    /// The variable numbered `id`.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// A number with the names of this message.
    pub fn show(&self, number: &Number) -> String {
        let name = |term: &Term| match term {
            Term::Length(length) => self.lengths.get(*length as usize).cloned().unwrap_or_default(),
            Term::Index(index) => self.indices.get(*index as usize).cloned().unwrap_or_default(),
            _ => String::new(),
        };
        Named(number, &name).to_string()
    }

    /// A condition with the names of this message: `t == 16`, `(n >= 1 or m == 0)`.
    pub fn show_condition(&self, condition: &Condition) -> String {
        let compared = |number: &Number, sign: &str| {
            let constant = number.constant();
            let left = number.plus(&constant.into(), -1);
            match (left, constant.checked_neg()) {
                (Ok(left), Some(right)) => format!("{} {sign} {right}", self.show(&left)),
                _ => format!("{} {sign} 0", self.show(number)),
            }
        };
        match condition {
            Condition::NotNegative(number) => compared(number, ">="),
            Condition::Zero(number) => compared(number, "=="),
            Condition::And(..) | Condition::Or(..) => {
                let mut parts = Vec::new();
                self.show_parts(condition, matches!(condition, Condition::And(..)), &mut parts);
                let word = if matches!(condition, Condition::And(..)) { " and " } else { " or " };
                format!("({})", parts.join(word))
            }
        }
    }

    /// The parts of a conjunction, or of a disjunction, of any depth.
    fn show_parts(&self, condition: &Condition, is_and: bool, parts: &mut Vec<String>) {
        match condition {
            Condition::And(left, right) if is_and => {
                [left, right].into_iter().for_each(|one| self.show_parts(one, is_and, parts));
            }
            Condition::Or(left, right) if !is_and => {
                [left, right].into_iter().for_each(|one| self.show_parts(one, is_and, parts));
            }
            other => parts.push(self.show_condition(other)),
        }
    }
}
