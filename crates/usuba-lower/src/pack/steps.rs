//! Assignments and loops of a grouped instance.

use super::{Finding, Packer, Place, rounds, slot, used};
use crate::messages;
use crate::sliced::{
    Assignment, AssignmentId, Body, Definition, Direction, Equations, Expression, ExpressionKind, Instance,
    InstanceId, Loop, Slot, Step, Use, Variable, VariableId,
};
use std::collections::HashMap;
use usuba_lang::source::Span;
use usuba_lang::typed;

/// What a variable of the source has become.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// Groups of a variable, from its word `.1` on.
    Groups(VariableId, u32),
    /// A group per word: a variable of the body of a loop whose iterations are done at once.
    Wide(VariableId),
}

/// A group that is defined: lane i of the value is its word `words[i]`.
struct Target {
    slot: Slot,
    words: Vec<u32>,
}

/// The state of packing one grouped instance.
pub(super) struct Grouping<'a, 'p> {
    pub packer: &'a mut Packer<'p>,
    instance: &'p typed::Instance,
    roles: Vec<Option<Role>>,
    variables: Vec<Variable>,
    /// Where the words of each definition are.
    places: HashMap<(Definition, Slot), Place>,
    /// The keys of `places` in order of insertion, so that a failed attempt can be undone.
    history: Vec<(Definition, Slot)>,
    /// Assignments of variables that the next one uses.
    pending: Vec<Step>,
    next: u32,
}

/// What can be undone.
struct Mark {
    history: usize,
    next: u32,
    variables: usize,
    roles: Vec<Option<Role>>,
}

/// The grouped form of an instance.
pub(super) fn grouped<'p>(
    packer: &mut Packer<'p>,
    instance: &'p typed::Instance,
    id: InstanceId,
) -> Result<Instance, Finding> {
    let words = packer.words;
    let equations = match &instance.body {
        typed::Body::Equations(equations) => equations,
        typed::Body::Table(_) => return Err(messages::packed_table(instance.span, &instance.name, words)),
        typed::Body::Permutation { .. } => {
            return Err(messages::packed_permutation(instance.span, &instance.name, words));
        }
    };
    let mut grouping = Grouping {
        packer,
        instance,
        roles: vec![None; instance.variables.len()],
        variables: Vec::new(),
        places: HashMap::new(),
        history: Vec::new(),
        pending: Vec::new(),
        next: 0,
    };
    let inputs = grouping.parameters(&instance.inputs, "inputs")?;
    for &input in &instance.inputs {
        for atom in 0..instance.variable(input).atoms() {
            let slot = slot(input, atom);
            if let Some((group, word)) = grouping.group_of(slot) {
                let place = Place { group: used(group, Definition::Input), word };
                grouping.put((Definition::Input, slot), place);
            }
        }
    }
    let outputs = grouping.parameters(&instance.outputs, "outputs")?;
    let rounds = Some(words).filter(|&words| words == 16 && grouping.packer.has_rounds);
    if let Some(rounds) = rounds.and_then(|_| rounds::of(grouping.packer.program, id))
        && let (&[block, keys], &[result]) = (inputs.as_slice(), outputs.as_slice())
        && let Some(value) = rounds::expression(&rounds, block, keys, instance.span)
    {
        let id = AssignmentId(0);
        let assignment = Assignment { id, span: instance.span, targets: vec![slot(result, 0)], value };
        let steps = vec![Step::Assign(assignment)];
        let results = vec![vec![Definition::Assigned(id, 0)]];
        let body = Body::Equations(Equations { steps, count: 1, order: None, results });
        let variables = grouping.variables;
        return Ok(Instance { variables, inputs, outputs, ..Instance::with(instance, body) });
    }
    let mut steps = match &equations.order {
        None => grouping.steps(&equations.steps)?,
        Some(order) => {
            let mut assignments = assignments_of(&equations.steps);
            assignments.sort_by_key(|assignment| assignment.id);
            let ordered: Vec<&typed::Assignment> =
                order.iter().map(|id| assignments[id.0 as usize]).collect();
            grouping.assignments(&ordered)?
        }
    };
    let results = grouping.results(equations, &outputs, &mut steps)?;
    let equations = Equations { steps, count: grouping.next, order: None, results };
    let variables = grouping.variables;
    let body = Body::Equations(equations);
    Ok(Instance { variables, inputs, outputs, ..Instance::with(instance, body) })
}

