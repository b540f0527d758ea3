//! Linear code: one function, its loops marked by their ends, every call replaced by the body of its callee.
//!
//! This is what the allocation reads and what the checker takes for the truth. Every value is defined once; the position of
//! an item is its place in [`Linear::items`].

use crate::block::{
    self, Address, Argument, Block, Buffer, BufferId, Function, Module, ParameterKind, RegisterId, Role, Step,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use usuba_ir::program::{Affine, InductionId};
use usuba_target::{Instruction, semantics};

/// More items than this are refused: calls of calls can grow without bound.
const ITEMS: usize = 400_000;
/// Moves of so many registers are unrolled, longer ones are loops.
const UNROLLED: u32 = 16;

/// Number of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Value(pub(crate) u32);

impl Value {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is known of a value beside its definition.
#[derive(Clone, Default, Debug)]
pub(crate) struct Known {
    /// The name in the source.
    pub(crate) name: Option<Arc<str>>,
    /// The bytes of the register, in memory order, of a constant; it has no item.
    pub(crate) constant: Option<Vec<u8>>,
}

/// A piece of code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    /// An instruction on registers.
    Compute { row: &'static Instruction, result: Value, operands: Vec<Value>, immediate: Option<u32> },
    /// From memory, whole or repeated.
    Load { row: &'static Instruction, result: Value, address: Address },
    /// To memory.
    Store { address: Address, value: Value },
    /// The head of the loop of that number.
    Begin(usize),
    /// Its end.
    End(usize),
}

/// What a loop hands on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Carried {
    /// Before the first time.
    pub(crate) initial: Value,
    /// In the body.
    pub(crate) inside: Value,
    /// The value inside the next time.
    pub(crate) next: Value,
    /// After the last time.
    pub(crate) after: Value,
}

/// A loop, run `trips` ≥ 1 times.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) induction: InductionId,
    pub(crate) trips: u32,
    pub(crate) carried: Vec<Carried>,
    /// The positions of its two items.
    pub(crate) begin: usize,
    pub(crate) end: usize,
}

/// A function without calls.
#[derive(Clone, Default, Debug)]
pub(crate) struct Linear {
    pub(crate) values: Vec<Known>,
    pub(crate) items: Vec<Item>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) buffers: Vec<Buffer>,
    /// The buffers whose addresses the function is given, in order.
    pub(crate) parameters: Vec<BufferId>,
    /// Bytes of a register.
    pub(crate) bytes: usize,
}

impl Linear {
    /// The loops around each item, by their innermost; an end belongs to its loop, a head to what is around it.
    pub(crate) fn around(&self) -> Vec<Option<usize>> {
        let mut open = Vec::new();
        let mut around = Vec::with_capacity(self.items.len());
        for item in &self.items {
            around.push(open.last().copied());
            match item {
                Item::Begin(number) => open.push(*number),
                Item::End(_) => {
                    open.pop();
                }
                _ => {}
            }
        }
        around
    }

    /// Bytes between neighbouring elements of a buffer.
    pub(crate) fn element(&self, buffer: BufferId, uniform: usize) -> i64 {
        match self.buffers[buffer.index()].role {
            Role::Uniform => uniform as i64,
            _ => self.bytes as i64,
        }
    }

    /// Numbers the loops' ends anew.
    fn place_loops(&mut self) {
        for (position, item) in self.items.iter().enumerate() {
            match *item {
                Item::Begin(number) => self.loops[number].begin = position,
                Item::End(number) => self.loops[number].end = position,
                _ => {}
            }
        }
    }
}

/// The entry of a module with everything that it calls.
///
/// # Errors
/// If the calls make more than [`ITEMS`] items, or the module is malformed.
pub(crate) fn linear(module: &Module) -> Result<Linear, &'static str> {
    let entry = module.functions.last().ok_or("a module without functions")?;
    let bytes = module.shape.register_bytes() as usize;
    let mut out = Flattener {
        module,
        linear: Linear { bytes, ..Linear::default() },
        constants: BTreeMap::new(),
        inductions: 0,
        scopes: Vec::new(),
    };
    let mut frame = Frame::of(entry);
    for parameter in &entry.parameters {
        let ParameterKind::Buffer(buffer) = parameter.kind else { return Err("an entry with a register") };
        let known = out.buffer(&entry.buffers[buffer.index()], None);
        out.linear.parameters.push(known);
        frame.buffers[buffer.index()] = Some((known, Affine::constant(0)));
    }
    out.function(entry, &mut frame, None)?;
    let Flattener { mut linear, scopes, .. } = out;
    linear.place_loops();
    promote(&mut linear, &scopes);
    share(&mut linear, &scopes);
    Ok(linear)
}

