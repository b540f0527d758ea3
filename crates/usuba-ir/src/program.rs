//! Programs, nodes, values and operations.
//!
//! A program is in single-assignment form. A value is an atom or an array of atoms. Loops are operations: a body with
//! parameters (the carried values) is run `trips` times. Array elements are read and replaced at affine indices of the
//! enclosing induction variables. There is no way to write a branch or an index that depends on data.

use crate::block::BlockOp;
use crate::bytes::ByteMap;
use crate::layout::Layout;
use std::sync::Arc;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// Its place in the collection that it numbers.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// Number of a [`Node`] in its program.
    NodeId
);
id!(
    /// Number of a value in its node.
    ValueId
);
id!(
    /// Number of an induction variable (one per [`Loop`]) in its node.
    InductionId
);
id!(
    /// Number of a source file in its program.
    FileId
);

/// A program in normal form. A callee comes before its callers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Names of the source files that origins refer to.
    pub files: Vec<String>,
    /// The nodes; callees first, the entry last.
    pub nodes: Vec<Node>,
    /// How many batches of instances the entry computes, at least 1. If more, every input of the entry but the uniform
    /// ones, and every output, is an array whose outermost dimension is this number.
    pub interleave: u32,
}

impl Program {
    /// The node numbered `id`.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The entry: the last node.
    ///
    /// # Panics
    /// If the program has no node, which the checker rejects.
    pub fn entry(&self) -> &Node {
        self.nodes.last().expect("a program has an entry")
    }
}

/// Whether a node is to be inlined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Inline {
    /// The compiler decides.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Attributes of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Attributes {
    /// `_inline`, `_no_inline`.
    pub inline: Inline,
    /// `_no_opt`: no pass may change the node.
    pub no_opt: bool,
    /// `_interleave(n)`.
    pub interleave: Option<u32>,
}

/// A function from inputs to outputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Unique name; letters, digits, `_` and `'`.
    pub name: String,
    /// Attributes.
    pub attributes: Attributes,
    /// Inputs: `body.parameters` are their values, in the same order.
    pub inputs: Vec<Parameter>,
    /// Outputs: `body.results` are their values, in the same order.
    pub outputs: Vec<Parameter>,
    /// All values of the node, those of loop bodies included.
    pub values: Vec<Value>,
    /// Number of induction variables.
    pub inductions: u32,
    /// What it computes.
    pub body: Block,
}

impl Node {
    /// The value numbered `id`.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    /// The type of the value numbered `id`.
    pub fn ty(&self, id: ValueId) -> Type {
        self.values[id.index()].ty
    }
}

/// An input or output of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The name in the source.
    pub name: String,
    /// Its type. The number of atoms is the product of `shape`.
    pub ty: Type,
    /// Its dimensions in the source, outermost first; empty for one atom.
    pub shape: Vec<u32>,
    /// `const`: the same for all parallel instances. Only inputs.
    pub uniform: bool,
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    /// The layout of each atom.
    pub layout: Layout,
    /// `None` for an atom, the number of elements for an array.
    pub len: Option<u32>,
}

impl Type {
    /// An atom.
    pub fn atom(layout: Layout) -> Type {
        Type { layout, len: None }
    }

    /// An array of `len` atoms.
    pub fn array(layout: Layout, len: u32) -> Type {
        Type { layout, len: Some(len) }
    }

    /// Number of atoms.
    pub fn atoms(self) -> u32 {
        self.len.unwrap_or(1)
    }
}

/// A value: its type and where in the source it came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    /// The type.
    pub ty: Type,
    /// The origin.
    pub origin: Origin,
}

/// Where a value came from.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Origin {
    /// File, line and column (from 1).
    pub place: Option<(FileId, u32, u32)>,
    /// The source variable and element it is a version of, such as `st[3]`, if it is one. No blanks, no quotes `"`.
    pub name: Option<Arc<str>>,
}

/// A sequence of operations.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Block {
    /// Values given from outside: the inputs of a node, the carried values of a loop.
    pub parameters: Vec<ValueId>,
    /// The operations, each value defined before it is used.
    pub operations: Vec<Operation>,
    /// Values handed out: the outputs of a node, the next carried values of a loop.
    pub results: Vec<ValueId>,
}

