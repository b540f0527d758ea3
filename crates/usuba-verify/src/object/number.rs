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
    /// So many are left and done together at least.
    pub least: i64,
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
            least: 0,
            most: LONGEST / bytes,
            keeps_words: false,
            are_data: false,
        }
    }

    /// What growth makes of the fewest turns: the least of it, if none of it is below zero, and the most, if none is above.
    pub fn fewest(self, Growth { left, done }: Growth) -> Option<i64> {
        // Turns of which is not known whether they are left or done.
        let open = (self.least - self.left - self.done).max(0);
        let nearest = match left.min(done) >= 0 {
            true => left.min(done),
            false => left.max(done).min(0),
        };
        let first = left.checked_mul(self.left)?.checked_add(done.checked_mul(self.done)?)?;
        first.checked_add(nearest.checked_mul(open)?)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The least of a number that grows, and the most of one that falls, over all turns that there may be.
    #[test]
    fn numbers_are_nearest_zero_where_there_are_the_fewest_turns() {
        for (least_left, least_done, least) in [(0, 0, 0), (2, 1, 0), (2, 1, 3), (2, 1, 9), (0, 3, 7)] {
            let turns = Turns { least, ..Turns::of(least_left, least_done, 8) };
            let both = (least_left as i64..20)
                .flat_map(|left| (least_done as i64..20).map(move |done| (left, done)));
            let all: Vec<(i64, i64)> = both.filter(|(left, done)| left + done >= least).collect();
            for growth in [(0, 0), (1, 1), (3, 0), (0, 5), (2, 7), (-1, -1), (-3, 0), (-2, -9)] {
                let values = all.iter().map(|(left, done)| growth.0 * left + growth.1 * done);
                let nearest = if growth.0.min(growth.1) >= 0 { values.min() } else { values.max() };
                let growth = Growth { left: growth.0, done: growth.1 };
                assert_eq!(turns.fewest(growth), nearest, "{turns:?} {growth:?}");
            }
        }
    }
}
