//! Which definition a use denotes (D18).
//!
//! The assignments of a body, with its loops unrolled, are numbered in textual order. A use in assignment t denotes the last
//! definition before t; else the input; else the first definition after t, if that is a plain `=` (out of order);
//! else nothing. The last case is found out at the end, when all definitions are known.

use super::messages;
use super::report::Report;
use crate::source::Span;
use crate::typed::{
    Assignment, AssignmentId, Definition, Expression, ExpressionKind, Slot, Step, Use, VariableId,
};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// Marks a use whose definition comes later: its second half is then a place in [`Ledger::pending`].
const LATER: AssignmentId = AssignmentId(u32::MAX);

/// How an assignment treats what its targets were.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Manner {
    /// `=` or `op=`.
    Equation,
    /// `:=` or `op:=`.
    Update,
}

/// The first definition of an atom.
#[derive(Clone, Copy, Debug)]
struct First {
    definition: (AssignmentId, u32),
    manner: Manner,
    span: Span,
}

/// A use before any definition.
#[derive(Clone, Copy, Debug)]
struct Pending {
    slot: Slot,
    assignment: AssignmentId,
    span: Span,
}

/// The atoms of one variable.
#[derive(Clone, Debug)]
struct Atoms {
    current: Vec<Option<Definition>>,
    first: Vec<Option<First>>,
}

/// The definitions of every atom of a body, as far as the text has been read.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    variables: Vec<Atoms>,
    pending: Vec<Pending>,
    next: u32,
}

/// What an assignment did that its author may not have meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Remark {
    /// `=` on an atom that has a definition (or is an input).
    Redefinition { of_input: bool, first: Option<Span> },
    /// `:=` on an atom that has none.
    UpdateOfNothing,
    /// The atom is twice on the left.
    Twice,
}

impl Ledger {
    /// Adds the next variable.
    pub(super) fn declare(&mut self, atoms: u32, input: bool) {
        let start = input.then_some(Definition::Input);
        self.variables
            .push(Atoms { current: vec![start; atoms as usize], first: vec![None; atoms as usize] });
    }

    /// The number of the assignment being read.
    pub(super) fn assignment(&self) -> AssignmentId {
        AssignmentId(self.next)
    }

    /// How many assignments have been read.
    pub(super) fn count(&self) -> u32 {
        self.next
    }

    /// A use of an atom by the assignment being read.
    pub(super) fn read(&mut self, slot: Slot, span: Span) -> Use {
        let atoms = self.variables.get(slot.variable.0 as usize);
        let known = atoms.and_then(|atoms| atoms.current.get(slot.atom as usize)).copied().flatten();
        let definition = known.unwrap_or_else(|| {
            self.pending.push(Pending { slot, assignment: self.assignment(), span });
            Definition::Assigned(LATER, self.pending.len() as u32 - 1)
        });
        Use { slot, definition }
    }

    /// Ends the assignment being read: its targets now denote its values.
    pub(super) fn define(&mut self, targets: &[Slot], manner: Manner, span: Span) -> Option<Remark> {
        let assignment = self.assignment();
        self.next += 1;
        let mut remark = None;
        for (position, target) in targets.iter().enumerate() {
            let definition = Definition::Assigned(assignment, position as u32);
            let Some(atoms) = self.variables.get_mut(target.variable.0 as usize) else { continue };
            let (Some(current), Some(first)) =
                (atoms.current.get_mut(target.atom as usize), atoms.first.get_mut(target.atom as usize))
            else {
                continue;
            };
            let found = match (*current, manner) {
                (Some(Definition::Assigned(earlier, _)), _) if earlier == assignment => Some(Remark::Twice),
                (Some(Definition::Input), Manner::Equation) => {
                    Some(Remark::Redefinition { of_input: true, first: None })
                }
                (Some(_), Manner::Equation) => {
                    Some(Remark::Redefinition { of_input: false, first: first.map(|f| f.span) })
                }
                (None, Manner::Update) => Some(Remark::UpdateOfNothing),
                _ => None,
            };
            if remark != Some(Remark::Twice) && found.is_some() {
                remark = found.filter(|_| remark.is_none() || found == Some(Remark::Twice)).or(remark);
            }
            *current = Some(definition);
            first.get_or_insert(First { definition: (assignment, position as u32), manner, span });
        }
        remark
    }

