//! A loop over the positions of a message as a function: whole registers of blocks, several at once where there are many.

use crate::machine::Machine;
use crate::node::Blocks;
use crate::plan::{Given, Plan, Refusal};
use crate::splice::Argument;
use crate::writer::Writer;
use std::collections::{BTreeMap, BTreeSet};
use usuba_ir::program::Affine;
use usuba_machine::program::{
    Block, Carried, Function, Length, Loop, Parameter, Program, Public, RegionId, RegisterId, Role, Step,
    Trips,
};

/// Bytes of a block.
const BLOCK: usize = 16;

impl Machine<'_> {
    /// The program of Usuba0 whose entry does a plan for so many registers of positions; if more follow, its last outputs are
    /// their first numbers.
    fn body(&self, plan: &Plan, groups: usize, goes_on: bool) -> Result<(Function, Vec<String>), Refusal> {
        self.function(&plan.ciphers(), groups, &mut |maker| {
            let mut next = Vec::new();
            let slots = self.slots(plan, maker, &mut next)?;
            for (number, blocks) in plan.made(&slots)?.into_iter().enumerate() {
                let blocks = match blocks {
                    Blocks::Same(value) if groups > 1 => Blocks::Each(vec![value; groups]),
                    other => other,
                };
                maker.output(&format!("result{number}"), &blocks);
            }
            for (number, blocks) in next.iter().enumerate().filter(|_| goes_on) {
                maker.output(&format!("next{number}"), blocks);
            }
            Ok(())
        })
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

    /// A function that does a plan for many positions: `name(given…, bytes, results…)`. So many bytes are the positions: whole
    /// registers of blocks. `groups` registers are computed at once as long as there are so many.
    ///
    /// # Errors
    /// The target lacks something, or the plan is beyond blocks.
    pub fn positions(&self, plan: &Plan, name: &str, groups: usize) -> Result<Program, Refusal> {
        let ((many, files), (one, _)) = (self.body(plan, groups, true)?, self.body(plan, 1, true)?);
        let mut writer = Writer::new(self, name);
        let bytes = writer.count("bytes");
        let given: Vec<RegionId> = plan.given.iter().map(|given| writer.given(given, Some(bytes))).collect();
        writer.function.parameters.push(Parameter::Register(bytes));
        let length = Length::Public { count: bytes, factor: 1 };
        let results: Vec<RegionId> =
            plan.results.iter().map(|_| writer.region("result", Role::Output, length)).collect();
        let register = self.target.register_bits / 8;
        let batch = register * groups as u32;
        let mut steps = Vec::new();
        let mut same = BTreeMap::new();
        let mut numbers: Vec<RegisterId> = Vec::new();
        for (number, (one, &region)) in plan.given.iter().zip(&given).enumerate() {
            match one {
                Given::Same => {
                    same.insert(number, writer.load_same(region, &mut steps)?);
                }
                Given::Number => {
                    let first = writer.load_same(region, &mut steps)?;
                    numbers.push(writer.spread(first, &mut steps)?);
                }
                Given::Each | Given::Keys(_) | Given::Carried => {}
            }
        }
        let fixed: BTreeSet<RegisterId> = same.values().copied().collect();
        let batches = writer.public("batches", Public::Quotient { of: bytes, by: batch }, &mut steps);
        let rest = writer.public("rest", Public::Remainder { of: bytes, by: batch }, &mut steps);
        let done = Public::Sum { constant: 0, terms: vec![(bytes, 1), (rest, -1)] };
        let done = writer.public("done", done, &mut steps);
        let turns = writer.public("turns", Public::Quotient { of: rest, by: register }, &mut steps);
        let mut regions = [given.clone(), results.clone()];
        for (turn, (body, trips, groups)) in
            [(&many, batches, groups), (&one, turns, 1)].into_iter().enumerate()
        {
            if turn == 1 {
                // What is left of the strings.
                for region in regions.iter_mut().flatten() {
                    if matches!(writer.function.region(*region).length, Length::Public { .. }) {
                        *region = writer.view(*region, done, rest, &mut steps);
                    }
                }
            }
            let [given, results] = &regions;
            let induction = writer.induction();
            let place = |group: usize| Affine {
                constant: i64::from(register) * group as i64,
                terms: vec![(induction, i64::from(register) * groups as i64)],
            };
            let mut inside = Vec::new();
            let mut arguments = Vec::new();
            let mut carried: Vec<RegisterId> = Vec::new();
            for (number, (one, &region)) in plan.given.iter().zip(given).enumerate() {
                arguments.push(match one {
                    Given::Each => {
                        let mut loaded = Vec::new();
                        for group in 0..groups {
                            loaded.push(writer.load(region, place(group), &mut inside)?);
                        }
                        Argument::Registers(loaded)
                    }
                    Given::Same => Argument::Registers(vec![same[&number]]),
                    Given::Carried => return Err(Refusal::new("what is carried, in a map")),
                    Given::Number => {
                        carried.push(writer.register("number"));
                        Argument::Registers(vec![carried[carried.len() - 1]])
                    }
                    Given::Keys(_) => Argument::Memory(region),
                });
            }
            arguments.extend(vec![Argument::Results; results.len() + carried.len()]);
            let spliced = writer.splice(body, &arguments, &fixed)?;
            steps.extend(spliced.before);
            inside.extend(spliced.steps);
            let (made, next) = spliced.results.split_at(results.len());
            for (registers, &region) in made.iter().zip(results) {
                for (group, &value) in registers.iter().enumerate() {
                    inside.push(writer.store(region, place(group), value)?);
                }
            }
            let next = next.iter().map(|next| next.first().copied());
            let next = next.collect::<Option<Vec<_>>>().unwrap_or_default();
            let goes_on = carried.iter().zip(&numbers).zip(next);
            let goes_on =
                goes_on.map(|((&register, &initial), next)| Carried { register, initial, next }).collect();
            steps.push(Step::Loop(Loop {
                induction,
                trips: Trips::Public(trips),
                carried: goes_on,
                body: Block { locals: spliced.locals, steps: inside },
            }));
            numbers = carried;
        }
        writer.function.body = Block { locals: Vec::new(), steps };
        Ok(writer.finish(files))
    }
}
