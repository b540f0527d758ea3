//! The first round of counters, kept for a key (E. Käsper and P. Schwabe, CHES 2009, section 3.3, after D. J. Bernstein and
//! P. Schwabe, INDOCRYPT 2008; J. H. Park and D. H. Lee, CHES 2018).
//!
//! A round of AES adds a key to each byte, applies an S-box to it, and adds up linear images of the results. So what the first round
//! makes of a block is a sum with one summand for each byte, and of a block c whose last byte is zero
//!
//! ```text
//! first(c with x as its last byte) = first(c) ^ change(x),   change(x) = first(0 with x as its last byte) ^ first(0)
//! ```
//!
//! The changes are of the key alone: 256 blocks. Of counters that go up by one, 256 in a row have the same c, and their changes lie
//! one after the other in memory, so that a register of them is a load. At what place is decided by the number of the counter, which
//! anyone may know where the nonce is put into the first counter as it is, and by nothing else: the time does not depend on data.
//!
//! That a node is of this kind is seen from its operations (`cut.rs`): blocks go to an exclusive or with a round key, from there to
//! a round of AES, and nowhere else.

use crate::glue::Writer as MessageWriter;
use crate::lead::stream;
use crate::machine::Machine;
use crate::node::{Blocks, Maker, Part};
use crate::plan::{Action, Given, Plan, Refusal};
use crate::section::looped;
use crate::splice::Argument;
use crate::step::{Bit, Value};
use crate::writer::Writer;
use std::collections::BTreeSet;
use usuba_ir::layout::Layout;
use usuba_ir::program::{Affine, BinaryOp, ValueId};
use usuba_machine::program::{
    Block, Length, Parameter, Program, Public, RegionId, RegisterId, RegisterType, Role, Step, Trips,
};
use usuba_message::form::{self, Piece, Source, Statement, Target, VariableId};
use usuba_target::Meaning;

/// Blocks whose counters differ in their last byte only.
pub(crate) const RUN: u32 = 256;

/// Bytes of a block.
const BLOCK: u32 = 16;

/// The last byte of a first counter that there is code for.
pub(crate) const FIRST: u8 = 1;

/// Runs of blocks in the longest text.
const RUNS: u32 = 16;

/// Blocks of the shortest text for which it pays, and of the longest for which there is room for the bases.
pub(crate) const TEXTS: [u32; 2] = [48, RUNS * RUN - 16];

/// Registers of what the first round makes of blocks whose last byte is zero: of all runs, and of the one behind them.
pub(crate) const BASES: u32 = RUNS + 2;

/// Bytes of the changes, and of the first ones again: a register may begin in one run and end in the next.
pub(crate) fn change_bytes(register: u32) -> u32 {
    RUN * BLOCK + register
}

/// The most turns of so many blocks.
pub(crate) fn most(turn: u32) -> u32 {
    RUNS * (RUN / turn)
}

/// What a plan encrypts, by itself: given the block that is the same for all positions, the number and the keys.
fn encrypted(plan: &Plan) -> Result<Plan, Refusal> {
    let none = || Refusal::new("no counters");
    let stream = stream(plan).ok_or_else(none)?;
    let Some(Action::Step(step, inputs)) = plan.actions.first() else { return Err(none()) };
    let order = [stream.block, stream.number, stream.keys];
    let inputs = inputs.iter().map(|(slot, places)| {
        let place = order.iter().position(|known| known == slot)?;
        Some((place, places.clone()))
    });
    Ok(Plan {
        given: order.iter().map(|&slot| plan.given[slot].clone()).collect(),
        actions: vec![Action::Step(step.clone(), inputs.collect::<Option<_>>().ok_or_else(none)?)],
        results: vec![order.len()],
        ..Plan::default()
    })
}

