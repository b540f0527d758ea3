//! Prints machine programs as C with intrinsics.
//!
//! Every register is a `const` local of the register type, initialised where it is computed; carried registers are variables.
//! Operands of a row's template are therefore always identifiers.

use crate::aligned;
use crate::header::{banner, prototype};
use crate::hidden;
use crate::indices;
use crate::inlined::{self, into_callers};
use crate::kept::{self, Kept};
use crate::names::{Names, identifier};
use crate::ordered;
use crate::places::{self, Definition};
use crate::reread;
use crate::{KernelParameter, Options, Style};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use usuba_ir::program::{Affine, Inline};
use usuba_machine::program::{
    Address, Argument, Block, Call, Element, Function, Loop, Parameter, Public, RegionId, RegisterId,
    RegisterType, Role, Step, Trips,
};
use usuba_machine::text::computed;
use usuba_machine::{Checked, Shape};
use usuba_target::{Constant, Instruction, Meaning, Target};

/// The source file of a program.
pub(crate) fn source(
    program: &Checked,
    shape: &Shape,
    target: &Target,
    options: &Options,
    parameters: &[KernelParameter],
) -> String {
    let mut text = banner(shape, target, options, parameters);
    text.push_str("#include <stddef.h>\n#include <stdint.h>\n");
    for header in target.headers {
        let _ = writeln!(text, "#include <{header}>");
    }
    text.push('\n');
    if options.header_name.is_empty() {
        let _ = writeln!(text, "{};\n", prototype(&options.symbol, parameters, "restrict"));
    } else {
        let _ = writeln!(text, "#include \"{}\"\n", options.header_name);
    }
    let mut symbols = Names::default();
    symbols.fresh(&options.symbol);
    let names: Vec<String> = program
        .functions
        .iter()
        .enumerate()
        .map(|(number, function)| {
            if number + 1 == program.functions.len() {
                options.symbol.clone()
            } else {
                symbols.fresh(&format!("{}_{}", options.symbol, identifier(&function.name)))
            }
        })
        .collect();
    let hidden =
        if target.single_lane { hidden::locals(program) } else { vec![BTreeSet::new(); names.len()] };
    let into_callers = into_callers(program, shape, target);
    if into_callers.contains(&true) {
        text.push_str(inlined::DEFINITION);
    }
    let aligned = aligned::is_needed(target);
    if aligned {
        text.push_str(aligned::DEFINITION);
    }
    if program.functions.iter().any(|function| reread::is_needed(function, target)) {
        text.push_str(reread::DEFINITION);
    }
    for ((number, function), hidden) in program.functions.iter().enumerate().zip(hidden) {
        let entry = number + 1 == program.functions.len();
        let mut printer = Printer::new(target, function, &names, hidden, options.style);
        (printer.files, printer.definitions) = (&program.files, &options.definitions);
        printer.into_caller = into_callers[number];
        printer.aligned = aligned;
        printer.is_kernel = true;
        printer.function(&mut text, &names[number], entry.then_some(parameters));
        if !entry {
            text.push('\n');
        }
    }
    text
}

/// A machine program as a source file of C, with its entry under the name `symbol`: the parameters as for
/// [`crate::assembly`], counts of the type `size_t`.
pub fn program_source(program: &Checked, symbol: &str) -> String {
    let mut text = String::from("#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n");
    let Some(target) = usuba_target::by_name(program.target) else { return text };
    for header in target.headers {
        let _ = writeln!(text, "#include <{header}>");
    }
    let mut symbols = Names::default();
    symbols.fresh(symbol);
    let last = program.functions.len().saturating_sub(1);
    let names: Vec<String> = program
        .functions
        .iter()
        .enumerate()
        .map(|(number, function)| match number == last {
            true => symbol.to_owned(),
            false => symbols.fresh(&format!("{symbol}_{}", identifier(&function.name))),
        })
        .collect();
    for (number, function) in program.functions.iter().enumerate() {
        text.push('\n');
        let mut printer = Printer::new(target, function, &names, BTreeSet::new(), Style::OfTheSource);
        printer.is_public = number == last;
        printer.function(&mut text, &names[number], None);
    }
    text
}

