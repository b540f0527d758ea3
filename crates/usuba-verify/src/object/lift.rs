//! Runs a function of an object: from its first instruction to its return, with everything that it calls.

use super::file::Target;
use super::kernel::Kept;
use super::machine::{ARGUMENTS, Called, Flow, KEPT, Machine, STACK_POINTER, Word};
use super::memory::{Address, Cell};
use super::{Refusal, Why, scalar, value, vector};
use iced_x86::{Decoder, DecoderOptions, FastFormatter, Instruction, Register};

/// Instructions that are run at most: ten times those of the longest kernel here.
const LONGEST: u64 = 4_000_000;

/// Vertices of the graph at most: a gigabyte. A loop that does not end makes new ones in each turn.
const LARGEST: usize = 1 << 24;

impl Machine<'_> {
    /// Runs a function to its return, and checks that registers and the stack are as a caller expects them.
    ///
    /// # Errors
    /// The first instruction that is refused.
    pub fn run(&mut self, function: &str) -> Result<(), Refusal> {
        let entry = self.object.function(function).map_err(|missing| Refusal {
            function: function.to_owned(),
            offset: 0,
            instruction: String::new(),
            why: Why::External(missing.to_string()),
        })?;
        let kept: Vec<Word> = KEPT.iter().map(|&register| self.general(register)).collect();
        let pointer = self.general(STACK_POINTER);
        let Word::Address(top) = pointer else {
            return Err(self.refusal(entry.section, entry.offset, None, Why::Address));
        };
        // The address in the caller: a place that nothing else is.
        let caller = Word::Address(Address { region: self.stack, offset: i64::MIN });
        self.store(top, &caller).map_err(|why| self.refusal(entry.section, entry.offset, None, why))?;
        let (mut section, mut place) = (entry.section, entry.offset);
        // Where calls return to. The bytes on the stack have to say the same when they are used.
        let mut returns: Vec<(usize, u64)> = Vec::new();
        loop {
            let instruction =
                self.decode(section, place).map_err(|why| self.refusal(section, place, None, why))?;
            let refused = |machine: &Self, why| machine.refusal(section, place, Some(&instruction), why);
            self.steps += 1;
            if self.steps > LONGEST {
                return Err(refused(self, Why::TooLong(LONGEST)));
            }
            if self.graph.len() > LARGEST {
                return Err(refused(self, Why::TooLarge(LARGEST)));
            }
            let flow = self.step(&instruction).map_err(|why| refused(self, why))?;
            if let Flow::Call(target, next) = &flow
                && let Some(callee) = self.callee(target)
            {
                self.call(callee).map_err(|why| refused(self, why))?;
                place = *next;
                continue;
            }
            match flow {
                Flow::Next => place = instruction.next_ip(),
                Flow::Jump(to) => place = to,
                Flow::Leave(Target::Place { section: to, offset }) => (section, place) = (to, offset as u64),
                Flow::Leave(Target::External(name, _)) => return Err(refused(self, Why::External(name))),
                Flow::Call(target, next) => match target {
                    Target::Place { section: to, offset } => {
                        let back = self.code(section, next).map_err(|why| refused(self, why))?;
                        self.push(&back).map_err(|why| refused(self, why))?;
                        returns.push((section, next));
                        (section, place) = (to, offset as u64);
                    }
                    Target::External(name, _) => {
                        self.library(&name).map_err(|why| refused(self, why))?;
                        place = next;
                    }
                },
                Flow::Return => {
                    let Some((to, next)) = returns.pop() else {
                        let found = self.general(STACK_POINTER);
                        if found == pointer && self.load(top, 8) != Ok(caller.clone()) {
                            return Err(refused(self, Why::Convention("the return address")));
                        }
                        let all = kept == KEPT.iter().map(|&one| self.general(one)).collect::<Vec<_>>();
                        return match (found == pointer, all) {
                            (false, _) => Err(refused(self, Why::Convention("the stack pointer"))),
                            (_, false) => {
                                Err(refused(self, Why::Convention("a register that a function has to keep")))
                            }
                            _ => Ok(()),
                        };
                    };
                    let back = self.pop(8).map_err(|why| refused(self, why))?;
                    let expected = self.code(to, next).map_err(|why| refused(self, why))?;
                    if back != expected {
                        return Err(refused(self, Why::Convention("the return address")));
                    }
                    (section, place) = (to, next);
                }
            }
        }
    }

    fn refusal(&self, section: usize, place: u64, instruction: Option<&Instruction>, why: Why) -> Refusal {
        let (function, offset) = self.object.place(section, place);
        let mut text = String::new();
        if let Some(instruction) = instruction {
            FastFormatter::new().format(instruction, &mut text);
        }
        Refusal { function, offset, instruction: text, why }
    }

    fn decode(&mut self, section: usize, place: u64) -> Result<Instruction, Why> {
        let code = self.object.sections.get(&section).filter(|one| one.is_code).ok_or(Why::Undecodable)?;
        let instruction = match self.decoded.get(&(section, place)) {
            Some(&known) => known,
            None => {
                let bytes = code.bytes.get(place as usize..).ok_or(Why::Undecodable)?;
                let bytes = &bytes[..bytes.len().min(15)];
                let instruction = Decoder::with_ip(64, bytes, place, DecoderOptions::NONE).decode();
                if instruction.is_invalid() {
                    return Err(Why::Undecodable);
                }
                self.decoded.insert((section, place), instruction);
                instruction
            }
        };
        self.linked = [None, None];
        let end = instruction.next_ip();
        for (&at, relocation) in code.relocations.range(place..end) {
            if !relocation.is_relative {
                return Err(Why::Operand("an absolute address that the linker fills in"));
            }
            // The distance is counted from the field; an instruction counts it from its end.
            let beyond = (end - at) as i64;
            let target = match relocation.target.clone() {
                Target::Place { section, offset } => Target::Place { section, offset: offset + beyond },
                external => external,
            };
            let is_address = instruction.is_ip_rel_memory_operand();
            if !is_address && !instruction.is_call_near() && !instruction.is_jmp_near() {
                return Err(Why::Operand("what the linker fills in"));
            }
            self.linked[usize::from(!is_address)] = Some(target);
        }
        // Without a relocation the distance is to a place in the same section.
        if instruction.is_ip_rel_memory_operand() && self.linked[0].is_none() {
            let offset = instruction.ip_rel_memory_address() as i64;
            self.linked[0] = Some(Target::Place { section, offset });
        }
        if instruction.is_call_near() && self.linked[1].is_none() {
            let offset = instruction.near_branch_target() as i64;
            self.linked[1] = Some(Target::Place { section, offset });
        }
        Ok(instruction)
    }

    fn step(&mut self, instruction: &Instruction) -> Result<Flow, Why> {
        if instruction.segment_prefix() == Register::FS || instruction.segment_prefix() == Register::GS {
            return Err(Why::Operand("memory of the thread"));
        }
        if let Some(flow) = scalar::step(self, instruction)? {
            return Ok(flow);
        }
        vector::step(self, instruction)?;
        Ok(Flow::Next)
    }

    fn code(&self, section: usize, place: u64) -> Result<Word, Why> {
        let address = self.memory.section(section, place as i64).ok_or(Why::SecretBranch)?;
        Ok(Word::Address(address))
    }

    /// The number of the known kernel that a target is.
    fn callee(&self, target: &Target) -> Option<usize> {
        let is = |callee: &dyn Called| match target {
            // The distance is counted from the field, which has four bytes.
            Target::External(name, addend) => name == callee.symbol() && *addend == -4,
            Target::Place { section, offset } => self
                .object
                .function(callee.symbol())
                .is_ok_and(|function| (function.section, function.offset as i64) == (*section, *offset)),
        };
        self.callees.iter().position(|callee| is(&**callee))
    }

    /// Calls a known kernel.
    fn call(&mut self, number: usize) -> Result<(), Why> {
        let callee = self.callees.swap_remove(number);
        let outcome = callee.call(self);
        self.callees.push(callee);
        outcome
    }

    /// The functions of the C library that compilers call by themselves.
    fn library(&mut self, name: &str) -> Result<(), Why> {
        let [to, from, count] = [0, 1, 2].map(|number| self.general(ARGUMENTS[number]));
        let Word::Address(to_address) = to else { return Err(Why::SecretAddress) };
        let Word::Bits(count) = count else { return Err(Why::Operand("a length that is an address")) };
        let count = value::known(&count).ok_or(Why::SecretAddress)? as usize;
        match name {
            "memcpy" | "memmove" => {
                let Word::Address(from) = from else { return Err(Why::SecretAddress) };
                let cells = self.memory.read(self.graph, from, count)?;
                self.memory.write(to_address, &cells)?;
            }
            "memset" => {
                let Word::Bits(byte) = from else { return Err(Why::Address) };
                self.memory.write(to_address, &vec![Cell::Bits(byte[0]); count])?;
            }
            _ => return Err(Why::External(name.to_owned())),
        }
        self.forget(Kept::default());
        self.general[0] = Some(to);
        Ok(())
    }
}
