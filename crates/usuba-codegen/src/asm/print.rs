//! Text for the GNU assembler, in the syntax of Intel.

use super::Machine;
use super::allocate::{Allocated, Place, Step};
use super::linear::{Count, Item, Linear, Value};
use super::machine::{Base, Code, Gpr, Limit, Line, Memory, Source, Vector, VectorLine};
use crate::names::identifier;
use crate::places::Definition;
use std::fmt::Write;
use usuba_machine::program::{Address, Public, RegionId, Trips};
use usuba_machine::text::computed;
use usuba_target::encoding::{Operand, pointer, register_name};

/// The column of the comments.
const COMMENT: usize = 56;

/// The source file: its head, then one function with parameters of these names.
pub(crate) fn text(
    linear: &Linear,
    code: &Code,
    machine: Machine,
    head: String,
    symbol: &str,
    parameters: &[&str],
    definitions: &[Definition],
) -> String {
    head + BEGIN + &function(linear, code, machine, symbol, parameters, definitions) + END
}

/// What stands before the functions of a file.
pub(crate) const BEGIN: &str = "\n    .intel_syntax noprefix\n";

/// What stands behind them: no stack that is executed, and that every target of an indirect branch is a landing pad (CET);
/// returns are never tampered with.
pub(crate) const END: &str = "\n    .section .note.GNU-stack, \"\", @progbits\n    .section .note.gnu.property, \"a\", @note\n    \
                              .p2align 3\n    .long 4, 16, 5\n    .asciz \"GNU\"\n    .long 0xc0000002, 4, 3, 0\n";

/// One function, with parameters of these names, and its constants.
pub(crate) fn function(
    linear: &Linear,
    code: &Code,
    machine: Machine,
    symbol: &str,
    parameters: &[&str],
    definitions: &[Definition],
) -> String {
    let mut text = format!(
        "    .text\n    .p2align 6\n    .globl {symbol}\n    .type {symbol}, @function\n{symbol}:\n    .cfi_startproc\n"
    );
    let mut printer = Printer { definitions, ..Printer::new(linear, machine, symbol) };
    for (place, parameter) in parameters.iter().enumerate() {
        let register = super::convention::SYSTEM_V.arguments.get(place);
        let place = register.map_or_else(|| "on the stack".into(), |register| register.name().to_owned());
        printer.line(&format!("// {place}: {}", comment(parameter)), "");
    }
    printer.frame(code);
    code.lines.iter().for_each(|line| printer.print(line));
    text.push_str(&printer.text);
    let _ = write!(text, "    .cfi_endproc\n    .size {symbol}, . - {symbol}\n");
    if !code.pool.is_empty() {
        let _ = write!(
            text,
            "\n    .section .rodata\n    .p2align {}\n.L{symbol}_constants:\n",
            linear.bytes.trailing_zeros()
        );
        for constant in &code.pool {
            let (directive, size) = if constant.len() < 8 { (".long", 4) } else { (".quad", 8) };
            for group in constant.chunks(16) {
                let words: Vec<String> = group
                    .chunks(size)
                    .map(|word| {
                        word.iter().rev().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"))
                    })
                    .collect();
                let _ = writeln!(text, "    {directive} {}", words.join(", "));
            }
        }
    }
    text
}

/// The lines of the function alone.
pub(crate) fn lines(linear: &Linear, code: &Code, machine: Machine, symbol: &str) -> String {
    let mut printer = Printer::new(linear, machine, symbol);
    code.lines.iter().for_each(|line| printer.print(line));
    printer.text
}

/// The lines of the function before it has addresses: memory by name.
pub(crate) fn allocated_lines(
    linear: &Linear,
    allocated: &Allocated,
    machine: Machine,
    symbol: &str,
) -> String {
    let mut printer = Printer::new(linear, machine, symbol);
    for step in &allocated.steps {
        match step {
            Step::Vector(line) => printer.vector(line),
            Step::Plain(item) => printer.line(&format!("// {}", plain(linear, &linear.items[*item])), ""),
            Step::Begin(number) => printer.head(*number),
            Step::End(number) => printer.line(&format!("end of {}", printer.label(*number)), ""),
        }
    }
    printer.text
}

/// A name as a comment may have it: one line, and no splice at its end.
fn comment(name: &str) -> String {
    name.chars().filter(|c| !c.is_control() && *c != '\\').collect()
}

/// The name of a public count.
fn count_name(linear: &Linear, count: Count) -> String {
    match linear.counts.get(count.index()) {
        Some(Some(name)) => comment(name),
        _ => format!("count {}", count.0),
    }
}

