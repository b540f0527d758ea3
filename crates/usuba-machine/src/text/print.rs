//! Machine programs to text.

use super::{computed, written};
use crate::program::{
    Address, Argument, Block, Call, Element, Function, Length, Loop, Parameter, Program, Public, RegionId,
    RegisterId, RegisterType, Role, Step, Trips,
};
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use usuba_ir::program::Inline;
use usuba_target::{Constant, Instruction, Meaning, Target};

impl Display for RegisterId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Display for RegionId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "&{}", self.0)
    }
}

impl Display for RegisterType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            RegisterType::Vector { bits, lane: 0 } => write!(f, "v{bits}"),
            RegisterType::Vector { bits, lane } => write!(f, "v{bits}x{lane}"),
            RegisterType::General { bits } => write!(f, "g{bits}"),
            RegisterType::Count => f.write_str("count"),
        }
    }
}

impl Display for Element {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Element::Register(ty) => ty.fmt(f),
            Element::Scalars { bits, count: 1 } => write!(f, "u{bits}"),
            Element::Scalars { bits, count } => write!(f, "u{bits}*{count}"),
        }
    }
}

impl Display for Length {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Length::Constant(length) => write!(f, "{length}"),
            Length::Public { count, factor: 1 } => write!(f, "{count}"),
            Length::Public { count, factor } => write!(f, "{factor}*{count}"),
        }
    }
}

impl Display for Role {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Input => "input",
            Role::Uniform => "uniform",
            Role::Output => "output",
            Role::Changed => "changed",
            Role::Local => "local",
        })
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.region, self.index)
    }
}

impl Display for Public {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Public::Sum { constant, terms } => {
                for (place, (count, coefficient)) in terms.iter().enumerate() {
                    match (place, *coefficient < 0) {
                        (0, false) => {}
                        (0, true) => f.write_str("-")?,
                        (_, false) => f.write_str(" + ")?,
                        (_, true) => f.write_str(" - ")?,
                    }
                    match coefficient.unsigned_abs() {
                        1 => write!(f, "{count}")?,
                        factor => write!(f, "{factor}*{count}")?,
                    }
                }
                match (terms.is_empty(), *constant) {
                    (true, constant) => write!(f, "{constant}"),
                    (false, 0) => Ok(()),
                    (false, constant) if constant < 0 => write!(f, " - {}", constant.unsigned_abs()),
                    (false, constant) => write!(f, " + {constant}"),
                }
            }
            Public::Index(index) => write!(f, "[{index}]"),
            Public::Quotient { of, by } => write!(f, "{of} / {by}"),
            Public::Remainder { of, by } => write!(f, "{of} mod {by}"),
            Public::Least { of, bound } => write!(f, "min({of}, {bound})"),
        }
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "target {}", self.target)?;
        for file in &self.files {
            writeln!(f, "file \"{file}\"")?;
        }
        for function in &self.functions {
            writeln!(f)?;
            Printer { program: self, target: usuba_target::by_name(self.target), function }.function(f)?;
        }
        Ok(())
    }
}

struct Printer<'a> {
    program: &'a Program,
    target: Option<&'static Target>,
    function: &'a Function,
}

