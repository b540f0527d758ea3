//! Scheduled blocks: instructions on typed registers, memory operands in named buffers, counted loops and calls.
//!
//! This is what selection makes and what the printers read. It is in single-assignment form but for the carried registers
//! of loops and for memory; the order of the steps is the order of the code. All registers of a module have one type, that
//! of [`Shape::register_bits`] bits.

use crate::shape::Shape;
use std::sync::Arc;
use usuba_ir::program::{Affine, InductionId, Inline};
use usuba_target::Instruction;

pub use usuba_target::Constant;

/// Number of a register in its function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RegisterId(pub u32);

/// Number of a buffer in its function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BufferId(pub u32);

impl RegisterId {
    /// Its place in [`Function::registers`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl BufferId {
    /// Its place in [`Function::buffers`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All functions of a kernel, callees first, the entry last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// What a register holds.
    pub shape: Shape,
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
    /// Its registers, with the source name of the value where there is one.
    pub registers: Vec<Option<Arc<str>>>,
    /// Its buffers.
    pub buffers: Vec<Buffer>,
    /// Constants, each made once: [`Step::Constant`] only. A printer may make them anew where they are used.
    pub constants: Vec<Step>,
    /// What it does.
    pub body: Block,
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The name in the source.
    pub name: String,
    /// What it is.
    pub kind: ParameterKind,
}

/// The two kinds of parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParameterKind {
    /// A register, by value.
    Register(RegisterId),
    /// The address of a buffer.
    Buffer(BufferId),
}

/// What a buffer is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Registers to read.
    Input,
    /// Elements to read and repeat in the whole register ([`Shape::uniform_type`]).
    Uniform,
    /// Registers to write, and then to read.
    Output,
    /// Registers of the function's own.
    Local,
}

/// A named array in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// A name, not unique.
    pub name: String,
    /// Number of atoms.
    pub len: u32,
    /// What it is for.
    pub role: Role,
}

/// A place in a buffer, counted in atoms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// The buffer.
    pub buffer: BufferId,
    /// Where in it.
    pub index: Affine,
}

/// A sequence of steps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// The buffers that live as long as this block.
    pub locals: Vec<BufferId>,
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
    /// From memory; from a uniform buffer with a broadcast.
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
    /// A call.
    Call(Call),
    /// A loop.
    Loop(Loop),
}

/// A call; the arguments in the order of the callee's parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// Place of the callee in [`Module::functions`].
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

/// A counted loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The induction variable: 0, 1, …, `trips` - 1.
    pub induction: InductionId,
    /// How many times.
    pub trips: u32,
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
