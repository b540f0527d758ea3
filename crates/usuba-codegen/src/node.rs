//! From a node of Usuba0 to a function of a machine program: registers for atoms, regions for arrays.
//!
//! Arrays are values in Usuba0 and memory here. Each live array value has a [`Place`]; an update reuses the place of the
//! array that it updates if nothing reads that array, or another one in the same region, afterwards. Otherwise it
//! copies. The invariant that makes this right: **while a value is live, no step writes to its place**. The values
//! whose places lie in a region are its *occupants*.

mod memory;

use crate::admission::{missing_operation, missing_row};
use crate::life::Life;
use crate::messages::{Fault, Internal, Missing, NoCode, Reason};
use crate::operate::operate;
use crate::overwrite::replaces_all;
use crate::rules::RULES;
use crate::select::{Selector, Used};
use crate::signature::{InputSlot, OutputSlot, Signature};
use memory::{Pending, Place, sum};
use std::collections::BTreeMap;
use std::sync::Arc;
use usuba_ir::layout::Slicing;
use usuba_ir::program::{Affine, Block, InductionId, Node, NodeId, Op, Operation, Program, ValueId};
use usuba_machine::Shape;
use usuba_machine::program::{
    Address, Argument, Call, Carried, Function, Loop, Parameter, Region, RegionId, RegisterId, Role, Step,
    Trips,
};
use usuba_target::{Instruction, Meaning, Target};

/// Where a value is.
#[derive(Clone, Debug)]
enum Binding {
    Register(RegisterId),
    Place(Place),
}

/// An open block.
struct Scope {
    home: Option<InductionId>,
    position: usize,
    /// Where the carried arrays are, by number.
    carried: Vec<Option<Place>>,
    /// By the position that they wait for, then in the order in which they were asked for.
    pending: BTreeMap<(usize, usize), Pending>,
    asked: usize,
    /// Where arrays built in this block go, decided on entry.
    planned: BTreeMap<ValueId, Place>,
}

/// Writes one function.
pub(crate) struct NodeWriter<'a> {
    program: &'a Program,
    node: &'a Node,
    signatures: &'a [Option<Signature>],
    life: Life,
    s: Selector<'a>,
    regions: Vec<Region>,
    occupants: Vec<Vec<ValueId>>,
    bindings: Vec<Option<Binding>>,
    scopes: Vec<Scope>,
    /// The loop whose carried arrays are being placed: its scope is not open yet, but they live already.
    opening: Option<InductionId>,
    /// The region of each output and the place in it.
    outputs: Vec<Address>,
    claimed: Vec<bool>,
    load: &'static Instruction,
    store: &'static Instruction,
    broadcast: &'static Instruction,
    missing: Vec<Missing>,
}

/// Makes the function of a node, and adds the rules that it takes to `rules`.
///
/// # Errors
/// What the target has no code for, all of it; or the first operation that does not make sense.
pub(crate) fn write_node(
    program: &Program,
    node: &Node,
    signature: &Signature,
    signatures: &[Option<Signature>],
    target: &Target,
    shape: Shape,
    rules: &mut Used,
) -> Result<Function, NoCode> {
    let s = Selector::new(target, shape, RULES);
    let row = |meaning, lane| {
        let lacking = |reason| NoCode::Missing(vec![missing_row(node, target, reason)]);
        s.row(meaning, lane).map_err(lacking)
    };
    let load = row(Meaning::Load, shape.lane)?;
    let store = row(Meaning::Store, shape.lane)?;
    let repeat = match shape.slicing {
        // One general-purpose register; vectors repeat anything for as little.
        Slicing::B if target.single_lane && shape.mask_bits < shape.register_bits => Meaning::RepeatMask,
        _ => Meaning::Broadcast,
    };
    let broadcast = row(repeat, shape.uniform_bits())?;
    let count = node.values.len();
    let mut writer = NodeWriter {
        program,
        node,
        signatures,
        life: Life::of(node),
        s,
        regions: Vec::new(),
        occupants: Vec::new(),
        bindings: vec![None; count],
        scopes: Vec::new(),
        opening: None,
        outputs: Vec::new(),
        claimed: vec![false; node.outputs.len()],
        load,
        store,
        broadcast,
        missing: Vec::new(),
    };
    let in_node = |fault: Internal| NoCode::Internal(fault.in_node(node));
    let parameters = writer.parameters(signature).map_err(in_node)?;
    writer.body().map_err(in_node)?;
    if !writer.missing.is_empty() {
        return Err(NoCode::Missing(writer.missing));
    }
    let body = writer.s.end();
    rules.extend(writer.s.used);
    Ok(Function {
        name: node.name.clone(),
        inline: node.attributes.inline,
        parameters,
        registers: writer.s.registers,
        regions: writer.regions,
        constants: writer.s.constants,
        body,
    })
}

