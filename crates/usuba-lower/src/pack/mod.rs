//! Packing: a sliced program whose atoms are groups of words of one instance, from a typed program, whose atoms are single
//! words.
//!
//! Under [`Slicing::Packed`] the words of one instance lie p by p in 128 bits, in row-major order: four words of 32 bits are
//! one row of ChaCha20 or Gimli. What a program means does not change; here it is rewritten so that every atom is such a
//! group, and everything after this (which loops have one shape, what iterations hand on) is the same code as for words.
//!
//! An instance is rewritten in one or both of two forms:
//! - *grouped*: its variables are cut into groups. An assignment must then define whole groups, each by the same operation on
//!   whole groups; words may change places inside a group ([`crate::pack::value`]), and p assignments, or p iterations of
//!   a loop, that differ only in the word of a group they act on become one (*across*);
//! - *wide*: each word becomes a group, for p calls of a node that are done at once. This is always possible, short of
//!   [`ExpressionKind::Pack`], which changes the size of words.
//!
//! In the result an atom has 128 bits, and [`MoveWords`](ExpressionKind::MoveWords) is how words change places inside of one.

mod rounds;
mod steps;
mod unlike;
mod value;

use crate::sliced::{
    Assignment, Body, Definition, Equations, Expression, ExpressionKind, Instance, InstanceId, Loop, Program,
    Slot, Step, Use, Variable, VariableId,
};
use crate::{messages, reach};
use std::collections::HashMap;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::typed;

/// Why words cannot be packed.
pub(crate) type Finding = Box<Diagnostic>;

/// Bits of a group of [`Slicing::Packed`](usuba_ir::layout::Slicing::Packed).
const GROUP: u32 = 128;

/// `program` with atoms of `words` words; `has_rounds`: what is rounds of AES becomes those.
///
/// # Errors
/// Everything that takes single words out of a group, at its place.
pub(crate) fn pack(
    program: &typed::Program,
    words: u32,
    has_rounds: bool,
) -> Result<Program, Vec<Diagnostic>> {
    let mut findings = Vec::new();
    for instance in program.instances() {
        for variable in &instance.variables {
            if variable.width * words != GROUP && findings.is_empty() {
                findings.push(*messages::packed_width(variable.span, &variable.name, variable.width, words));
            }
        }
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let width = GROUP / words;
    let packer = Packer { has_rounds, ..Packer::new(program, words, width) };
    packer.program().map_err(|finding| vec![*finding])
}

/// `program`, whose words all have `width` bits, with atoms of `words` words, of which planes are made: then moving the bits of
/// each word costs nothing.
///
/// # Errors
/// The first thing that takes single words out of a group, at its place.
pub(crate) fn for_planes(program: &typed::Program, words: u32, width: u32) -> Result<Program, Finding> {
    Packer { in_planes: true, ..Packer::new(program, words, width) }.program()
}

/// How the variables of an instance become groups.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Packing {
    /// The words of a variable are cut into groups.
    Cut,
    /// Each word becomes a group.
    Wide,
}

/// The state of packing one program.
struct Packer<'p> {
    program: &'p typed::Program,
    /// Words of a group.
    words: u32,
    /// Bits of a word.
    width: u32,
    /// Whether rounds of AES are looked for.
    has_rounds: bool,
    /// Whether planes are made of the groups.
    in_planes: bool,
    made: HashMap<(InstanceId, Packing), Result<InstanceId, Finding>>,
    /// The packed instances, callees first.
    instances: Vec<Instance>,
}

