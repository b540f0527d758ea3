//! The typed program: monomorphic, every static expression evaluated, every loop unrolled, every use resolved.
//!
//! A [`Program`] is made by [`crate::elaborate`] alone. Its invariants:
//! - an [`Instance`] is one definition with its element, `nat` values, directions and word sizes fixed;
//!   a callee has a smaller [`InstanceId`] than its callers;
//! - every atom is named by variable and row-major position; every index is in range;
//! - every [`Use`] says which definition it denotes (the four rules of assignment, D18);
//! - both sides of every assignment, operator and call have the same widths atom by atom;
//! - in [`Atoms::Bits`] every atom has width 1: a word is a group of consecutive atoms, most significant bit first, and
//!   shifts, shuffles, `Bitmask` and `Pack` have become [`ExpressionKind::Gather`] or [`ExpressionKind::Tuple`].
//!
//! A loop keeps one body per value of its variable, in order of execution, so that a later stage can see whether the
//! iterations have one shape and keep the loop, or spell it out.

use crate::ast;
use crate::source::Span;

/// How words are represented.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Atoms {
    /// An atom is a word of m bits.
    Words,
    /// Every word is its bits (`--slicing b`).
    Bits,
}

/// A direction after unification.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// Vertical.
    V,
    /// Horizontal.
    H,
    /// Bitsliced.
    B,
    /// Vertical, so many words of one instance side by side in 128 bits.
    Packed(u32),
    /// Left open by the program and by the caller (interpretation does not need it), or a one-bit atom.
    Free,
}

/// Number of an [`Instance`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InstanceId(pub u32);

/// Number of a [`Variable`] within its instance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub u32);

/// Textual number of an assignment within its instance, all loops unrolled, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AssignmentId(pub u32);

/// A typed program. Elaboration alone makes one, and no one changes it.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) atoms: Atoms,
    pub(crate) instances: Vec<Instance>,
    pub(crate) entry: InstanceId,
}

impl Program {
    /// Words or bits.
    pub fn atoms(&self) -> Atoms {
        self.atoms
    }

    /// The instances reachable from the entry, callees first.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// The entry, always the last instance.
    pub fn entry(&self) -> InstanceId {
        self.entry
    }

    /// The instance numbered `id`.
    pub fn instance(&self, id: InstanceId) -> &Instance {
        &self.instances[id.0 as usize]
    }

    /// The program whose entry is an instance of this one. Instances keep their numbers; those that it does not call compute
    /// nothing.
    pub fn entered_at(&self, id: InstanceId) -> Program {
        let mut wanted = vec![false; id.0 as usize + 1];
        wanted[id.0 as usize] = true;
        for number in (0..=id.0).rev() {
            if let (true, Body::Equations(equations)) =
                (wanted[number as usize], &self.instance(InstanceId(number)).body)
            {
                visit(&equations.steps, &mut |expression| {
                    if let ExpressionKind::Call { callee, .. } = &expression.kind {
                        wanted[callee.0 as usize] = true;
                    }
                });
            }
        }
        let nothing = |instance: &Instance| Instance {
            variables: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            body: Body::Permutation { sources: Vec::new() },
            ..instance.clone()
        };
        let kept = |(instance, wanted): (&Instance, &bool)| match wanted {
            true => instance.clone(),
            false => nothing(instance),
        };
        Program {
            atoms: self.atoms,
            instances: self.instances.iter().zip(&wanted).map(kept).collect(),
            entry: id,
        }
    }
}

/// Whether a definition is to be inlined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Inline {
    /// The compiler decides.
    #[default]
    Auto,
    /// `_inline`.
    Always,
    /// `_no_inline`.
    Never,
}

/// Attributes of a definition that later stages honour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Attributes {
    /// `_inline`, `_no_inline`.
    pub inline: Inline,
    /// `_no_opt`.
    pub no_opt: bool,
    /// `_interleave(n)`.
    pub interleave: Option<u32>,
}

/// One definition for one binding of its parameters.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The name in the source.
    pub name: String,
    /// A name that is unique in the program and a C identifier but for quotes: name, element, nats, sizes.
    pub symbol: String,
    /// The definition.
    pub span: Span,
    /// Its attributes.
    pub attributes: Attributes,
    /// Inputs, outputs and locals. `nat` parameters and loop variables are gone.
    pub variables: Vec<Variable>,
    /// The inputs in order.
    pub inputs: Vec<VariableId>,
    /// The outputs in order.
    pub outputs: Vec<VariableId>,
    /// What it computes.
    pub body: Body,
}

impl Instance {
    /// The variable numbered `id`.
    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }
}

/// A variable of an instance.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name in the source.
    pub name: String,
    /// Its declaration.
    pub span: Span,
    /// Dimensions, outermost first, matrix length included; in [`Atoms::Bits`] the m bits of a word (m > 1) are the
    /// innermost dimension. Empty for a single atom.
    pub shape: Vec<u32>,
    /// Width in bits of each atom (1 in [`Atoms::Bits`]).
    pub width: u32,
    /// Width in bits of the declared word: equal to `width` in [`Atoms::Words`].
    pub word: u32,
    /// The direction of its atoms.
    pub direction: Direction,
    /// `const`: the same for all parallel instances, and for all messages of a key.
    pub constant: bool,
    /// `uniform`: the same for all positions of a message.
    pub uniform: bool,
}

