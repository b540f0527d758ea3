//! The ends of loops: what has a fixed place at the head, and bringing it back there at the end of the body.

use super::super::linear::{Item, Value};
use super::super::machine::{Vector, VectorLine};
use super::{Allocator, Head, Location, Place, Step};
use std::collections::BTreeMap;

impl Allocator<'_> {
    /// The most values made in the body of a loop that are in use at once.
    fn pressure(&self, number: usize) -> usize {
        let looped = &self.linear.loops[number];
        let mut change = vec![0i32; looped.end - looped.begin + 2];
        let mut live = |from: usize, value: Value| {
            let to = self.death[value.index()].min(looped.end);
            if to > from {
                change[from - looped.begin] += 1;
                change[to - looped.begin] -= 1;
            }
        };
        for position in looped.begin..looped.end {
            match &self.linear.items[position] {
                Item::Compute { result, .. } | Item::LoadPart { result, .. } => live(position, *result),
                Item::Begin(inner) => {
                    self.linear.loops[*inner]
                        .carried
                        .iter()
                        .for_each(|carried| live(position, carried.inside));
                }
                Item::End(inner) => {
                    self.linear.loops[*inner]
                        .carried
                        .iter()
                        .for_each(|carried| live(position, carried.after));
                }
                _ => {}
            }
        }
        let mut now = 0;
        change.iter().fold(0, |most, change| {
            now += change;
            most.max(now)
        }) as usize
    }

    pub(super) fn begin(&mut self, position: usize, number: usize) -> Result<(), &'static str> {
        let linear = self.linear;
        let looped = &linear.loops[number];
        let registers = usize::from(self.machine.registers());
        // Carried values: the ones that are needed first get registers.
        let mut by_need: Vec<usize> = (0..looped.carried.len()).collect();
        by_need.sort_by_key(|&place| {
            let uses = &self.uses[looped.carried[place].inside.index()];
            uses.first().copied().unwrap_or(usize::MAX)
        });
        let planned = self.plan.in_registers.get(number);
        let may_have = |place: &usize| planned.is_none_or(|planned| planned.get(*place) == Some(&true));
        let mut in_slots: Vec<usize> = by_need.iter().copied().filter(|place| !may_have(place)).collect();
        by_need.retain(may_have);
        in_slots.extend(by_need.split_off(by_need.len().min(registers - 2)));
        // Values from outside: those that the body uses most, as far as the body leaves registers; then those that would
        // have to be stored.
        let room = registers.saturating_sub(1 + self.pressure(number).max(by_need.len()));
        let mut counts: BTreeMap<Value, usize> = BTreeMap::new();
        for item in &linear.items[position + 1..looped.end] {
            let mut count = |value: Value| {
                let scope = self.scope[value.index()];
                let depth = scope.map_or(0, |scope| self.depth[scope]);
                if depth < self.depth[number] {
                    *counts.entry(value).or_default() += 1;
                }
            };
            match item {
                Item::Compute { operands, .. } => operands.iter().for_each(|&operand| count(operand)),
                Item::Store { value, .. } | Item::StorePart { value, .. } => count(*value),
                Item::Begin(inner) => {
                    linear.loops[*inner].carried.iter().for_each(|carried| count(carried.initial));
                }
                _ => {}
            }
        }
        let mut wanted: Vec<(usize, Value)> = counts.iter().map(|(&value, &count)| (count, value)).collect();
        wanted.sort_by_key(|&(count, value)| (usize::MAX - count, value));
        let mut kept: Vec<Value> = wanted.into_iter().map(|(_, value)| value).take(room).collect();
        for register in 0..registers {
            let Some(value) = self.held[register] else { continue };
            let lives = self.next_use(value, position + 1) != usize::MAX;
            if lives && kept.len() < room && !kept.contains(&value) && !self.is_clean(value) {
                kept.push(value);
            }
        }
        // What is not kept gets a home; it stays in its register until that is needed.
        for register in 0..registers {
            let Some(value) = self.held[register] else { continue };
            if !kept.contains(&value) && self.death[value.index()] > position {
                self.save(value, position);
            }
        }
        let mut head = Head { carried: vec![None; looped.carried.len()], ..Head::default() };
        let mut waiting: Vec<Value> = looped.carried.iter().map(|carried| carried.initial).collect();
        let mut pinned: Vec<u8> = Vec::new();
        let done = |waiting: &mut Vec<Value>, value: Value| {
            if let Some(at) = waiting.iter().position(|&other| other == value) {
                waiting.swap_remove(at);
            }
            !waiting.contains(&value)
        };
        for place in in_slots {
            let initial = looped.carried[place].initial;
            let from = Vector(self.in_register(initial, position, &pinned)?);
            let slot = self.slot();
            self.emit(VectorLine::Store { from, memory: Place::Slot(slot), item: None, aligned: true });
            head.carried[place] = Some(Location::Home(self.slot_home(slot)));
            if done(&mut waiting, initial) && !kept.contains(&initial) {
                self.release(initial, position);
            }
        }
        for place in by_need {
            let carried = looped.carried[place];
            let initial = carried.initial;
            let last = done(&mut waiting, initial);
            let dies = last && !kept.contains(&initial) && self.next_use(initial, position + 1) == usize::MAX;
            let register = match self.register[initial.index()] {
                Some(register) if dies => {
                    self.drop(register);
                    register
                }
                Some(from) => {
                    let mut busy = pinned.clone();
                    busy.push(from);
                    let register = self.take(position, &busy, None)?;
                    self.emit(VectorLine::Copy { to: Vector(register), from: Vector(from) });
                    register
                }
                None => {
                    let register = self.take(position, &pinned, None)?;
                    self.read(initial, register)?;
                    register
                }
            };
            self.bind(carried.inside, register);
            pinned.push(register);
            head.carried[place] = Some(Location::Register(register));
            if last && self.death[initial.index()] <= position {
                self.forget(initial);
            }
        }
        for value in kept {
            let register = self.in_register(value, position, &pinned)?;
            pinned.push(register);
            head.kept.push((register, value));
            if self.home[value.index()].is_none() {
                head.homeless.push(value);
            }
        }
        for register in 0..registers as u8 {
            if !pinned.contains(&register) {
                self.drop(register);
            }
        }
        for (carried, place) in looped.carried.iter().zip(&head.carried) {
            let own = self.scope[carried.next.index()] == Some(number);
            match place {
                Some(Location::Register(register)) if own => {
                    self.wish.insert(carried.next, *register);
                }
                Some(Location::Home(home)) => {
                    self.home[carried.inside.index()] = Some(home.clone());
                    if let (Place::Slot(slot), true) = (&home.place, own && carried.next != carried.inside) {
                        self.destined.insert(carried.next, (*slot, carried.inside));
                    }
                }
                _ => {}
            }
        }
        for &(_, value) in &head.kept {
            self.kept_by[value.index()].push(number);
        }
        self.heads[number] = head;
        self.open.push(number);
        self.out.steps.push(Step::Begin(number));
        // A carried value that the body does not use needs no register there.
        for carried in &looped.carried {
            self.release(carried.inside, position);
        }
        Ok(())
    }

    fn location(&mut self, value: Value) -> Result<Location, &'static str> {
        match self.register[value.index()] {
            Some(register) => Ok(Location::Register(register)),
            None => self.home_of(value).map(Location::Home).ok_or("a value that is nowhere"),
        }
    }

    pub(super) fn end(&mut self, position: usize, number: usize) -> Result<(), &'static str> {
        let linear = self.linear;
        let looped = &linear.loops[number];
        let head = std::mem::take(&mut self.heads[number]);
        let ended = looped.carried.iter().map(|carried| self.register[carried.next.index()].is_some());
        self.out.ended[number] = ended.collect();
        let mut moves: Vec<(Location, Location, Value)> = Vec::new();
        for (carried, place) in looped.carried.iter().zip(&head.carried) {
            let Some(to) = place.clone() else { continue };
            let from = self.location(carried.next)?;
            if from != to {
                moves.push((to, from, carried.next));
            }
        }
        for &(register, value) in &head.kept {
            let from = self.location(value)?;
            if from != Location::Register(register) {
                moves.push((Location::Register(register), from, value));
            }
        }
        let mut fixed: Vec<u8> = head.kept.iter().map(|&(register, _)| register).collect();
        fixed.extend(head.carried.iter().filter_map(|place| match place {
            Some(Location::Register(register)) => Some(*register),
            _ => None,
        }));
        self.move_all(moves, &fixed)?;
        for register in 0..self.held.len() as u8 {
            self.drop(register);
        }
        self.open.pop();
        if looped.trips.constant().is_none() {
            // What was put aside in the body was not if the body did not run.
            for &value in &head.homeless {
                self.forget(value);
                self.home[value.index()] = None;
            }
        }
        for &(register, value) in &head.kept {
            self.kept_by[value.index()].retain(|&other| other != number);
            if self.next_use(value, position + 1) != usize::MAX {
                self.bind(value, register);
            }
        }
        for (carried, place) in looped.carried.iter().zip(head.carried) {
            // The next value may be from outside, and destined for a place of a loop around this one.
            if self.scope[carried.next.index()] == Some(number) {
                self.wish.remove(&carried.next);
                if self.destined.remove(&carried.next).is_some() && !self.slotted.contains(&carried.next) {
                    self.home[carried.next.index()] = None;
                }
            }
            let used = self.next_use(carried.after, position + 1) != usize::MAX;
            match place {
                Some(Location::Register(register)) if used => self.bind(carried.after, register),
                Some(Location::Home(home)) => {
                    self.home[carried.inside.index()] = None;
                    if used {
                        self.home[carried.after.index()] = Some(home);
                        self.slotted.push(carried.after);
                    } else if let Place::Slot(slot) = home.place {
                        self.free_slots.push(slot);
                    }
                }
                _ => {}
            }
        }
        let over: Vec<Value> = self
            .slotted
            .iter()
            .copied()
            .filter(|value| {
                self.death[value.index()] <= position
                    && !looped.carried.iter().any(|carried| carried.after == *value)
            })
            .collect();
        over.into_iter().for_each(|value| self.forget(value));
        self.out.steps.push(Step::End(number));
        Ok(())
    }

    /// Moves all at once. `fixed`: the registers that will be in use; at least one is not.
    fn move_all(
        &mut self,
        mut moves: Vec<(Location, Location, Value)>,
        fixed: &[u8],
    ) -> Result<(), &'static str> {
        let count = self.machine.registers();
        let mut aside_slots = Vec::new();
        while !moves.is_empty() {
            let reads = |moves: &[(Location, Location, Value)], to: &Location, but: usize| {
                moves.iter().enumerate().any(|(at, (_, from, _))| at != but && from == to)
            };
            let ready: Vec<usize> =
                (0..moves.len()).filter(|&at| !reads(&moves, &moves[at].0.clone(), at)).collect();
            let mut spare = (0..count).find(|register| {
                !fixed.contains(register)
                    && !moves.iter().any(|(_, from, _)| *from == Location::Register(*register))
            });
            let rank = |at: &usize| match (&moves[*at].0, &moves[*at].1) {
                (Location::Home(_), Location::Register(_)) => 0,
                (Location::Register(_), Location::Register(_)) => 1,
                (Location::Register(_), _) => 2,
                _ => 3,
            };
            let best = ready.into_iter().min_by_key(rank);
            let through_register = match best {
                Some(at) => rank(&at) == 3,
                None => matches!(moves[0].0, Location::Home(_)),
            };
            if through_register && spare.is_none() {
                // All that is free waits to be moved: one of them waits in a slot.
                let register = (0..count).find(|register| !fixed.contains(register));
                let register = register.ok_or("no register to move a slot")?;
                let slot = self.slot();
                aside_slots.push(slot);
                self.emit(VectorLine::Store {
                    from: Vector(register),
                    memory: Place::Slot(slot),
                    item: None,
                    aligned: true,
                });
                let home = self.slot_home(slot);
                for (_, from, _) in &mut moves {
                    if *from == Location::Register(register) {
                        *from = Location::Home(home.clone());
                    }
                }
                spare = Some(register);
            }
            let Some(at) = best else {
                // Nothing but cycles: what the first one overwrites is put aside.
                let overwritten = moves[0].0.clone();
                let aside = match (&overwritten, spare) {
                    (Location::Register(from), Some(to)) => {
                        self.emit(VectorLine::Copy { to: Vector(to), from: Vector(*from) });
                        Location::Register(to)
                    }
                    (Location::Register(from), None) => {
                        let slot = self.slot();
                        aside_slots.push(slot);
                        self.emit(VectorLine::Store {
                            from: Vector(*from),
                            memory: Place::Slot(slot),
                            item: None,
                            aligned: true,
                        });
                        Location::Home(self.slot_home(slot))
                    }
                    (Location::Home(home), Some(to)) => {
                        let (memory, bits) = (home.place.clone(), home.bits);
                        self.emit(VectorLine::Load { to: Vector(to), memory, bits, aligned: home.aligned });
                        Location::Register(to)
                    }
                    (Location::Home(_), None) => return Err("no register to break a cycle of slots"),
                };
                for (_, from, _) in &mut moves {
                    if *from == overwritten {
                        *from = aside.clone();
                    }
                }
                continue;
            };
            let (to, from, value) = moves.remove(at);
            let through = match (&to, &from) {
                (Location::Register(to), _) => *to,
                (_, Location::Register(from)) => *from,
                _ => spare.ok_or("no register to move a slot")?,
            };
            match &from {
                Location::Register(from) if *from != through => {
                    self.emit(VectorLine::Copy { to: Vector(through), from: Vector(*from) });
                }
                Location::Register(_) => {}
                Location::Home(home) if self.home[value.index()].as_ref() == Some(home) => {
                    self.read(value, through)?;
                }
                Location::Home(home) => {
                    let (memory, bits) = (home.place.clone(), home.bits);
                    self.emit(VectorLine::Load { to: Vector(through), memory, bits, aligned: home.aligned });
                }
            }
            if let Location::Home(home) = to {
                self.emit(VectorLine::Store {
                    from: Vector(through),
                    memory: home.place,
                    item: None,
                    aligned: true,
                });
            }
        }
        self.free_slots.extend(aside_slots);
        Ok(())
    }
}
