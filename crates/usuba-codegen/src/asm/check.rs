//! Proves that allocated code does what the linear code says.
//!
//! The code is run on symbols. Of every register for values and every place in memory it is known which values of the linear
//! code it holds (a set: several values may be equal); general-purpose registers hold a symbol plus a number plus multiples
//! of inductions, or, where they are for values, either. Then
//!
//! - every instruction of the linear code is met, in order, with operands that hold its operands;
//! - every store, copy and part of the linear code is met, in order, to its address, and nothing else is written but slots of the frame;
//! - what is read holds a value: a load of the linear code makes known what lies at its address until something may write
//!   there, wherever the code reads it;
//! - at the head of a loop only that is known which holds on entry and after every time round, found as the greatest fixed
//!   point from above; counters have steps, and the branch leaves after the right number of times;
//! - at the end the stack pointer and the preserved registers are as they were.
//!
//! Assumed: parameters point to regions that do not overlap, large enough and aligned, as the header says; the table of
//! [`Instruction::form`] is that of the machine; the printer spells lines right. The checker
//! shares nothing with the allocation but the linear code and these types.

mod state;

use super::Machine;
use super::convention::Convention;
use super::linear::{Count, Given, Item, Linear, Value};
use super::machine::{Base, Code, Gpr, Limit, Line, Memory, Source, Vector, VectorLine};
use state::{Family, Set, State, Sum, Symbol, Term, common, meet, sets};
use std::collections::BTreeMap;
use usuba_logic::truth::permuted;
use usuba_machine::program::{Address, Region, RegionId, Role, Trips};
use usuba_target::{Encoding, Instruction, Meaning};

type Checked<T> = Result<T, String>;

/// Checks.
///
/// # Errors
/// The first line that does not do what it should, and why.
pub(crate) fn check(linear: &Linear, code: &Code, machine: Machine, convention: &Convention) -> Checked<()> {
    let mut checker = Checker::new(linear, code, machine, convention)?;
    checker.layout()?;
    checker.run(0, code.lines.len())?;
    if checker.returned { Ok(()) } else { Err("the code runs past its end".into()) }
}

struct Checker<'a> {
    linear: &'a Linear,
    code: &'a Code,
    machine: Machine,
    convention: &'a Convention,
    state: State,
    /// The next item of the linear code.
    cursor: usize,
    /// Where each value is defined.
    defined: Vec<usize>,
    by_induction: BTreeMap<u32, usize>,
    views: BTreeMap<RegionId, (RegionId, Count)>,
    /// The items that make counts.
    made: BTreeMap<Count, usize>,
    /// The loop that comes next, if it may run no times, and what is known before it.
    skipped: Option<(usize, State)>,
    /// Whether the upper halves of registers are cleared.
    cleared: bool,
    framed: bool,
    /// Where the frame begins, from the stack pointer on entry, if that is known.
    frame: Option<i64>,
    returned: bool,
}

impl<'a> Checker<'a> {
    fn new(
        linear: &'a Linear,
        code: &'a Code,
        machine: Machine,
        convention: &'a Convention,
    ) -> Checked<Self> {
        let mut made = BTreeMap::new();
        let mut defined = vec![0; linear.values.len()];
        for (position, item) in linear.items.iter().enumerate() {
            match item {
                Item::Compute { result, .. } | Item::Load { result, .. } | Item::LoadPart { result, .. } => {
                    defined[result.index()] = position
                }
                Item::Store { .. } | Item::StorePart { .. } | Item::CopyPart { .. } | Item::View { .. } => {}
                Item::Count { result, .. } => drop(made.insert(*result, position)),
                Item::Begin(number) => {
                    let carried = &linear.loops[*number].carried;
                    carried.iter().for_each(|carried| defined[carried.inside.index()] = position);
                }
                Item::End(number) => {
                    let carried = &linear.loops[*number].carried;
                    carried.iter().for_each(|carried| defined[carried.after.index()] = position);
                }
            }
        }
        let mut integers: Vec<Option<Sum>> =
            (0..16).map(|register| Some(Sum::of(Symbol::Register(register)))).collect();
        integers[usize::from(Gpr::RSP.0)] = Some(Sum::of(Symbol::Entry));
        for (place, (register, given)) in convention.arguments.iter().zip(&linear.parameters).enumerate() {
            integers[usize::from(register.0)] = Some(argument(place, Some(given)));
        }
        let state = State {
            integers,
            values: vec![Set::new(); usize::from(machine.registers())],
            memory: BTreeMap::new(),
            pushed: BTreeMap::new(),
            mask: None,
        };
        let inductions = linear.loops.iter().enumerate();
        let by_induction = inductions.map(|(number, looped)| (looped.induction.0, number)).collect();
        Ok(Checker {
            linear,
            code,
            machine,
            convention,
            state,
            cursor: 0,
            defined,
            by_induction,
            views: linear.views(),
            made,
            skipped: None,
            cleared: false,
            framed: false,
            frame: None,
            returned: false,
        })
    }

