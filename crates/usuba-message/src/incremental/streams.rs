//! Which strings come in pieces, and which loops take their blocks.

use super::{Stream, Whole, reasons, squeeze};
use crate::facts::Facts;
use crate::form::{Loop, Message, Sameness, Statement, VariableId, Window};
use crate::number::{Number, Term};
use crate::passes::{targets_of, texts, windows};
use std::collections::BTreeMap;
use usuba_lang::source::Span;

/// The strings, and what is known of the loops over them.
pub(super) struct Found {
    pub(super) streams: Vec<Stream>,
    pub(super) squeezes: bool,
    /// The strings to which inputs and outputs belong.
    pub(super) owner: BTreeMap<VariableId, usize>,
    /// The loops that take blocks, by their variable and their range in the source: the string, and how many iterations are a
    /// block.
    pub(super) mains: Vec<Main>,
    /// What follows from the conditions.
    pub(super) facts: Facts,
}

/// A loop that takes blocks of a string.
#[derive(Clone)]
pub(super) struct Main {
    key: (u32, Span, Number),
    pub(super) stream: usize,
    /// Iterations for a block of the string.
    pub(super) each: i64,
}

impl Found {
    /// What a loop takes, if it takes blocks.
    pub(super) fn main(&self, one: &Loop) -> Option<&Main> {
        self.mains.iter().find(|main| main.key == key(one))
    }

    /// The number of iterations that blocks of a whole string take.
    pub(super) fn trips(&self, main: &Main) -> Result<Number, Whole> {
        Ok(self.streams[main.stream].blocks.times(&main.each.into())?)
    }
}

fn key(one: &Loop) -> (u32, Span, Number) {
    (one.index, one.span, one.start.clone())
}

/// A loop that takes blocks of a string from its beginning on.
struct Candidate {
    key: (u32, Span, Number),
    rate: i64,
    trips: Number,
}

/// The strings of a message but those that are given at once.
///
/// # Errors
/// There is none.
pub(super) fn find(message: &Message, at_once: &[VariableId]) -> Result<Found, Whole> {
    let mut facts = Facts::default();
    message.conditions.iter().for_each(|condition| facts.assume(condition));
    let mut loops = Vec::new();
    outer_loops(&message.body, &mut loops);
    let mut found = Found {
        streams: Vec::new(),
        squeezes: false,
        owner: BTreeMap::new(),
        mains: Vec::new(),
        facts: facts.clone(),
    };
    let given = message
        .inputs
        .iter()
        .filter(|id| message.variable(**id).sameness == Sameness::Open && !at_once.contains(id));
    for &id in given {
        let candidates = loops.iter().filter_map(|one| candidate(one, &read(one, id), &facts));
        found.add(message, id, candidates.collect())?;
    }
    if found.streams.is_empty() {
        return Err(reasons::no_string());
    }
    let inputs = found.streams.len();
    for &id in &message.outputs {
        if found.owner.contains_key(&id) || found.squeezes {
            continue;
        }
        let candidates = loops.iter().filter_map(|one| candidate(one, &written(one, id), &facts));
        found.squeezes = found.add(message, id, candidates.collect())?;
    }
    if let Some(output) = found.streams.last().filter(|_| found.squeezes) {
        let place = found.streams.len() - 1;
        let main = loops.iter().find(|one| found.main(one).is_some_and(|main| main.stream == place));
        squeeze::check(message, output, main.copied())?;
    }
    for stream in 0..inputs {
        found.outputs(message, stream, &loops)?;
    }
    Ok(found)
}

impl Found {
    /// Finds the outputs that are written with a string, and the loops that read them again at once.
    fn outputs(&mut self, message: &Message, stream: usize, loops: &[&Loop]) -> Result<(), Whole> {
        for &id in &message.outputs {
            for &one in loops {
                let Some(main) = self.main(one).filter(|main| main.stream == stream).cloned() else {
                    continue;
                };
                let places = written(one, id);
                if places.is_empty() {
                    continue;
                }
                let aligned = candidate(one, &places, &self.facts);
                let Some(_) = aligned.filter(|one| one.rate * main.each == self.streams[stream].rate) else {
                    return Err(reasons::elsewhere(&message.variable(id).name));
                };
                self.owner.entry(id).or_insert_with(|| {
                    self.streams[stream].outputs.push(id);
                    stream
                });
            }
            if self.owner.get(&id) == Some(&stream) {
                let candidates = loops.iter().filter_map(|one| candidate(one, &read(one, id), &self.facts));
                self.mains(stream, candidates.collect())?;
            }
        }
        Ok(())
    }

    /// Notes the loops that take blocks as the string has them.
    fn mains(&mut self, stream: usize, candidates: Vec<Candidate>) -> Result<(), Whole> {
        let (rate, blocks) = (self.streams[stream].rate, self.streams[stream].blocks.clone());
        for Candidate { key, rate: own, trips } in candidates {
            let each = rate / own;
            let spare = trips.plus(&blocks, -each)?;
            let is_known = self.mains.iter().any(|main| main.key == key);
            if rate % own == 0 && !is_known && self.facts.not_negative(&spare) {
                self.mains.push(Main { key, stream, each });
            }
        }
        Ok(())
    }