/// What the text of [`inline_source`] needs before it, once or several times.
pub fn inline_definitions(target: &Target) -> String {
    let headers = target.headers.iter().map(|header| format!("#include <{header}>\n"));
    let hints = if target.encoding().is_some() { indices::DEFINITION } else { "" };
    let order =
        if target.instruction(Meaning::CarrylessProduct, 0).is_some() { ordered::DEFINITION } else { "" };
    let order = if target.encoding().is_some() { order } else { "" };
    let keep = if kept::is_needed(target) { kept::DEFINITION } else { "" };
    format!("#include <stdint.h>\n#include <string.h>\n{}\n{hints}{order}{keep}", headers.collect::<String>())
}

/// The functions of a machine program as C that is part of a file, which has [`inline_definitions`] before it; the entry is
/// called `symbol`. `linkage` is what they begin with, such as `static inline`. Loops are unrolled as the compiler likes, and
/// constants that are indices of shuffles are hidden from Clang. Locals have short names.
pub fn inline_source(program: &Checked, symbol: &str, linkage: &str) -> String {
    let mut text = String::new();
    let Some(target) = usuba_target::by_name(program.target) else { return text };
    let last = program.functions.len().saturating_sub(1);
    let name = |(number, function): (usize, &Function)| match number == last {
        true => symbol.to_owned(),
        false => format!("{symbol}_{}", identifier(&function.name)),
    };
    let names: Vec<String> = program.functions.iter().enumerate().map(name).collect();
    for (function, name) in program.functions.iter().zip(&names) {
        let mut printer = Printer::new(target, function, &names, BTreeSet::new(), Style::Terse);
        printer.linkage = Some(linkage);
        printer.is_public = true;
        printer.indices = indices::of(function, target);
        printer.ordered = ordered::of(function, target);
        printer.kept = kept::of(function, target);
        printer.function(&mut text, name, None);
        text.push('\n');
    }
    text
}

struct Printer<'a> {
    target: &'a Target,
    function: &'a Function,
    functions: &'a [String],
    registers: Vec<String>,
    regions: Vec<String>,
    names: Names,
    style: Style,
    /// The files that places refer to, and the definitions of the source.
    files: &'a [String],
    definitions: &'a [Definition],
    /// Where in the source the last instruction comes from.
    at: Option<places::Line>,
    /// The locals of which the compiler shall not know that they are on the stack.
    hidden: BTreeSet<RegionId>,
    /// Whether GCC shall take it into its callers.
    into_caller: bool,
    /// Whether Clang shall align its stack.
    aligned: bool,
    /// Whether it is part of a kernel, in a file that defines what loops of kernels need.
    is_kernel: bool,
    /// Whether it is the entry of a program that is no kernel.
    is_public: bool,
    /// What it begins with, if it is part of a file.
    linkage: Option<&'a str>,
    /// The constants of which the compiler shall not know what they are.
    indices: BTreeSet<RegisterId>,
    /// The results whose place is kept.
    ordered: BTreeSet<RegisterId>,
    /// The loads that Clang makes once.
    kept: Kept,
    /// What those are called before their loop.
    kept_names: BTreeMap<RegisterId, String>,
}

