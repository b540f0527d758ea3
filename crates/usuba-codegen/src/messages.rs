//! Everything that code generation can say to the user.

use std::fmt;
use usuba_ir::block::BlockOp;
use usuba_ir::layout::{Layout, Slicing};
use usuba_ir::program::{BinaryOp, Node, Op, Operation, Program, ShiftOp, ValueId};
use usuba_target::Meaning;

/// Why a function cannot have a name, to follow the name.
pub(crate) const NO_IDENTIFIER: &str = "is not a C identifier";
/// The same, of a word with a meaning.
pub(crate) const TAKEN_BY_C: &str = "has a meaning in C or C++";
/// The same, of `uint8_t` and its like.
pub(crate) const ENDS_AS_A_TYPE: &str = "ends with `_t`, as the types of C's headers do";
/// The same, of `__x`, `_X` and intrinsics.
pub(crate) const BELONGS_TO_COMPILERS: &str = "begins as the names of compilers and their intrinsics do";

/// Why something has no code on a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Atoms of several words that do not fill 128 bits.
    HybridLayout(Layout),
    /// Registers of one word cannot hold this many words of one instance.
    NoGroups(u32),
    /// Atoms spread over elements together with others.
    MixedLayouts,
    /// This number of elements is not a power of two from 2 to 64.
    Elements(u32),
    /// The registers or instructions do not suffice to shuffle this many elements.
    Shuffle(u32),
    /// Atoms of more than 64 bits in lanes.
    Width(u32),
    /// Sums and products need their bits side by side.
    Arithmetic(Slicing),
    /// Packing changes the layout of spread atoms.
    Pack,
    /// Sums of words of a block on a machine that may have them the other way round in memory.
    WordsOfBlock,
    /// Neither an instruction nor a rule gives this in lanes of this width.
    Instruction(Meaning, u32),
    /// The assembly printer cannot do this.
    Assembly(&'static str),
    /// The operation breaks an invariant of Usuba0: no [`Missing`] has this, but an [`Internal`].
    Malformed(&'static str),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::HybridLayout(Layout { word, pack, .. }) => write!(
                f,
                "packed words fill 128 bits, in words of 8, 16, 32 or 64; {pack} words of {word} bits do not"
            ),
            Reason::NoGroups(words) => {
                write!(
                    f,
                    "general-purpose registers hold one word, not {words} of one instance; use -V or -B"
                )
            }
            Reason::MixedLayouts => {
                f.write_str("an H-sliced program must have atoms of one width only; use -V or -B")
            }
            Reason::Elements(m) => {
                write!(f, "{m} elements do not fit a register; H needs a width of 2, 4, 8, 16, 32 or 64")
            }
            Reason::Shuffle(m) => write!(f, "no instructions shuffle {m} elements"),
            Reason::Width(m) => write!(f, "a lane has at most 64 bits, the atom has {m}; use -B"),
            Reason::Arithmetic(slicing) => {
                write!(
                    f,
                    "arithmetic needs the bits of a word side by side, and {slicing:?} spreads them; use -V"
                )
            }
            Reason::Pack => f.write_str("packing changes the layout of H-sliced atoms; use -V or -B"),
            Reason::WordsOfBlock => f.write_str("its words lie in memory from the most significant byte"),
            Reason::Instruction(meaning, lane) => {
                write!(f, "neither an instruction nor a rule gives {meaning:?} in lanes of {lane} bits")
            }
            Reason::Assembly(why) => f.write_str(why),
            Reason::Malformed(what) => f.write_str(what),
        }
    }
}

/// Something in a program that a target has no code for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The operation, such as `shuffle of 32 elements`.
    pub operation: String,
    /// The type of its result, such as `u<H>32`.
    pub ty: String,
    /// The node it stands in.
    pub node: String,
    /// File, line and column it came from.
    pub place: Option<(String, u32, u32)>,
    /// The target.
    pub target: &'static str,
    /// Why.
    pub reason: Reason,
    /// The targets that have it.
    pub targets: Vec<&'static str>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line, column)) = &self.place {
            write!(f, "{file}:{line}:{column}: ")?;
        }
        write!(f, "in node `{}`: there is no {} on {}; ", self.node, self.operation, self.target)?;
        match self.targets.as_slice() {
            [] => f.write_str("no target has one")?,
            [one] => write!(f, "{one} has one")?,
            several => write!(f, "{} have one", several.join(", "))?,
        }
        write!(f, " ({}: {})", self.ty, self.reason)
    }
}

impl std::error::Error for Missing {}

/// What a mistake of the compiler is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An atom that no operation before this has put into a register.
    NoRegister(ValueId),
    /// An array that no operation before this has put into memory.
    NoMemory(ValueId),
    /// An atom where an array is wanted.
    NoArray(ValueId),
    /// A call of a node, by number, that is no function.
    NoFunction(u32),
    /// Lists that belong together have unlike lengths.
    Count {
        /// The name of what is listed.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An array is moved to a place of another length.
    Length {
        /// Elements of the place.
        expected: u32,
        /// Elements of the array.
        found: u32,
    },
    /// An operation that Usuba0 does not have.
    Operation(&'static str),
    /// The machine program is not sound: what its checker found first.
    Machine(String),
    /// Making or checking the assembly found a mistake.
    Assembly(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NoRegister(value) => write!(f, "{value} is in no register"),
            Fault::NoMemory(value) => write!(f, "{value} is in no memory"),
            Fault::NoArray(value) => write!(f, "{value} is no array"),
            Fault::NoFunction(node) => write!(f, "the callee, node {node}, is no function"),
            Fault::Count { what, expected, found } => {
                write!(f, "the number of {what} is {found} and should be {expected}")
            }
            Fault::Length { expected, found } => {
                write!(f, "an array of {found} elements is moved to a place of {expected}")
            }
            Fault::Operation(what) => f.write_str(what),
            Fault::Machine(flaw) => write!(f, "in the machine program: {flaw}"),
            Fault::Assembly(what) => write!(f, "in the assembly: {what}"),
        }
    }
}

