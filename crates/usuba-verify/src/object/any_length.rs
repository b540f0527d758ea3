//! Messages of any length: the loop of the code over them is proved by induction ([`super::induction`]), against the text of any of its
//! turns ([`super::growing`]).
//!
//! Three runs are enough for all lengths that leave as many bytes for the last turn, if there are [`super::batches::FEWEST`] turns or
//! more: from the call to the head of the loop; from what is guessed of the head through one turn, after which it has to hold again;
//! and from it through the last turn to the return. What data are carried from turn to turn is what the text has there: which of it
//! is guessed from values, and that it is is proved.

use super::batches::{FEWEST, LOOPS, Lost};
use super::blocks::{Unfit, Verdict};
use super::file::Object;
use super::growing::{Begins, Bytes, Growing, Outputs};
use super::induction::{Moving, Names, Pairs, State, Strings};
use super::kernel::NoProof;
use super::machine::{Asked, Machine, Placement, Word};
use super::memory::{Cell, Region, RegionId};
use super::message::{Given, Message, Report, decide, pointer, string};
use super::number::{Growth, Number, Turns};
use super::run::Stop;
use super::value::{self, Byte, Lane};
use crate::graph::{Edge, Graph};
use crate::prove::Limits;
use crate::symbolic::source;
use std::collections::{BTreeMap, BTreeSet};
use usuba_lang::typed::Program;

/// Bytes of a word, in which the places of strings are looked at.
const WORD: usize = 8;

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
    /// No message has more turns.
    pub most: u64,
}

/// How a message grows with the turns of a loop of the code. A turn is here what has to be looked at together: that may be several
/// turns of the loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Turn {
    /// By how much the length grows in a turn.
    pub by: u64,
    /// How much of it is before the first turn.
    pub lead: u64,
    /// How often the head of the loop is reached when the first turn is done.
    pub first: usize,
    /// How often in each turn that follows.
    pub each: usize,
    /// As much as so many turns have is left to what follows the loop.
    pub spare: u64,
}

impl Turn {
    /// The shortest message that has enough turns, where so much is left after them.
    pub fn shortest(self, rest: u64, delay: usize) -> u64 {
        self.lead + (FEWEST + delay) as u64 * self.by + rest
    }
}

/// A string that grows: where it is, and which input and output it is.
#[derive(Clone, Copy, Debug)]
struct Window {
    region: RegionId,
    input: Option<usize>,
    output: Option<usize>,
    bytes: Bytes,
}

/// The strings that grow.
struct Windows<'a> {
    text: &'a Growing,
    all: Vec<Window>,
    /// So many turns are done at the first state of the head that is looked at.
    done: usize,
}

