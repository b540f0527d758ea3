//! Leaves out the steps of a function whose result nothing uses.
//!
//! The values of the node are live, but an expansion may use less than it is given: a shuffle that keeps no bit, an array
//! that a loop copies and only writes.

use usuba_machine::program::{
    Address, Argument, Block, Function, Region, RegionId, RegisterId, Role, Step, Trips,
};

/// Removes dead loads, constants, instructions, carried registers, and local regions that nothing reads with all that is
/// written to them. Cost: linear for each level of dependence among the dead.
pub(crate) fn prune(function: &mut Function) {
    loop {
        let mut used = Used {
            registers: vec![false; function.registers.len()],
            regions: function.regions.iter().map(|region: &Region| region.role != Role::Local).collect(),
        };
        // A carried register is live if it is read, or if the next value of one that is live: marks spread to a fixed point.
        let mut marks = 0;
        loop {
            uses(&function.body, &mut used);
            let now = used.marks();
            if now == marks {
                break;
            }
            marks = now;
        }
        let mut removed = sweep(&mut function.body, &used);
        removed |= keep(&mut function.constants, &used);
        if !removed {
            return;
        }
    }
}

/// What is read: registers, and regions, those that others see included.
struct Used {
    registers: Vec<bool>,
    regions: Vec<bool>,
}

impl Used {
    fn marks(&self) -> usize {
        self.registers.iter().chain(&self.regions).filter(|&&mark| mark).count()
    }

    fn writes_nothing(&self, step: &Step) -> bool {
        match step {
            Step::Store { address, .. }
            | Step::StorePart { address, .. }
            | Step::Fill { address, .. }
            | Step::Copy { to: address, .. }
            | Step::CopyPart { to: address, .. } => !self.regions[address.region.index()],
            Step::Scatter { addresses, .. } => {
                addresses.iter().all(|address| !self.regions[address.region.index()])
            }
            _ => false,
        }
    }
}

fn uses(block: &Block, used: &mut Used) {
    let Used { registers, regions } = &mut *used;
    let mut mark = |register: RegisterId| registers[register.index()] = true;
    let mut read = |address: &Address| regions[address.region.index()] = true;
    let (mut inner, mut views) = (Vec::new(), Vec::new());
    for step in &block.steps {
        match step {
            Step::Compute { operands, .. } => operands.iter().for_each(|&operand| mark(operand)),
            Step::Store { value, .. } | Step::Scatter { value, .. } | Step::Fill { value, .. } => {
                mark(*value)
            }
            Step::Gather { addresses, .. } => addresses.iter().for_each(&mut read),
            Step::Call(call) => {
                for argument in &call.arguments {
                    match argument {
                        Argument::Value(register) => mark(*register),
                        Argument::Read(address) | Argument::Write(address) => read(address),
                        Argument::Result(_) => {}
                    }
                }
            }
            Step::Loop(looped) => {
                if let Trips::Public(count) = looped.trips {
                    mark(count);
                }
                inner.push(looped);
            }
            Step::Load { address, .. } | Step::Copy { from: address, .. } => read(address),
            Step::LoadPart { address, count, .. } | Step::CopyPart { from: address, count, .. } => {
                read(address);
                mark(*count);
            }
            Step::StorePart { value, count, .. } => {
                mark(*value);
                mark(*count);
            }
            Step::Count { value, .. } => value.counts().into_iter().for_each(&mut mark),
            // Views are kept, and what they are views of.
            Step::View { region, of, offset } => {
                mark(*offset);
                views.extend([*region, *of]);
            }
            Step::Constant { .. } => {}
        }
    }
    for view in views {
        used.regions[view.index()] = true;
    }
    for looped in inner {
        uses(&looped.body, used);
        for carried in &looped.carried {
            if used.registers[carried.register.index()] {
                used.registers[carried.initial.index()] = true;
                used.registers[carried.next.index()] = true;
            }
        }
    }
}

fn keep(steps: &mut Vec<Step>, used: &Used) -> bool {
    let before = steps.len();
    steps.retain(|step| match step {
        Step::Compute { result, .. }
        | Step::Constant { result, .. }
        | Step::Load { result, .. }
        | Step::Gather { result, .. }
        | Step::LoadPart { result, .. }
        | Step::Count { result, .. } => used.registers[result.index()],
        _ => !used.writes_nothing(step),
    });
    steps.len() < before
}

fn sweep(block: &mut Block, used: &Used) -> bool {
    let mut removed = keep(&mut block.steps, used);
    block.locals.retain(|&region: &RegionId| used.regions[region.index()]);
    for step in &mut block.steps {
        if let Step::Loop(looped) = step {
            let before = looped.carried.len();
            looped.carried.retain(|carried| used.registers[carried.register.index()]);
            removed |= looped.carried.len() < before;
            removed |= sweep(&mut looped.body, used);
        }
    }
    removed
}

#[cfg(test)]
mod tests {
    use super::*;
    use usuba_ir::program::{Affine, Inline};
    use usuba_machine::program::{Element, Length, Register, RegisterType};
    use usuba_target::{Meaning, by_name};

    #[test]
    fn a_local_region_that_nothing_reads_goes_with_its_stores() {
        let target = by_name("gp64").expect("a target");
        let row = |meaning| target.instruction(meaning, 64).expect("a row");
        let address = |number| Address { region: RegionId(number), index: Affine::constant(0) };
        let word = RegisterType::General { bits: 64 };
        let region = |role| Region {
            name: "array".into(),
            role,
            element: Element::Register(word),
            length: Length::Constant(1),
        };
        let store =
            |number| Step::Store { row: row(Meaning::Store), address: address(number), value: RegisterId(0) };
        let load = |number, result| Step::Load {
            row: row(Meaning::Load),
            result: RegisterId(result),
            address: address(number),
        };
        let copy = |from, to| Step::Copy {
            load: row(Meaning::Load),
            store: row(Meaning::Store),
            from: address(from),
            to: address(to),
            len: 1,
        };
        // 0: input, 1: output, 2: read, 3: written only, 4: read by the copy to 3 only.
        let mut function = Function {
            name: "f".into(),
            inline: Inline::Auto,
            parameters: Vec::new(),
            registers: vec![Register::unnamed(word); 2],
            regions: [Role::Input, Role::Output, Role::Local, Role::Local, Role::Local].map(region).into(),
            constants: Vec::new(),
            body: Block {
                locals: [2, 3, 4].map(RegionId).into(),
                steps: vec![
                    load(0, 0),
                    store(2),
                    load(2, 1),
                    store(3),
                    store(4),
                    copy(4, 3),
                    store(1),
                    copy(2, 1),
                ],
            },
        };
        prune(&mut function);
        assert_eq!(function.body.locals, [RegionId(2)]);
        assert_eq!(function.body.steps, [load(0, 0), store(2), store(1), copy(2, 1)]);
    }
}