/// What an item without vectors does, for the reader.
fn plain(linear: &Linear, item: &Item) -> String {
    let name = |count: &Count| count_name(linear, *count);
    let region = |region: RegionId| comment(&linear.regions[region.index()].name);
    match item {
        Item::Count { result, value } => {
            let value = match value {
                Public::Sum { constant, terms } => {
                    let mut text = String::new();
                    for (count, factor) in terms {
                        let sign = if *factor < 0 { "- " } else { "+ " };
                        let _ = match factor.unsigned_abs() {
                            1 => write!(text, "{sign}{} ", name(count)),
                            factor => write!(text, "{sign}{factor} * {} ", name(count)),
                        };
                    }
                    let sum = match constant {
                        0 => text,
                        constant => format!("{text}{constant:+}"),
                    };
                    sum.trim_start_matches("+ ").trim_end().to_owned()
                }
                Public::Index(index) => index.to_string(),
                Public::Quotient { of, by } => format!("{} / {by}", name(of)),
                Public::Remainder { of, by } => format!("{} mod {by}", name(of)),
                Public::Least { of, bound } => format!("min({}, {bound})", name(of)),
            };
            format!("{} = {value}", count_name(linear, *result))
        }
        Item::View { region: view, of, offset } => {
            format!("{} = {} + {}", region(*view), region(*of), name(offset))
        }
        Item::CopyPart { from, to, count } => {
            format!("{} = {}, {} bytes", place(linear, to), place(linear, from), name(count))
        }
        _ => String::new(),
    }
}

/// A place in a region as the source names it: `key[4*i0+3]`.
fn place(linear: &Linear, address: &Address) -> String {
    let mut text = comment(&linear.regions[address.region.index()].name);
    text.push('[');
    for (place, (induction, coefficient)) in address.index.terms.iter().enumerate() {
        let sign = if place > 0 && *coefficient > 0 { "+" } else { "" };
        let factor = match coefficient {
            1 => String::new(),
            -1 => "-".into(),
            factor => format!("{factor}*"),
        };
        let _ = write!(text, "{sign}{factor}i{}", induction.0);
    }
    let sign = if !address.index.terms.is_empty() && address.index.constant >= 0 { "+" } else { "" };
    if address.index.constant != 0 || address.index.terms.is_empty() {
        let _ = write!(text, "{sign}{}", address.index.constant);
    }
    text.push(']');
    text
}

/// The names of all values: of the source, of the place that they are loaded from, of a constant its bits, else a number.
fn names(linear: &Linear) -> Vec<String> {
    let mut names: Vec<String> = linear
        .values
        .iter()
        .enumerate()
        .map(|(number, known)| match (&known.name, &known.constant) {
            (Some(name), _) => comment(name),
            (None, Some(bytes)) => constant(bytes),
            (None, None) => format!("t{number}"),
        })
        .collect();
    for item in &linear.items {
        if let Item::Load { result, address, .. } = item
            && linear.values[result.index()].name.is_none()
        {
            names[result.index()] = place(linear, address);
        }
    }
    names
}

/// The bits of a constant: one word, if all words are that.
fn constant(bytes: &[u8]) -> String {
    match bytes {
        _ if bytes.iter().all(|&byte| byte == 0) => return "0".into(),
        _ if bytes.iter().all(|&byte| byte == 0xff) => return "~0".into(),
        _ => {}
    }
    let word = [1, 2, 4, 8].into_iter().find(|&size| bytes.chunks(size).all(|word| word == &bytes[..size]));
    match word {
        Some(size) => bytes[..size].iter().rev().fold("0x".into(), |text, byte| format!("{text}{byte:02x}")),
        None => "constant".into(),
    }
}

struct Printer<'a> {
    linear: &'a Linear,
    names: Vec<String>,
    /// The definitions of the source.
    definitions: &'a [Definition],
    /// Where in the source the last line comes from: a file by number, and a line.
    at: Option<(u32, u32)>,
    machine: Machine,
    symbol: &'a str,
    text: String,
    /// Bytes between the stack pointer, where it is known, and the frame's canonical address.
    above: i64,
    framed: bool,
}

/// Memory as an operand.
trait Written {
    fn written(&self, printer: &Printer<'_>) -> String;
}

impl Written for Memory {
    fn written(&self, printer: &Printer<'_>) -> String {
        printer.memory(self)
    }
}

impl Written for Place {
    fn written(&self, printer: &Printer<'_>) -> String {
        match self {
            Place::Slot(slot) => format!("[slot {slot}]"),
            Place::Pool(number) => format!("[constant {number}]"),
            Place::Region(address) => format!("[{}]", place(printer.linear, address)),
        }
    }
}

impl<'a> Printer<'a> {
    fn new(linear: &'a Linear, machine: Machine, symbol: &'a str) -> Printer<'a> {
        Printer {
            linear,
            names: names(linear),
            definitions: &[],
            at: None,
            machine,
            symbol,
            text: String::new(),
            above: 8,
            framed: false,
        }
    }

