//! A plan in the making, with the C of what it is given.

use crate::place::{self, Places};
use crate::plan::{Action, Given, Plan, Slot};
use crate::step::{Bit, Step, blocks};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use usuba_ir::program::BinaryOp;
use usuba_message::form::VariableId;

/// A plan in the making, and the C of what it is given.
#[derive(Clone, Default)]
pub(crate) struct Draft {
    pub(crate) plan: Plan,
    /// An expression for each given block, number or string.
    pub(crate) given: Vec<String>,
    /// Slots of the variables that are made.
    pub(crate) made: BTreeMap<VariableId, Slot>,
    /// What is carried, among what is given.
    pub(crate) carried: BTreeMap<VariableId, Slot>,
    /// What has been written, by place.
    pub(crate) written: Vec<(String, Draw)>,
    /// Slots of what is given, by expression.
    pub(crate) slots: BTreeMap<(String, u8), Slot>,
    /// Where the results go.
    pub(crate) results: Vec<String>,
    /// Actions are counted behind what is given: their slots are moved when all that is known.
    pub(crate) pending: Vec<Pending>,
}

/// An action whose slots are not final.
#[derive(Clone)]
pub(crate) enum Pending {
    Step(Rc<Step>, Vec<(Draw, Places)>),
    Binary(BinaryOp, Draw, Draw),
    Not(Draw),
    Last(Draw, Draw),
}

/// What an action reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Draw {
    Given(usize),
    Made(usize),
    /// An input that nothing depends on.
    Nothing,
}

impl Draft {
    pub(crate) fn give(&mut self, given: Given, expression: String) -> Draw {
        let kind = match given {
            Given::Each => 0,
            Given::Same => 1,
            Given::Number => 2,
            Given::Keys(_) => 3,
            Given::Carried => 4,
            Given::Orbit(_) => 5,
            Given::Turn => 6,
            Given::Pattern => 7,
            Given::Chosen => 8,
        };
        if let Some(&slot) = self.slots.get(&(expression.clone(), kind)) {
            return Draw::Given(slot);
        }
        self.plan.given.push(given);
        self.given.push(expression.clone());
        let slot = self.given.len() - 1;
        self.slots.insert((expression, kind), slot);
        Draw::Given(slot)
    }

    /// The plan, and the C of what it is given and of its results. What nothing depends on is not given.
    pub(crate) fn finish(mut self, results: &[Draw], next: &[Draw]) -> (Plan, Vec<String>, Vec<String>) {
        for action in &mut self.pending {
            if let Pending::Step(step, inputs) = action {
                let unused = inputs.iter_mut().enumerate().filter(|(place, _)| !step.uses(*place));
                unused.for_each(|(_, (draw, _))| *draw = Draw::Nothing);
            }
        }
        let mut used = vec![false; self.given.len()];
        let mut mark = |draw: &Draw| {
            if let Draw::Given(slot) = draw {
                used[*slot] = true;
            }
        };
        results.iter().chain(next).for_each(&mut mark);
        for action in &self.pending {
            match action {
                Pending::Step(_, inputs) => inputs.iter().for_each(|(draw, _)| mark(draw)),
                Pending::Binary(_, a, b) | Pending::Last(a, b) => [a, b].into_iter().for_each(&mut mark),
                Pending::Not(a) => mark(a),
            }
        }
        // What is carried stays: its next value goes there.
        let kept: Vec<usize> = (0..used.len())
            .filter(|&slot| used[slot] || (self.plan.given[slot] == Given::Carried && !next.is_empty()))
            .collect();
        let place = |slot: usize| kept.iter().position(|&one| one == slot).unwrap_or(usize::MAX);
        let given = kept.len();
        let slot = |draw: &Draw| match draw {
            Draw::Given(slot) => place(*slot),
            Draw::Made(slot) => given + slot,
            Draw::Nothing => usize::MAX,
        };
        for action in &self.pending {
            self.plan.actions.push(match action {
                Pending::Step(step, inputs) => {
                    let inputs = inputs.iter().map(|(draw, places)| (slot(draw), places.clone())).collect();
                    Action::Step(Rc::clone(step), inputs)
                }
                Pending::Binary(op, a, b) => Action::Binary(*op, slot(a), slot(b)),
                Pending::Not(a) => Action::Not(slot(a)),
                Pending::Last(a, b) => Action::Last(slot(a), slot(b)),
            });
        }
        self.plan.results = results.iter().map(slot).collect();
        self.plan.next = next.iter().map(slot).collect();
        self.plan.given = kept.iter().map(|&slot| self.plan.given[slot].clone()).collect();
        let given = kept.iter().map(|&slot| self.given[slot].clone()).collect();
        (self.plan, given, self.results)
    }