    /// Adds a string if its blocks can be taken as they come, and says whether it did.
    fn add(&mut self, message: &Message, id: VariableId, candidates: Vec<Candidate>) -> Result<bool, Whole> {
        let variable = message.variable(id);
        let (Some(count), Some(element)) = (&variable.count, variable.words.bytes()) else {
            return Ok(false);
        };
        let is_whole = |place: &u32| *count == Number::from(Term::Length(*place));
        let Some(length) = (0..message.lengths.len() as u32).find(is_whole) else { return Ok(false) };
        if self.streams.iter().any(|stream| stream.length == length) {
            return Ok(false);
        }
        let bytes = count.times(&i64::from(element).into())?;
        let mut best: Option<(i64, Number, i64)> = None;
        for Candidate { rate, trips, .. } in &candidates {
            if best.as_ref().is_some_and(|(other, ..)| other >= rate) {
                continue;
            }
            if let Some(held) = self.held(&bytes, length, *rate, trips)? {
                best = Some((*rate, trips.clone(), held));
            }
        }
        let Some((rate, blocks, held)) = best else { return Ok(false) };
        let stream = self.streams.len();
        let before = message.lengths.len() as u32 + 2 * stream as u32;
        let element = i64::from(element);
        let outputs = Vec::new();
        self.owner.insert(id, stream);
        self.streams.push(Stream {
            variable: id,
            length,
            element,
            rate,
            blocks,
            held,
            before,
            now: before + 1,
            outputs,
        });
        self.mains(stream, candidates)?;
        Ok(true)
    }

    /// How many bytes are left at most, if so many blocks are taken of a string; `None` if it is not a constant, or if a longer
    /// string may have fewer blocks.
    fn held(&self, bytes: &Number, length: u32, rate: i64, trips: &Number) -> Result<Option<i64>, Whole> {
        let length = Term::Length(length);
        let strange = trips.substitute(&|term| (*term == length).then(Number::default))?;
        if strange.as_constant().is_none() || !trips.mentions(&length) {
            return Ok(None);
        }
        let longer = Number::from(length.clone()).plus(&1.into(), 1)?;
        let after = trips.substitute(&|term| (*term == length).then(|| longer.clone()))?;
        let grows = Facts::default().not_negative(&after.plus(trips, -1)?);
        let left = bytes.plus(trips, -rate)?;
        if !grows || !self.facts.not_negative(&left) {
            return Ok(None);
        }
        for most in [0, rate - 1, rate, 2 * rate - 1, 2 * rate] {
            if self.facts.not_negative(&Number::from(most).plus(&left, -1)?) {
                return Ok(Some(most));
            }
        }
        Ok(None)
    }
}

/// The loop as one that takes blocks at these windows, the first at the beginning of the string.
fn candidate(one: &Loop, places: &[Window], facts: &Facts) -> Option<Candidate> {
    let is_straight = one.body.iter().all(|one| matches!(one, Statement::Step(_) | Statement::Define(_)));
    let index = Term::Index(one.index);
    let first = places.first()?;
    let (_, rate) = first.start.split(&index);
    if !is_straight || rate <= 0 {
        return None;
    }
    let (mut low, mut high) = (0, 0);
    for window in places {
        let distance = window.start.plus(&first.start, -1).ok()?.as_constant()?;
        low = low.min(distance);
        high = high.max(distance + window.length.as_constant()?);
    }
    let at_start = first.start.plus(&low.into(), 1).ok()?;
    let at_start = at_start.substitute(&|term| (*term == index).then(|| one.start.clone())).ok()?;
    let begins = facts.same(&at_start, &Number::default());
    let trips = facts.simplified(&one.stop.plus(&one.start, -1).ok()?).ok()?;
    (begins && high - low == rate).then(|| Candidate { key: key(one), rate, trips })
}

/// The loops that do not stand in others.
fn outer_loops<'m>(body: &'m [Statement], loops: &mut Vec<&'m Loop>) {
    for statement in body {
        match statement {
            Statement::Loop(one) => loops.push(one),
            Statement::If { then, otherwise, .. } => {
                outer_loops(then, loops);
                outer_loops(otherwise, loops);
            }
            _ => {}
        }
    }
}

/// The windows of a variable that a loop reads.
fn read(one: &Loop, id: VariableId) -> Vec<Window> {
    let mut found = Vec::new();
    texts(&one.body, &mut |text| {
        windows(text, &mut |window| {
            if window.variable == id {
                found.push(window.clone());
            }
        });
    });
    found
}

/// The windows of a variable that a loop writes.
fn written(one: &Loop, id: VariableId) -> Vec<Window> {
    let mut found = Vec::new();
    targets_of(&one.body, &mut |window| {
        if window.variable == id {
            found.push(window.clone());
        }
    });
    found
}
