//! A machine while it runs a function of an object: registers, flags and memory.

use super::convention::Convention;
use super::file::{Function, Object, Target};
use super::flags::Flags;
use super::memory::{Address, Cell, Distance, Memory, Multiple, Region, RegionId};
use super::number::{Growth, Number, Turns};
use super::value::{self, Byte, Lane};
use super::{Refusal, Why};
use crate::graph::{Edge, Graph};
use iced_x86::{Instruction, OpKind, Register};
use std::collections::{BTreeSet, HashMap};

/// Bytes of stack below the return address.
const STACK: usize = 1 << 19;

/// Bytes of a vector register.
const VECTOR: usize = 64;

/// A general-purpose register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word {
    /// Eight bytes of bits.
    Bits(Vec<Byte>),
    /// An address.
    Address(Address),
    /// How far the first is from the second, which is in another region.
    Distance(Address, Address),
    /// A sum of addresses that is none.
    Multiple(Multiple),
    /// A number that grows with the turns of a loop.
    Number(Number),
    /// The lower four bytes of an address, with zeros above.
    Low(Address),
}

impl Word {
    /// The address of a region so many times, and a number; of a number, no region.
    fn linear(&self) -> Option<(Option<RegionId>, i64, i64)> {
        match self {
            Word::Bits(bits) => Some((None, 0, value::known(bits)? as i64)),
            Word::Address(address) if address.growth == Growth::NONE => {
                Some((Some(address.region), 1, address.offset))
            }
            Word::Multiple(Multiple { region, times, more }) => Some((Some(*region), *times, *more)),
            _ => None,
        }
    }

    /// A sum with so many times another word, where both are known numbers, addresses of one region, or sums of these.
    pub(super) fn plus_times(&self, other: &Word, by: i64) -> Option<Word> {
        let ((a, once, first), (b, again, second)) = (self.linear()?, other.linear()?);
        let region = match (a, b) {
            (Some(a), Some(b)) if a != b => return None,
            (a, b) => a.or(b),
        };
        let times = once.checked_add(again.checked_mul(by)?)?;
        let more = first.wrapping_add(second.wrapping_mul(by));
        Some(match (region, times) {
            (None, _) | (_, 0) => Word::Bits(value::constant(8, more as u64)),
            (Some(region), 1) => Word::Address(Address::new(region, more)),
            (Some(region), times) => Word::Multiple(Multiple { region, times, more }),
        })
    }

    /// What it is in memory, if it can be there.
    pub(super) fn cells(&self) -> Option<Vec<Cell>> {
        match self {
            Word::Bits(bytes) => Some(bytes.iter().map(|&byte| Cell::Bits(byte)).collect()),
            Word::Address(whole) => Some((0..8).map(|part| Cell::Part(*whole, part)).collect()),
            Word::Number(number) => Some((0..8).map(|part| Cell::Digit(*number, part)).collect()),
            Word::Multiple(sum) => Some((0..8).map(|part| Cell::Scaled(*sum, part)).collect()),
            Word::Distance(a, b) if a.growth == Growth::NONE && b.growth == Growth::NONE => {
                let offset = a.offset.wrapping_sub(b.offset);
                let distance = Distance { to: a.region, from: b.region, offset };
                Some((0..8).map(|part| Cell::Between(distance, part)).collect())
            }
            Word::Distance(..) | Word::Low(_) => None,
        }
    }
}

/// Where regions lie, as far as code can find out: no region touches another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    /// The stack pointer on entry, modulo 64, where a call pushes 8 bytes: 8 more than a multiple of 16.
    pub residue: u32,
    /// Whether regions lie in the opposite order of their numbers, which comparing their addresses shows.
    pub is_reversed: bool,
    /// The address of the one parameter whose place in eight bytes code asks for, modulo 8.
    pub base: u32,
    /// How far regions are apart, where code compares that with a number and both are possible: for each comparison, in the order
    /// in which they are made first, a digit to the base 3.
    pub gaps: u32,
}

/// What code has asked about a placement. Where it has asked nothing, others are the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Asked {
    /// Whether anything depended on the stack pointer modulo 64.
    pub residue: bool,
    /// Whether anything depended on the order of regions.
    pub order: bool,
    /// The parameter on whose address modulo 8 something depended, and what that is a multiple of anyway.
    pub base: Option<(RegionId, u64)>,
    /// How many comparisons there were of how far regions are apart with a number.
    pub gaps: u32,
}

