//! A line of the table of x86, and the row that it gives for an encoding and a width.

use crate::encoding::Encoding;
use crate::feature::Feature;
use crate::instruction::{Constraints, Immediate, Instruction, Meaning};

/// Ports that can run an instruction on registers of up to 256 bits, and on those of 512: bit p for port p.
#[derive(Clone, Copy)]
pub(super) struct Unit(pub(super) u16, pub(super) u16);

/// An instruction in all of its encodings and widths.
pub(super) struct Entry {
    meaning: Meaning,
    lane: u32,
    /// In the encodings Legacy, VEX and EVEX; empty where it is not.
    names: [&'static str; 3],
    /// Bits of the registers; the encoding Legacy has 128 alone.
    widths: &'static [u32],
    /// What a CPU needs for it in each encoding, beside what the encoding needs in that width.
    needs: [Feature; 3],
    /// The C expression, with places for what differs between widths.
    c: &'static str,
    /// The C expression for 512 bits, where it is another.
    c512: Option<&'static str>,
    operands: Operands,
    /// In the encoding EVEX.
    repeats: &'static [(u32, &'static str)],
    immediate: Immediate,
    lines: &'static [&'static str],
    scratch: bool,
    latency: [u8; 3],
    uops: u8,
    unit: Unit,
}

/// How an instruction takes its operands.
#[derive(Clone, Copy)]
enum Operands {
    /// It is no instruction on registers.
    None,
    /// Two, of which the second may be memory.
    Two,
    /// The same, in either order.
    Commuting,
    /// Three, in any order, of which the last may be memory; the result takes the place of the first.
    Three,
    /// One and an immediate; memory in the encoding EVEX alone.
    Shift,
    /// One, which may be memory, and an immediate if the meaning has one; the result is elsewhere in every encoding.
    Move,
    /// One, given twice.
    Doubled,
}

/// An instruction without operands in registers, and without costs.
pub(super) const fn entry(
    meaning: Meaning,
    lane: u32,
    names: [&'static str; 3],
    widths: &'static [u32],
    needs: [Feature; 3],
    c: &'static str,
) -> Entry {
    Entry {
        meaning,
        lane,
        names,
        widths,
        needs,
        c,
        c512: None,
        operands: Operands::None,
        repeats: &[],
        immediate: Immediate::Same,
        lines: &[],
        scratch: false,
        latency: [0; 3],
        uops: 0,
        unit: Unit(0, 0),
    }
}

impl Entry {
    /// Two operands.
    pub(super) const fn two(self) -> Entry {
        Entry { operands: Operands::Two, ..self }
    }

    /// Two operands in either order.
    pub(super) const fn commutes(self) -> Entry {
        Entry { operands: Operands::Commuting, ..self }
    }

    /// Three operands and a truth table.
    pub(super) const fn three(self) -> Entry {
        Entry { operands: Operands::Three, ..self }
    }

    /// One operand and an amount.
    pub(super) const fn shifts(self) -> Entry {
        Entry { operands: Operands::Shift, ..self }
    }

    /// One operand, and the result elsewhere.
    pub(super) const fn moves(self) -> Entry {
        Entry { operands: Operands::Move, ..self }
    }

    /// One operand, given twice.
    pub(super) const fn doubled(self) -> Entry {
        Entry { operands: Operands::Doubled, ..self }
    }

    /// Memory may be repeated from these widths, by these names.
    pub(super) const fn repeats(self, repeats: &'static [(u32, &'static str)]) -> Entry {
        Entry { repeats, ..self }
    }

    /// The immediate has the functions of two groups in adjacent bits.
    pub(super) const fn adjacent(self) -> Entry {
        Entry { immediate: Immediate::AdjacentBits, ..self }
    }

    /// Another C expression for 512 bits.
    pub(super) const fn c512(self, c: &'static str) -> Entry {
        Entry { c512: Some(c), ..self }
    }

    /// The lines of assembly, where they are several ([`Instruction::lines`]).
    pub(super) const fn lines(self, lines: &'static [&'static str]) -> Entry {
        Entry { lines, ..self }
    }

    /// Such lines that go through `eax`.
    pub(super) const fn lines_through_eax(self, lines: &'static [&'static str]) -> Entry {
        Entry { lines, scratch: true, ..self }
    }

    /// Cycles, micro-operations and ports.
    pub(super) const fn cost(self, latency: u8, uops: u8, unit: Unit) -> Entry {
        Entry { latency: [latency; 3], uops, unit, ..self }
    }

    /// Other cycles for 128, 256 and 512 bits.
    pub(super) const fn takes(self, latency: [u8; 3]) -> Entry {
        Entry { latency, ..self }
    }

    /// The row for an encoding and a width.
    pub(super) fn row(&self, encoding: Encoding, bits: u32) -> Option<Instruction> {
        let (place, width) = (encoding as usize, bits.ilog2() as usize - 7);
        if self.names[place].is_empty() || !self.widths.contains(&bits) {
            return None;
        }
        let c = if bits == 512 { self.c512.unwrap_or(self.c) } else { self.c };
        let c = c.replace("{mm}", ["_mm", "_mm256", "_mm512"][width]);
        let c = c.replace("__mmask{bytes}", &format!("__mmask{}", bits / 8));
        let c = c.replace("{bits}", &bits.to_string()).replace("{x}", if bits == 512 { "" } else { "x" });
        Some(Instruction {
            meaning: self.meaning,
            lane: self.lane,
            mnemonic: self.names[place],
            c: c.leak(),
            latency: self.latency[width],
            uops: self.uops,
            ports: if bits == 512 { self.unit.1 } else { self.unit.0 },
            needs: Some(self.needs[place]),
            constraints: self.constraints(encoding),
            lines: self.lines,
            scratch: self.scratch,
        })
    }

    fn constraints(&self, encoding: Encoding) -> Option<Constraints> {
        let evex = encoding == Encoding::Evex;
        let constraints = |memory, free_order| Constraints {
            overwrites: encoding == Encoding::Legacy,
            first_matters: false,
            memory,
            free_order,
            repeats: if evex { self.repeats } else { &[] },
            doubled: false,
            immediate: self.immediate,
        };
        Some(match self.operands {
            Operands::None => return None,
            Operands::Two => constraints(Some(1), false),
            Operands::Commuting => constraints(Some(1), true),
            Operands::Three => {
                Constraints { overwrites: true, first_matters: true, ..constraints(Some(2), true) }
            }
            Operands::Shift => constraints(evex.then_some(0), false),
            Operands::Move => Constraints { overwrites: false, ..constraints(Some(0), false) },
            Operands::Doubled => Constraints { doubled: true, ..constraints(None, false) },
        })
    }
}
