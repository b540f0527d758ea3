//! The cut between the halves: which values cross it, and what is on either side.

use super::{Class, Classes};
use std::collections::{BTreeMap, BTreeSet};
use usuba_ir::layout::Layout;
use usuba_ir::program::{
    Affine, Attributes, Block, Loop, Node, Op, Operation, Parameter, Type, Value, ValueId,
};

/// The values that one half makes and the other needs, with their places in the hoisted array.
pub(super) struct Cut {
    layout: Layout,
    atoms: u32,
    /// Where each value is, in terms of the loops around its definition.
    places: BTreeMap<ValueId, Affine>,
    /// Reads of what crosses as a whole: both halves do them.
    reads: BTreeSet<ValueId>,
}

impl Cut {
    /// The cut of a node; `None` if nothing crosses it, or values of several layouts.
    pub(super) fn of(node: &Node, classes: &Classes) -> Option<Cut> {
        let results = node.body.operations.iter().flat_map(|operation| &operation.results);
        let top: BTreeSet<ValueId> = node.body.parameters.iter().chain(results).copied().collect();
        let mut search = Search {
            classes,
            sources: BTreeMap::new(),
            needed: BTreeSet::new(),
            wanted: BTreeMap::new(),
            reads: BTreeSet::new(),
        };
        search.sources(&node.body, &top);
        search.block(&node.body, &|_| true);
        search.settle(node);
        let mut layouts: Vec<Layout> = search.needed.iter().map(|&value| node.ty(value).layout).collect();
        layouts.dedup();
        let &[layout] = layouts.as_slice() else { return None };
        let (atoms, places) = places(node, &search.needed, &node.body);
        let sorted = |mut place: Affine| {
            place.terms.sort_unstable();
            place
        };
        let places = places.into_iter().map(|(value, place)| (value, sorted(place))).collect();
        Some(Cut { layout, atoms, places, reads: search.reads })
    }

    /// The length of the hoisted array.
    pub(super) fn atoms(&self) -> u32 {
        self.atoms
    }

    /// Whether both halves do the read that makes this value.
    pub(super) fn reads(&self, value: ValueId) -> bool {
        self.reads.contains(&value)
    }

    fn ty(&self) -> Type {
        Type::array(self.layout, self.atoms)
    }

    /// The parameter that one half hands out and the other takes.
    fn parameter(&self, node: &Node, uniform: bool) -> Parameter {
        let mut name = "hoisted".to_owned();
        while node.inputs.iter().any(|input| input.name == name) {
            name.push('_');
        }
        Parameter { name, ty: self.ty(), shape: vec![self.atoms], uniform }
    }

    /// The half that makes the hoisted array.
    pub(super) fn hoisted(&self, node: &Node, classes: &Classes) -> Node {
        let mut values = node.values.clone();
        let mut body = Block::default();
        let mut inputs = Vec::new();
        for (input, &value) in node.inputs.iter().zip(&node.body.parameters) {
            if input.uniform {
                inputs.push(input.clone());
                body.parameters.push(value);
            }
        }
        let mut making = Making { cut: self, classes, values: &mut values };
        let zero = making.fresh(Type::atom(self.layout));
        body.operations.push(Operation { results: vec![zero], op: Op::Constant(0) });
        let empty = making.fresh(self.ty());
        let op = Op::Array(vec![zero; self.atoms as usize]);
        body.operations.push(Operation { results: vec![empty], op });
        let hoisted = making.fill(&node.body, &mut body.operations, empty);
        body.results.push(hoisted);
        let mut half = Node {
            name: node.name.clone(),
            attributes: Attributes::default(),
            inputs,
            outputs: vec![self.parameter(node, false)],
            values,
            inductions: node.inductions,
            body,
        };
        half.renumber();
        half
    }

    /// The half that needs it.
    pub(super) fn rest(&self, node: &Node, classes: &Classes) -> Node {
        let mut values = node.values.clone();
        let hoisted = ValueId(values.len() as u32);
        values.push(Value { ty: self.ty(), origin: Default::default() });
        let (mut inputs, mut parameters) = (Vec::new(), Vec::new());
        for (input, &value) in node.inputs.iter().zip(&node.body.parameters) {
            if !input.uniform {
                inputs.push(input.clone());
                parameters.push(value);
            } else if !parameters.contains(&hoisted) {
                inputs.push(self.parameter(node, true));
                parameters.push(hoisted);
            }
        }
        let mut body = self.rest_of(node, classes, hoisted, &node.body);
        body.parameters = parameters;
        body.results = node.body.results.clone();
        let mut half = Node { inputs, values, body, ..node.clone() };
        half.renumber();
        half
    }

