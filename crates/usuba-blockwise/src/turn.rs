//! What goes from turn to turn of a loop over positions in registers: what goes through a linear map, and sums.

use crate::affine::Map;
use crate::machine::Machine;
use crate::node::{Blocks, Maker};
use crate::plan::{Given, Plan, Refusal};
use crate::splice::Argument;
use crate::writer::Writer;
use std::collections::{BTreeMap, BTreeSet};
use usuba_ir::program::{Affine, BinaryOp, ValueId};
use usuba_machine::program::{Block, Carried, Loop, Public, RegionId, RegisterId, Step, Trips};

/// Bytes of a block.
const BLOCK: u32 = 16;

/// The registers of what goes on from turn to turn.
#[derive(Default)]
pub(crate) struct State {
    /// Numbers and what goes through maps, by their places among what is given.
    pub(crate) going: BTreeMap<usize, Vec<RegisterId>>,
    /// What is added up, block by block of a register.
    pub(crate) sums: Vec<RegisterId>,
}

/// Where steps and the regions of a function go.
type Into<'a> = (&'a mut Vec<Step>, &'a mut Vec<RegionId>);

impl Machine<'_> {
    /// What a map makes of the value of the first position for those of a register, which has it in all its blocks.
    pub(crate) fn begun(
        &self,
        map: &Map,
        first: RegisterId,
        writer: &mut Writer<'_>,
        into: Into<'_>,
    ) -> Result<RegisterId, Refusal> {
        let blocks = self.in_register() as u32;
        let halvings: Vec<u32> = (0..blocks.ilog2()).collect();
        if halvings.is_empty() {
            return Ok(first);
        }
        // Blocks whose number has a bit go through the power of the map that the bit stands for.
        let mut given = vec![first];
        for bit in &halvings {
            let ones = |byte: u32| if (byte / BLOCK) >> bit & 1 == 1 { 0xff } else { 0 };
            given.push(writer.constant((0..BLOCK * blocks).map(ones).collect())?);
        }
        self.inline(&given, writer, into, &|maker, given| {
            let mut value = given[0];
            for (&bit, &mask) in halvings.iter().zip(&given[1..]) {
                let image = map.power(1 << bit).apply(&mut maker.node, value);
                let differ = maker.node.binary(BinaryOp::Xor, image, value);
                let differ = maker.node.binary(BinaryOp::And, differ, mask);
                value = maker.node.binary(BinaryOp::Xor, value, differ);
            }
            value
        })
    }

    /// What goes through maps for all registers of a turn, if there is any turn.
    pub(crate) fn fill(
        &self,
        plan: &Plan,
        groups: usize,
        turns: RegisterId,
        state: &mut State,
        writer: &mut Writer<'_>,
        steps: &mut Vec<Step>,
    ) -> Result<(), Refusal> {
        let maps = plan.given.iter().enumerate().filter_map(|(number, given)| match given {
            Given::Orbit(map) => Some((number, map)),
            _ => None,
        });
        for (number, map) in maps {
            let first = *state.going.get(&number).and_then(|all| all.first()).ok_or_else(missing)?;
            let (body, _) = self.function(&BTreeSet::new(), 1, &mut |maker| {
                let mut all = maker.same("first").values().to_vec();
                while all.len() < groups {
                    let power = map.power((all.len() * self.in_register()) as u32);
                    let more: Vec<ValueId> = all
                        .iter()
                        .take(groups - all.len())
                        .map(|&value| power.apply(&mut maker.node, value))
                        .collect();
                    all.extend(more);
                }
                for (number, value) in all.into_iter().enumerate().skip(1) {
                    maker.output(&format!("made{number}"), &Blocks::Same(value));
                }
                Ok(())
            })?;
            let once = writer.public("once", Public::Least { of: turns, bound: 1 }, steps);
            let arguments: Vec<Argument> = [Argument::Registers(vec![first])]
                .into_iter()
                .chain(vec![Argument::Results; groups - 1])
                .collect();
            let spliced = writer.splice(&body, &arguments, &BTreeSet::from([first]))?;
            let inside = [spliced.before, spliced.steps].concat();
            let mut all = vec![first];
            let mut carried = Vec::new();
            for made in &spliced.results {
                let register = writer.register("going");
                carried.push(Carried { register, initial: first, next: *made.first().ok_or_else(missing)? });
                all.push(register);
            }
            steps.push(Step::Loop(Loop {
                induction: writer.induction(),
                trips: Trips::Public(once),
                carried,
                body: Block { locals: spliced.locals, steps: inside },
            }));
            state.going.insert(number, all);
        }
        Ok(())
    }

    /// The first block of a register, zeros behind it.
    pub(crate) fn first_alone(
        &self,
        value: RegisterId,
        writer: &mut Writer<'_>,
        into: Into<'_>,
    ) -> Result<RegisterId, Refusal> {
        let bytes = self.target.register_bits / 8;
        if bytes == BLOCK {
            return Ok(value);
        }
        let mask = writer.constant((0..bytes).map(|byte| if byte < BLOCK { 0xff } else { 0 }).collect())?;
        self.inline(&[value, mask], writer, into, &|maker, given| {
            maker.node.binary(BinaryOp::And, given[0], given[1])
        })
    }

    /// The sum of the blocks of a register.
    pub(crate) fn sum_of_blocks(
        &self,
        value: RegisterId,
        writer: &mut Writer<'_>,
        (steps, locals): Into<'_>,
    ) -> Result<RegisterId, Refusal> {
        let blocks = self.in_register();
        if blocks == 1 {
            return Ok(value);
        }
        let scratch = writer.local("blocks", self.target.register_bits / 8);
        locals.push(scratch);
        steps.push(writer.store(scratch, Affine::constant(0), value)?);
        let parts = (0..blocks as i64).map(|block| writer.load_block(scratch, block, steps));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        self.inline(&parts, writer, (steps, locals), &|maker, given| {
            let add =
                |sum: ValueId, maker: &mut Maker, one: ValueId| maker.node.binary(BinaryOp::Xor, sum, one);
            given[1..].iter().fold(given[0], |sum, &one| add(sum, maker, one))
        })
    }

    /// A value that is made of registers, in the place of a call.
    fn inline(
        &self,
        given: &[RegisterId],
        writer: &mut Writer<'_>,
        (steps, locals): Into<'_>,
        make: &dyn Fn(&mut Maker, &[ValueId]) -> ValueId,
    ) -> Result<RegisterId, Refusal> {
        let (body, _) = self.function(&BTreeSet::new(), 1, &mut |maker| {
            let inputs = (0..given.len()).map(|number| maker.same(&format!("given{number}")).values()[0]);
            let inputs: Vec<ValueId> = inputs.collect();
            let made = make(maker, &inputs);
            maker.output("made", &Blocks::Same(made));
            Ok(())
        })?;
        let arguments = given.iter().map(|&register| Argument::Registers(vec![register]));
        let arguments: Vec<Argument> = arguments.chain([Argument::Results]).collect();
        let spliced = writer.splice(&body, &arguments, &BTreeSet::new())?;
        steps.extend(spliced.before);
        steps.extend(spliced.steps);
        locals.extend(spliced.locals);
        spliced.results.first().and_then(|made| made.first()).copied().ok_or_else(missing)
    }
}

fn missing() -> Refusal {
    Refusal::new("a value without a register")
}