impl<'a> Printer<'a> {
    fn new(
        target: &'a Target,
        function: &'a Function,
        functions: &'a [String],
        hidden: BTreeSet<RegionId>,
        style: Style,
    ) -> Self {
        let mut names = Names::default();
        let local = |names: &mut Names, name: &str| match style {
            Style::OfTheSource => names.fresh(name),
            Style::Terse => names.short(),
        };
        // The parameters come first, so that they keep their names.
        let mut registers = vec![String::new(); function.registers.len()];
        let mut regions = vec![String::new(); function.regions.len()];
        for parameter in &function.parameters {
            match *parameter {
                Parameter::Register(register) => {
                    let name = function.register(register).name.as_deref();
                    registers[register.index()] = names.fresh(name.unwrap_or("t"));
                }
                Parameter::Region(region) => {
                    regions[region.index()] = names.fresh(&function.region(region).name);
                }
            }
        }
        for (name, region) in regions.iter_mut().zip(&function.regions) {
            if name.is_empty() {
                *name = local(&mut names, &region.name);
            }
        }
        for step in &function.constants {
            if let Step::Constant { result, constant, .. } = step {
                let own = function.register(*result).name.as_deref().map(str::to_owned);
                registers[result.index()] =
                    local(&mut names, &own.unwrap_or_else(|| constant_name(constant)));
            }
        }
        let elements = elements(function);
        for ((name, origin), element) in registers.iter_mut().zip(&function.registers).zip(&elements) {
            if name.is_empty() {
                *name = local(&mut names, origin.name.as_deref().or(element.as_deref()).unwrap_or("t"));
            }
        }
        Printer {
            target,
            function,
            functions,
            registers,
            regions,
            names,
            style,
            files: &[],
            definitions: &[],
            at: None,
            hidden,
            into_caller: false,
            aligned: false,
            is_kernel: false,
            is_public: false,
            linkage: None,
            indices: BTreeSet::new(),
            ordered: BTreeSet::new(),
            kept: Kept::default(),
            kept_names: BTreeMap::new(),
        }
    }

    fn function(mut self, text: &mut String, symbol: &str, entry: Option<&[KernelParameter]>) {
        if self.aligned {
            let _ = write!(text, "{} ", aligned::KEYWORD);
        }
        match entry {
            Some(parameters) => text.push_str(&prototype(symbol, parameters, "restrict")),
            None => {
                let usual = match self.function.inline {
                    _ if self.is_public => "extern",
                    Inline::Auto if self.into_caller => inlined::KEYWORD,
                    Inline::Auto => "static",
                    Inline::Always => "static inline",
                    Inline::Never => "__attribute__((noinline)) static",
                };
                let linkage = self.linkage.unwrap_or(usual);
                let _ = write!(text, "{linkage} void {symbol}(");
                for (number, parameter) in self.function.parameters.iter().enumerate() {
                    let comma = if number == 0 { "" } else { ", " };
                    let _ = match *parameter {
                        Parameter::Register(register) => {
                            let ty = self.ty(register);
                            write!(text, "{comma}{ty} {}", self.registers[register.index()])
                        }
                        Parameter::Region(region) => {
                            let ty = self.element_type(region);
                            let constant = match self.function.region(region).role {
                                Role::Input | Role::Uniform => "const ",
                                Role::Output | Role::Changed | Role::Local => "",
                            };
                            // A string to be read may be the one that is written.
                            let alone =
                                if self.is_public && self.is_string(region) { "" } else { "restrict " };
                            write!(text, "{comma}{constant}{ty} *{alone}{}", self.regions[region.index()])
                        }
                    };
                }
                text.push(')');
            }
        }
        text.push_str(" {\n");
        let used = Used::of(self.function);
        for parameter in &self.function.parameters {
            let unused = match *parameter {
                Parameter::Register(register) if !used.registers.contains(&register) => {
                    &self.registers[register.index()]
                }
                Parameter::Region(region) if !used.regions.contains(&region) => &self.regions[region.index()],
                _ => continue,
            };
            let _ = writeln!(text, "  (void){unused};");
        }
        for step in &self.function.constants {
            self.step(text, step, 1);
        }
        self.block(text, &self.function.body, 1);
        text.push_str("}\n");
    }

