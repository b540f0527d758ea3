//! The encodings of x86, and the lines of assembly that an instruction is in them.

use crate::instruction::{Immediate, Instruction};

/// The three encodings of vector instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Two operands; memory must be aligned.
    Legacy,
    /// Three operands, 16 registers.
    Vex,
    /// Three operands, 32 registers, repeated memory.
    Evex,
}

/// An operand in assembly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A vector register, by its number.
    Register(u8),
    /// A whole register in memory, by its address in brackets.
    Memory(String),
    /// So many bits in memory, repeated.
    Repeated(String, u32),
}

/// The name of a vector register of so many bits.
pub fn vector_name(number: u8, bits: u32) -> String {
    let size = match bits {
        512 => 'z',
        256 => 'y',
        _ => 'x',
    };
    format!("{size}mm{number}")
}

/// The words before an address for so many bits.
pub fn pointer(bits: u32) -> &'static str {
    match bits {
        8 => "byte ptr",
        16 => "word ptr",
        32 => "dword ptr",
        64 => "qword ptr",
        128 => "xmmword ptr",
        256 => "ymmword ptr",
        _ => "zmmword ptr",
    }
}

impl Encoding {
    /// Vector registers.
    pub fn registers(self) -> u8 {
        if self == Encoding::Evex { 32 } else { 16 }
    }

    /// Whether bits from memory repeated in a register are so few instructions that reading them again is cheap.
    pub fn repeats_cheaply(self, bits: u32, register: u32) -> bool {
        self != Encoding::Legacy || bits == register
    }

    /// The line that clears all bits of a register of `bits` bits, or sets them.
    pub fn splat(self, to: u8, bits: u32, ones: bool) -> String {
        let (x, low) = (vector_name(to, bits), vector_name(to, 128));
        match (self, ones) {
            (Encoding::Legacy, true) => format!("pcmpeqd {x}, {x}"),
            (Encoding::Legacy, false) => format!("pxor {x}, {x}"),
            (Encoding::Vex, true) => format!("vpcmpeqd {x}, {x}, {x}"),
            // The rest of the register is cleared with its lowest bits.
            (Encoding::Vex, false) => format!("vpxor {low}, {low}, {low}"),
            (Encoding::Evex, true) => format!("vpternlogd {x}, {x}, {x}, 255"),
            (Encoding::Evex, false) => format!("vpxord {x}, {x}, {x}"),
        }
    }
}

impl Instruction {
    /// The line of an instruction with [`Constraints`](crate::instruction::Constraints), in the syntax of Intel, on registers of `bits` bits. A result that takes
    /// the place of the first operand is in the same register; `None` for a row without them.
    pub fn line(&self, bits: u32, to: u8, sources: &[Operand], immediate: Option<u32>) -> Option<String> {
        let constraints = self.constraints?;
        let mut name = self.mnemonic;
        let mut operands = vec![vector_name(to, bits)];
        for source in sources.iter().skip(usize::from(constraints.overwrites)) {
            operands.push(match source {
                Operand::Register(register) => vector_name(*register, bits),
                Operand::Memory(address) => format!("{} {address}", pointer(bits)),
                Operand::Repeated(address, from) => {
                    name = constraints.repeats.iter().find(|(width, _)| width == from)?.1;
                    format!("{} {address}{{1to{}}}", pointer(*from), bits / from)
                }
            });
        }
        if constraints.doubled {
            operands.push(operands[1].clone());
        }
        operands.extend(immediate.map(|n| match constraints.immediate {
            Immediate::Same => n.to_string(),
            Immediate::AdjacentBits => (n & 1 | n >> 3 & 2).to_string(),
        }));
        Some(format!("{name} {}", operands.join(", ")))
    }

    /// The lines of a load or a broadcast into a register of `bits` bits, from an address in brackets.
    pub fn load_lines(&self, bits: u32, to: u8, address: &str) -> Vec<String> {
        let x = vector_name(to, bits);
        if self.lines.is_empty() {
            let read = if self.lane == 0 { bits } else { self.lane };
            return vec![format!("{} {x}, {} {address}", self.mnemonic, pointer(read))];
        }
        self.lines.iter().map(|line| line.replace("{x}", &x).replace("{m}", address)).collect()
    }
}