    /// The same without what `wanted` does not depend on: outputs of steps that are left over are zeros.
    pub(crate) fn only(&self, wanted: &[Draw]) -> Draft {
        let mut draft = self.clone();
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        let need = |draw: &Draw, needed: &mut BTreeSet<usize>| {
            if let Draw::Made(slot) = draw {
                needed.insert(*slot);
            }
        };
        wanted.iter().for_each(|draw| need(draw, &mut needed));
        let mut end = draft.makes();
        for action in draft.pending.iter_mut().rev() {
            match action {
                Pending::Step(step, inputs) => {
                    let mut start = end - step.blocks();
                    end = start;
                    let mut pruned = Step::clone(step);
                    for output in &mut pruned.outputs {
                        let blocks = blocks(output.len() as u32);
                        if (start..start + blocks).all(|slot| !needed.contains(&slot)) {
                            *output = vec![Bit::default(); output.len()];
                        }
                        start += blocks;
                    }
                    pruned = pruned.needed();
                    let used = inputs.iter().enumerate().filter(|(place, _)| pruned.uses(*place));
                    used.for_each(|(_, (draw, _))| need(draw, &mut needed));
                    *step = Rc::new(pruned);
                }
                Pending::Binary(..) | Pending::Not(_) | Pending::Last(..) => {
                    end -= 1;
                    match action {
                        _ if !needed.contains(&end) => {
                            let zeros = vec![Bit::default(); place::BITS as usize];
                            let step = Step {
                                inputs: Vec::new(),
                                values: Vec::new(),
                                outputs: vec![zeros],
                                schedules: Vec::new(),
                            };
                            *action = Pending::Step(Rc::new(step), Vec::new());
                        }
                        Pending::Binary(_, a, b) | Pending::Last(a, b) => {
                            need(a, &mut needed);
                            need(b, &mut needed);
                        }
                        Pending::Not(a) => need(a, &mut needed),
                        Pending::Step(..) => {}
                    }
                }
            }
        }
        draft
    }

    /// Puts actions before all others, the last of which makes what a given block is from then on; how many blocks they make. What
    /// they make is numbered from 0.
    pub(crate) fn replace(&mut self, slot: usize, actions: &[Pending]) -> usize {
        let (by, made) = (actions.len(), Draw::Made(actions.len() - 1));
        let moved = |draw: &mut Draw| match draw {
            Draw::Given(given) if *given == slot => *draw = made,
            Draw::Made(slot) => *slot += by,
            _ => {}
        };
        for action in &mut self.pending {
            match action {
                Pending::Step(_, inputs) => inputs.iter_mut().for_each(|(draw, _)| moved(draw)),
                Pending::Binary(_, a, b) | Pending::Last(a, b) => [a, b].into_iter().for_each(moved),
                Pending::Not(a) => moved(a),
            }
        }
        self.pending.splice(..0, actions.iter().cloned());
        by
    }

    pub(crate) fn makes(&self) -> usize {
        let count = |action: &Pending| match action {
            Pending::Step(step, _) => step.blocks(),
            _ => 1,
        };
        self.pending.iter().map(count).sum()
    }
}
