//! How many bits inputs and outputs have, in atoms of which width, and the same bits in others.

use crate::graph::Edge;
use crate::symbolic::source::Refuses;
use crate::symbolic::{Values, usuba0};
use std::iter::zip;
use thiserror::Error;
use usuba_ir::program::Program;

/// Why there is nothing to prove.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Unlike {
    /// Not as many inputs or outputs.
    #[error("there are {left} {what} on one side and {right} on the other")]
    Count {
        /// `inputs` or `outputs`.
        what: &'static str,
        /// On the one side.
        left: usize,
        /// On the other side.
        right: usize,
    },
    /// An input or output of other size.
    #[error("number {number} of the {what} has {left} bits on one side and {right} on the other")]
    Size {
        /// `inputs` or `outputs`.
        what: &'static str,
        /// Which, from 1.
        number: usize,
        /// Bits on the one side.
        left: usize,
        /// Bits on the other side.
        right: usize,
    },
    /// One of them has no result for all inputs.
    #[error(transparent)]
    Refuses(#[from] Refuses),
}

/// Bits of values in the order of numbers on paper: parameter by parameter, atom by atom, each from its most significant bit.
/// However a parameter is cut into atoms, this is the same.
pub(crate) fn in_order(atoms: &[Vec<Edge>]) -> Vec<Edge> {
    atoms.iter().flat_map(|atom| atom.iter().rev()).copied().collect()
}

/// The same bits as atoms of other widths.
pub(crate) fn recut(values: &Values, shape: &[(u32, u32)]) -> Values {
    let cut = |(atoms, &(width, _)): (&Vec<Vec<Edge>>, &(u32, u32))| {
        let bits = in_order(atoms);
        bits.chunks(width as usize).map(|atom| atom.iter().rev().copied().collect()).collect()
    };
    values.iter().zip(shape).map(cut).collect()
}

/// Whether as many inputs or outputs have as many bits on both sides, however they are cut into atoms.
pub(crate) fn check_shapes(
    what: &'static str,
    left: &[(u32, u32)],
    right: &[(u32, u32)],
) -> Result<(), Unlike> {
    if left.len() != right.len() {
        return Err(Unlike::Count { what, left: left.len(), right: right.len() });
    }
    let bits = |&(width, atoms): &(u32, u32)| (width * atoms) as usize;
    match zip(left, right).position(|(a, b)| bits(a) != bits(b)) {
        None => Ok(()),
        Some(place) => Err(Unlike::Size {
            what,
            number: place + 1,
            left: bits(&left[place]),
            right: bits(&right[place]),
        }),
    }
}

/// The same bits as parameters of other numbers and widths: neighbours may stand side by side in one of the others.
pub(crate) fn recut_all(values: &Values, shape: &[(u32, u32)]) -> Values {
    let mut bits = values.iter().flat_map(|atoms| in_order(atoms));
    let mut atom = |width: u32| {
        let mut atom: Vec<Edge> = bits.by_ref().take(width as usize).collect();
        atom.reverse();
        atom
    };
    shape.iter().map(|&(width, atoms)| (0..atoms).map(|_| atom(width)).collect()).collect()
}

/// Whether the inputs of a text are those of what was made of it. Neighbours that fill no group of words by themselves stand side by side
/// in one parameter there, so that there may be fewer.
pub(crate) fn check_inputs(text: &[(u32, u32)], made: &[(u32, u32)]) -> Result<(), Unlike> {
    let bits = |&(width, atoms): &(u32, u32)| width * atoms;
    let mut rest = text.iter().map(bits);
    let mut side_by_side = Vec::new();
    for wanted in made.iter().map(bits) {
        let mut sum = 0;
        while sum < wanted {
            let Some(next) = rest.next() else { break };
            sum += next;
        }
        side_by_side.push((1, sum));
    }
    let fits = rest.next().is_none() && text.len() > made.len();
    check_shapes("inputs", if fits { &side_by_side } else { text }, made)
}

/// The width and number of atoms of each output, in one batch.
pub(crate) fn batch_outputs(program: &Program) -> Vec<(u32, u32)> {
    let outputs = program.entry().outputs.iter();
    outputs.map(|output| (output.ty.layout.width(), output.ty.atoms() / program.interleave.max(1))).collect()
}

/// The width and number of atoms of each input, in one batch.
pub(crate) fn batch_inputs(program: &Program) -> Vec<(u32, u32)> {
    let entry = program.entry();
    let shapes = entry.inputs.iter().zip(usuba0::inputs(program));
    shapes
        .map(|(input, (width, atoms))| match input.uniform {
            true => (width, atoms),
            false => (width, atoms / program.interleave.max(1)),
        })
        .collect()
}
