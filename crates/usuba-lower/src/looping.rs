//! Keeping a loop: the carried values, the arrays, the body once.

use crate::Loops;
use crate::node::NodeLowering;
use crate::roll::{Place, Plan, Site, plan, slope};
use crate::sliced::{Assignment, AssignmentId, Definition, Loop, Slot, Unroll, VariableId};
use crate::state::{Atom, Frame, Held, Override, State, UseKey};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use usuba_ir::layout::Layout;
use usuba_ir::program::{Affine, Origin, ValueId};

/// What a gathered atom costs, in operations.
const GATHERED_WEIGHT: u64 = 3;

/// A loop of more operations is kept whatever its arrays cost: as code it would take 24 KB.
const UNROLLED: u64 = 4096;

/// A value that the loop carries.
struct Carried {
    /// Target `.1` of assignment `.0` of the group is its next value.
    next: (u32, u32),
    initial: ValueId,
}

impl<'a, 'p> NodeLowering<'a, 'p> {
    /// Lowers a loop: kept if it has one shape and is worth it, else unrolled.
    pub(crate) fn looped(&mut self, looped: &'p Loop) {
        let plan = if self.lowering.weights.keeps(looped, self.around, self.lowering.options.loops) {
            let outer: BTreeSet<VariableId> = self.held.keys().copied().collect();
            plan(looped, &self.uses, &self.last_uses, &outer, &|place| self.motion(place), &|a, q| {
                self.frames.iter().any(|frame| matches!(frame.overrides.get(&(a, q)), Some(Override::Stored)))
            })
        } else {
            None
        };
        let plan = plan.filter(|plan| {
            self.lowering.options.loops == Loops::Keep || self.is_worth_its_arrays(looped, plan)
        });
        match plan {
            None => looped.iterations.iter().for_each(|body| self.steps(body)),
            Some(plan) => {
                self.keep(looped, &plan);
                looped.iterations[plan.trips * plan.period..].iter().for_each(|body| self.steps(body));
            }
        }
    }

    /// By how much the atoms at a place move in each enclosing kept loop, if they move alike.
    fn motion(&self, place: Place) -> Option<Vec<i64>> {
        self.frames
            .iter()
            .map(|frame| {
                let slopes: Vec<Option<i64>> = match &place {
                    Place::Use(assignments, q) => assignments
                        .iter()
                        .map(|&a| frame.use_slopes.get(&(a, *q)).copied().flatten())
                        .collect(),
                    Place::Target(assignments, c) => assignments
                        .iter()
                        .map(|&a| frame.target_slopes.get(&(a, *c)).copied().flatten())
                        .collect(),
                };
                slopes[0].filter(|_| slopes.iter().all(|slope| *slope == slopes[0]))
            })
            .collect()
    }

    /// The atom that use `q` of an assignment denotes.
    pub(crate) fn resolve(&mut self, assignment: AssignmentId, q: u32) -> Atom {
        let used = self.uses.of(assignment)[q as usize];
        for frame in self.frames.iter().rev() {
            match frame.overrides.get(&(assignment, q)) {
                Some(Override::Atom(atom)) => return atom.clone(),
                Some(Override::Stored) => {
                    let held = self.held[&used.slot.variable];
                    let index =
                        self.index(used.slot.atom, held.depth, |frame| &frame.use_slopes, (assignment, q));
                    return Atom::Element(held.array, index);
                }
                None => {}
            }
        }
        self.resolve_definition(used.definition, used.slot)
    }

    /// The index of target `c` of an assignment in the array that holds its variable since `depth`.
    pub(crate) fn target_index(&self, assignment: &Assignment, c: usize, depth: usize) -> Affine {
        self.index(assignment.targets[c].atom, depth, |frame| &frame.target_slopes, (assignment.id, c as u32))
    }

    fn index(
        &self,
        atom: u32,
        depth: usize,
        slopes: impl Fn(&Frame) -> &HashMap<(AssignmentId, u32), Option<i64>>,
        key: (AssignmentId, u32),
    ) -> Affine {
        let terms = self.frames[depth..]
            .iter()
            .filter_map(|frame| {
                let slope = slopes(frame).get(&key).copied().flatten().unwrap_or(0);
                (slope != 0).then_some((frame.induction, slope))
            })
            .collect();
        Affine { constant: i64::from(atom), terms }
    }