/// Such comparisons at most.
const GAPS: u32 = 3;

impl Asked {
    /// Whether a placement, which is not the first one, may differ from those that have been tried.
    pub fn needs(self, placement: Placement) -> bool {
        let is_base = |(_, alignment): (RegionId, u64)| u64::from(placement.base).is_multiple_of(alignment);
        (placement.residue == Placement::FIRST.residue || self.residue)
            && (placement.is_reversed == Placement::FIRST.is_reversed || self.order)
            && (placement.base == Placement::FIRST.base || self.base.is_some_and(is_base))
            && placement.gaps < 3u32.pow(self.gaps)
    }

    /// What either has asked.
    pub fn or(self, other: Asked) -> Asked {
        Asked {
            residue: self.residue || other.residue,
            order: self.order || other.order,
            base: self.base.or(other.base),
            gaps: self.gaps.max(other.gaps),
        }
    }
}

impl Placement {
    /// The one that is tried first.
    pub const FIRST: Placement = Placement { residue: 8, is_reversed: false, base: 0, gaps: 0 };

    /// All of them.
    pub fn all() -> impl Iterator<Item = Placement> {
        let orders = (0..8).flat_map(|base| [false, true].map(|is_reversed| (base, is_reversed)));
        let places = orders.flat_map(|(base, is_reversed)| {
            [8, 24, 40, 56].map(|residue| Placement { residue, is_reversed, base, gaps: 0 })
        });
        places.flat_map(|place| (0..3u32.pow(GAPS)).map(move |gaps| Placement { gaps, ..place }))
    }
}

/// A function of which is known what its calls do, so that they are not run.
pub(super) trait Called {
    /// Its name.
    fn symbol(&self) -> &str;

    /// Does what a call does, the stack pointer being where it is before the return address is pushed.
    ///
    /// # Errors
    /// What is known of the function assumes something of its caller that is not so.
    fn call(&mut self, machine: &mut Machine<'_>) -> Result<(), Why>;
}

/// What the functions of a cipher take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Bytes of a block.
    pub block: usize,
    /// Bytes of what round keys are made of.
    pub key: usize,
}

/// A cipher under a key, which is called through pointers ([`super::cipher`]).
#[derive(Clone, Debug)]
pub(super) struct Cipher {
    pub context: RegionId,
    /// Where pointers to its functions point.
    pub functions: [RegionId; 3],
    /// The bits of its round keys.
    pub key: Vec<Edge>,
    pub sizes: Sizes,
}

/// A machine while it runs a function.
pub struct Machine<'a> {
    /// The graph that all bits are in.
    pub graph: &'a mut Graph,
    pub(super) object: &'a Object,
    pub(super) convention: &'static Convention,
    /// All regions.
    pub memory: Memory,
    pub(super) general: Vec<Option<Word>>,
    /// The bytes of the vector registers, as many as were looked at or written.
    pub(super) vectors: Vec<Option<Vec<Byte>>>,
    /// The addresses that vector registers hold, where they do ([`super::packed`]).
    pub(super) addresses: Vec<Option<Vec<Cell>>>,
    /// The mask registers, eight bytes each.
    pub(super) masks: Vec<Option<Vec<Byte>>>,
    pub(super) flags: Flags,
    pub(super) decoded: HashMap<(usize, u64), Instruction>,
    /// The relocation inside of the instruction that is run: of its address, of its immediate.
    pub(super) linked: [Option<Target>; 2],
    /// Whether anything was called that is not run, so that registers may have changed.
    pub(super) has_forgotten: bool,
    /// How many instructions were run.
    pub steps: u64,
    pub(super) stack: RegionId,
    /// Sections and places in them at which runs stop.
    pub(super) stops: BTreeSet<(usize, u64)>,
    /// After so many instructions they stop too.
    pub(super) stops_after: Option<u64>,
    /// What is known of the turns of a loop that makes any number of them.
    pub(super) turns: Option<Turns>,
    /// From where strings were filled that begin before their windows.
    pub(super) filled: Vec<Address>,
    /// Kernels whose calls are not run.
    pub(super) callees: Vec<&'a mut (dyn Called + 'a)>,
    /// Whether regions lie in the opposite order of their numbers.
    is_reversed: bool,
    /// Where the parameter lies whose address is asked for, modulo 8.
    base: u32,
    /// How far regions are apart, and what was compared: from where to where, the difference of the offsets, and the number.
    gaps: u32,
    compared_gaps: Vec<(RegionId, RegionId, i64, u64)>,
    /// What was asked about where regions lie.
    pub asked: Asked,
    /// How branches go that depend on whether a message is refused, if that may be.
    pub(super) refusal_of_message: Option<Fork>,
    /// Functions elsewhere that say something of the processor, and what they say.
    pub(super) processor: Vec<(String, u64)>,
    /// Ciphers that are called through pointers.
    pub(super) ciphers: Vec<Cipher>,
}