/// The assignments of some steps in textual order.
fn assignments_of(steps: &[typed::Step]) -> Vec<&typed::Assignment> {
    let mut all = Vec::new();
    for step in steps {
        match step {
            typed::Step::Assign(assignment) => all.push(assignment),
            typed::Step::Loop(looped) => {
                all.extend(looped.iterations.iter().flat_map(|body| assignments_of(body)));
            }
        }
    }
    all
}

/// A loop with other iterations.
fn like(looped: &typed::Loop, iterations: Vec<Vec<Step>>) -> Step {
    Step::Loop(Loop { span: looped.span, unroll: looped.unroll, iterations })
}

impl<'p> Grouping<'_, 'p> {
    /// Groups for parameters, in order. Parameters that are no whole groups share one with their neighbours.
    fn parameters(&mut self, ids: &[VariableId], what: &str) -> Result<Vec<VariableId>, Finding> {
        let words = self.packer.words;
        let mut made = Vec::new();
        let mut open: Vec<VariableId> = Vec::new();
        let mut count = 0;
        for &id in ids {
            open.push(id);
            count += self.instance.variable(id).atoms();
            if count % words == 0 {
                let members = std::mem::take(&mut open);
                made.push(self.share(&members, count / words));
                count = 0;
            }
        }
        match open.first() {
            None => Ok(made),
            Some(&first) => {
                let first = self.instance.variable(first);
                Err(messages::packed_parameters(first.span, &self.instance.name, what, count, words))
            }
        }
    }

    /// A variable of `groups` groups that these variables are the words of.
    fn share(&mut self, members: &[VariableId], groups: u32) -> VariableId {
        let id = VariableId(self.variables.len() as u32);
        let mut first = 0;
        for &member in members {
            if self.roles[member.0 as usize].is_none() {
                self.roles[member.0 as usize] = Some(Role::Groups(id, first));
            }
            first += self.instance.variable(member).atoms();
        }
        let all: Vec<&Variable> = members.iter().map(|&member| self.instance.variable(member)).collect();
        let names: Vec<&str> = all.iter().map(|variable| variable.name.as_str()).collect();
        self.variables.push(Variable {
            name: names.join("_"),
            shape: match all[..] {
                [variable] => self.shape(&variable.shape, groups),
                _ if groups == 1 => Vec::new(),
                _ => vec![groups],
            },
            width: self.packer.group(),
            constant: all.iter().all(|variable| variable.constant),
            ..all[0].clone()
        });
        id
    }

    /// The dimensions of a variable in groups.
    fn shape(&self, shape: &[u32], groups: u32) -> Vec<u32> {
        let words = self.packer.words;
        match shape.split_last() {
            Some((last, outer)) if *last == words => outer.to_vec(),
            Some((last, outer)) if last % words == 0 => {
                let mut shape = outer.to_vec();
                shape.push(last / words);
                shape
            }
            _ if groups == 1 => Vec::new(),
            _ => vec![groups],
        }
    }

    /// The group and the word in it that a word of a grouped variable is.
    fn group_of(&mut self, word: Slot) -> Option<(Slot, u32)> {
        let words = self.packer.words;
        let index = word.variable.0 as usize;
        if self.roles[index].is_none() {
            let atoms = self.instance.variable(word.variable).atoms();
            if !atoms.is_multiple_of(words) {
                return None;
            }
            self.share(&[word.variable], atoms / words);
        }
        match self.roles[index]? {
            Role::Groups(variable, first) => {
                let word = first + word.atom;
                Some((slot(variable, word / words), word % words))
            }
            Role::Wide(_) => None,
        }
    }

    /// The group that a word of the body of a loop becomes.
    fn wide(&mut self, word: Slot) -> Option<Slot> {
        let index = word.variable.0 as usize;
        if self.roles[index].is_none() {
            let id = VariableId(self.variables.len() as u32);
            self.variables.push(self.packer.variable(self.instance.variable(word.variable)));
            self.roles[index] = Some(Role::Wide(id));
        }
        match self.roles[index]? {
            Role::Wide(variable) => Some(slot(variable, word.atom)),
            Role::Groups(..) => None,
        }
    }

    /// Where a word that is used is.
    pub(super) fn place(&self, of: &Use, span: Span) -> Result<Place, Finding> {
        let known = self.places.get(&(of.definition, of.slot));
        known.copied().ok_or_else(|| messages::packed_scattered(span, self.packer.words as usize))
    }

    fn put(&mut self, key: (Definition, Slot), place: Place) {
        self.places.insert(key, place);
        self.history.push(key);
    }

    fn mark(&self) -> Mark {
        Mark {
            history: self.history.len(),
            next: self.next,
            variables: self.variables.len(),
            roles: self.roles.clone(),
        }
    }

    fn undo(&mut self, mark: Mark) {
        for key in self.history.drain(mark.history..) {
            self.places.remove(&key);
        }
        self.pending.clear();
        self.next = mark.next;
        self.variables.truncate(mark.variables);
        self.roles = mark.roles;
    }

    /// Steps in textual order.
    fn steps(&mut self, steps: &'p [typed::Step]) -> Result<Vec<Step>, Finding> {
        let mut packed = Vec::new();
        let mut assignments: Vec<&'p typed::Assignment> = Vec::new();
        for step in steps {
            match step {
                typed::Step::Assign(assignment) => assignments.push(assignment),
                typed::Step::Loop(looped) => {
                    packed.extend(self.assignments(&std::mem::take(&mut assignments))?);
                    packed.extend(self.looped(looped)?);
                }
            }
        }
        packed.extend(self.assignments(&assignments)?);
        Ok(packed)
    }

    /// A loop: each iteration acts on whole groups, or as many as a group has words are done at once.
    fn looped(&mut self, looped: &'p typed::Loop) -> Result<Vec<Step>, Finding> {
        let mark = self.mark();
        let each: Result<Vec<Vec<Step>>, Finding> =
            looped.iterations.iter().map(|body| self.steps(body)).collect();
        let words = self.packer.words as usize;
        let finding = match each {
            Ok(iterations) => return Ok(vec![like(looped, iterations)]),
            Err(finding) => finding,
        };
        self.undo(mark);
        if !looped.iterations.len().is_multiple_of(words) {
            return Err(finding);
        }
        let mut iterations = Vec::new();
        for bodies in looped.iterations.chunks(words) {
            let bodies: Vec<&[typed::Step]> = bodies.iter().map(Vec::as_slice).collect();
            iterations.push(self.steps_across(&bodies)?);
        }
        if iterations.len() == 1 {
            return Ok(iterations.into_iter().flatten().collect());
        }
        Ok(vec![like(looped, iterations)])
    }

    /// Step lists that differ only in the word of a group they act on.
    fn steps_across(&mut self, bodies: &[&'p [typed::Step]]) -> Result<Vec<Step>, Finding> {
        let mut packed = Vec::new();
        for number in 0..bodies[0].len() {
            let steps: Option<Vec<&typed::Step>> = bodies.iter().map(|body| body.get(number)).collect();
            let steps = steps.unwrap_or_default();
            let assignments: Option<Vec<&typed::Assignment>> = steps
                .iter()
                .map(|step| match step {
                    typed::Step::Assign(assignment) => Some(assignment),
                    typed::Step::Loop(_) => None,
                })
                .collect();
            if let Some(assignments) = assignments.filter(|all| !all.is_empty()) {
                packed.extend(self.assign_across(&assignments)?);
                continue;
            }
            let loops: Vec<&typed::Loop> = steps
                .iter()
                .filter_map(|step| match step {
                    typed::Step::Loop(looped) => Some(looped),
                    typed::Step::Assign(_) => None,
                })
                .collect();
            let Some((&first, others)) = loops.split_first() else { continue };
            let count = first.iterations.len();
            if loops.len() != bodies.len() || others.iter().any(|other| other.iterations.len() != count) {
                return Err(messages::packed_unlike(
                    first.span,
                    others.iter().map(|other| other.span),
                    bodies.len(),
                ));
            }
            let iterations = (0..count)
                .map(|i| {
                    let bodies: Vec<&[typed::Step]> =
                        loops.iter().map(|looped| looped.iterations[i].as_slice()).collect();
                    self.steps_across(&bodies)
                })
                .collect::<Result<_, _>>()?;
            packed.push(like(first, iterations));
        }
        Ok(packed)
    }

    /// Assignments in a row: each defines whole groups, or as many as a group has words are done at once.
    fn assignments(&mut self, all: &[&'p typed::Assignment]) -> Result<Vec<Step>, Finding> {
        let mut packed = Vec::new();
        let mut rest = all;
        while let Some((first, others)) = rest.split_first() {
            let mark = self.mark();
            let finding = match self.assign(first) {
                Ok(steps) => {
                    packed.extend(steps);
                    rest = others;
                    continue;
                }
                Err(finding) => finding,
            };
            self.undo(mark);
            let Some((bundle, others)) = rest.split_at_checked(self.packer.words as usize) else {
                return Err(finding);
            };
            let mark = self.mark();
            match self.assign_across(bundle) {
                Ok(steps) => packed.extend(steps),
                Err(other) => {
                    self.undo(mark);
                    // Whoever writes whole groups wants to hear of groups.
                    let whole = self.whole_groups(first).is_ok();
                    return Err(if whole { finding } else { other });
                }
            }
            rest = others;
        }
        Ok(packed)
    }

    /// The groups that an assignment of whole groups defines.
    fn whole_groups(&mut self, assignment: &typed::Assignment) -> Result<Vec<Target>, Finding> {
        let words = self.packer.words as usize;
        let refused = messages::packed_targets(assignment.span, self.packer.words);
        if !assignment.targets.len().is_multiple_of(words) {
            return Err(refused);
        }
        assignment
            .targets
            .chunks(words)
            .map(|targets| self.one_group(targets).ok_or_else(|| refused.clone()))
            .collect()
    }

    /// The group that these words are, in any order.
    fn one_group(&mut self, targets: &[Slot]) -> Option<Target> {
        let places: Vec<(Slot, u32)> =
            targets.iter().map(|&target| self.group_of(target)).collect::<Option<_>>()?;
        let slot = places[0].0;
        let words: Vec<u32> = places.iter().map(|place| place.1).collect();
        let mut sorted = words.clone();
        sorted.sort_unstable();
        let whole =
            places.iter().all(|place| place.0 == slot) && sorted.iter().copied().eq(0..self.packer.words);
        whole.then_some(Target { slot, words })
    }

    /// An assignment of whole groups.
    fn assign(&mut self, assignment: &'p typed::Assignment) -> Result<Vec<Step>, Finding> {
        let targets = self.whole_groups(assignment)?;
        let value = self.groups(&assignment.value)?;
        let (steps, definitions) = self.define(targets, value, assignment.span);
        let words = self.packer.words as usize;
        for (c, &target) in assignment.targets.iter().enumerate() {
            let (group, lanes) = &definitions[c / words];
            let place = Place { group: *group, word: lanes[c % words] };
            self.put((Definition::Assigned(assignment.id, c as u32), target), place);
        }
        Ok(steps)
    }

    /// Assignments that differ only in the word of a group they act on.
    fn assign_across(&mut self, bundle: &[&'p typed::Assignment]) -> Result<Vec<Step>, Finding> {
        let first = bundle[0];
        let refused = || messages::packed_targets(first.span, self.packer.words);
        if bundle.iter().any(|other| other.targets.len() != first.targets.len()) {
            return Err(refused());
        }
        let values: Vec<&typed::Expression> = bundle.iter().map(|assignment| &assignment.value).collect();
        let value = self.across(&values)?;
        let mut targets = Vec::new();
        for c in 0..first.targets.len() {
            let slots: Vec<Slot> = bundle.iter().map(|assignment| assignment.targets[c]).collect();
            let lanes = 0..self.packer.words;
            let found = if slots.iter().all(|slot| *slot == slots[0]) {
                self.wide(slots[0]).map(|slot| Target { slot, words: lanes.collect() })
            } else {
                self.one_group(&slots)
            };
            targets.push(found.ok_or_else(|| messages::packed_targets(first.span, self.packer.words))?);
        }
        let (steps, definitions) = self.define(targets, value, first.span);
        for (lane, assignment) in bundle.iter().enumerate() {
            for (c, &target) in assignment.targets.iter().enumerate() {
                let (group, lanes) = &definitions[c];
                let place = Place { group: *group, word: lanes[lane] };
                self.put((Definition::Assigned(assignment.id, c as u32), target), place);
            }
        }
        Ok(steps)
    }

    /// Assigns the groups of `value`, each word to its place: the steps, and for each group its definition and the word
    /// that each lane has become.
    fn define(
        &mut self,
        targets: Vec<Target>,
        value: Expression,
        span: Span,
    ) -> (Vec<Step>, Vec<(Use, Vec<u32>)>) {
        let still = |words: &[u32]| words.iter().copied().eq(0..words.len() as u32);
        let slots: Vec<Slot> = targets.iter().map(|target| target.slot).collect();
        if targets.iter().all(|target| still(&target.words)) {
            let (step, id) = self.assignment(slots, value, span);
            let definitions = targets
                .into_iter()
                .zip(0..)
                .map(|(target, c)| (used(target.slot, Definition::Assigned(id, c)), target.words))
                .collect();
            return (self.after_pending([step]), definitions);
        }
        // First as the lanes are, then every group in its order.
        let lanes: Vec<Slot> = targets
            .iter()
            .map(|target| {
                let id = VariableId(self.variables.len() as u32);
                let like = self.variables[target.slot.variable.0 as usize].clone();
                self.variables.push(Variable { shape: Vec::new(), constant: false, ..like });
                slot(id, 0)
            })
            .collect();
        let (first, id) = self.assignment(lanes.clone(), value, span);
        let parts = targets
            .iter()
            .zip(&lanes)
            .zip(0..)
            .map(|((target, &lane), c)| {
                let group = used(lane, Definition::Assigned(id, c));
                let value = Expression { kind: ExpressionKind::Atoms(vec![group]), span };
                let mut sources = vec![None; target.words.len()];
                for (lane, &word) in target.words.iter().enumerate() {
                    sources[word as usize] = Some(lane as u32);
                }
                self.moved(value, &sources)
            })
            .collect();
        let value = Expression { kind: ExpressionKind::Tuple(parts), span };
        let (second, id) = self.assignment(slots, value, span);
        let definitions = targets
            .into_iter()
            .zip(0..)
            .map(|(target, c)| (used(target.slot, Definition::Assigned(id, c)), target.words))
            .collect();
        (self.after_pending([first, second]), definitions)
    }

    /// The assignments that others wait for, and those.
    fn after_pending(&mut self, steps: impl IntoIterator<Item = Step>) -> Vec<Step> {
        let mut all = std::mem::take(&mut self.pending);
        all.extend(steps);
        all
    }

    /// A variable for each of the groups of `value`, which is computed before the next assignment.
    pub(super) fn named(&mut self, value: Expression, groups: u32) -> Vec<Use> {
        let id = VariableId(self.variables.len() as u32);
        self.variables.push(Variable {
            name: "moved".into(),
            span: value.span,
            shape: vec![groups],
            width: self.packer.group(),
            word: self.packer.width,
            direction: Direction::Free,
            constant: false,
            uniform: false,
        });
        let slots: Vec<Slot> = (0..groups).map(|group| slot(id, group)).collect();
        let span = value.span;
        let (step, id) = self.assignment(slots.clone(), value, span);
        self.pending.push(step);
        slots.into_iter().zip(0..).map(|(slot, c)| used(slot, Definition::Assigned(id, c))).collect()
    }

    fn assignment(&mut self, targets: Vec<Slot>, value: Expression, span: Span) -> (Step, AssignmentId) {
        let id = AssignmentId(self.next);
        self.next += 1;
        (Step::Assign(Assignment { id, span, targets, value }), id)
    }

    /// The definitions of the groups of the outputs; steps that bring words into their places.
    fn results(
        &mut self,
        equations: &'p typed::Equations,
        outputs: &[VariableId],
        steps: &mut Vec<Step>,
    ) -> Result<Vec<Vec<Definition>>, Finding> {
        let words = self.packer.words as usize;
        let mut all = Vec::new();
        for (&output, definitions) in self.instance.outputs.iter().zip(&equations.results) {
            for (&definition, atom) in definitions.iter().zip(0..) {
                all.push(used(slot(output, atom), definition));
            }
        }
        let mut groups = all.chunks(words);
        let mut results = Vec::new();
        for &output in outputs {
            let variable = self.variables[output.0 as usize].clone();
            let mut definitions = Vec::new();
            for atom in 0..variable.atoms() {
                let of = groups.next().unwrap_or_default();
                let places =
                    of.iter().map(|of| self.place(of, variable.span)).collect::<Result<Vec<_>, _>>()?;
                let target = slot(output, atom);
                let group = places[0].group;
                if places.iter().any(|place| place.group != group) {
                    return Err(messages::packed_scattered(variable.span, words));
                }
                let sources: Vec<Option<u32>> = places.iter().map(|place| Some(place.word)).collect();
                let still = sources.iter().zip(0..).all(|(source, word)| *source == Some(word));
                if still && group.slot == target {
                    definitions.push(group.definition);
                    continue;
                }
                let span = variable.span;
                let value = Expression { kind: ExpressionKind::Atoms(vec![group]), span };
                let value = self.moved(value, &sources);
                let (step, id) = self.assignment(vec![target], value, span);
                steps.push(step);
                definitions.push(Definition::Assigned(id, 0));
            }
            results.push(definitions);
        }
        Ok(results)
    }
}
