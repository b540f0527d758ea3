//! Messages of any length: the loops of the code over them are proved by induction ([`super::induction`]), against the text of any of
//! its turns ([`super::growing`]).
//!
//! Three runs are enough for all lengths that leave as many bytes for the last turn, if there are [`super::batches::FEWEST`] turns or
//! more: from the call to the head of the loop; from what is guessed of the head through one turn, after which it has to hold again;
//! and from it through the last turn to the return. What data are carried from turn to turn is what the text has there: which of it
//! is guessed from values, and that it is is proved. Where the code comes to something after the last turn that is not seen from there,
//! another loop may begin ([`super::restart`]), which is proved in the same way.

use super::Refusal;
use super::batches::{FEWEST, Lost};
use super::blocks::{Unfit, Verdict};
use super::file::Object;
use super::growing::{Begins, Growing};
use super::induction::{Names, Pairs};
use super::kernel::NoProof;
use super::machine::{Asked, Fork, Machine, Placement, Word};
use super::memory::{Cell, Region, RegionId};
use super::message::{Given, Message, REFUSED, Report, agree, decide, pointer, string};
use super::number::{Growth, Number};
use super::renaming::Renaming;
use super::run::{Run, Stop};
use super::state::State;
use super::value::{self, Byte};
use super::windows::{Content, NextTurn, Window, Windows, bits, same};
use crate::graph::{Edge, Graph};
use crate::prove::Limits;
use crate::symbolic::source;
use std::collections::{BTreeMap, BTreeSet};
use usuba_lang::typed::Program;

/// So many loops follow one another at most.
const IN_SEQUENCE: usize = 4;

/// So many places are tried as the begin of a loop that follows another one.
const BEGINS: usize = 3;

/// A function for messages of any length that leaves as much for the last turn.
#[derive(Clone, Copy, Debug)]
pub struct AnyLength<'a> {
    /// The function. Its public numbers are those without turns; of its text only the shape of strings that do not grow is looked at.
    pub message: Message<'a>,
    /// The texts for [`super::growing::turns`].
    pub texts: [&'a Program; 3],
    /// So many turns later the head of the loop is looked at than after the first: what the text makes in these is known there.
    pub delay: usize,
    /// Which of the numbers grows.
    pub grows: usize,
    /// How.
    pub turn: Turn,
    /// The loops of the code that may make such turns.
    pub loops: &'a [Looped],
    /// No message has more turns.
    pub most: u64,
}

/// How a message grows with the turns of loops of the code. A turn is here what has to be looked at together: that may be several
/// turns of a loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Turn {
    /// By how much the length grows in a turn.
    pub by: u64,
    /// How much of it is before the first turn.
    pub lead: u64,
    /// As much as so many turns have is left to what follows the loops.
    pub spare: u64,
}

/// The head of a loop: the section of the code, the place in it, and how many calls have not returned there.
pub type Head = (usize, u64, usize);

/// How a loop of the code makes turns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Looped {
    /// Its head.
    pub head: Head,
    /// How often the head is reached when the first turn is done.
    pub first: usize,
    /// How often in each turn that follows.
    pub each: usize,
}

impl Turn {
    /// The shortest message that has enough turns, where so much is left after them.
    pub fn shortest(self, rest: u64, delay: usize) -> u64 {
        self.lead + (FEWEST + delay) as u64 * self.by + rest
    }
}

/// What one way to run the code has to be shown to have done.
#[derive(Default)]
struct Shown {
    pairs: Pairs,
    prepared: Vec<Vec<Edge>>,
    instructions: u64,
    asked: Asked,
}

/// How the code is run.
#[derive(Clone, Copy, Debug)]
struct Way {
    placement: Placement,
    /// What is said of the processor.
    says: u64,
    in_place: Option<(usize, usize)>,
    /// How the branch goes that depends on whether a message is refused.
    is_taken: Option<bool>,
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

impl AnyLength<'_> {
    /// Proves that the function computes the message, for all bytes and all of these lengths. It refutes nothing.
    ///
    /// # Errors
    /// The code is refused, or the text or the loop of the code is not the same in each turn.
    pub fn prove(&self, object: &Object, limits: Limits) -> Result<(Verdict, Report), Unfit> {
        // Where the loops of the text begin to go through the message is guessed.
        let mut said = Ok((Verdict::Unknown, Report::default()));
        for begins in [Begins::WithMessage, Begins::AtOnce] {
            let found = self.prove_from(object, begins, limits);
            if matches!(found, Ok((Verdict::Proved, _))) {
                return found;
            }
            if begins == Begins::WithMessage {
                said = found;
            }
        }
        said
    }

