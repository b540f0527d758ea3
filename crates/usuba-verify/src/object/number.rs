//! Numbers of which only is known how they grow with the turns that a loop has made and has still to make.
//!
//! A function on any number of blocks is run once for all of them: how many turns its loop makes is not known, but what is
//! computed of that is a sum of multiples. Such numbers are public. Where two of them compare in one way for all numbers of turns
//! the way is known; where they do not, what asks is refused.

use crate::graph::{Edge, Graph, words};

/// What is added for each turn that a loop has still to make, and for each that it has made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Growth {
    /// For each turn that is left.
    pub left: i64,
    /// For each turn that is done.
    pub done: i64,
}

impl Growth {
    /// Nothing.
    pub const NONE: Growth = Growth { left: 0, done: 0 };

    /// A function of both parts of two.
    pub fn map(self, other: Growth, function: impl Fn(i64, i64) -> i64) -> Growth {
        Growth { left: function(self.left, other.left), done: function(self.done, other.done) }
    }

    /// Both together.
    pub fn plus(self, other: Growth) -> Growth {
        self.map(other, i64::wrapping_add)
    }

    /// The first without the second.
    pub fn minus(self, other: Growth) -> Growth {
        self.map(other, i64::wrapping_sub)
    }
}

/// A number: what it grows by, and what it is where no turn is left or done.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Number {
    /// What it grows by.
    pub growth: Growth,
    /// The rest.
    pub more: i64,
}

/// How many turns of a loop there are for those of the message: so many for each, and so many more. A message of one length has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scale {
    /// For each turn of the message.
    pub times: i64,
    /// Beside these.
    pub more: i64,
}

impl Scale {
    /// As many.
    pub const SAME: Scale = Scale { times: 1, more: 0 };
}

/// What is known of the turns of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turns {
    /// Whether a number that becomes data is the same bits wherever that is ([`Number::bits`]), and not any.
    pub are_data: bool,
    /// So many are left at least.
    pub left: i64,
    /// So many are done at least.
    pub done: i64,
    /// Bytes of a turn.
    pub bytes: i64,
    /// There are no more turns.
    pub most: i64,
    /// Whether strings go on by whole words of eight bytes, so that a window lies as its string does.
    pub keeps_words: bool,
}

impl Turns {
    /// So many turns at least are left and done, as many bytes each that all together are less than [`LONGEST`].
    pub fn of(left: usize, done: usize, bytes: usize) -> Turns {
        let bytes = bytes.max(1) as i64;
        Turns {
            left: left as i64,
            done: done as i64,
            bytes,
            most: LONGEST / bytes,
            keeps_words: false,
            are_data: false,
        }
    }
}

/// Strings are shorter than so many bytes, which is all that an address space has. No number here overflows.
pub const LONGEST: i64 = 1 << 47;

/// So many times the bytes of a turn is the most that a number may grow by in a turn.
pub const STEEPEST: i64 = 16;

/// The most of a number that does not grow.
pub const FARTHEST: i64 = 1 << 60;

impl Number {
    /// One that is known.
    pub fn known(number: i64) -> Number {
        Number { growth: Growth::NONE, more: number }
    }

    /// Their difference.
    pub fn minus(self, other: Number) -> Number {
        Number { growth: self.growth.minus(other.growth), more: self.more.wrapping_sub(other.more) }
    }

    /// Their sum.
    pub fn plus(self, other: Number) -> Number {
        Number { growth: self.growth.plus(other.growth), more: self.more.wrapping_add(other.more) }
    }

    /// So many times.
    pub fn times(self, by: i64) -> Number {
        let growth = self.growth.map(self.growth, |one, _| one.saturating_mul(by));
        Number { growth, more: self.more.saturating_mul(by) }
    }

    /// A number before the last turn of a loop, of which it says how many turns are done, by the turns of the message that are done where
    /// one is left; nothing if it is too great.
    pub(super) fn of_message(self, Scale { times, more }: Scale) -> Option<Number> {
        let Growth { left, done } = self.growth;
        let first = done.checked_mul(times.checked_add(more)?.checked_sub(1)?)?;
        let growth = Growth { left, done: done.checked_mul(times)? };
        (left == 0).then_some(Number { growth, more: self.more.checked_add(first)? })
    }

    /// A number of the turns of the message that are left, all of them, by those of a loop; nothing if it does not grow evenly with these.
    pub(super) fn of_loop(self, Scale { times, more }: Scale) -> Option<Number> {
        let Growth { left, done } = self.growth;
        let each = left.checked_div(times).unwrap_or(0);
        let growth = Growth { left: each, done };
        (each.checked_mul(times)? == left && done == 0)
            .then_some(Number { growth, more: self.more.checked_sub(each.checked_mul(more)?)? })
    }

    /// It as data: 64 bits.
    pub fn bits(self, graph: &mut Graph) -> Vec<Edge> {
        let Growth { left, done } = self.growth;
        let grown = graph.turns(left, done);
        let more = words::constant(64, u128::from(self.more as u64));
        let (bits, _) = words::add(graph, &grown, &more, Edge::FALSE);
        graph.note_number([left, done, self.more], &bits);
        bits
    }

    /// How many of the lowest bits are those of the part that does not grow.
    pub fn known_bits(self) -> u32 {
        self.growth.left.trailing_zeros().min(self.growth.done.trailing_zeros())
    }
}
