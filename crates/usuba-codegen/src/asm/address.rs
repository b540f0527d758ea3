//! Addresses in general-purpose registers, the stack frame, prologue and epilogue.
//!
//! A parameter stays in the register in which it arrives, moved up where that makes displacements short, until it is not needed any
//! more; one that arrives in memory is fetched before the first step or loop that needs it. A loop counts in
//! bytes: one register for each distance by which an address moves from one time to the next, so that an address is `base +
//! counter + displacement`; an address that moves with several loops is summed up in `rax`, which holds nothing else.
//!
//! Where values are in general-purpose registers, all arguments are put on the stack first and fetched like those that arrive in memory,
//! so that registers hold addresses only where these are needed. Local arrays that are used both by the index of a loop and at fixed
//! places are not addressed from the stack pointer; [`crate::hidden`] has the reason.

use super::allocate::{Allocated, Place, Step};
use super::convention::Convention;
use super::linear::{Count, Given, Item, Linear};
use super::machine::{Base, Code, Gpr, Limit, Line, Memory, Source, Vector, VectorLine};
use super::{Machine, Stop};
use std::collections::{BTreeMap, BTreeSet};
use usuba_machine::program::{Address, Public, RegionId, Role, Trips};
use usuba_target::Encoding;

/// What there is to say when addresses take more registers than there are.
pub(crate) const FEW_REGISTERS: Stop = Stop::Limit("more loops and distances than general-purpose registers");

/// Whether the registers that values leave are enough for the addresses.
///
/// # Errors
/// As for [`address`], but for its first.
pub(crate) fn fits(
    linear: &Linear,
    allocated: &Allocated,
    machine: Machine,
    convention: &Convention,
) -> Result<bool, Stop> {
    let mut addresses = Addresses::new(linear, allocated, machine, convention)?;
    match addresses.registers(allocated, convention) {
        Ok(()) => Ok(true),
        Err(stop) if stop == FEW_REGISTERS => Ok(false),
        Err(stop) => Err(stop),
    }
}

/// Gives addresses registers.
///
/// # Errors
/// More loops and distances than registers, or a frame that no displacement reaches.
pub(crate) fn address(
    linear: &Linear,
    allocated: Allocated,
    machine: Machine,
    convention: &Convention,
) -> Result<Code, Stop> {
    let mut addresses = Addresses::new(linear, &allocated, machine, convention)?;
    addresses.registers(&allocated, convention)?;
    addresses.prologue(convention)?;
    for (position, step) in allocated.steps.iter().enumerate() {
        addresses.fetch(position, convention);
        addresses.step(position, step)?;
    }
    addresses.epilogue();
    let Addresses { lines, locals, slots, frame, .. } = addresses;
    Ok(Code { lines, pool: allocated.pool, locals, slots, frame })
}

struct Addresses<'a> {
    linear: &'a Linear,
    uniform: i64,
    machine: Machine,
    /// How far the register of each parameter that is used points into its region, and its place among the arguments.
    bases: BTreeMap<usize, (i64, usize)>,
    /// Their registers.
    registers: BTreeMap<usize, Gpr>,
    /// The public counts that the function is given, with their places among the arguments.
    given: BTreeMap<Count, usize>,
    /// Of public counts and of views.
    counts: BTreeMap<Count, Gpr>,
    views: BTreeMap<RegionId, Gpr>,
    /// What comes into a register before a step.
    fetched: BTreeMap<usize, Vec<(Late, Gpr)>>,
    /// For what copies bytes, by its position.
    scratch: BTreeMap<usize, [Gpr; 3]>,
    /// By loop, then by bytes a time.
    counters: Vec<BTreeMap<i64, Gpr>>,
    free: Vec<Gpr>,
    saved: Vec<Gpr>,
    /// The arguments that arrive in registers and are put on the stack.
    put: Vec<Gpr>,
    /// Local regions that are not addressed from the stack pointer.
    hidden: BTreeSet<RegionId>,
    /// What they are addressed from: it holds the same.
    frame_base: Option<Gpr>,
    locals: Vec<Option<i64>>,
    slots: i64,
    frame: i64,
    /// What `rax` is the sum of.
    summed: Option<(Gpr, Vec<Gpr>)>,
    /// The count of which the mask register has the mask.
    masked: Option<Count>,
    lines: Vec<Line>,
}

