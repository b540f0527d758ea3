//! Final numbers and symbols of instances: callees first.

use super::Key;
use super::assignment::{for_each_assignment, for_each_expression};
use super::types::Direction;
use crate::ast;
use crate::source::Span;
use crate::typed::{Atoms, Body, ExpressionKind, Instance, InstanceId, Program};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

/// Puts instances, numbered by their place in `keys`, in an order in which callees come first.
///
/// A definition calls only definitions before it, so the order of the definitions in the program is such an order, and
/// the entry, which nothing reached calls, comes last.
pub(super) fn number(
    atoms: Atoms,
    instances: Vec<Instance>,
    keys: &IndexMap<Key, Option<Span>>,
    program: &ast::Program,
) -> Program {
    let mut order: Vec<(usize, usize)> =
        keys.keys().enumerate().map(|(provisional, key)| (key.definition, provisional)).collect();
    order.sort_unstable();
    let mut count: BTreeMap<usize, usize> = BTreeMap::new();
    for &(definition, _) in &order {
        *count.entry(definition).or_default() += 1;
    }
    let mut finals = vec![InstanceId(0); order.len()];
    for (position, &(_, provisional)) in order.iter().enumerate() {
        if let Some(slot) = finals.get_mut(provisional) {
            *slot = InstanceId(position as u32);
        }
    }
    let mut taken: BTreeSet<String> = program.definitions.iter().map(|d| d.name.text.clone()).collect();
    let mut instances: Vec<Option<Instance>> = instances.into_iter().map(Some).collect();
    let mut numbered = Vec::with_capacity(instances.len());
    for &(definition, provisional) in &order {
        let (Some(mut instance), Some((key, _))) =
            (instances.get_mut(provisional).and_then(Option::take), keys.get_index(provisional))
        else {
            continue;
        };
        let alone = count.get(&definition) == Some(&1);
        instance.symbol = if alone { instance.name.clone() } else { symbol(&instance.name, key, &mut taken) };
        if let Body::Equations(equations) = &mut instance.body {
            for_each_assignment(&mut equations.steps, &mut |assignment| {
                for_each_expression(&mut assignment.value, &mut |kind| {
                    if let ExpressionKind::Call { callee, .. } = kind
                        && let Some(&id) = finals.get(callee.0 as usize)
                    {
                        *callee = id;
                    }
                });
            });
        }
        numbered.push(instance);
    }
    let entry = InstanceId(numbered.len().saturating_sub(1) as u32);
    Program { atoms, instances: numbered, entry }
}

/// `name__e3_n5_m16_V`, with as many further `_` as make it unique.
fn symbol(name: &str, key: &Key, taken: &mut BTreeSet<String>) -> String {
    let mut parts = vec![format!("e{}", key.element)];
    parts.extend(key.scale.nats.iter().map(|nat| format!("n{nat}")));
    parts.extend(key.scale.lengths.iter().map(|length| format!("l{length}")));
    parts.extend(key.scale.cipher.map(|cipher| format!("c{cipher}")));
    parts.extend(key.sizes.iter().flatten().map(|size| format!("m{size}")));
    parts.extend(key.directions.iter().flatten().map(|direction| match direction {
        Direction::V => "V".to_string(),
        Direction::H => "H".to_string(),
        Direction::Packed(words) => format!("V{words}"),
        Direction::B | Direction::Variable(_) => "B".to_string(),
    }));
    let mut symbol = format!("{name}__{}", parts.join("_"));
    while !taken.insert(symbol.clone()) {
        symbol.push('_');
    }
    symbol
}
