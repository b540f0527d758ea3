//! The sliced program: a typed program for one slicing, from which nodes are lowered.
//!
//! It is made of a typed program as it is ([`Program::of`]) or with its words put in groups ([`crate::pack`]), and
//! [`crate::split`] may rewrite its bitwise nodes. An *atom* here is one word, one bit, or a group of words of one instance,
//! and every operation says what it does with each word of an atom. Slots, uses, variables and tables are those of the
//! typed program ([`usuba_lang::typed`]), with its invariants.

use std::convert::Infallible;
use usuba_ir::aes::Round;
use usuba_lang::ast::ShiftOp;
use usuba_lang::source::Span;
use usuba_lang::typed;
pub(crate) use usuba_lang::typed::{
    ArithmeticOp, AssignmentId, Atoms, Attributes, Constant, Definition, Direction, InstanceId, LogicOp,
    Lookup, Slot, Table, Unroll, Use, Variable, VariableId,
};

/// A sliced program.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Whether atoms are bits or words.
    pub atoms: Atoms,
    /// The instances, callees first.
    pub instances: Vec<Instance>,
    /// The entry.
    pub entry: InstanceId,
}

/// One definition for one binding of its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// A name that is unique in the program.
    pub symbol: String,
    /// The definition.
    pub span: Span,
    /// Its attributes.
    pub attributes: Attributes,
    /// Inputs, outputs and locals; the width of one is that of an atom.
    pub variables: Vec<Variable>,
    /// The inputs in order.
    pub inputs: Vec<VariableId>,
    /// The outputs in order.
    pub outputs: Vec<VariableId>,
    /// What it computes.
    pub body: Body,
}

/// What an instance computes.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// A node.
    Equations(Equations),
    /// Output atom i is input atom `sources[i]`.
    Permutation {
        /// The sources.
        sources: Vec<u32>,
    },
    /// A table.
    Table(Table),
}

/// The equations of a node.
#[derive(Clone, Debug)]
pub(crate) struct Equations {
    /// Assignments and loops in textual order.
    pub steps: Vec<Step>,
    /// Number of assignments, all loops unrolled.
    pub count: u32,
    /// An order of evaluation, if textual order is not one.
    pub order: Option<Vec<AssignmentId>>,
    /// For every output in order, for every atom: the definition that is its result.
    pub results: Vec<Vec<Definition>>,
}

/// One step.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// An assignment.
    Assign(Assignment),
    /// A loop.
    Loop(Loop),
}

/// A loop, unrolled.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// The loop in the source.
    pub span: Span,
    /// What the attributes ask for.
    pub unroll: Unroll,
    /// The body, once for each time.
    pub iterations: Vec<Vec<Step>>,
}

/// An assignment: the atoms of `value`, in order, become new versions of `targets`.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    /// Its textual number.
    pub id: AssignmentId,
    /// The source.
    pub span: Span,
    /// The atoms it defines.
    pub targets: Vec<Slot>,
    /// Their values.
    pub value: Expression,
}

/// An expression. It denotes a list of atoms.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    /// What.
    pub kind: ExpressionKind,
    /// Where it came from.
    pub span: Span,
}

/// Expressions.
#[derive(Clone, Debug)]
pub(crate) enum ExpressionKind {
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
    /// Modulo 2^width, word by word of every atom. In [`Atoms::Bits`] a word is `width` consecutive atoms.
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
    /// Shift or rotation of each word of one atom.
    Shift {
        /// The operator.
        op: ShiftOp,
        /// The amount in bits.
        amount: u32,
        /// The atom.
        value: Box<Expression>,
    },
    /// Atom i of the result is atom `sources[i]` of `value`, or zero.
    Gather {
        /// The sources.
        sources: Vec<Option<u32>>,
        /// The operand.
        value: Box<Expression>,
    },
    /// Within each word of every atom: bit i of the result is bit `pattern[i]`, counted from the most significant; as many
    /// entries as a word has bits.
    Shuffle {
        /// The pattern.
        pattern: Vec<u32>,
        /// The operand.
        value: Box<Expression>,
    },
    /// Within every atom, which is a group: word i of the result is word `sources[i]`, counted from the most significant.
    MoveWords {
        /// The sources, as many as a group has words.
        sources: Vec<u32>,
        /// The operand.
        value: Box<Expression>,
    },
    /// A round of AES, of a state and a round key that are groups of 16 bytes.
    Round {
        /// Which.
        round: Round,
        /// The state.
        state: Box<Expression>,
        /// The round key.
        key: Box<Expression>,
    },
    /// `InvMixColumns` of AES, of a group of 16 bytes.
    InverseMixColumns(Box<Expression>),
    /// Each word of one atom: all ones if bit `bit` of it, counted from the least significant, is set, else zero.
    Bitmask {
        /// The bit.
        bit: u32,
        /// The operand.
        value: Box<Expression>,
    },
    /// `(high << m) | low` of two atoms of one word of m bits.
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
        /// The concatenated arguments.
        arguments: Box<Expression>,
    },
    /// The identity; a refresh of the masks when masking.
    Refresh(Box<Expression>),
}