    fn line(&mut self, code: &str, remark: &str) {
        if remark.is_empty() {
            let _ = writeln!(self.text, "    {code}");
        } else {
            let _ = writeln!(self.text, "    {code:COMMENT$} // {remark}");
        }
    }

    fn name(&self, value: Value) -> &str {
        &self.names[value.index()]
    }

    /// Where in the source a value is made, if that is not where the one before it was.
    fn moved_to(&mut self, value: Value) -> String {
        let place = self.linear.values[value.index()].place;
        let moved = place.filter(|_| place != self.at);
        self.at = place.or(self.at);
        let named = |line| {
            let name = crate::places::name(line, &self.linear.files, self.definitions)?;
            Some(format!("    {}", comment(&name)))
        };
        moved.and_then(named).unwrap_or_default()
    }

    /// What lies where in the frame, for the reader.
    fn frame(&mut self, code: &Code) {
        if code.frame == 0 {
            return;
        }
        self.line(&format!("// frame of {} bytes from rsp up:", code.frame), "");
        if code.slots > 0 {
            self.line(&format!("//   {:>6}  registers put aside", 0), "");
        }
        let mut locals: Vec<(i64, usize)> =
            code.locals.iter().enumerate().filter_map(|(number, place)| Some(((*place)?, number))).collect();
        locals.sort_unstable();
        for (place, number) in locals {
            let region = &self.linear.regions[number];
            let length = region.length.constant().unwrap_or(0);
            self.line(&format!("//   {place:>6}  {}[{length}]", comment(&region.name)), "");
        }
    }

    fn print(&mut self, line: &Line) {
        match line {
            Line::LandingPad => self.line("endbr64", ""),
            Line::Push(register) => {
                self.line(&format!("push {}", register.name()), "");
                self.above += 8;
                if !self.framed {
                    self.line(&format!(".cfi_def_cfa_offset {}", self.above), "");
                }
                if super::convention::SYSTEM_V.preserved.contains(register) {
                    self.line(&format!(".cfi_offset {}, -{}", register.name(), self.above), "");
                }
            }
            Line::Pop(register) => {
                self.line(&format!("pop {}", register.name()), "");
                self.above -= 8;
                if self.framed && *register == Gpr::RBP {
                    self.line(".cfi_def_cfa rsp, 8", "");
                } else if !self.framed {
                    self.line(&format!(".cfi_def_cfa_offset {}", self.above), "");
                }
                self.line(&format!(".cfi_restore {}", register.name()), "");
            }
            Line::Move { to, from } => {
                self.line(&format!("mov {}, {}", to.name(), from.name()), "");
                if (*to, *from) == (Gpr::RBP, Gpr::RSP) {
                    self.framed = true;
                    self.line(".cfi_def_cfa_register rbp", "");
                }
            }
            Line::Zero(register) => self.line(&format!("xor {0}, {0}", register.half()), ""),
            Line::Add { to, amount } if *amount < 0 => {
                self.line(&format!("sub {}, {}", to.name(), amount.unsigned_abs()), "");
            }
            Line::Add { to, amount } => self.line(&format!("add {}, {amount}", to.name()), ""),
            Line::Reserve(bytes) => {
                self.line(&format!("sub rsp, {bytes}"), "");
                self.above += bytes;
                self.line(&format!(".cfi_def_cfa_offset {}", self.above), "");
            }
            Line::Release(bytes) => {
                self.line(&format!("add rsp, {bytes}"), "");
                self.above -= bytes;
                self.line(&format!(".cfi_def_cfa_offset {}", self.above), "");
            }
            Line::Align(bytes) => self.line(&format!("and rsp, -{bytes}"), ""),
            Line::Address { to, memory } => {
                let memory = self.memory(memory);
                self.line(&format!("lea {}, {memory}", to.name()), "");
            }
            Line::Fetch { to, memory } => {
                let memory = self.memory(memory);
                self.line(&format!("mov {}, qword ptr {memory}", to.name()), "");
            }
            Line::Count { item, to, sources } => self.count(*item, *to, sources),
            Line::Mask(count) => {
                for line in
                    ["xor eax, eax", &format!("bts rax, {}", count.name()), "dec rax", "kmovq k1, rax"]
                {
                    self.line(line, "");
                }
            }
            Line::CopyPart { item, to, from, count, index } => self.copy(*item, [*to, *from, *count, *index]),
            Line::Skip { number, count } => {
                self.line(&format!("test {0}, {0}", count.name()), "");
                let label = self.label(*number);
                self.line(&format!("je {label}_end"), "");
            }
            Line::Label(number) => {
                self.line(".p2align 5", "");
                self.head(*number);
            }
            Line::Branch { number, counter, limit } => {
                let end = match limit {
                    Limit::Number(limit) => limit.to_string(),
                    Limit::Count(count) => count.name().into(),
                };
                self.line(&format!("cmp {}, {end}", counter.name()), "");
                let label = self.label(*number);
                self.line(&format!("jne {label}"), "");
                if matches!(limit, Limit::Count(_)) {
                    let _ = writeln!(self.text, "{label}_end:");
                }
            }
            Line::ClearUpper => self.line("vzeroupper", ""),
            Line::Return => self.line("ret", ""),
            Line::Vector(line) => self.vector(line),
        }
    }