/// A bit that code may branch on though it is not public: whether a message is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fork {
    /// Whether the first branch on it is taken.
    pub is_taken: bool,
    /// The bit, once there was a branch: set where it is taken.
    pub bit: Option<Edge>,
}

/// Registers of each kind, of the architecture that has most.
pub(super) const REGISTERS: usize = 32;

/// rsp.
pub(super) const STACK_POINTER: usize = 4;

/// Instructions that are run at most: ten times those of the longest kernel here.
const LONGEST: u64 = 4_000_000;

/// Vertices of the graph at most: a gigabyte. A loop that does not end makes new ones in each turn.
const LARGEST: usize = 1 << 24;

/// What an instruction does to the flow of control.
pub(super) enum Flow {
    Next,
    /// In the same section.
    Jump(u64),
    /// To another function, which returns for this one.
    Leave(Target),
    Call(Target, u64),
    Return,
}

impl<'a> Machine<'a> {
    /// A machine before a call: memory has the sections of the object and a stack.
    pub fn new(graph: &'a mut Graph, object: &'a Object, placement: Placement) -> Machine<'a> {
        Machine::with_arguments(graph, object, placement, 0)
    }

    /// The same with so many arguments, of which those that find no register are on the stack.
    pub fn with_arguments(
        graph: &'a mut Graph,
        object: &'a Object,
        placement: Placement,
        arguments: usize,
    ) -> Machine<'a> {
        let Placement { residue, is_reversed, base, gaps } = placement;
        let mut memory = Memory::of(object);
        let convention = Convention::of(object.architecture);
        // What a call pushes, and above it what belongs to the caller, which has no cells.
        let top = STACK + residue as usize + convention.pushed - 8;
        let above = convention.pushed + 8 * arguments.saturating_sub(convention.arguments.len());
        let stack = memory.add(Region::stack(top + above, 64));
        let mut machine = Machine {
            graph,
            object,
            convention,
            memory,
            general: vec![None; REGISTERS],
            vectors: vec![None; REGISTERS],
            addresses: vec![None; REGISTERS],
            masks: vec![None; 8],
            flags: Flags::Unknown,
            decoded: HashMap::new(),
            linked: [None, None],
            has_forgotten: false,
            steps: 0,
            stack,
            stops: BTreeSet::new(),
            stops_after: None,
            turns: None,
            filled: Vec::new(),
            callees: Vec::new(),
            is_reversed,
            base,
            gaps,
            compared_gaps: Vec::new(),
            asked: Asked::default(),
            refusal_of_message: None,
            processor: Vec::new(),
            ciphers: Vec::new(),
        };
        let pointer = Address::new(stack, top as i64);
        machine.general[convention.stack_pointer] = Some(Word::Address(pointer));
        machine
    }

    /// Gives an argument, in a register.
    pub fn argument(&mut self, number: usize, word: Word) {
        self.general[self.convention.arguments[number]] = Some(word);
    }

    /// Gives arguments: in registers, and on the stack, which has to have room for so many.
    ///
    /// # Errors
    /// One that cannot be in memory.
    pub(super) fn arguments(&mut self, words: Vec<Word>) -> Result<(), Why> {
        let registers = self.convention.arguments.len();
        let pushed = self.convention.pushed as i64;
        for (number, word) in words.into_iter().enumerate() {
            match (number.checked_sub(registers), self.general(self.convention.stack_pointer)) {
                (None, _) => self.argument(number, word),
                (Some(place), Word::Address(top)) => {
                    self.store(top.moved(pushed + 8 * place as i64), &word)?
                }
                _ => return Err(Why::SecretAddress),
            }
        }
        Ok(())
    }

    /// Whether a branch is taken.
    ///
    /// # Errors
    /// It depends on data, and not on whether a message is refused; of that one bit is looked at.
    pub(super) fn taken(&mut self, condition: Edge) -> Result<bool, Why> {
        if let Some(known) = condition.known() {
            return Ok(known);
        }
        let fork = self.refusal_of_message.as_mut().ok_or(Why::SecretBranch)?;
        let bit = *fork.bit.get_or_insert(condition);
        if bit.vertex() != condition.vertex() {
            return Err(Why::SecretBranch);
        }
        Ok(fork.is_taken ^ (bit != condition))
    }

    /// The function with a name.
    pub(super) fn entry(&self, function: &str) -> Result<&'a Function, Refusal> {
        self.object.function(function).map_err(|missing| Refusal {
            function: function.to_owned(),
            offset: 0,
            instruction: String::new(),
            why: Why::External(missing.to_string()),
        })
    }

    /// What is refused at a place.
    pub(super) fn refusal(&self, section: usize, place: u64, instruction: String, why: Why) -> Refusal {
        let (function, offset) = self.object.place(section, place);
        Refusal { function, offset, instruction, why }
    }

    /// Counts an instruction.
    pub(super) fn count(&mut self) -> Result<(), Why> {
        self.steps += 1;
        if self.steps > LONGEST {
            return Err(Why::TooLong(LONGEST));
        }
        if self.graph.len() > LARGEST {
            return Err(Why::TooLarge(LARGEST));
        }
        Ok(())
    }

    /// The address of code.
    pub(super) fn code(&self, section: usize, place: u64) -> Result<Word, Why> {
        let address = self.memory.section(section, place as i64).ok_or(Why::SecretBranch)?;
        Ok(Word::Address(address))
    }

    /// The target of a call or jump that is written in the instruction.
    pub(super) fn target(&self) -> Option<Target> {
        self.linked[1].clone()
    }

    /// Bytes whose values are inputs of their own: what holds for all of them holds for whatever is there.
    pub(super) fn fresh(&mut self, bytes: usize) -> Vec<Byte> {
        let mut byte = || Byte { bits: std::array::from_fn(|_| self.graph.input()), lane: Lane::All };
        (0..bytes).map(|_| byte()).collect()
    }

    /// What a register holds that was not written: on entry, whatever there is; after a call that is not run, something of which
    /// nothing is known.
    pub(super) fn held(&mut self, bytes: usize) -> Vec<Byte> {
        if !self.has_forgotten {
            return self.fresh(bytes);
        }
        let mut byte = || Byte { bits: std::array::from_fn(|_| self.graph.unknown()), lane: Lane::All };
        (0..bytes).map(|_| byte()).collect()
    }

    /// A general-purpose register. One that was never written has a value that is an input of its own.
    pub(super) fn general(&mut self, register: usize) -> Word {
        if let Some(word) = &self.general[register] {
            return word.clone();
        }
        let word = Word::Bits(self.held(8));
        self.general[register] = Some(word.clone());
        word
    }

    pub(super) fn set_general(&mut self, register: usize, word: Word) {
        self.general[register] = Some(word);
    }

    /// The first bytes of a vector register. Those that were never written get values when they are asked for.
    pub(super) fn vector(&mut self, register: usize, bytes: usize) -> Vec<Byte> {
        let missing = bytes.saturating_sub(self.vectors[register].as_ref().map_or(0, Vec::len));
        let more = self.held(missing);
        let all = self.vectors[register].get_or_insert_default();
        all.extend(more);
        all[..bytes].to_vec()
    }

    /// Writes a vector register; the bytes above become zero, or stay if `keeps`, as instructions without VEX have it.
    pub(super) fn set_vector(&mut self, register: usize, value: &[Byte], keeps: bool) {
        let before = self.vectors[register].take().filter(|_| keeps);
        let mut all = before.unwrap_or_else(|| vec![Byte::ZERO; if keeps { 0 } else { VECTOR }]);
        let above = all.split_off(value.len().min(all.len()));
        self.vectors[register] = Some(value.iter().copied().chain(above).collect());
        self.addresses[register] = None;
    }

    pub(super) fn push(&mut self, word: &Word) -> Result<(), Why> {
        let Word::Address(pointer) = self.general(STACK_POINTER) else { return Err(Why::SecretAddress) };
        let pointer = Address { offset: pointer.offset - 8, ..pointer };
        self.set_general(STACK_POINTER, Word::Address(pointer));
        self.store(pointer, word)
    }

    pub(super) fn pop(&mut self, bytes: usize) -> Result<Word, Why> {
        let Word::Address(pointer) = self.general(STACK_POINTER) else { return Err(Why::SecretAddress) };
        let word = self.load(pointer, bytes)?;
        let above = Address { offset: pointer.offset + bytes as i64, ..pointer };
        self.set_general(STACK_POINTER, Word::Address(above));
        Ok(word)
    }

    /// A word from memory.
    pub(super) fn load(&mut self, address: Address, bytes: usize) -> Result<Word, Why> {
        let cells = self.memory.read(self.graph, address, bytes)?;
        let (word, part): (Word, fn(&Cell, u8) -> Cell) = match cells.first() {
            Some(&Cell::Part(whole, 0)) => (Word::Address(whole), |first, part| match *first {
                Cell::Part(whole, _) => Cell::Part(whole, part),
                other => other,
            }),
            Some(&Cell::Digit(number, 0)) => (Word::Number(number), |first, part| match *first {
                Cell::Digit(number, _) => Cell::Digit(number, part),
                other => other,
            }),
            Some(&Cell::Scaled(sum, 0)) => (Word::Multiple(sum), |first, part| match *first {
                Cell::Scaled(sum, _) => Cell::Scaled(sum, part),
                other => other,
            }),
            Some(&Cell::Between(distance, 0)) => {
                let [to, from] = [(distance.to, distance.offset), (distance.from, 0)]
                    .map(|(region, offset)| Address::new(region, offset));
                (Word::Distance(to, from), |first, part| match *first {
                    Cell::Between(distance, _) => Cell::Between(distance, part),
                    other => other,
                })
            }
            _ => return Ok(Word::Bits(self.bits(&cells)?)),
        };
        let is_whole =
            bytes == 8 && cells.iter().enumerate().all(|(place, cell)| *cell == part(&cells[0], place as u8));
        match word {
            word if is_whole => Ok(word),
            Word::Number(_) => Ok(Word::Bits(self.bits(&cells)?)),
            _ => Err(Why::Address),
        }
    }

    pub(super) fn bits(&mut self, cells: &[Cell]) -> Result<Vec<Byte>, Why> {
        let mut byte = |cell: &Cell| match *cell {
            Cell::Bits(byte) => Ok(byte),
            Cell::Digit(number, part) => Ok(self.bits_of(number)[usize::from(part)]),
            _ => Err(Why::Address),
        };
        cells.iter().map(&mut byte).collect()
    }

    pub(super) fn store(&mut self, address: Address, word: &Word) -> Result<(), Why> {
        let cells = word.cells().ok_or(Why::Address)?;
        self.memory.write(address, &cells)
    }

    /// The address of the memory operand.
    pub(super) fn address(&mut self, instruction: &Instruction) -> Result<Address, Why> {
        if instruction.is_ip_rel_memory_operand() {
            return match self.linked[0].clone() {
                Some(Target::Place { section, offset }) => {
                    self.memory.section(section, offset).ok_or(Why::Operand("a section that is not loaded"))
                }
                Some(Target::External(name, _)) => Err(Why::External(name)),
                None => Err(Why::SecretAddress),
            };
        }
        match self.effective(instruction)? {
            Word::Address(address) => Ok(address),
            Word::Number(_) => Err(Why::Turns),
            Word::Bits(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => Err(Why::SecretAddress),
        }
    }

    /// Base, index and displacement added up: an address, or a number.
    pub(super) fn effective(&mut self, instruction: &Instruction) -> Result<Word, Why> {
        if instruction.is_ip_rel_memory_operand() {
            return self.address(instruction).map(Word::Address);
        }
        let mut sum = Word::Bits(value::constant(8, instruction.memory_displacement64()));
        let parts = [
            (instruction.memory_base(), 1),
            (instruction.memory_index(), i64::from(instruction.memory_index_scale())),
        ];
        for (register, scale) in parts {
            if register == Register::None {
                continue;
            }
            if !register.is_gpr64() {
                return Err(Why::Operand("an address of 32 bits, or of many places"));
            }
            let part = self.general(register.number());
            sum = match (sum, part) {
                (sum @ Word::Multiple(..), part)
                | (sum, part @ Word::Multiple(..))
                | (sum @ Word::Address(_), part @ Word::Address(_)) => {
                    sum.plus_times(&part, scale).ok_or(Why::Address)?
                }
                (sum, part @ (Word::Address(_) | Word::Distance(..) | Word::Low(_))) if scale != 1 => {
                    sum.plus_times(&part, scale).ok_or(Why::Address)?
                }
                (by @ (Word::Bits(_) | Word::Number(_)), Word::Address(base)) => {
                    Word::Address(self.moved(base, &by, 1)?)
                }
                (Word::Address(base), by) => Word::Address(self.moved(base, &by, scale)?),
                (sum, part) => self.plus(&sum, &part, scale)?,
            };
        }
        Ok(sum)
    }

    /// Whether an operand is memory.
    pub(super) fn is_memory(instruction: &Instruction, operand: u32) -> bool {
        instruction.op_kind(operand) == OpKind::Memory
    }

    /// Whether a mask of the low bits of an address clears what its region is a multiple of, so that it is known.
    pub(super) fn aligned(&mut self, address: Address, mask: u64) -> Option<Address> {
        self.asked.residue |= address.region == self.stack;
        let low = !mask;
        if !low.wrapping_add(1).is_power_of_two() || address.growth != Growth::NONE {
            return None;
        }
        let base = self.base_of(address.region, low)?;
        Some(Address { offset: ((address.offset + base) & mask as i64) - base, ..address })
    }

    /// Where a region begins, as far as bits below `low` go: at a multiple of its alignment, or, for the one parameter of which more
    /// is asked, where the placement has it.
    fn base_of(&mut self, region: RegionId, low: u64) -> Option<i64> {
        let alignment = self.memory.region(region).alignment;
        if low < alignment {
            return Some(0);
        }
        let is_another = self.asked.base.is_some_and(|(other, _)| other != region);
        // The windows of a loop move.
        let is_moving = self.turns.is_some_and(|turns| !turns.keeps_words);
        if low >= 8 || region == self.stack || is_another || is_moving {
            return None;
        }
        self.asked.base = Some((region, alignment));
        Some(i64::from(self.base))
    }

    /// The bits of an address that a mask of few low bits keeps.
    pub(super) fn lowest(&mut self, address: Address, mask: u64) -> Option<u64> {
        self.asked.residue |= address.region == self.stack;
        if address.growth != Growth::NONE {
            return None;
        }
        let base = self.base_of(address.region, mask)?;
        Some((address.offset + base) as u64 & mask)
    }

    /// Whether an access of so many bytes at an address is aligned to its size, wherever its region is.
    pub(super) fn is_aligned(&mut self, address: Address, bytes: usize) -> bool {
        self.asked.residue |= address.region == self.stack;
        address.growth == Growth::NONE
            && address.offset.rem_euclid(bytes as i64) == 0
            && self.memory.region(address.region).alignment >= bytes as u64
    }

    /// How two addresses compare, if that is known.
    pub(super) fn ordered(&mut self, a: Address, b: Address) -> Option<std::cmp::Ordering> {
        if a.region == b.region {
            return self.compared_places(a, b);
        }
        self.asked.order = true;
        let order = a.region.cmp(&b.region);
        Some(if self.is_reversed { order.reverse() } else { order })
    }

    /// How the distance of an address from one in another region, as a number without a sign, compares with a number: where that
    /// depends on where both are, as the placement has it.
    pub(super) fn is_far(&mut self, a: Address, b: Address, number: u64) -> Option<std::cmp::Ordering> {
        // Where the first region is below the other one, the difference is negative, and as a number without a sign beyond
        // all lengths.
        if self.ordered(a, b)?.is_lt() {
            return (number < 1 << 63).then_some(std::cmp::Ordering::Greater);
        }
        let below = self.memory.region(b.region).size() as i64;
        let grows = a.growth != Growth::NONE || b.growth != Growth::NONE;
        let least = u64::try_from(below - b.offset + a.offset).ok()?;
        if grows {
            return None;
        }
        if number < least {
            return Some(std::cmp::Ordering::Greater);
        }
        let gap = (a.region, b.region, a.offset - b.offset, number);
        let place = self.compared_gaps.iter().position(|known| *known == gap).unwrap_or_else(|| {
            self.compared_gaps.push(gap);
            self.compared_gaps.len() - 1
        }) as u32;
        if place >= GAPS {
            return None;
        }
        self.asked.gaps = self.asked.gaps.max(place + 1);
        Some(match self.gaps / 3u32.pow(place) % 3 {
            0 => std::cmp::Ordering::Greater,
            1 => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Equal,
        })
    }

    /// The stack.
    pub fn stack(&self) -> RegionId {
        self.stack
    }
}
