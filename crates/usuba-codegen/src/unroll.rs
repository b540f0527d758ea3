//! Unrolls loops that move values from one carried register to another, just enough that no carried value is a copy of
//! another.
//!
//! A Feistel network carries two halves, `(left, right) = (right, left ^ f(right))`. Done once a time round, the new left half
//! costs a copy of every register, or of every place in memory. Done twice a time round, it costs nothing: the names change.

use std::collections::BTreeMap;
use usuba_ir::program::Affine;
use usuba_machine::program::{Address, Block, Function, Loop, Register, RegisterId, Step, Trips};
use usuba_target::Target;

/// The most copies of a body.
const MOST: u32 = 4;
/// Bytes of code that a loop may have: it should stay in the first cache.
const BYTES: u64 = 24 * 1024;

/// Unrolls each loop as often as its carried values take to come back to their places, where the number of trips allows it
/// and the code stays small. Cost: linear.
pub(crate) fn unroll_and_rename(function: &mut Function, target: &Target) {
    let Function { registers, body, .. } = function;
    let most = BYTES * 10 / u64::from(target.code_bytes_tenths.max(1));
    block(body, registers, most as usize);
}

fn block(block_: &mut Block, registers: &mut Vec<Register>, most: usize) {
    for step in &mut block_.steps {
        let Step::Loop(looped) = step else { continue };
        block(&mut looped.body, registers, most);
        let copies = period(looped);
        let plain = looped.body.steps.iter().all(|step| {
            matches!(step, Step::Compute { .. } | Step::Load { .. } | Step::Store { .. } | Step::Fill { .. })
        });
        if copies > 1
            && copies <= MOST
            && let Trips::Constant(trips) = looped.trips
            && trips.is_multiple_of(copies)
            && plain
            && looped.body.steps.len() * copies as usize <= most
        {
            unroll(looped, copies, registers);
        }
    }
}

/// After how many times round every carried value was either computed or is back in its register; 1 if that is always so.
fn period(looped: &Loop) -> u32 {
    let from: BTreeMap<RegisterId, RegisterId> =
        looped.carried.iter().map(|carried| (carried.register, carried.next)).collect();
    let mut period = 1;
    for carried in &looped.carried {
        let mut times = 1;
        let mut register = carried.next;
        while let Some(&next) = from.get(&register)
            && register != carried.register
            && times <= MOST
        {
            register = next;
            times += 1;
        }
        period = period.max(times);
    }
    period
}

fn unroll(looped: &mut Loop, copies: u32, registers: &mut Vec<Register>) {
    let body = std::mem::take(&mut looped.body.steps);
    let factor = i64::from(copies);
    let mut names: BTreeMap<RegisterId, RegisterId> = BTreeMap::new();
    for copy in 0..copies {
        for step in &body {
            let mut step = step.clone();
            if copy > 0 {
                rename(&mut step, &mut names, registers);
            }
            if let Some(address) = address(&mut step) {
                stretch(&mut address.index, looped, factor, i64::from(copy));
            }
            looped.body.steps.push(step);
        }
        let now = |register: RegisterId| names.get(&register).copied().unwrap_or(register);
        let next: Vec<(RegisterId, RegisterId)> =
            looped.carried.iter().map(|carried| (carried.register, now(carried.next))).collect();
        // What the next copy finds in the carried registers.
        names = next.into_iter().collect();
    }
    for carried in &mut looped.carried {
        carried.next = names.get(&carried.register).copied().unwrap_or(carried.next);
    }
    if let Trips::Constant(trips) = &mut looped.trips {
        *trips /= copies;
    }
}

/// `factor` times the induction, plus `copy`, for the induction.
fn stretch(index: &mut Affine, looped: &Loop, factor: i64, copy: i64) {
    for (induction, coefficient) in &mut index.terms {
        if *induction == looped.induction {
            index.constant += *coefficient * copy;
            *coefficient *= factor;
        }
    }
}

fn address(step: &mut Step) -> Option<&mut Address> {
    match step {
        Step::Load { address, .. } | Step::Store { address, .. } | Step::Fill { address, .. } => {
            Some(address)
        }
        _ => None,
    }
}

/// Gives what a step defines a new register and reads what `names` says.
fn rename(step: &mut Step, names: &mut BTreeMap<RegisterId, RegisterId>, registers: &mut Vec<Register>) {
    let read = |register: &mut RegisterId| {
        if let Some(&now) = names.get(register) {
            *register = now;
        }
    };
    match step {
        Step::Compute { operands, .. } => operands.iter_mut().for_each(read),
        Step::Store { value, .. } | Step::Fill { value, .. } => read(value),
        _ => {}
    }
    match step {
        Step::Compute { result, .. } | Step::Load { result, .. } | Step::Constant { result, .. } => {
            let fresh = Function::another(registers, *result);
            names.insert(*result, fresh);
            *result = fresh;
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use usuba_ir::program::InductionId;
    use usuba_machine::program::{Carried, RegionId, RegisterType};

    fn looped(next: &[u32], trips: u32) -> Loop {
        let carried = next.iter().enumerate().map(|(register, &next)| Carried {
            register: RegisterId(register as u32),
            initial: RegisterId(90),
            next: RegisterId(next),
        });
        Loop {
            induction: InductionId(0),
            trips: Trips::Constant(trips),
            carried: carried.collect(),
            body: Block::default(),
        }
    }

    #[test]
    fn periods() {
        assert_eq!(period(&looped(&[10, 11], 4)), 1);
        assert_eq!(period(&looped(&[0, 11], 4)), 1);
        assert_eq!(period(&looped(&[1, 10], 4)), 2);
        assert_eq!(period(&looped(&[1, 0], 4)), 2);
        assert_eq!(period(&looped(&[10, 0, 1, 2], 4)), 4);
    }

    #[test]
    fn a_feistel_network_twice_a_time_round() {
        let target = usuba_target::by_name("avx2").expect("a target");
        let row = |meaning| target.instruction(meaning, 0).expect("a row");
        let index = Affine { constant: 3, terms: vec![(InductionId(0), 2)] };
        let mut looped = looped(&[1, 3], 6);
        looped.body.steps = vec![
            Step::Load {
                row: row(usuba_target::Meaning::Load),
                result: RegisterId(2),
                address: Address { region: RegionId(0), index },
            },
            Step::Compute {
                row: row(usuba_target::Meaning::Xor),
                result: RegisterId(3),
                operands: vec![RegisterId(0), RegisterId(2)],
                immediate: None,
            },
        ];
        let vector = RegisterType::Vector { bits: 256, lane: 0 };
        let mut registers = vec![Register::unnamed(vector); 4];
        unroll(&mut looped, 2, &mut registers);
        assert_eq!((looped.trips, registers.len()), (Trips::Constant(3), 6));
        let next: Vec<u32> = looped.carried.iter().map(|carried| carried.next.0).collect();
        assert_eq!(next, [3, 5]);
        let Step::Load { address, result, .. } = &looped.body.steps[2] else { panic!() };
        assert_eq!((result.0, address.index.constant, address.index.terms[0].1), (4, 5, 4));
        let Step::Compute { operands, .. } = &looped.body.steps[3] else { panic!() };
        // The left half of the second time is the right half of the first.
        assert_eq!(operands, &[RegisterId(1), RegisterId(4)]);
    }
}
