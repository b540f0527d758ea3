//! From a node of Usuba0 to a function of the block form: registers for atoms, buffers for arrays.
//!
//! Arrays are values in Usuba0 and memory here. Each live array value has a [`Place`]; an update reuses the place of the
//! array that it updates if nothing reads that array, or another one in the same buffer, afterwards. Otherwise it
//! copies. The invariant that makes this right: **while a value is live, no step writes to its place**. The values
//! whose places lie in a buffer are its *occupants*.

use crate::admission::{missing_operation, missing_row};
use crate::life::{Life, Next};
use crate::messages::{Fault, Internal, Missing, NoCode, Reason};
use crate::operate::operate;
use crate::overwrite::{is_overwritten, replaces_all};
use crate::rules::RULES;
use crate::select::Selector;
use crate::signature::{InputSlot, OutputSlot, Signature};
use std::sync::Arc;
use usuba_ir::program::{Affine, Block, InductionId, Node, NodeId, Op, Operation, Program, ValueId};
use usuba_machine::Shape;
use usuba_machine::program::{
    Address, Argument, Call, Carried, Element, Function, Length, Loop, Parameter, Region, RegionId,
    RegisterId, Role, Step, Trips,
};
use usuba_target::{Instruction, Meaning, Target};

/// Runs of equal elements at least this long are written by a loop.
const FILL: usize = 8;

/// Where an array lies: `len` atoms from `base` on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    buffer: RegionId,
    base: Affine,
    len: u32,
}

/// Where a value is.
#[derive(Clone, Debug)]
enum Binding {
    Register(RegisterId),
    Place(Place),
}

/// Stores that wait for a position of their block.
struct Pending {
    position: usize,
    value: ValueId,
    address: Address,
    len: u32,
}

/// An open block.
struct Scope {
    home: Option<InductionId>,
    position: usize,
    /// Where the carried arrays are, by number.
    carried: Vec<Option<Place>>,
    pending: Vec<Pending>,
    /// Where arrays built in this block go, decided on entry.
    planned: Vec<(ValueId, Place)>,
}

/// Writes one function.
pub(crate) struct NodeWriter<'a> {
    program: &'a Program,
    node: &'a Node,
    signatures: &'a [Option<Signature>],
    life: Life,
    s: Selector<'a>,
    buffers: Vec<Region>,
    occupants: Vec<Vec<ValueId>>,
    bindings: Vec<Option<Binding>>,
    scopes: Vec<Scope>,
    /// The loop whose carried arrays are being placed: its scope is not open yet, but they live already.
    opening: Option<InductionId>,
    /// The buffer of each output and the place in it.
    outputs: Vec<Address>,
    claimed: Vec<bool>,
    load: &'static Instruction,
    store: &'static Instruction,
    broadcast: &'static Instruction,
    missing: Vec<Missing>,
}

