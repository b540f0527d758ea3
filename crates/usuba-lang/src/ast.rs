//! The surface syntax tree: what the author wrote, with the place of every part. It may be wrong.

use crate::source::Span;
use num_bigint::BigUint;

/// A name with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The spelling.
    pub text: String,
    /// The place.
    pub span: Span,
}

/// One file as parsed: includes and definitions in order.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// The items in order.
    pub items: Vec<Item>,
}

/// An item of a file.
#[derive(Clone, Debug)]
pub enum Item {
    /// `include "path"`.
    Include {
        /// The path between the quotes, uninterpreted.
        path: String,
        /// The whole item.
        span: Span,
    },
    /// A definition.
    Definition(Definition),
    /// `const N = 4`, `const RC:u32[4] = (…)`.
    Constant(ConstantDefinition),
    /// `cipher Toy (encrypt = F, …)`.
    Cipher(CipherDefinition),
}

impl Program {
    /// Adds an item that is no `include`.
    pub fn add(&mut self, item: Item) {
        match item {
            Item::Definition(definition) => self.definitions.push(definition),
            Item::Constant(constant) => self.constants.push(constant),
            Item::Cipher(cipher) => self.ciphers.push(cipher),
            Item::Include { .. } => {}
        }
    }
}

/// A program: the definitions of the main file and of what it includes, spliced in order. The last is the entry.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The definitions, a callee before its callers.
    pub definitions: Vec<Definition>,
    /// The constants of the whole program.
    pub constants: Vec<ConstantDefinition>,
    /// The block ciphers that may be bound to the parameter of a mode.
    pub ciphers: Vec<CipherDefinition>,
}

/// A constant of the whole program.
#[derive(Clone, Debug)]
pub struct ConstantDefinition {
    /// The name.
    pub name: Name,
    /// What it is.
    pub value: ConstantValue,
    /// The whole item.
    pub span: Span,
}

/// What a constant of the whole program is.
#[derive(Clone, Debug)]
pub enum ConstantValue {
    /// A number for the compiler.
    Number(Static),
    /// Words, row-major.
    Words(Type, List),
}

/// A block cipher as what a mode needs of it. Blocks and keys are bytes; the round keys are whatever the nodes say.
#[derive(Clone, Debug)]
pub struct CipherDefinition {
    /// The name.
    pub name: Name,
    /// What each role is played by: `encrypt = F`.
    pub roles: Vec<(Name, Name)>,
    /// The whole item.
    pub span: Span,
}

/// What a definition says about its lengths before its body.
#[derive(Clone, Debug)]
pub enum Fact {
    /// `n = (len + 15) / 16`: a length that follows from others.
    Length(Name, Static),
    /// `len <= 64`: a condition on which the definition may be used.
    Condition(Condition),
}

/// A condition on public numbers.
#[derive(Clone, Debug)]
pub struct Condition {
    /// What.
    pub kind: ConditionKind,
    /// Where.
    pub span: Span,
}

/// Conditions on public numbers.
#[derive(Clone, Debug)]
pub enum ConditionKind {
    /// `a < b`.
    Compare(Comparison, Static, Static),
    /// `a in {4, 8}`.
    Among(Static, Vec<Integer>),
    /// `P and Q`.
    And(Box<Condition>, Box<Condition>),
    /// `P or Q`.
    Or(Box<Condition>, Box<Condition>),
}