    /// What is left of a block, but for parameters and results.
    fn rest_of(&self, node: &Node, classes: &Classes, hoisted: ValueId, block: &Block) -> Block {
        let mut operations = Vec::new();
        let read = |values: &[ValueId], operations: &mut Vec<Operation>| {
            for &value in values {
                if let Some(place) = self.places.get(&value) {
                    let op = match node.ty(value).len {
                        None => Op::Get(hoisted, place.clone()),
                        Some(_) => Op::Slice(hoisted, place.clone()),
                    };
                    operations.push(Operation { results: vec![value], op });
                }
            }
        };
        read(&block.parameters, &mut operations);
        for operation in &block.operations {
            match &operation.op {
                Op::Loop(inner) => {
                    let stays = |parameter: &ValueId| classes.at(*parameter) != Class::Keyed;
                    if inner.body.parameters.iter().any(stays) {
                        let mut body = self.rest_of(node, classes, hoisted, &inner.body);
                        let own = |values: &[ValueId]| of_those(values, &inner.body.parameters, stays);
                        (body.parameters, body.results) =
                            (own(&inner.body.parameters), own(&inner.body.results));
                        let op = Op::Loop(Loop {
                            initial: own(&inner.initial),
                            body,
                            induction: inner.induction,
                            trips: inner.trips,
                        });
                        operations.push(Operation { results: own(&operation.results), op });
                    }
                }
                op if classes.of_op(op) != Class::Keyed => operations.push(operation.clone()),
                _ if operation.results.iter().any(|result| self.reads.contains(result)) => {
                    operations.push(operation.clone());
                    continue;
                }
                _ => {}
            }
            read(&operation.results, &mut operations);
        }
        Block { parameters: Vec::new(), operations, results: Vec::new() }
    }
}

/// How many atoms cross in one run of a block, and where in them each value is. What crosses in one turn of a loop lies together,
/// so that a half reads from one place on, and that a turn more is so many atoms more.
fn places(node: &Node, needed: &BTreeSet<ValueId>, block: &Block) -> (u32, Vec<(ValueId, Affine)>) {
    let mut atoms = 0;
    let mut all = Vec::new();
    let results = block.operations.iter().flat_map(|operation| &operation.results);
    for &value in block.parameters.iter().chain(results).filter(|value| needed.contains(value)) {
        all.push((value, Affine::constant(i64::from(atoms))));
        atoms += node.ty(value).atoms();
    }
    for operation in &block.operations {
        if let Op::Loop(inner) = &operation.op {
            let (each, inside) = places(node, needed, &inner.body);
            for (value, mut place) in inside {
                place.constant += i64::from(atoms);
                place.terms.push((inner.induction, i64::from(each)));
                all.push((value, place));
            }
            atoms += each * inner.trips;
        }
    }
    (atoms, all)
}

/// The values whose parameters are among those that stay.
fn of_those(values: &[ValueId], parameters: &[ValueId], stays: impl Fn(&ValueId) -> bool) -> Vec<ValueId> {
    values.iter().zip(parameters).filter(|(_, parameter)| stays(parameter)).map(|(&value, _)| value).collect()
}

/// Looks for what crosses.
struct Search<'a> {
    classes: &'a Classes,
    /// What was read from which array of the outermost block, where both depend on keys only.
    sources: BTreeMap<ValueId, Source>,
    needed: BTreeSet<ValueId>,
    /// The reads that are needed, by the array that they read.
    wanted: BTreeMap<ValueId, BTreeSet<ValueId>>,
    /// Those of them that both halves do.
    reads: BTreeSet<ValueId>,
}

/// What a value was read from.
struct Source {
    array: ValueId,
    /// Whether it is one atom at a place that is always the same.
    is_fixed: bool,
}

