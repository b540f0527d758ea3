//! Long strings of a linear scan, in pieces: sections of the longest size. The products of a piece stand between the rounds of the
//! cipher of the next one, which need nothing of them, and are reduced once.
//!
//! A piece is multiplied two registers at a time. The lower halves of their blocks lie side by side in one register and the upper
//! halves in another, and so do those of the powers, from a table of their own; so each sum of three products is six instructions
//! for two registers (Karatsuba: A. Karatsuba, Yu. Ofman, "Multiplication of many-digital numbers by automatic computers", 1962).

use crate::first_round::{FIRST, Kept, most};
use crate::machine::Machine;
use crate::montgomery::{Pair, Products};
use crate::node::Blocks;
use crate::overlap::{begun, beside_stores, overlapped};
use crate::plan::{Given, Plan, Refusal, Slot};
use crate::scan::turn;
use crate::section::{LONGEST, late, looped, renewed};
use crate::splice::Argument;
use crate::spread::{Tail, is_round, mingled};
use crate::writer::Writer;
use std::collections::{BTreeMap, BTreeSet};
use usuba_algebra::product::Product;
use usuba_codegen::Scheduling;
use usuba_ir::program::{Affine, InductionId};
use usuba_machine::program::{
    Block, Function, Length, Parameter, Program, Public, RegionId, RegisterId, Role, Step, Trips,
};

/// Pairs of registers in a piece.
const PAIRS: u32 = LONGEST / 2;

/// Registers of a turn: half a piece.
const HALF: u32 = LONGEST / 2;

/// The sums of products of pairs.
const SUMS: [&str; 3] = ["low", "high", "both"];

/// Registers of the table of powers two by two: their lower halves, their upper halves, and the sums of both.
pub const PAIRED: u32 = 3 * PAIRS;

/// Where the positions that are multiplied come from.
#[derive(Clone, Copy)]
enum Added {
    /// A string that is given: those of a piece are multiplied in the turn of that piece.
    Given(Slot),
    /// The result of that number: those of a piece are multiplied in the turn of the next one.
    Result(usize),
}

/// The half of a piece whose products a turn adds up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    /// The first: a sum begins.
    First,
    /// The second: the sum is reduced.
    Second,
}

impl Half {
    /// Its first register, among those of the piece.
    fn start(self) -> u32 {
        match self {
            Half::First => 0,
            Half::Second => HALF,
        }
    }
}

/// What goes from turn to turn.
#[derive(Clone, Default)]
struct State {
    /// What came before, a sum in each place of the register.
    sum: Vec<RegisterId>,
    /// The sums of products of the first half of a piece, if the second is not added yet.
    halves: Vec<RegisterId>,
    /// The numbers of the next positions.
    numbers: Vec<RegisterId>,
}

impl State {
    fn all(&self) -> Vec<RegisterId> {
        [&self.sum[..], &self.halves, &self.numbers].concat()
    }

    /// The same with a new register for each.
    fn renewed(&self, writer: &mut Writer<'_>) -> State {
        State {
            sum: renewed(writer, &self.sum),
            halves: renewed(writer, &self.halves),
            numbers: renewed(writer, &self.numbers),
        }
    }
}

impl Added {
    fn of(plan: &Plan) -> Result<Added, Refusal> {
        let slot = *plan.next.first().ok_or_else(|| Refusal::new("nothing is added"))?;
        if plan.given.get(slot) == Some(&Given::Each) {
            return Ok(Added::Given(slot));
        }
        let result = plan.results.iter().position(|result| *result == slot);
        result.map(Added::Result).ok_or_else(|| Refusal::new("what is added is no string"))
    }
}

