//! Functions of machine programs in the making.

use crate::machine::Machine;
use crate::plan::{Given, Refusal};
use crate::splice::{Argument, Spliced, splice};
use std::collections::BTreeSet;
use usuba_ir::program::{Affine, InductionId, Inline};
use usuba_machine::program::{
    Address, Block, Element, Function, Length, Parameter, Program, Public, Region, RegionId, Register,
    RegisterId, RegisterType, Role, Step,
};
use usuba_target::{Constant, Meaning};

/// A function in the making.
pub(crate) struct Writer<'m> {
    pub(crate) machine: &'m Machine<'m>,
    pub(crate) function: Function,
    inductions: u32,
}

impl<'m> Writer<'m> {
    pub(crate) fn new(machine: &'m Machine<'m>, name: &str) -> Writer<'m> {
        let function = Function {
            name: name.into(),
            inline: Inline::Never,
            parameters: Vec::new(),
            registers: Vec::new(),
            regions: Vec::new(),
            constants: Vec::new(),
            body: Block::default(),
        };
        Writer { machine, function, inductions: 0 }
    }

    /// The program, without counts and loads that nothing needs.
    pub(crate) fn finish(mut self, files: Vec<String>) -> Program {
        loop {
            let mut read: BTreeSet<RegisterId> = BTreeSet::new();
            let steps = &mut self.function.body.steps;
            for step in steps.iter() {
                step.reads(&mut |register| {
                    read.insert(register);
                });
                if let Step::View { region, .. } = step
                    && let Length::Public { count, .. } = self.function.regions[region.index()].length
                {
                    read.insert(count);
                }
            }
            let before = steps.len();
            steps.retain(|step| match step {
                Step::Count { result, .. } | Step::Load { result, .. } => read.contains(result),
                _ => true,
            });
            if steps.len() == before {
                break;
            }
        }
        Program { target: self.machine.target.name, files, functions: vec![self.function] }
    }

    pub(crate) fn register(&mut self, name: &str) -> RegisterId {
        let ty = RegisterType::Vector { bits: self.machine.target.register_bits, lane: 8 };
        self.typed(name, ty)
    }

    pub(crate) fn count(&mut self, name: &str) -> RegisterId {
        self.typed(name, RegisterType::Count)
    }

    pub(crate) fn typed(&mut self, name: &str, ty: RegisterType) -> RegisterId {
        self.function.registers.push(Register { name: Some(name.into()), ..Register::unnamed(ty) });
        RegisterId(self.function.registers.len() as u32 - 1)
    }

    pub(crate) fn induction(&mut self) -> InductionId {
        self.inductions += 1;
        InductionId(self.inductions - 1)
    }

    pub(crate) fn public(&mut self, name: &str, value: Public, steps: &mut Vec<Step>) -> RegisterId {
        let result = self.count(name);
        steps.push(Step::Count { result, value });
        result
    }

    /// A region that the function is given, of bytes.
    pub(crate) fn region(&mut self, name: &str, role: Role, length: Length) -> RegionId {
        let element = Element::Scalars { bits: 8, count: 1 };
        self.parameter(Region { name: name.into(), role, element, length })
    }

    pub(crate) fn parameter(&mut self, region: Region) -> RegionId {
        self.function.regions.push(region);
        let id = RegionId(self.function.regions.len() as u32 - 1);
        self.function.parameters.push(Parameter::Region(id));
        id
    }

    pub(crate) fn given(&mut self, given: &Given, bytes: Option<RegisterId>) -> RegionId {
        let rows = |rows: u32| (Role::Uniform, Element::Scalars { bits: 8, count: 16 }, rows);
        let (role, element, rows) = match (given, bytes) {
            (Given::Each, Some(count)) => {
                let length = Length::Public { count, factor: 1 };
                return self.region("text", Role::Input, length);
            }
            (Given::Each | Given::Same | Given::Turn | Given::Pattern | Given::Chosen, _) => rows(1),
            (Given::Number, _) => rows(1),
            (Given::Carried | Given::Orbit(_), _) => {
                return self.region("carried", Role::Changed, Length::Constant(16));
            }
            (Given::Keys(number), _) => rows(*number),
        };
        let name = if matches!(given, Given::Keys(_)) { "keys" } else { "block" };
        self.parameter(Region { name: name.into(), role, element, length: Length::Constant(rows) })
    }

    /// The elements of a region from a place on.
    pub(crate) fn view(
        &mut self,
        of: RegionId,
        offset: RegisterId,
        left: RegisterId,
        steps: &mut Vec<Step>,
    ) -> RegionId {
        self.view_of(of, offset, Length::Public { count: left, factor: 1 }, steps)
    }

    /// So many elements of a region from a place on.
    pub(crate) fn view_of(
        &mut self,
        of: RegionId,
        offset: RegisterId,
        length: Length,
        steps: &mut Vec<Step>,
    ) -> RegionId {
        let region = self.function.region(of).clone();
        self.function.regions.push(Region { name: format!("{}.rest", region.name), length, ..region });
        let view = RegionId(self.function.regions.len() as u32 - 1);
        steps.push(Step::View { region: view, of, offset });
        view
    }

    /// The first bytes of a region, zeros behind them.
    pub(crate) fn load_part(
        &mut self,
        region: RegionId,
        count: RegisterId,
        steps: &mut Vec<Step>,
    ) -> Result<RegisterId, Refusal> {
        let (row, result) = (self.machine.row(Meaning::LoadPart, 8)?, self.register("text"));
        let address = Address { region, index: Affine::constant(0) };
        steps.push(Step::LoadPart { row, result, address, count });
        Ok(result)
    }

    /// The first bytes of a register to those of a region.
    pub(crate) fn store_part(
        &self,
        region: RegionId,
        value: RegisterId,
        count: RegisterId,
    ) -> Result<Step, Refusal> {
        let row = self.machine.row(Meaning::StorePart, 8)?;
        Ok(Step::StorePart { row, address: Address { region, index: Affine::constant(0) }, value, count })
    }

    /// A block in all places of a register.
    pub(crate) fn load_same(
        &mut self,
        region: RegionId,
        steps: &mut Vec<Step>,
    ) -> Result<RegisterId, Refusal> {
        let (row, result) = (self.machine.row(Meaning::Broadcast, 128)?, self.register("block"));
        steps.push(Step::Load { row, result, address: Address { region, index: Affine::constant(0) } });
        Ok(result)
    }

    /// So many blocks that are read alone, and lie where nothing is written.
    pub(crate) fn blocks(&mut self, name: &str, count: u32) -> RegionId {
        let element = Element::Scalars { bits: 8, count: 16 };
        let length = Length::Constant(count);
        self.parameter(Region { name: name.into(), role: Role::Uniform, element, length })
    }

    /// One of [`Writer::blocks`], in all places of a register.
    pub(crate) fn load_repeated(
        &mut self,
        region: RegionId,
        block: i64,
        steps: &mut Vec<Step>,
    ) -> Result<RegisterId, Refusal> {
        let (row, result) = (self.machine.row(Meaning::Broadcast, 128)?, self.register("block"));
        steps.push(Step::Load { row, result, address: Address { region, index: Affine::constant(block) } });
        Ok(result)
    }

    pub(crate) fn load(
        &mut self,
        region: RegionId,
        index: Affine,
        steps: &mut Vec<Step>,
    ) -> Result<RegisterId, Refusal> {
        let bits = self.machine.target.register_bits;
        let (row, result) = (self.machine.row(Meaning::Broadcast, bits)?, self.register("text"));
        steps.push(Step::Load { row, result, address: Address { region, index } });
        Ok(result)
    }

    /// A block of a region of bytes, in all places of a register.
    pub(crate) fn load_block(
        &mut self,
        region: RegionId,
        block: i64,
        steps: &mut Vec<Step>,
    ) -> Result<RegisterId, Refusal> {
        let (row, result) = (self.machine.row(Meaning::Broadcast, 128)?, self.register("block"));
        let address = Address { region, index: Affine::constant(16 * block) };
        steps.push(Step::Load { row, result, address });
        Ok(result)
    }

    /// The first block of a register to a region of one block.
    pub(crate) fn store_block(
        &mut self,
        region: RegionId,
        value: RegisterId,
        locals: &mut Vec<RegionId>,
    ) -> Result<Vec<Step>, Refusal> {
        if self.machine.in_register() == 1 {
            return Ok(vec![self.store(region, Affine::constant(0), value)?]);
        }
        let bytes = self.machine.target.register_bits / 8;
        let scratch = self.local("result", bytes);
        locals.push(scratch);
        let sixteen = self.count("sixteen");
        let count = Step::Count { result: sixteen, value: Public::Sum { constant: 16, terms: Vec::new() } };
        let start = |region| Address { region, index: Affine::constant(0) };
        let store = self.store(scratch, Affine::constant(0), value)?;
        let copy = Step::CopyPart { from: start(scratch), to: start(region), count: sixteen };
        Ok(vec![store, count, copy])
    }

    /// Bytes of the function's own.
    pub(crate) fn local(&mut self, name: &str, bytes: u32) -> RegionId {
        let element = Element::Scalars { bits: 8, count: 1 };
        let length = Length::Constant(bytes);
        self.function.regions.push(Region { name: name.into(), role: Role::Local, element, length });
        RegionId(self.function.regions.len() as u32 - 1)
    }

    /// A constant of a whole register.
    pub(crate) fn constant(&mut self, bytes: Vec<u8>) -> Result<RegisterId, Refusal> {
        let (meaning, constant) = match bytes.len() {
            16 => (Meaning::ConstantGroup, Constant::Bytes(bytes)),
            _ => (Meaning::ConstantBytes, Constant::Bytes(bytes)),
        };
        let (row, result) = (self.machine.row(meaning, 0)?, self.register("constant"));
        self.function.constants.push(Step::Constant { row, result, constant });
        Ok(result)
    }

    pub(crate) fn store(&self, region: RegionId, index: Affine, value: RegisterId) -> Result<Step, Refusal> {
        let row = self.machine.row(Meaning::StoreUnaligned, 0)?;
        Ok(Step::Store { row, address: Address { region, index }, value })
    }

    /// A number, higher by one from block to block of a register.
    pub(crate) fn spread(&mut self, first: RegisterId, steps: &mut Vec<Step>) -> Result<RegisterId, Refusal> {
        let blocks = self.machine.in_register();
        if blocks == 1 {
            return Ok(first);
        }
        let bytes = (0..blocks as u128).flat_map(u128::to_le_bytes).collect();
        let places = self.constant(bytes)?;
        let (row, result) = (self.machine.row(Meaning::Add, 64)?, self.register("number"));
        steps.push(Step::Compute { row, result, operands: vec![first, places], immediate: None });
        Ok(result)
    }

    pub(crate) fn splice(
        &mut self,
        body: &Function,
        arguments: &[Argument],
        fixed: &BTreeSet<RegisterId>,
    ) -> Result<Spliced, Refusal> {
        splice(body, arguments, &mut self.function, &mut self.inductions, fixed)
            .ok_or_else(|| Refusal::new("code that cannot be put into a loop"))
    }
}