impl Search<'_> {
    fn sources(&mut self, block: &Block, top: &BTreeSet<ValueId>) {
        for operation in &block.operations {
            match (&operation.op, operation.results.as_slice()) {
                (Op::Get(array, index) | Op::Slice(array, index), &[result]) if top.contains(array) => {
                    let is_fixed = index.terms.is_empty() && matches!(operation.op, Op::Get(..));
                    self.sources.insert(result, Source { array: *array, is_fixed });
                }
                (Op::Loop(inner), _) => self.sources(&inner.body, top),
                _ => {}
            }
        }
    }

    fn need(&mut self, value: ValueId) {
        if self.classes.at(value) != Class::Keyed {
            return;
        }
        match self.sources.get(&value) {
            Some(source) => self.wanted.entry(source.array).or_default().insert(value),
            None => self.needed.insert(value),
        };
    }

    /// Decides which arrays cross as a whole, to be read on either side, and of which only some atoms.
    fn settle(&mut self, node: &Node) {
        // What an array was read from has a smaller number.
        while let Some((array, reads)) = self.wanted.pop_last() {
            let few = 2 * reads.len() < node.ty(array).atoms() as usize;
            if few && !self.needed.contains(&array) && reads.iter().all(|read| self.sources[read].is_fixed) {
                self.needed.extend(reads);
            } else {
                self.reads.extend(reads);
                self.need(array);
            }
        }
    }

    /// What the other half needs of a block whose results it needs itself where `hands_out`, by their places.
    fn block(&mut self, block: &Block, hands_out: &dyn Fn(usize) -> bool) {
        for operation in &block.operations {
            match &operation.op {
                Op::Loop(inner) => {
                    let stays = |place: usize| self.classes.at(inner.body.parameters[place]) != Class::Keyed;
                    let stays: Vec<bool> = (0..inner.initial.len()).map(stays).collect();
                    for (&initial, _) in inner.initial.iter().zip(&stays).filter(|(_, stays)| **stays) {
                        self.need(initial);
                    }
                    if stays.contains(&true) {
                        self.block(&inner.body, &|place| stays[place]);
                    }
                }
                op if self.classes.of_op(op) != Class::Keyed => {
                    let mut operands = Vec::new();
                    op.operands(|operand| operands.push(operand));
                    operands.into_iter().for_each(|operand| self.need(operand));
                }
                _ => {}
            }
        }
        for (place, &result) in block.results.iter().enumerate() {
            if hands_out(place) {
                self.need(result);
            }
        }
    }
}

/// The half that makes the hoisted array, in the making.
struct Making<'a> {
    cut: &'a Cut,
    classes: &'a Classes,
    values: &'a mut Vec<Value>,
}

impl Making<'_> {
    fn fresh(&mut self, ty: Type) -> ValueId {
        self.values.push(Value { ty, origin: Default::default() });
        ValueId(self.values.len() as u32 - 1)
    }

    /// The array with those of the values put into it that cross.
    fn put(&mut self, values: &[ValueId], operations: &mut Vec<Operation>, mut hoisted: ValueId) -> ValueId {
        for &value in values {
            if let Some(place) = self.cut.places.get(&value) {
                let op = match self.values[value.index()].ty.len {
                    None => Op::Set(hoisted, place.clone(), value),
                    Some(_) => Op::Splice(hoisted, place.clone(), value),
                };
                hoisted = self.fresh(self.cut.ty());
                operations.push(Operation { results: vec![hoisted], op });
            }
        }
        hoisted
    }

    /// Adds what this half computes of a block, parameters put in place first; the hoisted array after it.
    fn fill(&mut self, block: &Block, operations: &mut Vec<Operation>, hoisted: ValueId) -> ValueId {
        let mut hoisted = self.put(&block.parameters, operations, hoisted);
        for operation in &block.operations {
            match &operation.op {
                Op::Loop(inner) => hoisted = self.looped(inner, &operation.results, operations, hoisted),
                op if self.classes.of_op(op) != Class::Varying => operations.push(operation.clone()),
                _ => continue,
            }
            hoisted = self.put(&operation.results, operations, hoisted);
        }
        hoisted
    }

    fn looped(
        &mut self,
        inner: &Loop,
        results: &[ValueId],
        operations: &mut Vec<Operation>,
        hoisted: ValueId,
    ) -> ValueId {
        let classes = self.classes;
        let stays = |parameter: &ValueId| classes.at(*parameter) != Class::Varying;
        let own = |values: &[ValueId]| of_those(values, &inner.body.parameters, stays);
        let (mut initial, mut outcome) = (own(&inner.initial), own(results));
        let mut body = Block { parameters: own(&inner.body.parameters), ..Block::default() };
        let carried = self.fresh(self.cut.ty());
        let next = self.fill(&inner.body, &mut body.operations, carried);
        body.results = own(&inner.body.results);
        let mut after = hoisted;
        if next != carried {
            after = self.fresh(self.cut.ty());
            initial.push(hoisted);
            body.parameters.push(carried);
            body.results.push(next);
            outcome.push(after);
        }
        if !initial.is_empty() {
            let op = Op::Loop(Loop { initial, body, induction: inner.induction, trips: inner.trips });
            operations.push(Operation { results: outcome, op });
        }
        after
    }
}
