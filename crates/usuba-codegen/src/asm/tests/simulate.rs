//! Linear code and machine code run on numbers: a register holds one number of 64 bits, and every instruction mixes its
//! operands in its own way, so that what is wrong somewhere is wrong in the end.

use super::super::Machine;
use super::super::convention::SYSTEM_V;
use super::super::linear::{Item, Linear};
use super::super::machine::{Base, Code, Gpr, Line, Memory, Source, VectorLine};
use crate::block::{Address, Role};
use std::collections::BTreeMap;
use usuba_ir::program::Affine;
use usuba_logic::truth::permuted;
use usuba_target::{Instruction, Meaning};

/// Where buffers start, far from each other.
const APART: i64 = 1 << 32;

/// What lies in the outputs, by address.
pub(super) type Outputs = BTreeMap<i64, u64>;

fn mix(a: u64, b: u64) -> u64 {
    let mut x = a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 29
}

fn constant(bytes: &[u8]) -> u64 {
    bytes.iter().fold(1, |sum, &byte| mix(sum, u64::from(byte)))
}

/// The number in an input.
fn content(address: i64, bits: u32) -> u64 {
    mix(address as u64, u64::from(bits))
}

fn result(row: &Instruction, operands: &[u64], immediate: Option<u32>) -> u64 {
    if let (Meaning::Ternary, Some(table), &[a, b, c]) = (row.meaning, immediate, operands) {
        // The same for every order of the operands, with the table that belongs to it.
        // The sum over all orders is the same for each.
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let numbers = [a, b, c];
        return orders.into_iter().fold(7, |sum: u64, order| {
            let moved = order.map(|from: usize| numbers[from]);
            let one = moved.into_iter().fold(u64::from(permuted(table as u8, order)), mix);
            sum.wrapping_add(one)
        });
    }
    let start = mix(row.meaning as u64, u64::from(immediate.unwrap_or(999)));
    match row.meaning {
        Meaning::And | Meaning::Xor | Meaning::Add => {
            operands.iter().fold(start, |sum, &operand| sum.wrapping_add(mix(start, operand)))
        }
        _ => operands.iter().fold(start, |sum, &operand| mix(sum, operand)),
    }
}

fn index(affine: &Affine, inductions: &BTreeMap<u32, i64>) -> i64 {
    affine.constant + affine.terms.iter().map(|(i, c)| c * inductions[&i.0]).sum::<i64>()
}