    fn prove_from(
        &self,
        object: &Object,
        begins: Begins,
        limits: Limits,
    ) -> Result<(Verdict, Report), Unfit> {
        let message = &self.message;
        let mut graph = Graph::with_symbols();
        let shapes = source::inputs(self.texts[1]);
        let growths: Vec<bool> =
            shapes.iter().zip(source::inputs(self.texts[0])).map(|(a, b)| *a != b).collect();
        let (mut given, mut fixed) = (Vec::new(), Vec::new());
        for (number, &(width, atoms)) in shapes.iter().enumerate() {
            let (width, atoms) = (width as usize, atoms as usize);
            if message.of_key[number] && message.cipher.is_some() {
                let bits = graph.input_bits(width * atoms);
                fixed.push(bits.chunks(width).map(<[Edge]>::to_vec).collect());
                given.push(Given::Keyed(bits));
            } else {
                let bytes = string(&mut graph, if growths[number] { 0 } else { atoms });
                fixed.push(bytes.iter().map(|byte| byte.bits.to_vec()).collect());
                given.push(Given::String(bytes));
            }
        }
        let Turn { lead, by, .. } = self.turn;
        let turn = (lead as usize, by as usize);
        let text =
            Growing::of(&mut graph, message, self.texts, (turn, begins, self.delay), (fixed, self.most))
                .map_err(Unfit::Loop)?;
        let of_text = graph.len();
        let mut report = Report::default();
        let mut asked: Option<Asked> = None;
        let mut pairs: BTreeSet<(Edge, Edge)> = BTreeSet::new();
        let mut prepared: BTreeSet<Vec<Edge>> = BTreeSet::new();
        let answers = if message.asks.is_some() { 0..2 } else { 0..1 };
        let branches: &[Option<bool>] =
            if text.accepted.is_empty() { &[None] } else { &[Some(true), Some(false)] };
        for placement in Placement::all() {
            if asked.is_some_and(|asked| !asked.needs(placement)) {
                continue;
            }
            let mut now = asked.unwrap_or_default();
            let places = std::iter::once(None).chain(message.in_place.iter().copied().map(Some));
            let ways = places.flat_map(|in_place| {
                let runs = answers.clone().flat_map(|says| branches.iter().map(move |&one| (says, one)));
                runs.map(move |(says, is_taken)| Way { placement, says, in_place, is_taken })
            });
            for way in ways {
                let in_place = way.in_place;
                let shown = self.run(&mut graph, object, way, &given, &text)?;
                now = now.or(shown.asked);
                // What differs at random points is not tried to be proved, nor elsewhere.
                if !graph.may_be_same(&shown.pairs) {
                    return Ok((Verdict::Unknown, report));
                }
                report.instructions +=
                    if asked.is_none() && in_place.is_none() { shown.instructions } else { 0 };
                pairs.extend(shown.pairs.into_iter().filter(|(a, b)| a != b));
                prepared.extend(shown.prepared);
            }
            asked = Some(now);
        }
        let pairs: Vec<(Edge, Edge)> = pairs.into_iter().collect();
        let prepared: Vec<Vec<Edge>> = prepared.into_iter().collect();
        let is_proved = decide(&mut graph, &pairs, &prepared, (limits, of_text), &mut report);
        Ok((if is_proved { Verdict::Proved } else { Verdict::Unknown }, report))
    }

