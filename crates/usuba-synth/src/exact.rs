//! Whether there is a circuit of so many gates: a question to a SAT solver.
//!
//! The variables: which operands each gate has, its truth table, its value for each input of the circuit, and which gate
//! each output is. Without loss of generality every gate is used, and a gate that does not use the one before it has
//! operands that come no earlier in the colexicographic order. Where all functions of three bits are gates, each may be
//! taken to be false where its operands all are: a complement goes into the tables of the users.

use crate::basis::{Basis, has};
use crate::budget::Budget;
use batsat::{Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use usuba_logic::netlist::{Gate, Netlist};

/// What the solver says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is one.
    Found(Netlist),
    /// There is none.
    Impossible,
    /// The budget was used up, or the table has an output that the question cannot express (a constant, an input or its
    /// complement, two that are equal up to complement).
    Open,
}

/// A truth value that the solver may know already.
#[derive(Clone, Copy)]
enum Bit {
    Known(bool),
    Of(Var),
}

struct Question {
    solver: Solver<Budget>,
    inputs: usize,
    arity: usize,
    /// For each gate, its possible operands with the variable that chooses them.
    operands: Vec<Vec<(Vec<usize>, Var)>>,
    /// For each gate, the bits of its truth table.
    tables: Vec<Vec<Bit>>,
    /// For each gate, its value for each input.
    values: Vec<Vec<Bit>>,
    /// For each output, the variable that makes it each gate.
    outputs: Vec<Vec<Var>>,
}

/// Looks for a circuit of exactly `gates` gates for a table of 2^inputs values, in at most so many conflicts.
pub fn smaller(
    basis: Basis,
    inputs: usize,
    outputs: usize,
    table: &[u64],
    gates: usize,
    conflicts: u64,
) -> Answer {
    let arity = if basis == Basis::TwoInput { 2 } else { 3 };
    let rows = 1usize << inputs;
    if inputs < arity || inputs > 6 || table.len() != rows || gates == 0 {
        return Answer::Open;
    }
    let columns: Vec<Vec<bool>> = (0..outputs)
        .map(|j| table.iter().map(|value| value >> (outputs - 1 - j) & 1 == 1).collect())
        .collect();
    if !is_expressible(&columns, inputs, basis) {
        return Answer::Open;
    }
    // Under the normal form every wire is false for input 0.
    let complemented: Vec<bool> =
        columns.iter().map(|column| basis == Basis::Ternary && column.first() == Some(&true)).collect();
    let solver = Solver::new(SolverOpts::default(), Budget::of(conflicts));
    let mut question = Question {
        solver,
        inputs,
        arity,
        operands: Vec::new(),
        tables: Vec::new(),
        values: Vec::new(),
        outputs: Vec::new(),
    };
    for gate in 0..gates {
        question.gate(gate, basis);
    }
    for (column, &complemented) in columns.iter().zip(&complemented) {
        question.output(column, complemented);
    }
    question.everything_is_used();
    question.order();
    match question.solver.solve_limited(&[]) {
        answer if answer == lbool::TRUE => {
            question.netlist(&complemented).map_or(Answer::Open, Answer::Found)
        }
        answer if answer == lbool::FALSE => Answer::Impossible,
        _ => Answer::Open,
    }
}

/// No output is a constant, an input or its complement, or another output or its complement.
fn is_expressible(columns: &[Vec<bool>], inputs: usize, basis: Basis) -> bool {
    let complement = |column: &[bool]| column.iter().map(|bit| !bit).collect::<Vec<_>>();
    let mut seen: Vec<Vec<bool>> = (0..inputs)
        .map(|input| (0..1usize << inputs).map(|row| row >> (inputs - 1 - input) & 1 == 1).collect())
        .collect();
    seen.push(vec![false; 1 << inputs]);
    for column in columns {
        let other = complement(column);
        let clashes = seen.contains(column) || (basis == Basis::Ternary && seen.contains(&other));
        if clashes {
            return false;
        }
        seen.push(column.clone());
    }
    true
}

/// All sets of `count` of the wires below `wires`, in colexicographic order.
fn sets(wires: usize, count: usize) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = match count {
        2 => (0..wires).flat_map(|b| (0..b).map(move |a| vec![a, b])).collect(),
        _ => (0..wires).flat_map(|c| (0..c).flat_map(move |b| (0..b).map(move |a| vec![a, b, c]))).collect(),
    };
    found.sort_by(|x, y| x.iter().rev().cmp(y.iter().rev()));
    found
}

impl Question {
    fn variable(&mut self) -> Var {
        self.solver.new_var_default()
    }

    /// Adds a clause of `(bit, wanted)` pairs: one of the bits is as wanted.
    fn clause(&mut self, bits: &[(Bit, bool)]) {
        let mut clause = Vec::with_capacity(bits.len());
        for &(bit, wanted) in bits {
            match bit {
                Bit::Known(value) if value == wanted => return,
                Bit::Known(_) => {}
                Bit::Of(variable) => clause.push(Lit::new(variable, wanted)),
            }
        }
        self.solver.add_clause_reuse(&mut clause);
    }

    fn value(&self, wire: usize, row: usize) -> Bit {
        match wire.checked_sub(self.inputs) {
            None => Bit::Known(row >> (self.inputs - 1 - wire) & 1 == 1),
            Some(gate) => self.values[gate][row],
        }
    }