/// A mistake of the compiler, found while code was generated: the code is not made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Internal {
    /// What is wrong.
    pub fault: Fault,
    /// The node it is in.
    pub node: String,
    /// The operation in the text form, if it is at one.
    pub operation: Option<String>,
    /// File, line and column that the operation came from.
    pub place: Option<(String, u32, u32)>,
}

impl From<Fault> for Internal {
    fn from(fault: Fault) -> Internal {
        Internal { fault, node: String::new(), operation: None, place: None }
    }
}

impl Internal {
    /// The same in a node.
    pub(crate) fn in_node(self, node: &Node) -> Internal {
        Internal { node: node.name.clone(), ..self }
    }

    /// The same at an operation, unless it is at one inside of it.
    pub(crate) fn at(self, program: &Program, node: &Node, operation: &Operation) -> Internal {
        if self.operation.is_some() {
            return self;
        }
        let first = operation.results.first().and_then(|result| node.values.get(result.index()));
        Internal {
            operation: Some(program.line(node, operation)),
            place: first.and_then(|value| {
                let (file, line, column) = value.origin.place?;
                Some((program.files.get(file.index())?.clone(), line, column))
            }),
            ..self
        }
    }
}

impl fmt::Display for Internal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line, column)) = &self.place {
            write!(f, "{file}:{line}:{column}: ")?;
        }
        write!(f, "internal error: in node `{}`", self.node)?;
        if let Some(operation) = &self.operation {
            write!(f, ", at `{operation}`")?;
        }
        write!(f, ": {}; please report this", self.fault)
    }
}

impl std::error::Error for Internal {}

/// Why a program has no code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoCode {
    /// The target lacks this, all of it.
    Missing(Vec<Missing>),
    /// The compiler made a mistake.
    Internal(Internal),
}

impl fmt::Display for NoCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoCode::Missing(missing) => {
                let lines: Vec<String> = missing.iter().map(ToString::to_string).collect();
                f.write_str(&lines.join("; "))
            }
            NoCode::Internal(internal) => internal.fmt(f),
        }
    }
}

impl std::error::Error for NoCode {}

impl From<Internal> for NoCode {
    fn from(internal: Internal) -> NoCode {
        NoCode::Internal(internal)
    }
}

/// The type of an atom as the source would write it.
pub(crate) fn type_name(layout: Layout) -> String {
    match layout {
        Layout { word: 1, pack: 1, .. } => "b1".into(),
        Layout { word, pack: 1, .. } => format!("u<V>{word}"),
        Layout { word: 1, pack, .. } => format!("u<H>{pack}"),
        Layout { word, pack, .. } => format!("u<{word}x{pack}>{}", layout.width()),
    }
}

/// An operation in words.
pub(crate) fn operation_name(op: &Op, layout: Layout) -> String {
    let elements = layout.pack;
    match op {
        Op::Binary(op, ..) => match op {
            BinaryOp::And => "`&`",
            BinaryOp::Or => "`|`",
            BinaryOp::Xor => "`^`",
            BinaryOp::AndNot => "`& ~`",
            BinaryOp::Add => "addition",
            BinaryOp::Subtract => "subtraction",
            BinaryOp::Multiply => "multiplication",
        }
        .into(),
        Op::Shift(..) | Op::Shuffle(..) | Op::Bitmask(..) if elements > 1 => {
            format!("shuffle of {elements} elements")
        }
        Op::Shift(op, _, amount) => match op {
            ShiftOp::Left => format!("shift `<< {amount}`"),
            ShiftOp::Right => format!("shift `>> {amount}`"),
            ShiftOp::RightArithmetic => format!("shift `>>! {amount}`"),
            ShiftOp::RotateLeft => format!("rotation `<<< {amount}`"),
            ShiftOp::RotateRight => format!("rotation `>>> {amount}`"),
        },
        Op::Shuffle(..) => "shuffle".into(),
        Op::Bitmask(..) => "bit mask".into(),
        Op::MapBytes(..) => "map of bytes in GF(2^8)".into(),
        Op::Block(BlockOp::Aes(_), ..) => "round of AES".into(),
        Op::Block(BlockOp::Product(_), ..) => "carry-less product".into(),
        Op::Block(BlockOp::AddWords(bits), ..) => format!("sum of the words of {bits} bits of a block"),
        Op::Block(BlockOp::JoinHalves(_), ..) => "half of each of two blocks".into(),
        Op::InverseMixColumns(_) => "`InvMixColumns` of AES".into(),
        Op::Pack(..) => "packing".into(),
        Op::Ternary(table, _) => format!("function {table:#04x} of three bits"),
        Op::Not(_) => "complement".into(),
        Op::Constant(_) => "constant".into(),
        _ => format!("atom of type {}", type_name(layout)),
    }
}
