//! Text for the GNU assembler, in the syntax of Intel.

use super::Machine;
use super::linear::{Item, Linear, Value};
use super::machine::{Base, Code, Gpr, Line, Memory, Source, Vector, VectorLine};
use crate::block::Address;
use crate::header::banner;
use crate::names::identifier;
use crate::shape::Shape;
use crate::{KernelParameter, Options};
use std::fmt::Write;
use usuba_target::Target;
use usuba_target::encoding::{Operand, pointer, vector_name};

/// The column of the comments.
const COMMENT: usize = 56;

/// The source file.
pub(crate) fn text(
    linear: &Linear,
    code: &Code,
    machine: Machine,
    shape: &Shape,
    target: &Target,
    options: &Options,
    parameters: &[KernelParameter],
) -> String {
    let symbol = &options.symbol;
    let mut text = banner(shape, target, options, parameters);
    let _ = write!(
        text,
        "\n    .intel_syntax noprefix\n    .text\n    .p2align 6\n    .globl {symbol}\n    .type {symbol}, @function\n\
         {symbol}:\n    .cfi_startproc\n"
    );
    let mut printer = Printer { linear, machine, symbol, text: &mut text, above: 8, framed: false };
    for (place, parameter) in parameters.iter().enumerate() {
        let register = super::convention::SYSTEM_V.arguments.get(place);
        let place = register.map_or_else(|| "on the stack".into(), |register| register.name().to_owned());
        printer.line(&format!("// {place}: {}", comment(&parameter.source_name)), "");
    }
    for line in &code.lines {
        printer.print(line);
    }
    let _ = write!(text, "    .cfi_endproc\n    .size {symbol}, . - {symbol}\n");
    if !code.pool.is_empty() {
        let _ = write!(
            text,
            "\n    .section .rodata\n    .p2align {}\n.L{symbol}_constants:\n",
            linear.bytes.trailing_zeros()
        );
        for constant in &code.pool {
            for group in constant.chunks(16) {
                let words: Vec<String> = group
                    .chunks(8)
                    .map(|word| {
                        word.iter().rev().fold("0x".to_owned(), |text, byte| format!("{text}{byte:02x}"))
                    })
                    .collect();
                let _ = writeln!(text, "    .quad {}", words.join(", "));
            }
        }
    }
    text.push_str("\n    .section .note.GNU-stack, \"\", @progbits\n");
    // Says that every target of an indirect branch is a landing pad (CET); returns are never tampered with.
    text.push_str(
        "    .section .note.gnu.property, \"a\", @note\n    .p2align 3\n    .long 4, 16, 5\n    .asciz \"GNU\"\n    .long \
         0xc0000002, 4, 3, 0\n",
    );
    text
}

/// A name as a comment may have it: one line, and no splice at its end.
fn comment(name: &str) -> String {
    name.chars().filter(|c| !c.is_control() && *c != '\\').collect()
}

struct Printer<'a> {
    linear: &'a Linear,
    machine: Machine,
    symbol: &'a str,
    text: &'a mut String,
    /// Bytes between the stack pointer, where it is known, and the frame's canonical address.
    above: i64,
    framed: bool,
}

impl Printer<'_> {
    fn line(&mut self, code: &str, remark: &str) {
        if remark.is_empty() {
            let _ = writeln!(self.text, "    {code}");
        } else {
            let _ = writeln!(self.text, "    {code:COMMENT$} // {remark}");
        }
    }

    fn name(&self, value: Value) -> String {
        match &self.linear.values[value.index()].name {
            Some(name) => comment(name),
            None => format!("t{}", value.0),
        }
    }

    fn place(&self, address: &Address) -> String {
        let mut text = comment(&self.linear.buffers[address.buffer.index()].name);
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

    fn print(&mut self, line: &Line) {
        match line {
            Line::LandingPad => self.line("endbr64", ""),
            Line::Push(register) => {
                self.line(&format!("push {}", register.name()), "");
                self.above += 8;
                if !self.framed {
                    self.line(&format!(".cfi_def_cfa_offset {}", self.above), "");
                }
                self.line(&format!(".cfi_offset {}, -{}", register.name(), self.above), "");
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
            Line::Align(bytes) => self.line(&format!("and rsp, -{bytes}"), ""),
            Line::Address { to, memory } => {
                let memory = self.memory(memory);
                self.line(&format!("lea {}, {memory}", to.name()), "");
            }
            Line::Fetch { to, memory } => {
                let memory = self.memory(memory);
                self.line(&format!("mov {}, qword ptr {memory}", to.name()), "");
            }
            Line::Label(number) => {
                let looped = &self.linear.loops[*number];
                let remark = format!("for i{} in 0..{}", looped.induction.0, looped.trips);
                let _ = writeln!(self.text, "    .p2align 5");
                let label = format!("{}:", self.label(*number));
                let _ = writeln!(self.text, "{label:width$} // {remark}", width = COMMENT + 4);
            }
            Line::Branch { number, counter, limit } => {
                self.line(&format!("cmp {}, {limit}", counter.name()), "");
                let label = self.label(*number);
                self.line(&format!("jne {label}"), "");
            }
            Line::ClearUpper => self.line("vzeroupper", ""),
            Line::Return => self.line("ret", ""),
            Line::Vector(line) => self.vector(line),
        }
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

    fn register(&self, register: Vector) -> String {
        vector_name(register.0, self.machine.shape_bits)
    }

    fn vector(&mut self, line: &VectorLine<Memory>) {
        let Machine { moves, shape_bits: bits, .. } = self.machine;
        match line {
            VectorLine::Copy { to, from } => {
                let (to, from) = (self.register(*to), self.register(*from));
                self.line(&format!("{} {to}, {from}", moves.mnemonic), "");
            }
            VectorLine::Splat { to, ones } => {
                let code = self.machine.encoding.splat(to.0, bits, *ones);
                self.line(&code, if *ones { "all ones" } else { "zero" });
            }
            VectorLine::Load { to, memory, bits: loaded, aligned } => {
                let memory = self.memory(memory);
                for line in self.machine.load(*loaded, *aligned).load_lines(bits, to.0, &memory) {
                    self.line(&line, "");
                }
            }
            VectorLine::Store { from, memory, item } => {
                let (x, m, size) = (self.register(*from), self.memory(memory), pointer(bits));
                let remark = match item.map(|item| &self.linear.items[item]) {
                    Some(Item::Store { address, value }) => {
                        format!("{} = {}", self.place(address), self.name(*value))
                    }
                    _ => String::new(),
                };
                self.line(&format!("{} {size} {m}, {x}", moves.mnemonic), &remark);
            }
            VectorLine::Compute { item, row, to, sources, immediate } => {
                let sources: Vec<Operand> = sources
                    .iter()
                    .map(|source| match source {
                        Source::Register(register) => Operand::Register(register.0),
                        Source::Memory(memory) => Operand::Memory(self.memory(memory)),
                        Source::Repeated(memory, bits) => Operand::Repeated(self.memory(memory), *bits),
                    })
                    .collect();
                let remark = match &self.linear.items[*item] {
                    Item::Compute { result, operands, .. } => {
                        let operands: Vec<String> =
                            operands.iter().map(|&operand| self.name(operand)).collect();
                        format!("{} = {:?} {}", self.name(*result), row.meaning, operands.join(", "))
                    }
                    _ => String::new(),
                };
                // The checker has passed it, so it has a form.
                let line = row.line(bits, to.0, &sources, *immediate).unwrap_or_default();
                self.line(&line, &remark);
            }
        }
    }
}
