//! Texts of messages whose loops make more turns for longer messages, cut before one of these turns: what the turns before it have
//! made is symbols, so that what is shown of the turns after them holds whatever that was.

use crate::graph::{Edge, Graph};
use std::collections::BTreeMap;
use usuba_lang::typed::{Assignment, Body, Constant, Expression, ExpressionKind, InstanceId, Program, Step};

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

/// A loop that is cut.
#[derive(Clone, Debug)]
pub struct Looped {
    /// Where it stands.
    pub place: Place,
    /// So many of its turns are not run.
    pub skipped: usize,
    /// The turn from which the places of constants count.
    pub origin: usize,
}

/// Where constants stand in a text: the calls and turns on the way, and the number of the expression. The same places of longer
/// messages are the same, as turns of loops that are cut count from their origin.
pub type Constants<T> = BTreeMap<Vec<i64>, T>;

/// Where a text is cut, and what is found there.
#[derive(Debug)]
pub struct Cut {
    /// The loops.
    pub loops: Vec<Looped>,
    /// What stands in the place of what their turns would have made that are not run. It is made when it is needed.
    pub before: Made,
    /// What stands in the place of constants.
    pub numbers: Constants<Vec<Vec<Edge>>>,
    /// What the turns have made that were run.
    pub made: Made,
    /// Where the run is.
    pub(super) at: At,
}

/// A place in a program that is being run.
#[derive(Clone, Debug, Default)]
pub(super) struct At {
    /// The calls on the way, and the same with the turns that they are in.
    path: Vec<u32>,
    way: Vec<i64>,
    /// The step of the node, its turn and the assignment in it; and how many calls and constants of it there were.
    step: u32,
    turn: [i64; 2],
    calls: u32,
    constants: u32,
    /// The loop that is cut and the turn of it that it is in.
    looped: Option<(usize, i64)>,
    /// Whether it is inside of a loop.
    is_inside: bool,
}

/// Numbers of what goes into products have this bit.
const FACTOR: u32 = 1 << 31;

/// Stands for the turn of what is in no loop.
const NO_TURN: i64 = i64::MIN;

/// Where an assignment stands in its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Standing {
    /// The step of the node.
    pub step: u32,
    /// If this is a loop: the turn, and the number of the assignment in it.
    pub turn: Option<(usize, u32)>,
}

impl At {
    /// Goes to an assignment.
    fn go(&mut self, loops: &[Looped], Standing { step, turn }: Standing) {
        let of = self.of(loops, step);
        if !self.is_inside {
            self.looped = of.zip(turn).map(|(of, (turn, _))| (of, turn as i64 - loops[of].skipped as i64));
        }
        self.turn = match (turn, of) {
            (None, _) => [NO_TURN, 0],
            (Some((turn, number)), None) => [turn as i64, number.into()],
            (Some((turn, number)), Some(of)) => [turn as i64 - loops[of].origin as i64, number.into()],
        };
        (self.step, self.calls, self.constants) = (step, 0, 0);
    }

    /// The loop at a step, of those that are cut.
    fn of(&self, loops: &[Looped], step: u32) -> Option<usize> {
        let is_here = |looped: &Looped| match looped.place.0.split_last() {
            Some((last, path)) => *last == step && path == self.path,
            None => false,
        };
        if self.is_inside { None } else { loops.iter().position(is_here) }
    }

    /// Goes into a call; gives back where it was.
    fn enter(&mut self, is_inside: bool) -> At {
        let was = self.clone();
        self.path.extend([was.step, was.calls]);
        self.way.extend([was.step.into(), was.turn[0], was.turn[1], was.calls.into()]);
        (self.step, self.calls, self.constants, self.is_inside) = (0, 0, 0, is_inside);
        was
    }

    /// Comes back from a call.
    fn leave(&mut self, was: At) {
        *self = At { calls: was.calls + 1, ..was };
    }

    /// The place of a constant.
    fn constant(&mut self) -> Vec<i64> {
        let mut place = self.way.clone();
        place.extend([self.step.into(), self.turn[0], self.turn[1], self.constants.into()]);
        self.constants += 1;
        place
    }
}

impl Cut {
    /// A text that is to be cut there.
    pub fn new(loops: Vec<Looped>, before: Made, numbers: Constants<Vec<Vec<Edge>>>) -> Cut {
        Cut { loops, before, numbers, made: Made::new(), at: At::default() }
    }

    /// Goes into a call; gives back where it was.
    pub(super) fn enter(&mut self) -> At {
        self.at.enter(self.at.is_inside || self.at.turn[0] != NO_TURN)
    }

    /// Comes back from a call.
    pub(super) fn leave(&mut self, was: At) {
        self.at.leave(was);
    }

