//! Linear code and machine code run on the bytes of registers, by the meaning of the rows.

use super::super::Machine;
use super::super::convention::SYSTEM_V;
use super::super::linear::{Count, Given, Item, Linear};
use super::super::machine::{Base, Code, Gpr, Limit, Line, Memory, Source, Vector, VectorLine};
use std::borrow::Cow;
use std::collections::BTreeMap;
use usuba_ir::program::Affine;
use usuba_ir::random::Random;
use usuba_machine::program::{Address, Public, RegionId, Role, Trips};
use usuba_target::{Instruction, evaluate};

/// Where regions start, far from each other.
const APART: i64 = 1 << 32;
/// Bytes that the memory keeps together.
const PIECE: i64 = 64;

/// Memory that was written, in pieces of [`PIECE`] bytes; what was not has random content.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Bytes(BTreeMap<i64, [u8; PIECE as usize]>);

impl Bytes {
    fn piece(&self, number: i64) -> [u8; PIECE as usize] {
        let fresh = || {
            let (mut random, mut piece) = (Random::new(number as u64), [0; PIECE as usize]);
            piece.chunks_exact_mut(8).for_each(|word| word.copy_from_slice(&random.bits().to_le_bytes()));
            piece
        };
        self.0.get(&number).copied().unwrap_or_else(fresh)
    }

    fn read(&self, address: i64, bytes: usize) -> Vec<u8> {
        let mut read = Vec::with_capacity(bytes);
        while read.len() < bytes {
            let at = address + read.len() as i64;
            let (number, start) = (at.div_euclid(PIECE), at.rem_euclid(PIECE) as usize);
            let count = (bytes - read.len()).min(PIECE as usize - start);
            read.extend(&self.piece(number)[start..start + count]);
        }
        read
    }

    fn write(&mut self, address: i64, bytes: &[u8]) {
        let mut written = 0;
        while written < bytes.len() {
            let at = address + written as i64;
            let (number, start) = (at.div_euclid(PIECE), at.rem_euclid(PIECE) as usize);
            let count = (bytes.len() - written).min(PIECE as usize - start);
            let mut piece = self.piece(number);
            piece[start..start + count].copy_from_slice(&bytes[written..written + count]);
            self.0.insert(number, piece);
            written += count;
        }
    }

    fn word(&self, address: i64) -> i64 {
        self.read(address, 8).iter().rev().fold(0, |word, &byte| word << 8 | i64::from(byte))
    }

    /// Leaves what lies in the regions of that kind, by their numbers.
    fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        self.0.retain(|number, _| keep((number * PIECE / APART) as usize - 1));
    }
}

/// The register that a row makes; nothing if the row says nothing of this.
fn result(
    row: &Instruction,
    bytes: usize,
    operands: &[Cow<'_, [u8]>],
    immediate: Option<u32>,
) -> Option<Vec<u8>> {
    let operands: Vec<&[u8]> = operands.iter().map(AsRef::as_ref).collect();
    evaluate(row, bytes, &operands, immediate).ok()
}

/// A register of bytes that are repeated.
fn repeated(piece: &[u8], bytes: usize) -> Vec<u8> {
    piece.iter().copied().cycle().take(bytes).collect()
}

fn index(affine: &Affine, inductions: &BTreeMap<u32, i64>) -> i64 {
    affine.constant + affine.terms.iter().map(|(i, c)| c * inductions[&i.0]).sum::<i64>()
}

/// What the function is given beside memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// The public count.
    pub(super) count: u64,
    /// Whether the string to be read is the one to be written.
    pub(super) in_place: bool,
}

/// A public count of others.
fn public(value: &Public, count: impl Fn(Count) -> u64) -> u64 {
    match value {
        Public::Sum { constant, terms } => terms.iter().fold(*constant as u64, |sum, &(of, factor)| {
            sum.wrapping_add(count(of).wrapping_mul(factor as u64))
        }),
        Public::Index(index) => index.constant as u64,
        Public::Quotient { of, by } => count(*of) / u64::from(*by),
        Public::Remainder { of, by } => count(*of) % u64::from(*by),
        Public::Least { of, bound } => count(*of).min(u64::from(*bound)),
    }
}

/// Where the region of that number begins.
fn start(linear: &Linear, region: RegionId, call: Call) -> i64 {
    let same = call.in_place && region.0 == 1 && linear.is_string(region);
    i64::from(if same { 5 } else { region.0 + 1 }) * APART
}

