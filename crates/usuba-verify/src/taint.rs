//! Constant time, of any object for x86-64: which branches, addresses and instructions of variable time depend on secrets.
//!
//! A function is followed along all of its paths, with everything that it calls inside of the object. What is kept of a value is whether it may depend on a secret,
//! and which memory it may point to ([`state`]); where paths meet, what may be on one of them is there. So a function without a
//! finding has none on any input, under what [`check`] assumes of memory. A finding may be a false alarm: memory is looked at
//! region by region, and elements of arrays are not told apart.
//!
//! Not looked at: speculation, caches shared with others, power, and how fast a multiplication or a shift is on processors older than
//! those that the rest of the project is for.

mod flow;
mod state;
mod step;

pub use flow::check;

use crate::object::lines::Line;
use std::fmt;

/// What is secret at the call of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Secret {
    /// The argument with this number, from 0.
    Argument(u8),
    /// What the argument with this number points to.
    Pointee(u8),
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Secret::Argument(number) => write!(f, "argument {}", number + 1),
            Secret::Pointee(number) => write!(f, "what argument {} points to", number + 1),
        }
    }
}

/// What depends on a secret.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Whether a jump is taken.
    Branch,
    /// Where a jump or a call goes.
    Target,
    /// The address of an access to memory.
    Address,
    /// An operand of an instruction whose time depends on its operands.
    Time,
    /// How much a repeated instruction, or a function of the C library, does.
    Length,
    /// What is given to a function that is not in the object.
    Call(String),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Branch => f.write_str("whether this jumps depends on a secret"),
            Kind::Target => f.write_str("where this goes depends on a secret"),
            Kind::Address => f.write_str("this address depends on a secret"),
            Kind::Time => f.write_str("the time of this instruction depends on a secret"),
            Kind::Length => f.write_str("how much this does depends on a secret"),
            Kind::Call(name) => write!(f, "`{name}`, which is not in the object, is given a secret"),
        }
    }
}

/// An instruction in its function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The function.
    pub function: String,
    /// Bytes from its begin.
    pub offset: u64,
    /// The instruction.
    pub instruction: String,
    /// The line of source that it comes from, if the object has debug information.
    pub line: Option<Line>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{:#x}: {}", self.function, self.offset, self.instruction)?;
        self.line.iter().try_for_each(|line| write!(f, "    {line}"))
    }
}

/// A finding.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Leak {
    /// The instruction.
    pub place: Place,
    /// What depends on a secret.
    pub kind: Kind,
    /// The instructions that the secret came through, the last one first.
    pub path: Vec<Place>,
    /// What the secret is.
    pub secret: Secret,
}

/// What was found of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// What depends on secrets, by place.
    pub leaks: Vec<Leak>,
    /// What was not followed, with the reason: nothing is known of it.
    pub unknown: Vec<(Place, &'static str)>,
    /// How many instructions were looked at.
    pub instructions: usize,
}