impl Printer<'_> {
    fn function(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let function = self.function;
        let inline = match function.inline {
            Inline::Auto => "",
            Inline::Always => " inline",
            Inline::Never => " no_inline",
        };
        write!(f, "function {}{inline} (", function.name)?;
        for (place, parameter) in function.parameters.iter().enumerate() {
            f.write_str(if place == 0 { "" } else { ", " })?;
            match *parameter {
                Parameter::Register(register) => self.defined(f, register)?,
                Parameter::Region(region) => self.declared(f, region)?,
            }
        }
        writeln!(f, ") {{")?;
        self.unused(f)?;
        self.locals(f, &function.body, 1)?;
        function.constants.iter().chain(&function.body.steps).try_for_each(|step| self.step(f, step, 1))?;
        writeln!(f, "}}")
    }

    /// The registers and regions that nothing defines.
    fn unused(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let function = self.function;
        let mut seen = Seen::default();
        for parameter in &function.parameters {
            match *parameter {
                Parameter::Register(register) => seen.registers.insert(register),
                Parameter::Region(region) => seen.regions.insert(region),
            };
        }
        function.constants.iter().for_each(|step| seen.step(step));
        seen.block(&function.body);
        let registers = (0..function.registers.len() as u32).map(RegisterId);
        for register in registers.filter(|register| !seen.registers.contains(register)) {
            f.write_str("  unused ")?;
            self.defined(f, register)?;
            writeln!(f)?;
        }
        let regions = (0..function.regions.len() as u32).map(RegionId);
        for region in regions.filter(|region| !seen.regions.contains(region)) {
            f.write_str("  unused ")?;
            self.declared(f, region)?;
            writeln!(f)?;
        }
        Ok(())
    }

    fn defined(&self, f: &mut Formatter<'_>, id: RegisterId) -> fmt::Result {
        let Some(register) = self.function.registers.get(id.index()) else { return write!(f, "{id}: ?") };
        write!(f, "{id}")?;
        if let Some(name) = &register.name {
            write!(f, " \"{name}\"")?;
        }
        write!(f, ": {}", register.ty)?;
        match register.place {
            Some((file, line, column)) if file.0 == 0 => write!(f, " @{line}:{column}"),
            Some((file, line, column)) => write!(f, " @{}/{line}:{column}", file.0),
            None => Ok(()),
        }
    }

    fn declared(&self, f: &mut Formatter<'_>, id: RegionId) -> fmt::Result {
        let Some(region) = self.function.regions.get(id.index()) else { return write!(f, "{id}: ?") };
        write!(f, "{id} \"{}\": {} {}[{}]", region.name, region.role, region.element, region.length)
    }

    fn row(&self, row: &Instruction) -> String {
        written(self.target, row)
    }

    fn locals(&self, f: &mut Formatter<'_>, block: &Block, depth: usize) -> fmt::Result {
        block.locals.iter().try_for_each(|&local| {
            write!(f, "{:1$}", "", 2 * depth)?;
            self.declared(f, local)?;
            writeln!(f)
        })
    }

    fn step(&self, f: &mut Formatter<'_>, step: &Step, depth: usize) -> fmt::Result {
        write!(f, "{:1$}", "", 2 * depth)?;
        match step {
            Step::Compute { row, result, operands, immediate } => {
                self.defined(f, *result)?;
                write!(f, " = {}", self.row(row))?;
                match immediate {
                    Some(table) if row.meaning == Meaning::Ternary => write!(f, " {table:#04x}")?,
                    Some(immediate) => write!(f, " {immediate}")?,
                    None => {}
                }
                let names: Vec<String> = operands.iter().map(ToString::to_string).collect();
                write!(f, " {}", names.join(", "))?;
                if row.meaning == Meaning::Ternary {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    write!(f, "  // {}", computed(row, &names, *immediate))?;
                }
                writeln!(f)
            }
            Step::Constant { row, result, constant } => {
                self.defined(f, *result)?;
                write!(f, " = constant {}", self.row(row))?;
                match constant {
                    Constant::Lane(value) => write!(f, " {value:#x}")?,
                    Constant::Lanes(values) => {
                        f.write_str(" lanes")?;
                        values.iter().try_for_each(|value| write!(f, " {value:#x}"))?;
                    }
                    Constant::Bytes(bytes) => {
                        f.write_str(" bytes ")?;
                        bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                    }
                }
                writeln!(f)
            }
            Step::Load { row, result, address } => {
                self.defined(f, *result)?;
                writeln!(f, " = load {} {address}", self.row(row))
            }
            Step::LoadPart { row, result, address, count } => {
                self.defined(f, *result)?;
                writeln!(f, " = load {} {address} part {count}", self.row(row))
            }
            Step::Gather { row, result, addresses } => {
                self.defined(f, *result)?;
                writeln!(f, " = load {} {}", self.row(row), list(addresses))
            }
            Step::Scatter { row, addresses, value } => {
                writeln!(f, "store {} {}, {value}", self.row(row), list(addresses))
            }
            Step::Store { row, address, value } => writeln!(f, "store {} {address}, {value}", self.row(row)),
            Step::StorePart { row, address, value, count } => {
                writeln!(f, "store {} {address}, {value} part {count}", self.row(row))
            }
            Step::Fill { store, address, len, value } => {
                writeln!(f, "fill {} {address}, {value} {len}", self.row(store))
            }
            Step::Copy { load, store, from, to, len } => {
                writeln!(f, "copy {} {} {to}, {from} {len}", self.row(load), self.row(store))
            }
            Step::CopyPart { from, to, count } => writeln!(f, "copy {to}, {from} part {count}"),
            Step::Count { result, value } => {
                self.defined(f, *result)?;
                writeln!(f, " = {value}")
            }
            Step::View { region, of, offset } => {
                self.declared(f, *region)?;
                writeln!(f, " = {of} + {offset}")
            }
            Step::Call(call) => self.call(f, call),
            Step::Loop(looped) => self.looped(f, looped, depth),
        }
    }

    fn call(&self, f: &mut Formatter<'_>, call: &Call) -> fmt::Result {
        match self.program.functions.get(call.function) {
            Some(callee) => write!(f, "call {}(", callee.name)?,
            None => write!(f, "call ?(")?,
        }
        for (place, argument) in call.arguments.iter().enumerate() {
            f.write_str(if place == 0 { "" } else { ", " })?;
            match argument {
                Argument::Value(register) => write!(f, "{register}")?,
                Argument::Read(address) => write!(f, "read {address}")?,
                Argument::Write(address) => write!(f, "write {address}")?,
                Argument::Result(register) => {
                    f.write_str("result ")?;
                    self.defined(f, *register)?;
                }
            }
        }
        writeln!(f, ")")
    }

    fn looped(&self, f: &mut Formatter<'_>, looped: &Loop, depth: usize) -> fmt::Result {
        write!(f, "loop i{} < ", looped.induction.0)?;
        match looped.trips {
            Trips::Constant(trips) => write!(f, "{trips}")?,
            Trips::Public(count) => write!(f, "{count}")?,
        }
        for (place, carried) in looped.carried.iter().enumerate() {
            f.write_str(if place == 0 { " carry (" } else { ", " })?;
            self.defined(f, carried.register)?;
            write!(f, " = {} next {}", carried.initial, carried.next)?;
        }
        writeln!(f, "{} {{", if looped.carried.is_empty() { "" } else { ")" })?;
        self.locals(f, &looped.body, depth + 1)?;
        looped.body.steps.iter().try_for_each(|step| self.step(f, step, depth + 1))?;
        writeln!(f, "{:1$}}}", "", 2 * depth)
    }
}

fn list(addresses: &[Address]) -> String {
    addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What is defined or declared somewhere.
#[derive(Default)]
struct Seen {
    registers: BTreeSet<RegisterId>,
    regions: BTreeSet<RegionId>,
}

impl Seen {
    fn block(&mut self, block: &Block) {
        self.regions.extend(&block.locals);
        block.steps.iter().for_each(|step| self.step(step));
    }

    fn step(&mut self, step: &Step) {
        step.defines(&mut |register| {
            self.registers.insert(register);
        });
        match step {
            Step::Loop(looped) => self.block(&looped.body),
            Step::View { region, .. } => {
                self.regions.insert(*region);
            }
            _ => {}
        }
    }
}