    fn bytes(&self) -> i64 {
        self.linear.bytes as i64
    }

    /// Slots and regions lie in the frame and do not overlap.
    fn layout(&self) -> Checked<()> {
        let mut taken = vec![(0, self.code.slots)];
        for (place, region) in self.code.locals.iter().zip(&self.linear.regions) {
            if let Some(place) = *place {
                let end = place + length(region) * self.linear.element_bytes(region);
                if place % self.bytes() != 0 || taken.iter().any(|&(from, to)| place < to && from < end) {
                    return Err(format!("the region `{}` overlaps something of the frame", region.name));
                }
                taken.push((place, end));
            }
        }
        if taken.iter().any(|&(_, end)| end > self.code.frame) {
            return Err("the frame is too small".into());
        }
        Ok(())
    }

    fn run(&mut self, from: usize, to: usize) -> Checked<()> {
        let mut at = from;
        while at < to {
            if self.returned {
                return Err("code after the return".into());
            }
            match &self.code.lines[at] {
                Line::Label(number) => {
                    let branch = (at + 1..to)
                        .find(|&other| {
                            matches!(&self.code.lines[other], Line::Branch { number: found, .. } if found == number)
                        })
                        .ok_or("a loop without an end")?;
                    self.looped(*number, at, branch)?;
                    at = branch + 1;
                }
                line => {
                    self.line(line).map_err(|why| format!("line {at} ({line:?}): {why}"))?;
                    at += 1;
                }
            }
        }
        Ok(())
    }

    fn integer(&self, register: Gpr) -> Checked<Sum> {
        let known = self.state.integers[usize::from(register.0)].clone();
        known.ok_or_else(|| format!("{} is not known", register.name()))
    }

    fn set(&mut self, register: Gpr, sum: Option<Sum>) {
        self.state.integers[usize::from(register.0)] = sum;
        if let Some(value) = self.machine.value(register) {
            self.state.values[value].clear();
        }
    }

    fn resolve(&self, memory: &Memory) -> Checked<Sum> {
        let Base::Register(base) = memory.base else { return Err("the pool has no symbol".into()) };
        let base = self.integer(base)?;
        let sum = match memory.index {
            Some(index) if index == Gpr::RSP => return Err("the stack pointer as an index".into()),
            Some(index) => base.add(&self.integer(index)?).ok_or("a sum of two addresses")?,
            None => base,
        };
        i32::try_from(memory.displacement).map_err(|_| "a displacement of more than 32 bits")?;
        Ok(sum.plus(memory.displacement))
    }

    fn stack(&self) -> Checked<i64> {
        let sum = self.integer(Gpr::RSP)?;
        if sum.symbol != Symbol::Entry || !sum.terms.is_empty() {
            return Err("the stack pointer is not known".into());
        }
        Ok(sum.constant)
    }

