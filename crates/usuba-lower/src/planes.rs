//! Planes: a sliced program whose atoms are planes of bits, from a typed program of bytes.
//!
//! A program that looks up bytes has no atoms under [`Slicing::H`](usuba_ir::layout::Slicing::H) as it stands: the index of a
//! look-up would lie across a register. So its bytes are put in groups of p ([`crate::pack`]), and every group becomes eight
//! atoms of p bits, its *planes*: plane k has bit 7 - k of each byte, the first byte in the most significant place. Plane 0 holds the
//! coefficients of x^7. What is done to all bytes of a group alike is then done between planes, and bytes that change
//! places inside of a group are one shuffle, the same in every plane:
//!
//! | of a group | of its planes |
//! |---|---|
//! | a table | the table on eight atoms, one look-up for each place |
//! | `&`, `\|`, `^`, `~` | the same of each plane |
//! | a shift or rotation of each byte, a permutation of its bits | other planes, or zeros |
//! | bytes that change places | a shuffle of each plane |
//!
//! p is the largest power of two up to 16 that the program allows: AES has planes of sixteen bytes, Camellia and SM4 of four.

use crate::messages;
use crate::pack::{self, Finding};
use crate::sliced::{
    Assignment, Body, Constant, Definition, Equations, Expression, ExpressionKind, Instance, Lookup, Loop,
    Program, Slot, Step, Table, Use, Variable,
};
use crate::weight::count;
use usuba_ir::layout::Slicing;
use usuba_lang::ast::ShiftOp;
use usuba_lang::typed;

/// Bits of a byte, and planes of a group.
const PLANES: u32 = 8;

/// How many bytes a group may have, best first.
const GROUPS: [u32; 4] = [16, 8, 4, 2];

/// Whether the bytes of a program are put in planes when it is lowered for a slicing: all of its words are bytes, and it has
/// tables, which look up bytes.
pub fn in_planes(program: &typed::Program, slicing: Slicing) -> bool {
    let instances = || program.instances().iter();
    let mut tables = instances().filter_map(|instance| match &instance.body {
        typed::Body::Table(table) => Some(table.lookup),
        _ => None,
    });
    let bytes =
        |instance: &typed::Instance| instance.variables.iter().all(|variable| variable.width == PLANES);
    slicing == Slicing::H
        && tables.next() == Some(Lookup::Word)
        && tables.all(|lookup| lookup == Lookup::Word)
        && instances().all(bytes)
}

/// The program in planes.
///
/// # Errors
/// What takes single bytes out of the smallest groups, at its place.
pub(crate) fn planes(program: &typed::Program) -> Result<Program, Finding> {
    let entry = program.instance(program.entry());
    let parameters = || entry.inputs.iter().chain(&entry.outputs);
    let mut refused: Option<Finding> = None;
    for bytes in GROUPS {
        if parameters().any(|&id| !entry.variable(id).atoms().is_multiple_of(bytes)) {
            continue;
        }
        let grouped = pack::for_planes(program, bytes, PLANES);
        match grouped.and_then(|grouped| Planes { grouped: &grouped, bytes }.program()) {
            Ok(made) => return Ok(made),
            // What is said is about words of four bytes, which ciphers have, unless the smallest groups are the only ones.
            Err(finding) if bytes >= 4 || refused.is_none() => refused = Some(finding),
            Err(_) => {}
        }
    }
    let odd = parameters().map(|&id| entry.variable(id)).find(|variable| !variable.atoms().is_multiple_of(2));
    let single = |variable: &Variable| *messages::odd_bytes(variable.span, &variable.name, variable.atoms());
    let finding = refused.map(|finding| *finding).or_else(|| odd.map(single));
    Err(messages::in_planes(finding.expect("a program of whole groups was tried")))
}

/// The state of making planes of groups of so many bytes.
struct Planes<'g> {
    grouped: &'g Program,
    bytes: u32,
}

