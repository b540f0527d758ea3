//! Which loops have one shape, and what their iterations hand on.
//!
//! The sliced program spells every loop out and says for every use which definition it denotes. A loop can be kept if its
//! iterations, taken `period` at a time (a *group*), differ in nothing but the atoms they name, and those follow a
//! pattern. Each place of use (a *site*: assignment k of the group, use q in it) then falls into one class:
//!
//! - [`Site::Local`]: defined in the same group, always by the same assignment: an ordinary value of the body;
//! - [`Site::Carried`]: defined in the group before, always by the same assignment: a value that the loop carries;
//! - [`Site::Outer`]: always defined before the loop: an invariant, or an element of an array at an affine index;
//! - [`Site::Stored`]: anything else: the variable itself becomes an array that the loop carries, every definition in
//!   the loop replaces an element, and the site reads one. That is the textual meaning of assignment (D18, rules 1 and
//!   2) and always right; the other classes are what makes `state[i+1] = f(state[i])` carry one state instead of all.

use crate::sliced::{
    Assignment, AssignmentId, Definition, Equations, Expression, ExpressionKind, Loop, Step, Use, VariableId,
    flatten,
};
use std::collections::{BTreeMap, BTreeSet};

/// The class of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Site {
    /// Defined in the same group.
    Local,
    /// Defined before the loop.
    Outer,
    /// Target `.1` of assignment `.0` of the group before; of something before the loop in the first group.
    Carried(u32, u32),
    /// Read from the carried array of its variable.
    Stored,
}

/// A loop that can be kept, and how.
pub(crate) struct Plan<'a> {
    /// Source iterations per iteration of the kept loop.
    pub period: usize,
    /// Iterations of the kept loop, at least 2.
    pub trips: usize,
    /// The assignments of each group in textual order; nested loops unrolled.
    pub groups: Vec<Vec<&'a Assignment>>,
    /// Number of the first assignment of the loop; those of group t are `first + t * size ..`.
    pub first: u32,
    /// Assignments per group.
    pub size: u32,
    /// `sites[k][q]`.
    pub sites: Vec<Vec<Site>>,
    /// Variables carried as arrays.
    pub stored: BTreeSet<VariableId>,
}

impl Plan<'_> {
    /// Number of assignment `k` of group `t`.
    pub fn number(&self, t: usize, k: usize) -> AssignmentId {
        AssignmentId(self.first + t as u32 * self.size + k as u32)
    }

    /// One past the last assignment of the groups.
    pub fn end(&self) -> u32 {
        self.first + self.trips as u32 * self.size
    }

    /// By how much the atom named by use `q` of assignment `k` moves from group to group, if steadily.
    pub fn use_slope(&self, uses: &UseLists, k: usize, q: usize) -> Option<i64> {
        slope((0..self.trips).map(|t| i64::from(uses.of(self.number(t, k))[q].slot.atom)))
    }

    /// The same for target `c` of assignment `k`.
    pub fn target_slope(&self, k: usize, c: usize) -> Option<i64> {
        slope((0..self.trips).map(|t| i64::from(self.groups[t][k].targets[c].atom)))
    }
}

/// The common difference of an arithmetic progression.
pub(crate) fn slope(mut values: impl Iterator<Item = i64>) -> Option<i64> {
    let first = values.next()?;
    let Some(second) = values.next() else { return Some(0) };
    let difference = second - first;
    let mut expected = second;
    for value in values {
        expected += difference;
        if value != expected {
            return None;
        }
    }
    Some(difference)
}

/// The uses of every assignment, in the order in which the expression names them.
pub(crate) struct UseLists {
    lists: Vec<Vec<Use>>,
}

impl UseLists {
    pub fn new(equations: &Equations) -> UseLists {
        let mut lists = vec![Vec::new(); equations.count as usize];
        for assignment in flatten(&equations.steps) {
            collect_uses(&assignment.value, &mut lists[assignment.id.0 as usize]);
        }
        UseLists { lists }
    }

    pub fn of(&self, assignment: AssignmentId) -> &[Use] {
        &self.lists[assignment.0 as usize]
    }
}

/// For every definition that is used: the number of the last assignment that uses it, `u32::MAX` for a result.
pub(crate) struct LastUses {
    last: BTreeMap<Definition, u32>,
}

impl LastUses {
    pub fn new(equations: &Equations, uses: &UseLists) -> LastUses {
        let mut last = BTreeMap::new();
        for (assignment, list) in uses.lists.iter().enumerate() {
            for used in list {
                last.insert(used.definition, assignment as u32);
            }
        }
        for definition in equations.results.iter().flatten() {
            last.insert(*definition, u32::MAX);
        }
        LastUses { last }
    }

    /// Keeps a definition alive to the end.
    pub fn keep(&mut self, definition: Definition) {
        self.last.insert(definition, u32::MAX);
    }