impl Machine<'_> {
    /// A function that makes the table of powers two by two of that of all powers: `name(powers, paired)`.
    ///
    /// # Errors
    /// The target lacks something; so everywhere below.
    pub fn paired(&self, name: &str) -> Result<Program, Refusal> {
        let (body, files) = self.function(&BTreeSet::new(), 2, &mut |maker| {
            let powers = maker.each("powers");
            let pair = Pair::of(&mut maker.node, [powers.values()[0], powers.values()[1]]);
            for (number, value) in pair.parts().into_iter().enumerate() {
                maker.output(&format!("part{number}"), &Blocks::Same(value));
            }
            Ok(())
        })?;
        let mut writer = Writer::new(self, name);
        let register = self.bytes();
        let powers = writer.region("powers", Role::Input, Length::Constant(LONGEST * register));
        let paired = writer.region("paired", Role::Output, Length::Constant(PAIRED * register));
        let mut inside = Vec::new();
        let induction = writer.induction();
        let at = |place: u32, factor: u32| Affine {
            constant: i64::from(place * register),
            terms: vec![(induction, i64::from(factor * register))],
        };
        let both =
            vec![writer.load(powers, at(0, 2), &mut inside)?, writer.load(powers, at(1, 2), &mut inside)?];
        let arguments = [Argument::Registers(both), Argument::Results, Argument::Results, Argument::Results];
        let spliced = writer.splice(&body, &arguments, &BTreeSet::new())?;
        inside.extend(spliced.before);
        inside.extend(spliced.steps);
        for (part, made) in (0..).zip(&spliced.results) {
            let value = *made.first().ok_or_else(|| Refusal::new("a part without a register"))?;
            inside.push(writer.store(paired, at(part * PAIRS, 1), value)?);
        }
        let block = Block { locals: spliced.locals, steps: inside };
        let steps = vec![looped(induction, Trips::Constant(PAIRS), (&[], &[], &[]), block)];
        writer.function.body = Block { locals: Vec::new(), steps };
        Ok(writer.finish(files))
    }

    /// Code of a turn. It gets, if it adds: the sums of the first half, the sum of what came before and the power of a piece if it adds
    /// the second half; the registers that are multiplied, and the three parts of the table; and what a plan is given, if it goes on.
    /// It makes the results of the plan, the sums or the sum, and the next numbers.
    fn turning(
        &self,
        plan: &Plan,
        product: &Product,
        keeps: bool,
        (adds, goes_on): (Option<Half>, bool),
    ) -> Result<(Function, Vec<String>), Refusal> {
        let none = Plan::default();
        let plan = if goes_on { plan } else { &none };
        let ciphers = plan.ciphers();
        let (function, files) = self.ordered(Scheduling::SOURCE, &ciphers, HALF as usize, &mut |maker| {
            let mut sums = Vec::new();
            if let Some(half) = adds {
                let mut halves = None;
                let mut before = None;
                if half == Half::Second {
                    halves = Some(SUMS.map(|name| maker.same(name).values()[0]));
                    before = Some(["sum", "power"].map(|name| maker.same(name).values()[0]));
                }
                let added = maker.each("added");
                let parts = SUMS.map(|name| maker.several(name, HALF / 2));
                for (number, two) in added.values().chunks_exact(2).enumerate() {
                    let two = turn(maker, product, false, &Blocks::Each(two.to_vec()))?;
                    let pair = Pair::of(&mut maker.node, [two.values()[0], two.values()[1]]);
                    let powers = Pair::of_parts([0, 1, 2].map(|part| parts[part][number]));
                    halves = Some(pair.times(&mut maker.node, powers, halves));
                }
                let halves = halves.ok_or_else(|| Refusal::new("no products"))?;
                match before {
                    None => sums.extend(halves),
                    // What came before is known last.
                    Some([before, power]) => {
                        let before = Products::of(&mut maker.node, before, power);
                        let all = Products::of_sums(&mut maker.node, halves).plus(&mut maker.node, before);
                        sums.push(all.reduced(&mut maker.node));
                    }
                }
            }
            if keeps && goes_on {
                maker.begin_behind_first_round();
            }
            let mut numbers = Vec::new();
            let slots = self.slots(plan, maker, &mut numbers)?;
            if keeps {
                numbers.clear();
            }
            let mut made = plan.made(&slots)?;
            made.truncate(plan.results.len());
            let sums = sums.into_iter().map(Blocks::Same);
            for (number, blocks) in made.into_iter().chain(sums).chain(numbers).enumerate() {
                maker.output(&format!("made{number}"), &blocks);
            }
            Ok(())
        })?;
        if adds.is_none() || !goes_on {
            return Ok((function, files));
        }
        let numbers = plan.given.iter().filter(|given| !keeps && **given == Given::Number).count();
        let sums = if adds == Some(Half::First) { SUMS.len() } else { 1 };
        let sums = function.parameters.iter().rev().skip(numbers).take(sums).copied();
        let sums: Vec<Parameter> = sums.collect();
        Ok((mingled(function, &sums, Tail::Behind), files))
    }

    /// A function for long strings: `name(given…, powers, paired, [changes, bases], pieces, sum, results…)`; with those two if the first
    /// round is kept for a key ([`crate::first_round`]), at most 64 pieces. A piece is [`LONGEST`] registers of
    /// positions, and a section. `sum` is what came before, a sum in each place of a register, and gets what there is after them.
    ///
    /// # Errors
    /// See above; and what is added must be a string that is given or a result.
    pub fn pieces(
        &self,
        plan: &Plan,
        product: &Product,
        keeps: bool,
        name: &str,
    ) -> Result<Program, Refusal> {
        let register = self.bytes();
        let piece = register * LONGEST;
        let added = Added::of(plan)?;
        let (one, files) = self.turning(plan, product, keeps, (Some(Half::First), true))?;
        let (other, _) = self.turning(plan, product, keeps, (Some(Half::Second), true))?;
        let mut writer = Writer::new(self, name);
        let pieces = writer.count("pieces");
        let length = Length::Public { count: pieces, factor: piece };
        let string = |writer: &mut Writer<'_>, one: &Given| match one {
            Given::Each => writer.region("text", Role::Input, length),
            other => writer.given(other, None),
        };
        let given: Vec<RegionId> = plan.given.iter().map(|one| string(&mut writer, one)).collect();
        let powers = writer.region("powers", Role::Input, Length::Constant(16));
        let paired = writer.region("paired", Role::Input, Length::Constant(PAIRED * register));
        let kept = keeps.then(|| Kept::new(&mut writer, u32::from(FIRST) + 1, HALF));
        writer.function.parameters.push(Parameter::Register(pieces));
        let sum = writer.region("sum", Role::Changed, Length::Constant(register));
        let results: Vec<RegionId> =
            plan.results.iter().map(|_| writer.region("result", Role::Output, length)).collect();
        let mut steps = Vec::new();
        let mut same = BTreeMap::new();
        let mut state = State::default();
        state.sum.push(writer.load(sum, Affine::constant(0), &mut steps)?);
        for (number, (one, &region)) in plan.given.iter().zip(&given).enumerate() {
            match one {
                Given::Same => {
                    same.insert(number, writer.load_same(region, &mut steps)?);
                }
                Given::Number => {
                    let first = writer.load_same(region, &mut steps)?;
                    match keeps {
                        // What the cipher would get is not made.
                        true => drop(same.insert(number, first)),
                        false => state.numbers.push(writer.spread(first, &mut steps)?),
                    }
                }
                _ => {}
            }
        }
        let power = writer.load_block(powers, 0, &mut steps)?;
        let fixed: BTreeSet<RegisterId> = same.values().copied().chain([power]).collect();
        let mut long = Long { plan, added, same, fixed, given, results, paired, power, kept };
        let pieces = match keeps {
            true => {
                let bound = most(LONGEST * self.in_register() as u32);
                writer.public("least", Public::Least { of: pieces, bound }, &mut steps)
            }
            false => pieces,
        };
        let at = |constant: u32, terms: &[(InductionId, u32)]| Affine {
            constant: i64::from(constant),
            terms: terms.iter().map(|&(induction, factor)| (induction, i64::from(factor))).collect(),
        };
        let half = register * HALF;
        let over = writer.induction();
        let mut once = Block::default();
        let entered;
        if let Added::Given(_) = added {
            // Both turns of a piece multiply what they read.
            entered = state.renewed(&mut writer);
            let mut turns = Vec::new();
            let mut now = entered.clone();
            for (body, which, start) in [(&one, Half::First, 0), (&other, Half::Second, half)] {
                let place = at(start, &[(over, piece)]);
                let adds = Some((which, place.clone()));
                turns.push(long.turn(&mut writer, body, &mut now, (Some(place), adds), &mut once)?);
            }
            let block = overlapping(&mut writer, turns);
            let repeats =
                looped(over, Trips::Public(pieces), (&entered.all(), &state.all(), &now.all()), block);
            once.steps.extend(repeated(&mut writer, repeats));
            once.steps.push(writer.store(sum, Affine::constant(0), entered.sum[0])?);
            steps.extend(once.steps);
        } else {
            let (first, _) = self.turning(plan, product, keeps, (None, true))?;
            let (last, _) = self.turning(plan, product, keeps, (Some(Half::Second), false))?;
            let any = writer.public("any", Public::Least { of: pieces, bound: 1 }, &mut steps);
            let more = Public::Sum { constant: 0, terms: vec![(pieces, 1), (any, -1)] };
            let more = writer.public("more", more, &mut steps);
            // If there is a piece. Each turn multiplies what the turn before it made.
            let only = writer.induction();
            let mut begin =
                vec![long.turn(&mut writer, &first, &mut state, (Some(at(0, &[])), None), &mut once)?];
            let adds = Some((Half::First, at(0, &[])));
            begin.push(long.turn(&mut writer, &one, &mut state, (Some(at(half, &[])), adds), &mut once)?);
            // Pieces with another one before them.
            entered = state.renewed(&mut writer);
            let mut now = entered.clone();
            let (text, adds) = (at(piece, &[(over, piece)]), (Half::Second, at(half, &[(over, piece)])));
            let mut turns =
                vec![long.turn(&mut writer, &other, &mut now, (Some(text), Some(adds)), &mut once)?];
            let (text, adds) =
                (at(piece + half, &[(over, piece)]), (Half::First, at(piece, &[(over, piece)])));
            turns.push(long.turn(&mut writer, &one, &mut now, (Some(text), Some(adds)), &mut once)?);
            let mut inside = overlapping(&mut writer, begin);
            let block = overlapping(&mut writer, turns);
            let repeats =
                looped(over, Trips::Public(more), (&entered.all(), &state.all(), &now.all()), block);
            inside.steps.extend(repeated(&mut writer, repeats));
            // The last one.
            let offset = Public::Sum { constant: 0, terms: vec![(more, i64::from(piece))] };
            let offset = writer.public("behind", offset, &mut inside.steps);
            for region in &mut long.results {
                *region = writer.view_of(*region, offset, Length::Constant(piece), &mut inside.steps);
            }
            let mut now = entered.clone();
            let adds = Some((Half::Second, at(half, &[])));
            let end = long.turn(&mut writer, &last, &mut now, (None, adds), &mut once)?;
            inside.steps.extend(end.steps);
            inside.steps.push(writer.store(sum, Affine::constant(0), now.sum[0])?);
            steps.extend(once.steps);
            steps.push(looped(only, Trips::Public(any), (&[], &[], &[]), inside));
        }
        writer.function.body = Block { locals: Vec::new(), steps };
        Ok(writer.finish(files))
    }
}

