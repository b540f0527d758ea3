//! Phases as a machine program: one function between a string of bytes and registers.
//!
//! Registers of sliced code lie in memory as well, and are bytes there. What phases hand on beside them is in registers of the
//! function's own.

use crate::arrangement::Arrangement;
use crate::moves::Machine;
use crate::network::{Operation, Phase, Region, Statement};
use std::collections::BTreeMap;
use usuba_ir::program::{Affine, InductionId, Inline};
use usuba_machine::program::{
    Address, Block, Element, Function, Length, Loop, Parameter, Program, Region as Memory, RegionId,
    Register, RegisterId, RegisterType, Role, Step, Trips,
};
use usuba_target::{Constant, Instruction, Meaning};

/// What a function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transfer {
    /// From blocks to registers: `pack(blocks, registers)`.
    Pack,
    /// From registers to blocks: `unpack(registers, blocks)`. Registers may be changed.
    Unpack,
    /// The same, with the exclusive or of data: `unpack_add(registers, data, blocks)`. Data may be where blocks are.
    UnpackAdd,
}

impl Transfer {
    /// All of them.
    pub const ALL: [Transfer; 3] = [Transfer::Pack, Transfer::Unpack, Transfer::UnpackAdd];

    /// What its function is called.
    pub fn name(self) -> &'static str {
        match self {
            Transfer::Pack => "pack",
            Transfer::Unpack => "unpack",
            Transfer::UnpackAdd => "unpack_add",
        }
    }
}

/// The program of some phases; `None` if the machine lacks an instruction.
pub fn program(
    phases: &[Phase],
    arrangement: &Arrangement,
    machine: &Machine,
    transfer: Transfer,
) -> Option<Program> {
    let bytes = |name: &str, role, length: usize| Memory {
        name: name.into(),
        role,
        element: Element::Scalars { bits: 8, count: 1 },
        length: Length::Constant(length as u32),
    };
    let (blocks, image) = (arrangement.block_bytes(), arrangement.image_bytes());
    let ty = RegisterType::Vector { bits: machine.target.register_bits, lane: 64 };
    let regions = match transfer {
        Transfer::Pack => vec![bytes("blocks", Role::Input, blocks), bytes("registers", Role::Output, image)],
        Transfer::Unpack | Transfer::UnpackAdd => {
            let changed = phases.iter().any(|phase| phase.to == Region::Image);
            let role = if changed { Role::Changed } else { Role::Input };
            let mut regions = vec![bytes("registers", role, image)];
            if transfer == Transfer::UnpackAdd {
                regions.push(bytes("data", Role::Input, blocks));
            }
            regions.push(bytes("blocks", Role::Output, blocks));
            regions
        }
    };
    let parameters = (0..regions.len() as u32).map(|region| Parameter::Region(RegionId(region))).collect();
    let mut writer = Writer {
        machine,
        transfer,
        ty,
        registers: Vec::new(),
        constants: Vec::new(),
        known: BTreeMap::new(),
        inductions: 0,
        scratch: RegionId(regions.len() as u32),
    };
    let mut body = Block::default();
    for phase in phases {
        writer.phase(phase, &mut body.steps)?;
    }
    let mut function = Function {
        name: transfer.name().into(),
        inline: Inline::Always,
        parameters,
        registers: writer.registers,
        regions,
        constants: writer.constants,
        body,
    };
    if phases.iter().any(|phase| phase.from == Region::Scratch || phase.to == Region::Scratch) {
        function.body.locals.push(writer.scratch);
        function.regions.push(Memory {
            name: "scratch".into(),
            role: Role::Local,
            element: Element::Register(ty),
            length: Length::Constant((image / ty.bytes()) as u32),
        });
    }
    Some(Program { target: machine.target.name, files: Vec::new(), functions: vec![function] })
}

struct Writer<'a> {
    machine: &'a Machine,
    transfer: Transfer,
    /// Of every register.
    ty: RegisterType,
    registers: Vec<Register>,
    constants: Vec<Step>,
    known: BTreeMap<Constant, RegisterId>,
    inductions: u32,
    /// The region of the function's own.
    scratch: RegionId,
}