    fn block(&mut self, text: &mut String, block: &Block, depth: usize) {
        let margin = "  ".repeat(depth);
        let (hidden, plain): (Vec<RegionId>, Vec<RegionId>) =
            block.locals.iter().partition(|&&region| self.hidden.contains(&region));
        for region in plain {
            let (name, ty) = (&self.regions[region.index()], self.element_type(region));
            let _ = writeln!(text, "{margin}{ty} {name}[{}];", self.len(region));
        }
        if let Some(&first) = hidden.first() {
            let ty = self.element_type(first);
            let all: u32 = hidden.iter().map(|&region| self.len(region)).sum();
            let memory = self.names.fresh("memory");
            let locals = self.names.fresh("locals");
            let _ = writeln!(text, "{margin}{ty} {memory}[{all}];");
            let _ = writeln!(text, "{margin}{ty} *{locals} = {memory};");
            let _ = writeln!(text, "{margin}/* The compiler shall not know that they are on the stack. */");
            let _ = writeln!(text, "{margin}__asm__(\"\" : \"+r\"({locals}));");
            let mut start = 0;
            for region in hidden {
                let name = &self.regions[region.index()];
                let from = if start == 0 { locals.clone() } else { format!("{locals} + {start}") };
                let _ = writeln!(text, "{margin}{ty} *const {name} = {from};");
                start += self.len(region);
            }
        }
        for step in &block.steps {
            self.step(text, step, depth);
        }
    }

    fn step(&mut self, text: &mut String, step: &Step, depth: usize) {
        let margin = "  ".repeat(depth);
        let _ = match step {
            Step::Compute { row, result, operands, immediate } => {
                let operands: Vec<&str> =
                    operands.iter().map(|operand| self.registers[operand.index()].as_str()).collect();
                let value = row.expression(&operands, *immediate);
                let remark = self.remark(row, &operands, *immediate, *result);
                let ty = self.ty(*result);
                self.at = places::line(self.function.register(*result)).or(self.at);
                let name = &self.registers[result.index()];
                if self.ordered.contains(result) {
                    writeln!(
                        text,
                        "{margin}{ty} {name} = {value};{remark}\n{margin}{}({name});",
                        ordered::KEYWORD
                    )
                } else {
                    writeln!(text, "{margin}const {ty} {name} = {value};{remark}")
                }
            }
            Step::Constant { row, result, constant } => {
                let value = row.constant_expression(constant);
                let (ty, name) = (self.ty(*result), &self.registers[result.index()]);
                if self.indices.contains(result) {
                    writeln!(text, "{margin}{ty} {name} = {value};\n{margin}{}({name});", indices::KEYWORD)
                } else {
                    writeln!(text, "{margin}const {ty} {name} = {value};")
                }
            }
            Step::Load { row, result, address } => {
                let value = row.expression(&[&self.read(row, address)], None);
                let value = match self.kept.same.get(result).and_then(|first| self.kept_names.get(first)) {
                    Some(name) => format!("{}({name}, {value})", kept::KEPT),
                    None => value,
                };
                let ty = self.ty(*result);
                writeln!(text, "{margin}const {ty} {} = {value};", self.registers[result.index()])
            }
            Step::Gather { row, result, addresses } => {
                let places: Vec<String> = addresses.iter().map(|address| self.enclosed(address)).collect();
                let places: Vec<&str> = places.iter().map(String::as_str).collect();
                let (value, ty) = (row.expression(&places, None), self.ty(*result));
                writeln!(text, "{margin}const {ty} {} = {value};", self.registers[result.index()])
            }
            Step::Scatter { row, addresses, value } => {
                let places: Vec<String> = addresses.iter().map(|address| self.enclosed(address)).collect();
                let value = self.registers[value.index()].as_str();
                let operands: Vec<&str> = places.iter().map(String::as_str).chain([value]).collect();
                writeln!(text, "{margin}{};", row.expression(&operands, None))
            }
            Step::LoadPart { row, result, address, count } => {
                let value = row.expression(&[&self.pointer(address), &self.registers[count.index()]], None);
                let ty = self.ty(*result);
                writeln!(text, "{margin}const {ty} {} = {value};", self.registers[result.index()])
            }
            Step::StorePart { row, address, value, count } => {
                let operands =
                    [&*self.pointer(address), &self.registers[value.index()], &self.registers[count.index()]];
                writeln!(text, "{margin}{};", row.expression(&operands, None))
            }
            Step::CopyPart { from, to, count } => {
                let (from, to) = (self.pointer(from), self.pointer(to));
                writeln!(text, "{margin}memcpy({to}, {from}, {});", self.registers[count.index()])
            }
            Step::Count { result, value } => {
                let value = self.public(value);
                writeln!(text, "{margin}const size_t {} = {value};", self.registers[result.index()])
            }
            Step::View { region, of, offset } => {
                let ty = self.element_type(*region);
                let constant = match self.function.region(*region).role {
                    Role::Input | Role::Uniform => "const ",
                    Role::Output | Role::Changed | Role::Local => "",
                };
                let (name, of) = (&self.regions[region.index()], &self.regions[of.index()]);
                writeln!(text, "{margin}{constant}{ty} *{name} = {of} + {};", self.registers[offset.index()])
            }
            Step::Store { row, address, value } => {
                let to = match row.meaning {
                    Meaning::StoreUnaligned => self.enclosed(address),
                    _ => self.operand(address),
                };
                writeln!(text, "{margin}{};", row.expression(&[&to, &self.registers[value.index()]], None))
            }
            Step::Fill { store, address, len, value } => {
                let to = self.indexed(address, "_k");
                let stored = store.expression(&[&to, &self.registers[value.index()]], None);
                writeln!(text, "{margin}for (size_t _k = 0; _k < {len}; _k++) {stored};")
            }
            Step::Copy { load, store, from, to, len } => {
                let value = load.expression(&[&self.indexed(from, "_k")], None);
                let stored = store.expression(&[&self.indexed(to, "_k"), &value], None);
                writeln!(text, "{margin}for (size_t _k = 0; _k < {len}; _k++) {stored};")
            }
            Step::Call(call) => {
                self.call(text, call, &margin);
                Ok(())
            }
            Step::Loop(looped) => {
                self.looped(text, looped, depth);
                Ok(())
            }
        };
    }

