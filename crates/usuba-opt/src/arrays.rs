//! Carry arrays where loops carry more atoms than registers can hold.
//!
//! In: any program. Out: no loop carries more than [`Settings::carried_atoms`] atoms of one layout: they are the elements of one carried array,
//! read where they are used first. Atoms that are carried have to be somewhere at the end of a trip, all at the same time;
//! if that is in memory, an array says so, and what stores them can be the operation that makes them. An array of so many
//! atoms that differs from another one in a quarter of its places at most becomes an update of that one: only what is new
//! is stored. Cost: linear.
//!
//! Laws used: `get([x,…],j)` = its j-th, and `[get(a,0),…,x,…] = set(a,i,x)` at full length, x at place i.

use crate::pass::{Settings, open_nodes};
use std::collections::BTreeMap;
use usuba_ir::layout::Layout;
use usuba_ir::program::{Affine, Block, Loop, Node, Op, Operation, Program, Type, Value, ValueId};

/// The pass.
pub fn run(program: &mut Program, settings: &Settings) {
    for node in open_nodes(program) {
        let mut body = std::mem::take(&mut node.body);
        Arrays { node, most: settings.carried_atoms.max(1) }.block(&mut body);
        node.body = body;
        node.renumber();
    }
}

struct Arrays<'a> {
    node: &'a mut Node,
    /// The most atoms that a loop carries.
    most: usize,
}

impl Arrays<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut operations = Vec::with_capacity(block.operations.len());
        // The elements that stand for atoms, to be read where they are used first.
        let mut reads = BTreeMap::new();
        for mut operation in std::mem::take(&mut block.operations) {
            if let Op::Loop(inner) = &mut operation.op {
                self.looped(inner, &mut operation.results, &mut operations, &mut reads);
                self.block(&mut inner.body);
            }
            operations.push(operation);
        }
        place(operations, reads, block);
        self.update(block);
    }

    /// Turns arrays of so many atoms, most of which are at their places in another one, into updates of that one.
    fn update(&mut self, block: &mut Block) {
        let mut sources: BTreeMap<ValueId, (ValueId, Affine)> = BTreeMap::new();
        for operation in std::mem::take(&mut block.operations) {
            match (&operation.op, operation.results.as_slice()) {
                (Op::Get(array, index), &[atom]) => {
                    sources.insert(atom, (*array, index.clone()));
                }
                (Op::Array(atoms), &[result]) if atoms.len() > self.most => {
                    let places = (0..).map(Affine::constant);
                    let own = |(atom, place): (&ValueId, Affine)| {
                        sources.get(atom).filter(|(_, index)| *index == place).map(|(array, _)| *array)
                    };
                    let arrays: Vec<Option<ValueId>> = atoms.iter().zip(places).map(own).collect();
                    let older = arrays.iter().copied().flatten().next();
                    let changed: Vec<usize> =
                        (0..atoms.len()).filter(|&place| arrays[place] != older).collect();
                    if let (Some(older), Some((&last, others))) = (older, changed.split_last())
                        && 4 * changed.len() <= atoms.len()
                        && self.node.ty(older) == self.node.ty(result)
                    {
                        let mut current = older;
                        for &place in others {
                            let next = self.fresh(self.node.ty(result), atoms[place]);
                            let op = Op::Set(current, Affine::constant(place as i64), atoms[place]);
                            block.operations.push(Operation { results: vec![next], op });
                            current = next;
                        }
                        let op = Op::Set(current, Affine::constant(last as i64), atoms[last]);
                        block.operations.push(Operation { results: vec![result], op });
                        continue;
                    }
                }
                _ => {}
            }
            block.operations.push(operation);
        }
    }

    /// Packs what a loop carries, and its body's reads.
    fn looped(
        &mut self,
        inner: &mut Loop,
        results: &mut Vec<ValueId>,
        before: &mut Vec<Operation>,
        after: &mut BTreeMap<ValueId, Operation>,
    ) {
        let mut places: BTreeMap<Layout, Vec<usize>> = BTreeMap::new();
        for (place, &parameter) in inner.body.parameters.iter().enumerate() {
            let Type { layout, len: None } = self.node.ty(parameter) else { continue };
            places.entry(layout).or_default().push(place);
        }
        if let Some((layout, places)) = places.into_iter().find(|(_, places)| places.len() > self.most) {
            let ty = Type::array(layout, places.len() as u32);
            let packed =
                |values: &[ValueId]| -> Vec<ValueId> { places.iter().map(|&place| values[place]).collect() };
            let (initial, parameters) = (packed(&inner.initial), packed(&inner.body.parameters));
            let (next, last) = (packed(&inner.body.results), packed(results));
            let [first, carried, yielded, outcome] =
                [initial[0], parameters[0], next[0], last[0]].map(|like| self.fresh(ty, like));
            before.push(Operation { results: vec![first], op: Op::Array(initial) });
            let mut body_reads = BTreeMap::new();
            read(carried, &parameters, &mut body_reads);
            read(outcome, &last, after);
            let body = &mut inner.body;
            body.operations.push(Operation { results: vec![yielded], op: Op::Array(next) });
            place(std::mem::take(&mut body.operations), body_reads, body);
            for (values, array) in [
                (&mut inner.initial, first),
                (&mut body.parameters, carried),
                (&mut body.results, yielded),
                (&mut *results, outcome),
            ] {
                let mut number = 0;
                values.retain(|_| {
                    number += 1;
                    !places.contains(&(number - 1))
                });
                values.push(array);
            }
            // Places have moved: other layouts are counted anew.
            self.looped(inner, results, before, after);
        }
    }

    /// A value with the origin of another.
    fn fresh(&mut self, ty: Type, like: ValueId) -> ValueId {
        let mut origin = self.node.value(like).origin.clone();
        origin.name = origin.name.map(|name| name.split('[').next().unwrap_or(&name).into());
        self.node.values.push(Value { ty, origin });
        ValueId(self.node.values.len() as u32 - 1)
    }
}

/// The reads that give atoms from the elements of an array.
fn read(array: ValueId, atoms: &[ValueId], reads: &mut BTreeMap<ValueId, Operation>) {
    for (place, &atom) in atoms.iter().enumerate() {
        let op = Op::Get(array, Affine::constant(place as i64));
        reads.insert(atom, Operation { results: vec![atom], op });
    }
}

/// Makes these the operations of a block, with each read before the first operation that uses its result; those that the
/// block only hands out come last.
fn place(operations: Vec<Operation>, mut reads: BTreeMap<ValueId, Operation>, block: &mut Block) {
    for operation in operations {
        if !reads.is_empty() {
            each_use(&operation, &mut |value| block.operations.extend(reads.remove(&value)));
        }
        block.operations.push(operation);
    }
    block.operations.extend(reads.into_values());
}

/// The values that an operation uses, those in loop bodies included.
fn each_use(operation: &Operation, see: &mut dyn FnMut(ValueId)) {
    operation.op.operands(&mut *see);
    if let Op::Loop(inner) = &operation.op {
        inner.body.operations.iter().for_each(|operation| each_use(operation, see));
        inner.body.results.iter().for_each(|&result| see(result));
    }
}