    fn line(&mut self, line: &Line) -> Checked<()> {
        match line {
            Line::LandingPad | Line::Label(_) => {}
            Line::Push(register) => {
                let top = self.stack()? - 8;
                let content = self.integer(*register)?;
                self.state.pushed.insert(top, content);
                self.set(Gpr::RSP, Some(Sum::of(Symbol::Entry).plus(top)));
            }
            Line::Pop(register) => {
                let top = self.stack()?;
                let content = self.state.pushed.remove(&top).ok_or("nothing was pushed there")?;
                self.set(*register, Some(content));
                self.set(Gpr::RSP, Some(Sum::of(Symbol::Entry).plus(top + 8)));
            }
            Line::Move { to, from } => {
                let content = self.integer(*from)?;
                self.set(*to, Some(content));
            }
            Line::Zero(register) => self.set(*register, Some(Sum::of(Symbol::Number))),
            Line::Add { to, amount } => {
                let sum = self.integer(*to)?.plus(*amount);
                self.set(*to, Some(sum));
            }
            Line::Align(bytes) => {
                let top = self.stack()?;
                let pushed = self.state.pushed.keys().next().copied().unwrap_or(0);
                if self.framed || *bytes < self.bytes() || bytes.count_ones() != 1 {
                    return Err("the frame is not aligned once, as registers are".into());
                }
                if top + self.code.frame > pushed {
                    return Err("the frame reaches into what was pushed".into());
                }
                self.framed = true;
                self.set(Gpr::RSP, Some(Sum::of(Symbol::Frame)));
            }
            Line::Reserve(bytes) => {
                let top = self.stack()?;
                let pushed = self.state.pushed.keys().next().copied().unwrap_or(0);
                if self.framed || *bytes < self.code.frame || bytes % self.bytes() != 0 || top > pushed {
                    return Err("the frame is not below what was pushed, once".into());
                }
                self.framed = true;
                self.frame = Some(top - bytes);
                self.set(Gpr::RSP, Some(Sum::of(Symbol::Frame)));
            }
            Line::Release(bytes) => {
                let frame = match self.integer(Gpr::RSP)? {
                    sum if sum == Sum::of(Symbol::Frame) => {
                        self.frame.ok_or("where the frame lies is not known")?
                    }
                    _ => self.stack()?,
                };
                self.set(Gpr::RSP, Some(Sum::of(Symbol::Entry).plus(frame + bytes)));
            }
            Line::Address { to, memory } => {
                let sum = self.resolve(memory)?;
                self.set(*to, Some(sum));
            }
            Line::Fetch { to, memory } => {
                let mut sum = self.resolve(memory)?;
                if let (Symbol::Frame, Some(frame)) = (sum.symbol, self.frame) {
                    sum = Sum { symbol: Symbol::Entry, ..sum.plus(frame) };
                }
                if sum.symbol == Symbol::Entry
                    && sum.terms.is_empty()
                    && let Some(content) = self.state.pushed.get(&sum.constant).cloned()
                {
                    self.set(*to, Some(content));
                    return Ok(());
                }
                let arguments = self.convention.arguments.len();
                let beyond = sum.constant - 8 - self.convention.home;
                let place = arguments as i64 + beyond / 8;
                if sum.symbol != Symbol::Entry || !sum.terms.is_empty() || beyond < 0 || beyond % 8 != 0 {
                    return Err("no argument lies there".into());
                }
                let place = place as usize;
                self.set(*to, Some(argument(place, self.linear.parameters.get(place))));
            }
            Line::Count { item, to, sources } => {
                // It depends on its operands alone, so it may be made anywhere.
                let Some(Item::Count { result, value }) = self.linear.items.get(*item) else {
                    return Err("the item makes no count".into());
                };
                let counts = value.counts();
                if sources.len() != counts.len() || sources.contains(to) || *to == Gpr::RAX {
                    return Err("the count is not made of its operands".into());
                }
                for (register, count) in sources.iter().zip(counts) {
                    self.holds_count(*register, count)?;
                }
                self.set(Gpr::RAX, None);
                self.set(*to, Some(Sum::count(*result)));
            }
            Line::Mask(count) => {
                self.state.mask = Some(self.integer(*count)?);
                self.set(Gpr::RAX, None);
            }
            Line::CopyPart { item, to, from, count, index } => {
                self.advance(*item)?;
                let Some(Item::CopyPart { from: source, to: goal, count: number }) =
                    self.linear.items.get(*item)
                else {
                    return Err("the item is no copy".into());
                };
                let at = self.integer(*to)?;
                if self.integer(*from)? != self.address(source)? || at != self.address(goal)? {
                    return Err("it copies from or to another place".into());
                }
                self.holds_count(*count, *number)?;
                let own = [*to, *from, *count];
                if own.contains(index) || own.contains(&Gpr::RAX) || *index == Gpr::RAX || *index == Gpr::RSP
                {
                    return Err("the copy overwrites what it reads".into());
                }
                let region = &self.linear.regions[goal.region.index()];
                if !matches!(region.role, Role::Output | Role::Changed | Role::Local) {
                    return Err("it writes where nothing may be written".into());
                }
                let most = region.length.constant().map(i64::from);
                let most = most.map_or(i64::MAX, |most| most - goal.index.constant);
                self.forget(&at, most, Some(goal.region));
                self.set(Gpr::RAX, None);
                self.set(*index, None);
                self.cursor += 1;
            }
            Line::Skip { number, count } => {
                let looped = self.linear.loops.get(*number).ok_or("no such loop")?;
                self.advance(looped.begin)?;
                let Trips::Public(trips) = looped.trips else {
                    return Err("a loop of constant trips is left out".into());
                };
                self.holds_count(*count, trips)?;
                let mut before = self.state.clone();
                for set in sets(&mut before) {
                    let carried = looped.carried.iter().filter(|carried| set.contains(&carried.initial));
                    let after: Vec<Value> = carried.map(|carried| carried.after).collect();
                    set.extend(after);
                }
                self.skipped = Some((*number, before));
            }
            Line::Branch { .. } => return Err("a branch without a label".into()),
            Line::ClearUpper => {
                self.cleared = true;
                self.state.values.iter_mut().for_each(Set::clear);
            }
            Line::Return => {
                self.advance(self.linear.items.len())?;
                if self.stack()? != 0 {
                    return Err("the stack pointer is not restored".into());
                }
                for &register in self.convention.preserved {
                    if self.integer(register)? != Sum::of(Symbol::Register(register.0)) {
                        return Err(format!("{} is not restored", register.name()));
                    }
                }
                if self.bytes() > 16 && !self.cleared {
                    return Err("the upper halves are not cleared".into());
                }
                self.returned = true;
            }
            Line::Vector(line) => {
                self.cleared = false;
                // What the linear code loads next is in memory now, and the code may read it at once.
                while let Some(Item::Load { .. } | Item::View { .. } | Item::Count { .. }) =
                    self.linear.items.get(self.cursor)
                {
                    self.advance(self.cursor + 1)?;
                }
                self.vector(line)?;
            }
        }
        Ok(())
    }