    fn keep(&mut self, looped: &'p Loop, plan: &Plan<'p>) {
        let depth = self.frames.len();
        let (mut carried, carried_sites) = self.carried(plan);
        let exits = self.exits(plan);
        for &(k, c) in &exits {
            if !carried.iter().any(|value: &Carried| value.next == (k, c)) {
                let target = plan.groups[0][k as usize].targets[c as usize];
                let initial = self.builder.constant(self.variable_layout(target.variable), 0);
                carried.push(Carried { next: (k, c), initial });
            }
            // The first group stands for the last: keep its definition alive to the end of the body.
            self.last_uses.keep(Definition::Assigned(plan.number(0, k as usize), c));
        }
        let outer = self.outer_sites(plan);
        let arrays: Vec<(VariableId, Held)> = plan
            .stored
            .iter()
            .map(|&variable| {
                let held = self.held.get(&variable).copied();
                (variable, held.unwrap_or_else(|| Held { array: self.initial_array(plan, variable), depth }))
            })
            .collect();

        let initial = carried
            .iter()
            .map(|value| value.initial)
            .chain(arrays.iter().map(|(_, held)| held.array))
            .collect();
        let origin = Origin { place: self.lowering.places.of(looped.span), name: None };
        self.builder.at(origin.clone());
        let (induction, parameters) = self.builder.begin_loop(plan.trips as u32, initial);
        let names: Vec<String> = self.names_of_carried(plan, &carried, &arrays);
        for (name, &parameter) in names.iter().zip(&parameters) {
            self.builder.name(parameter, name);
        }
        let mut frame = Frame {
            induction,
            overrides: HashMap::new(),
            use_slopes: HashMap::new(),
            target_slopes: HashMap::new(),
        };
        self.fill_slopes(plan, &mut frame);
        for (key, atom) in outer {
            let atom = match atom {
                Varying::Element(array, mut index, slope) => {
                    index.terms.push((induction, slope));
                    Atom::Element(array, index)
                }
            };
            frame.overrides.insert(key, Override::Atom(atom));
        }
        for (key, position) in carried_sites {
            frame.overrides.insert(key, Override::Atom(Atom::Value(parameters[position])));
        }
        for (k, sites) in plan.sites.iter().enumerate() {
            for (q, site) in sites.iter().enumerate() {
                if *site == Site::Stored {
                    frame.overrides.insert((plan.number(0, k), q as u32), Override::Stored);
                }
            }
        }
        let held_outside = self.held.clone();
        for ((variable, held), &array) in arrays.iter().zip(&parameters[carried.len()..]) {
            self.held.insert(*variable, Held { array, ..*held });
        }
        self.frames.push(frame);
        let around = self.around.replace(self.lowering.weights.of_iterations(looped, plan.period));
        self.reads.push(HashMap::new());
        for body in &looped.iterations[..plan.period] {
            self.steps(body);
        }
        let mut results = Vec::new();
        for value in &carried {
            let number = plan.number(0, value.next.0 as usize);
            let target = plan.groups[0][value.next.0 as usize].targets[value.next.1 as usize];
            let atom = self.resolve_definition(Definition::Assigned(number, value.next.1), target);
            results.push(self.force(&atom));
        }
        results.extend(arrays.iter().map(|(variable, _)| self.held[variable].array));
        self.reads.pop();
        self.around = around;
        self.frames.pop();
        self.builder.at(origin);
        let results = self.builder.end_loop(results);

        self.held = held_outside;
        for ((variable, held), &array) in arrays.iter().zip(&results[carried.len()..]) {
            self.held.insert(*variable, Held { array, ..*held });
        }
        self.publish(plan, &carried, &results, &exits);
        if depth > 0 {
            // Inside a kept loop the first group stands for all: a later definition of another group may hit another
            // atom, so what this loop has made must not change any more.
            for (variable, held) in &arrays {
                if held.depth == depth {
                    self.freeze(plan, *variable);
                }
            }
        }
    }

    /// Turns the definitions of the plan's groups into elements of the present array of their variable, and lets go of it.
    fn freeze(&mut self, plan: &Plan, variable: VariableId) {
        let Some(held) = self.held.remove(&variable) else { return };
        for (t, group) in plan.groups.iter().enumerate() {
            for (k, assignment) in group.iter().enumerate() {
                for (c, target) in assignment.targets.iter().enumerate() {
                    let definition = Definition::Assigned(plan.number(t, k), c as u32);
                    if target.variable == variable
                        && let Some(State::Stored(index)) = self.states.get(&definition)
                    {
                        let atom = Atom::Element(held.array, index.clone());
                        self.states.insert(definition, State::Atom(atom));
                    }
                }
            }
        }
    }