    /// Gives every atom that has no definition one that does not exist, once an error has been reported.
    pub(super) fn forgive(&mut self, variable: VariableId) {
        if let Some(atoms) = self.variables.get_mut(variable.0 as usize) {
            for current in &mut atoms.current {
                current.get_or_insert(Definition::Input);
            }
        }
    }

    /// The last definition of every atom of a variable; `Err` lists the atoms that have none.
    pub(super) fn results(&self, variable: VariableId) -> Result<Vec<Definition>, Vec<u32>> {
        let Some(atoms) = self.variables.get(variable.0 as usize) else { return Ok(Vec::new()) };
        let missing: Vec<u32> =
            atoms.current.iter().enumerate().filter(|(_, c)| c.is_none()).map(|(i, _)| i as u32).collect();
        if missing.is_empty() { Ok(atoms.current.iter().copied().flatten().collect()) } else { Err(missing) }
    }

    /// Finds the definitions of uses out of order, and an order of evaluation if there are any.
    ///
    /// `name` spells an atom. Errors are reported; the steps are then of no use.
    pub(super) fn resolve(
        &self,
        steps: &mut [Step],
        name: &dyn Fn(Slot) -> String,
        report: &mut Report,
    ) -> Option<Vec<AssignmentId>> {
        if self.pending.is_empty() {
            return None;
        }
        let before = report.failures();
        let mut found = Vec::with_capacity(self.pending.len());
        for pending in &self.pending {
            let atoms = self.variables.get(pending.slot.variable.0 as usize);
            let first =
                atoms.and_then(|atoms| atoms.first.get(pending.slot.atom as usize)).copied().flatten();
            match first {
                Some(first) if first.definition.0 == pending.assignment => {
                    report.add(messages::defined_by_itself(pending.span, &name(pending.slot)));
                    found.push(None);
                }
                Some(first) if first.manner == Manner::Update => {
                    report.add(messages::used_before_update(pending.span, &name(pending.slot), first.span));
                    found.push(None);
                }
                Some(first) => found.push(Some(first.definition)),
                None => {
                    report.add(messages::never_defined(pending.span, &name(pending.slot)));
                    found.push(None);
                }
            }
        }
        if report.failures() > before {
            return None;
        }
        let mut uses: Vec<Vec<u32>> = vec![Vec::new(); self.next as usize];
        let mut spans: Vec<Option<Span>> = vec![None; self.next as usize];
        for_each_assignment(steps, &mut |assignment| {
            let id = assignment.id;
            let mut definitions = Vec::new();
            for_each_use(&mut assignment.value, &mut |use_| {
                if let Definition::Assigned(LATER, place) = use_.definition
                    && let Some(Some((later, target))) = found.get(place as usize)
                {
                    use_.definition = Definition::Assigned(*later, *target);
                }
                if let Definition::Assigned(definition, _) = use_.definition {
                    definitions.push(definition.0);
                }
            });
            definitions.sort_unstable();
            definitions.dedup();
            if let Some(span) = spans.get_mut(id.0 as usize) {
                *span = Some(assignment.span);
            }
            if let Some(uses) = uses.get_mut(id.0 as usize) {
                *uses = definitions;
            }
        });
        match order(&uses) {
            Ok(order) => Some(order.into_iter().map(AssignmentId).collect()),
            Err(cycle) => {
                let mut places = Vec::new();
                let mut seen = HashSet::new();
                for assignment in &cycle {
                    if let Some(Some(span)) = spans.get(*assignment as usize)
                        && seen.insert(*span)
                    {
                        places.push(*span);
                    }
                }
                report.add(messages::cycle(&places));
                None
            }
        }
    }
}

