//! Registers by furthest next use.
//!
//! One walk over the linear code. A value that is needed and in no register is read from its *home*: the constant, the
//! place of an input or of an array where it lies anyway, or a slot of the stack. When no register is free, the value
//! goes that is needed last; one that has a home counts as if it were needed later still, for it need not be stored (`clean
//! before dirty`). Loads are not made where they stand but where their value is needed, and as an operand of the last user
//! where the encoding allows.
//!
//! At the head of a loop every carried value has a fixed place, a register or a slot, and some values from outside have fixed
//! registers (*kept*). At the end of the body all of these are brought back to their places.

mod loops;

use super::Machine;
use super::linear::{Count, Item, Linear, Value};
use super::machine::{Source, Vector, VectorLine};
use std::collections::BTreeMap;
use usuba_logic::truth::permuted;
use usuba_machine::program::Address;
use usuba_target::instruction::Constraints;
use usuba_target::{Encoding, Instruction, Meaning};

/// Memory by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// A register's place on the stack.
    Slot(u32),
    /// A constant.
    Pool(u32),
    /// An element of a region.
    Region(Address),
}

/// A line, or an end of a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Vector(VectorLine<Place>),
    /// An item without vectors: a count, a view, a copy of bytes.
    Plain(usize),
    Begin(usize),
    End(usize),
}

/// Code with registers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocated {
    pub(crate) steps: Vec<Step>,
    pub(crate) pool: Vec<Vec<u8>>,
    pub(crate) slots: u32,
    /// For each loop, which carried values have their next one in a register when the body ends.
    pub(crate) ended: Vec<Vec<bool>>,
}

/// What can be chosen about an allocation.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The carried values that may have registers, for each loop; all if there are none for it.
    pub(crate) in_registers: Vec<Vec<bool>>,
    /// How much later a value with a home counts as needed, in tenths.
    pub(crate) clean: usize,
}

impl Plan {
    /// What does well for most code.
    pub(crate) const USUAL: Plan = Plan { in_registers: Vec::new(), clean: 16 };
}

/// Where a value can be read.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Home {
    place: Place,
    bits: u32,
    aligned: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Location {
    Register(u8),
    Home(Home),
}

/// The fixed places at the head of a loop.
#[derive(Clone, Default)]
struct Head {
    /// Of the carried values, in order.
    carried: Vec<Option<Location>>,
    /// Of values from outside.
    kept: Vec<(u8, Value)>,
    /// Those of them that have no home before the loop.
    homeless: Vec<Value>,
}

/// Allocates.
///
/// # Errors
/// The linear code is malformed, or has an instruction without an encoding.
pub(crate) fn allocate(linear: &Linear, machine: Machine, plan: &Plan) -> Result<Allocated, &'static str> {
    let mut allocator = Allocator::new(linear, machine, plan)?;
    for (position, item) in linear.items.iter().enumerate() {
        match item {
            Item::Compute { row, result, operands, immediate } => {
                allocator.compute(position, row, *result, operands, *immediate)?;
            }
            Item::Load { row, result, address } => allocator.load(position, row, *result, address)?,
            Item::Store { address, value } => allocator.store(position, address, *value)?,
            Item::LoadPart { row, result, address, .. } => {
                let to = allocator.take(position, &[], allocator.wish.get(result).copied())?;
                let (to, memory) = (Vector(to), Place::Region(address.clone()));
                allocator.emit(VectorLine::LoadPart { item: position, row, to, memory });
                allocator.bind(*result, to.0);
                allocator.release(*result, position);
            }
            Item::StorePart { row, address, value, .. } => {
                let from = Vector(allocator.in_register(*value, position, &[])?);
                let memory = Place::Region(address.clone());
                allocator.emit(VectorLine::StorePart { item: position, row, from, memory });
                allocator.release(*value, position);
            }
            Item::CopyPart { .. } | Item::Count { .. } | Item::View { .. } => {
                allocator.out.steps.push(Step::Plain(position));
            }
            Item::Begin(number) => allocator.begin(position, *number)?,
            Item::End(number) => allocator.end(position, *number)?,
        }
    }
    Ok(allocator.out)
}

