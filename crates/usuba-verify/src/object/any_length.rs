//! Messages of any length: the loops of the code over them are proved by induction ([`super::induction`]), against the text of any of
//! its turns ([`super::growing`]).
//!
//! Three runs are enough for all lengths that leave as many bytes for the last turn, if there are [`super::batches::FEWEST`] turns or
//! more: from the call to the head of the loop; from what is guessed of the head through one turn, after which it has to hold again;
//! and from it through the last turn to the return. What data are carried from turn to turn is what the text has there: which of it
//! is guessed from values, and that it is is proved. Where the code comes to something after the last turn that is not seen from there,
//! another loop may begin ([`super::restart`]), which is proved in the same way.

use super::batches::{FEWEST, Lost};
use super::blocks::{Unfit, Verdict};
use super::file::Object;
use super::growing::{Begins, Growing};
use super::induction::Pairs;
use super::kernel::NoProof;
use super::machine::{Asked, Machine, Placement, Word};
use super::memory::{Region, RegionId};
use super::message::{Given, Message, Report, decide, pointer, string};
use super::number::{Growth, Number, Scale};
use super::sequence::{NO_LOOP, Paced, Sequence};
use super::turn_lengths::Looped;
use super::value;
use super::windows::{Content, Window, Windows};
use crate::graph::{Edge, Graph};
use crate::prove::Limits;
use crate::symbolic::{Values, source};
use std::collections::BTreeSet;
use usuba_lang::typed::Program;

/// A function for messages of any length that leaves as much for the last turn.
#[derive(Clone, Copy, Debug)]
pub struct AnyLength<'a> {
    /// The function. Its public numbers are those without turns; of its text only the shape of strings that do not grow is looked at.
    pub message: Message<'a>,
    /// So many turns later the head of the loop is looked at than after the first: what the text makes in these is known there.
    pub delay: usize,
    /// Which of the numbers grows.
    pub grows: usize,
    /// How, and the loops of the code that make such turns; and how loops go on that make smaller ones, several for each of these.
    pub whole: Pace<'a>,
    /// These, of which the last is tried first.
    pub smaller: &'a [Pace<'a>],
    /// No message has fewer turns.
    pub least: u64,
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

/// How some loops of the code go on.
#[derive(Clone, Copy, Debug)]
pub struct Pace<'a> {
    /// By how much in a turn.
    pub turn: Turn,
    /// So much follows the turns.
    pub rest: u64,
    /// The texts for [`super::growing::turns`].
    pub texts: [&'a Program; 3],
    /// The loops that may make such turns.
    pub loops: &'a [Looped],
}

impl Turn {
    /// The shortest message that has enough turns, where so much is left after them.
    pub fn shortest(self, rest: u64, delay: usize) -> u64 {
        self.lead + (FEWEST + delay) as u64 * self.by + rest
    }
}

