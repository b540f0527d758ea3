//! What a machine program has to be: every later stage relies on it.

use crate::bounds::Bounds;
use crate::messages::{Flaw, Rule};
use crate::program::{
    Address, Argument, Block, Call, Element, Function, Length, Loop, Parameter, Program, Region, RegionId,
    Register, RegisterId, RegisterType, Role, Step, Trips,
};
use crate::rows::row_name;
use std::collections::BTreeSet;
use std::ops::Deref;
use usuba_ir::program::InductionId;
use usuba_target::{Instruction, Meaning, Target, evaluate, semantics};

/// A program that the checker found sound. Only [`check()`] makes one, and nothing changes one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked(Program);

impl Deref for Checked {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.0
    }
}

impl Checked {
    /// The program, to be changed.
    pub fn into_program(self) -> Program {
        self.0
    }
}

/// Checks a program:
///
/// - every register is defined once, before it is used, and where its definition can be seen: not after the loop in whose
///   body it stands, unless the loop carries it;
/// - every instruction is one of the target, with operands, an immediate and a size of register that its meaning has;
/// - every address is inside of its region for all values of the inductions, and of what lives there; inputs are not written,
///   and what a step writes does not overlap what else it is given;
/// - calls are of functions before, with arguments that fit;
/// - trips and lengths are positive constants or public counts; these are made of public counts, and never negative.
///
/// It does not check that memory is written before it is read. Cost: linear, times the depth of loops.
///
/// # Errors
/// All flaws, in the order of the program.
pub fn check(program: Program) -> Result<Checked, Vec<Flaw>> {
    let flaws = flaws(&program);
    if flaws.is_empty() { Ok(Checked(program)) } else { Err(flaws) }
}

/// What [`check()`] finds.
pub fn flaws(program: &Program) -> Vec<Flaw> {
    let whole = |rule| Flaw { function: None, register: None, rule };
    let Some(target) = usuba_target::by_name(program.target) else {
        return vec![whole(Rule::NoTarget(program.target.into()))];
    };
    if program.functions.is_empty() {
        return vec![whole(Rule::NoFunction)];
    }
    let mut found = Vec::new();
    let mut names = BTreeSet::new();
    for (number, function) in program.functions.iter().enumerate() {
        if !names.insert(function.name.as_str()) {
            found.push(whole(Rule::FunctionTwice(function.name.clone())));
        }
        let mut checker = Checker {
            target,
            callees: &program.functions[..number],
            function,
            visible: vec![false; function.registers.len()],
            defined: vec![false; function.registers.len()],
            living: vec![false; function.regions.len()],
            declared: vec![false; function.regions.len()],
            origin: (0..function.regions.len() as u32).map(RegionId).collect(),
            views: Vec::new(),
            bounds: Bounds::new(),
            inductions: BTreeSet::new(),
            now: None,
            found: Vec::new(),
        };
        checker.function();
        found.append(&mut checker.found);
    }
    found
}

struct Checker<'a> {
    target: &'static Target,
    callees: &'a [Function],
    function: &'a Function,
    visible: Vec<bool>,
    /// Each register once, wherever.
    defined: Vec<bool>,
    living: Vec<bool>,
    /// Each region once, wherever.
    declared: Vec<bool>,
    /// The region that each is a view of, itself if it is none.
    origin: Vec<RegionId>,
    /// The views of the block that is looked at.
    views: Vec<RegionId>,
    bounds: Bounds,
    inductions: BTreeSet<InductionId>,
    /// What the step that is looked at defines.
    now: Option<RegisterId>,
    found: Vec<Flaw>,
}

type Verdict = Result<(), Rule>;