    /// Prepares a key, and runs the function for any number of turns.
    fn run(
        &self,
        graph: &mut Graph,
        object: &Object,
        Way { placement, says, in_place, is_taken }: Way,
        given: &[Given],
        text: &Growing,
    ) -> Result<Shown, Unfit> {
        let message = &self.message;
        let prepared = message.prepare(graph, object, placement, given)?;
        let count = message.numbers.len() + 1 + given.len() + text.outputs.len();
        let mut machine = Machine::with_arguments(graph, object, placement, count);
        machine.processor = message.asks.iter().map(|name| ((*name).to_owned(), says)).collect();
        let number = |(place, &number): (usize, &u64)| match place == self.grows {
            true => {
                let growth = Growth { left: self.turn.by as i64, done: 0 };
                Word::Number(Number { growth, more: (self.turn.lead + number) as i64 })
            }
            false => Word::Bits(value::constant(8, number)),
        };
        let mut words: Vec<Word> = message.numbers.iter().enumerate().map(number).collect();
        words.push(pointer(machine.memory.add(prepared.region.writable(false))));
        let mut windows = Windows { text, all: Vec::new(), done: 1 + self.delay };
        let window = |region, input, output, bytes| {
            let (was, is) = (Content::Before, Content::Before);
            Window { region, input, output, bytes, was, is }
        };
        let mut inputs = Vec::new();
        for (number, given) in given.iter().enumerate() {
            let region = message.input(&mut machine, (number, given), in_place);
            let bytes = text.inputs[number];
            if bytes.turn > 0 {
                windows.all.push(window(region, Some(number), None, bytes));
            }
            inputs.push(region);
        }
        let mut written = Vec::new();
        for (number, bytes) in text.outputs.iter().enumerate() {
            let from = in_place.filter(|(_, to)| *to == number).map(|(from, _)| from);
            let size = if bytes.turn > 0 { 0 } else { bytes.rest };
            let region = match from {
                Some(from) => inputs[from],
                None => machine.memory.add(Region::unset(format!("output {number}"), size, 1)),
            };
            if bytes.turn > 0 {
                match windows.all.iter_mut().find(|known| known.region == region) {
                    Some(known) => known.output = Some(number),
                    None => {
                        windows.all.push(window(region, None, Some(number), *bytes));
                    }
                }
            }
            written.push(region);
        }
        words.extend(inputs.iter().chain(&written).map(|&region| pointer(region)));
        machine.arguments(words).map_err(|why| NoProof::from(machine.refusal(0, 0, String::new(), why)))?;
        let fixed: Vec<(RegionId, usize)> = (0..)
            .zip(&written)
            .filter(|(number, _)| text.outputs[*number].turn == 0)
            .map(|(number, &region)| (region, number))
            .collect();
        let run = machine.begin(message.symbol).map_err(NoProof::from)?;
        let begin = Begin { run, is_turn: false, ends: Renaming::default(), number: 0, refusal: None };
        let pairs = self.sequence(&mut machine, (&mut windows, &fixed), begin, is_taken)?;
        Ok(Shown {
            pairs,
            prepared: prepared.blocks,
            instructions: prepared.instructions + machine.steps,
            asked: prepared.asked.or(machine.asked),
        })
    }