    /// Whether a definition is used by an assignment numbered `end` or more, or is a result.
    pub fn reaches(&self, definition: Definition, end: u32) -> bool {
        self.last.get(&definition).is_some_and(|&last| last >= end)
    }
}

/// The uses in an expression, left to right.
fn collect_uses(expression: &Expression, uses: &mut Vec<Use>) {
    if let ExpressionKind::Atoms(atoms) = &expression.kind {
        uses.extend_from_slice(atoms);
    }
    expression.operands().into_iter().for_each(|operand| collect_uses(operand, uses));
}

/// Finds the smallest period with which a loop can be kept.
///
/// `outer_stored`: variables that an enclosing scope holds as an array; the loop must carry those that it defines.
/// `motion`: by how much the atoms at a [`Place`] move in each enclosing kept loop, if they move alike.
/// `textual`: whether an enclosing kept loop reads this use from a carried array; then so must this one, if it defines the
/// variable.
pub(crate) fn plan<'a>(
    looped: &'a Loop,
    uses: &UseLists,
    last_uses: &LastUses,
    outer_stored: &BTreeSet<VariableId>,
    motion: &dyn Fn(Place) -> Option<Vec<i64>>,
    textual: &dyn Fn(AssignmentId, u32) -> bool,
) -> Option<Plan<'a>> {
    let count = looped.iterations.len();
    (1..=count / 2).find_map(|period| {
        let trips = count / period;
        let alike = (period..trips * period)
            .all(|i| same_steps(&looped.iterations[i - period], &looped.iterations[i], &mut |_, _| false));
        if !alike {
            return None;
        }
        let groups: Vec<Vec<&Assignment>> = (0..trips)
            .map(|t| {
                looped.iterations[t * period..(t + 1) * period]
                    .iter()
                    .flat_map(|body| flatten(body))
                    .collect()
            })
            .collect();
        let first = groups[0].first()?.id.0;
        let size = groups[0].len() as u32;
        let mut plan =
            Plan { period, trips, groups, first, size, sites: Vec::new(), stored: BTreeSet::new() };
        plan.sites = classify(&plan, uses);
        for k in 0..plan.size as usize {
            for q in 0..plan.sites[k].len() {
                if (0..plan.trips).any(|t| textual(plan.number(t, k), q as u32)) {
                    let variable = uses.of(plan.number(0, k))[q].slot.variable;
                    if plan.groups.iter().flatten().any(|a| a.targets.iter().any(|t| t.variable == variable))
                    {
                        plan.sites[k][q] = Site::Stored;
                    }
                }
            }
        }
        plan.stored = stored(&plan, uses, last_uses, outer_stored);
        is_affine(&plan, uses, outer_stored, motion).then_some(plan)
    })
}

/// A place whose atom must move alike in every enclosing kept loop for all groups of an inner one.
pub(crate) enum Place {
    /// Use `q` of these assignments.
    Use(Vec<AssignmentId>, u32),
    /// Target `c` of these assignments.
    Target(Vec<AssignmentId>, u32),
}

fn classify(plan: &Plan, uses: &UseLists) -> Vec<Vec<Site>> {
    let group_of = |definition: Definition| match definition {
        Definition::Assigned(id, c) if id.0 >= plan.first && id.0 < plan.end() => {
            let offset = id.0 - plan.first;
            Some((offset / plan.size, offset % plan.size, c))
        }
        _ => None,
    };
    (0..plan.size as usize)
        .map(|k| {
            (0..uses.of(plan.number(0, k)).len())
                .map(|q| {
                    let at: Vec<_> =
                        (0..plan.trips).map(|t| group_of(uses.of(plan.number(t, k))[q].definition)).collect();
                    let steady_from = |from: usize, distance: usize| {
                        let (_, k, c) = at[from]?;
                        (from..plan.trips)
                            .all(|t| t >= distance && at[t] == Some(((t - distance) as u32, k, c)))
                            .then_some((k, c))
                    };
                    if at.iter().all(Option::is_none) {
                        Site::Outer
                    } else if steady_from(0, 0).is_some() {
                        Site::Local
                    } else if let (None, Some((k, c))) = (at[0], steady_from(1, 1)) {
                        Site::Carried(k, c)
                    } else {
                        Site::Stored
                    }
                })
                .collect()
        })
        .collect()
}

fn stored(
    plan: &Plan,
    uses: &UseLists,
    last_uses: &LastUses,
    outer_stored: &BTreeSet<VariableId>,
) -> BTreeSet<VariableId> {
    let mut stored = BTreeSet::new();
    for (k, sites) in plan.sites.iter().enumerate() {
        for (q, site) in sites.iter().enumerate() {
            if *site == Site::Stored {
                stored.insert(uses.of(plan.number(0, k))[q].slot.variable);
            }
        }
    }
    for (t, group) in plan.groups.iter().enumerate() {
        for assignment in group {
            for (c, target) in assignment.targets.iter().enumerate() {
                let outlives = t + 1 < plan.trips
                    && last_uses.reaches(Definition::Assigned(assignment.id, c as u32), plan.end());
                if outlives || outer_stored.contains(&target.variable) {
                    stored.insert(target.variable);
                }
            }
        }
    }
    stored
}