    fn holds_count(&self, register: Gpr, count: Count) -> Checked<()> {
        if self.integer(register)? == Sum::count(count) {
            return Ok(());
        }
        Err(format!("the count {count} is not in {}", register.name()))
    }

    /// Where a region begins.
    fn start(&self, region: RegionId) -> Checked<Sum> {
        if let Some(&(of, offset)) = self.views.get(&region) {
            let element = self.linear.element(of, self.machine.uniform as usize / 8);
            return Ok(self.start(of)?.with(Term::Count(offset), element));
        }
        match (self.linear.given(region), self.code.locals[region.index()]) {
            (Some(place), _) => Ok(Sum::of(Symbol::Argument(place))),
            (None, Some(place)) => Ok(Sum::of(Symbol::Frame).plus(place)),
            (None, None) => Err("a region without a place".into()),
        }
    }

    /// Where an address of the linear code is.
    fn address(&self, address: &Address) -> Checked<Sum> {
        let element = self.linear.element(address.region, self.machine.uniform as usize / 8);
        let start = self.start(address.region)?;
        let mut sum = start.plus(address.index.constant * element);
        for (induction, coefficient) in &address.index.terms {
            let number = *self.by_induction.get(&induction.0).ok_or("an induction without a loop")?;
            sum = sum.with(Term::Loop(number), coefficient * element);
        }
        Ok(sum)
    }

    /// Passes the loads, the views and the counts of the linear code before an item.
    fn advance(&mut self, to: usize) -> Checked<()> {
        while self.cursor < to {
            match self.linear.items.get(self.cursor) {
                Some(Item::Load { row, result, address }) => {
                    // A load that nothing needs may be of a region that the code does not have.
                    if let Ok(sum) = self.address(address) {
                        let bits = self.machine.loaded_bits(row);
                        self.learn(sum, bits, [*result].into(), Some(address.region));
                    }
                }
                // Where a view lies is said by the counts, and a count that is read is in a register.
                Some(Item::View { .. } | Item::Count { .. }) => {}
                _ => return Err(format!("item {} is left out", self.cursor)),
            }
            self.cursor += 1;
        }
        if self.cursor == to { Ok(()) } else { Err(format!("item {to} comes again")) }
    }

    fn learn(&mut self, at: Sum, bits: u32, values: Set, region: Option<RegionId>) {
        let own = region.filter(|region| self.code.locals[region.index()].is_some());
        let group = self.state.memory.entry((at.symbol, at.terms, own)).or_default();
        group.entry((at.constant, bits)).or_default().extend(values);
    }