impl Variable {
    /// The indices of an atom in the dimensions, outermost first.
    pub fn indices(&self, atom: u32) -> impl Iterator<Item = u32> {
        let mut below = self.atoms();
        self.shape.iter().scan(atom, move |rest, &size| {
            below /= size.max(1);
            let index = *rest / below.max(1);
            *rest %= below.max(1);
            Some(index)
        })
    }

    /// Number of atoms.
    pub fn atoms(&self) -> u32 {
        self.shape.iter().product()
    }
}

/// What an instance computes.
#[derive(Clone, Debug)]
pub enum Body {
    /// A node.
    Equations(Equations),
    /// A permutation: flattened output atom i is flattened input atom `sources[i]` (0-based).
    Permutation {
        /// The sources.
        sources: Vec<u32>,
    },
    /// A table.
    Table(Table),
}

/// A lookup table.
///
/// [`Lookup::Columns`]: flattened input atoms `i * columns + c` for i in 0..inputs are the index of column c, and in
/// [`Atoms::Words`] (where `columns` is 1) each bit position of the words is a column of its own.
#[derive(Clone, Debug)]
pub struct Table {
    /// How the atoms form the index.
    pub lookup: Lookup,
    /// Number of index bits.
    pub inputs: u32,
    /// Number of value bits.
    pub outputs: u32,
    /// 2^inputs values below 2^outputs. The first atom is the most significant bit (an `_lsb` table has been
    /// rewritten to this order).
    pub entries: Vec<u64>,
}

/// How a table is applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// One index per column.
    Columns {
        /// Number of columns: m in [`Atoms::Bits`], 1 in [`Atoms::Words`].
        columns: u32,
    },
    /// One input atom of `inputs` bits is the index, one output atom of `outputs` bits the value ([`Atoms::Words`] only;
    /// D30).
    Word,
}

/// The equations of a node.
#[derive(Clone, Debug)]
pub struct Equations {
    /// Assignments and loops in textual order.
    pub steps: Vec<Step>,
    /// Number of assignments, all loops unrolled.
    pub count: u32,
    /// An order of evaluation, if textual order is not one (some use comes before its definition).
    pub order: Option<Vec<AssignmentId>>,
    /// For every output in order, for every atom: the definition that is its result.
    pub results: Vec<Vec<Definition>>,
}

/// One step.
#[derive(Clone, Debug)]
pub enum Step {
    /// An assignment.
    Assign(Assignment),
    /// A loop.
    Loop(Loop),
}

/// A loop, unrolled.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The name of the variable.
    pub variable: String,
    /// The loop in the source.
    pub span: Span,
    /// What the attributes ask for.
    pub unroll: Unroll,
    /// The values of the variable in order.
    pub values: Vec<i64>,
    /// The body for each value.
    pub iterations: Vec<Vec<Step>>,
}

/// What the author asked of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unroll {
    /// The compiler decides.
    #[default]
    Auto,
    /// `_unroll`.
    Always,
    /// `_no_unroll`.
    Never,
}

/// An assignment: the atoms of `value`, in order, become new versions of `targets`.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// Its textual number.
    pub id: AssignmentId,
    /// The source.
    pub span: Span,
    /// The atoms it defines.
    pub targets: Vec<Slot>,
    /// Their values.
    pub value: Expression,
}

/// One atom of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot {
    /// The variable.
    pub variable: VariableId,
    /// Row-major position.
    pub atom: u32,
}

/// A use of an atom, resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The atom.
    pub slot: Slot,
    /// The definition it denotes.
    pub definition: Definition,
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Definition {
    /// The value of the input.
    Input,
    /// Target number `.1` of assignment `.0`.
    Assigned(AssignmentId, u32),
}

/// An expression. It denotes a list of atoms.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What.
    pub kind: ExpressionKind,
    /// Where it came from.
    pub span: Span,
}

/// A constant atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The value, below 2^width.
    pub value: u128,
    /// Width in bits.
    pub width: u32,
}

/// Arithmetic operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArithmeticOp {
    /// Modular addition.
    Add,
    /// Modular subtraction.
    Subtract,
    /// Modular multiplication.
    Multiply,
}

/// Bitwise operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LogicOp {
    /// And.
    And,
    /// Or.
    Or,
    /// Exclusive or.
    Xor,
}

impl Expression {
    /// What it is computed from, left to right.
    pub fn operands(&self) -> Vec<&Expression> {
        match &self.kind {
            ExpressionKind::Atoms(_) | ExpressionKind::Constants(_) => Vec::new(),
            ExpressionKind::Tuple(parts) => parts.iter().collect(),
            ExpressionKind::Logic(_, a, b)
            | ExpressionKind::Arithmetic { left: a, right: b, .. }
            | ExpressionKind::Pack { high: a, low: b }
            | ExpressionKind::Accept { left: a, right: b } => vec![a, b],
            ExpressionKind::Not(value)
            | ExpressionKind::Refresh(value)
            | ExpressionKind::Shuffle { value, .. }
            | ExpressionKind::Shift { value, .. }
            | ExpressionKind::Bitmask { value, .. }
            | ExpressionKind::Gather { value, .. }
            | ExpressionKind::Regroup { value, .. }
            | ExpressionKind::Call { arguments: value, .. } => vec![value],
        }
    }
}