/// Runs linear code.
pub(super) fn run_linear(linear: &Linear, machine: Machine, call: Call) -> Bytes {
    let mut values = vec![Vec::new(); linear.values.len()];
    for (value, known) in values.iter_mut().zip(&linear.values) {
        if let Some(bytes) = &known.constant {
            value.clone_from(bytes);
        }
    }
    let mut memory = Bytes::default();
    let mut inductions: BTreeMap<u32, i64> = BTreeMap::new();
    let mut counts = vec![0; linear.counts.len()];
    counts[0] = call.count;
    let views = linear.views();
    let address = |address: &Address, inductions: &BTreeMap<u32, i64>| {
        let element = linear.element(address.region, machine.uniform as usize / 8);
        let (mut region, mut at) = (address.region, 0);
        while let Some(&(of, _)) = views.get(&region) {
            // All views are so many bytes further as the function is given.
            at += call.count as i64;
            region = of;
        }
        start(linear, region, call) + at + index(&address.index, inductions) * element
    };
    let mut at = 0;
    while let Some(item) = linear.items.get(at) {
        match item {
            Item::Compute { row, result: to, operands, immediate } => {
                let operands: Vec<Cow<'_, [u8]>> =
                    operands.iter().map(|operand| (&values[operand.index()]).into()).collect();
                values[to.index()] = result(row, linear.bytes, &operands, *immediate).expect("defined code");
            }
            Item::Load { row, result: to, address: from } => {
                let read = memory.read(address(from, &inductions), machine.loaded_bits(row) as usize / 8);
                values[to.index()] = result(row, linear.bytes, &[read.into()], None).expect("a load");
            }
            Item::Store { address: to, value } => {
                memory.write(address(to, &inductions), &values[value.index()]);
            }
            Item::LoadPart { row, result: to, address: from, count } => {
                let part = counts[count.index()] as usize;
                let mut read = memory.read(address(from, &inductions), part);
                read.resize(linear.bytes, 0x77);
                let number = (part as u64).to_le_bytes().to_vec();
                values[to.index()] =
                    result(row, linear.bytes, &[read.into(), number.into()], None).expect("a part");
            }
            Item::StorePart { address: to, value, count, .. } => {
                let part = counts[count.index()] as usize;
                memory.write(address(to, &inductions), &values[value.index()][..part]);
            }
            Item::CopyPart { from, to, count } => {
                let moved = memory.read(address(from, &inductions), counts[count.index()] as usize);
                memory.write(address(to, &inductions), &moved);
            }
            Item::Count { result, value } => {
                counts[result.index()] = public(value, |count| counts[count.index()]);
            }
            Item::View { .. } => {}
            Item::Begin(number) if trips(linear, *number, &counts) == 0 => {
                for carried in &linear.loops[*number].carried {
                    values[carried.after.index()] = values[carried.initial.index()].clone();
                }
                at = linear.loops[*number].end;
            }
            Item::Begin(number) => {
                let looped = &linear.loops[*number];
                inductions.insert(looped.induction.0, 0);
                for carried in &looped.carried {
                    values[carried.inside.index()] = values[carried.initial.index()].clone();
                }
            }
            Item::End(number) => {
                let looped = &linear.loops[*number];
                let next: Vec<Vec<u8>> =
                    looped.carried.iter().map(|carried| values[carried.next.index()].clone()).collect();
                let time = inductions.entry(looped.induction.0).or_default();
                *time += 1;
                let again = *time < trips(linear, *number, &counts);
                for (carried, next) in looped.carried.iter().zip(next) {
                    let to = if again { carried.inside } else { carried.after };
                    values[to.index()] = next;
                }
                if again {
                    at = looped.begin;
                }
            }
        }
        at += 1;
    }
    memory.retain(|region| linear.regions[region].role == Role::Output);
    memory
}

/// How often a loop runs.
fn trips(linear: &Linear, number: usize, counts: &[u64]) -> i64 {
    match linear.loops[number].trips {
        Trips::Constant(trips) => i64::from(trips),
        Trips::Public(count) => counts[count.index()] as i64,
    }
}

struct Cpu<'a> {
    linear: &'a Linear,
    code: &'a Code,
    machine: Machine,
    integers: [i64; 16],
    vectors: Vec<Vec<u8>>,
    /// How many lanes the mask register has.
    mask: u64,
    memory: Bytes,
}

