//! Make arrays of pieces of others, not of their atoms.
//!
//! In: any program. Out: an array most of whose atoms were taken from one array of its length, each from its own place, is
//! that array with the others put into it, neighbours from one array together. So round keys that a loop has made, behind a
//! key that was there before, are handed out in three operations, not in one for each bit. Cost: one walk.
//!
//! Laws used: those of `Get`, `Set`, `Slice` and `Splice` (see `copies`).

use crate::pass::{Settings, open_nodes};
use std::collections::BTreeMap;
use usuba_ir::program::{Affine, Block, Node, Op, Operation, Program, Type, Value, ValueId};

/// Shorter arrays stay as they are.
const LEAST: usize = 64;

/// The pass.
pub fn run(program: &mut Program, _: &Settings) {
    for node in open_nodes(program) {
        let mut body = std::mem::take(&mut node.body);
        let mut taken = vec![None; node.values.len()];
        block(node, &mut body, &mut taken);
        node.body = body;
        node.renumber();
    }
}

/// The array that an atom was taken from, and its place there.
type Taken = Option<(ValueId, u32)>;

fn block(node: &mut Node, body: &mut Block, taken: &mut Vec<Taken>) {
    for operation in std::mem::take(&mut body.operations) {
        match (operation.op, operation.results.as_slice()) {
            (Op::Array(atoms), &[result]) if atoms.len() >= LEAST => match whole(node, &atoms, taken) {
                Some(base) => assemble(node, body, &atoms, taken, base, result),
                None => body.operations.push(Operation { results: vec![result], op: Op::Array(atoms) }),
            },
            (Op::Loop(mut inner), _) => {
                block(node, &mut inner.body, taken);
                body.operations.push(Operation { results: operation.results, op: Op::Loop(inner) });
            }
            (op, results) => {
                if let (Op::Get(array, index), &[result]) = (&op, results)
                    && index.terms.is_empty()
                    && let Ok(place) = u32::try_from(index.constant)
                {
                    taken[result.index()] = Some((*array, place));
                }
                body.operations.push(Operation { results: operation.results, op });
            }
        }
    }
}

/// The array of the same type that most atoms are in their places of; at least half of them.
fn whole(node: &Node, atoms: &[ValueId], taken: &[Taken]) -> Option<ValueId> {
    let ty = Type::array(node.ty(*atoms.first()?).layout, atoms.len() as u32);
    let mut counts: BTreeMap<ValueId, usize> = BTreeMap::new();
    for (place, atom) in atoms.iter().enumerate() {
        if let Some((array, from)) = taken[atom.index()]
            && from as usize == place
            && node.ty(array) == ty
        {
            *counts.entry(array).or_default() += 1;
        }
    }
    let (array, count) =
        counts.into_iter().max_by_key(|&(array, count)| (count, std::cmp::Reverse(array)))?;
    (2 * count >= atoms.len()).then_some(array)
}

/// Writes the array as `base` with the atoms that are not in it.
fn assemble(
    node: &mut Node,
    block: &mut Block,
    atoms: &[ValueId],
    taken: &mut Vec<Taken>,
    base: ValueId,
    result: ValueId,
) {
    let ty = node.ty(result);
    let origin = node.value(result).origin.clone();
    let is_there = |place: usize| taken[atoms[place].index()] == Some((base, place as u32));
    let mut steps: Vec<(usize, usize, Taken)> = Vec::new();
    let mut place = 0;
    while place < atoms.len() {
        if is_there(place) {
            place += 1;
            continue;
        }
        let from = taken[atoms[place].index()];
        let follows = |next: usize| match (from, taken[atoms[next].index()]) {
            (Some((array, start)), Some((other, at))) => {
                array == other && at as usize == start as usize + next - place && !is_there(next)
            }
            _ => false,
        };
        let end = (place + 1..atoms.len()).find(|&next| !follows(next)).unwrap_or(atoms.len());
        steps.push((place, end - place, from));
        place = end;
    }
    let mut fresh = |node: &mut Node, ty: Type| {
        let value = ValueId(node.values.len() as u32);
        node.values.push(Value { ty, origin: origin.clone() });
        taken.push(None);
        value
    };
    let mut array = base;
    let count = steps.len();
    for (number, (place, len, from)) in steps.into_iter().enumerate() {
        let index = Affine::constant(place as i64);
        let op = match from {
            Some((source, start)) if len > 1 => {
                let part = Type { len: Some(len as u32), ..ty };
                let piece = if node.ty(source) == part {
                    source
                } else {
                    let piece = fresh(node, part);
                    let slice = Op::Slice(source, Affine::constant(i64::from(start)));
                    block.operations.push(Operation { results: vec![piece], op: slice });
                    piece
                };
                Op::Splice(array, index, piece)
            }
            _ => Op::Set(array, index, atoms[place]),
        };
        array = if number + 1 == count { result } else { fresh(node, ty) };
        block.operations.push(Operation { results: vec![array], op });
    }
    if count == 0 {
        let op = Op::Slice(base, Affine::constant(0));
        block.operations.push(Operation { results: vec![result], op });
    }
}
