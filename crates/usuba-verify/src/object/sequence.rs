//! A function for messages of any length, run through its loops one after the other ([`super::any_length`]).
//!
//! A loop may make smaller turns than the message is looked at in: each has a pace, with the text at it. Before the last turn of a loop,
//! and where the next one begins, all is said in turns of the message again.

use super::Refusal;
use super::batches::{FEWEST, Lost};
use super::growing::Growing;
use super::induction::{End, Names, Pairs, Strings};
use super::machine::{Fork, Machine, Word};
use super::memory::{Cell, RegionId};
use super::message::{REFUSED, agree};
use super::number::Scale;
use super::renaming::Renaming;
use super::restart::AtCall;
use super::run::{Run, Stop};
use super::state::State;
use super::turn_lengths::{Head, Looped};
use super::value::{self, Byte};
use super::windows::{Content, NextTurn, Windows, bits, same};
use crate::graph::Edge;
use std::collections::{BTreeMap, BTreeSet};

/// So many loops follow one another at most.
const IN_SEQUENCE: usize = 4;

/// Why there is nothing to prove.
pub(super) const NO_LOOP: &str = "there is no loop that makes a turn for each of the message";

/// So many places are tried as the begin of a loop that follows another one.
const BEGINS: usize = 3;

/// A function that is run, of which the text is known at each pace.
pub(super) struct Sequence<'p> {
    /// That of the message first, and then those that are smaller.
    pub paces: &'p [Paced<'p>],
    /// The outputs that do not grow.
    pub fixed: &'p [(RegionId, usize)],
    /// Whether the message has one length, and no turns.
    pub is_fixed: bool,
    /// How a branch goes that depends on whether the message is refused, if it may be.
    pub is_taken: Option<bool>,
}

/// A pace, with what the text says at it.
pub(super) struct Paced<'a> {
    pub loops: &'a [Looped],
    /// How many turns there are for those of the message.
    pub scale: Scale,
    pub text: Growing,
}

/// Where a loop of the code may begin.
struct Begin {
    run: Run,
    /// Whether the head of a loop has been reached there by a jump back.
    is_turn: bool,
    /// What data are before the last turn that are symbols before.
    ends: Renaming,
    /// How many loops were before.
    number: usize,
    /// The bit that says whether a message is refused, once there was a branch on it, before the last turn.
    refusal: Option<Edge>,
}

impl Begin {
    /// How a branch goes that depends on whether the message is refused, if there was none before.
    fn fork(&self, is_taken: Option<bool>) -> Option<Fork> {
        is_taken.filter(|_| self.refusal.is_none()).map(|is_taken| Fork { is_taken, bit: None })
    }
}

/// A place after a loop where another one may begin.
struct Entered {
    head: Head,
    state: State,
    is_turn: bool,
    refusal: Option<Edge>,
}

impl<'p> Sequence<'p> {
    /// Runs the function from its call; gives what has to be proved for it to compute the message.
    pub fn prove_call(
        &self,
        machine: &mut Machine<'_>,
        windows: &Windows<'p>,
        run: Run,
    ) -> Result<Pairs, Lost> {
        if self.is_fixed {
            return self.to_loop(machine, windows, run);
        }
        let call = State::of(machine, &run);
        let mut lost = Lost::Unlike(NO_LOOP);
        for pace in self.paces.iter().rev() {
            let state = call.changed(machine.graph, &mut AtCall { scale: pace.scale });
            let run = state.restore(machine);
            let begin = Begin { run, is_turn: false, ends: Renaming::default(), number: 0, refusal: None };
            let windows = Windows { text: &pace.text, ..windows.clone() };
            match self.prove_loop(machine, pace, windows, &begin) {
                Ok(pairs) => return Ok(pairs),
                // What a loop does says more.
                Err(Lost::Before(_)) if !matches!(lost, Lost::Before(_) | Lost::Unlike(NO_LOOP)) => {}
                Err(why) => lost = why,
            }
        }
        Err(lost)
    }