impl<'p> Packer<'p> {
    fn new(program: &'p typed::Program, words: u32, width: u32) -> Packer<'p> {
        let (made, instances) = (HashMap::new(), Vec::new());
        Packer { program, words, width, has_rounds: false, in_planes: false, made, instances }
    }

    /// The packed program.
    fn program(mut self) -> Result<Program, Finding> {
        let entry = self.instance(self.program.entry(), Packing::Cut)?;
        Ok(reach::reachable(Program { atoms: self.program.atoms(), instances: self.instances, entry }))
    }

    /// The packed instance, made when it is first asked for.
    fn instance(&mut self, id: InstanceId, packing: Packing) -> Result<InstanceId, Finding> {
        if let Some(known) = self.made.get(&(id, packing)) {
            return known.clone();
        }
        let instance = self.program.instance(id);
        let packed = match packing {
            Packing::Cut => steps::grouped(self, instance, id),
            Packing::Wide => self.wide(instance),
        };
        let made = packed.map(|packed| {
            self.instances.push(packed);
            InstanceId(self.instances.len() as u32 - 1)
        });
        self.made.insert((id, packing), made.clone());
        made
    }

    /// The instance on all words of groups at once.
    fn wide(&mut self, instance: &'p typed::Instance) -> Result<Instance, Finding> {
        let body = match &instance.body {
            typed::Body::Equations(equations) => Body::Equations(Equations {
                steps: self.wide_steps(&equations.steps)?,
                count: equations.count,
                order: equations.order.clone(),
                results: equations.results.clone(),
            }),
            other => Body::of(other),
        };
        Ok(Instance {
            symbol: format!("{}'wide", instance.symbol),
            variables: instance.variables.iter().map(|variable| self.variable(variable)).collect(),
            ..Instance::with(instance, body)
        })
    }

    fn wide_steps(&mut self, steps: &'p [typed::Step]) -> Result<Vec<Step>, Finding> {
        steps
            .iter()
            .map(|step| {
                Ok(match step {
                    typed::Step::Assign(assignment) => Step::Assign(Assignment {
                        id: assignment.id,
                        span: assignment.span,
                        targets: assignment.targets.clone(),
                        value: self.widened(&assignment.value)?,
                    }),
                    typed::Step::Loop(looped) => Step::Loop(Loop {
                        span: looped.span,
                        unroll: looped.unroll,
                        iterations: looped
                            .iterations
                            .iter()
                            .map(|body| self.wide_steps(body))
                            .collect::<Result<_, _>>()?,
                    }),
                })
            })
            .collect()
    }

    fn widened(&mut self, expression: &typed::Expression) -> Result<Expression, Finding> {
        use typed::ExpressionKind as Typed;
        let kind = match &expression.kind {
            Typed::Constants(constants) => {
                let group = |constant| value::group_of(&vec![constant; self.words as usize]);
                ExpressionKind::Constants(constants.iter().copied().map(group).collect())
            }
            Typed::Pack { .. } => return Err(messages::packed_pack(expression.span, self.words)),
            Typed::Call { callee, arguments } => self.wide_call(*callee, arguments)?,
            other => ExpressionKind::of(other, &mut |operand| self.widened(operand))?,
        };
        Ok(Expression { kind, span: expression.span })
    }

    /// A call on all words of groups; that of a permutation of atoms is a [`ExpressionKind::Gather`].
    fn wide_call(
        &mut self,
        callee: InstanceId,
        arguments: &typed::Expression,
    ) -> Result<ExpressionKind, Finding> {
        Ok(match &self.program.instance(callee).body {
            typed::Body::Permutation { sources } => {
                let sources = sources.iter().map(|&source| Some(source)).collect();
                ExpressionKind::Gather { sources, value: Box::new(self.widened(arguments)?) }
            }
            _ => {
                let callee = self.instance(callee, Packing::Wide)?;
                ExpressionKind::Call { callee, arguments: Box::new(self.widened(arguments)?) }
            }
        })
    }

    /// Bits of a group.
    fn group(&self) -> u32 {
        self.words * self.width
    }

    /// The variable whose atoms are groups.
    fn variable(&self, variable: &Variable) -> Variable {
        Variable { width: self.group(), ..variable.clone() }
    }
}

/// A use of an atom.
fn used(slot: Slot, definition: Definition) -> Use {
    Use { slot, definition }
}

/// Where a word of the source is: a word of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    /// The group.
    group: Use,
    /// The number of the word in it.
    word: u32,
}

/// Atom `atom` of a variable.
fn slot(variable: VariableId, atom: u32) -> Slot {
    Slot { variable, atom }
}