    /// The label of a loop.
    fn head(&mut self, number: usize) {
        let looped = &self.linear.loops[number];
        let trips = match looped.trips {
            Trips::Constant(trips) => trips.to_string(),
            Trips::Public(count) => count_name(self.linear, count),
        };
        let remark = format!("for i{} in 0..{trips}", looped.induction.0);
        let label = format!("{}:", self.label(number));
        let _ = writeln!(self.text, "{label:width$} // {remark}", width = COMMENT + 4);
    }

    fn label(&self, number: usize) -> String {
        format!(".L{}_loop_{number}", identifier(self.symbol))
    }

    fn memory(&self, memory: &Memory) -> String {
        let Base::Register(base) = memory.base else {
            return format!("[rip + .L{}_constants + {}]", self.symbol, memory.displacement);
        };
        let mut text = format!("[{}", base.name());
        if let Some(index) = memory.index {
            // The stack pointer cannot be the second register.
            text = format!("[{} + {}", base.name(), index.name());
        }
        match memory.displacement {
            0 => {}
            below if below < 0 => {
                let _ = write!(text, " - {}", below.unsigned_abs());
            }
            above => {
                let _ = write!(text, " + {above}");
            }
        }
        text.push(']');
        text
    }

    /// A public count. The result is in none of the registers of its operands.
    fn count(&mut self, item: usize, to: Gpr, sources: &[Gpr]) {
        let Item::Count { value, .. } = &self.linear.items[item] else { return };
        let (to, half) = (to.name(), to.half());
        let source = |place: usize| sources.get(place).map_or("", |source| source.name());
        let mut lines = Vec::new();
        match value {
            Public::Sum { constant, terms } => {
                // A count by itself is where the sum begins; else the number does.
                let whole = terms.iter().position(|&(_, factor)| factor == 1).filter(|_| *constant == 0);
                lines.push(match (whole, i32::try_from(*constant)) {
                    (Some(place), _) => format!("mov {to}, {}", source(place)),
                    (None, Ok(0)) => format!("xor {half}, {half}"),
                    (None, Ok(constant)) => format!("mov {to}, {constant}"),
                    (None, Err(_)) => format!("movabs {to}, {constant}"),
                });
                for (place, (_, factor)) in
                    terms.iter().enumerate().filter(|(place, _)| Some(*place) != whole)
                {
                    match factor {
                        1 => lines.push(format!("add {to}, {}", source(place))),
                        -1 => lines.push(format!("sub {to}, {}", source(place))),
                        factor if i32::try_from(*factor).is_ok() => {
                            lines.push(format!("imul rax, {}, {factor}", source(place)));
                            lines.push(format!("add {to}, rax"));
                        }
                        factor => {
                            lines.push(format!("movabs rax, {factor}"));
                            lines.push(format!("imul rax, {}", source(place)));
                            lines.push(format!("add {to}, rax"));
                        }
                    }
                }
            }
            // Linear code has none.
            Public::Index(_) => return,
            // The address stage has seen to it that it is a power of two.
            Public::Quotient { by, .. } => {
                lines.push(format!("mov {to}, {}", source(0)));
                if *by > 1 {
                    lines.push(format!("shr {to}, {}", by.trailing_zeros()));
                }
            }
            Public::Remainder { by, .. } => {
                lines.push(format!("mov eax, {}", by - 1));
                lines.push(format!("mov {to}, {}", source(0)));
                lines.push(format!("and {to}, rax"));
            }
            Public::Least { bound, .. } => {
                lines.push(format!("mov eax, {bound}"));
                lines.push(format!("mov {to}, {}", source(0)));
                lines.push(format!("cmp {to}, rax"));
                lines.push(format!("cmova {to}, rax"));
            }
        }
        let last = lines.len() - 1;
        for (place, line) in lines.iter().enumerate() {
            let remark =
                if place == last { plain(self.linear, &self.linear.items[item]) } else { String::new() };
            self.line(line, &remark);
        }
    }

