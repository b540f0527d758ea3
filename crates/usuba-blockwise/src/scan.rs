//! Loops that carry something from position to position, as functions.

use crate::linear::turned;
use crate::machine::Machine;
use crate::montgomery::{Pair, Products, Staggered, montgomery, preparation, second_preparation};
use crate::node::{Blocks, Maker, StepInput};
use crate::place;
use crate::plan::{Action, Given, Plan, Refusal};
use crate::splice::Argument;
use crate::spread::{Tail, is_round, mingled};
use crate::step;
use crate::writer::Writer;
use std::collections::{BTreeMap, BTreeSet};
use usuba_algebra::product::Product;
use usuba_ir::program::{Affine, BinaryOp, ValueId};
use usuba_machine::program::{
    Block, Carried, Function, Length, Loop, Parameter, Program, Public, RegionId, RegisterId, Role, Step,
    Trips,
};
use usuba_target::{Meaning, Target};

/// Bytes of a block.
const BLOCK: u32 = 16;

/// The powers of a factor by which a turn of a linear scan multiplies: of so many registers, or of one.
///
/// Registers are multiplied two at a time where that saves products (Karatsuba, as in [`crate::long`]): six for two, and two that
/// reduce, instead of eight and one. The table has the first power in both forms ([`Staggered`]) then, for turns of one register, and
/// the others two by two. A product of x86 starts every second cycle at best on Zen 4, of registers of any width, so that it is
/// what a message waits for: with AES-256 on `avx2-vaes` 16 KiB are opened in 5 % (gcc) and 10 % (clang) fewer cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Table {
    /// All powers in their first form, then all in their second.
    Staggered(u32),
    /// The first power in both forms, and for two powers each, the highest first, the three parts of a [`Pair`].
    Paired(u32),
}

impl Table {
    /// The table for turns of so many registers on a target.
    pub(crate) fn of(target: &Target, groups: usize) -> Table {
        let is_x86 = target.encoding().is_some();
        if is_x86 && groups > 1 && groups.is_multiple_of(2) {
            Table::Paired(groups as u32)
        } else {
            Table::Staggered(groups as u32)
        }
    }

    /// How many blocks it has.
    pub(crate) fn rows(self) -> u32 {
        match self {
            Table::Staggered(groups) => 2 * groups,
            Table::Paired(groups) => 2 + 3 * groups / 2,
        }
    }

    /// Where both forms of the power of a place are, the first power being at place 0.
    fn forms(self, place: u32) -> [u32; 2] {
        match self {
            Table::Staggered(groups) => [place, place + groups],
            Table::Paired(_) => [0, 1],
        }
    }
}