/// What has a register only where it is needed.
#[derive(Clone, Copy)]
enum Late {
    /// An argument: how far the register points into its region, and the place among the arguments.
    Argument(Given, i64, usize),
    /// The address of the frame.
    Frame,
}

/// The positions that read each count and each region.
#[derive(Default)]
struct Reads {
    counts: BTreeMap<Count, Vec<usize>>,
    regions: BTreeMap<RegionId, Vec<usize>>,
}

fn places(step: &Step) -> Vec<&Place> {
    match step {
        Step::Vector(VectorLine::Compute { sources, .. }) => sources
            .iter()
            .filter_map(|source| match source {
                Source::Memory(place) | Source::Repeated(place, _) => Some(place),
                Source::Register(_) => None,
            })
            .collect(),
        Step::Vector(
            VectorLine::Load { memory, .. }
            | VectorLine::Store { memory, .. }
            | VectorLine::LoadPart { memory, .. }
            | VectorLine::StorePart { memory, .. },
        ) => vec![memory],
        _ => Vec::new(),
    }
}

/// The register that a step writes.
fn written(step: &Step) -> Option<Vector> {
    match step {
        Step::Vector(
            VectorLine::Compute { to, .. }
            | VectorLine::Copy { to, .. }
            | VectorLine::Splat { to, .. }
            | VectorLine::Load { to, .. }
            | VectorLine::LoadPart { to, .. },
        ) => Some(*to),
        _ => None,
    }
}

