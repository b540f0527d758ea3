//! By how much of a message a turn of the loop of the code goes on, found out by running the code for one long message.
//!
//! Nothing rests on it: what is found is where a proof for any length is tried ([`super::any_length`]).

use super::file::Object;
use super::kernel::NoProof;
use super::machine::{Fork, Machine, Placement, Word};
use super::memory::{Cell, RegionId};
use super::message::{Given, Message, string};
use super::run::Stop;
use super::value::Byte;
use crate::graph::{Edge, Graph};
use crate::symbolic::source;
use std::collections::BTreeMap;
use usuba_lang::typed::Program;

/// So many times a head of a loop is looked at.
const ARRIVALS: usize = 4;

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

/// A loop that may make turns of a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Seen {
    /// By how much the message is gone on in a turn.
    pub by: u64,
    /// How much of it is before the first turn.
    pub lead: u64,
    /// As much as so many turns have is left to what follows the loop.
    pub spare: u64,
    /// Its head.
    pub head: Head,
    /// How often the head is reached when the first turn is done.
    pub first: usize,
    /// Whether nothing was seen that moves, and the turns were only counted.
    pub is_counted: bool,
}

/// The turns that loops of the code may make of a long message. `shorter` is the text where the length that is to grow is one less.
///
/// # Errors
/// The code is refused.
pub fn turns(message: &Message<'_>, shorter: &Program, object: &Object) -> Result<Vec<Seen>, NoProof> {
    let mut found = Vec::new();
    for is_taken in [true, false] {
        let (more, is_other) = turns_of(message, shorter, object, is_taken)?;
        found.extend(more);
        if !is_other {
            break;
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The same where a branch goes one way that depends on whether a message is refused, and whether there is one.
fn turns_of(
    message: &Message<'_>,
    shorter: &Program,
    object: &Object,
    is_taken: bool,
) -> Result<(Vec<Seen>, bool), NoProof> {
    let mut graph = Graph::for_control_flow();
    let inputs: Vec<(u32, u32)> = source::inputs(message.program);
    let fixed: Vec<bool> = inputs.iter().zip(source::inputs(shorter)).map(|(a, b)| *a == b).collect();
    let mut of = |number: usize| {
        let (width, atoms) = (inputs[number].0 as usize, inputs[number].1 as usize);
        match message.of_key[number] {
            true if message.cipher.is_some() => Given::Keyed(vec![Edge::FALSE; width * atoms]),
            // A tag comes last: whether it is the right one has to be open.
            false if number + 1 == inputs.len() && fixed[number] => Given::String(string(&mut graph, atoms)),
            // Where code goes does not depend on data: of zeros little has to be computed.
            _ => Given::String(vec![Byte::ZERO; atoms]),
        }
    };
    let given: Vec<Given> = (0..inputs.len()).map(&mut of).collect();
    let grown = |longer: Vec<(u32, u32)>, shorter: Vec<(u32, u32)>| -> Option<(usize, u64)> {
        let by = longer.iter().zip(shorter).map(|(a, b)| u64::from(a.1 - b.1));
        by.enumerate().find(|(_, by)| *by > 0)
    };
    let output = grown(source::outputs(message.program), source::outputs(shorter));
    let input = grown(source::inputs(message.program), source::inputs(shorter));
    let placement = Placement::FIRST;
    let prepared = message.prepare(&mut graph, object, placement, &given)?;
    let (mut machine, inputs, outputs) =
        message.set_up(&mut graph, object, (placement, 0, None), &given, prepared.region)?;
    machine.refusal_of_message = Some(Fork { is_taken, bit: None });
    let mut run = machine.begin(message.symbol)?;
    // Of each head how far the message was gone when it was reached: by each of the ways to see that.
    let mut heads: BTreeMap<Head, Arrivals> = BTreeMap::new();
    while machine.resume(&mut run)? == Stop::Back {
        let (all, head) = heads.entry((run.section, run.place, run.returns.len())).or_default();
        *all += 1;
        if head.len() < ARRIVALS {
            let written = output.iter().flat_map(|&(number, _)| written(&machine, outputs[number]));
            let from = input.iter().flat_map(|&(number, _)| pointed(&machine, inputs[number], false));
            let to = output.iter().flat_map(|&(number, _)| pointed(&machine, outputs[number], true));
            head.push(written.chain(from).chain(to).collect());
        }
    }
    let unit = output.or(input).map_or(1, |(_, unit)| unit) as i64;
    let of_message = match (output, input) {
        (Some((number, _)), _) => source::outputs(message.program)[number].1,
        (None, Some((number, _))) => source::inputs(message.program)[number].1,
        (None, None) => 0,
    };
    let mut found = Vec::new();
    for (&head, (all, arrivals)) in &heads {
        let turns = seen(arrivals, unit).into_iter().map(|(first, [by, lead])| {
            // The head is not reached after the last turn.
            let whole = (u64::from(of_message) / unit as u64).saturating_sub(lead) / by;
            let spare = whole.saturating_sub(*all as u64 + 1);
            Seen { by, lead, spare, head, first, is_counted: false }
        });
        let before = found.len();
        found.extend(turns);
        // Code may count blocks, and add that to addresses.
        let by = u64::from(of_message) / unit as u64 / (*all as u64 + 1);
        if found.len() == before && *all >= ARRIVALS && by > 0 {
            found.push(Seen { by, lead: 0, spare: 0, head, first: 1, is_counted: true });
        }
    }
    Ok((found, machine.refusal_of_message.is_some_and(|fork| fork.bit.is_some())))
}

/// How often a head of a loop was reached, and how far the message was gone the first times.
type Arrivals = (usize, Vec<BTreeMap<Way, i64>>);

/// A way to see how far a message is gone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Way {
    /// What is written.
    Written,
    /// Where a register points to, in an input or in an output.
    Register(usize, bool),
}

fn written(machine: &Machine<'_>, output: RegionId) -> BTreeMap<Way, i64> {
    let cells = &machine.memory.region(output).cells;
    let end = cells.iter().position(|cell| *cell == Cell::Unset).unwrap_or(cells.len());
    BTreeMap::from([(Way::Written, end as i64)])
}

fn pointed(machine: &Machine<'_>, string: RegionId, is_output: bool) -> BTreeMap<Way, i64> {
    let registers = machine.general.iter().enumerate();
    let place = |(register, word): (usize, &Option<Word>)| match word {
        Some(Word::Address(address)) if address.region == string => {
            Some((Way::Register(register, is_output), address.offset))
        }
        _ => None,
    };
    registers.filter_map(place).collect()
}

/// The turns that a loop may make, in whose head a message was gone so far: how often the head is reached when the first one is done, by
/// how much the message is gone on, and how much of it is before.
fn seen(arrivals: &[BTreeMap<Way, i64>], unit: i64) -> Vec<(usize, [u64; 2])> {
    let mut found = Vec::new();
    for (first, three) in (1..).zip(arrivals.windows(3)) {
        let [one, two, three] = three else { continue };
        let turns = one.iter().filter_map(|(way, one)| {
            let (two, three) = (two.get(way)?, three.get(way)?);
            let (turn, lead) = (two - one, one - (two - one));
            let is_whole = turn > 0 && turn % unit == 0 && lead % unit == 0;
            let is_turn = is_whole && three - two == turn && lead >= 0;
            is_turn.then(|| (*way, (first, [turn, lead].map(|bytes| (bytes / unit) as u64))))
        });
        let turns: Vec<(Way, _)> = turns.collect();
        // Where an output is written is what counts.
        let writes = turns.iter().any(|(way, _)| *way == Way::Written);
        found.extend(turns.iter().filter(|(way, _)| !writes || *way == Way::Written).map(|(_, turn)| *turn));
    }
    found
}
