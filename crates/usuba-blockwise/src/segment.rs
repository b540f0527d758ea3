//! The strings and blocks that a chain goes through, one after the other.

use crate::plan::Plan;
use crate::queue::Plain;
use usuba_message::form::{self, Loop, Source, Statement, Step, VariableId};

/// A string, or a block, that a chain goes through.
pub(crate) struct Segment {
    /// The loop of its whole blocks, and where there is one that of its last block.
    pub(crate) loops: Vec<Loop>,
    /// How many bytes and blocks, in C.
    pub(crate) bytes: String,
    pub(crate) blocks: String,
    /// The C that stands before its positions.
    pub(crate) head: String,
    pub(crate) body: Body,
    pub(crate) plain: Plain,
    pub(crate) step: Step,
}

/// What is done for the positions of a segment.
pub(crate) enum Body {
    /// A plan, whose last block is added, with the C of what it is given and of its results.
    Positions { plan: Plan, given: Vec<String>, goals: Vec<String> },
    /// One block is added.
    Block(String),
}

/// Whether a statement needs a variable, loops of a chain aside.
pub(crate) fn uses(statement: &Statement, id: VariableId, chain: &[Loop]) -> bool {
    match statement {
        Statement::Step(step) => step.inputs.iter().any(|source| match source {
            Source::Variable(one) | Source::Element(one, _) => *one == id,
            Source::Text(text) | Source::Words { text, .. } => form::reads(text, id),
            Source::Word { .. } => false,
        }),
        Statement::Define(define) => form::reads(&define.value, id),
        Statement::Loop(one) => {
            let inside = chain.iter().any(|known| known.carried == one.carried);
            !inside
                && (one.body.iter().any(|inner| uses(inner, id, chain))
                    || one.carried.iter().any(|carried| carried.first == id || carried.next == id))
        }
        Statement::If { then, otherwise, .. } => {
            then.iter().chain(otherwise).any(|inner| uses(inner, id, chain))
        }
        Statement::Accept { left, right, .. } => form::reads(left, id) || form::reads(right, id),
    }
}
