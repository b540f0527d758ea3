//! Sections of a linear scan: positions whose products by descending powers of the factor are added up before anything is reduced.
//!
//! Of a section of n positions, the one numbered i is multiplied by factor^(n - i). The powers lie in memory from the highest to the
//! first, with zeros behind them, and after those their second forms ([`Staggered`]) in the same way, so that a section begins at the n-th from the end, whatever n is, and a register of positions is
//! multiplied by a register of powers. Blocks that are not there are zeros, and add nothing. What several strings add may be one
//! section. A sum in front of a section, one in each place of a register, is multiplied by factor^n.

use crate::machine::Machine;
use crate::montgomery::{Staggered, montgomery, preparation, second_preparation};
use crate::node::Blocks;
use crate::plan::{Given, Plan, Refusal};
use crate::scan::turn;
use crate::splice::Argument;
use crate::writer::Writer;
use std::collections::{BTreeMap, BTreeSet};
use usuba_algebra::product::Product;
use usuba_ir::program::{Affine, BinaryOp, InductionId};
use usuba_machine::program::{
    Block, Carried, Function, Length, Loop, Parameter, Program, Public, RegionId, RegisterId, Role, Step,
    Trips,
};
use usuba_target::Meaning;

/// Registers of positions in the longest section.
pub const LONGEST: u32 = 16;

/// Registers of powers: those of the longest section, and of a block or more before it.
pub const HIGHEST: u32 = LONGEST + 1;

/// Registers of positions that are computed at once where there are as many.
const GROUPS: u32 = 4;

/// Registers that may be read behind the place of the first power.
const READ: u32 = LONGEST + GROUPS + 1;

/// Registers of memory from powers of a factor to their second forms: zeros between them.
pub const TABLE: u32 = HIGHEST + 1;

/// Registers of memory that both take, zeros behind them included.
pub const TABLES: u32 = TABLE + HIGHEST + READ;

/// Bytes of a block.
const BLOCK: u32 = 16;

/// The names of the parts of an unreduced sum ([`Staggered`]).
pub(crate) const PARTS: [&str; 2] = ["low", "high"];

