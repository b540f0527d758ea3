//! Addresses in general-purpose registers, the stack frame, prologue and epilogue.
//!
//! A parameter stays in the register in which it arrives, moved up where that makes displacements short. A loop counts in
//! bytes: one register for each distance by which an address moves from one time to the next, so that an address is `base +
//! counter + displacement`; an address that moves with several loops is summed up in `rax`, which holds nothing else.

use super::allocate::{Allocated, Place, Step};
use super::convention::Convention;
use super::linear::Linear;
use super::machine::{Base, Code, Gpr, Line, Memory, Source, VectorLine};
use super::{Machine, Stop};
use std::collections::{BTreeMap, BTreeSet};
use usuba_machine::program::{Address, Role};
use usuba_target::Encoding;

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
    addresses.counters(&allocated, convention)?;
    addresses.prologue(convention)?;
    for step in &allocated.steps {
        addresses.step(step)?;
    }
    addresses.epilogue();
    let Addresses { lines, locals, slots, frame, .. } = addresses;
    Ok(Code { lines, pool: allocated.pool, locals, slots, frame })
}

struct Addresses<'a> {
    linear: &'a Linear,
    uniform: i64,
    machine: Machine,
    /// The register of each parameter that is used, how far it points into its region, and its place among the arguments.
    bases: BTreeMap<usize, (Gpr, i64, usize)>,
    /// By loop, then by bytes a time.
    counters: Vec<BTreeMap<i64, Gpr>>,
    free: Vec<Gpr>,
    saved: Vec<Gpr>,
    locals: Vec<Option<i64>>,
    slots: i64,
    frame: i64,
    /// What `rax` is the sum of.
    summed: Option<(Gpr, Vec<Gpr>)>,
    lines: Vec<Line>,
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
        Step::Vector(VectorLine::Load { memory, .. } | VectorLine::Store { memory, .. }) => vec![memory],
        _ => Vec::new(),
    }
}