    /// The least and greatest value of terms, where they have bounds that are known when the code is made.
    fn range(&self, terms: &[(Term, i64)]) -> Option<(i64, i64)> {
        terms.iter().try_fold((0, 0), |(low, high), &(term, coefficient)| {
            let Term::Loop(number) = term else { return None };
            let trips = self.linear.loops[number].trips.constant()?;
            let far = coefficient * (i64::from(trips) - 1);
            Some((low + far.min(0), high + far.max(0)))
        })
    }

    /// Whether two symbols may stand for the same memory: a string to be read may be the one that is written.
    fn may_be(&self, one: Symbol, other: Symbol) -> bool {
        let is_string = |symbol: Symbol| match symbol {
            Symbol::Argument(place) => match self.linear.parameters.get(place) {
                Some(Given::Region(region)) => self.linear.is_string(*region),
                _ => false,
            },
            _ => false,
        };
        one == other || is_string(one) && is_string(other)
    }

    /// Forgets what was known of so many bytes, which lie in a region of the frame if one is given.
    fn forget(&mut self, at: &Sum, written: i64, region: Option<RegionId>) {
        let bytes = self.bytes();
        let own = region.filter(|region| self.code.locals[region.index()].is_some());
        let range = self.range(&at.terms);
        let keys = self.state.memory.keys();
        let groups: Vec<_> = keys.filter(|key| self.may_be(key.0, at.symbol)).cloned().collect();
        for key in groups {
            let ranges = match key.1 == at.terms {
                true => Some(((0, 0), (0, 0))),
                // Regions of the function's own, and slots, lie apart.
                false if at.symbol == Symbol::Frame && own != key.2 => continue,
                false => range.zip(self.range(&key.1)),
            };
            let Some(group) = self.state.memory.get_mut(&key) else { continue };
            let Some((written_range, range)) = ranges else {
                group.clear();
                continue;
            };
            // What ends before the first byte that may be written stays, and what begins behind the last one.
            let first = at.constant + written_range.0 - range.1 - bytes + 1;
            let behind = (at.constant + written_range.1).saturating_add(written).saturating_sub(range.0);
            let lost: Vec<_> = match first < behind {
                true => group.range((first, 0)..(behind, 0)).map(|(key, _)| *key).collect(),
                false => Vec::new(),
            };
            lost.iter().for_each(|key| drop(group.remove(key)));
        }
    }

    fn write(&mut self, at: &Sum, values: Set, region: Option<RegionId>) {
        self.forget(at, self.bytes(), region);
        self.learn(at.clone(), self.machine.shape_bits, values, region);
    }

    /// Whether an item may write to its address: the linear code has it from a program that was checked, so that it is inside
    /// where a length or a number of trips is public.
    fn may_write(&self, address: &Address) -> Checked<Sum> {
        let at = self.address(address)?;
        let region = &self.linear.regions[address.region.index()];
        let element = self.linear.element(address.region, self.machine.uniform as usize / 8);
        let first = address.index.constant * element;
        let inside = match (self.range(&at.terms), region.length.constant()) {
            (Some((low, high)), Some(length)) => {
                first + low >= 0 && first + high + self.bytes() <= i64::from(length) * element
            }
            _ => true,
        };
        if inside && matches!(region.role, Role::Output | Role::Changed | Role::Local) {
            return Ok(at);
        }
        Err("it writes where nothing may be written".into())
    }

    /// The values in memory.
    fn fetched(&self, memory: &Memory, bits: u32, aligned: bool) -> Checked<Set> {
        if memory.base == Base::Pool {
            let bytes = self.bytes();
            let place = memory.displacement / bytes;
            let constant = usize::try_from(place).ok().and_then(|place| self.code.pool.get(place));
            let constant =
                constant.filter(|_| memory.displacement % bytes == 0 && bits == self.machine.shape_bits);
            let constant = constant.ok_or("no constant lies there")?;
            return Ok(self.constants(constant));
        }
        let at = self.resolve(memory)?;
        if aligned {
            let bytes = self.bytes();
            let uniform = match at.symbol {
                Symbol::Argument(place) => match self.linear.parameters.get(place) {
                    Some(Given::Region(region)) => {
                        self.linear.is_string(*region)
                            || self.linear.regions[region.index()].role == Role::Uniform
                    }
                    _ => true,
                },
                _ => false,
            };
            if uniform || at.constant % bytes != 0 || at.terms.iter().any(|term| term.1 % bytes != 0) {
                return Err("the address is not aligned".into());
            }
        }
        let first: Family = (at.symbol, at.terms.clone(), None);
        let family =
            self.state.memory.range(first..).take_while(|(key, _)| (key.0, &key.1) == (at.symbol, &at.terms));
        let mut found = family.filter_map(|(_, group)| group.get(&(at.constant, bits)));
        let found = found.find(|set| !set.is_empty()).cloned();
        found.ok_or_else(|| format!("nothing known lies at {at:?}"))
    }

