//! The code of a function in the place of its call: its parameters are registers and memory of the caller.

use std::collections::{BTreeMap, BTreeSet};
use usuba_ir::program::{Affine, InductionId};
use usuba_machine::program::{
    Address, Block, Carried, Function, Loop, Parameter, RegionId, RegisterId, Role, Step,
};

/// What a parameter of a function is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// The elements of an input, in registers.
    Registers(Vec<RegisterId>),
    /// An input that stays in memory: a region of the caller, of the same elements.
    Memory(RegionId),
    /// The elements of an output, which the code leaves in registers.
    Results,
}

/// The code.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spliced {
    /// What depends on nothing but registers that do not change, in order.
    pub before: Vec<Step>,
    /// The rest.
    pub steps: Vec<Step>,
    /// The registers of each output, in order.
    pub results: Vec<Vec<RegisterId>>,
    /// Regions of the code's own: they live in the block that it is put in.
    pub locals: Vec<RegionId>,
}

/// Puts the code of `callee` into `caller`, which gets its registers and regions. Inductions are numbered from `inductions` on.
/// `fixed`: the registers of the caller that do not change around the code.
///
/// `None`: the callee calls, or reads a parameter in registers at a place that is not constant.
pub fn splice(
    callee: &Function,
    arguments: &[Argument],
    caller: &mut Function,
    inductions: &mut u32,
    fixed: &BTreeSet<RegisterId>,
) -> Option<Spliced> {
    let mut splicer = Splicer {
        callee,
        caller,
        first: *inductions,
        most: *inductions,
        registers: BTreeMap::new(),
        inputs: BTreeMap::new(),
        memory: BTreeMap::new(),
        outputs: BTreeMap::new(),
        locals: Vec::new(),
    };
    let mut outputs = Vec::new();
    for (parameter, argument) in callee.parameters.iter().zip(arguments) {
        match (parameter, argument) {
            (Parameter::Register(register), Argument::Registers(given)) => {
                splicer.registers.insert(*register, *given.first()?);
            }
            (Parameter::Region(region), Argument::Registers(given)) => {
                splicer.inputs.insert(*region, given.clone());
            }
            (Parameter::Region(region), Argument::Memory(memory)) => {
                splicer.memory.insert(*region, *memory);
            }
            (Parameter::Region(region), Argument::Results) => {
                let length = callee.region(*region).length.constant()?;
                splicer.outputs.insert(*region, vec![None; length as usize]);
                outputs.push(*region);
            }
            _ => return None,
        }
    }
    let mut made = Spliced::default();
    for step in &callee.constants {
        let step = splicer.step(step)?;
        splicer.caller.constants.push(step);
    }
    let mut steps = Vec::new();
    for step in &callee.body.steps {
        if !splicer.is_moved(step)? {
            steps.push(splicer.step(step)?);
        }
    }
    for region in outputs {
        let results = splicer.outputs.remove(&region)?;
        made.results.push(results.into_iter().collect::<Option<Vec<_>>>()?);
    }
    *inductions = splicer.most;
    made.locals = std::mem::take(&mut splicer.locals);
    let mut unchanged: BTreeSet<RegisterId> = fixed.clone();
    for step in &splicer.caller.constants {
        step.defines(&mut |register| {
            unchanged.insert(register);
        });
    }
    for step in steps {
        if let Step::Compute { result, operands, .. } = &step
            && operands.iter().all(|operand| unchanged.contains(operand))
        {
            unchanged.insert(*result);
            made.before.push(step);
        } else {
            made.steps.push(step);
        }
    }
    Some(made)
}

struct Splicer<'a> {
    callee: &'a Function,
    caller: &'a mut Function,
    /// The first induction of the callee in the caller.
    first: u32,
    /// The first that is free after it.
    most: u32,
    registers: BTreeMap<RegisterId, RegisterId>,
    inputs: BTreeMap<RegionId, Vec<RegisterId>>,
    memory: BTreeMap<RegionId, RegionId>,
    outputs: BTreeMap<RegionId, Vec<Option<RegisterId>>>,
    locals: Vec<RegionId>,
}

