//! Rounds as many times as the caller says: one kernel for keys of several sizes.
//!
//! The number of rounds is public, and ciphers of one family differ in it alone. Where a kernel is what it does before a loop, the
//! loop, and what it does after it, with round keys of their own for each of the three, the number of turns becomes a parameter. The
//! round keys become up to three arrays in the order in which they are read: those before the loop, those of the turns, and those
//! after it. What a kernel then computes for the number of turns that it was made of is what it computed.

use std::collections::BTreeMap;
use std::sync::Arc;
use usuba_ir::program::{Affine, InductionId};
use usuba_machine::Rounds;
use usuba_machine::program::{
    Address, Argument, Block, Function, Length, Loop, Parameter, Program, Region, RegionId, Register,
    RegisterId, RegisterType, Role, Step, Trips,
};

/// Where the atoms of a step are, without the induction variable of the loop: from this one to below that one.
type Range = (i64, i64);

const NOTHING: Range = (0, 0);

/// Makes the number of turns a parameter of the entry, its last, where that can be done; gives what its callers have to know.
pub(crate) fn turns(program: &mut Program) -> Option<Rounds> {
    let lengths: Vec<Vec<u32>> = program.functions.iter().map(lengths).collect();
    let entry = program.functions.last_mut()?;
    let is_uniform = |region: RegionId| entry.region(region).role == Role::Uniform;
    let given: Vec<RegionId> = entry
        .parameters
        .iter()
        .filter_map(|parameter| match *parameter {
            Parameter::Region(region) if is_uniform(region) => Some(region),
            _ => None,
        })
        .collect();
    let [keys] = given[..] else { return None };
    let atoms = entry.region(keys).length.constant()?;
    let mut loops: Vec<(u32, usize)> = Vec::new();
    for (place, step) in entry.body.steps.iter().enumerate() {
        if let Step::Loop(Loop { trips: Trips::Constant(trips), .. }) = step {
            loops.push((*trips, place));
        }
    }
    loops.sort_unstable_by_key(|&(trips, place)| (std::cmp::Reverse(trips), place));
    let found =
        loops.iter().find_map(|&(_, place)| Some((place, read(entry, keys, atoms, place, &lengths)?)));
    let (place, turns) = found?;
    rewrite(entry, keys, place, turns);
    Some(turns)
}

/// How many atoms each parameter of a function has; of a register one.
fn lengths(function: &Function) -> Vec<u32> {
    let length = |parameter: &Parameter| match *parameter {
        Parameter::Region(region) => function.region(region).length.constant().unwrap_or(u32::MAX),
        Parameter::Register(_) => 1,
    };
    function.parameters.iter().map(length).collect()
}

/// How the keys are read by the loop at a place of the entry, and before and after it.
fn read(entry: &Function, keys: RegionId, atoms: u32, place: usize, lengths: &[Vec<u32>]) -> Option<Rounds> {
    let (before, rest) = entry.body.steps.split_at(place);
    let (Step::Loop(looped), after) = rest.split_first()? else { return None };
    let turns = looped.trips.constant().filter(|&turns| turns > 1)?;
    let mut reader =
        Reader { keys, lengths, trips: BTreeMap::new(), own: Some(looped.induction), step: None };
    let each = reader.steps(&looped.body.steps)?;
    let step = reader.step.filter(|&step| step != 0)?;
    reader.own = None;
    let (before, after) = (reader.steps(before)?, reader.steps(after)?);
    // The turns have a part of the array for themselves.
    let descending = step < 0;
    let last = i64::from(turns) - 1;
    let (size, lowest) = (step.abs(), each.0 + if descending { step * last } else { 0 });
    let end = lowest + size * i64::from(turns);
    let fits = each.1 - each.0 <= size && lowest >= 0 && end <= i64::from(atoms);
    let (below, above) = if descending { (after, before) } else { (before, after) };
    let apart = (below == NOTHING || below.1 <= lowest) && (above == NOTHING || above.0 >= end);
    let (low, high) = (u32::try_from(lowest).ok()?, u32::try_from(i64::from(atoms) - end).ok()?);
    let (before, after) = if descending { (high, low) } else { (low, high) };
    let each = u32::try_from(size).ok()?;
    (fits && apart).then_some(Rounds { turns, before, each, after, descending })
}

/// Reads where the keys are read.
struct Reader<'a> {
    keys: RegionId,
    lengths: &'a [Vec<u32>],
    /// The turns of the loops that are open, but for the one that is looked at.
    trips: BTreeMap<InductionId, u32>,
    /// The induction variable of the loop that is looked at, and how far the keys go in a turn of it.
    own: Option<InductionId>,
    step: Option<i64>,
}