    fn constants(&self, bytes: &[u8]) -> Set {
        let values = self.linear.values.iter().enumerate();
        let same = values.filter(|(_, known)| known.constant.as_deref() == Some(bytes));
        same.map(|(number, _)| Value(number as u32)).collect()
    }

    fn holds(&self, source: &Source<Memory>) -> Checked<Set> {
        match source {
            Source::Register(register) => self.held(*register).cloned(),
            Source::Memory(memory) => {
                self.fetched(memory, self.machine.shape_bits, self.machine.encoding == Encoding::Legacy)
            }
            Source::Repeated(memory, bits) => self.fetched(memory, *bits, false),
        }
    }

    fn held(&self, register: Vector) -> Checked<&Set> {
        self.state.values.get(usize::from(register.0)).ok_or_else(|| "there is no such register".into())
    }

    fn put(&mut self, register: Vector, values: Set) -> Checked<()> {
        if let Some(register) = self.machine.general(register) {
            self.state.integers[usize::from(register.0)] = None;
        } else if register.0 < 16 && register.0 >= self.convention.preserved_vectors {
            return Err("a preserved vector register is written".into());
        }
        let known = self.state.values.get_mut(usize::from(register.0)).ok_or("there is no such register")?;
        *known = values;
        Ok(())
    }

    fn vector(&mut self, line: &VectorLine<Memory>) -> Checked<()> {
        match line {
            VectorLine::Copy { to, from } => {
                let values = self.held(*from)?.clone();
                self.put(*to, values)
            }
            VectorLine::Splat { to, ones } => {
                let bytes = vec![if *ones { 0xff } else { 0 }; self.linear.bytes];
                self.put(*to, self.constants(&bytes))
            }
            VectorLine::Load { to, memory, bits, aligned } => {
                let values = self.fetched(memory, *bits, *aligned)?;
                if self.machine.load(*bits, *aligned).scratch {
                    self.set(Gpr::RAX, None);
                }
                self.put(*to, values)
            }
            VectorLine::Store { from, memory, item: None, .. } => {
                let at = self.resolve(memory)?;
                let end = at.constant + self.bytes();
                if at.symbol != Symbol::Frame
                    || !at.terms.is_empty()
                    || at.constant < 0
                    || end > self.code.slots
                    || at.constant % self.bytes() != 0
                {
                    return Err("it writes outside the slots".into());
                }
                let values = self.held(*from)?.clone();
                self.write(&at, values, None);
                Ok(())
            }
            VectorLine::LoadPart { item, row, to, memory } => {
                self.advance(*item)?;
                let Some(Item::LoadPart { row: wanted, result, address, count }) =
                    self.linear.items.get(*item)
                else {
                    return Err("the item loads no part".into());
                };
                if wanted != row || self.resolve(memory)? != self.address(address)? {
                    return Err("it loads from another address".into());
                }
                self.masks(*count)?;
                self.cursor += 1;
                self.put(*to, [*result].into())
            }
            VectorLine::StorePart { item, row, from, memory } => {
                self.advance(*item)?;
                let Some(Item::StorePart { row: wanted, address, value, count }) =
                    self.linear.items.get(*item)
                else {
                    return Err("the item stores no part".into());
                };
                let at = self.may_write(address)?;
                if wanted != row || self.resolve(memory)? != at {
                    return Err("it writes to another address".into());
                }
                self.masks(*count)?;
                if !self.held(*from)?.contains(value) {
                    return Err(format!("{value:?} is not in the register"));
                }
                self.forget(&at, self.bytes(), Some(address.region));
                self.cursor += 1;
                Ok(())
            }
            VectorLine::Store { from, memory, item: Some(item), aligned } => {
                self.advance(*item)?;
                let Some(Item::Store { address, value }) = self.linear.items.get(*item) else {
                    return Err("the item is no store".into());
                };
                let at = self.resolve(memory)?;
                if at != self.may_write(address)? {
                    return Err("it writes to another address".into());
                }
                if *aligned && self.linear.is_string(address.region) {
                    return Err("the address is not aligned".into());
                }
                let mut values = self.held(*from)?.clone();
                if !values.contains(value) {
                    return Err(format!("{value:?} is not in the register"));
                }
                // Only this is known of the content for certain to the linear code; the rest is equal.
                values.insert(*value);
                self.write(&at, values, Some(address.region));
                self.cursor += 1;
                Ok(())
            }
            VectorLine::Compute { item, row, to, sources, immediate } => {
                self.advance(*item)?;
                let linear = self.linear;
                let Some(Item::Compute { row: wanted, result, operands, immediate: number }) =
                    linear.items.get(*item)
                else {
                    return Err("the item is no instruction".into());
                };
                let constraints = row.constraints.ok_or("no such instruction")?;
                if *wanted != *row || operands.len() != sources.len() {
                    return Err("it is another instruction".into());
                }
                for (place, source) in sources.iter().enumerate() {
                    let allowed = match source {
                        Source::Register(_) => true,
                        Source::Memory(_) => constraints.memory == Some(place),
                        Source::Repeated(_, bits) => {
                            constraints.memory == Some(place) && constraints.repeats(*bits)
                        }
                    };
                    if !allowed {
                        return Err(format!("operand {place} cannot be in memory"));
                    }
                }
                if constraints.overwrites && sources.first() != Some(&Source::Register(*to)) {
                    return Err("the first operand is not where the result goes".into());
                }
                let sets: Vec<Set> =
                    sources.iter().map(|source| self.holds(source)).collect::<Checked<Vec<Set>>>()?;
                if !fits(row, operands, *number, &sets, *immediate) {
                    return Err(format!("the operands are not {operands:?}"));
                }
                self.cursor += 1;
                self.put(*to, [*result].into())
            }
        }
    }