impl Machine<'_> {
    /// A function that does a plan position by position: `name(given…, bytes, results…)`. So many bytes are the positions. What
    /// is carried is read where it is given, and its last value is there afterwards. The target should have registers of one
    /// block.
    ///
    /// # Errors
    /// The target lacks something, or the plan is beyond blocks.
    pub fn one_by_one(&self, plan: &Plan, name: &str) -> Result<Program, Refusal> {
        if self.in_register() != 1 {
            return Err(Refusal::new("registers of several blocks, one by one"));
        }
        let (body, files) = self.function(&plan.ciphers(), 1, &mut |maker| {
            let mut numbers = Vec::new();
            let slots = self.slots(plan, maker, &mut numbers)?;
            for (number, blocks) in plan.made(&slots)?.iter().chain(&numbers).enumerate() {
                maker.output(&format!("made{number}"), &Blocks::Same(blocks.values()[0]));
            }
            Ok(())
        })?;
        let mut writer = Writer::new(self, name);
        let bytes = writer.count("bytes");
        let given: Vec<RegionId> = plan.given.iter().map(|given| writer.given(given, Some(bytes))).collect();
        writer.function.parameters.push(Parameter::Register(bytes));
        let length = Length::Public { count: bytes, factor: 1 };
        let results: Vec<RegionId> =
            plan.results.iter().map(|_| writer.region("result", Role::Output, length)).collect();
        let mut steps = Vec::new();
        let turns = writer.public("turns", Public::Quotient { of: bytes, by: BLOCK }, &mut steps);
        let induction = writer.induction();
        let place = Affine { constant: 0, terms: vec![(induction, i64::from(BLOCK))] };
        let mut fixed = BTreeSet::new();
        let (mut carried, mut counting) = (Vec::new(), Vec::new());
        let (mut inside, mut arguments) = (Vec::new(), Vec::new());
        for (one, &region) in plan.given.iter().zip(&given) {
            arguments.push(match one {
                Given::Each => Argument::Registers(vec![writer.load(region, place.clone(), &mut inside)?]),
                Given::Same => {
                    let register = writer.load_same(region, &mut steps)?;
                    fixed.insert(register);
                    Argument::Registers(vec![register])
                }
                Given::Carried | Given::Number => {
                    let first = writer.load_same(region, &mut steps)?;
                    let register = writer.register("carried");
                    let list = if *one == Given::Carried { &mut carried } else { &mut counting };
                    list.push((register, first, region));
                    Argument::Registers(vec![register])
                }
                Given::Keys(_) => Argument::Memory(region),
                Given::Orbit(_) | Given::Turn | Given::Pattern | Given::Chosen => {
                    return Err(Refusal::new("what several positions have at once, one by one"));
                }
            });
        }
        arguments.extend(vec![Argument::Results; results.len() + carried.len() + counting.len()]);
        let spliced = writer.splice(&body, &arguments, &fixed)?;
        steps.extend(spliced.before);
        inside.extend(spliced.steps);
        let made: Vec<RegisterId> = spliced.results.iter().filter_map(|one| one.first().copied()).collect();
        for (&value, &region) in made.iter().zip(&results) {
            inside.push(writer.store(region, place.clone(), value)?);
        }
        let next = made.iter().skip(results.len());
        let goes_on = carried.iter().chain(&counting).zip(next);
        let goes_on =
            goes_on.map(|(&(register, initial, _), &next)| Carried { register, initial, next }).collect();
        steps.push(Step::Loop(Loop {
            induction,
            trips: Trips::Public(turns),
            carried: goes_on,
            body: Block { locals: spliced.locals, steps: inside },
        }));
        for &(register, _, region) in &carried {
            steps.push(writer.store(region, Affine::constant(0), register)?);
        }
        writer.function.body = Block { locals: Vec::new(), steps };
        Ok(writer.finish(files))
    }

    /// A function that makes what [`Machine::linear`] needs of a factor: `name(given…, powers)`. The plan makes the factor as
    /// Montgomery's product wants it. `powers` gets factor^C … factor^1, C being the blocks of a wide register, and then
    /// the [`Table`] of factor^(C k) for k from 1 to the number of groups; 16 bytes each, prepared.
    ///
    /// # Errors
    /// The target lacks something, or the plan is beyond blocks.
    pub fn powers(
        &self,
        plan: &Plan,
        product: &Product,
        (wide, groups): (usize, usize),
        name: &str,
    ) -> Result<Program, Refusal> {
        if self.in_register() != 1 {
            return Err(Refusal::new("registers of several blocks, one by one"));
        }
        let prepared =
            preparation(product).ok_or_else(|| Refusal::new("a product modulo another polynomial"))?;
        let second =
            second_preparation(product).ok_or_else(|| Refusal::new("a product modulo another polynomial"))?;
        let table = Table::of(self.target, groups);
        let (body, files) = self.function(&plan.ciphers(), 1, &mut |maker| {
            let slots = self.slots(plan, maker, &mut Vec::new())?;
            let made = plan.made(&slots)?;
            let first = made.first().ok_or_else(|| Refusal::new("no factor"))?.values()[0];
            let node = &mut maker.node;
            let ready = prepared.apply(node, first);
            // Each power by the one before: first by the factor, then by the factor to the power of the register.
            let mut low = vec![ready];
            let mut last = first;
            for _ in 1..wide {
                last = montgomery(node, last, ready);
                low.push(prepared.apply(node, last));
            }
            let by = low[wide - 1];
            let mut high = vec![by];
            let mut others = vec![second.apply(node, last)];
            for _ in 1..groups {
                last = montgomery(node, last, by);
                high.push(prepared.apply(node, last));
                others.push(second.apply(node, last));
            }
            let forms = match table {
                Table::Staggered(_) => [high, others].concat(),
                Table::Paired(_) => {
                    let mut forms = vec![high[0], others[0]];
                    for two in high.chunks_exact(2).rev() {
                        forms.extend(Pair::of(node, [two[1], two[0]]).parts());
                    }
                    forms
                }
            };
            let all: Vec<_> = low.into_iter().rev().chain(forms).collect();
            for (number, value) in all.into_iter().enumerate() {
                maker.output(&format!("power{number}"), &Blocks::Same(value));
            }
            Ok(())
        })?;
        let mut writer = Writer::new(self, name);
        let given: Vec<RegionId> = plan.given.iter().map(|given| writer.given(given, None)).collect();
        let count = wide + table.rows() as usize;
        let powers = writer.region("powers", Role::Output, Length::Constant(BLOCK * count as u32));
        let (mut steps, mut arguments) = (Vec::new(), Vec::new());
        for (one, &region) in plan.given.iter().zip(&given) {
            arguments.push(match one {
                Given::Keys(_) => Argument::Memory(region),
                _ => Argument::Registers(vec![writer.load_same(region, &mut steps)?]),
            });
        }
        arguments.extend(vec![Argument::Results; count]);
        let spliced = writer.splice(&body, &arguments, &BTreeSet::new())?;
        steps.extend(spliced.before);
        steps.extend(spliced.steps);
        for (registers, number) in spliced.results.iter().zip(0i64..) {
            let value = *registers.first().ok_or_else(|| Refusal::new("a power without a register"))?;
            steps.push(writer.store(powers, Affine::constant(number * i64::from(BLOCK)), value)?);
        }
        writer.function.body = Block { locals: spliced.locals, steps };
        Ok(writer.finish(files))
    }

    /// A function that goes through a linear scan: `name(given…, lowest, powers, bytes, carried, results…)`. So many bytes are the
    /// positions, whole registers of them, at least one. `lowest` and `powers` are the two parts of what [`Machine::powers`]
    /// makes. The plan makes the results of each position, and then what is added for it, as Montgomery's product wants it.
    ///
    /// # Errors
    /// The target lacks something, or the plan is beyond blocks.
    pub fn linear(
        &self,
        plan: &Plan,
        product: &Product,
        groups: usize,
        name: &str,
    ) -> Result<Program, Refusal> {
        let blocks = self.in_register();
        let register = self.target.register_bits / 8;
        let table = Table::of(self.target, groups);
        // The results of all registers, the sum after them, and the numbers of what follows.
        let finish = |maker: &mut Maker, results: &[Blocks], sum: Blocks, numbers: &[Blocks]| {
            for (number, blocks) in results.iter().chain([&sum]).chain(numbers).enumerate() {
                maker.output(&format!("made{number}"), blocks);
            }
        };
        // The first register: what is carried is added to its first block.
        let (first, files) = self.function(&plan.ciphers(), 1, &mut |maker| {
            let (given, mask) = (maker.same("given"), maker.same("mask"));
            let mut numbers = Vec::new();
            let slots = self.slots(plan, maker, &mut numbers)?;
            let made = plan.made(&slots)?;
            let (addend, results) = made.split_last().ok_or_else(|| Refusal::new("nothing is added"))?;
            let given = turn(maker, product, false, &given)?;
            let masked = maker.two(&given, &mask, |node, a, b| node.binary(BinaryOp::And, a, b));
            let sum = maker.xor(&masked, &Blocks::Same(first_of(std::slice::from_ref(addend))?));
            finish(maker, results, sum, &numbers);
            Ok(())
        })?;
        let is_late = groups > 1 && is_made_by_cipher(plan);
        // Several registers, with one reduction.
        let body = |groups: usize| {
            self.function(&plan.ciphers(), groups, &mut |maker| {
                let sum = maker.same("sum").values()[0];
                let powers = maker.keys("powers", table.rows());
                let mut numbers = Vec::new();
                let slots = self.slots(plan, maker, &mut numbers)?;
                let made = plan.made(&slots)?;
                let (addend, results) = made.split_last().ok_or_else(|| Refusal::new("nothing is added"))?;
                let mut addends = addend.values().to_vec();
                if addends.len() == 1 {
                    addends = vec![addends[0]; groups];
                }
                let next = added(maker, sum, &addends, (powers, table))?;
                finish(maker, results, next, &numbers);
                Ok(())
            })
        };
        let one = body(1)?.0;
        let many = match is_late {
            false => Many::AtOnce(between_rounds(body(groups)?.0, &format!("made{}", plan.results.len()))),
            true => Many::Late(Box::new(self.late(plan, groups, table)?)),
        };
        let (end, _) = self.function(&BTreeSet::new(), 1, &mut |maker| {
            let (sum, powers) = (maker.same("sum"), maker.same("powers"));
            let end = maker.two(&sum, &powers, montgomery);
            maker.output("end", &end);
            Ok(())
        })?;
        let (fold, _) = self.function(&BTreeSet::new(), blocks, &mut |maker| {
            let all = maker.each("all");
            let mut values = all.values().to_vec();
            let mut sum = Blocks::Same(values.remove(0));
            for value in values {
                sum = maker.xor(&sum, &Blocks::Same(value));
            }
            let sum = turn(maker, product, true, &sum)?;
            maker.output("folded", &sum);
            Ok(())
        })?;

        let mut writer = Writer::new(self, name);
        let bytes = writer.count("bytes");
        let length = Length::Public { count: bytes, factor: 1 };
        let given: Vec<RegionId> = plan.given.iter().map(|given| writer.given(given, Some(bytes))).collect();
        let lowest = writer.region("lowest", Role::Input, Length::Constant(register));
        let powers = writer.given(&Given::Keys(table.rows()), None);
        writer.function.parameters.push(Parameter::Register(bytes));
        let carried = writer.given(&Given::Carried, None);
        let results: Vec<RegionId> =
            plan.results.iter().map(|_| writer.region("result", Role::Output, length)).collect();
        let mut steps = Vec::new();
        let mut same = BTreeMap::new();
        let sum = writer.constant(vec![0; register as usize])?;
        let mut state = State { sum, pending: Vec::new(), numbers: Vec::new() };
        for (number, (one, &region)) in plan.given.iter().zip(&given).enumerate() {
            match one {
                Given::Same => {
                    same.insert(number, writer.load_same(region, &mut steps)?);
                }
                Given::Number => {
                    let first = writer.load_same(region, &mut steps)?;
                    state.numbers.push(writer.spread(first, &mut steps)?);
                }
                _ => {}
            }
        }
        let initial = writer.load_same(carried, &mut steps)?;
        let mask: Vec<u8> = (0..register).map(|byte| if byte < BLOCK { 0xff } else { 0 }).collect();
        let mask = writer.constant(mask)?;
        let fixed: BTreeSet<RegisterId> = same.values().copied().chain([initial]).collect();
        let mut pass = Pass { plan, same, fixed, given, results, state };
        // `bytes` is at least one register.
        let start = writer.public("start", Public::Least { of: bytes, bound: register }, &mut steps);
        let once = writer.public("once", Public::Quotient { of: start, by: register }, &mut steps);
        let rest = Public::Sum { constant: 0, terms: vec![(bytes, 1), (start, -1)] };
        let mut left = writer.public("rest", rest, &mut steps);
        let arguments = [initial, mask].map(|register| Argument::Registers(vec![register])).to_vec();
        pass.turns(&mut writer, &first, (once, 1), &|_| arguments.clone(), &mut steps)?;
        let mut behind = start;
        let with_powers = |state: &State| {
            let mut arguments = vec![Argument::Registers(vec![state.sum])];
            arguments.extend((!state.pending.is_empty()).then(|| Argument::Registers(state.pending.clone())));
            arguments.push(Argument::Memory(powers));
            arguments
        };
        for (body, groups) in [(&many, groups), (&Many::AtOnce(one), 1)] {
            pass.go_on(&mut writer, behind, left, &mut steps);
            let batch = register * groups as u32;
            let turns = writer.public("turns", Public::Quotient { of: left, by: batch }, &mut steps);
            let after = writer.public("after", Public::Remainder { of: left, by: batch }, &mut steps);
            match body {
                Many::AtOnce(body) => {
                    let done = Public::Sum { constant: 0, terms: vec![(left, 1), (after, -1)] };
                    behind = writer.public("behind", done, &mut steps);
                    pass.turns(&mut writer, body, (turns, groups), &with_powers, &mut steps)?;
                }
                Many::Late(late) => {
                    let Late { begin, next, end } = &**late;
                    let begun = writer.public("begun", Public::Least { of: turns, bound: 1 }, &mut steps);
                    let zero = writer.constant(vec![0; register as usize])?;
                    pass.state.pending = vec![zero; groups];
                    pass.turns(&mut writer, begin, (begun, groups), &|_| Vec::new(), &mut steps)?;
                    let done = Public::Sum { constant: 0, terms: vec![(begun, i64::from(batch))] };
                    let done = writer.public("done", done, &mut steps);
                    let rest = Public::Sum { constant: 0, terms: vec![(left, 1), (done, -1)] };
                    let rest = writer.public("rest", rest, &mut steps);
                    pass.go_on(&mut writer, done, rest, &mut steps);
                    let more = Public::Sum { constant: 0, terms: vec![(turns, 1), (begun, -1)] };
                    let more = writer.public("more", more, &mut steps);
                    pass.turns(&mut writer, next, (more, groups), &with_powers, &mut steps)?;
                    // What the last turn made.
                    let pending = std::mem::take(&mut pass.state.pending);
                    let none = Plan::default();
                    let mut ended = Pass {
                        plan: &none,
                        same: BTreeMap::new(),
                        fixed: pending.iter().copied().collect(),
                        given: Vec::new(),
                        results: Vec::new(),
                        state: State { numbers: Vec::new(), ..pass.state.clone() },
                    };
                    let of_pending =
                        |state: &State| with_powers(&State { pending: pending.clone(), ..state.clone() });
                    ended.turns(&mut writer, end, (begun, 0), &of_pending, &mut steps)?;
                    pass.state.sum = ended.state.sum;
                    let done = Public::Sum { constant: 0, terms: vec![(rest, 1), (after, -1)] };
                    behind = writer.public("behind", done, &mut steps);
                }
            }
            left = after;
        }
        // Each block of the register by its power, and their sum.
        let lowest = writer.load(lowest, Affine::constant(0), &mut steps)?;
        let arguments = [pass.state.sum, lowest].map(|register| Argument::Registers(vec![register]));
        let arguments: Vec<Argument> = arguments.into_iter().chain([Argument::Results]).collect();
        let spliced = writer.splice(&end, &arguments, &BTreeSet::new())?;
        let mut locals = spliced.locals;
        steps.extend(spliced.before);
        steps.extend(spliced.steps);
        let ended = only(&spliced.results)?;
        let mut parts = vec![ended];
        if blocks > 1 {
            let scratch = writer.local("blocks", register);
            locals.push(scratch);
            steps.push(writer.store(scratch, Affine::constant(0), ended)?);
            parts.clear();
            for block in 0..blocks as i64 {
                parts.push(writer.load_block(scratch, block, &mut steps)?);
            }
        }
        let arguments = vec![Argument::Registers(parts), Argument::Results];
        let spliced = writer.splice(&fold, &arguments, &BTreeSet::new())?;
        locals.extend(spliced.locals);
        steps.extend(spliced.before);
        steps.extend(spliced.steps);
        steps.extend(writer.store_block(carried, only(&spliced.results)?, &mut locals)?);
        writer.function.body = Block { locals, steps };
        Ok(writer.finish(files))
    }
}