    /// Runs the function for a message of one length from its call to a loop that makes turns of the text, and on from there.
    fn to_loop(&self, machine: &mut Machine<'_>, windows: &Windows<'p>, mut run: Run) -> Result<Pairs, Lost> {
        let mut tried: BTreeSet<Head> = BTreeSet::new();
        let mut lost = Lost::Unlike(NO_LOOP);
        machine.refusal_of_message = self.is_taken.map(|is_taken| Fork { is_taken, bit: None });
        machine.stops = self.loops().map(|one| (one.head.0, one.head.1)).collect();
        windows.show(machine, NextTurn::Last);
        while tried.len() < BEGINS {
            let stop = machine.resume(&mut run)?;
            let head = (run.section, run.place, run.returns.len());
            if stop == Stop::Returned {
                break;
            }
            if !self.loops().any(|one| one.head == head) || !tried.insert(head) {
                continue;
            }
            let stops = std::mem::take(&mut machine.stops);
            let (state, fork, filled) =
                (State::of(machine, &run), machine.refusal_of_message, machine.filled.clone());
            let refusal = fork.and_then(condition);
            let is_turn = stop == Stop::Back;
            let entered = Entered { head, state, is_turn, refusal };
            let begun = (0, refusal);
            match self.prove_from(machine, windows, &entered, begun) {
                Ok(pairs) => return Ok(pairs),
                Err(why) => lost = why,
            }
            windows.show(machine, NextTurn::Last);
            run = entered.state.restore(machine);
            (machine.refusal_of_message, machine.filled, machine.stops) = (fork, filled, stops);
            machine.turns = None;
        }
        machine.stops.clear();
        Err(lost)
    }

    /// Runs the function on to the head of each of its loops of a pace, until one of them is seen to make a turn for each of the text; and
    /// so on for the loops that follow it.
    fn prove_loop(
        &self,
        machine: &mut Machine<'_>,
        pace: &'p Paced<'p>,
        mut windows: Windows<'p>,
        begin: &Begin,
    ) -> Result<Pairs, Lost> {
        let few = FEWEST - 1 + windows.done;
        let mut run = begin.run.clone();
        windows.show(machine, NextTurn::First);
        machine.turns = windows.all_turns(few);
        machine.filled.clear();
        machine.refusal_of_message = begin.fork(self.is_taken);
        // How often each loop has come to its head, and what held there after the first turn.
        let mut arrivals: BTreeMap<Head, usize> = BTreeMap::new();
        let mut ones: BTreeMap<Looped, State> = BTreeMap::new();
        let mut lost: Option<Lost> = None;
        let mut is_turn = begin.is_turn;
        loop {
            if !std::mem::take(&mut is_turn) {
                match machine.resume(&mut run) {
                    Ok(Stop::Returned) => break,
                    Ok(Stop::Back | Stop::Entered) => {}
                    Err(refusal) => {
                        let is_first = begin.number == 0 && !self.is_fixed;
                        lost.get_or_insert(match is_first {
                            true => Lost::Before(refusal),
                            false => Lost::Refused(refusal),
                        });
                        break;
                    }
                }
            }
            let head = (run.section, run.place, run.returns.len());
            let count = arrivals.entry(head).or_default();
            *count += 1;
            for looped in pace.loops.iter().filter(|looped| looped.head == head) {
                let first = looped.first + (windows.done - 1) * looped.each;
                if *count == first {
                    ones.insert(*looped, State::of(machine, &run));
                }
                if *count != first + looped.each {
                    continue;
                }
                let Some(one) = ones.remove(looped) else { continue };
                let two = State::of(machine, &run);
                let (fork, filled) = (machine.refusal_of_message, machine.filled.clone());
                one.restore(machine);
                if let Ok(pairs) = windows.written_first(machine) {
                    let states = (looped, &one, &two);
                    match self.turns(machine, pace, states, &windows, begin) {
                        Ok(more) => {
                            let all: Pairs = pairs.into_iter().chain(more).collect();
                            // What differs at random points is not tried to be proved.
                            if machine.graph.may_be_same(&all) {
                                return Ok(all);
                            }
                            lost = Some(Lost::Unlike("a turn of the loop computes something else"));
                        }
                        Err(why) => lost = Some(why),
                    }
                }
                windows.show(machine, NextTurn::First);
                machine.turns = windows.all_turns(few);
                (machine.refusal_of_message, machine.filled) = (fork, filled);
                run = two.restore(machine);
            }
        }
        Err(lost.unwrap_or(Lost::Unlike(NO_LOOP)))
    }