/// Runs linear code.
pub(super) fn run_linear(linear: &Linear, machine: Machine) -> Outputs {
    let mut values = vec![0u64; linear.values.len()];
    for (value, known) in values.iter_mut().zip(&linear.values) {
        if let Some(bytes) = &known.constant {
            *value = constant(bytes);
        }
    }
    let mut memory = Outputs::new();
    let mut inductions: BTreeMap<u32, i64> = BTreeMap::new();
    let address = |address: &Address, inductions: &BTreeMap<u32, i64>| {
        let element = linear.element(address.buffer, machine.uniform as usize / 8);
        i64::from(address.buffer.0 + 1) * APART + index(&address.index, inductions) * element
    };
    let mut at = 0;
    while let Some(item) = linear.items.get(at) {
        match item {
            Item::Compute { row, result: to, operands, immediate } => {
                let operands: Vec<u64> = operands.iter().map(|operand| values[operand.index()]).collect();
                values[to.index()] = result(row, &operands, *immediate);
            }
            Item::Load { row, result, address: from } => {
                let place = address(from, &inductions);
                let bits = machine.loaded_bits(row);
                values[result.index()] = memory.get(&place).copied().unwrap_or(content(place, bits));
            }
            Item::Store { address: to, value } => {
                memory.insert(address(to, &inductions), values[value.index()]);
            }
            Item::Begin(number) => {
                let looped = &linear.loops[*number];
                inductions.insert(looped.induction.0, 0);
                for carried in &looped.carried {
                    values[carried.inside.index()] = values[carried.initial.index()];
                }
            }
            Item::End(number) => {
                let looped = &linear.loops[*number];
                let next: Vec<u64> =
                    looped.carried.iter().map(|carried| values[carried.next.index()]).collect();
                let time = inductions.entry(looped.induction.0).or_default();
                *time += 1;
                let again = *time < i64::from(looped.trips);
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
    memory.retain(|place, _| linear.buffers[(place / APART) as usize - 1].role == Role::Output);
    memory
}

struct Cpu<'a> {
    linear: &'a Linear,
    code: &'a Code,
    bits: u32,
    integers: [i64; 16],
    vectors: [u64; 32],
    memory: BTreeMap<i64, u64>,
}

impl Cpu<'_> {
    fn address(&self, memory: &Memory) -> i64 {
        let Base::Register(base) = memory.base else { return memory.displacement };
        let index = memory.index.map_or(0, |index| self.integers[usize::from(index.0)]);
        self.integers[usize::from(base.0)].wrapping_add(index).wrapping_add(memory.displacement)
    }

    fn fetch(&self, memory: &Memory, bits: u32) -> u64 {
        let place = self.address(memory);
        if memory.base == Base::Pool {
            let number = place / self.linear.bytes as i64;
            return self.code.pool.get(number as usize).map_or(0, |bytes| constant(bytes));
        }
        self.memory.get(&place).copied().unwrap_or(content(place, bits))
    }
}

/// Runs machine code; nothing if it does not end well. What it leaves in the outputs.
pub(super) fn run_code(linear: &Linear, code: &Code, machine: Machine) -> Option<Outputs> {
    let bits = machine.shape_bits;
    let mut cpu = Cpu { linear, code, bits, integers: [0; 16], vectors: [0; 32], memory: BTreeMap::new() };
    for (number, register) in cpu.integers.iter_mut().enumerate() {
        *register = -(number as i64) * 1_000_003;
    }
    let entry = -8i64 + 40 * APART;
    cpu.integers[usize::from(Gpr::RSP.0)] = entry;
    for (place, register) in SYSTEM_V.arguments.iter().enumerate().take(linear.parameters.len()) {
        cpu.integers[usize::from(register.0)] = (place as i64 + 1) * APART;
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
                cpu.memory.insert(top, content as u64);
            }
            Line::Pop(register) => {
                let content = cpu.memory.get(&cpu.integers[4]).copied()?;
                cpu.integers[4] += 8;
                set(&mut cpu, register, content as i64);
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
            Line::Address { to, memory } => {
                let place = cpu.address(memory);
                set(&mut cpu, to, place);
            }
            Line::Fetch { to, memory } => {
                let content = cpu.memory.get(&cpu.address(memory)).copied().unwrap_or(0);
                set(&mut cpu, to, content as i64);
            }
            Line::Branch { number, counter, limit } => {
                if cpu.integers[usize::from(counter.0)] != *limit {
                    at = code.lines.iter().position(|line| line == &Line::Label(*number))?;
                }
            }
            Line::Return => {
                let kept = SYSTEM_V.preserved.iter().map(|register| usize::from(register.0)).chain([4]);
                let restored = kept.into_iter().all(|register| cpu.integers[register] == before[register]);
                let mut memory = cpu.memory;
                let own = |place: &i64| *place > 20 * APART;
                let buffer = |place: &i64| linear.buffers.get((place / APART) as usize - 1);
                let allowed = memory.keys().all(|place| {
                    own(place) || *place >= APART && buffer(place).is_some_and(|b| b.role == Role::Output)
                });
                memory.retain(|place, _| !own(place));
                return (restored && allowed).then_some(memory);
            }
            Line::Vector(line) => match line {
                VectorLine::Compute { row, to, sources, immediate, .. } => {
                    let operands: Vec<u64> = sources
                        .iter()
                        .map(|source| match source {
                            Source::Register(register) => cpu.vectors[usize::from(register.0)],
                            Source::Memory(memory) => cpu.fetch(memory, cpu.bits),
                            Source::Repeated(memory, bits) => cpu.fetch(memory, *bits),
                        })
                        .collect();
                    cpu.vectors[usize::from(to.0)] = result(row, &operands, *immediate);
                }
                VectorLine::Copy { to, from } => {
                    cpu.vectors[usize::from(to.0)] = cpu.vectors[usize::from(from.0)];
                }
                VectorLine::Splat { to, ones } => {
                    let bytes = vec![if *ones { 0xff } else { 0 }; linear.bytes];
                    cpu.vectors[usize::from(to.0)] = constant(&bytes);
                }
                VectorLine::Load { to, memory, bits, .. } => {
                    cpu.vectors[usize::from(to.0)] = cpu.fetch(memory, *bits);
                }
                VectorLine::Store { from, memory, .. } => {
                    let place = cpu.address(memory);
                    cpu.memory.insert(place, cpu.vectors[usize::from(from.0)]);
                }
            },
        }
        at += 1;
    }
    None
}
