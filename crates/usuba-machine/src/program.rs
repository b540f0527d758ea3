//! Programs, functions, registers, regions and steps.
//!
//! A function is in single-assignment form but for the carried registers of loops and for memory; the order of its steps is
//! the order of the code. There is no way to write a branch or an address that depends on data: loops run a constant or a
//! public number of times, and addresses are affine in their induction variables.

use std::sync::Arc;
use usuba_ir::program::{Affine, FileId, InductionId, Inline};
use usuba_target::{Constant, Instruction};

/// Number of a register in its function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RegisterId(pub u32);

/// Number of a region in its function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RegionId(pub u32);

impl RegisterId {
    /// Its place in [`Function::registers`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl RegionId {
    /// Its place in [`Function::regions`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All functions of a kernel, callees first, the entry last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The name of the machine ([`usuba_target::by_name`]) whose instructions these are.
    pub target: &'static str,
    /// Names of the source files that places refer to.
    pub files: Vec<String>,
    /// The functions.
    pub functions: Vec<Function>,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// The name of the node.
    pub name: String,
    /// The wish of the source.
    pub inline: Inline,
    /// What it is given, in order: the inputs, then where to write the outputs.
    pub parameters: Vec<Parameter>,
    /// Its registers.
    pub registers: Vec<Register>,
    /// Its regions of memory.
    pub regions: Vec<Region>,
    /// Constants, each made once: [`Step::Constant`] only. A printer may make them anew where they are used.
    pub constants: Vec<Step>,
    /// What it does.
    pub body: Block,
}

impl Function {
    /// The register numbered `id`.
    pub fn register(&self, id: RegisterId) -> &Register {
        &self.registers[id.index()]
    }

    /// The region numbered `id`.
    pub fn region(&self, id: RegionId) -> &Region {
        &self.regions[id.index()]
    }

    /// The registers of [`Function::constants`].
    pub fn constant_registers(&self) -> impl Iterator<Item = RegisterId> + '_ {
        self.constants.iter().filter_map(|step| match step {
            Step::Constant { result, .. } => Some(*result),
            _ => None,
        })
    }

    /// A new register like another one, its name included.
    pub fn another(registers: &mut Vec<Register>, like: RegisterId) -> RegisterId {
        registers.push(registers[like.index()].clone());
        RegisterId(registers.len() as u32 - 1)
    }
}

/// A parameter of a function; it has the name of its register or region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// A register, by value.
    Register(RegisterId),
    /// The address of a region.
    Region(RegionId),
}

/// A register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Register {
    /// What it holds.
    pub ty: RegisterType,
    /// The source name of the value, where there is one. No blanks, no quotes `"`.
    pub name: Option<Arc<str>>,
    /// Where in the source it is made: file, line and column (from 1).
    pub place: Option<(FileId, u32, u32)>,
}

impl Register {
    /// A register without a source name.
    pub fn unnamed(ty: RegisterType) -> Register {
        Register { ty, name: None, place: None }
    }
}

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RegisterType {
    /// `bits` bits, mostly used in lanes of `lane` bits; 0 for single bits. Instructions may see lanes of another width.
    Vector {
        /// Bits of the register.
        bits: u32,
        /// Bits of a lane, or 0.
        lane: u32,
    },
    /// A word of `bits` bits in a general-purpose register.
    General {
        /// Bits of the word.
        bits: u32,
    },
    /// A number of 64 bits that anyone may know: trips and lengths are public counts.
    Count,
}

impl RegisterType {
    /// Bytes of the register; counts have eight.
    pub fn bytes(self) -> usize {
        match self {
            RegisterType::Vector { bits, .. } | RegisterType::General { bits } => bits as usize / 8,
            RegisterType::Count => 8,
        }
    }

    /// Whether a value of one type is one of the other: all vectors of a size hold the same bytes.
    pub fn holds(self, other: RegisterType) -> bool {
        match (self, other) {
            (RegisterType::Vector { bits, .. }, RegisterType::Vector { bits: others, .. }) => bits == others,
            _ => self == other,
        }
    }
}