/// The names of one function's things in the linear code.
struct Frame {
    registers: Vec<Option<Value>>,
    buffers: Vec<Option<(BufferId, Affine)>>,
    inductions: BTreeMap<InductionId, InductionId>,
}

impl Frame {
    fn of(function: &Function) -> Frame {
        Frame {
            registers: vec![None; function.registers.len()],
            buffers: vec![None; function.buffers.len()],
            inductions: BTreeMap::new(),
        }
    }

    fn value(&self, register: RegisterId) -> Result<Value, &'static str> {
        self.registers[register.index()].ok_or("a register that is read before it is written")
    }

    fn address(&self, address: &Address) -> Result<Address, &'static str> {
        let (buffer, base) = self.buffers[address.buffer.index()].as_ref().ok_or("a buffer out of scope")?;
        let mut index = base.clone();
        index.constant += address.index.constant;
        for (induction, coefficient) in &address.index.terms {
            let induction = *self.inductions.get(induction).ok_or("an induction out of scope")?;
            match index.terms.iter_mut().find(|(other, _)| *other == induction) {
                Some((_, sum)) => *sum += coefficient,
                None => index.terms.push((induction, *coefficient)),
            }
        }
        index.terms.retain(|&(_, coefficient)| coefficient != 0);
        index.terms.sort_unstable();
        Ok(Address { buffer: *buffer, index })
    }
}

struct Flattener<'a> {
    module: &'a Module,
    linear: Linear,
    constants: BTreeMap<Vec<u8>, Value>,
    inductions: u32,
    /// The innermost loop around the declaration of each buffer; `Some(None)` for the body of the function.
    scopes: Vec<Option<Option<usize>>>,
}

