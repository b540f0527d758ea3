//! Loads that are the same every time round a loop stand before it, once.
//!
//! A value that was loaded has a home, so it takes no register that something else needs: where a loop has registers left, the
//! allocation keeps it in one, and elsewhere it is read where it was.

use super::linear::{Item, Linear, Value};
use usuba_machine::program::{Address, Length, Role};
use usuba_target::Instruction;

/// Moves loads from inputs of constant length, which are there even where a loop runs no times, out of the loops in which
/// nothing may write to them.
pub(super) fn hoist(linear: &mut Linear) {
    for number in (0..linear.loops.len()).rev() {
        out_of(linear, number);
    }
}

fn out_of(linear: &mut Linear, number: usize) {
    let (around, memories) = (linear.around(), linear.memories());
    let (begin, end) = (linear.loops[number].begin, linear.loops[number].end);
    let induction = linear.loops[number].induction;
    let written = |from: usize, to: usize, memory: usize| {
        linear.items[from..to].iter().any(|item| match item {
            Item::Store { address, .. }
            | Item::StorePart { address, .. }
            | Item::CopyPart { to: address, .. } => memories[address.region.index()].0 == memory,
            _ => false,
        })
    };
    let stays = |address: &Address| {
        let region = &linear.regions[address.region.index()];
        let (memory, views) = &memories[address.region.index()];
        matches!(region.role, Role::Input | Role::Uniform)
            && matches!(region.length, Length::Constant(_))
            && views.is_empty()
            && !written(begin, end, *memory)
            && address.index.terms.iter().all(|(other, _)| *other != induction)
    };
    // The same load before the loop, if nothing is written there since.
    let before = |row: &'static Instruction, address: &Address| {
        let memory = memories[address.region.index()].0;
        let earlier = linear.items[..begin].iter().enumerate().rev();
        earlier.filter(|(position, _)| around[*position] == around[begin]).find_map(|(position, item)| {
            let Item::Load { row: other, result, address: place } = item else { return None };
            (*other == row && place == address && !written(position, begin, memory)).then_some(*result)
        })
    };
    let mut same: Vec<Value> = (0..linear.values.len() as u32).map(Value).collect();
    let mut moved: Vec<Item> = Vec::new();
    let mut loads: Vec<(&'static Instruction, &Address, Value)> = Vec::new();
    let mut left = Vec::with_capacity(linear.items.len());
    for (position, item) in linear.items.iter().enumerate() {
        let Item::Load { row, result, address } = item else {
            left.push(item.clone());
            continue;
        };
        if around[position] != Some(number) || !stays(address) {
            left.push(item.clone());
            continue;
        }
        let known = loads.iter().find(|(other, place, _)| other == row && *place == address);
        let known = known.map(|(_, _, value)| *value).or_else(|| before(row, address));
        match known {
            Some(value) => same[result.index()] = value,
            None => moved.push(item.clone()),
        }
        loads.push((row, address, same[result.index()]));
    }
    for item in &mut left {
        match item {
            Item::Compute { operands, .. } => {
                operands.iter_mut().for_each(|operand| *operand = same[operand.index()]);
            }
            Item::Store { value, .. } | Item::StorePart { value, .. } => *value = same[value.index()],
            _ => {}
        }
    }
    left.splice(begin..begin, moved);
    for looped in &mut linear.loops {
        for carried in &mut looped.carried {
            carried.initial = same[carried.initial.index()];
            carried.next = same[carried.next.index()];
        }
    }
    linear.items = left;
    linear.place_loops();
}
