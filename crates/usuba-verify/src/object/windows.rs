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

/// The strings that grow. Before the last turn of a loop they are seen as before the last turn of the message, which may have more bytes.
#[derive(Clone)]
pub(super) struct Windows<'a> {
    /// The text in turns of the message.
    pub whole: &'a Growing,
    /// The text in those of the loop.
    pub text: &'a Growing,
    pub all: Vec<Window>,
    /// So many turns are done at the first state of the head that is looked at.
    pub done: usize,
}

impl Windows<'_> {
    /// What is known of the turns of the loop, of which all are left, so many at least.
    pub fn all_turns(&self, left: usize) -> Option<Turns> {
        Some(self.turns_of(self.text, left.max(self.text.least), 0))
    }

    /// What is known of the turns of the loop, of which so many are left and done at least.
    pub fn turns(&self, left: usize, done: usize) -> Option<Turns> {
        Some(Turns { least: self.text.least as i64, ..self.turns_of(self.text, left, done) })
    }

    /// What is known of the turns of the message that are done before the last one.
    pub fn no_turns(&self) -> Option<Turns> {
        Some(self.turns_of(self.whole, 0, self.done.max(self.whole.least.saturating_sub(1))))
    }

    fn turns_of(&self, text: &Growing, left: usize, done: usize) -> Turns {
        let bytes = || self.all.iter().map(|one| one.bytes(text));
        let is_whole = |one: Bytes| one.turn.is_multiple_of(WORD) && one.lead.is_multiple_of(WORD);
        let turns = Turns::of(left, done, bytes().map(|one| one.turn).max().unwrap_or(1));
        Turns { most: text.most, keeps_words: bytes().all(is_whole), are_data: true, ..turns }
    }

    /// The strings of the loop: after the first turn, of which the last bytes stay in the window, which has as many before what is next.
    pub fn strings(&self) -> Strings {
        self.strings_of(self.text)
    }

    /// The same of the message.
    pub fn strings_of_message(&self) -> Strings {
        self.strings_of(self.whole)
    }

    fn strings_of(&self, text: &Growing) -> Strings {
        let moving = |one: &Window| {
            let Bytes { lead, turn, .. } = one.bytes(text);
            let begin = lead + (self.done - 1) * turn;
            Moving { region: one.region, turn: turn as i64, begin: begin as i64 }
        };
        Strings { moving: self.all.iter().map(moving).collect(), done: self.done as i64, number: 0 }
    }

    /// By how much the windows of the message before its last turn begin before those of the loop.
    pub fn before(&self) -> Vec<(RegionId, i64)> {
        let of = |one: &Window| {
            let size = |text| 2 * one.bytes(text).turn as i64 + one.bytes(text).rest as i64;
            (one.region, size(self.whole) - size(self.text))
        };
        self.all.iter().map(of).collect()
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
            let end = one.bytes(self.text).after(self.done);
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

    /// The same at the end of a loop. What is written of a message of one length is what the text has, or zeros, wherever that is.
    pub fn at_end(&self, machine: &Machine<'_>, is_fixed: bool) -> Self {
        if !is_fixed {
            return self.clone();
        }
        let mut windows = Windows { text: self.whole, ..self.clone() };
        for one in windows.all.iter_mut().filter(|one| one.output.is_some()) {
            let found = &machine.memory.region(one.region).cells;
            if *found != self.cells(one, NextTurn::Last) {
                let is_cleared = found.iter().all(|cell| *cell == Cell::Bits(Byte::ZERO));
                one.is = if is_cleared { Content::Cleared } else { Content::Text };
            }
        }
        windows
    }

    /// Sees which strings were filled from their begin on, since the last turn.
    pub fn see_filled(&mut self, from: &[Address]) {
        let strings = self.strings_of_message();
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
            let begin = self.next(one, next);
            let end = match (one.is == one.was, next) {
                (true, _) => begin,
                (false, NextTurn::Last) => shown.len(),
                (false, _) => begin + one.bytes(self.text).turn,
            };
            pairs.extend(self.compared(one, next, (found, &shown), begin..end)?);
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
        let wanted = self.held(one, one.is, next);
        same(&wanted[part.clone()], &found[part])
    }

    /// The cells of a window before anything is written: what the turns before have, and what follows.
    fn cells(&self, one: &Window, next: NextTurn) -> Vec<Cell> {
        let (mut done, left) = (self.held(one, one.is, next), self.held(one, one.was, next));
        let place = self.next(one, next);
        done.splice(place.., left.into_iter().skip(place));
        done
    }

    /// Where the next turn begins in a window.
    fn next(&self, one: &Window, next: NextTurn) -> usize {
        let (own, whole) = (one.bytes(self.text), one.bytes(self.whole));
        match next {
            NextTurn::First => 0,
            NextTurn::Middle => own.turn,
            NextTurn::Last => 2 * whole.turn + whole.rest - own.turn - own.rest,
        }
    }

    /// What is after all turns of an input, and where that is; nothing where it is in the window, or may be written.
    fn tail(&self, one: &Window, next: NextTurn) -> Option<(Number, Vec<Cell>)> {
        let Bytes { lead, turn, .. } = one.bytes(self.text);
        let growth = Growth { left: turn as i64, done: 0 };
        let more = match next {
            NextTurn::First => lead,
            NextTurn::Middle => turn,
            NextTurn::Last => return None,
        };
        let number = one.input.filter(|_| one.was == Content::Before)?;
        Some((Number { growth, more: more as i64 }, cells(&self.text.tail[number])))
    }

    /// What a window has from the turn before the next one on, or from the first byte on, where all of it is as said.
    fn held(&self, one: &Window, content: Content, next: NextTurn) -> Vec<Cell> {
        let text = if next == NextTurn::Last { self.whole } else { self.text };
        let Bytes { turn, rest, .. } = one.bytes(text);
        let size = match next {
            NextTurn::First => one.bytes(text).after(FEWEST - 1 + self.done),
            NextTurn::Middle => FEWEST * turn,
            NextTurn::Last => 2 * turn + rest,
        };
        match (content, one.output, one.input, next) {
            (Content::Cleared, ..) => vec![Cell::Bits(Byte::ZERO); size],
            (Content::Text, Some(number), _, NextTurn::First) => bits(&text.first[number]),
            (Content::Text, Some(number), _, next) => {
                let past = bits(&text.past[number]).into_iter();
                let follows = if next == NextTurn::Last { &text.last } else { &text.next };
                past.chain(bits(&follows[number])).collect()
            }
            (_, _, Some(number), NextTurn::First) => cells(&text.begin[number][..size]),
            (_, _, Some(number), next) => {
                let past = cells(&text.before[number]).into_iter();
                match next == NextTurn::Last {
                    true => {
                        let follows = [&text.window[number][..turn], &text.tail[number]].map(cells);
                        past.chain(follows.into_iter().flatten()).collect()
                    }
                    false => past.chain(cells(&text.window[number][..size - turn])).collect(),
                }
            }
            (_, _, None, _) => vec![Cell::Unset; size],
        }
    }
}

impl Window {
    /// Its bytes in turns of a text.
    fn bytes(&self, text: &Growing) -> Bytes {
        let of_output = || self.output.map(|number| text.outputs[number]);
        self.input.map(|number| text.inputs[number]).or_else(of_output).unwrap_or_default()
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

fn cells(bytes: impl AsRef<[Byte]>) -> Vec<Cell> {
    bytes.as_ref().iter().map(|&byte| Cell::Bits(byte)).collect()
}