impl Splicer<'_> {
    fn register(&mut self, id: RegisterId) -> RegisterId {
        if let Some(&known) = self.registers.get(&id) {
            return known;
        }
        self.caller.registers.push(self.callee.register(id).clone());
        let new = RegisterId(self.caller.registers.len() as u32 - 1);
        self.registers.insert(id, new);
        new
    }

    fn induction(&mut self, id: InductionId) -> InductionId {
        let new = self.first + id.0;
        self.most = self.most.max(new + 1);
        InductionId(new)
    }

    fn address(&mut self, address: &Address) -> Option<Address> {
        let region = match self.memory.get(&address.region) {
            Some(&region) => region,
            None => {
                let region = self.callee.region(address.region);
                (region.role == Role::Local).then_some(())?;
                self.caller.regions.push(region.clone());
                let new = RegionId(self.caller.regions.len() as u32 - 1);
                self.memory.insert(address.region, new);
                self.locals.push(new);
                new
            }
        };
        let terms = address.index.terms.iter().map(|&(id, factor)| (self.induction(id), factor)).collect();
        Some(Address { region, index: Affine { constant: address.index.constant, terms } })
    }

    /// Whether a step only moves between a parameter and a register.
    fn is_moved(&mut self, step: &Step) -> Option<bool> {
        let place = |address: &Address| {
            let constant = address.index.terms.is_empty().then_some(address.index.constant)?;
            usize::try_from(constant).ok()
        };
        match step {
            Step::Load { result, address, .. } => {
                let value = if let Some(given) = self.inputs.get(&address.region) {
                    *given.get(place(address)?)?
                } else if let Some(written) = self.outputs.get(&address.region) {
                    (*written.get(place(address)?)?)?
                } else {
                    return Some(false);
                };
                self.registers.insert(*result, value);
                Some(true)
            }
            Step::Store { address, value, .. } => {
                if !self.outputs.contains_key(&address.region) {
                    return Some(false);
                }
                let value = self.register(*value);
                let place = place(address)?;
                *self.outputs.get_mut(&address.region)?.get_mut(place)? = Some(value);
                Some(true)
            }
            Step::Copy { from, to, len, .. } => {
                let (Some(given), true) =
                    (self.inputs.get(&from.region).cloned(), self.outputs.contains_key(&to.region))
                else {
                    return Some(false);
                };
                let (from, start) = (place(from)?, place(to)?);
                for number in 0..*len as usize {
                    let value = *given.get(from + number)?;
                    *self.outputs.get_mut(&to.region)?.get_mut(start + number)? = Some(value);
                }
                Some(true)
            }
            Step::Fill { address, len, value, .. } => {
                if !self.outputs.contains_key(&address.region) {
                    return Some(false);
                }
                let (value, start) = (self.register(*value), place(address)?);
                for number in 0..*len as usize {
                    *self.outputs.get_mut(&address.region)?.get_mut(start + number)? = Some(value);
                }
                Some(true)
            }
            _ => Some(false),
        }
    }

    fn block(&mut self, block: &Block) -> Option<Block> {
        let mut steps = Vec::new();
        for step in &block.steps {
            // What a loop reads of a parameter in registers is read once.
            if matches!(step, Step::Load { .. }) && self.is_moved(step)? {
                continue;
            }
            steps.push(self.step(step)?);
        }
        let locals =
            block.locals.iter().filter_map(|local| self.memory.get(local).copied()).collect::<Vec<_>>();
        self.locals.retain(|local| !locals.contains(local));
        Some(Block { locals, steps })
    }

    fn step(&mut self, step: &Step) -> Option<Step> {
        Some(match step {
            Step::Compute { row, result, operands, immediate } => {
                let operands = operands.iter().map(|&operand| self.register(operand)).collect();
                Step::Compute { row, result: self.register(*result), operands, immediate: *immediate }
            }
            Step::Constant { row, result, constant } => {
                Step::Constant { row, result: self.register(*result), constant: constant.clone() }
            }
            Step::Load { row, result, address } => {
                Step::Load { row, result: self.register(*result), address: self.address(address)? }
            }
            Step::Store { row, address, value } => {
                Step::Store { row, address: self.address(address)?, value: self.register(*value) }
            }
            Step::Loop(looped) => {
                let induction = self.induction(looped.induction);
                let carried = looped
                    .carried
                    .iter()
                    .map(|one| Carried {
                        register: self.register(one.register),
                        initial: self.register(one.initial),
                        next: self.register(one.next),
                    })
                    .collect();
                let body = self.block(&looped.body)?;
                Step::Loop(Loop { induction, trips: looped.trips, carried, body })
            }
            _ => return None,
        })
    }
}
