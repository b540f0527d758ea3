//! What a compiler has made of a kernel, read off a disassembly: bytes, instructions, the largest loop, the stack.
//!
//! [`parse`] reads what `objdump -d -w` prints for an object file, for the machines of the target tables: x86-64 in the
//! syntax of AT&T, AArch64 and POWER.

use std::collections::BTreeSet;

/// What is in the code of an object file. Everything is counted once, however often it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Code {
    /// Bytes of all functions.
    pub bytes: u64,
    /// Instructions, but for padding.
    pub instructions: u64,
    /// Bytes of the longest loop: from the target of a backward jump to its end; 0 if there is none.
    pub loop_bytes: u64,
    /// Instructions that read from the stack: spilled registers and local arrays.
    pub stack_loads: u64,
    /// Instructions that write to the stack.
    pub stack_stores: u64,
}

/// Counts the code of a function in a disassembly, and of those that it calls there.
pub fn parse(text: &str, entry: &str) -> Code {
    let mut functions: Vec<Body> = Vec::new();
    for line in text.lines() {
        if let Some(name) =
            line.strip_suffix(">:").and_then(|line| line.split_once('<')).map(|(_, name)| name)
        {
            functions.push(Body { name: name.to_owned(), ..Body::default() });
        } else if let (Some(instruction), Some(function)) = (Instruction::read(line), functions.last_mut()) {
            function.instructions.push(instruction);
        }
    }
    let mut code = Code::default();
    // Some machines' names of code begin with a dot.
    let named = functions.iter().map(|one| one.name.as_str());
    let mut reached: Vec<&str> = named.filter(|name| name.trim_start_matches('.') == entry).collect();
    let mut next = 0;
    while let Some(&name) = reached.get(next) {
        next += 1;
        for instruction in functions.iter().filter(|one| one.name == name).flat_map(|one| &one.instructions) {
            if let Some(other) = instruction.place().filter(|other| !reached.contains(other)) {
                reached.push(other);
            }
        }
    }
    for function in functions.iter().filter(|function| reached.contains(&function.name.as_str())) {
        function.add_to(&mut code);
    }
    code
}

/// A line of a disassembly.
struct Instruction {
    address: u64,
    bytes: u64,
    mnemonic: String,
    operands: String,
}

impl Instruction {
    /// `  10:\tc5 fd 6f 07 \tvmovdqa (%rdi),%ymm0`: address, bytes, words.
    fn read(line: &str) -> Option<Instruction> {
        let (address, rest) = line.split_once(":\t")?;
        let address = u64::from_str_radix(address.trim(), 16).ok()?;
        let (bytes, words) = rest.split_once('\t')?;
        let digits = bytes.chars().filter(char::is_ascii_hexdigit).count() as u64;
        let words = words.split('#').next().unwrap_or_default().trim();
        let (mnemonic, operands) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        Some(Instruction {
            address,
            bytes: digits / 2,
            mnemonic: mnemonic.to_owned(),
            operands: operands.trim().to_owned(),
        })
    }

    /// Whether it only fills a place.
    fn is_padding(&self) -> bool {
        self.mnemonic.starts_with("nop")
            || self.operands.starts_with("nopw")
            || matches!(self.mnemonic.as_str(), "xchg" if self.operands == "%ax,%ax")
            || self.mnemonic == "data16"
            || self.mnemonic == "cs"
    }

    /// The function that it calls, or in which it jumps.
    fn place(&self) -> Option<&str> {
        let (_, place) = self.operands.split_once('<')?;
        place.split(['>', '+']).next()
    }

    /// The address that it jumps to, if it jumps within `function`.
    fn jump(&self, function: &str) -> Option<u64> {
        if self.mnemonic.starts_with("call") || self.mnemonic == "bl" {
            return None;
        }
        if self.place() != Some(function) {
            return None;
        }
        let (before, _) = self.operands.split_once('<')?;
        let address = before.trim().rsplit([',', ' ']).next()?;
        u64::from_str_radix(address, 16).ok()
    }
}

/// A function.
#[derive(Default)]
struct Body {
    name: String,
    instructions: Vec<Instruction>,
}

impl Body {
    fn add_to(&self, code: &mut Code) {
        let frame = self.frames();
        for instruction in self.instructions.iter().filter(|instruction| !instruction.is_padding()) {
            code.instructions += 1;
            code.bytes += instruction.bytes;
            if let Some(target) = instruction.jump(&self.name)
                && target <= instruction.address
            {
                code.loop_bytes = code.loop_bytes.max(instruction.address + instruction.bytes - target);
            }
            let Some(store) = instruction.stack_access(&frame) else { continue };
            if store {
                code.stack_stores += 1;
            } else {
                code.stack_loads += 1;
            }
        }
    }

    /// How operands name the stack here: the stack pointer, and the frame pointer if the function has set it up as one.
    fn frames(&self) -> BTreeSet<&'static str> {
        let mut frames = BTreeSet::from(["(%rsp", "[sp", "(r1)"]);
        let sets = |mnemonic: &str, operands: &str| {
            self.instructions.iter().any(|one| one.mnemonic == mnemonic && one.operands == operands)
        };
        if sets("mov", "%rsp,%rbp") {
            frames.insert("(%rbp");
        }
        if sets("mov", "x29, sp") {
            frames.insert("[x29");
        }
        frames
    }
}

impl Instruction {
    /// Whether it stores to the stack (`Some(true)`) or loads from it (`Some(false)`).
    fn stack_access(&self, frames: &BTreeSet<&'static str>) -> Option<bool> {
        let place = frames.iter().find_map(|frame| self.operands.find(frame))?;
        let name = self.mnemonic.as_str();
        if self.operands.contains('%') {
            if name.starts_with("lea") || name.starts_with("prefetch") {
                return None;
            }
            // In the syntax of AT&T the last operand is written, but by comparisons.
            let last = self.operands.get(place..).is_some_and(|rest| rest.ends_with(')'));
            let compares = name.starts_with("cmp") || name.starts_with("test");
            return Some(last && !compares && self.operands.contains(','));
        }
        if name.starts_with("st") {
            return Some(true);
        }
        name.starts_with('l').then_some(false)
    }
}

#[cfg(test)]
mod tests;