    /// Copies bytes from a place to another.
    fn copy(&mut self, item: usize, [to, from, count, index]: [Gpr; 4]) {
        let label = format!(".L{}_copy_{item}", identifier(self.symbol));
        let (to, from, count, name, half) =
            (to.name(), from.name(), count.name(), index.name(), index.half());
        self.line(&format!("xor {half}, {half}"), &plain(self.linear, &self.linear.items[item]));
        for (kind, size, register, load) in
            [("words", 8, "rax", "mov rax, qword ptr"), ("bytes", 1, "al", "movzx eax, byte ptr")]
        {
            let _ = writeln!(self.text, "{label}_{kind}:");
            let lines = [
                format!("lea rax, [{name} + {size}]"),
                format!("cmp rax, {count}"),
                format!("ja {label}_{kind}_end"),
                format!("{load} [{from} + {name}]"),
                format!("mov [{to} + {name}], {register}"),
                format!("add {name}, {size}"),
                format!("jmp {label}_{kind}"),
            ];
            lines.iter().for_each(|line| self.line(line, ""));
            let _ = writeln!(self.text, "{label}_{kind}_end:");
        }
    }

    fn register(&self, register: Vector) -> String {
        register_name(self.machine.number(register), self.machine.shape_bits)
    }

    fn vector(&mut self, line: &VectorLine<impl Written>) {
        let Machine { moves, unaligned, shape_bits: bits, .. } = self.machine;
        match line {
            VectorLine::Copy { to, from } => {
                let (to, from) = (self.register(*to), self.register(*from));
                self.line(&format!("{} {to}, {from}", moves.mnemonic), "");
            }
            VectorLine::Splat { to, ones } => {
                let code = self.machine.encoding.splat(self.machine.number(*to), bits, *ones);
                self.line(&code, if *ones { "all ones" } else { "zero" });
            }
            VectorLine::Load { to, memory, bits: loaded, aligned } => {
                let memory = memory.written(self);
                let to = self.machine.number(*to);
                for line in self.machine.load(*loaded, *aligned).load_lines(bits, to, &memory) {
                    self.line(&line, "");
                }
            }
            VectorLine::LoadPart { row, to, memory, .. } => {
                let (x, m) = (self.register(*to), memory.written(self));
                self.line(&format!("{} {x}{{k1}}{{z}}, {m}", row.mnemonic), "");
            }
            VectorLine::StorePart { row, from, memory, .. } => {
                let (x, m) = (self.register(*from), memory.written(self));
                self.line(&format!("{} {m}{{k1}}, {x}", row.mnemonic), "");
            }
            VectorLine::Store { from, memory, item, aligned } => {
                let (x, m, size) = (self.register(*from), memory.written(self), pointer(bits));
                let remark = match item.map(|item| &self.linear.items[item]) {
                    Some(Item::Store { address, value, .. }) => {
                        format!("{} = {}", place(self.linear, address), self.name(*value))
                    }
                    _ => String::new(),
                };
                let row = unaligned.filter(|_| !aligned).unwrap_or(moves);
                self.line(&format!("{} {size} {m}, {x}", row.mnemonic), &remark);
            }
            VectorLine::Compute { item, row, to, sources, immediate } => {
                let sources: Vec<Operand> = sources
                    .iter()
                    .map(|source| match source {
                        Source::Register(register) => Operand::Register(self.machine.number(*register)),
                        Source::Memory(memory) => Operand::Memory(memory.written(self)),
                        Source::Repeated(memory, bits) => Operand::Repeated(memory.written(self), *bits),
                    })
                    .collect();
                let remark = match &self.linear.items[*item] {
                    Item::Compute { row, result, operands, immediate } => {
                        let operands: Vec<&str> =
                            operands.iter().map(|&operand| self.name(operand)).collect();
                        let made = computed(row, &operands, *immediate);
                        let place = self.moved_to(*result);
                        format!("{} = {made}{place}", self.name(*result))
                    }
                    _ => String::new(),
                };
                // The checker has passed it, so it has constraints.
                let line = row.line(bits, self.machine.number(*to), &sources, *immediate).unwrap_or_default();
                self.line(&line, &remark);
            }
        }
    }
}
