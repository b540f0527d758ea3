//! The strings of a message that grow, seen at a loop of the code: in a window is what the next turns read and write, and what the turn
//! before has.

use super::batches::{FEWEST, Lost};
use super::growing::{Bytes, Growing};
use super::induction::{Moving, Pairs, Strings};
use super::machine::Machine;
use super::memory::{Address, Cell, RegionId};
use super::number::{Growth, Number, Turns};
use super::value::{Byte, Lane};
use crate::graph::Edge;

/// Bytes of a word, in which the places of strings are looked at.
const WORD: usize = 8;

/// What an output holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// What was there at the call.
    Before,
    /// What the text writes.
    Text,
    /// Zeros: the message is refused.
    Cleared,
}

/// A string that grows: where it is, and which input and output it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub region: RegionId,
    pub input: Option<usize>,
    pub output: Option<usize>,
    pub bytes: Bytes,
    /// What it holds before the turns of the loop, and after them.
    pub was: Content,
    pub is: Content,
}

/// Which turn is next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NextTurn {
    First,
    /// One that is neither the first nor the last.
    Middle,
    Last,
}

/// The strings that grow.
#[derive(Clone)]
pub(super) struct Windows<'a> {
    pub text: &'a Growing,
    pub all: Vec<Window>,
    /// So many turns are done at the first state of the head that is looked at.
    pub done: usize,
}