impl Machine<'_> {
    /// Whether there are sections on the machine: several blocks in a register, of which a part can be loaded and stored.
    pub fn has_sections(&self) -> bool {
        self.in_register() > 1 && self.target.instruction(Meaning::LoadPart, 8).is_some()
    }

    pub(crate) fn bytes(&self) -> u32 {
        self.target.register_bits / 8
    }

    /// Code on a function's own registers: parts of a sum, then powers, then perhaps a mask, and what a plan is given; it makes the
    /// results of the plan, the parts, and the numbers of what follows.
    fn adding(
        &self,
        plan: &Plan,
        product: &Product,
        groups: u32,
        is_masked: bool,
    ) -> Result<(Function, Vec<String>), Refusal> {
        self.function(&plan.ciphers(), groups as usize, &mut |maker| {
            let parts = PARTS.map(|name| maker.same(name).values()[0]);
            let [powers, second] = ["powers", "second"].map(|name| maker.each(name).values().to_vec());
            let mask = is_masked.then(|| maker.same("mask"));
            let mut numbers = Vec::new();
            let slots = self.slots(plan, maker, &mut numbers)?;
            let made = plan.made(&slots)?;
            let (added, results) = made.split_last().ok_or_else(|| Refusal::new("nothing is added"))?;
            let added = match mask {
                Some(mask) => maker.two(added, &mask, |node, a, b| node.binary(BinaryOp::And, a, b)),
                None => added.clone(),
            };
            let added = turn(maker, product, false, &added)?;
            let mut sum = Staggered::of_parts(parts);
            let powers = powers.into_iter().zip(second);
            for (&one, (power, second)) in added.values().iter().cycle().zip(powers) {
                let one = Staggered::of(&mut maker.node, one, [power, second]);
                sum = sum.plus(&mut maker.node, one);
            }
            let parts = sum.parts().map(Blocks::Same);
            for (number, blocks) in results.iter().chain(&parts).chain(&numbers).enumerate() {
                maker.output(&format!("made{number}"), blocks);
            }
            Ok(())
        })
    }

    /// A function that adds up products: `name(given…, powers, ones, bytes, low, middle, high, results…)`. So many bytes are the
    /// positions, of which the last may be shorter, at most [`LONGEST`] registers. `powers` begins with that of the first position;
    /// `ones` has 255 in all bytes of a register. The plan makes the results of each position, and then the block that is added.
    ///
    /// # Errors
    /// The target lacks something, or the plan is beyond blocks.
    pub fn added(&self, plan: &Plan, product: &Product, name: &str) -> Result<Program, Refusal> {
        let register = self.bytes();
        let is_loaded =
            plan.next.iter().all(|&slot| plan.given.get(slot).is_some_and(|given| *given == Given::Each));
        let (many, files) = self.adding(plan, product, GROUPS, false)?;
        let (one, _) = self.adding(plan, product, 1, false)?;
        let (part, _) = self.adding(plan, product, 1, !is_loaded)?;
        let mut writer = Writer::new(self, name);
        let bytes = writer.count("bytes");
        let given: Vec<RegionId> = plan.given.iter().map(|given| writer.given(given, Some(bytes))).collect();
        let powers = writer.region("powers", Role::Input, Length::Constant((TABLE + READ) * register));
        let ones = writer.region("ones", Role::Input, Length::Constant(register));
        writer.function.parameters.push(Parameter::Register(bytes));
        let parts = PARTS.map(|name| writer.region(name, Role::Changed, Length::Constant(register)));
        let length = Length::Public { count: bytes, factor: 1 };
        let results: Vec<RegionId> =
            plan.results.iter().map(|_| writer.region("result", Role::Output, length)).collect();
        let mut steps = Vec::new();
        let mut same = BTreeMap::new();
        let mut carried = Vec::new();
        for &region in &parts {
            carried.push(writer.load(region, Affine::constant(0), &mut steps)?);
        }
        for (number, (one, &region)) in plan.given.iter().zip(&given).enumerate() {
            match one {
                Given::Same => {
                    same.insert(number, writer.load_same(region, &mut steps)?);
                }
                Given::Number => {
                    let first = writer.load_same(region, &mut steps)?;
                    carried.push(writer.spread(first, &mut steps)?);
                }
                _ => {}
            }
        }
        let fixed: BTreeSet<RegisterId> = same.values().copied().collect();
        let bound = LONGEST * register;
        let mut left = writer.public("now", Public::Least { of: bytes, bound }, &mut steps);
        let mut turn = Turn { plan, same, fixed, given, results, powers, ones, carried };
        // If there is a whole register: short strings go by.
        let mut wholes = writer.public("wholes", Public::Quotient { of: left, by: register }, &mut steps);
        wholes = writer.public("any", Public::Least { of: wholes, bound: 1 }, &mut steps);
        let rest = writer.public("part", Public::Remainder { of: left, by: register }, &mut steps);
        let behind = Public::Sum { constant: 0, terms: vec![(left, 1), (rest, -1)] };
        let behind = writer.public("behind", behind, &mut steps);
        let only = writer.induction();
        let (before, all) = (turn.carried.clone(), turn.regions());
        let entered = renewed(&mut writer, &before);
        turn.carried.clone_from(&entered);
        let mut inside = Block::default();
        for (body, groups) in [(&many, GROUPS), (&one, 1)] {
            let batch = register * groups;
            let turns = writer.public("turns", Public::Quotient { of: left, by: batch }, &mut inside.steps);
            turn.go(&mut writer, body, turns, groups, None, &mut inside.steps)?;
            if groups > 1 {
                let after = Public::Remainder { of: left, by: batch };
                let after = writer.public("after", after, &mut inside.steps);
                let done = Public::Sum { constant: 0, terms: vec![(left, 1), (after, -1)] };
                let done = writer.public("done", done, &mut inside.steps);
                turn.go_on(&mut writer, done, after, groups, &mut inside.steps);
                left = after;
            }
        }
        let next = turn.carried.clone();
        steps.push(looped(only, Trips::Public(wholes), (&entered, &before, &next), inside));
        turn.carried = entered;
        turn.set_regions(all);
        left = rest;
        turn.go_on(&mut writer, behind, left, 1, &mut steps);
        let once = writer.public("once", Public::Least { of: left, bound: 1 }, &mut steps);
        turn.go(&mut writer, &part, once, 1, Some((left, !is_loaded)), &mut steps)?;
        for (&region, &value) in parts.iter().zip(&turn.carried) {
            steps.push(writer.store(region, Affine::constant(0), value)?);
        }
        writer.function.body = Block { locals: Vec::new(), steps };
        Ok(writer.finish(files))
    }

    /// A function that adds the product of one block: `name(block, powers, low, middle, high)`. `powers` has a register.
    ///
    /// # Errors
    /// The target lacks something; so everywhere below.
    pub fn added_block(&self, product: &Product, name: &str) -> Result<Program, Refusal> {
        let register = self.bytes();
        let plan = Plan { given: vec![Given::Same], next: vec![0], ..Plan::default() };
        let (body, files) = self.adding(&plan, product, 1, true)?;
        let mut writer = Writer::new(self, name);
        let block = writer.given(&Given::Same, None);
        let powers = writer.region("powers", Role::Input, Length::Constant((TABLE + 1) * register));
        let mut steps = Vec::new();
        let first = (0..register).map(|byte| if byte < 16 { 0xff } else { 0 }).collect();
        let mask = writer.constant(first)?;
        let block = writer.load_same(block, &mut steps)?;
        let [power, second] = self.both(&mut writer, powers, 0, &mut steps)?;
        self.onto_parts(writer, &body, &[power, second, mask, block], steps, files)
    }

    /// A function that adds the product of a block that may be shorter, zeros behind it: `name(block, bytes, powers, low, middle,
    /// high)`. `powers` has a register.
    ///
    /// # Errors
    /// See above.
    pub fn added_part(&self, product: &Product, name: &str) -> Result<Program, Refusal> {
        let plan = Plan { given: vec![Given::Each], next: vec![0], ..Plan::default() };
        let (body, files) = self.adding(&plan, product, 1, false)?;
        let mut writer = Writer::new(self, name);
        let bytes = writer.count("bytes");
        let block = writer.given(&Given::Each, Some(bytes));
        writer.function.parameters.push(Parameter::Register(bytes));
        let powers = writer.region("powers", Role::Input, Length::Constant((TABLE + 1) * self.bytes()));
        let mut steps = Vec::new();
        let count = writer.public("count", Public::Least { of: bytes, bound: 16 }, &mut steps);
        let block = writer.load_part(block, count, &mut steps)?;
        let [power, second] = self.both(&mut writer, powers, 0, &mut steps)?;
        self.onto_parts(writer, &body, &[power, second, block], steps, files)
    }

    /// A function that adds the products of the blocks of a register by one power: `name(sum, power, low, middle, high)`.
    ///
    /// # Errors
    /// See above.
    pub fn added_sum(&self, name: &str) -> Result<Program, Refusal> {
        let (body, files) = self.function(&BTreeSet::new(), 1, &mut |maker| {
            let parts = PARTS.map(|name| maker.same(name).values()[0]);
            let [sum, power, second] = ["sum", "power", "second"].map(|name| maker.same(name).values()[0]);
            let one = Staggered::of(&mut maker.node, sum, [power, second]);
            let sum = Staggered::of_parts(parts).plus(&mut maker.node, one);
            let parts = sum.parts().map(Blocks::Same);
            parts.iter().zip(PARTS).for_each(|(blocks, name)| maker.output(name, blocks));
            Ok(())
        })?;
        let mut writer = Writer::new(self, name);
        let sum = writer.region("sum", Role::Input, Length::Constant(self.bytes()));
        let behind = TABLE * self.bytes();
        let powers = writer.region("powers", Role::Input, Length::Constant(behind + BLOCK));
        let mut steps = Vec::new();
        let sum = writer.load(sum, Affine::constant(0), &mut steps)?;
        let power = writer.load_block(powers, 0, &mut steps)?;
        let second = writer.load_block(powers, i64::from(behind / BLOCK), &mut steps)?;
        self.onto_parts(writer, &body, &[sum, power, second], steps, files)
    }

    /// A register of powers, from a place of a table on, and their second forms.
    pub(crate) fn both(
        &self,
        writer: &mut Writer<'_>,
        powers: RegionId,
        at: u32,
        steps: &mut Vec<Step>,
    ) -> Result<[RegisterId; 2], Refusal> {
        let mut load = |at: u32| writer.load(powers, Affine::constant(at.into()), steps);
        Ok([load(at)?, load(TABLE * self.bytes() + at)?])
    }

    /// The end of a function whose body gets the parts of a sum and then other registers.
    fn onto_parts(
        &self,
        mut writer: Writer<'_>,
        body: &Function,
        others: &[RegisterId],
        mut steps: Vec<Step>,
        files: Vec<String>,
    ) -> Result<Program, Refusal> {
        let length = Length::Constant(self.bytes());
        let parts = PARTS.map(|name| writer.region(name, Role::Changed, length));
        let mut arguments = Vec::new();
        for &region in &parts {
            let value = writer.load(region, Affine::constant(0), &mut steps)?;
            arguments.push(Argument::Registers(vec![value]));
        }
        arguments.extend(others.iter().map(|&register| Argument::Registers(vec![register])));
        arguments.extend(vec![Argument::Results; parts.len()]);
        let spliced = writer.splice(body, &arguments, &BTreeSet::new())?;
        steps.extend(spliced.before);
        steps.extend(spliced.steps);
        for (&region, made) in parts.iter().zip(&spliced.results) {
            let value = *made.first().ok_or_else(|| Refusal::new("a part without a register"))?;
            steps.push(writer.store(region, Affine::constant(0), value)?);
        }
        writer.function.body = Block { locals: spliced.locals, steps };
        Ok(writer.finish(files))
    }

    /// A function that reduces a sum: `name(low, middle, high, sum)`, a sum in each place of a register.
    ///
    /// # Errors
    /// See above.
    pub fn reduced(&self, name: &str) -> Result<Program, Refusal> {
        let (body, files) = self.function(&BTreeSet::new(), 1, &mut |maker| {
            let parts = PARTS.map(|name| maker.same(name).values()[0]);
            let sum = Staggered::of_parts(parts).reduced(&mut maker.node);
            maker.output("sum", &Blocks::Same(sum));
            Ok(())
        })?;
        let mut writer = Writer::new(self, name);
        let length = Length::Constant(self.bytes());
        let (mut steps, mut arguments) = (Vec::new(), Vec::new());
        for name in PARTS {
            let region = writer.region(name, Role::Input, length);
            let value = writer.load(region, Affine::constant(0), &mut steps)?;
            arguments.push(Argument::Registers(vec![value]));
        }
        let sum = writer.region("sum", Role::Output, length);
        arguments.push(Argument::Results);
        let spliced = writer.splice(&body, &arguments, &BTreeSet::new())?;
        steps.extend(spliced.before);
        steps.extend(spliced.steps);
        for made in spliced.results.iter().flatten() {
            steps.push(writer.store(sum, Affine::constant(0), *made)?);
        }
        writer.function.body = Block { locals: spliced.locals, steps };
        Ok(writer.finish(files))
    }

    /// A function that adds the sums in all places of a register: `name(sum, [lead], block)`. `with_lead`: the first block of another
    /// register is added to it.
    ///
    /// # Errors
    /// See above.
    pub fn folded(&self, product: &Product, with_lead: bool, name: &str) -> Result<Program, Refusal> {
        let register = self.bytes();
        let (body, files) = self.function(&BTreeSet::new(), 1, &mut |maker| {
            let sum = maker.same("sum");
            let lead = with_lead.then(|| maker.same("lead"));
            let mut sum = turn(maker, product, true, &sum)?;
            if let Some(lead) = lead {
                sum = maker.xor(&sum, &lead);
            }
            maker.output("folded", &sum);
            Ok(())
        })?;
        let mut writer = Writer::new(self, name);
        let sum = writer.region("sum", Role::Input, Length::Constant(register));
        let lead = with_lead.then(|| writer.region("lead", Role::Input, Length::Constant(register)));
        let block = writer.given(&Given::Carried, None);
        let mut steps = Vec::new();
        let mut sum = writer.load(sum, Affine::constant(0), &mut steps)?;
        let blocks = self.in_register() as u32;
        let mut distance = blocks / 2;
        while distance > 0 {
            // Each place and the one so far from it, round about.
            let immediate = Some(self.groups(|place| place ^ distance));
            let (row, other) = (self.row(Meaning::PermuteGroups, 0)?, writer.register("other"));
            steps.push(Step::Compute { row, result: other, operands: vec![sum], immediate });
            let (row, result) = (self.row(Meaning::Xor, 0)?, writer.register("sum"));
            steps.push(Step::Compute { row, result, operands: vec![sum, other], immediate: None });
            sum = result;
            distance /= 2;
        }
        let mut arguments = vec![Argument::Registers(vec![sum])];
        if let Some(lead) = lead {
            arguments.push(Argument::Registers(vec![writer.load(lead, Affine::constant(0), &mut steps)?]));
        }
        arguments.push(Argument::Results);
        let spliced = writer.splice(&body, &arguments, &BTreeSet::new())?;
        steps.extend(spliced.before);
        steps.extend(spliced.steps);
        let mut locals = spliced.locals;
        for made in spliced.results.iter().flatten() {
            steps.extend(writer.store_block(block, *made, &mut locals)?);
        }
        writer.function.body = Block { locals, steps };
        Ok(writer.finish(files))
    }

    /// A function that makes the powers of a factor, from factor^n to factor^1, n being the blocks of [`HIGHEST`] registers:
    /// `name(given…, powers)`. The plan makes the factor as Montgomery's product wants it.
    ///
    /// # Errors
    /// See above; or the product is modulo another polynomial.
    pub fn descending(&self, plan: &Plan, product: &Product, name: &str) -> Result<Program, Refusal> {
        let (blocks, register) = (self.in_register(), self.bytes());
        let prepared =
            preparation(product).ok_or_else(|| Refusal::new("a product modulo another polynomial"))?;
        let second =
            second_preparation(product).ok_or_else(|| Refusal::new("a product modulo another polynomial"))?;
        // The lowest powers, each in its place, and that of a whole register in all places.
        let (lowest, files) = self.function(&plan.ciphers(), 1, &mut |maker| {
            let masks: Vec<Blocks> = (0..blocks).map(|place| maker.same(&format!("mask{place}"))).collect();
            let slots = self.slots(plan, maker, &mut Vec::new())?;
            let made = plan.made(&slots)?;
            let first = made.first().ok_or_else(|| Refusal::new("no factor"))?.values()[0];
            let node = &mut maker.node;
            let ready = prepared.apply(node, first);
            let (mut last, mut all) =
                (first, node.binary(BinaryOp::And, first, masks[blocks - 1].values()[0]));
            for place in (0..blocks - 1).rev() {
                last = montgomery(node, last, ready);
                let one = node.binary(BinaryOp::And, last, masks[place].values()[0]);
                all = node.binary(BinaryOp::Xor, all, one);
            }
            let by = prepared.apply(node, last);
            maker.output("lowest", &Blocks::Same(all));
            maker.output("by", &Blocks::Same(by));
            Ok(())
        })?;
        let (next, _) = self.function(&BTreeSet::new(), 1, &mut |maker| {
            let (power, by) = (maker.same("power"), maker.same("by"));
            let ready = maker.one(&power, |node, power| prepared.apply(node, power));
            let shifted = maker.one(&power, |node, power| second.apply(node, power));
            let next = maker.two(&power, &by, montgomery);
            maker.output("ready", &ready);
            maker.output("shifted", &shifted);
            maker.output("next", &next);
            Ok(())
        })?;
        let mut writer = Writer::new(self, name);
        let given: Vec<RegionId> = plan.given.iter().map(|given| writer.given(given, None)).collect();
        let length = Length::Constant((TABLE + HIGHEST) * register);
        let powers = writer.region("powers", Role::Output, length);
        let (mut steps, mut arguments) = (Vec::new(), Vec::new());
        for place in 0..blocks as u32 {
            let mask = (0..register).map(|byte| if byte / 16 == place { 0xff } else { 0 }).collect();
            arguments.push(Argument::Registers(vec![writer.constant(mask)?]));
        }
        for (one, &region) in plan.given.iter().zip(&given) {
            arguments.push(match one {
                Given::Keys(_) => Argument::Memory(region),
                _ => Argument::Registers(vec![writer.load_same(region, &mut steps)?]),
            });
        }
        arguments.extend(vec![Argument::Results; 2]);
        let spliced = writer.splice(&lowest, &arguments, &BTreeSet::new())?;
        let mut locals = spliced.locals;
        steps.extend(spliced.before);
        steps.extend(spliced.steps);
        let single = |results: &[Vec<RegisterId>]| -> Result<Vec<RegisterId>, Refusal> {
            let first = |one: &Vec<RegisterId>| one.first().copied();
            let all: Option<Vec<RegisterId>> = results.iter().map(first).collect();
            all.ok_or_else(|| Refusal::new("a power without a register"))
        };
        let [initial, by] = single(&spliced.results)?[..] else { return Err(Refusal::new("no powers")) };
        let induction = writer.induction();
        let power = writer.register("power");
        let arguments = [power, by].map(|register| Argument::Registers(vec![register]));
        let arguments: Vec<Argument> = arguments.into_iter().chain(vec![Argument::Results; 3]).collect();
        let spliced = writer.splice(&next, &arguments, &[by].into())?;
        steps.extend(spliced.before);
        let [ready, shifted, next] = single(&spliced.results)?[..] else {
            return Err(Refusal::new("no powers"));
        };
        let mut inside = spliced.steps;
        for (value, table) in [(ready, 0), (shifted, TABLE)] {
            let place = Affine {
                constant: i64::from(register * (table + HIGHEST - 1)),
                terms: vec![(induction, -i64::from(register))],
            };
            inside.push(writer.store(powers, place, value)?);
        }
        steps.push(Step::Loop(Loop {
            induction,
            trips: Trips::Constant(HIGHEST),
            carried: vec![Carried { register: power, initial, next }],
            body: Block { locals: spliced.locals, steps: inside },
        }));
        locals.dedup();
        writer.function.body = Block { locals, steps };
        Ok(writer.finish(files))
    }
}