    /// Runs the function on to the head of each of its loops, until one of them is seen to make a turn for each of the message; and so on
    /// for the loops that follow it.
    fn sequence(
        &self,
        machine: &mut Machine<'_>,
        (windows, fixed): (&mut Windows<'_>, &[(RegionId, usize)]),
        begin: Begin,
        is_taken: Option<bool>,
    ) -> Result<Pairs, Lost> {
        let few = FEWEST + self.delay;
        let mut run = begin.run.clone();
        windows.show(machine, NextTurn::First);
        machine.turns = windows.turns(few, 0);
        machine.filled.clear();
        machine.refusal_of_message = begin.fork(is_taken);
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
                        lost.get_or_insert(Lost::Refused(refusal));
                        break;
                    }
                }
            }
            let head = (run.section, run.place, run.returns.len());
            let count = arrivals.entry(head).or_default();
            *count += 1;
            for looped in self.loops.iter().filter(|looped| looped.head == head) {
                let first = looped.first + self.delay * looped.each;
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
                    match self.turns(machine, states, (windows, fixed), (&begin, is_taken)) {
                        Ok(more) => return Ok(pairs.into_iter().chain(more).collect()),
                        Err(why) => lost = Some(why),
                    }
                }
                windows.show(machine, NextTurn::First);
                machine.turns = windows.turns(few, 0);
                (machine.refusal_of_message, machine.filled) = (fork, filled);
                run = two.restore(machine);
            }
        }
        Err(lost.unwrap_or(Lost::Unlike("there is no loop that makes a turn for each of the message")))
    }

    /// Runs from the head of a loop, whose states after the first turns are known, through one turn and through the last, and what
    /// follows.
    fn turns(
        &self,
        machine: &mut Machine<'_>,
        (looped, one, two): (&Looped, &State, &State),
        (windows, fixed): (&Windows<'_>, &[(RegionId, usize)]),
        (begin, is_taken): (&Begin, Option<bool>),
    ) -> Result<Pairs, Lost> {
        let names: &dyn Names = &windows.text.names;
        let strings = windows.strings();
        let guess = strings.guess(machine.graph, names, one, two);
        let pairs = strings.holds_first(machine.graph, names, &guess, one);
        let mut pairs = pairs.ok_or(Lost::Unlike("round keys depend on how many turns there are"))?;
        let head = guess.run.clone();
        // One turn, after which there is at least one more.
        let mut run = guess.restore(machine);
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
        let last = strings.before_last(machine.graph, names, &guess, &begin.ends);
        let before = machine.steps;
        let mut run = self.before_last(machine, windows, &last);
        let (mut entered, ended) = self.run_out(machine, &mut run, looped.head);
        let steps = machine.steps - before;
        let filled = std::mem::take(&mut machine.filled);
        let Err(refused) = ended else {
            let refusal = machine.refusal_of_message.and_then(condition).or(begin.refusal);
            let mut windows = windows.clone();
            windows.see_filled(&filled);
            pairs.extend(self.ended(machine, (&windows, fixed), (refusal, is_taken.is_some()))?);
            return Ok(pairs);
        };
        let mut lost = Lost::Refused(refused);
        if begin.number + 1 == IN_SEQUENCE {
            return Err(lost);
        }
        entered.push(self.before_refused(machine, windows, &last, (steps, begin, is_taken))?);
        // The last place is the most likely begin of another loop.
        for _ in 0..BEGINS {
            let Some(place) = entered.pop() else { break };
            place.state.restore(machine);
            let Ok(more) = windows.written(machine, NextTurn::Last) else { continue };
            let begun = strings.begun_again(machine.graph, names, &place.state, &windows.text.changing);
            let Some((state, ends)) = begun else { continue };
            let run = state.restore(machine);
            let next = Begin {
                run,
                is_turn: place.is_turn,
                ends,
                number: begin.number + 1,
                refusal: place.refusal.or(begin.refusal),
            };
            let mut windows = windows.clone();
            windows.begin_again();
            match self.sequence(machine, (&mut windows, fixed), next, is_taken) {
                Ok(rest) => return Ok(pairs.into_iter().chain(more).chain(rest).collect()),
                Err(why) => lost = why,
            }
        }
        Err(lost)
    }

    /// Brings a machine to where the last turn begins.
    fn before_last(&self, machine: &mut Machine<'_>, windows: &Windows<'_>, last: &State) -> Run {
        let run = last.restore(machine);
        machine.turns = windows.turns(0, windows.done);
        windows.show(machine, NextTurn::Last);
        run
    }

    /// Runs from the last turn to before the instruction that was refused, which is the last of so many.
    fn before_refused(
        &self,
        machine: &mut Machine<'_>,
        windows: &Windows<'_>,
        last: &State,
        (steps, begin, is_taken): (u64, &Begin, Option<bool>),
    ) -> Result<Entered, Lost> {
        machine.refusal_of_message = begin.fork(is_taken);
        let mut run = self.before_last(machine, windows, last);
        machine.stops_after = Some(machine.steps + steps.saturating_sub(1));
        let is_there = |machine: &Machine<'_>| machine.stops_after == Some(machine.steps);
        while !is_there(machine) && machine.resume(&mut run)? != Stop::Returned {}
        machine.stops_after = None;
        let refusal = machine.refusal_of_message.and_then(condition);
        let head = (run.section, run.place, run.returns.len());
        Ok(Entered { head, state: State::of(machine, &run), is_turn: false, refusal })
    }

    /// Runs the function to its end, and gives the places on the way at which other loops may begin.
    fn run_out(
        &self,
        machine: &mut Machine<'_>,
        run: &mut Run,
        own: Head,
    ) -> (Vec<Entered>, Result<(), Refusal>) {
        machine.stops = self.loops.iter().map(|one| (one.head.0, one.head.1)).collect();
        let mut entered: Vec<Entered> = Vec::new();
        let ended = loop {
            let is_turn = match machine.resume(run) {
                Ok(Stop::Returned) => break Ok(()),
                Ok(stop) => stop == Stop::Back,
                Err(refusal) => break Err(refusal),
            };
            let head = (run.section, run.place, run.returns.len());
            let is_new = head != own && entered.iter().all(|one| one.head != head);
            if is_new && self.loops.iter().any(|one| one.head == head) {
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
        (windows, fixed): (&Windows<'_>, &[(RegionId, usize)]),
        (refusal, opens): (Option<Edge>, bool),
    ) -> Result<Pairs, Lost> {
        let text = windows.text;
        let result = match machine.general(0) {
            Word::Bits(bytes) => value::known(&bytes[..4]),
            _ => None,
        };
        let is_refused = match (result, refusal) {
            (Some(0), refusal) if refusal.is_some() == opens => false,
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
        for &(region, number) in fixed {
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