/// The code of several registers of positions.
enum Many {
    /// What is added is multiplied in the turn that makes it.
    AtOnce(Function),
    /// In the next one.
    Late(Box<Late>),
}

/// Turns in which the products are those of the turn before, so that they wait for no round of the cipher: what begins, what goes
/// on, and the products that are left.
struct Late {
    begin: Function,
    next: Function,
    end: Function,
}

impl Machine<'_> {
    /// Code of so many registers of positions whose addends the cipher makes.
    fn late(&self, plan: &Plan, groups: usize, table: Table) -> Result<Late, Refusal> {
        let code = |goes_on: bool| {
            self.function(&plan.ciphers(), groups, &mut |maker| {
                let mut sum = None;
                if goes_on {
                    let before = maker.same("sum").values()[0];
                    let pending = maker.several("pending", groups as u32);
                    let powers = maker.keys("powers", table.rows());
                    sum = Some(added(maker, before, &pending, (powers, table))?);
                }
                let mut numbers = Vec::new();
                let slots = self.slots(plan, maker, &mut numbers)?;
                let made = plan.made(&slots)?;
                let (addend, results) = made.split_last().ok_or_else(|| Refusal::new("nothing is added"))?;
                for (number, blocks) in results.iter().enumerate() {
                    maker.output(&format!("made{number}"), blocks);
                }
                sum.iter().for_each(|sum| maker.output("sum", sum));
                for (number, &value) in addend.values().iter().enumerate() {
                    maker.output(&format!("pending{number}"), &Blocks::Same(value));
                }
                for (number, blocks) in numbers.iter().enumerate() {
                    maker.output(&format!("number{number}"), blocks);
                }
                Ok(())
            })
        };
        let end = self.function(&BTreeSet::new(), groups, &mut |maker| {
            let before = maker.same("sum").values()[0];
            let pending = maker.several("pending", groups as u32);
            let powers = maker.keys("powers", table.rows());
            let sum = added(maker, before, &pending, (powers, table))?;
            maker.output("sum", &sum);
            Ok(())
        })?;
        let ((begin, _), (next, _)) = (code(false)?, code(true)?);
        let sum = named(&next, "sum");
        Ok(Late { begin, next: mingled(next, &sum, Tail::Inside), end: end.0 })
    }
}

