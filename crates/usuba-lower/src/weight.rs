//! How many operations things are, and around what they stand: whether loops are worth keeping depends on it.

use crate::Loops;
use crate::sliced::{
    Atoms, Body, Equations, Expression, ExpressionKind, Instance, InstanceId, LogicOp, Loop, Program, Step,
    Unroll, flatten,
};

/// From this many instructions on, gates, loads and stores, the columns of a table are worked off in a loop. The 16 columns
/// of a small S-box are unrolled; 32 are some 3 KB of code, and there is seldom only one S-box.
const LOOP_FROM: usize = 384;

/// The columns of a node of equations are worked off in a loop if there are so many.
const COLUMNS_FROM: u32 = 16;

/// And if a column computes so many values for each atom that it loads or stores, as large S-boxes do: `docs/bench.md` has what was
/// measured. Those of Serpent compute 16 and more for 8, and gain; the chi of Keccak computes 75 for 50, and loses.
const COMPUTED_PER_ATOM: u64 = 2;

/// The numbers of operations of a program, all loops unrolled.
pub(crate) struct Weights<'p> {
    program: &'p Program,
    /// Of each instance.
    of: Vec<u64>,
    /// Of the body of the innermost kept loop around the calls of each instance, the largest; none if there is no loop.
    around: Vec<Option<u64>>,
}