impl Cpu<'_> {
    fn value(&self, register: Vector) -> Vec<u8> {
        match self.machine.general(register) {
            Some(register) => {
                self.integers[usize::from(register.0)].to_le_bytes()[..self.linear.bytes].to_vec()
            }
            None => self.vectors[usize::from(register.0)].clone(),
        }
    }

    /// Writes a register for values; the upper half of a general-purpose register is cleared with the lower one.
    fn put(&mut self, register: Vector, value: &[u8]) {
        match self.machine.general(register) {
            Some(register) => {
                let number = value.iter().rev().fold(0, |number, &byte| number << 8 | i64::from(byte));
                self.integers[usize::from(register.0)] = number;
            }
            None => self.vectors[usize::from(register.0)] = value.to_vec(),
        }
    }

    fn address(&self, memory: &Memory) -> i64 {
        let Base::Register(base) = memory.base else { return memory.displacement };
        let index = memory.index.map_or(0, |index| self.integers[usize::from(index.0)]);
        self.integers[usize::from(base.0)].wrapping_add(index).wrapping_add(memory.displacement)
    }

    /// The register that so many bits from memory fill.
    fn fetch(&self, memory: &Memory, bits: u32) -> Vec<u8> {
        let (place, bytes) = (self.address(memory), self.linear.bytes);
        if memory.base == Base::Pool {
            let place = usize::try_from(place).unwrap_or(usize::MAX);
            let piece = self
                .code
                .pool
                .get(place / bytes)
                .and_then(|constant| constant[place % bytes..].get(..bits as usize / 8));
            return piece.map_or_else(|| vec![0; bytes], |piece| repeated(piece, bytes));
        }
        repeated(&self.memory.read(place, bits as usize / 8), bytes)
    }
}

