//! Groups: a text of any length that begins with a block before it ([`crate::stretch`]), in groups of registers. A turn computes a
//! group and adds up the products of a group, of the one before it where what is added is made: those need nothing of the rounds
//! that they stand between. Each turn reduces its sum, which has a place for each block of a register.

use crate::first_round::{FIRST, Kept, most};
use crate::machine::Machine;
use crate::montgomery::Staggered;
use crate::node::{Blocks, Maker};
use crate::overlap::overlapped;
use crate::plan::{Given, Plan, Refusal, Slot};
use crate::scan::turn;
use crate::section::{PARTS, TABLE, late, looped, renewed};
use crate::splice::Argument;
use crate::spread::{Tail, is_round, mingled};
use crate::stretch::{BLOCK, STRETCH, is_loaded};
use crate::writer::Writer;
use std::collections::{BTreeMap, BTreeSet};
use usuba_algebra::product::Product;
use usuba_codegen::Scheduling;
use usuba_ir::program::{Affine, BinaryOp, ValueId};
use usuba_machine::program::{
    Block, Function, Length, Parameter, Program, Public, RegionId, RegisterId, Role, Step, Trips,
};

/// Blocks of a group, of registers of so many blocks.
pub const fn blocks(in_register: usize) -> usize {
    STRETCH as usize * in_register
}

/// The fewest registers that are left behind groups: the sum is added to a whole register, which the group before it is where the
/// products of that are left too.
pub(crate) fn least(plan: &Plan) -> u32 {
    if is_loaded(plan) { 2 } else { 1 }
}

/// What goes from group to group.
#[derive(Clone)]
struct State {
    /// A sum in each place of a register, if there is one.
    sum: Vec<RegisterId>,
    /// What the last group adds, as it is multiplied, if that has not been done.
    pending: Vec<RegisterId>,
    /// The numbers of the next positions.
    numbers: Vec<RegisterId>,
}

impl State {
    fn all(&self) -> Vec<RegisterId> {
        [&self.sum[..], &self.pending, &self.numbers].concat()
    }

    fn renewed(&self, writer: &mut Writer<'_>) -> State {
        let all = renewed(writer, &self.all());
        let (sum, rest) = all.split_at(self.sum.len());
        let (pending, numbers) = rest.split_at(self.pending.len());
        State { sum: sum.to_vec(), pending: pending.to_vec(), numbers: numbers.to_vec() }
    }
}

/// The sum of products of registers with powers, of which the first is added to a sum that there is.
fn summed(
    maker: &mut Maker,
    sum: Option<ValueId>,
    added: &[ValueId],
    powers: [&[ValueId]; 2],
) -> Result<Staggered, Refusal> {
    let node = &mut maker.node;
    let mut all: Option<Staggered> = None;
    for (number, (&one, (&power, &second))) in added.iter().zip(powers[0].iter().zip(powers[1])).enumerate() {
        let one = match sum {
            Some(sum) if number == 0 => node.binary(BinaryOp::Xor, one, sum),
            _ => one,
        };
        let one = Staggered::of(node, one, [power, second]);
        all = Some(match all {
            Some(all) => all.plus(node, one),
            None => one,
        });
    }
    all.ok_or_else(|| Refusal::new("no register"))
}