    /// Public arithmetic. Negative coefficients are right in `size_t`, as those of indices are.
    fn public(&self, value: &Public) -> String {
        let name = |count: &RegisterId| self.registers[count.index()].as_str();
        match value {
            Public::Sum { constant, terms } => {
                let mut text = constant.to_string();
                for (count, coefficient) in terms {
                    let sign = if *coefficient < 0 { '-' } else { '+' };
                    let _ = write!(text, " {sign} {} * {}", coefficient.unsigned_abs(), name(count));
                }
                text
            }
            Public::Index(index) => index_text(index),
            Public::Quotient { of, by } => format!("{} / {by}", name(of)),
            Public::Remainder { of, by } => format!("{} % {by}", name(of)),
            Public::Least { of, bound } => format!("{0} < {bound} ? {0} : {bound}", name(of)),
        }
    }

    /// The formula of an instruction with three operands, and where in the source it comes from, if that is not where the
    /// one before it comes from: ` /* 0x96: a ^ b ^ c    aes.ua:64 MixColumns */`.
    fn remark(
        &self,
        row: &Instruction,
        operands: &[&str],
        immediate: Option<u32>,
        result: RegisterId,
    ) -> String {
        if self.style == Style::Terse {
            return String::new();
        }
        let number = || immediate.map(|number| format!("{number:#04x}: ")).unwrap_or_default();
        let formula = match row.meaning {
            Meaning::Ternary | Meaning::Select | Meaning::Xor3 => {
                Some(format!("{}{}", number(), computed(row, operands, immediate)))
            }
            _ => None,
        };
        let moved = places::line(self.function.register(result)).filter(|&line| Some(line) != self.at);
        let place = moved.and_then(|line| places::name(line, self.files, self.definitions));
        let words: Vec<String> = formula.into_iter().chain(place).collect();
        if words.is_empty() { String::new() } else { format!(" /* {} */", comment(&words.join("    "))) }
    }