impl Machine<'_> {
    /// A function for a key: `name(keys, changes)`. The changes that each last byte makes, and a register of the first ones again.
    ///
    /// # Errors
    /// The plan does not encrypt counters, or not by rounds of AES; so everywhere below.
    pub fn changes(&self, plan: &Plan, name: &str) -> Result<Program, Refusal> {
        let one = encrypted(plan)?;
        let Given::Keys(rows) = one.given[2] else { return Err(Refusal::new("no round keys")) };
        let cipher = stream(plan).map(|stream| stream.node).unwrap_or_default();
        let (body, files) = self.function(&plan.ciphers(), 1, &mut |maker| {
            maker.part = Part::First;
            let block = maker.same("block");
            let keys = maker.keys("keys", rows);
            let zero = Blocks::Same(maker.node.constant(Layout::BLOCK, 0));
            let [changed, unchanged] = [block, zero].map(|block| maker.cipher(&cipher, &block, keys));
            let (Some(changed), Some(unchanged)) = (changed, unchanged) else {
                return Err(Refusal::new("no first round"));
            };
            let change = maker.xor(&changed, &unchanged);
            maker.output("change", &change);
            Ok(())
        })?;
        let register = self.bytes();
        let blocks = self.in_register();
        let mut writer = Writer::new(self, name);
        let keys = writer.given(&Given::Keys(rows), None);
        let changes = writer.region("changes", Role::Output, Length::Constant(change_bytes(register)));
        let last = |byte: &dyn Fn(usize) -> u8| -> Vec<u8> {
            let of = |place: usize| if place % 16 == 15 { byte(place / 16) } else { 0 };
            (0..register as usize).map(of).collect()
        };
        let first = writer.constant(last(&|place| place as u8))?;
        let pace = writer.constant(last(&|_| blocks as u8))?;
        let (block, next) = (writer.register("block"), writer.register("block"));
        let induction = writer.induction();
        let arguments = [Argument::Registers(vec![block]), Argument::Memory(keys), Argument::Results];
        let spliced = writer.splice(&body, &arguments, &BTreeSet::new())?;
        let mut steps = spliced.before;
        let mut inside = spliced.steps;
        let change = one_of(&spliced.results)?;
        let at = Affine { constant: 0, terms: vec![(induction, register.into())] };
        inside.push(writer.store(changes, at, change)?);
        let row = self.row(Meaning::Add, 64)?;
        inside.push(Step::Compute { row, result: next, operands: vec![block, pace], immediate: None });
        // The last byte is the highest of a number of 64 bits: 256 is zero.
        let trips = Trips::Constant(RUN / blocks as u32 + 1);
        let turn = Block { locals: spliced.locals, steps: inside };
        steps.push(looped(induction, trips, (&[block], &[first], &[next]), turn));
        writer.function.body = Block { locals: Vec::new(), steps };
        Ok(writer.finish(files))
    }

    /// A function for a text: `name(block, number, keys, runs, bases)`. What the first round makes of the block with a number, in all
    /// places of a register, and of 256 blocks further on, and so on.
    ///
    /// # Errors
    /// See above.
    pub fn bases(&self, plan: &Plan, name: &str) -> Result<Program, Refusal> {
        let one = encrypted(plan)?;
        let (body, files) = self.function(&plan.ciphers(), 1, &mut |maker| {
            maker.part = Part::First;
            let slots = self.slots(&one, maker, &mut Vec::new())?;
            let made = one.made(&slots)?;
            maker.output("base", &made[0]);
            Ok(())
        })?;
        let register = self.bytes();
        let mut writer = Writer::new(self, name);
        let given: Vec<RegionId> = one.given.iter().map(|given| writer.given(given, None)).collect();
        let runs = writer.typed("runs", RegisterType::Count);
        writer.function.parameters.push(Parameter::Register(runs));
        let length = Length::Public { count: runs, factor: register };
        let bases = writer.region("bases", Role::Output, length);
        let mut steps = Vec::new();
        let block = writer.load_same(given[0], &mut steps)?;
        let first = writer.load_same(given[1], &mut steps)?;
        let pace = (0..register).map(|place| u8::from(place % BLOCK == 1)).collect();
        let pace = writer.constant(pace)?;
        let (number, next) = (writer.register("number"), writer.register("number"));
        let induction = writer.induction();
        let arguments = [
            Argument::Registers(vec![block]),
            Argument::Registers(vec![number]),
            Argument::Memory(given[2]),
            Argument::Results,
        ];
        let spliced = writer.splice(&body, &arguments, &BTreeSet::from([block]))?;
        steps.extend(spliced.before);
        let mut inside = spliced.steps;
        let at = Affine { constant: 0, terms: vec![(induction, register.into())] };
        inside.push(writer.store(bases, at, one_of(&spliced.results)?)?);
        let row = self.row(Meaning::Add, 64)?;
        inside.push(Step::Compute { row, result: next, operands: vec![number, pace], immediate: None });
        let turn = Block { locals: spliced.locals, steps: inside };
        steps.push(looped(induction, Trips::Public(runs), (&[number], &[first], &[next]), turn));
        writer.function.body = Block { locals: Vec::new(), steps };
        Ok(writer.finish(files))
    }
}

