//! Functions on any number of blocks: the loop over batches is proved by induction ([`super::induction`]).
//!
//! Three runs are enough for all numbers of blocks that leave as many for the last batch, if there are [`FEWEST`] whole batches or
//! more: from the call to the head of the loop, with any number of turns left; from what is guessed of the head through one turn,
//! after which it has to hold again; and from it through the last turn to the return. Each is shown to bring the blocks of its
//! turns through the kernel, and to write nothing else. Fewer batches are tasks of their own.

use super::Refusal;
use super::induction::{End, Moving, Nameless, Strings};
use super::machine::{Machine, Word};
use super::memory::{Cell, RegionId};
use super::number::{Growth, Number, Scale, Turns};
use super::renaming::Renaming;
use super::run::Stop;
use super::state::State;
use super::value::{Byte, Lane};
use crate::graph::Edge;
use std::collections::BTreeMap;

/// Whole batches, or turns, of which there are at least as many: one that is first, one that is last, and one between.
pub const FEWEST: usize = 3;

/// So many loops are tried at most.
pub(super) const LOOPS: usize = 64;

/// Blocks that a run has brought through, and what it has made of them.
pub(super) struct Window {
    pub input: Vec<Byte>,
    /// Their tweaks, if they have any.
    pub tweaks: Vec<Byte>,
    pub output: Vec<[Edge; 8]>,
}

/// The tweaks of blocks, one for each.
#[derive(Clone, Copy)]
pub(super) struct Tweaks {
    /// Where they are.
    pub region: RegionId,
    /// Bytes of those of a whole batch, and of what is left for the last one.
    pub batch: usize,
    pub rest: usize,
}

/// What a function on any number of blocks is given, and where.
pub(super) struct Batches {
    /// Where the output is, and where the input is, which may be the same.
    pub output: RegionId,
    pub input: RegionId,
    /// Bytes of a whole batch, and of what is left for the last one.
    pub batch: usize,
    pub rest: usize,
    pub tweaks: Option<Tweaks>,
}

/// Why a loop was not shown to do the same in each turn.
pub(super) enum Lost {
    /// The code is refused.
    Refused(Refusal),
    /// The same before a loop was seen to make turns.
    Before(Refusal),
    /// It does something else.
    Unlike(&'static str),
}

impl From<Refusal> for Lost {
    fn from(refusal: Refusal) -> Lost {
        Lost::Refused(refusal)
    }
}

impl Batches {
    /// The number of all blocks of so many in a batch, as an argument.
    pub fn count(blocks: usize, rest: usize) -> Word {
        Word::Number(Number { growth: Growth { left: blocks as i64, done: 0 }, more: rest as i64 })
    }

    /// Runs a function whose arguments are given, for any number of batches.
    pub fn run(&self, machine: &mut Machine<'_>, function: &str) -> Result<Vec<Window>, Lost> {
        machine.turns = Some(Turns::of(FEWEST, 0, self.batch));
        let all = self.windows(machine, FEWEST, false);
        let mut run = machine.begin(function)?;
        // What holds after the first turn of each loop.
        let mut heads: BTreeMap<(usize, u64, usize), Option<State>> = BTreeMap::new();
        let mut lost: Option<Lost> = None;
        loop {
            match machine.resume(&mut run) {
                Ok(Stop::Back | Stop::Entered) => {}
                Ok(Stop::Returned) => break,
                Err(refusal) => {
                    lost.get_or_insert(Lost::Refused(refusal));
                    break;
                }
            }
            let head = (run.section, run.place, run.returns.len());
            let Some(before) = heads.get_mut(&head) else {
                if heads.len() < LOOPS {
                    heads.insert(head, Some(State::of(machine, &run)));
                }
                continue;
            };
            let Some(before) = before.take() else { continue };
            let here = State::of(machine, &run);
            before.restore(machine);
            // Of a loop that does not write a batch in a turn there is nothing to say.
            if let Ok(first) = self.written(machine, &all, 1, false) {
                match self.induction(machine, &before, &here, first) {
                    Ok(windows) => return Ok(windows),
                    Err(why) => lost = Some(why),
                }
            }
            run = here.restore(machine);
            if self.input != self.output {
                machine.memory.set(self.input, cells(&all.input));
            }
            if let Some(tweaks) = self.tweaks {
                machine.memory.set(tweaks.region, cells(&all.tweaks));
            }
            machine.turns = Some(Turns::of(FEWEST, 0, self.batch));
        }
        Err(lost.unwrap_or(Lost::Unlike("there is no loop that makes a turn for each batch")))
    }