    fn gate(&mut self, gate: usize, basis: Basis) {
        let rows = 1usize << self.inputs;
        let is_normal = basis == Basis::Ternary;
        let entries = 1usize << self.arity;
        let table: Vec<Bit> = (0..entries)
            .map(|entry| if is_normal && entry == 0 { Bit::Known(false) } else { Bit::Of(self.variable()) })
            .collect();
        let values: Vec<Bit> = (0..rows)
            .map(|row| if is_normal && row == 0 { Bit::Known(false) } else { Bit::Of(self.variable()) })
            .collect();
        self.forbid(&table, basis);
        let choices: Vec<(Vec<usize>, Var)> = sets(self.inputs + gate, self.arity)
            .into_iter()
            .map(|set| (set, self.solver.new_var_default()))
            .collect();
        let any: Vec<(Bit, bool)> = choices.iter().map(|&(_, choice)| (Bit::Of(choice), true)).collect();
        self.clause(&any);
        for (set, choice) in &choices {
            for (row, &value) in values.iter().enumerate() {
                for (entry, &bit) in table.iter().enumerate() {
                    let mut clause = vec![(Bit::Of(*choice), false)];
                    for (place, &wire) in set.iter().enumerate() {
                        let at = entry >> (self.arity - 1 - place) & 1 == 1;
                        clause.push((self.value(wire, row), !at));
                    }
                    for side in [false, true] {
                        let mut clause = clause.clone();
                        clause.extend([(bit, side), (value, !side)]);
                        self.clause(&clause);
                    }
                }
            }
        }
        self.operands.push(choices);
        self.tables.push(table);
        self.values.push(values);
    }

    /// Forbids truth tables that are no gate: constants, operands, what the basis lacks.
    fn forbid(&mut self, table: &[Bit], basis: Basis) {
        let entries = table.len();
        for number in 0..1usize << entries {
            let bit = |entry: usize| number >> entry & 1 == 1;
            // As a table of three operands, of which the last is named twice where there are two.
            let gate = if self.arity == 2 {
                let wide = [(0, 0), (1, 3), (2, 4), (3, 7)];
                let wide = wide.iter().fold(0u8, |wide, &(entry, row)| wide | u8::from(bit(entry)) << row);
                Gate::normal([0, 1, 1], wide)
            } else {
                Gate::normal([0, 1, 2], number as u8)
            };
            if gate.is_none_or(|gate| !has(basis, &gate)) {
                let clause: Vec<(Bit, bool)> =
                    (0..entries).map(|entry| (table[entry], !bit(entry))).collect();
                self.clause(&clause);
            }
        }
    }

    fn output(&mut self, column: &[bool], complemented: bool) {
        let choices: Vec<Var> = self.values.iter().map(|_| self.solver.new_var_default()).collect();
        let any: Vec<(Bit, bool)> = choices.iter().map(|&choice| (Bit::Of(choice), true)).collect();
        self.clause(&any);
        for (gate, &choice) in choices.iter().enumerate() {
            for (row, &wanted) in column.iter().enumerate() {
                let value = self.values[gate][row];
                self.clause(&[(Bit::Of(choice), false), (value, wanted ^ complemented)]);
            }
        }
        self.outputs.push(choices);
    }

    fn everything_is_used(&mut self) {
        for gate in 0..self.operands.len() {
            let wire = self.inputs + gate;
            let mut clause: Vec<(Bit, bool)> =
                self.outputs.iter().map(|choices| (Bit::Of(choices[gate]), true)).collect();
            for later in &self.operands[gate + 1..] {
                let users = later.iter().filter(|(set, _)| set.contains(&wire));
                clause.extend(users.map(|&(_, choice)| (Bit::Of(choice), true)));
            }
            self.clause(&clause);
        }
    }

    fn order(&mut self) {
        let mut clauses = Vec::new();
        for (gate, pair) in self.operands.windows(2).enumerate() {
            let wire = self.inputs + gate;
            for (first, one) in &pair[0] {
                for (second, other) in pair[1].iter().filter(|(set, _)| !set.contains(&wire)) {
                    if second.iter().rev().lt(first.iter().rev()) {
                        clauses.push([(Bit::Of(*one), false), (Bit::Of(*other), false)]);
                    }
                }
            }
        }
        for clause in clauses {
            self.clause(&clause);
        }
    }

    fn is_set(&self, bit: Bit) -> bool {
        match bit {
            Bit::Known(value) => value,
            Bit::Of(variable) => self.solver.value_lit(Lit::new(variable, true)) == lbool::TRUE,
        }
    }

    /// The circuit of the model, complemented outputs put right.
    fn netlist(&self, complemented: &[bool]) -> Option<Netlist> {
        let mut netlist = Netlist { inputs: self.inputs, gates: Vec::new(), outputs: Vec::new() };
        for choices in &self.outputs {
            let gate = choices.iter().position(|&choice| self.is_set(Bit::Of(choice)))?;
            netlist.outputs.push(self.inputs + gate);
        }
        // The gates that are made as their complement.
        let flipped = |wire: usize| {
            netlist.outputs.iter().zip(complemented).any(|(&output, &flip)| flip && output == wire)
        };
        for (gate, choices) in self.operands.iter().enumerate() {
            let (set, _) = choices.iter().find(|&&(_, choice)| self.is_set(Bit::Of(choice)))?;
            let of = [set[0], set[1], *set.last()?];
            let mut table = 0u8;
            for row in 0..8usize {
                // The operands as the solver saw them.
                let bits: Vec<usize> =
                    (0..3).map(|place| (row >> (2 - place) & 1) ^ usize::from(flipped(of[place]))).collect();
                let entry = bits[..self.arity].iter().fold(0, |entry, bit| entry << 1 | bit);
                let value = self.is_set(self.tables[gate][entry]) ^ flipped(self.inputs + gate);
                table |= u8::from(value) << row;
            }
            netlist.gates.push(Gate::normal(of, table)?);
        }
        netlist.sorted()
    }
}