/// The addresses of a step.
fn reached<'b>(linear: &'b Linear, step: &'b Step) -> Vec<&'b Address> {
    let copied = match step {
        Step::Plain(item) => match &linear.items[*item] {
            Item::CopyPart { from, to, .. } => vec![from, to],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let reached = places(step).into_iter().filter_map(|place| match place {
        Place::Region(address) => Some(address),
        _ => None,
    });
    reached.chain(copied).collect()
}

/// The local regions that are used both by the index of a loop and at fixed places, but for those that are written before all loops.
fn hidden(linear: &Linear, allocated: &Allocated) -> BTreeSet<RegionId> {
    let local = |address: &&Address| linear.regions[address.region.index()].role == Role::Local;
    let (fixed, indexed): (Vec<&Address>, Vec<&Address>) =
        regions(linear, allocated).filter(local).partition(|address| address.index.terms.is_empty());
    let fixed: BTreeSet<RegionId> = fixed.into_iter().map(|address| address.region).collect();
    let mut written = BTreeSet::new();
    let mut depth = 0;
    for step in &allocated.steps {
        match step {
            Step::Begin(_) => depth += 1,
            Step::End(_) => depth -= 1,
            Step::Vector(VectorLine::Store { memory: Place::Region(address), .. }) if depth > 0 => {
                written.insert(address.region);
            }
            _ => {}
        }
    }
    let both = indexed.into_iter().map(|address| address.region).filter(|region| fixed.contains(region));
    both.filter(|region| written.contains(region)).collect()
}

fn regions<'b>(linear: &'b Linear, allocated: &'b Allocated) -> impl Iterator<Item = &'b Address> {
    allocated.steps.iter().flat_map(|step| reached(linear, step))
}

/// The public counts that a step reads.
fn counts_of(linear: &Linear, step: &Step) -> Vec<Count> {
    let item = match step {
        Step::Plain(item)
        | Step::Vector(VectorLine::LoadPart { item, .. } | VectorLine::StorePart { item, .. }) => *item,
        Step::Begin(number) | Step::End(number) => {
            return match linear.loops[*number].trips {
                Trips::Public(count) => vec![count],
                Trips::Constant(_) => Vec::new(),
            };
        }
        Step::Vector(_) => return Vec::new(),
    };
    match &linear.items[item] {
        Item::LoadPart { count, .. } | Item::StorePart { count, .. } | Item::CopyPart { count, .. } => {
            vec![*count]
        }
        Item::Count { value, .. } => value.counts(),
        Item::View { offset, .. } => vec![*offset],
        _ => Vec::new(),
    }
}

impl<'a> Addresses<'a> {
    fn new(
        linear: &'a Linear,
        allocated: &Allocated,
        machine: Machine,
        convention: &Convention,
    ) -> Result<Self, Stop> {
        let uniform = i64::from(machine.uniform / 8);
        let bytes = linear.bytes as i64;
        let slots = i64::from(allocated.slots) * bytes;
        let mut frame = slots;
        let mut locals = vec![None; linear.regions.len()];
        let mut furthest: BTreeMap<usize, i64> = BTreeMap::new();
        let of_views = linear.views();
        let whole = of_views.values().map(|(of, _)| *of).filter(|of| !of_views.contains_key(of));
        whole.for_each(|of| {
            furthest.insert(of.index(), 0);
        });
        for address in regions(linear, allocated) {
            let number = address.region.index();
            let region = &linear.regions[number];
            if region.role == Role::Local {
                if locals[number].is_none() {
                    locals[number] = Some(frame);
                    let element = linear.element(address.region, machine.uniform as usize / 8);
                    let size = i64::from(region.length.constant().unwrap_or(0)) * element;
                    frame += (size + bytes - 1) / bytes * bytes;
                }
            } else if !of_views.contains_key(&address.region) {
                let at =
                    address.index.constant * linear.element(address.region, machine.uniform as usize / 8);
                let furthest = furthest.entry(number).or_insert(at);
                *furthest = at.max(*furthest);
            }
        }
        if frame > i64::from(i32::MAX) / 2 {
            return Err(Stop::Limit("the arrays of this program are too large for a stack frame"));
        }
        let mut free: Vec<Gpr> = match machine.file {
            Some(file) => file.addresses().collect(),
            // The last ones are taken first: those that need not be kept.
            None => convention.scratch.iter().chain(convention.preserved).rev().copied().collect(),
        };
        if frame > 0 && machine.file.is_none() {
            free.retain(|&register| register != Gpr::RBP);
        }
        let read: BTreeSet<Count> = allocated.steps.iter().flat_map(|step| counts_of(linear, step)).collect();
        let (mut bases, mut given) = (BTreeMap::new(), BTreeMap::new());
        for (place, &parameter) in linear.parameters.iter().enumerate() {
            let arrives = convention.arguments.get(place).copied();
            let wanted = match parameter {
                Given::Region(region) => furthest.get(&region.index()).map(|&furthest| (region, furthest)),
                Given::Count(count) if read.contains(&count) => {
                    given.insert(count, place);
                    continue;
                }
                Given::Count(_) => None,
            };
            match (wanted, arrives) {
                (Some((region, furthest)), _) => {
                    // The reach of a displacement of one byte: 127 units.
                    let unit = match machine.encoding {
                        Encoding::Evex if linear.is_string(region) => bytes,
                        Encoding::Evex => linear.element(region, machine.uniform as usize / 8),
                        _ => 1,
                    };
                    let bias = if furthest > 127 * unit { 128 * unit } else { 0 };
                    bases.insert(region.index(), (bias, place));
                }
                (None, Some(arrives)) if machine.file.is_none() => free.push(arrives),
                (None, _) => {}
            }
        }
        let (mut saved, mut put) = (Vec::new(), Vec::new());
        if machine.file.is_some() {
            let written: BTreeSet<Gpr> =
                allocated.steps.iter().filter_map(written).filter_map(|to| machine.general(to)).collect();
            saved =
                convention.preserved.iter().copied().filter(|register| written.contains(register)).collect();
            let places: BTreeSet<usize> =
                bases.values().map(|&(_, place)| place).chain(given.values().copied()).collect();
            put = places.iter().filter_map(|&place| convention.arguments.get(place)).copied().collect();
        } else {
            free.extend(convention.arguments.iter().skip(linear.parameters.len()).copied());
        }
        Ok(Addresses {
            linear,
            uniform,
            machine,
            bases,
            registers: BTreeMap::new(),
            given,
            counts: BTreeMap::new(),
            views: BTreeMap::new(),
            fetched: BTreeMap::new(),
            scratch: BTreeMap::new(),
            counters: vec![BTreeMap::new(); linear.loops.len()],
            free,
            saved,
            put,
            hidden: if machine.file.is_some() { hidden(linear, allocated) } else { BTreeSet::new() },
            frame_base: None,
            locals,
            slots,
            frame,
            summed: None,
            masked: None,
            lines: Vec::new(),
        })
    }

    /// The last position that needs what is made at a position, by the positions that read it: one in a loop that does not
    /// contain the former needs it until the loop ends.
    fn last(&self, made: Option<usize>, reads: &[usize], spans: &[(usize, usize)]) -> Option<usize> {
        let until = |read: usize| {
            let around = spans.iter().filter(|&&(begin, end)| {
                begin <= read && read <= end && made.is_none_or(|made| made < begin)
            });
            around.map(|&(_, end)| end).chain([read]).max()
        };
        reads.iter().filter_map(|&read| until(read)).max()
    }

    /// Registers for the loops, for public counts and for views; those that are not needed together may be the same.
    fn registers(&mut self, allocated: &Allocated, convention: &Convention) -> Result<(), Stop> {
        let by_induction: BTreeMap<_, usize> =
            self.linear.loops.iter().enumerate().map(|(number, looped)| (looped.induction, number)).collect();
        let mut distances: Vec<BTreeSet<i64>> = vec![BTreeSet::new(); self.counters.len()];
        for address in regions(self.linear, allocated) {
            for (induction, coefficient) in &address.index.terms {
                let number = *by_induction.get(induction).ok_or("an address with no loop")?;
                distances[number].insert(coefficient * self.element(address));
            }
        }
        let (mut until, mut reads, mut spans) = (BTreeMap::new(), Reads::default(), Vec::new());
        for (position, step) in allocated.steps.iter().enumerate() {
            if let Step::Begin(number) = step {
                let end = allocated.steps.iter().position(|other| *other == Step::End(*number));
                spans.push((position, end.ok_or("a loop without an end")?));
            }
            for count in counts_of(self.linear, step) {
                reads.counts.entry(count).or_default().push(position);
            }
            let views = reached(self.linear, step).into_iter().map(|address| address.region);
            let origin = match step {
                Step::Plain(item) => match self.linear.items[*item] {
                    Item::View { of, .. } => Some(of),
                    _ => None,
                },
                _ => None,
            };
            for region in views.chain(origin) {
                reads.regions.entry(region).or_default().push(position);
            }
        }
        // What comes into a register later, by the position before which it does, with the last one that needs it.
        let mut late: BTreeMap<usize, Vec<(Late, usize)>> = BTreeMap::new();
        let near = self.machine.file.map_or(usize::MAX, |file| file.near);
        // Before all loops around the first step that needs it, and again after loops that do not.
        let segments = |addresses: &Self, read: &[usize]| -> Vec<(usize, usize)> {
            let segment = |read: &[usize]| {
                let first = read.first().copied().unwrap_or(0);
                let last = addresses.last(None, read, &spans).unwrap_or(0);
                let around = spans.iter().filter(|&&(begin, end)| begin <= first && first <= end);
                (around.map(|&(begin, _)| begin).min().unwrap_or(first), last)
            };
            apart(read, &spans, near).map(segment).collect()
        };
        let reads_of_hidden = self.hidden.iter().filter_map(|region| reads.regions.get(region)).flatten();
        let reads_of_hidden: BTreeSet<usize> = reads_of_hidden.copied().collect();
        let reads_of_hidden: Vec<usize> = reads_of_hidden.into_iter().collect();
        for (before, last) in segments(self, &reads_of_hidden) {
            late.entry(before).or_default().push((Late::Frame, last));
        }
        let of_regions = self.bases.iter().map(|(&region, &(bias, place))| {
            let region = RegionId(region as u32);
            (Given::Region(region), bias, place, reads.regions.get(&region))
        });
        let of_counts = self
            .given
            .iter()
            .map(|(&count, &place)| (Given::Count(count), 0, place, reads.counts.get(&count)));
        for (given, bias, place, read) in of_regions.chain(of_counts) {
            let read = read.map_or(&[][..], Vec::as_slice);
            let last = self.last(None, read, &spans).unwrap_or(0);
            match convention.arguments.get(place).filter(|_| self.machine.file.is_none()) {
                Some(&register) => {
                    match given {
                        Given::Region(region) => drop(self.registers.insert(region.index(), register)),
                        Given::Count(count) => drop(self.counts.insert(count, register)),
                    }
                    until.entry(last).or_insert_with(Vec::new).push(register);
                }
                None => {
                    for (before, last) in segments(self, read) {
                        late.entry(before).or_default().push((Late::Argument(given, bias, place), last));
                    }
                }
            }
        }
        for (position, step) in allocated.steps.iter().enumerate() {
            for (what, last) in late.remove(&position).unwrap_or_default() {
                let register = take(&mut self.free, &mut self.saved, convention)?;
                self.fetched.entry(position).or_default().push((what, register));
                until.entry(last).or_insert_with(Vec::new).push(register);
            }
            match step {
                Step::Begin(number) => {
                    let trips = self.linear.loops[*number].trips;
                    if distances[*number].is_empty() || trips.constant().is_none() {
                        distances[*number].insert(1);
                    }
                    for &distance in &distances[*number] {
                        let limit = distance.checked_mul(trips.constant().map_or(1, i64::from));
                        if limit.is_none_or(|limit| i32::try_from(limit).is_err()) {
                            return Err(Stop::Limit("a loop goes further than a displacement reaches"));
                        }
                        let register = take(&mut self.free, &mut self.saved, convention)?;
                        self.counters[*number].insert(distance, register);
                    }
                }
                Step::End(number) => self.free.extend(self.counters[*number].values().rev()),
                Step::Plain(item) => {
                    let made = match &self.linear.items[*item] {
                        Item::CopyPart { .. } => {
                            let mut own = [Gpr::RAX; 3];
                            for register in &mut own {
                                *register = take(&mut self.free, &mut self.saved, convention)?;
                            }
                            self.free.extend(own.iter().rev());
                            self.scratch.insert(position, own);
                            None
                        }
                        Item::Count { result, .. } => reads.counts.get(result),
                        Item::View { region, .. } => reads.regions.get(region),
                        _ => return Err(Stop::Fault("a step of vectors without a line".into())),
                    };
                    if let Some(last) = made.and_then(|reads| self.last(Some(position), reads, &spans)) {
                        let register = take(&mut self.free, &mut self.saved, convention)?;
                        match &self.linear.items[*item] {
                            Item::Count { result, .. } => drop(self.counts.insert(*result, register)),
                            Item::View { region, .. } => drop(self.views.insert(*region, register)),
                            _ => {}
                        }
                        until.entry(last).or_insert_with(Vec::new).push(register);
                    }
                }
                Step::Vector(_) => {}
            }
            self.free.extend(until.remove(&position).unwrap_or_default());
        }
        Ok(())
    }

    fn count(&self, count: Count) -> Result<Gpr, Stop> {
        self.counts.get(&count).copied().ok_or(Stop::from("a count without a register"))
    }

    fn element(&self, address: &Address) -> i64 {
        self.linear.element(address.region, self.uniform as usize)
    }

    fn prologue(&mut self, convention: &Convention) -> Result<(), Stop> {
        self.lines.push(Line::LandingPad);
        if self.machine.file.is_some() {
            self.lines.extend(self.saved.iter().chain(&self.put).map(|&register| Line::Push(register)));
            if self.frame > 0 {
                self.lines.push(Line::Reserve(self.frame));
            }
            return Ok(());
        }
        let framed = self.frame > 0;
        if framed {
            self.lines.push(Line::Push(Gpr::RBP));
            self.lines.push(Line::Move { to: Gpr::RBP, from: Gpr::RSP });
        }
        self.lines.extend(self.saved.iter().map(|&register| Line::Push(register)));
        if framed {
            self.lines.push(Line::Add { to: Gpr::RSP, amount: -self.frame });
            self.lines.push(Line::Align(self.linear.bytes as i64));
        }
        for (region, &(bias, place)) in &self.bases {
            if place < convention.arguments.len() && bias != 0 {
                let register = self.registers.get(region).ok_or("a region without a register")?;
                self.lines.push(Line::Add { to: *register, amount: bias });
            }
        }
        Ok(())
    }

    /// Fetches what is needed from a step on.
    fn fetch(&mut self, position: usize, convention: &Convention) {
        for (what, register) in self.fetched.remove(&position).unwrap_or_default() {
            let Late::Argument(given, bias, place) = what else {
                let memory = Memory { base: Base::Register(Gpr::RSP), index: None, displacement: 0 };
                self.lines.push(Line::Address { to: register, memory });
                self.frame_base = Some(register);
                self.overwritten(register);
                continue;
            };
            match given {
                Given::Region(region) => drop(self.registers.insert(region.index(), register)),
                Given::Count(count) => drop(self.counts.insert(count, register)),
            }
            let pushed = 8 * (self.saved.len() + self.put.len()) as i64;
            let (base, above) = match (self.frame > 0, self.machine.file) {
                (true, None) => (Gpr::RBP, 16),
                (false, None) => (Gpr::RSP, 8 + pushed),
                (_, Some(_)) => (Gpr::RSP, 8 + pushed + self.frame),
            };
            let beyond = place.saturating_sub(convention.arguments.len()) as i64;
            let put = convention.arguments.get(place).and_then(|argument| {
                let above = self.put.iter().rev().position(|put| put == argument)?;
                Some(self.frame + 8 * above as i64)
            });
            let displacement = put.unwrap_or(above + convention.home + 8 * beyond);
            let memory = Memory { base: Base::Register(base), index: None, displacement };
            self.lines.push(Line::Fetch { to: register, memory });
            if bias != 0 {
                self.lines.push(Line::Add { to: register, amount: bias });
            }
            self.overwritten(register);
        }
    }

    /// Forgets a sum of what a register held.
    fn overwritten(&mut self, register: Gpr) {
        if self.summed.as_ref().is_some_and(|(base, sum)| *base == register || sum.contains(&register)) {
            self.summed = None;
        }
    }

    fn epilogue(&mut self) {
        if self.machine.file.is_some() {
            let above = self.frame + 8 * self.put.len() as i64;
            if above > 0 {
                self.lines.push(Line::Release(above));
            }
            self.lines.extend(self.saved.iter().rev().map(|&register| Line::Pop(register)));
            self.lines.push(Line::Return);
            return;
        }
        let framed = self.frame > 0;
        if framed {
            let displacement = -8 * self.saved.len() as i64;
            let memory = Memory { base: Base::Register(Gpr::RBP), index: None, displacement };
            self.lines.push(Line::Address { to: Gpr::RSP, memory });
        }
        self.lines.extend(self.saved.iter().rev().map(|&register| Line::Pop(register)));
        if framed {
            self.lines.push(Line::Pop(Gpr::RBP));
        }
        if self.linear.bytes > 16 {
            self.lines.push(Line::ClearUpper);
        }
        self.lines.push(Line::Return);
    }

    fn step(&mut self, position: usize, step: &Step) -> Result<(), Stop> {
        match step {
            Step::Begin(number) => {
                (self.summed, self.masked) = (None, None);
                if let Trips::Public(count) = self.linear.loops[*number].trips {
                    self.lines.push(Line::Skip { number: *number, count: self.count(count)? });
                }
                self.lines.extend(self.counters[*number].values().map(|&register| Line::Zero(register)));
                self.lines.push(Line::Label(*number));
            }
            Step::End(number) => {
                (self.summed, self.masked) = (None, None);
                let counters = self.counters[*number].clone();
                for (&distance, &register) in &counters {
                    self.lines.push(Line::Add { to: register, amount: distance });
                }
                let (counter, limit) = match self.linear.loops[*number].trips {
                    Trips::Constant(trips) => {
                        let (distance, counter) =
                            counters.into_iter().next_back().ok_or("a loop without a counter")?;
                        (counter, Limit::Number(distance * i64::from(trips)))
                    }
                    Trips::Public(count) => {
                        let counter = counters.get(&1).ok_or("a public loop without a counter")?;
                        (*counter, Limit::Count(self.count(count)?))
                    }
                };
                self.lines.push(Line::Branch { number: *number, counter, limit });
            }
            Step::Plain(item) => self.plain(position, *item)?,
            Step::Vector(line) => {
                let line = self.vector(line)?;
                self.lines.push(Line::Vector(line));
            }
        }
        Ok(())
    }

    fn plain(&mut self, position: usize, item: usize) -> Result<(), Stop> {
        let linear = self.linear;
        match &linear.items[item] {
            Item::Count { result, value } => {
                let Some(&to) = self.counts.get(result) else { return Ok(()) };
                if let Public::Quotient { by, .. } | Public::Remainder { by, .. } = value
                    && !by.is_power_of_two()
                {
                    return Err(Stop::Limit("it divides public counts by powers of two"));
                }
                let sources: Result<Vec<Gpr>, Stop> =
                    value.counts().into_iter().map(|count| self.count(count)).collect();
                self.summed = None;
                self.lines.push(Line::Count { item, to, sources: sources? });
            }
            Item::View { region, of, offset } => {
                let Some(&to) = self.views.get(region) else { return Ok(()) };
                if linear.element(*of, self.uniform as usize) != 1 {
                    return Err(Stop::Limit("it is for views of strings of bytes"));
                }
                let (base, bias) = self.base(*of)?;
                let memory = Memory {
                    base: Base::Register(base),
                    index: Some(self.count(*offset)?),
                    displacement: bias,
                };
                self.summed = None;
                self.lines.push(Line::Address { to, memory });
            }
            Item::CopyPart { from, to, count } => {
                let [goal, source, index] = *self.scratch.get(&position).ok_or("a copy without registers")?;
                for (register, address) in [(goal, to), (source, from)] {
                    let memory = self.memory(&Place::Region(address.clone()))?;
                    self.lines.push(Line::Address { to: register, memory });
                }
                self.summed = None;
                let count = self.count(*count)?;
                self.lines.push(Line::CopyPart { item, to: goal, from: source, count, index });
            }
            _ => return Err(Stop::Fault("a step of vectors without a line".into())),
        }
        Ok(())
    }

    /// The register of a region, and how far from its start the register points, with the opposite sign.
    fn base(&self, region: RegionId) -> Result<(Gpr, i64), Stop> {
        let number = region.index();
        let given = self.registers.get(&number).zip(self.bases.get(&number));
        match (given, self.views.get(&region), self.locals[number]) {
            (Some((&register, &(bias, _))), ..) => Ok((register, -bias)),
            (None, Some(&register), _) => Ok((register, 0)),
            (None, None, Some(place)) => {
                let base = self.frame_base.filter(|_| self.hidden.contains(&region));
                Ok((base.unwrap_or(Gpr::RSP), place))
            }
            (None, None, None) => Err(Stop::Fault("a region without an address".into())),
        }
    }

    /// Makes the mask of the count of an item.
    fn mask(&mut self, item: usize) -> Result<(), Stop> {
        let (Item::LoadPart { count, .. } | Item::StorePart { count, .. }) = self.linear.items[item] else {
            return Err(Stop::Fault("a mask of no count".into()));
        };
        if self.masked != Some(count) {
            (self.summed, self.masked) = (None, Some(count));
            let count = self.count(count)?;
            self.lines.push(Line::Mask(count));
        }
        Ok(())
    }

    fn vector(&mut self, line: &VectorLine<Place>) -> Result<VectorLine<Memory>, Stop> {
        Ok(match line {
            VectorLine::Compute { item, row, to, sources, immediate } => {
                let sources: Result<Vec<_>, Stop> = sources
                    .iter()
                    .map(|source| {
                        Ok(match source {
                            Source::Register(register) => Source::Register(*register),
                            Source::Memory(place) => Source::Memory(self.memory(place)?),
                            Source::Repeated(place, bits) => Source::Repeated(self.memory(place)?, *bits),
                        })
                    })
                    .collect();
                VectorLine::Compute { item: *item, row, to: *to, sources: sources?, immediate: *immediate }
            }
            VectorLine::Copy { to, from } => VectorLine::Copy { to: *to, from: *from },
            VectorLine::Splat { to, ones } => VectorLine::Splat { to: *to, ones: *ones },
            VectorLine::Load { to, memory, bits, aligned } => {
                let line = VectorLine::Load {
                    to: *to,
                    memory: self.memory(memory)?,
                    bits: *bits,
                    aligned: *aligned,
                };
                if self.machine.load(*bits, *aligned).scratch {
                    self.summed = None;
                }
                line
            }
            VectorLine::Store { from, memory, item, aligned } => VectorLine::Store {
                from: *from,
                memory: self.memory(memory)?,
                item: *item,
                aligned: *aligned,
            },
            VectorLine::LoadPart { item, row, to, memory } => {
                self.mask(*item)?;
                VectorLine::LoadPart { item: *item, row, to: *to, memory: self.memory(memory)? }
            }
            VectorLine::StorePart { item, row, from, memory } => {
                self.mask(*item)?;
                VectorLine::StorePart { item: *item, row, from: *from, memory: self.memory(memory)? }
            }
        })
    }

    fn memory(&mut self, place: &Place) -> Result<Memory, Stop> {
        let bytes = self.linear.bytes as i64;
        let frame = Base::Register(Gpr::RSP);
        let address = match place {
            Place::Slot(slot) => {
                return Ok(Memory { base: frame, index: None, displacement: i64::from(*slot) * bytes });
            }
            Place::Pool(number) => {
                return Ok(Memory {
                    base: Base::Pool,
                    index: None,
                    displacement: i64::from(*number) * bytes,
                });
            }
            Place::Region(address) => address,
        };
        let element = self.element(address);
        let (mut base, bias) = self.base(address.region)?;
        let displacement = address.index.constant * element + bias;
        if i32::try_from(displacement).is_err() {
            return Err(Stop::Limit("an address is further than a displacement reaches"));
        }
        let mut counters = Vec::new();
        for (induction, coefficient) in &address.index.terms {
            let found = self
                .linear
                .loops
                .iter()
                .zip(&self.counters)
                .find(|(looped, _)| looped.induction == *induction)
                .and_then(|(_, counters)| counters.get(&(coefficient * element)));
            counters.push(*found.ok_or("an address without a counter")?);
        }
        let index = counters.pop();
        if !counters.is_empty() {
            if self.summed.as_ref().is_none_or(|(known, sum)| *known != base || *sum != counters) {
                for (place, &counter) in counters.iter().enumerate() {
                    let from = if place == 0 { base } else { Gpr::RAX };
                    let memory = Memory { base: Base::Register(from), index: Some(counter), displacement: 0 };
                    self.lines.push(Line::Address { to: Gpr::RAX, memory });
                }
                self.summed = Some((base, counters));
            }
            base = Gpr::RAX;
        }
        Ok(Memory { base: Base::Register(base), index, displacement })
    }
}

/// Positions in order, cut where a whole loop, with none of them, lies between two, and between any two that are not in a loop together
/// and have more than `near` steps between them.
fn apart<'b>(
    reads: &'b [usize],
    spans: &'b [(usize, usize)],
    near: usize,
) -> impl Iterator<Item = &'b [usize]> {
    let together = move |one: usize, next: usize| {
        next - one <= near || spans.iter().any(|&(begin, end)| begin < one && next < end)
    };
    reads.chunk_by(move |&one, &next| {
        !spans.iter().any(|&(begin, end)| one < begin && end < next) && together(one, next)
    })
}

fn take(free: &mut Vec<Gpr>, saved: &mut Vec<Gpr>, convention: &Convention) -> Result<Gpr, Stop> {
    let register = free.pop().ok_or(FEW_REGISTERS)?;
    if convention.preserved.contains(&register) && !saved.contains(&register) {
        saved.push(register);
    }
    Ok(register)
}
