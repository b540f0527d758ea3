//! Rows: the blocks of a short message, or of what is left of a long one, side by side in registers.
//!
//! A row may begin with a block that is no text. There the cipher makes what the message needs beside its text, as E(K, J0) of GCM,
//! and the sum gets a block of its own, as the associated data. Then comes the text, whose last block may be shorter. Behind it, in
//! the same register if there is a place left, comes one block for the sum, as the lengths. A row has a register for every four
//! blocks of AVX-512, whatever they are, so that few registers go through the cipher and through products.
//!
//! A row is computed in stretches of some registers: the first, those between, and the last. Each is straight code.

use crate::machine::Machine;
use crate::montgomery::Staggered;
use crate::node::Blocks;
use crate::plan::{Given, Plan, Refusal};
use crate::scan::turn;
use crate::section::{PARTS, TABLE, late};
use crate::splice::Argument;
use crate::writer::Writer;
use std::collections::BTreeSet;
use usuba_algebra::product::Product;
use usuba_ir::program::{Affine, BinaryOp};
use usuba_machine::program::{
    Function, Length, Parameter, Program, Public, RegionId, RegisterId, Role, Step,
};
use usuba_target::Meaning;

/// Bytes of a block.
pub(crate) const BLOCK: u32 = 16;

/// Registers of a stretch that is not the last: as many as keep rounds busy.
pub const STRETCH: u32 = 4;

/// The most registers of the last stretch. One register by itself would be left for the end too often, and its rounds wait for one
/// another.
pub const LAST: u32 = 5;

/// Some registers of a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Stretch {
    /// How many.
    pub registers: u32,
    /// Whether the row begins here, with a block that is no text.
    pub begins: bool,
    /// Whether the row ends here: the last register is not full of text, and may have one more block for the sum.
    pub ends: bool,
}

impl Stretch {
    /// Registers that are full of text, but for the block that the row begins with.
    pub fn full(self) -> u32 {
        self.registers - u32::from(self.ends)
    }

    /// Bytes of text in these, of registers of so many bytes.
    pub fn text(self, register: u32) -> u32 {
        let front = if self.begins { BLOCK } else { 0 };
        (self.full() * register).saturating_sub(front)
    }

    /// Whether it is the whole row.
    fn is_one(self) -> bool {
        self.begins && self.registers == 1
    }

    /// Whether the bytes of the last register are masked when they are added.
    pub(crate) fn has_ones(self, plan: &Plan) -> bool {
        self.ends && !self.is_one() && !is_loaded(plan)
    }
}

/// Whether what a plan adds is a string that it is given, in which nothing but text stands.
pub(crate) fn is_loaded(plan: &Plan) -> bool {
    plan.next.iter().all(|&slot| plan.given.get(slot).is_some_and(|given| *given == Given::Each))
}