/// What a region is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// To read.
    Input,
    /// To read, each element to be repeated in a whole register.
    Uniform,
    /// To write, and then to read.
    Output,
    /// To read, and to write: what a caller has there, and what is lost to it.
    Changed,
    /// Memory of the function's own.
    Local,
}

/// A named array in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// A name, not unique. No blanks, no quotes `"`.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// What an element is.
    pub element: Element,
    /// Number of elements.
    pub length: Length,
}

/// An element of a region.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Element {
    /// A whole register.
    Register(RegisterType),
    /// `count` scalars of `bits` bits each, one after the other.
    Scalars {
        /// Bits of a scalar.
        bits: u32,
        /// How many.
        count: u32,
    },
}

impl Element {
    /// Bytes from an element to the next.
    pub fn bytes(self) -> usize {
        match self {
            Element::Register(ty) => ty.bytes(),
            Element::Scalars { bits, count } => (bits * count) as usize / 8,
        }
    }
}

/// The number of elements of a region.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Length {
    /// Known when the code is made.
    Constant(u32),
    /// `factor` elements for each of a public count.
    Public {
        /// A register of the type [`RegisterType::Count`]: a parameter of the function for a region that it is given.
        count: RegisterId,
        /// At least 1.
        factor: u32,
    },
}

impl Length {
    /// The length, if it is known when the code is made.
    pub fn constant(self) -> Option<u32> {
        match self {
            Length::Constant(length) => Some(length),
            Length::Public { .. } => None,
        }
    }
}

/// A place in a region, counted in elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// The region.
    pub region: RegionId,
    /// Where in it.
    pub index: Affine,
}

/// A sequence of steps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// The regions that live as long as this block.
    pub locals: Vec<RegionId>,
    /// What is done.
    pub steps: Vec<Step>,
}

/// A step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// An instruction on registers.
    Compute {
        /// The instruction.
        row: &'static Instruction,
        /// The register it defines.
        result: RegisterId,
        /// Its operands.
        operands: Vec<RegisterId>,
        /// Its immediate, if its meaning has one.
        immediate: Option<u32>,
    },
    /// A constant.
    Constant {
        /// The instruction.
        row: &'static Instruction,
        /// The register it defines.
        result: RegisterId,
        /// The value.
        constant: Constant,
    },
    /// From memory; from a uniform region with a broadcast.
    Load {
        /// The instruction.
        row: &'static Instruction,
        /// The register it defines.
        result: RegisterId,
        /// From where.
        address: Address,
    },
    /// To memory.
    Store {
        /// The instruction.
        row: &'static Instruction,
        /// To where.
        address: Address,
        /// What.
        value: RegisterId,
    },
    /// The lanes of a register from as many places in memory, in order.
    Gather {
        /// The instruction.
        row: &'static Instruction,
        /// The register it defines.
        result: RegisterId,
        /// From where, lane by lane.
        addresses: Vec<Address>,
    },
    /// The lanes of a register to as many places in memory, in order.
    Scatter {
        /// The instruction.
        row: &'static Instruction,
        /// To where, lane by lane.
        addresses: Vec<Address>,
        /// What.
        value: RegisterId,
    },
    /// To several consecutive places.
    Fill {
        /// The instruction.
        store: &'static Instruction,
        /// To where.
        address: Address,
        /// How many.
        len: u32,
        /// What.
        value: RegisterId,
    },
    /// The first elements of a register from memory, zeros after them; what lies behind them is not touched.
    LoadPart {
        /// The instruction; its lanes are the elements.
        row: &'static Instruction,
        /// The register it defines.
        result: RegisterId,
        /// From where.
        address: Address,
        /// How many elements, a public count.
        count: RegisterId,
    },
    /// The first elements of a register to memory; what lies behind them is not touched.
    StorePart {
        /// The instruction; its lanes are the elements.
        row: &'static Instruction,
        /// To where.
        address: Address,
        /// What.
        value: RegisterId,
        /// How many elements, a public count.
        count: RegisterId,
    },
    /// From one place to another that does not overlap it.
    Copy {
        /// The loading instruction.
        load: &'static Instruction,
        /// The storing instruction.
        store: &'static Instruction,
        /// From where.
        from: Address,
        /// To where.
        to: Address,
        /// How many.
        len: u32,
    },
    /// A public number of elements from one place to another that does not overlap it. Elements are scalars.
    CopyPart {
        /// From where.
        from: Address,
        /// To where.
        to: Address,
        /// How many, a public count.
        count: RegisterId,
    },
    /// A public count made of others.
    Count {
        /// The register it defines.
        result: RegisterId,
        /// Its value.
        value: Public,
    },
    /// The elements of a region from a place on, as a region.
    View {
        /// The region it makes.
        region: RegionId,
        /// The region that it is part of.
        of: RegionId,
        /// How many elements further it begins, a public count.
        offset: RegisterId,
    },
    /// A call.
    Call(Call),
    /// A loop.
    Loop(Loop),
}