impl Flattener<'_> {
    fn value(&mut self, name: Option<Arc<str>>) -> Value {
        self.linear.values.push(Known { name, constant: None });
        Value(self.linear.values.len() as u32 - 1)
    }

    fn buffer(&mut self, like: &Buffer, scope: Option<Option<usize>>) -> BufferId {
        self.linear.buffers.push(like.clone());
        self.scopes.push(scope);
        BufferId(self.linear.buffers.len() as u32 - 1)
    }

    fn push(&mut self, item: Item) -> Result<(), &'static str> {
        if self.linear.items.len() >= ITEMS {
            return Err("the calls of this program make too much code; keep it in C");
        }
        self.linear.items.push(item);
        Ok(())
    }

    fn define(&mut self, function: &Function, frame: &mut Frame, register: RegisterId) -> Value {
        let value = self.value(function.registers[register.index()].clone());
        frame.registers[register.index()] = Some(value);
        value
    }

    fn function(
        &mut self,
        function: &Function,
        frame: &mut Frame,
        scope: Option<usize>,
    ) -> Result<(), &'static str> {
        for step in &function.constants {
            let Step::Constant { row, result, constant } = step else { continue };
            let bytes = semantics::constant(row, self.linear.bytes, constant)
                .map_err(|_| "a constant of another kind than its instruction makes")?;
            let value = match self.constants.get(&bytes) {
                Some(&value) => value,
                None => {
                    let value = self.value(Some(Arc::from("constant")));
                    self.linear.values[value.index()].constant = Some(bytes.clone());
                    self.constants.insert(bytes, value);
                    value
                }
            };
            frame.registers[result.index()] = Some(value);
        }
        self.block(function, frame, &function.body, scope)
    }

    fn block(
        &mut self,
        function: &Function,
        frame: &mut Frame,
        block: &Block,
        scope: Option<usize>,
    ) -> Result<(), &'static str> {
        for &buffer in &block.locals {
            let known = self.buffer(&function.buffers[buffer.index()], Some(scope));
            frame.buffers[buffer.index()] = Some((known, Affine::constant(0)));
        }
        for step in &block.steps {
            match step {
                Step::Compute { row, result, operands, immediate } => {
                    let operands: Result<Vec<Value>, _> =
                        operands.iter().map(|&operand| frame.value(operand)).collect();
                    let operands = operands?;
                    let result = self.define(function, frame, *result);
                    self.push(Item::Compute { row, result, operands, immediate: *immediate })?;
                }
                Step::Constant { .. } => return Err("a constant among the steps"),
                Step::Load { row, result, address } => {
                    let address = frame.address(address)?;
                    let result = self.define(function, frame, *result);
                    self.push(Item::Load { row, result, address })?;
                }
                Step::Store { address, value, .. } => {
                    let item = Item::Store { address: frame.address(address)?, value: frame.value(*value)? };
                    self.push(item)?;
                }
                Step::Fill { address, len, value, .. } => {
                    let (address, value) = (frame.address(address)?, frame.value(*value)?);
                    self.repeat(*len, &mut |out, at| {
                        out.push(Item::Store { address: further(&address, at), value })
                    })?;
                }
                Step::Copy { load, from, to, len, .. } => {
                    let (from, to) = (frame.address(from)?, frame.address(to)?);
                    self.repeat(*len, &mut |out, at| {
                        let result = out.value(None);
                        out.push(Item::Load { row: load, result, address: further(&from, at) })?;
                        out.push(Item::Store { address: further(&to, at), value: result })
                    })?;
                }
                Step::Call(call) => self.call(function, frame, call, scope)?,
                Step::Loop(looped) => self.looped(function, frame, looped)?,
            }
        }
        Ok(())
    }

    /// Does something for `0..len`, which is given as an index.
    fn repeat(
        &mut self,
        len: u32,
        each: &mut dyn FnMut(&mut Self, &Affine) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        if len <= UNROLLED {
            return (0..len).try_for_each(|index| each(self, &Affine::constant(i64::from(index))));
        }
        let (number, induction) = self.open(len)?;
        each(self, &Affine { constant: 0, terms: vec![(induction, 1)] })?;
        self.push(Item::End(number))
    }

    fn open(&mut self, trips: u32) -> Result<(usize, InductionId), &'static str> {
        let induction = InductionId(self.inductions);
        self.inductions += 1;
        let number = self.linear.loops.len();
        self.linear.loops.push(Loop { induction, trips, carried: Vec::new(), begin: 0, end: 0 });
        self.push(Item::Begin(number))?;
        Ok((number, induction))
    }

    fn looped(
        &mut self,
        function: &Function,
        frame: &mut Frame,
        looped: &block::Loop,
    ) -> Result<(), &'static str> {
        let initial: Result<Vec<Value>, _> =
            looped.carried.iter().map(|carried| frame.value(carried.initial)).collect();
        let initial = initial?;
        let (number, induction) = self.open(looped.trips)?;
        frame.inductions.insert(looped.induction, induction);
        let inside: Vec<Value> =
            looped.carried.iter().map(|carried| self.define(function, frame, carried.register)).collect();
        self.block(function, frame, &looped.body, Some(number))?;
        let next: Result<Vec<Value>, _> =
            looped.carried.iter().map(|carried| frame.value(carried.next)).collect();
        let next = next?;
        self.push(Item::End(number))?;
        for (place, carried) in looped.carried.iter().enumerate() {
            let after = self.define(function, frame, carried.register);
            let one = Carried { initial: initial[place], inside: inside[place], next: next[place], after };
            self.linear.loops[number].carried.push(one);
        }
        Ok(())
    }

    fn call(
        &mut self,
        function: &Function,
        frame: &mut Frame,
        call: &block::Call,
        scope: Option<usize>,
    ) -> Result<(), &'static str> {
        let module = self.module;
        let callee = module.functions.get(call.function).ok_or("a call of no function")?;
        let mut inner = Frame::of(callee);
        inner.inductions = BTreeMap::new();
        let mut results = Vec::new();
        for (argument, parameter) in call.arguments.iter().zip(&callee.parameters) {
            match (argument, parameter.kind) {
                (Argument::Value(register), ParameterKind::Register(to)) => {
                    inner.registers[to.index()] = Some(frame.value(*register)?);
                }
                (Argument::Read(address) | Argument::Write(address), ParameterKind::Buffer(to)) => {
                    let address = frame.address(address)?;
                    inner.buffers[to.index()] = Some((address.buffer, address.index));
                }
                (Argument::Result(register), ParameterKind::Buffer(to)) => {
                    let like = Buffer { role: Role::Local, ..callee.buffers[to.index()].clone() };
                    let buffer = self.buffer(&like, Some(scope));
                    inner.buffers[to.index()] = Some((buffer, Affine::constant(0)));
                    results.push((*register, buffer));
                }
                _ => return Err("an argument that does not fit its parameter"),
            }
        }
        self.function(callee, &mut inner, scope)?;
        for (register, buffer) in results {
            let row = load_row(&self.linear, buffer).ok_or("a call that does not write its result")?;
            let result = self.define(function, frame, register);
            let address = Address { buffer, index: Affine::constant(0) };
            self.push(Item::Load { row, result, address })?;
        }
        Ok(())
    }
}

/// A place holder for a load that is promoted away in the end or read as a whole register.
fn load_row(linear: &Linear, buffer: BufferId) -> Option<&'static Instruction> {
    let written = linear
        .items
        .iter()
        .rev()
        .any(|item| matches!(item, Item::Store { address, .. } if address.buffer == buffer));
    written.then_some(&WHOLE)
}