/// Straight code whose loads stand before what needs them, so that registers are not taken before.
pub(crate) fn late(steps: Vec<Step>) -> Vec<Step> {
    let mut waiting: Vec<(RegisterId, Step)> = Vec::new();
    let mut made = Vec::new();
    for step in steps {
        if let Step::Load { result, .. } | Step::LoadPart { result, .. } = &step {
            waiting.push((*result, step));
            continue;
        }
        // What is written may be what is read.
        let is_plain = matches!(
            step,
            Step::Compute { .. } | Step::Constant { .. } | Step::Count { .. } | Step::View { .. }
        );
        let mut read = BTreeSet::new();
        step.reads(&mut |register| {
            read.insert(register);
        });
        let (now, later): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|(register, _)| !is_plain || read.contains(register));
        made.extend(now.into_iter().map(|(_, load)| load));
        waiting = later;
        made.push(step);
    }
    made.extend(waiting.into_iter().map(|(_, load)| load));
    made
}

/// A loop whose carried registers are `inside`, at first `initial` and then `next`.
pub(crate) fn looped(
    induction: InductionId,
    trips: Trips,
    (inside, initial, next): (&[RegisterId], &[RegisterId], &[RegisterId]),
    body: Block,
) -> Step {
    let carried = inside.iter().zip(initial).zip(next);
    let carried = carried.map(|((&register, &initial), &next)| Carried { register, initial, next }).collect();
    Step::Loop(Loop { induction, trips, carried, body })
}