/// Whether every access to a carried array is at an affine index.
fn is_affine(
    plan: &Plan,
    uses: &UseLists,
    outer_stored: &BTreeSet<VariableId>,
    motion: &dyn Fn(Place) -> Option<Vec<i64>>,
) -> bool {
    // An array that lives in an enclosing kept loop only for one of its iterations is indexed as in the first; the
    // iterations are alike if all its places move by the same amount.
    let mut common: BTreeMap<VariableId, Vec<i64>> = BTreeMap::new();
    let mut steady = |variable: VariableId, place: Place| match motion(place) {
        None => false,
        Some(by) => {
            outer_stored.contains(&variable) || *common.entry(variable).or_insert_with(|| by.clone()) == by
        }
    };
    for k in 0..plan.size as usize {
        let numbers = || (0..plan.trips).map(|t| plan.number(t, k)).collect();
        for (q, site) in plan.sites[k].iter().enumerate() {
            let variable = uses.of(plan.number(0, k))[q].slot.variable;
            let one_variable =
                (0..plan.trips).all(|t| uses.of(plan.number(t, k))[q].slot.variable == variable);
            if *site == Site::Stored
                && (!one_variable
                    || plan.use_slope(uses, k, q).is_none()
                    || !steady(variable, Place::Use(numbers(), q as u32)))
            {
                return false;
            }
        }
        for (c, target) in plan.groups[0][k].targets.iter().enumerate() {
            let one_variable =
                plan.groups.iter().all(|group| group[k].targets[c].variable == target.variable);
            let involved =
                plan.groups.iter().any(|group| plan.stored.contains(&group[k].targets[c].variable));
            if involved
                && (!one_variable
                    || plan.target_slope(k, c).is_none()
                    || !steady(target.variable, Place::Target(numbers(), c as u32)))
            {
                return false;
            }
        }
    }
    true
}

/// Whether two step lists differ in nothing but the atoms they name, and those constants that `constants` calls alike; it is
/// asked of two expressions that have others.
pub(crate) fn same_steps(
    a: &[Step],
    b: &[Step],
    constants: &mut dyn FnMut(&Expression, &Expression) -> bool,
) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| match (a, b) {
            (Step::Assign(a), Step::Assign(b)) => {
                a.targets.len() == b.targets.len() && same_shape(&a.value, &b.value, constants)
            }
            (Step::Loop(a), Step::Loop(b)) => {
                a.unroll == b.unroll
                    && a.iterations.len() == b.iterations.len()
                    && a.iterations.iter().zip(&b.iterations).all(|(a, b)| same_steps(a, b, constants))
            }
            _ => false,
        })
}

fn same_shape(
    a: &Expression,
    b: &Expression,
    constants: &mut dyn FnMut(&Expression, &Expression) -> bool,
) -> bool {
    use ExpressionKind::*;
    let is_alike = match (&a.kind, &b.kind) {
        (Atoms(a), Atoms(b)) => a.len() == b.len(),
        (Constants(one), Constants(other)) => one == other || constants(a, b),
        (Arithmetic { op, width, .. }, Arithmetic { op: other, width: other_width, .. }) => {
            op == other && width == other_width
        }
        (Shift { op, amount, .. }, Shift { op: other, amount: by, .. }) => op == other && amount == by,
        (Gather { sources: s, .. }, Gather { sources: t, .. }) => s == t,
        (Shuffle { pattern: s, .. }, Shuffle { pattern: t, .. }) => s == t,
        (MoveWords { sources: s, .. }, MoveWords { sources: t, .. }) => s == t,
        (Round { round: r, .. }, Round { round: q, .. }) => r == q,
        (Bitmask { bit: s, .. }, Bitmask { bit: t, .. }) => s == t,
        (Call { callee: f, .. }, Call { callee: g, .. }) => f == g,
        (Logic(op, ..), Logic(other, ..)) => op == other,
        (Tuple(_), Tuple(_))
        | (Not(_), Not(_))
        | (Refresh(_), Refresh(_))
        | (InverseMixColumns(_), InverseMixColumns(_))
        | (Pack { .. }, Pack { .. }) => true,
        _ => false,
    };
    let (of_a, of_b) = (a.operands(), b.operands());
    is_alike
        && of_a.len() == of_b.len()
        && of_a.into_iter().zip(of_b).all(|(a, b)| same_shape(a, b, constants))
}