/// Comparisons of public numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `==`.
    Equal,
    /// `!=`.
    Unequal,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`.
    AtLeast,
}

/// `node`, `perm` or `table`, possibly an array of them.
#[derive(Clone, Debug)]
pub struct Definition {
    /// What stands before the keyword.
    pub attributes: Vec<Attribute>,
    /// The name.
    pub name: Name,
    /// `<C: cipher>`: the name of its cipher parameter.
    pub cipher: Option<Name>,
    /// Parameters in order.
    pub inputs: Vec<Declaration>,
    /// `opens` was written for `returns`, where: there are results only if a tag is right.
    pub opens: Option<Span>,
    /// Results in order.
    pub outputs: Vec<Declaration>,
    /// What follows `where`.
    pub facts: Vec<Fact>,
    /// Whether it is an array (`node[]`), called as `f<e>(..)`.
    pub array: bool,
    /// The body, or one body per element of an array.
    pub bodies: Bodies,
    /// The whole definition.
    pub span: Span,
}

/// The bodies of a definition: exactly one unless it is an array.
#[derive(Clone, Debug)]
pub enum Bodies {
    /// Equations.
    Node(Vec<NodeBody>),
    /// Lists of 1-based source positions.
    Perm(Vec<List>),
    /// Lists of values.
    Table(Vec<List>),
}

/// `{1, 2, 3}`.
#[derive(Clone, Debug)]
pub struct List {
    /// The entries.
    pub entries: Vec<Integer>,
    /// The braces and what they hold.
    pub span: Span,
}

/// An integer literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Integer {
    /// The value, of any size.
    pub value: BigUint,
    /// Whether it was written in hexadecimal.
    pub hexadecimal: bool,
    /// The place.
    pub span: Span,
}

/// An attribute of a definition.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Which.
    pub kind: AttributeKind,
    /// The place.
    pub span: Span,
}

/// Attributes of definitions. None of them changes the computed function, but `Lsb`/`Msb` say how a table is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttributeKind {
    /// `_inline`.
    Inline,
    /// `_no_inline`.
    NoInline,
    /// `_no_opt`.
    NoOpt,
    /// `_interleave(n)`.
    Interleave(Integer),
    /// `_lsb`: the first atom of a table is its least significant bit.
    Lsb,
    /// `_msb`: the first atom of a table is its most significant bit.
    Msb,
}

/// `vars` and `let … tel`.
#[derive(Clone, Debug)]
pub struct NodeBody {
    /// Locals.
    pub locals: Vec<Declaration>,
    /// Equations, at least one unless parsing failed.
    pub equations: Vec<Equation>,
    /// From `vars` or `let` to `tel`.
    pub span: Span,
}

/// `x, y : const u16x4[26]`: one or more names of one type.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The names.
    pub names: Vec<Name>,
    /// `const` was written, where.
    pub constant: Option<Span>,
    /// `uniform` was written, where.
    pub uniform: Option<Span>,
    /// `lazyLift` was written, where.
    pub lazy_lift: Option<Span>,
    /// The type.
    pub ty: Type,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct Type {
    /// The base.
    pub base: BaseType,
    /// Sizes in brackets, outermost first; static expressions are still expressions here.
    pub dimensions: Vec<Static>,
    /// The place.
    pub span: Span,
}

/// The word before the brackets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BaseType {
    /// `nat`.
    Nat,
    /// `u<D>m` or `u<D>mxn`.
    Word {
        /// `<…>`, if written.
        direction: Option<Direction>,
        /// The word size.
        size: Size,
        /// `xn`, if written: the length of the matrix.
        count: Option<u32>,
    },
    /// `b<D>n`: n one-bit atoms.
    Bits {
        /// `<…>`, if written.
        direction: Option<Direction>,
        /// How many.
        count: u32,
    },
    /// `v<D>n`: n atoms of the definition's implicit size.
    Atoms {
        /// `<…>`, if written.
        direction: Option<Direction>,
        /// How many.
        count: u32,
    },
    /// `C.keys`: the round keys of the cipher parameter `C`.
    Keys(String),
}

/// `<V>`, `<H>`, `<B>` or `<'name>`. `'D` is the implicit direction of the definition (D10).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Vertical.
    V,
    /// Horizontal.
    H,
    /// Bitsliced.
    B,
    /// Vertical, so many words of one instance side by side in 128 bits.
    Packed(u32),
    /// A variable; the name has no quote.
    Variable(String),
}

/// The size of a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Size {
    /// A number of bits, at least 1.
    Bits(u32),
    /// A variable; the name has no quote. `m` is the implicit size of the definition.
    Variable(String),
}

/// A static expression.
#[derive(Clone, Debug)]
pub struct Static {
    /// What.
    pub kind: StaticKind,
    /// Where.
    pub span: Span,
}

/// Static expressions: evaluated by the compiler.
#[derive(Clone, Debug)]
pub enum StaticKind {
    /// A literal.
    Integer(Integer),
    /// A loop variable, a `nat` parameter, a length, a constant, or `C.block` and `C.key` of a cipher.
    Name(String),
    /// An operation.
    Binary(StaticOp, Box<Static>, Box<Static>),
    /// `min(a, b)`, `max(a, b)`, `Ntz(a)`.
    Apply(StaticFunction, Vec<Static>),
}

/// Functions of public numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StaticFunction {
    /// The smaller of two.
    Min,
    /// The larger of two.
    Max,
    /// How many zeros a positive number ends with, in binary.
    TrailingZeros,
}

impl StaticFunction {
    /// The function of that spelling.
    pub fn named(spelling: &str) -> Option<StaticFunction> {
        Some(match spelling {
            "min" => StaticFunction::Min,
            "max" => StaticFunction::Max,
            "Ntz" => StaticFunction::TrailingZeros,
            _ => return None,
        })
    }

    /// The number of its arguments.
    pub fn arity(self) -> usize {
        if self == StaticFunction::TrailingZeros { 1 } else { 2 }
    }
}

/// Static operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StaticOp {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`, Euclidean.
    Divide,
    /// `%`, Euclidean.
    Modulo,
}

/// An equation.
#[derive(Clone, Debug)]
pub enum Equation {
    /// `p = e`, `p := e`, `p op= e`, `p op:= e`.
    Assign(Assignment),
    /// `forall`.
    Forall(Forall),
    /// `if P { … } else { … }`.
    If(If),
    /// `accept a == b`.
    Accept(Accept),
}

