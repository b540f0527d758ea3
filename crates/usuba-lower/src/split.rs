//! Splitting: a bitwise node, which does the same with every bit of its words, becomes calls of the node of one bit.
//!
//! In [`Atoms::Bits`] a word of n bits is n atoms, and the equations of a bitwise node are n sets of equations of which none
//! knows of another: those of *column* j name the atoms at positions j, n + j, 2n + j, … of lists and variables alone. That is
//! a matter of the atoms named, not of operators: a node has n columns if
//! - the shape of each of its variables ends in dimensions of n atoms together, and
//! - every list of atoms in it (targets, operands, constants, results, sources of wiring) falls into runs of n, of which
//!   entry j is what entry 0 is, j atoms on.
//!
//! Every entry is looked at: nothing is concluded from some of them. A rotation, a constant that is neither all ones nor all
//! zeros, a word beside one of another size, and arithmetic fail this. Of several n the largest counts: the chi of Xoodoo on
//! planes of four words of 32 bits has 128 columns of three bits. Callees are split along: a table of n columns is the table of
//! one, and a permutation that moves whole words is one of atoms.
//!
//! The node itself becomes a loop over its columns, equations like others, so that what comes after (is a loop kept, is a
//! node inlined) is the same code as for the loops of the source.

use crate::sliced::{
    Assignment, AssignmentId, Atoms, Body, Constant, Definition, Equations, Expression, ExpressionKind,
    Instance, InstanceId, Lookup, Loop, Program, Slot, Step, Table, Unroll, Use, Variable, VariableId,
};
use crate::weight::Weights;
use crate::{Options, Split, reach};
use std::collections::HashMap;

/// `program` with its bitwise nodes split, those that the options say; none if there are none.
pub(crate) fn split(program: &Program, options: &Options, weights: &Weights) -> Option<Program> {
    if program.atoms != Atoms::Bits || options.split == Split::None {
        return None;
    }
    let pays = |number: usize, columns: u32| match options.split {
        Split::None => false,
        Split::All => true,
        Split::Sized => weights.splits(number, columns, options.loops),
    };
    let mut changed = false;
    let mut splitter = Splitter {
        program,
        columns: HashMap::new(),
        places: Vec::with_capacity(program.instances.len()),
        made: Vec::new(),
    };
    for (number, instance) in program.instances.iter().enumerate() {
        let mut column = None;
        if let Body::Equations(_) = instance.body {
            column = splitter.largest(InstanceId(number as u32), &|columns| pays(number, columns));
        }
        let made = match column {
            Some((count, column)) => over_columns(instance, count, column),
            None => splitter.as_it_is(instance),
        };
        changed |= column.is_some();
        splitter.made.push(made);
        splitter.places.push(InstanceId(splitter.made.len() as u32 - 1));
    }
    let entry = splitter.places[program.entry.0 as usize];
    changed.then(|| reach::reachable(Program { atoms: program.atoms, instances: splitter.made, entry }))
}

/// The state of splitting one program.
struct Splitter<'p> {
    program: &'p Program,
    /// One column of an instance, by the number of its columns; none if it has not so many.
    columns: HashMap<(InstanceId, u32), Option<InstanceId>>,
    /// Where the instances of the program are in `made`, those so far.
    places: Vec<InstanceId>,
    /// The instances of the result, callees first.
    made: Vec<Instance>,
}