/// What one way to run the code has to be shown to have done.
#[derive(Default)]
struct Shown {
    pairs: Pairs,
    prepared: Vec<Vec<Edge>>,
    instructions: u64,
    asked: Asked,
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
        for placement in Placement::all() {
            if asked.is_some_and(|asked| !asked.needs(placement)) {
                continue;
            }
            let mut now = asked.unwrap_or_default();
            let places = std::iter::once(None).chain(message.in_place.iter().copied().map(Some));
            for (in_place, says) in places.flat_map(|place| answers.clone().map(move |says| (place, says))) {
                let shown = self.run(&mut graph, object, (placement, says, in_place), &given, &text)?;
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
        (placement, says, in_place): (Placement, u64, Option<(usize, usize)>),
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
        let mut inputs = Vec::new();
        for (number, given) in given.iter().enumerate() {
            let region = message.input(&mut machine, (number, given), in_place);
            let bytes = text.inputs[number];
            if bytes.turn > 0 {
                windows.all.push(Window { region, input: Some(number), output: None, bytes });
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
                        windows.all.push(Window { region, input: None, output: Some(number), bytes: *bytes });
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
        let pairs = self.induction(&mut machine, &windows, &fixed)?;
        Ok(Shown {
            pairs,
            prepared: prepared.blocks,
            instructions: prepared.instructions + machine.steps,
            asked: prepared.asked.or(machine.asked),
        })
    }

    /// Runs the function to the head of each of its loops, until one of them is seen to make a turn for each of the message.
    fn induction(
        &self,
        machine: &mut Machine<'_>,
        windows: &Windows<'_>,
        fixed: &[(RegionId, usize)],
    ) -> Result<Pairs, Lost> {
        let few = FEWEST + self.delay;
        machine.turns = windows.turns(few, 0);
        windows.show(machine, few, 0);
        let mut run = machine.begin(self.message.symbol)?;
        // How often each loop has come to its head, and what held there after the first turn.
        let mut heads: BTreeMap<(usize, u64, usize), (usize, Option<State>)> = BTreeMap::new();
        let mut lost: Option<Lost> = None;
        let Turn { first, each, .. } = self.turn;
        let first = first + self.delay * each;
        loop {
            match machine.resume(&mut run) {
                Ok(Stop::Back) => {}
                Ok(Stop::Returned) => break,
                Err(refusal) => {
                    lost.get_or_insert(Lost::Refused(refusal));
                    break;
                }
            }
            let head = (run.section, run.place, run.returns.len());
            if heads.len() == LOOPS && !heads.contains_key(&head) {
                continue;
            }
            let (arrivals, one) = heads.entry(head).or_default();
            *arrivals += 1;
            if *arrivals == first {
                *one = Some(State::of(machine, &run));
            }
            let Some(one) = one.take_if(|_| *arrivals == first + each) else { continue };
            let two = State::of(machine, &run);
            one.restore(machine);
            if let Ok(pairs) = windows.written(machine, 0) {
                match self.turns(machine, (&one, &two), windows, fixed) {
                    Ok(more) => return Ok(pairs.into_iter().chain(more).collect()),
                    Err(why) => lost = Some(why),
                }
            }
            windows.show(machine, few, 0);
            machine.turns = windows.turns(few, 0);
            run = two.restore(machine);
        }
        Err(lost.unwrap_or(Lost::Unlike("there is no loop that makes a turn for each of the message")))
    }

    /// Runs from the head of a loop, whose states after the first turns are known, through one turn and through the last.
    fn turns(
        &self,
        machine: &mut Machine<'_>,
        (one, two): (&State, &State),
        windows: &Windows<'_>,
        fixed: &[(RegionId, usize)],
    ) -> Result<Pairs, Lost> {
        let text = windows.text;
        let names: &dyn Names = &text.names;
        let strings = windows.strings();
        let guess = strings.guess(machine.graph, names, one, two);
        let pairs = strings.holds_first(machine.graph, names, &guess, one);
        let mut pairs = pairs.ok_or(Lost::Unlike("round keys depend on how many turns there are"))?;
        let head = (guess.run.section, guess.run.place, guess.run.returns.clone());
        // One turn, after which there is at least one more.
        let mut run = guess.restore(machine);
        machine.turns = windows.turns(2, windows.done);
        windows.show(machine, FEWEST - 1, 1);
        let mut arrivals = 0;
        while arrivals < self.turn.each {
            if machine.resume(&mut run)? == Stop::Returned {
                return Err(Lost::Unlike("the function returns from the loop before its last turn"));
            }
            arrivals += usize::from((run.section, run.place, &run.returns) == (head.0, head.1, &head.2));
        }
        pairs.extend(windows.written(machine, 1)?);
        let after = State::of(machine, &run);
        let again = strings.holds_again(machine.graph, names, &guess, &after);
        pairs.extend(
            again.ok_or(Lost::Unlike("what holds before a turn of the loop does not hold after it"))?,
        );
        // The last turn and what follows.
        let mut run = strings.before_last(machine.graph, names, &guess).restore(machine);
        machine.turns = windows.turns(0, windows.done);
        windows.show_last(machine);
        while machine.resume(&mut run)? != Stop::Returned {}
        match machine.general(0) {
            Word::Bits(bytes) if value::known(&bytes[..4]) == Some(0) => {}
            _ => return Err(Lost::Unlike("the function may return something else than zero")),
        }
        pairs.extend(windows.written_last(machine)?);
        for &(region, number) in fixed {
            pairs.extend(same(&text.last[number], &machine.memory.region(region).cells)?);
        }
        Ok(pairs)
    }
}

/// What has to be proved for cells to hold what the text has, as many as it has.
fn same(wanted: &[[Edge; 8]], cells: &[Cell]) -> Result<Pairs, Lost> {
    let mut pairs = Pairs::new();
    for (wanted, cell) in wanted.iter().zip(cells) {
        let Cell::Bits(found) = cell else {
            return Err(Lost::Unlike("the function does not write all of its outputs"));
        };
        pairs.extend(wanted.iter().copied().zip(found.bits));
    }
    match wanted.len() <= cells.len() {
        true => Ok(pairs),
        false => Err(Lost::Unlike("an output has fewer bytes than the text has")),
    }
}

fn cells(bytes: &[Byte]) -> Vec<Cell> {
    bytes.iter().map(|&byte| Cell::Bits(byte)).collect()
}

impl Windows<'_> {
    /// What is known of the turns, of which so many are left and done at least.
    fn turns(&self, left: usize, done: usize) -> Option<Turns> {
        let turns = Turns::of(left, done, self.all.iter().map(|one| one.bytes.turn).max().unwrap_or(1));
        let is_whole =
            |one: &Window| one.bytes.turn.is_multiple_of(WORD) && one.bytes.lead.is_multiple_of(WORD);
        let keeps_words = self.all.iter().all(is_whole);
        Some(Turns { most: self.text.most, keeps_words, are_data: true, ..turns })
    }

    /// The strings: after the first turn, of which the last bytes stay in the window, which has as many before what is next.
    fn strings(&self) -> Strings {
        let moving = |one: &Window| {
            let Bytes { lead, turn, .. } = one.bytes;
            let begin = lead + (self.done - 1) * turn;
            Moving { region: one.region, turn: turn as i64, begin: begin as i64 }
        };
        Strings { moving: self.all.iter().map(moving).collect(), done: self.done as i64 }
    }

    /// The cells of a window before anything is written: where the turns begin, or after turns that are done, of which it has one.
    fn cells(&self, one: &Window, done: usize, next: usize) -> Vec<Cell> {
        let Window { input, output, bytes, .. } = *one;
        let constant = |all: &[[Edge; 8]]| -> Vec<Cell> {
            all.iter().map(|&bits| Cell::Bits(Byte { bits, lane: Lane::All })).collect()
        };
        let mut all = match (done, input, output) {
            (0, ..) | (_, None, None) => Vec::new(),
            (_, _, Some(number)) => constant(&self.text.past[number]),
            (_, Some(number), None) => cells(&self.text.before[number]),
        };
        match input {
            Some(number) if done == 0 => all.extend(cells(&self.text.begin[number][..bytes.lead + next])),
            Some(number) => all.extend(cells(&self.text.window[number][..next])),
            None => {
                let lead = if done == 0 { bytes.lead } else { 0 };
                all.resize(all.len() + lead + next, Cell::Unset);
            }
        }
        all
    }

    /// Fills the windows with so many turns, of which so many are done.
    fn show(&self, machine: &mut Machine<'_>, turns: usize, done: usize) {
        for one in &self.all {
            machine.memory.set(one.region, self.cells(one, done, turns * one.bytes.turn));
        }
    }

    /// Fills them with the last turn, and what is after it.
    fn show_last(&self, machine: &mut Machine<'_>) {
        for one in &self.all {
            machine.memory.set(one.region, self.cells(one, 1, one.bytes.turn + one.bytes.rest));
        }
    }

    /// What has to be proved for the outputs to be written as the text has them to the end of the next turn, if nothing else was.
    fn written(&self, machine: &Machine<'_>, done: usize) -> Result<Pairs, Lost> {
        let text = if done == 0 { &self.text.first } else { &self.text.next };
        self.written_as(machine, done, text)
    }

    /// The same of the last turn and what is after it.
    fn written_last(&self, machine: &Machine<'_>) -> Result<Pairs, Lost> {
        self.written_as(machine, 1, &self.text.last)
    }

    fn written_as(&self, machine: &Machine<'_>, done: usize, text: &Outputs) -> Result<Pairs, Lost> {
        let mut pairs = Pairs::new();
        for one in &self.all {
            let Some(output) = one.output else { continue };
            let found = &machine.memory.region(one.region).cells;
            let begin = if done == 0 { 0 } else { one.bytes.turn };
            let end = begin + text[output].len();
            let lead = if done == 0 { one.bytes.lead } else { begin };
            let before = self.cells(one, done, found.len() - lead);
            let is_untouched = |place: usize| found[place] == before[place];
            if !(0..begin).chain(end..found.len()).all(is_untouched) {
                return Err(Lost::Unlike("a turn of the loop writes beyond its part of the message"));
            }
            pairs.extend(same(&text[output], &found[begin..])?);
        }
        Ok(pairs)
    }
}