/// A choice on public facts.
#[derive(Clone, Debug)]
pub struct If {
    /// What decides.
    pub condition: Condition,
    /// What holds if it is so.
    pub then: Vec<Equation>,
    /// What holds otherwise.
    pub otherwise: Vec<Equation>,
    /// The whole.
    pub span: Span,
}

/// The one place where data may gate a result.
#[derive(Clone, Debug)]
pub struct Accept {
    /// One side.
    pub left: Expression,
    /// The other.
    pub right: Expression,
    /// The whole.
    pub span: Span,
}

/// An assignment as written.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The left side: one or more variables.
    pub targets: Vec<Reference>,
    /// The operator of `p op= e`.
    pub operator: Option<BinaryOp>,
    /// Whether a colon stands before `=`.
    pub imperative: bool,
    /// The right side.
    pub value: Expression,
    /// The whole.
    pub span: Span,
}

/// A loop as written.
#[derive(Clone, Debug)]
pub struct Forall {
    /// `_unroll`, `_no_unroll`, `_pipelined` in order.
    pub attributes: Vec<LoopAttribute>,
    /// The variable.
    pub variable: Name,
    /// First value.
    pub start: Static,
    /// Last value, inclusive; the loop runs downwards if it is less than `start`. If the range is half-open, the first
    /// value that is no more in it: the loop runs upwards, or not at all.
    pub stop: Static,
    /// `[a, b)` rather than `[a, b]`.
    pub half_open: bool,
    /// The body.
    pub body: Vec<Equation>,
    /// The whole.
    pub span: Span,
}

/// An attribute of a loop with its place.
#[derive(Clone, Debug)]
pub struct LoopAttribute {
    /// Which.
    pub kind: LoopAttributeKind,
    /// Where.
    pub span: Span,
}

/// Attributes of loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopAttributeKind {
    /// `_unroll`.
    Unroll,
    /// `_no_unroll`.
    NoUnroll,
    /// `_pipelined`.
    Pipelined,
}

/// A variable with its selections.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The variable.
    pub name: Name,
    /// `[..]` in order.
    pub selections: Vec<Selection>,
    /// The whole.
    pub span: Span,
}

/// One pair of brackets.
#[derive(Clone, Debug)]
pub enum Selection {
    /// `[e]`.
    Index(Static),
    /// `[a..b]`, descending if a > b.
    Range(Static, Static),
    /// `[a, b)`, which may be empty.
    HalfOpen(Static, Static),
    /// `[e1, e2, …]`.
    Slice(Vec<Static>),
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What.
    pub kind: ExpressionKind,
    /// Where, parentheses included.
    pub span: Span,
    /// Whether the author put parentheses around it.
    pub parenthesised: bool,
}

/// Operators between words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`: parsed, rejected on words (D19).
    Divide,
    /// `%`: parsed, rejected on words (D19).
    Modulo,
}

/// Shifts and rotations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ShiftOp {
    /// `<<`.
    Left,
    /// `>>`.
    Right,
    /// `>>!`.
    RightArithmetic,
    /// `<<<`.
    RotateLeft,
    /// `>>>`.
    RotateRight,
}

/// Expressions.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// `n` or `n:type`.
    Constant(Integer, Option<Type>),
    /// A variable.
    Reference(Reference),
    /// `(a, b, …)`, two or more.
    Tuple(Vec<Expression>),
    /// `~e`, `!e`.
    Not(Box<Expression>),
    /// `e op f`.
    Binary(BinaryOp, Box<Expression>, Box<Expression>),
    /// `e << k`.
    Shift(ShiftOp, Box<Expression>, Static),
    /// `Shuffle(x, [..])` or `x{..}`.
    Shuffle(Reference, Vec<Integer>),
    /// `Bitmask(e, k)`.
    Bitmask(Box<Expression>, Static),
    /// `Pack(e, f) : type`.
    Pack(Box<Expression>, Box<Expression>, Option<Type>),
    /// `f(..)` or `f<e>(..)`. A `nat` argument is an expression like any other here.
    Call {
        /// The callee.
        callee: Name,
        /// `<e>`.
        element: Option<Static>,
        /// The arguments.
        arguments: Vec<Expression>,
    },
    /// `a ++ b`, two or more.
    Concatenate(Vec<Expression>),
    /// `Bits(x)`, `Words(x, big):u32` and their like.
    Cast(Cast),
    /// What the parser could not read; a diagnostic has been made.
    Error,
}

/// A cast, or padding, with what is selected of its result.
#[derive(Clone, Debug)]
pub struct Cast {
    /// Which, with its place.
    pub name: Name,
    /// The arguments.
    pub arguments: Vec<Expression>,
    /// The type after a colon.
    pub ty: Option<Type>,
    /// `[..]` in order.
    pub selections: Vec<Selection>,
}

/// The casts by name.
pub const CASTS: [&str; 6] = ["Bits", "Bytes", "Words", "Word", "Pad", "Zero"];