/// An expression over public counts. It is never negative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Public {
    /// `constant + Σ coefficient · count`.
    Sum {
        /// What is added.
        constant: i64,
        /// Counts by increasing number, with their coefficients; none is 0.
        terms: Vec<(RegisterId, i64)>,
    },
    /// `of / by`, rounded down.
    Quotient {
        /// A public count.
        of: RegisterId,
        /// At least 1.
        by: u32,
    },
    /// What [`Public::Quotient`] leaves.
    Remainder {
        /// A public count.
        of: RegisterId,
        /// At least 1.
        by: u32,
    },
    /// A sum of the induction variables of open loops.
    Index(Affine),
    /// The smaller of a count and a number. A loop that runs `min(count, 1)` times is done if the count is not 0.
    Least {
        /// A public count.
        of: RegisterId,
        /// The number.
        bound: u32,
    },
}

impl Public {
    /// The counts that it is made of.
    pub fn counts(&self) -> Vec<RegisterId> {
        match self {
            Public::Sum { terms, .. } => terms.iter().map(|&(count, _)| count).collect(),
            Public::Index(_) => Vec::new(),
            Public::Quotient { of, .. } | Public::Remainder { of, .. } | Public::Least { of, .. } => {
                vec![*of]
            }
        }
    }
}

/// A call; the arguments in the order of the callee's parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// Place of the callee in [`Program::functions`].
    pub function: usize,
    /// The arguments.
    pub arguments: Vec<Argument>,
}

/// An argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A register by value.
    Value(RegisterId),
    /// Memory to read.
    Read(Address),
    /// Memory to write.
    Write(Address),
    /// A register that the call defines, through memory.
    Result(RegisterId),
}

/// How often a loop runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trips {
    /// At least once, known when the code is made.
    Constant(u32),
    /// As often as a register of the type [`RegisterType::Count`] says; perhaps never.
    Public(RegisterId),
}

impl Trips {
    /// How often, if it is known when the code is made.
    pub fn constant(self) -> Option<u32> {
        match self {
            Trips::Constant(trips) => Some(trips),
            Trips::Public(_) => None,
        }
    }

    /// For counts of what code costs: public trips stand for one.
    pub fn estimate(self) -> u64 {
        self.constant().map_or(1, u64::from)
    }
}

/// A counted loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The induction variable: 0, 1, …, one less than the trips.
    pub induction: InductionId,
    /// How many times.
    pub trips: Trips,
    /// The registers that go from one time to the next; after the loop they hold the last values.
    pub carried: Vec<Carried>,
    /// What is done each time.
    pub body: Block,
}

/// A carried register. All of a loop get their next values at once, at the end of the body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carried {
    /// The register.
    pub register: RegisterId,
    /// Its value the first time.
    pub initial: RegisterId,
    /// Its value the next time.
    pub next: RegisterId,
}