impl Pace<'_> {
    /// Whether the message has one length, and no turns.
    fn is_fixed(&self) -> bool {
        self.turn.by == 0
    }

    /// How many turns there are for those of another pace, if that is the same for all messages.
    fn scale(&self, whole: &Pace<'_>) -> Option<Scale> {
        let more = (whole.turn.lead + whole.rest) as i64 - (self.turn.lead + self.rest) as i64;
        let by = self.turn.by as i64;
        let is_whole = whole.turn.by.is_multiple_of(self.turn.by) && more % by == 0;
        is_whole.then_some(Scale { times: whole.turn.by as i64 / by, more: more / by })
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

impl AnyLength<'_> {
    /// The pace that is sure to grow.
    fn smallest(&self) -> &Pace<'_> {
        self.smaller.first().unwrap_or(&self.whole)
    }

    /// Proves that the function computes the message, for all bytes and all of these lengths. It refutes nothing.
    ///
    /// # Errors
    /// The code is refused, or the text or the loop of the code is not the same in each turn.
    pub fn prove(&self, object: &Object, limits: Limits) -> Result<(Verdict, Report), Unfit> {
        // Where the loops of the text begin to go through the message is guessed.
        let mut said = Ok((Verdict::Unknown, Report::default()));
        for begins in [Begins::WithMessage, Begins::AtOnce] {
            let found = self.prove_from(object, begins, limits);
            // Where the code is refused that comes before its loops, no guess of the text helps.
            if matches!(found, Ok((Verdict::Proved, _)) | Err(Unfit::Before(_))) {
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
        let [shorter, text, _] = self.smallest().texts;
        let shapes = source::inputs(text);
        let growths = [source::inputs, source::outputs].map(|shapes| -> Vec<bool> {
            shapes(text).iter().zip(shapes(shorter)).map(|(a, b)| *a != b).collect()
        });
        let (mut given, mut fixed) = (Vec::new(), Vec::new());
        for (number, &(width, atoms)) in shapes.iter().enumerate() {
            let (width, atoms) = (width as usize, atoms as usize);
            if message.of_key[number] && message.cipher.is_some() {
                let bits = graph.input_bits(width * atoms);
                fixed.push(bits.chunks(width).map(<[Edge]>::to_vec).collect());
                given.push(Given::Keyed(bits));
            } else {
                let bytes = string(&mut graph, if growths[0][number] { 0 } else { atoms });
                fixed.push(bytes.iter().map(|byte| byte.bits.to_vec()).collect());
                given.push(Given::String(bytes));
            }
        }
        let paces = self.paces(&mut graph, begins, &fixed, &growths).map_err(Unfit::Loop)?;
        let text = &paces[0].text;
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
                let shown = self.run(&mut graph, object, way, &given, &paces)?;
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

    /// What the text says in turns of the message, and in smaller ones, where it is the same in each of these.
    fn paces(
        &self,
        graph: &mut Graph,
        begins: Begins,
        fixed: &Values,
        [inputs, outputs]: &[Vec<bool>; 2],
    ) -> Result<Vec<Paced<'_>>, &'static str> {
        let message = &self.message;
        let mut found: Vec<Paced<'_>> = Vec::new();
        if self.whole.is_fixed() {
            let text = Growing::fixed(graph, message, self.whole.texts[1], fixed, [inputs, outputs]);
            found.push(Paced { loops: &[], scale: Scale::SAME, text });
        }
        for pace in std::iter::once(&self.whole).chain(self.smaller).skip(found.len()) {
            let Some(scale) = pace.scale(&self.whole) else { continue };
            let few = (FEWEST + self.delay) as i64;
            if few * scale.times + scale.more < few {
                continue;
            }
            // Before the last turn of as many as there are one has still to be left.
            let most = match scale.times {
                0 => scale.more - 2,
                times => (self.most as i64).saturating_mul(times).saturating_add(scale.more.max(0)),
            };
            let turn = (pace.turn.lead as usize, pace.turn.by as usize);
            let given = (fixed.clone(), most as u64);
            let text = Growing::of(graph, message, pace.texts, (turn, begins, self.delay), given);
            let mut text = match text {
                Err(why) if found.is_empty() => return Err(why),
                Err(_) => continue,
                Ok(text) => text,
            };
            text.least = (self.least as i64 * scale.times + scale.more).max(0) as usize;
            if let Some(whole) = found.first() {
                if !text.is_within(&whole.text) {
                    continue;
                }
                text.names.in_message(scale, whole.text.end.of(&text.end));
            }
            found.push(Paced { loops: pace.loops, scale, text });
        }
        Ok(found)
    }

    /// Prepares a key, and runs the function for any number of turns.
    fn run(
        &self,
        graph: &mut Graph,
        object: &Object,
        Way { placement, says, in_place, is_taken }: Way,
        given: &[Given],
        paces: &[Paced<'_>],
    ) -> Result<Shown, Unfit> {
        let text = &paces[0].text;
        let Some(Paced { text: Growing { inputs: of_inputs, outputs: of_outputs, .. }, .. }) = paces.last()
        else {
            return Err(Lost::Unlike(NO_LOOP).into());
        };
        let message = &self.message;
        let prepared = message.prepare(graph, object, placement, given)?;
        let count = message.numbers.len() + 1 + given.len() + text.outputs.len();
        let mut machine = Machine::with_arguments(graph, object, placement, count);
        machine.processor = message.asks.iter().map(|name| ((*name).to_owned(), says)).collect();
        let number = |(place, &number): (usize, &u64)| match place == self.grows {
            true if !self.whole.is_fixed() => {
                let growth = Growth { left: self.whole.turn.by as i64, done: 0 };
                Word::Number(Number { growth, more: (self.whole.turn.lead + number) as i64 })
            }
            _ => Word::Bits(value::constant(8, number)),
        };
        let mut words: Vec<Word> = message.numbers.iter().enumerate().map(number).collect();
        words.push(pointer(machine.memory.add(prepared.region.writable(false))));
        let mut windows = Windows { whole: text, text, all: Vec::new(), done: 1 + self.delay };
        let window = |region, input, output| {
            let (was, is) = (Content::Before, Content::Before);
            Window { region, input, output, was, is }
        };
        let mut inputs = Vec::new();
        for (number, given) in given.iter().enumerate() {
            let region = message.input(&mut machine, (number, given), in_place);
            if of_inputs[number].turn > 0 {
                windows.all.push(window(region, Some(number), None));
            }
            inputs.push(region);
        }
        let mut written = Vec::new();
        for (number, bytes) in text.outputs.iter().enumerate() {
            let from = in_place.filter(|(_, to)| *to == number).map(|(from, _)| from);
            let grows = of_outputs[number].turn > 0;
            let size = if grows { 0 } else { bytes.rest };
            let region = match from {
                Some(from) => inputs[from],
                None => machine.memory.add(Region::unset(format!("output {number}"), size, 1)),
            };
            if grows {
                match windows.all.iter_mut().find(|known| known.region == region) {
                    Some(known) => known.output = Some(number),
                    None => {
                        windows.all.push(window(region, None, Some(number)));
                    }
                }
            }
            written.push(region);
        }
        words.extend(inputs.iter().chain(&written).map(|&region| pointer(region)));
        machine.arguments(words).map_err(|why| NoProof::from(machine.refusal(0, 0, String::new(), why)))?;
        let fixed: Vec<(RegionId, usize)> = (0..)
            .zip(&written)
            .filter(|(number, _)| of_outputs[*number].turn == 0)
            .map(|(number, &region)| (region, number))
            .collect();
        let run = machine.begin(message.symbol).map_err(NoProof::from)?;
        let is_fixed = self.whole.is_fixed();
        let sequence = Sequence { paces, fixed: &fixed, is_fixed, is_taken };
        let pairs = sequence.prove_call(&mut machine, &windows, run)?;
        Ok(Shown {
            pairs,
            prepared: prepared.blocks,
            instructions: prepared.instructions + machine.steps,
            asked: prepared.asked.or(machine.asked),
        })
    }
}
