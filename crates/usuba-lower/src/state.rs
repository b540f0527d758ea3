//! Where atoms are while a node is lowered: at hand, or in an array, and what the kept loops around make of them.

use crate::sliced::AssignmentId;
use std::collections::HashMap;
use usuba_ir::program::{Affine, InductionId, ValueId};

/// An atom that is at hand: a value, or an element of an array that has not been read yet.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Atom {
    /// A value.
    Value(ValueId),
    /// An element.
    Element(ValueId, Affine),
}

/// Where the value of a definition is now.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// At hand.
    Atom(Atom),
    /// In the current array of its variable.
    Stored(Affine),
}

/// A variable held as an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    /// Its current version.
    pub array: ValueId,
    /// The number of kept loops around the place where it came to be; the indices follow the inductions of those inside.
    pub depth: usize,
}

/// Use `.1` of assignment `.0`.
pub(crate) type UseKey = (AssignmentId, u32);

/// A kept loop around the place being lowered. The body is lowered for the first group; what other groups name
/// differently is here.
pub(crate) struct Frame {
    pub induction: InductionId,
    /// What a use denotes, where that is not the value of its definition.
    pub overrides: HashMap<UseKey, Override>,
    /// By how much the atom of each use of the group moves from group to group.
    pub use_slopes: HashMap<UseKey, Option<i64>>,
    /// The same for targets.
    pub target_slopes: HashMap<(AssignmentId, u32), Option<i64>>,
}

/// What a use in the body of a kept loop denotes.
pub(crate) enum Override {
    /// This.
    Atom(Atom),
    /// The element of the array that holds its variable.
    Stored,
}