    /// Bytes of so many whole batches, and perhaps of the last one: of blocks, and of tweaks.
    fn bytes(&self, batches: usize, with_rest: bool) -> (usize, usize) {
        let of = |batch: usize, rest: usize| batches * batch + if with_rest { rest } else { 0 };
        (of(self.batch, self.rest), self.tweaks.map_or(0, |tweaks| of(tweaks.batch, tweaks.rest)))
    }

    /// Fills the windows: bytes of which nothing is known, and an output that was never written. Gives the input and the tweaks.
    fn windows(&self, machine: &mut Machine<'_>, batches: usize, with_rest: bool) -> Window {
        let (bytes, of_tweaks) = self.bytes(batches, with_rest);
        let mut string = |bytes: usize| -> Vec<Byte> {
            let byte = |_| Byte { bits: std::array::from_fn(|_| machine.graph.input()), lane: Lane::All };
            (0..bytes).map(byte).collect()
        };
        let (input, tweaks) = (string(bytes), string(of_tweaks));
        machine.memory.set(self.output, vec![Cell::Unset; bytes]);
        machine.memory.set(self.input, cells(&input));
        if let Some(of) = self.tweaks {
            machine.memory.set(of.region, cells(&tweaks));
        }
        Window { input, tweaks, output: Vec::new() }
    }

    /// What was written in the first batches of the window, and perhaps in the last one, if nothing was behind them.
    fn written(
        &self,
        machine: &Machine<'_>,
        all: &Window,
        batches: usize,
        with_rest: bool,
    ) -> Result<Window, Lost> {
        let (bytes, of_tweaks) = self.bytes(batches, with_rest);
        let input = &all.input;
        let cells = &machine.memory.region(self.output).cells;
        let is_untouched = |place: usize| match self.output == self.input {
            true => cells[place] == Cell::Bits(input[place]),
            false => cells[place] == Cell::Unset,
        };
        if !(bytes..cells.len()).all(is_untouched) {
            return Err(Lost::Unlike("a turn of the loop writes beyond its batch"));
        }
        let bits = |cell: &Cell| match cell {
            Cell::Bits(byte) => Ok(byte.bits),
            _ => Err(Lost::Unlike("a turn of the loop does not write all of its batch")),
        };
        let output = cells[..bytes].iter().map(bits).collect::<Result<_, _>>()?;
        Ok(Window { input: input[..bytes].to_vec(), tweaks: all.tweaks[..of_tweaks].to_vec(), output })
    }

    /// Runs from the head of a loop, whose states after the first turns are known, through one turn and through the last. The first
    /// turn is done.
    fn induction(
        &self,
        machine: &mut Machine<'_>,
        one: &State,
        two: &State,
        first: Window,
    ) -> Result<Vec<Window>, Lost> {
        let moving = |region, bytes: usize| Moving { region, turn: bytes as i64, begin: bytes as i64 };
        let own = [self.output, self.input].map(|region| moving(region, self.batch));
        let tweaks = self.tweaks.map(|tweaks| moving(tweaks.region, tweaks.batch));
        let strings = Strings { moving: own.into_iter().chain(tweaks).collect(), done: 1, number: 0 };
        let mut windows = vec![first];
        let guess = strings.guess(machine.graph, &Nameless, one, two);
        let head = (guess.state.run.section, guess.state.run.place, guess.state.run.returns.clone());
        // One turn, after which there is at least one more.
        let mut run = guess.state.restore(machine);
        machine.turns = Some(Turns::of(2, 1, self.batch));
        let all = self.windows(machine, 2, false);
        loop {
            if machine.resume(&mut run)? == Stop::Returned {
                return Err(Lost::Unlike("the function returns from the loop before its last turn"));
            }
            if (run.section, run.place, &run.returns) == (head.0, head.1, &head.2) {
                break;
            }
        }
        windows.push(self.written(machine, &all, 1, false)?);
        let after = State::of(machine, &run);
        let pairs = strings.holds_again(machine.graph, &Nameless, &guess, &after);
        if pairs.is_none_or(|pairs| !pairs.is_empty()) {
            return Err(Lost::Unlike("what holds before a turn of the loop does not hold after it"));
        }
        // The last turn and what follows.
        let end = End { data: &Renaming::default(), scale: Scale::SAME, before: &[] };
        let last = strings.before_last(machine.graph, &Nameless, &guess, end);
        let mut run = last.restore(machine);
        machine.turns = Some(Turns::of(0, 1, self.batch));
        let all = self.windows(machine, 1, true);
        while machine.resume(&mut run)? != Stop::Returned {}
        windows.push(self.written(machine, &all, 1, true)?);
        Ok(windows)
    }
}

fn cells(bytes: &[Byte]) -> Vec<Cell> {
    bytes.iter().map(|&byte| Cell::Bits(byte)).collect()
}
