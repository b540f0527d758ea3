//! By how much of a message a turn of the loop of the code goes on, found out by running the code for one long message.
//!
//! Nothing rests on it: what is found is where a proof for any length is tried ([`super::any_length`]).

use super::any_length::Turn;
use super::file::Object;
use super::kernel::NoProof;
use super::machine::{Machine, Placement, Word};
use super::memory::{Cell, RegionId};
use super::message::{Given, Message};
use super::run::Stop;
use super::value::Byte;
use crate::graph::Graph;
use crate::symbolic::source;
use std::collections::BTreeMap;
use usuba_lang::typed::Program;

/// So many times a head of a loop is looked at.
const ARRIVALS: usize = 4;

/// The turns that loops of the code may make of a long message. `shorter` is the text where the length that is to grow is one less.
///
/// # Errors
/// The code is refused.
pub fn turns(message: &Message<'_>, shorter: &Program, object: &Object) -> Result<Vec<Turn>, NoProof> {
    let mut graph = Graph::with_symbols();
    let given: Vec<Given> = source::inputs(message.program)
        .into_iter()
        .zip(message.of_key)
        .map(|((width, atoms), &of_key)| match of_key && message.cipher.is_some() {
            true => Given::Keyed(graph.input_bits((width * atoms) as usize)),
            // Where code goes does not depend on data: of zeros little has to be computed.
            false => Given::String(vec![Byte::ZERO; atoms as usize]),
        })
        .collect();
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
    let mut run = machine.begin(message.symbol)?;
    // Of each head how far the message was gone when it was reached: by each of the ways to see that.
    let mut heads: BTreeMap<(usize, u64, usize), Arrivals> = BTreeMap::new();
    while machine.resume(&mut run)? == Stop::Back {
        let (all, head) = heads.entry((run.section, run.place, run.returns.len())).or_default();
        *all += 1;
        if head.len() < ARRIVALS {
            let ways = match (output, input) {
                (Some((number, _)), _) => written(&machine, outputs[number]),
                (None, Some((number, _))) => pointed(&machine, inputs[number]),
                (None, None) => BTreeMap::new(),
            };
            head.push(ways);
        }
    }
    let unit = output.or(input).map_or(1, |(_, unit)| unit) as i64;
    let of_message = match (output, input) {
        (Some((number, _)), _) => source::outputs(message.program)[number].1,
        (None, Some((number, _))) => source::inputs(message.program)[number].1,
        (None, None) => 0,
    };
    let mut found = Vec::new();
    for (all, arrivals) in heads.values() {
        let turns = seen(arrivals, unit).into_iter().map(|turn| {
            // The head is not reached after the last turn.
            let whole = (u64::from(of_message) / unit as u64).saturating_sub(turn.lead) / turn.by;
            let spare = whole.saturating_sub((*all / turn.each) as u64 + 1);
            Turn { spare, ..turn }
        });
        found.extend(turns);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// How often a head of a loop was reached, and how far the message was gone the first times.
type Arrivals = (usize, Vec<BTreeMap<Way, i64>>);

/// A way to see how far a message is gone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Way {
    /// What is written.
    Written,
    /// Where a register points to.
    Register(usize),
}

fn written(machine: &Machine<'_>, output: RegionId) -> BTreeMap<Way, i64> {
    let cells = &machine.memory.region(output).cells;
    let end = cells.iter().position(|cell| *cell == Cell::Unset).unwrap_or(cells.len());
    BTreeMap::from([(Way::Written, end as i64)])
}

fn pointed(machine: &Machine<'_>, input: RegionId) -> BTreeMap<Way, i64> {
    let registers = machine.general.iter().enumerate();
    let place = |(register, word): (usize, &Option<Word>)| match word {
        Some(Word::Address(address)) if address.region == input => {
            Some((Way::Register(register), address.offset))
        }
        _ => None,
    };
    registers.filter_map(place).collect()
}

/// The turns that a loop may make, in whose head a message was gone so far.
fn seen(arrivals: &[BTreeMap<Way, i64>], unit: i64) -> Vec<Turn> {
    let mut found = Vec::new();
    for (first, three) in (1..).zip(arrivals.windows(3)) {
        let [one, two, three] = three else { continue };
        for (way, one) in one {
            let (Some(two), Some(three)) = (two.get(way), three.get(way)) else { continue };
            let (turn, lead) = (two - one, one - (two - one));
            if turn <= 0 || three - two != turn || lead < 0 || turn % unit != 0 || lead % unit != 0 {
                continue;
            }
            let [by, lead] = [turn, lead].map(|bytes| (bytes / unit) as u64);
            found.push(Turn { by, lead, first, each: 1, spare: 0 });
        }
    }
    found
}
