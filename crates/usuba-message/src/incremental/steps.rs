//! Steps whose outputs are known at different times.

use crate::elaborate::names;
use crate::form::{Message, Step};
use std::collections::{BTreeMap, BTreeSet};
use usuba_lang::ast::{Assignment, Bodies, Definition, Equation, Reference};

/// The step as steps each of whose outputs needs all of the latest inputs; `times` says when each input is known. What
/// several of them need is computed in each.
pub(super) fn split(message: &mut Message, step: Step, times: &[usize]) -> Vec<Step> {
    let whole = vec![step.clone()];
    let Some(definition) = message.program.definitions.iter().find(|one| one.name.text == step.node).cloned()
    else {
        return whole;
    };
    let Some(equations) = assignments(&definition) else { return whole };
    let inputs = definition.inputs.iter().flat_map(|input| &input.names);
    let mut known: BTreeMap<&str, usize> =
        inputs.zip(times).map(|(name, &time)| (name.text.as_str(), time)).collect();
    for equation in &equations {
        let mut time = used(equation).iter().filter_map(|name| known.get(name)).copied().max().unwrap_or(0);
        for target in &equation.targets {
            time = time.max(known.get(target.name.text.as_str()).copied().unwrap_or(0));
        }
        for target in &equation.targets {
            known.insert(&target.name.text, time);
        }
    }
    let outputs: Vec<&str> =
        definition.outputs.iter().flat_map(|output| &output.names).map(|name| name.text.as_str()).collect();
    let when = |name: &str| known.get(name).copied().unwrap_or(0);
    let moments: BTreeSet<usize> = outputs.iter().map(|name| when(name)).collect();
    if moments.len() < 2 || outputs.len() != step.outputs.len() {
        return whole;
    }
    let mut made = Vec::new();
    for moment in moments {
        let wanted: Vec<&str> = outputs.iter().copied().filter(|name| when(name) == moment).collect();
        let (part, inputs) = sliced(&definition, &equations, &wanted, &format!("{}_{moment}", step.node));
        let targets = outputs.iter().zip(&step.outputs).filter(|(name, _)| wanted.contains(name));
        made.push(Step {
            node: part.name.text.clone(),
            inputs: inputs.iter().filter_map(|&place| step.inputs.get(place).cloned()).collect(),
            outputs: targets.map(|(_, target)| target.clone()).collect(),
        });
        message.program.definitions.push(part);
    }
    made
}

/// The equations of a step, which are all assignments.
fn assignments(definition: &Definition) -> Option<Vec<Assignment>> {
    let Bodies::Node(bodies) = &definition.bodies else { return None };
    let [body] = &bodies[..] else { return None };
    let assignment = |equation: &Equation| match equation {
        Equation::Assign(assignment) => Some(assignment.clone()),
        _ => None,
    };
    body.equations.iter().map(assignment).collect()
}

fn used(equation: &Assignment) -> Vec<&str> {
    let mut found = Vec::new();
    names(&equation.value, &mut |name| found.push(name));
    found
}

/// The definition with some outputs only, and the places of the inputs that these need.
fn sliced(
    definition: &Definition,
    equations: &[Assignment],
    wanted: &[&str],
    name: &str,
) -> (Definition, Vec<usize>) {
    let mut needed: BTreeSet<String> = wanted.iter().map(|&name| name.to_owned()).collect();
    let is_needed = |needed: &BTreeSet<String>, targets: &[Reference]| {
        targets.iter().any(|target| needed.contains(&target.name.text))
    };
    for equation in equations.iter().rev() {
        if is_needed(&needed, &equation.targets) {
            needed.extend(used(equation).into_iter().map(str::to_owned));
            needed.extend(equation.targets.iter().map(|target| target.name.text.clone()));
        }
    }
    let mut part = definition.clone();
    part.name.text = name.to_owned();
    let mut places = Vec::new();
    part.inputs.clear();
    for (place, input) in definition.inputs.iter().enumerate() {
        if input.names.iter().any(|name| needed.contains(&name.text)) {
            part.inputs.push(input.clone());
            places.push(place);
        }
    }
    let is_wanted =
        |names: &[usuba_lang::ast::Name]| names.iter().any(|name| wanted.contains(&name.text.as_str()));
    let others = definition.outputs.iter().filter(|output| !is_wanted(&output.names));
    let locals: Vec<_> =
        others.filter(|one| one.names.iter().any(|name| needed.contains(&name.text))).cloned().collect();
    part.outputs.retain(|output| is_wanted(&output.names));
    if let Bodies::Node(bodies) = &mut part.bodies
        && let Some(body) = bodies.first_mut()
    {
        body.locals.retain(|local| local.names.iter().any(|name| needed.contains(&name.text)));
        body.locals.extend(locals);
        let kept = equations.iter().filter(|equation| is_needed(&needed, &equation.targets));
        body.equations = kept.cloned().map(Equation::Assign).collect();
    }
    (part, places)
}
