//! Machine form: instructions on registers that exist, and memory by registers that exist.

use usuba_target::Instruction;
use usuba_target::encoding::general_name;

/// A register for values, by its number: a vector, or a general-purpose register by its place in a [`File`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Vector(pub(crate) u8);

/// A general-purpose register, by its number in the encoding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Gpr(pub(crate) u8);

impl Gpr {
    pub(crate) const RAX: Gpr = Gpr(0);
    pub(crate) const RCX: Gpr = Gpr(1);
    pub(crate) const RDX: Gpr = Gpr(2);
    pub(crate) const RBX: Gpr = Gpr(3);
    pub(crate) const RSP: Gpr = Gpr(4);
    pub(crate) const RBP: Gpr = Gpr(5);
    pub(crate) const RSI: Gpr = Gpr(6);
    pub(crate) const RDI: Gpr = Gpr(7);

    /// Its name, of 64 bits.
    pub(crate) fn name(self) -> &'static str {
        general_name(self.0, 64)
    }

    /// The name of its lower half.
    pub(crate) fn half(self) -> &'static str {
        general_name(self.0, 32)
    }
}

/// How general-purpose registers are divided: the first of an order are for values, the others for addresses. Sums of addresses
/// go through `rax`; where there are none, `rax` is the first in the order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct File {
    pub(crate) values: u8,
    pub(crate) sums: bool,
    /// Steps between two, outside of loops, that need an argument, over which it stays in its register; else it is fetched again.
    pub(crate) near: usize,
}

impl File {
    /// The most registers for values: all but the stack pointer and one address.
    pub(crate) const MOST: File = File { values: 14, sums: false, near: usize::MAX };

    /// All registers but the stack pointer and what sums go through. Those that a function must keep come after those that it need
    /// not.
    pub(crate) fn order(self) -> impl Iterator<Item = Gpr> {
        let first = (!self.sums).then_some(Gpr::RAX);
        let free = [Gpr(8), Gpr(9), Gpr(10), Gpr(11), Gpr::RCX];
        let kept = [Gpr::RBX, Gpr::RBP, Gpr(12), Gpr(13), Gpr(14), Gpr(15)];
        // Addresses take the last ones.
        first.into_iter().chain(free).chain(kept).chain([Gpr::RDX, Gpr::RSI, Gpr::RDI])
    }

    /// Those for addresses.
    pub(crate) fn addresses(self) -> impl Iterator<Item = Gpr> {
        self.order().skip(self.values.into())
    }
}

/// Where an address starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    /// The content of a register.
    Register(Gpr),
    /// The constants of the function.
    Pool,
}

/// `base + index + displacement`, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Memory {
    pub(crate) base: Base,
    pub(crate) index: Option<Gpr>,
    pub(crate) displacement: i64,
}

/// An operand of an instruction, with memory of the type `M`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Source<M> {
    Register(Vector),
    /// A whole register in memory.
    Memory(M),
    /// So many bits in memory, repeated.
    Repeated(M, u32),
}

/// An instruction on vector registers, with memory of the type `M`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum VectorLine<M> {
    /// What the item of that number computes. Operands may be in another order than in the item, with an immediate that
    /// fits.
    Compute {
        item: usize,
        row: &'static Instruction,
        to: Vector,
        sources: Vec<Source<M>>,
        immediate: Option<u32>,
    },
    /// A copy.
    Copy { to: Vector, from: Vector },
    /// All bits clear, or all set.
    Splat { to: Vector, ones: bool },
    /// So many bits from memory, repeated; as many as the register has: simply a load. `aligned` as the register is.
    Load { to: Vector, memory: M, bits: u32, aligned: bool },
    /// To memory: for the store of that item, or into a slot. `aligned` as the register is.
    Store { from: Vector, memory: M, item: Option<usize>, aligned: bool },
    /// The first lanes from memory, by the mask of the count of that item.
    LoadPart { item: usize, row: &'static Instruction, to: Vector, memory: M },
    /// The first lanes to memory, by the mask of the count of that item.
    StorePart { item: usize, row: &'static Instruction, from: Vector, memory: M },
}

/// What the counter of a loop ends at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Limit {
    /// A number.
    Number(i64),
    /// The public count in a register.
    Count(Gpr),
}

/// A line of machine code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Line {
    LandingPad,
    Push(Gpr),
    Pop(Gpr),
    Move {
        to: Gpr,
        from: Gpr,
    },
    Zero(Gpr),
    Add {
        to: Gpr,
        amount: i64,
    },
    /// Rounds the stack pointer down to a multiple of this many bytes.
    Align(i64),
    /// Lowers the stack pointer by a frame of so many bytes.
    Reserve(i64),
    /// Raises it by so many.
    Release(i64),
    /// Takes an address.
    Address {
        to: Gpr,
        memory: Memory,
    },
    /// Reads 64 bits: an argument.
    Fetch {
        to: Gpr,
        memory: Memory,
    },
    /// The public count that the item makes, of counts in these registers. It goes through `rax`.
    Count {
        item: usize,
        to: Gpr,
        sources: Vec<Gpr>,
    },
    /// Makes the mask of the first lanes, so many as the register says. It goes through `rax`.
    Mask(Gpr),
    /// Copies the bytes of that item, eight at a time and then one by one, through `rax`.
    CopyPart {
        item: usize,
        to: Gpr,
        from: Gpr,
        count: Gpr,
        index: Gpr,
    },
    /// Goes behind the loop of that number if it runs no times.
    Skip {
        number: usize,
        count: Gpr,
    },
    /// The head of the loop of that number.
    Label(usize),
    /// Goes to the head of the loop unless the counter has reached its limit.
    Branch {
        number: usize,
        counter: Gpr,
        limit: Limit,
    },
    ClearUpper,
    Return,
    Vector(VectorLine<Memory>),
}

/// The code of a function.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) lines: Vec<Line>,
    /// The constants, each of the size of a register.
    pub(crate) pool: Vec<Vec<u8>>,
    /// For each region of the function's own, its place above the stack pointer.
    pub(crate) locals: Vec<Option<i64>>,
    /// Bytes for registers that were put aside, from the stack pointer up.
    pub(crate) slots: i64,
    /// Bytes of the frame: slots, then regions.
    pub(crate) frame: i64,
}
