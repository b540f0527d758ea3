//! The encodings of x86, and the lines of assembly that an instruction is in them.

use crate::instruction::{Immediate, Instruction};

/// The three encodings of vector instructions, and that of general-purpose registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Two operands; memory must be aligned.
    Legacy,
    /// Three operands, 16 registers.
    Vex,
    /// Three operands, 32 registers, repeated memory.
    Evex,
    /// Two operands, on registers of 64 bits or their lower halves; with BMI some with three.
    General,
}

/// An operand in assembly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A register, by its number.
    Register(u8),
    /// A whole register in memory, by its address in brackets.
    Memory(String),
    /// So many bits in memory, repeated.
    Repeated(String, u32),
}

/// The names of general-purpose registers, by their number in the encoding, of 64 and of 32 bits.
const GENERAL: [[&str; 2]; 16] = [
    ["rax", "eax"],
    ["rcx", "ecx"],
    ["rdx", "edx"],
    ["rbx", "ebx"],
    ["rsp", "esp"],
    ["rbp", "ebp"],
    ["rsi", "esi"],
    ["rdi", "edi"],
    ["r8", "r8d"],
    ["r9", "r9d"],
    ["r10", "r10d"],
    ["r11", "r11d"],
    ["r12", "r12d"],
    ["r13", "r13d"],
    ["r14", "r14d"],
    ["r15", "r15d"],
];

/// The name of a general-purpose register of 64 bits, or of its lower half of 32.
pub fn general_name(number: u8, bits: u32) -> &'static str {
    GENERAL[usize::from(number & 15)][usize::from(bits == 32)]
}

/// The name of a register of so many bits: a vector, or of 64 and 32 bits a general-purpose register, the lower half of one.
pub fn register_name(number: u8, bits: u32) -> String {
    let size = match bits {
        512 => 'z',
        256 => 'y',
        128 => 'x',
        bits => return general_name(number, bits).to_owned(),
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
    /// Registers.
    pub fn registers(self) -> u8 {
        if self == Encoding::Evex { 32 } else { 16 }
    }

    /// Whether bits from memory repeated in a register are so few instructions that reading them again is cheap.
    pub fn repeats_cheaply(self, bits: u32, register: u32) -> bool {
        self != Encoding::Legacy || bits == register
    }

    /// The line that clears all bits of a register of `bits` bits, or sets them.
    pub fn splat(self, to: u8, bits: u32, ones: bool) -> String {
        let (x, low) = (register_name(to, bits), register_name(to, 128));
        match (self, ones) {
            (Encoding::Legacy, true) => format!("pcmpeqd {x}, {x}"),
            (Encoding::Legacy, false) => format!("pxor {x}, {x}"),
            (Encoding::Vex, true) => format!("vpcmpeqd {x}, {x}, {x}"),
            // The rest of the register is cleared with its lowest bits.
            (Encoding::Vex, false) => format!("vpxor {low}, {low}, {low}"),
            (Encoding::Evex, true) => format!("vpternlogd {x}, {x}, {x}, 255"),
            (Encoding::Evex, false) => format!("vpxord {x}, {x}, {x}"),
            (Encoding::General, true) => format!("mov {x}, -1"),
            // The upper half is cleared with the lower one.
            (Encoding::General, false) => format!("xor {0}, {0}", register_name(to, 32)),
        }
    }
}

impl Instruction {
    /// The line of an instruction with [`Constraints`](crate::instruction::Constraints), in the syntax of Intel, on registers of `bits` bits. A result that takes
    /// the place of the first operand is in the same register; `None` for a row without them.
    pub fn line(&self, bits: u32, to: u8, sources: &[Operand], immediate: Option<u32>) -> Option<String> {
        let constraints = self.constraints?;
        let mut name = self.mnemonic;
        let mut operands = vec![register_name(to, bits)];
        for source in sources.iter().skip(usize::from(constraints.overwrites)) {
            operands.push(match source {
                Operand::Register(register) => register_name(*register, bits),
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
            Immediate::Complement(bits) => (bits - n).to_string(),
        }));
        Some(format!("{name} {}", operands.join(", ")))
    }

    /// The lines of a load or a broadcast into a register of `bits` bits, from an address in brackets.
    pub fn load_lines(&self, bits: u32, to: u8, address: &str) -> Vec<String> {
        let x = register_name(to, bits);
        if self.lines.is_empty() {
            let read = if self.lane == 0 { bits } else { self.lane };
            return vec![format!("{} {x}, {} {address}", self.mnemonic, pointer(read))];
        }
        self.lines.iter().map(|line| line.replace("{x}", &x).replace("{m}", address)).collect()
    }
}