    /// That the mask register has the mask of a count.
    fn masks(&self, count: Count) -> Checked<()> {
        if self.state.mask == Some(Sum::count(count)) { Ok(()) } else { Err("the mask is another".into()) }
    }

    fn looped(&mut self, number: usize, label: usize, branch: usize) -> Checked<()> {
        let looped = self.linear.loops.get(number).ok_or("no such loop")?;
        let skipped = self.skipped.take().filter(|(other, _)| *other == number).map(|(_, state)| state);
        if skipped.is_none() != looped.trips.constant().is_some() {
            return Err("the loop may run no times, and is not left out then".into());
        }
        self.advance(looped.begin)?;
        if !matches!(self.linear.items.get(self.cursor), Some(Item::Begin(found)) if *found == number) {
            return Err("another loop begins here".into());
        }
        let start = self.cursor + 1;
        let mut head = self.state.clone();
        // A fresh name for what is carried.
        for set in sets(&mut head) {
            let more: Vec<Value> = looped
                .carried
                .iter()
                .filter(|carried| set.contains(&carried.initial))
                .map(|carried| carried.inside)
                .collect();
            set.extend(more);
        }
        for (register, sum) in head.integers.iter_mut().enumerate() {
            // A guess, to be confirmed like everything else that is said of the head.
            *sum = sum
                .take()
                .zip(self.step_of(Gpr(register as u8), label, branch))
                .map(|(sum, step)| sum.with(Term::Loop(number), step));
        }
        loop {
            self.state = head.clone();
            self.cursor = start;
            self.run(label + 1, branch)?;
            self.advance(looped.end)?;
            let back = self.round(number, |carried| carried.inside);
            let next = meet(&head, &back, number);
            if next == head {
                break;
            }
            head = next;
        }
        let Line::Branch { counter, limit, .. } = &self.code.lines[branch] else {
            return Err("a loop without a branch".into());
        };
        let sum = self.integer(*counter)?;
        let step = sum.step(number);
        let expected = Sum::of(Symbol::Number).with(Term::Loop(number), step).plus(step);
        let leaves = match (*limit, looped.trips) {
            (Limit::Number(limit), Trips::Constant(trips)) => {
                limit == step * i64::from(trips) && i32::try_from(limit).is_ok()
            }
            (Limit::Count(register), Trips::Public(count)) => {
                step == 1 && self.integer(register)? == Sum::count(count)
            }
            _ => false,
        };
        if step == 0 || sum != expected || !leaves {
            return Err(format!("the branch at line {branch} does not leave after {:?}", looped.trips));
        }
        let mut after = self.round(number, |carried| carried.after);
        for sum in after.integers.iter_mut().flatten() {
            // The last time round.
            let step = sum.step(number);
            let last = sum.clone().with(Term::Loop(number), -step).plus(-step);
            *sum = match looped.trips {
                Trips::Constant(trips) => last.plus(step * i64::from(trips)),
                Trips::Public(count) => last.with(Term::Count(count), step),
            };
        }
        self.state = match skipped {
            Some(skipped) => common(&skipped, &after, |before, after| before == after),
            None => after,
        };
        self.cursor = looped.end + 1;
        Ok(())
    }