    /// The values that sites take from the group before, and which site takes which.
    fn carried(&mut self, plan: &Plan) -> (Vec<Carried>, Vec<(UseKey, usize)>) {
        let mut carried: Vec<Carried> = Vec::new();
        let mut positions: HashMap<((u32, u32), ValueId), usize> = HashMap::new();
        let mut sites = Vec::new();
        for (k, row) in plan.sites.iter().enumerate() {
            for (q, site) in row.iter().enumerate() {
                let Site::Carried(from, c) = *site else { continue };
                let key = (plan.number(0, k), q as u32);
                let atom = self.resolve(key.0, key.1);
                let initial = self.force(&atom);
                let position = *positions.entry(((from, c), initial)).or_insert_with(|| {
                    carried.push(Carried { next: (from, c), initial });
                    carried.len() - 1
                });
                sites.push((key, position));
            }
        }
        (carried, sites)
    }

    /// The names of what a loop carries: a variable, with those indices of its atom that are the same each time.
    fn names_of_carried(
        &self,
        plan: &Plan,
        carried: &[Carried],
        arrays: &[(VariableId, Held)],
    ) -> Vec<String> {
        let atom = |value: &Carried| {
            let (k, c) = value.next;
            let target = |group: usize| plan.groups[group][k as usize].targets[c as usize];
            let (first, second) = (target(0), target(usize::from(plan.groups.len() > 1)));
            let variable = self.instance.variable(first.variable);
            let indices = variable.indices(first.atom).zip(variable.indices(second.atom));
            indices
                .filter(|(one, other)| one == other)
                .fold(variable.name.clone(), |name, (index, _)| format!("{name}[{index}]"))
        };
        let array = |&(variable, _): &(VariableId, Held)| self.instance.variable(variable).name.clone();
        carried.iter().map(atom).chain(arrays.iter().map(array)).collect()
    }

    /// Definitions of the last group that are used after the loop and not held in an array.
    fn exits(&self, plan: &Plan) -> Vec<(u32, u32)> {
        let mut exits = Vec::new();
        let last = plan.trips - 1;
        for (k, assignment) in plan.groups[last].iter().enumerate() {
            for (c, target) in assignment.targets.iter().enumerate() {
                let definition = Definition::Assigned(plan.number(last, k), c as u32);
                if !plan.stored.contains(&target.variable) && self.last_uses.reaches(definition, plan.end()) {
                    exits.push((k as u32, c as u32));
                }
            }
        }
        exits
    }

    /// Whether what the iterations take from places of no order is little beside what they compute. It goes into arrays that
    /// are made for the loop, with a store and a load for each atom; unrolled, they read it where it is.
    fn is_worth_its_arrays(&mut self, looped: &Loop, plan: &Plan) -> bool {
        let weight = self.lowering.weights.of_loop(looped);
        looped.unroll == Unroll::Never || weight > UNROLLED || GATHERED_WEIGHT * self.gathered(plan) < weight
    }

    /// How many atoms would go into arrays that are made for the loop.
    fn gathered(&mut self, plan: &Plan) -> u64 {
        let mut gathered: HashSet<Vec<Atom>> = HashSet::new();
        for (k, row) in plan.sites.iter().enumerate() {
            for (q, _) in row.iter().enumerate().filter(|(_, site)| **site == Site::Outer) {
                let atoms: Vec<Atom> =
                    (0..plan.trips).map(|t| self.resolve(plan.number(t, k), q as u32)).collect();
                if atoms.iter().any(|atom| *atom != atoms[0]) && progression(&atoms).is_none() {
                    gathered.insert(atoms);
                }
            }
        }
        (gathered.len() * plan.trips) as u64
    }

    /// What sites that are always defined before the loop denote, where it changes from group to group.
    fn outer_sites(&mut self, plan: &Plan) -> Vec<(UseKey, Varying)> {
        let mut gathered: HashMap<Vec<Atom>, ValueId> = HashMap::new();
        let mut sites = Vec::new();
        for (k, row) in plan.sites.iter().enumerate() {
            for (q, site) in row.iter().enumerate() {
                if *site != Site::Outer {
                    continue;
                }
                let atoms: Vec<Atom> =
                    (0..plan.trips).map(|t| self.resolve(plan.number(t, k), q as u32)).collect();
                if atoms.iter().all(|atom| *atom == atoms[0]) {
                    continue;
                }
                let varying = progression(&atoms).unwrap_or_else(|| {
                    let array = match gathered.get(&atoms) {
                        Some(&array) => array,
                        None => {
                            let values = atoms.iter().map(|atom| self.force(atom)).collect();
                            self.builder.array(values)
                        }
                    };
                    gathered.insert(atoms, array);
                    Varying::Element(array, Affine::constant(0), 1)
                });
                sites.push(((plan.number(0, k), q as u32), varying));
            }
        }
        sites
    }