/// Expressions.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// Atoms of variables.
    Atoms(Vec<Use>),
    /// Constants.
    Constants(Vec<Constant>),
    /// Concatenation.
    Tuple(Vec<Expression>),
    /// Complement of every atom.
    Not(Box<Expression>),
    /// Bitwise, atom by atom.
    Logic(LogicOp, Box<Expression>, Box<Expression>),
    /// Modulo 2^width, word by word. A word is one atom in [`Atoms::Words`], and `width` consecutive atoms, most
    /// significant first, in [`Atoms::Bits`].
    Arithmetic {
        /// The operator.
        op: ArithmeticOp,
        /// The word size.
        width: u32,
        /// Left operand.
        left: Box<Expression>,
        /// Right operand.
        right: Box<Expression>,
    },
    /// Shift or rotation of one atom ([`Atoms::Words`] only), `0 <= amount < width`: larger shifts have become constants
    /// (or `width - 1` for the arithmetic one), larger rotations been reduced.
    Shift {
        /// The operator.
        op: ast::ShiftOp,
        /// The amount in bits.
        amount: u32,
        /// The atom.
        value: Box<Expression>,
    },
    /// Atom i of the result is atom `sources[i]` of `value`, or zero (of the width of the atoms of `value`, which are
    /// then all alike). Shifts of vectors; in [`Atoms::Bits`] also shifts of words, `Shuffle`, `Bitmask`.
    Gather {
        /// The sources.
        sources: Vec<Option<u32>>,
        /// The operand.
        value: Box<Expression>,
    },
    /// Within every atom ([`Atoms::Words`] only): bit i of the result is bit `pattern[i]`, bits counted from the most
    /// significant; the pattern has as many entries as the atom has bits.
    Shuffle {
        /// The pattern.
        pattern: Vec<u32>,
        /// The operand.
        value: Box<Expression>,
    },
    /// All ones if bit `bit`, counted from the least significant, of the one atom is set, else zero ([`Atoms::Words`]).
    Bitmask {
        /// The bit.
        bit: u32,
        /// The operand.
        value: Box<Expression>,
    },
    /// `(high << m) | low` of two atoms of m bits, an atom of 2m bits ([`Atoms::Words`] only).
    Pack {
        /// The upper half.
        high: Box<Expression>,
        /// The lower half.
        low: Box<Expression>,
    },
    /// The concatenated results of an instance.
    Call {
        /// The callee.
        callee: InstanceId,
        /// The concatenated arguments, `nat` ones left out.
        arguments: Box<Expression>,
    },
    /// The identity; a refresh of the masks when masking.
    Refresh(Box<Expression>),
    /// The bits of all atoms of `value`, each from its most significant, as atoms of `width` bits ([`Atoms::Words`] only).
    Regroup {
        /// Width of the atoms of the result, which divides the number of bits.
        width: u32,
        /// The operand.
        value: Box<Expression>,
    },
    /// No atoms. Where the operands differ, the program has no results: its message is refused. The value of an assignment
    /// without targets.
    Accept {
        /// One side.
        left: Box<Expression>,
        /// The other, of the same widths.
        right: Box<Expression>,
    },
}

/// Calls `see` for every expression in steps, inner ones too.
pub fn visit(steps: &[Step], see: &mut dyn FnMut(&Expression)) {
    for step in steps {
        match step {
            Step::Assign(assignment) => assignment.value.visit(see),
            Step::Loop(looped) => looped.iterations.iter().for_each(|body| visit(body, see)),
        }
    }
}

impl Expression {
    /// Calls `see` for this expression and those that it is made of.
    pub fn visit(&self, see: &mut dyn FnMut(&Expression)) {
        see(self);
        match &self.kind {
            ExpressionKind::Atoms(_) | ExpressionKind::Constants(_) => {}
            ExpressionKind::Tuple(parts) => parts.iter().for_each(|part| part.visit(see)),
            ExpressionKind::Not(value)
            | ExpressionKind::Refresh(value)
            | ExpressionKind::Shift { value, .. }
            | ExpressionKind::Gather { value, .. }
            | ExpressionKind::Shuffle { value, .. }
            | ExpressionKind::Bitmask { value, .. }
            | ExpressionKind::Regroup { value, .. } => value.visit(see),
            ExpressionKind::Call { arguments, .. } => arguments.visit(see),
            ExpressionKind::Logic(_, left, right)
            | ExpressionKind::Arithmetic { left, right, .. }
            | ExpressionKind::Pack { high: left, low: right }
            | ExpressionKind::Accept { left, right, .. } => {
                left.visit(see);
                right.visit(see);
            }
        }
    }
}