impl Program {
    /// A typed program whose atoms are those of the slicing.
    pub(crate) fn of(program: &typed::Program) -> Program {
        let instances = program.instances().iter();
        Program {
            atoms: program.atoms(),
            instances: instances.map(|instance| Instance::with(instance, Body::of(&instance.body))).collect(),
            entry: program.entry(),
        }
    }

    /// The instance numbered `id`.
    pub(crate) fn instance(&self, id: InstanceId) -> &Instance {
        &self.instances[id.0 as usize]
    }
}

impl Instance {
    /// A typed instance with another body.
    pub(crate) fn with(instance: &typed::Instance, body: Body) -> Instance {
        Instance {
            symbol: instance.symbol.clone(),
            span: instance.span,
            attributes: instance.attributes,
            variables: instance.variables.clone(),
            inputs: instance.inputs.clone(),
            outputs: instance.outputs.clone(),
            body,
        }
    }

    /// The variable numbered `id`.
    pub(crate) fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }
}

impl Body {
    /// The body of a typed instance.
    pub(crate) fn of(body: &typed::Body) -> Body {
        match body {
            typed::Body::Equations(equations) => Body::Equations(Equations {
                steps: Step::all(&equations.steps),
                count: equations.count,
                order: equations.order.clone(),
                results: equations.results.clone(),
            }),
            typed::Body::Permutation { sources } => Body::Permutation { sources: sources.clone() },
            typed::Body::Table(table) => Body::Table(table.clone()),
        }
    }
}

impl Step {
    fn all(steps: &[typed::Step]) -> Vec<Step> {
        steps
            .iter()
            .map(|step| match step {
                typed::Step::Assign(assignment) => Step::Assign(Assignment {
                    id: assignment.id,
                    span: assignment.span,
                    targets: assignment.targets.clone(),
                    value: Expression::of(&assignment.value),
                }),
                typed::Step::Loop(looped) => Step::Loop(Loop {
                    span: looped.span,
                    unroll: looped.unroll,
                    iterations: looped.iterations.iter().map(|body| Step::all(body)).collect(),
                }),
            })
            .collect()
    }
}

