//! What the functions of a module are given, and which of their array inputs are uniform.

use crate::life::Life;
use crate::shape::reached;
use usuba_ir::program::{Block, Node, Op, Program, ValueId};

/// Nodes other than the entry get at most this many atoms by value, and give at most this many back one by one; more go
/// through one region.
const ATOMS_ONE_BY_ONE: usize = 8;

/// How an input reaches a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InputSlot {
    /// An atom by value.
    Register,
    /// The address of the atoms.
    Region {
        /// Elements to broadcast.
        uniform: bool,
    },
    /// An atom of that number in the region of all atoms.
    Gathered(u32),
}

/// How an output leaves a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OutputSlot {
    /// Written to its own address.
    Region,
    /// The atom of that number in the region of all atoms.
    Gathered(u32),
}

/// The parameters of a function: those of the inputs in order (gathered ones left out), the region of gathered inputs if
/// there are any, and the same for the outputs.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    /// Place of the function in the module.
    pub(crate) function: usize,
    pub(crate) inputs: Vec<InputSlot>,
    pub(crate) outputs: Vec<OutputSlot>,
}

impl Signature {
    fn of(node: &Node, function: usize, entry: bool, uniform: &[bool]) -> Signature {
        let atoms = |parameters: &[usuba_ir::program::Parameter]| {
            parameters.iter().filter(|parameter| parameter.ty.len.is_none()).count()
        };
        let gather_inputs = !entry && atoms(&node.inputs) > ATOMS_ONE_BY_ONE;
        let gather_outputs = !entry && atoms(&node.outputs) > ATOMS_ONE_BY_ONE;
        let mut next = 0;
        let mut number = || {
            next += 1;
            next - 1
        };
        let inputs = node
            .inputs
            .iter()
            .zip(uniform)
            .map(|(parameter, &uniform)| match parameter.ty.len {
                None if gather_inputs => InputSlot::Gathered(number()),
                None if !entry => InputSlot::Register,
                _ => InputSlot::Region { uniform },
            })
            .collect();
        let mut next = 0;
        let outputs = node
            .outputs
            .iter()
            .map(|parameter| match parameter.ty.len {
                None if gather_outputs => {
                    next += 1;
                    OutputSlot::Gathered(next - 1)
                }
                _ => OutputSlot::Region,
            })
            .collect();
        Signature { function, inputs, outputs }
    }

    /// Atoms in the region of gathered inputs.
    pub(crate) fn gathered_inputs(&self) -> u32 {
        self.inputs.iter().filter(|slot| matches!(slot, InputSlot::Gathered(_))).count() as u32
    }

    /// Atoms in the region of gathered outputs.
    pub(crate) fn gathered_outputs(&self) -> u32 {
        self.outputs.iter().filter(|slot| matches!(slot, OutputSlot::Gathered(_))).count() as u32
    }
}

/// The signatures of the nodes that the entry reaches, by the number of the node.
///
/// An array input of another node is uniform if every call gives it a uniform array.
pub(crate) fn signatures(program: &Program) -> Vec<Option<Signature>> {
    let count = program.nodes.len();
    let reached = reached(program);
    let mut uniform: Vec<Option<Vec<bool>>> = vec![None; count];
    for (number, node) in program.nodes.iter().enumerate().rev() {
        let Some(life) = &reached[number] else { continue };
        let entry = number + 1 == count;
        let own = match uniform[number].take() {
            Some(own) if !entry => own,
            _ => node.inputs.iter().map(|parameter| entry && parameter.uniform).collect(),
        };
        let mut arrays = vec![false; node.values.len()];
        for (&value, &uniform) in node.body.parameters.iter().zip(&own) {
            arrays[value.index()] = uniform && node.ty(value).len.is_some();
        }
        follow(&node.body, life, &mut arrays, &mut uniform);
        uniform[number] = Some(own);
    }
    let mut functions = 0;
    (0..count)
        .map(|number| {
            let node = &program.nodes[number];
            let own = uniform[number].as_deref()?;
            functions += 1;
            Some(Signature::of(node, functions - 1, number + 1 == count, own))
        })
        .collect()
}

fn follow(block: &Block, life: &Life, arrays: &mut Vec<bool>, uniform: &mut [Option<Vec<bool>>]) {
    let is = |arrays: &Vec<bool>, value: ValueId| arrays[value.index()];
    for operation in &block.operations {
        if !life.is_wanted(&operation.results) {
            continue;
        }
        match &operation.op {
            Op::Slice(array, _) | Op::Refresh(array) => {
                arrays[operation.results[0].index()] = is(arrays, *array);
            }
            Op::Call(callee, arguments) => {
                let given = arguments.iter().map(|&argument| is(arrays, argument));
                match &mut uniform[callee.index()] {
                    Some(known) => known.iter_mut().zip(given).for_each(|(known, given)| *known &= given),
                    unknown => *unknown = Some(given.collect()),
                }
            }
            Op::Loop(inner) => follow(&inner.body, life, arrays, uniform),
            _ => {}
        }
    }
}