impl Splitter<'_> {
    /// The largest number of columns that an instance has, at least 2 and a number that pays, and one of them.
    fn largest(&mut self, id: InstanceId, pays: &dyn Fn(u32) -> bool) -> Option<(u32, InstanceId)> {
        let first = self.program.instance(id).variables.first()?;
        let mut counts: Vec<u32> =
            (0..first.shape.len()).map(|start| first.shape[start..].iter().product()).collect();
        counts.dedup();
        let counts = counts.into_iter().filter(|&count| count > 1 && pays(count));
        counts.into_iter().find_map(|count| Some((count, self.column(id, count)?)))
    }

    /// One of the columns of an instance, if it has so many; made when it is first asked for.
    fn column(&mut self, id: InstanceId, count: u32) -> Option<InstanceId> {
        if let Some(known) = self.columns.get(&(id, count)) {
            return *known;
        }
        let instance = self.program.instance(id);
        let column = self.one_of(instance, count).map(|(variables, body)| {
            self.made.push(Instance {
                symbol: format!("{}'column{count}", instance.symbol),
                variables,
                body,
                ..instance.clone()
            });
            InstanceId(self.made.len() as u32 - 1)
        });
        self.columns.insert((id, count), column);
        column
    }

    /// The variables and the body of one column. What no pass may touch has none.
    fn one_of(&mut self, instance: &Instance, count: u32) -> Option<(Vec<Variable>, Body)> {
        (!instance.attributes.no_opt).then_some(())?;
        let variables =
            instance.variables.iter().map(|variable| one_bit(variable, count)).collect::<Option<_>>()?;
        let body = match &instance.body {
            Body::Equations(equations) => Body::Equations(Equations {
                steps: self.steps(&equations.steps, count)?,
                count: equations.count,
                order: equations.order.clone(),
                results: equations
                    .results
                    .iter()
                    .map(|results| runs(results, count))
                    .collect::<Option<_>>()?,
            }),
            Body::Table(table) => {
                let Lookup::Columns { columns } = table.lookup else { return None };
                (columns == count).then_some(())?;
                Body::Table(Table { lookup: Lookup::Columns { columns: 1 }, ..table.clone() })
            }
            Body::Permutation { sources } => Body::Permutation { sources: runs(sources, count)? },
        };
        Some((variables, body))
    }

    fn steps(&mut self, steps: &[Step], count: u32) -> Option<Vec<Step>> {
        steps
            .iter()
            .map(|step| {
                Some(match step {
                    Step::Assign(assignment) => Step::Assign(Assignment {
                        targets: runs(&assignment.targets, count)?,
                        value: self.expression(&assignment.value, count)?,
                        ..assignment.clone()
                    }),
                    Step::Loop(looped) => Step::Loop(Loop {
                        iterations: looped
                            .iterations
                            .iter()
                            .map(|body| self.steps(body, count))
                            .collect::<Option<_>>()?,
                        ..looped.clone()
                    }),
                })
            })
            .collect()
    }

    fn expression(&mut self, expression: &Expression, count: u32) -> Option<Expression> {
        use ExpressionKind::*;
        let kind = match &expression.kind {
            Atoms(uses) => Atoms(runs(uses, count)?),
            Constants(constants) => Constants(runs(constants, count)?),
            Tuple(_) => {
                let parts = leaves(expression);
                Tuple(parts.iter().map(|part| self.expression(part, count)).collect::<Option<_>>()?)
            }
            Not(value) => Not(self.boxed(value, count)?),
            Refresh(value) => Refresh(self.boxed(value, count)?),
            Logic(op, left, right) => Logic(*op, self.boxed(left, count)?, self.boxed(right, count)?),
            Gather { sources, value } => {
                Gather { sources: runs(sources, count)?, value: self.boxed(value, count)? }
            }
            Call { callee, arguments } => {
                Call { callee: self.column(*callee, count)?, arguments: self.boxed(arguments, count)? }
            }
            Arithmetic { .. }
            | Shift { .. }
            | Shuffle { .. }
            | MoveWords { .. }
            | Round { .. }
            | InverseMixColumns(_)
            | Bitmask { .. }
            | Pack { .. } => {
                return None;
            }
        };
        Some(Expression { kind, span: expression.span })
    }

    fn boxed(&mut self, expression: &Expression, count: u32) -> Option<Box<Expression>> {
        self.expression(expression, count).map(Box::new)
    }

    /// An instance that calls what its callees have become.
    fn as_it_is(&self, instance: &Instance) -> Instance {
        let mut copy = instance.clone();
        if let Body::Equations(equations) = &mut copy.body {
            reach::renumber(&mut equations.steps, &self.places);
        }
        copy
    }
}

/// A node that calls `column` on each of `count` columns, in a loop.
fn over_columns(instance: &Instance, count: u32, column: InstanceId) -> Instance {
    let span = instance.span;
    let slots = |variables: &[VariableId], c: u32| -> Vec<Slot> {
        variables
            .iter()
            .flat_map(|&variable| {
                let words = instance.variable(variable).atoms() / count;
                (0..words).map(move |word| Slot { variable, atom: word * count + c })
            })
            .collect()
    };
    let iteration = |c: u32| {
        let read = |slot| Use { slot, definition: Definition::Input };
        let uses = slots(&instance.inputs, c).into_iter().map(read).collect();
        let arguments = Box::new(Expression { kind: ExpressionKind::Atoms(uses), span });
        let value = Expression { kind: ExpressionKind::Call { callee: column, arguments }, span };
        let targets = slots(&instance.outputs, c);
        vec![Step::Assign(Assignment { id: AssignmentId(c), span, targets, value })]
    };
    let looped = Loop { span, unroll: Unroll::Auto, iterations: (0..count).map(iteration).collect() };
    let mut first = 0;
    let results = instance
        .outputs
        .iter()
        .map(|&output| {
            let words = instance.variable(output).atoms() / count;
            let range = first..first + words;
            first += words;
            range
                .flat_map(|word| (0..count).map(move |c| Definition::Assigned(AssignmentId(c), word)))
                .collect()
        })
        .collect();
    let steps = vec![Step::Loop(looped)];
    Instance { body: Body::Equations(Equations { steps, count, order: None, results }), ..instance.clone() }
}