    /// Remembers what goes into a product that is not run, as a value of the turn that the call is in.
    pub(super) fn note_factor(&mut self, factor: &[Edge]) {
        let [.., turn, number, calls] = self.at.way[..] else { return };
        if let Some((of, turn_of_loop)) = self.at.looped.filter(|_| turn != NO_TURN) {
            let assignment = FACTOR | (number as u32) << 8 | calls as u32;
            self.made.insert(Value { of, assignment, turn: turn_of_loop }, vec![factor.to_vec()]);
        }
    }

    /// What stands in the place of the next constants of the assignment, if it is something else.
    pub(super) fn constant(&mut self) -> Option<&Vec<Vec<Edge>>> {
        match self.numbers.is_empty() {
            true => None,
            false => self.numbers.get(&self.at.constant()),
        }
    }

    /// Goes to an assignment. Says which value of a loop that is cut it makes, if it is one; and if its turn is not run, what stands
    /// in its place, whose atoms have these widths.
    pub(super) fn go(
        &mut self,
        graph: &mut Graph,
        standing: Standing,
        widths: impl Iterator<Item = usize>,
    ) -> (Option<Value>, Option<Vec<Vec<Edge>>>) {
        self.at.go(&self.loops, standing);
        let Some((turn, assignment)) = standing.turn else { return (None, None) };
        let Some(of) = self.at.of(&self.loops, standing.step) else { return (None, None) };
        let value = Value { of, assignment, turn: turn as i64 - self.loops[of].skipped as i64 };
        if value.turn >= 0 {
            return (Some(value), None);
        }
        let symbols = || widths.map(|width| graph.input_bits(width)).collect();
        (None, Some(self.before.entry(value).or_insert_with(symbols).clone()))
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

/// The constants of a program, but for those of turns that are not run and of nodes that are not (`is_opaque`).
pub fn constants(
    program: &Program,
    is_opaque: &dyn Fn(InstanceId) -> bool,
    loops: &[Looped],
) -> Constants<Vec<Constant>> {
    let mut walk = Walk { program, is_opaque, loops, at: At::default(), found: Constants::new() };
    walk.node(program.entry());
    walk.found
}

/// A walk through a program, in the order in which it is run.
struct Walk<'a> {
    program: &'a Program,
    is_opaque: &'a dyn Fn(InstanceId) -> bool,
    loops: &'a [Looped],
    at: At,
    found: Constants<Vec<Constant>>,
}

impl Walk<'_> {
    fn node(&mut self, node: InstanceId) {
        let program = self.program;
        let Body::Equations(equations) = &program.instance(node).body else { return };
        if (self.is_opaque)(node) {
            return;
        }
        let mut assignments = Vec::new();
        for (step, what) in (0..).zip(&equations.steps) {
            collect(what, step, &mut assignments);
        }
        for (_, standing, assignment) in assignments {
            let skipped = self.at.of(self.loops, standing.step).map_or(0, |of| self.loops[of].skipped);
            if standing.turn.is_some_and(|(turn, _)| turn < skipped) {
                continue;
            }
            self.at.go(self.loops, standing);
            self.expression(&assignment.value);
        }
    }

    fn expression(&mut self, expression: &Expression) {
        expression.operands().into_iter().for_each(|operand| self.expression(operand));
        match &expression.kind {
            ExpressionKind::Constants(constants) => {
                self.found.insert(self.at.constant(), constants.clone());
            }
            ExpressionKind::Call { callee, .. } => {
                let was = self.at.enter(self.at.is_inside || self.at.turn[0] != NO_TURN);
                self.node(*callee);
                self.at.leave(was);
            }
            _ => {}
        }
    }
}

/// The assignments of a step of a node in textual order, with the turns of loops that they are in.
pub(super) fn collect<'a>(
    what: &'a Step,
    step: u32,
    assignments: &mut Vec<(String, Standing, &'a Assignment)>,
) {
    match what {
        Step::Assign(assignment) => {
            assignments.push((String::new(), Standing { step, turn: None }, assignment));
        }
        Step::Loop(looped) => {
            for (turn, (value, body)) in looped.values.iter().zip(&looped.iterations).enumerate() {
                let mut inside = Vec::new();
                of_turn(body, &format!("[{}={value}]", looped.variable), &mut inside);
                let of_turn = (0..).zip(inside).map(|(number, (name, assignment))| {
                    (name, Standing { step, turn: Some((turn, number)) }, assignment)
                });
                assignments.extend(of_turn);
            }
        }
    }
}

fn of_turn<'a>(steps: &'a [Step], turn: &str, assignments: &mut Vec<(String, &'a Assignment)>) {
    for step in steps {
        match step {
            Step::Assign(assignment) => assignments.push((turn.to_owned(), assignment)),
            Step::Loop(looped) => {
                for (value, body) in looped.values.iter().zip(&looped.iterations) {
                    of_turn(body, &format!("{turn}[{}={value}]", looped.variable), assignments);
                }
            }
        }
    }
}