/// A whole register from memory.
pub(crate) static WHOLE: Instruction = Instruction {
    meaning: usuba_target::Meaning::Load,
    lane: 0,
    mnemonic: "load",
    c: "{0}",
    latency: 7,
    uops: 1,
    ports: 0,
    needs: None,
    form: None,
    lines: &[],
    scratch: false,
};

fn further(address: &Address, by: &Affine) -> Address {
    let mut index = address.index.clone();
    index.constant += by.constant;
    index.terms.extend(&by.terms);
    index.terms.sort_unstable();
    Address { buffer: address.buffer, index }
}

/// Forwards what lies in buffers of the function's own that are only reached at constant places of one block.
fn promote(linear: &mut Linear, scopes: &[Option<Option<usize>>]) {
    let around = linear.around();
    let mut open: Vec<bool> = scopes.iter().map(Option::is_some).collect();
    let mut written: Vec<BTreeMap<i64, ()>> = vec![BTreeMap::new(); scopes.len()];
    for (item, &home) in linear.items.iter().zip(&around) {
        let (Item::Load { address, .. } | Item::Store { address, .. }) = item else { continue };
        let buffer = address.buffer.index();
        if !address.index.terms.is_empty() || scopes[buffer] != Some(home) {
            open[buffer] = false;
        }
        match item {
            Item::Store { .. } => {
                written[buffer].insert(address.index.constant, ());
            }
            _ if !written[buffer].contains_key(&address.index.constant) => open[buffer] = false,
            _ => {}
        }
    }
    let mut content: BTreeMap<(BufferId, i64), Value> = BTreeMap::new();
    let mut same: Vec<Value> = (0..linear.values.len() as u32).map(Value).collect();
    let mut kept = Vec::with_capacity(linear.items.len());
    for mut item in std::mem::take(&mut linear.items) {
        match &mut item {
            Item::Compute { operands, .. } => {
                operands.iter_mut().for_each(|operand| *operand = same[operand.index()]);
            }
            Item::Store { address, value } => {
                *value = same[value.index()];
                if open[address.buffer.index()] {
                    content.insert((address.buffer, address.index.constant), *value);
                    continue;
                }
            }
            Item::Load { address, result, .. } if open[address.buffer.index()] => {
                if let Some(&value) = content.get(&(address.buffer, address.index.constant)) {
                    same[result.index()] = value;
                    let name = linear.values[result.index()].name.clone();
                    let known = &mut linear.values[value.index()].name;
                    if known.is_none() {
                        *known = name;
                    }
                    continue;
                }
            }
            _ => {}
        }
        kept.push(item);
    }
    for looped in &mut linear.loops {
        for carried in &mut looped.carried {
            carried.initial = same[carried.initial.index()];
            carried.next = same[carried.next.index()];
        }
    }
    linear.items = kept;
    linear.place_loops();
}

/// Lets local buffers of one length that are never in use together be one.
fn share(linear: &mut Linear, scopes: &[Option<Option<usize>>]) {
    let around = linear.around();
    let parents: Vec<Option<usize>> = linear.loops.iter().map(|looped| around[looped.begin]).collect();
    let mut used: Vec<Option<(usize, usize)>> = vec![None; scopes.len()];
    for (position, item) in linear.items.iter().enumerate() {
        let (Item::Load { address, .. } | Item::Store { address, .. }) = item else { continue };
        let buffer = address.buffer.index();
        let Some(scope) = scopes[buffer] else { continue };
        let (mut from, mut to) = (position, position);
        // A buffer from outside a loop is in use as long as the loop runs.
        let mut inner = around[position];
        while inner != scope {
            let Some(number) = inner else { break };
            from = from.min(linear.loops[number].begin);
            to = to.max(linear.loops[number].end);
            inner = parents[number];
        }
        used[buffer] = Some(match used[buffer] {
            Some((first, last)) => (first.min(from), last.max(to)),
            None => (from, to),
        });
    }
    let mut order: Vec<usize> = (0..scopes.len()).filter(|&buffer| used[buffer].is_some()).collect();
    order.sort_by_key(|&buffer| used[buffer]);
    let mut free: Vec<(usize, usize)> = Vec::new();
    let mut now: Vec<BufferId> = (0..scopes.len() as u32).map(BufferId).collect();
    for buffer in order {
        let Some((first, last)) = used[buffer] else { continue };
        let len = linear.buffers[buffer].len;
        let fit = free.iter_mut().find(|(other, busy)| *busy < first && linear.buffers[*other].len == len);
        match fit {
            Some((other, busy)) => {
                *busy = last;
                now[buffer] = BufferId(*other as u32);
            }
            None => free.push((buffer, last)),
        }
    }
    for item in &mut linear.items {
        if let Item::Load { address, .. } | Item::Store { address, .. } = item {
            address.buffer = now[address.buffer.index()];
        }
    }
}