/// The results of a name.
fn named(function: &Function, name: &str) -> Vec<Parameter> {
    let is_it = |parameter: &Parameter| match *parameter {
        Parameter::Region(region) => {
            let region = function.region(region);
            region.role == Role::Output && region.name == name
        }
        Parameter::Register(_) => false,
    };
    function.parameters.iter().copied().filter(is_it).collect()
}

/// The products of a sum between the rounds of a cipher, where there are more than three of these for each. On Zen 4 a message
/// opened with AES-256 takes 7 to 8 % fewer cycles so, with AES-128 up to 9 % more.
fn between_rounds(function: Function, sum: &str) -> Function {
    let count = |is_it: &dyn Fn(&Step) -> bool| function.body.steps.iter().filter(|step| is_it(step)).count();
    let products =
        count(&|step| matches!(step, Step::Compute { row, .. } if row.meaning == Meaning::CarrylessProduct));
    if count(&is_round) <= 3 * products {
        return function;
    }
    let sums = named(&function, sum);
    mingled(function, &sums, Tail::Inside)
}

/// A sum and all addends but the last by the powers of their places, reduced, and the last one added to that.
fn added(
    maker: &mut Maker,
    sum: ValueId,
    addends: &[ValueId],
    (powers, table): (ValueId, Table),
) -> Result<Blocks, Refusal> {
    let (last, others) = addends.split_last().ok_or_else(|| Refusal::new("no addend"))?;
    let node = &mut maker.node;
    let factors = [&[sum], others].concat();
    let reduced = match table {
        Table::Paired(groups) if groups as usize == factors.len() => {
            let mut sums = None;
            // The pair with the sum, which is there last, comes last.
            for (number, two) in factors.chunks_exact(2).enumerate().rev() {
                let parts = [0, 1, 2].map(|part| (2 + 3 * number + part) as i64);
                let parts = parts.map(|place| node.get(powers, Affine::constant(place)));
                let pair = Pair::of(node, [two[0], two[1]]);
                sums = Some(pair.times(node, Pair::of_parts(parts), sums));
            }
            let sums = sums.ok_or_else(|| Refusal::new("no product"))?;
            Products::of_sums(node, sums).reduced(node)
        }
        _ => {
            let mut products: Option<Staggered> = None;
            for (number, factor) in factors.iter().enumerate() {
                let forms = table.forms((factors.len() - 1 - number) as u32);
                let forms = forms.map(|place| node.get(powers, Affine::constant(i64::from(place))));
                let one = Staggered::of(node, *factor, forms);
                products = Some(match products {
                    None => one,
                    Some(products) => products.plus(node, one),
                });
            }
            let products = products.ok_or_else(|| Refusal::new("no product"))?;
            products.reduced(node)
        }
    };
    Ok(maker.xor(&Blocks::Same(reduced), &Blocks::Same(*last)))
}