fn regions(allocated: &Allocated) -> impl Iterator<Item = &Address> {
    allocated.steps.iter().flat_map(places).filter_map(|place| match place {
        Place::Region(address) => Some(address),
        _ => None,
    })
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
        for address in regions(allocated) {
            let number = address.region.index();
            let region = &linear.regions[number];
            if region.role == Role::Local {
                if locals[number].is_none() {
                    locals[number] = Some(frame);
                    frame += i64::from(region.length.constant().unwrap_or(0)) * bytes;
                }
            } else {
                let at =
                    address.index.constant * linear.element(address.region, machine.uniform as usize / 8);
                let furthest = furthest.entry(number).or_insert(at);
                *furthest = at.max(*furthest);
            }
        }
        if frame > i64::from(i32::MAX) / 2 {
            return Err(Stop::Limit("the arrays of this program are too large for a stack frame"));
        }
        let mut free: Vec<Gpr> = convention.preserved.iter().rev().copied().collect();
        if frame > 0 {
            free.retain(|&register| register != Gpr::RBP);
        }
        free.extend(convention.scratch.iter().rev());
        let mut bases = BTreeMap::new();
        for (place, &parameter) in linear.parameters.iter().enumerate() {
            let arrives = convention.arguments.get(place).copied();
            match (furthest.get(&parameter.index()), arrives) {
                (Some(&furthest), _) => {
                    // The reach of a displacement of one byte: 127 units.
                    let unit = match machine.encoding {
                        Encoding::Evex => linear.element(parameter, machine.uniform as usize / 8),
                        _ => 1,
                    };
                    let bias = if furthest > 127 * unit { 128 * unit } else { 0 };
                    bases.insert(parameter.index(), (arrives, bias, place));
                }
                (None, Some(arrives)) => free.push(arrives),
                (None, None) => {}
            }
        }
        free.extend(convention.arguments.iter().skip(linear.parameters.len()).copied());
        let mut saved = Vec::new();
        let mut placed = BTreeMap::new();
        for (region, (arrives, bias, place)) in bases {
            let register = match arrives {
                Some(register) => register,
                None => take(&mut free, &mut saved, convention)?,
            };
            placed.insert(region, (register, bias, place));
        }
        Ok(Addresses {
            linear,
            uniform,
            machine,
            bases: placed,
            counters: vec![BTreeMap::new(); linear.loops.len()],
            free,
            saved,
            locals,
            slots,
            frame,
            summed: None,
            lines: Vec::new(),
        })
    }

    /// Registers for the loops; those of loops that are not open together may be the same.
    fn counters(&mut self, allocated: &Allocated, convention: &Convention) -> Result<(), Stop> {
        let by_induction: BTreeMap<_, usize> =
            self.linear.loops.iter().enumerate().map(|(number, looped)| (looped.induction, number)).collect();
        let mut distances: Vec<BTreeSet<i64>> = vec![BTreeSet::new(); self.counters.len()];
        for address in regions(allocated) {
            for (induction, coefficient) in &address.index.terms {
                let number = *by_induction.get(induction).ok_or("an address with no loop")?;
                distances[number].insert(coefficient * self.element(address));
            }
        }
        for step in &allocated.steps {
            match step {
                Step::Begin(number) => {
                    if distances[*number].is_empty() {
                        distances[*number].insert(1);
                    }
                    for &distance in &distances[*number] {
                        let limit = distance.checked_mul(i64::from(self.linear.loops[*number].trips));
                        if limit.is_none_or(|limit| i32::try_from(limit).is_err()) {
                            return Err(Stop::Limit("a loop goes further than a displacement reaches"));
                        }
                        let register = take(&mut self.free, &mut self.saved, convention)?;
                        self.counters[*number].insert(distance, register);
                    }
                }
                Step::End(number) => self.free.extend(self.counters[*number].values().rev()),
                Step::Vector(_) => {}
            }
        }
        Ok(())
    }

    fn element(&self, address: &Address) -> i64 {
        self.linear.element(address.region, self.uniform as usize)
    }

    fn prologue(&mut self, convention: &Convention) -> Result<(), Stop> {
        self.lines.push(Line::LandingPad);
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
        for (register, bias, place) in self.bases.values() {
            if let Some(beyond) = place.checked_sub(convention.arguments.len()) {
                let (base, above) =
                    if framed { (Gpr::RBP, 16) } else { (Gpr::RSP, 8 + 8 * self.saved.len() as i64) };
                let displacement = above + convention.home + 8 * beyond as i64;
                let memory = Memory { base: Base::Register(base), index: None, displacement };
                self.lines.push(Line::Fetch { to: *register, memory });
            }
            if *bias != 0 {
                self.lines.push(Line::Add { to: *register, amount: *bias });
            }
        }
        Ok(())
    }

    fn epilogue(&mut self) {
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

    fn step(&mut self, step: &Step) -> Result<(), Stop> {
        match step {
            Step::Begin(number) => {
                self.summed = None;
                self.lines.extend(self.counters[*number].values().map(|&register| Line::Zero(register)));
                self.lines.push(Line::Label(*number));
            }
            Step::End(number) => {
                self.summed = None;
                let trips = i64::from(self.linear.loops[*number].trips);
                let counters = self.counters[*number].clone();
                for (&distance, &register) in &counters {
                    self.lines.push(Line::Add { to: register, amount: distance });
                }
                if let Some((distance, counter)) = counters.into_iter().next_back() {
                    self.lines.push(Line::Branch { number: *number, counter, limit: distance * trips });
                }
            }
            Step::Vector(line) => {
                let line = self.vector(line)?;
                self.lines.push(Line::Vector(line));
            }
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
            VectorLine::Store { from, memory, item } => {
                VectorLine::Store { from: *from, memory: self.memory(memory)?, item: *item }
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
        let number = address.region.index();
        let element = self.element(address);
        let (mut base, bias) = match (self.bases.get(&number), self.locals[number]) {
            (Some(&(register, bias, _)), _) => (register, -bias),
            (None, Some(place)) => (Gpr::RSP, place),
            (None, None) => return Err(Stop::Fault("a region without an address".into())),
        };
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

fn take(free: &mut Vec<Gpr>, saved: &mut Vec<Gpr>, convention: &Convention) -> Result<Gpr, Stop> {
    let register =
        free.pop().ok_or(Stop::Limit("more loops and distances than general-purpose registers"))?;
    if convention.preserved.contains(&register) && !saved.contains(&register) {
        saved.push(register);
    }
    Ok(register)
}
