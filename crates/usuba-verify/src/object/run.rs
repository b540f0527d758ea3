//! The run of a function: where it is, and what it has to leave as it was.

use super::machine::{Machine, Word};
use super::value::Byte;

/// Where the run of a function is.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The section of the code, and the place in it.
    pub section: usize,
    pub place: u64,
    /// Where calls return to. What the machine has of it has to say the same when it is used.
    pub returns: Vec<(usize, u64)>,
    pub preserved: Preserved,
    /// What stands for the place in the caller.
    pub caller: Word,
}

/// Why a run stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// The function has returned.
    Returned,
    /// It has jumped back, as loops do after each turn.
    Back,
    /// It has come in another way to one of the places that were asked for ([`Machine::stops`]).
    Entered,
}

/// What a function has to leave as it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Preserved {
    pub pointer: Word,
    general: Vec<Word>,
    /// The lower halves of vector registers.
    vectors: Vec<Vec<Byte>>,
}

impl Preserved {
    pub fn of(machine: &mut Machine<'_>) -> Preserved {
        let convention = machine.convention;
        Preserved {
            pointer: machine.general(convention.stack_pointer),
            general: convention.kept.iter().map(|&one| machine.general(one)).collect(),
            vectors: convention.kept_vectors.iter().map(|&one| machine.vector(one, 8)).collect(),
        }
    }

    /// What is another one.
    pub fn differs(&self, other: &Preserved) -> Option<&'static str> {
        match (self.pointer == other.pointer, self == other) {
            (false, _) => Some("the stack pointer"),
            (_, false) => Some("a register that a function has to keep"),
            _ => None,
        }
    }
}

impl Machine<'_> {
    /// Whether a run stops here.
    pub(super) fn is_stop(&self, run: &Run) -> bool {
        self.stops_after == Some(self.steps) || self.stops.contains(&(run.section, run.place))
    }
}