    /// The array of a variable at the start of a loop that will carry it.
    fn initial_array(&mut self, plan: &Plan, variable: VariableId) -> ValueId {
        let mut known: BTreeMap<u32, Atom> = BTreeMap::new();
        for (k, row) in plan.sites.iter().enumerate() {
            for (q, site) in row.iter().enumerate() {
                if *site != Site::Stored {
                    continue;
                }
                for t in 0..plan.trips {
                    let number = plan.number(t, k);
                    let used = self.uses.of(number)[q];
                    let outside = match used.definition {
                        Definition::Input => true,
                        Definition::Assigned(id, _) => id.0 < plan.first,
                    };
                    if used.slot.variable == variable && outside {
                        let atom = self.resolve(number, q as u32);
                        known.insert(used.slot.atom, atom);
                    }
                }
            }
        }
        let count = self.instance.variable(variable).atoms();
        if self.frames.is_empty() {
            // Outside all kept loops textual order is the order of lowering: everything defined so far is known.
            for atom in 0..count {
                let slot = Slot { variable, atom };
                let Some(&definition) = self.latest.get(&slot) else { continue };
                let at_hand = definition == Definition::Input || self.states.contains_key(&definition);
                if at_hand && !known.contains_key(&atom) {
                    let atom = self.resolve_definition(definition, slot);
                    known.insert(slot.atom, atom);
                }
            }
        }
        let layout = self.variable_layout(variable);
        let zero = self.builder.constant(layout, 0);
        let atoms: Vec<Atom> = (0..count).map(|i| known.remove(&i).unwrap_or(Atom::Value(zero))).collect();
        self.aggregate(&atoms, usuba_ir::program::Type::array(layout, count))
    }

    fn fill_slopes(&self, plan: &Plan, frame: &mut Frame) {
        for k in 0..plan.size as usize {
            let number = plan.number(0, k);
            for q in 0..self.uses.of(number).len() {
                frame.use_slopes.insert((number, q as u32), plan.use_slope(&self.uses, k, q));
            }
            for c in 0..plan.groups[0][k].targets.len() {
                frame.target_slopes.insert((number, c as u32), plan.target_slope(k, c));
            }
        }
    }

    /// Says where the definitions of a kept loop are once it has run.
    fn publish(&mut self, plan: &Plan, carried: &[Carried], results: &[ValueId], exits: &[(u32, u32)]) {
        for k in 0..plan.size as usize {
            for c in 0..plan.groups[0][k].targets.len() {
                self.states.remove(&Definition::Assigned(plan.number(0, k), c as u32));
            }
        }
        for (t, group) in plan.groups.iter().enumerate() {
            for (k, assignment) in group.iter().enumerate() {
                for (c, &target) in assignment.targets.iter().enumerate() {
                    let definition = Definition::Assigned(plan.number(t, k), c as u32);
                    self.latest.insert(target, definition);
                    if plan.stored.contains(&target.variable) {
                        let depth = self.held[&target.variable].depth;
                        let index = self.target_index(assignment, c, depth);
                        self.states.insert(definition, State::Stored(index));
                    }
                }
            }
        }
        for &(k, c) in exits {
            let position = carried.iter().position(|value| value.next == (k, c));
            if let Some(position) = position {
                let definition = Definition::Assigned(plan.number(plan.trips - 1, k as usize), c);
                self.states.insert(definition, State::Atom(Atom::Value(results[position])));
            }
        }
    }

    fn variable_layout(&self, variable: VariableId) -> Layout {
        Layout::of(self.lowering.options.slicing, self.instance.variable(variable).width)
    }
}

/// An atom that changes from group to group: this element in the first, and the index grows by the slope.
enum Varying {
    Element(ValueId, Affine, i64),
}

/// The atoms as elements of one array at steadily growing indices.
fn progression(atoms: &[Atom]) -> Option<Varying> {
    let Atom::Element(array, start) = &atoms[0] else { return None };
    let constants: Option<Vec<i64>> = atoms
        .iter()
        .map(|atom| match atom {
            Atom::Element(other, index) if other == array && index.terms == start.terms => {
                Some(index.constant)
            }
            _ => None,
        })
        .collect();
    let slope = slope(constants?.into_iter())?;
    Some(Varying::Element(*array, start.clone(), slope))
}