/// An operation and the values it defines: one, but for [`Op::Call`] and [`Op::Loop`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    /// The values it defines.
    pub results: Vec<ValueId>,
    /// What it does.
    pub op: Op,
}

/// Operators on two atoms of one layout.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinaryOp {
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// `a ^ b`.
    Xor,
    /// `a & ~b`: the second operand is complemented.
    AndNot,
    /// Modulo 2^word, word by word; not for words of one bit in a packed atom.
    Add,
    /// Modulo 2^word, word by word; not for words of one bit in a packed atom.
    Subtract,
    /// Modulo 2^word, word by word; not for words of one bit in a packed atom.
    Multiply,
}

/// Shifts and rotations of one atom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ShiftOp {
    /// Towards the most significant bit, zeros in.
    Left,
    /// Towards the least significant bit, zeros in.
    Right,
    /// Towards the least significant bit, copies of the most significant bit in.
    RightArithmetic,
    /// Rotation towards the most significant bit.
    RotateLeft,
    /// Rotation towards the least significant bit.
    RotateRight,
}

/// An index `constant + Σ coefficient · induction`, in atoms. In range for all values of the inductions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Affine {
    /// The constant part.
    pub constant: i64,
    /// Non-zero coefficients, by increasing induction.
    pub terms: Vec<(InductionId, i64)>,
}

impl Affine {
    /// A constant index.
    pub fn constant(constant: i64) -> Affine {
        Affine { constant, terms: Vec::new() }
    }

    /// Its value, given the value of each induction variable.
    pub fn at(&self, inductions: &[i64]) -> i64 {
        self.constant + self.terms.iter().map(|&(i, c)| c * inductions[i.index()]).sum::<i64>()
    }
}

/// What an operation does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// The same constant in every instance.
    Constant(u128),
    /// Complement.
    Not(ValueId),
    /// Two operands of the result's layout.
    Binary(BinaryOp, ValueId, ValueId),
    /// The function of three bits with this truth table, bit by bit: bit `4a + 2b + c` of it is the value at `a`, `b`, `c`.
    Ternary(u8, [ValueId; 3]),
    /// By `0 < amount < word`, word by word. In a layout with `word` = 1 and `pack` = m it is a shuffle of the elements,
    /// by less than m.
    Shift(ShiftOp, ValueId, u32),
    /// Bit i of the result is bit `pattern[i]` of the operand (or zero), counted from the most significant; as many
    /// entries as the atom has bits.
    Shuffle(ValueId, Vec<Option<u32>>),
    /// All ones if this bit, counted from the least significant, is set, else zero.
    Bitmask(ValueId, u32),
    /// The image of every byte; words of eight bits only.
    MapBytes(ValueId, ByteMap),
    /// Two blocks, the result one too; [`Layout::BLOCK`] only.
    Block(BlockOp, ValueId, ValueId),
    /// `InvMixColumns` of AES ([`crate::aes::inverse_mix_columns`]); [`Layout::BLOCK`] only. It makes the round keys of
    /// [`crate::aes::Round::Decrypt`].
    InverseMixColumns(ValueId),
    /// `(high << m) | low`: two atoms of m bits, a result of 2m bits; `pack` = 1.
    Pack(ValueId, ValueId),
    /// The identity, but for masking.
    Refresh(ValueId),
    /// An array of these atoms.
    Array(Vec<ValueId>),
    /// The atom of an array at an index.
    Get(ValueId, Affine),
    /// The array with the atom at an index replaced.
    Set(ValueId, Affine, ValueId),
    /// The `len` (that of the result) elements of an array from an index on, as an array.
    Slice(ValueId, Affine),
    /// The array (first operand) with the elements from an index on replaced by those of another array.
    Splice(ValueId, Affine, ValueId),
    /// The outputs of a node.
    Call(NodeId, Vec<ValueId>),
    /// A loop.
    Loop(Loop),
}

/// A counted loop: `body` is run for the induction variable = 0, 1, …, trips - 1; its parameters are `initial` the first
/// time and its results from then on; its last results are the results of the operation. It may use values defined
/// before it in the enclosing blocks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Loop {
    /// The induction variable, used by no other loop of the node.
    pub induction: InductionId,
    /// How many times, at least 1.
    pub trips: u32,
    /// The carried values before the first time.
    pub initial: Vec<ValueId>,
    /// The body.
    pub body: Block,
}
