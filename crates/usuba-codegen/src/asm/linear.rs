//! Linear code: one function, its loops marked by their ends, every call replaced by the body of its callee.
//!
//! This is what the allocation reads and what the checker takes for the truth. Every value is defined once; the position of
//! an item is its place in [`Linear::items`]. Public counts are numbered apart from values, as the registers of the machine
//! program are, but for the whole of the code: they live in general-purpose registers, which the allocation does not see.

use super::Stop;
use std::collections::BTreeMap;
use std::sync::Arc;
use usuba_ir::program::{Affine, InductionId};
use usuba_machine::program::{
    self as machine, Address, Argument, Block, Element, Function, Length, Parameter, Program, Public, Region,
    RegionId, Register, RegisterId, RegisterType, Role, Step, Trips,
};
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
    /// Where in the source it is made: a file by number, and a line.
    pub(crate) place: Option<(u32, u32)>,
    /// The bytes of the register, in memory order, of a constant; it has no item.
    pub(crate) constant: Option<Vec<u8>>,
}

/// Number of a public count in the linear code.
pub(crate) type Count = RegisterId;

/// What the function is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Given {
    /// The address of a region.
    Region(RegionId),
    /// A public count.
    Count(Count),
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
    /// The first lanes from memory, so many as a count says.
    LoadPart { row: &'static Instruction, result: Value, address: Address, count: Count },
    /// The first lanes to memory.
    StorePart { row: &'static Instruction, address: Address, value: Value, count: Count },
    /// So many bytes from one place to another.
    CopyPart { from: Address, to: Address, count: Count },
    /// A public count of others.
    Count { result: Count, value: Public },
    /// A region that is a part of another one, so many elements further.
    View { region: RegionId, of: RegionId, offset: Count },
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

/// A loop, run a constant number of times ≥ 1 or a public one.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) induction: InductionId,
    pub(crate) trips: Trips,
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
    pub(crate) regions: Vec<Region>,
    /// What the function is given, in order.
    pub(crate) parameters: Vec<Given>,
    /// The names of the public counts.
    pub(crate) counts: Vec<Option<Arc<str>>>,
    /// Names of the source files that places refer to.
    pub(crate) files: Vec<String>,
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

    /// Bytes between neighbouring elements of a region.
    pub(crate) fn element(&self, region: RegionId, uniform: usize) -> i64 {
        match &self.regions[region.index()] {
            Region { role: Role::Uniform, .. } => uniform as i64,
            region => self.element_bytes(region),
        }
    }

    /// Bytes between neighbouring elements of a region that is not uniform.
    pub(crate) fn element_bytes(&self, region: &Region) -> i64 {
        match region.element {
            Element::Scalars { .. } => region.element.bytes() as i64,
            Element::Register(_) => self.bytes as i64,
        }
    }

    /// Whether a region is a string of bytes: registers lie in it anywhere, and one that is given to be read may be one that is
    /// given to be written.
    pub(crate) fn is_string(&self, region: RegionId) -> bool {
        let Region { role, element, .. } = self.regions[region.index()];
        role != Role::Uniform && matches!(element, Element::Scalars { .. })
    }

    /// The place of a region among the parameters.
    pub(crate) fn given(&self, region: RegionId) -> Option<usize> {
        self.parameters.iter().position(|&parameter| parameter == Given::Region(region))
    }

    /// What may be the same memory as a region: a number for each set of such regions, and the offsets of the views that lead to
    /// it. All strings that the function is given are one set.
    pub(crate) fn memories(&self) -> Vec<(usize, Vec<Count>)> {
        let views = self.views();
        let of = |region: usize| {
            let mut region = RegionId(region as u32);
            let mut path = Vec::new();
            while let Some(&(origin, offset)) = views.get(&region) {
                path.push(offset);
                region = origin;
            }
            let shared = self.is_string(region) && self.given(region).is_some();
            (if shared { self.regions.len() } else { region.index() }, path)
        };
        (0..self.regions.len()).map(of).collect()
    }

    /// For each region that is a view, of which it is one and how many elements further.
    pub(crate) fn views(&self) -> BTreeMap<RegionId, (RegionId, Count)> {
        let views = self.items.iter().filter_map(|item| match item {
            Item::View { region, of, offset } => Some((*region, (*of, *offset))),
            _ => None,
        });
        views.collect()
    }

    /// Whether something is summed up beside the operands of instructions: addresses that move with several loops, and counts.
    pub(crate) fn sums_addresses(&self) -> bool {
        self.items.iter().any(|item| match item {
            Item::Load { address, .. } | Item::Store { address, .. } => address.index.terms.len() > 1,
            Item::Compute { .. } | Item::Begin(_) | Item::End(_) => false,
            _ => true,
        })
    }

    /// Whether most of what is done is done in loops.
    pub(crate) fn is_in_loops(&self) -> bool {
        let around = self.around();
        let (inside, outside): (Vec<_>, Vec<_>) = around.into_iter().partition(Option::is_some);
        let turns = |number: Option<usize>| number.map_or(1, |number| self.loops[number].trips.estimate());
        inside.into_iter().map(turns).sum::<u64>() >= 4 * outside.len() as u64
    }

    /// Numbers the loops' ends anew.
    pub(super) fn place_loops(&mut self) {
        for (position, item) in self.items.iter().enumerate() {
            match *item {
                Item::Begin(number) => self.loops[number].begin = position,
                Item::End(number) => self.loops[number].end = position,
                _ => {}
            }
        }
    }
}

/// The entry of a program with everything that it calls.
///
/// # Errors
/// If the calls make more than [`ITEMS`] items, or the program has what assembly has not: other registers than vectors or words of
/// one size and public counts.
pub(crate) fn linear(program: &Program, bytes: usize) -> Result<Linear, Stop> {
    let entry = program.functions.last().ok_or("a program without functions")?;
    let mut registers = program.functions.iter().flat_map(|function| &function.registers);
    if !registers.all(|register| register.ty == RegisterType::Count || register.ty.bytes() == bytes) {
        return Err(Stop::Limit("it is for registers of one size"));
    }
    let mut out = Flattener {
        program,
        linear: Linear { files: program.files.clone(), bytes, ..Linear::default() },
        constants: BTreeMap::new(),
        inductions: 0,
        scopes: Vec::new(),
    };
    let mut frame = Frame::of(entry);
    for parameter in &entry.parameters {
        if let Parameter::Register(register) = *parameter {
            if entry.register(register).ty != RegisterType::Count {
                return Err(Stop::Limit("it is for kernels that are given addresses and public counts"));
            }
            let count = out.count(entry, &mut frame, register);
            out.linear.parameters.push(Given::Count(count));
        }
    }
    let mut counts = std::mem::take(&mut out.linear.parameters).into_iter();
    for parameter in &entry.parameters {
        let given = match *parameter {
            Parameter::Register(_) => counts.next().ok_or("a count that is not given")?,
            Parameter::Region(region) => {
                let known = out.region(&entry.regions[region.index()], None, &frame)?;
                frame.regions[region.index()] = Some((known, Affine::constant(0)));
                Given::Region(known)
            }
        };
        out.linear.parameters.push(given);
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
    counts: Vec<Option<Count>>,
    regions: Vec<Option<(RegionId, Affine)>>,
    inductions: BTreeMap<InductionId, InductionId>,
}

impl Frame {
    fn of(function: &Function) -> Frame {
        Frame {
            registers: vec![None; function.registers.len()],
            counts: vec![None; function.registers.len()],
            regions: vec![None; function.regions.len()],
            inductions: BTreeMap::new(),
        }
    }

    fn value(&self, register: RegisterId) -> Result<Value, Stop> {
        self.registers[register.index()].ok_or(Stop::from("a register that is read before it is written"))
    }

    fn count(&self, register: RegisterId) -> Result<Count, Stop> {
        self.counts[register.index()].ok_or(Stop::from("a count that is read before it is made"))
    }

    fn public(&self, value: &Public) -> Result<Public, Stop> {
        Ok(match value {
            Public::Sum { constant, terms } => {
                let terms = terms.iter().map(|&(count, factor)| Ok((self.count(count)?, factor)));
                Public::Sum { constant: *constant, terms: terms.collect::<Result<_, Stop>>()? }
            }
            Public::Index(_) => return Err(Stop::Limit("it has no counts of induction variables")),
            Public::Quotient { of, by } => Public::Quotient { of: self.count(*of)?, by: *by },
            Public::Remainder { of, by } => Public::Remainder { of: self.count(*of)?, by: *by },
            Public::Least { of, bound } => Public::Least { of: self.count(*of)?, bound: *bound },
        })
    }

    fn address(&self, address: &Address) -> Result<Address, Stop> {
        let (region, base) = self.regions[address.region.index()].as_ref().ok_or("a region out of scope")?;
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
        Ok(Address { region: *region, index })
    }
}

struct Flattener<'a> {
    program: &'a Program,
    linear: Linear,
    constants: BTreeMap<Vec<u8>, Value>,
    inductions: u32,
    /// The innermost loop around the declaration of each region; `Some(None)` for the body of the function.
    scopes: Vec<Option<Option<usize>>>,
}

impl Flattener<'_> {
    fn value(&mut self, known: Known) -> Value {
        self.linear.values.push(known);
        Value(self.linear.values.len() as u32 - 1)
    }

    fn region(
        &mut self,
        like: &Region,
        scope: Option<Option<usize>>,
        frame: &Frame,
    ) -> Result<RegionId, Stop> {
        let length = match like.length {
            Length::Constant(length) => Length::Constant(length),
            Length::Public { count, factor } => Length::Public { count: frame.count(count)?, factor },
        };
        self.linear.regions.push(Region { length, ..like.clone() });
        self.scopes.push(scope);
        Ok(RegionId(self.linear.regions.len() as u32 - 1))
    }

    fn count(&mut self, function: &Function, frame: &mut Frame, register: RegisterId) -> Count {
        self.linear.counts.push(function.register(register).name.clone());
        let count = RegisterId(self.linear.counts.len() as u32 - 1);
        frame.counts[register.index()] = Some(count);
        count
    }

    fn push(&mut self, item: Item) -> Result<(), Stop> {
        if self.linear.items.len() >= ITEMS {
            return Err(Stop::Limit("the calls of this program make too much code; keep it in C"));
        }
        self.linear.items.push(item);
        Ok(())
    }

    fn define(&mut self, function: &Function, frame: &mut Frame, register: RegisterId) -> Value {
        let Register { name, place, .. } = function.register(register);
        let place = place.map(|(file, line, _)| (file.0, line));
        let value = self.value(Known { name: name.clone(), place, constant: None });
        frame.registers[register.index()] = Some(value);
        value
    }

    fn function(&mut self, function: &Function, frame: &mut Frame, scope: Option<usize>) -> Result<(), Stop> {
        for step in &function.constants {
            let Step::Constant { row, result, constant } = step else { continue };
            let bytes = semantics::constant(row, self.linear.bytes, constant)
                .map_err(|_| "a constant of another kind than its instruction makes")?;
            let value = match self.constants.get(&bytes) {
                Some(&value) => value,
                None => {
                    let value = self.value(Known { constant: Some(bytes.clone()), ..Known::default() });
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
    ) -> Result<(), Stop> {
        for &region in &block.locals {
            let known = self.region(&function.regions[region.index()], Some(scope), frame)?;
            frame.regions[region.index()] = Some((known, Affine::constant(0)));
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
                Step::Constant { .. } => return Err(Stop::Fault("a constant among the steps".into())),
                Step::Load { row, result, address } => {
                    let address = frame.address(address)?;
                    let result = self.define(function, frame, *result);
                    self.push(Item::Load { row, result, address })?;
                }
                Step::Store { address, value, .. } => {
                    let item = Item::Store { address: frame.address(address)?, value: frame.value(*value)? };
                    self.push(item)?;
                }
                Step::Gather { .. } | Step::Scatter { .. } => {
                    return Err(Stop::Limit("it loads and stores no lanes by themselves"));
                }
                Step::LoadPart { row, result, address, count } => {
                    let (address, count) = (frame.address(address)?, frame.count(*count)?);
                    let result = self.define(function, frame, *result);
                    self.push(Item::LoadPart { row, result, address, count })?;
                }
                Step::StorePart { row, address, value, count } => {
                    let (address, count) = (frame.address(address)?, frame.count(*count)?);
                    self.push(Item::StorePart { row, address, value: frame.value(*value)?, count })?;
                }
                Step::CopyPart { from, to, count } => {
                    let (from, to) = (frame.address(from)?, frame.address(to)?);
                    self.push(Item::CopyPart { from, to, count: frame.count(*count)? })?;
                }
                Step::Count { result, value } => {
                    let value = frame.public(value)?;
                    let result = self.count(function, frame, *result);
                    self.push(Item::Count { result, value })?;
                }
                Step::View { region, of, offset } => {
                    let (of, base) = frame.regions[of.index()].clone().ok_or("a region out of scope")?;
                    if base != Affine::constant(0) {
                        return Err(Stop::Limit("it has no views of what is given to a callee in part"));
                    }
                    let offset = frame.count(*offset)?;
                    let known = self.region(&function.regions[region.index()], None, frame)?;
                    frame.regions[region.index()] = Some((known, Affine::constant(0)));
                    self.push(Item::View { region: known, of, offset })?;
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
                        let result = out.value(Known::default());
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
        each: &mut dyn FnMut(&mut Self, &Affine) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        if len <= UNROLLED {
            return (0..len).try_for_each(|index| each(self, &Affine::constant(i64::from(index))));
        }
        let (number, induction) = self.open(Trips::Constant(len))?;
        each(self, &Affine { constant: 0, terms: vec![(induction, 1)] })?;
        self.push(Item::End(number))
    }

    fn open(&mut self, trips: Trips) -> Result<(usize, InductionId), Stop> {
        let induction = InductionId(self.inductions);
        self.inductions += 1;
        let number = self.linear.loops.len();
        self.linear.loops.push(Loop { induction, trips, carried: Vec::new(), begin: 0, end: 0 });
        self.push(Item::Begin(number))?;
        Ok((number, induction))
    }

    fn looped(&mut self, function: &Function, frame: &mut Frame, looped: &machine::Loop) -> Result<(), Stop> {
        let initial: Result<Vec<Value>, _> =
            looped.carried.iter().map(|carried| frame.value(carried.initial)).collect();
        let initial = initial?;
        let trips = match looped.trips {
            Trips::Constant(trips) => Trips::Constant(trips),
            Trips::Public(count) => Trips::Public(frame.count(count)?),
        };
        let (number, induction) = self.open(trips)?;
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
        call: &machine::Call,
        scope: Option<usize>,
    ) -> Result<(), Stop> {
        let program = self.program;
        let callee = program.functions.get(call.function).ok_or("a call of no function")?;
        let mut inner = Frame::of(callee);
        inner.inductions = BTreeMap::new();
        let mut results = Vec::new();
        for (argument, parameter) in call.arguments.iter().zip(&callee.parameters) {
            match (argument, *parameter) {
                (Argument::Value(register), Parameter::Register(to))
                    if callee.register(to).ty == RegisterType::Count =>
                {
                    inner.counts[to.index()] = Some(frame.count(*register)?);
                }
                (Argument::Value(register), Parameter::Register(to)) => {
                    inner.registers[to.index()] = Some(frame.value(*register)?);
                }
                (Argument::Read(address) | Argument::Write(address), Parameter::Region(to)) => {
                    let address = frame.address(address)?;
                    inner.regions[to.index()] = Some((address.region, address.index));
                }
                (Argument::Result(register), Parameter::Region(to)) => {
                    let like = Region { role: Role::Local, ..callee.regions[to.index()].clone() };
                    let region = self.region(&like, Some(scope), frame)?;
                    inner.regions[to.index()] = Some((region, Affine::constant(0)));
                    results.push((*register, region));
                }
                _ => return Err(Stop::Fault("an argument that does not fit its parameter".into())),
            }
        }
        self.function(callee, &mut inner, scope)?;
        for (register, region) in results {
            let row = load_row(&self.linear, region).ok_or("a call that does not write its result")?;
            let result = self.define(function, frame, register);
            let address = Address { region, index: Affine::constant(0) };
            self.push(Item::Load { row, result, address })?;
        }
        Ok(())
    }
}

/// A place holder for a load that is promoted away in the end or read as a whole register.
fn load_row(linear: &Linear, region: RegionId) -> Option<&'static Instruction> {
    let written = linear
        .items
        .iter()
        .rev()
        .any(|item| matches!(item, Item::Store { address, .. } if address.region == region));
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
    constraints: None,
    lines: &[],
    scratch: false,
};

fn further(address: &Address, by: &Affine) -> Address {
    let mut index = address.index.clone();
    index.constant += by.constant;
    index.terms.extend(&by.terms);
    index.terms.sort_unstable();
    Address { region: address.region, index }
}

/// Forwards what lies in regions of the function's own that are only reached at constant places of one block.
fn promote(linear: &mut Linear, scopes: &[Option<Option<usize>>]) {
    let around = linear.around();
    let mut open: Vec<bool> = scopes.iter().map(Option::is_some).collect();
    let mut written: Vec<BTreeMap<i64, ()>> = vec![BTreeMap::new(); scopes.len()];
    for (item, &home) in linear.items.iter().zip(&around) {
        for address in parts(item) {
            open[address.region.index()] = false;
        }
        let (Item::Load { address, .. } | Item::Store { address, .. }) = item else { continue };
        let region = address.region.index();
        if !address.index.terms.is_empty() || scopes[region] != Some(home) {
            open[region] = false;
        }
        match item {
            Item::Store { .. } => {
                written[region].insert(address.index.constant, ());
            }
            _ if !written[region].contains_key(&address.index.constant) => open[region] = false,
            _ => {}
        }
    }
    let mut content: BTreeMap<(RegionId, i64), Value> = BTreeMap::new();
    let mut same: Vec<Value> = (0..linear.values.len() as u32).map(Value).collect();
    let mut kept = Vec::with_capacity(linear.items.len());
    for mut item in std::mem::take(&mut linear.items) {
        match &mut item {
            Item::Compute { operands, .. } => {
                operands.iter_mut().for_each(|operand| *operand = same[operand.index()]);
            }
            Item::Store { address, value } => {
                *value = same[value.index()];
                if open[address.region.index()] {
                    content.insert((address.region, address.index.constant), *value);
                    continue;
                }
            }
            Item::StorePart { value, .. } => *value = same[value.index()],
            Item::Load { address, result, .. } if open[address.region.index()] => {
                if let Some(&value) = content.get(&(address.region, address.index.constant)) {
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

/// The places of which an item moves a part.
fn parts(item: &Item) -> Vec<&Address> {
    match item {
        Item::LoadPart { address, .. } | Item::StorePart { address, .. } => vec![address],
        Item::CopyPart { from, to, .. } => vec![from, to],
        _ => Vec::new(),
    }
}

/// Lets local regions of one length that are never in use together be one.
fn share(linear: &mut Linear, scopes: &[Option<Option<usize>>]) {
    let around = linear.around();
    let parents: Vec<Option<usize>> = linear.loops.iter().map(|looped| around[looped.begin]).collect();
    let mut used: Vec<Option<(usize, usize)>> = vec![None; scopes.len()];
    let places = linear.items.iter().enumerate().flat_map(|(position, item)| {
        let places = match item {
            Item::Load { address, .. } | Item::Store { address, .. } => vec![address],
            item => parts(item),
        };
        places.into_iter().map(move |address| (position, address))
    });
    for (position, address) in places {
        let region = address.region.index();
        let Some(scope) = scopes[region] else { continue };
        let (mut from, mut to) = (position, position);
        // A region from outside a loop is in use as long as the loop runs.
        let mut inner = around[position];
        while inner != scope {
            let Some(number) = inner else { break };
            from = from.min(linear.loops[number].begin);
            to = to.max(linear.loops[number].end);
            inner = parents[number];
        }
        used[region] = Some(match used[region] {
            Some((first, last)) => (first.min(from), last.max(to)),
            None => (from, to),
        });
    }
    let mut order: Vec<usize> = (0..scopes.len()).filter(|&region| used[region].is_some()).collect();
    order.sort_by_key(|&region| used[region]);
    let mut free: Vec<(usize, usize)> = Vec::new();
    let mut now: Vec<RegionId> = (0..scopes.len() as u32).map(RegionId).collect();
    for region in order {
        let Some((first, last)) = used[region] else { continue };
        let Region { length, element, .. } = linear.regions[region];
        let fit = free.iter_mut().find(|(other, busy)| {
            let Region { length: others, element: also, .. } = linear.regions[*other];
            *busy < first && others == length && also == element
        });
        match fit {
            Some((other, busy)) => {
                *busy = last;
                now[region] = RegionId(*other as u32);
            }
            None => free.push((region, last)),
        }
    }
    for item in &mut linear.items {
        match item {
            Item::Load { address, .. }
            | Item::Store { address, .. }
            | Item::LoadPart { address, .. }
            | Item::StorePart { address, .. } => address.region = now[address.region.index()],
            Item::CopyPart { from, to, .. } => {
                from.region = now[from.region.index()];
                to.region = now[to.region.index()];
            }
            _ => {}
        }
    }
}