/// Runs machine code; nothing if it does not end well. What it leaves in the outputs.
pub(super) fn run_code(linear: &Linear, code: &Code, machine: Machine, call: Call) -> Option<Bytes> {
    let bits = machine.shape_bits;
    let vectors = vec![vec![0; linear.bytes]; 32];
    let mut cpu =
        Cpu { linear, code, machine, integers: [0; 16], vectors, mask: 9, memory: Bytes::default() };
    for (number, register) in cpu.integers.iter_mut().enumerate() {
        *register = -(number as i64) * 1_000_003;
    }
    let entry = -8i64 + 40 * APART;
    cpu.integers[usize::from(Gpr::RSP.0)] = entry;
    for (place, register) in SYSTEM_V.arguments.iter().enumerate().take(linear.parameters.len()) {
        cpu.integers[usize::from(register.0)] = match linear.parameters[place] {
            Given::Region(region) => start(linear, region, call),
            Given::Count(_) => call.count as i64,
        };
    }
    let before = cpu.integers;
    let mut at = 0;
    for _ in 0..1_000_000 {
        let set = |cpu: &mut Cpu<'_>, to: &Gpr, number: i64| cpu.integers[usize::from(to.0)] = number;
        match code.lines.get(at)? {
            Line::LandingPad | Line::Label(_) | Line::ClearUpper => {}
            Line::Push(register) => {
                cpu.integers[4] -= 8;
                let (top, content) = (cpu.integers[4], cpu.integers[usize::from(register.0)]);
                cpu.memory.write(top, &content.to_le_bytes());
            }
            Line::Pop(register) => {
                let content = cpu.memory.word(cpu.integers[4]);
                cpu.integers[4] += 8;
                set(&mut cpu, register, content);
            }
            Line::Move { to, from } => {
                let content = cpu.integers[usize::from(from.0)];
                set(&mut cpu, to, content);
            }
            Line::Zero(register) => set(&mut cpu, register, 0),
            Line::Add { to, amount } => {
                let sum = cpu.integers[usize::from(to.0)].wrapping_add(*amount);
                set(&mut cpu, to, sum);
            }
            Line::Align(bytes) => cpu.integers[4] &= -bytes,
            Line::Reserve(bytes) => cpu.integers[4] -= bytes,
            Line::Release(bytes) => cpu.integers[4] += bytes,
            Line::Address { to, memory } => {
                let place = cpu.address(memory);
                set(&mut cpu, to, place);
            }
            Line::Fetch { to, memory } => {
                let content = cpu.memory.word(cpu.address(memory));
                set(&mut cpu, to, content);
            }
            Line::Branch { number, counter, limit } => {
                let limit = match limit {
                    Limit::Number(limit) => *limit,
                    Limit::Count(count) => cpu.integers[usize::from(count.0)],
                };
                if cpu.integers[usize::from(counter.0)] != limit {
                    at = code.lines.iter().position(|line| line == &Line::Label(*number))?;
                }
            }
            Line::Skip { number, count } => {
                if cpu.integers[usize::from(count.0)] == 0 {
                    at = code.lines.iter().position(
                        |line| matches!(line, Line::Branch { number: other, .. } if other == number),
                    )?;
                }
            }
            Line::Count { item, to, sources } => {
                let Item::Count { value, .. } = linear.items.get(*item)? else { return None };
                let known: Vec<Count> = value.counts();
                let number = public(value, |count| {
                    let place = known.iter().position(|&other| other == count).unwrap_or(0);
                    sources.get(place).map_or(0, |source| cpu.integers[usize::from(source.0)] as u64)
                });
                set(&mut cpu, &Gpr::RAX, 0x5a5a);
                set(&mut cpu, to, number as i64);
            }
            Line::Mask(count) => {
                cpu.mask = cpu.integers[usize::from(count.0)] as u64;
                set(&mut cpu, &Gpr::RAX, 0x5a5a);
            }
            Line::CopyPart { to, from, count, index, .. } => {
                let [to, from, count] =
                    [to, from, count].map(|register| cpu.integers[usize::from(register.0)]);
                let moved = cpu.memory.read(from, usize::try_from(count).ok().filter(|&count| count < 100)?);
                cpu.memory.write(to, &moved);
                set(&mut cpu, index, count);
                set(&mut cpu, &Gpr::RAX, 0x5a5a);
            }
            Line::Return => {
                let kept = SYSTEM_V.preserved.iter().map(|register| usize::from(register.0)).chain([4]);
                let restored = kept.into_iter().all(|register| cpu.integers[register] == before[register]);
                let mut memory = cpu.memory;
                let (own, role) = (19, |region: usize| linear.regions.get(region).map(|known| known.role));
                let allowed = memory.0.keys().all(|number| {
                    let place = number * PIECE / APART;
                    place > own || place >= 1 && role(place as usize - 1) == Some(Role::Output)
                });
                memory.0.retain(|number, _| number * PIECE / APART <= own);
                return (restored && allowed).then_some(memory);
            }
            Line::Vector(line) => match line {
                VectorLine::Compute { row, to, sources, immediate, .. } => {
                    let operands: Vec<Cow<'_, [u8]>> = sources
                        .iter()
                        .map(|source| match source {
                            Source::Register(register) => cpu.value(*register).into(),
                            Source::Memory(memory) => cpu.fetch(memory, bits).into(),
                            Source::Repeated(memory, bits) => cpu.fetch(memory, *bits).into(),
                        })
                        .collect();
                    let made = result(row, linear.bytes, &operands, *immediate)?;
                    cpu.put(*to, &made);
                }
                VectorLine::Copy { to, from } => {
                    let value = cpu.value(*from);
                    cpu.put(*to, &value);
                }
                VectorLine::Splat { to, ones } => {
                    cpu.put(*to, &vec![if *ones { 0xff } else { 0 }; linear.bytes]);
                }
                VectorLine::Load { to, memory, bits, .. } => {
                    let value = cpu.fetch(memory, *bits);
                    cpu.put(*to, &value);
                }
                VectorLine::LoadPart { row, to, memory, .. } => {
                    let part = usize::try_from(cpu.mask).ok().filter(|&part| part < linear.bytes)?;
                    let mut read = cpu.memory.read(cpu.address(memory), part);
                    read.resize(linear.bytes, 0x77);
                    let number = cpu.mask.to_le_bytes().to_vec();
                    let made = result(row, linear.bytes, &[read.into(), number.into()], None)?;
                    cpu.put(*to, &made);
                }
                VectorLine::StorePart { from, memory, .. } => {
                    let part = usize::try_from(cpu.mask).ok().filter(|&part| part < linear.bytes)?;
                    let place = cpu.address(memory);
                    let value = cpu.value(*from);
                    cpu.memory.write(place, &value[..part]);
                }
                VectorLine::Store { from, memory, .. } => {
                    let place = cpu.address(memory);
                    let value = cpu.value(*from);
                    cpu.memory.write(place, &value);
                }
            },
        }
        at += 1;
    }
    None
}