impl Windows<'_> {
    /// What is known of the turns, of which so many are left and done at least.
    pub fn turns(&self, left: usize, done: usize) -> Option<Turns> {
        let turns = Turns::of(left, done, self.all.iter().map(|one| one.bytes.turn).max().unwrap_or(1));
        let is_whole =
            |one: &Window| one.bytes.turn.is_multiple_of(WORD) && one.bytes.lead.is_multiple_of(WORD);
        let keeps_words = self.all.iter().all(is_whole);
        Some(Turns { most: self.text.most, keeps_words, are_data: true, ..turns })
    }

    /// The strings: after the first turn, of which the last bytes stay in the window, which has as many before what is next.
    pub fn strings(&self) -> Strings {
        let moving = |one: &Window| {
            let Bytes { lead, turn, .. } = one.bytes;
            let begin = lead + (self.done - 1) * turn;
            Moving { region: one.region, turn: turn as i64, begin: begin as i64 }
        };
        Strings { moving: self.all.iter().map(moving).collect(), done: self.done as i64 }
    }

    /// Fills the windows before one of the turns.
    pub fn show(&self, machine: &mut Machine<'_>, next: NextTurn) {
        for one in &self.all {
            machine.memory.set(one.region, self.cells(one, next));
            machine.memory.set_tail(one.region, self.tail(one, next));
        }
    }

    /// The same in all that follow the turns of this loop.
    pub fn begin_again(&mut self) {
        self.all.iter_mut().for_each(|one| one.was = one.is);
    }

    /// What has to be proved for the outputs to be as the text has them, or zeros, to the end of the first turn that is looked at, if
    /// nothing else was written. What the loop writes is seen here.
    pub fn written_first(&mut self, machine: &Machine<'_>) -> Result<Pairs, Lost> {
        let mut pairs = Pairs::new();
        let mut all = self.all.clone();
        for one in all.iter_mut().filter(|one| one.output.is_some()) {
            let found = &machine.memory.region(one.region).cells;
            let shown = self.cells(one, NextTurn::First);
            let end = one.bytes.after(self.done);
            one.is = one.was;
            if *found == shown {
                continue;
            }
            let is_cleared = found[..end].iter().all(|cell| *cell == Cell::Bits(Byte::ZERO));
            one.is = if is_cleared { Content::Cleared } else { Content::Text };
            pairs.extend(self.compared(one, NextTurn::First, (found, &shown), 0..end)?);
        }
        self.all = all;
        Ok(pairs)
    }

    /// Sees which strings were filled from their begin on, since the last turn.
    pub fn see_filled(&mut self, from: &[Address]) {
        let strings = self.strings();
        for one in &mut self.all {
            if from.iter().any(|&begin| begin.region == one.region && strings.is_begin(begin)) {
                (one.was, one.is) = (Content::Cleared, Content::Cleared);
            }
        }
    }

    /// What has to be proved for the outputs to be as they have to be after another turn, or after the last one and all that follows it,
    /// if nothing else was written.
    pub fn written(&self, machine: &Machine<'_>, next: NextTurn) -> Result<Pairs, Lost> {
        let mut pairs = Pairs::new();
        for one in self.all.iter().filter(|one| one.output.is_some()) {
            let found = &machine.memory.region(one.region).cells;
            let shown = self.cells(one, next);
            let turn = one.bytes.turn;
            let end = match (one.is == one.was, next) {
                (true, _) => turn,
                (false, NextTurn::Last) => shown.len(),
                (false, _) => 2 * turn,
            };
            pairs.extend(self.compared(one, next, (found, &shown), turn..end)?);
        }
        Ok(pairs)
    }

    /// Whether all outputs hold what the text says, or all are cleared.
    pub fn all_hold(&self, content: Content) -> bool {
        self.all.iter().all(|one| one.output.is_none() || one.is == content)
    }

    /// What has to be proved for a part of a window to be as it has to be; all else has to be as it was.
    fn compared(
        &self,
        one: &Window,
        next: NextTurn,
        (found, shown): (&[Cell], &[Cell]),
        part: std::ops::Range<usize>,
    ) -> Result<Pairs, Lost> {
        let is_untouched = |place: usize| found[place] == shown[place];
        if !(0..part.start).chain(part.end..found.len()).all(is_untouched) {
            return Err(Lost::Unlike("a turn of the loop writes beyond its part of the message"));
        }
        let wanted = self.filled(one, one.is, next);
        same(&wanted[..part.len()], &found[part])
    }

    /// The cells of a window before anything is written: the turn before, if there is one, and what follows.
    fn cells(&self, one: &Window, next: NextTurn) -> Vec<Cell> {
        let turn = one.bytes.turn;
        let past = match (next, one.is, one.output, one.input) {
            (NextTurn::First, ..) => Vec::new(),
            (_, Content::Cleared, ..) => vec![Cell::Bits(Byte::ZERO); turn],
            (_, Content::Text, Some(number), _) => bits(&self.text.past[number]),
            (_, _, _, Some(number)) => cells(&self.text.before[number]),
            (_, _, _, None) => vec![Cell::Unset; turn],
        };
        past.into_iter().chain(self.filled(one, one.was, next)).collect()
    }

    /// What is after all turns of an input, and where that is; nothing where it is in the window, or may be written.
    fn tail(&self, one: &Window, next: NextTurn) -> Option<(Number, Vec<Cell>)> {
        let Bytes { lead, turn, .. } = one.bytes;
        let growth = Growth { left: turn as i64, done: 0 };
        let more = match next {
            NextTurn::First => lead,
            NextTurn::Middle => turn,
            NextTurn::Last => return None,
        };
        let number = one.input.filter(|_| one.was == Content::Before)?;
        Some((Number { growth, more: more as i64 }, cells(&self.text.tail[number])))
    }

    /// What a window has from the next turn on, or from the first byte on.
    fn filled(&self, one: &Window, content: Content, next: NextTurn) -> Vec<Cell> {
        let Bytes { turn, rest, .. } = one.bytes;
        let size = match next {
            NextTurn::First => one.bytes.after(FEWEST - 1 + self.done),
            NextTurn::Middle => (FEWEST - 1) * turn,
            NextTurn::Last => turn + rest,
        };
        match (content, one.output, one.input) {
            (Content::Cleared, ..) => vec![Cell::Bits(Byte::ZERO); size],
            (Content::Text, Some(number), _) => bits(match next {
                NextTurn::First => &self.text.first[number],
                NextTurn::Middle => &self.text.next[number],
                NextTurn::Last => &self.text.last[number],
            }),
            (_, _, Some(number)) => cells(match next {
                NextTurn::First => &self.text.begin[number][..size],
                NextTurn::Middle => &self.text.window[number][..size],
                NextTurn::Last => &self.text.window[number][..turn],
            })
            .into_iter()
            .chain(cells(if next == NextTurn::Last { &self.text.tail[number] } else { &[] }))
            .collect(),
            (_, _, None) => vec![Cell::Unset; size],
        }
    }
}

/// What has to be proved for cells to hold what they have to.
pub(super) fn same(wanted: &[Cell], found: &[Cell]) -> Result<Pairs, Lost> {
    let mut pairs = Pairs::new();
    for (wanted, found) in wanted.iter().zip(found) {
        let (Cell::Bits(wanted), Cell::Bits(found)) = (wanted, found) else {
            return Err(Lost::Unlike("the function does not write all of its outputs"));
        };
        pairs.extend(wanted.bits.into_iter().zip(found.bits));
    }
    match wanted.len() <= found.len() {
        true => Ok(pairs),
        false => Err(Lost::Unlike("an output has fewer bytes than the text has")),
    }
}

/// Bits of bytes as cells.
pub(super) fn bits(bytes: &[[Edge; 8]]) -> Vec<Cell> {
    bytes.iter().map(|&bits| Cell::Bits(Byte { bits, lane: Lane::All })).collect()
}

fn cells(bytes: &[Byte]) -> Vec<Cell> {
    bytes.iter().map(|&byte| Cell::Bits(byte)).collect()
}