/// Makes the function of a node.
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
) -> Result<Function, NoCode> {
    let s = Selector::new(target, shape, RULES);
    let row = |meaning, lane| {
        let lacking = |reason| NoCode::Missing(vec![missing_row(node, target, reason)]);
        s.row(meaning, lane).map_err(lacking)
    };
    let load = row(Meaning::Load, shape.lane)?;
    let store = row(Meaning::Store, shape.lane)?;
    let broadcast = row(Meaning::Broadcast, shape.uniform_bits())?;
    let count = node.values.len();
    let mut writer = NodeWriter {
        program,
        node,
        signatures,
        life: Life::of(node),
        s,
        buffers: Vec::new(),
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
    Ok(Function {
        name: node.name.clone(),
        inline: node.attributes.inline,
        parameters,
        registers: writer.s.registers,
        regions: writer.buffers,
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

fn sum(a: &Affine, b: &Affine) -> Affine {
    let mut terms = a.terms.clone();
    for &(induction, coefficient) in &b.terms {
        match terms.binary_search_by_key(&induction, |&(other, _)| other) {
            Ok(found) => terms[found].1 += coefficient,
            Err(at) => terms.insert(at, (induction, coefficient)),
        }
    }
    terms.retain(|&(_, coefficient)| coefficient != 0);
    Affine { constant: a.constant + b.constant, terms }
}

impl NodeWriter<'_> {
    fn parameters(&mut self, signature: &Signature) -> Result<Vec<Parameter>, Internal> {
        let node = self.node;
        paired("inputs", &[node.inputs.len(), node.body.parameters.len(), signature.inputs.len()])?;
        paired("outputs", &[node.outputs.len(), node.body.results.len(), signature.outputs.len()])?;
        let mut parameters = Vec::new();
        let gathered = signature.gathered_inputs();
        let gathered_buffer = (gathered > 0).then(|| self.buffer("atoms", gathered, Role::Input));
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
                InputSlot::Buffer { uniform } => {
                    let role = if *uniform { Role::Uniform } else { Role::Input };
                    let buffer = self.buffer(name, atoms, role);
                    self.bind_input(value, buffer, 0);
                    Parameter::Region(buffer)
                }
                InputSlot::Gathered(place) => {
                    if let Some(buffer) = gathered_buffer {
                        self.bind_input(value, buffer, i64::from(*place));
                    }
                    continue;
                }
            };
            parameters.push(parameter);
        }
        if let Some(buffer) = gathered_buffer {
            parameters.push(Parameter::Region(buffer));
        }
        let gathered = signature.gathered_outputs();
        let gathered_buffer = (gathered > 0).then(|| self.buffer("results", gathered, Role::Output));
        for (output, slot) in node.outputs.iter().zip(&signature.outputs) {
            let (buffer, place) = match (slot, gathered_buffer) {
                (OutputSlot::Gathered(place), Some(buffer)) => (buffer, *place),
                _ => {
                    let buffer = self.buffer(&output.name, output.ty.atoms(), Role::Output);
                    parameters.push(Parameter::Region(buffer));
                    (buffer, 0)
                }
            };
            self.outputs.push(Address { region: buffer, index: Affine::constant(i64::from(place)) });
        }
        if let Some(buffer) = gathered_buffer {
            parameters.push(Parameter::Region(buffer));
        }
        Ok(parameters)
    }

    /// An input in memory: an array stays there, an atom is loaded, if it is used.
    fn bind_input(&mut self, value: ValueId, buffer: RegionId, index: i64) {
        let index = Affine::constant(index);
        match self.node.ty(value).len {
            Some(len) => self.occupy(value, Place { buffer, base: index, len }),
            None if self.life.is_live(value) => self.load(value, Address { region: buffer, index }),
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
                let Address { region: buffer, index } = self.outputs[number].clone();
                let to = Place { buffer, base: index, len };
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

    /// Decides where the arrays that this block builds go, so that each atom is stored as soon as it is there: compilers
    /// do not move stores up, and a row of stores at the end of a block costs spills.
    fn plan(&mut self, block: &Block) {
        let home = self.home();
        for (position, operation) in block.operations.iter().enumerate() {
            let (Op::Array(atoms), &[result]) = (&operation.op, operation.results.as_slice()) else {
                continue;
            };
            if !self.life.is_live(result) {
                continue;
            }
            let mut earliest = 0;
            let mut chosen = None;
            match self.destiny(result) {
                Some(Next::Output(number)) => chosen = self.claim_output(number),
                Some(Next::Carried(induction, number)) if Some(induction) == home => {
                    let horizon =
                        block.parameters.get(number).and_then(|&carried| self.horizon(block, carried));
                    if let Some(horizon) = horizon.filter(|&horizon| horizon <= position) {
                        earliest = horizon;
                        chosen = self.carried_place(number);
                    }
                }
                _ => {}
            }
            let place = chosen.unwrap_or_else(|| self.local(result, atoms.len() as u32));
            let mut index = if is_overwritten(self.node, block, result) { atoms.len() } else { 0 };
            while index < atoms.len() {
                let value = atoms[index];
                let run = atoms[index..].iter().take_while(|&&other| other == value).count();
                let run = if run >= FILL { run } else { 1 };
                let defined = if self.life.home(value) == home { self.life.defined(value) } else { None };
                let address = self.address(&place, &Affine::constant(index as i64));
                let position = defined.unwrap_or(position).max(earliest);
                self.wait(Pending { position, value, address, len: run as u32 });
                index += run;
            }
            if let Some(scope) = self.scopes.last_mut() {
                scope.planned.push((result, place));
            }
        }
    }

    /// The last position of `block` that reads `array`, a parameter of it, or what may share its buffer; `None` if that
    /// lives to the end of the block elsewhere than in the array's own successor.
    fn horizon(&self, block: &Block, array: ValueId) -> Option<usize> {
        let mut sharing = vec![array];
        let mut last = 0;
        for (position, operation) in block.operations.iter().enumerate() {
            if !self.life.is_wanted(&operation.results) {
                continue;
            }
            let mut used = false;
            operation.op.operands(|operand| used |= sharing.contains(&operand));
            match &operation.op {
                Op::Slice(from, _) | Op::Set(from, ..) | Op::Splice(from, ..) | Op::Refresh(from)
                    if sharing.contains(from) =>
                {
                    sharing.push(operation.results[0]);
                }
                Op::Loop(inner) => {
                    used |= sharing.iter().any(|&value| self.life.inside(value) == Some(position));
                    for (initial, &result) in inner.initial.iter().zip(&operation.results) {
                        if sharing.contains(initial) {
                            sharing.push(result);
                        }
                    }
                }
                _ => {}
            }
            if used {
                last = position;
            }
        }
        let escapes = block.results.iter().any(|result| sharing.contains(result));
        (!escapes).then_some(last)
    }

    fn operation(&mut self, operation: &Operation, position: usize) -> Result<(), Internal> {
        self.s.place = operation.results.first().and_then(|&result| self.node.value(result).origin.place);
        match (&operation.op, operation.results.as_slice()) {
            (Op::Call(callee, arguments), results) => return self.call(*callee, arguments, results),
            (Op::Loop(inner), results) => return self.looped(inner, results, position),
            (Op::Array(_), &[result]) => {
                let planned = self.scopes.last().and_then(|scope| {
                    scope.planned.iter().find(|(value, _)| *value == result).map(|(_, place)| place.clone())
                });
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
                self.occupy(result, Place { buffer: place.buffer, base, len });
            }
            (Op::Splice(array, index, part), &[result]) => {
                let (whole, from) = (self.place(*array)?, self.place(*part)?);
                let place = if whole.buffer == from.buffer {
                    let fresh = self.local(result, whole.len);
                    self.copy(&whole, &fresh)?;
                    fresh
                } else {
                    self.writable(*array, result)?
                };
                let to = Place { buffer: place.buffer, base: sum(&place.base, index), len: from.len };
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
        let gathered_buffer = (gathered > 0).then(|| self.local_named("atoms", gathered));
        for (&argument, slot) in arguments.iter().zip(&signature.inputs) {
            match slot {
                InputSlot::Register => {
                    list.push(Argument::Value(self.register(argument)?));
                }
                InputSlot::Buffer { uniform } => {
                    let mut place = self.place(argument)?;
                    if !uniform && self.buffers[place.buffer.index()].role == Role::Uniform {
                        let copy = self.local(argument, place.len);
                        self.copy(&place, &copy)?;
                        place = copy;
                    }
                    list.push(Argument::Read(self.address(&place, &Affine::constant(0))));
                }
                InputSlot::Gathered(number) => {
                    let value = self.register(argument)?;
                    let buffer = gathered_buffer.ok_or(Fault::NoMemory(argument))?;
                    let address = Address { region: buffer, index: Affine::constant(i64::from(*number)) };
                    self.s.push(Step::Store { row: self.store, address, value });
                }
            }
        }
        let start = |buffer| Address { region: buffer, index: Affine::constant(0) };
        list.extend(gathered_buffer.map(|buffer| Argument::Read(start(buffer))));
        let gathered = signature.gathered_outputs();
        let gathered_buffer = (gathered > 0).then(|| self.local_named("results", gathered));
        let mut loads = Vec::new();
        for ((&result, slot), output) in results.iter().zip(&signature.outputs).zip(&callee.outputs) {
            match (slot, gathered_buffer) {
                (OutputSlot::Gathered(number), Some(buffer)) => {
                    loads.push((
                        result,
                        Address { region: buffer, index: Affine::constant(i64::from(*number)) },
                    ));
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
        list.extend(gathered_buffer.map(|buffer| Argument::Write(start(buffer))));
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
                && self.is_writable(from.buffer)
                && self.others(from.buffer, initial).all(|other| self.is_dead(other, position, true));
            let place = if reusable {
                self.occupants[from.buffer.index()].clear();
                from
            } else {
                let fresh = self.destination(results[number], from.len);
                if !replaces_all(self.node, inner, number) {
                    self.copy(&from, &fresh)?;
                }
                self.occupants[fresh.buffer.index()].clear();
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
                self.occupants[place.buffer.index()].clear();
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
        Scope { home, position: 0, carried: Vec::new(), pending: Vec::new(), planned: Vec::new() }
    }
}

/// Places.
impl NodeWriter<'_> {
    fn home(&self) -> Option<InductionId> {
        self.scopes.last().and_then(|scope| scope.home)
    }

    fn buffer(&mut self, name: &str, len: u32, role: Role) -> RegionId {
        let element = match role {
            Role::Uniform => self.s.shape.uniform(),
            Role::Input | Role::Output | Role::Local => Element::Register(self.s.shape.register()),
        };
        self.buffers.push(Region { name: name.into(), role, element, length: Length::Constant(len) });
        self.occupants.push(Vec::new());
        RegionId(self.buffers.len() as u32 - 1)
    }

    fn local_named(&mut self, name: &str, len: u32) -> RegionId {
        let buffer = self.buffer(name, len, Role::Local);
        self.s.block().locals.push(buffer);
        buffer
    }

    /// A buffer of the innermost block for `value`.
    fn local(&mut self, value: ValueId, len: u32) -> Place {
        let name = self.node.value(value).origin.name.clone();
        let name = name.as_deref().map(|name| name.split('[').next().unwrap_or(name)).unwrap_or("array");
        let buffer = self.local_named(name, len);
        Place { buffer, base: Affine::constant(0), len }
    }

    fn occupy(&mut self, value: ValueId, place: Place) {
        self.occupants[place.buffer.index()].push(value);
        self.bindings[value.index()] = Some(Binding::Place(place));
    }

    fn place(&self, value: ValueId) -> Result<Place, Internal> {
        match &self.bindings[value.index()] {
            Some(Binding::Place(place)) => Ok(place.clone()),
            _ => Err(Fault::NoMemory(value).into()),
        }
    }

    fn register(&self, value: ValueId) -> Result<RegisterId, Internal> {
        match self.bindings[value.index()] {
            Some(Binding::Register(register)) => Ok(register),
            _ => Err(Fault::NoRegister(value).into()),
        }
    }

    /// The number of elements of an array.
    fn len(&self, array: ValueId) -> Result<u32, Internal> {
        self.node.ty(array).len.ok_or_else(|| Fault::NoArray(array).into())
    }

    fn bind(&mut self, value: ValueId, register: RegisterId) {
        let name = &mut self.s.registers[register.index()].name;
        if name.is_none() {
            *name = self.node.value(value).origin.name.clone();
        }
        self.bindings[value.index()] = Some(Binding::Register(register));
    }

    fn address(&self, place: &Place, index: &Affine) -> Address {
        Address { region: place.buffer, index: sum(&place.base, index) }
    }

    fn loading(&self, buffer: RegionId) -> &'static Instruction {
        match self.buffers[buffer.index()].role {
            Role::Uniform => self.broadcast,
            _ => self.load,
        }
    }

    fn load(&mut self, value: ValueId, address: Address) {
        let result = self.s.fresh();
        let row = self.loading(address.region);
        self.s.push(Step::Load { row, result, address });
        self.bind(value, result);
    }

    fn is_writable(&self, buffer: RegionId) -> bool {
        matches!(self.buffers[buffer.index()].role, Role::Local | Role::Output)
    }

    fn others(&self, buffer: RegionId, but: ValueId) -> impl Iterator<Item = ValueId> {
        self.occupants[buffer.index()].iter().copied().filter(move |&other| other != but)
    }

    /// Whether nothing reads a value after `position` of the innermost block or, if `strict`, at it.
    fn is_dead(&self, value: ValueId, position: usize, strict: bool) -> bool {
        if !self.life.is_live(value) {
            return true;
        }
        let home = self.life.home(value);
        if home.is_some() && home == self.opening {
            return false;
        }
        let last = self.life.last(value);
        match self.scopes.iter().rposition(|scope| scope.home == home) {
            Some(depth) if depth + 1 == self.scopes.len() => last < position || (!strict && last == position),
            Some(depth) => last < self.scopes[depth].position,
            None => true,
        }
    }

    /// A place with the content of `array` that may be written for `result`, which replaces it.
    fn writable(&mut self, array: ValueId, result: ValueId) -> Result<Place, Internal> {
        let place = self.place(array)?;
        let position = self.scopes.last().map_or(0, |scope| scope.position);
        let own = self.life.home(array) == self.home() && self.life.last(array) <= position;
        if own
            && self.is_writable(place.buffer)
            && self.others(place.buffer, array).all(|other| self.is_dead(other, position, false))
        {
            // All are dead: the next update need not look at them again.
            self.occupants[place.buffer.index()].clear();
            return Ok(place);
        }
        let fresh = self.destination(result, place.len);
        self.copy(&place, &fresh)?;
        Ok(fresh)
    }

    /// Where the content of an array value ends.
    fn destiny(&self, value: ValueId) -> Option<Next> {
        let mut next = self.life.next(value)?;
        while let Next::Value(value) = next {
            next = self.life.next(value)?;
        }
        Some(next)
    }

    fn claim_output(&mut self, number: usize) -> Option<Place> {
        let Address { region: buffer, index } = self.outputs[number].clone();
        if self.claimed[number] {
            return None;
        }
        self.claimed[number] = true;
        Some(Place { buffer, base: index, len: self.node.outputs[number].ty.len? })
    }

    fn carried_place(&self, number: usize) -> Option<Place> {
        self.scopes.last().and_then(|scope| scope.carried.get(number).cloned().flatten())
    }

    /// A place for a new array: the one where its content ends, if that is free, else a local buffer.
    fn destination(&mut self, value: ValueId, len: u32) -> Place {
        if self.life.is_live(value) {
            match self.destiny(value) {
                Some(Next::Output(number)) => {
                    if let Some(place) = self.claim_output(number) {
                        return place;
                    }
                }
                Some(Next::Carried(induction, number)) if Some(induction) == self.home() => {
                    let position = self.scopes.last().map_or(0, |scope| scope.position);
                    if let Some(place) = self.carried_place(number)
                        && self.occupants[place.buffer.index()]
                            .iter()
                            .all(|&other| self.is_dead(other, position, true))
                    {
                        return place;
                    }
                }
                _ => {}
            }
        }
        self.local(value, len)
    }

    fn copy(&mut self, from: &Place, to: &Place) -> Result<(), Internal> {
        if from.len != to.len {
            return Err(Fault::Length { expected: to.len, found: from.len }.into());
        }
        let load = self.loading(from.buffer);
        self.s.push(Step::Copy {
            load,
            store: self.store,
            from: self.address(from, &Affine::constant(0)),
            to: self.address(to, &Affine::constant(0)),
            len: from.len,
        });
        Ok(())
    }

    /// Moves arrays to their places, all at once: what lies in a buffer that is written goes by way of another.
    fn move_all(&mut self, moves: Vec<(Place, Place)>) -> Result<(), Internal> {
        let written: Vec<RegionId> = moves.iter().map(|(_, to)| to.buffer).collect();
        let mut last = Vec::with_capacity(moves.len());
        for (from, to) in moves {
            if !written.contains(&from.buffer) {
                last.push((from, to));
                continue;
            }
            let buffer = self.local_named("moved", from.len);
            let aside = Place { buffer, base: Affine::constant(0), len: from.len };
            self.copy(&from, &aside)?;
            last.push((aside, to));
        }
        last.iter().try_for_each(|(from, to)| self.copy(from, to))
    }

    fn wait(&mut self, pending: Pending) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.pending.push(pending);
        }
    }

    /// Writes the stores that wait for `position`.
    fn flush(&mut self, position: usize) -> Result<(), Internal> {
        let Some(scope) = self.scopes.last_mut() else { return Ok(()) };
        let (due, later) =
            std::mem::take(&mut scope.pending).into_iter().partition(|pending| pending.position <= position);
        scope.pending = later;
        let due: Vec<Pending> = due;
        for Pending { value, address, len, .. } in due {
            let value = self.register(value)?;
            self.s.push(match len {
                1 => Step::Store { row: self.store, address, value },
                _ => Step::Fill { store: self.store, address, len, value },
            });
        }
        Ok(())
    }
}