impl Machine<'_> {
    /// A function for the first groups of a text, and the block before it: `name(given…, powers, front, front_bytes, [leading], more,
    /// sum, [pending], results…, lead)`. Of strings that are given or made it has the bytes of the first group, and then those of
    /// `more` groups. `powers` has the powers that a group of blocks has, from the highest. `front`, `leading`, `lead` and numbers:
    /// see [`Machine::stretch`]. `sum` gets a sum in each place of a register, which belongs to the first register of the positions
    /// that are not multiplied; those are `pending`, of the last group, where what is added is made.
    ///
    /// # Errors
    /// The target lacks something, or the plan is beyond blocks; so everywhere below.
    pub fn in_groups(
        &self,
        plan: &Plan,
        product: &Product,
        keeps: bool,
        name: &str,
    ) -> Result<Program, Refusal> {
        let register = self.bytes();
        let group = STRETCH * register;
        let is_loaded = is_loaded(plan);
        let (first, files) = self.group(plan, product, keeps, true)?;
        let (next, _) = self.group(plan, product, keeps, false)?;
        let mut writer = Writer::new(self, name);
        let (more, front_bytes) = (writer.count("more"), writer.count("front_bytes"));
        let string = |writer: &mut Writer<'_>, name: &str, role: Role| -> [RegionId; 2] {
            let start = Length::Constant(group - BLOCK);
            let rest = Length::Public { count: more, factor: group };
            [writer.region(name, role, start), writer.region(&format!("{name}_more"), role, rest)]
        };
        let given: Vec<[RegionId; 2]> = plan
            .given
            .iter()
            .map(|one| match one {
                Given::Each => string(&mut writer, "text", Role::Input),
                other => [writer.given(other, None); 2],
            })
            .collect();
        let whole = Length::Constant(register);
        let behind = TABLE * register;
        let powers = writer.blocks("powers", (behind + group) / BLOCK);
        let kept = keeps.then(|| Kept::new(&mut writer, FIRST.into(), STRETCH));
        let length = Length::Public { count: front_bytes, factor: 1 };
        let front = writer.region("front", Role::Input, length);
        writer.function.parameters.push(Parameter::Register(front_bytes));
        let leading = (!is_loaded).then(|| writer.region("leading", Role::Input, whole));
        writer.function.parameters.push(Parameter::Register(more));
        let sum = writer.region("sum", Role::Output, whole);
        let pending = (!is_loaded).then(|| writer.region("pending", Role::Output, Length::Constant(group)));
        let results: Vec<[RegionId; 2]> =
            plan.results.iter().map(|_| string(&mut writer, "result", Role::Output)).collect();
        let lead = writer.region("lead", Role::Output, whole);

        let mut steps = Vec::new();
        let mut same = BTreeMap::new();
        let mut numbers = Vec::new();
        for (number, (one, regions)) in plan.given.iter().zip(&given).enumerate() {
            match one {
                Given::Same => {
                    same.insert(number, writer.load_same(regions[0], &mut steps)?);
                }
                Given::Number => {
                    let first = writer.load_same(regions[0], &mut steps)?;
                    match keeps {
                        // What the cipher would get is not made.
                        true => drop(same.insert(number, first)),
                        false => numbers.push(writer.spread(first, &mut steps)?),
                    }
                }
                _ => {}
            }
        }
        let fixed: BTreeSet<RegisterId> = same.values().copied().collect();
        let text = Text { plan, same, fixed, powers, kept, given, results };

        // The first group, and the block before it.
        let bytes = i64::from(register - BLOCK);
        let first_bytes = Public::Sum { constant: bytes, terms: Vec::new() };
        let first_bytes = writer.public("bytes", first_bytes, &mut steps);
        let least = Public::Least { of: front_bytes, bound: BLOCK };
        let count = writer.public("front", least, &mut steps);
        let mut before = vec![writer.load_part(front, count, &mut steps)?];
        if let Some(leading) = leading {
            before.push(writer.load(leading, Affine::constant(0), &mut steps)?);
        }
        let mut state = State { sum: Vec::new(), pending: Vec::new(), numbers };
        let place = |number: u32| (number > 0).then(|| i64::from(number * register) - i64::from(BLOCK));
        let begun = text.code(
            &mut writer,
            (&first, &before),
            &mut state,
            (0, Affine::constant(0), &|number| match place(number) {
                Some(at) => At::Whole(Affine::constant(at)),
                None => At::Behind(first_bytes),
            }),
            &mut steps,
        )?;
        let mut locals = begun.locals;
        steps.extend(begun.steps);
        if state.sum.is_empty() {
            state.sum.push(writer.constant(vec![0; register as usize])?);
        }
        steps.push(writer.store(lead, Affine::constant(0), begun.lead)?);

        // The others.
        let entered = state.renewed(&mut writer);
        let mut now = entered.clone();
        let induction = writer.induction();
        let turn = text.code(
            &mut writer,
            (&next, &[]),
            &mut now,
            (1, Affine { constant: 1, terms: vec![(induction, 1)] }, &|number| {
                At::Whole(Affine {
                    constant: i64::from(number * register),
                    terms: vec![(induction, i64::from(group))],
                })
            }),
            &mut steps,
        )?;
        let block = Block { locals: turn.locals, steps: turn.steps };
        let trips = match keeps {
            true => {
                let bound = most(STRETCH * self.in_register() as u32) - 1;
                Trips::Public(writer.public("turns", Public::Least { of: more, bound }, &mut steps))
            }
            false => Trips::Public(more),
        };
        let step = looped(induction, trips, (&entered.all(), &state.all(), &now.all()), block);
        let Step::Loop(looped) = step else { return Err(Refusal::new("no loop")) };
        let (head, looped) = overlapped(&mut writer.function, looped, &is_round);
        steps.extend(head);
        steps.push(Step::Loop(looped));
        steps.push(writer.store(sum, Affine::constant(0), entered.sum[0])?);
        if let Some(pending) = pending {
            for (number, &value) in (0..).zip(&entered.pending) {
                let at = Affine::constant(i64::from(register) * number);
                steps.push(writer.store(pending, at, value)?);
            }
        }
        locals.dedup();
        writer.function.body = Block { locals, steps };
        Ok(writer.finish(files))
    }

    /// The code of a group. It gets, at first, the front and what keeps the block before the text from what is added; later, the
    /// sum and what is pending; the powers, if it multiplies; and what a plan is given. It makes the results of the plan, what it adds
    /// if that is pending, the sum, and the next numbers.
    fn group(
        &self,
        plan: &Plan,
        product: &Product,
        keeps: bool,
        begins: bool,
    ) -> Result<(Function, Vec<String>), Refusal> {
        let is_loaded = is_loaded(plan);
        let multiplies = is_loaded || !begins;
        let (function, files) =
            self.ordered(Scheduling::SOURCE, &plan.ciphers(), STRETCH as usize, &mut |maker| {
                let mut same = |name: &str, wanted: bool| wanted.then(|| maker.same(name).values()[0]);
                let (front, leading) = (same("front", begins), same("leading", begins && !is_loaded));
                let sum = same("sum", !begins);
                // What is multiplied, and nothing else: its order is free of what the plan does.
                let multiplied = multiplies.then(|| maker.each("multiplied").values().to_vec());
                let powers =
                    multiplies.then(|| ["powers", "second"].map(|name| maker.each(name).values().to_vec()));
                if keeps {
                    maker.begin_behind_first_round();
                }
                let mut numbers = Vec::new();
                let slots = self.slots(plan, maker, &mut numbers)?;
                if keeps {
                    numbers.clear();
                }
                let made = plan.made(&slots)?;
                let (added, results) = made.split_last().ok_or_else(|| Refusal::new("nothing is added"))?;
                let mut added = match (added, &multiplied) {
                    (Blocks::Each(_), Some(multiplied)) if is_loaded => multiplied.clone(),
                    (Blocks::Each(added), _) => added.clone(),
                    _ => return Err(Refusal::new("what is added is the same for all positions")),
                };
                if let Some(mask) = leading {
                    added[0] = maker.node.binary(BinaryOp::And, added[0], mask);
                }
                if let Some(front) = front {
                    added[0] = maker.node.binary(BinaryOp::Xor, added[0], front);
                }
                let added = turn(maker, product, false, &Blocks::Each(added))?;
                let mut all = results.to_vec();
                if !is_loaded {
                    all.push(added.clone());
                }
                if let (Some(multiplied), Some([powers, second])) = (multiplied, &powers) {
                    let multiplied = if is_loaded { added.values().to_vec() } else { multiplied };
                    let sum = summed(maker, sum, &multiplied, [powers, second])?;
                    all.push(Blocks::Same(sum.reduced(&mut maker.node)));
                }
                for (number, blocks) in all.iter().chain(&numbers).enumerate() {
                    maker.output(&format!("made{number}"), blocks);
                }
                Ok(())
            })?;
        if !multiplies {
            return Ok((function, files));
        }
        let numbers = plan.given.iter().filter(|given| !keeps && **given == Given::Number).count();
        let sums: Vec<Parameter> = function.parameters.iter().rev().skip(numbers).take(1).copied().collect();
        Ok((mingled(function, &sums, Tail::Behind), files))
    }

    /// A function that multiplies what groups leave: `name(sum, [pending], powers, low, high)`. It makes the parts. `powers`
    /// has those of the positions that are multiplied, or of the register behind them.
    pub fn pended(&self, plan: &Plan, name: &str) -> Result<Program, Refusal> {
        let register = self.bytes();
        let pending = if is_loaded(plan) { 0 } else { STRETCH };
        let groups = pending.max(1);
        let (body, files) = self.function(&BTreeSet::new(), groups as usize, &mut |maker| {
            let sum = maker.same("sum").values()[0];
            let added = (pending > 0).then(|| maker.each("pending").values().to_vec());
            let [powers, second] = ["powers", "second"].map(|name| maker.each(name).values().to_vec());
            let products = match added {
                Some(added) => summed(maker, Some(sum), &added, [&powers, &second])?,
                None => summed(maker, None, &[sum], [&powers, &second])?,
            };
            let parts = products.parts().map(Blocks::Same);
            parts.iter().zip(PARTS).for_each(|(blocks, name)| maker.output(name, blocks));
            Ok(())
        })?;
        let mut writer = Writer::new(self, name);
        let whole = Length::Constant(register);
        let sum = writer.region("sum", Role::Input, whole);
        let (mut steps, mut arguments) = (Vec::new(), Vec::new());
        arguments.push(Argument::Registers(vec![writer.load(sum, Affine::constant(0), &mut steps)?]));
        let several = |writer: &mut Writer<'_>, region: RegionId, from: u32, steps: &mut Vec<Step>| {
            let at = |number: u32| Affine::constant(i64::from((from + number) * register));
            let registers = (0..groups).map(|number| writer.load(region, at(number), steps));
            registers.collect::<Result<Vec<_>, _>>().map(Argument::Registers)
        };
        if pending > 0 {
            let pending = writer.region("pending", Role::Input, Length::Constant(pending * register));
            arguments.push(several(&mut writer, pending, 0, &mut steps)?);
        }
        let powers = writer.region("powers", Role::Input, Length::Constant((TABLE + groups) * register));
        for first in [0, TABLE] {
            arguments.push(several(&mut writer, powers, first, &mut steps)?);
        }
        let parts = PARTS.map(|name| writer.region(name, Role::Output, whole));
        arguments.extend(vec![Argument::Results; parts.len()]);
        let spliced = writer.splice(&body, &arguments, &BTreeSet::new())?;
        steps.extend(spliced.before);
        steps.extend(spliced.steps);
        for (&region, made) in parts.iter().zip(&spliced.results) {
            let value = *made.first().ok_or_else(|| Refusal::new("a part without a register"))?;
            steps.push(writer.store(region, Affine::constant(0), value)?);
        }
        writer.function.body = Block { locals: spliced.locals, steps: late(steps) };
        Ok(writer.finish(files))
    }
}