/// Whether what a plan adds for a position is made of what its cipher makes, which takes longer than a product.
fn is_made_by_cipher(plan: &Plan) -> bool {
    let mut waits = vec![false; plan.given.len()];
    for action in &plan.actions {
        let of = |slot: &usize| waits.get(*slot).copied().unwrap_or(true);
        let made = match action {
            Action::Step(step, inputs) => {
                step.waiting(&|input| inputs.get(input).is_some_and(|(slot, _)| of(slot)))
            }
            Action::Binary(_, a, b) | Action::Last(a, b) => vec![of(a) || of(b)],
            Action::Not(a) => vec![of(a)],
        };
        waits.extend(made);
    }
    plan.next.iter().any(|slot| waits.get(*slot).copied().unwrap_or(true))
}

/// What goes from turn to turn of a linear scan.
#[derive(Clone)]
struct State {
    sum: RegisterId,
    /// What the turn before has made, if it is added in the next one.
    pending: Vec<RegisterId>,
    numbers: Vec<RegisterId>,
}

/// A linear scan on its way through its strings.
struct Pass<'p> {
    plan: &'p Plan,
    /// The registers of what is the same for all positions.
    same: BTreeMap<usize, RegisterId>,
    fixed: BTreeSet<RegisterId>,
    given: Vec<RegionId>,
    results: Vec<RegionId>,
    state: State,
}