impl Step {
    /// Calls `see` for every register that the step reads, those in a loop included.
    pub fn reads(&self, see: &mut impl FnMut(RegisterId)) {
        match self {
            Step::Compute { operands, .. } => operands.iter().for_each(|&operand| see(operand)),
            Step::Store { value, .. } | Step::Scatter { value, .. } | Step::Fill { value, .. } => see(*value),
            Step::LoadPart { count, .. } | Step::CopyPart { count, .. } => see(*count),
            Step::StorePart { value, count, .. } => {
                see(*value);
                see(*count);
            }
            Step::Count { value, .. } => value.counts().into_iter().for_each(&mut *see),
            Step::View { offset, .. } => see(*offset),
            Step::Call(call) => call.arguments.iter().for_each(|argument| {
                if let Argument::Value(register) = argument {
                    see(*register);
                }
            }),
            Step::Loop(looped) => {
                if let Trips::Public(count) = looped.trips {
                    see(count);
                }
                for carried in &looped.carried {
                    see(carried.initial);
                    see(carried.next);
                }
                looped.body.steps.iter().for_each(|step| step.reads(see));
            }
            Step::Constant { .. } | Step::Load { .. } | Step::Gather { .. } | Step::Copy { .. } => {}
        }
    }

    /// Calls `see` for every register that the step defines, not for those that are defined in the body of a loop.
    pub fn defines(&self, see: &mut impl FnMut(RegisterId)) {
        match self {
            Step::Compute { result, .. }
            | Step::Constant { result, .. }
            | Step::Load { result, .. }
            | Step::Gather { result, .. }
            | Step::LoadPart { result, .. }
            | Step::Count { result, .. } => see(*result),
            Step::Loop(looped) => looped.carried.iter().for_each(|carried| see(carried.register)),
            Step::Call(call) => call.arguments.iter().for_each(|argument| {
                if let Argument::Result(register) = argument {
                    see(*register);
                }
            }),
            Step::Store { .. }
            | Step::Scatter { .. }
            | Step::StorePart { .. }
            | Step::Fill { .. }
            | Step::Copy { .. }
            | Step::CopyPart { .. }
            | Step::View { .. } => {}
        }
    }

    /// Calls `see` for every address of the step, those of a call included; not for those in the body of a loop, and a view has none.
    pub fn addresses(&self, see: &mut impl FnMut(&Address)) {
        match self {
            Step::Load { address, .. }
            | Step::Store { address, .. }
            | Step::Fill { address, .. }
            | Step::LoadPart { address, .. }
            | Step::StorePart { address, .. } => see(address),
            Step::Gather { addresses, .. } | Step::Scatter { addresses, .. } => {
                addresses.iter().for_each(see)
            }
            Step::Copy { from, to, .. } | Step::CopyPart { from, to, .. } => {
                see(from);
                see(to);
            }
            Step::Call(call) => call.arguments.iter().for_each(|argument| {
                if let Argument::Read(address) | Argument::Write(address) = argument {
                    see(address);
                }
            }),
            Step::Compute { .. }
            | Step::Constant { .. }
            | Step::Count { .. }
            | Step::View { .. }
            | Step::Loop(_) => {}
        }
    }

    /// The same, to change them.
    pub fn addresses_mut(&mut self, see: &mut impl FnMut(&mut Address)) {
        match self {
            Step::Load { address, .. }
            | Step::Store { address, .. }
            | Step::Fill { address, .. }
            | Step::LoadPart { address, .. }
            | Step::StorePart { address, .. } => see(address),
            Step::Gather { addresses, .. } | Step::Scatter { addresses, .. } => {
                addresses.iter_mut().for_each(see)
            }
            Step::Copy { from, to, .. } | Step::CopyPart { from, to, .. } => {
                see(from);
                see(to);
            }
            Step::Call(call) => call.arguments.iter_mut().for_each(|argument| {
                if let Argument::Read(address) | Argument::Write(address) = argument {
                    see(address);
                }
            }),
            Step::Compute { .. }
            | Step::Constant { .. }
            | Step::Count { .. }
            | Step::View { .. }
            | Step::Loop(_) => {}
        }
    }
}