    fn call(&self, text: &mut String, call: &Call, margin: &str) {
        let results: Vec<RegisterId> = call
            .arguments
            .iter()
            .filter_map(|argument| match argument {
                Argument::Result(register) => Some(*register),
                _ => None,
            })
            .collect();
        for same in results.chunk_by(|&a, &b| self.ty(a) == self.ty(b)) {
            let names: Vec<&str> =
                same.iter().map(|result| self.registers[result.index()].as_str()).collect();
            let _ = writeln!(text, "{margin}{} {};", self.ty(same[0]), names.join(", "));
        }
        let arguments: Vec<String> = call
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Value(register) => self.registers[register.index()].clone(),
                Argument::Result(register) => format!("&{}", self.registers[register.index()]),
                Argument::Read(address) | Argument::Write(address) => self.pointer(address),
            })
            .collect();
        let _ = writeln!(text, "{margin}{}({});", self.functions[call.function], arguments.join(", "));
    }

    fn looped(&mut self, text: &mut String, looped: &Loop, depth: usize) {
        let margin = "  ".repeat(depth);
        for carried in &looped.carried {
            let _ = writeln!(
                text,
                "{margin}{} {} = {};",
                self.ty(carried.register),
                self.registers[carried.register.index()],
                self.registers[carried.initial.index()]
            );
        }
        for (register, row, address) in self.kept.loads(looped) {
            let name = self.names.fresh(&format!("{}_kept", self.registers[register.index()]));
            let (ty, value) = (self.ty(register), row.expression(&[&self.read(row, address)], None));
            let _ = writeln!(text, "{margin}{}({ty}, {name}, {value});", kept::DECLARED);
            self.kept_names.insert(register, name);
        }
        let index = induction(looped.induction.0);
        // The column of a pragma does not matter; whether to unroll was decided before.
        if self.linkage.is_none() {
            let _ = writeln!(text, "#pragma GCC unroll 1");
        }
        let trips = match looped.trips {
            Trips::Constant(trips) => trips.to_string(),
            Trips::Public(count) => self.registers[count.index()].clone(),
        };
        let _ = writeln!(text, "{margin}for (size_t {index} = 0; {index} < {trips}; {index}++) {{");
        let again =
            if self.is_kernel { reread::arrays(looped, self.function, self.target) } else { Vec::new() };
        for region in again {
            let (name, ty) = (&self.regions[region.index()], self.element_type(region));
            let len = self.len(region);
            let _ = writeln!(text, "{margin}  {}({ty}, {name}, {len});", reread::KEYWORD);
        }
        self.block(text, &looped.body, depth + 1);
        // All carried registers change at once: what one of them hands to another is put aside first.
        let mut changes = Vec::new();
        for carried in &looped.carried {
            let other = looped.carried.iter().any(|other| other.register == carried.next);
            let to = self.registers[carried.register.index()].clone();
            let mut from = self.registers[carried.next.index()].clone();
            if carried.next == carried.register {
                continue;
            }
            if other {
                let aside = self.names.fresh(&format!("{from}_before"));
                let ty = self.ty(carried.next);
                let _ = writeln!(text, "{margin}  const {ty} {aside} = {from};");
                from = aside;
            }
            changes.push((to, from));
        }
        for (to, from) in changes {
            let _ = writeln!(text, "{margin}  {to} = {from};");
        }
        let _ = writeln!(text, "{margin}}}");
    }

    /// The length of memory of a function's own, or of a kernel's arrays: constant, as the checker has seen to.
    fn len(&self, region: RegionId) -> u32 {
        self.function.region(region).length.constant().unwrap_or(0)
    }

    fn is_string(&self, region: RegionId) -> bool {
        self.function.region(region).element == Element::Scalars { bits: 8, count: 1 }
    }

    /// What a row loads: an element, or where a broadcast of more than 64 bits is to read.
    fn read(&self, row: &Instruction, address: &Address) -> String {
        match row.meaning {
            Meaning::Broadcast if self.is_string(address.region) && row.lane > 64 => self.enclosed(address),
            _ => self.operand(address),
        }
    }

    /// The element at an address as an operand of a row: an lvalue, or a pointer for the broadcasts of whole chunks.
    fn operand(&self, address: &Address) -> String {
        self.element(address.region, index_text(&address.index))
    }

    /// The same, `further` elements on.
    fn indexed(&self, address: &Address, further: &str) -> String {
        let index = index_text(&address.index);
        let index = if index == "0" { further.to_string() } else { format!("{index} + {further}") };
        self.element(address.region, index)
    }

    fn element(&self, region: RegionId, index: String) -> String {
        let name = &self.regions[region.index()];
        match self.function.region(region).element {
            Element::Scalars { count, .. } if count > 1 => format!("({name} + {count} * ({index}))"),
            _ => format!("{name}[{index}]"),
        }
    }

    /// The C type of a register.
    fn ty(&self, register: RegisterId) -> &'static str {
        c_type(self.target, self.function.register(register).ty)
    }

    /// The C type of what a pointer to a region points to.
    fn element_type(&self, region: RegionId) -> String {
        match self.function.region(region).element {
            Element::Register(ty) => c_type(self.target, ty).into(),
            Element::Scalars { bits, .. } => format!("uint{bits}_t"),
        }
    }

    /// A pointer as an operand of anything.
    fn enclosed(&self, address: &Address) -> String {
        format!("({})", self.pointer(address))
    }

    fn pointer(&self, address: &Address) -> String {
        let name = &self.regions[address.region.index()];
        let index = index_text(&address.index);
        let scale = match self.function.region(address.region).element {
            Element::Scalars { count, .. } => count,
            Element::Register(_) => 1,
        };
        match (index.as_str(), scale) {
            ("0", _) => name.clone(),
            (_, 1) => format!("{name} + {index}"),
            _ => format!("{name} + {scale} * ({index})"),
        }
    }
}