impl Pass<'_> {
    /// Leaves the first `done` bytes of all strings behind; `left` follow.
    fn go_on(&mut self, writer: &mut Writer<'_>, done: RegisterId, left: RegisterId, steps: &mut Vec<Step>) {
        for region in self.given.iter_mut().chain(&mut self.results) {
            if matches!(writer.function.region(*region).length, Length::Public { .. }) {
                *region = writer.view(*region, done, left, steps);
            }
        }
    }

    /// A loop over so many registers a turn; `arguments`: what the code gets before what the plan is given, by the state so far. Code
    /// that makes no sum leaves it as it is.
    fn turns(
        &mut self,
        writer: &mut Writer<'_>,
        body: &Function,
        (trips, groups): (RegisterId, usize),
        arguments: &dyn Fn(&State) -> Vec<Argument>,
        steps: &mut Vec<Step>,
    ) -> Result<(), Refusal> {
        let register = i64::from(writer.machine.target.register_bits / 8);
        let induction = writer.induction();
        let place = |group: usize| Affine {
            constant: register * group as i64,
            terms: vec![(induction, register * groups as i64)],
        };
        let inside = State {
            sum: writer.register("sum"),
            pending: self.state.pending.iter().map(|_| writer.register("pending")).collect(),
            numbers: self.state.numbers.iter().map(|_| writer.register("number")).collect(),
        };
        let mut numbers = inside.numbers.iter();
        let mut arguments = arguments(&inside);
        let mut done = Vec::new();
        for (number, (one, &region)) in self.plan.given.iter().zip(&self.given).enumerate() {
            arguments.push(match one {
                Given::Each => {
                    let mut loaded = Vec::new();
                    for group in 0..groups {
                        loaded.push(writer.load(region, place(group), &mut done)?);
                    }
                    Argument::Registers(loaded)
                }
                Given::Keys(_) => Argument::Memory(region),
                Given::Number => Argument::Registers(numbers.next().copied().into_iter().collect()),
                _ => Argument::Registers(self.same.get(&number).copied().into_iter().collect()),
            });
        }
        // What follows the results is carried: all of it, or all but the sum.
        let outputs = body.parameters.len() - arguments.len();
        let all = self.results.len() + 1 + inside.pending.len() + inside.numbers.len();
        arguments.extend(vec![Argument::Results; outputs]);
        let spliced = writer.splice(body, &arguments, &self.fixed)?;
        steps.extend(spliced.before);
        done.extend(spliced.steps);
        for (registers, &region) in spliced.results.iter().zip(&self.results) {
            for (group, &value) in registers.iter().enumerate() {
                done.push(writer.store(region, place(group), value)?);
            }
        }
        let next =
            spliced.results[self.results.len()..].iter().filter_map(|registers| registers.first().copied());
        let next: Vec<RegisterId> = (outputs < all).then_some(inside.sum).into_iter().chain(next).collect();
        let State { sum, pending, numbers } = &self.state;
        let before = [*sum].into_iter().chain(pending.iter().chain(numbers).copied());
        let now = [inside.sum].into_iter().chain(inside.pending.iter().chain(&inside.numbers).copied());
        let carried = now.zip(before).zip(next);
        let carried =
            carried.map(|((register, initial), next)| Carried { register, initial, next }).collect();
        steps.push(Step::Loop(Loop {
            induction,
            trips: Trips::Public(trips),
            carried,
            body: Block { locals: spliced.locals, steps: done },
        }));
        self.state = inside;
        Ok(())
    }
}

fn first_of(made: &[Blocks]) -> Result<ValueId, Refusal> {
    let value = made.first().and_then(|blocks| blocks.values().first().copied());
    value.ok_or_else(|| Refusal::new("a plan that makes nothing"))
}

fn only(results: &[Vec<RegisterId>]) -> Result<RegisterId, Refusal> {
    let register = results.first().and_then(|registers| registers.first().copied());
    register.ok_or_else(|| Refusal::new("code without a result"))
}

/// A block turned to where Montgomery's product wants it, or back.
pub(crate) fn turn(
    maker: &mut Maker,
    product: &Product,
    back: bool,
    blocks: &Blocks,
) -> Result<Blocks, Refusal> {
    let step: step::Step = turned(product, back);
    let input = StepInput { blocks: Some(blocks.clone()), places: place::as_is(place::BITS), clean: true };
    let made = maker.step(&step, &[input], &BTreeMap::new());
    let made = made.and_then(|made| made.into_iter().next());
    made.ok_or_else(|| Refusal::new("a block that cannot be turned"))
}