/// That lists which belong together have one length.
fn paired(what: &'static str, lengths: &[usize]) -> Result<(), Internal> {
    match lengths.iter().find(|&&length| length != lengths[0]) {
        Some(&found) => Err(Fault::Count { what, expected: lengths[0], found }.into()),
        None => Ok(()),
    }
}

impl NodeWriter<'_> {
    fn parameters(&mut self, signature: &Signature) -> Result<Vec<Parameter>, Internal> {
        let node = self.node;
        paired("inputs", &[node.inputs.len(), node.body.parameters.len(), signature.inputs.len()])?;
        paired("outputs", &[node.outputs.len(), node.body.results.len(), signature.outputs.len()])?;
        let mut parameters = Vec::new();
        let gathered = signature.gathered_inputs();
        let gathered_region = (gathered > 0).then(|| self.region("atoms", gathered, Role::Input));
        for ((input, &value), slot) in node.inputs.iter().zip(&node.body.parameters).zip(&signature.inputs) {
            let name = &input.name;
            let atoms = input.ty.atoms();
            let parameter = match slot {
                InputSlot::Register => {
                    let register = self.s.fresh();
                    self.s.registers[register.index()].name = Some(Arc::from(name.as_str()));
                    self.bindings[value.index()] = Some(Binding::Register(register));
                    Parameter::Register(register)
                }
                InputSlot::Region { uniform } => {
                    let role = if *uniform { Role::Uniform } else { Role::Input };
                    let region = self.region(name, atoms, role);
                    self.bind_input(value, region, 0);
                    Parameter::Region(region)
                }
                InputSlot::Gathered(place) => {
                    if let Some(region) = gathered_region {
                        self.bind_input(value, region, i64::from(*place));
                    }
                    continue;
                }
            };
            parameters.push(parameter);
        }
        if let Some(region) = gathered_region {
            parameters.push(Parameter::Region(region));
        }
        let gathered = signature.gathered_outputs();
        let gathered_region = (gathered > 0).then(|| self.region("results", gathered, Role::Output));
        for (output, slot) in node.outputs.iter().zip(&signature.outputs) {
            let (region, place) = match (slot, gathered_region) {
                (OutputSlot::Gathered(place), Some(region)) => (region, *place),
                _ => {
                    let region = self.region(&output.name, output.ty.atoms(), Role::Output);
                    parameters.push(Parameter::Region(region));
                    (region, 0)
                }
            };
            self.outputs.push(Address { region, index: Affine::constant(i64::from(place)) });
        }
        if let Some(region) = gathered_region {
            parameters.push(Parameter::Region(region));
        }
        Ok(parameters)
    }

    /// An input in memory: an array stays there, an atom is loaded, if it is used.
    fn bind_input(&mut self, value: ValueId, region: RegionId, index: i64) {
        let index = Affine::constant(index);
        match self.node.ty(value).len {
            Some(len) => self.occupy(value, Place { region, base: index, len }),
            None if self.life.is_live(value) => self.load(value, Address { region, index }),
            None => {}
        }
    }

    fn body(&mut self) -> Result<(), Internal> {
        let node = self.node;
        let end = node.body.operations.len();
        self.scopes.push(Scope::new(None));
        for (number, &result) in node.body.results.iter().enumerate() {
            if self.node.ty(result).len.is_none() {
                let position =
                    if self.life.home(result).is_none() { self.life.defined(result) } else { None };
                let address = self.outputs[number].clone();
                self.wait(Pending { position: position.unwrap_or(end), value: result, address, len: 1 });
            }
        }
        self.block(&node.body)?;
        let mut moves = Vec::new();
        for (number, &result) in node.body.results.iter().enumerate() {
            if let Some(len) = self.node.ty(result).len {
                let Address { region, index } = self.outputs[number].clone();
                let to = Place { region, base: index, len };
                let from = self.place(result)?;
                if from != to {
                    moves.push((from, to));
                }
            }
        }
        self.move_all(moves)?;
        self.flush(end)?;
        self.scopes.pop();
        Ok(())
    }

    fn block(&mut self, block: &Block) -> Result<(), Internal> {
        self.plan(block);
        for (position, operation) in block.operations.iter().enumerate() {
            if self.life.is_wanted(&operation.results) {
                if let Some(scope) = self.scopes.last_mut() {
                    scope.position = position;
                }
                self.operation(operation, position)
                    .and_then(|()| self.flush(position))
                    .map_err(|fault| fault.at(self.program, self.node, operation))?;
            }
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.position = block.operations.len();
        }
        Ok(())
    }

    fn operation(&mut self, operation: &Operation, position: usize) -> Result<(), Internal> {
        self.s.place = operation.results.first().and_then(|&result| self.node.value(result).origin.place);
        match (&operation.op, operation.results.as_slice()) {
            (Op::Call(callee, arguments), results) => return self.call(*callee, arguments, results),
            (Op::Loop(inner), results) => return self.looped(inner, results, position),
            (Op::Array(_), &[result]) => {
                let planned = self.scopes.last().and_then(|scope| scope.planned.get(&result).cloned());
                let place = planned.ok_or(Fault::NoMemory(result))?;
                self.flush(position)?;
                self.occupy(result, place);
            }
            (Op::Get(array, index), &[result]) => {
                let place = self.place(*array)?;
                let address = self.address(&place, index);
                self.load(result, address);
            }
            (Op::Set(array, index, atom), &[result]) => {
                let place = self.writable(*array, result)?;
                let value = self.register(*atom)?;
                let address = self.address(&place, index);
                self.s.push(Step::Store { row: self.store, address, value });
                self.occupy(result, place);
            }
            (Op::Slice(array, index), &[result]) => {
                let place = self.place(*array)?;
                let base = sum(&place.base, index);
                let len = self.len(result)?;
                self.occupy(result, Place { region: place.region, base, len });
            }
            (Op::Splice(array, index, part), &[result]) => {
                let (whole, from) = (self.place(*array)?, self.place(*part)?);
                let place = if whole.region == from.region {
                    let fresh = self.local(result, whole.len);
                    self.copy(&whole, &fresh)?;
                    fresh
                } else {
                    self.writable(*array, result)?
                };
                let to = Place { region: place.region, base: sum(&place.base, index), len: from.len };
                self.copy(&from, &to)?;
                self.occupy(result, place);
            }
            (Op::Refresh(array), &[result]) if self.node.ty(*array).len.is_some() => {
                let place = self.place(*array)?;
                self.occupy(result, place);
            }
            (op, &[result]) => self.atom(op, result)?,
            (_, results) => {
                return Err(Fault::Count { what: "results", expected: 1, found: results.len() }.into());
            }
        }
        Ok(())
    }

    fn atom(&mut self, op: &Op, result: ValueId) -> Result<(), Internal> {
        let mut operands = Vec::new();
        op.operands(|operand| operands.push(operand));
        let registers =
            operands.into_iter().map(|operand| self.register(operand)).collect::<Result<Vec<_>, _>>()?;
        let register = match operate(&mut self.s, op, self.node.ty(result).layout, &registers) {
            Ok(register) => register,
            Err(Reason::Malformed(what)) => return Err(Fault::Operation(what).into()),
            Err(reason) => {
                let found = missing_operation(self.program, self.node, op, result, self.s.target, reason);
                self.missing.push(found);
                // What uses the result is looked at all the same: everything that is missing is told.
                self.s.fresh()
            }
        };
        self.bind(result, register);
        Ok(())
    }

    fn call(&mut self, callee: NodeId, arguments: &[ValueId], results: &[ValueId]) -> Result<(), Internal> {
        let signature = self.signatures.get(callee.index()).and_then(Option::as_ref);
        let signature = signature.ok_or(Fault::NoFunction(callee.0))?;
        let callee = self.program.node(callee);
        paired("arguments", &[signature.inputs.len(), arguments.len()])?;
        paired("results", &[signature.outputs.len(), results.len()])?;
        let mut list = Vec::new();
        let gathered = signature.gathered_inputs();
        let gathered_region = (gathered > 0).then(|| self.local_named("atoms", gathered));
        for (&argument, slot) in arguments.iter().zip(&signature.inputs) {
            match slot {
                InputSlot::Register => {
                    list.push(Argument::Value(self.register(argument)?));
                }
                InputSlot::Region { uniform } => {
                    let mut place = self.place(argument)?;
                    if !uniform && self.regions[place.region.index()].role == Role::Uniform {
                        let copy = self.local(argument, place.len);
                        self.copy(&place, &copy)?;
                        place = copy;
                    }
                    list.push(Argument::Read(self.address(&place, &Affine::constant(0))));
                }
                InputSlot::Gathered(number) => {
                    let value = self.register(argument)?;
                    let region = gathered_region.ok_or(Fault::NoMemory(argument))?;
                    let address = Address { region, index: Affine::constant(i64::from(*number)) };
                    self.s.push(Step::Store { row: self.store, address, value });
                }
            }
        }
        let start = |region| Address { region, index: Affine::constant(0) };
        list.extend(gathered_region.map(|region| Argument::Read(start(region))));
        let gathered = signature.gathered_outputs();
        let gathered_region = (gathered > 0).then(|| self.local_named("results", gathered));
        let mut loads = Vec::new();
        for ((&result, slot), output) in results.iter().zip(&signature.outputs).zip(&callee.outputs) {
            match (slot, gathered_region) {
                (OutputSlot::Gathered(number), Some(region)) => {
                    loads.push((result, Address { region, index: Affine::constant(i64::from(*number)) }));
                }
                _ => match output.ty.len {
                    None => {
                        let register = self.s.fresh();
                        self.bind(result, register);
                        list.push(Argument::Result(register));
                    }
                    Some(len) => {
                        let place = self.destination(result, len);
                        list.push(Argument::Write(self.address(&place, &Affine::constant(0))));
                        self.occupy(result, place);
                    }
                },
            }
        }
        list.extend(gathered_region.map(|region| Argument::Write(start(region))));
        self.s.push(Step::Call(Call { function: signature.function, arguments: list }));
        for (result, address) in loads {
            if self.life.is_live(result) {
                self.load(result, address);
            }
        }
        Ok(())
    }

    fn looped(
        &mut self,
        inner: &usuba_ir::program::Loop,
        results: &[ValueId],
        position: usize,
    ) -> Result<(), Internal> {
        let Block { parameters, results: next, .. } = &inner.body;
        paired("carried values", &[results.len(), inner.initial.len(), parameters.len(), next.len()])?;
        let mut carried = Vec::new();
        let mut scope = Scope::new(Some(inner.induction));
        self.opening = Some(inner.induction);
        for (number, (&initial, &parameter)) in inner.initial.iter().zip(&inner.body.parameters).enumerate() {
            scope.carried.push(None);
            if !self.life.is_live(parameter) {
                continue;
            }
            if self.node.ty(parameter).len.is_none() {
                let first = self.register(initial)?;
                let register = self.s.fresh();
                self.bind(parameter, register);
                carried.push((number, register, first));
                continue;
            }
            let from = self.place(initial)?;
            // The parameter that took an array's place lives: a second use of the array as initial value copies it.
            let reusable = self.life.home(initial) == self.home()
                && self.life.last(initial) <= position
                && self.life.inside(initial) != Some(position)
                && self.is_writable(from.region)
                && self.others(from.region, initial).all(|other| self.is_dead(other, position, true));
            let place = if reusable {
                self.occupants[from.region.index()].clear();
                from
            } else {
                let fresh = self.destination(results[number], from.len);
                if !replaces_all(self.node, inner, number) {
                    self.copy(&from, &fresh)?;
                }
                self.occupants[fresh.region.index()].clear();
                fresh
            };
            self.occupy(parameter, place.clone());
            scope.carried[number] = Some(place);
        }
        self.opening = None;
        self.s.begin();
        self.scopes.push(scope);
        self.block(&inner.body)?;
        let mut moves = Vec::new();
        for (number, &result) in inner.body.results.iter().enumerate() {
            if let Some(to) = self.carried_place(number) {
                let from = self.place(result)?;
                if from != to {
                    moves.push((from, to));
                }
            }
        }
        self.move_all(moves)?;
        let ended = self.scopes.pop();
        let body = self.s.end();
        let mut list = Vec::new();
        for (number, register, initial) in carried {
            let next = self.register(inner.body.results[number])?;
            list.push(Carried { register, initial, next });
            self.bind(results[number], register);
        }
        for (number, place) in ended.map(|scope| scope.carried).unwrap_or_default().into_iter().enumerate() {
            if let Some(place) = place {
                self.occupants[place.region.index()].clear();
                self.occupy(results[number], place);
            }
        }
        self.s.push(Step::Loop(Loop {
            induction: inner.induction,
            trips: Trips::Constant(inner.trips),
            carried: list,
            body,
        }));
        Ok(())
    }
}

impl Scope {
    fn new(home: Option<InductionId>) -> Scope {
        Scope {
            home,
            position: 0,
            carried: Vec::new(),
            pending: BTreeMap::new(),
            asked: 0,
            planned: BTreeMap::new(),
        }
    }
}
