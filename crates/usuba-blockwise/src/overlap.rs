//! Turns of a loop that overlap: what a turn begins with is done at the end of the turn before it, beside what that one ends with.

use std::collections::{BTreeMap, BTreeSet};
use usuba_machine::program::{Block, Carried, Function, Loop, RegisterId, Role, Step};

/// The head of a loop: what depends on nothing but carried registers that the head itself goes on with.
struct Head {
    /// Its steps, in order, with the loads that it needs.
    steps: Vec<Step>,
    /// The carried registers.
    carried: Vec<Carried>,
    /// The registers that the rest needs, in order.
    made: Vec<RegisterId>,
    /// The rest.
    rest: Vec<Step>,
}

/// A loop of straight code whose head stands, for the next turn, at the end of each turn, a part of it after each store; and what has
/// to stand before the loop. A head ends where `ends` says, but for the next values. After the loop nothing may read the carried registers that the head goes on with. Loops without a head
/// stay as they are.
pub(crate) fn overlapped(
    function: &mut Function,
    looped: Loop,
    ends: &dyn Fn(&Step) -> bool,
) -> (Vec<Step>, Loop) {
    let Some(head) = head(function, &looped.body.steps, &looped.carried, ends) else {
        return (Vec::new(), looped);
    };
    let initial: BTreeMap<RegisterId, RegisterId> =
        head.carried.iter().map(|carried| (carried.register, carried.initial)).collect();
    let (before, first) = copied(function, &head.steps, initial);
    let (again, second) = copied(function, &head.steps, BTreeMap::new());
    let of =
        |copy: &BTreeMap<RegisterId, RegisterId>, register| copy.get(&register).copied().unwrap_or(register);
    let goes_on = |register, next| Carried { register, initial: of(&first, next), next: of(&second, next) };
    let mut carried: Vec<Carried> = Vec::new();
    for one in looped.carried {
        let is_head = head.carried.iter().any(|other| other.register == one.register);
        carried.push(if is_head { goes_on(one.register, one.next) } else { one });
    }
    carried.extend(head.made.iter().map(|&register| goes_on(register, register)));
    let parts = parts(again, head.made.iter().map(|&register| of(&second, register)));
    let steps = beside_stores(head.rest, parts);
    let body = Block { locals: looped.body.locals, steps };
    (before, Loop { induction: looped.induction, trips: looped.trips, carried, body })
}

/// What straight code begins with that depends on nothing but these registers, in parts, one for each register that the rest needs;
/// and the rest. `ends`: see above.
pub(crate) fn begun(
    function: &Function,
    steps: Vec<Step>,
    numbers: &[RegisterId],
    ends: &dyn Fn(&Step) -> bool,
) -> (Vec<Vec<Step>>, Vec<Step>) {
    let carried: Vec<Carried> =
        numbers.iter().map(|&one| Carried { register: one, initial: one, next: one }).collect();
    match head(function, &steps, &carried, ends) {
        Some(head) => (parts(head.steps, head.made.into_iter()), head.rest),
        None => (Vec::new(), steps),
    }
}

/// Steps with parts of others between them, one after each of the last stores.
pub(crate) fn beside_stores(steps: Vec<Step>, parts: Vec<Vec<Step>>) -> Vec<Step> {
    let is_store = |step: &Step| matches!(step, Step::Store { .. });
    let mut stores = steps.iter().filter(|step| is_store(step)).count();
    let mut parts = parts.into_iter();
    let mut all = Vec::new();
    for step in steps {
        let here = is_store(&step);
        all.push(step);
        if here {
            stores -= 1;
        }
        if here && stores < parts.len() {
            all.extend(parts.next().into_iter().flatten());
        }
    }
    all.extend(parts.flatten());
    all
}