/// Turns one after the other, as a block: what a turn begins with stands at the end of the one before it.
fn overlapping(writer: &mut Writer<'_>, turns: Vec<TurnCode>) -> Block {
    let mut block = Block::default();
    for turn in turns {
        block.locals.extend(turn.locals);
        let (head, rest) = begun(&writer.function, turn.steps, &turn.numbers, &is_round);
        let steps = std::mem::take(&mut block.steps);
        block.steps = beside_stores(steps, head);
        block.steps.extend(rest);
    }
    block
}

/// A loop whose turns overlap.
fn repeated(writer: &mut Writer<'_>, step: Step) -> Vec<Step> {
    let Step::Loop(looped) = step else { return vec![step] };
    let (mut steps, looped) = overlapped(&mut writer.function, looped, &is_round);
    steps.push(Step::Loop(looped));
    steps
}

/// The code of a turn.
struct TurnCode {
    steps: Vec<Step>,
    /// Regions of its own.
    locals: Vec<RegionId>,
    /// The numbers that it begins with.
    numbers: Vec<RegisterId>,
}

/// Pieces of long strings.
struct Long<'p> {
    plan: &'p Plan,
    added: Added,
    same: BTreeMap<usize, RegisterId>,
    fixed: BTreeSet<RegisterId>,
    given: Vec<RegionId>,
    results: Vec<RegionId>,
    paired: RegionId,
    power: RegisterId,
    kept: Option<Kept>,
}