impl Writer<'_> {
    fn row(&self, meaning: Meaning, lane: u32) -> Option<&'static Instruction> {
        self.machine.row(meaning, lane)
    }

    /// A new register. Names are short: these programs are long, and say nothing of a source.
    fn register(&mut self, name: &str) -> RegisterId {
        self.registers.push(Register { name: Some(name.into()), ..Register::unnamed(self.ty) });
        RegisterId(self.registers.len() as u32 - 1)
    }

    fn region(&self, region: Region) -> RegionId {
        RegionId(match (region, self.transfer) {
            (Region::Scratch, _) => return self.scratch,
            (Region::Blocks, Transfer::Pack) | (Region::Image, Transfer::Unpack | Transfer::UnpackAdd) => 0,
            (Region::Image, Transfer::Pack) | (Region::Blocks, Transfer::Unpack) => 1,
            (Region::Blocks, Transfer::UnpackAdd) => 2,
        })
    }

    /// Pieces of a region, so many bytes from its start; every loop goes on by its stride.
    fn addresses(&self, region: RegionId, pieces: &[i64], strides: &[(InductionId, i64)]) -> Vec<Address> {
        let element = if region == self.scratch { self.ty.bytes() as i64 } else { 1 };
        let terms: Vec<(InductionId, i64)> =
            strides.iter().filter(|one| one.1 != 0).map(|one| (one.0, one.1 / element)).collect();
        let address = |piece: &i64| Address {
            region,
            index: Affine { constant: piece / element, terms: terms.clone() },
        };
        pieces.iter().map(address).collect()
    }

    fn load(&mut self, addresses: Vec<Address>) -> Option<(Step, RegisterId)> {
        let (bits, result) = (self.machine.target.register_bits, self.register("v"));
        let [address] = &addresses[..] else {
            let row = self.row(Meaning::Gather, bits / addresses.len() as u32)?;
            return Some((Step::Gather { row, result, addresses }, result));
        };
        let row = if address.region == self.scratch {
            self.row(Meaning::Load, 0)
        } else {
            self.row(Meaning::Broadcast, bits)
        };
        Some((Step::Load { row: row?, result, address: address.clone() }, result))
    }

    fn store(&self, addresses: Vec<Address>, value: RegisterId) -> Option<Step> {
        let bits = self.machine.target.register_bits;
        let [address] = &addresses[..] else {
            let row = self.row(Meaning::Scatter, bits / addresses.len() as u32)?;
            return Some(Step::Scatter { row, addresses, value });
        };
        let meaning = if address.region == self.scratch { Meaning::Store } else { Meaning::StoreUnaligned };
        Some(Step::Store { row: self.row(meaning, 0)?, address: address.clone(), value })
    }

    fn phase(&mut self, phase: &Phase, steps: &mut Vec<Step>) -> Option<()> {
        let first = self.inductions;
        self.inductions += phase.loops.len() as u32;
        let inductions = || (first..).map(InductionId).zip(&phase.loops);
        let from: Vec<(InductionId, i64)> = inductions().map(|(id, one)| (id, one.from)).collect();
        let to: Vec<(InductionId, i64)> = inductions().map(|(id, one)| (id, one.to)).collect();
        let mut values: BTreeMap<usize, RegisterId> = BTreeMap::new();
        let mut body = Vec::new();
        for statement in &phase.body {
            match statement {
                Statement::Load(result, pieces) => {
                    let addresses = self.addresses(self.region(phase.from), pieces, &from);
                    let (step, register) = self.load(addresses)?;
                    body.push(step);
                    values.insert(*result, register);
                }
                Statement::Apply(result, operation, arguments) => {
                    let arguments =
                        arguments.iter().map(|one| values.get(one).copied()).collect::<Option<Vec<_>>>()?;
                    let (step, register) = self.apply(operation, &arguments)?;
                    body.push(step);
                    values.insert(*result, register);
                }
                Statement::Store(value, pieces) => {
                    let mut value = *values.get(value)?;
                    if phase.to == Region::Blocks && self.transfer == Transfer::UnpackAdd {
                        let data = self.addresses(RegionId(1), pieces, &to);
                        let (step, data) = self.load(data)?;
                        body.push(step);
                        let (step, sum) = self.apply(&Operation::Xor, &[value, data])?;
                        body.push(step);
                        value = sum;
                    }
                    let addresses = self.addresses(self.region(phase.to), pieces, &to);
                    body.push(self.store(addresses, value)?);
                }
            }
        }
        for (induction, one) in inductions().collect::<Vec<_>>().into_iter().rev() {
            body = vec![Step::Loop(Loop {
                induction,
                trips: Trips::Constant(one.trips as u32),
                carried: Vec::new(),
                body: Block { locals: Vec::new(), steps: body },
            })];
        }
        steps.append(&mut body);
        Some(())
    }

    fn constant(&mut self, constant: Constant) -> Option<RegisterId> {
        if let Some(register) = self.known.get(&constant) {
            return Some(*register);
        }
        let row = match &constant {
            Constant::Lane(_) => self.row(Meaning::Constant, 64),
            Constant::Bytes(bytes) if bytes.len() == 16 => self.row(Meaning::ConstantGroup, 0),
            _ => self.row(Meaning::ConstantBytes, 0),
        }?;
        let result = self.register("c");
        self.known.insert(constant.clone(), result);
        self.constants.push(Step::Constant { row, result, constant });
        Some(result)
    }

    /// A 64-bit word in every lane.
    fn word(&mut self, value: u64) -> Option<RegisterId> {
        self.constant(Constant::Lane(value))
    }

    /// Bytes of a group or of a register: the numbers of lanes of `size` bytes.
    fn index(&mut self, numbers: &[u8], size: usize) -> Option<RegisterId> {
        let lane = |number: &u8| std::iter::once(*number).chain(std::iter::repeat_n(0, size - 1));
        self.constant(Constant::Bytes(numbers.iter().flat_map(lane).collect()))
    }

    fn apply(&mut self, operation: &Operation, arguments: &[RegisterId]) -> Option<(Step, RegisterId)> {
        let a = *arguments.first()?;
        let b = *arguments.last()?;
        let (operands, immediate) = match operation {
            Operation::Lanes(..) | Operation::Xor => (vec![a, b], None),
            Operation::TwoGroups(n) => (vec![a, b], Some(u32::from(*n))),
            Operation::LanesOfTwo(index) => (vec![a, self.index(index, 8)?, b], None),
            Operation::Merge(index, mask) => (vec![a, b, self.index(index, 1)?], Some(u32::from(*mask))),
            Operation::Blend(lane, mask) => {
                let mask = u32::from(*mask);
                (vec![a, b], Some(if *lane == 32 { mask & 15 | (mask & 15) << 4 } else { mask }))
            }
            Operation::Left(by) | Operation::Right(by) => (vec![a], Some(*by)),
            Operation::And(mask) => (vec![a, self.word(*mask)?], None),
            // The result takes the place of what was shifted: second, third and mask in such an order.
            Operation::Select(mask) if mask & 1 == 1 => (vec![b, self.word(*mask)?, a], Some(0xb8)),
            Operation::Select(mask) => (vec![b, self.word(!*mask)?, a], Some(0xe2)),
            Operation::Bytes(index) => (vec![a, self.index(index, 1)?], None),
            Operation::Words(n) | Operation::Quads(_, n) => (vec![a], Some(u32::from(*n))),
            // Half of a lane, either way.
            Operation::SwapBytes => (vec![a], Some(8)),
            Operation::AllWords(index) => (vec![a, self.index(index, 4)?], None),
            Operation::Matrix(bytes) => (vec![self.word(u64::from_le_bytes(*bytes))?, a], Some(0)),
            Operation::Bits(matrix) => (vec![a, self.word(*matrix)?], Some(0)),
        };
        let (meaning, lane) = operation.row();
        let (row, result) = (self.row(meaning, lane)?, self.register("v"));
        Some((Step::Compute { row, result, operands, immediate }, result))
    }
}