fn one_of(results: &[Vec<RegisterId>]) -> Result<RegisterId, Refusal> {
    let made = results.first().and_then(|made| made.first().copied());
    made.ok_or_else(|| Refusal::new("a result without a register"))
}

impl Maker {
    /// Makes the rounds of a cipher begin behind the first one: inputs for the base of the first block, those of the blocks of the last
    /// register, and the changes of all ([`Kept::loaded`]).
    pub(crate) fn begin_behind_first_round(&mut self) {
        let [base, last] = ["base", "last"].map(|name| self.same(name).values()[0]);
        let changes = self.each("changes").values().to_vec();
        let registers = changes.len();
        let of = |(place, change): (usize, ValueId)| {
            let base = if place + 1 == registers { last } else { base };
            self.node.binary(BinaryOp::Xor, base, change)
        };
        self.part = Part::Rest(Blocks::Each(changes.into_iter().enumerate().map(of).collect()));
    }
}

/// What a text has that is kept for a key.
#[derive(Clone, Copy)]
pub(crate) struct Kept {
    /// The changes.
    changes: RegionId,
    /// What the first round makes of blocks whose last byte is zero, run by run.
    bases: RegionId,
    /// The last byte of the counter that the text begins with, at most the blocks of a register.
    first: u32,
    /// Registers that are computed at once.
    registers: u32,
}

impl Kept {
    /// The regions of a function for a text.
    pub(crate) fn new(writer: &mut Writer<'_>, first: u32, registers: u32) -> Kept {
        let register = writer.machine.bytes();
        let changes = writer.region("changes", Role::Input, Length::Constant(change_bytes(register)));
        let bases = writer.region("bases", Role::Input, Length::Constant(BASES * register));
        Kept { changes, bases, first, registers }
    }