impl<'p> Weights<'p> {
    /// Weighs a program. `tables` has the operations of each instance that is a table.
    pub(crate) fn new(program: &'p Program, loops: Loops, tables: &[u64]) -> Weights<'p> {
        let count = program.instances.len();
        let mut weights = Weights { program, of: tables.to_vec(), around: vec![None; count] };
        for (id, instance) in program.instances.iter().enumerate() {
            if let Body::Equations(equations) = &instance.body {
                weights.of[id] = weights.steps(&equations.steps);
            }
        }
        // Callees come before their callers.
        for id in (0..count).rev() {
            if let Body::Equations(Equations { steps, .. }) = &program.instances[id].body {
                let around = weights.around[id];
                weights.surround(steps, around, loops);
            }
        }
        weights
    }

    /// Tells the callees of some steps what is around them.
    fn surround(&mut self, steps: &[Step], around: Option<u64>, loops: Loops) {
        for step in steps {
            match step {
                Step::Assign(assignment) => self.surround_calls(&assignment.value, around),
                Step::Loop(looped) => {
                    let inside =
                        if self.keeps(looped, around, loops) { Some(self.body(looped)) } else { around };
                    looped.iterations.iter().for_each(|body| self.surround(body, inside, loops));
                }
            }
        }
    }

    fn surround_calls(&mut self, expression: &Expression, around: Option<u64>) {
        if let ExpressionKind::Call { callee, .. } = &expression.kind {
            let known = &mut self.around[callee.0 as usize];
            *known = (*known).max(around);
        }
        expression.operands().into_iter().for_each(|operand| self.surround_calls(operand, around));
    }

    /// Of the entry.
    pub(crate) fn whole(&self) -> u64 {
        self.of[self.program.entry.0 as usize]
    }

    /// The number of atoms of an expression.
    pub(crate) fn count(&self, expression: &Expression) -> u64 {
        count(self.program, expression)
    }

    /// Of the loop body around the calls of an instance, if there is one.
    pub(crate) fn around(&self, instance: usize) -> Option<u64> {
        self.around[instance]
    }

    /// Of all iterations of a loop.
    pub(crate) fn of_loop(&self, looped: &Loop) -> u64 {
        looped.iterations.iter().map(|body| self.steps(body)).sum()
    }

    /// Of the body that a loop will have if it is kept: as many iterations as it takes until the calls repeat.
    pub(crate) fn body(&self, looped: &Loop) -> u64 {
        let calls: Vec<Vec<InstanceId>> = looped.iterations.iter().map(|body| callees(body)).collect();
        let repeats = |period: &usize| calls.iter().zip(&calls[*period..]).all(|(one, later)| one == later);
        let period = (1..calls.len()).find(repeats).unwrap_or(calls.len());
        self.of_iterations(looped, period)
    }

    /// Of so many iterations of a loop, on average.
    pub(crate) fn of_iterations(&self, looped: &Loop, count: usize) -> u64 {
        self.of_loop(looped) * count as u64 / looped.iterations.len().max(1) as u64
    }

    /// Whether a loop is worth keeping, in the body of a kept loop of `around` operations or in none.
    pub(crate) fn keeps(&self, looped: &Loop, around: Option<u64>, loops: Loops) -> bool {
        match (looped.unroll, loops) {
            (Unroll::Always, _) | (Unroll::Auto, Loops::Unroll) => false,
            (Unroll::Never, _) | (_, Loops::Keep) => true,
            (Unroll::Auto, Loops::Sized { least, body }) => {
                !fits(around, body) && self.of_loop(looped) >= u64::from(least)
            }
        }
    }

    /// Whether a table is worked off in a loop over its columns. `cost` is that of one column, loads and stores included.
    pub(crate) fn keeps_columns(&self, instance: usize, cost: usize, columns: u32, loops: Loops) -> bool {
        match loops {
            Loops::Keep => true,
            Loops::Unroll => false,
            Loops::Sized { body, .. } => {
                !fits(self.around[instance], body) && cost * columns as usize >= LOOP_FROM
            }
        }
    }

    /// Whether a node of equations is worked off in a loop over its columns.
    pub(crate) fn splits(&self, instance: usize, columns: u32, loops: Loops) -> bool {
        let in_loop = match loops {
            Loops::Keep => true,
            Loops::Unroll => false,
            Loops::Sized { body, .. } => !fits(self.around[instance], body),
        };
        let Instance { variables, inputs, outputs, .. } = &self.program.instances[instance];
        let moved = inputs.iter().chain(outputs).map(|&id| u64::from(variables[id.0 as usize].atoms()));
        let (computed, moved) = (self.of[instance], moved.sum::<u64>());
        in_loop
            && columns >= COLUMNS_FROM
            && computed >= COMPUTED_PER_ATOM * moved
            && computed + moved >= LOOP_FROM as u64
    }

    /// Of some steps.
    fn steps(&self, steps: &[Step]) -> u64 {
        let of_step = |step: &Step| match step {
            Step::Assign(assignment) => self.expression(&assignment.value),
            Step::Loop(looped) => self.of_loop(looped),
        };
        steps.iter().map(of_step).sum()
    }

    /// Of an expression.
    fn expression(&self, expression: &Expression) -> u64 {
        let own = match &expression.kind {
            ExpressionKind::Atoms(_)
            | ExpressionKind::Constants(_)
            | ExpressionKind::Tuple(_)
            | ExpressionKind::Gather { .. } => 0,
            ExpressionKind::Shift { .. }
            | ExpressionKind::Bitmask { .. }
            | ExpressionKind::Round { .. }
            | ExpressionKind::InverseMixColumns(_) => 1,
            ExpressionKind::Pack { .. } => 2,
            // A bit and a constant are that bit or a constant.
            ExpressionKind::Logic(LogicOp::And | LogicOp::Or, a, b)
                if self.program.atoms == Atoms::Bits && (is_constant(a) || is_constant(b)) =>
            {
                0
            }
            ExpressionKind::Logic(_, value, _)
            | ExpressionKind::Not(value)
            | ExpressionKind::Refresh(value)
            | ExpressionKind::Shuffle { value, .. }
            | ExpressionKind::MoveWords { value, .. } => count(self.program, value),
            ExpressionKind::Arithmetic { left, width, .. } => {
                let per_atom = if self.program.atoms == Atoms::Bits { u64::from(*width).min(64) } else { 1 };
                count(self.program, left) * per_atom
            }
            ExpressionKind::Call { callee: InstanceId(callee), .. } => self.of[*callee as usize],
        };
        own + expression.operands().into_iter().map(|operand| self.expression(operand)).sum::<u64>()
    }
}

fn is_constant(expression: &Expression) -> bool {
    matches!(expression.kind, ExpressionKind::Constants(_))
}

/// Whether what is in the body of a kept loop may be unrolled.
fn fits(around: Option<u64>, body: u32) -> bool {
    around.is_some_and(|around| around <= u64::from(body))
}

/// What some steps call, in order.
fn callees(steps: &[Step]) -> Vec<InstanceId> {
    fn collect(expression: &Expression, all: &mut Vec<InstanceId>) {
        if let ExpressionKind::Call { callee, .. } = &expression.kind {
            all.push(*callee);
        }
        expression.operands().into_iter().for_each(|operand| collect(operand, all));
    }
    let mut all = Vec::new();
    flatten(steps).into_iter().for_each(|assignment| collect(&assignment.value, &mut all));
    all
}

/// The number of atoms of an expression.
pub(crate) fn count(program: &Program, expression: &Expression) -> u64 {
    match &expression.kind {
        ExpressionKind::Atoms(atoms) => atoms.len() as u64,
        ExpressionKind::Constants(constants) => constants.len() as u64,
        ExpressionKind::Tuple(parts) => parts.iter().map(|part| count(program, part)).sum(),
        ExpressionKind::Not(value)
        | ExpressionKind::Logic(_, value, _)
        | ExpressionKind::Arithmetic { left: value, .. }
        | ExpressionKind::Shuffle { value, .. }
        | ExpressionKind::MoveWords { value, .. }
        | ExpressionKind::Refresh(value) => count(program, value),
        ExpressionKind::Shift { .. }
        | ExpressionKind::Bitmask { .. }
        | ExpressionKind::Round { .. }
        | ExpressionKind::InverseMixColumns(_)
        | ExpressionKind::Pack { .. } => 1,
        ExpressionKind::Gather { sources, .. } => sources.len() as u64,
        ExpressionKind::Call { callee, .. } => {
            let callee = program.instance(*callee);
            callee.outputs.iter().map(|&output| u64::from(callee.variable(output).atoms())).sum()
        }
    }
}
