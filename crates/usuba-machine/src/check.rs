//! What a machine program has to be: every later stage relies on it.

use crate::affine::{Open, inside, may_overlap};
use crate::messages::{Flaw, Rule};
use crate::program::{
    Address, Argument, Block, Call, Element, Function, Length, Loop, Parameter, Program, Region, RegionId,
    Register, RegisterId, RegisterType, Role, Step, Trips,
};
use crate::rows::{is_computation, is_constant, row_name};
use std::collections::BTreeSet;
use std::ops::Deref;
use usuba_ir::program::{Affine, InductionId};
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
/// - trips and lengths are positive constants, or public counts that the function is given.
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
            open: Vec::new(),
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
    open: Vec<Open>,
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
                Parameter::Register(register) => self.define(register),
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
                let verdict = self.count(*count);
                self.report(verdict);
            }
        }
        for step in &function.constants {
            let verdict = self.constant(step);
            self.report(verdict);
        }
        self.block(&function.body);
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
        let given = self.function.parameters.contains(&Parameter::Register(id));
        if given && self.register(id)?.ty == RegisterType::Count { Ok(()) } else { Err(Rule::NotCount(id)) }
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
    fn place(&self, address: &Address, part: u32) -> Result<&Region, Rule> {
        let region = self.region(address.region)?;
        if !self.living[address.region.index()] {
            return Err(Rule::NotDeclared(address.region));
        }
        if part == 0 {
            return Err(Rule::NoTrip);
        }
        inside(address.region, region.length, &address.index, part, &self.open)?;
        Ok(region)
    }

    fn written(&self, address: &Address, part: u32) -> Result<&Region, Rule> {
        let region = self.place(address, part)?;
        match region.role {
            Role::Output | Role::Local => Ok(region),
            Role::Input | Role::Uniform => Err(Rule::WritesInput(address.region)),
        }
    }

    // Instructions.

    /// That a row is one of the target and does what it stands for.
    fn row(&self, row: &'static Instruction, is: fn(Meaning) -> bool, what: &'static str) -> Verdict {
        if !self.target.instructions().any(|known| std::ptr::eq(known, row) || known == row) {
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
        self.row(row, is_computation, "compute something of registers")?;
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
        self.row(row, is_constant, "make a constant")?;
        let bytes = held(self.register(*result)?.ty)?;
        let why = semantics::constant(row, bytes, constant);
        why.map(|_| ()).map_err(|why| Rule::Operands { row: row_name(row), why })
    }

    /// That a row loads an element, as a register of a type.
    fn loads(&self, row: &'static Instruction, element: Element, ty: RegisterType) -> Verdict {
        match element {
            Element::Register(stored) => {
                self.row(row, |meaning| meaning == Meaning::Load, "load a register")?;
                expect(|| "what is loaded".into(), stored, ty)
            }
            Element::Scalars { .. } => {
                self.row(row, |meaning| meaning == Meaning::Broadcast, "repeat what it loads")?;
                let bytes = if row.lane == 0 { held(ty)? } else { row.lane as usize / 8 };
                if element.bytes() == bytes {
                    return Ok(());
                }
                let (found, expected) = (element.to_string(), format!("{bytes} bytes"));
                Err(Rule::Type { what: "what is repeated".into(), found, expected })
            }
        }
    }

    fn stores(&self, row: &'static Instruction, element: Element, ty: RegisterType) -> Verdict {
        self.row(row, |meaning| meaning == Meaning::Store, "store a register")?;
        match element {
            Element::Register(stored) => expect(|| "what is stored".into(), ty, stored),
            Element::Scalars { .. } => Err(Rule::Type {
                what: "what is stored".into(),
                found: ty.to_string(),
                expected: element.to_string(),
            }),
        }
    }

    // Steps.

    fn block(&mut self, block: &Block) {
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
        for local in &block.locals {
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
                self.loads(row, self.place(address, 1)?.element, self.register(*result)?.ty)
            }
            Step::Store { row, address, value } => {
                self.stores(row, self.written(address, 1)?.element, self.read(*value)?)
            }
            Step::Fill { store, address, len, value } => {
                self.stores(store, self.written(address, *len)?.element, self.read(*value)?)
            }
            Step::Copy { load, store, from, to, len } => {
                let (source, goal) = (self.place(from, *len)?, self.written(to, *len)?);
                let Element::Register(ty) = goal.element else {
                    return self.stores(store, goal.element, RegisterType::Pointer);
                };
                self.loads(load, source.element, ty)?;
                self.stores(store, goal.element, ty)?;
                self.apart((from, *len), (to, *len))
            }
            Step::Call(call) => self.call(call),
            Step::Loop(looped) => self.looped(looped),
        }
    }

    fn apart(&self, one: (&Address, u32), other: (&Address, u32)) -> Verdict {
        let same = one.0.region == other.0.region;
        if same && may_overlap((&one.0.index, one.1), (&other.0.index, other.1), &self.open) {
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
        // What the call reads and writes, with how many elements; `None`: all of them.
        let mut places: Vec<(&Address, Option<u32>, bool)> = Vec::new();
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
                    if writes != (to.role == Role::Output) {
                        return Err(misfit("one is for reading, the other for writing"));
                    }
                    let part = self.given(call, callee, address, to.length)?;
                    let region = match part {
                        Some(part) if writes => self.written(address, part)?,
                        Some(part) => self.place(address, part)?,
                        None if writes && self.region(address.region)?.role != Role::Output => {
                            return Err(Rule::WritesInput(address.region));
                        }
                        None => self.region(address.region)?,
                    };
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
                match (part, others) {
                    _ if !writes && !also => {}
                    (Some(part), Some(others)) => self.apart((one, part), (other, others))?,
                    _ if one.region == other.region => return Err(Rule::Overlap(one.region)),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// How many elements of a region a callee is given that expects so many; `None` for all of a public number, which is then
    /// given with the count that it belongs to.
    fn given(
        &self,
        call: &Call,
        callee: &Function,
        address: &Address,
        expected: Length,
    ) -> Result<Option<u32>, Rule> {
        let (count, factor) = match expected {
            Length::Constant(part) => return Ok(Some(part)),
            Length::Public { count, factor } => (count, factor),
        };
        let region = self.region(address.region)?;
        let place = callee.parameters.iter().position(|&parameter| parameter == Parameter::Register(count));
        let own = match place.and_then(|place| call.arguments.get(place)) {
            Some(Argument::Value(register)) => *register,
            _ => return Err(Rule::NotCount(count)),
        };
        let whole = address.index == Affine::constant(0);
        let enough = matches!(region.length, Length::Public { count, factor: own_factor } if count == own && own_factor >= factor);
        if whole && enough && self.living[address.region.index()] {
            return Ok(None);
        }
        Err(Rule::Index {
            region: address.region,
            low: i128::from(address.index.constant),
            high: i128::from(address.index.constant),
            public: String::new(),
            length: region.length.to_string(),
            part: factor,
        })
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
        self.open.push((looped.induction, looped.trips));
        self.block(&looped.body);
        for carried in &looped.carried {
            self.now = Some(carried.register);
            let ty = self.register(carried.register)?.ty;
            let verdict = self.read_as(carried.next, ty);
            self.report(verdict);
        }
        self.open.pop();
        self.visible = outside;
        Ok(())
    }
}

/// Bytes of a register that instructions compute with.
fn held(ty: RegisterType) -> Result<usize, Rule> {
    match ty {
        RegisterType::Vector { .. } | RegisterType::General { .. } => Ok(ty.bytes()),
        RegisterType::Mask { .. } | RegisterType::Pointer | RegisterType::Count => Err(Rule::Type {
            what: "an operand".into(),
            found: ty.to_string(),
            expected: "a vector or a word".into(),
        }),
    }
}

fn expect(what: impl Fn() -> String, found: RegisterType, expected: RegisterType) -> Verdict {
    if expected.holds(found) {
        return Ok(());
    }
    Err(Rule::Type { what: what(), found: found.to_string(), expected: expected.to_string() })
}