struct Allocator<'a> {
    linear: &'a Linear,
    machine: Machine,
    plan: &'a Plan,
    around: Vec<Option<usize>>,
    depth: Vec<usize>,
    /// The loop in which a value is defined.
    scope: Vec<Option<usize>>,
    /// The positions that read a value.
    uses: Vec<Vec<usize>>,
    /// The position after which nothing reads a value, loops that go round included.
    death: Vec<usize>,
    /// What may be the same memory as each region.
    memories: Vec<(usize, Vec<Count>)>,
    /// The positions that write to memories of a number.
    stores: BTreeMap<usize, Vec<usize>>,
    register: Vec<Option<u8>>,
    held: Vec<Option<Value>>,
    home: Vec<Option<Home>>,
    heads: Vec<Head>,
    kept_by: Vec<Vec<usize>>,
    open: Vec<usize>,
    /// The registers in which the next values of carried ones should be made.
    wish: BTreeMap<Value, u8>,
    /// The slots where the next values of carried ones end, and the values that they take the place of.
    destined: BTreeMap<Value, (u32, Value)>,
    slotted: Vec<Value>,
    free_slots: Vec<u32>,
    out: Allocated,
}

impl<'a> Allocator<'a> {
    fn new(linear: &'a Linear, machine: Machine, plan: &'a Plan) -> Result<Self, &'static str> {
        let around = linear.around();
        let count = linear.values.len();
        let parents: Vec<Option<usize>> = linear.loops.iter().map(|looped| around[looped.begin]).collect();
        let mut depth = vec![0; parents.len()];
        for number in 0..parents.len() {
            depth[number] = parents[number].map_or(1, |parent| depth[parent] + 1);
        }
        let mut scope = vec![None; count];
        let mut uses: Vec<Vec<(usize, Option<usize>)>> = vec![Vec::new(); count];
        let memories = linear.memories();
        let mut stores: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut stored = |address: &Address, position: usize| {
            stores.entry(memories[address.region.index()].0).or_default().push(position);
        };
        for (position, item) in linear.items.iter().enumerate() {
            let mut used = |value: Value| uses[value.index()].push((position, around[position]));
            match item {
                Item::Compute { result, operands, .. } => {
                    operands.iter().for_each(|&operand| used(operand));
                    scope[result.index()] = around[position];
                }
                Item::Load { result, .. } => scope[result.index()] = around[position],
                Item::Store { address, value } => {
                    used(*value);
                    stored(address, position);
                }
                Item::LoadPart { result, .. } => scope[result.index()] = around[position],
                Item::StorePart { address, value, .. } => {
                    used(*value);
                    stored(address, position);
                }
                Item::CopyPart { to, .. } => stored(to, position),
                Item::Count { .. } | Item::View { .. } => {}
                Item::Begin(number) => {
                    for carried in &linear.loops[*number].carried {
                        used(carried.initial);
                        scope[carried.inside.index()] = Some(*number);
                    }
                }
                Item::End(number) => {
                    for carried in &linear.loops[*number].carried {
                        used(carried.next);
                        scope[carried.after.index()] = parents[*number];
                    }
                }
            }
        }
        let mut death = vec![0; count];
        for (value, uses) in uses.iter().enumerate() {
            for &(position, inner) in uses {
                let mut last = position;
                let mut inner = inner;
                while inner != scope[value] {
                    let number = inner.ok_or("a value that leaves its loop")?;
                    last = linear.loops[number].end;
                    inner = parents[number];
                }
                death[value] = death[value].max(last);
            }
        }
        let uses = uses.into_iter().map(|uses| uses.into_iter().map(|(position, _)| position).collect());
        Ok(Allocator {
            linear,
            machine,
            plan,
            around,
            depth,
            scope,
            uses: uses.collect(),
            death,
            memories,
            stores,
            register: vec![None; count],
            held: vec![None; usize::from(machine.registers())],
            home: vec![None; count],
            heads: vec![Head::default(); parents.len()],
            kept_by: vec![Vec::new(); count],
            open: Vec::new(),
            wish: BTreeMap::new(),
            destined: BTreeMap::new(),
            slotted: Vec::new(),
            free_slots: Vec::new(),
            out: Allocated { ended: vec![Vec::new(); parents.len()], ..Allocated::default() },
        })
    }

    fn emit(&mut self, line: VectorLine<Place>) {
        self.out.steps.push(Step::Vector(line));
    }

    /// The first position from `from` on that wants the value in a register; [`usize::MAX`] if there is none. What the
    /// next time round a loop wants comes after the end of the loop.
    fn next_use(&self, value: Value, from: usize) -> usize {
        let uses = &self.uses[value.index()];
        let first_after = |position: usize| uses.get(uses.partition_point(|&at| at < position)).copied();
        let mut next = first_after(from).unwrap_or(usize::MAX);
        let own = self.scope[value.index()].map_or(0, |number| self.depth[number]);
        for &number in self.open.iter().skip(own) {
            let looped = &self.linear.loops[number];
            if self.kept_by[value.index()].contains(&number) {
                next = next.min(looped.end);
            } else if let Some(first) = first_after(looped.begin + 1).filter(|&first| first <= looped.end) {
                next = next.min(looped.end + (first - looped.begin));
            }
        }
        next
    }

    /// Whether a store between two positions may change what lies at an address.
    fn changes(&self, address: &Address, after: usize, to: usize) -> bool {
        let (memory, path) = &self.memories[address.region.index()];
        let Some(stores) = self.stores.get(memory) else { return false };
        let first = stores.partition_point(|&position| position <= after);
        stores[first..].iter().take_while(|&&position| position <= to).any(|&position| {
            let (Item::Store { address: other, .. } | Item::StorePart { address: other, .. }) =
                &self.linear.items[position]
            else {
                return true;
            };
            let element = self.linear.element(address.region, self.machine.uniform as usize / 8);
            let apart = (other.index.constant - address.index.constant).saturating_mul(element).abs();
            self.memories[other.region.index()].1 != *path
                || other.index.terms != address.index.terms
                || apart < self.linear.bytes as i64
        })
    }

    fn slot(&mut self) -> u32 {
        self.free_slots.pop().unwrap_or_else(|| {
            self.out.slots += 1;
            self.out.slots - 1
        })
    }

    fn slot_home(&self, slot: u32) -> Home {
        Home { place: Place::Slot(slot), bits: self.machine.shape_bits, aligned: true }
    }

    /// Gives a value in a register a home.
    fn save(&mut self, value: Value, position: usize) {
        let Some(register) = self.register[value.index()] else { return };
        if self.home_of(value).is_some() {
            return;
        }
        let destined = self.destined.get(&value).copied();
        let slot = match destined {
            Some((slot, before)) if self.next_use(before, position) == usize::MAX => {
                self.register[before.index()].is_none().then_some(slot)
            }
            _ => None,
        };
        let slot = slot.unwrap_or_else(|| {
            self.slotted.push(value);
            self.slot()
        });
        self.home[value.index()] = Some(self.slot_home(slot));
        self.emit(VectorLine::Store {
            from: Vector(register),
            memory: Place::Slot(slot),
            item: None,
            aligned: true,
        });
    }

    /// Where a value can be read beside registers.
    fn home_of(&mut self, value: Value) -> Option<Home> {
        if self.home[value.index()].is_none()
            && let Some(bytes) = &self.linear.values[value.index()].constant
        {
            let number = self.out.pool.len() as u32;
            self.out.pool.push(bytes.clone());
            let bits = self.machine.shape_bits;
            self.home[value.index()] = Some(Home { place: Place::Pool(number), bits, aligned: true });
        }
        self.home[value.index()].clone()
    }

    fn is_clean(&self, value: Value) -> bool {
        self.home[value.index()].is_some() || self.linear.values[value.index()].constant.is_some()
    }

    fn drop(&mut self, register: u8) {
        if let Some(value) = self.held[usize::from(register)].take() {
            self.register[value.index()] = None;
        }
    }

    fn bind(&mut self, value: Value, register: u8) {
        self.held[usize::from(register)] = Some(value);
        self.register[value.index()] = Some(register);
    }

    /// A register that holds nothing, not among `pinned`.
    fn take(&mut self, position: usize, pinned: &[u8], wish: Option<u8>) -> Result<u8, &'static str> {
        let free = |register: &u8| self.held[usize::from(*register)].is_none() && !pinned.contains(register);
        if let Some(wish) = wish.filter(|wish| free(wish)) {
            return Ok(wish);
        }
        let count = self.machine.registers();
        let wished: Vec<u8> = self.wish.values().copied().collect();
        let plain = (0..count).filter(free).find(|register| !wished.contains(register));
        if let Some(register) = plain.or_else(|| (0..count).find(free)) {
            return Ok(register);
        }
        let mut worst: Option<(usize, u8)> = None;
        for register in (0..count).filter(|register| !pinned.contains(register)) {
            let Some(value) = self.held[usize::from(register)] else { continue };
            let next = self.next_use(value, position);
            let distance = next.saturating_sub(position);
            let score = if self.is_clean(value) {
                distance.saturating_mul(self.plan.clean)
            } else {
                distance.saturating_mul(10)
            };
            if worst.is_none_or(|(other, _)| score > other) {
                worst = Some((score, register));
            }
        }
        let (_, register) = worst.ok_or("more operands than registers")?;
        if let Some(value) = self.held[usize::from(register)] {
            self.save(value, position);
        }
        self.drop(register);
        Ok(register)
    }

    fn read(&mut self, value: Value, register: u8) -> Result<(), &'static str> {
        let to = Vector(register);
        if let Some(bytes) = &self.linear.values[value.index()].constant {
            let ones = bytes.iter().all(|&byte| byte == 0xff);
            if ones || bytes.iter().all(|&byte| byte == 0) {
                self.emit(VectorLine::Splat { to, ones });
                return Ok(());
            }
        }
        let home = self.home_of(value).ok_or("a value that is nowhere")?;
        self.emit(VectorLine::Load { to, memory: home.place, bits: home.bits, aligned: home.aligned });
        Ok(())
    }

    fn in_register(&mut self, value: Value, position: usize, pinned: &[u8]) -> Result<u8, &'static str> {
        if let Some(register) = self.register[value.index()] {
            return Ok(register);
        }
        let register = self.take(position, pinned, None)?;
        self.read(value, register)?;
        self.bind(value, register);
        Ok(register)
    }

    /// Lets go of a value that nothing after `position` needs.
    fn release(&mut self, value: Value, position: usize) {
        if self.next_use(value, position + 1) == usize::MAX
            && let Some(register) = self.register[value.index()]
        {
            self.drop(register);
        }
        if self.death[value.index()] <= position {
            self.forget(value);
        }
    }

    fn forget(&mut self, value: Value) {
        if let Some(at) = self.slotted.iter().position(|&other| other == value) {
            self.slotted.swap_remove(at);
            if let Some(Home { place: Place::Slot(slot), .. }) = self.home[value.index()].take() {
                self.free_slots.push(slot);
            }
        }
    }

    /// Whether a loop reads a value that is made before it.
    fn is_outside_of_a_loop(&self, value: Value) -> bool {
        self.uses[value.index()].iter().any(|&position| self.around[position] != self.scope[value.index()])
    }

    fn load(
        &mut self,
        position: usize,
        row: &'static Instruction,
        result: Value,
        address: &Address,
    ) -> Result<(), &'static str> {
        if self.uses[result.index()].is_empty() {
            return Ok(());
        }
        let bits = self.machine.loaded_bits(row);
        let home =
            Home { place: Place::Region(address.clone()), bits, aligned: row.meaning == Meaning::Load };
        // What a loop needs again and again lies beside it as a whole register: repeating it takes a port of vectors.
        let again = bits < self.machine.shape_bits && self.is_outside_of_a_loop(result);
        let stays = !again
            && !self.changes(address, position, self.death[result.index()])
            && self.machine.encoding.repeats_cheaply(bits, self.machine.shape_bits);
        self.home[result.index()] = Some(home);
        if !stays {
            self.in_register(result, position, &[])?;
            self.home[result.index()] = None;
        }
        Ok(())
    }

    fn store(&mut self, position: usize, address: &Address, value: Value) -> Result<(), &'static str> {
        let from = Vector(self.in_register(value, position, &[])?);
        let (memory, aligned) = (Place::Region(address.clone()), !self.linear.is_string(address.region));
        self.emit(VectorLine::Store { from, memory, item: Some(position), aligned });
        let dirty = !self.is_clean(value) || self.slotted.contains(&value);
        if dirty
            && self.around[position] == self.scope[value.index()]
            && !self.destined.contains_key(&value)
            && !self.changes(address, position, self.death[value.index()])
        {
            self.forget(value);
            let bits = self.machine.shape_bits;
            self.home[value.index()] = Some(Home { place: Place::Region(address.clone()), bits, aligned });
        }
        self.release(value, position);
        Ok(())
    }

    /// The operand that a value can be without a register.
    fn operand(&mut self, value: Value, constraints: &Constraints) -> Option<Source<Place>> {
        let home = self.home_of(value)?;
        let whole = home.bits == self.machine.shape_bits;
        if whole && (home.aligned || self.machine.encoding != Encoding::Legacy) {
            return Some(Source::Memory(home.place));
        }
        constraints.repeats(home.bits).then_some(Source::Repeated(home.place, home.bits))
    }

    fn compute(
        &mut self,
        position: usize,
        row: &'static Instruction,
        result: Value,
        operands: &[Value],
        immediate: Option<u32>,
    ) -> Result<(), &'static str> {
        let constraints = row.constraints.ok_or("an instruction without an encoding")?;
        let end = self.open.last().map_or(usize::MAX, |&number| self.linear.loops[number].end);
        let mut order: Vec<usize> = (0..operands.len()).collect();
        let crowded = !self.held.contains(&None);
        // The operand that stays in memory: the one that is needed last.
        let mut folded: Option<(usize, usize, Source<Place>)> = None;
        if let Some(place) = constraints.memory {
            for (index, &value) in operands.iter().enumerate() {
                let once = operands.iter().filter(|&&other| other == value).count() == 1;
                if self.register[value.index()].is_some()
                    || !once
                    || !(constraints.free_order || index == place)
                {
                    continue;
                }
                let next = self.next_use(value, position + 1);
                let far = next >= end || crowded && next - position > usize::from(self.machine.registers());
                if far
                    && folded.as_ref().is_none_or(|(other, ..)| next > *other)
                    && let Some(source) = self.operand(value, &constraints)
                {
                    folded = Some((next, index, source));
                }
            }
            if let Some((_, index, _)) = &folded {
                order.swap(*index, place);
            }
        }
        let stays = folded.as_ref().map(|(_, index, _)| *index);
        let mut pinned: Vec<u8> =
            operands.iter().filter_map(|operand| self.register[operand.index()]).collect();
        for (index, &value) in operands.iter().enumerate() {
            if Some(index) != stays {
                let register = self.in_register(value, position, &pinned)?;
                pinned.push(register);
            }
        }
        let wish = self.wish.get(&result).copied();
        let mut copied = None;
        let to;
        if constraints.overwrites {
            let dies = |index: usize| {
                let value = operands[index];
                let next = self.next_use(value, position + 1);
                Some(index) != stays && (next == usize::MAX || next > end && self.is_clean(value))
            };
            // Where it matters which operand is overwritten, the first one was chosen for that.
            let found = if constraints.free_order && !constraints.first_matters {
                (0..order.len()).find(|&at| dies(order[at]))
            } else {
                dies(order[0]).then_some(0)
            };
            // A swap with the operand in memory would take it out of its place.
            if let Some(at) = found {
                order.swap(0, at);
                to = self.register[operands[order[0]].index()].ok_or("an operand without a register")?;
            } else {
                if Some(order[0]) == stays {
                    return Err("the first operand in memory");
                }
                to = self.take(position, &pinned, wish)?;
                let from =
                    self.register[operands[order[0]].index()].ok_or("an operand without a register")?;
                self.emit(VectorLine::Copy { to: Vector(to), from: Vector(from) });
                copied = Some(to);
            }
        } else {
            // Registers that become free are free for the result.
            let ending: Vec<u8> = operands
                .iter()
                .filter(|&&operand| self.next_use(operand, position + 1) == usize::MAX)
                .filter_map(|operand| self.register[operand.index()])
                .collect();
            let wished = wish.filter(|wish| ending.contains(wish));
            to = match wished.or_else(|| match wish {
                Some(wish) if self.held[usize::from(wish)].is_none() => Some(wish),
                _ => ending.first().copied(),
            }) {
                Some(register) => register,
                None => self.take(position, &pinned, wish)?,
            };
        }
        let mut sources = Vec::new();
        for (at, &index) in order.iter().enumerate() {
            sources.push(match (&folded, copied) {
                (Some((_, folded, source)), _) if *folded == index => source.clone(),
                (_, Some(copy)) if at == 0 => Source::Register(Vector(copy)),
                _ => {
                    let register = self.register[operands[index].index()];
                    Source::Register(Vector(register.ok_or("an operand without a register")?))
                }
            });
        }
        let immediate = match (row.meaning, immediate, order.as_slice()) {
            (Meaning::Ternary, Some(table), &[a, b, c]) => Some(u32::from(permuted(table as u8, [a, b, c]))),
            _ => immediate,
        };
        self.emit(VectorLine::Compute { item: position, row, to: Vector(to), sources, immediate });
        self.drop(to);
        for &operand in operands {
            self.release(operand, position);
        }
        self.bind(result, to);
        self.release(result, position);
        Ok(())
    }
}