impl Planes<'_> {
    fn program(&self) -> Result<Program, Finding> {
        let instances = self.grouped.instances.iter().map(|instance| self.instance(instance));
        Ok(Program { instances: instances.collect::<Result<_, _>>()?, ..*self.grouped })
    }

    fn instance(&self, instance: &Instance) -> Result<Instance, Finding> {
        let body = match &instance.body {
            Body::Equations(equations) => Body::Equations(Equations {
                steps: self.steps(&equations.steps)?,
                count: equations.count,
                order: equations.order.clone(),
                results: equations
                    .results
                    .iter()
                    .map(|results| results.iter().copied().flat_map(definitions).collect())
                    .collect(),
            }),
            Body::Permutation { sources } => {
                Body::Permutation { sources: sources.iter().flat_map(|&source| planes_of(source)).collect() }
            }
            Body::Table(table) => {
                Body::Table(Table { lookup: Lookup::Columns { columns: 1 }, ..table.clone() })
            }
        };
        let variables = instance.variables.iter().map(|variable| self.variable(variable)).collect();
        Ok(Instance { variables, body, ..instance.clone() })
    }

    fn variable(&self, variable: &Variable) -> Variable {
        let shape = [&variable.shape[..], &[PLANES]].concat();
        Variable { shape, width: self.bytes, word: self.bytes, ..variable.clone() }
    }

    fn steps(&self, steps: &[Step]) -> Result<Vec<Step>, Finding> {
        let of_step = |step: &Step| {
            Ok(match step {
                Step::Assign(assignment) => Step::Assign(Assignment {
                    id: assignment.id,
                    span: assignment.span,
                    targets: assignment.targets.iter().copied().flat_map(slots).collect(),
                    value: self.expression(&assignment.value)?,
                }),
                Step::Loop(looped) => Step::Loop(Loop {
                    span: looped.span,
                    unroll: looped.unroll,
                    iterations: looped
                        .iterations
                        .iter()
                        .map(|body| self.steps(body))
                        .collect::<Result<_, _>>()?,
                }),
            })
        };
        steps.iter().map(of_step).collect()
    }

    fn expression(&self, expression: &Expression) -> Result<Expression, Finding> {
        let of = |value: &Expression| self.expression(value).map(Box::new);
        let kind = match &expression.kind {
            ExpressionKind::Atoms(uses) => {
                let of_use = |of: &Use| {
                    let pairs = slots(of.slot).zip(definitions(of.definition));
                    pairs.map(|(slot, definition)| Use { slot, definition })
                };
                ExpressionKind::Atoms(uses.iter().flat_map(of_use).collect())
            }
            ExpressionKind::Constants(constants) => {
                ExpressionKind::Constants(constants.iter().flat_map(|group| self.constant(group)).collect())
            }
            ExpressionKind::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.expression(part));
                ExpressionKind::Tuple(parts.collect::<Result<_, _>>()?)
            }
            ExpressionKind::Not(value) => ExpressionKind::Not(of(value)?),
            ExpressionKind::Refresh(value) => ExpressionKind::Refresh(of(value)?),
            ExpressionKind::Logic(op, left, right) => ExpressionKind::Logic(*op, of(left)?, of(right)?),
            ExpressionKind::Gather { sources, value } => {
                let of_group = |group: &Option<u32>| match group {
                    Some(group) => planes_of(*group).map(Some).collect(),
                    None => vec![None; PLANES as usize],
                };
                ExpressionKind::Gather {
                    sources: sources.iter().flat_map(of_group).collect(),
                    value: of(value)?,
                }
            }
            ExpressionKind::MoveWords { sources, value } => {
                ExpressionKind::Shuffle { pattern: sources.clone(), value: of(value)? }
            }
            ExpressionKind::Call { callee, arguments } => {
                ExpressionKind::Call { callee: *callee, arguments: of(arguments)? }
            }
            ExpressionKind::Shift { op, amount, value } => {
                self.wired(value, &|plane| shifted(*op, *amount, plane))?
            }
            ExpressionKind::Shuffle { pattern, value } => {
                self.wired(value, &|plane| Some(pattern[plane as usize]))?
            }
            ExpressionKind::Bitmask { bit, value } => self.wired(value, &|_| Some(PLANES - 1 - bit))?,
            ExpressionKind::Arithmetic { op, .. } => {
                return Err(Box::new(messages::arithmetic_in_h(expression.span, *op, PLANES)));
            }
            ExpressionKind::Pack { .. }
            | ExpressionKind::Round { .. }
            | ExpressionKind::InverseMixColumns(_) => {
                unreachable!("groups of bytes are made without these")
            }
        };
        Ok(Expression { kind, span: expression.span })
    }

    /// The planes of groups, in each of which plane `source(k)` becomes plane k, or zeros.
    fn wired(
        &self,
        groups: &Expression,
        source: &dyn Fn(u32) -> Option<u32>,
    ) -> Result<ExpressionKind, Finding> {
        let count = count(self.grouped, groups) as u32;
        let of_group = |group| (0..PLANES).map(move |k| source(k).map(|plane| group * PLANES + plane));
        let sources = (0..count).flat_map(of_group).collect();
        Ok(ExpressionKind::Gather { sources, value: Box::new(self.expression(groups)?) })
    }

    /// The planes of a group of constants.
    fn constant(&self, group: &Constant) -> impl Iterator<Item = Constant> + use<> {
        let (value, bytes) = (group.value, self.bytes);
        (0..PLANES).map(move |plane| {
            let bit = |byte: u32| value >> ((bytes - 1 - byte) * PLANES + PLANES - 1 - plane) & 1;
            Constant { value: (0..bytes).fold(0, |of, byte| of << 1 | bit(byte)), width: bytes }
        })
    }
}

/// Which plane becomes plane `plane` when every byte is shifted; `None` for zeros.
fn shifted(op: ShiftOp, amount: u32, plane: u32) -> Option<u32> {
    match op {
        ShiftOp::Left => Some(plane + amount).filter(|&source| source < PLANES),
        ShiftOp::Right => plane.checked_sub(amount),
        ShiftOp::RightArithmetic => Some(plane.saturating_sub(amount)),
        ShiftOp::RotateLeft => Some((plane + amount) % PLANES),
        ShiftOp::RotateRight => Some((plane + PLANES - amount % PLANES) % PLANES),
    }
}

/// The numbers of the planes of a group.
fn planes_of(group: u32) -> impl Iterator<Item = u32> {
    (0..PLANES).map(move |plane| group * PLANES + plane)
}

/// The planes of a group.
fn slots(group: Slot) -> impl Iterator<Item = Slot> {
    planes_of(group.atom).map(move |atom| Slot { variable: group.variable, atom })
}

/// The definitions of the planes of a group.
fn definitions(group: Definition) -> impl Iterator<Item = Definition> {
    (0..PLANES).map(move |plane| match group {
        Definition::Input => Definition::Input,
        Definition::Assigned(id, target) => Definition::Assigned(id, target * PLANES + plane),
    })
}
