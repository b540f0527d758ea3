//! Whether two vertices can differ: a question to a SAT solver.
//!
//! The formula begins with what is nearest to the two vertices, and gets what is further away, to the inputs, only while there is an
//! assignment: where none is found, none is there.

use super::budget::Budget;
use crate::graph::{Edge, Gate, Graph, Vertex};
use batsat::{Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use std::collections::{BTreeSet, HashMap};

/// How many vertices the formula says something about, step by step; then all.
const STEPS: [usize; 5] = [60, 240, 1_000, 4_000, usize::MAX];

/// How far the formula goes from the two vertices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Its first two steps.
    Near,
    /// To the inputs.
    All,
}

/// What the solver says.
pub(super) enum Solved {
    /// No assignment tells them apart.
    Equal,
    /// This one does: the values of inputs; those that are left out do not matter.
    Different(Vec<(u32, bool)>),
    /// The limit was reached.
    Open,
}

/// Asks whether two vertices, the second complemented if `flip`, can differ; and adds the conflicts that it took to `spent`.
pub(super) fn solve(
    graph: &Graph,
    a: Vertex,
    b: Vertex,
    flip: bool,
    (reach, conflicts): (Reach, u64),
    spent: &mut u64,
) -> Solved {
    let budget = Budget { conflicts: 0, most: conflicts };
    let mut question = Question {
        graph,
        solver: Solver::new(SolverOpts::default(), budget),
        variables: HashMap::new(),
        undefined: BTreeSet::new(),
        defined: 0,
    };
    let (x, y) = (question.literal(a.edge()), question.literal(b.edge().complemented_if(flip)));
    question.clause(&[x, y]);
    question.clause(&[!x, !y]);
    let solved = question.answer(if reach == Reach::Near { &STEPS[..2] } else { &STEPS });
    *spent += question.solver.cb().conflicts;
    solved
}

struct Question<'g> {
    graph: &'g Graph,
    solver: Solver<Budget>,
    variables: HashMap<Vertex, Var>,
    /// Vertices that have a variable, about which the formula says nothing yet.
    undefined: BTreeSet<Vertex>,
    defined: usize,
}

impl Question<'_> {
    fn answer(&mut self, steps: &[usize]) -> Solved {
        for &step in steps {
            self.define(step);
            match self.solver.solve_limited(&[]) {
                answer if answer == lbool::FALSE => return Solved::Equal,
                answer if answer == lbool::TRUE && self.is_closed() => {
                    return Solved::Different(self.inputs());
                }
                answer if answer == lbool::TRUE => {}
                _ => return Solved::Open,
            }
        }
        Solved::Open
    }

    /// Whether only inputs have no definition.
    fn is_closed(&self) -> bool {
        self.undefined.iter().all(|&vertex| matches!(self.graph.gate(vertex), Gate::Input(_)))
    }

    /// Defines the last vertices until so many are.
    fn define(&mut self, most: usize) {
        let mut inputs = Vec::new();
        while self.defined < most {
            let Some(vertex) = self.undefined.pop_last() else { break };
            match self.graph.gate(vertex) {
                Gate::Input(_) => inputs.push(vertex),
                Gate::False => {
                    let literal = self.literal(vertex.edge());
                    self.clause(&[!literal]);
                }
                Gate::And(a, b) => {
                    let [c, a, b] = [vertex.edge(), a, b].map(|edge| self.literal(edge));
                    self.clause(&[!c, a]);
                    self.clause(&[!c, b]);
                    self.clause(&[c, !a, !b]);
                    self.defined += 1;
                }
                Gate::Xor(a, b) => {
                    let [c, a, b] = [vertex, a, b].map(|vertex| self.literal(vertex.edge()));
                    self.clause(&[!c, a, b]);
                    self.clause(&[!c, !a, !b]);
                    self.clause(&[c, !a, b]);
                    self.clause(&[c, a, !b]);
                    self.defined += 1;
                }
            }
        }
        self.undefined.extend(inputs);
    }

    fn literal(&mut self, edge: Edge) -> Lit {
        let vertex = edge.vertex();
        let Question { solver, variables, undefined, .. } = self;
        let variable = *variables.entry(vertex).or_insert_with(|| {
            undefined.insert(vertex);
            solver.new_var_default()
        });
        Lit::new(variable, !edge.is_complemented())
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.solver.add_clause_reuse(&mut literals.to_vec());
    }

    /// The values of the inputs that the solver gave a value.
    fn inputs(&self) -> Vec<(u32, bool)> {
        let mut inputs = Vec::new();
        for &vertex in &self.undefined {
            if let Gate::Input(number) = self.graph.gate(vertex) {
                let value = self.solver.value_var(self.variables[&vertex]);
                inputs.push((number, value == lbool::TRUE));
            }
        }
        inputs
    }
}