impl Machine<'_> {
    /// A function for a stretch: `name(given…, powers, [front, front_bytes, [leading]], [end, place, [ones], bytes], low,
    /// high, results…, [lead])`. Of strings that are given or made it has the bytes in full registers, if there are any, and then, if
    /// the row ends, those of the last register, which are `bytes`. `powers` begins with that of the first block.
    ///
    /// Where a row begins, `front` has at most a block for the sum, of `front_bytes`; `leading` has a block of zeros and then 255 in all
    /// bytes; numbers are counted from that block; the parts of the sum are made, not added to; `lead` gets a register that begins with the first result for a text of zeros.
    /// Where it ends, `end` is the block behind the text, and `place` has 255 in all bytes of its place, or zeros if it has none here.
    /// `leading` and `ones` are given only if results are added.
    ///
    /// # Errors
    /// The target lacks something, or the plan is beyond blocks.
    pub fn stretch(
        &self,
        plan: &Plan,
        product: &Product,
        of: Stretch,
        name: &str,
    ) -> Result<Program, Refusal> {
        let register = self.bytes();
        let is_loaded = is_loaded(plan);
        let (body, files) = self.stretch_body(plan, product, of)?;
        let mut writer = Writer::new(self, name);
        // The strings in full registers and in the last one.
        let bytes = writer.count("bytes");
        let front_bytes = writer.count("front_bytes");
        let text = Length::Constant(of.text(register));
        let rest = Length::Public { count: bytes, factor: 1 };
        let string = |writer: &mut Writer<'_>, name: &str, role: Role| -> [Option<RegionId>; 2] {
            let full = (of.full() > 0).then(|| writer.region(name, role, text));
            let last = of.ends.then(|| writer.region(&format!("{name}_rest"), role, rest));
            [full, last]
        };
        let given: Vec<[Option<RegionId>; 2]> = plan
            .given
            .iter()
            .map(|given| match given {
                Given::Each => string(&mut writer, "text", Role::Input),
                other => [Some(writer.given(other, None)), None],
            })
            .collect();
        let length = Length::Constant((TABLE + of.registers) * register);
        let powers = writer.region("powers", Role::Input, length);
        let whole = Length::Constant(register);
        let input = |writer: &mut Writer<'_>, name: &str, wanted: bool, length: Length| {
            wanted.then(|| writer.region(name, Role::Input, length))
        };
        let front = input(&mut writer, "front", of.begins, Length::Public { count: front_bytes, factor: 1 });
        if of.begins {
            writer.function.parameters.push(Parameter::Register(front_bytes));
        }
        let leading = input(&mut writer, "leading", of.begins && !is_loaded, whole);
        let end = of.ends.then(|| writer.given(&Given::Same, None));
        let place = input(&mut writer, "place", of.ends, whole);
        let ones = input(&mut writer, "ones", of.has_ones(plan), whole);
        if of.ends {
            writer.function.parameters.push(Parameter::Register(bytes));
        }
        let role = if of.begins { Role::Output } else { Role::Changed };
        let parts = PARTS.map(|name| writer.region(name, role, whole));
        let results: Vec<[Option<RegionId>; 2]> =
            plan.results.iter().map(|_| string(&mut writer, "result", Role::Output)).collect();
        let lead = of.begins.then(|| writer.region("lead", Role::Output, whole));

        let mut steps = Vec::new();
        let first = register - BLOCK;
        let constant = |writer: &mut Writer<'_>, constant: i64, steps: &mut Vec<Step>| {
            writer.public("bytes", Public::Sum { constant, terms: Vec::new() }, steps)
        };
        let bound = if of.is_one() { first - 1 } else { register - 1 };
        let last = of.ends.then(|| writer.public("last", Public::Least { of: bytes, bound }, &mut steps));
        let mut arguments: Vec<Argument> = Vec::new();
        let one = |register: RegisterId| Argument::Registers(vec![register]);
        for region in parts.into_iter().filter(|_| !of.begins) {
            arguments.push(one(writer.load(region, Affine::constant(0), &mut steps)?));
        }
        let (mut all, mut second) = (Vec::new(), Vec::new());
        for number in 0..of.registers {
            let both = self.both(&mut writer, powers, number * register, &mut steps)?;
            all.push(both[0]);
            second.push(both[1]);
        }
        arguments.extend([all, second].map(Argument::Registers));
        if let Some(front) = front {
            let least = Public::Least { of: front_bytes, bound: BLOCK };
            let count = writer.public("front", least, &mut steps);
            arguments.push(one(writer.load_part(front, count, &mut steps)?));
        }
        if let Some(leading) = leading {
            arguments.push(one(match last.filter(|_| of.is_one()) {
                Some(last) => {
                    let sum = Public::Sum { constant: i64::from(BLOCK), terms: vec![(last, 1)] };
                    let count = writer.public("shape", sum, &mut steps);
                    writer.load_part(leading, count, &mut steps)?
                }
                None => writer.load(leading, Affine::constant(0), &mut steps)?,
            }));
        }
        if let (Some(end), Some(place)) = (end, place) {
            arguments.push(one(writer.load_same(end, &mut steps)?));
            arguments.push(one(writer.load(place, Affine::constant(0), &mut steps)?));
        }
        if let (Some(ones), Some(last)) = (ones, last) {
            arguments.push(one(writer.load_part(ones, last, &mut steps)?));
        }
        // Register by register: where its text is, and how much of it.
        let place = |[full, rest]: [Option<RegionId>; 2], number: u32| -> Result<(RegionId, i64), Refusal> {
            let is_last = of.ends && number == of.registers - 1;
            let region = if is_last { rest } else { full };
            let at = i64::from(number * register) - if of.begins { i64::from(BLOCK) } else { 0 };
            let region = region.ok_or_else(|| Refusal::new("a string without a place"))?;
            Ok((region, if is_last { 0 } else { at.max(0) }))
        };
        let mut counts: Vec<Option<RegisterId>> = Vec::new();
        for number in 0..of.registers {
            counts.push(match last.filter(|_| number == of.registers - 1) {
                Some(last) => Some(last),
                None if of.begins && number == 0 => Some(constant(&mut writer, first.into(), &mut steps)),
                None => None,
            });
        }
        for (kind, regions) in plan.given.iter().zip(&given) {
            arguments.push(match (kind, regions[0]) {
                (Given::Each, _) => {
                    let mut loaded = Vec::new();
                    for (number, count) in (0..).zip(&counts) {
                        let (region, at) = place(*regions, number)?;
                        let mut value = match count {
                            Some(count) => writer.load_part(region, *count, &mut steps)?,
                            None => writer.load(region, Affine::constant(at), &mut steps)?,
                        };
                        if of.begins && number == 0 {
                            // The last place has no text.
                            value = self.rotated(&mut writer, value, true, &mut steps)?;
                        }
                        loaded.push(value);
                    }
                    Argument::Registers(loaded)
                }
                (Given::Keys(_), Some(region)) => Argument::Memory(region),
                (Given::Number, Some(region)) => {
                    let first = writer.load_same(region, &mut steps)?;
                    one(writer.spread(first, &mut steps)?)
                }
                (_, Some(region)) => one(writer.load_same(region, &mut steps)?),
                (_, None) => return Err(Refusal::new("a block without a place")),
            });
        }
        arguments.extend(vec![Argument::Results; results.len() + parts.len()]);
        let spliced = writer.splice(&body, &arguments, &BTreeSet::new())?;
        steps.extend(spliced.before);
        steps.extend(spliced.steps);
        for (made, regions) in spliced.results.iter().zip(&results) {
            for ((&value, number), count) in made.iter().zip(0..).zip(&counts) {
                let (region, at) = place(*regions, number)?;
                let value = match of.begins && number == 0 {
                    true => self.rotated(&mut writer, value, false, &mut steps)?,
                    false => value,
                };
                steps.push(match count {
                    Some(count) => writer.store_part(region, value, *count)?,
                    None => writer.store(region, Affine::constant(at), value)?,
                });
            }
        }
        let made = |place: usize| {
            let value = spliced.results.get(place).and_then(|made| made.first().copied());
            value.ok_or_else(|| Refusal::new("a result without a register"))
        };
        for (number, region) in parts.into_iter().enumerate() {
            steps.push(writer.store(region, Affine::constant(0), made(results.len() + number)?)?);
        }
        if let Some(lead) = lead {
            steps.push(writer.store(lead, Affine::constant(0), made(0)?)?);
        }
        writer.function.body.locals = spliced.locals;
        writer.function.body.steps = late(steps);
        Ok(writer.finish(files))
    }

    /// The code of a stretch on its registers: parts of a sum, powers, what the masks and blocks at both ends are, and what a plan is
    /// given.
    fn stretch_body(
        &self,
        plan: &Plan,
        product: &Product,
        of: Stretch,
    ) -> Result<(Function, Vec<String>), Refusal> {
        let is_loaded = is_loaded(plan);
        self.function(&plan.ciphers(), of.registers as usize, &mut |maker| {
            let parts = (!of.begins).then(|| PARTS.map(|name| maker.same(name).values()[0]));
            let [powers, second] = ["powers", "second"].map(|name| maker.each(name).values().to_vec());
            let mut given = |name: &str, wanted: bool| wanted.then(|| maker.same(name).values()[0]);
            let front = given("front", of.begins);
            let leading = given("leading", of.begins && !is_loaded);
            let (end, place) = (given("end", of.ends), given("place", of.ends));
            let trailing = given("trailing", of.has_ones(plan));
            let slots = self.slots(plan, maker, &mut Vec::new())?;
            let made = plan.made(&slots)?;
            let (added, results) = made.split_last().ok_or_else(|| Refusal::new("nothing is added"))?;
            let Blocks::Each(mut added) = added.clone() else {
                return Err(Refusal::new("what is added is the same for all positions"));
            };
            let node = &mut maker.node;
            let last = added.len() - 1;
            if let Some(mask) = leading {
                added[0] = node.binary(BinaryOp::And, added[0], mask);
            }
            if let Some(mask) = trailing {
                added[last] = node.binary(BinaryOp::And, added[last], mask);
            }
            if let Some(front) = front {
                added[0] = node.binary(BinaryOp::Xor, added[0], front);
            }
            if let (Some(end), Some(place)) = (end, place) {
                let end = node.binary(BinaryOp::And, end, place);
                added[last] = node.binary(BinaryOp::Xor, added[last], end);
            }
            let added = turn(maker, product, false, &Blocks::Each(added))?;
            let mut sum = parts.map(Staggered::of_parts);
            for (&one, (power, second)) in added.values().iter().zip(powers.into_iter().zip(second)) {
                let one = Staggered::of(&mut maker.node, one, [power, second]);
                sum = Some(sum.map_or(one, |sum| sum.plus(&mut maker.node, one)));
            }
            let sum = sum.ok_or_else(|| Refusal::new("no register"))?;
            let parts = sum.parts().map(Blocks::Same);
            for (number, blocks) in results.iter().chain(&parts).enumerate() {
                maker.output(&format!("made{number}"), blocks);
            }
            Ok(())
        })
    }

    /// A register whose blocks stand one place further, or one place back, the block at the end at the other end.
    pub(crate) fn rotated(
        &self,
        writer: &mut Writer<'_>,
        value: RegisterId,
        further: bool,
        steps: &mut Vec<Step>,
    ) -> Result<RegisterId, Refusal> {
        let blocks = self.in_register() as u32;
        let by = if further { blocks - 1 } else { 1 };
        let immediate = Some(self.groups(|place| (place + by) % blocks));
        let (row, result) = (self.row(Meaning::PermuteGroups, 0)?, writer.register("text"));
        steps.push(Step::Compute { row, result, operands: vec![value], immediate });
        Ok(result)
    }

    /// The immediate that takes the block of each place from another one.
    pub(crate) fn groups(&self, from: impl Fn(u32) -> u32) -> u32 {
        let blocks = self.in_register() as u32;
        let shift = if blocks == 2 { 4 } else { blocks.ilog2() };
        (0..blocks).map(|place| from(place) << (shift * place)).sum()
    }
}
