//! Runs a function of an object, for x86-64 here: from its first instruction to its return, with everything that it calls.

use super::file::{Architecture, Fill, Target};
use super::kernel::Kept;
use super::machine::{Called, Flow, Machine, STACK_POINTER, Word};
use super::memory::{Address, Cell};
use super::number::{Growth, Number};
use super::run::{Preserved, Run, Stop};
use super::{Refusal, Why, aarch64, scalar, value, vector};
use iced_x86::{Decoder, DecoderOptions, FastFormatter, Instruction, Register};

impl Machine<'_> {
    /// Runs a function to its return, and checks that registers and the stack are as a caller expects them.
    ///
    /// # Errors
    /// The first instruction that is refused.
    pub fn run(&mut self, function: &str) -> Result<(), Refusal> {
        let mut run = self.begin(function)?;
        while self.resume(&mut run)? != Stop::Returned {}
        Ok(())
    }

    /// Calls a function, and runs nothing of it.
    ///
    /// # Errors
    /// There is no such function.
    pub(super) fn begin(&mut self, function: &str) -> Result<Run, Refusal> {
        let entry = self.entry(function)?;
        let preserved = Preserved::of(self);
        // The address in the caller: a place that nothing else is.
        let caller = Word::Address(Address::new(self.stack, i64::MIN));
        match (self.object.architecture, &preserved.pointer) {
            (Architecture::Aarch64, _) => self.set_general(aarch64::LINK, caller.clone()),
            (Architecture::X86_64, pointer) => {
                let stored = match *pointer {
                    Word::Address(top) => self.store(top, &caller),
                    _ => Err(Why::Address),
                };
                stored.map_err(|why| self.refusal(entry.section, entry.offset, String::new(), why))?;
            }
        }
        Ok(Run { section: entry.section, place: entry.offset, returns: Vec::new(), preserved, caller })
    }

    /// Runs a function on, to its return, to the next jump back, or to a place where it has to stop.
    ///
    /// # Errors
    /// The first instruction that is refused.
    pub(super) fn resume(&mut self, run: &mut Run) -> Result<Stop, Refusal> {
        match self.object.architecture {
            Architecture::X86_64 => self.resume_x86_64(run),
            Architecture::Aarch64 => aarch64::resume(self, run),
        }
    }

    /// [`Machine::resume`] for x86-64.
    fn resume_x86_64(&mut self, run: &mut Run) -> Result<Stop, Refusal> {
        loop {
            let (section, place) = (run.section, run.place);
            let instruction = self
                .decode(section, place)
                .map_err(|why| self.refusal(section, place, String::new(), why))?;
            let refused = |machine: &Self, why| machine.refusal(section, place, text(&instruction), why);
            self.count().map_err(|why| refused(self, why))?;
            let flow = self.step(&instruction).map_err(|why| refused(self, why))?;
            if let Flow::Call(target, next) = &flow
                && let Some(callee) = self.callee(target)
            {
                self.call(callee).map_err(|why| refused(self, why))?;
                run.place = *next;
                if self.is_stop(run) {
                    return Ok(Stop::Entered);
                }
                continue;
            }
            match flow {
                Flow::Next => run.place = instruction.next_ip(),
                Flow::Jump(to) => {
                    run.place = to;
                    if to <= place {
                        return Ok(Stop::Back);
                    }
                }
                Flow::Leave(Target::Place { section: to, offset }) => {
                    (run.section, run.place) = (to, offset as u64);
                }
                Flow::Leave(Target::External(name, _)) => return Err(refused(self, Why::External(name))),
                Flow::Call(target, next) => match target {
                    Target::Place { section: to, offset } => {
                        let back = self.code(section, next).map_err(|why| refused(self, why))?;
                        self.push(&back).map_err(|why| refused(self, why))?;
                        run.returns.push((section, next));
                        (run.section, run.place) = (to, offset as u64);
                    }
                    Target::External(name, _) => {
                        self.library(&name).map_err(|why| refused(self, why))?;
                        run.place = next;
                    }
                },
                Flow::Return => {
                    let Some((to, next)) = run.returns.pop() else {
                        if let Word::Address(top) = run.preserved.pointer
                            && self.general(STACK_POINTER) == run.preserved.pointer
                            && self.load(top, 8) != Ok(run.caller.clone())
                        {
                            return Err(refused(self, Why::Convention("the return address")));
                        }
                        let differs = run.preserved.differs(&Preserved::of(self));
                        return differs
                            .map_or(Ok(Stop::Returned), |what| Err(refused(self, Why::Convention(what))));
                    };
                    let back = self.pop(8).map_err(|why| refused(self, why))?;
                    let expected = self.code(to, next).map_err(|why| refused(self, why))?;
                    if back != expected {
                        return Err(refused(self, Why::Convention("the return address")));
                    }
                    (run.section, run.place) = (to, next);
                }
            }
            if self.is_stop(run) {
                return Ok(Stop::Entered);
            }
        }
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
            if relocation.fill != Fill::Relative {
                return Err(Why::Operand("an absolute address that the linker fills in"));
            }
            // The distance is counted from the field; an instruction counts it from its end.
            let beyond = (end - at) as i64;
            let target = match relocation.target.clone() {
                Target::Place { section, offset } => Target::Place { section, offset: offset + beyond },
                external => external,
            };
            let is_address = instruction.is_ip_rel_memory_operand();
            let is_branch = instruction.is_call_near() || instruction.is_jmp_near();
            let field = field(&code.bytes[place as usize..end as usize], &instruction, is_address);
            if (!is_address && !is_branch) || field.map(|field| place + field) != Some(at) {
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

    /// The number of the known kernel that a target is.
    pub(super) fn callee(&self, target: &Target) -> Option<usize> {
        // On x86-64 the distance is counted from the field, which has four bytes.
        let from = match self.object.architecture {
            Architecture::X86_64 => -4,
            Architecture::Aarch64 => 0,
        };
        let is = |callee: &dyn Called| match target {
            Target::External(name, addend) => name == callee.symbol() && *addend == from,
            Target::Place { section, offset } => self
                .object
                .function(callee.symbol())
                .is_ok_and(|function| (function.section, function.offset as i64) == (*section, *offset)),
        };
        self.callees.iter().position(|callee| is(&**callee))
    }

    /// Calls a known kernel.
    pub(super) fn call(&mut self, number: usize) -> Result<(), Why> {
        let callee = self.callees.swap_remove(number);
        let outcome = callee.call(self);
        self.callees.push(callee);
        outcome
    }

    /// The functions of the C library that compilers call by themselves.
    pub(super) fn library(&mut self, name: &str) -> Result<(), Why> {
        if let Some(&(_, says)) = self.processor.iter().find(|(known, _)| known == name) {
            self.forget(Kept::default());
            self.general[0] = Some(Word::Bits(value::constant(8, says)));
            return Ok(());
        }
        let [to, from, count] = [0, 1, 2].map(|number| self.general(self.convention.arguments[number]));
        let Word::Address(to_address) = to else { return Err(Why::SecretAddress) };
        let length = match &count {
            Word::Bits(count) => Number::known(value::known(count).ok_or(Why::SecretAddress)? as i64),
            Word::Number(number) => *number,
            _ => return Err(Why::Operand("a length that is an address")),
        };
        let known = (length.growth == Growth::NONE).then_some(length.more as usize);
        let bytes = || known.ok_or(Why::Operand("a length that depends on how many turns a loop makes"));
        match name {
            "memcpy" | "memmove" => {
                let Word::Address(from) = from else { return Err(Why::SecretAddress) };
                let cells = self.memory.read(self.graph, from, bytes()?)?;
                self.memory.write(to_address, &cells)?;
            }
            "memset" => {
                let Word::Bits(byte) = from else { return Err(Why::Address) };
                match known {
                    Some(count) => self.memory.write(to_address, &vec![Cell::Bits(byte[0]); count])?,
                    None => self.fill(to_address, length, byte[0])?,
                }
            }
            _ => return Err(Why::External(name.to_owned())),
        }
        self.forget(Kept::default());
        // The register of results is the first one of both architectures.
        self.general[0] = Some(to);
        Ok(())
    }
}

/// An instruction in words.
fn text(instruction: &Instruction) -> String {
    let mut text = String::new();
    FastFormatter::new().format(instruction, &mut text);
    text
}

/// Where the four bytes of the distance to a place in memory, or of that of a jump, begin in an instruction: the linker fills in four
/// bytes wherever they are.
fn field(bytes: &[u8], instruction: &Instruction, is_address: bool) -> Option<u64> {
    let mut decoder = Decoder::with_ip(64, bytes, instruction.ip(), DecoderOptions::NONE);
    let decoded = decoder.decode();
    let offsets = decoder.get_constant_offsets(&decoded);
    let (begin, size) = match is_address {
        true => (offsets.displacement_offset(), offsets.displacement_size()),
        false => (offsets.immediate_offset(), offsets.immediate_size()),
    };
    (size == 4).then_some(begin as u64)
}