pub(crate) fn renewed(writer: &mut Writer<'_>, registers: &[RegisterId]) -> Vec<RegisterId> {
    registers.iter().map(|&one| Function::another(&mut writer.function.registers, one)).collect()
}

/// What goes from turn to turn of a section.
struct Turn<'p> {
    plan: &'p Plan,
    same: BTreeMap<usize, RegisterId>,
    fixed: BTreeSet<RegisterId>,
    given: Vec<RegionId>,
    results: Vec<RegionId>,
    powers: RegionId,
    ones: RegionId,
    /// The parts of the sum, then numbers.
    carried: Vec<RegisterId>,
}

impl Turn<'_> {
    fn regions(&self) -> (Vec<RegionId>, Vec<RegionId>, RegionId) {
        (self.given.clone(), self.results.clone(), self.powers)
    }

    fn set_regions(&mut self, (given, results, powers): (Vec<RegionId>, Vec<RegionId>, RegionId)) {
        (self.given, self.results, self.powers) = (given, results, powers);
    }

    /// Leaves the first `done` bytes of all strings and powers behind; `left` follow, fewer than so many registers.
    fn go_on(
        &mut self,
        writer: &mut Writer<'_>,
        done: RegisterId,
        left: RegisterId,
        groups: u32,
        steps: &mut Vec<Step>,
    ) {
        for region in self.given.iter_mut().chain(&mut self.results) {
            if matches!(writer.function.region(*region).length, Length::Public { .. }) {
                *region = writer.view(*region, done, left, steps);
            }
        }
        let register = writer.machine.target.register_bits / 8;
        let room = register * if groups == 1 { 1 } else { groups + 1 };
        let room = TABLE * register + room;
        self.powers = writer.view_of(self.powers, done, Length::Constant(room), steps);
    }

    /// A loop over so many registers a turn; `part`: the bytes of the one register that is not whole, and whether what is added is
    /// masked.
    fn go(
        &mut self,
        writer: &mut Writer<'_>,
        body: &Function,
        trips: RegisterId,
        groups: u32,
        part: Option<(RegisterId, bool)>,
        steps: &mut Vec<Step>,
    ) -> Result<(), Refusal> {
        let register = i64::from(writer.machine.target.register_bits / 8);
        let induction = writer.induction();
        let place = |group: u32| match part {
            Some(_) => Affine::constant(0),
            None => Affine {
                constant: register * i64::from(group),
                terms: vec![(induction, register * i64::from(groups))],
            },
        };
        let inside: Vec<RegisterId> =
            self.carried.iter().map(|&one| Function::another(&mut writer.function.registers, one)).collect();
        let mut done = Vec::new();
        let mut arguments: Vec<Argument> =
            inside[..PARTS.len()].iter().map(|&part| Argument::Registers(vec![part])).collect();
        for table in [0, TABLE] {
            let behind = register * i64::from(table);
            let mut powers = Vec::new();
            for group in 0..groups {
                let mut at = place(group);
                at.constant += behind;
                powers.push(writer.load(self.powers, at, &mut done)?);
            }
            arguments.push(Argument::Registers(powers));
        }
        if let Some((count, true)) = part {
            let mask = writer.load_part(self.ones, count, &mut done)?;
            arguments.push(Argument::Registers(vec![mask]));
        }
        let mut numbers = inside[PARTS.len()..].iter();
        for (number, (one, &region)) in self.plan.given.iter().zip(&self.given).enumerate() {
            arguments.push(match one {
                Given::Each => {
                    let mut loaded = Vec::new();
                    for group in 0..groups {
                        loaded.push(match part {
                            Some((count, _)) => writer.load_part(region, count, &mut done)?,
                            None => writer.load(region, place(group), &mut done)?,
                        });
                    }
                    Argument::Registers(loaded)
                }
                Given::Keys(_) => Argument::Memory(region),
                Given::Number => Argument::Registers(numbers.next().copied().into_iter().collect()),
                _ => Argument::Registers(self.same.get(&number).copied().into_iter().collect()),
            });
        }
        arguments.extend(vec![Argument::Results; self.results.len() + inside.len()]);
        let spliced = writer.splice(body, &arguments, &self.fixed)?;
        steps.extend(spliced.before);
        done.extend(spliced.steps);
        for (registers, &region) in spliced.results.iter().zip(&self.results) {
            for (&value, group) in registers.iter().zip(0..) {
                done.push(match part {
                    Some((count, _)) => writer.store_part(region, value, count)?,
                    None => writer.store(region, place(group), value)?,
                });
            }
        }
        let next = spliced.results[self.results.len()..].iter().filter_map(|made| made.first().copied());
        let carried = inside.iter().zip(&self.carried).zip(next);
        let carried =
            carried.map(|((&register, &initial), next)| Carried { register, initial, next }).collect();
        steps.push(Step::Loop(Loop {
            induction,
            trips: Trips::Public(trips),
            carried,
            body: Block { locals: spliced.locals, steps: late(done) },
        }));
        self.carried = inside;
        Ok(())
    }
}
