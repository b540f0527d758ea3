//! Where arrays and atoms are: places in regions, what may be written there, and stores that wait for their atom.

use super::{Binding, NodeWriter};
use crate::life::Next;
use crate::messages::{Fault, Internal};
use crate::overwrite::is_overwritten;
use usuba_ir::program::{Affine, Block, InductionId, Op, ValueId};
use usuba_machine::program::{Address, Element, Length, Region, RegionId, RegisterId, Role, Step};
use usuba_target::Instruction;

/// Runs of equal elements at least this long are written by a loop.
const FILL: usize = 8;

/// Where an array lies: `len` atoms from `base` on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(super) region: RegionId,
    pub(super) base: Affine,
    pub(super) len: u32,
}

/// Stores that wait for a position of their block.
pub(super) struct Pending {
    pub(super) position: usize,
    pub(super) value: ValueId,
    pub(super) address: Address,
    pub(super) len: u32,
}

pub(super) fn sum(a: &Affine, b: &Affine) -> Affine {
    let mut terms = a.terms.clone();
    for &(induction, coefficient) in &b.terms {
        match terms.binary_search_by_key(&induction, |&(other, _)| other) {
            Ok(found) => terms[found].1 += coefficient,
            Err(at) => terms.insert(at, (induction, coefficient)),
        }
    }
    terms.retain(|&(_, coefficient)| coefficient != 0);
    Affine { constant: a.constant + b.constant, terms }
}

