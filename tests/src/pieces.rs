//! Messages that come in pieces, run by the interpreter of the form as a library's functions run them.

use std::collections::BTreeMap;
use usuba_message::form::{Message, VariableId};
use usuba_message::incremental::{Incremental, When};
use usuba_message::interpret::{RunError, Runner};
use usuba_message::number::Term;

/// A length that is not known: what depends on it has no sense.
const UNKNOWN: i64 = -7_777;

/// A message in parts, ready to be run.
pub struct Pieces<'m> {
    incremental: &'m Incremental,
    closed: &'m [Message],
    runners: Vec<Runner<'m>>,
}

/// What is kept between parts, and what has come out so far.
struct State<'a> {
    kept: BTreeMap<VariableId, Vec<u128>>,
    made: BTreeMap<VariableId, Vec<u128>>,
    lengths: Vec<i64>,
    inputs: &'a BTreeMap<VariableId, Vec<u128>>,
    accepted: bool,
}

impl<'m> Pieces<'m> {
    /// `closed` are the parts as messages by themselves.
    ///
    /// # Panics
    /// The front end refuses a step.
    pub fn new(incremental: &'m Incremental, closed: &'m [Message]) -> Pieces<'m> {
        let runners = closed.iter().map(|part| Runner::new(part).expect("steps that elaborate")).collect();
        Pieces { incremental, closed, runners }
    }

    /// The outputs of a message whose strings come in pieces; `None` if it is refused. `cut` says how many bytes the next piece
    /// has at most.
    ///
    /// # Errors
    /// The lengths do not fit.
    pub fn run(
        &mut self,
        lengths: &[i64],
        inputs: &BTreeMap<VariableId, Vec<u128>>,
        cut: &mut dyn FnMut() -> usize,
    ) -> Result<Option<BTreeMap<VariableId, Vec<u128>>>, RunError> {
        let mut state = State {
            kept: BTreeMap::new(),
            made: BTreeMap::new(),
            lengths: vec![UNKNOWN; self.closed[0].lengths.len()],
            inputs,
            accepted: true,
        };
        let streams = &self.incremental.streams;
        for (place, &length) in lengths.iter().enumerate() {
            if streams.iter().all(|stream| stream.length != place as u32) {
                state.lengths[place] = length;
            }
        }
        self.part(0, &mut state, &[], 0)?;
        for (number, stream) in self.incremental.streams.iter().enumerate() {
            let is_output = self.incremental.squeezes && number + 1 == self.incremental.streams.len();
            let all = if is_output { Vec::new() } else { inputs[&stream.variable].clone() };
            let element = stream.element as usize;
            let wanted = lengths[stream.length as usize] as usize * element;
            let rate = stream.rate as usize;
            let (mut come, mut done) = (0, 0);
            while come < wanted {
                come = wanted.min(come + cut());
                let length = (come / element) as i64;
                let value = |term: &Term| if *term == Term::Length(stream.length) { length } else { UNKNOWN };
                let blocks = stream.blocks.evaluate(&value)?.max(0) as usize;
                if blocks > done {
                    state.lengths[stream.before as usize] = done as i64;
                    state.lengths[stream.now as usize] = (blocks - done) as i64;
                    let text = if is_output { &[] } else { &all[done * rate..blocks * rate] };
                    self.part(2 * number + 1, &mut state, text, number)?;
                    done = blocks;
                }
                assert!(come - done * rate < stream.held as usize + element, "more is left than is said");
            }
            state.lengths[stream.length as usize] = (wanted / element) as i64;
            state.lengths[stream.before as usize] = UNKNOWN;
            state.lengths[stream.now as usize] = UNKNOWN;
            let text = if is_output { &[] } else { &all[done * rate..] };
            self.part(2 * number + 2, &mut state, text, number)?;
        }
        Ok(Some(state.made).filter(|_| state.accepted))
    }

    fn part(
        &mut self,
        place: usize,
        state: &mut State<'_>,
        text: &[u128],
        stream: usize,
    ) -> Result<(), RunError> {
        let part = &self.incremental.parts[place];
        let closed = &self.closed[place];
        assert_eq!(part.when == When::Begin, place == 0);
        let of = &self.incremental.streams[stream];
        // A part is told nothing but the lengths that it says it knows.
        let mut lengths = vec![UNKNOWN; state.lengths.len()];
        for &length in &part.lengths {
            lengths[length as usize] = state.lengths[length as usize];
            assert_ne!(lengths[length as usize], UNKNOWN, "a length that is not known yet");
        }
        let inputs: Vec<Vec<u128>> = closed
            .inputs
            .iter()
            .map(|id| match state.kept.get(id) {
                _ if place > 0 && *id == of.variable => text.to_vec(),
                Some(kept) => kept.clone(),
                None => state.inputs[id].clone(),
            })
            .collect();
        let Some(outputs) = self.runners[place].run(&lengths, &inputs)? else {
            state.accepted = false;
            return Ok(());
        };
        for (id, words) in closed.outputs.iter().zip(outputs) {
            if part.writes.contains(id) {
                state.kept.insert(*id, words);
            } else {
                state.made.entry(*id).or_default().extend(words);
            }
        }
        Ok(())
    }
}
