//! A loop over the positions of a message as a function: whole registers of blocks, several at once where there are many.

use crate::machine::Machine;
use crate::node::Blocks;
use crate::plan::{Given, Plan, Refusal};
use crate::splice::Argument;
use crate::spread::{Tail, mingled};
use crate::turn::State;
use crate::writer::Writer;
use std::collections::{BTreeMap, BTreeSet};
use usuba_ir::program::Affine;
use usuba_machine::program::{
    Address, Block, Carried, Function, Length, Loop, Parameter, Program, Public, RegionId, RegisterId, Role,
    Step, Trips,
};
use usuba_target::Meaning;

/// Bytes of a block.
const BLOCK: usize = 16;

impl Machine<'_> {
    /// The program of Usuba0 whose entry does a plan for so many registers of positions; if more follow, it is given what is added
    /// up until then, and its last outputs are that, the numbers that come next, and what goes through maps.
    fn body(&self, plan: &Plan, groups: usize, goes_on: bool) -> Result<(Function, Vec<String>), Refusal> {
        let (function, files) = self.function(&plan.ciphers(), groups, &mut |maker| {
            let mut next = Vec::new();
            let slots = self.slots(plan, maker, &mut next)?;
            let made = plan.made(&slots)?;
            let (results, sums) = made.split_at(plan.results.len());
            for (number, blocks) in results.iter().enumerate() {
                let blocks = match blocks {
                    Blocks::Same(value) if groups > 1 => Blocks::Each(vec![*value; groups]),
                    other => other.clone(),
                };
                maker.output(&format!("result{number}"), &blocks);
            }
            for (number, blocks) in sums.iter().enumerate() {
                let mut sum = maker.same(&format!("sum{number}"));
                let values = match blocks {
                    Blocks::Same(value) => vec![*value; groups],
                    Blocks::Each(values) => values.clone(),
                };
                for value in values {
                    sum = maker.xor(&sum, &Blocks::Same(value));
                }
                maker.output(&format!("sums{number}"), &sum);
            }
            for (number, blocks) in next.iter().enumerate().filter(|_| goes_on) {
                maker.output(&format!("next{number}"), blocks);
            }
            Ok(())
        })?;
        // What goes through maps is made ready between the rounds of the cipher.
        let orbits = plan.given.iter().filter(|given| matches!(given, Given::Orbit(_))).count();
        if orbits == 0 || groups == 1 || !goes_on || plan.given.contains(&Given::Number) {
            return Ok((function, files));
        }
        let next: Vec<Parameter> = function.parameters.iter().rev().take(orbits).copied().collect();
        Ok((mingled(function, &next, Tail::Behind), files))
    }

    /// A function that does a plan once: `name(given…, results…)`, all of them 16 bytes but the round keys. Of a register that
    /// has several blocks all are the same; the target should have registers of one.
    ///
    /// # Errors
    /// The target lacks something, or the plan is beyond blocks.
    pub fn single(&self, plan: &Plan, name: &str) -> Result<Program, Refusal> {
        let (body, files) = self.body(plan, 1, false)?;
        let mut writer = Writer::new(self, name);
        // A block may be bytes of the string that is written: both are strings.
        let string = Length::Constant(BLOCK as u32);
        let region = |given: &Given| match given {
            Given::Keys(_) => writer.given(given, None),
            _ => writer.region("block", Role::Input, string),
        };
        let given: Vec<RegionId> = plan.given.iter().map(region).collect();
        let results: Vec<RegionId> =
            plan.results.iter().map(|_| writer.region("result", Role::Output, string)).collect();
        let mut steps = Vec::new();
        let mut arguments = Vec::new();
        for (one, &region) in plan.given.iter().zip(&given) {
            arguments.push(match one {
                Given::Keys(_) => Argument::Memory(region),
                _ => Argument::Registers(vec![writer.load_block(region, 0, &mut steps)?]),
            });
        }
        arguments.extend(vec![Argument::Results; results.len()]);
        let spliced = writer.splice(&body, &arguments, &BTreeSet::new())?;
        steps.extend(spliced.before);
        steps.extend(spliced.steps);
        for (registers, &region) in spliced.results.iter().zip(&results) {
            let value = *registers.first().ok_or_else(|| Refusal::new("a result without a register"))?;
            steps.push(writer.store(region, Affine::constant(0), value)?);
        }
        writer.function.body = Block { locals: spliced.locals, steps };
        Ok(writer.finish(files))
    }

    /// A function that does a plan for many positions: `name(given…, bytes, results…, sums…)`. So many bytes are the positions: whole
    /// registers of blocks. `groups` registers are computed at once as long as there are so many. What is added up is added to
    /// what lies at its place.
    ///
    /// A plan of turns is done for whole turns of so many registers alone: `name(given…, turns, results…, sums…)`.
    ///
    /// # Errors
    /// The target lacks something, or the plan is beyond blocks.
    pub fn positions(&self, plan: &Plan, name: &str, groups: usize) -> Result<Program, Refusal> {
        let (many, files) = self.body(plan, groups, true)?;
        let is_of_turns = plan.is_of_turns();
        let mut bodies = vec![(many, groups)];
        if groups > 1 && !is_of_turns {
            bodies.push((self.body(plan, 1, true)?.0, 1));
        }
        let mut writer = Writer::new(self, name);
        let register = self.target.register_bits / 8;
        let batch = register * groups as u32;
        let bytes = writer.count(if is_of_turns { "turns" } else { "bytes" });
        let length = Length::Public { count: bytes, factor: if is_of_turns { batch } else { 1 } };
        let given = plan.given.iter().map(|given| match given {
            Given::Each => writer.region("text", Role::Input, length),
            Given::Turn => {
                writer.region("turn", Role::Input, Length::Public { count: bytes, factor: BLOCK as u32 })
            }
            Given::Pattern => writer.region("pattern", Role::Input, Length::Constant(batch)),
            other => writer.given(other, None),
        });
        let given: Vec<RegionId> = given.collect();
        writer.function.parameters.push(Parameter::Register(bytes));
        let results: Vec<RegionId> =
            plan.results.iter().map(|_| writer.region("result", Role::Output, length)).collect();
        let sums: Vec<RegionId> = plan.sums.iter().map(|_| writer.given(&Given::Carried, None)).collect();
        let mut steps = Vec::new();
        let mut locals = Vec::new();
        let mut same = BTreeMap::new();
        let mut state = State::default();
        for (number, (one, &region)) in plan.given.iter().zip(&given).enumerate() {
            match one {
                Given::Same => {
                    same.insert(number, writer.load_same(region, &mut steps)?);
                }
                Given::Number => {
                    let first = writer.load_same(region, &mut steps)?;
                    let first = writer.spread(first, &mut steps)?;
                    state.going.insert(number, vec![first]);
                }
                Given::Orbit(map) => {
                    let first = writer.load_same(region, &mut steps)?;
                    let first = self.begun(map, first, &mut writer, (&mut steps, &mut locals))?;
                    state.going.insert(number, vec![first]);
                }
                _ => {}
            }
        }
        for &region in &sums {
            let first = writer.load_same(region, &mut steps)?;
            state.sums.push(self.first_alone(first, &mut writer, (&mut steps, &mut locals))?);
        }
        let mask = match plan.tells_last() && self.in_register() > 1 {
            true => {
                let ones = |byte: u32| if byte < register - BLOCK as u32 { 0 } else { 0xff };
                Some(writer.constant((0..register).map(ones).collect())?)
            }
            false => None,
        };
        let fixed: BTreeSet<RegisterId> = same.values().copied().chain(mask).collect();
        let mut regions = [given.clone(), results];
        let mut left = bytes;
        for (turn, (body, groups)) in bodies.iter().enumerate() {
            let batch = register * *groups as u32;
            let trips = match is_of_turns {
                true => bytes,
                false => writer.public("turns", Public::Quotient { of: left, by: batch }, &mut steps),
            };
            if turn + 1 < bodies.len() {
                self.fill(plan, *groups, trips, &mut state, &mut writer, &mut steps)?;
            }
            let induction = writer.induction();
            let place = |group: usize| Affine {
                constant: i64::from(register) * group as i64,
                terms: vec![(induction, i64::from(register) * *groups as i64)],
            };
            let mut inside = Vec::new();
            let mut arguments = Vec::new();
            let mut carried: Vec<(usize, Vec<RegisterId>)> = Vec::new();
            for (number, (one, &region)) in plan.given.iter().zip(&regions[0]).enumerate() {
                arguments.push(match one {
                    Given::Each | Given::Pattern => {
                        let mut loaded = Vec::new();
                        for group in 0..*groups {
                            let place = match one {
                                Given::Each => place(group),
                                _ => Affine::constant(place(group).constant),
                            };
                            loaded.push(writer.load(region, place, &mut inside)?);
                        }
                        Argument::Registers(loaded)
                    }
                    Given::Same => Argument::Registers(vec![same[&number]]),
                    Given::Turn => {
                        let index = Affine { constant: 0, terms: vec![(induction, BLOCK as i64)] };
                        let (row, result) = (self.row(Meaning::Broadcast, 128)?, writer.register("turn"));
                        inside.push(Step::Load { row, result, address: Address { region, index } });
                        Argument::Registers(vec![result])
                    }
                    Given::Carried | Given::Chosen => {
                        return Err(Refusal::new("what is carried, or chosen, in a map"));
                    }
                    Given::Number | Given::Orbit(_) => {
                        let count = if *one == Given::Number { 1 } else { *groups };
                        let registers: Vec<RegisterId> =
                            (0..count).map(|_| writer.register("going")).collect();
                        carried.push((number, registers.clone()));
                        Argument::Registers(registers)
                    }
                    Given::Keys(_) => Argument::Memory(region),
                });
            }
            arguments.extend(mask.map(|mask| Argument::Registers(vec![mask])));
            let added: Vec<RegisterId> = sums.iter().map(|_| writer.register("sum")).collect();
            arguments.extend(added.iter().map(|&sum| Argument::Registers(vec![sum])));
            let made = regions[1].len() + sums.len();
            arguments.extend(vec![Argument::Results; made + carried.len()]);
            let spliced = writer.splice(body, &arguments, &fixed)?;
            steps.extend(spliced.before);
            inside.extend(spliced.steps);
            let (made, next) = spliced.results.split_at(made);
            let (made, summed) = made.split_at(regions[1].len());
            for (registers, &region) in made.iter().zip(&regions[1]) {
                for (group, &value) in registers.iter().enumerate() {
                    inside.push(writer.store(region, place(group), value)?);
                }
            }
            let mut goes_on = Vec::new();
            for ((number, registers), next) in carried.iter().zip(next) {
                let initial = state.going.get(number).into_iter().flatten();
                goes_on.extend(
                    registers.iter().zip(initial).zip(next).map(|((&register, &initial), &next)| Carried {
                        register,
                        initial,
                        next,
                    }),
                );
            }
            for ((&register, &initial), next) in added.iter().zip(&state.sums).zip(summed) {
                let next = *next.first().ok_or_else(|| Refusal::new("a sum without a register"))?;
                goes_on.push(Carried { register, initial, next });
            }
            // A pattern's last block may be that of another position.
            let mut read: BTreeSet<RegisterId> = goes_on.iter().map(|one| one.next).collect();
            for step in &inside {
                step.reads(&mut |register| {
                    read.insert(register);
                });
            }
            inside.retain(|step| !matches!(step, Step::Load { result, .. } if !read.contains(result)));
            steps.push(Step::Loop(Loop {
                induction,
                trips: Trips::Public(trips),
                carried: goes_on,
                body: Block { locals: spliced.locals, steps: inside },
            }));
            state = State { going: carried.into_iter().collect(), sums: added };
            if turn + 1 < bodies.len() {
                // What is left of the strings.
                let rest = writer.public("rest", Public::Remainder { of: left, by: batch }, &mut steps);
                let done = Public::Sum { constant: 0, terms: vec![(left, 1), (rest, -1)] };
                let done = writer.public("done", done, &mut steps);
                for region in regions.iter_mut().flatten() {
                    if matches!(writer.function.region(*region).length, Length::Public { .. }) {
                        *region = writer.view(*region, done, rest, &mut steps);
                    }
                }
                left = rest;
            }
        }
        for (number, (one, &region)) in plan.given.iter().zip(&given).enumerate() {
            if let (Given::Orbit(_), Some(last)) = (one, state.going.get(&number).and_then(|all| all.first()))
            {
                steps.extend(writer.store_block(region, *last, &mut locals)?);
            }
        }
        for (&sum, &region) in state.sums.iter().zip(&sums) {
            let sum = self.sum_of_blocks(sum, &mut writer, (&mut steps, &mut locals))?;
            steps.extend(writer.store_block(region, sum, &mut locals)?);
        }
        writer.function.body = Block { locals, steps };
        Ok(writer.finish(files))
    }
}