/// Where the bytes of a register are in a string.
enum At {
    /// All of them, from a place on.
    Whole(Affine),
    /// The first so many bytes of the string, behind a block that is not there.
    Behind(RegisterId),
}

/// Code of a group.
struct Code {
    steps: Vec<Step>,
    locals: Vec<RegionId>,
    /// The first register of the first result.
    lead: RegisterId,
}

/// A text that goes through a cipher, and what is the same for all of it.
struct Text<'p> {
    plan: &'p Plan,
    same: BTreeMap<usize, RegisterId>,
    fixed: BTreeSet<RegisterId>,
    powers: RegionId,
    kept: Option<Kept>,
    given: Vec<[RegionId; 2]>,
    results: Vec<[RegionId; 2]>,
}

impl Text<'_> {
    /// The code of a group, whose registers lie in the strings of a number, at places of them. What no turn changes goes to the
    /// first steps.
    fn code(
        &self,
        writer: &mut Writer<'_>,
        (body, before): (&Function, &[RegisterId]),
        state: &mut State,
        (string, turn, place): (usize, Affine, &dyn Fn(u32) -> At),
        once: &mut Vec<Step>,
    ) -> Result<Code, Refusal> {
        let is_loaded = is_loaded(self.plan);
        let (begins, machine) = (!before.is_empty(), writer.machine);
        let multiplies = is_loaded || !begins;
        let one = |register: RegisterId| Argument::Registers(vec![register]);
        let mut arguments: Vec<Argument> = before.iter().copied().map(one).collect();
        let mut inside = Vec::new();
        let mut texts: BTreeMap<Slot, Vec<RegisterId>> = BTreeMap::new();
        for (slot, regions) in self.given.iter().enumerate() {
            if self.plan.given[slot] != Given::Each {
                continue;
            }
            for number in 0..STRETCH {
                let register = match place(number) {
                    At::Whole(at) => writer.load(regions[string], at, &mut inside)?,
                    At::Behind(count) => {
                        let value = writer.load_part(regions[string], count, &mut inside)?;
                        machine.rotated(writer, value, true, &mut inside)?
                    }
                };
                texts.entry(slot).or_default().push(register);
            }
        }
        let text = |slot: Slot| Argument::Registers(texts.get(&slot).cloned().unwrap_or_default());
        if !begins {
            arguments.push(Argument::Registers(state.sum.clone()));
        }
        if multiplies {
            arguments.push(match self.plan.next[..] {
                [slot] if is_loaded => text(slot),
                _ => Argument::Registers(state.pending.clone()),
            });
            let behind = i64::from(TABLE * machine.bytes() / BLOCK);
            for form in [0, behind] {
                let blocks = machine.in_register() as i64;
                let all = (0..i64::from(STRETCH))
                    .map(|number| writer.load_repeated(self.powers, form + number * blocks, &mut inside));
                arguments.push(Argument::Registers(all.collect::<Result<_, _>>()?));
            }
        }
        if let Some(kept) = self.kept {
            arguments.extend(kept.loaded(writer, &turn, &mut inside)?.map(Argument::Registers));
        }
        let mut numbers = state.numbers.iter().copied();
        for (number, (kind, regions)) in self.plan.given.iter().zip(&self.given).enumerate() {
            arguments.push(match kind {
                Given::Each => text(number),
                Given::Keys(_) => Argument::Memory(regions[0]),
                Given::Number if self.kept.is_none() => {
                    Argument::Registers(numbers.next().into_iter().collect())
                }
                _ => Argument::Registers(self.same.get(&number).copied().into_iter().collect()),
            });
        }
        arguments.extend(vec![Argument::Results; body.parameters.len() - arguments.len()]);
        let spliced = writer.splice(body, &arguments, &self.fixed)?;
        once.extend(spliced.before);
        inside.extend(spliced.steps);
        let (made, rest) = spliced.results.split_at(self.results.len());
        let mut stores: BTreeMap<RegisterId, Vec<Step>> = BTreeMap::new();
        for (registers, regions) in made.iter().zip(&self.results) {
            for (number, &value) in (0..).zip(registers) {
                let all = stores.entry(value).or_default();
                match place(number) {
                    At::Whole(at) => all.push(writer.store(regions[string], at, value)?),
                    At::Behind(count) => {
                        let value = machine.rotated(writer, value, false, all)?;
                        all.push(writer.store_part(regions[string], value, count)?);
                    }
                }
            }
        }
        // Each result is stored as soon as it is there.
        let mut steps = Vec::new();
        for step in late(inside) {
            let mut ready = Vec::new();
            step.defines(&mut |register| ready.extend(stores.remove(&register)));
            steps.push(step);
            steps.extend(ready.into_iter().flatten());
        }
        steps.extend(stores.into_values().flatten());
        let lead = made.first().and_then(|made| made.first().copied());
        let mut rest = rest.iter();
        let mut next = || rest.next().cloned().ok_or_else(|| Refusal::new("a group without a result"));
        if !is_loaded {
            state.pending = next()?;
        }
        if multiplies {
            state.sum = next()?;
        }
        state.numbers = rest.flatten().copied().collect();
        let lead = lead.ok_or_else(|| Refusal::new("a group without results"))?;
        Ok(Code { steps, locals: spliced.locals, lead })
    }
}