impl Checker<'_> {
    fn report(&mut self, verdict: Verdict) {
        if let Err(rule) = verdict {
            let function = Some(self.function.name.clone());
            self.found.push(Flaw { function, register: self.now, rule });
        }
    }

    fn function(&mut self) {
        let function = self.function;
        let letter = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        if function.name.is_empty() || !function.name.chars().all(letter) {
            self.report(Err(Rule::Name(function.name.clone())));
        }
        let registers = function.registers.iter().filter_map(|register| register.name.as_deref());
        for name in registers.chain(function.regions.iter().map(|region| region.name.as_str())) {
            if name.contains(|c: char| c == '"' || c.is_whitespace() || c.is_control()) {
                self.report(Err(Rule::SourceName(name.into())));
            }
        }
        for &parameter in &function.parameters {
            let verdict = match parameter {
                Parameter::Register(register) => self.given(register),
                Parameter::Region(region) => self.parameter(region),
            };
            self.report(verdict);
        }
        // Counts may stand after the regions whose lengths they are.
        for &parameter in &function.parameters {
            if let Parameter::Region(region) = parameter
                && let Some(Region { length: Length::Public { count, .. }, .. }) =
                    function.regions.get(region.index())
            {
                let is_given = function.parameters.contains(&Parameter::Register(*count));
                let verdict = if is_given { self.count(*count) } else { Err(Rule::NotCount(*count)) };
                self.report(verdict);
            }
        }
        for step in &function.constants {
            let verdict = self.constant(step);
            self.report(verdict);
        }
        self.block(&function.body);
    }

    fn given(&mut self, register: RegisterId) -> Verdict {
        self.define(register)?;
        if self.register(register)?.ty == RegisterType::Count {
            self.bounds.given(register);
        }
        Ok(())
    }

    fn parameter(&mut self, region: RegionId) -> Verdict {
        if self.region(region)?.role == Role::Local {
            return Err(Rule::LocalParameter(region));
        }
        self.declare(region)
    }

    // Registers and regions.

    fn register(&self, id: RegisterId) -> Result<&Register, Rule> {
        self.function.registers.get(id.index()).ok_or(Rule::NoRegister(id))
    }

    fn region(&self, id: RegionId) -> Result<&Region, Rule> {
        self.function.regions.get(id.index()).ok_or(Rule::NoRegion(id))
    }

    fn define(&mut self, id: RegisterId) -> Verdict {
        self.now = Some(id);
        self.register(id)?;
        if std::mem::replace(&mut self.defined[id.index()], true) {
            return Err(Rule::DefinedTwice(id));
        }
        self.visible[id.index()] = true;
        Ok(())
    }

    fn read(&self, id: RegisterId) -> Result<RegisterType, Rule> {
        let ty = self.register(id)?.ty;
        if self.visible[id.index()] { Ok(ty) } else { Err(Rule::NotDefined(id)) }
    }

    /// Reads a register that holds what `expected` does.
    fn read_as(&self, id: RegisterId, expected: RegisterType) -> Verdict {
        expect(|| id.to_string(), self.read(id)?, expected)
    }

    fn count(&self, id: RegisterId) -> Verdict {
        if self.read(id)? == RegisterType::Count { Ok(()) } else { Err(Rule::NotCount(id)) }
    }

    fn declare(&mut self, id: RegionId) -> Verdict {
        if std::mem::replace(&mut self.declared[id.index()], true) {
            return Err(Rule::DeclaredTwice(id));
        }
        self.living[id.index()] = true;
        Ok(())
    }

    fn local(&mut self, id: RegionId) -> Verdict {
        let region = self.region(id)?;
        if region.role != Role::Local {
            return Err(Rule::NotLocal(id));
        }
        if region.length.constant().unwrap_or(0) == 0 {
            return Err(Rule::LocalLength(id));
        }
        self.declare(id)
    }

    /// The region of an address of `part` elements, all of them inside.
    fn place(&self, address: &Address, part: Length) -> Result<&Region, Rule> {
        let region = self.living(address.region)?;
        if part == Length::Constant(0) {
            return Err(Rule::NoTrip);
        }
        self.bounds.inside(address, region.length, part)?;
        Ok(region)
    }

    fn living(&self, id: RegionId) -> Result<&Region, Rule> {
        let region = self.region(id)?;
        if self.living[id.index()] { Ok(region) } else { Err(Rule::NotDeclared(id)) }
    }

    fn written(&self, address: &Address, part: Length) -> Result<&Region, Rule> {
        let region = self.place(address, part)?;
        match region.role {
            Role::Output | Role::Changed | Role::Local => Ok(region),
            Role::Input | Role::Uniform => Err(Rule::WritesInput(address.region)),
        }
    }

    // Instructions.

    /// That a row is one of the target and does what it stands for.
    fn row(&self, row: &'static Instruction, is: fn(Meaning) -> bool, what: &'static str) -> Verdict {
        if !self.target.all_instructions().any(|known| std::ptr::eq(known, row) || known == row) {
            return Err(Rule::NoRow(row_name(row), self.target.name));
        }
        if is(row.meaning) { Ok(()) } else { Err(Rule::Meaning(row_name(row), what)) }
    }

    fn compute(
        &self,
        row: &'static Instruction,
        ty: RegisterType,
        operands: &[RegisterId],
        n: Option<u32>,
    ) -> Verdict {
        self.row(row, Meaning::is_computation, "compute something of registers")?;
        for &operand in operands {
            self.read_as(operand, ty)?;
        }
        let bytes = held(ty)?;
        // Whether it has a meaning does not depend on what the operands hold.
        let zeros = [0; 64];
        let zeros = zeros.get(..bytes).unwrap_or(&zeros);
        let why = evaluate(row, bytes, &vec![zeros; operands.len()], n);
        why.map(|_| ()).map_err(|why| Rule::Operands { row: row_name(row), why })
    }

    fn constant(&mut self, step: &Step) -> Verdict {
        let Step::Constant { row, result, constant } = step else { return Err(Rule::StepAmongConstants) };
        self.define(*result)?;
        self.row(row, Meaning::is_constant, "make a constant")?;
        let bytes = held(self.register(*result)?.ty)?;
        let why = semantics::constant(row, bytes, constant);
        why.map(|_| ()).map_err(|why| Rule::Operands { row: row_name(row), why })
    }

    /// That a row loads a register of a type from a region, and how many elements it reads.
    fn loads(&self, row: &'static Instruction, element: Element, ty: RegisterType) -> Result<Length, Rule> {
        match element {
            Element::Register(stored) => {
                self.row(row, |meaning| meaning == Meaning::Load, "load a register")?;
                expect(|| "what is loaded".into(), stored, ty)?;
                Ok(Length::Constant(1))
            }
            Element::Scalars { .. } => {
                self.row(row, Meaning::is_repeat, "repeat what it loads")?;
                let bytes = if row.lane == 0 { held(ty)? } else { row.lane as usize / 8 };
                match elements(element, bytes, "what is repeated")? {
                    // Numbers of several bytes have an order; longer ones are strings.
                    Length::Constant(2..) if bytes <= 8 => Err(Rule::Type {
                        what: "what is repeated".into(),
                        found: element.to_string(),
                        expected: format!("u{}", 8 * bytes),
                    }),
                    read => Ok(read),
                }
            }
        }
    }

    /// That a row stores a register of a type to a region, and how many elements it writes.
    fn stores(&self, row: &'static Instruction, element: Element, ty: RegisterType) -> Result<Length, Rule> {
        match element {
            Element::Register(stored) => {
                self.row(row, |meaning| meaning == Meaning::Store, "store a register")?;
                expect(|| "what is stored".into(), ty, stored)?;
                Ok(Length::Constant(1))
            }
            Element::Scalars { .. } => {
                self.row(row, |meaning| meaning == Meaning::StoreUnaligned, "store a register anywhere")?;
                elements(element, held(ty)?, "what is stored")
            }
        }
    }

    /// That a row gives or takes a register of a type in lanes, one for each address, and how many elements each of them is.
    fn lanes(
        &self,
        row: &'static Instruction,
        meaning: (fn(Meaning) -> bool, &'static str),
        addresses: &[Address],
        ty: RegisterType,
    ) -> Result<Vec<Length>, Rule> {
        self.row(row, meaning.0, meaning.1)?;
        let (found, expected) = (addresses.len(), row.places(8 * held(ty)? as u32));
        if found != expected {
            return Err(Rule::Places { row: row_name(row), found, expected });
        }
        let of = |address: &Address| {
            elements(self.living(address.region)?.element, row.lane as usize / 8, "a lane in memory")
        };
        addresses.iter().map(of).collect()
    }

    /// That a row moves the first `count` elements of a register of a type.
    fn part(
        &self,
        row: &'static Instruction,
        meaning: (fn(Meaning) -> bool, &'static str),
        element: Element,
        ty: RegisterType,
        count: RegisterId,
    ) -> Result<Length, Rule> {
        self.row(row, meaning.0, meaning.1)?;
        self.count(count)?;
        elements(element, row.lane as usize / 8, "what is moved in part").and_then(|each| match each {
            Length::Constant(1) => Ok(()),
            _ => Err(Rule::Type {
                what: "what is moved in part".into(),
                found: element.to_string(),
                expected: format!("u{}", row.lane),
            }),
        })?;
        let lanes = held(ty)? / (row.lane as usize / 8).max(1);
        if !self.bounds.at_most(count, lanes.saturating_sub(1))? {
            return Err(Rule::Part(count, ty.to_string()));
        }
        Ok(Length::Public { count, factor: 1 })
    }

    // Steps.

    fn block(&mut self, block: &Block) {
        let outside = std::mem::take(&mut self.views);
        for &local in &block.locals {
            self.now = None;
            let verdict = self.local(local);
            self.report(verdict);
        }
        for step in &block.steps {
            self.now = None;
            let verdict = self.step(step);
            self.report(verdict);
        }
        let own = std::mem::replace(&mut self.views, outside);
        for local in block.locals.iter().chain(&own) {
            if let Some(living) = self.living.get_mut(local.index()) {
                *living = false;
            }
        }
    }

    fn step(&mut self, step: &Step) -> Verdict {
        match step {
            Step::Compute { row, result, operands, immediate } => {
                self.now = Some(*result);
                let verdict = self.compute(row, self.register(*result)?.ty, operands, *immediate);
                self.define(*result)?;
                verdict
            }
            Step::Constant { result, .. } => {
                self.define(*result)?;
                Err(Rule::ConstantAmongSteps)
            }
            Step::Load { row, result, address } => {
                self.define(*result)?;
                let part =
                    self.loads(row, self.living(address.region)?.element, self.register(*result)?.ty)?;
                self.place(address, part).map(|_| ())
            }
            Step::LoadPart { row, result, address, count } => {
                self.define(*result)?;
                let element = self.living(address.region)?.element;
                let is: fn(Meaning) -> bool = |meaning| meaning == Meaning::LoadPart;
                let ty = self.register(*result)?.ty;
                let part = self.part(row, (is, "load a part of a register"), element, ty, *count)?;
                self.place(address, part).map(|_| ())
            }
            Step::Gather { row, result, addresses } => {
                self.define(*result)?;
                let is: fn(Meaning) -> bool = |meaning| meaning == Meaning::Gather;
                let ty = self.register(*result)?.ty;
                let parts = self.lanes(row, (is, "load lanes from several places"), addresses, ty)?;
                let mut lanes = addresses.iter().zip(parts);
                lanes.try_for_each(|(address, part)| self.place(address, part).map(|_| ()))
            }
            Step::Scatter { row, addresses, value } => {
                let is: fn(Meaning) -> bool = |meaning| meaning == Meaning::Scatter;
                let ty = self.read(*value)?;
                let parts = self.lanes(row, (is, "store lanes to several places"), addresses, ty)?;
                let mut lanes = addresses.iter().zip(parts);
                lanes.try_for_each(|(address, part)| self.written(address, part).map(|_| ()))
            }
            Step::Store { row, address, value } => {
                let part = self.stores(row, self.living(address.region)?.element, self.read(*value)?)?;
                self.written(address, part).map(|_| ())
            }
            Step::StorePart { row, address, value, count } => {
                let element = self.living(address.region)?.element;
                let is: fn(Meaning) -> bool = |meaning| meaning == Meaning::StorePart;
                let ty = self.read(*value)?;
                let part = self.part(row, (is, "store a part of a register"), element, ty, *count)?;
                self.written(address, part).map(|_| ())
            }
            Step::Fill { store, address, len, value } => {
                let element = self.written(address, Length::Constant(*len))?.element;
                self.whole(store, element, self.read(*value)?)
            }
            Step::Copy { load, store, from, to, len } => {
                let part = Length::Constant(*len);
                let (source, goal) = (self.place(from, part)?, self.written(to, part)?);
                let (Element::Register(ty), Element::Register(_) | Element::Scalars { .. }) =
                    (goal.element, source.element)
                else {
                    return Err(Rule::Type {
                        what: "what is copied".into(),
                        found: goal.element.to_string(),
                        expected: "a register".into(),
                    });
                };
                let (read, given) = (self.loads(load, source.element, ty)?, Length::Constant(1));
                if read != given {
                    return Err(Rule::Type {
                        what: "what is copied".into(),
                        found: source.element.to_string(),
                        expected: goal.element.to_string(),
                    });
                }
                self.whole(store, goal.element, ty)?;
                self.apart((from, part), (to, part))
            }
            Step::CopyPart { from, to, count } => {
                self.count(*count)?;
                let part = Length::Public { count: *count, factor: 1 };
                let (source, goal) = (self.place(from, part)?, self.written(to, part)?);
                if source.element != goal.element || !matches!(goal.element, Element::Scalars { .. }) {
                    return Err(Rule::Type {
                        what: "what is copied".into(),
                        found: source.element.to_string(),
                        expected: goal.element.to_string(),
                    });
                }
                self.apart((from, part), (to, part))
            }
            Step::Count { result, value } => {
                self.define(*result)?;
                value.counts().into_iter().try_for_each(|count| self.count(count))?;
                if self.register(*result)?.ty != RegisterType::Count {
                    return Err(Rule::NotCount(*result));
                }
                self.bounds.made(*result, value)
            }
            Step::View { region, of, offset } => self.view(*region, *of, *offset),
            Step::Call(call) => self.call(call),
            Step::Loop(looped) => self.looped(looped),
        }
    }

    /// That a row stores elements that are registers.
    fn whole(&self, row: &'static Instruction, element: Element, ty: RegisterType) -> Verdict {
        match self.stores(row, element, ty)? {
            Length::Constant(1) => Ok(()),
            _ => Err(Rule::Type {
                what: "what is stored".into(),
                found: ty.to_string(),
                expected: element.to_string(),
            }),
        }
    }

    fn view(&mut self, id: RegionId, of: RegionId, offset: RegisterId) -> Verdict {
        self.count(offset)?;
        let (whole, view) = (self.living(of)?, self.region(id)?);
        if let Length::Public { count, .. } = view.length {
            self.count(count)?;
        }
        if (view.role, view.element) != (whole.role, whole.element) {
            return Err(Rule::OtherView(id, of));
        }
        if !self.bounds.contains(whole.length, offset, view.length)? {
            return Err(Rule::View(id, of));
        }
        self.origin[id.index()] = self.origin[of.index()];
        self.declare(id)?;
        self.views.push(id);
        Ok(())
    }

    fn apart(&self, one: (&Address, Length), other: (&Address, Length)) -> Verdict {
        let root = |address: &Address| self.origin.get(address.region.index());
        let same = one.0.region == other.0.region;
        let overlaps = if same {
            self.bounds.may_overlap((&one.0.index, one.1), (&other.0.index, other.1))
        } else {
            root(one.0) == root(other.0)
        };
        if overlaps {
            return Err(Rule::Overlap(one.0.region));
        }
        Ok(())
    }

    fn call(&mut self, call: &Call) -> Verdict {
        for argument in &call.arguments {
            if let Argument::Result(register) = argument {
                self.define(*register)?;
            }
        }
        let callee = self.callees.get(call.function).ok_or(Rule::Callee(call.function))?;
        let (found, expected) = (call.arguments.len(), callee.parameters.len());
        if found != expected {
            return Err(Rule::Arguments { found, expected });
        }
        // What the call reads and writes, with how many elements.
        let mut places: Vec<(&Address, Length, bool)> = Vec::new();
        for (number, (argument, &parameter)) in call.arguments.iter().zip(&callee.parameters).enumerate() {
            let misfit = |why| Rule::Argument(number, why);
            match (argument, parameter) {
                (Argument::Value(register), Parameter::Register(to)) => {
                    self.read_as(*register, callee.register(to).ty)?;
                    if callee.register(to).ty == RegisterType::Count {
                        self.count(*register)?;
                    }
                }
                (Argument::Read(address) | Argument::Write(address), Parameter::Region(to)) => {
                    let to = callee.region(to);
                    let writes = matches!(argument, Argument::Write(_));
                    if writes != matches!(to.role, Role::Output | Role::Changed) {
                        return Err(misfit("one is for reading, the other for writing"));
                    }
                    let part = self.expected(call, callee, to.length)?;
                    let region =
                        if writes { self.written(address, part)? } else { self.place(address, part)? };
                    if region.element != to.element {
                        return Err(misfit("the elements differ"));
                    }
                    places.push((address, part, writes));
                }
                (Argument::Result(register), Parameter::Region(to)) => {
                    let to = callee.region(to);
                    if to.role != Role::Output || to.length != Length::Constant(1) {
                        return Err(misfit("a register takes the place of an output of one element"));
                    }
                    let ty = self.register(*register)?.ty;
                    if to.element != Element::Register(ty) {
                        return Err(misfit("the types differ"));
                    }
                }
                _ => return Err(misfit("one is a register, the other memory")),
            }
        }
        for (number, &(one, part, writes)) in places.iter().enumerate() {
            for &(other, others, also) in &places[..number] {
                if writes || also {
                    self.apart((one, part), (other, others))?;
                }
            }
        }
        Ok(())
    }

    /// How many elements of a region a callee expects, in counts of the caller.
    fn expected(&self, call: &Call, callee: &Function, length: Length) -> Result<Length, Rule> {
        let Length::Public { count, factor } = length else { return Ok(length) };
        let place = callee.parameters.iter().position(|&parameter| parameter == Parameter::Register(count));
        match place.and_then(|place| call.arguments.get(place)) {
            Some(Argument::Value(register)) => Ok(Length::Public { count: *register, factor }),
            _ => Err(Rule::NotCount(count)),
        }
    }

    fn looped(&mut self, looped: &Loop) -> Verdict {
        match looped.trips {
            Trips::Constant(0) => return Err(Rule::NoTrip),
            Trips::Constant(_) => {}
            Trips::Public(count) => self.count(count)?,
        }
        if !self.inductions.insert(looped.induction) {
            return Err(Rule::InductionTwice(looped.induction));
        }
        for carried in &looped.carried {
            let ty = self.register(carried.register)?.ty;
            self.read_as(carried.initial, ty)?;
        }
        for carried in &looped.carried {
            self.define(carried.register)?;
        }
        let outside = self.visible.clone();
        self.bounds.open(looped.induction, looped.trips)?;
        self.block(&looped.body);
        for carried in &looped.carried {
            self.now = Some(carried.register);
            let ty = self.register(carried.register)?.ty;
            let verdict = self.read_as(carried.next, ty);
            self.report(verdict);
        }
        self.bounds.close();
        self.visible = outside;
        Ok(())
    }
}

/// Bytes of a register that instructions compute with.
fn held(ty: RegisterType) -> Result<usize, Rule> {
    match ty {
        RegisterType::Vector { .. } | RegisterType::General { .. } => Ok(ty.bytes()),
        RegisterType::Count => Err(Rule::Type {
            what: "an operand".into(),
            found: ty.to_string(),
            expected: "a vector or a word".into(),
        }),
    }
}

/// How many elements so many bytes are: one, or bytes.
fn elements(element: Element, bytes: usize, what: &'static str) -> Result<Length, Rule> {
    match element {
        Element::Scalars { .. } if element.bytes() == bytes => Ok(Length::Constant(1)),
        Element::Scalars { bits: 8, count: 1 } => Ok(Length::Constant(bytes as u32)),
        _ => Err(Rule::Type {
            what: what.into(),
            found: element.to_string(),
            expected: format!("{bytes} bytes"),
        }),
    }
}

fn expect(what: impl Fn() -> String, found: RegisterType, expected: RegisterType) -> Verdict {
    if expected.holds(found) {
        return Ok(());
    }
    Err(Rule::Type { what: what(), found: found.to_string(), expected: expected.to_string() })
}