impl NodeWriter<'_> {
    /// Decides where the arrays that this block builds go, so that each atom is stored as soon as it is there: compilers
    /// do not move stores up, and a row of stores at the end of a block costs spills.
    pub(super) fn plan(&mut self, block: &Block) {
        let home = self.home();
        for (position, operation) in block.operations.iter().enumerate() {
            let (Op::Array(atoms), &[result]) = (&operation.op, operation.results.as_slice()) else {
                continue;
            };
            if !self.life.is_live(result) {
                continue;
            }
            let mut earliest = 0;
            let mut chosen = None;
            match self.destiny(result) {
                Some(Next::Output(number)) => chosen = self.claim_output(number),
                Some(Next::Carried(induction, number)) if Some(induction) == home => {
                    let horizon =
                        block.parameters.get(number).and_then(|&carried| self.horizon(block, carried));
                    if let Some(horizon) = horizon.filter(|&horizon| horizon <= position) {
                        earliest = horizon;
                        chosen = self.carried_place(number);
                    }
                }
                _ => {}
            }
            let place = chosen.unwrap_or_else(|| self.local(result, atoms.len() as u32));
            let mut index = if is_overwritten(self.node, block, result) { atoms.len() } else { 0 };
            while index < atoms.len() {
                let value = atoms[index];
                let run = atoms[index..].iter().take_while(|&&other| other == value).count();
                let run = if run >= FILL { run } else { 1 };
                let defined = if self.life.home(value) == home { self.life.defined(value) } else { None };
                let address = self.address(&place, &Affine::constant(index as i64));
                let position = defined.unwrap_or(position).max(earliest);
                self.wait(Pending { position, value, address, len: run as u32 });
                index += run;
            }
            if let Some(scope) = self.scopes.last_mut() {
                scope.planned.insert(result, place);
            }
        }
    }

    /// The last position of `block` that reads `array`, a parameter of it, or what may share its region; `None` if that
    /// lives to the end of the block elsewhere than in the array's own successor.
    fn horizon(&self, block: &Block, array: ValueId) -> Option<usize> {
        let mut sharing = vec![array];
        let mut last = 0;
        for (position, operation) in block.operations.iter().enumerate() {
            if !self.life.is_wanted(&operation.results) {
                continue;
            }
            let mut used = false;
            operation.op.operands(|operand| used |= sharing.contains(&operand));
            match &operation.op {
                Op::Slice(from, _) | Op::Set(from, ..) | Op::Splice(from, ..) | Op::Refresh(from)
                    if sharing.contains(from) =>
                {
                    sharing.push(operation.results[0]);
                }
                Op::Loop(inner) => {
                    used |= sharing.iter().any(|&value| self.life.inside(value) == Some(position));
                    for (initial, &result) in inner.initial.iter().zip(&operation.results) {
                        if sharing.contains(initial) {
                            sharing.push(result);
                        }
                    }
                }
                _ => {}
            }
            if used {
                last = position;
            }
        }
        let escapes = block.results.iter().any(|result| sharing.contains(result));
        (!escapes).then_some(last)
    }

    pub(super) fn home(&self) -> Option<InductionId> {
        self.scopes.last().and_then(|scope| scope.home)
    }

    pub(super) fn region(&mut self, name: &str, len: u32, role: Role) -> RegionId {
        let element = match role {
            Role::Uniform => self.s.shape.uniform(),
            Role::Input | Role::Output | Role::Changed | Role::Local => {
                Element::Register(self.s.shape.register())
            }
        };
        self.regions.push(Region { name: name.into(), role, element, length: Length::Constant(len) });
        self.occupants.push(Vec::new());
        RegionId(self.regions.len() as u32 - 1)
    }

    pub(super) fn local_named(&mut self, name: &str, len: u32) -> RegionId {
        let region = self.region(name, len, Role::Local);
        self.s.block().locals.push(region);
        region
    }

    /// A region of the innermost block for `value`.
    pub(super) fn local(&mut self, value: ValueId, len: u32) -> Place {
        let name = self.node.value(value).origin.name.clone();
        let name = name.as_deref().map(|name| name.split('[').next().unwrap_or(name)).unwrap_or("array");
        let region = self.local_named(name, len);
        Place { region, base: Affine::constant(0), len }
    }

    pub(super) fn occupy(&mut self, value: ValueId, place: Place) {
        self.occupants[place.region.index()].push(value);
        self.bindings[value.index()] = Some(Binding::Place(place));
    }

    pub(super) fn place(&self, value: ValueId) -> Result<Place, Internal> {
        match &self.bindings[value.index()] {
            Some(Binding::Place(place)) => Ok(place.clone()),
            _ => Err(Fault::NoMemory(value).into()),
        }
    }

    pub(super) fn register(&self, value: ValueId) -> Result<RegisterId, Internal> {
        match self.bindings[value.index()] {
            Some(Binding::Register(register)) => Ok(register),
            _ => Err(Fault::NoRegister(value).into()),
        }
    }

    /// The number of elements of an array.
    pub(super) fn len(&self, array: ValueId) -> Result<u32, Internal> {
        self.node.ty(array).len.ok_or_else(|| Fault::NoArray(array).into())
    }

    pub(super) fn bind(&mut self, value: ValueId, register: RegisterId) {
        let name = &mut self.s.registers[register.index()].name;
        if name.is_none() {
            *name = self.node.value(value).origin.name.clone();
        }
        self.bindings[value.index()] = Some(Binding::Register(register));
    }

    pub(super) fn address(&self, place: &Place, index: &Affine) -> Address {
        Address { region: place.region, index: sum(&place.base, index) }
    }

    fn loading(&self, region: RegionId) -> &'static Instruction {
        match self.regions[region.index()].role {
            Role::Uniform => self.broadcast,
            _ => self.load,
        }
    }

    pub(super) fn load(&mut self, value: ValueId, address: Address) {
        let result = self.s.fresh();
        let row = self.loading(address.region);
        self.s.push(Step::Load { row, result, address });
        self.bind(value, result);
    }

    pub(super) fn is_writable(&self, region: RegionId) -> bool {
        matches!(self.regions[region.index()].role, Role::Local | Role::Changed | Role::Output)
    }

    pub(super) fn others(&self, region: RegionId, but: ValueId) -> impl Iterator<Item = ValueId> {
        self.occupants[region.index()].iter().copied().filter(move |&other| other != but)
    }

    /// Whether nothing reads a value after `position` of the innermost block or, if `strict`, at it.
    pub(super) fn is_dead(&self, value: ValueId, position: usize, strict: bool) -> bool {
        if !self.life.is_live(value) {
            return true;
        }
        let home = self.life.home(value);
        if home.is_some() && home == self.opening {
            return false;
        }
        let last = self.life.last(value);
        match self.scopes.iter().rposition(|scope| scope.home == home) {
            Some(depth) if depth + 1 == self.scopes.len() => last < position || (!strict && last == position),
            Some(depth) => last < self.scopes[depth].position,
            None => true,
        }
    }

    /// A place with the content of `array` that may be written for `result`, which replaces it.
    pub(super) fn writable(&mut self, array: ValueId, result: ValueId) -> Result<Place, Internal> {
        let place = self.place(array)?;
        let position = self.scopes.last().map_or(0, |scope| scope.position);
        let own = self.life.home(array) == self.home() && self.life.last(array) <= position;
        if own
            && self.is_writable(place.region)
            && self.others(place.region, array).all(|other| self.is_dead(other, position, false))
        {
            // All are dead: the next update need not look at them again.
            self.occupants[place.region.index()].clear();
            return Ok(place);
        }
        let fresh = self.destination(result, place.len);
        self.copy(&place, &fresh)?;
        Ok(fresh)
    }

    /// Where the content of an array value ends.
    fn destiny(&self, value: ValueId) -> Option<Next> {
        let mut next = self.life.next(value)?;
        while let Next::Value(value) = next {
            next = self.life.next(value)?;
        }
        Some(next)
    }

    fn claim_output(&mut self, number: usize) -> Option<Place> {
        let Address { region, index } = self.outputs[number].clone();
        if self.claimed[number] {
            return None;
        }
        self.claimed[number] = true;
        Some(Place { region, base: index, len: self.node.outputs[number].ty.len? })
    }

    pub(super) fn carried_place(&self, number: usize) -> Option<Place> {
        self.scopes.last().and_then(|scope| scope.carried.get(number).cloned().flatten())
    }

    /// A place for a new array: the one where its content ends, if that is free, else a local region.
    pub(super) fn destination(&mut self, value: ValueId, len: u32) -> Place {
        if self.life.is_live(value) {
            match self.destiny(value) {
                Some(Next::Output(number)) => {
                    if let Some(place) = self.claim_output(number) {
                        return place;
                    }
                }
                Some(Next::Carried(induction, number)) if Some(induction) == self.home() => {
                    let position = self.scopes.last().map_or(0, |scope| scope.position);
                    if let Some(place) = self.carried_place(number)
                        && self.occupants[place.region.index()]
                            .iter()
                            .all(|&other| self.is_dead(other, position, true))
                    {
                        return place;
                    }
                }
                _ => {}
            }
        }
        self.local(value, len)
    }

    pub(super) fn copy(&mut self, from: &Place, to: &Place) -> Result<(), Internal> {
        if from.len != to.len {
            return Err(Fault::Length { expected: to.len, found: from.len }.into());
        }
        let load = self.loading(from.region);
        self.s.push(Step::Copy {
            load,
            store: self.store,
            from: self.address(from, &Affine::constant(0)),
            to: self.address(to, &Affine::constant(0)),
            len: from.len,
        });
        Ok(())
    }

    /// Moves arrays to their places, all at once: what lies in a region that is written goes by way of another.
    pub(super) fn move_all(&mut self, moves: Vec<(Place, Place)>) -> Result<(), Internal> {
        let written: Vec<RegionId> = moves.iter().map(|(_, to)| to.region).collect();
        let mut last = Vec::with_capacity(moves.len());
        for (from, to) in moves {
            if !written.contains(&from.region) {
                last.push((from, to));
                continue;
            }
            let region = self.local_named("moved", from.len);
            let aside = Place { region, base: Affine::constant(0), len: from.len };
            self.copy(&from, &aside)?;
            last.push((aside, to));
        }
        last.iter().try_for_each(|(from, to)| self.copy(from, to))
    }

    pub(super) fn wait(&mut self, pending: Pending) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.pending.insert((pending.position, scope.asked), pending);
            scope.asked += 1;
        }
    }

    /// Writes the stores that wait for `position`.
    pub(super) fn flush(&mut self, position: usize) -> Result<(), Internal> {
        let Some(scope) = self.scopes.last_mut() else { return Ok(()) };
        let later = scope.pending.split_off(&(position + 1, 0));
        let due = std::mem::replace(&mut scope.pending, later);
        let mut due: Vec<((usize, usize), Pending)> = due.into_iter().collect();
        due.sort_by_key(|((_, asked), _)| *asked);
        for (_, Pending { value, address, len, .. }) in due {
            let value = self.register(value)?;
            self.s.push(match len {
                1 => Step::Store { row: self.store, address, value },
                _ => Step::Fill { store: self.store, address, len, value },
            });
        }
        Ok(())
    }
}