    /// The registers that a turn needs ([`Maker::begin_behind_first_round`]), of its number.
    pub(crate) fn loaded(
        self,
        writer: &mut Writer<'_>,
        number: &Affine,
        steps: &mut Vec<Step>,
    ) -> Result<[Vec<RegisterId>; 3], Refusal> {
        let (register, blocks) = (writer.machine.bytes(), writer.machine.in_register() as u32);
        let (pace, first) = (self.registers * register, self.first * BLOCK);
        // Turns in a run. Its last register ends in the next one, by as many blocks as it began late.
        let turns = RUN / (self.registers * blocks);
        let next = Affine { constant: number.constant + 1, terms: number.terms.clone() };
        let mut steps_of = Vec::new();
        let place = {
            let mut count = |name: &str, value: Public| writer.public(name, value, &mut steps_of);
            let this = count("turn", Public::Index(number.clone()));
            let next = count("next", Public::Index(next));
            let place = count("place", Public::Remainder { of: this, by: turns });
            let [run, end] = [this, next].map(|of| count("run", Public::Quotient { of, by: turns }));
            let sum = |constant: u32, terms: &[(RegisterId, u32)]| {
                let terms = terms.iter().filter(|(_, factor)| *factor != 0);
                let terms = terms.map(|&(count, factor)| (count, i64::from(factor))).collect();
                Public::Sum { constant: constant.into(), terms }
            };
            [
                count("at", sum(first, &[(place, pace)])),
                count("base", sum(0, &[(run, register)])),
                count("last", sum(0, &[(run, register - first), (end, first)])),
            ]
        };
        steps.append(&mut steps_of);
        let whole = Length::Constant(register);
        let changes = writer.view_of(self.changes, place[0], Length::Constant(pace), steps);
        let bases = [place[1], place[2]].map(|at| writer.view_of(self.bases, at, whole, steps));
        let mut load = |region, at: u32| writer.load(region, Affine::constant(at.into()), steps);
        let [base, last] = [load(bases[0], 0)?, load(bases[1], 0)?];
        let all = (0..self.registers).map(|number| load(changes, number * register));
        Ok([vec![base], vec![last], all.collect::<Result<_, _>>()?])
    }
}

impl MessageWriter<'_> {
    /// Where a first counter is a public block that ends as it must: the condition in C.
    pub(crate) fn first_counter_is_public(&mut self, id: VariableId) -> Option<String> {
        let message = self.message;
        message.body.iter().find_map(|statement| {
            let Statement::If { condition, then, otherwise } = statement else { return None };
            let condition = self.condition(condition);
            let mut makes = |branch: &[Statement]| {
                branch.iter().any(|statement| match statement {
                    Statement::Step(step) if step.outputs[..] == [Target::Variable(id)] => {
                        self.last_byte(branch, step) == Some(FIRST)
                    }
                    _ => false,
                })
            };
            match (makes(then), makes(otherwise)) {
                (true, _) => Some(condition),
                (_, true) => Some(format!("!{condition}")),
                _ => None,
            }
        })
    }

    /// The last byte of the block that a step makes, if that is always the same: of the step itself, or of what its input ends with.
    fn last_byte(&mut self, branch: &[Statement], step: &form::Step) -> Option<u8> {
        let made = self.form(&step.node).ok()?;
        let last = made.outputs.first()?.get(120..128)?;
        if let Some(byte) = constant(last) {
            return Some(byte);
        }
        let inside = |(bit, place): (&Bit, u32)| match bit.terms[..] {
            [(value, at)] if at == place && !bit.constant => match made.values.get(value)? {
                Value::Input(input) => Some(*input),
                _ => None,
            },
            _ => None,
        };
        let inputs: Option<BTreeSet<usize>> = last.iter().zip(120..).map(inside).collect();
        let input = inputs.filter(|inputs| inputs.len() == 1)?.pop_first()?;
        let (Some(128), Some(Source::Text(text))) = (made.inputs.get(input), step.inputs.get(input)) else {
            return None;
        };
        let Some(Piece::Window(end)) = text.last() else { return None };
        let (start, length) = (end.start.as_constant()?, end.length.as_constant()?);
        let at = usize::try_from(8 * (start + length - 1)).ok().filter(|_| length > 0)?;
        let node = branch.iter().find_map(|statement| match statement {
            Statement::Step(one) if one.outputs[..] == [Target::Variable(end.variable)] => Some(&one.node),
            _ => None,
        })?;
        constant(self.form(node).ok()?.outputs.first()?.get(at..at + 8)?)
    }
}

/// A byte that depends on nothing.
fn constant(bits: &[Bit]) -> Option<u8> {
    let is_constant = bits.iter().all(|bit| bit.terms.is_empty());
    is_constant.then(|| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(bit.constant)))
}