fn head(function: &Function, steps: &[Step], all: &[Carried], ends: &dyn Fn(&Step) -> bool) -> Option<Head> {
    let mut inside = BTreeSet::new();
    for step in steps {
        step.defines(&mut |register| {
            inside.insert(register);
        });
    }
    // Round keys and the like, which lie where they lie in all turns.
    let loads: BTreeMap<RegisterId, &Step> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Load { result, address, .. }
                if function.region(address.region).role == Role::Uniform
                    && address.index.terms.is_empty() =>
            {
                Some((*result, step))
            }
            _ => None,
        })
        .collect();
    // What the next values are made of.
    let mut nexts: BTreeSet<RegisterId> = all.iter().map(|carried| carried.next).collect();
    for step in steps.iter().rev() {
        if let Step::Compute { result, operands, .. } = step
            && nexts.contains(result)
        {
            nexts.extend(operands);
        }
    }
    let mut carried = all.to_vec();
    // What the head computes; the carried registers that go on with something else are left out until none is left.
    let computed = loop {
        let own: BTreeSet<RegisterId> = carried.iter().map(|carried| carried.register).collect();
        let others = all.iter().map(|carried| carried.register);
        let others: BTreeSet<RegisterId> = others.filter(|register| !own.contains(register)).collect();
        let mut computed: BTreeSet<RegisterId> = BTreeSet::new();
        let mut is_over = false;
        for step in steps {
            let Step::Compute { result, operands, .. } = step else { continue };
            is_over |= ends(step);
            if is_over && (ends(step) || !nexts.contains(result)) {
                continue;
            }
            let moves = |register: &RegisterId| own.contains(register) || computed.contains(register);
            let stays = |register: &RegisterId| {
                !others.contains(register) && (!inside.contains(register) || loads.contains_key(register))
            };
            if operands.iter().any(moves) && operands.iter().all(|one| moves(one) || stays(one)) {
                computed.insert(*result);
            }
        }
        let before = carried.len();
        carried.retain(|carried| carried.next == carried.register || computed.contains(&carried.next));
        if carried.len() == before {
            break computed;
        }
    };
    let is_head = |step: &Step| matches!(step, Step::Compute { result, .. } if computed.contains(result));
    let reads = |steps: &mut dyn Iterator<Item = &Step>| {
        let mut read = BTreeSet::new();
        steps.for_each(|step| {
            step.reads(&mut |register| {
                read.insert(register);
            });
        });
        read
    };
    let by_head = reads(&mut steps.iter().filter(|step| is_head(step)));
    let by_rest = reads(&mut steps.iter().filter(|step| !is_head(step)));
    if carried.is_empty() || carried.iter().any(|carried| by_rest.contains(&carried.register)) {
        return None;
    }
    let loaded = |step: &Step| match step {
        Step::Load { result, .. } => Some(*result).filter(|result| loads.contains_key(result)),
        _ => None,
    };
    let in_head = |step: &Step| is_head(step) || loaded(step).is_some_and(|result| by_head.contains(&result));
    let in_rest = |step: &Step| match loaded(step) {
        Some(result) => by_rest.contains(&result),
        None => !is_head(step),
    };
    let made: Vec<RegisterId> = steps
        .iter()
        .filter_map(|step| match step {
            Step::Compute { result, .. } => Some(*result),
            _ => None,
        })
        .filter(|result| computed.contains(result) && by_rest.contains(result))
        .collect();
    Some(Head {
        steps: steps.iter().filter(|step| in_head(step)).cloned().collect(),
        carried,
        made,
        rest: steps.iter().filter(|step| in_rest(step)).cloned().collect(),
    })
}

/// Steps with new registers for those that they define; and the register for each, among them those that are given.
fn copied(
    function: &mut Function,
    steps: &[Step],
    mut registers: BTreeMap<RegisterId, RegisterId>,
) -> (Vec<Step>, BTreeMap<RegisterId, RegisterId>) {
    let mut copies = Vec::new();
    for step in steps {
        copies.push(match step {
            Step::Compute { row, result, operands, immediate } => {
                let operands =
                    operands.iter().map(|one| registers.get(one).copied().unwrap_or(*one)).collect();
                let new = Function::another(&mut function.registers, *result);
                registers.insert(*result, new);
                Step::Compute { row, result: new, operands, immediate: *immediate }
            }
            Step::Load { row, result, address } => {
                let new = Function::another(&mut function.registers, *result);
                registers.insert(*result, new);
                Step::Load { row, result: new, address: address.clone() }
            }
            other => other.clone(),
        });
    }
    (copies, registers)
}

/// Steps in parts: what each of these registers needs and none before it does; then what is left.
fn parts(steps: Vec<Step>, made: impl Iterator<Item = RegisterId>) -> Vec<Vec<Step>> {
    let mut left: Vec<Option<Step>> = steps.into_iter().map(Some).collect();
    let mut parts = Vec::new();
    for register in made {
        let mut wanted = BTreeSet::from([register]);
        let mut part = Vec::new();
        for place in left.iter_mut().rev() {
            let mut is_wanted = false;
            if let Some(step) = place {
                step.defines(&mut |made| is_wanted |= wanted.contains(&made));
                if is_wanted {
                    step.reads(&mut |read| {
                        wanted.insert(read);
                    });
                }
            }
            if is_wanted {
                part.extend(place.take());
            }
        }
        part.reverse();
        parts.push(part);
    }
    parts.push(left.into_iter().flatten().collect());
    parts
}