    /// Runs from the head of a loop, whose states after the first turns are known, through one turn and through the last, and what
    /// follows.
    fn turns(
        &self,
        machine: &mut Machine<'_>,
        pace: &Paced<'_>,
        (looped, one, two): (&Looped, &State, &State),
        windows: &Windows<'p>,
        begin: &Begin,
    ) -> Result<Pairs, Lost> {
        let names: &dyn Names = &windows.text.names;
        let strings = Strings { number: begin.number, ..windows.strings() };
        let guess = strings.guess(machine.graph, names, one, two);
        let pairs = strings.holds_first(machine.graph, names, &guess, one);
        let mut pairs = pairs.ok_or(Lost::Unlike("round keys depend on how many turns there are"))?;
        let head = guess.state.run.clone();
        // One turn, after which there is at least one more.
        let mut run = guess.state.restore(machine);
        machine.turns = windows.turns(2, windows.done);
        windows.show(machine, NextTurn::Middle);
        let mut arrivals = 0;
        while arrivals < looped.each {
            if machine.resume(&mut run)? == Stop::Returned {
                return Err(Lost::Unlike("the function returns from the loop before its last turn"));
            }
            arrivals += usize::from(
                (run.section, run.place, &run.returns) == (head.section, head.place, &head.returns),
            );
        }
        pairs.extend(windows.written(machine, NextTurn::Middle)?);
        let after = State::of(machine, &run);
        let again = strings.holds_again(machine.graph, names, &guess, &after);
        pairs.extend(
            again.ok_or(Lost::Unlike("what holds before a turn of the loop does not hold after it"))?,
        );
        if machine.refusal_of_message.is_some_and(|fork| fork.bit.is_some()) {
            return Err(Lost::Unlike("whether a message is refused is asked before its last turn"));
        }
        if !machine.filled.is_empty() {
            return Err(Lost::Unlike("a string is filled before the last turn"));
        }
        // The last turn and what follows.
        let end = End { data: &begin.ends, scale: pace.scale, before: &windows.before() };
        let last = strings.before_last(machine.graph, names, &guess, end);
        let before = machine.steps;
        let mut run = self.before_last(machine, windows, &last);
        let (mut entered, ended) = self.run_out(machine, &mut run, looped.head);
        let steps = machine.steps - before;
        let filled = std::mem::take(&mut machine.filled);
        let Err(refused) = ended else {
            let refusal = machine.refusal_of_message.and_then(condition).or(begin.refusal);
            let mut windows = windows.at_end(machine, self.is_fixed);
            windows.see_filled(&filled);
            pairs.extend(self.ended(machine, &windows, refusal)?);
            return Ok(pairs);
        };
        let mut lost = Lost::Refused(refused);
        if begin.number + 1 == IN_SEQUENCE {
            return Err(lost);
        }
        entered.push(self.before_refused(machine, windows, &last, (steps, begin))?);
        // The last place is the most likely begin of another loop.
        for _ in 0..BEGINS {
            let Some(place) = entered.pop() else { break };
            let refusal = place.refusal.or(begin.refusal);
            let begun = (begin.number + 1, refusal);
            match self.prove_from(machine, windows, &place, begun) {
                Ok(more) => return Ok(pairs.into_iter().chain(more).collect()),
                Err(why) => lost = why,
            }
        }
        Err(lost)
    }

    /// Runs from a place where another loop may begin, after so many others.
    fn prove_from(
        &self,
        machine: &mut Machine<'_>,
        windows: &Windows<'p>,
        place: &Entered,
        (number, refusal): (usize, Option<Edge>),
    ) -> Result<Pairs, Lost> {
        place.state.restore(machine);
        let windows = windows.at_end(machine, self.is_fixed);
        let pairs = windows.written(machine, NextTurn::Last)?;
        let mut lost = Lost::Unlike(NO_LOOP);
        for next in self.paces.iter().rev().filter(|pace| !pace.loops.is_empty()) {
            let strings = windows.strings_of_message();
            let said = (&next.text.names as &dyn Names, next.scale);
            let changing = self.paces.iter().flat_map(|pace| &pace.text.changing).copied();
            let begun = strings.begun_again(machine.graph, said, &place.state, changing);
            let Some((state, ends)) = begun else { continue };
            let begin = Begin { run: state.restore(machine), is_turn: place.is_turn, ends, number, refusal };
            let mut windows = Windows { text: &next.text, ..windows.clone() };
            windows.begin_again();
            match self.prove_loop(machine, next, windows, &begin) {
                Ok(more) => return Ok(pairs.into_iter().chain(more).collect()),
                Err(why) => lost = why,
            }
        }
        Err(lost)
    }

