//! Texts of messages whose loops make more turns for longer messages, cut before one of these turns: what the turns before it have
//! made is symbols, so that what is shown of the turns after them holds whatever that was.

use crate::graph::{Edge, Graph};
use std::collections::BTreeMap;
use usuba_lang::typed::{Body, Expression, ExpressionKind, InstanceId, Program, Step};

/// A loop, by where it stands in its program: for each call on the way to it the step that has it and its number there, and its own
/// step. Loops inside of loops are none of these.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place(Vec<u32>);

/// What an assignment in a turn of a loop has made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value {
    /// The loop, of those that are cut.
    pub of: usize,
    /// The assignment, of those of a turn.
    pub assignment: u32,
    /// The turn, counted from the first one that is run; those before are not.
    pub turn: i64,
}

/// The atoms of values.
pub type Made = BTreeMap<Value, Vec<Vec<Edge>>>;

/// Where a text is cut, and what is found there.
#[derive(Debug)]
pub struct Cut {
    /// The loops, each with the number of its turns that are not run.
    pub loops: Vec<(Place, usize)>,
    /// What stands in the place of what these would have made. It is made when it is needed.
    pub before: Made,
    /// What the turns have made that were run.
    pub made: Made,
    /// Where the run is.
    pub(super) at: At,
}

/// A place in a program that is being run.
#[derive(Clone, Debug, Default)]
pub(super) struct At {
    /// The calls on the way.
    path: Vec<u32>,
    /// The step of the node, and how many calls of it were made.
    step: u32,
    calls: u32,
    /// Whether it is inside of a loop.
    is_inside: bool,
}

/// Where an assignment stands in its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Standing {
    /// The step of the node.
    pub step: u32,
    /// If this is a loop: the turn, and the number of the assignment in it.
    pub turn: Option<(usize, u32)>,
}

impl Cut {
    /// A text that is to be cut there.
    pub fn new(loops: Vec<(Place, usize)>, before: Made) -> Cut {
        Cut { loops, before, made: Made::new(), at: At::default() }
    }

    /// Goes into a call; gives back where it was.
    pub(super) fn enter(&mut self) -> At {
        let was = self.at.clone();
        self.at.path.extend([was.step, was.calls]);
        (self.at.step, self.at.calls) = (0, 0);
        was
    }

    /// Comes back from a call.
    pub(super) fn leave(&mut self, was: At) {
        self.at = At { calls: was.calls + 1, ..was };
    }

    /// Goes to an assignment. Says which value of a loop that is cut it makes, if it is one; and if its turn is not run, what stands
    /// in its place, whose atoms have these widths.
    pub(super) fn go(
        &mut self,
        graph: &mut Graph,
        standing: Standing,
        is_inside: bool,
        widths: impl Iterator<Item = usize>,
    ) -> (Option<Value>, Option<Vec<Vec<Edge>>>) {
        let Standing { step, turn } = standing;
        (self.at.step, self.at.calls) = (step, 0);
        self.at.is_inside = is_inside || turn.is_some();
        let Some((turn, assignment)) = turn.filter(|_| !is_inside) else { return (None, None) };
        let is_here = |(place, _): &(Place, usize)| match place.0.split_last() {
            Some((last, path)) => *last == step && path == self.at.path,
            None => false,
        };
        let Some(of) = self.loops.iter().position(is_here) else { return (None, None) };
        let value = Value { of, assignment, turn: turn as i64 - self.loops[of].1 as i64 };
        if value.turn >= 0 {
            return (Some(value), None);
        }
        let symbols = || widths.map(|width| graph.input_bits(width)).collect();
        (None, Some(self.before.entry(value).or_insert_with(symbols).clone()))
    }

    /// Whether the run is inside of a loop.
    pub(super) fn is_inside(&self) -> bool {
        self.at.is_inside
    }
}

/// How many turns the loops of a program make that are not inside of others, but for those of nodes that are not run (`is_opaque`).
pub fn loops(program: &Program, is_opaque: &dyn Fn(InstanceId) -> bool) -> BTreeMap<Place, usize> {
    let mut found = BTreeMap::new();
    of_node(program, is_opaque, program.entry(), &mut Vec::new(), &mut found);
    found
}

fn of_node(
    program: &Program,
    is_opaque: &dyn Fn(InstanceId) -> bool,
    node: InstanceId,
    path: &mut Vec<u32>,
    found: &mut BTreeMap<Place, usize>,
) {
    let Body::Equations(equations) = &program.instance(node).body else { return };
    if is_opaque(node) {
        return;
    }
    for (step, what) in (0..).zip(&equations.steps) {
        match what {
            Step::Assign(assignment) => {
                let mut called = Vec::new();
                calls(&assignment.value, &mut called);
                for (number, callee) in (0..).zip(called) {
                    path.extend([step, number]);
                    of_node(program, is_opaque, callee, path, found);
                    path.truncate(path.len() - 2);
                }
            }
            Step::Loop(looped) => {
                let place = path.iter().copied().chain([step]).collect();
                found.insert(Place(place), looped.iterations.len());
            }
        }
    }
}

/// The nodes that an expression calls, in the order in which they are run.
fn calls(expression: &Expression, called: &mut Vec<InstanceId>) {
    expression.operands().into_iter().for_each(|operand| calls(operand, called));
    if let ExpressionKind::Call { callee, .. } = &expression.kind {
        called.push(*callee);
    }
}