impl Long<'_> {
    /// A turn: the plan for the positions at a place of the strings, if there is one, and the products of those at another one, if
    /// there is one. What no turn changes goes to the first steps.
    fn turn(
        &self,
        writer: &mut Writer<'_>,
        body: &Function,
        state: &mut State,
        (text, adds): (Option<Affine>, Option<(Half, Affine)>),
        once: &mut Block,
    ) -> Result<TurnCode, Refusal> {
        let register = i64::from(writer.machine.bytes());
        let place = |first: &Affine, number: u32| Affine {
            constant: first.constant + register * i64::from(number),
            terms: first.terms.clone(),
        };
        let mut arguments = Vec::new();
        let mut inside = Vec::new();
        let kept = match (self.kept, &text) {
            (Some(kept), Some(text)) => {
                let half = register * i64::from(HALF);
                let terms = text.terms.iter().map(|&(induction, factor)| (induction, factor / half));
                let number = Affine { constant: text.constant / half, terms: terms.collect() };
                Some(kept.loaded(writer, &number, &mut inside)?)
            }
            _ => None,
        };
        let mut loaded = |writer: &mut Writer<'_>, region: RegionId, first: &Affine, count: u32| {
            let registers = (0..count).map(|number| writer.load(region, place(first, number), &mut inside));
            Ok::<_, Refusal>(Argument::Registers(registers.collect::<Result<_, _>>()?))
        };
        if let Some((half, added)) = &adds {
            if *half == Half::Second {
                let given = state.halves.iter().chain(&state.sum).chain([&self.power]);
                arguments.extend(given.map(|&one| Argument::Registers(vec![one])));
            }
            let region = match self.added {
                Added::Given(slot) => self.given[slot],
                Added::Result(number) => self.results[number],
            };
            arguments.push(loaded(writer, region, added, HALF)?);
            for part in 0..SUMS.len() as u32 {
                let first = place(&Affine::constant(0), part * PAIRS + half.start() / 2);
                arguments.push(loaded(writer, self.paired, &first, HALF / 2)?);
            }
        }
        if let Some(text) = &text {
            arguments.extend(kept.into_iter().flatten().map(Argument::Registers));
            let mut numbers = state.numbers.iter();
            for (number, (one, &region)) in self.plan.given.iter().zip(&self.given).enumerate() {
                arguments.push(match one {
                    Given::Each => loaded(writer, region, text, HALF)?,
                    Given::Keys(_) => Argument::Memory(region),
                    Given::Number if self.kept.is_none() => {
                        Argument::Registers(numbers.next().copied().into_iter().collect())
                    }
                    _ => Argument::Registers(self.same.get(&number).copied().into_iter().collect()),
                });
            }
        }
        arguments.extend(vec![Argument::Results; body.parameters.len() - arguments.len()]);
        let spliced = writer.splice(body, &arguments, &self.fixed)?;
        once.steps.extend(spliced.before);
        // A string may be loaded for the products alone.
        let mut read = BTreeSet::new();
        for step in &spliced.steps {
            step.reads(&mut |register| {
                read.insert(register);
            });
        }
        read.extend(spliced.results.iter().flatten());
        inside.retain(|step| !matches!(step, Step::Load { result, .. } if !read.contains(result)));
        inside.extend(spliced.steps);
        let results = if text.is_some() { self.results.len() } else { 0 };
        let (made, rest) = spliced.results.split_at(results);
        let mut stores = BTreeMap::new();
        for (registers, &region) in made.iter().zip(&self.results) {
            for (number, &value) in (0..).zip(registers) {
                let at = text.as_ref().map_or(Affine::constant(0), |text| place(text, number));
                stores.entry(value).or_insert_with(Vec::new).push(writer.store(region, at, value)?);
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
        let numbers = state.numbers.clone();
        let mut rest = rest.concat();
        match adds {
            Some((Half::First, _)) => state.halves = rest.drain(..SUMS.len()).collect(),
            Some((Half::Second, _)) => {
                state.halves.clear();
                state.sum = rest.drain(..1).collect();
            }
            None => {}
        }
        if text.is_some() {
            state.numbers = rest;
        }
        Ok(TurnCode { steps, locals: spliced.locals, numbers })
    }
}