    /// Brings a machine to where the last turn begins.
    fn before_last(&self, machine: &mut Machine<'_>, windows: &Windows<'_>, last: &State) -> Run {
        let run = last.restore(machine);
        machine.turns = windows.no_turns();
        windows.show(machine, NextTurn::Last);
        run
    }

    /// Runs from the last turn to before the instruction that was refused, which is the last of so many.
    fn before_refused(
        &self,
        machine: &mut Machine<'_>,
        windows: &Windows<'_>,
        last: &State,
        (steps, begin): (u64, &Begin),
    ) -> Result<Entered, Lost> {
        machine.refusal_of_message = begin.fork(self.is_taken);
        let mut run = self.before_last(machine, windows, last);
        machine.stops_after = Some(machine.steps + steps.saturating_sub(1));
        let is_there = |machine: &Machine<'_>| machine.stops_after == Some(machine.steps);
        while !is_there(machine) && machine.resume(&mut run)? != Stop::Returned {}
        machine.stops_after = None;
        let refusal = machine.refusal_of_message.and_then(condition);
        let head = (run.section, run.place, run.returns.len());
        Ok(Entered { head, state: State::of(machine, &run), is_turn: false, refusal })
    }

    /// The loops of all paces.
    fn loops(&self) -> impl Iterator<Item = &Looped> {
        self.paces.iter().flat_map(|pace| pace.loops)
    }

    /// Runs the function to its end, and gives the places on the way at which other loops may begin.
    fn run_out(
        &self,
        machine: &mut Machine<'_>,
        run: &mut Run,
        own: Head,
    ) -> (Vec<Entered>, Result<(), Refusal>) {
        machine.stops = self.loops().map(|one| (one.head.0, one.head.1)).collect();
        let mut entered: Vec<Entered> = Vec::new();
        let ended = loop {
            let is_turn = match machine.resume(run) {
                Ok(Stop::Returned) => break Ok(()),
                Ok(stop) => stop == Stop::Back,
                Err(refusal) => break Err(refusal),
            };
            let head = (run.section, run.place, run.returns.len());
            let is_new = head != own && entered.iter().all(|one| one.head != head);
            if is_new && self.loops().any(|one| one.head == head) {
                let refusal = machine.refusal_of_message.and_then(condition);
                entered.push(Entered { head, state: State::of(machine, run), is_turn, refusal });
            }
        };
        machine.stops.clear();
        (entered, ended)
    }

    /// What has to be proved where the function has returned.
    fn ended(
        &self,
        machine: &mut Machine<'_>,
        windows: &Windows<'_>,
        refusal: Option<Edge>,
    ) -> Result<Pairs, Lost> {
        let text = windows.whole;
        let result = match machine.general(0) {
            Word::Bits(bytes) => value::known(&bytes[..4]),
            _ => None,
        };
        let is_refused = match (result, refusal) {
            (Some(0), refusal) if refusal.is_some() == self.is_taken.is_some() => false,
            (Some(REFUSED), Some(_)) => true,
            _ => return Err(Lost::Unlike("the function may return something else than zero")),
        };
        let mut pairs = windows.written(machine, NextTurn::Last)?;
        if let Some(refusal) = refusal {
            let condition = refusal.complemented_if(is_refused);
            let more = agree(machine.graph, condition, &text.accepted);
            if more.len() != text.accepted.len() {
                return Err(Lost::Unlike("messages are refused for another reason than that of the text"));
            }
            pairs.extend(more);
        }
        if !windows.all_hold(if is_refused { Content::Cleared } else { Content::Text }) {
            return Err(Lost::Unlike("the function does not write all of its outputs"));
        }
        for &(region, number) in self.fixed {
            let mut wanted = bits(&text.last[number]);
            if is_refused {
                wanted.fill(Cell::Bits(Byte::ZERO));
            }
            pairs.extend(same(&wanted, &machine.memory.region(region).cells)?);
        }
        Ok(pairs)
    }
}

/// The bit that a run has branched on, set where it has gone on as it did.
fn condition(fork: Fork) -> Option<Edge> {
    Some(fork.bit?.complemented_if(!fork.is_taken))
}