    /// By how much the lines of a loop move a register, if they only add to it.
    fn step_of(&self, register: Gpr, label: usize, branch: usize) -> Option<i64> {
        let mut step = 0;
        for line in &self.code.lines[label + 1..branch] {
            match line {
                Line::Add { to, amount } if *to == register => step += amount,
                Line::Zero(to)
                | Line::Move { to, .. }
                | Line::Address { to, .. }
                | Line::Fetch { to, .. }
                | Line::Count { to, .. }
                | Line::CopyPart { index: to, .. }
                | Line::Pop(to)
                    if *to == register =>
                {
                    return None;
                }
                _ => {}
            }
        }
        Some(step)
    }

    /// The state at the end of the body, said in the names of what comes next.
    fn round(&self, number: usize, name: impl Fn(&super::linear::Carried) -> Value) -> State {
        let looped = &self.linear.loops[number];
        let mut state = self.state.clone();
        let stays = |terms: &[(Term, i64)]| {
            terms.iter().all(|&(term, _)| match term {
                Term::Loop(other) => other != number,
                Term::Count(count) => {
                    self.made.get(&count).is_none_or(|&made| made < looped.begin || made > looped.end)
                }
            })
        };
        // A count that the body makes is another one the next time.
        let of_counts = |sum: &Sum| {
            let counts: Vec<(Term, i64)> =
                sum.terms.iter().copied().filter(|(term, _)| *term != Term::Loop(number)).collect();
            stays(&counts)
        };
        state.memory.retain(|(_, terms, _), _| stays(terms));
        state.mask = state.mask.filter(of_counts);
        for sum in &mut state.integers {
            *sum = sum.take().filter(of_counts);
        }
        for set in sets(&mut state) {
            let carried = looped.carried.iter().filter(|carried| set.contains(&carried.next));
            let next: Vec<Value> = carried.map(&name).collect();
            set.retain(|value| {
                let defined = self.defined[value.index()];
                self.linear.values[value.index()].constant.is_some()
                    || defined < looped.begin
                    || defined >= looped.end
            });
            set.extend(next);
        }
        state
    }
}

/// What a function is given at a place.
fn argument(place: usize, given: Option<&Given>) -> Sum {
    match given {
        Some(Given::Count(count)) => Sum::count(*count),
        _ => Sum::of(Symbol::Argument(place)),
    }
}

/// Whether operands that hold these sets are the operands of an item, in an order that its meaning allows.
fn fits(
    row: &Instruction,
    operands: &[Value],
    number: Option<u32>,
    sets: &[Set],
    immediate: Option<u32>,
) -> bool {
    let as_are = |order: &[usize]| order.iter().zip(sets).all(|(&place, set)| set.contains(&operands[place]));
    match (row.meaning, operands.len()) {
        (Meaning::Ternary, 3) => {
            let (Some(table), Some(found)) = (number, immediate) else { return false };
            [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
                .into_iter()
                .any(|order| as_are(&order) && u32::from(permuted(table as u8, order)) == found)
        }
        (
            Meaning::And
            | Meaning::Or
            | Meaning::Xor
            | Meaning::Add
            | Meaning::Multiply
            | Meaning::MultiplyLowHalves,
            2,
        ) => number == immediate && (as_are(&[0, 1]) || as_are(&[1, 0])),
        (_, 1) => number == immediate && as_are(&[0]),
        (_, 2) => number == immediate && as_are(&[0, 1]),
        _ => false,
    }
}

/// The number of elements of a region of the function's own, which is constant.
fn length(region: &Region) -> i64 {
    region.length.constant().map_or(0, i64::from)
}
