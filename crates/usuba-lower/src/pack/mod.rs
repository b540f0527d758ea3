//! Packing: a typed program whose atoms are groups of words of one instance, from one whose atoms are single words.
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
//! In the result an atom has 128 bits, [`Arithmetic`](ExpressionKind::Arithmetic), [`Shift`](ExpressionKind::Shift) and a
//! [`Shuffle`](ExpressionKind::Shuffle) of as many entries as a word has bits act on each of its words, and a `Shuffle` of
//! 128 entries moves words.

mod steps;
mod value;

use crate::{messages, reach};
use std::collections::HashMap;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::typed::{
    Body, Equations, Expression, ExpressionKind, Instance, InstanceId, Program, Slot, Step, Use, Variable,
    VariableId,
};

/// Why words cannot be packed.
type Finding = Box<Diagnostic>;

/// Bits of a group.
pub(crate) const GROUP: u32 = 128;

/// `program` with atoms of `words` words.
///
/// # Errors
/// Everything that takes single words out of a group, at its place.
pub(crate) fn pack(program: &Program, words: u32) -> Result<Program, Vec<Diagnostic>> {
    let mut findings = Vec::new();
    for instance in &program.instances {
        for variable in &instance.variables {
            if variable.width * words != GROUP && findings.is_empty() {
                findings.push(*messages::packed_width(variable.span, &variable.name, variable.width, words));
            }
        }
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let mut packer = Packer { program, words, made: HashMap::new(), instances: Vec::new() };
    let entry = packer.instance(program.entry, Form::Grouped).map_err(|finding| vec![*finding])?;
    Ok(reach::reachable(Program { mode: program.mode, instances: packer.instances, entry }))
}

/// How the variables of an instance become groups.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Form {
    /// The words of a variable are cut into groups.
    Grouped,
    /// Each word becomes a group.
    Wide,
}

/// The state of packing one program.
struct Packer<'p> {
    program: &'p Program,
    /// Words of a group.
    words: u32,
    made: HashMap<(InstanceId, Form), Result<InstanceId, Finding>>,
    /// The packed instances, callees first.
    instances: Vec<Instance>,
}

impl<'p> Packer<'p> {
    /// The packed instance, made when it is first asked for.
    fn instance(&mut self, id: InstanceId, form: Form) -> Result<InstanceId, Finding> {
        if let Some(known) = self.made.get(&(id, form)) {
            return known.clone();
        }
        let instance = self.program.instance(id);
        let packed = match form {
            Form::Grouped => steps::grouped(self, instance),
            Form::Wide => self.wide(instance),
        };
        let made = packed.map(|packed| {
            self.instances.push(packed);
            InstanceId(self.instances.len() as u32 - 1)
        });
        self.made.insert((id, form), made.clone());
        made
    }

    /// The instance on all words of groups at once.
    fn wide(&mut self, instance: &'p Instance) -> Result<Instance, Finding> {
        let body = match &instance.body {
            Body::Equations(equations) => Body::Equations(Equations {
                steps: self.wide_steps(&equations.steps)?,
                count: equations.count,
                order: equations.order.clone(),
                results: equations.results.clone(),
            }),
            Body::Permutation { .. } | Body::Table(_) => instance.body.clone(),
        };
        Ok(Instance {
            symbol: format!("{}'wide", instance.symbol),
            variables: instance.variables.iter().map(|variable| self.variable(variable)).collect(),
            body,
            ..instance.clone()
        })
    }

    fn wide_steps(&mut self, steps: &'p [Step]) -> Result<Vec<Step>, Finding> {
        steps
            .iter()
            .map(|step| {
                Ok(match step {
                    Step::Assign(assignment) => {
                        let mut assignment = assignment.clone();
                        self.widen(&mut assignment.value)?;
                        Step::Assign(assignment)
                    }
                    Step::Loop(looped) => Step::Loop(usuba_lang::typed::Loop {
                        iterations: looped
                            .iterations
                            .iter()
                            .map(|body| self.wide_steps(body))
                            .collect::<Result<_, _>>()?,
                        ..looped.clone()
                    }),
                })
            })
            .collect()
    }

    fn widen(&mut self, expression: &mut Expression) -> Result<(), Finding> {
        match &mut expression.kind {
            ExpressionKind::Atoms(_) => Ok(()),
            ExpressionKind::Constants(constants) => {
                for constant in constants {
                    *constant = value::group_of(&vec![*constant; self.words as usize]);
                }
                Ok(())
            }
            ExpressionKind::Tuple(parts) => parts.iter_mut().try_for_each(|part| self.widen(part)),
            ExpressionKind::Logic(_, left, right) | ExpressionKind::Arithmetic { left, right, .. } => {
                self.widen(left)?;
                self.widen(right)
            }
            ExpressionKind::Pack { .. } => Err(messages::packed_pack(expression.span, self.words)),
            ExpressionKind::Regroup { .. } | ExpressionKind::Accept { .. } => {
                Err(messages::packed_part(expression.span, 1, self.words))
            }
            ExpressionKind::Not(value)
            | ExpressionKind::Shift { value, .. }
            | ExpressionKind::Gather { value, .. }
            | ExpressionKind::Shuffle { value, .. }
            | ExpressionKind::Bitmask { value, .. }
            | ExpressionKind::Refresh(value) => self.widen(value),
            ExpressionKind::Call { callee, arguments } => {
                if !matches!(self.program.instance(*callee).body, Body::Permutation { .. }) {
                    *callee = self.instance(*callee, Form::Wide)?;
                } else {
                    return self.widen_permutation(expression);
                }
                self.widen(arguments)
            }
        }
    }

    /// A call of a permutation of atoms is a [`ExpressionKind::Gather`].
    fn widen_permutation(&mut self, expression: &mut Expression) -> Result<(), Finding> {
        if let ExpressionKind::Call { callee, arguments } = &expression.kind
            && let Body::Permutation { sources } = &self.program.instance(*callee).body
        {
            let mut value = arguments.clone();
            self.widen(&mut value)?;
            let sources = sources.iter().map(|&source| Some(source)).collect();
            expression.kind = ExpressionKind::Gather { sources, value };
        }
        Ok(())
    }

    /// The variable whose atoms are groups.
    fn variable(&self, variable: &Variable) -> Variable {
        Variable { width: GROUP, ..variable.clone() }
    }
}

/// A use of an atom.
fn used(slot: Slot, definition: usuba_lang::typed::Definition) -> Use {
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