/// One bit of each word of a variable, if its shape ends in dimensions of `count` atoms together.
fn one_bit(variable: &Variable, count: u32) -> Option<Variable> {
    let rest =
        (0..variable.shape.len()).find(|&start| variable.shape[start..].iter().product::<u32>() == count)?;
    Some(Variable { shape: variable.shape[..rest].to_vec(), word: 1, ..variable.clone() })
}

/// The parts of a concatenation of concatenations, atoms beside atoms and constants beside constants as one list each: a word
/// may be written bit by bit.
fn leaves(expression: &Expression) -> Vec<Expression> {
    fn collect(expression: &Expression, all: &mut Vec<Expression>) {
        if let ExpressionKind::Tuple(parts) = &expression.kind {
            return parts.iter().for_each(|part| collect(part, all));
        }
        match (all.last_mut().map(|last| &mut last.kind), &expression.kind) {
            (Some(ExpressionKind::Atoms(before)), ExpressionKind::Atoms(more)) => before.extend(more),
            (Some(ExpressionKind::Constants(before)), ExpressionKind::Constants(more)) => before.extend(more),
            _ => all.push(expression.clone()),
        }
    }
    let mut all = Vec::new();
    collect(expression, &mut all);
    all
}

/// An entry of a list of atoms, or of what they come from.
trait Entry: Copy + PartialEq {
    /// What it is `by` atoms on.
    fn advanced(self, by: u32) -> Self;

    /// What it is in the first of `count` columns, if it begins a run.
    fn first(self, count: u32) -> Option<Self>;
}

/// The first of each run of `count` entries, as it is in one column; none if the others are not it, so many atoms on.
fn runs<T: Entry>(list: &[T], count: u32) -> Option<Vec<T>> {
    let runs = list.chunks_exact(count as usize);
    runs.remainder().is_empty().then_some(())?;
    runs.map(|run| {
        let same = run.iter().zip(0..).all(|(entry, by)| *entry == run[0].advanced(by));
        if same { run[0].first(count) } else { None }
    })
    .collect()
}

/// A position in a list.
impl Entry for u32 {
    fn advanced(self, by: u32) -> u32 {
        self + by
    }

    fn first(self, count: u32) -> Option<u32> {
        self.is_multiple_of(count).then_some(self / count)
    }
}

/// A position in a list, or zero.
impl Entry for Option<u32> {
    fn advanced(self, by: u32) -> Option<u32> {
        self.map(|position| position.advanced(by))
    }

    fn first(self, count: u32) -> Option<Option<u32>> {
        match self {
            None => Some(None),
            Some(position) => position.first(count).map(Some),
        }
    }
}

impl Entry for Slot {
    fn advanced(self, by: u32) -> Slot {
        Slot { atom: self.atom.advanced(by), ..self }
    }

    fn first(self, count: u32) -> Option<Slot> {
        Some(Slot { atom: self.atom.first(count)?, ..self })
    }
}

/// Of an input it says the same in all columns: which atom, the slot beside it says.
impl Entry for Definition {
    fn advanced(self, by: u32) -> Definition {
        match self {
            Definition::Input => Definition::Input,
            Definition::Assigned(id, target) => Definition::Assigned(id, target.advanced(by)),
        }
    }

    fn first(self, count: u32) -> Option<Definition> {
        Some(match self {
            Definition::Input => Definition::Input,
            Definition::Assigned(id, target) => Definition::Assigned(id, target.first(count)?),
        })
    }
}

impl Entry for Use {
    fn advanced(self, by: u32) -> Use {
        Use { slot: self.slot.advanced(by), definition: self.definition.advanced(by) }
    }

    fn first(self, count: u32) -> Option<Use> {
        Some(Use { slot: self.slot.first(count)?, definition: self.definition.first(count)? })
    }
}

/// The same in all columns.
impl Entry for Constant {
    fn advanced(self, _: u32) -> Constant {
        self
    }

    fn first(self, _: u32) -> Option<Constant> {
        Some(self)
    }
}