/// The text as a comment may have it: one line, which does not end early.
fn comment(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control() && *c != '\\').collect();
    text.replace("*/", "* /")
}

/// A name for a constant, which says its value if all its lanes, or bytes, are one number.
fn constant_name(constant: &Constant) -> String {
    let number = match constant {
        Constant::Lane(number) => Some(*number),
        Constant::Lanes(numbers) => same(numbers),
        Constant::Bytes(bytes) => same(bytes).map(u64::from),
    };
    number.map_or_else(|| "constant".into(), |number| format!("constant_{number:#x}"))
}

fn same<T: Copy + PartialEq>(numbers: &[T]) -> Option<T> {
    let first = *numbers.first()?;
    numbers.iter().all(|&number| number == first).then_some(first)
}

/// For each register that is loaded the place that it is loaded from: `S[3]`.
fn elements(function: &Function) -> Vec<Option<String>> {
    fn loads(block: &Block, function: &Function, names: &mut [Option<String>]) {
        for step in &block.steps {
            match step {
                Step::Load { result, address, .. } => {
                    let region = &function.region(address.region).name;
                    let index = index_text(&address.index).replace([' ', '_'], "");
                    names[result.index()] = Some(format!("{region}[{index}]"));
                }
                Step::Loop(looped) => loads(&looped.body, function, names),
                _ => {}
            }
        }
    }
    let mut names = vec![None; function.registers.len()];
    loads(&function.body, function, &mut names);
    names
}