/// The assignments in an order in which each comes after those it uses, as close to textual order as that allows; or a
/// cycle.
fn order(uses: &[Vec<u32>]) -> Result<Vec<u32>, Vec<u32>> {
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); uses.len()];
    let mut missing: Vec<usize> = vec![0; uses.len()];
    let mut ready = BinaryHeap::new();
    for (user, used) in uses.iter().enumerate() {
        if let Some(count) = missing.get_mut(user) {
            *count = used.len();
        }
        if used.is_empty() {
            ready.push(Reverse(user as u32));
        }
        for &used in used {
            if let Some(users) = users.get_mut(used as usize) {
                users.push(user as u32);
            }
        }
    }
    let mut order = Vec::with_capacity(uses.len());
    while let Some(Reverse(next)) = ready.pop() {
        order.push(next);
        for &user in users.get(next as usize).into_iter().flatten() {
            if let Some(count) = missing.get_mut(user as usize) {
                *count -= 1;
                if *count == 0 {
                    ready.push(Reverse(user));
                }
            }
        }
    }
    if order.len() == uses.len() {
        return Ok(order);
    }
    // Every assignment left over uses another one left over: walking along such uses must come back.
    let mut place: Vec<Option<usize>> = vec![None; uses.len()];
    let mut path: Vec<u32> = Vec::new();
    let left = |assignment: u32| missing.get(assignment as usize).is_some_and(|&count| count > 0);
    let mut at = (0..uses.len() as u32).find(|&assignment| left(assignment));
    while let Some(assignment) = at {
        let Some(seen) = place.get_mut(assignment as usize) else { break };
        if let Some(start) = *seen {
            path.drain(..start);
            path.sort_unstable();
            return Err(path);
        }
        *seen = Some(path.len());
        path.push(assignment);
        at = uses.get(assignment as usize).into_iter().flatten().copied().find(|&used| left(used));
    }
    Err(path)
}

/// Visits the assignments in textual order.
pub(super) fn for_each_assignment(steps: &mut [Step], visit: &mut dyn FnMut(&mut Assignment)) {
    for step in steps {
        match step {
            Step::Assign(assignment) => visit(assignment),
            Step::Loop(one) => {
                for iteration in &mut one.iterations {
                    for_each_assignment(iteration, visit);
                }
            }
        }
    }
}

/// Visits every expression within `expression`, itself included.
pub(super) fn for_each_expression(expression: &mut Expression, visit: &mut dyn FnMut(&mut ExpressionKind)) {
    // An explicit stack: chains of operators are as long as the author likes.
    let mut stack = vec![expression];
    while let Some(expression) = stack.pop() {
        visit(&mut expression.kind);
        match &mut expression.kind {
            ExpressionKind::Atoms(_) | ExpressionKind::Constants(_) => {}
            ExpressionKind::Tuple(parts) => stack.extend(parts.iter_mut()),
            ExpressionKind::Not(one)
            | ExpressionKind::Shift { value: one, .. }
            | ExpressionKind::Gather { value: one, .. }
            | ExpressionKind::Shuffle { value: one, .. }
            | ExpressionKind::Bitmask { value: one, .. }
            | ExpressionKind::Regroup { value: one, .. }
            | ExpressionKind::Call { arguments: one, .. }
            | ExpressionKind::Refresh(one) => stack.push(one),
            ExpressionKind::Logic(_, left, right)
            | ExpressionKind::Arithmetic { left, right, .. }
            | ExpressionKind::Pack { high: left, low: right }
            | ExpressionKind::Accept { left, right } => {
                stack.push(left);
                stack.push(right);
            }
        }
    }
}

fn for_each_use(expression: &mut Expression, visit: &mut dyn FnMut(&mut Use)) {
    for_each_expression(expression, &mut |kind| {
        if let ExpressionKind::Atoms(uses) = kind {
            uses.iter_mut().for_each(&mut *visit);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn textual_order_is_kept_where_it_can_be() {
        assert_eq!(order(&[vec![], vec![0], vec![]]), Ok(vec![0, 1, 2]));
        assert_eq!(order(&[vec![2], vec![], vec![1]]), Ok(vec![1, 2, 0]));
    }

    #[test]
    fn a_cycle_is_named_without_what_leads_to_it() {
        assert_eq!(order(&[vec![1], vec![2], vec![1]]), Err(vec![1, 2]));
    }
}