impl ExpressionKind {
    /// That of a typed expression, with its operands as `operand` makes them.
    ///
    /// # Errors
    /// Those of `operand`.
    pub(crate) fn of<E>(
        kind: &typed::ExpressionKind,
        operand: &mut dyn FnMut(&typed::Expression) -> Result<Expression, E>,
    ) -> Result<ExpressionKind, E> {
        use typed::ExpressionKind as Typed;
        let mut boxed = |value: &typed::Expression| operand(value).map(Box::new);
        Ok(match kind {
            Typed::Atoms(uses) => ExpressionKind::Atoms(uses.clone()),
            Typed::Constants(constants) => ExpressionKind::Constants(constants.clone()),
            Typed::Tuple(parts) => {
                ExpressionKind::Tuple(parts.iter().map(operand).collect::<Result<_, _>>()?)
            }
            Typed::Not(value) => ExpressionKind::Not(boxed(value)?),
            Typed::Logic(op, left, right) => ExpressionKind::Logic(*op, boxed(left)?, boxed(right)?),
            Typed::Arithmetic { op, width, left, right } => ExpressionKind::Arithmetic {
                op: *op,
                width: *width,
                left: boxed(left)?,
                right: boxed(right)?,
            },
            Typed::Shift { op, amount, value } => {
                ExpressionKind::Shift { op: *op, amount: *amount, value: boxed(value)? }
            }
            Typed::Gather { sources, value } => {
                ExpressionKind::Gather { sources: sources.clone(), value: boxed(value)? }
            }
            Typed::Shuffle { pattern, value } => {
                ExpressionKind::Shuffle { pattern: pattern.clone(), value: boxed(value)? }
            }
            Typed::Bitmask { bit, value } => ExpressionKind::Bitmask { bit: *bit, value: boxed(value)? },
            Typed::Pack { high, low } => ExpressionKind::Pack { high: boxed(high)?, low: boxed(low)? },
            Typed::Call { callee, arguments } => {
                ExpressionKind::Call { callee: *callee, arguments: boxed(arguments)? }
            }
            Typed::Refresh(value) => ExpressionKind::Refresh(boxed(value)?),
            Typed::Regroup { .. } | Typed::Accept { .. } => {
                unreachable!("admission refuses what is only interpreted")
            }
        })
    }
}

impl Expression {
    fn of(expression: &typed::Expression) -> Expression {
        let operand = &mut |operand: &typed::Expression| Ok::<_, Infallible>(Expression::of(operand));
        let Ok(kind) = ExpressionKind::of(&expression.kind, operand);
        Expression { kind, span: expression.span }
    }

    /// What it is computed from, left to right.
    pub(crate) fn operands(&self) -> Vec<&Expression> {
        match &self.kind {
            ExpressionKind::Atoms(_) | ExpressionKind::Constants(_) => Vec::new(),
            ExpressionKind::Tuple(parts) => parts.iter().collect(),
            ExpressionKind::Logic(_, a, b)
            | ExpressionKind::Arithmetic { left: a, right: b, .. }
            | ExpressionKind::Round { state: a, key: b, .. }
            | ExpressionKind::Pack { high: a, low: b } => vec![a, b],
            ExpressionKind::Not(value)
            | ExpressionKind::InverseMixColumns(value)
            | ExpressionKind::Refresh(value)
            | ExpressionKind::Shuffle { value, .. }
            | ExpressionKind::MoveWords { value, .. }
            | ExpressionKind::Shift { value, .. }
            | ExpressionKind::Bitmask { value, .. }
            | ExpressionKind::Gather { value, .. }
            | ExpressionKind::Call { arguments: value, .. } => vec![value],
        }
    }

    /// The same, to be changed.
    pub(crate) fn operands_mut(&mut self) -> Vec<&mut Expression> {
        match &mut self.kind {
            ExpressionKind::Atoms(_) | ExpressionKind::Constants(_) => Vec::new(),
            ExpressionKind::Tuple(parts) => parts.iter_mut().collect(),
            ExpressionKind::Logic(_, a, b)
            | ExpressionKind::Arithmetic { left: a, right: b, .. }
            | ExpressionKind::Round { state: a, key: b, .. }
            | ExpressionKind::Pack { high: a, low: b } => vec![a, b],
            ExpressionKind::Not(value)
            | ExpressionKind::InverseMixColumns(value)
            | ExpressionKind::Refresh(value)
            | ExpressionKind::Shuffle { value, .. }
            | ExpressionKind::MoveWords { value, .. }
            | ExpressionKind::Shift { value, .. }
            | ExpressionKind::Bitmask { value, .. }
            | ExpressionKind::Gather { value, .. }
            | ExpressionKind::Call { arguments: value, .. } => vec![value],
        }
    }
}

/// The assignments of some steps in textual order.
pub(crate) fn flatten(steps: &[Step]) -> Vec<&Assignment> {
    fn walk<'a>(steps: &'a [Step], all: &mut Vec<&'a Assignment>) {
        for step in steps {
            match step {
                Step::Assign(assignment) => all.push(assignment),
                Step::Loop(looped) => looped.iterations.iter().for_each(|body| walk(body, all)),
            }
        }
    }
    let mut all = Vec::new();
    walk(steps, &mut all);
    all
}