/// The C type of a register.
fn c_type(target: &Target, ty: RegisterType) -> &'static str {
    match ty {
        RegisterType::Vector { lane, .. } => target.register_type(lane),
        RegisterType::General { bits } => target.register_type(bits),
        RegisterType::Count => "size_t",
    }
}

/// An induction variable. No other local starts with `_`.
fn induction(number: u32) -> String {
    format!("_i{number}")
}

/// An index. Negative coefficients are right in `size_t`: arithmetic is modulo 2^64 and the sum is in range.
fn index_text(index: &Affine) -> String {
    let mut text = String::new();
    for &(variable, coefficient) in &index.terms {
        let variable = induction(variable.0);
        let term = match coefficient.unsigned_abs() {
            1 => variable,
            factor => format!("{factor} * {variable}"),
        };
        if text.is_empty() && coefficient < 0 {
            // The positive part comes first where there is one.
            if index.constant > 0 {
                let _ = write!(text, "{} - {term}", index.constant);
            } else {
                let _ = write!(text, "0 - {term}");
            }
        } else if text.is_empty() {
            text = term;
        } else {
            let _ = write!(text, " {} {term}", if coefficient < 0 { '-' } else { '+' });
        }
    }
    let spent = index.terms.first().is_some_and(|&(_, coefficient)| coefficient < 0) && index.constant > 0;
    match index.constant {
        constant if text.is_empty() => constant.to_string(),
        0 => text,
        _ if spent => text,
        constant if constant < 0 => format!("{text} - {}", constant.unsigned_abs()),
        constant => format!("{text} + {constant}"),
    }
}

/// The registers and regions that a function mentions beside its parameters.
#[derive(Default)]
struct Used {
    registers: BTreeSet<RegisterId>,
    regions: BTreeSet<RegionId>,
}

impl Used {
    fn of(function: &Function) -> Used {
        let mut used = Used::default();
        used.block(&function.body);
        used
    }

    fn block(&mut self, block: &Block) {
        for step in &block.steps {
            match step {
                Step::Compute { operands, .. } => self.registers.extend(operands),
                Step::Constant { .. } => {}
                Step::Load { address, .. } => {
                    self.regions.insert(address.region);
                }
                Step::Gather { addresses, .. } => {
                    self.regions.extend(addresses.iter().map(|address| address.region));
                }
                Step::Scatter { addresses, value, .. } => {
                    self.regions.extend(addresses.iter().map(|address| address.region));
                    self.registers.insert(*value);
                }
                Step::LoadPart { address, count, .. } => {
                    self.regions.insert(address.region);
                    self.registers.insert(*count);
                }
                Step::StorePart { address, value, count, .. } => {
                    self.regions.insert(address.region);
                    self.registers.extend([value, count]);
                }
                Step::CopyPart { from, to, count } => {
                    self.regions.extend([from.region, to.region]);
                    self.registers.insert(*count);
                }
                Step::Count { value, .. } => self.registers.extend(value.counts()),
                Step::View { of, offset, .. } => {
                    self.regions.insert(*of);
                    self.registers.insert(*offset);
                }
                Step::Store { address, value, .. } | Step::Fill { address, value, .. } => {
                    self.regions.insert(address.region);
                    self.registers.insert(*value);
                }
                Step::Copy { from, to, .. } => {
                    self.regions.extend([from.region, to.region]);
                }
                Step::Call(call) => {
                    for argument in &call.arguments {
                        match argument {
                            Argument::Value(register) => {
                                self.registers.insert(*register);
                            }
                            Argument::Read(address) | Argument::Write(address) => {
                                self.regions.insert(address.region);
                            }
                            Argument::Result(_) => {}
                        }
                    }
                }
                Step::Loop(looped) => {
                    if let Trips::Public(count) = looped.trips {
                        self.registers.insert(count);
                    }
                    for carried in &looped.carried {
                        self.registers.extend([carried.initial, carried.next]);
                    }
                    self.block(&looped.body);
                }
            }
        }
    }
}