impl Reader<'_> {
    /// The range of all keys that steps read, empty if there are none; nothing if it is not known, or something else is read by the
    /// number of the turn.
    fn steps(&mut self, steps: &[Step]) -> Option<Range> {
        let mut all: Option<Range> = None;
        let mut add = |(from, to): Range| {
            let (first, last) = all.unwrap_or((from, to));
            all = Some((first.min(from), last.max(to)));
        };
        for step in steps {
            let mut places: Vec<(&Address, u32)> = Vec::new();
            match step {
                Step::Copy { from, to, len, .. } => places.extend([(from, *len), (to, *len)]),
                Step::Fill { address, len, .. } => places.push((address, *len)),
                Step::Call(call) => {
                    let lengths = self.lengths.get(call.function)?;
                    for (argument, &length) in call.arguments.iter().zip(lengths) {
                        if let Argument::Read(address) | Argument::Write(address) = argument {
                            places.push((address, length));
                        }
                    }
                }
                Step::Gather { addresses, .. } | Step::Scatter { addresses, .. } => {
                    places.extend(addresses.iter().map(|address| (address, 1)));
                }
                Step::Load { address, .. } | Step::Store { address, .. } => places.push((address, 1)),
                Step::Compute { .. } | Step::Constant { .. } => {}
                Step::Loop(Loop { induction, trips, body, .. }) => {
                    self.trips.insert(*induction, trips.constant()?);
                    let range = self.steps(&body.steps)?;
                    self.trips.remove(induction);
                    if range != NOTHING {
                        add(range);
                    }
                }
                Step::LoadPart { .. }
                | Step::StorePart { .. }
                | Step::CopyPart { .. }
                | Step::Count { .. }
                | Step::View { .. } => return None,
            }
            for (address, length) in places {
                if let Some(range) = self.place(address, length)? {
                    add(range);
                }
            }
        }
        Some(all.unwrap_or(NOTHING))
    }

    /// The keys at an address; nothing inside if there are other things.
    fn place(&mut self, address: &Address, length: u32) -> Option<Option<Range>> {
        let is_own = |term: &&(InductionId, i64)| Some(term.0) == self.own;
        let step = address.index.terms.iter().find(is_own).map_or(0, |&(_, step)| step);
        if address.region != self.keys {
            return (step == 0).then_some(None);
        }
        if self.own.is_some() && *self.step.get_or_insert(step) != step {
            return None;
        }
        let index = without(&address.index, self.own);
        let (first, last) = usuba_ir::check::range(&index, |induction| self.trips.get(&induction).copied())?;
        Some(Some((i64::try_from(first).ok()?, i64::try_from(last).ok()? + i64::from(length))))
    }
}

/// An index where an induction variable is zero.
fn without(index: &Affine, own: Option<InductionId>) -> Affine {
    let terms = index.terms.iter().filter(|&&(induction, _)| Some(induction) != own).copied().collect();
    Affine { constant: index.constant, terms }
}

/// Puts the keys into arrays of their own, and the number of turns behind the parameters.
fn rewrite(entry: &mut Function, keys: RegionId, place: usize, turns: Rounds) {
    let Rounds { turns: trips, before, each, after, descending } = turns;
    let count = RegisterId(entry.registers.len() as u32);
    let name = Some(Arc::from("turns"));
    entry.registers.push(Register { name, ..Register::unnamed(RegisterType::Count) });
    let (element, whole) = (entry.region(keys).element, entry.region(keys).name.clone());
    let mut part = |name: String, length: u32| {
        entry.regions.push(Region { name, role: Role::Uniform, element, length: Length::Constant(length) });
        RegionId(entry.regions.len() as u32 - 1)
    };
    let first = (before > 0).then(|| part(format!("{whole}_before"), before));
    let last = (after > 0).then(|| part(format!("{whole}_after"), after));
    entry.regions[keys.index()].length = Length::Public { count, factor: each };
    let all = first.into_iter().chain([keys]).chain(last).map(Parameter::Region);
    let at = entry.parameters.iter().position(|&parameter| parameter == Parameter::Region(keys));
    if let Some(at) = at {
        entry.parameters.splice(at..=at, all);
    }
    entry.parameters.push(Parameter::Register(count));

    let low = i64::from(if descending { after } else { before });
    let end = low + i64::from(each) * i64::from(trips);
    let (begin_before, begin_after) = if descending { (end, 0) } else { (0, end) };
    for (number, step) in entry.body.steps.iter_mut().enumerate() {
        let (region, from) = match number.cmp(&place) {
            std::cmp::Ordering::Less => (first, begin_before),
            std::cmp::Ordering::Greater => (last, begin_after),
            std::cmp::Ordering::Equal => {
                let Step::Loop(looped) = step else { continue };
                looped.trips = Trips::Public(count);
                let own = looped.induction;
                // In the order of the turns.
                let from = if descending { end - i64::from(each) } else { low };
                change(&mut looped.body, keys, &mut |address| {
                    address.index.constant -= from;
                    for (_, step) in address.index.terms.iter_mut().filter(|(induction, _)| *induction == own)
                    {
                        *step = i64::from(each);
                    }
                });
                continue;
            }
        };
        let mut moved = |address: &mut Address| {
            address.region = region.unwrap_or(keys);
            address.index.constant -= from;
        };
        change_step(step, keys, &mut moved);
    }
}

fn change(block: &mut Block, keys: RegionId, to: &mut dyn FnMut(&mut Address)) {
    block.steps.iter_mut().for_each(|step| change_step(step, keys, to));
}

/// Changes the addresses of keys.
fn change_step(step: &mut Step, keys: RegionId, to: &mut dyn FnMut(&mut Address)) {
    if let Step::Loop(looped) = step {
        change(&mut looped.body, keys, to);
    }
    step.addresses_mut(&mut |address| {
        if address.region == keys {
            to(address);
        }
    });
}
